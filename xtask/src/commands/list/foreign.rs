//! Hooks that do not belong to this workspace.

use hookkit_protocol::event::event;

use crate::commands::list::report::{Listed, Report, Seen, column, reason_below};
use crate::commands::prelude::*;
use crate::diagnose::active::source::{Handler, HookFile, State};
use crate::diagnose::rules::handler;
use crate::settings::place::Place;
use crate::terminal::extend;

pub(super) fn describe_all(seen: &Seen, places: &[Place], report: &mut Report) {
    let files: Vec<Text> = seen
        .session
        .sources
        .iter()
        .filter(|source| seen.shows(source))
        .filter_map(|source| file(source, seen, places, report))
        .collect();
    let mut head = Text::new();
    head.bold(if files.is_empty() {
        "Claude Code runs no other hooks in "
    } else {
        "Other hooks that Claude Code runs in "
    });
    head.path(one_line(seen.project.display()));
    report.paragraphs.push(head);
    report.paragraphs.extend(files);
}

/// Describes a file and its content, if there is anything to report.
fn file(source: &HookFile, seen: &Seen, places: &[Place], report: &mut Report) -> Option<Text> {
    let mut text = Text::new();
    text.path(shown(&source.path)).plain(format_args!(" ({})", source.scope));
    if let Some(plugin) = seen.session.packaged(source) {
        let version = plugin.package.version.as_deref().unwrap_or("unknown");
        text.plain(format_args!(", version {}, of `cargo xtask package`", one_line(version)));
    }
    let mut has_any = false;
    let reasons: &[String] = match &source.state {
        State::Read | State::Missing => &[],
        State::Dropped(reasons) => {
            text.plain(": ").words(ERROR, "Claude Code ignores this file");
            reasons
        }
        State::Unreadable(why) => std::slice::from_ref(why),
    };
    if let Some(limit) = source.limit() {
        has_any = true;
        text.plain("\n  ").words(WARNING, limit);
    }
    for reason in reasons {
        has_any = true;
        text.plain("\n  ").plain(one_line(reason));
    }
    let listed = |handler| (handler, Listed::new(seen, source, handler, places));
    let handlers = source.handlers.iter().map(listed);
    let theirs: Vec<(&Handler, Listed<'_>)> = handlers.filter(|(_, listed)| listed.ours.is_none()).collect();
    let column = column(theirs.iter().map(|(handler, _)| *handler));
    for (handler, listed) in theirs {
        has_any = true;
        let never = seen.session.never(source, handler);
        text.plain("\n  ").dimmed(format_args!("{:>4}", handler.place.line)).plain("  ").append(listed.line(column));
        let in_vain = matches_nothing(source, handler, never.as_deref());
        for why in never.iter().filter(|_| source.state == State::Read).chain(&in_vain) {
            reason_below(&mut text, "        ", "never runs", why);
        }
        let (twice, skipped_by, lines) = seen.others(source, handler);
        text.append(lines);
        let lost = handler.lost.as_ref();
        let mut row = listed.row();
        let members = json!({
            "twice": twice,
            "skipped_by": skipped_by,
            "active": never.is_none(),
            "why_not": never,
            "matches_nothing": in_vain,
            "code": lost.map(|finding| finding.code.name),
            "finding": lost.map(ToString::to_string),
        });
        extend(&mut row, members);
        report.rows.push(row);
    }
    // A finding about a hook is not repeated.
    let is_reported = |finding: &_| source.handlers.iter().any(|handler| handler.lost.as_ref() == Some(finding));
    let is_read = source.state == State::Read;
    for finding in source.findings.iter().filter(|finding| is_read && !is_reported(finding)) {
        has_any = true;
        text.plain("\n  ").words(WARNING, finding);
    }
    if !reasons.is_empty() || !source.findings.is_empty() {
        let findings = source.findings.iter();
        let members = json!({
            "scope": source.scope.to_string(),
            "file": source.path.display().to_string(),
            "state": match &source.state {
                State::Read => "read",
                State::Missing => "missing",
                State::Dropped(_) => "dropped",
                State::Unreadable(_) => "unreadable",
            },
            "reasons": reasons,
            "findings": findings.clone().map(ToString::to_string).collect::<Vec<_>>(),
            "codes": findings.map(|finding| finding.code.name).collect::<Vec<_>>(),
        });
        report.rows.push(row("file", members));
    }
    has_any.then_some(text)
}

/// Returns the parts of a hook's matcher that match nothing, according to `doctor`'s rule. None if the hook never runs.
fn matches_nothing(source: &HookFile, handler: &Handler, never: Option<&str>) -> Vec<String> {
    let event = event(&handler.event).filter(|_| never.is_none() && source.state == State::Read);
    match (event, &handler.matcher) {
        (Some(event), Some(matcher)) => handler::matches_nothing(event, matcher),
        _ => Vec::new(),
    }
}
