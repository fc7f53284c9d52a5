//! Settings that would take too long to check are checked for a few seconds, and omissions are reported.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use hookkit_tests::World;
use hookkit_tests::parallel::each;
use hookkit_tests::xtask::{command, output_within};
use serde_json::{Value, json};

/// The limit of a command, which takes at most 5 s on an idle machine.
const LIMIT: Duration = Duration::from_secs(20);

const LATE: &str = "looking at all hooks takes longer than 2 s";
const MANY: &str = "only the first 2000 hooks of this file are checked; 18000 are not";

fn group(matcher: &str, hooks: &[Value]) -> Value {
    json!({"matcher": matcher, "hooks": hooks})
}

fn hook(command: impl Into<String>) -> Value {
    json!({"type": "command", "command": command.into()})
}

fn settings(groups: impl IntoIterator<Item = Value>) -> String {
    json!({"hooks": {"PreToolUse": groups.into_iter().collect::<Vec<_>>()}}).to_string()
}

fn many<T>(count: usize, make: impl Fn(usize) -> T) -> Vec<T> {
    (0..count).map(make).collect()
}

/// Returns a name, the text of a settings file, and a part of `doctor`'s output.
fn texts() -> Vec<(&'static str, String, &'static str)> {
    let one = |matcher: &str| settings([group(matcher, &[hook("true")])]);
    let of_bash = |hooks: Vec<Value>| settings([group("Bash", &hooks)]);
    let lists = ["E", "F"].map(|name| group(&many(100_000, |n| format!("{name}{n}")).join("|"), &[hook("true")]));
    vec![
        ("nested quantifiers", one("([a-zA-Z]+)+$x"), LATE),
        ("twenty", one(&format!("^{}$x", "(.*)*".repeat(20))), LATE),
        (
            "an expression of 1 MB",
            one(&many(100_000, |n| format!("^E.*{n}")).join("|")),
            LATE,
        ),
        ("a name of 2 MB", one(&"a".repeat(2_000_000)), LATE),
        ("long lists", settings(lists), LATE),
        (
            "20,000 hooks",
            of_bash(many(20_000, |n| hook(format!("true {n}")))),
            MANY,
        ),
        (
            "20,000 matchers",
            settings(many(20_000, |n| {
                group(&format!("Edit|A{n}"), &[hook(format!("true {n}"))])
            })),
            MANY,
        ),
        (
            "20,000 expressions",
            settings(many(20_000, |n| group(&format!("^E.*{n}"), &[hook("true")]))),
            MANY,
        ),
        (
            "20,000 rewrites",
            of_bash(many(20_000, |n| hook(format!("echo updatedInput {n}")))),
            MANY,
        ),
        (
            "a million lists in one another",
            "[".repeat(1_000_000),
            "no deeper than this",
        ),
        (
            "100,000 substitutions in one another",
            of_bash(vec![hook("\"$(".repeat(100_000))]),
            "1 hook in 1 file",
        ),
        (
            "150,000 events",
            json!({"hooks": many(150_000, |n| (format!("k{n}"), json!(1))).into_iter().collect::<Value>()}).to_string(),
            "9951 more findings in ",
        ),
        (
            "1,000,000 numbers",
            format!("{{\"hooks\":{{\"PreToolUse\":[{}1]}}}}", "1,".repeat(1_000_000)),
            "more like those",
        ),
        (
            "100,000 keys",
            many(100_000, |n| (format!("k{n}"), json!(n)))
                .into_iter()
                .collect::<Value>()
                .to_string(),
            "no hooks in 1 file",
        ),
        (
            "50,000 times one key",
            format!("{{\"hooks\":{{{}\"Stop\":[]}}}}", "\"PreToolUse\":[],".repeat(50_000)),
            "there are 39999 more findings, which are not listed",
        ),
        (
            "300,000 comments",
            format!("{{\"x\":[{}1]}}", "1,/**/".repeat(300_000)),
            "and 9991 more like those",
        ),
        (
            "templates on one line",
            format!("{{\"a\": \"{}", "{{".repeat(1_000_000)),
            "this is not JSON",
        ),
        (
            "a key of 2 MB",
            format!(
                "{{\"hooks\":{{\"Stop\":[{{\"hooks\":[{{\"{}\":1}}]}}]}}}}",
                "x".repeat(2_000_000)
            ),
            "a hook needs a `type`",
        ),
    ]
}

