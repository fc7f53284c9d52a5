//! The files that a call is about: as the client reads their names, and where these lead.
//!
//! A path is resolved in two steps.
//! The first is text alone ([`Context::absolute`]), the second looks at the disk ([`Context::path`]).
//!
//! All facts about the client are those of 2.1.330.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::{env, fmt, fs};

use crate::{Context, Error};

/// A path of a tool's input, and where it leads. [`Context::path`] makes it.
///
/// It displays as [`absolute`](Self::absolute), the name that the model knows it by.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProjectPath {
    /// Path as the client reads it: absolute, without `.`, `..`, `//`, `~` and a slash at the end.
    ///
    /// The client takes `..` out of the text before it opens anything, so that `link/../a` is `a` next to the link.
    /// It is the name to show to the user. It is not the one to decide by: it does not say where links lead.
    pub absolute: PathBuf,
    /// The file that the client opens, or the one that it makes: `absolute` with every link followed.
    ///
    /// Nothing of it need exist; what does not exist is not a link. A link to a file that is not there is followed, too,
    /// since writing through it makes that file.
    pub resolved: PathBuf,
    /// The name of the file within the project, with `/` between its parts: `src/main.rs`, and `.` for the root itself.
    ///
    /// `None` is outside the project. Links are followed on both sides, the file's and the project's.
    /// A path that programs can read in two ways (see [`names`](Self::names)) is inside only if it is in both.
    pub relative: Option<String>,
    /// Without repetitions; the first is `absolute`.
    names: Vec<PathBuf>,
    /// Number of folders from the file up to the project's root, if the file is inside.
    depth: usize,
    /// The names of the project's root, as `names` has those of the file.
    roots: Vec<PathBuf>,
}

impl ProjectPath {
    /// Every name that the file has on the way: [`absolute`](Self::absolute), the path after each link, and in the
    /// end [`resolved`](Self::resolved).
    ///
    /// A guard that knows files by their names asks for each of them: `notes.txt` can lead to `.env`, and `.env` can itself
    /// be a link to a file of any name.
    ///
    /// They also hold what the kernel reads in the path as it was written: it follows `link` before the `..` of `link/../a`,
    /// knows no `~`, and cuts no blanks off. So does a program that is not a tool of the client's, such as an MCP server.
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

    /// Those of the [`names`](Self::names) that lie in the project, as [`relative`](Self::relative) writes them: what lists
    /// of path patterns are asked about.
    ///
    /// The root is called by each name that it has itself. None of it need be where the file is: a link in the project has
    /// its name there, wherever it leads.
    pub fn relative_names(&self) -> impl Iterator<Item = String> {
        let inside = |name: &PathBuf| {
            self.roots
                .iter()
                .find_map(|root| Some(written(name.strip_prefix(root).ok()?)))
        };
        self.names.iter().filter_map(inside)
    }

    /// The folders that the file lies in, from its own outwards to the project's root: where tools look for their
    /// configuration. None of a file outside the project.
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
    /// A path of a tool's input as the client reads it, without a look at the disk.
    ///
    /// It is that of [`ProjectPath::absolute`], for a hook that only reports or counts. It never fails.
    /// **A guard uses [`path`](Self::path)**: a link can give a file any name, in any folder.
    ///
    /// As the client does it, it cuts blanks off both ends, puts the home folder (the variable `HOME`) for a `~` that is
    /// alone or before a slash, takes what is relative from [`cwd`](Self::cwd), and takes `.` and `..` out of the text.
    /// `~user` is a name like any other, and so is `~` where there is no home.
    /// In a test whose `cwd` is itself relative, or empty, that is taken from the process's current directory.
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

