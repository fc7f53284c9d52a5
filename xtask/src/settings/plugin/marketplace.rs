//! The files next to plugins, which Claude Code and people read before installing a plugin.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use hookkit_shell::programs::table::lists;
use serde_json::{Map, Value, json};

use crate::disk::beneath::Beneath;
use crate::disk::temporary::prepared;
use crate::settings::document::Document;
use crate::settings::plugin::parts::{self, Plugin};
use crate::settings::style::{Insertion, Keyed, list, object};
use crate::settings::value::Object;

const FILE: &str = ".claude-plugin/marketplace.json";

/// Returns marketplace.json with these plugins. Their entries are added, or updated with new sources and descriptions.
/// No other byte changes.
///
/// # Errors
///
/// Fails if the former text is not a marketplace.
fn text(name: &str, plugins: &[Plugin], former: Option<&[u8]>) -> Result<String> {
    let mut text = match former {
        Some(former) => {
            // The client reads neither comments nor a byte order mark here.
            let market = serde_json::from_slice::<Map<String, Value>>(former)?;
            ensure!(market.get("plugins").is_none_or(Value::is_array), "`plugins` is not a list");
            str::from_utf8(former)?.to_owned()
        }
        None => "{}\n".to_owned(),
    };
    let own = [
        ("metadata", json!({"description": "Hooks for Claude Code"})),
        ("name", json!(name)),
        ("owner", json!({"name": name})),
        ("plugins", json!([])),
    ];
    let document = Document::parse(&text)?;
    text = with_members(&document, &document.root, &own, false)?;
    for plugin in plugins {
        text = offered(&text, plugin)?;
    }
    Ok(text)
}

/// Returns a marketplace.json with a plugin's entry.
fn offered(text: &str, plugin: &Plugin) -> Result<String> {
    let name = &plugin.origin.name;
    let own = [("description", json!(plugin.description())), ("source", json!(format!("./{name}")))];
    let document = Document::parse(text)?;
    let offers = document
        .member(&document.root, "plugins")?
        .and_then(|offers| offers.as_list())
        .context("`plugins` is not a list")?;
    let mut objects = offers.elements.iter().filter_map(|offer| offer.as_object());
    if let Some(offer) = objects.find(|offer| offer.text("name") == Some(name)) {
        return with_members(&document, offer, &own, true);
    }
    let [(_, description), (_, source)] = own;
    let offer = json!({"name": name, "source": source, "description": description});
    Ok(inserted(text, &document.append(&list(offers), &[&offer])?))
}

/// Returns a document's text with these members of an object. Those that it has stay, or get their new value in an
/// entry.
fn with_members(document: &Document, to: &Object, members: &[(&str, Value)], is_entry: bool) -> Result<String> {
    let (mut missing, mut replaced) = (Vec::new(), Vec::new());
    for (key, value) in members {
        match document.member(to, key)? {
            None => missing.push(Keyed(key, value)),
            Some(present) if !is_entry || present.plain() == *value => {}
            Some(present) => replaced.push((present.range(), value.to_string())),
        }
    }
    let mut text = document.text().to_owned();
    // From the end, so that earlier positions stay valid.
    if !missing.is_empty() {
        text = inserted(&text, &document.append(&object(to), &missing)?);
    }
    replaced.sort_by_key(|(range, _)| range.start);
    for (range, value) in replaced.into_iter().rev() {
        text.replace_range(range, &value);
    }
    Ok(text)
}

/// Returns a text with an insertion. JSON has no comments, so there is none between the insertion and its comma.
fn inserted(text: &str, insertion: &Insertion) -> String {
    let (before, after) = text.split_at(insertion.at);
    format!("{before}{}{after}", insertion.text)
}

/// Writes marketplace.json into a folder, and returns the marketplace's name. An existing marketplace keeps its name
/// and its entries for other plugins.
///
/// # Errors
///
/// Fails if there is a marketplace.json that cannot be extended.
pub(crate) fn write(folder: &Beneath, name: &str, plugins: &[Plugin]) -> Result<String> {
    let file = folder.join(FILE);
    let parent = file.parent().create()?;
    let _lock = parent.lock().with_context(|| format!("writing {file}"))?;
    let former = file.content()?;
    let text = text(name, plugins, former.as_deref()).with_context(|| format!("{file} was left as it is"))?;
    let market = named(&file, text.as_bytes())?;
    if former.as_deref() == Some(text.as_bytes()) {
        return Ok(market);
    }
    let temporary = ".marketplace.json.hookkit-new";
    // Left by an earlier, killed run.
    if parent.stat(temporary.as_ref())?.is_some() {
        parent.remove(temporary.as_ref())?;
    }
    let mode = parent.stat(file.name()?)?.map_or(0o644, |stat| stat.mode & 0o777);
    prepared(&parent, temporary.into(), text.as_bytes(), mode, |_| Ok(()))?.rename(&parent, file.name()?)?;
    parent.sync()?;
    Ok(market)
}

