//! Files that a program's words name, with the effect on each from the table of programs.

use std::ptr;

use crate::prelude::*;

/// The effect of a command on a file that it names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Does {
    Read,
    Change,
    /// Sends the file to another machine.
    Send,
    /// Runs the string as code in another language. The code may name files.
    Run,
}

impl Does {
    /// Returns the effect on a word with this role, if it names a file.
    pub(super) fn of(role: Role, program: &Program) -> Option<Self> {
        use Role as Is;
        Some(match role {
            // The value has the role of the operands.
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

/// Package runners of projects, which run another program.
pub(crate) const LAUNCHERS: &str = "bun bunx npm npx pnpm pnpx yarn";

/// Returns the name of a command's program in the table, or the program's own name: `python` of `python3.11`, `cp` of
/// `gcp`.
pub(crate) fn program_name(command: &Command) -> &str {
    let own = command.program().unwrap_or_default();
    Program::named(own).map_or(own, |program| program.name)
}

/// Returns the role of the last operands of a command's program.
pub(crate) fn role(command: &Command) -> Option<Role> {
    Some(Program::named(command.program()?)?.last())
}

/// Returns `true` for a command that sends data or a request to another machine.
pub(crate) fn sends(command: &Command) -> bool {
    let program = Program::of(command.program().unwrap_or_default(), command.arguments());
    let has =
        |(program, _): (Program, usize)| [Role::Sent, Role::Address, Role::Host].iter().any(|role| program.has(*role));
    program.is_some_and(has)
}

/// Returns `true` for the name of a shell, which takes a script as a string.
pub(crate) fn is_shell(program: &str) -> bool {
    Program::named(program).is_some_and(|program| takes_script(&program))
}

/// Returns `true` for the row of a shell.
pub(crate) fn takes_script(program: &Program) -> bool {
    program.letter('c') == Some(Takes::Value(Role::Script)) && program.last() != Role::Program
}

/// A command's arguments, read according to its program's row.
pub(crate) struct Read<'w> {
    pub program: Program,
    pub arguments: Vec<Argument<'w>>,
    /// Number of words after `--`, if there is one.
    after_end: Option<usize>,
}

impl<'w> Read<'w> {
    /// Reads the arguments of a program with a row, including options before a subcommand: `yq -i eval x`.
    pub(crate) fn of(command: &'w Command) -> Option<Self> {
        let (program, from) = Program::of(command.program()?, command.arguments())?;
        let (before, words) = command.arguments().split_at(from);
        let mut read = Self::by(program, words);
        if !before.is_empty() {
            read.arguments.extend(program.read(before).with_common().filter(|argument| option(argument).is_some()));
        }
        Some(read)
    }

    /// Reads the arguments of any program.
    pub(crate) fn any(command: &'w Command) -> Self {
        Self::of(command).unwrap_or_else(|| Self::by(Program::other(), command.arguments()))
    }

    /// Reads the arguments of a git command, whose name is the first word.
    pub(crate) fn of_git(words: &'w [Word]) -> Self {
        let (program, from) = Program::of("git", words).expect("the table has it");
        Self::by(program, words.get(from.max(1)..).unwrap_or_default())
    }

    pub(crate) fn by(program: Program, words: &'w [Word]) -> Self {
        let arguments = program.read(words).with_common().collect();
        let end = words.iter().position(|word| word.is("--"));
        Self { program, arguments, after_end: end.map(|end| words.len() - end - 1) }
    }

    /// Returns the role that an option gives to all operands.
    pub(crate) fn made(&self) -> Option<Role> {
        let made = self.arguments.iter().filter_map(|argument| match argument {
            Argument::Known { takes: Takes::Makes(role), .. } => Some(*role),
            _ => None,
        });
        // A file whose name alone is printed may be printed by another option.
        made.reduce(|before, role| if role == Role::Name { before } else { role })
    }

    /// Returns the operands, each with its role for the program.
    pub(crate) fn operands(&self) -> Vec<(&'w Word, Role)> {
        use Role::{Code, Given, Pattern, Patterns, Script, Text};
        let roles: Vec<Role> = self.program.operands().collect();
        // An option may replace the first operand.
        let is_first = |(_, role, _): (_, Role, _)| matches!(role, Pattern | Patterns | Code | Script | Given);
        let is_given = roles.len() > 1 && self.given().any(is_first);
        let made = self.made();
        let words = self.words();
        let count = words.len();
        let role = |at: usize| {
            let role = match roles[..] {
                [role, Role::Into] if at + 1 < count || count == 1 => role,
                _ => *(roles.get(at + usize::from(is_given))).or(roles.last()).unwrap_or(&Role::File),
            };
            made.filter(|_| !matches!(role, Pattern | Text | Code)).unwrap_or(role)
        };
        words.into_iter().enumerate().map(|(at, word)| (word, role(at))).collect()
    }

    /// Returns the operands with this role.
    pub(crate) fn operands_that_are(&self, role: Role) -> impl Iterator<Item = &'w Word> {
        self.operands().into_iter().filter(move |(_, of)| *of == role).map(|(word, _)| word)
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

    /// Returns the operands before `--`, and those after it, if there is one.
    pub(crate) fn words_around_end(&self) -> (Vec<&'w Word>, Option<Vec<&'w Word>>) {
        let mut words = self.words();
        let after = self.after_end.map(|count| words.split_off(words.len().saturating_sub(count)));
        (words, after)
    }

    /// Returns the options without an entry in the row.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = &'w Word> {
        self.arguments.iter().filter_map(|argument| match argument {
            Argument::Unknown(word) => Some(*word),
            _ => None,
        })
    }

    /// Returns the options as written; letters without an attached value.
    pub(crate) fn options(&self) -> impl Iterator<Item = &'w str> + Clone {
        self.arguments.iter().enumerate().filter_map(|(at, argument)| {
            let word = option(argument)?;
            let start = word.known_start();
            // Several letters are one word.
            let next = self.arguments.get(at + 1).and_then(option);
            next.is_none_or(|next| !ptr::eq(next, word)).then(|| match argument {
                Argument::Known { value: Some((_, at)), .. } if *at > 0 && !start.starts_with("--") => &start[..*at],
                _ => start,
            })
        })
    }

    /// Returns the options in the row that take a value: the name, the role, and the word with the value's position.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&'w str, Role, Option<(&'w Word, usize)>)> {
        self.arguments.iter().filter_map(|argument| match *argument {
            Argument::Known { name, takes: Takes::Value(role), value, .. } => Some((name, role, value)),
            _ => None,
        })
    }

