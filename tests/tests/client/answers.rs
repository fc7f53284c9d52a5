//! What hooks answer, the real client obeys: as the methods of the answers say it does.

use std::path::Path;

use anyhow::{Context, Result};
use hookkit_tests::workspace::installed;
use hookkit_tests::{Outcome, Project, Session, Turn, client};
use serde_json::{Value, json};

use crate::hooks::keep;

/// A session with some of the hooks, and what is to be seen of it.
struct Case {
    hooks: &'static [&'static str],
    prompt: &'static str,
    turns: Vec<Turn>,
    prepare: fn(Session) -> Session,
    look: fn(&Outcome, &Project) -> Result<()>,
}

impl Case {
    fn new(hooks: &'static [&'static str], turns: Vec<Turn>, look: fn(&Outcome, &Project) -> Result<()>) -> Self {
        Self {
            hooks,
            prompt: "go",
            turns,
            prepare: |session| session.allow(&["Bash", "Read", "Write", "Edit", "Agent", "EnterWorktree"]),
            look,
        }
    }

    fn prompt(self, prompt: &'static str) -> Self {
        Self { prompt, ..self }
    }

    fn prepare(self, prepare: fn(Session) -> Session) -> Self {
        Self { prepare, ..self }
    }
}

/// A project with these hooks, which are installed once for all.
fn project(hooks: &[&str]) -> Result<Project> {
    let project = Project::new()?;
    let installed = installed("answers-hooks")?;
    let folder = installed.path().to_str().context("a UTF-8 path")?;
    let settings = installed.read(".claude/settings.json")?;
    project.write(
        ".claude/settings.json",
        settings.replace("${CLAUDE_PROJECT_DIR}", folder),
    )?;
    keep(&project, hooks)?;
    Ok(project)
}

fn obeyed(test: &str, cases: Vec<Case>) -> Result<()> {
    let Some(client) = client::require(test) else {
        return Ok(());
    };
    for case in cases {
        run(&client, case)?;
    }
    Ok(())
}

fn run(client: &Path, case: Case) -> Result<()> {
    let project = project(case.hooks)?;
    project.write(".claude/commands/greet.md", "Say hello to $ARGUMENTS.\n")?;
    project.write("notes.txt", "one\n")?;
    project.write("sub/first.txt", "")?;
    project.write("sub/second.txt", "")?;
    let session = (case.prepare)(Session::new(client, project.path()));
    let turns = case.turns.into_iter().chain([Turn::text("Done.")]);
    let outcome = turns.fold(session, Session::turn).run(case.prompt)?;
    (case.look)(&outcome, &project).with_context(|| {
        format!(
            "{:?}\nhooks: {:?}\nresults: {:?}\ntold: {:?}\nresult: {}",
            case.hooks,
            outcome.hook_responses(),
            outcome.tool_results(),
            outcome.user_messages(),
            result(&outcome)["result"]
        )
    })
}

fn bash(command: &str) -> Turn {
    Turn::call("Bash", json!({"command": command, "description": "Run it"}))
}

/// An error where it is not so, with what was expected.
fn is(condition: bool, expected: &str) -> Result<()> {
    anyhow::ensure!(condition, "{expected}");
    Ok(())
}

/// What the session ended with, and what the user reads of it.
fn result(outcome: &Outcome) -> Value {
    let events = outcome.events();
    let result = events.into_iter().rfind(|event| event["type"] == "result");
    result.unwrap_or_default()
}

