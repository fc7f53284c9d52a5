//! Changes of text files: what comes in, what goes, and what the file will hold.
//!
//! What is said of the client is what 2.1.330 does.
//!
//! The client changes what the model wrote before a hook is given it: it cuts blanks off the ends of lines that come into
//! other files than `.md`, writes out names that it had shortened for the model (`<fnr>`, `H:`), and swaps `\uXXXX` and the
//! character it stands for where only the other is in the file.
//! The texts of a hook's input are therefore those that are put in. Those in a [transcript](crate::transcript) are as the
//! model wrote them, and an edit that is taken from there may have another outcome, or none.

use std::borrow::Cow;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::path::is_blank;
use crate::tool::{CellEdit, Edit, NotDecoded, NotebookEdit, Write};
use crate::{Context, Error, ToolInput};

/// [`Write`], [`Edit`] or [`NotebookEdit`], with their text: what a hook takes that looks at the text which comes in,
/// whichever tool it comes by.
///
/// These are the client's tools that change files. A guard of files takes it, for [`path`](Self::path): with
/// [`FileChange`](crate::tool::FileChange), which does not even keep the text, notebooks are changed behind its back.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Keeps keys out of files.
/// #[hook(PreToolUse)]
/// pub fn no_keys(call: PreToolUse<tool::TextChange>) -> PreToolUseAnswer {
///     if call.input.added_text().contains("-----BEGIN PRIVATE KEY-----") {
///         PreToolUseAnswer::deny("this text holds a private key: have it read from a file that is not committed")
///     } else {
///         PreToolUseAnswer::pass()
///     }
/// }
///
/// # fn main() {
/// let mut write = tool::Write::default();
/// write.content = "-----BEGIN PRIVATE KEY-----\n".to_owned();
/// let answer = no_keys(PreToolUse::new("Write", write.into()));
/// assert_ne!(answer, PreToolUseAnswer::pass());
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, ToolInput)]
#[tool(crate = crate, response = NotDecoded)]
#[non_exhaustive]
pub enum TextChange {
    /// A whole file is written.
    Write(Write),
    /// Text in a file is replaced.
    Edit(Edit),
    /// A cell of a notebook is.
    NotebookEdit(NotebookEdit),
}

macro_rules! from {
    ($($change:ident)*) => {$(
        impl From<$change> for TextChange {
            fn from(change: $change) -> Self {
                Self::$change(change)
            }
        }
    )*};
}

from! { Write Edit NotebookEdit }

impl TextChange {
    /// The file, as the input names it. [`Context::path`] tells where that leads.
    pub fn path(&self) -> &Path {
        match self {
            Self::Write(write) => &write.file_path,
            Self::Edit(edit) => &edit.file_path,
            Self::NotebookEdit(edit) => &edit.notebook_path,
        }
    }

    /// The text that comes in: the whole file of a [`Write`], what an [`Edit`] puts in, the source of a notebook's cell.
    ///
    /// It can be a part of what an edit makes: `new_string` may complete what stands beside it in the file.
    /// A hook that has to see that looks at [`text_after`](Self::text_after).
    pub fn added_text(&self) -> &str {
        match self {
            Self::Write(write) => &write.content,
            Self::Edit(edit) => &edit.new_string,
            Self::NotebookEdit(edit) if edit.edit_mode == Some(CellEdit::Delete) => "",
            Self::NotebookEdit(edit) => &edit.new_source,
        }
    }

    /// The text that goes, where the input says it: that of an [`Edit`], at each place if it replaces all.
    ///
    /// `None` for the others. Of a [`Write`] it is the file as it is ([`text_before`](Self::text_before)).
    pub fn removed_text(&self) -> Option<&str> {
        match self {
            Self::Edit(edit) => Some(&edit.old_string),
            Self::Write(_) | Self::NotebookEdit(_) => None,
        }
    }

    /// The file as it is now, or `None` if there is none: on PreToolUse before the change, on PostToolUse after it.
    ///
    /// # Errors
    ///
    /// [`Unreadable`](NoEdit::Unreadable) or [`NotText`](NoEdit::NotText).
    pub fn text_before(&self, context: &Context) -> Result<Option<String>, NoEdit> {
        read(&context.absolute(self.path()))
    }

