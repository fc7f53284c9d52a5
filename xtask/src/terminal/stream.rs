//! Colors and width of stdout and stderr.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use anstream::{AutoStream, ColorChoice};

use super::text::Text;
use super::width::columns;

/// Returns `true` if stderr has colors. A terminal has colors, unless `NO_COLOR`, `CLICOLOR` or `TERM` prevent them.
/// Other outputs have colors only with `CLICOLOR_FORCE`.
pub(crate) fn has_colours() -> bool {
    AutoStream::choice(&io::stderr()) != ColorChoice::Never
}

/// Prints a result and a line end.
///
/// It is not an error if the reader stops early, as in `cargo xtask list | head -1`.
pub(super) fn to_stdout(text: &Text) -> io::Result<()> {
    let text = text.render(columns(io::stdout()));
    match writeln!(anstream::stdout(), "{}", text.trim_end_matches('\n')) {
        Err(err) if err.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Prints a message that is not part of the result.
pub(super) fn to_stderr(text: &Text) {
    inform_all(text.render(columns(io::stderr())));
}

/// Passes on cargo's output, including its line end, with colors if stderr has them.
pub(crate) fn inform_all(what: impl Display) {
    // If stderr is closed, the error has no reader.
    let _ = write!(anstream::stderr(), "{what}");
}

/// Replaces the last line on stderr, which must be a terminal. An empty line removes it.
pub(super) fn redraw(line: &str) {
    const ERASE_LINE: &str = "\r\x1b[2K";
    let _ = write!(io::stderr(), "{ERASE_LINE}{line}").and_then(|()| io::stderr().flush());
}
