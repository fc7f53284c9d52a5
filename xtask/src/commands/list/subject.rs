//! `cargo xtask list --for EVENT`: lists which hooks run on an event, and why the others do not.

use crate::commands::list::report::{Listed, Report, Seen, reason_below};
use crate::commands::prelude::*;
use crate::diagnose::active::outcome::{HookOutcome, Outcome, Subject};
use crate::diagnose::active::source::State;
use crate::settings::pause;
use crate::settings::place::Place;

pub(super) fn describe_all(subject: &Subject, seen: &Seen, places: &[Place], report: &mut Report) {
    let event = subject.event.name;
    let what = match &subject.target {
        Some(target) => format!("{event} {target}"),
        None => event.to_owned(),
    };
    let (mut run, mut stay) = (Vec::new(), Vec::new());
    let outcomes = seen.session.outcomes(subject).into_iter();
    for HookOutcome { source, handler, outcome } in outcomes.filter(|outcome| seen.shows(outcome.source)) {
        let listed = Listed::new(seen, source, handler, places);
        let mut row = listed.row();
        if row["kind"] != "plugin" {
            row["name"] = json!(listed.ours.map(|(hook, _)| hook));
        }
        row["runs"] = matches!(outcome, Outcome::Runs(_)).into();
        let mut text = Text::new();
        text.plain("  ").path(shown(&source.path));
        text.plain(format_args!(":{} ({})\n    ", handler.place.line, source.scope));
        text.append(listed.line(0));
        if let Some((hook, place)) = listed.ours {
            if !place.has_binary(hook) {
                row["binary"] = json!("missing");
                text.plain("\n    ").words(ERROR, "its binary is missing");
                text.plain(", or cannot be run; `install` builds it");
            }
            if let Some(pause) = pause::active(place, hook) {
                row["off"] = pause.members();
                text.plain("\n    it is ").words(WARNING, pause);
            }
        }
        match &outcome {
            Outcome::Runs(condition) => {
                row["where"] = json!(condition);
                if let Some(condition) = condition {
                    text.plain(format_args!("\n    where {condition}"));
                }
                let (twice, skipped_by, lines) = seen.others(source, handler);
                row["twice"] = twice.into();
                row["skipped_by"] = json!(skipped_by);
                text.append(lines);
                run.push(text);
            }
            Outcome::DoesNotRun(why) => {
                row["why_not"] = json!(why);
                reason_below(&mut text, "    ", "not run", why);
                stay.push(text);
            }
        }
        report.rows.push(row);
    }
    if run.is_empty() {
        let mut text = Text::new();
        text.bold(format_args!("Nothing runs on {what} in ")).path(one_line(seen.project.display()));
        report.paragraphs.push(text);
    }
    for (head, hooks) in [
        (format!("On {what} Claude Code runs"), run),
        (format!("Other hooks on {event}"), stay),
        ("Files that could have more".to_owned(), unknown(seen)),
    ] {
        if !hooks.is_empty() {
            let mut text = Text::new();
            text.bold(head).line_end().append(Text::joined(hooks, "\n"));
            report.paragraphs.push(text);
        }
    }
}

/// Describes files that could not be read.
fn unknown(seen: &Seen) -> Vec<Text> {
    let unknown =
        seen.session.sources.iter().filter(|source| seen.shows(source) && source.handlers.is_empty()).filter_map(
            |source| {
                let why = match &source.state {
                    State::Dropped(reasons) => reasons.first().map_or("", String::as_str),
                    State::Unreadable(why) => why,
                    State::Read | State::Missing => return None,
                };
                let mut text = Text::new();
                text.plain("  ").path(shown(&source.path));
                text.plain(format_args!(" ({}): {}", source.scope, one_line(why)));
                Some(text)
            },
        );
    unknown.collect()
}
