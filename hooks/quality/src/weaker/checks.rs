//! Counts the tests and assertions of a file.

use hookkit::shell::programs::table::ends;

use crate::prelude::*;

/// The numbers of tests, skipped tests and assertions.
#[derive(Default)]
pub(super) struct Checks {
    tests: usize,
    skips: usize,
    assertions: usize,
}

impl Checks {
    /// Counts tests and assertions in a file; `None` if it has no tests.
    pub(super) fn of(path: &Path, text: &str) -> Option<Self> {
        let language = Language::of(path)?;
        language.words("tests").next()?;
        let source = SourceText::new(text, &language.spans());
        let count = |kind| language.words(kind).map(|words| anywhere(&source.code, words).count()).sum::<usize>();
        let tests = count("tests");
        let is_of_tests = is_test_file(path) || tests > 0 && language.name() == "rs";
        is_of_tests.then(|| Self {
            tests,
            skips: count("skips") + conditions(&source, language.name()),
            // Some always hold.
            assertions: count("assertions").saturating_sub(count("empty")),
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
    const FOLDERS: &str = "__tests__ e2e spec specs test tests";
    let is_of_tests = |folder: &OsStr| lists(FOLDERS, &folder.to_string_lossy().to_lowercase());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, rest) = name.split_once('.').unwrap_or((&name, ""));
    let is_of_name =
        |word: &&str| stem == *word || stem.starts_with(&format!("{word}_")) || stem.ends_with(&format!("_{word}"));
    path.parent().into_iter().flatten().any(is_of_tests)
        || ["test", "tests", "spec"].iter().any(is_of_name)
        || ends("Test Tests Spec IT", stem)
        || begins("test. tests. spec. cy.", rest)
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