#[test]
fn what_a_hook_says_of_a_call_is_done() -> Result<()> {
    let cases = vec![
        Case::new(
            &["other-command"],
            vec![bash("echo by the model | tee ran.txt")],
            |outcome, project| {
                is(project.read("ran.txt")? == "by the hook\n", "the updated input ran")?;
                is(outcome.tool_results() == ["by the hook"], "the model reads what ran")
            },
        )
        .prepare(|session| session),
        Case::new(
            &["elsewhere"],
            vec![Turn::call("Write", json!({"file_path": "made.txt", "content": "kept"}))],
            |_, project| {
                is(!project.exists("made.txt"), "the path was changed")?;
                is(project.read("made.bak")? == "kept", "and the content is there")
            },
        ),
        Case::new(&["enough"], vec![bash("echo ran | tee ran.txt")], |outcome, project| {
            is(!project.exists("ran.txt"), "the tool did not run")?;
            is(outcome.requests() == 1, "the model was not asked again")?;
            is(
                result(outcome)["terminal_reason"] == "hook_stopped",
                "the turn has ended",
            )
        }),
        Case::new(&["redact"], vec![bash("echo hunter2 is it")], |outcome, _| {
            is(
                outcome.tool_results() == ["[token] is it"],
                "the model reads the new output",
            )
        }),
        Case::new(
            &["redact-file"],
            vec![
                bash("printf 'hunter2\\nis it' >secret.txt"),
                Turn::call("Read", json!({"file_path": "secret.txt"})),
            ],
            |outcome, _| {
                is(
                    outcome.tool_results()[1].contains("[token]\n2\tis it"),
                    "the model reads the file without it",
                )
            },
        ),
        Case::new(
            &["redact-agent"],
            vec![Turn::call(
                "Agent",
                json!({"description": "Find", "prompt": "find the token", "subagent_type": "general-purpose",
                       "run_in_background": false}),
            )],
            |outcome, _| {
                let read = outcome.tool_results().join("\n");
                is(
                    read.contains("[token] is it") && !read.contains("hunter2"),
                    "the model reads the answer without it",
                )
            },
        )
        .prepare(|session| {
            session
                .allow(&["Agent"])
                .reply("find the token", [Turn::text("hunter2 is it")])
        }),
        Case::new(
            &["forge"],
            vec![
                Turn::call("Read", json!({"file_path": "notes.txt"})),
                Turn::call(
                    "Edit",
                    json!({"file_path": "notes.txt", "old_string": "one", "new_string": "two"}),
                ),
            ],
            |outcome, project| {
                is(project.read("notes.txt")? == "two\n", "the edit was made")?;
                is(
                    outcome.tool_results()[1].contains("/forged.txt"),
                    "the output fits the schema",
                )?;
                is(
                    outcome.model_read().contains("it was forged"),
                    "the context is there, too",
                )
            },
        ),
        Case::new(
            &["end-of-turn"],
            vec![bash("echo ran | tee ran.txt")],
            |outcome, project| {
                is(
                    project.exists("ran.txt") && outcome.requests() == 1,
                    "it ran, and that was all",
                )
            },
        ),
        Case::new(&["object-to-failure"], vec![bash("exit 3")], |outcome, _| {
            let read = outcome.model_read();
            is(read.contains("`exit 3` is known to fail"), "the model reads the reason")?;
            is(
                read.contains("hook additional context: try the other one"),
                "and the context",
            )
        }),
        Case::new(
            &["end-of-batch"],
            vec![bash("echo ran | tee ran.txt")],
            |outcome, project| {
                is(
                    project.exists("ran.txt") && outcome.requests() == 1,
                    "it ran, and that was all",
                )?;
                is(
                    !outcome.model_read().contains("the last one"),
                    "the model reads nothing",
                )
            },
        ),
        Case::new(&["rules"], vec![bash("echo ran | tee ran.txt")], |outcome, project| {
            is(!project.exists("ran.txt"), "it was refused")?;
            let refusal = "[SH001] Tee is not used. Redirect instead.";
            is(
                outcome.tool_results()[0].ends_with(refusal),
                "the model reads the error",
            )?;
            is(
                outcome.model_read().contains("[SH002] Commands are short."),
                "and the warning",
            )?;
            let told = outcome.user_messages().join("\n");
            is(
                told.contains("says: Refused:") && told.contains(&format!("says: - {refusal}")),
                "the user reads the error, too",
            )
        }),
    ];
    obeyed("what_a_hook_says_of_a_call_is_done", cases)
}

#[test]
fn a_long_context_is_cut_where_the_library_says() -> Result<()> {
    let cases = vec![
        Case::new(&["chatty"], vec![bash("echo ran")], |outcome, _| {
            let read = outcome.model_read();
            is(!read.contains("persisted-output"), "the client has nothing to cut")?;
            is(
                read.contains(" more characters are left out]"),
                "the model reads that it is cut",
            )?;
            is(read.matches("more than it takes").count() >= 500, "and all before it")
        }),
        Case::new(&["writer"], vec![bash("echo ran")], |outcome, project| {
            let path = project.path().canonicalize()?.join("all.txt");
            let read = outcome.model_read();
            is(
                read.contains(&format!("all of it is in {}]", path.display())),
                "the model reads where it is",
            )?;
            is(
                project.read("all.txt")? == "more than it takes ".repeat(1_000),
                "it is there",
            )
        }),
    ];
    obeyed("a_long_context_is_cut_where_the_library_says", cases)
}

