//! Replays past events to hooks in a sandbox where they change nothing.

#![expect(clippy::disallowed_methods, reason = "the folder is temporary, and names in it are new")]

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::ValueEnum;
use hookkit_spool::without_quotations;
use hookkit_verdict::{Action, End, Ran, Verdict};

use crate::binaries::confined::Room;
use crate::binaries::definition::Definition;
use crate::binaries::sample::Sample;
use crate::binaries::trial::{self, Tried, change, ended, run_prepared};
use crate::disk::bounded;
use crate::history::files::{Transcript, in_parallel};
use crate::history::lines::{Line, Lines};
use crate::history::past::{Past, PastEvent};
use crate::history::row::{Row, blocks};
use crate::history::tally::Part;
use crate::history::timeline::Session;
use crate::history::times::Times;
use crate::terminal::one_line;

/// A hook to run on past events.
pub(crate) struct Candidate<'h> {
    pub(crate) hook: &'h Definition,
    pub(crate) binary: PathBuf,
    /// Binary of the version to compare.
    pub(crate) other: Option<PathBuf>,
}

/// A kind of answer, sorted from strongest to weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Kind {
    Failed,
    Denied,
    Asked,
    Changed,
    Allowed,
    Informed,
    Admitted,
}

impl Kind {
    pub(crate) fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// A hook's answer.
pub(crate) struct Answer {
    pub(crate) kind: Kind,
    /// The reason, or the text that the model reads.
    pub(crate) text: String,
    /// The client's whole reaction, for the comparison with another version.
    whole: String,
}

/// An answer to a past event.
pub(crate) struct Answered {
    pub(crate) time: String,
    pub(crate) session: Arc<Session>,
    pub(crate) event: &'static str,
    pub(crate) subject: String,
    /// The call's input, or the prompt.
    pub(crate) about: String,
    pub(crate) answer: Answer,
    /// The other version's answer, if it differs.
    pub(crate) other: Option<Answer>,
}

/// The results of a hook.
#[derive(Default)]
pub(crate) struct Results {
    counts: BTreeMap<Kind, u64>,
    /// Durations in microseconds.
    pub(crate) times: Times,
    /// Answers that do more than allow. With another version, the answers that differ. At most [`KEPT`].
    pub(crate) answered: Vec<Answered>,
    /// Number of such answers that were not kept.
    pub(crate) left_out: u64,
    /// Number of answers that differ in the other version.
    pub(crate) differing: u64,
}

impl Results {
    pub(crate) fn count(&self, kind: Kind) -> u64 {
        self.counts.get(&kind).copied().unwrap_or_default()
    }

