//! Platforms for which a plugin can have programs.

use std::{env, fmt};

use crate::terminal::joined;
use anyhow::{Result, bail};

/// A platform. The names are used in the files of plugins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Platform {
    LinuxX86,
    LinuxArm,
    MacX86,
    MacArm,
    WindowsX86,
}

/// All platforms: each with its name, rustc's target for its program, and its name in messages.
///
/// Programs for Linux are static, so they run on every distribution.
const ALL: [(Platform, &str, &str, &str); 5] = [
    (Platform::LinuxX86, "linux-x86_64", "x86_64-unknown-linux-musl", "Linux, x86-64"),
    (Platform::LinuxArm, "linux-aarch64", "aarch64-unknown-linux-musl", "Linux, ARM"),
    (Platform::MacX86, "macos-x86_64", "x86_64-apple-darwin", "macOS, x86-64"),
    (Platform::MacArm, "macos-aarch64", "aarch64-apple-darwin", "macOS, ARM"),
    (Platform::WindowsX86, "windows-x86_64", "x86_64-pc-windows-gnu", "Windows, x86-64"),
];

impl Platform {
    pub(crate) const ALL: [Self; 5] = [Self::LinuxX86, Self::LinuxArm, Self::MacX86, Self::MacArm, Self::WindowsX86];

    /// Returns the platform with this name or target. The GNU target of Linux selects its static sibling.
    ///
    /// # Errors
    ///
    /// Fails if plugins cannot have programs for this platform.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let target = text.replace("-unknown-linux-gnu", "-unknown-linux-musl");
        let found = ALL.iter().find(|(_, name, triple, _)| *name == text || *triple == target);
        let Some((platform, ..)) = found else {
            let known = joined(ALL.iter().map(|(_, _, triple, _)| format!("`{triple}`")), ", ");
            bail!("a plugin cannot have a program for `{text}`; the platforms are {known}");
        };
        Ok(*platform)
    }

    /// Returns this machine's platform if plugins can have programs for it.
    pub(crate) fn of_this_machine() -> Option<Self> {
        Self::parse(&format!("{}-{}", env::consts::OS, env::consts::ARCH)).ok()
    }

    pub(crate) fn name(self) -> &'static str {
        ALL[self as usize].1
    }

    pub(crate) fn target(self) -> &'static str {
        ALL[self as usize].2
    }

    pub(crate) fn shown(self) -> &'static str {
        ALL[self as usize].3
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use test_support::Has;

    #[test]
    fn a_platform_is_its_own_row() {
        for (index, platform) in Platform::ALL.into_iter().enumerate() {
            assert_eq!((ALL[index].0, platform as usize), (platform, index));
            assert_eq!(Platform::parse(platform.name()).unwrap(), platform);
            assert_eq!(Platform::parse(platform.target()).unwrap(), platform);
        }
    }

    #[test]
    fn the_gnu_target_of_linux_means_the_static_one() {
        let platform = Platform::parse("aarch64-unknown-linux-gnu").unwrap();
        assert_eq!(platform, Platform::LinuxArm);
    }

    #[test]
    fn an_unknown_platform_is_refused_with_those_that_exist() {
        let refused = Platform::parse("riscv64gc-unknown-linux-gnu").unwrap_err().to_string();
        refused.has("`riscv64gc-unknown-linux-gnu`; the platforms are `x86_64-unknown-linux-musl`");
    }
}
