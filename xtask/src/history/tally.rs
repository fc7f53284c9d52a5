//! Totals of hook runs in past sessions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{io, mem};

use hookkit_protocol::event::event;
use hookkit_verdict::{Action, Ran, Verdict};
use serde::Serialize;

use crate::disk::bounded;
use crate::history::bypassed::{Bypassed, Calls};
use crate::history::files::{Transcript, in_parallel};
use crate::history::lines::{Line, Lines};
use crate::history::recorded::sessions::{SessionRuns, Sessions};
use crate::history::row::{Entry, Outcome, Row, Run, Stop, bracketed};
use crate::history::timeline::{Session, Timeline};
use crate::history::times::Times;

/// The requested part of the history.
#[derive(Default)]
pub(crate) struct Part {
    /// Rows before this time are skipped. It is in UTC and ISO 8601, as in rows.
    pub(crate) since: String,
    /// If given, only sessions started in or below this folder.
    pub(crate) project: Option<PathBuf>,
}

impl Part {
    /// Returns `true` if the part includes sessions started in this folder.
    pub(crate) fn includes(&self, folder: &Path) -> bool {
        self.project.as_ref().is_none_or(|project| folder.starts_with(project))
    }
}

/// Totals over sessions.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) sessions: u64,
    pub(crate) bytes: u64,
    /// Number of lines that are damaged or too long.
    pub(crate) damaged: u64,
    /// Number of times that Stop hooks ran.
    pub(crate) stops: u64,
    /// Number of tool calls, by tool.
    pub(crate) calls: BTreeMap<String, u64>,
    pub(crate) hooks: BTreeMap<HookKey, HookTally>,
    pub(crate) denials: BTreeMap<DenialKey, Count>,
    /// Calls that ran although a hook denied them, or without a hook that was due.
    pub(crate) bypassed: BTreeSet<Bypassed>,
    /// Transcripts that could not be read.
    pub(crate) unread: Vec<String>,
    /// Total time in milliseconds that sessions waited for hooks. Simultaneous runs are concurrent, so only the slowest
    /// counts.
    pub(crate) waited: u64,
    /// Single runs, if requested.
    pub(crate) timeline: Timeline,
}

/// A hook's name in transcripts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct HookKey {
    pub(crate) event: String,
    /// Command. `None` if the client does not record the hook.
    pub(crate) command: Option<String>,
}

/// The recorded runs of a hook.
#[derive(Debug, Default)]
pub(crate) struct HookTally {
    outcomes: BTreeMap<Outcome, u64>,
    /// Number of runs that the hook itself recorded and that have no row in a transcript.
    pub(crate) recorded: u64,
    /// Recorded durations in milliseconds.
    pub(crate) times: Times,
    /// Failures that the client does not show, by reason.
    pub(crate) failures: BTreeMap<String, Count>,
    /// Ignored parts of answers, with the reasons.
    pub(crate) ignored: BTreeMap<String, Count>,
    /// Number of runs that asked the user.
    pub(crate) asked: u64,
    /// Number of the calls in `asked` that ran.
    pub(crate) overruled: u64,
    /// Number of characters added to the model's context.
    pub(crate) context: u64,
    pub(crate) last: String,
}

/// A denial without its time.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct DenialKey {
    pub(crate) event: String,
    pub(crate) subject: String,
    pub(crate) command: Option<String>,
    pub(crate) reason: String,
}

/// A number of events, and the time of the last.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Count {
    pub(crate) times: u64,
    pub(crate) last: String,
}

/// Maximum number of keys. A transcript can have a new command or reason in every row.
const KEYS: usize = 5_000;
const REASONS: usize = 200;
const REASON_CHARACTERS: usize = 300;

impl HookTally {
    pub(crate) fn runs(&self) -> u64 {
        self.outcomes.values().sum()
    }

    pub(crate) fn count(&self, outcome: Outcome) -> u64 {
        self.outcomes.get(&outcome).copied().unwrap_or_default()
    }

    fn add(&mut self, other: Self) {
        merge(&mut self.outcomes, other.outcomes, usize::MAX, u64::add_assign);
        self.recorded += other.recorded;
        self.times.add(other.times);
        merge(&mut self.failures, other.failures, REASONS, Count::add);
        merge(&mut self.ignored, other.ignored, REASONS, Count::add);
        self.asked += other.asked;
        self.overruled += other.overruled;
        self.context += other.context;
        self.last = mem::take(&mut self.last).max(other.last);
    }
}

impl Count {
    fn add(&mut self, other: Self) {
        self.times += other.times;
        self.last = mem::take(&mut self.last).max(other.last);
    }
}