    /// The file as the change will leave it. It is meant for PreToolUse: on PostToolUse that is what is on disk.
    ///
    /// That of a [`Write`] is its content. The client keeps the byte order mark of a file that has one, which is not in it.
    /// For an [`Edit`] the file is read; see [`Edit::text_after`].
    ///
    /// # Errors
    ///
    /// When the change will fail, each by its own [`NoEdit`], and always for a [`NotebookEdit`].
    pub fn text_after(&self, context: &Context) -> Result<Cow<'_, str>, NoEdit> {
        match self {
            Self::Write(write) => Ok(Cow::Borrowed(&write.content)),
            Self::Edit(edit) => edit.text_after(context).map(Cow::Owned),
            Self::NotebookEdit(_) => Err(NoEdit::Notebook),
        }
    }
}

impl Edit {
    /// The file as the edit will leave it; the file is read for that.
    ///
    /// A link is read through. The client then refuses to write there, and tells the model where the link leads.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Keeps JSON files whole.
    /// #[hook(PreToolUse, matcher = "Edit")]
    /// pub fn valid_json(call: PreToolUse<tool::Edit>, context: Context) -> Result<PreToolUseAnswer, Error> {
    ///     if call.input.file_path.extension().is_none_or(|end| end != "json") {
    ///         return Ok(PreToolUseAnswer::pass());
    ///     }
    ///     let after = call.input.text_after(&context)?;
    ///     Ok(match serde_json::from_str::<serde::de::IgnoredAny>(&after) {
    ///         Ok(_) => PreToolUseAnswer::pass(),
    ///         Err(err) => PreToolUseAnswer::deny(format!("after this edit the file is no JSON: {err}")),
    ///     })
    /// }
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    ///
    /// When the client will not make the edit either, each case by its own [`NoEdit`].
    pub fn text_after(&self, context: &Context) -> Result<String, NoEdit> {
        let text = read(&context.absolute(&self.file_path))?;
        if text.is_none() && !self.old_string.is_empty() {
            return Err(NoEdit::NoFile);
        }
        self.apply(text.as_deref().unwrap_or_default())
    }

    /// What the edit makes of the text of a file, as the client does it.
    ///
    /// - Line ends are `\n` while it looks for the text, and in the end those of the file again: all of them `\r\n` where
    ///   these are more than half of the line ends in its first 4,096 characters (UTF-16 units), otherwise `\n`.
    ///   An `old_string` with `\r\n` in it is never found. A `\r\n` of `new_string` stays also in a file with `\n`.
    /// - An empty `old_string` fills a file that is not there, or that holds nothing but blanks.
    /// - Where nothing is put in for text at the end of a line, the line end goes with it; of several places that are
    ///   replaced, only those go then that a line end follows, if there is one.
    /// - `$` means nothing in `new_string`.
    /// - A byte order mark at the start of the text stays, and is never found.
    ///
    /// ```
    /// # use hookkit::tool::{self, NoEdit};
    /// let mut edit = tool::Edit::default();
    /// edit.old_string = "two".to_owned();
    /// edit.new_string = "2".to_owned();
    /// assert_eq!(edit.apply("one\r\ntwo\r\n").unwrap(), "one\r\n2\r\n");
    /// assert_eq!(edit.apply("two or two"), Err(NoEdit::Ambiguous(2)));
    /// edit.replace_all = true;
    /// assert_eq!(edit.apply("two or two").unwrap(), "2 or 2");
    /// ```
    ///
    /// # Errors
    ///
    /// [`Unchanged`](NoEdit::Unchanged), [`NotFound`](NoEdit::NotFound), [`Ambiguous`](NoEdit::Ambiguous),
    /// [`NotEmpty`](NoEdit::NotEmpty) or [`NotText`](NoEdit::NotText).
    pub fn apply(&self, text: &str) -> Result<String, NoEdit> {
        if self.old_string == self.new_string {
            return Err(NoEdit::Unchanged);
        }
        if text.bytes().take(BINARY_SAMPLE).any(|byte| byte == 0) {
            return Err(NoEdit::NotText);
        }
        let is_crlf = ends_lines_in_crlf(text);
        let (mark, text) = text.split_at(text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len());
        let text = text.replace("\r\n", "\n");
        let after = if self.old_string.is_empty() {
            if !text.chars().all(is_blank) {
                return Err(NoEdit::NotEmpty);
            }
            self.new_string.clone()
        } else {
            self.replaced(&text)?
        };
        if !is_crlf {
            return Ok(format!("{mark}{after}"));
        }
        Ok(format!("{mark}{}", after.replace("\r\n", "\n").replace('\n', "\r\n")))
    }

