//! Rows of data with what is expected of them: command lines and their verdicts, mostly.
//!
//! A file of rows is a text that people read and diff:
//!
//! ```text
//! # A comment says why.
//! [commands that change a protected file]
//! files: migrations/1.sql package.json
//! changes<TAB>echo x > Cargo.lock
//! pass<TAB>cat Cargo.lock
//! ```
//!
//! - A row is the expected outcome, a tab, and the line; where a row has more fields, the line is the last one.
//! - A control character is written as its picture: `␊` is a line feed, `␉` a tab, `␍` a carriage return; and so is a blank,
//!   `␠`, in the content of a file. Nothing else is escaped.
//! - A section is `[its name]`; `key: words` above its first row is its set-up. `files` and `links` are what
//!   [`Section::write`] writes; rows of a section with `only: unix` are checked on Unix alone.

use std::fmt::Debug;
use std::fs;
use std::path::Path;

/// A file of rows.
#[derive(Debug)]
pub struct Lines<'t> {
    name: &'t str,
    /// In the order of the file.
    pub sections: Vec<Section<'t>>,
}

/// A part of a file: rows with one set-up.
#[derive(Debug, Default)]
pub struct Section<'t> {
    /// Its heading.
    pub name: &'t str,
    setup: Vec<(&'t str, &'t str)>,
    /// In the order of the file.
    pub rows: Vec<Row>,
}

/// A row of a section.
#[derive(Debug)]
pub struct Row {
    /// Number of its line in the file, from 1.
    pub number: usize,
    /// The fields before the last one.
    pub expected: Vec<String>,
    /// The last field.
    pub line: String,
}

impl Row {
    /// Returns the fields before the last one.
    ///
    /// # Panics
    ///
    /// If their number is another.
    #[track_caller]
    pub fn fields<const N: usize>(&self) -> [&str; N] {
        let fields: Vec<&str> = self.expected.iter().map(String::as_str).collect();
        fields
            .try_into()
            .unwrap_or_else(|fields| panic!("line {}: not {N} fields before the last one: {fields:?}", self.number))
    }
}

/// Declares a file of rows, by its path from the root of the crate.
#[macro_export]
macro_rules! lines {
    ($path:literal) => {
        $crate::lines::Lines::parse($path, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $path)))
    };
}

