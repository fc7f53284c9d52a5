//! Link types of hooks.
//!
//! A small process spends most of its time loading libraries: a hook that is statically linked against musl, at a fixed
//! address, takes a quarter of the time of an empty dynamic program.

use std::cell::OnceCell;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::cargo::command::cargo;
use crate::cargo::program::{installed, says};

/// Name of the file with [`SCRIPT`] in a generated package.
pub(crate) const SCRIPT_FILE: &str = "unwind.ld";

/// A linker script that removes the unwind tables: they add 38 KB to each hook, and hooks never unwind.
pub(crate) const SCRIPT: &str = "\
SECTIONS {
  /DISCARD/ : { *(.eh_frame .eh_frame.* .gcc_except_table .gcc_except_table.*) }
} INSERT AFTER .text;
";

/// A hook's link types, the fastest first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Link {
    StaticMusl,
    StaticGlibc,
    Dynamic,
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StaticMusl => "statically linked (musl)",
            Self::StaticGlibc => "statically linked (glibc)",
            Self::Dynamic => "dynamically linked",
        })
    }
}

/// The Rust toolchain and the link types that it supports.
pub(crate) struct Toolchain {
    /// Triple of the machine that runs the toolchain.
    pub(crate) host: String,
    /// Triple for which hooks are built.
    target: String,
    /// Folder with a subfolder for each installed target.
    targets: PathBuf,
    has_musl: bool,
    has_static_glibc: bool,
    has_lld: bool,
    /// The flags of [`handlers`], computed once.
    handlers: OnceCell<Vec<String>>,
}

impl Toolchain {
    /// Queries the compiler that cargo uses in `folder`.
    pub(crate) fn find(folder: &Path) -> Result<Self> {
        let output = rustc(folder, &["--print", "host-tuple", "--print", "sysroot"])?;
        let mut lines = output.lines();
        let (Some(host), Some(sysroot)) = (lines.next(), lines.next()) else {
            bail!("rustc does not print its host and its sysroot");
        };
        let targets = Path::new(sysroot).join("lib/rustlib");
        let has_musl = musl(host).is_some_and(|musl| is_installed(&targets, &musl));
        Ok(Self {
            has_static_glibc: !has_musl && host.ends_with("linux-gnu") && has_static_libc(),
            has_musl,
            has_lld: targets.join(host).join("bin/rust-lld").is_file(),
            host: host.to_owned(),
            target: host.to_owned(),
            targets,
            handlers: OnceCell::new(),
        })
    }

    /// Returns the toolchain for exactly this target, without its musl sibling, if a target is given.
    pub(crate) fn building_for(mut self, target: Option<&str>) -> Result<Self> {
        let Some(target) = target else { return Ok(self) };
        ensure!(
            is_installed(&self.targets, target),
            "there is no standard library for {target} here; install it: rustup target add {target}"
        );
        self.has_musl = musl(target).is_some_and(|musl| musl == target);
        self.has_static_glibc &= target == self.host;
        target.clone_into(&mut self.target);
        Ok(self)
    }

    /// Returns `true` if hooks are built for a different platform.
    pub(crate) fn is_for_elsewhere(&self) -> bool {
        self.target != self.host
    }

