//! Files that are not to be changed.

use hookkit::ProjectPath;

use self::list::Protected;
use crate::change::{Named, name_words, named};
use crate::destructive::or_worse;
use crate::later::decides;
use crate::prelude::*;

pub(crate) mod list;
pub(crate) mod shell;

/// Keeps files from being changed that other programs write: lock files, git's own, and what the project lists.
///
/// The project's list is `.claude/protected`, one pattern a line, in the dialect of `.gitignore`:
///
/// ```text
/// # What was released stays as it is.
/// /migrations/
/// # Generated: change `api/schema.proto`.
/// *.pb.go
/// # Here the model may fix this one.
/// !Cargo.lock
/// ```
///
/// Protected without any list are
///
/// - `.git`, which its own commands change;
/// - lock files, which package managers write: `Cargo.lock`, `package-lock.json`, `yarn.lock`, `pnpm-lock.yaml`,
///   `poetry.lock`, `uv.lock`, `go.sum`, `Gemfile.lock`, `composer.lock` and the like;
/// - hookkit's own ([`hookkit::protocol::guards`]): `.claude/protected` itself, the installed hooks in `.claude/hookkit`,
///   `hookkit.toml`, `hookkit.lock`, `hookkit.sh` and `hookkit.reviewed`; and those for other agents (`.codex/hookkit`);
/// - the user's own: `settings.json` and the installed hooks in `hookkit` of `$CLAUDE_CONFIG_DIR`, or `~/.claude`; and what
///   hooks and hookkit keep, in `$XDG_STATE_HOME/hookkit` and `~/.local/state/hookkit`, on Windows in `%LOCALAPPDATA%\hookkit`;
///   clones of sources in `~/.cache/hookkit`, and `~/.cargo/bin/cargo-hookkit`; and direnv's lists of the files that the user allows,
///   in `$XDG_DATA_HOME/direnv` and `~/.local/share/direnv`; and `config.toml` and the installed hooks of Kimi Code, in
///   `$KIMI_CODE_HOME` or `~/.kimi-code`.
///
/// A `!` takes out again what an earlier line protects, all but the last two items.
/// As with git, nothing can be taken out of a folder that is protected; `/migrations/*` protects what is in it one by one.
/// A workspace that protects the same files in all its projects has their patterns in [`ProtectedFiles`]; the project's
/// list comes after them.
///
/// A file is protected by each name that it has: a link by its own and by those that it leads to.
/// Letters are compared without their case.
/// Outside the project only `.git`, the user's own, and lock files that are there already, are protected; in `node_modules` no
/// lock file is.
///
/// In a linked worktree, where a session was started or which it went into, the list is that of the main one, and hookkit's own
/// are those of each worktree.
///
/// The user is asked before the project's `settings.json` and `settings.local.json` are changed: the client itself asks (2.1.330),
/// but not where permissions are bypassed.
/// So it is before the files that other agents read a project's hooks from: `.codex/hooks.json`, each JSON file in `.github/hooks`,
/// the settings of Droid, Qwen Code and Gemini CLI, OpenCode's plugins in `.opencode/plugin` and `plugins`.
/// So it is before files outside of the project that run code later or decide who may do what: profiles of shells, what
/// editors and other programs run as they start (`~/.vimrc`, `~/.psqlrc`), units of systemd, jobs of cron,
/// `~/.ssh/authorized_keys`, `/etc/sudoers`, settings of git that run something, settings and hooks of agents
/// (`/etc/claude-code`, `~/.codex/config.toml`). Shell commands that change these are `deny-destruction`'s business.
/// So it is with the files of plugins that run inside Claude Code, where a module can switch off each guard: `hooks/` and
/// `.claude-plugin/` of a folder in `.claude/skills`, any other file of such a plugin but Markdown, and `.claude/plugins`, of the
/// project and in `$CLAUDE_CONFIG_DIR` or `~/.claude`; and before a command puts a folder into `.claude/skills`.
/// Files of secrets are `protect-secrets`' business.
///
/// Of a shell command it looks at what it redirects into, and at what is changed by programs that copy, move, link, delete,
/// edit, format, download, pack or unpack files, or change their mode (`cp`, `ln`, `rsync`, `rm`, `sed -i`, `patch`, `curl -o`,
/// `tar`, `gzip`, `sort -o`, `dd`, `prettier --write`, `chmod` …), also behind `sudo` and `xargs`, in `$(…)`, in `sh -c '…'`, and after a `cd` or an option such
/// as `env -C`.
/// A formatter or a fixer changes the files that it gets (`ruff format`, `sqlfluff fix`, any program with `--fix`, `--write` or
/// `--in-place`), and so does a program whose `-o` or `--output` names one.
/// Braces are the words that the shell makes of them, and a variable of the line has its values, also in a loop over an array, by
/// `read x <<< y`, and by a default: `rm "${f:-Cargo.lock}"`.
/// Of hookkit's own files and of settings a program that is not known only to read them changes each that it names:
/// `gzip .claude/hookkit/app/bin/x`; so does a call in code of another language that is not known only to read them, also by a
/// variable that is set once: `shutil.copy(x, '.claude/hookkit.toml')`.
/// Such a line is denied, and for settings asked about.
/// The folder that holds them is not taken away, closed, or filled with the contents of another: `git rm -r .claude`. A program
/// that is not known only to read, and names it, is asked about: `mount --bind /tmp/x .claude`.
/// A copy next to other files is not a change: `cp Cargo.lock backup/` passes as long as there is none.
/// `$HOME` and `~` are the home folder, unless the command sets the variable; so are `$CLAUDE_CONFIG_DIR` and `$XDG_STATE_HOME`
/// their folders, and the others of hookkit's own.
/// Where a name is known only in part, the user is asked if
///
/// - a glob (`rm *`), or a name with a variable in it (`Cargo.$x`), fits a protected file that is there, by any of its folders, too;
/// - the last name is known, and protected wherever it is: `$folder/Cargo.lock`; or the last names are those of
///   hookkit's own or of the user's settings: `$folder/.claude/hookkit`, also after `cd "$folder"`;
/// - `find` may come to it by a name (`-name Cargo.lock -delete`), or starts in a folder that is protected; so may what another
///   command prints the names of (`grep -l x migrations | xargs sed -i …`, `rm $(git ls-files migrations)`);
/// - the command sets where `cd` looks for folders (`CDPATH`), and names hookkit's own;
/// - a folder is copied over one that holds the user's own: `cp -r . ~/.claude`;
/// - the command makes a link to hookkit's own, or to a folder that holds it, and changes something else, too;
/// - the command cannot be analyzed, and what cannot be names such a file; so does what is piped into a shell.
///
/// A command of the tool PowerShell is not analyzed: the user is asked if a word of it names a protected file.
///
/// So it is about a call of an MCP server's tool that has the name of a protected file among its strings, unless a word of the
/// tool's name says that it reads, sends or stages, and none that it changes something (`read_file`, `getDiagnostics`,
/// `git_add`). A folder that holds hookkit's own is asked about where the tool's name says that it deletes or moves.
/// A file outside of the project that decides who may do what is asked about there as well.
/// A command there, also as a list of words and in a folder (`cwd`), is judged as one of Bash.
///
/// Commands in the text of a skill are judged as the model's are (since client 2.1.332), but what would be asked about does
/// not run there.
///
/// A name of which nothing is known (`"$file"`, where the line does not set it) passes: loops over files would be
/// asked about all the time.
///
/// It stays silent on every other file, and on what only reads.
///
#[doc = include_str!("../limits/protect-files.md")]
///
/// # Errors
///
/// When a list cannot be read or has more than 1 MiB, when a line of it can never match, and when the target of
/// the file's name cannot be found, on Windows also if the name can be read in several ways (`/c/x`, `/tmp/x`, `a:b`); and when
/// a command has too many long words: the change is denied.
#[hook(
    PreToolUse | PreSkillShellCommand,
    matcher = "^(?:Bash|Edit|NotebookEdit|PowerShell|Write|mcp__.*)$",
    timeout = 5
)]
pub fn protect_files(
    call: PreToolUse<Change>,
    context: Context,
    environment: Environment,
    config: Config<ProtectedFiles>,
) -> Result<PreToolUseAnswer, Error> {
    let protected = || Protected::of(&context, environment, &config.patterns);
    let look = |text: &str| {
        let script = &hookkit::shell::analyze(text);
        shell::look(Line { text, script, context: &context, environment }, protected)
    };
    let home = context.absolute("~");
    let later = |path: &ProjectPath, text: &str| {
        let decides = path.relative.is_none() && path.names().any(|path| decides(path, &home, Some(text)));
        decides.then(|| format!("`{path}` decides who may do what, or which programs run later"))
    };
    let found = match &call.input {
        Change::File(file) => {
            let (path, protected) = (context.path(&file.path)?, protected()?);
            let asked = || protected.reason_to_ask(&path, true).or_else(|| later(&path, &file.text));
            protected.reason(&path).map(Certain).or_else(|| asked().map(Asked))
        }
        Change::Bash(bash) => look(&bash.command)?,
        Change::PowerShell(line) => shell::names(&line.command, &context, protected)?.map(|why| {
            Asked(format!("hookkit does not analyze PowerShell, and the command names a protected file: {why}"))
        }),
        Change::Other(input) => {
            let does = Does::of(&call.tool_name);
            let mut found = None;
            let mut of_place = None;
            for named in named(&call.tool_name, input) {
                let (path, is_file) = match named {
                    Named::Line(line) => {
                        found = look(&line)?.or(found);
                        continue;
                    }
                    Named::Path(path) if does != Does::Read => (path, true),
                    Named::Folder(path) if does != Does::Read => (path, false),
                    _ => continue,
                };
                let Ok(path) = context.path(&path) else { continue };
                let lists = match &of_place {
                    Some(lists) => lists,
                    None => of_place.insert(protected()?),
                };
                let is_removed = is_file && does == Does::Remove;
                let why = lists
                    .reason(&path)
                    .or_else(|| lists.reason_of_tree(&path).filter(|_| is_removed))
                    .or_else(|| lists.reason_to_ask(&path, true))
                    .or_else(|| later(&path, input.text()).filter(|_| is_file));
                found = found.or(why.map(|why| Asked(format!("a tool of a server may change this: {why}"))));
            }
            found
        }
    };
    Ok(match found {
        None => PreToolUseAnswer::pass(),
        Some(Certain(why)) => PreToolUseAnswer::deny(match &call.input {
            Change::Bash(bash) => or_worse(why, &bash.command, &context, environment),
            _ => why,
        }),
        Some(Asked(why)) => PreToolUseAnswer::ask(why),
        Some(Possible(why)) => PreToolUseAnswer::ask(format!(
            "not all of the command is known before it runs, and it may change this: {why}"
        )),
    })
}

