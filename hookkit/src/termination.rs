//! The report of a hook that cannot answer: it was not done in time, crashed, was asked to end, or was ended by
//! something in it that called `exit`.
//!
//! All of it is async-signal-safe: the texts are there before anything is, and only descriptors are written to.
//! SIGKILL, `_exit`, and what a child does that has left the process group cannot be noticed; there the client's own
//! `onFailure` counts.

#![expect(unsafe_code, reason = "handlers of signals")]

use std::fs::File;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::time::Duration;
use std::{io, process, ptr};

use crate::{Entry, HookDef, Mode, OnFailure, sys};

/// The hook and the channels of its report. Set once, and then only read.
struct Speaker {
    hook: &'static HookDef,
    /// The protocol's stdout, which was taken away from the process.
    stdout: File,
    /// The process that answers. A copy of it, by `fork`, has nothing to say.
    process: u32,
}

impl Speaker {
    /// Returns the speaker of this process, if it is set.
    fn here() -> Option<&'static Self> {
        SPEAKER.get().filter(|speaker| speaker.process == process::id())
    }

    /// Writes the hook's report to all channels; returns the exit code that goes with it.
    ///
    /// An answer that has begun is on stdout, as a whole or in part: nothing is written behind it, and the exit code alone
    /// enforces the policy.
    #[cold]
    fn speak(&self, why: &str, has_begun: bool) -> u8 {
        let hook = self.hook;
        let stdout = sys::descriptor_of(&self.stdout);
        let name = hook.declared.name;
        let mut exit_code = hook.declared.on_failure.exit_code();
        if let Some(answer) = hook.failure_answer.filter(|_| !has_begun) {
            // A hook's name has nothing to escape.
            let reason = ["\"", answer.word, ", because the hook `", name, "` failed: ", why, "\""];
            let pieces = (answer.json)(called_as().map_or(hook.entries, std::slice::from_ref));
            let is_written = pieces
                .iter()
                .enumerate()
                .all(|(index, piece)| (index == 0 || write(stdout, &reason)) && write(stdout, &[piece]));
            if is_written && !sys::is_null(stdout) {
                exit_code = answer.exit_code;
            }
        }
        write(sys::stderr(), &["hookkit: hook `", name, "` failed: ", why, "\n"]);
        exit_code
    }
}

static SPEAKER: OnceLock<Speaker> = OnceLock::new();

/// The place of the entry that the hook was called as, once that is known.
static CALLED_AS: AtomicUsize = AtomicUsize::new(usize::MAX);

/// `true` if the process has begun to answer, or to report: nothing may be written after that.
static HAS_SPOKEN: AtomicBool = AtomicBool::new(false);

/// Function that ends the hook's programs. A hook that runs no program does not link it.
static PROGRAMS: OnceLock<fn()> = OnceLock::new();

/// Makes the hook's failure policy hold for any end of the process from now on.
///
/// # Errors
///
/// When that was done before.
pub(crate) fn prepare(hook: &'static HookDef, stdout: File) -> io::Result<()> {
    let speaker = Speaker {
        hook,
        stdout,
        process: process::id(),
    };
    if SPEAKER.set(speaker).is_err() {
        return Err(io::Error::other("it was redirected before"));
    }
    // SAFETY: `on_signal` and all that it calls read what was set before, write to descriptors, and end the process.
    unsafe { sys::end_on_signals(on_signal) }
    sys::at_exit(on_exit);
    // Which event it is comes with the payload, and that has to come in time, too.
    let shortest = hook.entries.iter().min_by_key(|entry| entry.event.default_timeout);
    if let Some(limit) = shortest.and_then(|entry| limit(hook, entry)) {
        sys::set_timer(limit);
    }
    Ok(())
}

/// The protocol's stdout, once it was taken away from the process.
pub(crate) fn stdout() -> Option<&'static File> {
    SPEAKER.get().map(|speaker| &speaker.stdout)
}

/// Returns the time that a hook has on an event, before the client loses patience: its answer has to be there by then.
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

/// Says what the hook was called as.
pub(crate) fn remember(entry: &'static Entry) {
    let Some(Speaker { hook, .. }) = SPEAKER.get() else {
        return;
    };
    let Some(place) = hook.entries.iter().position(|known| ptr::eq(known, entry)) else {
        return;
    };
    // A payload that comes in pieces is looked at again; its event stays the same.
    let is_known = CALLED_AS.swap(place, Ordering::Relaxed) == place;
    // Its other events may have less time.
    if !is_known
        && hook.declared.timeout.is_none()
        && hook.entries.len() > 1
        && let Some(limit) = limit(hook, entry)
    {
        sys::set_timer(limit);
    }
}

pub(crate) fn called_as() -> Option<&'static Entry> {
    SPEAKER.get()?.hook.entries.get(CALLED_AS.load(Ordering::Relaxed))
}

/// From now on this thread answers, and the process does not report, unless it crashes over that.
pub(crate) fn begin_to_answer() {
    // Another thread's handler waits for the end of the process, and this one brings it about.
    sys::hold_back();
    if HAS_SPOKEN.swap(true, Ordering::Relaxed) {
        sys::wait_for_the_end();
    }
}

/// Has a function be called when the process ends, in whatever way. It may be called in a handler of signals.
pub(crate) fn on_end(end: fn()) {
    let _ = PROGRAMS.set(end);
}

/// Returns `true` if the process ends. If not, the function of [`on_end`] will be called after this.
pub(crate) fn has_begun_to_end() -> bool {
    fence(Ordering::SeqCst);
    HAS_SPOKEN.load(Ordering::Relaxed)
}

/// Ends what runs. The process has begun to end.
pub(crate) fn end_programs() {
    fence(Ordering::SeqCst);
    if let Some(end) = PROGRAMS.get() {
        end();
    }
}

#[cold]
extern "C" fn on_signal(signal: sys::Signal) -> ! {
    let Some(speaker) = Speaker::here() else {
        sys::end_now(OnFailure::Continue.exit_code())
    };
    let has_begun = HAS_SPOKEN.swap(true, Ordering::Relaxed);
    if has_begun && !sys::is_crash(signal) {
        // The answer is on its way.
        sys::wait_for_the_end();
    }
    let exit_code = speaker.speak(sys::in_words(signal), has_begun);
    end_programs();
    sys::end_with_group(exit_code)
}

/// The process was ended by a dependency, or by the handler itself.
#[cold]
extern "C" fn on_exit() {
    let Some(speaker) = Speaker::here() else { return };
    // As when it begins to answer: a process that is asked to end waits for this thread.
    sys::hold_back();
    // A thread that is gone does not finish its answer: then it is as if the process had crashed over that.
    let has_begun = HAS_SPOKEN.swap(true, Ordering::Relaxed);
    if has_begun && !sys::IS_ALONE_AT_EXIT {
        sys::wait_for_the_end();
    }
    let exit_code = speaker.speak("something in it called `exit`", has_begun);
    end_programs();
    sys::end_now(exit_code)
}

#[cold]
#[inline(never)]
fn write(descriptor: sys::Descriptor, texts: &[&str]) -> bool {
    texts.iter().all(|text| sys::write_raw(descriptor, text.as_bytes()))
}
