//! Output for people: lines on stdout and stderr, and words and numbers in sentences.

pub(crate) mod person;
pub(crate) mod progress;
pub(crate) mod rows;
pub(crate) mod stream;
pub(crate) mod style;
pub(crate) mod text;
pub(crate) mod width;

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;
use std::{env, fmt};

use anyhow::{Result, ensure};
use hookkit_protocol::escape::{LineEnds, escape};
use hookkit_protocol::near;

pub(crate) use crate::terminal::rows::{Done, Format, extend, row};
pub(crate) use crate::terminal::stream::inform_all;
pub(crate) use crate::terminal::style::*;
pub(crate) use crate::terminal::text::{Text, program};
pub(crate) use crate::terminal::width::{width, without_middle};

/// Prints text. Escapes in other people's text have no effect on a terminal.
pub(crate) fn print(text: impl Into<Text>) -> Result<()> {
    Ok(stream::to_stdout(&text.into())?)
}

/// Reports something to the user, separately from the result. Each message is printed once, because a run may build the
/// same packs several times.
///
/// A leading `note:`, `warning:` or the like is printed in its color.
macro_rules! inform {
    ($($message:tt)*) => {
        $crate::terminal::inform_text($crate::terminal::headed(&format!($($message)*)))
    };
}
pub(crate) use inform;

/// Prints a message with styles, unless it was already printed.
pub(crate) fn inform_text(mut text: Text) {
    static SHOWN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let is_new = SHOWN.lock().is_ok_and(|mut shown| shown.insert(text.render(None)));
    if is_new {
        text.line_end();
        stream::to_stderr(&text);
    }
}

/// Prints the reason why a command failed.
pub(crate) fn fail(err: &anyhow::Error) {
    let mut text = headed(&format!("error: {err:#}"));
    text.line_end();
    stream::to_stderr(&text);
}

/// Returns a message whose first word is its severity.
pub(crate) fn headed(message: &str) -> Text {
    let mut text = Text::new();
    let heads = [("error", ERROR), ("warning", WARNING), ("note", NOTE)];
    let head = heads.iter().find_map(|(head, style)| {
        let rest = message.strip_prefix(head).filter(|rest| rest.starts_with(": "))?;
        Some((head, style, rest))
    });
    match head {
        Some((head, style, rest)) => text.words(*style, head).append(rest.into()),
        None => text.append(message.into()),
    };
    text
}

pub(crate) fn counted<N: fmt::Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let ending = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{ending}")
}

/// Formats a number of hooks. Adds the number of their entries in settings if that is larger, because a hook has one
/// per event.
pub(crate) fn hooks_by_entries(hooks: usize, entries: usize) -> String {
    if entries > hooks { format!("{} by {entries} entries", counted(hooks, "hook")) } else { counted(hooks, "hook") }
}

/// Formats text from another file for part of a line: it can neither imitate one of our lines nor be longer than a path
/// with its message.
pub(crate) fn one_line(text: impl fmt::Display) -> String {
    const LONGEST: usize = 8192;
    escape(&cut(&text.to_string(), LONGEST), LineEnds::Blank).into_owned()
}

/// Returns a text cut after this number of characters, with `…` in place of the rest.
pub(crate) fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// Formats a duration in a unit that keeps it short: `8 ms`, `1.2 s`, `20.6 h`.
pub(crate) fn duration(milliseconds: Option<u64>) -> String {
    let Some(milliseconds) = milliseconds else {
        return "-".to_owned();
    };
    let seconds = Duration::from_millis(milliseconds).as_secs_f64();
    match seconds {
        _ if milliseconds < 1_000 => format!("{milliseconds} ms"),
        ..60.0 => format!("{seconds:.1} s"),
        ..3_600.0 => format!("{:.1} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3_600.0),
    }
}

/// Joins names into a list for a sentence.
pub(crate) fn listed<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    joined(names.into_iter().map(|name| format!("`{}`", name.as_ref())), ", ")
}

/// Joins parts with a separator.
pub(crate) fn joined<S: Borrow<str>>(parts: impl IntoIterator<Item = S>, between: &str) -> String {
    Vec::from_iter(parts).join(between)
}

/// Fails with all faults, one per line, if there are any.
pub(crate) fn ensure_none(faults: &[String]) -> Result<()> {
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}

/// Returns the end of a sentence about an unknown name: the name that was probably intended, or all names.
pub(crate) fn meant<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    const MOST: usize = 8;
    let known: Vec<&str> = known.into_iter().collect();
    let longer = || known.iter().copied().find(|known| known.starts_with(name));
    match near(name, known.iter().copied()).or_else(longer) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.len() > MOST => format!("none of the {} has a similar name", known.len()),
        None if known.is_empty() => "there are none".to_owned(),
        None => format!("there {} {}", if known.len() == 1 { "is" } else { "are" }, listed(known)),
    }
}

/// Converts a name in upper camel case to lowercase words: `GoesOn` becomes `goes-on`.
pub(crate) fn separated(name: &str, separator: char) -> String {
    let mut words = String::new();
    for char in name.chars() {
        if char.is_uppercase() && !words.is_empty() {
            words.push(separator);
        }
        words.push(char.to_ascii_lowercase());
    }
    words
}

/// Formats bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Quotes a word for a shell, if necessary.
pub(crate) fn quoted(word: impl fmt::Display) -> String {
    let word = word.to_string();
    let plain = |char: char| char.is_alphanumeric() || "/._-~+".contains(char);
    // A shell expands a leading `~` to a home folder.
    if !word.is_empty() && !word.starts_with('~') && word.chars().all(plain) {
        return word;
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Returns an option with a path, for a command line; empty without a path.
pub(crate) fn option(name: &str, path: Option<&Path>) -> String {
    path.map_or_else(String::new, |path| format!(" --{name} {}", quoted(path.display())))
}

/// Returns a path for display: relative if it is below the current folder.
pub(crate) fn shown(path: &Path) -> String {
    let here = env::current_dir().and_then(|here| here.canonicalize());
    let below = here.ok().and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    let path = below.unwrap_or_else(|| path.to_owned());
    one_line(path.display())
}