impl<'t> Lines<'t> {
    /// Parses a file.
    ///
    /// # Panics
    ///
    /// If a line is neither a comment, a heading, a set-up nor a row, or a section has no rows or the name of another one.
    #[track_caller]
    pub fn parse(name: &'t str, text: &'t str) -> Self {
        let mut sections: Vec<Section> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            if line.is_empty() || line.starts_with("# ") {
                continue;
            }
            let heading = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            if let Some(heading) = heading.filter(|heading| !heading.contains('\t')) {
                let is_new = sections.iter().all(|section| section.name != heading);
                assert!(is_new, "{name}:{number}: a second section `{heading}`");
                sections.push(Section { name: heading, ..Section::default() });
                continue;
            }
            let section = sections.last_mut().unwrap_or_else(|| panic!("{name}:{number}: above the first section"));
            if let Some((expected, line)) = line.rsplit_once('\t') {
                let expected = expected.split('\t').map(plain).collect();
                section.rows.push(Row { number, expected, line: plain(line) });
            } else if let Some(setup) = line.split_once(": ").filter(|_| section.rows.is_empty()) {
                section.setup.push(setup);
            } else {
                panic!("{name}:{number}: a row is `expected TAB line`");
            }
        }
        let empty = sections.iter().find(|section| section.rows.is_empty());
        assert!(!sections.is_empty() && empty.is_none(), "{name}: no rows: {empty:?}");
        Self { name, sections }
    }

    /// Returns a section.
    ///
    /// # Panics
    ///
    /// If there is none of this name.
    #[track_caller]
    pub fn section(&self, name: &str) -> &Section<'t> {
        let found = self.sections.iter().find(|section| section.name == name);
        found.unwrap_or_else(|| panic!("{} has no section `{name}`", self.name))
    }

    /// Checks that each row of all sections has the outcome that it expects.
    ///
    /// # Panics
    ///
    /// If one has another; with all that do.
    #[track_caller]
    pub fn check(&self, mut found: impl FnMut(&Section, &str) -> String) {
        self.check_rows(|section, row| (row.expected.join("\t"), found(section, &row.line)));
    }

    /// Checks rows as [`check`](Self::check) does, each section in a folder with its files. See [`Section::write`].
    ///
    /// # Panics
    ///
    /// If a row has another outcome, with all that do; or if a file cannot be written.
    #[track_caller]
    pub fn check_in_folders(&self, content: &str, mut found: impl FnMut(&Section, &Path, &str) -> String) {
        let mut current = None;
        self.check(|section, line| {
            // By our name in its path, guards would take each file there for one of hookkit's own.
            let empty = || crate::named_folder("rows-");
            let (name, folder) = current.get_or_insert_with(|| (String::new(), empty()));
            if name != section.name {
                *folder = empty();
                section.write(folder.path(), content);
                section.name.clone_into(name);
            }
            found(section, folder.path(), line)
        });
    }

    /// Checks rows with several inputs: the first field is the outcome that is expected of the others, of which the line is the
    /// last.
    ///
    /// # Panics
    ///
    /// If a row has another outcome; with all that do.
    #[track_caller]
    pub fn check_inputs(&self, mut found: impl FnMut(&Section, &[&str]) -> String) {
        self.check_rows(|section, row| {
            let (expected, inputs) = row.expected.split_first().expect("a row has an outcome");
            let inputs = inputs.iter().chain([&row.line]).map(String::as_str);
            (expected.clone(), found(section, &inputs.collect::<Vec<_>>()))
        });
    }

    #[track_caller]
    fn check_rows(&self, mut outcomes: impl FnMut(&Section, &Row) -> (String, String)) {
        let here = |section: &&Section| cfg!(unix) || section.words("only") != ["unix"];
        let mut wrong = Vec::new();
        for section in self.sections.iter().filter(here) {
            wrong.extend(self.wrong(section, |row| outcomes(section, row)));
        }
        report(&wrong);
    }

    /// Checks that each row of one section has the outcome that it expects.
    ///
    /// # Panics
    ///
    /// If one has another; with all that do.
    #[track_caller]
    pub fn check_section(&self, name: &str, mut found: impl FnMut(&str) -> String) {
        let outcomes = |row: &Row| (row.expected.join("\t"), found(&row.line));
        report(&self.wrong(self.section(name), outcomes));
    }

    fn wrong(&self, section: &Section, mut outcomes: impl FnMut(&Row) -> (String, String)) -> Vec<String> {
        let rows = section.rows.iter();
        rows.filter_map(|row| {
            let (expected, found) = outcomes(row);
            let place = format!("{}:{}", self.name, row.number);
            (found != expected).then(|| format!("{place}: {}: {found} instead of {expected}", row.line))
        })
        .collect()
    }
}

#[track_caller]
fn report(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} rows are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

impl Section<'_> {
    /// Returns the words of a set-up, none where it is not there.
    pub fn words(&self, key: &str) -> Vec<&str> {
        let values = self.setup.iter().filter(|(name, _)| *name == key);
        values.flat_map(|(_, value)| value.split_whitespace()).collect()
    }

    /// Returns the lines of the section's rows.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|row| row.line.as_str())
    }

    /// Creates the `files` and `links` (`name->target`) of the set-up below a folder. A file has the content of
    /// `name=content`, or else `content`; a name with `/` at its end is a folder.
    ///
    /// # Panics
    ///
    /// If one cannot be created.
    #[track_caller]
    pub fn write(&self, folder: &Path, content: &str) {
        for file in self.words("files") {
            let (name, content) = file.split_once('=').unwrap_or((file, content));
            let path = folder.join(name);
            let parent = if name.ends_with('/') { Some(path.as_path()) } else { path.parent() };
            fs::create_dir_all(parent.expect("a name is below the folder")).expect(name);
            if !name.ends_with('/') {
                fs::write(&path, plain(content)).expect(name);
            }
        }
        for link in self.words("links") {
            let (name, target) = link.split_once("->").expect("a link is `name->target`");
            symlink(target, folder.join(name)).expect(name);
        }
    }
}

#[cfg(unix)]
use std::os::unix::fs::symlink;

