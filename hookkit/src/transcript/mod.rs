//! The transcript of a session, read from either end.
//!
//! The client keeps a session's conversation in a file of JSON lines, whose path every event carries
//! ([`Context::transcript_path`](crate::Context::transcript_path)).
//! A hook looks there for what its own event does not tell:
//!
//! ```
//! use hookkit::prelude::*;
//!
//! /// Requires that the tests are run after the last edit.
//! #[hook(Stop)]
//! pub fn tested(stop: Stop, context: Context) -> Result<Option<StopAnswer>, Error> {
//!     if stop.stop_hook_active {
//!         return Ok(None);
//!     }
//!     for call in context.transcript()?.this_turn()?.tool_calls().rev() {
//!         let call = call?;
//!         let runs_tests = |bash: tool::Bash| bash.command.contains("cargo test");
//!         match call.name.as_str() {
//!             "Edit" | "Write" if call.succeeded() => {
//!                 return Ok(Some(StopAnswer::block("run the tests: you have edited files since")));
//!             }
//!             "Bash" if call.input.decode().is_ok_and(runs_tests) => break,
//!             _ => {}
//!         }
//!     }
//!     Ok(None)
//! }
//! # fn main() {
//! # assert_eq!(tested(Stop::default(), Context::default()).unwrap(), None);
//! # }
//! ```
//!
//! # What to expect of it
//!
//! The format is the client's own, and changes.
//! So nothing of it is an error here but that the file cannot be read: a field that is absent or has another shape is
//! empty, a row that is not known is [`Row::Other`], a line that is not JSON is [`Row::Broken`].
//! All facts about the client are those of 2.1.330.
//!
//! The client writes with a delay, so the newest rows may be missing: at Stop the reply that the turn ends with, which is
//! why the event itself has `last_assistant_message`.
//! A last line that is half-written is left out.
//! What is written after [`Transcript::open`] is not seen.
//!
//! The rows are in the order in which they were written.
//! Where the user went back to an earlier prompt, what was said after it is still there; where the conversation was
//! compacted, a row of subtype `compact_boundary` follows on what the model is shown no more.
//!
//! Files of any size are read, a block at a time: memory holds one line, whatever the file has.
//! The output of `claude -p --output-format stream-json` can be read, too, where it was kept in a file.

use std::fs::{self, File};
use std::io;
use std::iter::FusedIterator;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Error;

mod block;
mod calls;
mod lines;
mod object;
mod row;

pub use block::Block;
pub use calls::{Outcome, ToolCall, ToolCalls};
pub use row::{Assistant, Attachment, Broken, Message, Origin, Row, RunResult, Summary, System, Usage, User};

use lines::{Line, Lines};
use object::Object;

/// The longest line that is read, in bytes: 64 MiB. A longer one is passed over, as [`Row::Broken`].
///
/// To hold a line takes up to twice its length, and its row as much as it says.
pub const LONGEST_LINE: u64 = 64 << 20;

/// A session's transcript, or a part of it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Transcript {
    /// None where there is no file.
    file: Option<Arc<Opened>>,
    part: Range<u64>,
}

#[derive(Debug)]
struct Opened {
    file: File,
    path: PathBuf,
}

#[cold]
fn unreadable(path: &Path, err: &dyn std::fmt::Display) -> Error {
    Error::msg(format_args!("cannot read the transcript `{}`: {err}", path.display()))
}

