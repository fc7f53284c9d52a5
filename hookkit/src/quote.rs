//! Quotes texts for shells.

use std::borrow::Cow;

/// A single quote inside single quotes.
pub(crate) const QUOTE: &str = "'\\''";

/// Quotes a text as a word for a shell.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', QUOTE))
}

/// Returns a text as one word of a shell command line, quoted unless it has only ASCII letters, digits and `/._-+@%`.
/// An empty text is quoted.
///
/// Use this for a command that the model or the user should run. A program that the hook itself runs needs no shell:
/// [`Command`](crate::process::Command) passes its arguments unchanged. The quotes are for POSIX shells.
///
/// ```
/// use hookkit::process::shell_word;
///
/// assert_eq!(format!("cargo fmt -- {}", shell_word("src/lib.rs")), "cargo fmt -- src/lib.rs");
/// assert_eq!(format!("rm -- {}", shell_word("it's $HOME")), r"rm -- 'it'\''s $HOME'");
/// ```
///
/// A word that begins with `-` is an option for most programs: put `--` before it.
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "/._-+@%".contains(char);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.into(),
        false => quoted(text).into(),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::process::Command;

    #[test]
    fn a_shell_reads_each_text_as_one_word() {
        let every: String = (1..=0x17f_u32).filter_map(char::from_u32).collect();
        let hostile =
            ["", "a b", "'", "''", "$(id)", "`id`", "~", "*", "A=1", "!x", "#", "\n", "\\", "ä", "-n", &every];
        for shell in ["sh", "bash"] {
            for text in hostile {
                let line = format!("printf '%s|' {} x", shell_word(text));
                let output = match Command::new(shell).arg("-c").arg(line).output() {
                    Err(err) if err.kind() == std::io::ErrorKind::NotFound => break,
                    output => output.unwrap(),
                };
                assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{text}|x|"), "{shell}");
            }
        }
    }

    #[test]
    fn plain_words_are_left_as_they_are() {
        let expected = "/home/me/.config/a-b_c+d@e%20";
        assert_eq!(shell_word("/home/me/.config/a-b_c+d@e%20"), expected);
        assert_eq!(shell_word(""), "''");
    }
}
