//! Kinds of values that the client accepts for a key.

use hookkit_protocol::settings::KeyKind;

use crate::settings::value::Value;

pub(super) fn wanted(kind: KeyKind) -> String {
    let wanted = match kind {
        KeyKind::Text => "a text",
        KeyKind::FilledText => "a non-empty string",
        KeyKind::Url => "a URL",
        KeyKind::Word(words) => return format!("one of `{}`", words.join("`, `")),
        KeyKind::Flag => "true or false",
        KeyKind::Number => "a number",
        KeyKind::Positive => "a number above 0",
        KeyKind::Count => "a whole number above 0",
        KeyKind::List => "a list",
        KeyKind::Texts => "a list of strings",
        KeyKind::Map | KeyKind::Object(_) => "an object",
        KeyKind::TextMap => "an object of strings",
        KeyKind::FlagMap => "an object of true, false or lists of strings",
    };
    wanted.to_owned()
}

pub(super) fn fits(value: &Value, kind: KeyKind) -> bool {
    let text = value.as_text();
    let number = match value {
        Value::Number(number, _) => number.parse::<f64>().ok(),
        _ => None,
    };
    let is_text = |value: &Value| value.as_text().is_some();
    let has_all = |is_wanted: &dyn Fn(&Value) -> bool| {
        let object = value.as_object();
        object.is_some_and(|object| object.members.iter().all(|member| is_wanted(&member.value)))
    };
    match kind {
        KeyKind::Text => text.is_some(),
        KeyKind::FilledText => text.is_some_and(|text| !text.is_empty()),
        KeyKind::Url => text.is_some_and(is_url),
        KeyKind::Word(words) => text.is_some_and(|text| words.contains(&text)),
        KeyKind::Flag => matches!(value, Value::Flag(..)),
        KeyKind::Number => number.is_some_and(f64::is_finite),
        KeyKind::Positive => number.is_some_and(|number| number.is_finite() && number > 0.0),
        // Beyond 2^53, the client's numbers are no longer exact integers.
        KeyKind::Count => {
            number.is_some_and(|number| number > 0.0 && number < 9_007_199_254_740_992.0 && number.fract() == 0.0)
        }
        KeyKind::List => value.as_list().is_some(),
        KeyKind::Texts => value.as_list().is_some_and(|list| list.elements.iter().all(is_text)),
        KeyKind::Map | KeyKind::Object(_) => value.as_object().is_some(),
        KeyKind::TextMap => has_all(&is_text),
        KeyKind::FlagMap => has_all(&|value| fits(value, KeyKind::Flag) || fits(value, KeyKind::Texts)),
    }
}

/// Returns `true` if the client accepts a string as a URL. The check is rough: the string must have a scheme, and a
/// host if the scheme needs one.
fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.trim().split_once(':') else {
        return false;
    };
    let has_scheme = scheme.starts_with(|char: char| char.is_ascii_alphabetic())
        && scheme.chars().all(|char| char.is_ascii_alphanumeric() || "+.-".contains(char));
    let wants_host = ["http", "https", "ws", "wss", "ftp"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let host = rest.trim_start_matches(['/', '\\']).split(['/', '?', '#', '\\']).next().unwrap_or_default();
    has_scheme && (!wants_host || !host.is_empty() && !host.contains([' ', '<', '>', '^', '|']))
}
