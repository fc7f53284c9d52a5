//! The tool calls of a conversation, with their outcomes.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::block::{Block, text_of};
use super::row::{Assistant, Row, User};
use super::{Conversation, Transcript};
use crate::{Error, Json};

/// A tool call and its outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// Id of the call, the `tool_use_id` of events.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Input of the tool as the model wrote it, before changes by hooks.
    ///
    /// Decode it as a [tool's type](crate::tool): `call.input.decode::<tool::Bash>()`.
    pub input: Json,
    /// Time of the call, in ISO 8601 and UTC.
    pub timestamp: String,
    /// Outcome of the call. `None` while the tool runs, or if the session ended before the outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

impl ToolCall {
    /// Returns `true` if the call has an outcome that is not an error.
    pub fn succeeded(&self) -> bool {
        self.outcome.as_ref().is_some_and(|outcome| !outcome.is_error)
    }
}

/// The outcome of a tool call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outcome {
    /// `true` if the call failed, or was denied by a rule, a hook or the user.
    pub is_error: bool,
    /// Result as the model reads it.
    pub content: Vec<Block>,
    /// The tool's structured output, the `tool_response` of PostToolUse. For a failed call it is a string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Json>,
}

impl Outcome {
    /// Returns the text that the model reads, without images and other blocks.
    pub fn text(&self) -> String {
        text_of(&self.content)
    }
}

/// An iterator over the tool calls of a conversation, from either end. See [`Transcript::tool_calls`].
#[derive(Debug)]
pub struct ToolCalls {
    rows: Conversation,
    /// Settled calls from the front and from the back: their outcomes cannot change.
    first: VecDeque<ToolCall>,
    last: VecDeque<ToolCall>,
    /// Rows taken from the front, beginning with the latest reply, which may be incomplete.
    front: Vec<Row>,
    /// Ids of the calls in `front` that have no result yet.
    unanswered: Vec<String>,
    /// Rows taken from the back, last row first, up to a reply that may have started earlier.
    back: Vec<Row>,
    /// Ids of the results in `back` that have no call yet.
    uncalled: Vec<String>,
}

impl ToolCalls {
    pub(super) fn new(transcript: &Transcript) -> Self {
        Self {
            rows: transcript.conversation(&["user", "assistant"]),
            first: VecDeque::new(),
            last: VecDeque::new(),
            front: Vec::new(),
            unanswered: Vec::new(),
            back: Vec::new(),
            uncalled: Vec::new(),
        }
    }

    /// Settles all rows that neither end has settled yet.
    fn settle_all(&mut self) {
        let rows = self.front.drain(..).chain(self.back.drain(..).rev());
        self.first.extend(settled(rows));
    }
}

impl Iterator for ToolCalls {
    type Item = Result<ToolCall, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.first.is_empty() {
            match self.rows.next() {
                Some(Ok(row)) => {
                    // The model's next reply follows the results of all its calls.
                    if is_another_reply(&row, &self.front) {
                        self.first.extend(settled(self.front.drain(..)));
                        self.unanswered.clear();
                    }
                    self.unanswered.extend(calls_in(&row).map(str::to_owned));
                    close(&mut self.unanswered, results_in(&row));
                    self.front.push(row);
                    if self.unanswered.is_empty() {
                        self.first.extend(settled(self.front.drain(..)));
                    }
                }
                Some(Err(err)) => return Some(Err(err)),
                None => {
                    self.settle_all();
                    break;
                }
            }
        }
        let call = self.first.pop_front().or_else(|| self.last.pop_front())?;
        Some(Ok(call))
    }
}

impl DoubleEndedIterator for ToolCalls {
    fn next_back(&mut self) -> Option<Self::Item> {
        while self.last.is_empty() {
            match self.rows.next_back() {
                Some(Ok(row)) => {
                    // The results before a reply belong to the previous one.
                    if is_another_reply(&row, &self.back)
                        && let Some(begin) = self.back.iter().rposition(|row| reply_of(row).is_some())
                    {
                        prepend(&mut self.last, settled(self.back.drain(..=begin).rev()));
                        self.uncalled = self.back.iter().flat_map(results_in).map(str::to_owned).collect();
                    }
                    self.uncalled.extend(results_in(&row).map(str::to_owned));
                    close(&mut self.uncalled, calls_in(&row));
                    self.back.push(row);
                    if self.uncalled.is_empty() {
                        prepend(&mut self.last, settled(self.back.drain(..).rev()));
                    }
                }
                Some(Err(err)) => return Some(Err(err)),
                None => {
                    self.settle_all();
                    break;
                }
            }
        }
        let call = self.last.pop_back().or_else(|| self.first.pop_back())?;
        Some(Ok(call))
    }
}

impl std::iter::FusedIterator for ToolCalls {}

fn prepend(calls: &mut VecDeque<ToolCall>, earlier: Vec<ToolCall>) {
    for call in earlier.into_iter().rev() {
        calls.push_front(call);
    }
}

