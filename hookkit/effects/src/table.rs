//! The table of programs.

mod machine;
mod packages;
mod services;
mod tools;

use crate::Operands;
use crate::known::Row;

/// A row of the table: programs of one kind. Lists are separated by blanks.
///
/// Commands are separated by `|`, and are the words that they begin with: `a/b` is one of two words, `x*` begins with `x`,
/// `*` is any word, `**` are the names of groups, and behind `$` nothing follows but options of `before`. An empty text is
/// any command.
struct Program {
    names: &'static str,
    /// Options before the command and between its words; those with a value end in `:`.
    before: &'static str,
    /// The commands that only read.
    reads: Option<&'static str>,
    /// Those that run code of the project: its tests, its build, its linters.
    builds: Option<&'static str>,
    /// Those that edit the project's files.
    edits: Option<&'static str>,
    /// The names of groups; where it is empty, all words before the last one are such.
    groups: &'static str,
    /// Further options that they may have; `*` are all but those of `unless`.
    options: &'static str,
    /// Words, parts of words, and options with which a command is none of them.
    unless: &'static str,
    takes_no_operand: bool,
    operands: Operands,
    settings: &'static [&'static str],
    /// Words by which it deletes from a service, besides those by which all do.
    deletes: Option<&'static str>,
}

/// A program of which nothing is known.
const PROGRAM: Program = Program {
    names: "",
    before: "",
    reads: None,
    builds: None,
    edits: None,
    groups: "",
    options: "",
    unless: "",
    takes_no_operand: false,
    operands: Operands::Names,
    settings: &[],
    deletes: None,
};

const TABLES: [&[Program]; 4] = [services::SERVICES, packages::PACKAGES, machine::MACHINE, tools::TOOLS];
const PROGRAMS: usize = TABLES[0].len() + TABLES[1].len() + TABLES[2].len() + TABLES[3].len();

/// A row by its number in all tables.
const fn program(row: usize) -> &'static Program {
    let (mut table, mut row) = (0, row);
    while row >= TABLES[table].len() {
        row -= TABLES[table].len();
        table += 1;
    }
    &TABLES[table][row]
}

// A hook that asks for one effect has no text of the others in its program.
pub(crate) static READS: [Row; PROGRAMS] = rows(Effect::Reads);
pub(crate) static BUILDS: [Row; PROGRAMS] = rows(Effect::Builds);
pub(crate) static EDITS: [Row; PROGRAMS] = rows(Effect::Edits);

/// Programs, and the words by which only these delete.
pub(crate) static DELETES: [(&str, &str); PROGRAMS] = {
    let mut rows = [("", ""); PROGRAMS];
    let mut row = 0;
    while row < PROGRAMS {
        if let Some(words) = program(row).deletes {
            rows[row] = (program(row).names, words);
        }
        row += 1;
    }
    rows
};

enum Effect {
    Reads,
    Builds,
    Edits,
}

const fn rows(effect: Effect) -> [Row; PROGRAMS] {
    let mut rows = [Row::NONE; PROGRAMS];
    let mut row = 0;
    while row < PROGRAMS {
        let program = program(row);
        let commands = match effect {
            Effect::Reads => program.reads,
            Effect::Builds => program.builds,
            Effect::Edits => program.edits,
        };
        if let Some(commands) = commands {
            rows[row] = Row {
                names: program.names,
                before: program.before,
                commands,
                groups: program.groups,
                options: program.options,
                unless: program.unless,
                takes_no_operand: program.takes_no_operand,
                operands: program.operands,
                settings: program.settings,
            };
        }
        row += 1;
    }
    rows
}

/// Programs that only print their version or their help: `node --version`.
pub(crate) const ASKED: &str = "black bun clang cmake curl deno duckdb g++ gcc isort java javac make mysql node perl php psql python \
    python3 ruby ruff sqlite3 terraform tofu wget";
