//! Paths of a tool's input, resolved as the client does.
//!
//! A path is resolved from the text alone ([`Context::absolute`]), or on disk ([`Context::path`]).
//!
//! All facts about the client are from version 2.1.330.

use std::borrow::Cow;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use crate::{Context, Error, sys};

#[cfg(unix)]
mod unix;
#[cfg(any(windows, test))]
mod windows;

/// A path of a tool's input, and its target. [`Context::path`] returns it.
///
/// It displays as [`absolute`](Self::absolute), the name that the model knows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProjectPath {
    /// Path as the client reads it: absolute, without `.`, `..`, `//`, `~` and a trailing slash.
    /// On Windows, this path and the others begin with a drive and are separated by `/`: `C:/project/a`.
    ///
    /// The client removes `..` from the text before it opens anything: `link/../a` is `a` next to the link. Show this
    /// name to the user, but do not base a decision on it: links are not followed.
    pub absolute: PathBuf,
    /// The file that the client opens or creates: `absolute` with every link followed.
    ///
    /// No part of it needs to exist. A link to a missing file is followed, too, since writing through it creates that
    /// file.
    pub resolved: PathBuf,
    /// Path of the file within the project, separated by `/`: `src/main.rs`, or `.` for the root itself.
    ///
    /// `None` if the file is outside the project. Links are followed in both paths, the file's and the project's.
    /// A path that programs can read in two ways (see [`names`](Self::names)) is inside only if both readings are
    /// inside.
    pub relative: Option<String>,
    /// The file's names without duplicates; the first is `absolute`.
    names: Vec<PathBuf>,
    /// Number of folders between the project's root and the file, if the file is inside.
    depth: usize,
    /// The names of the project's root, like `names` for the file.
    roots: Vec<PathBuf>,
}

impl ProjectPath {
    /// Returns all names of the file: [`absolute`](Self::absolute), the path after each link, and finally
    /// [`resolved`](Self::resolved).
    ///
    /// A guard that recognizes files by name should check each of them: `notes.txt` can be a link to `.env`, and `.env`
    /// can be a link to a file of any name.
    ///
    /// On macOS and Windows, where most volumes ignore case, the names also include the lowercase form of each name, so
    /// a guard that looks for `.env` also recognizes `.ENV`.
    ///
    /// They also include the kernel's reading of the path: the kernel follows `link` before the `..` of `link/../a`,
    /// does not expand `~`, and does not trim whitespace. Programs other than the client's tools, such as an MCP
    /// server, read paths like the kernel.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Keeps private keys from being read.
    /// #[hook(PreToolUse, matcher = "Read")]
    /// pub fn protect_keys(call: PreToolUse<tool::Read>, context: Context) -> Result<PreToolUseAnswer, Error> {
    ///     let path = context.path(&call.input.file_path)?;
    ///     Ok(match path.names().find(|name| name.extension().is_some_and(|end| end == "pem")) {
    ///         Some(key) => PreToolUseAnswer::deny(format!("`{}` is a private key", key.display())),
    ///         None => PreToolUseAnswer::pass(),
    ///     })
    /// }
    /// # fn main() {}
    /// ```
    pub fn names(&self) -> impl Iterator<Item = &Path> {
        self.names.iter().map(PathBuf::as_path)
    }

    /// Returns the [`names`](Self::names) that are in the project, in the form of [`relative`](Self::relative), to
    /// match them against lists of path patterns.
    ///
    /// All names of the root itself are considered. The file need not be in the project: a link in the project has a
    /// relative name, wherever its target is.
    pub fn relative_names(&self) -> impl Iterator<Item = String> {
        let inside = |name: &PathBuf| self.roots.iter().find_map(|root| Some(written(name.strip_prefix(root).ok()?)));
        self.names.iter().filter_map(inside)
    }

    /// Returns the folders that contain the file, from its own up to the project's root, where tools look for their
    /// configuration. A file outside the project has none.
    ///
    /// ```
    /// # use hookkit::{Context, Error};
    /// # fn example(context: &Context) -> Result<(), Error> {
    /// let path = context.path("packages/web/src/main.ts")?;
    /// let package = path.folders().find(|folder| folder.join("package.json").exists());
    /// # Ok(())
    /// # }
    /// # example(&Context::default()).unwrap();
    /// ```
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.resolved.ancestors().skip(1).take(self.depth)
    }
}

impl fmt::Display for ProjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.absolute.display().fmt(f)
    }
}

