//! Guard for shell commands that destroy data for good.

mod allowed;
mod behind;
mod code;
mod disk;
mod explained;
mod files;
mod find;
mod git;
mod guards;
mod keys;
mod others;
mod place;
mod powershell;
mod processes;
mod rules;
mod services;
mod session;
pub(crate) mod taken;
mod valued;
mod written;

use hookkit::shell::programs::runs_value;

use crate::change::script;
use crate::effects::changes::{is_too_long, redirected, targets};
use crate::folders::commands;
use crate::prelude::*;
use crate::protected::shell::by_command;
use crate::variables::{NEW_CONTAINER, Value};

pub use allowed::AllowedCommands;

use allowed::Allowed;
use place::{Places, Target};

/// Denies shell commands that destroy data for good, and asks about commands that may.
///
/// A model deletes, overwrites and force-pushes as readily as it lists files, and a session that works on its own is
/// not watched. The guard parses the command line as a shell does ([`hookkit::shell`]): quotes, `sh -c`, `sudo`,
/// `xargs`, substitutions and lists hide nothing, and a commit message that mentions `rm -rf /` is only a message.
///
/// | | denied | asked about |
/// |---|---|---|
/// | `rm`, `find -delete` | `/`, the home folder, folders of the system, the project itself, `.git` | files outside the project; names that are not literal, such as those that another command prints (`rm $(cat list)`); whatever `find` finds in the whole project other than by name (`find . -mtime -1 -delete`); files with changes that git does not have; a folder that holds a repository or a working tree with work of its own |
/// | `mv` | the same | files outside the project that go to a folder for temporary files |
/// | `chmod -R`, `chown -R`, `setfacl -R`, `chattr -R` | the same, but not within the project | the same |
/// | `find -exec` | like the program that it runs | like the program that it runs |
/// | disks | `mkfs`, `wipefs` …, everything that writes to a device | |
/// | `truncate`, `cp /dev/null f`, `: > f`, `sort f > f`, `tar --remove-files` | like `rm` | like `rm` |
/// | `shred`, `wipe` | devices | all files except temporary ones |
/// | `cp`, `mv`, `tee`, `sed -i`, `curl -o`, `chmod`, `> f` | | files in `~/Documents`, `~/Desktop` and the like, from a project elsewhere; a file with content outside the project that `>`, `tee`, `cp`, `mv` or `install` overwrites |
/// | git | `push --force`, `--mirror` | `push --delete`, `clean -f`, `reset --hard`, `switch -f`, `checkout`, `restore` and `rm -f` of files whose current content git does not have, `branch -D` and `-f`, `tag -d`, `stash drop`, `prune`, `merge --abort` while conflicts are resolved, `filter-branch` …, but no files of a working tree below `/tmp`; `patch -R` of a patch from a pipe; `svn revert`, `hg update --clean`; commands that git runs by settings, variables, `rebase -x`, `submodule foreach`, `bisect run` and `ext::` are judged like lines; a program of the project that git connects with (`GIT_SSH=./x`) |
/// | services | | deletions by the command lines of some hundred services: `terraform destroy`, `kubectl delete`, `vault kv delete`, `kafka-topics --delete`; tasks that empty a database (`rails db:drop`, `sqlx database reset`); `DROP TABLE`, `UPDATE` without `WHERE`, `FLUSHALL`, also in code (`rails runner User.delete_all`), but not in SQLite's temporary files or a database of tests (`app_test`); `curl -X DELETE`, except to the user's own server |
/// | rights | | `chmod u+s`, `chmod 000` of the system's files; a container with the whole disk, a folder of the system, a disk, the socket of the engine or all rights (`docker run -v /etc:/e`, `--privileged`); changes of files that decide who may do what (`/etc/sudoers`, `/etc/passwd`, `~/.ssh/authorized_keys`) or that run code later (profiles of shells, units of systemd, jobs of cron, `~/.gitconfig`), and of the system's programs; archives that are unpacked over the system, and folders that are copied over it; libraries that programs load (`LD_PRELOAD=./x.so ls`); `direnv allow`, `mise trust` |
/// | hookkit | commands that are for a person, however the program is spelled: `cargo xtask off`, `allow-once`, `uninstall`, `add --yes`, `sync --accept`, `verify --accept` …, and `cargo uninstall cargo-hookkit` | |
/// | the machine | `kill -9 -1`, `killall5`, a function that starts itself without end | killing programs by a name that others may share (`pkill node`, `kill $(pgrep java)`), hooks (`pkill -f hookkit`), or stopping all containers at once (`docker stop $(docker ps -q)`, `podman stop --all`), but not by PID, port or whole command line; `shutdown`, `userdel`, `crontab -r`, firewalls, `setenforce 0`, `ssh-keygen` over an existing key, `apt purge` of a database's server |
/// | other languages | like a command, if the call has its text in the code: `os.system("rm -rf /")`, `shutil.rmtree("/")`, `sed '1e rm -rf /'` | like a command, also for files that it writes (`fs.writeFileSync("/etc/passwd", x)`); `python -c`, `node -e`, `Rscript -e`, `awk`, `sed` and the like that delete or start something that is not a text in the code; code from a pipe or a substitution (`curl … \| python3`) |
/// | scripts that the line writes | like their commands | like their commands; programs that the line fetches or decodes and then runs, also by another name (`curl -o x …; mv x y; ./y`); shells for other machines (`nc -e`) |
///
/// Commands that cannot be analyzed are asked about, too: a command whose name is not literal, `curl … | sh`, `eval
/// "$x"`, and syntax that shells read differently. Non-literal parts of a script count as plain words: `sh -c "cd $x &&
/// make"` passes, and `xargs -I{} sh -c 'rm -rf {}'` does not. A program in a variable of the session passes (`$EDITOR
/// x`, `$VENV/bin/pip`), unless its arguments would be stopped, or the variable has the name of a program that would be
/// (`$GIT`). Each command of the PowerShell tool, of `powershell` and of `cmd /c` is also asked about, because hookkit
/// does not analyze them. It is denied if its words delete a drive, the home folder or the system, or erase a disk.
/// `cmd /c` passes with commands that only print, and with tools of the project. If the user cannot be asked, as in
/// print mode, the client denies the call (client 2.1.330).
///
/// A command run by an MCP server's tool is judged like a Bash command: a text or a list of words under names such as
/// `command`, `cmd`, `script` and `cli_command`, and `args` of a tool with the name of a program (`kubectl`). `code` is judged
/// like `python -c`, and SQL like `psql -c`.
///
/// Since client 2.1.332, commands in the text of a skill (`` !`git status` ``) are judged like the model's; older
/// clients do not call hooks for them. A skill cannot wait for the user, so a command that would be asked about does
/// not run there.
///
/// A command in a container or on another machine (`docker exec`, `docker run`, `ssh host …`) is asked about but never
/// denied, because its paths are not on this machine. A command that `docker run` starts may delete files: its
/// container is new. Words after an unsupported program (`hyperfine 'rm -rf ~'`) are asked about if they would be
/// denied by themselves, or are a git command that would be stopped. For a program without a row in the table, the
/// guard also asks about such texts in quotes within a word (`luajit -e 'os.execute("rm -rf ~")'`) or on its stdin,
/// about a word that deletes next to a path of the system, and about SQL that deletes after `-c`, `-e`, `-q`,
/// `--command`, `--execute` and `--query`. Programs that only judge, explain or store a text pass: `cargo xtask explain
/// 'rm -rf /'`, `tracker new --description 'git push --force'`. Caches that programs refill (`~/.cache/pip`) count as
/// temporary, like `/tmp`.
///
/// The guard asks git if it has the current content of a file. If there are too many files to ask git about, the guard
/// asks the user. If git fails, the guard asks about git commands, but not about deletions.
///
/// Everything else passes, including `rm -r` of a folder within the project or below `/tmp`: a build directory can be
/// cleaned. Files that git can bring back are not lost. Files that git ignores, or that have the name of a build's
/// output (`target`, `x.log`), can be made again. Files made since the session began are the session's own. Any other
/// file that git does not have may be the only copy, and is asked about. So is a folder that contains, even some levels
/// deep, a repository or a linked working tree with uncommitted files, or with commits that no other repository has. A
/// variable that the line itself sets has its value, if that is certain: `d=build; rm -rf "$d"`, `for d in build dist;
/// do …`, `a=(x y)`, `read d <<< build`, `tmp=$(mktemp -d)`, and `"$TMPDIR/x"`; also in options (`o=-fdx; git clean
/// $o`), but not in the script of another shell. The output of `echo`, `printf` and `cat` of a here-document is read in
/// a substitution, in a pipeline and for `xargs`: `echo 'drop table x' | psql`. A name in code counts if it is assigned
/// once, to a temporary folder: `d = tempfile.mkdtemp()`. `$1` and `"$@"` of a function, of `bash -c` and of `set --`
/// have their values, too: `f() { rm "$1"; }; f /etc/passwd`. A folder in the variable `TMPDIR` is temporary, like
/// `/tmp`, unless it is the system's, or contains the home folder or the project.
///
/// A workspace allows commands that would be asked about, in its Cargo.toml ([`AllowedCommands`]). Denied commands stay denied.
/// The list is compiled into the hook, so that no checkout and no command changes it:
///
/// ```toml
/// [workspace.metadata.hookkit.hooks.deny-destruction.config]
/// allow = ["terraform apply -auto-approve", "kubectl delete pod *"]
/// ```
///
/// `cargo xtask explain 'terraform destroy'` prints the edit that allows a command, if there is one.
///
#[doc = include_str!("../limits/deny-destruction.md")]
///
/// # Errors
///
/// None. If the process fails, the command is denied.
#[hook(PreToolUse | PreSkillShellCommand, matcher = "^(?:Bash|PowerShell|mcp__.*)$", timeout = 5)]
pub fn deny_destruction(
    call: PreToolUse<Change>,
    context: Context,
    environment: Environment,
    config: Config<AllowedCommands>,
) -> Option<PreToolUseAnswer> {
    let found = match &call.input {
        Change::PowerShell(line) => powershell::judge(&line.command),
        _ => {
            let line = &script(&call);
            let danger = judge(line, &context, environment, &Allowed::of(&config))?;
            explained::with_edit(danger, line, &context, environment, &config)
        }
    };
    Some(match found {
        Certain(why) => PreToolUseAnswer::deny(denial(&why)),
        found => PreToolUseAnswer::ask(found.why()),
    })
}

