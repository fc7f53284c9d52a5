//! Limits the number, depth and models of subagents.

use std::time::UNIX_EPOCH;

use hookkit::state::State;

use crate::prelude::*;

/// Denies a subagent if too many are running, if it would be nested too deeply, or if its model is not allowed.
///
/// A model can start a subagent with each call of a message, and each subagent can start others. The rate limit or the
/// budget of a day can be used up in minutes, and the subagents' changes can conflict.
///
/// [`Subagents`] has the limits. By default, ten may run at the same time, including those in the background and those
/// that subagents start. A subagent may start others, but these may start none. Any model is allowed. A workspace can
/// change this:
///
/// ```toml
/// [workspace.metadata.hookkit.hooks.hold-subagents.config]
/// at_once = 4
/// depth = 1
/// models = ["haiku", "sonnet"]
/// ```
///
/// The model reads which limit was reached, and what to do. [`count_subagents`] counts the running subagents. Their
/// tokens count for the budget of [`hold_budget`](crate::budget::hold_budget).
///
/// # What it cannot see
///
/// - The model of a subagent whose call sets none. It is the model of the subagent's definition, or the session's.
/// - Agents of workflows and of skills, and another client that a command starts.
/// - The parent of a subagent, if several subagents start one of the same type at the same moment.
/// - The interruption of a subagent: it counts until the end of the next turn.
///
/// # Errors
///
/// If the hook's own state cannot be saved, the client writes the error to its debug log, and the subagent starts.
#[hook(PreToolUse, timeout = 5, on_failure = continue)]
pub fn hold_subagents(
    call: PreToolUse<tool::Agent>,
    context: Context,
    states: States,
    config: Config<Subagents>,
) -> Result<PreToolUseAnswer, Error> {
    let is_allowed = |model: &&String| !config.models.is_empty() && !config.models.contains(model);
    if let Some(model) = call.input.model.as_ref().filter(is_allowed) {
        let models = config.models.join("`, `");
        return Ok(PreToolUseAnswer::deny(format!(
            "subagents do not run with the model `{model}` here: use one of `{models}`"
        )));
    }
    let denial = running(&states)?.update(|running| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        // A call that the user has denied starts none.
        running.retain(|agent| agent.id.is_some() || agent.since + WAIT > now);
        let around = |id: &String| running.iter().find(|agent| agent.id.as_ref() == Some(id)).map_or(1, |agent| agent.depth);
        let depth = 1 + context.agent_id.as_ref().map_or(0, around);
        if depth > config.depth {
            return Some(format!(
                "this subagent would be {depth} levels below the session, and the limit is {}. Do it yourself, or report what is left to do",
                config.depth
            ));
        }
        if running.len() >= config.at_once {
            return Some(format!(
                "{} subagents are already running, which is the limit. Wait until one has ended, or do it yourself",
                running.len()
            ));
        }
        running.push(Agent {
            id: None,
            kind: call.input.subagent_type.unwrap_or_default(),
            depth,
            since: now,
        });
        None
    })?;
    Ok(denial.map_or_else(PreToolUseAnswer::pass, PreToolUseAnswer::deny))
}

/// Counts the running subagents, for [`hold_subagents`].
///
/// # Errors
///
/// The errors of `hold-subagents`.
#[hook(SubagentStart | SubagentStop | Stop, timeout = 5)]
pub fn count_subagents(event: AnyEvent, states: States) -> Result<(), Error> {
    let running = running(&states)?;
    if let Some(start) = event.get::<SubagentStart>()? {
        return running.update(|running| {
            let announced = running.iter_mut().filter(|agent| agent.id.is_none());
            // A call without a type is for any.
            let mut announced = announced.filter(|agent| agent.kind.is_empty() || agent.kind == start.agent_type);
            let id = Some(start.agent_id);
            match announced.next() {
                Some(agent) => agent.id = id,
                None => running.push(Agent { id, depth: 1, ..Agent::default() }),
            }
        });
    }
    if let Some(stop) = event.get::<SubagentStop>()? {
        return running.update(|running| running.retain(|agent| agent.id.as_ref() != Some(&stop.agent_id)));
    }
    let Some(stop) = event.get::<Stop>()? else {
        return Ok(());
    };
    // Interrupted ones raise no event.
    let runs = |agent: &Agent| stop.background_tasks.iter().any(|task| Some(&task.id) == agent.id.as_ref());
    running.update(|running| running.retain(runs))
}

/// The configuration of [`hold_subagents`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subagents {
    /// Number of subagents that may run at once in the session.
    pub at_once: usize,
    /// Number of levels. With 1, no subagent may start another one.
    pub depth: u32,
    /// Models that a call may name; empty for any model.
    pub models: Vec<String>,
}

impl Default for Subagents {
    fn default() -> Self {
        Self { at_once: 10, depth: 2, models: Vec::new() }
    }
}

/// A subagent that runs or is about to start.
#[derive(Default, Serialize, Deserialize)]
struct Agent {
    /// Id of the subagent; `None` until it starts.
    id: Option<String>,
    kind: String,
    depth: u32,
    /// Time of the call, in seconds since 1970.
    since: u64,
}

/// Maximum time until a subagent starts, in seconds.
const WAIT: u64 = 60;

fn running(states: &States) -> Result<State<Vec<Agent>>, Error> {
    states.of_session("hookkit-session subagents")
}
