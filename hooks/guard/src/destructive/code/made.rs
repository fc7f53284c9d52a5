//! Names in code of temporary folders that it makes.

use super::Language;
use super::calls::is_end;

/// A folder as each of them is.
pub(super) const FOLDER: &str = "/tmp/made";

/// With more calls there are no names.
const MOST: usize = 4;

/// Returns the names that are given once, and to a folder that a call makes: `d = tempfile.mkdtemp()`,
/// `with TemporaryDirectory() as d:`, `const d = fs.mkdtempSync(p)`.
///
/// Only what cannot give a name is known to be a use of it, so code with parameters has none.
pub(super) fn names(language: Language, code: &str) -> Vec<&str> {
    let (makers, others): (&[&str], &[&str]) = match language {
        Language::Python => (
            &["mkdtemp", "TemporaryDirectory"],
            &["def ", "lambda", "case", "\t", "\\\n", "'''", "\"\"\""],
        ),
        Language::JavaScript => (&["mkdtempSync"], &["=>", "//", "/*"]),
        _ => return Vec::new(),
    };
    let mut names = Vec::new();
    for maker in makers {
        if code.matches(*maker).count() > MOST {
            return Vec::new();
        }
        for (at, _) in code.match_indices(*maker) {
            let before = &code[..at];
            match code[at + maker.len()..].strip_prefix('(') {
                Some(behind) => names.extend(given(before, behind)),
                None if before.ends_with("import ") => {}
                // It may be another function.
                None => return Vec::new(),
            }
        }
    }
    let begins_block = |behind: &str| language == Language::JavaScript && behind.trim_start().starts_with('{');
    if others.iter().any(|other| code.contains(other)) || code.split(')').any(begins_block) {
        return Vec::new();
    }
    names.retain(|name| is_given_once(language, code, name));
    names
}

/// Returns the name that is given to what a call returns, by the code before its name and behind its parenthesis.
fn given<'c>(before: &'c str, behind: &'c str) -> Option<&'c str> {
    let behind = behind_call(behind)?;
    if let Some(name) = behind.strip_prefix(" as ") {
        return name.split_once(':').map(|(name, _)| name);
    }
    let before = before.strip_suffix("tempfile.").unwrap_or(before);
    let before = before.strip_suffix("fs.").unwrap_or(before).strip_suffix(" = ")?;
    let start = before.rfind(['\n', ';', ' ']).map_or(0, |at| at + 1);
    let statement = before[..start].trim_end_matches(' ');
    let begins = ["", "\n", ";", "const", "let"];
    let begins = (begins.iter()).any(|begin| statement.ends_with(begin) && statement.is_empty() == begin.is_empty());
    (begins && is_end(behind)).then(|| &before[start..])
}

/// Returns the code behind a call, from the inside of its parenthesis; `None` if a text in it may hide its end.
fn behind_call(code: &str) -> Option<&str> {
    let mut depth = 1;
    let mut quote = 0;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            _ if byte == quote => quote = 0,
            b'(' | b')' | b'\\' if quote != 0 => return None,
            b'\'' | b'"' | b'`' if quote == 0 => quote = byte,
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&code[at + 1..]);
        }
    }
    None
}

/// Returns `true` if a name is in one place more than it is used in, as an argument of a call.
fn is_given_once(language: Language, code: &str, name: &str) -> bool {
    let mut left = 0;
    for (at, _) in code.match_indices(name) {
        let (before, behind) = (&code[..at], &code[at + name.len()..]);
        if ends_in_name(before) || behind.bytes().next().is_some_and(is_of_name) {
            continue;
        }
        let call = match before.rsplit_once('[') {
            Some((call, words)) if language == Language::Python && !words.contains(['(', ')', ']', ';', '=', '\n']) => {
                call
            }
            _ => before,
        };
        let called = call.strip_suffix('(').unwrap_or_default();
        let gives = ["as", "for", "import"].iter().any(|word| called.ends_with(word));
        left += usize::from(gives || !ends_in_name(called) || !behind.starts_with([',', ')', ']']));
    }
    left == 1 && name.bytes().all(is_of_name)
}

fn ends_in_name(text: &str) -> bool {
    text.as_bytes().last().copied().is_some_and(is_of_name)
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}
