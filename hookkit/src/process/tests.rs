use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::{CommandExt, ExitStatusExt};

use super::*;

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(script);
    command
}

/// Returns `true` if a process exists and has not exited.
fn is_running(process: &str) -> bool {
    let state = Command::new("ps").args(["-o", "stat=", "-p", process.trim()]).output();
    let state = state.unwrap();
    !state.stdout.is_empty() && !state.stdout.starts_with(b"Z")
}

fn is_gone(process: &str) -> bool {
    // A killed process still has to be reaped by its parent.
    (0..500).any(|_| {
        thread::sleep(POLL_INTERVAL);
        !is_running(process)
    })
}

#[test]
fn arguments_are_not_read_by_a_shell() {
    let hostile = ["two words", "$(id)", "it's", "\"", "*", "-n", "; id", "ä", ""];
    let output = Command::new("printf").arg("%s\n").args(hostile).output().unwrap();
    assert_eq!(output.stdout_text(), hostile.join("\n").trim_end());
}

#[test]
fn a_program_reads_its_stdin_and_nothing_else() {
    assert_eq!(Command::new("cat").output().unwrap().stdout, b"");
    // More than the capacity of a pipe, in both directions.
    let text: Vec<u8> = (0..=255).cycle().take(900_000).collect();
    let output = Command::new("cat").stdin(text.clone()).output().unwrap();
    assert!(output.stdout == text && !output.is_cut_off);
    let ignored = Command::new("true").stdin(text).output().unwrap();
    assert!(ignored.status.success());
}

#[test]
fn output_beyond_the_limit_is_discarded() {
    let script = "head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2; echo done >&2; exit 3";
    for limit in [0, 1, 100_000] {
        let output = shell(script).output_limit(limit).output().unwrap();
        assert_eq!((output.stdout.len(), output.stderr.len()), (limit, limit));
        assert!(output.is_cut_off);
        assert_eq!(output.status.code(), Some(3));
    }
    let whole = shell(script).output_limit(3_000_005).output().unwrap();
    assert_eq!((whole.stdout.len(), whole.stderr.len()), (3_000_000, 3_000_005));
    assert!(!whole.is_cut_off);
    assert_eq!(shell(script).output().unwrap().stdout.len(), 1 << 20);
}

#[test]
fn the_end_can_be_kept_and_both_streams_merged_in_order() {
    let script = "for i in 1 2 3; do echo $i; echo $i >&2; done";
    let output = shell(script).stderr_to_stdout().output().unwrap();
    let expected = ("1\n1\n2\n2\n3\n3".into(), "".into());
    assert_eq!((output.stdout_text(), output.stderr_text()), expected);
    assert!(!output.is_cut_off);
    let output = shell(script).keep_end().output_limit(3).output().unwrap();
    let expected = (&b"\n3\n"[..], &b"\n3\n"[..], true);
    assert_eq!((&*output.stdout, &*output.stderr, output.is_cut_off), expected);
    let long = shell("seq 1000000; echo end").keep_end().output_limit(11).output().unwrap();
    assert_eq!(long.stdout_text(), "000000\nend");
}

#[test]
fn a_late_program_is_killed_with_its_children() {
    let folder = test_support::folder();
    let mut command = shell("sleep 60 & echo $! > grandchild; wait");
    command.current_dir(folder.path()).time_limit(Duration::from_millis(300));
    let late = command.output().unwrap_err();
    assert_eq!(late.kind(), io::ErrorKind::TimedOut);
    assert_eq!(late.to_string(), "`sh` timed out after 0.3 s and was killed");
    let grandchild = fs::read_to_string(folder.path().join("grandchild")).unwrap();
    assert!(is_gone(&grandchild));
}

