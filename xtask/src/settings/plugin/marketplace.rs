//! The files around plugins, which Claude Code and people read before they install one.

use std::io::Write;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use crate::disk::beneath::Beneath;
use crate::settings::plugin::parts::{self, Plugin};

const FILE: &str = ".claude-plugin/marketplace.json";

/// Returns marketplace.json with these plugins: as it was, with their entries added or replaced.
///
/// # Errors
///
/// Fails if the former text is not a marketplace.
fn text(name: &str, plugins: &[Plugin], former: Option<&[u8]>) -> Result<String> {
    let mut market: Map<String, Value> = match former {
        Some(former) => serde_json::from_slice(former)?,
        None => Map::new(),
    };
    let of_name = || Value::from(name);
    market.entry("name").or_insert_with(of_name);
    market.entry("owner").or_insert_with(|| json!({"name": name}));
    market
        .entry("metadata")
        .or_insert_with(|| json!({"description": "Hooks for Claude Code"}));
    let offers = market.entry("plugins").or_insert_with(|| json!([]));
    let offers = offers.as_array_mut().context("`plugins` is not a list")?;
    for plugin in plugins {
        let name = &plugin.origin.name;
        let offer = json!({"name": name, "source": format!("./{name}"), "description": plugin.description()});
        match offers.iter_mut().find(|offer| offer["name"] == **name) {
            Some(former) => *former = offer,
            None => offers.push(offer),
        }
    }
    Ok(serde_json::to_string_pretty(&market)? + "\n")
}

/// Writes marketplace.json into a folder, and returns the marketplace's name. Its former name and the entries of other
/// plugins stay.
///
/// # Errors
///
/// Fails if there is a marketplace.json that cannot be extended.
pub(crate) fn write(folder: &Beneath, name: &str, plugins: &[Plugin]) -> Result<String> {
    let file = folder.join(FILE);
    let former = file.read().with_context(|| format!("reading {file}"))?;
    let text = text(name, plugins, former.as_deref()).with_context(|| format!("{file} was left as it is"))?;
    if former.as_deref() == Some(text.as_bytes()) {
        return named(&file, text.as_bytes());
    }
    let parent = file.parent().create()?;
    let temporary = ".marketplace.json.hookkit-new";
    // What an earlier run has left that was killed.
    if parent.stat(temporary.as_ref())?.is_some() {
        parent.remove(temporary.as_ref())?;
    }
    let mut opened = parent.create_new(temporary.as_ref(), 0o644)?;
    opened.write_all(text.as_bytes())?;
    opened.sync_all()?;
    parent.rename(temporary.as_ref(), &parent, file.name()?)?;
    parent.sync()?;
    named(&file, text.as_bytes())
}

/// Returns the name of the marketplace in a folder, if there is one.
///
/// # Errors
///
/// Fails if it cannot be read.
pub(crate) fn name(folder: &Beneath) -> Result<Option<String>> {
    let file = folder.join(FILE);
    let former = file.read().with_context(|| format!("reading {file}"))?;
    former.map(|former| named(&file, &former)).transpose()
}

/// Returns the name in a marketplace.json.
fn named(file: &Beneath, text: &[u8]) -> Result<String> {
    let market: Value = serde_json::from_slice(text).with_context(|| format!("{file} is not JSON"))?;
    let name = market["name"]
        .as_str()
        .with_context(|| format!("{file} has no `name`"))?;
    parts::check_name(name).with_context(|| file.to_string())?;
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_a_marketplace_is_refused() {
        for former in ["", "[]", r#"{"plugins": {}}"#, "{"] {
            text("acme", &[], Some(former.as_bytes())).unwrap_err();
        }
    }

    #[test]
    fn other_plugins_and_keys_of_a_marketplace_stay() {
        let former = br#"{"name": "ours", "owner": {"name": "Acme"}, "x": 1, "plugins": [{"name": "other", "source": "./other"}]}"#;
        let market: Value = serde_json::from_str(&text("acme", &[], Some(former)).unwrap()).unwrap();
        assert_eq!(
            (&market["name"], &market["x"], &market["owner"]["name"]),
            (&json!("ours"), &json!(1), &json!("Acme"))
        );
        assert_eq!(market["plugins"], json!([{"name": "other", "source": "./other"}]));
    }
}
