//! What was meant?

/// The word that was most likely meant: another case of it, or a slip or two away.
pub(crate) fn near<'w>(written: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let plain = |word: &str| word.replace(['_', '-'], "").to_lowercase();
    let written = plain(written);
    let slips = if written.len() < 8 { 1 } else { 2 };
    let distances = words
        .into_iter()
        .map(|word| (strsim::damerau_levenshtein(&plain(word), &written), word));
    let (_, nearest) = distances
        .filter(|(distance, _)| *distance <= slips)
        .min_by_key(|(distance, _)| *distance)?;
    Some(nearest)
}

/// How to say that it is meant so after all.
pub(crate) const WAY_PAST: &str = "(if it is meant so, write `unchecked(…)` around it)";

/// The words in a row: `a`, `b` or `c`.
pub(crate) fn or_list(words: &[&str], or: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} {or} {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_or_another_case_is_recognized_and_nothing_else() {
        let tools = ["Bash", "Read", "Write", "Edit", "WebFetch", "TodoWrite"];
        for (written, meant) in [
            ("bash", Some("Bash")),
            ("Wirte", Some("Write")),
            ("Webfetch", Some("WebFetch")),
            ("Todo_Write", Some("TodoWrite")),
            ("TodoWirtes", Some("TodoWrite")),
            ("Notebook", None),
            ("Deploy", None),
        ] {
            assert_eq!(near(written, tools), meant, "{written}");
        }
    }
}
