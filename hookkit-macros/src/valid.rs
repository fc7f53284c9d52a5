//! Is it a hook? Every rule and every message.

use hookkit_protocol::event::{self, Event, MatcherTarget};
use proc_macro2::Span;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Error, FnArg, Ident, LitInt, LitStr, Safety, Visibility};

use crate::attr::Attr;
use crate::item::Item;

/// A declaration without faults.
pub(crate) struct Hook {
    pub(crate) event: Ident,
    pub(crate) name: String,
    pub(crate) matcher: Option<String>,
    pub(crate) timeout: Option<u32>,
}

/// Checks a declaration; all its faults are reported together.
pub(crate) fn check(attr: Attr, item: &Item) -> syn::Result<Hook> {
    let mut faults = Faults::default();
    check_function(item, &mut faults);
    let event = faults.take(find_event(&attr.event));
    if let (Some(event), Some(matcher)) = (event, &attr.matcher) {
        faults.take(matcher_has_a_target(event, matcher));
    }
    let timeout = attr.timeout.as_ref().and_then(|timeout| faults.take(seconds(timeout)));
    faults.into_result()?;
    Ok(Hook {
        event: attr.event,
        name: item.sig.ident.unraw().to_string().replace('_', "-"),
        matcher: attr.matcher.map(|matcher| matcher.value()),
        timeout,
    })
}

fn find_event(written: &Ident) -> syn::Result<&'static Event> {
    event::find(&written.to_string()).ok_or_else(|| {
        let known: Vec<&str> = event::EVENTS.iter().map(|event| event.name).collect();
        Error::new(
            written.span(),
            format!(
                "`{written}` is not an event that hookkit knows; it knows {}",
                known.join(", ")
            ),
        )
    })
}

fn matcher_has_a_target(event: &Event, matcher: &LitStr) -> syn::Result<()> {
    if event.matcher_target != MatcherTarget::Ignored {
        return Ok(());
    }
    let name = event.name;
    Err(Error::new(
        matcher.span(),
        format!("the client ignores a matcher on {name}: the hook would run each time; remove it"),
    ))
}

fn seconds(timeout: &LitInt) -> syn::Result<u32> {
    if !timeout.suffix().is_empty() {
        return Err(Error::new(
            timeout.span(),
            "a timeout is a number of seconds; write it without a unit",
        ));
    }
    let seconds = timeout.base10_parse()?;
    if seconds == 0 {
        // The client drops the whole settings file for it, where the event is PreToolUse (client 2.1.330).
        return Err(Error::new(
            timeout.span(),
            "a timeout is at least one second; without `timeout` the client waits as long as it does by default",
        ));
    }
    Ok(seconds)
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
            faults.add(span, &format!("a hook is a plain function; remove {what}"));
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

/// Collects faults, so that the author sees all of them at once.
#[derive(Default)]
struct Faults(Option<Error>);

impl Faults {
    fn add(&mut self, span: Span, message: &str) {
        self.push(Error::new(span, message));
    }

    fn push(&mut self, fault: Error) {
        match &mut self.0 {
            Some(all) => all.combine(fault),
            None => self.0 = Some(fault),
        }
    }

    fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|fault| self.push(fault)).ok()
    }

    fn into_result(self) -> syn::Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}
