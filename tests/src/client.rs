//! The client that the tests run: one pinned version, from a cache folder that only [`install`] fills; and other versions,
//! which `cargo dev watch` compares with it.

use std::collections::BTreeMap;
use std::env;
use std::env::consts::{ARCH, OS};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, ensure};
use semver::Version;
use tempfile::TempDir;

use crate::{files, isolation};

/// The version of the client that the tests are written against.
pub const VERSION: &str = "2.1.332";

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
/// # Errors
///
/// If no client is published for this platform, or npm is missing or fails.
pub fn install() -> anyhow::Result<PathBuf> {
    if let Some(binary) = locate() {
        return Ok(binary);
    }
    let cache = cache(variable).context("no cache folder: set HOOKKIT_CLIENT_CACHE")?;
    let folder = version_folder(&cache).context("no folder for this platform")?;
    fs::create_dir_all(&cache).with_context(|| format!("cannot create {}", cache.display()))?;
    // Fetched next to the final folder and renamed: neither an interrupted install nor a second one at the same time leaves
    // half a client where a test finds it.
    let fetched = Fetched::within(&cache, VERSION)?;
    let renamed = fs::rename(fetched.folder.path().join("client"), &folder);
    let binary = binary_in(&folder).context("no binary for this platform")?;
    // Losing the race against another install is not a failure: its client is the same.
    if !binary.is_file() {
        renamed.with_context(|| format!("cannot move the client to {}", folder.display()))?;
    }
    Ok(binary)
}

/// The main package, which each version has: a script in old versions, later only the types of its tools.
const PACKAGE: &str = "@anthropic-ai/claude-code";

/// A version of the client in a temporary folder.
pub struct Fetched {
    /// The program to start.
    pub program: PathBuf,
    /// The file with the client's code: a script, or the same as the program.
    pub code: PathBuf,
    folder: TempDir,
}

impl Fetched {
    /// Fetches a version with npm.
    ///
    /// # Errors
    ///
    /// If npm is missing or fails, or the version has neither a binary for this platform nor a script.
    pub fn new(version: &str) -> anyhow::Result<Self> {
        Self::within(&env::temp_dir(), version)
    }

    /// Fetches a version into a folder within this one. No install script of the package runs.
    fn within(parent: &Path, version: &str) -> anyhow::Result<Self> {
        let folder =
            tempfile::Builder::new().prefix(".install-").tempdir_in(parent).context("no folder for the client")?;
        let client = folder.path().join("client");
        let package = package().with_context(|| format!("no client is published for {OS} {ARCH}"))?;
        // Versions before 2.1.110 are a script for node.
        let is_script = match npm_install(&client, &format!("{package}@{version}")) {
            Err(err) if format!("{err:#}").contains("ETARGET") => true,
            installed => installed.map(|()| false)?,
        };
        if !is_script {
            let binary = binary_in(&client).filter(|binary| binary.is_file());
            let program = binary.with_context(|| format!("{package}@{version} has no binary"))?;
            let code = program.clone();
            return Ok(Self { program, code, folder });
        }
        npm_install(&client, &format!("{PACKAGE}@{version}"))?;
        let code = client.join("node_modules").join(PACKAGE).join("cli.js");
        ensure!(code.is_file(), "{PACKAGE}@{version} has no script");
        let program = client.join("claude");
        files::program(&program, format!("#!/bin/sh\nexec node '{}' \"$@\"\n", code.display()))?;
        Ok(Self { program, code, folder })
    }
}

/// Returns the text of the types of tools that are published with a version.
///
/// # Errors
///
/// If npm is missing or fails, or the package has no types.
pub fn published_types(version: &str) -> anyhow::Result<String> {
    let folder = test_support::folder();
    npm_install(folder.path(), &format!("{PACKAGE}@{version}"))?;
    let types = folder.path().join("node_modules").join(PACKAGE).join("sdk-tools.d.ts");
    fs::read_to_string(&types).with_context(|| format!("{PACKAGE}@{version} has no sdk-tools.d.ts"))
}

