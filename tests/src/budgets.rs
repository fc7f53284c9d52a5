//! The cost of a hook process, in instructions: more than its budget in `tests/budgets.json` is a failure.
//!
//! callgrind counts the instructions of the whole process, less those of an empty `main` that is linked in the same
//! way. Unlike times, they are the same in every run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::Project;
use crate::xtask::{installed, instructions};

/// Builds an empty `main` as launchers are built.
fn empty_main(folder: &Path) -> Result<PathBuf> {
    let (source, program) = (folder.join("empty.rs"), folder.join("empty"));
    fs::write(&source, "fn main() {}\n")?;
    let done = Command::new("rustc")
        .args(["-Copt-level=s", "-Cpanic=abort", "-Cstrip=symbols", "-Ccodegen-units=1"])
        .args(["-Ctarget-feature=+crt-static", "-Crelocation-model=static"])
        .args(["--target", "x86_64-unknown-linux-musl", "-o"])
        .args([&program, &source])
        .output()?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Ok(program)
}

/// Compares the cost of installed hooks with their budgets: for each row the name of the budget, the hook, and its stdin.
/// Skipped where the toolchain is not the recorded one, or valgrind is missing.
///
/// # Errors
///
/// If one is over its budget.
pub fn check(test_name: &str, project: &Project, rows: &[(&str, &str, String)]) -> Result<()> {
    if !crate::is_recorded_toolchain(test_name)? {
        return Ok(());
    }
    let empty = empty_main(project.path())?;
    let budgets: BTreeMap<String, u64> = serde_json::from_str(include_str!("../budgets.json"))?;
    let mut over = String::new();
    for (what, hook, payload) in rows {
        project.write("stdin", payload)?;
        let stdin = project.path().join("stdin");
        let (Some(whole), Some(floor)) =
            (instructions(&installed(project.path(), hook)?, &stdin)?, instructions(&empty, &stdin)?)
        else {
            crate::skip(test_name, "valgrind is not installed");
            return Ok(());
        };
        let budget = *budgets.get(*what).with_context(|| format!("no budget for `{what}`"))?;
        let cost = whole - floor;
        eprintln!("{what}: {cost} of {budget}");
        if cost > budget {
            over += &format!("{what}: {cost} instructions, {budget} in tests/budgets.json\n");
        }
    }
    ensure!(over.is_empty(), "{over}");
    Ok(())
}
