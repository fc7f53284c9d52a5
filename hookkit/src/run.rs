//! The I/O of a hook process.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::failure::failure;
use crate::json::{Scanner, Stream};
use crate::respond::respond_to_scanned;
use crate::{Error, HookDef, OnFailure, Response, agent, panicking, record, sys, termination};

/// Buffer for the payload. Nearly every payload fits, so that nothing is allocated.
static BUFFER: Mutex<[u8; 64 * 1024]> = Mutex::new([0; 64 * 1024]);

/// `true` in the fork that runs one hook of an order (hooks that share a program).
static IS_MEMBER: AtomicBool = AtomicBool::new(false);

/// Runs a hook process: reads stdin, calls the handler, writes both streams and exits.
///
/// Everything else is pure: only this module handles file descriptors and exit codes.
pub fn run(hook: &'static HookDef) -> ! {
    let taken = sys::redirect_stdout().and_then(|stdout| termination::prepare(hook, stdout));
    panicking::prepare();
    let response = match taken {
        Ok(()) => read_and_respond(hook),
        Err(err) => failed(hook, &Error::msg(format_args!("stdout cannot be redirected: {err}"))),
    };
    finish(hook, response)
}

/// Runs the hook given as the first argument, in a program that has several hooks.
///
/// An unknown name ends the process with exit code 1. The client treats that as a failure and applies its `onFailure`.
pub fn run_named(hooks: &[(&str, fn())]) {
    let name = std::env::args_os().nth(1).unwrap_or_default();
    if let Some((_, main)) = hooks.iter().find(|(hook, _)| name == *hook) {
        return main();
    }
    let names: Vec<&str> = hooks.iter().map(|(hook, _)| *hook).collect();
    write_line(&format!("the first argument must be a hook of this program: {}\n", names.join(", ")));
    sys::exit_now(1)
}

/// Returns the response for a failure, in the form of the payload's event if it can be determined.
#[cold]
fn failed(hook: &HookDef, error: &Error) -> Response {
    failure(hook, termination::called_as(), error)
}

/// Answers a payload in a fork of the process, as a hook of an order.
#[cfg(unix)]
pub(crate) fn run_as_member(hook: &'static HookDef, payload: &[u8]) -> ! {
    IS_MEMBER.store(true, Ordering::Relaxed);
    termination::become_member(hook);
    let response = respond_to_scanned(hook, &mut Scanner::new(payload), variable, termination::set_called_as);
    finish(hook, response.unwrap_or_else(|err| failed(hook, &Error::unreadable(&err, payload))))
}

/// Ends the process after a panic, according to the hook's failure policy. A lister (a program that only lists hooks)
/// runs no hook, so it has no policy.
#[cold]
pub(crate) fn end_by_panic(why: String) -> ! {
    // The process has answered, and panicked while recording the answer.
    if let Some(exit_code) = record::exit_code() {
        sys::exit_now(exit_code)
    }
    match termination::hook() {
        // Another thread's panic waits for this one's answer, in `finish`.
        _ if record::settles() => termination::end("it panicked after its decision"),
        Some(hook) => finish(hook, failed(hook, &Error::msg(why))),
        None => termination::end(&why),
    }
}

fn read_and_respond(hook: &HookDef) -> Response {
    if record::is_on() || agent::is_on() {
        return read_all_and_respond(hook);
    }
    let mut buffer = BUFFER.lock().unwrap_or_else(PoisonError::into_inner);
    let buffer: &mut [u8] = &mut *buffer;
    let mut stdin = sys::stdin();
    let mut filled = 0;
    while filled < buffer.len() {
        let read = match stdin.read(&mut buffer[filled..]) {
            Ok(read) => read,
            Err(err) if err.kind() == io::ErrorKind::Interrupted => continue,
            Err(err) => return failed(hook, &Error::msg(format_args!("stdin cannot be read: {err}"))),
        };
        filled += read;
        let text = &buffer[..filled];
        // A payload ends with a closing brace; an incomplete one seldom does.
        if read > 0 && !text.trim_ascii_end().ends_with(b"}") {
            continue;
        }
        match respond_to_scanned(hook, &mut Scanner::new(text), variable, termination::set_called_as) {
            Ok(response) => return response,
            Err(err) if err.is_cut_off() && read > 0 => {}
            Err(err) => return failed(hook, &Error::unreadable(&err, text)),
        }
    }
    // A larger payload is read while it is scanned, and only the requested members are kept.
    let mut scanner = Scanner::new(Stream::new(buffer, &mut *stdin));
    let response = respond_to_scanned(hook, &mut scanner, variable, termination::set_called_as);
    response.unwrap_or_else(|err| failed(hook, &Error::unreadable(&err, scanner.scanned())))
}

