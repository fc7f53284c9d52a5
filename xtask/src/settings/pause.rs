//! Hooks that are off for a while, for all calls or for one command.
//!
//! A script replaces the hook's binary, which is kept next to it. When the pause is over, the script restores the
//! binary. So hooks need no check for a switch, and no extra time while they are on. This machine records the SHA-256
//! of the scripts, so a script from a checkout counts as a changed binary.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::ErrorKind;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use hookkit_protocol::event::Event;
use hookkit_protocol::output::SystemMessage;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::disk::beneath::Beneath;
use crate::disk::journal::Run;
use crate::disk::write;
use crate::settings::place::Place;
use crate::settings::record::fingerprint;
use crate::terminal::{counted, inform, one_line, quoted};

/// The script, with placeholders for its values.
const SCRIPT: &str = include_str!("pause.sh");

/// Maximum duration of a pause. The script also has this number.
pub(crate) const LONGEST: Duration = Duration::from_secs(12 * 60 * 60);

/// Maximum size of a script in bytes. A command line can have 128 KiB on Linux, and its JSON can be six times as large.
const MOST: u64 = 1 << 20;

/// Maximum size in bytes of a payload before the tool input, which has only a few paths and names.
const BEFORE: usize = 1 << 16;

/// A period during which a hook is off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pause {
    /// The end of the pause, in seconds since 1970.
    until: u64,
    /// The command that is allowed once. `None` if all calls go through.
    pub(crate) line: Option<String>,
}

impl Pause {
    pub(crate) fn new(span: Duration, line: Option<&str>) -> Self {
        Self { until: now() + span.as_secs(), line: line.map(str::to_owned) }
    }

    /// Returns `true` if the next call restores the binary. A wrong clock does not extend the pause.
    pub(crate) fn is_over(&self) -> bool {
        let now = now();
        self.until <= now || self.until > now + LONGEST.as_secs()
    }

    /// Returns the members of a JSON row.
    pub(crate) fn members(&self) -> Value {
        let until = SystemTime::UNIX_EPOCH + Duration::from_secs(self.until);
        json!({
            "until": humantime::format_rfc3339_seconds(until).to_string(),
            "command": self.line,
        })
    }

    /// Returns the script for a hook on these events.
    fn script(&self, hook: &str, events: &[&Event]) -> Result<String> {
        // A character that is in no hook's name.
        const MINUTES: char = '@';
        let answer = |message: String| json!({"systemMessage": message}).to_string();
        let off = answer(format!(
            "{hook} is off for {MINUTES} more min, and did not check this. To turn it on: cargo xtask on {hook}"
        ));
        let shows =
            events.iter().all(|event| matches!(event.system_message, SystemMessage::User | SystemMessage::Terminal));
        let (off, minutes) = off.split_once(MINUTES).filter(|_| shows).unwrap_or_default();
        let once = answer(format!(
            "{hook} let this command through once, because of `cargo xtask allow-once`. It is on again"
        ));
        let allowed = match &self.line {
            // Same as `JSON.stringify`, with which Claude Code writes its payloads.
            Some(line) => format!("\"tool_input\":{{\"command\":{}", serde_json::to_string(line)?),
            None => String::new(),
        };
        let values = [
            ("@UNTIL@", self.until.to_string()),
            ("@OFF@", quoted(off)),
            ("@MINUTES@", quoted(minutes)),
            ("@ONCE@", quoted(&once)),
            ("@HEAD@", (BEFORE + allowed.len()).to_string()),
            // Replaced last, because the command may contain the name of another value.
            ("@ALLOWED@", quoted(&allowed)),
        ];
        let script = values.iter().fold(SCRIPT.to_owned(), |script, (name, value)| script.replacen(name, value, 1));
        ensure!(script.len() as u64 <= MOST, "the command is too long");
        Ok(script)
    }
}

impl fmt::Display for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = counted(self.until.saturating_sub(now()).div_ceil(60), "minute");
        match &self.line {
            None => write!(f, "off for {minutes}"),
            Some(line) => write!(f, "off for one run of `{}` within {minutes}", one_line(line)),
        }
    }
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

/// The scripts in place of binaries, by hook and SHA-256. During a run, the previous script is also there.
#[derive(Default, Serialize, Deserialize)]
struct Scripts(BTreeMap<String, BTreeMap<String, Pause>>);

impl Scripts {
    fn note(place: &Place) -> String {
        format!("paused-{}.json", place.folder_name())
    }

    /// Reads the state file. A file that cannot be parsed counts as missing: the scripts in place of binaries are then
    /// treated as changed binaries.
    fn read(place: &Place) -> Result<Self> {
        Ok(place.notes.parsed(&Self::note(place))?.unwrap_or_default())
    }

