//! A guard of `install --everywhere`, in each place of a monorepo where a session can start.

use hookkit_tests::prelude::*;
use test_support::git;

/// The packages, with their manifests.
const PACKAGES: [(&str, &str); 6] = [
    ("engine", "Cargo.toml"),
    ("engine/bindings", "Cargo.toml"),
    ("services/api", "go.mod"),
    ("services/jobs", "pyproject.toml"),
    ("web/app", "package.json"),
    ("web/shared", "package.json"),
];

/// A repository of packages, with a linked worktree and a repository within it.
struct Monorepo {
    outer: Project,
}

impl Monorepo {
    fn new() -> Result<Self> {
        let outer = Project::new()?;
        for (folder, manifest) in PACKAGES {
            outer.write(&format!("main/{folder}/{manifest}"), "")?;
        }
        // What its authors have there stays.
        outer.write("main/web/app/.claude/settings.json", "{\"model\": \"opus\"}")?;
        outer.write("main/.gitignore", "/nested\n")?;
        outer.write("main/nested/lib/README.md", "")?;
        for folder in ["main", "main/nested"] {
            git(outer.path().join(folder), &["init", "--quiet", "--template="]);
            Self::commit(&outer, folder);
        }
        Ok(Self { outer })
    }

    fn commit(outer: &Project, folder: &str) {
        git(outer.path().join(folder), &["add", "--all"]);
        git(outer.path().join(folder), &["commit", "--quiet", "--message", "work"]);
    }

    fn link(&self) {
        git(self.path("main"), &["worktree", "add", "--quiet", "--detach", "../linked"]);
    }

    fn path(&self, folder: &str) -> PathBuf {
        self.outer.path().join(folder)
    }

    /// Every file, with its content.
    fn files(&self) -> Result<BTreeMap<PathBuf, Option<Vec<u8>>>> {
        let (mut files, mut folders) = (BTreeMap::new(), vec![self.path("main")]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.ends_with(".git") {
                    continue;
                }
                match path.is_dir() {
                    true => {
                        folders.push(path.clone());
                        files.insert(path, None);
                    }
                    false => drop(files.insert(path.clone(), Some(fs::read(&path)?))),
                }
            }
        }
        Ok(files)
    }

    /// Checks that a session in each of these folders is denied what the guard denies, and nothing else.
    fn ensure_guarded(&self, client: &Path, folders: &[&str]) -> Result<()> {
        parallel::each(2, folders, |folder| {
            let outcome = Session::new(client, &self.path(folder))
                .within(self.outer.path())
                .allow(&["Bash"])
                .turn(Turn::bash("git push --force nowhere"))
                .turn(Turn::bash("echo this ran"))
                .go()?;
            let results = outcome.tool_results();
            ensure!(
                results[0].contains("overwrites what others may have pushed") && results[1].contains("this ran"),
                "{folder}: {results:?}"
            );
            Ok(())
        })
    }
}

#[test]
fn a_guard_of_a_monorepo_denies_wherever_a_session_starts() -> Result<()> {
    let client = client::require("a_guard_of_a_monorepo_denies_wherever_a_session_starts");
    let monorepo = Monorepo::new()?;
    let (root, before) = (monorepo.path("main"), monorepo.files()?);
    let project = ["--project", text(&root)?];
    let everywhere = ["install", "--everywhere", "--hook", "deny-destruction"];
    // A package that has them by itself is not taken over.
    let app = monorepo.path("main/web/app");
    let of_app = ["--project", text(&app)?];
    let arguments = [&["install", "--hook", "deny-destruction"], &of_app[..]].concat();
    xtask_ok(repository(), &arguments)?;
    refused(repository(), &[&everywhere[..], &project].concat())?.has("from another install");
    assert!(!monorepo.outer.exists("main/.claude"));
    xtask_ok(repository(), &[&["uninstall"], &of_app[..]].concat())?;
    xtask_ok(repository(), &[&everywhere[..], &project].concat())?;

    let folders: Vec<String> = PACKAGES.iter().map(|(folder, _)| format!("main/{folder}")).collect();
    let in_packages: Vec<&str> = folders.iter().map(String::as_str).collect();
    let lists = |folder: &str| -> Result<String> {
        let printed = xtask_ok(repository(), &["list", "--project", text(&monorepo.path(folder))?])?;
        let guard = printed.split("\ndeny-destruction\n").nth(1).unwrap_or_default();
        Ok(guard.split("\n\n").next().unwrap_or_default().to_owned())
    };
    for folder in [&["main", "main/nested"], &in_packages[..]].concat() {
        assert!(lists(folder)?.contains(": installed"), "{folder}: {}", lists(folder)?);
    }
    Monorepo::commit(&monorepo.outer, "main");
    monorepo.link();
    if let Some(client) = &client {
        let others = ["main/nested", "main/nested/lib", "linked/services/api", "linked"];
        monorepo.ensure_guarded(client, &[&in_packages[..], &others].concat())?;
    }
    // doctor finds all of them in each package, and the lock file agrees.
    let doctor = xtask_ok(repository(), &[&["doctor"], &project[..]].concat())?;
    doctor.lacks("fewer-hooks");
    doctor.has("Nothing to fix");
    xtask_ok(repository(), &[&["sync", "--check"], &project[..]].concat())?;
    xtask_ok(repository(), &[&["install", "--check"], &project[..]].concat())?;

    // A package that is new is reported, and one more install covers it.
    monorepo.outer.write("main/web/admin/package.json", "")?;
    let doctor = xtask(repository(), &[&["doctor"], &project[..]].concat())?;
    str::from_utf8(&doctor.stdout)?.has("`web/admin/` has 0 of the project's 1 hook");
    xtask_ok(repository(), &[&everywhere[..], &project].concat())?;
    assert!(lists("main/web/admin")?.contains(": installed"));

    xtask_ok(repository(), &[&["uninstall"], &project[..]].concat())?;
    fs::remove_dir_all(root.join("web/admin"))?;
    assert_eq!(monorepo.files()?, before);
    Ok(())
}

#[test]
fn a_guard_of_ones_own_denies_wherever_a_session_starts() -> Result<()> {
    let client = client::require("a_guard_of_ones_own_denies_wherever_a_session_starts");
    let monorepo = Monorepo::new()?;
    let (root, before) = (monorepo.path("main"), monorepo.files()?);
    let local = ["--scope", "local", "--project", text(&root)?];
    let arguments = [&["install", "--everywhere", "--hook", "deny-destruction"], &local[..]].concat();
    xtask_ok(repository(), &arguments)?;
    let holds = !monorepo.outer.exists("main/engine/.claude");
    assert!(holds, "its sessions read the root's");
    monorepo.link();
    if let Some(client) = &client {
        let folders = ["main", "main/engine/bindings", "main/nested/lib", "linked/web/app"];
        monorepo.ensure_guarded(client, &folders)?;
    }
    xtask_ok(repository(), &[&["uninstall"], &local[..]].concat())?;
    assert_eq!(monorepo.files()?, before);
    Ok(())
}