fn denial(text: &str) -> String {
    format!(
        "{text}. It cannot be undone: do not try it in another way, and ask the user to run it themselves if it is intended"
    )
}

/// Returns this guard's reason if the line deletes data for good; if not, the other guard's reason for its denial.
///
/// If several guards deny a call, the model reads the reason of the one that ends last (client 2.1.332). That reason
/// must not mention a single file if the home folder is deleted.
pub(crate) fn or_worse(reason: String, text: &str, context: &Context, environment: Environment) -> String {
    let script = &shell::analyze(text);
    let places = Places::new(Line { text, script, context, environment });
    // Runs only a part of `judge`, which would double the size of the other guard's program.
    let deletes = |command: &Command| {
        let changes: Vec<_> = redirected(command).chain(targets(command)).collect();
        files::delete(command, &changes, places.at(command).as_ref().unwrap_or(&places))
    };
    commands(script).iter().filter_map(deletes).find(Found::is_certain).map_or(reason, |found| denial(&found.why()))
}

/// Returns a question about a command with this effect.
#[cold]
#[inline(never)]
fn ask(command: &Command, what: &str) -> Option<Found> {
    Some(Asked(format!("`{}` {what}", readable(command))))
}

/// Returns the denial of a command with this effect.
#[cold]
#[inline(never)]
fn deny(command: &Command, what: &str) -> Option<Found> {
    Some(Certain(format!("`{}` {what}", readable(command))))
}

