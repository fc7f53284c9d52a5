//! A hook's definition: plain const data.

use hookkit_protocol::event as facts;
use hookkit_protocol::matcher::Matcher;

use crate::json::{PayloadWants, Wants};
use crate::payload::EVENT_NAME;
use crate::{Error, Payload, Response};

/// A hook as its attribute declares it: plain data, from which the binary, the settings entries and the listing come.
#[derive(Debug)]
#[non_exhaustive]
pub struct HookDef {
    /// The function's name in kebab-case; the binary's name, too.
    pub name: &'static str,
    /// The function's doc comment.
    pub description: &'static str,
    /// The events it is called on: one, for nearly every hook.
    pub entries: &'static [Entry],
    /// A permission rule that a tool's call must fit, too: the client's `if`.
    pub condition: Option<&'static str>,
    /// How long the client waits, in seconds. `None`: as long as the event's default.
    pub timeout: Option<u32>,
    /// What the user sees while the hook runs, instead of its command.
    pub status_message: Option<&'static str>,
    /// What happens to the action at hand when the hook fails.
    pub on_failure: OnFailure,
    /// Whether the client waits for it.
    pub mode: Mode,
    /// The function's path, from its crate on: `acme_guards::files::protect_env`.
    pub path: &'static str,
    /// How a failure refuses, if it does. Who lets the action go on does not link the way to refuse it.
    pub(crate) refusal: Option<RefusalOf>,
}

/// The JSON by which a hook that was called as one of these entries refuses; see [`refusal_of`](crate::answer::refusal_of).
pub(crate) type RefusalOf = fn(&[Entry]) -> &'static [&'static str];

/// What a hook is on one of its events: an entry in the settings.
#[derive(Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The event.
    pub event: &'static facts::Event,
    /// Which of those events, in the client's matcher language. `None`: all of them.
    pub matcher: Option<&'static str>,
    /// Whether the settings say `onFailure: "block"`, too: the client then refuses even where the process never starts, or
    /// is killed.
    ///
    /// So it is where the author wrote `on_failure = block` and the client heeds it on this event.
    pub blocks_in_settings: bool,
    /// The matcher, read beforehand.
    pub(crate) filter: Matcher<'static>,
    pub(crate) call: fn(&Payload<'_>) -> Result<Response, Error>,
    /// What the function's arguments are decoded from.
    pub(crate) wants: &'static [fn(&mut PayloadWants)],
}

impl HookDef {
    /// Which members of a payload it takes to answer it, whichever its event is.
    pub(crate) fn wants(&self) -> PayloadWants {
        let mut wants = PayloadWants::new();
        for entry in self.entries {
            entry.add_wants(&mut wants);
        }
        wants
    }
}

impl Entry {
    /// Which members of a payload it takes to answer it.
    pub(crate) fn wants(&self) -> PayloadWants {
        let mut wants = PayloadWants::new();
        self.add_wants(&mut wants);
        wants
    }

    fn add_wants(&self, wants: &mut PayloadWants) {
        for name in [Some(EVENT_NAME), self.event.matcher_target.field()]
            .into_iter()
            .flatten()
        {
            wants.add_member(name, Wants::All);
        }
        for add in self.wants {
            add(wants);
        }
    }
}

/// Whether the client waits for a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// It waits, and heeds the answer.
    Awaited,
    /// It goes on at once. What the hook has to say reaches the model later (`async`).
    Async,
    /// It goes on at once, and the hook can wake the model (`asyncRewake`).
    AsyncRewake,
}

#[cfg(feature = "registry")]
impl Mode {
    /// The handler's field in the settings that says so.
    pub(crate) const fn field(self) -> Option<&'static str> {
        match self {
            Self::Awaited => None,
            Self::Async => Some("async"),
            Self::AsyncRewake => Some("asyncRewake"),
        }
    }
}

/// What happens to the action at hand when a hook fails instead of answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnFailure {
    /// The action is refused. The default of a hook that answers on PreToolUse or WorktreeCreate.
    Block,
    /// The action goes on. The default of any other hook.
    Continue,
}

impl OnFailure {
    /// As listings have it.
    #[cfg(feature = "registry")]
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Continue => "continue",
        }
    }

    /// The exit code that says so to the client: 2 blocks, any other lets the action go on.
    pub(crate) const fn exit_code(self) -> u8 {
        match self {
            Self::Block => 2,
            Self::Continue => 1,
        }
    }
}

/// A function under `#[hook]`.
///
/// The attribute implements it for a type of the function's name, so that `respond(my_hook::DEF, …)` finds its definition
/// beside the function itself.
pub trait Hook {
    /// The hook's definition.
    const DEF: &'static HookDef;

    /// What the attribute knows beside it.
    #[doc(hidden)]
    const DECLARED: crate::__private::Declared;
}
