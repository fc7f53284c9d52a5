//! Observations of the real client that are kept in files, one folder for each version of the client.
//!
//! The fast tier checks our own rules against a record, without a client. The client tier asks the client again if the
//! code that asks has changed since, compares, and rewrites the record if `HOOKKIT_RECORD` is `1`. The same client
//! answers the same question in the same way; `cargo dev watch` asks all of them again, each day.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Mutex;

use anyhow::{Context, Result, ensure};
use proc_macro2::{TokenStream, TokenTree};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::client::VERSION;
use crate::files;
use crate::verdict;
use crate::watch::PAYLOADS;
use crate::xtask::repository;

/// The observations of the pinned client in one table: one for each row, by the row's key.
#[derive(Debug)]
pub struct Record<T> {
    /// The observations.
    pub rows: BTreeMap<String, T>,
}

/// Returns `true` if the client tier rewrites its records.
pub fn is_recording() -> bool {
    env::var("HOOKKIT_RECORD").is_ok_and(|value| value == "1")
}

/// Returns the command that records the observations of a test of the client tier.
pub fn command(test_name: &str) -> String {
    format!("HOOKKIT_RECORD=1 cargo test -p hookkit-tests --test client {test_name}")
}

/// Returns 24 bits of the FNV-1a hash of a text, which is the same with every toolchain.
pub fn hash(text: &str) -> String {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, fold);
    format!("{:06x}", (hash ^ (hash >> 24) ^ (hash >> 48)) & 0x00ff_ffff)
}

/// The file of a table of any form.
#[derive(Serialize, Deserialize)]
struct File<R> {
    client: String,
    /// The hash of the play that was observed; `None` without a play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    play: Option<String>,
    rows: R,
}

/// Returns the tokens of Rust code, which begins with `//!`, without comments and commas. No answer of the client depends
/// on those: with them, it would be asked everything again after a change of the format. Another text stays as it is.
fn tokens(text: &str) -> String {
    fn add(stream: TokenStream, said: &mut String) {
        for token in stream {
            match token {
                TokenTree::Group(group) => {
                    let delimiter = format!("{:?}", group.delimiter());
                    said.push_str(&delimiter);
                    add(group.stream(), said);
                    said.push_str(&delimiter);
                }
                TokenTree::Punct(punct) if punct.as_char() == ',' => {}
                token => said.extend([" ", &token.to_string()]),
            }
        }
    }
    let is_doc = |line: &&str| ["///", "//!"].iter().any(|start| line.trim_start().starts_with(start));
    let code: Vec<&str> = text.lines().filter(|line| !is_doc(line)).collect();
    let stream = text.starts_with("//!").then(|| TokenStream::from_str(&code.join("\n")));
    let Some(Ok(stream)) = stream else {
        return text.to_owned();
    };
    let mut said = String::new();
    add(stream, &mut said);
    said
}

/// The code that all plays run in.
const RIG: [&str; 7] = [
    include_str!("session.rs"),
    include_str!("mock.rs"),
    include_str!("outcome.rs"),
    include_str!("project.rs"),
    include_str!("debug_log.rs"),
    include_str!("api.rs"),
    include_str!("isolation.rs"),
];

/// Returns the hash of the code that decides on a table's questions to the client, and on their observations.
fn play_of(table: &str) -> Option<String> {
    let own: &[&str] = match table {
        "matchers" | "conditions" | "watched" => &[include_str!("matchers.rs")],
        "edits" | "writes" | "searches" => &[include_str!("edits.rs"), include_str!("../lines/edits.txt")],
        "mods" | "skipped-by-mods" => &[
            include_str!("mods.rs"),
            include_str!("mods/ground.rs"),
            include_str!("mods/there.rs"),
            include_str!("managed.rs"),
            include_str!("../lines/mods.txt"),
        ],
        "rules" => &[include_str!("rules.rs"), include_str!("../lines/rules.txt")],
        "starts" => &[include_str!("starts.rs")],
        verdict::TABLE | PAYLOADS => verdict::PLAYED,
        // Questions of tests; see `Asked`.
        "broken-guards" => &[include_str!("../tests/client/sabotage.rs")],
        "commands-of-skills" => &[include_str!("../tests/client/reviewed.rs")],
        "damaged-plugins" => &[include_str!("plugins.rs"), include_str!("../tests/client/plugins.rs")],
        "broken-settings" | "fixed-files" => &[include_str!("../tests/client/doctor.rs")],
        "settings" => &[include_str!("settings.rs"), include_str!("../fixtures/settings.json")],
        _ => return None,
    };
    let code = RIG.iter().chain(own).map(|text| tokens(text));
    let keys = matches!(table, verdict::TABLE | PAYLOADS).then(verdict::keys);
    Some(hash(&code.chain(keys).collect::<String>()))
}

