//! Locations of files: anywhere, or below a folder whose links are never followed, because a checkout can contain
//! links.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use crate::Context;

/// The error for a link below a project.
const LINK: &str = "it is a link, which might lead anywhere: remove it";

/// The location of a file.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The folder below which no link is followed; `None` if links are followed.
    base: Option<PathBuf>,
    /// Path of the file, relative to the base if there is one.
    file: PathBuf,
}

impl Place {
    pub(crate) fn anywhere(path: impl Into<PathBuf>) -> Self {
        Self { base: None, file: path.into() }
    }

    pub(crate) fn in_project(context: &Context, file: impl Into<PathBuf>) -> Self {
        Self { base: Some(context.project_dir.clone()), file: file.into() }
    }

    /// Returns the path, for messages.
    pub(crate) fn path(&self) -> PathBuf {
        match &self.base {
            Some(base) => base.join(&self.file),
            None => self.file.clone(),
        }
    }

    /// Returns the same location with another file name.
    #[cfg(any(feature = "log", test))]
    pub(crate) fn with_name(&self, name: impl AsRef<std::ffi::OsStr>) -> Self {
        Self { base: self.base.clone(), file: self.file.with_file_name(name) }
    }

    /// Creates the folders that are missing.
    ///
    /// # Errors
    ///
    /// Fails if a folder below the base is a link, or the path leads out of the base.
    pub(crate) fn create_folders(&self) -> io::Result<()> {
        let Some(base) = &self.base else {
            return self.file.parent().map_or(Ok(()), fs::create_dir_all);
        };
        for folder in folders(base, &self.file)? {
            match fs::create_dir(&folder) {
                Err(err) if err.kind() != ErrorKind::AlreadyExists => return Err(err),
                // A folder that already existed can be a link.
                _ => check_folder(&folder)?,
            }
        }
        Ok(())
    }

    /// Opens the file.
    ///
    /// # Errors
    ///
    /// Fails if the file or a folder below the base is a link, or if it is not a regular file.
    pub(crate) fn open(&self, options: OpenOptions) -> io::Result<File> {
        let path = self.path();
        if let Some(base) = &self.base {
            for folder in folders(base, &self.file)? {
                check_folder(&folder)?;
            }
            if fs::symlink_metadata(&path).is_ok_and(|file| file.is_symlink()) {
                return Err(io::Error::other(LINK));
            }
        }
        #[cfg(unix)]
        let options = {
            let mut options = options;
            let no_link = if self.base.is_some() { libc::O_NOFOLLOW } else { 0 };
            // Opening a pipe would wait for its other end.
            std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | no_link);
            options
        };
        let file = options.open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a regular file: remove it"));
        }
        Ok(file)
    }
}

/// Returns the folders between the base and the file, outermost first.
fn folders(base: &Path, file: &Path) -> io::Result<Vec<PathBuf>> {
    let is_within = file.components().all(|part| matches!(part, Component::Normal(_)));
    if !is_within || file.file_name().is_none() {
        return Err(io::Error::other(
            "it is not a path within the project, such as `.claude/NAME`; for a file elsewhere, use `at`",
        ));
    }
    let mut folder = base.to_owned();
    let names = file.parent().into_iter().flat_map(Path::iter);
    Ok(names
        .map(|name| {
            folder.push(name);
            folder.clone()
        })
        .collect())
}

fn check_folder(folder: &Path) -> io::Result<()> {
    let kind = fs::symlink_metadata(folder)?.file_type();
    let why = match kind.is_dir() {
        true => return Ok(()),
        false if kind.is_symlink() => LINK,
        false => "it is not a folder: remove it",
    };
    Err(io::Error::other(format!("`{}`: {why}", folder.display())))
}
