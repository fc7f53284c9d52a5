//! Escape sequences for the user's terminal, and the answer that contains only a sequence.

use std::fmt::Write;

use hookkit_protocol::terminal::{self, begins_with_a_number};

use super::Answer;
use super::meaning::Value;
use crate::event::TakesTerminalSequence;
use crate::json::Object;
use crate::{Error, Payload, Response};

/// An escape sequence for the user's terminal: a bell, a title, a notification, progress.
///
/// A hook does not have a terminal. The client writes the sequence to its own terminal
/// (`terminalSequence`, since client 2.1.141), which only an interactive session has.
/// Terminals differ in the notifications that they support: most of them `OSC 9`, kitty `OSC 99`, and urxvt, foot and
/// Ghostty `OSC 777`.
///
/// Control characters are removed from every text. A sequence that the client rejects is an error:
///
/// ```
/// use hookkit::answer::TerminalSequence;
///
/// assert_eq!(TerminalSequence::title("the\nbuild").as_str(), "\x1b]2;thebuild\x07");
/// assert!(TerminalSequence::raw("\x1b[2J").is_err(), "it would clear the screen");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalSequence(String);

const BELL: char = '\x07';
const ESCAPE: char = '\x1b';

impl From<TerminalSequence> for Value {
    fn from(sequence: TerminalSequence) -> Self {
        Self::Whole(sequence.0)
    }
}

/// Progress, shown in the terminal's tab or the taskbar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// Removes the progress display.
    None,
    /// Percentage of the work that is done.
    Percent(u8),
    /// Failed; the percentage that was done by then.
    Failed(u8),
    /// Running, with an unknown percentage.
    Unknown,
    /// Paused; the percentage that is done.
    Paused(u8),
}

/// Maximum length of a text in a sequence, in bytes: two texts fit into one sequence.
const TEXT_LIMIT: usize = 1_500;

impl TerminalSequence {
    /// Rings the bell.
    pub fn bell() -> Self {
        Self("\x07".to_owned())
    }

    /// Sets the title of the window or the tab (`OSC 2`).
    pub fn title(title: &str) -> Self {
        Self::osc(format_args!("2;{}", text(title)))
    }

    /// Shows a notification (`OSC 9`).
    ///
    /// A `·` is added before a message that begins with a number: without it, the client drops the message, because
    /// terminals read the number as a command.
    pub fn notification(message: &str) -> Self {
        let message = text(message);
        let mark = if begins_with_a_number(&message) { "· " } else { "" };
        Self::osc(format_args!("9;{mark}{message}"))
    }

    /// Shows a notification with a title, for kitty (`OSC 99`).
    pub fn notification_99(title: &str, message: &str) -> Self {
        let title = Self::osc(format_args!("99;i=hookkit:d=0;{}", text(title)));
        let message = Self::osc(format_args!("99;i=hookkit:p=body;{}", text(message)));
        Self(title.0 + &message.0)
    }

    /// Shows a notification with a title, for urxvt, foot and Ghostty (`OSC 777`).
    pub fn notification_777(title: &str, message: &str) -> Self {
        // A semicolon would end the title.
        let title = text(title).replace(';', ",");
        Self::osc(format_args!("777;notify;{title};{}", text(message)))
    }

    /// Shows progress (`OSC 9;4`). A percentage above 100 becomes 100.
    pub fn progress(progress: Progress) -> Self {
        match progress {
            Progress::None => Self::osc(format_args!("9;4;0")),
            Progress::Percent(percent) => Self::osc(format_args!("9;4;1;{}", percent.min(100))),
            Progress::Failed(percent) => Self::osc(format_args!("9;4;2;{}", percent.min(100))),
            Progress::Unknown => Self::osc(format_args!("9;4;3")),
            Progress::Paused(percent) => Self::osc(format_args!("9;4;4;{}", percent.min(100))),
        }
    }

    /// Wraps bells and sequences: `OSC` 0, 1, 2, 9, 99 and 777, each terminated by `BEL` or `ST`.
    ///
    /// # Errors
    ///
    /// Fails if the client would drop the text (client 2.1.330): if it has more than 4,096 bytes, or contains control
    /// characters within a sequence, an `OSC 9` that begins with a number but is not progress, or anything other than
    /// bells and sequences.
    pub fn raw(sequence: impl Into<String>) -> Result<Self, Error> {
        let sequence = sequence.into();
        let why = match terminal::rejection(&sequence) {
            Some(why) => why,
            // The client would remove them.
            None if sequence.contains(|c: char| c.is_control() && c != BELL && c != ESCAPE) => {
                "its text contains control characters".to_owned()
            }
            None => return Ok(Self(sequence)),
        };
        Err(Error::msg(format_args!("the client does not accept this terminal sequence: {why}")))
    }

