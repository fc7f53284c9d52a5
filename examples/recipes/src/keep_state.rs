//! Keep state between runs.

// ANCHOR: hook
use hookkit::prelude::*;
use hookkit::state::States;
use serde::{Deserialize, Serialize};

/// The last command of the session, and how many times it came in a row.
#[derive(Default, Serialize, Deserialize)]
struct Last {
    command: String,
    times: u32,
}

/// Denies a command that is called for the fourth time in a row.
#[hook(PreToolUse, timeout = 5)]
pub fn no_fourth_time(call: PreToolUse<tool::Bash>, states: States) -> Result<PreToolUseAnswer, Error> {
    let times = states.of_session::<Last>("recipes no-fourth-time")?.update(|last| {
        if last.command != call.input.command {
            *last = Last {
                command: call.input.command,
                times: 0,
            };
        }
        last.times += 1;
        last.times
    })?;
    if times < 4 {
        return Ok(PreToolUseAnswer::pass());
    }
    Ok(PreToolUseAnswer::deny(
        "this command ran three times in a row: its result will not change, so try something else",
    ))
}
// ANCHOR_END: hook

// ANCHOR: test
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fourth_time_in_a_row_is_denied() -> Result<(), Error> {
        let folder = tempfile::tempdir()?;
        let is_denied = |command: &str| {
            let call = PreToolUse::new("Bash", tool::Bash::new(command));
            let states = States::new(folder.path(), &Context::default());
            Ok::<_, Error>(no_fourth_time(call, states)? != PreToolUseAnswer::pass())
        };
        for _ in 0..3 {
            assert!(!is_denied("make")?);
        }
        assert!(is_denied("make")?);
        assert!(!is_denied("ls")?);
        assert!(!is_denied("make")?);
        Ok(())
    }
}
// ANCHOR_END: test
