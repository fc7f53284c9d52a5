//! Which files are not to be changed.

use std::path::PathBuf;

use hookkit::prelude::*;

use self::list::Protected;
use self::shell::Finding;

mod list;
mod shell;
mod target;

/// Keeps files from being changed that somebody else writes: lock files, git's own, and what the project lists.
///
/// The project's list is `.claude/protected`, one pattern a line, in the dialect of `.gitignore`:
///
/// ```text
/// # What was released stays as it is.
/// /migrations/
/// # Generated: change `api/schema.proto`.
/// *.pb.go
/// # Here the model may mend this one.
/// !Cargo.lock
/// ```
///
/// Protected without any list are
///
/// - `.git`, which its own commands change;
/// - lock files, which package managers write: `Cargo.lock`, `package-lock.json`, `yarn.lock`, `pnpm-lock.yaml`,
///   `poetry.lock`, `uv.lock`, `go.sum`, `Gemfile.lock`, `composer.lock` and the like;
/// - `.claude/protected` itself, and the installed hooks in `.claude/hookkit`;
/// - the user's own: `settings.json` and the installed hooks in `hookkit` of `$CLAUDE_CONFIG_DIR`, or `~/.claude`; and what
///   hooks keep, in `$XDG_STATE_HOME/hookkit`, or `~/.local/state/hookkit`.
///
/// A `!` takes out again what an earlier line protects, all but the last two items.
/// As with git, nothing can be taken out of a folder that is protected; `/migrations/*` protects what is in it one by one.
/// A workspace that protects the same files in all its projects has their patterns in the variable `PROTECTED_FILES`,
/// a line each (`env` in the workspace's Cargo.toml); the project's list comes after it.
///
/// A file is protected by each name that it has: a link by its own and by those that it leads to.
/// Letters are compared without their case.
/// Outside the project only `.git`, the user's own, and lock files that are there already, are protected.
///
/// The project's settings are not on the list: the client itself asks the user before it changes these (2.1.330).
/// Files of secrets are `protect-secrets`' business.
///
/// Of a shell command it looks at what it redirects into, and at the files that `tee`, `touch`, `truncate`, `cp`, `mv`,
/// `install`, `ln`, `rm`, `rmdir`, `unlink`, `shred`, `chmod`, `chown`, `chgrp`, `patch`, `dd` and `sed -i` (and `perl -i`)
/// change, also behind `sudo` and `xargs`, in `$(…)`, in `sh -c '…'`, and after a `cd`.
/// A copy beside other files is no change: `cp Cargo.lock backup/` passes as long as there is none.
/// `$HOME` is the home folder, unless the command sets the variable.
/// Where a name is known only in part, the user is asked if
///
/// - a glob (`rm *`), or a name with a variable in it (`Cargo.$x`), fits a protected file that is there, by any of its folders, too;
/// - the last name is known, and protected wherever it is: `$folder/Cargo.lock`; or the last names are those of
///   hookkit's own or of the user's settings: `$folder/.claude/hookkit`, also after `cd "$folder"`;
/// - a folder is copied over one that holds the user's own: `cp -r . ~/.claude`;
/// - the command makes a link to hookkit's own, or to a folder that holds it, and changes something else, too;
/// - the command cannot be analysed, and what cannot be names such a file.
///
/// A name of which nothing is known (`"$file"`, also where the command sets it; `{a/b,c}`) passes: loops over files would be
/// asked about all the time.
///
/// It stays silent on every other file, and on what only reads.
///
/// # What it cannot see
///
/// - What other programs change: `git checkout`, `python -c`, a script.
/// - Which files `find -delete` and `xargs` come to.
/// - What is in a folder that is moved or removed, but for the list and the user's own.
/// - The user's own by another variable: `$CLAUDE_CONFIG_DIR/hookkit`.
/// - What the tools of MCP servers change, and what the tools Monitor and PowerShell run.
/// - Which files of the project a folder brings that is copied over one of its folders: `cp -r new/. .`.
/// - The mode of a folder that hookkit's own is in: `chmod 000 ~/.claude`, without `-R`.
/// - Hard links that are there already, links that an earlier command made outside of the project, and those of `cp -l` and
///   `cp -s`.
/// - Names with a dot within braces (`~/{.claude,x}`), and what a file is by its descriptor: `tee /dev/fd/3 3< file`.
/// - Where a program is told to go by an option: `env -C`, `patch -d`, `cp --parents`; or a shell by `CDPATH`, `~-`, and
///   `~` where the line sets `HOME`.
/// - Copies that a program keeps of what it changes: `cp -b -S .json`, `sed -i/folder/*`, `patch -B`.
/// - Scripts of `sed`, of `perl -E`, and what is behind an option of `cp` or `install` that takes a value and is rarely
///   used: `--no-preserve mode`.
///
/// # Errors
///
/// When a list cannot be read or has more than 1 MiB, when a line of it can never match, and when it cannot be told where
/// the file's name leads: the change is refused.
#[hook(PreToolUse, timeout = 5)]
pub fn protect_files(
    call: PreToolUse<Change>,
    context: Context,
    environment: Environment,
) -> Result<PreToolUseAnswer, Error> {
    let protected = || Protected::of(&context, environment);
    let found = match &call.input {
        Change::File(file) => protected()?.reason(&context.path(&file.path)?).map(Finding::Changes),
        Change::Bash(bash) => shell::look(&hookkit::shell::analyse(&bash.command), &context, protected)?,
    };
    Ok(match found {
        None => PreToolUseAnswer::pass(),
        Some(Finding::Changes(why)) => PreToolUseAnswer::deny(why),
        Some(Finding::MayChange(why)) => PreToolUseAnswer::ask(format!(
            "not all of the command is known before it runs, and it may change this: {why}"
        )),
    })
}

/// A call that may change files.
#[derive(Debug, Clone, ToolInput)]
pub enum Change {
    /// One file, by a tool that is made for it.
    File(FileChange),
    /// Any, by a command.
    Bash(tool::Bash),
}

/// A file is changed, by whichever of the client's tools.
#[derive(Debug, Clone, serde::Deserialize, ToolInput)]
#[tool("Edit|Write|NotebookEdit")]
pub struct FileChange {
    #[serde(alias = "file_path", alias = "notebook_path")]
    path: PathBuf,
}

#[cfg(test)]
mod tests;
