//! Approves shell commands that change nothing.

mod found;
mod git;
mod levels;
mod names;
mod programs;
mod repository;
mod scripts;

use hookkit::prelude::*;
use hookkit::secrets::files;
use hookkit::shell;

use crate::prelude::*;

pub use levels::Level;

/// The configuration of [`approve_read_only`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Approved {
    /// Level of approved commands.
    pub level: Level,
}

/// Approves shell commands that provably change nothing and show only files of the project.
///
/// Most commands of a model are `ls`, `git log` and `grep`. A user who is asked about each of them stops reading the
/// questions.
/// A line is approved if each command that it could run ([`hookkit::shell`]) is in the table of programs that only read
/// ([`effects::reads`]), with all of its options, or is one of a few that are checked word by word:
///
/// - commands that show files and texts: `cat`, `head`, `ls`, `wc`, `grep`, `rg`, `fd`, `bat`, `jq`, `diff`, `sort`,
///   `nm`, `tar -t`, `unzip -l`, `gzip -dc` …; `sed` and `awk` with programs that print; `find` with tests and `-exec`
///   of such a command;
/// - git commands that only read: `status`, `log`, `diff`, `show`, `blame`, `branch --list`, `ls-remote` …, in any
///   folder of the project's repository;
/// - commands that query the machine: `ps`, `lsof`, `ss`, `ip addr`, `systemctl status`, `journalctl`,
///   `launchctl list`, `node --version`;
/// - commands that read from a service: `aws ec2 describe-instances`, `kubectl get pods`, `docker ps`, `gh pr view`,
///   `gh api`, `npm ls`, `pip list`;
/// - `bash -c`, `timeout`, `env`, `nice` and `xargs` with commands of these kinds, after variables for the language,
///   the time zone and colors (`LC_ALL=C sort x`).
///
/// # Levels
///
/// A workspace chooses which other commands are approved. The choice is compiled into the hook:
///
/// ```toml
/// [workspace.metadata.hookkit.hooks.approve-read-only.config]
/// level = "build"
/// ```
///
/// - `read` is the default.
/// - `build` adds commands that run the project's code as its authors intended ([`effects::builds`]): `cargo test`,
///   `npm run lint`, `make test`, `pytest`, `terraform plan`, `npx tsc` if the project has it.
/// - `edit-project` adds `mkdir`, `touch`, `cp`, `mv`, `tee`, `sed -i`, `> file` and `git add` for files of the project
///   that are not hidden, and formatters ([`effects::edits`]).
///
/// # What it leaves to the user
///
/// It has no opinion on anything else, and the user is asked as usual:
///
/// - commands of the PowerShell tool, for which the hook does not run;
/// - on Windows, commands with a path that can be read in several ways, such as any path of Git Bash without a drive
///   (`/c/x`);
/// - commands that cannot be analyzed, and programs that are not in the table, or have a path before their names;
/// - redirections into files other than `/dev/null`;
/// - files outside the project; hidden files such as `.env` and `.git/config`, also through links; and files with
///   secrets ([`hookkit::secrets::files`]) such as `prod.env`, `key.pem` and `terraform.tfstate`, even if a command
///   only reaches them through a pattern or by searching a folder: `cat certs/*`, `grep -r x certs`, `find certs -exec
///   cat {} +`;
/// - commands that read names of files from a file: `wc --files0-from`, `sha256sum -c`, `strings @names`; and
///   `xargs` after a pipe without `-0`, which reads a folder `x /etc` as two names;
/// - words that only the shell can expand: variables, `${…}` anywhere, and the output of a substitution except in
///   `echo`; and assignments of other variables in capitals, or of parameters that zsh itself uses (`path`,
///   `module_path` …);
/// - `cd` without a folder, with several words, or in a loop;
/// - commands that send something to a server that the line names (`curl`, `wget`, `--endpoint-url`), or that a file of
///   the project names: npm if there is an `.npmrc`, `cargo search` if there is a `.cargo`;
/// - commands that print secrets ([`effects::prints_secret`]), by the kind of secret or by the nature of the output,
///   such as the variables of a running service (`docker inspect`, `kubectl get pods -o yaml`):
///   `aws secretsmanager get-secret-value`, `kubectl get secrets`, `az storage account keys list`,
///   `security find-generic-password`; an option or a name with a word for a token or a password is enough;
/// - databases (`psql`, `sqlite3` …), because a function in a `SELECT` can change anything;
/// - at the level `read`, programs that run code named in the project's files, even to list something (`cargo`, `yarn`,
///   `pnpm`, `uv`, `terraform`);
/// - git with its own settings: `git -c`, `--git-dir`;
/// - git and `gh`, unless they use the repository at the project's root or above it, through its `.git` folder or the
///   `.git` file of one of its `git worktree`s: a checkout can contain a folder that git treats as a repository, with a
///   configuration that names programs. Submodules are excluded for this reason;
/// - git if the repository's own configuration has a setting that is not in the list of harmless settings: it may name
///   a program that reading starts (`core.fsmonitor`, `filter.*`, `merge.*.driver` …) or a file elsewhere, or make git
///   fetch the missing part of a partial clone;
/// - git if a part of the repository other than `hooks` is a link (`index`, `objects`, `info/exclude` …).
///
/// The settings come first: a call that a rule denies is denied, and a call that a rule asks about is asked about
/// (client 2.1.330). A hook that denies also wins.
///
/// # What it cannot see
///
/// - The meaning of a name in the user's shell: an alias or a function `ls`, another `grep` in `PATH`, a folder that
///   `CDPATH` finds, the version that a version manager chooses because of a file of the project.
/// - Programs that the user's own settings and variables start: git's file system monitor, a filter, a program that
///   shows differences; plugins of `kubectl` and `docker`; and the hook `post-index-change` in `.git/hooks`.
/// - Programs that git runs in submodules, and another call that changes the session's folder before the command runs.
/// - Files that a pattern or a recursion finds (`cat src/*`, `grep -r`, `find -exec cat`): hidden files, and links that
///   lead elsewhere; and secrets if the whole project is searched (`grep -r x .`, `find . -type f -exec cat {} +`), if a
///   search names no folder (`cd certs && rg x`), or if they are more than four folders deep.
/// - The input of `xargs`, if the line does not provide it: the client leaves it empty.
/// - Code that one call writes at the level `edit-project` and another call runs at the level `build`. One line does
///   not do both.
/// - Committed files, including hidden ones: `git show HEAD`; and a password in the URL of a remote.
/// - Text that a service shows in addition to the requested data: a comment on a pull request.
/// - The amount of data that a command reads, and whether it ends: `tail -f`, `kubectl logs -f`; `cat /dev/zero` is
///   outside the project.
///
/// # Errors
///
/// Fails if a path's target cannot be determined. Then the hook has no opinion.
#[hook(PreToolUse, timeout = 5, on_failure = continue)]
pub fn approve_read_only(
    call: PreToolUse<tool::Bash>,
    context: Context,
    approved: Config<Approved>,
) -> Result<Option<PreToolUseAnswer>, Error> {
    let script = shell::analyze(&call.input.command);
    // `${x:?$SECRET}` prints, and `${x:=…}` assigns, wherever they are.
    let may_tell = call.input.command.contains("${");
    let Ok(commands) = script.all_commands() else {
        return Ok(None);
    };
    // Each run of the loop leads further.
    let may_go_on = goes(commands).any(|command| command.via.contains(&Via::Loop));
    if commands.is_empty() || may_tell || may_go_on {
        return Ok(None);
    }
    let mut looked = Vec::with_capacity(commands.len());
    for command in commands {
        let found = Looked::at(command, commands);
        // An unsupported command is left to the user before any file is read.
        if approved.level == Level::Read && found.operands.is_none() {
            return Ok(None);
        }
        looked.push(found);
    }
    let folders = folders(commands, context)?;
    if folders.len() > MOST_FOLDERS
        || !names::are_known(commands)
        || approved.level.writes_files() && levels::runs_what_it_writes(&call.input.command, commands, &folders)
        || found::gives_secret(commands, &folders)
    {
        return Ok(None);
    }
    for (command, looked) in commands.iter().zip(&looked) {
        if !is_approved(command, looked, approved.level, &folders)? {
            return Ok(None);
        }
    }
    Ok(Some(PreToolUseAnswer::allow()))
}

