use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use super::*;
use crate::event::Stop;
use test_support::Has;

mod processes;

type Counts = BTreeMap<String, u32>;

fn context(session: &str) -> Context {
    Context { session_id: session.to_owned(), project_dir: "/project".into(), ..Context::default() }
}

fn states(root: &Path) -> States {
    States::new(root, &context("s"))
}

fn counts(root: &Path) -> State<Counts> {
    states(root).of_session("counts").unwrap()
}

fn count(state: &State<Counts>, name: &str) {
    state.update(|counts| *counts.entry(name.to_owned()).or_default() += 1).unwrap();
}

/// Returns the paths of all files below a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in fs::read_dir(folder).unwrap() {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        if file.file_type().unwrap().is_dir() {
            names.extend(self::names(&file.path()).into_iter().map(|inner| format!("{name}/{inner}")));
        } else {
            names.insert(name);
        }
    }
    names
}

/// Moves the times of a session this many days into the past.
fn age(folder: &Path, days: u64) {
    let time = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    for path in files.chain([folder.to_owned()]) {
        let mut options = File::options();
        // Windows opens a folder only with this flag, and asks for the right to write.
        #[cfg(windows)]
        std::os::windows::fs::OpenOptionsExt::custom_flags(options.write(true), 0x0200_0000);
        options.read(true).open(path).unwrap().set_modified(time).unwrap();
    }
}

/// Creates a session with a state that was last used this many days ago.
fn old_session(root: &Path, session: &str, days: u64) -> PathBuf {
    let state = States::new(root, &context(session)).of_session("counts").unwrap();
    count(&state, "once");
    let folder = root.join(SESSIONS).join(session);
    age(&folder, days);
    folder
}

#[test]
fn a_value_is_the_default_until_it_is_written() {
    let root = test_support::folder();
    let state = counts(root.path());
    assert_eq!(state.read().unwrap(), Counts::new());
    assert_eq!(names(root.path()), BTreeSet::new(), "reading creates no files");
    let returned = state.update(|counts| counts.insert("a".to_owned(), 1)).unwrap();
    assert_eq!(returned, None);
    count(&state, "a");
    assert_eq!(counts(root.path()).read().unwrap()["a"], 2);
}

#[test]
fn sessions_projects_and_names_have_their_own_values() {
    let root = test_support::folder();
    let mut other = context("s");
    other.project_dir = "/other".into();
    let all = [
        states(root.path()).of_session::<u32>("a"),
        states(root.path()).of_session("b"),
        States::new(root.path(), &context("t")).of_session("a"),
        states(root.path()).of_project("a"),
        States::new(root.path(), &other).of_project("a"),
    ]
    .map(Result::unwrap);
    for (number, state) in (1..).zip(&all) {
        state.update(|value| *value = number).unwrap();
    }
    assert_eq!(all.map(|state| state.read().unwrap()), [1, 2, 3, 4, 5]);
}

#[test]
fn any_name_has_its_own_file_in_the_folder() {
    const NAMES: [&str; 16] = [
        "", ".", "..", "../..", "/etc/passwd", "a/b", "a%2Fb", "a", "a.json", "a.lock", "%", "\\..\\a", "\0", "\n",
        "é", "-rf",
    ];
    let root = test_support::folder();
    let inner = root.path().join("inner");
    let long = "x".repeat(5000);
    let texts = [&NAMES[..], &[&long, &long[1..]]].concat();
    let state = |text| States::new(&inner, &context(text)).of_session::<usize>(text).unwrap();
    for (number, text) in (0..).zip(&texts) {
        state(text).update(|value| *value = number).unwrap();
    }
    for (number, text) in (0..).zip(&texts) {
        assert_eq!(state(text).read().unwrap(), number, "{text:?}");
    }
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    assert_eq!(fs::read_dir(inner.join(SESSIONS)).unwrap().count(), texts.len());
    assert_eq!(files::file_name(b"00000000-0000-4000-8000-000000000001").len(), 36);
    assert_eq!(files::file_name(b"/home/me/app.js"), "%2Fhome%2Fme%2Fapp%2Ejs");
}

#[test]
#[cfg(unix)]
fn other_users_cannot_read_it() {
    use std::os::unix::fs::PermissionsExt;

    let root = test_support::folder();
    let inner = root.path().join("state/hookkit");
    count(&counts(&inner), "a");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for folder in ["state", "state/hookkit", "state/hookkit/sessions", "state/hookkit/sessions/s"] {
        assert_eq!(mode(&root.path().join(folder)), 0o700, "{folder}");
    }
    for file in ["lock", "sessions/s/counts.json", "sessions/s/counts.lock"] {
        assert_eq!(mode(&inner.join(file)), 0o600, "{file}");
    }
}

#[test]
fn absolute_variables_determine_the_folder() {
    let hookkit = |variables: &[(&str, &str)]| {
        let found = root(|name| Some(variables.iter().find(|(set, _)| *set == name)?.1.into()));
        found.map(|path| path.to_str().unwrap().to_owned())
    };
    if cfg!(windows) {
        return;
    }
    let home = ("HOME", "/home/me");
    assert_eq!(hookkit(&[home]).as_deref(), Some("/home/me/.local/state/hookkit"));
    let expected = Some("/x/hookkit");
    assert_eq!(hookkit(&[home, ("XDG_STATE_HOME", "/x")]).as_deref(), expected);
    let expected = Some("/home/me/.local/state/hookkit");
    assert_eq!(hookkit(&[home, ("XDG_STATE_HOME", "x")]).as_deref(), expected);
    let plugin = ("CLAUDE_PLUGIN_DATA", "/plugin");
    let expected = Some("/plugin/hookkit");
    assert_eq!(hookkit(&[home, ("XDG_STATE_HOME", "/x"), plugin]).as_deref(), expected);
    assert_eq!(hookkit(&[]), None);
}

