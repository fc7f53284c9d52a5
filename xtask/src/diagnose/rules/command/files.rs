//! Rules about the files that a command names: they exist, are executable, and are in a folder that exists.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use hookkit_shell::Operator;

use super::{BUILT_IN, Call, Command, End, Form, MAKE_NO_FOLDER, Role};
use crate::diagnose::finding::{Finding, Fix, Surroundings};
use crate::diagnose::rules::shell;
use crate::diagnose::rules::shell::{Simple, Word};
use crate::disk::bounded;
use crate::settings::code::Code;
use crate::terminal::quoted;

/// Checks a file that is called; `written` are the files that the line itself creates.
pub(super) fn file(command: &Command<'_>, call: &Call<'_>, written: &BTreeSet<PathBuf>, findings: &mut Vec<Finding>) {
    // Another command decides if it is called.
    if !call.is_certain {
        return;
    }
    let name = &call.value;
    let never_runs = || command.without(call);
    let is_exec = matches!(command.form, Form::Exec(_));
    if call.role == Role::Program && !name.contains('/') {
        let is_built_in = !is_exec && BUILT_IN.contains(&&**name);
        if is_built_in || call.end == End::Tolerated || on_path(name, command.surroundings) != Some(false) {
            return;
        }
        let finding = match is_exec && name.contains(' ') {
            true => one_name(name, never_runs()),
            false => Finding::new(
                Code::ProgramNotFound,
                format!("there is no program `{name}` on the PATH"),
                never_runs(),
                "install it, or write its absolute path",
            ),
        };
        findings.push(finding);
        return;
    }
    if let Some(word) = call.word
        && word.raw.starts_with(['"', '\''])
        && name.starts_with("~/")
    {
        let what = format!("the shell does not expand `~` in quotes: {}", word.raw);
        findings.push(Finding::new(
            Code::QuotedExpansion,
            what,
            never_runs(),
            "write `\"$HOME\"` instead",
        ));
        return;
    }
    if let Some(word) = call.word
        && let Some(variable) = variable(name).filter(|_| word.raw.starts_with('\''))
    {
        let what = format!("the shell does not expand `{variable}` in single quotes: {}", word.raw);
        let edit = format!("write `\\\"{name}\\\"`, with backslashes, since it is in a JSON string");
        let finding = Finding::new(Code::QuotedExpansion, what, never_runs(), edit);
        let is_plain = word.raw == format!("'{name}'") && !name[1..].contains(['"', '\\', '`', '$']);
        findings.push(match &command.form {
            Form::Shell(text, _) if is_plain => {
                let mut edited = (*text).to_owned();
                edited.replace_range(word.span.clone(), &format!("\"{name}\""));
                let key = "command".to_owned();
                finding.fixed_by(Fix::Set {
                    key,
                    value: edited.into(),
                })
            }
            _ => finding,
        });
        return;
    }
    // There is another finding for it.
    if name.starts_with(['~', '$']) {
        return;
    }
    let is_relative = Path::new(name).is_relative();
    if is_relative && !call.is_in_place {
        return;
    }
    let path = command.path(call);
    let of_plugin = of_plugin(command, call);
    match &path {
        Some(path) if is_missing(path) => {
            if written.contains(path) {
                return;
            }
            let finding = match is_exec && call.role == Role::Program && name.contains(' ') {
                true => one_name(name, never_runs()),
                false => Finding::new(
                    Code::MissingFile,
                    match is_relative {
                        true => format!("there is no file `{name}` in the project"),
                        false => format!("there is no file `{name}`"),
                    },
                    never_runs(),
                    match of_plugin {
                        Some(edited) => format!("write `{edited}`"),
                        None => "correct the path, create the file, or remove the hook".to_owned(),
                    },
                ),
            };
            findings.push(finding);
            return;
        }
        _ if is_relative && of_plugin.is_none() && command.surroundings.plugin.is_some() => {}
        _ if is_relative => findings.push(relative(command, call)),
        _ => {}
    }
    if let Some(path) = path {
        permissions(&path, call.role, never_runs, findings);
    }
}

/// Returns the variable that a path begins with, as it is written.
fn variable(path: &str) -> Option<&str> {
    let folder = path.split('/').next()?;
    let name = folder.strip_prefix('$')?;
    let name = name
        .strip_prefix('{')
        .map_or(Some(name), |name| name.strip_suffix('}'))?;
    (shell::is_name(name) && folder.len() < path.len()).then_some(folder)
}