/// Maximum number of folders in which a line may run.
const MOST_FOLDERS: usize = 8;

/// Returns the commands that change the folder.
fn goes(commands: &[Command]) -> impl Iterator<Item = &Command> {
    commands.iter().filter(|command| command.is_named("cd"))
}

/// Returns the folders in which a command may run: the session's folder, and every folder that a `cd` leads to from
/// another folder.
fn folders(commands: &[Command], context: Context) -> Result<Vec<Context>, Error> {
    let mut folders = vec![context];
    for command in goes(commands) {
        let Some(folder) = command.arguments().first().and_then(Word::literal) else {
            continue;
        };
        for index in 0..folders.len() {
            let path = folders[index].path(folder)?;
            for cwd in [path.absolute, path.resolved] {
                if folders.len() <= MOST_FOLDERS && !folders.iter().any(|known| known.cwd == cwd) {
                    let mut context = folders[index].clone();
                    context.cwd = cwd;
                    folders.push(context);
                }
            }
        }
    }
    Ok(folders)
}

/// Facts about a command that follow from its words alone.
struct Looked {
    /// The command without the words of a command that it runs.
    own: Command,
    known: Option<Known>,
    operands: Option<Operands>,
    /// `true` if some words come from a substitution. The shell may split the output of `echo` differently.
    is_filled: bool,
}

