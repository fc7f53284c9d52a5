//! A session's transcript: its prompts, replies and tool calls, read from either end.
//!
//! The client writes a session's conversation to a file of JSON lines. Every event has its path
//! ([`Context::transcript_path`](crate::Context::transcript_path)).
//! A hook reads the transcript for facts that its own event does not contain:
//!
//! ```
//! use hookkit::prelude::*;
//!
//! /// Requires a test run after the last edit.
//! #[hook(Stop)]
//! pub fn tested(stop: Stop, context: Context) -> Result<Option<StopAnswer>, Error> {
//!     if stop.stop_hook_active {
//!         return Ok(None);
//!     }
//!     for call in stop.transcript(&context)?.this_turn()?.tool_calls().rev() {
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
//! # Limits
//!
//! The format is the client's own, and changes.
//! Therefore the only error is a file that cannot be read. A field that is absent or has an unexpected type is empty,
//! an unknown row is [`Row::Other`], and a line that is not JSON is [`Row::Broken`].
//! The docs describe client 2.1.330.
//!
//! The client writes with a delay, so the newest rows may be missing. At Stop, the last reply is usually missing:
//! [`Stop::transcript`](crate::event::Stop::transcript) adds it from the event.
//! An incomplete last line is skipped.
//! Rows written after [`Transcript::open`] are not read.
//!
//! The rows are in the order in which they were written.
//! If the user went back to an earlier prompt, the abandoned rows are still there.
//! If the conversation was compacted, a row of subtype `compact_boundary` follows the rows that the model no longer
//! sees.
//!
//! Files of any size are read block by block; memory holds one line.
//! The output of `claude -p --output-format stream-json` can be read from a file, too.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::iter::FusedIterator;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::json::Scanned;
use crate::{Error, bounded};

mod block;
mod calls;
mod last;
mod lines;
mod price;
mod record;
mod row;

pub use block::Block;
pub use calls::{Outcome, ToolCall, ToolCalls};
pub use price::{Price, Prices};
pub use row::{
    Assistant, Attachment, Broken, CacheCreation, Message, Origin, Row, RunResult, Summary, System, Usage, User,
};

use lines::{Line, Lines};

/// The length of the longest line that is read, in bytes: 64 MiB. A longer line becomes a [`Row::Broken`].
///
/// Reading a line needs up to twice its length in memory, in addition to the decoded row.
pub const LONGEST_LINE: u64 = 64 << 20;

