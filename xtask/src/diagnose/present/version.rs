//! The version of an installed client.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf, absolute};
use std::process::Command;
use std::time::Duration;

use semver::Version;
use serde::Deserialize;

use crate::cargo::program::{found, output_within};
use crate::disk::bounded;
use crate::disk::files::entries;

/// Time limit for the client to print its version.
const LIMIT: Duration = Duration::from_secs(10);

/// Prefix of the client's package names on npm.
const PACKAGE: &str = "@anthropic-ai/claude-code";

/// Prefix of the client's extension folders in VS Code and its relatives.
const EXTENSION: &str = "anthropic.claude-code-";

/// Returns the named client. Without a name, returns the one in PATH, unless it is in the project.
pub(crate) fn find(named: Option<&Path>, project: Option<&Path>) -> io::Result<Option<PathBuf>> {
    match named {
        Some(file) => absolute(file).map(Some),
        None => Ok(found("claude", project.unwrap_or(Path::new("")))),
    }
}

/// Returns the newest client bundled with each editor in a home folder: its version and the extension's folder.
pub(crate) fn of_editors(home: &Path) -> Vec<(Version, PathBuf)> {
    let within = |folder: &Path| entries(folder).map(|entry| entry.path());
    let client = |extension: PathBuf| {
        let name = extension.file_name()?.to_str()?.strip_prefix(EXTENSION)?;
        // The platform follows, as in `2.1.332-linux-x64`.
        Some((Version::parse(name.split('-').next()?).ok()?, extension))
    };
    let is_hidden = |folder: &PathBuf| folder.file_name().is_some_and(|name| name.as_bytes().starts_with(b"."));
    let editors = within(home).filter(is_hidden);
    editors
        .map(|folder| folder.join("extensions"))
        .filter_map(|folder| within(&folder).filter_map(client).max())
        .collect()
}

/// Returns a client's version. It is read from the files next to the client, which takes no time. If that fails, the
/// client must print it, which costs an old client a second of CPU time.
pub(crate) fn of(client: &Path) -> Option<Version> {
    by_files(client).or_else(|| printed(client))
}

/// Returns the version in the client's file name, or in the manifest of its npm package.
fn by_files(client: &Path) -> Option<Version> {
    #[derive(Deserialize)]
    struct Manifest {
        name: String,
        version: Version,
    }
    // The installer links `bin/claude` to `share/claude/versions/2.1.330`.
    let program = client.canonicalize().ok()?;
    let folder = program.parent()?;
    if folder.file_name() == Some(OsStr::new("versions")) {
        return Version::parse(program.file_name()?.to_str()?).ok();
    }
    let manifest = |folder: &Path| {
        let text = bounded::read(&folder.join("package.json")).ok()?;
        let manifest: Manifest = serde_json::from_slice(&text).ok()?;
        manifest.name.starts_with(PACKAGE).then_some(manifest.version)
    };
    // npm links it to `cli.js`, or to a file in the package's `bin`.
    manifest(folder).or_else(|| manifest(folder.parent()?))
}

/// Returns the version that a client prints within the time limit.
fn printed(client: &Path) -> Option<Version> {
    // The client writes to a temporary configuration folder. `HOME` is unchanged: some clients need it to start.
    let folder = tempfile::tempdir().ok()?;
    let mut command = Command::new(client);
    command
        .arg("--version")
        .current_dir(folder.path())
        .env("CLAUDE_CONFIG_DIR", folder.path())
        .env("DISABLE_AUTOUPDATER", "1")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    let output = output_within(&mut command, LIMIT).ok().filter(|output| output.status.success())?;
    let output = str::from_utf8(&output.stdout).ok()?;
    Version::parse(output.split_whitespace().next()?).ok()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the folder is temporary")]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::{env, fs};

    use anyhow::Result;

    use super::*;
    use crate::cargo::program::in_path;

    /// Writes a client that prints a version.
    fn client(file: PathBuf, version: &str) -> Result<PathBuf> {
        fs::create_dir_all(file.parent().unwrap_or(&file))?;
        fs::write(&file, format!("#!/bin/sh\necho '{version} (Claude Code)'\n"))?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
        Ok(file)
    }

    fn read(client: &Path) -> Option<String> {
        of(client).map(|version| version.to_string())
    }

    #[test]
    fn no_client_is_found_by_a_relative_folder() -> Result<()> {
        let folder = test_support::folder();
        let program = client(folder.path().join("claude"), "2.1.330")?;
        let relative = "../".repeat(env::current_dir()?.components().count()) + &folder.path().display().to_string();
        assert!(Path::new(&relative).join("claude").is_file());
        assert_eq!(in_path("claude", OsStr::new(&relative)), None);
        assert_eq!(in_path("claude", folder.path().as_os_str()), Some(program));
        Ok(())
    }

    #[test]
    fn the_version_is_that_of_the_installers_file_or_of_the_npm_package() -> Result<()> {
        let folder = test_support::folder();
        // The version is not from a run, which would print a different one.
        let of_installer = client(folder.path().join("share/claude/versions/2.1.330"), "9.9.9")?;
        let link = folder.path().join("claude");
        symlink(&of_installer, &link)?;
        assert_eq!(read(&link).as_deref(), Some("2.1.330"));
        let package = folder.path().join("node_modules").join(PACKAGE);
        for program in ["cli.js", "bin/claude.exe"] {
            let program = client(package.join(program), "9.9.9")?;
            let manifest = format!(r#"{{"name": "{PACKAGE}", "version": "2.0.30", "type": "module"}}"#);
            fs::write(package.join("package.json"), manifest)?;
            fs::remove_file(&link)?;
            symlink(&program, &link)?;
            assert_eq!(read(&link).as_deref(), Some("2.0.30"));
        }
        Ok(())
    }

    #[test]
    fn the_newest_client_of_each_editor_is_found_by_the_name_of_its_folder() -> Result<()> {
        let folder = test_support::folder();
        for name in [
            ".vscode/extensions/anthropic.claude-code-2.1.71-linux-x64",
            ".vscode/extensions/anthropic.claude-code-2.1.9-linux-x64",
            ".cursor/extensions/anthropic.claude-code-2.1.90",
            ".cursor/extensions/other.claude-code-9.9.9",
            "code/extensions/anthropic.claude-code-9.9.9",
        ] {
            fs::create_dir_all(folder.path().join(name))?;
        }
        let mut found: Vec<String> =
            of_editors(folder.path()).into_iter().map(|(version, _)| version.to_string()).collect();
        found.sort();
        assert_eq!(found, ["2.1.71", "2.1.90"]);
        Ok(())
    }

    #[test]
    fn a_client_elsewhere_prints_its_version() -> Result<()> {
        let folder = test_support::folder();
        let program = client(folder.path().join("claude"), "2.1.200")?;
        fs::write(folder.path().join("package.json"), r#"{"name": "another", "version": "1.0.0"}"#)?;
        assert_eq!(read(&program).as_deref(), Some("2.1.200"));
        assert_eq!(read(&client(folder.path().join("broken"), "none")?), None);
        assert_eq!(read(&folder.path().join("missing")), None);
        Ok(())
    }
}
