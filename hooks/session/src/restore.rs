//! The rules and the state of the work, after a summary.

use std::io::ErrorKind;
use std::path::PathBuf;

use hookkit::config_file::ConfigFile;
use hookkit::prelude::*;
use hookkit::tool::{TaskStatus, TodoWrite};
use hookkit::transcript::Transcript;
use serde::{Deserialize, Serialize};

use crate::git::describe;
use crate::transcript::{Transcripts, last_copy};

/// Gives the model the rules and the state of its work again, after a compaction.
///
/// A summary keeps what was said, and loses what holds for all of the work. The model reads again, in this order:
///
/// - the project's rules, `.claude/keep.md`; in a linked working tree, those of the main one go first;
/// - the user's last prompt, and the open items of the last to-do list, if the session has the tool `TodoWrite`;
/// - the branch and the changed files, as from `git-context`;
/// - the path of the transcript that `keep-transcript` has copied before the compaction, to look something up.
///
/// A text that is longer than the budget of [`Restored`] is cut at its end.
///
/// # What it cannot see
///
/// - Tasks of the tool `TaskCreate`. The client keeps them, and the model reads them again with `TaskList`.
/// - A to-do list that was written more than 500 calls ago.
///
/// # Errors
///
/// When the rules are not UTF-8, have more than 1 MiB or are a link, and when git fails or the transcript cannot be read: the user
/// reads why, and the session goes on without any of it.
#[hook(SessionStart, matcher = "compact", timeout = 15)]
pub fn restore_context(
    context: Context,
    config: Config<Restored>,
    environment: Environment,
) -> Result<SessionStartAnswer, Error> {
    let transcript = context.transcript()?;
    let rules = ConfigFile::of_project(&context, FILE).text()?;
    let state = match config.git.then(|| describe(&context.cwd)) {
        Some(Err(err)) if err.kind() == ErrorKind::NotFound => None,
        described => described.transpose()?.flatten(),
    };
    let copy = last_copy(&config.transcripts, &context, &environment)?;
    let parts = [
        rules.map(|rules| format!("The rules of the project (`{FILE}`):\n{}", rules.trim())),
        transcript.last_prompt()?.map(|prompt| format!("The user's last prompt:\n{prompt}")),
        to_do(&transcript)?,
        state,
        copy.map(|copy| format!("The conversation before the compaction is in `{}`.", copy.display())),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Ok(match parts.is_empty() {
        true => SessionStartAnswer::pass(),
        false => SessionStartAnswer::pass().with_context(cut(parts.join("\n\n"), config.tokens)),
    })
}

/// The file of the project's rules.
const FILE: &str = ".claude/keep.md";

/// The configuration of [`restore_context`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restored {
    /// Maximum number of tokens of the whole text, with four bytes for a token. The client takes 10,000 characters at most.
    pub tokens: usize,
    /// `false` to leave out git's part, where `git-context` is installed.
    pub git: bool,
    /// The folder of the copies, as `keep-transcript` has it.
    pub transcripts: PathBuf,
}

impl Default for Restored {
    fn default() -> Self {
        Self { tokens: 2000, git: true, transcripts: Transcripts::default().folder }
    }
}

/// Returns the open items of the last to-do list.
fn to_do(transcript: &Transcript) -> Result<Option<String>, Error> {
    /// More calls are not looked at.
    const MOST: usize = 500;
    for call in transcript.tool_calls().rev().take(MOST) {
        let call = call?;
        if call.name != "TodoWrite" {
            continue;
        }
        let list: TodoWrite = call.input.decode()?;
        let open = list.todos.iter().filter(|item| item.status != TaskStatus::Completed);
        let open: String = open.map(|item| format!("\n- {} ({})", item.content, item.status.as_str())).collect();
        return Ok((!open.is_empty()).then(|| format!("The to-do list:{open}")));
    }
    Ok(None)
}

/// Returns a text of at most so many tokens, with a note where it is cut.
fn cut(mut text: String, tokens: usize) -> String {
    /// Bytes of English and code for a token.
    const BYTES: usize = 4;
    let most = tokens.saturating_mul(BYTES);
    if text.len() > most {
        let end = (0..=most).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or_default());
        text += "\n[the rest is left out]";
    }
    text
}
