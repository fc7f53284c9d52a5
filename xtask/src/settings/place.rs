//! A location where hooks are installed: the settings, the folder and the binaries.

pub(crate) mod commands;

use std::path::{Component, Path, PathBuf};
use std::{fmt, fs};

use anyhow::{Context, Result, bail, ensure};
use hookkit_protocol::agents::{Agent, Form};
use hookkit_protocol::settings::{MANAGED_FOLDER, MANAGED_PARTS};
use rustix::fs::Mode;
use rustix::process::{geteuid, umask};

use crate::agents::{commands as of_agent, script};
use crate::cargo::location;
use crate::disk::beneath::Beneath;
use crate::disk::journal::Area;
use crate::disk::state::Notes;
use crate::disk::write;

/// The files of a workspace's hooks next to a settings file.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) kind: PlaceKind,
    settings: PathBuf,
    /// The client's folder, which need not exist.
    pub(crate) claude: Beneath,
    /// This machine's state about the hooks installed next to the settings.
    pub(crate) notes: Notes,
    /// The name under which the workspace's hooks are installed.
    pub(crate) workspace: String,
}

/// A kind of settings file in the client.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PlaceKind {
    /// The settings of the project with this root, which is the hook's `CLAUDE_PROJECT_DIR`. The team shares them.
    Project(PathBuf),
    /// The settings of a folder in a project, for sessions that start there. Their entries start the project's
    /// programs.
    Folder { project: PathBuf, folder: PathBuf },
    /// The user's own settings for the project with this root.
    Local(PathBuf),
    /// The user's own settings for all projects.
    User,
    /// The organization's settings, which users cannot change. They are below this folder: the machine's root, or the
    /// root of a package that is being built.
    Managed(PathBuf),
    /// A file passed to the client with `--settings`.
    Other,
    /// Another agent's file, in the project with this root or, without a project, the user's own for all projects.
    Agent { agent: &'static Agent, project: Option<PathBuf> },
}

impl PlaceKind {
    /// Returns the project's root as the client determines it; `None` for other settings.
    fn project(&self) -> Option<&Path> {
        match self {
            Self::Project(root) | Self::Local(root) | Self::Folder { folder: root, .. } => Some(root),
            Self::Agent { project, .. } => project.as_deref(),
            Self::User | Self::Managed(_) | Self::Other => None,
        }
    }
}

/// Returns `true` if a workspace's hooks can have this name. It must differ from the names of other files next to its
/// folder, and from the folder names for other settings files, which contain an `@`.
pub(crate) fn is_name(workspace: &str) -> bool {
    let is_plain = |char: char| !char.is_control() && !"/\\\"$@".contains(char);
    !workspace.is_empty() && !workspace.starts_with('.') && workspace.chars().all(is_plain)
}

/// Returns `true` if a string is the path of a folder in a project.
pub(crate) fn is_folder(folder: &str) -> bool {
    let is_plain = |part: &str| {
        let is_own = [".git", ".claude"].iter().any(|own| part.eq_ignore_ascii_case(own));
        !is_own && Path::new(part).components().eq([Component::Normal(part.as_ref())])
    };
    folder.split('/').all(is_plain)
}

/// The name of hookkit's file in the organization's settings.
pub(crate) const MANAGED_PART: &str = "hookkit.json";

/// The name of the managed settings file that stops mods from skipping hooks, written by `hold-mods`.
pub(crate) const MODS_PART: &str = "hookkit-mods.json";

/// The name of the managed settings file with the hooks of a service.
pub(crate) const SERVICE_PART: &str = "hookkit-service.json";

/// The path of the settings file.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.display().fmt(f)
    }
}

