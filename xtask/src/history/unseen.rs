//! Hooks of a session that have no run in the transcripts.

use hookkit_protocol::event::event;
use hookkit_protocol::matcher::Matcher;

use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, HookFile};
use crate::history::tally::{HookKey, Tally};
use crate::terminal::counted;

/// The events whose hooks have rows if they print something, fail, or time out (client 2.1.330). On Stop, each run has
/// a row.
pub(crate) const RECORDED: [&str; 10] = [
    "SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PostToolUse", "PostToolUseFailure",
    "PostToolBatch", "SubagentStart", "SubagentStop", "Stop",
];

/// A hook without a recorded run.
pub(crate) struct Unseen<'s> {
    pub(crate) source: &'s HookFile,
    pub(crate) handler: &'s Handler,
    /// `never-ran`: The client records all runs on this event; only other hooks ran, or none.
    ///
    /// `no-trace`: If the hook ran on the calls that matched its matcher, it exited with 0 and printed nothing. An `if` is
    /// not evaluated.
    ///
    /// `not-recorded`: The client records no runs on this event.
    pub(crate) why: &'static str,
    /// Number of the turns or calls.
    pub(crate) calls: Option<u64>,
    /// The reason, without a period.
    pub(crate) sentence: String,
}

/// Describes the facts that are not in transcripts.
pub(crate) fn limits() -> String {
    format!(
        "Claude Code does not record runs that exit with 0 and print nothing (except on Stop), or runs on events \
         other than {}: `runs` and the times cover only recorded runs. On UserPromptSubmit and UserPromptExpansion it \
         does not record runs that answer with JSON, either. For denials with JSON and most `async` runs, it does not \
         record which hook ran: `(not recorded)`.",
        RECORDED.join(", ")
    )
}

/// Returns a session's active hooks that have no run in a tally, except hooks that had no occasion to run.
pub(crate) fn find<'s>(session: &'s Session, tally: &Tally) -> Vec<Unseen<'s>> {
    let unseen = |(source, handler): (&'s HookFile, &'s Handler)| {
        let event = event(&handler.event)?;
        let key = HookKey { event: event.name.to_owned(), command: Some(handler.recorded_command()?) };
        if tally.hooks.contains_key(&key) || session.never(source, handler).is_some() {
            return None;
        }
        let (why, calls, sentence) = match event.name {
            "Stop" => {
                let sentence = format!("it never ran, though {} ended", counted(tally.stops, "turn"));
                ("never-ran", Some(tally.stops), sentence)
            }
            "PreToolUse" => {
                let matcher = Matcher::new(handler.matcher.as_deref().unwrap_or_default(), event);
                let matched = tally.calls.iter().filter(|(tool, _)| matcher.matches(event, tool));
                let calls = matched.map(|(_, count)| count).sum();
                ("no-trace", Some(calls), format!("{} fitted its matcher", counted(calls, "call")))
            }
            // The rows do not say for which of these events the hook ran.
            name if RECORDED.contains(&name) => return None,
            _ => ("not-recorded", None, "Claude Code records no runs on this event".to_owned()),
        };
        (calls != Some(0)).then_some(Unseen { source, handler, why, calls, sentence })
    };
    session.handlers().filter_map(unseen).collect()
}
