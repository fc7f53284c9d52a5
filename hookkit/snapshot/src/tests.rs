use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, thread};

use test_support::{Has, git, obstacles};

use super::*;

mod bounds;
mod expire;
mod faults;
mod hostile;
mod missed;

/// First line of the tag of a cache folder.
const SIGNED: &str = "Signature: 8a477f597d28d172789f06886806bc55";

fn run(mut git: Command, input: Vec<u8>, _: Duration) -> io::Result<Vec<u8>> {
    git.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = git.spawn()?;
    let mut stdin = child.stdin.take().unwrap();
    // Git may end before it has read everything.
    let writer = thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output()?;
    let _ = writer.join();
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(io::Error::other(String::from_utf8_lossy(&output.stderr))),
    }
}

/// A project, and its store next to it.
struct World {
    folder: tempfile::TempDir,
    bounds: Bounds,
}

impl World {
    fn new() -> Self {
        let world = Self {
            folder: test_support::folder(),
            // No test depends on the speed of the machine.
            bounds: Bounds { seconds: 600, ..Bounds::default() },
        };
        fs::create_dir(world.path("")).unwrap();
        world
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join("project").join(name)
    }

    fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn numbers(&self) -> Vec<u64> {
        self.store().snapshots().unwrap().into_keys().collect()
    }

    fn store_with(&self, run: Run) -> Store {
        Store::new(&self.folder.path().join("snapshots"), &self.path(""), run)
    }

    fn store(&self) -> Store {
        self.store_with(run)
    }

    fn try_keep(&self) -> io::Result<Kept> {
        let call = Call { session: "s".to_owned(), ..Call::default() };
        self.store().keep(&call, &self.bounds)
    }

    fn keep(&self) -> u64 {
        self.try_keep().unwrap().number
    }

    /// Returns the names that a new snapshot leaves out and the earlier ones did not.
    fn left_out(&self) -> Vec<(String, String)> {
        self.try_keep().unwrap().left_out
    }

    /// Returns the files of a snapshot, with their modes and bytes.
    fn files(&self, number: u64) -> BTreeMap<PathBuf, (Option<u32>, Vec<u8>)> {
        let store = self.store();
        let files = store.files(number).unwrap();
        let ids: Vec<&str> = files.values().map(|content| &*content.id).collect();
        let contents = store.contents(&ids).unwrap();
        let file = |((path, content), bytes): ((&PathBuf, &Content), Vec<u8>)| {
            assert_eq!(content.size, bytes.len() as u64);
            (path.clone(), (content.mode, bytes))
        };
        files.iter().zip(contents).map(file).collect()
    }

