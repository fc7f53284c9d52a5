//! Commands with which git loses work, here or for others.

use hookkit::shell::Command;

use super::{Arguments, Danger};
use crate::git::Git;

/// A `git` command that rewrites what others have, or loses what was not committed.
pub(super) fn lose(command: &Command) -> Option<Danger> {
    let Git { settings, words } = Git::of(command)?;
    // `-c alias.x='!…'` and its like.
    if settings.iter().any(|setting| setting.contains("=!")) {
        return Some(Danger::ask(format!("`{command}` runs a program by way of a setting")));
    }
    let (name, rest) = words.split_first()?;
    let Some(name) = name.literal() else {
        return Some(Danger::ask(format!("what `{command}` does is only known when it runs")));
    };
    let arguments = Arguments::of(rest);
    let first = arguments
        .operands
        .first()
        .and_then(|word| word.literal())
        .unwrap_or_default();
    match name {
        "push" => push(command, &arguments),
        "reset" if arguments.has("", "hard") || arguments.has("", "merge") => {
            ask(command, "loses what was not committed")
        }
        "clean" if arguments.has("f", "force") && !arguments.has("n", "dry-run") => {
            ask(command, "deletes files that git does not have")
        }
        "checkout" if arguments.has("f", "force") => ask(command, "loses what was not committed"),
        "switch" if arguments.has("f", "force") || arguments.has("", "discard-changes") => {
            ask(command, "loses what was not committed")
        }
        "checkout" if is_whole(&arguments) => ask(command, "loses what was not committed"),
        "restore" if is_whole(&arguments) && (arguments.has("W", "worktree") || !arguments.has("S", "staged")) => {
            ask(command, "loses what was not committed")
        }
        "branch" if arguments.has("D", "") || arguments.has("d", "delete") && arguments.has("f", "force") => {
            ask(command, "deletes a branch that may not be merged")
        }
        "branch" if arguments.has("f", "force") => ask(command, "moves a branch away from its commits"),
        "tag" if arguments.has("d", "delete") => ask(command, "deletes a tag"),
        "stash" if matches!(first, "drop" | "clear") => ask(command, "deletes what was stashed"),
        "reflog" if matches!(first, "expire" | "delete") => ask(command, "deletes what lost commits are found by"),
        "gc" | "prune"
            if arguments
                .options
                .iter()
                .any(|option| option.starts_with("--prune=") || option.starts_with("--expire=")) =>
        {
            ask(command, "deletes commits that nothing leads to")
        }
        "filter-branch" | "filter-repo" => ask(command, "rewrites history"),
        "update-ref" if arguments.has("d", "") => ask(command, "deletes a branch or a tag"),
        "worktree" if first == "remove" && arguments.has("f", "force") => {
            ask(command, "deletes a worktree with its changes")
        }
        "submodule" if first == "deinit" && arguments.has("f", "force") => ask(command, "loses what was not committed"),
        "rm" if arguments.has("f", "force") && is_whole(&arguments) && !arguments.has("", "cached") => {
            ask(command, "deletes all files, with their changes")
        }
        _ => None,
    }
}

fn ask(command: &Command, what: &str) -> Option<Danger> {
    Some(Danger::ask(format!("`{command}` {what}")))
}

fn push(command: &Command, arguments: &Arguments<'_>) -> Option<Danger> {
    let refs = arguments.operands.iter().skip(1).map(|word| word.known_start());
    if arguments.has("f", "force") || arguments.has("", "mirror") || refs.clone().any(|name| name.starts_with('+')) {
        return Some(Danger::deny(format!(
            "`{command}` overwrites what others may have pushed meanwhile; `--force-with-lease` looks first"
        )));
    }
    if arguments
        .options
        .iter()
        .any(|option| option.starts_with("--force-with-lease"))
    {
        return ask(command, "rewrites a branch that others may have");
    }
    if arguments.has("d", "delete") || arguments.has("", "prune") || refs.clone().any(|name| name.starts_with(':')) {
        return ask(command, "deletes a branch or a tag that others may have");
    }
    None
}

/// Returns `true` if it is about the whole tree, not about files that are named.
fn is_whole(arguments: &Arguments<'_>) -> bool {
    arguments.operands.iter().any(|word| {
        matches!(word.literal(), Some("." | "./" | ":/" | "*"))
            || word.literal().is_none() && word.known_start().is_empty()
    })
}
