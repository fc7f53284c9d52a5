//! The table of Qwen Code.

use super::gemini::{BASH, GLOB, GREP, READ, SHOWN, WRITE};
use super::{
    ASK, Agent, BLOCK, CONTEXT, DENY_CALL, EDITED, FEEDBACK, HookFile, IN_ROOT, OPEN, OnEvent, SETTINGS, STOP,
    STOP_DENIES, event, tool,
};

/// Qwen Code, a fork of Gemini CLI. Its matchers are regular expressions on its own names, or lists of Claude Code's
/// names.
pub const QWEN: Agent = Agent {
    id: "qwen",
    name: "Qwen",
    seen: ["@qwen-code/qwen-code", "0.24.4", "2026-11-29"],
    file: HookFile { path: ".qwen/settings.json", read: ".qwen/settings.json", root: "$QWEN_PROJECT_DIR", ..SETTINGS },
    program: "qwen",
    server: None,
    trust: "Qwen runs the hooks from the next session on, and asks for trust only if its folder trust is turned on.",
    failures: OPEN,
    events: &[
        event("PreToolUse", &[DENY_CALL, ASK, STOP_DENIES]),
        event("PostToolUse", &[FEEDBACK, CONTEXT, STOP]),
        event("PostToolUseFailure", &[FEEDBACK, CONTEXT]),
        OnEvent {
            // It comes again after each batch of tools.
            except: "prompt=",
            ..event("UserPromptSubmit", &[BLOCK, CONTEXT, STOP])
        },
        event("SessionStart", &[CONTEXT]),
        event("SubagentStart", &[]),
        event("SubagentStop", &[]),
        event("Stop", &[BLOCK]),
    ],
    tools: &[
        BASH,
        READ,
        WRITE,
        tool(&["Edit"], "edit", "edit.new_string", "", EDITED),
        GREP,
        GLOB,
        tool(&["Agent"], "agent", "agent.prompt", "", ""),
    ],
    mcp: None,
    looks_around: false,
    loops: false,
    blocks_by_code: true,
    output: SHOWN,
    limits: &[
        IN_ROOT,
        "without a user (`-p`), a question becomes a denial, with its reason",
        "an input cannot be changed, and a block after a tool is a text for the model: the tool's output stays",
        "hooks can keep a turn going seven times",
        "session ends and permission requests were not observed",
        "the response of every tool except `Bash`, `Write` and `Edit` is in Qwen's form",
        "in a session without a user, the model must search for the tools of MCP servers",
    ],
};
