//! Faults at each step of a write, for tests.

use std::cell::RefCell;
use std::env;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Environment variable with the step at which the process dies.
pub(crate) const DIES_AT: &str = "HOOKKIT_DIES_AT";

type Meanwhile = Box<dyn FnMut(&str)>;

thread_local! {
    static MEANWHILE: RefCell<Option<Meanwhile>> = const { RefCell::new(None) };
}

/// Runs this at each step of this thread, as another program would meanwhile.
pub(crate) fn meanwhile(what: impl FnMut(&str) + 'static) {
    MEANWHILE.set(Some(Box::new(what)));
}

/// Runs something, and this at each of its steps.
pub(crate) fn during<T>(what: impl FnMut(&str) + 'static, run: impl FnOnce() -> T) -> T {
    meanwhile(what);
    let done = run();
    meanwhile(|_| {});
    done
}

/// Returns an action at the first step of this name.
pub(crate) fn first(name: &'static str, action: impl FnOnce() + 'static) -> impl FnMut(&str) {
    let mut action = Some(action);
    move |step| {
        if let Some(action) = action.take_if(|_| step == name) {
            action();
        }
    }
}

/// Marks a step as done. It may be the last one.
pub(crate) fn step(name: &str) {
    static DIES_AT_STEP: LazyLock<Option<usize>> = LazyLock::new(|| env::var(DIES_AT).ok()?.parse().ok());
    static DONE: AtomicUsize = AtomicUsize::new(0);
    if Some(DONE.fetch_add(1, Ordering::Relaxed)) == *DIES_AT_STEP {
        eprintln!("dies at: {name}");
        std::process::abort();
    }
    // Taken out while it runs, since it may have steps of its own.
    if let Some(mut meanwhile) = MEANWHILE.take() {
        meanwhile(name);
        MEANWHILE.set(Some(meanwhile));
    }
}
