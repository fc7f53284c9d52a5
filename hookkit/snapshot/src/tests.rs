use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{env, thread};

use test_support::{Has, git, obstacles};

use super::*;

/// Environment variable with the step at which a process aborts, and the folder of the test.
const DIES_AT: &str = "HOOKKIT_TEST_DIES_AT";
const FOLDER: &str = "HOOKKIT_TEST_FOLDER";

/// Counts a step, and aborts the process if the variable says so.
pub(crate) fn step(name: &str) {
    static DIES_AT_STEP: LazyLock<Option<usize>> = LazyLock::new(|| env::var(DIES_AT).ok()?.parse().ok());
    static DONE: AtomicUsize = AtomicUsize::new(0);
    if Some(DONE.fetch_add(1, Ordering::Relaxed)) == *DIES_AT_STEP {
        eprintln!("dies at: {name}");
        std::process::abort();
    }
}

fn run(mut git: Command, input: Vec<u8>, _: Duration) -> io::Result<Vec<u8>> {
    git.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = git.spawn()?;
    let mut stdin = child.stdin.take().unwrap();
    // It may end before it has read all.
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
            bounds: Bounds::default(),
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
        let call = Call {
            session: "s".to_owned(),
            ..Call::default()
        };
        self.store().keep(&call, &self.bounds)
    }

    fn keep(&self) -> u64 {
        self.try_keep().unwrap().number
    }

    /// Returns the names that a new snapshot leaves out, which those before it did not.
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

    /// Returns the files of the project in the same form.
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
    for (name, mode) in [
        ("run.sh", 0o755),
        ("secret", 0o600),
        ("read-only", 0o444),
        ("sticky", 0o4711),
    ] {
        chmod(&world.write(name, name), mode);
    }
    for name in [
        &b"a\"b\\c\nd\te"[..],
        b"\xff\xfe",
        b" ",
        "\u{e4}/\u{f6}".as_bytes(),
        b"-x",
        b"CON",
        b"git~1",
        b".gitmodules",
    ] {
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

    // Each kind becomes another one.
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
        [
            "loop", "nested", "nested/file", "renamed", "run.sh", "secret", "tracked.txt", "tracked.txt/inner"
        ]
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
    // The clock of the file system advances meanwhile.
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
fn what_exceeds_a_bound_is_left_out_and_named_once() {
    let mut world = World::new();
    world.write("small", "1");
    world.write("large", [0; 2000]);
    world.write("node_modules/a/index.js", "1");
    world.write("out/CACHEDIR.TAG", "");
    world.write("out/cached", "1");
    world.write("sub/.GIT/config", "1");
    assert!(
        Command::new("mkfifo")
            .arg(world.path("pipe"))
            .status()
            .unwrap()
            .success()
    );
    world.bounds.file = 1000;
    let reasons = world.left_out();
    let expected = [
        ("large", "larger than the limit `file`"),
        ("node_modules", "in the list `left_out`"),
        ("out", "a cache, by its CACHEDIR.TAG"),
        ("pipe", "a pipe, a socket or a device"),
        ("sub/.GIT", "git's own on some systems"),
    ];
    assert_eq!(reasons, expected.map(|(name, why)| (name.to_owned(), why.to_owned())));
    let number = world.keep();
    assert_eq!(world.store().left_out(number).unwrap().lines().count(), 5);
    assert_eq!(
        world.files(number).into_keys().collect::<Vec<_>>(),
        [Path::new("small")]
    );
    // A file that grows is named, and the snapshot does not have it.
    world.write("small", [0; 1001]);
    assert_eq!(world.left_out().len(), 1);
    let number = world.keep();
    assert_eq!(world.files(number), BTreeMap::new());
    world.bounds.file = 3000;
    assert_eq!(world.left_out(), []);
    let number = world.keep();
    assert_eq!(world.files(number).len(), 2);
    world.bounds.files = 1;
    let error = world.try_keep().unwrap_err().to_string();
    assert_eq!(error, "there are more files than the limit `files`");
}

#[test]
fn each_change_in_a_large_project_is_found() {
    let world = World::new();
    for number in 0..5000 {
        let depth = "a/b/c/d/e/f/".get(..number % 7 * 2).unwrap();
        world.write(format!("{depth}{}/{number}", number % 40), "1");
    }
    world.write("a/out/CACHEDIR.TAG", "");
    world.keep();
    thread::sleep(Duration::from_millis(50));
    let before = world.keep();
    for round in 0..20 {
        let changed = [
            format!("a/b/c/d/{round}/new"),
            format!("a/b/{round}/new"),
            format!("new{round}"),
        ];
        changed.iter().for_each(|name| drop(world.write(name, "1")));
        let last = world.keep();
        let found = world.store().changed(before, last).unwrap();
        assert!(changed.iter().all(|name| found.contains(Path::new(name))), "{found:?}");
        assert_eq!(found.len(), 3 * (round + 1));
    }
    fs::remove_dir_all(world.path("a/b")).unwrap();
    let last = world.keep();
    assert_eq!(
        world.files(last),
        world
            .present()
            .into_iter()
            .filter(|(path, _)| !path.starts_with("a/out"))
            .collect()
    );
}

#[test]
fn what_is_too_much_for_one_snapshot_is_kept_by_the_next_ones() {
    let mut world = World::new();
    for number in 0..10 {
        world.write(format!("{number}"), vec![number; 100 + usize::from(number)]);
    }
    world.bounds.snapshot = 9400;
    let mut named = BTreeSet::new();
    let mut found = Vec::new();
    for _ in 0..4 {
        // What was written just before a snapshot is read again.
        thread::sleep(Duration::from_millis(50));
        let kept = world.try_keep().unwrap();
        named.extend(kept.left_out.into_iter().map(|(name, _)| name));
        found.push(world.files(kept.number).len());
    }
    // The smallest come first.
    assert_eq!(found, [3, 6, 9, 10]);
    assert_eq!(named.len(), 7);
    assert_eq!(world.left_out(), []);
}

#[test]
fn after_a_snapshot_that_was_late_less_is_tried_until_all_is_kept() {
    fn slow(git: Command, input: Vec<u8>, limit: Duration) -> io::Result<Vec<u8>> {
        match input.len() > 20_000 {
            true => Err(ErrorKind::TimedOut.into()),
            false => run(git, input, limit),
        }
    }
    let mut world = World::new();
    for number in 0..20 {
        world.write(format!("{number}"), vec![number; 2000]);
    }
    world.bounds.snapshot = 200_000;
    let store = world.store_with(slow);
    let kept: Vec<_> = (0..20).map(|_| store.keep(&Call::default(), &world.bounds)).collect();
    assert_eq!(kept[0].as_ref().unwrap_err().kind(), ErrorKind::TimedOut);
    let last = kept.last().unwrap().as_ref().unwrap().number;
    assert_eq!(world.files(last), world.present());
    assert!(world.numbers().len() > 2);
}

#[test]
fn a_full_store_takes_no_snapshot_and_half_of_it_expires() {
    let mut world = World::new();
    for content in 1..=8 {
        world.write("file", vec![content; 1000]);
        world.keep();
    }
    world.bounds.store = 10;
    world.write("file", "9");
    let error = world.try_keep().unwrap_err().to_string();
    error.has("`cargo xtask snapshots prune`");
    // The bounds are those of the last snapshot.
    world.bounds.store = u64::MAX;
    let last = world.keep();
    assert_eq!(world.store().expire().unwrap(), 0);
    world.bounds.snapshots = 3;
    world.write("file", "10");
    assert_eq!(world.keep(), last + 1);
    let garbage = world.store().git().join("objects/pack/tmp_pack_x");
    fs::write(&garbage, "of a git that was killed").unwrap();
    assert_eq!(world.store().expire().unwrap(), 7);
    assert!(!garbage.exists());
    let numbers = world.numbers();
    assert_eq!(numbers, [last - 1, last, last + 1]);
    assert_eq!(world.files(numbers[0])[Path::new("file")].1, vec![8; 1000]);
    let rows = world.store().rows().unwrap();
    assert!(rows.iter().all(|row| row.number() >= numbers[0]), "{rows:?}");
    // All are too old, and the last one stays.
    world.bounds.days = 0;
    world.write("file", "11");
    let last = world.keep();
    world.store().expire().unwrap();
    assert_eq!(world.numbers(), [last]);
    world.write("file", "12");
    let next = world.keep();
    assert_eq!(world.files(next).len(), 1);
    world.store().clear().unwrap();
    assert!(!world.store().exists());
    assert_eq!(world.keep(), 1);
    // A person's command takes one, so that files of a full store can be restored.
    world.bounds.store = 10;
    world.write("file", "13");
    assert!(world.try_keep().is_err());
    let number = world.store().keep(&Call::default(), &world.bounds).unwrap().number;
    assert_eq!(world.files(number), world.present());
}

#[test]
fn stores_of_projects_that_are_not_used_any_more_are_removed() {
    let world = World::new();
    let stores = world.folder.path().join("snapshots");
    let other = |name: &str, days: u64| {
        let root = world.write(format!("{name}/file"), name);
        let store = Store::new(&stores, root.parent().unwrap(), run);
        store.keep(&Call::default(), &world.bounds).unwrap();
        let log = File::options().append(true).open(store.path("calls.jsonl")).unwrap();
        let ago = Duration::from_secs(days * 24 * 60 * 60);
        log.set_modified(std::time::SystemTime::now() - ago).unwrap();
        store
    };
    let [used, unused, locked] = [("used", 27), ("unused", 29), ("locked", 29)].map(|(name, days)| other(name, days));
    let lock = File::open(locked.path("lock")).unwrap();
    lock.lock().unwrap();
    other("own", 29).remove_unused().unwrap();
    assert!(used.exists() && locked.exists() && !unused.exists());
    assert_eq!(fs::read_dir(&stores).unwrap().count(), 3);
}

#[test]
fn a_checkout_starts_nothing_and_reaches_nothing() {
    let world = World::new();
    let (root, outside) = (world.path(""), world.folder.path().join("outside"));
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "outside").unwrap();
    let ran = world.folder.path().join("ran");
    let evil = world.write("evil", format!("#!/bin/sh\ntouch {}\ncat\n", ran.display()));
    chmod(&evil, 0o755);
    git(&root, &["init", "-q"]);
    world.write(
        ".gitattributes",
        "* filter=f ident text eol=crlf working-tree-encoding=UTF-16\n",
    );
    let program = evil.to_str().unwrap();
    for key in [
        "filter.f.clean", "filter.f.process", "core.fsmonitor", "core.pager", "diff.external",
    ] {
        git(&root, &["config", key, program]);
    }
    for hook in [
        "reference-transaction", "post-index-change", "pre-commit", "post-commit",
    ] {
        fs::create_dir_all(root.join(".git/hooks")).unwrap();
        fs::copy(&evil, root.join(".git/hooks").join(hook)).unwrap();
    }
    world.write(".gitmodules", "[submodule \"x\"]\n\tpath = sub\n\turl = ext::evil\n");
    world.write("file", "$Id$\r\none\n");
    for obstacle in [
        "a link to a folder outside", "a link to a file outside", "a link to /dev/zero", "a link to itself",
    ] {
        obstacles::put(&world.path(obstacle), obstacle, &outside).unwrap();
    }
    let before = obstacles::state(&root).unwrap();
    let number = world.keep();
    world.keep();
    assert_eq!(world.files(number), world.present());
    assert_eq!(obstacles::state(&root).unwrap(), before);
    assert!(!ran.exists());
    let text = format!("{:?}", world.files(number));
    text.lacks("\"outside\"");
}

