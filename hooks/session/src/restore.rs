//! Restores the rules and the state of the work after a compaction.

use hookkit::config_file::ConfigFile;
use hookkit::tool::{TaskStatus, TodoWrite};
use hookkit::transcript::Transcript;

use crate::git::describe;
use crate::prelude::*;
use crate::transcript::{Transcripts, last_copy};

/// Gives the model the rules and the state of its work again after a compaction.
///
/// A summary keeps the conversation, but loses rules that apply to all of the work. The model reads again, in this
/// order:
///
/// - the project's rules, `.claude/keep.md`; in a linked working tree, the file of the main working tree if it exists;
/// - the user's last prompt, and the open items of the last to-do list, if the session has the tool `TodoWrite`;
/// - the branch and the changed files, as from `git-context`;
/// - the path of the copy of the transcript that `keep-transcript` made before the compaction.
///
/// A text that is longer than the budget of [`Restored`] is cut off.
///
/// # What it cannot see
///
/// - Tasks of the tool `TaskCreate`. The client keeps them, and the model reads them again with `TaskList`.
/// - A to-do list that was written more than 500 calls ago.
///
/// # Errors
///
/// If the rules are not UTF-8, have more than 1 MiB or are a link, if git fails, or if the transcript cannot be read,
/// the user reads the reason, and the session goes on without all of this.
#[hook(SessionStart, matcher = "compact", timeout = 15)]
pub fn restore_context(
    context: Context,
    config: Config<Restored>,
    environment: Environment,
) -> Result<Option<SessionStartAnswer>, Error> {
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
    Ok((!parts.is_empty()).then(|| SessionStartAnswer::pass().with_context(cut(parts.join("\n\n"), config.tokens))))
}

/// Path of the project's rules.
const FILE: &str = ".claude/keep.md";

/// The configuration of [`restore_context`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restored {
    /// Maximum number of tokens of the whole text, with four bytes per token. The client accepts at most 10,000
    /// characters.
    pub tokens: usize,
    /// `false` to leave out the state of git, if `git-context` is installed.
    pub git: bool,
    /// Folder of the copies, as configured for `keep-transcript`.
    pub transcripts: PathBuf,
}

impl Default for Restored {
    fn default() -> Self {
        Self { tokens: 2000, git: true, transcripts: Transcripts::default().folder }
    }
}

/// Returns the open items of the last to-do list.
fn to_do(transcript: &Transcript) -> Result<Option<String>, Error> {
    /// Maximum number of calls to search.
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

/// Returns a text of at most this many tokens, with a note if it is cut off.
fn cut(mut text: String, tokens: usize) -> String {
    /// Average number of bytes of a token, for English and code.
    const BYTES: usize = 4;
    let most = tokens.saturating_mul(BYTES);
    if text.len() > most {
        let end = (0..=most).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or_default());
        text += "\n[the rest is left out]";
    }
    text
}
