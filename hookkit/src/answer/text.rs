//! Text with a policy for lengths that the client does not accept.

use std::borrow::Cow;
use std::path::{Path, PathBuf, absolute};
use std::process;
use std::{fmt, fs};

pub(super) use hookkit_protocol::output::TEXT_LIMIT as LIMIT;

use crate::Error;

/// Text for the model or the user, with a policy for text that is longer than the client accepts.
///
/// The client counts UTF-16 units, as JavaScript does: one for most characters, two for an emoji.
/// It writes a context, a message or a first prompt of more than 10,000 units to a file of its own, and passes on only
/// the path and the first 2,000 units (client 2.1.330).
/// hookkit therefore cuts a longer text itself, with a note at the end that gives the number of omitted characters.
///
/// A string converts to a text. [`spilled`](Self::spilled) and [`or_error`](Self::or_error) have other policies:
///
/// ```no_run
/// use hookkit::answer::Text;
/// use hookkit::prelude::*;
///
/// /// Reports the linter's output to the model, whatever its length.
/// #[hook(PostToolUse)]
/// pub fn lint(call: PostToolUse<tool::FileChange>, context: Context) -> Result<PostToolUseAnswer, Error> {
///     let output = std::process::Command::new("lint").arg(&call.input.file_path).output()?;
///     let found = String::from_utf8_lossy(&output.stdout);
///     let file = context.project_dir.join(".claude/lint.txt");
///     Ok(PostToolUseAnswer::pass().with_context(Text::spilled(found, file)))
/// }
/// # fn main() {}
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    text: String,
    excess: Excess,
}

/// The policy for a text that is too long.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Excess {
    Cut(Shorten),
    Spilled(PathBuf, Shorten),
    Error(Shorten),
}

impl Default for Excess {
    fn default() -> Self {
        Self::Cut(Shorten(cut_off))
    }
}

/// A function that shortens a text of `count` units to `limit` units. A hook links only the functions that it uses.
#[derive(Clone, Copy)]
struct Shorten(fn(text: &str, count: usize, limit: usize, path: &Path) -> Result<String, Error>);

/// Each variant of [`Excess`] has its own function, so comparing the variants is enough.
impl PartialEq for Shorten {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Shorten {}

impl fmt::Debug for Shorten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shorten")
    }
}

impl Text {
    /// Creates a text that is written to a file if it is too long. The answer then has its beginning and a note that
    /// names the file.
    ///
    /// The file's folder must exist. The file is replaced atomically. A text that is short enough does not change the file.
    pub fn spilled(text: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { text: text.into(), excess: Excess::Spilled(path.into(), Shorten(spill)) }
    }

    /// Creates a text that makes the hook fail if it is too long: the hook's failure policy then decides.
    pub fn or_error(text: impl Into<String>) -> Self {
        Self { text: text.into(), excess: Excess::Error(Shorten(reject)) }
    }

    /// Returns the full text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text as sent in the answer, with at most `limit` UTF-16 units.
    pub(super) fn within(&self, limit: usize) -> Result<Cow<'_, str>, Error> {
        // No character has more units than bytes.
        if self.text.len() <= limit {
            return Ok(Cow::Borrowed(&self.text));
        }
        self.shortened(limit)
    }

    #[cold]
    fn shortened(&self, limit: usize) -> Result<Cow<'_, str>, Error> {
        let Self { text, excess } = self;
        let count = units(text);
        if count <= limit {
            return Ok(Cow::Borrowed(text));
        }
        let (path, Shorten(shorten)) = match excess {
            Excess::Cut(shorten) | Excess::Error(shorten) => (Path::new(""), shorten),
            Excess::Spilled(path, shorten) => (path.as_path(), shorten),
        };
        Ok(Cow::Owned(shorten(text, count, limit, path)?))
    }
}

/// Cuts a text.
#[expect(clippy::unnecessary_wraps, reason = "the type of `Shorten`")]
fn cut_off(text: &str, count: usize, limit: usize, _: &Path) -> Result<String, Error> {
    Ok(cut(text, count, limit, " are left out"))
}

