//! The audit of hooks, as a test reads it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::xtask::rows;

/// Returns the attributes of a record by their names.
///
/// # Errors
///
/// If it is not a record.
pub fn attributes(record: &Value) -> Result<BTreeMap<String, String>> {
    let attributes = record["attributes"].as_array().context("attributes")?.iter().map(|attribute| {
        let value = attribute["value"].as_object().and_then(|value| value.values().next());
        let text = value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        Some((attribute["key"].as_str()?.to_owned(), text?))
    });
    attributes.collect::<Option<_>>().context("names and values")
}

/// Returns the records of the audit in a state folder, in the order of their ids, each with its attributes by name.
///
/// # Errors
///
/// If a line is not a record, or an id is there twice.
pub fn audited(state: &Path) -> Result<Vec<BTreeMap<String, String>>> {
    let mut records = BTreeMap::new();
    for file in fs::read_dir(state.join("hookkit/audit"))? {
        let path = file?.path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        assert_eq!(fs::metadata(&path)?.permissions().mode() & 0o777, 0o600);
        for line in rows(&fs::read_to_string(&path)?)? {
            let record = line.pointer("/resourceLogs/0/scopeLogs/0/logRecords/0");
            let attributes = attributes(record.context("a record")?)?;
            let id = attributes["log.record.uid"].clone();
            ensure!(records.insert(id, attributes).is_none(), "{line}");
        }
    }
    Ok(records.into_values().collect())
}
