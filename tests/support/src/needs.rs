//! Programs that a test needs, and machines may lack.

use std::io::{self, Write};
use std::process::Command;

/// Says on stderr that a test is skipped, and why.
///
/// Not by `eprintln`, which the test runner keeps to itself when a test passes.
pub fn skip(test_name: &str, why: &str) {
    // If stderr is closed, there is no reader left.
    let _ = writeln!(io::stderr(), "skipped: {test_name}: {why}");
}

/// Returns `true` if a program answers `--version`; if not, says on stderr that the test is skipped.
#[must_use]
pub fn is_installed(program: &str, test_name: &str) -> bool {
    let output = Command::new(program).arg("--version").output();
    let is_installed = output.is_ok_and(|output| output.status.success());
    if !is_installed {
        skip(test_name, &format!("{program} is not installed"));
    }
    is_installed
}
