//! Look before a push.

// ANCHOR: hook
use hookkit::git::WorkTree;
use hookkit::prelude::*;

/// Maximum number of lines that a push may add without a question.
const LINES: u64 = 1000;

/// Asks the user before a push that adds binary files or many lines.
#[hook(PreToolUse, if = "Bash(git push *)", timeout = 15, on_failure = ask)]
pub fn look_before_push(_push: PreToolUse<tool::Bash>, context: Context) -> Result<PreToolUseAnswer, Error> {
    let Some(tree) = WorkTree::around(&context.cwd)? else {
        return Ok(PreToolUseAnswer::pass());
    };
    let Some(upstream) = tree.status()?.upstream.filter(|upstream| !upstream.is_gone) else {
        return Ok(PreToolUseAnswer::pass());
    };
    Ok(match found(&tree, &upstream.name)? {
        Some(found) => PreToolUseAnswer::ask(found),
        None => PreToolUseAnswer::pass(),
    })
}

/// Describes the push of the current branch to `upstream` if the user should look at it.
fn found(tree: &WorkTree, upstream: &str) -> Result<Option<String>, Error> {
    let Some(base) = tree.merge_base(upstream, "HEAD")? else {
        return Ok(Some("the branches have no commit in common".to_owned()));
    };
    let files = tree.diff(&base, "HEAD")?;
    let lines: u64 = files.iter().filter_map(|file| file.added).sum();
    // Files that a later commit removed are pushed, too.
    let commits = tree.commits(&format!("{base}..HEAD"))?;
    let pushed = commits.iter().flat_map(|commit| &commit.files);
    let binary = pushed.into_iter().find(|file| file.added.is_none());
    let found = match binary {
        Some(file) => format!("the binary file `{}`", file.path.display()),
        None if lines > LINES => format!("{lines} lines"),
        None => return Ok(None),
    };
    Ok(Some(format!("the push adds {found} (commits: {})", commits.len())))
}
// ANCHOR_END: hook

// ANCHOR: test
#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::*;

    fn commit(folder: &Path, file: &str, content: &[u8]) -> Result<(), Error> {
        fs::write(folder.join(file), content)?;
        git(folder, &["add", "."])?;
        git(folder, &["commit", "--quiet", "--message", file])
    }

    fn git(folder: &Path, arguments: &[&str]) -> Result<(), Error> {
        let author = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
        let status = Command::new("git")
            .args(author)
            .args(arguments)
            .current_dir(folder)
            .status()?;
        assert!(status.success(), "{arguments:?}");
        Ok(())
    }

    #[test]
    fn many_lines_and_binary_files_are_asked_about() -> Result<(), Error> {
        let folder = tempfile::tempdir()?;
        let root = folder.path();
        git(root, &["init", "--quiet", "--initial-branch=main"])?;
        commit(root, "first", b"")?;
        git(root, &["switch", "--quiet", "--create", "work"])?;
        let Some(tree) = WorkTree::around(root)? else { panic!() };
        assert_eq!(found(&tree, "main")?, None);
        commit(root, "lines", "line\n".repeat(1001).as_bytes())?;
        let many = "the push adds 1001 lines (commits: 1)";
        assert_eq!(found(&tree, "main")?.as_deref(), Some(many));
        commit(root, "lines", b"\0")?;
        fs::remove_file(root.join("lines"))?;
        commit(root, "last", b"")?;
        let binary = "the push adds the binary file `lines` (commits: 3)";
        assert_eq!(found(&tree, "main")?.as_deref(), Some(binary));
        assert!(found(&tree, "missing").is_err());
        Ok(())
    }
}
// ANCHOR_END: test