impl Place {
    pub(crate) fn new(kind: PlaceKind, settings: &Path, workspace: &str) -> Result<Self> {
        ensure!(
            is_name(workspace),
            "{workspace:?} cannot be the name of a workspace's hooks\nGive them a name of letters, digits, `-` and \
             `_` in its Cargo.toml: [workspace.metadata.hookkit] name = \"…\""
        );
        let folder = settings.parent().unwrap_or(settings);
        let claude = match &kind {
            PlaceKind::Project(root) | PlaceKind::Local(root) => Beneath::project(root).join(".claude"),
            PlaceKind::Folder { project, folder } => {
                let within = folder.strip_prefix(project).context("the folder is not in the project")?;
                Beneath::project(project).join(within).join(".claude")
            }
            PlaceKind::User => Beneath::user(folder),
            PlaceKind::Managed(root) => Beneath::named(root).join(MANAGED_FOLDER.trim_start_matches('/')),
            PlaceKind::Other => Beneath::named(folder),
            PlaceKind::Agent { agent, project } => {
                ensure!(
                    !workspace.contains('`'),
                    "{workspace:?} cannot be in a command of {}; give it another name",
                    agent.name
                );
                let is_in_command = |path: &Path| !path.to_string_lossy().contains(['"', '$', '`', '\\']);
                ensure!(
                    project.is_some() || is_in_command(folder),
                    "the path {} cannot be in a command of {}; give the folder another name",
                    folder.display(),
                    agent.name
                );
                match project {
                    Some(project) => Beneath::project(project).join(of_agent::folder(agent)),
                    None => Beneath::user(folder),
                }
            }
        };
        let place = Self {
            settings: settings.to_owned(),
            claude,
            notes: Notes::of(folder, kind.project()),
            kind,
            workspace: workspace.to_owned(),
        };
        // The command is a string in a JSON file, and the client expands `${…}` in it.
        let text = settings.to_str();
        ensure!(
            place.is_committed() || text.is_some_and(|text| !text.contains("${")),
            "hooks cannot be named by a path that is not UTF-8, or has `${{` in it: {}\n\
             Give the folder or the file another name, or use --scope project, where commands name no path",
            settings.display()
        );
        Ok(place)
    }

