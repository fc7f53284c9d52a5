//! Where a command's targets are.

use std::env;
use std::path::{Component, Path, PathBuf};

use hookkit::Context;
use hookkit::shell::{Command, ExpansionKind, Part, Script, Word};

/// What a target is, from the least to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// Below a folder for temporary files.
    Temporary,
    /// Within the project.
    Inside,
    /// Somewhere else.
    Outside,
    /// Only known when it runs.
    Unknown,
    /// The project's root.
    Project,
    /// `.git`, or something in it.
    Repository,
    /// One of the system's folders.
    System,
    /// The file system's root, the home folder, or one that these or the project are in.
    Everything,
}

impl Target {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Temporary => "a temporary file",
            Self::Inside => "a part of the project",
            Self::Outside => "outside the project",
            Self::Unknown => "only known when it runs",
            Self::Project => "the whole project",
            Self::Repository => "the repository's history",
            Self::System => "a part of the system",
            Self::Everything => "everything below the root or the home folder",
        }
    }
}

/// Folders of the system of which nothing is a user's to delete.
const SYSTEM: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/proc",
    "/root",
    "/sbin",
    "/sys",
    "/usr",
    "/var",
    "/Applications",
    "/Library",
    "/System",
];

/// Parts of these where programs keep things that are made anew, or that a user has put there.
const LESS: &[&str] = &[
    "/usr/local",
    "/usr/src",
    "/var/cache",
    "/var/log",
    "/var/www",
    "/var/lib/docker",
];

/// Where nothing is meant to stay.
const TEMPORARY: &[&str] = &[
    "/tmp",
    "/var/tmp",
    "/private/tmp",
    "/var/folders",
    "/private/var/folders",
    "/dev/shm",
];

/// The folders that paths are taken from.
pub(super) struct Places {
    project: PathBuf,
    home: Option<PathBuf>,
    temporary: Vec<PathBuf>,
    /// Where the commands may be: where the session is, and wherever a `cd` leads.
    folders: Vec<PathBuf>,
    /// Whether a `cd` leads somewhere that is not known.
    is_lost: bool,
}

impl Places {
    pub(super) fn new(script: &Script, context: &Context, home: Option<PathBuf>) -> Self {
        let temporary = TEMPORARY.iter().map(PathBuf::from).chain([env::temp_dir()]);
        let mut places = Self {
            project: context.project_dir.clone(),
            home: home.filter(|home| home.is_absolute()),
            temporary: temporary.chain(context.scratchpad_dir.clone()).collect(),
            folders: vec![context.cwd.clone()],
            is_lost: false,
        };
        for command in script.commands() {
            places.move_by(command);
        }
        places
    }

    fn move_by(&mut self, command: &Command) {
        let folder = match command.program() {
            Some("cd" | "pushd") => command
                .arguments()
                .iter()
                .find(|word| !word.known_start().starts_with('-')),
            _ => return,
        };
        let Some(folder) = folder else {
            self.folders.extend(self.home.clone());
            return;
        };
        match self.path(folder) {
            // From each folder that it may start in.
            Some(path) => {
                let led: Vec<PathBuf> = self.folders.iter().map(|from| normal(&from.join(&path))).collect();
                for path in led {
                    if !self.folders.contains(&path) {
                        self.folders.push(path);
                    }
                }
            }
            None => self.is_lost = true,
        }
    }

    /// The worst that a word can stand for.
    pub(super) fn target(&self, word: &Word) -> Target {
        self.path(word).map_or(Target::Unknown, |path| self.worst(&path))
    }

    /// The worst folder that a command may be in.
    pub(super) fn here(&self) -> Target {
        self.worst(Path::new(""))
    }

    fn worst(&self, path: &Path) -> Target {
        if path.is_relative() && self.is_lost {
            return Target::Unknown;
        }
        let targets = self.folders.iter().map(|folder| self.kind(&normal(&folder.join(path))));
        targets.max().unwrap_or(Target::Unknown)
    }

    /// The path that a word stands for. Of a pattern that takes all in a folder it is that folder, of others something in it.
    fn path(&self, word: &Word) -> Option<PathBuf> {
        let mut text = String::new();
        for (index, part) in word.parts.iter().enumerate() {
            let expansion = match part {
                Part::Literal(literal) => {
                    text.push_str(literal);
                    continue;
                }
                Part::Expansion(expansion) => expansion,
            };
            match expansion.kind {
                ExpansionKind::Tilde if index == 0 => text.push_str(self.home.as_ref()?.to_str()?),
                ExpansionKind::Glob => {
                    let folder = &text[..text.rfind('/').map_or(0, |slash| slash + 1)];
                    let begins = &text[folder.len()..];
                    let takes_all = begins.is_empty() || begins == ".";
                    let rest = &word.parts[index + 1..];
                    let ends = rest.iter().all(|part| match part {
                        Part::Literal(text) => text.starts_with('/'),
                        Part::Expansion(expansion) => expansion.kind == ExpansionKind::Glob,
                    });
                    return Some(if takes_all && ends {
                        PathBuf::from(folder)
                    } else {
                        Path::new(folder).join("some")
                    });
                }
                _ => return None,
            }
        }
        // `~name` is another's home.
        if matches!(word.parts.first(), Some(Part::Expansion(_)))
            && text[self.home.as_ref()?.to_str()?.len()..].starts_with(|next| next != '/')
        {
            return None;
        }
        Some(PathBuf::from(text))
    }

    fn kind(&self, path: &Path) -> Target {
        let holds = |inner: &Path| inner.starts_with(path);
        if path.parent().is_none() || self.home.as_deref().is_some_and(holds) {
            return Target::Everything;
        }
        if path == self.project {
            return Target::Project;
        }
        if holds(&self.project) {
            return Target::Everything;
        }
        if let Ok(inner) = path.strip_prefix(&self.project) {
            let is_repository = inner
                .components()
                .any(|name| name == Component::Normal(".git".as_ref()));
            return if is_repository {
                Target::Repository
            } else {
                Target::Inside
            };
        }
        let temporary = self.temporary.iter().filter(|folder| path.starts_with(folder));
        if let Some(folder) = temporary.max_by_key(|folder| folder.components().count()) {
            // All that others keep there is something else than one's own.
            return if path == folder {
                Target::Outside
            } else {
                Target::Temporary
            };
        }
        if LESS
            .iter()
            .any(|folder| path.starts_with(folder) && path != Path::new(folder))
        {
            return Target::Outside;
        }
        let is_top = path.components().count() == 2;
        if is_top || SYSTEM.iter().any(|folder| path.starts_with(folder)) {
            return Target::System;
        }
        Target::Outside
    }
}

/// A path without `.` and `..`, as text.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            component => normal.push(component),
        }
    }
    normal
}
