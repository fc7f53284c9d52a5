//! Paths of a tool's input, resolved as the client does.
//!
//! There are two ways: from the text alone ([`Context::absolute`]), and on disk ([`Context::path`]).
//!
//! All facts about the client are those of 2.1.330.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::{env, fmt, fs};

use crate::{Context, Error};

/// A path of a tool's input, and its target. [`Context::path`] returns it.
///
/// It displays as [`absolute`](Self::absolute), the name that the model knows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProjectPath {
    /// Path as the client reads it: absolute, without `.`, `..`, `//`, `~` and a trailing slash.
    ///
    /// The client removes `..` from the text before it opens anything: `link/../a` is `a` next to the link.
    /// Show this name to the user, but do not decide by it: links are not followed.
    pub absolute: PathBuf,
    /// The file that the client opens or creates: `absolute` with every link followed.
    ///
    /// No part of it needs to exist. A link to a missing file is followed, too, since writing through it creates that
    /// file.
    pub resolved: PathBuf,
    /// The name of the file within the project, separated by `/`: `src/main.rs`, or `.` for the root itself.
    ///
    /// `None` if the file is outside the project. Links are followed in both paths, the file's and the project's.
    /// A path that programs can read in two ways (see [`names`](Self::names)) is inside only if it is inside in both.
    pub relative: Option<String>,
    /// Names without duplicates; the first is `absolute`.
    names: Vec<PathBuf>,
    /// Number of folders between the file and the project's root, if the file is inside.
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
    /// They include the kernel's reading of the path: the kernel follows `link` before the `..` of `link/../a`, does
    /// not expand `~`, and does not trim whitespace. So does a program that is not one of the client's tools, such as
    /// an MCP server.
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
    /// match them by lists of path patterns.
    ///
    /// All names of the root itself are considered. The file need not be in the project: a link in the project has a
    /// relative name, wherever its target is.
    pub fn relative_names(&self) -> impl Iterator<Item = String> {
        let inside = |name: &PathBuf| {
            self.roots
                .iter()
                .find_map(|root| Some(written(name.strip_prefix(root).ok()?)))
        };
        self.names.iter().filter_map(inside)
    }

    /// Returns the folders that contain the file, from its own up to the project's root: tools look for their
    /// configuration there. For a file outside the project there are none.
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
    /// It is the same as [`ProjectPath::absolute`], for a hook that only reports or counts. It never fails.
    /// **A guard should use [`path`](Self::path)**: a link can give a file any name, in any folder.
    ///
    /// Like the client, it trims whitespace, replaces a `~` that is alone or before a slash by the home folder
    /// (`HOME`), makes relative paths relative to [`cwd`](Self::cwd), and removes `.` and `..` from the text.
    /// `~user` is an ordinary name, and so is `~` if `HOME` is not set.
    /// In a test whose `cwd` is relative or empty, it is relative to the process's current directory.
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
        absolute(path.as_ref(), &self.cwd, home().as_deref())
    }

    /// Resolves a path of a tool's input to its file, and the file's place in the project.
    ///
    /// A guard should decide by this. A name and its file can differ in three ways, each of which bypasses a guard that
    /// compares strings:
    ///
    /// - `..` and `~`: the client itself removes them from the paths of Read, Write, Edit and NotebookEdit before a
    ///   hook sees them, but not from those of Glob, Grep and others, and before 2.1.89 not everywhere;
    /// - links: they are followed anywhere in the path, also to files that do not exist yet;
    /// - `..` after a link: the client removes it from the text, while the kernel follows the link first, so that the
    ///   two can mean different files. [`resolved`](ProjectPath::resolved) is the client's;
    ///   [`relative`](ProjectPath::relative) and [`names`](ProjectPath::names) consider the kernel's, too.
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
    /// Not detected are:
    ///
    /// - hard links and mounts, which give a file two names;
    /// - volumes that ignore case: `.ENV` and `.env` are different names here;
    /// - the space before `AM` or `PM` in a screenshot's name: for `1.00 AM.png`, Read also opens the name with U+202F,
    ///   as macOS writes it;
    /// - changes on disk between this call and the client's access; `/proc/self` is the hook's own.
    ///
    /// # Errors
    ///
    /// When the path cannot be resolved: links form a loop, access is denied, the path contains a NUL byte or is longer
    /// than the kernel accepts, or it begins with `~` and `HOME` is not set.
    /// Always on Windows, where the rules of links are untested.
    /// A guard returns the error with `?`, which denies the call.
    pub fn path(&self, path: impl AsRef<Path>) -> Result<ProjectPath, Error> {
        locate(path.as_ref(), &self.cwd, &self.project_dir, home().as_deref())
    }
}

