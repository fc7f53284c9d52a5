use super::*;

#[test]
fn a_row_has_known_parts_and_options_once() {
    let rows = include_str!("../table.txt").split_inclusive("\n").fold(Vec::new(), |mut rows: Vec<String>, line| {
        match line.starts_with(' ') {
            true => rows.last_mut().unwrap().push_str(line),
            false => rows.push(line.to_owned()),
        }
        rows
    });
    let rows = rows.iter().filter_map(|row| row.split_once("\n    "));
    for (names, row) in rows {
        assert!(!names.starts_with('#'), "lines without a program: {names}");
        let mut found = Vec::new();
        for one in row.split('[').skip(1) {
            let (name, words) = one.split_once(']').unwrap_or_else(|| panic!("{names}: {one}"));
            assert!(!found.contains(&name), "{names}: {name} occurs twice");
            found.push(name);
            let words: Vec<&str> = words.split_ascii_whitespace().collect();
            let fits = match name {
                "reads" | "builds" | "edits" | "groups" | "unless" | "settings" | "asked" | "helpful" => true,
                "before" => words.iter().all(|word| is_option(word)),
                "options" => words.iter().all(|word| is_option(word) || matches!(*word, "*" | "+")),
                "needs" => words.iter().all(|word| is_option(word)),
                "words" => {
                    matches!(words[0], "file" | "revisions" | "arguments" | "names" | "plain" | "none" | "printed")
                }
                _ => false,
            };
            assert!(fits, "{names}: [{one}");
            if name == "options" || name == "before" {
                let mut once = words.clone();
                once.sort_unstable();
                once.dedup();
                assert_eq!(once.len(), words.len(), "{names}: [{one}");
            }
        }
    }
}
