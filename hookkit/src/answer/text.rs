//! Text that the client shortens if it is too long.

use std::borrow::Cow;
use std::path::{Path, PathBuf, absolute};
use std::process;
use std::{fmt, fs};

pub(super) use hookkit_protocol::output::TEXT_LIMIT as LIMIT;

use crate::Error;

/// Text for the model or the user, and the outcome if it is longer than the client takes.
///
/// The client counts UTF-16 units, as JavaScript does: most characters are one, an emoji is two.
/// Of a context, a message or a first prompt of more than 10,000 units it keeps the whole in a file of its own, and
/// gives the path and the first 2,000 (client 2.1.330).
/// So that nothing is lost without a note, a longer text is cut before, with a note at its end that says how much is left
/// out.
///
/// A string becomes a text by itself; [`spilled`](Self::spilled) and [`or_error`](Self::or_error) do something else than
/// the cut:
///
/// ```no_run
/// use hookkit::answer::Text;
/// use hookkit::prelude::*;
///
/// /// Reports all findings of the linter to the model.
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

/// The outcome of a text that is too long.
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

/// A way to shorten a text of `count` units to `limit` of them. A hook links only the ways that its texts have.
#[derive(Clone, Copy)]
struct Shorten(fn(text: &str, count: usize, limit: usize, path: &Path) -> Result<String, Error>);

/// Each variant has one.
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
    /// A text that is written to a file as a whole if it is too long. Its beginning goes out then, with a note at its end
    /// that names the file.
    ///
    /// The file's folder has to exist. The text is written next to the file and replaces it at once, so that no reader gets
    /// half of it. A text that is short enough leaves the file as it is.
    pub fn spilled(text: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self {
            text: text.into(),
            excess: Excess::Spilled(path.into(), Shorten(spill)),
        }
    }

    /// A text that makes the hook fail if it is too long: the hook's failure policy then decides.
    pub fn or_error(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            excess: Excess::Error(Shorten(deny)),
        }
    }

    /// Returns the whole text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text that goes out, of `limit` UTF-16 units at most.
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
#[expect(clippy::unnecessary_wraps, reason = "the type of all ways")]
fn cut_off(text: &str, count: usize, limit: usize, _: &Path) -> Result<String, Error> {
    Ok(cut(text, count, limit, " are left out"))
}

/// Denies a text.
fn deny(_: &str, count: usize, limit: usize, _: &Path) -> Result<String, Error> {
    Err(Error::msg(format_args!(
        "a text has {count} UTF-16 units; the client takes {limit}"
    )))
}

/// Writes a text of `count` units to a file, and returns its beginning and where the whole is.
fn spill(text: &str, count: usize, limit: usize, path: &Path) -> Result<String, Error> {
    let path = write(path, text).map_err(|err| {
        let path = path.display();
        Error::msg(format_args!(
            "a text that is too long cannot be written to {path}: {err}"
        ))
    })?;
    let cut = cut(text, count, limit, &format!("; all of it is in {}", path.display()));
    if units(&cut) > limit {
        return Err(Error::msg("the path of a text that is too long is too long itself"));
    }
    Ok(cut)
}

/// Returns the beginning of a text of `count` units, and a note of how many are left out and what became of them.
fn cut(text: &str, count: usize, limit: usize, what_became: &str) -> String {
    let note = |left: usize| format!("\n[cut here: {left} more characters{what_became}]");
    // Fewer are left out than there are, so that the note is no longer than this.
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

/// Writes a file at once: a reader gets the old text or the new one. Returns the file's absolute path.
fn write(path: &Path, text: &str) -> std::io::Result<PathBuf> {
    let path = absolute(path)?;
    let mut temporary = path.clone().into_os_string();
    // Another hook may write to the same file.
    temporary.push(format!(".{}.tmp", process::id()));
    let written = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, &path));
    if written.is_err() {
        // Of a file that could not be written there may be a part.
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
    fn a_text_is_as_long_as_javascript_says() {
        for (text, limit) in [("abc", 3), ("größe", 5), ("🦀🦀", 4), ("", 0)] {
            assert_eq!(Text::from(text).within(limit).unwrap(), text);
            assert_eq!(Text::or_error(text).within(limit).unwrap(), text);
        }
        assert!(Text::or_error("🦀🦀").within(3).is_err());
    }

    #[test]
    fn what_is_cut_is_counted_and_nothing_is_cut_in_two() {
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
    fn what_is_spilled_is_whole_in_its_file_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("all.txt");
        let short = Text::spilled("short", &file).within(LIMIT).unwrap().into_owned();
        assert_eq!(short, "short");
        assert!(!file.exists());

        let text = "0123456789\n".repeat(1_000);
        let cut = Text::spilled(text.as_str(), &file).within(LIMIT).unwrap().into_owned();
        assert!(cut.len() <= LIMIT && cut.ends_with(&format!("all of it is in {}]", file.display())));
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

        let nowhere = folder.path().join("none/all.txt");
        assert!(Text::spilled(text, nowhere).within(LIMIT).is_err());
    }
}
