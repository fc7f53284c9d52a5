//! Locations of a command's targets.

mod linked;
mod outside;
mod patterns;
mod saved;

use std::cell::Cell;
use std::ffi::OsStr;
use std::path::Component;
use std::time::SystemTime;

use crate::effects::changes::LONGEST;
use crate::later::decides;
use crate::prelude::*;

pub(super) use patterns::is_git_between;
pub(super) use saved::Tree;

use patterns::paths;

/// Location of a target, from the least to the most dangerous.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// Below a folder for temporary files.
    Temporary,
    /// Within the project.
    Inside,
    /// Outside the project.
    Outside,
    /// Not literal.
    Unknown,
    /// The project's root.
    Project,
    /// `.git`, or something in it.
    Repository,
    /// In a folder of the system.
    System,
    /// The root of the file system, the home folder, or a folder that contains the home folder or the project.
    Everything,
}

impl Target {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Temporary => "a temporary file",
            Self::Inside => "a part of the project",
            Self::Outside => "outside the project",
            Self::Unknown => "named at run time",
            Self::Project => "the whole project",
            Self::Repository => "the repository's history",
            Self::System => "a part of the system",
            Self::Everything => "everything below the root or the home folder",
        }
    }
}

/// System folders in which nothing may be deleted.
const SYSTEM: &str =
    "/bin:/boot:/dev:/etc:/lib:/lib32:/lib64:/proc:/root:/sbin:/sys:/usr:/var:/Applications:/Library:/System";

/// Parts of system folders with content that programs can make again, or that users have put there.
const LESS: &str = "/usr/local:/usr/src:/var/cache:/var/log:/var/www:/var/lib/docker";

/// Folders for temporary files.
const TEMPORARY: &str = "/tmp:/var/tmp:/private/tmp:/var/folders:/private/var/folders:/dev/shm";

/// Returns `true` for `.git` on any volume: in any case, or by its short name on Windows.
fn is_git(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("git~1")
}

/// Returns `true` for one of these folders, or a path in such a folder.
fn is_in(path: &Path, folders: &str) -> bool {
    folders.split(':').any(|folder| path.starts_with(folder))
}

/// Returns `true` if a script runs one of these git commands.
fn has_git(script: &Script, names: &str) -> bool {
    script.commands().iter().filter_map(Git::of).any(|git| git.words.first().is_some_and(|name| name.is(names)))
}

/// Folders against which paths are judged.
pub(super) struct Places {
    known: Rc<Known>,
    along: Along,
}

/// Folders that all commands of a line share.
#[derive(Default)]
struct Known {
    project: PathBuf,
    home: PathBuf,
    temporary: Vec<PathBuf>,
    /// `true` if the project does not contain the home folder, and is not in `.ssh` or a system folder.
    is_plain: bool,
    environment: Environment,
    /// Number of files looked up in git, for the whole line.
    asked: Rc<Cell<usize>>,
    /// The start of the session.
    start: Option<SystemTime>,
    /// `true` if the line itself adds files to git.
    is_saved: bool,
    /// `true` if the line may restore changes from git's stash.
    unstashes: bool,
    /// Files and links that the line makes itself.
    made: Vec<PathBuf>,
    links: Vec<PathBuf>,
}

impl Places {
    /// Returns the folders for all commands of a line; [`at`](Self::at) returns the folders for one command.
    pub(super) fn new(line: Line) -> Self {
        let (script, context) = (line.script, line.context);
        let along = Along::of(line);
        let (project, home) = (&context.project_dir, context.absolute("~"));
        let is_users = home.starts_with(project) || project.starts_with(home.join(".ssh"));
        let mut known = Known {
            project: project.clone(),
            home,
            temporary: TEMPORARY.split(':').map(PathBuf::from).collect(),
            is_plain: !is_users && !is_in(project, SYSTEM),
            environment: line.environment,
            asked: Rc::default(),
            start: context.transcript_path.metadata().and_then(|it| it.created()).ok(),
            is_saved: has_git(script, "add commit stash"),
            unstashes: has_git(script, "stash"),
            made: outside::made(script, &along),
            links: outside::links(script, &along),
        };
        let named =
            line.environment.variable("TMPDIR").map(PathBuf::from).into_iter().chain(context.scratchpad_dir.clone());
        for folder in named.filter(|folder| folder.is_absolute()) {
            let folder = context.absolute(folder);
            // With `TMPDIR=/`, all files would be temporary.
            if known.kind(&folder) == Target::Outside {
                known.temporary.push(folder);
            }
        }
        Self { known: Rc::new(known), along }
    }

    /// Returns the folders for commands in a container, on another machine, or in another git work tree.
    pub(super) fn elsewhere(&self) -> Self {
        self.other(self.known.temporary.clone(), Folders::clone(&self.along.whole).lost())
    }