/// Merges the values by key, up to `limit` keys.
fn merge<K: Ord, V: Default>(to: &mut BTreeMap<K, V>, from: BTreeMap<K, V>, limit: usize, add: fn(&mut V, V)) {
    for (key, value) in from {
        if let Some(known) = slot(to, key, limit) {
            add(known, value);
        }
    }
}

/// Increments the count of a key, unless the limit on keys is reached.
fn count<K: Ord>(counts: &mut BTreeMap<K, Count>, key: K, limit: usize, at: &str) {
    if let Some(known) = slot(counts, key, limit) {
        known.add(Count { times: 1, last: at.to_owned() });
    }
}

/// Returns the value of a key. A new key is added, unless the limit is reached.
fn slot<K: Ord, V: Default>(map: &mut BTreeMap<K, V>, key: K, limit: usize) -> Option<&mut V> {
    (map.len() < limit || map.contains_key(&key)).then(|| map.entry(key).or_default())
}

/// Returns the start of a reason, on one line.
fn shortened(reason: &str) -> String {
    reason.trim().lines().next().unwrap_or_default().chars().take(REASON_CHARACTERS).collect()
}

impl Tally {
    /// Reads transcripts in parallel, uses recorded runs to identify the hooks in their rows, and collects runs for the
    /// empty timeline. `progress` is the number of bytes read so far.
    pub(crate) fn of(
        transcripts: &[Transcript],
        part: &Part,
        progress: &AtomicU64,
        timeline: &Timeline,
        recorded: &Sessions,
    ) -> Self {
        let empty = || Self { timeline: timeline.clone(), ..Self::default() };
        let read = |transcripts: &mut dyn Iterator<Item = &Transcript>| {
            let mut tally = empty();
            for transcript in transcripts {
                match of_file(transcript, part, progress, timeline, recorded) {
                    Ok(read) => tally.add(read),
                    Err(err) => tally.unread.push(format!("{}: {err}", transcript.path.display())),
                }
            }
            tally
        };
        let mut whole = empty();
        in_parallel(transcripts, read).into_iter().for_each(|tally| whole.add(tally));
        whole.unread.sort();
        whole
    }

    /// Adds the recorded runs without a row in a transcript.
    pub(crate) fn add_recorded(&mut self, recorded: Sessions, part: &Part, timeline: &Timeline) {
        for session in recorded.left() {
            self.add(of_record(session, part, timeline));
        }
    }

    /// Returns the number of runs without a row in a transcript.
    pub(crate) fn recorded(&self) -> u64 {
        self.hooks.values().map(|hook| hook.recorded).sum()
    }

    fn add(&mut self, other: Self) {
        self.sessions += other.sessions;
        self.bytes += other.bytes;
        self.damaged += other.damaged;
        self.stops += other.stops;
        self.waited += other.waited;
        self.unread.extend(other.unread);
        self.timeline.add(other.timeline);
        self.bypassed.extend(other.bypassed);
        merge(&mut self.calls, other.calls, KEYS, u64::add_assign);
        merge(&mut self.denials, other.denials, KEYS, Count::add);
        merge(&mut self.hooks, other.hooks, KEYS, HookTally::add);
    }
}

/// Reads a transcript.
fn of_file(
    transcript: &Transcript,
    part: &Part,
    progress: &AtomicU64,
    timeline: &Timeline,
    recorded: &Sessions,
) -> io::Result<Tally> {
    let path = &*transcript.path;
    let mut lines = Lines::new(bounded::open(path)?);
    let mut reading = Reading::default();
    reading.tally.timeline = timeline.of_session(path);
    reading.recorded = recorded.of(&Session::of(path).id);
    let mut folder = None;
    let mut is_of_project = part.project.is_none();
    while let Some(line) = lines.next()? {
        let (text, is_last) = match line {
            Line::Whole(text) => (text, false),
            Line::Last(text) => (text, true),
            Line::TooLong => {
                reading.tally.damaged += 1;
                continue;
            }
        };
        let length = u64::try_from(text.len()).unwrap_or_default() + 1;
        progress.fetch_add(length, Ordering::Relaxed);
        reading.tally.bytes += length;
        let Some(row) = Row::scan(text) else {
            reading.tally.damaged += u64::from(!is_last && !text.trim_ascii().is_empty());
            continue;
        };
        if !is_of_project && let Some(cwd) = row.cwd() {
            is_of_project = part.includes(Path::new(&cwd));
            if !is_of_project {
                break;
            }
        }
        if reading.recorded.is_some() && folder.is_none() {
            folder = row.cwd();
        }
        let Some(time) = row.time().filter(|time| **time >= *part.since) else {
            continue;
        };
        reading.is_in_time = true;
        reading.tally.timeline.started_in(|| row.cwd());
        reading.take(row.entry(), time);
    }
    if !is_of_project {
        return Ok(Tally::default());
    }
    let calls = mem::take(&mut reading.calls);
    if let Some(mut runs) = reading.recorded().filter(|_| reading.is_in_time) {
        let started_in = folder.as_deref().unwrap_or_default();
        let bypassed = calls.bypassed(recorded, started_in, &runs.recording);
        runs.transcript.get_or_insert((path.to_owned(), folder));
        drop(runs);
        reading.tally.bypassed = bypassed;
    }
    Ok(reading.done(transcript.is_of_subagent()))
}

