//! The table of Copilot CLI.

use super::{
    ASK, Agent, BLOCK, CONTEXT, DENY_CALL, EDITED, Effect, Failures, Form, HookFile, IN_ROOT, OUTPUT, OnEvent, Part,
    SETTINGS, STOP_DENIES, Said, Servers, Tool, WRITTEN, event, tool,
};

/// Context at the top level of the answer, as on all events but one.
const GUIDANCE: (Part, Said) = (Part::Context, Said::As("additionalContext=$"));

/// Copilot CLI, with Claude Code's event names. It reads `hookSpecificOutput` only before a tool; on all other
/// events, everything is at the top level.
pub const COPILOT: Agent = Agent {
    id: "copilot",
    name: "Copilot",
    seen: ["@github/copilot", "1.0.102", "2026-11-29"],
    file: HookFile {
        path: ".github/hooks/hookkit.json",
        read: ".github/hooks/*.json",
        also: &[".claude/settings.json", ".claude/settings.local.json"],
        head: r#""version": 1"#,
        form: Form::Json,
        root: "$COPILOT_PROJECT_DIR",
        ..SETTINGS
    },
    program: "copilot",
    server: None,
    trust: "Copilot runs hooks in a folder that you trust, and silently skips them in any other: start `copilot` in \
            the project and trust the folder, or give `--trust-folder`.",
    failures: Failures {
        exit_2: Effect::DeniedUnexplained,
        silent_exit_2: Effect::DeniedUnexplained,
        exit_1: Effect::DeniedUnexplained,
        signal: Effect::DeniedUnexplained,
        missing: Effect::DeniedUnexplained,
        timeout: Effect::GoesAhead,
        garbage: Effect::GoesAhead,
    },
    events: &[
        event(
            "PreToolUse",
            &[
                DENY_CALL,
                ASK,
                (Part::Allow, Said::As(".permissionDecision=allow")),
                (Part::Rewrite, Said::As(".updatedInput=$")),
                CONTEXT,
                STOP_DENIES,
            ],
        ),
        event(
            "PostToolUse",
            &[
                BLOCK,
                GUIDANCE,
                (Part::Output, Said::As("modifiedResult.textResultForLlm=$ modifiedResult.resultType=success")),
            ],
        ),
        event("UserPromptSubmit", &[BLOCK, GUIDANCE, STOP_DENIES]),
        OnEvent { words: "new=startup", ..event("SessionStart", &[GUIDANCE]) },
        event("Stop", &[BLOCK]),
        event("SessionEnd", &[]),
    ],
    tools: &[
        tool(&["Bash"], "Bash", "bash.command", "", OUTPUT),
        tool(&["Read"], "Read", "view.path", "path=file_path", ""),
        Tool {
            // A patch that adds a file is a call of Edit.
            matcher: "Write|Edit",
            ..tool(&["Write"], "Write", "create.file_text", "path=file_path file_text=content", WRITTEN)
        },
        tool(&["Edit"], "Edit", "edit.new_str", "path=file_path old_str=old_string new_str=new_string", EDITED),
        tool(&["Glob"], "Glob", "glob.pattern", "", ""),
        tool(&["Grep"], "Grep", "grep.pattern", "", ""),
        tool(&["Agent"], "Agent", "task.prompt", "agent_type=subagent_type", ""),
    ],
    mcp: Some(Servers { before: "", between: "-", server: "" }),
    looks_around: true,
    loops: false,
    blocks_by_code: false,
    output: "tool_result.text_result_for_llm",
    limits: &[
        IN_ROOT,
        "if a hook exceeds its timeout, the call goes ahead; if it is killed or missing, the call is denied without \
         its reason",
        "it calls hooks one after the other: it stops after a denial, and passes a changed input on to the next hooks",
        "without a user (`-p`), a question becomes a denial, with its reason",
        "a blocked prompt ends the session; hooks can keep a turn going eight times",
        "some models (GPT) change files by patches: each is a call of `Edit`, which a hook reads as calls of `Write` and `Edit`",
        "if a hook blocks an output, the context of all hooks is lost; an output can be changed if it is text, as for \
         `Bash`",
        "a failed command raises PostToolUse, not PostToolUseFailure",
        "Copilot ignores a matcher of SessionStart: the hook applies it itself if it is a list; a regular expression \
         has no effect",
        "the response of every tool except `Bash`, `Write` and `Edit` is its text",
        "a tool of an MCP server is `SERVER-TOOL` there; a hook reads it as `mcp__SERVER__TOOL`, with the server up to the first `-`",
        "PermissionRequest, SubagentStart and Notification have other members there, so they are not translated",
    ],
};
