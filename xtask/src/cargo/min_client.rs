//! The oldest version of Claude Code that a workspace's hooks support: `min-client` in `[workspace.metadata.hookkit]`.

use std::fmt;

use semver::Version;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// The oldest version of Claude Code that other people are assumed to have, if the workspace does not set one.
pub(crate) const ASSUMED: &str = "2.1.290";

/// The oldest version of Claude Code that a workspace's hooks support.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct MinClient(Version);

impl MinClient {
    /// Parses a version with three numbers.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let version = Version::parse(text).ok()?;
        (version.pre.is_empty() && version.build.is_empty()).then_some(Self(version))
    }

    /// Returns `true` if a client is older than this version.
    pub(crate) fn is_above(&self, client: &Version) -> bool {
        *client < self.0
    }
}

impl fmt::Display for MinClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for MinClient {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = serde_json::Value::deserialize(deserializer)?;
        found.as_str().and_then(Self::parse).ok_or_else(|| {
            let example = r#"write the three numbers that `claude --version` prints, as in "2.1.139""#;
            D::Error::custom(format!("`min-client` is {found}, which is not a version: {example}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_version_has_three_numbers_in_quotes() {
        let read = |value| serde_json::from_value::<MinClient>(value).map_err(|err| err.to_string());
        let version = read(json!("2.1.139")).expect("a version");
        assert_eq!(version.to_string(), "2.1.139");
        assert_eq!(json!(version), "2.1.139");
        for (found, shown) in [
            (json!("2.1"), r#""2.1""#),
            (json!(2.1), "2.1"),
            (json!(">=2.1.139"), r#"">=2.1.139""#),
            (json!("2.1.139-beta.1"), r#""2.1.139-beta.1""#),
            (json!(["2.1.139"]), r#"["2.1.139"]"#),
        ] {
            let expected = format!(
                "`min-client` is {shown}, which is not a version: write the three numbers that `claude --version` \
                 prints, as in \"2.1.139\""
            );
            assert_eq!(read(found), Err(expected));
        }
    }

    #[test]
    fn versions_are_compared_by_numbers() {
        let least = MinClient::parse("2.1.139").expect("a version");
        let is_above = |client| least.is_above(&Version::parse(client).expect("a version"));
        assert!(is_above("2.1.20") && is_above("2.0.200") && is_above("1.9.999"));
        assert!(!is_above("2.1.139") && !is_above("2.1.140") && !is_above("10.0.0"));
    }
}
