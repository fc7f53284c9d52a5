//! Which tokens does a hook become? No decisions are left here.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, Path, ReturnType};

use crate::condition;
use crate::item::Item;
use crate::valid::{Hook, Matcher};

pub(crate) fn expand(hook: &Hook, item: &Item) -> TokenStream {
    let Hook { event, name, .. } = hook;
    let vis = &item.vis;
    let func = &item.sig.ident;
    let description = item.doc();
    let hookkit = hookkit(hook.krate.as_ref());
    let private = quote!(#hookkit::__private);
    let condition = option(hook.condition.as_ref().map(|condition| &condition.literal));
    let timeout = option(hook.timeout);
    let status_message = option(hook.status_message.as_deref());

    let event = quote_spanned!(event.span()=> #private::event::#event);
    let answer = match &item.sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => quote!(#ty),
    };
    let arguments = item
        .sig
        .inputs
        .iter()
        .enumerate()
        .filter_map(|(index, input)| match input {
            FnArg::Typed(argument) => Some((format_ident!("__argument{index}"), &argument.ty)),
            FnArg::Receiver(_) => None,
        });
    let (names, types): (Vec<_>, Vec<_>) = arguments.unzip();
    // One spanned `let` each: rustc then names the argument, and points at its type.
    let decoded = names.iter().zip(&types).map(|(name, ty)| {
        quote_spanned! {ty.span()=>
            let #name = <#ty as #private::FromInput<#event>>::from_input(__payload)?;
        }
    });
    let wants = types
        .iter()
        .map(|ty| quote_spanned!(ty.span()=> <#ty as #private::FromInput<#event>>::wants));
    let matchers: Vec<_> = types
        .iter()
        .map(|ty| quote_spanned!(ty.span()=> <#ty as #private::FromInput<#event>>::MATCHER))
        .collect();
    let answer = quote_spanned!(answer.span()=> <#answer as #private::Answer<#event>>);
    let matcher = match &hook.matcher {
        None => quote!(#private::matcher_of(&[#(#matchers),*])),
        Some(Matcher { text, .. }) => quote!(::core::option::Option::Some(#text)),
    };
    let fits = fits(hook, &matchers, &private);

    quote! {
        // A hook owns its arguments, whether it needs to or not, and its result is the client's business.
        #[allow(clippy::needless_pass_by_value, clippy::must_use_candidate)]
        #item

        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis enum #func {}

        const _: () = {
            #fits

            fn __call(
                __payload: &#private::Payload<'_>,
            ) -> ::core::result::Result<#private::Response, #private::Error> {
                #(#decoded)*
                #answer::into_response(#func(#(#names),*))
            }

            // A static, not a constant, so that this crate has the code that it names, and no launcher compiles it again.
            static __DEF: #private::HookDef = #private::define::<#event>(#private::Declaration {
                name: #name,
                description: #description,
                matcher: #matcher,
                condition: #condition,
                timeout: #timeout,
                status_message: #status_message,
                on_failure: #answer::ON_FAILURE,
                path: ::core::concat!(::core::module_path!(), "::", ::core::stringify!(#func)),
                call: __call,
                wants: &[#(#wants),*],
            });

            impl #private::Hook for #func {
                const DEF: &'static #private::HookDef = &__DEF;
            }

            #private::register!(#func);
        };
    }
}

/// That every type can decode what the hook is called on. Where one cannot, rustc points at the option that says so.
fn fits(hook: &Hook, of_types: &[TokenStream], private: &TokenStream) -> TokenStream {
    let check = |span: Span, tools: &[&str], message: &str| -> TokenStream {
        let message = message.replace('{', "{{").replace('}', "}}");
        let checks = of_types.iter().map(|of_type| {
            quote_spanned! {span=>
                const _: () = ::core::assert!(#private::may_admit(#of_type, &[#(#tools),*]), #message);
            }
        });
        checks.collect()
    };
    match (&hook.matcher, &hook.condition) {
        (Some(Matcher { text, admitted, span }), _) => {
            let admitted: Vec<&str> = admitted.iter().map(String::as_str).collect();
            let mend = "narrow the matcher, or leave it out: it is then the type's own";
            // One by one they name the tool; of very many one fault is enough.
            if admitted.len() > 8 {
                let message = format!(
                    "the matcher `{text}` admits tools whose input the type of the event does not have; {mend}"
                );
                return check(*span, &admitted, &message);
            }
            let each = admitted.iter().map(|tool| {
                let message = format!(
                    "the matcher `{text}` admits `{tool}`, whose input the type of the event does not have; {mend}"
                );
                check(*span, &[tool], &message)
            });
            each.collect()
        }
        (None, Some(condition)) if !condition.is_unchecked => {
            let text = condition.literal.value();
            let tool = condition::tool(&text);
            let message = format!(
                "the `if` holds for `{tool}` alone, which the type of the event does not stand for: \
                 the hook would never run; mend one of them"
            );
            check(condition.literal.span(), &[tool], &message)
        }
        _ => TokenStream::new(),
    }
}

/// Where hookkit is.
pub(crate) fn hookkit(krate: Option<&Path>) -> TokenStream {
    krate.map_or_else(|| quote!(::hookkit), ToTokens::to_token_stream)
}

fn option(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}