#[test]
fn a_folder_that_becomes_a_link_while_it_is_read_is_not_followed() {
    let world = World::new();
    world.write("folder/file", "inside");
    let outside = world.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "outside").unwrap();
    let is_over = AtomicUsize::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let (folder, aside) = (world.path("folder"), world.path("aside"));
            while is_over.load(Ordering::Relaxed) == 0 {
                fs::rename(&folder, &aside).unwrap();
                symlink(&outside, &folder).unwrap();
                fs::remove_file(&folder).unwrap();
                fs::rename(&aside, &folder).unwrap();
            }
        });
        for _ in 0..30 {
            let number = world.keep();
            for (path, (mode, bytes)) in world.files(number) {
                assert!(mode.is_none() || bytes == b"inside", "{}", path.display());
            }
        }
        is_over.store(1, Ordering::Relaxed);
    });
}

#[test]
fn a_file_that_is_removed_while_it_is_read_is_not_there() {
    let world = World::new();
    let is_over = AtomicUsize::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while is_over.load(Ordering::Relaxed) == 0 {
                (0..20).for_each(|number| drop(world.write(format!("{number}/file"), "1")));
                (0..20).for_each(|number| fs::remove_dir_all(world.path(number.to_string())).unwrap());
            }
        });
        let kept = (0..1000).map(|_| world.try_keep());
        let kept: io::Result<Vec<_>> = kept
            .take_while(|kept| kept.as_ref().ok().is_none_or(|kept| kept.number < 60))
            .collect();
        is_over.store(1, Ordering::Relaxed);
        let left_out: Vec<_> = kept.unwrap().into_iter().flat_map(|kept| kept.left_out).collect();
        assert_eq!(left_out, []);
    });
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
fn processes_at_the_same_time_take_snapshots_one_after_the_other() {
    let world = World::new();
    thread::scope(|scope| {
        for thread in 0..4 {
            let world = &world;
            scope.spawn(move || {
                for round in 0..5 {
                    world.write(format!("{thread}"), format!("{round}"));
                    let number = world.keep();
                    let kept = world.files(number)[Path::new(&format!("{thread}"))].1.clone();
                    assert_eq!(kept, format!("{round}").into_bytes());
                }
            });
        }
    });
    let rows = world.store().rows().unwrap();
    let calls: Vec<u64> = rows.iter().filter_map(Row::call).map(|call| call.number).collect();
    assert_eq!(calls.len(), 20);
    assert!(calls.is_sorted(), "{calls:?}");
}

