//! Tests with generated files, edits and rewrites: inserted entries can be removed again.

use std::ops::Range;

use super::*;
use crate::fuzzing::{beyond_json, comments, values};
use crate::settings::edit::Within;
use crate::soak;

/// A source of random files and edits.
struct Generator {
    random: fastrand::Rng,
    /// `true` if it generates comments and trailing commas.
    is_lenient: bool,
    newline: &'static str,
    unit: &'static str,
}

impl Generator {
    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.random.usize(..choices.len())]
    }

    fn file(&mut self) -> String {
        self.newline = self.one_of(&["\n", "\n", "\r\n"]);
        self.unit = self.one_of(&["  ", "    ", "\t", " "]);
        let mark = self.one_of(&["", "", "", "\u{feff}"]);
        let root = self.root();
        let (before, after) = (self.gap(0), self.gap(0));
        format!("{mark}{before}{root}{after}")
    }

    fn root(&mut self) -> String {
        let mut members: Vec<String> = (0..self.random.usize(..4)).map(|number| self.member(number, 2)).collect();
        if self.random.u8(..4) > 0 {
            let hooks = self.hooks();
            let at = self.random.usize(..=members.len());
            let colon = self.one_of(&[": ", ":", " : "]);
            members.insert(at, format!("\"hooks\"{colon}{hooks}"));
        }
        self.container('{', '}', &members, 1)
    }

    fn hooks(&mut self) -> String {
        let mut events = vec!["PreToolUse", "Stop", "PostToolUse", "Notification"];
        self.random.shuffle(&mut events);
        events.truncate(self.random.usize(..4));
        let members: Vec<String> = events
            .into_iter()
            .map(|event| {
                let groups: Vec<String> = (0..self.random.usize(..3)).map(|_| self.group()).collect();
                format!("\"{event}\": {}", self.container('[', ']', &groups, 3))
            })
            .collect();
        self.container('{', '}', &members, 2)
    }

    fn group(&mut self) -> String {
        let handlers: Vec<String> = (0..self.random.usize(..3))
            .map(|_| {
                let command = self.one_of(&["a", "b \\\"c\\\"", "\\ud83d\\ude00", "// {{ }} ,"]);
                let members = ["\"type\": \"command\"".to_owned(), format!("\"command\": \"{command}\"")];
                self.container('{', '}', &members, 6)
            })
            .collect();
        let mut members = vec![format!("\"hooks\": {}", self.container('[', ']', &handlers, 5))];
        if self.random.bool() {
            members.insert(0, "\"matcher\": \"Bash\"".to_owned());
        }
        self.container('{', '}', &members, 4)
    }

    fn member(&mut self, number: usize, depth: usize) -> String {
        let name = self.one_of(&["a", "sch\u{f6}n", "x\\ny", "\u{1f600}"]);
        format!("\"{name}{number}\": {}", self.value(depth))
    }

    fn value(&mut self, depth: usize) -> String {
        match self.random.u8(..if depth > 4 { 4 } else { 6 }) {
            0 => self.one_of(&["1", "-0.5e+3", "1e5", "0.10"]).to_owned(),
            1 => self.one_of(&["true", "false", "null"]).to_owned(),
            2 | 3 => format!("\"{}\"", self.one_of(&["", "x", "[,]", "/* no */", "\\\\", "\\\"", "{}", "\u{e4}"])),
            4 => {
                let elements: Vec<String> = (0..self.random.usize(..4)).map(|_| self.value(depth + 1)).collect();
                self.container('[', ']', &elements, depth)
            }
            _ => {
                let members: Vec<String> =
                    (0..self.random.usize(..4)).map(|number| self.member(number, depth + 1)).collect();
                self.container('{', '}', &members, depth)
            }
        }
    }

    /// Writes a container on one line, with one element per line, or in an unusual way.
    fn container(&mut self, open: char, close: char, elements: &[String], depth: usize) -> String {
        let style = self.random.u8(..5);
        let mut text = open.to_string();
        for (index, element) in elements.iter().enumerate() {
            match style {
                0 if index > 0 => text += self.one_of(&[" ", ""]),
                0 => {}
                4 => text += &self.gap(depth),
                _ => text = format!("{text}{}{}", self.newline, self.unit.repeat(depth)),
            }
            text += element;
            if self.is_lenient && self.random.u8(..8) == 0 {
                text += self.one_of(&[" /* c */", "/**/", " /* \", */ "]);
            }
            let is_last = index + 1 == elements.len();
            if !is_last || self.is_lenient && self.random.u8(..5) == 0 {
                text.push(',');
            }
            if self.is_lenient && self.random.u8(..8) == 0 {
                text = format!("{text} // d ,{}", self.newline);
            }
        }
        match style {
            0 | 4 => text += &self.gap(depth),
            _ => text = format!("{text}{}{}", self.newline, self.unit.repeat(depth - 1)),
        }
        text.push(close);
        text
    }

    fn gap(&mut self, depth: usize) -> String {
        let mut gap = String::new();
        for _ in 0..self.random.usize(..3) {
            gap += match self.random.u8(..6) {
                0 => self.newline,
                1 => self.unit,
                2 if self.is_lenient => "/* e */",
                3 if depth > 0 => "\n\n",
                _ => "",
            };
        }
        gap
    }
}