/// Returns the finding for a whole line in place of a program's name.
fn one_name(name: &str, does: String) -> Finding {
    Finding::new(
        Code::CommandLineWithArgs,
        format!("with `args`, `{name}` is the name of one program"),
        does,
        "move the words after the program into `args`",
    )
}

/// Returns how a plugin's hook names a file that the plugin has, in place of a path in the project.
fn of_plugin(command: &Command<'_>, call: &Call<'_>) -> Option<String> {
    let plugin = command.surroundings.plugin.as_ref()?;
    let path = Path::new(&call.value);
    let of_project = command
        .surroundings
        .project
        .as_ref()
        .and_then(|project| path.strip_prefix(project).ok());
    let within = of_project.or_else(|| path.is_relative().then_some(path))?;
    let within = within.strip_prefix(".").unwrap_or(within);
    let name = quoted(within.to_str()?);
    plugin.join(within).is_file().then(|| match command.form {
        Form::Shell(..) => format!("\"${{CLAUDE_PLUGIN_ROOT}}\"/{name}"),
        Form::Exec(_) => format!("${{CLAUDE_PLUGIN_ROOT}}/{name}"),
    })
}

fn relative(command: &Command<'_>, call: &Call<'_>) -> Finding {
    let name = &call.value;
    // Observed: the hook runs in the session's current folder, which a `cd` in a Bash call changes.
    let what = format!("`{name}` is relative to the session's current folder");
    let does = format!("after a `cd` of the session {}", command.without(call));
    let of_plugin = of_plugin(command, call);
    if of_plugin.is_some() || command.surroundings.project.is_none() {
        let fix = of_plugin.map_or("write its absolute path".to_owned(), |edited| {
            format!("write `{edited}`")
        });
        return Finding::new(Code::RelativePath, what, does, fix);
    }
    let bare = name.trim_start_matches("./");
    let (edited, fix) = match (&command.form, call.word) {
        // The author may have meant another folder.
        (Form::Shell(..), Some(word)) if word.has_expansions() => {
            (format!("\"$CLAUDE_PROJECT_DIR\"/{}", quoted(bare)), None)
        }
        (Form::Shell(text, _), Some(word)) => {
            let raw = word.raw.trim_start_matches("./");
            let edited = format!("\"$CLAUDE_PROJECT_DIR\"/{raw}");
            let mut text = (*text).to_owned();
            text.replace_range(word.span.clone(), &edited);
            let key = "command".to_owned();
            let fix = Fix::Set {
                key,
                value: text.into(),
            };
            (edited, Some(fix))
        }
        (Form::Exec(words), _) => {
            let edited = format!("${{CLAUDE_PROJECT_DIR}}/{bare}");
            let at = words.iter().position(|word| word == name);
            let fix = at.map(|at| command.set(at, edited.clone()));
            (edited, fix)
        }
        _ => (bare.to_owned(), None),
    };
    Finding {
        edit: fix,
        ..Finding::new(Code::RelativePath, what, does, format!("write `{edited}`"))
    }
}

/// Checks that the folders exist that the shell changes to, or creates files in.
pub(super) fn folders(hook: &Command<'_>, findings: &mut Vec<Finding>) {
    let commands = hook.commands();
    let makes_one = |command: &Simple<'_>| {
        let mut name = command.words.iter().take(1).map(|word| word.raw);
        name.any(|name| !MAKE_NO_FOLDER.contains(&name))
    };
    let is_made = matches!(hook.form, Form::Shell(text, _) if text.contains("mkdir"));
    if is_made {
        return;
    }
    let decides = |command: &Simple<'_>| !matches!(command.operator, None | Some(Operator::And));
    let last = commands.iter().rposition(decides).map_or(0, |number| number + 1);
    let until = commands.iter().position(makes_one).unwrap_or(commands.len());
    for (number, command) in commands.iter().enumerate().take(until + 1) {
        let is_last = number >= last;
        if !command.is_certain || command.is_tolerated {
            continue;
        }
        let mut missing = None;
        for target in &command.targets {
            let parent = named(hook, target, command.is_in_place).and_then(|path| Some(path.parent()?.to_owned()));
            if let Some(parent) = parent.filter(|parent| is_missing(parent)) {
                let message = format!("cannot create {}: Directory nonexistent", target.raw);
                missing = missing.or(Some((parent, message)));
            }
        }
        if let [cd, folder] = &command.words[..]
            && cd.raw == "cd"
            && command.operator == Some(Operator::And)
            && let Some(folder) = named(hook, folder, command.is_in_place).filter(|folder| is_missing(folder))
        {
            let message = format!("cd: can't cd to {}", folder.display());
            missing = missing.or(Some((folder, message)));
        }
        let Some((folder, message)) = missing else { continue };
        // bash exits with 1 here.
        let does = match hook.surroundings.is_dash() && !hook.handler.is_async() {
            true => hook.with_two("/bin/sh", is_last, message),
            false => hook.handler.never_runs(),
        };
        let what = format!("there is no folder `{}`", folder.display());
        findings.push(Finding::new(
            Code::MissingFolder,
            what,
            does,
            "create it, or write `mkdir -p` with its path before the command",
        ));
        return;
    }
}

