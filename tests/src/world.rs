//! Everybody whose settings a session reads: a project, its user and an administrator, each with a folder of their own;
//! and what `list` and `doctor` print about them.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use test_support::lines;
use test_support::lines::{Lines, Section};

use crate::xtask::{Ends, command, rows};
use crate::{Project, Session, Turn};

/// A project, its user, an administrator, and a folder that is in no workspace.
pub struct World {
    /// The project; its settings are below `.claude`.
    pub project: Project,
    /// The user's `CLAUDE_CONFIG_DIR`.
    pub user: TempDir,
    /// The folder of the managed settings.
    pub managed: TempDir,
    /// A folder outside of any workspace.
    pub outside: TempDir,
}

impl World {
    /// Creates a world of empty folders.
    ///
    /// # Errors
    ///
    /// If they cannot be made.
    pub fn new() -> Result<Self> {
        Ok(Self {
            project: Project::new()?,
            user: test_support::folder(),
            managed: test_support::folder(),
            outside: test_support::folder(),
        })
    }

    /// Creates a world with the scripts that the files of `tests/fixtures/doctor` name.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn with_scripts() -> Result<Self> {
        let world = Self::new()?;
        let scripts: Value = serde_json::from_str(include_str!("../fixtures/doctor-scripts.json"))?;
        for (name, script) in scripts.as_object().context("scripts by their names")? {
            let path = format!(".claude/hooks/{name}");
            world.project.write(&path, script["text"].as_str().context("a text")?)?;
            let mode = u32::from_str_radix(script["mode"].as_str().context("a mode")?, 8)?;
            fs::set_permissions(world.project.path().join(path), Permissions::from_mode(mode))?;
        }
        Ok(world)
    }

    /// Creates a world with handlers in each file that a session reads, including plugins.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn with_handlers() -> Result<Self> {
        let world = World::new()?;
        let table: Lines = lines!("lines/handlers.txt");
        let text = |section: &str| Handlers::of(table.section(section)).text();
        let project = &world.project;
        project.write(".claude/settings.json", text("of the project"))?;
        project.write(".claude/settings.local.json", text("of the project, local"))?;
        let mut user: Value = serde_json::from_str(&text("of the user"))?;
        let shop = world.outside.path().canonicalize()?.join("shop");
        user["enabledPlugins"] = json!({"near@shop": true, "broken@shop": true, "bare@shop": true, "far@shop": true, "half@shop": true, "off@shop": false});
        user["extraKnownMarketplaces"] = json!({"shop": {"source": {"source": "directory", "path": shop}}});
        world.write_user("settings.json", user.to_string())?;
        plugins(&world, &shop)?;
        Ok(world)
    }

    /// Returns how often the client runs each of the handlers of [`with_handlers`](Self::with_handlers) in a session.
    ///
    /// # Errors
    ///
    /// If the session fails.
    pub fn handlers_that_run(client: &Path) -> Result<BTreeMap<String, usize>> {
        let world = World::with_handlers()?;
        let ran = world.user.path().join("ran");
        Session::new(client, world.project.path())
            .config_dir(world.user.path())
            .env("RAN", &ran)
            .allow(&["Bash"])
            .turn(Turn::bash("true"))
            .go()?;
        let mut observed: BTreeMap<String, usize> = BTreeMap::new();
        for line in fs::read_to_string(&ran)?.lines() {
            *observed.entry(line.to_owned()).or_default() += 1;
        }
        Ok(observed)
    }

    /// Returns a command for `doctor` on the project, to be run outside of any workspace.
    ///
    /// # Errors
    ///
    /// If xtask cannot be built.
    pub fn doctor(&self, arguments: &[&str]) -> Result<Command> {
        let arguments = [&["doctor"], arguments].concat();
        let mut command = self.command(self.user.path(), self.project.path(), &arguments)?;
        // Editors bundle clients in the home folder.
        command.env("HOME", self.user.path());
        Ok(command)
    }

    /// Returns a command of xtask on a project, to be run in a folder, with this user and administrator.
    ///
    /// # Errors
    ///
    /// If xtask cannot be built.
    pub fn command(&self, folder: &Path, project: &Path, arguments: &[&str]) -> Result<Command> {
        let mut command = command(folder, arguments)?;
        command.arg("--project").arg(project).env("CLAUDE_CONFIG_DIR", self.user.path());
        // It compares files of the checkout alone.
        if arguments.first() != Some(&"verify") {
            command.arg("--managed").arg(self.managed.path());
        }
        Ok(command)
    }

    /// Runs `doctor --json`.
    ///
    /// # Errors
    ///
    /// If it prints something other than JSON.
    pub fn ask(&self, arguments: &[&str]) -> Result<Said> {
        let output = self.doctor(&["--json"])?.args(arguments).output()?;
        Ok(Said {
            rows: rows(str::from_utf8(&output.stdout)?)?,
            exit_code: output.status.code(),
            stderr: String::from_utf8(output.stderr)?,
        })
    }

    /// Runs `doctor`; its stdout, which is for people.
    ///
    /// # Errors
    ///
    /// If it cannot be run.
    pub fn text(&self, arguments: &[&str]) -> Result<String> {
        Ok(String::from_utf8(self.doctor(arguments)?.output()?.stdout)?)
    }

    /// Runs `list` on the project, in a folder; its stdout.
    ///
    /// # Errors
    ///
    /// If it fails.
    pub fn list_in(&self, folder: &Path, arguments: &[&str]) -> Result<String> {
        let arguments = [&["list"], arguments].concat();
        self.command(folder, self.project.path(), &arguments)?.out(0)
    }

    /// Runs `list` on the project, outside of any workspace.
    ///
    /// # Errors
    ///
    /// If it fails.
    pub fn list(&self, arguments: &[&str]) -> Result<String> {
        self.list_in(self.outside.path(), arguments)
    }

    /// Returns the rows of `list --json`, outside of any workspace.
    ///
    /// # Errors
    ///
    /// If it fails.
    pub fn rows(&self, arguments: &[&str]) -> Result<Vec<Value>> {
        rows(&self.list(&[&["--json"], arguments].concat())?)
    }

    /// Returns the names of the handlers of [`Handlers`] that `list` reports to run on a subject, once for each time.
    /// Handlers whose `if` must also match are left out.
    ///
    /// # Errors
    ///
    /// If `list` fails.
    pub fn named(&self, subject: &str) -> Result<Vec<String>> {
        let rows = self.rows(&["--for", subject])?;
        let runs = rows.iter().filter(|row| row["runs"] == true && row["where"].is_null());
        let mut named: Vec<String> = runs.filter_map(handler_name).collect();
        named.sort();
        Ok(named)
    }

    /// Returns the row of a workspace's own hook in `list --json`.
    ///
    /// # Errors
    ///
    /// If `list` fails, or there is no such row.
    pub fn own(&self, workspace: &Path, hook: &str) -> Result<Value> {
        let mut rows = rows(&self.list_in(workspace, &["--json"])?)?.into_iter();
        rows.find(|row| row["name"] == hook).context("it is listed")
    }

    /// Writes the settings of the project.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn settings(&self, settings: &Value) -> Result<()> {
        self.project.write(".claude/settings.json", settings.to_string())
    }

    /// Writes a file into the user's folder.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write_user(&self, path: &str, content: impl AsRef<[u8]>) -> Result<()> {
        let path = self.user.path().join(path);
        fs::create_dir_all(path.parent().context("it is in a folder")?)?;
        Ok(fs::write(path, content)?)
    }
}

