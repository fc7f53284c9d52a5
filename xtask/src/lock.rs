//! One run at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::write;

/// A folder that is this run's alone, until it is dropped, or the process ends: the kernel lets go of it then.
pub(crate) struct Lock {
    _file: File,
}

/// Who holds a lock, as it stands in the file.
#[derive(Serialize, Deserialize)]
struct Holder {
    pid: u32,
    host: String,
    /// In seconds of the Unix epoch.
    since: u64,
}

impl Lock {
    /// The lock's file in a folder.
    pub(crate) fn file(folder: &Path) -> PathBuf {
        folder.join("lock")
    }

    /// Waits for the folder, which is created if need be, but no longer than `limit`.
    ///
    /// # Errors
    ///
    /// Where another run holds it all the time: which one, and since when.
    pub(crate) fn take(folder: &Path, limit: Duration) -> Result<Self> {
        let path = Self::file(folder);
        let started = Instant::now();
        let mut is_told = false;
        loop {
            if let Some(lock) = Self::try_take(folder, &path).with_context(|| format!("locking {}", path.display()))? {
                return Ok(lock);
            }
            let waited = started.elapsed();
            if waited >= limit {
                bail!(
                    "{}; after {} s nothing was changed\nWait until that run is done, or end it, and try again",
                    held(folder, &path),
                    limit.as_secs()
                );
            }
            if waited > PATIENCE && !is_told {
                is_told = true;
                eprintln!("waiting: {}", held(folder, &path));
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// `None`: somebody else has it, or has just removed it.
    fn try_take(folder: &Path, path: &Path) -> Result<Option<Self>> {
        let opened = match fs::create_dir_all(folder) {
            Ok(()) => OpenOptions::new().create(true).truncate(false).write(true).open(path),
            Err(err) => Err(err),
        };
        write::step!("the lock's file");
        let mut file = match opened {
            // Whoever held it took the folder away in this instant.
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            // A file system without locks: what is written there is still written as a whole.
            Err(TryLockError::Error(err)) if err.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(err)) => return Err(err.into()),
            Ok(()) => {}
        }
        // A file that was removed while we waited is nobody's any more.
        let (ours, present) = (file.metadata()?, fs::metadata(path));
        if !present.is_ok_and(|present| (present.dev(), present.ino()) == (ours.dev(), ours.ino())) {
            return Ok(None);
        }
        let holder = Holder {
            pid: std::process::id(),
            host: host(),
            since: now(),
        };
        file.set_len(0)?;
        file.write_all(&serde_json::to_vec(&holder)?)?;
        write::step!("the lock");
        Ok(Some(Self { _file: file }))
    }
}

/// How long it is waited in silence.
const PATIENCE: Duration = Duration::from_secs(1);

/// Who holds it, for a message.
fn held(folder: &Path, path: &Path) -> String {
    let holder = write::read(path).ok().flatten().unwrap_or_default();
    let holder = match serde_json::from_slice::<Holder>(&holder) {
        Ok(Holder { pid, host, since }) => {
            format!("process {pid} on {host}, for {} s", now().saturating_sub(since))
        }
        Err(_) => "another run".to_owned(),
    };
    format!("{} is held by {holder}", folder.display())
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

fn host() -> String {
    let name = fs::read("/proc/sys/kernel/hostname")
        .or_else(|_| Ok::<_, io::Error>(Command::new("uname").arg("-n").output()?.stdout));
    let name = name.unwrap_or_default();
    match String::from_utf8_lossy(&name).trim() {
        "" => "this host".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_in_vain_is_told_for_whom() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let held = Lock::take(folder.path(), Duration::ZERO)?;
        let refused = Lock::take(folder.path(), Duration::from_millis(50)).map_err(|err| err.to_string());
        let told = refused.err().context("it is held")?;
        assert!(
            told.contains(&format!("process {} on ", std::process::id())) && told.contains("for 0 s"),
            "{told}"
        );
        drop(held);
        Lock::take(folder.path(), Duration::ZERO)?;
        Ok(())
    }

    #[test]
    fn a_lock_that_was_removed_with_its_folder_is_nobody_s() -> Result<()> {
        let outer = tempfile::tempdir()?;
        let folder = outer.path().join("folder");
        let held = Lock::take(&folder, Duration::ZERO)?;
        let waiting = thread::spawn({
            let folder = folder.clone();
            move || Lock::take(&folder, Duration::from_secs(10)).map(|_| folder.exists())
        });
        thread::sleep(Duration::from_millis(50));
        fs::remove_dir_all(&folder)?;
        drop(held);
        assert!(waiting.join().expect("it does not panic")?);
        Ok(())
    }

    #[test]
    fn who_was_killed_holds_nothing() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let left = Holder {
            pid: 1,
            host: "elsewhere".to_owned(),
            since: 0,
        };
        fs::write(Lock::file(folder.path()), serde_json::to_vec(&left)?)?;
        Lock::take(folder.path(), Duration::ZERO)?;
        Ok(())
    }
}
