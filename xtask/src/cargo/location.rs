//! The location of a workspace of hooks, in terms that are the same in every clone.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use hookkit_protocol::git_variables::ELSEWHERE;

use crate::cargo::program::{installed, output_within, says};
use crate::disk::{bounded, files};

/// The location of a workspace, relative to a project.
#[derive(Clone, PartialEq)]
pub(crate) enum Location {
    /// A folder, relative to the project's root; `.` is the root itself.
    Path(String),
    /// A git repository with a remote.
    Git {
        /// The URLs of the repository's remotes, `origin` first, without credentials.
        urls: Vec<String>,
        /// The workspace's folder in the repository; empty for the repository's root.
        folder: String,
    },
}

impl Location {
    /// Asks git about the workspace, unless it is in the project.
    ///
    /// # Errors
    ///
    /// Fails if its path from the project is not UTF-8.
    pub(crate) fn of(workspace: &Path, project: &Path) -> Result<Self> {
        if !workspace.starts_with(project)
            && let Some(git) = Self::in_git(workspace)
        {
            return Ok(git);
        }
        let path = relative(workspace, project);
        let text = path.to_str().with_context(|| format!("{} is not UTF-8", workspace.display()))?;
        Ok(Self::Path(if text.is_empty() { "." } else { text }.to_owned()))
    }

    /// Asks git, once, for the remotes of the repository that contains a folder. `None` outside a repository, or if no
    /// remote has a URL.
    fn in_git(folder: &Path) -> Option<Self> {
        static KNOWN: Mutex<BTreeMap<PathBuf, Option<Location>>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let location = known.entry(folder.to_owned()).or_insert_with(|| Self::asked_of_git(folder));
        location.clone()
    }

    fn asked_of_git(folder: &Path) -> Option<Self> {
        let within = tree_around(folder)?.1.to_str()?.to_owned();
        let config = git(folder, &["config", "-z", "--get-regexp", r"^remote\..*\.url$"])?;
        let mut remotes: Vec<(&str, &str)> = config.split('\0').filter_map(|line| line.split_once('\n')).collect();
        remotes.sort_by_key(|(name, _)| *name != "remote.origin.url");
        let urls: Vec<String> = remotes.into_iter().map(|(_, url)| shareable(url)).collect();
        (!urls.is_empty()).then_some(Self::Git { urls, folder: within })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "the folder {path}"),
            Self::Git { urls, folder } => place_in(f, &urls[0], folder),
        }
    }
}

/// Describes a folder by its repository and its path there, in words that are the same in each clone.
pub(crate) fn repository(folder: &Path) -> Option<String> {
    match Location::in_git(folder)? {
        Location::Git { urls, folder } => Some(format!("{} {folder}", address(&urls[0]))),
        Location::Path(_) => None,
    }
}

/// Writes the description of a folder in a repository.
pub(crate) fn place_in(f: &mut fmt::Formatter<'_>, url: &str, folder: &str) -> fmt::Result {
    match folder {
        "" => f.write_str(url),
        folder => write!(f, "{url}, folder {folder}"),
    }
}

/// Returns the root of the working tree that contains a folder, and the folder's path in it.
///
/// git is always started in the root. A folder below it can look like a repository without a working tree, with its own
/// configuration, and a checkout can contain such a folder.
fn tree_around(folder: &Path) -> Option<(&Path, &Path)> {
    let root = files::repository(folder)?;
    Some((root, folder.strip_prefix(root).ok()?))
}

/// Returns a `git` command for a folder's repository. The command drops variables that point to another repository, as
/// in a git hook. The user's settings and credentials apply; the repository's hooks and its fsmonitor do not run.
fn git_in(folder: &Path) -> Command {
    let mut git = installed("git", folder);
    for setting in ["safe.bareRepository=explicit", "core.hooksPath=/dev/null", "core.fsmonitor=false"] {
        git.args(["-c", setting]);
    }
    git.arg("-C").arg(folder);
    for name in ELSEWHERE.iter().filter(|name| !name.starts_with("GIT_CONFIG_")) {
        git.env_remove(name);
    }
    git
}

/// Returns the output of a git command, if it succeeds.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = git_in(tree_around(folder)?.0).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).ok())?
}