/// The configuration of [`protect_files`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtectedFiles {
    /// The patterns of files that are protected in every project, each as a line of `.claude/protected`:
    /// `patterns = ["*.tf", "/infra/"]`.
    #[serde(deserialize_with = "list::patterns")]
    pub patterns: Vec<String>,
}

/// A call that may change files.
#[derive(Debug, Clone, ToolInput)]
pub enum Change {
    /// One file, by a tool that is made for it.
    File(FileChange),
    /// Any, by a command.
    Bash(tool::Bash),
    /// Any, by a command of PowerShell.
    PowerShell(tool::PowerShell),
    /// Any call of a server's tool.
    Other(Json),
}

/// The effect of a server's tool on the files that it names, by the words of its own name.
#[derive(Debug, PartialEq)]
pub(crate) enum Does {
    /// It reads, shows, sends or stages: `read_text_file`, `getDiagnostics`, `git_log`.
    Read,
    /// Nothing is left of what it names: `move_file`.
    Remove,
    Change,
}

impl Does {
    pub(crate) fn of(tool_name: &str) -> Self {
        const REMOVES: &str = "clean clear delete destroy erase move mv purge remove rename rm rmdir trash unlink wipe";
        const CHANGES: &str = "append apply checkout copy create edit insert patch replace reset restore save truncate \
            update write";
        const READS: &str = "analyze attach check count definition describe diagnostics diff diffs exists explain fetch \
            find get git goto grep hover info inspect list log outline overview open preview query read references scan \
            search send share show stage stat status summarize symbols tree type upload view";
        let words = name_words(tool_name.trim_start_matches("mcp__"));
        let own = words.rsplit("__").next().unwrap_or_default();
        let has = |list: &str| own.split(['_', '-']).any(|word| lists(list, word));
        // The server's own name says no more than that it is git's.
        let is_git = words.starts_with("git__");
        match () {
            () if has(REMOVES) => Self::Remove,
            () if !has(CHANGES) && (is_git || has(READS)) => Self::Read,
            () => Self::Change,
        }
    }
}

/// A file is changed, by whichever of the client's tools.
#[derive(Debug, Clone, serde::Deserialize, ToolInput)]
#[tool("Edit|Write|NotebookEdit")]
pub struct FileChange {
    #[serde(alias = "file_path", alias = "notebook_path")]
    pub(crate) path: PathBuf,
    #[serde(default, alias = "content", alias = "new_source", alias = "new_string")]
    text: String,
}

#[cfg(test)]
mod tests;
