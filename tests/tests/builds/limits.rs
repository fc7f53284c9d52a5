//! Settings that would take too long to check are checked for a few seconds, and omissions are reported.

use hookkit_tests::parallel::each;
use hookkit_tests::prelude::*;
use hookkit_tests::xtask::output_within;

/// The limit of a command, which takes at most 5 s on an idle machine.
const LIMIT: Duration = Duration::from_secs(20);

const LATE: &str = "checking all hooks takes longer than 2 s";
/// Returns settings with these groups on an event.
fn settings(groups: &str) -> String {
    format!(r#"{{"hooks":{{"PreToolUse":[{groups}]}}}}"#)
}

/// Returns a group of a hook.
fn group(matcher: &str) -> String {
    format!(r#"{{"matcher":"{matcher}","hooks":[{{"type":"command","command":"true"}}]}}"#)
}

/// Writes each `<COUNT*PIECE>` out, with the numbers from 0 in the place of `#`.
fn written(form: &str) -> String {
    let mut parts = form.split('<');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (repeated, rest) = part.split_once('>').expect("a `>`");
        let (count, piece) = repeated.split_once('*').expect("a count");
        let count: usize = count.parse().expect("a number");
        text.extend((0..count).map(|number| piece.replace('#', &number.to_string())));
        text += rest;
    }
    text
}

#[test]
fn expensive_settings_are_checked_in_seconds() -> Result<()> {
    let table = lines!("lines/limits.txt");
    let sections = table.sections.iter();
    let rows = sections.flat_map(|section| section.rows.iter().map(|row| (section.name, row)));
    each(2, rows, |(kind, row)| {
        let ([name, expected], text) = (row.fields(), written(&row.line));
        let world = World::new()?;
        let text = match kind {
            "matchers" => settings(&group(&text)),
            "groups" => settings(&text),
            _ => text,
        };
        world.project.write(".claude/settings.json", text)?;
        let mut printed = Vec::new();
        let commands = ["doctor", "doctor --fix", "list --for PreToolUse:Bash"];
        // One slow file is enough to test the limit of each command; the others only run `doctor`.
        let is_short = expected == LATE && name != "nested quantifiers";
        for line in &commands[..if is_short { 1 } else { 3 }] {
            let arguments: Vec<&str> = line.split(' ').collect();
            let mut command = world.command(world.outside.path(), world.project.path(), &arguments)?;
            let output = output_within(&mut command, LIMIT).with_context(|| format!("{name}: {line}"))?;
            // A signal would mean a stack overflow.
            ensure!(output.status.code().is_some(), "{name}: {line}: {:?}", output.status);
            printed.push(String::from_utf8(output.stdout)? + &String::from_utf8(output.stderr)?);
        }
        let start = printed[0].chars().take(2_000).collect::<String>();
        ensure!(printed[0].contains(expected), "{name}: {start}");
        let is_short = printed[0].lines().all(|line| line.chars().count() < 20_000);
        ensure!(is_short, "{name}: a line is too long");
        Ok(())
    })
}

/// Runs `doctor` on a world with an option, within the limit; its stdout and its exit code.
fn doctor(world: &World, option: &str) -> Result<(String, Option<i32>)> {
    let output = output_within(&mut world.doctor(&[option])?, LIMIT)?;
    Ok((String::from_utf8(output.stdout)?, output.status.code()))
}

#[test]
fn a_slow_matcher_is_named_after_the_findings_before_it() -> Result<()> {
    let world = World::new()?;
    let groups = ["Bsh", "([a-zA-Z]+)+$x", "Bahs"].map(group);
    let text = format!("{{\"hooks\": {{\"PreToolUse\": [\n{}\n]}}}}", groups.join(",\n"));
    world.project.write(".claude/settings.json", text)?;
    let (stdout, _) = doctor(&world, "--json")?;
    let mut found = rows(&stdout)?;
    found.retain(|row| row["kind"] == "finding");
    let found = found.iter().map(|row| json!([row["line"], row["what"]])).collect::<Value>();
    assert_eq!(found, json!([[2, "`Bsh` matches no tool"], [3, LATE]]), "{stdout}");
    Ok(())
}

#[test]
fn edits_beyond_the_limit_are_left_for_the_next_run() -> Result<()> {
    let world = World::new()?;
    let hook = r#"{"type":"command","command":"true #","timeout":30000}"#;
    let hooks = written(&format!("<1000*{hook},>{hook}"));
    let group = format!(r#"{{"matcher":"Bash","hooks":[{hooks}]}}"#);
    world.project.write(".claude/settings.json", settings(&group))?;
    let (stdout, code) = doctor(&world, "--fix")?;
    stdout.has("These are the first 1000 edits; for the rest run this again afterwards\n");
    ensure!(stdout.contains("\n+{\"hooks\"") && code == Some(1), "{stdout:?}");
    Ok(())
}

#[test]
fn reading_many_plugins_has_a_time_limit() -> Result<()> {
    let world = World::new()?;
    let names: Vec<String> = (0..20_000).map(|number| format!("p{number}")).collect();
    let offers = names.iter().map(|name| json!({"name": name, "source": format!("./{name}")}));
    let offers = json!({"plugins": offers.collect::<Value>()}).to_string();
    world.project.write("market/.claude-plugin/marketplace.json", offers)?;
    let enabled: Value = names.iter().map(|name| (format!("{name}@m"), json!(true))).collect();
    let market = json!({"m": {"source": {"source": "directory", "path": "market"}}});
    let settings = json!({"enabledPlugins": enabled, "extraKnownMarketplaces": market});
    world.project.write(".claude/settings.json", settings.to_string())?;
    let (stdout, _) = doctor(&world, "--json")?;
    let finding = "reading the plugins takes longer than 2 s, so this one and those after it are not read";
    let start = stdout.chars().take(2_000).collect::<String>();
    ensure!(stdout.contains(finding), "{start}");
    Ok(())
}
