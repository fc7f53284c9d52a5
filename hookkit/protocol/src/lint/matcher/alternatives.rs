//! The alternatives of a regular expression.

use crate::matcher::syntax;

/// Splits an expression at each `|` that is neither in a group nor in a class.
pub(super) fn alternatives(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, char) in syntax(text) {
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Returns the alternatives of an expression. A group is replaced by its own alternatives, with the group's anchors.
pub(super) fn flattened(text: &str) -> Vec<String> {
    let each = alternatives(text).into_iter().flat_map(|alternative| {
        let start = &alternative[..alternative.len() - alternative.trim_start_matches('^').len()];
        let end = &alternative[alternative.trim_end_matches('$').len().max(start.len())..];
        let inner = &alternative[start.len()..alternative.len() - end.len()];
        match group(inner) {
            Some(inner) => {
                let with_anchors = |alternative: String| {
                    let start = if alternative.starts_with('^') { "" } else { start };
                    let end = if alternative.ends_with('$') { "" } else { end };
                    format!("{start}{alternative}{end}")
                };
                flattened(inner).into_iter().map(with_anchors).collect()
            }
            None => vec![alternative.to_owned()],
        }
    });
    each.collect()
}

/// Returns the content of an expression that consists of a single group.
fn group(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    // Other groups with `?` look around, or have a name.
    let inner = inner.strip_prefix("?:").unwrap_or(inner);
    if inner.starts_with('?') {
        return None;
    }
    let closes = closes_more_than_it_opens(syntax(inner).map(|(_, char)| char));
    (!closes && !inner.ends_with('\\')).then_some(inner)
}

/// Returns `true` if a closing parenthesis has no matching opening parenthesis before it.
pub(in crate::lint) fn closes_more_than_it_opens(mut text: impl Iterator<Item = char>) -> bool {
    let mut depth = 0_i32;
    text.any(|char| {
        depth += match char {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth < 0
    })
}

/// Removes the anchors of an alternative.
pub(super) fn bare(alternative: &str) -> &str {
    alternative.trim_start_matches('^').trim_end_matches('$')
}

/// Returns `true` if a text has no syntax of a regular expression.
pub(in crate::lint) fn is_name(text: &str) -> bool {
    text.chars().all(|char| char.is_alphanumeric() || "_-".contains(char))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_has_its_alternatives() {
        test_support::lines!("lines/alternatives.txt").check(|section, text| match section.name {
            "a group is replaced by its alternatives" => flattened(text).join("\t"),
            _ => alternatives(text).join("\t"),
        });
    }
}
