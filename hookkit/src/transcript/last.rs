//! The last reply of a turn. It is not in the transcript yet when the client calls the Stop hooks.

use std::sync::Arc;

use super::{Assistant, Block, Message, Row, Transcript};
use crate::Error;

impl Transcript {
    /// Adds the model's last reply, if the file does not have it yet.
    ///
    /// [`Stop::transcript`](crate::event::Stop::transcript) calls this with the text of the event.
    /// An added reply is an [`Assistant`] row at the end, with the text alone: it has no id, no model and no tokens.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn with_last_reply(mut self, text: &str) -> Result<Self, Error> {
        if !self.has_last_reply(text)? {
            let block = Block::Text { text: text.to_owned() };
            let message = Message { role: "assistant".to_owned(), content: vec![block], ..Message::default() };
            self.last = Some(Arc::new(Row::Assistant(Assistant { message, ..Assistant::default() })));
        }
        Ok(self)
    }

    /// Returns `true` if the model's text after the last prompt or tool result ends with this text.
    fn has_last_reply(&self, text: &str) -> Result<bool, Error> {
        // The client may join blocks of text differently.
        let plain = |text: &str| text.split_whitespace().collect::<String>();
        let mut texts = Vec::new();
        for row in self.conversation(&["user", "assistant"]).rev() {
            match row? {
                Row::User(_) => break,
                Row::Assistant(reply) if !reply.is_synthetic() => texts.push(plain(&reply.message.text())),
                _ => {}
            }
        }
        texts.reverse();
        Ok(texts.concat().ends_with(&plain(text)))
    }
}

#[cfg(test)]
mod tests {
    use crate::transcript::tests::{all, call, calls, lines, reply, result, said, transcript, user};
    use crate::transcript::{Row, Usage};

    /// Returns the texts of all replies, after adding the last reply of an event.
    fn replies(rows: &[String], last: &str) -> Vec<String> {
        let transcript = transcript(lines(rows)).with_last_reply(last).unwrap();
        let replies = all(|| transcript.rows().only(&["assistant"]));
        let text = |row: Row| match row {
            Row::Assistant(reply) => reply.message.text(),
            row => panic!("{row:?}"),
        };
        replies.into_iter().map(text).collect()
    }

    #[test]
    fn a_last_reply_that_is_not_in_the_file_is_added() {
        let prompt = user("\"go\"");
        let earlier = [prompt.clone(), reply("1", &said("Done."))];
        let called = [prompt.clone(), reply("1", &format!("{},{}", said("Done."), call("a"))), result("a", "Done.")];
        assert_eq!(replies(&[], "Done."), ["Done."]);
        assert_eq!(replies(std::slice::from_ref(&prompt), "Done."), ["Done."]);
        let expected = ["Done.", "Done."];
        assert_eq!(replies(&[&earlier[..], &earlier[..1]].concat(), "Done."), expected);
        assert_eq!(replies(&called, "Done."), ["Done.", "Done."]);
        let error = reply("2", &said("Done.")).replace(r#""model":"m""#, r#""model":"<synthetic>""#);
        assert_eq!(replies(&[prompt.clone(), error], "Done.").len(), 2);

        // A row that is being written has an incomplete line.
        let text = lines(&[prompt, reply("1", &said("Done."))]);
        let half = transcript(&text[..text.len() - 9]).with_last_reply("Done.").unwrap();
        assert_eq!(half.last_assistant_text().unwrap().as_deref(), Some("Done."));
        assert_eq!(half.usage().unwrap(), Usage::default());
        assert_eq!(all(|| half.this_turn().unwrap().rows()).len(), 2);
        assert_eq!(half.last_prompt().unwrap().as_deref(), Some("go"));
        assert_eq!(calls(&half), []);
    }

    #[test]
    fn a_last_reply_that_is_in_the_file_is_not_added() {
        let prompt = user("\"go\"");
        let rows = [prompt.clone(), reply("1", &said("Done."))];
        assert_eq!(replies(&rows, "Done."), ["Done."]);
        let expected = ["Done."];
        assert_eq!(replies(&[&rows[..], &[r#"{"type":"system"}"#.to_owned()]].concat(), "Done.\n"), expected);
        // The rows of one reply, and its text as a client could join it.
        let rows = [prompt, reply("1", &said("One")), reply("1", &said("two."))];
        for text in ["One\ntwo.", "One\n\ntwo.", "Onetwo.", "two."] {
            assert_eq!(replies(&rows, text), ["One", "two."], "{text}");
        }
    }
}