    /// Returns the folders for a container made for one command: all are temporary.
    pub(super) fn new_container(&self) -> Self {
        self.other(vec!["/".into()], Folders::clone(&self.along.whole))
    }

    fn other(&self, temporary: Vec<PathBuf>, folders: Folders) -> Self {
        let known = Known {
            // No path is below this one.
            project: PathBuf::from("/dev/null/project"),
            home: self.known.home.clone(),
            temporary,
            environment: self.known.environment,
            asked: self.known.asked.clone(),
            ..Known::default()
        };
        Self { known: Rc::new(known), along: Along::everywhere(folders.into()) }
    }

    /// Returns the folders for one command of a line; `None` if all commands have the same folders.
    pub(super) fn at(&self, command: &Command) -> Option<Self> {
        let folders = self.along.step(command)?;
        Some(Self { known: self.known.clone(), along: Along::everywhere(folders.clone()) })
    }

    pub(super) fn environment(&self) -> Environment {
        self.known.environment
    }

    /// Returns the folder that the commands run in, if it is certain.
    pub(super) fn only(&self) -> Option<&Context> {
        self.along.whole.only()
    }

    /// Returns `true` if there is a file of this name that is not a folder.
    pub(super) fn is_regular_file(&self, name: &str) -> bool {
        self.contexts().any(|context| context.absolute(name).is_file())
    }

    /// Returns `true` if the commands may run in a folder of this name.
    pub(super) fn may_be_in(&self, name: &str) -> bool {
        self.contexts().any(|context| context.cwd.ends_with(name))
    }

    /// Returns `true` if there is a file of this name in a folder where the commands may run.
    pub(super) fn is_file(&self, name: &str) -> bool {
        self.contexts().any(|context| context.absolute(name).exists())
    }

    fn contexts(&self) -> impl Iterator<Item = &Rc<Context>> {
        self.along.whole.contexts.iter()
    }

    /// Returns the worst target that a word can mean.
    pub(super) fn target(&self, word: &Word) -> Target {
        self.target_of(&pieces(word))
    }

    /// Returns the worst target that a name can mean.
    pub(super) fn target_of(&self, name: &[Piece]) -> Target {
        paths(name).into_iter().flatten().map(|path| self.worst(&path)).max().unwrap_or(Target::Unknown)
    }

    /// Returns the files that a name may mean from each folder of the command, except those in the project.
    pub(super) fn files(&self, name: &[Piece]) -> Vec<PathBuf> {
        let leads_on = |piece: &Piece| match piece {
            Piece::Text(text) => text.starts_with(['/', '~']) || text.contains("..") || text.contains([':', '\\']),
            _ => false,
        };
        let is_of_project = || {
            !name.iter().any(leads_on)
                && self.known.is_plain
                && !self.along.whole.is_lost
                && self.contexts().all(|context| context.cwd.starts_with(&self.known.project))
        };
        if name.iter().any(|piece| matches!(piece, Piece::Text(text) if text.len() > LONGEST)) || is_of_project() {
            return Vec::new();
        }
        let paths = paths(name).unwrap_or_default();
        self.contexts()
            .flat_map(|context| paths.iter().map(|path| context.absolute(path)).collect::<Vec<_>>())
            .collect()
    }

    /// Returns `true` for a file in the user's document folders.
    pub(super) fn is_document(&self, path: &Path) -> bool {
        const FOLDERS: &str = "Desktop:Documents:Downloads:Library/Mobile Documents:Movies:Music:Pictures:Videos";
        path.strip_prefix(&self.known.home).is_ok_and(|path| is_in(path, FOLDERS))
            && self.known.kind(path) == Target::Outside
    }

    /// Returns `true` for a file that controls access to the machine, or the programs that run on it.
    pub(super) fn is_critical(&self, path: &Path) -> bool {
        decides(path, &self.known.home, None)
    }

    /// Returns `true` if the target of an archive is the root or in a system folder, or if the target of a copied
    /// folder is the root or a system folder directly below it.
    pub(super) fn is_over_system(&self, name: &[Piece], is_archive: bool) -> bool {
        const PROGRAMS: &str = "/usr/local/bin:/usr/local/lib:/usr/local/sbin";
        let is_it = |path: &Path| {
            let is_deep = path.components().count() > 2 || path == self.known.home;
            path.parent().is_none() || is_in(path, SYSTEM) && !is_in(path, LESS) && (is_archive || !is_deep)
        };
        self.files(name)
            .iter()
            .any(|path| is_it(path) && self.known.kind(path) >= Target::System || is_archive && is_in(path, PROGRAMS))
    }

