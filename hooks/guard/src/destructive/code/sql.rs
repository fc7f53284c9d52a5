//! Statements of SQL that delete from a database.
//!
//! Texts in quotes and comments are none of it, and a statement begins with its verb. Where databases read a text
//! differently, or run it, the words count wherever they are.

/// Returns `true` if SQL deletes a table, or all that is in one; each word of a command is a text, in lowercase.
pub(super) fn drops<'t>(program: &str, texts: impl Iterator<Item = &'t str> + Clone) -> bool {
    // Most texts have no such word.
    if !texts.clone().any(has_verb) {
        return false;
    }
    let joined = || has_phrase(&texts.clone().collect::<Vec<_>>().join("\n"));
    // With another one, a statement begins anywhere.
    if texts.clone().any(|text| text.contains("delimiter")) {
        return joined();
    }
    let mut code = String::new();
    for text in texts.clone() {
        match without_texts(text) {
            // Words without spaces may be a statement that is not in quotes.
            Some(text) if !text.contains(char::is_whitespace) => code += &text,
            Some(text) if !runs_texts(&text) => code += &format!(";\n{text}\n;"),
            _ => return joined(),
        }
        code.push('\n');
    }
    // Theirs need no `;` between them.
    match matches!(program, "isql" | "sqlcmd" | "usql") {
        true => has_phrase(&code),
        false => statements(&tokens(&code)),
    }
}

const VERBS: &[&str] = &["alter", "delete", "detach", "drop", "truncate", "update"];

fn has_verb(text: &str) -> bool {
    VERBS.iter().any(|verb| text.contains(verb))
}

/// Words by which a database runs a text, or a statement that does not begin with its verb.
const RUNNERS: &[&str] = &[
    "analyze", "call", "create", "exec", "execute", "go", "immediate", "language", "prepare", "sp_executesql",
];

/// Words behind which a statement may begin; so it may behind punctuation.
const BEFORE: &[&str] = &[
    "also", "as", "atomic", "begin", "do", "else", "for", "instead", "loop", "repeat", "then",
];

/// Objects that are dropped with the data in them.
const DROPPED: &[&str] = &[
    "database", "dataset", "keyspace", "owned", "role", "schema", "table", "user",
];

/// Words behind which a parenthesis is not the one of a function's call.
const KEYWORDS: &[&str] = &[
    "all", "and", "any", "as", "by", "exists", "from", "in", "is", "like", "not", "on", "or", "over", "select", "then",
    "using", "values", "when", "where",
];

/// In the place of a text, and of one with the verb of a statement.
const TEXT: &str = " \" ";
const TEXT_WITH_VERB: &str = " \"\" ";

/// Returns SQL without comments, and with quotation marks in the place of each text in quotes; `None` if databases may read
/// it differently, or run one of the texts.
fn without_texts(text: &str) -> Option<String> {
    let mut rest = match text.strip_prefix("--") {
        Some(option) if option.starts_with(char::is_alphanumeric) => match option.split_once('=') {
            Some((name, value)) if !name.contains(char::is_whitespace) => value,
            _ if option.contains(char::is_whitespace) => return None,
            _ => return Some(String::new()),
        },
        // Behind its letters an option may have its value.
        _ if text.starts_with('-') && text[1..].starts_with(char::is_alphabetic) && has_verb(text) => return None,
        _ => text,
    };
    // Quotes that are read differently hide a statement only with its end before it.
    let hides = |text: &str| text.contains([';', '\n', '\r']) && has_verb(text);
    let is_statement = text.contains(char::is_whitespace);
    if ["'''", "\"\"\""].iter().any(|quotes| text.contains(quotes)) {
        return None;
    }
    let mut code = String::new();
    // For each parenthesis that is open, `true` if it is the one of a function's call.
    let mut calls = Vec::new();
    while let Some(char) = rest.chars().next() {
        let behind = &rest[char.len_utf8()..];
        rest = match char {
            '\'' | '"' | '`' => {
                let (quoted, behind) = behind.split_once(char)?;
                let is_run = has_verb(quoted) && calls.contains(&true);
                // Oracle has quotes with a `q` before them.
                if quoted.contains('\\') || hides(quoted) || is_run || matches!(last_word(&code), "q" | "nq") {
                    return None;
                }
                code += if has_verb(quoted) { TEXT_WITH_VERB } else { TEXT };
                behind
            }
            '-' if behind.starts_with('-') => {
                let comment = behind[1..].split('\n').next().unwrap_or_default();
                // It may subtract a negative number.
                let is_certain = comment.is_empty() || comment.starts_with([' ', '\t', '\r']);
                if !is_certain || comment.trim_end().contains('\r') || hides(comment) {
                    return None;
                }
                &behind[1 + comment.len()..]
            }
            '/' if behind.starts_with('*') => {
                let (comment, behind) = behind[1..].split_once("*/")?;
                // Some are code: `/*!50000 … */`, `/*M! … */`.
                if comment.chars().take(2).any(|char| char == '!') || comment.contains("/*") || hides(comment) {
                    return None;
                }
                code.push(' ');
                behind
            }
            // A comment, an escape, the end of a statement, or quotes of some databases.
            '#' | '\\' | '$' => return None,
            '/' if behind.starts_with('/') && is_statement => return None,
            '[' if is_name_with_quotes(behind) => return None,
            _ => {
                match char {
                    '(' => calls.push(!last_word(&code).is_empty() && !KEYWORDS.contains(&last_word(&code))),
                    ')' => drop(calls.pop()),
                    _ => {}
                }
                code.push(char);
                behind
            }
        };
    }
    Some(code)
}

