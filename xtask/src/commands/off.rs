//! `cargo xtask off` and `on`: turn a hook off for a while, and on again. `allow-once`: lets a command run once that hooks
//! deny or ask about.

use std::env;
use std::time::Duration;

use hookkit_verdict::{Action, Verdict};

use crate::binaries::sample;
use crate::binaries::trial::{Trial, reason};
use crate::commands::prelude::*;
use crate::diagnose::active::outcome::{Outcome, Subject};
use crate::diagnose::active::session::Session;
use crate::diagnose::own::{self, Asked, Own};
use crate::diagnose::paused::each_once;
use crate::settings::folders::Folders;
use crate::settings::pause::{LONGEST, Pause};
use crate::settings::scope::Target;
use crate::terminal::{joined, meant, person, program};

#[derive(Args)]
#[command(
    after_help = "Only a person can do this, in a terminal: it asks for a code. `cargo xtask on HOOK` turns the \
                        hook on again.

Example: cargo xtask off deny-destruction --for 5m"
)]
pub(crate) struct Off {
    /// The hook's name, as in `cargo xtask list`
    hook: String,
    /// The time, at most 12h: 90s, 10m, 2h
    #[arg(long = "for", value_name = "TIME", default_value = "10m", value_parser = span)]
    span: Duration,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    format: Format,
}

#[derive(Args)]
pub(crate) struct On {
    /// The hook's name, as in `cargo xtask list`
    hook: String,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    format: Format,
}

/// Parses the duration of a pause.
fn span(text: &str) -> Result<Duration, String> {
    let is_plain = text.ends_with(['s', 'm', 'h']) && !text.contains(' ');
    let span =
        humantime::parse_duration(text).ok().filter(|_| is_plain).ok_or("it is not a time such as 90s, 10m or 2h")?;
    match span {
        _ if span < Duration::from_secs(1) => Err("a hook is off for at least 1s".to_owned()),
        _ if span > LONGEST => Err("a hook is off for at most 12h; to remove it: cargo xtask uninstall".to_owned()),
        _ => Ok(span),
    }
}

pub(crate) fn off(options: &Off) -> Result<Done> {
    let (name, target) = (&options.hook, &options.target);
    let folders = target.folders()?;
    let session = Session::of(&folders);
    let own = own(&session, &folders);
    let found = named(name, &own, target)?;
    let pause = || Pause::new(options.span, None);
    person::confirm(&format!(
        "`{name}` will be {}: what it denies goes ahead, in all sessions that have it.",
        pause()
    ))?;
    let pause = pause();
    let rows = turn_off(&found, &session, &pause)?;
    let text =
        format!("`{name}` is {pause}, in {}.\nTo turn it on again: {}", files(&found), typed(&["on", name], target));
    options.format.print(text, &rows)
}

pub(crate) fn on(options: &On) -> Result<Done> {
    let name = &options.hook;
    let folders = options.target.folders()?;
    let session = Session::of(&folders);
    let own = own(&session, &folders);
    let found = named(name, &own, &options.target)?;
    let mut rows = Vec::new();
    for own in &found {
        let was_off = own.turn_on()?;
        rows.push(hook_row(own, "was_off", was_off.into()));
    }
    let state = if rows.iter().any(|row| row["was_off"] == true) { "is on again" } else { "was on" };
    let text = format!("`{name}` {state}, in {}.", files(&found));
    options.format.print(text, &rows)
}

/// Returns the session's installed hooks, and those in other agents' files.
fn own<'s>(session: &'s Session, folders: &Folders) -> Vec<Own<'s>> {
    let mut own = own::find(session, folders.project.as_deref());
    own.extend(own::of_agents(session));
    own
}

/// Returns the installed hooks with this name, in the settings selected by the options.
fn named<'o, 's>(name: &str, own: &'o [Own<'s>], target: &Target) -> Result<Vec<&'o Own<'s>>> {
    let here = || own.iter().filter(|own| target.has(&own.source.scope));
    let found = each_once(here().filter(|own| own.name == name));
    let others = each_once(here());
    let runs_it = |own: &&Own<'_>| own.functions().iter().any(|(member, _)| *member == name);
    if let (true, Some(order)) = (found.is_empty(), here().find(runs_it)) {
        bail!("`{name}` runs in the order `{0}`; use that name: {0}", order.name);
    }
    ensure!(
        !found.is_empty(),
        "hookkit has not installed a hook `{name}` in these settings; {}",
        meant(name, others.iter().map(|own| &*own.name))
    );
    Ok(found)
}

