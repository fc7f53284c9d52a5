//! Programs as data: a table with the meaning of each option and operand, and the reader of a command's arguments.
//!
//! A [`Program`] is a row of `programs/table.txt`: a line with its names, and indented lines with its usage, like in a manual
//! page:
//!
//! ```text
//! grep/egrep/ggrep
//!     -ABC: -e:pattern -f:patterns -lq=name --regexp:pattern --context: --quiet=name pattern shown
//! docker/podman exec|container exec, docker-compose exec
//!     -it -u: --interactive --tty --user: text command
//! ```
//!
//! - `, ` separates two programs of one kind, and `/` two names of one program. After a blank come the commands of the program
//!   that the row is about, separated by `|`.
//! - `-it` are options without a value, `-ABC:` options with a value each, and `--context:` is a long one. After the colon
//!   comes the [`Role`] of the value; without one it may be anything. Options come in any order.
//! - Operands are roles, too, in order. The last one applies to all further operands; a final `into` applies only to
//!   the last operand.
//! - An option such as `-q=name` gives that role to all operands.
//! - `NAME=VALUE`: assignments may come before the operands. `-*`: a long option may have one dash. `--*:`: every other long
//!   option has a value.
//! - The row `*` has options of any program. The row `?` is for a program without a row, with its command if there is
//!   one. A program without a row counts as a formatter if its name shows that: `yamlfmt`.
//!
//! ```
//! use hookkit::shell::analyze;
//! use hookkit::shell::programs::{Argument, Program, Role};
//!
//! let script = analyze("grep -A 3 token .env");
//! let command = &script.commands()[0];
//! let grep = Program::named(command.program().unwrap()).unwrap();
//! let operands: Vec<String> = grep
//!     .read(command.arguments())
//!     .filter_map(|argument| match argument {
//!         Argument::Operand(word) => Some(word.to_string()),
//!         _ => None,
//!     })
//!     .collect();
//! assert_eq!(operands, ["token", ".env"]);
//! assert_eq!(grep.operands().collect::<Vec<_>>(), [Role::Pattern, Role::Shown]);
//! ```

use std::ops::ControlFlow;
use std::sync::OnceLock;

use crate::Word;
use table::{Row, Table, ends};
pub(crate) use table::{begins, lists};
pub(crate) use text::{consists_of, has_only, up_to};

pub mod find;
pub mod git;
mod names;
pub mod sed;
pub mod table;
pub mod text;

pub(crate) use names::{HARMLESS_OPTIONS, HARMLESS_SHOPT, is_evaluated, steers_shell};
pub use names::{base, runs_value};

/// A row of the table: a program, or some of its commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// First name of the row. Others are GNU names on other systems, and programs with the same usage.
    pub name: &'static str,
    usage: &'static str,
}

macro_rules! roles {
    ($($(#[$doc:meta])* $role:ident $name:literal,)*) => {
        /// The meaning of an operand, or of the value of an option, for a program.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Role { $($(#[$doc])* $role,)* }

        impl Role {
            fn of(text: &str) -> Option<Self> {
                match text {
                    $($name => Some(Self::$role),)*
                    _ => None,
                }
            }

            fn name(self) -> &'static str {
                match self {
                    $(Self::$role => $name,)*
                }
            }
        }
    };
}

roles! {
    /// A value that the table does not describe: it may name a file.
    Value "value",
    /// Text that does not name a file.
    Text "text",
    /// A file to read.
    File "file",
    /// A file to print unchanged.
    Shown "shown",
    /// A file; only its size or checksum is printed.
    Measured "measured",
    /// The name of a file, or text to print.
    Name "name",
    /// A pattern to search for, or a `sed` script.
    Pattern "pattern",
    /// A file with patterns to search for, or with `sed` scripts.
    Patterns "patterns",
    /// A file for the program itself, in place of the first operand.
    Given "given",
    /// A program in another language.
    Code "code",
    /// A command string for a shell.
    Script "script",
    /// A command, with its arguments after it.
    Command "command",
    /// A command of the project's packages or of another environment, with its arguments after it.
    Program "program",
    /// A command in a new container, with its arguments after it.
    Contained "contained",
    /// A script file for a Bourne-family shell, and its arguments.
    ShellScript "shell",
    /// A script file for a shell that certainly supports bash's syntax, and its arguments.
    BashScript "bash",
    /// A command run in an unsupported way.
    Runs "runs",
    /// A file or folder to create.
    Made "made",
    /// A name to redefine in the shell.
    Defines "defines",
    /// The name of a variable, whose subscript is evaluated.
    Variable "variable",
    /// The folder that the program works in.
    Folder "folder",
    /// The destination of the other operands.
    Into "into",
    /// A file to copy.
    Copied "copied",
    /// A file to move.
    Moved "moved",
    /// A file to link to.
    Linked "linked",
    /// A file to copy, with a mode for the copy.
    Put "put",
    /// A file to write.
    Written "written",
    /// A file to write with data from another machine.
    Named "named",
    /// An address whose last component names the file to write.
    Address "address",
    /// A machine, or another address, to which any data may be sent.
    Host "host",
    /// A file to write after `of=`, otherwise to read.
    Assigned "assigned",
    /// An archive to read or write.
    Archive "archive",
    /// A file that loses its content.
    Lost "lost",
    /// A file or folder to delete with its content.
    Deleted "deleted",
    /// An empty folder to delete.
    Removed "removed",
    /// A file whose mode, owner or times are changed.
    Mode "mode",
    /// A folder with its content, whose mode, owner or times are changed.
    Tree "tree",
    /// A file or text to send to another machine.
    Sent "sent",
    /// An HTTP method.
    Method "method",
    /// The name of processes to find, or to kill.
    Ended "ended",
    /// A package to fetch: its name in a registry, or an address.
    Package "package",
}

/// The argument of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// No argument.
    Nothing,
    /// No argument; the option gives this role to all operands.
    Makes(Role),
    /// A value.
    Value(Role),
}

