//! `cargo xtask explain`: how a shell command is read, and what the hooks of a project answer to it.

use std::env;

use anyhow::Result;
use clap::Args;
use hookkit_effects::{builds, deletes, edits, reads};
use hookkit_shell::{Command, Script, Unanalyzed, Via, analyze};
use hookkit_verdict::{Action, Verdict};
use serde_json::{Value, json};

use crate::binaries::sample;
use crate::binaries::trial::{Trial, change, reason, verdict_members};
use crate::commands::off::typed;
use crate::diagnose::active::outcome::{HookOutcome, Outcome, Subject};
use crate::diagnose::active::session::Session;
use crate::diagnose::own;
use crate::diagnose::own::asked::Asked;
use crate::history::name::of_hookkit;
use crate::settings::scope::Target;
use crate::terminal::rows::{Format, extend, row};
use crate::terminal::style::{BOLD, ERROR, GOOD, NOTE, PLAIN, WARNING};
use crate::terminal::text::Text;
use crate::terminal::{Done, counted, one_line, shown};

pub(crate) const EXAMPLES: &str = "\
Exit code 1: a hook denies the command, or asks about it.

Examples: cargo xtask explain 'git push --force'
          cargo xtask explain 'find . -name \"*.log\" -delete' --project ../app";

#[derive(Args)]
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
    let project = match &folders.project {
        Some(project) => project.clone(),
        None => env::current_dir()?,
    };
    let session = Session::of(&folders);
    let script = analyze(&options.line);
    let mut text = Text::new();
    let mut rows = Vec::new();
    describe_reading(&script, &mut text, &mut rows)?;

    let mut trial = Trial::within(&project)?;
    trial.explains = true;
    let sample = sample::of_line(&options.line, &trial.project)?;
    let subject = Subject::parse("PreToolUse:Bash")?;
    let own = own::find(&session, folders.project.as_deref());
    let mut decision = Decision::default();
    text.line_end().bold("Hooks on PreToolUse Bash").line_end();
    let outcomes = session.outcomes(&subject);
    for outcome in &outcomes {
        let Outcome::Runs(condition) = &outcome.outcome else {
            continue;
        };
        let own = own.iter().find(|own| own.is_of(outcome.handler));
        let asked = own.map(|own| own.ask_about(&options.line, &trial, &sample));
        let mut members = json!({
            "name": asked.as_ref().map(|(name, _)| name),
            "command": outcome.handler.command(),
            "scope": outcome.source.scope.to_string(),
            "file": outcome.source.path.display().to_string(),
            "line": outcome.handler.place.line,
            "where": condition,
            "not_asked": null,
            "failed": null,
            "verdict": null,
        });
        match &asked {
            Some((name, Asked::Answered(verdict, failed))) => {
                extend(
                    &mut members,
                    json!({"failed": failed, "verdict": verdict_members(verdict)?}),
                );
                let change = change(verdict, &sample);
                answer(
                    name,
                    verdict,
                    change.as_deref(),
                    failed.as_deref(),
                    condition.as_deref(),
                    &mut text,
                );
                decision.take(name, &verdict.action, condition.as_deref());
                if let Some(change) = change {
                    decision.change = Some(format!("`{name}` changes it: {change}"));
                }
            }
            Some((name, Asked::NotAwaited)) => {
                extend(&mut members, json!({"not_asked": "Claude Code does not wait for it"}));
                text.plain("  ")
                    .bold(name)
                    .plain(": Claude Code does not wait for it")
                    .line_end();
            }
            Some((name, Asked::Off(pause))) => {
                extend(&mut members, json!({"not_asked": format!("it is {pause}")}));
                text.plain("  ").bold(name).plain(": ").words(WARNING, pause).line_end();
            }
            Some((name, Asked::NotStarted(why))) => {
                decision.unknown += 1;
                extend(&mut members, json!({"not_asked": why}));
                text.plain("  ")
                    .bold(name)
                    .plain(format_args!(": not asked: {why}"))
                    .line_end();
            }
            None => {
                decision.unknown += 1;
                let why = "hookkit has not installed it, and starts no other programs";
                extend(&mut members, json!({"not_asked": why}));
                foreign(outcome, why, &mut text);
            }
        }
        rows.push(row("hook", members)?);
    }
    if !outcomes
        .iter()
        .any(|outcome| matches!(outcome.outcome, Outcome::Runs(_)))
    {
        text.plain("  none in ").path(shown(&project)).line_end();
    }
    decision.describe(&script, &options.line, &mut text, &mut rows)?;
    if matches!(decision.action, Action::Denied | Action::Asked) {
        text.plain("To let it through once, in a terminal: ");
        text.command(typed(&["allow-once", &options.line], &options.target))
            .line_end();
    }
    options.format.print(text, &rows)?;
    Ok(match decision.action {
        Action::Denied | Action::Asked => Done::WithFindings,
        _ => Done::Clean,
    })
}

