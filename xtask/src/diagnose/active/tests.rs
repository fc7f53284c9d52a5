use std::fs;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::diagnose::active::outcome::{Outcome, Subject};
use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::State;
use crate::settings::folders::{Folders, Scope};

/// A machine with a project, a user and an administrator.
struct World(tempfile::TempDir);

impl World {
    fn new() -> Result<Self> {
        Ok(Self(test_support::folder()))
    }

    /// Creates the machine with these files.
    fn with(files: &str) -> Result<Self> {
        let world = Self::new()?;
        for row in &test_support::lines!("lines/active-files.txt").section(files).rows {
            world.write(&row.expected[0], row.line.replace("…/", &world.path()))?;
        }
        Ok(world)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) -> Result<()> {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().context("it is in a folder")?)?;
        Ok(fs::write(path, text)?)
    }

    fn session(&self) -> Session {
        let root = self.0.path();
        Session::of(&Folders {
            project: Some(root.join("project")),
            home: None,
            user: Some(root.join("user")),
            managed: root.join("managed"),
            named: None,
            agents: Vec::new(),
        })
    }

    /// Returns the commands that run on a subject, with their scopes, and those that do not, with the reasons.
    fn outcomes(&self, subject: &str) -> Result<(Vec<String>, Vec<String>)> {
        let (session, subject) = (self.session(), Subject::parse(subject)?);
        let (mut run, mut stay) = (Vec::new(), Vec::new());
        for hook in session.outcomes(&subject) {
            let what = format!("{} {}", hook.source.scope, hook.handler.what());
            match hook.outcome {
                Outcome::Runs(None) => run.push(what),
                Outcome::Runs(Some(condition)) => run.push(format!("{what} where {condition}")),
                Outcome::DoesNotRun(why) => stay.push(format!("{what}: {}", why.replace(&self.path(), ""))),
            }
        }
        Ok((run, stay))
    }

    fn path(&self) -> String {
        format!("{}/", self.0.path().display())
    }
}

const USER: &str = "user/settings.json";
const PROJECT: &str = "project/.claude/settings.json";
const LOCAL: &str = "project/.claude/settings.local.json";
const MANAGED: &str = "managed/managed-settings.json";

/// Returns a group with a matcher and a command.
fn group(matcher: &str, command: &str) -> Value {
    json!({"matcher": matcher, "hooks": [{"type": "command", "command": command}]})
}

fn hooks(event: &str, groups: &[Value]) -> String {
    json!({"hooks": {event: groups}}).to_string()
}

#[test]
fn files_are_read_from_the_weakest_to_the_strongest() -> Result<()> {
    let world = World::with("files from the weakest to the strongest")?;
    let (run, stay) = world.outcomes("Stop")?;
    assert_eq!(run, ["user 0", "project 1", "local 2", "managed 3", "managed a", "managed b"]);
    assert!(stay.is_empty(), "{stay:?}");
    Ok(())
}