/// Returns the output of a git command that only reads.
fn git_that_reads(folder: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    // A checkout can have a named pipe where git expects a file.
    const LIMIT: Duration = Duration::from_secs(10);
    let mut git = git_in(tree_around(folder)?.0);
    git.args(arguments).env("GIT_NO_LAZY_FETCH", "1");
    let output = output_within(&mut git, LIMIT).ok()?;
    output.status.success().then_some(output.stdout)
}

/// Returns the ignored, untracked files and folders below a folder, as paths relative to it.
pub(crate) fn ignored(folder: &Path) -> Option<BTreeSet<PathBuf>> {
    let listed = listed(folder, &["--others", "--ignored", "--exclude-standard", "--directory"])?;
    let within = tree_around(folder)?.1;
    // git writes a slash after a folder; path components have none.
    let paths = listed.split(|byte| *byte == 0).map(OsStr::from_bytes);
    let paths = paths.filter_map(|path| Some(Path::new(path).strip_prefix(within).ok()?.components().collect()));
    Some(paths.filter(|path: &PathBuf| *path != Path::new("")).collect())
}

/// Returns the submodules below a folder, as paths relative to it, each with its commit.
pub(crate) fn submodules(folder: &Path) -> Option<BTreeMap<PathBuf, String>> {
    let (listed, within) = (listed(folder, &["--stage"])?, tree_around(folder)?.1);
    let listed = String::from_utf8_lossy(&listed);
    let submodules = listed.split('\0').filter_map(|line| {
        let (words, path) = line.strip_prefix("160000 ")?.split_once('\t')?;
        let path = Path::new(path).strip_prefix(within).ok()?;
        Some((path.to_owned(), words.split(' ').next()?.to_owned()))
    });
    Some(submodules.collect())
}

/// Returns the output of `git ls-files` for the files below a folder, as paths relative to the root of the working
/// tree.
fn listed(folder: &Path, options: &[&str]) -> Option<Vec<u8>> {
    let place = Path::new(".").join(tree_around(folder)?.1);
    git_that_reads(folder, &[&["ls-files", "-z"], options, &["--", place.to_str()?]].concat())
}

/// Returns the content of a file in a commit; the path is relative to a folder of the working tree. `None` if the
/// commit does not have the file.
///
/// # Errors
///
/// Fails if the commit does not exist.
pub(crate) fn file_at(folder: &Path, commit: &str, path: &str) -> Result<Option<Vec<u8>>> {
    let in_repository = || format!("in the repository of {}", folder.display());
    // A branch and a tag can have the same name; git would take the tag.
    let found = ["", "refs/heads/", "refs/remotes/", "refs/tags/"].iter().filter_map(|kind| {
        let named = format!("{kind}{commit}^{{commit}}");
        let options = ["rev-parse", "--verify", "--quiet", "--end-of-options", &named];
        String::from_utf8(git_that_reads(folder, &options)?).ok()
    });
    let mut found: BTreeSet<String> = found.collect();
    let first = found.pop_first();
    let first = first.with_context(|| format!("there is no commit `{commit}` {}", in_repository()))?;
    ensure!(
        found.is_empty(),
        "`{commit}` is the name of several commits {}; write a full name, such as refs/remotes/{commit}",
        in_repository()
    );
    let within = tree_around(folder).map_or(Path::new(""), |(_, within)| within);
    let path = format!("{}:./{}", first.trim_end(), within.join(path).display());
    Ok(git_that_reads(folder, &["cat-file", "blob", &path]))
}

/// Returns the commit that is checked out in a working tree.
pub(crate) fn head(folder: &Path) -> Option<String> {
    Some(git(folder, &["rev-parse", "--verify", "HEAD"])?.trim_end().to_owned())
}

/// Returns the same folder in the repository's main working tree, if this one is linked: then its `.git` is a file,
/// which cannot come with a checkout. The project's script uses the same rule.
pub(crate) fn in_main_working_tree(folder: &Path) -> Option<PathBuf> {
    let (top, within) = tree_around(folder)?;
    let file = bounded::open(&top.join(".git")).ok()?;
    let mut text = String::new();
    file.take(4096).read_to_string(&mut text).ok()?;
    let git = top.join(text.strip_prefix("gitdir: ")?.trim_end_matches('\n'));
    let repository = git.parent()?.parent()?;
    let main = repository.parent().filter(|_| git.parent().is_some_and(|folder| folder.ends_with(".git/worktrees")))?;
    main.join(within).canonicalize().ok()
}

