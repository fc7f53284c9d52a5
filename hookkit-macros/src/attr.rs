//! What was written in `#[hook(…)]`? Grammar only.

use hookkit_protocol::event;
use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Ident, LitInt, LitStr, Path, Token};

use crate::faults::Faults;
use crate::suggest::or_list;

/// The attribute's arguments, as they were written.
pub(crate) struct Attr {
    /// One at least.
    pub(crate) events: Vec<Ident>,
    pub(crate) matcher: Option<Value<LitStr>>,
    /// `if`
    pub(crate) condition: Option<Value<LitStr>>,
    pub(crate) timeout: Option<Value<LitInt>>,
    pub(crate) on_failure: Option<OnFailure>,
    pub(crate) status_message: Option<Text>,
    /// `async`
    pub(crate) asynchronous: Option<Flag>,
    pub(crate) async_rewake: Option<Flag>,
    pub(crate) name: Option<Text>,
    /// `crate`
    pub(crate) krate: Option<Krate>,
    /// What could not be read. The rest was.
    pub(crate) faults: Faults,
}

/// A value that is checked, unless it stands in `unchecked(…)`.
pub(crate) struct Value<V> {
    pub(crate) literal: V,
    pub(crate) is_unchecked: bool,
}

/// A string that may be any.
pub(crate) struct Text(pub(crate) LitStr);

/// Where hookkit is.
pub(crate) struct Krate(pub(crate) Path);

/// An option that says all by being there.
pub(crate) struct Flag {
    pub(crate) span: Span,
}

pub(crate) struct OnFailure {
    pub(crate) blocks: bool,
    pub(crate) span: Span,
}

const OPTIONS: &[&str] = &[
    "matcher",
    "if",
    "timeout",
    "on_failure",
    "status_message",
    "async",
    "async_rewake",
    "name",
    "crate",
];

impl Parse for Attr {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let first = input.fork().call(Ident::parse_any);
        let is_option = |word: &Ident| OPTIONS.contains(&word.to_string().as_str());
        if input.is_empty() || first.is_ok_and(|word| is_option(&word)) {
            let message = "a hook names its event first: `#[hook(PreToolUse)]`";
            return Err(Error::new(input.span(), message));
        }
        let mut events = vec![event(input)?];
        while input.peek(Token![|]) {
            input.parse::<Token![|]>()?;
            events.push(event(input)?);
        }
        let mut attr = Self {
            events,
            matcher: None,
            condition: None,
            timeout: None,
            on_failure: None,
            status_message: None,
            asynchronous: None,
            async_rewake: None,
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
            "on_failure" => value(input, &key, &mut self.on_failure),
            "async" => flag(input, &key, &mut self.asynchronous),
            "async_rewake" => flag(input, &key, &mut self.async_rewake),
            "status_message" => value(input, &key, &mut self.status_message),
            "name" => value(input, &key, &mut self.name),
            "crate" => value(input, &key, &mut self.krate),
            written => Err(Error::new(key.span(), self.unknown_option(written))),
        }
    }

    fn unknown_option(&self, written: &str) -> String {
        // What people know from settings.json, or from other tools.
        let meant = match written {
            "statusMessage" | "status" => Some("status_message"),
            "condition" | "when" => Some("if"),
            "tool" | "tools" | "matchers" => Some("matcher"),
            "onFailure" | "policy" => Some("on_failure"),
            "asyncRewake" | "rewake" => Some("async_rewake"),
            "background" => Some("async"),
            "description" | "doc" => {
                return "a hook's description is its doc comment; write it above, with `///`".to_owned();
            }
            "once" => return "the client ignores `once` outside of skills; remove it".to_owned(),
            "shell" => return "hooks run without a shell; remove `shell`".to_owned(),
            _ => crate::suggest::near(written, OPTIONS.iter().copied()),
        };
        if event::event(written).is_some() {
            let events: Vec<String> = self.events.iter().map(Ident::to_string).collect();
            let events = events.join(" | ");
            return format!("the events of one hook stand together: write `#[hook({events} | {written})]`");
        }
        match meant {
            Some(meant) => format!("there is no option `{written}`; did you mean `{meant}`?"),
            None => format!("there is no option `{written}`; there are {}", or_list(OPTIONS, "and")),
        }
    }
}