fn path(version: &str, table: &str) -> PathBuf {
    let folder = repository().join("tests/observed");
    folder.join(version).join(format!("{table}.json"))
}

/// Reads the observations of a version of the client.
///
/// # Errors
///
/// If the table is not recorded, its file is not readable, or it belongs to another version.
pub fn read<R: DeserializeOwned>(version: &str, table: &str) -> Result<R> {
    Ok(file(version, table)?.rows)
}

fn file<R: DeserializeOwned>(version: &str, table: &str) -> Result<File<R>> {
    let path = path(version, table);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let file: File<R> = serde_json::from_str(&text).with_context(|| format!("cannot parse {}", path.display()))?;
    let is_of = &file.client;
    ensure!(is_of == version, "{}: recorded of client {is_of}, not {version}", path.display());
    Ok(file)
}

/// Writes the observations of a version of the client.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write<R: Serialize>(version: &str, table: &str, rows: R) -> Result<()> {
    let path = path(version, table);
    let file = File { client: version.to_owned(), play: play_of(table), rows };
    let text = serde_json::to_string_pretty(&file)?;
    fs::create_dir_all(path.parent().context("a record is in a folder")?)?;
    fs::write(&path, text + "\n").with_context(|| format!("cannot write {}", path.display()))
}

/// Returns `true` if the current code asked the pinned client for a table.
pub fn is_current(table: &str) -> bool {
    let recorded = file::<IgnoredAny>(VERSION, table).ok().and_then(|file| file.play);
    recorded.is_some() && recorded == play_of(table)
}

/// Returns the tables that each run of the client tier asks the client for again, since the code that asks has changed.
///
/// # Errors
///
/// If the folder of records cannot be read.
pub fn outdated() -> Result<Vec<String>> {
    let folder = path(VERSION, "").with_file_name("");
    let mut tables = Vec::new();
    for table in fs::read_dir(folder)? {
        let table = table?.path();
        let table = table.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if play_of(&table).is_some() && !is_current(&table) {
            tables.push(table);
        }
    }
    tables.sort();
    Ok(tables)
}

/// Files of `install` that the client does not read, and that name the checkout or its commit.
const OWN: [&str; 3] = ["built", "hookkit.lock", "hookkit.toml"];

/// The questions of one test. The client is asked those that are not recorded: its input has changed, or the code that
/// asks and judges the answers.
///
/// Such a test is about the client, so our own programs count by their names alone; files that name the checkout and
/// digests of 64 digits do not count.
pub struct Asked {
    table: &'static str,
    recorded: BTreeMap<String, String>,
    now: Mutex<BTreeMap<String, String>>,
}

impl Asked {
    /// Reads the record of the test's questions.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn of(table: &'static str) -> Result<Self> {
        let recorded = match is_current(table) && !is_recording() {
            true => read(VERSION, table)?,
            false => BTreeMap::new(),
        };
        let now = Mutex::default();
        Ok(Self { table, recorded, now })
    }

    /// Returns `true` if the client was asked this before, by a name and the folders that it reads.
    ///
    /// # Errors
    ///
    /// If a folder cannot be read.
    pub fn before(&self, name: &str, folders: &[&Path]) -> Result<bool> {
        let mut question = String::new();
        for folder in folders {
            let files = files::below(folder, &|_| false)?.into_iter();
            for path in files.filter(|path| !OWN.contains(&files::name(path))) {
                let found = path.symlink_metadata()?;
                let content = match found.is_file() {
                    true => fs::read(&path).unwrap_or_default(),
                    false => fs::read_link(&path).unwrap_or_default().into_os_string().into_encoded_bytes(),
                };
                let content = match content.starts_with(b"\x7fELF") {
                    true => "a program".to_owned(),
                    false => {
                        let text = String::from_utf8_lossy(&content);
                        let words = text.split_inclusive(|char: char| !char.is_ascii_hexdigit());
                        words.filter(|word| word.len() < 64).collect()
                    }
                };
                question += &format!("{} {:o}\n{content}\n", path.display(), found.mode());
            }
        }
        for (number, folder) in folders.iter().enumerate() {
            question = question.replace(&*folder.to_string_lossy(), &number.to_string());
        }
        let question = hash(&question);
        let is_known = self.recorded.get(name) == Some(&question);
        self.now.lock().expect("no call panics").insert(name.to_owned(), question);
        Ok(is_known)
    }

    /// Notes the questions, once all were answered as expected, if records are rewritten.
    ///
    /// # Errors
    ///
    /// If the record cannot be written.
    pub fn keep(self) -> Result<()> {
        match is_recording() {
            true => write(VERSION, self.table, self.now.into_inner()?),
            false => Ok(()),
        }
    }
}

