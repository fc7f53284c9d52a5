//! Tests of snapshots taken while old ones are removed, and of files that a killed git left behind.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Runs git's check of all objects and returns the number of packs.
fn packs(world: &World) -> usize {
    let git_folder = world.store().git();
    git(&git_folder, &["fsck", "--strict", "--no-dangling"]);
    fs::read_dir(git_folder.join("objects/pack"))
        .unwrap()
        .filter(|file| file.as_ref().unwrap().path().extension() == Some(OsStr::new("pack")))
        .count()
}

#[test]
fn calls_have_snapshots_while_old_ones_expire() {
    static PROJECT: Mutex<PathBuf> = Mutex::new(PathBuf::new());
    /// Takes snapshots before and after all content is written to one pack.
    fn run_among_calls(git: Command, input: Vec<u8>, limit: Duration) -> io::Result<Vec<u8>> {
        let keep = |content: &str| {
            let project = PROJECT.lock().unwrap().clone();
            fs::write(project.join("file"), content).unwrap();
            let store = Store::new(&project.with_file_name("snapshots"), &project, run);
            store.keep(&Call::default(), &Bounds::default()).unwrap();
        };
        let is_packing =
            git.get_args().any(|word| word == "--all") && git.get_args().any(|word| word == "pack-objects");
        if is_packing {
            keep("expired");
        }
        let output = run(git, input, limit);
        if is_packing {
            keep("new");
            keep("expired too");
        }
        output
    }
    let mut world = World::new();
    PROJECT.lock().unwrap().clone_from(&world.path(""));
    world.write("other", "other");
    for content in ["expired", "expired too", "expired and lost", "stays"] {
        world.write("file", content);
        world.keep();
    }
    world.bounds.snapshots = 1;
    world.write("file", "last");
    let last = world.keep();
    assert_eq!(world.store_with(run_among_calls).expire().unwrap(), 4);
    assert_eq!(world.numbers(), [last, last + 1, last + 2, last + 3]);
    for (number, content) in (last..).zip(["last", "expired", "new", "expired too"]) {
        let files = world.files(number);
        let expected = [("file", content), ("other", "other")];
        let expected = expected.map(|(name, content)| (PathBuf::from(name), content.as_bytes().to_vec()));
        assert_eq!(files.into_iter().map(|(name, (_, bytes))| (name, bytes)).collect::<Vec<_>>(), expected);
    }
    // The combined pack, the pack of the snapshots since, and the packs of these snapshots themselves.
    assert!(packs(&world) <= 5);
    let objects = git(world.store().git(), &["cat-file", "--batch-all-objects", "--batch"]);
    objects.lacks("expired and lost");
    // Without a call meanwhile, there is one pack.
    world.bounds.snapshots = 2;
    world.write("file", "more");
    world.keep();
    world.store().expire().unwrap();
    assert_eq!(packs(&world), 1);
}

#[test]
fn who_else_removes_snapshots_leaves_the_packs_to_the_first() {
    let mut world = World::new();
    for content in ["1", "2", "3"] {
        world.write("file", content);
        world.bounds.snapshots = 1;
        world.keep();
    }
    let packing = File::create(world.store().path("packing")).unwrap();
    packing.lock().unwrap();
    let pack = world.store().git().join("objects/pack/tmp_pack_x");
    fs::write(&pack, "of the other").unwrap();
    assert_eq!(world.store().expire().unwrap(), 2);
    assert!(pack.exists());
    assert_eq!(packs(&world), 3);
    drop(packing);
    assert_eq!(world.files(world.numbers()[0])[Path::new("file")].1, b"3");
}

#[test]
fn what_a_killed_git_leaves_is_removed() {
    const LEFT: [&str; 6] = [
        "packed-refs.lock", "HEAD.lock", "refs/snapshots/9.lock", "objects/pack/tmp_pack_x", "objects/pack/tmp_idx_x",
        "fast_import_crash_1",
    ];
    fn fails(git: Command, _: Vec<u8>, _: Duration) -> io::Result<Vec<u8>> {
        let folder = git.get_current_dir().unwrap();
        if git.get_args().any(|word| word == "init") {
            fs::write(folder.join("config.lock"), "").unwrap();
            return Err(ErrorKind::TimedOut.into());
        }
        for name in LEFT {
            fs::write(folder.join(name), "left").unwrap();
        }
        Err(io::Error::other("killed"))
    }
    let mut world = World::new();
    world.write("file", "0");
    let keep = || world.store_with(fails).keep(&Call::default(), &world.bounds).unwrap_err();
    assert_eq!(keep().kind(), ErrorKind::TimedOut);
    assert!(world.store().exists() && world.numbers().is_empty());
    let is_left = |world: &World| LEFT.iter().any(|name| world.store().git().join(name).exists());
    for content in ["1", "2", "3"] {
        world.write("file", content);
        world.keep();
    }
    world.write("file", "4");
    let keep = || world.store_with(fails).keep(&Call::default(), &world.bounds).unwrap_err();
    assert_eq!(keep().to_string(), "killed");
    assert!(!is_left(&world));
    for name in LEFT {
        fs::write(world.store().git().join(name), "left").unwrap();
    }
    world.bounds.snapshots = 1;
    let last = world.keep();
    assert!(is_left(&world));
    assert_eq!(world.store().expire().unwrap(), 3);
    assert!(!is_left(&world));
    assert_eq!((world.numbers(), packs(&world)), (vec![last], 1));
}

#[test]
fn snapshots_are_complete_whenever_others_expire() {
    let mut world = World::new();
    world.bounds.snapshots = 2;
    world.keep();
    let is_over = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (world, is_over) = (&world, &is_over);
        let expires = || {
            for _ in 0..1000 {
                if is_over.load(Ordering::Relaxed) == 1 {
                    break;
                }
                world.store().expire().unwrap();
            }
        };
        scope.spawn(expires);
        scope.spawn(expires);
        // Contents come back that only expired snapshots had.
        for round in 0..20 {
            world.write("file", format!("{}", round % 4));
            world.write("other", format!("{}", round % 7));
            let number = world.keep();
            thread::sleep(Duration::from_millis(round % 3 * 10));
            assert_eq!(world.files(number), world.present());
        }
        is_over.store(1, Ordering::Relaxed);
    });
    world.store().expire().unwrap();
    for number in world.numbers() {
        assert_eq!(world.files(number).len(), 2);
    }
    assert_eq!(world.files(*world.numbers().last().unwrap()), world.present());
    packs(&world);
}
