//! The words of a `git` command.

use hookkit::shell::Word;

pub(crate) use hookkit::shell::programs::git::Git;

/// Leaves out the values of options. Behind `--` there are none.
pub(crate) fn without_values(words: &[Word], has_value: impl Fn(&Word) -> bool) -> impl Iterator<Item = &Word> {
    let mut are_options_over = false;
    let mut is_value = false;
    words.iter().filter(move |word| {
        let is_kept = !is_value;
        are_options_over |= is_kept && word.literal() == Some("--");
        is_value = is_kept && !are_options_over && has_value(word);
        is_kept
    })
}
