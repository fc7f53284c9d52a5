//! Searches and comparisons that print no value of what they read: names, or nothing.

use hookkit::shell::Word;

use crate::git::without_values;

/// Returns `true` for a program with an option by which it prints no line.
pub(super) fn is(program: &str, words: &[Word]) -> bool {
    // Letters of options with a value, and those by which nothing is printed.
    let (valued, letters, names) = match program {
        "egrep" | "ggrep" | "grep" | "rg" if finds_names(words) => return true,
        "egrep" | "fgrep" | "ggrep" | "grep" | "rgrep" => ("ABCDdefm", "Llq", GREP),
        // The last form of its output counts.
        "rg" if words.iter().any(|word| word.literal() == Some("--json")) => return false,
        "rg" => ("ABCEMTdefgjmrt", "lq", GREP),
        "cmp" => ("in", "s", &["--quiet", "--silent"][..]),
        // On some systems another form of output counts more.
        "diff" => {
            let options = || words.iter().map(Word::known_start).filter(|word| word.starts_with('-'));
            let is_plain =
                |option: &str| option == "--brief" || option[1..].bytes().all(|letter| b"BNabiqrsw".contains(&letter));
            return options().all(is_plain) && options().any(|option| option == "--brief" || option.contains('q'));
        }
        _ => return false,
    };
    let has_value = |word: &Word| match word.known_start() {
        // A long option may take the next word.
        option if option.starts_with("--") => !option.contains('='),
        option => option.starts_with('-') && option.find(|c| valued.contains(c)) == Some(option.len() - 1),
    };
    let mut options = without_values(words, has_value)
        .map(Word::known_start)
        .take_while(|word| *word != "--");
    options.any(|option| {
        let of_letters = option.strip_prefix('-').unwrap_or_default();
        let mut own = of_letters
            .chars()
            .take_while(|letter| *letter != '-' && !valued.contains(*letter));
        names.contains(&option) || own.any(|letter| letters.contains(letter))
    })
}

/// Returns `true` for a `grep` that prints what is before the `=` of a line, and no more: `-oE '^[A-Z_]+='`.
fn finds_names(words: &[Word]) -> bool {
    let [options, pattern, files @ ..] = words else {
        return false;
    };
    let is_option = |text: &str| text.starts_with('-') && text[1..].bytes().all(|letter| b"EPhio".contains(&letter));
    let is_file = |word: &Word| word.literal().is_some_and(|text| !text.starts_with('-'));
    let pattern = pattern.known_start().strip_prefix('^');
    files.iter().all(is_file)
        && options
            .literal()
            .is_some_and(|text| is_option(text) && text.contains('o'))
        && pattern
            .and_then(|pattern| pattern.strip_suffix('='))
            .is_some_and(fits_names)
}

/// Returns `true` for a pattern that nothing but letters, digits and `_` fits: `[A-Z_]+`.
pub(crate) fn fits_names(pattern: &str) -> bool {
    // A range of other letters may have the `=` in it.
    let others = ["A-Z", "a-z", "0-9"]
        .iter()
        .fold(pattern.to_owned(), |pattern, range| pattern.replace(range, ""));
    others
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"[]_+*".contains(&byte))
}

const GREP: &[&str] = &["--files-with-matches", "--files-without-match", "--quiet", "--silent"];