/// Returns `true` if a name in brackets, as some databases have them, has a quotation mark.
fn is_name_with_quotes(text: &str) -> bool {
    const LONGEST: usize = 200;
    let mut name = text.chars().take(LONGEST).take_while(|char| *char != ']');
    name.any(|char| matches!(char, '\'' | '"' | '`'))
}

/// Returns `true` if SQL may run a text, or a statement behind a condition.
fn runs_texts(code: &str) -> bool {
    let mut words = code
        .split(|char| !is_word(char))
        .filter(|word| !word.is_empty())
        .peekable();
    let has = |wanted: &str| words.clone().any(|word| word == wanted);
    // The body of a block.
    if has("do") && has(TEXT_WITH_VERB.trim()) {
        return true;
    }
    while let Some(word) = words.next() {
        let is_condition = word == "if" && !words.peek().is_some_and(|next| matches!(*next, "exists" | "not"));
        if RUNNERS.contains(&word) || is_condition {
            return true;
        }
    }
    false
}

fn last_word(code: &str) -> &str {
    let code = code.trim_end();
    let start = code
        .rfind(|char| !is_word(char))
        .map_or(0, |at| at + code[at..].chars().next().map_or(0, char::len_utf8));
    &code[start..]
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_' || char == '"'
}

struct Token<'c> {
    text: &'c str,
    is_first_of_line: bool,
}

/// Returns the words of SQL, and the punctuation around statements.
fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    for line in code.lines() {
        let mut is_first_of_line = true;
        let mut rest = line;
        while let Some(char) = rest.chars().next() {
            let end = rest.find(|char| !is_word(char)).unwrap_or(rest.len());
            let (text, behind) = rest.split_at(end.max(char.len_utf8()));
            rest = behind;
            if end > 0 || !(char.is_whitespace() || char == ',') {
                tokens.push(Token { text, is_first_of_line });
                is_first_of_line = false;
            }
        }
    }
    tokens
}

/// Returns `true` if one of the statements deletes. What has verbs everywhere may be anything.
fn statements(tokens: &[Token<'_>]) -> bool {
    let mut left = 10 * tokens.len() + 1000;
    (0..tokens.len()).any(|at| {
        let token = &tokens[at];
        let before = at.checked_sub(1).map(|before| tokens[before].text);
        // `on conflict do update set` changes one row.
        let is_of_conflict = before == Some("do") && token.text == "update";
        let begins = token.is_first_of_line || before.is_none_or(is_before);
        if !begins || is_of_conflict || !VERBS.contains(&token.text) {
            return false;
        }
        let behind = &tokens[at + 1..];
        let end = behind
            .iter()
            .position(|token| token.text == ";")
            .unwrap_or(behind.len());
        left = left.saturating_sub(end);
        left == 0 || deletes(token.text, &behind[..end])
    })
}

/// Returns `true` if a statement may begin behind a word or a punctuation mark.
fn is_before(text: &str) -> bool {
    BEFORE.contains(&text) || text != "." && !text.starts_with(is_word)
}

/// Returns `true` if a statement deletes, by its verb and what is behind it.
fn deletes(verb: &str, behind: &[Token<'_>]) -> bool {
    // Without what is in parentheses, and up to the one that closes one before the verb.
    let mut depth = 0_usize;
    let mut words = Vec::new();
    for token in behind {
        match token.text {
            "(" => {
                depth += 1;
                words.push("(");
            }
            ")" if depth == 0 => break,
            ")" => depth -= 1,
            text if depth == 0 && (text == "." || text.starts_with(is_word)) => words.push(text),
            _ => {}
        }
    }
    let has = |wanted: &str| words.contains(&wanted);
    let is_for_all = || match words.iter().position(|word| *word == "where") {
        Some(at) => matches!(words[at + 1..], ["1"] | ["1", "1"] | ["true"]),
        None => true,
    };
    match verb {
        "alter" => words.first() == Some(&"table") && (has("drop") || has("delete") && is_for_all()),
        // Of graphs.
        "detach" => words.first() == Some(&"delete"),
        "delete" => has("from") && is_for_all(),
        "drop" => match words[..] {
            ["table", "pg_temp", ".", _] | ["table", "if", "exists", "pg_temp", ".", _] => false,
            [what, ..] => DROPPED.contains(&what),
            [] => false,
        },
        "truncate" => words.first().is_some_and(|next| *next != "("),
        "update" => has("set") && is_for_all(),
        _ => false,
    }
}

/// Returns `true` if a text has the words of a statement that deletes, wherever they are.
fn has_phrase(text: &str) -> bool {
    let words: Vec<&str> = text
        .split(|char: char| !char.is_ascii_alphanumeric() && char != '_' && char != ';')
        .filter(|word| !word.is_empty())
        .collect();
    let text = words.join(" ");
    let has = |phrase: &str| text.contains(phrase);
    let of_all = |statement: &str| {
        let changes =
            statement.contains("delete from ") || statement.contains("update ") && statement.contains(" set ");
        let all = [" where 1", " where 1 1", " where true"];
        let is_for_all = !statement.contains(" where ") || all.iter().any(|all| statement.trim_end().ends_with(all));
        changes && is_for_all || statement.contains("alter table ") && statement.contains(" drop ")
    };
    let deletes_all = text.split(';').any(of_all);
    DROPPED.iter().any(|what| has(&format!("drop {what}"))) || has("truncate ") || deletes_all
}