/// Returns a command as the user would type it, with the options that were given.
pub(crate) fn typed(words: &[&str], target: &Target) -> String {
    let program = program();
    let words = joined(words.iter().map(quoted), " ");
    format!("{program} {words}{}", target.typed())
}

/// Returns the names of the hooks' settings files, for a sentence.
fn files(own: &[&Own<'_>]) -> String {
    joined(own.iter().map(|own| shown(&own.source.path)), " and ")
}

/// Turns hooks off for a while. Returns their rows.
fn turn_off(found: &[&Own<'_>], session: &Session, pause: &Pause) -> Result<Vec<Value>> {
    for own in found {
        own.turn_off(session, pause)?;
    }
    Ok(found.iter().map(|own| hook_row(own, "off", pause.members())).collect())
}

fn hook_row(own: &Own<'_>, member: &str, value: Value) -> Value {
    let file = own.source.path.display().to_string();
    row("hook", json!({"name": own.name, "file": file, member: value}))
}

#[derive(Args)]
#[command(after_help = "\
Only a person can do this, in a terminal: it asks for a code. The command has to be the same, byte for byte.

Example: cargo xtask allow-once 'git push --force origin topic'")]
pub(crate) struct AllowOnce {
    /// The command line, as the Bash tool gets it
    line: String,
    /// The time in which the command may run, at most 12h: 90s, 10m, 2h
    #[arg(long = "for", value_name = "TIME", default_value = "10m", value_parser = span)]
    span: Duration,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn allow_once(options: &AllowOnce) -> Result<Done> {
    let line = &options.line;
    let folders = options.target.folders()?;
    let session = Session::of(&folders);
    let own = own::find(&session, folders.project.as_deref());

    let project = folders.project.map_or_else(env::current_dir, Ok)?;
    let trial = Trial::within(&project)?;
    let sample = sample::of_line(line, &trial.project)?;
    let (mut stopping, mut unknown) = (Vec::new(), 0);
    for outcome in session.outcomes(&Subject::parse("PreToolUse:Bash")?) {
        if !matches!(outcome.outcome, Outcome::Runs(_)) {
            continue;
        }
        let is_it = |own: &&Own<'_>| own.is_of(outcome.handler) && options.target.has(&own.source.scope);
        let Some(own) = own.iter().find(is_it) else {
            unknown += 1;
            continue;
        };
        match own.ask(&trial, &sample) {
            (name, Asked::Answered(verdict, _)) if matches!(verdict.action, Action::Denied | Action::Asked) => {
                inform!("{name} {}", said(&verdict));
                stopping.push(own);
            }
            (name, Asked::NotStarted(why)) => inform!("note: {name} was not run: {why}"),
            _ => {}
        }
    }
    if unknown > 0 {
        inform!("note: other hooks were not run, since hookkit has not installed them ({unknown})");
    }
    let stopping = each_once(stopping);
    if stopping.is_empty() {
        let text = "No hook of hookkit stops this command, so nothing was changed.";
        return options.format.print(text, &[]);
    }
    let pause = || Pause::new(options.span, Some(line));
    let names = joined(stopping.iter().map(|own| format!("`{}`", own.name)), " and ");
    person::confirm(&format!("{names} will be {}.", pause()))?;
    let pause = pause();
    let rows = turn_off(&stopping, &session, &pause)?;
    let end = joined(stopping.iter().map(|own| typed(&["on", &own.name], &options.target)), " && ");
    let text = format!("{names}: {pause}.\nTo end it now: {end}");
    options.format.print(text, &rows)
}

/// Returns the answer of a hook that denies or asks about a command.
fn said(verdict: &Verdict) -> String {
    let does = match verdict.action {
        Action::Asked => "asks about it",
        _ => "denies it",
    };
    let reason = reason(verdict).map(|reason| format!(": {}", one_line(reason)));
    format!("{does}{}", reason.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_with_a_unit_up_to_twelve_hours() {
        for (text, seconds) in [("90s", 90), ("10m", 600), ("2h", 7200), ("1h30m", 5400), ("12h", 43_200)] {
            assert_eq!(span(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["", "10", "0s", "500ms", "1d", "13h", "721m", "-5m", "5 m", "forever"] {
            assert!(span(text).is_err(), "{text}");
        }
    }
}
