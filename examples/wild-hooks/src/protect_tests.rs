//! After karanb192/claude-code-hooks, `plugins/protect-tests/protect-tests.js`.

use hookkit::prelude::*;

const FOLDERS: [&str; 5] = ["test", "tests", "__tests__", "spec", "specs"];
const IN_NAMES: [&str; 7] = [
    "_test.",
    ".test.",
    "_spec.",
    ".spec.",
    "Test.java",
    "Test.kt",
    "Test.cs",
];

/// Commands that remove a file.
const REMOVES: [&str; 4] = ["rm", "unlink", "shred", "trash"];

/// Suffixes of files that test runners ignore.
const SET_ASIDE: [&str; 7] = [".bak", ".old", ".orig", ".disabled", ".skip", ".ignore", ".tmp"];

/// Code that disables a test.
const SKIPS: [&str; 16] = [
    "@pytest.mark.skip",
    "@pytest.mark.xfail",
    "@unittest.skip",
    "pytest.skip(",
    "@Disabled",
    "@Ignore",
    "it.skip(",
    "test.skip(",
    "describe.skip(",
    "xit(",
    "xtest(",
    "xdescribe(",
    "t.Skip(",
    "t.SkipNow(",
    "#[ignore",
    "[Ignore]",
];

fn is_test(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or_default();
    let is_named = file.starts_with("test_") || IN_NAMES.iter().any(|part| file.contains(part));
    is_named || path.split('/').any(|name| FOLDERS.contains(&name))
}

/// Denies commands that remove tests.
///
/// It splits the command into words: it does not expand variables, or look into other programs.
#[hook(PreToolUse)]
pub fn protect_tests_from_commands(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
    let is_separator = |char: char| char.is_whitespace() || "'\";|&()".contains(char);
    let words: Vec<&str> = call.input.command.split(is_separator).collect();
    let is_removal = words.iter().any(|word| REMOVES.contains(word))
        || words.contains(&"mv") && words.iter().any(|word| SET_ASIDE.iter().any(|end| word.ends_with(end)));
    if is_removal && words.iter().any(|word| is_test(word)) {
        return PreToolUseAnswer::deny("this removes tests: fix the code, or ask the user to run it");
    }
    PreToolUseAnswer::pass()
}

/// Denies edits that disable tests.
#[hook(PreToolUse)]
pub fn protect_tests_from_edits(call: PreToolUse<tool::TextChange>) -> PreToolUseAnswer {
    let change = &call.input;
    let added = SKIPS.iter().find(|skip| {
        let is_in = |text: &str| {
            text.match_indices(**skip)
                .any(|(at, _)| !text[..at].ends_with(char::is_alphanumeric))
        };
        is_in(change.added_text()) && !change.removed_text().is_some_and(is_in)
    });
    match added {
        Some(skip) if is_test(&change.path().to_string_lossy()) => PreToolUseAnswer::deny(format!(
            "`{skip}` disables a test: fix the code, or ask the user to make the change"
        )),
        _ => PreToolUseAnswer::pass(),
    }
}

#[cfg(test)]
mod tests {
    use hookkit::Hook;
    use hookkit::testing::{self, Verdict};

    use super::*;

    fn command(command: &str) -> Verdict {
        let call = PreToolUse::new("Bash", tool::Bash::new(command));
        testing::run(protect_tests_from_commands::DEF, &call)
    }

    fn edit(path: &str, from: &str, to: &str) -> Verdict {
        let call = PreToolUse::new("Edit", tool::Edit::new(path, from, to));
        testing::run(protect_tests_from_edits::DEF, &call)
    }

    #[test]
    fn tests_are_not_removed() {
        for removal in [
            "rm -r tests/",
            "rm -r spec",
            "git rm src/a.test.ts",
            "mv a_test.go a_test.go.bak",
            "unlink 'spec/x.rb'",
        ] {
            command(removal).assert_denied("removes tests");
        }
        for other in [
            "pytest tests/",
            "rm -r target",
            "mv tests/a.py tests/b.py",
            "cat test_a.py",
        ] {
            command(other).assert_passed();
        }
    }

    #[test]
    fn tests_are_not_disabled() {
        edit("/project/tests/a.py", "def test_a", "@pytest.mark.skip\ndef test_a").assert_denied("@pytest.mark.skip");
        edit("/project/src/a.test.ts", "it('a'", "it.skip('a'").assert_denied("it.skip(");
        edit("/project/src/a.test.ts", "it.skip('a'", "it.skip('b'").assert_passed();
        edit("/project/src/a.test.ts", "", "process.exit(1)").assert_passed();
        edit("/project/src/a.ts", "it('a'", "it.skip('a'").assert_passed();
    }
}