impl Program {
    /// Returns the row of a program, for any of its commands.
    pub fn named(name: &str) -> Option<Self> {
        row(name, |name| TABLE.rows(name).next().map(Self::from))
    }

    /// Returns the row of the subcommand in `arguments`, or else of the program, and the number of words before that row's
    /// arguments.
    pub fn of(name: &str, arguments: &[Word]) -> Option<(Self, usize)> {
        let of_command = |name: &str| {
            // The command may follow options with their values.
            let mut words = arguments.iter().take(MOST).filter_map(Word::literal);
            words.find_map(|word| {
                TABLE.rows_of_command(name, word).find_map(|row| {
                    let from = row.commands.split('|').find_map(|command| behind(command, arguments))?;
                    Some((Self::from(row), from))
                })
            })
        };
        let of_its_kind = || {
            ends(FORMATTERS, name)
                .then(|| Some((Self::from(TABLE.rows_of_command("?", "format").next()?), 0)))
                .flatten()
        };
        row(name, of_command).or_else(|| Some((Self::named(name)?, 0))).or_else(|| of_command("?")).or_else(of_its_kind)
    }

    /// Returns the argument of an option with one letter.
    pub fn letter(&self, letter: char) -> Option<Takes> {
        self.options()
            .find(|(names, _)| !names.starts_with("--") && names[1..].contains(letter))
            .map(|(_, takes)| taken(takes))
    }

    /// Returns the argument of a long option, and its full name; a beginning of the name is enough.
    pub fn long(&self, name: &str) -> Option<(&'static str, Takes)> {
        let found = self.options().filter_map(|(names, takes)| Some((names.strip_prefix("--")?, takes))).try_fold(
            None,
            |cut, (long, takes)| match long.strip_prefix(name) {
                Some("") => ControlFlow::Break((long, takes)),
                Some(_) => ControlFlow::Continue(cut.or(Some((long, takes)))),
                None => ControlFlow::Continue(cut),
            },
        );
        let found = match found {
            ControlFlow::Break(whole) => Some(whole),
            ControlFlow::Continue(cut) => cut.filter(|_| !name.is_empty() && !self.has_one_dash()),
        };
        found.map(|(long, takes)| (long, taken(takes)))
    }

    /// Returns the roles of the operands, in order. The last one applies to all further operands.
    pub fn operands(&self) -> impl Iterator<Item = Role> + use<> {
        self.usage.split_ascii_whitespace().filter(|token| !token.starts_with('-')).filter_map(Role::of)
    }

    /// Returns the role of the last operands.
    pub fn last(&self) -> Role {
        self.usage.split_ascii_whitespace().next_back().and_then(Role::of).unwrap_or(Role::File)
    }

