//! An installed hook that is asked about an event, without a session.

use hookkit_protocol::hook::Mode;
use hookkit_verdict::Verdict;

use crate::binaries::sample::Sample;
use crate::binaries::trial::{Trial, Tried};
use crate::diagnose::own::binary::Installed;

/// The answer of a hook.
pub(crate) enum Asked {
    /// Claude Code's reaction, and the reason if the hook failed.
    Answered(Box<Verdict>, Option<String>),
    /// Claude Code goes on without its answer.
    NotAwaited,
    /// It is off for a while: for how long.
    Off(String),
    /// It is not started, for this reason.
    NotStarted(String),
}

impl Asked {
    /// Runs a hook on an event.
    ///
    /// Only a binary that this machine has installed, and that no other user can change, is started.
    pub(super) fn of(
        installed: Option<&Installed>,
        tried: &Tried<'_>,
        blocks: bool,
        trial: &Trial,
        sample: &Sample,
    ) -> Self {
        if tried.mode != Mode::Awaited {
            return Self::NotAwaited;
        }
        let Some(program) = installed else {
            return Self::NotStarted("this machine has not installed its binary".to_owned());
        };
        if !program.is_executable() || !program.is_users_alone() {
            let why = "others can change its binary, or it cannot be run; `cargo xtask doctor` says more";
            return Self::NotStarted(why.to_owned());
        }
        let ran = match trial.run(tried, &program.path(), sample) {
            Ok((ran, _)) => ran,
            Err(error) => return Self::NotStarted(format!("{error:#}")),
        };
        let ran = ran.blocks_in_settings(blocks);
        let failed = ran.failure().map(|(_, why)| why);
        Self::Answered(Box::new(Verdict::of(sample.event, &ran)), failed)
    }
}
