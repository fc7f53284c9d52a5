//! Values of options, for programs without a row in the table.

use crate::{Command, Word};

impl Command {
    /// Returns the values of an option by all of its names: a letter with a dash, or a long name with two.
    ///
    /// The value may be the next word, or in the same one. Before a letter, other letters are options without a value.
    ///
    /// ```
    /// use hookkit::shell::analyze;
    ///
    /// for line in ["git commit -m 'fix: x'", "git commit -am'fix: x'", "git commit --message='fix: x'"] {
    ///     let script = analyze(line);
    ///     let message = script.commands()[0].values("-m --message").next().unwrap();
    ///     assert_eq!(message.literal(), Some("fix: x"), "{line}");
    /// }
    /// ```
    pub fn values<'c>(&'c self, names: &'c str) -> impl Iterator<Item = Word> + 'c {
        let words = self.arguments();
        let end = words.iter().position(|word| word.is("--")).unwrap_or(words.len());
        words[..end].iter().enumerate().filter_map(move |(index, word)| {
            let start = word.known_start();
            let at = names.split(' ').find_map(|name| after_name(start, name))?;
            let is_alone = at == start.len() && word.parts.len() == 1;
            if is_alone { words.get(index + 1).cloned() } else { Some(word.after(at)) }
        })
    }
}

/// Returns the position after an option's name, and after a `=`, in the beginning of a word.
fn after_name(start: &str, name: &str) -> Option<usize> {
    if name.starts_with("--") {
        let rest = start.strip_prefix(name)?;
        return (rest.is_empty() || rest.starts_with('=')).then(|| name.len() + usize::from(!rest.is_empty()));
    }
    let letters = start.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    let letter = name.strip_prefix('-')?;
    let before = letters.find(letter).filter(|at| letters[..*at].chars().all(|char| char.is_ascii_alphabetic()))?;
    Some(1 + before + letter.len())
}

#[cfg(test)]
mod tests {
    use crate::analyze;

    #[test]
    fn a_value_is_found_however_it_is_written() {
        for (line, expected) in [
            ("x -m a", &["a"][..]),
            ("x -ma -m b", &["a", "b"]),
            ("x -am=b --message c --message=d --messages e", &["=b", "c", "d"]),
            ("x -- -m a", &[]),
            ("x -1m a -m", &[]),
            ("x -m \"$(cat <<'EOF'\na\nEOF\n)\"", &["a"]),
        ] {
            let script = analyze(line);
            let found = script.commands().iter().find(|command| command.is_named("x")).unwrap();
            let values: Vec<String> = found.values("-m --message").map(|word| word.to_string()).collect();
            assert_eq!(values, expected, "{line}");
        }
    }
}
