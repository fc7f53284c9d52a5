//! A shell line in its session.

use crate::prelude::*;

/// A line, with everything that decides its effects.
#[derive(Clone, Copy)]
pub(crate) struct Line<'l> {
    pub text: &'l str,
    pub script: &'l Script,
    pub context: &'l Context,
    pub environment: Environment,
}

impl<'l> Line<'l> {
    /// Returns the text between two positions, empty if they are in the wrong order.
    pub(crate) fn between(&self, start: usize, end: usize) -> &'l str {
        self.text.get(start..end).unwrap_or_default()
    }
}
