//! Collects a checkout's entries, including unreadable files and the files in commands.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hookkit_shell::programs::table::lists;

use super::checkout::{Checkout, Kind};
use super::entry::{Entry, LINK};
use super::names::{self, Name, Names};
use crate::disk::bounded::plain;

/// Maximum number of files that are compared because commands and scripts mention them.
const FILES: usize = 10_000;

/// Maximum number of folders in which a command's files are searched for.
const FOLDERS: usize = 256;

/// Maximum number of leading names in a path that are outside the checkout.
const BEFORE: usize = 32;

/// Maximum number of path lookups, because hostile texts could mention any number. Each [`BYTES_OF_LOOKUP`] bytes of a
/// text also count as one.
const LOOKUPS: usize = 500_000;
const BYTES_OF_LOOKUP: usize = 64;

/// Maximum size in bytes of a script that is searched for other files.
const SCRIPT: usize = 1 << 20;

/// Extensions of scripts. In some languages, a script refers to another one without its extension.
const ENDINGS: &str = "awk bash cjs cts fish inc jq js jsx ksh lua mjs mts php pl pm ps1 py rb sed sh ts tsx zsh";

/// The place of an entry, or of a reference to a file.
#[derive(Clone, PartialEq)]
pub(crate) struct Place {
    /// Path in the checkout.
    pub(crate) file: PathBuf,
    pub(crate) line: Option<usize>,
}

impl Place {
    pub(super) fn of(file: &Path) -> Self {
        Self { file: file.to_owned(), line: None }
    }

    pub(super) fn at(file: &Path, line: usize) -> Self {
        Self { file: file.to_owned(), line: Some(line) }
    }
}

/// The entries of a checkout.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) entries: BTreeMap<Entry, Place>,
    /// Parts of the checkout and files next to it that are not compared, each with the reason.
    pub(crate) unseen: BTreeSet<String>,
    /// Folders of plugins with a module.
    pub(super) modules: BTreeSet<PathBuf>,
}

impl Found {
    /// Returns `true` for an entry from a plugin that runs inside the client.
    pub(crate) fn is_in_client(&self, entry: &Entry) -> bool {
        let file = Path::new(&entry.file);
        self.modules.iter().any(|folder| file.starts_with(folder))
    }
}

/// Entries that are being collected.
pub(super) struct Finder<'c> {
    pub(super) checkout: &'c Checkout,
    pub(super) found: Found,
    /// Files that are compared as a whole.
    pub(super) files: BTreeSet<PathBuf>,
    /// Folders in variables that are search paths for programs and modules.
    pub(super) paths: BTreeSet<PathBuf>,
    /// The number of paths that may still be looked up.
    lookups: Cell<usize>,
    /// Lowercase names in folders, because some systems ignore case.
    names: RefCell<BTreeMap<PathBuf, BTreeSet<String>>>,
}

impl<'c> Finder<'c> {
    pub(super) fn new(checkout: &'c Checkout) -> Self {
        Self {
            checkout,
            found: Found::default(),
            files: BTreeSet::new(),
            paths: BTreeSet::new(),
            lookups: Cell::new(LOOKUPS),
            names: RefCell::default(),
        }
    }

    pub(super) fn done(mut self) -> Found {
        if self.lookups.get() == 0 {
            let why =
                format!("commands and scripts mention too many paths, or one of them more than {FOLDERS} folders");
            self.unread(Path::new("."), &why);
        }
        self.found
    }

    pub(super) fn add(&mut self, entry: Entry, place: Place) {
        self.found.entries.entry(entry).or_insert(place);
    }

    /// Adds an unreadable file, with the reason.
    pub(super) fn unread(&mut self, path: &Path, why: &str) {
        self.add(Entry::unread(path, why), Place::of(path));
    }

    fn unseen(&mut self, what: String) {
        self.found.unseen.insert(what);
    }

    /// Adds a whole file, with the place that refers to it.
    pub(super) fn whole(&mut self, file: &Path, bytes: &[u8]) {
        self.add(Entry::of_file(file, bytes), Place::of(file));
    }

