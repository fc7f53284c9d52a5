//! MCP tools that write.

// ANCHOR: hook
use hookkit::prelude::*;
use hookkit::tool::mcp_name;
use serde::{Deserialize, Serialize};

/// The configuration.
#[derive(Serialize, Deserialize)]
pub struct Verbs {
    /// Words in tool names that mean writing.
    write: Vec<String>,
}

impl Default for Verbs {
    fn default() -> Self {
        let write = "add apply archive close create delete deploy edit execute insert invite merge move post publish push \
                     put remove rename revoke run send set submit transfer update upload write";
        Self {
            write: write.split_whitespace().map(str::to_owned).collect(),
        }
    }
}

/// Asks the user before running an MCP tool whose name contains a verb of writing.
#[hook(PreToolUse, matcher = "mcp__.*", timeout = 5)]
pub fn ask_before_writing(call: PreToolUse, verbs: Config<Verbs>) -> PreToolUseAnswer {
    let Some((server, tool)) = mcp_name(&call.tool_name) else {
        return PreToolUseAnswer::pass();
    };
    match words(tool).into_iter().find(|word| verbs.write.contains(word)) {
        Some(word) => PreToolUseAnswer::ask(format!("`{tool}` of the server `{server}` may write ({word})")),
        None => PreToolUseAnswer::pass(),
    }
}

/// Returns the words of a name in lowercase: `create` and `issue` of `create_issue`, `create-issue` and `createIssue`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for char in name.chars() {
        if char.is_uppercase() || !char.is_alphanumeric() {
            words.push(String::new());
        }
        if char.is_alphanumeric() {
            words.last_mut().expect("there is one").extend(char.to_lowercase());
        }
    }
    words
}
// ANCHOR_END: hook

// ANCHOR: test
#[cfg(test)]
mod tests {
    use hookkit::Hook;
    use hookkit::testing::{self, Verdict};

    use super::*;

    fn run(tool: &str) -> Result<Verdict, Error> {
        let call = PreToolUse::new(tool, Json::parse("{}")?);
        Ok(testing::run(ask_before_writing::DEF, &call))
    }

    #[test]
    fn a_tool_with_a_word_for_writing_is_asked_about() -> Result<(), Error> {
        for tool in [
            "mcp__github__create_issue", "mcp__jira__editIssue", "mcp__db__query-and-update",
        ] {
            run(tool)?.assert_asked("may write");
        }
        for tool in [
            "mcp__github__list_issues", "mcp__db__get_updates", "mcp__github__createdBy",
        ] {
            run(tool)?.assert_passed();
        }
        run("Write")?.assert_passed();
        Ok(())
    }
}
// ANCHOR_END: test