/// Returns the worst danger of a command line.
fn judge(text: &str, context: &Context, environment: Environment, allowed: &Allowed) -> Option<Found> {
    let script = &shell::analyze(text);
    let line = Line { text, script, context, environment };
    // The list of allowed commands does not cover those that git runs.
    let nothing = Allowed::default();
    let run = script.commands().iter().flat_map(|command| {
        assigned(command).filter_map(|(name, value)| loads(name, &value).or_else(|| connects_by(command, name, &value)))
    });
    let unknown = script.unanalyzed().iter().filter(|unanalyzed| match unanalyzed.why {
        Why::Indirection | Why::ScriptPart => valued::may_hide(unanalyzed, script),
        why => is_asked(why) && !session::has(unanalyzed, script),
    });
    let values = LazyCell::new(|| Variables::of(line));
    let is_one_folder = LazyCell::new(|| Folders::of(script, context).only().is_some());
    let unknown = unknown.filter_map(|unanalyzed| match valued::lines(unanalyzed, script, &values) {
        Some(lines) if *is_one_folder => {
            Found::worst((lines.iter()).filter_map(|line| judge(line, context, environment, &nothing)))
        }
        _ => Some(Asked(format!("hookkit cannot tell what this runs: {unanalyzed}"))),
    });
    Found::worst(
        known(line, allowed)
            .into_iter()
            .chain(run)
            .chain(written::run(line))
            .chain(others::multiplies(line))
            .chain(unknown),
    )
}

