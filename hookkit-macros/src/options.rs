//! Checks that the options have an effect on the hook's events.

use hookkit_protocol::event::{Background, Denial, EVENTS, Event, MatcherTarget, PRE_TOOL_USE};
use hookkit_protocol::hook::{Mode, OnFailure};
use hookkit_protocol::lint::{self, Origin, or_list};
use hookkit_protocol::matcher::Matcher;
use proc_macro2::Span;
use syn::{Error, LitInt, LitStr};

use crate::agents;
use crate::attr::{At, Attr, Literal, Text, Value};
use crate::faults::Faults;
use crate::suggest::message;

/// The options of a hook, without faults.
pub(crate) struct Options {
    pub(crate) matcher: Option<Value<LitStr>>,
    /// The option `if`.
    pub(crate) condition: Option<Value<LitStr>>,
    pub(crate) timeout: Option<u32>,
    pub(crate) status_message: Option<String>,
    pub(crate) on_failure: Option<OnFailure>,
    pub(crate) mode: Mode,
    pub(crate) agents: Option<String>,
}

/// Returns the mode that the flags select.
fn mode(asynchronous: Option<Span>, rewake: Option<Span>, faults: &mut Faults) -> Mode {
    match (asynchronous, rewake) {
        (None, None) => Mode::Awaited,
        (Some(_), None) => Mode::Async,
        (None, Some(_)) => Mode::AsyncRewake,
        (Some(superfluous), Some(_)) => {
            faults.add(superfluous, "`async_rewake` includes `async`; remove `async`");
            Mode::AsyncRewake
        }
    }
}

/// A requirement on the types of the arguments, which rustc checks in a constant.
#[derive(Clone)]
pub(crate) struct Requirement {
    pub(crate) what: What,
    pub(crate) span: Span,
    /// Message if the requirement is not met.
    pub(crate) message: String,
}

#[derive(Clone)]
pub(crate) enum What {
    /// The arguments can decode the inputs of all of these tools.
    Admit(Vec<String>),
    /// The arguments are for this tool or for any tool, but not for others. If they cannot decode the tool's input at
    /// all, that is another error.
    ForNoOther(String),
    /// The arguments can decode the input of one of these tools.
    AdmitOne(&'static [&'static str]),
    /// The arguments are not for different tools.
    Agree,
    /// At most one argument is a configuration.
    OneConfig,
    /// The answer can replace something of every tool on which the hook is called.
    ReplaceNothingElse,
    /// The answer replaces nothing.
    ReplaceNothing,
}