impl Transcript {
    /// Opens a transcript.
    ///
    /// A file that is not there is an empty one: the client writes it only after the first prompt, and in a session that
    /// keeps none its path is empty.
    ///
    /// # Errors
    ///
    /// When there is something else than a file that can be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let opened = || -> io::Result<Self> {
            // Not after it was opened: opening a pipe waits for its other end.
            if !fs::metadata(path)?.is_file() {
                return Err(io::Error::other("it is not a file"));
            }
            let file = File::open(path)?;
            let part = 0..file.metadata()?.len();
            let path = path.to_owned();
            Ok(Self {
                file: Some(Arc::new(Opened { file, path })),
                part,
            })
        };
        match opened() {
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(Self { file: None, part: 0..0 }),
            opened => opened.map_err(|err| unreadable(path, &err)),
        }
    }

    /// All rows, in the order of the file; [`rev`](Iterator::rev) reads it from its end.
    ///
    /// ```
    /// # use hookkit::Error;
    /// use hookkit::transcript::{Row, Transcript};
    ///
    /// # fn example(transcript: &Transcript) -> Result<(), Error> {
    /// for row in transcript.rows().rev() {
    ///     if let Row::Assistant(reply) = row? {
    ///         eprintln!("{} of {} tokens", reply.message.usage.request_tokens(), reply.message.model);
    ///         break;
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// # example(&Transcript::open("")?)?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn rows(&self) -> Rows {
        Rows {
            file: self.file.clone(),
            lines: Lines::new(self.part.clone()),
            types: None,
        }
    }

    /// The part from where the model began to work the last time: from a prompt, a slash command, or the news of a
    /// background task. Without one it is all.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn this_turn(&self) -> Result<Self, Error> {
        let mut rows = self.conversation(&["user"]);
        while let Some(row) = rows.next_back() {
            if matches!(row?, Row::User(user) if user.starts_turn()) {
                return Ok(Self {
                    file: self.file.clone(),
                    part: rows.rows.lines.rest().end..self.part.end,
                });
            }
        }
        Ok(self.clone())
    }

    /// Returns the text of the model's last reply that has any, with its blocks of text on lines of their own.
    ///
    /// Text of subagents, and of the client in the model's place (an API error), is skipped.
    /// It reads from the end of the file, and no farther than it must.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn last_assistant_text(&self) -> Result<Option<String>, Error> {
        let mut id = None;
        let mut texts = Vec::new();
        for row in self.conversation(&["assistant"]).rev() {
            let Row::Assistant(reply) = row? else { continue };
            if reply.is_synthetic() {
                continue;
            }
            // Rows that have no id share none.
            if !texts.is_empty() && (id.is_none() || reply.message.id != id) {
                break;
            }
            let text = reply.message.text();
            if !text.trim_ascii().is_empty() {
                texts.push(text);
                id = reply.message.id;
            }
        }
        texts.reverse();
        Ok((!texts.is_empty()).then(|| texts.join("\n")))
    }

    /// Returns the user's last prompt, including one that was typed while the model worked. Empty if it was only an image.
    ///
    /// It reads from the end of the file, and no farther than it must.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn last_prompt(&self) -> Result<Option<String>, Error> {
        for row in self.conversation(&["user", "attachment"]).rev() {
            match row? {
                Row::User(user) if user.is_prompt() => return Ok(Some(user.message.text())),
                Row::Attachment(attachment) => {
                    if let Some(prompt) = attachment.queued_prompt() {
                        return Ok(Some(prompt));
                    }
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// The tool calls, each with what came of it, in the order in which the model made them; [`rev`](Iterator::rev)
    /// begins with the last one.
    ///
    /// A call's outcome is the first result for its id that comes before the model's next reply: the model goes on when it
    /// has the results of all calls that it has made.
    /// Those of [`this_turn`](Self::this_turn) cost no more than the turn is long.
    /// Subagents' own calls are in their own transcripts.
    pub fn tool_calls(&self) -> ToolCalls {
        ToolCalls::new(self)
    }

    /// The tokens that all requests took together, subagents' excepted. Each reply counts once, though its rows repeat
    /// its tokens.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn usage(&self) -> Result<Usage, Error> {
        let mut total = Usage::default();
        let mut last = (None, Usage::default());
        for row in self.conversation(&["assistant"]) {
            let Row::Assistant(Assistant { message, .. }) = row? else {
                continue;
            };
            if message.id.is_none() || message.id != last.0 {
                total += last.1;
            }
            last = (message.id, message.usage);
        }
        total += last.1;
        Ok(total)
    }

    /// Rows of these types that are of the transcript's own conversation.
    fn conversation(&self, types: &'static [&'static str]) -> Conversation {
        Conversation {
            rows: self.rows().only(types),
            of: self.clone(),
            is_sidechain: None,
        }
    }

    /// Returns `true` if it is the transcript of a subagent.
    fn is_sidechain(&self) -> Result<bool, Error> {
        let mut rows = self.rows().only(&["user", "assistant", "system", "attachment"]);
        Ok(rows.next().transpose()?.is_some_and(|row| row.is_sidechain()))
    }
}