/// Returns the ids of a row's calls.
fn calls_in(row: &Row) -> impl Iterator<Item = &str> {
    let blocks = match row {
        Row::Assistant(reply) => &*reply.message.content,
        _ => &[],
    };
    blocks.iter().filter_map(|block| match block {
        Block::ToolUse { id, .. } => Some(&**id),
        _ => None,
    })
}

/// Returns the ids of the calls whose results are in a row.
fn results_in(row: &Row) -> impl Iterator<Item = &str> {
    let blocks = match row {
        Row::User(user) => &*user.message.content,
        _ => &[],
    };
    blocks.iter().filter_map(|block| match block {
        Block::ToolResult { tool_use_id, .. } => Some(&**tool_use_id),
        _ => None,
    })
}

/// Removes each id from the open ids, one occurrence each.
fn close<'a>(open: &mut Vec<String>, ids: impl Iterator<Item = &'a str>) {
    for id in ids {
        if let Some(at) = open.iter().rposition(|open| open == id) {
            open.remove(at);
        }
    }
}

/// Returns the id of the reply that a row belongs to.
fn reply_of(row: &Row) -> Option<&Option<String>> {
    match row {
        Row::Assistant(reply) => Some(&reply.message.id),
        _ => None,
    }
}

/// Returns `true` if a row belongs to a different reply than the last reply row in `known`.
fn is_another_reply(row: &Row, known: &[Row]) -> bool {
    let other = known.iter().rev().find_map(reply_of);
    reply_of(row).is_some_and(|id| other.is_some_and(|other| other != id))
}

/// Returns the calls in rows, with their outcomes.
///
/// The outcome of a call is the first result for its id before the next reply. If an id occurs twice in one reply, the
/// last call has the first result.
fn settled(rows: impl Iterator<Item = Row>) -> Vec<ToolCall> {
    let mut calls: Vec<ToolCall> = Vec::new();
    let (mut id, mut begin) = (None, 0);
    for row in rows {
        match row {
            Row::Assistant(reply) => {
                if reply.message.id != id {
                    begin = calls.len();
                    id.clone_from(&reply.message.id);
                }
                calls.extend(calls_of(reply));
            }
            Row::User(user) => {
                for (id, outcome) in outcomes_of(user) {
                    let mut calls = calls[begin..].iter_mut().rev();
                    // A result without a call is a second one, or its call is before the part that is read.
                    if let Some(call) = calls.find(|call| call.id == id && call.outcome.is_none()) {
                        call.outcome = Some(outcome);
                    }
                }
            }
            _ => {}
        }
    }
    calls
}

fn calls_of(reply: Assistant) -> impl Iterator<Item = ToolCall> {
    let timestamp = reply.timestamp;
    reply.message.content.into_iter().filter_map(move |block| match block {
        Block::ToolUse { id, name, input } => {
            Some(ToolCall { id, name, input, timestamp: timestamp.clone(), outcome: None })
        }
        _ => None,
    })
}

fn outcomes_of(user: User) -> impl Iterator<Item = (String, Outcome)> {
    let is_result = |block: &&Block| matches!(block, Block::ToolResult { .. });
    let is_one = user.message.content.iter().filter(is_result).count() == 1;
    // With several results, the row does not say which one the output belongs to.
    let mut response = user.tool_use_result.filter(|_| is_one);
    user.message.content.into_iter().filter_map(move |block| match block {
        Block::ToolResult { tool_use_id, content, is_error } => {
            let response = response.take();
            Some((tool_use_id, Outcome { is_error, content, response }))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::{call, lines, reply, result, transcript};

    #[test]
    fn a_call_without_an_outcome_does_not_delay_later_calls() {
        let mut rows = vec![reply("1", &call("lost"))];
        for index in 2..100 {
            rows.push(reply(&index.to_string(), &call(&format!("c{index}"))));
            rows.push(result(&format!("c{index}"), "done"));
        }
        let mut calls = transcript(lines(&rows)).tool_calls();
        for _ in 0..99 {
            calls.next().unwrap().unwrap();
            assert!(calls.front.len() <= 1);
        }
        assert!(calls.next().is_none());
    }

    #[test]
    fn replies_without_an_id_are_released_with_their_results() {
        let rows: Vec<String> = (0..100)
            .flat_map(|index| {
                let id = format!("c{index}");
                let without_id = reply("1", &call(&id)).replacen(r#""id":"1","#, "", 1);
                assert!(!without_id.contains(r#""id":"1""#), "{without_id}");
                [without_id, result(&id, "done")]
            })
            .collect();
        let mut calls = transcript(lines(&rows)).tool_calls();
        for index in 0..50 {
            for (call, index) in [(calls.next(), index), (calls.next_back(), 99 - index)] {
                let call = call.unwrap().unwrap();
                assert_eq!((call.id, call.outcome.is_some()), (format!("c{index}"), true));
            }
            assert_eq!((calls.front.len(), calls.back.len()), (0, 0));
        }
        assert!(calls.next().is_none());
    }
}
