//! Programs that a script of `sed` runs: GNU's has a command `e`, and `s` has a flag of this name.

use crate::prelude::*;

/// A program that a script of `sed` runs.
#[derive(Debug, PartialEq)]
pub(super) struct Run {
    /// The command, as far as it is known: a replacement is only a part of it.
    pub command: Option<String>,
    /// `true` if this is all that is run.
    pub is_whole: bool,
}

/// Returns what the scripts of a command of `sed` run.
pub(super) fn runs(command: &Command) -> Vec<Run> {
    let script = script(command);
    let by_command = starts(&script, 'e').filter_map(|(before, rest)| {
        let is_alone = (rest.is_empty() || rest.starts_with(['\n', ';'])) && before != Some('/');
        let text = rest
            .strip_prefix("\\\n")
            .or_else(|| rest.strip_prefix(' '))
            .or(is_alone.then_some(""))?
            .split('\n')
            .next()?;
        // A backslash is taken out, or not.
        let is_whole = !text.is_empty() && !text.contains(['\\', '…']);
        Some(Run {
            command: is_whole.then(|| text.to_owned()),
            is_whole,
        })
    });
    let by_flag = starts(&script, 's').filter_map(|(_, rest)| {
        let delimiter = rest.chars().next()?;
        let (_, rest) = parted(&rest[delimiter.len_utf8()..], delimiter)?;
        let (replacement, rest) = parted(rest, delimiter)?;
        let flags = rest
            .split(|char: char| !char.is_ascii_alphanumeric() && char != ' ')
            .next()?;
        flags.split('w').next()?.contains('e').then(|| Run {
            command: Some(replacement.to_owned()),
            is_whole: false,
        })
    });
    by_command.chain(by_flag).collect()
}

/// Returns what follows on each letter that may be a command, with the sign before it.
fn starts(script: &str, letter: char) -> impl Iterator<Item = (Option<char>, &str)> {
    /// More signs that end addresses are not looked for.
    const MOST: usize = 8;
    let sign_before = |at: usize| script[..at].trim_end_matches([' ', '\t']).chars().next_back();
    // `\,x,` is an address, too.
    let addresses = script.match_indices('\\').map(|(at, _)| at);
    let ends: String = addresses
        .filter(|at| sign_before(*at).is_none_or(|char| ";{}\n".contains(char)))
        .filter_map(|at| script[at + 1..].chars().next())
        .take(MOST)
        .collect();
    script.match_indices(letter).filter_map(move |(at, _)| {
        let is_start = |char: char| char.is_ascii_digit() || ";{}\n/]!$…".contains(char) || ends.contains(char);
        let before = sign_before(at);
        before.is_none_or(is_start).then_some((before, &script[at + 1..]))
    })
}

/// Parts a text at a sign that no backslash is before, and that is not in brackets.
fn parted(text: &str, delimiter: char) -> Option<(&str, &str)> {
    let (mut is_escaped, mut is_in_brackets) = (false, false);
    let (at, _) = text.char_indices().find(|&(at, char)| {
        let before = &text[..at];
        let is_it = char == delimiter && !is_escaped && !is_in_brackets;
        is_in_brackets = match char {
            '[' => true,
            // The first sign, or the end of a class: `[^]/]`, `[[:alpha:]/]`.
            ']' if before.ends_with('[') || before.ends_with("[^") => true,
            ']' => is_in_brackets && before.ends_with(':') && before.contains("[:"),
            _ => is_in_brackets,
        };
        is_escaped = char == '\\' && !is_escaped;
        is_it
    })?;
    Some((&text[..at], &text[at + delimiter.len_utf8()..]))
}

/// Returns the script: `sed` joins several by a newline.
fn script(command: &Command) -> String {
    let Some(read) = Read::of(command) else {
        return String::new();
    };
    let is_unclear = |word: &&Word| matches!(&word.parts[..], [Part::Expansion(options)] if !options.is_quoted);
    let mut scripts: Vec<String> = Vec::new();
    for argument in &read.arguments {
        if let Argument::Known {
            takes: Takes::Value(role @ (Role::Pattern | Role::Patterns)),
            value: Some((word, at)),
            ..
        } = argument
        {
            let text = word.after(*at).to_string();
            let is_input = lists("- /dev/stdin", &text);
            scripts.push(match (role, command.input()) {
                (Role::Pattern, _) => text,
                (_, Some(input)) if is_input => input.to_string(),
                // Of a script's file nothing is known.
                _ => String::new(),
            });
        }
    }
    if scripts.is_empty() {
        scripts.extend(
            read.words()
                .into_iter()
                .find(|word| !is_unclear(word))
                .map(Word::to_string),
        );
    }
    scripts.join("\n")
}

#[cfg(test)]
mod tests {
    use hookkit::shell;

    #[test]
    fn each_script_runs_what_is_said() {
        test_support::lines!("lines/sed.txt").check(|_, line| {
            let script = shell::analyze(line);
            let commands: Vec<String> = super::runs(&script.commands()[0])
                .into_iter()
                .map(|run| run.command.unwrap_or("…".to_owned()))
                .collect();
            if commands.is_empty() {
                "nothing".to_owned()
            } else {
                commands.join(" & ")
            }
        });
    }
}