/// Checks the options on all events together. Returns the requirements on the arguments for each event.
pub(crate) fn check(attr: Attr, events: &[&'static Event], faults: &mut Faults) -> (Options, Vec<Vec<Requirement>>) {
    let mode = mode(attr.asynchronous, attr.async_rewake, faults);
    let is_matcher_sound = check_matcher(&attr, events, faults);
    check_condition(&attr, events, is_matcher_sound, faults);
    if let Some(At { value, span }) = &attr.on_failure
        && let Some(fault) = fault_of_policy(*value, events, mode)
    {
        faults.add(*span, fault);
    }
    check_mode(&attr, events, mode, faults);
    let requirements = events.iter().map(|event| match is_matcher_sound {
        true => [requirements(&attr, event), agents::requirements(&attr, event)].concat(),
        false => Vec::new(),
    });
    let requirements = requirements.collect();
    let options = Options {
        timeout: attr.timeout.as_ref().and_then(|timeout| faults.take(seconds(timeout))),
        matcher: attr.matcher,
        condition: attr.condition,
        status_message: attr.status_message.map(|Text(message)| message.value()),
        on_failure: attr.on_failure.map(|on_failure| on_failure.value),
        mode,
        agents: attr.agents.map(|Text(agents)| agents.value()),
    };
    (options, requirements)
}

/// Parses a timeout in a plausible range.
fn seconds(timeout: &Value<LitInt>) -> syn::Result<u32> {
    let fault = |message: String| Err(Error::new(timeout.literal.span(), message));
    let seconds = match timeout.literal.base10_parse::<u32>() {
        Ok(seconds) if timeout.literal.suffix().is_empty() => seconds,
        _ => return fault(LitInt::wanted(&timeout.literal.to_string())),
    };
    match lint::timeout(seconds, Origin::Attribute) {
        Err(found) if !(timeout.is_unchecked && found.may_be_intended) => fault(message(&found)),
        _ => Ok(seconds),
    }
}

/// Returns a value, unless it is unchecked.
fn checked<V>(value: Option<&Value<V>>) -> Option<&V> {
    value.filter(|value| !value.is_unchecked).map(|value| &value.literal)
}

/// Returns the events for which `holds` returns `true`, as text for a fault; `None` if there are none.
fn those(events: &[&'static Event], holds: impl Fn(&Event) -> bool) -> Option<String> {
    let names: Vec<&str> = events.iter().filter(|event| holds(event)).map(|event| event.name).collect();
    (!names.is_empty()).then(|| or_list(&names, "and"))
}

/// Returns the events that an option does not fit, and the fix; `None` if it fits all events.
fn unfit(events: &[&'static Event], fits: impl Fn(&Event) -> bool) -> Option<(String, &'static str)> {
    let unfit = those(events, |event| !fits(event))?;
    let fits_one = events.iter().any(|event| fits(event));
    Some((unfit, if fits_one { "write a hook for each event" } else { "remove it" }))
}

fn check_matcher(attr: &Attr, events: &[&'static Event], faults: &mut Faults) -> bool {
    let Some(literal) = checked(attr.matcher.as_ref()) else {
        return true;
    };
    let (text, span) = (literal.value(), literal.span());
    if let Some((ignoring, fix)) = unfit(events, |event| event.matcher_target != MatcherTarget::Ignored) {
        faults
            .add(span, format_args!("the client ignores a matcher on {ignoring}: the hook would run each time; {fix}"));
        return false;
    }
    if let [first, others @ ..] = events
        && let Some(other) = others.iter().find(|other| subject(other) != subject(first))
        && Matcher::new(&text, first) != Matcher::All
    {
        faults.add(
            span,
            format_args!(
                "`{}` is matched on {}, `{}` on {}, and one matcher cannot fit both; write a hook for each event",
                first.name,
                subject(first),
                other.name,
                subject(other)
            ),
        );
        return false;
    }
    let mut is_sound = true;
    for event in events {
        let mut of_event = Faults::default();
        is_sound &= is_sound_matcher(event, &text, span, &mut of_event);
        faults.add_new(of_event);
    }
    is_sound
}

/// Returns `true` if a matcher on one event has no faults. Reports the faults.
pub(crate) fn is_sound_matcher(event: &Event, text: &str, span: Span, faults: &mut Faults) -> bool {
    let found = lint::matcher(event, text, Origin::Attribute);
    for fault in &found {
        faults.add(span, message(fault));
    }
    found.is_empty()
}

/// Returns the value that an event's matcher is compared with.
fn subject(event: &Event) -> String {
    match event.matcher_target {
        MatcherTarget::ToolName => "the tool".to_owned(),
        MatcherTarget::Field { name, .. } => format!("its `{name}`"),
        MatcherTarget::FileName => "the file's name".to_owned(),
        MatcherTarget::Model => "the model".to_owned(),
        MatcherTarget::Ignored => "nothing".to_owned(),
    }
}

fn check_condition(attr: &Attr, events: &[&'static Event], is_matcher_sound: bool, faults: &mut Faults) {
    let Some(literal) = checked(attr.condition.as_ref()) else {
        return;
    };
    if let Some((ignoring, fix)) = unfit(events, Event::evaluates_if) {
        faults.add(
            literal.span(),
            format_args!(
                "the client never runs a hook with an `if` on {ignoring}: an `if` is only for events of tools; {fix}"
            ),
        );
        return;
    }
    let matcher = attr.matcher.as_ref().filter(|matcher| is_matcher_sound && !matcher.is_unchecked);
    let matcher = matcher.map(|matcher| matcher.literal.value());
    if let Some(event) = events.first() {
        // The result is the same on all tool events.
        let checked = lint::condition(event, &literal.value(), matcher.as_deref(), Origin::Attribute);
        if let Err(fault) = checked {
            faults.add(literal.span(), message(&fault));
        }
    }
}

/// Returns the reason why a failure cannot have the outcome that the author chose; `None` if it can.
fn fault_of_policy(policy: OnFailure, events: &[&'static Event], mode: Mode) -> Option<String> {
    let can_block = |event: &Event| event.denial != Denial::Impossible;
    let can_ask = |event: &Event| *event == PRE_TOOL_USE;
    Some(match policy {
        OnFailure::Block if mode != Mode::Awaited => {
            "the client does not wait for this hook, so its failure cannot block anything; remove this, or the `async`"
                .to_owned()
        }
        OnFailure::Block => {
            let ignoring = those(events, |event| !can_block(event))?;
            if events.iter().any(|event| can_block(event)) {
                format!("a failure on {ignoring} cannot block: write a hook for each event")
            } else {
                let blockable = those(EVENTS, can_block).unwrap_or_default();
                format!("a failure on {ignoring} cannot block, only on {blockable}: remove this")
            }
        }
        OnFailure::Ask if mode != Mode::Awaited => {
            "the client does not wait for this hook, so its failure cannot ask the user; remove this, or the `async`"
                .to_owned()
        }
        OnFailure::Ask => {
            let ignoring = those(events, |event| !can_ask(event))?;
            let fix = if events.iter().any(|event| can_ask(event)) {
                "write a hook for each event"
            } else if events.iter().all(|event| can_block(event) && event.denial != Denial::Fail) {
                "write `block` or `continue`; only `PreToolUse` can ask"
            } else {
                "remove this; only `PreToolUse` can ask"
            };
            format!("a failure on {ignoring} cannot ask the user: {fix}")
        }
        OnFailure::Continue => {
            let worker = those(events, |event| event.denial == Denial::Fail)?;
            format!("a hook on {worker} does the work itself, so if it fails, the work fails: remove this")
        }
    })
}

fn check_mode(attr: &Attr, events: &[&'static Event], mode: Mode, faults: &mut Faults) {
    let Some(flag) = attr.asynchronous.or(attr.async_rewake) else {
        return;
    };
    if let Some(waited) = those(events, |event| event.background == Background::Ignored) {
        faults.add(flag, format_args!("the client always waits for a hook on {waited}; remove this"));
    }
    if let Some(failed) = those(events, |event| event.background == Background::Fails) {
        faults.add(
            flag,
            format_args!(
                "with this, the client ignores the hook's answer on {failed}, and without an answer the action fails; \
                 remove this"
            ),
        );
    }
    if let (Some(timeout), Mode::Async) = (&attr.timeout, mode) {
        faults.add(timeout.literal.span(), "the client does not limit the time of an `async` hook; remove `timeout`");
    }
}

fn requirements(attr: &Attr, event: &'static Event) -> Vec<Requirement> {
    if let Some(matcher) = &attr.matcher {
        return match checked(Some(matcher)) {
            Some(literal) => of_matcher(event, &literal.value(), literal.span()),
            None => Vec::new(),
        };
    }
    let Some(literal) = checked(attr.condition.as_ref()) else {
        return Vec::new();
    };
    let (text, span) = (literal.value(), literal.span());
    let tool = lint::tool_of_condition(&text);
    vec![
        Requirement {
            what: What::Admit(vec![tool.to_owned()]),
            span,
            message: format!(
                "the `if` holds only for `{tool}`, which is not among the tools of the event's type: \
                 the hook would never run; fix one of them"
            ),
        },
        Requirement {
            what: What::ForNoOther(tool.to_owned()),
            span,
            message: format!(
                "the `if` matches only `{tool}`, so the hook would never run on the type's other tools; write \
                 `matcher = \"{tool}\"`, or a hook for each tool"
            ),
        },
    ]
}

/// Requires that the arguments can decode the inputs of the tools that the matcher admits.
fn of_matcher(event: &'static Event, text: &str, span: Span) -> Vec<Requirement> {
    let fix = "narrow the matcher, or remove it to use the type's own";
    let admitted = lint::admitted(event, text);
    // A fault per tool names the tool; for very many tools, one fault is enough.
    if admitted.len() > 8 {
        let message =
            format!("the matcher `{text}` includes tools whose input the type of the event cannot hold; {fix}");
        return vec![Requirement { what: What::Admit(admitted), span, message }];
    }
    let each = admitted.into_iter().map(|tool| {
        // A file guard without notebooks leaves a gap.
        let first = if tool == "NotebookEdit" { "use `tool::TextChange`, which includes it, or " } else { "" };
        Requirement {
            message: format!(
                "the matcher `{text}` includes `{tool}`, but the type of the event cannot hold its input; {first}{fix}"
            ),
            what: What::Admit(vec![tool]),
            span,
        }
    });
    each.collect()
}