    /// A path of a tool's input, and where it leads: which file it is, and where that lies in the project.
    ///
    /// This is what a guard decides by. Three things may tell apart a name and the file behind it, and a guard that
    /// compares texts falls for each:
    ///
    /// - `..` and `~`, which the client itself takes out of the paths of Read, Write, Edit and NotebookEdit before a hook
    ///   sees them, but not out of those of Glob, Grep and others, nor did it everywhere before 2.1.89;
    /// - links: they are followed, those in the middle of the path as well as a last one, and those to files that are not
    ///   there yet;
    /// - `..` behind a link: the client takes it out of the text, the kernel follows the link first, and the two can be
    ///   different files. [`resolved`](ProjectPath::resolved) is the client's; that of the kernel counts in
    ///   [`relative`](ProjectPath::relative) and [`names`](ProjectPath::names), too.
    ///
    /// So: to let through what is inside the project, ask whether there is a `relative` name. To refuse what has a certain
    /// name or lies in a certain folder, ask `names`. To open the file, take `resolved`.
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
    ///         // Of a link within the project it also says where that leads.
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
    /// let refusal = PreToolUseAnswer::deny("`/etc/passwd` is outside the project");
    /// assert_eq!(stay_inside(call, context).unwrap(), refusal);
    /// # }
    /// ```
    ///
    /// A path does not show hard links and mounts, which give a file two names; whether the volume distinguishes `.ENV` from `.env`,
    /// since letters are compared with their case, here and in `relative`; which blank is before `AM` or `PM` in a
    /// picture's name, since Read opens `1.00 AM.png` also where only the name with U+202F is there, as macOS writes it; and
    /// changes of the path between this look and the client's. `/proc/self` is the hook's own.
    ///
    /// # Errors
    ///
    /// When the target of the path cannot be found: links form a circle, the kernel does not let the hook look, the
    /// path holds a NUL or is longer than the kernel takes, or it begins with `~` and there is no `HOME`.
    /// On Windows it is always an error, since the rules of links there were not tested.
    /// A guard passes the error on with `?`, which refuses the call.
    pub fn path(&self, path: impl AsRef<Path>) -> Result<ProjectPath, Error> {
        locate(path.as_ref(), &self.cwd, &self.project_dir, home().as_deref())
    }
}

fn locate(path: &Path, cwd: &Path, project: &Path, home: Option<&Path>) -> Result<ProjectPath, Error> {
    // Drives, short names, streams and cases of letters give a file more names than are looked for here.
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
    // Equal but for `.`, `//` and a slash at the end, which mean nothing to either.
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

/// A path below a folder, as text.
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
        // Not `join` alone: of `~//etc` the rest is `/etc`.
        return lexical(home.components().chain(path.components().skip(1)));
    }
    lexical(based(cwd).join(path).components())
}

/// The path that components make, without `.` and `..`.
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

/// The home folder, by the variable that the client asks, too.
fn home() -> Option<PathBuf> {
    env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

/// Without the blanks at both ends that JavaScript's `trim` cuts off.
fn trimmed(path: &Path) -> Cow<'_, Path> {
    match path.to_str() {
        Some(text) => Cow::Borrowed(text.trim_matches(is_blank).as_ref()),
        None => Cow::Borrowed(path),
    }
}

/// Returns `true` if JavaScript takes it for a blank.
pub(crate) fn is_blank(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

/// A folder of the payload, absolute also where a test says a relative one.
fn based(folder: &Path) -> Cow<'_, Path> {
    if folder.is_absolute() {
        return Cow::Borrowed(folder);
    }
    let here = env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    Cow::Owned(here.join(folder))
}

/// As many links as Linux follows on one way.
const MAX_LINKS: usize = 40;

/// Returns the target of an absolute path, as the kernel finds it. Adds to `names` the path after each link, and the target.
///
/// `std::fs::canonicalize` wants a file that is there, and of a link to a missing one its parent would hide the target.
fn follow(path: &Path, names: &mut Vec<PathBuf>) -> Result<PathBuf, Error> {
    let mut done = PathBuf::from("/");
    // The names that are still to come, the next one last.
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
        // `..` behind what is done goes up from a folder that is none of the links: it can be taken out of the text.
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

/// Puts the names of a path before those that are ahead.
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

/// Returns `true` if the kernel says that this is something else than a link, or nothing.
fn is_not_a_link(err: &std::io::Error) -> bool {
    matches!(
        err.kind(),
        ErrorKind::InvalidInput | ErrorKind::NotFound | ErrorKind::NotADirectory
    )
}

/// A path in a message: the model may have written one of any length.
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