    /// Returns the values of options with this role.
    pub(crate) fn values(&self, role: Role) -> Vec<Name> {
        self.given().filter(|(_, of, _)| *of == role).filter_map(value).collect()
    }

    /// Returns the values of these options.
    pub(crate) fn values_of(&self, names: &str) -> Vec<Name> {
        self.given().filter(|(name, ..)| lists(names, name)).filter_map(value).collect()
    }

    /// Returns the literal prefix of the value of one of these options.
    pub(crate) fn value(&self, names: &str) -> Option<&'w str> {
        let (_, _, value) = self.given().find(|(name, ..)| lists(names, name))?;
        let (word, at) = value?;
        word.known_start().get(at..)
    }

    /// Drops the first operand and everything after it: the arguments of another program.
    pub(crate) fn leading(mut self) -> Self {
        self.arguments.truncate(
            self.arguments.iter().position(|argument| option(argument).is_none()).unwrap_or(self.arguments.len()),
        );
        self
    }

    /// Returns `true` if an option gives the operands this role.
    pub(super) fn makes(&self, role: Role) -> bool {
        self.arguments
            .iter()
            .any(|argument| matches!(argument, Argument::Known { takes, .. } if *takes == Takes::Makes(role)))
    }

    /// Returns `true` if one of these options of the row is present, as a letter or a long name.
    pub(crate) fn has(&self, names: &str) -> bool {
        self.arguments.iter().any(|argument| matches!(argument, Argument::Known { name, .. } if lists(names, name)))
    }

    /// Returns `true` if one of these options is written, whether the row has it or not: a letter, also within `-axb`, or a
    /// long name, also shortened or with a value.
    pub(crate) fn writes(&self, names: &str) -> bool {
        self.options().any(|option| is_one(option, names))
    }

    /// Returns `true` if one of these options [is written](Self::writes), and its `--no-` form does not follow.
    pub(crate) fn has_at_last(&self, names: &str) -> bool {
        let is_off = |option: &str| option.strip_prefix("--no-").is_some_and(|name| lists(names, name));
        self.options()
            .filter(|option| is_off(option) || is_one(option, names))
            .last()
            .is_some_and(|option| !is_off(option))
    }
}

/// Returns the word of an option.
fn option<'w>(argument: &Argument<'w>) -> Option<&'w Word> {
    match *argument {
        Argument::Operand(_) => None,
        Argument::Known { word, .. } | Argument::Unknown(word) => Some(word),
    }
}

/// Returns the value of an option.
fn value((_, _, value): (&str, Role, Option<(&Word, usize)>)) -> Option<Name> {
    value.map(|(word, at)| pieces_from(word, at))
}

/// Returns `true` if an option has one of these letters or long names.
fn is_one(option: &str, names: &str) -> bool {
    let long = option.strip_prefix("--").map(|long| up_to(long, '='));
    names.as_bytes().split(|byte| *byte == b' ').any(|name| match (long, name) {
        (Some(long), _) => name.len() > 1 && !long.is_empty() && name.starts_with(long.as_bytes()),
        (None, [letter]) => option.as_bytes()[1..].contains(letter),
        (None, _) => false,
    })
}
