//! Evaluates regular expressions as the client does.
//!
//! The client passes an expression to `new RegExp`, without flags. The engine here follows the same standard, with the
//! additions for the web (its Annex B), on UTF-16 as JavaScript does. One difference was found: in an expression
//! without named groups, only the client's engine (JavaScriptCore) rejects `\k<` followed by a backslash.

use std::borrow::Cow;
use std::fmt;

use regress::{Flags, Regex};

use super::{Matcher, compared, fault, source};
use crate::event::{Event, MatcherTarget};
use crate::tool;

impl Matcher<'_> {
    /// Returns `true` if the client starts the hook for `target`, the value that `event` is matched on (2.1.330).
    ///
    /// [`lists`](Self::lists) decides about lists. Two properties of a session are not considered: the names that its
    /// host gives to tools, and the engine in the cloud, which has no look-around and no back-references.
    ///
    /// ```
    /// use hookkit_protocol::event::PRE_TOOL_USE;
    /// use hookkit_protocol::matcher::Matcher;
    ///
    /// let edits = Matcher::new("Edit|Write.*", &PRE_TOOL_USE);
    /// assert!(edits.matches(&PRE_TOOL_USE, "NotebookEdit"));
    /// assert!(!Matcher::new("Edit|Write", &PRE_TOOL_USE).matches(&PRE_TOOL_USE, "NotebookEdit"));
    /// // An expression that does not compile never matches.
    /// assert!(!Matcher::new("Bash(", &PRE_TOOL_USE).matches(&PRE_TOOL_USE, "Bash("));
    /// ```
    pub fn matches(self, event: &Event, target: &str) -> bool {
        let family = || tool::FAMILIES.iter().find(|(member, _)| *member == target);
        match self {
            Self::Regex(text) if event.matcher_target != MatcherTarget::Ignored => {
                let text = match event.matcher_target {
                    MatcherTarget::Model => without_suffixes(text),
                    _ => Cow::Borrowed(text),
                };
                let Ok(pattern) = pattern(&text) else { return false };
                let target = compared(event, target);
                let mut old_names = tool::RENAMED.iter().filter(|(_, new)| *new == target);
                pattern.is_match(target)
                    || old_names.any(|(old, _)| pattern.is_match(old))
                    || family().is_some_and(|(_, family)| only_names(&text) && pattern.is_match(family))
            }
            other => other.lists(event, target).unwrap_or_default(),
        }
    }
}

/// Compiles an expression.
///
/// ```
/// use hookkit_protocol::matcher::pattern;
///
/// let pattern = pattern("^(?!Bash$)").unwrap();
/// assert!(pattern.is_match("BashOutput"));
/// assert!(!pattern.is_match("Bash"));
/// ```
///
/// # Errors
///
/// Fails if JavaScript would throw a `SyntaxError`. A hook with such a matcher never runs.
pub fn pattern(text: &str) -> Result<Pattern, PatternError> {
    if let Some(fault) = fault::find(text) {
        return Err(fault);
    }
    match Regex::from_unicode(source::code_units(text).into_iter(), Flags::default()) {
        Ok(regex) => Ok(Pattern(Some(regex))),
        Err(err) if is_limit(&err.text) => Ok(Pattern(None)),
        Err(err) => {
            let mut message = err.text.trim_end_matches('.').to_owned();
            if let Some(first) = message.get_mut(..1) {
                first.make_ascii_lowercase();
            }
            Err(PatternError { message, offset: None })
        }
    }
}

/// Returns `true` if the expression exceeds a limit of the engine.
fn is_limit(message: &str) -> bool {
    message.ends_with("too deeply nested") || message.ends_with("limit exceeded")
}

/// A valid expression; `None` if it exceeds a limit of the engine.
#[derive(Debug, Clone)]
pub struct Pattern(Option<Regex>);

