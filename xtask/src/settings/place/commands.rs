//! Commands in hookkit's entries, and the hooks that they start.

use std::path::Path;

use hookkit_protocol::settings::MANAGED_FOLDER;
use serde_json::Value;

use crate::agents::commands;
use crate::disk::state::Notes;
use crate::settings::place::{Place, PlaceKind};
use crate::terminal::{one_line, quoted};

/// The session's folder, in a file shared with a team. The client replaces it.
const SHARED: &str = "${CLAUDE_PROJECT_DIR}";

/// The command of the SessionStart entry, up to the session's folder. A shell expands the variable.
pub(crate) const STARTUP: &str = "sh \"$CLAUDE_PROJECT_DIR";

/// The rest of the SessionStart command, up to the workspace's name. In a folder of a project, `/..` before it leads to
/// the root.
pub(crate) const SCRIPT: &str = "/.claude/hookkit.sh\" ";

/// Returns `true` for the command of any workspace's SessionStart entry.
pub(crate) fn is_startup_command(command: &str) -> bool {
    command.strip_prefix(STARTUP).is_some_and(|rest| after_ups(rest).1.starts_with(SCRIPT))
}

/// Returns `true` if a command has the form of any workspace's commands. Its path is not checked, because settings can
/// be moved.
pub(crate) fn is_of_hookkit(command: &str) -> bool {
    parts(command).is_some() || is_startup_command(command)
}

/// Converts a command in a folder this many levels below the root to the form in the root's settings. `None` if it
/// leads elsewhere.
pub(crate) fn as_in_root(command: &str, levels: usize) -> Option<String> {
    let of = |start: &str| {
        let (count, rest) = after_ups(command.strip_prefix(start)?);
        (count == levels && rest.starts_with("/.claude/")).then(|| format!("{start}{rest}"))
    };
    of(SHARED).or_else(|| of(STARTUP))
}

impl Place {
    /// Returns the hook's command for the settings.
    ///
    /// In a file shared with a team, the client replaces a variable with the session's folder, so that the command has
    /// no personal path. In any other file, the command has the binary's path, which works in every session.
    pub(crate) fn command(&self, hook: &str) -> String {
        match self.agent() {
            Some(_) => commands::command(&self.program(hook)),
            None => self.program(hook),
        }
    }

    /// Returns the path of the hook's program in its command.
    pub(crate) fn program(&self, hook: &str) -> String {
        let claude = if self.is_committed() { format!("{SHARED}{}/.claude", self.ups()) } else { self.client_folder() };
        format!("{claude}{}", self.command_end(hook))
    }

    /// Returns the end of a hook's command, which is independent of the settings' location.
    pub(crate) fn command_end(&self, hook: &str) -> String {
        format!("/hookkit/{}/bin/{hook}", self.folder_name())
    }

    /// Returns the command of the entry that runs when a session starts.
    pub(crate) fn startup_command(&self) -> String {
        format!("{STARTUP}{}{SCRIPT}{}", self.ups(), quoted(&self.workspace))
    }

    /// Returns the path of the client's folder that is valid where the hooks run.
    fn client_folder(&self) -> String {
        match self.kind {
            PlaceKind::Managed(_) => MANAGED_FOLDER.to_owned(),
            PlaceKind::Agent { agent, project: Some(_) } => {
                format!("{}/{}", agent.file.root, commands::folder(agent))
            }
            // `new` has checked that it is UTF-8.
            _ => self.claude.path().display().to_string(),
        }
    }

    /// Returns the path from a session's folder up to the project's root.
    fn ups(&self) -> String {
        "/..".repeat(self.levels())
    }

    /// Returns the number of levels between a session's folder and the project's root.
    fn levels(&self) -> usize {
        match &self.kind {
            PlaceKind::Folder { project, folder } => folder.components().count() - project.components().count(),
            _ => 0,
        }
    }

    /// Converts a command in a folder's settings to the form in the root's. `None` if it leads elsewhere.
    pub(crate) fn in_root(&self, command: &str) -> Option<String> {
        match self.levels() {
            0 => Some(command.to_owned()),
            levels => as_in_root(command, levels),
        }
    }

    /// Returns `true` if a command belongs to an entry of this workspace.
    pub(crate) fn is_ours(&self, command: &str) -> bool {
        self.hook(command).is_some() || self.is_startup(command)
    }

