//! Broken guards: the behavior of the client, and the findings of `cargo xtask doctor`.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use hookkit_tests::workspace::{fixture, install};
use hookkit_tests::xtask::command;
use hookkit_tests::{Project, Session, Turn, client, parallel};
use serde_json::{Value, json};

/// The two guards: the entry of the first has no `onFailure`, that of the second has `onFailure: "block"`.
const GUARDS: [&str; 2] = ["plain-guard", "strict-guard"];

/// The version of the client that the outcomes of calls were observed in.
const OBSERVED_IN: &str = "2.1.332";

/// The outcome of a call.
///
/// A process that does not start, or is not hookkit's, cannot enforce its hook's policy: the tool then runs, unless
/// `onFailure` in the settings makes the client deny the call. `onFailure` does not apply if another program answers in
/// place of the guard, or if the client does not call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    /// The tool ran.
    Ran,
    /// The guard denied it, as intended.
    Guarded,
    /// The guard failed, and denied it for this reason.
    Failed,
    /// The client denied it, by the entry's `onFailure`.
    Client,
    /// It did not run, for another reason.
    Other,
}

use Call::{Client, Failed, Guarded, Other, Ran};

/// A way to break the guards, and its effects.
struct Sabotage {
    name: &'static str,
    /// Breaks the guards in the folder of the project.
    act: fn(&Path) -> Result<()>,
    /// Outcomes of the two guards' calls, as observed in the client [`OBSERVED_IN`].
    calls: [Call; 2],
    /// Findings of `doctor`; a text with `{}` is expected for each guard.
    findings: &'static [&'static str],
    /// Additional findings of `doctor --check`.
    checked: &'static [&'static str],
}

