//! Findings about the hooks of a session, from its files alone.

use std::collections::BTreeSet;
use std::mem;
use std::path::Path;
use std::sync::{Arc, mpsc};

use hookkit_protocol::event::{PRE_TOOL_USE, event};
use hookkit_protocol::matcher::Matcher;

use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, HookFile, State};
use crate::diagnose::copies::{self, Copies};
use crate::diagnose::fields;
use crate::diagnose::fields::Fields;
use crate::diagnose::finding::{Finding, Surroundings};
use crate::diagnose::own::{self, Own};
use crate::diagnose::packages;
use crate::diagnose::report::Diagnostic;
use crate::diagnose::rules::{handler, interplay, permissions};
use crate::disk::bounded::{self, Deadline};
use crate::settings::check::{self, Ignored};
use crate::settings::code::Code;
use crate::settings::document::{Places, Position};
use crate::settings::folders::Scope;

/// Checks a session like [`look`], within the time limit. After the limit, returns the findings so far.
pub(crate) fn look_in_time(session: &Arc<Session>, surroundings: &Surroundings) -> Vec<Diagnostic> {
    let (sender, steps) = mpsc::channel();
    let (of_thread, surroundings) = (Arc::clone(session), surroundings.clone());
    let deadline = Deadline::new();
    let is_done = deadline.within(move || {
        let own = own::find(&of_thread, surroundings.project.as_deref());
        // After the time limit the receiver is gone.
        let mut emit = |step| sender.send(step).is_ok();
        each(&of_thread, &surroundings, &own, &mut emit);
    });
    let (mut diagnostics, mut at) = (Vec::new(), None);
    for step in steps.try_iter() {
        match step {
            Step::At(file, place) => at = Some((file, place)),
            Step::Together => at = None,
            Step::Found(found) => diagnostics.extend(found),
        }
    }
    if is_done.is_none() {
        let what = format!("looking at all hooks takes longer than {} s", bounded::TIME.as_secs());
        let found = match at {
            Some((file, place)) => {
                let does = "the rest of this file and the files after it were not checked";
                let fix = "remove expressions like `(a+)+$`, and hooks that are not needed";
                Diagnostic::new(Code::SlowCheck, what, does, fix).at(&session.sources[file], place)
            }
            None => Diagnostic::new(
                Code::SlowCheck,
                what,
                "they were not compared with each other",
                "remove those that are not needed",
            ),
        };
        diagnostics.push(found);
    }
    diagnostics
}

/// A step of checking a session.
enum Step {
    /// The next file, by its number, or the next hook or matcher in it.
    At(usize, Option<Position>),
    /// The comparison of the hooks of all files.
    Together,
    Found(Vec<Diagnostic>),
}

pub(crate) fn look(session: &Session, surroundings: &Surroundings, own: &[Own<'_>]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    each(session, surroundings, own, &mut |step| {
        if let Step::Found(found) = step {
            diagnostics.extend(found);
        }
        true
    });
    diagnostics
}

