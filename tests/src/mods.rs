//! Mods, which are JavaScript of plugins that the client runs around its hooks: what a session with one comes to.
//!
//! `lines/mods.txt` has the sessions. What `doctor` reports before each is compared with what came of it.

mod ground;
mod since;
mod there;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result};
use hookkit::Mode;
use hookkit::protocol::event::EVENTS;
use hookkit::protocol::mods::GUARD;
use hookkit::testing::End;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use test_support::lines;
use test_support::lines::Lines;

use crate::api::{Api, Reply};
use crate::verdict::{self, Row, rows};
use crate::{Outcome, files, parallel};

pub use self::ground::Ground;
use self::ground::denial;
pub use self::since::Since;
use self::there::{Guard, Module, There};

/// A session.
pub struct Case {
    /// Its section and its name: the key in the record.
    pub key: String,
    there: There,
}

/// The outcome of a session.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Played {
    /// Plugins whose module the client has loaded.
    pub mods: BTreeSet<String>,
    /// Hooks that were started.
    pub hooks: BTreeSet<String>,
    /// `true` if a command ran that the guard denies.
    pub ran: bool,
    /// The results that the model got of its calls.
    pub results: Vec<String>,
    /// Exit code of the client.
    pub exit_code: Option<i32>,
}

/// Returns all sessions: those of the rows, and those of the [`cells`].
///
/// # Errors
///
/// If a row is not one.
pub fn cases() -> Result<Vec<Case>> {
    let table: Lines = lines!("lines/mods.txt");
    let mut cases = Vec::new();
    for section in table.sections.iter().filter(|section| !section.name.starts_with("table: ")) {
        for row in &section.rows {
            let [name] = row.fields();
            let there = serde_json::from_str(&row.line).with_context(|| name.to_owned())?;
            let key = format!("{}: {name}", section.name);
            cases.push(Case { key, there });
        }
    }
    for cell in cells() {
        let mut there = json!({});
        for (section, name) in CELL.iter().zip(&cell) {
            let rows = &table.section(&format!("table: {section}")).rows;
            let row = rows.iter().find(|row| row.expected == [&**name]).context("a row")?;
            merge(&mut there, serde_json::from_str(&row.line)?);
        }
        let there = serde_json::from_value(there)?;
        cases.push(Case { key: cell.join(", "), there });
    }
    Ok(cases)
}

/// The sections whose rows make a cell of the table.
const CELL: [&str; 3] = ["guard in", "mod in", "managed settings"];

/// Returns the cells of the table in the book: each guard with each mod and each of the managed settings, by their names.
pub fn cells() -> Vec<[String; 3]> {
    let table: Lines = lines!("lines/mods.txt");
    let names = |section: usize| -> Vec<String> {
        let rows = &table.section(&format!("table: {}", CELL[section])).rows;
        rows.iter().map(|row| row.expected.concat()).collect()
    };
    let mut cells = Vec::new();
    for guard in names(0) {
        for place in names(1) {
            cells.extend(names(2).into_iter().map(|managed| [guard.clone(), place.clone(), managed]));
        }
    }
    cells
}

/// Adds the members of an object to another one.
fn merge(to: &mut Value, from: Value) {
    match (to, from) {
        (Value::Object(to), Value::Object(from)) => {
            for (key, value) in from {
                merge(to.entry(key).or_insert(Value::Null), value);
            }
        }
        (to, from) => *to = from,
    }
}

impl Case {
    /// Makes the folders; `None` where this system cannot have such managed settings.
    ///
    /// # Errors
    ///
    /// If they cannot be made.
    pub fn ground(&self, client: &Path, url: &str) -> Result<Option<Ground>> {
        Ground::of(&self.there, client, url)
    }

    /// Returns `true` if all that decides whether the mod is loaded is in files.
    pub fn is_in_files(&self) -> bool {
        const HARMLESS: [&str; 2] = ["--add-dir", "--allowedTools"];
        let there = &self.there;
        let is_option = |word: &&String| word.starts_with("--") && !HARMLESS.contains(&word.as_str());
        let has_module = there.module.text().is_some() || there.files.values().any(|file| file.get("does").is_some());
        there.trusted.is_none()
            && there.env.is_empty()
            && !there.arguments.iter().any(|word| is_option(&word))
            && (has_module || there.at.is_none())
            && !self.key.starts_with("late: ")
    }

    /// Returns `true` if managed settings keep mods from hooks: they have a key, and not their own list of the outermost mods.
    pub fn is_held(&self) -> bool {
        let settings = self.there.managed.as_ref().and_then(Value::as_object);
        let leaves_out = |list: &Value| !list.to_string().contains(GUARD);
        settings.is_some_and(|settings| !settings.is_empty() && !settings.get("prependPlugins").is_some_and(leaves_out))
    }

    /// Returns `true` if the guard denies what the model calls.
    pub fn has_guard(&self) -> bool {
        let there = &self.there;
        matches!(there.guard, Guard::Denies) && there.turns.is_none() && there.permissions.is_none()
    }

