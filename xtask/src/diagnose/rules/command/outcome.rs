//! Rules about how a command ends, and about its answer.

use hookkit_protocol::event::Refusal;
use hookkit_verdict::{Action, Ran, Verdict};
use serde_json::Value;

use super::{Command, Form};
use crate::diagnose::fields::is_true;
use crate::diagnose::finding::{Finding, Surroundings};
use crate::diagnose::rules::shell::Simple;

/// Finds commands that exit with 1 to block, where 2 does.
pub(super) fn exit_codes(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let Form::Shell(text, Some(line)) = &command.form else {
        return;
    };
    let handler = command.handler;
    let is_guard = matches!(handler.event.refusal, Refusal::Block | Refusal::Deny);
    let answers = ["deny", "block", "permissionDecision"]
        .iter()
        .any(|word| text.contains(word));
    if !is_guard || answers || handler.blocks_on_failure() || handler.is_async() {
        return;
    }
    let name = |command: &Simple<'_>| command.words.first().map_or("", |word| word.raw).to_owned();
    let code = |command: &Simple<'_>| match &command.words[..] {
        [exit, code] if exit.raw == "exit" => code.raw.parse::<u8>().ok(),
        _ => None,
    };
    if line.commands.iter().any(|command| code(command) == Some(2)) {
        return;
    }
    // What only ends where the line cannot go on is no guard.
    let steps = [
        ".", "cd", "command", "mkdir", "pushd", "read", "set", "source", "type", "which",
    ];
    let found = line.commands.windows(2).find_map(|pair| {
        let code = code(&pair[1]).filter(|code| *code != 0)?;
        let tests = ["-d", "-e", "-f", "-n", "-r", "-s", "-x", "-z"];
        let is_step = steps.contains(&&*name(&pair[0]))
            || pair[0].words.iter().any(|word| tests.contains(&word.raw))
                && ["[", "[[", "test"].contains(&&*name(&pair[0]));
        (!is_step).then_some(code)
    });
    if let Some(code) = found {
        findings.push(Finding::new(
            format!("`exit {code}` blocks nothing on {}", handler.event.name),
            "Claude Code takes it for a failure, and goes on",
            "if it is to block, write `exit 2`, and the reason to stderr",
        ));
    }
}

/// Finds commands that print an answer that is none, or one that nobody reads.
pub(super) fn answers(hook: &Command<'_>, findings: &mut Vec<Finding>) {
    for command in hook.commands() {
        let Some((name, printed)) = command.words.split_first() else {
            continue;
        };
        if command.is_redirected || !["echo", "printf"].contains(&name.raw) {
            continue;
        }
        let Some(first) = printed.first() else { continue };
        let is_bare = first.raw.starts_with("{\"");
        let what = if is_bare {
            format!(
                "the shell takes the quotes off what `{}` prints, and it is no JSON then",
                name.raw
            )
        } else {
            let [text] = printed else { continue };
            let Some(text) = text.value(&Surroundings::default()) else {
                continue;
            };
            // Which escapes are for whom is another matter in each shell.
            let has_escapes = text.contains('\\') || name.raw == "printf" && text.contains('%');
            if !text.starts_with('{') || has_escapes {
                continue;
            }
            if let Ok(answer) = serde_json::from_str(&text) {
                findings.extend(unread(hook, &answer, &text));
                continue;
            }
            format!("what `{}` prints looks like JSON, and is none", name.raw)
        };
        let does = "Claude Code takes it for plain text, and decides nothing by it";
        findings.push(Finding::new(what, does, "write it in single quotes, as JSON"));
    }
}

/// An answer of which nothing has an effect on its event.
fn unread(hook: &Command<'_>, answer: &Value, text: &str) -> Option<Finding> {
    // Of a hook in the background there is another finding.
    if hook.handler.is_async() {
        return None;
    }
    let event = hook.handler.event;
    let verdict = Verdict::of(event, &Ran::exit(0).stdout(text));
    // What would not change anything if it were read is nothing to be told of.
    let is_idle = |what: &str| match what {
        "`decision`" => answer["decision"] == "approve",
        what => ["`suppressOutput`", "`permissionDecisionReason`"].contains(&what),
    };
    let dropped = verdict.dropped.iter().find(|dropped| !is_idle(&dropped.what))?;
    let is_whole = dropped.what == "stdout";
    let has_effect = verdict.action != Action::GoesOn
        || verdict.ends_turn
        || !verdict.model_reads.is_empty()
        || !verdict.effects.is_empty()
        || !verdict.user_sees.is_empty() && !is_whole;
    if has_effect {
        return None;
    }
    let part = if is_whole { "the answer" } else { &dropped.what };
    Some(Finding::new(
        format!(
            "nothing reads {part} that this prints on {}: {}",
            event.name, dropped.why
        ),
        "Claude Code goes on as if the hook had printed nothing",
        "take it out, or print an answer of this event",
    ))
}

/// Finds commands that block without end, or when nobody listens any more.
pub(super) fn blocks(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let handler = command.handler;
    let event = handler.event.name;
    let is_stop = event == "Stop" || event == "SubagentStop";
    let is_plain_async = is_true(handler.fields, "async") && !is_true(handler.fields, "asyncRewake");
    let is_deaf = is_plain_async && handler.event.may_be_async() && handler.event.refusal != Refusal::Impossible;
    if !is_stop && !is_deaf {
        return;
    }
    let Some(texts) = command.texts() else { return };
    if is_deaf {
        if texts.iter().any(|text| blocks_by(text) || denies(text)) {
            findings.push(Finding::new(
                "the hook decides something, and is `async`",
                "Claude Code goes on before it has decided",
                "take `async` out",
            ));
        }
        return;
    }
    let asks = ["stop_hook_active", "stopHookActive"];
    if texts.iter().any(|text| asks.iter().any(|asks| text.contains(asks))) || !texts.iter().any(|text| blocks_by(text))
    {
        return;
    }
    // Seen: eight blocks in a row are heeded, and the ninth is not.
    findings.push(Finding::new(
        format!("the hook blocks on {event}, and never looks at `stop_hook_active`"),
        "Claude goes on each time it wants to end, for as long as the hook has a reason, until Claude Code ends the turn at the ninth time",
        "have it read the JSON on stdin, and say nothing where `stop_hook_active` is true there",
    ));
}

fn denies(text: &str) -> bool {
    text.contains("permissionDecision") && is_quoted(text, "deny")
}

/// Returns whether a program's text blocks, as far as words tell: by its answer or by its exit code.
fn blocks_by(text: &str) -> bool {
    if text.contains("decision") && is_quoted(text, "block") {
        return true;
    }
    ["exit 2", "exit(2", "exitCode = 2", "process::exit(2"]
        .iter()
        .any(|exit| {
            text.match_indices(exit).any(|(at, exit)| {
                let (before, behind) = (&text[..at], &text[at + exit.len()..]);
                !behind.starts_with(|char: char| char.is_ascii_digit())
                    && !before.ends_with(|char: char| char.is_alphanumeric())
            })
        })
}

/// Returns whether a word stands in quotes of any kind.
fn is_quoted(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, word)| {
        text[..at].ends_with(['"', '\'', '`']) && text[at + word.len()..].starts_with(['"', '\'', '`', '\\'])
    })
}
