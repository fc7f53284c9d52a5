//! Files from which a command prints only the names of variables: `cut -d= -f1 .env`.

use super::Look;
use crate::effects::mentions::fits_names;
use crate::files::output::takes_names;
use crate::prelude::*;

/// Maximum length of a file to read, in bytes; a longer file may have any lines.
const LONGEST: u64 = 1 << 16;

impl Look<'_> {
    /// Returns `true` if a command only prints the part before the `=` of each line of a file, and each line has an
    /// `=`. Other lines would be the rest of a value.
    pub(super) fn shows_names(&self, command: &Command, file: &str) -> bool {
        let is_flat = |text: String| {
            text.lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .all(|line| line.starts_with('#') || line.split_once('=').is_some_and(|(name, _)| is_name(name)))
        };
        prints_names(command, file)
            && self
                .folders
                .contexts
                .iter()
                .all(|context| bounded::text(&context.absolute(file), LONGEST).is_ok_and(is_flat))
    }
}

fn is_name(text: &str) -> bool {
    let name = text.strip_prefix("export ").unwrap_or(text).trim_end();
    !name.is_empty() && has_only(name, "_")
}

/// Returns `true` for a command that prints at most the part before the `=` of each line of a file.
fn prints_names(command: &Command, file: &str) -> bool {
    /// Maximum number of words: each name in a command is judged.
    const MOST: usize = 6;
    if command.words.len() > MOST {
        return false;
    }
    let words = Word::literals(command.arguments());
    let Some((last, options)) = words.as_ref().and_then(|words| words.split_last()) else {
        return false;
    };
    *last == file
        && match (command.name(), options) {
            (Some("grep"), ["-oE" | "-Eo", pattern]) => pattern.strip_prefix('^').is_some_and(fits_names),
            (Some(program), options) => takes_names(program, options),
            _ => false,
        }
}
