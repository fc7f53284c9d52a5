//! Work that only the repository in a deleted folder has.

use crate::prelude::*;

/// Returns `true` for the name of a file or folder that builds and tools make.
pub(crate) fn is_built(name: &str) -> bool {
    const FOLDERS: &str = "__pycache__ build coverage deps dist env node_modules obj out target tmp venv \
        .cache .gradle .mypy_cache .next .nuxt .pytest_cache .ruff_cache .terraform .tox .turbo .venv";
    const ENDINGS: &str = "class log o pid pyc swp tmp";
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    lists(FOLDERS, name) || lists(ENDINGS, ending)
}

/// Returns a folder, or a repository in it, with work of its own, and describes the work. Output of builds, and deep folders,
/// are not searched.
///
/// Commits of a linked working tree and of a submodule are in another folder.
pub(crate) fn work_in(folder: &Path) -> Option<(PathBuf, &'static str)> {
    /// Maximum number of folder entries to read, and of repositories to ask git about.
    const MOST: usize = 2_000;
    const MOST_ASKED: usize = 6;
    let mut found = Vec::new();
    let mut left = MOST;
    find(folder, 4, &mut left, &mut found);
    let mut works = found.into_iter().enumerate().filter_map(|(at, repository)| {
        let what = match at {
            MOST_ASKED => "one of too many repositories to look up in git",
            _ => lost_with(&repository)?,
        };
        Some((repository, what))
    });
    works.next()
}

/// Adds the repositories in a folder.
fn find(folder: &Path, depth: usize, left: &mut usize, found: &mut Vec<PathBuf>) {
    if WorkTree::is_root(folder) {
        return found.push(folder.to_owned());
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    if depth == 0 || is_built(&name) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(rest) = left.checked_sub(1) else { return };
        *left = rest;
        // A link is deleted as such.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            find(&entry.path(), depth - 1, left, found);
        }
    }
}

/// Describes the work that is lost with a repository.
fn lost_with(repository: &Path) -> Option<&'static str> {
    let tree = WorkTree::find(repository)?;
    let Ok(status) = tree.status() else {
        return Some("a repository that git cannot check");
    };
    if !status.changes.is_empty() {
        return Some("a repository with uncommitted files");
    }
    let kept = if repository.join(".git").is_dir() {
        "--branches --glob=refs/stas[h] --not --remotes"
    } else {
        "--not --branches --remotes"
    };
    let commit = status.commit?;
    let arguments = ["--max-count=1", &commit].into_iter().chain(kept.split(' '));
    let are_elsewhere =
        tree.read("rev-list", arguments).is_ok_and(|output| output.status.success() && output.stdout.is_empty());
    (!are_elsewhere).then_some("a repository with commits that no other repository has")
}
