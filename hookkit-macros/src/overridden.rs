//! Expands a hook that a workspace overrides, with the grammar, rules and messages of the attribute.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Error, LitStr, Path, Token};

use crate::attr::{Attr, Text};
use crate::expand::{check, fields, option, policy_of};
use crate::suggest::WAY_PAST;
use crate::{options, valid};

/// The input of the macro: `path::to::hook, [("NAME", "value")], "{…}", Event, matcher = "…"`.
///
/// The input has the hook, its environment variables, its configuration if there is one, and the options that its
/// attribute would have. An option that is left out does not change.
pub(crate) struct Overridden {
    hook: Path,
    variables: TokenStream,
    /// The values of the hook's configuration, as JSON.
    config: Option<LitStr>,
    attr: Attr,
}

impl Parse for Overridden {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let hook = input.parse()?;
        input.parse::<Token![,]>()?;
        let variables;
        syn::bracketed!(variables in input);
        input.parse::<Token![,]>()?;
        let config = input.peek(LitStr).then(|| input.parse()).transpose()?;
        if config.is_some() {
            input.parse::<Token![,]>()?;
        }
        Ok(Self { hook, variables: variables.parse()?, config, attr: input.parse()? })
    }
}

/// Returns a definition made of constants from the hook's own definition, and the `main` that runs it.
pub(crate) fn expand(overridden: Overridden) -> syn::Result<TokenStream> {
    let Overridden { hook, variables, config, mut attr } = overridden;
    let mut faults = std::mem::take(&mut attr.faults);
    let events = attr.events.iter().map(valid::find_event);
    let events: Vec<_> = events.filter_map(|event| faults.take(event)).collect();
    let name = attr.name.take();
    let (options, mut requirements) = options::check(attr, &events, &mut faults);
    if let Some(matcher) = &options.matcher {
        valid::answer_fits(&events, matcher.literal.span(), &mut requirements);
    }
    let name = name.map(|Text(name)| valid::file_name(&name.value(), name.span()));
    let name = name.and_then(|name| faults.take(name));
    let name = name.map(|name| quote!(name: #name,));
    faults.into_result()?;

    let changes = fields(&options);
    let config = option(config);
    let on_failure = option(options.on_failure.map(policy_of));
    let matcher = option(options.matcher.map(|matcher| matcher.literal));
    let mut requirements_of_all = Vec::new();
    for (index, requirements) in requirements.iter().enumerate() {
        let types = quote!(<__Hook as __hk::Hook>::SOURCE.types[#index]);
        requirements_of_all.extend(requirements.iter().map(|one| check(one, &types, &matcher)));
    }
    let environment = (!variables.is_empty()).then(|| {
        quote! {
            // SAFETY: it is the first thing that the process does.
            unsafe { __hk::set_environment(__ENVIRONMENT) }
        }
    });
    let count = events.len();
    let entries = 0..count;
    Ok(quote! {
        use ::hookkit::__private as __hk;

        // Named once: if the name is wrong, that is one error.
        type __Hook = #hook;

        #(#requirements_of_all)*

        static __ENTRIES: [__hk::Entry; #count] = [
            #(__hk::override_entry(&<__Hook as __hk::Hook>::DEF.entries[#entries], #matcher, #on_failure)),*
        ];

        pub(crate) static __DEF: __hk::HookDef = __hk::define(
            __hk::Declaration {
                #name
                #changes
                ..<__Hook as __hk::Hook>::DEF.declared
            },
            &__ENTRIES,
            #config,
        );

        #[allow(dead_code, reason = "an order of hooks reads it, and a hook without variables does not")]
        pub(crate) static __ENVIRONMENT: &[(&str, &str)] = &[#variables];

        pub(crate) fn main() {
            #environment
            __hk::run(&__DEF)
        }
    })
}

/// Returns the tokens next to the faults of an override: a `main`, so that they cause no further errors.
pub(crate) fn refused(faults: Error) -> TokenStream {
    // A Cargo.toml has a different syntax for skipping the checks.
    const IN_TOML: &str = "(if it is intended, write `{ unchecked = … }`)";
    let faults = faults.into_iter().map(|fault| {
        let message = fault.to_string().replace(WAY_PAST, IN_TOML);
        Error::new(fault.span(), message).to_compile_error()
    });
    quote!(#(#faults)* pub(crate) fn main() {})
}
