//! A line of a shell, in its session.

use crate::prelude::*;

/// A line with what decides what it does.
#[derive(Clone, Copy)]
pub(crate) struct Line<'l> {
    pub text: &'l str,
    pub script: &'l Script,
    pub context: &'l Context,
    pub environment: Environment,
}

impl<'l> Line<'l> {
    /// Returns the text between two places; none where they are not in this order.
    pub(crate) fn between(&self, start: usize, end: usize) -> &'l str {
        self.text.get(start..end).unwrap_or_default()
    }
}
