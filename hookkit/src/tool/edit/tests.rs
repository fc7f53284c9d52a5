use super::*;
use crate::json::Deserializer;
use crate::soak;

fn edit(old: &str, new: &str) -> Edit {
    Edit {
        old_string: old.to_owned(),
        new_string: new.to_owned(),
        ..Edit::default()
    }
}

fn edit_all(old: &str, new: &str) -> Edit {
    Edit {
        replace_all: true,
        ..edit(old, new)
    }
}

#[test]
fn an_edit_has_the_same_result_as_in_the_client() {
    // Each was observed in the client: the text, the edit and the result.
    for (text, edit, after) in [
        ("one\ntwo\n", edit("two", "x  \ny  "), "one\nx  \ny  \n"),
        ("one\n", edit("one", "$& $1 $$"), "$& $1 $$\n"),
        ("\u{feff}one\ntwo\n", edit("two", "x"), "\u{feff}one\nx\n"),
        ("one two two\n", edit_all("two", "3"), "one 3 3\n"),
        // Matches do not overlap.
        ("aaa\n", edit("aa", "b"), "ba\n"),
        ("aaa aaaa\n", edit_all("aa", "b"), "ba bb\n"),
        // Line endings.
        (
            "one\r\ntwo\r\nthree\r\n",
            edit("one\ntwo", "x\ny\nz"),
            "x\r\ny\r\nz\r\nthree\r\n",
        ),
        ("one\r\ntwo\r\n", edit("two", "x\r\ny\nz"), "one\r\nx\r\ny\r\nz\r\n"),
        ("one\ntwo\n", edit("two", "x\r\ny"), "one\nx\r\ny\n"),
        ("one\r\ntwo\nthree\n", edit("two", "x"), "one\nx\nthree\n"),
        ("one\r\ntwo\r\nthree\n", edit("two", "x"), "one\r\nx\r\nthree\r\n"),
        ("one\r\ntwo\n", edit("two", "x"), "one\nx\n"),
        ("one\rtwo\nx\n", edit("two", "x"), "one\rx\nx\n"),
        // The line ending is removed with its text.
        ("one\ntwo\nthree\n", edit("two", ""), "one\nthree\n"),
        ("one two three\ntwo\n", edit_all("two", ""), "one two three\n"),
        ("two\nthree two", edit_all("two", ""), "three two"),
        ("x two", edit(" two", ""), "x"),
        ("aaa\n", edit("aa", ""), "a"),
        ("aaa\naa", edit_all("aa", ""), "aaa"),
        ("one\ntwo\n\nthree\n", edit("two\n", ""), "one\n\nthree\n"),
        // An empty file is filled.
        ("", edit("", "x\n"), "x\n"),
        (" \n\t\n", edit("", "x\n"), "x\n"),
    ] {
        assert_eq!(edit.apply(text).as_deref(), Ok(after), "{text:?} {edit:?}");
    }
}

#[test]
fn line_endings_are_counted_in_the_first_4096_units() {
    let text = |first: &str, count: usize| format!("{}{}two\n", first.repeat(count), "\r\n".repeat(6_000));
    let is_crlf = |text: &str| edit("two", "x").apply(text).unwrap().contains('\r');
    // Each was observed in the client.
    for (text, expected) in [
        (text("a\n", 1_000), true),
        (text("a\n", 1_023), true),
        (text("a\n", 1_024), false),
        (text("a\n", 1_030), false),
        (text("\u{e9}\n", 1_023), true),
    ] {
        assert_eq!(is_crlf(&text), expected);
    }
    // A character of two units, of which only the first is counted.
    assert!(is_crlf(&format!("{}\u{1f980}\ntwo", "a\r\n".repeat(1_365))));
}

