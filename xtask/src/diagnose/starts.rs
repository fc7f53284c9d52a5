//! Sessions of a project that start elsewhere: in a package's folder, or in a linked worktree. Such a session reads
//! other files, and its `$CLAUDE_PROJECT_DIR` is a different folder ([`start`]).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, HookFile};
use crate::diagnose::fields;
use crate::diagnose::rules::handler;
use crate::diagnose::surroundings::Surroundings;
use crate::disk::bounded::{Deadline, SECONDS};
use crate::disk::packages;
use crate::settings::code::commands::{MISSING_FILE, MISSING_FOLDER, project_dir_differs};
use crate::settings::code::sessions;
use crate::settings::finding::Finding;
use crate::settings::folders::{Folders, Scope};
use crate::settings::place::commands::{as_in_root, is_startup_command};
use crate::settings::start;
use crate::terminal::{counted, one_line, quoted};

/// Maximum number of packages, and of worktrees, to check.
const MOST: usize = 50;

/// Maximum number of folders listed in a finding.
const NAMED: usize = 3;

/// Compares a session with sessions that start elsewhere, including the current folder, within a time limit.
pub(crate) fn look_in_time(
    session: &Arc<Session>,
    folders: &Folders,
    surroundings: &Surroundings,
    here: Option<PathBuf>,
) -> Vec<Finding> {
    let (session, folders, surroundings) = (Arc::clone(session), folders.clone(), surroundings.clone());
    let found = Deadline::new().within(move || look(&session, &folders, &surroundings, here));
    found.unwrap_or_else(|| vec![sessions::slow_starts(SECONDS)])
}

fn look(session: &Session, folders: &Folders, surroundings: &Surroundings, here: Option<PathBuf>) -> Vec<Finding> {
    let Some(project) = &folders.project else {
        return Vec::new();
    };
    let root = root(project, folders.home.as_deref());
    let session_in =
        |folder: Option<&Path>| Session::of(&Folders { project: folder.map(Path::to_owned), ..folders.clone() });
    let of_root = (root != *project).then(|| session_in(Some(&root)));
    let hooks = Hooks::of_project(of_root.as_ref().unwrap_or(session), &session_in(None));
    if hooks.0.is_empty() {
        return Vec::new();
    }
    let others = if root == *project { others(&root, here) } else { vec![project.clone()] };
    let mut findings = elsewhere(session, &root, &others, folders, surroundings);
    let mut counts = Vec::new();
    for other in &others {
        let count = if other == project {
            hooks.count_in(session, levels(other, &root))
        } else {
            hooks.count_in(&session_in(Some(other)), levels(other, &root))
        };
        if count < hooks.0.len() {
            counts.push((name(other, &root), count));
        }
    }
    findings.extend(fewer(&counts, hooks.0.len(), &root));
    findings
}

/// Returns the root of the project that contains a folder, which determines the hooks.
fn root(folder: &Path, home: Option<&Path>) -> PathBuf {
    let outer = start::outer(folder, home);
    let root = || start::root(folder).filter(|root| Some(*root) != home);
    outer.unwrap_or_else(|| root().unwrap_or(folder).to_owned())
}

/// Returns the number of levels between a folder and the root of the project or of one of its worktrees.
fn levels(folder: &Path, root: &Path) -> usize {
    let top = if folder.starts_with(root) { root } else { start::root(folder).unwrap_or(folder) };
    folder.components().count() - top.components().count()
}

/// Returns the other folders of a project in which sessions may start.
fn others(root: &Path, here: Option<PathBuf>) -> Vec<PathBuf> {
    let packages = packages::below(root, MOST).packages;
    let mut others: Vec<PathBuf> = here.into_iter().chain(packages).collect();
    others.extend(start::linked(root, MOST));
    let mut known = BTreeSet::new();
    others.retain(|other| known.insert(other.clone()));
    others
}