/// Totals the recorded runs in a session that have no row.
fn of_record(mut session: SessionRuns, part: &Part, timeline: &Timeline) -> Tally {
    let mut reading = Reading { is_record: true, waited_before: mem::take(&mut session.slowest), ..Reading::default() };
    if let Some((transcript, folder)) = session.transcript.take() {
        reading.tally.timeline = timeline.of_session(&transcript);
        reading.tally.timeline.started_in(|| folder);
    }
    let runs = session.left().into_iter();
    for recorded in runs.filter(|recorded| *recorded.time >= *part.since) {
        reading.run(recorded.run, &recorded.time);
    }
    // The session itself was counted from its transcript.
    reading.done(true)
}

/// A transcript being read.
#[derive(Default)]
struct Reading<'r> {
    tally: Tally,
    /// The recorded runs of the session.
    recorded: Option<&'r Mutex<SessionRuns>>,
    /// `true` for the runs in a record, not in a transcript.
    is_record: bool,
    is_in_time: bool,
    /// The tool calls in a session with recorded runs.
    calls: Calls,
    /// Duration in milliseconds of the slowest hook, by event and time.
    waits: HashMap<(String, String), u64>,
    /// Milliseconds already counted, by event and time.
    waited_before: HashMap<(String, String), u64>,
    /// Times and commands of the Stop hooks with rows since the last summary.
    stopped: Vec<(String, String)>,
    /// Hooks that asked about a call, by call id.
    asked: HashMap<String, HookKey>,
    /// The client's reaction to outputs, by event, subject and output.
    known: HashMap<(String, String, String), Effect>,
}

/// The client's reaction to the output of a hook.
#[derive(Clone, Default)]
struct Effect {
    /// Number of characters that the model reads.
    context: u64,
    is_asked: bool,
    ignored: Vec<String>,
}

