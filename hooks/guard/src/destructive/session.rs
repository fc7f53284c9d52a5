//! Scripts, programs and options that a line takes from the user's session.

use hookkit::shell::{Script, Unanalyzed, Why};

/// Returns `true` for what is not in the line, and is the user's own.
pub(super) fn has(unanalyzed: &Unanalyzed, line: &str, script: &Script) -> bool {
    /// With more of them a line is not looked through for each.
    const MOST: usize = 32;
    match unanalyzed.why {
        Why::Name | Why::Prefix if script.unanalyzed().len() <= MOST => {
            is_in_folder(&unanalyzed.text) || is_variable(&unanalyzed.text, line, script)
        }
        _ => is_set_up(&unanalyzed.text),
    }
}

/// Returns `true` for a script that a program of the user's prints to set up the shell: `eval "$(ssh-agent -s)"`.
fn is_set_up(text: &str) -> bool {
    const PROGRAMS: &[&str] = &[
        "brew shellenv",
        "conda shell.",
        "dircolors",
        "direnv export ",
        "direnv hook ",
        "fnm env",
        "goenv init",
        "mise activate ",
        "minikube docker-env",
        "nodenv init",
        "opam env",
        "pyenv init",
        "rbenv init",
        "starship init ",
        "thefuck --alias",
        "zoxide init ",
    ];
    let text = text.trim_matches('"');
    let Some(inner) = text.strip_prefix("$(").and_then(|text| text.strip_suffix(')')) else {
        return false;
    };
    let inner = inner.trim();
    !inner.contains([';', '|', '&', '$', '`', '<', '>', '(', ')', '\n'])
        // With further words `ssh-agent` runs them.
        && (matches!(inner, "ssh-agent" | "ssh-agent -c" | "ssh-agent -k" | "ssh-agent -s")
            || PROGRAMS.iter().any(|program| inner.starts_with(program)))
}

/// Returns `true` for a program in a folder that another program prints: `$(go env GOPATH)/bin/x`.
fn is_in_folder(text: &str) -> bool {
    const PRINTED: &[&str] = &[
        "brew --prefix",
        "git rev-parse --show-toplevel",
        "go env GOPATH",
        "npm bin",
        "npm prefix -g",
        "pnpm bin",
        "pwd",
        "xcode-select -p",
        "yarn bin",
        "yarn global bin",
    ];
    let parts = text.strip_prefix("$(").and_then(|text| text.split_once(')'));
    parts.is_some_and(|(inner, rest)| PRINTED.contains(&inner) && is_path(rest))
}

/// Returns `true` for a path that no shell changes, with a slash before it.
fn is_path(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._+-".contains(&byte);
    text.len() > 1 && text.starts_with('/') && text.bytes().all(is_plain)
}

/// Returns `true` for a command's name, or an option before it, that is a variable of the session, or below a folder that it
/// names: `$EDITOR x`, `$VENV/bin/pip`, `uv run $OPTIONS pytest`.
///
/// Nothing that one command exports is there in the next one (client 2.1.330).
fn is_variable(text: &str, line: &str, script: &Script) -> bool {
    /// Set by shells, and by their builtins without being named.
    const OF_SHELLS: &[&str] = &["BASH", "COPROC", "IFS", "MAPFILE", "OPTARG", "REPLY", "SHELL", "ZSH"];
    // In quotes a backslash is one of Windows, and not an escape.
    let is_quoted = text.starts_with('"');
    let ends_name = |char: char| !char.is_ascii_alphanumeric() && char != '_';
    let Some((variable, rest)) =
        (text.trim_start_matches('"').strip_prefix('$')).and_then(|text| match text.strip_prefix('{') {
            Some(text) => text.split_once('}'),
            None => Some(text.split_at(text.find(ends_name).unwrap_or(text.len()))),
        })
    else {
        return false;
    };
    let rest = &rest.replace('"', "");
    let is_of_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let is_name = variable.len() > 1 && variable.bytes().all(is_of_name);
    let is_of_shell = OF_SHELLS.iter().any(|start| variable.starts_with(start));
    // What changes a variable names it, unless it is not known by what.
    let is_only_used = || {
        line.match_indices(variable).all(|(at, _)| {
            let (before, behind) = (&line[..at], &line[at + variable.len()..]);
            let is_longer = |char: char| char.is_ascii_alphanumeric() || char == '_';
            before.ends_with(is_longer)
                || behind.starts_with(is_longer)
                || before.ends_with('$')
                || before.ends_with("${") && behind.starts_with('}')
        })
    };
    let is_clear = |why| matches!(why, Why::Name | Why::Prefix | Why::ScriptFile | Why::ShellVariable);
    is_name
        && (is_path(rest) || is_quoted && is_path(&rest.replace('\\', "/")) || rest.is_empty() && !is_of_shell)
        && is_only_used()
        && script.unanalyzed().iter().all(|unanalyzed| is_clear(unanalyzed.why))
}
