//! What git's commands may have besides the words of their rows.

use hookkit::shell::{Command, Word};

/// Returns `true` if no git command runs in another folder than the session's: another repository may have settings of its own.
pub(super) fn stays(commands: &[Command]) -> bool {
    let has = |name: &str| commands.iter().any(|command| command.name() == Some(name));
    !(has("git") && has("cd"))
}

/// Returns `true` for words by which git neither checks a signature, which starts another program, nor takes a path for another
/// one: `:(top).env`.
pub(super) fn are_harmless(words: &[Word]) -> bool {
    words.iter().all(|word| {
        let text = word.known_start();
        let starts_signature = |(at, _)| text[at + 1..].trim_start_matches(['+', '-', ' ']).starts_with('G');
        !text.match_indices('%').any(starts_signature) && !text.replace(":(exclude)", "").contains(":(")
    })
}
