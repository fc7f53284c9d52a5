//! Tests that each finding has a fix that works. `tests/fixtures/doctor` has a file for each finding, and the test
//! makes the edit that the finding suggests. Findings are identified by their names in the table of codes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::binaries::platform::Platform;
use crate::diagnose::active::session::Session;
use crate::diagnose::fix::Fixes;
use crate::diagnose::surroundings::Surroundings;
use crate::diagnose::{look, packages};
use crate::disk::bounded::{self, Deadline};
use crate::settings::document::{self, Document};
use crate::settings::finding::Finding;
use crate::settings::folders::Folders;
use crate::settings::part::Part;
use crate::settings::plugin::sample;
use crate::settings::{code, reading};

/// An entry of `expected.json`, about one file.
#[derive(Deserialize, Default)]
pub(super) struct Expected {
    /// Files created by the fix, with their contents.
    #[serde(default)]
    makes: BTreeMap<String, String>,
    /// Modes of files and folders, in octal.
    #[serde(default)]
    modes: BTreeMap<String, String>,
    /// Scope of the settings, if not the project.
    scope: Option<String>,
}

/// A script that the files in `tests/fixtures/doctor` call.
#[derive(Deserialize)]
struct Script {
    mode: String,
    text: String,
}

fn fixtures() -> PathBuf {
    PathBuf::from("../tests/fixtures/doctor")
}

/// Returns the expectations by fixture name.
pub(super) fn expected() -> BTreeMap<String, Expected> {
    let text = fs::read_to_string(fixtures().join("expected.json")).expect("expectations");
    serde_json::from_str(&text).expect("expectations")
}

/// Returns the broken file with this name.
pub(super) fn fixture(name: &str) -> Vec<u8> {
    fs::read(fixtures().join(format!("{name}.json"))).expect("a fixture")
}

/// A project with one fixture.
pub(super) struct World {
    pub(super) folder: TempDir,
    pub(super) surroundings: Surroundings,
    /// Path of the settings file in the folder.
    settings: String,
}

impl World {
    pub(super) fn new(settings: &[u8], expected: &Expected) -> Self {
        let folder = test_support::folder();
        let project = folder.path().join("app");
        fs::create_dir(folder.path().join("home")).expect("a folder");
        let world = Self {
            settings: match &expected.scope {
                Some(scope) => format!("{scope}/settings.json"),
                None => "app/.claude/settings.json".to_owned(),
            },
            surroundings: Surroundings {
                project: Some(project),
                plugin: None,
                home: Some(folder.path().join("home")),
                path: std::env::var_os("PATH"),
                shell: Some("/usr/bin/dash".into()),
                variables: BTreeSet::new(),
            },
            folder,
        };
        let scripts = include_str!("../../../tests/fixtures/doctor-scripts.json");
        let scripts: BTreeMap<String, Script> = serde_json::from_str(scripts).expect("scripts");
        for (name, script) in scripts {
            let mode = u32::from_str_radix(&script.mode, 8).expect("a mode");
            world.write(&format!("app/.claude/hooks/{name}"), script.text.as_bytes(), mode);
        }
        world.write(&world.settings, settings, 0o644);
        for (path, mode) in &expected.modes {
            let mode = u32::from_str_radix(mode, 8).expect("a mode");
            let path = world.folder.path().join("app").join(path);
            fs::set_permissions(path, Permissions::from_mode(mode)).expect("a mode");
        }
        world
    }

    fn write_settings(&self, text: &[u8]) {
        self.write(&self.settings, text, 0o644);
    }

    fn write(&self, path: &str, text: &[u8], mode: u32) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("a mode");
    }

    pub(super) fn session(&self) -> Session {
        Session::of(&Folders {
            project: self.surroundings.project.clone(),
            user: Some(self.folder.path().join("user")),
            managed: self.folder.path().join("managed"),
            ..Folders::default()
        })
    }

    fn findings(&self) -> Vec<Finding> {
        let mut findings = look::look(&self.session(), &self.surroundings, &[]);
        findings.retain(|finding| !finding.is_note());
        findings
    }
}

