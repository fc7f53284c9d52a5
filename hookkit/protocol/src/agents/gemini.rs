//! The table of Gemini CLI.

use super::{
    Agent, BLOCK, CONTEXT, EDITED, Effect, FEEDBACK, Failures, HookFile, MESSAGE, OPEN, OUTPUT, OnEvent, Part, STOP,
    Said, Servers, WRITTEN, event, tool,
};

/// Gemini CLI. Its events have names of its own, and a denial is on top of an answer.
pub const GEMINI: Agent = Agent {
    id: "gemini",
    name: "Gemini",
    seen: ["@google/gemini-cli", "0.61.0", "2026-11-29"],
    file: HookFile {
        project: ".gemini/settings.json",
        read: ".gemini/settings.json",
        also: &[],
        head: "",
        instead: None,
        comments: true,
        strict: false,
        keys: &[],
        root: "$GEMINI_PROJECT_DIR",
        units: 1000,
    },
    program: "gemini",
    server: None,
    trust: "Gemini runs them in a folder that you trust: start `gemini` in the project and trust the folder, or set \
            `GEMINI_CLI_TRUST_WORKSPACE=true`. With `--skip-trust` it skips them without a word.",
    failures: Failures {
        missing: Effect::Denied,
        ..OPEN
    },
    events: &[
        on(
            "PreToolUse",
            "BeforeTool",
            &[
                BLOCK,
                (Part::Ask, Said::Denied),
                (Part::Rewrite, Said::As(".tool_input=$")),
                MESSAGE,
                STOP,
            ],
        ),
        on(
            "PostToolUse",
            "AfterTool",
            &[
                FEEDBACK,
                (Part::Output, Said::As("decision=block reason=$")),
                CONTEXT,
                MESSAGE,
                STOP,
            ],
        ),
        on("UserPromptSubmit", "BeforeAgent", &[BLOCK, CONTEXT, STOP]),
        on("SessionStart", "SessionStart", &[CONTEXT, MESSAGE]),
        OnEvent {
            words: "exit=other",
            ..event("SessionEnd", &[])
        },
        on("Stop", "AfterAgent", &[BLOCK]),
    ],
    tools: &[
        tool(&["Bash"], "run_shell_command", "run_shell_command.command", "", OUTPUT),
        tool(&["Read"], "read_file", "read_file.file_path", "", ""),
        tool(&["Write"], "write_file", "write_file.content", "", WRITTEN),
        tool(&["Edit"], "replace", "replace.new_string", "", EDITED),
        tool(&["Grep"], "grep_search", "grep_search.pattern", "", ""),
        tool(&["Glob"], "glob", "glob.pattern", "", ""),
        tool(
            &["Agent"],
            "invoke_agent",
            "invoke_agent.prompt",
            "agent_name=subagent_type",
            "",
        ),
    ],
    mcp: Some(Servers {
        before: "mcp_",
        between: "_",
        server: "mcp_context.server_name",
    }),
    looks_around: true,
    loops: true,
    output: "tool_response.returnDisplay",
    limits: &[
        "it reads the file only in a session that is started in the project's root",
        "a question would hang a session without a user (`-p`), so that it denies",
        "another output is an error for the model, with the text as its message",
        "a block after a tool is a text for the model: its output stays",
        "a call that fails is one of PostToolUse",
        "its other tools have no rows: `read_many_files` (which `@` in a prompt calls), `web_fetch`",
        "a compaction was not seen: Gemini announces one before every request of the model",
        "a request for a permission and a notification were not seen",
        "the response of a tool but `Bash`, `Write` and `Edit` is Gemini's",
    ],
};

/// Returns an event with Gemini's own name for it.
const fn on(name: &'static str, own: &'static str, says: &'static [(Part, Said)]) -> OnEvent {
    OnEvent {
        own,
        ..event(name, says)
    }
}
