//! Copies the conversation before a summary replaces it.

use std::fs;
use std::num::NonZeroUsize;

use hookkit::event::CompactTrigger;

use crate::folder::{self, Folder};
use crate::prelude::*;

/// Keeps a copy of the transcript as it is before a compaction.
///
/// The client continues the same file, and eventually removes it. The copy,
/// `2026-01-31T12-00-00.123Z-auto-SESSION.jsonl`, keeps what the model read and did until then.
///
/// Transcripts contain the output of files and commands, including secrets, so only the user can read the copies.
/// [`Transcripts`] has their folder and their number. A new folder gets a `.gitignore` that keeps it out of the
/// repository. A folder outside of the project has a subfolder for each project.
///
/// The hook prints nothing, and does not prevent a compaction. To prevent compactions without a copy, set `on-failure =
/// "block"` in the workspace's Cargo.toml.
///
/// A session without a transcript has no copies.
///
/// # What it cannot see
///
/// - The transcripts of subagents, which are in files of their own.
/// - On Windows: who may read the copies, which have the permissions of their folder; and a link that another program
///   creates at the same moment.
///
/// # Errors
///
/// If the copy cannot be made, for example on a full disk, or an old copy cannot be removed, the outcome of `/compact`
/// has the reason, and the conversation is compacted. The same happens if a folder below the project is a link, which
/// can come with a checkout. No partial copy remains.
#[hook(PreCompact, timeout = 60)]
pub fn keep_transcript(
    compaction: PreCompact,
    context: Context,
    config: Config<Transcripts>,
    environment: Environment,
) -> Result<(), Error> {
    let place = Destination::of(&config.folder, &context, &environment);
    let name = name(SystemTime::now(), &compaction.trigger, &context.session_id);
    let folder = copy(&context.transcript_path, &place, &name).map_err(|err| {
        let (transcript, folder) = (context.transcript_path.display(), place.path());
        Error::msg(format_args!("cannot keep a copy of `{transcript}` in `{}`: {err}", folder.display()))
    })?;
    if let Some(folder) = folder {
        remove_old(&folder, config.kept.get()).map_err(|err| {
            let folder = place.path();
            Error::msg(format_args!("cannot remove the oldest copies in `{}`: {err}", folder.display()))
        })?;
    }
    Ok(())
}

/// The configuration of [`keep_transcript`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transcripts {
    /// Folder of the copies: an absolute path, a path below `~/`, or a path in the project.
    pub folder: PathBuf,
    /// Number of copies that are kept for each project, at least 1. The oldest are removed.
    pub kept: NonZeroUsize,
}

impl Default for Transcripts {
    fn default() -> Self {
        Self { folder: ".claude/transcripts".into(), kept: const { NonZeroUsize::new(20).unwrap() } }
    }
}

/// The location of the project's copies.
struct Destination {
    /// The project, or the configured folder outside of it.
    base: PathBuf,
    /// The folder below the base. No link below the base is followed.
    below: PathBuf,
}

impl Destination {
    fn of(message: &Path, context: &Context, environment: &Environment) -> Self {
        let project = &context.project_dir;
        // An empty path would be the project's own folder.
        let default = Transcripts::default().folder;
        let message = if message.as_os_str().is_empty() { &default } else { message };
        let message = match (message.strip_prefix("~"), environment.home()) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => project.join(message),
        };
        // Without `..`: several projects share a folder outside the project.
        let message = context.absolute(message);
        if let Ok(below) = message.strip_prefix(context.absolute(project)) {
            return Self { base: project.clone(), below: below.to_owned() };
        }
        // The client's name for the project, which is one component.
        let own = context.transcript_path.parent().and_then(Path::file_name);
        Self { base: message, below: own.unwrap_or(OsStr::new("unknown")).into() }
    }

    fn path(&self) -> PathBuf {
        self.base.join(&self.below)
    }

    /// Opens the folder, and creates the missing folders on the way.
    fn open(&self) -> io::Result<Folder> {
        fs::create_dir_all(&self.base)?;
        folder::open(&self.base, &self.below)
    }
}