impl Looked {
    fn at(command: &Command, commands: &[Command]) -> Self {
        let (own, runs) = programs::own(command, commands);
        let known = effects::reads(&own);
        let operands = match known {
            Some(known) => Some(known.operands),
            // The command only assigns.
            None if own.words.is_empty() => Some(Operands::Names),
            None => programs::looks_only(&own, runs),
        };
        let is_within = |inner: &Command| {
            inner.via.get(command.via.len()) == Some(&Via::CommandSubstitution) && inner.is_within(&command.span)
        };
        let is_filled = !own.words.is_empty() && commands.iter().any(is_within);
        Self { own, known, operands, is_filled }
    }
}

fn is_approved(command: &Command, looked: &Looked, level: Level, folders: &[Context]) -> Result<bool, Error> {
    for redirection in &command.redirections {
        if !is_harmless(redirection, level, folders)? {
            return Ok(false);
        }
    }
    let is_local = |assignment: &Assignment| {
        command.words.is_empty()
            && programs::is_local(&assignment.name)
            && is_printable(&assignment.value)
            && assignment.elements.iter().flatten().all(|word| is_printable(word) || is_pattern(word))
            || programs::is_harmless(assignment)
    };
    if !command.assignments.iter().all(is_local) {
        return Ok(false);
    }
    if command.words.is_empty() {
        return Ok(true);
    }
    let own = &looked.own;
    let Some(ref folders) = git::folders(command, folders)? else {
        return Ok(false);
    };
    let known = match looked.operands {
        Some(_) => looked.known,
        None => level.knows(own, folders),
    };
    let operands = known.map(|known| known.operands).or(looked.operands);
    let Some(operands) = operands.or_else(|| level.edits(own).then_some(Operands::Files)) else {
        return Ok(false);
    };
    if looked.is_filled && operands != Operands::Printed {
        return Ok(false);
    }
    let mut settings = known.iter().flat_map(Known::settings);
    if !settings.all(|name| folders.iter().all(|context| goes_by_no(name, context))) || effects::prints_secret(own) {
        return Ok(false);
    }
    match operands {
        Operands::Printed => return Ok(own.arguments().iter().all(is_printable)),
        // To git, a word that is not a remote is a folder, whose configuration it uses.
        Operands::Names => return Ok(!own.is_named("git") || !names(own, folders, Path::exists)?),
        _ => {}
    }
    let is_refused = match own.name() {
        Some("git") => !git::are_harmless(own.arguments()),
        // One of two names may be a folder, in which `diff` looks for a file of the other's name.
        Some("diff") => names(own, folders, Path::is_dir)?,
        Some("cp" | "mv") => !levels::moves_files(own.arguments(), folders)?,
        _ => false,
    };
    if is_refused {
        return Ok(false);
    }
    let texts = programs::texts(own);
    let words = own.arguments().iter().enumerate();
    for (index, word) in words.skip(known.map_or(0, |known| known.words)) {
        // `yq` reads a word as a file if it exists, otherwise as an expression.
        let is_file = |context: &Context| context.absolute(word.to_string()).exists();
        let is_text = texts.contains(&index) && (!own.is_named("yq") || !folders.iter().any(is_file));
        if known.is_none() && !is_known(word, own)
            || !is_text && !is_in_project(word, folders)?
            || !is_text && folders.iter().any(|context| found::shows_secret(own, word, context))
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns `true` if no settings file of this name is in a folder of the session, or above it in the project. `.git`
/// means a repository with its own settings.
fn goes_by_no(name: &str, context: &Context) -> bool {
    if name == ".git" {
        return repository::is_harmless(context);
    }
    context.cwd.starts_with(&context.project_dir)
        && up_to_the_project(context).all(|folder| folder.join(name).symlink_metadata().is_err())
}

/// Returns a session's folder, and the folders above it in the project.
fn up_to_the_project(context: &Context) -> impl Iterator<Item = &Path> {
    context.cwd.ancestors().take_while(|folder| folder.starts_with(&context.project_dir))
}

fn names(command: &Command, folders: &[Context], is_it: fn(&Path) -> bool) -> Result<bool, Error> {
    for word in command.arguments() {
        let Some(name) = word.literal() else { return Ok(true) };
        for context in folders {
            if is_it(&context.path(name)?.resolved) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn is_harmless(redirection: &Redirection, level: Level, folders: &[Context]) -> Result<bool, Error> {
    use RedirectionOperator as Operator;
    let target = redirection.target.literal();
    Ok(match redirection.operator {
        Operator::HereDocument | Operator::HereString => is_printable(&redirection.target),
        Operator::DuplicateInput | Operator::DuplicateOutput => {
            target.is_some_and(|target| target == "-" || consists_of("0123456789", target))
        }
        // A redirection has no options.
        Operator::Input => target.is_some() && are_open(target, folders)?,
        _ if target == Some("/dev/null") => true,
        operator => target.map_or(Ok(false), |target| level.writes(operator, target, folders))?,
    })
}

/// Returns `true` if a word contains no expansions, except patterns of file names that cannot become
/// options, and the names that `find` has found.
fn is_known(word: &Word, command: &Command) -> bool {
    // Found names begin with a named folder; those that `xargs` inserts go to programs that accept any name.
    let is_found = command.via.last().is_some_and(|via| via.is_prefix("find xargs"));
    if is_found && word.parts.iter().any(names::is_argument) {
        return word.parts.iter().all(|part| names::is_argument(part) || part.literal().is_some());
    }
    is_pattern(word)
}

/// Returns `true` if a word contains no expansions, except patterns of file names that cannot become
/// options.
fn is_pattern(word: &Word) -> bool {
    // `*` and `-a*` may find a file whose name is an option.
    let start = word.known_start();
    word.parts.iter().all(is_literal_or_pattern)
        && (word.literal().is_some() || !start.is_empty() && !start.starts_with('-'))
}

fn is_literal_or_pattern(part: &Part) -> bool {
    part.kind().is_none_or(|kind| matches!(kind, ExpansionKind::Bracket | ExpansionKind::Glob))
}

/// Returns `true` if a word may be printed. The output of a substitution was checked as a command of its own.
fn is_printable(word: &Word) -> bool {
    use ExpansionKind as Is;
    word.parts.iter().filter_map(Part::kind).all(|kind| {
        matches!(kind, Is::Arguments | Is::Command | Is::Folder | Is::Arithmetic | Is::Brace | Is::Sequence)
    })
}

/// Returns `true` if no part of a word names a file outside the project or a hidden file, from any of the folders.
///
/// A word that begins with `-` may be a file, too: after `--`, or for a program that accepts options only at the start.
fn is_in_project(word: &Word, folders: &[Context]) -> Result<bool, Error> {
    let text = word.to_string();
    let mut names: Vec<&str> = text.split(['=', ':', ',']).collect();
    names.push(&text);
    match text.strip_prefix('-') {
        // `-f.env` is an option with a file after its letter, and `-nf.env` are two.
        Some(option) if !option.starts_with('-') => {
            names.extend(option.char_indices().skip(1).map(|(index, _)| &option[index..]));
        }
        Some(option) => names.extend(option.split_once('=').map(|(_, value)| value)),
        None => {}
    }
    are_open(names, folders)
}

fn are_open<'a>(names: impl IntoIterator<Item = &'a str>, folders: &[Context]) -> Result<bool, Error> {
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        for context in folders {
            if !is_open(name, context)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn is_open(name: &str, context: &Context) -> Result<bool, Error> {
    if name.starts_with('~') {
        return Ok(false);
    }
    let path = context.path(name)?;
    // `./...` means all packages to go.
    let is_hidden = |name: &str| name.len() > 1 && name.starts_with('.') && name != "...";
    let is_closed = |name: String| name.split('/').any(is_hidden);
    let home = context.absolute("~");
    Ok(path.relative.is_some()
        && !path.relative_names().any(is_closed)
        && !path.names().any(|name| files::kind(name, &home, bounded::text).is_some() || files::kind_of_folder(name)))
}

// The list has Unix paths, and runs bash.
#[cfg(test)]
#[cfg(unix)]
mod list;

#[cfg(test)]
#[cfg(windows)]
mod windows {
    use super::*;

    /// Returns `true` if a command is approved in a project with a file `.env`.
    fn is_allowed(command: &str) -> bool {
        let project = test_support::folder();
        std::fs::write(project.path().join(".env"), "").unwrap();
        let mut context = Context::default();
        context.cwd = project.path().to_owned();
        context.project_dir = project.path().to_owned();
        let call = PreToolUse::new("Bash", tool::Bash::new(command));
        approve_read_only(call, context, Config::default())
            .is_ok_and(|answer| answer == Some(PreToolUseAnswer::allow()))
    }

    #[test]
    fn files_of_the_project_are_looked_at_by_names_that_mean_one_file() {
        for command in ["ls", "cat src/main.rs | head -n 20", "grep -rn 'fn main' src", "cd src && cat 'A B.rs'"] {
            assert!(is_allowed(command), "{command}");
        }
        for command in [
            "cat .env", "cat .ENV", "cat src/../.env", "cat .env.", "cat .env::\\$DATA", "cat '.git\\config'",
            "cat C:/Windows/win.ini", "cat C:win.ini", "cat /etc/passwd", "cat /c/Users/me/x", "cat //server/share/x",
            "cat '\\\\server\\share\\x'", "cd /c && cat x", "cat NUL",
        ] {
            assert!(!is_allowed(command), "{command}");
        }
    }
}
