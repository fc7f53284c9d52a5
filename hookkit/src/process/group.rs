//! The process groups (on Windows: jobs) of running programs, so that they end with the hook.

use std::io;
use std::process::Child;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::{sys, termination};

/// A process group. It is killed when the hook ends, unless this value was dropped before.
pub(super) struct Group {
    slot: &'static AtomicU32,
}

/// The ids of the groups. A signal handler reads them, so the list cannot grow or have a lock.
static SLOTS: [AtomicU32; 64] = [const { AtomicU32::new(FREE) }; 64];

const FREE: u32 = 0;

/// The id in a slot for a program that is being started. No process has this id.
const RESERVED: u32 = u32::MAX;

impl Group {
    /// Starts a program that leads its own group.
    ///
    /// # Errors
    ///
    /// Fails if the program cannot be started, or if 64 programs are running.
    pub(super) fn of(start: impl FnOnce() -> io::Result<Child>) -> io::Result<(Child, Self)> {
        termination::on_end(kill_all);
        let take = |slot: &&AtomicU32| {
            let taken = slot.compare_exchange(FREE, RESERVED, Ordering::SeqCst, Ordering::SeqCst);
            taken.is_ok()
        };
        let slot = SLOTS.iter().find(take);
        let group = Self { slot: slot.ok_or_else(|| io::Error::other("the hook already runs 64 programs"))? };
        // Between the program's start and its entry here, this thread handles no signal, or the program is killed with
        // the hook. Another thread that ends the hook waits for the entry, or this one sees that the hook is exiting.
        let child = sys::with_signals_blocked(|| {
            if termination::is_exiting() {
                return Err(io::Error::other("the hook is exiting"));
            }
            let mut child = start()?;
            group.slot.store(sys::group_of(&mut child)?, Ordering::SeqCst);
            Ok(child)
        })?;
        Ok((child, group))
    }

    /// Asks all processes of the group to exit. The leader must not have been reaped: after that, its id may be reused.
    pub(super) fn terminate(&self) {
        act_on(self.slot, sys::terminate_group);
    }

    /// Kills all processes of the group. The leader must not have been reaped.
    pub(super) fn kill(&self) {
        act_on(self.slot, sys::kill_group);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let group = self.slot.swap(FREE, Ordering::SeqCst);
        if group != RESERVED {
            sys::release_group(group);
        }
    }
}

/// Kills all groups, including those of programs that are being started. Async-signal-safe.
fn kill_all() {
    for slot in &SLOTS {
        // Another thread may be about to start a program; if it has crashed, it never does.
        let mut timeout = 0..MAX_START_MILLISECONDS;
        while slot.load(Ordering::SeqCst) == RESERVED && timeout.next().is_some() {
            let _ = sys::ready([], Duration::from_millis(1));
        }
        act_on(slot, sys::kill_group);
    }
}

/// Maximum time to wait for a thread that is starting a program.
const MAX_START_MILLISECONDS: u8 = 100;

fn act_on(slot: &AtomicU32, act: fn(u32)) {
    let group = slot.load(Ordering::SeqCst);
    if ![FREE, RESERVED].contains(&group) {
        act(group);
    }
}
