//! Values that are secrets by their names.

use std::borrow::Cow;
use std::ops::Range;

use crate::find::{beginning, is_random};

/// Words that such names end with.
const ENDS: [&str; 10] = [
    "auth", "authorization", "credential", "key", "passphrase", "passwd", "password", "pwd", "secret", "token",
];

/// Ends of such names, in lowercase and without what separates their words; and those of names of other values.
const NAMES: &str = "accesskey accountkey apikey auth authkey authorization credential encryptionkey masterkey passphrase \
    passwd password privatekey pwd secret secretkey signingkey token";
const OTHERS: &str = "continuationtoken nexttoken pagetoken";

/// Number of bytes of a value by which it is judged.
const LONGEST: usize = 128;

/// Returns the places of values that are secrets by their names, and of passwords in addresses, each with what it is.
pub(crate) fn named(text: &str) -> impl Iterator<Item = (Range<usize>, Cow<'static, str>)> {
    let mut end = 0;
    let signs = text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| matches!(byte, b'=' | b':' | b'>'));
    signs.filter_map(move |(at, _)| {
        // What is in a value is a part of it, so that no text is gone through again and again.
        let found = (at >= end).then(|| password(text, at).or_else(|| value(text, at)))??;
        end = found.0.end;
        Some(found)
    })
}

/// Returns the place of the value whose name is before a sign, if that is the name of a secret.
fn value(text: &str, sign: usize) -> Option<(Range<usize>, Cow<'static, str>)> {
    let is_around = |char: char| matches!(char, ' ' | '\t' | '"' | '\'' | '`' | '\\');
    let before = &text.as_bytes()[..sign];
    let end = before.iter().rposition(|byte| !is_around(char::from(*byte)))? + 1;
    if !names_end(&before[..end]) {
        return None;
    }
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let start = before[..end]
        .iter()
        .rposition(|byte| !is_of_name(byte))
        .map_or(0, |at| at + 1);
    let name = &text[start..end];
    if !names_secret(name) {
        return None;
    }
    let rest = &text[sign + 1..];
    let mut value = rest.trim_start_matches(|char| is_around(char) || matches!(char, '=' | '>'));
    let quote = rest[..rest.len() - value.len()].chars().last();
    for scheme in ["Basic ", "Bearer ", "token "] {
        value = value.strip_prefix(scheme).unwrap_or(value);
    }
    let is_end = |char: char| match quote {
        Some(quote @ ('"' | '\'' | '`')) => char == quote || char == '\n',
        _ => char.is_whitespace() || ",;\"'`<>|&)}]".contains(char),
    };
    let whole = |text: &str| text.find(is_end).unwrap_or(text.len());
    let least = if name.chars().any(|char| char.is_ascii_lowercase()) {
        16
    } else {
        8
    };
    let judged = beginning(value, LONGEST);
    let start = text.len() - value.len();
    is_secret(judged[..whole(judged)].trim_end_matches('\\'), least).then(|| {
        let length = value[..whole(value)].trim_end_matches('\\').len();
        (start..start + length, format!("value of {name}").into())
    })
}

/// Returns the place of the password of an address: `postgres://user:password@host`.
fn password(text: &str, sign: usize) -> Option<(Range<usize>, Cow<'static, str>)> {
    let rest = beginning(text[sign..].strip_prefix("://")?, LONGEST);
    let (login, _) = rest
        .split(|char: char| char.is_whitespace() || "/\"'`".contains(char))
        .next()?
        .rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    let start = sign + "://".len() + user.len() + 1;
    is_secret(password, 8).then(|| (start..start + password.len(), "password".into()))
}

/// Returns `true` if the last word of a name is that of a secret. Nearly all signs end here.
fn names_end(name: &[u8]) -> bool {
    let is_of_end = |byte: &u8| !(byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'.'));
    let length = name.iter().rposition(is_of_end).map_or(0, |at| at + 1);
    let is_end = |end: &&str| {
        let start = length.checked_sub(end.len());
        start.is_some_and(|start| name[start..length].eq_ignore_ascii_case(end.as_bytes()))
    };
    let last = length.checked_sub(1).map(|last| name[last].to_ascii_lowercase());
    ENDS.iter()
        .filter(|end| end.as_bytes().last().copied() == last)
        .any(is_end)
}

/// Returns `true` if the end of a name says that its value is a secret.
fn names_secret(name: &str) -> bool {
    /// A longer name is not one.
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return false;
    }
    let name = name.trim_end_matches(|char: char| char.is_ascii_digit());
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let name = letters.collect::<String>().to_ascii_lowercase();
    let is_one = |list: &str| list.split(' ').any(|end| name.ends_with(end));
    is_one(NAMES) && !is_one(OTHERS)
}

/// Returns `true` for a value that may be a secret, and not code, a path, the name of something, or a reference to a value.
fn is_secret(value: &str, least: usize) -> bool {
    let is_mixed = |part: &str| {
        let has = |is: fn(&u8) -> bool| part.bytes().any(|byte| is(&byte));
        part.len() >= least / 2 && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
    };
    // `self.token1`; of a web token a part is longer.
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
