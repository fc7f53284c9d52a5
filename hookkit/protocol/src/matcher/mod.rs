//! The meaning of a matcher.
//!
//! The client applies the matcher before it starts a hook, so the hook's own check is the second one. The hook's check
//! must never be stricter than the client's, or calls are lost silently. So if only the client can decide,
//! [`Matcher::admits`] returns `true`. `Matcher::matches` (feature `regex`) decides as the client does; it is meant for
//! compilers and tests, in which speed does not matter.

use crate::event::{Event, MatcherTarget};
use crate::{is_same, tool};

#[cfg(feature = "regex")]
mod fault;
#[cfg(feature = "regex")]
mod pattern;
#[cfg(feature = "regex")]
mod source;

#[cfg(feature = "regex")]
pub use pattern::{Pattern, PatternError, pattern};
#[cfg(feature = "regex")]
pub(crate) use source::syntax;

/// A matcher, as the client reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matcher<'a> {
    /// Absent, empty or `*`: matches everything.
    All,
    /// A list of whole names: only letters, digits, `_`, `-`, blanks and the separators `|` and `,`.
    ///
    /// On StopFailure and FileChanged, a comma, a blank or a hyphen makes it a regular expression.
    Names(&'a str),
    /// Anything else: an unanchored, case-sensitive JavaScript regular expression.
    Regex(&'a str),
}

impl<'a> Matcher<'a> {
    /// Parses a matcher of `event` as written in settings.json.
    ///
    /// ```
    /// use hookkit_protocol::event::{FILE_CHANGED, PRE_MODEL_SWITCH, PRE_TOOL_USE};
    /// use hookkit_protocol::matcher::Matcher;
    ///
    /// assert_eq!(Matcher::new("*", &PRE_TOOL_USE), Matcher::All);
    /// assert_eq!(Matcher::new("Edit, Write", &PRE_TOOL_USE), Matcher::Names("Edit, Write"));
    /// assert_eq!(Matcher::new("mcp__git__.*", &PRE_TOOL_USE), Matcher::Regex("mcp__git__.*"));
    /// assert_eq!(Matcher::new("a,b", &FILE_CHANGED), Matcher::Regex("a,b"));
    /// assert_eq!(Matcher::new("claude-x[1m]", &PRE_MODEL_SWITCH), Matcher::Names("claude-x[1m]"));
    /// ```
    pub const fn new(text: &'a str, event: &Event) -> Self {
        let is_narrow = event.has_narrow_lists;
        let drops_suffixes = matches!(event.matcher_target, MatcherTarget::Model);
        let mut rest = text.as_bytes();
        if let b"" | b"*" = rest {
            return Self::All;
        }
        // A text of suffixes and blanks alone is kept as it is, and a star with a suffix is a star.
        let (mut has_suffix, mut is_blank) = (false, true);
        while let [byte, others @ ..] = rest {
            if drops_suffixes && let Some(behind) = behind_suffix(rest) {
                has_suffix = true;
                rest = behind;
                continue;
            }
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'|' => is_blank = false,
                b',' | b'-' if !is_narrow => is_blank = false,
                b' ' if !is_narrow => {}
                b'*' if drops_suffixes && text.len() == rest.len() && matches!(behind_suffix(others), Some([])) => {
                    return Self::All;
                }
                _ => return Self::Regex(text),
            }
            rest = others;
        }
        if has_suffix && is_blank {
            return Self::Regex(text);
        }
        Self::Names(text)
    }

    /// Returns `true` if the client may have started the hook for `value`, the payload's value for `target`.
    ///
    /// Also returns `true` for every regular expression, which only the client evaluates, and for every tool that is
    /// not built in: a host can give a tool another name (the SDK's `toolAliases`). The client translates that name
    /// before it compares, and a hook never sees it.
    #[inline]
    pub fn admits(self, target: MatcherTarget, value: &str) -> bool {
        let Self::Names(list) = self else { return true };
        match target {
            MatcherTarget::ToolName => names_value(list, value.as_bytes()) || !tool::is_built_in(value),
            // The client translates old tool names in every list, whatever the event.
            MatcherTarget::Field { .. } => names_value(list, value.as_bytes()),
            MatcherTarget::FileName => names_value(list, base_name(value).as_bytes()),
            MatcherTarget::Ignored | MatcherTarget::Model => true,
        }
    }

    /// Returns `true` if the client starts the hook for `target`, the value that `event` is matched on (client
    /// 2.1.330); `None` for a regular expression.
    ///
    /// A list can name a tool by an old name or by its family. Names that a host gives to tools are not considered.
    ///
    /// ```
    /// use hookkit_protocol::event::PRE_TOOL_USE;
    /// use hookkit_protocol::matcher::Matcher;
    ///
    /// let agents = Matcher::new("Task", &PRE_TOOL_USE);
    /// assert_eq!(agents.lists(&PRE_TOOL_USE, "Agent"), Some(true));
    /// // The client compares with the name of the call, which is never the old one.
    /// assert_eq!(agents.lists(&PRE_TOOL_USE, "Task"), Some(false));
    /// ```
    pub fn lists(self, event: &Event, target: &str) -> Option<bool> {
        if event.matcher_target == MatcherTarget::Ignored {
            return Some(true);
        }
        let target = compared(event, target);
        match self {
            Self::All => Some(true),
            Self::Names(_) => Some(self.names().any(|name| is_tool(tool::current_name(name), target))),
            Self::Regex(_) => None,
        }
    }

    /// Returns the names of a list, in order: trimmed, and without the empty ones.
    ///
    /// Returns nothing if the matcher is not a list.
    ///
    /// ```
    /// use hookkit_protocol::event::PRE_TOOL_USE;
    /// use hookkit_protocol::matcher::Matcher;
    ///
    /// let names: Vec<&str> = Matcher::new("Edit, Write|", &PRE_TOOL_USE).names().collect();
    /// assert_eq!(names, ["Edit", "Write"]);
    /// ```
    #[inline]
    pub fn names(self) -> impl Iterator<Item = &'a str> {
        let list = match self {
            Self::Names(list) => list,
            Self::All | Self::Regex(_) => "",
        };
        // A bracket is a model's suffix: on other events it would make an expression.
        let without_suffix = |part: &'a str| part.split_once('[').map_or(part, |(name, _)| name).trim_ascii();
        list.split(['|', ',']).map(without_suffix).filter(|name| !name.is_empty())
    }

    /// Returns `true` if this is a list that names the tool: by its current name, an old name, or its family.
    ///
    /// `false` for a regular expression, which cannot be evaluated in a constant.
    #[inline]
    pub const fn names_tool(self, tool: &str) -> bool {
        self.has_name(tool, true)
    }

    /// Returns `true` if this is a list that names another tool.
    pub const fn names_others(self, tool: &str) -> bool {
        self.has_name(tool, false)
    }

    /// Returns `true` if this is a list that names this tool (if `is_the_tools`), or another tool (if not).
    #[inline]
    const fn has_name(self, tool: &str, is_the_tools: bool) -> bool {
        let mut rest = self;
        while let Some((name, others)) = rest.first_tool() {
            if is_tool(name, tool) == is_the_tools {
                return true;
            }
            rest = others;
        }
        false
    }

    /// Returns the first tool of a list, by its current name, and the rest of the list. `None` if this is not a list,
    /// or if the list is empty.
    ///
    /// This is [`names`](Self::names) for constants.
    ///
    /// ```
    /// use hookkit_protocol::event::PRE_TOOL_USE;
    /// use hookkit_protocol::matcher::Matcher;
    ///
    /// let list = Matcher::new("|Task, Edit", &PRE_TOOL_USE);
    /// assert_eq!(list.first_tool(), Some(("Agent", Matcher::Names(" Edit"))));
    /// ```
    pub const fn first_tool(self) -> Option<(&'a str, Self)> {
        let Self::Names(mut list) = self else { return None };
        while !list.is_empty() {
            let (name, others) = first_name(list);
            if !name.is_empty() {
                return Some((tool::current_name(name), Self::Names(others)));
            }
            list = others;
        }
        None
    }

    /// Returns `true` if both matchers are lists with a tool in common, by its current name or an old name.
    pub const fn shares_a_name(self, other: Matcher<'_>) -> bool {
        let mut rest = other;
        while let Some((tool, others)) = rest.first_tool() {
            if self.names_tool(tool) {
                return true;
            }
            rest = others;
        }
        false
    }
}

