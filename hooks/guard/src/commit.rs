//! What commits say.

mod message;

use std::fs;
use std::io::ErrorKind;

use hookkit::git::WorkTree;
use hookkit::prelude::*;
use hookkit::shell::{self, Command, Expansion, ExpansionKind, Part, RedirectionOperator, Script, Word};

use crate::git::Git;
use message::faults;

/// Refuses a `git commit` whose message is not in the form that its readers expect, with a code for each fault.
///
/// A message is read for years, in lists that cut it off, by programs that write release notes of it; and the model that
/// is told its faults before it commits mends them at once, where a hook of git's own would make it begin anew.
///
/// | code | fault |
/// |---|---|
/// | GC001 | there is no subject |
/// | GC002 | the subject has more than 72 characters |
/// | GC003 | the subject ends with a full stop |
/// | GC004 | the line behind the subject is not blank |
/// | GC005 | a line of the body has more than 100 characters; links, trailers, quotes and what is indented may |
/// | GC006 | the subject is not in the form of conventional commits, `type(scope): what`, where nearly all of the last 20 are |
/// | GC007 | the subject says that the work is not done: `WIP` |
///
/// A workspace turns codes off by the variable `COMMIT_RULES_OFF`, `"GC003,GC005"` (`env` in its Cargo.toml).
///
/// The message is that of `-m`, also of several, of `-F` with a file of the project, and of a here-document, be it for
/// `-F -` or within `"$(cat <<'EOF' …)"`; whatever stands before it on the line.
///
/// It stays silent where there is none of these, as with `--amend --no-edit`, `--fixup` and an editor, where the message
/// is only known when the command runs, and outside of repositories.
///
/// It cannot see commits that other programs make: `gh`, scripts, `git merge`, `git rebase`.
///
/// # Errors
///
/// When git fails to tell the last commits, or the file of `-F` cannot be read: the user is told, and the work goes on.
#[hook(PreToolUse, timeout = 5, on_failure = continue)]
pub fn check_commit_message(
    call: PreToolUse<tool::Bash>,
    context: Context,
    environment: Environment,
) -> Result<PreToolUseAnswer, Error> {
    // Nearly all calls end here.
    if !call.input.command.contains("commit") {
        return Ok(PreToolUseAnswer::pass());
    }
    let script = shell::analyse(&call.input.command);
    for command in script.commands() {
        let Some(message) = message(command, &script, &context)? else {
            continue;
        };
        let off = environment.variable("COMMIT_RULES_OFF").unwrap_or_default();
        let off = off.to_string_lossy();
        let faults = faults(&message, is_conventional(&context)?);
        let faults: Vec<String> = faults
            .into_iter()
            .filter(|fault| !off.split(',').any(|code| code.trim() == fault.code))
            .map(|fault| format!("{}: {}", fault.code, fault.text))
            .collect();
        if !faults.is_empty() {
            return Ok(PreToolUseAnswer::deny(format!(
                "the commit message is not as it should be; mend it and commit again:\n{}",
                faults.join("\n")
            )));
        }
    }
    Ok(PreToolUseAnswer::pass())
}

/// The message of a `git commit`, where it is known.
fn message(command: &Command, script: &Script, context: &Context) -> Result<Option<String>, Error> {
    let Some(Git { words, .. }) = Git::of(command) else {
        return Ok(None);
    };
    let Some((name, arguments)) = words.split_first() else {
        return Ok(None);
    };
    if name.literal() != Some("commit") {
        return Ok(None);
    }
    let mut paragraphs = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(word) = arguments.next() {
        let start = word.known_start();
        let (option, value) = if let Some(long) = start.strip_prefix("--") {
            match long.split_once('=') {
                Some((option, _)) => (option, Some(behind(word, option.len() + 3))),
                None => (long, None),
            }
        } else if let Some(letters) = start.strip_prefix('-') {
            // `-am`: the rest of the word is its value, or the next one.
            match letters.find(['m', 'F']) {
                Some(at) => {
                    let option = &letters[at..=at];
                    let value = behind(word, at + 2);
                    (option, (value.literal() != Some("")).then_some(value))
                }
                None => continue,
            }
        } else {
            continue;
        };
        if !matches!(option, "m" | "message" | "F" | "file") {
            continue;
        }
        let Some(value) = value.or_else(|| arguments.next().cloned()) else {
            return Ok(None);
        };
        let text = if matches!(option, "m" | "message") {
            text(&value, script)
        } else {
            file(&value, command, context)?
        };
        match text {
            Some(text) => paragraphs.push(text),
            None => return Ok(None),
        }
    }
    Ok((!paragraphs.is_empty()).then(|| paragraphs.join("\n\n")))
}

/// What stands behind so many bytes of a word's beginning.
fn behind(word: &Word, length: usize) -> Word {
    let mut rest = word.clone();
    if let Some(Part::Literal(text)) = rest.parts.first_mut() {
        text.drain(..length.min(text.len()));
        if text.is_empty() && rest.parts.len() > 1 {
            rest.parts.remove(0);
        }
    }
    rest
}

/// The text of a word, also of one that is `"$(cat <<'EOF' …)"`.
fn text(word: &Word, script: &Script) -> Option<String> {
    if let Some(text) = word.literal() {
        return Some(text.to_owned());
    }
    let [
        Part::Expansion(Expansion {
            kind: ExpansionKind::Command,
            ..
        }),
    ] = word.parts.as_slice()
    else {
        return None;
    };
    let mut within = (script.commands().iter()).filter(|command| {
        word.span.start <= command.span.start && command.span.end <= word.span.end && command.span != word.span
    });
    let (Some(cat), None) = (within.next(), within.next()) else {
        return None;
    };
    let is_plain = cat.program() == Some("cat") && cat.arguments().is_empty();
    here_document(cat).filter(|_| is_plain)
}

/// What a command reads from its only redirection.
fn here_document(command: &Command) -> Option<String> {
    let [redirection] = command.redirections.as_slice() else {
        return None;
    };
    let is_text = matches!(
        redirection.operator,
        RedirectionOperator::HereDocument | RedirectionOperator::HereString
    );
    redirection.target.literal().filter(|_| is_text).map(str::to_owned)
}

/// The text of a file of the project, or of stdin.
fn file(word: &Word, command: &Command, context: &Context) -> Result<Option<String>, Error> {
    let Some(name) = word.literal() else {
        return Ok(None);
    };
    if name == "-" {
        return Ok(here_document(command));
    }
    let path = context.path(name)?;
    if path.relative.is_none() {
        return Ok(None);
    }
    match fs::read_to_string(&path.resolved) {
        Ok(text) => Ok(Some(text)),
        // A command before it on the line may write it.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::msg(format_args!("{path}: {error}"))),
    }
}

/// Whether nearly all of the last commits are in the form of conventional commits.
fn is_conventional(context: &Context) -> Result<bool, Error> {
    let Some(tree) = WorkTree::around(&context.cwd)? else {
        return Ok(false);
    };
    let commits = tree.last_commits(20)?;
    let conventional = commits
        .iter()
        .filter(|commit| message::is_conventional(&commit.subject))
        .count();
    Ok(commits.len() >= 5 && conventional * 10 >= commits.len() * 9)
}
