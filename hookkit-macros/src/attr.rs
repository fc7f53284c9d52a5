//! What was written in `#[hook(…)]`? Grammar only.

use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitInt, LitStr, Token};

mod keyword {
    syn::custom_keyword!(matcher);
    syn::custom_keyword!(timeout);
}

/// The attribute's arguments, as they were written.
pub(crate) struct Attr {
    pub(crate) event: Ident,
    pub(crate) matcher: Option<LitStr>,
    pub(crate) timeout: Option<LitInt>,
}

impl Parse for Attr {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            let message = "a hook names its event first: `#[hook(PreToolUse)]`";
            return Err(syn::Error::new(input.span(), message));
        }
        let mut attr = Self {
            event: input.parse()?,
            matcher: None,
            timeout: None,
        };
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let next = input.lookahead1();
            if next.peek(keyword::matcher) {
                option::<keyword::matcher, _>(input, &mut attr.matcher)?;
            } else if next.peek(keyword::timeout) {
                option::<keyword::timeout, _>(input, &mut attr.timeout)?;
            } else {
                return Err(next.error());
            }
        }
        Ok(attr)
    }
}

/// Parses `keyword = value` into `slot`, which must still be empty.
fn option<K: Parse + quote::ToTokens, V: Parse>(input: ParseStream<'_>, slot: &mut Option<V>) -> syn::Result<()> {
    let keyword: K = input.parse()?;
    if slot.is_some() {
        let message = format!("`{}` is given twice; keep one", quote::quote!(#keyword));
        return Err(syn::Error::new_spanned(keyword, message));
    }
    input.parse::<Token![=]>()?;
    *slot = Some(input.parse()?);
    Ok(())
}