/// Runs git on one of our clones, and returns the output.
///
/// # Errors
///
/// Fails if git fails; the error includes git's output.
pub(crate) fn git_of_clone(folder: &Path, arguments: &[&str]) -> Result<String> {
    let mut git = git_in(folder);
    git.args(arguments).env("GIT_TERMINAL_PROMPT", "0");
    says(&mut git, format_args!("git {} failed", arguments[0]))
}

/// Returns git's hash of a folder's content in the checked-out commit.
pub(crate) fn tree(folder: &Path) -> Option<String> {
    let place = format!("HEAD:./{}", tree_around(folder)?.1.display());
    Some(git(folder, &["rev-parse", "--verify", &place])?.trim_end().to_owned())
}

/// Returns `true` if files in a folder differ from the checked-out commit.
pub(crate) fn is_dirty(folder: &Path) -> bool {
    let options = ["status", "--porcelain", "--untracked-files=no", "--"];
    let changed = || {
        let place = Path::new(".").join(tree_around(folder)?.1);
        git(folder, &[&options[..], &[place.to_str()?]].concat())
    };
    changed().is_some_and(|changed| !changed.is_empty())
}

/// Returns `true` if the checked-out commit is `commit` or a descendant of it.
pub(crate) fn has(folder: &Path, commit: &str) -> bool {
    // A word that begins with a dash would be an option.
    let is_hash = !commit.is_empty() && commit.chars().all(|char| char.is_ascii_hexdigit());
    is_hash && git(folder, &["merge-base", "--is-ancestor", commit, "HEAD"]).is_some()
}

/// Returns the path from one folder to another. Both must be absolute and without links.
fn relative(to: &Path, from: &Path) -> PathBuf {
    let shared = to.components().zip(from.components()).take_while(|(to, from)| to == from).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(to.components().skip(shared)).collect()
}

/// Returns the URL of a remote without credentials, for a file that others read.
fn shareable(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    match host.rsplit_once('@') {
        // The ssh user is part of the address and not a secret.
        Some((user, host)) if scheme.ends_with("ssh") => {
            let user = user.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}@{host}/{path}")
        }
        Some((_, host)) => format!("{scheme}://{host}/{path}"),
        None => url.to_owned(),
    }
}

/// Returns the URL of a repository with a scheme, because cargo needs one: `git@host:path` has none.
///
/// In that short form, the path is relative to the user's home; in a URL it is not. Where this makes a difference,
/// the converted URL does not work: the user must give one with a scheme.
fn with_scheme(url: &str) -> String {
    match url.split_once(':') {
        Some((host, path)) if !host.contains('/') && !path.starts_with("//") => {
            format!("ssh://{host}/{}", path.trim_start_matches('/'))
        }
        _ => url.to_owned(),
    }
}

/// Returns the part that all URLs of a repository share, whatever their scheme.
pub(crate) fn address(url: &str) -> String {
    let url = with_scheme(&shareable(url));
    let (scheme, rest) = url.split_once("://").unwrap_or(("", &url));
    let rest = rest.trim_end_matches('/').trim_end_matches(".git");
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if scheme.is_empty() || scheme == "file" {
        return rest.to_owned();
    }
    let host = host.rsplit('@').next().unwrap_or_default().to_lowercase();
    format!("{host}/{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_written_without_credentials_and_those_of_one_repository_have_one_address() {
        test_support::lines!("lines/urls.txt").check(|section, url| match section.name {
            "address" => address(url),
            _ => shareable(url),
        });
        assert_eq!(address("file:///srv/git/hooks.git"), address("/srv/git/hooks"));
    }

    #[test]
    fn paths_lead_from_the_project() {
        let to = |to| relative(Path::new(to), Path::new("/p/app")).display().to_string();
        assert_eq!(to("/p/app"), "");
        assert_eq!(to("/p/app/tools/hooks"), "tools/hooks");
        assert_eq!(to("/p/hooks"), "../hooks");
        assert_eq!(to("/q"), "../../q");
    }
}
