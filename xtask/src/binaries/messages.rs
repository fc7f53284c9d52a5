//! cargo's messages about a build, one JSON object on each line.

use std::path::PathBuf;

use serde::Deserialize;

use crate::binaries::overrides::launcher::Spot;

/// A message from rustc about a target, in cargo's output.
#[derive(Deserialize)]
pub(crate) struct CompilerMessage {
    package_id: String,
    pub(crate) target: Target,
    pub(crate) message: Diagnostic,
}

impl CompilerMessage {
    /// Returns the package's name. Its id is `SOURCE#NAME@VERSION`, or `SOURCE#VERSION` if the source ends with the
    /// name.
    pub(crate) fn package(&self) -> &str {
        let (source, package) = self.package_id.rsplit_once('#').unwrap_or(("", &self.package_id));
        let url = source.split('?').next().unwrap_or(source);
        let of_source = || url.rsplit('/').next().unwrap_or(url);
        package.split_once('@').map_or_else(of_source, |(name, _)| name)
    }
}

pub(crate) fn compiler_messages(messages: &str) -> impl Iterator<Item = CompilerMessage> {
    messages.lines().filter_map(|line| serde_json::from_str(line).ok())
}

#[derive(Deserialize)]
pub(crate) struct Diagnostic {
    pub(crate) message: String,
    pub(crate) level: String,
    /// Error code. `None` if the message is not about source code, for example if the linker failed.
    pub(crate) code: Option<serde::de::IgnoredAny>,
    pub(crate) spans: Vec<Spot>,
    /// The text as rustc would print it.
    pub(crate) rendered: String,
}

/// A message from cargo about a build script that it ran, in this build or an earlier one.
#[derive(Deserialize)]
pub(crate) struct BuildScript {
    pub(crate) env: Vec<(String, String)>,
}

/// A message from cargo about a binary that it built. cargo's other messages do not have these fields.
#[derive(Deserialize)]
pub(crate) struct Artifact {
    pub(crate) target: Target,
    pub(crate) executable: PathBuf,
}

#[derive(Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
}
