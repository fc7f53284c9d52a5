//! Runs any read-only git command.

use std::ffi::{OsStr, OsString};
use std::io;

use super::{WorkTree, settings::Settings};
use crate::process::Output;

/// Read-only commands, with the options that keep each from starting programs.
const READERS: [(&str, &[&str]); 21] = [
    ("blame", &["--no-textconv"]),
    ("cat-file", &[]),
    ("check-attr", &[]),
    ("cherry", &[]),
    ("count-objects", &[]),
    ("diff", COMPARE),
    ("diff-files", COMPARE),
    ("diff-index", COMPARE),
    ("diff-tree", COMPARE),
    ("for-each-ref", &[]),
    ("grep", &[]),
    ("log", LOG),
    ("ls-files", &[]),
    ("ls-tree", &[]),
    ("merge-base", &[]),
    ("name-rev", &[]),
    ("rev-list", &[]),
    ("rev-parse", &[]),
    ("show", LOG),
    ("show-ref", &[]),
    ("status", &["--porcelain=v2", "--ignore-submodules=dirty"]),
];

const COMPARE: &[&str] = &["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"];
const LOG: &[&str] = &["--no-ext-diff", "--no-textconv", "--no-show-signature"];

/// Settings that keep a repository from starting programs (git in submodules, `gpg` for a format with signatures), and
/// from adding escape sequences to the output.
const SETTINGS: [&str; 6] = [
    "submodule.recurse=false", "diff.submodule=short", "format.pretty=medium", "color.ui=false", "color.diff=false",
    "color.grep=false",
];

impl WorkTree {
    /// Runs another read-only git command, in the root of the work tree. A nonzero exit status is not an
    /// error.
    ///
    /// In addition to everything that the [module](super) turns off, programs that compare or convert files are turned
    /// off (`diff.external`, `textconv`).
    ///
    /// The commands are `blame`, `cat-file`, `check-attr`, `cherry`, `count-objects`, `diff`, `diff-files`,
    /// `diff-index`, `diff-tree`, `for-each-ref`, `grep`, `log`, `ls-files`, `ls-tree`, `merge-base`, `name-rev`,
    /// `rev-list`, `rev-parse`, `show`, `show-ref` and `status`. The arguments are not checked: some options write
    /// files or start programs (`--output`, `--textconv`, `grep -O`). So put `--end-of-options` before an untrusted
    /// revision, and `--` before an untrusted path.
    ///
    /// ```
    /// use hookkit::git::WorkTree;
    /// # use std::io;
    ///
    /// # fn example(tree: &WorkTree) -> io::Result<()> {
    /// // The content of a file in the next commit.
    /// let staged = tree.read("cat-file", ["blob", ":src/lib.rs"])?;
    /// if staged.status.success() && staged.stdout_text().contains("todo!()") {
    ///     eprintln!("src/lib.rs is not finished");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the command is not in this list. Also fails like [`around`](Self::around), if git cannot be run or
    /// takes too long.
    pub fn read(&self, command: &str, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> io::Result<Output> {
        let Some((_, options)) = READERS.iter().find(|(name, _)| *name == command) else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!(
                    "`git {}` is not a read-only command: run it with `process::Command::new(\"git\")`, in \
                     repositories that you trust",
                    command.escape_debug()
                ),
            ));
        };
        let mut settings: Vec<OsString> = SETTINGS.map(OsString::from).into();
        // Filters run when git compares files of the work tree.
        if self.may_have_own_filters() {
            settings.extend(Settings::of(self)?.without_own_filters()?);
        }
        let mut git = self.command(&settings, command, *options);
        git.args(arguments).output()
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;

    use super::READERS;
    use crate::git::tests::{commit, compare, filtered, git, program, tree};

    #[test]
    fn commands_that_read_start_no_program_of_the_repository() {
        let (folder, root) = filtered();
        let evil = folder.path().join("evil");
        program(&evil, "cat \"$1\" 2>/dev/null || cat");
        fs::write(root.join(".gitattributes"), "file filter=f diff=d\n").unwrap();
        commit(&root, "third");
        let run = evil.to_str().unwrap();
        for key in [
            "filter.f.clean", "diff.d.textconv", "diff.d.command", "diff.external", "gpg.program", "core.pager",
            "core.fsmonitor", "alias.x",
        ] {
            git(&root, &["config", key, run]);
        }
        git(&root, &["config", "alias.evil", &format!("!{run}")]);
        git(&root, &["config", "format.pretty", "%G?"]);
        git(&root, &["config", "log.showSignature", "true"]);
        for colored in ["color.ui", "color.diff", "color.grep"] {
            git(&root, &["config", colored, "always"]);
        }
        // Commits with a signature that has to be checked.
        let object = tree(&root).read("cat-file", ["commit", "HEAD"]).unwrap().stdout_text().into_owned();
        let (head, message) = object.split_once("\n\n").unwrap();
        let signed =
            format!("{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n{message}\n");
        fs::write(folder.path().join("signed"), signed).unwrap();
        let file = folder.path().join("signed");
        git(&root, &["config", "core.hooksPath", "/dev/null"]);
        let id = test_support::git(&root, &["hash-object", "-t", "commit", "-w", file.to_str().unwrap()]);
        git(&root, &["update-ref", "HEAD", id.trim()]);
        fs::write(root.join("file"), "changed\n").unwrap();
        let _ = fs::remove_file(evil.with_extension("ran"));

        let tree = tree(&root);
        let lines = test_support::lines!("lines/git-readers.txt");
        for row in &lines.section("commands").rows {
            let (command, arguments) = (&*row.expected[0], row.line.split_whitespace());
            let output = tree.read(command, arguments).unwrap();
            assert!(
                output.status.success() && !output.stdout.is_empty() || command == "cherry",
                "{command}: {output:?}"
            );
            assert!(!evil.with_extension("ran").exists(), "{command} has run a program");
            assert!(!output.stdout.contains(&b'\x1b'), "{command}: {output:?}");
        }
        assert_eq!(READERS.len(), lines.section("commands").rows.len());
        tree.commits("HEAD").unwrap();
        tree.diff("HEAD~2", "HEAD").unwrap();
        tree.staged().unwrap();
        assert!(!evil.with_extension("ran").exists());
        compare(&root);
        assert!(evil.with_extension("ran").exists(), "git runs it");
    }

    #[test]
    fn other_commands_are_an_error() {
        let (_folder, root) = filtered();
        for command in ["push", "x", "-c", "--exec-path=/tmp", "stash", ""] {
            let error = tree(&root).read(command, ["x"]).unwrap_err().to_string();
            let expected = format!("`git {command}` is not a read-only command");
            assert!(error.starts_with(&expected), "{error}");
        }
    }
}
