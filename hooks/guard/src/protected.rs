//! Guard for files that must not be changed.

use hookkit::ProjectPath;

use self::list::Protected;
use crate::change::{name_words, named};
use crate::destructive::or_worse;
use crate::later::decides;
use crate::prelude::*;

pub(crate) mod list;
pub(crate) mod shell;

/// Denies changes to files that other programs write: lock files, git's own files, and the files of the project's list.
///
/// The project's list is `.claude/protected`, with one pattern per line in the syntax of `.gitignore`:
///
/// ```text
/// # Released files stay as they are.
/// /migrations/
/// # Generated: change `api/schema.proto`.
/// *.pb.go
/// # The model may change this one here.
/// !Cargo.lock
/// ```
///
/// These are protected without any list:
///
/// - `.git`, which git's own commands change;
/// - lock files, which package managers write: `Cargo.lock`, `package-lock.json`, `yarn.lock`, `pnpm-lock.yaml`, `poetry.lock`,
///   `uv.lock`, `go.sum`, `Gemfile.lock`, `composer.lock` and the like;
/// - hookkit's own files ([`hookkit::protocol::guards`]): `.claude/protected` itself, the installed hooks in
///   `.claude/hookkit`, `hookkit.toml`, `hookkit.lock`, `hookkit.sh` and `hookkit.reviewed`; and the same files for
///   other agents (`.codex/hookkit`);
/// - the user's own files: `settings.json` and the installed hooks in `hookkit` of `$CLAUDE_CONFIG_DIR`, or `~/.claude`; the
///   data of hooks and hookkit in `$XDG_STATE_HOME/hookkit` and `~/.local/state/hookkit`, on Windows in
///   `%LOCALAPPDATA%\hookkit`; clones of sources in `~/.cache/hookkit`, and `~/.cargo/bin/cargo-hookkit`; direnv's lists of the
///   files that the user allows, in `$XDG_DATA_HOME/direnv` and `~/.local/share/direnv`; and `config.toml` and the installed
///   hooks of Kimi Code, in `$KIMI_CODE_HOME` or `~/.kimi-code`.
///
/// A `!` removes the protection of an earlier line, except for the last two items. As in git, a file in a protected
/// folder cannot be excluded; `/migrations/*` protects each item in the folder separately. A workspace that protects
/// the same files in all its projects lists their patterns in [`ProtectedFiles`]; the project's list comes after them.
///
/// A file is protected by each of its names: a link by its own name and by its target's names. Case is ignored. Outside
/// the project, only `.git`, the user's own files and existing lock files are protected; lock files in `node_modules`
/// are not.
///
/// In a linked worktree that a session started in or entered, the main worktree's list applies, and hookkit's own files
/// are protected in each worktree.
///
/// The user is asked before the project's `settings.json` and `settings.local.json` are changed. The client asks as well
/// (2.1.330), but not if permissions are bypassed.
///
/// The user is asked, too, about:
///
/// - files from which other agents read a project's hooks: `.codex/hooks.json`, each JSON file in `.github/hooks`, the settings
///   of Droid, Qwen Code and Gemini CLI, OpenCode's plugins in `.opencode/plugin` and `plugins`;
/// - files outside the project that run code later or control access to the machine: profiles of shells, files that
///   editors and other programs run when they start (`~/.vimrc`, `~/.psqlrc`), units of systemd, jobs of cron,
///   `~/.ssh/authorized_keys`, `/etc/sudoers`, git settings that run something, settings and hooks of agents
///   (`/etc/claude-code`, `~/.codex/config.toml`); shell commands that change these are judged by `deny-destruction`;
/// - files of plugins that run inside Claude Code, where a module can switch off every guard: `hooks/` and
///   `.claude-plugin/` of a folder in `.claude/skills`, any other file of such a plugin except Markdown, and
///   `.claude/plugins`, both in the project and in `$CLAUDE_CONFIG_DIR` or `~/.claude`; and a command that puts a
///   folder into `.claude/skills`.
///
/// `protect-secrets` protects files with secrets.
///
/// In a shell command, the targets of redirections are judged, and the files that programs copy, move, link, delete,
/// edit, format, download, pack or unpack, or whose mode they change (`cp`, `ln`, `rsync`, `rm`, `sed -i`, `patch`,
/// `curl -o`, `tar`, `gzip`, `sort -o`, `dd`, `prettier --write`, `chmod` …), also after `sudo` and `xargs`, in `$(…)`,
/// in `sh -c '…'`, and after a `cd` or an option such as `env -C`. A formatter or a fixer changes its input files
/// (`ruff format`, `sqlfluff fix`, any program with `--fix`, `--write` or `--in-place`), and a program with `-o` or
/// `--output` changes the file that this option names. Braces are expanded as in a shell. A variable of the line has
/// its values, also in a loop over an array, by `read x <<< y`, and by a default: `rm "${f:-Cargo.lock}"`. A program
/// counts as changing each of hookkit's own files and settings that it names, unless it certainly only reads: `gzip
/// .claude/hookkit/app/bin/x`. So does a call in code of another language, also through a variable that is set once:
/// `shutil.copy(x, '.claude/hookkit.toml')`. Such a line is denied; for settings, the user is asked. The folder that
/// holds these files must not be removed, closed, or filled with another folder's content: `git rm -r .claude`. A
/// program that names the folder, and may do more than read, is asked about: `mount --bind /tmp/x .claude`. A new copy
/// is not a change: `cp Cargo.lock backup/` passes if there is none yet. `$HOME` and `~` are the home folder, unless
/// the command sets the variable; `$CLAUDE_CONFIG_DIR`, `$XDG_STATE_HOME` and hookkit's other variables are their
/// folders. If only a part of a name is literal, the user is asked if:
///
/// - a glob (`rm *`), or a name with a variable in it (`Cargo.$x`), matches an existing protected file, also by one of its
///   folders;
/// - the last name is literal, and protected anywhere: `$folder/Cargo.lock`; or the last names belong to hookkit's own
///   files or to the user's settings: `$folder/.claude/hookkit`, also after `cd "$folder"`;
/// - `find` may find a protected file by name (`-name Cargo.lock -delete`), or starts in a protected folder; or another command
///   may print its name (`grep -l x migrations | xargs sed -i …`, `rm $(git ls-files migrations)`);
/// - a command may find one of hookkit's own files, by name or in `.claude`, and gives it to a command that changes it,
///   also through a variable or a loop: `find .claude -type f -exec cp x {} \;`;
/// - the command sets where `cd` looks for folders (`CDPATH`), and names hookkit's own files;
/// - a folder is copied over a folder that contains the user's own files: `cp -r . ~/.claude`;
/// - the command makes a link to hookkit's own files, or to a folder that contains them, and changes something else,
///   too;
/// - the command cannot be analyzed, and the unanalyzed text, or text that is piped into a shell, names such a file.
///
/// A command of the PowerShell tool is not analyzed: the user is asked if one of its words names a protected file.
///
/// The user is also asked about a call of an MCP server's tool with the name of a protected file among its strings,
/// unless a word of the tool's name means that it reads, sends or stages, and no word means that it changes something
/// (`read_file`, `getDiagnostics`, `git_add`). A folder that contains hookkit's own files is asked about if the tool's
/// name means that it deletes or moves. So is a file outside the project that controls access to the machine. A command
/// in such a call, also as a list of words and in a folder (`cwd`), is judged like a Bash command.
///
/// Since client 2.1.332, commands in the text of a skill are judged like the model's, but a command that would be asked
/// about does not run there.
///
/// A name without any literal part (`"$file"`, if the line does not set it) passes: otherwise loops over files would be
/// asked about all the time.
///
/// All other files, and commands that only read, pass.
///
#[doc = include_str!("../limits/protect-files.md")]
///
/// # Errors
///
/// Fails if a list cannot be read or is larger than 1 MiB, if a line of it can never match, if the target of a file's
/// name cannot be resolved, if a command has too many long words, and on Windows if the name can be read in several
/// ways (`/c/x`, `/tmp/x`, `a:b`). Then the change is denied.
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
) -> Result<Option<PreToolUseAnswer>, Error> {
    let protected = || Protected::of(&context, environment, &config.patterns);
    let look = |text: &str| {
        let script = &hookkit::shell::analyze(text);
        shell::look(Line { text, script, context: &context, environment }, protected)
    };
    let home = context.absolute("~");
    let later = |path: &ProjectPath, text: &str| {
        let decides = path.relative.is_none() && path.names().any(|path| decides(path, &home, Some(text)));
        decides.then(|| format!("`{path}` controls access or permissions on this machine, or which programs run later"))
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
                found = found.or(why.map(|why| Asked(format!("a tool of an MCP server may change this path: {why}"))));
            }
            found
        }
    };
    Ok(found.map(|found| match found {
        Certain(why) => PreToolUseAnswer::deny(match &call.input {
            Change::Bash(bash) => or_worse(why, &bash.command, &context, environment),
            _ => why,
        }),
        Asked(why) => PreToolUseAnswer::ask(why),
        Possible(why) => PreToolUseAnswer::ask(format!(
            "a part of the command is computed at run time, and the command may change protected files: {why}"
        )),
    }))
}

