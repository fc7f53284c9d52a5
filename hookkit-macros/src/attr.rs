//! Parses the text of `#[hook(…)]`. It checks only the grammar.

use std::fmt::Display;

use hookkit_protocol::event;
use hookkit_protocol::hook::OnFailure;
use hookkit_protocol::lint::{self, or_list};
use hookkit_protocol::near;
use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Error, Ident, LitInt, LitStr, Path, Token};

use crate::faults::Faults;

/// The attribute's arguments, as written.
#[derive(Default)]
pub(crate) struct Attr {
    /// The events: at least one.
    pub(crate) events: Vec<Ident>,
    pub(crate) matcher: Option<Value<LitStr>>,
    /// The option `if`.
    pub(crate) condition: Option<Value<LitStr>>,
    pub(crate) timeout: Option<Value<LitInt>>,
    pub(crate) on_failure: Option<At<OnFailure>>,
    pub(crate) status_message: Option<Text>,
    /// Span of `async`.
    pub(crate) asynchronous: Option<Span>,
    pub(crate) async_rewake: Option<Span>,
    pub(crate) agents: Option<Text>,
    pub(crate) name: Option<Text>,
    /// The option `crate`.
    pub(crate) krate: Option<Krate>,
    /// Errors in parts that could not be parsed. All other parts were parsed.
    pub(crate) faults: Faults,
}

/// A checked value, unless it is in `unchecked(…)`.
pub(crate) struct Value<V> {
    pub(crate) literal: V,
    pub(crate) is_unchecked: bool,
}

/// A value, with its position.
pub(crate) struct At<V> {
    pub(crate) value: V,
    pub(crate) span: Span,
}

/// Any string.
pub(crate) struct Text(pub(crate) LitStr);

/// A path to hookkit.
pub(crate) struct Krate(pub(crate) Path);

const OPTIONS: &[&str] =
    &["matcher", "if", "timeout", "on_failure", "status_message", "async", "async_rewake", "agents", "name", "crate"];

impl Parse for Attr {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let first = input.fork().call(Ident::parse_any);
        let is_option = |word: &Ident| OPTIONS.contains(&word.to_string().as_str());
        if input.is_empty() || input.peek2(Token![=]) || first.is_ok_and(|word| is_option(&word)) {
            let message = "a hook begins with its event: `#[hook(PreToolUse)]`";
            return Err(Error::new(input.span(), message));
        }
        let mut faults = Faults::default();
        let mut attr = Self { events: events(input, &mut faults)?, faults, ..Self::default() };
        while !input.is_empty() {
            if let Err(fault) = attr.option(input) {
                attr.faults.push(fault);
                // The options after it are read, too.
                while !input.is_empty() && !input.peek(Token![,]) {
                    input.parse::<proc_macro2::TokenTree>()?;
                }
            }
        }
        Ok(attr)
    }
}

impl Attr {
    /// Parses one option: `, key = value`, or a comma at the end.
    fn option(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        input.parse::<Token![,]>()?;
        if input.is_empty() {
            return Ok(());
        }
        let key = input.call(Ident::parse_any).map_err(|err| {
            Error::new(err.span(), "expected an option; several values are one string, as in `\"Edit|Write\"`")
        })?;
        match key.to_string().as_str() {
            "matcher" => value(input, &key, &mut self.matcher),
            "if" => value(input, &key, &mut self.condition),
            "timeout" => value(input, &key, &mut self.timeout),
            "on_failure" => value(input, &key, &mut self.on_failure),
            "async" => flag(input, &key, &mut self.asynchronous),
            "async_rewake" => flag(input, &key, &mut self.async_rewake),
            "status_message" => value(input, &key, &mut self.status_message),
            "agents" => value(input, &key, &mut self.agents),
            "name" => value(input, &key, &mut self.name),
            "crate" => value(input, &key, &mut self.krate),
            written => Err(Error::new(key.span(), unknown_option(written))),
        }
    }
}