/// The hooks of a project, each with its entries. A hook's key is its program, URL or prompt.
struct Hooks(BTreeMap<String, BTreeSet<String>>);

impl Hooks {
    /// Returns the hooks in a session that are missing in sessions elsewhere on the machine. Entries that never run do
    /// not count.
    fn of_project(session: &Session, elsewhere: &Session) -> Self {
        let known: BTreeSet<&Path> = elsewhere.sources.iter().map(|source| &*source.path).collect();
        let mut hooks: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (source, handler) in session.active() {
            let is_startup = handler.command().is_some_and(is_startup_command);
            if !known.contains(&*source.path) && !is_startup {
                hooks.entry(handler.what()).or_default().insert(entry(handler, 0));
            }
        }
        Self(hooks)
    }

    /// Returns the number of these hooks in a session that starts this many levels below the root.
    fn count_in(&self, session: &Session, levels: usize) -> usize {
        let entries: BTreeSet<String> = session.active().map(|(_, handler)| entry(handler, levels)).collect();
        self.0.values().filter(|hook| hook.is_subset(&entries)).count()
    }
}

/// Returns a text that is the same for equal entries. It does not contain the path up to the root.
fn entry(handler: &Handler, levels: usize) -> String {
    let mut values = handler.values.clone();
    if let Some(command) = handler.command().and_then(|command| as_in_root(command, levels)) {
        values["command"] = command.into();
    }
    format!("{:?}", (&handler.event, &handler.matcher, values.to_string()))
}

/// Returns a folder's name for a finding.
fn name(folder: &Path, root: &Path) -> String {
    match folder.strip_prefix(root) {
        Ok(within) => one_line(format_args!("{}/", within.display())),
        Err(_) => one_line(folder.display()),
    }
}

/// Joins the first names and counts the others.
fn named(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let names: Vec<String> = names.take(NAMED).collect();
    match (&names[..], more) {
        (names, 1..) => format!("{} and {}", names.join(", "), counted(more, "more folder")),
        ([before @ .., last], 0) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        (names, _) => names.concat(),
    }
}

/// Reports folders whose sessions have fewer hooks, with the numbers.
fn fewer(counts: &[(String, usize)], all: usize, root: &Path) -> Option<Finding> {
    let [(first, count), others @ ..] = counts else {
        return None;
    };
    let of = format!("of the project's {}", counted(all, "hook"));
    let what = match others {
        [] => format!("a session started in `{first}` has {count} {of}"),
        _ if others.iter().all(|(_, other)| other == count) => {
            let names = named(counts.iter().map(|(name, _)| format!("`{name}`")));
            format!("sessions started in {names} have {count} {of}")
        }
        _ => {
            let names = named(counts.iter().map(|(name, count)| format!("`{name}` ({count})")));
            format!("sessions started in {names} do not have all {of}")
        }
    };
    let (folder, typed) = (root.display(), quoted(root.display()));
    let fix = match start::root(root) {
        Some(_) => format!(
            "start sessions in {folder}; or install the hooks for all its folders, to be committed (`cargo xtask \
             install --everywhere --project {typed}`), or into its settings.local.json in place of settings.json; all \
             sessions in the repository and its worktrees read that file (`cargo xtask install --scope local \
             --project {typed}`)"
        ),
        None => format!(
            "start sessions in {folder}; or install the hooks for all its folders (`cargo xtask install --everywhere \
             --project {typed}`), or for all your projects (`cargo xtask install --scope user`)"
        ),
    };
    Some(sessions::fewer_hooks(what, fix))
}

