//! Code with a mistake in types or in an evaluated constant does not compile, and rustc points at the mistake.
//!
//! The errors that the macros report by themselves are tested in `hookkit-macros` (`src/messages.rs`), without rustc.
//! A few of them are compiled here, too, to show that rustc prints what that test expects, and no second error:
//!
//! - `all_faults_together`: several errors at once, next to a function and a placeholder for its hidden type
//! - `hook_twice`, `method`, `not_a_function`: the other forms that `fallback.rs` gives a refused item
//! - `type_that_is_generic`: an error of the derive
//! - `event_by_its_path`: an error about several tokens
//! - `no_event`: an error about the attribute as a whole
//! - `invalid_expression`: a message of several lines

use std::io::{self, Write};
use std::process::Command;

/// The release whose errors are recorded; another release prints different ones.
const RECORDED_WITH: &str = "rustc 1.95.0 ";

#[test]
fn mistakes_are_refused_at_the_word_that_is_wrong() {
    let rustc = Command::new("rustc").arg("--version").output().expect("rustc is there");
    if !String::from_utf8_lossy(&rustc.stdout).starts_with(RECORDED_WITH) {
        // Not `eprintln`, which a passing test hides.
        writeln!(io::stderr(), "skipped: the errors were recorded with {RECORDED_WITH}").expect("stderr is open");
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
    #[cfg(feature = "testing")]
    cases.compile_fail("tests/ui/testing/*.rs");
}
