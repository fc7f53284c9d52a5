//! The table of Codex CLI.

use super::{
    ASK_DENIES, Agent, BLOCK, Basis, CONTEXT, DENY_CALL, Form, HookFile, Input, MESSAGE, OPEN, OUTPUT, OnEvent, Part,
    SETTINGS, STOP, STOP_DENIES, Said, Tool, event,
};

/// Codex CLI. A key that the event does not have makes the whole answer void; so does a `continue` in an answer before
/// a tool.
pub const CODEX: Agent = Agent {
    id: "codex",
    name: "Codex",
    seen: ["@openai/codex", "0.171.0", "2026-11-29"],
    file: HookFile {
        path: ".codex/hooks.json",
        read: ".codex/hooks.json",
        form: Form::Json,
        strict: true,
        keys: &["description", "hooks"],
        of_main: true,
        // A submodule and a worktree of a bare repository have no main working tree there. Runs git once: each call
        // waits for it.
        root: "$(d=$(git rev-parse --git-common-dir); [ \"${d##*/}\" = .git ] && [ -d \"$d/../.codex/hookkit\" ] && echo \"$d/..\" || git rev-parse --show-toplevel)",
        ..SETTINGS
    },
    program: "codex",
    server: Some("app-server"),
    trust: "Codex runs no hooks before you trust them, and `codex exec` does not say so: start `codex` in the \
            project, trust the folder, and review the hooks with `/hooks`. Codex trusts a hook by its entry and the \
            position of the entry; a new binary does not change that.",
    failures: OPEN,
    events: &[
        event(
            "PreToolUse",
            &[
                DENY_CALL,
                ASK_DENIES,
                (Part::Rewrite, Said::As(".permissionDecision=allow .updatedInput=$")),
                STOP_DENIES,
                CONTEXT,
                MESSAGE,
            ],
        ),
        event(
            "PermissionRequest",
            &[
                (Part::Deny, Said::As(".decision.behavior=deny .decision.message=$")),
                (Part::Allow, Said::As(".decision.behavior=allow")),
            ],
        ),
        event("PostToolUse", &[BLOCK, CONTEXT, MESSAGE, STOP]),
        event("UserPromptSubmit", &[BLOCK, CONTEXT, MESSAGE, STOP]),
        event("SessionStart", &[CONTEXT, MESSAGE, STOP]),
        event("SubagentStart", &[CONTEXT]),
        event("SubagentStop", &[BLOCK]),
        event("Stop", &[BLOCK, MESSAGE]),
        event("PreCompact", &[STOP]),
        OnEvent { lacks: r#"compact_summary="""#, ..event("PostCompact", &[]) },
        event("SessionEnd", &[]),
    ],
    tools: &[
        Tool {
            names: &["Bash"],
            own: "Bash",
            matcher: "",
            model: "exec_command.cmd",
            basis: Basis::Played,
            input: Input::Keys(""),
            response: OUTPUT,
        },
        Tool {
            names: &["Edit", "Write"],
            own: "apply_patch",
            matcher: "",
            model: "apply_patch",
            basis: Basis::Played,
            input: Input::Patch("command"),
            response: "",
        },
    ],
    mcp: None,
    looks_around: false,
    loops: true,
    blocks_by_code: true,
    output: "tool_response",
    limits: &[
        "in a linked git worktree, it runs the hooks of the main working tree, and none if the worktree has no folder \
         `.codex`; a committed `.codex/hooks.json` creates that folder",
        "text typed into a running shell (`write_stdin`) has no event: guard the command that starts the shell",
        "there is no tool for reading: shell commands read files",
        "`apply_patch` within a shell command is a call of `Bash`, without an event afterwards",
        "a failed command raises PostToolUse, not PostToolUseFailure",
        "the transcript has Codex's own form, in which hooks for Claude Code's transcripts find nothing",
        "a message to the user is accepted, but a session of `codex exec` does not show it",
    ],
};
