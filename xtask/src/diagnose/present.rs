//! Finds features that hooks need but the installed client lacks, according to the client's version.

pub(crate) mod needs;
pub(crate) mod version;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use hookkit_protocol::event::event;
use semver::Version;

use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::State;
use crate::diagnose::mods;
use crate::diagnose::own::Own;
use crate::diagnose::surroundings::Surroundings;
use crate::settings::code::{installed, sessions};
use crate::settings::finding::Finding;

/// Compares the client in PATH and the clients in editors with a session's hooks and modules, and with the requirements
/// of hookkit's workspaces.
pub(crate) fn look(
    session: &Session,
    own: &[Own<'_>],
    surroundings: &Surroundings,
    binary: Option<&Path>,
) -> Result<Vec<Finding>> {
    let project = surroundings.project.as_deref();
    let client = version::find(binary, project)?;
    let version = client.as_deref().and_then(version::of);
    let home = surroundings.home.as_deref().filter(|_| binary.is_none());
    let mut editors = home.map_or_else(Vec::new, version::of_editors);
    let newest = editors.iter().map(|(version, _)| version).chain(&version).max();
    let mut findings = mods::look(session, newest);
    match &client {
        None if editors.is_empty() => findings.push(sessions::no_client()),
        Some(client) if version.is_none() => findings.push(sessions::unknown_client(client.display())),
        _ => {}
    }
    editors.retain(|(of_editor, _)| Some(of_editor) != version.as_ref());
    for (version, folder) in &editors {
        let mut found = older(own, version);
        found.extend(unknown(session, project, version));
        // `install` writes entries for the client in PATH only.
        found.retain(|finding| finding.code != installed::MISSING_ENTRY);
        findings.extend(
            found
                .into_iter()
                .map(|finding| Finding { what: format!("{} ({})", finding.what, folder.display()), ..finding }),
        );
    }
    if let Some(version) = version {
        findings.extend(older(own, &version));
        findings.extend(unknown(session, project, &version));
    }
    Ok(findings)
}

/// Finds workspaces whose `min-client` is above this client, and events whose entries `install` left out but would
/// write now, with one finding for each settings file.
fn older(own: &[Own<'_>], version: &Version) -> Vec<Finding> {
    let places = own.iter().rev().map(|own| ((&own.source.path, &own.place.workspace), own));
    let mut found = Vec::new();
    for ((_, name), own) in BTreeMap::from_iter(places) {
        let least = own.min_client();
        if let Some(least) = least.as_ref().filter(|least| least.is_above(version)) {
            found.push(sessions::below_min_client(version, least, name).at(own.source, None));
        }
        let left_out = own.known().into_iter().flat_map(|record| &record.left_out);
        for event in left_out.filter_map(|name| event(name)) {
            if needs::left_out(event, Some(version), least.as_ref(), own.place.is_for_others()).is_none() {
                found.push(own.fixed(installed::missing_on_event(name, event.name)));
            }
        }
    }
    found
}

/// Finds features that the hooks need but this client lacks.
fn unknown(session: &Session, project: Option<&Path>, version: &Version) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in session.sources.iter().filter(|source| source.state == State::Read) {
        let mut seen = BTreeSet::new();
        for hook in &source.handlers {
            for missing in needs::missing(version, &hook.event, &hook.values, project) {
                if seen.contains(&missing) {
                    continue;
                }
                let drops_file = missing.drops_file && !source.is_plugin();
                let does = if missing.drops_file && source.is_plugin() {
                    "it never runs the hook on this event"
                } else {
                    missing.does
                };
                let finding =
                    sessions::client_too_old(version, &missing.what, missing.since, does).at(source, hook.place);
                findings.push(if drops_file { finding.error() } else { finding });
                seen.insert(missing);
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::diagnose::active::source::HookFile;
    use crate::settings::folders::Scope;
    use crate::settings::part::Part;

    #[test]
    fn a_feature_that_the_client_lacks_is_reported_once_per_file() {
        let hook = json!({"type": "command", "command": "x", "args": ["y"], "if": "Bash", "onFailure": "block"});
        let text = json!({"hooks": {"PreToolUse": [{"hooks": [hook, hook]}], "DirectoryAdded": []}}).to_string();
        let source = HookFile::of_text(Scope::Project, "x".into(), text, &Part::Settings);
        let session = Session {
            sources: vec![source],
            agents: Vec::new(),
            switches: Vec::new(),
            packaged: Vec::new(),
            mods: Vec::new(),
        };
        let unknown = |version: &str| -> Vec<String> {
            let version = Version::parse(version).expect("a version");
            let findings = unknown(&session, None, &version).into_iter();
            findings.map(|finding| finding.what.rsplit(' ').next().unwrap_or_default().to_owned()).collect()
        };
        assert_eq!(unknown("2.1.330"), Vec::<String>::new());
        assert_eq!(unknown("2.1.200"), ["`onFailure`"]);
        assert_eq!(unknown("2.1.100"), ["`args`", "`onFailure`"]);
        assert_eq!(unknown("2.1.0"), ["`args`", "`if`", "`onFailure`"]);
    }
}
