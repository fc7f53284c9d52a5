//! Whose settings the hooks go into.

use std::env;
use std::path::{Path, PathBuf, absolute};

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use hookkit_protocol::agents::{AGENTS, Agent};
use hookkit_protocol::settings::{MANAGED_FOLDER, MANAGED_PARTS};

use crate::agents::entries;
use crate::cargo::workspace::Naming;
use crate::settings::folders::Folders;
use crate::settings::place::{MANAGED_PART, MODS_PART, Place, PlaceKind};
use crate::settings::{folders, installed};
use crate::terminal::{inform, quoted};

/// The options that say where, of each command that looks at what is installed.
#[derive(Args)]
pub(crate) struct Target {
    /// Project: the folder in which a session is started [default: the git repository around the current folder; without one,
    /// `list` and `doctor` take the current folder, and other commands fail]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Scope of the settings [default: project; `list` and `doctor` read all]
    #[arg(long, value_enum)]
    scope: Option<Scope>,
    /// With `--scope managed`: the folder that has the place of `/`, for a package or a device manager
    #[arg(long, value_name = "DIR", requires = "scope")]
    staging: Option<PathBuf>,
    /// Another settings file, for sessions that are started with `claude --settings FILE`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scope", "project"])]
    settings: Option<PathBuf>,
    /// Another coding agent, by its file of hooks in the project: codex
    #[arg(long, value_name = "NAME", conflicts_with_all = ["scope", "settings"], value_parser = entries::named)]
    pub(crate) agent: Option<&'static Agent>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scope {
    /// The project's, which its team shares: .claude/settings.json
    Project,
    /// Yours, in this project: .claude/settings.local.json
    Local,
    /// Yours, in all projects: settings.json in $CLAUDE_CONFIG_DIR or ~/.claude
    User,
    /// The organization's, for all users of the machine: managed-settings.d/hookkit.json in /etc/claude-code
    Managed,
}

impl Target {
    /// The options that name a project and nothing else.
    pub(crate) fn of_project(project: Option<&Path>) -> Self {
        Self {
            project: project.map(Path::to_owned),
            scope: None,
            staging: None,
            settings: None,
            agent: None,
        }
    }

    /// The place that the options name, for a workspace's hooks.
    pub(crate) fn place(&self, workspace: &Naming) -> Result<Place> {
        ensure!(
            self.staging.is_none() || self.scope == Some(Scope::Managed),
            "--staging goes with --scope managed"
        );
        if let Some(file) = &self.settings {
            return of_file(file, workspace);
        }
        if let Some(agent) = self.agent {
            return of_agent(agent, self.root()?, workspace);
        }
        match self.scope.unwrap_or(Scope::Project) {
            Scope::User => {
                let file = of_user().context("no folder of yours: set HOME, or CLAUDE_CONFIG_DIR")?;
                of_file(&file, workspace)
            }
            Scope::Managed => {
                let root = root_of_machine(self.staging.as_deref())?;
                let file = of_organization(&root, MANAGED_PART);
                Place::new(PlaceKind::Managed(root), &file, &workspace.within(None)?)
            }
            Scope::Project => of_file(&self.root()?.join(PROJECT), workspace),
            Scope::Local => of_file(&self.root()?.join(LOCAL), workspace),
        }
    }

    /// The other places that Claude Code reads in the same session, as far as we can know.
    pub(crate) fn others(&self, place: &Place, workspace: &Naming) -> Vec<Place> {
        if place.agent().is_some() {
            return Vec::new();
        }
        let root = place.project().map(Path::to_owned).or_else(|| self.root().ok());
        let of_project = root.into_iter().flat_map(|root| [root.join(PROJECT), root.join(LOCAL)]);
        let files = of_project.chain(of_user());
        let places = files.filter_map(|file| of_file(&file, workspace).ok());
        let mut others: Vec<Place> = Vec::new();
        for other in places {
            let is_known = |known: &Place| known.settings() == other.settings();
            if !is_known(place) && !others.iter().any(is_known) {
                others.push(other);
            }
        }
        others
    }

    /// All places that Claude Code reads in a session, of those that the options name.
    pub(crate) fn places(&self, workspace: &Naming) -> Result<Vec<Place>> {
        ensure!(
            self.staging.is_none(),
            "--staging is for `install` and `uninstall`: sessions read nothing there"
        );
        let root = self.folders()?.project;
        let of_project = root.into_iter().flat_map(|root| [root.join(PROJECT), root.join(LOCAL)]);
        let files = self.settings.clone().into_iter().chain(of_project).chain(of_user());
        let files = files.chain([of_organization(Path::new("/"), MANAGED_PART)]);
        let mut places: Vec<Place> = Vec::new();
        for file in files {
            // Where nothing of ours can be there is nothing to tell.
            let Ok(place) = of_file(&file, workspace).map(installed::as_folder) else {
                continue;
            };
            let is_known = places.iter().any(|known| known.settings() == place.settings());
            if self.names(&place) && !is_known {
                places.push(place);
            }
        }
        Ok(places)
    }

