//! The console blocks of a Markdown page as cases: bash runs each command, which prints what the page shows.
//!
//! The blocks of a page are one session that begins in `~/code/app`, a repository; `~/code/hookkit` is this one. `cargo xtask`
//! and `cargo hookkit` are the tested xtask, and paths of this machine are shown as those of `/home/me`. `…` is any text in a
//! line, and alone on a line any lines. `SNAPSHOTS=overwrite` records what a command prints. Comments are for the case:
//!
//! | comment | |
//! |---|---|
//! | `<!-- sh`, lines of a script, `-->` | is run, and not shown |
//! | `<!-- file: PATH -->` | the next block is written to this file |
//! | `<!-- exit N -->` | cargo, in the next block, ends with this exit code and not with 0 |
//! | `<!-- not run: REASON -->` | the next block is not a case |

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::xtask::{self, repository, text, without_progress};

/// The folder that pages show as the user's own. The real one has a path of the same length, since lines are wrapped by it.
const HOME: &str = "/home/me";

/// Runs a command in the folder where the one before it ended.
const SESSION: &str = r#"exec 2>&1; cd "$(cat ~/.folder)"; eval "$1"; code=$?; pwd > ~/.folder; exit $code"#;

/// The program `cargo`, as the commands find it.
const CARGO: &str = r#"#!/bin/sh
case "$1" in xtask | hookkit) ;; *) exec "$REAL_CARGO" "$@" ;; esac
shift
case "$1" in
doctor | list) exec "$TESTED_XTASK" "$@" --managed "$HOME/managed" ;;
off | allow-once) [ "$TYPED" != nothing ] || exec "$TESTED_XTASK" "$@" ;;
*) exec "$TESTED_XTASK" "$@" ;;
esac
# A person types the code, or what TYPED says.
mkfifo ~/keyboard && exec 3<> ~/keyboard
: > ~/screen
[ "$1" = off ] || set -- "$1" "'$2'"
NO_COLOR=1 script -q -e -f -c "$TESTED_XTASK $*" /dev/null < ~/keyboard > ~/screen &
until code=$(grep -o 'type [a-z]*: $' ~/screen) || ! kill -0 $! 2> /dev/null; do sleep 0.05; done
echo "${TYPED:-$code}" | sed 's/type \(.*\): /\1/' >&3
wait $!
code=$?
sed 's/\r$//; s/\(type \)[a-z]*: [a-z]*/\1hkwe: hkwe/' ~/screen
rm ~/keyboard
exit $code
"#;