    /// Appends another sequence.
    ///
    /// # Errors
    ///
    /// Fails if both together are longer than 4,096 bytes.
    pub fn and(self, other: Self) -> Result<Self, Error> {
        Self::raw(self.0 + &other.0)
    }

    /// Returns the sequence.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn osc(body: std::fmt::Arguments<'_>) -> Self {
        let mut sequence = String::new();
        // A string can always be written to.
        let _ = write!(sequence, "\x1b]{body}\x07");
        Self(sequence)
    }
}

/// A sequence for the user's terminal: the answer of a hook on several events, and the only answer to some events.
///
/// ```
/// use hookkit::answer::TerminalSequence;
/// use hookkit::prelude::*;
///
/// /// Rings the bell when the model is done, and when it waits for the user.
/// #[hook(Stop | Notification)]
/// pub fn ring() -> TerminalAnswer {
///     TerminalAnswer::pass().with_terminal_sequence(TerminalSequence::bell())
/// }
/// # fn main() {}
/// ```
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TerminalAnswer {
    terminal_sequence: Option<TerminalSequence>,
}

impl TerminalAnswer {
    /// Has no effect.
    pub fn pass() -> Self {
        Self::default()
    }

    /// Adds a sequence for the user's terminal (`terminalSequence`). Only an interactive session has one.
    pub fn with_terminal_sequence(mut self, sequence: TerminalSequence) -> Self {
        self.terminal_sequence = Some(sequence);
        self
    }

    /// Encodes the answer, in the same way on every event. The encoder of the other answers would add 3 KB to the hook.
    fn response(&self) -> Response {
        let mut stdout = Vec::new();
        if let Some(TerminalSequence(sequence)) = &self.terminal_sequence {
            let mut answer = Object::new(&mut stdout);
            answer.string("terminalSequence", sequence);
            answer.end();
        }
        Response { stdout, ..Response::default() }
    }
}

impl<E: TakesTerminalSequence> Answer<E> for TerminalAnswer {
    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        Ok(self.response())
    }
}

/// Cuts a text at the limit and removes control characters.
fn text(text: &str) -> String {
    let short = text.char_indices().take_while(|(at, character)| at + character.len_utf8() <= TEXT_LIMIT);
    short.map(|(_, character)| character).filter(|character| !character.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_sequences_are_accepted() {
        let long = "\u{1b}]0;x\u{7}ö".repeat(2_000);
        for text in ["", "done", "3 tests failed", " -1", "a;b", "\u{1b}[2J", "\u{9b}2J\u{200b}7", long.as_str()] {
            for built in [
                TerminalSequence::title(text),
                TerminalSequence::notification(text),
                TerminalSequence::notification_99(text, text),
                TerminalSequence::notification_777(text, text),
            ] {
                assert_eq!(TerminalSequence::raw(built.as_str()).unwrap(), built, "{text:?}");
            }
        }
        for (progress, sequence) in [
            (Progress::None, "9;4;0"),
            (Progress::Percent(7), "9;4;1;7"),
            (Progress::Failed(200), "9;4;2;100"),
            (Progress::Unknown, "9;4;3"),
            (Progress::Paused(50), "9;4;4;50"),
        ] {
            let built = TerminalSequence::progress(progress);
            assert_eq!(built.as_str(), format!("\u{1b}]{sequence}\u{7}"));
            assert!(TerminalSequence::raw(built.as_str()).is_ok());
        }
    }

    #[test]
    fn raw_accepts_what_the_client_accepts() {
        test_support::lines!("lines/terminal.txt").check(|_, sequence| {
            let is_accepted = TerminalSequence::raw(sequence).is_ok();
            assert_eq!(terminal::rejection(sequence).is_none(), is_accepted, "{sequence:?}");
            if is_accepted { "accepted" } else { "rejected" }.into()
        });
        let with_a_line_end = "\u{1b}]2;a\nb\u{7}";
        assert_eq!(terminal::rejection(with_a_line_end), None, "the client removes it");
        assert!(TerminalSequence::raw(with_a_line_end).is_err(), "the line end would be lost");
        assert!(terminal::rejection("\u{1b}]9;\t2\u{7}").is_some(), "a number after a removed character");
        assert!(TerminalSequence::raw("\u{7}".repeat(4_097)).is_err());
        let bells = TerminalSequence::raw("\u{7}".repeat(4_095)).unwrap();
        let bells = bells.and(TerminalSequence::bell()).unwrap();
        assert!(bells.and(TerminalSequence::bell()).is_err());
    }
}
