use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead, stdout};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use test_support::obstacles;

use super::*;

/// Environment variables of a process that a test starts: the step at which it is killed, and the folder.
const DIES_AT: &str = "HOOKKIT_TEST_DIES_AT";
const FOLDER: &str = "HOOKKIT_TEST_FOLDER";

/// Counts a step and kills the process if the variable says so.
pub(super) fn step(name: &str) {
    static DIES_AT_STEP: LazyLock<Option<usize>> = LazyLock::new(|| env::var(DIES_AT).ok()?.parse().ok());
    static DONE: AtomicUsize = AtomicUsize::new(0);
    if Some(DONE.fetch_add(1, Ordering::Relaxed)) == *DIES_AT_STEP {
        eprintln!("dies at: {name}");
        let killed = Command::new("kill").args(["-9", &std::process::id().to_string()]).status();
        panic!("still running after {killed:?}");
    }
}

/// Limits that close a segment after some lines.
const SMALL: Limits = Limits { segment: 1000, age: Duration::from_secs(3600), cap: 1 << 30 };

/// Time to wait for other processes.
const WAIT: Duration = Duration::from_secs(20);

/// Returns a new line and its id.
fn line(length: usize) -> (String, String) {
    let id = new_id(SystemTime::now());
    let line = format!("{HEAD}{id}\"}}}}],\"x\":\"{}\"}}]}}]}}]}}\n", "x".repeat(length));
    (line, id)
}

/// Returns the number of times that each id occurs in the segments. All their lines must be complete.
fn ids(spool: &Spool) -> BTreeMap<String, usize> {
    let mut ids = BTreeMap::new();
    for segment in spool.segments().unwrap() {
        let text = fs::read_to_string(&segment.path).unwrap();
        assert!(text.is_empty() || text.ends_with("}\n"), "{}: {text}", segment.path.display());
        assert_eq!(fs::metadata(&segment.path).unwrap().permissions().mode() & 0o777, 0o600);
        for (number, line) in text.lines().enumerate() {
            let id = id_of(line.as_bytes()).unwrap();
            assert!(line.ends_with("}]}]}]}"), "{line}");
            assert!(number > 0 || id == segment.id, "{id} in {}", segment.path.display());
            *ids.entry(id.to_owned()).or_default() += 1;
        }
    }
    ids
}

/// Returns the spool of a process that a test started; `None` in the test itself.
fn as_child() -> Option<Spool> {
    Some(Spool::new(env::var_os(FOLDER)?, SMALL))
}

/// Appends lines and prints the id of each line after it was appended.
fn append_lines(spool: &Spool, count: usize) {
    for number in 0..count {
        let (line, id) = line(number % 7 * 50);
        let (word, why) = match spool.append(line.as_bytes(), WAIT) {
            Ok(()) => ("appended", id),
            Err(err) => ("refused", err.to_string()),
        };
        writeln!(stdout(), "\n{word} {why}").unwrap();
    }
}

