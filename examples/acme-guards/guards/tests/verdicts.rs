//! What Claude Code does with the guards' answers.

use acme_guards::git::no_force_push;
use hookkit::Hook;
use hookkit::prelude::*;
use hookkit::testing::{self, Verdict};

fn verdict(command: &str) -> Verdict {
    testing::run(no_force_push::DEF, &PreToolUse::new("Bash", tool::Bash::new(command)))
}

#[test]
fn a_forced_push_is_refused() {
    verdict("git push --force origin main").assert_denied("--force-with-lease");
}

#[test]
fn any_other_push_takes_its_course() {
    verdict("git push --force-with-lease").assert_passed();
}
