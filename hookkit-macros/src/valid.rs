//! Checks that a function is a hook: all rules and their messages.

use hookkit_protocol::event::{self, Event};
use hookkit_protocol::lint::{self, or_list};
use hookkit_protocol::near_event;
use proc_macro2::Span;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Error, Ident, PatType, Path, ReturnType, Safety, Type, Visibility};

use crate::agents;
use crate::attr::{Attr, Krate, Text};
use crate::faults::Faults;
use crate::item::{Item, is_hook};
use crate::options::{self, Options, Requirement, What};
use crate::suggest::message;

/// A declaration without faults.
pub(crate) struct Hook {
    pub(crate) events: Vec<OnEvent>,
    pub(crate) name: String,
    pub(crate) options: Options,
    pub(crate) krate: Option<Path>,
}

/// A hook on one of its events.
pub(crate) struct OnEvent {
    pub(crate) event: Ident,
    pub(crate) requirements: Vec<Requirement>,
}

/// Checks a declaration. All of its faults are reported together.
pub(crate) fn check(mut attr: Attr, item: &Item) -> syn::Result<Hook> {
    let mut faults = std::mem::take(&mut attr.faults);
    check_function(item, &mut faults);
    let mut events: Vec<(&Ident, &'static Event)> = Vec::new();
    let written = std::mem::take(&mut attr.events);
    for event in &written {
        if events.iter().any(|(other, _)| *other == event) {
            faults.add(event.span(), format_args!("`{event}` is named twice; keep one"));
            continue;
        }
        takes_its_event_once(event, item, &mut faults);
        let facts = faults.take(find_event(event));
        if let Some(watching) = facts.filter(|facts| attr.matcher.is_none() && facts.watches_by_matcher()) {
            faults.add(event.span(), message(&lint::unwatched(watching)));
        }
        events.extend(facts.map(|facts| (event, facts)));
    }
    let facts: Vec<&'static Event> = events.iter().map(|(_, facts)| *facts).collect();
    agents::check(&attr, &events, &mut faults);
    let (name, krate) = (attr.name.take(), attr.krate.take());
    let (options, mut requirements) = options::check(attr, &facts, &mut faults);
    if let Some(first) = item.arguments().next() {
        for (event, requirements) in facts.iter().zip(&mut requirements) {
            requirements.extend(event.only_tools().map(|tools| Requirement {
                what: What::AdmitOne(tools),
                span: first.ty.span(),
                message: format!(
                    "`{0}` is raised only for {1}, and this type is for other tools, so the hook would never run on \
                     it: remove `{0}`, or use a type for one of these tools",
                    event.name,
                    or_list(tools, "and"),
                ),
            }));
        }
    }
    if let Some(second) = item.arguments().nth(1) {
        for requirements in &mut requirements {
            requirements.push(Requirement {
                what: What::Agree,
                span: second.ty.span(),
                message: "these two arguments are for different tools, so no call matches both; remove one".to_owned(),
            });
            requirements.push(Requirement {
                what: What::OneConfig,
                span: second.ty.span(),
                message: "a hook has one configuration; put both types into one".to_owned(),
            });
        }
    }
    if let ReturnType::Type(_, answer) = &item.sig.output {
        answer_fits(&facts, answer.span(), &mut requirements);
    }
    let name = faults.take(match &name {
        Some(Text(name)) => file_name(&name.value(), name.span()),
        None => file_name(&item.sig.ident.unraw().to_string().replace('_', "-"), item.sig.ident.span()),
    });
    faults.into_result()?;
    let events = events
        .into_iter()
        .zip(requirements)
        .map(|((event, _), requirements)| OnEvent { event: event.clone(), requirements });
    Ok(Hook { events: events.collect(), name: name.unwrap_or_default(), options, krate: krate.map(|Krate(path)| path) })
}

/// Requires on each event that the answer can replace the input or output of every tool on which the hook is called.
pub(crate) fn answer_fits(events: &[&'static Event], span: Span, requirements: &mut [Vec<Requirement>]) {
    let of_events = events.iter().zip(requirements);
    for (_, requirements) in of_events.filter(|(event, _)| event.evaluates_if()) {
        requirements.push(Requirement {
            what: What::ReplaceNothingElse,
            span,
            message:
                "the hook is called on tools that the answer's type does not cover: use one tool in both types, as in \
                 `PreToolUse<tool::Bash>` and `PreToolUseAnswer<tool::Bash>`, or name only that tool in the matcher"
                    .to_owned(),
        });
    }
}

pub(crate) fn find_event(written: &Ident) -> syn::Result<&'static Event> {
    let name = written.to_string();
    let names: Vec<&str> = event::EVENTS.iter().map(|event| event.name).collect();
    event::event(&name).ok_or_else(|| {
        let message = match near_event(&name) {
            Some(meant) => format!("there is no event `{name}`; did you mean `{meant}`?"),
            None => format!("there is no event `{name}`; there are {}", or_list(&names, "and")),
        };
        Error::new(written.span(), message)
    })
}

/// Checks a hook's name, which also names its binary.
pub(crate) fn file_name(name: &str, span: Span) -> syn::Result<String> {
    let is_plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
    if !name.is_empty() && name.chars().all(is_plain) && !name.starts_with('-') {
        return Ok(name.to_owned());
    }
    let plain: String = name.to_lowercase().replace(['_', ' '], "-");
    let plain: String = plain.trim_start_matches('-').chars().filter(|char| is_plain(*char)).collect();
    let example = if plain.is_empty() { "protect-keys" } else { &plain };
    Err(Error::new(
        span,
        format!(
            "`{name}` is not a valid name of a hook and its binary: use small letters, digits and `-`; \
             write `name = \"{example}\"`"
        ),
    ))
}

/// Rejects a second event argument: the two could be for different tools, and no call matches both.
fn takes_its_event_once(event: &Ident, item: &Item, faults: &mut Faults) {
    let is_event = |argument: &&PatType| match &*argument.ty {
        Type::Path(ty) => ty.path.segments.last().is_some_and(|last| last.ident == *event),
        _ => false,
    };
    if let Some(second) = item.arguments().filter(is_event).nth(1) {
        faults.add(second.span(), format_args!("a hook takes its event once; remove this `{event}`"));
    }
}

fn check_function(item: &Item, faults: &mut Faults) {
    let sig = &item.sig;
    if let Some(second) = item.attrs.iter().find(|attr| is_hook(attr)) {
        faults.add(second.span(), "a function is only one hook; write another function that calls this one");
    }
    if !matches!(item.vis, Visibility::Public(_)) {
        let span = match &item.vis {
            Visibility::Inherited => sig.fn_token.span,
            narrower => narrower.span(),
        };
        faults.add(span, "a hook's binary is built from outside its crate; write `pub fn`");
    }
    let mut remove = |tokens: Option<&dyn ToTokens>, what: &str| {
        if let Some(tokens) = tokens {
            let span = tokens.to_token_stream().span();
            faults.add(span, format_args!("a hook is a plain function; remove {what}"));
        }
    };
    remove(sig.constness.as_ref().map(|token| token as _), "`const`");
    remove(sig.asyncness.as_ref().map(|token| token as _), "`async`");
    remove((!matches!(sig.safety, Safety::Default)).then_some(&sig.safety as _), "`unsafe`");
    remove(sig.abi.as_ref().map(|token| token as _), "the ABI");
    remove((!sig.generics.params.is_empty()).then_some(&sig.generics as _), "the generics");
    if let Some(receiver) = sig.receiver() {
        faults.add(receiver.span(), "a hook is a plain function; move it out of the `impl`");
    }
    for argument in item.arguments() {
        if let Some(condition) = argument.attrs.iter().find(|attr| attr.path().is_ident("cfg")) {
            faults.add(condition.span(), "an argument cannot have a `cfg`; put it on the function");
        }
    }
}
