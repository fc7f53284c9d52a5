//! The files that the words of programs name, and what is done with them, by the table of programs.

use std::ptr;

use crate::prelude::*;
use crate::words::pieces_from;

/// The effect of a command on a file that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Does {
    Read,
    Change,
    /// It sends it to another machine.
    Send,
    /// The text is a program in another language, and may name files.
    Run,
}

impl Does {
    /// Returns what is done with a word that is this for a program, if it names a file.
    pub(super) fn of(role: Role, program: &Program) -> Option<Self> {
        use Role as Is;
        Some(match role {
            // As the operands are.
            Is::Value => return Some(Self::of(program.last(), program).unwrap_or(Self::Read)),
            Is::Code => Self::Run,
            Is::Sent | Is::Address | Is::Host => Self::Send,
            Is::Into if program.has(Role::Sent) => Self::Send,
            Is::Written | Is::Named | Is::Into | Is::Moved | Is::Linked | Is::Put | Is::Assigned => Self::Change,
            Is::Lost | Is::Deleted => Self::Change,
            Is::Text | Is::Pattern | Is::Given | Is::Name | Is::Measured | Is::Command => return None,
            Is::Folder if program.last() == Is::Command => return None,
            Is::Made | Is::Removed | Is::Mode | Is::Tree | Is::Variable | Is::Defines => return None,
            _ => Self::Read,
        })
    }
}

/// Programs of a project's packages, which run another one.
pub(crate) const LAUNCHERS: &str = "bun bunx npm npx pnpm pnpx yarn";

/// Returns the name of a command's program in the table, or its own: `python` of `python3.11`, `cp` of `gcp`.
pub(crate) fn name(command: &Command) -> &str {
    let own = command.program().unwrap_or_default();
    Program::named(own).map_or(own, |program| program.name)
}

/// Returns what the operands of a command's program are.
pub(crate) fn role(command: &Command) -> Option<Role> {
    Some(Program::named(command.program()?)?.last())
}

/// Returns `true` for a command that sends to another machine, or asks one.
pub(crate) fn sends(command: &Command) -> bool {
    let program = Program::of(command.program().unwrap_or_default(), command.arguments());
    let has =
        |(program, _): (Program, usize)| [Role::Sent, Role::Address, Role::Host].iter().any(|role| program.has(*role));
    program.is_some_and(has)
}

/// Returns `true` for the name of a shell, which takes a script as a text.
pub(crate) fn is_shell(program: &str) -> bool {
    Program::named(program).is_some_and(|program| takes_script(&program))
}

/// Returns `true` for the row of a shell.
pub(crate) fn takes_script(program: &Program) -> bool {
    program.letter('c') == Some(Takes::Value(Role::Script))
}

/// The arguments of a command, by the row of its program.
pub(crate) struct Read<'w> {
    pub program: Program,
    pub arguments: Vec<Argument<'w>>,
}

impl<'w> Read<'w> {
    /// Returns those of a program that has a row, with its options before the name of a command: `yq -i eval x`.
    pub(crate) fn of(command: &'w Command) -> Option<Self> {
        let (program, from) = Program::of(command.program()?, command.arguments())?;
        let (before, words) = command.arguments().split_at(from);
        let mut read = Self::by(program, words);
        let is_option = |argument: &Argument| !matches!(argument, Argument::Operand(_));
        if !before.is_empty() {
            read.arguments.extend(program.read(before).with_common().filter(is_option));
        }
        Some(read)
    }

    pub(crate) fn by(program: Program, words: &'w [Word]) -> Self {
        let arguments = program.read(words).with_common().collect();
        Self { program, arguments }
    }

    /// Returns what an option has all operands be.
    pub(crate) fn made(&self) -> Option<Role> {
        let made = self.arguments.iter().filter_map(|argument| match argument {
            Argument::Known { takes: Takes::Makes(role), .. } => Some(*role),
            _ => None,
        });
        // A file whose name alone is printed may be printed by another option.
        made.reduce(|before, role| if role == Role::Name { before } else { role })
    }

