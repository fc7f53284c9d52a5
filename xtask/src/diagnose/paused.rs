//! Installed hooks that are off for a while.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use hookkit_protocol::event::{Event, event};
use hookkit_protocol::output::PlainText;

use crate::binaries::sample::Sample;
use crate::binaries::trial::Trial;
use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::Handler;
use crate::diagnose::own::{Asked, Own};
use crate::settings::code::installed;
use crate::settings::finding::Finding;
use crate::settings::pause::{self, Pause};

impl<'s> Own<'s> {
    /// Reports a hook that is off.
    fn is_off(&self) -> Result<Option<Finding>> {
        let pause = pause::of(&self.place, &self.name)?.filter(|pause| !pause.is_over());
        Ok(pause.map(|pause| {
            let does = match pause.line {
                None => "Claude Code goes ahead without its answer",
                Some(_) => "it answers all other calls",
            };
            self.at(installed::hook_off(&self.name, pause, self.options(), does))
        }))
    }

    /// Returns the SHA-256 of each binary installed for the hook.
    fn fingerprints(&self) -> BTreeSet<String> {
        let known = self.records().filter_map(|record| record.binaries.get(&self.name));
        known.flatten().cloned().collect()
    }

    /// Turns the hook off for a while, on all its events in the session.
    ///
    /// # Errors
    ///
    /// Fails if its binary is not the installed one, or if the client needs the hook's result.
    pub(crate) fn turn_off(&self, session: &'s Session, pause: &Pause) -> Result<()> {
        let entries = session
            .handlers()
            .chain(session.handlers_of_agents())
            .filter(|(source, handler)| source.path == self.source.path && handler.command() == self.handler.command());
        let events: Vec<&Event> = entries.filter_map(|(_, handler): (_, &Handler)| event(&handler.event)).collect();
        ensure!(
            events.iter().all(|event| event.plain_text != PlainText::Path),
            "`{}` creates worktrees, which Claude Code cannot do without it; to remove it: cargo xtask uninstall{}",
            self.name,
            self.options()
        );
        let done = pause::begin(&self.place, &self.name, &self.fingerprints(), &events, pause);
        done.with_context(|| format!("turning off `{}`", self.name))
    }

    /// Turns the hook on. Returns `false` if it was already on.
    ///
    /// # Errors
    ///
    /// Fails if its binary is not the installed one.
    pub(crate) fn turn_on(&self) -> Result<bool> {
        let done = pause::end(&self.place, &self.name, &self.fingerprints());
        done.with_context(|| format!("turning on `{}`", self.name))
    }

    /// Returns the hook's name and its answer to a command line, like [`ask`](Own::ask), unless the hook is off for
    /// this line.
    pub(crate) fn ask_about(&self, line: &str, trial: &Trial, sample: &Sample) -> (&str, Asked) {
        let pause = pause::active(&self.place, &self.name);
        match pause.filter(|pause| pause.line.as_deref().is_none_or(|once| once == line)) {
            Some(pause) => (&self.name, Asked::Off(pause.to_string())),
            None => self.ask(trial, sample),
        }
    }
}

/// Reports hooks that are off, because the user may have forgotten them.
pub(crate) fn notes(own: &[Own<'_>]) -> Result<Vec<Finding>> {
    each_once(own).into_iter().filter_map(|own| own.is_off().transpose()).collect()
}

/// Returns one entry for each binary.
pub(crate) fn each_once<'s, 'o>(own: impl IntoIterator<Item = &'o Own<'s>>) -> Vec<&'o Own<'s>> {
    let mut each: Vec<&Own<'_>> = Vec::new();
    for own in own {
        if !each.iter().any(|known| known.is_at(&own.place) && known.name == own.name) {
            each.push(own);
        }
    }
    each
}