/// Reports commands in the root's local settings that use a file in the project's folder, and that also run in sessions
/// elsewhere, where this file is missing.
fn elsewhere(
    session: &Session,
    root: &Path,
    others: &[PathBuf],
    folders: &Folders,
    surroundings: &Surroundings,
) -> Vec<Finding> {
    let is_read = |other: &&PathBuf| start::outer(other, folders.home.as_deref()).as_deref() == Some(root);
    let others: Vec<&PathBuf> = others.iter().filter(is_read).collect();
    let file = root.join(".claude/settings.local.json");
    let surroundings = surroundings.within(session);
    let mut findings = Vec::new();
    let of_file = |(source, _): &(&HookFile, &Handler)| {
        matches!(source.scope, Scope::Local | Scope::OuterLocal) && source.path == file
    };
    for (source, hook) in session.active().filter(of_file) {
        let names_folder = hook.what().contains("CLAUDE_PROJECT_DIR");
        if !names_folder || missing(hook, root, &surroundings).is_some() {
            continue;
        }
        let lacking: Vec<(&Path, String)> =
            others.iter().filter_map(|other| Some((&***other, missing(hook, other, &surroundings)?))).collect();
        let [(_, does), ..] = &lacking[..] else { continue };
        let names = named(lacking.iter().map(|(other, _)| format!("`{}`", name(other, root))));
        findings.push(project_dir_differs(names, does, root.display()).at(source, hook.place));
    }
    findings
}

