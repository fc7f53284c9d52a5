//! The files that the words of programs name, and what is done with them, by the table of programs.

use hookkit::shell::programs::{Argument, Program, Role, Takes};
use hookkit::shell::{Command, Word};

use crate::words::{Piece, pieces_from};

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
            Is::Sent | Is::Address => Self::Send,
            Is::Into if program.has(Role::Sent) => Self::Send,
            Is::Written | Is::Named | Is::Into | Is::Moved | Is::Linked | Is::Put | Is::Assigned => Self::Change,
            Is::Lost | Is::Deleted => Self::Change,
            Is::Text | Is::Pattern | Is::Given | Is::Name | Is::Measured | Is::Command | Is::Suffix => return None,
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
    let program = Program::named(command.program().unwrap_or_default());
    program.is_some_and(|program| program.has(Role::Sent) || program.has(Role::Address))
}

/// Returns `true` for the name of a shell, which takes a script as a text.
pub(crate) fn is_shell(program: &str) -> bool {
    Program::named(program).is_some_and(|program| program.letter('c') == Some(Takes::Value(Role::Script)))
}

/// The arguments of a command, by the row of its program.
pub(crate) struct Read<'w> {
    pub(crate) program: Program,
    pub(crate) arguments: Vec<Argument<'w>>,
}

impl<'w> Read<'w> {
    /// Returns those of a program that has a row.
    pub(crate) fn of(command: &'w Command) -> Option<Self> {
        let (program, from) = Program::of(command.program()?, command.arguments())?;
        Some(Self::by(program, &command.arguments()[from..]))
    }

    pub(crate) fn by(program: Program, words: &'w [Word]) -> Self {
        let arguments = program.read(words).with_common().collect();
        Self { program, arguments }
    }

    /// Returns what an option has all operands be.
    pub(super) fn made(&self) -> Option<Role> {
        let made = self.arguments.iter().filter_map(|argument| match argument {
            Argument::Known {
                takes: Takes::Makes(role),
                ..
            } => Some(*role),
            _ => None,
        });
        // A file whose name alone is printed may be printed by another option.
        made.reduce(|before, role| if role == Role::Name { before } else { role })
    }

    /// Returns the operands, each with what it is for the program.
    pub(crate) fn operands(&self) -> Vec<(&'w Word, Role)> {
        let is_first = |argument: &Argument| match argument {
            Argument::Known {
                takes: Takes::Value(role),
                ..
            } => {
                matches!(
                    role,
                    Role::Pattern | Role::Patterns | Role::Code | Role::Script | Role::Given
                )
            }
            _ => false,
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
                _ => roles
                    .get(at + usize::from(is_given))
                    .or(roles.last())
                    .copied()
                    .unwrap_or(Role::File),
            };
            let is_text = matches!(role, Role::Pattern | Role::Text | Role::Code);
            made.filter(|_| !is_text).unwrap_or(role)
        };
        words
            .into_iter()
            .enumerate()
            .map(|(at, word)| (word, role(at)))
            .collect()
    }

    /// Returns the words of the operands.
    pub(crate) fn words(&self) -> Vec<&'w Word> {
        let operands = self.arguments.iter().filter_map(|argument| match argument {
            Argument::Operand(word) => Some(*word),
            _ => None,
        });
        operands.collect()
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
    pub(crate) fn values_of(&self, names: &[&str]) -> Vec<Vec<Piece>> {
        self.values_if(|name, _| names.contains(&name))
    }

    fn values_if(&self, is_it: impl Fn(&str, Role) -> bool) -> Vec<Vec<Piece>> {
        let values = self.arguments.iter().filter_map(|argument| match *argument {
            Argument::Known {
                name,
                takes: Takes::Value(role),
                value,
                ..
            } if is_it(name, role) => value,
            _ => None,
        });
        values.map(|(word, at)| pieces_from(word, at)).collect()
    }

    /// Leaves out what is behind the first operand: the arguments of another program.
    pub(crate) fn leading(mut self) -> Self {
        let end = self
            .arguments
            .iter()
            .position(|argument| matches!(argument, Argument::Operand(_)));
        self.arguments.truncate(end.unwrap_or(self.arguments.len()));
        self
    }

    /// Returns `true` if an option is there that has the operands be this.
    pub(super) fn makes(&self, role: Role) -> bool {
        let makes =
            |argument: &Argument| matches!(argument, Argument::Known { takes, .. } if *takes == Takes::Makes(role));
        self.arguments.iter().any(makes)
    }

    /// Returns `true` if one of these options is there, by its letter or its long name.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.arguments.iter().any(|argument| match argument {
            Argument::Known { name, .. } => names.contains(name),
            _ => false,
        })
    }
}
