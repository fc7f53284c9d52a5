//! `cargo xtask explain`: lists the commands in a shell line, and the answers of a project's hooks to it.

use std::env;

use hookkit_effects::{builds, deletes, edits, reads};
use hookkit_shell::{Command, Script, Unanalyzed, Via, Word, analyze};
use hookkit_verdict::{Action, Verdict};

use crate::binaries::sample;
use crate::binaries::trial::{Trial, change, reason, verdict_members};
use crate::commands::off::typed;
use crate::commands::prelude::*;
use crate::diagnose::active::outcome::{Outcome, Subject};
use crate::diagnose::active::session::Session;
use crate::diagnose::own::{self, Asked};
use crate::history::name::of_hookkit;
use crate::settings::scope::Target;
use crate::terminal::{BOLD, GOOD, NOTE, joined};

#[derive(Args)]
#[command(after_help = "\
Exit code 1: a hook denies the command, or asks about it.

Examples: cargo xtask explain 'git push --force'
          cargo xtask explain 'find . -name \"*.log\" -delete' --project ../app")]
pub(crate) struct Options {
    /// The command line, as the Bash tool would get it
    line: String,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(options: &Options) -> Result<Done> {
    let folders = options.target.folders()?;
    let project = folders.project.clone().map_or_else(env::current_dir, Ok)?;
    let session = Session::of(&folders);
    let script = analyze(&options.line);
    let mut text = Text::new();
    let mut rows = describe_reading(&script, &mut text);

    let mut trial = Trial::within(&project)?;
    trial.explains = true;
    let sample = sample::of_line(&options.line, &trial.project)?;
    let subject = Subject::parse("PreToolUse:Bash")?;
    let own = own::find(&session, folders.project.as_deref());
    let mut decision = Decision::NONE;
    text.line_end().bold("Hooks on PreToolUse Bash").line_end();
    for outcome in session.outcomes(&subject) {
        let Outcome::Runs(condition) = &outcome.outcome else {
            continue;
        };
        let own = own.iter().find(|own| own.is_of(outcome.handler));
        let asked = own.map(|own| own.ask_about(&options.line, &trial, &sample));
        let mut row = row(
            "hook",
            json!({
                "name": asked.as_ref().map(|(name, _)| name),
                "command": outcome.handler.command(),
                "scope": outcome.source.scope.to_string(),
                "file": outcome.source.path.display().to_string(),
                "line": outcome.handler.place.line,
                "where": condition,
                "not_asked": null,
                "failed": null,
                "verdict": null,
            }),
        );
        text.plain("  ");
        match &asked {
            Some((name, Asked::Answered(verdict, failed))) => {
                row["failed"] = json!(failed);
                row["verdict"] = verdict_members(verdict)?;
                let change = change(verdict, &sample);
                text.bold(name).plain(": ").hang();
                answer(verdict, change.as_deref(), failed.as_deref(), &mut text);
                if let Some(condition) = condition {
                    text.dimmed(format_args!(" (where {condition})"));
                }
                decision.take(name, &verdict.action, condition.as_deref());
                if let Some(change) = change {
                    decision.change = Some(format!("`{name}` changes it: {change}"));
                }
            }
            Some((name, Asked::NotAwaited)) => {
                let why = "Claude Code does not wait for it";
                row["not_asked"] = why.into();
                text.bold(name).plain(": ").plain(why);
            }
            Some((name, Asked::Off(pause))) => {
                row["not_asked"] = format!("it is {pause}").into();
                text.bold(name).plain(": ").words(WARNING, pause);
            }
            Some((name, Asked::NotStarted(why))) => {
                decision.unknown += 1;
                row["not_asked"] = json!(why);
                text.bold(name).plain(format_args!(": not asked: {why}"));
            }
            None => {
                decision.unknown += 1;
                let why = "it was not installed by hookkit, and `explain` runs only hooks that were";
                row["not_asked"] = why.into();
                let command = outcome.handler.command().unwrap_or_default();
                text.foreign_command(of_hookkit(command).unwrap_or(command))
                    .plain(" (")
                    .path(shown(&outcome.source.path))
                    .plain(format_args!(":{}): not asked: {why}", outcome.handler.place.line));
            }
        }
        text.line_end();
        rows.push(row);
    }
    if rows.iter().all(|row| row["kind"] != "hook") {
        text.plain("  none in ").path(shown(&project)).line_end();
    }
    rows.push(decision.describe(&script, &options.line, &mut text));
    let is_stopped = matches!(decision.action, Action::Denied | Action::Asked);
    if is_stopped {
        text.plain("To let it through once, run in a terminal: ");
        text.command(typed(&["allow-once", &options.line], &options.target)).line_end();
    }
    options.format.report(text, &rows, !is_stopped)
}

/// Describes a line's commands with their effects, and the parts that could not be analyzed. Returns their rows.
fn describe_reading(script: &Script, text: &mut Text) -> Vec<Value> {
    let mut rows = Vec::new();
    text.bold("Commands").line_end();
    for command in script.commands() {
        let via: Vec<String> = command.via.iter().filter_map(way).collect();
        let effect = effect(command);
        let depth = command.via.iter().filter(|via| matches!(via, Via::Prefix(_) | Via::Script(_))).count();
        text.plain("  ").plain("  ".repeat(depth)).hang();
        text.plain(one_line(command));
        let notes: Vec<&str> = via.last().map(String::as_str).into_iter().chain(effect.map(|(_, says)| says)).collect();
        if !notes.is_empty() {
            text.dimmed(format_args!("  ({})", notes.join("; ")));
        }
        text.line_end();
        rows.push(row(
            "command",
            json!({"text": command.to_string(), "via": via, "effect": effect.map(|(name, _)| name)}),
        ));
    }
    for Unanalyzed { text: part, why, .. } in script.unanalyzed() {
        text.plain("  ").words(WARNING, "not analyzed");
        text.plain(format_args!(": {}: {why}\n", one_line(part)));
        rows.push(row("unanalyzed", json!({"text": part, "why": why.to_string()})));
    }
    if rows.is_empty() {
        text.plain("  none").line_end();
    }
    rows
}

/// Returns a command's effect in the table of programs, with its description.
fn effect(command: &Command) -> Option<(&'static str, &'static str)> {
    if reads(command).is_some() {
        Some(("reads", "only reads"))
    } else if deletes(command) {
        Some(("deletes", "deletes from a service"))
    } else if builds(command).is_some() {
        Some(("builds", "runs code of the project"))
    } else if edits(command).is_some() {
        Some(("edits", "edits files of the project, or the files that it names"))
    } else {
        None
    }
}

/// Describes the construct around a command.
fn way(via: &Via) -> Option<String> {
    Some(match via {
        Via::Subshell => "in a subshell".to_owned(),
        Via::CommandSubstitution => "in `$(…)`".to_owned(),
        Via::ProcessSubstitution => "in `<(…)`".to_owned(),
        Via::Loop => "in a loop".to_owned(),
        Via::Function(name) => format!("in the function `{name}`"),
        Via::Script(name) => format!("in a script that `{name}` runs"),
        Via::Prefix(name) => format!("run by `{name}`"),
        _ => return None,
    })
}

/// Describes the answer of a hook, or its failure.
fn answer(verdict: &Verdict, change: Option<&str>, failed: Option<&str>, text: &mut Text) {
    let (style, words) = match &verdict.action {
        Action::GoesOn if failed.is_some() => (WARNING, "fails, and has no effect"),
        Action::GoesOn if change.is_some() => (NOTE, "changes it"),
        Action::GoesOn => (PLAIN, "no opinion"),
        Action::Allowed => (GOOD, "lets it through"),
        Action::Asked => (WARNING, "asks"),
        Action::Denied => (ERROR, "denies it"),
        _ => (PLAIN, "answers"),
    };
    text.words(style, words);
    let why = reason(verdict).or(failed).map(one_line);
    for part in change.into_iter().chain(why.as_deref()) {
        text.plain(": ").plain(part);
    }
}

/// The decision of all hooks: denials win over questions, and questions over approvals.
struct Decision {
    action: Action,
    by: Option<String>,
    /// The change by the last hook that makes one; only that change counts.
    change: Option<String>,
    /// The number of hooks whose decision is uncertain, because they could not be run or have a condition.
    unknown: usize,
}

impl Decision {
    const NONE: Self = Self { action: Action::GoesOn, by: None, change: None, unknown: 0 };

