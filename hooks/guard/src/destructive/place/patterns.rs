//! The paths that a name with globs may mean.

use crate::prelude::*;

/// A glob, in a text. No path has it.
const GLOB: char = '\0';

/// Returns `true` for a name in a pattern that every name fits.
fn takes_all_of(name: &str) -> bool {
    name.contains(GLOB) && name.strip_prefix('.').unwrap_or(name).chars().all(|char| char == GLOB)
}

/// The paths that a name may mean; `None` if that is only known when it runs.
pub(super) fn paths(name: &[Piece]) -> Option<Vec<PathBuf>> {
    let mut text = String::new();
    for piece in name {
        match piece {
            Piece::Text(known) => text.push_str(known),
            Piece::Glob | Piece::Character => text.push(GLOB),
            Piece::Braces | Piece::Unknown => return None,
        }
    }
    fitting(&text)
}

/// Returns the paths that fit a pattern, each once for all that are as bad: a folder for all that is in it, and `some` for a
/// name. `None` for a pattern of too many globs.
fn fitting(pattern: &str) -> Option<Vec<PathBuf>> {
    /// No project has more, and each is a path that is judged.
    const MOST: usize = 16;
    if pattern.matches(GLOB).count() > MOST {
        return None;
    }
    let mut paths = Vec::new();
    let mut path = String::new();
    let mut rest = pattern;
    loop {
        let (name, behind) = rest.split_once('/').map_or((rest, None), |(name, behind)| (name, Some(behind)));
        let takes_all = takes_all_of(name);
        let is_last = behind.unwrap_or_default().trim_start_matches('/').is_empty();
        let is_of_home = || {
            path.starts_with('~')
                && behind.unwrap_or_default().split('/').all(|name| matches!(name, "" | ".") || takes_all_of(name))
        };
        if takes_all && (is_last || path.starts_with('/') || is_of_home()) {
            paths.push(PathBuf::from(&path));
        }
        if takes_all && is_last {
            return Some(paths);
        }
        match name.split_once(GLOB) {
            None => path.push_str(name),
            Some((begins, ends)) => {
                let ends = ends.rsplit(GLOB).next().unwrap_or_default();
                let is_of_git = !begins.is_empty() && is_git_between(begins, ends);
                path.push_str(if is_of_git { ".git" } else { "some" });
            }
        }
        match behind {
            Some(behind) => {
                path.push('/');
                rest = behind;
            }
            None => {
                paths.push(PathBuf::from(path));
                return Some(paths);
            }
        }
    }
}

/// Returns `true` if `.git` fits what begins and ends so. A glob alone does not find a name with a point.
pub(crate) fn is_git_between(begins: &str, ends: &str) -> bool {
    let (begins, ends) = (begins.to_ascii_lowercase(), ends.to_ascii_lowercase());
    begins.len() + ends.len() <= ".git".len() && ".git".starts_with(&begins) && ".git".ends_with(&ends)
}
