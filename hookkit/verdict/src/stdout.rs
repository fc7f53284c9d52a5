//! Parses a hook's stdout as the client does.

use super::node::Node;
use super::schema::{self, Answer};
use crate::rule::{self, Rule};

/// The kind of text on stdout.
pub(super) enum Stdout {
    /// Stdout is empty.
    Empty,
    /// Text that is not JSON, trimmed.
    Text(String),
    /// An answer.
    Answer(Answer),
    /// An answer that the client cannot use.
    Invalid(Invalid),
}

/// The reason why an answer cannot be used.
pub(super) struct Invalid {
    /// The mistake, in a few words.
    pub fault: String,
    /// The client's message about the mistake.
    pub message: String,
    /// The rule that makes the answer void.
    pub rule: &'static Rule,
}

pub(super) fn classify(stdout: &str) -> Stdout {
    let text = trim(stdout);
    if text.is_empty() {
        return Stdout::Empty;
    }
    if !text.starts_with('{') {
        return Stdout::Text(text.to_owned());
    }
    if let Some(node) = Node::parse(text) {
        return match Answer::new(node) {
            Ok(answer) => Stdout::Answer(answer),
            Err(fault) => {
                Stdout::Invalid(Invalid { message: fault.message(), fault: fault.to_string(), rule: rule::INVALID })
            }
        };
    }
    if !text.ends_with('}') || is_lines(text) {
        return Stdout::Text(text.to_owned());
    }
    Stdout::Invalid(Invalid {
        fault: "it begins and ends like a JSON object, but is not one".to_owned(),
        message: format!(
            "Hook output looks like a JSON object but is not valid JSON — {}. Emit the payload with a JSON encoder {}",
            super::UNKNOWN,
            "(jq, ConvertTo-Json, json.dumps) rather than string concatenation so backslashes and quotes inside \
             strings are escaped."
        ),
        rule: rule::NEARLY_JSON,
    })
}

/// Returns `true` if every line is JSON and no line is an answer, as in a log.
fn is_lines(text: &str) -> bool {
    let lines: Vec<&str> = text.split('\n').map(trim).filter(|line| !line.is_empty()).collect();
    let is_not_an_answer = |line: &&str| {
        Node::parse(line)
            .is_some_and(|node| !schema::is_marker(&node) && Answer::new(node).map_or(true, |answer| answer.is_empty()))
    };
    lines.len() > 1 && lines.iter().all(is_not_an_answer)
}

/// Returns `true` if stdout begins with the line that lets the client go on without waiting.
///
/// The whole stdout may also be such an object, on several lines.
pub(super) fn has_marker(stdout: &str) -> bool {
    let is_marker = |text: &str| Node::parse(trim(text)).is_some_and(|node| schema::is_marker(&node));
    is_marker(stdout.split('\n').next().unwrap_or_default()) || is_marker(stdout)
}

/// Trims a text as JavaScript does, which treats a byte order mark as white space.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}'))
}
