//! Values of a command's options.

use crate::programs::{Argument, Program};
use crate::{Command, Word};

impl Command {
    /// Returns the values of an option, given its names: a letter after one dash, and a long name after two.
    ///
    /// The options of a program in the [table](crate::programs) are read as that program reads them. For any other program, a
    /// value is the next word, or the rest of the word after the name.
    ///
    /// ```
    /// use hookkit::shell::analyze;
    ///
    /// for line in ["git commit -m 'fix: x'", "git commit -am'fix: x'", "git commit --message='fix: x'"] {
    ///     let script = analyze(line);
    ///     let messages = script.commands()[0].values("-m --message");
    ///     assert_eq!(messages[0].literal(), Some("fix: x"), "{line}");
    /// }
    /// ```
    pub fn values(&self, names: &str) -> Vec<Word> {
        let words = self.arguments();
        let Some((program, from)) = self.program().and_then(|name| Program::of(name, words)) else {
            return plain_values(words, names);
        };
        let is_meant = |name: &str| names.split(' ').any(|meant| meant.trim_start_matches('-') == name);
        let value = |argument| match argument {
            Argument::Known { name, value: Some((word, at)), .. } if is_meant(name) => Some(Word::after(word, at)),
            _ => None,
        };
        program.read(&words[from..]).filter_map(value).collect()
    }
}

/// Returns the values of an option of a program without a row.
fn plain_values(words: &[Word], names: &str) -> Vec<Word> {
    let mut values = Vec::new();
    let mut rest = words.iter().take_while(|word| !word.is("--"));
    while let Some(word) = rest.next() {
        let start = word.known_start();
        let after_name = |name: &str| {
            let after = start.strip_prefix(name)?;
            let is_long = name.starts_with("--");
            match after.strip_prefix('=').filter(|_| is_long) {
                Some(value) => Some(start.len() - value.len()),
                None => (!is_long || after.is_empty()).then_some(name.len()),
            }
        };
        let Some(at) = names.split(' ').find_map(after_name) else { continue };
        if at == start.len() && word.parts.len() == 1 && !start.ends_with('=') {
            values.extend(rest.next().cloned());
        } else {
            values.push(word.after(at));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use crate::analyze;

    #[test]
    fn a_value_is_found_however_it_is_written() {
        for (line, expected) in [
            ("x -m a", &["a"][..]),
            ("x -ma -m b", &["a", "b"]),
            ("x --message c --message=d --messages e --message= -q", &["c", "d", ""]),
            ("x -m -message -- -m a", &["-message"]),
            ("x -m", &[]),
            ("git commit -am a --message=b", &["a", "b"]),
            ("git -C d commit -Fm -S --mess=x", &["x"]),
            ("git commit -m \"$(cat <<'EOF'\na\nEOF\n)\"", &["a"]),
        ] {
            let script = analyze(line);
            let found = script.commands().iter().find(|command| command.is_named("x git")).unwrap();
            let values: Vec<String> = found.values("-m --message").iter().map(ToString::to_string).collect();
            assert_eq!(values, expected, "{line}");
        }
    }
}
