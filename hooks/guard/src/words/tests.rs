#[cfg(unix)]
use std::fs;
#[cfg(unix)]
use std::process::Command as Process;

use hookkit::shell;

use super::*;

/// Returns the words that a word's braces become, with `?` for what is not known.
fn words(word: &str) -> Option<Vec<String>> {
    let script = shell::analyze(&format!("echo {word}"));
    let commands = script.all_commands().ok()?;
    let words = without_braces(commands[0].words[1].clone(), 200);
    Some(words.iter().map(|word| word.to_string().replace('…', "?")).collect())
}

#[test]
fn a_sequence_is_not_known() {
    assert_eq!(words("x{1..3}"), Some(vec!["x?".into()]));
    assert_eq!(words("{a..$b}c"), Some(vec!["?c".into()]));
    assert_eq!(words("{a,b/../c}"), Some(vec!["a".into(), "b/../c".into()]));
    assert_eq!(words("{a,b}c,d"), Some(vec!["ac,d".into(), "bc,d".into()]));
    assert_eq!(words("{a,.claude}"), Some(vec!["a".into(), ".claude".into()]));
    assert_eq!(words("'{'{a,b}"), Some(vec!["{a".into(), "{b".into(), "?".into()]));
    assert_eq!(words("{a,b}{c,d}").map(|words| words.len()), Some(4));
}

#[cfg(unix)]
#[test]
fn words_of_braces_are_those_of_bash() {
    // All words of some characters.
    let mut all = vec![String::new()];
    for _ in 0..6 {
        let longer = all
            .iter()
            .flat_map(|word| ["{", "}", ",", "a", "."].map(|next| format!("{word}{next}")));
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
        // Where a brace is left over, there is a word for all of them, too.
        assert!(words == bash || !unknown.is_empty(), "{word}: {words:?} {bash:?}");
    }
}

/// Returns whether the pieces of a word may become a name.
fn may_become(word: &str, name: &str) -> bool {
    let script = shell::analyze(&format!("echo {word}"));
    // Where the line cannot be analyzed, that is reported.
    let word = script.commands()[0].words.get(1);
    word.map_or(!script.unanalyzed().is_empty(), |word| fits(name, &pieces(word)))
}

#[test]
fn a_bracket_is_one_character() {
    assert!(may_become(".[e]nv", ".env"));
    assert!(!may_become(".[dev]", ".env"));
    assert!(!may_become("a[bc]", "abc"));
    assert!(may_become("a?[bc]*", "a-bx"));
    assert!(!may_become("[.]env", ".env"), "a glob finds no name with a dot");
}

#[cfg(unix)]
#[test]
fn no_name_is_missed_that_bash_finds() {
    let folder = test_support::folder();
    let names = [".env", "a]", "ab", "a[b", "abc", "x.e", "x.e]"];
    for name in names {
        fs::write(folder.path().join(name), "").unwrap();
    }
    for word in [
        "*", "?b", "a?", "a[b]", "a[!x]", "a[^x]", "a[]]", "a[!]]", "a[[:alpha:]]", "a[x[:alpha:]]", "a[b", "a[b*",
        "*[c]", ".e[=n]v", ".[:e]nv", ".en[!]x]", ".en[[:alpha:]v]", "x.[e]", "x.[a-f]*", "[ab]*", "a[a-b]c", "??",
        "*c", "a*c",
    ] {
        let mut bash = Process::new("bash");
        let output = bash
            .args(["-c", &format!("shopt -s nullglob; printf '%s\\n' {word}")])
            .current_dir(folder.path())
            .output();
        let found = String::from_utf8(output.unwrap().stdout).unwrap();
        for name in found.lines().filter(|name| names.contains(name)) {
            assert!(may_become(word, name), "{word} finds {name}");
        }
    }
}