    /// Returns `true` if the options leave a place in.
    fn names(&self, place: &Place) -> bool {
        match (self.scope, place.kind()) {
            (None, _)
            | (Some(Scope::Project), PlaceKind::Project(_) | PlaceKind::Folder { .. })
            | (Some(Scope::Local), PlaceKind::Local(_))
            | (Some(Scope::User), PlaceKind::User)
            | (Some(Scope::Managed), PlaceKind::Managed(_)) => true,
            (Some(_), _) => false,
        }
    }

    /// The only scope that is asked for, if it is one.
    pub(crate) fn only(&self) -> Option<folders::Scope> {
        Some(match self.scope? {
            Scope::Project => folders::Scope::Project,
            Scope::Local => folders::Scope::Local,
            Scope::User => folders::Scope::User,
            Scope::Managed => folders::Scope::Managed,
        })
    }

    /// Returns the options as they are typed in another folder; empty if none was given.
    pub(crate) fn typed(&self) -> String {
        let path = |path: &Path| quoted(&absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string());
        let project = self.project.as_deref();
        let project = project.map(|project| format!(" --project {}", path(project)));
        let scope = self.scope.and_then(|scope| scope.to_possible_value());
        let scope = scope.map(|scope| format!(" --scope {}", scope.get_name()));
        let settings = self.settings.as_deref();
        let settings = settings.map(|file| format!(" --settings {}", path(file)));
        let staging = self.staging.as_deref();
        let staging = staging.map(|folder| format!(" --staging {}", path(folder)));
        [project, scope, staging, settings].into_iter().flatten().collect()
    }

    /// Returns `true` if the options leave the hooks of a settings file in, of those that a session reads.
    pub(crate) fn has(&self, scope: &folders::Scope) -> bool {
        match &self.settings {
            Some(_) => *scope == folders::Scope::Named,
            None => self.only().is_none_or(|only| only == *scope),
        }
    }

    /// Returns the folders in which a session finds its settings. Outside of a repository it is the current folder.
    pub(crate) fn folders(&self) -> Result<Folders> {
        ensure!(
            self.agent.is_none(),
            "--agent goes with `install` and `uninstall`; `list` has all agents"
        );
        let project = match (self.root(), &self.project) {
            (Err(err), Some(_)) => return Err(err),
            (Err(_), None) => self.folder_without_repository()?,
            (Ok(root), _) => root,
        };
        let user = of_user().map(|file| resolved(&file)).transpose()?;
        Ok(Folders {
            project: Some(project.canonicalize().unwrap_or(project)),
            home: home(),
            user: user.as_deref().and_then(Path::parent).map(Path::to_owned),
            managed: MANAGED_FOLDER.into(),
            named: self.settings.as_deref().map(resolved).transpose()?,
        })
    }

    /// Returns `true` if the options name the project, and do not leave it to the folder that they are given in.
    pub(crate) fn names_project(&self) -> bool {
        self.project.is_some()
    }

    /// Returns the current folder, if it is below the project, and the options do not name that.
    pub(crate) fn folder_within(&self, project: &Path) -> Option<PathBuf> {
        let here = env::current_dir().and_then(|here| here.canonicalize()).ok();
        here.filter(|here| here != project && here.starts_with(project) && !self.names_project())
    }

    /// The current folder, with a word about it where it decides what is looked at.
    fn folder_without_repository(&self) -> Result<PathBuf> {
        let here = env::current_dir()?;
        if self.settings.is_none() && self.scope != Some(Scope::User) {
            inform(format_args!(
                "note: there is no git repository around {}, so it is taken for the project itself; for another one: \
                 --project DIR",
                here.display()
            ));
        }
        Ok(here)
    }

    fn root(&self) -> Result<PathBuf> {
        project_root(self.project.as_deref())
    }
}

/// The root of the project that an option names, or of the one around the current folder.
pub(crate) fn project_root(named: Option<&Path>) -> Result<PathBuf> {
    let Some(project) = named else {
        return repository(&env::current_dir()?);
    };
    let root = project
        .canonicalize()
        .with_context(|| format!("the project {}", project.display()))?;
    ensure!(root.is_dir(), "the project {} is not a folder", project.display());
    Ok(root)
}

/// The options that name this place, for a command line that can be typed anywhere.
pub(crate) fn options(place: &Place) -> String {
    let path = |path: &Path| quoted(&path.display().to_string());
    match place.kind() {
        PlaceKind::Project(root) | PlaceKind::Folder { project: root, .. } => format!(" --project {}", path(root)),
        PlaceKind::Local(root) => format!(" --scope local --project {}", path(root)),
        PlaceKind::User => " --scope user".to_owned(),
        PlaceKind::Managed(root) if root == Path::new("/") => " --scope managed".to_owned(),
        PlaceKind::Managed(root) => format!(" --scope managed --staging {}", path(root)),
        PlaceKind::Other => format!(" --settings {}", path(place.settings())),
        PlaceKind::Agent { agent, project } => format!(" --agent {} --project {}", agent.id, path(project)),
    }
}

pub(crate) const PROJECT: &str = ".claude/settings.json";
pub(crate) const LOCAL: &str = ".claude/settings.local.json";

