#[cfg(unix)]
use crate::prelude::*;
use crate::words::without_braces;
#[cfg(unix)]
use std::process::Command as Process;

/// Returns the words that a word's braces become, with `?` for each uncertain part.
fn words(word: &str) -> Option<Vec<String>> {
    let script = shell::analyze(&format!("echo {word}"));
    let commands = script.all_commands().ok()?;
    let words = without_braces(commands[0].words[1].clone(), 200);
    Some(words.iter().map(|word| word.to_string().replace('…', "?")).collect())
}

#[test]
fn braces_become_the_words_that_are_said() {
    let lines = test_support::lines!("lines/words.txt");
    lines.check_section("braces", |word| words(word).expect("it can be analyzed").join(" "));
}

#[cfg(unix)]
#[test]
fn words_of_braces_are_those_of_bash() {
    // All words of some characters.
    let mut all = vec![String::new()];
    for _ in 0..6 {
        let longer = all.iter().flat_map(|word| ["{", "}", ",", "a", "."].map(|next| format!("{word}{next}")));
        all = all.clone().into_iter().chain(longer.collect::<Vec<_>>()).collect();
        all.sort();
        all.dedup();
    }
    let known = all.into_iter().filter(|word| !word.is_empty());
    let known: Vec<(String, Vec<String>)> = known.filter_map(|word| Some((word.clone(), words(&word)?))).collect();
    assert!(known.len() > 10_000, "{}", known.len());
    let script: String = known.iter().map(|(word, _)| format!("echo {word}\n")).collect();
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), script).unwrap();
    let output = Process::new("bash").arg(file.path()).output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    for ((word, words), bash) in known.iter().zip(output.lines()) {
        let bash: Vec<&str> = bash.split(' ').filter(|word| !word.is_empty()).collect();
        let (unknown, words): (Vec<&str>, Vec<&str>) =
            words.iter().map(String::as_str).partition(|word| word.contains('?'));
        // With an unmatched brace, there is a word for all of them, too.
        assert!(words == bash || !unknown.is_empty(), "{word}: {words:?} {bash:?}");
    }
}

/// Returns `true` if the pieces of a word may become a name.
fn may_become(word: &str, name: &str) -> bool {
    let script = shell::analyze(&format!("echo {word}"));
    // Lines that cannot be analyzed are reported.
    let word = script.commands()[0].words.get(1);
    word.map_or(!script.unanalyzed().is_empty(), |word| fits(name, &pieces(word)))
}

#[test]
fn a_word_may_become_the_names_that_are_said() {
    let lines = test_support::lines!("lines/words.txt");
    for row in &lines.section("names that a word may become").rows {
        let name = &row.expected[1];
        assert_eq!(may_become(&row.line, name), row.expected[0] == "may", "{row:?}");
    }
}

#[cfg(unix)]
#[test]
fn no_name_is_missed_that_bash_finds() {
    let folder = test_support::folder();
    let lines = test_support::lines!("lines/words.txt");
    let globs = lines.section("globs");
    globs.write(folder.path(), "");
    let names = globs.words("files");
    lines.check_section("globs", |word| {
        let mut bash = Process::new("bash");
        bash.args(["-c", &format!("shopt -s nullglob; printf '%s\\n' {word}")]);
        let output = bash.current_dir(folder.path()).output().unwrap();
        let found = String::from_utf8(output.stdout).unwrap();
        let mut found: Vec<&str> = found.lines().filter(|name| names.contains(name)).collect();
        found.sort_unstable();
        for name in &found {
            assert!(may_become(word, name), "{word} finds {name}");
        }
        if found.is_empty() { "none".to_owned() } else { found.join(" ") }
    });
}
