//! A plugin for an agent that cannot start hooks itself. The plugin contains the hooks, and starts them.

use std::ops::Range;

use hmac_sha256::Hash;

use crate::terminal::hex;

/// The plugin without hooks, and without the digest of its code.
const SOURCE: &str = include_str!("opencode.js");

/// Text before the hooks.
const START: &str = "const settings = /* hooks */ ";

/// Text between the hooks and the digest.
const END: &str = " /* end of hooks, code ";

/// Text after the digest.
const REST: &str = " */;";

/// Returns the plugin without hooks.
pub(crate) fn empty() -> String {
    let (hooks, _, code) = parts(SOURCE).expect("the plugin has its parts");
    written(&SOURCE[hooks], &code)
}

/// Returns the position of the hooks in a plugin.
///
/// # Errors
///
/// Fails if the code around the hooks is not hookkit's. The error has the reason and the fix.
pub(crate) fn hooks(text: &str) -> Result<Range<usize>, (&'static str, &'static str)> {
    match parts(text).filter(|_| text.lines().next() == SOURCE.lines().next()) {
        None => Err(("hookkit has not written it", "move it elsewhere")),
        Some((_, written, code)) if written != digest(&code) => Err((
            "its code was changed",
            "move your code into a plugin of its own, delete this file, and install again",
        )),
        Some((hooks, ..)) => Ok(hooks),
    }
}

/// Updates a plugin's code to this version of hookkit, and keeps its hooks.
pub(crate) fn renewed(text: &str) -> Option<String> {
    let (_, _, code) = parts(SOURCE)?;
    Some(written(&text[hooks(text).ok()?], &code))
}

/// Returns the position of the hooks, the digest, and the code around both.
fn parts(text: &str) -> Option<(Range<usize>, &str, [&str; 2])> {
    let start = text.find(START)? + START.len();
    let end = start + text[start..].find(END)?;
    let (digest, rest) = text[end + END.len()..].split_once(REST)?;
    Some((start..end, digest, [&text[..start], rest]))
}

fn written(hooks: &str, code: &[&str; 2]) -> String {
    [code[0], hooks, END, &digest(code), REST, code[1]].concat()
}

/// Returns the digest of a plugin's code, independent of its line endings.
fn digest(code: &[&str; 2]) -> String {
    hex(&Hash::hash(code.concat().replace("\r\n", "\n").as_bytes())[..8])
}

/// Returns a plugin as if written by a version of hookkit with different code.
#[cfg(test)]
pub(crate) fn with_code(text: &str, from: &str, to: &str) -> String {
    let other = text.replace(from, to);
    let (hooks, _, code) = parts(&other).expect("a plugin");
    written(&other[hooks], &code)
}
