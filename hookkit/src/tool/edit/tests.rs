use std::fs;

use super::*;
use crate::json::Deserializer;
use crate::soak;

fn edit(old: &str, new: &str) -> Edit {
    Edit { old_string: old.to_owned(), new_string: new.to_owned(), ..Edit::default() }
}

fn edit_all(old: &str, new: &str) -> Edit {
    Edit { replace_all: true, ..edit(old, new) }
}

#[test]
fn an_edit_has_the_same_result_as_in_the_client() {
    test_support::lines!("lines/edits.txt").check_inputs(|section, inputs| {
        let edit = match section.name {
            "all occurrences are replaced" => edit_all(inputs[1], inputs[2]),
            _ => edit(inputs[1], inputs[2]),
        };
        let after = edit.apply(inputs[0]);
        after.unwrap_or_else(|error| format!("{error:?}"))
    });
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
    // Only the first of the character's two units is counted.
    assert!(is_crlf(&format!("{}\u{1f980}\ntwo", "a\r\n".repeat(1_365))));
}

#[test]
fn a_nul_byte_after_the_first_8192_bytes_is_text() {
    let late = format!("{}\0 two", "a".repeat(8 << 10));
    assert!(edit("two", "x").apply(&late).is_ok());
}

/// In random texts, one occurrence is replaced and nothing else changes.
#[test]
fn the_rest_of_the_text_is_kept() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut text = |alphabet: &[&str], most: usize| -> String {
        let count = random.usize(..=most);
        (0..count).map(|_| alphabet[random.usize(..alphabet.len())]).collect()
    };
    let (mut made, mut none) = (0, 0);
    for _ in soak::rounds(2_000, 20_000) {
        let (file, old, new) =
            (text(&["a", "b", "\n", "\u{1f980}"], 10), text(&["a", "b", "\n"], 3), text(&["b", "c", "\n"], 3));
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
    test_support::lines!("lines/changes.txt").check(|section, input| {
        let Ok(change) = change(section.name, input) else {
            return "error".into();
        };
        let (path, removed) = (change.path().display(), change.removed_text().unwrap_or("-"));
        format!("{path}\t{}\t{removed}", change.added_text())
    });
}

#[test]
fn the_text_after_an_edit_is_that_of_the_file() {
    let folder = test_support::folder();
    let context = Context { cwd: folder.path().to_owned(), ..Context::default() };
    let at = |path: &str, edit: Edit| TextChange::from(Edit { file_path: path.into(), ..edit });
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

    let utf16: Vec<u8> = "\u{feff}two \u{1f980}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(folder.path().join("a.txt"), &utf16).unwrap();
    assert_eq!(after(&change).as_deref(), Ok("\u{feff}2 \u{1f980}"));
    fs::write(folder.path().join("a.txt"), &utf16[..utf16.len() - 1]).unwrap();
    assert_eq!(after(&change), Err(NoEdit::NotText));
    fs::write(folder.path().join("a.txt"), b"caf\xe9 two").unwrap();
    assert_eq!(after(&change), Err(NoEdit::NotText));
    assert!(matches!(after(&at(".", edit("a", "b"))), Err(NoEdit::Unreadable(_))));
    assert!(matches!(after(&at("a\0", edit("a", "b"))), Err(NoEdit::Unreadable(_))));
    // A sparse file: it takes no space on disk.
    fs::File::create(folder.path().join("long")).and_then(|file| file.set_len(MAX_SIZE + 1)).unwrap();
    assert!(matches!(after(&at("long", edit("a", "b"))), Err(NoEdit::Unreadable(_))));

    let write = TextChange::from(Write { file_path: "a.txt".into(), content: "all".to_owned() });
    assert!(matches!(write.text_after(&context), Ok(Cow::Borrowed("all"))));
    assert_eq!(after(&NotebookEdit::default().into()), Err(NoEdit::Notebook));
    let expected = "`old_string` occurs 2 times in the file";
    assert_eq!(Error::from(NoEdit::Ambiguous(2)).to_string(), expected);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_opened() {
    let folder = test_support::folder();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut edit = edit("a", "b");
    edit.file_path = pipe;
    let after = TextChange::from(edit).text_after(&Context::default()).map(Cow::into_owned);
    let expected = Err(NoEdit::Unreadable("it is not a file, but a folder, a pipe or a device".to_owned()));
    assert_eq!(after, expected);
}
