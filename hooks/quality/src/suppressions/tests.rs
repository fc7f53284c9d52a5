//! Tests of denied edits and of edits that pass, for each language.

use std::fs;

use hookkit::tool::{Edit, Write};

use super::*;
use crate::soak;
use crate::source::tests::READ;
use test_support::Has;

/// A project with one file in it.
struct TestProject<'t> {
    folder: tempfile::TempDir,
    file: &'t str,
}

impl<'t> TestProject<'t> {
    fn new(file: &'t str, before: &str) -> Self {
        let place = Self { folder: test_support::folder(), file };
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
        let language = Language::of(change.path())?;
        let found = texts.as_ref().map(|texts| added(texts, language)).unwrap_or_default();
        let reason = found.first().map(|first| reason(Path::new(self.file), &texts.unwrap(), first, found.len() - 1));
        let answer = forbid_suppressions(PreToolUse::new(tool, change), Context::default());
        assert_eq!(answer.is_none(), reason.is_none());
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

/// Returns `true` if a change from one text to another is denied.
fn denies(file: &str, before: &str, after: &str) -> bool {
    TestProject::new(file, before).write(after).is_some()
}

/// Returns the outcome of adding a text to an empty file. For a denied text, also checks that it may stay and be
/// removed.
fn outcome(file: &str, text: &str) -> &'static str {
    match denies(file, "", text) {
        false => "pass",
        true if denies(file, text, text) => "deny, where it was",
        true if denies(file, text, "") => "deny, where it goes",
        true => "deny",
    }
}

#[test]
fn a_mark_that_comes_in_is_denied_and_one_that_stays_or_goes_is_not() {
    test_support::lines!("lines/forbid-suppressions.txt").check(|section, text| outcome(section.name, text).into());
}

#[test]
fn an_edit_is_seen_in_its_file() {
    // Half of a mark comes in next to the other half.
    let place = TestProject::new("a.py", "import os  # no\nx = '''\nhere\n'''\n");
    assert!(place.edit("# no", "# noqa").is_some());
    // So does the inside of a string.
    assert_eq!(place.edit("here", "# noqa"), None);
}

#[test]
fn what_was_there_may_stay_change_and_move() {
    let place = TestProject::new("a.py", "import os  # noqa\n\nx = 1\n");
    assert_eq!(place.edit("import os  # noqa", "import os, sys  # noqa"), None);
    assert_eq!(place.edit("import os  # noqa", "import os  # noqa: F401"), None);
    assert_eq!(place.write("x = 1\n\nimport os  # noqa\n"), None);
    assert!(place.edit("x = 1", "x = 1  # noqa").is_some());
    assert!(place.edit("import os  # noqa", "import os  # type: ignore").is_some(), "of another kind");
}

#[test]
fn a_replacement_at_several_places_counts_at_each() {
    let place = TestProject::new("a.py", "f(1)\nf(2)\n");
    let mut edit = Edit::default();
    edit.old_string = "f(".to_owned();
    edit.new_string = "# noqa\nf(".to_owned();
    edit.replace_all = true;
    let reason = place.answer("Edit", edit.into()).unwrap();
    assert!(reason.contains(", as does one more new suppression. "), "{reason}");
}

#[test]
fn the_reason_names_the_line_that_comes_in() {
    let place = TestProject::new("a.py", "import os  # noqa\n");
    assert_eq!(
        place.write("import os  # noqa\nimport sys  # noqa\nimport re  # noqa\nx = f()  # type: ignore\n").unwrap(),
        "`a.py`, line 2: `import sys  # noqa` hides a finding (`noqa`), as do 2 more new suppressions. Fix the finding \
         instead of hiding it. If it is wrong, ask the user, who decides whether it is suppressed."
    );
    let long = format!("x = '{}'  # noqa", "ä".repeat(200));
    let reason = place.edit("import os", &format!("{long}\nimport os")).unwrap();
    reason.starts(&format!("`a.py`, line 1: `x = '{} …` hides ", "ä".repeat(115)));
}

#[test]
fn a_mark_that_passes_with_a_reason_asks_for_one() {
    let reason = TestProject::new("a.rs", "").write("#[expect(unused)]").unwrap();
    reason.ends("The suppression passes with a `reason = \"…\"` for not fixing it.");
    let reason = TestProject::new("a.ts", "").write("// @ts-expect-error").unwrap();
    reason.ends("The suppression passes if a few words after it say why it is not fixed.");
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
    reason.starts("`a.ipynb`, line 2 of the cell: `import os  # noqa` hides ");
    assert_eq!(place.cell(Some("cell-0"), "import os  # noqa", |_| {}), None);
    assert!(place.cell(Some("cell-1"), "import os  # noqa", |_| {}).is_some());
    let inserted = |edit: &mut NotebookEdit| edit.edit_mode = Some(CellEdit::Insert);
    assert!(place.cell(Some("a"), "import os  # noqa", inserted).is_some());
    let found = place.cell(Some("b"), "# noqa", |edit| edit.cell_type = Some(CellType::Markdown));
    assert_eq!(found, None);
    let found = place.cell(Some("b"), "# noqa", |edit| edit.edit_mode = Some(CellEdit::Delete));
    assert_eq!(found, None);
    fs::write(place.folder.path().join("a.ipynb"), "no JSON").unwrap();
    assert!(place.cell(Some("a"), "import os  # noqa", |_| {}).is_some());
}

#[test]
fn an_attribute_is_looked_at_to_its_end() {
    let long = |inner: &str| format!("#[cfg_attr(ä, {inner}allow(dead_code))]");
    let ended = "#[cfg_attr(ä, warn(x))] f(allow(dead_code))";
    for text in [long(&"ä, ".repeat(4_000)), long("f(x), ")] {
        assert_eq!(outcome("a.rs", &text), "deny");
    }
    for text in [ended, "#[ä"] {
        assert_eq!(outcome("a.rs", text), "pass");
    }
}

#[test]
fn a_line_of_any_length_is_gone_through_a_few_times() {
    for part in ["# [ ", "#[cfg_attr(a, ", "#[allow(a)] ", "#[expect(", "#[cfg_attr(a, expect("] {
        let most = soak::size(20_000, 500_000);
        let text = part.repeat(most / part.len());
        let read = |before: &str| {
            let (mut texts, rust) = (Texts::default(), Language::of(Path::new("a.rs")).unwrap());
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
