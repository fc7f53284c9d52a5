//! Characters and parts of texts.

/// Returns `true` if a text consists only of these characters.
pub fn consists_of(characters: &str, text: &str) -> bool {
    text.chars().all(|char| characters.contains(char))
}

/// Returns `true` if a text has only ASCII letters and digits, and these characters.
pub fn has_only(text: &str, signs: &str) -> bool {
    text.chars().all(|char| char.is_ascii_alphanumeric() || signs.contains(char))
}

/// Returns a text up to the first `sign`, or all of it.
pub fn up_to(text: &str, sign: char) -> &str {
    text.split(sign).next().unwrap_or_default()
}

/// Returns a text after the last `sign`, or all of it.
pub fn after_last(text: &str, sign: char) -> &str {
    text.rsplit(sign).next().unwrap_or_default()
}

/// Returns the letters of an option with one dash; an empty string for any other word.
pub fn letters(word: &str) -> &str {
    word.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default()
}

/// Returns the parts of a text between blanks and these characters.
pub fn words_between<'t>(text: &'t str, signs: &'static str) -> impl Iterator<Item = &'t str> {
    text.split(|char: char| char.is_whitespace() || signs.contains(char)).filter(|word| !word.is_empty())
}

/// Returns `true` if a line may have a command in the background.
pub fn has_background(line: &str) -> bool {
    line.replace("&&", "").replace(">&", "").replace("&>", "").contains('&')
}

/// Returns the parts of a text with only ASCII letters and digits, and these characters.
pub fn parts<'t>(text: &'t str, signs: &'static str) -> impl Iterator<Item = &'t str> + Clone {
    text.split(|char: char| !char.is_ascii_alphanumeric() && !signs.contains(char))
}

/// Returns the parts of a text with only letters and digits of any language, and these characters.
pub fn names_in<'t>(text: &'t str, signs: &'static str) -> impl Iterator<Item = &'t str> {
    text.split(|char: char| !char.is_alphanumeric() && !signs.contains(char))
}