#[test]
fn a_byte_order_mark_is_kept() {
    for (text, edit, after) in [
        ("\u{feff}", edit("", "x"), "\u{feff}x"),
        ("\u{feff}one two", edit("one", "\u{feff}x"), "\u{feff}\u{feff}x two"),
        ("\u{feff}\u{feff}one", edit("one", "x"), "\u{feff}\u{feff}x"),
        ("\u{feff}one\r\ntwo\r\n", edit("one", "x"), "\u{feff}x\r\ntwo\r\n"),
    ] {
        assert_eq!(edit.apply(text).as_deref(), Ok(after), "{text:?}");
    }
    let late = format!("{}\0 two", "a".repeat(8 << 10));
    assert!(edit("two", "x").apply(&late).is_ok());
}

#[test]
fn an_edit_that_the_client_refuses_is_an_error() {
    for (text, edit, why) in [
        ("one", edit("one", "one"), NoEdit::Unchanged),
        ("one", edit("", ""), NoEdit::Unchanged),
        ("one", edit("zzz", "x"), NoEdit::NotFound),
        ("", edit("zzz", "x"), NoEdit::NotFound),
        ("one\r\ntwo\r\n", edit("one\r\ntwo", "x"), NoEdit::NotFound),
        ("two two two", edit("two", "x"), NoEdit::Ambiguous(3)),
        ("two\ntwo", edit("two", ""), NoEdit::Ambiguous(2)),
        ("one", edit("", "x"), NoEdit::NotEmpty),
        ("\u{feff}one", edit("\u{feff}one", "x"), NoEdit::NotFound),
        ("a\0b two", edit("two", "x"), NoEdit::NotText),
    ] {
        assert_eq!(edit.apply(text), Err(why), "{text:?} {edit:?}");
    }
}

/// Random texts: one occurrence is replaced, and nothing else changes.
#[test]
fn the_rest_of_the_text_is_kept() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut text = |alphabet: &[&str], most: usize| -> String {
        let count = random.usize(..=most);
        (0..count).map(|_| alphabet[random.usize(..alphabet.len())]).collect()
    };
    let (mut made, mut none) = (0, 0);
    for _ in soak::rounds(2_000, 20_000) {
        let (file, old, new) = (
            text(&["a", "b", "\n", "\u{1f980}"], 10),
            text(&["a", "b", "\n"], 3),
            text(&["b", "c", "\n"], 3),
        );
        match edit(&old, &new).apply(&file) {
            Ok(after) => {
                made += 1;
                let Some((head, tail)) = file.split_once(&old).filter(|_| !old.is_empty()) else {
                    assert_eq!(after, new);
                    continue;
                };
                // If matches overlap, the line ending decides which of them is replaced.
                let places = file.char_indices().filter(|(at, _)| file[*at..].starts_with(&old));
                if places.count() > file.matches(&old).count() {
                    continue;
                }
                let tail = match tail.strip_prefix('\n') {
                    Some(tail) if new.is_empty() && !old.ends_with('\n') => tail,
                    _ => tail,
                };
                assert_eq!(after, format!("{head}{new}{tail}"), "{file:?} {old:?} {new:?}");
            }
            Err(_) => none += 1,
        }
    }
    let least = soak::size(200, 2_000);
    assert!(made > least && none > least, "{made} {none}");
}

fn change(tool: &str, input: &str) -> Result<TextChange, String> {
    TextChange::from_call(tool, Deserializer::new(input.as_bytes())).map_err(|err| err.to_string())
}

#[test]
fn a_change_is_decoded_by_the_name_of_its_tool() {
    for (tool, input, path, added, removed) in [
        (
            "Write",
            r#"{"file_path":"/a","content":"new","later":1}"#,
            "/a",
            "new",
            None,
        ),
        (
            "Edit",
            r#"{"file_path":"/a","old_string":"old","new_string":"new","replace_all":null}"#,
            "/a",
            "new",
            Some("old"),
        ),
        (
            "NotebookEdit",
            r#"{"notebook_path":"/a.ipynb","cell_id":"c1","new_source":"new"}"#,
            "/a.ipynb",
            "new",
            None,
        ),
        (
            "NotebookEdit",
            r#"{"notebook_path":"/a.ipynb","new_source":"gone","edit_mode":"delete"}"#,
            "/a.ipynb",
            "",
            None,
        ),
    ] {
        let change = change(tool, input).unwrap();
        assert_eq!(
            (change.path().to_str(), change.added_text(), change.removed_text()),
            (Some(path), added, removed)
        );
    }
}

