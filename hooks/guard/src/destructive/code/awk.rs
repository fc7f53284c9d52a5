//! Programs of awk that start others.

use super::functions;

/// Returns `true` if a program of awk starts others: by `system`, or by a pipe that is not in a text.
pub(super) fn starts_programs(text: &str) -> bool {
    if functions::calls(text, "system") {
        return true;
    }
    // A quotation mark in a pattern or a comment would open a text.
    let has_texts = !text.contains("/\"") && !text.contains('#');
    let mut is_text = false;
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => drop(chars.next()),
            '"' => is_text = has_texts && !is_text,
            '|' if !is_text => {
                let behind = text[at + 1..].trim_start_matches('&').trim_start();
                // Texts next to each other are one.
                let ends = |rest: &str| rest.trim_start().starts_with(['}', ')', ';']);
                let begins = |before: &str| before.trim_end().ends_with(['{', '(', ';']);
                let started = match behind.strip_prefix('"') {
                    Some(text) => text
                        .split_once('"')
                        .filter(|(_, rest)| ends(rest))
                        .map(|(command, _)| command),
                    None if behind.starts_with("getline") => {
                        let text = text[..at].trim_end().strip_suffix('"');
                        let text = text.and_then(|text| text.rsplit_once('"'));
                        text.filter(|(before, _)| begins(before)).map(|(_, command)| command)
                    }
                    None => continue,
                };
                if !started.is_some_and(is_filter) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Returns `true` for a command that only prints, or changes the order of what it reads: `sort -rn`.
fn is_filter(command: &str) -> bool {
    let mut words = command.split(' ').filter(|word| !word.is_empty());
    let is_flags =
        |word: &str| word.starts_with('-') && word[1..].bytes().all(|byte| b"0123456789,.bcdfghknruV".contains(&byte));
    let is_format = |word: &str| {
        word.starts_with('+')
            && word[1..]
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"%-:".contains(&byte))
    };
    match words.next() {
        Some("cat" | "head" | "sort" | "tail" | "uniq" | "wc") => words.all(is_flags),
        Some("date") => words.all(is_format),
        _ => false,
    }
}
