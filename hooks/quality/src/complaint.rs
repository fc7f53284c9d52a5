//! The error messages of tools, as the model reads them.

use crate::prelude::*;

/// Exit code of a version manager's shim if the program for it is not installed.
const NOT_FOUND: i32 = 127;

/// Returns the beginning of a failed tool's message; `None` if the tool succeeded. Tools print the first error first.
pub(crate) fn complaint(output: &Output) -> Option<String> {
    if output.status.success() || is_missing(output) {
        return None;
    }
    let (stdout, stderr) = (output.stdout_text(), output.stderr_text());
    let text = if stderr.is_empty() { stdout } else { stderr };
    Some(match text.trim() {
        "" => format!("it printed nothing ({})", output.status),
        text => head(text),
    })
}

/// Returns `true` if only a shim was run, because the tool is not installed.
pub(crate) fn is_missing(output: &Output) -> bool {
    output.status.code() == Some(NOT_FOUND)
}

/// Maximum length of a message, well below the 10,000 characters at which the client puts a context into a file (client
/// 2.1.330).
const MAX_CHARACTERS: usize = 4_000;

/// Returns the beginning of a text.
pub(crate) fn head(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARACTERS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}\n[the rest is left out]", &text[..end]),
    }
}
