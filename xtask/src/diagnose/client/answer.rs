//! The client's answer about the settings, and how it is printed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Serialize;

use crate::terminal::{listed, one_line};

/// The client's answer about the settings.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    /// Version, as the client prints it.
    pub(crate) version: String,
    pub(crate) milliseconds: u128,
    /// `true` if all hooks are turned off in the client.
    pub(crate) all_disabled: bool,
    pub(crate) files: Vec<File>,
    pub(crate) handlers: Vec<HandlerRow>,
    /// Events of the session, each with the texts that matchers were compared with.
    pub(crate) happened: BTreeMap<String, BTreeSet<String>>,
}

/// A settings file.
#[derive(Debug, Serialize)]
pub(crate) struct File {
    pub(crate) path: PathBuf,
    /// `true` if the client read it; `None` if it does not report that.
    pub(crate) read: Option<bool>,
    /// hookkit's reason for not giving the file to the client: its commands could not be separated from the rest.
    pub(crate) withheld: Option<String>,
    /// The client's messages about the parts that it skipped.
    pub(crate) said: Vec<String>,
}

/// A handler of a file.
#[derive(Debug, Serialize)]
pub(crate) struct HandlerRow {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) event: String,
    pub(crate) matcher: Option<String>,
    #[serde(rename = "if")]
    pub(crate) condition: Option<String>,
    /// Value of `type`.
    pub(crate) r#type: Option<String>,
    /// Command, URL, prompt or server.
    pub(crate) target: Option<String>,
    /// `true` if it is in the client's own list; `None` if the client has no such list.
    pub(crate) registered: Option<bool>,
    /// Number of times that it was started.
    pub(crate) fired: usize,
    /// Subjects on which it was started: tools, sources and the like.
    pub(crate) on: BTreeSet<String>,
    /// Reason why it was not started, as far as the client reports it.
    pub(crate) why: Option<String>,
}

impl Answer {
    /// Returns `true` if the client accepts everything in the files.
    pub(crate) fn is_clean(&self) -> bool {
        let is_read = |file: &File| file.read != Some(false) && file.said.is_empty();
        self.files.iter().all(is_read) && self.handlers.iter().all(|handler| handler.registered != Some(false))
    }

    pub(super) fn table(&self) -> String {
        let mut text = format!(
            "Claude Code {}, asked in an isolated session; no hook was run\n",
            // The client adds its name.
            self.version.trim_end_matches(" (Claude Code)")
        );
        for file in &self.files {
            let read = match file.read {
                Some(true) => "read",
                Some(false) => "not read",
                None => "the client does not report if it is read",
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\n{}: {read}", one_line(&file.path.display().to_string()));
            if let Some(reason) = &file.withheld {
                let _ = writeln!(text, "  {} (so the client was not given it)", one_line(reason));
            }
            for words in &file.said {
                let _ = writeln!(text, "  the client: {}", one_line(short(words)));
            }
            for handler in self.handlers.iter().filter(|handler| handler.file == file.path) {
                handler.write(&mut text);
            }
        }
        let happened = self.happened.iter().map(|(event, on)| match on.is_empty() {
            true => event.clone(),
            false => format!("{event} ({})", listed_plainly(on)),
        });
        let happened = happened.collect::<Vec<_>>().join(", ");
        if !happened.is_empty() {
            let _ = writeln!(text, "\nThe session had {}.", one_line(&happened));
        }
        text
    }
}

impl HandlerRow {
    fn write(&self, text: &mut String) {
        let matcher = self.matcher.as_ref().map(|matcher| format!(" {}", listed([matcher])));
        let condition = self.condition.as_ref().map(|rule| format!(", if {}", listed([rule])));
        let state = match (self.fired, self.registered) {
            (0, Some(true)) => "registered, not fired".to_owned(),
            (0, Some(false)) => "not registered".to_owned(),
            (0, None) => "not fired".to_owned(),
            (1, _) => "fired once".to_owned(),
            (count, _) => format!("fired {count} times"),
        };
        let on = match self.on.is_empty() {
            true => String::new(),
            false => format!(" on {}", listed_plainly(&self.on)),
        };
        let line = format!(
            "{}:{}  {}{}{}: {state}{on}",
            self.file.display(),
            self.line,
            self.event,
            matcher.unwrap_or_default(),
            condition.unwrap_or_default(),
        );
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {}", one_line(&line));
        if let Some(target) = &self.target {
            let target = target.lines().next().unwrap_or_default();
            let _ = writeln!(text, "    {}", one_line(target));
        }
        if let Some(why) = &self.why {
            let _ = writeln!(text, "    {}", one_line(short(why)));
        }
    }
}

/// Returns a message of the client without the list of all events at its end.
fn short(words: &str) -> &str {
    words.split_once(" Valid events: ").map_or(words, |(words, _)| words)
}

pub(super) fn listed_plainly(names: &BTreeSet<String>) -> String {
    names.iter().cloned().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_files_and_of_the_client_cannot_forge_lines() {
        let forged = || "a\nhookkit: hook `other` failed\r\u{1b}[2J\u{202e}".to_owned();
        let path = PathBuf::from(forged());
        let answer = Answer {
            version: "2.1.330".to_owned(),
            milliseconds: 0,
            all_disabled: false,
            files: vec![File {
                path: path.clone(),
                read: Some(false),
                withheld: Some(forged()),
                said: vec![forged()],
            }],
            handlers: vec![HandlerRow {
                file: path,
                line: 1,
                column: 1,
                event: forged(),
                matcher: Some(forged()),
                condition: Some(forged()),
                r#type: Some(forged()),
                target: Some(forged()),
                registered: Some(false),
                fired: 0,
                on: [forged()].into(),
                why: Some(forged()),
            }],
            happened: [(forged(), [forged()].into())].into(),
        };
        let table = answer.table();
        assert!(
            table.contains("a hookkit: hook `other` failed \\u001b[2J\\u202e"),
            "{table}"
        );
        assert!(!table.lines().any(|line| line.starts_with("hookkit")), "{table}");
    }
}
