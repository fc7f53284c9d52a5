//! Secrets here are made at run time: scanners of repositories would find any text that looks like one.

pub(crate) use test_support::made;

use super::*;
use crate::soak;

/// Returns a keyword of each rule, and a form of the text after it.
fn forms() -> Vec<(String, String)> {
    let lines = test_support::lines!("lines/forms.txt");
    let rows = &lines.section("forms").rows;
    rows.iter().map(|row| (row.expected.join("\t"), row.line.clone())).collect()
}

/// Returns a secret of each form.
pub(crate) fn of_each_form() -> impl Iterator<Item = String> {
    forms().into_iter().map(|(keyword, form)| format!("{keyword}{}", made(&form)))
}

fn found(text: &str) -> Vec<String> {
    secrets(text).iter().map(Secret::to_string).collect()
}

#[test]
fn each_form_is_found_in_code_and_named_without_the_secret() {
    let keywords: Vec<&str> = RULES.iter().map(|rule| rule.keyword).collect();
    let forms = forms();
    let of_forms: Vec<&str> = forms.iter().map(|(keyword, _)| keyword.as_str()).collect();
    assert_eq!(keywords, of_forms, "each rule has a form here");
    for (rule, (keyword, form)) in RULES.iter().zip(&forms) {
        let secret = format!("{keyword}{}", made(form));
        let before = if rule.is_within { "abc12345" } else { "" };
        for text in [
            format!("one\nkey = \"{before}{secret}\"\n"),
            format!("one\n{before}{secret}"),
            format!("curl -H 'X: \n{before}{secret}'"),
        ] {
            let expected = format!("line 2: {} (`{}…`)", rule.name, keyword.trim_end());
            assert_eq!(found(&text), [expected], "{text}");
        }
    }
}

#[test]
fn a_line_end_in_a_string_is_one() {
    let key = made("-----BEGIN PRIVATE KEY-----\\n<a64>\\n");
    let expected = ["line 1: a private key (`-----BEGIN…`)"];
    assert_eq!(found(&format!("\"private_key\": \"{key}\"")), expected);
    let token = made("ghp_<a36>");
    assert_eq!(found(&format!("\"first\\n{token}\\n\"")).len(), 1);
}

#[test]
fn a_token_after_an_option_or_a_sign_of_an_address_is_found() {
    let token = made("ghp_<a36>");
    for before in ["mysql -p", "-b", "https://x/?k%3D", "https://x/?q=%22", "a%20", r"{\u0022", r"a\x3d"] {
        assert_eq!(found(&format!("{before}{token}")).len(), 1, "{before}");
    }
    for before in ["x-p", "--p", "pp", "a%2", r"\u002", r"\x3"] {
        assert!(found(&format!("{before}{token}")).is_empty(), "{before}");
    }
}

#[test]
fn keys_of_other_forms_are_private_keys_too() {
    for kind in ["", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "] {
        assert_eq!(found(&made(&format!("-----BEGIN {kind}PRIVATE KEY-----\r\n<a64>\r\n"))).len(), 1, "{kind}");
    }
    let pgp = made("-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n<a64>\n");
    assert_eq!(found(&pgp).len(), 1);
    let commented = made("-----BEGIN PGP PRIVATE KEY BLOCK-----\nComment: a -- b-\nVersion: 2\n\n<a64>\n");
    assert_eq!(found(&commented).len(), 1);
    let printed = made("examples/k.pem:-----BEGIN PRIVATE KEY-----\nexamples/k.pem:<a64>\n");
    assert_eq!(found(&printed).len(), 1);
    let numbered = made("     1→-----BEGIN PRIVATE KEY-----\n     2→<a64>\n");
    assert_eq!(found(&numbered).len(), 1);
}

#[test]
fn what_only_looks_alike_is_none() {
    test_support::lines!("lines/forms.txt").check_section("texts that only look alike", |form| {
        let found = found(&made(form));
        if found.is_empty() { "none".into() } else { found.join(" ") }
    });
    for text in [
        String::new(),
        format!("AKIA{}", "IOSFODNN7EXAMPLE"),
        format!("ghp_{}", "x".repeat(36)),
        format!("ghp_{}", "abcdefghijklmnopqrstuvwxyz0123456789"),
        format!("aws_secret_access_key = \"{}\"", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        format!("shpat_{}", "0".repeat(32)),
    ] {
        assert_eq!(found(&text), [""; 0], "{text}");
    }
}

#[test]
fn a_line_that_is_marked_is_let_through_and_no_other() {
    let token = made("ghp_<a36>");
    assert!(found(&format!("a = \"{token}\" # gitleaks:allow\n")).is_empty());
    assert!(found(&format!("a = \"{token}\" // pragma: allowlist secret")).is_empty());
    let two = format!("# gitleaks:allow\na = \"{token}\"\n# gitleaks:allow\n");
    assert_eq!(found(&two), ["line 2: a GitHub token (`ghp_…`)"]);
}

#[test]
fn a_letter_of_more_than_a_byte_next_to_a_secret_does_no_harm() {
    let token = made("ghp_<a36>");
    assert_eq!(found(&format!("ä{token}ä\u{1f511}")).len(), 1);
}

#[test]
fn what_has_no_end_is_reported_however_long_it_is() {
    assert_eq!(found(&made("glpat-<a1017>")).len(), 1);
    assert_eq!(found(&made("glpat-<a5000>")).len(), 1);
    assert_eq!(found(&format!("{}é", made("glpat-<a1023>"))).len(), 1);
}

#[test]
fn each_line_is_counted_and_asked_for_its_mark_by_itself() {
    let token = made("ghp_<a36>");
    let text = format!("{token}\n\n{token} {token}\n{token} # gitleaks:allow\n{token}");
    let lines: Vec<usize> = secrets(&text).iter().map(|secret| secret.line).collect();
    assert_eq!(lines, [1, 3, 3, 5]);
}

/// Searches texts of keywords. Each took minutes when the rest of the text, or of its line, was searched for every
/// keyword.
#[test]
fn a_text_made_of_keywords_alone_is_looked_at_once() {
    let count = soak::size(20_000, 100_000);
    assert!(!found(&"T3BlbkFJ".repeat(count)).is_empty());
    assert_eq!(found(&"glpat-".repeat(count)), [""; 0]);
    assert_eq!(found(&"-----BEGIN PRIVATE KEY-----a: ".repeat(count / 5)), [""; 0]);
    let token = made("ghp_<a36> ");
    assert_eq!(secrets(&token.repeat(count)).len(), count);
}

#[test]
fn a_keyword_is_enough_to_be_shown() {
    for rule in RULES {
        assert!(rule.keyword.len() >= 3 && Search::new(rule).regex.find("").is_none(), "{}", rule.keyword);
    }
}
