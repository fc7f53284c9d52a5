//! Mistakes in lines that git accepts, but that do not mean what they seem to.

use super::wildmatch;

/// Returns the mistake in a line and its fix, if there is one.
pub(super) fn mistake(line: &str) -> Option<&'static str> {
    if line.trim().is_empty() || line.starts_with('#') {
        return None;
    }
    if line.starts_with([' ', '\t']) {
        return Some("leading whitespace is part of the name; remove it, or write `\\ ` for a space");
    }
    if line.as_bytes().windows(2).any(|pair| pair == b" #") {
        return Some("a comment needs its own line; for a name with ` #` in it, write ` \\#`");
    }
    if line.ends_with('\t') {
        return Some("the trailing tab is part of the name; remove it");
    }
    let pattern = line.strip_prefix('!').unwrap_or(line);
    if let Some(mistake) = mistake_in_characters(pattern) {
        return Some(mistake);
    }
    // An escaped space stays, which makes no difference here.
    let pattern = pattern.trim_end_matches(' ');
    if pattern.trim_matches('/').is_empty() {
        return Some("the pattern is empty; for all files, write `*`");
    }
    if pattern.starts_with("~/") {
        return Some("`~` is not expanded: patterns are relative to the root; for a file of that name, write `/~`");
    }
    mistake_in_parts(pattern)
}

fn mistake_in_parts(pattern: &str) -> Option<&'static str> {
    let pattern = pattern.strip_prefix('/').unwrap_or(pattern);
    let pattern = pattern.strip_suffix('/').unwrap_or(pattern);
    pattern.split('/').find_map(|part| match part {
        "" => Some("empty folder name; remove one of the slashes"),
        "." => Some("patterns are already relative to the root; remove the `.`, or write `/name` for the root alone"),
        ".." => Some("`..` never matches; write the path from the root"),
        _ => None,
    })
}

fn mistake_in_characters(pattern: &str) -> Option<&'static str> {
    let mut rest = pattern;
    while let Some(special) = rest.bytes().position(|byte| b"\\[{".contains(&byte)) {
        let (character, behind) = rest[special..].split_at(1);
        rest = match character {
            "\\" => {
                let mut escaped = behind.chars();
                match escaped.next() {
                    None => {
                        return Some("the `\\` at the end escapes nothing; write `\\\\` for the character itself");
                    }
                    Some(c) if c.is_alphanumeric() => {
                        return Some("`\\` does not separate folders: write `/`, or `\\\\` for the character itself");
                    }
                    Some(_) => escaped.as_str(),
                }
            }
            "[" => match after_class(behind) {
                Ok(rest) => rest,
                Err(mistake) => return Some(mistake),
            },
            _ => match behind.split_once('}') {
                Some((inside, _)) if inside.contains(',') => {
                    return Some("`{…}` is not expanded: write a line for each, or `\\{` for the character itself");
                }
                _ => behind,
            },
        };
    }
    None
}

/// Returns the text after a character class. `class` is the text after its `[`.
fn after_class(class: &str) -> Result<&str, &'static str> {
    const OPEN: &str = "the `[` is not closed; write `\\[` for the character itself";
    let negated = class.strip_prefix(['!', '^']).unwrap_or(class);
    // At the beginning of a class, `]` is one of its characters.
    let mut rest = negated.strip_prefix(']').unwrap_or(negated);
    loop {
        let special = rest.find(['\\', '[', ']']).ok_or(OPEN)?;
        let (character, behind) = rest[special..].split_at(1);
        rest = match character {
            "]" => return Ok(behind),
            "\\" => {
                let mut escaped = behind.chars();
                escaped.next().ok_or(OPEN)?;
                escaped.as_str()
            }
            _ => match behind.strip_prefix(':') {
                None => behind,
                Some(name) => {
                    let (name, rest) = name.split_once(":]").ok_or(OPEN)?;
                    if wildmatch::class(name.as_bytes()).is_none() {
                        return Err("unknown character class; write one such as `[[:alpha:]]`");
                    }
                    rest
                }
            },
        };
    }
}