/// Returns all versions from 1.0.38 on, the first with hooks, in order.
///
/// # Errors
///
/// If npm is missing or fails.
pub fn published() -> anyhow::Result<Vec<Version>> {
    let done = Command::new("npm").args(["view", PACKAGE, "versions", "--json"]).output();
    let done = done.context("cannot start npm")?;
    let stderr = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "npm could not list the versions: {stderr}");
    let versions: Vec<Version> = serde_json::from_slice(&done.stdout).context("npm lists no versions")?;
    let mut versions: Vec<_> = versions.into_iter().filter(|version| *version >= Version::new(1, 0, 38)).collect();
    versions.sort();
    Ok(versions)
}

pub(crate) fn npm_install(prefix: &Path, package: &str) -> anyhow::Result<()> {
    let mut npm = Command::new("npm");
    npm.args(["install", "--ignore-scripts", "--no-save", "--no-package-lock", "--no-audit", "--no-fund"]);
    npm.args(["--omit=optional", "--prefix"]).arg(prefix).args(package.split(' '));
    // Hundreds of megabytes, which should not be downloaded again.
    let cache = test_support::folder();
    let done = npm.env("npm_config_cache", cache.path()).output().context("cannot start npm")?;
    let stderr = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "npm could not install {package}: {stderr}");
    Ok(())
}

/// Returns `true` if a client has this option. Old clients end with an error at an unknown option.
///
/// # Errors
///
/// If the client does not print its options.
pub fn has_option(client: &Path, option: &str) -> anyhow::Result<bool> {
    static OPTIONS: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());
    let mut known = OPTIONS.lock().expect("no call panics");
    if !known.contains_key(client) {
        let home = test_support::folder();
        let mut command = Command::new(client);
        command.arg("--help").current_dir(home.path());
        command.env("HOME", home.path()).env("CLAUDE_CONFIG_DIR", home.path());
        // It prints its options without the network.
        command.env("DISABLE_AUTOUPDATER", "1").env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        let done = command.output().with_context(|| format!("cannot start {}", client.display()))?;
        ensure!(done.status.success(), "{} --help: {}", client.display(), String::from_utf8_lossy(&done.stderr));
        known.insert(client.to_owned(), String::from_utf8_lossy(&done.stdout).into_owned());
    }
    Ok(known[client].contains(option))
}

/// Returns the client for the test `test_name`, or prints to stderr why the test is skipped, and returns `None`.
///
/// # Panics
///
/// Instead of skipping, if `HOOKKIT_REQUIRE_CLIENT` is `1`, as in the gate.
pub fn require(test_name: &str) -> Option<PathBuf> {
    let why = match (isolation::machine_configuration(), locate()) {
        (Some(path), _) => format!("the client would read {}", path.display()),
        (None, Some(client)) => return Some(client),
        (None, None) => "the client is not installed: cargo dev client".to_owned(),
    };
    let holds = variable("HOOKKIT_REQUIRE_CLIENT").is_none_or(|value| value != "1");
    assert!(holds, "skipped: {test_name}: {why}");
    crate::skip(test_name, &why);
    None
}

/// Returns the client for a test, by the test's name. Without the client the test ends here, and prints that it is skipped.
#[macro_export]
macro_rules! client {
    ($test:expr) => {
        match $crate::client::require($test) {
            Some(client) => client,
            None => return Ok(()),
        }
    };
}

/// Returns a folder within the cache folder, for facts about other versions.
///
/// # Errors
///
/// If there is no cache folder, or it cannot be written to.
pub fn cache_folder(name: &str) -> anyhow::Result<PathBuf> {
    let folder = cache(variable).context("no cache folder: set HOOKKIT_CLIENT_CACHE")?.join(name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}

/// Returns an environment variable, unless it is empty.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

pub(crate) fn cache(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
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
    Some(format!("{PACKAGE}-{}", platform()?))
}

/// Returns this platform as the names of npm's packages spell it.
pub(crate) fn platform() -> Option<String> {
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
        let all = [("HOOKKIT_CLIENT_CACHE", "/own"), ("XDG_CACHE_HOME", "/xdg"), ("HOME", "/home/me")];
        let with = |from: usize| {
            cache(|name| all[from..].iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
        };
        assert_eq!(with(0), Some("/own".into()));
        assert_eq!(with(1), Some("/xdg/hookkit-client".into()));
        assert_eq!(with(2), Some("/home/me/.cache/hookkit-client".into()));
        assert_eq!(with(3), None);
    }
}
