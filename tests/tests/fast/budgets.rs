//! The cost of a hook process, in instructions: more than the budget is a failure.

use hookkit_tests::budgets;
use hookkit_tests::prelude::*;
use hookkit_tests::workspace::install;
use hookkit_tests::xtask::binary_has;

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

/// Returns a project with the hooks of the fixture; `None` where they are not linked as the budgets are for, and the test is
/// skipped.
fn linked(test_name: &str) -> Result<Option<Project>> {
    let project = Project::new()?;
    let summary = install("fixture-hooks", &project)?;
    let is_linked = cfg!(target_arch = "x86_64") && summary.contains("statically linked (musl)");
    if !is_linked {
        skip(test_name, "the budgets are those of x86_64 with musl");
    }
    Ok(is_linked.then_some(project))
}

#[test]
fn a_hook_stays_within_its_budget() -> Result<()> {
    let Some(project) = linked("a_hook_stays_within_its_budget")? else {
        return Ok(());
    };
    let rows = [
        ("answers, 2 KB", "remind", edit(2_000)),
        ("matcher does not fit, 20 KB", "no-shell", edit(20_000)),
        ("denies after a panic, 2 KB", "panic-after-edit", edit(2_000)),
    ];
    budgets::check("a_hook_stays_within_its_budget", &project, &rows)
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
