//! The process groups, or on Windows the jobs, of running programs, so that they end with the hook.

use std::io;
use std::process::Child;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::{sys, termination};

/// A process group that ends with the hook, until it is dropped.
pub(super) struct Group {
    seat: &'static AtomicU32,
}

/// The numbers of the groups. A handler of signals reads them, so that it is neither a list that grows nor behind a lock.
static SEATS: [AtomicU32; 64] = [const { AtomicU32::new(FREE) }; 64];

const FREE: u32 = 0;

/// Somebody's who is about to start a program. No process has this number.
const TAKEN: u32 = u32::MAX;

impl Group {
    /// Starts a program that leads a group of its own.
    ///
    /// # Errors
    ///
    /// When it cannot be started, or 64 of them run already.
    pub(super) fn of(start: impl FnOnce() -> io::Result<Child>) -> io::Result<(Child, Self)> {
        termination::on_end(end_all);
        let take = |seat: &&AtomicU32| {
            let taken = seat.compare_exchange(FREE, TAKEN, Ordering::SeqCst, Ordering::SeqCst);
            taken.is_ok()
        };
        let seat = SEATS.iter().find(take);
        let group = Self {
            seat: seat.ok_or_else(|| io::Error::other("the hook already runs 64 programs"))?,
        };
        // No signal ends the hook in this thread between the program's start and its entry here, or the program ends
        // with it. Another thread that does waits for the entry, or its word is seen here.
        let child = sys::undisturbed(|| {
            if termination::has_begun_to_end() {
                return Err(io::Error::other("the hook ends"));
            }
            let mut child = start()?;
            group.seat.store(sys::group_of(&mut child)?, Ordering::SeqCst);
            Ok(child)
        })?;
        Ok((child, group))
    }

    /// Reports all that are in it to end. Its leader must not have been reaped: its number is its own until then.
    pub(super) fn ask_to_end(&self) {
        act_on(self.seat, sys::ask_to_end);
    }

    /// Ends all that are in it, on the same condition.
    pub(super) fn end(&self) {
        act_on(self.seat, sys::end_group);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let group = self.seat.swap(FREE, Ordering::SeqCst);
        if group != TAKEN {
            sys::let_go(group);
        }
    }
}

/// Ends all that run, once no more are started. May be called in a handler of signals.
fn end_all() {
    for seat in &SEATS {
        // It takes a thread a moment to start a program; one that has crashed over it never will.
        let mut patience = 0..MOST_MILLISECONDS;
        while seat.load(Ordering::SeqCst) == TAKEN && patience.next().is_some() {
            let _ = sys::ready([], Duration::from_millis(1));
        }
        act_on(seat, sys::end_group);
    }
}

/// Maximum time that a thread takes to start a program.
const MOST_MILLISECONDS: u8 = 100;

fn act_on(seat: &AtomicU32, act: fn(u32)) {
    let group = seat.load(Ordering::SeqCst);
    if ![FREE, TAKEN].contains(&group) {
        act(group);
    }
}
