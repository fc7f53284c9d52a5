//! Tool calls that ran although a hook denied them, or without the hook that checks them.
//!
//! A plugin's module runs inside Claude Code, and can cause both. Neither the transcript nor the terminal shows it, but
//! a hook's record has the ids of the calls for which the hook was started.

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

/// A call that ran, and the hook that denied it or was not started.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Bypassed {
    time: String,
    call: String,
    tool: String,
    /// The command, the file or the JSON in the call's input.
    pub(crate) about: String,
    /// Command of the hook.
    pub(crate) command: String,
    /// Reason for the hook's denial; `None` if the hook was not started.
    reason: Option<String>,
}

impl Bypassed {
    /// Returns a sentence about the call, without a period.
    pub(crate) fn sentence(&self) -> String {
        let name = name::shown(Some(&self.command));
        match self.reason {
            Some(_) => format!("{name} denied {}, but it ran", self.tool),
            None => format!("{name} was not started for {}", self.tool),
        }
    }
}

/// The tool calls in a transcript.
#[derive(Default)]
pub(crate) struct Calls {
    /// Calls without a result, by id. The value is `true` if the call's input certainly fits into a hook's record.
    open: HashMap<String, (Bypassed, bool)>,
    /// Calls that no hook denied. The value is `true` if hooks certainly had to run before the call. A failed tool may
    /// have failed before that.
    ran: Vec<(Bypassed, bool)>,
    /// Ids of calls, with the commands of hooks that have a row about the call. Such a row shows the answer's effect.
    rows: HashSet<(String, String)>,
}

impl Calls {
    /// Records a call made by the model.
    pub(crate) fn called(&mut self, call: &Call<'_>, time: &str) {
        /// Maximum size of an input whose payload certainly fits into a record, even if its strings are escaped.
        const RECORDED: usize = 32 << 10;
        if let Ok(input) = Scanned::scan(call.input) {
            let is_recorded = call.input.len() < RECORDED;
            let text = input.string("command").or_else(|| input.string("file_path"));
            let bypassed = Bypassed {
                time: time.to_owned(),
                call: call.id.clone(),
                tool: call.tool.clone(),
                about: text.unwrap_or_else(|| String::from_utf8_lossy(call.input).into()),
                ..Bypassed::default()
            };
            self.open.insert(call.id.clone(), (bypassed, is_recorded));
        }
    }

    /// Records a row about a hook.
    pub(crate) fn row(&mut self, run: &Run) {
        self.rows.insert((run.moment.clone(), run.command.clone().unwrap_or_default()));
    }

    /// Records the result of a call that no hook denied. A failed call also counts, because its tool may have run.
    pub(crate) fn ended(&mut self, result: &CallResult<'_>) {
        let begins = |start: &[u8]| !result.is_error || result.response.is_some_and(|text| text.starts_with(start));
        if let Some((call, is_recorded)) = self.open.remove(&result.id)
            && !result.is_denied
            && result.denial.is_none()
            && begins(b"\"Error: ")
        {
            self.ran.push((call, is_recorded && begins(b"\"Error: Exit code ")));
        }
    }

    /// Returns the bypassed calls in a session that was started in a folder. `recording` are the folders of the
    /// programs that recorded runs in the session.
    pub(crate) fn bypassed(
        self,
        sessions: &Sessions,
        started_in: &str,
        recording: &BTreeSet<String>,
    ) -> BTreeSet<Bypassed> {
        let mut bypassed = BTreeSet::new();
        for (call, is_due) in self.ran {
            let mut found = sessions.calls.get(&call.call).cloned().unwrap_or_default();
            // A module prevents either all hooks of an event from starting, or none.
            if found.is_empty()
                && is_due
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
            bypassed.extend(found.into_iter().map(|(command, reason)| Bypassed { command, reason, ..call.clone() }));
        }
        bypassed
    }
}

/// Returns the hooks that run before each call of a tool, in a session started in a folder: each command, and the time
/// when its hook began to record.
fn due(sessions: &Sessions, started_in: &str, tool: &str) -> Vec<(String, SystemTime)> {
    let key = (started_in.to_owned(), tool.to_owned());
    // A folder's settings are read once per tool, not once per session.
    let mut known = sessions.due.lock().unwrap_or_else(PoisonError::into_inner);
    let found = known.entry(key).or_insert_with(|| {
        let Ok(subject) = Subject::parse(&format!("PreToolUse:{tool}")) else {
            return Vec::new();
        };
        let project = Path::new(started_in);
        let session = Session::of(&Folders { project: Some(project.to_owned()), ..sessions.folders.clone() });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::row::{Entry, Row};

    /// Returns `true` if the row's members and text refer to a call with this result that a hook denied.
    fn is_named(row: &str, content: &str) -> bool {
        let mut calls = Calls::default();
        let call = Call { id: "t".to_owned(), tool: "Bash".to_owned(), input: b"{\"command\": \"x\"}" };
        calls.called(&call, "2026-01-01T00:00:00Z");
        let row = format!(
            r#"{{"type":"user",{row}"message":{{"content":[{{"type":"tool_result","tool_use_id":"t",{content}}}]}}}}"#
        );
        let Some(Entry::Results(results)) = Row::scan(row.as_bytes()).map(|row| row.entry()) else {
            panic!("{row} has no result");
        };
        calls.ended(&results[0]);
        let denied = ("guard".to_owned(), Some("no".to_owned()));
        let mut sessions = Sessions::default();
        sessions.calls.insert("t".to_owned(), vec![denied]);
        !calls.bypassed(&sessions, "/", &BTreeSet::new()).is_empty()
    }

    #[test]
    fn a_denied_call_whose_tool_failed_is_named_and_one_that_did_not_run_is_not() {
        let failed = |result: &str| format!("\"toolUseResult\":\"{result}\",");
        let error = r#""is_error":true,"content":"x""#;
        assert!(is_named("", r#""content":"x""#));
        assert!(is_named(&failed("Error: Exit code 1"), error));
        assert!(is_named(&failed("Error: the server is gone"), error));
        assert!(!is_named(&failed("InputValidationError: x"), error));
        assert!(!is_named(&failed("User rejected tool use"), error));
        assert!(!is_named("\"toolDenialKind\":\"hook\",", error));
        let denied = r#""is_error":true,"content":"PreToolUse:Bash hook error: no""#;
        assert!(!is_named(&failed("Error: PreToolUse:Bash hook error: no"), denied));
    }
}