    /// Returns the current files of the project, in the same form.
    fn present(&self) -> BTreeMap<PathBuf, (Option<u32>, Vec<u8>)> {
        let mut present = BTreeMap::new();
        let mut folders = vec![self.path("")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let metadata = fs::symlink_metadata(&path).unwrap();
                let name = path.strip_prefix(self.path("")).unwrap().to_owned();
                if path.ends_with(".git") {
                } else if metadata.is_dir() {
                    folders.push(path);
                } else if metadata.is_symlink() {
                    let target = fs::read_link(&path).unwrap();
                    present.insert(name, (None, target.as_os_str().as_bytes().to_vec()));
                } else {
                    let mode = metadata.permissions().mode() & 0o7777;
                    present.insert(name, (Some(mode), fs::read(&path).unwrap()));
                }
            }
        }
        present
    }
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn files_and_links_of_all_kinds_are_kept_with_bytes_and_modes() {
    let world = World::new();
    git(world.path(""), &["init", "-q"]);
    world.write("tracked.txt", "one\r\ntwo\n");
    git(world.path(""), &["add", "."]);
    git(world.path(""), &["commit", "-q", "-m", "One"]);
    world.write(".gitignore", "*.db\n");
    world.write("ignored.db", b"\0\xff\0");
    world.write("empty", "");
    for (name, mode) in [("run.sh", 0o755), ("secret", 0o600), ("read-only", 0o444), ("sticky", 0o4711)] {
        chmod(&world.write(name, name), mode);
    }
    for name in
        [&b"a\"b\\c\nd\te"[..], b"\xff\xfe", b" ", "\u{e4}/\u{f6}".as_bytes(), b"-x", b"CON", b"git~1", b".gitmodules"]
    {
        world.write(OsStr::from_bytes(name), name);
    }
    symlink("/nowhere/\u{e4}", world.path("dangling")).unwrap();
    symlink(".", world.path("loop")).unwrap();
    // A nested repository, a submodule, a linked work tree and a bare repository.
    for nested in ["nested", "lib/sub"] {
        fs::create_dir_all(world.path(nested)).unwrap();
        git(world.path(nested), &["init", "-q"]);
        world.write(Path::new(nested).join("file"), "nested");
    }
    git(world.path(""), &["worktree", "add", "-q", "--detach", "linked"]);
    fs::create_dir(world.path("bare")).unwrap();
    git(world.path("bare"), &["init", "-q", "--bare"]);
    let number = world.keep();
    assert_eq!(world.files(number), world.present());
    assert!(world.present().len() > 20);
    assert_eq!(world.store().left_out(number).unwrap(), "");

    // Each kind becomes a different one.
    fs::remove_file(world.path("tracked.txt")).unwrap();
    world.write("tracked.txt/inner", "folder");
    fs::remove_dir_all(world.path("nested")).unwrap();
    world.write("nested", "file");
    fs::remove_file(world.path("loop")).unwrap();
    world.write("loop", ".");
    chmod(&world.path("run.sh"), 0o644);
    fs::rename(world.path("secret"), world.path("renamed")).unwrap();
    let before = world.files(number);
    let next = world.keep();
    assert_eq!(next, number + 1);
    assert_eq!(world.files(next), world.present());
    assert_eq!(world.files(number), before);
    let changed = world.store().changed(number, next).unwrap();
    let names: Vec<&str> = changed.iter().map(|path| path.to_str().unwrap()).collect();
    assert_eq!(
        names,
        ["loop", "nested", "nested/file", "renamed", "run.sh", "secret", "tracked.txt", "tracked.txt/inner"]
    );
}

#[test]
fn git_does_not_run_where_nothing_has_changed() {
    fn never(_: Command, _: Vec<u8>, _: Duration) -> io::Result<Vec<u8>> {
        Err(io::Error::other("git runs"))
    }
    let world = World::new();
    world.write("a", "1");
    world.keep();
    // The file system's clock advances meanwhile.
    thread::sleep(Duration::from_millis(50));
    let number = world.keep();
    let rows = || world.store().rows().unwrap();
    for calls in 1..3 {
        let before = rows().len();
        let kept = world.store_with(never).keep(&Call::default(), &world.bounds).unwrap();
        assert_eq!((kept.number, rows().len()), (number, before + 1), "{calls}");
    }
    assert_eq!(rows().last().unwrap().call().unwrap().number, number);
    assert!(world.numbers().len() <= 2);
    chmod(&world.path("a"), 0o600);
    assert!(world.store_with(never).keep(&Call::default(), &world.bounds).is_err());
}

#[test]
fn a_file_that_changes_at_the_same_moment_with_the_same_length_is_read_again() {
    let world = World::new();
    for content in b'a'..=b'z' {
        world.write("file", [content]);
        let number = world.keep();
        assert_eq!(world.files(number)[Path::new("file")].1, [content]);
    }
}

#[test]
fn an_index_has_names_in_the_order_of_the_walk() {
    fn names(store: &Store) -> Vec<Vec<u8>> {
        let index = fs::read(store.path("index")).unwrap();
        let mut entries = index.splitn(2, |byte| *byte == b'\n').nth(1).unwrap();
        std::iter::from_fn(|| Some(walk::Entry::next(&mut entries)?.path.to_owned())).collect()
    }
    let world = World::new();
    for number in 0..100 {
        world.write(format!("{}/{number}", number % 7), vec![0; 100 - number]);
    }
    world.keep();
    for number in (0..100).step_by(9) {
        world.write(format!("{}/{number}", number % 7), "changed");
        fs::remove_file(world.path(format!("{}/{}", (number + 1) % 7, number + 1))).unwrap_or_default();
        world.write(format!("{}/new{number}", number % 7), "new");
        world.keep();
    }
    let other = Store::new(&world.folder.path().join("others"), &world.path(""), run);
    other.keep(&Call::default(), &world.bounds).unwrap();
    assert_eq!(names(&world.store()), names(&other));
}

