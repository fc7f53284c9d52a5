//! Paths that match a name with globs.

use crate::prelude::*;

/// Placeholder for a glob in a text. No path contains it.
const GLOB: char = '\0';

/// Returns `true` for a component of a pattern that matches every name.
fn takes_all_of(name: &str) -> bool {
    name.contains(GLOB) && name.strip_prefix('.').unwrap_or(name).chars().all(|char| char == GLOB)
}

/// Returns the paths that a name may mean; `None` if it is not literal.
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

/// Returns the paths that match a pattern, one for each degree of danger. A folder means its content, and `some` is any
/// other name. `None` for a pattern with too many globs.
fn fitting(pattern: &str) -> Option<Vec<PathBuf>> {
    /// Maximum number of globs. No project needs more, and each is a path to judge.
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
                let ends = after_last(ends, GLOB);
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

/// Returns `true` if `.git` has this prefix and this suffix. A leading glob does not match a dot.
pub(crate) fn is_git_between(begins: &str, ends: &str) -> bool {
    let (begins, ends) = (begins.to_ascii_lowercase(), ends.to_ascii_lowercase());
    begins.len() + ends.len() <= ".git".len() && ".git".starts_with(&begins) && ".git".ends_with(&ends)
}
