//! Tests the errors that the macros report: their texts, and the positions that they point at.
//!
//! `tests/messages.txt` has mistakes, each with rustc's output for it, and with the edit that fixes it. The tests
//! expand the macros of a mistake, and render the errors as rustc does, without running rustc.
//!
//! The tests do the same with the files of `tests/ui` in `hookkit` that have only errors of the macros. There, the
//! `.stderr` file comes from rustc itself, which verifies the renderer.

mod expansion;
mod render;

use std::fs;
use std::path::PathBuf;

use proc_macro2::Span;

/// The mistakes that only the tests below check.
const MESSAGES: &str = include_str!("../tests/messages.txt");
/// Folder with the mistakes that rustc compiles.
const UI: &str = "../hookkit/tests/ui";

/// A section of [`MESSAGES`].
struct Mistake<'t> {
    name: &'t str,
    source: &'t str,
    /// The text to replace, and its replacement.
    fix: (&'t str, &'t str),
    errors: &'t str,
}

fn mistakes() -> impl Iterator<Item = Mistake<'static>> {
    MESSAGES.split("\n\n== ").skip(1).map(|section| {
        let part = |text: &'static str, end| text.split_once(end).unwrap_or_else(|| panic!("no {end:?}: {text}"));
        let (name, rest) = part(section, "\n");
        let (source, rest) = part(rest, "\n-- fix\n");
        let (fix, errors) = part(rest, "\n-- errors\n");
        Mistake { name, source, fix: part(fix, "\t"), errors: errors.trim_end() }
    })
}

#[test]
fn errors_are_the_recorded_ones() {
    if std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
        let (head, _) = MESSAGES.split_once("\n== ").unwrap();
        let section = |Mistake { name, source, fix, .. }| {
            let errors = printed(name, source).unwrap();
            format!("\n== {name}\n{source}\n-- fix\n{}\t{}\n-- errors\n{errors}", fix.0, fix.1)
        };
        let text = format!("{head}{}", mistakes().map(section).collect::<String>());
        return fs::write("tests/messages.txt", text).unwrap();
    }
    let faults: String = mistakes().map(|mistake| fault(mistake.name, mistake.source, mistake.errors)).collect();
    assert!(
        faults.is_empty(),
        "\n{faults}To record what is printed now: SNAPSHOTS=overwrite cargo test -p hookkit-macros"
    );
}

#[test]
fn errors_are_rendered_as_rustc_does() {
    let files = fs::read_dir(UI).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect();
    files.sort();
    let read = |path: PathBuf| {
        let recorded = fs::read_to_string(path.with_extension("stderr")).unwrap_or_default();
        let name = format!("tests/ui/{}", path.file_name().unwrap_or_default().display());
        (name, fs::read_to_string(path).unwrap(), recorded)
    };
    let mut files: Vec<_> = files.into_iter().map(read).collect();
    // rustc's own errors have a code.
    files.retain(|(_, _, recorded)| !recorded.contains("error["));
    assert!(!files.is_empty(), "no file of {UI} has only errors of the macros");
    let faults = files.iter().map(|(name, source, recorded)| fault(name, source, recorded.trim_end()));
    let faults: String = faults.collect();
    assert!(
        faults.is_empty(),
        "\n{faults}To record what rustc prints now: TRYBUILD=overwrite cargo test -p hookkit --test ui"
    );
}

#[test]
fn each_error_offers_a_fix_that_works() {
    let mut faults = String::new();
    for Mistake { name, source, fix, .. } in mistakes() {
        let (mistake, fix) = (fix.0.replace('§', "\n"), fix.1.replace('§', "\n"));
        let fixed = source.replacen(&mistake, &fix, 1);
        assert_ne!(source, fixed, "{name}");
        for error in expansion::errors(&source.parse().unwrap()).unwrap() {
            let mut offered = offered(&error.message).into_iter().peekable();
            if offered.peek().is_some() && !offered.any(|offered| fixed.contains(&offered)) {
                faults.push_str(&format!("{name}: the fix ignores: {}\n", error.message));
            }
        }
        for error in expansion::errors(&fixed.parse().unwrap()).unwrap() {
            faults.push_str(&format!("{name}: with `{fix}`: {}\n", error.message));
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// Returns the texts that an error suggests. A fix must contain one of them.
fn offered(message: &str) -> Vec<String> {
    let offers = ["write `", "did you mean `", "without quotes: `", "as in settings.json: `", "It is `"];
    let texts = offers.iter().flat_map(|offer| message.split(offer).skip(1));
    let texts = texts.filter_map(|rest| rest.split('`').next());
    // A text with `…` is a pattern, or says how to keep existing code.
    let texts = texts.filter(|text| !text.contains('…'));
    texts.map(str::to_owned).collect()
}

/// Compares the errors of `source`, shown as the file `name`, with the recorded ones. Returns a report, which is empty
/// if they are equal.
fn fault(name: &str, source: &str, recorded: &str) -> String {
    match printed(name, source) {
        Ok(printed) if printed.trim_end() == recorded => String::new(),
        Ok(printed) => format!("{name}: (- recorded, + printed now)\n\n{}\n", difference(recorded, &printed)),
        Err(err) => format!("{name}: {err}\n\n"),
    }
}

/// Renders the errors of `source`, shown as the file `name`.
fn printed(name: &str, source: &str) -> syn::Result<String> {
    let errors = expansion::errors(&source.parse()?)?;
    if errors.is_empty() {
        return Err(syn::Error::new(Span::call_site(), "no error is reported"));
    }
    let errors = errors.iter().map(|error| render::error(error, name, source));
    Ok(errors.collect::<Vec<String>>().join("\n"))
}

/// Returns the lines of both texts, with `-` and `+` before lines that differ.
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
