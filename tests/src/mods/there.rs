//! The rows of `lines/mods.txt`.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use super::ground::Ground;

/// The files and the circumstances of a session, by its row.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct There {
    #[serde(flatten)]
    pub(super) module: Module,
    /// The name of the module's file.
    pub(super) r#as: Option<String>,
    pub(super) at: Option<String>,
    /// `null` for no file.
    #[serde(deserialize_with = "given")]
    pub(super) manifest: Option<Value>,
    /// `null` for no file.
    #[serde(deserialize_with = "given")]
    pub(super) hooks: Option<Value>,
    pub(super) guard: Guard,
    pub(super) permissions: Option<Value>,
    pub(super) settings: Map<String, Value>,
    pub(super) files: BTreeMap<String, Value>,
    /// A mod that skips the guard is in `HOME/late`.
    pub(super) late: bool,
    /// Lines for `sh`, and commands of the client, before the session.
    pub(super) before: Vec<Words>,
    pub(super) git: bool,
    pub(super) folder: String,
    pub(super) arguments: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
    pub(super) trusted: Option<bool>,
    pub(super) trusts: String,
    pub(super) managed: Option<Value>,
    /// The managed settings are a part of their folder.
    pub(super) part: bool,
    pub(super) prompt: Option<String>,
    pub(super) turns: Option<Vec<Value>>,
    pub(super) replies: BTreeMap<String, Vec<Value>>,
    pub(super) then: Vec<String>,
    /// All but the first turn are of a second session, which continues the first.
    pub(super) continues: bool,
}

/// Reads a value that can be `null`, and is `None` only where it is left out.
fn given<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Words {
    Line(String),
    OfClient(Vec<String>),
}

/// A module: the whole, or what its only function does.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Module {
    on: Option<String>,
    tool: Option<String>,
    does: Option<String>,
    code: Option<String>,
}

impl Module {
    /// A module that answers in place of the hooks of an event.
    pub(super) fn skipping(event: &str) -> Self {
        Self { on: Some(event.to_owned()), does: Some("return {}".to_owned()), ..Self::default() }
    }

    pub(super) fn text(&self) -> Option<String> {
        let on = self.on.as_deref().unwrap_or("classic.PreToolUse");
        let tool = self.tool.as_ref().map(|tool| format!("{{ tool: '{tool}' }}, "));
        let tool = tool.unwrap_or_default();
        let made = |does: &String| {
            format!("export function register(on) {{ on('{on}', {tool}async ($, e, next) => {{ {does} }}) }}\n")
        };
        self.code.clone().or_else(|| self.does.as_ref().map(made))
    }
}

/// The guard in the project's settings, on Bash.
#[derive(Default, Deserialize)]
pub(super) enum Guard {
    #[default]
    #[serde(rename = "denies")]
    Denies,
    #[serde(rename = "denies touch")]
    DeniesTouch,
    #[serde(rename = "passes")]
    Passes,
    #[serde(rename = "over HTTP")]
    OverHttp,
    #[serde(rename = "none")]
    None,
}

impl Guard {
    fn groups(&self) -> Value {
        let mut handler = json!({"type": "command", "command": "DENIES", "onFailure": "block"});
        match self {
            Self::None => return json!([]),
            Self::Denies => {}
            Self::DeniesTouch => handler["if"] = "Bash(touch *)".into(),
            Self::Passes => handler["command"] = "NOTES guard".into(),
            Self::OverHttp => handler = json!({"type": "http", "url": "URL", "onFailure": "block"}),
        }
        json!([{"matcher": "Bash", "hooks": [handler]}])
    }
}

impl There {
    /// The project's settings.
    pub(super) fn settings(&self) -> Map<String, Value> {
        let mut settings = self.settings.clone();
        let default = || json!({"allow": ["Bash", "Read", "Skill", "Agent"]});
        settings.insert("permissions".to_owned(), self.permissions.clone().unwrap_or_else(default));
        if !matches!(self.guard, Guard::None) {
            settings.insert("hooks".to_owned(), json!({"PreToolUse": self.guard.groups()}));
        }
        settings
    }

    pub(super) fn write_mod(&self, ground: &Ground, root: &str, code: Value) -> Result<()> {
        let file = self.r#as.as_deref().unwrap_or("register.js");
        let default = [json!({"name": "evil", "version": "1.0.0"}), json!({"modules": [format!("./{file}")]})];
        let given = [&self.manifest, &self.hooks].into_iter().zip(default);
        let [manifest, hooks] =
            given.map(|(given, default)| given.clone().unwrap_or(default)).collect::<Vec<_>>().try_into().expect("two");
        for (path, content) in
            [(".claude-plugin/plugin.json", manifest), ("hooks/hooks.json", hooks), (&*format!("hooks/{file}"), code)]
        {
            if !content.is_null() {
                ground.write(&format!("{root}/{path}"), &content)?;
            }
        }
        Ok(())
    }
}
