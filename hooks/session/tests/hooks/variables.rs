//! Tests of `load_environment`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use hmac_sha256::Hash;
use hookkit::Hook;
use hookkit::testing::{Recorded, Session, Verdict};
use hookkit_session::variables::load_environment;

const LIST: &str = "../state/hookkit/environment";

fn start(session: &Session) -> Verdict {
    session.run(load_environment::DEF, &Recorded::of("SessionStart startup"))
}

fn hash(bytes: &[u8]) -> String {
    Hash::hash(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Adds a file to hookkit's list, as `sha256sum` does.
fn allow(session: &Session, file: &str) {
    let path = session.path(file);
    let line = format!("{}  {}\n", hash(&fs::read(&path).unwrap()), path.display());
    let list = fs::read_to_string(session.path(LIST)).unwrap_or_default();
    session.write(LIST, list + &line);
}

/// Adds a file to one of direnv's lists.
fn in_direnv(session: &Session, list: &str, file: &str, text: &str) {
    let name = hash(format!("{}\n{text}", session.path(file).display()).as_bytes());
    session.write(format!("~/.local/share/direnv/{list}/{name}"), "");
}

/// Returns a session whose project has a file of each kind.
fn session() -> Session {
    let mut session = Session::new();
    let home = session.path("~").into_os_string();
    session.set("PATH", session.bin()).set("HOME", home);
    session.write(".env", "A=from-env\nB='b c'\n");
    session.write(".envrc", "export A=from-direnv\n");
    session.write("mise.toml", "[env]\nC = 'c'\n");
    session.write(".nvmrc", "v20\n");
    session.write(".venv/pyvenv.cfg", "home = /usr\n");
    session.program(
        "direnv",
        r#"[ "$*" = 'export json' ] && echo '{"A":"from-direnv","D":"d","GONE":null,"DIRENV_DIR":"x"}'"#,
    );
    session.program("mise", r#"[ "$*" = 'env --json' ] && echo '{"C":"c"}'"#);
    session
}

#[test]
fn a_file_that_the_user_has_not_allowed_sets_nothing_and_starts_nothing() {
    let session = session();
    start(&session).assert_passed();
    // The list of another path, and of another content.
    session.write("other/.env", "A=from-env\nB='b c'\n");
    allow(&session, "other/.env");
    in_direnv(&session, "allow", ".envrc", "export A=1\n");
    in_direnv(&session, "allow", "other/.envrc", "export A=from-direnv\n");
    start(&session).assert_passed();
    assert_eq!((session.env_file().as_str(), session.started().len()), ("", 0));
}

#[test]
fn a_list_of_the_checkout_allows_nothing() {
    let session = session();
    let line = format!("{}  {}\n", hash(b"A=from-env\nB='b c'\n"), session.path(".env").display());
    for list in [".local/state/hookkit/environment", ".config/hookkit/environment", "hookkit/environment"] {
        session.write(list, &line);
    }
    start(&session).assert_passed();
    assert_eq!(session.env_file(), "");
}

#[test]
fn the_lines_of_an_allowed_env_are_set_until_it_changes() {
    let session = session();
    allow(&session, ".env");
    start(&session).assert_passed();
    assert_eq!(session.env_file(), "export A='from-env'\nexport B='b c'\n");
    assert!(session.started().is_empty());
    session.write(".env", "A=other\n");
    start(&session).assert_failed(
        "`{}` is not loaded, because it has changed".replace("{}", session.path(".env").to_str().unwrap()).as_str(),
    );
    assert!(!session.env_file().contains("other"));
    fs::remove_file(session.path(".env")).unwrap();
    start(&session).assert_passed();
}

#[test]
fn what_direnv_allows_is_exported_by_direnv() {
    let session = session();
    in_direnv(&session, "allow", ".envrc", "export A=from-direnv\n");
    start(&session).assert_passed();
    assert_eq!(session.env_file(), "export A='from-direnv'\nexport D='d'\n");
    let started = session.started();
    assert!(started[0][0].ends_with("direnv") && started[0][1..] == ["export", "json"], "{started:?}");
    in_direnv(&session, "deny", ".envrc", "");
    start(&session).assert_passed();
    assert_eq!(session.started().len(), 1);
}

#[test]
fn a_denied_or_missing_program_is_an_error_and_the_others_are_set() {
    let session = session();
    for file in [".env", ".envrc", "mise.toml"] {
        allow(&session, file);
    }
    session.program("direnv", "echo '.envrc is blocked' >&2; exit 1");
    fs::remove_file(session.bin().join("mise")).unwrap();
    let verdict = start(&session);
    verdict.assert_failed(".envrc is blocked").assert_failed("mise");
    assert_eq!(session.env_file(), "export A='from-env'\nexport B='b c'\n");
}

#[test]
fn mise_node_and_a_virtual_environment_are_found_by_their_files() {
    let session = session();
    for file in ["mise.toml", ".nvmrc", ".venv/pyvenv.cfg"] {
        allow(&session, file);
    }
    start(&session).assert_failed("no Node that matches `v20`");
    for version in ["v20.9.0", "v20.10.1", "v200.1.0", "v18.0.0"] {
        session.write(format!("~/.nvm/versions/node/{version}/bin/node"), "");
    }
    let before = session.env_file().len();
    start(&session).assert_passed();
    let [node, venv] = ["~/.nvm/versions/node/v20.10.1/bin", ".venv/bin"].map(|path| session.path(path));
    let path = [&venv, &node, &session.bin()].map(|path| path.display().to_string()).join(":");
    let venv = session.path(".venv");
    let expected = format!("export PATH='{path}'\nexport C='c'\nexport VIRTUAL_ENV='{}'\n", venv.display());
    assert_eq!(session.env_file()[before..], expected);
}

#[test]
fn after_a_change_of_folder_the_inner_file_counts() {
    let mut session = session();
    session.write("sub/.env", "A=inner\n");
    session.write("../elsewhere/.env", "E=1\n");
    for file in [".env", "sub/.env", "../elsewhere/.env"] {
        allow(&session, file);
    }
    let mut change = |folder: &str| {
        let before = session.env_file().len();
        session.context_mut().cwd = session.path(folder);
        let event = Recorded::of("CwdChanged").with("cwd", session.path(folder)).with("new_cwd", session.path(folder));
        session.run(load_environment::DEF, &event).assert_goes_ahead();
        session.env_file()[before..].to_owned()
    };
    assert_eq!(change("sub"), "export A='inner'\nexport B='b c'\n");
    assert_eq!(change("../elsewhere"), "export E='1'\n");
}

#[test]
fn what_a_checkout_puts_in_the_place_of_a_file_is_not_waited_for() {
    for obstacle in ["a link to /dev/zero", "a pipe", "a folder", "a link that leads nowhere", "a link to itself"] {
        let session = session();
        let outside = session.path("~");
        for file in [".env", ".envrc", ".nvmrc", "mise.toml"] {
            test_support::obstacles::put(&session.path(file), obstacle, &outside).unwrap();
        }
        start(&session).assert_passed();
        assert_eq!(session.env_file(), "", "{obstacle}");
    }
}

#[test]
fn a_value_is_never_run() {
    let session = session();
    session.write(".env", "A=$(touch x)\nB='`touch x`'\nC=\"'; touch x\"\nA-B=1\nUID=0\n");
    allow(&session, ".env");
    start(&session).assert_failed("`UID` cannot be set");
    let lines = session.env_file();
    assert!(lines.contains("export A='$(touch x)'\n") && lines.contains("export B='`touch x`'\n"), "{lines}");
    let shell = std::process::Command::new("/bin/sh").args(["-c", &lines]).current_dir(session.path("")).status();
    assert!(shell.unwrap().success() && !session.path("x").exists());
}

#[test]
fn a_link_to_a_secret_is_not_read_unless_it_is_allowed() {
    let session = session();
    let secret = session.write("~/secret.env", "TOKEN=1\n");
    fs::remove_file(session.path(".env")).unwrap();
    symlink(&secret, session.path(".env")).unwrap();
    // The user's own file is allowed, and not the checkout's link to it.
    session.write(LIST, format!("{}  {}\n", hash(b"TOKEN=1\n"), secret.display()));
    start(&session).assert_passed();
    assert_eq!(session.env_file(), "");
    assert!(Path::new(&secret).is_file());
}