/// Splits a list into its first name and the text after the separator.
#[inline]
const fn first_name(list: &str) -> (&str, &str) {
    let mut length = 0;
    while length < list.len() && !matches!(list.as_bytes()[length], b'|' | b',') {
        length += 1;
    }
    let (name, others) = list.split_at(length);
    let separator = if others.is_empty() { 0 } else { 1 };
    (name.trim_ascii(), others.split_at(separator).1)
}

/// Returns `true` if `name`, a current name, is the name of the tool or of its family.
#[inline]
const fn is_tool(name: &str, tool: &str) -> bool {
    let mut families = tool::FAMILIES;
    while let [(member, family), others @ ..] = families {
        if is_same(member.as_bytes(), tool.as_bytes()) && is_same(name.as_bytes(), family.as_bytes()) {
            return true;
        }
        families = others;
    }
    is_same(name.as_bytes(), tool.as_bytes())
}

/// Returns the reason why the client does not call a hook with this matcher for `target`, for a message.
///
/// ```
/// use hookkit_protocol::matcher::mismatch;
///
/// assert_eq!(mismatch("Bash", "Read"), "`Bash` does not match `Read`");
/// assert_eq!(mismatch("Task", "Task"), "`Task` does not match `Task`: in events, this tool is called `Agent`");
/// ```
pub fn mismatch(matcher: &str, target: &str) -> String {
    let current = tool::current_name(target);
    let name = if current == target { String::new() } else { format!(": in events, this tool is called `{current}`") };
    format!("`{matcher}` does not match `{target}`{name}")
}