fn cases() -> impl Iterator<Item = (Generator, String, Vec<Entry>)> {
    let seeds =
        [false, true].into_iter().flat_map(|is_lenient| soak::rounds(75, 1_500).map(move |seed| (is_lenient, seed)));
    seeds.map(|(is_lenient, seed)| {
        let mut generator = Generator { random: fastrand::Rng::with_seed(seed), is_lenient, newline: "\n", unit: "  " };
        let file = generator.file();
        let entries = some_entries(&mut generator.random);
        (generator, file, entries)
    })
}

/// Returns some of the entries.
fn some_entries(random: &mut fastrand::Rng) -> Vec<Entry> {
    let mut entries = entries();
    entries.push(entry("SessionEnd", None, "gate"));
    entries.push(entry("Notification", None, "gate"));
    random.shuffle(&mut entries);
    entries.truncate(random.usize(1..=5));
    entries
}

#[test]
fn what_was_inserted_into_any_file_comes_out_of_it() {
    for (_, file, entries) in cases() {
        let rest = undone(&file, &entries).unwrap_or_else(|| panic!("{file} cannot be edited"));
        // Without the record, the user's additions also stay.
        assert_eq!(rest.matches("\"a\"").count(), file.matches("\"a\"").count(), "{file}\n{rest}");
    }
}

/// Edits of other bytes have the same result before and after an install.
#[test]
fn any_edit_outside_of_ours_survives() {
    let (mut survived, mut rewritten) = (0, 0);
    for (mut generator, file, entries) in cases() {
        let Edited { text, inserted } = insert(&file, &entries).unwrap();
        let (Some(edited), Some(edited_text)) = edits(&mut generator, &file, &text, &inserted) else {
            continue;
        };
        // If an edit renamed the container of our texts, they can be found only if all differ.
        if inserted.0.iter().any(|piece| container(&edited_text, &piece.within).is_none()) {
            continue;
        }
        // If an edit opened a comment before our bytes, they are inside it.
        let comments = |text: &str| text.matches("*/").count() + text.matches("// d").count();
        if comments(&edited) < comments(&file) {
            continue;
        }
        // An edit that breaks the file, or overlaps an insertion, has no separate meaning.
        let (Ok(_), Ok(_)) = (ensure_editable(&edited), ensure_editable(&edited_text)) else {
            continue;
        };
        let rest = without(&edited_text, &inserted);
        if beyond_json(&edited_text) == beyond_json(&edited) {
            assert_eq!(rest, edited, "{file}\n{text}\n{edited_text}");
        }
        // For example, an element that ends with a comma because ours follows.
        assert_eq!(beyond_json(&rest), beyond_json(&edited_text), "{edited_text}\n{rest}");
        assert_eq!(values(&rest), values(&edited), "{edited_text}\n{rest}");
        survived += 1;
        // No program reads a comment, or a split surrogate pair.
        let (Ok(edited), Ok(edited_text)) = (
            serde_json::from_str::<Value>(edited.trim_start_matches('\u{feff}')),
            serde_json::from_str::<Value>(edited_text.trim_start_matches('\u{feff}')),
        ) else {
            continue;
        };
        let written = edited_text.to_string();
        // If the edit renamed `hooks`, they can no longer be found.
        if is_current(&written, &entries, is_ours) {
            assert_eq!(parsed(&without(&written, &inserted)), edited, "{written}");
            rewritten += 1;
        }
    }
    assert!(survived > soak::size(12, 500) && rewritten > soak::size(5, 250), "{survived} {rewritten}");
}

