//! What commands run beyond themselves: the command behind a prefix, the text that a shell is given.

use std::mem;
use std::ops::Range;

use super::parser::Found;
use super::programs::{
    HARMLESS_SHOPT, NAME_TAKERS, PREFIXES, RUNNERS, SHELLS, base, is_evaluated, steers_shell, without_g,
};
use super::{Assignment, Command, Expansion, ExpansionKind, Part, Via, Why, Word};

mod builtin;
mod find;
mod prefix;
mod script;

/// How many prefixes may stand before each other.
const LONGEST_CHAIN: usize = 8;

/// How many words are copied for the commands behind prefixes.
const MOST_COPIES: usize = 200_000;

/// How many bytes of scripts within the text are read, and those within them once more.
const MOST_SCRIPT_BYTES: usize = 4 << 20;

/// Adds what the commands run.
pub(super) fn follow(found: Found) -> Found {
    let mut reach = Reach::default();
    reach.adopt(found, 0, 0, false);
    reach.found
}

#[derive(Default)]
struct Reach {
    found: Found,
    /// Words that were copied, and bytes of scripts within the text.
    copies: usize,
    script_bytes: usize,
}

impl Reach {
    fn adopt(&mut self, found: Found, depth: usize, chain: usize, is_posix: bool) {
        for command in found.commands {
            self.command(command, depth, chain, is_posix);
        }
        self.found.unanalysed.extend(found.unanalysed);
    }

    fn command(&mut self, command: Command, depth: usize, chain: usize, is_posix: bool) {
        self.found.commands.push(command.clone());
        let mut at = At {
            reach: self,
            command: &command,
            depth,
            chain,
            is_posix,
        };
        at.look();
    }
}

/// A command that is looked at.
struct At<'a> {
    reach: &'a mut Reach,
    command: &'a Command,
    depth: usize,
    chain: usize,
    is_posix: bool,
}

impl At<'_> {
    fn note(&mut self, why: Why, span: &Range<usize>) {
        self.reach.found.unanalysed.push((why, span.clone()));
    }

    fn note_all(&mut self, why: Why) {
        let span = self.command.span.clone();
        self.note(why, &span);
    }

    fn look(&mut self) {
        if self
            .command
            .assignments
            .iter()
            .any(|assignment| steers_shell(&assignment.name))
        {
            self.note_all(Why::ShellVariable);
        }
        if self.command.assignments.iter().any(evaluates) {
            self.note_all(Why::Arithmetic);
        }
        let Some(first) = self.command.words.first() else {
            return;
        };
        let Some(name) = first.literal() else {
            return self.note(Why::Name, &first.span);
        };
        let name = without_g(base(name));
        let arguments = self.command.arguments();
        if let Some(prefix) = PREFIXES.iter().find(|prefix| prefix.name == name) {
            return self.prefix(prefix);
        }
        if let Some((_, knows_bash)) = SHELLS.iter().find(|(shell, _)| *shell == name) {
            return self.shell(name, !knows_bash);
        }
        match name {
            "eval" => {
                let from = usize::from(arguments.first().and_then(Word::literal) == Some("--"));
                self.script_of_words(name, &arguments[from..], self.is_posix);
            }
            "trap" => self.trap(arguments),
            "source" | "." => {
                let from = usize::from(arguments.first().and_then(Word::literal) == Some("--"));
                let span = self.command.span.clone();
                self.file(name, arguments.get(from), span, self.is_posix);
            }
            "find" | "gfind" | "bfs" => self.find(name),
            "fd" | "fdfind"
                if arguments
                    .iter()
                    .any(|word| word.literal().is_none_or(|text| text.starts_with('-'))) =>
            {
                self.note_all(Why::Runner);
            }
            "test" | "[" => self.test(arguments),
            // Without anything it tells the processor's name; on macOS it starts what follows.
            "arch" if !arguments.is_empty() => self.note_all(Why::Runner),
            // `-C` runs something for each line.
            "mapfile" | "readarray" if !arguments.iter().any(has_callback) => self.names(name, arguments),
            "hash" if matches!(arguments, [word] if word.literal() == Some("-r")) => {}
            "history" if arguments.iter().all(|word| word.literal().is_some_and(is_number)) => {}
            "shopt"
                if arguments
                    .iter()
                    .all(|word| word.literal().is_some_and(|text| HARMLESS_SHOPT.contains(&text))) => {}
            // `-x` runs what follows.
            "jobs"
                if arguments
                    .iter()
                    .any(|word| word.literal().is_none_or(|text| text.contains('x'))) =>
            {
                self.note_all(Why::Runner);
            }
            "set" => self.set(arguments),
            // zsh takes arithmetic.
            "exit" | "return" | "shift" | "break" | "continue" => {
                let is_number = |word: &Word| word.literal().is_some_and(is_number);
                if !arguments.iter().all(is_number) {
                    self.note_all(Why::Arithmetic);
                }
            }
            _ if RUNNERS.contains(&name) => self.note_all(Why::Runner),
            _ if NAME_TAKERS.contains(&name) => self.names(name, arguments),
            _ => {}
        }
    }

    fn inner(&mut self, name: &str, words: Vec<Word>, assignments: Vec<Assignment>) {
        self.reach.copies += words.len();
        if self.chain >= LONGEST_CHAIN {
            return self.note_all(Why::TooDeep);
        }
        if self.reach.copies > MOST_COPIES {
            return self.note_all(Why::TooLong);
        }
        let mut via = self.command.via.clone();
        via.push(Via::Prefix(name.to_owned()));
        let start = words.first().map_or(self.command.span.start, |word| word.span.start);
        let command = Command {
            assignments,
            words,
            redirections: self.command.redirections.clone(),
            via,
            span: start..self.command.span.end.max(start),
        };
        self.reach.command(command, self.depth, self.chain + 1, self.is_posix);
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a variable is set whose value the shell evaluates, and this is no number.
fn evaluates(assignment: &Assignment) -> bool {
    let is_number = |word: &Word| word.literal().is_some_and(is_number);
    is_evaluated(&assignment.name)
        && match &assignment.elements {
            Some(elements) => !elements.iter().all(is_number),
            None => !is_number(&assignment.value),
        }
}

fn has_callback(word: &Word) -> bool {
    word.literal()
        .is_none_or(|text| text.starts_with('-') && text.contains('C'))
}

fn holds_array(word: &Word) -> bool {
    matches!(word.parts.last(), Some(Part::Expansion(expansion)) if expansion.kind == ExpansionKind::Array)
}

fn arguments(is_quoted: bool) -> Part {
    Part::Expansion(Expansion {
        kind: ExpansionKind::Arguments,
        is_quoted,
    })
}

fn is_quoted_or_literal(part: &Part) -> bool {
    match part {
        Part::Literal(_) => true,
        Part::Expansion(expansion) => expansion.is_quoted,
    }
}

/// Puts what a program finds or reads in the place of its mark.
fn fill(word: &mut Word, mark: &str) {
    let mut parts = Vec::new();
    for part in mem::take(&mut word.parts) {
        let Part::Literal(text) = part else {
            parts.push(part);
            continue;
        };
        if !text.contains(mark) {
            parts.push(Part::Literal(text));
            continue;
        }
        for (index, piece) in text.split(mark).enumerate() {
            if index > 0 {
                parts.push(arguments(true));
            }
            if !piece.is_empty() {
                parts.push(Part::Literal(piece.to_owned()));
            }
        }
    }
    word.parts = parts;
}
