//! `cargo dev snapshots`: records all snapshots again.

use anyhow::Result;

use crate::step::{Step, run_all};

/// The tests that record: the variable that makes them do so, and their command.
const RECORDERS: [(&str, &str); 9] = [
    ("SNAPSHOTS", "cargo test -p hookkit-macros"),
    ("SNAPSHOTS", "cargo test -p hookkit-tests --test fast page"),
    ("SNAPSHOTS", "cargo test -p hookkit-tests --test fast events"),
    ("SNAPSHOTS", "cargo test -p hookkit-tests --test fast console"),
    ("SNAPSHOTS", "cargo test -p hookkit-xtask page"),
    ("SNAPSHOTS", "cargo test -p hookkit-tests --test builds api"),
    ("SNAPSHOTS", "cargo test -p hookkit-tests --test builds catalogue"),
    ("SNAPSHOTS", "cargo test -p hookkit-tests --test builds console"),
    ("TRYBUILD", "cargo test -p hookkit -p hookkit-tests --test ui"),
];

/// Records all snapshots; `git diff` then shows the changes.
pub(crate) fn run() -> Result<()> {
    run_all(&RECORDERS.map(|(variable, command)| Step::new(command).with(variable, "overwrite")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use hookkit_tests::xtask::repository;

    use super::*;

    #[test]
    fn contributing_lists_every_recorder() {
        let contributing = fs::read_to_string(repository().join("CONTRIBUTING.md")).unwrap();
        for (variable, command) in RECORDERS {
            let typed = format!("`{variable}=overwrite {command}`");
            assert!(contributing.contains(&typed), "CONTRIBUTING.md does not list {typed}");
        }
    }
}
