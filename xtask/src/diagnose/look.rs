//! Finds mistakes in a session's hooks, using only its files.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::path::Path;
use std::sync::{Arc, mpsc};

use hookkit_protocol::event::{Event, PERMISSION_REQUEST, PRE_TOOL_USE};
use hookkit_protocol::matcher::Matcher;
use serde_json::Value;

use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, HookFile, State};
use crate::diagnose::copies::{self, Copies};
use crate::diagnose::own::{self, Own};
use crate::diagnose::rules::command::outcome;
use crate::diagnose::rules::{handler, interplay, permissions};
use crate::diagnose::surroundings::Surroundings;
use crate::diagnose::{fields, packages};
use crate::disk::bounded::{Deadline, SECONDS};
use crate::settings::code::reading::{self, NESTED_TOO_DEEP};
use crate::settings::code::{plugins, sessions, together};
use crate::settings::finding::{Finding, Ignored};
use crate::settings::folders::Scope;
use crate::settings::position::{Places, Position};
use crate::terminal::counted;

/// The next position to check: the index of a file, and the position of a hook or matcher in it. `None` for the
/// comparison of hooks across files.
type Next = Option<(usize, Option<Position>)>;

/// Checks a session like [`look`], within a time limit. If it is exceeded, returns the findings so far.
pub(crate) fn look_in_time(session: &Arc<Session>, surroundings: &Surroundings) -> Vec<Finding> {
    let (sender, steps) = mpsc::channel();
    let (of_thread, surroundings) = (Arc::clone(session), surroundings.clone());
    let is_done = Deadline::new().within(move || {
        let own = own::find(&of_thread, surroundings.project.as_deref());
        // After the time limit, the receiver is gone.
        each(&of_thread, &surroundings, &own, &mut |next, found| sender.send((next, found)).is_ok());
    });
    let (mut findings, mut at) = (Vec::new(), None);
    for (next, found) in steps.try_iter() {
        at = next;
        findings.extend(found);
    }
    if is_done.is_none() {
        findings.push(match at {
            Some((file, place)) => sessions::slow_file(SECONDS).at(&session.sources[file], place),
            None => sessions::slow_comparison(SECONDS),
        });
    }
    findings
}

