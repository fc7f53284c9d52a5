//! Valid names of hooks and packages.

use anyhow::{Result, ensure};
use hookkit_shell::programs::table::lists;

/// Rust's keywords, in all editions up to 2024.
const KEYWORDS: &str = "\
    abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if \
    impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true try \
    type typeof unsafe unsized use virtual where while yield";

/// Names that a module of hooks or another crate would shadow.
const TAKEN: &str = "alloc core hook hookkit std test tests tool";

/// Returns the function name for a hook with this name.
pub(super) fn function(hook: &str) -> Result<String> {
    ensure_kebab(hook, "hook")?;
    Ok(hook.replace('-', "_"))
}

/// Checks that a package can have this name.
pub(super) fn ensure_package(name: &str) -> Result<()> {
    ensure_kebab(name, "pack")?;
    ensure!(
        !["xtask", crate::cargo::metadata::XTASK].contains(&name) && !name.starts_with("hookkit-"),
        "`{name}` is another package's name; give the pack another one"
    );
    Ok(())
}

fn ensure_kebab(name: &str, of: &str) -> Result<()> {
    let is_kebab = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_lowercase())
            && !name.ends_with('-')
            && !name.contains("--")
            && name.chars().all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-')
    };
    if !is_kebab(name) {
        let meant = kebab(name);
        let fix = if is_kebab(&meant) { format!(", `{meant}`") } else { String::new() };
        anyhow::bail!(
            "`{name}` is not a valid name of a {of}; write it in lowercase letters and digits, with hyphens \
             between{fix}"
        );
    }
    let word = name.replace('-', "_");
    ensure!(!lists(KEYWORDS, &word), "`{name}` is a Rust keyword and cannot be the name of a {of}");
    ensure!(!lists(TAKEN, &word), "`{name}` is a name that the code around a {of} already uses; choose another");
    Ok(())
}

/// Returns the intended name in kebab-case: `protect-keys` for `protectKeys` and `protect_keys`.
fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for char in name.chars() {
        match char {
            '_' | ' ' | '.' => kebab.push('-'),
            _ if char.is_ascii_uppercase() && kebab.ends_with(|before: char| before.is_ascii_lowercase()) => {
                kebab.push('-');
                kebab.push(char.to_ascii_lowercase());
            }
            _ => kebab.push(char.to_ascii_lowercase()),
        }
    }
    kebab
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_of_a_function_too() -> Result<()> {
        assert_eq!(function("protect-keys2")?, "protect_keys2");
        for row in &test_support::lines!("lines/names-of-hooks.txt").section("refused").rows {
            let refused = function(&row.line).expect_err(&row.line).to_string();
            assert!(refused.contains(&row.expected[0]), "{refused}");
        }
        assert!(ensure_package("xtask").is_err() && ensure_package("hookkit-guard").is_err());
        assert!(ensure_package("acme-guards").is_ok());
        Ok(())
    }
}
