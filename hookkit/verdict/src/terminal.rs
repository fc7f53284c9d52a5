//! Verdicts on `terminalSequence`: escape sequences from a hook to the user's terminal.

use hookkit_protocol::terminal::rejection;

use super::Judge;
use super::schema::Answer;
use crate::rule;

impl Judge<'_> {
    pub(super) fn terminal_sequence(&mut self, answer: &Answer) {
        let (Some(value), Some(sequence)) = (answer.top("terminalSequence"), answer.text("terminalSequence")) else {
            return;
        };
        match rejection(sequence) {
            None => self.effect("terminalSequence", value, rule::TERMINAL),
            Some(why) => self.dropped_as("`terminalSequence`", why, rule::TERMINAL_DENIED),
        }
    }
}
