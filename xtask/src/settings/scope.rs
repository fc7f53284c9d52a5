//! Chooses the settings for the hooks.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf, absolute};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use hookkit_protocol::agents::{AGENTS, Agent};
use hookkit_protocol::settings::{MANAGED_FOLDER, MANAGED_PARTS};

use crate::agents::commands::{self, Agents};
use crate::agents::file;
use crate::cargo::workspace::Naming;
use crate::disk::files::{self, of_variable};
use crate::settings::document::Document;
use crate::settings::folders::{Folders, Scope};
use crate::settings::installed;
use crate::settings::place::{MANAGED_PART, Place, PlaceKind, SERVICE_PART};
use crate::settings::start;
use crate::terminal::{inform, option, quoted};

/// The options that select a settings location, for each command that reads installed hooks.
#[derive(Args, Default)]
pub(crate) struct Target {
    /// Project: the folder in which a session is started [default: the git repository around the current folder; without one,
    /// `list` and `doctor` take the current folder, and other commands fail]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Scope of the settings [default: project; `list` and `doctor` read all]
    #[arg(long, value_enum)]
    pub(crate) scope: Option<Scope>,
    /// With `--scope managed`: the folder that replaces `/`, for a package or a device manager
    #[arg(long, value_name = "DIR", requires = "scope")]
    staging: Option<PathBuf>,
    /// Another settings file, for sessions that are started with `claude --settings FILE`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scope", "project"])]
    settings: Option<PathBuf>,
    /// Other coding agents: a list such as codex,copilot, or `detected` for the agents in PATH that keep their hooks in the project
    #[arg(long, value_name = "NAMES", conflicts_with_all = ["scope", "settings"], value_parser = commands::named)]
    agent: Option<Agents>,
}

impl Target {
    /// Returns options that only select a project.
    pub(crate) fn of_project(project: Option<&Path>) -> Self {
        Self { project: project.map(Path::to_owned), ..Self::default() }
    }

    /// Returns the location of a service's hooks, which belong to an organization.
    pub(crate) fn place_of_service(&self) -> Result<Place> {
        let is_other = self.project.is_some() || self.settings.is_some() || self.agent.is_some();
        ensure!(
            !is_other && self.scope.as_ref().is_none_or(|scope| *scope == Scope::Managed),
            "--http writes into the managed settings, where users and checkouts cannot turn the hooks off: leave out \
             --project, --settings, --agent and any other --scope"
        );
        of_part(self.staging.as_deref(), SERVICE_PART, "hookkit")
    }

