//! The table of Gemini CLI.

use super::{
    ASK_DENIES, Agent, BLOCK, CONTEXT, EDITED, Effect, FEEDBACK, Failures, HookFile, IN_ROOT, MESSAGE, OPEN, OUTPUT,
    OnEvent, Part, SETTINGS, STOP, Said, Servers, Tool, WRITTEN, event, on, tool,
};

/// Gemini CLI. Its events have names of their own, and a denial is at the top level of an answer.
pub const GEMINI: Agent = Agent {
    id: "gemini",
    name: "Gemini",
    seen: ["@google/gemini-cli", "0.61.0", "2026-11-29"],
    file: HookFile {
        path: ".gemini/settings.json",
        read: ".gemini/settings.json",
        root: "$GEMINI_PROJECT_DIR",
        units: 1000,
        ..SETTINGS
    },
    program: "gemini",
    server: None,
    trust: "Gemini runs hooks in a folder that you trust: start `gemini` in the project and trust the folder, or set \
            `GEMINI_CLI_TRUST_WORKSPACE=true`. With `--skip-trust` it silently skips them.",
    failures: Failures { missing: Effect::Denied, ..OPEN },
    events: &[
        on("PreToolUse", "BeforeTool", &[BLOCK, ASK_DENIES, (Part::Rewrite, Said::As(".tool_input=$")), MESSAGE, STOP]),
        on(
            "PostToolUse",
            "AfterTool",
            &[FEEDBACK, (Part::Output, Said::As("decision=block reason=$")), CONTEXT, MESSAGE, STOP],
        ),
        on("UserPromptSubmit", "BeforeAgent", &[BLOCK, CONTEXT, STOP]),
        on("SessionStart", "SessionStart", &[CONTEXT, MESSAGE]),
        OnEvent { words: "exit=other", ..event("SessionEnd", &[]) },
        on("Stop", "AfterAgent", &[BLOCK]),
    ],
    tools: &[
        BASH,
        READ,
        WRITE,
        tool(&["Edit"], "replace", "replace.new_string", "", EDITED),
        GREP,
        GLOB,
        tool(&["Agent"], "invoke_agent", "invoke_agent.prompt", "agent_name=subagent_type", ""),
    ],
    mcp: Some(Servers { before: "mcp_", between: "_", server: "mcp_context.server_name" }),
    looks_around: true,
    loops: true,
    blocks_by_code: true,
    output: SHOWN,
    limits: &[
        IN_ROOT,
        "a question would hang a session without a user (`-p`), so it becomes a denial",
        "a changed output reaches the model as an error whose message is the new text",
        "a block after a tool is a text for the model: the tool's output stays",
        "a failed call raises PostToolUse",
        "its other tools have no rows: `read_many_files` (which `@` in a prompt calls), `web_fetch`",
        "a compaction was not observed: Gemini announces one before every request of the model",
        "permission requests and notifications were not observed",
        "the response of every tool except `Bash`, `Write` and `Edit` is in Gemini's form",
    ],
};

// The rows of Qwen, too, which is a fork.
pub(super) const BASH: Tool = tool(&["Bash"], "run_shell_command", "run_shell_command.command", "", OUTPUT);
pub(super) const READ: Tool = tool(&["Read"], "read_file", "read_file.file_path", "", "");
pub(super) const WRITE: Tool = tool(&["Write"], "write_file", "write_file.content", "", WRITTEN);
pub(super) const GREP: Tool = tool(&["Grep"], "grep_search", "grep_search.pattern", "", "");
pub(super) const GLOB: Tool = tool(&["Glob"], "glob", "glob.pattern", "", "");
pub(super) const SHOWN: &str = "tool_response.returnDisplay";
