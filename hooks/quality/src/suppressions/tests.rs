//! Edits that are denied and edits that pass, language by language.

use std::fs;

use hookkit::tool::{Edit, Write};

use super::*;
use crate::soak;
use crate::source::tests::READ;

/// A project with one file in it.
struct TestProject {
    folder: tempfile::TempDir,
    file: &'static str,
}

impl TestProject {
    fn new(file: &'static str, before: &str) -> Self {
        let place = Self {
            folder: test_support::folder(),
            file,
        };
        fs::write(place.folder.path().join(file), before).unwrap();
        place
    }

    /// Returns the answer to a change, without the file's folder.
    fn answer(&self, tool: &str, mut change: TextChange) -> Option<String> {
        let path = self.folder.path().join(self.file);
        match &mut change {
            TextChange::Write(write) => write.file_path = path,
            TextChange::Edit(edit) => edit.file_path = path,
            TextChange::NotebookEdit(edit) => edit.notebook_path = path,
            _ => {}
        }
        let texts = Texts::of(&change, &Context::default());
        let language = language::of(change.path())?;
        let found = texts.as_ref().map(|texts| added(texts, language)).unwrap_or_default();
        let reason = found
            .first()
            .map(|first| reason(Path::new(self.file), &texts.unwrap(), first, found.len() - 1));
        let answer = forbid_suppressions(PreToolUse::new(tool, change), Context::default());
        assert_eq!(answer == PreToolUseAnswer::pass(), reason.is_none());
        reason
    }

    fn write(&self, content: &str) -> Option<String> {
        let mut write = Write::default();
        write.content = content.to_owned();
        self.answer("Write", write.into())
    }

    fn edit(&self, old: &str, new: &str) -> Option<String> {
        let mut edit = Edit::default();
        edit.old_string = old.to_owned();
        edit.new_string = new.to_owned();
        self.answer("Edit", edit.into())
    }

    fn cell(&self, id: Option<&str>, new: &str, change: impl FnOnce(&mut NotebookEdit)) -> Option<String> {
        let mut edit = NotebookEdit::new("", new);
        edit.cell_id = id.map(str::to_owned);
        change(&mut edit);
        self.answer("NotebookEdit", edit.into())
    }
}

/// Returns `true` if it is denied to make this text of that one.
fn denies(file: &'static str, before: &str, after: &str) -> bool {
    TestProject::new(file, before).write(after).is_some()
}

/// Texts that come to an empty file: those that are denied, and those that pass.
fn check(file: &'static str, denied: &[&str], passed: &[&str]) {
    for text in denied {
        assert!(denies(file, "", text), "passed in {file}: {text}");
        assert!(!denies(file, text, text), "denied in {file}, where it was: {text}");
        assert!(!denies(file, text, ""), "denied to go from {file}: {text}");
    }
    for text in passed {
        assert!(!denies(file, "", text), "denied in {file}: {text}");
    }
}

#[test]
fn rust() {
    check(
        "a.rs",
        &[
            "#[allow(dead_code)]\nfn f() {}",
            "#![allow(clippy::all)]",
            "# ! [ allow ( unused ) ]",
            "#[allow(dead_code, reason = \"later\")]",
            "#[cfg_attr(test, allow(unused))]",
            "#![cfg_attr(feature = \"x\", deny(warnings), allow(dead_code))]",
            "fn f(#[allow(unused)] a: u8) {}",
            "let quote = '\"';\n#[allow(unused)] let a = 1; // \"",
            "let quote = '\\\"';\n#[allow(unused)] let a = 1; // \"",
            "#[expect(dead_code)]",
            "#[expect(dead_code, reason = \"\")]",
        ],
        &[
            "#[expect(dead_code, reason = \"the protocol names it\")]",
            "#[cfg_attr(test, expect(unused, reason = \"as above\"))]",
            "#[warn(unused)]\n#[deny(dead_code)]",
            "#[serde(allow(none))]",
            "#[allowed(dead_code)]",
            "allow(dead_code)",
            "// #[allow(dead_code)] is not for us.",
            "/// `#[allow(dead_code)]`\nfn f() {}",
            "/* #[allow(dead_code)] */",
            "let text = \"#[allow(dead_code)]\";",
            "let text = \"one\n#[allow(dead_code)]\n\";",
            "let text = r#\"\n\"#[allow(dead_code)]\"\n\"#;",
        ],
    );
}

