//! Codes of findings, and the findings for each code, in one table for the rules' texts, the terminal, `doctor
//! --explain` and docs/book/src/findings.md.
//!
//! A code has the mistake, its effect in Claude Code and the fix, as shown on the page. Each finding with the code is a
//! function in the same module; its texts contain the function's arguments. A finding without its own text uses the
//! code's text.

use anyhow::{Result, bail};
use hookkit_protocol::near;

use crate::settings::finding::Code;

pub(crate) mod agents;
pub(crate) mod commands;
pub(crate) mod hooks;
pub(crate) mod installed;
pub(crate) mod plugins;
pub(crate) mod reading;
pub(crate) mod sessions;
pub(crate) mod together;

/// The page of all codes, with a section for each.
pub(crate) const PAGE: &str = "docs/book/src/findings.md";

/// Returns all codes, in the page's order.
pub(crate) fn all() -> impl Iterator<Item = Code> + Clone {
    let subjects = [
        reading::CODES,
        plugins::CODES,
        hooks::CODES,
        commands::CODES,
        together::CODES,
        sessions::CODES,
        installed::CODES,
        agents::CODES,
    ];
    subjects.into_iter().flatten().copied()
}

/// Returns the code with this name.
///
/// # Errors
///
/// Fails if there is no such code.
pub(crate) fn named(name: &str) -> Result<Code> {
    if let Some(code) = all().find(|code| code.name == name) {
        return Ok(code);
    }
    match near(name, all().map(|code| code.name)) {
        Some(meant) => bail!("there is no code `{name}`; did you mean `{meant}`?"),
        None => bail!("there is no code `{name}`; {PAGE} lists all of them"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_in_kebab_case() {
        let names: BTreeSet<&str> = all().map(|code| code.name).collect();
        assert_eq!(names.len(), all().count());
        let is_kebab =
            |name: &&str| name.split('-').all(|word| word.chars().all(|char| matches!(char, 'a'..='z' | '0'..='9')));
        assert_eq!(names.into_iter().find(|name| !is_kebab(name)), None);
    }

    #[test]
    fn an_unknown_code_is_refused_with_a_suggestion() {
        let error = |name| named(name).err().map(|err| err.to_string()).unwrap_or_default();
        assert_eq!(error("unquoted-path"), "");
        assert_eq!(error("unqoted_path"), "there is no code `unqoted_path`; did you mean `unquoted-path`?");
        assert_eq!(error("E0308"), "there is no code `E0308`; docs/book/src/findings.md lists all of them");
    }
}
