//! Findings about other agents' hooks files.

use crate::settings::finding::codes;

codes! {
    "Hooks of other agents" {
        AGENT_DROPS_FILE
            "Another agent cannot read its file of hooks."
            "The agent runs none of its hooks, and does not always report this."
            => "Correct the file, and run `doctor` again."
        {
            Warning drops_file(agent, why; fix) "{agent} reads none of these hooks, since {why}" does "calls that they deny go ahead";
        }
        AGENT_DOES_NOT_TRUST
            "The user has not trusted the folder, or not the current version of a hook."
            "The agent silently skips the hook."
            => "Start the agent in the project, trust the folder, and review its hooks (in Codex, with `/hooks`)."
        {
            Warning untrusted(agent, hook) "{agent} does not trust the current `{hook}`" does "{agent} silently skips it";
            Note trust_unknown(agent, why) "whether {agent} runs these hooks cannot be determined: {why}" does "a hook that is not trusted is silently skipped";
        }
        AGENT_HAS_NO_TOOL
            "The agent has none of the tools in a matcher."
            "The hook is never called there."
            => "Use the agent's tool names: the book has a page on each agent."
        {
            Warning no_tool(agent, matcher) "{agent} has none of the tools in `{matcher}`";
        }
        AGENT_RUNS_BOTH
            "A hook is both in an agent's file and in Claude Code settings that the agent also reads."
            "The agent runs both. The hook for Claude Code cannot read the agent's payloads, so it fails, and may \
             deny each call."
            => "Uninstall one of them. The Claude Code hook may be in the user's settings."
        {
            Warning runs_both(agent, hook, options) "{agent} runs `{hook}` twice" fix "remove Claude Code's: `cargo xtask uninstall{options}`";
        }
    }
}