/// Returns `true` for a program or a library that is not the system's.
fn is_own(path: &str) -> bool {
    path.contains('/') && !begins("/bin/ /lib /opt/ /usr/", path)
}

/// Returns the danger of a library that every later program loads.
fn loads(variable: &str, value: &Value) -> Option<Found> {
    let Value::One(value) = value else { return None };
    let value = value.to_string();
    let is_loaded = lists("DYLD_INSERT_LIBRARIES LD_AUDIT LD_PRELOAD", variable);
    let own = value.split([':', ' ']).find(|path| is_loaded && is_own(path))?;
    Some(Asked(format!("`{variable}` makes programs run the code in `{own}`")))
}

/// Returns the danger if git uses a program of the project to connect, ask for a password, or compare.
fn connects_by(command: &Command, variable: &str, value: &Value) -> Option<Found> {
    if !variable.starts_with("GIT_") || !runs_value(variable) {
        return None;
    }
    let script = shell::analyze(value.literal()?);
    let name = script.commands().first()?.name()?;
    let git = Git::of(command);
    let is_here = git.is_some_and(|git| !git.words.is_empty() && !git::connects(git.words));
    let is_asked = is_own(name) && !(is_here && variable.starts_with("GIT_SSH"));
    is_asked.then(|| Asked(format!("git runs `{name}` because of `{variable}`")))
}

/// Returns the worst danger of the commands that could be analyzed.
fn known(line: Line, allowed: &Allowed) -> Option<Found> {
    let places = Places::new(line);
    let variables = Variables::of(line);
    let commands = commands(line.script);
    // An allowed command has the variables of the session.
    let sets_variables = commands.iter().any(|command| {
        let sets = command.is_named(". declare export readonly source typeset");
        // Programs only see the session's variables, whose names are in capitals.
        let is_seen = |name: &str| name.bytes().any(|byte| byte.is_ascii_uppercase());
        sets || command.assignments.iter().any(|assignment| is_seen(&assignment.name))
    });
    let of_line = processes::Line::of(&commands);
    let with_values = |command: &Command| {
        let does = match taken::names(line, command) {
            Some(commands) => Found::worst(commands.iter().filter_map(|command| command_does(command, &places))),
            None => command_does(command, &places),
        };
        does.or_else(|| processes::end(command, &of_line, &line.context.project_dir))
    };
    let does = |command: &Command| {
        let commands = variables.commands(command);
        let by_names =
            session::programs(command).into_iter().filter_map(|name| command_does(&with_name(command, &name), &places));
        let found = Found::worst(commands.iter().filter_map(with_values).chain(by_names));
        found.filter(|found| found.is_certain() || sets_variables || !allowed.has(command))
    };
    let by_input = (0..commands.len()).filter_map(|at| written::of_stdin(&commands, at));
    Found::worst(commands.iter().filter_map(does).chain(by_input).chain(to_found(&commands, line, &places)))
}

