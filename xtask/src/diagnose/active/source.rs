//! A file with hooks, as Claude Code reads it.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::disk::bounded;
use crate::settings::check::{Finding, Loss};
use crate::settings::document::{Document, Position, Refusal};
use crate::settings::folders::Scope;
use crate::settings::part::Part;
use crate::settings::reading::{self, Key, Standing};
use crate::terminal::quoted;

/// A file with hooks, or one that could have some.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) scope: Scope,
    pub(crate) path: PathBuf,
    pub(crate) state: State,
    /// All that stand in it, in the order of the text, also those that the client does not read.
    pub(crate) handlers: Vec<Handler>,
    /// The parts of it that the client would not read; that it turns hooks off is a [`Switch`](crate::diagnose::active::switches::Switch).
    pub(crate) findings: Vec<Finding>,
    /// The number of hooks that are left out of `handlers`, since there are too many.
    pub(crate) left_out: usize,
    /// Its text, as far as it is one.
    pub(crate) text: String,
    /// The text, parsed, of a settings file.
    pub(crate) document: Option<Document>,
    /// Why the text could not be parsed.
    pub(crate) refusal: Option<Refusal>,
    /// The keys beside `hooks`.
    keys: Vec<Key>,
}

/// A hook in a file.
pub(crate) type Handler = Standing;

/// The outcome of reading a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    Read,
    Missing,
    /// The client reads nothing of it, for these reasons.
    Dropped(Vec<String>),
    /// It cannot be told what is in it.
    Unreadable(String),
}

impl Source {
    pub(crate) fn read(scope: Scope, path: PathBuf, part: &Part<'_>) -> Self {
        let bytes = match bounded::read(&path) {
            Ok(bytes) => bytes,
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Self::new(scope, path, State::Missing),
            Err(err) => return Self::new(scope, path, State::Unreadable(err.to_string())),
        };
        Self::of_text(scope, path, read_as_the_client(&bytes), part)
    }

    pub(crate) fn of_text(scope: Scope, path: PathBuf, text: String, part: &Part<'_>) -> Self {
        let mut source = Self::new(scope, path, State::Read);
        match Document::parse(&text) {
            Ok(document) => {
                let reading = reading::read(&document, part);
                let whole = reading.findings.iter();
                let whole = whole.filter(|finding| matches!(finding.loss, Loss::File | Loss::Plugin));
                let reasons: Vec<String> = whole.map(reason).collect();
                if !reasons.is_empty() {
                    source.state = State::Dropped(reasons);
                }
                // Whether a switch holds is for all files together to say.
                let is_of_file = |finding: &Finding| finding.loss != Loss::EveryHook;
                source.findings = reading.findings.into_iter().filter(is_of_file).collect();
                (source.handlers, source.keys) = (reading.handlers, reading.keys);
                source.left_out = reading.left_out;
                // A plugin can have many files, and nothing more is asked of them.
                source.document = Some(document).filter(|_| *part == Part::Settings);
            }
            Err(refusal) => {
                source.state = State::Dropped(vec![refusal.to_string()]);
                source.refusal = Some(refusal);
            }
        }
        source.text = text;
        source
    }

    pub(crate) fn new(scope: Scope, path: PathBuf, state: State) -> Self {
        Self {
            scope,
            path,
            state,
            handlers: Vec::new(),
            findings: Vec::new(),
            left_out: 0,
            text: String::new(),
            document: None,
            refusal: None,
            keys: Vec::new(),
        }
    }

    /// That not all of its hooks are looked at, where it is so.
    pub(crate) fn limit(&self) -> Option<String> {
        let (looked_at, left_out) = (bounded::HOOKS, self.left_out);
        (left_out > 0)
            .then(|| format!("the first {looked_at} hooks of this file are looked at, and {left_out} are not"))
    }

    /// The last of the top keys of this name, where the client reads the file.
    pub(crate) fn key(&self, name: &str) -> Option<&Key> {
        let mut keys = self.keys.iter().rev().filter(|_| self.state == State::Read);
        keys.find(|key| key.name == name)
    }

    pub(crate) fn is_plugin(&self) -> bool {
        matches!(self.scope, Scope::Plugin { .. })
    }
}

/// The text that bytes are to the client (2.1.330): UTF-16 where they begin with its mark, else UTF-8, in which it reads
/// past what is none.
fn read_as_the_client(bytes: &[u8]) -> String {
    let Some(units) = bytes.strip_prefix(&UTF_16) else {
        return String::from_utf8_lossy(bytes).into_owned();
    };
    let units: Vec<u16> = units
        .chunks_exact(2)
        .map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
        .collect();
    String::from_utf16_lossy(&units)
}

/// The first bytes of a text in UTF-16, by which the client knows it.
const UTF_16: [u8; 2] = [0xff, 0xfe];

/// A finding without what it costs, which is told once for the file.
fn reason(finding: &Finding) -> String {
    format!("{}: {}; {}", finding.place, finding.what, finding.fix)
}

/// A place in a file, as compilers write it and editors open it.
pub(crate) fn at(path: &Path, place: Position) -> String {
    format!("{}:{}", path.display(), place.line)
}

impl Handler {
    fn text(&self, key: &str) -> Option<&str> {
        self.values.get(key)?.as_str()
    }

    /// `command`, `http`, `mcp_tool`, `prompt` or `agent`, as it stands there.
    pub(crate) fn kind(&self) -> &str {
        self.text("type").unwrap_or_default()
    }

    pub(crate) fn command(&self) -> Option<&str> {
        self.text("command")
    }

    /// Its `if`. An empty one is none, also on events where any other never holds (client 2.1.330).
    pub(crate) fn condition(&self) -> Option<&str> {
        self.text("if").filter(|rule| !rule.is_empty())
    }

    /// The program, server or model that it asks, on one line.
    pub(crate) fn what(&self) -> String {
        let text = |key: &str| self.text(key).unwrap_or_default();
        let what = match self.kind() {
            "http" => text("url").to_owned(),
            "mcp_tool" => format!("{} of the MCP server {}", text("tool"), text("server")),
            "prompt" | "agent" => text("prompt").to_owned(),
            _ => {
                let args = self.values.get("args").and_then(Value::as_array);
                let args = args.into_iter().flatten().filter_map(Value::as_str).map(quoted);
                [text("command").to_owned()]
                    .into_iter()
                    .chain(args)
                    .collect::<Vec<_>>()
                    .join(" ")
            }
        };
        what.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Its other keys that change when it runs, or what its exit code means, in words.
    pub(crate) fn conditions(&self) -> Vec<String> {
        let mut words = Vec::new();
        if !matches!(self.kind(), "command" | "") {
            words.push(self.kind().to_owned());
        }
        words.extend(self.condition().map(|rule| format!("if {rule}")));
        let timeout = self.values.get("timeout").and_then(Value::as_f64);
        words.extend(timeout.map(|seconds| format!("at most {seconds} s")));
        if self.text("onFailure") == Some("block") {
            words.push("a failure means block".to_owned());
        }
        let flags = ["async", "asyncRewake"].iter();
        let flags = flags.filter(|flag| self.values.get(**flag) == Some(&Value::Bool(true)));
        words.extend(flags.map(|flag| (*flag).to_owned()));
        words
    }

    /// Its event and matcher: `PreToolUse Edit|Write`.
    pub(crate) fn subject(&self) -> String {
        match self.matcher.as_deref() {
            None | Some("") => self.event.clone(),
            Some(matcher) => format!("{} {matcher}", self.event),
        }
    }
}
