//! The life of a hook process: all the I/O there is.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::panic::PanicHookInfo;
use std::sync::{Mutex, PoisonError};

use crate::failure::failure;
use crate::json::{Scanner, Stream};
use crate::respond::respond_to_scanned;
use crate::{Error, HookDef, Response, sys, termination};

/// Buffer for the payload: room enough for nearly all, without asking the system for memory.
static BUFFER: Mutex<[u8; 64 * 1024]> = Mutex::new([0; 64 * 1024]);

/// The whole life of a hook process: stdin in, the handler called, both streams and the exit code out.
///
/// Everything else is pure; only here are file descriptors, panics and exit codes known.
pub fn run(hook: &'static HookDef) -> ! {
    let taken = sys::take_stdout().and_then(|stdout| termination::prepare(hook, stdout));
    std::panic::set_hook(Box::new(|panic| {
        finish(hook, &failed(hook, &Error::msg(describe(panic))))
    }));
    let response = match taken {
        Ok(()) => read_and_respond(hook),
        Err(err) => failed(hook, &Error::msg(format_args!("stdout cannot be redirected: {err}"))),
    };
    finish(hook, &response)
}

/// Returns the response for a failure, as far as the event and matcher are known.
#[cold]
fn failed(hook: &HookDef, error: &Error) -> Response {
    failure(hook, termination::called_as(), error)
}

fn read_and_respond(hook: &HookDef) -> Response {
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
        // A payload ends with its closing brace; one that is still on its way seldom looks as if.
        if read > 0 && !text.trim_ascii_end().ends_with(b"}") {
            continue;
        }
        match respond_to_scanned(hook, &mut Scanner::new(text), variable, termination::remember) {
            Ok(response) => return response,
            Err(err) if err.is_cut_off() && read > 0 => {}
            Err(err) => return failed(hook, &Error::unreadable(&err, text)),
        }
    }
    // A larger one is read while it is scanned, and only what the hook wants of it is kept.
    let mut scanner = Scanner::new(Stream::new(buffer, &mut *stdin));
    let response = respond_to_scanned(hook, &mut scanner, variable, termination::remember);
    response.unwrap_or_else(|err| failed(hook, &Error::unreadable(&err, scanner.scanned())))
}

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

#[cold]
fn describe(panic: &PanicHookInfo<'_>) -> String {
    let payload = panic.payload();
    let message = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(message), _) => message,
        (_, Some(message)) => message.as_str(),
        _ => "no message",
    };
    match panic.location() {
        Some(place) => format!("it panicked at {}:{}: {message}", place.file(), place.line()),
        None => format!("it panicked: {message}"),
    }
}

/// Writes the response and ends the process, without running destructors.
fn finish(hook: &HookDef, response: &Response) -> ! {
    termination::begin_to_answer();
    let mut exit_code = response.exit_code;
    if !response.stderr.is_empty() {
        write_line(&response.stderr);
    }
    if !response.stdout.is_empty() {
        let written = match termination::stdout() {
            Some(stdout) if is_lost(response, stdout) => Err(io::Error::other("stdout is not open")),
            Some(mut stdout) => stdout.write_all(&response.stdout),
            None => Err(io::ErrorKind::NotConnected.into()),
        };
        if let Err(err) = written {
            let failed = failed(
                hook,
                &Error::msg(format_args!("its answer could not be written: {err}")),
            );
            write_line(&failed.stderr);
            // The JSON is lost.
            exit_code = hook.declared.on_failure.exit_code();
        }
    }
    // Of another thread, or of one that has panicked over it.
    termination::end_programs();
    sys::end_now(exit_code)
}

/// Returns `true` for a failure that reaches the client through stdout alone (`ask`) if stdout is not read.
fn is_lost(response: &Response, stdout: &File) -> bool {
    let is_question = response.exit_code == 0 && !response.stderr.is_empty();
    is_question && sys::is_null(sys::descriptor_of(stdout))
}

/// Writes to stderr. If that is closed, there is no reader left.
fn write_line(line: &str) {
    let _ = io::stderr().write_all(line.as_bytes());
}
