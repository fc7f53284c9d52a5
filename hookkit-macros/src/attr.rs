//! What was written in `#[hook(…)]`? Grammar only.

use hookkit_protocol::event;
use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Ident, LitInt, LitStr, Path, Token};

use crate::faults::Faults;
use crate::suggest::or_list;

/// The attribute's arguments, as they were written.
pub(crate) struct Attr {
    pub(crate) event: Ident,
    pub(crate) matcher: Option<Value<LitStr>>,
    /// `if`
    pub(crate) condition: Option<Value<LitStr>>,
    pub(crate) timeout: Option<Value<LitInt>>,
    pub(crate) status_message: Option<LitStr>,
    pub(crate) name: Option<LitStr>,
    /// `crate`
    pub(crate) krate: Option<Path>,
    /// What could not be read. The rest was.
    pub(crate) faults: Faults,
}

/// A value that is checked, unless it stands in `unchecked(…)`.
pub(crate) struct Value<V> {
    pub(crate) literal: V,
    pub(crate) is_unchecked: bool,
}

const OPTIONS: &[&str] = &["matcher", "if", "timeout", "status_message", "name", "crate"];

impl Parse for Attr {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let first = input.fork().call(Ident::parse_any);
        let is_option = |word: &Ident| OPTIONS.contains(&word.to_string().as_str());
        if input.is_empty() || first.is_ok_and(|word| is_option(&word)) {
            let message = "a hook names its event first: `#[hook(PreToolUse)]`";
            return Err(Error::new(input.span(), message));
        }
        if let Ok(text) = input.fork().parse::<LitStr>() {
            let message = format!("an event is written without quotes: `{}`", text.value());
            return Err(Error::new(text.span(), message));
        }
        let path: Path = input.parse()?;
        let Some(event) = path.get_ident() else {
            let message = match path.segments.last() {
                Some(last) => format!("an event is written as the client writes it: `{}`", last.ident),
                None => "an event is written as the client writes it".to_owned(),
            };
            return Err(Error::new_spanned(path, message));
        };
        let mut attr = Self {
            event: event.clone(),
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
    if event::event(written).is_some() {
        return format!("a hook has one event; write another function for `{written}`, which calls this one");
    }
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

impl<V: Literal> Parse for Value<V> {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let content;
        let is_unchecked = input.fork().parse::<Ident>().is_ok_and(|word| word == "unchecked");
        let literal = if is_unchecked {
            input.parse::<Ident>()?;
            syn::parenthesized!(content in input);
            &content
        } else {
            input
        };
        match literal.parse() {
            Ok(literal) => Ok(Self { literal, is_unchecked }),
            Err(err) => {
                let rest: TokenStream = literal.fork().parse()?;
                let written: TokenStream = rest.into_iter().take_while(|token| token.to_string() != ",").collect();
                Err(Error::new(err.span(), V::wanted(&written.to_string())))
            }
        }
    }
}
