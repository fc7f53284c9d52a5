//! After webdevtodayjason/claude-hooks, `hooks/secret-scanner.py`.

use std::ffi::OsString;

use hookkit::git::WorkTree;
use hookkit::prelude::*;
use hookkit::secrets::secrets;

/// Denies edits that add a token or a private key.
#[hook(PreToolUse)]
pub fn no_secrets_in_edits(call: PreToolUse<tool::TextChange>) -> PreToolUseAnswer {
    let name = call.input.path().display().to_string();
    deny(found(&name, call.input.added_text()))
}

/// Denies a commit if a staged file has a token or a private key. Files that `git commit -a` adds are not staged yet.
#[hook(PreToolUse, if = "Bash(git commit *)", timeout = 20)]
pub fn no_secrets_in_commits(_call: PreToolUse<tool::Bash>, context: Context) -> Result<PreToolUseAnswer, Error> {
    let mut all = Vec::new();
    if let Some(tree) = WorkTree::around(&context.cwd)? {
        for file in tree.staged()?.iter().filter(|file| file.added > Some(0)) {
            let mut object = OsString::from(":0:");
            object.push(&file.path);
            let staged = tree.read("cat-file", ["blob".into(), object])?;
            all.extend(found(&file.path.display().to_string(), &staged.stdout_text()));
        }
    }
    Ok(deny(all))
}

/// Returns a line for each secret in a file.
fn found(file: &str, text: &str) -> Vec<String> {
    secrets(text).iter().map(|secret| format!("{file}, {secret}")).collect()
}

fn deny(found: Vec<String>) -> PreToolUseAnswer {
    match found.is_empty() {
        true => PreToolUseAnswer::pass(),
        false => PreToolUseAnswer::deny(format!(
            "use a variable in place of these secrets:\n{}",
            found.join("\n")
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use hookkit::Hook;
    use hookkit::testing;

    use super::*;

    fn token() -> String {
        format!("token = ghp_{}\n", "q7Zk3XvW9bRm2TfYd8LhPc5NsGj4Bw6Kq7Zk")
    }

    #[test]
    fn an_edit_with_a_token_is_denied() {
        let run = |text: &str| {
            let call = PreToolUse::new("Write", tool::Write::new("/project/a.py", text));
            testing::run(no_secrets_in_edits::DEF, &call)
        };
        run(&token()).assert_denied("/project/a.py, line 1: a GitHub token (`ghp_…`)");
        run("token = os.environ['TOKEN']\n").assert_passed();
    }

    #[test]
    fn a_commit_is_checked_as_it_is_staged() -> Result<(), Error> {
        let project = tempfile::tempdir()?;
        let git = |arguments: &[&str]| -> Result<(), Error> {
            let status = Command::new("git").args(arguments).current_dir(&project).status()?;
            assert!(status.success(), "{arguments:?}");
            Ok(())
        };
        let mut context = Context::default();
        context.cwd = project.path().to_owned();
        let run = || {
            let call = PreToolUse::new("Bash", tool::Bash::new("git commit -m x"));
            testing::run_in(&context, no_secrets_in_commits::DEF, &call)
        };
        run().assert_passed();
        git(&["init", "--quiet"])?;
        fs::write(project.path().join("a b"), token())?;
        run().assert_passed();
        git(&["add", "."])?;
        // The next commit has the staged text.
        fs::write(project.path().join("a b"), "")?;
        run().assert_denied("a b, line 1: a GitHub token");
        git(&["add", "."])?;
        run().assert_passed();
        Ok(())
    }
}
