//! Copies of files that are made to be shared, to where no file is yet, `cp .env.example .env`, and links.

use hookkit::shell::{Command, Redirection, RedirectionOperator, Word};

use super::Look;
use crate::folders::Folders;
use crate::words::operands;
use hookkit::secrets::files::is_public;

impl Look<'_> {
    /// Returns the name of the file that a command makes from one that is made to be shared, and replaces none.
    pub(super) fn made_from_public<'c>(&self, at: usize, command: &'c Command) -> Option<&'c str> {
        // One of the names may be `cp`, or `test`.
        if !matches!(command.program(), Some("cp" | "mv")) || self.defines {
            return None;
        }
        let [from, to] = operands(command)[..] else {
            return None;
        };
        let (from, to) = (from.literal()?, to.literal()?);
        let mut options = command.arguments().iter().map(Word::known_start);
        let is_plain = options.all(|word| !word.starts_with('-') || is_plain(word));
        // A link of such a name leads anywhere.
        if !is_plain || !is_public(from) || self.path(from).is_some() {
            return None;
        }
        (replaces_nothing(command) || !self.may_be_there(command, to) || self.is_behind_test(at, to)).then_some(to)
    }

    /// Returns the names of a file and of a new link to it, which is known for what it is by its own name: `ln -s ../.env .env`.
    pub(super) fn linked<'c>(&self, command: &'c Command) -> Option<[&'c str; 2]> {
        if command.program() != Some("ln") || self.defines {
            return None;
        }
        let [from, to] = operands(command)[..] else {
            return None;
        };
        let (from, to) = (from.literal()?, to.literal()?);
        let mut options = command
            .arguments()
            .iter()
            .filter_map(|word| word.known_start().strip_prefix('-'));
        let is_link = options.clone().any(|letters| letters.contains('s'));
        let is_plain = options.all(|letters| letters.bytes().all(|letter| b"Tfnrsv".contains(&letter)));
        (is_link && is_plain && !self.may_be_there(command, to) && self.path(to).is_some()).then_some([from, to])
    }

    /// Returns the folders that a command may run in.
    pub(super) fn folders_of(&self, command: &Command) -> &Folders {
        let along = || Folders::along(self.line, self.script, self.context);
        let (whole, steps) = self.along.get_or_init(along);
        Folders::step(steps, command).map_or(whole, |folders| folders)
    }

    /// Returns `false` for the name of a file that is not there.
    pub(super) fn may_be_there(&self, command: &Command, name: &str) -> bool {
        match self.folders_of(command).only() {
            // Behind a link, `..` leads elsewhere.
            _ if name.split('/').any(|name| name == "..") => true,
            Some(context) => context.absolute(name).symlink_metadata().is_ok(),
            None => true,
        }
    }

    /// Returns `true` if a command only runs where a test has found no file of this name: `[ -f .env ] || …`,
    /// `if [ ! -f .env ]; then …`, also behind what the branch prints
    /// first, or a folder that it makes.
    fn is_behind_test(&self, at: usize, name: &str) -> bool {
        // The text of a document may look like an operator.
        let is_document = |redirection: &Redirection| redirection.operator == RedirectionOperator::HereDocument;
        if (self.commands.iter()).any(|command| command.redirections.iter().any(is_document)) {
            return false;
        }
        let mut is_other_branch = false;
        for (prints, at) in (0..=at).rev().enumerate() {
            let Some(test) = self.test_before(at) else { return false };
            let is_there = match test.operators[..] {
                [] => None,
                ["else"] if !is_other_branch => {
                    is_other_branch = true;
                    None
                }
                ["then"] => Some(is_other_branch),
                ["||"] if prints == 0 => Some(true),
                ["&&"] if prints == 0 => Some(false),
                ["||", "{"] if !is_other_branch => Some(true),
                ["&&", "{"] if !is_other_branch => Some(false),
                _ => return false,
            };
            if let Some(is_there) = is_there {
                return test.finds(name, is_there);
            }
            if !matches!(test.words[..], ["echo" | "mkdir" | "printf", ..]) {
                return false;
            }
        }
        false
    }

    /// Returns the command before another one, and what connects them. `[[ … ]]` is none of the line's commands.
    fn test_before(&self, at: usize) -> Option<Test<'_>> {
        let command = &self.commands[at];
        let before = at.checked_sub(1).map(|at| &self.commands[at]);
        let between = self
            .line
            .get(before.map_or(0, |before| before.span.end)..command.span.start)?;
        if let Some((test, operators)) = between.rsplit_once("]]") {
            let (before, test) = test.rsplit_once("[[")?;
            let words = test.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
            return Some(Test {
                before: parts(before),
                words: std::iter::once("[[").chain(words).chain(["]]"]).collect(),
                operators: parts(operators),
            });
        }
        let before = before.filter(|before| before.via == command.via)?;
        // To another descriptor, `echo` prints what it prints.
        let is_print = matches!(before.program(), Some("echo" | "mkdir" | "printf"));
        let is_descriptor = |to: &Redirection| {
            let is_number = (to.target.literal()).is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
            to.operator == RedirectionOperator::DuplicateOutput && is_number
        };
        let is_plain = before.redirections.iter().all(|to| is_print && is_descriptor(to));
        if !is_plain || !before.assignments.is_empty() {
            return None;
        }
        let start = at.checked_sub(2).map_or(0, |at| self.commands[at].span.end);
        Some(Test {
            before: parts(self.line.get(start..before.span.start)?),
            words: before
                .words
                .iter()
                .map(|word| word.literal().unwrap_or_default())
                .collect(),
            operators: parts(between),
        })
    }
}