/// Returns the findings of `doctor`, and its exit code.
fn doctor(project: &Path, arguments: &[&str]) -> Result<(Vec<Value>, Option<i32>)> {
    let nothing = test_support::folder();
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

/// Returns the paths of both guards' binaries.
fn binaries(project: &Path) -> [PathBuf; 2] {
    GUARDS.map(|guard| bin(project).join(guard))
}

fn bin(project: &Path) -> PathBuf {
    hookkit(project).join("fixture/bin")
}

fn hookkit(project: &Path) -> PathBuf {
    project.join(".claude/hookkit")
}

/// Applies `act` to the binaries of both guards.
fn each(project: &Path, act: impl Fn(&Path) -> Result<()>) -> Result<()> {
    binaries(project).iter().try_for_each(|binary| act(binary))
}

/// Replaces both binaries with a script.
fn script(project: &Path, text: &str) -> Result<()> {
    each(project, |binary| {
        fs::remove_file(binary)?;
        fs::write(binary, format!("#!/bin/sh\n{text}\n"))?;
        Ok(fs::set_permissions(binary, Permissions::from_mode(0o755))?)
    })
}

/// Changes the bytes of both binaries.
fn bytes(project: &Path, change: impl Fn(Vec<u8>) -> Vec<u8>) -> Result<()> {
    each(project, |binary| Ok(fs::write(binary, change(fs::read(binary)?))?))
}

/// Changes the text of the settings.
fn settings(project: &Path, change: impl Fn(String) -> String) -> Result<()> {
    let path = project.join(".claude/settings.json");
    let before = fs::read_to_string(&path)?;
    let after = change(before.clone());
    ensure!(before != after, "nothing was changed: {before}");
    Ok(fs::write(path, after)?)
}

/// Changes the entry of each guard in the settings.
fn entries(project: &Path, change: impl Fn(&mut Value)) -> Result<()> {
    settings(project, |text| {
        let mut value: Value = serde_json::from_str(&text).unwrap_or_default();
        for group in value["hooks"]["PreToolUse"].as_array_mut().into_iter().flatten() {
            change(&mut group["hooks"][0]);
        }
        format!("{value:#}\n")
    })
}

/// Writes the project's local settings.
fn local(project: &Path, text: &str) -> Result<()> {
    Ok(fs::write(project.join(".claude/settings.local.json"), text)?)
}

const ALLOW: &str = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#;

const MISSING: &[&str] = &["the binary of `{}` is missing"];
const REPLACED: &[&str] = &["the binary of `{}` has changed since `install`"];
const OTHER_BINARY: &[&str] = &["`{}` is not up to date: its binary was not built from the current source"];
const EDITED: &str = "the entry of `{}` has changed since `install`";
const OTHER_ENTRY: &[&str] = &["`{}` is not up to date: its entry in the settings is not what its attribute says"];
const UNNAMED: &str = "`{}` was installed here, but this file has no entry for it";

const SABOTAGES: &[Sabotage] = &[
    Sabotage {
        name: "nothing",
        act: |_| Ok(()),
        calls: [Guarded, Guarded],
        findings: &[],
        checked: &[],
    },
    Sabotage {
        name: "the user adds a key, and an editor reorders the file",
        act: |project| entries(project, |entry| entry["description"] = json!("looks after us")),
        calls: [Guarded, Guarded],
        findings: &[],
        checked: &[],
    },
    Sabotage {
        name: "the binary is deleted",
        act: |project| each(project, |binary| Ok(fs::remove_file(binary)?)),
        calls: [Ran, Client],
        findings: MISSING,
        checked: &[],
    },
    Sabotage {
        name: "the binary is empty",
        act: |project| bytes(project, |_| Vec::new()),
        calls: [Ran, Client],
        findings: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "the binary is truncated in the middle",
        act: |project| bytes(project, |bytes| bytes[..bytes.len() / 2].to_vec()),
        calls: [Ran, Client],
        findings: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "the binary is truncated in its header",
        act: |project| bytes(project, |bytes| bytes[..100].to_vec()),
        calls: [Ran, Client],
        findings: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "the binary is not executable",
        act: |project| {
            each(project, |binary| {
                Ok(fs::set_permissions(binary, Permissions::from_mode(0o644))?)
            })
        },
        calls: [Ran, Client],
        findings: &["/bin/{}` is not executable"],
        checked: &["`{}` is not up to date: its binary cannot be run"],
    },
    Sabotage {
        name: "a script prints text",
        act: |project| script(project, "echo hello"),
        calls: [Ran, Ran],
        findings: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "a script prints text and an allow",
        act: |project| script(project, &format!("echo hello\n{ALLOW}")),
        calls: [Ran, Ran],
        findings: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "a script allows all",
        act: |project| script(project, ALLOW),
        calls: [Ran, Ran],
        findings: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "the binary is for another processor",
        act: |project| {
            bytes(project, |mut bytes| {
                // `e_machine`: S/390.
                bytes[18..20].copy_from_slice(&[22, 0]);
                bytes
            })
        },
        calls: [Ran, Client],
        findings: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "the binary is noise",
        act: |project| bytes(project, |_| vec![0xa5; 4096]),
        calls: [Ran, Client],
        findings: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "the binary is a dangling link",
        act: |project| {
            each(project, |binary| {
                fs::remove_file(binary)?;
                Ok(symlink("/nowhere/at/all", binary)?)
            })
        },
        calls: [Ran, Client],
        findings: MISSING,
        checked: &[],
    },
    Sabotage {
        name: "the binary is a folder",
        act: |project| {
            each(project, |binary| {
                fs::remove_file(binary)?;
                Ok(fs::create_dir(binary)?)
            })
        },
        calls: [Ran, Client],
        findings: &["there is a folder in place of the binary of `{}`"],
        checked: &[],
    },
    Sabotage {
        name: "the binary is another hook's",
        act: |project| {
            let [guard, strict] = binaries(project);
            let spare = guard.with_extension("old");
            fs::rename(&guard, &spare)?;
            fs::rename(&strict, &guard)?;
            Ok(fs::rename(spare, strict)?)
        },
        calls: [Ran, Ran],
        findings: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "the folder of binaries is gone",
        act: |project| Ok(fs::remove_dir_all(bin(project))?),
        calls: [Ran, Client],
        findings: MISSING,
        checked: &[],
    },
    Sabotage {
        name: "all of hookkit's folder is gone",
        act: |project| Ok(fs::remove_dir_all(hookkit(project))?),
        calls: [Ran, Client],
        findings: MISSING,
        checked: &[],
    },
    Sabotage {
        name: "a script hangs",
        act: |project| script(project, "sleep 60"),
        calls: [Ran, Client],
        findings: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "a script exits with 1",
        act: |project| script(project, "exit 1"),
        calls: [Ran, Client],
        findings: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "a script is killed",
        act: |project| script(project, "kill -9 $$"),
        calls: [Ran, Client],
        findings: REPLACED,
        checked: OTHER_BINARY,
    },
    Sabotage {
        name: "the disk is full",
        act: |project| local(project, "{\"env\": {\"GUARD_LOG\": \"/dev/full\"}}"),
        calls: [Failed, Failed],
        findings: &[],
        checked: &[],
    },
    Sabotage {
        name: "`timeout` is 0",
        act: |project| entries(project, |entry| entry["timeout"] = json!(0)),
        calls: [Ran, Ran],
        findings: &[
            "`timeout` should be a number above 0", "`timeout` should be a number above 0",
        ],
        checked: OTHER_ENTRY,
    },
    Sabotage {
        name: "`timeout` is in milliseconds",
        act: |project| entries(project, |entry| entry["timeout"] = json!(5000)),
        calls: [Guarded, Guarded],
        findings: &["5000 s are 83 minutes", "5000 s are 83 minutes", EDITED],
        checked: OTHER_ENTRY,
    },
    Sabotage {
        name: "`timeout` is too short",
        act: |project| {
            local(project, "{\"env\": {\"GUARD_IS_SLOW\": \"1\"}}")?;
            entries(project, |entry| entry["timeout"] = json!(0.5))
        },
        calls: [Ran, Client],
        findings: &[EDITED],
        checked: OTHER_ENTRY,
    },
    Sabotage {
        name: "`disableAllHooks` is set",
        act: |project| local(project, "{\"disableAllHooks\": true}"),
        calls: [Ran, Ran],
        findings: &["`disableAllHooks` turns hooks off"],
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
        findings: &["`bash` matches no tool", "`Wirte` matches no tool", EDITED],
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
        findings: &[EDITED],
        checked: OTHER_ENTRY,
    },
    Sabotage {
        name: "the command has a typo",
        act: |project| settings(project, |text| text.replace("/bin/", "/bni/")),
        calls: [Ran, Client],
        findings: &["/bni/{}`", UNNAMED],
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
        findings: &[
            "the binary of `plain-guard` is missing",
            "the binary of `plain-guard` is missing",
            "`strict-guard` was installed here, but this file has no entry for it",
        ],
        checked: &[],
    },
    Sabotage {
        name: "the command is `true`",
        act: |project| entries(project, |entry| entry["command"] = json!("true")),
        calls: [Ran, Ran],
        findings: &[UNNAMED],
        checked: &[],
    },
    Sabotage {
        name: "an `if` matches nothing",
        act: |project| entries(project, |entry| entry["if"] = json!("Bash(nothing of this)")),
        calls: [Ran, Ran],
        findings: &["the matcher `Write` does not match `Bash`", EDITED],
        checked: OTHER_ENTRY,
    },
    Sabotage {
        name: "the hook is `async`",
        act: |project| entries(project, |entry| entry["async"] = json!(true)),
        calls: [Ran, Ran],
        findings: &[
            "`timeout` has no effect with `async`", "`timeout` has no effect with `async`",
            "`onFailure` has no effect with `async`", EDITED,
        ],
        checked: OTHER_ENTRY,
    },
    Sabotage {
        name: "the event is another",
        act: |project| settings(project, |text| text.replace("PreToolUse", "PostToolUse")),
        calls: [Ran, Ran],
        findings: &[EDITED],
        checked: OTHER_ENTRY,
    },
    Sabotage {
        name: "the entries are gone",
        act: |project| settings(project, |_| "{}\n".to_owned()),
        calls: [Ran, Ran],
        findings: &[UNNAMED],
        checked: &[],
    },
    Sabotage {
        name: "the settings are gone",
        act: |project| Ok(fs::remove_file(project.join(".claude/settings.json"))?),
        calls: [Ran, Ran],
        findings: &["`{}` was installed in this file, which no longer exists"],
        checked: &[],
    },
    Sabotage {
        name: "there is a trailing comma",
        act: |project| {
            settings(project, |text| {
                text.trim_end().trim_end_matches('}').trim_end().to_owned() + ",\n}\n"
            })
        },
        calls: [Ran, Ran],
        findings: &["trailing comma in an object or a list"],
        checked: &[],
    },
    Sabotage {
        name: "a key of the settings has an invalid value",
        act: |project| {
            settings(project, |text| {
                text.replacen('{', "{\"cleanupPeriodDays\": \"never\",", 1)
            })
        },
        calls: [Ran, Ran],
        findings: &["`cleanupPeriodDays` should be a whole number above 0"],
        checked: &[],
    },
];

/// Runs `play` for each row of the table, four at a time, in a project with both guards; `play` returns the mistakes.
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
fn a_broken_guard_is_reported_with_its_fix() -> Result<()> {
    each_sabotage(|sabotage, project| {
        let mut wrong = Vec::new();
        for (arguments, more) in [(&[][..], &[][..]), (&["--check"], sabotage.checked)] {
            let (findings, exit_code) = doctor(project.path(), arguments)?;
            let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
            let mut unexpected: Vec<String> = findings.iter().map(|row| text(row, "what")).collect();
            let expected: Vec<String> = sabotage
                .findings
                .iter()
                .chain(more)
                .flat_map(|text| for_each_guard(text))
                .collect();
            let missing = expected.iter().filter(|text| {
                let found = unexpected.iter().position(|found| found.contains(text.as_str()));
                found.map(|found| unexpected.swap_remove(found)).is_none()
            });
            let missing: Vec<&String> = missing.collect();
            if !missing.is_empty() || !unexpected.is_empty() {
                wrong.push(format!(
                    "{arguments:?}: missing: {missing:#?}; unexpected: {unexpected:#?}"
                ));
            }
            if exit_code != Some(i32::from(!expected.is_empty())) {
                wrong.push(format!("{arguments:?} exits with {exit_code:?}"));
            }
            let without_fix = findings.iter().filter(|row| text(row, "fix").is_empty());
            wrong.extend(without_fix.map(|row| format!("no fix: {row}")));
        }
        Ok(wrong)
    })
}

/// Returns the text for each guard, if it has a `{}`.
fn for_each_guard(text: &str) -> Vec<String> {
    match text.contains("{}") {
        true => GUARDS.iter().map(|guard| text.replace("{}", guard)).collect(),
        false => vec![text.to_owned()],
    }
}

#[test]
fn the_client_treats_broken_guards_as_observed() -> Result<()> {
    let Some(client) = client::require("the_client_treats_broken_guards_as_observed") else {
        return Ok(());
    };
    assert_eq!(OBSERVED_IN, client::VERSION);
    each_sabotage(|sabotage, project| {
        let (calls, results) = calls(&client, project)?;
        Ok(match calls == sabotage.calls {
            true => Vec::new(),
            false => vec![format!("{calls:?}, not {:?}: {results:#?}", sabotage.calls)],
        })
    })
}

/// Returns the outcome of one call for each guard, and the tool results.
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
    let results = outcome.tool_results();
    let call = |at: usize, file: &str| {
        let result = results.get(at).map(String::as_str).unwrap_or_default();
        match project.exists(file) {
            true => Ran,
            false if result.ends_with("hook error: it is guarded") => Guarded,
            false if result.contains("denied, because the hook `") => Failed,
            false if result.contains("blocking because onFailure is \"block\"") => Client,
            false => Other,
        }
    };
    Ok(([call(0, "ran"), call(1, "written")], results))
}
