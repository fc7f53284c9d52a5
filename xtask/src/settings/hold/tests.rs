//! Tests on real files, in a folder that replaces the machine's root.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::Context;
use test_support::steps;

use super::*;
use crate::settings::document::Document;
use crate::settings::place::{MODS_PART, SERVICE_PART};
use crate::settings::scope;

/// Environment variable with the root and task of a process that dies.
const CHILD: &str = "HOOKKIT_CHILD_OF_HOLD";

/// Other people's files in the managed settings, with their folders.
const OF_OTHERS: [&[&str]; 4] = [
    &[],
    &["etc/"],
    &["etc/claude-code/managed-settings.json"],
    &["etc/claude-code/managed-settings.json", "etc/claude-code/managed-settings.d/z.json"],
];

/// A folder that replaces a machine.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new(files: &[&str]) -> Result<Self> {
        let machine = Self { folder: test_support::folder() };
        for name in files {
            let path = machine.root()?.join(name);
            if name.ends_with('/') {
                fs::create_dir_all(path)?
            } else {
                fs::create_dir_all(path.parent().context("a folder")?)?;
                fs::write(path, "{\"model\": \"opus\"}")?;
            }
        }
        Ok(machine)
    }

    fn root(&self) -> Result<PathBuf> {
        Ok(self.folder.path().canonicalize()?)
    }

    fn place(&self) -> Result<Place> {
        scope::of_part(Some(&self.root()?), MODS_PART, "hookkit")
    }

    fn act(&self, what: &str) -> Result<bool> {
        act(what, &self.root()?)
    }

    /// Returns each file with its text, and each folder.
    fn files(&self) -> Result<BTreeMap<PathBuf, Option<String>>> {
        let (mut found, mut folders) = (BTreeMap::new(), vec![self.root()?]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder)? {
                let path = entry?.path();
                let text = if path.is_dir() { None } else { Some(fs::read_to_string(&path)?) };
                if text.is_none() {
                    folders.push(path.clone());
                }
                found.insert(path.strip_prefix(self.root()?)?.to_owned(), text);
            }
        }
        Ok(found)
    }

    fn has_notes(&self) -> Result<bool> {
        Ok(self.place()?.notes.path("").is_some_and(|notes| notes.exists()))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let notes = self.place().ok().and_then(|place| place.notes.path(""));
        let _ = notes.map(fs::remove_dir_all);
    }
}

fn act(what: &str, root: &Path) -> Result<bool> {
    let hold = match what {
        "hooks-hold" => Some(Hold::HooksHold),
        "no-mods" => Some(Hold::NoMods),
        _ => None,
    };
    put(&scope::of_part(Some(root), MODS_PART, "hookkit")?, hold.map(Hold::text).as_deref(), "hold-mods")
}

#[test]
fn the_texts_are_settings_of_the_clients_guard() {
    for hold in [Hold::HooksHold, Hold::NoMods] {
        let document = Document::parse(&hold.text()).expect("settings");
        assert!(document.findings().is_empty(), "{:?}", document.findings());
        let settings: serde_json::Value = serde_json::from_str(&hold.text()).expect("JSON");
        assert_eq!(settings["prependPlugins"][0], "cc-plugin-sec-default@builtin");
        let options = &settings["pluginConfigs"]["cc-plugin-sec-default@builtin"]["options"];
        assert_eq!(options["allowManagedModsOnly"] == true, hold == Hold::NoMods);
    }
}

#[test]
fn each_part_is_known_by_its_own_texts() -> Result<()> {
    let machine = Machine::new(&[])?;
    let service = scope::of_part(Some(&machine.root()?), SERVICE_PART, "hookkit")?;
    for first in ["hold", "service"] {
        assert!(machine.act("no-mods")?);
        assert!(put(&service, Some("{}\n"), "install --http")?);
        if first == "service" {
            assert!(put(&service, None, "install --http")?);
        }
        assert!(machine.act("hooks-hold")?, "{first} is removed first");
        assert!(machine.act("undo")?, "{first} is removed first");
        assert_eq!(put(&service, None, "install --http")?, first == "hold");
        assert!(machine.files()?.is_empty(), "{:?}", machine.files()?);
    }
    Ok(())
}

