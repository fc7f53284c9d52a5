//! "Where a new thing goes" in ARCHITECTURE.md: the files that name a thing are those that its row has.

use hookkit_protocol::event::EVENTS;
use hookkit_tests::prelude::*;

/// The crates with code of ours that knows events, tools and options.
const CRATES: [&str; 3] = ["hookkit", "hookkit-macros/src", "xtask/src"];

/// Rows of the table, each with a thing that has no treatment of its own anywhere, and the number of its files.
const ROWS: [(&str, &[&str], usize); 3] = [
    ("an event", &["MessageDisplay", "MessageDisplayAnswer", "MESSAGE_DISPLAY"], 4),
    ("a tool", &["CronDelete"], 2),
    ("an option of `#[hook]`", &["status_message"], 11),
];

/// Lists the Rust files below a folder that are neither tests nor templates.
fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_left_out = |folder: &Path| ["benches", "templates", "tests"].contains(&files::name(folder));
    let mut files = files::below(folder, &is_left_out)?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs"));
    Ok(files)
}

/// Returns whether the code of a file has one of these words, apart from comments and from unit tests at its end.
fn names(code: &str, words: &[&str]) -> bool {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let (code, _) = code.split_once("mod tests {").unwrap_or((code, ""));
    code.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .any(|line| line.split(|char| !is_word(char)).any(|word| words.contains(&word)))
}

#[test]
fn what_is_added_goes_where_architecture_md_says() -> Result<()> {
    let page = fs::read_to_string(repository().join("ARCHITECTURE.md"))?;
    let mut files = Vec::new();
    for folder in CRATES {
        files.extend(rust_files(&repository().join(folder))?);
    }
    for (row, words, count) in ROWS {
        let line = page.lines().find(|line| line.starts_with(&format!("| {row} | ")));
        let line = line.with_context(|| format!("no row for {row}"))?;
        let words_of_row = line.split('`').skip(1).step_by(2);
        let places: Vec<&str> = words_of_row.filter(|word| word.contains('/')).collect();
        let mut found = Vec::new();
        for file in &files {
            let path = file.strip_prefix(repository())?.to_str().context("a path in UTF-8")?;
            if names(&fs::read_to_string(file)?, words) {
                let holds = places.iter().any(|place| path.starts_with(place));
                assert!(holds, "{path} names {}, and the row `{row}` does not have it", words[0]);
                found.push(path.to_owned());
            }
        }
        for place in places {
            let holds = found.iter().any(|path| path.starts_with(place));
            assert!(holds, "the row `{row}` has {place}, where nothing names {}", words[0]);
        }
        assert_eq!(found.len(), count, "{found:?}");
    }
    Ok(())
}

#[test]
fn the_prelude_has_each_event_and_each_answer() -> Result<()> {
    let api = fs::read_to_string(repository().join("tests/api/hookkit.txt"))?;
    let has = |name: &str| api.lines().any(|line| line == format!("pub use hookkit::prelude::{name}"));
    let structs = api.lines().filter_map(|line| line.strip_prefix("pub struct hookkit::answer::"));
    let names = structs.filter_map(|line| line.split(['(', '<', ' ']).next());
    let answers: Vec<&str> = names.filter(|name| name.ends_with("Answer")).collect();
    assert!(answers.len() > 20, "{answers:?}");
    for name in EVENTS.iter().map(|event| event.name).chain(answers) {
        assert!(has(name), "the prelude lacks {name}");
    }
    Ok(())
}
