//! Values that are secrets because of their names.

use std::borrow::Cow;
use std::ops::Range;

use crate::find::{beginning, is_random};

/// Words at the end of a secret's name.
const ENDS: [&str; 14] = [
    "auth", "authorization", "base", "credential", "credentials", "key", "pass", "passphrase", "passwd", "password",
    "pwd", "secret", "token", VALUE,
];

/// A member whose name is the value of the previous one: `{"name": "DB_PASSWORD", "value": "…"}`.
const VALUE: &str = "value";

/// Suffixes of the names of secrets, in lowercase and without separators.
const NAMES: &str = "accesskey accountkey apikey auth authkey authorization credential credentials encryptionkey masterkey \
    pass passphrase passwd password privatekey pwd secret secretkey secretkeybase signingkey token";
const OTHERS: &str = "bypass compass continuationtoken nexttoken pagetoken";

/// Schemes of the header `Authorization`.
const SCHEMES: [&str; 5] = ["apikey ", "basic ", "bearer ", "bot ", "token "];

/// Maximum length of a type between a name and its value.
const LONGEST_TYPE: usize = 40;

/// Maximum number of bytes of a value to check.
const LONGEST: usize = 128;

/// Returns the ranges of values with a secret's name, and of passwords in addresses, each with a description.
pub(crate) fn named(text: &str) -> impl Iterator<Item = (Range<usize>, Cow<'static, str>)> {
    let mut end = 0;
    let is_sign = move |(at, byte): &(usize, u8)| match byte {
        b',' => text[..*at].ends_with(['"', '\'']),
        byte => matches!(byte, b'=' | b':' | b'>'),
    };
    text.bytes().enumerate().filter(is_sign).filter_map(move |(at, _)| {
        // A separator within a value is a part of it, so that no text is searched again and again.
        let found = (at >= end).then(|| password(text, at).or_else(|| value(text, at)))??;
        end = found.0.end;
        Some(found)
    })
}

/// Returns the range of the value after a separator, if the name before it is a secret's.
fn value(text: &str, sign: usize) -> Option<(Range<usize>, Cow<'static, str>)> {
    let is_around = |char: char| matches!(char, ' ' | '\t' | '"' | '\'' | '`' | '\\');
    let is_before = |byte: &u8| is_around(char::from(*byte)) || *byte == b']';
    let bytes = text.as_bytes();
    let mut end = bytes[..sign].iter().rposition(|byte| !is_before(byte))? + 1;
    if !names_end(&bytes[..end]) {
        return None;
    }
    let mut name = last_name(&text[..end]);
    if name.eq_ignore_ascii_case(VALUE) {
        let is_between = |byte: &u8| is_before(byte) || b",:{\r\n".contains(byte);
        end = bytes[..end - name.len()].iter().rposition(|byte| !is_between(byte))? + 1;
        name = last_name(&text[..end]);
    }
    if !names_secret(name) {
        return None;
    }
    let rest = &text[sign + 1..];
    // `setenv("DB_PASSWORD", "…")`
    if bytes[sign] == b',' && !rest.trim_start().starts_with(['"', '\'']) {
        return None;
    }
    // `password: &str = "…"`
    let is_of_type = |byte: u8| byte.is_ascii_alphabetic() || b" &'<>?[]_|".contains(&byte);
    let assigned = beginning(rest, LONGEST_TYPE)
        .split_once('=')
        .filter(|(kind, _)| kind.bytes().all(is_of_type))
        .map_or(rest, |(kind, _)| &rest[kind.len()..]);
    let mut value = assigned.trim_start_matches(|char: char| is_around(char) || matches!(char, '=' | '>'));
    let quote = assigned[..assigned.len() - value.len()].chars().last();
    let scheme = SCHEMES.iter().find(|scheme| {
        let start = value.as_bytes().get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    });
    value = &value[scheme.map_or(0, |scheme| scheme.len())..];
    let is_end = |char: char| match quote {
        Some(quote @ ('"' | '\'' | '`')) => char == quote || char == '\n',
        _ => char.is_whitespace() || ",;\"'`<>|&)}]".contains(char),
    };
    let whole = |text: &str| text.find(is_end).unwrap_or(text.len());
    let least = if name.chars().any(|char| char.is_ascii_lowercase()) { 16 } else { 8 };
    let judged = beginning(value, LONGEST);
    let start = text.len() - value.len();
    is_secret(judged[..whole(judged)].trim_end_matches('\\'), least)
        .then(|| (start..start + value[..whole(value)].trim_end_matches('\\').len(), format!("value of {name}").into()))
}

/// Returns the range of the password in an address: `postgres://user:password@host`.
fn password(text: &str, sign: usize) -> Option<(Range<usize>, Cow<'static, str>)> {
    let rest = beginning(text[sign..].strip_prefix("://")?, LONGEST);
    let (login, _) =
        rest.split(|char: char| char.is_whitespace() || "/\"'`".contains(char)).next()?.rsplit_once('@')?;
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    let start = sign + "://".len();
    let place = if is_secret(password, 8) {
        start + user.len() + 1..start + login.len()
    } else {
        is_secret(user, 16).then(|| start..start + user.len())?
    };
    Some((place, "password".into()))
}

/// Returns the name that a text ends with.
fn last_name(text: &str) -> &str {
    &text[text.trim_end_matches(|char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.')).len()..]
}

/// Returns `true` if the last word of a name is a secret's. This check excludes nearly all separators.
fn names_end(name: &[u8]) -> bool {
    let length = name
        .iter()
        .rposition(|byte| !(byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'.')))
        .map_or(0, |at| at + 1);
    let is_end = |end: &&str| {
        let start = length.checked_sub(end.len());
        start.is_some_and(|start| name[start..length].eq_ignore_ascii_case(end.as_bytes()))
    };
    let last = length.checked_sub(1).map(|last| name[last].to_ascii_lowercase());
    ENDS.iter().filter(|end| end.as_bytes().last().copied() == last).any(is_end)
}

/// Returns `true` if the end of a name shows that its value is a secret.
fn names_secret(name: &str) -> bool {
    /// Maximum length of a name.
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return false;
    }
    let name = name.trim_end_matches(|char: char| char.is_ascii_digit());
    let name = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let is_one = |list: &str| list.split(' ').any(|end| name.ends_with(end));
    is_one(NAMES) && !is_one(OTHERS)
}

/// Returns `true` for a value that may be a secret: not code, a path, a name, or a reference to a value.
fn is_secret(value: &str, least: usize) -> bool {
    let is_mixed = |part: &str| {
        let has = |is: fn(&u8) -> bool| part.bytes().any(|byte| is(&byte));
        part.len() >= least / 2 && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
    };
    // `self.token1`; the parts of a web token are longer.
    let is_name = |part: &str| {
        let mut chars = part.chars();
        part.len() < 40
            && chars.next().is_some_and(|char| char.is_alphabetic() || char == '_')
            && chars.all(|char| char.is_alphanumeric() || char == '_')
    };
    let is_member = || value.contains('.') && value.split('.').all(is_name);
    value.len() >= least
        && !value.starts_with(['$', '%', '{', '<', '[', '/', '~', '*'])
        && !value.contains(['(', '$', '{', ' '])
        && value.split(|char: char| !char.is_ascii_alphanumeric()).any(is_mixed)
        && !is_member()
        && is_random(value, 2.5)
}
