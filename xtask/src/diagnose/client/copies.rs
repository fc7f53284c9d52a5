//! The settings files that a session reads, and their copies for the isolated client.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use hookkit_protocol::settings::MANAGED_FOLDER;

use crate::diagnose::client::answer::File;
use crate::diagnose::client::seen::Seen;
use crate::diagnose::client::session::World;
use crate::disk::bounded;
use crate::settings::{folders, scope, start};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingsScope {
    User,
    Project,
    Local,
    /// That of the repository's root, for a project that is a folder or a linked worktree of it.
    OuterLocal,
    /// The organization's, of which there can be several files.
    Managed,
}

impl SettingsScope {
    /// Returns the client's name for it.
    fn name(self) -> &'static str {
        match self {
            Self::User => "userSettings",
            Self::Project => "projectSettings",
            Self::Local | Self::OuterLocal => "localSettings",
            Self::Managed => "policySettings",
        }
    }
}

/// An original settings file.
pub(super) struct Original {
    pub(super) kind: SettingsScope,
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl Original {
    pub(super) fn copy_in(&self, world: &World) -> PathBuf {
        match self.kind {
            SettingsScope::User => world.config().join("settings.json"),
            SettingsScope::Project => world.project().join(scope::PROJECT),
            SettingsScope::Local => world.project().join(scope::LOCAL),
            SettingsScope::OuterLocal => world.repository().join(scope::LOCAL),
            SettingsScope::Managed => {
                let within = self.path.strip_prefix(MANAGED_FOLDER);
                world.managed().join(within.unwrap_or(&self.path))
            }
        }
    }
}

/// Returns the settings files that a session in the project reads.
pub(super) fn sources(project: &Path) -> Result<Vec<Original>> {
    let outer = start::outer(&project.canonicalize()?, scope::home().as_deref());
    let managed = folders::managed(Path::new(MANAGED_FOLDER)).into_iter();
    let managed = managed.map(|file| (SettingsScope::Managed, Some(file)));
    let files = [
        (SettingsScope::User, scope::of_user()),
        (SettingsScope::Project, Some(project.join(scope::PROJECT))),
        (SettingsScope::Local, Some(project.join(scope::LOCAL))),
        (SettingsScope::OuterLocal, outer.map(|root| root.join(scope::LOCAL))),
    ];
    let mut sources: Vec<Original> = Vec::new();
    for (kind, path) in files.into_iter().chain(managed) {
        let Some(path) = path.filter(|path| path.is_file()) else {
            continue;
        };
        // A home can also be a project.
        let same = |known: &Original| known.path.canonicalize().ok() == path.canonicalize().ok();
        if sources.iter().any(same) {
            continue;
        }
        let bytes = bounded::read(&path)?;
        let text = String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8", path.display()))?;
        sources.push(Original { kind, path, text });
    }
    ensure!(
        !sources.is_empty(),
        "there are no settings to ask about: none of yours, none of an organization, and none in {}",
        project.join(".claude").display()
    );
    Ok(sources)
}

/// A settings file, with the path of its copy.
pub(super) struct Copied {
    source: Original,
    copy: PathBuf,
    has_keys: bool,
    withheld: Option<String>,
}

impl Copied {
    pub(super) fn new(source: Original, copy: PathBuf, has_keys: bool, withheld: Option<String>) -> Self {
        Self {
            source,
            copy,
            has_keys,
            withheld,
        }
    }

    /// Returns `true` if the client has one name for the two files.
    pub(super) fn shares_name_with(&self, other: &Self) -> bool {
        self.source.path != other.source.path && self.source.kind.name() == other.source.kind.name()
    }

    pub(super) fn compared(self, seen: &Seen, log: &str, shares_name: bool) -> File {
        let ours = format!("{}: ", self.copy.display());
        // A message about the whole file has no place in it.
        let skipped = log.lines().filter(|line| line.contains("Invalid setting skipped"));
        let mut said: Vec<String> = Vec::new();
        for line in skipped {
            let words = line
                .split_once(&ours)
                .map(|(_, words)| words.trim_start_matches(": ").to_owned());
            said.extend(words.filter(|words| !said.contains(words)));
        }
        let read = match (&self.withheld, &seen.sources) {
            (Some(_), _) => Some(false),
            (None, None) => None,
            (None, Some(sources)) if shares_name && sources.contains(self.source.kind.name()) => None,
            // The client does not list a file without keys.
            (None, Some(sources)) => Some(!self.has_keys || sources.contains(self.source.kind.name())),
        };
        File {
            path: self.source.path,
            read,
            withheld: self.withheld,
            said,
        }
    }
}