/// The user's home, without links.
pub(crate) fn home() -> Option<PathBuf> {
    PathBuf::from(env::var_os("HOME")?).canonicalize().ok()
}

/// The user's own settings file.
pub(crate) fn of_user() -> Option<PathBuf> {
    let given = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = given("CLAUDE_CONFIG_DIR").or_else(|| Some(given("HOME")?.join(".claude")))?;
    Some(folder.join("settings.json"))
}

/// A part of the organization's settings below a folder.
fn of_organization(root: &Path, part: &str) -> PathBuf {
    let folder = root.join(MANAGED_FOLDER.trim_start_matches('/'));
    folder.join(MANAGED_PARTS).join(part)
}

/// The root of the machine, or the folder that has its place.
fn root_of_machine(staging: Option<&Path>) -> Result<PathBuf> {
    match staging {
        Some(folder) => folder
            .canonicalize()
            .with_context(|| format!("the folder {}", folder.display())),
        None => Ok(PathBuf::from("/")),
    }
}

/// The place of the part that keeps mods from hooks. It does not belong to a workspace.
pub(crate) fn of_mods(staging: Option<&Path>) -> Result<Place> {
    let root = root_of_machine(staging)?;
    let file = of_organization(&root, MODS_PART);
    Place::new(PlaceKind::Managed(root), &file, "hookkit")
}

/// The place that a settings file means, however it was named.
///
/// A home that is a project's root, too, has one file for both. In every other project its hooks would be missing where
/// they are named by the project's folder, so it is the user's.
fn of_file(file: &Path, workspace: &Naming) -> Result<Place> {
    let file = resolved(file)?;
    let kind = kind(&file);
    if kind == PlaceKind::Other {
        let folder = file.parent().unwrap_or(&file);
        ensure!(folder.is_dir(), "there is no folder {}", folder.display());
    }
    let name = match &kind {
        PlaceKind::Project(root) | PlaceKind::Local(root) | PlaceKind::Folder { project: root, .. } => {
            workspace.within(Some(root))?
        }
        _ => workspace.within(None)?,
    };
    Place::new(kind, &file, &name)
}

/// Returns the places of other agents in a project that name hooks of a workspace.
pub(crate) fn of_agents(project: &Path, workspace: &str) -> Vec<(&'static Agent, Place)> {
    let place = |agent: &&'static Agent| {
        let (agent, file, project) = (*agent, project.join(agent.file.project), project.to_owned());
        let place = Place::new(PlaceKind::Agent { agent, project }, &file, workspace).ok()?;
        let settings = installed::settings(&place).ok()?;
        (!installed::named(settings.as_ref(), &place).is_empty()).then_some((agent, place))
    };
    AGENTS.iter().filter_map(place).collect()
}

/// The place of another agent's hooks in a project.
///
/// # Errors
///
/// Fails if the agent's shell would not find the project.
pub(crate) fn of_agent(agent: &'static Agent, project: PathBuf, workspace: &Naming) -> Result<Place> {
    ensure!(
        !agent.file.root.contains("git ") || project.join(".git").exists(),
        "hooks of {} are found by the root of a git repository, which {} is not; to make it one: git init",
        agent.name,
        project.display()
    );
    let (file, name) = (project.join(agent.file.project), workspace.within(Some(&project))?);
    Place::new(PlaceKind::Agent { agent, project }, &file, &name)
}

/// Returns the kind of a settings file for the client.
pub(crate) fn kind(file: &Path) -> PlaceKind {
    if of_user().is_some_and(|user| resolved(&user).is_ok_and(|user| user == file)) {
        return PlaceKind::User;
    }
    let root = Path::new("/");
    if file == of_organization(root, MANAGED_PART) {
        return PlaceKind::Managed(root.to_owned());
    }
    match file.parent().and_then(Path::parent).map(Path::to_owned) {
        Some(root) if file == root.join(PROJECT) => PlaceKind::Project(root),
        Some(root) if file == root.join(LOCAL) => PlaceKind::Local(root),
        _ => PlaceKind::Other,
    }
}

/// A file's one name, whether it is there or not: without links on the way to the folder that holds `.claude`.
///
/// Links from there on stay: their targets are for their author to change.
fn resolved(file: &Path) -> Result<PathBuf> {
    let file = absolute(file).with_context(|| format!("the settings file {}", file.display()))?;
    let is_in_claude = file.parent().is_some_and(|folder| folder.ends_with(".claude"));
    let to_keep = if is_in_claude { 2 } else { 1 };
    for folder in file.ancestors().skip(to_keep) {
        if let (Ok(folder), Ok(rest)) = (folder.canonicalize(), file.strip_prefix(folder)) {
            return Ok(folder.join(rest));
        }
    }
    Ok(file)
}

/// The git repository around a folder.
pub(crate) fn repository(from: &Path) -> Result<PathBuf> {
    from.ancestors()
        .find(|folder| folder.join(".git").exists())
        .map(Path::to_owned)
        .with_context(|| {
            format!(
                "there is no git repository around {}; name the project: --project DIR",
                from.display()
            )
        })
}
