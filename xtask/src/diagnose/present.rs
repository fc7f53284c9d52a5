//! The installed client's version, and the features that hooks need and this version lacks.

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
use crate::diagnose::report::Diagnostic;
use crate::settings::code::Code;

/// Compares the client with the hooks and modules of a session, and with what the workspaces of its own hooks ask for.
pub(crate) fn look(
    session: &Session,
    own: &[Own<'_>],
    project: Option<&Path>,
    binary: Option<&Path>,
) -> Result<Vec<Diagnostic>> {
    let client = version::find(binary, project)?;
    let version = client.as_deref().and_then(version::of);
    let mut diagnostics = mods::look(session, version.as_ref());
    let Some(client) = client else {
        let what = "there is no `claude` in PATH, so its version is unknown";
        diagnostics.push(Diagnostic::new(Code::UnknownClient, what, "", "pass `--client-binary FILE`").note());
        return Ok(diagnostics);
    };
    let Some(version) = version else {
        let what = format!("{} does not print its version", client.display());
        diagnostics.push(Diagnostic::new(Code::UnknownClient, what, "", "").note());
        return Ok(diagnostics);
    };
    diagnostics.extend(older(own, &version));
    diagnostics.extend(unknown(session, project, &version));
    Ok(diagnostics)
}

/// Returns the version of the client where modules of plugins depend on it.
pub(crate) fn version_for_mods(session: &Session, project: Option<&Path>) -> Result<Option<Version>> {
    Ok(match session.mods[..] {
        [] => None,
        _ => version::find(None, project)?.as_deref().and_then(version::of),
    })
}

/// Finds workspaces whose `min-client` is above this client, and events whose entries `install` has left out and would write
/// now: once for each settings file.
fn older(own: &[Own<'_>], version: &Version) -> Vec<Diagnostic> {
    let places = own
        .iter()
        .rev()
        .map(|own| ((&own.source.path, &own.place.workspace), own));
    let mut found = Vec::new();
    for ((_, name), own) in BTreeMap::from_iter(places) {
        let least = own.min_client();
        if let Some(least) = least.as_ref().filter(|least| least.is_above(version)) {
            let what = format!(
                "the installed Claude Code {version} is older than {least}, the `min-client` of the hooks of `{name}`"
            );
            let does = "hooks may not run, or not block, as their workspace means it";
            found.push(Diagnostic::new(Code::BelowMinClient, what, does, UPDATE).at(own.source, None));
        }
        let left_out = own.known().into_iter().flat_map(|record| &record.left_out);
        for event in left_out.filter_map(|name| event(name)) {
            if needs::left_out(event, Some(version), least.as_ref(), own.place.is_for_others()).is_none() {
                let what = format!("the hooks of `{name}` have no entry on {}", event.name);
                found.push(own.diagnostic(Code::MissingEntry, what, "they do not run on it"));
            }
        }
    }
    found
}

/// The fix of a client that is too old.
const UPDATE: &str = "run `claude update`";

/// Finds features that the hooks need and this client lacks.
fn unknown(session: &Session, project: Option<&Path>, version: &Version) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for source in session.sources.iter().filter(|source| source.state == State::Read) {
        let mut seen = BTreeSet::new();
        for hook in &source.handlers {
            for missing in needs::missing(version, &hook.event, &hook.values, project) {
                if seen.contains(&missing) {
                    continue;
                }
                let drops_file = missing.drops_file && !source.is_plugin();
                let what = format!("the installed Claude Code {version} does not support {}", missing.what);
                let fix = format!("update it to {} or later", missing.since);
                let does = match missing.drops_file && source.is_plugin() {
                    true => "it never runs the hook on it",
                    false => missing.does,
                };
                let diagnostic = Diagnostic::new(Code::ClientTooOld, what, does, fix).at(source, hook.place);
                diagnostics.push(if drops_file { diagnostic.error() } else { diagnostic });
                seen.insert(missing);
            }
        }
    }
    diagnostics
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
            switches: Vec::new(),
            packaged: Vec::new(),
            mods: Vec::new(),
        };
        let unknown = |version: &str| -> Vec<String> {
            let version = Version::parse(version).expect("a version");
            let diagnostics = unknown(&session, None, &version).into_iter();
            diagnostics
                .map(|diagnostic| diagnostic.what.rsplit(' ').next().unwrap_or_default().to_owned())
                .collect()
        };
        assert_eq!(unknown("2.1.330"), Vec::<String>::new());
        assert_eq!(unknown("2.1.200"), ["`onFailure`"]);
        assert_eq!(unknown("2.1.100"), ["`args`", "`onFailure`"]);
        assert_eq!(unknown("2.1.0"), ["`args`", "`if`", "`onFailure`"]);
    }
}