/// Describes the commands of a line, each with its effect, and what could not be analyzed.
fn describe_reading(script: &Script, text: &mut Text, rows: &mut Vec<Value>) -> Result<()> {
    text.bold("Commands").line_end();
    for command in script.commands() {
        let via: Vec<String> = command.via.iter().filter_map(way).collect();
        let effect = effect(command);
        let depth = command
            .via
            .iter()
            .filter(|via| matches!(via, Via::Prefix(_) | Via::Script(_)))
            .count();
        text.plain("  ").plain("  ".repeat(depth)).hang();
        text.plain(one_line(&command.to_string()));
        let notes = via
            .last()
            .map(String::as_str)
            .into_iter()
            .chain(effect.map(|(_, says)| says));
        let notes = notes.collect::<Vec<_>>().join("; ");
        if !notes.is_empty() {
            text.dimmed(format_args!("  ({notes})"));
        }
        text.line_end();
        rows.push(row(
            "command",
            json!({"text": command.to_string(), "via": via, "effect": effect.map(|(name, _)| name)}),
        )?);
    }
    for Unanalyzed { text: part, why, .. } in script.unanalyzed() {
        text.plain("  ")
            .words(WARNING, "not analyzed")
            .plain(": ")
            .plain(one_line(part));
        text.plain(format_args!(": {why}")).line_end();
        rows.push(row("unanalyzed", json!({"text": part, "why": why.to_string()}))?);
    }
    if script.commands().is_empty() && script.unanalyzed().is_empty() {
        text.plain("  none").line_end();
    }
    Ok(())
}

/// Returns the effect of a command that the table of programs has, with its words.
fn effect(command: &Command) -> Option<(&'static str, &'static str)> {
    match () {
        () if reads(command).is_some() => Some(("reads", "only reads")),
        () if deletes(command) => Some(("deletes", "deletes from a service")),
        () if builds(command).is_some() => Some(("builds", "runs code of the project")),
        () if edits(command).is_some() => Some(("edits", "edits files of the project, or those that it names")),
        () => None,
    }
}

/// Describes what is around a command.
fn way(via: &Via) -> Option<String> {
    Some(match via {
        Via::Pipeline => return None,
        Via::Subshell => "in a subshell".to_owned(),
        Via::CommandSubstitution => "in `$(…)`".to_owned(),
        Via::ProcessSubstitution => "in `<(…)`".to_owned(),
        Via::Loop => "in a loop".to_owned(),
        Via::Function(name) => format!("in the function `{name}`"),
        Via::Script(name) => format!("in a script of `{name}`"),
        Via::Prefix(name) => format!("run by `{name}`"),
        _ => return None,
    })
}

/// Describes the answer of a hook, or its failure.
fn answer(
    name: &str,
    verdict: &Verdict,
    change: Option<&str>,
    failed: Option<&str>,
    condition: Option<&str>,
    text: &mut Text,
) {
    let (style, words) = match &verdict.action {
        Action::GoesOn if failed.is_some() => (WARNING, "fails, and has no effect"),
        Action::GoesOn if change.is_some() => (NOTE, "changes it"),
        Action::GoesOn => (PLAIN, "no opinion"),
        Action::Allowed => (GOOD, "lets it through"),
        Action::Asked => (WARNING, "asks"),
        Action::Denied => (ERROR, "denies it"),
        _ => (PLAIN, "answers"),
    };
    text.plain("  ").bold(name).plain(": ").hang().words(style, words);
    if let Some(change) = change {
        text.plain(": ").plain(change);
    }
    if let Some(reason) = reason(verdict) {
        text.plain(": ").plain(reason);
    } else if let Some(why) = failed {
        text.plain(": ").plain(one_line(why));
    }
    if let Some(condition) = condition {
        text.dimmed(format_args!(" (where {condition})"));
    }
    text.line_end();
}

fn foreign(outcome: &HookOutcome<'_>, why: &str, text: &mut Text) {
    let command = outcome.handler.command().unwrap_or_default();
    text.plain("  ")
        .foreign_command(of_hookkit(command).unwrap_or(command))
        .plain(" (")
        .path(shown(&outcome.source.path));
    text.plain(format_args!(":{}): not asked: {why}", outcome.handler.place.line))
        .line_end();
}

