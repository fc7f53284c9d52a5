//! Names in code of temporary folders that it makes.

use super::Language;

/// A folder as each of them is.
pub(super) const FOLDER: &str = "/tmp/made";

/// More calls are not looked at.
const MOST: usize = 4;

/// Returns the names that are given once, and to a folder that a call makes: `d = tempfile.mkdtemp()`,
/// `with TemporaryDirectory() as d:`, `const d = fs.mkdtempSync(p)`.
///
/// Only what cannot give a name is known to be a use of it, so code with parameters has none.
pub(super) fn names<'c>(language: Language, code: &'c str, lower: &str) -> Vec<&'c str> {
    let makers: &[&str] = match language {
        Language::Python => &["mkdtemp", "temporarydirectory"],
        Language::JavaScript => &["mkdtempsync"],
        _ => &[],
    };
    let calls = makers.iter().flat_map(|maker| lower.match_indices(maker));
    let mut names = Vec::new();
    for (at, maker) in calls.take(MOST) {
        match code[at + maker.len()..].strip_prefix('(') {
            Some(behind) => names.extend(given(&code[..at], behind)),
            None if code[..at].ends_with("import ") => {}
            // It may be another function.
            None => return Vec::new(),
        }
    }
    names.retain(|name| is_given_once(language, code, name));
    names
}

/// Returns the name that is given to what a call returns, by the code before its name and behind its parenthesis.
fn given<'c>(before: &'c str, behind: &'c str) -> Option<&'c str> {
    let behind = behind_call(behind)?;
    if let Some(name) = behind.strip_prefix(" as ") {
        let (name, behind) = name.split_at(name.find(|char| !is_of_name(char))?);
        return behind.starts_with(':').then_some(name);
    }
    if !super::calls::is_end(behind) {
        return None;
    }
    let before = before
        .trim_end_matches(|char| is_of_name(char) || char == '.')
        .trim_end();
    let before = before.strip_suffix("await").unwrap_or(before).trim_end();
    let before = before.strip_suffix('=')?.trim_end();
    let start = before.trim_end_matches(is_of_name);
    let statement = start.trim_end_matches(' ');
    let begins = statement.is_empty() || statement.ends_with(['\n', ';']);
    let declares = ["const", "let", "var"].iter().any(|word| statement.ends_with(word));
    (begins || declares).then(|| &before[start.len()..])
}

/// Returns the code behind a call, from the inside of its parenthesis; `None` if a text in it may hide its end.
fn behind_call(code: &str) -> Option<&str> {
    let mut depth = 1;
    let mut quote = None;
    let end = code.find(|char| {
        match char {
            _ if quote == Some(char) => quote = None,
            '(' | ')' | '\\' if quote.is_some() => return true,
            '\'' | '"' | '`' if quote.is_none() => quote = Some(char),
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    (quote.is_none()).then(|| &code[end + 1..])
}

/// Returns `true` if all but one of the places of a name use it as a call's argument, where no parameters are.
fn is_given_once(language: Language, code: &str, name: &str) -> bool {
    let mut words = code.split(|char| !is_of_name(char));
    let has_parameters = match language {
        Language::Python => words.any(|word| matches!(word, "case" | "def" | "lambda")),
        _ => {
            ["=>", "//", "/*"].iter().any(|part| code.contains(part))
                || code.split(')').any(|behind| behind.trim_start().starts_with('{'))
        }
    };
    let is_use = |at: usize| {
        let (before, behind) = (&code[..at], code[at + name.len()..].trim_start());
        let mut call = before.strip_suffix('(');
        if language == Language::Python
            && let Some((list, words)) = before.rsplit_once('[')
            && !words.contains([']', '(', ')', ';', '=', '\n'])
        {
            call = list.strip_suffix('(');
        }
        let called = call.unwrap_or_default();
        let is_call =
            called.ends_with(is_of_name) && !["as", "for", "import"].iter().any(|word| called.ends_with(word));
        is_call && behind.starts_with([')', ',', ']'])
    };
    let places = code.match_indices(name).map(|(at, _)| at);
    let places =
        places.filter(|at| !code[..*at].ends_with(is_of_name) && !code[at + name.len()..].starts_with(is_of_name));
    !name.is_empty() && !has_parameters && places.filter(|at| !is_use(*at)).count() == 1
}

fn is_of_name(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$')
}