    /// Returns `true` if an operand, an option's value, or all operands with an option have this role.
    pub fn has(&self, role: Role) -> bool {
        let name = role.name();
        self.usage.match_indices(name).any(|(at, _)| {
            let usage = self.usage.as_bytes();
            let rest = usage.get(at + name.len());
            matches!(usage[at.saturating_sub(1)], b' ' | b':' | b'=') && rest.is_none_or(u8::is_ascii_whitespace)
        })
    }

    /// Returns `true` if assignments may come before the operands.
    pub fn takes_assignments(&self) -> bool {
        self.usage.split_ascii_whitespace().any(|token| token == "NAME=VALUE")
    }

    /// Returns `true` if long options may have one dash.
    fn has_one_dash(&self) -> bool {
        self.usage.split_ascii_whitespace().next() == Some("-*")
    }

    /// Returns the names of the options, each with the text of its [argument](taken).
    fn options(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        let tokens = self.usage.split_ascii_whitespace();
        tokens.filter(|token| token.starts_with('-')).map(|token| {
            token.split_at(token.bytes().position(|byte| matches!(byte, b':' | b'=')).unwrap_or(token.len()))
        })
    }

    /// Returns the row for programs without their own.
    pub fn other() -> Self {
        Self::named("?").expect("the table has a row `?`")
    }

    /// Reads the words after a program's name, or after the words of its command.
    pub fn read<'w>(&self, words: &'w [Word]) -> Arguments<'w> {
        Arguments { program: *self, common: None, words, index: 0, letters: 0, are_options_over: false }
    }
}

/// Suffixes of the names of programs that change the files given to them: `yamlfmt`, `swift-format`, `php-cs-fixer`.
const FORMATTERS: &str = "beautifier beautify fix fixer fmt format formatter indent tidy";

/// Returns the argument of an option, from the text after its names.
fn taken(text: &str) -> Takes {
    let role = |name| Role::of(name).unwrap_or(Role::Value);
    match text.split_at_checked(1) {
        Some((":", name)) => Takes::Value(role(name)),
        Some((_, name)) => Takes::Makes(role(name)),
        None => Takes::Nothing,
    }
}

/// Maximum number of words to search for a command.
const MOST: usize = 8;

/// Returns the index after the words of a command.
fn behind(command: &str, arguments: &[Word]) -> Option<usize> {
    let mut from = 0;
    for wanted in command.split_ascii_whitespace() {
        let rest = &arguments[from..];
        let at = rest.iter().take(MOST).position(|word| word.literal() == Some(wanted))?;
        let is_value = |index: usize| index > 0 && rest[index - 1].is_option();
        if !(0..at).all(|index| rest[index].is_option() || is_value(index)) {
            return None;
        }
        from += at + 1;
    }
    Some(from)
}