    /// Reads a file. Returns `None` if it does not exist. An unreadable file becomes an entry.
    pub(super) fn read(&mut self, file: &Path) -> Option<Vec<u8>> {
        self.read_named(file, &Place::of(file))
    }

    /// Reads a file that is mentioned at a place.
    fn read_named(&mut self, file: &Path, place: &Place) -> Option<Vec<u8>> {
        let why = match self.here(file, place)? {
            Kind::File { .. } => match self.checkout.read(file) {
                Ok(bytes) => return Some(bytes),
                Err(err) => err.to_string(),
            },
            Kind::Odd(why) => why,
            _ => "it is a folder".to_owned(),
        };
        self.add(Entry::unread(file, &why), place.clone());
        None
    }

    /// Returns the paths in a folder. If the folder cannot be read, or is a link out of the checkout, it becomes an
    /// entry.
    pub(super) fn within(&mut self, folder: &Path) -> Vec<PathBuf> {
        if self.here(folder, &Place::of(folder)) != Some(Kind::Folder) {
            return Vec::new();
        }
        let names = self.checkout.names(folder).unwrap_or_else(|err| {
            self.unread(folder, &format!("it cannot be read: {}", err.kind()));
            Vec::new()
        });
        names.into_iter().map(|name| folder.join(name)).collect()
    }

    /// Returns what is at a path. `None` if nothing is there, its name is not UTF-8, or it does not belong to the checkout:
    /// git ignores it, or a link leads out. All but a missing path are noted.
    fn here(&mut self, path: &Path, place: &Place) -> Option<Kind> {
        let kind = self.checkout.kind(path);
        if kind == Kind::Missing {
            return None;
        }
        if path.to_str().is_none() {
            self.add(Entry::unread(path, "its name is not UTF-8"), place.clone());
            return None;
        }
        if self.checkout.is_ignored(path) {
            // For the binaries that hookkit builds, hookkit.lock has the code.
            if !is_built(path) {
                let path = path.display();
                self.unseen(format!("{path}: git ignores it, so it exists only on this machine"));
            }
            return None;
        }
        let Kind::Outside { link, target } = kind else {
            return Some(kind);
        };
        let (shown, to) = (link.display(), target.display());
        self.unseen(format!("{to}, the target of the link {shown}: it is not part of the checkout"));
        let target = target.to_string_lossy().into_owned();
        self.add(Entry::new(&link, LINK, &target.into()), place.clone());
        None
    }

    /// Adds a whole file. For a script, also adds the scripts that it mentions.
    pub(super) fn file(&mut self, file: &Path, place: &Place) {
        let mut left = VecDeque::from([(file.to_owned(), place.clone())]);
        while let Some((file, place)) = left.pop_front() {
            if self.files.contains(&file) {
                continue;
            }
            if self.files.len() == FILES {
                let why = format!("commands mention more than {FILES} files of the checkout");
                self.add(Entry::unread(&file, &why), place);
                return;
            }
            self.files.insert(file.clone());
            let kind = self.checkout.kind(&file);
            let Some(bytes) = self.read_named(&file, &place) else {
                continue;
            };
            self.add(Entry::of_file(&file, &bytes).of_kind(&kind), place);
            let mut named = BTreeSet::new();
            if bytes.starts_with(b"#!") || is_code(&file) && !bytes.contains(&0) {
                named = self.named_by(&file, &bytes);
            }
            if ending(&file) == Some("py") {
                // Python first runs the `__init__.py` of the folders around a module.
                let packages = file.ancestors().skip(1).map(|folder| folder.join("__init__.py"));
                named.extend(packages.filter(|package| self.checkout.kind(package) != Kind::Missing));
            }
            left.extend(named.into_iter().map(|script| (script, Place::of(&file))));
        }
    }