#[test]
fn python() {
    check(
        "a.py",
        &[
            "import os  # noqa",
            "import os  # NoQA: F401",
            "import os  #noqa:F401",
            "# flake8: noqa",
            "# ruff: noqa: E501",
            "# ruff: disable[E501]",
            "import os  # ruff: ignore[unused-import]",
            "# ruff: file-ignore[E501]",
            "f(1)  # type: ignore",
            "f(1)  # type:ignore[arg-type]  # a word",
            "f(1)  # a word  # type: ignore",
            "# mypy: ignore-errors",
            "# mypy: disable-error-code=\"arg-type\"",
            "f(1)  # pyright: ignore[reportCallIssue]",
            "def f():  # pylint: disable=missing-docstring",
            "import os  # noqa: F401, pylint: disable=unused-import",
            "# pylint: disable-next=unused-import",
            "# pylint: disable-msg=unused-import",
            "# pylint: skip-file",
            "f(1)  # pyre-fixme[6]: later",
            "f(1)  # ty: ignore[invalid-argument-type]",
            "eval(x)  # nosec B307",
            "text = 'it''s'  # noqa",
        ],
        &[
            "# A noqa is not for us.",
            "# type: int",
            "# noqanything",
            "x = '# noqa'",
            "x = f\"{a}  # type: ignore\"",
            "'''\nOne writes:\n    import os  # noqa\n'''",
            "# pyright: strict",
            "# ruff: enable[E501]",
            "# pylint: enable=all",
        ],
    );
}

#[test]
fn javascript() {
    check(
        "a.tsx",
        &[
            "// @ts-ignore\nf(1)",
            "// @ts-ignore: it works",
            "/* @ts-nocheck */",
            "/**\n * @ts-ignore\n */",
            "// @ts-expect-error",
            "/* @ts-expect-error */",
            "// @ts-expect-error: -",
            "/* eslint-disable */",
            "/* eslint-disable no-console -- it is a script */",
            "/*\n  eslint-disable no-console\n*/",
            "f(); // eslint-disable-line",
            "//eslint-disable-next-line no-console",
            "{/* eslint-disable-next-line react/no-danger */}",
            "// oxlint-disable-next-line no-console",
            "// biome-ignore lint/suspicious/noDebugger: it is wanted",
            "// biome-ignore-all lint: generated",
            "// deno-lint-ignore no-explicit-any",
            "// deno-lint-ignore-file",
            "// $FlowFixMe[incompatible-type]",
            "/* tslint:disable:no-console */",
            "const a = `b`; // @ts-ignore",
            "<p>Don't</p>\n// @ts-ignore",
        ],
        &[
            "// @ts-expect-error the types of this package are wrong",
            "/* @ts-expect-error: see #12 */",
            "// @ts-check",
            "/* eslint-enable no-console */",
            "// No eslint-disable here.",
            "const text = '// @ts-ignore';",
            "const text = \"/* eslint-disable */\";",
            "const text = `\n// @ts-ignore\n`;",
            "// eslint-disabled",
        ],
    );
    check(
        "a.vue",
        &["<!-- eslint-disable-next-line vue/no-v-html -->"],
        &["<!-- a -->"],
    );
}

#[test]
fn go_and_shell() {
    check(
        "a.go",
        &[
            "f() //nolint",
            "f() //nolint:errcheck // it cannot fail",
            "//lint:ignore SA1019 later",
            "//lint:file-ignore SA1019 later",
            "// #nosec G404",
            "//revive:disable-next-line:exported",
        ],
        &[
            "// nolintlint is a linter", "x := \"//nolint\"", "x := `\n//nolint\n`", "//go:noinline",
        ],
    );
    check(
        "a.sh",
        &[
            "# shellcheck disable=SC2086\necho $a",
            "#shellcheck disable=all",
            "cat <<EOF\nDon't\nEOF\n# shellcheck disable=SC2086",
        ],
        &[
            "# shellcheck shell=bash",
            "# shellcheck enable=all",
            "echo '# shellcheck disable=SC2086'",
            "# The comment shellcheck disable= is not for us.",
        ],
    );
}

#[test]
fn java_and_its_kin() {
    check(
        "A.java",
        &[
            "@SuppressWarnings(\"unchecked\")\nvoid f() {}",
            "@SuppressWarnings({\"unchecked\", \"rawtypes\"})",
            "@SuppressLint(\"NewApi\")",
            "f(); // NOSONAR",
            "f(); // is wanted NOPMD",
            "//noinspection unchecked",
            "// CHECKSTYLE:OFF",
        ],
        &[
            "// @SuppressWarnings is not for us.",
            "/**\n * {@link SuppressWarnings}\n * @SuppressWarnings\n */",
            "String a = \"@SuppressWarnings\";",
            "String a = \"\"\"\n  @SuppressWarnings\n  \"\"\";",
            "@SuppressWarningsOfMine",
        ],
    );
    check(
        "a.kt",
        &["@file:Suppress(\"MaxLineLength\")", "@Suppress(\"LongMethod\")"],
        &["@Suppressed"],
    );
    check(
        "a.scala",
        &["@nowarn(\"cat=deprecation\") def f = 1", "// scalafix:off"],
        &[],
    );
}

