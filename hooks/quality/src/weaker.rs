//! Asks about edits that make tests check less.

mod checks;

use checks::Checks;

use crate::prelude::*;

/// Asks about an edit that makes tests check less: a test is removed or skipped, or an assertion is removed.
///
/// A model whose test fails can change the code or the test. `forbid-suppressions` handles the same choice for linters.
/// Here the user is asked, because a test can be wrong, or move to another file.
///
/// | files | tests | skipped by | assertions |
/// |---|---|---|---|
/// | Rust | `#[test]`, `#[tokio::test]`, `#[rstest]` | `#[ignore]`, `#[should_panic]`, `#[cfg…(…)]` at a test | `assert…!`, `debug_assert…!`, `prop_assert…!` |
/// | Python | `def test…` | `@pytest.mark.skip`, `skipif`, `xfail`, `pytest.skip(…)`, `@unittest.skip…`, `expectedFailure`, `self.skipTest(…)` | `assert`, `self.assert…`, `raises`, `warns` |
/// | JavaScript, TypeScript | `it(…)`, `test(…)` | `.skip`, `.skipIf`, `.runIf`, `.todo`, `.only`, `.fixme`, `.fails`, `.failing`, `xit`, `xdescribe`, `fit`, `fdescribe` | `expect(…)`, `assert…`, `.should` |
/// | Go | `func Test…` | `t.Skip…(…)`, `//go:build` | `t.Error…`, `t.Fatal…`, `t.Fail…`, `assert.…`, `require.…` |
/// | Java, Kotlin, Scala, Groovy | `@Test`, `@ParameterizedTest` | `@Disabled…`, `@Enabled…`, `@Ignore` | `assert…`, `verify(…)`, `should…` |
/// | C# | `[Fact]`, `[Theory]`, `[Test]`, `[TestMethod]` | `[Ignore`, `[Explicit`, `Skip =` | `Assert.…`, `.Should` |
/// | C, C++ | `TEST(…)`, `TEST_F`, `TEST_P`, `TEST_CASE` | `GTEST_SKIP`, `DISABLED_…` | `ASSERT_…`, `EXPECT_…`, `REQUIRE…`, `CHECK…` |
/// | Ruby | `it`, `specify`, `def test_…` | `xit`, `xdescribe`, `pending`, `skip` | `expect`, `assert…`, `refute…` |
/// | PHP | `function test…`, `#[Test]` | `markTestSkipped`, `markTestIncomplete` | `assert…`, `expect…` |
/// | Swift | `func test…`, `@Test` | `XCTSkip…`, `XCTExpectFailure`, `withKnownIssue`, `.disabled` | `XCTAssert…`, `XCTFail`, `#expect`, `#require` |
///
/// Words in comments and strings do not count, so a commented-out test counts as removed.
/// `assert!(true)`, `expect(true)` and `assert True` check nothing, and are not counted as assertions.
///
/// The hook checks test files: files in a folder such as `tests`, `spec` or `__tests__`, files with a name such as
/// `test_a.py`, `a_test.go`, `a.spec.ts` or `ATest.java`, and Rust files with tests in them. Tests and assertions
/// before and after the edit are counted, not compared one by one.
///
/// The hook ignores new files, all other files, and edits that add tests and assertions.
///
/// # What it cannot see
///
/// - An assertion that is replaced by another one, expected values that change, and tolerances that grow.
/// - Test files that a shell command deletes or changes, and tests that are left out on a command line.
/// - A test that ends before its assertions, and a test whose module is never compiled: `#[cfg(any())] mod tests`.
/// - Assertions in the project's own helpers, and snapshots.
/// - A test's move to another file: the test counts as removed.
///
/// # Errors
///
/// It returns no errors. If the process fails, the user is asked.
#[hook(PreToolUse, timeout = 5, on_failure = ask)]
pub fn keep_tests(call: PreToolUse<TextChange>, context: Context) -> Option<PreToolUseAnswer> {
    let change = call.input;
    let lost = lost(&change, &context)?;
    Some(PreToolUseAnswer::ask(format!(
        "after this edit, `{}` {lost}. If the test is right, fix the code; if it is wrong, say why",
        change.path().display()
    )))
}

/// Describes what the tests of a file check less after a change.
fn lost(change: &TextChange, context: &Context) -> Option<String> {
    let texts = Texts::of(change, context)?;
    // A folder above the repository says nothing about its files, and a session may have started in a test folder.
    let file = context.absolute(change.path());
    let root = trees(&file).map_or(&*context.project_dir, |(root, _)| root);
    let path = file.strip_prefix(root).unwrap_or(&file);
    let before = Checks::of(path, &texts.before)?;
    let after = Checks::of(path, &texts.after).unwrap_or_default();
    before.lost_in(&after)
}

#[cfg(test)]
mod tests;