/// Returns the text after a `[1m]` or `[2m]` at the beginning of `text`, if that suffix ends a name.
#[inline]
const fn behind_suffix(text: &[u8]) -> Option<&[u8]> {
    let [b'[', b'1' | b'2', b'm' | b'M', b']', behind @ ..] = text else {
        return None;
    };
    let mut next = behind;
    while let [b' ', others @ ..] = next {
        next = others;
    }
    match next {
        [] | [b'|' | b',', ..] => Some(behind),
        _ => None,
    }
}

/// Returns `true` if the list names the value: by its current name, or by another name that the client accepts for it.
#[inline]
fn names_value(list: &str, value: &[u8]) -> bool {
    let is_other_name = |name: &[u8]| {
        tool::RENAMED
            .iter()
            .any(|(old, new)| name == old.as_bytes() && value == new.as_bytes())
            // Both ways: without the tool's definition, the client uses the call's `action` as its name.
            || tool::FAMILIES.iter().any(|(member, family)| {
                let (member, family) = (member.as_bytes(), family.as_bytes());
                (name == family && value == member) || (name == member && value == family)
            })
    };
    names(list).any(|name| name == value) || names(list).any(is_other_name)
}

/// Returns the names of a list like [`Matcher::names`], for the hot path.
#[inline]
fn names(list: &str) -> impl Iterator<Item = &[u8]> {
    let parts = list.as_bytes().split(|byte| matches!(byte, b'|' | b','));
    parts.map(<[u8]>::trim_ascii).filter(|name| !name.is_empty())
}

/// Returns the part of a matcher's target that the client compares: of a path, the last component.
fn compared<'t>(event: &Event, target: &'t str) -> &'t str {
    if event.matcher_target == MatcherTarget::FileName { base_name(target) } else { target }
}

