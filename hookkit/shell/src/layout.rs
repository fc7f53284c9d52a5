//! The lists, pipelines and constructs that hold the commands of a text, with their places.

use std::ops::Range;

#[cfg(feature = "layout")]
use crate::{Command, Unanalyzed, parser};

/// The commands of a text as they are written, with the lists and constructs that hold them.
///
/// Unlike [`analyze`](crate::analyze) it does not follow commands to those that they run.
/// It is for programs that report places in a script, or edit it.
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
    /// The rest of the text that cannot be parsed for certain: a mistake, or syntax that shells read differently.
    pub fn parse(text: &str) -> Result<Self, Unanalyzed> {
        parser::lay_out(text).map_err(|(why, span)| Unanalyzed {
            why,
            text: text.get(span.clone()).unwrap_or(text).to_owned(),
            span,
        })
    }

    /// The stages in the order in which they begin.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// The commands of all stages, and of what has none: the variables of loops, and what is in backquotes and
    /// here-documents.
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// The words and redirections of a simple command, or the redirections of a construct that has some.
    pub fn command(&self, stage: &Stage) -> Option<&Command> {
        self.commands.get(stage.command?)
    }
}

/// A command of a pipeline: a simple one, or a construct that holds others.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(not(feature = "layout"), allow(dead_code, unreachable_pub, reason = "nothing keeps it"))]
pub struct Stage {
    /// Its kind.
    pub kind: StageKind,
    /// Its place, in bytes, without the operator after it.
    pub span: Range<usize>,
    /// The index of the innermost stage that it is in.
    pub within: Option<usize>,
    /// The operator after it; `None` at the end of its list.
    pub operator: Option<Operator>,
    /// Set if it begins a pipeline whose exit code `!` inverts.
    pub is_negated: bool,
    pub(crate) command: Option<usize>,
}

/// The kind of a [`Stage`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(not(feature = "layout"), allow(unreachable_pub, reason = "nothing keeps it"))]
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
    /// `$( … )`, `<( … )` or `>( … )`, in a word of the stage that it is within. Backquotes are none.
    Substitution,
}

/// The operator between two stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(not(feature = "layout"), allow(unreachable_pub, reason = "nothing keeps it"))]
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
