//! Denies edits that hide findings of linters.

mod find;
pub(crate) mod language;

use std::borrow::Cow;
use std::collections::HashMap;

use find::{Found, find};
use hookkit::tool::{CellEdit, CellType, NotebookEdit};
use language::{Excuse, Language};

use crate::prelude::*;
use crate::source::reads;

/// Denies an edit that hides a finding of a linter or a compiler instead of fixing it.
///
/// A model can make a finding disappear with a comment as well as with a fix, and the comment is less work. A denial names
/// the line and the added suppression. If the finding is wrong, the model should ask the user.
///
/// | files | suppressions |
/// |---|---|
/// | Rust | `#[allow(…)]`, `#![allow(…)]`, also in `cfg_attr`; `#[expect(…)]` without a `reason` |
/// | Python, cells of notebooks | `# noqa`, `# flake8: noqa`, `# ruff: noqa`, `ignore`, `file-ignore`, `disable`; `# type: ignore`; those of mypy, pyright, pylint, pyre, pytype, ty and bandit |
/// | JavaScript, TypeScript, Vue, Svelte, Astro | `@ts-ignore`, `@ts-nocheck`; `@ts-expect-error` without a description; `eslint-disable…`, `oxlint-disable…`, `biome-ignore…`, `deno-lint-ignore…`, `tslint:disable…`; those of Flow, JSHint and Svelte |
/// | Go | `//nolint`, `//lint:ignore`, `//lint:file-ignore`, `//revive:disable…`, `#nosec` |
/// | shell | `# shellcheck disable=` |
/// | Java, Kotlin, Scala, Groovy | `@SuppressWarnings`, `@Suppress`, `@SuppressLint`, `@SuppressFBWarnings`, `@nowarn`, `NOSONAR`, `NOPMD`, `CHECKSTYLE:OFF`, `noinspection`; those of ktlint, Scalastyle and Scalafix |
/// | C, C++, Objective-C | `NOLINT…`, `NOSONAR`, `cppcheck-suppress…`, `#pragma GCC diagnostic ignored` and clang's, `#pragma warning(disable…)` |
/// | C# | `#pragma warning disable`, `SuppressMessage(…)`, `ReSharper disable`, `NOSONAR` |
/// | Ruby, PHP, Swift, Dart | RuboCop's and Standard's; PHPStan's, Psalm's, PHP_CodeSniffer's and PHPMD's; SwiftLint's; the analyzer's |
/// | CSS, YAML | Stylelint's and Biome's; yamllint's, ansible-lint's, Checkov's, KICS' and zizmor's |
/// | Dockerfiles, Terraform, Elixir, Perl, R, PowerShell | hadolint's, tflint's, tfsec's, Trivy's, Checkov's, Credo's, Perl::Critic's, lintr's, PSScriptAnalyzer's |
/// | Lua, SQL, Haskell, Solidity, Protocol Buffers | luacheck's, selene's, SQLFluff's, HLint's, GHC's, solhint's, Slither's, protolint's, Buf's |
/// | all of these | `nosemgrep`, `NOSONAR`, `codeql[…]`, `gitleaks:allow`, `pragma: allowlist`, `trufflehog:ignore` |
/// | code that tests need not run | `pragma: no cover`, `istanbul ignore`, `c8 ignore`, `#[coverage(off)]`, `LCOV_EXCL…`, `:nocov:`, `@codeCoverageIgnore`, `coverage:ignore…`, `ExcludeFromCodeCoverage` |
///
/// `#[expect(…, reason = "…")]` and `@ts-expect-error …` with a few words pass: they give a reason, and the compiler
/// reports them when there is nothing left to hide.
///
/// Existing suppressions may stay and move: an edit is denied only if the file has more of one form after the edit than
/// before. Strings, files of other languages, and comments that only mention a suppression (`// no eslint-disable
/// here`) are not checked. The exceptions are suppressions that the linter honors anywhere: `NOLINT`, `NOSONAR`,
/// `NOPMD` and pylint's.
///
/// The hook ignores all other files, and edits that remove suppressions.
///
/// The hook also denies suppressions in strings that it cannot distinguish from code, such as a here-document or an
/// unusual form of string, and suppressions that a macro or a generator writes on purpose.
///
/// If hookkit cannot compute the new content of the file, for example with curly quotes, it compares the removed text
/// with the added text. A file that cannot be read counts as empty. A notebook counts as Python.
///
/// # What it cannot see
///
/// - A suppression that becomes wider (`noqa: E501` to `noqa`), and one that replaces another of the same form.
/// - `# noqa` in a docstring, where flake8 honors it.
/// - Suppressions in files with unsupported extensions, and those that shell commands write.
/// - Linters that are turned off in their configuration (`[lints]`, `eslint.config.js`) or on a command line.
/// - Findings that code hides, such as `any`, `let _ =` or an empty `catch`.
#[hook(PreToolUse, timeout = 5)]
pub fn forbid_suppressions(call: PreToolUse<TextChange>, context: Context) -> Option<PreToolUseAnswer> {
    let change = call.input;
    let language = Language::of(change.path())?;
    let texts = Texts::of(&change, &context)?;
    let added = added(&texts, language);
    let (first, more) = added.split_first()?;
    Some(PreToolUseAnswer::deny(reason(change.path(), &texts, first, more.len())))
}

