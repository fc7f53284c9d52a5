//! Finds hooks that failed or were bypassed in past sessions, for `doctor`.

use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, SystemTime};

use hookkit_protocol::event::event;

use crate::diagnose::active::session::Session;
use crate::disk::bounded::Deadline;
use crate::disk::state;
use crate::history::bypassed::Bypassed;
use crate::history::files;
use crate::history::recorded::sessions::Sessions;
use crate::history::row::Outcome;
use crate::history::tally::{HookKey, HookTally, Part, Tally};
use crate::history::timeline::Timeline;
use crate::history::times::iso;
use crate::settings::code::sessions;
use crate::settings::finding::Finding;
use crate::settings::folders::Folders;
use crate::terminal::counted;

/// Number of days of history that `doctor` reads.
const DAYS: u64 = 7;

/// Returns a finding for each hook bypassed in the last sessions of a project, and a note for each hook that failed or
/// whose answers were ignored. Empty if reading the sessions takes too long.
pub(crate) fn look_in_time(session: &Session, folders: &Folders) -> Vec<Finding> {
    let (Some(user), project) = (folders.user.clone(), folders.project.clone()) else {
        return Vec::new();
    };
    let folders = folders.clone();
    let tally = Deadline::new().within(move || last_sessions(&user, project.as_deref(), &folders));
    tally.map_or_else(Vec::new, |tally| look(session, &tally))
}

fn last_sessions(configuration: &Path, project: Option<&Path>, folders: &Folders) -> Tally {
    let since = SystemTime::now() - Duration::from_secs(DAYS * 24 * 60 * 60);
    let part = Part { since: iso(since), project: project.map(Path::to_owned) };
    let transcripts = files::since(configuration, since).unwrap_or_default();
    let recorded = state::runs().and_then(|record| Ok(Sessions::read(&record, folders)?));
    let (progress, timeline) = (AtomicU64::new(0), Timeline::default());
    Tally::of(&transcripts, &part, &progress, &timeline, &recorded.unwrap_or_default())
}

fn look(session: &Session, tally: &Tally) -> Vec<Finding> {
    let mut notes = Vec::new();
    for (source, handler) in session.handlers() {
        let (Some(event), Some(command)) = (event(&handler.event), handler.recorded_command()) else {
            continue;
        };
        let key = HookKey { event: event.name.to_owned(), command: Some(command) };
        notes.extend(bypassed(&key, tally).map(|found| found.at(source, handler.place)));
        let Some(hook) = tally.hooks.get(&key) else { continue };
        let found = [failed(hook), ignored(hook)].into_iter().flatten();
        notes.extend(found.map(|note| note.at(source, handler.place)));
    }
    notes
}

/// Returns a finding about calls that ran against a hook's denial, or without the hook.
fn bypassed(hook: &HookKey, tally: &Tally) -> Option<Finding> {
    let is_it = |call: &&Bypassed| hook.event == "PreToolUse" && hook.command.as_ref() == Some(&call.command);
    let last = tally.bypassed.iter().rfind(is_it)?;
    let calls = counted(tally.bypassed.iter().filter(is_it).count(), "call");
    Some(sessions::bypassed_in_sessions(DAYS, calls, last.sentence()))
}

/// Returns the start of a sentence about part of a hook's recorded runs.
fn share(part: u64, hook: &HookTally) -> String {
    format!("in the last {DAYS} days, {part} of its {} recorded runs", hook.runs())
}

fn failed(hook: &HookTally) -> Option<Finding> {
    let failed = hook.count(Outcome::Failed) + hook.count(Outcome::TimedOut);
    let (why, count) = hook.failures.iter().max_by_key(|(_, count)| count.times)?;
    let share = share(failed, hook);
    Some(sessions::failed_in_sessions(share, count.times, why, &count.last))
}

fn ignored(hook: &HookTally) -> Option<Finding> {
    let (why, count) = hook.ignored.iter().max_by_key(|(_, count)| count.times)?;
    Some(sessions::ignored_in_sessions(share(count.times, hook), why, &count.last))
}
