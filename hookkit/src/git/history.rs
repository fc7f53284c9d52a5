//! Commits of a range, and the numbers of lines that files gained and lost.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use super::{Commit, WorkTree, failed, path, succeeded};
use crate::process::Output;

/// A commit with the files that it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RangeCommit {
    /// The commit.
    pub commit: Commit,
    /// Files that differ from the first parent.
    pub files: Vec<FileStat>,
}

/// A changed file, with the number of its changed lines.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileStat {
    /// Path from the work tree's root. For a submodule, its folder.
    pub path: PathBuf,
    /// Original path, if the file was renamed.
    pub origin: Option<PathBuf>,
    /// Number of added lines. `None` for a binary file.
    pub added: Option<u64>,
    /// Number of deleted lines. `None` for a binary file.
    pub deleted: Option<u64>,
}

/// Maximum size of git's output, 16 MiB: some 100,000 files.
const OUTPUT_LIMIT: usize = 16 << 20;

/// Options of commands that compare commits. With these, a repository's configuration neither changes the result nor
/// starts a program.
const COMPARE: [&str; 6] =
    ["-z", "--numstat", "--find-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"];

impl WorkTree {
    /// Returns the commits of a range with their files, the latest first. The range is written as for `git log`:
    /// `origin/main..HEAD` has the commits that are not on `origin/main`, `HEAD` has all commits of the branch.
    ///
    /// ```
    /// use hookkit::git::WorkTree;
    /// use hookkit::prelude::*;
    ///
    /// /// Reports at the end of a turn which commits were not pushed.
    /// #[hook(Stop)]
    /// pub fn unpushed(context: Context) -> Result<Option<StopAnswer>, Error> {
    ///     let Some(tree) = WorkTree::around(&context.cwd)? else { return Ok(None) };
    ///     let Some(upstream) = tree.status()?.upstream.filter(|upstream| !upstream.is_gone) else { return Ok(None) };
    ///     let commits = tree.commits(&format!("{}..HEAD", upstream.name))?;
    ///     let files: usize = commits.iter().map(|commit| commit.files.len()).sum();
    ///     let text = format!("{} commits with {files} changed files are not pushed", commits.len());
    ///     Ok((!commits.is_empty()).then(|| StopAnswer::pass().with_system_message(text)))
    /// }
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    ///
    /// See [`around`](Self::around). Also fails if the range contains an unknown revision, or is so long that git
    /// prints more than 16 MiB.
    pub fn commits(&self, range: &str) -> io::Result<Vec<RangeCommit>> {
        self.log(&["--end-of-options", range, "--"])
    }

    /// Returns at most `count` of the last commits with their files, the latest first. A new repository has none.
    ///
    /// # Errors
    ///
    /// Fails like [`commits`](Self::commits).
    pub fn last_commits_with_files(&self, count: usize) -> io::Result<Vec<RangeCommit>> {
        match self.last_commits(1)?.is_empty() {
            true => Ok(Vec::new()),
            false => self.log(&[&*format!("--max-count={count}"), "HEAD", "--"]),
        }
    }

    fn log(&self, revisions: &[&str]) -> io::Result<Vec<RangeCommit>> {
        // The header begins with a byte that no line of numbers begins with.
        let format = ["--format=%x01%H%x00%s", "--encoding=UTF-8", "--no-show-signature", "-c"];
        let arguments = [&format[..], &COMPARE, revisions].concat();
        // A configuration could leave out the files of the first commit.
        let settings = [OsString::from("log.showRoot=true")];
        Ok(parse(&self.whole_output(&settings, "log", &arguments)?))
    }

    /// Returns the files that differ between two commits. A commit is a revision such as `HEAD~1`, a branch or a hash.
    ///
    /// # Errors
    ///
    /// Fails like [`commits`](Self::commits).
    pub fn diff(&self, from: &str, to: &str) -> io::Result<Vec<FileStat>> {
        let arguments = [&COMPARE[..], &["--end-of-options", from, to, "--"]].concat();
        Ok(files(&mut self.whole_output(&[], "diff", &arguments)?.split(|byte| *byte == 0)).0)
    }

