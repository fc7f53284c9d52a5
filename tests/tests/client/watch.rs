//! `cargo dev watch` names what another client does in another way.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use anyhow::Result;
use hookkit_tests::client;
use hookkit_tests::verdict::Row;
use hookkit_tests::watch::{Kind, Verdicts, payloads};

/// A client that does not know PostToolBatch, for which `onFailure` is `block` where it is absent, and which gives hooks the
/// member `tool_call_id` in place of `tool_use_id`: the real one, with other files in the project.
const STUB: &str = r#"#!/bin/sh
sed -i -e 's/"PostToolBatch":/"PostToolBatches":/' -e 's/"type":"command"/"type":"command","onFailure":"block"/g' .claude/settings.json
sed -i -e 's/^cat >/sed s,tool_use_id,tool_call_id, >/' .claude/hook.sh
exec CLIENT "$@"
"#;

#[test]
fn planted_differences_are_named_in_a_line_each() -> Result<()> {
    let Some(client) = client::require("planted_differences_are_named_in_a_line_each") else {
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let stub = folder.path().join("claude");
    fs::write(&stub, STUB.replace("CLIENT", &client.to_string_lossy()))?;
    fs::set_permissions(&stub, Permissions::from_mode(0o755))?;
    let is_chosen = |row: &Row| ["PreToolUse", "PostToolBatch"].contains(&row.event.name) && !row.is_in_background();
    let verdicts = Verdicts::play(&stub, 3, is_chosen)?;
    let mut findings = verdicts.compare(is_chosen)?;
    findings.extend(payloads(&verdicts.payloads)?);
    let kinds = findings
        .iter()
        .map(|finding| (finding.kind, finding.fact.split(" (").next().unwrap_or_default()));
    let wanted = [
        (Kind::Gone, "the event PostToolBatch: no hook of it runs"),
        (
            Kind::Different,
            "the default of `onFailure`: it is `block`, on PreToolUse",
        ),
        (
            Kind::Different,
            "`tool_use_id` is `tool_call_id` in the payloads that hooks of PreToolUse get",
        ),
    ];
    assert_eq!(kinds.collect::<Vec<_>>(), wanted);
    Ok(())
}