/// A session's transcript or a part of it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Transcript {
    /// `None` if there is no file.
    file: Option<Arc<Opened>>,
    part: Range<u64>,
    /// An additional row after the file's rows.
    last: Option<Arc<Row>>,
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
    /// A missing file is an empty transcript: the client creates it after the first prompt, and the path is empty in a
    /// session without a transcript.
    ///
    /// # Errors
    ///
    /// Fails if the path is not a file, or the file cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let opened = || -> io::Result<Self> {
            let file = bounded::open(path)?;
            let part = 0..file.metadata()?.len();
            let path = path.to_owned();
            Ok(Self { file: Some(Arc::new(Opened { file, path })), part, last: None })
        };
        match opened() {
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(Self { file: None, part: 0..0, last: None }),
            opened => opened.map_err(|err| unreadable(path, &err)),
        }
    }

    /// Returns all rows, in the order of the file; [`rev`](Iterator::rev) reads from the end of the file.
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
            last: self.last.as_deref().cloned(),
            types: None,
        }
    }

    /// Returns the last turn, which starts with a prompt, a slash command, or the notification of a background task. If
    /// there is no such row, returns the whole transcript.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn this_turn(&self) -> Result<Self, Error> {
        let mut rows = self.conversation(&["user"]);
        while let Some(row) = rows.next_back() {
            if matches!(row?, Row::User(user) if user.starts_turn()) {
                return Ok(Self { part: rows.rows.lines.rest().end..self.part.end, ..self.clone() });
            }
        }
        Ok(self.clone())
    }

    /// Returns the text of the model's last reply that has text. Blocks of text are joined with line feeds.
    ///
    /// Skips replies of subagents, and texts that the client wrote in the model's role, such as API errors. Reads
    /// backward from the end of the file, and stops at that reply.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn last_assistant_text(&self) -> Result<Option<String>, Error> {
        let mut id = None;
        let mut texts = Vec::new();
        for row in self.conversation(&["assistant"]).rev() {
            let Row::Assistant(reply) = row? else { continue };
            if reply.is_synthetic() {
                continue;
            }
            // Rows without an id belong to different replies.
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

    /// Returns the user's last prompt, even if it was typed while the model was working. Empty if it was only an image.
    ///
    /// Reads backward from the end of the file and stops at that prompt.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
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

    /// Returns the tool calls with their outcomes, in the order of the calls; [`rev`](Iterator::rev) starts with the last
    /// call.
    ///
    /// A call's outcome is the first result for its id before the model's next reply, which follows the results of all
    /// calls.
    /// With [`this_turn`](Self::this_turn), only the turn is read.
    /// Calls of subagents are in their own transcripts.
    pub fn tool_calls(&self) -> ToolCalls {
        ToolCalls::new(self)
    }

    /// Returns the sum of the tokens of all requests, except those of subagents. Each reply counts once, although each
    /// of its rows repeats the tokens.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn usage(&self) -> Result<Usage, Error> {
        let mut total = Usage::default();
        self.for_each_reply(|reply| total += reply.usage)?;
        Ok(total)
    }

    /// Returns the tokens like [`usage`](Self::usage), for each model. Models without tokens are left out, such as the
    /// one of the client's own texts.
    ///
    /// [`Prices`] calculates their cost.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn usage_by_model(&self) -> Result<BTreeMap<String, Usage>, Error> {
        let mut models = BTreeMap::<String, Usage>::new();
        self.for_each_reply(|reply| {
            if reply.usage != Usage::default() {
                *models.entry(reply.model).or_default() += reply.usage;
            }
        })?;
        Ok(models)
    }

    /// Calls a function with the last row of each reply, which has its tokens.
    fn for_each_reply(&self, mut call: impl FnMut(Message)) -> Result<(), Error> {
        let mut last: Option<Message> = None;
        for row in self.conversation(&["assistant"]) {
            let Row::Assistant(Assistant { message, .. }) = row? else {
                continue;
            };
            let is_another = |last: &Message| message.id.is_none() || message.id != last.id;
            if last.as_ref().is_some_and(is_another) {
                last.take().into_iter().for_each(&mut call);
            }
            last = Some(message);
        }
        last.into_iter().for_each(call);
        Ok(())
    }

    /// Returns the rows of these types that belong to the transcript's own conversation.
    fn conversation(&self, types: &'static [&'static str]) -> Conversation {
        Conversation { rows: self.rows().only(types), of: self.clone(), is_sidechain: None }
    }

    /// Returns `true` if this is the transcript of a subagent.
    fn is_sidechain(&self) -> Result<bool, Error> {
        let mut rows = self.rows().only(&["user", "assistant", "system", "attachment"]);
        Ok(rows.next().transpose()?.is_some_and(|row| row.is_sidechain()))
    }
}

/// An iterator over the rows of a transcript, from either end. See [`Transcript::rows`].
///
/// An error ends the iteration.
#[derive(Debug)]
pub struct Rows {
    file: Option<Arc<Opened>>,
    lines: Lines,
    last: Option<Row>,
    types: Option<&'static [&'static str]>,
}

/// A function that takes a line.
type Take = for<'l> fn(&'l mut Lines, &File) -> io::Result<Option<Line<'l>>>;

impl Rows {
    /// Keeps only the rows whose `type` is one of these. Other rows are scanned, but not decoded.
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
            // The last row is a reply.
            last: self.last.filter(|_| types.contains(&"assistant")),
            ..self
        }
    }

    /// Returns the next row from the lines that `take` returns.
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
                    self.last = None;
                    return Some(Err(unreadable(&opened.path, &err)));
                }
            }
        }
    }
}

impl Iterator for Rows {
    type Item = Result<Row, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.find(Lines::next).or_else(|| self.last.take().map(Ok))
    }
}

impl DoubleEndedIterator for Rows {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.last.take().map(Ok).or_else(|| self.find(Lines::next_back))
    }
}

impl FusedIterator for Rows {}

/// Returns the row of a line, or `None` if the line has no row of these types.
fn row_of(line: &Line<'_>, types: Option<&[&str]>) -> Option<Row> {
    let broken = |row: &dyn Fn() -> Broken| (line.is_ended && types.is_none()).then(|| Row::Broken(row()));
    let Some(text) = line.text else {
        return broken(&|| Broken::too_long(line.offset, line.length));
    };
    if text.trim_ascii().is_empty() {
        return None;
    }
    let object = match Scanned::scan(text) {
        Ok(object) => object,
        Err(err) => return broken(&|| Broken::new(line.offset, text, &err)),
    };
    if types.is_some_and(|types| !types.iter().any(|name| object.has("type", name))) {
        return None;
    }
    Some(Row::of(&object))
}

/// The rows of a transcript's own conversation: for a session, without the rows of its subagents.
#[derive(Debug)]
struct Conversation {
    rows: Rows,
    of: Transcript,
    /// `true` if the transcript is a subagent's. `None` until a row shows it.
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
mod tests;
