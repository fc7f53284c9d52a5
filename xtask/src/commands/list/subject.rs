//! The outcome for each hook when something happens.

use serde_json::{Value, json};

use crate::commands::list::report::{Report, Seen, add_packaged, line, our_hook, packaged_line, row};
use crate::diagnose::active::outcome::{HookOutcome, Outcome, Subject};
use crate::diagnose::active::source::State;
use crate::diagnose::packages;
use crate::settings::pause::{self, Pause};
use crate::settings::place::Place;
use crate::terminal::style::{ERROR, WARNING};
use crate::terminal::text::Text;
use crate::terminal::{one_line, shown};

pub(super) fn describe_all(subject: &Subject, seen: &Seen, places: &[Place], report: &mut Report) {
    let message = seen.session.outcomes(subject);
    let message: Vec<HookOutcome<'_>> = message
        .into_iter()
        .filter(|message| seen.shows(message.source))
        .collect();
    let what = match &subject.target {
        Some(target) => format!("{} {target}", subject.event.name),
        None => subject.event.name.to_owned(),
    };
    let project = one_line(&seen.project.display().to_string()).into_owned();
    let (mut run, mut stay) = (Vec::new(), Vec::new());
    for message in &message {
        let ours = our_hook(message.source, message.handler, places);
        let packaged = packages::hook(&seen.session, message.source, message.handler);
        let kind = match (ours, packaged) {
            (Some(_), _) => "own",
            (None, Some(_)) => "plugin",
            (None, None) => "foreign",
        };
        let mut row = row(kind, message.source, message.handler);
        row["name"] = json!(ours);
        if let Some((plugin, hook)) = packaged {
            add_packaged(&mut row, plugin, hook);
        }
        row["runs"] = Value::Bool(matches!(message.outcome, Outcome::Runs(_)));
        let mut text = Text::new();
        text.plain("  ").path(shown(&message.source.path));
        text.plain(format_args!(
            ":{} ({})\n    ",
            message.handler.place.line, message.source.scope
        ));
        text.append(match packaged {
            Some((_, hook)) => packaged_line(message.handler, hook, 0),
            None => line(message.handler, 0),
        });
        if let Some(hook) = ours
            && !has_binary(hook, message, places)
        {
            row["binary"] = json!("missing");
            text.plain("\n    ").words(ERROR, "its binary is missing");
            text.plain(", or cannot be run; `install` builds it");
        }
        if let Some(pause) = ours.and_then(|hook| paused(hook, message, places)) {
            row["off"] = pause.members();
            text.plain("\n    it is ").words(WARNING, pause.to_string());
        }
        match &message.outcome {
            Outcome::Runs(condition) => {
                row["where"] = json!(condition);
                if let Some(condition) = condition {
                    text.plain(format_args!("\n    where {condition}"));
                }
                let (twice, skipped_by, lines) = seen.others(message.source, message.handler);
                row["twice"] = twice;
                row["skipped_by"] = json!(skipped_by);
                text.append(lines);
                run.push(text);
            }
            Outcome::DoesNotRun(why) => {
                row["why_not"] = json!(why);
                text.plain("\n    ")
                    .words(WARNING, "not run")
                    .plain(": ")
                    .plain(one_line(why));
                stay.push(text);
            }
        }
        report.rows.push(row);
    }
    let paragraph = |head: String, hooks: Vec<Text>| {
        let mut text = Text::new();
        text.bold(head).line_end().append(Text::joined(hooks, "\n"));
        text
    };
    report.paragraphs.push(match run.is_empty() {
        true => {
            let mut text = Text::new();
            text.bold(format_args!("Nothing runs on {what} in ")).path(project);
            text
        }
        false => paragraph(format!("On {what} Claude Code runs"), run),
    });
    if !stay.is_empty() {
        report
            .paragraphs
            .push(paragraph(format!("Other hooks on {}", subject.event.name), stay));
    }
    let unknown = unknown(seen);
    if !unknown.is_empty() {
        report
            .paragraphs
            .push(paragraph("Files that could have more".to_owned(), unknown));
    }
}

/// Returns `true` if one of our hooks can be started.
fn has_binary(hook: &str, message: &HookOutcome<'_>, places: &[Place]) -> bool {
    place(hook, message, places).is_some_and(|place| place.has_binary(hook))
}

/// Returns the time for which one of our hooks is off.
fn paused(hook: &str, message: &HookOutcome<'_>, places: &[Place]) -> Option<Pause> {
    let pause = pause::of(place(hook, message, places)?, hook).ok()?;
    pause.filter(|pause| !pause.is_over())
}

fn place<'p>(hook: &str, message: &HookOutcome<'_>, places: &'p [Place]) -> Option<&'p Place> {
    let is_here = |place: &&Place| place.hook(message.handler.command().unwrap_or_default()) == Some(hook);
    places.iter().find(is_here)
}

/// Describes the files that could not be read.
fn unknown(seen: &Seen) -> Vec<Text> {
    let sources = seen.session.sources.iter();
    let sources = sources.filter(|source| seen.shows(source) && source.handlers.is_empty());
    let unknown = sources.filter_map(|source| {
        let why = match &source.state {
            State::Dropped(reasons) => reasons.first().map_or("", String::as_str),
            State::Unreadable(why) => why,
            State::Read | State::Missing => return None,
        };
        let mut text = Text::new();
        text.plain("  ").path(shown(&source.path));
        text.plain(format_args!(" ({}): {}", source.scope, one_line(why)));
        Some(text)
    });
    unknown.collect()
}