#[test]
fn a_lock_is_not_waited_for_longer_than_the_time_of_a_snapshot() {
    let mut world = World::new();
    world.keep();
    world.bounds.seconds = 0;
    let lock = File::open(world.store().path("lock")).unwrap();
    lock.lock().unwrap();
    let error = world.try_keep().unwrap_err().to_string();
    assert_eq!(error, "another process is taking a snapshot of this project");
}

#[test]
fn a_store_that_cannot_be_written_is_an_error_and_damage_is_overcome() {
    let world = World::new();
    world.write("file", "1");
    let stores = world.folder.path().join("snapshots");
    fs::write(&stores, "a file").unwrap();
    assert!(world.try_keep().is_err());
    fs::remove_file(&stores).unwrap();
    let first = world.keep();
    // What was there before stays, and the next snapshot is complete.
    let folder = world.store().path("");
    let index = fs::read(folder.join("index")).unwrap();
    for damage in [
        b"",
        &b"1 0 \n"[..],
        b"1 0 \ndamaged",
        b"1 99 \n",
        b"9999 0 0123456789012345678901234567890123456789\n",
        &index[..index.len() - 1],
    ] {
        fs::write(folder.join("index"), damage).unwrap();
        let number = world.try_keep().or_else(|_| world.try_keep()).unwrap().number;
        assert_eq!(world.files(number), world.present());
    }
    let mut log = File::options().append(true).open(folder.join("calls.jsonl")).unwrap();
    log.write_all(b"\n{\"call\":{\"num").unwrap();
    world.write("file", "2");
    let number = world.keep();
    assert_eq!(world.store().rows().unwrap().last().unwrap().number(), number);
    assert_eq!(world.files(first)[Path::new("file")].1, b"1");
    // In the project it would keep itself.
    let inside = Store::new(&world.path("state"), &world.path(""), run);
    let error = inside.keep(&Call::default(), &world.bounds).unwrap_err().to_string();
    error.has("set XDG_STATE_HOME");
}

