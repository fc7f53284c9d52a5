//! What can go wrong at each step of a write, for tests.

use std::cell::RefCell;
use std::env;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Tells the process at which step it dies.
pub(crate) const DIES_AT: &str = "HOOKKIT_DIES_AT";

thread_local! {
    static MEANWHILE: RefCell<Option<Box<dyn FnMut(&str)>>> = const { RefCell::new(None) };
}

/// Has this run at each step of this thread: what somebody else does meanwhile.
pub(crate) fn meanwhile(what: impl FnMut(&str) + 'static) {
    MEANWHILE.set(Some(Box::new(what)));
}

/// A step is done. It may be the last one.
pub(crate) fn step(name: &str) {
    static DIES_AT_STEP: LazyLock<Option<usize>> = LazyLock::new(|| env::var(DIES_AT).ok()?.parse().ok());
    static DONE: AtomicUsize = AtomicUsize::new(0);
    if Some(DONE.fetch_add(1, Ordering::Relaxed)) == *DIES_AT_STEP {
        println!("dies at: {name}");
        std::process::abort();
    }
    MEANWHILE.with_borrow_mut(|meanwhile| {
        if let Some(meanwhile) = meanwhile {
            meanwhile(name);
        }
    });
}
