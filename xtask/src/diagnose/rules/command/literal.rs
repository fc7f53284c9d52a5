//! Object literals in Python, JavaScript, Ruby and jq, if their values are certain.

use hookkit_shell::programs::table::lists;
use serde_json::{Map, Value};

use super::language::exit;

/// Members with a message. All their values have the same effect.
const TEXTS: &str = "additionalContext message permissionDecisionReason reason stopReason systemMessage";

/// Maximum depth of an object. Answers to the client are never nearly as deep.
const DEPTH: usize = 32;

/// Returns the objects that a program prints after one of these texts.
pub(super) fn printed(text: &str, prints: &[&'static str]) -> Vec<Value> {
    let of_print = |print: &'static str| text.split(print).skip(1).map(move |after| (print, after.trim_start()));
    let after = prints.iter().flat_map(|print| of_print(print));
    let object = |(print, mut after): (&str, &str)| {
        let end = after.find(|char: char| !char.is_alphanumeric() && char != '_')?;
        let (name, rest) = after.split_at(end);
        if name.is_empty() || !rest.starts_with([')', ',']) {
            let object = value(&mut after, "", DEPTH)?;
            // The next argument is the file.
            if print.ends_with(".dump(") && !after.trim_start_matches([',', ' ']).starts_with("sys.stdout") {
                return None;
            }
            // If a program fails, its answer is not read.
            return (!after.lines().take(2).any(|line| exit(line).is_some())).then_some(object);
        }
        // A variable that is assigned once.
        let set = format!("{name} = ");
        let mut values = text.split(&set).skip(1);
        let value = values.next()?;
        values.next().is_none().then(|| read(value))?
    };
    after.filter_map(object).collect()
}

/// Returns the object at the start of a text. `None` if its value is only known at run time.
pub(super) fn read(mut text: &str) -> Option<Value> {
    value(&mut text, "", DEPTH)
}

/// Reads the value of a key, with at most this depth of objects. Moves `rest` to the text after the value.
fn value(rest: &mut &str, key: &str, depth: usize) -> Option<Value> {
    *rest = rest.trim_start();
    if let Some(inner) = rest.strip_prefix('{') {
        *rest = inner;
        return object(rest, depth.checked_sub(1)?);
    }
    let written = expression(rest);
    let is_plain = |text: &&str| !text.contains(['"', '\'', '\\', '$']);
    let quoted = |quote: char| written.strip_prefix(quote)?.strip_suffix(quote).filter(is_plain);
    match written {
        "true" | "True" => Some(true.into()),
        "false" | "False" => Some(false.into()),
        _ => {
            let text = quoted('"').or_else(|| quoted('\''));
            text.or_else(|| lists(TEXTS, key).then_some("…")).map(Value::from)
        }
    }
}

/// Reads the members of an object.
fn object(rest: &mut &str, depth: usize) -> Option<Value> {
    let mut object = Map::new();
    loop {
        *rest = rest.trim_start_matches(|char: char| char.is_whitespace() || char == ',');
        if let Some(after) = rest.strip_prefix('}') {
            *rest = after;
            return Some(Value::Object(object));
        }
        let (key, after) = rest.split_at(rest.find([':', '=', ',', '}'])?);
        let key = key.trim().trim_matches(['"', '\'']);
        if key.is_empty() || !key.chars().all(|char| char.is_alphanumeric() || char == '_') {
            return None;
        }
        *rest = after.strip_prefix(':').or_else(|| after.strip_prefix("=>")).unwrap_or(after);
        let value = if rest.len() < after.len() {
            value(rest, key, depth)?
        } else {
            // A variable with the same name.
            lists(TEXTS, key).then(|| Value::from("…"))?
        };
        object.insert(key.to_owned(), value);
    }
}

/// Reads the text up to a comma or the object's closing character.
fn expression<'t>(rest: &mut &'t str) -> &'t str {
    let (mut depth, mut quote) = (0_usize, None);
    let mut escaped = false;
    let end = rest.find(|char: char| {
        if let Some(open) = quote {
            quote = quote.filter(|_| escaped || char != open);
            escaped = char == '\\' && !escaped;
            return false;
        }
        match char {
            '"' | '\'' | '`' => quote = Some(char),
            '(' | '[' | '{' => depth += 1,
            ',' if depth == 0 => return true,
            ')' | ']' | '}' if depth == 0 => return true,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        false
    });
    let (written, after) = rest.split_at(end.unwrap_or(rest.len()));
    *rest = after;
    written.trim()
}
