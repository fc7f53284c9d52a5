//! Facts about hooks in the rows of a transcript.
//!
//! The format is the client's, as of 2.1.330, and may change without notice. Unknown rows and members of an unexpected
//! type are skipped.

use std::borrow::Cow;
use std::time::Duration;

use hookkit_json::{Scanned, Scanner};
use hookkit_verdict::{Action, Verdict};
use serde::Serialize;

use crate::history::name::resolved;

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// Exit code 0.
    Succeeded,
    /// Any exit code except 0 and 2, or a program that could not be started. The client went ahead.
    Failed,
    /// The hook denied, blocked, or ended the turn.
    Blocked,
    /// The client killed the hook at its timeout, and went ahead.
    TimedOut,
    /// The client killed the hook before its timeout, for example because the user interrupted the turn.
    Cancelled,
    /// The client did not wait for the hook.
    Background,
}

impl Outcome {
    pub(crate) const ALL: [Self; 6] =
        [Self::Succeeded, Self::Failed, Self::Blocked, Self::TimedOut, Self::Cancelled, Self::Background];
}

/// Returns `true` if the answer makes the client deny, block or end the turn.
pub(crate) fn blocks(verdict: &Verdict) -> bool {
    matches!(verdict.action, Action::Denied | Action::KeepsGoing) || verdict.ends_turn
}

/// A row.
pub(crate) struct Row<'a>(Scanned<'a>);

/// The parts of a row that concern hooks.
pub(crate) enum Entry<'a> {
    /// A hook ran, or denied a prompt or a compaction.
    Run(Run),
    /// All hooks of a Stop ran.
    Stop(Stop),
    /// The model called tools.
    Calls(Vec<Call<'a>>),
    /// Tool calls ended.
    Results(Vec<CallResult<'a>>),
    /// The user wrote a prompt.
    Prompt(String),
    /// The model ended its turn with this text.
    Ended(String),
    /// The conversation was compacted, either by the user (`manual`) or because it was too long (`auto`).
    Compacted(String),
    Other,
}

/// A run of a hook.
#[derive(Clone, Default)]
pub(crate) struct Run {
    pub(crate) event: String,
    /// Value that the matcher was compared with. Empty if the event has no such value.
    pub(crate) subject: String,
    /// Command of the hook. `None` if the client does not record it.
    pub(crate) command: Option<String>,
    /// Id shared by all simultaneous runs, such as the tool call's.
    pub(crate) moment: String,
    pub(crate) milliseconds: Option<u64>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) exit_code: Option<i32>,
    pub(crate) stdout: String,
    /// Output on stderr, or the reason for a block.
    pub(crate) stderr: String,
}

/// The hooks of a Stop. For other events, the client does not record hooks that printed nothing.
pub(crate) struct Stop {
    pub(crate) moment: String,
    /// Commands with their durations in milliseconds. A hook that blocked or was not awaited has no duration.
    pub(crate) hooks: Vec<(String, Option<u64>)>,
    /// Reasons for blocks, and errors. For exit code 2, they have the form `[COMMAND]: REASON`.
    pub(crate) errors: Vec<String>,
}

/// A tool call.
pub(crate) struct Call<'a> {
    pub(crate) id: String,
    pub(crate) tool: String,
    /// JSON of the input, as written by the model.
    pub(crate) input: &'a [u8],
}

/// The result of a tool call.
pub(crate) struct CallResult<'a> {
    pub(crate) id: String,
    pub(crate) is_error: bool,
    /// JSON of the tool's output, if the row has only one result; a string if the call failed.
    pub(crate) response: Option<&'a [u8]>,
    /// `true` if the tool did not run because a hook, a rule or the user denied the call.
    pub(crate) is_denied: bool,
    /// The run of the hook that denied the call.
    pub(crate) denial: Option<Run>,
}

/// Prefix of a failed run's stderr.
const FAILED: &str = "Failed with non-blocking status code: ";
/// Prefixes of notices about denials. The reason follows.
const PROMPT_DENIED: &str = "UserPromptSubmit operation blocked by hook:\n";
const COMPACTION_DENIED: &str = "<local-command-stderr>Compaction blocked by PreCompact hook: ";

impl<'a> Row<'a> {
    /// Scans a line. `None` if it is not a JSON object.
    pub(crate) fn scan(line: &'a [u8]) -> Option<Self> {
        Scanned::scan(line).ok().map(Self)
    }

