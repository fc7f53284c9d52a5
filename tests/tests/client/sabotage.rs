//! A guard that somebody or something has broken: what the client then does, and what `cargo xtask doctor` says of it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use hookkit_tests::workspace::{fixture, install};
use hookkit_tests::xtask::command;
use hookkit_tests::{Project, Session, Turn, client, parallel};
use serde_json::{Value, json};

/// The two guards: one whose entry says nothing of failures, and one whose entry says `onFailure: "block"`.
const GUARDS: [&str; 2] = ["plain-guard", "strict-guard"];

/// The version of the client that the outcomes of calls were observed in.
const OBSERVED_IN: &str = "2.1.330";

/// What became of a call.
///
/// A process that does not start, or is not hookkit's, cannot hold its hook's policy: the tool then runs, unless the entry
/// in the settings has the client refuse. What answers in the guard's place, though, and what the client is never told
/// of, no `onFailure` is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    /// The tool ran.
    Ran,
    /// The guard refused it, as it should.
    Guarded,
    /// The guard could not look, and refused it therefore.
    Failed,
    /// The client refused it, by the entry's `onFailure`.
    Client,
    /// It did not run, for another reason.
    Other,
}

use Call::{Client, Failed, Guarded, Other, Ran};

/// What was done, and what comes of it.
struct Sabotage {
    name: &'static str,
    /// Done to the folder of the project.
    act: fn(&Path) -> Result<()>,
    /// Outcome of the calls that the two guards are asked about, as observed in the client [`OBSERVED_IN`].
    calls: [Call; 2],
    /// What `doctor` says: with `{}` in it, of each guard.
    told: &'static [&'static str],
    /// What `doctor --check` says, too.
    checked: &'static [&'static str],
}

/// The findings of a doctor, and its exit code.
fn doctor(project: &Path, arguments: &[&str]) -> Result<(Vec<Value>, Option<i32>)> {
    let nothing = tempfile::tempdir()?;
    let output = command(fixture()?, &["doctor", "--json"])?
        .args(arguments)
        .arg("--project")
        .arg(project)
        .arg("--managed")
        .arg(nothing.path())
        .env("CLAUDE_CONFIG_DIR", nothing.path())
        .output()?;
    let rows = String::from_utf8(output.stdout)?;
    let rows = rows.lines().map(serde_json::from_str::<Value>);
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let findings = rows.into_iter().filter(|row| row["kind"] == "finding");
    let findings = findings.collect();
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() != Some(2), "{stderr}");
    Ok((findings, output.status.code()))
}

/// The binaries of both guards.
fn binaries(project: &Path) -> [PathBuf; 2] {
    GUARDS.map(|guard| bin(project).join(guard))
}

fn bin(project: &Path) -> PathBuf {
    hookkit(project).join("fixture/bin")
}

fn hookkit(project: &Path) -> PathBuf {
    project.join(".claude/hookkit")
}

/// Does the same to the binaries of both guards.
fn each(project: &Path, act: impl Fn(&Path) -> Result<()>) -> Result<()> {
    binaries(project).iter().try_for_each(|binary| act(binary))
}

/// Puts a script in their place.
fn script(project: &Path, text: &str) -> Result<()> {
    each(project, |binary| {
        fs::remove_file(binary)?;
        fs::write(binary, format!("#!/bin/sh\n{text}\n"))?;
        Ok(fs::set_permissions(binary, Permissions::from_mode(0o755))?)
    })
}

/// Keeps of their bytes what is wanted.
fn bytes(project: &Path, change: impl Fn(Vec<u8>) -> Vec<u8>) -> Result<()> {
    each(project, |binary| Ok(fs::write(binary, change(fs::read(binary)?))?))
}

/// Changes the settings by hand.
fn settings(project: &Path, change: impl Fn(String) -> String) -> Result<()> {
    let path = project.join(".claude/settings.json");
    let before = fs::read_to_string(&path)?;
    let after = change(before.clone());
    ensure!(before != after, "nothing was changed: {before}");
    Ok(fs::write(path, after)?)
}

fn entries(project: &Path, change: impl Fn(&mut Value)) -> Result<()> {
    settings(project, |text| {
        let mut value: Value = serde_json::from_str(&text).unwrap_or_default();
        for group in value["hooks"]["PreToolUse"].as_array_mut().into_iter().flatten() {
            change(&mut group["hooks"][0]);
        }
        format!("{value:#}\n")
    })
}

/// Its own settings, in this project.
fn local(project: &Path, text: &str) -> Result<()> {
    Ok(fs::write(project.join(".claude/settings.local.json"), text)?)
}