fn locate(path: &Path, cwd: &Path, project: &Path, home: Option<&Path>) -> Result<ProjectPath, Error> {
    // On Windows, drives, short names, streams and case give a file more names than are considered here.
    if cfg!(windows) {
        return Err(Error::msg(format_args!(
            "`{}` cannot be resolved on Windows yet",
            Shown(path)
        )));
    }
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(Error::msg(format_args!("`{}` contains a NUL byte", Shown(path))));
    }
    if home.is_none() && is_home(&trimmed(path)) {
        return Err(Error::msg(format_args!(
            "cannot resolve `{}`: `HOME` is not set",
            Shown(path)
        )));
    }
    let absolute = absolute(path, cwd, home);
    let project = based(project);
    let mut roots = vec![lexical(project.components())];
    let project = follow(&project, &mut roots)?;
    let mut names = vec![absolute.clone()];
    let resolved = follow(&absolute, &mut names)?;
    let inside = resolved.strip_prefix(&project).ok();
    let mut is_inside = inside.is_some();
    let as_written = based(cwd).join(path);
    // `Path` comparison ignores `.`, `//` and a trailing slash, as the client and the kernel do.
    if as_written != absolute {
        let read_by_kernel = follow(&as_written, &mut names)?;
        is_inside &= read_by_kernel.starts_with(&project);
    }
    let inside = inside.filter(|_| is_inside);
    Ok(ProjectPath {
        relative: inside.map(written),
        depth: inside.map_or(0, |path| path.components().count()),
        absolute,
        resolved,
        names,
        roots,
    })
}

/// Returns a path below a folder, as text.
fn written(below: &Path) -> String {
    if below.as_os_str().is_empty() {
        return ".".to_owned();
    }
    below.to_string_lossy().into_owned()
}

fn absolute(path: &Path, cwd: &Path, home: Option<&Path>) -> PathBuf {
    let path = trimmed(path);
    if let Some(home) = home
        && is_home(&path)
    {
        // Not `join`: after the `~` of `~//etc`, the rest is `/etc`.
        return lexical(home.components().chain(path.components().skip(1)));
    }
    lexical(based(cwd).join(path).components())
}

/// Returns the path of these components, without `.` and `..`.
fn lexical<'p>(components: impl Iterator<Item = Component<'p>>) -> PathBuf {
    let mut path = PathBuf::from("/");
    for component in components {
        match component {
            Component::Normal(name) => path.push(name),
            Component::ParentDir => {
                path.pop();
            }
            // A drive.
            #[cfg(windows)]
            Component::Prefix(prefix) => {
                path = prefix.as_os_str().into();
                path.push("\\");
            }
            #[cfg(not(windows))]
            Component::Prefix(_) => {}
            Component::RootDir | Component::CurDir => {}
        }
    }
    path
}

fn is_home(path: &Path) -> bool {
    path.components().next() == Some(Component::Normal("~".as_ref()))
}

/// Returns the home folder, by the variable that the client also uses.
fn home() -> Option<PathBuf> {
    env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

/// Trims whitespace like JavaScript's `trim`.
fn trimmed(path: &Path) -> Cow<'_, Path> {
    match path.to_str() {
        Some(text) => Cow::Borrowed(text.trim_matches(is_blank).as_ref()),
        None => Cow::Borrowed(path),
    }
}

/// Returns `true` if it is whitespace in JavaScript.
pub(crate) fn is_blank(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

/// Makes a folder of the payload absolute; only tests have relative ones.
fn based(folder: &Path) -> Cow<'_, Path> {
    if folder.is_absolute() {
        return Cow::Borrowed(folder);
    }
    let here = env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    Cow::Owned(here.join(folder))
}

/// Maximum number of links that Linux follows in a path.
const MAX_LINKS: usize = 40;

/// Resolves an absolute path as the kernel does. Adds to `names` the path after each link, and the target.
///
/// `std::fs::canonicalize` does not work for missing files, and canonicalizing only the parent would miss a link to
/// one.
fn follow(path: &Path, names: &mut Vec<PathBuf>) -> Result<PathBuf, Error> {
    let mut done = PathBuf::from("/");
    // The remaining names, the next one last.
    let mut ahead = Vec::new();
    push(path, &mut ahead);
    let mut links = 0;
    while let Some(part) = ahead.pop() {
        if part == ".." {
            done.pop();
            continue;
        }
        done.push(part);
        let target = match fs::read_link(&done) {
            Ok(target) => target,
            Err(err) if is_not_a_link(&err) => continue,
            Err(err) => return Err(Error::msg(format_args!("cannot follow `{}`: {err}", Shown(&done)))),
        };
        links += 1;
        if links > MAX_LINKS {
            return Err(Error::msg(format_args!(
                "`{}` goes through too many symbolic links",
                Shown(path)
            )));
        }
        done.pop();
        if target.is_absolute() {
            done = PathBuf::from("/");
        }
        push(&target, &mut ahead);
        let mut name = done.clone();
        name.extend(ahead.iter().rev());
        // A leading `..` goes up from a resolved folder, so it can be removed from the text.
        let is_plain = !ahead
            .iter()
            .rev()
            .skip_while(|part| *part == "..")
            .any(|part| part == "..");
        add(if is_plain { lexical(name.components()) } else { name }, names);
    }
    add(done.clone(), names);
    Ok(done)
}

/// Puts the names of a path before the remaining ones.
fn push(path: &Path, ahead: &mut Vec<OsString>) {
    ahead.extend(path.components().rev().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    }));
}

fn add(name: PathBuf, names: &mut Vec<PathBuf>) {
    if !names.contains(&name) {
        names.push(name);
    }
}

/// Returns `true` if the error means that this is not a link, or does not exist.
fn is_not_a_link(err: &std::io::Error) -> bool {
    matches!(
        err.kind(),
        ErrorKind::InvalidInput | ErrorKind::NotFound | ErrorKind::NotADirectory
    )
}

/// A path in a message, truncated: the model can write one of any length.
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
