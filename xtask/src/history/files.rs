//! Transcripts of past sessions.
//!
//! Claude Code 2.1.330 writes a session to `projects/PROJECT/SESSION.jsonl` below its configuration folder, and each
//! subagent to `projects/PROJECT/SESSION/subagents/agent-ID.jsonl`. It removes transcripts after 30 days, or after
//! `cleanupPeriodDays` if that setting is present.

use std::fs::{self, DirEntry};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;
use std::{iter, thread};

use anyhow::{Context, Result};

use crate::disk::files::entries;

/// A transcript.
pub(crate) struct Transcript {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
}

impl Transcript {
    /// Returns `true` if the transcript belongs to a subagent, whose conversation is part of a session.
    pub(crate) fn is_of_subagent(&self) -> bool {
        self.path.parent().is_some_and(|folder| folder.ends_with("subagents"))
    }
}

/// Returns the transcripts in a configuration folder written since a time, the largest first. Links are not followed.
///
/// # Errors
///
/// Fails if the folder cannot be read. Without transcripts, the list is empty.
pub(crate) fn since(configuration: &Path, since: SystemTime) -> Result<Vec<Transcript>> {
    let projects = configuration.join("projects");
    if !projects.is_dir() {
        return Ok(Vec::new());
    }
    let reading = || format!("reading {}", projects.display());
    let mut found = Vec::new();
    for project in fs::read_dir(&projects).with_context(reading)? {
        let project = project.with_context(reading)?;
        if is_folder(&project) {
            collect(&project.path(), 2, since, &mut found);
        }
    }
    // The largest determines the total time, so it is not started last.
    found.sort_by(|one: &Transcript, other| (other.bytes, &one.path).cmp(&(one.bytes, &other.path)));
    Ok(found)
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

/// Adds the transcripts in a folder and in this many levels of subfolders. Unreadable folders are skipped.
fn collect(folder: &Path, levels: usize, since: SystemTime, found: &mut Vec<Transcript>) {
    for entry in entries(folder) {
        let path = entry.path();
        if is_folder(&entry) {
            if levels > 0 {
                collect(&path, levels - 1, since, found);
            }
            continue;
        }
        // Links are not followed.
        let Ok(metadata) = entry.metadata() else { continue };
        let is_transcript = metadata.is_file() && path.extension().is_some_and(|extension| extension == "jsonl");
        if is_transcript && metadata.modified().is_ok_and(|modified| modified >= since) {
            found.push(Transcript { path, bytes: metadata.len() });
        }
    }
}

/// Processes transcripts in parallel, one at a time on each CPU core. Returns the results of all workers.
pub(crate) fn in_parallel<T: Send>(
    transcripts: &[Transcript],
    work: impl Fn(&mut dyn Iterator<Item = &Transcript>) -> T + Sync,
) -> Vec<T> {
    let next = Mutex::new(transcripts.iter());
    let work = || work(&mut iter::from_fn(|| next.lock().ok()?.next()));
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|done| done.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    use super::*;

    #[test]
    fn sessions_and_their_subagents_are_found_and_links_are_not() -> Result<()> {
        let folder = test_support::folder();
        let write = |name: &str, text: &str| -> Result<()> {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().context("no parent")?)?;
            Ok(fs::write(path, text)?)
        };
        assert!(since(folder.path(), SystemTime::UNIX_EPOCH)?.is_empty());
        write("projects/-app/one.jsonl", "{}\n")?;
        write("projects/-app/one/subagents/agent-a.jsonl", "{}\n{}\n")?;
        write("projects/-app/one/subagents/agent-a.meta.json", "{}\n")?;
        write("projects/-app/memory/notes.md", "notes\n")?;
        write("elsewhere/two.jsonl", "{}\n")?;
        symlink(folder.path().join("elsewhere"), folder.path().join("projects/-link"))?;
        symlink(folder.path().join("elsewhere/two.jsonl"), folder.path().join("projects/-app/two.jsonl"))?;
        let names = |since_: SystemTime| -> Result<Vec<String>> {
            let found = since(folder.path(), since_)?;
            let name = |found: Transcript| found.path.file_name().map(|name| name.to_string_lossy().into_owned());
            Ok(found.into_iter().filter_map(name).collect())
        };
        assert_eq!(names(SystemTime::UNIX_EPOCH)?, ["agent-a.jsonl", "one.jsonl"]);
        assert!(names(SystemTime::now() + Duration::from_secs(60))?.is_empty());
        Ok(())
    }
}
