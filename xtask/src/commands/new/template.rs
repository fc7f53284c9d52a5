//! Templates of files, and the words inserted into them.

use hookkit_protocol::event::{Denial, Event, PRE_TOOL_USE};

use crate::binaries::sample::Sample;
use crate::commands::prelude::*;

/// Returns a template with the words inserted.
pub(crate) fn filled(template: &str, words: &[(&str, &str)]) -> String {
    let put_in = |text: String, (name, word): &(&str, &str)| text.replace(&format!("@{name}@"), word);
    words.iter().fold(template.to_owned(), put_in)
}

/// Lists files by their paths in a workspace.
pub(crate) fn described<'f>(text: &mut Text, root: &Path, files: impl IntoIterator<Item = (&'f PathBuf, String)>) {
    for (path, what) in files {
        let path = path.strip_prefix(root).unwrap_or(path).display();
        text.plain("  ").path(path).plain(format_args!("\n      {what}\n"));
    }
}

/// Returns a payload as a file for manual editing.
pub(crate) fn payload(sample: &Sample) -> Result<String> {
    let value: Value = serde_json::from_slice(&sample.payload)?;
    Ok(format!("{value:#}\n"))
}

/// Returns the comment on failures above the attribute of a hook that can deny.
pub(crate) fn on_failure(event: &Event) -> &'static str {
    match event.denial {
        Denial::Impossible => "",
        _ if event.name == PRE_TOOL_USE.name => {
            "// It denies if it fails. Write `on_failure = block` to deny even where its binary is missing, as in a fresh clone.\n"
        }
        _ if event.honors_on_failure() => {
            "// Write `on_failure = block` to deny whenever it fails, even where its binary is missing, as in a fresh clone.\n"
        }
        _ => "// Write `on_failure = block` to deny whenever it fails.\n",
    }
}
