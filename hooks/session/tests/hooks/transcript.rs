//! Tests of `keep_transcript`.

use std::fs::{self, File};
#[cfg(unix)]
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use hookkit::Hook;
use hookkit::testing::{Recorded, Session, Verdict};
use hookkit_session::transcript::{Transcripts, keep_transcript};

/// Returns a session whose transcript has one line.
fn session() -> Session {
    let session = Session::new();
    write_transcript(&session, "{}\n");
    session
}

fn write_transcript(session: &Session, text: &str) {
    session.write(&session.context().transcript_path, text);
}

fn run(session: &mut Session, config: &Transcripts) -> Verdict {
    session.configure(keep_transcript::DEF, config);
    session.run(keep_transcript::DEF, &Recorded::of("PreCompact"))
}

/// Returns a configuration with copies in this folder.
fn within(folder: impl Into<PathBuf>) -> Transcripts {
    Transcripts { folder: folder.into(), ..Transcripts::default() }
}

/// Returns a configuration with this number of copies.
fn so_many(kept: usize) -> Transcripts {
    Transcripts { kept: kept.try_into().unwrap(), ..Transcripts::default() }
}

/// Asserts that the hook succeeded. The client reports that itself, in the outcome of `/compact`.
#[track_caller]
fn assert_done(verdict: &Verdict) {
    verdict.assert_goes_ahead().assert_model_reads("PreCompact [keep-transcript] completed successfully");
}

/// Returns the files of a folder except `.gitignore`, in the order of their names.
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
    let mut session = session();
    let text = "{\"message\":\"\u{fc}\"}\n".repeat(100_000);
    write_transcript(&session, &text);
    #[cfg(unix)]
    {
        let transcript = &session.context().transcript_path;
        fs::set_permissions(transcript, fs::Permissions::from_mode(0o644)).unwrap();
    }
    assert_done(&run(&mut session, &Transcripts::default()));
    let folder = session.path(".claude/transcripts");
    let [copy] = &copies(&folder)[..] else { panic!("one copy: {:?}", copies(&folder)) };
    let name = copy.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("20") && name.ends_with("Z-manual-00000000-0000-4000-8000-000000000001.jsonl"), "{name}");
    assert_eq!(fs::read_to_string(copy).unwrap(), text);
    #[cfg(unix)]
    assert_eq!((mode(copy), mode(&folder)), (0o600, 0o700));
    assert_eq!(fs::read_to_string(folder.join(".gitignore")).unwrap(), "*\n");
}

#[test]
fn a_configured_folder_is_used_and_has_one_for_each_project_outside_of_them() {
    let mut session = session();
    let outside = session.path("../outside");
    assert_done(&run(&mut session, &within(&outside)));
    assert_eq!(copies(&outside.join("project")).len(), 1);
    assert_done(&run(&mut session, &within("~/kept")));
    assert_eq!(copies(&session.path("~/kept/project")).len(), 1);
    assert_done(&run(&mut session, &within("kept/here")));
    assert_eq!(copies(&session.path("kept/here")).len(), 1);
    assert_done(&run(&mut session, &within("../other")));
    assert_eq!(copies(&session.path("../other/project")).len(), 1);
    assert!(!session.path(".claude").exists());
    // None is configured, and the project's root is not the folder.
    assert_done(&run(&mut session, &within("")));
    assert_eq!(copies(&session.path(".claude/transcripts")).len(), 1);
}

#[test]
fn so_many_are_kept_and_what_is_not_a_copy_stays() {
    let mut session = session();
    let folder = session.path(".claude/transcripts");
    fs::create_dir_all(&folder).unwrap();
    let old = |number| folder.join(format!("2001-01-{number:02}T00-00-00.000Z-auto-s.jsonl"));
    for number in 1..=25 {
        fs::write(old(number), "").unwrap();
    }
    fs::write(folder.join("mine.jsonl"), "").unwrap();
    assert_done(&run(&mut session, &Transcripts::default()));
    // It, the user's own, and the 19 youngest.
    assert_eq!(copies(&folder).len(), 21);
    assert!(!old(6).exists() && old(7).exists());
    assert_done(&run(&mut session, &so_many(1)));
    assert_eq!(copies(&folder).len(), 2);
    assert!(folder.join("mine.jsonl").exists());
}

#[test]
fn a_part_that_a_killed_hook_left_goes_after_the_longest_time_of_a_copy() {
    let mut session = session();
    let folder = session.path(".claude/transcripts");
    fs::create_dir_all(&folder).unwrap();
    let part = |number| folder.join(format!("2001-01-01T00-00-00.00{number}Z-auto-s.jsonl.part"));
    for (number, age) in [(1, 2), (2, 0)] {
        fs::write(part(number), "half").unwrap();
        let time = SystemTime::now() - Duration::from_secs(age * 60 * 60);
        let file = File::options().write(true).open(part(number)).unwrap();
        file.set_modified(time).unwrap();
    }
    assert_done(&run(&mut session, &Transcripts::default()));
    assert!(!part(1).exists() && part(2).exists());
}

#[test]
fn without_a_transcript_nothing_is_made() {
    let mut session = session();
    fs::remove_file(&session.context().transcript_path).unwrap();
    assert_done(&run(&mut session, &Transcripts::default()));
    assert!(!session.path(".claude").exists());
    session.context_mut().transcript_path = "".into();
    assert_done(&run(&mut session, &Transcripts::default()));
    assert!(!session.path(".claude").exists());
}

#[test]
fn what_cannot_be_kept_is_reported_and_the_conversation_is_compacted() {
    let mut session = session();
    session.write(".claude", "a file");
    run(&mut session, &Transcripts::default()).assert_goes_ahead().assert_model_reads("cannot keep a copy of `");
    let oldest = "kept/2001-01-01T00-00-00.000Z-auto-s.jsonl";
    fs::create_dir_all(session.path(oldest)).unwrap();
    let config = Transcripts { folder: "kept".into(), ..so_many(1) };
    run(&mut session, &config).assert_goes_ahead().assert_model_reads("cannot remove the oldest copies in `");
    assert_eq!(copies(&session.path("kept")).len(), 2);
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
        let mut session = session();
        let link = session.path(linked);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        fs::create_dir(session.path("../public")).unwrap();
        symlink(session.path("../public"), link).unwrap();
        run(&mut session, &message.map_or_else(Transcripts::default, within))
            .assert_model_reads("it is a link, which might lead anywhere; remove it");
        assert!(copies(&session.path("../public")).is_empty(), "{linked}");
    }
    // Outside of the project it is the user's own.
    let mut session = session();
    fs::create_dir(session.path("../large")).unwrap();
    symlink("large", session.path("../link")).unwrap();
    let link = session.path("../link");
    assert_done(&run(&mut session, &within(&link)));
    assert_eq!(copies(&session.path("../large/project")).len(), 1);
}

#[test]
fn sessions_at_the_same_time_keep_whole_copies() {
    let mut session = session();
    let text = "x".repeat(1_000_000);
    write_transcript(&session, &text);
    session.configure(keep_transcript::DEF, &so_many(5));
    thread::scope(|scope| {
        for number in 0..8 {
            let session = &session;
            scope.spawn(move || {
                let event = Recorded::of("PreCompact").with("session_id", number.to_string());
                assert_done(&session.run(keep_transcript::DEF, &event));
            });
        }
    });
    assert_done(&run(&mut session, &so_many(5)));
    let copies = copies(&session.path(".claude/transcripts"));
    assert_eq!(copies.len(), 5);
    for copy in copies {
        assert!(fs::read_to_string(copy).unwrap() == text);
    }
}
