//! Tests of damage, killed processes, and full disks.

use test_support::steps;

use super::*;

/// Environment variable with the folder of a test, for the process that it starts.
const FOLDER: &str = "HOOKKIT_TEST_FOLDER";

#[test]
fn a_store_that_cannot_be_written_is_an_error_and_damage_is_overcome() {
    let world = World::new();
    world.write("file", "1");
    let stores = world.folder.path().join("snapshots");
    fs::write(&stores, "a file").unwrap();
    assert!(world.try_keep().is_err());
    fs::remove_file(&stores).unwrap();
    let first = world.keep();
    // Earlier snapshots stay, and the next one is complete.
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
    // A store in the project would snapshot itself.
    let inside = Store::new(&world.path("state"), &world.path(""), run);
    let error = inside.keep(&Call::default(), &world.bounds).unwrap_err().to_string();
    error.has("set XDG_STATE_HOME");
}

#[test]
fn a_process_that_is_killed_at_any_step_leaves_no_half_of_a_snapshot() {
    if let Some(folder) = env::var_os(FOLDER) {
        let store = Store::new(&Path::new(&folder).join("snapshots"), &Path::new(&folder).join("project"), run);
        store.keep(&Call::default(), &Bounds::default()).unwrap();
        let bounds = Bounds { snapshots: 2, ..Bounds::default() };
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
        let test = "tests::faults::a_process_that_is_killed_at_any_step_leaves_no_half_of_a_snapshot";
        let died = steps::killed(test, FOLDER, world.folder.path(), step);
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
        assert!(numbers.is_sorted() && numbers.ends_with(&[number]), "{step}: {numbers:?}");
        if died.is_none() {
            assert!(step > 10, "{step} steps");
            return;
        }
    }
}

#[test]
fn a_disk_that_is_full_takes_no_snapshot_and_loses_none() {
    if let Some(folder) = env::var_os(FOLDER) {
        let store = Store::new(&Path::new(&folder).join("snapshots"), &Path::new(&folder).join("project"), run);
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
    let test = "tests::faults::a_disk_that_is_full_takes_no_snapshot_and_loses_none";
    let mut command = Command::new("sh");
    command.args(["-c", limited]).arg(env::current_exe().unwrap()).args(["--exact", test]);
    let ran = command.env(FOLDER, world.folder.path()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    assert_eq!(world.numbers(), [first]);
    assert_eq!(world.files(first)[Path::new("a")].1, b"1");
    let next = world.keep();
    assert_eq!(world.files(next), world.present());
}
