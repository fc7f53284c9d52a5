//! Languages: their comments and strings, the suppressions of findings in them, from the linters' own documentation, and
//! the words of their tests.
//!
//! | language | tools with suppressions |
//! |---|---|
//! | any | Semgrep, CodeQL, SonarQube, and scanners for secrets |
//! | Rust | rustc, clippy and rustdoc |
//! | Python | flake8, ruff, mypy, pyright, pylint, pyre, pytype, ty and bandit |
//! | JavaScript | TypeScript, ESLint, Oxlint, Biome, Deno, Flow, TSLint and JSHint |
//! | Go | golangci-lint, staticcheck, revive and gosec |
//! | the JVM's | javac, kotlinc, scalac, detekt, Android's lint, SpotBugs, Checkstyle, PMD, SonarQube, ktlint, Scalastyle, Scalafix and JetBrains' inspections |
//! | C | compilers of C and similar languages, clang-tidy, cppcheck and SonarQube |
//! | C# | the compiler and its analyzers, ReSharper and SonarQube |
//! | PHP | PHPStan, Psalm, PHP_CodeSniffer and PHPMD |
//! | with `#` | hadolint and others for Dockerfiles; tflint, tfsec, Trivy, Checkov and KICS for Terraform; Credo for Elixir, Perl::Critic, lintr for R, and PSScriptAnalyzer's attribute |
//! | with `//` | solhint and Slither for Solidity, protolint and Buf for Protocol Buffers |
//! | with `--` | luacheck and selene for Lua, SQLFluff, HLint |

use hookkit::shell::programs::table::{Row, Table};

use crate::prelude::*;
use crate::source::Span;

/// Languages by the extensions of their files. Each indented line begins with the [kind](KINDS) of suppressions, with
/// `spans` (see [`Span::parse`]), or with a kind of words of tests. In `*` are those of any language.
///
/// In the words that follow, a blank means any number of blanks, or none; a word that ends with `…` may continue.
static LANGUAGES: Table<256> = Table::new(include_str!("languages.txt"));

/// A language, or several languages with the same suppressions.
#[derive(Clone, Copy)]
pub(crate) struct Language(Row);

/// Syntax that suppresses a finding.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Mark {
    pub place: Syntax,
    pub words: &'static str,
    /// Condition under which the mark may stay.
    pub excuse: Option<Excuse>,
}

/// The context in which a text is a suppression.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Syntax {
    /// At the start of a comment or of one of its lines, or after a `#` in it; the case of letters is ignored.
    Comment,
    /// Anywhere in a comment.
    InComment,
    /// In code.
    Code,
    /// In a Rust attribute, also in one that depends on a `cfg`.
    Attribute,
}

/// The condition under which a suppression may stay.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Excuse {
    /// `reason = "…"` in the attribute.
    Reason,
    /// A few words after the suppression.
    Description,
}

/// The kinds of suppressions in the table.
const KINDS: [(&str, Syntax, Option<Excuse>); 6] = [
    ("comment", Syntax::Comment, None),
    ("described", Syntax::Comment, Some(Excuse::Description)),
    ("in-comment", Syntax::InComment, None),
    ("code", Syntax::Code, None),
    ("attribute", Syntax::Attribute, None),
    ("reasoned", Syntax::Attribute, Some(Excuse::Reason)),
];

impl Language {
    /// Returns the language of a file with this name.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let end = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, end)| end);
        // Others end with their purpose: `Dockerfile.dev`.
        let container = begins("containerfile dockerfile", &name).then_some("dockerfile");
        end.into_iter().chain(container).find_map(|end| LANGUAGES.rows(end).next()).map(Self)
    }

    /// Returns the first of its extensions.
    pub(crate) fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the words in its lines of a kind, and in those of any language.
    pub(crate) fn words(self, kind: &'static str) -> impl Iterator<Item = &'static str> {
        let lines = [self.0].into_iter().chain(LANGUAGES.rows("*")).flat_map(|row| row.text.lines());
        let lines = lines.filter_map(move |line| line.trim_start().strip_prefix(kind)?.strip_prefix(' '));
        lines.flat_map(|words| words.split(", "))
    }

    pub(crate) fn spans(self) -> Vec<Span> {
        self.words("spans").map(Span::parse).collect()
    }

    pub(super) fn marks(self) -> impl Iterator<Item = Mark> {
        KINDS
            .into_iter()
            .flat_map(move |(kind, place, excuse)| self.words(kind).map(move |words| Mark { place, words, excuse }))
    }
}

#[cfg(test)]
#[test]
fn each_line_of_the_table_is_of_a_kind() {
    for line in include_str!("languages.txt").lines().filter_map(|line| line.strip_prefix("    ")) {
        let kind = line.split(' ').next().unwrap();
        let is_kind = KINDS.iter().any(|(known, ..)| *known == kind);
        assert!(is_kind || ["spans", "tests", "skips", "assertions", "empty"].contains(&kind), "{line}");
    }
}
