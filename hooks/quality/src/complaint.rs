//! The complaints of a tool, as the model reads them.

use hookkit::process::Output;

/// Exit code of a version manager's shim when the program behind it is not installed.
const NOT_FOUND: i32 = 127;

/// The beginning of what a tool says that has failed, if it has: tools tell the first error first.
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

/// Returns `true` if it was only a stub for the tool, which is not there.
pub(crate) fn is_missing(output: &Output) -> bool {
    output.status.code() == Some(NOT_FOUND)
}

/// Well below the 10,000 characters at which the client puts a context into a file (client 2.1.330).
const MAX_CHARACTERS: usize = 4_000;

/// Returns the beginning of a text.
pub(crate) fn head(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARACTERS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}\n[the rest is left out]", &text[..end]),
    }
}
