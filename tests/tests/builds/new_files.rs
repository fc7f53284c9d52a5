//! `cargo xtask new` creates complete files, and changes nothing if it fails.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use hookkit_tests::xtask::{repository, xtask, xtask_ok};
use hookkit_tests::{Project, workspace};

/// Returns all files below a folder, with their content.
fn tree(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            match path.is_dir() {
                true => folders.push(path.clone()),
                false => drop(files.insert(path.clone(), fs::read(&path)?)),
            }
        }
        files.insert(folder, Vec::new());
    }
    Ok(files)
}

#[test]
fn the_output_lists_the_new_files() -> Result<()> {
    let (_outer, folder) = workspace::new("acme-hooks")?;
    let printed = xtask_ok(
        &folder,
        &[
            "new", "hook", "guards/protect-keys", "--event", "PreToolUse", "--matcher", "Edit|Write",
        ],
    )?;
    assert_eq!(
        printed,
        "Created the hook `protect-keys`, on PreToolUse:\n\
         \n\
         \x20 guards/src/protect_keys.rs\n\
         \x20     the function and its test\n\
         \x20 guards/tests/payloads/protect_keys.json\n\
         \x20     the event that its test uses, a recorded PreToolUse Edit\n\
         \x20 guards/src/lib.rs\n\
         \x20     `pub mod protect_keys;`\n\
         \x20 guards/Cargo.toml\n\
         \x20     its pack is new\n\
         \n\
         Test it: cargo test --package guards\n\
         Documentation of PreToolUse: cargo doc --open --package hookkit\n"
    );
    let manifest = fs::read_to_string(folder.join("Cargo.toml"))?;
    assert!(
        manifest.contains("members = [\"acme-hooks\", \"xtask\", \"guards\"]\n"),
        "{manifest}"
    );
    Ok(())
}

/// Returns a workspace that no test builds: xtask only reads its manifests.
fn existing_workspace(manifest: &str, pack: &str) -> Result<Project> {
    let project = Project::new()?;
    let hookkit = format!("hookkit = {{ path = {:?} }}", repository().join("hookkit"));
    project.write("Cargo.toml", manifest.replace("@hookkit@", &hookkit))?;
    let package = format!("[package]\nname = \"{pack}\"\nedition = \"2024\"\n\n[dependencies]\n{hookkit}\n");
    project.write("hooks/guard/Cargo.toml", package)?;
    project.write("hooks/guard/src/lib.rs", "//! Ours.\n\nuse hookkit::prelude::*;\n")?;
    Ok(project)
}

#[test]
fn an_existing_workspace_keeps_its_conventions() -> Result<()> {
    // A glob already includes the new pack, lints apply to all packs, and a pack is also found by its folder.
    let manifest = "[workspace]\nmembers = ['hooks/*'] # all\n\n[workspace.lints.rust]\nunused = \"warn\"\n";
    let project = existing_workspace(manifest, "acme-guard")?;
    let printed = xtask_ok(project.path(), &["new", "hook", "guard/a", "--event", "Stop"])?;
    // Its manifest did not have `testing`, which the new hook's test needs.
    assert!(
        printed.contains("\n  hooks/guard/Cargo.toml\n      hookkit's `testing`, for the pack's tests\n"),
        "{printed}"
    );
    let tested = project.read("hooks/guard/Cargo.toml")?;
    let of_tests = tested
        .split_once("[dev-dependencies]\n")
        .context("dependencies of the tests")?
        .1;
    assert!(
        of_tests.starts_with("hookkit = { path = ") && of_tests.ends_with(", features = [\"testing\"] }\n"),
        "{tested}"
    );
    assert!(!project.exists("Cargo.lock"));
    assert_eq!(
        project.read("hooks/guard/src/lib.rs")?,
        "//! Ours.\n\npub mod a;\n\nuse hookkit::prelude::*;\n"
    );
    xtask_ok(
        &project.path().join("hooks/guard"),
        &["new", "hook", "more/b", "--event", "Stop"],
    )?;
    assert_eq!(project.read("Cargo.toml")?, manifest);
    let made = project.read("hooks/more/Cargo.toml")?;
    assert!(made.contains("\nhookkit = { path = \"/"), "{made}");
    assert!(made.contains("\n[lints]\nworkspace = true\n"), "{made}");

    // Dependencies are inherited from the workspace, and the list of members keeps its format.
    let manifest = "[workspace]\nmembers = [\n    \"hooks/guard\", # one\n]\n\n[workspace.dependencies]\n@hookkit@\n";
    let project = existing_workspace(manifest, "guard")?;
    xtask_ok(project.path(), &["new", "hook", "more/b", "--event", "Stop"])?;
    let after = project.read("Cargo.toml")?;
    assert!(
        after.starts_with("[workspace]\nmembers = [\n    \"hooks/guard\", # one\n    \"hooks/more\",\n]\n"),
        "{after}"
    );
    assert!(
        project
            .read("hooks/more/Cargo.toml")?
            .contains("\nhookkit.workspace = true\n")
    );
    Ok(())
}

