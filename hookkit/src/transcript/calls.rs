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
    /// What the tool was given, as the model wrote it: a hook may have changed it.
    ///
    /// A [tool's type](crate::tool) reads it: `call.input.decode::<tool::Bash>()`.
    pub input: Json,
    /// When the model called it, as ISO 8601 in UTC.
    pub timestamp: String,
    /// What came of it. None while it runs, and where the session ended before it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

impl ToolCall {
    /// Whether it has an outcome that is no error.
    pub fn succeeded(&self) -> bool {
        self.outcome.as_ref().is_some_and(|outcome| !outcome.is_error)
    }
}

/// What came of a tool call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outcome {
    /// Whether it failed, or was refused: by a rule, a hook or the user.
    pub is_error: bool,
    /// What the model was told.
    pub content: Vec<Block>,
    /// The tool's structured output, the `tool_response` of PostToolUse. Of a call that failed it is a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Json>,
}

impl Outcome {
    /// What the model was told, without images and the like.
    pub fn text(&self) -> String {
        text_of(&self.content)
    }
}

/// The tool calls of a conversation, from either end. See [`Transcript::tool_calls`].
#[derive(Debug)]
pub struct ToolCalls {
    rows: Conversation,
    /// Calls from the front whose outcome, or that of one before them, was not met yet.
    front: VecDeque<Pending>,
    /// Calls of the row that was taken last from the back, with their outcomes.
    back: Vec<ToolCall>,
    /// Outcomes from the back whose calls were not met yet, the first of the file last.
    outcomes: Vec<Found>,
}

#[derive(Debug)]
struct Found {
    /// The call's id.
    id: String,
    outcome: Outcome,
    /// The reply, by its id, that stands between it and what was not read yet, if there is one.
    behind: Option<Option<String>>,
}

#[derive(Debug)]
struct Pending {
    call: ToolCall,
    /// The reply that it is of.
    reply: Option<String>,
    /// Whether it has an outcome, or will have none.
    is_settled: bool,
}

impl ToolCalls {
    pub(super) fn new(transcript: &Transcript) -> Self {
        Self {
            rows: transcript.conversation(&["user", "assistant"]),
            front: VecDeque::new(),
            back: Vec::new(),
            outcomes: Vec::new(),
        }
    }

    /// Takes calls from the front.
    fn called(&mut self, reply: Assistant) {
        let id = reply.message.id.clone();
        // The model goes on when it has the results of all calls that it has made.
        for pending in &mut self.front {
            pending.is_settled |= pending.reply != id;
        }
        self.front.extend(calls_of(reply).map(|call| Pending {
            call,
            reply: id.clone(),
            is_settled: false,
        }));
    }

    /// Takes outcomes from the front.
    fn came_of(&mut self, user: User) {
        for (id, outcome) in outcomes_of(user) {
            // Where an id stands twice the last call has the first result, as it does from the back.
            let mut calls = self.front.iter_mut().rev();
            // Without a call it is a result from before the part that is read, or a second one.
            if let Some(pending) = calls.find(|pending| pending.call.id == id && !pending.is_settled) {
                pending.call.outcome = Some(outcome);
                pending.is_settled = true;
            }
        }
    }

    /// Takes calls from the back.
    fn called_before(&mut self, reply: Assistant) {
        let id = reply.message.id.clone();
        let is_other = |found: &Found| found.behind.as_ref().is_some_and(|reply| *reply != id);
        self.outcomes.retain(|found| !is_other(found));
        for found in &mut self.outcomes {
            found.behind = Some(id.clone());
        }
        let mut calls: Vec<ToolCall> = calls_of(reply).collect();
        for call in calls.iter_mut().rev() {
            call.outcome = self.outcome(&call.id, |_| true);
        }
        self.back.extend(calls);
    }

    /// Takes outcomes from the back.
    fn came_of_before(&mut self, user: User) {
        let at = self.outcomes.len();
        self.outcomes.extend(outcomes_of(user).map(|(id, outcome)| Found {
            id,
            outcome,
            behind: None,
        }));
        self.outcomes[at..].reverse();
    }

    /// Gives the calls from the front their outcomes that were met from the back, when there are no more rows.
    fn settle(&mut self) {
        let mut front = std::mem::take(&mut self.front);
        for pending in front.iter_mut().rev().filter(|pending| !pending.is_settled) {
            let reply = &pending.reply;
            pending.call.outcome = self.outcome(&pending.call.id, |behind| behind == reply);
            pending.is_settled = true;
        }
        self.front = front;
    }

    /// The first outcome of a call that was met from the back, with nothing or one of these replies before it.
    fn outcome(&mut self, id: &str, is_of: impl Fn(&Option<String>) -> bool) -> Option<Outcome> {
        let is_its = |found: &Found| found.id == id && found.behind.as_ref().is_none_or(&is_of);
        let at = self.outcomes.iter().rposition(is_its)?;
        Some(self.outcomes.remove(at).outcome)
    }
}

impl Iterator for ToolCalls {
    type Item = Result<ToolCall, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.front.front().is_some_and(|pending| pending.is_settled) {
                return Some(Ok(self.front.pop_front()?.call));
            }
            match self.rows.next() {
                Some(Ok(Row::Assistant(reply))) => self.called(reply),
                Some(Ok(Row::User(user))) => self.came_of(user),
                Some(Ok(_)) => {}
                Some(Err(err)) => return Some(Err(err)),
                None => break,
            }
        }
        self.settle();
        match self.front.pop_front() {
            Some(pending) => Some(Ok(pending.call)),
            None if self.back.is_empty() => None,
            None => Some(Ok(self.back.remove(0))),
        }
    }
}

impl DoubleEndedIterator for ToolCalls {
    fn next_back(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(call) = self.back.pop() {
                return Some(Ok(call));
            }
            match self.rows.next_back() {
                Some(Ok(Row::Assistant(reply))) => self.called_before(reply),
                Some(Ok(Row::User(user))) => self.came_of_before(user),
                Some(Ok(_)) => {}
                Some(Err(err)) => return Some(Err(err)),
                None => {
                    self.settle();
                    return self.front.pop_back().map(|pending| Ok(pending.call));
                }
            }
        }
    }
}

impl std::iter::FusedIterator for ToolCalls {}

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
    // Of several results nobody says whose it is.
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
}