const ALLOW: &str = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#;

const MISSING: &[&str] = &["the binary of `{}` is missing"];
const REPLACED: &[&str] = &["the binary of `{}` is not the one that `install` wrote"];
const OTHER_BINARY: &[&str] = &["`{}` is not up to date: its binary is not the one that its source becomes"];
const EDITED: &str = "the entry of `{}` is not what `install` wrote here";
const OTHER_ENTRY: &[&str] = &["`{}` is not up to date: its entry in the settings is not what its attribute says"];
const UNNAMED: &str = "`{}` was installed here, and nothing here names it";

const SABOTAGES: &[Sabotage] = &[
    Sabotage {
        name: "nothing",
        act: |_| Ok(()),
        calls: [Guarded, Guarded],
        told: &[],
        checked: &[],
    },
    Sabotage {
        name: "somebody adds a key of theirs, and an editor puts the file in another order",
        act: |project| entries(project, |entry| entry["description"] = json!("looks after us")),
        calls: [Guarded, Guarded],
        told: &[],
        checked: &[],
    },
    Sabotage {
        name: "the binary is deleted",
        act: |project| each(project, |binary| Ok(fs::remove_file(binary)?)),
        calls: [Ran, Client],
        told: MISSING,
        checked: &[],
    },
    Sabotage {
        name: "it is truncated to nothing",
        act: |project| bytes(project, |_| Vec::new()),
        calls: [Ran, Client],
        told: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "it is cut in the middle",
        act: |project| bytes(project, |bytes| bytes[..bytes.len() / 2].to_vec()),
        calls: [Ran, Client],
        told: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "it is cut within its head",
        act: |project| bytes(project, |bytes| bytes[..100].to_vec()),
        calls: [Ran, Client],
        told: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "it is not executable",
        act: |project| {
            each(project, |binary| {
                Ok(fs::set_permissions(binary, Permissions::from_mode(0o644))?)
            })
        },
        calls: [Ran, Client],
        told: &["/bin/{}` is not executable"],
        checked: &["`{}` is not up to date: its binary cannot be run"],
    },
    Sabotage {
        name: "a script prints text",
        act: |project| script(project, "echo hello"),
        calls: [Ran, Ran],
        told: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "a script prints text and an allow",
        act: |project| script(project, &format!("echo hello\n{ALLOW}")),
        calls: [Ran, Ran],
        told: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "a script allows all",
        act: |project| script(project, ALLOW),
        calls: [Ran, Ran],
        told: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "it is for another processor",
        act: |project| {
            bytes(project, |mut bytes| {
                // `e_machine`: S/390.
                bytes[18..20].copy_from_slice(&[22, 0]);
                bytes
            })
        },
        calls: [Ran, Client],
        told: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "it is noise",
        act: |project| bytes(project, |_| vec![0xa5; 4096]),
        calls: [Ran, Client],
        told: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "it is a link that leads nowhere",
        act: |project| {
            each(project, |binary| {
                fs::remove_file(binary)?;
                Ok(symlink("/nowhere/at/all", binary)?)
            })
        },
        calls: [Ran, Client],
        told: MISSING,
        checked: &[],
    },
    Sabotage {
        name: "it is a folder",
        act: |project| {
            each(project, |binary| {
                fs::remove_file(binary)?;
                Ok(fs::create_dir(binary)?)
            })
        },
        calls: [Ran, Client],
        told: &["a folder stands where the binary of `{}` should be"],
        checked: &[],
    },
    Sabotage {
        name: "it is another hook's",
        act: |project| {
            let [guard, strict] = binaries(project);
            let beside = guard.with_extension("old");
            fs::rename(&guard, &beside)?;
            fs::rename(&strict, &guard)?;
            Ok(fs::rename(beside, strict)?)
        },
        calls: [Ran, Ran],
        told: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "the folder of binaries is gone",
        act: |project| Ok(fs::remove_dir_all(bin(project))?),
        calls: [Ran, Client],
        told: MISSING,
        checked: &[],
    },
    Sabotage {
        name: "all of hookkit's folder is gone",
        act: |project| Ok(fs::remove_dir_all(hookkit(project))?),
        calls: [Ran, Client],
        told: MISSING,
        checked: &[],
    },
    Sabotage {
        name: "it hangs",
        act: |project| script(project, "sleep 60"),
        calls: [Ran, Client],
        told: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "it exits with 1",
        act: |project| script(project, "exit 1"),
        calls: [Ran, Client],
        told: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "it is killed",
        act: |project| script(project, "kill -9 $$"),
        calls: [Ran, Client],
        told: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "the disk is full that it writes to",
        act: |project| local(project, "{\"env\": {\"GUARD_LOG\": \"/dev/full\"}}"),
        calls: [Failed, Failed],
        told: &[],
        checked: &[],
    },
    Sabotage {
        name: "`timeout` is 0",
        act: |project| entries(project, |entry| entry["timeout"] = json!(0)),
        calls: [Ran, Ran],
        told: &[
            "`timeout` should be a number above 0",
            "`timeout` should be a number above 0",
        ],
        checked: OTHER_ENTRY,
    },
    Sabotage {
        name: "`timeout` is in milliseconds",
        act: |project| entries(project, |entry| entry["timeout"] = json!(5000)),
        calls: [Guarded, Guarded],
        told: &["5000 of them are 83 minutes", "5000 of them are 83 minutes", EDITED],
        checked: OTHER_ENTRY,
    },
    Sabotage {
        name: "`timeout` is too short",
        act: |project| {
            local(project, "{\"env\": {\"GUARD_IS_SLOW\": \"1\"}}")?;
            entries(project, |entry| entry["timeout"] = json!(0.5))
        },
        calls: [Ran, Client],
        told: &[EDITED],
        checked: OTHER_ENTRY,
    },
    Sabotage {
        name: "`disableAllHooks` is set",
        act: |project| local(project, "{\"disableAllHooks\": true}"),
        calls: [Ran, Ran],
        told: &["`disableAllHooks` turns hooks off"],
        checked: &[],
    },
    Sabotage {
        name: "the matcher is misspelt",
        act: |project| {
            settings(project, |text| {
                text.replace("\"Bash\"", "\"bash\"").replace("\"Write\"", "\"Wirte\"")
            })
        },
        calls: [Ran, Ran],
        told: &["`bash` matches no tool", "`Wirte` matches no tool", EDITED],
        checked: OTHER_ENTRY,
    },
    Sabotage {
        name: "the matcher is of another tool",
        act: |project| {
            settings(project, |text| {
                text.replace("\"Bash\"", "\"Read\"").replace("\"Write\"", "\"Edit\"")
            })
        },
        calls: [Ran, Ran],
        told: &[EDITED],
        checked: OTHER_ENTRY,
    },
    Sabotage {
        name: "the command has a typo",
        act: |project| settings(project, |text| text.replace("/bin/", "/bni/")),
        calls: [Ran, Client],
        told: &["/bni/{}`", UNNAMED],
        checked: &[],
    },
    Sabotage {
        name: "the command leads elsewhere",
        act: |project| {
            entries(project, |entry| {
                entry["command"] = json!("/nowhere/.claude/hookkit/fixture/bin/plain-guard")
            })
        },
        calls: [Ran, Client],
        told: &[
            "the binary of `plain-guard` is missing",
            "the binary of `plain-guard` is missing",
            "`strict-guard` was installed here, and nothing here names it",
        ],
        checked: &[],
    },
    Sabotage {
        name: "the command is `true`",
        act: |project| entries(project, |entry| entry["command"] = json!("true")),
        calls: [Ran, Ran],
        told: &[UNNAMED],
        checked: &[],
    },
    Sabotage {
        name: "an `if` holds for nothing",
        act: |project| entries(project, |entry| entry["if"] = json!("Bash(nothing of this)")),
        calls: [Ran, Ran],
        told: &["the matcher `Write` does not admit `Bash`", EDITED],
        checked: OTHER_ENTRY,
    },
    Sabotage {
        name: "it is `async`",
        act: |project| entries(project, |entry| entry["async"] = json!(true)),
        calls: [Ran, Ran],
        told: &[
            "a `timeout` stands beside `async`",
            "a `timeout` stands beside `async`",
            "`onFailure` stands beside `async`",
            EDITED,
        ],
        checked: OTHER_ENTRY,
    },
    Sabotage {
        name: "the event is another",
        act: |project| settings(project, |text| text.replace("PreToolUse", "PostToolUse")),
        calls: [Ran, Ran],
        told: &[EDITED],
        checked: OTHER_ENTRY,
    },
    Sabotage {
        name: "the entries are gone",
        act: |project| settings(project, |_| "{}\n".to_owned()),
        calls: [Ran, Ran],
        told: &[UNNAMED],
        checked: &[],
    },
    Sabotage {
        name: "the settings are gone",
        act: |project| Ok(fs::remove_file(project.join(".claude/settings.json"))?),
        calls: [Ran, Ran],
        told: &["`{}` was installed in this file, which is not there"],
        checked: &[],
    },
    Sabotage {
        name: "a comma is too much",
        act: |project| {
            settings(project, |text| {
                text.trim_end().trim_end_matches('}').trim_end().to_owned() + ",\n}\n"
            })
        },
        calls: [Ran, Ran],
        told: &["a comma stands before the end of an object or a list"],
        checked: &[],
    },
    Sabotage {
        name: "a key of the settings is no such value",
        act: |project| {
            settings(project, |text| {
                text.replacen('{', "{\"cleanupPeriodDays\": \"never\",", 1)
            })
        },
        calls: [Ran, Ran],
        told: &["`cleanupPeriodDays` should be a whole number above 0"],
        checked: &[],
    },
];