    /// Returns `true` for the whole disk, the home folder, a folder of the system, a critical file of the machine, and
    /// the socket of a container engine.
    pub(super) fn is_machine(&self, name: &str) -> bool {
        const ENGINES: &str = "containerd.sock crio.sock docker.sock podman.sock";
        let is_it = |path: &PathBuf| {
            let is_top = path.components().count() <= 2;
            ENGINES.split(' ').any(|socket| path.ends_with(socket))
                || self.known.home.starts_with(path)
                || (is_top || path == Path::new("/var/run")) && self.known.kind(path) >= Target::System
                || self.is_critical(path)
        };
        self.files(&[Piece::from(name)]).iter().any(is_it)
    }

    /// Returns `true` if a word is a folder for temporary files, or below one. The project is never temporary.
    pub(super) fn is_temporary(&self, word: &Word) -> bool {
        let is_there = |path: PathBuf| self.known.temporary_around(&path).is_some();
        let is_certain = |path: &PathBuf| path.is_absolute() || !self.along.whole.is_lost;
        let is_one =
            |path: &PathBuf| is_certain(path) && self.contexts().all(|context| is_there(context.absolute(path)));
        paths(&pieces(word)).is_some_and(|paths| !paths.is_empty() && paths.iter().all(is_one))
    }

    /// Returns the worst folder that a command may run in.
    pub(super) fn here(&self) -> Target {
        self.worst(Path::new(""))
    }

    fn worst(&self, path: &Path) -> Target {
        if path.is_relative() && !path.starts_with("~") && self.along.whole.is_lost {
            return Target::Unknown;
        }
        let targets = self.contexts().map(|context| {
            let absolute = context.absolute(path);
            let is_content = path.as_os_str().as_encoded_bytes().ends_with(b"/");
            let is_in = |link: &PathBuf| absolute.starts_with(link) && (is_content || absolute != *link);
            let real = || self.behind_links(context, path).map(|real| self.known.kind(&real));
            match self.known.kind(&absolute) {
                Target::Temporary | Target::Inside if self.known.links.iter().any(is_in) => Target::Unknown,
                target @ (Target::Temporary | Target::Inside) => real().map_or(target, |real| real.max(target)),
                _ if self.known.made.contains(&absolute) => Target::Temporary,
                // It may be a path of the project by another name.
                target @ Target::Outside => match real() {
                    Some(real @ (Target::Inside | Target::Project | Target::Repository)) => real,
                    _ => target,
                },
                target => target,
            }
        });
        targets.max().unwrap_or(Target::Unknown)
    }
}

impl Known {
    /// Returns `true` for caches, which programs make or fetch again.
    fn is_made_anew(&self, path: &Path) -> bool {
        /// Caches below the home folder.
        const CACHES: &str = ".cargo/registry .gradle/caches .npm/_cacache .npm/_logs .npm/_npx .yarn/cache \
            Library/Developer/Xcode/DerivedData";
        let is_within = |folder: &Path| path.starts_with(folder) && path != folder;
        [".cache", "Library/Caches"].iter().any(|folder| is_within(&self.home.join(folder)))
            || CACHES.split(' ').any(|folder| path.starts_with(self.home.join(folder)))
            || path.starts_with("/var/lib/apt/lists")
    }

    /// Returns the nearest folder for temporary files that is or contains the path, unless the project or a home folder
    /// lies between them.
    fn temporary_around(&self, path: &Path) -> Option<&PathBuf> {
        let own = [&self.project, &self.home].map(|own| (own, path.starts_with(own)));
        // Everything in a new container is temporary.
        let is_owned = |folder: &Path| {
            folder.parent().is_some() && own.iter().any(|(own, is_in)| *is_in && own.starts_with(folder))
        };
        self.temporary
            .iter()
            .filter(|folder| path.starts_with(folder) && !is_owned(folder))
            .max_by_key(|folder| folder.components().count())
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
            let is_repository = inner.components().any(|name| matches!(name, Component::Normal(name) if is_git(name)));
            // A killed git may have left a lock: no branch and no object has such a name.
            let is_lock = path.extension().is_some_and(|end| end == "lock");
            return if is_repository && !is_lock { Target::Repository } else { Target::Inside };
        }
        if let Some(folder) = self.temporary_around(path) {
            // All temporary files together include those of others.
            return if path == folder { Target::Outside } else { Target::Temporary };
        }
        if self.is_made_anew(path) {
            return Target::Temporary;
        }
        // The home folder may be in one of the system's, like `/root`.
        let is_less = |folder| path.starts_with(folder) && path != Path::new(folder);
        if path.starts_with(&self.home) || LESS.split(':').any(is_less) {
            return Target::Outside;
        }
        let is_top =
            path.is_absolute() && path.components().filter(|name| matches!(name, Component::Normal(_))).count() == 1;
        if is_top || is_in(path, SYSTEM) {
            return Target::System;
        }
        Target::Outside
    }
}
