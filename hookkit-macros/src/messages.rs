//! Tests of the errors that the macros report: the text of each, and the place it points at.
//!
//! Each file of `tests/messages` has one mistake, and the `.stderr` file next to it is what rustc prints for it.
//! The tests expand the macros of a file and render their errors as rustc does, without running rustc.
//! They do the same with those files of `tests/ui` in `hookkit` that have only errors of the macros: there, the
//! `.stderr` file comes from rustc itself, which proves the renderer right.

mod expansion;
mod render;

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::Span;

/// Folder of the mistakes that only the tests below check.
const MESSAGES: &str = "tests/messages";
/// Folder of the mistakes that rustc compiles.
const UI: &str = "../hookkit/tests/ui";

#[test]
fn errors_are_the_recorded_ones() {
    let overwrite = std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite");
    let files = rust_files(MESSAGES);
    let faults: String = files
        .iter()
        .map(|file| fault(file, "tests/messages", overwrite))
        .collect();
    assert!(
        faults.is_empty(),
        "\n{faults}To record what is printed now: SNAPSHOTS=overwrite cargo test -p hookkit-macros"
    );
}

#[test]
fn errors_are_rendered_as_rustc_does() {
    let mut files = rust_files(UI);
    files.retain(|file| !has_code(file));
    assert!(!files.is_empty(), "no file of {UI} has only errors of the macros");
    let faults: String = files.iter().map(|file| fault(file, "tests/ui", false)).collect();
    assert!(
        faults.is_empty(),
        "\n{faults}To record what rustc prints now: TRYBUILD=overwrite cargo test -p hookkit --test ui"
    );
}

/// The fix of each mistake in [`MESSAGES`], a line each: the file, the text that is replaced, and the one in its place,
/// with a tab between them. `§` means a line break.
const FIXES: &str = include_str!("../tests/messages/fixes.tsv");

#[test]
fn each_error_offers_a_fix_that_works() {
    let fix_of = |file: &Path| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let rows = FIXES.lines().map(|row| row.split('\t').collect::<Vec<_>>());
        rows.into_iter().find(|row| row[0] == name)
    };
    let files = rust_files(MESSAGES);
    let expected = files.len();
    assert_eq!(FIXES.lines().count(), expected, "a file without a fix, or the reverse");
    let mut faults = String::new();
    for file in files {
        let path = file.display();
        let source = fs::read_to_string(&file).unwrap();
        let Some([_, mistake, fix]) = fix_of(&file).as_deref().map(|row| [row[0], row[1], row[2]]) else {
            panic!("{path}: no fix");
        };
        let (mistake, fix) = (mistake.replace('§', "\n"), fix.replace('§', "\n"));
        let fixed = source.replacen(&mistake, &fix, 1);
        assert_ne!(source, fixed, "{path}");
        for error in expansion::errors(&source.parse().unwrap()).unwrap() {
            let mut offered = offered(&error.message).into_iter().peekable();
            if offered.peek().is_some() && !offered.any(|offered| fixed.contains(&offered)) {
                faults.push_str(&format!("{path}: not the fix of {}\n", error.message));
            }
        }
        for error in expansion::errors(&fixed.parse().unwrap()).unwrap() {
            faults.push_str(&format!("{path}: with `{fix}`: {}\n", error.message));
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// The texts that an error says to write, one of which will do.
fn offered(message: &str) -> Vec<String> {
    let offers = [
        "write `", "did you mean `", "without quotes: `", "as in settings.json: `", "It is `",
    ];
    let texts = offers.iter().flat_map(|offer| message.split(offer).skip(1));
    let texts = texts.filter_map(|rest| rest.split('`').next());
    // What follows is how to keep what is there, or a pattern.
    let texts = texts.filter(|text| !text.contains('…'));
    texts.map(str::to_owned).collect()
}

/// Returns the Rust files in a folder, sorted.
fn rust_files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    files.sort();
    files
}

/// Returns true if an error recorded for `file` has a code, as only rustc's own errors have.
fn has_code(file: &Path) -> bool {
    let recorded = fs::read_to_string(file.with_extension("stderr"));
    recorded.is_ok_and(|recorded| recorded.contains("error["))
}

/// Compares the errors of `file`, shown as a file of `folder`, with its `.stderr` file, and returns a report, which is
/// empty if they are equal. `overwrite` writes the `.stderr` file first.
fn fault(file: &Path, folder: &str, overwrite: bool) -> String {
    let path = file.display();
    let stderr = file.with_extension("stderr");
    let printed = match printed(file, folder) {
        Ok(printed) => printed,
        Err(err) => return format!("{path}: {err}\n\n"),
    };
    if overwrite {
        fs::write(&stderr, &printed).unwrap();
    }
    match fs::read_to_string(&stderr) {
        Ok(recorded) if recorded == printed => String::new(),
        Ok(recorded) => format!(
            "{path}: (- recorded, + printed now)\n\n{}\n",
            difference(&recorded, &printed)
        ),
        Err(err) => format!("{}: {err}; printed now:\n\n{printed}\n", stderr.display()),
    }
}

/// Renders the errors of `file`, shown as a file of `folder`.
fn printed(file: &Path, folder: &str) -> syn::Result<String> {
    let source = fs::read_to_string(file).unwrap();
    let name = format!("{folder}/{}", file.file_name().unwrap_or_default().display());
    let errors = expansion::errors(&source.parse()?)?;
    if errors.is_empty() {
        return Err(syn::Error::new(Span::call_site(), "no error is reported"));
    }
    let errors = errors.iter().map(|error| render::error(error, &name, &source));
    Ok(errors.collect::<Vec<String>>().join("\n"))
}

/// Returns the lines of both texts, with `-` and `+` before those that differ.
fn difference(recorded: &str, printed: &str) -> String {
    let (mut recorded, mut printed) = (recorded.lines(), printed.lines());
    let mut difference = String::new();
    loop {
        match (recorded.next(), printed.next()) {
            (None, None) => return difference,
            (before, after) if before == after => push_line(&mut difference, ' ', after),
            (before, after) => {
                push_line(&mut difference, '-', before);
                push_line(&mut difference, '+', after);
            }
        }
    }
}

fn push_line(text: &mut String, sign: char, line: Option<&str>) {
    if let Some(line) = line {
        text.push_str(&format!("{sign} {line}\n"));
    }
}