/// Returns the last component of a path.
#[inline]
fn base_name(path: &str) -> &str {
    let is_separator = |char: char| char == '/' || (cfg!(windows) && char == '\\');
    let mut parts = path.rsplit(is_separator);
    parts.find(|part| !part.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{FILE_CHANGED, POST_MODEL_SWITCH, PRE_TOOL_USE, SESSION_START, STOP, STOP_FAILURE};

    fn admits(event: &Event, matcher: &str, value: &str) -> bool {
        Matcher::new(matcher, event).admits(event.matcher_target, value)
    }

    #[test]
    fn a_list_admits_whole_names_only() {
        for (matcher, admitted, refused) in [
            ("Edit|Write", "Edit", "NotebookEdit"),
            ("Edit, Write", "Write", "Read"),
            ("Edit | Write ", "Write", "Read"),
            ("Task", "Agent", "TaskStop"),
            ("KillShell", "TaskStop", "Bash"),
        ] {
            assert!(admits(&PRE_TOOL_USE, matcher, admitted), "{matcher} {admitted}");
            assert!(!admits(&PRE_TOOL_USE, matcher, refused), "{matcher} {refused}");
        }
    }

    #[test]
    fn only_separators_admit_nothing() {
        assert!(!admits(&PRE_TOOL_USE, "|", "Bash"));
        assert!(!Matcher::new("|", &PRE_TOOL_USE).names_tool(""));
    }

    #[test]
    fn an_expression_is_left_to_the_client() {
        assert!(admits(&PRE_TOOL_USE, "^Edit$", "Bash"));
    }

    #[test]
    fn a_tool_that_a_host_may_have_renamed_is_left_to_the_client() {
        assert!(admits(&PRE_TOOL_USE, "Bash", "mcp__host__shell"));
    }

    #[test]
    fn a_family_and_its_members_answer_to_each_other() {
        assert!(admits(&PRE_TOOL_USE, "Artifact", "ArtifactData"));
        assert!(admits(&PRE_TOOL_USE, "ArtifactCheck", "Artifact"));
        assert!(!admits(&PRE_TOOL_USE, "ArtifactCheck", "Bash"));
    }

    #[test]
    fn other_targets_are_compared_literally() {
        assert!(admits(&SESSION_START, "startup|resume", "resume"));
        assert!(!admits(&SESSION_START, "startup|resume", "compact"));
    }

    #[test]
    fn a_path_is_compared_by_its_last_component() {
        assert!(admits(&FILE_CHANGED, "Makefile", "/home/me/Makefile"));
        assert!(!admits(&FILE_CHANGED, "Makefile", "/home/Makefile/me"));
        assert!(!admits(&FILE_CHANGED, "Makefile", ""));
    }

    #[test]
    fn where_nothing_can_be_compared_everything_is_admitted() {
        assert!(admits(&STOP, "Bash", "Read"));
        assert!(admits(&POST_MODEL_SWITCH, "claude-x", "claude-y"));
    }

    #[test]
    fn two_events_have_lists_of_letters_digits_underscores_and_bars() {
        for event in [&STOP_FAILURE, &FILE_CHANGED] {
            assert_eq!(Matcher::new("a_1|B", event), Matcher::Names("a_1|B"));
            for text in ["a,b", "a b", "a-b"] {
                assert_eq!(Matcher::new(text, event), Matcher::Regex(text));
                assert_eq!(Matcher::new(text, &PRE_TOOL_USE), Matcher::Names(text));
            }
        }
    }

    #[test]
    fn a_suffix_behind_the_name_of_a_model_does_not_count() {
        let new = |text| Matcher::new(text, &POST_MODEL_SWITCH);
        for text in ["claude-x[1m]", "claude-x[2M] | y", "x|y [1m]", "[1m]|x"] {
            assert_eq!(new(text), Matcher::Names(text));
        }
        for text in ["[1m]", " [1m] ", "x[3m]", "x[1m]y", "x[1m][1m]", "x[1m"] {
            assert_eq!(new(text), Matcher::Regex(text));
        }
        assert_eq!(new("*[1m]"), Matcher::All);
        let names: Vec<&str> = new("x[1m], y [2M]|[1m]").names().collect();
        assert_eq!(names, ["x", "y"]);
    }

    #[test]
    fn a_constant_knows_the_tools_of_a_list() {
        for (list, named, not_named) in [
            ("Edit, Write", "Write", "Writ"),
            ("Edit|Write", "Edit", "NotebookEdit"),
            ("KillShell|", "TaskStop", "KillShell"),
            ("mcp__a__b", "mcp__a__b", "mcp__a__bc"),
            ("Edit", "Edit", ""),
            ("Artifact", "ArtifactData", "Artefact"),
        ] {
            let matcher = Matcher::new(list, &PRE_TOOL_USE);
            assert!(matcher.names_tool(named) && !matcher.names_tool(not_named), "{list}");
            assert_eq!(matcher.names_others(named), list.contains("Write"), "{list}");
        }
        assert!(!Matcher::new("Edit.*", &PRE_TOOL_USE).names_tool("Edit"));
    }

    #[test]
    fn the_names_of_a_list_are_trimmed_and_not_empty() {
        let names: Vec<&str> = Matcher::new(",, Edit |Wr ite|", &PRE_TOOL_USE).names().collect();
        assert_eq!(names, ["Edit", "Wr ite"]);
        assert_eq!(Matcher::new("a.b", &PRE_TOOL_USE).names().count(), 0);
    }
}
