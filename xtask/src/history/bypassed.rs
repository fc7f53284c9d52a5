//! Tool calls that ran although a hook had denied them, or without a hook that looks at such calls.
//!
//! A module of a plugin runs inside Claude Code, and can do both. Neither the transcript nor the terminal shows it, but the
//! record of a hook has the ids of the calls that the hook was started for.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::PoisonError;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hookkit_json::Scanned;
use serde::Serialize;

use crate::diagnose::active::outcome::{Outcome, Subject};
use crate::diagnose::active::session::Session;
use crate::diagnose::own;
use crate::history::name;
use crate::history::recorded::sessions::{Sessions, folder};
use crate::history::row::{Call, CallResult, Run};
use crate::settings::folders::Folders;

/// A call that ran, and a hook that had denied it, or that was not started.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Bypassed {
    time: String,
    call: String,
    tool: String,
    /// The command, the file or the JSON of the call's input, for people.
    pub(crate) about: String,
    /// Command of the hook.
    pub(crate) command: String,
    /// Reason of the hook's denial; `None` if the hook was not started.
    reason: Option<String>,
}

impl Bypassed {
    /// Returns a sentence about it, without its point.
    pub(crate) fn sentence(&self) -> String {
        let name = name::shown(Some(&self.command));
        match self.reason {
            Some(_) => format!("{name} denied {}, and it ran", self.tool),
            None => format!("{name} was not started for {}", self.tool),
        }
    }
}

/// The tool calls in a transcript.
#[derive(Default)]
pub(crate) struct Calls {
    /// Calls without a result, by id.
    open: HashMap<String, Bypassed>,
    ran: Vec<Bypassed>,
    /// Ids of calls, with the commands of hooks that have a row about them: the client shows what it did with their answer.
    rows: HashSet<(String, String)>,
}

impl Calls {
    /// Notes a call of the model.
    pub(crate) fn called(&mut self, call: &Call<'_>, time: &str) {
        /// Bytes of an input whose payload is in a record, however its strings are escaped there.
        const RECORDED: usize = 32 << 10;
        if call.input.len() < RECORDED
            && let Ok(input) = Scanned::scan(call.input)
        {
            let text = input.string("command").or_else(|| input.string("file_path"));
            let call = Bypassed {
                time: time.to_owned(),
                call: call.id.clone(),
                tool: call.tool.clone(),
                about: text.unwrap_or_else(|| String::from_utf8_lossy(call.input).into()),
                ..Bypassed::default()
            };
            self.open.insert(call.call.clone(), call);
        }
    }

    /// Notes a row about a hook.
    pub(crate) fn row(&mut self, run: &Run) {
        self.rows
            .insert((run.moment.clone(), run.command.clone().unwrap_or_default()));
    }

    /// Notes the result of a call, if its tool has certainly run.
    pub(crate) fn ended(&mut self, result: &CallResult<'_>) {
        let has_failed = |response: &[u8]| response.starts_with(b"\"Error: Exit code ");
        if let Some(call) = self.open.remove(&result.id)
            && !result.is_denied
            && (!result.is_error || result.response.is_some_and(has_failed))
        {
            self.ran.push(call);
        }
    }

    /// Returns the bypassed calls of a session that was started in a folder. `recording` are the folders of programs that
    /// have recorded runs in it.
    pub(crate) fn bypassed(
        self,
        sessions: &Sessions,
        started_in: &str,
        recording: &BTreeSet<String>,
    ) -> BTreeSet<Bypassed> {
        let mut bypassed = BTreeSet::new();
        for call in self.ran {
            let mut found = sessions.calls.get(&call.call).cloned().unwrap_or_default();
            // A module keeps all hooks of an event from starting, or none.
            if found.is_empty()
                && sessions.oldest < call.time
                && let Ok(time) = humantime::parse_rfc3339(&call.time)
            {
                let silent = due(sessions, started_in, &call.tool)
                    .into_iter()
                    .filter(|(command, since)| *since < time && recording.contains(folder(command)))
                    .map(|(command, _)| (command, None));
                found.extend(silent);
            } else {
                found.retain(|(_, reason)| reason.is_some());
            }
            found.retain(|(command, _)| !self.rows.contains(&(call.call.clone(), command.clone())));
            bypassed.extend(found.into_iter().map(|(command, reason)| Bypassed {
                command,
                reason,
                ..call.clone()
            }));
        }
        bypassed
    }
}

/// Returns the commands of the hooks that run before each call of a tool in a session that was started in a folder, and the time
/// since when each of them records its runs.
fn due(sessions: &Sessions, started_in: &str, tool: &str) -> Vec<(String, SystemTime)> {
    let key = (started_in.to_owned(), tool.to_owned());
    // The settings of a folder are read once for a tool, and not for each session.
    let mut known = sessions.due.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known.entry(key).or_insert_with(|| {
        let Ok(subject) = Subject::parse(&format!("PreToolUse:{tool}")) else {
            return Vec::new();
        };
        let project = Path::new(started_in);
        let session = Session::of(&Folders {
            project: Some(project.to_owned()),
            ..sessions.folders.clone()
        });
        let own = own::find(&session, Some(project));
        let hooks = session.outcomes(&subject).into_iter();
        // A hook with an `if` may not run.
        hooks
            .filter(|hook| hook.outcome == Outcome::Runs(None))
            .filter_map(|hook| {
                let since = own.iter().find(|own| own.is_of(hook.handler))?.records_since()?;
                let since = UNIX_EPOCH + Duration::from_secs(since.try_into().ok()?);
                Some((hook.handler.recorded_command()?, since))
            })
            .collect()
    });
    found.clone()
}