    /// Returns the agents selected by the options. There is one run for each. `None` means Claude Code.
    ///
    /// # Errors
    ///
    /// Fails if one of them reads no project hooks, but the options select a project.
    pub(crate) fn agents(&self) -> Result<Vec<Option<&'static Agent>>> {
        let Some(Agents(agents)) = &self.agent else {
            return Ok(vec![None]);
        };
        let of_user = agents.iter().find(|agent| agent.file.of_user.is_some());
        if let Some(agent) = of_user.filter(|_| self.project.is_some()) {
            bail!(
                "{} does not read project hooks, only your own hooks for all projects, in ~/{}; to install those, \
                 leave out --project",
                agent.name,
                agent.file.path
            );
        }
        Ok(agents.iter().copied().map(Some).collect())
    }

    /// Sets the only agent.
    pub(crate) fn set_agent(&mut self, agent: Option<&'static Agent>) {
        self.agent = agent.map(|agent| Agents(vec![agent]));
    }

    /// Returns the selected settings location for a workspace's hooks.
    pub(crate) fn place(&self, workspace: &Naming) -> Result<Place> {
        ensure!(self.staging.is_none() || self.scope == Some(Scope::Managed), "--staging needs --scope managed");
        if let Some(file) = &self.settings {
            return of_file(file, workspace);
        }
        if let Some(Agents(agents)) = &self.agent {
            let [agent] = agents[..] else { bail!("--agent selects several agents; give only one") };
            let Some(variable) = agent.file.of_user else {
                return of_agent(agent, self.root()?, workspace);
            };
            let found = of_users().find(|(known, _)| *known == agent);
            let (_, file) = found.with_context(|| format!("there is no home folder: set HOME or {variable}"))?;
            return Place::new(PlaceKind::Agent { agent, project: None }, &file, &workspace.within(None)?);
        }
        match self.scope.as_ref().unwrap_or(&Scope::Project) {
            Scope::User => {
                let file = of_user().context("there is no home folder: set HOME or CLAUDE_CONFIG_DIR")?;
                of_file(&file, workspace)
            }
            Scope::Managed => of_part(self.staging.as_deref(), MANAGED_PART, &workspace.within(None)?),
            Scope::Local => of_file(&self.root()?.join(LOCAL), workspace),
            _ => of_file(&self.root()?.join(PROJECT), workspace),
        }
    }

    /// Returns the other settings locations whose hooks run in the same session.
    pub(crate) fn others(&self, place: &Place, workspace: &Naming) -> Vec<Place> {
        let root = place.project().map(Path::to_owned).or_else(|| self.root().ok());
        if let Some(agent) = place.agent() {
            let also = root.iter().flat_map(|root| agent.file.also.iter().map(|file| root.join(file)));
            return also.filter_map(|file| of_file(&file, workspace).ok()).collect();
        }
        let is_read = |of: &OfAgent| of.agent.file.also.iter().any(|file| place.settings().ends_with(file));
        let agents = place.project().map(|project| of_agents(project, &place.workspace));
        let agents = agents.into_iter().flatten().filter(is_read).map(|of| of.place);
        let places = of_session(root).filter_map(|file| of_file(&file, workspace).ok());
        let mut others = each_once(places);
        others.retain(|other| other.settings() != place.settings());
        others.into_iter().chain(agents).collect()
    }

    /// Returns all settings locations that Claude Code reads in a session and that the options select.
    pub(crate) fn places(&self, workspace: &Naming) -> Result<Vec<Place>> {
        ensure!(self.staging.is_none(), "--staging is for `install` and `uninstall`: sessions read nothing there");
        let files = self.settings.clone().into_iter().chain(of_session(self.folders()?.project));
        let files = files.chain([of_organization(Path::new("/"), MANAGED_PART)]);
        // Files that cannot have hooks of ours are left out.
        let places = files.filter_map(|file| of_file(&file, workspace).map(installed::as_folder).ok());
        Ok(each_once(places.filter(|place| self.names(place))))
    }

    /// Returns `true` if the options include a settings location.
    fn names(&self, place: &Place) -> bool {
        matches!(
            (&self.scope, &place.kind),
            (None, _)
                | (Some(Scope::Project), PlaceKind::Project(_) | PlaceKind::Folder { .. })
                | (Some(Scope::Local), PlaceKind::Local(_))
                | (Some(Scope::User), PlaceKind::User)
                | (Some(Scope::Managed), PlaceKind::Managed(_))
        )
    }

    /// Returns the options in a form that works in another folder. Empty if none were given.
    pub(crate) fn typed(&self) -> String {
        let path = |name: &str, path: &Option<PathBuf>| {
            let whole = path.as_ref().map(|path| absolute(path).unwrap_or_else(|_| path.clone()));
            option(name, whole.as_deref())
        };
        let scope = self.scope.as_ref().map_or_else(String::new, |scope| format!(" --scope {scope}"));
        [path("project", &self.project), scope, path("staging", &self.staging), path("settings", &self.settings)]
            .concat()
    }

    /// Returns `true` if the options include a settings file's hooks.
    pub(crate) fn has(&self, scope: &Scope) -> bool {
        match &self.settings {
            Some(_) => *scope == Scope::Named,
            None => self.scope.as_ref().is_none_or(|only| only == scope),
        }
    }

    /// Returns the folders in which a session finds its settings. Outside a repository, this is the current folder.
    pub(crate) fn folders(&self) -> Result<Folders> {
        ensure!(self.agent.is_none(), "`--agent` needs `install` or `uninstall`; `list` shows all agents");
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
            agents: of_users().collect(),
            named: self.settings.as_deref().map(resolved).transpose()?,
        })
    }

    /// Returns `true` if the options select the project. Otherwise, the current folder determines it.
    pub(crate) fn names_project(&self) -> bool {
        self.project.is_some()
    }

    /// Returns the current folder, if it is below the project and the options do not select the project.
    pub(crate) fn folder_within(&self, project: &Path) -> Option<PathBuf> {
        let here = env::current_dir().and_then(|here| here.canonicalize()).ok();
        here.filter(|here| here != project && here.starts_with(project) && !self.names_project())
    }

    /// Returns the current folder, and reports it if it determines which hooks are found.
    fn folder_without_repository(&self) -> Result<PathBuf> {
        let here = env::current_dir()?;
        if self.settings.is_none() && self.scope != Some(Scope::User) {
            inform!(
                "note: there is no git repository around {}, so it is used as the project; to choose another: \
                 --project DIR",
                here.display()
            );
        }
        Ok(here)
    }

    fn root(&self) -> Result<PathBuf> {
        project_root(self.project.as_deref())
    }
}