pub(crate) fn look(session: &Session, surroundings: &Surroundings, own: &[Own<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    each(session, surroundings, own, &mut |_, found| {
        findings.extend(found);
        true
    });
    findings
}

/// Calls `emit` before each step, with the findings so far and the step's position, until `emit` returns `false`.
fn each(
    session: &Session,
    surroundings: &Surroundings,
    own: &[Own<'_>],
    emit: &mut dyn FnMut(Next, Vec<Finding>) -> bool,
) {
    let surroundings = &surroundings.within(session);
    let mut found = Vec::new();
    for (index, source) in session.sources.iter().enumerate() {
        emit(Some((index, None)), mem::take(&mut found));
        unread(source, &mut found);
        let split = split(&source.handlers);
        for hook in &source.handlers {
            if !emit(Some((index, Some(hook.place))), mem::take(&mut found)) {
                return;
            }
            let is_split = split.contains(&hook.range.start);
            of_hook(session, source, hook, is_split, surroundings, own, &mut found);
        }
        let (mut seen, mut places) = (BTreeSet::new(), Places::new(&source.text));
        for hook in source.handlers.iter().filter(|hook| seen.insert(hook.group.start)) {
            let place = Some(places.of(hook.group.start));
            if !emit(Some((index, place)), mem::take(&mut found)) {
                return;
            }
            let of_group = handler::of_group(hook).into_iter();
            found.extend(of_group.map(|finding| Finding { place, ..finding.on(source, hook) }));
        }
        found.extend(permissions(session, source, surroundings));
    }
    switches(session, &mut found);
    emit(None, mem::take(&mut found));
    of_several(session, surroundings, own, &mut found);
    emit(None, found);
}

/// Finds the parts of a file that Claude Code does not read.
///
/// Like the client, `active` also reads UTF-16.
fn unread(source: &HookFile, found: &mut Vec<Finding>) {
    if let Some(what) = source.limit() {
        found.push(sessions::too_many_hooks(what).at(source, None));
    }
    let of_parts = source.findings.iter().cloned();
    found.extend(of_parts.map(|finding| finding.in_file(&source.scope, &source.path)));
    let of_file = match (&source.state, source.refusal.as_deref().cloned()) {
        (State::Read | State::Missing, _) => return,
        // Its hooks may be in a location that is not searched here.
        (State::Unreadable(why), _) if source.is_plugin() => plugins::plugin_not_found(why, &source.scope),
        (State::Unreadable(why), _) => reading::unreadable_file(why),
        (State::Dropped(_), Some(refusal)) if source.text.starts_with(char::REPLACEMENT_CHARACTER) => {
            Finding { place: refusal.place, ..reading::neither_encoding().ignoring(Ignored::File) }
        }
        (State::Dropped(_), Some(refusal)) if source.scope == Scope::Managed => Finding {
            does: "no headless session starts until it is fixed (2.1.330)".to_owned(),
            fix: "fix it, or remove the file".to_owned(),
            ..refusal
        },
        (State::Dropped(_), Some(refusal)) => Finding {
            does: if refusal.code == NESTED_TOO_DEEP {
                "its hooks are not checked".to_owned()
            } else {
                Ignored::File.effect().to_owned()
            },
            ..refusal
        },
        (State::Dropped(_), None) if source.findings.iter().any(Finding::is_of_file) => return,
        // Another file of the plugin makes the client drop the whole plugin.
        (State::Dropped(reasons), None) => plugins::ignored_plugin(reasons.join("; ")),
    };
    found.push(of_file.in_file(&source.scope, &source.path));
}

fn of_hook(
    session: &Session,
    source: &HookFile,
    hook: &Handler,
    is_split: bool,
    surroundings: &Surroundings,
    own: &[Own<'_>],
    found: &mut Vec<Finding>,
) {
    let before = found.len();
    let is_own_finding = |finding: &Finding| {
        let is_within = hook.range.start <= finding.range.start && finding.range.end <= hook.range.end;
        is_within || !finding.is_of_file() && finding.ignored != Ignored::EveryHook
    };
    let handler = fields::Handler::of(hook).filter(|_| !hook.lost.as_ref().is_some_and(is_own_finding));
    if let Some(handler) = handler {
        let own = own.iter().find(|own| own.is_of(hook));
        let missing = own.and_then(|own| own.is_missing(handler.never_runs()));
        // The file of a packaged plugin has its own finding, for all hooks together.
        let packaged = packages::hook(session, source, hook);
        let has_program = missing.is_none() && packaged.is_none_or(|(plugin, _)| plugin.package.has_script());
        let mut fields = handler.fields.clone();
        fields.retain(|key, _| has_program || key != "command");
        let handler = fields::Handler {
            fields: &fields,
            // One of several hooks for the group's tools.
            matcher: handler.matcher.filter(|_| !is_split),
            ..handler
        };
        let of_rules = handler::findings(handler, &of_source(source, surroundings)).into_iter();
        // The entry of a hookkit hook is generated from its attribute: `install` fixes it.
        let of_rules = of_rules.map(|finding| match own {
            Some(_) => Finding { edit: None, ..finding },
            None => finding,
        });
        found.extend(missing.into_iter().chain(of_rules).map(|finding| finding.on(source, hook)));
    }
    // A hook that the client does not read already has a finding.
    if found.len() == before
        && source.state == State::Read
        && hook.lost.is_none()
        && let Some(why) = session.never(source, hook)
        && !session.switches.iter().any(|switch| switch.holds_for(source, hook))
    {
        found.push(sessions::never_runs(why).at(source, hook.place));
    }
}

/// Returns the positions in the text of hooks that differ from another hook in their group only in their `if`.
fn split(hooks: &[Handler]) -> BTreeSet<usize> {
    let mut alike: BTreeMap<(usize, String), Vec<(usize, Value)>> = BTreeMap::new();
    for hook in hooks {
        let mut fields = hook.values.clone();
        if let Some(condition) = fields.as_object_mut().and_then(|fields| fields.remove("if")) {
            let key = (hook.group.start, fields.to_string());
            alike.entry(key).or_default().push((hook.range.start, condition));
        }
    }
    alike.retain(|_, hooks| hooks.iter().any(|(_, condition)| *condition != hooks[0].1));
    alike.into_values().flatten().map(|(at, _)| at).collect()
}

/// Returns the surroundings of a file. Settings for many projects have no project folder.
fn of_source(source: &HookFile, surroundings: &Surroundings) -> Surroundings {
    let project = match source.scope {
        Scope::Project | Scope::Local | Scope::Plugin { .. } => surroundings.project.clone(),
        // Sessions in other folders are checked in `starts`.
        Scope::OuterLocal => source.path.ancestors().nth(2).map(Path::to_owned),
        _ => None,
    };
    Surroundings { project, plugin: source.plugin_root(), ..surroundings.clone() }
}

/// Checks the permission rules of a settings file.
fn permissions(session: &Session, source: &HookFile, surroundings: &Surroundings) -> Vec<Finding> {
    let Some(document) = source.document.as_ref().filter(|_| source.state == State::Read) else {
        return Vec::new();
    };
    let is_on = |hook: &Handler, event: &Event, tool: &str| {
        let matcher = Matcher::new(hook.matcher.as_deref().unwrap_or_default(), event);
        hook.event == event.name && matcher.matches(event, tool)
    };
    let has_guard = session.active().any(|(_, hook)| is_on(hook, &PRE_TOOL_USE, "Bash"));
    let allows = |tool: &str| {
        let mut hooks = session.active().filter(|(_, hook)| is_on(hook, &PERMISSION_REQUEST, tool));
        hooks.any(|(_, hook)| fields::Handler::of(hook).is_some_and(|handler| outcome::allows(handler, surroundings)))
    };
    let mut found = permissions::findings(&document.root, has_guard, &allows);
    found.sort_by_key(|finding| finding.range.start);
    let mut places = Places::new(&source.text);
    let placed = |finding: Finding| {
        let place = places.of(finding.range.start);
        finding.at(source, place)
    };
    found.into_iter().map(placed).collect()
}

/// Checks all hooks of the session together.
fn of_several(session: &Session, surroundings: &Surroundings, own: &[Own<'_>], found: &mut Vec<Finding>) {
    let of_plugins =
        session.sources.iter().map(|source| Surroundings { plugin: source.plugin_root(), ..surroundings.clone() });
    let of_plugins: Vec<Surroundings> = of_plugins.collect();
    let own_of = |hook: &Handler| own.iter().find(|own| own.is_of(hook));
    let (mut places, mut hooks) = (Vec::new(), Vec::new());
    for (source, surroundings) in session.sources.iter().zip(&of_plugins) {
        for hook in &source.handlers {
            // Hooks that never run do not affect others.
            let handler = fields::Handler::of(hook).filter(|_| session.never(source, hook).is_none());
            let Some(handler) = handler else { continue };
            places.push((source, hook));
            hooks.push(interplay::Hook {
                handler,
                // To the client, each plugin's hooks are a separate source.
                is_joined: !source.is_plugin(),
                rewrites: match packages::hook(session, source, hook) {
                    Some((_, packaged)) => Some(packaged.rewrites(&hook.event)),
                    None => own_of(hook).and_then(Own::rewrites),
                },
                surroundings,
            });
        }
    }
    let copies = Copies::of(session, own);
    for mut pair in interplay::findings(&hooks) {
        let ((source, hook), (other_source, other_hook)) = (places[pair.of], places[pair.other]);
        if copies.are_same(session, other_hook, hook) {
            continue;
        }
        if source.is_plugin() {
            pair.finding.fix =
                format!("make both changes in one program, or remove the plugin: {}", copies::removal(session, source));
        }
        if pair.finding.code == together::COMPETING_CHANGES
            && let (Some(one), Some(other)) = (own_of(other_hook), own_of(hook))
            && let Some(fix) = one.in_order_with(other)
        {
            pair.finding.fix = fix;
        }
        found.push(pair.finding.on(source, hook).see_also(other_source, other_hook));
    }
    found.extend(copies.findings(session, own));
}

/// Reports settings that turn correct hooks off.
fn switches(session: &Session, found: &mut Vec<Finding>) {
    for switch in &session.switches {
        let off = session.handlers().filter(|(source, hook)| switch.holds_for(source, hook));
        let (off, mut sources) = (off.count(), session.sources.iter());
        let source = sources.find(|source| off > 0 && source.path == switch.path);
        found.extend(source.map(|source| {
            let fix = match source.scope {
                Scope::Managed => "ask the administrator of this machine, who has set it",
                _ => "remove or change it if they should run",
            };
            sessions::hooks_disabled(switch.key, counted(off, "hook"), fix).at(source, switch.place)
        }));
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use serde_json::json;

    use super::*;
    use crate::disk::bounded;
    use crate::settings::part::Part;

    /// Returns the indexes of the hooks that differ only in their `if` from another hook in their group.
    fn split_of(groups: &Value) -> Vec<usize> {
        let text = json!({"hooks": {"PreToolUse": groups}}).to_string();
        let source = HookFile::of_text(Scope::Project, "x".into(), text, &Part::Settings);
        let (hooks, split) = (source.handlers.iter().enumerate(), split(&source.handlers));
        let hooks = hooks.filter(|(_, hook)| split.contains(&hook.range.start));
        hooks.map(|(number, _)| number).collect()
    }

    #[test]
    fn hooks_of_a_group_that_differ_in_their_if_alone() {
        let hook = |command: &str, condition| json!({"type": "command", "command": command, "if": condition});
        let group = |hooks| json!({"matcher": "Edit|Write", "hooks": hooks});
        let without = json!({"type": "command", "command": "x"});
        let hooks = json!([hook("x", "Edit"), hook("y", "Write"), without, hook("x", "Write"), hook("y", "Write")]);
        assert_eq!(split_of(&json!([group(hooks)])), [0, 3]);
        let groups = ["Edit", "Write"].map(|condition| group(json!([hook("x", condition)])));
        assert!(split_of(&json!(groups)).is_empty());
    }

    #[test]
    fn a_group_of_the_most_hooks_is_compared_in_time() {
        let command = "x".repeat(700);
        let hook = |at| json!({"type": "command", "command": command, "if": format!("Edit({at})"), "timeout": at});
        let hooks: Vec<Value> = (0..bounded::HOOKS).map(hook).collect();
        let started = Instant::now();
        assert!(split_of(&json!([{"matcher": "Edit", "hooks": hooks}])).is_empty());
        assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    }
}
