//! A hook's definition: plain const data.

use hookkit_protocol::event as facts;
use hookkit_protocol::hook::{Declaration, Written};
use hookkit_protocol::is_same;
use hookkit_protocol::matcher::Matcher;

use crate::config::ConfigType;
use crate::failure::FailureAnswer;
use crate::json::{PayloadProjection, Projection};
use crate::matching::TypeMatcher;
use crate::payload::EVENT_NAME;
use crate::{Error, Event, Mode, OnFailure, Payload, Response};

/// A hook as its attribute declares it: plain data for the binary, the settings entries and the listing.
#[derive(Debug)]
#[non_exhaustive]
pub struct HookDef {
    /// The options of the attribute, and the function's name and path.
    pub declared: Declaration,
    /// The hook's events with their entries. Nearly every hook has only one.
    pub entries: &'static [Entry],
    /// The configuration that the workspace sets, as JSON; `None` for the author's values.
    pub config: Option<&'static str>,
    /// The answer after a failure, if the policy has one.
    pub(crate) failure_answer: Option<&'static FailureAnswer>,
}

/// A hook on one of its events: an entry in the settings.
#[derive(Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The event.
    pub event: &'static facts::Event,
    /// Matcher in the client's syntax; `None` matches all.
    pub matcher: Option<&'static str>,
    /// `true` if the settings entry has `onFailure: "block"`; see
    /// [`OnFailure::blocks_in_settings`](crate::OnFailure::blocks_in_settings).
    pub blocks_in_settings: bool,
    /// `true` if the type of the answer can replace the tool's input or output.
    pub(crate) rewrites: bool,
    /// The parsed matcher.
    pub(crate) filter: Matcher<'static>,
    pub(crate) call: fn(&Payload<'_>) -> Result<Response, Error>,
    /// Members from which the function's arguments are decoded.
    pub(crate) projection: &'static [fn(&mut PayloadProjection)],
}

impl HookDef {
    /// Returns the members of a payload that the hook reads, on any of its events.
    pub(crate) fn projection(&self) -> PayloadProjection {
        let mut projection = PayloadProjection::nothing();
        for entry in self.entries {
            entry.add_projection(&mut projection);
        }
        projection
    }
}

impl Entry {
    /// Returns the members of a payload that the hook reads.
    pub(crate) fn projection(&self) -> PayloadProjection {
        let mut projection = PayloadProjection::nothing();
        self.add_projection(&mut projection);
        projection
    }

    fn add_projection(&self, projection: &mut PayloadProjection) {
        for name in [Some(EVENT_NAME), self.event.matcher_target.field()].into_iter().flatten() {
            projection.add_member(name, Projection::All);
        }
        for add in self.projection {
            add(projection);
        }
    }
}

/// A function with the attribute `#[hook]`.
///
/// The attribute implements it for a type with the function's name, so that `my_hook::DEF` is the definition of the
/// function `my_hook`.
pub trait Hook {
    /// The hook's definition.
    const DEF: &'static HookDef;

    /// Facts about the function that a workspace needs to override the hook.
    #[doc(hidden)]
    const SOURCE: Declared;
}

/// Facts about a function that a workspace needs to override its hook.
pub struct Declared {
    /// Matchers implied by the function's types, per event of the hook.
    pub types: &'static [Types],
    /// The matcher that the author wrote. The default comes from the types.
    pub matcher: Option<Written>,
    /// The `if` that the author wrote.
    pub condition: Option<Written>,
    /// Configuration type of each argument, if it is a configuration.
    pub config: &'static [OptionalConfig],
    /// Reason why each argument needs the user's machine, if it does.
    pub local: &'static [Option<&'static str>],
    /// Type name of each argument that only Claude Code provides.
    pub of_claude: &'static [Option<&'static str>],
}

