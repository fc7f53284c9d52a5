//! The audit: a line for each decision, written before the client reads the answer.
//!
//! Only hooks that `cargo xtask install --audit` builds contain this code; the launcher names the folder. A line is an
//! OTLP `ExportLogsServiceRequest` in JSON, with one record (opentelemetry-proto 1.9). A collector can read it
//! unchanged.
//! The book's `audit.md` describes the attributes. The names `session.id`, `tool_name` and `tool_use_id` are those of
//! Claude Code's own events.
//!
//! Secrets that `hookkit_secrets` finds are masked, and an input or an answer of more than 256 KiB is left out.
//!
//! If a line cannot be written, the hook reports it on stderr and answers. If the audit is required, an answer that
//! lets the action go ahead becomes a failure of the hook.

use std::ffi::CString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hookkit_json::Scanned;
use hookkit_spool::{HEAD, Limits, Spool, new_id, without_quotations};

use super::{TEXT_LIMIT, masked_json, masked_output};
use crate::answer::WOKEN;
use crate::answer::merged::Printed;
use crate::{Error, HookDef, OnFailure, Response, json, sys};

/// The audit of a hook, set by the launcher.
#[derive(Debug)]
pub struct Audit {
    /// The folder of the spool. A relative one is below the home folder of the user's account, not below `HOME`, which
    /// the settings of a checkout can set.
    pub folder: &'static str,
    /// The hook's command in the settings.
    pub command: &'static str,
    /// The SHA-256 of the code that the hook was built from.
    pub revision: &'static str,
    /// `true` if the hook fails when it cannot write its line.
    pub is_required: bool,
}

static AUDIT: OnceLock<&'static Audit> = OnceLock::new();

/// The argument that marks a run outside of any session. A variable would not be safe: the settings of a checkout can
/// set variables.
const TRIAL: &str = "--trial";

/// Makes this process audit its run. A launcher calls it before the hook.
pub fn audit_in(audit: &'static Audit) {
    if std::env::args_os().nth(1).is_none_or(|argument| argument != TRIAL) {
        let _ = AUDIT.set(audit);
    }
}

pub(super) fn is_on() -> bool {
    AUDIT.get().is_some()
}

/// The members of a payload that become attributes, with the names of the attributes.
const MEMBERS: [(&str, &str); 6] = [
    ("session_id", "session.id"),
    ("tool_use_id", "tool_use_id"),
    ("hook_event_name", "hook_event"),
    ("tool_name", "tool_name"),
    ("agent_id", "agent_id"),
    ("cwd", "cwd"),
];

/// A run to audit.
pub(super) struct Run {
    audit: &'static Audit,
    spool: Spool,
    id: String,
    /// The line up to the decision.
    head: Vec<u8>,
    /// The line after the decision.
    tail: String,
    /// Two paths for the line of a process that cannot continue. The line is written to the first path, then renamed to
    /// the second.
    own: [CString; 2],
}

impl Run {
    /// Prepares the audit line for a run. Returns `None` if runs are not audited.
    pub(super) fn begin(hook: &HookDef, payload: &[u8], at: SystemTime) -> Option<Self> {
        Self::of(AUDIT.get()?, hook, payload, at)
    }

