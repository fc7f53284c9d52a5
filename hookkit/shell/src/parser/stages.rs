//! Stages of a text, kept for [`Layout`](crate::layout::Layout).
//!
//! Without the feature `layout` none is opened: a hook does not pay for the needs of script editors.

use crate::layout::{Operator, Stage, StageKind};

/// The stages so far.
#[derive(Default)]
pub(super) struct Stages {
    pub all: Vec<Stage>,
    /// The innermost open stage.
    innermost: Option<usize>,
    /// The last closed stage.
    last: usize,
    is_negated: bool,
}

impl Stages {
    /// Begins a stage at a position.
    pub(super) fn open(&mut self, start: usize) {
        if !cfg!(feature = "layout") {
            return;
        }
        self.all.push(Stage {
            kind: StageKind::Simple,
            span: start..start,
            within: self.innermost,
            operator: None,
            is_negated: std::mem::take(&mut self.is_negated),
            command: None,
        });
        self.innermost = Some(self.all.len() - 1);
    }

    /// Ends the innermost stage; `command` has its words and redirections, if there are any.
    pub(super) fn close(&mut self, kind: StageKind, end: usize, command: Option<usize>) {
        if let Some(index) = self.innermost {
            let stage = &mut self.all[index];
            stage.kind = kind;
            stage.span.end = end;
            stage.command = command;
            self.innermost = stage.within;
            self.last = index;
        }
    }

    /// Sets the operator after the last closed stage.
    pub(super) fn follow(&mut self, operator: Operator) {
        if let Some(stage) = self.all.get_mut(self.last) {
            stage.operator = Some(operator);
        }
    }

    /// Marks the next stage as negated.
    pub(super) fn negate(&mut self) {
        self.is_negated = true;
    }
}
