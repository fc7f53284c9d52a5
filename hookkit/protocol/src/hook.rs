//! The declaration of a hook: one record, from the attribute to the settings.
//!
//! The attribute makes it, the binary carries it, the lister prints it (feature `serde`), and a workspace changes it.

use crate::event::Event;

/// The options of a hook's attribute, with the name and the place of its function.
///
/// `S` is its text: `&'static str` in a binary, `String` where it was read.
/// It gets fields with minor versions; it is not `#[non_exhaustive]` so that hookkit's own crates can make one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Declaration<S = &'static str> {
    /// The hook's name, which is that of its binary, too: its function's in kebab-case, unless the attribute gives another.
    pub name: S,
    /// The function's doc comment.
    pub description: S,
    /// A permission rule that a tool's call must match, too: the client's `if`.
    #[cfg_attr(feature = "serde", serde(rename = "if"))]
    pub condition: Option<S>,
    /// The client's patience, in seconds. `None`: the default of the event.
    pub timeout: Option<u32>,
    /// The text that the user sees while the hook runs, in place of its command.
    pub status_message: Option<S>,
    /// The failure policy.
    pub on_failure: OnFailure,
    /// `true` if the client waits for the hook.
    #[cfg_attr(feature = "serde", serde(default))]
    pub mode: Mode,
    /// The function's path, from its crate on: `acme_guards::files::protect_env`.
    pub path: S,
    /// The package of that crate, as its Cargo.toml names it.
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
    /// The matcher of the entry, in the client's language. `None`: the hook runs each time.
    pub matcher: Option<S>,
    /// Set where the settings say `onFailure: "block"`; see [`OnFailure::blocks_in_settings`].
    pub blocks_in_settings: bool,
}

impl<S: AsRef<str>> OnEvent<S> {
    /// The facts of the event, if it is known here.
    pub fn facts(&self) -> Option<&'static Event> {
        crate::event::event(self.event.as_ref())
    }
}

/// The failure policy of a hook: what happens to the action at hand when the hook fails instead of answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum OnFailure {
    /// The action is denied. The default of a hook that answers on PreToolUse or WorktreeCreate.
    Block,
    /// The user is asked whether the call may run, with the failure as the reason; on PreToolUse alone. Where the client
    /// cannot ask, the call is denied: in print mode, and where the hook cannot even start (client 2.1.330).
    Ask,
    /// The action goes on. The default of any other hook.
    Continue,
}

impl OnFailure {
    /// Every policy.
    pub const ALL: &[Self] = &[Self::Block, Self::Ask, Self::Continue];

    /// Its word in the attribute, in Cargo.toml and in listings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Ask => "ask",
            Self::Continue => "continue",
        }
    }

    /// The policy of this word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|policy| policy.word() == word)
    }

    /// The exit code that enforces it where nothing else of the hook reaches the client: 2 blocks, and with any other
    /// code the action goes on.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Block | Self::Ask => 2,
            Self::Continue => 1,
        }
    }

    /// Returns whether an entry of the settings says `onFailure: "block"`, where the author wrote this policy for a hook on
    /// this event: the client [honors](Event::honors_on_failure) it there.
    ///
    /// It then denies even where the process never starts, or is killed.
    pub const fn blocks_in_settings(self, event: &Event) -> bool {
        match self {
            Self::Block | Self::Ask => event.honors_on_failure(),
            Self::Continue => false,
        }
    }
}

/// `true` if the client waits for a hook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub enum Mode {
    /// It waits, and honors the answer.
    #[default]
    Awaited,
    /// It goes on at once. The hook's text reaches the model later (`async`).
    Async,
    /// It goes on at once, and the hook can wake the model (`asyncRewake`).
    AsyncRewake,
}

impl Mode {
    /// The key of a handler in the settings that says so.
    pub const fn key(self) -> Option<&'static str> {
        match self {
            Self::Awaited => None,
            Self::Async => Some("async"),
            Self::AsyncRewake => Some("asyncRewake"),
        }
    }

    /// The option of the attribute that says so.
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
    /// As it is.
    Checked,
    /// In `unchecked(…)`.
    Unchecked,
}