    fn replaced(&self, text: &str) -> Result<String, NoEdit> {
        match text.matches(&self.old_string).count() {
            0 => return Err(NoEdit::NotFound),
            1 => {}
            _ if self.replace_all => {}
            several => return Err(NoEdit::Ambiguous(several)),
        }
        let line = format!("{}\n", self.old_string);
        let takes_line = self.new_string.is_empty() && !self.old_string.ends_with('\n') && text.contains(&line);
        let old = if takes_line { &line } else { &self.old_string };
        let times = if self.replace_all { usize::MAX } else { 1 };
        Ok(text.replacen(old, &self.new_string, times))
    }
}

/// Where the client looks for a NUL byte, by which it takes a file for binary data.
const BINARY_SAMPLE: usize = 8 << 10;

/// Whether the client writes a file of this text with `\r\n`.
fn ends_lines_in_crlf(text: &str) -> bool {
    const SAMPLE: usize = 4096;
    let mut units = 0;
    let start = text.find(|c: char| {
        units += c.len_utf16();
        units > SAMPLE
    });
    let start = &text[..start.unwrap_or(text.len())];
    let crlf = start.matches("\r\n").count();
    crlf > start.matches('\n').count() - crlf
}

/// Longer files are not read, as no more is kept of a payload.
const LONGEST: u64 = 128 << 20;

/// A file's text, or `None` if there is none.
fn read(path: &Path) -> Result<Option<String>, NoEdit> {
    let bytes = match bytes(path) {
        Ok(bytes) => bytes,
        Err(err) if err.kind() == ErrorKind::NotFound => return Ok(None),
        Err(err) => return Err(NoEdit::Unreadable(err.to_string())),
    };
    if bytes.starts_with(&[0xFF, 0xFE]) {
        let (units, rest) = bytes.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(NoEdit::NotText);
        }
        let units = units.iter().map(|unit| u16::from_le_bytes(*unit));
        let text: Result<String, _> = char::decode_utf16(units).collect();
        return text.map(Some).map_err(|_| NoEdit::NotText);
    }
    String::from_utf8(bytes).map(Some).map_err(|_| NoEdit::NotText)
}

fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    // To open a pipe would wait for who writes it.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is a folder, a pipe or a device"));
    }
    let mut bytes = Vec::new();
    let length = File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
    if length as u64 > LONGEST {
        return Err(io::Error::other("it has more than 128 MiB"));
    }
    Ok(bytes)
}

/// Why there is no text after an edit.
///
/// The client finds most of these itself, and then does not even raise PreToolUse. A hook meets them where the file changed
/// meanwhile, or in a test.
/// `?` makes an [`Error`] of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoEdit {
    /// The old text and the new one are the same.
    Unchanged,
    /// The old text is not in the file.
    ///
    /// The client then looks again and takes curly quotes for straight ones. Where it finds the text that way, it also
    /// writes curly ones; this is not done here.
    NotFound,
    /// The old text is so many times in the file, and not all are to be replaced.
    Ambiguous(usize),
    /// There is no file, and the old text is not empty.
    NoFile,
    /// The old text is empty, but the file is not.
    NotEmpty,
    /// The file is neither UTF-8, nor UTF-16 in little endian with a byte order mark; or there is a NUL in its first 8 KB.
    NotText,
    /// The file cannot be read, has more than 128 MiB, or is a folder, a pipe or a device; why.
    Unreadable(String),
    /// Notebooks are not put together here.
    Notebook,
}

impl fmt::Display for NoEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unchanged => f.write_str("`old_string` and `new_string` are the same"),
            Self::NotFound => f.write_str("`old_string` is not in the file"),
            Self::Ambiguous(times) => write!(f, "`old_string` is {times} times in the file"),
            Self::NoFile => f.write_str("the file to edit does not exist"),
            Self::NotEmpty => f.write_str("`old_string` is empty, but the file is not"),
            Self::NotText => f.write_str("the file to edit is no text"),
            Self::Unreadable(why) => write!(f, "the file to edit cannot be read: {why}"),
            Self::Notebook => f.write_str("the text of a notebook is not put together"),
        }
    }
}

impl std::error::Error for NoEdit {}

impl From<NoEdit> for Error {
    fn from(no_edit: NoEdit) -> Self {
        Self::msg(no_edit)
    }
}

#[cfg(test)]
mod tests;
