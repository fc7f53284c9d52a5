//! Changes to text files: the text added, the text removed, and the content of the file afterwards.
//!
//! The docs describe the behavior of client 2.1.330.
//!
//! The client changes the model's text before it calls a hook. It trims whitespace at the ends of lines added to files
//! other than `.md`. It expands names that it had shortened for the model (`<fnr>`, `H:`). It replaces `\uXXXX` with
//! its character, or the reverse, if the file has only the other form. The texts of a hook's input are therefore the
//! ones that the client writes. The texts in a [transcript](crate::transcript) are as the model wrote them: an edit
//! from a transcript may have another result, or fail.

use std::borrow::Cow;
use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use crate::path::is_blank;
use crate::tool::{CellEdit, Edit, NotDecoded, NotebookEdit, Write};
use crate::{Context, Error, ToolInput, bounded};

/// Input of [`Write`], [`Edit`] or [`NotebookEdit`], for a hook that checks the added text of any of these tools.
///
/// These are the client's tools that change files. A hook that guards files also takes this type, for its
/// [`path`](Self::path): [`FileChange`](crate::tool::FileChange) keeps no text, but does not include changes to
/// notebooks.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Keeps keys out of files.
/// #[hook(PreToolUse)]
/// pub fn no_keys(call: PreToolUse<tool::TextChange>) -> PreToolUseAnswer {
///     if call.input.added_text().contains("-----BEGIN PRIVATE KEY-----") {
///         PreToolUseAnswer::deny("this text contains a private key: read it from a file that is not committed")
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
    /// A write of a whole file.
    Write(Write),
    /// A replacement of text in a file.
    Edit(Edit),
    /// A change to a cell of a notebook.
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
    /// Returns the path of the file as given in the input. [`Context::path`] resolves it.
    pub fn path(&self) -> &Path {
        match self {
            Self::Write(write) => &write.file_path,
            Self::Edit(edit) => &edit.file_path,
            Self::NotebookEdit(edit) => &edit.notebook_path,
        }
    }

    /// Returns the added text: the whole file of a [`Write`], the `new_string` of an [`Edit`], the new source of a
    /// notebook's cell; empty if a cell is deleted.
    ///
    /// With an edit, the text next to `new_string` in the file may complete it. To detect that, check
    /// [`text_after`](Self::text_after).
    pub fn added_text(&self) -> &str {
        match self {
            Self::Write(write) => &write.content,
            Self::Edit(edit) => &edit.new_string,
            Self::NotebookEdit(edit) if edit.edit_mode == Some(CellEdit::Delete) => "",
            Self::NotebookEdit(edit) => &edit.new_source,
        }
    }

    /// Returns the removed text of an [`Edit`], which may be removed in several places (`replace_all`).
    ///
    /// `None` for the other tools. A [`Write`] removes the current content of the file
    /// ([`text_before`](Self::text_before)).
    pub fn removed_text(&self) -> Option<&str> {
        match self {
            Self::Edit(edit) => Some(&edit.old_string),
            Self::Write(_) | Self::NotebookEdit(_) => None,
        }
    }

    /// Reads the file: before the change on PreToolUse, after it on PostToolUse. `None` if there is no file.
    ///
    /// # Errors
    ///
    /// Fails with [`Unreadable`](NoEdit::Unreadable) or [`NotText`](NoEdit::NotText).
    pub fn text_before(&self, context: &Context) -> Result<Option<String>, NoEdit> {
        read(&context.absolute(self.path()))
    }

    /// Returns the content of the file after the change.
    ///
    /// Use it on PreToolUse: on PostToolUse, the file has been changed already.
    ///
    /// For a [`Write`], this is its `content`, without the byte order mark that the client keeps if the file has one.
    /// For an [`Edit`], the file is read: see [`Edit::text_after`].
    ///
    /// # Errors
    ///
    /// Fails with the reason, a [`NoEdit`], if the change will fail. Always fails for a [`NotebookEdit`].
    pub fn text_after(&self, context: &Context) -> Result<Cow<'_, str>, NoEdit> {
        match self {
            Self::Write(write) => Ok(Cow::Borrowed(&write.content)),
            Self::Edit(edit) => edit.text_after(context).map(Cow::Owned),
            Self::NotebookEdit(_) => Err(NoEdit::Notebook),
        }
    }
}