/// Plays each row of the table in a project where both guards are installed, some at a time. `play` returns what is wrong.
fn each_sabotage(play: impl Fn(&Sabotage, &Project) -> Result<Vec<String>> + Sync) -> Result<()> {
    parallel::each(4, SABOTAGES, |sabotage| {
        let project = Project::new()?;
        install("sabotage-hooks", &project)?;
        (sabotage.act)(project.path())?;
        let wrong = play(sabotage, &project).with_context(|| sabotage.name)?;
        ensure!(wrong.is_empty(), "{}: {}", sabotage.name, wrong.join("\n"));
        Ok(())
    })
}

#[test]
fn a_broken_guard_is_told_with_its_fix() -> Result<()> {
    each_sabotage(|sabotage, project| {
        let mut wrong = Vec::new();
        for (arguments, more) in [(&[][..], &[][..]), (&["--check"], sabotage.checked)] {
            let (findings, exit_code) = doctor(project.path(), arguments)?;
            let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
            let mut said: Vec<String> = findings.iter().map(|row| text(row, "what")).collect();
            let expected: Vec<String> = sabotage
                .told
                .iter()
                .chain(more)
                .flat_map(|words| of_each(words))
                .collect();
            let unsaid = expected.iter().filter(|words| {
                let found = said.iter().position(|said| said.contains(words.as_str()));
                found.map(|found| said.swap_remove(found)).is_none()
            });
            let unsaid: Vec<&String> = unsaid.collect();
            if !unsaid.is_empty() || !said.is_empty() {
                wrong.push(format!("{arguments:?} does not say {unsaid:#?}, and says {said:#?}"));
            }
            if exit_code != Some(i32::from(!expected.is_empty())) {
                wrong.push(format!("{arguments:?} ends with {exit_code:?}"));
            }
            let without_fix = findings.iter().filter(|row| text(row, "fix").is_empty());
            wrong.extend(without_fix.map(|row| format!("nothing fixes it: {row}")));
        }
        Ok(wrong)
    })
}

