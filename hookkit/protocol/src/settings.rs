//! The keys of a settings file, and the client's reaction to mistakes in it (client 2.1.330).
//!
//! The client drops a whole file that is not plain JSON: a comment or a trailing comma is enough.
//! It accepts a byte order mark, an escape of half a surrogate pair, and unknown keys.
//! If a key occurs twice, the last one counts.

use std::ffi::OsStr;

/// The allowed values of a key of the settings. `null` is a mistake for every kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeyKind {
    /// Any string.
    Text,
    /// A string that is not empty.
    FilledText,
    /// A string that is a URL.
    Url,
    /// One of these strings.
    Word(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A number.
    Number,
    /// A number above zero, with or without a fraction.
    Positive,
    /// A whole number above zero.
    Count,
    /// A list of anything: the client drops invalid elements one by one.
    List,
    /// A list of strings.
    Texts,
    /// An object with any values.
    Map,
    /// An object whose values are strings.
    TextMap,
    /// An object whose values are `true`, `false` or a list of strings.
    FlagMap,
    /// An object whose listed keys have restricted values; other keys may have any value.
    Object(&'static [Field]),
}

/// A key with its allowed values.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// Allowed values.
    pub kind: KeyKind,
    /// `true` if the key must be present.
    pub is_required: bool,
    /// The first published version of the client that declares a handler's key, if the handler's type is older than the
    /// key. `None` if the key is as old as the type. Older versions ignore the key.
    pub since: Option<&'static str>,
}

impl Field {
    const fn since(mut self, version: &'static str) -> Self {
        self.since = Some(version);
        self
    }
}

/// A type of handler.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct HandlerType {
    /// The value of `type`.
    pub name: &'static str,
    /// The first published version of the client that declares the type. Older versions drop the whole settings file if
    /// it has a handler of this type on any event.
    pub since: &'static str,
    /// The keys that only some types have.
    own: &'static [Field],
}

impl HandlerType {
    /// Returns the keys that the client reads, besides `type`. It ignores all others.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> {
        self.own.iter().chain(COMMON)
    }
}

/// The folder of the organization's settings, which no user can change. On macOS and Windows, it is taken from the
/// client's documentation and untested.
pub const MANAGED_FOLDER: &str = if cfg!(target_os = "macos") {
    "/Library/Application Support/ClaudeCode"
} else if cfg!(windows) {
    r"C:\Program Files\ClaudeCode"
} else {
    "/etc/claude-code"
};

/// The file within [`MANAGED_FOLDER`] with the organization's settings.
pub const MANAGED_FILE: &str = "managed-settings.json";

/// The folder within [`MANAGED_FOLDER`] with the organization's additional settings files.
pub const MANAGED_PARTS: &str = "managed-settings.d";

/// Returns `true` if the client reads a file of this name in [`MANAGED_PARTS`]: its name ends in `.json` and does not
/// begin with a dot.
pub fn is_managed_part(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.ends_with(b".json") && !name.starts_with(b".")
}

/// The events whose hooks can guard actions that the same file permits.
///
/// If the client cannot load one of their hooks, or finds it in the wrong position, it drops the whole file. On any
/// other event, it drops only the bad hook (client 2.1.332, the first version with PreSkillShellCommand).
pub const GUARDS: [&str; 3] = ["PreToolUse", "PermissionRequest", "PreSkillShellCommand"];

/// The first version of the client that ignores an unknown event in a settings file. A session in a terminal then
/// begins with a dialog about the event (seen in seven versions from 2.1.114 to 2.1.331).
///
/// Older versions drop the whole file, with its permissions.
pub const UNKNOWN_EVENTS_SINCE: &str = "2.1.101";

/// Returns `true` if this is the name of one of the [`GUARDS`].
pub fn is_guard(name: &str) -> bool {
    GUARDS.contains(&name)
}

const fn optional(name: &'static str, kind: KeyKind) -> Field {
    Field { name, kind, is_required: false, since: None }
}