    /// Returns the agent of the hooks, unless it is Claude Code.
    pub(crate) fn agent(&self) -> Option<&'static Agent> {
        match self.kind {
            PlaceKind::Agent { agent, .. } => Some(agent),
            _ => None,
        }
    }

    /// Returns the syntax of the settings.
    pub(crate) fn form(&self) -> Form {
        self.agent().map_or(Form::default(), |agent| agent.file.form)
    }

    /// Returns the project's root, if the settings belong to a project.
    pub(crate) fn project(&self) -> Option<&Path> {
        self.kind.project()
    }

    /// Returns the base folder of the paths in a project's own files.
    pub(crate) fn root(&self) -> &Path {
        self.project().unwrap_or(Path::new("/"))
    }

    /// Returns `true` if the settings and the binaries will be copied elsewhere.
    pub(crate) fn is_staged(&self) -> bool {
        matches!(&self.kind, PlaceKind::Managed(root) if root != Path::new("/"))
    }

    /// Returns `true` if others receive the settings without the binaries.
    pub(crate) fn is_committed(&self) -> bool {
        matches!(self.kind, PlaceKind::Project(_) | PlaceKind::Folder { .. })
    }

    /// Returns `true` if other users read the settings with their own clients.
    pub(crate) fn is_for_others(&self) -> bool {
        self.is_committed() || matches!(self.kind, PlaceKind::Managed(_))
    }

    /// Returns `true` if others also receive the files next to the settings, from which clones install the hooks.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.kind, PlaceKind::Project(_))
    }

    /// Returns the location for a folder in this project whose sessions do not read the root's settings.
    ///
    /// # Errors
    ///
    /// Fails if a path cannot be used in a command there.
    pub(crate) fn within(&self, folder: &Path) -> Result<Self> {
        let project = self.project().context("only a project has folders")?.to_owned();
        let folder = project.join(folder);
        let settings = folder.join(".claude/settings.json");
        Self::new(PlaceKind::Folder { project, folder }, &settings, &self.workspace)
    }

    /// Returns the location for a repository in this project. Its settings are the user's own.
    ///
    /// # Errors
    ///
    /// Fails if its path cannot be used in a command.
    pub(crate) fn of_repository(&self, folder: &Path) -> Result<Self> {
        let root = self.project().context("only a project has folders")?.join(folder);
        let settings = root.join(".claude/settings.local.json");
        Self::new(PlaceKind::Local(root), &settings, &self.workspace)
    }

    /// Returns the project's root, if a team shares the settings.
    pub(crate) fn sharing_project(&self) -> Option<&Path> {
        self.project().filter(|_| self.is_shared())
    }

    /// Returns the locations of other workspaces in the same settings, if this machine has installed their hooks.
    pub(crate) fn others(&self) -> Vec<Self> {
        let mark = self.mark();
        self.notes
            .records()
            .into_iter()
            .filter_map(|name| {
                let (workspace, of) = name.split_at(name.find('@').unwrap_or(name.len()));
                (of == mark && workspace != self.workspace).then(|| self.named_as(workspace))
            })
            .collect()
    }

    /// Returns the location for this workspace under a different name.
    pub(crate) fn named_as(&self, workspace: &str) -> Self {
        Self { workspace: workspace.to_owned(), ..self.clone() }
    }

    /// Returns the location in the main working tree, if the project is in a linked one.
    pub(crate) fn of_main(&self) -> Option<Self> {
        let project = location::in_main_working_tree(self.sharing_project()?)?;
        let settings = project.join(".claude").join(self.name());
        Self::new(PlaceKind::Project(project), &settings, &self.workspace).ok()
    }

    pub(crate) fn settings(&self) -> &Path {
        &self.settings
    }

    /// Returns the settings file, for reading and writing. If the user's own file is a link, as dotfiles often are,
    /// returns its target.
    pub(crate) fn file(&self) -> Beneath {
        let target = match self.kind {
            PlaceKind::User | PlaceKind::Agent { project: None, .. } => behind_links(&self.settings),
            PlaceKind::Managed(_) => return self.parts().join(self.name()),
            _ => self.settings.clone(),
        };
        match (target == self.settings, target.parent()) {
            (false, Some(folder)) => Beneath::user(folder).join(target.file_name().unwrap_or_default()),
            _ => self.claude.join(self.name()),
        }
    }

    /// Returns the folder of the organization's settings files.
    fn parts(&self) -> Beneath {
        self.claude.join(MANAGED_PARTS)
    }

    /// Returns the parent folder of the settings file, if it belongs neither to the client nor to the project.
    pub(crate) fn folder_of_parts(&self) -> Option<Beneath> {
        matches!(self.kind, PlaceKind::Managed(_)).then(|| self.parts())
    }

    /// Checks that the settings file could be replaced.
    ///
    /// # Errors
    ///
    /// Fails if this process may not write the file. The error includes the fix.
    pub(crate) fn check_file(&self) -> Result<()> {
        if matches!(self.kind, PlaceKind::Managed(_)) {
            // There is no other way to read it.
            let hidden = umask(Mode::empty());
            umask(hidden);
            ensure!(
                !hidden.intersects(Mode::from_raw_mode(0o055)),
                "other users could not use what is written, since your umask is {:03o}; change it first: umask 022",
                hidden.bits()
            );
        }
        let user = geteuid().as_raw();
        let others = self.claude.stat()?.filter(|folder| folder.owner != user && folder.owner != 0);
        if let Some(folder) = others {
            bail!(
                "{} belongs to another user (id {}, and this is {user}), who can exchange what is in it, so nothing \
                 was changed; run this as its owner, or make it yours with `chown`",
                self.claude,
                folder.owner
            );
        }
        write::check_file(&self.file(), &self.settings)
    }

    /// Returns the settings' folder, for a run that changes something there.
    pub(crate) fn area(&self) -> Area<'_> {
        Area { claude: &self.claude, notes: &self.notes, is_project: self.project().is_some() }
    }

    /// Returns hookkit's own folder, with the files for all workspaces and settings files.
    pub(crate) fn hookkit(&self) -> Beneath {
        self.area().hookkit()
    }

    /// Checks that hookkit's folders are not links or files, and that its `.gitignore` is a file.
    ///
    /// # Errors
    ///
    /// Fails if any of them is something else.
    pub(crate) fn check_folders(&self) -> Result<()> {
        self.folder().join("bin").nearest()?;
        let ignored = self.gitignore();
        let is_free = ignored.stat()?.is_none_or(|stat| stat.is_file());
        ensure!(is_free, "{ignored} is not a file, and would be replaced by one; move it elsewhere first");
        Ok(())
    }

    /// Returns the folder with this workspace's files.
    pub(crate) fn folder(&self) -> Beneath {
        match &self.kind {
            PlaceKind::Folder { project, .. } => Beneath::project(project).join(".claude/hookkit"),
            _ => self.hookkit(),
        }
        .join(self.folder_name())
    }

    pub(crate) fn folder_name(&self) -> String {
        format!("{}{}", self.workspace, self.mark())
    }

    /// Returns the suffix of the folders' names, which differs for each settings file.
    fn mark(&self) -> String {
        match self.name() {
            "settings.json" => String::new(),
            _ if self.agent().is_some() => String::new(),
            other => format!("@{other}"),
        }
    }

    /// Returns the settings file's name.
    pub(crate) fn name(&self) -> &str {
        self.settings.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Returns the initial content of a settings file that `install` creates.
    pub(crate) fn new_settings(&self) -> String {
        match self.agent().map_or("", |agent| agent.file.head) {
            _ if self.form() == Form::Toml => String::new(),
            _ if self.form() == Form::Script => script::empty(),
            "" => "{\n}\n".to_owned(),
            head => format!("{{\n  {head}\n}}\n"),
        }
    }

    pub(crate) fn binary(&self, hook: &str) -> Beneath {
        self.folder().join("bin").join(hook)
    }

    /// Returns `true` if the hook's binary exists and is executable.
    pub(crate) fn has_binary(&self, hook: &str) -> bool {
        self.binary(hook).stat().is_ok_and(|binary| binary.is_some_and(|binary| binary.is_program()))
    }

    /// Returns the file name of the install record.
    pub(crate) fn record(&self) -> String {
        Notes::record(&self.folder_name())
    }

    /// Returns the file that hides hookkit's folder from git.
    pub(crate) fn gitignore(&self) -> Beneath {
        self.hookkit().join(".gitignore")
    }
}