fn unknown_option(written: &str) -> String {
    // Options of settings.json and of other tools that people may expect here.
    let meant = match written {
        "condition" | "when" => Some("if"),
        "tool" | "tools" => Some("matcher"),
        "policy" => Some("on_failure"),
        "background" => Some("async"),
        "clients" => Some("agents"),
        "event" | "events" => return format!("{JOINED}; write them first"),
        "description" | "doc" => {
            return "a hook's description is its doc comment; write it above, with `///`".to_owned();
        }
        "once" => return "the client ignores `once` outside of skills; remove it".to_owned(),
        "shell" => return "hooks run without a shell; remove `shell`".to_owned(),
        "command" | "args" | "type" => return format!("`install` writes the command; remove `{written}`"),
        "config" => return "a hook's configuration is an argument, `Config<T>`; remove `config`".to_owned(),
        "disabled" | "enabled" | "off" => {
            return "`off = true` in the workspace's Cargo.toml turns a hook off; remove this".to_owned();
        }
        _ => {
            let part = written.to_lowercase();
            let of_part = OPTIONS.iter().find(|option| part.len() > 3 && option.contains(&part));
            of_part.copied().or_else(|| near(written, OPTIONS.iter().copied()))
        }
    };
    match meant {
        Some(meant) => format!("there is no option `{written}`; did you mean `{meant}`?"),
        None => format!("there is no option `{written}`; there are {}", or_list(OPTIONS, "and")),
    }
}

const JOINED: &str = "several events are joined by `|`, as in `SessionStart | UserPromptSubmit`";

/// Parses the events at the beginning.
fn events(input: ParseStream<'_>, faults: &mut Faults) -> syn::Result<Vec<Ident>> {
    let mut events = vec![event(input)?];
    let mut separated = None;
    while !input.is_empty() {
        if input.peek(Token![,]) {
            let Some(next) = event_behind_comma(input) else { break };
            input.parse::<Token![,]>()?;
            separated.get_or_insert(next.span());
        } else if input.peek(Token![|]) && !input.peek(Token![||]) {
            input.parse::<Token![|]>()?;
        } else if input.peek(syn::token::Paren) || input.peek(Token![;]) || input.peek(Token![:]) {
            return Err(input.error("the options follow after a comma: `PreToolUse, timeout = 5`"));
        } else {
            return Err(input.error(JOINED));
        }
        events.push(event(input)?);
    }
    if let Some(span) = separated {
        let names: Vec<String> = events.iter().map(Ident::to_string).collect();
        faults.add(span, format_args!("several events are joined by `|`: write `{}`", names.join(" | ")));
    }
    Ok(events)
}

/// Returns the event written in place of an option.
fn event_behind_comma(input: ParseStream<'_>) -> Option<Ident> {
    let behind = input.fork();
    behind.parse::<Token![,]>().ok()?;
    let word = behind.call(Ident::parse_any).ok()?;
    event::event(&word.to_string()).map(|_| word)
}

/// Parses the name of an event.
fn event(input: ParseStream<'_>) -> syn::Result<Ident> {
    if let Ok(text) = input.fork().parse::<LitStr>() {
        let message = format!("write the event without quotes: `{}`", text.value());
        return Err(Error::new(text.span(), message));
    }
    let span = input.span();
    let path: Path = input.parse().map_err(|_| Error::new(span, format!("expected an event here; {JOINED}")))?;
    if let Some(event) = path.get_ident() {
        return Ok(event.unraw());
    }
    let message = match path.segments.last() {
        Some(last) => format!("write the event as the client does: `{}`", last.ident),
        None => "write the event as the client does".to_owned(),
    };
    Err(Error::new_spanned(path, message))
}

/// Parses an option that has no value.
fn flag(input: ParseStream<'_>, key: &Ident, slot: &mut Option<Span>) -> syn::Result<()> {
    if input.peek(Token![=]) || input.peek(syn::token::Paren) {
        let message = format!("`{key}` takes no value: write it alone, or remove it");
        return Err(Error::new(key.span(), message));
    }
    ends(input, format_args!("`{key}`"))?;
    set(key, slot, key.span())
}

/// Parses `= value` into `slot`.
pub(crate) fn value<V: Parse>(input: ParseStream<'_>, key: &Ident, slot: &mut Option<V>) -> syn::Result<()> {
    if !input.peek(Token![=]) {
        let value = match key.to_string().as_str() {
            "on_failure" => "block",
            "timeout" => "5",
            _ => "…",
        };
        let message = format!("`{key}` needs a value: write `{key} = {value}`");
        return Err(Error::new(key.span(), message));
    }
    input.parse::<Token![=]>()?;
    if input.is_empty() || input.peek(Token![,]) {
        return Err(Error::new(key.span(), format!("the value of `{key}` is missing")));
    }
    let value = input.parse()?;
    ends(input, format_args!("the value of `{key}`"))?;
    set(key, slot, value)
}