/// Returns the path that a word names, if it is known.
fn named(hook: &Command<'_>, word: &Word<'_>, is_in_place: bool) -> Option<PathBuf> {
    let path = PathBuf::from(word.value(hook.surroundings)?);
    let project = hook.surroundings.project.as_ref().filter(|_| is_in_place);
    if path.is_absolute() {
        Some(path)
    } else {
        Some(project?.join(path))
    }
}

/// Returns the files that the commands of a hook write their output to.
pub(super) fn written(hook: &Command<'_>) -> BTreeSet<PathBuf> {
    let mut written = BTreeSet::new();
    for command in hook.commands() {
        let targets = command.targets.iter();
        written.extend(targets.filter_map(|target| named(hook, target, command.is_in_place)));
    }
    written
}

/// Returns `true` if a file certainly does not exist.
fn is_missing(path: &Path) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    fs::metadata(path).is_err_and(|err| matches!(err.kind(), NotFound | NotADirectory))
}

/// Returns `true` if a program is on the PATH; `None` if that is unknown.
fn on_path(name: &str, surroundings: &Surroundings) -> Option<bool> {
    let path = surroundings.path.as_ref().filter(|_| cfg!(unix))?;
    Some(std::env::split_paths(path).any(|folder| {
        let metadata = fs::metadata(folder.join(name));
        metadata.is_ok_and(|metadata| metadata.is_file() && mode(&metadata) & 0o111 != 0)
    }))
}

#[cfg(unix)]
fn mode(metadata: &fs::Metadata) -> u32 {
    use std::os::unix::fs::MetadataExt;
    metadata.mode()
}

#[cfg(not(unix))]
fn mode(_metadata: &fs::Metadata) -> u32 {
    0o555
}

fn permissions(path: &Path, role: Role, never_runs: impl Fn() -> String, findings: &mut Vec<Finding>) {
    let Ok(metadata) = fs::metadata(path) else { return };
    let shown = path.display();
    if metadata.is_dir() {
        if role == Role::Program {
            let what = format!("`{shown}` is a folder");
            findings.push(Finding::new(
                Code::FolderAsProgram,
                what,
                never_runs(),
                "write the program's path",
            ));
        }
        return;
    }
    if !metadata.is_file() {
        return;
    }
    if role == Role::Program && mode(&metadata) & 0o111 == 0 {
        let what = format!("`{shown}` is not executable");
        let edit = format!("run `chmod +x {}`", quoted(&shown.to_string()));
        findings.push(
            Finding::new(Code::NotExecutable, what, never_runs(), edit).fixed_by(Fix::MakeExecutable(path.to_owned())),
        );
    } else if role == Role::Program && has_carriage_return(path) {
        let what = format!("the `#!` line of `{shown}` ends in a carriage return, which is part of the program's name");
        findings.push(Finding::new(
            Code::CarriageReturn,
            what,
            never_runs(),
            "save it with Unix line endings",
        ));
    }
    const FOR_ALL: u32 = 0o002;
    // In a sticky folder, only a file's owner can replace it.
    const STICKY: u32 = 0o1000;
    let mut open = |path: &Path, kind: &str| {
        let does = "every user of this machine can change what runs in your sessions";
        let what = format!("every user can write to {kind}`{}`", path.display());
        let fix = format!("run `chmod o-w {}`", quoted(&path.display().to_string()));
        findings.push(Finding::new(Code::WritableByOthers, what, does, fix).fixed_by(Fix::Protect(path.to_owned())));
    };
    if mode(&metadata) & FOR_ALL != 0 {
        open(path, "");
    }
    if let Some(folder) = path.parent()
        && fs::metadata(folder).is_ok_and(|folder| mode(&folder) & (FOR_ALL | STICKY) == FOR_ALL)
    {
        open(folder, "the folder ");
    }
}

fn has_carriage_return(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = bounded::open(path).and_then(|file| file.take(256).read_to_end(&mut start));
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    read.is_ok() && line.starts_with(b"#!") && line.ends_with(b"\r")
}
