//! What a matcher means.
//!
//! The client filters before it starts a hook, so a hook's own check is a second one.
//! It must never be stricter than the first, or calls are lost in silence: where only the client can tell, the answer
//! here is that it matches.

use crate::event::MatcherTarget;
use crate::tool;

/// How the client reads a matcher (for every event but StopFailure and FileChanged, whose list rule is narrower).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matcher<'a> {
    /// Absent, empty or `*`: everything.
    All,
    /// Only letters, digits, `_`, `-`, blanks and the separators `|` and `,`: a list of whole names.
    Names(&'a str),
    /// Anything else: an unanchored, case-sensitive JavaScript regular expression.
    Regex(&'a str),
}

impl<'a> Matcher<'a> {
    /// Reads a matcher as it stands in settings.json.
    ///
    /// ```
    /// use hookkit_protocol::matcher::Matcher;
    ///
    /// assert_eq!(Matcher::new("*"), Matcher::All);
    /// assert_eq!(Matcher::new("Edit|Write"), Matcher::Names("Edit|Write"));
    /// assert_eq!(Matcher::new("mcp__git__.*"), Matcher::Regex("mcp__git__.*"));
    /// ```
    pub const fn new(text: &'a str) -> Self {
        let mut rest = text.as_bytes();
        if let b"" | b"*" = rest {
            return Self::All;
        }
        while let [byte, others @ ..] = rest {
            if !matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'|' | b',' | b' ' | b'-') {
                return Self::Regex(text);
            }
            rest = others;
        }
        Self::Names(text)
    }

    /// Whether the client may have started the hook for `value`, the event's match target.
    ///
    /// Regular expressions are left to the client.
    /// So are tool names that are not built in: a host can give a tool another name (the SDK's `toolAliases`), which the
    /// client translates before it compares, and which a hook never sees.
    pub fn admits(self, target: MatcherTarget, value: &str) -> bool {
        match (self, target) {
            (Self::All | Self::Regex(_), _) | (_, MatcherTarget::Ignored) => true,
            (Self::Names(list), MatcherTarget::ToolName) => names_value(list, value) || !tool::is_built_in(value),
            // The client translates old tool names in every list, whatever the event.
            (Self::Names(list), MatcherTarget::Field(_)) => names_value(list, value),
        }
    }
}

fn names_value(list: &str, value: &str) -> bool {
    let value = value.as_bytes();
    let is_renamed = |name| {
        tool::RENAMED
            .iter()
            .any(|(old, new)| name == old.as_bytes() && value == new.as_bytes())
    };
    names(list).any(|name| name == value) || names(list).any(is_renamed)
}

/// The names of a list: trimmed, without the empty ones.
fn names(list: &str) -> impl Iterator<Item = &[u8]> {
    let parts = list.as_bytes().split(|byte| matches!(byte, b'|' | b','));
    parts.map(<[u8]>::trim_ascii).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_admits_whole_names_only() {
        for (matcher, admitted, refused) in [
            ("Edit|Write", "Edit", "NotebookEdit"),
            ("Edit, Write", "Write", "Read"),
            ("Edit | Write ", "Write", "Read"),
            ("Task", "Agent", "TaskStop"),
            ("KillShell", "TaskStop", "Bash"),
        ] {
            assert!(
                Matcher::new(matcher).admits(MatcherTarget::ToolName, admitted),
                "{matcher} {admitted}"
            );
            assert!(
                !Matcher::new(matcher).admits(MatcherTarget::ToolName, refused),
                "{matcher} {refused}"
            );
        }
    }

    #[test]
    fn only_separators_admit_nothing() {
        assert!(!Matcher::new("|").admits(MatcherTarget::ToolName, "Bash"));
    }

    #[test]
    fn an_expression_is_left_to_the_client() {
        assert!(Matcher::new("^Edit$").admits(MatcherTarget::ToolName, "Bash"));
    }

    #[test]
    fn a_tool_that_a_host_may_have_renamed_is_left_to_the_client() {
        assert!(Matcher::new("Bash").admits(MatcherTarget::ToolName, "mcp__host__shell"));
    }

    #[test]
    fn other_targets_are_compared_literally() {
        let source = MatcherTarget::Field("source");
        assert!(Matcher::new("startup|resume").admits(source, "resume"));
        assert!(!Matcher::new("startup|resume").admits(source, "compact"));
    }
}
