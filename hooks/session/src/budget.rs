//! Limits the tokens that a session can use without asking the user.

use hookkit::transcript::Usage;

use crate::prelude::*;

/// Ends the turn each time the session has used up a budget of tokens; the user decides whether to go on.
///
/// A session that works on its own can go in circles for hours. With a [`Budget`] of 200,000 output tokens, the turn
/// ends after 200,000 tokens, after 400,000 and so on. The next prompt continues the work. In print mode, the run ends.
///
/// By default there is no budget, and the hook has no effect. A workspace sets one in its Cargo.toml:
///
/// ```toml
/// [workspace.metadata.hookkit.hooks.hold-budget.config]
/// output_tokens = 200_000
/// request_tokens = 5_000_000
/// ```
///
/// The tokens are counted in the transcripts of the session and its subagents: the tokens of replies, and the tokens of
/// requests except those read from the cache. They are counted when the calls of a message are done, and not in a turn
/// without calls.
///
/// # What it cannot see
///
/// - The tokens of the client's own requests, and of workflows.
/// - The cost of the tokens: the prices are not in the transcript.
/// - Sessions without a transcript, and replies that are not in the transcript yet: they count after the next calls.
///
/// # Errors
///
/// If the transcript cannot be read, or the hook's own state cannot be saved, the client writes the error to its debug
/// log, and the session goes on.
#[hook(PostToolBatch, timeout = 10)]
pub fn hold_budget(
    _batch: PostToolBatch,
    context: Context,
    states: States,
    config: Config<Budget>,
) -> Result<Option<PostToolBatchAnswer>, Error> {
    if *config == Budget::default() {
        return Ok(None);
    }
    let mut usage = context.transcript()?.usage()?;
    for transcript in context.subagent_transcripts()? {
        usage += transcript.usage()?;
    }
    let held = states.of_session::<Held>("hookkit-session hold-budget")?;
    Ok(held.update(|held| held.hold(&config, usage))?.map(PostToolBatchAnswer::stop))
}

/// The configuration of [`hold_budget`]: the numbers of tokens after which the hook ends a turn. With 0, that kind of
/// token is not limited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Tokens of replies.
    pub output_tokens: u64,
    /// Tokens of requests that were not read from the cache.
    pub request_tokens: u64,
}

/// The number of budgets that the session has used up.
#[derive(Default, Serialize, Deserialize)]
struct Held {
    output: u64,
    request: u64,
}

impl Held {
    /// Returns the text for the user if another budget is used up.
    fn hold(&mut self, budget: &Budget, usage: Usage) -> Option<String> {
        let requests = usage.input_tokens.saturating_add(usage.cache_creation_input_tokens);
        let next = |held: &mut u64, used: u64, limit: u64, what: &str| {
            let times = used.checked_div(limit)?;
            let is_new = times > *held;
            *held = times;
            is_new.then(|| format!("{used} tokens of {what}; the budget is {limit}"))
        };
        let output = next(&mut self.output, usage.output_tokens, budget.output_tokens, "output");
        let request = next(&mut self.request, requests, budget.request_tokens, "requests");
        let used = output.or(request)?;
        Some(format!("this session has used {used}. Write a prompt to continue with the same budget"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(output: u64, input: u64, written: u64) -> Usage {
        let mut usage = Usage::default();
        usage.output_tokens = output;
        usage.input_tokens = input;
        usage.cache_creation_input_tokens = written;
        usage.cache_read_input_tokens = 1 << 40;
        usage
    }

    #[test]
    fn a_turn_is_ended_once_for_each_budget() {
        let budget = Budget { output_tokens: 100, request_tokens: 1000 };
        let mut held = Held::default();
        for (output, input, written, expected) in [
            (99, 0, 0, None),
            (100, 0, 0, Some("100 tokens of output; the budget is 100")),
            (199, 0, 0, None),
            (450, 0, 0, Some("450 tokens of output; the budget is 100")),
            (499, 400, 599, None),
            (499, 400, 600, Some("1000 tokens of requests; the budget is 1000")),
            // A session that goes on from an earlier point.
            (10, 0, 0, None),
            (100, 0, 0, Some("100 tokens of output; the budget is 100")),
        ] {
            let text = held.hold(&budget, usage(output, input, written));
            let expected = expected
                .map(|used| format!("this session has used {used}. Write a prompt to continue with the same budget"));
            assert_eq!(text, expected, "{output} {input} {written}");
        }
    }

    #[test]
    fn a_budget_of_zero_holds_nothing() {
        let found = Held::default().hold(&Budget::default(), usage(1 << 40, 1 << 40, 0));
        assert_eq!(found, None);
    }
}
