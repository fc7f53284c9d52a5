//! Broken guards: the behavior of the client, and the findings of `cargo xtask doctor`.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use hookkit_tests::plugins::Call;
use hookkit_tests::record::Asked;
use hookkit_tests::workspace::{fixture, install};
use hookkit_tests::xtask::command;
use hookkit_tests::{Project, Session, Turn, client, files, parallel};
use serde_json::{Value, json};
use test_support::lines;
use test_support::lines::Lines;

/// The two guards: the entry of the first has no `onFailure`, that of the second has `onFailure: "block"`.
const GUARDS: [&str; 2] = ["plain-guard", "strict-guard"];

/// The version of the client that the outcomes of calls were observed in.
const OBSERVED_IN: &str = "2.1.332";

/// A way to break the guards, and its effects.
struct Sabotage {
    name: String,
    /// Section, and the fields of the row after the effects.
    act: (&'static str, Vec<String>),
    /// Outcomes of the two guards' calls, as observed in the client [`OBSERVED_IN`].
    calls: String,
    /// Findings of `doctor`; a text with `{}` is expected for each guard.
    findings: Vec<String>,
    /// Additional findings of `doctor --check`.
    checked: Vec<String>,
}

fn sabotages() -> Vec<Sabotage> {
    let table: Lines = lines!("lines/sabotage.txt");
    let (words, sections) = table.sections.split_first().expect("sections");
    let rows = sections.iter().flat_map(|section| section.rows.iter().map(|row| (section.name, row)));
    let rows = rows.map(|(section, row)| {
        let [name, calls, findings, act @ ..] = &row.expected[..] else { panic!("{row:?}") };
        let findings =
            words.rows.iter().fold(findings.clone(), |text, word| text.replace(&word.expected.concat(), &word.line));
        let findings = findings.split('\n').filter(|text| *text != "-").map(str::to_owned);
        let (checked, findings) = findings.partition::<Vec<_>, _>(|text| text.starts_with("--check "));
        Sabotage {
            name: name.clone(),
            act: (section, [act, std::slice::from_ref(&row.line)].concat()),
            calls: calls.clone(),
            findings,
            checked: checked.iter().map(|text| text.replace("--check ", "")).collect(),
        }
    });
    rows.collect()
}

/// Breaks the guards in the folder of the project.
fn break_guards((section, words): &(&str, Vec<String>), project: &Path) -> Result<()> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match (*section, &words[..]) {
        ("a script is in place of the binary", [text]) => script(project, text),
        ("each entry has a value", [key, value]) => {
            let value: Value = serde_json::from_str(value)?;
            entries(project, |entry| entry[*key] = value.clone())
        }
        ("the text of the settings changes", pairs) => settings(project, |text| {
            let pairs = pairs.chunks_exact(2);
            pairs.fold(text, |text, pair| text.replace(pair[0], pair[1]))
        }),
        ("local settings are written", [text]) => local(project, text),
        ("other", [change]) => other(project, change),
        _ => bail!("{section}: {words:?}"),
    }
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
        files::program(binary, format!("#!/bin/sh\n{text}\n"))
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

fn other(project: &Path, change: &str) -> Result<()> {
    match change {
        "nothing" => Ok(()),
        "delete" => each(project, |binary| Ok(fs::remove_file(binary)?)),
        "empty" => bytes(project, |_| Vec::new()),
        "cut in the middle" => bytes(project, |bytes| bytes[..bytes.len() / 2].to_vec()),
        "cut in the header" => bytes(project, |bytes| bytes[..100].to_vec()),
        "another processor" => bytes(project, |mut bytes| {
            // `e_machine`: S/390.
            bytes[18..20].copy_from_slice(&[22, 0]);
            bytes
        }),
        "noise" => bytes(project, |_| vec![0xa5; 4096]),
        "not executable" => each(project, |binary| Ok(fs::set_permissions(binary, Permissions::from_mode(0o644))?)),
        "link" => each(project, |binary| {
            fs::remove_file(binary)?;
            Ok(symlink("/nowhere/at/all", binary)?)
        }),
        "folder" => each(project, |binary| {
            fs::remove_file(binary)?;
            Ok(fs::create_dir(binary)?)
        }),
        "exchange" => {
            let [guard, strict] = binaries(project);
            let spare = guard.with_extension("old");
            fs::rename(&guard, &spare)?;
            fs::rename(&strict, &guard)?;
            Ok(fs::rename(spare, strict)?)
        }
        "delete the binaries" => Ok(fs::remove_dir_all(bin(project))?),
        "delete hookkit" => Ok(fs::remove_dir_all(hookkit(project))?),
        "slow" => {
            local(project, "{\"env\": {\"GUARD_IS_SLOW\": \"1\"}}")?;
            entries(project, |entry| entry["timeout"] = json!(0.5))
        }
        "no entries" => settings(project, |_| "{}\n".to_owned()),
        "no settings" => Ok(fs::remove_file(project.join(".claude/settings.json"))?),
        "comma" => settings(project, |text| text.trim_end().trim_end_matches('}').trim_end().to_owned() + ",\n}\n"),
        "invalid" => settings(project, |text| text.replacen('{', "{\"cleanupPeriodDays\": \"never\",", 1)),
        _ => bail!("no change `{change}`"),
    }
}

/// Runs `play` for each row of the table, in four projects with both guards, which are as after `install` for each row; `play`
/// returns the mistakes.
fn each_sabotage(play: impl Fn(&Sabotage, &Project) -> Result<Vec<String>> + Sync) -> Result<()> {
    let rows = sabotages();
    parallel::each(4, rows.chunks(rows.len().div_ceil(4)), |rows| {
        let (project, kept) = (Project::new()?, test_support::folder());
        install("sabotage-hooks", &project)?;
        copy(project.path(), kept.path())?;
        let mut wrong = Vec::new();
        for sabotage in rows {
            fs::remove_dir_all(project.path())?;
            copy(kept.path(), project.path())?;
            break_guards(&sabotage.act, project.path()).with_context(|| sabotage.name.clone())?;
            let of_row = play(sabotage, &project).with_context(|| sabotage.name.clone())?;
            wrong.extend(of_row.iter().map(|wrong| format!("{}: {wrong}", sabotage.name)));
        }
        ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
        Ok(())
    })
}

/// Copies what is in a folder into another one, with modes and times.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    let copied = Command::new("cp").arg("-pR").arg(from.join(".")).arg(to).status()?;
    ensure!(copied.success(), "cannot copy {}", from.display());
    Ok(())
}

