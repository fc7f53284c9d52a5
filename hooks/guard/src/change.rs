//! Calls that write text.

use hookkit::prelude::*;
use hookkit::tool::TextChange;

/// A call that writes text into a file, or gives a command to a shell.
#[derive(Debug, Clone, ToolInput)]
pub enum Change {
    /// The text of one file.
    Text(TextChange),
    /// A command, which may change any file.
    Bash(tool::Bash),
    /// A command of PowerShell.
    PowerShell(tool::PowerShell),
}