/// The output of `doctor --json`.
pub struct Said {
    /// The report's lines.
    pub rows: Vec<Value>,
    /// The report's exit code; `None` if a signal ended the process.
    pub exit_code: Option<i32>,
    /// Text for people.
    pub stderr: String,
}

impl Said {
    /// Returns line and text of each finding.
    pub fn findings(&self) -> Vec<(u64, &str)> {
        let findings = self.rows.iter().filter(|row| row["kind"] == "finding");
        let finding = |row: &'_ Value| row["line"].as_u64().unwrap_or_default();
        findings.map(|row| (finding(row), row["what"].as_str().unwrap_or_default())).collect()
    }

    /// Checks that there is no finding, and that the exit code says so.
    ///
    /// # Panics
    ///
    /// If there is one; `of` names the checked file.
    #[track_caller]
    pub fn assert_clean(&self, of: &str) {
        let (code, findings) = (self.exit_code, self.findings());
        assert_eq!((code, findings), (Some(0), vec![]), "{of}: {}", self.stderr);
    }

    /// Returns `true` if it reports a file that the client drops as a whole.
    pub fn is_dropped(&self) -> bool {
        let whole = "Claude Code ignores the whole file because of it";
        self.rows.iter().any(|row| row["does"] == whole)
    }
}

/// The `hooks` of a settings file, whose handlers each write their name into the file `$RAN`.
#[derive(Default)]
pub struct Handlers(Map<String, Value>);

