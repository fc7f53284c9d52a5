//! `terminalSequence`: what a hook may send to the user's terminal.

use hookkit_protocol::output::TERMINAL_SEQUENCE_LIMIT;

use super::schema::Answer;
use super::{Effect, Judge};
use crate::testing::rule;

impl Judge<'_> {
    pub(super) fn terminal_sequence(&mut self, answer: &Answer) {
        let (Some(value), Some(sequence)) = (answer.top("terminalSequence"), answer.text("terminalSequence")) else {
            return;
        };
        match refused(sequence) {
            None => self.verdict.effects.push(Effect {
                member: "terminalSequence",
                value: value.to_json(),
                rule: rule::TERMINAL,
            }),
            Some(why) => self.dropped_as("`terminalSequence`", why, rule::TERMINAL_REFUSED),
        }
    }
}

/// Why the client would not send a sequence to the terminal, if so.
fn refused(sequence: &str) -> Option<String> {
    const BELL: char = '\u{7}';
    const ESCAPE: char = '\u{1b}';
    if sequence.len() > TERMINAL_SEQUENCE_LIMIT {
        return Some(format!("it is longer than {TERMINAL_SEQUENCE_LIMIT} bytes"));
    }
    let mut rest = sequence;
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix(BELL) {
            rest = behind;
            continue;
        }
        let Some(body) = rest.strip_prefix("\u{1b}]") else {
            return Some("it holds something that is neither a bell nor an OSC sequence".to_owned());
        };
        let Some(end) = body.find([BELL, ESCAPE]) else {
            return Some("it holds an OSC sequence without an end".to_owned());
        };
        let (body, end) = body.split_at(end);
        rest = match end.strip_prefix(BELL).or_else(|| end.strip_prefix("\u{1b}\\")) {
            Some(behind) => behind,
            None => return Some("it holds an OSC sequence without an end".to_owned()),
        };
        let (number, payload) = body.split_once(';').unwrap_or((body, ""));
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let number: u32 = if is_number {
            number.parse().unwrap_or(u32::MAX)
        } else {
            u32::MAX
        };
        if ![0, 1, 2, 9, 99, 777].contains(&number) {
            return Some("it holds an OSC sequence other than 0, 1, 2, 9, 99 and 777".to_owned());
        }
        let payload: String = payload.chars().filter(|c| !c.is_control()).collect();
        if number == 9 && begins_with_number(&payload) && !is_progress(&payload) {
            return Some("the text of OSC 9 begins with a number".to_owned());
        }
    }
    None
}

fn begins_with_number(payload: &str) -> bool {
    let payload =
        payload.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\u{180e}' | '\u{200b}' | '\u{feff}'));
    let payload = payload.strip_prefix(['+', '-']).unwrap_or(payload);
    payload.starts_with(char::is_numeric)
}

/// `4;<0-4>`, with a percentage behind it or not.
fn is_progress(payload: &str) -> bool {
    let Some(rest) = payload.strip_prefix("4;") else {
        return false;
    };
    let (state, percentage) = match rest.split_once(';') {
        Some((state, percentage)) => (state, percentage),
        None => (rest, ""),
    };
    let is_percentage = percentage.is_empty()
        || percentage == "100"
        || (percentage.len() <= 2 && percentage.bytes().all(|byte| byte.is_ascii_digit()));
    matches!(state, "0" | "1" | "2" | "3" | "4") && is_percentage
}

#[cfg(test)]
mod tests {
    use super::refused;

    #[test]
    fn only_titles_notifications_and_bells_are_sent() {
        for sequence in [
            "\u{7}",
            "\u{1b}]0;title\u{7}",
            "\u{1b}]777;notify;a;b\u{1b}\\\u{7}",
            "\u{1b}]9;done\u{7}",
            "\u{1b}]9;4;1;50\u{7}",
            "\u{1b}]9;4;0\u{7}",
        ] {
            assert_eq!(refused(sequence), None, "{sequence:?}");
        }
        for sequence in [
            "text",
            "\u{1b}[31m",
            "\u{1b}]0;title",
            "\u{1b}]52;c;x\u{7}",
            "\u{1b}]0;a\u{1b}[0m\u{7}",
            "\u{1b}]9;12 tests\u{7}",
            "\u{1b}]9; -1\u{7}",
            "\u{1b}]9;4;5\u{7}",
            "\u{1b}];x\u{7}",
        ] {
            assert!(refused(sequence).is_some(), "{sequence:?}");
        }
        assert!(refused(&"\u{7}".repeat(4_096)).is_none());
        assert!(refused(&"\u{7}".repeat(4_097)).is_some());
    }
}
