//! The record of runs: a hook's payloads and answers.
//!
//! Only hooks that `cargo xtask install --record` builds contain this code; the launcher names the file. A run is two
//! lines of JSON in that file, with the same `run`: one is written before the handler is called, and one after the
//! answer. A run without a second line was killed, or crashed too hard to report it.
//!
//! ```text
//! {"run":"…","hook":"guard","package":"acme-guards","package_version":"1.2.0","command":"/…/bin/guard","at":1764054000123,"payload":{…}}
//! {"run":"…","microseconds":812,"exit_code":0,"stdout":"…","stderr":""}
//! {"run":"…","microseconds":4000123,"exit_code":2,"stderr":"hookkit: hook `guard` failed: it was not done in time\n"}
//! ```
//!
//! `command` is the hook's command in the settings, which identifies the hook in transcripts. `at` is in milliseconds
//! since 1970, and `microseconds` is the time from the complete payload to the answer. A payload that is not JSON is
//! recorded as a string. A payload or an output of more than 256 KiB is replaced by its size: `payload_bytes`,
//! `stdout_bytes` or `stderr_bytes`. If the client does not wait for the hook, its `mode` is recorded. Secrets that
//! `hookkit_secrets` finds are masked, in the strings of the payload and in both outputs.
//!
//! If its run cannot be recorded, a hook answers as usual: the answer matters more, and stdout and stderr are not for
//! such errors.
//!
//! `install --audit` also audits each run, under the same id (`record/audit.rs`). The audit's line is written before
//! the answer.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use std::{env, process};

use hookkit_secrets::{masked, masks};

use crate::json::{self, Object};
use crate::{Error, HookDef, Json, Response, sys};

#[cfg_attr(not(all(unix, any(feature = "audit", test))), path = "record/audit_off.rs")]
mod audit;

#[cfg(all(unix, any(feature = "audit", test)))]
pub use audit::{Audit, audit_in};

/// Size limit of the record. A larger file replaces the older one, and a new one begins.
const LIMIT: u64 = 32 << 20;

/// Size limit of a recorded payload or output. A search for secrets in more than that would make the hook late.
const TEXT_LIMIT: usize = 256 << 10;

/// The file and the hook's command, set by the launcher.
static RECORD: OnceLock<(&'static str, &'static str)> = OnceLock::new();

/// The run of this process. It is set after the first line was written.
static RUN: OnceLock<Run> = OnceLock::new();

/// `true` once the answer is audited. No other answer can replace it then.
static IS_SETTLED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// `true` on the thread that audits the answer, from the beginning of the audit.
    static SETTLES: Cell<bool> = const { Cell::new(false) };
}

/// Exit code of the process. It is set after the answer was written, while the second line is being written.
static EXIT_CODE: OnceLock<u8> = OnceLock::new();

struct Run {
    /// Id of the process that records. Its forks do not record.
    process: u32,
    /// The record and the beginning of its second line; `None` if the run is only audited.
    record: Option<(File, String)>,
    audited: Option<audit::Run>,
    began: Instant,
}

/// Returns the run of this process, once its first line was written.
fn run() -> Option<&'static Run> {
    RUN.get().filter(|run| run.process == process::id())
}

/// Returns the record of this process: the file, the beginning of the second line, and the time of the first line.
fn recorded() -> Option<(&'static File, &'static str, Instant)> {
    let run = run()?;
    run.record.as_ref().map(|(file, head)| (file, &**head, run.began))
}

/// Makes this process record its run in a file. A launcher calls it before the hook. The environment variable
/// `HOOKKIT_RECORD=off` prevents it.
pub fn record_in(file: &'static str, command: &'static str) {
    if env::var_os("HOOKKIT_RECORD").is_none_or(|value| value != "off") {
        let _ = RECORD.set((file, command));
    }
}

/// Returns `true` if the run is recorded or audited.
pub(crate) fn is_on() -> bool {
    RECORD.get().is_some() || audit::is_on()
}

