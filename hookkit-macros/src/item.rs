//! What function is below the attribute? Its body is untouched.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, Lit, Meta, Signature, Visibility};

pub(crate) struct Item {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    body: TokenStream,
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Self {
            attrs: input.call(Attribute::parse_outer)?,
            vis: input.parse()?,
            sig: input.parse()?,
            body: input.parse()?,
        })
    }
}

impl Item {
    /// The function's doc comment, without the margin that rustdoc drops, too.
    pub(crate) fn doc(&self) -> String {
        let lines: Vec<String> = self.attrs.iter().filter_map(doc_line).collect();
        lines.join("\n").trim().to_owned()
    }
}

/// Whether this is another attribute of ours.
pub(crate) fn is_hook(attr: &Attribute) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == "hook")
}

fn doc_line(attr: &Attribute) -> Option<String> {
    let Meta::NameValue(doc) = &attr.meta else { return None };
    let Expr::Lit(value) = &doc.value else { return None };
    match &value.lit {
        Lit::Str(text) if doc.path.is_ident("doc") => {
            let text = text.value();
            Some(text.strip_prefix(' ').unwrap_or(&text).to_owned())
        }
        _ => None,
    }
}

impl ToTokens for Item {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for attr in &self.attrs {
            attr.to_tokens(tokens);
        }
        self.vis.to_tokens(tokens);
        self.sig.to_tokens(tokens);
        self.body.to_tokens(tokens);
    }
}
