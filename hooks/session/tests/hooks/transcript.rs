//! `keep_transcript`.

use std::ffi::OsString;
use std::fs::{self, File};
#[cfg(unix)]
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use hookkit::Hook;
use hookkit::testing::{Action, Verdict, run_recorded, with_config, with_variables};
use hookkit_session::transcript::{Transcripts, keep_transcript};
use tempfile::{TempDir, tempdir};

use crate::changed;

const MANUAL: &str = include_str!("../fixtures/pre_compact/manual.json");

/// A project, and next to it a transcript.
struct TestProject(TempDir);

impl TestProject {
    fn new() -> Self {
        let place = Self(tempdir().unwrap());
        fs::create_dir_all(place.path("project")).unwrap();
        fs::create_dir_all(place.path("client/-the-project")).unwrap();
        fs::write(place.transcript(), "{}\n").unwrap();
        place
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.0.path().join(relative)
    }

    fn transcript(&self) -> PathBuf {
        self.path("client/-the-project/session.jsonl")
    }

    fn run(&self, config: &Transcripts, variables: &[(&str, &str)]) -> Verdict {
        let event = changed(MANUAL, |event| {
            event["cwd"] = self.path("project").to_str().into();
            event["transcript_path"] = self.transcript().to_str().into();
        });
        let variables = variables.iter().map(|(name, value)| (*name, OsString::from(value)));
        let run = || run_recorded(keep_transcript::DEF, event.as_bytes());
        with_variables(variables, || with_config(config, run))
    }
}

/// Copies in this folder.
fn within(folder: impl Into<PathBuf>) -> Transcripts {
    Transcripts {
        folder: folder.into(),
        ..Transcripts::default()
    }
}

/// So many copies.
fn so_many(kept: usize) -> Transcripts {
    Transcripts {
        kept: kept.try_into().unwrap(),
        ..Transcripts::default()
    }
}

/// The hook has done its work; the client says so by itself, in the outcome of `/compact`.
#[track_caller]
fn assert_done(verdict: &Verdict) {
    assert_eq!(verdict.action, Action::GoesOn);
    verdict.assert_model_reads("PreCompact [keep-transcript] completed successfully");
}

