//! Packages for tests. Their programs are not built.

use std::path::Path;

use anyhow::{Context, Result};

use crate::binaries::platform::Platform;
use crate::disk::beneath::Beneath;
use crate::settings::plugin::package;
use crate::settings::plugin::parts::Plugin;

/// Returns a program header for this system. It cannot be executed.
pub fn program_header() -> Vec<u8> {
    let mut header = match Platform::of_this_machine() {
        Some(Platform::MacX86) => vec![0xcf, 0xfa, 0xed, 0xfe, 7, 0, 0, 1],
        Some(Platform::MacArm) => vec![0xcf, 0xfa, 0xed, 0xfe, 12, 0, 0, 1],
        platform => {
            let machine = if platform == Some(Platform::LinuxArm) { 183 } else { 62 };
            let mut header = b"\x7fELF\x02\x01\x01".to_vec();
            header.resize(18, 0);
            header.extend([machine, 0]);
            header
        }
    };
    header.resize(64, 0);
    header
}

/// Writes a plugin's package into an existing folder, and returns the plugin's version. `sources` has the format of
/// hookkit.json. If `program` is given, it is the package's only program, for this system.
///
/// # Errors
///
/// Fails if the sources cannot be parsed, or if the folder cannot be written.
pub fn write_package(folder: &Path, sources: &str, program: Option<&[u8]>) -> Result<String> {
    let platform = Platform::of_this_machine().context("plugins have no programs for this system")?;
    let mut plugin = Plugin {
        origin: serde_json::from_str(sources)?,
        programs: program.map(|program| (platform, program.to_vec())).into_iter().collect(),
        licences: Some(Vec::new()),
    };
    let compilers = plugin.programs.keys().map(|platform| platform.name().to_owned());
    plugin.origin.compilers = compilers.map(|platform| (platform, "rustc".to_owned())).collect();
    let files = plugin.files()?;
    let version = plugin.version_of(&files);
    package::write(&files, &Beneath::named(&folder.canonicalize()?).join(&plugin.origin.name))?;
    Ok(version)
}