const fn required(name: &'static str, kind: KeyKind) -> Field {
    Field { name, kind, is_required: true, since: None }
}

/// The matcher of a group. A group without one matches everything.
pub const MATCHER: Field = optional("matcher", KeyKind::Text);

/// The shells that `shell` can name.
pub const SHELLS: &[&str] = &["bash", "powershell"];

/// The values of `onFailure`.
pub const ON_FAILURE: &[&str] = &["continue", "block"];

/// The keys that every handler has.
const COMMON: &[Field] = &[
    optional("if", KeyKind::Text).since("2.1.85"),
    optional("timeout", KeyKind::Positive),
    optional("statusMessage", KeyKind::Text).since("2.0.44"),
    optional("once", KeyKind::Flag).since("2.0.77"),
];

const FAILURE: Field = optional("onFailure", KeyKind::Word(ON_FAILURE)).since("2.1.295");

/// Every type of handler.
pub const HANDLER_TYPES: &[HandlerType] = &[
    HandlerType {
        name: "command",
        since: "1.0.38",
        own: &[
            required("command", KeyKind::Text),
            optional("args", KeyKind::Texts).since("2.1.139"),
            optional("shell", KeyKind::Word(SHELLS)).since("2.1.81"),
            FAILURE,
            optional("async", KeyKind::Flag).since("2.1.15"),
            optional("asyncRewake", KeyKind::Flag).since("2.1.64"),
            optional("holdsTools", KeyKind::Flag).since("2.1.329"),
            optional("rewakeMessage", KeyKind::FilledText).since("2.1.101"),
            optional("rewakeSummary", KeyKind::FilledText).since("2.1.108"),
        ],
    },
    HandlerType {
        name: "http",
        since: "2.1.48",
        own: &[
            required("url", KeyKind::Url),
            optional("headers", KeyKind::TextMap),
            optional("allowedEnvVars", KeyKind::Texts).since("2.1.51"),
            FAILURE,
        ],
    },
    HandlerType {
        // Its `onFailure` accepts anything: any value but `continue` means `block`.
        name: "mcp_tool",
        since: "2.1.118",
        own: &[required("server", KeyKind::Text), required("tool", KeyKind::Text), optional("input", KeyKind::Map)],
    },
    HandlerType {
        name: "prompt",
        since: "2.0.30",
        own: &[
            required("prompt", KeyKind::Text),
            optional("model", KeyKind::Text).since("2.0.42"),
            optional("continueOnBlock", KeyKind::Flag).since("2.1.139"),
        ],
    },
    HandlerType {
        name: "agent",
        since: "2.0.44",
        own: &[required("prompt", KeyKind::Text), optional("model", KeyKind::Text)],
    },
];

/// Returns the handler type of this name.
pub fn handler_type(name: &str) -> Option<&'static HandlerType> {
    HANDLER_TYPES.iter().find(|known| known.name == name)
}

/// Returns the first published version of the client that declares a key of a handler; `None` if the key is as old as
/// the handler's type, or if no client declares it.
pub fn since(handler_type: &str, key: &str) -> Option<&'static str> {
    if (handler_type, key) == ("mcp_tool", "onFailure") {
        return Some("2.1.328");
    }
    self::handler_type(handler_type)?.fields().find(|field| field.name == key)?.since
}