/// Returns the file to which a path leads. It need not exist.
fn behind_links(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    // The kernel follows as many.
    for _ in 0..40 {
        match (fs::read_link(&target), target.parent()) {
            (Ok(next), Some(folder)) => target = folder.join(next),
            _ => break,
        }
    }
    target
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn files_next_to_a_folder_do_not_have_a_hooks_name() {
        for name in [".gitignore", ".hookkit-x", "a@b", "w${HOME}", "a/b", "a\nb", ""] {
            assert!(Place::new(PlaceKind::User, Path::new("/p/.claude/settings.json"), name).is_err(), "{name}");
        }
    }

    #[test]
    fn no_two_settings_files_share_a_folder() -> Result<()> {
        let names = ["settings.json", "settings.local.json", "local", "@local", "settings", "json"];
        let places = names.map(|name| Place::new(PlaceKind::Other, &Path::new("/p/.claude").join(name), "acme"));
        let folders = places.into_iter().map(|place| Ok(place?.folder().path()));
        assert_eq!(folders.collect::<Result<BTreeSet<_>>>()?.len(), names.len());
        Ok(())
    }

    #[test]
    fn only_plain_paths_lead_to_a_folder() {
        for name in ["web", "services/api", ".github/actions"] {
            assert!(is_folder(name), "{name}");
        }
        for name in [
            "", "/etc", "../other", "web/../..", "./web", "web/", "web//api", "web/./api", ".claude", ".GIT",
            "web/.git/hooks",
        ] {
            assert!(!is_folder(name), "{name}");
        }
    }
}
