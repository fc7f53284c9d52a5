//! Parses `git status --porcelain=v2 -z`.

use std::path::PathBuf;

/// Status of a work tree: its branch, and the changes since the last commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// Hash of the current commit. `None` in a new repository.
    pub commit: Option<String>,
    /// Current branch. `None` with a detached HEAD.
    pub branch: Option<String>,
    /// Upstream of the branch.
    pub upstream: Option<Upstream>,
    /// Changed and untracked files, including each file of an untracked folder, without ignored files.
    pub changes: Vec<Change>,
    /// `true` if there are more changes: the list ends after 1 MiB of git's output.
    pub is_cut_off: bool,
}

/// The upstream of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Upstream {
    /// Local name, such as `origin/main`.
    pub name: String,
    /// `true` if the upstream was deleted, or never fetched. Both counts are then 0.
    pub is_gone: bool,
    /// Number of commits on the branch that are not on its upstream.
    pub ahead: u32,
    /// Number of commits on the upstream, as of the last fetch, that are not on the branch.
    pub behind: u32,
}

/// A changed file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// Path from the work tree's root. For a submodule, its folder.
    pub path: PathBuf,
    /// Original path, if the file was renamed or copied.
    pub origin: Option<PathBuf>,
    /// Change that the next commit will contain.
    pub staged: Option<ChangeKind>,
    /// Change that the next commit will not contain.
    pub unstaged: Option<ChangeKind>,
}

/// The kind of change to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// New, and added to the index.
    Added,
    /// Changed content or mode.
    Modified,
    /// Deleted.
    Deleted,
    /// Renamed.
    Renamed,
    /// Copied from another file.
    Copied,
    /// Changed type, such as from a file to a symbolic link.
    TypeChanged,
    /// Changed by both sides of a merge.
    Unmerged,
    /// New, and not added to the index.
    Untracked,
}

impl Status {
    /// Returns the changes that the next commit will contain.
    pub fn staged(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| change.staged.is_some())
    }

    /// Parses git's output. Unknown lines, which a newer git may print, are skipped.
    pub(super) fn parse(bytes: &[u8], is_cut_off: bool) -> Self {
        let mut status = Self { is_cut_off, ..Self::default() };
        let mut lines = bytes.split(|byte| *byte == 0);
        // After the last NUL there is nothing, or a truncated line.
        lines.next_back();
        while let Some(line) = lines.next() {
            let change = match line {
                [b'#', b' ', header @ ..] => {
                    status.take(&String::from_utf8_lossy(header));
                    None
                }
                [b'1', b' ', fields @ ..] => changed(fields, 6, None),
                // A truncated list may lack the second name.
                [b'2', b' ', fields @ ..] => lines.next().and_then(|origin| changed(fields, 7, Some(origin))),
                [b'u', b' ', fields @ ..] => changed(fields, 8, None).map(|change| Change {
                    staged: None,
                    unstaged: Some(ChangeKind::Unmerged),
                    ..change
                }),
                [b'?', b' ', path @ ..] => Some(Change {
                    path: super::path(path),
                    origin: None,
                    staged: None,
                    unstaged: Some(ChangeKind::Untracked),
                }),
                _ => None,
            };
            status.changes.extend(change);
        }
        status
    }

    fn take(&mut self, header: &str) {
        match header.split_once(' ') {
            Some(("branch.oid", commit)) if commit != "(initial)" => self.commit = Some(commit.to_owned()),
            Some(("branch.head", branch)) if branch != "(detached)" => self.branch = Some(branch.to_owned()),
            Some(("branch.upstream", name)) => {
                self.upstream = Some(Upstream { name: name.to_owned(), is_gone: true, ahead: 0, behind: 0 });
            }
            Some(("branch.ab", counts)) => {
                let counts = counts.split_once(' ').and_then(|(ahead, behind)| {
                    let ahead = ahead.strip_prefix('+')?.parse().ok()?;
                    Some((ahead, behind.strip_prefix('-')?.parse().ok()?))
                });
                if let (Some(upstream), Some((ahead, behind))) = (&mut self.upstream, counts) {
                    (upstream.is_gone, upstream.ahead, upstream.behind) = (false, ahead, behind);
                }
            }
            _ => {}
        }
    }
}

/// Parses the line of a changed file: two letters, fields to skip, and the path.
fn changed(fields: &[u8], skipped: usize, origin: Option<&[u8]>) -> Option<Change> {
    let mut fields = fields.splitn(skipped + 2, |byte| *byte == b' ');
    let &[staged, unstaged] = fields.next()? else {
        return None;
    };
    Some(Change {
        path: super::path(fields.nth(skipped)?),
        origin: origin.map(super::path),
        staged: kind(staged),
        unstaged: kind(unstaged),
    })
}

fn kind(letter: u8) -> Option<ChangeKind> {
    Some(match letter {
        b'A' => ChangeKind::Added,
        b'M' => ChangeKind::Modified,
        b'D' => ChangeKind::Deleted,
        b'R' => ChangeKind::Renamed,
        b'C' => ChangeKind::Copied,
        b'T' => ChangeKind::TypeChanged,
        b'U' => ChangeKind::Unmerged,
        _ => return None,
    })
}
