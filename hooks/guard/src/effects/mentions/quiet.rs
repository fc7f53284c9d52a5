//! Searches that only print names of variables.

use crate::prelude::*;

/// Returns `true` for a `grep` that only prints the part of a line before its `=`: `-oE '^[A-Z_]+='`.
pub(super) fn finds_names(words: &[Word]) -> bool {
    let [options, pattern, files @ ..] = words else {
        return false;
    };
    let is_option = |text: &str| text.strip_prefix('-').is_some_and(|letters| consists_of("EPhio", letters));
    let pattern = pattern.known_start().strip_prefix('^');
    files.iter().all(|word| word.literal().is_some_and(|text| !text.starts_with('-')))
        && options.literal().is_some_and(|text| is_option(text) && text.contains('o'))
        && pattern.and_then(|pattern| pattern.strip_suffix('=')).is_some_and(fits_names)
}

/// Returns `true` for a pattern that matches only letters, digits and `_`: `[A-Z_]+`.
pub(crate) fn fits_names(pattern: &str) -> bool {
    // A range between other characters may include the `=`.
    let others = ["A-Z", "a-z", "0-9"].iter().fold(pattern.to_owned(), |pattern, range| pattern.replace(range, ""));
    has_only(&others, "[]_+*")
}
