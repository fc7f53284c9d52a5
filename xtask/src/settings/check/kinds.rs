//! The kinds of values that the client takes for a key.

use hookkit_protocol::settings::Kind;

use crate::settings::value::Value;

pub(super) fn wanted(kind: Kind) -> String {
    let wanted = match kind {
        Kind::Text => "a text",
        Kind::FilledText => "a text that is not empty",
        Kind::Url => "a URL",
        Kind::Word(words) => return format!("one of `{}`", words.join("`, `")),
        Kind::Flag => "true or false",
        Kind::Number => "a number",
        Kind::Positive => "a number above 0",
        Kind::Count => "a whole number above 0",
        Kind::List => "a list",
        Kind::Texts => "a list of texts",
        Kind::Map | Kind::Object(_) => "an object",
        Kind::TextMap => "an object of texts",
    };
    wanted.to_owned()
}

pub(super) fn fits(value: &Value, kind: Kind) -> bool {
    let text = value.as_text();
    let number = match value {
        Value::Number(number, _) => number.parse::<f64>().ok(),
        _ => None,
    };
    let is_text = |value: &Value| value.as_text().is_some();
    match kind {
        Kind::Text => text.is_some(),
        Kind::FilledText => text.is_some_and(|text| !text.is_empty()),
        Kind::Url => text.is_some_and(is_url),
        Kind::Word(words) => text.is_some_and(|text| words.contains(&text)),
        Kind::Flag => matches!(value, Value::Flag(..)),
        Kind::Number => number.is_some_and(f64::is_finite),
        Kind::Positive => number.is_some_and(|number| number.is_finite() && number > 0.0),
        // Beyond 2^53 the client's numbers are no whole numbers any more.
        Kind::Count => {
            number.is_some_and(|number| number > 0.0 && number < 9_007_199_254_740_992.0 && number.fract() == 0.0)
        }
        Kind::List => value.as_list().is_some(),
        Kind::Texts => value.as_list().is_some_and(|list| list.elements.iter().all(is_text)),
        Kind::Map | Kind::Object(_) => value.as_object().is_some(),
        Kind::TextMap => {
            let object = value.as_object();
            object.is_some_and(|object| object.members.iter().all(|member| is_text(&member.value)))
        }
    }
}

/// Returns whether the client takes a text for a URL, as far as a glance tells: it has a scheme, and a host where the scheme
/// wants one.
pub(crate) fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.trim().split_once(':') else {
        return false;
    };
    let has_scheme = scheme.starts_with(|char: char| char.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || "+.-".contains(char));
    let wants_host = ["http", "https", "ws", "wss", "ftp"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known));
    let host = rest.trim_start_matches(['/', '\\']);
    let host = host.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    has_scheme && (!wants_host || !host.is_empty() && !host.contains([' ', '<', '>', '^', '|']))
}