/// A home folder, in which pages are played.
pub struct Console {
    home: TempDir,
    /// Paths of this machine, each with the one that pages show.
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
        let shown = shown.map(|(inner, shown)| (format!("{path}{inner}"), shown.to_owned()));
        let mut console = Self {
            home,
            paths: shown.into(),
        };
        let client = format!("#!/bin/sh\necho '{} (Claude Code)'\n", crate::client::VERSION);
        for (name, content) in [("bin/cargo", CARGO), ("bin/claude", &client), (".folder", "code/app")] {
            console.write(name, content)?;
        }
        console.link("hookkit", repository())?;
        console.set_up("chmod +x bin/*; mkdir -p managed tmp code/app; git init --quiet -b main code/app")?;
        Ok(console)
    }

    /// Makes `~/code/NAME` a link to a folder.
    ///
    /// # Errors
    ///
    /// If it cannot be made.
    pub fn link(&mut self, name: &str, folder: &Path) -> Result<()> {
        fs::create_dir_all(self.home.path().join("code"))?;
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
                self.set_up(&script).with_context(|| format!("{page}:{number}"))?;
                played += &format!("{script}-->\n");
            } else if let Some(comment) = line.strip_prefix("<!-- ") {
                note = comment.trim_end().trim_end_matches(" -->");
            } else if let Some(language) = line.strip_prefix("```") {
                let block = until("```");
                if let Some(path) = note.strip_prefix("file: ") {
                    self.write(path.trim_start_matches("~/"), &block)?;
                }
                let is_case = language.trim_end() == "console" && !note.starts_with("not run: ");
                let mut shown = if is_case { String::new() } else { block.clone() };
                for (command, expected) in cases(&block).filter(|_| is_case) {
                    let (found, code) = self.output(command)?;
                    let due = note.strip_prefix("exit ").filter(|_| command.starts_with("cargo "));
                    let new = recorded(&expected, &found);
                    if new != expected || code != due.unwrap_or("0") {
                        wrong += &format!("{page}:{number}: $ {command}\n{found}exit code {code}\n");
                    }
                    shown += &format!("$ {command}\n{new}");
                    count += 1;
                }
                (played, note) = (played + &shown + "```\n", "");
            }
        }
        if env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
            fs::write(&path, &played)?;
        }
        ensure!(count > 0, "{page} has no commands");
        ensure!(
            wrong.is_empty(),
            "not as the page shows it (SNAPSHOTS=overwrite records it):\n{wrong}"
        );
        Ok(())
    }

    /// Returns bash with the variables of the session.
    fn bash(&self, script: &str) -> Result<Command> {
        let path = env::join_paths(
            [self.home.path().join("bin")]
                .into_iter()
                .chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
        )?;
        let user = env::home_dir().context("a home folder")?;
        let xtask = xtask::command(self.home.path(), &[])?;
        let mut bash = Command::new("bash");
        for (name, value) in xtask.get_envs() {
            match value {
                Some(value) => bash.env(name, value),
                None => bash.env_remove(name),
            };
        }
        for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            bash.env(name, env::var_os(name).unwrap_or_else(|| user.join(folder).into()));
        }
        for name in [
            "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
        ] {
            bash.env(name, "me");
        }
        bash.args(["-c", script, "bash"])
            .current_dir(self.home.path())
            .env("HOME", self.home.path())
            .env("TMPDIR", self.home.path().join("tmp"))
            .env("PATH", path)
            .env("COLUMNS", "100")
            .env("REAL_CARGO", env!("CARGO"))
            .env("TESTED_XTASK", xtask.get_program())
            .env("CARGO_NET_OFFLINE", "true")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env_remove("CLAUDECODE")
            .env_remove("CLAUDE_CODE_ENTRYPOINT")
            .env_remove("XDG_STATE_HOME")
            .env_remove("CLAUDE_CONFIG_DIR")
            .stdin(Stdio::null());
        Ok(bash)
    }

    fn set_up(&self, script: &str) -> Result<()> {
        let output = self.bash(&format!("set -e; exec 2>&1; {script}"))?.output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "{script}: {said}");
        Ok(())
    }

    /// Runs a command, and returns its output as it is on every machine, and its exit code.
    fn output(&self, command: &str) -> Result<(String, String)> {
        let output = self.bash(SESSION)?.arg(command).output()?;
        let mut found = without_progress(&String::from_utf8(output.stdout)?);
        for (path, shown) in &self.paths {
            found = found.replace(path, shown);
        }
        let found = found.lines().map(|line| without_times(line.trim_end()) + "\n");
        let code = output.status.code().context("a signal has ended bash")?;
        Ok((found.collect(), code.to_string()))
    }

    fn write(&self, path: &str, content: &str) -> Result<()> {
        let path = self.home.path().join(path);
        fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
        fs::write(&path, content).with_context(|| path.display().to_string())
    }
}

/// Returns the pages of a tier: these of the book, and those of `tests/fixtures/console`.
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

/// Returns the commands of a block, each with what it prints.
fn cases(block: &str) -> impl Iterator<Item = (&str, String)> {
    let lines: Vec<&str> = block.lines().collect();
    let commands = lines.iter().enumerate().filter(|(_, line)| line.starts_with("$ "));
    let commands: Vec<(usize, &str)> = commands.map(|(at, line)| (at, &line[2..])).collect();
    commands.into_iter().map(move |(at, command)| {
        let printed = lines[at + 1..].iter().take_while(|line| !line.starts_with("$ "));
        (command, printed.map(|line| format!("{line}\n")).collect())
    })
}

