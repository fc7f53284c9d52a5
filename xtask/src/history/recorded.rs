//! Runs recorded by hooks: payloads and answers. hookkit's `record.rs` describes the format.

pub(crate) mod sessions;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use hookkit_json::Scanned;
use hookkit_verdict::{End, Ran};

use crate::disk::bounded;
use crate::history::lines::{Line, Lines};
use crate::history::row::number;
use crate::history::times::iso;

/// A recorded run.
pub(crate) struct Recorded<T> {
    /// The part of the run's first line to keep.
    pub(crate) begun: T,
    /// The end of the run. `None` if it was killed, or has not ended yet.
    pub(crate) ended: Option<Ended>,
}

/// The first line of a run.
pub(crate) struct Begun<'l>(Scanned<'l>);

impl<'l> Begun<'l> {
    pub(crate) fn is_of(&self, package: &str, hook: &str) -> bool {
        self.0.has("package", package) && self.0.has("hook", hook)
    }

    /// Returns the hook's command, as in the settings.
    fn command(&self) -> Option<String> {
        self.0.string("command")
    }

    /// Returns `true` if the client waited for the hook.
    fn is_awaited(&self) -> bool {
        self.0.get("mode").is_none()
    }

    /// Returns the time in ISO 8601 and UTC, as in transcripts.
    pub(crate) fn time(&self) -> Option<String> {
        let at = UNIX_EPOCH.checked_add(Duration::from_millis(number(&self.0, "at")?))?;
        // The crate only formats four-digit years.
        let is_sane = at.duration_since(UNIX_EPOCH).ok()?.as_secs() < 253_402_300_800;
        is_sane.then(|| iso(at))
    }

    /// Returns the JSON that the hook received. `None` if it was too long to record.
    pub(crate) fn payload(&self) -> Option<&'l [u8]> {
        self.0.get("payload")
    }
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ended {
    pub(crate) microseconds: u64,
    pub(crate) exit_code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    fn of(row: &Scanned<'_>) -> Option<Self> {
        /// Maximum duration of a run: longer ones are impossible, and sums would overflow.
        const YEAR: u64 = 366 * 24 * 60 * 60 * 1_000_000;
        Some(Self {
            microseconds: number(row, "microseconds")?.min(YEAR),
            exit_code: number(row, "exit_code")?.try_into().ok()?,
            stdout: row.string("stdout").unwrap_or_default(),
            stderr: row.string("stderr").unwrap_or_default(),
        })
    }

    /// Returns the run as the client saw it.
    pub(crate) fn ran(&self) -> Ran {
        Ran::ended(End::Exited(self.exit_code)).stdout(&*self.stdout).stderr(&*self.stderr)
    }
}

/// Returns a record and the older one next to it, the older one first. Either may be missing.
pub(crate) fn files(record: &Path) -> [PathBuf; 2] {
    [record.with_extension("old.jsonl"), record.to_owned()]
}

/// Reads the runs in files, sorted by start time. `take` returns the part of a run to keep, or `None` to drop the run.
///
/// Damaged lines are skipped, because a killed hook may have written part of a line.
///
/// # Errors
///
/// Fails if a file cannot be read. A missing file has no runs.
pub(crate) fn read<T>(
    files: &[PathBuf],
    mut take: impl FnMut(&Begun<'_>) -> Option<T>,
) -> io::Result<Vec<Recorded<T>>> {
    let mut runs: Vec<Recorded<T>> = Vec::new();
    let mut open: HashMap<String, usize> = HashMap::new();
    for file in files {
        let mut lines = match bounded::open(file) {
            Ok(file) => Lines::new(file),
            Err(err) if err.kind() == io::ErrorKind::NotFound => continue,
            Err(err) => return Err(err),
        };
        while let Some(line) = lines.next()? {
            let (Line::Whole(text) | Line::Last(text)) = line else {
                continue;
            };
            let Ok(row) = Scanned::scan(text) else { continue };
            let Some(id) = row.string("run") else { continue };
            if let Some(ended) = Ended::of(&row) {
                if let Some(run) = open.remove(&id).and_then(|at| runs.get_mut(at)) {
                    run.ended = Some(ended);
                }
            } else if let Some(begun) = take(&Begun(row)) {
                open.insert(id, runs.len());
                runs.push(Recorded { begun, ended: None });
            }
        }
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn runs_side_by_side_are_joined_across_both_files_and_damaged_lines_are_left_out() -> io::Result<()> {
        let folder = test_support::folder();
        let record = folder.path().join("runs.jsonl");
        let [older, newer] = files(&record);
        assert!(read(&[older.clone(), newer.clone()], |_| Some(()))?.is_empty());
        let begun = |run: &str, hook: &str| {
            format!(
                "{{\"run\":\"{run}\",\"hook\":\"{hook}\",\"package\":\"acme\",\"at\":1764054000123,\"payload\":{{\"run\":1}}}}\n"
            )
        };
        let ended =
            |run: &str| format!("{{\"run\":\"{run}\",\"microseconds\":7,\"exit_code\":2,\"stderr\":\"no\\n\"}}\n");
        let text = [begun("1", "guard"), begun("2", "guard"), "{\"run\":\"3\n".to_owned(), ended("0")].concat();
        fs::write(&older, text)?;
        let text =
            [ended("2"), begun("4", "other"), ended("1"), begun("5", "guard"), "{\"run\":\"6\"".to_owned()].concat();
        fs::write(&newer, text)?;
        let runs = read(&files(&record), |begun| {
            let payload = begun.payload().map(<[u8]>::to_vec);
            begun.is_of("acme", "guard").then(|| (begun.time(), payload))
        })?;
        let time = "2025-11-25T07:00:00.123Z".to_owned();
        for run in &runs {
            assert_eq!(run.begun, (Some(time.clone()), Some(br#"{"run":1}"#.to_vec())));
        }
        let expected = Ended { microseconds: 7, exit_code: 2, stdout: String::new(), stderr: "no\n".to_owned() };
        let ends: Vec<Option<Ended>> = runs.into_iter().map(|run| run.ended).collect();
        assert_eq!(ends, [Some(expected.clone()), Some(expected), None]);
        Ok(())
    }
}
