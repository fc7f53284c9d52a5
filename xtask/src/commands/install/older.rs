//! The installed client, if hooks need a newer one.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use hookkit_protocol::settings::UNKNOWN_EVENTS_SINCE;
use semver::Version;
use serde_json::{Value, json};

use crate::binaries::definition::Definition;
use crate::cargo::min_client::MinClient;
use crate::diagnose::client;
use crate::diagnose::present::needs::{self, Missing};
use crate::diagnose::present::version;
use crate::settings::installed;
use crate::settings::place::Place;
use crate::terminal::listed;
use crate::terminal::style::WARNING;
use crate::terminal::text::Text;

/// Returns the version of the client that is to run the hooks; `None` if it is not known, or is that of another machine.
pub(super) fn installed_client(place: &Place, triple: Option<&str>) -> Option<Version> {
    if place.is_staged() || triple.is_some() {
        return None;
    }
    version::of(&client::find(None, place.project()).ok()??)
}

/// A comparison of hooks with the client that is to run them.
#[derive(Default)]
pub(super) struct Older<'h> {
    client: Option<&'h Version>,
    /// The workspace's `min-client`, if the client is older.
    least: Option<&'h MinClient>,
    /// The features that the client lacks, each with the names of the hooks that need it.
    missing: BTreeMap<Missing, BTreeSet<&'h str>>,
}

impl<'h> Older<'h> {
    pub(super) fn of(
        client: Option<&'h Version>,
        least: Option<&'h MinClient>,
        hooks: &'h [Definition],
        place: &Place,
    ) -> Result<Self> {
        let Some(version) = client else {
            return Ok(Self::default());
        };
        let mut missing: BTreeMap<Missing, BTreeSet<&str>> = BTreeMap::new();
        for hook in hooks {
            for entry in installed::entries(hook, place) {
                let handler = serde_json::to_value(&entry.handler)?;
                for feature in needs::missing(version, &entry.event, &handler, place.project()) {
                    missing.entry(feature).or_default().insert(&hook.declared.name);
                }
            }
        }
        Ok(Self {
            client,
            least: least.filter(|least| least.is_above(version)),
            missing,
        })
    }

    /// Checks that the client reads the settings with these hooks.
    ///
    /// # Errors
    ///
    /// Fails if it would ignore the whole file, unless that is wanted.
    pub(super) fn ensure_read(&self, place: &Place, is_forced: bool) -> Result<()> {
        let dropping = self.missing.iter().filter(|(feature, _)| feature.drops_file);
        let dropping: Vec<String> = dropping
            .map(|(feature, hooks)| format!("{} ({})", feature.what, listed(hooks)))
            .collect();
        ensure!(
            is_forced || dropping.is_empty(),
            "{}: the installed Claude Code {} would ignore the whole file, with its permissions and all hooks, since it does not \
             know {}\nUpdate it to {UNKNOWN_EVENTS_SINCE} or later (`claude update`), leave these hooks out, or go on with --force",
            installed::refused(place),
            self.client.map(Version::to_string).unwrap_or_default(),
            dropping.join(", ")
        );
        Ok(())
    }

    /// Returns the warnings, a line each: none if the client has all that hooks need.
    pub(super) fn warnings(&self) -> Vec<Text> {
        let Some(client) = self.client else { return Vec::new() };
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
        least.into_iter().chain(missing).collect()
    }

    /// Describes it for programs.
    pub(super) fn value(&self) -> Value {
        let missing = self.missing.iter().map(|(feature, hooks)| {
            json!({"what": feature.what, "effect": feature.does, "since": feature.since, "hooks": hooks})
        });
        json!({
            "version": self.client.map(Version::to_string),
            "below_min_client": self.least.map(MinClient::to_string),
            "unsupported": missing.collect::<Vec<_>>(),
        })
    }
}
