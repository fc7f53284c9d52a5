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
    /// Words with which a command is none of them: `x` is a word or a part of one between `/,=.:`, `~x` a part between any
    /// signs, `x*` a start, `*x` anywhere, `//` two slashes, `@:` a
    /// colon behind an `@`, `./` a machine's name before a slash, `--x` an option, which may be cut short.
    unless: &'static str,
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

/// Options of commands that read, with which none of these writes or starts anything: they choose what is shown, and how.
const COMMON: &str = "-a -h -l -q -v --all --all-namespaces --color --columns --count --depth --filter --filters --format \
    --help --id --json --kind --label --labels --limit --long --name --names --namespace --no-color --no-headers \
    --no-pager --no-trunc --page --page-size --per-page --project --query --quiet --region --selector --short \
    --show-labels --since --size --sort --sort-by --state --status --tail --timestamps --type --until --verbose --wide \
    --zone";

/// The same of build tools.
const COMMON_OF_TOOLS: &str = "-h -q -v --color --help --no-color --quiet --verbose";

/// Programs that print the help of one of their commands for `COMMAND --help`, and do not run it.
pub(crate) const HELPFUL: &str = "argocd aws az docker eksctl flux fly flyctl gcloud gh glab hcloud helm istioctl kops kubectl \
    nerdctl npm oc pip pip3 podman systemctl velero";

/// Programs of services, and the words by which only these delete.
static DELETES: [(&str, &str); rows_with(true)] = {
    let mut rows = [("", ""); rows_with(true)];
    let (mut row, mut at) = (0, 0);
    while row < PROGRAMS {
        if let Some(words) = program(row).deletes {
            rows[at] = (program(row).names, words);
            at += 1;
        }
        row += 1;
    }
    rows
};

/// The names of all rows as their hashes, each with the number of its row: most commands are in none, and their names are
/// compared with no text.
static NAMES: [(u32, u8); names_in(false)] = names(false);

/// Those of the rows in [`DELETES`].
static NAMES_OF_DELETES: [(u32, u8); names_in(true)] = names(true);

/// The number of rows, or of those that delete from a service.
const fn rows_with(deletes: bool) -> usize {
    let (mut row, mut count) = (0, 0);
    while row < PROGRAMS {
        count += (!deletes || program(row).deletes.is_some()) as usize;
        row += 1;
    }
    count
}

/// The number of names of these rows.
const fn names_in(deletes: bool) -> usize {
    let (mut row, mut count) = (0, 0);
    while row < PROGRAMS {
        let list = program(row).names.as_bytes();
        let mut byte = 0;
        while byte <= list.len() && (!deletes || program(row).deletes.is_some()) {
            count += (byte == list.len() || list[byte] == b' ') as usize;
            byte += 1;
        }
        row += 1;
    }
    count
}

const fn names<const N: usize>(deletes: bool) -> [(u32, u8); N] {
    const { assert!(PROGRAMS <= 256, "the number of a row is a byte") };
    let mut names = [(0, 0); N];
    let (mut row, mut number, mut at) = (0, 0, 0);
    while row < PROGRAMS {
        if !deletes || program(row).deletes.is_some() {
            let list = program(row).names.as_bytes();
            let (mut byte, mut name) = (0, EMPTY);
            while byte <= list.len() {
                if byte == list.len() || list[byte] == b' ' {
                    names[at] = (name, number);
                    at += 1;
                    name = EMPTY;
                } else {
                    name = hash(name, list[byte]);
                }
                byte += 1;
            }
            number += 1;
        }
        row += 1;
    }
    names
}

/// FNV-1a.
const EMPTY: u32 = 0x811c_9dc5;

const fn hash(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

/// Returns the numbers of the rows that have a name.
pub(crate) fn rows_of(name: &str) -> impl Iterator<Item = usize> {
    numbers(&NAMES, name)
}

/// Returns the programs of services that have a name, and the words by which they delete.
pub(crate) fn deletes_of(name: &str) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    numbers(&NAMES_OF_DELETES, name).map(|number| &DELETES[number])
}

fn numbers(names: &'static [(u32, u8)], name: &str) -> impl Iterator<Item = usize> {
    let name = name.bytes().fold(EMPTY, hash);
    let is_it = move |(known, _): &&(u32, u8)| *known == name;
    names.iter().filter(is_it).map(|(_, row)| usize::from(*row))
}

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
                common: match effect {
                    Effect::Reads => COMMON,
                    Effect::Builds | Effect::Edits => COMMON_OF_TOOLS,
                },
                unless: program.unless,
                operands: program.operands,
                settings: program.settings,
            };
        }
        row += 1;
    }
    rows
}

/// Programs that only print their version or their help: `node --version`.
pub(crate) const ASKED: &str = "7z awk base64 black bun clang cmake curl deno duckdb fd g++ gawk gcc grep gunzip gzip iconv isort java \
    javac jq make mysql node perl php psql python python3 rg ruby ruff sed sqlite3 tar terraform tofu unzip wget xxd xz yq zstd";
