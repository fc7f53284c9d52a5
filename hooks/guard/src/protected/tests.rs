#[cfg(unix)]
use std::os::unix::fs::symlink;
#[cfg(unix)]
use std::process::Command;

use super::*;
use crate::testing::{context, outcome};

fn answer(project: &Path, path: &str, config: ProtectedFiles) -> Result<Option<PreToolUseAnswer>, Error> {
    let call = PreToolUse::new("Write", Change::File(FileChange { path: path.into(), text: String::new() }));
    protect_files(call, context(project), Environment::default(), Config(config))
}

#[test]
fn each_file_ends_as_it_is_said() {
    let lines = test_support::lines!("lines/protect-files-paths.txt");
    lines.check_in_folders("", |section, project, path| {
        let patterns = section.words("patterns").into_iter().map(str::to_owned).collect();
        outcome(answer(project, path, ProtectedFiles { patterns }))
    });
}

#[test]
fn a_pattern_of_a_workspace_that_never_matches_is_not_a_configuration() {
    let error = Json::parse(r#"{"patterns": ["*.tf", "*.{js,ts}"]}"#).unwrap();
    let error = error.decode::<ProtectedFiles>().unwrap_err().to_string();
    assert!(error.contains("line 2 of `patterns`, `*.{js,ts}`: "), "{error}");
}

#[test]
fn a_list_that_is_not_understood_denies_each_change_and_says_why() {
    let project = test_support::folder();
    let list = project.path().join(list::FILE);
    let error = || {
        let answer = answer(project.path(), "src/main.rs", ProtectedFiles::default());
        answer.unwrap_err().to_string()
    };
    fs::create_dir_all(&list).unwrap();
    assert!(error().starts_with("`.claude/protected` cannot be read: "), "{}", error());
    fs::remove_dir(&list).unwrap();
    fs::write(&list, "/ok\n*.{js,ts}\n").unwrap();
    let line = "line 2 of `.claude/protected`, `*.{js,ts}`: ";
    assert!(error().starts_with(line), "{}", error());
    fs::write(&list, "#".repeat(2 << 20)).unwrap();
    let long = "it has more than 1048576 bytes; shorten it";
    assert!(error().ends_with(long), "{}", error());
    #[cfg(unix)]
    {
        fs::remove_file(&list).unwrap();
        assert!(Command::new("mkfifo").arg(&list).status().unwrap().success());
        assert!(error().contains("it is not a file"), "{}", error());
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_named_with_what_it_leads_to() {
    let project = test_support::folder();
    symlink("Cargo.lock", project.path().join("notes.txt")).unwrap();
    let context = context(project.path());
    let lists = Protected::of(&context, Environment::default(), &[]).unwrap();
    let reason = lists.reason(&context.path("notes.txt").unwrap()).unwrap();
    let leads = "/notes.txt` leads to `Cargo.lock`, which is protected";
    let expected = format!("`{}{leads}", project.path().display());
    assert!(reason.starts_with(&expected), "{reason}");
}

#[test]
fn elsewhere_only_what_is_built_in_is_protected() {
    let [project, elsewhere] = [(); 2].map(|()| test_support::folder());
    fs::create_dir(project.path().join(".claude")).unwrap();
    fs::write(project.path().join(list::FILE), "*.sql\n!go.sum\n").unwrap();
    let denied = |name: &str| {
        let path = elsewhere.path().join(name);
        let answer = answer(project.path(), path.to_str().unwrap(), ProtectedFiles::default());
        answer.unwrap().is_some()
    };
    assert!(!denied("a.sql"));
    assert!(denied(".git/config"));
    assert!(!denied("go.sum"), "a copy that is put aside");
    fs::write(elsewhere.path().join("go.sum"), "").unwrap();
    assert!(denied("go.sum"));
    assert!(!denied("main.go"));
}

#[cfg(unix)]
#[test]
fn each_working_tree_of_the_repository_has_the_list_of_the_main_one() {
    let folder = test_support::folder();
    let [main, linked] = ["main", "main/.claude/worktrees/linked"].map(|name| folder.path().join(name));
    fs::create_dir_all(main.join(".claude")).unwrap();
    fs::write(main.join(list::FILE), "/migrations/\n!go.sum\n").unwrap();
    test_support::git(&main, &["init", "-q"]);
    test_support::git(&main, &["commit", "-q", "--allow-empty", "-m", "One"]);
    test_support::git(&main, &["worktree", "add", "-q", ".claude/worktrees/linked"]);
    // One session entered the linked worktree, the other was started there.
    for (project, other) in [(&main, &linked), (&linked, &main)] {
        for (path, is_denied) in [
            ("migrations/1.sql", true),
            (".claude/protected", true),
            (".claude/hookkit/x", true),
            (".claude/hookkit.sh", true),
            (".claude/settings.json", true),
            ("Cargo.lock", true),
            ("go.sum", false),
            ("src/main.rs", false),
        ] {
            for tree in [project, other] {
                let path = tree.join(path);
                let answer = answer(project, path.to_str().unwrap(), ProtectedFiles::default());
                assert_eq!(answer.unwrap().is_some(), is_denied, "{}", path.display());
            }
        }
    }
    // Everything in the folder is removed with it.
    fs::create_dir(linked.join(".claude")).unwrap();
    fs::write(linked.join(list::FILE), "").unwrap();
    let mut session = context(&main);
    session.cwd = linked;
    let call = PreToolUse::new("Bash", Change::Bash(tool::Bash::new("rm -rf .claude")));
    let answer = protect_files(call, session, Environment::default(), Config(ProtectedFiles::default()));
    assert_ne!(answer.unwrap(), None);
}
