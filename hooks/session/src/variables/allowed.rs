//! Determines which files the user has allowed, from their paths and contents.

use hmac_sha256::Hash;
use hookkit::{Environment, Error};

use crate::prelude::*;

/// Maximum size of a file, in bytes.
const LONGEST: u64 = 1 << 20;

/// The files that the user has allowed.
pub(super) struct Allowed {
    /// direnv's folder. Its subfolder `allow` has a file for each allowed file, and `deny` for each denied file.
    direnv: Option<PathBuf>,
    /// The lines of hookkit's own list.
    own: String,
}

impl Allowed {
    pub(super) fn of(environment: Environment) -> Result<Self, Error> {
        let state = of_xdg(environment, "XDG_STATE_HOME", ".local/state");
        let own = state.map(|state| read(&state.join("hookkit/environment"))).transpose()?;
        Ok(Self {
            direnv: of_xdg(environment, "XDG_DATA_HOME", ".local/share").map(|data| data.join("direnv")),
            own: own.flatten().unwrap_or_default(),
        })
    }

    /// Returns the text of a file if it exists and is allowed.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or has changed since it was added to hookkit's list.
    pub(super) fn text(&self, file: &Path) -> Result<Option<String>, Error> {
        // A checkout can bring a pipe, or a file of any size: only a file that the user has named is an error.
        let lines = self.own.lines().filter_map(|line| line.split_once("  "));
        let hashes: Vec<&str> = lines.filter(|(_, path)| Path::new(path) == file).map(|(hash, _)| hash).collect();
        let text = match read(file) {
            Err(err) if !hashes.is_empty() => return Err(err),
            text => text.ok().flatten(),
        };
        let Some(text) = text else { return Ok(None) };
        let is_listed = hashes.contains(&&*hash(&[text.as_bytes()]));
        if is_listed || self.is_allowed_by_direnv(file, &text) {
            return Ok(Some(text));
        }
        if hashes.is_empty() {
            Ok(None)
        } else {
            Err(Error::msg(format_args!(
                "`{}` is not loaded, because it has changed: if you trust its content, add it to hookkit's list again",
                file.display()
            )))
        }
    }

    fn is_allowed_by_direnv(&self, file: &Path, text: &str) -> bool {
        let (Some(folder), Some(path)) = (&self.direnv, file.to_str()) else {
            return false;
        };
        let is_there = |list: &str, text: &str| {
            let name = hash(&[path.as_bytes(), b"\n", text.as_bytes()]);
            folder.join(list).join(name).is_file()
        };
        is_there("allow", text) && !is_there("deny", "")
    }
}

/// Reads a file; `None` if it does not exist.
fn read(file: &Path) -> Result<Option<String>, Error> {
    match bounded::text(file, LONGEST) {
        Ok(text) => Ok(Some(text)),
        Err(err) if matches!(err.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(err) => Err(Error::msg(format_args!("`{}` cannot be read: {err}", file.display()))),
    }
}

/// Returns the SHA-256 of concatenated strings.
fn hash(texts: &[&[u8]]) -> String {
    let digest = Hash::hash(&texts.concat());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the folder of an XDG variable, or its default in the home folder.
pub(super) fn of_xdg(environment: Environment, variable: &str, default: &str) -> Option<PathBuf> {
    let folder = environment.variable(variable).map(PathBuf::from).filter(|folder| folder.is_absolute());
    folder.or_else(|| Some(environment.home()?.join(default)))
}
