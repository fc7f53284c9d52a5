//! `check_packages`.

use hookkit::testing::{Recorded, Session, Verdict};
use hookkit::{Hook, Timestamp};
use hookkit_guard::packages::{Packages, check_packages};

fn run(session: &Session, line: &str) -> Verdict {
    let call = Recorded::of("PreToolUse Bash").with("tool_input.command", line);
    session.run(check_packages::DEF, &call)
}

#[test]
fn the_question_says_what_can_be_determined() {
    let session = Session::new();
    for (line, expected) in [
        (
            "npm install lodahs left-pad",
            "`npm install lodahs left-pad` fetches packages that the project does not have: `lodahs`, one letter from `lodash`; `left-pad`. \
             Without `--ignore-scripts`, scripts of a package run during the install. Check that each name is the package that you intend",
        ),
        ("npm i user/repository", "`user/repository`, which is not from the registry. Without"),
        ("npm i --ignore-scripts x", "does not have: `x`. Check that"),
        ("pip install reqeusts", "`reqeusts`, one letter from `requests`. Without `--only-binary`, scripts"),
        ("cargo add tokoi", "`tokoi`, one letter from `tokio`. Check that"),
        ("npm i \"$name\"", "`…`. Without"),
    ] {
        run(&session, line).assert_asked(expected);
    }
    assert!(session.started().is_empty(), "nothing is looked up");
}

#[test]
fn a_workspace_allows_names() {
    let mut session = Session::new();
    let mut config = Packages::default();
    config.allowed.push("@acme/*".to_owned());
    session.configure(check_packages::DEF, &config);
    run(&session, "npm i @acme/tools && pip install -U pip").assert_passed();
    run(&session, "npm i @other/tools").assert_asked("`@other/tools`");
}

#[test]
fn npm_is_asked_for_the_age_of_a_package() {
    let mut session = Session::new();
    let config = Packages { look_up: true, ..Packages::default() };
    session.configure(check_packages::DEF, &config);
    let answers = |time: &str| {
        let json = format!(r#"{{"version":"1.2.0","time":{{"1.2.0":"{time}"}}}}"#);
        session.program("npm", &format!("pwd > \"$0.folder\"; echo '{json}'"));
        run(&session, "npm i left-pad@1")
    };
    answers(&Timestamp::now().to_string())
        .assert_asked("`left-pad@1`, whose version 1.2.0 is younger than a week. Without");
    answers("2024-12-07T08:03:45.988000+00:00").assert_asked("`left-pad@1`. Without");
    let started = session.started();
    assert_eq!(started[0][1..], ["view", "--json", "--", "left-pad@1", "version", "time"]);
    assert_eq!(session.read(session.bin().join("npm.folder")), "/\n");

    session.program("npm", r#"echo '{"error":{"code":"E404"}}'; exit 1"#);
    run(&session, "npm i left-pad").assert_asked("`left-pad`, which the registry does not have. Without");
    session.program("npm", "echo offline >&2; exit 1");
    run(&session, "npm i left-pad").assert_failed("npm cannot look up `left-pad`: offline").assert_denied("offline");
    // Only npm is asked, and not about packages that the project has.
    session.write("package.json", "\"left-pad\": 1");
    run(&session, "npm i left-pad").assert_passed();
    run(&session, "cargo add x").assert_asked("`x`. Check");
}

#[test]
fn a_lock_file_that_cannot_be_read_denies_and_a_link_out_of_the_project_does_not_count() {
    let session = Session::new();
    let outside = session.write("~/elsewhere", "\"left-pad\": 1");
    std::os::unix::fs::symlink(outside, session.path("yarn.lock")).unwrap();
    run(&session, "npm i left-pad").assert_asked("`left-pad`");
    session.write("package-lock.json", b"\xff");
    run(&session, "npm i left-pad").assert_failed("package-lock.json` cannot be read").assert_denied("cannot be read");
    run(&session, "npm i && npm i ./local").assert_passed();
}

#[test]
fn a_skill_that_installs_something_new_is_denied() {
    let session = Session::new();
    let call = Recorded::of("PreSkillShellCommand Bash").with("tool_input.command", "npm i left-pad");
    session.run(check_packages::DEF, &call).assert_denied("the hook asked for approval");
}
