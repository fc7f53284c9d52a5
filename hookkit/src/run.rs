use std::fs::File;
use std::io::{self, Read, Write};
use std::panic::PanicHookInfo;
use std::process;

use crate::respond::failure;
use crate::{Error, HookDef, Payload, Response, respond, sys};

/// The whole life of a hook process: stdin in, the handler called, both streams and the exit code out.
///
/// Everything else is pure; only here are file descriptors, panics and exit codes known.
pub fn run(hook: &'static HookDef) -> ! {
    let stdout = match sys::take_stdout() {
        Ok(stdout) => stdout,
        Err(err) => finish(
            hook,
            None,
            &failure(hook, &Error::msg(format_args!("stdout cannot be used: {err}"))),
        ),
    };
    answer_panics(hook, &stdout);
    let mut input = Vec::with_capacity(64 * 1024);
    let response = match sys::stdin().read_to_end(&mut input) {
        Err(err) => failure(hook, &Error::payload(format_args!("stdin cannot be read: {err}"))),
        Ok(_) => match Payload::parse(&input) {
            Err(err) => failure(hook, &err),
            Ok(payload) => respond(hook, &payload),
        },
    };
    finish(hook, Some(&stdout), &response)
}

/// Lets a panic, in whatever thread, end the process as the hook's failure policy says: one line, no backtrace.
fn answer_panics(hook: &'static HookDef, stdout: &File) {
    let stdout = stdout.try_clone();
    std::panic::set_hook(Box::new(move |panic| {
        let response = failure(hook, &Error::msg(describe(panic)));
        finish(hook, stdout.as_ref().ok(), &response)
    }));
}

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
fn finish(hook: &HookDef, stdout: Option<&File>, response: &Response) -> ! {
    // With stderr closed there is nobody left to tell.
    let mut stderr = io::stderr();
    let _ = stderr.write_all(response.stderr.as_bytes());
    let mut exit_code = response.exit_code;
    if !response.stdout.is_empty() {
        let written = match stdout {
            Some(mut stdout) => stdout.write_all(&response.stdout),
            None => Err(io::ErrorKind::NotConnected.into()),
        };
        if let Err(err) = written {
            let _ = writeln!(
                stderr,
                "hookkit: hook `{}` failed: its answer could not be written: {err}",
                hook.name
            );
            exit_code = hook.on_failure.exit_code();
        }
    }
    #[expect(clippy::exit, reason = "the runtime is where the process ends")]
    process::exit(exit_code.into())
}
