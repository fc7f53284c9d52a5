//! Output for people: lines on stdout and stderr, and words and numbers in a sentence.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::{env, fmt};

use hookkit_protocol::legible::{LineEnds, legible};

/// The end of a command that did what it was asked.
pub(crate) enum Done {
    Clean,
    /// There is something to do for the user.
    WithFindings,
}

impl From<()> for Done {
    fn from((): ()) -> Self {
        Self::Clean
    }
}

/// Prints for people and pipes. Much of it comes from files and hooks of others: a terminal does nothing because of it.
/// A reader that went away is no error: `cargo xtask list | head -1` is a fair question.
pub(crate) fn print(text: impl fmt::Display) -> anyhow::Result<()> {
    let text = text.to_string();
    match writeln!(std::io::stdout(), "{}", legible(&text, LineEnds::Kept)) {
        Err(err) if err.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// Tells a person something beside the result, once: a run may build the same packs several times.
pub(crate) fn tell(what: impl fmt::Display) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let what = what.to_string();
    let is_new = TOLD.lock().is_ok_and(|mut told| told.insert(what.clone()));
    if is_new {
        tell_all(format_args!("{}\n", legible(&what, LineEnds::Kept)));
    }
}

/// Passes on what cargo has to tell, with its line end, and its colours.
pub(crate) fn tell_all(what: impl fmt::Display) {
    // With stderr closed there is nothing to write to.
    let _ = write!(std::io::stderr(), "{what}");
}

pub(crate) fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// Hooks, and the entries that they have in settings where those are more: a hook has one for each of its events.
pub(crate) fn hooks_by_entries(hooks: usize, entries: usize) -> String {
    match entries == hooks {
        true => counted(hooks, "hook"),
        false => format!("{} by {entries} entries", counted(hooks, "hook")),
    }
}

/// A word of another's file as a part of a line: what is in it makes no line that looks like one of ours, and none that
/// is longer than a path and its message.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 8192;
    match text.char_indices().nth(LONGEST) {
        None => legible(text, LineEnds::Blank),
        Some((end, _)) => format!("{}…", legible(&text[..end], LineEnds::Blank)).into(),
    }
}

/// Names in a sentence.
pub(crate) fn listed<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    let names = names.into_iter().map(|name| format!("`{}`", name.as_ref()));
    names.collect::<Vec<_>>().join(", ")
}

/// Bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A word for a shell.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |char: char| char.is_alphanumeric() || "/._-~+".contains(char);
    // A shell replaces `~` by a home where a word begins with it.
    if !word.is_empty() && !word.starts_with('~') && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// A path as it is typed from here, where it is below the current folder.
pub(crate) fn shown(path: &Path) -> String {
    let here = env::current_dir().and_then(|here| here.canonicalize());
    let below = here
        .ok()
        .and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    let path = below.unwrap_or_else(|| path.to_owned());
    one_line(&path.display().to_string()).into_owned()
}