#[test]
fn each_rule_has_a_fix_that_works() {
    let mut shown = BTreeSet::new();
    let mut wrong = Vec::new();
    for (name, expected) in expected() {
        let broken = fixture(&name);
        let fixed = fs::read(fixtures().join("fixed").join(format!("{name}.json"))).ok();
        match fix(&broken, fixed.as_deref(), &expected) {
            Ok(names) => shown.extend(names),
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    shown.extend(of_many_hooks());
    shown.extend(of_a_folder());
    shown.extend(of_plugins());
    shown.extend(of_packages());
    shown.extend(of_commands_of_plugins());
    let all: BTreeSet<&str> = code::all().flat_map(|code| code.findings).copied().collect();
    let without: Vec<&str> = all.difference(&shown).copied().collect();
    let lines = test_support::lines!("lines/doctor-without-fixture.txt");
    let mut expected: Vec<&str> = lines.sections.iter().flat_map(|section| section.lines()).collect();
    expected.sort_unstable();
    assert_eq!(without, expected, "findings whose fix no fixture shows, and those with a reason");
}

/// A finding's name in the table of codes.
type Name = &'static str;

/// Fixes a settings file, and returns the fixed findings.
fn fix(broken: &[u8], fixed: Option<&[u8]>, expected: &Expected) -> Result<Vec<Name>, String> {
    let world = World::new(broken, expected);
    let findings = world.findings();
    let mut names: Vec<Name> = findings.iter().map(|finding| finding.name).collect();
    names.extend(refused(broken));
    if findings.iter().any(|finding| finding.fix.is_empty()) {
        return Err(format!("a finding without a fix: {findings:#?}"));
    }
    for (path, text) in &expected.makes {
        world.write(&format!("app/{path}"), text.as_bytes(), 0o755);
    }
    if let Some(fixed) = fixed {
        if let Some(finding) = findings.iter().find(|finding| !is_followed(finding, fixed, expected)) {
            return Err(format!("the fixed file does not follow the fix: {finding:#?}"));
        }
        world.write_settings(fixed);
    } else if expected.makes.is_empty() && !findings.is_empty() {
        let fixes = Fixes::of(world.session(), &world.surroundings, &|_| true);
        if fixes.count == 0 {
            return Err(format!("neither an edit nor a fixed file: {findings:#?}"));
        }
        fixes.write().map_err(|err| err.to_string())?;
    }
    let left = world.findings();
    let text = fs::read(world.folder.path().join(&world.settings)).map_err(|err| err.to_string())?;
    if left.is_empty() && refused(&text).is_empty() {
        Ok(names)
    } else {
        Err(format!("it is still reported: {left:#?}"))
    }
}

/// Returns the findings about files that `install` cannot read, or refuses to edit.
fn refused(bytes: &[u8]) -> Vec<Name> {
    let text = match document::decoded(bytes) {
        Ok(text) => text,
        // The client reads UTF-16, but `install` does not write it.
        Err(_) => return Vec::new(),
    };
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(refusal) => return vec![refusal.name],
    };
    let mut names: Vec<Name> = document.findings().iter().map(|found| found.name).collect();
    names.extend(document.ensure_editable().err().map(|refusal| refusal.name));
    names
}

/// Returns the finding about files with more hooks than are checked.
fn of_many_hooks() -> Vec<Name> {
    let text = |count: usize| {
        let groups: Vec<Value> = (0..count)
            .map(|number| json!({"hooks": [{"type": "command", "command": format!("echo {number}")}]}))
            .collect();
        json!({"hooks": {"Stop": groups}}).to_string().into_bytes()
    };
    let expected = Expected::default();
    fix(&text(bounded::HOOKS + 1), Some(&text(bounded::HOOKS)), &expected).expect("it is fixed")
}

/// Returns the finding about a folder in place of the file.
fn of_a_folder() -> Vec<Name> {
    let world = World::new(b"{}", &Expected::default());
    let path = world.folder.path().join(&world.settings);
    fs::remove_file(&path).expect("it is there");
    fs::create_dir(&path).expect("a folder");
    let findings = world.findings();
    fs::remove_dir(&path).expect("it is there");
    assert!(world.findings().is_empty());
    world.write_settings(b"{}");
    assert!(world.findings().is_empty());
    findings.iter().map(|finding| finding.name).collect()
}

/// Returns the findings about a plugin's files.
fn of_plugins() -> Vec<Name> {
    let hooks = r#"{"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}"#;
    let of_file = format!("{{\"hooks\": {hooks}}}");
    let manifest = |name: &str, hooks: &str| format!("{{\"name\": \"{name}\", \"hooks\": {hooks}}}");
    let cases = [
        (Part::PluginHooks, format!("\u{feff}{of_file}"), of_file.clone()),
        (Part::PluginHooks, hooks.to_owned(), of_file.clone()),
        (Part::PluginHooks, r#"{"modules": ["./a.js", "./b.js"]}"#.to_owned(), r#"{"modules": ["./a.js"]}"#.to_owned()),
        (Part::Manifest, manifest("a b", hooks), manifest("a-b", hooks)),
        (Part::Manifest, manifest("a", "\"more\""), manifest("a", "\"./more.json\"")),
    ];
    let mut names = Vec::new();
    for (part, broken, fixed) in cases {
        let read = |text: &str| reading::read(&Document::parse(text).expect("it is JSON"), &part).findings;
        names.extend(read(&broken).iter().map(|found| found.name));
        assert_eq!(read(&fixed), [], "{fixed}");
    }
    names
}

/// Returns a world with a plugin that has this hook.
fn with_plugin(hook: &str) -> World {
    let world = World::new(b"{}", &Expected::default());
    let mut hook: Value = serde_json::from_str(hook).expect(hook);
    hook["type"] = "command".into();
    let plugin = "app/.claude/skills/Jane Doe";
    let hooks = json!({"hooks": {"PostToolUse": [{"matcher": "Edit", "hooks": [hook]}]}});
    world.write(&format!("{plugin}/.claude-plugin/plugin.json"), br#"{"name": "kit"}"#, 0o644);
    world.write(&format!("{plugin}/hooks/hooks.json"), hooks.to_string().as_bytes(), 0o644);
    for file in
        [&format!("{plugin}/hooks/x.sh"), &format!("{plugin}/hooks/x.py"), &format!("{plugin}/both.sh"), "app/both.sh"]
    {
        world.write(file, b"", 0o755);
    }
    world
}

/// Returns the findings about a plugin's commands.
fn of_commands_of_plugins() -> Vec<Name> {
    let lines = test_support::lines!("lines/doctor-plugins.txt");
    let mut names = Vec::new();
    for row in &lines.section("commands").rows {
        let [what, fixed] = row.fields();
        let findings = with_plugin(&row.line).findings();
        names.extend(findings.iter().map(|finding| finding.name));
        let found: Vec<&str> = findings.iter().map(|finding| &*finding.what).collect();
        match &found[..] {
            [] if what.is_empty() => continue,
            [found] if !what.is_empty() => assert!(found.contains(what), "{row:?}: {found}"),
            _ => panic!("{row:?}: {found:?}"),
        }
        assert!(is_followed(&findings[0], fixed.as_bytes(), &Expected::default()), "{row:?}: {findings:?}");
        let left = with_plugin(fixed).findings();
        assert!(left.is_empty(), "{fixed}: {left:#?}");
    }
    names
}

#[test]
fn a_plugin_s_hook_that_cannot_be_judged_has_a_note() {
    let lines = test_support::lines!("lines/doctor-plugins.txt");
    for row in &lines.section("not judged").rows {
        let world = with_plugin(&row.line);
        let notes = look::look(&world.session(), &world.surroundings, &[]);
        let notes: Vec<&str> = notes.iter().map(|note| &*note.what).collect();
        assert_eq!(notes.join("; "), row.expected[0], "{row:?}");
    }
}

/// Returns the findings about damaged packages, and about two packages with the same hook. Packaging again fixes each.
fn of_packages() -> Vec<Name> {
    let world = World::new(b"{}", &Expected::default());
    let skills = world.folder.path().join("app/.claude/skills");
    let write = |name: &str, program: Option<&[u8]>| {
        let _ = fs::remove_dir_all(skills.join(name));
        fs::create_dir_all(&skills).expect("a folder");
        sample::write_package(&skills, &sources(name), program).expect("a package");
    };
    let findings = || {
        let session = world.session();
        let mut found = packages::look(&session, Platform::of_this_machine(), Deadline::new());
        found.extend(look::look(&session, &world.surroundings, &[]));
        found
    };
    let header = sample::program_header();
    let program = Some(&header[..]);
    let cases: [&dyn Fn(); 5] = [
        &|| write("acme", None),
        &|| fs::set_permissions(skills.join("acme/bin/acme"), Permissions::from_mode(0o644)).expect("a mode"),
        &|| fs::remove_file(skills.join("acme/README.md")).expect("it is there"),
        &|| {
            fs::write(skills.join("acme/README.md"), "changed").expect("a file");
            fs::write(skills.join("acme/notes.md"), "added").expect("a file");
        },
        &|| write("other", program),
    ];
    let mut names = Vec::new();
    for act in cases {
        write("acme", program);
        act();
        let found = findings();
        assert!(!found.is_empty());
        assert!(found.iter().all(|found| !found.fix.is_empty()), "{found:#?}");
        names.extend(found.iter().map(|found| found.name));
        let _ = fs::remove_dir_all(skills.join("other"));
        write("acme", program);
        let left = findings();
        assert!(left.is_empty(), "{left:#?}");
    }
    // A damaged file with its own finding.
    fs::remove_file(skills.join("acme/bin/acme")).expect("it is there");
    names.extend(findings().iter().map(|found| found.name));
    names
}

/// Returns the sources of a package: a guard and an observer.
fn sources(name: &str) -> String {
    include_str!("../../../tests/fixtures/package.json").replace("\"acme\"", &format!("\"{name}\""))
}

/// Returns `true` if the fixed file, or one created by the fix, contains at least one of the texts that the fix has in
/// backticks.
fn is_followed(finding: &Finding, fixed: &[u8], expected: &Expected) -> bool {
    let fixed = String::from_utf8_lossy(fixed).into_owned();
    let bare = |text: &str| text.replace([' ', '\\', '\n'], "");
    let texts: Vec<String> = expected.makes.values().chain([&fixed]).map(|text| bare(text)).collect();
    let named: Vec<&str> =
        finding.fix.split('`').skip(1).step_by(2).filter(|word| word.len() > 2 && !word.contains('…')).collect();
    let is_there = |word: &&str| texts.iter().any(|text| text.contains(&bare(word)));
    named.is_empty()
        || ["remove", "take"].iter().any(|verb| finding.fix.starts_with(verb))
        || named.iter().any(is_there)
}