#[test]
fn an_event_determines_the_session_and_the_project() {
    let payload = br#"{"session_id":"s","cwd":"/project"}"#;
    let payload = Payload::parse(payload).unwrap();
    let states = <States as FromInput<Stop>>::from_input(&payload).unwrap();
    let expected = ("s", Some("/project"));
    assert_eq!((&*states.session_id, states.project_dir.to_str()), expected);
    let error = states.of_session::<u32>("a").unwrap_err().to_string();
    assert_eq!(
        error,
        "there is no folder for the state `a`: set `XDG_STATE_HOME` or `HOME` to an absolute path \
         (in a test: `testing::Session`)"
    );
}

#[test]
fn an_invalid_value_is_moved_aside_and_replaced_by_the_default() {
    for text in ["", "{\"a\":", "[1, 2]", "{\"a\":\"many\"}", &" ".repeat(3 << 20)] {
        let root = test_support::folder();
        let state = counts(root.path());
        count(&state, "a");
        fs::write(state.files.path(), text).unwrap();
        // Each process appends its own text, in any order.
        if text.len() % 2 == 0 {
            assert_eq!(state.read().unwrap(), Counts::new());
            assert!(!state.files.path().exists());
        }
        count(&state, "b");
        assert_eq!(state.read().unwrap(), Counts::from([("b".to_owned(), 1)]));
        let found = fs::read_to_string(state.files.path().with_extension("aside")).unwrap();
        assert_eq!(found, text);
    }
}

#[test]
fn a_value_that_cannot_be_written_leaves_the_old_one() {
    let root = test_support::folder();
    let state = states(root.path()).of_session::<String>("text").unwrap();
    state.update(|text| *text = "old".to_owned()).unwrap();
    let error = state.update(|text| *text = "x".repeat(1 << 20)).unwrap_err().to_string();
    error.has("it would have 1048578 bytes, and the limit is 1048576");
    assert_eq!(state.read().unwrap(), "old");
    let panicked = std::panic::catch_unwind(|| state.update(|_| panic!("a bug in the hook")));
    assert!(panicked.is_err());
    state.update(|text| assert_eq!(text, "old")).unwrap();

    let state = states(root.path()).of_session::<BTreeMap<(u8, u8), u8>>("pairs").unwrap();
    let error = state.update(|pairs| pairs.insert((1, 2), 3)).unwrap_err().to_string();
    assert!(error.contains("cannot be written: key must be a string"), "{error}");
}

#[test]
fn a_folder_that_cannot_be_created_is_an_error_with_its_path() {
    let root = test_support::folder();
    fs::write(root.path().join(SESSIONS), "a file").unwrap();
    let error = counts(root.path()).update(|_| ()).unwrap_err().to_string();
    let path = root.path().join(SESSIONS).join("s");
    error.starts(&format!("the state `counts`: {} cannot be created: ", path.display()));
}

#[test]
fn waiting_for_a_locked_state_times_out() {
    let root = test_support::folder();
    let state = counts(root.path());
    let mut other = counts(root.path());
    other.files.max_wait = Duration::from_millis(50);
    let error = state.update(|_| other.update(|_| ()).unwrap_err().to_string()).unwrap();
    error.starts("the state `counts` was locked by another hook for 0.1 s: ");
    count(&state, "a");
}

#[test]
fn a_state_that_is_locked_is_not_waited_for() {
    let root = test_support::folder();
    let (state, other) = (counts(root.path()), counts(root.path()));
    let started = Instant::now();
    let outer = state.try_update(|counts| {
        counts.insert("a".to_owned(), 1);
        assert_eq!(other.try_update(|_| panic!("it is locked")).unwrap(), None::<()>);
        assert_eq!(other.read().unwrap(), Counts::new());
        "done"
    });
    assert_eq!(outer.unwrap(), Some("done"));
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    assert_eq!(other.try_update(|counts| counts["a"]).unwrap(), Some(1));
    fs::write(root.path().join("file"), "").unwrap();
    assert!(counts(&root.path().join("file")).try_update(|_| ()).is_err());
}

#[test]
fn the_first_state_of_a_session_removes_old_sessions() {
    let root = test_support::folder();
    let root = root.path();
    let sessions = ["young", "read", "old"].map(|session| old_session(root, session, 29));
    let project = states(root).of_project::<u32>("a").unwrap();
    project.update(|_| ()).unwrap();
    age(project.files.path().parent().unwrap(), 400);
    for session in &sessions[1..] {
        age(session, 31);
    }
    let read = States::new(root, &context("read")).of_session::<Counts>("counts").unwrap();
    assert_eq!(read.read().unwrap()["once"], 1);
    count(&counts(root), "a");
    assert_eq!(sessions.map(|session| session.exists()), [true, true, false]);
    assert!(project.files.path().exists());
    // The session already has its folder: nothing is removed again.
    let old = old_session(root, "old", 31);
    count(&counts(root), "a");
    assert!(old.exists());
}

#[test]
fn a_locked_state_is_not_removed() {
    let root = test_support::folder();
    let old = old_session(root.path(), "old", 31);
    let state = States::new(root.path(), &context("old")).of_session::<Counts>("counts").unwrap();
    state.update(|_| count(&counts(root.path()), "a")).unwrap();
    assert!(old.exists());
    assert_eq!(state.read().unwrap()["once"], 1);
}
