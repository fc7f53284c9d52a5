//! Ends turns in which the model makes the same calls again and again.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::prelude::*;

/// Warns the model that it goes in circles, and ends the turn if it goes on.
///
/// A model that does not see why a call fails makes the call again. A model that cannot decide between two versions of
/// a line edits it back and forth. Each round costs as much as any other call, and an unattended session can go on for
/// hours.
///
/// In one turn, the hook counts
///
/// - calls that fail with the same error as before, as counted by [`count_failures`]. A test that fails differently is
///   a different failure;
/// - edits made before: the same text at the same position in the same file.
///
/// The third time, the model reads that it should find the cause, try another way or ask. The fifth time, the turn
/// ends, and the user reads the reason. In print mode, the run ends. [`Loops`] configures the numbers. Calls that
/// differ only in their `description` are the same.
///
/// The hook ignores everything else. The next prompt resets the count.
///
/// # What it cannot see
///
/// - The same mistake in other words: another option, another path.
/// - Errors with a time or another number that changes, and calls that a hook or a rule denied.
/// - Files that a command changes back and forth.
/// - More than the last hundred different calls.
///
/// Polling counts, too, such as five requests until a server is up. Such a command should wait by itself (`until curl
/// …`).
///
/// # Errors
///
/// If the hook's own state cannot be saved, the client writes the error to its debug log, and the session goes on.
#[hook(PostToolBatch, timeout = 5)]
pub fn break_loops(
    batch: PostToolBatch,
    context: Context,
    states: States,
    config: Config<Loops>,
) -> Result<Option<PostToolBatchAnswer>, Error> {
    let edits = batch.tool_calls.iter().filter(|call| matches!(&*call.tool_name, "Edit" | "Write" | "NotebookEdit"));
    let edits: Vec<_> = edits.map(|call| (call, hash(&call.tool_name, &call.input, &context, ""))).collect();
    let most = states.of_session::<Calls>(STATE)?.update(|calls| {
        calls.begin(&context);
        for (call, hash) in edits {
            calls.add(&format!("the same edit by {}", call.tool_name), hash, &context);
        }
        calls.most.remove(agent(&context))
    })?;
    let Some((times, what)) = most.filter(|(times, _)| *times >= config.message.min(config.stop)) else {
        return Ok(None);
    };
    Ok(Some(if times >= config.stop {
        PostToolBatchAnswer::stop(format!("{what}, {times} times in this turn. Write a prompt to continue"))
    } else {
        PostToolBatchAnswer::pass().with_context(format!(
            "You are going in circles: {what}, {times} times in this turn. Do not repeat it: find the cause, try \
             another way, or ask the user. After {} times the turn ends",
            config.stop
        ))
    }))
}

/// Counts calls that fail in the same way, for [`break_loops`].
///
/// # Errors
///
/// The errors of `break-loops`.
#[hook(PostToolUseFailure, timeout = 5)]
pub fn count_failures(call: PostToolUseFailure, context: Context, states: States) -> Result<(), Error> {
    if call.is_interrupt {
        return Ok(());
    }
    let hash = hash(&call.tool_name, &call.input, &context, &call.error);
    states.of_session::<Calls>(STATE)?.update(|calls| {
        calls.begin(&context);
        calls.add(&format!("the same {} call fails in the same way", call.tool_name), hash, &context);
    })
}

/// The configuration of [`break_loops`]: the number of times after which the hook acts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loops {
    /// Number of times after which the model is warned.
    pub message: u32,
    /// Number of times after which the turn ends.
    pub stop: u32,
}

impl Default for Loops {
    fn default() -> Self {
        Self { message: 3, stop: 5 }
    }
}

const STATE: &str = "hookkit-session loops";

/// The calls of a turn.
#[derive(Default, Serialize, Deserialize)]
struct Calls {
    prompt: Option<String>,
    /// Hashes of calls, each with the number of times that the call was made. The latest call is the last.
    made: Vec<(u64, u32)>,
    /// The call that each agent made most often since its last batch.
    most: BTreeMap<String, (u32, String)>,
}

impl Calls {
    /// Forgets the calls of earlier turns.
    fn begin(&mut self, context: &Context) {
        if self.prompt != context.prompt_id {
            *self = Self { prompt: context.prompt_id.clone(), ..Self::default() };
        }
    }

    fn add(&mut self, what: &str, hash: u64, context: &Context) {
        const MOST: usize = 100;
        let before = self.made.iter().position(|(made, _)| *made == hash);
        let times = before.map_or(0, |at| self.made.remove(at).1) + 1;
        self.made.push((hash, times));
        self.made.drain(..self.made.len().saturating_sub(MOST));
        let most = self.most.entry(agent(context).to_owned()).or_default();
        if most.0 < times {
            *most = (times, what.to_owned());
        }
    }
}

/// Returns the agent that makes the calls; an empty string for the session itself.
fn agent(context: &Context) -> &str {
    context.agent_id.as_deref().unwrap_or_default()
}

/// Returns a hash for a call with an error. With another Rust release it may differ, which resets the count.
fn hash(tool_name: &str, input: &Json, context: &Context, error: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    let texts = input.strings().into_iter().filter(|(name, _)| name != "description");
    (tool_name, &context.agent_id, texts.collect::<Vec<_>>(), error).hash(&mut hasher);
    hasher.finish()
}