#[test]
fn the_installed_hooks_are_left_out() {
    let world = World::new();
    for folder in [".claude/hookkit", ".codex/hookkit", ".github/hooks/hookkit", ".opencode/plugin/hookkit"] {
        world.write(format!("{folder}/acme/bin/guard"), "1");
    }
    world.write(".github/hooks/hookkit.json", "{}");
    let last = world.keep();
    assert_eq!(world.files(last).into_keys().collect::<Vec<_>>(), [Path::new(".github/hooks/hookkit.json")]);
}

#[test]
fn each_change_in_a_large_project_is_found() {
    let world = World::new();
    for number in 0..5000 {
        let depth = "a/b/c/d/e/f/".get(..number % 7 * 2).unwrap();
        world.write(format!("{depth}{}/{number}", number % 40), "1");
    }
    world.write("a/out/CACHEDIR.TAG", SIGNED);
    world.keep();
    thread::sleep(Duration::from_millis(50));
    let before = world.keep();
    for round in 0..20 {
        let changed = [format!("a/b/c/d/{round}/new"), format!("a/b/{round}/new"), format!("new{round}")];
        changed.iter().for_each(|name| drop(world.write(name, "1")));
        let last = world.keep();
        let found = world.store().changed(before, last).unwrap();
        assert!(changed.iter().all(|name| found.contains(Path::new(name))), "{found:?}");
        assert_eq!(found.len(), 3 * (round + 1));
    }
    fs::remove_dir_all(world.path("a/b")).unwrap();
    let last = world.keep();
    assert_eq!(world.files(last), world.present().into_iter().filter(|(path, _)| !path.starts_with("a/out")).collect());
}

#[test]
fn the_repository_of_the_user_is_as_before_and_a_mirror_has_nothing_of_it() {
    let world = World::new();
    let root = world.path("");
    git(&root, &["init", "-q"]);
    world.write("a", "1");
    git(&root, &["add", "."]);
    git(&root, &["commit", "-q", "-m", "One"]);
    world.write("a", "2");
    git(&root, &["stash", "-q"]);
    world.write("a", "3");
    world.write("untracked", "only here");
    git(&root, &["status", "--porcelain"]);
    let before = obstacles::state(&root).unwrap();
    for content in ["4", "5"] {
        world.keep();
        world.write("a", content);
    }
    world.write("a", "3");
    let mut after = obstacles::state(&root).unwrap();
    after.insert(root.join("a"), before[&root.join("a")].clone());
    assert_eq!(after, before);
    let mirror = world.folder.path().join("mirror");
    fs::create_dir(&mirror).unwrap();
    git(&mirror, &["init", "-q", "--bare"]);
    git(&root, &["push", "-q", "--mirror", mirror.to_str().unwrap()]);
    git(&mirror, &["for-each-ref"]).lacks("snapshots");
    let objects = git(&mirror, &["cat-file", "--batch-all-objects", "--batch"]);
    objects.lacks("only here");
}

#[test]
fn the_work_tree_around_a_project_is_kept_unless_it_contains_the_home_folder() {
    let folder = test_support::folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("tree/sub")).unwrap();
    fs::create_dir(at("tree/.git")).unwrap();
    fs::create_dir_all(at("home/.git")).unwrap();
    fs::create_dir_all(at("home/project")).unwrap();
    let of = |name: &str| root(&at(name), Some(&at("home"))).unwrap();
    assert_eq!(of("tree/sub"), Some(at("tree")));
    assert_eq!(of("home/project"), Some(at("home/project")));
    assert_eq!(of("home"), None);
    assert_eq!(of(""), None);
    assert!(root(&at("missing"), None).is_err());
}