/// What is said of each guard.
fn of_each(words: &str) -> Vec<String> {
    match words.contains("{}") {
        true => GUARDS.iter().map(|guard| words.replace("{}", guard)).collect(),
        false => vec![words.to_owned()],
    }
}

#[test]
fn what_the_client_does_with_a_broken_guard_is_known() -> Result<()> {
    let Some(client) = client::require("what_the_client_does_with_a_broken_guard_is_known") else {
        return Ok(());
    };
    assert_eq!(OBSERVED_IN, client::VERSION);
    each_sabotage(|sabotage, project| {
        let (calls, told) = calls(&client, project)?;
        Ok(match calls == sabotage.calls {
            true => Vec::new(),
            false => vec![format!("{calls:?}, not {:?}: {told:#?}", sabotage.calls)],
        })
    })
}

/// What becomes of a call that each of the guards is asked about, and what the model is told.
fn calls(client: &Path, project: &Project) -> Result<([Call; 2], Vec<String>)> {
    let outcome = Session::new(client, project.path())
        .allow(&["Bash", "Write"])
        .turn(Turn::call(
            "Bash",
            json!({"command": "touch ran", "description": "Touch"}),
        ))
        .turn(Turn::call(
            "Write",
            json!({"file_path": project.path().join("written"), "content": "x"}),
        ))
        .turn(Turn::text("Done."))
        .run("go")?;
    let told = outcome.tool_results();
    let call = |at: usize, file: &str| {
        let told = told.get(at).map(String::as_str).unwrap_or_default();
        match project.exists(file) {
            true => Ran,
            false if told.ends_with("hook error: it is guarded") => Guarded,
            false if told.contains("refused, because the hook `") => Failed,
            false if told.contains("blocking because onFailure is \"block\"") => Client,
            false => Other,
        }
    };
    Ok(([call(0, "ran"), call(1, "written")], told))
}
