//! Names with typing errors.

/// Returns the word that was most likely meant. It differs in case or by typing errors: one in a short word, three at
/// most.
///
/// ```
/// use hookkit_protocol::near;
///
/// assert_eq!(near("Wirte", ["Read", "Write"]), Some("Write"));
/// assert_eq!(near("Deploy", ["Read", "Write"]), None);
/// ```
pub fn near<'w>(written: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    /// Maximum length of a text that can be a misspelled word, in bytes. All words are much shorter.
    const LONGEST: usize = 200;
    let plain = |word: &str| word.replace(['_', '-'], "").to_lowercase();
    if written.len() > LONGEST {
        return None;
    }
    let written = plain(written);
    let slips = match written.len() {
        ..8 => 1,
        8..13 => 2,
        _ => 3,
    };
    // Most are longer or shorter by more.
    let length = |word: &str| word.bytes().filter(|byte| !matches!(byte, b'_' | b'-')).count();
    let words = words.into_iter().filter(|word| length(word).abs_diff(written.len()) <= slips);
    let distances = words.map(|word| (strsim::damerau_levenshtein(&plain(word), &written), word));
    let (_, nearest) = distances.filter(|(distance, _)| *distance <= slips).min_by_key(|(distance, _)| *distance)?;
    Some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_and_another_case_are_recognized() {
        let tools = ["Bash", "Read", "Write", "Edit", "WebFetch", "TodoWrite"];
        for (written, meant) in [
            ("bash", Some("Bash")),
            ("Wirte", Some("Write")),
            ("Webfetch", Some("WebFetch")),
            ("Todo_Write", Some("TodoWrite")),
            ("TodoWirtes", Some("TodoWrite")),
            ("Todo", None),
            ("Notebook", None),
            ("Deploy", None),
        ] {
            assert_eq!(near(written, tools), meant, "{written}");
        }
    }
}
