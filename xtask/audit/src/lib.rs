//! Ships the audit of hooks. `hookkit-spool` defines its folder and its line format.
//!
//! Lines are sent in the order of their segments, each at least once. An offset is stored only after the receiver has
//! acknowledged its lines, so an interrupted run sends them again, with the same ids. A closed segment that was sent
//! completely is marked as shipped.

#![expect(clippy::disallowed_methods, reason = "the folder is the user's own, and the user names the files")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;
use std::{fmt, thread};

use anyhow::{Context, Result, ensure};
use hookkit_spool::{HEAD, Limits, Spool, State, first_id, lock_to_ship};
use serde_json::value::RawValue;

mod target;

pub use target::Target;

/// Size of a batch in bytes, unless one line is longer. Collectors accept 20 MiB.
const BATCH: u64 = 1 << 20;

/// Limits on the wait for an unreachable receiver.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Number of attempts for a batch.
    pub attempts: u32,
    /// The pause after the first attempt, which doubles after each.
    pub pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { attempts: 6, pause: Duration::from_secs(1) }
    }
}

/// Counts of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Shipped {
    /// Number of acknowledged lines.
    pub lines: u64,
    /// Number of damaged lines that were skipped.
    pub damaged: u64,
    /// Number of lines that the receiver rejected, and the last reason. They are not sent again.
    pub rejected: (u64, String),
}

impl Shipped {
    /// Returns `true` if no line was damaged or rejected.
    pub fn is_clean(&self) -> bool {
        self.damaged == 0 && self.rejected.0 == 0
    }
}

impl fmt::Display for Shipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shipped {} lines", self.lines)?;
        if self.damaged > 0 {
            write!(f, "\nwarning: {} damaged lines were skipped; they stay in the folder", self.damaged)?;
        }
        let (rejected, why) = &self.rejected;
        if *rejected > 0 {
            write!(f, "\nwarning: the receiver rejected {rejected} lines: {why}")?;
        }
        Ok(())
    }
}

/// The answer of a receiver to a batch.
enum Answer {
    /// The batch was accepted, except for this number of lines, which were rejected for this reason.
    Taken(u64, String),
    /// The batch was rejected. With fewer lines, it may be accepted.
    Refused(anyhow::Error),
    /// The batch may be accepted later, but not before this time.
    Later(anyhow::Error, Duration),
}

/// Number of lines that a receiver may reject one by one before it has accepted any. After that, it counts as the wrong
/// service.
const STRANGE: u64 = 100;

/// Ships all lines in the folder that are not shipped yet. `shipped` has the counts even if an error follows.
///
/// # Errors
///
/// Fails if the receiver does not accept a batch, or if another run is shipping. No line is lost: the next run
/// continues there.
pub fn ship(folder: &Path, target: &Target, patience: Patience, shipped: &mut Shipped) -> Result<()> {
    let spool = Spool::new(folder, Limits::default());
    let _lock = lock_to_ship(folder)
        .with_context(|| format!("reading {}", folder.display()))?
        .context("another run is shipping this folder")?;
    let before = spool.offsets()?;
    let (mut offsets, mut done) = (BTreeMap::new(), Vec::new());
    let segments = spool.segments()?;
    let left = || segments.iter().filter(|segment| segment.state != State::Shipped && !segment.id.is_empty());
    // Offsets of deleted segments are dropped.
    for segment in left() {
        offsets.extend(before.get(&segment.id).map(|offset| (segment.id.clone(), *offset)));
    }
    let mut run = Run { target, patience, shipped, has_taken: false };
    for segment in left() {
        let Ok(mut file) = File::open(&segment.path) else {
            continue;
        };
        // A hook has closed it in the meantime, so it has another name: the next run ships it.
        if first_id(&file).as_ref() != Some(&segment.id) && segment.state == State::Open {
            continue;
        }
        let mut offset = offsets.get(&segment.id).copied().unwrap_or_default();
        while let Some(text) = whole_lines(&mut file, offset)? {
            let (lines, damaged) = sound(&text);
            run.shipped.damaged += damaged;
            if !lines.is_empty() {
                run.send(&lines)?;
            }
            offset += text.len() as u64;
            offsets.insert(segment.id.clone(), offset);
            if run.is_trusted() {
                spool.set_offsets(&offsets)?;
            }
        }
        if segment.state == State::Closed {
            done.push(segment);
        }
        if run.is_trusted() && !done.is_empty() {
            for segment in done.drain(..) {
                spool.mark_shipped(segment)?;
                offsets.remove(&segment.id);
            }
            spool.set_offsets(&offsets)?;
        }
    }
    ensure!(
        run.is_trusted(),
        "the receiver accepts no lines, so all of them stay in the audit: {}",
        run.shipped.rejected.1
    );
    Ok(())
}