    fn take(&mut self, name: &str, action: &Action, condition: Option<&str>) {
        if rank(action) <= rank(&self.action) {
            return;
        }
        if condition.is_some() {
            self.unknown += 1;
            return;
        }
        self.action = action.clone();
        self.by = Some(name.to_owned());
    }

    /// Describes Claude Code's reaction, and the permission rules that would allow the command. Returns its row.
    fn describe(&self, script: &Script, line: &str, text: &mut Text) -> Value {
        let by = self.by.as_deref().unwrap_or_default();
        let is_denied = self.action == Action::Denied;
        // A rule for the original command would allow a command that does not run.
        let rules = match &self.change {
            Some(_) => Vec::new(),
            None => rules(script, line),
        };
        text.line_end();
        if self.unknown > 0 && !is_denied {
            let hooks = counted(self.unknown, "hook");
            text.words(BOLD, "Not known").plain(format_args!(
                ": {hooks} was not asked, or decides only if a condition holds. According to the others:\n"
            ));
        }
        if let Some(change) = self.change.as_ref().filter(|_| !is_denied) {
            text.bold(change).line_end();
        }
        let (decision, head, rest) = match &self.action {
            Action::Denied => (
                "deny",
                "Denied",
                format!(" by `{by}`, whatever the permission rules say. It runs only if you run it yourself."),
            ),
            Action::Asked => (
                "ask",
                "You are asked",
                format!(
                    " because of `{by}`, whatever the permission rules allow; if you cannot be asked, it is denied."
                ),
            ),
            Action::Allowed => {
                ("allow", "Let through", format!(" by `{by}`, unless a permission rule denies it or asks about it."))
            }
            _ => (
                "none",
                "No hook decides",
                ": the permission rules do, and you are asked if none allows it.".to_owned(),
            ),
        };
        text.words(BOLD, head).plain(rest);
        if decision == "none" && !rules.is_empty() {
            let rules = joined(rules.iter().map(|rule| json!(rule).to_string()), ", ");
            text.line_end().plain("To allow it always, in a settings file: ");
            text.command(format_args!("\"permissions\": {{\"allow\": [{rules}]}}"));
        }
        text.line_end();
        let is_certain = self.unknown == 0 || is_denied;
        let decision = if is_certain { decision } else { "unknown" };
        row("summary", json!({"decision": decision, "by": self.by, "change": self.change, "rules": rules}))
    }
}

fn rank(action: &Action) -> u8 {
    match action {
        Action::Denied => 3,
        Action::Asked => 2,
        Action::Allowed => 1,
        _ => 0,
    }
}

/// Returns the permission rules that allow a line: one for each of its commands, which Claude Code (2.1.330) compares
/// as strings.
///
/// No rules are returned for nested, expanded or redirected commands, or for a command with a `*`, whose rule would
/// allow more than the line.
fn rules(script: &Script, line: &str) -> Vec<String> {
    let is_plain = |command: &Command| {
        command.via.iter().all(|via| *via == Via::Pipeline)
            && command.assignments.is_empty()
            && command.redirections.is_empty()
            && Word::literals(&command.words).is_some()
    };
    let commands = script.all_commands().unwrap_or_default();
    let mut rules: Vec<String> = Vec::new();
    if !commands.iter().all(is_plain) || line.contains(['*', '(', ')', '\\']) {
        return rules;
    }
    for command in commands {
        let text = line.get(command.span.clone());
        let rule = text.map(|text| format!("Bash({})", text.trim()));
        rules.extend(rule.filter(|rule| !rules.contains(rule)));
    }
    rules
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use hookkit_verdict::Ran;

    use super::*;

    fn decided(answers: &[(&str, Action, Option<&str>)], unknown: usize) -> String {
        let mut decision = Decision { unknown, ..Decision::NONE };
        for (name, action, condition) in answers {
            decision.take(name, action, *condition);
        }
        let mut rows = Vec::new();
        rows.push(decision.describe(&analyze("touch a"), "touch a", &mut Text::new()));
        format!("{} by {}", rows[0]["decision"], rows[0]["by"])
    }

    #[test]
    fn only_what_is_certain_is_a_decision() {
        let deny = |condition| ("deny", Action::Denied, condition);
        let allow = ("allow", Action::Allowed, None);
        assert_eq!(decided(&[], 0), "\"none\" by null");
        let only = [allow.clone()];
        assert_eq!(decided(&only, 0), "\"allow\" by \"allow\"");
        assert_eq!(decided(&only, 1), "\"unknown\" by \"allow\"");
        let condition = Some("it is so");
        for answers in [[allow.clone(), deny(condition)], [deny(condition), allow.clone()]] {
            assert_eq!(decided(&answers, 0), "\"unknown\" by \"allow\"");
        }
        assert_eq!(decided(&[allow, deny(None)], 1), "\"deny\" by \"deny\"");
    }

    #[test]
    fn a_changed_command_is_what_runs_and_gets_no_permission_rule() -> Result<()> {
        let sample = sample::of_line("npm i", Path::new("/app"))?;
        let answer = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"pnpm i"}}}"#;
        let verdict = Verdict::of(sample.event, &Ran::exit(0).stdout(answer).target("Bash"));
        let decision = Decision { change: change(&verdict, &sample), ..Decision::NONE };
        let row = decision.describe(&analyze("npm i"), "npm i", &mut Text::new());
        assert_eq!(row["change"], "the tool runs with `pnpm i`");
        assert_eq!(row["rules"], json!([]));
        Ok(())
    }

    #[test]
    fn rules_are_given_for_lines_of_plain_commands_alone() {
        let given = |line| rules(&analyze(line), line);
        assert_eq!(given("touch a && cat 'b c' | wc"), ["Bash(touch a)", "Bash(cat 'b c')", "Bash(wc)"]);
        for line in ["touch a > b", "touch $a", "touch *", "echo 'a*'", "A=1 touch a", "(touch a)", "echo $(touch a)"] {
            assert!(given(line).is_empty(), "{line}");
        }
    }
}
