//! Strings of a line that may be file names or scripts: values, printed text, code.

use crate::effects::programs::program_name;
use crate::prelude::*;
use hookkit::shell::programs::find::{Term, terms};

/// Returns the strings that an expansion in the line may become: values of variables, text that `echo` prints for another
/// command, and names that `find` looks for.
pub(super) fn values(commands: &[Command]) -> Vec<String> {
    /// Maximum number of strings to return.
    const MOST: usize = 64;
    let assigned = commands
        .iter()
        .flat_map(|command| &command.assignments)
        .flat_map(|set| set.elements.iter().flatten().chain([&set.value]));
    let is_printed = |command: &&Command| {
        command.is("echo printf")
            && command
                .via
                .iter()
                .any(|via| matches!(via, Via::CommandSubstitution | Via::ProcessSubstitution | Via::Pipeline))
    };
    let printed = commands.iter().filter(is_printed).flat_map(Command::arguments);
    let found = commands
        .iter()
        .filter(|command| program_name(command) == "find" && !finds_public(command))
        .flat_map(Command::arguments);
    let given = commands.iter().filter(|command| command.is_run_by("xargs")).flat_map(crate::effects::printed);
    let words = assigned.chain(printed).chain(found).chain(given).filter_map(known_text);
    let mut values: Vec<String> = words
        .flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .filter(|value| !value.starts_with('-'))
        .take(MOST)
        .collect();
    if commands.iter().flat_map(|command| &command.words).any(|word| word.literal().is_some_and(decodes)) {
        let encoded = commands
            .iter()
            .flat_map(Command::texts)
            .filter_map(known_text)
            .flat_map(|text| encoded(&text).collect::<Vec<_>>());
        values.extend(encoded.take(MOST));
    }
    values.sort();
    values.dedup();
    values
}

/// Returns `true` for a `find` that only finds files meant to be shared: `find ~/.ssh -name '*.pub'`.
pub(super) fn finds_public(command: &Command) -> bool {
    let mut names = None;
    command.is("find")
        && terms(command.arguments()).all(|term| match term {
            Term::Start(word) => word.is_single(),
            // The test comes before all actions, and nothing adds other files.
            Term::Test("name", Some(pattern)) if names.is_none() => {
                *names.insert(pattern.literal().is_some_and(is_public))
            }
            Term::Test("maxdepth" | "mindepth" | "type", value) => value.is_some_and(|value| value.literal().is_some()),
            Term::Test(_, value) => names.is_some() && value.is_none_or(|value| value.literal().is_some()),
            Term::Run(_, words) => names.is_some() && words.iter().all(|word| word.literal().is_some()),
            Term::Sign(sign) => names.is_some() && sign.starts_with('a'),
            Term::Unknown(_) => false,
        })
        && names.is_some()
}

/// Returns the literal words of a line.
pub(super) fn literals(commands: &[Command]) -> Vec<String> {
    /// Maximum number of words to return.
    const MOST: usize = 64;
    commands.iter().flat_map(Command::texts).filter_map(known_text).take(MOST).collect()
}

/// Returns the scripts that a variable makes a command run: files that a shell reads first.
pub(super) fn run_by_setting(command: &Command) -> impl Iterator<Item = String> {
    command.assignments.iter().filter(|set| lists("BASH_ENV ENV", &set.name)).map(|set| format!(". {}", set.value))
}

/// Returns the text of a word without expansions, with its `~`.
fn known_text(word: &Word) -> Option<String> {
    literal(&pieces(word)).map(str::to_owned)
}

/// Returns `true` for code, or the name of a program, that decodes base64.
pub(super) fn decodes(code: &str) -> bool {
    holds("base64 Base64 atob b64decode", code)
}

/// Returns the names that a text contains in base64.
pub(super) fn encoded(text: &str) -> impl Iterator<Item = String> {
    parts(text, "+/-_=").filter(|run| (6..400).contains(&run.len())).filter_map(|run| {
        let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
        for digit in run.trim_end_matches('=').bytes() {
            let value = match digit {
                b'A'..=b'Z' => digit - b'A',
                b'a'..=b'z' => digit - b'a' + 26,
                b'0'..=b'9' => digit - b'0' + 52,
                b'+' | b'-' => 62,
                b'/' | b'_' => 63,
                _ => return None,
            };
            (bits, count) = (bits << 6 | u32::from(value), count + 6);
            if count >= 8 {
                count -= 8;
                bytes.push((bits >> count & 0xff) as u8);
            }
        }
        let mut text = String::from_utf8(bytes).ok()?;
        text.truncate(text.trim_end().len());
        text.chars().all(|c| !c.is_control()).then_some(text)
    })
}
