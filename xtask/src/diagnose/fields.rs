//! A handler: the keys of a hook in a settings file.

use hookkit_protocol::event::{Denial, Event, event};
use serde_json::{Map, Value, json};

use crate::settings::reading::ReadHandler;

/// A hook's keys in a settings file.
type Fields = Map<String, Value>;

/// A handler with its event and matcher.
#[derive(Clone, Copy)]
pub(crate) struct Handler<'f> {
    pub(crate) event: &'static Event,
    /// Matcher of the handler's group.
    pub(crate) matcher: Option<&'f str>,
    /// Keys of the handler.
    pub(crate) fields: &'f Fields,
}

impl<'f> Handler<'f> {
    /// Returns the form of a file's hook that the rules use. `None` if the event does not exist, or if the hook is not
    /// an object.
    pub(crate) fn of(hook: &'f ReadHandler) -> Option<Self> {
        Some(Self { event: event(&hook.event)?, matcher: hook.matcher.as_deref(), fields: hook.values.as_object()? })
    }

    pub(crate) fn text(self, key: &str) -> Option<&'f str> {
        self.fields.get(key)?.as_str()
    }

    pub(crate) fn is_true(self, key: &str) -> bool {
        self.fields.get(key) == Some(&Value::Bool(true))
    }

    /// Returns a key of the hook. The client runs only one of several hooks with the same key (2.1.330).
    pub(crate) fn identity(self) -> Option<String> {
        let keys: &[&str] = match self.text("type")? {
            "command" => &["type", "shell", "command", "args", "if"],
            "http" => &["type", "url", "if"],
            "mcp_tool" => &["type", "server", "tool", "input", "if"],
            "prompt" | "agent" => &["type", "prompt", "if"],
            _ => return None,
        };
        let value = |key: &&str| match self.fields.get(*key) {
            // Without a shell the key has no effect; with one, this is the key's default.
            None if *key == "shell" => Some(Value::from("bash")),
            value => value.cloned(),
        };
        Some(json!([self.event.name, keys.iter().map(value).collect::<Vec<_>>()]).to_string())
    }

    pub(super) fn is_command(self) -> bool {
        self.text("type") == Some("command")
    }

    pub(super) fn is_async(self) -> bool {
        self.is_command() && (self.is_true("async") || self.is_true("asyncRewake"))
    }

    /// Returns `true` if the client blocks when the handler fails.
    pub(crate) fn blocks_on_failure(self) -> bool {
        self.text("onFailure") == Some("block") && self.event.honors_on_failure() && !self.is_async()
    }

    /// Returns `true` if the handler is a guard that allows calls when it fails.
    pub(super) fn is_lost_by_failure(self) -> bool {
        let is_guard = matches!(self.event.denial, Denial::Block | Denial::Deny);
        is_guard && !self.blocks_on_failure() && !self.is_async()
    }

    /// Returns the consequence of a program that cannot run.
    pub(crate) fn never_runs(self) -> &'static str {
        match self.event.denial {
            _ if self.blocks_on_failure() => {
                "the hook fails each time, and Claude Code then blocks, because of its `onFailure`"
            }
            Denial::Impossible => "the hook fails each time, and its work is not done",
            Denial::Fail => "the hook fails each time, and no worktree is created",
            _ => "the hook fails each time, and Claude Code goes ahead",
        }
    }
}