    /// Runs the session.
    fn play(&self, client: &Path) -> Result<Option<Played>> {
        let there = &self.there;
        let asked = Arc::new(AtomicBool::new(false));
        let server = Api::start({
            let asked = Arc::clone(&asked);
            move |_| {
                asked.store(true, Ordering::Relaxed);
                Reply::Message(denial())
            }
        })?;
        let Some(ground) = self.ground(client, &server.url())? else {
            return Ok(None);
        };
        let client = match &ground.managed {
            Some(managed) => managed.program(client)?,
            None => client.to_owned(),
        };
        let turns = there.turns.clone();
        let mut turns = turns.unwrap_or_else(|| vec![json!({"Bash": "touch RAN; echo RAN-IT"}), json!("Done.")]);
        let second = match there.continues {
            true => {
                let first = turns.iter().position(Value::is_string).context("a turn ends")?;
                turns.split_off(first + 1)
            }
            false => Vec::new(),
        };
        let prompt = there.prompt.as_deref().unwrap_or("go");
        let mut outcomes = vec![ground.session(there, &client, &turns)?.run(prompt)?];
        if there.continues {
            let session = ground.session(there, &client, &second)?;
            outcomes.push(session.arguments(&["--continue"]).run("again")?);
        }
        let noted = fs::read_to_string(ground.noted()).unwrap_or_default();
        let mut hooks: BTreeSet<String> = noted.lines().map(str::to_owned).collect();
        hooks.extend(asked.load(Ordering::Relaxed).then(|| "over HTTP".to_owned()));
        let last = outcomes.last().context("a session")?;
        Ok(Some(Played {
            mods: loaded(last.debug()),
            hooks,
            ran: [ground.project.path(), &ground.folder].iter().any(|folder| folder.join("RAN").exists()),
            results: outcomes.iter().flat_map(Outcome::tool_results).map(|result| ground.plain(&result)).collect(),
            exit_code: last.exit_code(),
        }))
    }
}

/// Returns the plugins whose module is loaded, by the client's debug log: not its own, and not one that is left out.
fn loaded(log: &str) -> BTreeSet<String> {
    let of = |line: &str, before: &str, behind: &str| {
        let (_, rest) = line.split_once(before)?;
        let name = rest.split_once(behind)?.0;
        (!name.ends_with("@builtin")).then(|| name.to_owned())
    };
    let mods: BTreeSet<String> = log.lines().filter_map(|line| of(line, "hooks module ", " loaded (")).collect();
    mods.into_iter()
        .filter(|name| !log.lines().any(|line| line.contains("left out") && line.contains(&**name)))
        .collect()
}

/// Returns what comes of each session.
///
/// # Errors
///
/// If a session fails, or this system cannot have managed settings of its own.
pub fn played(client: &Path) -> Result<BTreeMap<String, Played>> {
    let (cases, observed) = (cases()?, Mutex::new(BTreeMap::new()));
    parallel::each(3, &cases, |case| {
        let played = case.play(client).with_context(|| case.key.clone())?;
        let played = played.with_context(|| format!("{}: this system makes no namespaces for users", case.key))?;
        observed.lock().expect("no session holds it").insert(case.key.clone(), played);
        Ok(())
    })?;
    Ok(observed.into_inner()?)
}

/// Writes a plugin with this module; its name is that of the folder.
///
/// # Errors
///
/// If it cannot be written.
pub fn write(folder: &Path, code: &str) -> Result<()> {
    let manifest = json!({"name": files::name(folder), "version": "1.0.0"}).to_string();
    for (path, text) in [
        (".claude-plugin/plugin.json", &*manifest),
        ("hooks/hooks.json", r#"{"modules": ["./register.js"]}"#),
        ("hooks/register.js", code),
    ] {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().context("it is in a folder")?)?;
        fs::write(path, text)?;
    }
    Ok(())
}

/// Returns the managed settings of a column of the table.
///
/// # Errors
///
/// If there is no such column.
pub fn managed(column: &str) -> Result<Value> {
    let table: Lines = lines!("lines/mods.txt");
    let rows = &table.section("table: managed settings").rows;
    let row = rows.iter().find(|row| row.expected == [column]).context("a column")?;
    Ok(serde_json::from_str::<Value>(&row.line)?["managed"].clone())
}

/// Returns whether the client starts a hook of each event although a mod answers in its place.
///
/// # Errors
///
/// If a session fails.
pub fn started(client: &Path) -> Result<BTreeMap<String, bool>> {
    let folder = test_support::folder();
    let skips = Module::skipping("classic.*");
    let code = skips.text().context("a module")?;
    write(&folder.path().join("evil"), &code)?;
    let with_mod = folder.path().join("client");
    let (place, client) = (folder.path().join("evil"), client.display());
    files::program(
        &with_mod,
        format!("#!/bin/sh\nCLAUDE_CODE_PLUGIN_DIRS='{}' exec '{client}' \"$@\"\n", place.display()),
    )?;
    let (rows, observed) = (rows(), Mutex::new(BTreeMap::new()));
    parallel::each(3, EVENTS, |event| {
        let is_plain =
            |row: &&Row| row.unseen.is_none() && row.ran.end == End::Exited(0) && row.ran.mode == Mode::Awaited;
        let Some(row) = rows.iter().filter(is_plain).find(|row| row.event == *event) else {
            return Ok(());
        };
        let (observations, _) = verdict::play(&with_mod, event, &[row])?;
        let has_run = observations.first().is_some_and(|observation| observation.has_run);
        observed.lock().expect("no session holds it").insert(event.name.to_owned(), has_run);
        Ok(())
    })?;
    Ok(observed.into_inner()?)
}