/// Parses the name of an event.
fn event(input: ParseStream<'_>) -> syn::Result<Ident> {
    if let Ok(text) = input.fork().parse::<LitStr>() {
        let message = format!("an event is written without quotes: `{}`", text.value());
        return Err(Error::new(text.span(), message));
    }
    let path: Path = input.parse()?;
    if let Some(event) = path.get_ident() {
        return Ok(event.clone());
    }
    let message = match path.segments.last() {
        Some(last) => format!("an event is written as the client writes it: `{}`", last.ident),
        None => "an event is written as the client writes it".to_owned(),
    };
    Err(Error::new_spanned(path, message))
}

/// Takes note of an option that has no value.
fn flag(input: ParseStream<'_>, key: &Ident, slot: &mut Option<Flag>) -> syn::Result<()> {
    if !input.is_empty() && !input.peek(Token![,]) {
        return Err(Error::new(
            key.span(),
            format!("`{key}` has no value: write it alone, or not at all"),
        ));
    }
    if slot.replace(Flag { span: key.span() }).is_some() {
        return Err(Error::new(key.span(), format!("`{key}` is given twice; keep one")));
    }
    Ok(())
}

/// Parses `= value` into `slot`, which must still be empty.
pub(crate) fn value<V: Parse>(input: ParseStream<'_>, key: &Ident, slot: &mut Option<V>) -> syn::Result<()> {
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
        let message = if input.peek(Ident::peek_any) {
            format!("a comma is missing behind the value of `{key}`")
        } else {
            format!("`{key}` has one value, written out")
        };
        return Err(input.error(message));
    }
    *slot = Some(value);
    Ok(())
}

/// What an option's value can be.
pub(crate) trait Literal: Parse {
    /// What to say of anything else, given the tokens up to the next comma.
    fn wanted(written: &str) -> String;
}

impl Literal for LitStr {
    fn wanted(written: &str) -> String {
        if !written.is_empty() && written.chars().all(|char| char.is_uppercase() || char == '_') {
            return "a constant cannot be read here; write the string itself".to_owned();
        }
        let is_name = |char: char| char.is_alphanumeric() || "_|- ".contains(char);
        let example = if written.chars().all(is_name) {
            written.replace(' ', "")
        } else {
            "…".to_owned()
        };
        format!("this is a string, as in settings.json: `\"{example}\"`")
    }
}

impl Literal for LitInt {
    fn wanted(_: &str) -> String {
        "a timeout is a whole number of seconds".to_owned()
    }
}

impl Parse for OnFailure {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let span = input.span();
        let word = input
            .call(Ident::parse_any)
            .map(|word| word.to_string())
            .unwrap_or_default();
        let blocks = match word.as_str() {
            "block" => true,
            "continue" => false,
            _ => return Err(Error::new(span, "this is `block` or `continue`, without quotes")),
        };
        Ok(Self { blocks, span })
    }
}

impl<V: Literal> Parse for Value<V> {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let is_unchecked = input.fork().parse::<Ident>().is_ok_and(|word| word == "unchecked");
        let literal = if is_unchecked {
            input.parse::<Ident>()?;
            let content;
            syn::parenthesized!(content in input);
            literal(&content)?
        } else {
            literal(input)?
        };
        Ok(Self { literal, is_unchecked })
    }
}

/// Parses a value, or says what it should be.
fn literal<V: Literal>(input: ParseStream<'_>) -> syn::Result<V> {
    let start = input.fork();
    input.parse().or_else(|err| {
        let rest: TokenStream = start.parse()?;
        let written: TokenStream = rest.into_iter().take_while(|token| token.to_string() != ",").collect();
        Err(Error::new(err.span(), V::wanted(&written.to_string())))
    })
}

impl Parse for Text {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        literal(input).map(Self)
    }
}

impl Parse for Krate {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if let Ok(text) = input.fork().parse::<LitStr>() {
            let message = format!("this is a path, without quotes: `{}`", text.value());
            return Err(Error::new(text.span(), message));
        }
        input.parse().map(Self)
    }
}