/// An argument of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument<'w> {
    /// A word that is neither an option nor the value of one.
    Operand(&'w Word),
    /// An option in the program's row.
    Known {
        /// The word with the option.
        word: &'w Word,
        /// Letter, or full long name.
        name: &'w str,
        /// `false` if the name is shortened.
        is_whole: bool,
        /// The option's argument.
        takes: Takes,
        /// The word with the value, and the value's position in the word's [literal prefix](Word::known_start).
        value: Option<(&'w Word, usize)>,
    },
    /// An option that is not in the row.
    Unknown(&'w Word),
}

/// Iterator over the arguments of a program.
#[derive(Debug, Clone)]
pub struct Arguments<'w> {
    program: Program,
    common: Option<Program>,
    words: &'w [Word],
    index: usize,
    /// Position of the next letter in a word of option letters.
    letters: usize,
    are_options_over: bool,
}

impl<'w> Arguments<'w> {
    /// Adds the options that mean the same for every program: `--exclude`, `--key`.
    #[must_use]
    pub fn with_common(self) -> Self {
        static COMMON: OnceLock<Option<Program>> = OnceLock::new();
        let common = *COMMON.get_or_init(|| Program::named("*"));
        Self { common, ..self }
    }

    /// Returns the index of the next word.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Reads the next letter of a word with one dash.
    fn letter(&mut self, word: &'w Word) -> Option<Argument<'w>> {
        let start = word.known_start();
        let at = self.letters.max(1);
        let letter = start[at..].chars().next()?;
        let end = at + letter.len_utf8();
        let takes = self.program.letter(letter);
        // A value may continue in an expansion.
        let is_last = end == start.len() && word.parts.len() == 1;
        let is_over = is_last || matches!(takes, Some(Takes::Value(_))) || end == start.len();
        self.letters = if is_over { 0 } else { end };
        self.index += usize::from(is_over);
        let Some(takes) = takes else {
            // The text after it may be its value.
            let is_value = |char: char| !char.is_ascii_alphabetic();
            if !is_over && (start[end..].contains(is_value) || word.parts.len() > 1) {
                (self.letters, self.index) = (0, self.index + 1);
            }
            return Some(Argument::Unknown(word));
        };
        let value = match takes {
            Takes::Value(_) if !is_last => Some((word, end)),
            Takes::Value(_) => self.next_word(),
            _ => None,
        };
        Some(Argument::Known { word, name: &start[at..end], is_whole: true, takes, value })
    }

    /// Reads an option by its full name.
    fn long(&mut self, word: &'w Word, dashes: usize) -> Argument<'w> {
        let start = word.known_start();
        self.index += 1;
        let equals = start.find('=');
        let written = &start[dashes..equals.unwrap_or(start.len())];
        let is_cut_off = equals.is_none() && word.parts.len() > 1;
        let common = self.common.and_then(|common| common.long(written));
        // A program that changes nothing treats it as text, and one that runs others has their options after it.
        let is_of_files = || matches!(self.program.last(), Role::File | Role::Shown);
        let is_own = |takes: &Takes| !matches!(takes, Takes::Makes(_)) || is_of_files();
        let common = common.filter(|(name, takes)| name.len() == written.len() && is_own(takes));
        let own = self.program.long(written);
        let found = match own {
            Some((_, Takes::Value(Role::Value))) => common.or(own),
            _ => own.or(common),
        };
        let has_others = || self.program.options().any(|(names, _)| names == "--*");
        let Some((name, takes)) =
            found.or_else(|| has_others().then_some((written, Takes::Value(Role::Value)))).filter(|_| !is_cut_off)
        else {
            return Argument::Unknown(word);
        };
        let value = match (takes, equals) {
            (_, Some(equals)) => Some((word, equals + 1)),
            (Takes::Value(_), None) => self.next_word(),
            _ => None,
        };
        Argument::Known { word, name, is_whole: name.len() == written.len(), takes, value }
    }

    /// Returns `true` for a long option with one dash, of any program: `-env-file`. Shorter words may be option
    /// letters.
    fn is_common(&self, option: &str) -> bool {
        const SHORTEST: usize = 7;
        let name = up_to(&option[1..], '=');
        let long = self.common.filter(|_| name.len() >= SHORTEST).and_then(|common| common.long(name));
        long.is_some_and(|(long, _)| long == name)
    }

    fn next_word(&mut self) -> Option<(&'w Word, usize)> {
        let word = self.words.get(self.index)?;
        self.index += 1;
        Some((word, 0))
    }
}

impl<'w> Iterator for Arguments<'w> {
    type Item = Argument<'w>;

    fn next(&mut self) -> Option<Argument<'w>> {
        let mut word = self.words.get(self.index)?;
        if !self.are_options_over && word.literal() == Some("--") {
            self.are_options_over = true;
            self.index += 1;
            word = self.words.get(self.index)?;
        }
        let start = word.known_start();
        if self.are_options_over || !start.starts_with('-') || start == "-" && word.parts.len() == 1 {
            self.index += 1;
            return Some(Argument::Operand(word));
        }
        match start.strip_prefix("--") {
            Some(_) => Some(self.long(word, 2)),
            None if self.program.has_one_dash() || self.is_common(start) => Some(self.long(word, 1)),
            None => self.letter(word),
        }
    }
}

static TABLE: Table<2048> = Table::new(include_str!("programs/table.txt"));

impl From<Row> for Program {
    fn from(row: Row) -> Self {
        Self { name: row.name, usage: row.text }
    }
}

/// Returns a program's name without its version: `python` of `python3.11`.
pub fn family(name: &str) -> &str {
    name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.')
}

/// Finds a program by its name, also without an extension or a version: `python` of `python3.11`.
fn row<T>(name: &str, find: impl Fn(&str) -> Option<T>) -> Option<T> {
    let plain = name.strip_suffix(".exe").unwrap_or(name);
    find(plain).or_else(|| {
        let family = family(plain);
        if family.len() < plain.len() { find(family) } else { None }
    })
}

#[cfg(test)]
mod tests;