    /// Returns the files that the next commit changes.
    ///
    /// # Errors
    ///
    /// See [`around`](Self::around).
    pub fn staged(&self) -> io::Result<Vec<FileStat>> {
        let arguments = [&["--cached"][..], &COMPARE, &["--"]].concat();
        Ok(files(&mut self.whole_output(&[], "diff", &arguments)?.split(|byte| *byte == 0)).0)
    }

    /// Returns the full hash of the best common ancestor of two commits, or `None` if they have none.
    ///
    /// # Errors
    ///
    /// See [`around`](Self::around). Also fails if a revision is unknown.
    pub fn merge_base(&self, one: &str, other: &str) -> io::Result<Option<String>> {
        let output = self.run("merge-base", ["--end-of-options", one, other])?;
        match output.status.code() {
            Some(0) => Ok(Some(output.stdout_text().into_owned())),
            Some(1) => Ok(None),
            _ => Err(failed("merge-base", &output)),
        }
    }

    /// Returns the complete output of a command; output that was cut off is an error.
    fn whole_output(&self, settings: &[OsString], command: &str, arguments: &[&str]) -> io::Result<Vec<u8>> {
        let mut git = self.command(settings, command, arguments);
        let output = succeeded(command, git.output_limit(OUTPUT_LIMIT).output()?)?;
        match output {
            Output { is_cut_off: true, .. } => Err(io::Error::other(format!(
                "`git {command}` printed more than {} MiB: use a shorter range",
                OUTPUT_LIMIT >> 20
            ))),
            Output { stdout, .. } => Ok(stdout),
        }
    }
}

/// Parses the output of `git log`: for each commit a header, the subject, and lines with the numbers of changed lines.
fn parse(output: &[u8]) -> Vec<RangeCommit> {
    let mut fields = output.split(|byte| *byte == 0);
    let mut commits = Vec::new();
    let mut header = fields.next();
    while let Some(id) = header.and_then(|header| header.strip_prefix(b"\x01")) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let commit = Commit { id: text(id), subject: text(fields.next().unwrap_or_default()) };
        let (files, next) = files(&mut fields);
        commits.push(RangeCommit { commit, files });
        header = next;
    }
    commits
}

