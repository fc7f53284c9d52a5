//! `hookkit::testing::Session` and `Recorded`, as an author's tests use them.

use std::panic::catch_unwind;

use hookkit::Hook;
use hookkit::prelude::*;
use hookkit::protocol::event::EVENTS;
use hookkit::testing::{Recorded, Session};
use hookkit_tests::prelude::*;

#[allow(unreachable_pub, reason = "a hook is public")]
mod hooks {
    use hookkit::prelude::*;
    use hookkit::process::Command;
    use hookkit::state::States;
    use serde::{Deserialize, Serialize};

    /// Reports everything that a session gives a hook.
    #[hook(PreToolUse | SessionStart | PostToolUse)]
    pub fn look(payload: Json, context: Context, environment: Environment) -> ContextAnswer {
        let home = environment.variable("HOME").unwrap_or_default();
        let [cwd, project] = [&context.cwd, &context.project_dir].map(|folder| folder.display().to_string());
        let session = &context.session_id;
        let (home, payload) = (home.display(), payload.text());
        ContextAnswer::pass().with_context(format!("{cwd} {project} {home} {session} {payload}"))
    }

    #[derive(Default, Serialize, Deserialize)]
    pub struct Limit {
        pub runs: u32,
    }

    /// Counts its runs in a state, and denies those beyond a limit.
    #[hook(PreToolUse)]
    pub fn count(states: States, limit: Config<Limit>) -> Result<PreToolUseAnswer, Error> {
        let runs = states.of_session::<u32>("count")?.update(|runs| {
            *runs += 1;
            *runs
        })?;
        Ok(match runs > limit.runs {
            true => PreToolUseAnswer::deny(format!("{runs} runs")),
            false => PreToolUseAnswer::pass(),
        })
    }

    /// Sets a variable, and writes a file.
    #[hook(SessionStart)]
    pub fn prepare(context: Context, file: EnvFile) -> Result<(), Error> {
        std::fs::create_dir_all(context.project_dir.join("a/b"))?;
        std::fs::write(context.project_dir.join("a/b/c.txt"), "c")?;
        file.set("PREPARED", "it's done")
    }

    /// Shows the output of a program.
    #[hook(PostToolUse, matcher = "Edit")]
    pub fn lint(call: PostToolUse<tool::Edit, tool::NotDecoded>) -> Result<PostToolUseAnswer, Error> {
        let output = Command::new("lint").arg("--").arg(&call.input.file_path).output()?;
        Ok(PostToolUseAnswer::pass().with_context(output.stdout_text()))
    }

    /// Denies commits where git has none.
    #[hook(PreToolUse)]
    pub fn first(context: Context) -> Result<PreToolUseAnswer, Error> {
        let Some(tree) = hookkit::git::WorkTree::around(&context.cwd)? else {
            return Ok(PreToolUseAnswer::pass().with_context("no repository"));
        };
        let commits = tree.last_commits(9)?;
        let subjects: Vec<&str> = commits.iter().map(|commit| &*commit.subject).collect();
        Ok(PreToolUseAnswer::pass().with_context(subjects.join(", ")))
    }
}

fn bash() -> PreToolUse<tool::Bash> {
    PreToolUse::new("Bash", tool::Bash::new("ls"))
}

#[test]
fn a_hook_gets_the_folders_of_its_session_on_typed_and_recorded_events() {
    let session = Session::new();
    let [project, home] = ["", "~"].map(|folder| session.path(folder).display().to_string());
    let start = format!("{project} {project} {home} {} ", session.context().session_id);
    for name in ["PreToolUse Read", "SessionStart startup", "PostToolUse Write"] {
        let verdict = session.run(hooks::look::DEF, &Recorded::of(name));
        verdict.assert_model_reads(&start);
        let read = &verdict.model_reads[0].text;
        assert!(!read.contains("/home/user"), "{read}");
    }
    session.run(hooks::look::DEF, &bash()).assert_model_reads(&start);
    let started = session.run(hooks::look::DEF, &SessionStart::new("startup"));
    started.assert_model_reads(&start);
}

#[test]
fn what_a_test_sets_in_a_recorded_event_or_in_the_context_is_what_the_hook_gets() {
    let mut session = Session::new();
    let read =
        Recorded::of("PreToolUse Read").with("session_id", "another").with("tool_input.file_path", "/home/user/x");
    let home = session.path("~").display().to_string();
    session
        .run(hooks::look::DEF, &read)
        .assert_model_reads(" another {")
        .assert_model_reads(&format!("\"file_path\":\"{home}/x\""));
    session.context_mut().cwd = session.path("app");
    session.context_mut().permission_mode = Some("plan".into());
    let recorded = session.run(hooks::look::DEF, &Recorded::of("PreToolUse Read"));
    for verdict in [recorded, session.run(hooks::look::DEF, &bash())] {
        let verdict = verdict.assert_model_reads("/app ");
        verdict.assert_model_reads("\"permission_mode\":\"plan\"");
    }
}

#[test]
fn a_session_keeps_states_and_configurations_between_runs_and_from_other_sessions() -> Result<(), Error> {
    let mut session = Session::new();
    session.configure(hooks::count::DEF, &hooks::Limit { runs: 2 });
    for _ in 0..2 {
        session.run(hooks::count::DEF, &bash()).assert_passed();
    }
    session.run(hooks::count::DEF, &bash()).assert_denied("3 runs");
    let state = session.states().of_session::<u32>("count")?;
    assert_eq!(state.read()?, 3);
    state.update(|runs| *runs = 0)?;
    session.run(hooks::count::DEF, &bash()).assert_passed();
    // Not configured, and with another state.
    Session::new().run(hooks::count::DEF, &bash()).assert_denied("1 runs");
    Ok(())
}

