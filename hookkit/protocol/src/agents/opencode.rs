//! The table of OpenCode.

use super::{
    ASK_DENIES, Agent, Basis, EDITED, EXIT_2, Effect, Failures, Form, HookFile, Input, OUTPUT, Part, SETTINGS,
    STOP_DENIES, Said, Servers, Tool, WRITTEN, on, tool,
};

/// OpenCode. It has no hooks: a plugin that hookkit writes starts them and obeys their answers.
pub const OPENCODE: Agent = Agent {
    id: "opencode",
    name: "OpenCode",
    seen: ["opencode-ai", "1.18.33", "2026-11-30"],
    file: HookFile {
        path: ".opencode/plugin/hookkit.js",
        read: ".opencode/plugin*/*",
        form: Form::Script,
        root: "$HOOKKIT_PROJECT_DIR",
        ..SETTINGS
    },
    program: "opencode",
    server: None,
    trust: "OpenCode runs the hooks from the next session on, without asking for trust.",
    failures: Failures {
        exit_2: Effect::Denied,
        silent_exit_2: Effect::DeniedUnexplained,
        exit_1: Effect::Denied,
        signal: Effect::DeniedUnexplained,
        missing: Effect::Denied,
        timeout: Effect::DeniedUnexplained,
        garbage: Effect::DeniedUnexplained,
    },
    events: &[
        on(
            "PreToolUse",
            "tool.execute.before",
            &[EXIT_2, ASK_DENIES, (Part::Rewrite, Said::As("args=$")), STOP_DENIES],
        ),
        on(
            "PostToolUse",
            "tool.execute.after",
            &[
                (Part::Deny, Said::As("context=$")),
                (Part::Output, Said::As("output=$")),
                (Part::Context, Said::As("context=$")),
            ],
        ),
    ],
    tools: &[
        tool(&["Bash"], "bash", "bash.command", "", OUTPUT),
        tool(&["Read"], "read", "read.filePath", "filePath=file_path", ""),
        Tool {
            matcher: "write|apply_patch",
            ..tool(&["Write"], "write", "write.content", "filePath=file_path", WRITTEN)
        },
        Tool {
            matcher: "edit|apply_patch",
            ..tool(
                &["Edit"],
                "edit",
                "edit.newString",
                "filePath=file_path oldString=old_string newString=new_string replaceAll=replace_all",
                EDITED,
            )
        },
        Tool {
            names: &["Edit", "Write"],
            own: "apply_patch",
            matcher: "",
            model: "apply_patch.patchText",
            basis: Basis::Played,
            input: Input::Patch("patchText"),
            response: "",
        },
        tool(&["Glob"], "glob", "glob.pattern", "", ""),
        tool(&["Grep"], "grep", "grep.pattern", "", ""),
        tool(&["Agent"], "task", "task.prompt", "", ""),
    ],
    mcp: Some(Servers { before: "", between: "_", server: "" }),
    looks_around: true,
    loops: false,
    blocks_by_code: true,
    output: "tool_response",
    limits: &[
        "a plugin cannot ask the user, so a question becomes a denial",
        "a plugin was not seen to control prompts, ends of turns or session events, so they have no rows",
        "hooks are called one after the other: a denial ends the sequence, and a changed input is passed on to the next hooks",
        "another plugin runs in the same process, and may change a call after the hooks",
        "some models (GPT) change files by patches: each patch becomes calls of `Write` or `Edit`, one for each of \
         its files",
        "a block after a tool is a text for the model: the tool's output stays",
        "the response of every tool except `Bash`, `Write` and `Edit` is its text",
        "a hook cannot read or change the output of an MCP server's tool",
        "its other tools have no rows: `webfetch`, `todowrite`, `skill`",
        "a tool of an MCP server is `SERVER_TOOL` there, and is read as `mcp__SERVER__TOOL` with the server up to the first `_`",
    ],
};
