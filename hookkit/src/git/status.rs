//! `git status --porcelain=v2 -z`, read.

use std::path::PathBuf;

/// The state of a work tree: its branch, and its changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The name of the commit that it is on. In a new repository there is none.
    pub commit: Option<String>,
    /// The branch that the next commit goes to; `None` where there is none (a detached HEAD).
    pub branch: Option<String>,
    /// The branch elsewhere that it goes with.
    pub upstream: Option<Upstream>,
    /// The files that have changed, or are new; each file of a folder that is new. Ignored ones are not among them.
    pub changes: Vec<Change>,
    /// `true` if there are more of them, beyond 1 MiB of names.
    pub is_cut_off: bool,
}

/// The branch that a branch follows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Upstream {
    /// Its name here, such as `origin/main`.
    pub name: String,
    /// `true` if it was removed or never fetched. Then the two counts are 0.
    pub is_gone: bool,
    /// Number of commits that this branch has and the upstream lacks.
    pub ahead: u32,
    /// Number of commits that the upstream had at the last fetch and this branch lacks.
    pub behind: u32,
}

/// A file that has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The file, from the work tree's root. That of a submodule is its folder.
    pub path: PathBuf,
    /// Former path, if it was renamed or copied.
    pub origin: Option<PathBuf>,
    /// Change that the next commit will have.
    pub staged: Option<ChangeKind>,
    /// Change that is not staged.
    pub unstaged: Option<ChangeKind>,
}

/// A kind of change of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// It is new, and known to git.
    Added,
    /// It has another content, or another mode.
    Modified,
    /// It is gone.
    Deleted,
    /// It had another name.
    Renamed,
    /// It is like another one.
    Copied,
    /// It is of another type, such as a link.
    TypeChanged,
    /// Both sides of a merge have changed it.
    Unmerged,
    /// It is new, and git knows nothing of it.
    Untracked,
}

impl Status {
    /// The files that the next commit will have.
    pub fn staged(&self) -> impl Iterator<Item = &Change> {
        self.changes.iter().filter(|change| change.staged.is_some())
    }

    /// Parses the output of git. Unknown lines of a newer git are skipped.
    pub(super) fn parse(bytes: &[u8], is_cut_off: bool) -> Self {
        let mut status = Self {
            is_cut_off,
            ..Self::default()
        };
        let mut lines = bytes.split(|byte| *byte == 0);
        // What is behind the last NUL is nothing, or cut off.
        lines.next_back();
        while let Some(line) = lines.next() {
            let change = match line {
                [b'#', b' ', header @ ..] => {
                    status.take(&String::from_utf8_lossy(header));
                    None
                }
                [b'1', b' ', fields @ ..] => changed(fields, 6, None),
                // Cut off, it may lack the second name.
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
                self.upstream = Some(Upstream {
                    name: name.to_owned(),
                    is_gone: true,
                    ahead: 0,
                    behind: 0,
                });
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

/// Parses a file's line: two letters, fields that are skipped, and the path.
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
