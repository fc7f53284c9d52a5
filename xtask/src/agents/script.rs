//! The plugin of an agent that starts no hooks itself: a program that has them in it, and starts them.

use std::ops::Range;

/// The plugin without hooks.
pub(crate) const EMPTY: &str = include_str!("opencode.js");

/// Text before the hooks.
const START: &str = "const settings = /* hooks */ ";

/// Text after them.
const END: &str = " /* end of hooks */;";

/// Returns the bytes of the hooks in a plugin; `None` if hookkit has not written it.
pub(crate) fn hooks(text: &str) -> Option<Range<usize>> {
    let start = text.find(START)? + START.len();
    let end = start + text[start..].find(END)?;
    (text.lines().next() == EMPTY.lines().next()).then_some(start..end)
}

/// Returns a plugin with its hooks, as this version of hookkit writes the rest.
pub(crate) fn renewed(text: &str) -> Option<String> {
    let (hooks, new) = (&text[hooks(text)?], hooks(EMPTY)?);
    Some([&EMPTY[..new.start], hooks, &EMPTY[new.end..]].concat())
}