impl<'r> Reading<'r> {
    fn recorded(&self) -> Option<MutexGuard<'r, SessionRuns>> {
        Some(self.recorded?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn take(&mut self, entry: Entry<'_>, time: &str) {
        match entry {
            Entry::Run(run) => self.run(run, time),
            Entry::Stop(stop) => self.stop(stop, time),
            Entry::Calls(calls) => {
                for call in calls {
                    if self.recorded.is_some() {
                        self.calls.called(&call, time);
                    }
                    if let Some(count) = slot(&mut self.tally.calls, call.tool, KEYS) {
                        *count += 1;
                    }
                }
            }
            Entry::Results(results) => {
                results.iter().for_each(|result| self.calls.ended(result));
                for result in results.iter().filter(|result| !result.is_denied) {
                    let hook = self.asked.remove(&result.id).and_then(|key| self.tally.hooks.get_mut(&key));
                    hook.into_iter().for_each(|hook| hook.overruled += 1);
                }
                results.into_iter().filter_map(|result| result.denial).for_each(|denial| self.run(denial, time));
            }
            Entry::Prompt(_) | Entry::Ended(_) | Entry::Compacted(_) | Entry::Other => {}
        }
    }

    fn run(&mut self, mut run: Run, time: &str) {
        let Some(outcome) = run.outcome else { return };
        if let Some(mut recorded) = self.recorded() {
            let command = recorded.take(&run, time);
            run.command = run.command.or(command);
            drop(recorded);
            self.calls.row(&run);
        }
        self.tally.timeline.take(&run, time);
        if run.event == "Stop"
            && let Some(command) = &run.command
        {
            self.stopped.push((run.moment.clone(), command.clone()));
        }
        if outcome == Outcome::Blocked {
            let key = DenialKey {
                event: run.event.clone(),
                subject: run.subject.clone(),
                command: run.command.clone(),
                reason: shortened(&run.stderr),
            };
            count(&mut self.tally.denials, key, KEYS, time);
        }
        if let Some(milliseconds) = run.milliseconds.filter(|_| outcome != Outcome::Background) {
            self.wait(&run.event, &run.moment, milliseconds);
        }
        let effect = match outcome {
            Outcome::Succeeded => self.effect(&run),
            Outcome::Blocked => {
                Effect { context: run.stderr.chars().count().try_into().unwrap_or(u64::MAX), ..Effect::default() }
            }
            _ => Effect::default(),
        };
        let key = HookKey { event: run.event, command: run.command };
        if effect.is_asked {
            self.asked.insert(run.moment, key.clone());
        }
        let Some(hook) = slot(&mut self.tally.hooks, key, KEYS) else {
            return;
        };
        hook.asked += u64::from(effect.is_asked);
        *hook.outcomes.entry(outcome).or_default() += 1;
        hook.recorded += u64::from(self.is_record);
        time.clone_into(&mut hook.last);
        if let Some(milliseconds) = run.milliseconds {
            hook.times.insert(milliseconds);
        }
        hook.context += effect.context;
        for why in effect.ignored {
            count(&mut hook.ignored, why, REASONS, time);
        }
        let why = match outcome {
            Outcome::Failed => {
                let code = run.exit_code.map(|code| format!("exit code {code}: "));
                code.unwrap_or_default() + &shortened(&run.stderr)
            }
            Outcome::TimedOut => run.stderr,
            _ => return,
        };
        count(&mut hook.failures, why, REASONS, time);
    }

    /// Adds the hooks of a Stop that had no row: they printed nothing, blocked with exit code 2, or were not awaited.
    fn stop(&mut self, stop: Stop, time: &str) {
        self.tally.stops += 1;
        let had_row = mem::take(&mut self.stopped);
        for (command, milliseconds) in stop.hooks {
            if had_row.iter().any(|(moment, known)| *moment == stop.moment && *known == command) {
                continue;
            }
            let reason = stop.errors.iter().map(|error| bracketed(error)).find(|(known, _)| *known == Some(&*command));
            let outcome = match (&reason, milliseconds) {
                (Some(_), _) => Outcome::Blocked,
                (None, Some(_)) => Outcome::Succeeded,
                (None, None) => Outcome::Background,
            };
            let run = Run {
                event: "Stop".to_owned(),
                command: Some(command.clone()),
                moment: stop.moment.clone(),
                milliseconds,
                outcome: Some(outcome),
                stderr: reason.map(|(_, reason)| reason.to_owned()).unwrap_or_default(),
                ..Run::default()
            };
            self.run(run, time);
        }
        self.stopped.clear();
    }

    fn wait(&mut self, event: &str, moment: &str, milliseconds: u64) {
        // Rows of the same moment are close to each other.
        const MOMENTS: usize = 64;
        if self.waits.len() >= MOMENTS {
            self.tally.waited += self.waits.drain().map(|(_, slowest)| slowest).sum::<u64>();
        }
        let key = (event.to_owned(), moment.to_owned());
        let before = self.waited_before.get(&key).copied().unwrap_or_default();
        let slowest = self.waits.entry(key).or_default();
        *slowest = milliseconds.saturating_sub(before).max(*slowest);
    }

    /// Returns the client's reaction to the output of a successful run.
    fn effect(&mut self, run: &Run) -> Effect {
        const OUTPUTS: usize = 1_000;
        let Some(event) = event(&run.event).filter(|_| !run.stdout.trim().is_empty()) else {
            return Effect::default();
        };
        let key = (run.event.clone(), run.subject.clone(), run.stdout.clone());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let ran = Ran::exit(0).stdout(&*run.stdout).target(&*run.subject);
        let verdict = Verdict::of(event, &ran);
        let read = verdict.model_reads.iter().map(|message| message.text.chars().count());
        let effect = Effect {
            is_asked: verdict.action == Action::Asked,
            context: read.sum::<usize>().try_into().unwrap_or(u64::MAX),
            ignored: verdict
                .dropped
                .iter()
                .map(|dropped| shortened(&format!("{}: {}", dropped.what, dropped.why)))
                .collect(),
        };
        if self.known.len() >= OUTPUTS {
            self.known.clear();
        }
        self.known.insert(key, effect.clone());
        effect
    }

    fn done(mut self, is_subagent: bool) -> Tally {
        self.tally.waited += self.waits.into_values().sum::<u64>();
        self.tally.sessions = u64::from(self.is_in_time && !is_subagent);
        self.tally
    }
}

#[cfg(test)]
mod tests;