#[test]
fn c_and_c_sharp() {
    check(
        "a.cpp",
        &[
            "f(); // NOLINT",
            "f(); // it is wanted NOLINT(google-explicit-constructor)",
            "// NOLINTNEXTLINE(*)",
            "// NOLINTBEGIN",
            "// cppcheck-suppress nullPointer",
            "#pragma GCC diagnostic ignored \"-Wunused\"",
            "#  pragma clang diagnostic ignored \"-Wunused\"",
            "#pragma warning(disable: 4996)",
            "#pragma warning( disable : 4996 )",
        ],
        &[
            "// NOLINTEND",
            "#pragma once",
            "#pragma GCC diagnostic push",
            "#pragma warning(push)",
            "puts(\"// NOLINT\");",
            "// #pragma GCC diagnostic ignored \"-Wunused\"",
        ],
    );
    check(
        "A.cs",
        &[
            "#pragma warning disable CS0168 // it is wanted",
            "#pragma warning disable",
            "[SuppressMessage(\"Design\", \"CA1031\")]",
            "[assembly: SuppressMessage(\"Design\", \"CA1031\")]",
            "// ReSharper disable once UnusedMember",
        ],
        &[
            "#pragma warning restore CS0168", "using SuppressMessage = A.B;", "// #pragma warning disable",
        ],
    );
}

#[test]
fn ruby_php_swift_dart_css_and_yaml() {
    check(
        "a.rb",
        &["x = 1 # rubocop:disable Style/Foo", "# rubocop:todo Metrics/AbcSize"],
        &["# rubocop:enable Style/Foo", "x = '# rubocop:disable all'"],
    );
    check(
        "a.php",
        &[
            "echo $a; // @phpstan-ignore variable.undefined (it is)",
            "/** @phpstan-ignore-next-line */",
            "/**\n * @psalm-suppress InvalidReturnType\n */",
            "# phpcs:ignore",
            "// phpcs:ignoreFile",
            "// phpcs:disable Squiz",
            "/**\n * @SuppressWarnings(PHPMD.UnusedLocalVariable)\n */",
        ],
        &[
            "// phpcs:enable", "$a = '// phpcs:ignore';", "/** @phpstan-param int $a */",
        ],
    );
    check(
        "a.swift",
        &[
            "// swiftlint:disable force_cast",
            "f() // swiftlint:disable:this force_cast",
        ],
        &["// swiftlint:enable force_cast", "let a = \"// swiftlint:disable all\""],
    );
    check(
        "a.dart",
        &["print(a); // ignore: avoid_print", "// ignore_for_file: avoid_print"],
        &["// We ignore: nothing.", "var a = '// ignore: x';"],
    );
    check(
        "a.scss",
        &["/* stylelint-disable */", "a { color: red } // stylelint-disable-line"],
        &["/* stylelint-enable */"],
    );
    check(
        "a.yml",
        &["- a # yamllint disable-line rule:x"],
        &["# yamllint enable", "a: \"# yamllint disable\""],
    );
}

#[test]
fn files_of_other_languages_are_not_looked_at() {
    for (file, text) in [
        ("a.md", "# noqa"),
        ("a.txt", "// @ts-ignore"),
        ("a.rs", "f(); // NOLINT"),
        ("a.py", "# nolint"),
    ] {
        assert!(!denies(file, "", text), "{file}");
    }
}

#[test]
fn an_edit_is_seen_in_its_file() {
    // Half of a mark comes in next to the other half.
    let place = TestProject::new("a.py", "import os  # no\nx = '''\nhere\n'''\n");
    assert!(place.edit("# no", "# noqa").is_some());
    // And so does a string's inside.
    assert_eq!(place.edit("here", "# noqa"), None);
}

#[test]
fn what_was_there_may_stay_change_and_move() {
    let place = TestProject::new("a.py", "import os  # noqa\n\nx = 1\n");
    assert_eq!(place.edit("import os  # noqa", "import os, sys  # noqa"), None);
    assert_eq!(place.edit("import os  # noqa", "import os  # noqa: F401"), None);
    assert_eq!(place.write("x = 1\n\nimport os  # noqa\n"), None);
    assert!(place.edit("x = 1", "x = 1  # noqa").is_some());
    assert!(
        place.edit("import os  # noqa", "import os  # type: ignore").is_some(),
        "of another kind"
    );
}

#[test]
fn a_replacement_at_several_places_counts_at_each() {
    let place = TestProject::new("a.py", "f(1)\nf(2)\n");
    let mut edit = Edit::default();
    edit.old_string = "f(".to_owned();
    edit.new_string = "# noqa\nf(".to_owned();
    edit.replace_all = true;
    let reason = place.answer("Edit", edit.into()).unwrap();
    assert!(reason.contains(", and so does one more that comes in. "), "{reason}");
}

