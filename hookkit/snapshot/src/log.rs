//! The rows of a store: its calls and snapshots.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::store::{Store, milliseconds, private};

/// Maximum number of bytes that are read from the end of the rows. [`Store::expire`] removes older rows.
const MOST: u64 = 64 << 20;

/// Name of the file with the number of the last snapshot.
const NUMBER: &str = "number";

/// Name of the file with the rows.
pub(crate) const LOG: &str = "calls.jsonl";

/// A row of `calls.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Row {
    /// A call that was about to run.
    Call(Call),
    /// A snapshot for the call with the same number.
    Kept {
        /// Number of the snapshot.
        number: u64,
        /// Time that the snapshot took.
        milliseconds: u64,
    },
}

/// A call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Number of the snapshot that has the files as they were before the call; 0 if it has none. [`Store::keep`] sets
    /// it.
    pub number: u64,
    /// Time, in milliseconds since 1970. [`Store::keep`] sets it.
    pub at: u64,
    /// Id of the session. Empty for a user's own command, to which the limit [`Bounds::store`](crate::Bounds::store)
    /// does not apply.
    pub session: String,
    /// Name of the tool.
    pub tool: String,
    /// Id of the call, if the client sent one.
    pub id: String,
    /// The command, or the edited file: the first 2,000 characters.
    pub about: String,
    /// Path of the session's transcript.
    pub transcript: String,
    /// Reason why no snapshot was taken before the call. [`Store::keep`] sets it.
    pub missed: Option<String>,
}

impl Call {
    /// Returns the call with this time.
    pub(crate) fn at(&self, time: SystemTime) -> Self {
        Self {
            at: milliseconds(time.duration_since(UNIX_EPOCH).unwrap_or_default()),
            about: self.about.chars().take(2000).collect(),
            ..self.clone()
        }
    }

    /// Returns the time of the call.
    pub fn time(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.at)
    }
}

impl Row {
    /// Returns the call, if the row is one.
    pub fn call(&self) -> Option<&Call> {
        match self {
            Self::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Returns the number of the row's snapshot.
    pub(crate) fn number(&self) -> u64 {
        match self {
            Self::Call(call) => call.number,
            Self::Kept { number, .. } => *number,
        }
    }

    /// Returns a line feed and the row. A killed process may have left half of a row before it.
    pub(crate) fn line(&self) -> io::Result<Vec<u8>> {
        let mut line = b"\n".to_vec();
        serde_json::to_writer(&mut line, self)?;
        Ok(line)
    }
}

impl Store {
    /// Returns the rows, the oldest first. Incomplete rows are omitted.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read. A missing file has no rows.
    pub fn rows(&self) -> io::Result<Vec<Row>> {
        use std::io::{Seek as _, SeekFrom};

        let mut file = match File::open(self.path(LOG)) {
            Err(err) if err.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened?,
        };
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(MOST)))?;
        let mut bytes = Vec::new();
        file.take(MOST).read_to_end(&mut bytes)?;
        let lines = bytes.split(|byte| *byte == b'\n');
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }

    /// Returns the calls, the oldest first.
    ///
    /// # Errors
    ///
    /// Fails if the rows cannot be read.
    pub fn calls(&self) -> io::Result<Vec<Call>> {
        let mut calls: Vec<Call> = Vec::new();
        for row in self.rows()? {
            let Row::Call(call) = row else { continue };
            // A snapshot that fails after its number was given is a second row, with the reason.
            let is_second = |first: &&mut Call| call.number > 0 && call.missed.is_some() && first.number == call.number;
            match calls.iter_mut().rev().find(is_second) {
                Some(first) => *first = call,
                None => calls.push(call),
            }
        }
        Ok(calls)
    }

    /// Returns the number of the next snapshot. No other snapshot has had it, not even an incomplete one.
    pub(crate) fn next_number(&self) -> io::Result<u64> {
        let read = fs::read_to_string(self.path(NUMBER)).unwrap_or_default();
        let last = match read.parse::<u64>() {
            Ok(last) => last,
            Err(_) => self.rows()?.iter().map(Row::number).max().unwrap_or_default(),
        };
        self.write(NUMBER, (last + 1).to_string().as_bytes())?;
        Ok(last + 1)
    }

    /// Adds a row.
    pub(crate) fn append(&self, row: &Row) -> io::Result<()> {
        private().append(true).open(self.path(LOG))?.write_all(&row.line()?)
    }
}
