//! The styles of output: bold, dimmed, and the basic colors. A terminal shows these so that they can be read on its
//! background, whether light or dark.
//!
//! Yellow is never bold. Many terminals show bold yellow as bright yellow, which cannot be read on white.

use anstyle::{AnsiColor, Style};

/// No style.
pub(crate) const PLAIN: Style = Style::new();
/// The head of a section, and the name of a hook.
pub(crate) const BOLD: Style = Style::new().bold();
/// Text that is least important.
pub(crate) const DIMMED: Style = Style::new().dimmed();
/// A path.
pub(crate) const PATH: Style = AnsiColor::Cyan.on_default();
/// A command to type, and a fix.
pub(crate) const COMMAND: Style = BOLD;
/// A state as wanted, and the head of a fix.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// A state that needs attention, and the head of a warning.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default();
/// A failure, and the head of an error.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The head of a note.
pub(crate) const NOTE: Style = AnsiColor::Blue.on_default();
/// An added line.
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
/// A removed line.
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
/// The verb at the start of a line about work that is done or in progress.
pub(crate) const DONE: Style = AnsiColor::Green.on_default().bold();
