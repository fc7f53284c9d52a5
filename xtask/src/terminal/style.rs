//! Styles of output: bold, dimmed, and the basic colors, which a terminal makes readable on light and dark backgrounds.
//!
//! Yellow is never bold. Many terminals show bold yellow as bright yellow, which is unreadable on white.

use anstyle::{AnsiColor, Style};

/// No style.
pub(crate) const PLAIN: Style = Style::new();
/// A section title, and the name of a hook.
pub(crate) const BOLD: Style = Style::new().bold();
/// The least important text.
pub(crate) const DIMMED: Style = Style::new().dimmed();
/// A path.
pub(crate) const PATH: Style = AnsiColor::Cyan.on_default();
/// A command to type, and a fix.
pub(crate) const COMMAND: Style = BOLD;
/// A desired state, and the head of a fix.
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
/// The verb of a line about work that is done or in progress.
pub(crate) const DONE: Style = AnsiColor::Green.on_default().bold();
