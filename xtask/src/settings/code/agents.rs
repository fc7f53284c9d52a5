//! Findings about other agents' hooks files.

use crate::settings::finding::codes;

codes! {
    "Hooks of other agents" {
        AGENT_DROPS_FILE "agent-drops-file"
            "Another agent cannot read its file of hooks."
            "It runs none of the hooks in it, and does not say so in every session."
            => "Correct the file, and run `doctor` again."
        {
            Warning drops_file(agent, why, fix) "{agent} reads none of these hooks, since {why}" does "calls that they deny go ahead" fix "{fix}";
        }
        AGENT_DOES_NOT_TRUST "agent-does-not-trust"
            "The user has not trusted a hook as it is now, or not its folder."
            "The agent skips the hook without a word."
            => "Start the agent in the project, trust the folder, and review its hooks; in Codex, with `/hooks`."
        {
            Warning untrusted(agent, hook) "{agent} does not trust `{hook}` as it is" does "{agent} skips it without a word";
            Note trust_unknown(agent, why) "whether {agent} runs these hooks cannot be determined: {why}" does "a hook that is not trusted is skipped without a word";
        }
        AGENT_HAS_NO_TOOL "agent-has-no-tool"
            "A matcher has names of tools that the agent does not have."
            "The hook is never called there."
            => "Name the agent's tools: the book has a page on each agent."
        {
            Warning no_tool(agent, matcher) "{agent} has no tool of `{matcher}`";
        }
        AGENT_RUNS_BOTH "agent-runs-both"
            "A hook is in an agent's file and in settings of Claude Code that the agent reads, too."
            "The agent runs both. The one for Claude Code cannot read the agent's payloads, so it fails, and may deny each call."
            => "Uninstall one of them; Claude Code's can be in the user's settings."
        {
            Warning runs_both(agent, hook, options) "{agent} runs `{hook}` twice" fix "remove the one of Claude Code: `cargo xtask uninstall{options}`";
        }
    }
}