    /// Returns rustc's flags for a link type, in addition to the target.
    ///
    /// A panic ends a hook according to its policy without unwinding, so unwind tables are not needed.
    ///
    /// rustc includes everything that a linker needs for musl. Its own linker avoids the C compiler, which takes longer
    /// than the linking itself. It also merges identical functions, and removes the standard library's tables and panic
    /// handlers. The linker is not used if the author configures a linker, or arguments that it may not support.
    pub(crate) fn flags(&self, link: Link, author_links: bool) -> Vec<String> {
        let flags: &[&str] = match link {
            Link::StaticMusl | Link::StaticGlibc => &[
                "-Ctarget-feature=+crt-static", "-Crelocation-model=static", "-Cforce-unwind-tables=no",
                // The compiler's default is 325, even when optimizing for size: a large hook gets 5 % larger, but not
                // faster. Code that every call runs is inlined by `always`.
                "-Cllvm-args=-inlinehint-threshold=50",
            ],
            Link::Dynamic => &[],
        };
        let ours: &[&str] = if link == Link::StaticMusl && self.has_lld && !author_links {
            &[
                "-Clinker=rust-lld",
                "-Clink-arg=--icf=all",
                "-Clink-arg=--no-eh-frame-hdr",
                // cargo links several hooks in parallel; for such small ones, threads cost more than they save.
                "-Clink-arg=--threads=1",
                // Relative to the generated package, where cargo runs rustc: an absolute path would give each workspace
                // a different binary.
                "-Clink-arg=-Tunwind.ld",
                // They continue an unwinding that never starts; the standard library still refers to them.
                "-Clink-arg=--defsym=_Unwind_Resume=abort",
                "-Clink-arg=--defsym=rust_eh_personality=abort",
            ]
        } else {
            &[]
        };
        let handlers = || handlers(&self.targets.join(self.target(link)).join("lib")).unwrap_or_default();
        let handlers: &[String] = match ours {
            [] => &[],
            _ => self.handlers.get_or_init(handlers),
        };
        flags.iter().chain(ours).copied().map(str::to_owned).chain(handlers.iter().cloned()).collect()
    }

    /// Returns the fastest supported link type.
    pub(crate) fn best(&self) -> Link {
        match (self.has_musl, self.has_static_glibc) {
            (true, _) => Link::StaticMusl,
            (_, true) => Link::StaticGlibc,
            _ => Link::Dynamic,
        }
    }

    /// Returns the triple to build for. It is always passed, so that the hooks' flags never apply to build scripts.
    pub(crate) fn target(&self, link: Link) -> String {
        match link {
            Link::StaticMusl => musl(&self.target).unwrap_or_else(|| self.target.clone()),
            Link::StaticGlibc | Link::Dynamic => self.target.clone(),
        }
    }

    /// Returns `true` if programs for the target are linked by zig, through cargo-zigbuild, and not by cargo's linker or
    /// rustc's own.
    ///
    /// # Errors
    ///
    /// Fails if this machine has no linker for the target.
    pub(crate) fn needs_zig(&self) -> Result<bool> {
        let target = &self.target;
        let has_mingw = || succeeds(installed("x86_64-w64-mingw32-gcc", Path::new("")).arg("--version"));
        let is_native = *target == self.host
            // rustc includes everything that is linked against musl.
            || self.has_musl && self.has_lld
            || target.ends_with("-apple-darwin") && self.host.ends_with("-apple-darwin")
            || target == "x86_64-pc-windows-gnu" && has_mingw();
        ensure!(
            is_native || succeeds(cargo().args(["zigbuild", "--help"])),
            "programs for {target} cannot be linked on this machine\nInstall zig and cargo-zigbuild, for example: pip \
             install ziglang cargo-zigbuild\nOr build that part on a machine for {target}, and join the parts: cargo \
             xtask package --merge DIR"
        );
        Ok(!is_native)
    }

    /// Returns the target for the fastest hooks if it is not installed.
    pub(crate) fn missing_target(&self) -> Option<MissingTarget> {
        let musl = musl(&self.target)?;
        let is_there = self.has_musl || is_installed(&self.targets, &musl);
        (!is_there).then_some(MissingTarget(musl))
    }
}

/// A Rust target that rustup can add. Its `Display` is the command.
pub(crate) struct MissingTarget(String);

impl MissingTarget {
    /// Returns advice on how to get faster hooks.
    pub(crate) fn advice(&self) -> String {
        format!("To start hooks up to four times as fast: {self}")
    }

