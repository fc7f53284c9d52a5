//! Settings files of a session, and the working trees that they are in.

use crate::prelude::*;
use hmac_sha256::Hash;
use hookkit::project::Machine;
use hookkit::protocol::escape::{LineEnds, escape};
use hookkit::protocol::start;
use serde::de::DeserializeOwned;

/// Maximum size of a settings file, in bytes.
pub(crate) const LONGEST: u64 = 1 << 20;

/// Returns a path for display on one line.
pub(crate) fn shown(path: &Path) -> String {
    format!("`{}`", escaped(&path.display().to_string()))
}

/// Returns a text in one line, without characters that change how it is shown.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    escape(text, LineEnds::Blank)
}

/// Parses JSON like the client: a byte order mark may come first.
pub(crate) fn json<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text)).ok()
}

/// Reads a JSON file; `None` if it is too long, or not JSON.
pub(crate) fn json_of<T: DeserializeOwned>(file: &Path) -> Option<T> {
    json(&bounded::text(file, LONGEST).ok()?)
}

/// Returns `true` for a file that the model reads, and the client does not run.
pub(crate) fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "md")
}

/// Returns the SHA-256 of a text, in hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Hash::hash(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the root of the working tree around a folder.
pub(crate) fn root(folder: &Path) -> Option<&Path> {
    start::root(folder, &Machine)
}

/// Returns `true` if a working tree is linked to another working tree.
pub(crate) fn is_linked(root: &Path) -> bool {
    trees(root).is_some_and(|(root, main)| main != root)
}
