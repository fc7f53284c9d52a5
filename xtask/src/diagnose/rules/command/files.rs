//! Rules about a command's files: they must exist, be executable, and be in an existing folder.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hookkit_shell::Operator;
use hookkit_shell::programs::table::lists;

use super::{BUILT_IN, Call, Command, Form, MAKE_NO_FOLDER, Role};
use crate::diagnose::rules::shell::{self, End, Folder, Simple, Word};
use crate::diagnose::surroundings::Surroundings;
use crate::disk::bounded;
use crate::settings::code::{commands, sessions};
use crate::settings::finding::{Edit, Finding};
use crate::terminal::quoted;

/// Checks a called file. `written` are the files that the line itself creates.
pub(super) fn file(command: &Command<'_>, call: &Call<'_>, written: &BTreeSet<PathBuf>, findings: &mut Vec<Finding>) {
    // It is called only if another command decides so.
    if !call.is_certain {
        return;
    }
    let name = &call.value;
    let does = || command.without(call);
    let is_exec = matches!(command.form, Form::Exec(_));
    // A whole line in place of a program name.
    let is_line = is_exec && call.role == Role::Program && name.contains(' ');
    if call.role == Role::Program && !name.contains('/') {
        let is_built_in = !is_exec && lists(BUILT_IN, name);
        if is_built_in
            || matches!(call.end, End::Tolerated | End::Instead)
            || on_path(name, command.surroundings) != Some(false)
        {
            return;
        }
        return findings.push(if is_line {
            commands::command_line_with_args(name, does())
        } else {
            commands::program_not_found(name, does())
        });
    }
    if let Some(word) = call.word {
        if word.raw.starts_with(['"', '\'']) && name.starts_with("~/") {
            return findings.push(commands::quoted_home(word.raw, does()));
        }
        if let Some(variable) = variable(name).filter(|_| word.raw.starts_with('\'')) {
            let is_plain = word.raw == format!("'{name}'") && !name[1..].contains(['"', '\\', '`', '$']);
            let edit = command.with(word, &format!("\"{name}\"")).filter(|_| is_plain);
            return findings.push(commands::quoted_variable(variable, word.raw, name, does()).fixed_by(edit));
        }
    }
    // This has a different finding.
    if name.starts_with(['~', '$']) {
        return;
    }
    let is_relative = Path::new(name).is_relative();
    if is_relative && call.folder == Folder::Other {
        return;
    }
    let path = command.path(call);
    let of_plugin = of_plugin(command, call);
    match &path {
        Some(path) if is_missing(path) => {
            let missing = if is_line {
                commands::command_line_with_args(name, does())
            } else {
                commands::missing_file(name, if is_relative { " in the project" } else { "" }, does())
            };
            let fix = of_plugin.filter(|_| !is_line).map(|edited| format!("write `{edited}`"));
            let fix = fix.unwrap_or_else(|| missing.fix.clone());
            return findings.extend((!written.contains(path)).then_some(Finding { fix, ..missing }));
        }
        _ if is_relative && of_plugin.is_none() && command.surroundings.plugin.is_some() => {}
        _ if is_relative && call.folder == Folder::Session => findings.push(relative(command, call, of_plugin)),
        _ => {}
    }
    if let Some(path) = path {
        permissions(&path, call.role, does, findings);
    }
}

/// Returns the variable at the start of a path, as written.
fn variable(path: &str) -> Option<&str> {
    let folder = path.split('/').next()?;
    let name = folder.strip_prefix('$')?;
    let name = name.strip_prefix('{').map_or(Some(name), |name| name.strip_suffix('}'))?;
    (shell::is_name(name) && folder.len() < path.len()).then_some(folder)
}

/// Returns the plugin path that a plugin's hook should use in place of a path in the project.
fn of_plugin(command: &Command<'_>, call: &Call<'_>) -> Option<String> {
    let plugin = command.surroundings.plugin.as_ref()?;
    let path = Path::new(&call.value);
    let of_project = command.surroundings.project.as_ref().and_then(|project| path.strip_prefix(project).ok());
    let within = of_project.or_else(|| path.is_relative().then_some(path))?;
    let within = within.strip_prefix(".").unwrap_or(within);
    let name = quoted(within.to_str()?);
    plugin.join(within).is_file().then(|| match command.form {
        Form::Shell(..) => format!("\"${{CLAUDE_PLUGIN_ROOT}}\"/{name}"),
        Form::Exec(_) => format!("${{CLAUDE_PLUGIN_ROOT}}/{name}"),
    })
}

fn relative(command: &Command<'_>, call: &Call<'_>, of_plugin: Option<String>) -> Finding {
    let name = &call.value;
    let edited = of_plugin.map(|edited| (edited, None)).or_else(|| in_project(command, call));
    let (fix, edit) = match edited {
        Some((edited, edit)) => (format!("write `{edited}`"), edit),
        None => ("write its absolute path".to_owned(), None),
    };
    // Observed: the hook runs in the session's current folder, which a `cd` in a Bash call changes.
    commands::relative_path(name, command.without(call), fix).fixed_by(edit)
}