impl Context {
    /// Returns a path of a tool's input as the client reads it, without accessing the disk.
    ///
    /// This is [`ProjectPath::absolute`], for a hook that only reports or counts. It never fails: on Windows, if
    /// [`path`](Self::path) would always fail, it returns a relative path that begins with `?/`, as no real name does.
    /// **A guard should use [`path`](Self::path)**: a link can give a file any name, in any folder.
    ///
    /// Like the client, it trims whitespace, replaces `~`, alone or before a slash, with the home folder (`HOME`, on
    /// Windows `USERPROFILE`), makes relative paths relative to [`cwd`](Self::cwd), and resolves `.` and `..`
    /// lexically. `~user` is an ordinary name; so is `~` on Unix if the variable is not set. In a test whose `cwd` is
    /// relative or empty, the result is relative to the process's current directory.
    ///
    /// ```
    /// use hookkit::Context;
    ///
    /// let mut context = Context::default();
    /// context.cwd = "/project/web".into();
    /// assert_eq!(context.absolute("../README.md").to_str(), Some("/project/README.md"));
    /// assert_eq!(context.absolute("/project//src/./main.rs/").to_str(), Some("/project/src/main.rs"));
    /// assert_eq!(context.absolute("").to_str(), Some("/project/web"));
    /// ```
    pub fn absolute(&self, path: impl AsRef<Path>) -> PathBuf {
        SYSTEM.absolute(path.as_ref(), &self.cwd, home().as_deref())
    }

    /// Resolves a path of a tool's input to its file, and the file's location in the project.
    ///
    /// A guard should use this path. A name and its file can differ in three ways, and each of them bypasses a
    /// guard that compares strings:
    ///
    /// - `..` and `~`: in the paths of Read, Write, Edit and NotebookEdit, the client itself removes them before a hook
    ///   sees the call (before 2.1.89, not everywhere); in the paths of Glob, Grep and others, it does not;
    /// - links: they are followed anywhere in the path, also to files that do not exist yet;
    /// - `..` after a link: the client removes it from the text, while the kernel follows the link first, so that the
    ///   two can mean different files. [`resolved`](ProjectPath::resolved) is the client's file;
    ///   [`relative`](ProjectPath::relative) and [`names`](ProjectPath::names) consider the kernel's file, too.
    ///
    /// So, to allow files inside the project, check that `relative` is `Some`. To deny files by name or by folder,
    /// check all `names`. To open the file, use `resolved`.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Keeps changes within the project.
    /// #[hook(PreToolUse)]
    /// pub fn stay_inside(call: PreToolUse<tool::TextChange>, context: Context) -> Result<PreToolUseAnswer, Error> {
    ///     let path = context.path(call.input.path())?;
    ///     Ok(match path.relative {
    ///         Some(_) => PreToolUseAnswer::pass(),
    ///         // For a link in the project, the message also names its target.
    ///         None if path.resolved == path.absolute => PreToolUseAnswer::deny(format!("`{path}` is outside the project")),
    ///         None => PreToolUseAnswer::deny(format!("`{path}` leads to `{}`, outside the project", path.resolved.display())),
    ///     })
    /// }
    ///
    /// # fn main() {
    /// # let mut context = Context::default();
    /// # context.cwd = "/project".into();
    /// # context.project_dir = "/project".into();
    /// let call = PreToolUse::new("Write", tool::Write::new("/project/../etc/passwd", "").into());
    /// let denial = PreToolUseAnswer::deny("`/etc/passwd` is outside the project");
    /// assert_eq!(stay_inside(call, context).unwrap(), denial);
    /// # }
    /// ```
    ///
    /// These differences are not detected:
    ///
    /// - hard links and mounts, which give a file two names;
    /// - volumes that ignore case: `.ENV` and `.env` are different names here, except in [`names`](ProjectPath::names)
    ///   on macOS and Windows; and volumes of macOS that treat composed and decomposed letters as the same;
    /// - the space before `AM` or `PM` in a screenshot's name: for `1.00 AM.png`, Read also opens the name with U+202F,
    ///   as macOS writes it;
    /// - changes on disk between this call and the client's access; `/proc/self` is the hook's own.
    ///
    /// # Errors
    ///
    /// Fails if the path cannot be resolved: links form a loop, access is denied, the path contains a NUL byte or is
    /// longer than the kernel accepts, or it begins with `~` and `HOME` is not set.
    ///
    /// On Windows, also fails if the path can be read in several ways: a drive without a slash (`C:a`), a slash without
    /// a drive (`\a`, and `/c/a` of Git Bash), a network path, a mapped network drive, a prefix (`\\?\`), a `:` in a
    /// name (`.env::$DATA`), a dot or a blank at the end of a name, the name of a device (`NUL`), a character that is
    /// invalid in names, the short name of a link (`LINK~1`), a link to any of these, a relative link with `..` after
    /// another link, and `~` if `HOME` and `USERPROFILE` are different folders. A guard returns the error with `?`,
    /// which denies the call.
    pub fn path(&self, path: impl AsRef<Path>) -> Result<ProjectPath, Error> {
        let home = home();
        locate(&SYSTEM, FOLDS_CASE, path.as_ref(), &self.cwd, &self.project_dir, home.as_deref())
    }
}

