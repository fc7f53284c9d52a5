//! Regular expressions.

// ANCHOR: hook
use hookkit::prelude::*;
use regex_lite::Regex;

/// GitHub and AWS tokens.
const TOKEN: &str = r"\b(gh[pousr]_[A-Za-z0-9]{36,}|AKIA[A-Z0-9]{16})\b";

/// Denies commands that contain a token.
#[hook(PreToolUse, timeout = 5)]
pub fn no_tokens(call: PreToolUse<tool::Bash>) -> Result<PreToolUseAnswer, Error> {
    let token = Regex::new(TOKEN).map_err(Error::msg)?;
    Ok(match token.is_match(&call.input.command) {
        true => PreToolUseAnswer::deny("the command contains a token: use a variable that holds it"),
        false => PreToolUseAnswer::pass(),
    })
}
// ANCHOR_END: hook

// ANCHOR: test
#[cfg(test)]
mod tests {
    use hookkit::Hook;
    use hookkit::testing::{self, Verdict};

    use super::*;

    fn run(command: &str) -> Verdict {
        testing::run(no_tokens::DEF, &PreToolUse::new("Bash", tool::Bash::new(command)))
    }

    #[test]
    fn a_token_is_denied() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        run(&format!("curl -H 'Authorization: Bearer {token}' localhost")).assert_denied("a variable");
        run("curl -H \"Authorization: Bearer $TOKEN\" localhost").assert_passed();
        run("echo ghp_short").assert_passed();
    }
}
// ANCHOR_END: test