/// Returns the danger of commands that write to files whose names another command of the line prints.
fn to_found(commands: &[Command], line: Line, places: &Places) -> Option<Found> {
    let is_given = |via: &Via| {
        matches!(via, Via::CommandSubstitution | Via::Loop) || via.is_prefix("bfs fd fdfind find gfind xargs")
    };
    let has_names = commands.iter().flat_map(|command| &command.via).any(is_given);
    let writes = |command: &Command| {
        if command.texts().all(|word| word.literal().is_some()) {
            return false;
        }
        let mut changes = redirected(command).chain(targets(command));
        changes.any(|target| target.pieces.first() == Some(&Piece::Unknown))
    };
    // Most lines write to no such file.
    if !has_names || !commands.iter().any(writes) {
        return None;
    }
    let commands = valued(commands, line);
    let by_command = by_command(&commands, |_| Vec::new()).ok()?;
    Found::worst(commands.iter().zip(by_command).filter_map(|(command, mut targets)| {
        targets.retain(|target| !target.is_sure);
        for target in &mut targets {
            // If the name is uncertain, the folder decides.
            if literal(&target.pieces).is_none() {
                target.pieces = exact(&parted(&target.pieces).0);
            }
        }
        files::write(command, &targets, places.at(command).as_ref().unwrap_or(places))
    }))
}

/// Returns `false` if the unanalyzed code is left to the author: a script file, a function, `PATH`, arithmetic.
fn is_asked(why: Why) -> bool {
    !matches!(why, Why::ScriptFile | Why::Definition | Why::ShellVariable | Why::Arithmetic)
}

fn command_does(command: &Command, places: &Places) -> Option<Found> {
    let command = &*as_found(command);
    let here = places.at(command);
    let places = here.as_ref().unwrap_or(places);
    let elsewhere = command.via.iter().rfind(|via| via.is_elsewhere()).map(|via| match via {
        Via::Prefix(name) if name == NEW_CONTAINER => places.new_container(),
        _ => places.elsewhere(),
    });
    let places = elsewhere.as_ref().unwrap_or(places);
    let found = by_program(command, places).or_else(|| behind::judge(command, places))?;
    // Other machines and containers have other folders, which can be made again.
    Some(if elsewhere.is_some() { Asked(found.why()) } else { found })
}

fn by_program(command: &Command, places: &Places) -> Option<Found> {
    if is_too_long(command) {
        return Some(Asked("a command has too many long words to be analyzed".into()));
    }
    let changes: Vec<_> = redirected(command).chain(targets(command)).collect();
    let findings = [
        services::delete(command),
        powershell::start(command),
        others::destroy(command),
        others::container(command, places),
        keys::replace(command, places),
        guards::turn_off(command, places),
        git::lose(command, places),
        code::judge(command, places),
        disk::change(command),
        files::write(command, &changes, places),
        files::empty(command, places),
        files::delete(command, &changes, places),
        disk::write(command, &changes),
    ];
    Found::worst(findings.into_iter().flatten())
}

/// Returns the command with its program's usual name: file systems of macOS and Windows find `RM` and `GIT.EXE`, too.
fn as_found(command: &Command) -> Cow<'_, Command> {
    let name = command.name().or(command.program()).unwrap_or_default();
    let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
    if !base.bytes().any(|byte| byte.is_ascii_uppercase()) && !name.contains('\\') {
        return Cow::Borrowed(command);
    }
    Cow::Owned(with_name(command, &base.to_ascii_lowercase()))
}

fn with_name(command: &Command, name: &str) -> Command {
    let mut named = command.clone();
    named.words[0] = command.words[0].with_text(name);
    named
}

#[cfg(test)]
mod list;
