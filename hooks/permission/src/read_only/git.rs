//! What git's commands may have besides the words of their rows.

use hookkit::shell::{Command, Word};
use hookkit::{Context, Error};

use super::MOST_FOLDERS;

/// Returns git's command without a folder that it is told to run in (`-C`), and those folders, as seen from others.
pub(super) fn moved(mut command: Command, folders: &[Context]) -> Result<(Command, Vec<Context>), Error> {
    let mut folders = folders.to_vec();
    while let [_, option, folder, ..] = command.words.as_slice()
        && option.literal() == Some("-C")
        && let Some(folder) = folder.literal()
    {
        let mut moved = Vec::new();
        for context in &folders {
            // Unlike a shell, it follows a link before the `..` behind it.
            moved.extend(context.path(folder)?.names().map(|name| {
                let mut context = context.clone();
                context.cwd = name.to_owned();
                context
            }));
        }
        if moved.len() > MOST_FOLDERS {
            break;
        }
        folders = moved;
        command.words.drain(1..=2);
    }
    Ok((command, folders))
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