/// Reads the whole payload before it answers, for a hook whose runs are recorded or whose payload is translated.
fn read_all_and_respond(hook: &HookDef) -> Response {
    let mut payload = Vec::new();
    let mut buffer = BUFFER.lock().unwrap_or_else(PoisonError::into_inner);
    let buffer: &mut [u8] = &mut *buffer;
    let mut stdin = sys::stdin();
    // A long payload is scanned again when it has doubled, or has ended.
    let mut next = 1 << 20;
    loop {
        let read = match stdin.read(buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(err) if err.kind() == io::ErrorKind::Interrupted => continue,
            Err(err) => return failed(hook, &Error::msg(format_args!("stdin cannot be read: {err}"))),
        };
        payload.extend_from_slice(&buffer[..read]);
        if payload.len() > 1 << 20 && read == buffer.len() && payload.len() < next {
            continue;
        }
        next = payload.len() * 2;
        let mut scanner = Scanner::new(&*payload);
        match scanner.value() {
            Ok(_) => {
                let end = scanner.place();
                // As for a stream, bytes after a long payload are ignored.
                if payload.len() > buffer.len() {
                    payload.truncate(end);
                }
                break;
            }
            Err(err) if err.is_cut_off() => {}
            Err(_) => break,
        }
    }
    record::begin(hook, &payload);
    let respond = |text: &[u8]| {
        let response = respond_to_scanned(hook, &mut Scanner::new(text), variable, termination::set_called_as);
        response.unwrap_or_else(|err| failed(hook, &Error::unreadable(&err, text)))
    };
    agent::respond(&payload, respond, |err| failed(hook, err))
}

fn variable(name: &str) -> Option<OsString> {
    agent::variable(name).or_else(|| std::env::var_os(name))
}

/// Writes the response and ends the process, without running destructors.
///
/// A member of an order also writes a failure without an answer to stdout: in a member, exit code 1 has no other
/// meaning.
fn finish(hook: &HookDef, mut response: Response) -> ! {
    termination::begin_to_answer();
    response = record::settled(response, |err| failed(hook, err));
    let is_member = IS_MEMBER.load(Ordering::Relaxed);
    if !is_member {
        response = agent::translated(hook, response);
    }
    let mut exit_code = response.exit_code;
    if is_member && exit_code == OnFailure::Continue.exit_code() {
        response.stdout = response.stderr.clone().into_bytes();
    }
    if !response.stderr.is_empty() {
        write_line(&response.stderr);
    }
    if !response.stdout.is_empty() {
        let written = match termination::stdout() {
            Some(stdout) if is_lost(&response, stdout) => Err(io::Error::other("stdout is not open")),
            Some(mut stdout) => stdout.write_all(&response.stdout),
            None => Err(io::ErrorKind::NotConnected.into()),
        };
        if let Err(err) = written {
            let failed = failed(hook, &Error::msg(format_args!("its answer could not be written: {err}")));
            write_line(&failed.stderr);
            // The JSON is lost.
            exit_code = hook.declared.on_failure.exit_code();
        }
    }
    record::end(&response, exit_code);
    // Programs of other threads, including panicked ones.
    termination::kill_programs();
    sys::exit_now(exit_code)
}

/// Returns `true` for a failure that only stdout reports to the client (`ask`), if stdout is lost.
fn is_lost(response: &Response, stdout: &File) -> bool {
    let is_question = response.exit_code == 0 && !response.stderr.is_empty();
    is_question && sys::is_null(sys::descriptor_of(stdout))
}

/// Writes to stderr, and ignores errors: if stderr is closed, nothing can report them.
fn write_line(line: &str) {
    let _ = io::stderr().write_all(line.as_bytes());
}
