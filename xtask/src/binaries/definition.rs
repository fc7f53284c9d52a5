//! A hook's definition, as printed by the lister.

use anyhow::{Context, Result, ensure};
use hookkit_protocol::hook::{Declaration, OnEvent, OnFailure, Written};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::cargo::packs::krate;
use crate::terminal::{inform, joined, listed, meant};

/// The output of the lister.
#[derive(Deserialize)]
pub(crate) struct Listing {
    pub(crate) hooks: Vec<Definition>,
}

/// The members that every version of a listing has.
#[derive(Deserialize)]
struct Head {
    version: u32,
    hookkit: String,
}

/// The newest supported version of the listing. Fields that an older hookkit does not print have defaults.
const VERSION: u32 = 1;

impl Listing {
    /// Parses the output of a lister. The lister uses the packs' hookkit, which may be older or newer than this one.
    pub(crate) fn parse(output: &[u8]) -> Result<Self> {
        let head: Head = serde_json::from_slice(output).context("reading the lister's output")?;
        ensure!(
            head.version <= VERSION,
            "the packs use hookkit {}, which is too new for this xtask (hookkit {}); run: cargo update hookkit-xtask",
            head.hookkit,
            env!("CARGO_PKG_VERSION")
        );
        serde_json::from_slice(output)
            .with_context(|| format!("reading the output of the lister of hookkit {}", head.hookkit))
    }
}

/// A hook, as its attribute declares it.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Definition {
    #[serde(flatten)]
    pub(crate) declared: Declaration<String>,
    pub(crate) entries: Vec<OnEvent<String>>,
    /// The matcher as the author wrote it; `None` if it comes from the types.
    #[serde(skip_serializing)]
    pub(crate) written_matcher: Option<Written>,
    /// The `if` as the author wrote it.
    #[serde(skip_serializing)]
    pub(crate) written_condition: Option<Written>,
    /// The hook's configuration values, if it has a configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) config: Option<Value>,
    /// The reason why the hook cannot answer over HTTP.
    #[serde(default, skip_serializing)]
    pub(crate) local: Option<String>,
    /// The type of an argument that exists only in Claude Code.
    #[serde(default, skip_serializing)]
    pub(crate) of_claude: Option<String>,
    /// The hooks of an order, in sequence; empty for a single hook.
    #[serde(skip_deserializing, serialize_with = "as_names")]
    pub(crate) members: Vec<Definition>,
    /// The workspace's changes, already applied to the other fields.
    #[serde(flatten, skip_deserializing)]
    pub(crate) changes: Changes,
}

impl Definition {
    /// Returns the function's path for generated code, in which a crate has its package's name.
    pub(crate) fn path_from_outside(&self) -> String {
        let within = self.declared.path.split_once("::").map_or("", |(_, within)| within);
        format!("{}::{within}", krate(&self.declared.package))
    }

    /// Returns `true` if the client denies on this event when the hook cannot be started.
    pub(crate) fn blocks_on(&self, event: &str) -> bool {
        self.entries.iter().any(|entry| entry.event == event && entry.blocks_in_settings)
    }

    /// Returns `true` if the hook can be installed: it is neither off nor part of an order.
    pub(crate) fn is_installable(&self) -> bool {
        !self.changes.off && self.changes.order.is_none()
    }

    /// Returns the part of a call that the hook's answer can replace.
    pub(crate) fn replaces(&self) -> Option<&'static str> {
        let entry = self.entries.iter().find(|entry| entry.rewrites)?;
        Some(match entry.event.as_str() {
            "PostToolUse" => "the output of a call",
            _ => "the input of a call",
        })
    }

    /// Returns the packages that the hook's binary is linked with.
    pub(crate) fn packages(&self) -> impl Iterator<Item = &str> {
        let hooks = match &self.members[..] {
            [] => std::slice::from_ref(self),
            members => members,
        };
        hooks.iter().map(|hook| hook.declared.package.as_str())
    }

    /// Returns the description's first paragraph on one line, for a table.
    pub(crate) fn summary(&self) -> String {
        let lines = self.declared.description.lines().map(str::trim);
        let first = lines.skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
        unlinked(&joined(first, " "))
    }

    /// Returns the end of the text "on failure: …".
    pub(crate) fn failure(&self) -> String {
        let word = self.declared.on_failure.word();
        match self.entries.iter().any(|entry| entry.blocks_in_settings) {
            true if self.declared.on_failure == OnFailure::Ask => {
                format!("{word}, and block if it cannot be started")
            }
            true => format!("{word}, even if it cannot be started"),
            false => word.to_owned(),
        }
    }

    /// Returns the hook's events and matchers, such as `PreToolUse Edit|Write`.
    pub(crate) fn subject(&self) -> String {
        let each = self.entries.iter().map(|entry| match &entry.matcher {
            Some(matcher) => format!("{} {matcher}", entry.event),
            None => entry.event.clone(),
        });
        joined(each, ", ")
    }
}

/// Returns the names of hooks.
pub(crate) fn names<'h>(hooks: impl IntoIterator<Item = &'h Definition>) -> impl Iterator<Item = &'h str> {
    hooks.into_iter().map(|hook| hook.declared.name.as_str())
}

/// Returns the hook with this name, if there is one.
pub(crate) fn find<'h>(hooks: &'h [Definition], name: &str) -> Option<&'h Definition> {
    hooks.iter().find(|hook| hook.declared.name == name)
}

/// Returns the hook with this name.
///
/// # Errors
///
/// Fails if there is none; the error suggests a similar name.
pub(crate) fn named<'h>(hooks: &'h [Definition], name: &str) -> Result<&'h Definition> {
    find(hooks, name).with_context(|| format!("there is no hook `{name}` here; {}", meant(name, names(hooks))))
}

/// Serializes hooks as their names.
fn as_names<S: Serializer>(hooks: &[Definition], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(names(hooks))
}

/// Replaces rustdoc's links to code with the plain code, because a terminal has no links.
fn unlinked(text: &str) -> String {
    let mut pieces = text.split("`]");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let target = piece.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        plain += "`";
        plain += target.map_or(piece, |(_, after)| after);
    }
    plain.replace("[`", "`")
}

/// Warns about hooks that have no description, or still have the one from `new hook`.
pub(crate) fn warn_undescribed(hooks: &[Definition]) {
    let unwritten = hooks.iter().filter(|hook| ["", UNWRITTEN].contains(&&*hook.summary()));
    let unwritten = listed(names(unwritten));
    if !unwritten.is_empty() {
        inform!("warning: these hooks have no description in the first line of their doc comments: {unwritten}");
    }
}

/// Summary of a hook without a description.
pub(crate) const UNWRITTEN: &str =
    "What it does, where it stays silent, and what it cannot see: users read this before they install it.";

/// The changes that one table makes to a hook.
#[derive(Clone, Default, Serialize)]
pub(crate) struct Changes {
    /// `true` if the workspace does not install the hook.
    pub(crate) off: bool,
    /// Name of the order that the hook runs in.
    pub(crate) order: Option<String>,
    /// Options that differ from the author's code.
    pub(crate) overridden: Vec<&'static str>,
    /// Key of the table.
    #[serde(skip)]
    pub(crate) key: String,
    /// Original name, if the table changes it.
    #[serde(skip)]
    pub(crate) former_name: Option<String>,
    /// Code of the launcher, if it is not the standard one.
    #[serde(skip)]
    pub(crate) launcher: Option<String>,
    /// The configuration values in the table.
    #[serde(skip)]
    pub(crate) config: Option<Value>,
}

#[cfg(test)]
pub(crate) mod tests;
