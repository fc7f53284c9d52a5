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
    const LINES: &str = "bash cli cmd cmdline command commands keys line script shell sh zsh";
    const TEXTS: &str = "body comment description labels q query subject summary text title";
    const FOLDERS: &str = "cwd dest destination project repo root work workdir working workspace";
    const BASES: &str = "cwd dir directory folder workdir";
    let mut strings = match is_outside(tool_name) {
        true => input.strings(),
        false => Vec::new(),
    };
    strings.truncate(MOST);
    let has = |name: &str, list: &str| name_words(name).split(['_', '-']).any(|word| lists(list, word));
    let has_line = strings.iter().any(|(name, _)| has(name, LINES) || name == "argv");
    let (mut lines, mut commands, mut words) = (Vec::new(), Vec::new(), Vec::new());
    let (mut others, mut folder) = (Vec::new(), None::<String>);
    for (name, text) in strings {
        let path = text.strip_prefix("file://").unwrap_or(&text).trim();
        let is_path = path.contains(['.', '/']) || has(&name, "file filename name path paths") || has(&name, BASES);
        let is_code = has(&name, "code") && path.contains(['(', ' ']);
        if matches!(&*name, "argv" | "cmd" | "command") {
            commands.push(text);
        } else if has(&name, LINES) && (path.contains(char::is_whitespace) || !is_path) {
            lines.push(text);
        } else if is_code {
            // The tables of functions are of all languages.
            let is_shell = has(tool_name, "bash console shell terminal");
            lines.push(if is_shell {
                text
            } else {
                format!("python3 -c {}", shell_word(&text))
            });
        } else if has_line && lists("args arguments", &name) {
            words.push(text);
        } else if path.contains("://") {
            let is_one = !path.contains(char::is_whitespace);
            others.extend(is_one.then(|| Named::Address(path.to_owned())));
        } else if path.len() <= 4096 && is_path && !has(&name, TEXTS) {
            // A name may have its place in the file with it, or others next to it.
            let parts = path.split([',', '?', '#', '\n']);
            let parts = parts.map(|part| {
                part.trim_end_matches(|char: char| char == ':' || char.is_ascii_digit() && path.contains(':'))
            });
            for part in parts.filter(|part| !part.is_empty() && !part.contains(char::is_whitespace)) {
                let within = folder.as_ref().filter(|_| !part.contains('/'));
                others.extend(within.map(|folder| Named::Path(format!("{folder}/{part}"))));
                let is_base = has(&name, BASES);
                match has(&name, FOLDERS) {
                    _ if is_base && has_line => {}
                    true => others.push(Named::Folder(part.to_owned())),
                    false => others.push(Named::Path(part.to_owned())),
                }
                folder = folder.or_else(|| is_base.then(|| part.to_owned()));
            }
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
    let folder = folder.filter(|_| has_line);
    let there = folder.map_or(String::new(), |folder| match folder.strip_prefix("~/") {
        Some(rest) => format!("cd ~/{} || exit\n", shell_word(rest)),
        None => format!("cd {} || exit\n", shell_word(&folder)),
    });
    let lines = lines.into_iter().map(move |line| Named::Line(format!("{there}{line}")));
    lines.chain(others)
}

/// Returns a name in lowercase, with `_` between its words.
pub(crate) fn name_words(name: &str) -> String {
    let mut words = String::new();
    for char in name.chars() {
        words.extend(char.is_ascii_uppercase().then_some('_'));
        words.push(char.to_ascii_lowercase());
    }
    words
}
