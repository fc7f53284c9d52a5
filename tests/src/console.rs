//! The console blocks of a Markdown page as cases: bash runs each command, which prints the output on the page.
//!
//! The blocks of a page are one session that begins in `~/code/app`, a repository; `~/code/hookkit` is this one. `cargo
//! xtask` and `cargo-hookkit` are the tested xtask, and paths of this machine are shown as those of `/home/me`. `…` is
//! any text in a line, and alone on a line any lines. `SNAPSHOTS=overwrite` records the output. Comments are for the
//! case:
//!
//! | comment | |
//! |---|---|
//! | `<!-- sh`, lines of a script, `-->` | is run, and not shown |
//! | `<!-- file: PATH -->` | the next block is written to this file |
//! | `<!-- exit N -->` | cargo, in the next block, ends with this exit code and not with 0 |
//! | `<!-- picture: NAME -->` | a picture below the next block, in colors and 80 columns wide, is what the command prints |
//! | `<!-- not run: REASON -->` | the next block is not a case |
//!
//! A comment can have several of them, with `; ` between.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::xtask::{self, repository, text, without_progress};

mod picture;

pub use picture::is_drawn;

/// The folder that pages show as the user's own. The real one has a path of the same length, since lines are wrapped by it.
const HOME: &str = "/home/me";

/// The scripts of a session.
const SCRIPTS: &str = "tests/src/console";

/// A home folder for playing pages.
pub struct Console {
    home: TempDir,
    /// Paths of this machine, each with its replacement on pages.
    paths: Vec<(String, String)>,
}

