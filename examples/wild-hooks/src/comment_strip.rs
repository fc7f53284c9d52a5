//! After yurukusa/claude-code-hooks, `hooks/comment-strip.sh`.

use hookkit::prelude::*;

/// Removes the comments at the top of a command, so that the user's permission rules match the command itself.
///
/// Later lines stay: a line with a `#` may be part of a here-document or a string.
#[hook(PreToolUse)]
pub fn comment_strip(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer<tool::Bash> {
    let mut input = call.input;
    let is_comment = |line: &&str| line.trim_start().starts_with('#') || line.trim().is_empty();
    let comments = input.command.split_inclusive('\n').take_while(is_comment);
    let comments: usize = comments.map(str::len).sum();
    if comments == 0 || comments == input.command.len() {
        return PreToolUseAnswer::pass();
    }
    input.command.drain(..comments);
    PreToolUseAnswer::pass().with_updated_input(input)
}

#[cfg(test)]
mod tests {
    use hookkit::Hook;
    use hookkit::testing::{self, Verdict};

    use super::*;

    fn input(command: &str) -> tool::Bash {
        let mut input = tool::Bash::new(command);
        input.description = Some("Look".to_owned());
        input
    }

    fn run(command: &str) -> Verdict {
        testing::run(comment_strip::DEF, &PreToolUse::new("Bash", input(command)))
    }

    #[test]
    fn comments_at_the_top_are_removed_and_the_other_fields_stay() {
        run("# Look at it\n\ngit diff # now\n# done").assert_updated_input(&input("git diff # now\n# done"));
    }

    #[test]
    fn any_other_text_is_unchanged() {
        for command in ["git diff", "cat <<'EOF'\n# a title\nEOF", "# nothing else\n", ""] {
            run(command).assert_passed();
        }
    }
}