/// Checks that an option ends here.
fn ends(input: ParseStream<'_>, what: impl Display) -> syn::Result<()> {
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(());
    }
    if input.peek(Ident::peek_any) {
        return Err(input.error(format_args!("a comma is missing after {what}")));
    }
    Err(input.error(format_args!("expected `,` after {what}")))
}

fn set<V>(key: &Ident, slot: &mut Option<V>, value: V) -> syn::Result<()> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(Error::new(key.span(), format!("`{key}` is given twice; keep one"))),
    }
}

/// A type for the value of an option.
pub(crate) trait Literal: Parse {
    /// Returns the message for any other value, given the tokens up to the next comma.
    fn wanted(written: &str) -> String;
}

impl Literal for LitStr {
    fn wanted(written: &str) -> String {
        if !written.is_empty() && written.chars().all(|char| char.is_uppercase() || char == '_') {
            return "a constant cannot be read here; write the string itself".to_owned();
        }
        let is_name = |char: char| char.is_alphanumeric() || "_|- ".contains(char);
        let list = |input: ParseStream<'_>| {
            let content;
            syn::bracketed!(content in input);
            content.parse_terminated(<LitStr as Parse>::parse, Token![,])
        };
        let example = match list.parse_str(written) {
            Ok(list) if !list.is_empty() => list.iter().map(LitStr::value).collect::<Vec<_>>().join("|"),
            _ if written.chars().all(is_name) => written.replace(' ', ""),
            _ => "…".to_owned(),
        };
        format!("expected a string, as in settings.json: `\"{example}\"`")
    }
}

impl Literal for LitInt {
    fn wanted(written: &str) -> String {
        let meant = meant_seconds(written).map(|seconds| format!("; write `timeout = {seconds}`"));
        format!("a timeout is a whole number of seconds{}", meant.as_deref().unwrap_or(", as in `timeout = 5`"))
    }
}

/// Returns the seconds, rounded up, that a text such as `"5s"`, `500ms` or `Duration::from_mins(2)` probably means.
fn meant_seconds(written: &str) -> Option<u32> {
    let written = written.replace(['"', '_', ' ', '-'], "").to_lowercase();
    let (function, value) = written.strip_suffix(')').and_then(|call| call.split_once('(')).unwrap_or(("", &written));
    let unit = value.trim_start_matches(|char: char| char.is_ascii_digit() || char == '.');
    let number: f64 = value.strip_suffix(unit)?.parse().ok()?;
    let unit = if unit.is_empty() { function.rsplit_once("from").map_or(function, |(_, unit)| unit) } else { unit };
    let seconds = match unit {
        "" | "s" | "sec" | "secs" | "second" | "seconds" | "secsf32" | "secsf64" => number,
        "ms" | "milli" | "millis" | "milliseconds" => number / 1000.0,
        "m" | "min" | "mins" | "minute" | "minutes" => number * 60.0,
        "h" | "hour" | "hours" => number * 3600.0,
        _ => return None,
    };
    (seconds <= f64::from(lint::LONGEST_TIMEOUT)).then(|| seconds.ceil().max(1.0) as u32)
}

/// Words of other tools for an outcome of a failure.
const OUTCOMES: &[(&str, OnFailure)] = &[
    ("allow", OnFailure::Continue),
    ("deny", OnFailure::Block),
    ("error", OnFailure::Block),
    ("fail", OnFailure::Block),
    ("ignore", OnFailure::Continue),
    ("pass", OnFailure::Continue),
    ("prompt", OnFailure::Ask),
];

impl Parse for At<OnFailure> {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let span = input.span();
        let word = input.call(Ident::parse_any).map(|word| word.to_string()).unwrap_or_default();
        match OnFailure::of_word(&word) {
            Some(value) => Ok(Self { value, span }),
            None => {
                let words: Vec<&str> = OnFailure::ALL.iter().map(|policy| policy.word()).collect();
                let meant = OUTCOMES.iter().find(|(other, _)| *other == word).map(|(_, policy)| policy.word());
                let message = match meant.or_else(|| near(&word, words.iter().copied())) {
                    Some(meant) => format!("there is no outcome `{word}`; did you mean `{meant}`?"),
                    None => format!("expected {}, without quotes", or_list(&words, "or")),
                };
                Err(Error::new(span, message))
            }
        }
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

/// Parses a value. The error names the expected form.
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
            let message = format!("expected a path, without quotes: `{}`", text.value());
            return Err(Error::new(text.span(), message));
        }
        input.parse().map(Self)
    }
}