    fn of(audit: &'static Audit, hook: &HookDef, payload: &[u8], at: SystemTime) -> Option<Self> {
        let folder = match Path::new(audit.folder) {
            folder if folder.is_absolute() => folder.to_owned(),
            folder => sys::account_home().join(folder),
        };
        let spool = Spool::new(folder, Limits::default());
        let (id, declared) = (new_id(at), &hook.declared);
        let mut head = Vec::with_capacity(payload.len() + 2048);
        let _ = write!(head, "{HEAD}{id}\"}}}},");
        let mut put = |name: &str, value: &str| attribute(&mut head, name, value);
        if let Ok(read) = Scanned::scan(payload) {
            for (member, name) in MEMBERS {
                if let Some(value) = read.string(member) {
                    put(name, &value);
                }
            }
            match read.get("tool_input") {
                Some(input) if input.len() > TEXT_LIMIT => put("tool_input_bytes", &input.len().to_string()),
                Some(input) => put("tool_input", &String::from_utf8_lossy(&masked_json(input))),
                None => {}
            }
        }
        put("hookkit.hook", declared.name);
        put("hookkit.package", declared.package);
        put("hookkit.package_version", declared.package_version);
        put("hookkit.command", audit.command);
        put("hookkit.policy.revision", audit.revision);
        if let Ok(hash) = spool.own_program() {
            put("hookkit.sha256", &hash);
        }
        let nanoseconds = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let host = sys::host_name();
        let mut tail = format!(
            concat!(
                r#","timeUnixNano":"{}","eventName":"hookkit.decision"}}],"scope":{{"name":"hookkit","version":"{}"}}}}],"#,
                r#""resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"hookkit"}}}},"#,
                r#"{{"key":"host.name","value":{{"stringValue":"#
            ),
            nanoseconds,
            env!("CARGO_PKG_VERSION")
        )
        .into_bytes();
        json::string(&mut tail, &host);
        tail.extend_from_slice(b"}}]}}]}\n");
        let own = spool.own_segment(&id).map(|path| CString::new(path.into_os_string().into_vec()));
        let [part, closed] = own;
        Some(Self { audit, spool, id, head, tail: String::from_utf8(tail).ok()?, own: [part.ok()?, closed.ok()?] })
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Writes the audit line of an answer. Returns the response to print.
    pub(super) fn settled(
        &self,
        mut response: Response,
        took: Duration,
        failed: impl FnOnce(&Error) -> Response,
    ) -> Response {
        let decision = Decision::of(&response);
        let err = match self.spool.append(&self.line(&decision, took), wait()) {
            Ok(()) => return response,
            Err(err) => Error::msg(format_args!("its decision is not in the audit `{}`: {err}", self.audit.folder)),
        };
        if self.audit.is_required && decision.lets_go_ahead() {
            return failed(&err);
        }
        let _ = writeln!(response.stderr, "hookkit: {err}");
        response
    }

    fn line(&self, decision: &Decision, took: Duration) -> Vec<u8> {
        let mut line = self.head.clone();
        attribute(&mut line, "hookkit.decision", &decision.word);
        if let Some(reason) = &decision.reason {
            attribute(&mut line, "hookkit.reason", reason);
            let first = reason.lines().next().unwrap_or_default();
            attribute(&mut line, "hookkit.rule", &without_quotations(first));
        }
        let _ = write!(line, "{}", Rest(took, decision.is_failure, &decision.word));
        if let Some(answer) = &decision.answer {
            line.extend_from_slice(br#","body":{"stringValue":"#);
            json::string(&mut line, answer);
            line.push(b'}');
        }
        line.extend_from_slice(self.tail.as_bytes());
        line
    }

    /// Writes the line of a process that cannot answer, as a segment of its own. Returns `false` if it fails.
    /// Async-signal-safe.
    pub(super) fn fail(&self, hook: &HookDef, why: &str, took: Duration) -> bool {
        let word = match hook.declared.on_failure {
            OnFailure::Block => "deny",
            OnFailure::Ask => "ask",
            OnFailure::Continue => NONE,
        };
        let mut text = [0; 2048];
        let mut rest = &mut text[..];
        let written = write!(
            rest,
            concat!(
                r#"{{"key":"hookkit.decision","value":{{"stringValue":"{}"}}}},"#,
                r#"{{"key":"hookkit.reason","value":{{"stringValue":"hookkit: hook `{}` failed: {}"}}}},{}"#
            ),
            word,
            hook.declared.name,
            why,
            Rest(took, true, word)
        );
        let left = rest.len();
        let decision = &text[..text.len() - left];
        let [part, path] = &self.own;
        written.is_ok() && sys::write_whole(part, path, &[&self.head, decision, self.tail.as_bytes()])
    }
}

/// Writes an attribute, followed by a comma.
fn attribute(line: &mut Vec<u8>, name: &str, value: &str) {
    let _ = write!(line, r#"{{"key":"{name}","value":{{"stringValue":"#);
    json::string(line, value);
    line.extend_from_slice(b"}},");
}

/// The end of a decision's line: the time that the decision took, whether the hook failed, and the decision's word.
struct Rest<'w>(Duration, bool, &'w str);

impl std::fmt::Display for Rest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(took, is_failure, word) = *self;
        let (number, severity) = match word {
            _ if is_failure => (17, "ERROR"),
            NONE | "allow" => (9, "INFO"),
            _ => (13, "WARN"),
        };
        write!(
            f,
            r#"{{"key":"duration_us","value":{{"intValue":"{}"}}}}],"severityNumber":{number},"severityText":"{severity}""#,
            took.as_micros()
        )
    }
}

/// Returns the time to wait for other hooks: at most two seconds, and short enough to answer in time.
fn wait() -> Duration {
    let left = sys::time_left().unwrap_or(Duration::MAX);
    left.saturating_sub(Duration::from_millis(100)).min(Duration::from_secs(2))
}

/// The word for a hook without an opinion.
const NONE: &str = "none";

/// A decision, without secrets.
struct Decision {
    /// The decision's word: Claude Code's own, `stop`, `rewrite`, `context` or `none`.
    word: String,
    reason: Option<String>,
    /// The answer as it was printed.
    answer: Option<String>,
    is_failure: bool,
}

impl Decision {
    fn of(response: &Response) -> Self {
        let wakes = response.stdout == WOKEN;
        // Any other text on stderr is a reason. An order prints none for a failed hook in it.
        let is_failure = match response.stderr.is_empty() {
            true => response.exit_code != 0,
            false => response.stderr.starts_with("hookkit: hook `"),
        };
        let stderr = || masked_output(response.stderr.trim_end().as_bytes()).filter(|text| !text.is_empty());
        let answer = masked_output(&response.stdout).filter(|text| !text.is_empty());
        let printed = Printed::read(&response.stdout).ok().flatten().unwrap_or_default();
        let word = match wakes {
            true => "context",
            false => printed.word(response.exit_code),
        };
        let word = word.to_owned();
        let of_event = printed.hook_specific_output;
        let message = of_event.decision.and_then(|request| request.message);
        let reason = of_event.permission_decision_reason.or(message).or(printed.reason).or(printed.stop_reason);
        let reason = reason.and_then(|reason| masked_output(reason.as_bytes()));
        Self { word, reason: reason.or_else(stderr), answer, is_failure }
    }

    fn lets_go_ahead(&self) -> bool {
        !matches!(&*self.word, "deny" | "block" | "ask" | "defer" | "stop")
    }
}

#[cfg(test)]
mod tests;