/// Keys of an entry that describe a plugin. Other keys, such as `hooks`, add something to it.
const DESCRIPTIVE: &str = "author category description homepage keywords license name repository source tags version";

/// Returns the parts of a folder's marketplace that do not belong to these packages, with the reasons. Empty without a
/// marketplace. `packages` has the plugins' names by folder.
///
/// # Errors
///
/// Fails if it cannot be read.
pub(crate) fn others(folder: &Beneath, packages: &BTreeMap<String, String>) -> Result<Vec<(String, String)>> {
    let file = folder.join(FILE);
    let Some(text) = file.content()? else {
        return Ok(Vec::new());
    };
    let market: Value = serde_json::from_slice(&text).with_context(|| format!("{file} is not JSON"))?;
    Ok(others_in(&market, packages))
}

fn others_in(market: &Value, packages: &BTreeMap<String, String>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if !market["metadata"]["pluginRoot"].is_null() {
        found.push((FILE.to_owned(), "because of `pluginRoot`, its plugins are in another folder".to_owned()));
    }
    for offer in market["plugins"].as_array().into_iter().flatten() {
        let name = offer["name"].as_str().unwrap_or_default();
        let folder = offer["source"].as_str().and_then(|source| source.strip_prefix("./"));
        let is_package = folder.and_then(|folder| packages.get(folder)).is_some_and(|package| package == name);
        let mut added = offer.as_object().into_iter().flat_map(Map::keys).filter(|key| !lists(DESCRIPTIVE, key));
        let why = match added.next() {
            _ if !is_package => format!("the plugin `{name}` is not one of the packages, and was not verified"),
            Some(key) => format!("it adds `{key}` to the plugin `{name}`"),
            None => continue,
        };
        found.push((FILE.to_owned(), why));
    }
    found
}

/// Returns the name of the marketplace in a folder, if there is one.
///
/// # Errors
///
/// Fails if it cannot be read.
pub(crate) fn name(folder: &Beneath) -> Result<Option<String>> {
    let file = folder.join(FILE);
    let former = file.content()?;
    former.map(|former| named(&file, &former)).transpose()
}

/// Returns the name in a marketplace.json.
fn named(file: &Beneath, text: &[u8]) -> Result<String> {
    let market: Value = serde_json::from_slice(text).with_context(|| format!("{file} is not JSON"))?;
    let name = market["name"].as_str().with_context(|| format!("{file} has no `name`"))?;
    parts::check_name(name).with_context(|| file.to_string())?;
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binaries::platform::Platform;
    use crate::settings::plugin::contents::tests::plugin;

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

    fn offers(former: &str) -> String {
        text("acme", &[plugin(&[Platform::LinuxX86])], Some(former.as_bytes())).unwrap()
    }

    #[test]
    fn a_marketplace_keeps_its_bytes() {
        let former = r#"{
    "version": 1.10,
    "plugins": [
        { "source": "./other", "name": "other", "id": 12345678901234567890123 }
    ],
    "owner": {"name": "Acme"},
    "name": "ours",
    "metadata": {}
}
"#;
        let added = r#", "id": 12345678901234567890123 },
        { "description": "The hooks guard, observer", "name": "acme", "source": "./acme" }
    ],"#;
        let expected = former.replace(", \"id\": 12345678901234567890123 }\n    ],", added);
        assert_ne!(former, expected);
        assert_eq!(offers(former), expected);
        assert_eq!(offers(&expected), expected);
    }

    #[test]
    fn what_the_user_has_added_to_the_entry_of_a_plugin_stays() {
        let former = r#"{"name": "ours", "owner": {}, "metadata": {}, "plugins": [{"name": "acme", "category": "security", "description": "The hook guard"}]}"#;
        let expected = r#"{"name": "ours", "owner": {}, "metadata": {}, "plugins": [{"name": "acme", "category": "security", "description": "The hooks guard, observer", "source": "./acme"}]}"#;
        assert_eq!(offers(former), expected);
    }

    #[test]
    fn a_marketplace_without_a_valid_name_is_not_written() {
        let folder = test_support::folder();
        let at = Beneath::named(&folder.path().canonicalize().unwrap());
        write(&at, "my hooks", &[]).unwrap_err();
        assert!(at.join(FILE).stat().unwrap().is_none());
    }

    #[test]
    fn what_a_marketplace_offers_besides_its_packages_is_found() {
        let packages = BTreeMap::from([("acme".to_owned(), "acme".to_owned()), ("x".to_owned(), "y".to_owned())]);
        let found = |market: Value| {
            let found = others_in(&market, &packages).into_iter().map(|(_, why)| why);
            found.collect::<Vec<_>>().join("; ")
        };
        let market = text("acme", &[plugin(&[Platform::LinuxX86])], None).unwrap();
        assert_eq!(found(serde_json::from_str(&market).unwrap()), "");
        let lines = test_support::lines!("lines/marketplace.txt");
        lines.check_section("others", |market| found(serde_json::from_str(market).expect(market)));
    }
}
