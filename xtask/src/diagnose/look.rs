//! What is wrong with the hooks of a session, as far as its files tell.

use std::collections::BTreeSet;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

use hookkit_protocol::event::event;
use serde_json::Value;

use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, Source, State};
use crate::diagnose::fields;
use crate::diagnose::fields::Fields;
use crate::diagnose::finding::{Finding, Surroundings};
use crate::diagnose::own::{self, Own};
use crate::diagnose::report::Told;
use crate::diagnose::rules::{handler, interplay};
use crate::disk::bounded::{self, Deadline};
use crate::settings::check::{self, Loss};
use crate::settings::document::{Places, Position};
use crate::settings::folders::Scope;

/// The same as [`look`], in the time that there is for it; where that is over, what is found until then.
pub(crate) fn look_in_time(session: &Arc<Session>, surroundings: &Surroundings) -> Vec<Told> {
    let (sender, steps) = mpsc::channel();
    let (of_thread, surroundings) = (Arc::clone(session), surroundings.clone());
    let deadline = Deadline::new();
    let is_done = deadline.within(move || {
        let own = own::find(&of_thread, surroundings.project.as_deref());
        // Nobody listens any more where the time is over.
        let mut tell = |step| sender.send(step).is_ok();
        each(&of_thread, &surroundings, &own, &mut tell);
    });
    let (mut told, mut at) = (Vec::new(), None);
    for step in steps.try_iter() {
        match step {
            Step::At(file, place) => at = Some((file, place)),
            Step::Together => at = None,
            Step::Found(found) => told.extend(found),
        }
    }
    if is_done.is_none() {
        let what = format!("looking at all hooks takes longer than {} s", bounded::TIME.as_secs());
        let found = match at {
            Some((file, place)) => {
                let does = "the rest of this file and the files after it were not looked at";
                let fix = "take out expressions like `(a+)+$`, and hooks that are not needed";
                Told::new(what, does, fix).at(&session.sources[file], place)
            }
            None => Told::new(
                what,
                "they were not compared with each other",
                "take out those that are not needed",
            ),
        };
        told.push(found);
    }
    told
}

/// A step of looking at a session.
enum Step {
    /// The file of this number is next, or a hook or a matcher in it.
    At(usize, Option<Position>),
    /// The hooks of all files are next.
    Together,
    Found(Vec<Told>),
}