impl<T: Serialize + DeserializeOwned> Record<T> {
    /// Reads the record of a table.
    ///
    /// # Errors
    ///
    /// If there is none, it is not readable, or it belongs to another version of the client.
    pub fn read(table: &str) -> Result<Self> {
        let rows = read(VERSION, table)?;
        Ok(Self { rows })
    }

    /// Plays a table unless its record [is current](is_current), and compares the observations with the record.
    /// Rewrites the record on request.
    ///
    /// # Errors
    ///
    /// If the play fails, if they differ, or the record cannot be read or written.
    pub fn check(table: &str, play: impl FnOnce() -> Result<BTreeMap<String, T>>, test_name: &str) -> Result<()> {
        if is_recording() {
            return write(VERSION, table, play()?);
        }
        if is_current(table) {
            return Ok(());
        }
        let (recorded, observed) = (Self::read(table)?, play()?);
        let mut faults = recorded.gaps(observed.keys().map(String::as_str));
        for (key, now) in &observed {
            let Some(recorded) = recorded.rows.get(key) else {
                continue;
            };
            let changes = changes(recorded, now)?;
            faults.extend((!changes.is_empty()).then(|| format!("{key}:\n    {}", changes.join("\n    "))));
        }
        let (command, faults) = (command(test_name), faults.join("\n"));
        ensure!(faults.is_empty(), "the client differs from its record (`{command}`):\n{faults}");
        Ok(())
    }

    /// Lists the rows of a table that have no observation, and the observations that have no row.
    pub fn gaps<'k>(&self, keys: impl IntoIterator<Item = &'k str>) -> Vec<String> {
        let keys: BTreeSet<&str> = keys.into_iter().collect();
        let recorded: BTreeSet<&str> = self.rows.keys().map(String::as_str).collect();
        let missing = keys.difference(&recorded).map(|key| format!("{key}: not recorded"));
        let stale = recorded.difference(&keys).map(|key| format!("{key}: no such row"));
        missing.chain(stale).collect()
    }
}

/// Lists the lines that two observations differ in: `-` was recorded, `+` was observed now.
///
/// # Errors
///
/// If one of them cannot be serialized.
pub fn changes<T: Serialize>(recorded: &T, now: &T) -> Result<Vec<String>> {
    let lines = |value: &T| -> Result<Vec<String>> {
        let text = serde_json::to_string_pretty(value)?;
        Ok(text.lines().map(|line| line.trim_end_matches(',').to_owned()).collect())
    };
    let (recorded, now) = (lines(recorded)?, lines(now)?);
    let gone = without(&recorded, &now).map(|line| format!("-{line}"));
    let new = without(&now, &recorded).map(|line| format!("+{line}"));
    let mut changes: Vec<String> = gone.chain(new).collect();
    if changes.is_empty() && recorded != now {
        changes.push("the same lines in another order".to_owned());
    }
    Ok(changes)
}

/// Returns the lines that are missing in others; each of those counts once.
fn without<'l>(lines: &'l [String], others: &[String]) -> impl Iterator<Item = &'l String> {
    let mut others = others.to_vec();
    lines.iter().filter(move |line| {
        let at = others.iter().position(|other| other == *line);
        at.map(|at| others.swap_remove(at)).is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_name_the_lines_that_differ() -> Result<()> {
        let changes = changes(&["a", "b", "b"], &["b", "c", "a"])?;
        assert_eq!(changes, ["-  \"b\"", "+  \"c\""]);
        assert_eq!(super::changes(&["a", "b"], &["b", "a"])?.len(), 1);
        assert!(super::changes(&["a"], &["a"])?.is_empty());
        Ok(())
    }

    #[test]
    fn a_format_asks_nothing_again_and_a_question_does() {
        let code =
            "//! Of a.\n/// Asks.\nfn ask() -> [&str; 2] {\n    [\n        \"rm a, b\",\n        \"c\",\n    ]\n}\n";
        assert_eq!(tokens(code), tokens("//!\nfn ask() -> [&str; 2] { [\"rm a, b\", \"c\"] }"));
        assert_ne!(tokens(code), tokens(&code.replace("a, b", "a b")));
        assert_eq!(tokens("pass\tit is, so"), "pass\tit is, so");
    }

    #[test]
    fn fixtures_name_the_version_of_the_client() {
        let readme = include_str!("../fixtures/README.md");
        assert!(readme.contains(&format!("observations of client {VERSION}, ")));
    }

    #[test]
    fn gaps_are_missing_and_stale_rows() {
        let rows = [("a", 1), ("b", 2)].map(|(key, row)| (key.to_owned(), row));
        let record = Record { rows: rows.into() };
        assert_eq!(record.gaps(["b", "c"]), ["c: not recorded", "a: no such row"]);
    }
}
