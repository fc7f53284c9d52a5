//! Edits that are asked about and edits that pass, language by language.

use std::fs;

use hookkit::tool::{Edit, Write};

use super::*;

const RUST: &str =
    "fn f() {}\n#[test]\nfn a() {\n    assert_eq!(f(), 1);\n    assert!(g());\n}\n#[test]\nfn b() { assert!(true); }\n";
const PYTHON: &str = "def test_a():\n    assert f() == 1\n    with pytest.raises(E):\n        g()\n";
const JAVASCRIPT: &str = "describe('x', () => {\n  it('a', () => { expect(f()).toBe(1); });\n  test('b', () => { expect(g()).toBe(2); });\n});\n";
const GO: &str =
    "func TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Errorf(\"x\")\n\t}\n\trequire.NoError(t, g())\n}\n";
const JAVA: &str = "class ATest {\n  @Test void a() { assertEquals(1, f()); verify(m).g(); }\n}\n";
const RUBY: &str = "describe 'x' do\n  it 'a' do\n    expect(f).to eq 1\n  end\nend\n";

fn reason(file: &str, before: &str, after: &str) -> Option<String> {
    let folder = test_support::folder();
    let path = folder.path().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, before).unwrap();
    let mut write = Write::default();
    write.file_path.clone_from(&path);
    write.content = after.to_owned();
    lost(&write.into(), &Context::default())
}

#[test]
fn a_test_that_goes_is_skipped_or_checks_less_is_asked_about() {
    for (file, text, from, to, lost) in [
        ("src/a.rs", RUST, "#[test]\nfn b", "fn b", "has 1 test where it had 2"),
        (
            "src/a.rs", RUST, "#[test]\nfn b", "#[ignore]\n#[test]\nfn b", "skips 1 where it skipped 0",
        ),
        (
            "src/a.rs", RUST, "    assert!(g());\n", "", "has 1 assertion where it had 2",
        ),
        (
            "src/a.rs", RUST, "assert!(g())", "assert!(true)", "has 1 assertion where it had 2",
        ),
        (
            "src/a.rs", RUST, "    assert!(g());\n", "    // assert!(g());\n", "has 1 assertion where it had 2",
        ),
        ("src/a.rs", RUST, RUST, "fn f() {}\n", "has 0 tests where it had 2"),
        (
            "test_a.py", PYTHON, "def test_a", "@pytest.mark.skip\ndef test_a", "skips 1 where it skipped 0",
        ),
        (
            "test_a.py", PYTHON, "def test_a", "def no_test_a", "has 0 tests where it had 1",
        ),
        (
            "test_a.py", PYTHON, "assert f() == 1", "f()", "has 1 assertion where it had 2",
        ),
        (
            "a.test.ts", JAVASCRIPT, "it('a'", "it.skip('a'", "skips 1 where it skipped 0",
        ),
        (
            "a.test.ts", JAVASCRIPT, "it('a'", "it.only('a'", "skips 1 where it skipped 0",
        ),
        (
            "a.test.ts", JAVASCRIPT, "it('a'", "xit('a'", "has 1 test where it had 2",
        ),
        (
            "a.test.ts", JAVASCRIPT, "expect(g()).toBe(2)", "expect(true).toBe(true)", "has 1 assertion where it had 2",
        ),
        (
            "a_test.go", GO, "{\n\tif", "{\n\tt.Skip()\n\tif", "skips 1 where it skipped 0",
        ),
        (
            "a_test.go", GO, "\trequire.NoError(t, g())\n", "", "has 1 assertion where it had 2",
        ),
        (
            "ATest.java", JAVA, "@Test void", "@Disabled @Test void", "skips 1 where it skipped 0",
        ),
        ("ATest.java", JAVA, "@Test void", "void", "has 0 tests where it had 1"),
        ("a_spec.rb", RUBY, "it 'a'", "xit 'a'", "has 0 tests where it had 1"),
        (
            "a_spec.rb", RUBY, "    expect(f).to eq 1\n", "", "has 0 assertions where it had 1",
        ),
    ] {
        assert!(text.contains(from), "{file}: {from}");
        let found = reason(file, text, &text.replacen(from, to, 1));
        assert_eq!(found.as_deref(), Some(lost), "{file}: {from} -> {to}");
    }
}

#[test]
fn edits_that_check_as_much_pass() {
    for (file, text, from, to) in [
        ("src/a.rs", RUST, "fn f() {}", "fn f() { let x = \"#[ignore]\"; }"),
        ("src/a.rs", RUST, "assert!(true)", ""),
        ("src/a.rs", RUST, "assert!(g());", "assert!(g());\n    assert!(h());"),
        ("test_a.py", PYTHON, "f() == 1", "f() == 2"),
        ("a.test.ts", JAVASCRIPT, "f()", "h()"),
        // Production code.
        ("src/a.py", "assert x\nassert y\n", "assert y\n", ""),
        ("src/a.js", "expect(x)\n", "expect(x)\n", ""),
        ("notes.txt", "assert\n", "assert\n", ""),
    ] {
        assert!(text.contains(from), "{file}: {from}");
        assert_eq!(
            reason(file, text, &text.replacen(from, to, 1)),
            None,
            "{file}: {from} -> {to}"
        );
    }
}

#[test]
fn a_new_file_passes_and_an_edit_is_counted_in_the_whole_file() {
    let folder = test_support::folder();
    let path = folder.path().join("tests/a.rs");
    let mut write = Write::default();
    write.file_path.clone_from(&path);
    write.content = "#[ignore]\n#[test]\nfn a() {}\n".to_owned();
    let answer = keep_tests(PreToolUse::new("Write", write.into()), Context::default());
    assert_eq!(answer, PreToolUseAnswer::pass());

    fs::create_dir(folder.path().join("tests")).unwrap();
    fs::write(&path, RUST).unwrap();
    let mut edit = Edit::default();
    edit.file_path = path;
    edit.old_string = "    assert!(g());\n".to_owned();
    let answer = |new: &str| {
        let mut edit = edit.clone();
        edit.new_string = new.to_owned();
        keep_tests(PreToolUse::new("Edit", edit.into()), Context::default())
    };
    assert_ne!(answer(""), PreToolUseAnswer::pass());
    assert_eq!(answer("    assert!(h());\n"), PreToolUseAnswer::pass());
}
