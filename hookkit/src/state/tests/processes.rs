//! Tests with concurrent processes, and with killed processes.

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, fs, thread};

use tempfile::TempDir;

use super::*;
use crate::soak;
use test_support::steps;

/// Environment variable with the folder of states, for a test that runs as its own process.
const ROOT: &str = "HOOKKIT_TEST_STATE_ROOT";

/// Starts a test of this module as its own process.
fn start(test: &str, root: &Path) -> Child {
    start_by(Command::new(env::current_exe().unwrap()), test, root)
}

/// Starts a test with a command that runs this program.
fn start_by(mut command: Command, test: &str, root: &Path) -> Child {
    command
        .args(["--exact", "--nocapture", &format!("state::tests::processes::{test}")])
        .env(ROOT, root)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn root_of_process() -> Option<PathBuf> {
    env::var_os(ROOT).map(Into::into)
}

#[test]
fn concurrent_processes_lose_no_update() {
    const UPDATES: u32 = 50;
    if let Some(root) = root_of_process() {
        let own = std::process::id().to_string();
        for _ in 0..UPDATES {
            let state = counts(&root);
            count(&state, &own);
            count(&state, "all");
            assert!(state.read().unwrap()[&own] > 0);
        }
        return;
    }
    let root = test_support::folder();
    let test = "concurrent_processes_lose_no_update";
    let processes: Vec<_> = (0..8).map(|_| start(test, root.path())).collect();
    let mut expected = Counts::from([("all".to_owned(), 8 * UPDATES)]);
    for mut process in processes {
        expected.insert(process.id().to_string(), UPDATES);
        assert!(process.wait().unwrap().success());
    }
    assert_eq!(counts(root.path()).read().unwrap(), expected);
}

#[test]
fn a_process_killed_at_any_step_leaves_a_whole_value_and_no_litter() {
    const PAYLOAD: usize = 10_000;
    let state = |root: &Path| states(root).of_session::<String>("text").unwrap();
    if let Some(root) = root_of_process() {
        // A session's first state, over an invalid one, and with an old session to remove.
        state(&root).update(|text| *text = "new".repeat(PAYLOAD)).unwrap();
        return;
    }
    let mut died_at = BTreeSet::new();
    for prepared in ["nothing", "an old session", "a value", "an invalid value"] {
        for step in 0.. {
            let root = test_support::folder();
            let root = root.path();
            match prepared {
                "nothing" => {}
                "an old session" => drop(old_session(root, "old", 31)),
                _ => state(root).update(|text| *text = "old".repeat(PAYLOAD)).unwrap(),
            }
            if prepared == "an invalid value" {
                fs::write(state(root).files.path(), "[]").unwrap();
            }
            let test = "state::tests::processes::a_process_killed_at_any_step_leaves_a_whole_value_and_no_litter";
            let stderr = steps::killed(test, ROOT, root, step);
            let last = stderr.as_deref().and_then(steps::last_step);
            let found = state(root).read().unwrap();
            let is_new = found == "new".repeat(PAYLOAD);
            if prepared == "a value" {
                assert!(is_new || found == "old".repeat(PAYLOAD), "{last:?}: {} bytes", found.len());
            } else {
                assert!(is_new || found.is_empty(), "{prepared}, {last:?}: {} bytes", found.len());
            }
            // The next process continues with the new value and removes nothing else.
            state(root).update(|text| text.push('!')).unwrap();
            assert_eq!(state(root).read().unwrap(), format!("{found}!"));
            let own = names(root).into_iter().filter(|name| !name.contains("/old/"));
            let aside = ["sessions/s/text.aside"].map(str::to_owned);
            let expected = ["lock", "sessions/s/text.json", "sessions/s/text.lock"].map(str::to_owned);
            let expected: BTreeSet<_> = match prepared {
                "an invalid value" => expected.into_iter().chain(aside).collect(),
                _ => expected.into(),
            };
            assert_eq!(own.collect::<BTreeSet<_>>(), expected, "{prepared}, {last:?}");
            match last {
                Some(last) => died_at.insert(last.to_owned()),
                None => {
                    assert!(is_new);
                    break;
                }
            };
        }
    }
    let steps = ["a removal", "aside", "half of the value", "the folder", "the lock", "the rename", "the value"];
    assert_eq!(died_at, BTreeSet::from(steps.map(str::to_owned)));
}

#[test]
fn a_killed_process_holds_no_lock_and_loses_at_most_its_own_update() {
    if let Some(root) = root_of_process() {
        loop {
            count(&counts(&root), "a");
            // Printed after the update, which must not be lost.
            eprintln!("done");
        }
    }
    let root: TempDir = test_support::folder();
    let test = "a_killed_process_holds_no_lock_and_loses_at_most_its_own_update";
    let (mut message, mut killed) = (0, 0);
    for round in soak::rounds(3, 10) {
        let mut processes = [(); 3].map(|()| start(test, root.path()));
        thread::sleep(Duration::from_millis(20 + round % 10 * 3));
        for process in &mut processes {
            process.kill().unwrap();
        }
        for process in processes {
            let stderr = process.wait_with_output().unwrap().stderr;
            message += String::from_utf8_lossy(&stderr).lines().filter(|line| line.ends_with("done")).count();
            killed += 1;
        }
    }
    assert!(message > 0);
    let found = counts(root.path()).read().unwrap().get("a").copied().unwrap_or_default() as usize;
    assert!(
        (message..=message + killed).contains(&found),
        "{message} were printed, {killed} killed, and {found} are there"
    );
}

/// The limit exists on Unix only.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_value_and_no_half_of_a_new_one() {
    let state = |root: &Path| states(root).of_session::<String>("text").unwrap();
    if let Some(root) = root_of_process() {
        let error = state(&root).update(|text| *text = "new".repeat(10_000)).unwrap_err().to_string();
        assert!(error.contains("text.json cannot be written: "), "{error}");
        return;
    }
    let root = test_support::folder();
    state(root.path()).update(|text| *text = "old".to_owned()).unwrap();
    // A file size limit simulates a full disk: the first write is cut short, the next one fails.
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 2; exec \"$0\" \"$@\""]).arg(env::current_exe().unwrap());
    let test = "a_full_disk_leaves_the_old_value_and_no_half_of_a_new_one";
    let ended = start_by(shell, test, root.path()).wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert_eq!(state(root.path()).read().unwrap(), "old");
    assert!(!state(root.path()).files.path().with_extension("new").exists());
}