#[test]
fn a_late_program_can_clean_up_before_it_is_killed() {
    for (trap, is_in_order) in [(": > order; exit", true), ("", false)] {
        let folder = test_support::folder();
        // A waiting shell runs its trap at once, and this trap starts no program: it has a tenth of a second.
        let mut command = shell(&format!("echo $$ > process; trap '{trap}' TERM; sleep 60 & wait"));
        command.current_dir(folder.path()).time_limit(Duration::from_millis(300));
        assert_eq!(command.output().unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(folder.path().join("order").exists(), is_in_order, "{trap}");
        let process = fs::read_to_string(folder.path().join("process")).unwrap();
        assert!(!is_running(&process), "{trap}");
    }
}

#[test]
fn a_background_program_is_not_waited_for() {
    let started = Instant::now();
    let output = shell("sleep 60 & echo $!").output().unwrap();
    assert!(started.elapsed() < Duration::from_secs(30));
    let left = output.stdout_text();
    assert!(is_running(&left));
    Command::new("kill").arg(&*left).output().unwrap();
}

#[test]
fn a_program_that_cannot_be_run_is_reported_by_name() {
    let folder = test_support::folder();
    let script = folder.path().join("script");
    fs::write(&script, "#!/bin/sh\n").unwrap();
    let script = script.to_str().unwrap();
    let missing = Command::new("no-such-program").arg("--token=secret").output().unwrap_err();
    assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    assert_eq!(missing.to_string(), "there is no program `no-such-program`");
    let forbidden = Command::new(script).output().unwrap_err();
    assert_eq!(forbidden.kind(), io::ErrorKind::PermissionDenied);
    let expected = format!("`{script}` could not be run: ");
    assert!(forbidden.to_string().starts_with(&expected));
    let nowhere = Command::new("true").current_dir("/no/such/folder").output().unwrap_err();
    let expected = "`true` could not be run in `/no/such/folder`: ";
    assert!(nowhere.to_string().starts_with(expected), "{nowhere}");
    // Handlers ignore `NotFound` if the program is optional.
    assert_ne!(nowhere.kind(), io::ErrorKind::NotFound);
    let broken = broken(folder.path());
    let expected = io::ErrorKind::NotFound;
    assert_ne!(Command::new(&broken).output().unwrap_err().kind(), expected);
    let relative = Command::new("./broken").current_dir(&folder).output().unwrap_err();
    assert_ne!(relative.kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_name_is_searched_in_the_absolute_folders_of_path_only() {
    let folder = test_support::folder();
    let at = |name: &str| folder.path().join(name);
    for name in ["bin", "other"] {
        fs::create_dir(at(name)).unwrap();
    }
    for name in ["tool", "bin/tool"] {
        symlink("/bin/echo", at(name)).unwrap();
    }
    // Earlier in the path are a file that is not executable, and a folder.
    fs::write(at("other/tool"), "").unwrap();
    fs::create_dir(at("other/dir")).unwrap();
    let run = |name: &str, path: &str| {
        let path = path.replace('@', folder.path().to_str().unwrap());
        let mut tool = Command::new(name);
        tool.env("PATH", path).arg("ran").current_dir(folder.path()).output()
    };
    for path in ["@", "@/missing:@/other:@/bin", ":.:bin:@/bin"] {
        assert_eq!(run("tool", path).unwrap().stdout_text(), "ran", "{path}");
    }
    for path in ["", ":", ".", "bin:/bin", "/bin:", "./", "../.."] {
        let missing = run("tool", path).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound, "{path}");
        assert_eq!(
            missing.to_string(),
            "there is no program `tool` in the absolute folders of `PATH`; relative folders and folders in the \
             project are not searched: give the program's path"
        );
    }
    let project = folder.path().join("bin");
    crate::testing::with_variables([("CLAUDE_PROJECT_DIR", &project)], || {
        assert!(run("tool", "@/bin").is_err());
        assert!(run("tool", "@/bin:@").is_ok());
    });
    crate::testing::with_variables([("CLAUDE_PROJECT_DIR", &project), ("HOME", &project)], || {
        assert!(run("tool", "@/bin").is_ok());
    });
    let expected = "there is no program `dir`";
    assert_eq!(run("dir", "@/other").unwrap_err().to_string(), expected);
    let expected = io::ErrorKind::PermissionDenied;
    assert_eq!(run("tool", "@/other").unwrap_err().kind(), expected);
    // A path is used as it is.
    assert_eq!(run("./tool", "").unwrap().stdout_text(), "ran");
    // `$0` is the name, and without `PATH` there is a default.
    let name = Command::new("sh").args(["-c", "echo $0"]).env_remove("PATH").output();
    assert_eq!(name.unwrap().stdout_text(), "sh");
    // A script with a missing interpreter exists.
    symlink(broken(folder.path()), at("script")).unwrap();
    assert_eq!(run("script", "@").unwrap_err().kind(), io::ErrorKind::Other);
}

/// Creates a script whose interpreter is missing.
fn broken(folder: &Path) -> PathBuf {
    let broken = folder.join("broken");
    let written = shell("printf '#!/no/such/interpreter\\n' > \"$0\" && chmod +x \"$0\"").arg(&broken).output();
    assert!(written.unwrap().status.success());
    broken
}

#[test]
fn the_exit_status_is_that_of_the_program() {
    assert_eq!(shell("exit 7").output().unwrap().status.code(), Some(7));
    // Signals that its parent blocked while it was started are unblocked. (The test runner may ignore the others.)
    for signal in ["TERM", "ALRM", "XCPU", "PIPE"] {
        let output = shell(&format!("kill -{signal} $$; echo 'not heard'")).output().unwrap();
        let expected = (true, vec![]);
        assert_eq!((output.status.signal().is_some(), output.stdout), expected, "{signal}");
    }
}

#[test]
fn a_slot_is_freed_after_its_program_has_exited() {
    assert!((0..100).all(|_| Command::new("true").output().is_ok()));
}

#[test]
fn a_detached_program_outlives_the_process_that_starts_it() {
    const FOLDER: &str = "HOOKKIT_TEST_DETACH_IN";
    if let Some(folder) = env::var_os(FOLDER) {
        let script = "sleep 1; echo $(ps -o sid= -p $$) $$ out; echo err >&2; : > done";
        let mut command = shell(script);
        command.current_dir(&folder).env_remove(FOLDER);
        command.detach_to(File::create(Path::new(&folder).join("output")).unwrap()).unwrap();
        // The process ends as a failed hook does.
        sys::exit_with_group(0);
    }
    let folder = test_support::folder();
    let started = Instant::now();
    let starter = std::process::Command::new(env::current_exe().unwrap())
        .args(["--exact", "process::tests::a_detached_program_outlives_the_process_that_starts_it"])
        .args(["--nocapture"])
        .env(FOLDER, folder.path())
        .process_group(0)
        .output()
        .unwrap();
    // Its output was read to the end before the program ended, since the program does not hold the streams.
    assert!(starter.status.success() && !folder.path().join("done").exists(), "{starter:?}");
    while !folder.path().join("done").exists() {
        assert!(started.elapsed() < Duration::from_secs(30));
        thread::sleep(POLL_INTERVAL);
    }
    let output = fs::read_to_string(folder.path().join("output")).unwrap();
    let words: Vec<&str> = output.split_whitespace().collect();
    let [session, process, "out", "err"] = words[..] else { panic!("{output}") };
    assert_eq!(session, process);
}

#[test]
fn a_program_that_cannot_be_detached_is_an_error() {
    let missing = Command::new("no-such-program").detach().unwrap_err();
    assert_eq!(missing.to_string(), "there is no program `no-such-program`");
    let unread = Command::new("cat").stdin("text").detach().unwrap_err().to_string();
    assert_eq!(
        unread,
        "`cat` could not be run: a detached program reads no stdin: write the bytes into a file, and pass its path"
    );
}
