//! The places of a command's targets.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

use hookkit::git::WorkTree;
use hookkit::shell::{ExpansionKind, Part, Script, Word};
use hookkit::{Context, Environment, Error};

use crate::folders::Folders;
use crate::words::is_brace;

use super::variables::Variables;

/// The kind of a target, from the least to the worst.
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

/// Folders of temporary files.
const TEMPORARY: &[&str] = &[
    "/tmp",
    "/var/tmp",
    "/private/tmp",
    "/var/folders",
    "/private/var/folders",
    "/dev/shm",
];

/// Returns `true` if it is `.git`, on some volume: without its case, or by its short name on Windows.
fn is_git(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("git~1")
}

/// The folders by which paths are judged.
pub(super) struct Places {
    project: PathBuf,
    home: PathBuf,
    temporary: Vec<PathBuf>,
    folders: Folders,
    variables: Option<Variables>,
}

impl Places {
    pub(super) fn new(line: &str, script: &Script, context: &Context, environment: Environment) -> Self {
        let mut places = Self {
            project: context.project_dir.clone(),
            home: context.absolute("~"),
            temporary: TEMPORARY.iter().map(PathBuf::from).collect(),
            folders: Folders::of(script, context),
            variables: Variables::of(line, script, environment),
        };
        let of_variable = environment.variable("TMPDIR").map(PathBuf::from);
        let named = of_variable.into_iter().chain(context.scratchpad_dir.clone());
        for folder in named.filter(|folder| folder.is_absolute()) {
            let folder = context.absolute(folder);
            // With `TMPDIR=/` all would be temporary.
            if places.kind(&folder) == Target::Outside {
                places.temporary.push(folder);
            }
        }
        places
    }

    /// Returns `true` if there is a file of this name in the folder where the commands run.
    pub(super) fn is_file(&self, name: &str) -> bool {
        self.folders
            .contexts
            .iter()
            .any(|context| context.absolute(name).exists())
    }

    /// Returns `true` if git has all of these files, as they are now.
    ///
    /// If git cannot be asked, or it is not certain in which folder, they may not be.
    pub(super) fn are_committed(&self, names: &[&str]) -> bool {
        /// Each is a run of git.
        const MOST: usize = 20;
        let [context] = &self.folders.contexts[..] else {
            return false;
        };
        if self.folders.is_lost || names.len() > MOST {
            return false;
        }
        let committed = || -> io::Result<bool> {
            let Some(tree) = WorkTree::around(&context.cwd)? else {
                return Ok(false);
            };
            let status = tree.status()?;
            let paths = names.iter().map(|name| Ok(context.path(name)?.resolved));
            let paths: Vec<PathBuf> = paths.collect::<Result<_, Error>>().map_err(io::Error::other)?;
            let is_changed = |path: &PathBuf| {
                let mut changes = status.changes.iter();
                changes.any(|change| tree.root().join(&change.path).starts_with(path))
            };
            let mut are_saved = !status.is_cut_off && !paths.iter().any(is_changed);
            for path in &paths {
                are_saved = are_saved && tree.is_tracked(path)?;
            }
            Ok(are_saved)
        };
        committed().unwrap_or(false)
    }

    /// The worst that a word can mean.
    pub(super) fn target(&self, word: &Word) -> Target {
        let values = self.variables.as_ref().and_then(|variables| variables.words(word));
        let words = values.as_deref().unwrap_or(std::slice::from_ref(word));
        let targets = words
            .iter()
            .map(|word| self.path(word).map_or(Target::Unknown, |path| self.worst(&path)));
        targets.max().unwrap_or(Target::Unknown)
    }

    /// Returns `true` if a word may be in one of the folders that a desktop keeps for the user's documents.
    pub(super) fn are_documents(&self, word: &Word) -> bool {
        const FOLDERS: &[&str] = &[
            "Desktop",
            "Documents",
            "Downloads",
            "Library/Mobile Documents",
            "Movies",
            "Music",
            "Pictures",
            "Videos",
        ];
        let Some(path) = self.path(word) else { return false };
        let are_documents = |path: PathBuf| {
            let is_in = |folder: &&str| path.starts_with(self.home.join(folder));
            FOLDERS.iter().any(is_in) && self.kind(&path) == Target::Outside
        };
        self.folders
            .contexts
            .iter()
            .any(|context| are_documents(context.absolute(&path)))
    }

    /// The worst folder that a command may be in.
    pub(super) fn here(&self) -> Target {
        self.worst(Path::new(""))
    }

    fn worst(&self, path: &Path) -> Target {
        if path.is_relative() && self.folders.is_lost {
            return Target::Unknown;
        }
        let contexts = self.folders.contexts.iter();
        let targets = contexts.map(|context| self.kind(&context.absolute(path)));
        targets.max().unwrap_or(Target::Unknown)
    }

    /// The path that a word means. Of a pattern that takes all in a folder it is that folder, of others something in it.
    fn path(&self, word: &Word) -> Option<PathBuf> {
        if word.parts.iter().any(is_brace) {
            return None;
        }
        let mut text = String::new();
        for (index, part) in word.parts.iter().enumerate() {
            let expansion = match part {
                Part::Literal(literal) => {
                    // In quotes it is a name, and behind one that is none it names another's home.
                    match (index, literal.chars().next()) {
                        (0, Some('~')) => text.push_str("./"),
                        (1, Some(next)) if text == "~" && next != '/' => return None,
                        _ => {}
                    }
                    text.push_str(literal);
                    continue;
                }
                Part::Expansion(expansion) => expansion,
            };
            match expansion.kind {
                ExpansionKind::Tilde if index == 0 => text.push('~'),
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
        Some(PathBuf::from(text))
    }

    /// Returns `true` for what programs keep to be quicker, and make or fetch anew.
    fn is_made_anew(&self, path: &Path) -> bool {
        /// Below the home folder.
        const CACHES: &[&str] = &[
            ".cargo/registry",
            ".gradle/caches",
            ".npm/_cacache",
            ".npm/_logs",
            ".npm/_npx",
            ".yarn/cache",
            "Library/Developer/Xcode/DerivedData",
        ];
        let is_within = |folder: &Path| path.starts_with(folder) && path != folder;
        let is_cache = |folder: &&str| path.starts_with(self.home.join(folder));
        [".cache", "Library/Caches"]
            .iter()
            .any(|folder| is_within(&self.home.join(folder)))
            || CACHES.iter().any(is_cache)
            || path.starts_with("/var/lib/apt/lists")
    }

    fn kind(&self, path: &Path) -> Target {
        let holds = |inner: &Path| inner.starts_with(path);
        if path.parent().is_none() || holds(&self.home) {
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
                .any(|name| matches!(name, Component::Normal(name) if is_git(name)));
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
        if self.is_made_anew(path) {
            return Target::Temporary;
        }
        // The home folder may be one of the system's, as `/root` is.
        let is_less = |folder: &&str| path.starts_with(folder) && path != Path::new(folder);
        if path.starts_with(&self.home) || LESS.iter().any(is_less) {
            return Target::Outside;
        }
        let names = path.components().filter(|name| matches!(name, Component::Normal(_)));
        let is_top = path.is_absolute() && names.count() == 1;
        if is_top || SYSTEM.iter().any(|folder| path.starts_with(folder)) {
            return Target::System;
        }
        Target::Outside
    }
}