impl Console {
    /// Makes a home folder.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    pub fn new() -> Result<Self> {
        let home = tempfile::Builder::new().prefix("").rand_bytes(3).tempdir_in("/tmp")?;
        let path = text(home.path())?.to_owned();
        let shown = [("/tmp", "/tmp"), ("/managed", "/etc/claude-code"), ("", HOME)];
        let paths = shown.map(|(inner, shown)| (format!("{path}{inner}"), shown.to_owned()));
        let mut console = Self { home, paths: paths.into() };
        console.succeed("home", text(&repository().join(SCRIPTS).join("cargo.sh"))?)?;
        console.link("hookkit", repository())?;
        Ok(console)
    }

    /// Makes `~/code/NAME` a link to a folder.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    pub fn link(&mut self, name: &str, folder: &Path) -> Result<()> {
        std::os::unix::fs::symlink(folder, self.home.path().join("code").join(name))?;
        self.show(folder, name)
    }

    /// Shows a folder as `~/code/NAME`.
    ///
    /// # Errors
    ///
    /// If its path is not UTF-8.
    pub fn show(&mut self, folder: &Path, name: &str) -> Result<()> {
        // Before the folders that it is in.
        let shown = (text(folder)?.to_owned(), format!("{HOME}/code/{name}"));
        self.paths.insert(0, shown);
        Ok(())
    }

    /// Plays the console blocks of a page, by its path in the repository.
    ///
    /// # Errors
    ///
    /// If a command prints something else than the page shows, has another exit code, or if there is no command.
    pub fn play(&self, page: &str) -> Result<()> {
        let path = repository().join(page);
        let committed = fs::read_to_string(&path).with_context(|| page.to_owned())?;
        let (mut played, mut wrong, mut count, mut note) = (String::new(), String::new(), 0, "");
        let mut lines = committed.split_inclusive('\n').zip(1..);
        while let Some((line, number)) = lines.next() {
            let mut until = |end: &str| -> String {
                let lines = lines.by_ref().map(|(line, _)| line);
                lines.take_while(|line| line.trim_end() != end).collect()
            };
            played += line;
            if line.trim_end() == "<!-- sh" {
                let script = until("-->");
                self.succeed("set-up", &script).with_context(|| format!("{page}:{number}"))?;
                played += &format!("{script}-->\n");
            } else if let Some(comment) = line.strip_prefix("<!-- ") {
                note = comment.trim_end().trim_end_matches(" -->");
            } else if let Some(language) = line.strip_prefix("```") {
                let block = until("```");
                let noted = |key: &str| note.split("; ").find_map(|note| note.strip_prefix(key));
                if let Some(path) = noted("file: ~/") {
                    let path = self.home.path().join(path);
                    fs::write(&path, &block).with_context(|| path.display().to_string())?;
                }
                let is_case = language.trim_end() == "console" && noted("not run: ").is_none();
                let mut shown = if is_case { String::new() } else { block.clone() };
                for (command, expected) in cases(&block).filter(|_| is_case) {
                    let due = noted("exit ").filter(|_| command.starts_with("cargo")).unwrap_or("0");
                    let (is_as_shown, found, code);
                    if let Some(name) = noted("picture: ") {
                        (found, code) = self.output("picture", command)?;
                        is_as_shown = is_drawn(name, &found)?;
                        shown += &format!("$ {command}\n");
                    } else {
                        (found, code) = self.output("command", command)?;
                        let new = recorded(&expected, &found);
                        is_as_shown = new == expected;
                        shown += &format!("$ {command}\n{new}");
                    }
                    if !is_as_shown || code != due {
                        wrong += &format!("{page}:{number}: $ {command}\n{found}exit code {code}\n");
                    }
                    count += 1;
                }
                (played, note) = (played + &shown + "```\n", "");
            }
        }
        if is_overwriting() {
            fs::write(&path, &played)?;
        }
        ensure!(count > 0, "{page} has no commands");
        ensure!(wrong.is_empty(), "not as the page shows it (SNAPSHOTS=overwrite records it):\n{wrong}");
        Ok(())
    }

    /// Runs a part of the session.
    fn bash(&self, part: &str, script: &str) -> Result<Output> {
        let mut bash = Command::new("bash");
        bash.arg(repository().join(SCRIPTS).join("session.sh")).args([part, script]);
        bash.env("REAL_HOME", env::home_dir().context("a home folder")?);
        bash.env("TESTED_XTASK", xtask::command(self.home.path(), &[])?.get_program());
        bash.env("REAL_CARGO", xtask::cargo_program()).env("CLIENT", crate::client::VERSION);
        bash.env("HOME", self.home.path()).current_dir(self.home.path());
        Ok(bash.stdin(Stdio::null()).output()?)
    }

    fn succeed(&self, part: &str, script: &str) -> Result<()> {
        let output = self.bash(part, script)?;
        ensure!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stdout));
        Ok(())
    }

    /// Runs a command, and returns its output as it is on every machine, and its exit code.
    fn output(&self, part: &str, command: &str) -> Result<(String, String)> {
        let output = self.bash(part, command)?;
        let mut found = without_progress(&String::from_utf8(output.stdout)?);
        for (path, shown) in &self.paths {
            found = found.replace(path, shown);
        }
        let found = found.lines().map(|line| neutral(line.trim_end(), part == "picture") + "\n");
        let code = output.status.code().context("a signal has ended bash")?;
        Ok((found.collect(), code.to_string()))
    }
}

fn is_overwriting() -> bool {
    env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite")
}

/// Returns the pages of a tier: these of the book, and all in `tests/fixtures/console`.
///
/// # Errors
///
/// If that folder cannot be read.
pub fn pages(tier: &str, book: &[&str]) -> Result<Vec<String>> {
    let folder = format!("tests/fixtures/console/{tier}");
    let mut pages: Vec<String> = book.iter().map(|page| format!("docs/book/src/{page}.md")).collect();
    for file in fs::read_dir(repository().join(&folder))? {
        pages.push(format!("{folder}/{}", file?.file_name().to_string_lossy()));
    }
    Ok(pages)
}

/// Returns the commands of a block, each with its output.
fn cases(block: &str) -> impl Iterator<Item = (&str, String)> {
    let lines: Vec<&str> = block.lines().collect();
    let commands = lines.iter().enumerate().filter(|(_, line)| line.starts_with("$ "));
    let commands: Vec<(usize, &str)> = commands.map(|(at, line)| (at, &line[2..])).collect();
    commands.into_iter().map(move |(at, command)| {
        let printed = lines[at + 1..].iter().take_while(|line| !line.starts_with("$ "));
        (command, printed.map(|line| format!("{line}\n")).collect())
    })
}