    fn write(&self, place: &Place) -> Result<()> {
        if self.0.is_empty() {
            place.notes.remove(&Self::note(place))
        } else {
            place.notes.write(&Self::note(place), self)
        }
    }

    fn pause(&self, hook: &str, binary: &[u8]) -> Option<&Pause> {
        self.0.get(hook)?.get(&fingerprint(binary))
    }
}

/// Returns the path of a hook's binary while a script is in its place. No hook has a dot in its name.
pub(crate) fn program(place: &Place, hook: &str) -> Beneath {
    place.folder().join("bin").join(format!("{hook}.paused"))
}

/// Returns the pause of a hook. A finished pause counts until the script is gone. `None` if the hook is on.
pub(crate) fn of(place: &Place, hook: &str) -> Result<Option<Pause>> {
    let scripts = Scripts::read(place)?;
    if !scripts.0.contains_key(hook) {
        return Ok(None);
    }
    match place.binary(hook).read_up_to(MOST) {
        Ok(script) => Ok(script.and_then(|script| scripts.pause(hook, &script).cloned())),
        Err(err) if err.kind() == ErrorKind::FileTooLarge => Ok(None),
        Err(err) => Err(err.into()),
    }
}

/// Returns the pause of a hook that is off now. `None` if this cannot be read.
pub(crate) fn active(place: &Place, hook: &str) -> Option<Pause> {
    of(place, hook).ok().flatten().filter(|pause| !pause.is_over())
}

/// Replaces a hook's binary with a script, if the binary's SHA-256 is in `known`.
///
/// # Errors
///
/// Fails if the binary is not the installed one.
pub(crate) fn begin(
    place: &Place,
    hook: &str,
    known: &BTreeSet<String>,
    events: &[&Event],
    pause: &Pause,
) -> Result<()> {
    place.check_folders()?;
    let run = Run::begin(place.area())?;
    let mut scripts = Scripts::read(place)?;
    let binary = match of(place, hook)? {
        Some(_) => program(place, hook),
        None => place.binary(hook),
    };
    let bytes = installed(&binary, known)?;
    write::own(&run, &program(place, hook), &bytes, 0o755)?;
    let script = pause.script(hook, events)?;
    let fingerprint = fingerprint(script.as_bytes());
    // Recorded first, so that the next run recognizes every script if this one is killed.
    scripts.0.entry(hook.to_owned()).or_default().insert(fingerprint.clone(), pause.clone());
    scripts.write(place)?;
    write::own(&run, &place.binary(hook), script.as_bytes(), 0o755)?;
    // An earlier script may have restored the binary meanwhile, and this one has replaced it.
    write::own(&run, &program(place, hook), &bytes, 0o755)?;
    scripts.0.insert(hook.to_owned(), [(fingerprint, pause.clone())].into());
    scripts.write(place)
}

/// Restores a hook's binary, if its SHA-256 is in `known`. Returns `false` if it was already in place.
///
/// # Errors
///
/// Fails if the binary is not the installed one.
pub(crate) fn end(place: &Place, hook: &str, known: &BTreeSet<String>) -> Result<bool> {
    place.check_folders()?;
    let run = Run::begin(place.area())?;
    let is_off = of(place, hook)?.is_some();
    if is_off {
        let bytes = installed(&program(place, hook), known)?;
        write::own(&run, &place.binary(hook), &bytes, 0o755)?;
    }
    clean(place, hook, known)?;
    Ok(is_off)
}

/// Removes a file if it is hookkit's. Any other file with this name stays.
pub(crate) fn remove(file: &Beneath, is_ours: impl FnOnce(&[u8]) -> bool) -> Result<()> {
    match file.content()? {
        Some(bytes) if is_ours(&bytes) => write::remove(file)?,
        Some(_) => inform!("note: {file} is not what was installed there, so it stays"),
        None => {}
    }
    Ok(())
}

/// Removes the files of a pause, except the hook's binary. Any other file with such a name stays.
pub(crate) fn clean(place: &Place, hook: &str, known: &BTreeSet<String>) -> Result<()> {
    let program = program(place, hook);
    remove(&program, |bytes| known.contains(&fingerprint(bytes)))?;
    let mut scripts = Scripts::read(place)?;
    match scripts.0.remove(hook) {
        Some(_) => scripts.write(place),
        None => Ok(()),
    }
}

/// Reads an installed binary.
fn installed(file: &Beneath, known: &BTreeSet<String>) -> Result<Vec<u8>> {
    let bytes = file.content()?.with_context(|| format!("{file} is missing; to build it: cargo xtask install"))?;
    ensure!(
        known.contains(&fingerprint(&bytes)),
        "{file} is not what `install` wrote there, so nothing was changed; to write it again: cargo xtask install"
    );
    Ok(bytes)
}

#[cfg(test)]
mod tests;