/// Returns a file's path with the project's folder variable in front, for a project's hook, and the edit of the hook's
/// command.
fn in_project(command: &Command<'_>, call: &Call<'_>) -> Option<(String, Option<Edit>)> {
    command.surroundings.project.as_ref()?;
    let bare = call.value.trim_start_matches("./");
    Some(match (&command.form, call.word) {
        // The author may have meant another folder.
        (Form::Shell(..), Some(word)) if word.has_expansions() => {
            (format!("\"$CLAUDE_PROJECT_DIR\"/{}", quoted(bare)), None)
        }
        (Form::Shell(..), Some(word)) => {
            let edited = format!("\"$CLAUDE_PROJECT_DIR\"/{}", word.raw.trim_start_matches("./"));
            let edit = command.with(word, &edited);
            (edited, edit)
        }
        (Form::Exec(words), _) => {
            let edited = format!("${{CLAUDE_PROJECT_DIR}}/{bare}");
            let at = words.iter().position(|word| *word == call.value);
            let edit = at.map(|at| command.set(at, edited.clone()));
            (edited, edit)
        }
        _ => (bare.to_owned(), None),
    })
}

/// Checks the folders to which the shell changes, or in which it creates files.
pub(super) fn folders(hook: &Command<'_>) -> Option<Finding> {
    let commands = hook.commands();
    let makes_one = |command: &Simple<'_>| !command.words.is_empty() && !lists(MAKE_NO_FOLDER, command.name());
    if matches!(hook.form, Form::Shell(text, _) if text.contains("mkdir")) {
        return None;
    }
    let decides = |command: &Simple<'_>| !matches!(command.operator, None | Some(Operator::And));
    let last = commands.iter().rposition(decides).map_or(0, |number| number + 1);
    let until = commands.iter().position(makes_one).unwrap_or(commands.len());
    let mut certain = commands.iter().enumerate().take(until + 1);
    certain.find_map(|(number, command)| {
        if !command.is_certain || command.is_tolerated {
            return None;
        }
        let mut missing = command.targets.iter().find_map(|target| {
            let parent = named(hook, target, command.folder)?.parent()?.to_owned();
            let message = format!("cannot create {}: Directory nonexistent", target.raw);
            is_missing(&parent).then_some((parent, message))
        });
        if let [cd, folder] = &command.words[..]
            && cd.raw == "cd"
            && command.operator == Some(Operator::And)
        {
            let folder = named(hook, folder, command.folder).filter(|folder| is_missing(folder));
            let message = |folder: PathBuf| (folder.clone(), format!("cd: can't cd to {}", folder.display()));
            missing = missing.or(folder.map(message));
        }
        let (folder, message) = missing?;
        // Here, bash exits with 1.
        let does = if hook.surroundings.dash().is_some() && !hook.handler.is_async() {
            hook.with_two("/bin/sh", number >= last, message)
        } else {
            hook.handler.never_runs().to_owned()
        };
        Some(commands::missing_folder(folder.display(), does))
    })
}

/// Returns the path in a word, if it can be determined.
fn named(hook: &Command<'_>, word: &Word<'_>, folder: Folder) -> Option<PathBuf> {
    let path = PathBuf::from(word.value(hook.surroundings)?);
    let project = hook.surroundings.project.as_ref().filter(|_| folder != Folder::Other);
    if path.is_absolute() { Some(path) } else { Some(project?.join(path)) }
}

/// Returns the files to which a hook's commands write their output.
pub(super) fn written(hook: &Command<'_>) -> BTreeSet<PathBuf> {
    let targets =
        hook.commands().iter().flat_map(|command| command.targets.iter().map(move |target| (target, command.folder)));
    targets.filter_map(|(target, folder)| named(hook, target, folder)).collect()
}

/// Returns `true` if a file certainly does not exist.
fn is_missing(path: &Path) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    fs::metadata(path).is_err_and(|err| matches!(err.kind(), NotFound | NotADirectory))
}

/// Returns `true` if a program is on the PATH; `None` if that cannot be determined.
fn on_path(name: &str, surroundings: &Surroundings) -> Option<bool> {
    let path = surroundings.path.as_ref()?;
    Some(std::env::split_paths(path).any(|folder| {
        let metadata = fs::metadata(folder.join(name));
        metadata.is_ok_and(|metadata| metadata.is_file() && metadata.mode() & 0o111 != 0)
    }))
}

fn permissions(path: &Path, role: Role, does: impl Fn() -> String, findings: &mut Vec<Finding>) {
    let Ok(metadata) = fs::metadata(path) else { return };
    let is_program = role == Role::Program;
    if metadata.is_dir() {
        return findings.extend(is_program.then(|| commands::folder_as_program(path.display(), does())));
    }
    if !metadata.is_file() {
        return;
    }
    let typed = |path: &Path| quoted(path.display());
    let named = |path: &Path| format!("`{}`", path.display());
    if is_program && metadata.mode() & 0o111 == 0 {
        let finding = commands::not_executable(named(path), typed(path), does());
        findings.push(finding.fixed_by(Edit::MakeExecutable(path.to_owned())));
    } else if is_program && has_carriage_return(path) {
        findings.push(commands::carriage_return(path.display(), does()));
    }
    const FOR_ALL: u32 = 0o002;
    // In a sticky folder, only the owner of a file can replace it.
    const STICKY: u32 = 0o1000;
    let open =
        |path: &Path, named: String| sessions::open_to_all(named, typed(path)).fixed_by(Edit::Protect(path.to_owned()));
    if metadata.mode() & FOR_ALL != 0 {
        findings.push(open(path, named(path)));
    }
    if let Some(folder) = path.parent()
        && fs::metadata(folder).is_ok_and(|folder| folder.mode() & (FOR_ALL | STICKY) == FOR_ALL)
    {
        findings.push(open(folder, format!("the folder {}", named(folder))));
    }
}

fn has_carriage_return(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = bounded::open(path).and_then(|file| file.take(256).read_to_end(&mut start));
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    read.is_ok() && line.starts_with(b"#!") && line.ends_with(b"\r")
}
