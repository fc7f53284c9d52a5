//! Counts the tests and assertions of a file.

use std::path::Path;

use crate::source::{SourceText, anywhere};
use crate::suppressions::language;

/// Words of tests in some languages. A blank means any number of blanks, or none; a word that ends with `…` may
/// continue.
struct Words {
    /// One extension of each language.
    extensions: &'static [&'static str],
    tests: &'static [&'static str],
    skips: &'static [&'static str],
    assertions: &'static [&'static str],
}

/// Assertions that always hold.
const EMPTY: &[&str] = &[
    "assert ! ( true", "assert True", "assert ( true", "assertTrue ( true", "assertTrue ( True",
    "Assert . True ( true", "expect ( true )", "XCTAssertTrue ( true", "ASSERT_TRUE ( true", "EXPECT_TRUE ( true",
];

const WORDS: &[Words] = &[
    Words {
        extensions: &["rs"],
        tests: &["# [ test ]", ":: test ]", ":: test (", "# [ rstest", "# [ test_case"],
        skips: &["# [ ignore", "# [ should_panic"],
        assertions: &["assert…", "debug_assert…", "prop_assert…"],
    },
    Words {
        extensions: &["py"],
        tests: &["def test…"],
        skips: &[
            "mark . skip…", "mark . xfail", "pytest . skip", "unittest . skip…", "skipTest", "pytest . xfail",
            "expectedFailure",
        ],
        assertions: &["assert…", "raises", "warns"],
    },
    Words {
        extensions: &["js"],
        tests: &[
            "it (", "it . each", "it . only", "it . skip…", "it . fail…", "it . runIf", "test (", "test . each",
            "test . only", "test . skip…", "test . fail…", "test . runIf",
        ],
        skips: &[
            ". skip", ". skipIf", ". runIf", ". todo", ". only", ". fixme", "it . fail…", "test . fail…", "xit (",
            "xdescribe (", "xtest (", "fit (", "fdescribe (",
        ],
        assertions: &["expect (", "expect .", "assert…", ". should…"],
    },
    Words {
        extensions: &["go"],
        tests: &["func Test…"],
        skips: &["t . Skip…", "b . Skip…"],
        assertions: &["t . Error…", "t . Fatal…", "t . Fail…", "assert .", "require ."],
    },
    Words {
        extensions: &["java"],
        tests: &["@ Test", "@ ParameterizedTest", "@ RepeatedTest"],
        skips: &["@ Disabled…", "@ Enabled…", "@ Ignore"],
        assertions: &["assert…", "Assert…", "verify", "expect…", "should…"],
    },
    Words {
        extensions: &["cs"],
        tests: &["[ Fact", "[ Theory", "[ Test…"],
        skips: &["[ Ignore", "[ Explicit", "Skip ="],
        assertions: &["Assert .", ". Should"],
    },
    Words {
        extensions: &["cpp"],
        tests: &["TEST (", "TEST_F (", "TEST_P (", "TYPED_TEST (", "TEST_CASE ("],
        skips: &["GTEST_SKIP", "DISABLED_…"],
        assertions: &["ASSERT_…", "EXPECT_…", "REQUIRE…", "CHECK…", "assert ("],
    },
    Words {
        extensions: &["rb"],
        tests: &["it", "specify", "def test_…"],
        skips: &["xit", "xspecify", "xdescribe", "xcontext", "pending", "skip"],
        assertions: &["expect", "assert…", "refute…", "must_…", "should…"],
    },
    Words {
        extensions: &["php"],
        tests: &["function test…", "# [ Test"],
        skips: &["markTestSkipped", "markTestIncomplete"],
        assertions: &["assert…", "expect…"],
    },
    Words {
        extensions: &["swift"],
        tests: &["func test…", "@ Test"],
        skips: &["XCTSkip…", "XCTExpectFailure", "withKnownIssue", ". disabled"],
        assertions: &["XCTAssert…", "XCTFail", "# expect", "# require"],
    },
];