    /// Returns the number of events on which the hook ran.
    pub(crate) fn calls(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Returns the answers that failed, denied, asked or changed something, by reason, the oldest first; those that
    /// differ only in their quotations have the same reason. The strongest kinds come first and, within a kind, the
    /// most frequent reasons.
    pub(crate) fn reasons(&self) -> Vec<Vec<&Answered>> {
        let mut found: BTreeMap<(Kind, String), Vec<&Answered>> = BTreeMap::new();
        for answered in self.answered.iter().filter(|answered| answered.answer.kind <= Kind::Changed) {
            let Answer { kind, text, .. } = &answered.answer;
            found.entry((*kind, without_quotations(&first_line(text)))).or_default().push(answered);
        }
        let mut reasons: Vec<_> = found.into_values().collect();
        reasons.sort_by_key(|answered| (answered[0].answer.kind, Reverse(answered.len())));
        reasons
    }
}

/// The results of all hooks.
#[derive(Default)]
pub(crate) struct Replay {
    pub(crate) sessions: u64,
    pub(crate) events: u64,
    /// Number of events beyond the limit, for which no hooks ran.
    pub(crate) left_out: u64,
    /// Number of events whose folder no longer exists. Their hooks ran in the scratch folder.
    pub(crate) without_folder: u64,
    /// Results by the hooks' positions.
    pub(crate) results: BTreeMap<usize, Results>,
    /// Number of lines that were too long.
    pub(crate) damaged: u64,
    pub(crate) unread: Vec<String>,
}

/// A note about the differences from real sessions.
pub(crate) const LIMITS: &str = "Hooks read today's files, not the files of that time, and see the transcript up to \
                                 the event. Transcripts contain only tool calls, prompts, ends of turns and \
                                 compactions.";

/// Maximum number of answers to keep for each hook and thread.
const KEPT: usize = 20_000;

impl Replay {
    /// Runs hooks on the events in transcripts, in a sandbox unless the user disables it. `progress` is the number of
    /// bytes read so far, and `most` is the maximum number of events.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot confine the hooks; then no hook is run.
    pub(crate) fn of(
        candidates: &[Candidate<'_>],
        transcripts: &[Transcript],
        part: &Part,
        is_confined: bool,
        most: u64,
        progress: &AtomicU64,
    ) -> Result<Self> {
        let begun = AtomicU64::new(0);
        let work = |transcripts: &mut dyn Iterator<Item = &Transcript>| -> Result<Self> {
            let scratch = tempfile::tempdir().context("there is no temporary folder")?;
            let mut worker = Worker {
                room: is_confined
                    .then(|| Room::enter(scratch.path()))
                    .transpose()
                    .context("hooks that run on past events could do harm; `--unconfined` runs them anyway")?,
                scratch: scratch.path(),
                candidates,
                part,
                begun: &begun,
                most,
                replay: Self::default(),
            };
            for folder in ["new", "other"] {
                fs::create_dir(scratch.path().join(folder))?;
            }
            for transcript in transcripts {
                if let Err(err) = worker.transcript(transcript, progress) {
                    worker.replay.unread.push(format!("{}: {err:#}", transcript.path.display()));
                }
            }
            Ok(worker.replay)
        };
        let mut whole = Self::default();
        for replay in in_parallel(transcripts, work) {
            whole.add(replay?);
        }
        for results in whole.results.values_mut() {
            results.answered.sort_by(|one, other| one.time.cmp(&other.time));
        }
        whole.unread.sort();
        Ok(whole)
    }

    pub(crate) fn differing(&self) -> u64 {
        self.results.values().map(|results| results.differing).sum()
    }

    fn add(&mut self, other: Self) {
        self.sessions += other.sessions;
        self.events += other.events;
        self.left_out += other.left_out;
        self.without_folder += other.without_folder;
        self.damaged += other.damaged;
        self.unread.extend(other.unread);
        for (hook, results) in other.results {
            let known = self.results.entry(hook).or_default();
            for (kind, count) in results.counts {
                *known.counts.entry(kind).or_default() += count;
            }
            known.times.add(results.times);
            known.answered.extend(results.answered);
            known.left_out += results.left_out;
            known.differing += results.differing;
        }
    }
}

/// A thread that runs hooks in its own sandbox.
struct Worker<'w> {
    /// `None` if the user disables the sandbox.
    room: Option<Room>,
    scratch: &'w Path,
    candidates: &'w [Candidate<'w>],
    part: &'w Part,
    /// Number of events that all threads have started, and the maximum.
    begun: &'w AtomicU64,
    most: u64,
    replay: Replay,
}

impl Worker<'_> {
    /// Runs the hooks on the events in a transcript, in order. A hook that reads the transcript sees it up to the
    /// current event.
    fn transcript(&mut self, transcript: &Transcript, progress: &AtomicU64) -> Result<()> {
        let path = &*transcript.path;
        let mut lines = Lines::new(bounded::open(path)?);
        // The name is new, so it is not a link created by a hook.
        let copy = self.scratch.join(format!("transcript-{:016x}.jsonl", fastrand::u64(..)));
        let mut written = OpenOptions::new().write(true).create_new(true).open(&copy)?;
        let mut past = Past::new(&copy, agent_type(path));
        let mut project: Option<PathBuf> = None;
        let mut session = Arc::new(Session::of(path));
        let mut is_used = false;
        while let Some(line) = lines.next()? {
            let (Line::Whole(text) | Line::Last(text)) = line else {
                self.replay.damaged += 1;
                continue;
            };
            progress.fetch_add(text.len().try_into().unwrap_or_default(), Ordering::Relaxed);
            let Some(row) = Row::scan(text) else { continue };
            if project.is_none() {
                // An environment variable cannot contain a NUL.
                project = row.cwd().filter(|cwd| !cwd.contains('\0')).map(PathBuf::from);
                if project.as_ref().is_some_and(|project| !self.part.includes(project)) {
                    break;
                }
                let folder = project.as_ref().map(|project| project.display().to_string());
                Arc::make_mut(&mut session).folder = folder;
            }
            let events = past.events(&row)?;
            // A prompt's hooks run before its row is written.
            let is_prompt = events.first().is_some_and(|event| event.sample.event.name == "UserPromptSubmit");
            if !is_prompt {
                write_line(&mut written, text)?;
            }
            if row.time().is_some_and(|time| *time >= *self.part.since) {
                for event in &events {
                    is_used = true;
                    self.event(event, project.as_deref(), &session)?;
                }
            }
            if is_prompt {
                write_line(&mut written, text)?;
            }
        }
        self.replay.sessions += u64::from(is_used && !transcript.is_of_subagent());
        fs::remove_file(&copy)?;
        Ok(())
    }

