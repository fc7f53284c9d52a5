//! A hook's definition: plain const data.

use hookkit_protocol::event as facts;
use hookkit_protocol::hook::Declaration;
use hookkit_protocol::matcher::Matcher;

use crate::failure::FailureAnswer;
use crate::json::{PayloadWants, Wants};
use crate::payload::EVENT_NAME;
use crate::{Error, Payload, Response};

/// A hook as its attribute declares it: plain data, from which the binary, the settings entries and the listing come.
#[derive(Debug)]
#[non_exhaustive]
pub struct HookDef {
    /// The options of the attribute, and the name and place of the function.
    pub declared: Declaration,
    /// The events it is called on: one, for nearly every hook.
    pub entries: &'static [Entry],
    /// The values that a workspace configures, as JSON; `None`: those of its author.
    pub config: Option<&'static str>,
    /// The answer where it fails, if its policy has one.
    pub(crate) failure_answer: Option<&'static FailureAnswer>,
}

/// What a hook is on one of its events: an entry in the settings.
#[derive(Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The event.
    pub event: &'static facts::Event,
    /// Which of those events, in the client's matcher language. `None`: all of them.
    pub matcher: Option<&'static str>,
    /// Set where the settings say `onFailure: "block"`; see
    /// [`OnFailure::blocks_in_settings`](crate::OnFailure::blocks_in_settings).
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
        let mut wants = PayloadWants::nothing();
        for entry in self.entries {
            entry.add_wants(&mut wants);
        }
        wants
    }
}

impl Entry {
    /// Which members of a payload it takes to answer it.
    pub(crate) fn wants(&self) -> PayloadWants {
        let mut wants = PayloadWants::nothing();
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

/// A function under `#[hook]`.
///
/// The attribute implements it for a type of the function's name, so that `respond(my_hook::DEF, …)` finds its definition
/// beside the function itself.
pub trait Hook {
    /// The hook's definition.
    const DEF: &'static HookDef;

    /// The rest of what the attribute knows.
    #[doc(hidden)]
    const SOURCE: crate::__private::Source;
}
