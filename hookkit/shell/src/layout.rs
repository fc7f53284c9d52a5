//! Lists, pipelines and constructs around the commands of a text, with their positions.

#![cfg_attr(not(feature = "layout"), allow(dead_code, unreachable_pub, reason = "nothing keeps it"))]

use std::ops::Range;

#[cfg(feature = "layout")]
use crate::{Command, Unanalyzed, parser};

/// The commands of a text as written, with the lists and constructs around them.
///
/// Unlike [`analyze`](crate::analyze), it does not include the commands that other commands run. It is for programs
/// that report positions in a script, or edit the script.
#[cfg(feature = "layout")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub(crate) stages: Vec<Stage>,
    pub(crate) commands: Vec<Command>,
}

#[cfg(feature = "layout")]
impl Layout {
    /// Parses a text.
    ///
    /// # Errors
    ///
    /// Fails if a part of the text cannot be parsed with certainty, because of a mistake or of syntax that shells read
    /// differently. The error has the rest of the text from there.
    pub fn parse(text: &str) -> Result<Self, Unanalyzed> {
        parser::lay_out(text).map_err(|(why, span)| Unanalyzed {
            why,
            text: text.get(span.clone()).unwrap_or(text).to_owned(),
            span,
        })
    }

    /// Returns the stages, in order of their starts.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Returns the commands of all stages, and commands without a stage: variables of loops, and commands in backquotes and
    /// here-documents.
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// Returns the words and redirections of a simple command, or the redirections of a construct, if it has any.
    pub fn command(&self, stage: &Stage) -> Option<&Command> {
        self.commands.get(stage.command?)
    }
}

/// A command of a pipeline: a simple command, or a construct that contains commands.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stage {
    /// Kind of the stage.
    pub kind: StageKind,
    /// Range in bytes, without the operator after it.
    pub span: Range<usize>,
    /// Index of the innermost stage around it.
    pub within: Option<usize>,
    /// Operator after it; `None` at the end of its list.
    pub operator: Option<Operator>,
    /// `true` if the stage begins a pipeline whose exit code `!` inverts.
    pub is_negated: bool,
    pub(crate) command: Option<usize>,
}

/// The kind of a [`Stage`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StageKind {
    /// A program or a builtin with its words, or only assignments or redirections.
    Simple,
    /// `{ … }`
    Group,
    /// `( … )`
    Subshell,
    /// `if … fi`
    If,
    /// `for`, `select`, `while`, `until`
    Loop,
    /// `case … esac`
    Case,
    /// `[[ … ]]`
    Condition,
    /// `(( … ))`
    Arithmetic,
    /// The definition of a function.
    Function,
    /// `$( … )`, `<( … )` or `>( … )`, in a word of the stage around it; backquotes do not count.
    Substitution,
}

/// The operator between two stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operator {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`, `|&`
    Pipe,
    /// `&`
    Background,
    /// `;` or the end of a line.
    Next,
}
