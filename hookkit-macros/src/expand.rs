//! Which tokens does a hook become? No decisions are left here.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, ReturnType};

use crate::item::Item;
use crate::valid::Hook;

pub(crate) fn expand(hook: &Hook, item: &Item) -> TokenStream {
    let Hook { event, name, .. } = hook;
    let vis = &item.vis;
    let func = &item.sig.ident;
    let description = item.doc();
    let matcher = option(hook.matcher.as_deref());
    let timeout = option(hook.timeout);

    let event = quote_spanned!(event.span()=> ::hookkit::__private::event::#event);
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
            let #name = <#ty as ::hookkit::__private::FromInput<#event>>::from_input(__payload)?;
        }
    });
    let wants = types
        .iter()
        .map(|ty| quote_spanned!(ty.span()=> <#ty as ::hookkit::__private::FromInput<#event>>::wants));
    let answer = quote_spanned!(answer.span()=> <#answer as ::hookkit::__private::Answer<#event>>);

    quote! {
        // A hook owns its arguments, whether it needs to or not, and its result is the client's business.
        #[allow(clippy::needless_pass_by_value, clippy::must_use_candidate)]
        #item

        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis enum #func {}

        const _: () = {
            fn __call(
                __payload: &::hookkit::__private::Payload<'_>,
            ) -> ::core::result::Result<::hookkit::__private::Response, ::hookkit::__private::Error> {
                #(#decoded)*
                #answer::into_response(#func(#(#names),*))
            }

            // A static, not a constant, so that this crate has the code that it names, and no launcher compiles it again.
            static __DEF: ::hookkit::__private::HookDef = ::hookkit::__private::define::<#event>(
                ::hookkit::__private::Declaration {
                    name: #name,
                    description: #description,
                    matcher: #matcher,
                    timeout: #timeout,
                    on_failure: #answer::ON_FAILURE,
                    path: ::core::concat!(::core::module_path!(), "::", ::core::stringify!(#func)),
                    call: __call,
                    wants: &[#(#wants),*],
                },
            );

            impl ::hookkit::__private::Hook for #func {
                const DEF: &'static ::hookkit::__private::HookDef = &__DEF;
            }

            ::hookkit::__private::register!(#func);
        };
    }
}

fn option(value: Option<impl quote::ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}
