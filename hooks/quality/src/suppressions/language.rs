//! Suppressions of findings in each language, from the linters' own documentation.

use std::path::Path;

use crate::source::{Span, block_comment, line_comment, long_string, string, verbatim};

/// A language, or several languages with the same suppressions.
#[derive(Debug)]
pub(crate) struct Language {
    /// Extensions of the language's files.
    extensions: &'static [&'static str],
    pub(crate) spans: &'static [Span],
    marks: &'static [Mark],
}

/// Syntax that suppresses a finding.
#[derive(Debug)]
pub(super) struct Mark {
    pub(super) place: Syntax,
    /// Words of the mark. A blank means any number of blanks, or none.
    pub(super) words: &'static str,
    /// Condition under which it may stay.
    pub(super) excuse: Option<Excuse>,
}

/// The context in which a text is a suppression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Excuse {
    /// `reason = "…"` in the attribute.
    Reason,
    /// A few words after the suppression.
    Description,
}

const fn comment(words: &'static str) -> Mark {
    mark(Syntax::Comment, words)
}

const fn in_comment(words: &'static str) -> Mark {
    mark(Syntax::InComment, words)
}

const fn code(words: &'static str) -> Mark {
    mark(Syntax::Code, words)
}

const fn attribute(words: &'static str) -> Mark {
    mark(Syntax::Attribute, words)
}

const fn mark(place: Syntax, words: &'static str) -> Mark {
    Mark { place, words, excuse: None }
}

impl Mark {
    const fn unless(self, excuse: Excuse) -> Self {
        Self { excuse: Some(excuse), ..self }
    }
}

/// Suppressions for tools that check files of any language: Semgrep, CodeQL, SonarQube, and scanners for secrets.
static ANY: &[Mark] = &[
    in_comment("nosemgrep"),
    in_comment("codeql ["),
    in_comment("NOSONAR"),
    in_comment("gitleaks:allow"),
    in_comment("pragma: allowlist"),
    in_comment("trufflehog:ignore"),
];

impl Language {
    /// Returns the suppressions of the language, and those of tools for any language.
    pub(super) fn marks(&self) -> impl Iterator<Item = &'static Mark> {
        self.marks.iter().chain(ANY)
    }

    /// Returns `true` if files with this extension belong to the language.
    pub(crate) fn has(&self, extension: &str) -> bool {
        self.extensions.contains(&extension)
    }
}

/// Returns the language of a file with this name.
pub(crate) fn of(path: &Path) -> Option<&'static Language> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let end = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, end)| end);
    let by_end = LANGUAGES.iter().find(|language| end.is_some_and(|end| language.has(end)));
    // Others end with their purpose: `Dockerfile.dev`.
    let is_of_container = || name.starts_with("dockerfile") || name.starts_with("containerfile");
    by_end.or_else(|| is_of_container().then_some(&HASHES))
}

const LANGUAGES: &[Language] =
    &[RUST, PYTHON, JAVASCRIPT, GO, SHELL, JVM, C, C_SHARP, RUBY, PHP, SWIFT, DART, CSS, YAML, HASHES, SLASHES, DASHES];

const C_LIKE: &[Span] =
    &[line_comment("//"), block_comment("/*", "*/"), long_string("\"\"\""), string("\""), string("'")];

const HASH: &[Span] = &[line_comment("#"), string("\""), string("'")];

/// Suppressions for rustc, clippy and rustdoc.
const RUST: Language = Language {
    extensions: &["rs"],
    spans: &[
        line_comment("//"),
        block_comment("/*", "*/"),
        verbatim("r##\"", "\"##"),
        verbatim("r#\"", "\"#"),
        verbatim("r\"", "\""),
        // A quotation mark in a character literal opens nothing.
        verbatim("'\"", "'"),
        verbatim("'\\\"", "'"),
        long_string("\""),
    ],
    marks: &[attribute("allow"), attribute("expect").unless(Excuse::Reason), attribute("coverage")],
};

/// Suppressions for flake8, ruff, mypy, pyright, pylint, pyre, pytype, ty and bandit.
const PYTHON: Language = Language {
    extensions: &["py", "pyi", "pyw", "ipynb"],
    spans: &[line_comment("#"), long_string("\"\"\""), long_string("'''"), string("\""), string("'")],
    marks: &[
        comment("noqa"),
        comment("flake8: noqa"),
        comment("ruff: noqa"),
        comment("ruff: ignore"),
        comment("ruff: file-ignore"),
        comment("ruff: disable"),
        comment("type: ignore"),
        comment("mypy: ignore-errors"),
        comment("mypy: disable-error-code"),
        comment("pyright: ignore"),
        in_comment("pylint: disable"),
        in_comment("pylint: disable-msg"),
        in_comment("pylint: disable-next"),
        in_comment("pylint: skip-file"),
        comment("pyre-ignore"),
        comment("pyre-fixme"),
        comment("pyre-ignore-all-errors"),
        comment("pytype: disable"),
        comment("pytype: skip-file"),
        comment("ty: ignore"),
        comment("nosec"),
        comment("pragma: no cover"),
        comment("pragma: no branch"),
    ],
};