    /// Returns the time when the row was written, in ISO 8601 and UTC.
    pub(crate) fn time(&self) -> Option<&'a str> {
        let text = self.0.get("timestamp")?.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        str::from_utf8(text).ok()
    }

    /// Returns the session's folder at that time.
    pub(crate) fn cwd(&self) -> Option<String> {
        self.0.string("cwd")
    }

    /// Returns a member that is a string.
    pub(crate) fn string(&self, name: &str) -> Option<String> {
        self.0.string(name)
    }

    /// Returns the content.
    pub(crate) fn entry(&self) -> Entry<'a> {
        let entry = match self.0.get("type") {
            Some(br#""attachment""#) => self.attachment(),
            Some(br#""assistant""#) => self.calls().map(Entry::Calls).or_else(|| self.ended()),
            Some(br#""user""#) => self.results().map(Entry::Results).or_else(|| self.prompt()),
            Some(br#""system""#) => self.note(),
            _ => None,
        };
        entry.unwrap_or(Entry::Other)
    }

    fn attachment(&self) -> Option<Entry<'a>> {
        let attachment = Scanned::scan(self.0.get("attachment")?).ok()?;
        let kind = attachment.string("type")?;
        let event = attachment.string("hookEvent")?;
        let name = attachment.string("hookName").unwrap_or_default();
        let subject = name.strip_prefix(&*event).and_then(|rest| rest.strip_prefix(':'));
        let mut run = Run {
            subject: subject.unwrap_or_default().to_owned(),
            command: attachment.string("command").map(|command| resolved(&event, command)),
            moment: attachment.string("toolUseID").unwrap_or_default(),
            milliseconds: milliseconds(&attachment),
            exit_code: number(&attachment, "exitCode").and_then(|code| code.try_into().ok()),
            stdout: attachment.string("stdout").unwrap_or_default(),
            stderr: attachment.string("stderr").unwrap_or_default(),
            event,
            outcome: None,
        };
        let outcome = match &*kind {
            "hook_success" => Outcome::Succeeded,
            "hook_non_blocking_error" => {
                run.stderr = run.stderr.strip_prefix(FAILED).unwrap_or(&run.stderr).to_owned();
                Outcome::Failed
            }
            "hook_blocking_error" => {
                let error = Scanned::scan(attachment.get("blockingError")?).ok()?;
                run.command = error.string("command").map(|command| resolved(&run.event, command));
                let reason = error.string("blockingError").unwrap_or_default();
                run.stderr = without_command(&reason, run.command.as_deref()).to_owned();
                Outcome::Blocked
            }
            "hook_stopped_continuation" => {
                let message = attachment.string("message").unwrap_or_default();
                let (command, reason) = bracketed(&message);
                (run.command, run.stderr) = (command.map(str::to_owned), reason.to_owned());
                Outcome::Blocked
            }
            "hook_cancelled" if attachment.get("timedOut") == Some(b"true") => {
                let timeout = number(&attachment, "timeoutMs").unwrap_or_default();
                run.stderr = format!("not done within {} s", Duration::from_millis(timeout).as_secs_f64());
                Outcome::TimedOut
            }
            "hook_cancelled" => Outcome::Cancelled,
            "async_hook_response" => Outcome::Background,
            _ => return None,
        };
        run.outcome = Some(outcome);
        Some(Entry::Run(run))
    }

    fn note(&self) -> Option<Entry<'a>> {
        let content = || self.0.string("content");
        match &*self.0.string("subtype")? {
            "stop_hook_summary" => Some(Entry::Stop(Stop {
                moment: self.0.string("toolUseID").unwrap_or_default(),
                hooks: elements(self.0.get("hookInfos")?)
                    .filter_map(|info| Scanned::scan(info).ok())
                    .filter_map(|info| Some((resolved("Stop", info.string("command")?), milliseconds(&info))))
                    .collect(),
                errors: self.0.get("hookErrors").map(|errors| strings(errors).collect()).unwrap_or_default(),
            })),
            "informational" => {
                let content = content()?;
                let rest = content.strip_prefix(PROMPT_DENIED)?;
                let end = rest.rfind("\n\nOriginal prompt: ").unwrap_or(rest.len());
                Some(Entry::Run(Run::denied("UserPromptSubmit", "", &rest[..end])))
            }
            "compact_boundary" => {
                let metadata = Scanned::scan(self.0.get("compactMetadata")?).ok()?;
                Some(Entry::Compacted(metadata.string("trigger")?))
            }
            "local_command" => {
                let content = content()?;
                let rest = content.strip_prefix(COMPACTION_DENIED)?;
                let reason = rest.strip_suffix("</local-command-stderr>").unwrap_or(rest);
                Some(Entry::Run(Run::denied("PreCompact", "", reason)))
            }
            _ => None,
        }
    }

    fn blocks(&self) -> Option<impl Iterator<Item = Scanned<'a>>> {
        let content = Scanned::scan(self.0.get("message")?).ok()?.get("content")?;
        Some(elements(content).filter_map(|block| Scanned::scan(block).ok()))
    }

    fn calls(&self) -> Option<Vec<Call<'a>>> {
        let calls = self.blocks()?.filter(|block| block.has("type", "tool_use"));
        let call = |block: Scanned<'a>| {
            Some(Call { id: block.string("id")?, tool: block.string("name")?, input: block.get("input")? })
        };
        let calls: Vec<Call<'a>> = calls.filter_map(call).collect();
        (!calls.is_empty()).then_some(calls)
    }

    fn results(&self) -> Option<Vec<CallResult<'a>>> {
        let results = self.blocks()?.filter(|block| block.has("type", "tool_result"));
        let result = |block: Scanned<'a>| {
            let is_error = block.get("is_error") == Some(b"true");
            Some(CallResult {
                id: block.string("tool_use_id")?,
                is_error,
                response: None,
                is_denied: self.0.get("toolDenialKind").is_some(),
                denial: is_error.then(|| Self::denial(&block)).flatten(),
            })
        };
        let mut results: Vec<CallResult<'a>> = results.filter_map(result).collect();
        // With several results, the row does not say which of them has the output.
        if let [result] = &mut *results {
            result.response = self.0.get("toolUseResult");
        }
        (!results.is_empty()).then_some(results)
    }

    /// Returns the text of a message: a string, or blocks of text.
    fn text(&self) -> Option<String> {
        let message = Scanned::scan(self.0.get("message")?).ok()?;
        if let Some(text) = message.string("content") {
            return Some(text);
        }
        let texts: Vec<String> =
            self.blocks()?.filter(|block| block.has("type", "text")).filter_map(|block| block.string("text")).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// Returns the end of a turn. `None` if the reply was interrupted or cut off.
    fn ended(&self) -> Option<Entry<'a>> {
        Scanned::scan(self.0.get("message")?)
            .ok()?
            .has("stop_reason", "end_turn")
            .then(|| self.text().map(Entry::Ended))?
    }

    /// Returns the user's prompt. Rows that the client writes on behalf of the user are not prompts.
    fn prompt(&self) -> Option<Entry<'a>> {
        const OF_CLIENT: [&str; 6] = [
            "[Request interrupted by user", "<local-command", "<bash-input>", "<bash-std", "<task-notification>",
            "<command-",
        ];
        let not_of_user = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isSidechain"];
        if not_of_user.iter().any(|name| self.0.get(name) == Some(b"true")) {
            return None;
        }
        let text = self.text()?;
        (!OF_CLIENT.iter().any(|start| text.starts_with(start))).then_some(Entry::Prompt(text))
    }

    /// Returns a hook's denial of a call: `PreToolUse:TOOL hook error: REASON`.
    fn denial(result: &Scanned<'a>) -> Option<Run> {
        let text = result.string("content")?;
        let (name, reason) = text.split_once(" hook error: ")?;
        let subject = name.strip_prefix("PreToolUse:")?;
        let denial = Run { moment: result.string("tool_use_id")?, ..Run::denied("PreToolUse", subject, reason) };
        (!subject.contains(char::is_whitespace)).then_some(denial)
    }
}

