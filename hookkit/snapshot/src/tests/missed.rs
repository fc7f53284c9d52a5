//! Tests of calls before which no snapshot can be taken.

use std::time::Instant;

use super::*;

/// Returns the message of an error for a call with this command.
fn miss(world: &World, run: Run, about: &str) -> String {
    let call = Call { session: "s".to_owned(), about: about.to_owned(), ..Call::default() };
    world.store_with(run).keep(&call, &world.bounds).unwrap_err().to_string()
}

/// A function that sets one of the bounds so that no snapshot can be taken.
type Change = fn(&mut Bounds);

#[test]
fn a_call_without_a_snapshot_is_a_row_with_the_reason() {
    fn missing(_: Command, _: Vec<u8>, _: Duration) -> io::Result<Vec<u8>> {
        Err(ErrorKind::NotFound.into())
    }
    fn late(_: Command, _: Vec<u8>, _: Duration) -> io::Result<Vec<u8>> {
        Err(ErrorKind::TimedOut.into())
    }
    let mut world = World::new();
    let mut expected = Vec::new();
    for (about, run) in [("git is missing", missing as Run), ("git is late", late), ("git is missing again", missing)] {
        world.write("file", about);
        expected.push((about.to_owned(), Some(miss(&world, run, about))));
    }
    let first = world.keep();
    expected.push((String::new(), None));
    let bounds = world.bounds.clone();
    let changes: [(&str, Change); 3] = [
        ("time", |bounds| bounds.seconds = 0),
        ("files", |bounds| bounds.files = 0),
        ("store", |bounds| bounds.store = 0),
    ];
    for (about, change) in changes {
        world.write("file", about);
        change(&mut world.bounds);
        expected.push((about.to_owned(), Some(miss(&world, run, about))));
        world.bounds = bounds.clone();
    }
    let lock = File::open(world.store().path("lock")).unwrap();
    lock.lock().unwrap();
    world.bounds.seconds = 0;
    let start = Instant::now();
    expected.push(("lock".to_owned(), Some(miss(&world, run, "lock"))));
    assert!(start.elapsed() < Duration::from_secs(5));
    drop(lock);
    world.bounds = bounds;
    let last = world.keep();
    expected.push((String::new(), None));
    let calls = world.store().calls().unwrap();
    let rows: Vec<_> = calls.iter().map(|call| (call.about.clone(), call.missed.clone())).collect();
    assert_eq!(rows, expected);
    // None of them has the number of a snapshot, and these are in order.
    let kept: Vec<u64> = calls.iter().filter(|call| call.missed.is_none()).map(|call| call.number).collect();
    assert_eq!((kept, world.numbers()), (vec![first, last], vec![first, last]));
    for call in calls.iter().filter(|call| call.missed.is_some()) {
        assert!(call.number == 0 || !world.numbers().contains(&call.number), "{call:?}");
    }
    // Rows between the remaining snapshots' rows are kept.
    world.bounds.snapshots = 1;
    world.write("file", "last");
    world.keep();
    let calls = world.store().calls().unwrap().len();
    world.store().expire().unwrap();
    assert_eq!((calls, world.store().calls().unwrap().len()), (10, 1));
}

#[test]
fn a_store_in_the_project_is_not_written() {
    let world = World::new();
    let inside = Store::new(&world.path("state"), &world.path(""), run);
    inside.keep(&Call::default(), &world.bounds).unwrap_err();
    assert!(!inside.path("calls.jsonl").exists());
}

#[test]
fn a_number_is_not_used_again_after_many_calls_without_a_snapshot() {
    let mut world = World::new();
    world.write("file", "1");
    let first = world.keep();
    world.write("file", "2");
    let before = world.bounds.clone();
    world.bounds.store = 0;
    let about = "x".repeat(2000);
    for _ in 0..100 {
        miss(&world, run, &about);
    }
    world.bounds = before;
    let next = world.keep();
    assert_eq!((next, world.numbers()), (first + 1, vec![first, first + 1]));
    // If the file is missing, as in an older store, or damaged, the rows have the number.
    for damage in ["", "x"] {
        fs::write(world.store().path("number"), damage).unwrap();
        world.write("file", damage);
        world.keep();
    }
    assert_eq!(world.numbers(), [first, first + 1, first + 2, first + 3]);
}
