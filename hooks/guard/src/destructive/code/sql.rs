//! SQL statements that delete from a database.

use crate::prelude::*;

const VERBS: &str = "alter delete drop truncate update";

/// Words that make a database run a string.
const RUNNERS: &str = "call dblink_exec do exec execute gexec immediate language prepare sp_executesql";

/// Objects whose data is dropped with them.
const DROPPED: &str = "database dataset keyspace owned role schema table user";

/// Returns `true` if SQL deletes a table or its content; each word of a command is one text.
pub(super) fn drops<'t>(texts: impl IntoIterator<Item = &'t str>) -> bool {
    let texts = texts.into_iter().map(|text| match text.strip_prefix("--").and_then(|option| option.split_once('=')) {
        Some((name, value)) if !name.contains(char::is_whitespace) => value,
        _ => text,
    });
    // A statement without quotes may span words without spaces.
    let (mut whole, words): (Vec<String>, Vec<String>) =
        texts.map(str::to_ascii_lowercase).partition(|text| text.contains(char::is_whitespace));
    whole.push(words.join(" "));
    whole.into_iter().any(|text| {
        let Some(verb) = VERBS.split(' ').filter_map(|verb| text.find(verb)).min() else {
            return false;
        };
        // An option may hold its value.
        let from = if text.starts_with('-') && !text.starts_with("--") { verb } else { 0 };
        let code = without_texts(&text[from..]).unwrap_or(text);
        // A part in parentheses may be a statement.
        let mut parts = code.split(';').chain(code.split('(').skip(1).map(|part| up_to(part, ')')));
        parts.any(deletes)
    })
}

/// Returns SQL without comments and quoted strings; `None` if a string is unterminated, or databases may run it.
fn without_texts(text: &str) -> Option<String> {
    let mut is_plain = !text.contains(['\\', '"', '`', '$', '#']) && !text.contains("'''");
    let mut code = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '`', '-', '/']) {
        let (before, behind) = rest.split_at(at);
        code.push_str(before);
        rest = if behind.starts_with("--") {
            behind.split_once('\n').map_or("", |(_, rest)| rest)
        } else if behind.starts_with("/*") && !behind[2..].starts_with(['!', 'M']) {
            code.push(' ');
            // Not all databases nest comments.
            let (comment, rest) = behind[2..].split_once("*/")?;
            if comment.contains("/*") {
                return None;
            }
            rest
        } else if let Some(quote) = behind.chars().next().filter(|char| matches!(char, '\'' | '"' | '`')) {
            let (quoted, rest) = behind[1..].split_once(quote)?;
            // Databases read escapes, other quotes and prefixes differently, so a statement may be hidden in them.
            is_plain &= quote == '\'' && !before.ends_with(|char: char| char.is_alphanumeric());
            if quoted.contains([';', '\n']) && holds(VERBS, quoted) && !is_plain {
                return None;
            }
            // A name may be in quotes, too.
            code.push_str(if quoted.contains(char::is_whitespace) { " " } else { quoted });
            rest
        } else {
            code.push_str(&behind[..1]);
            &behind[1..]
        };
    }
    code.push_str(rest);
    let runs = names_in(&code, "_").any(|word| lists(RUNNERS, word));
    (!runs).then_some(code)
}

/// Returns `true` if the words of a statement delete a table or its content.
fn deletes(statement: &str) -> bool {
    let words: Vec<&str> = names_in(statement, "_").filter(|word| !word.is_empty()).collect();
    let text = format!(" {} ", words.join(" "));
    let has = |phrase: &str| text.contains(&format!(" {phrase} "));
    let is_for_all = || match words.iter().position(|word| *word == "where") {
        Some(at) => matches!(words[at + 1..], ["1"] | ["1", "1"] | ["true"]),
        None => true,
    };
    if let ["explain", next, ..] = words[..]
        && next != "analyze"
    {
        return false;
    }
    let drops = |pair: &[&str]| pair[0] == "drop" && lists(DROPPED, pair[1]);
    let truncates = words.first() == Some(&"truncate") && !statement.trim_start().starts_with("truncate(");
    let changes = has("delete from") || has("update") && has("set") && !has("do update");
    words.windows(2).any(drops) && (statement.contains(',') || !words.contains(&"pg_temp"))
        || truncates
        || has("truncate table")
        || has("detach delete")
        || has("alter table") && (has("drop") || has("delete") && is_for_all())
        || changes && is_for_all()
}