impl Run {
    /// Returns the run of a hook that denied something. The client records its command only for exit code 2.
    fn denied(event: &str, subject: &str, message: &str) -> Self {
        let (command, reason) = bracketed(message.trim());
        Self {
            event: event.to_owned(),
            subject: subject.to_owned(),
            command: command.map(str::to_owned),
            outcome: Some(Outcome::Blocked),
            stderr: reason.to_owned(),
            ..Self::default()
        }
    }
}

/// Splits the message about exit code 2, `[COMMAND]: REASON`. Any other message is only a reason.
pub(crate) fn bracketed(message: &str) -> (Option<&str>, &str) {
    let parts = message.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
    match parts {
        Some((command, reason)) => (Some(command), reason.trim()),
        None => (None, message.trim()),
    }
}

/// Returns a message about exit code 2 without its prefix `[COMMAND]: `.
fn without_command<'m>(message: &'m str, command: Option<&str>) -> &'m str {
    let prefix = command.map(|command| format!("[{command}]: "));
    prefix.and_then(|prefix| message.strip_prefix(&*prefix)).unwrap_or(message).trim()
}

/// Returns an integer member.
pub(crate) fn number(object: &Scanned<'_>, name: &str) -> Option<u64> {
    str::from_utf8(object.get(name)?).ok()?.parse().ok()
}

/// Returns a run's duration. `None` for impossible numbers, because sums would overflow.
fn milliseconds(object: &Scanned<'_>) -> Option<u64> {
    const YEAR: u64 = 366 * 24 * 60 * 60 * 1_000;
    number(object, "durationMs").filter(|milliseconds| *milliseconds <= YEAR)
}

/// Returns the elements of an array; empty for any other value.
fn elements(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut scanner = Scanner::new(text);
    let mut is_first = true;
    let is_array = scanner.array_start().is_ok();
    std::iter::from_fn(move || {
        let element = scanner.element(is_first).ok()??;
        is_first = false;
        Some(scanner.slice(element.text))
    })
    .take_while(move |_| is_array)
}

/// Returns the strings in an array. A single string counts as an array with one element.
fn strings(text: &[u8]) -> impl Iterator<Item = String> {
    let string = |text: &[u8]| hookkit_json::lossy(text, |value| value.as_str().map(Cow::into_owned));
    let alone = (text.first() == Some(&b'"')).then(|| string(text)).flatten();
    alone.into_iter().chain(elements(text).filter_map(string))
}