    /// Adds the target to the toolchain that cargo uses in `folder`.
    ///
    /// # Errors
    ///
    /// Fails if rustup is missing or cannot download the target; its own message is on stderr.
    pub(crate) fn add(&self, folder: &Path) -> Result<()> {
        let mut rustup = installed("rustup", folder);
        let status = rustup
            .args(["target", "add", &self.0])
            .current_dir(folder)
            .stdout(io::stderr())
            .status()
            .context("rustup could not be run")?;
        ensure!(status.success(), "`{self}` failed");
        Ok(())
    }
}

impl fmt::Display for MissingTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rustup target add {}", self.0)
    }
}

/// Returns the version of cargo's compiler in `folder`.
pub(crate) fn compiler(folder: &Path) -> Result<String> {
    Ok(rustc(folder, &["--version"])?.trim_end().to_owned())
}

/// Returns the flags that replace the standard library's handlers for panics and failed allocations with those in
/// `hookkit/src/panicking.rs`. Otherwise a hook would contain a parser of debug information for backtraces.
///
/// The handlers' names contain a number that depends on the compiler (seen in rustc 1.89 and 1.95). If a version has
/// different names, there are no flags: hooks are larger, but behave the same.
fn handlers(library: &Path) -> io::Result<Vec<String>> {
    const PANIC: &str = "17rust_begin_unwind";
    let files = fs::read_dir(library)?.collect::<io::Result<Vec<_>>>()?;
    let std = files.iter().find(|file| {
        file.file_name().to_str().is_some_and(|name| name.starts_with("libstd-") && name.ends_with(".rlib"))
    });
    let std = std.ok_or(ErrorKind::NotFound)?.path();
    let names = symbols(&std)?;
    let panic = names.split('\0').find(|name| name.ends_with(PANIC));
    let Some((panic, crate_)) = panic.and_then(|panic| Some((panic, panic.strip_suffix(PANIC)?))) else {
        return Ok(Vec::new());
    };
    Ok(vec![
        format!("-Clink-arg=--defsym={panic}=hookkit_panicked"),
        format!("-Clink-arg=--defsym={crate_}26___rust_alloc_error_handler=hookkit_out_of_memory"),
    ])
}

/// Returns the names of an archive's defined symbols from its index, each followed by a NUL.
#[expect(clippy::disallowed_methods, reason = "a file of the toolchain")]
fn symbols(archive: &Path) -> io::Result<String> {
    let mut archive = File::open(archive)?;
    let mut head = [0; 68];
    archive.read_exact(&mut head)?;
    let index = str::from_utf8(&head).ok().and_then(|head| head.strip_prefix("!<arch>\n/ "));
    let length = index.and_then(|head| head.get(46..56)?.trim_end().parse().ok());
    let mut index = Vec::new();
    archive.take(length.ok_or(ErrorKind::InvalidData)?).read_to_end(&mut index)?;
    // The symbol count, an offset for each, then the names.
    let names = index
        .split_first_chunk()
        .and_then(|(number, rest)| {
            let offsets = usize::try_from(u32::from_be_bytes(*number)).ok()?.checked_mul(4)?;
            rest.get(offsets..)
        })
        .ok_or(ErrorKind::InvalidData)?;
    String::from_utf8(names.to_vec()).map_err(|_| ErrorKind::InvalidData.into())
}

/// Returns the output of cargo's compiler in `folder`.
fn rustc(folder: &Path, arguments: &[&str]) -> Result<String> {
    let program = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut rustc = installed(program, folder);
    says(rustc.args(arguments).current_dir(folder), format_args!("rustc {arguments:?} failed"))
}

/// Returns `true` if a program starts and succeeds.
fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// Returns `true` if the standard library for a target is installed.
fn is_installed(targets: &Path, target: &str) -> bool {
    targets.join(target).join("lib").is_dir()
}

/// Returns the musl sibling of a Linux target.
fn musl(host: &str) -> Option<String> {
    let (architecture, system) = host.split_once('-')?;
    matches!(system, "unknown-linux-gnu" | "unknown-linux-musl").then(|| format!("{architecture}-unknown-linux-musl"))
}