pub(crate) fn look(session: &Session, surroundings: &Surroundings, own: &[Own<'_>]) -> Vec<Told> {
    let mut told = Vec::new();
    each(session, surroundings, own, &mut |step| {
        if let Step::Found(found) = step {
            told.extend(found);
        }
        true
    });
    told
}

/// Tells each step, as long as that is wanted.
fn each(session: &Session, surroundings: &Surroundings, own: &[Own<'_>], tell: &mut dyn FnMut(Step) -> bool) {
    let surroundings = &surroundings.within(session);
    for (index, source) in session.sources.iter().enumerate() {
        let mut told = Vec::new();
        tell(Step::At(index, None));
        reading(source, &mut told);
        for hook in &source.handlers {
            if !tell(Step::Found(mem::take(&mut told))) || !tell(Step::At(index, Some(hook.place))) {
                return;
            }
            let before = told.len();
            of_hook(source, hook, surroundings, own, &mut told);
            // What is lost is told already.
            if told.len() == before
                && source.state == State::Read
                && hook.lost.is_none()
                && let Some(why) = session.never(source, hook)
                && !session.switches.iter().any(|switch| switch.holds_for(source, hook))
            {
                told.push(Told::new("this hook never runs", why, "").at(source, hook.place));
            }
        }
        tell(Step::Found(mem::take(&mut told)));
        if !matchers(index, source, tell) {
            return;
        }
    }
    let mut told = Vec::new();
    switches(session, &mut told);
    tell(Step::Found(mem::take(&mut told)));
    tell(Step::Together);
    together(session, surroundings, &mut told);
    tell(Step::Found(told));
}

/// What Claude Code does not read of a file.
///
/// One in UTF-16 it reads, as we do (`active`).
fn reading(source: &Source, told: &mut Vec<Told>) {
    if let Some(what) = source.limit() {
        let does = "Claude Code runs all of them nevertheless";
        told.push(Told::new(what, does, "take out those that are not needed").at(source, None));
    }
    for finding in &source.findings {
        told.push(Told::of_settings(finding).at(source, finding.place));
    }
    match &source.state {
        State::Read | State::Missing => {}
        State::Unreadable(why) if source.is_plugin() => {
            // Its hooks may be elsewhere, where we do not look.
            let does = format!("whether the {} has hooks cannot be told", source.scope);
            let what = format!("this plugin is turned on, and not found here: {why}");
            told.push(Told::new(what, does, "").note().at(source, None));
        }
        State::Unreadable(why) => {
            let does = "its hooks are not looked at, and Claude Code runs them if it can read the file";
            let what = format!("it cannot be read: {why}");
            told.push(Told::new(what, does, "put a file there that you may read, or take it away").at(source, None));
        }
        State::Dropped(reasons) => {
            let is_told = |finding: &check::Finding| matches!(finding.loss, Loss::File | Loss::Plugin);
            if source.findings.iter().any(is_told) {
                return;
            }
            let whole = Loss::File.to_string();
            let found = match source.refusal.clone() {
                Some(refusal) if source.text.starts_with(char::REPLACEMENT_CHARACTER) => {
                    let fix = "save it as UTF-8";
                    Told::new(
                        "the file is neither UTF-8 nor what Claude Code takes for UTF-16",
                        whole,
                        fix,
                    )
                    .at(source, refusal.place)
                }
                Some(refusal) => {
                    let place = refusal.place;
                    Told::of_refusal(refusal).at(source, place)
                }
                // Another file of the plugin takes it along.
                None => Told::new("nothing of it is read", reasons.join("; "), "").at(source, None),
            };
            told.push(found);
        }
    }
}

fn of_hook(source: &Source, hook: &Handler, surroundings: &Surroundings, own: &[Own<'_>], told: &mut Vec<Told>) {
    let is_lost_itself = |finding: &check::Finding| {
        hook.range.start <= finding.range.start && finding.range.end <= hook.range.end
            || matches!(finding.loss, Loss::Hooks | Loss::Event | Loss::Group | Loss::Handler)
    };
    if hook.lost.as_ref().is_some_and(is_lost_itself) {
        return;
    }
    let Some(fields) = fields(source, hook) else { return };
    let Some(handler) = as_handler(hook, &fields) else {
        return;
    };
    let surroundings = of_source(source, surroundings);
    let own = own.iter().find(|own| std::ptr::eq(own.handler, hook));
    let findings = match own.and_then(|own| own.is_missing(handler.never_runs())) {
        Some(missing) => {
            let mut rest = fields.clone();
            rest.remove("command");
            let rest = fields::Handler {
                fields: &rest,
                ..handler
            };
            told.push(missing.at(source, hook.place));
            handler::findings(rest, &surroundings)
        }
        None => handler::findings(handler, &surroundings),
    };
    // An entry of hookkit's is what its attribute says: `install` fixes it.
    let fix = |finding: &Finding| finding.edit.clone().filter(|_| own.is_none());
    let plain = |finding: &Finding| Told::of(finding).fixed_by(source, hook, fix(finding).as_ref());
    told.extend(findings.iter().map(|finding| plain(finding).at(source, hook.place)));
}

/// A hook, as the rules want it; `None` where its event is none.
fn as_handler<'f>(hook: &'f Handler, fields: &'f Fields) -> Option<fields::Handler<'f>> {
    Some(fields::Handler {
        event: event(&hook.event)?,
        matcher: hook.matcher.as_deref(),
        fields,
    })
}

/// Settings that are for many projects know no folder of one.
fn of_source(source: &Source, surroundings: &Surroundings) -> Surroundings {
    let is_of_project = matches!(source.scope, Scope::Project | Scope::Local | Scope::OuterLocal);
    Surroundings {
        project: surroundings.project.clone().filter(|_| is_of_project),
        ..surroundings.clone()
    }
}

/// The keys of a hook. Those of a plugin's have its folder where Claude Code fills it in.
fn fields(source: &Source, hook: &Handler) -> Option<Fields> {
    let fields = hook.values.as_object()?;
    if !source.is_plugin() {
        return Some(fields.clone());
    }
    let root = plugin_root(&source.path);
    let root = root.as_deref().and_then(Path::to_str);
    // The rules are for the hooks of settings. What they would read otherwise than the client does is left out.
    let is_plain = |root: &&str| root.chars().all(|char| char.is_alphanumeric() || "/._-".contains(char));
    let mut fields = fields.clone();
    for key in ["command", "args"] {
        let Some(value) = fields.get_mut(key) else { continue };
        match root.filter(is_plain) {
            Some(root) => fill(value, root),
            None => drop(fields.remove(key)),
        }
    }
    let is_open = fields.get("command").is_some_and(|command| {
        let command = command.as_str().unwrap_or_default();
        command.contains("CLAUDE_PLUGIN") || command.contains("user_config")
    });
    if is_open {
        fields.remove("command");
    }
    Some(fields)
}

fn fill(value: &mut Value, root: &str) {
    match value {
        Value::String(text) => {
            *text = text.replace("${CLAUDE_PLUGIN_ROOT}", root);
            *text = text.replace("$CLAUDE_PLUGIN_ROOT", root);
        }
        Value::Array(list) => list.iter_mut().for_each(|value| fill(value, root)),
        _ => {}
    }
}

fn plugin_root(file: &Path) -> Option<PathBuf> {
    let is_root =
        |folder: &&Path| folder.join(".claude-plugin/plugin.json").is_file() || folder.join("hooks/hooks.json") == file;
    file.ancestors().skip(1).find(is_root).map(Path::to_owned)
}

/// What is wrong with matchers, once for each group; false where nobody wants to know any more.
fn matchers(index: usize, source: &Source, tell: &mut dyn FnMut(Step) -> bool) -> bool {
    let mut seen = BTreeSet::new();
    let mut places = Places::new(&source.text);
    for hook in &source.handlers {
        let (Some(event), Some(matcher)) = (event(&hook.event), &hook.matcher) else {
            continue;
        };
        if !seen.insert(hook.group.start) {
            continue;
        }
        let place = places.of(hook.group.start);
        tell(Step::At(index, Some(place)));
        let findings = handler::matcher(event, matcher);
        let fixable = |finding: &Finding| Told::of(finding).fixed_by(source, hook, finding.edit.as_ref());
        let note = handler::offered_on_demand(event, matcher).map(|note| Told::of(&note).note());
        let found = findings.iter().map(fixable).chain(note);
        if !tell(Step::Found(found.map(|told| told.at(source, place)).collect())) {
            return false;
        }
    }
    true
}

/// What the hooks of all settings files do to each other.
fn together(session: &Session, surroundings: &Surroundings, told: &mut Vec<Told>) {
    // A plugin's are a source of their own to the client, and what never runs harms nobody.
    let in_force = session.handlers().filter(|(source, hook)| {
        !source.is_plugin() && session.never(source, hook).is_none() && hook.values.is_object()
    });
    let (mut places, mut handlers) = (Vec::new(), Vec::new());
    for (source, hook) in in_force {
        let handler = hook.values.as_object().and_then(|fields| as_handler(hook, fields));
        if let Some(handler) = handler {
            places.push((source, hook));
            handlers.push(handler);
        }
    }
    for pair in interplay::findings(&handlers, surroundings) {
        let ((source, hook), (other, beside)) = (places[pair.of], places[pair.other]);
        let found = Told::of(&pair.finding).fixed_by(source, hook, pair.finding.edit.as_ref());
        let found = found.at(source, hook.place);
        told.push(found.beside(&other.path, beside.place));
    }
}

/// What turns hooks off that are in no way at fault.
fn switches(session: &Session, told: &mut Vec<Told>) {
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
            Scope::Managed => "ask whoever manages this machine, who has set it",
            _ => "take it out, or change it, where they shall run",
        };
        let what = format!("`{}` turns hooks off", switch.key);
        told.push(Told::new(what, does, fix).at(source, switch.place));
    }
}