impl Pattern {
    /// Returns `true` if `text` contains a match.
    ///
    /// Always `true` for an expression that is too large for the engine here, for example with groups nested 256 deep.
    /// Like the client's engine, it backtracks: an expression like `(a*)*b` can take exponential time.
    pub fn is_match(&self, text: &str) -> bool {
        let Some(regex) = &self.0 else { return true };
        let units: Vec<u16> = text.encode_utf16().collect();
        regex.find_from_ucs2(&units, 0).next().is_some()
    }
}

/// The error of an expression that does not compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    pub(super) message: String,
    pub(super) offset: Option<usize>,
}

impl PatternError {
    /// Returns the offset of the error in the expression, in bytes; `None` if the engine reports none.
    pub fn offset(&self) -> Option<usize> {
        self.offset
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PatternError {}

/// Returns `true` if an expression is only a list of names, anchored or not, in at most one pair of parentheses.
///
/// The client compares only such an expression with the names of families.
fn only_names(text: &str) -> bool {
    let names = pattern(r"^\^?(?:\((?:\?:)?)?\^?\w+\$?(?:\|\^?\w+\$?)*\)?\$?$");
    names.is_ok_and(|names| names.is_match(text))
}

/// Removes the suffixes after the names in a matcher of models, unless the matcher contains nothing else.
fn without_suffixes(text: &str) -> Cow<'_, str> {
    let Ok(suffix) = Regex::new(r"\[[12][mM]\](?=\s*(?:[|,]|$))") else {
        return Cow::Borrowed(text);
    };
    let kept = suffix.replace_all(text, "");
    let is_space = |c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}';
    if kept.trim_matches(is_space).is_empty() { Cow::Borrowed(text) } else { Cow::Owned(kept) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{FILE_CHANGED, PRE_MODEL_SWITCH, PRE_TOOL_USE, SUBAGENT_START};

    fn matches(event: &Event, matcher: &str, target: &str) -> bool {
        Matcher::new(matcher, event).matches(event, target)
    }

    #[test]
    fn an_expression_is_tried_against_every_name_of_a_tool() {
        assert!(matches(&PRE_TOOL_USE, "^Kill", "TaskStop"));
        assert!(matches(&SUBAGENT_START, "^Task$", "Agent"));
        assert!(!matches(&PRE_TOOL_USE, "^Task$", "TaskStop"));
        // A list has the current name in place of the old one.
        assert!(!matches(&SUBAGENT_START, "Task", "Task"));
    }

    #[test]
    fn an_expression_is_compared_with_the_name_of_a_file() {
        assert!(matches(&FILE_CHANGED, r"^\.env$", "/project/.env"));
        assert!(!matches(&FILE_CHANGED, "config/app.toml", "/project/config/app.toml"));
    }

    #[test]
    fn only_a_list_of_names_is_tried_against_families() {
        for (matcher, expected) in
            [("Artifact", true), ("^Artifact$", true), ("^(?:Bash|Artifact$)", true), ("^Artifact.?$", false)]
        {
            assert_eq!(matches(&PRE_TOOL_USE, matcher, "ArtifactData"), expected, "{matcher}");
        }
    }

    #[test]
    fn the_suffix_of_a_model_is_dropped_from_an_expression() {
        assert!(matches(&PRE_MODEL_SWITCH, "^claude-x[1m]", "claude-x"));
        assert!(matches(&PRE_MODEL_SWITCH, "^claude-(x|y)[2M]\t|z", "claude-y\t"));
        // A suffix alone is a character class.
        assert!(matches(&PRE_MODEL_SWITCH, "[1m]", "m"));
    }

    #[test]
    fn an_error_has_its_position() {
        test_support::lines!("lines/invalid-expressions.txt").check(|_, text| {
            let err = pattern(text).expect_err(text);
            format!("{}\t{err}", err.offset().expect("a position"))
        });
        assert_eq!(pattern(r"(?<a>.)\k<b>").expect_err("no such group").offset(), None);
    }

    #[test]
    fn an_expression_that_is_too_large_for_the_engine_matches() -> Result<(), PatternError> {
        let deep = format!("{}a{}", "(".repeat(300), ")".repeat(300));
        assert!(pattern(&deep)?.is_match("b"));
        Ok(())
    }
}