/// Returns the effect of the last missing file or folder that a hook's command uses, in a session of this project.
fn missing(hook: &Handler, project: &Path, surroundings: &Surroundings) -> Option<String> {
    let surroundings = Surroundings { project: Some(project.to_owned()), ..surroundings.clone() };
    let mut findings = handler::findings(fields::Handler::of(hook)?, &surroundings).into_iter();
    let last = findings.rfind(|finding| [MISSING_FILE, MISSING_FOLDER].contains(&finding.code));
    last.map(|finding| finding.does)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::io;
    use std::os::unix::fs::PermissionsExt;

    use serde_json::json;

    use super::*;

    /// A repository with packages.
    struct Repository {
        root: PathBuf,
        _folder: tempfile::TempDir,
    }

    impl Repository {
        fn new() -> io::Result<Self> {
            let folder = test_support::folder();
            let root = folder.path().canonicalize()?.join("app");
            let repository = Self { root, _folder: folder };
            fs::create_dir_all(repository.root.join(".git"))?;
            for manifest in ["api/Cargo.toml", "web/package.json"] {
                repository.write(manifest, "")?;
            }
            Ok(repository)
        }

        fn write(&self, path: &str, text: &str) -> io::Result<()> {
            let path = self.root.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            fs::write(path, text)
        }

        /// Writes settings with one hook on Stop for each command.
        fn settings(&self, path: &str, commands: &[&str]) -> io::Result<()> {
            let hook = |command: &&str| json!({"hooks": [{"type": "command", "command": command}]});
            let groups: Vec<_> = commands.iter().map(hook).collect();
            self.write(path, &json!({"hooks": {"Stop": groups}}).to_string())
        }

        fn look(&self, folder: &str, here: Option<&str>) -> Vec<Finding> {
            let folders = Folders { project: self.root.join(folder).canonicalize().ok(), ..Folders::default() };
            let session = Session::of(&folders);
            let here = here.map(|here| self.root.join(here));
            look(&session, &folders, &Surroundings::default(), here)
        }

        fn found(&self, folder: &str, here: Option<&str>) -> Vec<(&'static str, String)> {
            let found = self.look(folder, here).into_iter();
            let folder = format!("{}/", self.root.display());
            found.map(|found| (found.code.name, found.what.replace(&folder, ""))).collect()
        }
    }

    const SETTINGS: &str = ".claude/settings.json";
    const LOCAL: &str = ".claude/settings.local.json";

    #[test]
    fn folders_whose_sessions_have_fewer_hooks_are_one_note() -> io::Result<()> {
        let repository = Repository::new()?;
        assert_eq!(repository.found("", Some("docs")), []);
        repository.settings(SETTINGS, &["guard", "check"])?;
        let note = |what: &str| vec![("fewer-hooks", what.to_owned())];
        let two = "sessions started in `api/` and `web/` have 0 of the project's 2 hooks";
        assert_eq!(repository.found("", None), note(two));
        assert!(repository.look("", None).iter().all(|found| found.is_note()));
        repository.settings("web/.claude/settings.json", &["check"])?;
        let three =
            "sessions started in `docs/` (0), `api/` (0) and `web/` (1) do not have all of the project's 2 hooks";
        assert_eq!(repository.found("", Some("docs")), note(three));
        let one = "a session started in `web/` has 1 of the project's 2 hooks";
        assert_eq!(repository.found("web", None), note(one));
        // The fix.
        repository.write(SETTINGS, "{}")?;
        repository.settings(LOCAL, &["guard", "check"])?;
        assert_eq!(repository.found("", Some("docs")), []);
        assert_eq!(repository.found("web", None), []);
        Ok(())
    }

    #[test]
    fn a_hook_with_several_entries_is_there_if_all_are() -> io::Result<()> {
        let repository = Repository::new()?;
        let group = json!([{"hooks": [{"type": "command", "command": "guard"}]}]);
        let both = json!({"hooks": {"Stop": group, "SessionStart": group}}).to_string();
        repository.write(SETTINGS, &both)?;
        repository.write("api/.claude/settings.json", &both)?;
        repository.settings("web/.claude/settings.json", &["guard"])?;
        let what = "a session started in `web/` has 0 of the project's 1 hook".to_owned();
        assert_eq!(repository.found("", None), [("fewer-hooks", what)]);
        Ok(())
    }

    #[test]
    fn a_script_of_the_projects_folder_is_missing_in_sessions_elsewhere() -> io::Result<()> {
        let repository = Repository::new()?;
        for folder in ["", "web/"] {
            let script = format!("{folder}.claude/hooks/check.sh");
            repository.write(&script, "#!/bin/sh\n")?;
            fs::set_permissions(repository.root.join(script), Permissions::from_mode(0o755))?;
        }
        let what = "`$CLAUDE_PROJECT_DIR` is a different folder in sessions started in `api/`";
        for command in [
            "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/check.sh",
            "sh \"${CLAUDE_PROJECT_DIR}/.claude/hooks/check.sh\" --fast",
        ] {
            repository.settings(LOCAL, &[command])?;
            for folder in ["", "api"] {
                let found = repository.found(folder, None);
                assert_eq!(found, [("project-dir-differs", what.to_owned())]);
            }
            assert_eq!(repository.found("web", None), []);
        }
        let found = repository.look("", None);
        let root = repository.root.display();
        assert_eq!(found[0].fix, format!("write `{root}` in place of `$CLAUDE_PROJECT_DIR`"));
        // The fix.
        let script = repository.root.join(".claude/hooks/check.sh");
        repository.settings(LOCAL, &[&script.display().to_string()])?;
        assert_eq!(repository.found("", None), []);
        // A script missing in the root has its own finding.
        repository.settings(LOCAL, &["\"$CLAUDE_PROJECT_DIR\"/none.sh"])?;
        assert_eq!(repository.found("", None), []);
        Ok(())
    }

    #[test]
    fn without_a_repository_nothing_of_the_root_reaches_its_folders() -> io::Result<()> {
        let repository = Repository::new()?;
        fs::remove_dir(repository.root.join(".git"))?;
        repository.settings(LOCAL, &["guard", "\"$CLAUDE_PROJECT_DIR\"/check.sh"])?;
        repository.write("check.sh", "#!/bin/sh\n")?;
        let what = "sessions started in `api/` and `web/` have 0 of the project's 2 hooks".to_owned();
        assert_eq!(repository.found("", None), [("fewer-hooks", what)]);
        let fix = &repository.look("", None)[0].fix;
        assert!(fix.ends_with("(`cargo xtask install --scope user`)"), "{fix}");
        // Outside a repository, the folder alone is the project.
        assert_eq!(repository.found("web", None), []);
        Ok(())
    }
}
