//! Findings about a hook's keys.

use crate::settings::finding::codes;

codes! {
    "Matchers" {
        MATCHER_MATCHES_NOTHING
            "A matcher, or one of its alternatives, matches none of its event's tools or other values. Names are \
             case-sensitive."
            "Claude Code never runs the hook for it."
            => "Write the exact names, with `|` between them."
        {
            Warning matcher_matches_nothing(; what, fix);
        }
        MATCHER_MATCHES_MORE
            "A matcher is a regular expression that matches more than it seems to."
            "Claude Code runs the hook more often than intended."
            => "Write whole names with `|` between them, or anchor the expression: `^(Edit|Write)$`."
        {
            Warning matcher_matches_more(; what, fix);
        }
        MATCHER_WITHOUT_EFFECT
            "The event has nothing that a matcher could match."
            "Claude Code ignores it, and runs the hook each time."
            => "Remove the matcher."
        {
            Warning matcher_without_effect(matcher, event) "the matcher `{matcher}` has no effect on {event}" fix "remove it";
        }
        MATCHER_IN_HOOK
            "`matcher` is inside a hook."
            "Claude Code ignores it there, and uses the one next to the list `hooks`."
            => "Move it next to `hooks`."
        {
            Warning matcher_in_hook();
        }
        UNKNOWN_TOOL
            "No name of the matcher is a tool that Claude Code has, or had."
            "Claude Code runs the hook only if a newer version has such a tool."
            => "Write the name of a tool, such as `Bash`, or of a server's tool: `mcp__SERVER__TOOL`."
        {
            Note unknown_tool(; what, fix);
        }
        TOOL_ON_REQUEST
            "The matcher contains tools that the model has only in sessions with `--tools`."
            "Claude Code runs the hook only there; elsewhere the model searches with Bash."
            => "For searches with Bash, check the command in a hook with the matcher `Bash`."
        {
            Note tool_on_request(tools) "the model has {tools} only in sessions with `--tools`";
        }
    }
    "Conditions" {
        IF_WITHOUT_TOOL_CALL
            "A hook has an `if`, a permission rule for tool calls, but its event has no tool call."
            "Claude Code never runs the hook."
            => "Remove the `if`, and check the input in the hook's program."
        {
            Warning if_without_tool_call(event) "{event} has no tool call that an `if` could match";
        }
        IF_NEVER_HOLDS
            "The rule in `if` never matches a call that the matcher matches."
            "Claude Code never runs the hook."
            => "Write a rule for a tool of the matcher, such as `Bash(git *)`."
        {
            Warning if_never_holds(; what, fix);
        }
    }
    "Timeouts" {
        TIMEOUT_IN_MILLISECONDS
            "A `timeout` is in seconds, and this one looks like milliseconds."
            "Claude Code waits a thousand times longer than intended for a hook that hangs."
            => "Divide the number by 1000."
        {
            Warning timeout_in_milliseconds(minutes; what, fix)
                does "Claude Code waits {minutes} minutes for a hook that hangs";
        }
        LONG_TIMEOUT
            "A `timeout` is longer than two hours."
            "Claude Code waits that long for a hook that hangs."
            => "Write the seconds that the hook needs."
        {
            Warning long_timeout(minutes; what, fix)
                does "Claude Code waits {minutes} minutes for a hook that hangs";
        }
        SESSION_END_TIMEOUT
            "A hook on SessionEnd has a `timeout` of more than 60 seconds."
            "Claude Code ends it after 60 seconds."
            => "Write at most 60, or do the work in a separate process."
        {
            Warning session_end_timeout(most) "a hook on SessionEnd has {most} seconds at most"
                does "Claude Code ends it then, regardless of its `timeout`"
                fix "write at most `\"timeout\": {most}`, or do the work in a separate process";
        }
        TIMEOUT_WITH_ASYNC
            "`timeout` has no effect with `async`."
            "Claude Code does not limit the process."
            => "Remove `timeout`, and limit the time in the program."
        {
            Warning timeout_with_async() fix "remove it";
        }
    }
    "Keys of a hook" {
        UNKNOWN_KEY
            "A key is misspelled, or in a place where Claude Code does not read it."
            "Claude Code ignores it, and the default applies: without a `matcher`, the hooks run on every tool."
            => "Write the key that the finding suggests."
        {
            Warning unknown_key_of_group(key; does, fix) "`{key}` is not a key next to `hooks`";
            Warning unknown_key(key, meant) "`{key}` is not a key of a hook" does "Claude Code ignores it"
                fix "did you mean `{meant}`?";
        }
        ENV_OR_CWD_IN_HOOK
            "A hook entry has the key `env` or `cwd`."
            "Claude Code ignores both there."
            => "Set the variables in the command or in `env` of the settings, and write absolute paths."
        {
            Warning env_in_hook() "`env` is not a key of a hook" does "Claude Code ignores it"
                fix "set the variables in the command, or in `env` of the settings";
            Warning cwd_in_hook() "`cwd` is not a key of a hook" does "Claude Code ignores it"
                fix "write absolute paths, or `cd` in the command";
        }
        NOT_DISABLED
            "A hook entry has the key `enabled` or `disabled`."
            "Claude Code ignores both, and runs the hook."
            => "Remove the hook."
        {
            Warning not_disabled(key) "`{key}` is not a key of a hook" does "Claude Code ignores it, and runs the hook"
                fix "remove the hook, or make its program do nothing";
        }
        KEY_OF_ANOTHER_TYPE
            "The key belongs to hooks of another `type`."
            "Claude Code ignores it."
            => "Remove the key, or change the `type`."
        {
            Warning key_of_another_type(key, types) "`{key}` is for hooks of type {types}" fix "remove it";
        }
        HEADER_VARIABLE
            "A header of an HTTP hook has a variable that is not in its `allowedEnvVars`."
            "Claude Code sends an empty string in its place."
            => "Add the variable to `allowedEnvVars`."
        {
            Warning header_variable(name, header) "`{header}` has the variable `{name}`, which is not in `allowedEnvVars`"
                fix "add it: `\"allowedEnvVars\": [\"{name}\"]`";
        }
        TYPE_NOT_ON_EVENT
            "Hooks of this `type` cannot run on the event."
            "Claude Code reports an error instead, and goes on."
            => "Use a type listed in the finding."
        {
            Warning type_not_on_event(kind, event, types; does) "a hook of type `{kind}` cannot run on {event}"
                fix "use {types}";
        }
        ASYNC_NOT_ON_EVENT
            "Hooks on this event cannot run in the background."
            "On some events, Claude Code waits for the hook anyway. On the others, it does not wait, and fails \
             because it has no answer."
            => "Remove `async` or `asyncRewake`."
        {
            Warning async_not_on_event(event, key; does) "a hook on {event} cannot be `{key}`" fix "remove it";
        }
        ONCE_IN_SETTINGS
            "`once` has no effect in settings."
            "Claude Code honors it only in skills, and runs the hook each time."
            => "Remove the key, and have the program record that it has run."
        {
            Warning once_in_settings() fix "remove it";
        }
        SHELL_WITH_ARGS
            "`shell` has no effect with `args`."
            "Claude Code starts the program without a shell, and ignores `shell`."
            => "Remove one of them."
        {
            Warning shell_with_args();
        }
        INVALID_ON_FAILURE
            "`onFailure` is neither `continue` nor `block`."
            "Claude Code treats it as `block`."
            => "Write one of them."
        {
            Warning invalid_on_failure(value) "`onFailure` must be `continue` or `block`, not {value}";
        }
        ON_FAILURE_WITHOUT_EFFECT
            "`onFailure` has no effect on this event, or with `async`."
            "Claude Code goes ahead when the hook fails."
            => "Remove it, and have the program exit with 2 when it fails."
        {
            Warning on_failure_without_effect(event) "`onFailure` has no effect on {event}";
            Warning on_failure_with_async() "`onFailure` has no effect with `async`"
                does "Claude Code does not wait for the hook, and does not block when it fails" fix "remove one of them";
        }
    }
}