    /// Returns the operands, each with what it is for the program.
    pub(crate) fn operands(&self) -> Vec<(&'w Word, Role)> {
        use Role::{Code, Given, Pattern, Patterns, Script, Text};
        let is_first = |argument: &Argument| {
            matches!(argument, Argument::Known { takes: Takes::Value(Pattern | Patterns | Code | Script | Given), .. })
        };
        let roles: Vec<Role> = self.program.operands().collect();
        // An option can give what the first one is otherwise.
        let is_given = roles.len() > 1 && self.arguments.iter().any(is_first);
        let made = self.made();
        let words = self.words();
        let count = words.len();
        let role = |at: usize| {
            let role = match roles[..] {
                [role, Role::Into] if at + 1 < count || count == 1 => role,
                _ => *(roles.get(at + usize::from(is_given))).or(roles.last()).unwrap_or(&Role::File),
            };
            let is_text = matches!(role, Pattern | Text | Code);
            made.filter(|_| !is_text).unwrap_or(role)
        };
        words.into_iter().enumerate().map(|(at, word)| (word, role(at))).collect()
    }

    /// Returns the words of the operands.
    pub(crate) fn words(&self) -> Vec<&'w Word> {
        self.arguments
            .iter()
            .filter_map(|argument| match argument {
                Argument::Operand(word) => Some(*word),
                _ => None,
            })
            .collect()
    }

    /// Returns the options that are not in the row.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = &'w Word> {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::Unknown(word) => Some(*word),
            _ => None,
        })
    }

    /// Returns the values of options that are this.
    pub(crate) fn values(&self, role: Role) -> Vec<Vec<Piece>> {
        self.values_if(|_, of| of == role)
    }

    /// Returns the values of these options.
    pub(crate) fn values_of(&self, names: &str) -> Vec<Vec<Piece>> {
        self.values_if(|name, _| lists(names, name))
    }

    fn values_if(&self, is_it: impl Fn(&str, Role) -> bool) -> Vec<Vec<Piece>> {
        let values = self.arguments.iter().filter_map(|argument| match *argument {
            Argument::Known { name, takes: Takes::Value(role), value, .. } if is_it(name, role) => value,
            _ => None,
        });
        values.map(|(word, at)| pieces_from(word, at)).collect()
    }

    /// Leaves out what is after the first operand: the arguments of another program.
    pub(crate) fn leading(mut self) -> Self {
        let mut arguments = self.arguments.iter();
        if let Some(end) = arguments.position(|argument| matches!(argument, Argument::Operand(_))) {
            self.arguments.truncate(end);
        }
        self
    }

    /// Returns `true` if an option is there that has the operands be this.
    pub(super) fn makes(&self, role: Role) -> bool {
        let mut arguments = self.arguments.iter();
        arguments.any(|argument| matches!(argument, Argument::Known { takes, .. } if *takes == Takes::Makes(role)))
    }

    /// Returns `true` if one of these options is there, by its letter or its long name.
    pub(crate) fn has(&self, names: &str) -> bool {
        let mut arguments = self.arguments.iter();
        arguments.any(|argument| matches!(argument, Argument::Known { name, .. } if lists(names, name)))
    }
}

/// The arguments of a program, apart into options and operands.
#[derive(Default)]
pub(crate) struct Arguments<'w> {
    /// A letter's value in the same word is left out.
    pub options: Vec<&'w str>,
    pub operands: Vec<&'w Word>,
    /// The values of options, each with the letter or the name of its option.
    values: Vec<(&'w str, &'w str)>,
    /// The number of operands before `--`, if that is there.
    end: Option<usize>,
}

