//! The answers to a shell command of a skill.

use super::meaning::{Decision, Meaning, Member, Value};
use super::{Answer, PreToolUseAnswer, TerminalSequence, Text};
use crate::event::PreSkillShellCommand;
use crate::{Error, OnFailure, Payload, Response};

answer! {
    /// The answer to [`PreSkillShellCommand`].
    ///
    /// There is no `allow`: the client checks the skill's permissions first, and ignores an `allow`. There is no `ask`
    /// and no changed input: with either, the command does not run, and the client gives its own reason.
    PreSkillShellCommandAnswer;

    /// Runs the command.
    pass();
    /// Keeps the command from running. The model reads the reason in place of the command's output, and the user reads
    /// it, too. Other commands of the skill run.
    ///
    /// The model and the user read only the first 500 characters.
    deny(reason);
    /// Drops the skill: its commands do not run, and the model does not read it (`continue: false`). The user reads the
    /// reason, and the model reads it with the next prompt.
    stop(reason);
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

impl Answer<PreSkillShellCommand> for PreSkillShellCommandAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Block;

    fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error> {
        self.meaning.response::<PreSkillShellCommand>(payload)
    }

    fn denial(&self) -> Option<&str> {
        self.meaning.denial::<PreSkillShellCommand>()
    }
}

/// The answer of a hook on both events. A skill cannot wait for the user: `ask` and `defer` keep the command from
/// running, and `allow` leaves it to the permissions of the skill. A context is omitted, since the model would not read
/// it.
impl Answer<PreSkillShellCommand> for PreToolUseAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Block;

    fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error> {
        let mut meaning = self.into_meaning();
        if meaning.is(&Decision::ALLOW) {
            meaning.take_decision();
        }
        meaning.context = None;
        meaning.response::<PreSkillShellCommand>(payload)
    }

    fn denial(&self) -> Option<&str> {
        self.meaning().denial::<PreSkillShellCommand>()
    }
}