/// Starts a test as its own process.
fn start(program: &mut Command, test: &str, folder: &Path, dies_at: usize) -> Child {
    program
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(DIES_AT, dies_at.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    program.spawn().unwrap()
}

/// Waits for a process and returns the ids of the lines that it appended.
fn appended(child: Child) -> Vec<String> {
    let output = child.wait_with_output().unwrap();
    let lines = output.stdout.lines().map_while(Result::ok);
    lines.filter_map(|line| Some(line.strip_prefix("appended ")?.to_owned())).collect()
}

fn this() -> Command {
    Command::new(env::current_exe().unwrap())
}

/// A step that no test reaches.
const NEVER: usize = usize::MAX;

#[test]
fn a_process_that_is_killed_at_any_step_loses_no_line_and_leaves_no_half_one() {
    if let Some(spool) = as_child() {
        return append_lines(&spool, 30);
    }
    let test = "tests::a_process_that_is_killed_at_any_step_loses_no_line_and_leaves_no_half_one";
    let (mut killed, mut steps) = (0, 0);
    loop {
        let folder = test_support::folder();
        let spool = Spool::new(folder.path().join("audit"), SMALL);
        // Another process was killed in the middle of its line.
        spool.append(line(10).0.as_bytes(), WAIT).unwrap();
        let open = spool.folder.join(OPEN);
        let file = OpenOptions::new().append(true).open(&open).unwrap();
        (&file).write_all(&line(5000).0.as_bytes()[..4500]).unwrap();
        let ids_of_child = appended(start(&mut this(), test, &spool.folder, steps));
        append_lines(&spool, 3);
        let ids = ids(&spool);
        assert!(ids.values().all(|times| *times == 1));
        let missing: Vec<_> = ids_of_child.iter().filter(|id| !ids.contains_key(*id)).collect();
        assert!(missing.is_empty(), "{steps}: {missing:?}");
        if ids_of_child.len() == 30 {
            break;
        }
        (killed, steps) = (killed + 1, steps + 1);
    }
    assert!(killed > 60, "{killed}");
}

#[test]
fn a_hundred_processes_at_once_leave_whole_lines_even_if_some_are_killed() {
    if let Some(spool) = as_child() {
        return append_lines(&spool, 20);
    }
    let test = "tests::a_hundred_processes_at_once_leave_whole_lines_even_if_some_are_killed";
    let folder = test_support::folder();
    let children = (0..100).map(|number| {
        let dies_at = if number % 4 == 0 { number / 2 } else { NEVER };
        start(&mut this(), test, folder.path(), dies_at)
    });
    let children: Vec<_> = children.collect();
    let ids_of_children: Vec<_> = children.into_iter().flat_map(appended).collect();
    assert!(ids_of_children.len() >= 75 * 20, "{}", ids_of_children.len());
    let spool = Spool::new(folder.path(), SMALL);
    let ids = ids(&spool);
    assert!(ids.values().all(|times| *times == 1));
    assert!(ids_of_children.iter().all(|id| ids.contains_key(id)));
    assert!(spool.segments().unwrap().len() > 100);
}

#[test]
fn a_full_disk_leaves_no_half_line() {
    if let Some(spool) = as_child() {
        // The largest size before the disk is full.
        let spool = Spool::new(spool.folder, Limits::default());
        return append_lines(&spool, 100);
    }
    let folder = test_support::folder();
    let mut shell = Command::new("/bin/sh");
    // A limit on the size of files substitutes for a full disk: it, too, cuts a write short before it denies the next.
    let limited = "trap '' XFSZ; ulimit -f 2; exec \"$0\" \"$@\"";
    shell.args(["-c", limited]).arg(env::current_exe().unwrap());
    let appended = appended(start(&mut shell, "tests::a_full_disk_leaves_no_half_line", folder.path(), NEVER));
    let ids = ids(&Spool::new(folder.path(), SMALL));
    assert!(!appended.is_empty() && appended.len() < 100);
    assert_eq!(ids.len(), appended.len());
}

#[test]
fn at_the_cap_only_shipped_segments_go_and_then_nothing_more_is_written() {
    let folder = test_support::folder();
    let limits = Limits { cap: 6000, ..SMALL };
    let spool = Spool::new(folder.path(), limits);
    let (mut written, refused) = (
        0,
        loop {
            if let Err(err) = spool.append(line(0).0.as_bytes(), WAIT) {
                break err.to_string();
            }
        },
    );
    assert!(refused.contains("not shipped") && refused.contains("audit ship"), "{refused}");
    let total = |spool: &Spool| spool.segments().unwrap().iter().map(|segment| segment.size).sum::<u64>();
    assert!((5000..=6000).contains(&total(&spool)), "{}", total(&spool));
    let before = ids(&spool);
    let closed = |spool: &Spool| spool.segments().unwrap().into_iter().filter(|it| it.state == State::Closed);
    let oldest: Vec<_> = closed(&spool).take(2).collect();
    for segment in &oldest {
        spool.mark_shipped(segment).unwrap();
    }
    while spool.append(line(0).0.as_bytes(), WAIT).is_ok() {
        written += 1;
    }
    assert!(written > 8, "{written}");
    let after = ids(&spool);
    for segment in closed(&spool) {
        assert!(before.contains_key(&segment.id) || after.contains_key(&segment.id));
    }
    let gone: Vec<_> = before.keys().filter(|id| !after.contains_key(*id)).collect();
    let last = closed(&spool).next().unwrap().id;
    assert!(gone.iter().all(|id| **id < last) && !gone.is_empty());
}

#[test]
fn a_segment_is_closed_at_an_age() {
    let folder = test_support::folder();
    let limits = Limits { age: Duration::ZERO, ..SMALL };
    let spool = Spool::new(folder.path(), limits);
    for _ in 0..3 {
        spool.append(line(0).0.as_bytes(), WAIT).unwrap();
    }
    let states: Vec<_> = spool.segments().unwrap().iter().map(|segment| segment.state).collect();
    assert_eq!(states, [State::Closed, State::Closed, State::Open]);
}

#[test]
fn only_a_regular_file_is_written_to() {
    let folder = test_support::folder();
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "").unwrap();
    let spool = Spool::new(folder.path().join("audit"), SMALL);
    spool.create().unwrap();
    for obstacle in [
        "a link to a file outside", "a link that leads nowhere", "a link to itself", "a hard link to a file outside",
        "a pipe", "a folder",
    ] {
        obstacles::put(&spool.folder.join(OPEN), obstacle, &outside).unwrap();
        spool.append(line(0).0.as_bytes(), WAIT).unwrap_err();
        assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "", "{obstacle}");
        assert!(!outside.join("new").exists());
        // The file is not read either: that would wait for a writer.
        let closed = spool.folder.join(new_id(SystemTime::now())).with_extension(CLOSED);
        obstacles::put(&closed, obstacle, &outside).unwrap();
        obstacles::put(&spool.folder.join(OFFSETS), obstacle, &outside).unwrap();
        let is_listed = spool.segments().unwrap().iter().any(|segment| segment.path == closed);
        assert_eq!(is_listed, obstacle == "a hard link to a file outside", "{obstacle}");
        assert_eq!(spool.offsets().unwrap_or_default(), BTreeMap::new());
    }
    // A folder that cannot be created, as in a read-only home.
    let spool = Spool::new(outside.join("file/audit"), SMALL);
    spool.append(line(0).0.as_bytes(), WAIT).unwrap_err();
}