#[test]
fn what_a_hook_says_of_a_prompt_is_done() -> Result<()> {
    let cases = vec![
        Case::new(&["refuse-prompt"], vec![], |outcome, _| {
            is(outcome.requests() == 0, "nothing was sent")?;
            let told = result(outcome)["result"].to_string();
            is(
                told.contains("no such prompts") && told.contains("the secret word"),
                "the user reads both",
            )
        })
        .prompt("the secret word"),
        Case::new(&["forget-prompt"], vec![], |outcome, _| {
            is(outcome.requests() == 0, "nothing was sent")?;
            let told = result(outcome)["result"].to_string();
            is(
                told.contains("no such prompts") && !told.contains("the secret word"),
                "only the reason",
            )
        })
        .prompt("the secret word"),
        Case::new(&["hold-prompt"], vec![], |outcome, _| {
            is(outcome.requests() == 0, "nothing was sent")?;
            is(
                result(outcome)["result"].to_string().contains("not now"),
                "the user reads the reason",
            )
        }),
        Case::new(&["entitle"], vec![], |outcome, _| {
            let is_titled = |event: &Value| {
                event["subtype"] == "session_title_changed" && event.to_string().contains("about the title")
            };
            is(outcome.events().iter().any(is_titled), "the session has a title")?;
            is(
                outcome.model_read().contains("it has a title"),
                "the context is there, too",
            )
        })
        .prompt("the title"),
        Case::new(&["no-greetings"], vec![], |outcome, _| {
            is(outcome.requests() == 0, "nothing was sent")?;
            is(
                result(outcome)["result"].to_string().contains("nobody is greeted"),
                "the user reads why",
            )
        })
        .prompt("/greet Ann"),
        Case::new(&["speak-first"], vec![Turn::text("Hello.")], |outcome, _| {
            is(outcome.requests() == 2, "the first message has a turn of its own")?;
            let read = outcome.model_read();
            is(
                read.contains("said by a hook") && read.contains("a word before"),
                "the model reads both",
            )?;
            is(
                outcome
                    .events()
                    .iter()
                    .any(|event| event["subtype"] == "session_title_changed"),
                "the session has a title",
            )
        }),
        Case::new(&["display"], vec![], |outcome, _| {
            is(
                result(outcome)["result"] == "shown by a hook",
                "the user reads the hook's text",
            )
        }),
    ];
    obeyed("what_a_hook_says_of_a_prompt_is_done", cases)
}

#[test]
fn what_a_hook_says_in_the_users_place_is_done() -> Result<()> {
    let nobody_is_asked = |session| session;
    let cases = vec![
        Case::new(
            &["allow"],
            vec![
                bash("echo by the model | tee ran.txt"),
                bash("echo by the model | tee again.txt"),
            ],
            |outcome, project| {
                is(project.read("ran.txt")? == "by the hook\n", "the updated input ran")?;
                is(project.read("again.txt")? == "by the model\n", "nobody was asked again")?;
                is(outcome.hook_responses().len() == 1, "the permissions were updated")
            },
        )
        .prepare(nobody_is_asked),
        Case::new(&["deny"], vec![bash("echo ran | tee ran.txt")], |outcome, project| {
            is(!project.exists("ran.txt"), "it did not run")?;
            is(
                outcome.tool_results() == ["nobody is here to be asked"],
                "the model reads the bare message",
            )
        })
        .prepare(nobody_is_asked),
        Case::new(
            &["interrupt"],
            vec![bash("echo ran | tee ran.txt")],
            |outcome, project| {
                is(
                    !project.exists("ran.txt") && outcome.requests() == 1,
                    "it did not run, and that was all",
                )?;
                is(outcome.exit_code() == Some(1), "the client fails")
            },
        )
        .prepare(nobody_is_asked),
    ];
    obeyed("what_a_hook_says_in_the_users_place_is_done", cases)
}

#[test]
fn what_a_hook_says_of_the_end_of_a_turn_is_done() -> Result<()> {
    let agent = || {
        let input = json!({"description": "List", "prompt": "list", "subagent_type": "general-purpose", "run_in_background": false});
        Turn::call("Agent", input)
    };
    let cases = vec![
        Case::new(&["remind-once"], vec![Turn::text("One.")], |outcome, _| {
            is(outcome.requests() == 2, "the turn went on, once")?;
            let read = outcome.model_read();
            is(read.contains("think of the change log"), "the model reads the reminder")?;
            is(!read.contains("Stop hook feedback"), "and no error")?;
            is(
                outcome.user_messages().join("\n").contains("it was reminded"),
                "the user reads the message",
            )
        }),
        Case::new(&["hold-once"], vec![Turn::text("One.")], |outcome, _| {
            is(outcome.requests() == 2, "the turn went on, once")?;
            let read = outcome.model_read();
            is(
                read.contains("Stop hook feedback:\nno such file was written yet"),
                "the model reads the reason",
            )
        }),
        Case::new(&["hold-once", "finish"], vec![Turn::text("One.")], |outcome, _| {
            is(outcome.requests() == 1, "the turn ended, whatever the other hook said")
        }),
        Case::new(&["brief"], vec![agent(), Turn::text("Listed.")], |outcome, _| {
            is(
                outcome.model_read().contains("a word for the subagent"),
                "the subagent reads the context",
            )
        }),
        Case::new(
            &["once-more"],
            vec![agent(), Turn::text("Listed."), Turn::text("Listed again.")],
            |outcome, _| {
                is(
                    outcome.model_read().contains("once more, with feeling"),
                    "the subagent went on",
                )?;
                is(outcome.tool_results()[0].contains("Listed again."), "once")
            },
        ),
    ];
    obeyed("what_a_hook_says_of_the_end_of_a_turn_is_done", cases)
}

