//! The folders and files in which a session finds its settings.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use hookkit_protocol::agents::Agent;
use hookkit_protocol::settings::{MANAGED_FILE, MANAGED_PARTS, is_managed_part};

use crate::agents::file;
use crate::disk::files::entries;
use crate::settings::start;
use crate::terminal::one_line;

/// The folders and files that a session reads.
#[derive(Default, Clone)]
pub(crate) struct Folders {
    /// The folder in which the session is started.
    pub(crate) project: Option<PathBuf>,
    /// The user's home folder, which is not a project.
    pub(crate) home: Option<PathBuf>,
    /// The client's configuration folder of the user.
    pub(crate) user: Option<PathBuf>,
    /// The folder of the machine's settings, managed by an administrator.
    pub(crate) managed: PathBuf,
    /// The user's own files for other agents.
    pub(crate) agents: Vec<(&'static Agent, PathBuf)>,
    /// A settings file passed to the client.
    pub(crate) named: Option<PathBuf>,
}

/// The owner of a settings file. `--scope` accepts the first four.
#[derive(Debug, Clone, PartialEq, ValueEnum)]
pub(crate) enum Scope {
    /// The project's, which its team shares: .claude/settings.json
    Project,
    /// Yours, in this project: .claude/settings.local.json
    Local,
    /// Yours, in all projects: settings.json in $CLAUDE_CONFIG_DIR or ~/.claude
    User,
    /// The organization's, for all users of the machine: managed-settings.d/hookkit.json in /etc/claude-code
    Managed,
    /// The local settings of the repository's root, for a session that starts in a folder below it or in a linked
    /// worktree.
    #[value(skip)]
    OuterLocal,
    /// Another agent's file.
    #[value(skip)]
    Agent(&'static Agent),
    /// The file of `--settings`.
    #[value(skip)]
    Named,
    /// A plugin's settings, by the names of the plugin and its marketplace.
    #[value(skip)]
    Plugin {
        id: String,
        /// `true` if managed settings enable the plugin.
        is_forced: bool,
    },
}

impl Scope {
    /// Returns the names of the plugin and its marketplace. Empty for settings.
    pub(crate) fn plugin(&self) -> &str {
        match self {
            Self::Plugin { id, .. } => id,
            _ => "",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::OuterLocal => "local of the repository",
            Self::Named => "--settings",
            Self::Agent(agent) => agent.id,
            Self::Managed => "managed",
            Self::Plugin { id, .. } => return write!(f, "plugin {}", one_line(id)),
        })
    }
}

impl Folders {
    /// Returns the settings files, the weakest first.
    pub(crate) fn settings(&self) -> Vec<(Scope, PathBuf)> {
        let mut files = Vec::new();
        let user = self.user.iter().map(|user| (Scope::User, user.join("settings.json")));
        files.extend(user);
        if let Some(project) = &self.project {
            files.push((Scope::Project, project.join(".claude/settings.json")));
            files.push((Scope::Local, project.join(".claude/settings.local.json")));
            let outer = start::outer(project, self.home.as_deref());
            files.extend(outer.map(|root| (Scope::OuterLocal, root.join(".claude/settings.local.json"))));
        }
        let named = self.named.iter().map(|named| (Scope::Named, named.clone()));
        files.extend(named);
        files.extend(managed(&self.managed).into_iter().map(|file| (Scope::Managed, file)));
        files
    }

    /// Returns the files of other agents.
    pub(crate) fn of_agents(&self) -> impl Iterator<Item = (Scope, PathBuf)> {
        let of_project = |project: &PathBuf| file::in_project(project).collect::<Vec<_>>();
        let of_project = self.project.iter().flat_map(of_project);
        of_project.chain(self.agents.iter().cloned()).map(|(agent, path)| (Scope::Agent(agent), path))
    }
}

/// Returns the organization's settings files in a folder, the weakest first.
fn managed(folder: &Path) -> Vec<PathBuf> {
    let mut parts: Vec<PathBuf> = entries(&folder.join(MANAGED_PARTS))
        .filter(|part| is_managed_part(&part.file_name()))
        .map(|part| part.path())
        .collect();
    parts.sort();
    parts.insert(0, folder.join(MANAGED_FILE));
    parts
}