impl Handlers {
    fn of(rows: &Section) -> Self {
        rows.rows.iter().fold(Self::default(), |handlers, row| {
            let [event, matcher, name] = row.fields();
            let more = serde_json::from_str(&row.line).expect("JSON");
            handlers.on(event, matcher.trim_start_matches('-'), name, more)
        })
    }

    /// Adds a handler, with more fields than its command.
    #[must_use]
    pub fn on(mut self, event: &str, matcher: &str, name: &str, more: Value) -> Self {
        let mut handler = json!({"type": "command", "command": format!("echo {name} >> \"$RAN\"")});
        let more = more.as_object().cloned().unwrap_or_default();
        let members = handler.as_object_mut().into_iter();
        members.for_each(|members| members.extend(more.clone()));
        let list = self.0.entry(event).or_insert_with(|| json!([]));
        let groups = list.as_array_mut().into_iter();
        groups.for_each(|list| list.push(json!({"matcher": matcher, "hooks": [handler]})));
        self
    }

    /// Returns the text of the settings file.
    pub fn text(self) -> String {
        json!({"hooks": self.0}).to_string()
    }
}

fn plugins(world: &World, shop: &Path) -> Result<()> {
    let write = |path: &str, content: &str| -> Result<()> {
        let path = shop.join(path);
        fs::create_dir_all(path.parent().context("it is in a folder")?)?;
        Ok(fs::write(path, content)?)
    };
    let of_bash = |name: &str| Handlers::default().on("PreToolUse", "Bash", name, json!({}));
    let hooks = |name: &str| of_bash(name).on("PreToolUse", "Bash", "several", json!({}));
    let names = ["near", "broken", "off"];
    let offers = names.map(|name| json!({"name": name, "source": format!("./{name}")}));
    let bare = json!({"name": "bare", "source": "./bare", "strict": false, "hooks": of_bash("of-entry").0});
    // A plugin without a folder on this machine is read from the client's copy.
    let far = json!({"name": "far", "source": {"source": "url", "url": "file:///nowhere"}});
    let half = json!({"name": "half", "source": "./half"});
    let offers: Vec<Value> = offers.into_iter().chain([bare, far, half]).collect();
    let market = json!({"name": "shop", "owner": {"name": "a team"}, "plugins": offers});
    write(".claude-plugin/marketplace.json", &market.to_string())?;
    for name in names {
        let manifest = json!({"name": name}).to_string();
        write(&format!("{name}/.claude-plugin/plugin.json"), &manifest)?;
    }
    let manifest = json!({"name": "near", "hooks": ["./more.json", of_bash("of-manifest").0]});
    write("near/.claude-plugin/plugin.json", &manifest.to_string())?;
    write("near/more.json", &of_bash("of-more").text())?;
    for (folder, name) in [("near", "of-plugin"), ("bare", "of-bare"), ("off", "of-off"), ("copies/far", "of-copy")] {
        write(&format!("{folder}/hooks/hooks.json"), &hooks(name).text())?;
    }
    let copy = json!([{"scope": "user", "installPath": shop.join("copies/far"), "version": "1.0.0"}]);
    let copies = json!({"version": 2, "plugins": {"far@shop": copy}});
    world.write_user("plugins/installed_plugins.json", copies.to_string())?;
    // One file of a plugin that is not JSON costs its own hooks alone.
    let manifest = json!({"name": "half", "hooks": of_bash("of-half").0});
    write("half/.claude-plugin/plugin.json", &manifest.to_string())?;
    write("half/hooks/hooks.json", "{\"hooks\": {},}")?;
    let broken = hooks("of-broken").on("PreToolUse", "", "bad", json!({"type": "none"}));
    write("broken/hooks/hooks.json", &broken.text())?;
    world.write_user("skills/kit/.claude-plugin/plugin.json", "{\"name\": \"kit\"}")?;
    world.write_user("skills/kit/hooks/hooks.json", hooks("of-skill").text())?;
    let (team, project) = (".claude/skills/team", &world.project);
    project.write(&format!("{team}/.claude-plugin/plugin.json"), "{\"name\": \"team\"}")?;
    project.write(&format!("{team}/hooks/hooks.json"), of_bash("of-project-skill").text())
}

/// Returns the name of a handler of [`Handlers`], from its row in `list --json`.
pub fn handler_name(row: &Value) -> Option<String> {
    let command = row["hook"]["command"].as_str()?;
    command.split(' ').nth(1).map(str::to_owned)
}
