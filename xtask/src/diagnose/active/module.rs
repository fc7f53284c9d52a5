//! The text of a plugin's module ([`mods`]): the events that it names, the files that it imports, and a check for the
//! only form that certainly passes everything on.
//!
//! The client has a parser, and rejects a module if an event's name is not a literal. This program has no parser. It
//! splits a text without templates, expressions and tags into words. In any other text, it assumes a literal at every
//! quote. So it may mistake a comment for code, but never code for a comment.

use hookkit_protocol::mods;

/// A word in a module.
struct Word<'t> {
    at: usize,
    /// The word as written.
    text: &'t str,
    /// The content of a literal.
    literal: Option<String>,
}

/// A parsed file of a module.
#[derive(Default)]
pub(super) struct Module {
    /// Names and patterns of events that decide about hooks or tool calls, with their lines.
    pub(super) events: Vec<(usize, String)>,
    /// Relative paths that may be imports.
    pub(super) paths: Vec<String>,
    /// The reason why the file may name more events.
    pub(super) unread: Option<&'static str>,
    /// `true` if its hooks only pass their events on, and the file has nothing else.
    pub(super) only_passes_on: bool,
    /// The reason why the client does not load the file.
    pub(super) refused: Option<&'static str>,
}

/// Maximum length of a literal in bytes. Event names are much shorter.
const LONGEST: usize = 1_024;

impl Module {
    pub(super) fn of(text: &str, is_typescript: bool) -> Self {
        let mut module = Self::default();
        let mut literals = Vec::new();
        if let Some(words) = words(text) {
            let normal: Vec<&str> = words.iter().map(Word::normal).collect();
            module.only_passes_on = only_passes_on(&normal);
            module.refused = refused(&normal, is_typescript);
            literals.extend(words.into_iter().filter_map(|word| Some((word.at, word.literal?))));
        } else {
            for (at, quote) in text.match_indices(['\'', '"', '`']) {
                match literal(&text[at + 1..], quote) {
                    Ok((literal, _)) => literals.push((at, literal)),
                    Err(Cut::TooLong) => module.unread = Some("a literal in it is too long to read"),
                    Err(Cut::Open) => {}
                }
            }
        }
        for (at, literal) in literals {
            if mods::is_of_interest(&literal) {
                let line = text[..at].matches('\n').count() + 1;
                module.events.push((line, literal));
            } else if [".", ".."].contains(&literal.split('/').next().unwrap_or_default()) {
                module.paths.push(literal);
            }
        }
        // The client evaluates an `enum` before it looks at names.
        if is_typescript && text.contains("enum") {
            module.unread = Some("names of events can be values of its `enum`");
        }
        module
    }
}

impl<'t> Word<'t> {
    /// Returns the word, or the placeholder if it is a literal.
    fn normal(&self) -> &'t str {
        if self.literal.is_some() { LITERAL } else { self.text }
    }
}

/// The placeholder for literals.
const LITERAL: &str = "''";

/// Returns the words of a text. `None` if the text needs a parser.
fn words(text: &str) -> Option<Vec<Word<'_>>> {
    let is_word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '$');
    let (mut words, mut rest) = (Vec::new(), text.trim_start_matches('\u{feff}'));
    while let Some(first) = rest.chars().next() {
        let mut content = None;
        let after = match first {
            // Characters that end a line comment only in JavaScript are among the line ends.
            '/' if rest.starts_with("//") => rest.trim_start_matches(|char| !LINE_ENDS.contains(&char)),
            '/' if rest.starts_with("/*") => rest[2..].split_once("*/")?.1,
            // A template, an expression or a division, an escape in a name, a tag, or an HTML comment.
            '`' | '/' | '\\' | '<' | '#' => return None,
            '-' if rest.starts_with("-->") => return None,
            '\'' | '"' => {
                let (text, after) = literal(&rest[1..], &rest[..1]).ok()?;
                content = Some(text);
                after
            }
            _ if is_word(first) => rest.trim_start_matches(is_word),
            _ => &rest[first.len_utf8()..],
        };
        let written = &rest[..rest.len() - after.len()];
        if !(first.is_whitespace() || first == '/') {
            words.push(Word { at: text.len() - rest.len(), text: written, literal: content });
        }
        rest = after;
    }
    Some(words)
}

