//! The answers of hooks have the documented effects in the real client.

use std::path::Path;

use anyhow::{Context, Result};
use hookkit_tests::workspace::installed;
use hookkit_tests::{Outcome, Project, Session, Turn, client};
use serde_json::{Value, json};

use crate::hooks::keep;

/// A session with some of the hooks, and the check of its outcome.
struct Case {
    hooks: &'static [&'static str],
    prompt: &'static str,
    turns: Vec<Turn>,
    prepare: fn(Session) -> Session,
    check: fn(&Outcome, &Project) -> Result<()>,
}

impl Case {
    fn new(hooks: &'static [&'static str], turns: Vec<Turn>, check: fn(&Outcome, &Project) -> Result<()>) -> Self {
        Self {
            hooks,
            prompt: "go",
            turns,
            prepare: |session| session.allow(&["Bash", "Read", "Write", "Edit", "Agent", "EnterWorktree"]),
            check,
        }
    }

    fn prompt(self, prompt: &'static str) -> Self {
        Self { prompt, ..self }
    }

    fn prepare(self, prepare: fn(Session) -> Session) -> Self {
        Self { prepare, ..self }
    }
}

/// Returns a project with these hooks, from one installation that all projects share.
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

fn check_all(test: &str, cases: Vec<Case>) -> Result<()> {
    let client = client!(test);
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
    (case.check)(&outcome, &project).with_context(|| {
        format!(
            "{:?}\nhooks: {:?}\nresults: {:?}\nuser messages: {:?}\nresult: {}",
            case.hooks,
            outcome.hook_responses(),
            outcome.tool_results(),
            outcome.user_messages(),
            result(&outcome)["result"]
        )
    })
}

/// Returns the error `expected` unless the condition is true.
fn is(condition: bool, expected: &str) -> Result<()> {
    anyhow::ensure!(condition, "{expected}");
    Ok(())
}

/// Returns the last `result` event of the session, which the user reads.
fn result(outcome: &Outcome) -> Value {
    let events = outcome.events();
    let result = events.into_iter().rfind(|event| event["type"] == "result");
    result.unwrap_or_default()
}

#[test]
fn answers_to_a_call_take_effect() -> Result<()> {
    let cases = vec![
        Case::new(
            &["other-command"],
            vec![Turn::bash("echo by the model | tee ran.txt")],
            |outcome, project| {
                is(project.read("ran.txt")? == "by the hook\n", "the updated input ran")?;
                is(outcome.tool_results() == ["by the hook"], "the model reads its output")
            },
        )
        .prepare(|session| session),
        Case::new(
            &["elsewhere"],
            vec![Turn::call("Write", json!({"file_path": "made.txt", "content": "kept"}))],
            |_, project| {
                is(!project.exists("made.txt"), "the path was changed")?;
                is(project.read("made.bak")? == "kept", "the content is unchanged")
            },
        ),
        Case::new(
            &["enough"],
            vec![Turn::bash("echo ran | tee ran.txt")],
            |outcome, project| {
                is(!project.exists("ran.txt"), "the tool did not run")?;
                is(outcome.requests() == 1, "the model got no other request")?;
                is(
                    result(outcome)["terminal_reason"] == "hook_stopped",
                    "the turn has ended",
                )
            },
        ),
        Case::new(&["redact"], vec![Turn::bash("echo hunter2 is it")], |outcome, _| {
            is(
                outcome.tool_results() == ["[token] is it"],
                "the model reads the new output",
            )
        }),
        Case::new(
            &["redact-file"],
            vec![
                Turn::bash("printf 'hunter2\\nis it' >secret.txt"),
                Turn::call("Read", json!({"file_path": "secret.txt"})),
            ],
            |outcome, _| {
                is(
                    outcome.tool_results()[1].contains("[token]\n2\tis it"),
                    "the model reads the redacted file",
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
                    "the model reads the redacted answer",
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
                    "the model reads the context, too",
                )
            },
        ),
        Case::new(
            &["end-of-turn"],
            vec![Turn::bash("echo ran | tee ran.txt")],
            |outcome, project| {
                is(
                    project.exists("ran.txt") && outcome.requests() == 1,
                    "the tool ran, and the turn ended",
                )
            },
        ),
        Case::new(&["object-to-failure"], vec![Turn::bash("exit 3")], |outcome, _| {
            let read = outcome.model_read();
            is(read.contains("`exit 3` is known to fail"), "the model reads the reason")?;
            is(
                read.contains("hook additional context: try the other one"),
                "the model reads the context",
            )
        }),
        Case::new(
            &["end-of-batch"],
            vec![Turn::bash("echo ran | tee ran.txt")],
            |outcome, project| {
                is(
                    project.exists("ran.txt") && outcome.requests() == 1,
                    "the tool ran, and the turn ended",
                )?;
                is(
                    !outcome.model_read().contains("the last one"),
                    "the model reads nothing",
                )
            },
        ),
        Case::new(
            &["rules"],
            vec![Turn::bash("echo ran | tee ran.txt")],
            |outcome, project| {
                is(!project.exists("ran.txt"), "it was denied")?;
                let denial = "[SH001] Tee is not used. Redirect instead.";
                is(outcome.tool_results()[0].ends_with(denial), "the model reads the error")?;
                is(
                    outcome.model_read().contains("[SH002] Commands are short."),
                    "the model reads the warning",
                )?;
                let shown = outcome.user_messages().join("\n");
                is(
                    shown.contains("says: Denied:") && shown.contains(&format!("says: - {denial}")),
                    "the user reads the error, too",
                )
            },
        ),
    ];
    check_all("answers_to_a_call_take_effect", cases)
}