/// Returns `true` if the hook was built by `install --audit`, so that each of its decisions becomes a line of the
/// audit.
///
/// A hook with its own log does not need to write it then.
pub fn is_audited() -> bool {
    audit::is_on()
}

/// Begins the record and the audit of the run.
pub(crate) fn begin(hook: &HookDef, payload: &[u8]) {
    let (at, began) = (SystemTime::now(), Instant::now());
    let audited = audit::Run::begin(hook, payload, at);
    let id = audited.as_ref().map(audit::Run::id);
    let record = RECORD.get().and_then(|record| begin_record(*record, hook, payload, at, id));
    if record.is_some() || audited.is_some() {
        let _ = RUN.set(Run { process: process::id(), record, audited, began });
    }
}

/// Writes the first line of the record. Returns the file, and the beginning of the second line.
fn begin_record(
    (path, command): (&str, &str),
    hook: &HookDef,
    payload: &[u8],
    at: SystemTime,
    id: Option<&str>,
) -> Option<(File, String)> {
    let now = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let id = id.map_or_else(|| format!("{:x}-{}", now.as_nanos(), process::id()), str::to_owned);
    let mut file = open(Path::new(path)).ok()?;
    let declared = &hook.declared;
    let mut line = Vec::with_capacity(payload.len() + 512);
    let mut object = Object::new(&mut line);
    object.string("run", &id);
    object.string("hook", declared.name);
    object.string("package", declared.package);
    object.string("package_version", declared.package_version);
    object.string("command", command);
    if let Some(mode) = declared.mode.option() {
        object.string("mode", mode);
    }
    object.raw(b"at", now.as_millis().to_string().as_bytes());
    if payload.len() > TEXT_LIMIT {
        object.raw(b"payload_bytes", payload.len().to_string().as_bytes());
    } else {
        object.raw(b"payload", &masked_json(payload));
    }
    object.end();
    line.push(b'\n');
    file.write_all(&line).ok()?;
    Some((file, format!("{{\"run\":\"{id}\",\"microseconds\":")))
}

/// Audits the answer before it is written and returns the response to write. If the audit is required and fails, a
/// response that lets the action go ahead becomes the hook's failure.
pub(crate) fn settled(response: Response, failed: impl FnOnce(&Error) -> Response) -> Response {
    let Some((run, audited)) = run().and_then(|run| Some((run, run.audited.as_ref()?))) else {
        return response;
    };
    settle(|| audited.settled(response, run.began.elapsed(), failed))
}

/// Audits the answer on this thread. A crash before the end of this function is audited on a line of its own.
fn settle(audited: impl FnOnce() -> Response) -> Response {
    SETTLES.set(true);
    let response = audited();
    IS_SETTLED.store(true, Ordering::Relaxed);
    response
}

/// Returns `true` if this thread has begun to audit its answer: it cannot answer again.
pub(crate) fn settles() -> bool {
    SETTLES.get()
}

/// Writes a failed run to the audit log before reporting it. Returns `false` if the write failed.
/// Async-signal-safe: it allocates nothing.
///
/// The name and `why` must not need escapes in JSON.
pub(crate) fn fails(hook: &HookDef, why: &str) -> bool {
    let run = run().filter(|_| !IS_SETTLED.load(Ordering::Relaxed));
    let audited = run.and_then(|run| Some((run.audited.as_ref()?, run.began.elapsed())));
    audited.is_none_or(|(audited, took)| audited.fail(hook, why, took))
}

/// Returns the exit code, if the process has already answered. If recording the answer panics, the process still exits
/// with this code.
pub(crate) fn exit_code() -> Option<u8> {
    EXIT_CODE.get().copied()
}

