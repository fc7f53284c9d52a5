use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process;
use std::{env, fs};

use tempfile::TempDir;

use super::*;
use test_support::Has;

pub(super) fn git(folder: &Path, arguments: &[&str]) {
    test_support::git(folder, arguments);
}

/// Creates a repository with a file in one commit. The folder's name contains spaces and a line end.
pub(super) fn repository() -> (TempDir, PathBuf) {
    let folder = test_support::folder();
    let root = folder.path().canonicalize().unwrap().join("a repository\n");
    fs::create_dir(&root).unwrap();
    git(&root, &["init", "--initial-branch=main"]);
    fs::write(root.join("file"), "one\n".repeat(20)).unwrap();
    commit(&root, "first");
    (folder, root)
}

pub(super) fn commit(root: &Path, message: &str) {
    git(root, &["add", "--all"]);
    git(root, &["commit", "--message", message]);
}

pub(super) fn tree(folder: &Path) -> WorkTree {
    WorkTree::around(folder).unwrap().unwrap()
}

/// Describes each change on a separate line.
fn changes(status: &Status) -> Vec<String> {
    let line = |change: &Change| {
        let origin = change.origin.as_ref().map(|origin| format!(" from {origin:?}"));
        let (path, origin) = (&change.path, origin.unwrap_or_default());
        format!("{path:?}{origin}: {:?}, {:?}", change.staged, change.unstaged)
    };
    status.changes.iter().map(line).collect()
}

#[test]
fn around_returns_none_outside_of_work_trees() {
    let (folder, root) = repository();
    git(folder.path(), &["init", "--bare", "bare"]);
    for nowhere in [folder.path(), &folder.path().join("bare"), &root.join(".git")] {
        assert!(WorkTree::around(nowhere).unwrap().is_none(), "{}", nowhere.display());
    }
    // git exists, but the folder does not.
    let missing = WorkTree::around(folder.path().join("missing")).unwrap_err();
    assert_ne!(missing.kind(), ErrorKind::NotFound, "{missing}");
}

