//! The client that the tests run: one pinned version, from a cache folder that only [`install`] fills.

use std::env;
use std::env::consts::{ARCH, OS};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use hookkit_xtask::rig;

/// The version of the client that the tests are written against.
pub const VERSION: &str = "2.1.330";

/// Returns the path of the client's binary, if there is one: `HOOKKIT_CLIENT` (an absolute path), else the one in the
/// cache folder.
///
/// `HOOKKIT_CLIENT` is not checked: a wrong path is an error when the client is started, not a silent skip.
/// The cache folder is `HOOKKIT_CLIENT_CACHE`, else `hookkit-client` in the user's cache folder.
pub fn locate() -> Option<PathBuf> {
    if let Some(given) = variable("HOOKKIT_CLIENT") {
        return Some(given.into());
    }
    let binary = binary_in(&version_folder(&cache(variable)?)?)?;
    binary.is_file().then_some(binary)
}

/// Installs the client into the cache folder with npm, unless it is there already, and returns the path of its binary.
///
/// The package is the one for this platform, which contains the bare binary: no install script runs.
///
/// # Errors
///
/// If no client is published for this platform, or npm is missing or fails.
pub fn install() -> anyhow::Result<PathBuf> {
    if let Some(binary) = locate() {
        return Ok(binary);
    }
    let cache = cache(variable).context("no cache folder: set HOOKKIT_CLIENT_CACHE")?;
    let package = package().with_context(|| format!("no client is published for {OS} {ARCH}"))?;
    let folder = version_folder(&cache).context("no folder for this platform")?;
    fs::create_dir_all(&cache).with_context(|| format!("cannot create {}", cache.display()))?;
    // Installed next to the final folder and renamed: neither an interrupted install nor a second one at the same time
    // leaves half a client where a test finds it.
    let staging = tempfile::Builder::new()
        .prefix(".install-")
        .tempdir_in(&cache)
        .context("no staging folder")?;
    let staged = staging.path().join("client");
    let done = Command::new("npm")
        .args([
            "install",
            "--ignore-scripts",
            "--no-save",
            "--no-package-lock",
            "--no-audit",
            "--no-fund",
        ])
        .arg("--prefix")
        .arg(&staged)
        .arg(format!("{package}@{VERSION}"))
        .output()
        .context("cannot start npm")?;
    ensure!(
        done.status.success(),
        "npm could not install {package}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    let renamed = fs::rename(&staged, &folder);
    let binary = binary_in(&folder).context("no binary for this platform")?;
    // Losing the race against another install is not a failure: its client is the same.
    if !binary.is_file() {
        renamed.with_context(|| format!("cannot move the client to {}", folder.display()))?;
    }
    ensure!(
        binary.is_file(),
        "{package}@{VERSION} has no binary at {}",
        binary.display()
    );
    Ok(binary)
}

/// Returns the client for the test `test_name`, or prints to stderr why the test is skipped, and returns `None`.
///
/// # Panics
///
/// Instead of skipping, where `HOOKKIT_REQUIRE_CLIENT` is `1`, as in the gate.
pub fn require(test_name: &str) -> Option<PathBuf> {
    let why = match (rig::machine_configuration(), locate()) {
        (Some(path), _) => format!("the client would read {}", path.display()),
        (None, Some(client)) => return Some(client),
        (None, None) => "the client is not installed: cargo dev client".to_owned(),
    };
    assert!(
        variable("HOOKKIT_REQUIRE_CLIENT").is_none_or(|value| value != "1"),
        "skipped: {test_name}: {why}"
    );
    crate::skip(test_name, &why);
    None
}

/// Returns an environment variable, unless it is empty.
fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

fn cache(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(cache) = variable("HOOKKIT_CLIENT_CACHE") {
        return Some(cache.into());
    }
    let user = variable("XDG_CACHE_HOME").map(PathBuf::from);
    let user = user.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".cache")))?;
    Some(user.join("hookkit-client"))
}

fn version_folder(cache: &Path) -> Option<PathBuf> {
    Some(cache.join(format!("{VERSION}-{}", platform()?)))
}

fn binary_in(folder: &Path) -> Option<PathBuf> {
    Some(folder.join("node_modules").join(package()?).join("claude"))
}

fn package() -> Option<String> {
    Some(format!("@anthropic-ai/claude-code-{}", platform()?))
}

/// Returns this platform as the names of npm's packages spell it.
fn platform() -> Option<String> {
    let os = match OS {
        "linux" => "linux",
        "macos" => "darwin",
        _ => return None,
    };
    let arch = match ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        _ => return None,
    };
    // By the loaders present: these tests may themselves be linked against another libc than the system's.
    let exists = |path: &str| Path::new(path).exists();
    let glibc = exists("/lib64/ld-linux-x86-64.so.2") || exists("/lib/ld-linux-aarch64.so.1");
    let musl = !glibc && exists(&format!("/lib/ld-musl-{ARCH}.so.1"));
    Some(format!("{os}-{arch}{}", if musl { "-musl" } else { "" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_folder_follows_the_environment() {
        let all = [
            ("HOOKKIT_CLIENT_CACHE", "/own"),
            ("XDG_CACHE_HOME", "/xdg"),
            ("HOME", "/home/me"),
        ];
        let with = |from: usize| {
            cache(|name| {
                all[from..]
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, value)| value.into())
            })
        };
        assert_eq!(with(0), Some("/own".into()));
        assert_eq!(with(1), Some("/xdg/hookkit-client".into()));
        assert_eq!(with(2), Some("/home/me/.cache/hookkit-client".into()));
        assert_eq!(with(3), None);
    }
}
