//! `cargo xtask allow-once`: lets a command run once that hooks deny or ask about.

use std::env;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use hookkit_verdict::{Action, Verdict};

use crate::binaries::sample;
use crate::binaries::trial::{Trial, reason};
use crate::commands::off::{span, turn_off, typed};
use crate::diagnose::active::outcome::{Outcome, Subject};
use crate::diagnose::active::session::Session;
use crate::diagnose::own::asked::Asked;
use crate::diagnose::own::{self, Own};
use crate::diagnose::paused::each_once;
use crate::settings::pause::Pause;
use crate::settings::scope::Target;
use crate::terminal::{Done, Format, inform, joined, one_line, person};

#[derive(Args)]
#[command(after_help = "\
Only a person can do this, in a terminal: it asks for a code. The command has to be the same, byte for byte.

Example: cargo xtask allow-once 'git push --force origin topic'")]
pub(crate) struct Options {
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

pub(crate) fn run(options: &Options) -> Result<Done> {
    let line = &options.line;
    let folders = options.target.folders()?;
    let session = Session::of(&folders);
    let own = own::find(&session, folders.project.as_deref());
    let own: Vec<&Own<'_>> = own.iter().filter(|own| options.target.has(&own.source.scope)).collect();
    let project = folders.project.map_or_else(env::current_dir, Ok)?;
    let trial = Trial::within(&project)?;
    let sample = sample::of_line(line, &trial.project)?;
    let (mut stopping, mut unknown) = (Vec::new(), 0);
    for outcome in session.outcomes(&Subject::parse("PreToolUse:Bash")?) {
        if !matches!(outcome.outcome, Outcome::Runs(_)) {
            continue;
        }
        let Some(own) = own.iter().find(|own| own.is_of(outcome.handler)) else {
            unknown += 1;
            continue;
        };
        match own.ask(&trial, &sample) {
            (name, Asked::Answered(verdict, _)) if matches!(verdict.action, Action::Denied | Action::Asked) => {
                inform!("{name} {}", said(&verdict));
                stopping.push(*own);
            }
            (name, Asked::NotStarted(why)) => inform!("note: {name} was not asked: {why}"),
            _ => {}
        }
    }
    if unknown > 0 {
        inform!("note: other hooks were not asked, since hookkit has not installed them ({unknown})");
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