/// The numbers of tests, skipped tests and assertions.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Checks {
    tests: usize,
    skips: usize,
    assertions: usize,
}

impl Checks {
    /// Counts tests and assertions in a file; `None` if it has no tests.
    pub(super) fn of(path: &Path, text: &str) -> Option<Self> {
        let language = language::of(path)?;
        let words = WORDS.iter().find(|words| words.extensions.iter().any(|one| language.has(one)))?;
        let source = SourceText::new(text, language.spans);
        let count =
            |all: &[&'static str]| -> usize { all.iter().map(|words| anywhere(&source.code, words).count()).sum() };
        let tests = count(words.tests);
        let is_of_tests = is_test_file(path) || tests > 0 && words.extensions == ["rs"];
        is_of_tests.then(|| Self {
            tests,
            skips: count(words.skips) + conditions(&source, words.extensions[0]),
            assertions: count(words.assertions).saturating_sub(count(EMPTY)),
        })
    }

    /// Describes what `after` lacks.
    pub(super) fn lost_in(self, after: &Self) -> Option<String> {
        let fewer = |what: &str, before: usize, after: usize| {
            let plural = if after == 1 { "" } else { "s" };
            (after < before).then(|| format!("has {after} {what}{plural} instead of {before}"))
        };
        fewer("test", self.tests, after.tests)
            .or_else(|| {
                // A new test may be skipped.
                let new = after.tests.saturating_sub(self.tests);
                (after.skips > self.skips + new).then(|| format!("skips {} instead of {}", after.skips, self.skips))
            })
            .or_else(|| fewer("assertion", self.assertions, after.assertions))
    }
}

/// Counts the conditions under which tests are compiled: attributes of tests in Rust, and the build constraints of a Go
/// file.
fn conditions(source: &SourceText<'_>, extension: &str) -> usize {
    match extension {
        "rs" => {
            // The attributes of an item, with nothing but blanks between them.
            let attributes = source.code.split('{').map(|item| item.rsplit(['}', ';']).next().unwrap_or_default());
            let of_tests = attributes.filter(|item| anywhere(item, "test ]").next().is_some());
            of_tests.map(|item| anywhere(item, "# [ cfg…").count()).sum()
        }
        "go" => {
            let comments = source.comments.iter().map(|range| &source.text[range.clone()]);
            comments
                .filter(|comment| comment.starts_with("go:build ") || comment.trim_start().starts_with("+build "))
                .count()
        }
        _ => 0,
    }
}

/// Returns `true` if a file's folder or name marks it as a test file.
fn is_test_file(path: &Path) -> bool {
    const FOLDERS: &[&str] = &["__tests__", "e2e", "spec", "specs", "test", "tests"];
    let name = |text: &std::ffi::OsStr| text.to_string_lossy().into_owned();
    let folders = path.parent().into_iter().flat_map(Path::components);
    let is_below = folders.into_iter().any(|folder| FOLDERS.contains(&&*name(folder.as_os_str()).to_lowercase()));
    let stem = path.file_name().map(name).unwrap_or_default();
    let stem = stem.split_once('.').map_or((stem.as_str(), ""), |(stem, rest)| (stem, rest));
    let (stem, rest) = stem;
    let is_of_name =
        |word: &str| stem == word || stem.starts_with(&format!("{word}_")) || stem.ends_with(&format!("_{word}"));
    let is_camel = ["Test", "Tests", "Spec", "IT"].iter().any(|end| stem.ends_with(end));
    let is_dotted = ["test.", "tests.", "spec.", "cy."].iter().any(|start| rest.starts_with(start));
    is_below || is_of_name("test") || is_of_name("tests") || is_of_name("spec") || is_camel || is_dotted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_files_have_a_name_or_a_folder() {
        let kind = |path: &str| if is_test_file(Path::new(path)) { "test" } else { "other" };
        test_support::lines!("lines/test-files.txt").check(|_, path| kind(path).to_owned());
    }
}