/// Returns the root of the project in an option, or of the project around the current folder.
pub(crate) fn project_root(named: Option<&Path>) -> Result<PathBuf> {
    let Some(project) = named else {
        return repository(&env::current_dir()?);
    };
    let root = project.canonicalize().with_context(|| format!("the project {}", project.display()))?;
    ensure!(root.is_dir(), "the project {} is not a folder", project.display());
    Ok(root)
}

/// Returns the options that select this settings location from any folder.
pub(crate) fn options(place: &Place) -> String {
    let (options, path) = match &place.kind {
        PlaceKind::Project(root) | PlaceKind::Folder { project: root, .. } => (" --project", root.as_path()),
        PlaceKind::Local(root) => (" --scope local --project", root.as_path()),
        PlaceKind::User => return " --scope user".to_owned(),
        PlaceKind::Managed(_) if !place.is_staged() => return " --scope managed".to_owned(),
        PlaceKind::Managed(root) => (" --scope managed --staging", root.as_path()),
        PlaceKind::Other => (" --settings", place.settings()),
        PlaceKind::Agent { agent, project: None } => return format!(" --agent {}", agent.id),
        PlaceKind::Agent { agent, project: Some(project) } => {
            return format!(" --agent {} --project {}", agent.id, quoted(project.display()));
        }
    };
    format!("{options} {}", quoted(path.display()))
}

pub(crate) const PROJECT: &str = ".claude/settings.json";
const LOCAL: &str = ".claude/settings.local.json";

/// Returns the user's home, without links.
pub(crate) fn home() -> Option<PathBuf> {
    PathBuf::from(env::var_os("HOME")?).canonicalize().ok()
}

/// Returns the user's own settings file.
pub(crate) fn of_user() -> Option<PathBuf> {
    Some(of_variable("CLAUDE_CONFIG_DIR").or_else(|| Some(of_variable("HOME")?.join(".claude")))?.join("settings.json"))
}

/// Returns the files of a project and of the user.
fn of_session(root: Option<PathBuf>) -> impl Iterator<Item = PathBuf> {
    let of_project = root.into_iter().flat_map(|root| [root.join(PROJECT), root.join(LOCAL)]);
    of_project.chain(of_user())
}

/// Returns the locations, without repeated settings files.
fn each_once(places: impl Iterator<Item = Place>) -> Vec<Place> {
    let mut once: Vec<Place> = Vec::new();
    for place in places {
        if once.iter().all(|known| known.settings() != place.settings()) {
            once.push(place);
        }
    }
    once
}

/// Returns the path of an organization's settings file below a folder.
fn of_organization(root: &Path, part: &str) -> PathBuf {
    root.join(MANAGED_FOLDER.trim_start_matches('/')).join(MANAGED_PARTS).join(part)
}