/// The rows of a transcript, from either end. See [`Transcript::rows`].
///
/// An error is the last item.
#[derive(Debug)]
pub struct Rows {
    file: Option<Arc<Opened>>,
    lines: Lines,
    types: Option<&'static [&'static str]>,
}

/// A function that takes a line from one end.
type Take = for<'l> fn(&'l mut Lines, &File) -> io::Result<Option<Line<'l>>>;

impl Rows {
    /// Only the rows whose `type` is one of these. The others are scanned, and not decoded.
    ///
    /// ```
    /// # use hookkit::{Error, transcript::Transcript};
    /// # let transcript = Transcript::open("")?;
    /// for row in transcript.rows().only(&["assistant", "system"]) {
    ///     // ...
    /// #   row?;
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn only(self, types: &'static [&'static str]) -> Self {
        Self {
            types: Some(types),
            ..self
        }
    }

    /// The next row, of the lines that `take` takes.
    fn find(&mut self, take: Take) -> Option<Result<Row, Error>> {
        let opened = self.file.as_deref()?;
        loop {
            match take(&mut self.lines, &opened.file) {
                Ok(line) => {
                    if let Some(row) = row_of(&line?, self.types) {
                        return Some(Ok(row));
                    }
                }
                Err(err) => {
                    self.lines.stop();
                    return Some(Err(unreadable(&opened.path, &err)));
                }
            }
        }
    }
}

impl Iterator for Rows {
    type Item = Result<Row, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.find(Lines::next)
    }
}

impl DoubleEndedIterator for Rows {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.find(Lines::next_back)
    }
}

impl FusedIterator for Rows {}

/// The row in a line, unless there is none, or one of another type.
fn row_of(line: &Line<'_>, types: Option<&[&str]>) -> Option<Row> {
    let broken = |row: &dyn Fn() -> Broken| (line.is_ended && types.is_none()).then(|| Row::Broken(row()));
    let Some(text) = line.text else {
        return broken(&|| Broken::too_long(line.offset, line.length));
    };
    if text.trim_ascii().is_empty() {
        return None;
    }
    let object = match Object::scan(text) {
        Ok(object) => object,
        Err(err) => return broken(&|| Broken::new(line.offset, text, &err)),
    };
    if types.is_some_and(|types| !types.iter().any(|name| object.has("type", name))) {
        return None;
    }
    Some(Row::of(&object))
}

/// The rows of the conversation that a transcript is of: in that of a session those of its subagents are none.
#[derive(Debug)]
struct Conversation {
    rows: Rows,
    of: Transcript,
    /// `true` if it is a subagent's, if that is known.
    is_sidechain: Option<bool>,
}

impl Conversation {
    fn find(&mut self, take: fn(&mut Rows) -> Option<Result<Row, Error>>) -> Option<Result<Row, Error>> {
        loop {
            let row = take(&mut self.rows)?;
            if !row.as_ref().is_ok_and(Row::is_sidechain) {
                return Some(row);
            }
            let is_own = match self.is_sidechain {
                Some(is_sidechain) => is_sidechain,
                None => match self.of.is_sidechain() {
                    Ok(is_sidechain) => *self.is_sidechain.insert(is_sidechain),
                    Err(err) => return Some(Err(err)),
                },
            };
            if is_own {
                return Some(row);
            }
        }
    }
}

impl Iterator for Conversation {
    type Item = Result<Row, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.find(Iterator::next)
    }
}

impl DoubleEndedIterator for Conversation {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.find(DoubleEndedIterator::next_back)
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