impl<'w> Arguments<'w> {
    /// Returns those of a program whose options have no values, or values in the same word.
    pub(crate) fn of(words: &'w [Word]) -> Self {
        let mut found = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.literal() {
                Some("--") => found.operands.extend(words.by_ref()),
                Some(text) if text.starts_with('-') && text.len() > 1 => found.options.push(text),
                _ => found.operands.push(word),
            }
        }
        found
    }

    /// Returns those of a program by its row.
    pub(crate) fn by(program: Program, words: &'w [Word]) -> Self {
        let mut found = Self::default();
        let mut last = None;
        for argument in program.read(words) {
            let (word, value) = match argument {
                Argument::Operand(word) => {
                    found.operands.push(word);
                    continue;
                }
                Argument::Known { word, name, value, .. } => {
                    let text = |(of, at): (&'w Word, usize)| of.known_start().get(at..).unwrap_or_default();
                    found.values.extend(value.map(|value| (name, text(value))));
                    (word, value.filter(|(_, at)| *at > 0 && !word.known_start().starts_with("--")))
                }
                Argument::Unknown(word) => (word, None),
            };
            // Several letters are one word.
            if last.replace(word).is_some_and(|last| ptr::eq(last, word)) {
                found.options.pop();
            }
            let start = word.known_start();
            found.options.push(value.map_or(start, |(_, at)| &start[..at]));
        }
        let end = words.iter().position(|word| word.is("--"));
        found.end = end.map(|end| found.operands.len().saturating_sub(words.len() - end - 1));
        found
    }

    /// Returns those of a command by the row of its program.
    pub(crate) fn of_command(command: &'w Command) -> Self {
        let words = command.arguments();
        let (program, from) =
            Program::of(command.program().unwrap_or_default(), words).unwrap_or_else(|| (Program::other(), 0));
        Self::by(program, &words[from..])
    }

    /// Returns those of a command of git, whose name is the first of the words.
    pub(crate) fn of_git(words: &'w [Word]) -> Self {
        let (program, words) = of_git(words);
        Self::by(program, words)
    }

    /// Returns the operands before `--`: all of them without it.
    pub(crate) fn before_end(&self) -> &[&'w Word] {
        &self.operands[..self.end.unwrap_or(self.operands.len())]
    }

    /// Returns the operands after `--`, if that is there.
    pub(crate) fn after_end(&self) -> Option<&[&'w Word]> {
        Some(&self.operands[self.end?..])
    }

    /// Returns the value of one of these options, by its letter or its whole name.
    pub(crate) fn value(&self, names: &str) -> Option<&'w str> {
        let value = self.values.iter().find(|(name, _)| lists(names, name));
        value.map(|(_, value)| *value)
    }

    /// Returns `true` if there is one of these options: a letter, also as one of `-axb`, or a long one, also with a value or cut
    /// short.
    pub(crate) fn has(&self, names: &str) -> bool {
        self.options.iter().any(|option| is_one(option, names))
    }

    /// As [`has`](Self::has), and no `--no-` with the name is after it.
    pub(crate) fn has_at_last(&self, names: &str) -> bool {
        let is_off = |option: &str| option.strip_prefix("--no-").is_some_and(|name| lists(names, name));
        let is_on = |option: &&str| (is_off(option) || is_one(option, names)).then(|| !is_off(option));
        self.options.iter().rev().find_map(is_on).unwrap_or(false)
    }
}

/// Returns `true` for an option: by one of its letters, or by its long name.
fn is_one(option: &str, names: &str) -> bool {
    let long = option.strip_prefix("--").map(|long| long.split('=').next().unwrap_or(long));
    let mut names = names.as_bytes().split(|byte| *byte == b' ');
    names.any(|name| match (long, name) {
        (Some(long), _) => name.len() > 1 && !long.is_empty() && name.starts_with(long.as_bytes()),
        (None, [letter]) => option.as_bytes()[1..].contains(letter),
        (None, _) => false,
    })
}

/// Returns the row of a command of git, whose name is the first of the words, and its arguments.
pub(crate) fn of_git(words: &[Word]) -> (Program, &[Word]) {
    let (program, from) = Program::of("git", words).expect("the table has it");
    (program, words.get(from.max(1)..).unwrap_or_default())
}
