//! One function for several events.

// ANCHOR: hook
use std::fs;
use std::io::ErrorKind;

use hookkit::prelude::*;

/// Gives the model the text of the file `FREEZE`: in a new session or subagent, and with prompts about a release.
#[hook(SessionStart | SubagentStart | UserPromptSubmit)]
pub fn code_freeze(event: AnyEvent, context: Context) -> Result<ContextAnswer, Error> {
    if let Some(submitted) = event.get::<UserPromptSubmit>()?
        && !submitted.prompt.contains("release")
    {
        return Ok(ContextAnswer::pass());
    }
    match fs::read_to_string(context.project_dir.join("FREEZE")) {
        Ok(text) => Ok(ContextAnswer::pass().with_context(format!("There is a code freeze: {}", text.trim()))),
        Err(err) if err.kind() == ErrorKind::NotFound => Ok(ContextAnswer::pass()),
        Err(err) => Err(Error::msg(format_args!("cannot read `FREEZE`: {err}"))),
    }
}
// ANCHOR_END: hook

// ANCHOR: test
#[cfg(test)]
mod tests {
    use hookkit::Hook;
    use hookkit::testing::Session;

    use super::*;

    #[test]
    fn the_model_reads_of_a_freeze() {
        let session = Session::new();
        let start = || session.run(code_freeze::DEF, &SessionStart::new("startup"));
        start().assert_passed();
        session.write("FREEZE", "until Monday");
        start().assert_model_reads("until Monday");
        let prompt = |text| session.run(code_freeze::DEF, &UserPromptSubmit::new(text));
        prompt("prepare the release").assert_model_reads("until Monday");
        prompt("explain main.rs").assert_passed();
    }
}
// ANCHOR_END: test
