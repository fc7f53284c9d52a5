//! The folders of a session.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

use super::there::{Module, There, Words};
use crate::managed::Managed;
use crate::{Project, SYSTEM_PATH, Session, Turn, isolation};

/// The folders of a session.
pub struct Ground {
    /// The folder that it starts in.
    pub folder: PathBuf,
    /// The user's.
    pub config: PathBuf,
    /// The user's home.
    pub home: PathBuf,
    /// The organization's settings.
    pub managed: Option<Managed>,
    pub(super) project: Project,
    /// The address of a server that denies.
    url: String,
}

/// The answer of a hook that denies.
pub(super) fn denial() -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "GUARD-SAYS-NO",
    }})
}

impl Ground {
    /// Makes the folders; `None` where this system cannot have such managed settings. `url` is that of a server that denies.
    pub(super) fn of(there: &There, client: &Path, url: &str) -> Result<Option<Self>> {
        let managed = match there.managed {
            None => None,
            Some(_) => match Managed::new()? {
                None => return Ok(None),
                managed => managed,
            },
        };
        let project = Project::named("project")?;
        let outer = project.path().parent().context("a folder around it")?.to_owned();
        let [config, home] = ["config", "home"].map(|name| outer.join(name));
        for folder in [&config, &home] {
            fs::create_dir(folder)?;
        }
        let folder = match &*there.folder {
            "" => project.path().to_owned(),
            folder => project.path().join(folder),
        };
        let url = url.to_owned();
        let ground = Self { folder, config, home, managed, project, url };
        if let (Some(managed), Some(settings)) = (&ground.managed, &there.managed) {
            let file = if there.part { "managed-settings.d/10-x.json" } else { "managed-settings.json" };
            ground.write(&format!("{}/claude-code/{file}", managed.etc().display()), settings)?;
        }
        ground.write(".claude/settings.json", &there.settings().into())?;
        if let Some(code) = there.module.text() {
            let root = there.at.as_deref().unwrap_or(".claude/skills/evil");
            there.write_mod(&ground, root, code.into())?;
        }
        if there.late {
            let code = Module::skipping("classic.PreToolUse").text();
            There::default().write_mod(&ground, "HOME/late", code.into())?;
        }
        for (path, content) in &there.files {
            let module: Option<Module> = serde_json::from_value(content.clone()).ok();
            match module.and_then(|module| module.text()) {
                Some(code) => ground.write(path, &code.into())?,
                None if *content == "GUARDED" => ground.write(path, &There::default().settings().into())?,
                None => ground.write(path, content)?,
            }
        }
        if there.git {
            ground.project.git(&["add", "--all"])?;
            ground.project.git(&["commit", "--quiet", "--message=start"])?;
        }
        for words in &there.before {
            ground.run(client, words)?;
        }
        Ok(Some(ground))
    }

    /// The file in which hooks note that they were started.
    pub(super) fn noted(&self) -> PathBuf {
        self.home.join("noted")
    }

    /// Puts in the folders and the hooks that a text of a row names.
    fn fill(&self, text: &str) -> String {
        let denies = format!("NOTES guard; echo '{}'", denial());
        let notes = format!("echo >> {}", self.noted().display());
        let once = format!("NOTES guard; mkdir {}/once || exit 0; echo GUARD-SAYS-NO >&2; exit 2", self.home.display());
        let path = |path: &Path| path.display().to_string();
        [
            ("DENIES", denies),
            ("BLOCKS ONCE", once),
            ("BLOCKS", "NOTES guard; echo GUARD-SAYS-NO >&2; exit 2".to_owned()),
            ("NOTES", notes),
            ("PROJECT", path(self.project.path())),
            ("HOME", path(&self.home)),
            ("CONFIG", path(&self.config)),
            ("URL", self.url.clone()),
        ]
        .iter()
        .fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }

    /// [`fill`](Self::fill)s all texts in a value.
    fn filled(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.fill(text).into(),
            Value::Array(items) => items.iter().map(|item| self.filled(item)).collect(),
            Value::Object(fields) => {
                fields.iter().map(|(key, value)| (key.clone(), self.filled(value))).collect::<Map<_, _>>().into()
            }
            other => other.clone(),
        }
    }

    /// Returns the first line of a text, with the names of the folders in their place.
    pub(super) fn plain(&self, text: &str) -> String {
        let text = text.lines().next().unwrap_or_default();
        let folders = [(self.project.path(), "PROJECT"), (&self.home, "HOME"), (&self.config, "CONFIG")];
        folders.iter().fold(text.to_owned(), |text, (folder, name)| text.replace(&folder.display().to_string(), name))
    }

    /// Writes a file: a text, or JSON.
    pub(super) fn write(&self, path: &str, content: &Value) -> Result<()> {
        let text = match self.filled(content) {
            Value::String(text) => text,
            other => other.to_string(),
        };
        self.project.write(&self.fill(path), text)
    }

    fn run(&self, client: &Path, words: &Words) -> Result<()> {
        let mut command = match words {
            Words::Line(line) => {
                let mut command = Command::new("sh");
                command.args(["-c", &self.fill(line)]);
                command
            }
            Words::OfClient(words) => {
                let mut command = Command::new(client);
                command.args(words.iter().map(|word| self.fill(word)));
                command
            }
        };
        isolation::isolate(&mut command, &self.home, &self.config, &self.home, "http://127.0.0.1:9");
        let done = command.env("PATH", SYSTEM_PATH).current_dir(self.project.path()).output()?;
        ensure!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
        Ok(())
    }

    pub(super) fn session(&self, there: &There, client: &Path, turns: &[Value]) -> Result<Session> {
        let outer = self.project.path().parent().context("a folder around it")?;
        let trusted = match there.trusted {
            Some(false) => self.home.clone(),
            _ if there.trusts.is_empty() => self.project.path().to_owned(),
            _ => self.project.path().join(&there.trusts),
        };
        let arguments: Vec<String> = there.arguments.iter().map(|word| self.fill(word)).collect();
        let mut session = Session::new(client, &self.folder)
            .within(outer)
            .trusting(&trusted)
            .config_dir(&self.config)
            .env("HOME", &self.home)
            .arguments(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
            // The client looks at changed files when a turn ends.
            .before_each(|step| {
                if step > 0 {
                    thread::sleep(Duration::from_secs(4))
                }
            });
        for (name, value) in &there.env {
            session = session.env(name, self.fill(value));
        }
        for turn in turns {
            session = session.turn(self.turn(turn)?);
        }
        for (prompt, turns) in &there.replies {
            let turns = turns.iter().map(|turn| self.turn(turn)).collect::<Result<Vec<_>>>()?;
            session = session.reply(prompt, turns);
        }
        Ok(there.then.iter().fold(session, |session, prompt| session.then(prompt)))
    }

    fn turn(&self, turn: &Value) -> Result<Turn> {
        if let Value::String(text) = turn {
            return Ok(Turn::text(text));
        }
        let call = turn.as_object().and_then(|calls| calls.iter().next());
        let (tool, input) = call.context("a turn is a text, or a call")?;
        Ok(match self.filled(input) {
            Value::String(command) => Turn::bash(&command),
            input => Turn::call(tool, input),
        })
    }
}
