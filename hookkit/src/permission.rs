//! Changes to permission rules, modes and directories.

use std::fmt::Display;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::project::{of_organization, of_session};
use crate::wire::{Value, wire};
use crate::{Context, Environment, Error, Json, PermissionMode, bounded};

/// A change to the permissions, in the client's format.
///
/// A change that has a variant loses its unknown members when it is serialized.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
#[non_exhaustive]
pub enum PermissionUpdate {
    /// Adds rules.
    AddRules {
        /// The rules.
        rules: Vec<PermissionRule>,
        /// Behavior for calls that match the rules.
        behavior: PermissionBehavior,
        /// Settings that keep the rules.
        destination: PermissionDestination,
    },
    /// Replaces all rules of this behavior.
    ReplaceRules {
        /// The rules.
        rules: Vec<PermissionRule>,
        /// Behavior for calls that match the rules.
        behavior: PermissionBehavior,
        /// Settings that keep the rules.
        destination: PermissionDestination,
    },
    /// Removes rules.
    RemoveRules {
        /// The rules.
        rules: Vec<PermissionRule>,
        /// Behavior for calls that match the rules.
        behavior: PermissionBehavior,
        /// Settings that keep the rules.
        destination: PermissionDestination,
    },
    /// Sets the permission mode.
    SetMode {
        /// The mode. A policy that forbids `bypassPermissions` still applies.
        mode: PermissionMode,
        /// Settings that keep the mode.
        destination: PermissionDestination,
    },
    /// Gives the tools access to directories.
    AddDirectories {
        /// The directories, absolute.
        directories: Vec<PathBuf>,
        /// Settings that keep the directories.
        destination: PermissionDestination,
    },
    /// Removes the access to directories.
    RemoveDirectories {
        /// The directories, absolute.
        directories: Vec<PathBuf>,
        /// Settings that keep the directories.
        destination: PermissionDestination,
    },
    /// A change without a variant in this version of hookkit, as the client wrote it.
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
    /// Decodes a change of a known shape.
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
            "addRules" => Self::AddRules { rules: update.rules?, behavior: update.behavior?, destination },
            "replaceRules" => Self::ReplaceRules { rules: update.rules?, behavior: update.behavior?, destination },
            "removeRules" => Self::RemoveRules { rules: update.rules?, behavior: update.behavior?, destination },
            "setMode" => Self::SetMode { mode: update.mode?, destination },
            "addDirectories" => Self::AddDirectories { directories: update.directories?, destination },
            "removeDirectories" => Self::RemoveDirectories { directories: update.directories?, destination },
            _ => return None,
        })
    }
}

wire! {
    /// A permission rule: `Bash(git *)` has the tool `Bash` and the content `git *`.
    pub struct PermissionRule {
        /// The tool's name.
        tool_name: String = "toolName",
        /// Pattern for a call; if absent, the rule matches every call of the tool.
        rule_content: Option<String> = "ruleContent",
    }
}

impl PermissionRule {
    /// Creates a rule for every call of a tool.
    pub fn of_tool(tool_name: impl Into<String>) -> Self {
        Self { tool_name: tool_name.into(), rule_content: None }
    }

    /// Creates a rule for calls of a tool that match this content. Parentheses need no escapes here.
    pub fn new(tool_name: impl Into<String>, rule_content: impl Into<String>) -> Self {
        Self { tool_name: tool_name.into(), rule_content: Some(rule_content.into()) }
    }
}

/// Returns the contents of the rules that deny Bash commands or ask about them, in the settings of the user, the
/// project and the organization; a rule for all of Bash has the content `*`.
///
/// Rules from the client's command line (`--disallowedTools`), and rules that were added during the session, are not in
/// these files.
///
/// # Errors
///
/// Fails if a file exists and cannot be read, or is not JSON.
pub fn bash_rules(context: &Context, environment: Environment) -> Result<Vec<String>, Error> {
    /// Maximum size of a settings file; a longer one is an error.
    const LONGEST: u64 = 1 << 20;
    let files = of_session(&context.project_dir, environment).into_iter().chain(of_organization());
    let unread = |file: &Path, err: &dyn Display| {
        Error::msg(format_args!("the rules of {} cannot be read: {err}", file.display()))
    };
    let mut rules = Vec::new();
    for (_, file) in files {
        let text = match bounded::read(&file, LONGEST) {
            Err(err) if err.kind() == ErrorKind::NotFound => continue,
            text => text.map_err(|err| unread(&file, &err))?,
        };
        let settings: serde_json::Value = serde_json::from_slice(&text).map_err(|err| unread(&file, &err))?;
        for list in ["deny", "ask"] {
            let list = settings["permissions"][list].as_array().into_iter().flatten();
            let contents = list.filter_map(|rule| match rule.as_str()? {
                "Bash" => Some("*"),
                rule => rule.strip_prefix("Bash(")?.strip_suffix(')'),
            });
            rules.extend(contents.map(str::to_owned));
        }
    }
    Ok(rules)
}

wire! {
    /// The behavior of a permission rule.
    pub enum PermissionBehavior {
        /// Matching calls run.
        Allow = "allow",
        /// Matching calls do not run.
        Deny = "deny",
        /// The user is asked.
        Ask = "ask",
    }

    /// The settings that store a change to the permissions.
    pub enum PermissionDestination {
        /// The user's settings, for all projects.
        UserSettings = "userSettings",
        /// The project's settings, which the team shares.
        ProjectSettings = "projectSettings",
        /// The user's settings for this project.
        LocalSettings = "localSettings",
        /// No file: it applies until the session ends.
        Session = "session",
        /// The client's command line options: it applies until the session ends.
        CliArg = "cliArg",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_are_read_and_written_in_the_client_s_shape() {
        test_support::lines!("lines/permission-updates.txt").check(|_, text| {
            let update: PermissionUpdate = Json::parse(text).unwrap().decode().unwrap();
            assert_eq!(serde_json::to_string(&update).unwrap(), text);
            format!("{update:?}")
        });
    }

    #[test]
    fn rules_that_hold_a_command_are_those_of_all_settings() {
        let session = crate::testing::Session::new();
        session
            .write(".claude/settings.json", r#"{"permissions":{"allow":["Bash(ls)"],"deny":["Bash(npm *)","Read"]}}"#);
        session.write(".claude/settings.local.json", r#"{"permissions":{"ask":["Bash"]}}"#);
        let environment = Environment::new(|_| Some("/none".into()));
        assert_eq!(bash_rules(session.context(), environment).unwrap(), ["npm *", "*"]);
        let file = session.write(".claude/settings.json", "{");
        let err = bash_rules(session.context(), environment).unwrap_err().to_string();
        assert!(err.contains(file.to_str().unwrap()), "{err}");
    }
}
