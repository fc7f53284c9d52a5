//! `cargo dev watch` names what another client does in another way.

use hookkit_tests::prelude::*;
use hookkit_tests::verdict::Row;
use hookkit_tests::watch::{Change, Verdicts, payloads};

/// A client that does not know PostToolBatch, for which `onFailure` is `block` where it is absent, and which gives hooks the
/// member `tool_call_id` in place of `tool_use_id`: the real one, with other files in the project.
const STUB: &str = r#"#!/bin/sh
sed -i -e 's/"PostToolBatch":/"PostToolBatches":/' -e 's/"type":"command"/"type":"command","onFailure":"block"/g' .claude/settings.json
sed -i -e 's/^cat >/sed s,tool_use_id,tool_call_id, >/' .claude/hook.sh
exec CLIENT "$@"
"#;

#[test]
fn planted_differences_are_named_in_a_line_each() -> Result<()> {
    let client = client!("planted_differences_are_named_in_a_line_each");
    let folder = test_support::folder();
    let stub = folder.path().join("claude");
    files::program(&stub, STUB.replace("CLIENT", &client.to_string_lossy()))?;
    let is_chosen = |row: &Row| ["PreToolUse", "PostToolBatch"].contains(&row.event.name) && !row.is_in_background();
    let verdicts = Verdicts::play(&stub, is_chosen)?;
    let mut differences = verdicts.compare(is_chosen)?;
    differences.extend(payloads(&verdicts.payloads)?);
    // The number of rows changes with the table.
    let named = differences.iter().map(|one| (one.change, one.fact.split(" (").next().unwrap_or_default()));
    let member = "`tool_use_id` is gone, and `tool_call_id`, of the same type, is new in the payloads that hooks of PreToolUse get";
    let wanted = [
        (Change::Gone, "the event PostToolBatch: no hook of it runs"),
        (Change::Different, "the default of `onFailure`: it is `block`, on PreToolUse"),
        (Change::Gone, member),
    ];
    assert_eq!(named.collect::<Vec<_>>(), wanted);
    Ok(())
}
