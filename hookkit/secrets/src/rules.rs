//! Forms of providers' secrets.
//!
//! A form is listed in `rules.txt` if it is certain: by a text that every such secret contains, and by the length and
//! the characters of the rest. CONTRIBUTING.md explains how to add a form. A line has keywords separated by bars, with
//! a `*` before them if they are within the secrets. After tabs, it has the name and the pattern.
//!
//! A private key may have the headers of PGP and old OpenSSL, without another key's beginning in them. Its line ends
//! may be plain, or written as in a string of source code, in a text within a text, or in a web page. Before a line,
//! there may be text that programs print: a number, the name of its file.

/// A form of secrets.
#[derive(Debug)]
pub(crate) struct Rule {
    /// Name of the kind of secret.
    pub name: &'static str,
    /// Text that all secrets of this form contain, and that need not be kept secret.
    pub keyword: &'static str,
    /// Pattern of the rest: the secret itself, or its end.
    pub rest: &'static str,
    /// `true` if the keyword is within the secret, not at its beginning.
    pub is_within: bool,
}

/// Maximum number of forms; with more, compiling fails.
const MOST: usize = 128;

static READ: ([Rule; MOST], usize) = read(include_str!("rules.txt"));

pub(crate) const RULES: &[Rule] = READ.0.split_at(READ.1).0;

/// Keyword of private keys.
pub(crate) const PRIVATE_KEY: &str = RULES[0].keyword;

/// Reads the forms, and their number.
const fn read(mut text: &'static str) -> ([Rule; MOST], usize) {
    const NONE: Rule = Rule { name: "", keyword: "", rest: "", is_within: false };
    let mut rules = [NONE; MOST];
    let mut count = 0;
    while !text.is_empty() {
        let (line, behind) = cut(text, b'\n');
        text = behind;
        let (mut keywords, line) = cut(line, b'\t');
        let (name, rest) = cut(line, b'\t');
        let is_within = keywords.as_bytes()[0] == b'*';
        if is_within {
            keywords = keywords.split_at(1).1;
        }
        // A comment has no name.
        while !keywords.is_empty() && !name.is_empty() {
            let (keyword, others) = cut(keywords, b'|');
            rules[count] = Rule { name, keyword, rest, is_within };
            count += 1;
            keywords = others;
        }
    }
    (rules, count)
}

/// Returns the parts of a text before and after a separator.
const fn cut(text: &'static str, sign: u8) -> (&'static str, &'static str) {
    let mut end = 0;
    while end < text.len() && text.as_bytes()[end] != sign {
        end += 1;
    }
    let (before, rest) = text.split_at(end);
    (before, if rest.is_empty() { rest } else { rest.split_at(1).1 })
}
