//! The table of Factory's Droid.

use super::{
    ASK_DENIES, ASK_RUNS, Agent, BLOCK, CONTEXT, DENY_CALL, EDITED, Effect, FEEDBACK, Failures, HookFile, OPEN, OUTPUT,
    Part, SETTINGS, STOP, STOP_DENIES, Said, Servers, WRITTEN, event, tool,
};

/// Droid. It reads hooks from its settings file if the `hooks.json` next to it has none.
pub const DROID: Agent = Agent {
    id: "droid",
    name: "Droid",
    seen: ["@factory/cli", "0.225.2", "2026-11-29"],
    file: HookFile {
        path: ".factory/settings.json",
        read: ".factory/settings.json",
        instead: Some(".factory/hooks.json"),
        strict: true,
        root: "$(git rev-parse --show-toplevel)",
        ..SETTINGS
    },
    program: "droid",
    server: None,
    trust: "Droid runs the hooks from the next session on, without asking for trust.",
    failures: Failures { silent_exit_2: Effect::DeniedUnexplained, ..OPEN },
    events: &[
        event("PreToolUse", &[DENY_CALL, ASK_DENIES, (Part::Rewrite, Said::As(".updatedInput=$")), STOP_DENIES]),
        event("PostToolUse", &[FEEDBACK, CONTEXT, STOP]),
        event("SessionStart", &[CONTEXT]),
        event("Stop", &[BLOCK]),
        event("SessionEnd", &[]),
    ],
    tools: &[
        tool(&["Bash"], "Execute", "Execute.command", "", OUTPUT),
        tool(&["Read"], "Read", "Read.file_path", "", ""),
        tool(&["Write"], "Create", "Create.content", "", WRITTEN),
        tool(&["Edit"], "Edit", "Edit.new_str", "old_str=old_string new_str=new_string", EDITED),
        tool(&["Agent"], "Task", "Task.prompt", "", ""),
    ],
    mcp: Some(Servers { before: "", between: "___", server: "" }),
    looks_around: false,
    loops: true,
    blocks_by_code: true,
    output: "tool_response",
    limits: &[
        "a prompt raises no event in `droid exec`; other sessions were not observed",
        "a failed command raises no event",
        ASK_RUNS,
        "hooks in `.factory/hooks.json` replace the hooks in the settings next to it",
        "tools without a row (`LS`, `Grep`, `Glob`) keep their names and keys",
        "a block after a tool is a text for the model: the tool's output stays",
        "the response of every tool except `Bash`, `Write` and `Edit` is in Droid's form; the response of `Bash` ends \
         with a line about the exit code",
    ],
};