/// Returns what a page shows from now on: what it shows, if that fits, or else what is found, with the lines that fit.
fn recorded(expected: &str, found: &str) -> String {
    let (shown, lines): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    if fits(&shown, &lines) {
        return expected.to_owned();
    }
    let known = |line: &str| {
        shown
            .iter()
            .find(|known| known.trim() != "…" && fits_line(known, line))
            .copied()
    };
    lines
        .iter()
        .map(|line| known(line).unwrap_or(line).to_owned() + "\n")
        .collect()
}

/// Returns `true` if these lines are shown so. `…` on a line of its own is any number of lines.
fn fits(shown: &[&str], lines: &[&str]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first.trim() == "…" => (0..=lines.len()).any(|from| fits(rest, &lines[from..])),
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, lines)| fits_line(first, line) && fits(rest, lines)),
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
    line.char_indices()
        .map(|(at, _)| at)
        .chain([line.len()])
        .any(|at| fits_line(rest, &line[at..]))
}

/// Writes each time in a line about it as one millisecond.
fn without_times(line: &str) -> String {
    if !line.trim_start().starts_with("time ") {
        return line.to_owned();
    }
    let words = line.split_inclusive(' ').collect::<Vec<_>>();
    let is_time = |at: usize| {
        words
            .get(at + 1)
            .is_some_and(|unit| unit.trim_end_matches([' ', ',']) == "ms")
    };
    let words = words.iter().enumerate();
    words.map(|(at, word)| if is_time(at) { "1 " } else { word }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_any_text_and_any_lines() {
        for (shown, found, is_shown) in [
            ("a\n", "a\n", true),
            ("a\n", "b\n", false),
            ("a\n", "a\nb\n", false),
            ("a…c…\n", "abbcd\n", true),
            ("a…c\n", "abbcd\n", false),
            ("…\nb\n", "a\na\nb\n", true),
            ("…\nb\n", "a\n", false),
            ("  …\n", "", true),
        ] {
            assert_eq!(recorded(shown, found) == shown, is_shown, "{shown}{found}");
        }
        assert_eq!(recorded("x\na …\n", "b\na 1\n"), "b\na …\n");
        assert_eq!(without_times("time 12 ms, 9 ms, 3"), "time 1 ms, 1 ms, 3");
    }

    #[test]
    fn a_page_that_shows_something_else_and_one_without_commands_fail() {
        let console = Console::new().unwrap();
        let file = tempfile::Builder::new().suffix(".md").tempfile().unwrap();
        let page = text(file.path()).unwrap();
        for (content, part) in [
            ("```console\n$ echo a\nb\n```\n", ":1: $ echo a\na\nexit code 0\n"),
            (
                "<!-- exit 1 -->\n```console\n$ cargo --version\n…\n```\n",
                "exit code 0\n",
            ),
            ("```console\n$ false\n```\n", "exit code 1\n"),
            ("<!-- sh\nfalse\n-->\n", ":1"),
            ("<!-- not run: so -->\n```console\n$ false\n```\n", "has no commands"),
        ] {
            fs::write(file.path(), content).unwrap();
            let error = console.play(page).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        let content = "<!-- file: ~/x/a -->\n```text\nb\n```\n<!-- exit 101 -->\n```console\n$ cd ~/x\n$ pwd; cat a\n\
                       /home/me/x\nb\n$ cargo --no\n…\n```\n";
        fs::write(file.path(), content).unwrap();
        let error = console.play(page).err().map(|err| err.to_string());
        assert_eq!(error.map(|error| error.contains("exit code 1\n")), Some(true));
    }
}
