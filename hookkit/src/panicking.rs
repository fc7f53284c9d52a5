//! Panics and failed allocations, which end the process according to its hook's failure policy.
//!
//! The standard library's own handlers can print a backtrace, so each program contains a reader of debug information,
//! which makes up half of a small hook. If xtask links a hook with the compiler's own linker, the functions in
//! [`linked`] replace those handlers (`xtask/src/binaries/link.rs`). With other linkers, after a panic the standard
//! library calls the function that [`prepare`] sets. After a failed allocation it aborts, which `termination` reports.

use std::any::Any;
use std::cell::Cell;
use std::fmt::Display;
use std::panic::Location;

use crate::{run, termination};

/// Makes every panic from now on end the process.
pub(crate) fn prepare() {
    std::panic::set_hook(Box::new(|panic| panicked(&message(panic.payload()), panic.location())));
}

/// Returns the message of a panic.
#[cold]
pub(crate) fn message(payload: &(dyn Any + Send)) -> &str {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(message), _) => message,
        (_, Some(message)) => message,
        _ => "no message",
    }
}

#[cold]
fn panicked(message: &dyn Display, location: Option<&Location<'_>>) -> ! {
    thread_local!(static IS_PANICKING: Cell<bool> = const { Cell::new(false) });
    if IS_PANICKING.replace(true) {
        termination::end("it panicked while a panic was reported")
    }
    run::end_by_panic(match location {
        Some(place) => format!("it panicked at {}:{}: {message}", place.file(), place.line()),
        None => format!("it panicked: {message}"),
    })
}

/// Replacements for functions of the standard library, under names that xtask passes to the linker. Only compiled code
/// calls them, with the arguments of the replaced functions.
#[cfg(all(feature = "launcher", not(test)))]
mod linked {
    #![expect(unsafe_code, reason = "names for the linker, which no other function has")]

    use core::panic::PanicInfo;

    /// Replaces the function with the attribute `#[panic_handler]`.
    #[unsafe(no_mangle)]
    fn hookkit_panicked(panic: &PanicInfo<'_>) -> ! {
        super::panicked(&panic.message(), panic.location())
    }

    /// Replaces the function that the standard library calls when an allocation fails.
    #[unsafe(no_mangle)]
    fn hookkit_out_of_memory(_size: usize, _align: usize) -> ! {
        crate::termination::end("it ran out of memory")
    }
}
