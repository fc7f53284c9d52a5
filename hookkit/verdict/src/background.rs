//! Verdicts on hooks in the background, for which the client does not wait.

use hookkit_protocol::hook::Mode;
use hookkit_protocol::output::Block;

use super::node::Node;
use super::schema;
use super::stdout;
use super::{Action, Channel, Judge};
use crate::{End, rule};

impl Judge<'_> {
    /// Judges a hook for which the client did not wait.
    ///
    /// In the client's code, exit code 2 can also block after the `async: true` marker. This was never observed,
    /// however quickly the hook ended: the client had already gone on (client 2.1.330).
    pub(super) fn background(&mut self) {
        self.because(match self.ran.mode {
            Mode::Awaited => rule::MARKER,
            Mode::Async | Mode::AsyncRewake => rule::BACKGROUND,
        });
        if self.event.block != Block::Ignored && self.verdict.action == Action::GoesOn {
            self.verdict.action = Action::NotAwaited;
        }
        if self.ran.mode != Mode::AsyncRewake {
            self.late_answer();
            self.drop_if("exit code 2", self.ran.status() == 2, self.verdict.because[0]);
            self.drop_stderr(self.verdict.because[0]);
        } else if self.ran.end == End::Exited(2) {
            self.wake();
        } else {
            self.drop_if("stdout", !stdout::trim(&self.ran.out()).is_empty(), rule::WAKES_ALONE);
            self.drop_stderr(rule::WAKES_ALONE);
        }
    }

    fn wake(&mut self) {
        let (out, err) = (self.ran.out(), self.ran.err());
        let text = if err.is_empty() { out } else { err };
        self.is_stderr_used = true;
        self.because(rule::WAKE);
        // On every event the name has the matcher's target here.
        let name = match &self.ran.target {
            Some(target) => format!("{}:{target}", self.event.name),
            None => self.event.name.to_owned(),
        };
        let before = format!("Stop hook blocking error from command \"{name}\":");
        self.model_reads(Channel::Later, format!("{before} {text}"), rule::WAKE);
    }

    /// Applies the last object on stdout. If the object fits the schema, unknown keys are dropped; if not, it is read
    /// unchanged.
    fn late_answer(&mut self) {
        let out = self.ran.out();
        let objects = |text: &str| {
            let node = Node::parse(stdout::trim(text))?;
            (matches!(node, Node::Map(_)) && !schema::is_marker(&node)).then_some(node)
        };
        let last = objects(&out).or_else(|| out.lines().rev().find_map(objects));
        let Some(answer) = last else {
            let is_text = !stdout::has_marker(&out) && !stdout::trim(&out).is_empty();
            self.drop_if("stdout", is_text, rule::LATE_UNREAD);
            return;
        };
        let specific = answer.get(schema::SPECIFIC);
        let unknown = schema::Answer::new(answer.clone()).map_or_else(|_| Vec::new(), |answer| answer.unknown_keys());
        let is_unknown = |key: &str| unknown.iter().any(|(unknown, _)| unknown == key);
        let context = specific
            .and_then(|specific| specific.get("additionalContext"))
            .filter(|_| !is_unknown(&format!("`{}.additionalContext`", schema::SPECIFIC)));
        for text in [answer.get("systemMessage"), context] {
            if let Some(text) = text.and_then(Node::text) {
                self.model_reads(Channel::Later, text, rule::LATE_CONTEXT);
            }
        }
        for (what, why) in &unknown {
            self.dropped_as(what, why, rule::UNKNOWN_KEY);
        }
        for key in answer.keys() {
            if !matches!(key, "systemMessage" | schema::SPECIFIC) && !is_unknown(&format!("`{key}`")) {
                self.dropped(format!("`{key}`"), rule::LATE_UNREAD);
            }
        }
        for key in specific.into_iter().flat_map(Node::keys) {
            let is_read = matches!(key, "additionalContext" | "hookEventName");
            if !is_read && !is_unknown(&format!("`{}.{key}`", schema::SPECIFIC)) {
                self.dropped(format!("`{key}`"), rule::LATE_UNREAD);
            }
        }
    }
}
