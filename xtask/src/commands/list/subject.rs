//! What becomes of each hook when something happens.

use serde_json::{Value, json};

use crate::commands::list::report::{Report, Seen, line, our_hook, row};
use crate::diagnose::active::outcome::{Outcome, Subject, Told};
use crate::diagnose::active::source::State;
use crate::settings::place::Place;
use crate::terminal::{one_line, shown};

pub(super) fn tell(subject: &Subject, seen: &Seen, places: &[Place], report: &mut Report) {
    let told = seen.session.outcomes(subject);
    let told: Vec<Told<'_>> = told.into_iter().filter(|told| seen.shows(told.source)).collect();
    let what = match &subject.target {
        Some(target) => format!("{} {target}", subject.event.name),
        None => subject.event.name.to_owned(),
    };
    let project = one_line(&seen.project.display().to_string()).into_owned();
    let (mut run, mut stay) = (Vec::new(), Vec::new());
    for told in &told {
        let ours = our_hook(told.source, told.handler, places);
        let mut row = row(
            if ours.is_some() { "own" } else { "foreign" },
            told.source,
            told.handler,
        );
        row["name"] = json!(ours);
        row["runs"] = Value::Bool(matches!(told.outcome, Outcome::Runs(_)));
        let place = format!(
            "{}:{} ({})",
            shown(&told.source.path),
            told.handler.place.line,
            told.source.scope
        );
        let mut text = format!("  {place}\n    {}", line(told.handler));
        if let Some(hook) = ours
            && !has_binary(hook, told, places)
        {
            row["binary"] = json!("missing");
            text += "\n    its binary is missing, or cannot be run; `install` builds it";
        }
        match &told.outcome {
            Outcome::Runs(condition) => {
                row["where"] = json!(condition);
                let condition = condition.iter().map(|condition| format!("\n    where {condition}"));
                run.push(text + &condition.collect::<String>());
            }
            Outcome::Stays(why) => {
                row["why_not"] = json!(why);
                stay.push(format!("{text}\n    not run: {}", one_line(why)));
            }
        }
        report.rows.push(row);
    }
    let paragraph = |head: String, hooks: Vec<String>| format!("{head}\n{}", hooks.join("\n"));
    report.paragraphs.push(match run.is_empty() {
        true => format!("Nothing runs on {what} in {project}"),
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

/// Whether one of our hooks can be started.
fn has_binary(hook: &str, told: &Told<'_>, places: &[Place]) -> bool {
    let is_here = |place: &&Place| place.hook(told.handler.command().unwrap_or_default()) == Some(hook);
    let place = places.iter().find(is_here);
    place.is_some_and(|place| place.has_binary(hook))
}

/// The files of which nobody can tell what is in them.
fn unknown(seen: &Seen) -> Vec<String> {
    let sources = seen.session.sources.iter();
    let sources = sources.filter(|source| seen.shows(source) && source.handlers.is_empty());
    let unknown = sources.filter_map(|source| {
        let why = match &source.state {
            State::Dropped(reasons) => reasons.first().map_or("", String::as_str),
            State::Unreadable(why) => why,
            State::Read | State::Missing => return None,
        };
        Some(format!(
            "  {} ({}): {}",
            shown(&source.path),
            source.scope,
            one_line(why)
        ))
    });
    unknown.collect()
}