#[test]
fn an_input_that_is_not_a_change_is_an_error() {
    for (tool, input) in [
        ("Write", "{}"),
        ("Edit", "null"),
        ("Edit", r#""text""#),
        ("Write", r#"{"file_path":"/a"}"#),
        ("Edit", r#"{"file_path":"/a","old_string":"x"}"#),
        ("Write", r#"{"file_path":"/a","content":1}"#),
        ("Read", r#"{"file_path":"/a"}"#),
    ] {
        assert!(change(tool, input).is_err(), "{tool} {input}");
    }
}

#[test]
fn the_text_after_an_edit_is_that_of_the_file() {
    let folder = test_support::folder();
    let context = Context {
        cwd: folder.path().to_owned(),
        ..Context::default()
    };
    let at = |path: &str, edit: Edit| {
        TextChange::from(Edit {
            file_path: path.into(),
            ..edit
        })
    };
    let after = |change: &TextChange| change.text_after(&context).map(Cow::into_owned);

    let change = at("sub/../a.txt", edit("two", "2"));
    assert_eq!(change.text_before(&context), Ok(None));
    assert_eq!(after(&change), Err(NoEdit::NoFile));
    assert_eq!(after(&at("a.txt", edit("", "new"))).as_deref(), Ok("new"));
    fs::write(folder.path().join("a.txt"), "one two").unwrap();
    assert_eq!(change.text_before(&context).unwrap().as_deref(), Some("one two"));
    assert_eq!(after(&change).as_deref(), Ok("one 2"));
    // The same edit fails if the file is not empty.
    assert_eq!(after(&at("a.txt", edit("", "new"))), Err(NoEdit::NotEmpty));

    let utf16: Vec<u8> = "\u{feff}two \u{1f980}"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    fs::write(folder.path().join("a.txt"), &utf16).unwrap();
    assert_eq!(after(&change).as_deref(), Ok("\u{feff}2 \u{1f980}"));
    fs::write(folder.path().join("a.txt"), &utf16[..utf16.len() - 1]).unwrap();
    assert_eq!(after(&change), Err(NoEdit::NotText));
    fs::write(folder.path().join("a.txt"), b"caf\xe9 two").unwrap();
    assert_eq!(after(&change), Err(NoEdit::NotText));
    assert!(matches!(after(&at(".", edit("a", "b"))), Err(NoEdit::Unreadable(_))));
    assert!(matches!(after(&at("a\0", edit("a", "b"))), Err(NoEdit::Unreadable(_))));
    // A sparse file: it takes no space on disk.
    File::create(folder.path().join("long"))
        .and_then(|file| file.set_len(MAX_SIZE + 1))
        .unwrap();
    assert!(matches!(after(&at("long", edit("a", "b"))), Err(NoEdit::Unreadable(_))));

    let write = TextChange::from(Write {
        file_path: "a.txt".into(),
        content: "all".to_owned(),
    });
    assert!(matches!(write.text_after(&context), Ok(Cow::Borrowed("all"))));
    assert_eq!(after(&NotebookEdit::default().into()), Err(NoEdit::Notebook));
    assert_eq!(
        Error::from(NoEdit::Ambiguous(2)).to_string(),
        "`old_string` occurs 2 times in the file"
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_opened() {
    let folder = test_support::folder();
    let pipe = folder.path().join("pipe");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let mut edit = edit("a", "b");
    edit.file_path = pipe;
    let after = TextChange::from(edit)
        .text_after(&Context::default())
        .map(Cow::into_owned);
    assert_eq!(
        after,
        Err(NoEdit::Unreadable("it is a folder, a pipe or a device".to_owned()))
    );
}