/// The path rules of one system.
trait Reader {
    /// Returns the client's reading of a path, without accessing the disk. It never fails.
    fn absolute(&self, path: &Path, cwd: &Path, home: Option<&Path>) -> PathBuf;

    /// Returns the client's reading, and other programs' reading if it differs. Both can contain `..`.
    fn readings(&self, path: &Path, cwd: &Path, home: Option<&Path>) -> Result<(PathBuf, Option<PathBuf>), Error>;

    /// Returns a folder of the payload as an absolute path, which can contain `..`.
    fn folder(&self, folder: &Path) -> Result<PathBuf, Error>;

    /// Removes `.` and `..` from the text of an absolute path.
    fn without_dots(&self, path: &Path) -> PathBuf;

    /// Resolves an absolute path as the system does. Adds to `names` the path after each link, and the target.
    fn follow(&self, path: &Path, names: &mut Vec<PathBuf>) -> Result<PathBuf, Error>;
}

#[cfg(unix)]
const SYSTEM: unix::Unix = unix::Unix;
#[cfg(windows)]
const SYSTEM: windows::Windows<windows::Computer> = windows::Windows(windows::Computer);

/// `true` on a system whose volumes usually ignore the case of letters.
pub(crate) const FOLDS_CASE: bool = cfg!(any(windows, target_vendor = "apple"));

fn locate(
    system: &impl Reader,
    folds_case: bool,
    path: &Path,
    cwd: &Path,
    project: &Path,
    home: Option<&Path>,
) -> Result<ProjectPath, Error> {
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(Error::msg(format_args!("`{}` contains a NUL byte", Shown(path))));
    }
    if home.is_none() && is_home(&trimmed(path)) {
        return Err(Error::msg(format_args!("cannot resolve `{}`: {NO_HOME}", Shown(path))));
    }
    let (absolute, as_written) = system.readings(path, cwd, home)?;
    let project = system.folder(project)?;
    let mut roots = vec![system.without_dots(&project)];
    let project = system.follow(&project, &mut roots)?;
    let mut names = vec![absolute.clone()];
    let resolved = system.follow(&absolute, &mut names)?;
    let inside = resolved.strip_prefix(&project).ok();
    let mut is_inside = inside.is_some();
    if let Some(as_written) = as_written {
        is_inside &= system.follow(&as_written, &mut names)?.starts_with(&project);
    }
    let inside = inside.filter(|_| is_inside);
    if folds_case {
        add_folded(&mut names);
        add_folded(&mut roots);
    }
    Ok(ProjectPath {
        relative: inside.map(written),
        depth: inside.map_or(0, |path| path.components().count()),
        absolute,
        resolved,
        names,
        roots,
    })
}

#[cfg(not(windows))]
const NO_HOME: &str = "`HOME` is not set";
#[cfg(windows)]
const NO_HOME: &str = "`USERPROFILE` is not set, or `HOME` is another folder";

/// Adds each path in lower case.
fn add_folded(paths: &mut Vec<PathBuf>) {
    for index in 0..paths.len() {
        let path = match paths[index].to_str() {
            Some(text) => folded(text).collect::<String>().into(),
            None => paths[index].as_os_str().to_ascii_lowercase().into(),
        };
        add(path, paths);
    }
}

/// Returns a text in lower case. Two texts become equal if they differ only in case, under the rules of any volume.
fn folded(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

/// Returns a relative path as text, `.` if it is empty.
fn written(below: &Path) -> String {
    if below.as_os_str().is_empty() {
        return ".".to_owned();
    }
    below.to_string_lossy().into_owned()
}

fn is_home(path: &Path) -> bool {
    path.components().next() == Some(Component::Normal("~".as_ref()))
}

/// Returns the home folder, from the variable that the client uses.
fn home() -> Option<PathBuf> {
    #[cfg(windows)]
    return windows::home(sys::variable);
    #[cfg(not(windows))]
    sys::variable("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

/// Trims whitespace like JavaScript's `trim`.
fn trimmed(path: &Path) -> Cow<'_, Path> {
    match path.to_str() {
        Some(text) => Cow::Borrowed(text.trim_matches(is_blank).as_ref()),
        None => Cow::Borrowed(path),
    }
}

/// Returns `true` if JavaScript treats the character as whitespace.
pub(crate) fn is_blank(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

/// Maximum number of links that Linux follows in a path.
const MAX_LINKS: usize = 40;

fn add(name: PathBuf, names: &mut Vec<PathBuf>) {
    if !names.contains(&name) {
        names.push(name);
    }
}

/// A path for a message, truncated: the model can write a path of any length.
struct Shown<'p>(&'p Path);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_CHARACTERS: usize = 200;
        let text = self.0.to_string_lossy();
        match text.char_indices().nth(MAX_CHARACTERS) {
            None => f.write_str(&text),
            Some((end, _)) => write!(f, "{}…", &text[..end]),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
