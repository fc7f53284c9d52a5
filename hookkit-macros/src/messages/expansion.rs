//! Expands the macros of a file in the same order as rustc and collects the errors that they emit.

use std::ops::Range;

use proc_macro2::{LineColumn, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, File, ImplItem, Item, ItemMacro, LitStr, Meta};

use crate::item::is_hook;

/// A `compile_error!` that a macro emitted.
pub(super) struct Error {
    pub(super) message: String,
    /// The text that rustc underlines.
    pub(super) place: Range<LineColumn>,
    /// `true` if the underlined text is the whole attribute, because no single token is at fault.
    pub(super) is_of_attribute: bool,
}

/// Returns the errors of all hooks and inputs of tools in a file.
pub(super) fn errors(file: &TokenStream) -> syn::Result<Vec<Error>> {
    let mut expansion = Expansion { file, errors: Vec::new() };
    expansion.tokens(file.clone(), None)?;
    Ok(expansion.errors)
}

struct Expansion<'f> {
    file: &'f TokenStream,
    errors: Vec<Error>,
}

impl Expansion<'_> {
    /// Expands items. `origin` is the attribute that expanded to them, if there is one.
    fn tokens(&mut self, items: TokenStream, origin: Option<&Attribute>) -> syn::Result<()> {
        let file: File = syn::parse2(items)?;
        file.items.into_iter().try_for_each(|item| self.item(item, origin))
    }

    fn item(&mut self, mut item: Item, origin: Option<&Attribute>) -> syn::Result<()> {
        if let Some(attrs) = attributes(&mut item) {
            if let Some(index) = attrs.iter().position(is_hook) {
                let attr = attrs.remove(index);
                return self.hook(&attr, item.into_token_stream());
            }
            if let Some(attr) = attrs.iter().find(|attr| derives_tool_input(attr)).cloned() {
                let implementation = crate::derive::tool_input(item.into_token_stream());
                return self.tokens(implementation, Some(&attr));
            }
        }
        match item {
            Item::Macro(call) if is_compile_error(&call) => {
                let error = self.error(&call, origin)?;
                self.errors.push(error);
            }
            Item::Mod(module) => {
                for item in module.content.into_iter().flat_map(|(_, items)| items) {
                    self.item(item, origin)?;
                }
            }
            Item::Impl(block) => {
                for item in block.items {
                    if let ImplItem::Fn(method) = item {
                        self.tokens(method.into_token_stream(), origin)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Expands a hook and checks that the expansion has its function as written. Without the function, each call of it
    /// would be another error.
    fn hook(&mut self, attr: &Attribute, function: TokenStream) -> syn::Result<()> {
        let arguments = match &attr.meta {
            Meta::List(list) => list.tokens.clone(),
            Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
        };
        let expansion = crate::expand_hook(arguments, function.clone());
        if !expansion.to_string().contains(&function.to_string()) {
            return Err(syn::Error::new_spanned(attr, "the expansion does not contain the function as written"));
        }
        self.tokens(expansion, Some(attr))
    }

    /// Returns the error that a `compile_error!` reports.
    fn error(&self, call: &ItemMacro, origin: Option<&Attribute>) -> syn::Result<Error> {
        // In syn's `compile_error!`, the path has the span of the first wrong token, and the braces the span of the
        // last one.
        let (start, end) = (call.mac.path.span(), call.mac.delimiter.span().join());
        // Outside of rustc, `Span::call_site` is an empty span.
        let is_of_attribute = start.start() == start.end();
        let place = match origin {
            Some(attr) if is_of_attribute => attr.pound_token.span.start()..attr.bracket_token.span.close().end(),
            // One span for both may join several tokens. Stable Rust has no `Span::join`, and syn takes the first
            // token.
            _ if start.end() == end.end() => start.start()..end_of_token(self.file, start.start()).unwrap_or(end.end()),
            _ => start.start()..end.end(),
        };
        if place.start.line != place.end.line {
            return Err(syn::Error::new(start, "an error on several lines, which only rustc can draw"));
        }
        Ok(Error { message: call.mac.parse_body::<LitStr>()?.value(), place, is_of_attribute })
    }
}

/// Returns the attributes of an item that can be a hook or the input of a tool, even by mistake.
fn attributes(item: &mut Item) -> Option<&mut Vec<Attribute>> {
    match item {
        Item::Fn(item) => Some(&mut item.attrs),
        Item::Struct(item) => Some(&mut item.attrs),
        Item::Enum(item) => Some(&mut item.attrs),
        Item::Union(item) => Some(&mut item.attrs),
        _ => None,
    }
}

fn derives_tool_input(attr: &Attribute) -> bool {
    let Meta::List(list) = &attr.meta else { return false };
    let mut tokens = list.tokens.clone().into_iter();
    list.path.is_ident("derive") && tokens.any(|token| token.to_string() == "ToolInput")
}

fn is_compile_error(call: &ItemMacro) -> bool {
    let name = call.mac.path.segments.last();
    name.is_some_and(|name| name.ident == "compile_error")
}

/// Returns the end of the token that begins at `start`.
fn end_of_token(tokens: &TokenStream, start: LineColumn) -> Option<LineColumn> {
    tokens.clone().into_iter().find_map(|token| match token {
        token if token.span().start() == start => Some(token.span().end()),
        TokenTree::Group(group) => end_of_token(&group.stream(), start),
        _ => None,
    })
}
