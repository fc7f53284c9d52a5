//! Texts without their secrets.

use std::borrow::Cow;

use crate::find::secrets;

/// Returns a text with an `x` in the place of each letter and digit of a secret, except for the beginning that all of its
/// kind have. Its length stays, and it has no secret any more.
///
/// Of a private key all is masked up to its end, or to that of the text. So it is not for the text of JSON, in which the letter
/// of `\n` would be masked, too: decode it, and mask its strings.
pub fn masked(text: &str) -> Cow<'_, str> {
    let found = secrets(text);
    if found.is_empty() {
        return text.into();
    }
    let mut masked = String::with_capacity(text.len());
    let mut done = 0;
    for secret in found {
        let (start, end) = secret.extent(text);
        if start < done {
            continue;
        }
        masked.push_str(&text[done..start]);
        masked.extend(
            text[start..end]
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() { 'x' } else { c }),
        );
        done = end;
    }
    masked.push_str(&text[done..]);
    masked.into()
}

#[cfg(test)]
mod tests {
    use super::masked;
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
            // A private key without its end goes on to that of the text.
            assert!(
                after.ends_with("\" and more\n") || secret.starts_with("-----BEGIN"),
                "{after}"
            );
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
}