/// The texts to compare.
#[derive(Default)]
pub(crate) struct Texts<'c> {
    pub before: Cow<'c, str>,
    pub after: Cow<'c, str>,
    /// The text whose lines are counted, for the message; empty for the whole file.
    whole: &'static str,
}

impl<'c> Texts<'c> {
    /// Returns the file before the change and after it, if it can be determined; `None` if nothing is added.
    pub(crate) fn of(change: &'c TextChange, context: &Context) -> Option<Self> {
        let before = change.text_before(context).ok().flatten();
        match (change, change.text_after(context)) {
            (TextChange::NotebookEdit(edit), _) => Self::of_cell(edit, before.as_deref()),
            (_, Ok(after)) => Some(Self { before: before.unwrap_or_default().into(), after, whole: "" }),
            (_, Err(_)) => Some(Self {
                before: change.removed_text().unwrap_or_default().into(),
                after: change.added_text().into(),
                whole: " of the new text",
            }),
        }
    }

    fn of_cell(edit: &'c NotebookEdit, notebook: Option<&str>) -> Option<Self> {
        if edit.cell_type == Some(CellType::Markdown) || edit.edit_mode == Some(CellEdit::Delete) {
            return None;
        }
        let is_new = edit.edit_mode == Some(CellEdit::Insert);
        let before = edit.cell_id.as_deref().zip(notebook).filter(|_| !is_new);
        let before = before.and_then(|(id, notebook)| cell(notebook, id));
        Some(Self {
            before: before.unwrap_or_default().into(),
            after: edit.new_source.as_str().into(),
            whole: " of the cell",
        })
    }
}

/// Returns the content of a notebook's cell. In notebooks without ids, the client counts the cells: `cell-0` (client
/// 2.1.330).
fn cell(notebook: &str, id: &str) -> Option<String> {
    let notebook: Value = serde_json::from_str(notebook).ok()?;
    let cells = notebook.get("cells")?.as_array()?;
    let counted = || cells.get(id.strip_prefix("cell-")?.parse::<usize>().ok()?);
    let source = cells.iter().find(|cell| cell["id"] == id).or_else(counted)?.get("source")?;
    match source.as_array() {
        Some(lines) => Some(lines.iter().filter_map(Value::as_str).collect()),
        None => source.as_str().map(str::to_owned),
    }
}

/// Returns the suppressions that the change adds, in the order of the file.
fn added(texts: &Texts<'_>, language: Language) -> Vec<Found> {
    let after = find(&texts.after, language);
    if after.is_empty() {
        return after;
    }
    let before = find(&texts.before, language);
    let mut added = Vec::new();
    for mark in language.marks() {
        let of_kind = |found: &&Found| found.mark == mark;
        let (before, after) = (before.iter().filter(of_kind), after.iter().filter(of_kind));
        let excess = after.clone().count().saturating_sub(before.clone().count());
        if excess == 0 {
            continue;
        }
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (line, marks) in by_lines(&texts.before, before) {
            *known.entry(line).or_default() += marks.len();
        }
        let mut new = Vec::new();
        for (line, marks) in by_lines(&texts.after, after) {
            // A line that was there already is not the one to name.
            let times = known.entry(line).or_default();
            let old = marks.len().min(*times);
            *times -= old;
            new.extend_from_slice(&marks[old..]);
        }
        new.truncate(excess);
        added.extend(new);
    }
    added.sort_by_key(|found| found.start);
    added
}

/// Returns the lines of a text that contain these suppressions, each with its suppressions. A line with several of them
/// is searched only once.
fn by_lines<'t, 'f>(text: &'t str, marks: impl Iterator<Item = &'f Found>) -> Vec<(&'t str, Vec<Found>)> {
    let mut lines: Vec<(&str, Vec<Found>)> = Vec::new();
    let mut end = 0;
    for mark in marks {
        match lines.last_mut() {
            Some((_, marks)) if mark.start < end => marks.push(*mark),
            _ => {
                let range = line_range(text, mark.start);
                end = range.end;
                lines.push((text[range].trim(), vec![*mark]));
            }
        }
    }
    lines
}

/// Returns the range of the line around a position.
fn line_range(text: &str, at: usize) -> Range<usize> {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    reads!(end - start);
    start..end
}

/// Maximum number of characters of a line to show.
const MAX_LINE: usize = 120;

/// Returns the reason for the denial, and what the model should do.
fn reason(path: &Path, texts: &Texts<'_>, first: &Found, more: usize) -> String {
    let number = texts.after[..first.start].matches('\n').count() + 1;
    let line = texts.after[line_range(&texts.after, first.start)].trim();
    let line: Cow<'_, str> = match line.char_indices().nth(MAX_LINE) {
        None => line.into(),
        Some((end, _)) => format!("{} …", &line[..end]).into(),
    };
    let more = match more {
        0 => String::new(),
        1 => ", as does one more new suppression".to_owned(),
        _ => format!(", as do {more} more new suppressions"),
    };
    let excuse = match first.mark.excuse {
        None => "",
        Some(Excuse::Reason) => " The suppression passes with a `reason = \"…\"` for not fixing it.",
        Some(Excuse::Description) => " The suppression passes if a few words after it say why it is not fixed.",
    };
    format!(
        "`{}`, line {number}{}: `{line}` hides a finding (`{}`){more}. Fix the finding instead of hiding it. If it \
         is wrong, ask the user, who decides whether it is suppressed.{excuse}",
        path.display(),
        texts.whole,
        first.mark.words
    )
}

#[cfg(test)]
mod tests;
