//! Rules about a command's exit code and output.

use hookkit_protocol::event::Denial;
use hookkit_shell::programs::table::lists;
use hookkit_verdict::{Action, Ran, Verdict};
use serde_json::Value;

use super::language::{has, is_failure, shared};
use super::{Command, Form, values};
use crate::diagnose::fields::Handler;
use crate::diagnose::rules::shell::{Simple, Word};
use crate::diagnose::surroundings::Surroundings;
use crate::settings::code::commands;
use crate::settings::finding::Finding;

/// Finds commands that exit with 1 to block. The right code is 2.
pub(super) fn exit_code(command: &Command<'_>) -> Option<Finding> {
    let Form::Shell(text, Some(commands)) = &command.form else {
        return None;
    };
    let handler = command.handler;
    let answers = text.contains("permissionDecision") || blocks_by(text);
    let code = |command: &Simple<'_>| match &command.words[..] {
        [exit, code] if exit.raw == "exit" => code.raw.parse::<u8>().ok(),
        _ => None,
    };
    if answers || !handler.is_lost_by_failure() || commands.iter().any(|command| code(command) == Some(2)) {
        return None;
    }
    // A line that exits after a failed step is not a guard.
    const STEPS: &str = ". cd command mkdir pushd read set source type which";
    commands.windows(2).find_map(|pair| {
        let code = code(&pair[1]).filter(|code| *code != 0)?;
        let (name, words) = (pair[0].name(), &pair[0].words);
        let is_step = match name {
            "[" | "[[" | "test" => words.iter().any(|word| lists("-d -e -f -n -r -s -x -z", word.raw)),
            "echo" | "printf" => {
                let text: Vec<String> = words.iter().map(Word::text).collect();
                is_failure(&text.join(" ").to_lowercase())
            }
            _ => lists(STEPS, name),
        };
        (!is_step).then(|| commands::exit_code_does_not_block(code, handler.event.name))
    })
}

/// Finds commands that print a malformed answer, or one without effect.
pub(super) fn answers(hook: &Command<'_>) -> impl Iterator<Item = Finding> {
    let answer = move |command: &Simple<'_>| {
        let (name, printed) = command.words.split_first()?;
        let first = printed.first().filter(|_| !command.is_redirected && lists("echo printf", name.raw))?;
        if first.raw.starts_with("{\"") {
            return Some(commands::answer_without_quotes(name.raw));
        }
        let [text] = printed else { return None };
        let text = text.value(&Surroundings::default())?;
        // Shells and programs expand different escapes.
        let has_escapes = text.contains('\\') || name.raw == "printf" && text.contains('%');
        if !text.starts_with('{') || has_escapes {
            return None;
        }
        match serde_json::from_str(&text) {
            Ok(answer) => unread(hook, &answer, &text),
            Err(_) => Some(commands::answer_not_json(name.raw)),
        }
    };
    hook.commands().iter().filter_map(answer)
}

/// Returns the text that `echo` or `printf` prints, if it is literal.
pub(super) fn printed<'w>(name: &str, words: &'w [String]) -> Option<&'w str> {
    match (name, words) {
        ("echo", [text]) => Some(text),
        ("printf", [format, text]) if ["%s", "%s\\n"].contains(&&**format) => Some(text),
        ("printf", [text]) if !text.contains(['%', '\\']) => Some(text),
        _ => None,
    }
}

/// Returns `true` if a hook's line prints an answer that allows each call.
pub(crate) fn allows(handler: Handler<'_>, surroundings: &Surroundings) -> bool {
    let command = Command::of(handler, surroundings).filter(|_| !handler.fields.contains_key("if"));
    let words = command.as_ref().and_then(|command| match command.commands() {
        [only] => values(only, surroundings).into_iter().collect::<Option<Vec<String>>>(),
        _ => None,
    });
    let text = words.as_ref().and_then(|words| printed(words.first()?, &words[1..]));
    text.is_some_and(|text| Verdict::of(handler.event, &Ran::exit(0).stdout(text)).action == Action::Allowed)
}

/// Returns the finding about an answer without effect on its event.
pub(super) fn unread(hook: &Command<'_>, answer: &Value, text: &str) -> Option<Finding> {
    // Background hooks have a different finding.
    if hook.handler.is_async() {
        return None;
    }
    let event = hook.handler.event;
    let verdict = Verdict::of(event, &Ran::exit(0).stdout(text));
    // A member that changes nothing is not reported.
    let is_idle = |what: &str| match what {
        "`decision`" => answer["decision"] == "approve",
        what => ["`suppressOutput`", "`permissionDecisionReason`"].contains(&what),
    };
    let dropped = verdict.dropped.iter().find(|dropped| !is_idle(&dropped.what))?;
    let is_whole = dropped.what == "stdout";
    let has_effect = !matches!(verdict.action, Action::GoesOn | Action::LeftToUser)
        || verdict.ends_turn
        || !verdict.model_reads.is_empty()
        || !verdict.effects.is_empty()
        || !verdict.user_sees.is_empty() && !is_whole;
    if has_effect {
        return None;
    }
    let part = if is_whole { "the answer" } else { &dropped.what };
    Some(commands::answer_without_effect(part, event.name, &dropped.why))
}

/// Finds commands that block repeatedly, or too late, after the client has gone ahead. `has_modules` is `true` if one
/// of the command's programs imports its own modules.
pub(super) fn blocks(command: &Command<'_>, has_modules: bool) -> Option<Finding> {
    let handler = command.handler;
    let event = handler.event.name;
    let is_stop = event == "Stop" || event == "SubagentStop";
    let is_plain_async = handler.is_true("async") && !handler.is_true("asyncRewake");
    let is_background = is_plain_async && handler.event.may_be_async() && handler.event.denial != Denial::Impossible;
    if !is_stop && !is_background {
        return None;
    }
    let texts = command.texts()?;
    let any = |is: &dyn Fn(&str) -> bool| texts.iter().any(|text| is(text));
    if is_background {
        return any(&|text| blocks_by(text) || denies(text)).then(commands::async_decision);
    }
    let asks = ["stop_hook_active", "stopHookActive", "hook_event_name"];
    // A program for several events, or with arguments, may block only on other events.
    let has_arguments = command.script().is_some_and(|(_, arguments)| !arguments.is_empty());
    let decides = any(&blocks_by) && !has_arguments;
    // It may count its blocks, or leave the decision to another program. Observed: eight consecutive blocks have an
    // effect, and the ninth has none.
    let may_end = has_modules || any(&|text| has(text, &asks) || has(text, shared("state")));
    (decides && !may_end).then(|| commands::endless_stop(event))
}

fn denies(text: &str) -> bool {
    text.contains("permissionDecision") && is_quoted(text, "deny")
}

/// Returns `true` if a program seems to block, with its output or its exit code.
pub(super) fn blocks_by(text: &str) -> bool {
    if text.contains("decision") && is_quoted(text, "block") {
        return true;
    }
    ["exit 2", "exit(2", "exitCode = 2", "process::exit(2"].iter().any(|exit| {
        text.match_indices(exit).any(|(at, exit)| {
            let (before, after) = (&text[..at], &text[at + exit.len()..]);
            !after.starts_with(|char: char| char.is_ascii_digit())
                && !before.ends_with(|char: char| char.is_alphanumeric())
        })
    })
}

/// Returns `true` if a word is in quotes of any kind.
fn is_quoted(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, word)| {
        text[..at].ends_with(['"', '\'', '`']) && text[at + word.len()..].starts_with(['"', '\'', '`', '\\'])
    })
}
