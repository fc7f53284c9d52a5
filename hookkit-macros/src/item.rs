//! Parses the function below the attribute, without changing its body.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, ExprLit, FnArg, Lit, Meta, PatType, Signature, Visibility};

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
    /// Returns the function's arguments, without `self`.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &PatType> {
        self.sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(argument) => Some(argument),
            FnArg::Receiver(_) => None,
        })
    }

    /// Returns the function's doc comment. It is a string without the margin that rustdoc drops, or an expression if a
    /// macro writes a part of it.
    pub(crate) fn doc(&self) -> TokenStream {
        let lines: Vec<Expr> = self.attrs.iter().filter_map(doc_line).collect();
        let literal = |line: &Expr| match line {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(without_margin(&text.value())),
            _ => None,
        };
        if let Some(lines) = lines.iter().map(literal).collect::<Option<Vec<String>>>() {
            return lines.join("\n").trim().to_token_stream();
        }
        let lines = lines.iter().map(|line| match literal(line) {
            Some(text) => text.to_token_stream(),
            None => line.to_token_stream(),
        });
        // The last line has no line end.
        let ends = (1..lines.len()).map(|_| "\n").chain([""]);
        quote!(::core::concat!(#(#lines, #ends),*))
    }
}

/// Returns `true` if this is also an attribute of hookkit.
pub(crate) fn is_hook(attr: &Attribute) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == "hook")
}

fn doc_line(attr: &Attribute) -> Option<Expr> {
    match &attr.meta {
        Meta::NameValue(doc) if doc.path.is_ident("doc") => Some(doc.value.clone()),
        _ => None,
    }
}

fn without_margin(line: &str) -> String {
    line.strip_prefix(' ').unwrap_or(line).to_owned()
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