#[test]
fn find_goes_by_the_nearest_repository_and_asks_git_later() {
    let (folder, root) = repository();
    let (_elsewhere, other) = repository();
    fs::create_dir_all(root.join("inner/.git")).unwrap();
    // An empty `.git` is not a repository.
    assert_eq!(WorkTree::find(root.join("inner")).unwrap().root(), root);
    assert!(WorkTree::find(folder.path()).is_none());
    assert!(WorkTree::find(root.join("missing")).is_none());
    // The files are those of the folder, whatever the repository says.
    git(&root, &["config", "core.worktree", other.to_str().unwrap()]);
    fs::write(root.join("new"), "").unwrap();
    let tree = WorkTree::find(&root).unwrap();
    assert_eq!(changes(&tree.status().unwrap()), [r#""new": None, Some(Untracked)"#]);
    // A folder that is not a repository does not lead to the repository around it.
    let forged = root.join("forged");
    fs::create_dir_all(forged.join(".git")).unwrap();
    fs::write(forged.join(".git/HEAD"), "ref: refs/heads/main").unwrap();
    let error = WorkTree::find(&forged).unwrap().status().unwrap_err().to_string();
    assert!(error.contains("not a git repository"), "{error}");
}

#[test]
fn the_branch_is_that_of_head() {
    let (_folder, root) = repository();
    let branch = |root: &Path| tree(root).branch().unwrap();
    assert_eq!(branch(&root).as_deref(), Some("main"));
    git(&root, &["switch", "--orphan", "a/b"]);
    assert_eq!(branch(&root).as_deref(), Some("a/b"));
    git(&root, &["switch", "main"]);
    git(&root, &["worktree", "add", "-b", "side", "../linked"]);
    assert_eq!(branch(&root.with_file_name("linked")).as_deref(), Some("side"));
    git(&root, &["switch", "--detach"]);
    assert_eq!(branch(&root), None);
}

#[test]
fn settings_are_those_of_all_files_with_the_last_value_last() {
    let (_folder, root) = repository();
    git(&root, &["config", "push.Default", "current"]);
    git(&root, &["config", "--add", "push.default", "upstream"]);
    git(&root, &["config", "Branch.A.Merge", "x"]);
    let settings = tree(&root).settings(r"^(push\.default|branch\..*\.merge)$").unwrap();
    let settings: Vec<String> = settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(settings, ["push.default=current", "push.default=upstream", "branch.A.merge=x"]);
    assert_eq!(tree(&root).settings("^none$").unwrap(), []);
}

#[test]
fn a_repository_without_commits_has_a_branch_and_changes() {
    let folder = test_support::folder();
    git(folder.path(), &["init", "--initial-branch=trunk"]);
    fs::write(folder.path().join("new"), "").unwrap();
    let tree = tree(folder.path());
    let status = tree.status().unwrap();
    assert_eq!(status.branch.as_deref(), Some("trunk"));
    assert!(status.commit.is_none() && status.upstream.is_none());
    assert_eq!(changes(&status), [r#""new": None, Some(Untracked)"#]);
    assert_eq!(tree.last_commits(3).unwrap(), []);
}

#[test]
fn changes_are_staged_or_unstaged() {
    let (_folder, root) = repository();
    fs::write(root.join("moved from"), "two\n".repeat(20)).unwrap();
    fs::write(root.join("gone"), "").unwrap();
    fs::write(root.join("both"), "").unwrap();
    commit(&root, "second");
    let strange = OsString::from_vec(b"new\n\"\xff\t -> \xc3\xa9".to_vec());
    fs::write(root.join(&strange), "").unwrap();
    fs::rename(root.join("moved from"), root.join("moved to")).unwrap();
    fs::write(root.join("both"), "staged").unwrap();
    git(&root, &["add", "both", "moved from", "moved to"]);
    fs::write(root.join("both"), "and more").unwrap();
    fs::remove_file(root.join("gone")).unwrap();
    fs::remove_file(root.join("file")).unwrap();
    symlink("gone", root.join("file")).unwrap();
    fs::create_dir(root.join("folder")).unwrap();
    fs::write(root.join("folder/inner"), "").unwrap();

    let status = tree(&root.join("folder")).status().unwrap();
    assert_eq!(
        changes(&status),
        [
            r#""both": Some(Modified), Some(Modified)"#,
            r#""file": None, Some(TypeChanged)"#,
            r#""gone": None, Some(Deleted)"#,
            r#""moved to" from "moved from": Some(Renamed), None"#,
            r#""folder/inner": None, Some(Untracked)"#,
            &format!("{strange:?}: None, Some(Untracked)"),
        ]
    );
    let staged: Vec<_> = status.staged().map(|change| change.path.to_str().unwrap()).collect();
    assert_eq!(staged, ["both", "moved to"]);
    assert!(!status.is_cut_off);
}

#[test]
fn status_honors_show_untracked_files() {
    let (_folder, root) = repository();
    fs::create_dir(root.join("folder")).unwrap();
    fs::write(root.join("folder/new"), "").unwrap();
    for (setting, found) in [("no", 0), ("normal", 1), ("all", 1)] {
        git(&root, &["config", "status.showUntrackedFiles", setting]);
        assert_eq!(tree(&root).status().unwrap().changes.len(), found, "{setting}");
    }
}

#[test]
fn both_sides_of_a_merge_are_unmerged() {
    let (_folder, root) = repository();
    git(&root, &["switch", "--create", "other"]);
    fs::write(root.join("file"), "other").unwrap();
    commit(&root, "other");
    git(&root, &["switch", "main"]);
    fs::write(root.join("file"), "main").unwrap();
    commit(&root, "main");
    let merge = test_support::git_command(&root).args(["merge", "other"]).output();
    assert!(!merge.unwrap().status.success());
    let status = tree(&root).status().unwrap();
    assert_eq!(changes(&status), [r#""file": None, Some(Unmerged)"#]);
}

#[test]
fn status_counts_commits_ahead_of_and_behind_the_upstream() {
    let (folder, root) = repository();
    git(folder.path(), &["clone", root.to_str().unwrap(), "clone"]);
    let clone = folder.path().join("clone");
    for message in ["theirs", "theirs too"] {
        fs::write(root.join("file"), message).unwrap();
        commit(&root, message);
    }
    fs::write(clone.join("mine"), "").unwrap();
    commit(&clone, "mine: ünïcode\n\nand a body\0".trim_end_matches('\0'));
    git(&clone, &["fetch"]);
    let tree = tree(&clone);
    let upstream = || {
        let upstream = tree.status().unwrap().upstream.unwrap();
        assert_eq!(upstream.name, "origin/main");
        (upstream.is_gone, upstream.ahead, upstream.behind)
    };
    assert_eq!(upstream(), (false, 1, 2));
    let commits = tree.last_commits(2).unwrap();
    let subjects: Vec<&str> = commits.iter().map(|commit| &*commit.subject).collect();
    assert_eq!(subjects, ["mine: ünïcode", "first"]);
    assert_eq!(tree.status().unwrap().commit.as_ref(), Some(&commits[0].id));
    assert_eq!(tree.last_commits(1).unwrap(), commits[..1]);
    git(&clone, &["update-ref", "-d", "refs/remotes/origin/main"]);
    assert_eq!(upstream(), (true, 0, 0));

    git(&clone, &["switch", "--detach"]);
    let status = tree.status().unwrap();
    assert_eq!((status.branch, status.commit), (None, Some(commits[0].id.clone())));
}

#[test]
fn linked_trees_and_submodules_are_separate_trees() {
    let (folder, root) = repository();
    git(&root, &["worktree", "add", "-b", "side", "../linked tree"]);
    let linked = root.with_file_name("linked tree");
    assert_eq!(tree(&linked).root(), linked);
    assert_eq!(tree(&linked).status().unwrap().branch.as_deref(), Some("side"));

    // `git submodule` does not support names with line ends.
    let root = root.with_file_name("outer");
    git(folder.path(), &["clone", linked.to_str().unwrap(), "outer"]);
    git(folder.path(), &["init", "inner"]);
    let inner = folder.path().join("inner");
    fs::write(inner.join("file"), "").unwrap();
    commit(&inner, "inner");
    git(&root, &["submodule", "add", inner.to_str().unwrap(), "module"]);
    commit(&root, "module");
    let module = root.join("module");
    assert_eq!(tree(&module).root(), module);
    fs::write(module.join("file"), "changed").unwrap();
    assert_eq!(tree(&module).status().unwrap().changes.len(), 1);
    assert_eq!(tree(&root).status().unwrap().changes, []);
    commit(&module, "another one");
    let changes = changes(&tree(&root).status().unwrap());
    assert_eq!(changes, [r#""module": None, Some(Modified)"#]);
    assert!(tree(&root).is_tracked("module").unwrap());
}

#[test]
fn is_ignored_and_is_tracked_take_names_literally() {
    let (_folder, root) = repository();
    fs::write(root.join(".gitignore"), "*.log\nbuild/\n").unwrap();
    for name in ["-v", ":(glob)*", "kept.log"] {
        fs::write(root.join(name), "").unwrap();
    }
    git(&root, &["add", "--force", "kept.log"]);
    let tree = tree(&root);
    test_support::lines!("lines/git-names.txt").check(|_, name| {
        let ignored = if tree.is_ignored(name).unwrap() { "ignored" } else { "-" };
        let tracked = if tree.is_tracked(root.join(name)).unwrap() { "tracked" } else { "-" };
        format!("{ignored} {tracked}")
    });
    let outside = tree.is_ignored("/etc/passwd").unwrap_err().to_string();
    outside.starts("`git check-ignore` failed (exit status: 128): fatal: ");
    assert!(tree.is_tracked("/etc/passwd").is_err());
}

/// Writes a program that creates the file `PROGRAM.ran` when it runs.
pub(super) fn program(path: &Path, script: &str) {
    fs::write(path, format!("#!/bin/sh\n: > \"$0.ran\"\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn calls_change_nothing_start_nothing_and_do_not_wait_for_a_lock() {
    let (folder, root) = repository();
    let monitor = folder.path().join("monitor");
    program(&monitor, "exit 1");
    git(&root, &["config", "core.fsmonitor", monitor.to_str().unwrap()]);
    git(&root, &["config", "core.pager", monitor.to_str().unwrap()]);
    git(&root, &["config", "log.showSignature", "true"]);
    let hook = root.join(".git/hooks/post-index-change");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    program(&hook, "");
    touch(&root);
    let index = fs::read(root.join(".git/index")).unwrap();
    fs::write(root.join(".git/index.lock"), "").unwrap();
    let tree = tree(&root);
    assert_eq!(tree.status().unwrap().changes, []);
    assert_eq!(tree.last_commits(1).unwrap().len(), 1);
    assert!(tree.is_tracked("file").unwrap() && !tree.is_ignored("file").unwrap());
    assert_eq!(fs::read(root.join(".git/index")).unwrap(), index);
    for ran in [monitor, hook] {
        assert!(!has_run(&ran), "{}", ran.display());
    }
}

/// Makes the file seem changed until git compares it.
fn touch(root: &Path) {
    let file = fs::File::open(root.join("file")).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
}

fn has_run(program: &Path) -> bool {
    program.with_extension("ran").exists()
}

/// Creates a repository with a file that git has to compare, through the filter `f`.
pub(super) fn filtered() -> (TempDir, PathBuf) {
    let (folder, root) = repository();
    fs::write(root.join(".gitattributes"), "file filter=f\n").unwrap();
    commit(&root, "second");
    touch(&root);
    (folder, root)
}

/// Makes git compare the files, with its normal settings.
pub(super) fn compare(folder: &Path) {
    let mut git = test_support::git_command(folder);
    git.args(["diff", "--quiet"]).output().unwrap();
}

#[test]
fn filters_of_the_repository_do_not_run() {
    for (key, includes) in [("filter.f.clean", false), ("filter.f.process", false), ("filter.f.clean", true)] {
        let (folder, root) = filtered();
        let filter = folder.path().join("filter");
        program(&filter, "exec cat");
        git(&root, &["config", "filter.f.required", "true"]);
        if includes {
            let included = format!("[filter \"f\"]\n\tclean = {}\n", filter.display());
            fs::write(root.join("included"), included).unwrap();
            fs::write(root.join(".git/info/exclude"), "included\n").unwrap();
            git(&root, &["config", "include.path", "../included"]);
        } else {
            git(&root, &["config", key, filter.to_str().unwrap()]);
        }
        assert_eq!(tree(&root).status().unwrap().changes, []);
        assert!(!has_run(&filter), "{key}");
        compare(&root);
        assert!(has_run(&filter), "{key}: git runs it");
    }
}

#[test]
fn a_filter_that_cannot_be_turned_off_is_an_error() {
    let (_folder, root) = filtered();
    git(&root, &["config", "filter.f=f.clean", "false"]);
    let error = tree(&root).status().unwrap_err().to_string();
    error.ends("remove it with `git config --remove-section 'filter.f=f'`");
}

#[test]
fn the_name_of_a_filter_is_quoted_for_a_shell() {
    let (_folder, root) = filtered();
    let name = "a='; : > ran; '";
    git(&root, &["config", &format!("filter.{name}.clean"), "false"]);
    let error = tree(&root).status().unwrap_err().to_string();
    let (_, command) = error.split_once("remove it with `").unwrap();
    let mut shell = process::Command::new("sh");
    shell.args(["-c", command.strip_suffix('`').unwrap()]);
    assert!(shell.current_dir(&root).output().unwrap().status.success());
    assert!(!root.join("ran").exists(), "{error}");
    assert_eq!(tree(&root).status().unwrap().changes, [], "the filter is gone");
    // The name may contain escape sequences for a terminal.
    git(&root, &["config", "filter.a=\u{1b}[2J.clean", "false"]);
    let error = tree(&root).status().unwrap_err().to_string();
    assert!(!error.contains('\u{1b}') && !error.contains("--remove-section"), "{error}");
}

#[test]
fn filters_of_the_user_run_even_if_the_repository_overrides_them() {
    if let Some(root) = folder_of_process() {
        assert_eq!(tree(&root).status().unwrap().changes, []);
        return;
    }
    let (folder, root) = filtered();
    let [own, users] = ["own", "users"].map(|name| folder.path().join(name));
    program(&own, "exec cat");
    program(&users, "exec cat");
    git(&root, &["config", "filter.f.clean", own.to_str().unwrap()]);
    git(&root, &["config", "filter.f.required", "false"]);
    let settings = folder.path().join("settings");
    let filter = format!("[filter \"f\"]\n\tclean = {}\n\trequired\n", users.display());
    fs::write(&settings, filter).unwrap();
    let test = "filters_of_the_user_run_even_if_the_repository_overrides_them";
    run_alone(test, &root, &[("GIT_CONFIG_GLOBAL", &settings)]);
    assert!(has_run(&users));
    assert!(!has_run(&own));
}

#[test]
fn a_bare_repository_in_a_checkout_is_not_used() {
    let (_folder, root) = filtered();
    let filter = root.with_file_name("filter");
    program(&filter, "exec cat");
    git(&root, &["config", "filter.f.clean", filter.to_str().unwrap()]);
    git(&root, &["config", "core.worktree", "tree"]);
    let brought = root.join("brought");
    fs::rename(root.join(".git"), &brought).unwrap();
    fs::create_dir(brought.join("tree")).unwrap();
    for file in [".gitattributes", "file"] {
        fs::rename(root.join(file), brought.join("tree").join(file)).unwrap();
    }
    git(&root, &["init"]);
    for folder in [&brought, &brought.join("tree")] {
        assert!(WorkTree::around(folder).unwrap().is_none(), "{}", folder.display());
    }
    assert!(!has_run(&filter));
    compare(&brought.join("tree"));
    assert!(has_run(&filter), "git uses it, and runs the filter");
}

#[test]
fn a_repository_whose_work_tree_is_elsewhere_is_an_error() {
    let (_folder, root) = repository();
    let (_elsewhere, other) = repository();
    fs::create_dir(root.join("inner")).unwrap();
    git(&root, &["config", "core.worktree", root.to_str().unwrap()]);
    assert_eq!(tree(&root.join("inner")).root(), root);
    git(&root, &["config", "core.worktree", other.to_str().unwrap()]);
    for folder in [&root, &root.join("inner")] {
        let error = WorkTree::around(folder).unwrap_err().to_string();
        error.starts(&format!("git reports that {folder:?} is in the work tree {other:?}, which does not contain it"));
        error.ends("remove it with `git config --unset core.worktree`");
    }
    // A link to the folder is accepted.
    git(&root, &["config", "--unset", "core.worktree"]);
    symlink(&root, other.join("link")).unwrap();
    assert_eq!(tree(&other.join("link/inner")).root(), root);
}

/// The variable with the folder of a test that runs in its own process.
const FOLDER: &str = "HOOKKIT_TEST_GIT_FOLDER";

/// Runs a test of this module in its own process, with these variables.
fn run_alone(test: &str, folder: &Path, variables: &[(&str, &Path)]) {
    let ran = process::Command::new(env::current_exe().unwrap())
        .args(["--exact", &format!("git::tests::{test}")])
        .env(FOLDER, folder)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && output.contains("1 passed"), "{output}");
}

fn folder_of_process() -> Option<PathBuf> {
    env::var_os(FOLDER).map(Into::into)
}

#[test]
fn variables_of_git_are_ignored() {
    if let Some(root) = folder_of_process() {
        let tree = tree(&root);
        assert_eq!(tree.root(), root);
        assert_eq!(tree.last_commits(1).unwrap()[0].subject, "first");
        assert_eq!(tree.status().unwrap().changes, []);
        return;
    }
    let (_folder, root) = repository();
    let (_elsewhere, other) = repository();
    fs::write(other.join("file"), "").unwrap();
    commit(&other, "elsewhere");
    let [folder, index, objects] = ["", "index", "objects"].map(|name| other.join(".git").join(name));
    let folders = [("GIT_DIR", &*folder), ("GIT_WORK_TREE", &other), ("GIT_OBJECT_DIRECTORY", &objects)];
    let others = [("GIT_INDEX_FILE", &*index), ("GIT_CONFIG_PARAMETERS", Path::new("'core.worktree=/'"))];
    run_alone("variables_of_git_are_ignored", &root, &[&folders[..], &others].concat());
}

#[test]
fn without_git_the_error_names_the_program() {
    if let Some(folder) = folder_of_process() {
        let missing = WorkTree::around(folder).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
        assert_eq!(missing.to_string(), "there is no program `git`");
        return;
    }
    let folder = test_support::folder();
    let variables = [("PATH", folder.path())];
    run_alone("without_git_the_error_names_the_program", folder.path(), &variables);
}

#[test]
fn a_slow_git_is_stopped() {
    if let Some(folder) = folder_of_process() {
        let (root, time_limit) = (folder, Duration::from_millis(50));
        let tree = WorkTree { root, time_limit };
        let slow = tree.whole().unwrap_err();
        assert_eq!(slow.kind(), ErrorKind::TimedOut, "{slow}");
        return;
    }
    let folder = test_support::folder();
    program(&folder.path().join("git"), "exec /bin/sleep 60");
    run_alone("a_slow_git_is_stopped", folder.path(), &[("PATH", folder.path())]);
}

#[test]
fn a_truncated_status_is_parsed_up_to_the_end() {
    let whole = b"# branch.oid (initial)\0# stash 3\0\
        1 A. N... 0 100644 100644 0 1 one\0\
        2 R. N... 100644 100644 100644 1 1 R100 to\0from\0\
        9 from another year\0? new\0";
    for length in 0..=whole.len() {
        let status = Status::parse(&whole[..length], true);
        let names = status.changes.iter().map(|change| change.path.to_str().unwrap());
        let names: Vec<_> = names.collect();
        assert!(["one", "to", "new"].starts_with(&names), "{length}: {names:?}");
    }
    assert_eq!(Status::parse(whole, false).changes.len(), 3);
}
