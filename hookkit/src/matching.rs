//! Compares the matchers of types with each other and with a hook's matcher, mostly at compile time.

use hookkit_protocol::event as facts;
use hookkit_protocol::is_same;
use hookkit_protocol::matcher::Matcher;

/// The matcher of a type; `None` matches all.
pub type TypeMatcher = Option<&'static str>;

/// Returns the default matcher of a hook, from the types of its arguments.
pub const fn matcher_of(of_types: &[TypeMatcher]) -> TypeMatcher {
    let mut rest = of_types;
    while let [first, others @ ..] = rest {
        if first.is_some() {
            return *first;
        }
        rest = others;
    }
    None
}

/// Returns `true` if all types that have a matcher have the same one.
pub const fn agree(matchers: &[TypeMatcher]) -> bool {
    let Some(first) = matcher_of(matchers) else {
        return true;
    };
    let mut rest = matchers;
    while let [matcher, others @ ..] = rest {
        if let Some(text) = matcher
            && !is_same(text.as_bytes(), first.as_bytes())
        {
            return false;
        }
        rest = others;
    }
    true
}

/// Returns `true` if a type's matcher may match all of these tools.
pub const fn may_admit(matcher: Option<&str>, tools: &[&str]) -> bool {
    let mut rest = tools;
    while let [tool, others @ ..] = rest {
        if !may_name(matcher, tool) {
            return false;
        }
        rest = others;
    }
    true
}

/// Returns the part of a type's matcher that applies to skill commands, which run in shell tools only. A
/// matcher without a shell is returned unchanged.
pub(crate) const fn of_shells(matcher: TypeMatcher) -> TypeMatcher {
    match (matcher, may_name(matcher, "Bash"), may_name(matcher, "PowerShell")) {
        (None, ..) | (_, false, false) => matcher,
        (_, true, true) => Some("Bash|PowerShell"),
        (_, true, false) => Some("Bash"),
        (_, false, true) => Some("PowerShell"),
    }
}

/// Returns `true` if a type's matcher may match one of these tools.
pub const fn may_admit_one(matcher: Option<&str>, tools: &[&str]) -> bool {
    let mut rest = tools;
    while let [tool, others @ ..] = rest {
        if may_name(matcher, tool) {
            return true;
        }
        rest = others;
    }
    false
}

/// Returns `false` if a type's matcher lists this tool together with others. A matcher that does not list the tool has
/// its own error.
pub const fn is_for_no_other(matcher: Option<&str>, tool: &str) -> bool {
    match matcher {
        Some(text) => {
            let list = Matcher::new(text, &facts::PRE_TOOL_USE);
            !may_name(matcher, tool) || !list.names_others(tool)
        }
        None => true,
    }
}

/// Returns `true` if a type's matcher may match this tool: it lists the tool, or is not a list of names.
const fn may_name(matcher: Option<&str>, name: &str) -> bool {
    let Some(text) = matcher else { return true };
    let list = Matcher::new(text, &facts::PRE_TOOL_USE);
    if let Matcher::Names(_) = list {
        return list.names_tool(name);
    }
    // Expressions are for the tools of MCP servers; what else they match cannot be determined here.
    let [prefix @ .., b'.', b'*'] = text.as_bytes() else {
        return !begins_with(text.as_bytes(), b"mcp__") || begins_with(name.as_bytes(), b"mcp__");
    };
    begins_with(name.as_bytes(), prefix) || !begins_with(prefix, b"mcp__")
}

const fn begins_with(text: &[u8], prefix: &[u8]) -> bool {
    match text.split_at_checked(prefix.len()) {
        Some((start, _)) => is_same(start, prefix),
        None => false,
    }
}

/// Returns `true` if an answer that replaces the input or output of some tools is valid on every call that a hook's
/// matcher matches.
///
/// The tools that a regular expression matches cannot be determined here, so both expressions must be the same.
pub const fn may_replace(of_answer: Option<&str>, matcher: Option<&str>) -> bool {
    let Some(answered) = of_answer else { return true };
    let Some(called) = matcher else { return false };
    let mut rest = match Matcher::new(called, &facts::PRE_TOOL_USE) {
        Matcher::All => return false,
        Matcher::Regex(_) => return is_same(answered.as_bytes(), called.as_bytes()),
        list @ Matcher::Names(_) => list,
    };
    while let Some((tool, others)) = rest.first_tool() {
        if !may_name(of_answer, tool) {
            return false;
        }
        rest = others;
    }
    true
}

/// Returns `true` if a call of this tool belongs to a set's variant whose type has this matcher.
pub fn is_of(matcher: Option<&str>, tool_name: &str) -> bool {
    let Some(text) = matcher else { return true };
    match Matcher::new(text, &facts::PRE_TOOL_USE) {
        // An expression is alone in its set, and the client checks it.
        Matcher::All | Matcher::Regex(_) => true,
        list @ Matcher::Names(_) => list.names_tool(tool_name),
    }
}

/// Returns `true` if a type can be in a set of `count` types. A regular expression must be the only matcher: in a
/// joined expression, the other names would match as substrings.
pub const fn can_be_joined(matcher: Option<&str>, count: usize) -> bool {
    match matcher {
        Some(text) => count == 1 || matches!(Matcher::new(text, &facts::PRE_TOOL_USE), Matcher::Names(_)),
        None => true,
    }
}

/// Returns `true` if this type has no tool in common with the types of earlier variants.
pub const fn is_apart(before: &[TypeMatcher], matcher: TypeMatcher) -> bool {
    let mut rest = before;
    while let [other, others @ ..] = rest {
        let shares = match (other, matcher) {
            (None, _) => true,
            (Some(one), Some(other)) => {
                let other = Matcher::new(other, &facts::PRE_TOOL_USE);
                Matcher::new(one, &facts::PRE_TOOL_USE).shares_a_name(other)
            }
            (Some(_), None) => false,
        };
        if shares {
            return false;
        }
        rest = others;
    }
    true
}

/// Returns the length of the joined matcher of a set.
pub const fn joined_length(parts: &[Option<&str>]) -> usize {
    let mut rest = parts;
    let mut length = 0;
    while let [part, others @ ..] = rest {
        if let Some(text) = part {
            length += text.len() + 1;
        }
        rest = others;
    }
    length.saturating_sub(1)
}

/// Joins the matchers of a set's types into a list.
pub const fn joined<const LENGTH: usize>(parts: &[Option<&str>]) -> [u8; LENGTH] {
    let mut joined = [b'|'; LENGTH];
    let mut rest = parts;
    let mut at = 0;
    while let [part, others @ ..] = rest {
        if let Some(text) = part {
            let mut bytes = text.as_bytes();
            while let [byte, behind @ ..] = bytes {
                joined[at] = *byte;
                at += 1;
                bytes = behind;
            }
            at += 1;
        }
        rest = others;
    }
    joined
}

/// Returns the matcher of a set, from the matchers of its types and their joined matcher; `None` if one of the types
/// has no matcher.
pub const fn joined_matcher<'m>(parts: &[Option<&str>], joined: &'m [u8]) -> Option<&'m str> {
    let mut rest = parts;
    while let [part, others @ ..] = rest {
        if part.is_none() {
            return None;
        }
        rest = others;
    }
    match std::str::from_utf8(joined) {
        Ok(text) => Some(text),
        Err(_) => panic!("matchers are text"),
    }
}