/// Writes the second line, after the answer.
pub(crate) fn end(response: &Response, exit_code: u8) {
    let _ = EXIT_CODE.set(exit_code);
    let Some((file, head, began)) = recorded() else { return };
    let mut line = format!("{head}{},\"exit_code\":{exit_code}", began.elapsed().as_micros()).into_bytes();
    let stdout = masked_output(&response.stdout);
    let stderr = masked_output(response.stderr.as_bytes());
    for (name, text, length) in [("stdout", stdout, response.stdout.len()), ("stderr", stderr, response.stderr.len())] {
        match text {
            Some(text) => {
                line.extend_from_slice(format!(",\"{name}\":").as_bytes());
                json::string(&mut line, &text);
            }
            None => line.extend_from_slice(format!(",\"{name}_bytes\":{length}").as_bytes()),
        }
    }
    line.extend_from_slice(b"}\n");
    let mut file = file;
    // One write: the lines of hooks that run at the same time do not mix.
    let _ = file.write_all(&line);
}

/// Writes the second line of a run that cannot answer. The line contains the output printed instead of an answer,
/// given in pieces. Async-signal-safe: it allocates nothing.
///
/// The name and `why` must not need escapes in JSON.
pub(crate) fn fail<'p>(hook: &str, why: &str, exit_code: u8, stdout: impl Iterator<Item = &'p str>) {
    let Some((file, head, began)) = recorded() else { return };
    // A signal's stack has 8 KiB; the processor's state takes up to half of it.
    let mut line = [0; 1024];
    let mut rest = &mut line[..];
    let time = began.elapsed().as_micros();
    let write = || -> io::Result<()> {
        write!(rest, "{head}{time},\"exit_code\":{exit_code},\"stdout\":\"")?;
        for byte in stdout.flat_map(str::bytes) {
            if matches!(byte, b'"' | b'\\') {
                rest.write_all(b"\\")?;
            }
            rest.write_all(&[byte])?;
        }
        writeln!(rest, "\",\"stderr\":\"hookkit: hook `{hook}` failed: {why}\\n\"}}")
    };
    let written = write();
    let left = rest.len();
    if written.is_ok() {
        sys::write_raw(sys::descriptor_of(file), &line[..line.len() - left]);
    }
}

/// Opens the file to append to it, with access for the user only. Fails for a link or a pipe.
fn open(path: &Path) -> io::Result<File> {
    let append = || {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        }
        options.open(path)
    };
    let file = append()?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    if metadata.len() < LIMIT || file.try_lock().is_err() {
        return Ok(file);
    }
    // Another hook may have moved it, after this one opened it and before it had the lock.
    if fs::metadata(path)?.len() >= LIMIT {
        // If that fails, the file grows: an unrecorded run is worse.
        let _ = fs::rename(path, path.with_extension("old.jsonl"));
    }
    append()
}

/// Returns a hook's output without its secrets; `None` if the output is too long. In JSON, a private key has escapes.
fn masked_output(output: &[u8]) -> Option<String> {
    if output.len() > TEXT_LIMIT {
        return None;
    }
    let plain = || masked(&String::from_utf8_lossy(output)).into_owned();
    Some(parsed(output).map_or_else(plain, masked_strings))
}

/// Returns a text as JSON, if it is valid JSON. The scanner alone would accept any word as a number.
fn parsed(text: &[u8]) -> Option<Json> {
    Json::parse(str::from_utf8(text).ok()?).ok()
}

/// Returns a payload without its secrets, on one line.
fn masked_json(payload: &[u8]) -> Vec<u8> {
    if let Some(json) = parsed(payload) {
        return masked_strings(json).into();
    }
    let mut out = Vec::new();
    json::string(&mut out, &masked(&String::from_utf8_lossy(payload)));
    out
}

/// Returns JSON on one line, without the secrets in its strings. The strings are searched together: a private key can
/// be split among several, as in the lines of a patch.
fn masked_strings(json: Json) -> String {
    let masked = json.with_replaced(masks).unwrap_or(json);
    // Between strings a line end is only white space.
    masked.text().replace(|char: char| char.is_ascii_whitespace(), " ")
}

#[cfg(test)]
mod tests;
