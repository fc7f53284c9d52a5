use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use hookkit::{Context, Environment};
use tempfile::TempDir;

use crate::destructive::{Allowed, Severity, judge};

fn git(folder: &Path, arguments: &[&str]) {
    test_support::git(folder, arguments);
}

/// A project with files that git has as they are, changed ones, and new ones; and a link to it.
fn project() -> (TempDir, [PathBuf; 2]) {
    let folder = test_support::folder();
    let project = folder.path().join("project");
    for folder in ["src/old", "docs", "scratch", "target"] {
        fs::create_dir_all(project.join(folder)).unwrap();
    }
    git(&project, &["init", "--quiet", "--initial-branch", "current"]);
    fs::write(project.join(".gitignore"), "target\n").unwrap();
    for file in [
        "src/clean.rs", "src/changed.rs", "src/old/gone.rs", "docs/a.md", "staged.rs",
    ] {
        fs::write(project.join(file), "one").unwrap();
    }
    git(&project, &["add", "."]);
    git(&project, &["commit", "--quiet", "--message", "one"]);
    git(&project, &["branch", "other"]);
    for file in ["src/changed.rs", "staged.rs"] {
        fs::write(project.join(file), "two").unwrap();
    }
    git(&project, &["add", "staged.rs"]);
    fs::remove_file(project.join("src/old/gone.rs")).unwrap();
    for file in ["new.rs", "docs/new.md", "scratch/a", "target/a"] {
        fs::write(project.join(file), "two").unwrap();
    }
    let link = folder.path().join("link");
    symlink(&project, &link).unwrap();
    (folder, [project, link])
}

/// Asserts which of these lines are asked about, in the project by its own name and by a link.
fn assert_asked(lines: &[(&str, bool)]) {
    let (_folder, roots) = project();
    for root in roots {
        let mut context = Context::default();
        context.cwd.clone_from(&root);
        context.project_dir = root;
        for (line, is_asked) in lines {
            let danger = judge(line, &context, Environment::default(), &Allowed::default());
            let severity = danger.map(|danger| danger.severity);
            assert_eq!(severity, is_asked.then_some(Severity::Ask), "{line}");
        }
    }
}

#[test]
fn files_that_git_has_as_they_are_may_be_replaced() {
    assert_asked(&[
        ("git checkout -- src/clean.rs", false),
        ("git checkout HEAD -- src/clean.rs", false),
        ("git checkout HEAD src/clean.rs", false),
        ("git checkout src/clean.rs", false),
        ("git restore src/clean.rs", false),
        ("git rm -f src/clean.rs", false),
        ("cd src && git restore clean.rs", false),
        ("cd src; git restore clean.rs", true),
        ("cd src && git restore changed.rs", true),
        ("git checkout -- src/changed.rs", true),
        ("git checkout src/changed.rs", true),
        ("git restore src/clean.rs src/changed.rs", true),
        ("git restore src", true),
        ("git restore staged.rs", true),
        ("git restore --staged staged.rs", false),
        ("git checkout HEAD -- new.rs", true),
        ("git checkout HEAD -- none.rs", true),
        ("git checkout main", false),
        ("git rm -f staged.rs", true),
        ("git branch -M other", true),
        ("git branch -m -f old other", true),
        ("git branch -M current", false),
        ("git branch -M new", false),
        ("git mv -f src/clean.rs src/changed.rs", true),
        ("git mv -f src/clean.rs docs/a.md", false),
        ("git mv -f src/clean.rs none.rs", false),
    ]);
}

#[test]
fn changes_that_git_does_not_have_are_asked_about_before_they_are_deleted() {
    assert_asked(&[
        ("rm -rf src", true),
        ("rm -rf ./src/", true),
        ("rm -rf src/*", true),
        ("rm src/*.rs", true),
        ("rm -f src/changed.rs", true),
        ("rm sr?/ch*d.rs", true),
        ("cd src && rm changed.rs", true),
        ("d=src; rm -rf \"$d\"", true),
        ("unlink src/changed.rs", true),
        ("truncate -s 0 src/changed.rs", true),
        ("cp /dev/null src/changed.rs", true),
        ("> src/changed.rs", true),
        (": > src/changed.rs", true),
        ("sort src/changed.rs > src/changed.rs", true),
        ("sort src/clean.rs > src/clean.rs", false),
        ("find src -type f -delete", true),
        ("find . -name '*.rs' -delete", true),
        ("find -name 'ch*.rs' -exec rm {} +", true),
        ("find src docs -name '*.md' -o -name '*.rs' -delete", true),
        // Of this folder git has other files.
        ("rm -rf docs", true),
        ("rm -rf docs/*", true),
        ("cd docs && rm -rf *", true),
        ("rm -rf \"$PWD\"/sr*", true),
        ("rm -rf ../*/sr*", false),
        ("git add -A && rm -rf src", false),
        ("git commit -am x && rm -rf src", false),
        ("rm docs/new.md new.rs", false),
        ("rm -rf scratch target", false),
        ("rm -rf src/old", false),
        ("rm src/clean.rs docs/a.md", false),
        ("rm -f staged.rs", false),
        ("rm -rf none 'src/*'", false),
        ("rm \"$file\"", false),
        ("find . -name '*.pyc' -delete", false),
        ("find . -not -name '*.rs' -name '*.md' -delete", false),
        ("find . -path './target/*' -delete", false),
        ("find target -delete", false),
        ("echo two > src/changed.rs", false),
        ("python3 -c \"open('src/changed.rs', 'w')\"", true),
        ("python3 -c \"open('src/changed.rs', 'w').write(x)\"", false),
        ("node -e \"fs.writeFileSync('src/changed.rs', '')\"", true),
        ("node -e \"fs.writeFileSync('src/changed.rs', x)\"", false),
        ("python3 -c \"Path('src/changed.rs').write_text('')\"", true),
        ("python3 -c \"Path('src/changed.rs').write_text(x)\"", false),
        ("python3 -c \"Path('src/changed.rs').unlink()\"", true),
        ("awk '{print > \"src/changed.rs\"}' x", false),
    ]);
}

#[test]
fn a_merge_is_called_off_where_nothing_was_resolved() {
    let (_folder, [project, _]) = project();
    let mut context = Context::default();
    context.project_dir = project.clone();
    context.cwd = project.clone();
    let severity = || {
        let line = "git merge other || git merge --abort";
        judge(line, &context, Environment::default(), &Allowed::default()).map(|danger| danger.severity)
    };
    assert_eq!(severity(), None);
    fs::write(project.join(".git/MERGE_HEAD"), "").unwrap();
    assert_eq!(severity(), Some(Severity::Ask));
}
