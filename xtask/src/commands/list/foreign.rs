//! The hooks that are not this workspace's.

use hookkit_protocol::event::event;
use serde_json::{Value, json};

use crate::commands::list::report::{Report, Seen, add_packaged, column, line, our_hook, packaged_line, row};
use crate::diagnose::active::source::{Handler, HookFile, State};
use crate::diagnose::packages;
use crate::diagnose::rules::handler;
use crate::settings::place::Place;
use crate::terminal::style::{ERROR, WARNING};
use crate::terminal::text::Text;
use crate::terminal::{one_line, shown};

pub(super) fn describe_all(seen: &Seen, places: &[Place], report: &mut Report) {
    let sources = seen.session.sources.iter().filter(|source| seen.shows(source));
    let mut files = Vec::new();
    for source in sources {
        let text = file(source, seen, places, report);
        files.extend(text);
    }
    let project = seen.project.display().to_string();
    let project = one_line(&project);
    let mut head = Text::new();
    head.bold(match files.is_empty() {
        true => "Claude Code runs no other hooks in ",
        false => "Other hooks that Claude Code runs in ",
    });
    head.path(project);
    report.paragraphs.push(head);
    report.paragraphs.extend(files);
}

/// One file with what is in it, if there is anything to say.
fn file(source: &HookFile, seen: &Seen, places: &[Place], report: &mut Report) -> Option<Text> {
    let mut text = Text::new();
    text.path(shown(&source.path))
        .plain(format_args!(" ({})", source.scope));
    if let Some(plugin) = seen.session.packaged(source) {
        let version = plugin.package.version.as_deref().unwrap_or("unknown");
        text.plain(format_args!(
            ", version {}, of `cargo xtask package`",
            one_line(version)
        ));
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
    let theirs = || {
        let handlers = source.handlers.iter();
        handlers.filter(|handler| our_hook(source, handler, places).is_none())
    };
    let column = column(theirs());
    for handler in theirs() {
        has_any = true;
        let never = seen.session.never(source, handler);
        text.plain("\n  ")
            .dimmed(format_args!("{:>4}", handler.place.line))
            .plain("  ");
        let packaged = packages::hook(&seen.session, source, handler);
        text.append(match packaged {
            Some((_, hook)) => packaged_line(handler, hook, column),
            None => line(handler, column),
        });
        if let (Some(why), State::Read) = (&never, &source.state) {
            reason_below(&mut text, "never runs", why);
        }
        let in_vain = matches_nothing(source, handler, never.as_deref());
        for in_vain in &in_vain {
            reason_below(&mut text, "never runs", in_vain);
        }
        let (twice, skipped_by, lines) = seen.others(source, handler);
        text.append(lines);
        let mut row = match packaged {
            Some((plugin, hook)) => {
                let mut row = row("plugin", source, handler);
                add_packaged(&mut row, plugin, hook);
                row
            }
            None => row("foreign", source, handler),
        };
        row["twice"] = twice;
        row["skipped_by"] = json!(skipped_by);
        row["active"] = Value::Bool(never.is_none());
        row["why_not"] = json!(never);
        row["matches_nothing"] = json!(in_vain);
        row["code"] = json!(handler.lost.as_ref().map(|finding| finding.code.name));
        row["finding"] = json!(handler.lost.as_ref().map(ToString::to_string));
        report.rows.push(row);
    }
    // A finding about a hook is not repeated.
    let is_reported = |finding: &_| {
        source
            .handlers
            .iter()
            .any(|handler| handler.lost.as_ref() == Some(finding))
    };
    for finding in source
        .findings
        .iter()
        .filter(|finding| source.state == State::Read && !is_reported(finding))
    {
        has_any = true;
        text.plain("\n  ").words(WARNING, finding);
    }
    if !reasons.is_empty() || !source.findings.is_empty() {
        let findings: Vec<String> = source.findings.iter().map(ToString::to_string).collect();
        let codes: Vec<&str> = source.findings.iter().map(|finding| finding.code.name).collect();
        report.rows.push(json!({
            "kind": "file",
            "scope": source.scope.to_string(),
            "file": source.path.display().to_string(),
            "state": match &source.state {
                State::Read => "read",
                State::Missing => "missing",
                State::Dropped(_) => "dropped",
                State::Unreadable(_) => "unreadable",
            },
            "reasons": reasons,
            "findings": findings,
            "codes": codes,
        }));
    }
    has_any.then_some(text)
}

/// Says below a hook why it does not run.
fn reason_below(text: &mut Text, what: &str, why: &str) {
    text.plain("\n        ")
        .words(WARNING, what)
        .plain(": ")
        .plain(one_line(why));
}

/// Returns the parts of a hook's matcher that match nothing, by `doctor`'s rule, if the hook runs at all.
fn matches_nothing(source: &HookFile, handler: &Handler, never: Option<&str>) -> Vec<String> {
    let event = event(&handler.event).filter(|_| never.is_none() && source.state == State::Read);
    match (event, &handler.matcher) {
        (Some(event), Some(matcher)) => handler::matches_nothing(event, matcher),
        _ => Vec::new(),
    }
}
