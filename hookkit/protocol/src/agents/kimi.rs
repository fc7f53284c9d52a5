//! The table of Kimi Code.

use super::{
    ASK_DENIES, ASK_RUNS, Agent, DENY_CALL, EXIT_2, Effect, Failures, Form, HookFile, OPEN, OnEvent, Part, SETTINGS,
    STOP_DENIES, Said, event, tool,
};

/// Kimi Code. Its hooks are the user's, for all projects, and its tools have Claude Code's names.
pub const KIMI: Agent = Agent {
    id: "kimi",
    name: "Kimi",
    seen: ["@moonshot-ai/kimi-code", "2.1.0", "2026-11-30"],
    file: HookFile {
        path: ".kimi-code/config.toml",
        of_user: Some("KIMI_CODE_HOME"),
        read: ".kimi-code/config.toml",
        form: Form::Toml,
        events: "PreToolUse PostToolUse PostToolUseFailure PermissionRequest PermissionResult UserPromptSubmit UserPromptQueued TurnStarted Stop StopFailure \
                 Interrupt SessionStart SessionEnd SessionHeartbeat SubagentStart SubagentStop TaskStarted PreCompact PostCompact Notification",
        longest: Some(600),
        ..SETTINGS
    },
    program: "kimi",
    server: None,
    trust: "Kimi runs the hooks from the next session on, in all projects, without asking for trust.",
    failures: Failures { silent_exit_2: Effect::DeniedUnexplained, ..OPEN },
    events: &[
        event("PreToolUse", &[DENY_CALL, ASK_DENIES, STOP_DENIES]),
        OnEvent {
            in_parts: "prompt",
            ..event("UserPromptSubmit", &[EXIT_2, (Part::Context, Said::Text), STOP_DENIES])
        },
        event("SessionStart", &[]),
        event("Stop", &[EXIT_2]),
    ],
    tools: &[
        tool(&["Bash"], "Bash", "Bash.command", "", ""),
        tool(&["Read"], "Read", "Read.path", "path=file_path", ""),
        tool(&["Write"], "Write", "Write.content", "path=file_path", ""),
        tool(&["Edit"], "Edit", "Edit.new_string", "path=file_path", ""),
        tool(&["Glob"], "Glob", "Glob.pattern", "", ""),
        tool(&["Grep"], "Grep", "Grep.pattern", "", ""),
        tool(&["Agent"], "Agent", "Agent.prompt", "", ""),
    ],
    mcp: None,
    looks_around: false,
    loops: false,
    blocks_by_code: true,
    output: "tool_output",
    limits: &[
        "it reads no project hooks: they are in the user's file, and run in all projects; a session's project is the \
         git repository around its folder",
        "it drops all hooks of the file, with a warning, if one of them has an unknown key or event, or a wrong value",
        ASK_RUNS,
        "an input cannot be changed",
        "it does not wait for hooks after a tool, and often ends before they run: these events have no row",
        "in a session without a user, a blocked prompt ends the session; hooks can keep a turn going once",
        "permission requests, compactions and session ends were not observed",
        "a hook is killed after at most 600 seconds",
    ],
};