const MODES: &[&str] = &["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "manual", "plan"];

/// The common keys of the settings, besides `hooks`, that make the client drop the whole file if their value is bad.
///
/// The client has many more keys. It ignores a bad value of some of them (`effortLevel`).
pub const STRICT_KEYS: &[Field] = &[
    optional("$schema", KeyKind::Text),
    optional("agent", KeyKind::Text),
    optional("allowedHttpHookUrls", KeyKind::Texts),
    optional("allowManagedHooksOnly", KeyKind::Flag),
    optional("alwaysThinkingEnabled", KeyKind::Flag),
    optional("apiKeyHelper", KeyKind::Text),
    optional("autoUpdatesChannel", KeyKind::Word(&["latest", "stable", "rc"])),
    optional("availableModels", KeyKind::Texts),
    optional("awsAuthRefresh", KeyKind::Text),
    optional("awsCredentialExport", KeyKind::Text),
    optional("cleanupPeriodDays", KeyKind::Count),
    optional("companyAnnouncements", KeyKind::Texts),
    optional("defaultShell", KeyKind::Word(SHELLS)),
    optional("disableAllHooks", KeyKind::Flag),
    optional("enabledPlugins", KeyKind::FlagMap),
    optional("env", KeyKind::Map),
    optional("fallbackModel", KeyKind::Texts),
    optional("fastMode", KeyKind::Flag),
    optional(
        "fileSuggestion",
        KeyKind::Object(&[required("type", KeyKind::Word(&["command"])), required("command", KeyKind::Text)]),
    ),
    optional("gcpAuthRefresh", KeyKind::Text),
    optional("httpHookAllowedEnvVars", KeyKind::Texts),
    optional("includeCoAuthoredBy", KeyKind::Flag),
    optional("includeGitInstructions", KeyKind::Flag),
    optional("language", KeyKind::Text),
    optional("minimumVersion", KeyKind::Text),
    optional("model", KeyKind::Text),
    optional("modelOverrides", KeyKind::TextMap),
    optional("otelHeadersHelper", KeyKind::Text),
    optional("outputStyle", KeyKind::Text),
    optional(
        "permissions",
        KeyKind::Object(&[
            optional("allow", KeyKind::List),
            optional("deny", KeyKind::List),
            optional("ask", KeyKind::List),
            optional("additionalDirectories", KeyKind::List),
            optional("defaultMode", KeyKind::Word(MODES)),
            optional("disableBypassPermissionsMode", KeyKind::Word(&["disable"])),
        ]),
    ),
    optional("plansDirectory", KeyKind::Text),
    optional("promptSuggestionEnabled", KeyKind::Flag),
    optional("respectGitignore", KeyKind::Flag),
    optional("sandbox", KeyKind::Map),
    optional("showClearContextOnPlanAccept", KeyKind::Flag),
    optional("skipWebFetchPreflight", KeyKind::Flag),
    optional("spinnerTipsEnabled", KeyKind::Flag),
    optional(
        "spinnerVerbs",
        KeyKind::Object(&[required("mode", KeyKind::Word(&["append", "replace"])), required("verbs", KeyKind::Texts)]),
    ),
    optional(
        "statusLine",
        KeyKind::Object(&[
            required("type", KeyKind::Word(&["command"])),
            required("command", KeyKind::Text),
            optional("padding", KeyKind::Number),
            optional("hideVimModeIndicator", KeyKind::Flag),
        ]),
    ),
    optional("syntaxHighlightingDisabled", KeyKind::Flag),
    optional("terminalTitleFromRename", KeyKind::Flag),
    optional("tui", KeyKind::Word(&["default", "fullscreen"])),
    optional("worktree", KeyKind::Map),
];

/// Keys of the settings that neither start a program nor weaken a guard if their value is a string.
///
/// If the key is one of [`STRICT_KEYS`], a value of another type makes the client drop the whole file.
pub const HARMLESS_TEXTS: &[&str] = &["$schema", "language", "model", "outputStyle", "theme"];

/// Keys of the settings that neither start a program nor weaken a guard if their value is `true` or `false`.
pub const HARMLESS_FLAGS: &[&str] = &[
    "alwaysThinkingEnabled", "includeCoAuthoredBy", "promptSuggestionEnabled", "showClearContextOnPlanAccept",
    "spinnerTipsEnabled", "syntaxHighlightingDisabled", "terminalTitleFromRename",
];

/// The keys of a plugin's `plugin.json`, besides `hooks`, for which a bad value made the client drop the plugin.
pub const MANIFEST_KEYS: &[Field] = &[required("name", KeyKind::FilledText), optional("version", KeyKind::Text)];

/// The settings keys whose values the client does not search for misplaced [`GUARDS`].
pub const UNSEARCHED_KEYS: &[&str] = &[
    "mcpServers", "managedMcpServers", "lspServers", "pluginConfigs", "enabledPlugins", "extraKnownMarketplaces",
    "env", "skillOverrides", "modelSettings",
];

/// Number of levels below a key that the client searches for misplaced [`GUARDS`].
pub const SEARCH_DEPTH: usize = 3;

/// Variables that the client sets for hooks, each with its events (client 2.1.332). An empty list means all events
/// within a turn and, for most variables, also all other events.
pub const SET_FOR_HOOKS: &[(&str, &[&str])] = &[
    ("CLAUDE_PROJECT_DIR", &[]),
    ("CLAUDE_PID", &[]),
    ("CLAUDE_EFFORT", &[]),
    ("CLAUDE_ENV_FILE", &["SessionStart", "Setup", "CwdChanged", "FileChanged"]),
];

/// Returns `true` for a variable that is named like the client's own, but that the client does not set for hooks on
/// this event. Without an event: not for hooks on any event.
///
/// The user sets `CLAUDE_CODE_…` and `CLAUDE_CONFIG_DIR`. Variables of [plugins](SET_FOR_PLUGINS) are not considered.
///
/// ```
/// use hookkit_protocol::settings::is_unset;
///
/// assert!(is_unset("CLAUDE_TOOL_INPUT", None) && is_unset("TOOL_NAME", None));
/// assert!(is_unset("CLAUDE_ENV_FILE", Some("Stop")) && !is_unset("CLAUDE_ENV_FILE", Some("SessionStart")));
/// assert!(!is_unset("CLAUDE_CODE_USE_BEDROCK", None) && !is_unset("HOME", None));
/// ```
pub fn is_unset(name: &str, event: Option<&str>) -> bool {
    let is_of_user = name.starts_with("CLAUDE_CODE_") || name == "CLAUDE_CONFIG_DIR";
    let is_like_one = name.starts_with("CLAUDE_") || name.starts_with("TOOL_") || name == "STDIN_JSON";
    let is_set = |(set, events): &(&str, &[&str])| {
        *set == name && event.is_none_or(|event| events.is_empty() || events.contains(&event))
    };
    is_like_one && !is_of_user && !SET_FOR_PLUGINS.contains(&name) && !SET_FOR_HOOKS.iter().any(is_set)
}

/// Variables that the client sets only for plugin hooks (client 2.1.330).
pub const SET_FOR_PLUGINS: &[&str] = &["CLAUDE_PLUGIN_DATA", "CLAUDE_PLUGIN_ROOT"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EVENTS;

    #[test]
    fn parts_of_an_organizations_settings_are_visible_json_files() {
        for (name, is_read) in
            [("hookkit.json", true), (".hidden.json", false), ("c.JSON", false), ("d.json~", false), (".json", false)]
        {
            assert_eq!(is_managed_part(name.as_ref()), is_read, "{name}");
        }
    }

    #[test]
    fn guards_are_events() {
        let guards: Vec<_> = EVENTS.iter().filter(|event| is_guard(event.name)).collect();
        assert_eq!(guards.len(), GUARDS.len());
    }

    #[test]
    fn the_keys_of_a_handler_type_are_unique() {
        for handler in HANDLER_TYPES {
            for field in handler.fields() {
                let found = handler.fields().filter(|other| other.name == field.name);
                assert_eq!(found.count(), 1, "{}: {}", handler.name, field.name);
            }
            assert!(handler.fields().any(|field| field.name == "timeout"), "{}", handler.name);
        }
        assert_eq!(handler_type("command"), Some(&HANDLER_TYPES[0]));
        assert_eq!(handler_type("Command"), None);
    }
}
