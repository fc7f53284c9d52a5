//! After anthropics/claude-plugins-official, `plugins/ralph-loop/hooks/stop-hook.sh`.

use hookkit::config_file::ConfigFile;
use hookkit::prelude::*;

/// Feeds a prompt back at each end of a turn, until the model writes the promised phrase or no turns are left.
///
/// `.claude/ralph-loop.local.md` starts the loop, and is removed at its end. Below the two lines is the prompt:
///
/// ```text
/// turns: 10
/// promise: ALL TESTS PASS
/// ```
#[hook(Stop, timeout = 5)]
pub fn ralph_loop(stop: Stop, context: Context) -> Result<StopAnswer, Error> {
    let file = ConfigFile::in_project(&context, ".claude/ralph-loop.local.md");
    let Some(text) = file.text()? else {
        return Ok(StopAnswer::pass());
    };
    let Some((turns, promise, prompt)) = parts(&text) else {
        let path = file.path();
        return Err(Error::msg(format_args!(
            "`{}` has no `turns: NUMBER` and `promise: TEXT`",
            path.display()
        )));
    };
    if turns == 0 || stop.last_message().is_some_and(|reply| reply.contains(promise)) {
        file.remove()?;
        return Ok(StopAnswer::pass().with_system_message("the loop has ended"));
    }
    let left = turns - 1;
    file.update(|text| *text = text.replacen(&format!("turns: {turns}"), &format!("turns: {left}"), 1))?;
    Ok(StopAnswer::block(prompt).with_system_message(format!("{left} turns are left")))
}

/// Returns the number of turns, the promised phrase and the prompt.
fn parts(text: &str) -> Option<(u32, &str, &str)> {
    let (turns, rest) = text.strip_prefix("turns: ")?.split_once('\n')?;
    let (promise, prompt) = rest.strip_prefix("promise: ")?.split_once('\n')?;
    Some((turns.trim().parse().ok()?, promise.trim(), prompt.trim())).filter(|parts| !parts.1.is_empty())
}

#[cfg(test)]
mod tests {
    use hookkit::Hook;
    use hookkit::testing::{self, Verdict};

    use super::*;

    fn run(context: &Context, reply: &str) -> Verdict {
        let mut stop = Stop::new(false);
        stop.last_assistant_message = Some(reply.to_owned());
        testing::run_in(context, ralph_loop::DEF, &stop)
    }

    #[test]
    fn the_prompt_comes_back_until_the_promise_or_the_last_turn() -> Result<(), Error> {
        let project = tempfile::tempdir()?;
        let mut context = Context::default();
        (context.cwd, context.project_dir) = (project.path().to_owned(), project.path().to_owned());
        let file = ConfigFile::in_project(&context, ".claude/ralph-loop.local.md");
        let start = |turns: u32| file.update(|text| *text = format!("turns: {turns}\npromise: ALL DONE\n\nGo on\n"));
        run(&context, "I am done.").assert_passed();
        start(10)?;
        run(&context, "I am done.").assert_kept_going("Go on");
        assert_eq!(file.text()?.as_deref(), Some("turns: 9\npromise: ALL DONE\n\nGo on\n"));
        run(&context, "ALL DONE.").assert_user_sees("the loop has ended");
        assert_eq!(file.text()?, None);
        start(1)?;
        run(&context, "").assert_kept_going("Go on");
        run(&context, "").assert_user_sees("the loop has ended");
        run(&context, "").assert_passed();
        file.update(|text| *text = "turns: many\n".to_owned())?;
        run(&context, "").assert_user_sees("has no `turns: NUMBER` and `promise: TEXT`");
        Ok(())
    }
}
