//! The tool calls of a conversation, each with what came of it.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::block::{Block, text_of};
use super::row::{Assistant, Row, User};
use super::{Conversation, Transcript};
use crate::{Error, Json};

/// A call of a tool, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// The call's id, the `tool_use_id` of events.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Input of the tool, as the model wrote it: a hook may have changed it.
    ///
    /// A [tool's type](crate::tool) reads it: `call.input.decode::<tool::Bash>()`.
    pub input: Json,
    /// When the model called it, as ISO 8601 in UTC.
    pub timestamp: String,
    /// Outcome. `None` while the call runs, and where the session ended before it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

impl ToolCall {
    /// Returns `true` if it has an outcome that is not an error.
    pub fn succeeded(&self) -> bool {
        self.outcome.as_ref().is_some_and(|outcome| !outcome.is_error)
    }
}

/// The outcome of a tool call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outcome {
    /// `true` if it failed, or was refused: by a rule, a hook or the user.
    pub is_error: bool,
    /// Content that the model read.
    pub content: Vec<Block>,
    /// The tool's structured output, the `tool_response` of PostToolUse. Of a call that failed it is a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Json>,
}

impl Outcome {
    /// Returns the text that the model read, without images and the like.
    pub fn text(&self) -> String {
        text_of(&self.content)
    }
}

/// The tool calls of a conversation, from either end. See [`Transcript::tool_calls`].
#[derive(Debug)]
pub struct ToolCalls {
    rows: Conversation,
    /// Calls whose outcomes are known: from the front, and from the back.
    first: VecDeque<ToolCall>,
    last: VecDeque<ToolCall>,
    /// Rows from the front, from the beginning of a reply on that may go on.
    front: Vec<Row>,
    /// The ids of their calls that have no result yet.
    unanswered: Vec<String>,
    /// Rows from the back, the last one first, down to a reply that may have begun before.
    back: Vec<Row>,
    /// The ids of their results that have no call yet.
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

    /// Settles what is left when both ends have met.
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
                    // The model goes on when it has the results of all calls that it has made.
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
                    // The results before a reply are those of the one before it.
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

/// The ids of a row's calls.
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

/// The ids of the calls whose results a row has.
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

/// Removes each of these ids from the open ones, once.
fn close<'a>(open: &mut Vec<String>, ids: impl Iterator<Item = &'a str>) {
    for id in ids {
        if let Some(at) = open.iter().rposition(|open| open == id) {
            open.remove(at);
        }
    }
}

/// The id of the reply that a row belongs to.
fn reply_of(row: &Row) -> Option<&Option<String>> {
    match row {
        Row::Assistant(reply) => Some(&reply.message.id),
        _ => None,
    }
}

/// Returns whether a row is of another reply than these rows, of which the last is the nearest.
fn is_another_reply(row: &Row, known: &[Row]) -> bool {
    let other = known.iter().rev().find_map(reply_of);
    reply_of(row).is_some_and(|id| other.is_some_and(|other| other != id))
}

/// The calls of rows, each with its outcome: the first result for its id before the next reply. Where an id is in one
/// reply twice, the last call has the first result.
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
                    // Without a call it is a result from before the part that is read, or a second one.
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
        Block::ToolUse { id, name, input } => Some(ToolCall {
            id,
            name,
            input,
            timestamp: timestamp.clone(),
            outcome: None,
        }),
        _ => None,
    })
}

fn outcomes_of(user: User) -> impl Iterator<Item = (String, Outcome)> {
    let is_result = |block: &&Block| matches!(block, Block::ToolResult { .. });
    let is_one = user.message.content.iter().filter(is_result).count() == 1;
    // Of several results it is unknown which one this is.
    let mut response = user.tool_use_result.filter(|_| is_one);
    user.message.content.into_iter().filter_map(move |block| match block {
        Block::ToolResult {
            tool_use_id,
            content,
            is_error,
        } => {
            let response = response.take();
            Some((
                tool_use_id,
                Outcome {
                    is_error,
                    content,
                    response,
                },
            ))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::{call, lines, reply, result, transcript};

    #[test]
    fn a_call_without_an_outcome_holds_back_none_of_a_later_reply() {
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
    fn replies_without_an_id_are_let_go_with_their_results() {
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