/// Characters that end a line in JavaScript.
const LINE_ENDS: [char; 4] = ['\n', '\r', '\u{2028}', '\u{2029}'];

/// The reason why a quote does not begin a literal.
enum Cut {
    TooLong,
    Open,
}

/// Returns the content of a literal and the text after it. `text` starts after the opening quote.
fn literal<'t>(text: &'t str, quote: &str) -> Result<(String, &'t str), Cut> {
    let (mut chars, mut content) = (text.chars(), String::new());
    loop {
        if text.len() - chars.as_str().len() > LONGEST {
            return Err(Cut::TooLong);
        }
        match chars.next().ok_or(Cut::Open)? {
            char if quote.contains(char) => return Ok((content, chars.as_str())),
            '\n' | '\r' if quote != "`" => return Err(Cut::Open),
            '$' if quote == "`" && chars.as_str().starts_with('{') => return Err(Cut::Open),
            '\\' => {
                let rest = chars.as_str();
                let escaped = rest.chars().next().ok_or(Cut::Open)?;
                let (digits, after) = match escaped {
                    'x' => (rest.get(1..3), rest.get(3..)),
                    'u' if rest.starts_with("u{") => rest[2..].split_once('}').unzip(),
                    'u' => (rest.get(1..5), rest.get(5..)),
                    '\r' if rest.starts_with("\r\n") => (Some(""), rest.get(2..)),
                    _ => {
                        content.extend(Some(escaped).filter(|char| !LINE_ENDS.contains(char)));
                        (Some(""), rest.get(escaped.len_utf8()..))
                    }
                };
                let (digits, after) = digits.zip(after).ok_or(Cut::Open)?;
                let code = u32::from_str_radix(digits, 16).ok();
                content.extend(code.and_then(char::from_u32));
                chars = after.chars();
            }
            char => content.push(char),
        }
    }
}

/// Returns `true` if the words are exactly one or more `on('event', ($, e, next) => next(e))` in the function
/// `register`.
fn only_passes_on(words: &[&str]) -> bool {
    let ["export", "function", "register", "(", on, ")", "{", hooks @ .., "}"] = words else {
        return false;
    };
    let mut rest = hooks;
    while let [name, "(", LITERAL, ",", hook @ ..] = rest {
        let hook = hook.strip_prefix(&["async"]).unwrap_or(hook);
        let ["(", context, ",", event, ",", next, ")", "=", ">", called, "(", passed, ")", ")", after @ ..] = hook
        else {
            return false;
        };
        let is_passed = name == on && called == next && passed == event;
        if !is_passed || [next == event, next == context, event == context].contains(&true) {
            return false;
        }
        rest = after.strip_prefix(&[";"]).unwrap_or(after);
    }
    rest.is_empty() && !hooks.is_empty()
}

/// Returns the reason why the client certainly rejects a module with these words.
fn refused(words: &[&str], is_typescript: bool) -> Option<&'static str> {
    let is_named = |pair: &[&str]| pair[0] == "export" && pair[1] != "default";
    if !words.windows(2).any(is_named) || !words.iter().any(|word| ["register", LITERAL].contains(word)) {
        return Some("it does not export a function `register`");
    }
    let is_of_other = |rest: &[&str]| {
        let end = rest.iter().position(|word| *word == "}");
        rest.first() == Some(&"{") && end.is_some_and(|end| rest.get(end + 1) == Some(&"from"))
    };
    if words.split(|word| *word == "export").skip(1).all(is_of_other) {
        return Some("it has no function `register` of its own");
    }
    let start = words.windows(4).position(|words| words == ["export", "function", "register", "("]);
    // A TypeScript namespace can export another one.
    let rest = &words[start.filter(|_| !is_typescript)? + 4..];
    let (on, mut computes) = (rest.first()?, false);
    for at in (1..rest.len()).filter(|at| rest[*at] == *on && rest[at - 1] != ".") {
        // A function or a variable with the same name, or an argument of another function.
        if rest.get(at + 1) != Some(&"(") || rest[at - 1] == "function" {
            return None;
        }
        // A method with this name does not start like this.
        computes |= matches!(rest[at + 2..], [LITERAL, "+", ..] | ["[", LITERAL, ..]);
    }
    computes.then_some("the name of an event in it is not a literal")
}
