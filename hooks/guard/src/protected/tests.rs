use std::fs;
#[cfg(unix)]
use std::os::unix::fs::symlink;
#[cfg(unix)]
use std::process::Command;

use tempfile::TempDir;

use super::*;

/// A project with a list.
fn project(list: &str) -> TempDir {
    let project = test_support::folder();
    fs::create_dir(project.path().join(".claude")).unwrap();
    fs::write(project.path().join(list::FILE), list).unwrap();
    project
}

fn answer(project: &TempDir, path: &str) -> Result<PreToolUseAnswer, Error> {
    answer_with(project, path, ProtectedFiles::default())
}

fn answer_with(project: &TempDir, path: &str, config: ProtectedFiles) -> Result<PreToolUseAnswer, Error> {
    let mut context = Context::default();
    context.cwd = project.path().into();
    context.project_dir = project.path().into();
    let input = Change::File(FileChange { path: path.into() });
    protect_files(
        PreToolUse::new("Write", input),
        context,
        Environment::default(),
        Config(config),
    )
}

fn denied(project: &TempDir, path: &str) -> bool {
    answer(project, path).unwrap() != PreToolUseAnswer::pass()
}

#[test]
fn without_a_list_git_s_files_and_lock_files_are_protected() {
    let project = test_support::folder();
    for path in [
        ".git", ".git/config", ".GIT/hooks/pre-commit", "vendor/lib/.git/HEAD", "Cargo.lock", "web/package-lock.json",
        "go.sum", "gradle.lockfile", ".claude/hookkit/app/bin/protect-files", ".claude/protected",
        ".claude/../Cargo.lock",
    ] {
        assert!(denied(&project, path), "{path}");
    }
    for path in [
        ".gitignore", ".github/workflows/ci.yml", ".claude/settings.json", ".claude/check", "Cargo.toml",
        "package.json", "src/lock.rs", "go.mod", "Cargo.lock.md",
    ] {
        assert!(!denied(&project, path), "{path}");
    }
}

#[test]
fn the_projects_list_adds_and_takes_out() {
    let project = project("# ours\n/migrations/*\n!/migrations/next.sql\n*.pb.go\n!Cargo.lock\n");
    assert!(denied(&project, "migrations/1.sql"));
    assert!(denied(&project, "api/v1.pb.go"));
    assert!(!denied(&project, "migrations/next.sql"));
    assert!(!denied(&project, "old/migrations/1.sql"));
    assert!(!denied(&project, "Cargo.lock"));
    assert!(denied(&project, "yarn.lock"));
}

#[test]
fn no_list_takes_out_the_list() {
    for list in ["!*\n", "!/.claude/\n!/.claude/protected\n", "!.claude/*\n"] {
        let project = project(list);
        assert!(denied(&project, ".claude/protected"), "{list}");
        assert!(denied(&project, ".claude/hookkit/x"), "{list}");
        assert!(!denied(&project, "src/main.rs"), "{list}");
    }
}

#[test]
fn a_workspaces_list_comes_before_the_projects() {
    let of_workspace = || ProtectedFiles {
        patterns: vec!["*.tf".to_owned(), "/infra/".to_owned()],
    };
    let project = project("!dev.tf\n");
    let passes = |path| answer_with(&project, path, of_workspace()).unwrap() == PreToolUseAnswer::pass();
    assert!(!passes("prod.tf"));
    assert!(!passes("infra/a"));
    assert!(passes("dev.tf"));
}

#[test]
fn a_pattern_of_a_workspace_that_never_matches_is_not_a_configuration() {
    let error = Json::parse(r#"{"patterns": ["*.tf", "*.{js,ts}"]}"#).unwrap();
    let error = error.decode::<ProtectedFiles>().unwrap_err().to_string();
    assert!(error.contains("line 2 of `patterns`, `*.{js,ts}`: "), "{error}");
}

#[test]
fn a_line_that_never_matches_denies_each_change_and_says_which() {
    let project = project("/ok\n*.{js,ts}\n");
    let error = answer(&project, "src/main.rs").unwrap_err().to_string();
    assert!(
        error.starts_with("line 2 of `.claude/protected`, `*.{js,ts}`: "),
        "{error}"
    );
}

#[test]
fn a_list_that_cannot_be_read_denies_each_change() {
    let project = test_support::folder();
    fs::create_dir_all(project.path().join(list::FILE)).unwrap();
    let error = answer(&project, "src/main.rs").unwrap_err().to_string();
    assert!(error.starts_with("`.claude/protected` cannot be read: "), "{error}");
}

#[cfg(unix)]
#[test]
fn a_list_that_has_no_end_denies_each_change() {
    let project = project("");
    let list = project.path().join(list::FILE);
    fs::write(&list, "#".repeat(2 << 20)).unwrap();
    let error = answer(&project, "src/main.rs").unwrap_err().to_string();
    assert!(error.ends_with("it has more than 1048576 bytes; shorten it"), "{error}");
    fs::remove_file(&list).unwrap();
    assert!(Command::new("mkfifo").arg(&list).status().unwrap().success());
    let error = answer(&project, "src/main.rs").unwrap_err().to_string();
    assert!(error.contains("it is not a file"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_link_is_protected_by_its_own_name_and_by_what_it_leads_to() {
    let project = project("/generated/\n");
    let root = project.path().canonicalize().unwrap();
    symlink("Cargo.lock", root.join("notes.txt")).unwrap();
    symlink("generated", root.join("out")).unwrap();
    symlink("notes.txt", root.join("yarn.lock")).unwrap();
    assert!(denied(&project, "notes.txt"));
    assert!(denied(&project, "out/new.rs"));
    assert!(denied(&project, "yarn.lock"));
    let expected = format!(
        "`{}/notes.txt` leads to `Cargo.lock`, which is protected",
        root.display()
    );
    let mut context = Context::default();
    context.project_dir = root.clone();
    context.cwd = root;
    let lists = Protected::of(&context, Environment::default(), &[]).unwrap();
    let reason = lists.reason(&context.path("notes.txt").unwrap()).unwrap();
    assert!(reason.starts_with(&expected), "{reason}");
}

#[test]
fn elsewhere_only_what_is_built_in_is_protected() {
    let project = project("*.sql\n!go.sum\n");
    let elsewhere = test_support::folder();
    let at = |name: &str| elsewhere.path().join(name).to_str().unwrap().to_owned();
    assert!(!denied(&project, &at("a.sql")));
    assert!(denied(&project, &at(".git/config")));
    assert!(!denied(&project, &at("go.sum")), "a copy that is put aside");
    fs::write(elsewhere.path().join("go.sum"), "").unwrap();
    assert!(denied(&project, &at("go.sum")));
    assert!(!denied(&project, &at("main.go")));
}

#[cfg(unix)]
#[test]
fn a_circle_of_links_is_an_error_which_denies() {
    let project = project("");
    symlink("b", project.path().join("a")).unwrap();
    symlink("a", project.path().join("b")).unwrap();
    assert!(answer(&project, "a").is_err());
}