impl Declared {
    /// Returns the reason why the hook cannot answer over HTTP; `None` if it can.
    pub const fn keeps_local(&self, hook: &HookDef) -> Option<&'static str> {
        if !matches!(hook.declared.mode, Mode::Awaited) {
            return Some("over HTTP, the client ignores `async` and waits for the hook");
        }
        let mut entries = hook.entries;
        while let [entry, rest @ ..] = entries {
            if !entry.event.has_handler_type("http") {
                return Some("the client does not call hooks over HTTP on SessionStart and Setup");
            }
            if matches!(entry.event.denial, facts::Denial::Fail) {
                return Some("a hook on WorktreeCreate answers with a path on the user's machine");
            }
            entries = rest;
        }
        let mut local = self.local;
        while let [first, rest @ ..] = local {
            if first.is_some() {
                return *first;
            }
            local = rest;
        }
        None
    }
}

/// The matchers of a function's types on an event; `None` matches all.
pub struct Types {
    /// Matchers of the arguments.
    pub arguments: &'static [TypeMatcher],
    /// Matcher of the answer.
    pub answer: TypeMatcher,
}

/// A declaration with empty fields, to be filled in.
pub const UNDECLARED: Declaration = Declaration {
    name: "",
    description: "",
    condition: None,
    timeout: None,
    status_message: None,
    agents: None,
    on_failure: OnFailure::Continue,
    mode: Mode::Awaited,
    path: "",
    package: "",
    package_version: "",
};

/// Makes the definition of a hook.
pub const fn define(declared: Declaration, entries: &'static [Entry], config: Option<&'static str>) -> HookDef {
    // Usually the attribute reports this first, with a better message.
    if let (OnFailure::Ask, [first, rest @ ..]) = (declared.on_failure, entries) {
        let is_call = is_same(first.event.name.as_bytes(), facts::PRE_TOOL_USE.name.as_bytes());
        assert!(
            is_call && rest.is_empty() && matches!(declared.mode, Mode::Awaited),
            "`on_failure = ask` is possible on `PreToolUse` only"
        );
    }
    HookDef { failure_answer: FailureAnswer::of(declared.on_failure), declared, entries, config }
}

/// Makes the entry of a hook on `E`, given the `on_failure` that its author wrote.
pub const fn entry<E: Event>(
    matcher: Option<&'static str>,
    on_failure: Option<OnFailure>,
    rewrites: bool,
    call: fn(&Payload<'_>) -> Result<Response, Error>,
    projection: &'static [fn(&mut PayloadProjection)],
) -> Entry {
    Entry {
        event: E::FACTS,
        matcher,
        filter: filter(matcher, E::FACTS),
        blocks_in_settings: match on_failure {
            Some(policy) => policy.blocks_in_settings(E::FACTS),
            None => false,
        },
        rewrites,
        call,
        projection,
    }
}

/// Parses a matcher.
const fn filter(matcher: Option<&'static str>, event: &'static facts::Event) -> Matcher<'static> {
    match matcher {
        Some(matcher) => Matcher::new(matcher, event),
        None => Matcher::All,
    }
}

/// Makes the entry of a hook whose matcher or failure policy a workspace overrides. `None` keeps the author's value.
pub const fn override_entry(entry: &Entry, matcher: Option<&'static str>, on_failure: Option<OnFailure>) -> Entry {
    let matcher = match matcher {
        None => entry.matcher,
        changed => changed,
    };
    Entry {
        event: entry.event,
        matcher,
        filter: filter(matcher, entry.event),
        blocks_in_settings: match on_failure {
            Some(policy) => policy.blocks_in_settings(entry.event),
            None => entry.blocks_in_settings,
        },
        rewrites: entry.rewrites,
        call: entry.call,
        projection: entry.projection,
    }
}

/// The type of an argument's configuration; `None` if the argument is not one.
pub type OptionalConfig = Option<&'static ConfigType>;

/// Returns `true` if at most one argument is a configuration.
pub const fn is_one(configs: &[OptionalConfig]) -> bool {
    let (mut rest, mut count) = (configs, 0);
    while let [config, others @ ..] = rest {
        if config.is_some() {
            count += 1;
        }
        rest = others;
    }
    count <= 1
}