    fn event(&mut self, event: &PastEvent, project: Option<&Path>, session: &Arc<Session>) -> Result<()> {
        if self.begun.fetch_add(1, Ordering::Relaxed) >= self.most {
            self.replay.left_out += 1;
            return Ok(());
        }
        self.replay.events += 1;
        let mut is_counted = false;
        for (position, candidate) in self.candidates.iter().enumerate() {
            if !event.sample.is_for(candidate.hook) {
                continue;
            }
            if !event.cwd.is_dir() && !is_counted {
                self.replay.without_folder += 1;
                is_counted = true;
            }
            let (answer, took) = self.answer(candidate, &candidate.binary, "new", event, project)?;
            let other = match &candidate.other {
                Some(binary) => Some(self.answer(candidate, binary, "other", event, project)?.0),
                None => None,
            };
            let results = self.replay.results.entry(position).or_default();
            *results.counts.entry(answer.kind).or_default() += 1;
            results.times.insert(took.as_micros().try_into().unwrap_or(u64::MAX));
            let differs = other.as_ref().is_some_and(|other| other.whole != answer.whole);
            results.differing += u64::from(differs);
            let is_kept = if other.is_some() { differs } else { answer.kind != Kind::Admitted };
            if is_kept && results.answered.len() >= KEPT {
                results.left_out += 1;
            } else if is_kept {
                results.answered.push(Answered {
                    time: event.time.clone(),
                    session: Arc::clone(session),
                    event: event.sample.event.name,
                    subject: event.sample.target.clone().unwrap_or_default(),
                    about: event.about.clone(),
                    answer,
                    other,
                });
            }
        }
        Ok(())
    }

    /// Runs a hook on an event. `side` selects the folder for the hook's state, so that two versions do not share one.
    fn answer(
        &self,
        candidate: &Candidate<'_>,
        binary: &Path,
        side: &str,
        event: &PastEvent,
        project: Option<&Path>,
    ) -> Result<(Answer, Duration)> {
        let folder = if event.cwd.is_dir() { &*event.cwd } else { self.scratch };
        let state = self.scratch.join(side);
        let mut command = match &self.room {
            Some(room) => room.command(binary),
            None => Command::new(binary),
        };
        if self.room.is_none() {
            command.process_group(0);
        }
        command
            .current_dir(folder)
            .env("CLAUDE_PROJECT_DIR", project.unwrap_or(folder))
            .env("TMPDIR", self.scratch)
            .env("XDG_CACHE_HOME", &state)
            .env("XDG_STATE_HOME", &state);
        let streams = (tempfile::tempfile_in(self.scratch)?, tempfile::tempfile_in(self.scratch)?);
        let ran = run_prepared(command, &Tried::of(candidate.hook), &event.sample, streams);
        if let Some(room) = &self.room {
            room.end_processes();
        }
        let (mut ran, took) = ran?;
        ran = ran.blocks_in_settings(candidate.hook.blocks_on(event.sample.event.name));
        let verdict = Verdict::of(event.sample.event, &ran);
        Ok((Answer::of(&verdict, &event.sample, failed(&ran)), took))
    }
}

impl Answer {
    fn of(verdict: &Verdict, sample: &Sample, failed: Option<String>) -> Self {
        let kind = match &verdict.action {
            _ if failed.is_some() => Kind::Failed,
            _ if blocks(verdict) => Kind::Denied,
            Action::Asked | Action::Deferred => Kind::Asked,
            _ if verdict.effects.iter().any(|effect| effect.member.starts_with("updated")) => Kind::Changed,
            Action::Allowed => Kind::Allowed,
            _ if !verdict.model_reads.is_empty() || !verdict.user_sees.is_empty() => Kind::Informed,
            _ => Kind::Admitted,
        };
        let changed = || change(verdict, sample).filter(|_| kind == Kind::Changed);
        let text =
            failed.clone().or_else(changed).or_else(|| trial::text(verdict).map(str::to_owned)).unwrap_or_default();
        let effects: Vec<_> = verdict.effects.iter().map(|effect| (effect.member, effect.value.text())).collect();
        let reads: Vec<_> = verdict.model_reads.iter().map(|message| &message.text).collect();
        let whole = format!("{:?} {} {reads:?} {effects:?} {failed:?}", verdict.action, verdict.ends_turn);
        Self { kind, text, whole }
    }
}

/// Returns the reason for a failure: the hook's own reason, or how it ended without an answer, such as being killed.
fn failed(ran: &Ran) -> Option<String> {
    ran.failure().map(|(_, why)| why).or_else(|| (!matches!(ran.end, End::Exited(0 | 2))).then(|| ended(ran.end)))
}

pub(crate) fn first_line(text: &str) -> String {
    one_line(text.trim().lines().next().unwrap_or_default())
}

fn write_line(file: &mut File, line: &[u8]) -> Result<()> {
    file.write_all(line)?;
    Ok(file.write_all(b"\n")?)
}

/// Returns the agent type from a subagent's transcript. `None` for a session's transcript.
fn agent_type(transcript: &Path) -> Option<String> {
    let meta = bounded::read(&transcript.with_extension("meta.json")).ok()?;
    let meta: serde_json::Value = serde_json::from_slice(&meta).ok()?;
    meta["agentType"].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_that_differ_in_their_quotations_are_one() {
        for (reason, shown) in [
            ("`a.rs` and `b.rs`: no", "`…` and `…`: no"),
            ("no", "no"),
            ("an open ` quotation", "an open `…"),
            ("", ""),
        ] {
            assert_eq!(without_quotations(reason), shown);
        }
    }
}