impl Edit {
    /// Reads the file and returns its content after the edit.
    ///
    /// A symbolic link is followed. The client then refuses to write there, and reports the link's target to the model.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Keeps JSON files valid.
    /// #[hook(PreToolUse, matcher = "Edit")]
    /// pub fn valid_json(call: PreToolUse<tool::Edit>, context: Context) -> Result<PreToolUseAnswer, Error> {
    ///     if call.input.file_path.extension().is_none_or(|end| end != "json") {
    ///         return Ok(PreToolUseAnswer::pass());
    ///     }
    ///     let after = call.input.text_after(&context)?;
    ///     Ok(match serde_json::from_str::<serde::de::IgnoredAny>(&after) {
    ///         Ok(_) => PreToolUseAnswer::pass(),
    ///         Err(err) => PreToolUseAnswer::deny(format!("after this edit the file is not valid JSON: {err}")),
    ///     })
    /// }
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    ///
    /// Fails with the reason, a [`NoEdit`], if the client also refuses the edit.
    pub fn text_after(&self, context: &Context) -> Result<String, NoEdit> {
        let text = read(&context.absolute(&self.file_path))?;
        if text.is_none() && !self.old_string.is_empty() {
            return Err(NoEdit::NoFile);
        }
        self.apply(text.as_deref().unwrap_or_default())
    }

    /// Applies the edit to the text of a file, as the client does it, and returns the result.
    ///
    /// - The text is searched with `\n` line endings. The result has the line endings of the file: `\r\n` everywhere if
    ///   more than half of the line endings in its first 4,096 characters (UTF-16 units) are `\r\n`, otherwise `\n`.
    ///   An `old_string` with `\r\n` is never found. A `\r\n` in `new_string` is kept, even in a file with `\n`.
    /// - An empty `old_string` fills a file that does not exist, is empty or has only whitespace.
    /// - If `new_string` is empty and `old_string` occurs at the end of a line, the line ending is removed, too. With
    ///   `replace_all`, any occurrences that are not at the end of a line are then kept.
    /// - `$` has no special meaning in `new_string`.
    /// - A byte order mark at the start of the text is kept, and is never found.
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
    /// Fails with [`Unchanged`](NoEdit::Unchanged), [`NotFound`](NoEdit::NotFound), [`Ambiguous`](NoEdit::Ambiguous),
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
            self.replace(&text)?
        };
        if !is_crlf {
            return Ok(format!("{mark}{after}"));
        }
        Ok(format!("{mark}{}", after.replace("\r\n", "\n").replace('\n', "\r\n")))
    }

    fn replace(&self, text: &str) -> Result<String, NoEdit> {
        match text.matches(&self.old_string).count() {
            0 => return Err(NoEdit::NotFound),
            1 => {}
            _ if self.replace_all => {}
            count => return Err(NoEdit::Ambiguous(count)),
        }
        let line = format!("{}\n", self.old_string);
        let removes_line_end = self.new_string.is_empty() && !self.old_string.ends_with('\n') && text.contains(&line);
        let old = if removes_line_end { &line } else { &self.old_string };
        let limit = if self.replace_all { usize::MAX } else { 1 };
        Ok(text.replacen(old, &self.new_string, limit))
    }
}

/// Number of bytes that the client searches for a NUL: a file with a NUL there is binary.
const BINARY_SAMPLE: usize = 8 << 10;

/// Returns `true` if the client writes `\r\n` line endings to a file with this text.
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

/// Maximum size of a file that is read, the same as the limit for a payload.
const MAX_SIZE: u64 = 128 << 20;

/// Reads a file as text. `None` if there is no file.
fn read(path: &Path) -> Result<Option<String>, NoEdit> {
    let bytes = match bounded::read(path, MAX_SIZE) {
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

/// The reason why an edit has no resulting text.
///
/// The client detects most of these errors itself, and then does not raise PreToolUse. A hook gets those errors in a
/// test, or if the file has changed in the meantime. `?` converts a `NoEdit` to an [`Error`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoEdit {
    /// The old text and the new text are the same.
    Unchanged,
    /// The old text is not in the file.
    ///
    /// The client then searches again and treats curly quotes as straight ones. If it finds the text that way, it also
    /// writes curly quotes. This search is not implemented here.
    NotFound,
    /// The old text occurs this many times in the file, and `replace_all` is not set.
    Ambiguous(usize),
    /// The file does not exist, and the old text is not empty.
    NoFile,
    /// The old text is empty, but the file is not.
    NotEmpty,
    /// The file is neither UTF-8 nor UTF-16 (little endian with a byte order mark), or it has a NUL in its first 8 KB.
    NotText,
    /// The file cannot be read, is larger than 128 MiB, or is a folder, a pipe or a device. The text is the reason.
    Unreadable(String),
    /// The file is a notebook, for which edits are not implemented here.
    Notebook,
}

impl fmt::Display for NoEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unchanged => f.write_str("`old_string` and `new_string` are the same"),
            Self::NotFound => f.write_str("`old_string` is not in the file"),
            Self::Ambiguous(times) => write!(f, "`old_string` occurs {times} times in the file"),
            Self::NoFile => f.write_str("the file to edit does not exist"),
            Self::NotEmpty => f.write_str("`old_string` is empty, but the file is not"),
            Self::NotText => f.write_str("the file to edit is not a text file"),
            Self::Unreadable(why) => write!(f, "the file to edit cannot be read: {why}"),
            Self::Notebook => f.write_str("the text of a notebook after an edit is not available"),
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
