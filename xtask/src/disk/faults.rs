//! Faults at each step of a write, for tests.

use std::cell::RefCell;

use test_support::steps;

type Meanwhile = Box<dyn FnMut(&str)>;

thread_local! {
    static MEANWHILE: RefCell<Option<Meanwhile>> = const { RefCell::new(None) };
}

/// Runs this action at each disk step of this thread, to act as a concurrent program.
pub(crate) fn meanwhile(what: impl FnMut(&str) + 'static) {
    MEANWHILE.set(Some(Box::new(what)));
}

/// Runs `run`, with an action at each of its steps.
pub(crate) fn during<T>(what: impl FnMut(&str) + 'static, run: impl FnOnce() -> T) -> T {
    meanwhile(what);
    let done = run();
    meanwhile(|_| {});
    done
}

/// Returns an action that runs at the first step with this name.
pub(crate) fn first(name: &'static str, action: impl FnOnce() + 'static) -> impl FnMut(&str) {
    let mut action = Some(action);
    move |step| {
        if let Some(action) = action.take_if(|_| step == name) {
            action();
        }
    }
}

/// Marks a step as done. A test can stop the run after it.
pub(crate) fn step(name: &str) {
    steps::step(name);
    // Taken out while it runs, because it may have steps itself.
    if let Some(mut meanwhile) = MEANWHILE.take() {
        meanwhile(name);
        MEANWHILE.set(Some(meanwhile));
    }
}