#[test]
fn a_broken_guard_is_reported_with_its_fix() -> Result<()> {
    each_sabotage(|sabotage, project| {
        let mut wrong = Vec::new();
        for (arguments, more) in [(&[][..], &[][..]), (&["--check"], &sabotage.checked)] {
            let (findings, exit_code) = doctor(project.path(), arguments)?;
            let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
            let mut unexpected: Vec<String> = findings.iter().map(|row| text(row, "what")).collect();
            let expected: Vec<String> =
                sabotage.findings.iter().chain(more).flat_map(|text| for_each_guard(text)).collect();
            let missing = expected.iter().filter(|text| {
                let found = unexpected.iter().position(|found| found.contains(text.as_str()));
                found.map(|found| unexpected.swap_remove(found)).is_none()
            });
            let missing: Vec<&String> = missing.collect();
            if !missing.is_empty() || !unexpected.is_empty() {
                wrong.push(format!("{arguments:?}: missing: {missing:#?}; unexpected: {unexpected:#?}"));
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
    let client = client!("the_client_treats_broken_guards_as_observed");
    assert_eq!(OBSERVED_IN, client::VERSION);
    let asked = Asked::of("broken-guards")?;
    each_sabotage(|sabotage, project| {
        if asked.before(&format!("{}: {}", sabotage.name, sabotage.calls), &[project.path()])? {
            return Ok(Vec::new());
        }
        let (calls, results) = calls(&client, project)?;
        let calls = calls.map(|call| format!("{call:?}")).join(" ");
        Ok(match calls == sabotage.calls {
            true => Vec::new(),
            false => vec![format!("{calls}, not {}: {results:#?}", sabotage.calls)],
        })
    })?;
    asked.keep()
}

/// Returns the outcome of one call for each guard, and the tool results.
fn calls(client: &Path, project: &Project) -> Result<([Call; 2], Vec<String>)> {
    let outcome = Session::new(client, project.path())
        .allow(&["Bash", "Write"])
        .turn(Turn::bash("touch ran"))
        .turn(Turn::call("Write", json!({"file_path": project.path().join("written"), "content": "x"})))
        .go()?;
    let results = outcome.tool_results();
    let call = |at: usize, file: &str| Call::of(project.exists(file), results.get(at));
    Ok(([call(0, "ran"), call(1, "written")], results))
}
