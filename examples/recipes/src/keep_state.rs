//! Keep state between runs.

// ANCHOR: hook
use hookkit::prelude::*;
use hookkit::state::States;
use serde::{Deserialize, Serialize};

/// The last command of the session, and the number of times that it ran in a row.
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
    use hookkit::Hook;
    use hookkit::testing::Session;

    use super::*;

    #[test]
    fn the_fourth_time_in_a_row_is_denied() {
        let session = Session::new();
        let run = |command| session.run(no_fourth_time::DEF, &PreToolUse::new("Bash", tool::Bash::new(command)));
        for _ in 0..3 {
            run("make").assert_passed();
        }
        run("make").assert_denied("this command ran three times in a row");
        run("ls").assert_passed();
        run("make").assert_passed();
    }
}
// ANCHOR_END: test
