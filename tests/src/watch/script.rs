//! A reader of object literals in minified JavaScript, as far as their members and no further.

use std::ops::Range;

/// Returns the range behind the `{` of the object literal that a position is in, if it begins in the few hundred bytes
/// before.
///
/// Between the `{` and the position there are members without braces in strings.
pub(super) fn object_around(text: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for start in (at.saturating_sub(600)..at).rev() {
        match text[start] {
            b'}' | b')' | b']' => depth += 1,
            b'{' if depth == 0 => return Some(start + 1),
            b'(' | b'[' if depth == 0 => return None,
            b'{' | b'(' | b'[' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the members of an object literal whose first byte behind the `{` is given: each name with the text of its value.
///
/// A spread has no name. `None` if this is not an object literal.
pub(super) fn members(text: &[u8], from: usize) -> Option<Vec<(&str, &[u8])>> {
    let mut members = Vec::new();
    let mut at = from;
    loop {
        at += blank(&text[at..]);
        match text.get(at)? {
            b'}' => return Some(members),
            b',' => at += 1,
            b'.' => at = value_end(text, at)?,
            _ => {
                let name = key(text, at)?;
                at = name.end;
                at += usize::from(matches!(text.get(at)?, b'"' | b'\''));
                at += blank(&text[at..]);
                let end = value_end(text, at)?;
                let value = text[at..end].strip_prefix(b":").unwrap_or_default();
                members.push((str::from_utf8(&text[name]).ok()?, value));
                at = end;
            }
        }
    }
}

/// Returns the strings of the array literal that begins at a position, if it has nothing else.
pub(super) fn strings(text: &[u8]) -> Option<Vec<&str>> {
    let mut rest = text.strip_prefix(b"[")?;
    let mut strings = Vec::new();
    loop {
        rest = rest.strip_prefix(b"\"")?;
        let end = rest.iter().position(|byte| *byte == b'"')?;
        strings.push(str::from_utf8(&rest[..end]).ok()?);
        rest = &rest[end + 1..];
        match rest.first()? {
            b',' => rest = &rest[1..],
            b']' => return Some(strings),
            _ => return None,
        }
    }
}

/// Returns the argument of a call of a function with any name: of `k.literal("Stop")` it is `"Stop")`.
pub(super) fn argument(text: &[u8]) -> Option<&[u8]> {
    let name = text.iter().take_while(|byte| is_of_name(**byte) || **byte == b'.').count();
    text[name..].strip_prefix(b"(").filter(|_| name > 0)
}

fn blank(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

/// Returns the range of the name at a position.
fn key(text: &[u8], at: usize) -> Option<Range<usize>> {
    let start = at + usize::from(matches!(text[at], b'"' | b'\''));
    let length = text[start..].iter().take_while(|byte| is_of_name(**byte)).count();
    (length > 0).then_some(start..start + length)
}

/// Returns the end of the value at a position: the `,` or the bracket behind it.
fn value_end(text: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut depth) = (from, 0_usize);
    // The last byte that is not blank, by which a `/` divides or begins an expression.
    let mut last = b'(';
    loop {
        let byte = *text.get(at)?;
        match byte {
            b',' if depth == 0 => return Some(at),
            b'}' | b')' | b']' if depth == 0 => return Some(at),
            b'}' | b')' | b']' => depth -= 1,
            b'{' | b'(' | b'[' => depth += 1,
            b'"' | b'\'' => at = quoted_end(text, at + 1, byte)?,
            b'`' => at = template_end(text, at + 1)?,
            b'/' if b"(,=:[!&|?{};+-*%<>~^".contains(&last) => at = expression_end(text, at + 1)?,
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            last = byte;
        }
        at += 1;
    }
}

fn quoted_end(text: &[u8], mut at: usize, quote: u8) -> Option<usize> {
    loop {
        match text.get(at)? {
            b'\\' => at += 2,
            byte if *byte == quote => return Some(at),
            _ => at += 1,
        }
    }
}

fn template_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match text.get(at)? {
            b'\\' => at += 2,
            b'`' => return Some(at),
            b'$' if text.get(at + 1) == Some(&b'{') => {
                at += 2;
                // An expression ends where an object does; commas are within it.
                while text.get(at)? != &b'}' {
                    at = value_end(text, at)?;
                    match text[at] {
                        b',' => at += 1,
                        b'}' => {}
                        _ => return None,
                    }
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// Returns the end of a regular expression.
fn expression_end(text: &[u8], mut at: usize) -> Option<usize> {
    let mut is_class = false;
    loop {
        match text.get(at)? {
            b'\\' => at += 1,
            b'[' => is_class = true,
            b']' => is_class = false,
            b'/' if !is_class => return Some(at),
            b'\n' => return None,
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Option<Vec<&str>> {
        let members = members(text.as_bytes(), 0)?;
        Some(members.into_iter().map(|(name, _)| name).collect())
    }

    #[test]
    fn members_are_those_of_the_object_itself() {
        let text = r#"hook_event_name:P("X"),...b(a,{inner:1}),tool:r().describe("a, {b}: 'c'"),if:H(),"quoted":[1,{x:2}],short,
            last:`a${f({deep:1},`,`)},}`}, behind: 1"#;
        let wanted = ["hook_event_name", "tool", "if", "quoted", "short", "last"];
        assert_eq!(names(text), Some(wanted.map(Into::into).into()));
        assert_eq!(names("a:/[/,}]\\//.test(b),c:d/e,f:1}"), Some(vec!["a", "c", "f"]));
        assert_eq!(names("a:1,b:(2"), None);
        assert_eq!(names("a:`${)`,b:1}"), None);
    }

    #[test]
    fn an_object_is_found_around_a_member() {
        let text = br#"x={...base(a,{y:1}),hook_event_name:"Stop"}"#;
        let at = text.windows(4).position(|part| part == b"hook");
        assert_eq!(object_around(text, at.unwrap_or_default()), Some(3));
        assert_eq!(object_around(b"f(hook_event_name)", 2), None);
    }

    #[test]
    fn arguments_and_lists_are_read() {
        assert_eq!(argument(b"k.literal(\"Stop\")"), Some(&b"\"Stop\")"[..]));
        assert_eq!(argument(b"(1)"), None);
        assert_eq!(strings(br#"["a","b"].map"#), Some(vec!["a", "b"]));
        assert_eq!(strings(br#"["a",b]"#), None);
    }
}