#[test]
fn errors_leave_all_files_unchanged() -> Result<()> {
    let (outer, folder) = workspace::new("acme-hooks")?;
    fs::write(
        folder.join("acme-hooks/src/other.rs"),
        "#[hook(Stop)]\npub fn other_name() {}\n",
    )?;
    fs::create_dir(folder.join("notes"))?;
    let before = tree(outer.path())?;
    let hook = |name, event| vec!["new", "hook", name, "--event", event];
    let matched = |name, event, matcher| [&hook(name, event)[..], &["--matcher", matcher]].concat();
    for (arguments, error) in [
        (
            hook("acme-hooks/a", "PreTolUse"),
            "there is no event `PreTolUse`; did you mean `PreToolUse`?",
        ),
        (
            hook("acme-hooks/a", "Deploy"),
            "there is no event `Deploy`; there are `PreToolUse`, `PostToolUse`, ",
        ),
        (
            matched("acme-hooks/a", "PreToolUse", "Edit|bash"),
            "`bash` matches no tool; did you mean `Bash`?",
        ),
        (
            matched("acme-hooks/a", "SessionStart|Stop", "startup"),
            "one matcher cannot fit both SessionStart and Stop; write a hook for each",
        ),
        (
            hook("acme-hooks/a", "Stop|WorktreeCreate"),
            "WorktreeCreate needs an answer that no other event has; write a hook for it alone",
        ),
        (hook("acme-hooks/a", "Stop|Stop"), "`Stop` is there twice"),
        (
            [&hook("acme-hooks/a", "Stop")[..], &["--if", "Bash(ls)"]].concat(),
            "the client never runs a hook on Stop that has an `if`: it is for events of tools",
        ),
        (
            [&hook("acme-hooks/a", "PreToolUse")[..], &["--if", "Bash(ls"]].concat(),
            "`Bash(ls` is not a permission rule, and never holds",
        ),
        (hook("a", "Stop"), "`a` names no pack; write PACK/NAME"),
        (
            hook("acme-hooks/keepKeys", "Stop"),
            "`keepKeys` is not a valid name of a hook; write it in lower case, in letters and digits with hyphens between, `keep-keys`",
        ),
        (
            hook("acme-hooks/match", "Stop"),
            "`match` is a word of Rust, and no name of a hook",
        ),
        (hook("../a/b", "Stop"), "`a/b` is not a valid name of a hook"),
        (
            hook("acme-hooks/lock-files", "Stop"),
            "lock_files.rs is there already; give the hook another name",
        ),
        (
            hook("more/acme-hooks-keep-lock-files", "Stop"),
            "lock_files.rs has `acme_hooks_keep_lock_files` already; give the hook another name",
        ),
        (
            hook("more/other-name", "Stop"),
            "other.rs has `other_name` already; give the hook another name",
        ),
        (
            hook("xtask/a", "Stop"),
            "`xtask` is not a pack: a pack is a library that depends on hookkit",
        ),
        (hook("Guards/a", "Stop"), "`Guards` is not a valid name of a pack"),
        (hook("notes/a", "Stop"), "notes is something else"),
        (
            vec!["new", "workspace", "."],
            "is not empty, and nothing of it is overwritten: `.cargo`, `.github`, `.gitignore`, `Cargo.lock`, `Cargo.toml` …",
        ),
        (
            vec!["new", "workspace", "README.md"],
            "the pack has the folder's name; give it another one: --pack NAME: `README.md` is not a valid name of a pack",
        ),
        (
            vec!["new", "workspace", "README.md", "--pack", "a"],
            "README.md cannot be a workspace: ",
        ),
        (
            vec!["new", "workspace", "more", "--path", "acme-hooks"],
            "acme-hooks is not a clone of hookkit; name one: --path DIR, or --git URL",
        ),
    ] {
        let output = xtask(&folder, &arguments)?;
        let stderr = String::from_utf8(output.stderr)?;
        assert!(
            stderr.starts_with("error: ") && stderr.contains(error),
            "{arguments:?}: {stderr}"
        );
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(tree(outer.path())?, before, "{arguments:?}");
    }
    Ok(())
}

#[test]
fn an_incomplete_write_is_undone() -> Result<()> {
    let (outer, folder) = workspace::new("acme-hooks")?;
    // The last file has no folder, after the library has the new module.
    fs::remove_dir_all(folder.join("acme-hooks/tests"))?;
    fs::write(folder.join("acme-hooks/tests"), "")?;
    let before = tree(outer.path())?;
    let output = xtask(&folder, &["new", "hook", "acme-hooks/a", "--event", "Stop"])?;
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(tree(outer.path())?, before, "{output:?}");
    Ok(())
}

#[test]
fn an_empty_repository_and_another_source_are_accepted() -> Result<()> {
    let project = Project::new()?;
    let printed = xtask_ok(
        project.path(),
        &[
            "new", "workspace", ".", "--pack", "acme-guards", "--git", "https://git.example.com/hookkit", "--tag",
            "v0.1.0",
        ],
    )?;
    assert!(printed.contains("\n\n  cd .\n  cargo test\n"), "{printed}");
    let manifest = project.read("Cargo.toml")?;
    let words = "{ git = \"https://git.example.com/hookkit\", tag = \"v0.1.0\" }";
    for line in [format!("hookkit = {words}"), format!("hookkit-xtask = {words}")] {
        assert!(manifest.lines().any(|found| found == line), "{manifest}");
    }
    assert!(!manifest.contains("# A folder"), "no note on a folder: {manifest}");
    assert!(
        project
            .read("acme-guards/tests/verdicts.rs")?
            .contains("use acme_guards::lock_files::acme_guards_keep_lock_files;")
    );
    Ok(())
}

#[test]
fn without_a_repository_git_init_is_a_next_step() -> Result<()> {
    let outer = test_support::folder();
    let printed = xtask_ok(outer.path(), &["new", "workspace", "acme-hooks"])?;
    assert!(
        printed.contains("\n\n  cd acme-hooks\n  git init\n  cargo test\n"),
        "{printed}"
    );
    Ok(())
}
