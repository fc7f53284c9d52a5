use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs, thread};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::Json;

/// Environment variable with the project's path, for a test that runs as its own process.
const PROJECT: &str = "HOOKKIT_TEST_LOG_PROJECT";

const FILE: &str = ".claude/calls.jsonl";

fn log(project: &Path) -> Log {
    let context = Context { project_dir: project.to_owned(), ..Context::default() };
    Log::in_project(&context, FILE)
}

fn project() -> TempDir {
    test_support::folder()
}

fn records(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.ends_with('\n'), "{text:?}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn error(log: &Log) -> String {
    log.append(&1).unwrap_err().to_string()
}

#[test]
fn a_record_is_one_line_whatever_its_json_has_between_tokens() {
    let project = project();
    let input = Json::parse("{\r\n  \"text\": \"one\\ntwo\"\n}").unwrap();
    log(project.path()).append(&json!({"n": 1})).unwrap();
    log(project.path()).append(&[input]).unwrap();
    let expected = [json!({"n": 1}), json!([{"text": "one\ntwo"}])];
    assert_eq!(records(&project.path().join(FILE)), expected);
}

#[test]
fn concurrent_processes_lose_no_record_while_the_log_rotates() {
    const RECORDS: u32 = 200;
    if let Some(project) = env::var_os(PROJECT) {
        // The records have different lengths, up to several pages.
        for number in 0..RECORDS {
            let record = (std::process::id(), number, "x".repeat(number as usize * 50));
            log(Path::new(&project)).limit(1 << 20).append(&record).unwrap();
        }
        return;
    }
    let project = project();
    let start = || {
        Command::new(env::current_exe().unwrap())
            .args(["--exact", "log::tests::concurrent_processes_lose_no_record_while_the_log_rotates"])
            .env(PROJECT, project.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut processes = [start(), start(), start()];
    for process in &mut processes {
        assert!(process.wait().unwrap().success());
    }
    // 3 MB in 1 MB files: the last two are there, and the end of each process's records is in them without a gap.
    let (new, old) = (project.path().join(FILE), project.path().join(".claude/calls.old.jsonl"));
    for file in [&new, &old] {
        assert!(fs::metadata(file).unwrap().len() <= 1 << 20);
    }
    let kept = [records(&old), records(&new)].concat();
    for process in processes {
        let own = kept.iter().filter(|record| record[0] == process.id());
        let numbers: Vec<u64> = own.map(|record| record[1].as_u64().unwrap()).collect();
        let first = numbers.first().copied().unwrap_or(RECORDS.into());
        assert_eq!(numbers, (first..u64::from(RECORDS)).collect::<Vec<_>>());
    }
}

#[test]
fn the_older_records_are_kept_once() {
    let project = project();
    let log = log(project.path()).limit(8);
    for number in 10..16 {
        log.append(&number).unwrap();
    }
    assert_eq!(fs::read_to_string(project.path().join(FILE)).unwrap(), "14\n15\n");
    let old = fs::read_to_string(project.path().join(".claude/calls.old.jsonl")).unwrap();
    assert_eq!(old, "12\n13\n");
    let error = log.append(&123_456_789).unwrap_err().to_string();
    let expected = "a record of 10 bytes does not fit into 8: leave out long fields, or raise the `limit`";
    assert!(error.ends_with(expected), "{error}");
}

#[test]
fn half_a_line_spoils_no_other_one() {
    let project = project();
    log(project.path()).append(&1).unwrap();
    fs::write(project.path().join(FILE), "1\n{\"half").unwrap();
    log(project.path()).append(&2).unwrap();
    assert_eq!(fs::read_to_string(project.path().join(FILE)).unwrap(), "1\n{\"half\n2\n");
}

#[test]
fn a_log_that_was_moved_begins_again() {
    let project = project();
    log(project.path()).append(&1).unwrap();
    fs::rename(project.path().join(FILE), project.path().join("moved")).unwrap();
    log(project.path()).append(&2).unwrap();
    assert_eq!(records(&project.path().join(FILE)), [2]);
}

#[test]
fn a_locked_log_is_waited_for() {
    let project = project();
    log(project.path()).append(&1).unwrap();
    let held = File::open(project.path().join(FILE)).unwrap();
    held.lock().unwrap();
    let other = log(project.path());
    let waiting = thread::spawn(move || other.append(&2));
    thread::sleep(Duration::from_millis(50));
    assert_eq!(records(&project.path().join(FILE)), [1]);
    held.unlock().unwrap();
    waiting.join().unwrap().unwrap();
    assert_eq!(records(&project.path().join(FILE)), [1, 2]);
}

#[test]
#[cfg(unix)]
fn only_the_user_can_read_it() {
    use std::os::unix::fs::PermissionsExt;

    let project = project();
    let log = log(project.path()).limit(3);
    log.append(&1).unwrap();
    log.append(&2).unwrap();
    for file in [FILE, ".claude/calls.old.jsonl"] {
        let mode = fs::metadata(project.path().join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

#[test]
#[cfg(unix)]
fn no_link_of_a_checkout_is_followed() {
    use std::os::unix::fs::symlink;

    for linked in [".claude", FILE, ".claude/calls.old.jsonl"] {
        for target in ["missing", "folder", "file"] {
            let folder = test_support::folder();
            let (project, target) = (folder.path().join("project"), folder.path().join(target));
            fs::create_dir_all(project.join(linked).parent().unwrap()).unwrap();
            match target.file_name().unwrap().to_str() {
                Some("folder") => fs::create_dir(&target).unwrap(),
                Some("file") => fs::write(&target, "theirs\n").unwrap(),
                _ => {}
            }
            symlink(&target, project.join(linked)).unwrap();
            let log = log(&project).limit(3);
            let first = log.append(&1);
            let error = first.and_then(|()| log.append(&2)).unwrap_err().to_string();
            let expected = "it is a link, which might lead anywhere";
            assert!(error.contains(expected), "{linked}: {error}");
            assert_eq!(target.exists(), !target.ends_with("missing"), "{linked}");
            match target.is_dir() {
                true => assert_eq!(fs::read_dir(&target).unwrap().count(), 0),
                false => assert_eq!(fs::read(&target).unwrap_or(b"theirs\n".into()), b"theirs\n"),
            }
        }
    }
}

#[test]
#[cfg(unix)]
fn anything_but_a_file_is_an_error_at_once() {
    let project = project();
    fs::create_dir(project.path().join(".claude")).unwrap();
    let file = project.path().join(FILE);
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    let log = log(project.path());
    assert_eq!(
        error(&log),
        format!("cannot append to the log `{}`: it is not a regular file: remove it", file.display())
    );
    fs::remove_file(&file).unwrap();
    fs::remove_dir(project.path().join(".claude")).unwrap();
    fs::write(project.path().join(".claude"), "").unwrap();
    let expected = "/.claude`: it is not a folder: remove it";
    assert!(error(&log).ends_with(expected), "{}", error(&log));
}

#[test]
fn a_path_out_of_the_project_is_an_error() {
    let project = project();
    let context = Context { project_dir: project.path().join("inner"), ..Context::default() };
    for outside in ["../log", "/tmp/log", "a/../../log", ""] {
        let error = error(&Log::in_project(&context, outside));
        assert!(error.contains("not a path within the project"), "{outside}: {error}");
    }
    assert!(!project.path().join("log").exists());
}

#[test]
#[cfg(unix)]
fn links_of_the_user_are_followed() {
    let folder = test_support::folder();
    let link = folder.path().join("link.jsonl");
    std::os::unix::fs::symlink(folder.path().join("elsewhere"), &link).unwrap();
    Log::at(&link).append(&1).unwrap();
    assert_eq!(records(&folder.path().join("elsewhere")), [1]);
}
