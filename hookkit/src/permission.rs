//! Changes of what the user has to be asked for.
//!
//! The client suggests them with a [`PermissionRequest`](crate::event::PermissionRequest), and takes them in an answer.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::wire::{Value, wire};
use crate::{Json, PermissionMode};

/// A change of the permissions, in the client's shape.
///
/// Of a change that is known, members that are not named here are lost: they are not written again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
#[non_exhaustive]
pub enum PermissionUpdate {
    /// Adds rules to those that are there.
    AddRules {
        /// The rules.
        rules: Vec<PermissionRule>,
        /// Behavior for the calls that fit the rules.
        behavior: PermissionBehavior,
        /// Settings that keep the rules.
        destination: PermissionDestination,
    },
    /// Puts rules in the place of all of this behavior.
    ReplaceRules {
        /// The rules.
        rules: Vec<PermissionRule>,
        /// Behavior for the calls that fit the rules.
        behavior: PermissionBehavior,
        /// Settings that keep the rules.
        destination: PermissionDestination,
    },
    /// Takes rules away.
    RemoveRules {
        /// The rules.
        rules: Vec<PermissionRule>,
        /// Behavior for the calls that fit the rules.
        behavior: PermissionBehavior,
        /// Settings that keep the rules.
        destination: PermissionDestination,
    },
    /// Sets what the user has to be asked for in general.
    SetMode {
        /// The mode. The policy that forbids `bypassPermissions` still holds.
        mode: PermissionMode,
        /// Settings that keep the mode.
        destination: PermissionDestination,
    },
    /// Lets the tools into directories.
    AddDirectories {
        /// The directories, absolute.
        directories: Vec<PathBuf>,
        /// Settings that keep the directories.
        destination: PermissionDestination,
    },
    /// Takes directories away.
    RemoveDirectories {
        /// The directories, absolute.
        directories: Vec<PathBuf>,
        /// Settings that keep the directories.
        destination: PermissionDestination,
    },
    /// A change that this version of hookkit does not know, as the client wrote it.
    #[serde(untagged)]
    Other(Json),
}

/// `null`, which the client never sends.
impl Default for PermissionUpdate {
    fn default() -> Self {
        Self::Other(Json::default())
    }
}

impl Value for PermissionUpdate {}

impl<'de> Deserialize<'de> for PermissionUpdate {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        Ok(Self::known(&json).unwrap_or(Self::Other(json)))
    }
}

impl PermissionUpdate {
    /// The change, where it has the shape of one that is known.
    fn known(json: &Json) -> Option<Self> {
        #[derive(Deserialize)]
        struct Update {
            r#type: String,
            rules: Option<Vec<PermissionRule>>,
            behavior: Option<PermissionBehavior>,
            mode: Option<PermissionMode>,
            directories: Option<Vec<PathBuf>>,
            destination: PermissionDestination,
        }

        let update: Update = json.decode().ok()?;
        let destination = update.destination;
        Some(match update.r#type.as_str() {
            "addRules" => Self::AddRules {
                rules: update.rules?,
                behavior: update.behavior?,
                destination,
            },
            "replaceRules" => Self::ReplaceRules {
                rules: update.rules?,
                behavior: update.behavior?,
                destination,
            },
            "removeRules" => Self::RemoveRules {
                rules: update.rules?,
                behavior: update.behavior?,
                destination,
            },
            "setMode" => Self::SetMode {
                mode: update.mode?,
                destination,
            },
            "addDirectories" => Self::AddDirectories {
                directories: update.directories?,
                destination,
            },
            "removeDirectories" => Self::RemoveDirectories {
                directories: update.directories?,
                destination,
            },
            _ => return None,
        })
    }
}

wire! {
    /// A permission rule: `Bash(git *)` is one of the tool `Bash` with the content `git *`.
    pub struct PermissionRule {
        /// The tool's name.
        tool_name: String = "toolName",
        /// Text that a call is compared with; absent, every call of the tool fits.
        rule_content: Option<String> = "ruleContent",
    }
}

impl PermissionRule {
    /// Every call of a tool.
    pub fn of_tool(tool_name: impl Into<String>) -> Self {
        Self {
            tool_name: tool_name.into(),
            rule_content: None,
        }
    }

    /// The calls of a tool that fit this content. Parentheses need no escapes here.
    pub fn new(tool_name: impl Into<String>, rule_content: impl Into<String>) -> Self {
        Self {
            tool_name: tool_name.into(),
            rule_content: Some(rule_content.into()),
        }
    }
}

wire! {
    /// The behavior that a permission rule asks for.
    pub enum PermissionBehavior {
        /// They run.
        Allow = "allow",
        /// They do not run.
        Deny = "deny",
        /// The user is asked.
        Ask = "ask",
    }

    /// The settings that keep a change of the permissions.
    pub enum PermissionDestination {
        /// In the user's settings, for all projects.
        UserSettings = "userSettings",
        /// In the project's settings, for all who work on it.
        ProjectSettings = "projectSettings",
        /// In the user's settings for this project.
        LocalSettings = "localSettings",
        /// Nowhere: it holds until the session ends.
        Session = "session",
        /// With what the client's command line said: until the session ends.
        CliArg = "cliArg",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_are_read_and_written_in_the_client_s_shape() {
        let rules = || vec![PermissionRule::new("Bash", "git *"), PermissionRule::of_tool("Read")];
        let (allow, session) = (PermissionBehavior::Allow, PermissionDestination::Session);
        for (text, update) in [
            (
                r#"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"git *"},{"toolName":"Read"}],"behavior":"allow","destination":"session"}"#,
                PermissionUpdate::AddRules {
                    rules: rules(),
                    behavior: allow.clone(),
                    destination: session.clone(),
                },
            ),
            (
                r#"{"type":"removeRules","rules":[],"behavior":"allow","destination":"session"}"#,
                PermissionUpdate::RemoveRules {
                    rules: Vec::new(),
                    behavior: allow,
                    destination: session.clone(),
                },
            ),
            (
                r#"{"type":"setMode","mode":"acceptEdits","destination":"session"}"#,
                PermissionUpdate::SetMode {
                    mode: PermissionMode::AcceptEdits,
                    destination: session.clone(),
                },
            ),
            (
                r#"{"type":"removeDirectories","directories":["/a"],"destination":"session"}"#,
                PermissionUpdate::RemoveDirectories {
                    directories: vec!["/a".into()],
                    destination: session,
                },
            ),
        ] {
            let decoded: PermissionUpdate = Json::parse(text).unwrap().decode().unwrap();
            assert_eq!(decoded, update);
            assert_eq!(serde_json::to_string(&update).unwrap(), text);
        }
    }

    #[test]
    fn what_is_not_known_is_kept_as_it_is() {
        for text in [
            r#"{"type":"addHosts","hosts":["a"],"destination":"session"}"#,
            r#"{"type":"setMode","mode":{"name":"x"},"destination":"session"}"#,
            r#"{"type":"addRules","destination":"session"}"#,
            "null",
        ] {
            let json = Json::parse(text).unwrap();
            let decoded: PermissionUpdate = json.decode().unwrap();
            assert_eq!(decoded, PermissionUpdate::Other(json));
            assert_eq!(serde_json::to_string(&decoded).unwrap(), text);
        }
    }
}
