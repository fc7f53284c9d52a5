//! Git hooks at the end of a turn.

// ANCHOR: hook
use hookkit::git::WorkTree;
use hookkit::prelude::*;
use hookkit::process::{Command, last_lines};

/// Git hook managers, each with its configuration file and its command, without the file names.
const MANAGERS: [(&str, &[&str]); 3] = [
    (".pre-commit-config.yaml", &["prek", "run", "--files"]),
    ("prek.toml", &["prek", "run", "--files"]),
    ("lefthook.yml", &["lefthook", "run", "pre-commit", "--no-tty", "--file"]),
];

/// Runs the pre-commit hooks on the changed files before a turn ends, and lets the model fix what they find.
#[hook(Stop, timeout = 300)]
pub fn git_hooks_at_stop(stop: Stop, context: Context) -> Result<StopAnswer, Error> {
    let Some(tree) = WorkTree::around(&context.cwd)? else {
        return Ok(StopAnswer::pass());
    };
    let manager = MANAGERS.iter().find(|(file, _)| tree.root().join(file).is_file());
    let status = tree.status()?;
    let changed = status.changes.iter().map(|change| tree.root().join(&change.path));
    let changed: Vec<_> = changed.filter(|file| file.is_file()).collect();
    let Some((_, command)) = manager.filter(|_| !changed.is_empty()) else {
        return Ok(StopAnswer::pass());
    };
    let (option, words) = command.split_last().expect("a command has words");
    let mut run = Command::new(words[0]);
    run.args(&words[1..])
        .current_dir(tree.root())
        .stderr_to_stdout()
        .keep_end();
    // prek takes one option for all files, and lefthook one for each.
    match *option {
        "--file" => run.args(changed.iter().flat_map(|file| ["--file".as_ref(), file.as_os_str()])),
        option => run.arg(option).args(&changed),
    };
    let output = run.output()?;
    Ok(match output.status.success() {
        true => StopAnswer::pass(),
        false => StopAnswer::block_once(&stop, last_lines(&output.stdout_text(), 60)),
    })
}
// ANCHOR_END: hook

// ANCHOR: test
#[cfg(test)]
mod tests {
    use hookkit::Hook;
    use hookkit::testing::{Recorded, Session};

    use super::*;

    #[test]
    fn a_turn_goes_on_while_a_hook_of_git_finds_something() {
        let session = Session::new();
        session.program("prek", r#"echo "$*"; exit 1"#);
        session.program("lefthook", r#"echo "$*"; exit 1"#);
        let stop = || session.run(git_hooks_at_stop::DEF, &Recorded::of("Stop"));
        session.repository();
        session.write("a.txt", "");
        stop().assert_passed();
        session.write(".pre-commit-config.yaml", "repos: []\n");
        let files = session.path("a.txt");
        stop().assert_kept_going(&format!("{}", files.display()));
        session.commit("All");
        stop().assert_passed();
        std::fs::rename(session.path(".pre-commit-config.yaml"), session.path("lefthook.yml")).expect("it is renamed");
        stop().assert_kept_going("run pre-commit --no-tty --file ");
        session.program("lefthook", "exit 0");
        stop().assert_passed();
    }
}
// ANCHOR_END: test