/// Suppressions for TypeScript, ESLint, Oxlint, Biome, Deno, Flow, TSLint and JSHint.
const JAVASCRIPT: Language = Language {
    extensions: &["js", "cjs", "mjs", "jsx", "ts", "cts", "mts", "tsx", "vue", "svelte", "astro"],
    spans: &[
        line_comment("//"),
        block_comment("/*", "*/"),
        block_comment("<!--", "-->"),
        long_string("`"),
        string("\""),
        string("'"),
    ],
    marks: &[
        comment("@ts-ignore"),
        comment("@ts-expect-error").unless(Excuse::Description),
        comment("@ts-nocheck"),
        comment("eslint-disable"),
        comment("eslint-disable-line"),
        comment("eslint-disable-next-line"),
        comment("oxlint-disable"),
        comment("oxlint-disable-line"),
        comment("oxlint-disable-next-line"),
        comment("biome-ignore"),
        comment("biome-ignore-all"),
        comment("biome-ignore-start"),
        comment("deno-lint-ignore"),
        comment("deno-lint-ignore-file"),
        comment("$FlowFixMe"),
        comment("$FlowIgnore"),
        comment("$FlowExpectedError"),
        comment("@noflow"),
        comment("tslint:disable"),
        comment("tslint:disable-line"),
        comment("tslint:disable-next-line"),
        comment("jshint ignore:"),
        comment("svelte-ignore"),
        comment("istanbul ignore"),
        comment("c8 ignore"),
        comment("v8 ignore"),
    ],
};

/// Suppressions for golangci-lint, staticcheck, revive and gosec.
const GO: Language = Language {
    extensions: &["go"],
    spans: &[line_comment("//"), block_comment("/*", "*/"), verbatim("`", "`"), string("\""), string("'")],
    marks: &[
        comment("nolint"),
        comment("lint:ignore"),
        comment("lint:file-ignore"),
        comment("revive:disable"),
        comment("revive:disable-line"),
        comment("revive:disable-next-line"),
        comment("nosec"),
    ],
};

/// Suppressions for ShellCheck.
const SHELL: Language =
    Language { extensions: &["sh", "bash", "ksh", "bats"], spans: HASH, marks: &[comment("shellcheck disable=")] };

/// Suppressions for javac, kotlinc, scalac, detekt, Android's lint, SpotBugs, Checkstyle, PMD, SonarQube, ktlint,
/// Scalastyle, Scalafix and JetBrains' inspections.
const JVM: Language = Language {
    extensions: &["java", "kt", "kts", "scala", "groovy"],
    spans: C_LIKE,
    marks: &[
        code("@SuppressWarnings"),
        code("@Suppress"),
        code("@file:Suppress"),
        code("@SuppressLint"),
        code("@SuppressFBWarnings"),
        code("@nowarn"),
        in_comment("NOPMD"),
        comment("CHECKSTYLE:OFF"),
        comment("noinspection"),
        comment("ktlint-disable"),
        comment("scalastyle:off"),
        comment("scalafix:off"),
        comment("scalafix:ok"),
    ],
};

/// Suppressions for compilers of C and similar languages, clang-tidy, cppcheck and SonarQube.
const C: Language = Language {
    extensions: &["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm"],
    spans: C_LIKE,
    marks: &[
        in_comment("NOLINT"),
        in_comment("NOLINTNEXTLINE"),
        in_comment("NOLINTBEGIN"),
        in_comment("GCOVR_EXCL…"),
        in_comment("LCOV_EXCL…"),
        comment("cppcheck-suppress"),
        comment("cppcheck-suppress-begin"),
        comment("cppcheck-suppress-file"),
        code("# pragma GCC diagnostic ignored"),
        code("# pragma clang diagnostic ignored"),
        code("# pragma warning ( disable"),
    ],
};

/// Suppressions for the C# compiler and its analyzers, ReSharper and SonarQube.
const C_SHARP: Language = Language {
    extensions: &["cs"],
    spans: C_LIKE,
    marks: &[
        code("# pragma warning disable"),
        code("SuppressMessage ("),
        comment("ReSharper disable"),
        code("ExcludeFromCodeCoverage"),
    ],
};

/// Suppressions for RuboCop and Standard.
const RUBY: Language = Language {
    extensions: &["rb", "rake", "gemspec"],
    spans: HASH,
    marks: &[comment("rubocop: disable"), comment("rubocop: todo"), comment("standard: disable"), comment(":nocov:")],
};