#[test]
fn a_process_that_is_killed_at_any_step_leaves_no_half_of_a_snapshot() {
    if let Some(folder) = env::var_os(FOLDER) {
        let store = Store::new(
            &Path::new(&folder).join("snapshots"),
            &Path::new(&folder).join("project"),
            run,
        );
        store.keep(&Call::default(), &Bounds::default()).unwrap();
        let bounds = Bounds {
            snapshots: 2,
            ..Bounds::default()
        };
        fs::write(Path::new(&folder).join("project/a"), "later").unwrap();
        store.keep(&Call::default(), &bounds).unwrap();
        store.expire().unwrap();
        return;
    }
    for step in 0.. {
        let world = World::new();
        world.write("a", "1");
        world.write("b", "1");
        let before = world.keep();
        world.write("a", "2");
        let files = [world.files(before), world.present()];
        let test = "tests::a_process_that_is_killed_at_any_step_leaves_no_half_of_a_snapshot";
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args(["--exact", test, "--nocapture"])
            .env(FOLDER, world.folder.path());
        let ran = command.env(DIES_AT, step.to_string()).output().unwrap();
        let mut expected = files.to_vec();
        expected.push(world.present());
        for number in world.numbers() {
            assert!(expected.contains(&world.files(number)), "{step}");
        }
        let number = world.try_keep().or_else(|_| world.try_keep()).unwrap().number;
        assert_eq!(world.files(number), world.present(), "{step}");
        let rows = world.store().rows().unwrap();
        let mut numbers: Vec<u64> = rows.iter().map(Row::number).collect();
        numbers.dedup();
        assert!(
            numbers.is_sorted() && numbers.ends_with(&[number]),
            "{step}: {numbers:?}"
        );
        if ran.status.success() {
            assert!(step > 10, "{step} steps");
            return;
        }
        String::from_utf8(ran.stderr).unwrap().has("dies at: ");
    }
}

