//! Obstacles that a checkout can bring in the place of a file or a folder, and the state of a folder that it must not reach.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Puts an obstacle in the place of a path, by its name. What was there is gone. The folder `outside` has a `file` and a
/// `script`.
///
/// # Errors
///
/// If it cannot be put there.
///
/// # Panics
///
/// If there is no obstacle of this name.
pub fn put(path: &Path, obstacle: &str, outside: &Path) -> io::Result<()> {
    // Without a slash at its end, which would lead through a link.
    let path = &path.components().collect::<PathBuf>();
    let parent = path.parent().expect("a folder");
    fs::create_dir_all(parent)?;
    match fs::symlink_metadata(path) {
        Ok(present) if present.is_dir() => fs::remove_dir_all(path)?,
        Ok(_) => fs::remove_file(path)?,
        Err(_) => {}
    }
    let up =
        || "../".repeat(parent.components().count() - 1) + outside.to_str().expect("UTF-8").trim_start_matches('/');
    match obstacle {
        "a link to a folder outside" => symlink(outside, path),
        "a link to a file outside" => symlink(outside.join("file"), path),
        "a link to a script outside" => symlink(outside.join("script"), path),
        "a link by a relative path" => symlink(up(), path),
        "a link to the folder above" => symlink("../..", path),
        "a link to the root" => symlink("/", path),
        "a link that leads nowhere" => symlink(outside.join("new"), path),
        "a link to itself" => symlink(path, path),
        "a link to /dev/zero" => symlink("/dev/zero", path),
        "a link to /dev/stdin" => symlink("/dev/stdin", path),
        "a hard link to a file outside" => fs::hard_link(outside.join("file"), path),
        "a hard link to a script outside" => fs::hard_link(outside.join("script"), path),
        "a pipe" => Command::new("mkfifo").arg(path).status().map(drop),
        "a folder" => fs::create_dir_all(path.join("of the checkout")),
        "a file" => fs::write(path, "{\"workspace\": \"/of/the/checkout\"}"),
        "a file without permissions" => {
            fs::write(path, "secret")?;
            fs::set_permissions(path, Permissions::from_mode(0o000))
        }
        _ => panic!("no obstacle `{obstacle}`"),
    }
}

/// Content, mode, time of the last change, and size of a file. The number of hard links may change.
pub type State = (Option<Vec<u8>>, u32, i64, u64);

/// Returns the state of everything below a folder.
///
/// # Errors
///
/// If something cannot be read.
pub fn state(folder: &Path) -> io::Result<BTreeMap<PathBuf, State>> {
    let mut seen = BTreeMap::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        let metadata = fs::symlink_metadata(&path)?;
        let text = metadata.is_file().then(|| fs::read(&path)).transpose()?;
        if metadata.is_dir() {
            seen.extend(state(&path)?);
        }
        let time = metadata.mtime() * 1_000_000_000 + metadata.mtime_nsec();
        seen.insert(path, (text, metadata.mode(), time, metadata.size()));
    }
    Ok(seen)
}
