//! Text without its secrets.

use std::borrow::Cow;
use std::ops::Range;

use crate::find::secrets;
use crate::named::named;

/// Returns a text with an `x` in place of each letter and digit of a secret, except for the prefix that all secrets of
/// its kind share. The length stays the same, and no secret is left.
///
/// A private key is masked up to its end, or to the end of the text. Do not use this on JSON text, where the letter of `\n`
/// would be masked, too: decode the JSON, and mask its strings.
pub fn masked(text: &str) -> Cow<'_, str> {
    let masks = masks(text);
    if masks.is_empty() {
        return text.into();
    }
    let mut masked = text.to_owned();
    for (range, mask) in masks {
        masked.replace_range(range, &mask);
    }
    masked.into()
}

/// Returns the parts of a text that [`masked`] replaces, in order, each with its mask.
pub fn masks(text: &str) -> Vec<(Range<usize>, String)> {
    let mask = |char: char| if char.is_ascii_alphanumeric() { 'x' } else { char };
    let found = secrets(text).into_iter().map(|secret| (secret.extent(text), secret.kind().into()));
    apart(found.collect())
        .into_iter()
        .map(|(range, _)| (range.clone(), text[range].chars().map(mask).collect()))
        .collect()
}

/// Returns the parts of a text that are secrets, in order, each with a marker that names the removed text:
/// `[hookkit: GitHub token removed]`.
///
/// In addition to [`secrets`](crate::secrets()), these are values with a secret's name, as in `DB_PASSWORD=…`, in
/// `Authorization: Bearer …` and in `"client_secret": "…"`, and passwords in addresses. Such a value has letters and
/// digits next to each other, and at least 16 characters; after a name in capitals, and in an address, 8 are enough. A
/// terminal's color codes do not hide such a value. The values of `variables`, each with its name, are secrets
/// anywhere.
pub fn markers(text: &str, variables: &[(String, String)]) -> Vec<(Range<usize>, String)> {
    let (text, codes) = without_codes(text);
    let text = &*text;
    let found = secrets(text).into_iter().map(|secret| (secret.extent(text), secret.kind().into()));
    let of_variables = variables.iter().flat_map(|(name, value)| {
        text.match_indices(value.as_str()).map(move |(at, _)| (at..at + value.len(), format!("value of {name}").into()))
    });
    let parts = apart(found.chain(named(text)).chain(of_variables).collect()).into_iter();
    // Maps a position to the text with its codes, after all codes for which `is_before` is true.
    let place = |at: usize, is_before: &dyn Fn(usize) -> bool| {
        at + codes.partition_point(|(code, _)| is_before(*code)).checked_sub(1).map_or(0, |last| codes[last].1)
    };
    parts
        .map(|(range, what)| {
            let start = place(range.start, &|code| code <= range.start);
            let end = place(range.end, &|code| code < range.end);
            (start..end, format!("[hookkit: {what} removed]"))
        })
        .collect()
}

/// Returns a text without a terminal's color codes. For each code, also returns its position in that text, and the
/// length of all codes up to it.
fn without_codes(text: &str) -> (Cow<'_, str>, Vec<(usize, usize)>) {
    const START: &str = "\x1b[";
    if !text.contains('\x1b') {
        return (text.into(), Vec::new());
    }
    let mut parts = text.split(START);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    let (mut codes, mut length) = (Vec::new(), 0);
    for part in parts {
        let end = part.find(|char| !matches!(char, ' '..='?')).unwrap_or(part.len());
        let end = end + usize::from(part[end..].starts_with(|char| matches!(char, '@'..='~')));
        length += START.len() + end;
        codes.push((plain.len(), length));
        plain.push_str(&part[end..]);
    }
    (plain.into(), codes)
}

/// Returns parts in order, and merges overlapping ones into the first.
fn apart(mut parts: Vec<(Range<usize>, Cow<'_, str>)>) -> Vec<(Range<usize>, Cow<'_, str>)> {
    parts.sort_by_key(|(range, _)| range.start);
    parts.dedup_by(|(range, _), (before, _)| {
        let is_within = range.start < before.end;
        if is_within {
            before.end = before.end.max(range.end);
        }
        is_within
    });
    parts
}

#[cfg(test)]
mod tests {
    use super::{markers, masked};
    use crate::find::secrets;
    use crate::find::tests::{made, of_each_form};

    #[test]
    fn no_secret_of_any_form_is_left_and_the_rest_is_as_it_was() {
        for secret in of_each_form() {
            let text = format!("one\nkey = \"{secret}\" and more\n");
            let after = masked(&text);
            assert!(secrets(&after).is_empty(), "{after}");
            assert_eq!(after.len(), text.len());
            assert!(after.starts_with("one\nkey = \""), "{after}");
            // A private key without an end is masked up to the end of the text.
            assert!(after.ends_with("\" and more\n") || secret.starts_with("-----BEGIN"), "{after}");
            let (_, hidden) = secret.split_at(secret.len() - 16);
            assert!(!after.contains(hidden), "{after}");
        }
        let token = made("ghp_<a36>");
        let expected = format!("äghp_{0}ä ghp_{0}", "x".repeat(36));
        assert_eq!(masked(&format!("ä{token}ä {token}")), expected);
        assert_eq!(masked("no secret"), "no secret");
    }

    #[test]
    fn a_private_key_and_a_long_token_are_masked_to_their_ends() {
        let key = made("-----BEGIN PRIVATE KEY-----\n<a64>\n<a64>\n<a1500>\n<a20>=\n-----END PRIVATE KEY-----\n");
        let after = masked(&key);
        let lines = ["x".repeat(64), "x".repeat(64), "x".repeat(1500), "x".repeat(20) + "="].join("\n");
        let expected = format!("\n{lines}\n-----END PRIVATE KEY-----\n");
        assert!(after.ends_with(&expected), "{after}");
        let cut = &key[..key.len() - 40];
        assert!(masked(cut).ends_with("xxxx"));
        let long = made("glpat-<a3000>");
        assert_eq!(masked(&long), format!("glpat-{}", "x".repeat(3000)));
    }
    #[test]
    fn values_are_secrets_by_their_names() {
        test_support::lines!("lines/named.txt").check(|section, text| {
            let text = made(text).replace('‹', "<").replace('›', ">");
            let parts = markers(&text, &[("PGPASSWORD".to_owned(), "opensesame".to_owned())]);
            let mut left = text.clone();
            for (range, marker) in parts.iter().rev() {
                left.replace_range(range.clone(), marker);
            }
            let markers: Vec<&str> = parts.iter().map(|(_, marker)| marker.as_str()).collect();
            assert_eq!(section.name == "ordinary", parts.is_empty(), "{left}");
            let what = markers.join(" ").replace("[hookkit: ", "").replace(" removed]", ",");
            if what.is_empty() { "-".to_owned() } else { what.trim_end_matches(',').to_owned() }
        });
    }

    #[test]
    fn a_part_that_begins_in_another_one_is_a_part_of_it() {
        let token = made("ghp_<a36>");
        let text = format!("DB_TOKEN={token}/{token} x");
        let expected = "value of DB_TOKEN";
        let [(range, marker)] = &markers(&text, &[])[..] else { panic!("one marker") };
        assert_eq!((&text[range.end..], marker.contains(expected)), (" x", true));
    }

    #[test]
    fn the_time_is_linear() {
        for text in ["token=", "token:a1", "://a:a1@", "PASSWORD=a1b2c3d4"] {
            let text = text.repeat(10_000);
            assert!(markers(&text, &[]).len() < text.len());
        }
    }
}