/// The configuration of [`protect_files`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProtectedFiles {
    /// Patterns of files to protect in every project, each like a line of `.claude/protected`:
    /// `patterns = ["*.tf", "/infra/"]`.
    #[serde(deserialize_with = "list::patterns")]
    pub patterns: Vec<String>,
}

/// A call that may change files.
#[derive(Debug, Clone, ToolInput)]
pub enum Change {
    /// One file, through a tool for files.
    File(FileChange),
    /// Any files, through a command.
    Bash(tool::Bash),
    /// Any files, through a command of PowerShell.
    PowerShell(tool::PowerShell),
    /// A call of an MCP server's tool.
    Other(Json),
}

/// The effect of an MCP server's tool on the files that it names, judging by the words of its own name.
#[derive(PartialEq)]
pub(crate) enum Does {
    /// Reads, shows, sends or stages: `read_text_file`, `getDiagnostics`, `git_log`.
    Read,
    /// Removes the file: `move_file`.
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
        // The server's own name only says that it is git's.
        let is_git = words.starts_with("git__");
        match () {
            () if has(REMOVES) => Self::Remove,
            () if !has(CHANGES) && (is_git || has(READS)) => Self::Read,
            () => Self::Change,
        }
    }
}

/// A call of one of the client's tools that changes a file.
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