/// Returns the next complete lines of a file, up to the size of a batch or one longer line; `None` if there is no
/// complete line.
fn whole_lines(file: &mut File, offset: u64) -> Result<Option<Vec<u8>>> {
    let mut most = BATCH;
    loop {
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(offset))?;
        file.take(most).read_to_end(&mut text)?;
        if let Some(end) = text.iter().rposition(|byte| *byte == b'\n') {
            text.truncate(end + 1);
            return Ok(Some(text));
        }
        if (text.len() as u64) < most {
            return Ok(None);
        }
        most *= 2;
    }
}

/// Returns the valid lines, and the number of invalid ones: a single invalid line would make the whole batch invalid.
fn sound(text: &[u8]) -> (Vec<&[u8]>, u64) {
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let is_sound = |line: &&[u8]| {
        line.starts_with(HEAD.as_bytes()) && inner(line).is_some() && serde_json::from_slice::<&RawValue>(line).is_ok()
    };
    let (sound, damaged): (Vec<_>, Vec<_>) = lines.partition(is_sound);
    (sound, damaged.len() as u64)
}

/// A run and its counts so far.
struct Run<'r> {
    target: &'r Target,
    patience: Patience,
    shipped: &'r mut Shipped,
    /// `true` once the receiver has accepted a batch.
    has_taken: bool,
}

impl Run<'_> {
    /// Returns `false` if the receiver has only rejected lines: it may be the wrong service, and no offset is stored.
    fn is_trusted(&self) -> bool {
        self.has_taken || self.shipped.rejected.0 == 0
    }

    /// Sends a batch until it is accepted. A rejected batch is halved, so that a single line does not block the others.
    fn send(&mut self, lines: &[&[u8]]) -> Result<()> {
        let (rejected, why) = match self.answer(lines)? {
            Answer::Taken(rejected, why) => {
                self.has_taken = true;
                (rejected.min(lines.len() as u64), why)
            }
            Answer::Refused(err) if lines.len() > 1 => {
                if !self.has_taken && self.shipped.rejected.0 >= STRANGE {
                    return Err(err);
                }
                let (first, second) = lines.split_at(lines.len() / 2);
                self.send(first)?;
                return self.send(second);
            }
            Answer::Refused(err) => (1, err.to_string()),
            Answer::Later(err, _) => return Err(err),
        };
        self.shipped.lines += lines.len() as u64 - rejected;
        if rejected > 0 {
            self.shipped.rejected = (self.shipped.rejected.0 + rejected, why);
        }
        Ok(())
    }

    /// Sends a batch until there is a final answer.
    fn answer(&self, lines: &[&[u8]]) -> Result<Answer> {
        let mut pause = self.patience.pause;
        for attempt in 1.. {
            match self.target.send(lines)? {
                Answer::Later(err, least) if attempt >= self.patience.attempts => {
                    let said = format!("not accepted after {attempt} attempts; the next run sends it again");
                    return Ok(Answer::Later(err.context(said), least));
                }
                Answer::Later(_, least) => thread::sleep(pause.max(least).mul_f64(0.75 + fastrand::f64() / 2.0)),
                answer => return Ok(answer),
            }
            pause *= 2;
        }
        unreachable!("the last attempt returns")
    }
}

/// Joins a batch into one message. Each line is a message with one resource.
fn message(lines: &[&[u8]]) -> Result<Vec<u8>> {
    let resources = lines.iter().map(|line| inner(line).context("a line without a resource"));
    let resources = resources.collect::<Result<Vec<_>>>()?.join(&b',');
    Ok([br#"{"resourceLogs":["#, &resources[..], b"]}"].concat())
}

/// Returns the resource in a line.
fn inner(line: &[u8]) -> Option<&[u8]> {
    line.strip_prefix(br#"{"resourceLogs":["#)?.strip_suffix(b"]}")
}
