//! Compares the installed client with the hooks, some of which need a newer client.

use semver::Version;

use crate::binaries::definition::Definition;
use crate::cargo::min_client::MinClient;
use crate::commands::prelude::*;
use crate::diagnose::present::needs::{self, Missing};
use crate::diagnose::present::version;
use crate::settings::installed;
use crate::settings::place::Place;

/// Returns the version of the client that will run the hooks. `None` if it cannot be read, or if the client is on
/// another machine.
pub(super) fn installed_client(place: &Place, triple: Option<&str>) -> Option<Version> {
    if place.is_staged() || triple.is_some() || place.agent().is_some() {
        return None;
    }
    version::of(&version::find(None, place.project()).ok()??)
}

/// The comparison of hooks with the clients that will run them.
#[derive(Default)]
pub(super) struct Older<'c> {
    client: Option<&'c Version>,
    /// The workspace's `min-client`, if the client is older.
    least: Option<&'c MinClient>,
    /// The features that the client lacks, each with the names of the hooks that need the feature.
    missing: BTreeMap<Missing, BTreeSet<String>>,
    /// The events for which no entry is written, each with the first client version that has it, the reason, and the
    /// names of the hooks.
    left_out: BTreeMap<(&'static str, &'static str, String), BTreeSet<String>>,
    /// The events without entries.
    pub(super) events: BTreeSet<String>,
}

impl<'c> Older<'c> {
    /// Removes the entries that should not be written, unless the user forces them, and compares the others with the
    /// client.
    pub(super) fn of(
        client: Option<&'c Version>,
        least: Option<&'c MinClient>,
        hooks: &mut [Definition],
        place: &Place,
        is_forced: bool,
    ) -> Result<Self> {
        let mut older = Self {
            client,
            least: least.filter(|least| client.is_some_and(|client| least.is_above(client))),
            ..Self::default()
        };
        for hook in hooks {
            let name = &hook.declared.name;
            hook.entries.retain(|entry| {
                let Some(event) = entry.facts().filter(|_| !is_forced) else {
                    return true;
                };
                let why = needs::left_out(event, client, least, place.is_for_others());
                let is_written = why.is_none();
                if let Some(why) = why {
                    older.events.insert(entry.event.clone());
                    older.left_out.entry((event.name, event.since, why)).or_default().insert(name.clone());
                }
                is_written
            });
            let Some(version) = client else { continue };
            for entry in installed::entries(hook, place) {
                let handler = serde_json::to_value(&entry.handler)?;
                for feature in needs::missing(version, &entry.event, &handler, place.project()) {
                    older.missing.entry(feature).or_default().insert(name.clone());
                }
            }
        }
        Ok(older)
    }

    /// Returns the warnings, one per line. There are none if all clients support the hooks.
    pub(super) fn warnings(&self) -> Vec<Text> {
        let left_out = self.left_out.iter().map(|((event, since, why), hooks)| {
            let mut text = Text::new();
            text.words(WARNING, "warning")
                .plain(format_args!(": no entry on {event} ({}), new in Claude Code {since}: {why}", listed(hooks)));
            text
        });
        let Some(client) = self.client else {
            return left_out.collect();
        };
        let warning = |what: String, fix: &str| {
            let mut text = Text::new();
            text.words(WARNING, "warning").plain(": the installed Claude Code ");
            text.plain(format_args!("{client} {what}; update it")).plain(fix);
            text.plain(": ").command("claude update");
            text
        };
        let least = self.least.map(|least| {
            let what = format!("is older than {least}, the `min-client` of this workspace");
            warning(what, "")
        });
        let missing = self.missing.iter().map(|(feature, hooks)| {
            let Missing { what, does, since, .. } = feature;
            let what = format!("does not support {what}, so {does} ({})", listed(hooks));
            warning(what, &format!(" to {since} or later"))
        });
        least.into_iter().chain(left_out).chain(missing).collect()
    }

    /// Returns the comparison as JSON.
    pub(super) fn value(&self) -> Value {
        let missing = self.missing.iter().map(|(feature, hooks)| {
            json!({"what": feature.what, "effect": feature.does, "since": feature.since, "hooks": hooks})
        });
        let left_out = self.left_out.iter().map(|((event, since, why), hooks)| {
            let (what, effect) = (format!("the event {event}"), format!("no entry: {why}"));
            json!({"what": what, "effect": effect, "since": since, "hooks": hooks})
        });
        json!({
            "version": self.client.map(Version::to_string),
            "below_min_client": self.least.map(MinClient::to_string),
            "unsupported": missing.chain(left_out).collect::<Vec<_>>(),
        })
    }
}