/// Returns the output to record on a page: the expected one if it matches, or else the found one with the expected
/// lines that match.
fn recorded(expected: &str, found: &str) -> String {
    let (shown, lines): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    if fits(&shown, &lines) {
        return expected.to_owned();
    }
    let known = |line: &str| shown.iter().find(|known| known.trim() != "…" && fits_line(known, line)).copied();
    lines.iter().map(|line| known(line).unwrap_or(line).to_owned() + "\n").collect()
}

/// Returns `true` if these lines match the shown ones. `…` on a line of its own is any number of lines.
fn fits(shown: &[&str], lines: &[&str]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first.trim() == "…" => (0..=lines.len()).any(|from| fits(rest, &lines[from..])),
        Some((first, rest)) => {
            lines.split_first().is_some_and(|(line, lines)| fits_line(first, line) && fits(rest, lines))
        }
    }
}

/// Returns `true` if a line is shown so. `…` is any text.
fn fits_line(shown: &str, line: &str) -> bool {
    let Some((start, rest)) = shown.split_once('…') else {
        return shown == line;
    };
    let Some(line) = line.strip_prefix(start) else {
        return false;
    };
    line.char_indices().map(|(at, _)| at).chain([line.len()]).any(|at| fits_line(rest, &line[at..]))
}

/// Gives each temporary folder the same name, and writes times as one millisecond: all of them, or those after the word `time`.
fn neutral(line: &str, is_timed: bool) -> String {
    let mut parts = line.split("/.tmp");
    let mut named = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        named += "/trial-0001";
        named += part.trim_start_matches(|char: char| char.is_ascii_alphanumeric());
    }
    if !is_timed && !named.trim_start().starts_with("time ") {
        return named;
    }
    let parts: Vec<&str> = named.split(" ms").collect();
    let (last, times) = parts.split_last().unwrap_or((&"", &[]));
    let times = times.iter().map(|part| {
        let rest = part.trim_end_matches(|char: char| char.is_ascii_digit());
        rest.to_owned() + if rest.len() < part.len() { "1 ms" } else { " ms" }
    });
    times.collect::<String>() + last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_any_text_and_any_lines() {
        test_support::lines!("lines/console.txt").check_inputs(|_, texts| {
            let is_shown = recorded(texts[0], texts[1]) == texts[0];
            if is_shown { "the same" } else { "another" }.to_owned()
        });
        assert_eq!(recorded("x\na …\n", "b\na 1\n"), "b\na …\n");
        assert_eq!(neutral("time 12 ms, a ms, 3", false), "time 1 ms, a ms, 3");
        assert_eq!(neutral("9 ms a/.tmpAb3xYz/.env", true), "1 ms a/trial-0001/.env");
    }

    #[test]
    fn a_page_that_shows_something_else_and_one_without_commands_fail() {
        let console = Console::new().unwrap();
        let folder = test_support::folder();
        let file = folder.path().join("page.md");
        let played = |content: &str| {
            fs::write(&file, content).unwrap();
            console.play(text(&file).unwrap()).map_err(|err| err.to_string())
        };
        for (content, part) in [
            ("```console\n$ echo a\nb\n```\n", ":1: $ echo a\na\nexit code 0\n"),
            ("<!-- exit 1 -->\n```console\n$ cargo --version\n…\n```\n", "exit code 0\n"),
            ("```console\n$ false\n```\n", "exit code 1\n"),
            ("<!-- sh\nfalse\n-->\n", ":1"),
            ("<!-- not run: so -->\n```console\n$ false\n```\n", "has no commands"),
        ] {
            let error = played(content).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        let content = "<!-- file: ~/a -->\n```text\nb\n```\n<!-- exit 1 -->\n```console\n$ cd ~\n$ pwd; cat a\n\
                       /home/me\nb\n$ cargo --no\n…\n```\n";
        assert_eq!(played(content), Ok(()));
    }
}