/// Returns the location of one of our files in the organization's settings, below the machine's root or the folder that
/// replaces it.
pub(crate) fn of_part(staging: Option<&Path>, part: &str, workspace: &str) -> Result<Place> {
    let folder = staging.unwrap_or(Path::new("/"));
    let root = folder.canonicalize().with_context(|| format!("the folder {}", folder.display()))?;
    let file = of_organization(&root, part);
    Place::new(PlaceKind::Managed(root), &file, workspace)
}

/// Returns the location of a settings file, whatever path was given.
///
/// If a home folder is also a project's root, its settings file counts as the user's. Otherwise, the hooks would be
/// missing in all other projects, because the commands would contain this project's folder.
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

/// Another agent's file that contains a workspace's hooks, or cannot be read.
pub(crate) struct OfAgent {
    pub(crate) agent: &'static Agent,
    pub(crate) place: Place,
    /// The file, and the names of its hooks. An error includes the fix.
    pub(crate) read: Result<(Document, BTreeSet<String>)>,
}

/// Returns other agents' files in a project that contain a workspace's hooks. Includes files that may contain some:
/// those that an agent would ignore, and those that cannot be read.
pub(crate) fn of_agents(project: &Path, workspace: &str) -> impl Iterator<Item = OfAgent> {
    file::in_project(project).filter_map(move |(agent, file)| OfAgent::find(agent, Some(project), &file, workspace))
}

/// Returns the user's own files for other agents that contain a workspace's hooks, or may contain them.
pub(crate) fn of_agents_of_user(workspace: &Naming) -> impl Iterator<Item = OfAgent> {
    // Without a name, nothing is installed there.
    let name = workspace.within(None).ok();
    of_users().filter_map(move |(agent, file)| OfAgent::find(agent, None, &file, name.as_deref()?))
}

/// Returns the user's own files for agents.
fn of_users() -> impl Iterator<Item = (&'static Agent, PathBuf)> {
    AGENTS.iter().filter_map(|agent| Some((*agent, resolved(&file::of_user(agent)?).ok()?)))
}

impl OfAgent {
    fn find(agent: &'static Agent, project: Option<&Path>, file: &Path, workspace: &str) -> Option<Self> {
        let project = project.map(Path::to_owned);
        // Where `install --agent` fails, there are no hooks.
        let place = Place::new(PlaceKind::Agent { agent, project }, file, workspace).ok()?;
        let read = match installed::settings(&place).transpose()? {
            Ok(settings) => {
                let hooks = installed::named(Some(&settings), &place);
                if hooks.is_empty() {
                    return None;
                }
                installed::ensure_read(&place, &settings, false).map(|()| (settings, hooks))
            }
            Err(err) => Err(err),
        };
        Some(Self { agent, place, read })
    }
}

/// Returns the location of another agent's hooks in a project.
///
/// # Errors
///
/// Fails if the agent's shell would not find the project, or the agent does not read its file.
fn of_agent(agent: &'static Agent, project: PathBuf, workspace: &Naming) -> Result<Place> {
    ensure!(
        !agent.file.root.contains("git ") || project.join(".git").exists(),
        "{} finds hooks only in the root of a git repository, and {} is not such a root; to make it one: git init",
        agent.name,
        project.display()
    );
    let main = start::main_tree(&project).filter(|main| agent.file.of_main && *main != project);
    ensure!(
        main.is_none(),
        "{} is a linked worktree, and {} runs the hooks of the main working tree there; to use those: --project {}",
        project.display(),
        agent.name,
        main.unwrap_or_default().display()
    );
    let (file, name) = (project.join(agent.file.path), workspace.within(Some(&project))?);
    Place::new(PlaceKind::Agent { agent, project: Some(project) }, &file, &name)
}

/// Returns the kind of a settings file.
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

/// Returns the unique path of a file, which need not exist. It has no links up to the folder that contains `.claude`.
/// Later links stay, because only their author should change their targets.
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

/// Returns the git repository that contains a folder.
pub(crate) fn repository(from: &Path) -> Result<PathBuf> {
    files::repository(from).map(Path::to_owned).with_context(|| {
        format!("there is no git repository around {}; specify the project: --project DIR", from.display())
    })
}