#[test]
fn expensive_settings_are_checked_in_seconds() -> Result<()> {
    each(2, texts(), |(name, text, expected)| {
        let world = World::new()?;
        world.project.write(".claude/settings.json", &text)?;
        let mut printed = Vec::new();
        let commands = [
            &["doctor"][..],
            &["doctor", "--fix"],
            &["list", "--for", "PreToolUse:Bash"],
        ];
        // One slow file is enough to test the limit of each command; the others only run `doctor`.
        let count = if expected == LATE && name != "nested quantifiers" {
            1
        } else {
            3
        };
        for arguments in &commands[..count] {
            let mut command = command(world.outside.path(), arguments)?;
            command.arg("--project").arg(world.project.path());
            command.arg("--managed").arg(world.managed.path());
            command.env("CLAUDE_CONFIG_DIR", world.user.path());
            let output = output_within(&mut command, LIMIT).with_context(|| format!("{name}: {arguments:?}"))?;
            // A signal would mean a stack overflow.
            ensure!(
                output.status.code().is_some(),
                "{name}: {arguments:?}: {:?}",
                output.status
            );
            printed.push(String::from_utf8(output.stdout)? + &String::from_utf8(output.stderr)?);
        }
        let start = printed[0].chars().take(2_000).collect::<String>();
        ensure!(printed[0].contains(expected), "{name}: {start}");
        ensure!(
            printed[0].lines().all(|line| line.chars().count() < 20_000),
            "{name}: a line is too long"
        );
        Ok(())
    })
}

#[test]
fn a_slow_matcher_is_named_after_the_findings_before_it() -> Result<()> {
    let world = World::new()?;
    let groups = ["Bsh", "([a-zA-Z]+)+$x", "Bahs"];
    let groups = groups.map(|matcher| group(matcher, &[hook("true")]).to_string());
    let text = format!("{{\"hooks\": {{\"PreToolUse\": [\n{}\n]}}}}", groups.join(",\n"));
    world.project.write(".claude/settings.json", text)?;
    let mut doctor = world.doctor(&["--json", "--managed"])?;
    let output = output_within(doctor.arg(world.managed.path()), LIMIT)?;
    let stdout = String::from_utf8(output.stdout)?;
    let rows: Vec<Value> = stdout.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let found = rows.iter().filter(|row| row["kind"] == "finding");
    let found: Vec<(&Value, &str)> = found
        .map(|row| (&row["line"], row["what"].as_str().unwrap_or_default()))
        .collect();
    assert_eq!(
        found,
        [(&json!(2), "`Bsh` matches no tool"), (&json!(3), LATE)],
        "{stdout}"
    );
    Ok(())
}

#[test]
fn edits_beyond_the_limit_are_left_for_the_next_run() -> Result<()> {
    let world = World::new()?;
    let hooks = many(
        1_001,
        |n| json!({"type": "command", "command": format!("true {n}"), "timeout": 30_000}),
    );
    world
        .project
        .write(".claude/settings.json", settings([group("Bash", &hooks)]))?;
    let mut doctor = world.doctor(&["--fix", "--managed"])?;
    let output = output_within(doctor.arg(world.managed.path()), LIMIT)?;
    let stdout = String::from_utf8(output.stdout)?;
    ensure!(
        stdout.contains("These are the first 1000 edits; for the rest run this again afterwards\n"),
        "{stdout:?}"
    );
    ensure!(
        stdout.contains("\n+{\"hooks\"") && output.status.code() == Some(1),
        "{stdout:?}"
    );
    Ok(())
}

#[test]
fn reading_many_plugins_has_a_time_limit() -> Result<()> {
    let world = World::new()?;
    let names = many(20_000, |n| format!("p{n}"));
    let offers: Vec<Value> = names
        .iter()
        .map(|name| json!({"name": name, "source": format!("./{name}")}))
        .collect();
    world.project.write(
        "market/.claude-plugin/marketplace.json",
        json!({"plugins": offers}).to_string(),
    )?;
    let enabled: Value = names.iter().map(|name| (format!("{name}@m"), json!(true))).collect();
    let market = json!({"m": {"source": {"source": "directory", "path": "market"}}});
    let settings = json!({"enabledPlugins": enabled, "extraKnownMarketplaces": market});
    world.project.write(".claude/settings.json", settings.to_string())?;
    let mut doctor = world.doctor(&["--json", "--managed"])?;
    let output = output_within(doctor.arg(world.managed.path()), LIMIT)?;
    let stdout = String::from_utf8(output.stdout)?;
    let finding = "reading the plugins takes longer than 2 s, so this one and those after it are not read";
    ensure!(
        stdout.contains(finding),
        "{}",
        stdout.chars().take(2_000).collect::<String>()
    );
    Ok(())
}