#[test]
fn files_and_variables_that_a_hook_writes_can_be_asked_for() {
    let session = Session::new();
    let started = session.run(hooks::prepare::DEF, &SessionStart::new("startup"));
    started.assert_passed();
    session.write("b.txt", "b");
    session.write("~/.config/b", "b");
    assert_eq!(session.files(), ["a/b/c.txt", "b.txt"]);
    assert_eq!(session.read("a/b/c.txt"), "c");
    assert_eq!(session.env_file(), "export PREPARED='it'\\''s done'\n");
    let folder = session.path("");
    drop(session);
    assert!(!folder.exists());
}

#[cfg(unix)]
#[test]
fn a_program_of_the_session_is_found_first_runs_in_the_project_and_is_noted() {
    let mut session = Session::new();
    session.program("lint", "echo \"$2 in $PWD of $HOME $EXTRA\"");
    session.set("EXTRA", "more");
    let edit = Recorded::of("PostToolUse Edit");
    let [project, home] = ["", "~"].map(|folder| session.path(folder).display().to_string());
    let verdict = session.run(hooks::lint::DEF, &edit);
    verdict.assert_model_reads(&format!(" in {} of {home} more", project));
    let started = session.started();
    assert_eq!(started.len(), 1);
    assert_eq!(started[0][..2], ["lint", "--"]);
    // The client would not have called it.
    let written = session.run(hooks::lint::DEF, &Recorded::of("PostToolUse Write"));
    written.assert_not_called();
    assert_eq!(session.started().len(), 1);
    session.set("PATH", session.path("~/nothing"));
    let failed = session.run(hooks::lint::DEF, &edit);
    failed.assert_failed("there is no program `lint`");
}

#[cfg(unix)]
#[test]
fn a_repository_has_no_settings_but_its_own() {
    let session = Session::new();
    let outside = session.run(hooks::first::DEF, &bash());
    outside.assert_model_reads("no repository");
    session.repository().commit("one").commit("two");
    session.run(hooks::first::DEF, &bash()).assert_model_reads("two, one");
    assert_eq!(session.git(["branch", "--show-current"]), "main\n");
    let settings = session.git(["config", "--list", "--show-scope"]);
    settings.lacks("global");
    settings.lacks("system");
}

#[test]
fn a_transcript_is_read_as_one_of_the_client() -> Result<(), Error> {
    let session = Session::new();
    assert_eq!(session.context().transcript()?.rows().count(), 0);
    session
        .transcript()
        .prompt("fix it")
        .called("Bash", tool::Bash::new("true"), json!({"stdout": "", "stderr": ""}))
        .reply_with("Half of it.", json!({"output_tokens": 60}))
        .prompt("go on")
        .failed("Edit", json!({"file_path": "/a"}), "no such file")
        .reply("It failed.")
        .calling("Bash", tool::Bash::new("false"));
    let transcript = session.context().transcript()?;
    let turn: Vec<_> = transcript.this_turn()?.tool_calls().collect::<Result<_, _>>()?;
    let found = turn.iter().map(|call| &*call.name).collect::<Vec<_>>();
    assert_eq!(found, ["Edit", "Bash"]);
    let failed = turn[0].outcome.as_ref().expect("it has failed");
    assert!(failed.is_error && failed.text() == "no such file");
    assert!(turn[1].outcome.is_none() && turn[1].id == session.transcript().last_call());
    assert_eq!(transcript.last_assistant_text()?.as_deref(), Some("It failed."));
    assert_eq!(transcript.usage()?.output_tokens, 60);
    let first = transcript.tool_calls().next().expect("a call")?;
    assert!(first.succeeded() && first.outcome.is_some_and(|outcome| outcome.response.is_some()));
    Ok(())
}

#[test]
fn every_event_and_every_name_of_one_is_recorded() {
    let events = EVENTS.iter().map(|event| event.name.to_owned());
    for name in events.chain(Recorded::names()) {
        let _ = Recorded::of(&name);
    }
}

#[test]
fn a_name_that_is_not_recorded_is_refused_with_those_that_are() {
    fn message(refused: impl FnOnce() -> Recorded + std::panic::UnwindSafe) -> String {
        let refused = catch_unwind(refused).expect_err("there is none");
        refused.downcast_ref::<String>().cloned().unwrap_or_default()
    }
    for (name, listed) in [
        ("PreToolUse Hammer", "there are `PreToolUse Agent`, "),
        ("Hammer", "there are `PreToolUse`, "),
        ("PreToolUse bash", "did you mean `PreToolUse Bash`?"),
        ("stop", "did you mean `Stop`?"),
    ] {
        let start = format!("no event is recorded as `{name}`; {listed}");
        message(|| Recorded::of(name)).starts(&start);
    }
    let message = message(|| Recorded::of("PostToolBatch").with("tool_calls.9.tool_name", "x"));
    message.starts("`tool_calls.9.tool_name` cannot be set: there is no `9` in [");
}

/// The folder is the session's alone, also where another test process has the same id.
#[test]
fn two_sessions_share_nothing() {
    let [one, other] = [Session::new(), Session::new()];
    one.write("a", "");
    assert!(other.files().is_empty());
    assert_ne!(one.path(""), other.path(""));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;

        let folder = one.path("..");
        let mode = fs::metadata(folder).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