/// Returns the files of a folder, without `.gitignore`, in the order of their names.
fn copies(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<_> = files.filter(|file| !file.ends_with(".gitignore")).collect();
    files.sort();
    files
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn the_transcript_is_copied_for_the_user_alone() {
    let place = TestProject::new();
    let text = "{\"message\":\"\u{fc}\"}\n".repeat(100_000);
    fs::write(place.transcript(), &text).unwrap();
    #[cfg(unix)]
    fs::set_permissions(place.transcript(), fs::Permissions::from_mode(0o644)).unwrap();
    assert_done(&place.run(&Transcripts::default(), &[]));
    let folder = place.path("project/.claude/transcripts");
    let [copy] = &copies(&folder)[..] else {
        panic!("one copy: {:?}", copies(&folder))
    };
    let name = copy.file_name().unwrap().to_str().unwrap();
    assert!(
        name.starts_with("20") && name.ends_with("Z-manual-00000000-0000-4000-8000-000000000001.jsonl"),
        "{name}"
    );
    assert_eq!(fs::read_to_string(copy).unwrap(), text);
    #[cfg(unix)]
    assert_eq!((mode(copy), mode(&folder)), (0o600, 0o700));
    assert_eq!(fs::read_to_string(folder.join(".gitignore")).unwrap(), "*\n");
}

#[test]
fn a_configured_folder_is_used_and_has_one_for_each_project_outside_of_them() {
    let place = TestProject::new();
    let outside = place.path("outside");
    assert_done(&place.run(&within(&outside), &[]));
    assert_eq!(copies(&outside.join("-the-project")).len(), 1);
    let home = place.path("home");
    assert_done(&place.run(&within("~/kept"), &[("HOME", home.to_str().unwrap())]));
    assert_eq!(copies(&home.join("kept/-the-project")).len(), 1);
    assert_done(&place.run(&within("kept/here"), &[]));
    assert_eq!(copies(&place.path("project/kept/here")).len(), 1);
    assert_done(&place.run(&within("../other"), &[]));
    assert_eq!(copies(&place.path("other/-the-project")).len(), 1);
    assert!(!place.path("project/.claude").exists());
    // None is configured, and the project's root is not the folder.
    assert_done(&place.run(&within(""), &[]));
    assert_eq!(copies(&place.path("project/.claude/transcripts")).len(), 1);
}

#[test]
fn so_many_are_kept_and_what_is_not_a_copy_stays() {
    let place = TestProject::new();
    let folder = place.path("project/.claude/transcripts");
    fs::create_dir_all(&folder).unwrap();
    let old = |number| folder.join(format!("2001-01-{number:02}T00-00-00.000Z-auto-s.jsonl"));
    for number in 1..=25 {
        fs::write(old(number), "").unwrap();
    }
    fs::write(folder.join("mine.jsonl"), "").unwrap();
    assert_done(&place.run(&Transcripts::default(), &[]));
    // It, the user's own, and the 19 youngest.
    assert_eq!(copies(&folder).len(), 21);
    assert!(!old(6).exists() && old(7).exists());
    assert_done(&place.run(&so_many(1), &[]));
    assert_eq!(copies(&folder).len(), 2);
    assert!(folder.join("mine.jsonl").exists());
}

#[test]
fn a_part_that_a_killed_hook_left_goes_after_the_longest_time_of_a_copy() {
    let place = TestProject::new();
    let folder = place.path("project/.claude/transcripts");
    fs::create_dir_all(&folder).unwrap();
    let part = |number| folder.join(format!("2001-01-01T00-00-00.00{number}Z-auto-s.jsonl.part"));
    for (number, age) in [(1, 2), (2, 0)] {
        fs::write(part(number), "half").unwrap();
        let time = SystemTime::now() - Duration::from_secs(age * 60 * 60);
        let file = File::options().write(true).open(part(number)).unwrap();
        file.set_modified(time).unwrap();
    }
    assert_done(&place.run(&Transcripts::default(), &[]));
    assert!(!part(1).exists() && part(2).exists());
}

#[test]
fn without_a_transcript_nothing_is_made() {
    let place = TestProject::new();
    fs::remove_file(place.transcript()).unwrap();
    assert_done(&place.run(&Transcripts::default(), &[]));
    assert!(!place.path("project/.claude").exists());
    let event = changed(MANUAL, |event| event["transcript_path"] = "".into());
    assert_done(&run_recorded(keep_transcript::DEF, event.as_bytes()));
}

#[test]
fn what_cannot_be_kept_is_reported_and_the_conversation_is_compacted() {
    let place = TestProject::new();
    fs::write(place.path("project/.claude"), "a file").unwrap();
    let verdict = place.run(&Transcripts::default(), &[]);
    assert_eq!(verdict.action, Action::GoesOn);
    verdict.assert_model_reads("cannot keep a copy of `");
    let oldest = "kept/2001-01-01T00-00-00.000Z-auto-s.jsonl";
    fs::create_dir_all(place.path("project").join(oldest)).unwrap();
    let config = Transcripts {
        folder: "kept".into(),
        ..so_many(1)
    };
    let verdict = place.run(&config, &[]);
    assert_eq!(verdict.action, Action::GoesOn);
    verdict.assert_model_reads("cannot remove the oldest copies in `");
    assert_eq!(copies(&place.path("project/kept")).len(), 2);
}

#[cfg(unix)]
#[test]
fn a_link_of_the_repository_is_not_written_through() {
    for (linked, message) in [
        (".claude/transcripts", None),
        (".claude", None),
        ("kept", Some("kept/here")),
        ("kept/here", Some("kept/here")),
    ] {
        let place = TestProject::new();
        let link = place.path("project").join(linked);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        fs::create_dir(place.path("public")).unwrap();
        symlink(place.path("public"), link).unwrap();
        place
            .run(&message.map_or_else(Transcripts::default, within), &[])
            .assert_model_reads("it is a link, which might lead anywhere; remove it");
        assert!(copies(&place.path("public")).is_empty(), "{linked}");
    }
    // Outside of the project it is the user's own.
    let place = TestProject::new();
    fs::create_dir(place.path("large")).unwrap();
    symlink("large", place.path("link")).unwrap();
    let link = place.path("link");
    assert_done(&place.run(&within(&link), &[]));
    assert_eq!(copies(&place.path("large/-the-project")).len(), 1);
}

#[test]
fn sessions_at_the_same_time_keep_whole_copies() {
    let place = TestProject::new();
    let text = "x".repeat(1_000_000);
    fs::write(place.transcript(), &text).unwrap();
    thread::scope(|scope| {
        for number in 0..8 {
            let place = &place;
            scope.spawn(move || {
                let event = changed(MANUAL, |event| {
                    event["cwd"] = place.path("project").to_str().into();
                    event["transcript_path"] = place.transcript().to_str().into();
                    event["session_id"] = number.to_string().into();
                });
                let run = || run_recorded(keep_transcript::DEF, event.as_bytes());
                assert_done(&with_config(&so_many(5), run));
            });
        }
    });
    assert_done(&place.run(&so_many(5), &[]));
    let copies = copies(&place.path("project/.claude/transcripts"));
    assert_eq!(copies.len(), 5);
    for copy in copies {
        assert!(fs::read_to_string(copy).unwrap() == text);
    }
}