/// Suppressions for PHPStan, Psalm, PHP_CodeSniffer and PHPMD.
const PHP: Language = Language {
    extensions: &["php"],
    spans: &[line_comment("//"), line_comment("#"), block_comment("/*", "*/"), string("\""), string("'")],
    marks: &[
        comment("@phpstan-ignore"),
        comment("@phpstan-ignore-line"),
        comment("@phpstan-ignore-next-line"),
        comment("@psalm-suppress"),
        comment("phpcs:ignore"),
        comment("phpcs:ignoreFile"),
        comment("phpcs:disable"),
        comment("@SuppressWarnings"),
        comment("@codeCoverageIgnore…"),
    ],
};

/// Suppressions for SwiftLint.
const SWIFT: Language = Language {
    extensions: &["swift"],
    spans: &[line_comment("//"), block_comment("/*", "*/"), long_string("\"\"\""), string("\"")],
    marks: &[comment("swiftlint:disable")],
};

/// Suppressions for Dart's analyzer.
const DART: Language = Language {
    extensions: &["dart"],
    spans: C_LIKE,
    marks: &[comment("ignore:"), comment("ignore_for_file:"), comment("coverage:ignore…")],
};

/// Suppressions for Stylelint and Biome.
const CSS: Language = Language {
    extensions: &["css", "scss", "sass", "less"],
    spans: C_LIKE,
    marks: &[
        comment("stylelint-disable"),
        comment("stylelint-disable-line"),
        comment("stylelint-disable-next-line"),
        comment("biome-ignore"),
        comment("biome-ignore-all"),
        comment("biome-ignore-start"),
    ],
};

/// Suppressions for yamllint and other YAML linters.
const YAML: Language = Language {
    extensions: &["yaml", "yml"],
    spans: HASH,
    marks: &[
        comment("yamllint disable"),
        comment("yamllint disable-line"),
        comment("yamllint disable-file"),
        comment("noqa"),
        comment("checkov:skip"),
        comment("kics-scan ignore…"),
        comment("zizmor: ignore"),
    ],
};

/// Suppressions in comments that begin with `#`: hadolint and others for Dockerfiles; tflint, tfsec, Trivy, Checkov and
/// KICS for Terraform; Credo for Elixir, Perl::Critic, lintr for R, and PSScriptAnalyzer's attribute.
const HASHES: Language = Language {
    extensions: &["dockerfile", "tf", "hcl", "ex", "exs", "pl", "pm", "r", "ps1", "psm1"],
    spans: HASH,
    marks: &[
        comment("hadolint ignore"),
        comment("hadolint global ignore"),
        comment("check=skip"),
        comment("tflint-ignore"),
        comment("tflint-ignore-file"),
        comment("tfsec:ignore"),
        comment("trivy:ignore"),
        comment("checkov:skip"),
        comment("kics-scan ignore…"),
        comment("credo:disable-for-…"),
        comment("no critic"),
        comment("nolint"),
        code("SuppressMessageAttribute ("),
    ],
};

/// Suppressions in comments that begin with `//`: solhint and Slither for Solidity, protolint and Buf for Protocol Buffers.
const SLASHES: Language = Language {
    extensions: &["sol", "proto"],
    spans: C_LIKE,
    marks: &[
        comment("solhint-disable"),
        comment("solhint-disable-line"),
        comment("solhint-disable-next-line"),
        comment("slither-disable-…"),
        comment("protolint:disable…"),
        comment("buf:lint:ignore"),
    ],
};

/// Suppressions in comments that begin with `--`: luacheck and selene for Lua, SQLFluff, HLint.
const DASHES: Language = Language {
    extensions: &["lua", "sql", "hs"],
    spans: &[
        block_comment("--[[", "]]"),
        block_comment("{-", "-}"),
        block_comment("/*", "*/"),
        line_comment("--"),
        string("\""),
        string("'"),
    ],
    marks: &[
        comment("luacheck: ignore"),
        comment("luacheck: push ignore"),
        comment("selene: allow"),
        comment("noqa"),
        comment("sqlfluff: noqa"),
        comment("HLINT ignore"),
        in_comment("OPTIONS_GHC -Wno…"),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_known_by_its_files() {
        let marks = |path: &str| of(Path::new(path)).map(|language| language.marks[0].words);
        assert_eq!(marks("src/main.rs"), Some("allow"));
        assert_eq!(marks("/project/a.test.TSX"), Some("@ts-ignore"));
        assert_eq!(marks("README.md"), None);
        assert_eq!(marks("py"), None);
    }

    #[test]
    fn no_extension_is_that_of_two_languages() {
        let mut extensions: Vec<&str> = LANGUAGES.iter().flat_map(|language| language.extensions).copied().collect();
        let all = extensions.len();
        extensions.sort_unstable();
        extensions.dedup();
        assert_eq!(extensions.len(), all);
    }
}
