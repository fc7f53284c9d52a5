//! Where things are put in a project.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use tempfile::NamedTempFile;

/// The files of one workspace's hooks in one project.
pub(crate) struct Place {
    /// The project's root, which the client gives to hooks as `CLAUDE_PROJECT_DIR`.
    project: PathBuf,
    /// The name under which the workspace's hooks are installed.
    pub(crate) workspace: String,
}

impl Place {
    /// In `project`, or else in the git repository around the current folder.
    pub(crate) fn find(project: Option<&Path>, workspace: String) -> Result<Self> {
        let project = match project {
            Some(project) => {
                let project = project
                    .canonicalize()
                    .with_context(|| format!("the project {}", project.display()))?;
                ensure!(project.is_dir(), "the project {} is no folder", project.display());
                project
            }
            None => repository(&std::env::current_dir()?)?,
        };
        Ok(Self { project, workspace })
    }

    /// The other workspaces' places in the same project.
    pub(crate) fn others(&self) -> Vec<Self> {
        let folders = fs::read_dir(self.hookkit()).into_iter().flatten().flatten();
        let folders = folders.filter(|folder| folder.path().is_dir());
        let names = folders.filter_map(|folder| folder.file_name().into_string().ok());
        let others = names.filter(|name| *name != self.workspace).map(|workspace| Self {
            project: self.project.clone(),
            workspace,
        });
        others.collect()
    }

    pub(crate) fn settings(&self) -> PathBuf {
        self.claude().join("settings.json")
    }

    /// The client's folder, which need not be there.
    pub(crate) fn claude(&self) -> PathBuf {
        self.project.join(".claude")
    }

    /// hookkit's own folder.
    pub(crate) fn hookkit(&self) -> PathBuf {
        self.claude().join("hookkit")
    }

    /// What belongs to this workspace.
    pub(crate) fn folder(&self) -> PathBuf {
        self.hookkit().join(&self.workspace)
    }

    pub(crate) fn binary(&self, hook: &str) -> PathBuf {
        self.folder().join("bin").join(hook)
    }

    /// Whether the hook's binary is there, and can be run.
    pub(crate) fn has_binary(&self, hook: &str) -> bool {
        use std::os::unix::fs::PermissionsExt;

        fs::metadata(self.binary(hook)).is_ok_and(|binary| binary.is_file() && binary.permissions().mode() & 0o111 != 0)
    }

    /// What `install` inserted into the settings.
    pub(crate) fn record(&self) -> PathBuf {
        self.folder().join("record.json")
    }

    /// The hook's command in the settings: the client fills in the project's folder, so that no personal path stands in
    /// a file that a team shares.
    pub(crate) fn command(&self, hook: &str) -> String {
        format!("{}{hook}", self.command_prefix())
    }

    /// Whether a command is that of one of this workspace's hooks.
    pub(crate) fn is_ours(&self, command: &str) -> bool {
        command.starts_with(&self.command_prefix())
    }

    fn command_prefix(&self) -> String {
        format!("${{CLAUDE_PROJECT_DIR}}/.claude/hookkit/{}/bin/", self.workspace)
    }
}

fn repository(from: &Path) -> Result<PathBuf> {
    from.ancestors()
        .find(|folder| folder.join(".git").exists())
        .map(Path::to_owned)
        .with_context(|| {
            format!(
                "there is no git repository around {}; name the project: --project DIR",
                from.display()
            )
        })
}

/// Writes a file that is ours, with this mode, unless it is there already.
pub(crate) fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let has_mode = fs::metadata(path).is_ok_and(|present| present.permissions().mode() & 0o777 == mode);
    if has_mode && read(path)?.is_some_and(|present| present == bytes) {
        return Ok(());
    }
    replace(path, bytes, fs::Permissions::from_mode(mode))
}

/// Writes a file of the user's, whose mode stays, unless it is there already.
pub(crate) fn write_foreign(path: &Path, bytes: &[u8]) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;

    if read(path)?.is_some_and(|present| present == bytes) {
        return Ok(());
    }
    let present = fs::metadata(path).map(|present| present.permissions());
    replace(
        path,
        bytes,
        present.unwrap_or_else(|_| fs::Permissions::from_mode(0o644)),
    )
}

/// Replaces a file as a whole: whoever reads it meanwhile sees the old or the new one.
fn replace(path: &Path, bytes: &[u8], permissions: fs::Permissions) -> Result<()> {
    let replaced = || -> Result<()> {
        let target = behind_links(path);
        let folder = target.parent().context("it has no folder")?;
        fs::create_dir_all(folder)?;
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().set_permissions(permissions)?;
        file.as_file().sync_all()?;
        // The temporary file's own name would say nothing to anybody.
        file.persist(&target).map_err(|err| err.error)?;
        Ok(())
    };
    replaced().with_context(|| format!("writing {}", path.display()))
}

/// The file that a path leads to, be it there or not: dotfiles are often links.
fn behind_links(path: &Path) -> PathBuf {
    if let Ok(target) = path.canonicalize() {
        return target;
    }
    match (fs::read_link(path), path.parent()) {
        (Ok(target), Some(folder)) => folder.join(target),
        _ => path.to_owned(),
    }
}

/// Reads a file that need not be there.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(err) => Err(err).with_context(|| format!("reading {}", path.display())),
    }
}

/// Removes a file of the user's. A link to it stays, and leads nowhere then.
pub(crate) fn remove_foreign(path: &Path) -> Result<()> {
    remove(&behind_links(path))
}

/// Removes a file, a link, or a folder with all that is in it, if it is there.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() && !path.is_symlink() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match removed {
        Err(err) if err.kind() != std::io::ErrorKind::NotFound => {
            Err(err).with_context(|| format!("removing {}", path.display()))
        }
        _ => Ok(()),
    }
}
