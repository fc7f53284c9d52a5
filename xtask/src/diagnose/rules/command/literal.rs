//! Object literals of Python, JavaScript, Ruby and jq whose values are certain.

use hookkit_shell::programs::table::lists;
use serde_json::{Map, Value};

/// Members with a text for people: any value has the same effect.
const TEXTS: &str = "additionalContext message permissionDecisionReason reason stopReason systemMessage";

/// Returns the objects that a program prints after one of these texts.
pub(super) fn printed(text: &str, prints: &[&str]) -> Vec<Value> {
    let after = prints
        .iter()
        .flat_map(|print| text.split(print).skip(1))
        .map(str::trim_start);
    let object = |after: &str| {
        let end = after.find(|char: char| !char.is_alphanumeric() && char != '_')?;
        let (name, rest) = after.split_at(end);
        if name.is_empty() || !rest.starts_with([')', ',']) {
            return read(after);
        }
        // A variable that is set once.
        let set = format!("{name} = ");
        let mut values = text.split(&set).skip(1);
        let value = values.next()?;
        values.next().is_none().then(|| read(value))?
    };
    after.filter_map(object).collect()
}

/// Returns the object that a text begins with; `None` if its meaning depends on a run.
pub(super) fn read(text: &str) -> Option<Value> {
    let mut reader = Reader { rest: text };
    reader.value("")
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    fn value(&mut self, key: &str) -> Option<Value> {
        self.rest = self.rest.trim_start();
        if self.rest.starts_with('{') {
            return self.object();
        }
        let written = self.expression();
        let is_plain = |text: &&str| !text.contains(['"', '\'', '\\', '$']);
        let quoted = |quote: char| written.strip_prefix(quote)?.strip_suffix(quote).filter(is_plain);
        match written {
            "true" | "True" => Some(true.into()),
            "false" | "False" => Some(false.into()),
            _ => match quoted('"').or_else(|| quoted('\'')) {
                Some(text) => Some(text.into()),
                None => lists(TEXTS, key).then(|| "…".into()),
            },
        }
    }

    fn object(&mut self) -> Option<Value> {
        let mut object = Map::new();
        self.rest = &self.rest[1..];
        loop {
            self.rest = self
                .rest
                .trim_start_matches(|char: char| char.is_whitespace() || char == ',');
            if let Some(rest) = self.rest.strip_prefix('}') {
                self.rest = rest;
                return Some(Value::Object(object));
            }
            let end = self.rest.find([':', '=', ',', '}'])?;
            let key = self.rest[..end].trim().trim_matches(['"', '\'']);
            let is_name = !key.is_empty() && key.chars().all(|char| char.is_alphanumeric() || char == '_');
            self.rest = &self.rest[end..];
            let after = self.rest.strip_prefix(':').or_else(|| self.rest.strip_prefix("=>"));
            if !is_name {
                return None;
            }
            let value = match after {
                Some(after) => {
                    self.rest = after;
                    self.value(key)?
                }
                None => lists(TEXTS, key).then(|| Value::from("…"))?,
            };
            object.insert(key.to_owned(), value);
        }
    }

    /// Returns the text up to the comma or the sign that closes the object.
    fn expression(&mut self) -> &'t str {
        let (mut depth, mut quote) = (0_usize, None);
        let mut escaped = false;
        let end = self.rest.find(|char: char| {
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
        let (written, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        written.trim()
    }
}
