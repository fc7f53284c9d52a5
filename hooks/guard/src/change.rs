//! Calls that write text, and calls of servers and of the web, by what they name.

use hookkit::prelude::*;
use hookkit::process::shell_word;
use hookkit::shell::programs::table::lists;
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
    /// The name of a folder that the tool works in, or moves something into, perhaps.
    Folder(String),
}

/// Returns `true` for a tool of a server, and for the one that fetches from the web.
pub(crate) fn is_outside(tool_name: &str) -> bool {
    tool_name == "WebFetch" || tool_name.starts_with("mcp__")
}

/// Returns what a call of such a tool names; nothing for other tools, which a hook for several of them may get.
///
/// A list of words is a command, as is a command with a list of its arguments. It runs in the folder of the call.
pub(crate) fn named(tool_name: &str, input: &Json) -> impl Iterator<Item = Named> {
    /// More are not looked at.
    const MOST: usize = 1_000;
    const LINES: &str = "commands script";
    const COMMANDS: &str = "argv cmd command";
    const FOLDERS: [&str; 6] = ["cwd", "dest", "project", "repo", "root", "work"];
    let mut strings = match is_outside(tool_name) {
        true => input.strings(),
        false => Vec::new(),
    };
    strings.truncate(MOST);
    let has = |name: &str, parts: &[&str]| parts.iter().any(|part| name.to_lowercase().contains(part));
    let has_line = strings
        .iter()
        .any(|(name, _)| lists(LINES, name) || lists(COMMANDS, name));
    let (mut lines, mut commands, mut words) = (Vec::new(), Vec::new(), Vec::new());
    let (mut others, mut folder) = (Vec::new(), None);
    for (name, text) in strings {
        let path = text.strip_prefix("file://").unwrap_or(&text);
        let is_path = path.contains(['.', '/']) || name.contains("file") || name.contains("path");
        if lists(LINES, &name) {
            lines.push(text);
        } else if lists(COMMANDS, &name) {
            commands.push(text);
        } else if has_line && lists("args arguments", &name) {
            words.push(text);
        } else if has_line && has(&name, &["cwd", "dir", "folder"]) {
            folder = folder.or(Some(path.to_owned()));
        } else if !path.contains(char::is_whitespace) && path.len() <= 4096 {
            let path = path.to_owned();
            others.extend(match () {
                () if path.contains("://") => Some(Named::Address(path)),
                () if !is_path || lists("labels q query", &name) => None,
                () if has(&name, &FOLDERS) => Some(Named::Folder(path)),
                () => Some(Named::Path(path)),
            });
        }
    }
    match &commands[..] {
        [first, _, ..] if first.contains(char::is_whitespace) => lines.append(&mut commands),
        [first, rest @ ..] => {
            let rest = rest.iter().chain(&words).map(|word| format!(" {}", shell_word(word)));
            lines.push(first.clone() + &rest.collect::<String>());
        }
        [] => {}
    }
    let there = folder.map_or(String::new(), |folder| match folder.strip_prefix("~/") {
        Some(rest) => format!("cd ~/{} || exit\n", shell_word(rest)),
        None => format!("cd {} || exit\n", shell_word(&folder)),
    });
    let lines = lines.into_iter().map(move |line| Named::Line(format!("{there}{line}")));
    lines.chain(others)
}
