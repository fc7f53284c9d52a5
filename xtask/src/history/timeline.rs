//! Single hook runs in past sessions. Only the newest are kept, up to the requested number.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use crate::history::name;
use crate::history::row::{Outcome, Run};

/// The requested runs. By default, none are kept.
#[derive(Clone, Default)]
pub(crate) struct Timeline {
    /// Maximum number of runs; the newest are kept.
    limit: usize,
    /// If given, only hooks whose name or command contains this text.
    hook: Option<String>,
    session: Arc<Session>,
    marks: Vec<Mark>,
    /// Number of runs that were dropped, or whose row has no time.
    left_out: u64,
    /// Events and commands shared by the marks.
    names: BTreeSet<Arc<str>>,
}

/// A session, including its subagents.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) folder: Option<String>,
}

impl Session {
    /// Returns the session of a transcript, even for a subagent's.
    pub(crate) fn of(transcript: &Path) -> Self {
        let folder = transcript.parent().filter(|folder| folder.ends_with("subagents"));
        let id = folder.and_then(Path::parent).unwrap_or(transcript).file_stem();
        Self { id: id.unwrap_or_default().to_string_lossy().into_owned(), folder: None }
    }
}

/// A run. Its first field decides which of two runs is newer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    /// Milliseconds since 1970.
    pub(crate) at: u64,
    pub(crate) session: Arc<Session>,
    pub(crate) event: Arc<str>,
    pub(crate) command: Option<Arc<str>>,
    pub(crate) subject: Box<str>,
    pub(crate) outcome: Outcome,
    pub(crate) milliseconds: Option<u64>,
}

/// Maximum number of characters to keep of a subject.
const SUBJECT: usize = 80;
/// Maximum size of a folder's path, which is copied into each run's row. The system has no longer paths.
const FOLDER: usize = 4_096;
/// Maximum number of shared names. A transcript can have a new command in every row.
const NAMES: usize = 1_000;

impl Timeline {
    pub(crate) fn new(limit: usize, hook: Option<String>) -> Self {
        Self { limit, hook, ..Self::default() }
    }

    /// Returns an empty timeline with the same limits, for a transcript's runs.
    pub(crate) fn of_session(&self, transcript: &Path) -> Self {
        Self { session: Session::of(transcript).into(), ..Self::new(self.limit, self.hook.clone()) }
    }

    /// Records the folder in which the session started.
    pub(crate) fn started_in(&mut self, folder: impl FnOnce() -> Option<String>) {
        if self.limit > 0 && self.session.folder.is_none() {
            Arc::make_mut(&mut self.session).folder = folder().filter(|folder| folder.len() <= FOLDER);
        }
    }

    pub(crate) fn take(&mut self, run: &Run, time: &str) {
        let command = run.command.as_deref();
        let is_asked = |hook: &String| command.is_some_and(|command| name::has(command, hook));
        let is_wanted = self.limit > 0 && self.hook.as_ref().is_none_or(is_asked);
        let Some(outcome) = run.outcome.filter(|_| is_wanted) else {
            return;
        };
        let at = humantime::parse_rfc3339(time).ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let Some(at) = at.and_then(|at| u64::try_from(at.as_millis()).ok()) else {
            self.left_out += 1;
            return;
        };
        let mark = Mark {
            at,
            session: Arc::clone(&self.session),
            event: self.name(&run.event),
            command: command.map(|command| self.name(command)),
            subject: run.subject.chars().take(SUBJECT).collect(),
            outcome,
            milliseconds: run.milliseconds,
        };
        self.marks.push(mark);
        self.cut(self.limit * 2);
    }

    fn name(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.names.get(text) {
            return Arc::clone(known);
        }
        if self.names.len() >= NAMES {
            self.names.clear();
        }
        let name: Arc<str> = text.into();
        self.names.insert(Arc::clone(&name));
        name
    }

    /// Drops the oldest runs if there are more than `most`.
    fn cut(&mut self, most: usize) {
        if self.marks.len() > most {
            self.left_out += u64::try_from(self.marks.len() - self.limit).unwrap_or_default();
            self.marks.select_nth_unstable_by(self.limit, |one, other| other.cmp(one));
            self.marks.truncate(self.limit);
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.left_out += other.left_out;
        self.marks.extend(other.marks);
        self.cut(self.limit * 2);
    }

    /// Returns the runs, the newest first, and the number of dropped runs.
    pub(crate) fn done(mut self) -> (Vec<Mark>, u64) {
        self.cut(self.limit);
        self.marks.sort_by(|one, other| other.cmp(one));
        (self.marks, self.left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(command: &str, subject: &str) -> Run {
        Run {
            event: "PreToolUse".to_owned(),
            command: Some(command.to_owned()),
            subject: subject.to_owned(),
            outcome: Some(Outcome::Failed),
            ..Run::default()
        }
    }

    #[test]
    fn the_newest_runs_are_kept_and_the_others_counted() {
        let mut whole = Timeline::new(100, None);
        for minute in [0, 2, 1] {
            let mut one = whole.of_session(Path::new("projects/-app/one.jsonl"));
            for number in 0..1_000 {
                let time = format!("2026-11-25T04:{minute:02}:{:02}.{:03}Z", number % 60, number);
                one.take(&seen(&format!("hook {number}"), "Bash"), &time);
                assert!(one.marks.len() <= 200 && one.names.len() <= NAMES);
            }
            whole.add(one);
        }
        whole.take(&seen("hook", "Bash"), "yesterday");
        let (marks, left_out) = whole.done();
        assert_eq!((marks.len(), left_out), (100, 2_901));
        assert!(marks.is_sorted_by(|newer, older| newer.at >= older.at));
        let minutes = marks.iter().map(|mark| mark.at / 60_000 % 60);
        assert!(minutes.eq([2; 100]));
    }

    #[test]
    fn a_subagents_runs_are_those_of_its_session() {
        let asked = Timeline::new(10, Some("wanted".to_owned()));
        let mut whole = asked.clone();
        for path in ["projects/-app/one.jsonl", "projects/-app/one/subagents/agent-a.jsonl"] {
            let mut read = asked.of_session(Path::new(path));
            read.started_in(|| Some("/app".to_owned()));
            read.started_in(|| Some("/elsewhere".to_owned()));
            read.take(&seen("/bin/wanted", &"x".repeat(1_000)), "2026-11-25T04:00:00Z");
            read.take(&seen("/bin/other", ""), "2026-11-25T04:00:00Z");
            whole.add(read);
        }
        let (marks, left_out) = whole.done();
        assert_eq!((marks.len(), left_out), (2, 0));
        for mark in marks {
            assert_eq!((&*mark.session.id, mark.session.folder.as_deref()), ("one", Some("/app")));
            assert_eq!(mark.subject.len(), SUBJECT);
        }
    }

    #[test]
    fn nothing_is_kept_unless_it_is_asked_for() {
        let mut timeline = Timeline::default().of_session(Path::new("one.jsonl"));
        timeline.started_in(|| unreachable!("it is not asked for"));
        timeline.take(&seen("hook", ""), "2026-11-25T04:00:00Z");
        assert_eq!(timeline.done(), (Vec::new(), 0));
    }
}
