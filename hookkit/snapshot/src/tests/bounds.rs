//! Tests of bounds, and of snapshots and stores that expire.

use super::*;

#[test]
fn what_exceeds_a_bound_is_left_out_and_named_once() {
    let mut world = World::new();
    world.write("small", "1");
    world.write("large", [0; 2000]);
    world.write("node_modules/a/index.js", "1");
    world.write("out/CACHEDIR.TAG", SIGNED);
    world.write("out/cached", "1");
    world.write("sub/.GIT/config", "1");
    assert!(Command::new("mkfifo").arg(world.path("pipe")).status().unwrap().success());
    world.bounds.file = 1000;
    let reasons = world.left_out();
    let expected = [
        ("large", "larger than the limit `file`"),
        ("node_modules", "in the list `left_out`"),
        ("out", "a cache, according to its CACHEDIR.TAG"),
        ("pipe", "a pipe, a socket or a device"),
        ("sub/.GIT", "git's own on some systems"),
    ];
    assert_eq!(reasons, expected.map(|(name, why)| (name.to_owned(), why.to_owned())));
    let number = world.keep();
    assert_eq!(world.store().left_out(number).unwrap().lines().count(), 5);
    assert_eq!(world.files(number).into_keys().collect::<Vec<_>>(), [Path::new("small")]);
    // A file that has grown is reported, and the snapshot does not have it.
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
fn a_folder_is_a_cache_by_the_signature_of_its_tag_alone() {
    let world = World::new();
    let outside = world.folder.path().join("signed");
    fs::write(&outside, SIGNED).unwrap();
    world.write("signed/CACHEDIR.TAG", format!("{SIGNED}\n# Of a build.\n"));
    for tag in ["", "Signature: ", &SIGNED.replace('a', "b"), &format!("\u{feff}{SIGNED}")] {
        world.write(format!("{}/CACHEDIR.TAG", tag.len()), tag);
    }
    fs::create_dir(world.path("linked")).unwrap();
    symlink(&outside, world.path("linked/CACHEDIR.TAG")).unwrap();
    fs::create_dir_all(world.path("folder/CACHEDIR.TAG")).unwrap();
    let left_out = world.left_out().into_iter().map(|(name, _)| name);
    assert_eq!(left_out.collect::<Vec<_>>(), ["signed"]);
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
        // Files written just before a snapshot are read again.
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
    let has_snapshot = |row: &Row| row.call().is_none_or(|call| call.missed.is_none());
    assert!(rows.iter().all(|row| row.number() >= numbers[0] || !has_snapshot(row)), "{rows:?}");
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
    // A user's own command takes a snapshot, so that files of a full store can be restored.
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
    let own = other("own", 29);
    // A process that another test is starting may have the lock for a moment.
    let is_removed = (0..100).any(|_| {
        own.remove_unused().unwrap();
        thread::sleep(Duration::from_millis(10));
        !unused.exists()
    });
    assert!(is_removed && used.exists() && locked.exists());
    assert_eq!(fs::read_dir(&stores).unwrap().count(), 3);
}
