//! Tokens emitted next to an error, so that it causes no further errors.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

use crate::expand::hookkit;
use crate::item::{Item, is_hook};

/// Returns the tokens next to an error in a declaration: the function as written, and a placeholder for its hidden
/// type.
pub(crate) fn refused(err: &syn::Error, item: &Item, krate: Option<&Path>) -> TokenStream {
    let hookkit = hookkit(krate);
    let err = err.to_compile_error();
    // An `impl` cannot contain a type, and a second attribute makes the hidden type.
    if item.sig.receiver().is_some() || item.attrs.iter().any(is_hook) {
        return quote!(#err #item);
    }
    let vis = &item.vis;
    let func = &item.sig.ident;
    quote! {
        #err

        #[allow(clippy::needless_pass_by_value, clippy::must_use_candidate)]
        #item

        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis enum #func {}

        impl #hookkit::__private::Hook for #func {
            const DEF: &'static #hookkit::__private::HookDef = &#hookkit::__private::define(
                #hookkit::__private::UNDECLARED,
                &[],
                ::core::option::Option::None,
            );
            const SOURCE: #hookkit::__private::Declared = #hookkit::__private::Declared {
                types: &[],
                matcher: ::core::option::Option::None,
                condition: ::core::option::Option::None,
                config: &[],
                local: &[],
                of_claude: &[],
            };
        }
    }
}

/// Returns the tokens next to an attribute on an item that is not a function: the item, unchanged.
pub(crate) fn unparsed(err: &syn::Error, item: TokenStream) -> TokenStream {
    let err = syn::Error::new(err.span(), format!("a hook is a function: {err}")).to_compile_error();
    quote!(#err #item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_hook_keeps_its_function_and_its_type() {
        let function = quote!(
            pub fn gate() {}
        );
        let expansion = crate::expand_hook(quote!(Stop, timeout = 0), function.clone());
        assert!(expansion.to_string().contains(&function.to_string()));
        let file: syn::File = syn::parse2(expansion).unwrap();
        let is_type = |item: &&syn::Item| matches!(item, syn::Item::Enum(item) if item.ident == "gate");
        assert_eq!(file.items.iter().filter(is_type).count(), 1);
    }
}