#[test]
fn a_long_context_is_truncated_at_the_librarys_limit() -> Result<()> {
    let cases = vec![
        Case::new(&["chatty"], vec![Turn::bash("echo ran")], |outcome, _| {
            let read = outcome.model_read();
            is(!read.contains("persisted-output"), "the client truncates nothing")?;
            is(
                read.contains(" more characters are left out]"),
                "the model reads a note about the rest",
            )?;
            is(
                read.matches("more than it takes").count() >= 500,
                "the model reads the text before it",
            )
        }),
        Case::new(&["writer"], vec![Turn::bash("echo ran")], |outcome, project| {
            let path = project.path().canonicalize()?.join("all.txt");
            let read = outcome.model_read();
            is(
                read.contains(&format!("the full text is in {}]", path.display())),
                "the model reads the path of the file",
            )?;
            is(
                project.read("all.txt")? == "more than it takes ".repeat(1_000),
                "the file contains all of it",
            )
        }),
    ];
    check_all("a_long_context_is_truncated_at_the_librarys_limit", cases)
}

#[test]
fn answers_to_a_prompt_take_effect() -> Result<()> {
    let cases = vec![
        Case::new(&["deny-prompt"], vec![], |outcome, _| {
            is(outcome.requests() == 0, "nothing was sent")?;
            let shown = result(outcome)["result"].to_string();
            is(
                shown.contains("no such prompts") && shown.contains("the secret word"),
                "the user reads the reason and the prompt",
            )
        })
        .prompt("the secret word"),
        Case::new(&["forget-prompt"], vec![], |outcome, _| {
            is(outcome.requests() == 0, "nothing was sent")?;
            let shown = result(outcome)["result"].to_string();
            is(
                shown.contains("no such prompts") && !shown.contains("the secret word"),
                "the user reads only the reason",
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
                "the model reads the context, too",
            )
        })
        .prompt("the title"),
        Case::new(&["no-greetings"], vec![], |outcome, _| {
            is(outcome.requests() == 0, "nothing was sent")?;
            is(
                result(outcome)["result"].to_string().contains("greetings are off"),
                "the user reads the reason",
            )
        })
        .prompt("/greet Ann"),
        Case::new(&["speak-first"], vec![Turn::text("Hello.")], |outcome, _| {
            is(outcome.requests() == 2, "the first message starts a separate turn")?;
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
    check_all("answers_to_a_prompt_take_effect", cases)
}

#[test]
fn permission_decisions_take_effect() -> Result<()> {
    let without_rules = |session| session;
    let cases = vec![
        Case::new(
            &["allow"],
            vec![
                Turn::bash("echo by the model | tee ran.txt"),
                Turn::bash("echo by the model | tee again.txt"),
            ],
            |outcome, project| {
                is(project.read("ran.txt")? == "by the hook\n", "the updated input ran")?;
                is(
                    project.read("again.txt")? == "by the model\n",
                    "the second call needed no decision",
                )?;
                is(outcome.hook_responses().len() == 1, "the permissions were updated")
            },
        )
        .prepare(without_rules),
        Case::new(
            &["deny"],
            vec![Turn::bash("echo ran | tee ran.txt")],
            |outcome, project| {
                is(!project.exists("ran.txt"), "it did not run")?;
                is(
                    outcome.tool_results() == ["the user is not here"],
                    "the model reads the bare message",
                )
            },
        )
        .prepare(without_rules),
        Case::new(
            &["interrupt"],
            vec![Turn::bash("echo ran | tee ran.txt")],
            |outcome, project| {
                is(
                    !project.exists("ran.txt") && outcome.requests() == 1,
                    "the tool did not run, and the turn ended",
                )?;
                is(outcome.exit_code() == Some(1), "the client exits with 1")
            },
        )
        .prepare(without_rules),
    ];
    check_all("permission_decisions_take_effect", cases)
}

#[test]
fn answers_at_the_end_of_a_turn_take_effect() -> Result<()> {
    let agent = || {
        let input = json!({"description": "List", "prompt": "list", "subagent_type": "general-purpose", "run_in_background": false});
        Turn::call("Agent", input)
    };
    let cases = vec![
        Case::new(&["remind-once"], vec![Turn::text("One.")], |outcome, _| {
            is(outcome.requests() == 2, "the turn continued once")?;
            let read = outcome.model_read();
            is(read.contains("think of the change log"), "the model reads the reminder")?;
            is(!read.contains("Stop hook feedback"), "the model reads no error")?;
            is(
                outcome.user_messages().join("\n").contains("it was reminded"),
                "the user reads the message",
            )
        }),
        Case::new(&["hold-once"], vec![Turn::text("One.")], |outcome, _| {
            is(outcome.requests() == 2, "the turn continued once")?;
            let read = outcome.model_read();
            is(
                read.contains("Stop hook feedback:\nno such file was written yet"),
                "the model reads the reason",
            )
        }),
        Case::new(&["hold-once", "finish"], vec![Turn::text("One.")], |outcome, _| {
            is(outcome.requests() == 1, "the turn ended, despite the other hook")
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
                    "the subagent continued",
                )?;
                is(outcome.tool_results()[0].contains("Listed again."), "it continued once")
            },
        ),
    ];
    check_all("answers_at_the_end_of_a_turn_take_effect", cases)
}

#[test]
fn answers_about_tasks_and_worktrees_take_effect() -> Result<()> {
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
        // The client does not report when it has processed the end of an async hook.
        Case::new(&["comment"], vec![task(), Turn::bash("sleep 1")], |outcome, _| {
            is(
                outcome.model_read().contains("a comment on a task"),
                "the model reads the comment later",
            )
        })
        .prepare(with_tasks),
        Case::new(
            &["worktree"],
            vec![Turn::call("EnterWorktree", json!({"name": "wt1"})), Turn::bash("pwd")],
            |outcome, _| {
                is(
                    outcome.tool_results()[1].ends_with("/trees/wt1"),
                    "the session is in the worktree",
                )
            },
        )
        .prepare(with_tasks),
    ];
    check_all("answers_about_tasks_and_worktrees_take_effect", cases)
}

#[test]
fn answers_to_a_compaction_take_effect() -> Result<()> {
    let client = client!("answers_to_a_compaction_take_effect");
    let compacted = |hooks: &[&str]| -> Result<Outcome> {
        let project = project(hooks)?;
        let config = test_support::folder();
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
    let printed: String = outcome.events().iter().map(Value::to_string).collect();
    assert!(printed.contains("it is all summed up"), "{printed}");

    let outcome = compacted(&["keep-all"])?;
    let printed: String = outcome.events().iter().map(Value::to_string).collect();
    assert!(printed.contains("all of it is needed"), "{printed}");
    assert!(outcome.all_requests().is_empty(), "nothing was compacted");
    Ok(())
}

/// Returns a turn that changes files, one after the other, with pauses in which the client detects the change.
fn change(files: &str) -> Turn {
    Turn::bash(&format!(
        "for file in {files}; do sleep 1.5; echo >>$file; done; sleep 1.5"
    ))
}

/// Returns the files whose changes a hook was called on, in order.
fn changes(project: &Project) -> Vec<String> {
    let log = project.read("changes.log").unwrap_or_default();
    let folder = format!("{}/", project.path().display());
    log.lines().map(|path| path.replace(&folder, "")).collect()
}

#[test]
fn answers_about_files_and_skills_take_effect() -> Result<()> {
    const FIRST: &str = "sub/first.txt";
    const SECOND: &str = "sub/second.txt";
    let cases = vec![
        Case::new(&["changed"], vec![change("sub/first.txt")], |_, project| {
            is(changes(project).is_empty(), "the file is not watched")
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
            vec![Turn::bash("cd sub"), change("second.txt")],
            |_, project| is(changes(project) == [SECOND], "the file is watched after `cd`"),
        ),
        Case::new(&["make-skill"], vec![], |outcome, _| {
            is(
                outcome.model_read().contains("Says that a hook made it."),
                "the model reads the skill",
            )
        }),
        Case::new(&["make-skill-silently"], vec![], |outcome, _| {
            is(
                !outcome.model_read().contains("Says that a hook made it."),
                "the client does not load the skill",
            )
        }),
    ];
    check_all("answers_about_files_and_skills_take_effect", cases)
}