#[test]
fn what_a_hook_says_of_tasks_and_worktrees_is_done() -> Result<()> {
    fn with_tasks(session: Session) -> Session {
        session
            .env("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1")
            .env("ENABLE_TOOL_SEARCH", "0")
            .allow(&["Bash", "EnterWorktree"])
    }
    let task = || {
        Turn::call(
            "TaskCreate",
            json!({"subject": "S", "description": "D", "activeForm": "A"}),
        )
    };
    let cases = vec![
        Case::new(&["no-tasks"], vec![task()], |outcome, _| {
            is(
                outcome.tool_results()[0].contains("no tasks today"),
                "the model reads the reason",
            )
        })
        .prepare(with_tasks),
        // Nothing shows that the client has noticed the end of a hook that it does not wait for.
        Case::new(&["comment"], vec![task(), bash("sleep 1")], |outcome, _| {
            is(
                outcome.model_read().contains("a comment on a task"),
                "the model reads it later",
            )
        })
        .prepare(with_tasks),
        Case::new(
            &["worktree"],
            vec![Turn::call("EnterWorktree", json!({"name": "wt1"})), bash("pwd")],
            |outcome, _| {
                is(
                    outcome.tool_results()[1].ends_with("/trees/wt1"),
                    "the session is in it",
                )
            },
        )
        .prepare(with_tasks),
    ];
    obeyed("what_a_hook_says_of_tasks_and_worktrees_is_done", cases)
}

#[test]
fn what_a_hook_says_of_a_compaction_is_done() -> Result<()> {
    let Some(client) = client::require("what_a_hook_says_of_a_compaction_is_done") else {
        return Ok(());
    };
    let compacted = |hooks: &[&str]| -> Result<Outcome> {
        let project = project(hooks)?;
        let config = tempfile::tempdir()?;
        let session = || Session::new(&client, project.path()).config_dir(config.path());
        session().turn(Turn::text("Hello.")).run("hello")?;
        session()
            .arguments(&["--continue"])
            .turn(Turn::text("<summary>They said hello.</summary>"))
            .run("/compact")
    };
    let outcome = compacted(&["instruct", "summed-up"])?;
    assert!(
        outcome.model_read().contains("keep every {name}"),
        "{:?}",
        outcome.events()
    );
    let told: String = outcome.events().iter().map(Value::to_string).collect();
    assert!(told.contains("it is all summed up"), "{told}");

    let outcome = compacted(&["keep-all"])?;
    let told: String = outcome.events().iter().map(Value::to_string).collect();
    assert!(told.contains("all of it is needed"), "{told}");
    assert!(outcome.all_requests().is_empty(), "nothing was compacted");
    Ok(())
}

/// Changes files, one after the other. The client notices a change after a moment.
fn change(files: &str) -> Turn {
    bash(&format!(
        "for file in {files}; do sleep 1.5; echo >>$file; done; sleep 1.5"
    ))
}

/// The files whose changes a hook was called on, in order.
fn changes(project: &Project) -> Vec<String> {
    let log = project.read("changes.log").unwrap_or_default();
    let folder = format!("{}/", project.path().display());
    log.lines().map(|path| path.replace(&folder, "")).collect()
}

#[test]
fn what_a_hook_says_of_files_and_skills_is_done() -> Result<()> {
    const FIRST: &str = "sub/first.txt";
    const SECOND: &str = "sub/second.txt";
    let cases = vec![
        Case::new(&["changed"], vec![change("sub/first.txt")], |_, project| {
            is(changes(project).is_empty(), "it is not watched")
        }),
        Case::new(
            &["changed", "watch"],
            vec![change("sub/second.txt sub/first.txt sub/second.txt")],
            |_, project| {
                eprintln!("{:?}", changes(project));
                is(
                    changes(project) == [FIRST, SECOND],
                    "the second is watched after the first has changed",
                )
            },
        ),
        Case::new(
            &["changed", "watch-here"],
            vec![bash("cd sub"), change("second.txt")],
            |_, project| is(changes(project) == [SECOND], "it is watched since the session is there"),
        ),
        Case::new(&["make-skill"], vec![], |outcome, _| {
            is(
                outcome.model_read().contains("Says that a hook made it."),
                "the model knows the skill",
            )
        }),
        Case::new(&["make-skill-silently"], vec![], |outcome, _| {
            is(
                !outcome.model_read().contains("Says that a hook made it."),
                "the client does not look for it",
            )
        }),
    ];
    obeyed("what_a_hook_says_of_files_and_skills_is_done", cases)
}
