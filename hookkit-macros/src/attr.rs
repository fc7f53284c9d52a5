//! What was written in `#[hook(…)]`? Grammar only.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Ident, LitInt, LitStr, Path, Token};

use crate::faults::Faults;
use crate::suggest::or_list;

/// The attribute's arguments, as they were written.
pub(crate) struct Attr {
    pub(crate) event: Ident,
    pub(crate) matcher: Option<Matcher>,
    /// `if`
    pub(crate) condition: Option<LitStr>,
    pub(crate) timeout: Option<LitInt>,
    pub(crate) status_message: Option<LitStr>,
    pub(crate) name: Option<LitStr>,
    /// `crate`
    pub(crate) krate: Option<Path>,
    /// What could not be read. The rest was.
    pub(crate) faults: Faults,
}

/// `"…"`, or `unchecked("…")`
pub(crate) struct Matcher {
    pub(crate) text: LitStr,
    pub(crate) is_unchecked: bool,
}

const OPTIONS: &[&str] = &["matcher", "if", "timeout", "status_message", "name", "crate"];

impl Parse for Attr {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.is_empty() {
            let message = "a hook names its event first: `#[hook(PreToolUse)]`";
            return Err(Error::new(input.span(), message));
        }
        if let Ok(text) = input.fork().parse::<LitStr>() {
            let message = format!("an event is written without quotes: `{}`", text.value());
            return Err(Error::new(text.span(), message));
        }
        let mut attr = Self {
            event: input.parse()?,
            matcher: None,
            condition: None,
            timeout: None,
            status_message: None,
            name: None,
            krate: None,
            faults: Faults::default(),
        };
        while !input.is_empty() {
            if let Err(fault) = attr.option(input) {
                attr.faults.push(fault);
                // The options behind it are read, too.
                while !input.is_empty() && !input.peek(Token![,]) {
                    input.parse::<proc_macro2::TokenTree>()?;
                }
            }
        }
        Ok(attr)
    }
}

impl Attr {
    /// Parses `, key = value`, or a comma at the end.
    fn option(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        input.parse::<Token![,]>()?;
        if input.is_empty() {
            return Ok(());
        }
        let key = input.call(Ident::parse_any)?;
        match key.to_string().as_str() {
            "matcher" => value(input, &key, &mut self.matcher),
            "if" => value(input, &key, &mut self.condition),
            "timeout" => value(input, &key, &mut self.timeout),
            "status_message" => value(input, &key, &mut self.status_message),
            "name" => value(input, &key, &mut self.name),
            "crate" => value(input, &key, &mut self.krate),
            written => Err(Error::new(key.span(), unknown_option(written))),
        }
    }
}

fn unknown_option(written: &str) -> String {
    // What people know from settings.json, or from other tools.
    let meant = match written {
        "statusMessage" | "status" => Some("status_message"),
        "condition" | "when" => Some("if"),
        "tool" | "tools" | "matchers" => Some("matcher"),
        "description" | "doc" => {
            return "a hook's description is its doc comment; write it above, with `///`".to_owned();
        }
        "once" => return "the client ignores `once` outside of skills; remove it".to_owned(),
        "shell" => return "hooks run without a shell; remove `shell`".to_owned(),
        _ => crate::suggest::near(written, OPTIONS.iter().copied()),
    };
    match meant {
        Some(meant) => format!("there is no option `{written}`; did you mean `{meant}`?"),
        None => format!("there is no option `{written}`; there are {}", or_list(OPTIONS, "and")),
    }
}

/// Parses `= value` into `slot`, which must still be empty.
fn value<V: Parse>(input: ParseStream<'_>, key: &Ident, slot: &mut Option<V>) -> syn::Result<()> {
    if !input.peek(Token![=]) {
        return Err(Error::new(
            key.span(),
            format!("`{key}` has a value: write `{key} = …`"),
        ));
    }
    input.parse::<Token![=]>()?;
    let value = input.parse()?;
    if slot.is_some() {
        return Err(Error::new(key.span(), format!("`{key}` is given twice; keep one")));
    }
    if !input.is_empty() && !input.peek(Token![,]) {
        let rest: TokenStream = input.fork().parse()?;
        let message = format!("a comma is missing behind the value of `{key}`");
        return Err(Error::new_spanned(rest.into_token_stream(), message));
    }
    *slot = Some(value);
    Ok(())
}

impl Parse for Matcher {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            let text = input.parse()?;
            return Ok(Self {
                text,
                is_unchecked: false,
            });
        }
        let wanted = || {
            Error::new(
                input.span(),
                "a matcher is a string, as in settings.json: `matcher = \"Edit|Write\"`",
            )
        };
        let word: Ident = input.parse().map_err(|_| wanted())?;
        if word != "unchecked" {
            return Err(Error::new(
                word.span(),
                format!("a matcher is a string, as in settings.json: `matcher = \"{word}\"`"),
            ));
        }
        let content;
        syn::parenthesized!(content in input);
        Ok(Self {
            text: content.parse()?,
            is_unchecked: true,
        })
    }
}
