//! Runs an installed hook on an event, without a session.

use anyhow::{Context, Result, ensure};
use hookkit_protocol::hook::Mode;
use hookkit_verdict::Verdict;

use super::Own;
use crate::binaries::sample::Sample;
use crate::binaries::trial::Trial;

/// The answer of a hook.
pub(crate) enum Asked {
    /// Claude Code's reaction, and the reason for a failure.
    Answered(Box<Verdict>, Option<String>),
    /// Claude Code does not wait for the answer.
    NotAwaited,
    /// The hook is off for this period.
    Off(String),
    /// The hook is not started, for this reason.
    NotStarted(String),
}

impl Own<'_> {
    /// Returns the hook's name and its answer to an event. A hook that is off is also asked.
    pub(crate) fn ask(&self, trial: &Trial, sample: &Sample) -> (&str, Asked) {
        let asked = self.asked(trial, sample);
        let asked = asked.unwrap_or_else(|error| Asked::NotStarted(format!("{error:#}")));
        (&self.name, asked)
    }

    /// Runs the hook on an event.
    ///
    /// The binary is started only if this machine has installed it and no other user can change it.
    fn asked(&self, trial: &Trial, sample: &Sample) -> Result<Asked> {
        let (tried, program) = (self.tried(), self.installed()?);
        if tried.mode != Mode::Awaited {
            return Ok(Asked::NotAwaited);
        }
        let program = program.context("this machine has not installed its binary")?;
        ensure!(
            program.is_executable() && program.is_users_alone(),
            "others can change its binary, or it cannot be run; see `cargo xtask doctor`"
        );
        let (ran, _) = trial.run(&tried, &program.path(), sample)?;
        let ran = ran.blocks_in_settings(self.handler.values["onFailure"] == "block");
        let failed = ran.failure().map(|(_, why)| why);
        Ok(Asked::Answered(Box::new(Verdict::of(sample.event, &ran)), failed))
    }
}