/// Text that the user adds directly next to inserted text stays with its own comma, and needs no comma of hookkit.
#[test]
fn text_next_to_ours_stays() {
    for (_, file, entries) in cases() {
        let Edited { text, inserted } = insert(&file, &entries).unwrap();
        for piece in &inserted.0 {
            let is_list = matches!(piece.within, Within::Event(_));
            let added = if is_list { "{\"z\": []}" } else { "\"z\": []" };
            let within = container(&text, &piece.within).unwrap();
            let start = within.start + text[within].find(&piece.text).unwrap();
            let end = start + piece.text.len();
            let mut sides =
                vec![if piece.text.ends_with(',') { (end, format!(" {added},")) } else { (end, format!(", {added}")) }];
            // Nothing can be written before our comma.
            sides.push(match piece.text.strip_prefix(',') {
                Some(_) => (start, format!(", {added}")),
                None => (start, format!("{added},")),
            });
            for (at, added) in sides {
                let edited = format!("{}{added}{}", &text[..at], &text[at..]);
                // After a comment, the addition becomes part of it.
                let before = (values(&edited), beyond_json(&edited));
                if before.0.is_none() || before.1 != beyond_json(&text) {
                    continue;
                }
                let removed = remove(&edited, &inserted, &inserted.made(), is_ours).unwrap();
                assert!(removed.lost.is_empty(), "{:?}", removed.lost);
                let rest = removed.text;
                let is_strict = beyond_json(&edited).is_empty();
                assert!(!is_strict || beyond_json(&rest).is_empty(), "{edited}\n{rest}");
                assert_eq!(comments(&rest), comments(&edited), "{edited}\n{rest}");
                let mut expected = values(&file).unwrap();
                match &piece.within {
                    Within::Settings => drop(expected.as_object_mut().unwrap().insert("z".to_owned(), json!([]))),
                    Within::Hooks => expected["hooks"]["z"] = json!([]),
                    Within::Event(event) => {
                        expected["hooks"][event].as_array_mut().unwrap().push(json!({"z": []}));
                    }
                }
                assert_eq!(values(&rest), Some(expected), "{edited}\n{rest}");
            }
        }
    }
}

fn container(text: &str, within: &Within) -> Option<Range<usize>> {
    Document::parse(text).ok()?.container(within)
}

/// Makes the same random edits in the file before and after the insertion. Each edit inserts or deletes between two of
/// the file's own bytes.
fn edits(generator: &mut Generator, file: &str, text: &str, inserted: &Inserted) -> (Option<String>, Option<String>) {
    // For each byte of the file, its position in the text.
    let mut places = Vec::new();
    let mut ours: Vec<(usize, usize)> = Vec::new();
    for piece in &inserted.0 {
        let within = container(text, &piece.within).unwrap();
        let at = within.start + text[within].find(&piece.text).unwrap();
        ours.push((at, at + piece.text.len()));
    }
    let mut rest = file.bytes().peekable();
    for (at, byte) in text.bytes().enumerate() {
        let is_ours = ours.iter().any(|(start, end)| (*start..*end).contains(&at));
        if !is_ours && rest.peek() == Some(&byte) {
            rest.next();
            places.push(at);
        }
    }
    assert!(rest.next().is_none());
    let (mut edited, mut edited_text) = (file.to_owned(), text.to_owned());
    // From end to start, so that positions stay valid.
    let mut at = file.len();
    for _ in 0..=generator.random.usize(..3) {
        let limit = at;
        at = generator.random.usize(..=at.saturating_sub(1));
        if at == 0 || !file.is_char_boundary(at) || places[at - 1] + 1 != places[at] {
            continue;
        }
        if generator.random.bool() {
            let added =
                generator.one_of(&[" ", "\n", "\t", "\"z\": 1, ", "2, ", ", 3", ", \"y\": []", "{}", "x", "/**/"]);
            edited.insert_str(at, added);
            edited_text.insert_str(places[at], added);
        } else {
            let length = generator.random.usize(1..20).min(limit - at);
            let end = at + length;
            let is_together = length > 0 && places[at] + length == places.get(end).copied().unwrap_or(text.len());
            if file.is_char_boundary(end) && is_together && edited.is_char_boundary(end) {
                edited.replace_range(at..end, "");
                edited_text.replace_range(places[at]..places[at] + length, "");
                at = at.saturating_sub(1);
            }
        }
    }
    let is_changed = edited != file;
    (is_changed.then_some(edited), is_changed.then_some(edited_text))
}