#[cfg(not(unix))]
fn symlink(_: &str, _: std::path::PathBuf) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Replaces the pictures of control characters by the characters.
fn plain(text: &str) -> String {
    let plain = |char| match char {
        '\u{2400}'..='\u{2420}' => char::from((u32::from(char) - 0x2400) as u8),
        '\u{2421}' => '\u{7f}',
        char => char,
    };
    text.chars().map(plain).collect()
}

/// The heading of a page of limits above lines that pass.
pub const NOT_SEEN: &str = "What it cannot see";

/// The heading of a page of limits above harmless lines that are stopped.
pub const HARMLESS: &str = "What it asks about, though it is harmless";

/// Returns the command lines in the second column of a table of Markdown, the first one below a heading. The pages of limits
/// have such tables.
///
/// # Panics
///
/// If there is no such heading, or no lines below it.
#[track_caller]
pub fn of_table(page: &str, heading: &str) -> Vec<String> {
    let section = page.split("\n# ").find_map(|section| section.trim_start_matches("# ").strip_prefix(heading));
    let section = section.unwrap_or_else(|| panic!("no heading `{heading}`"));
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(1);
    let lines = rows.flat_map(|row| {
        // In a table, a bar of a line has a backslash before it.
        let row = row.replace("\\|", "\0");
        let column = row.split('|').nth(2).expect("a row has two columns");
        let lines = column.split('`').skip(1).step_by(2);
        lines.map(|line| line.replace('\0', "|")).collect::<Vec<_>>()
    });
    let lines: Vec<String> = lines.collect();
    assert!(!lines.is_empty(), "no lines below `{heading}`");
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Why.\n[a b]\nfiles: x/y=1␠2␊ z/ w\n\ndeny\tcat <<E␊a␉b␊E\n[d]\t[e]\n[c]\na\tb\tls\n";

    #[test]
    fn a_file_has_sections_with_set_ups_and_rows() {
        let lines = Lines::parse("x.txt", TEXT);
        let [first, second] = &lines.sections[..] else { panic!("{lines:?}") };
        assert_eq!((first.name, first.words("files")), ("a b", vec!["x/y=1␠2␊", "z/", "w"]));
        assert_eq!(first.rows[0].line, "cat <<E\na\tb\nE");
        assert_eq!((second.rows[0].number, &second.rows[0].expected[..]), (8, &["a".to_owned(), "b".into()][..]));
        assert_eq!(second.rows[0].fields(), ["a", "b"]);
        let folder = crate::folder();
        first.write(folder.path(), "text");
        let read = |name| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!((read("x/y"), read("w")), ("1 2\n".to_owned(), "text".into()));
        assert!(folder.path().join("z").is_dir());
        let rows = Lines::parse("x.txt", "[a]\nfiles: x y\n2\t.\n[b]\n0\t.\n");
        rows.check_in_folders("", |_, folder, name| fs::read_dir(folder.join(name)).unwrap().count().to_string());
    }

    #[test]
    fn a_row_with_another_outcome_and_a_mistake_in_a_file_are_reported() {
        fn message(run: impl FnOnce() + std::panic::UnwindSafe) -> String {
            *std::panic::catch_unwind(run).unwrap_err().downcast::<String>().unwrap()
        }
        let wrong = message(|| Lines::parse("x.txt", TEXT).check(|_, _| "deny".into()));
        assert_eq!(wrong, "2 rows are wrong:\nx.txt:6: [e]: deny instead of [d]\nx.txt:8: ls: deny instead of a\tb");
        let wrong = message(|| Lines::parse("x.txt", "[a]\n3\tx\tyz\n").check_inputs(|_, inputs| inputs.concat()));
        assert_eq!(wrong, "1 rows are wrong:\nx.txt:2: yz: xyz instead of 3");
        for (text, expected) in [
            ("[a]\n", "x.txt: no rows"),
            ("deny\tls\n", "x.txt:1: above"),
            ("[a]\ndeny ls\n", "x.txt:2: a row is"),
            ("[a]\nx\ty\n[a]\n", "x.txt:3: a second"),
        ] {
            let found = message(|| drop(Lines::parse("x.txt", text)));
            assert!(found.starts_with(expected), "{found}");
        }
    }

    #[test]
    fn a_table_has_its_lines_in_the_second_column() {
        let page = "# A\n\n| x | lines |\n|---|---|\n| y | `a \\| b`, `c` |\n\n# B\n\n| x |\n";
        assert_eq!(of_table(page, "A"), ["a | b", "c"]);
    }
}