/// Emits each step, until `emit` returns `false`.
fn each(session: &Session, surroundings: &Surroundings, own: &[Own<'_>], emit: &mut dyn FnMut(Step) -> bool) {
    let surroundings = &surroundings.within(session);
    for (index, source) in session.sources.iter().enumerate() {
        let mut diagnostics = Vec::new();
        emit(Step::At(index, None));
        reading(source, &mut diagnostics);
        for hook in &source.handlers {
            if !emit(Step::Found(mem::take(&mut diagnostics))) || !emit(Step::At(index, Some(hook.place))) {
                return;
            }
            let before = diagnostics.len();
            of_hook(session, source, hook, surroundings, own, &mut diagnostics);
            // A hook that the client does not read has a finding already.
            if diagnostics.len() == before
                && source.state == State::Read
                && hook.lost.is_none()
                && let Some(why) = session.never(source, hook)
                && !session.switches.iter().any(|switch| switch.holds_for(source, hook))
            {
                diagnostics
                    .push(Diagnostic::new(Code::NeverRuns, "this hook never runs", why, "").at(source, hook.place));
            }
        }
        emit(Step::Found(mem::take(&mut diagnostics)));
        if !matchers(index, source, emit) || !emit(Step::Found(permissions(session, source))) {
            return;
        }
    }
    let mut diagnostics = Vec::new();
    switches(session, &mut diagnostics);
    emit(Step::Found(mem::take(&mut diagnostics)));
    emit(Step::Together);
    together(session, surroundings, own, &mut diagnostics);
    emit(Step::Found(diagnostics));
}

/// Finds the parts of a file that Claude Code does not read.
///
/// A file in UTF-16 is read, by the client and by `active`.
fn reading(source: &HookFile, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(what) = source.limit() {
        let does = "Claude Code still runs all of them";
        diagnostics
            .push(Diagnostic::new(Code::TooManyHooks, what, does, "remove those that are not needed").at(source, None));
    }
    for finding in &source.findings {
        diagnostics.push(Diagnostic::of_settings(finding).at(source, finding.place));
    }
    match &source.state {
        State::Read | State::Missing => {}
        State::Unreadable(why) if source.is_plugin() => {
            // Its hooks may be in a place that is not searched here.
            let does = format!("it is not known whether the {} has hooks", source.scope);
            let what = format!("this plugin is enabled, but was not found here: {why}");
            diagnostics.push(
                Diagnostic::new(Code::PluginNotFound, what, does, "")
                    .note()
                    .at(source, None),
            );
        }
        State::Unreadable(why) => {
            let does = "its hooks are not checked, but Claude Code runs them if it can read the file";
            let what = format!("it cannot be read: {why}");
            diagnostics.push(
                Diagnostic::new(
                    Code::UnreadableFile,
                    what,
                    does,
                    "make it a file that you can read, or remove it",
                )
                .at(source, None),
            );
        }
        State::Dropped(reasons) => {
            let is_reported = |finding: &check::Mistake| matches!(finding.ignored, Ignored::File | Ignored::Plugin);
            if source.findings.iter().any(is_reported) {
                return;
            }
            let whole = Ignored::File.to_string();
            let found = match source.refusal.clone() {
                Some(refusal) if source.text.starts_with(char::REPLACEMENT_CHARACTER) => {
                    let fix = "save it as UTF-8";
                    Diagnostic::new(
                        Code::NotUtf8,
                        "the file is neither UTF-8 nor UTF-16LE with a byte order mark",
                        whole,
                        fix,
                    )
                    .error()
                    .at(source, refusal.place)
                }
                Some(refusal) => {
                    let place = refusal.place;
                    let mut found = Diagnostic::of_refusal(refusal).at(source, place);
                    if source.scope == Scope::Managed {
                        found.does = "no headless session starts until it is fixed (2.1.330)".to_owned();
                        found.fix = "fix it, or remove the file".to_owned();
                    }
                    found
                }
                // Another file of the plugin makes the client drop the whole plugin.
                None => Diagnostic::new(
                    Code::IgnoredPlugin,
                    "nothing in this file is read",
                    reasons.join("; "),
                    "",
                )
                .error()
                .at(source, None),
            };
            diagnostics.push(found);
        }
    }
}

fn of_hook(
    session: &Session,
    source: &HookFile,
    hook: &Handler,
    surroundings: &Surroundings,
    own: &[Own<'_>],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let is_own_finding = |finding: &check::Mistake| {
        hook.range.start <= finding.range.start && finding.range.end <= hook.range.end
            || matches!(
                finding.ignored,
                Ignored::Hooks | Ignored::Event | Ignored::Group | Ignored::Handler
            )
    };
    if hook.lost.as_ref().is_some_and(is_own_finding) {
        return;
    }
    let Some(mut fields) = hook.values.as_object().cloned() else {
        return;
    };
    let surroundings = of_source(source, surroundings);
    // The file of a packaged plugin has its own finding, once for all hooks.
    let packaged = packages::hook(session, source, hook).map(|(plugin, _)| plugin);
    if packaged.is_some_and(|plugin| !plugin.package.has_script()) {
        fields.remove("command");
    }
    let Some(handler) = as_handler(hook, &fields) else {
        return;
    };
    let own = own.iter().find(|own| std::ptr::eq(own.handler, hook));
    let findings = match own.and_then(|own| own.is_missing(handler.never_runs())) {
        Some(missing) => {
            let mut rest = fields.clone();
            rest.remove("command");
            let rest = fields::Handler {
                fields: &rest,
                ..handler
            };
            diagnostics.push(missing.at(source, hook.place));
            handler::findings(rest, &surroundings)
        }
        None => handler::findings(handler, &surroundings),
    };
    // The entry of a hookkit hook follows from its attribute: `install` fixes it.
    let fix = |finding: &Finding| finding.edit.clone().filter(|_| own.is_none());
    let fixable = |finding: &Finding| Diagnostic::of(finding).fixed_by(source, hook, fix(finding).as_ref());
    diagnostics.extend(findings.iter().map(|finding| {
        let diagnostic = fixable(finding).at(source, hook.place);
        match finding.code {
            Code::NotJudged => diagnostic.note(),
            _ => diagnostic,
        }
    }));
}

/// Returns a hook as the rules take it; `None` if its event does not exist.
pub(super) fn as_handler<'f>(hook: &'f Handler, fields: &'f Fields) -> Option<fields::Handler<'f>> {
    Some(fields::Handler {
        event: event(&hook.event)?,
        matcher: hook.matcher.as_deref(),
        fields,
    })
}

/// Returns the surroundings of a file: settings for many projects have no project folder.
fn of_source(source: &HookFile, surroundings: &Surroundings) -> Surroundings {
    let project = match source.scope {
        Scope::Project | Scope::Local | Scope::Plugin { .. } => surroundings.project.clone(),
        // A session in another folder than its own is a matter of `starts`.
        Scope::OuterLocal => source.path.ancestors().nth(2).map(Path::to_owned),
        _ => None,
    };
    Surroundings {
        project,
        plugin: source.plugin_root(),
        ..surroundings.clone()
    }
}

/// Checks the permission rules of a settings file.
fn permissions(session: &Session, source: &HookFile) -> Vec<Diagnostic> {
    let Some(document) = source.document.as_ref().filter(|_| source.state == State::Read) else {
        return Vec::new();
    };
    let guards = |hook: &Handler| {
        let matcher = Matcher::new(hook.matcher.as_deref().unwrap_or_default(), &PRE_TOOL_USE);
        hook.event == PRE_TOOL_USE.name && matcher.matches(&PRE_TOOL_USE, "Bash")
    };
    let has_guard = session
        .handlers()
        .any(|(source, hook)| guards(hook) && session.never(source, hook).is_none());
    let mut found = permissions::findings(&document.root, has_guard);
    found.sort_by_key(|(range, _)| range.start);
    let mut places = Places::new(&source.text);
    let found = found
        .into_iter()
        .map(|(range, finding)| Diagnostic::of(&finding).at(source, places.of(range.start)));
    found.collect()
}

/// Checks the matchers of a file, once per group. Returns `false` if `emit` has stopped the check.
fn matchers(index: usize, source: &HookFile, emit: &mut dyn FnMut(Step) -> bool) -> bool {
    let mut seen = BTreeSet::new();
    let mut places = Places::new(&source.text);
    for hook in &source.handlers {
        let Some(event) = event(&hook.event) else { continue };
        if !seen.insert(hook.group.start) {
            continue;
        }
        let place = places.of(hook.group.start);
        emit(Step::At(index, Some(place)));
        let matcher = hook.matcher.as_deref();
        let mut findings = handler::group(event, matcher, &hook.unread);
        findings.extend(matcher.map_or_else(Vec::new, |matcher| handler::matcher(event, matcher)));
        let fixable = |finding: &Finding| Diagnostic::of(finding).fixed_by(source, hook, finding.edit.as_ref());
        let note = matcher.and_then(|matcher| handler::offered_on_demand(event, matcher));
        let note = note.map(|note| Diagnostic::of(&note).note());
        let found = findings.iter().map(fixable).chain(note);
        if !emit(Step::Found(
            found.map(|diagnostic| diagnostic.at(source, place)).collect(),
        )) {
            return false;
        }
    }
    true
}

/// Checks all hooks of the session together.
fn together(session: &Session, surroundings: &Surroundings, own: &[Own<'_>], diagnostics: &mut Vec<Diagnostic>) {
    // Hooks that never run have no effect on others.
    let active = session
        .handlers()
        .filter(|(source, hook)| event(&hook.event).is_some() && session.never(source, hook).is_none());
    // One handler for each place.
    let active = active.filter_map(|(source, hook)| {
        let handler = as_handler(hook, hook.values.as_object()?)?;
        Some(((source, hook), handler))
    });
    let (places, handlers): (Vec<_>, Vec<_>) = active.unzip();
    let of_plugins = session.sources.iter().map(|source| Surroundings {
        plugin: source.plugin_root(),
        ..surroundings.clone()
    });
    let of_plugins: Vec<Surroundings> = of_plugins.collect();
    let of_hook = |number: usize| {
        let source = session
            .sources
            .iter()
            .position(|source| std::ptr::eq(source, places[number].0));
        source.map_or(surroundings, |source| &of_plugins[source])
    };
    let own_at = |number: usize| own.iter().find(|own| own.is_of(places[number].1));
    let rewrites = |number| {
        let (source, hook): (&HookFile, &Handler) = places[number];
        match packages::hook(session, source, hook) {
            Some((_, packaged)) => Some(packaged.rewrites(&hook.event)),
            None => own_at(number)?.rewrites(),
        }
    };
    // To the client, each plugin's hooks are a separate source.
    let is_joined = |number: usize| !places[number].0.is_plugin();
    let copies = Copies::of(session, own);
    for mut pair in interplay::findings(&handlers, is_joined, rewrites, of_hook) {
        let ((source, hook), (other_source, other_hook)) = (places[pair.of], places[pair.other]);
        if copies.are_same(session, other_hook, hook) {
            continue;
        }
        if source.is_plugin() {
            pair.finding.fix = format!(
                "make both changes in one program, or remove the plugin: {}",
                copies::removal(session, source)
            );
        }
        if let (Code::CompetingChanges, Some(one), Some(other)) =
            (pair.finding.code, own_at(pair.other), own_at(pair.of))
            && let Some(fix) = one.in_order_with(other)
        {
            pair.finding.fix = fix;
        }
        let found = Diagnostic::of(&pair.finding).fixed_by(source, hook, pair.finding.edit.as_ref());
        let found = found.at(source, hook.place);
        diagnostics.push(found.see_also(&other_source.path, other_hook.place));
    }
    diagnostics.extend(copies.findings(session, own));
}

/// Reports the settings that turn correct hooks off.
fn switches(session: &Session, diagnostics: &mut Vec<Diagnostic>) {
    for switch in &session.switches {
        let off = session
            .handlers()
            .filter(|(source, hook)| switch.holds_for(source, hook))
            .count();
        let Some(source) = session.sources.iter().find(|source| source.path == switch.path) else {
            continue;
        };
        let does = match off {
            0 => continue,
            1 => "Claude Code does not run 1 hook because of it".to_owned(),
            _ => format!("Claude Code does not run {off} hooks because of it"),
        };
        let fix = match source.scope {
            Scope::Managed => "ask the administrator of this machine, who has set it",
            _ => "remove or change it if they should run",
        };
        let what = format!("`{}` turns hooks off", switch.key);
        diagnostics.push(Diagnostic::new(Code::HooksDisabled, what, does, fix).at(source, switch.place));
    }
}