/// Returns the name of a copy. The order of names is the order of time.
fn name(time: SystemTime, trigger: &CompactTrigger, session_id: &str) -> String {
    let time = Timestamp::from(time).to_string().replace(':', "-");
    // Both come from outside, and must not lead to another folder.
    let word = |text: &str| -> String {
        let plain = |char: char| if char.is_ascii_alphanumeric() { char } else { '-' };
        text.chars().take(64).map(plain).collect()
    };
    format!("{time}-{}-{}{ENDING}", word(trigger.as_str()), word(session_id))
}

const ENDING: &str = ".jsonl";

/// Suffix of a copy that is being written.
const PART: &str = ".part";

/// Returns `true` if the date in a file's name shows that the file is a copy.
fn is_copy(name: &str) -> bool {
    let pattern = b"dddd-dd-ddTdd-dd-dd.dddZ-";
    let is_like = |(byte, like): (u8, &u8)| {
        if *like == b'd' { byte.is_ascii_digit() } else { byte == *like }
    };
    name.len() > pattern.len() && name.bytes().zip(pattern).all(is_like)
}

/// Copies a whole file, which only the user can read. Returns the folder with the copy, if there is a file to copy.
fn copy(transcript: &Path, place: &Destination, name: &str) -> io::Result<Option<Folder>> {
    let mut transcript = match bounded::open(transcript) {
        Err(err) if err.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let folder = place.open()?;
    let part = format!("{name}{PART}");
    let mut file = folder::create(&folder, &part)?;
    let copied = io::copy(&mut transcript, &mut file).and_then(|_| folder::rename(&folder, &part, name));
    if copied.is_err() {
        // The error is reported in any case.
        let _ = folder::remove(&folder, &part);
    }
    copied.map(|()| Some(folder))
}

/// Returns the path of a session's last copy.
pub(crate) fn last_copy(folder: &Path, context: &Context, environment: &Environment) -> io::Result<Option<PathBuf>> {
    let place = Destination::of(folder, context, environment);
    // Opening it would create it.
    if !place.path().is_dir() {
        return Ok(None);
    }
    let end = format!("-{}{ENDING}", context.session_id);
    let mut last = None;
    folder::for_each_name(&place.open()?, |name| {
        if is_copy(name) && name.ends_with(&end) {
            last = last.take().max(Some(name.to_owned()));
        }
        Ok(())
    })?;
    Ok(last.map(|name| place.path().join(name)))
}

/// Maximum time for writing a copy.
const LONGEST_COPY: Duration = Duration::from_secs(60 * 60);

/// Removes the oldest copies, and incomplete copies of killed hooks.
fn remove_old(folder: &Folder, kept: usize) -> io::Result<()> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut copies = Vec::new();
    folder::for_each_name(folder, |name| {
        if !is_copy(name) {
            return Ok(());
        }
        let is_left = || {
            let age = now.checked_sub(folder::modified(folder, name)?)?;
            Some(age > LONGEST_COPY)
        };
        if name.ends_with(ENDING) {
            copies.push(name.to_owned());
        } else if name.ends_with(PART) && is_left().unwrap_or_default() {
            folder::remove(folder, name)?;
        }
        Ok(())
    })?;
    copies.sort_unstable();
    let excess = copies.len().saturating_sub(kept);
    // Another session's hook may remove them as well.
    copies[..excess].iter().try_for_each(|name| folder::remove(folder, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_dated_and_leads_nowhere() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(951_782_400_001);
        let plain = name(time, &CompactTrigger::Auto, "00000000-0000-4000-8000-000000000001");
        let expected = "2000-02-29T00-00-00.001Z-auto-00000000-0000-4000-8000-000000000001.jsonl";
        assert_eq!(plain, expected);
        let odd = name(time, &"../new".into(), &"/../\n".repeat(100));
        assert!(is_copy(&plain) && is_copy(&odd), "{odd}");
        assert!(odd.len() < 120 && !odd.contains(['/', '\n']) && !odd.contains(".."), "{odd}");
        for other in ["notes.jsonl", "2000-02-29T00-00-00.001Z", "2000-02-29 and later.jsonl", ".gitignore"] {
            assert!(!is_copy(other), "{other}");
        }
    }
}