    /// Returns the scripts and programs mentioned in a script.
    fn named_by(&mut self, file: &Path, bytes: &[u8]) -> BTreeSet<PathBuf> {
        let text = String::from_utf8_lossy(bytes);
        if bytes.len() > SCRIPT {
            self.unseen(format!("files mentioned in {} (it is too long)", file.display()));
            return BTreeSet::new();
        }
        let names = self.names_in([&*text]);
        let bases: Vec<PathBuf> = file.ancestors().skip(1).map(Path::to_owned).collect();
        let own = ending(file).map(|ending| if ending == "pl" { "pm" } else { ending });
        let mut scripts = self.existing(&bases, &names, own);
        scripts.retain(|script| self.is_script(script));
        let run = Names { paths: names.run, ..Names::default() };
        scripts.extend(self.existing(&bases, &run, None));
        scripts
    }

    fn names_in<'t>(&self, texts: impl IntoIterator<Item = &'t str> + Clone) -> Names {
        let length: usize = texts.clone().into_iter().map(str::len).sum();
        let left = self.lookups.get();
        self.lookups.set(left.saturating_sub(length / BYTES_OF_LOOKUP));
        if left == 0 {
            return Names::default();
        }
        let names = names::named(texts);
        if names.paths.len() >= names::MOST {
            self.lookups.set(0);
        }
        names
    }

    /// Adds the files mentioned in the texts of a command, as paths relative to one of these folders.
    pub(super) fn called<'t>(
        &mut self,
        texts: impl IntoIterator<Item = &'t str> + Clone,
        bases: &[PathBuf],
        place: &Place,
    ) {
        let names = self.names_in(texts);
        for file in self.existing(bases, &names, None) {
            self.file(&file, place);
        }
    }

    /// Adds the files in the folders that a text mentions as paths relative to `bases`, because they are search paths
    /// for programs.
    pub(super) fn searched(&mut self, text: &str, bases: &[PathBuf], place: &Place) {
        let folders = self.bases(bases, &self.names_in([text]).paths);
        for folder in folders.into_iter().skip(bases.len()) {
            self.paths.insert(folder.clone());
            for file in self.within(&folder) {
                if self.checkout.kind(&file) != Kind::Folder {
                    self.file(&file, place);
                }
            }
        }
    }

    /// Returns the folders and their mentioned subfolders: a command can change to a subfolder, or build a path.
    fn bases(&self, bases: &[PathBuf], names: &BTreeSet<Name>) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = bases.iter().chain(&self.paths).cloned().collect();
        for name in names {
            for base in bases {
                let folders = self.longest(base, name, |kind| *kind == Kind::Folder).into_iter();
                let folders: Vec<PathBuf> = folders.filter(|folder| !all.contains(folder)).collect();
                all.extend(folders);
            }
            if all.len() > FOLDERS {
                self.lookups.set(0);
            }
        }
        all
    }

    /// Returns the mentioned files that exist, even without their extension, and the files in mentioned folders that a
    /// command can run: all files if the folder has scripts for hooks or the command lists it, and otherwise the file
    /// that runs if only the folder is specified.
    fn existing(&self, bases: &[PathBuf], names: &Names, ending: Option<&str>) -> BTreeSet<PathBuf> {
        let is_there = |kind: &Kind| !matches!(kind, Kind::Missing | Kind::Folder);
        let mut existing = BTreeSet::new();
        let known = bases.len();
        let bases = self.bases(bases, &names.paths);
        for folder in &bases[known..] {
            let files = self.files(folder, false).into_iter();
            existing.extend(files.filter(|file| is_in_claude(file) || is_first(file)));
        }
        for listed in &names.listed {
            let folders = bases.iter().enumerate().flat_map(|(at, base)| match &listed.folder {
                None => Vec::from_iter((at >= known).then(|| base.clone())),
                Some(folder) if folder.is_empty() => vec![base.clone()],
                Some(folder) => self.longest(base, folder, |kind| *kind == Kind::Folder),
            });
            let files = folders.flat_map(|folder| self.files(&folder, listed.is_deep));
            let is_taken = |file: &PathBuf| file.to_string_lossy().ends_with(&listed.end);
            existing.extend(files.filter(|file| is_taken(file) && self.is_script(file)));
        }
        let endings: Vec<&str> = names.endings.iter().copied().chain(ending).collect();
        for name in &names.paths {
            let with_endings = endings.iter().filter_map(|ending| {
                let (last, folders) = name.split_last()?;
                Some([folders, &[format!("{last}.{ending}")]].concat())
            });
            for name in with_endings.chain([name.clone()]) {
                existing.extend(bases.iter().flat_map(|base| self.longest(base, &name, is_there)));
            }
        }
        existing
    }

    /// Returns the files in a folder. If `is_deep`, includes those in subfolders.
    fn files(&self, folder: &Path, is_deep: bool) -> Vec<PathBuf> {
        let (mut files, mut left) = (Vec::new(), vec![folder.to_owned()]);
        while let Some(folder) = left.pop() {
            for name in self.checkout.names(&folder).into_iter().flatten() {
                let path = folder.join(name);
                match self.look(&path) {
                    Kind::Missing => {}
                    Kind::Folder => left.extend((is_deep && self.checkout.is_folder(&path)).then_some(path)),
                    _ => files.push(path),
                }
            }
        }
        files
    }

    /// Looks up a path, unless the limit on lookups is reached.
    fn look(&self, path: &Path) -> Kind {
        let left = self.lookups.get();
        self.lookups.set(left.saturating_sub(1));
        match left {
            0 => Kind::Missing,
            _ => self.checkout.kind(path),
        }
    }

    /// Returns the longest suffix of a name that is the path of a wanted file or folder in `base`. The beginning of the
    /// name can be a variable's value, or a path on another machine. After a link, `..` has two meanings, so there can
    /// be two paths.
    fn longest(&self, base: &Path, name: &Name, is_wanted: impl Fn(&Kind) -> bool) -> Vec<PathBuf> {
        let mut folders = self.names.borrow_mut();
        let names = folders.entry(base.to_owned()).or_insert_with(|| {
            let names = self.checkout.names(base).into_iter().flatten();
            names.map(|name| name.to_string_lossy().to_lowercase()).collect()
        });
        // Most texts contain no names.
        let is_there = |from: &usize| name[*from] == ".." || names.contains(&name[*from].to_lowercase());
        let mut found = (0..name.len().min(BEFORE)).filter(is_there).map(|from| {
            let path = base.join(name[from..].iter().collect::<PathBuf>());
            let mut paths = vec![plain(&path), self.checkout.straight(&path)];
            paths.dedup();
            paths.retain(|path| is_wanted(&self.look(path)));
            paths
        });
        found.find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Returns `true` if a file mentioned in a script is itself a script or a program, not a file that the script only
    /// reads.
    fn is_script(&self, file: &Path) -> bool {
        let is_program = matches!(self.checkout.kind(file), Kind::File { is_program: true, .. } | Kind::Outside { .. });
        is_program || is_code(file) || is_in_claude(file)
    }
}

/// Returns `true` for the binary of a hookkit hook.
fn is_built(path: &Path) -> bool {
    let names: Vec<_> = path.iter().collect();
    names.windows(2).any(|names| names[0] == ".claude" && names[1] == "hookkit")
}

/// Returns `true` for a path below a `.claude`.
fn is_in_claude(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.iter().any(|name| name == ".claude"))
}

fn ending(file: &Path) -> Option<&str> {
    file.extension()?.to_str().filter(|ending| lists(ENDINGS, ending))
}

/// Returns `true` for the file that runs if a command specifies only the folder.
fn is_first(file: &Path) -> bool {
    let stem = file.file_stem().and_then(OsStr::to_str);
    has_ending(file) && matches!(stem, Some("__init__" | "__main__" | "index"))
}

fn has_ending(file: &Path) -> bool {
    ending(file).is_some()
}

/// Returns `true` for a possible name of a script: with a script's extension, or without an extension.
fn is_code(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default();
    has_ending(file) || !name.as_encoded_bytes().contains(&b'.')
}