#[test]
fn a_hook_has_its_place() -> Result<()> {
    let world = World::new()?;
    let text = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [\n        {\"type\": \"command\", \"command\": \"é\", \"args\": [\"a b\"], \"timeout\": 5}]}\n    ]\n  }\n}\n";
    world.write(PROJECT, text)?;
    let session = world.session();
    let (source, handler) = session.handlers().next().context("a hook")?;
    assert_eq!((&source.scope, handler.place.line, handler.place.column), (&Scope::Project, 5, 9));
    assert_eq!(handler.what(), "é 'a b'");
    assert_eq!(handler.conditions(), ["at most 5 s"]);
    Ok(())
}

#[test]
fn a_mistake_drops_the_group_or_file_that_contains_it() -> Result<()> {
    let world = World::with("a mistake in each file")?;
    let (run, stay) = world.outcomes("Stop")?;
    assert_eq!(run, ["user good"]);
    let file = "Claude Code does not read project/.claude/settings.json: ";
    for (hook, why) in [("user bad", ""), ("user group", ""), ("user case", ""), ("project guarded", file)] {
        let expected = format!("{hook}: {why}line 1, column");
        assert!(stay.iter().any(|stay| stay.starts_with(&expected)), "{expected}: {stay:#?}");
    }
    assert_eq!(stay.len(), 4);
    let session = world.session();
    let local = session.sources.iter().find(|source| source.scope == Scope::Local);
    assert!(
        matches!(&local.context("it is looked at")?.state, State::Dropped(reasons) if reasons[0].contains("not JSON"))
    );
    Ok(())
}

#[test]
fn a_switch_is_named_by_its_place() -> Result<()> {
    let hook = |command: &str| hooks("Stop", &[group("", command)]);
    let with = |key: &str, value: Value| {
        let mut settings: Value = serde_json::from_str(&hook("x"))?;
        settings[key] = value;
        serde_json::to_string(&settings)
    };
    let world = World::new()?;
    world.write(USER, hook("u"))?;
    world.write(MANAGED, hook("m"))?;
    world.write(PROJECT, with("disableAllHooks", json!(true))?)?;
    let (run, stay) = world.outcomes("Stop")?;
    assert_eq!(run, ["managed m"], "managed hooks are not affected");
    assert_eq!(stay[0], "user u: it is turned off by `disableAllHooks` in project/.claude/settings.json:1");
    // A stronger file overrides it.
    world.write(LOCAL, "{\"disableAllHooks\": false}")?;
    assert_eq!(world.outcomes("Stop")?.0.len(), 3);
    for (key, value, expected) in [
        ("disableAllHooks", json!(true), &[][..]),
        ("allowManagedHooksOnly", json!(true), &["managed x"]),
        ("strictPluginOnlyCustomization", json!(["skills", "hooks"]), &["managed x"]),
        ("strictPluginOnlyCustomization", json!(["skills"]), &["user u", "project x"]),
    ] {
        world.write(MANAGED, with(key, value)?)?;
        let (run, stay) = world.outcomes("Stop")?;
        let run: Vec<&str> = run.iter().map(String::as_str).collect();
        if expected.contains(&"user u") {
            // One command in two files is one hook, and the managed copy runs.
            assert_eq!(run, ["user u", "managed x"], "{stay:?}");
        } else {
            assert_eq!(run, expected, "{key}");
        }
    }
    // Only managed settings can set it.
    world.write(MANAGED, "{}")?;
    world.write(PROJECT, with("allowManagedHooksOnly", json!(true))?)?;
    assert_eq!(world.outcomes("Stop")?.0, ["user u", "project x"]);
    Ok(())
}

#[test]
fn a_url_that_is_not_allowed_is_turned_off() -> Result<()> {
    let world = World::with("URLs that are not allowed")?;
    let (run, stay) = world.outcomes("Stop")?;
    assert_eq!(run, ["project http://127.0.0.1:1/a"]);
    assert!(stay[0].contains("turned off by `allowedHttpHookUrls`"), "{stay:?}");
    let (_, stay) = world.outcomes("SessionStart:startup")?;
    assert!(stay[0].contains("type `http` are not run on SessionStart"), "{stay:?}");
    Ok(())
}

#[test]
fn each_reason_is_reported() -> Result<()> {
    let world = World::new()?;
    test_support::lines!("lines/active.txt").check_section("hooks of the project", |line| {
        let (subject, group) = line.split_once(' ').expect(line);
        let event = subject.split(':').next().unwrap_or(subject);
        let group = serde_json::from_str(group).expect(line);
        world.write(PROJECT, hooks(event, &[group])).expect(line);
        let (run, stay) = world.outcomes(subject).expect(line);
        let runs = run.iter().map(|run| run.replace("project x", "runs"));
        runs.chain(stay.iter().map(|stay| stay.replace("project x: ", ""))).collect()
    });
    Ok(())
}

#[test]
fn of_one_hook_in_several_files_the_last_runs() -> Result<()> {
    let world = World::with("one hook in several files")?;
    let (run, stay) = world.outcomes("PreToolUse:Bash")?;
    assert_eq!(run, ["project same", "plugin kit@skills-dir same"]);
    assert_eq!(stay.len(), 5, "{stay:#?}");
    assert_eq!(stay[0], "user same: project/.claude/settings.json:1 is the same hook, and Claude Code runs that one");
    Ok(())
}

#[test]
fn a_plugin_is_read_where_the_client_reads_it() -> Result<()> {
    let world = World::with("plugins of a marketplace")?;
    let (run, stay) = world.outcomes("Stop")?;
    assert_eq!(
        run,
        [
            "plugin bare@shop entry", "plugin far@shop far", "plugin near@shop inline", "plugin near@shop file",
            "plugin near@shop more",
        ]
    );
    assert!(stay.is_empty());
    let lost = |session: &Session| {
        let mut states = session.sources.iter().map(|source| source.state.clone());
        states.find(|state| matches!(state, State::Unreadable(_)))
    };
    let expected = State::Unreadable("it offers no plugin `lost`".to_owned());
    assert_eq!(lost(&world.session()), Some(expected));
    // A stronger file turns one off.
    let off = json!({"enabledPlugins": {"near@shop": false, "lost@shop": false}});
    world.write(PROJECT, off.to_string())?;
    assert_eq!(world.outcomes("Stop")?.0.len(), 2);
    assert_eq!(lost(&world.session()), None);
    Ok(())
}

#[test]
fn a_plugin_is_dropped_as_a_whole_for_a_guard() -> Result<()> {
    let world = World::new()?;
    for row in &test_support::lines!("lines/active.txt").section("hooks of a plugin").rows {
        let plugin = "project/.claude/skills/kit";
        world.write(&format!("{plugin}/.claude-plugin/plugin.json"), &row.expected[1])?;
        world.write(&format!("{plugin}/hooks/hooks.json"), &row.line)?;
        let session = world.session();
        let handlers = session.handlers();
        let active = handlers.filter(|(source, handler)| session.never(source, handler).is_none()).count();
        assert_eq!(active.to_string(), row.expected[0], "{row:?}");
    }
    Ok(())
}

#[test]
fn a_subject_is_refused_or_has_its_target() {
    test_support::lines!("lines/subjects.txt").check(|_, line| match Subject::parse(line) {
        Ok(subject) => subject.target.unwrap_or_default().to_owned(),
        Err(err) => err.to_string(),
    });
}