/// Parses the files of a commit, up to the next header. Returns that header, too.
fn files<'o>(fields: &mut impl Iterator<Item = &'o [u8]>) -> (Vec<FileStat>, Option<&'o [u8]>) {
    let mut files = Vec::new();
    while let Some(field) = fields.next() {
        if field.first() == Some(&1) {
            return (files, Some(field));
        }
        let mut parts = field.trim_ascii_start().splitn(3, |byte| *byte == b'\t');
        let (Some(added), Some(deleted), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let count = |digits: &[u8]| str::from_utf8(digits).ok()?.parse().ok();
        // A renamed file has an empty name, and two fields follow.
        let (origin, name) = match name {
            [] => (fields.next(), fields.next().unwrap_or_default()),
            _ => (None, name),
        };
        files.push(FileStat {
            path: path(name),
            origin: origin.map(path),
            added: count(added),
            deleted: count(deleted),
        });
    }
    (files, None)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;

    use crate::git::tests::{commit, git, repository, tree};
    use crate::git::{FileStat, WorkTree};

    fn stats(files: &[FileStat]) -> Vec<String> {
        let count = |count: Option<u64>| count.map_or("-".to_owned(), |count| count.to_string());
        let line = |file: &FileStat| {
            let origin = file.origin.iter().map(|origin| format!(" from {origin:?}")).collect::<String>();
            format!("{:?}{origin} +{} -{}", file.path, count(file.added), count(file.deleted))
        };
        files.iter().map(line).collect()
    }

    fn commits(tree: &WorkTree, range: &str) -> Vec<(String, Vec<String>)> {
        let commits = tree.commits(range).unwrap();
        let line = |commit: &super::RangeCommit| (commit.commit.subject.clone(), stats(&commit.files));
        commits.iter().map(line).collect()
    }

    #[test]
    fn commits_have_their_files_and_lines() {
        let (_folder, root) = repository();
        git(&root, &["config", "log.showRoot", "false"]);
        git(&root, &["config", "diff.renames", "false"]);
        fs::rename(root.join("file"), root.join("\u{1}a\tb\n")).unwrap();
        fs::write(root.join("binary"), b"\0").unwrap();
        commit(&root, "\u{1}second\nline");
        git(&root, &["commit", "--allow-empty", "--message", "third"]);
        let tree = tree(&root);
        let second = vec![r#""\u{1}a\tb\n" from "file" +0 -0"#.to_owned(), r#""binary" +- --"#.to_owned()];
        assert_eq!(
            commits(&tree, "HEAD"),
            [
                ("third".to_owned(), vec![]),
                ("\u{1}second line".to_owned(), second.clone()),
                ("first".to_owned(), vec![r#""file" +20 -0"#.to_owned()]),
            ]
        );
        assert_eq!(commits(&tree, "HEAD~2..HEAD").len(), 2);
        assert_eq!(commits(&tree, "HEAD..HEAD"), []);
        let expected = &tree.last_commits(1).unwrap()[0];
        assert_eq!(tree.commits("HEAD").unwrap()[0].commit, *expected);
        assert_eq!(stats(&tree.diff("HEAD~2", "HEAD").unwrap()), second);
        let last = tree.last_commits_with_files(2).unwrap();
        assert_eq!((last.len(), stats(&last[1].files)), (2, second));
    }

    #[test]
    fn a_merge_has_the_files_that_differ_from_its_first_parent() {
        let (_folder, root) = repository();
        git(&root, &["switch", "--create", "side"]);
        fs::write(root.join("theirs"), "1\n").unwrap();
        commit(&root, "theirs");
        git(&root, &["switch", "main"]);
        fs::write(root.join("ours"), "1\n").unwrap();
        commit(&root, "ours");
        let tree = tree(&root);
        let base = tree.last_commits(2).unwrap()[1].id.clone();
        assert_eq!(tree.merge_base("main", "side").unwrap(), Some(base));
        git(&root, &["merge", "--no-commit", "side"]);
        fs::write(root.join("smuggled"), "1\n").unwrap();
        commit(&root, "merge");
        assert_eq!(
            commits(&tree, "main~1..main"),
            [
                ("merge".to_owned(), vec![r#""smuggled" +1 -0"#.to_owned(), r#""theirs" +1 -0"#.to_owned()]),
                ("theirs".to_owned(), vec![r#""theirs" +1 -0"#.to_owned()]),
            ]
        );
        git(&root, &["reset", "--hard", "main~1"]);
        git(&root, &["merge", "--no-edit", "side"]);
        assert_eq!(commits(&tree, "main~1..main")[0].1, [r#""theirs" +1 -0"#]);
        git(&root, &["checkout", "--orphan", "other"]);
        commit(&root, "unrelated");
        assert_eq!(tree.merge_base("main", "other").unwrap(), None);
    }

    #[test]
    fn staged_files_are_those_of_the_next_commit() {
        let (_folder, root) = repository();
        fs::write(root.join("file"), "one\n".repeat(19) + "two\n").unwrap();
        fs::write(root.join("unstaged"), "").unwrap();
        let tree = tree(&root);
        assert_eq!(tree.staged().unwrap(), []);
        git(&root, &["add", "file"]);
        assert_eq!(stats(&tree.staged().unwrap()), [r#""file" +1 -1"#]);
    }

    #[test]
    fn a_revision_is_not_an_option() {
        let (_folder, root) = repository();
        let (tree, option) = (tree(&root), "--output=written");
        for error in [
            tree.commits(option).unwrap_err(),
            tree.diff(option, "HEAD").unwrap_err(),
            tree.merge_base(option, "HEAD").unwrap_err(),
            tree.commits("file").unwrap_err(),
        ] {
            let expected = "failed (exit status: 128): fatal: ";
            assert!(error.to_string().contains(expected), "{error}");
        }
        assert!(!root.join("written").exists());
    }
}