#[test]
fn the_reason_names_the_line_that_comes_in() {
    let place = TestProject::new("a.py", "import os  # noqa\n");
    assert_eq!(
        place
            .write("import os  # noqa\nimport sys  # noqa\nimport re  # noqa\nx = f()  # type: ignore\n")
            .unwrap(),
        "`a.py`, line 2: `import sys  # noqa` hides a finding (`noqa`), and so do 2 more that come in. Fix what is found \
         instead of hiding it; where the finding itself is wrong, tell the user, who decides whether it is suppressed."
    );
    let long = format!("x = '{}'  # noqa", "ä".repeat(200));
    let reason = place.edit("import os", &format!("{long}\nimport os")).unwrap();
    assert!(
        reason.starts_with(&format!("`a.py`, line 1: `x = '{} …` hides ", "ä".repeat(115))),
        "{reason}"
    );
}

#[test]
fn a_mark_that_passes_with_a_reason_asks_for_one() {
    let reason = TestProject::new("a.rs", "").write("#[expect(unused)]").unwrap();
    assert!(
        reason.ends_with("It passes with a `reason = \"…\"` that says why it is not to be fixed."),
        "{reason}"
    );
    let reason = TestProject::new("a.ts", "").write("// @ts-expect-error").unwrap();
    assert!(
        reason.ends_with("It passes with a few words behind it that say why it is not to be fixed."),
        "{reason}"
    );
}

#[test]
fn an_edit_that_cannot_be_made_here_is_judged_by_its_own_texts() {
    let place = TestProject::new("a.py", "x = “a”\n");
    let reason = place.edit("x = \"a\"", "x = \"a\"  # noqa").unwrap();
    assert!(reason.starts_with("`a.py`, line 1 of the new text: "), "{reason}");
    assert_eq!(place.edit("y = 1  # noqa", "y = 2  # noqa"), None);
}

#[test]
fn a_file_that_is_not_text_counts_as_empty() {
    let place = TestProject::new("a.py", "");
    fs::write(place.folder.path().join("a.py"), b"\xff # noqa").unwrap();
    assert!(place.write("# noqa").is_some());
}

#[test]
fn cells_of_notebooks_are_compared_with_what_they_held() {
    let notebook = r##"{"cells":[
        {"id":"a","cell_type":"code","source":["import os  # noqa\n","x = 1"]},
        {"id":"b","cell_type":"code","source":"x = 1"}
    ]}"##;
    let place = TestProject::new("a.ipynb", notebook);
    assert_eq!(place.cell(Some("a"), "import os  # noqa", |_| {}), None);
    let reason = place.cell(Some("b"), "x = 1\nimport os  # noqa", |_| {}).unwrap();
    assert!(
        reason.starts_with("`a.ipynb`, line 2 of the cell: `import os  # noqa` hides "),
        "{reason}"
    );
    assert_eq!(place.cell(Some("cell-0"), "import os  # noqa", |_| {}), None);
    assert!(place.cell(Some("cell-1"), "import os  # noqa", |_| {}).is_some());
    let inserted = |edit: &mut NotebookEdit| edit.edit_mode = Some(CellEdit::Insert);
    assert!(place.cell(Some("a"), "import os  # noqa", inserted).is_some());
    assert_eq!(
        place.cell(Some("b"), "# noqa", |edit| edit.cell_type = Some(CellType::Markdown)),
        None
    );
    assert_eq!(
        place.cell(Some("b"), "# noqa", |edit| edit.edit_mode = Some(CellEdit::Delete)),
        None
    );
    fs::write(place.folder.path().join("a.ipynb"), "no JSON").unwrap();
    assert!(place.cell(Some("a"), "import os  # noqa", |_| {}).is_some());
}

#[test]
fn an_attribute_is_looked_at_to_its_end() {
    let long = |inner: &str| format!("#[cfg_attr(ä, {inner}allow(dead_code))]");
    let ended = "#[cfg_attr(ä, warn(x))] f(allow(dead_code))";
    check("a.rs", &[&long(&"ä, ".repeat(4_000)), &long("f(x), ")], &[ended, "#[ä"]);
}

#[test]
fn a_line_of_any_length_is_gone_through_a_few_times() {
    for part in [
        "# [ ", "#[cfg_attr(a, ", "#[allow(a)] ", "#[expect(", "#[cfg_attr(a, expect(",
    ] {
        let most = soak::size(20_000, 500_000);
        let text = part.repeat(most / part.len());
        let read = |before: &str| {
            let (mut texts, rust) = (Texts::default(), language::of(Path::new("a.rs")).unwrap());
            texts.before = before.into();
            texts.after = format!("{text}{part}").into();
            READ.set(0);
            added(&texts, rust);
            READ.get()
        };
        for before in ["", &text] {
            let times = read(before) / text.len();
            assert!(times < 20, "{part}: {times} times");
        }
    }
}
