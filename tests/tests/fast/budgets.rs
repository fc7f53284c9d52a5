//! The cost of a hook process, in instructions: more than the budget is a failure.
//!
//! Instructions are counted by callgrind for the whole process, over those of an empty `main` that is linked in the same
//! way. Unlike times they are the same in every run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use hookkit_tests::Project;
use hookkit_tests::workspace::install;
use hookkit_tests::xtask::{binary_has, installed, instructions};
use serde_json::{Value, json};

/// An edit of Rust code with about this many bytes, its members in the client's order.
fn edit(size: usize) -> String {
    let code =
        |size: usize| Value::from("    let path = \"C:\\src\\main.rs\"; // a line like many\n".repeat(size / 54));
    let common = concat!(
        r#""session_id":"00000000-0000-4000-8000-000000000001","#,
        r#""transcript_path":"/home/user/.claude/projects/-home-user-project/00000000-0000-4000-8000-000000000001.jsonl","#,
        r#""cwd":"/home/user/project","permission_mode":"default","#,
        r#""hook_event_name":"PostToolUse","tool_name":"Edit""#,
    );
    let file = r#""/home/user/project/src/main.rs""#;
    let (old, new, original) = (code(size / 8), code(size / 8), code(size / 2));
    format!(
        "{{{common},\
         \"tool_input\":{{\"file_path\":{file},\"old_string\":{old},\"new_string\":{new},\"replace_all\":false}},\
         \"tool_response\":{{\"filePath\":{file},\"originalFile\":{original},\"userModified\":false}},\
         \"tool_use_id\":\"toolu_mock_003_0\"}}\n"
    )
}

/// An empty `main`, built as launchers are.
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

/// Returns a project with the hooks of the fixture; `None` where they are not linked as the budgets are for, and the test is
/// skipped.
fn linked(test_name: &str) -> Result<Option<Project>> {
    let project = Project::new()?;
    let summary = install("fixture-hooks", &project)?;
    let is_linked = cfg!(target_arch = "x86_64") && summary.contains("statically linked (musl)");
    if !is_linked {
        hookkit_tests::skip(test_name, "the budgets are those of x86_64 with musl");
    }
    Ok(is_linked.then_some(project))
}

#[test]
fn a_hook_stays_within_its_budget() -> Result<()> {
    let skip = |why: &str| {
        hookkit_tests::skip("a_hook_stays_within_its_budget", why);
        Ok(())
    };
    if !hookkit_tests::is_recorded_toolchain("a_hook_stays_within_its_budget")? {
        return Ok(());
    }
    let Some(project) = linked("a_hook_stays_within_its_budget")? else {
        return Ok(());
    };
    let empty = empty_main(project.path())?;
    let budgets: BTreeMap<String, u64> = serde_json::from_str(include_str!("../../budgets.json"))?;
    let mut over = Vec::new();
    for (what, hook, size) in [
        ("answers, 2 KB", "remind", 2_000),
        ("matcher does not fit, 20 KB", "no-shell", 20_000),
        ("denies after a panic, 2 KB", "panic-after-edit", 2_000),
    ] {
        project.write("stdin", edit(size))?;
        let stdin = project.path().join("stdin");
        let (Some(whole), Some(floor)) = (
            instructions(&installed(project.path(), hook)?, &stdin)?,
            instructions(&empty, &stdin)?,
        ) else {
            return skip("valgrind is not installed");
        };
        let budget = *budgets.get(what).with_context(|| format!("no budget for `{what}`"))?;
        eprintln!("{what}: {} of {budget}", whole - floor);
        if whole - floor > budget {
            over.push(json!({what: {"instructions": whole - floor, "budget": budget}}));
        }
    }
    assert_eq!(Value::from(over), json!([]), "over tests/budgets.json");
    Ok(())
}

/// serde names a fraction so, where it reports one in the place of something else. With what reads and writes fractions, and
/// serde_json's `Value`, a hook has 100 KB more.
#[test]
fn a_hook_that_keeps_values_as_text_has_no_code_for_fractions() -> Result<()> {
    let Some(project) = linked("a_hook_that_keeps_values_as_text_has_no_code_for_fractions")? else {
        return Ok(());
    };
    let has = |text: &str| binary_has(project.path(), "no-shell", text);
    assert!(has("invalid type: ")? && !has("floating point `")?);
    Ok(())
}