/// Returns `true` if the C library can be linked statically. In that case, the compiler driver prints the archive's
/// path.
fn has_static_libc() -> bool {
    let output = installed("cc", Path::new("")).arg("-print-file-name=libc.a").output();
    output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim_end()).is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolchain(host: &str, has_musl: bool, has_static_glibc: bool) -> Toolchain {
        Toolchain {
            host: host.to_owned(),
            target: host.to_owned(),
            targets: PathBuf::new(),
            has_musl,
            has_static_glibc,
            has_lld: true,
            handlers: OnceCell::new(),
        }
    }

    #[test]
    fn the_handlers_of_this_toolchain_are_replaced() -> Result<()> {
        let library = rustc(Path::new("."), &["--print", "target-libdir"])?;
        let flags = handlers(Path::new(library.trim_end()))?;
        let ours = ["=hookkit_panicked", "=hookkit_out_of_memory"];
        assert!(flags.len() == 2 && flags.iter().zip(ours).all(|(flag, ours)| flag.ends_with(ours)));
        let folder = test_support::folder();
        assert!(handlers(folder.path()).is_err());
        for text in ["", "!<arch>\n", "!<arch>\n/ "] {
            fs::write(folder.path().join("libstd-1.rlib"), text)?;
            assert!(handlers(folder.path()).is_err());
        }
        Ok(())
    }

    #[test]
    fn the_authors_own_linker_is_used() {
        let toolchain = toolchain("x86_64-unknown-linux-gnu", true, true);
        let lld = "-Clinker=rust-lld".to_owned();
        assert!(toolchain.flags(Link::StaticMusl, false).contains(&lld));
        assert!(!toolchain.flags(Link::StaticMusl, true).contains(&lld));
        assert!(!toolchain.flags(Link::StaticGlibc, false).contains(&lld));
        assert!(toolchain.flags(Link::Dynamic, false).is_empty());
        let script = format!("-Clink-arg=-T{SCRIPT_FILE}");
        assert!(toolchain.flags(Link::StaticMusl, false).contains(&script));
    }

    #[test]
    fn a_named_target_is_built_for() -> Result<()> {
        let targets = test_support::folder();
        let (gnu, musl) = ("x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl");
        for target in [gnu, musl] {
            fs::create_dir_all(targets.path().join(target).join("lib"))?;
        }
        for (named, link, target) in
            [(None, Link::StaticMusl, musl), (Some(gnu), Link::Dynamic, gnu), (Some(musl), Link::StaticMusl, musl)]
        {
            let mut toolchain = toolchain(gnu, true, false);
            toolchain.targets = targets.path().to_owned();
            let toolchain = toolchain.building_for(named)?;
            assert_eq!(
                (
                    toolchain.best(),
                    &*toolchain.target(link),
                    toolchain.missing_target().map(|missing| missing.advice())
                ),
                (link, target, None)
            );
        }
        let other = toolchain(gnu, true, false).building_for(Some("riscv64gc-unknown-linux-gnu"));
        assert_eq!(
            other.err().map(|err| err.to_string()).as_deref(),
            Some(
                "there is no standard library for riscv64gc-unknown-linux-gnu here; install it: \
                 rustup target add riscv64gc-unknown-linux-gnu"
            )
        );
        Ok(())
    }

    #[test]
    fn the_fastest_link_type_is_used() {
        let linux = "x86_64-unknown-linux-gnu";
        for (toolchain, link, target, is_advised) in [
            (toolchain(linux, true, false), Link::StaticMusl, "x86_64-unknown-linux-musl", false),
            (toolchain(linux, false, true), Link::StaticGlibc, linux, true),
            (toolchain(linux, false, false), Link::Dynamic, linux, true),
            (toolchain("aarch64-apple-darwin", false, false), Link::Dynamic, "aarch64-apple-darwin", false),
        ] {
            assert_eq!(toolchain.best(), link);
            assert_eq!(toolchain.target(link), target);
            assert_eq!(toolchain.missing_target().is_some(), is_advised);
        }
    }
}