#[test]
fn a_disk_that_is_full_takes_no_snapshot_and_loses_none() {
    if let Some(folder) = env::var_os(FOLDER) {
        let store = Store::new(
            &Path::new(&folder).join("snapshots"),
            &Path::new(&folder).join("project"),
            run,
        );
        store.keep(&Call::default(), &Bounds::default()).unwrap_err();
        return;
    }
    let world = World::new();
    world.write("a", "1");
    let first = world.keep();
    // Bytes that cannot be compressed.
    let mut number = 1_u32;
    let noise = std::iter::repeat_with(|| {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        number.to_be_bytes()[0]
    });
    world.write("large", noise.take(1 << 20).collect::<Vec<u8>>());
    // Writing beyond this size of a file fails as on a full disk, without a signal.
    let limited = "trap '' XFSZ; ulimit -f 200; exec \"$0\" \"$@\"";
    let test = "tests::a_disk_that_is_full_takes_no_snapshot_and_loses_none";
    let mut command = Command::new("sh");
    command
        .args(["-c", limited])
        .arg(env::current_exe().unwrap())
        .args(["--exact", test]);
    let ran = command.env(FOLDER, world.folder.path()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    assert_eq!(world.numbers(), [first]);
    assert_eq!(world.files(first)[Path::new("a")].1, b"1");
    let next = world.keep();
    assert_eq!(world.files(next), world.present());
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
