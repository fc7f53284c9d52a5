//! The report of a hook that cannot answer: it timed out, crashed, was terminated, or called `exit`.
//!
//! All of the code is async-signal-safe: the texts exist beforehand, and it only writes to descriptors.
//! It cannot handle SIGKILL, `_exit`, and children that have left the process group; for these, the client's own
//! `onFailure` applies.

#![expect(unsafe_code, reason = "signal handlers")]

use std::fs::File;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering, fence};
use std::time::Duration;
use std::{io, process, ptr};

use crate::{Entry, HookDef, Mode, OnFailure, agent, record, sys};

/// The hook and the channels of its report. Set once and then only read, except by [`become_member`].
struct Reporter {
    /// A hook's definition, which is static.
    hook: AtomicPtr<HookDef>,
    /// The protocol's stdout, which nothing else in the process can reach.
    stdout: File,
    /// Id of the process that answers. A fork of it reports nothing.
    process: AtomicU32,
}

impl Reporter {
    /// Returns the reporter, if it is set and belongs to this process.
    fn here() -> Option<&'static Self> {
        let is_ours = |reporter: &&Self| reporter.process.load(Ordering::Relaxed) == process::id();
        REPORTER.get().filter(is_ours)
    }

    fn hook(&self) -> &'static HookDef {
        // SAFETY: only `&'static HookDef`s are stored.
        unsafe { &*self.hook.load(Ordering::Relaxed) }
    }

    /// Writes the hook's report to all channels and returns its exit code.
    ///
    /// If the hook has begun to answer, some of the answer may be on stdout: nothing more is written, and only the exit
    /// code enforces the policy.
    #[cold]
    fn report(&self, why: &str, has_begun: bool) -> u8 {
        let hook = self.hook();
        let stdout = sys::descriptor_of(&self.stdout);
        let name = hook.declared.name;
        let is_audited = record::fails(hook, why);
        let mut exit_code = hook.declared.on_failure.exit_code();
        // A hook's name needs no escapes.
        let word = hook.failure_answer.map_or("", |answer| answer.word);
        let reason = ["\"", word, ", because the hook `", name, "` failed: ", why, "\""];
        let mut printed: &[&str] = &[];
        // Another agent may misread the JSON, and obeys the exit code.
        if let Some(answer) = hook.failure_answer.filter(|_| !has_begun && !agent::is_on()) {
            let pieces = (answer.json)(called_as().map_or(hook.entries, std::slice::from_ref));
            let is_written = pieces
                .iter()
                .enumerate()
                .all(|(index, piece)| (index == 0 || write(stdout, &reason)) && write(stdout, &[piece]));
            if is_written && !sys::is_null(stdout) {
                exit_code = answer.exit_code;
                printed = pieces;
            }
        }
        write(sys::stderr(), &["hookkit: hook `", name, "` failed: ", why, "\n"]);
        if !is_audited {
            write(sys::stderr(), &["hookkit: its line in the audit could not be written\n"]);
        }
        let printed = printed.iter().enumerate();
        let printed = printed.flat_map(|(index, piece)| {
            let reason = if index == 0 { &[][..] } else { &reason[..] };
            reason.iter().chain([piece]).copied()
        });
        record::fail(name, why, exit_code, printed);
        exit_code
    }

    /// Writes the report and ends the process and its group.
    #[cold]
    fn end(&self, why: &str, has_begun: bool) -> ! {
        let exit_code = self.report(why, has_begun);
        kill_programs();
        sys::exit_with_group(exit_code)
    }
}

static REPORTER: OnceLock<Reporter> = OnceLock::new();

/// Index of the entry that the hook was called as, set once the event was read.
static CALLED_AS: AtomicUsize = AtomicUsize::new(usize::MAX);

/// `true` if the process has begun to answer or to report: nothing else may be written after that.
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

/// Function that kills the hook's programs. A hook that runs no programs does not link the function.
static PROGRAMS: OnceLock<fn()> = OnceLock::new();

/// Makes every exit of the process apply the hook's failure policy from now on.
///
/// # Errors
///
/// Fails if it was called before.
pub(crate) fn prepare(hook: &'static HookDef, stdout: File) -> io::Result<()> {
    let reporter = Reporter {
        hook: AtomicPtr::new(ptr::from_ref(hook).cast_mut()),
        stdout,
        process: AtomicU32::new(process::id()),
    };
    if REPORTER.set(reporter).is_err() {
        return Err(io::Error::other("it is already redirected"));
    }
    // SAFETY: `on_signal` and its callees only read what was set earlier, write to descriptors, and end the process.
    unsafe { sys::end_on_signals(on_signal) }
    sys::at_exit(on_exit);
    start_timer(hook);
    Ok(())
}

/// Starts the time limit of a hook that has several events. The payload must arrive within that time, too.
fn start_timer(hook: &HookDef) {
    let shortest = hook.entries.iter().min_by_key(|entry| entry.event.default_timeout);
    if let Some(limit) = shortest.and_then(|entry| limit(hook, entry)) {
        sys::set_timer(limit);
    }
}