/// A command that may be a test for a file.
struct Test<'l> {
    /// The operators and reserved words in front of it, and behind it.
    before: Vec<&'l str>,
    words: Vec<&'l str>,
    operators: Vec<&'l str>,
}

fn parts(text: &str) -> Vec<&str> {
    let parts = text.split([';', ' ', '\t', '\n']);
    parts.filter(|part| !part.is_empty()).collect()
}

impl Test<'_> {
    /// Returns `true` if it succeeds where this file is there, or where it is not, and decides that alone.
    fn finds(&self, name: &str, is_there: bool) -> bool {
        let words = match &self.words[..] {
            ["test", words @ ..] | ["[", words @ .., "]"] | ["[[", words @ .., "]]"] => words,
            _ => return false,
        };
        let (operator, tested, is_negated) = match *words {
            ["!", operator, tested] => (operator, tested, true),
            [operator, tested] => (operator, tested, false),
            _ => return false,
        };
        let (before, is_inverted) = match &self.before[..] {
            [before @ .., "!"] => (before, true),
            before => (before, false),
        };
        let is_known = |part: &&str| {
            let reserved = ["do", "done", "elif", "else", "fi", "if", "then"];
            reserved.contains(part) || ["&&", "(", ")", "{", "|", "||", "}"].contains(part)
        };
        // Where another command has a say, the file may be there.
        let other = if is_there { "&&" } else { "||" };
        before.iter().all(is_known)
            && before.last() != Some(&other)
            && matches!(operator, "-e" | "-f" | "-s")
            && without_dot(tested) == without_dot(name)
            && (is_negated ^ is_inverted) != is_there
    }
}

fn without_dot(name: &str) -> &str {
    name.strip_prefix("./").unwrap_or(name)
}

/// Returns `true` for options of `cp` with which it makes one file of another.
fn is_plain(option: &str) -> bool {
    match option.strip_prefix('-') {
        Some("-no-clobber" | "-update=none" | "-verbose") => true,
        Some(letters) => letters.bytes().all(|letter| b"afinpruv".contains(&letter)),
        None => false,
    }
}

/// Returns `true` for a `cp -n`.
fn replaces_nothing(command: &Command) -> bool {
    let is_short = |word: &str| word.starts_with('-') && !word.starts_with("--");
    let mut words = command.arguments().iter().map(Word::known_start);
    let is_kept = words.clone().any(|word| match word {
        "--no-clobber" | "--update=none" => true,
        word => is_short(word) && word.contains('n'),
    });
    // The last one decides.
    is_kept && !words.any(|word| is_short(word) && word.contains(['f', 'i', 'u']))
}