#[test]
fn written_written_again_and_undone_it_leaves_no_byte() -> Result<()> {
    for files in OF_OTHERS {
        let machine = Machine::new(files)?;
        let before = machine.files()?;
        for (what, is_changed) in [
            ("undo", false),
            ("hooks-hold", true),
            ("hooks-hold", false),
            ("no-mods", true),
            ("no-mods", false),
            ("undo", true),
            ("undo", false),
        ] {
            assert_eq!(machine.act(what)?, is_changed, "{what}");
            let mut after = machine.files()?;
            let text = after.remove(machine.place()?.settings().strip_prefix(machine.root()?)?);
            assert_eq!(text.is_some(), what != "undo", "{what}");
            after.retain(|path, text| text.is_some() || before.contains_key(path));
            assert_eq!(after, before, "{what}");
        }
        assert_eq!(machine.files()?, before);
        assert!(!machine.has_notes()?);
    }
    Ok(())
}

#[test]
fn a_file_that_others_wrote_stays() -> Result<()> {
    let part = "etc/claude-code/managed-settings.d/hookkit-mods.json";
    let machine = Machine::new(&[part])?;
    let before = machine.files()?;
    for what in ["hooks-hold", "no-mods", "undo"] {
        let message = machine.act(what).expect_err(what).to_string();
        assert!(message.contains("is not what `hold-mods` wrote for this user"), "{message}");
        assert_eq!(machine.files()?, before, "{what}");
    }
    // Someone else's file with the same text is not ours to remove.
    fs::write(machine.root()?.join(part), Hold::NoMods.text())?;
    assert!(!machine.act("no-mods")?);
    assert!(machine.act("undo").is_err() && machine.act("hooks-hold").is_err());
    assert!(!machine.has_notes()?);
    // One of our files, changed since.
    fs::remove_file(machine.root()?.join(part))?;
    machine.act("no-mods")?;
    fs::write(machine.root()?.join(part), "{}")?;
    assert!(machine.act("undo").is_err() && machine.act("hooks-hold").is_err());
    assert_eq!(fs::read_to_string(machine.root()?.join(part))?, "{}");
    Ok(())
}

/// The process that the tests kill; not a test itself.
#[test]
fn child() -> Result<()> {
    let Ok(message) = env::var(CHILD) else { return Ok(()) };
    let (what, root) = message.split_once(' ').context("what, and where")?;
    act(what, Path::new(root)).map(drop)
}

/// Runs a task in another process, which dies after this many steps. Returns `false` if the task finished first.
fn is_killed(what: &str, machine: &Machine, steps: usize) -> Result<bool> {
    let message = format!("{what} {}", machine.root()?.display());
    Ok(steps::killed("settings::hold::tests::child", CHILD, message, steps).is_some())
}

#[test]
fn killed_at_any_step_it_leaves_a_whole_file_or_none_and_the_next_run_completes_it() -> Result<()> {
    let mut kills = 0;
    for files in [OF_OTHERS[0], OF_OTHERS[3]] {
        for (so_far, what) in [(None, "no-mods"), (Some("hooks-hold"), "no-mods"), (Some("no-mods"), "undo")] {
            let begun = || -> Result<Machine> {
                let machine = Machine::new(files)?;
                so_far.map(|what| machine.act(what)).transpose()?;
                Ok(machine)
            };
            let (old, new) = (begun()?, begun()?);
            new.act(what)?;
            let text = |machine: &Machine| anyhow::Ok(fs::read_to_string(machine.place()?.settings()).ok());
            for steps in 0.. {
                let (machine, other) = (begun()?, begun()?);
                if !is_killed(what, &machine, steps)? {
                    break;
                }
                kills += 1;
                let now = text(&machine)?;
                ensure!(now == text(&old)? || now == text(&new)?, "{what}, {steps}: {now:?}");
                machine.act(what)?;
                ensure!(machine.files()? == new.files()?, "{what}, {steps}, by itself");
                ensure!(is_killed(what, &other, steps)?);
                other.act("undo")?;
                ensure!(other.files()? == Machine::new(files)?.files()?, "{what}, {steps}, by its opposite");
                ensure!(!other.has_notes()?, "{what}, {steps}: notes");
            }
        }
    }
    ensure!(kills > 20, "{kills} kills");
    Ok(())
}
