//! Recorded runs by session. They fill the gaps in transcripts: recorded runs that have a row are removed, and the
//! others remain.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use hookkit_json::Scanned;
use hookkit_protocol::event::{Event, event};
use hookkit_verdict::Verdict;

use crate::binaries::trial::reason;
use crate::history::recorded::{Begun, Ended, Recorded, files, read};
use crate::history::row::{Outcome, Run, blocks};
use crate::settings::folders::Folders;

/// Recording hooks that run before a call, by session folder and tool: each command, and the time when its recording
/// began.
type Due = HashMap<(String, String), Vec<(String, SystemTime)>>;

/// The recorded runs.
#[derive(Default)]
pub(crate) struct Sessions {
    /// Runs by session id.
    runs: HashMap<String, Mutex<SessionRuns>>,
    /// The commands of hooks started before a tool call, each with the reason for its denial, by call id.
    pub(crate) calls: HashMap<String, Vec<(String, Option<String>)>>,
    /// Time of the oldest run. Earlier runs are lost.
    pub(crate) oldest: String,
    /// The folders of a session, except its start folder.
    pub(crate) folders: Folders,
    /// The hooks due before a call, cached per folder and tool.
    pub(crate) due: Mutex<Due>,
}

/// The recorded runs of a session and its subagents.
#[derive(Default)]
pub(crate) struct SessionRuns {
    /// Runs by event and tool call, as in rows. Events without a tool have no call.
    runs: HashMap<(String, Option<String>), Vec<RecordedRun>>,
    /// The session's transcript, and the folder in which it started. `None` until the transcript is read.
    pub(crate) transcript: Option<(PathBuf, Option<String>)>,
    /// Duration in milliseconds of the slowest hook with a row, by event and time, if there is a recorded run.
    pub(crate) slowest: HashMap<(String, String), u64>,
    /// Folders of the programs that recorded these runs.
    pub(crate) recording: BTreeSet<String>,
}

/// A recorded run, with the same facts as a run in a transcript.
pub(crate) struct RecordedRun {
    /// Start time of the run, in UTC and ISO 8601.
    pub(crate) time: String,
    pub(crate) run: Run,
}

/// Returns the folder of a hook's program. All programs of a workspace share a folder, and either all of them or none
/// record their runs.
pub(crate) fn folder(command: &str) -> &str {
    command.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Maximum number of simultaneous runs to compare with a row. Each row takes one of the first.
const COMPARED: usize = 1_000;

impl Sessions {
    /// Reads the record of sessions with these folders.
    ///
    /// # Errors
    ///
    /// Fails if the record cannot be read. A missing record has no runs.
    pub(crate) fn read(record: &Path, folders: &Folders) -> io::Result<Self> {
        let mut sessions = Self { folders: folders.clone(), ..Self::default() };
        for Recorded { begun, ended } in read(&files(record), First::of)? {
            let session = sessions
                .runs
                .entry(begun.session.clone())
                .or_default()
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner);
            let key = (begun.event.name.to_owned(), begun.call.clone());
            let recorded = begun.with(ended);
            let command = recorded.run.command.clone().unwrap_or_default();
            session.recording.insert(folder(&command).to_owned());
            if sessions.oldest.is_empty() {
                sessions.oldest.clone_from(&recorded.time);
            }
            if let ("PreToolUse", Some(call)) = (&*key.0, &key.1) {
                let denies = recorded.run.outcome == Some(Outcome::Blocked);
                let reason = denies.then(|| recorded.run.stderr.clone());
                sessions.calls.entry(call.clone()).or_default().push((command, reason));
            }
            session.runs.entry(key).or_default().push(recorded);
        }
        Ok(sessions)
    }

    pub(crate) fn of(&self, session: &str) -> Option<&Mutex<SessionRuns>> {
        self.runs.get(session)
    }

    /// Returns the runs without a row, from sessions whose transcript was read.
    pub(crate) fn left(self) -> impl Iterator<Item = SessionRuns> {
        self.runs
            .into_values()
            .map(|session| session.into_inner().unwrap_or_else(PoisonError::into_inner))
            .filter(|session| session.transcript.is_some())
    }
}

