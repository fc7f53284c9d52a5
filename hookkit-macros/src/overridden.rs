//! What is a hook that a workspace changes? Its grammar, rules and messages are those of the attribute.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Path, Token};

use crate::attr::{Attr, OnFailure, Text};
use crate::expand::{check, option};
use crate::suggest::WAY_PAST;
use crate::{options, valid};

/// `path::to::hook, [("NAME", "value")], Event, matcher = "…"`: the hook, the variables that it is to have, and what its
/// attribute would be. An option that is left out stays as it is.
pub(crate) struct Overridden {
    hook: Path,
    variables: TokenStream,
    attr: Attr,
}

impl Parse for Overridden {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let hook = input.parse()?;
        input.parse::<Token![,]>()?;
        let variables;
        syn::bracketed!(variables in input);
        input.parse::<Token![,]>()?;
        Ok(Self {
            hook,
            variables: variables.parse()?,
            attr: input.parse()?,
        })
    }
}

/// A definition that is made in constants, from the hook's own, and the `main` that runs it.
pub(crate) fn expand(overridden: Overridden) -> syn::Result<TokenStream> {
    let Overridden {
        hook,
        variables,
        mut attr,
    } = overridden;
    let mut faults = std::mem::take(&mut attr.faults);
    let mode = options::mode(attr.asynchronous, attr.async_rewake, &mut faults);
    let events = attr.events.iter().map(valid::find_event);
    let events: Vec<_> = events.filter_map(|event| faults.take(event)).collect();
    let mut requirements = options::check(&attr, &events, mode, &mut faults);
    if let Some(matcher) = &attr.matcher {
        valid::answer_fits(&events, matcher.literal.span(), &mut requirements);
    }
    let timeout = attr.timeout.as_ref().map(valid::seconds);
    let timeout = option(timeout.and_then(|seconds| faults.take(seconds)));
    let name = attr.name.as_ref();
    let name = name.map(|Text(name)| valid::file_name(&name.value(), name.span()));
    let name = option(name.and_then(|name| faults.take(name)));
    faults.into_result()?;

    let private = quote!(::hookkit::__private);
    let matcher = option(attr.matcher.map(|matcher| matcher.literal));
    let condition = option(attr.condition.map(|condition| condition.literal));
    let status_message = option(attr.status_message.map(|Text(message)| message));
    let on_failure = option(attr.on_failure.map(|on_failure| match on_failure.value {
        OnFailure::Block => quote!(#private::OnFailure::Block),
        OnFailure::Continue => quote!(#private::OnFailure::Continue),
    }));
    let mut requirements_of_all = Vec::new();
    for (index, requirements) in requirements.iter().enumerate() {
        let types = quote!(<__Hook as #private::Hook>::DECLARED.types[#index]);
        requirements_of_all.extend(requirements.iter().map(|one| check(one, &private, &types, &matcher)));
    }
    let environment = (!variables.is_empty()).then(|| {
        quote! {
            // SAFETY: it is the first thing that the process does.
            unsafe { #private::set_environment(&[#variables]) }
        }
    });
    let count = events.len();
    let entries = 0..count;
    Ok(quote! {
        // Named once: where it cannot be named, that is told once.
        type __Hook = #hook;

        #(#requirements_of_all)*

        static __OVERRIDE: #private::Override = #private::Override {
            name: #name,
            matcher: #matcher,
            condition: #condition,
            timeout: #timeout,
            on_failure: #on_failure,
            status_message: #status_message,
        };

        static __ENTRIES: [#private::Entry; #count] =
            [#(#private::override_entry(&<__Hook as #private::Hook>::DEF.entries[#entries], &__OVERRIDE)),*];

        static __DEF: #private::HookDef =
            #private::override_hook(<__Hook as #private::Hook>::DEF, &__ENTRIES, &__OVERRIDE);

        fn main() {
            #environment
            #private::run(&__DEF)
        }
    })
}

/// Beside the faults of an override: a `main`, so that no second error follows.
pub(crate) fn refused(faults: Error) -> TokenStream {
    // In a Cargo.toml the way past the checks is written otherwise.
    const IN_TOML: &str = "(if it is meant so, write `{ unchecked = … }`)";
    let faults = faults.into_iter().map(|fault| {
        let message = fault.to_string().replace(WAY_PAST, IN_TOML);
        Error::new(fault.span(), message).to_compile_error()
    });
    quote!(#(#faults)* fn main() {})
}
