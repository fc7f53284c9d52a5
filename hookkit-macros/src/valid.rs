//! Is it a hook? Every rule and every message.

use hookkit_protocol::event::{self, Event};
use proc_macro2::Span;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Error, FnArg, Ident, LitInt, LitStr, Path, Safety, Visibility};

use crate::attr::Attr;
use crate::faults::Faults;
use crate::item::Item;
use crate::suggest::{near, or_list};
use crate::{condition, matcher};

/// A declaration without faults.
pub(crate) struct Hook {
    pub(crate) event: Ident,
    pub(crate) name: String,
    pub(crate) matcher: Option<Matcher>,
    pub(crate) condition: Option<String>,
    pub(crate) timeout: Option<u32>,
    pub(crate) status_message: Option<String>,
    pub(crate) krate: Option<Path>,
}

pub(crate) struct Matcher {
    pub(crate) text: String,
    /// The tools that it admits, as far as they are known; none where it is not to be checked.
    pub(crate) admitted: Vec<String>,
    pub(crate) span: Span,
}

/// The events that hookkit has types for.
const TYPED: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "Notification",
    "UserPromptSubmit",
    "SessionStart",
    "Stop",
];

/// Checks a declaration; all its faults are reported together.
pub(crate) fn check(attr: Attr, item: &Item) -> syn::Result<Hook> {
    let mut faults = attr.faults;
    check_function(item, &mut faults);
    let event = faults.take(find_event(&attr.event));
    let checked = attr.matcher.as_ref().filter(|matcher| !matcher.is_unchecked);
    let checked = checked.map(|matcher| (matcher.text.value(), matcher.text.span()));
    if let (Some(event), Some((text, span))) = (event, &checked) {
        matcher::check(event, text, *span, &mut faults);
    }
    if let (Some(event), Some(condition)) = (event, &attr.condition) {
        let matcher = checked.as_ref().map(|(text, _)| text.as_str());
        condition::check(event, &condition.value(), matcher, condition.span(), &mut faults);
    }
    let timeout = attr.timeout.as_ref().and_then(|timeout| faults.take(seconds(timeout)));
    let name = attr.name.as_ref().and_then(|name| faults.take(file_name(name)));
    faults.into_result()?;
    let admitted = match (event, &checked) {
        (Some(event), Some((text, _))) => matcher::admitted(event, text),
        _ => Vec::new(),
    };
    let matcher = attr.matcher.map(|matcher| Matcher {
        text: matcher.text.value(),
        admitted,
        span: matcher.text.span(),
    });
    Ok(Hook {
        event: attr.event,
        name: name.unwrap_or_else(|| item.sig.ident.unraw().to_string().replace('_', "-")),
        matcher,
        condition: attr.condition.map(|condition| condition.value()),
        timeout,
        status_message: attr.status_message.map(|message| message.value()),
        krate: attr.krate,
    })
}

fn find_event(written: &Ident) -> syn::Result<&'static Event> {
    let name = written.to_string();
    let known = event::event(&name);
    if let Some(event) = known.filter(|event| TYPED.contains(&event.name)) {
        return Ok(event);
    }
    let typed = or_list(TYPED, "and");
    let message = if known.is_some() {
        format!("hookkit has no types for the event `{name}` yet; it has them for {typed}")
    } else {
        match near(&name, event::EVENTS.iter().map(|event| event.name)) {
            Some(meant) => format!("there is no event `{name}`; did you mean `{meant}`?"),
            None => format!("there is no event `{name}`; hookkit has types for {typed}"),
        }
    };
    Err(Error::new(written.span(), message))
}

/// A timeout that somebody can have meant. The client waits 600 s where there is none.
fn seconds(timeout: &LitInt) -> syn::Result<u32> {
    let fault = |message: String| Err(Error::new(timeout.span(), message));
    let Ok(seconds) = timeout.base10_parse::<u32>() else {
        return fault("a timeout is a whole number of seconds".to_owned());
    };
    if !timeout.suffix().is_empty() {
        return fault("a timeout is a number of seconds; write it without a unit".to_owned());
    }
    match seconds {
        // The client drops the whole settings file for it, where the event is PreToolUse (client 2.1.330).
        0 => fault(
            "a timeout is at least one second; without `timeout` the client waits as long as it does by default"
                .to_owned(),
        ),
        1000.. if seconds % 500 == 0 => fault(format!(
            "a timeout is in seconds, and {seconds} of them are {} minutes; for milliseconds write `timeout = {}`",
            seconds / 60,
            seconds.div_ceil(1000)
        )),
        7201.. => fault(format!(
            "a timeout is in seconds, and {seconds} of them are more than two hours, in which Claude would wait"
        )),
        _ => Ok(seconds),
    }
}

/// A hook's name, which is that of its binary, too.
fn file_name(name: &LitStr) -> syn::Result<String> {
    let text = name.value();
    let is_plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
    if !text.is_empty() && text.chars().all(is_plain) && !text.starts_with('-') {
        return Ok(text);
    }
    let plain: String = text.to_lowercase().replace(['_', ' '], "-");
    let plain: String = plain
        .trim_start_matches('-')
        .chars()
        .filter(|char| is_plain(*char))
        .collect();
    let example = if plain.is_empty() { "protect-keys" } else { &plain };
    Err(Error::new(
        name.span(),
        format!("a hook's name is also its binary's: small letters, digits and `-`, as in `{example}`"),
    ))
}

fn check_function(item: &Item, faults: &mut Faults) {
    let sig = &item.sig;
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
    remove(
        (!matches!(sig.safety, Safety::Default)).then_some(&sig.safety as _),
        "`unsafe`",
    );
    remove(sig.abi.as_ref().map(|token| token as _), "the ABI");
    remove(
        (!sig.generics.params.is_empty()).then_some(&sig.generics as _),
        "the generics",
    );
    for input in &sig.inputs {
        if let FnArg::Receiver(receiver) = input {
            faults.add(receiver.span(), "a hook is a plain function; move it out of the `impl`");
        }
    }
}