/// Makes a fork of the process answer as this hook, with its failure policy and its time limit.
#[cfg(unix)]
pub(crate) fn become_member(hook: &'static HookDef) {
    let Some(reporter) = REPORTER.get() else { return };
    CALLED_AS.store(usize::MAX, Ordering::Relaxed);
    reporter.hook.store(ptr::from_ref(hook).cast_mut(), Ordering::Relaxed);
    reporter.process.store(process::id(), Ordering::Relaxed);
    start_timer(hook);
}

/// Returns the protocol's stdout, after [`prepare`].
pub(crate) fn stdout() -> Option<&'static File> {
    REPORTER.get().map(|reporter| &reporter.stdout)
}

/// Returns the time limit of a hook on an event: a little less than the client waits for the answer.
fn limit(hook: &HookDef, entry: &Entry) -> Option<Duration> {
    // The client neither waits for an async hook nor ends it (client 2.1.330).
    if hook.declared.mode == Mode::Async {
        return None;
    }
    let milliseconds = match hook.declared.timeout {
        Some(seconds) => u64::from(seconds) * 1000,
        None => entry.event.default_timeout.into(),
    };
    let margin = (milliseconds / 10).min(500);
    Some(Duration::from_millis(milliseconds - margin))
}

/// Records the entry that the hook was called as.
pub(crate) fn set_called_as(entry: &'static Entry) {
    let Some(hook) = hook() else { return };
    let Some(place) = hook.entries.iter().position(|known| ptr::eq(known, entry)) else {
        return;
    };
    // A payload that arrives in pieces is scanned again; its event stays the same.
    let is_known = CALLED_AS.swap(place, Ordering::Relaxed) == place;
    // The timer was set for the event with the shortest time.
    if !is_known
        && hook.declared.timeout.is_none()
        && hook.entries.len() > 1
        && let Some(limit) = limit(hook, entry)
    {
        sys::set_timer(limit);
    }
}

/// Returns the hook of the process, after [`prepare`].
pub(crate) fn hook() -> Option<&'static HookDef> {
    REPORTER.get().map(Reporter::hook)
}

pub(crate) fn called_as() -> Option<&'static Entry> {
    hook()?.entries.get(CALLED_AS.load(Ordering::Relaxed))
}

/// Declares that this thread answers: from now on, the process reports only a crash.
pub(crate) fn begin_to_answer() {
    // Another thread's signal handler waits until this thread ends the process.
    sys::block_signals();
    if HAS_BEGUN.swap(true, Ordering::Relaxed) {
        sys::wait_forever();
    }
}

/// Registers a function to call on any exit of the process. It must be async-signal-safe.
pub(crate) fn on_end(end: fn()) {
    let _ = PROGRAMS.set(end);
}

/// Returns `true` if the process is exiting. If not, it will call the function of [`on_end`] when it exits.
pub(crate) fn is_exiting() -> bool {
    fence(Ordering::SeqCst);
    HAS_BEGUN.load(Ordering::Relaxed)
}

/// Kills the programs of an exiting hook.
pub(crate) fn kill_programs() {
    fence(Ordering::SeqCst);
    if let Some(end) = PROGRAMS.get() {
        end();
    }
}

#[cold]
extern "C" fn on_signal(signal: sys::Signal) -> ! {
    let Some(reporter) = Reporter::here() else { sys::exit_now(OnFailure::Continue.exit_code()) };
    let has_begun = HAS_BEGUN.swap(true, Ordering::Relaxed);
    if has_begun && !sys::is_crash(signal) {
        // Another thread is writing the answer.
        sys::wait_forever();
    }
    reporter.end(sys::describe(signal), has_begun)
}

/// Applies the hook's failure policy and ends the process, without allocating. A lister has no policy.
#[cold]
pub(crate) fn end(why: &str) -> ! {
    let Some(reporter) = Reporter::here() else {
        write(sys::stderr(), &["hookkit: ", why, "\n"]);
        sys::exit_now(OnFailure::Continue.exit_code())
    };
    // As in `begin_to_answer`: a signal handler waits for this thread.
    sys::block_signals();
    reporter.end(why, HAS_BEGUN.swap(true, Ordering::Relaxed))
}

/// Handles a call of `exit`, in the handler or in a dependency.
#[cold]
extern "C" fn on_exit() {
    let Some(reporter) = Reporter::here() else { return };
    // As in `begin_to_answer`: a signal handler waits for this thread.
    sys::block_signals();
    // A thread that has ended does not finish its answer: this counts as a crash.
    let has_begun = HAS_BEGUN.swap(true, Ordering::Relaxed);
    if has_begun && !sys::IS_ALONE_AT_EXIT {
        sys::wait_forever();
    }
    let exit_code = reporter.report("something in it called `exit`", has_begun);
    kill_programs();
    sys::exit_now(exit_code)
}

#[cold]
#[inline(never)]
fn write(descriptor: sys::Descriptor, texts: &[&str]) -> bool {
    texts.iter().all(|text| sys::write_raw(descriptor, text.as_bytes()))
}
