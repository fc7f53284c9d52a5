//! Colors and width of stdout and stderr.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use anstream::{AutoStream, ColorChoice};

use super::text::Text;
use super::width::columns;

/// Returns `true` if stderr has colors: on a terminal, unless `NO_COLOR`, `CLICOLOR` or `TERM` say otherwise; elsewhere
/// if `CLICOLOR_FORCE` says so.
pub(crate) fn has_colours() -> bool {
    AutoStream::choice(&io::stderr()) != ColorChoice::Never
}

/// Prints a result, with a line end.
///
/// A reader that went away is not an error: `cargo xtask list | head -1` is a fair question.
pub(super) fn to_stdout(text: &Text) -> io::Result<()> {
    let text = text.render(columns(io::stdout()));
    match writeln!(anstream::stdout(), "{}", text.trim_end_matches('\n')) {
        Err(err) if err.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Prints something next to the result.
pub(super) fn to_stderr(text: &Text) {
    pass_on(text.render(columns(io::stderr())));
}

/// Passes on cargo's output, with its line end, and in color if stderr has colors.
pub(super) fn pass_on(what: impl Display) {
    // With stderr closed, the error has no reader.
    let _ = write!(anstream::stderr(), "{what}");
}

/// Replaces the last line of stderr, a terminal. An empty line removes it.
pub(super) fn redraw(line: &str) {
    const ERASE_LINE: &str = "\r\x1b[2K";
    let _ = write!(io::stderr(), "{ERASE_LINE}{line}").and_then(|()| io::stderr().flush());
}
