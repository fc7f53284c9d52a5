//! The guards' answers as Claude Code interprets them.

use acme_guards::git::no_force_push;
use hookkit::Hook;
use hookkit::prelude::*;
use hookkit::testing::{self, Verdict};

fn verdict(command: &str) -> Verdict {
    testing::run(no_force_push::DEF, &PreToolUse::new("Bash", tool::Bash::new(command)))
}

#[test]
fn a_forced_push_is_denied() {
    verdict("git push --force origin main").assert_denied("--force-with-lease");
}

#[test]
fn any_other_push_passes() {
    verdict("git push --force-with-lease").assert_passed();
}