/// The decision of all hooks: a denial wins over a question, and that over an approval.
#[derive(Debug)]
struct Decision {
    action: Action,
    by: Option<String>,
    /// The change of the last hook that has one: it is the one that counts.
    change: Option<String>,
    /// The number of hooks that may decide otherwise: they could not be asked, or answer only under a condition.
    unknown: usize,
}

impl Default for Decision {
    fn default() -> Self {
        Self {
            action: Action::GoesOn,
            by: None,
            change: None,
            unknown: 0,
        }
    }
}

impl Decision {
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

    /// Describes what Claude Code does, and what would let the command through.
    fn describe(&self, script: &Script, line: &str, text: &mut Text, rows: &mut Vec<Value>) -> Result<()> {
        let by = self.by.as_deref().unwrap_or_default();
        // One for the old command would allow what does not run.
        let rules = if self.change.is_some() {
            Vec::new()
        } else {
            rules(script, line)
        };
        text.line_end();
        if self.unknown > 0 && self.action != Action::Denied {
            let hooks = counted(self.unknown, "hook");
            text.words(BOLD, "Not known").plain(format_args!(
                ": {hooks} could not be asked, or decides only where a condition holds. By the others:"
            ));
            text.line_end();
        }
        if let Some(change) = self.change.as_ref().filter(|_| self.action != Action::Denied) {
            text.bold(change).line_end();
        }
        let decision = match &self.action {
            Action::Denied => {
                text.words(BOLD, "Denied").plain(format_args!(
                    " by `{by}`, whatever the permission rules say. It runs only if you run it yourself."
                ));
                "deny"
            }
            Action::Asked => {
                text.words(BOLD, "You are asked").plain(format_args!(
                    " because of `{by}`, whatever the permission rules allow; where you cannot be asked, it is denied."
                ));
                "ask"
            }
            Action::Allowed => {
                text.words(BOLD, "Let through").plain(format_args!(
                    " by `{by}`, unless a permission rule denies it or asks about it."
                ));
                "allow"
            }
            _ => {
                text.words(BOLD, "No hook decides")
                    .plain(": the permission rules do, and you are asked where none allows it.");
                if !rules.is_empty() {
                    let rules: Vec<String> = rules.iter().map(|rule| json!(rule).to_string()).collect();
                    text.line_end().plain("To allow it always, in a settings file: ");
                    text.command(format_args!("\"permissions\": {{\"allow\": [{}]}}", rules.join(", ")));
                }
                "none"
            }
        };
        text.line_end();
        let is_certain = self.unknown == 0 || self.action == Action::Denied;
        let decision = if is_certain { decision } else { "unknown" };
        rows.push(row(
            "summary",
            json!({"decision": decision, "by": self.by, "change": self.change, "rules": rules}),
        )?);
        Ok(())
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

/// The permission rules that allow a line: one for each of its commands, which Claude Code (2.1.330) compares as texts.
///
/// There is none for what is within others, what is expanded or redirected, and a `*`, which would allow more than the line.
fn rules(script: &Script, line: &str) -> Vec<String> {
    let is_plain = |command: &Command| {
        command.via.iter().all(|via| *via == Via::Pipeline)
            && command.assignments.is_empty()
            && command.redirections.is_empty()
            && command.words.iter().all(|word| word.literal().is_some())
    };
    if !script.unanalyzed().is_empty()
        || !script.commands().iter().all(is_plain)
        || line.contains(['*', '(', ')', '\\'])
    {
        return Vec::new();
    }
    let mut rules: Vec<String> = Vec::new();
    for command in script.commands() {
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
        let mut decision = Decision {
            unknown,
            ..Decision::default()
        };
        for (name, action, condition) in answers {
            decision.take(name, action, *condition);
        }
        let mut rows = Vec::new();
        let described = decision.describe(&analyze("touch a"), "touch a", &mut Text::new(), &mut rows);
        described.unwrap();
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
        let decision = Decision {
            change: change(&verdict, &sample),
            ..Decision::default()
        };
        let mut rows = Vec::new();
        decision.describe(&analyze("npm i"), "npm i", &mut Text::new(), &mut rows)?;
        assert_eq!(rows[0]["change"], "the tool runs with `pnpm i`");
        assert_eq!(rows[0]["rules"], json!([]));
        Ok(())
    }

    #[test]
    fn rules_are_given_for_lines_of_plain_commands_alone() {
        let given = |line| rules(&analyze(line), line);
        assert_eq!(
            given("touch a && cat 'b c' | wc"),
            ["Bash(touch a)", "Bash(cat 'b c')", "Bash(wc)"]
        );
        for line in [
            "touch a > b", "touch $a", "touch *", "echo 'a*'", "A=1 touch a", "(touch a)", "echo $(touch a)",
        ] {
            assert!(given(line).is_empty(), "{line}");
        }
    }
}
