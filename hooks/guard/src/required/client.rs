//! Version of the client that starts a hook, and the oldest version that a project's hooks support.

use std::fmt;

use super::list::List;
use crate::prelude::*;
use crate::settings_files::shown;

/// A version of the client.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version([u64; 3]);

impl Version {
    /// Parses three numbers.
    pub(super) fn parse(text: &str, separator: char) -> Option<Self> {
        let number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten();
        let mut parts = text.split(separator).map(number);
        let version = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then_some(Self(version))
    }

    /// Returns the version that the client reports to programs (`AI_AGENT`); `None` before 2.1.120, or if another agent has
    /// started the client.
    fn of_client(environment: Environment) -> Option<Self> {
        let agent = environment.variable("AI_AGENT")?;
        let of_client = agent.to_str()?.strip_prefix("claude-code")?;
        // Two forms: `claude-code_2-1-330_harness`, and before 2.1.129 `claude-code/2.1.120/harness`.
        let [field, number] = if of_client.starts_with('/') { ['/', '.'] } else { ['_', '-'] };
        Self::parse(of_client.strip_prefix(field)?.split(field).next()?, number)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

/// Reports a client that is too old for a project's hooks.
pub(super) fn report(lists: &[List], environment: Environment) -> Option<String> {
    let client = Version::of_client(environment)?;
    let least = lists.iter().filter_map(|list| Some((list.min_client?, &list.folder)));
    let (least, folder) = least.max_by_key(|(least, _)| *least)?;
    (client < least).then(|| {
        format!(
            "this session's Claude Code {client} is older than {least}, the `min-client` of the hooks of {}: these \
             hooks may not run or block as intended; update the client with `claude update`",
            shown(folder)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_names_its_version() {
        let of = |variables| Version::of_client(Environment::new(variables)).map(|version| version.to_string());
        assert_eq!(of(|_| Some("claude-code_2-1-330_harness".into())).as_deref(), Some("2.1.330"));
        assert_eq!(of(|_| Some("claude-code/2.1.120/harness".into())).as_deref(), Some("2.1.120"));
        assert_eq!(of(|_| Some("claude-code_2-1-330".into())).as_deref(), Some("2.1.330"));
        assert_eq!(of(|_| None), None);
        assert_eq!(of(|_| Some("other_2-1-330_harness".into())), None);
        assert_eq!(of(|_| Some("claude-code_2-1_harness".into())), None);
        assert_eq!(of(|_| Some("claude-code_2-1-330-beta_harness".into())), None);
        assert_eq!(of(|_| Some("claude-code_2-1-+3_harness".into())), None);
        assert_eq!(of(|_| Some("claude-code".into())), None);
    }
}
