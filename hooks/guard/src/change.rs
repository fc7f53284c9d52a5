//! Calls that write text, and calls of servers and of the web, by what they name.

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

/// Something that a call of a server's tool, or of the web, names.
pub(crate) enum Named {
    /// A line for a shell.
    Line(String),
    /// An address of the web.
    Address(String),
    /// The name of a file, perhaps.
    Path(String),
}

/// Returns `true` for a tool of a server, and for the one that fetches from the web.
pub(crate) fn is_outside(tool_name: &str) -> bool {
    tool_name == "WebFetch" || tool_name.starts_with("mcp__")
}

/// Returns what a call of such a tool names; nothing for other tools, which a hook for several of them may get.
pub(crate) fn named(tool_name: &str, input: &Json) -> impl Iterator<Item = Named> {
    /// More are not looked at.
    const MOST: usize = 1_000;
    let strings = if is_outside(tool_name) {
        input.strings()
    } else {
        Vec::new()
    };
    strings.into_iter().take(MOST).filter_map(|(name, text)| match &*name {
        "cmd" | "command" | "commands" | "script" => Some(Named::Line(text)),
        name => {
            let text = text.strip_prefix("file://").unwrap_or(&text);
            let is_path = text.contains(['.', '/']) || name.contains("file") || name.contains("path");
            match text.contains(char::is_whitespace) || text.len() > 4096 {
                true => None,
                false if text.contains("://") => Some(Named::Address(text.to_owned())),
                false => is_path.then(|| Named::Path(text.to_owned())),
            }
        }
    })
}