impl SessionRuns {
    /// Removes the run that belongs to this row, and returns its command, because not all rows contain it.
    ///
    /// `time` is when the row was written, after the run.
    pub(crate) fn take(&mut self, row: &Run, time: &str) -> Option<String> {
        let of_call = (row.event.clone(), Some(row.moment.clone()));
        let key = if self.runs.contains_key(&of_call) { of_call } else { (row.event.clone(), None) };
        let runs = self.runs.get_mut(&key)?;
        if let Some(milliseconds) = row.milliseconds.filter(|_| row.outcome != Some(Outcome::Background)) {
            let slowest = self.slowest.entry((row.event.clone(), row.moment.clone())).or_default();
            *slowest = milliseconds.max(*slowest);
        }
        let is_of_hook = |recorded: &RecordedRun| match &row.command {
            _ if *recorded.time > *time => false,
            Some(_) => recorded.run.command == row.command,
            None => recorded.run.outcome == row.outcome,
        };
        let mut of_hook = runs.iter().take(COMPARED).enumerate().filter(|(_, run)| is_of_hook(run));
        // Without a tool call, the output identifies the run.
        let first = of_hook.next();
        let (at, _) =
            first.into_iter().chain(of_hook).find(|(_, recorded)| recorded.run.stdout == row.stdout).or(first)?;
        runs.remove(at).run.command
    }

    /// Returns the runs without a row, sorted by time.
    pub(crate) fn left(self) -> Vec<RecordedRun> {
        let mut left: Vec<RecordedRun> = self.runs.into_values().flatten().collect();
        left.sort_by(|one, other| one.time.cmp(&other.time));
        left
    }
}

/// The members of a run's first line to keep.
struct First {
    session: String,
    time: String,
    event: &'static Event,
    subject: Option<String>,
    command: Option<String>,
    call: Option<String>,
    prompt: Option<String>,
    is_awaited: bool,
}

impl First {
    fn of(begun: &Begun<'_>) -> Option<Self> {
        let payload = Scanned::scan(begun.payload()?).ok()?;
        let event = event(&payload.string("hook_event_name")?)?;
        Some(Self {
            session: payload.string("session_id")?,
            time: begun.time()?,
            subject: event.matcher_target.field().and_then(|field| payload.string(field)),
            command: begun.command(),
            call: payload.string("tool_use_id"),
            prompt: payload.string("prompt_id"),
            is_awaited: begun.is_awaited(),
            event,
        })
    }

    fn with(self, ended: Option<Ended>) -> RecordedRun {
        let mut run = Run {
            event: self.event.name.to_owned(),
            command: self.command,
            // Hooks of the same moment run concurrently.
            moment: self.call.or(self.prompt).unwrap_or_else(|| self.time.clone()),
            ..Run::default()
        };
        let outcome = match ended {
            None => {
                run.stderr = "it was killed, or still runs".to_owned();
                Outcome::Failed
            }
            Some(ended) => {
                let mut ran = ended.ran();
                if let Some(subject) = &self.subject {
                    ran = ran.target(subject);
                }
                let verdict = Verdict::of(self.event, &ran);
                run.milliseconds = Some(ended.microseconds.div_ceil(1_000));
                run.exit_code = Some(ended.exit_code);
                run.stdout = ended.stdout;
                let failed = ran.failure().map(|(_, why)| why);
                if blocks(&verdict) {
                    run.stderr = reason(&verdict).unwrap_or_default().to_owned();
                    Outcome::Blocked
                } else if ended.exit_code != 0 || failed.is_some() {
                    run.stderr = failed.unwrap_or(ended.stderr);
                    Outcome::Failed
                } else {
                    Outcome::Succeeded
                }
            }
        };
        run.outcome = Some(if self.is_awaited { outcome } else { Outcome::Background });
        run.subject = self.subject.unwrap_or_default();
        RecordedRun { time: self.time, run }
    }
}
