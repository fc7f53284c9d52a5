//! A tool of an MCP server.

// ANCHOR: hook
use hookkit::prelude::*;
use serde::Deserialize;

/// The fields of the tool's input that the hook reads.
#[derive(Deserialize, ToolInput)]
#[tool(server = "github", name = "create_issue")]
pub struct CreateIssue {
    /// Owner of the repository.
    owner: String,
    /// Name of the repository.
    repo: String,
}

/// Asks the user before an issue is created in a repository that is not ours.
#[hook(PreToolUse, timeout = 5)]
pub fn ask_before_foreign_issue(call: PreToolUse<CreateIssue>) -> PreToolUseAnswer {
    let CreateIssue { owner, repo } = call.input;
    if owner == "acme" {
        return PreToolUseAnswer::pass();
    }
    PreToolUseAnswer::ask(format!("this creates a public issue in {owner}/{repo}"))
}
// ANCHOR_END: hook

// ANCHOR: test
#[cfg(test)]
mod tests {
    use hookkit::Hook;
    use hookkit::testing::{self, Verdict};

    use super::*;

    const TOOL: &str = "mcp__github__create_issue";

    fn run(tool: &str, input: &str) -> Result<Verdict, Error> {
        let call = PreToolUse::new(tool, Json::parse(input)?);
        Ok(testing::run(ask_before_foreign_issue::DEF, &call))
    }

    #[test]
    fn an_issue_of_another_owner_is_asked_about() -> Result<(), Error> {
        run(TOOL, r#"{"owner":"acme","repo":"app","title":"a"}"#)?.assert_passed();
        run(TOOL, r#"{"owner":"rust-lang","repo":"rust"}"#)?.assert_asked("rust-lang/rust");
        // The server has changed: the hook fails, and a hook on PreToolUse that fails denies.
        run(TOOL, r#"{"repository":"rust-lang/rust"}"#)?.assert_denied("owner");
        run("mcp__github__list_issues", "{}")?.assert_not_called();
        Ok(())
    }
}
// ANCHOR_END: test