#[test]
fn a_hook_waits_for_another_one_and_not_forever() {
    let folder = test_support::folder();
    let spool = Spool::new(folder.path(), SMALL);
    spool.append(line(0).0.as_bytes(), WAIT).unwrap();
    let file = File::open(folder.path().join(OPEN)).unwrap();
    file.lock().unwrap();
    let err = spool.append(line(0).0.as_bytes(), Duration::from_millis(50)).unwrap_err();
    assert_eq!(err.kind(), ErrorKind::TimedOut);
    drop(file);
    spool.append(line(0).0.as_bytes(), WAIT).unwrap();
}

/// Appends a million lines in a soak test.
#[test]
fn many_lines_are_rotated_and_all_are_there() {
    let count = soak::size(20_000, 1_000_000);
    let folder = test_support::folder();
    let limits = Limits { segment: 1 << 20, ..SMALL };
    let spool = Spool::new(folder.path(), limits);
    let mut last = String::new();
    for _ in 0..count {
        let (line, id) = line(0);
        spool.append(line.as_bytes(), WAIT).unwrap();
        assert!(id > last);
        last = id;
    }
    let segments = spool.segments().unwrap();
    assert!(segments.len() > count / 7000, "{}", segments.len());
    let mut found = 0;
    for segment in &segments {
        let text = fs::read(&segment.path).unwrap();
        found += text.iter().filter(|byte| **byte == b'\n').count();
        assert!(text.ends_with(b"\n") && text.len() <= 1 << 20);
    }
    assert_eq!(found, count);
}

#[test]
fn the_sha_256_of_a_program_is_of_its_present_state() {
    let folder = test_support::folder();
    let spool = Spool::new(folder.path().join("audit"), SMALL);
    spool.create().unwrap();
    let program = folder.path().join("program");
    let is_right = |text: &str| {
        fs::write(&program, text).unwrap();
        let expected: String = Hash::hash(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        for _ in 0..2 {
            assert_eq!(spool.program(&program).unwrap(), expected);
        }
    };
    is_right("one");
    is_right("two");
    // A kept note is used, unless it is damaged.
    let note = fs::read_dir(&spool.folder).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(&note).unwrap();
    let (state, hash) = text.rsplit_once(' ').unwrap();
    let other = hash.replace(|char: char| char.is_ascii_digit(), "a");
    fs::write(&note, format!("{state} {other}")).unwrap();
    assert_eq!(spool.program(&program).unwrap(), other);
    fs::write(&note, state).unwrap();
    is_right("two");
    assert_eq!(spool.own_program().unwrap().len(), 64);
}