/// Rejects a text.
fn reject(_: &str, count: usize, limit: usize, _: &Path) -> Result<String, Error> {
    Err(Error::msg(format_args!("text too long: {count} UTF-16 units, but the client accepts {limit}")))
}

/// Writes a text of `count` units to a file and returns its beginning with a note that names the file.
fn spill(text: &str, count: usize, limit: usize, path: &Path) -> Result<String, Error> {
    let path = write(path, text).map_err(|err| {
        let path = path.display();
        Error::msg(format_args!("cannot write the full text to {path}: {err}"))
    })?;
    let cut = cut(text, count, limit, &format!("; the full text is in {}", path.display()));
    if units(&cut) > limit {
        return Err(Error::msg("the path of the file for a long text is too long"));
    }
    Ok(cut)
}

/// Returns the beginning of a text of `count` units, and a note with the number of omitted units and `more`.
fn cut(text: &str, count: usize, limit: usize, more: &str) -> String {
    let note = |left: usize| format!("\n[cut here: {left} more characters{more}]");
    // The actual note is not longer than this one, since fewer units are omitted.
    let room = limit.saturating_sub(units(&note(count)));
    let (mut kept, mut end) = (0, 0);
    for character in text.chars() {
        if kept + character.len_utf16() > room {
            break;
        }
        kept += character.len_utf16();
        end += character.len_utf8();
    }
    text[..end].to_owned() + &note(count - kept)
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Replaces a file atomically. Returns its absolute path.
fn write(path: &Path, text: &str) -> std::io::Result<PathBuf> {
    let path = absolute(path)?;
    let mut temporary = path.clone().into_os_string();
    // Another hook may write to the same file.
    temporary.push(format!(".{}.tmp", process::id()));
    let written = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, &path));
    if written.is_err() {
        // A part of the file may have been written.
        let _ = fs::remove_file(&temporary);
    }
    written.map(|()| path)
}

macro_rules! from {
    ($($string:ty)*) => {$(
        impl From<$string> for Text {
            fn from(text: $string) -> Self {
                Self { text: text.into(), excess: Excess::default() }
            }
        }
    )*};
}

from! { String &str &String Box<str> Cow<'_, str> }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_counted_in_utf_16_units() {
        for (text, limit) in [("abc", 3), ("größe", 5), ("🦀🦀", 4), ("", 0)] {
            assert_eq!(Text::from(text).within(limit).unwrap(), text);
            assert_eq!(Text::or_error(text).within(limit).unwrap(), text);
        }
        assert!(Text::or_error("🦀🦀").within(3).is_err());
    }

    #[test]
    fn a_cut_counts_omitted_units_and_splits_no_character() {
        for (character, units_of_one) in [('a', 1), ('ö', 1), ('€', 1), ('🦀', 2)] {
            for limit in 60..64 {
                let text = character.to_string().repeat(500);
                let cut = Text::from(text.as_str()).within(limit).unwrap().into_owned();
                assert!(units(&cut) <= limit && units(&cut) + 3 >= limit, "{cut}");
                let (kept, note) = cut.split_once('\n').unwrap();
                assert!(text.starts_with(kept));
                let left = (500 - kept.chars().count()) * units_of_one;
                assert_eq!(note, format!("[cut here: {left} more characters are left out]"));
            }
        }
    }

    #[test]
    fn a_spilled_text_is_in_its_file_only() {
        let folder = test_support::folder();
        let file = folder.path().join("all.txt");
        let short = Text::spilled("short", &file).within(LIMIT).unwrap().into_owned();
        assert_eq!(short, "short");
        assert!(!file.exists());

        let text = "0123456789\n".repeat(1_000);
        let cut = Text::spilled(text.as_str(), &file).within(LIMIT).unwrap().into_owned();
        assert!(cut.len() <= LIMIT && cut.ends_with(&format!("the full text is in {}]", file.display())));
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

        let nowhere = folder.path().join("none/all.txt");
        assert!(Text::spilled(text, nowhere).within(LIMIT).is_err());
    }
}
