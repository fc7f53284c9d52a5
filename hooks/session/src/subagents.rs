//! Subagents, within limits.

use std::time::{SystemTime, UNIX_EPOCH};

use hookkit::prelude::*;
use hookkit::state::{State, States};
use serde::{Deserialize, Serialize};

/// Denies a subagent where too many run already, where it would be too deep, and where its model is not allowed.
///
/// A model that delegates can start as many subagents as its message has calls, and each of them can start others: the rate limit or the
/// budget of a day is gone in minutes, and changes get in each other's way.
///
/// [`Subagents`] has the limits. By default ten run at once, also in the background and by other subagents, and a subagent may start
/// others, which start none. The models are any:
///
/// ```toml
/// [workspace.metadata.hookkit.hooks.hold-subagents.config]
/// at_once = 4
/// depth = 1
/// models = ["haiku", "sonnet"]
/// ```
///
/// The model reads which limit it was, and what to do. [`count_subagents`] knows which run. Their tokens are a part of the budget of
/// [`hold_budget`](crate::budget::hold_budget).
///
/// # What it cannot see
///
/// - The model of a subagent whose call names none: that of its definition, or the session's.
/// - Agents of workflows and of skills, and another client that a command starts.
/// - By which of several subagents one was started, if they start some of the same type at the same moment.
/// - That an interrupted subagent is gone: it counts until the end of the next turn.
///
/// # Errors
///
/// When its own state cannot be kept. The client has the error in its debug log, and the subagent starts.
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
                "{} subagents run already, which is the limit. Wait until one has ended, or do it yourself",
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

/// Counts the subagents that run, for [`hold_subagents`].
///
/// # Errors
///
/// As for `hold-subagents`.
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
    // Those that were interrupted do not end.
    let runs = |agent: &Agent| stop.background_tasks.iter().any(|task| Some(&task.id) == agent.id.as_ref());
    running.update(|running| running.retain(runs))
}

/// The configuration of [`hold_subagents`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subagents {
    /// Number of subagents that may run at once in the session.
    pub at_once: usize,
    /// Number of levels: with 1 no subagent starts another one.
    pub depth: u32,
    /// Models that a call may name; all if there are none.
    pub models: Vec<String>,
}

impl Default for Subagents {
    fn default() -> Self {
        Self { at_once: 10, depth: 2, models: Vec::new() }
    }
}

/// A subagent that runs, or that is about to start.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Agent {
    /// `None` until it starts.
    id: Option<String>,
    kind: String,
    depth: u32,
    /// Time of the call, in seconds since 1970.
    since: u64,
}

/// The seconds within which a subagent starts.
const WAIT: u64 = 60;

fn running(states: &States) -> Result<State<Vec<Agent>>, Error> {
    states.of_session("hookkit-session subagents")
}
