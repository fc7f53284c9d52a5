//! Tests of edits that the user is asked about and edits that pass, for each language.

use std::fs;

use hookkit::tool::{Edit, Write};

use super::*;

#[test]
fn an_edit_by_which_tests_check_less_is_asked_about() {
    test_support::lines!("lines/keep-tests.txt").check_inputs(|section, inputs| {
        let folder = test_support::folder();
        section.write(folder.path(), "");
        let (file, _) = section.words("files")[0].split_once('=').unwrap();
        let mut write = Write::default();
        write.file_path = folder.path().join(file);
        let before = fs::read_to_string(&write.file_path).unwrap();
        assert!(before.contains(inputs[0]), "{file}: {inputs:?}");
        write.content = before.replacen(inputs[0], inputs[1], 1);
        lost(&write.into(), &Context::default()).unwrap_or_else(|| "pass".into())
    });
}

#[test]
fn a_new_file_passes_and_an_edit_is_counted_in_the_whole_file() {
    let folder = test_support::folder();
    let path = folder.path().join("tests/a.rs");
    let mut write = Write::default();
    write.file_path.clone_from(&path);
    write.content = "#[ignore]\n#[test]\nfn a() {}\n".to_owned();
    let answer = keep_tests(PreToolUse::new("Write", write.into()), Context::default());
    assert_eq!(answer, None);

    fs::create_dir(folder.path().join("tests")).unwrap();
    fs::write(&path, "#[test]\nfn a() {\n    assert_eq!(f(), 1);\n    assert!(g());\n}\n").unwrap();
    let mut edit = Edit::default();
    edit.file_path = path;
    edit.old_string = "    assert!(g());\n".to_owned();
    let answer = |new: &str| {
        let mut edit = edit.clone();
        edit.new_string = new.to_owned();
        keep_tests(PreToolUse::new("Edit", edit.into()), Context::default())
    };
    assert_ne!(answer(""), None);
    assert_eq!(answer("    assert!(h());\n"), None);
}