    /// Returns the hook of this workspace that a command starts, or would start.
    pub(crate) fn hook<'c>(&self, command: &'c str) -> Option<&'c str> {
        let (folder, hook) = self.named(command)?;
        (folder == self.folder_name()).then_some(hook)
    }

    /// Returns the folder within hookkit's folder, and the hook, from a command. `None` unless `install` would write
    /// this command here, or has written it in the settings' former folder.
    pub(crate) fn named<'c>(&self, command: &'c str) -> Option<(&'c str, &'c str)> {
        let (claude, folder, hook) = parts(match self.agent() {
            Some(_) => commands::program(command)?,
            None => command,
        })?;
        let is_here = if self.is_committed() {
            self.leads(claude, SHARED, "/.claude")
        } else {
            claude == self.client_folder() || was_installed(Path::new(claude), folder, hook)
        };
        is_here.then_some((folder, hook))
    }

    /// Returns `true` for the command of the SessionStart entry.
    fn is_startup(&self, command: &str) -> bool {
        self.leads(command, STARTUP, &format!("{SCRIPT}{}", quoted(&self.workspace)))
    }

    /// Returns `true` if a command with this start and end leads from a session's folder to the hooks here.
    fn leads(&self, command: &str, start: &str, end: &str) -> bool {
        let way = command.strip_prefix(start).map(after_ups);
        way.is_some_and(|(ups, rest)| self.is_way(ups) && rest == end)
    }

    /// Returns `true` if the folder this many levels above a session's folder has the hooks here, or no longer has any
    /// hooks, such as after a move.
    fn is_way(&self, ups: usize) -> bool {
        if ups == self.levels() {
            return true;
        }
        let root = self.project().filter(|_| ups > 0).map(|folder| folder.ancestors().nth(ups));
        root.is_some_and(|root| root.is_none_or(|root| !root.join(".claude/hookkit.toml").exists()))
    }

    /// Returns the location of the project above to which a command in this folder's settings leads, and this folder's
    /// location in that project.
    pub(crate) fn above(&self, command: &str) -> Option<(Self, Self)> {
        let (ups, _) = after_ups(command.strip_prefix(SHARED)?);
        let folder = self.project().filter(|_| ups > 0)?;
        let project = folder.ancestors().nth(ups)?.to_owned();
        let within = folder.strip_prefix(&project).ok()?;
        let settings = project.join(".claude/settings.json");
        let root = Self::new(PlaceKind::Project(project.clone()), &settings, &self.workspace).ok()?;
        let folder = root.within(within).ok()?;
        Some((root, folder))
    }

    /// Returns the folder of another install of this workspace, if a command belongs to that install: a project above,
    /// or only this folder.
    pub(crate) fn of_another_install(&self, command: &str) -> Option<&Path> {
        let (ups, rest) = after_ups(command.strip_prefix(SHARED)?);
        let is_of_workspace = rest.starts_with(&format!("/.claude{}", self.command_end("")));
        self.project().filter(|_| is_of_workspace && !self.is_way(ups))?.ancestors().nth(ups)
    }
}

/// Splits a path in a shared command into the number of levels up from the session's folder, and the rest.
fn after_ups(mut path: &str) -> (usize, &str) {
    let mut count = 0;
    while let Some(rest) = path.strip_prefix("/..") {
        (count, path) = (count + 1, rest);
    }
    (count, path)
}

/// Splits one of `install`'s commands into the client's folder, the folder within hookkit's folder, and the hook.
fn parts(command: &str) -> Option<(&str, &str, &str)> {
    let (folder, hook) = command.rsplit_once("/bin/")?;
    let (claude, folder) = folder.rsplit_once("/hookkit/")?;
    // `install` writes no name with line breaks or control characters.
    let is_name = |name: &str| !name.contains('/') && one_line(name) == name;
    (is_name(folder) && is_name(hook)).then_some((claude, folder, hook))
}

/// Returns `true` if this machine has recorded a hook's binary in a folder whose settings no longer exist.
fn was_installed(claude: &Path, folder: &str, hook: &str) -> bool {
    let record = Notes::of(claude, None).parsed::<Value>(&Notes::record(folder)).ok().flatten();
    record.is_some_and(|record| record["binaries"].get(hook).is_some()) && !claude.exists()
}
