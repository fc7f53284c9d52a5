//! The declaration of a hook: one record that goes from the attribute to the settings.

use crate::event::Event;

/// The options of a hook's attribute, with the name and the path of its function.
///
/// `S` is the type of its strings: `&'static str` in a binary, `String` once deserialized.
/// Minor versions add fields. The struct is not `#[non_exhaustive]`, so that hookkit's other crates can construct it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Declaration<S = &'static str> {
    /// The name of the hook and its binary: the function's name in kebab-case, unless the attribute sets another.
    pub name: S,
    /// The function's doc comment.
    pub description: S,
    /// An additional permission rule that a tool call must match: the client's `if`.
    #[cfg_attr(feature = "serde", serde(rename = "if"))]
    pub condition: Option<S>,
    /// The timeout, in seconds; `None` for the event's default.
    pub timeout: Option<u32>,
    /// The text that the user sees while the hook runs, instead of its command.
    pub status_message: Option<S>,
    /// The failure policy.
    pub on_failure: OnFailure,
    /// The way in which the client waits for the hook.
    #[cfg_attr(feature = "serde", serde(default))]
    pub mode: Mode,
    /// The agents that the hook is for, separated by `|`: `claude|codex`. `None` means every agent that can honor the
    /// hook.
    pub agents: Option<S>,
    /// The function's path, including its crate: `acme_guards::files::protect_env`.
    pub path: S,
    /// The package of the function's crate, as named in Cargo.toml.
    pub package: S,
    /// The version of that package.
    pub package_version: S,
}

/// A hook on one of its events: an entry in the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OnEvent<S = &'static str> {
    /// The client's name of the event.
    pub event: S,
    /// The matcher of the entry, in the client's syntax; `None` if the hook runs on every call.
    pub matcher: Option<S>,
    /// `true` if the entry has `onFailure: "block"`; see [`OnFailure::blocks_in_settings`].
    pub blocks_in_settings: bool,
    /// `true` if the type of the hook's answer can replace the tool's input or output.
    #[cfg_attr(feature = "serde", serde(default))]
    pub rewrites: bool,
}

impl<S: AsRef<str>> OnEvent<S> {
    /// Returns the facts about the event, if this version of hookkit knows it.
    pub fn facts(&self) -> Option<&'static Event> {
        crate::event::event(self.event.as_ref())
    }
}

/// The failure policy of a hook: the outcome of the announced action if the hook fails instead of answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum OnFailure {
    /// The action is denied. The default of a hook that answers on PreToolUse or WorktreeCreate.
    Block,
    /// The user is asked whether the call may run, with the failure as the reason. Possible on PreToolUse only. If the
    /// client cannot ask (in print mode, or because the hook cannot even start), the call is denied (client 2.1.330).
    Ask,
    /// The action goes ahead. The default of any other hook.
    Continue,
}

impl OnFailure {
    /// All policies.
    pub const ALL: &[Self] = &[Self::Block, Self::Ask, Self::Continue];

    /// Returns the policy's name in the attribute, in Cargo.toml and in listings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Ask => "ask",
            Self::Continue => "continue",
        }
    }

    /// Returns the policy of this name.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|policy| policy.word() == word)
    }

    /// Returns the exit code that enforces the policy if no other output of the hook reaches the client. Code 2 blocks;
    /// with any other code, the action goes ahead.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Block | Self::Ask => 2,
            Self::Continue => 1,
        }
    }

    /// Returns `true` if a hook with this policy gets `onFailure: "block"` in its settings entry for `event`. The
    /// client must [honor](Event::honors_on_failure) it there.
    ///
    /// The client then denies the action even if the process never starts, or is killed.
    pub const fn blocks_in_settings(self, event: &Event) -> bool {
        match self {
            Self::Block | Self::Ask => event.honors_on_failure(),
            Self::Continue => false,
        }
    }
}

/// The way in which the client waits for a hook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub enum Mode {
    /// The client waits, and honors the answer.
    #[default]
    Awaited,
    /// The client does not wait, and the hook's output reaches the model later (`async`).
    Async,
    /// The client does not wait, and the hook can wake the model (`asyncRewake`).
    AsyncRewake,
}

impl Mode {
    /// Returns the key of a settings entry that selects this mode.
    pub const fn key(self) -> Option<&'static str> {
        match self {
            Self::Awaited => None,
            Self::Async => Some("async"),
            Self::AsyncRewake => Some("asyncRewake"),
        }
    }

    /// Returns the option of the attribute that selects this mode.
    pub const fn option(self) -> Option<&'static str> {
        match self {
            Self::AsyncRewake => Some("async_rewake"),
            other => other.key(),
        }
    }
}

/// The form of an option's value in an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Written {
    /// A plain value, which is checked.
    Checked,
    /// A value in `unchecked(…)`.
    Unchecked,
}
