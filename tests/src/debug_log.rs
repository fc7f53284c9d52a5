//! The client's debug log, which a test follows while the client runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use tempfile::TempDir;

/// A debug log in a folder of its own. The client writes it in a session with [`Session::debug_log`].
///
/// [`Session::debug_log`]: crate::Session::debug_log
pub struct DebugLog {
    path: PathBuf,
    _folder: TempDir,
}

impl DebugLog {
    /// Makes an empty one.
    ///
    /// # Errors
    ///
    /// If there is no folder for it.
    pub fn new() -> Result<Self> {
        let folder = test_support::folder();
        let path = folder.path().join("debug");
        fs::write(&path, "")?;
        Ok(Self { path, _folder: folder })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the project's local settings, and waits until the client has applied them or a hook has blocked them.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or the client does not log the change in time.
    pub fn change_local_settings(&self, project: &Path, settings: &str) -> Result<()> {
        self.wait(0, &["Watching for changes in setting files"])?;
        let before = self.read()?.len();
        fs::write(project.join(".claude/settings.local.json"), settings)?;
        self.wait(before, &["ConfigChange hook blocked change", "Settings changed from localSettings"])
    }

    /// Waits until one of these texts is in the log, behind its first bytes.
    fn wait(&self, behind: usize, texts: &[&str]) -> Result<()> {
        let deadline = Instant::now() + Duration::from_secs(20);
        while Instant::now() < deadline {
            let log = self.read()?;
            let new = log.get(behind..).unwrap_or_default();
            if texts.iter().any(|text| new.contains(text)) {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(20));
        }
        bail!("the client's debug log has none of {texts:?}")
    }

    fn read(&self) -> Result<String> {
        Ok(String::from_utf8_lossy(&fs::read(&self.path)?).into_owned())
    }
}
