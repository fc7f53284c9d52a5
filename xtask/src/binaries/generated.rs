//! Generated packages and their builds.
//!
//! The generated packages are in `target/hookkit`:
//!
//! - A *lister* is linked with packs and their lists of hooks. It prints the definitions of all packs, or of one.
//! - The *launchers* are one binary per hook, each with one line of code, in one package per pack.
//! - The *program* has several hooks in one binary, for a plugin.
//! - A package without code finds the author's flags for rustc.
//!
//! Each of them is its own workspace, because listers build the packs in another profile. In that profile, each
//! launcher would contain all hooks of its pack.

#![expect(clippy::disallowed_methods, reason = "the files are in the target folder")]

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::IsTerminal;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use hookkit_protocol::agents::Agent;

use crate::binaries::definition::Definition;
use crate::binaries::link::{self, Link, Toolchain};
use crate::binaries::manifests::{PACKAGE, PARTS, PROFILE, Part, SOURCES, below_link, head, part_file, part_of_all};
use crate::binaries::messages::{Artifact, BuildScript, compiler_messages};
use crate::binaries::overrides::launcher;
use crate::binaries::recording::Recording;
use crate::cargo::command::cargo;
use crate::cargo::lockfile::Package;
use crate::cargo::metadata::HOOKKIT;
use crate::cargo::packs::Pack;
use crate::cargo::pin;
use crate::cargo::workspace::Workspace;
use crate::disk::files;
use crate::disk::lock::Lock;
use crate::terminal::progress::Progress;
use crate::terminal::{self, counted, joined, listed, stream};

/// The folder of the generated packages, and the options of their builds.
pub(crate) struct Build<'w> {
    pub(crate) workspace: &'w Workspace,
    pub(crate) folder: PathBuf,
    pub(crate) link: Link,
    pub(crate) toolchain: Toolchain,
    /// The record and the audit of the hooks' runs, if requested.
    pub(crate) recording: Option<Recording>,
    /// The agent that the hooks answer, if it is not Claude Code.
    pub(crate) agent: Option<&'static Agent>,
    /// `true` unless the packs are only inspected, before the workspace has them.
    pub(crate) is_in_use: bool,
    /// The author's flags for rustc, from the environment and the configuration.
    author_flags: Vec<String>,
    /// `true` if the author configures a linker.
    has_linker: bool,
    /// `true` if the dependencies of packs and hookkit are not compiled yet.
    is_first: bool,
    /// Lock on the folder, because all runs share the packages and their binaries' names.
    _lock: Lock,
}

/// Maximum wait for another build.
const LIMIT: Duration = Duration::from_secs(600);

/// A binary of a generated workspace.
pub(crate) struct Binary {
    /// The package that contains the binary.
    pub(crate) part: String,
    pub(crate) name: String,
}

impl<'w> Build<'w> {
    /// Prepares builds for this machine.
    pub(crate) fn new(workspace: &'w Workspace) -> Result<Self> {
        let toolchain = Toolchain::find(&workspace.cwd)?;
        Self::with(workspace, toolchain.best(), toolchain)
    }

    pub(crate) fn with(workspace: &'w Workspace, link: Link, toolchain: Toolchain) -> Result<Self> {
        workspace.warn_unnamed();
        ensure!(
            !workspace.packs.is_empty(),
            "no crate of the workspace {} has hooks: a pack is a library crate that depends on hookkit\n\
             To use a third-party pack: cargo xtask add PACKAGE",
            workspace.root.display()
        );
        let folder = workspace.generated.clone();
        let mut build = Self {
            workspace,
            link,
            toolchain,
            recording: None,
            agent: None,
            is_in_use: true,
            author_flags: Vec::new(),
            has_linker: false,
            is_first: is_first(&workspace.built),
            _lock: Lock::take(&folder, LIMIT)?,
            folder,
        };
        (build.author_flags, build.has_linker) = build.author_settings()?;
        Ok(build)
    }

    /// Returns the link type of a hook.
    pub(crate) fn link(&self, hook: &Definition) -> Link {
        let is_dynamic = |hook: &Definition| self.workspace.settings.dynamic.contains(&hook.declared.name);
        if is_dynamic(hook) || hook.members.iter().any(is_dynamic) { Link::Dynamic } else { self.link }
    }

    /// Finds the author's flags for rustc, from the environment and the configuration, and whether a linker is configured.
    ///
    /// cargo reads flags from a single source, so hookkit's flags in the environment would hide all others. A build
    /// script gets the active flags from any source. The script depends on a file that never exists, so cargo runs it
    /// each time, and a newly configured linker is seen.
    fn author_settings(&self) -> Result<(Vec<String>, bool)> {
        const SCRIPT: &str = r#"fn main() {
    println!("cargo::rerun-if-changed=never");
    for name in ["CARGO_ENCODED_RUSTFLAGS", "RUSTC_LINKER"] {
        println!("cargo::rustc-env={name}={}", std::env::var(name).unwrap_or_default());
    }
}
"#;
        self.write("hookkit-flags/src/lib.rs", "")?;
        self.write("hookkit-flags/build.rs", SCRIPT)?;
        self.write("hookkit-flags/Cargo.toml", &format!("{}name = \"hookkit-flags\"\n", head(self.workspace)))?;
        const LOCK: &str = "version = 4\n\n[[package]]\nname = \"hookkit-flags\"\nversion = \"0.0.0\"\n";
        self.write("hookkit-flags/Cargo.lock", LOCK)?;
        let run = self.run_cargo(FLAGS, self.link, "", &[], &BTreeSet::new())?;
        ensure!(run.is_done, "cargo could not build here; see above");
        let script = run.messages.lines().find_map(|line| serde_json::from_str::<BuildScript>(line).ok());
        let script = script.context("cargo does not report rustc's flags")?;
        let variable = |name| script.env.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value);
        let flags = variable("CARGO_ENCODED_RUSTFLAGS").split('\x1f');
        let flags = flags.filter(|flag| !flag.is_empty()).map(str::to_owned);
        Ok((flags.collect(), !variable("RUSTC_LINKER").is_empty()))
    }

    /// Writes the manifests of a workspace, and pins the versions from the author's Cargo.lock.
    ///
    /// The workspace's root depends on all packs and all parts, and is never built. cargo builds one part, with only
    /// the packs of that part. The parts are not members, so all crates have the root's features, and the bytes of a
    /// hook do not depend on the other packs that are compiled.
    pub(crate) fn manifests(&self, name: &str, tables: &str, parts: &[Part<'_>]) -> Result<()> {
        let mut others = String::new();
        for part in parts {
            let mut text = format!("{PACKAGE}name = {:?}\n\n[dependencies]\n", part.name);
            text += &self.dependencies(part.packs.iter().copied());
            if self.workspace.is_self_contained {
                text = below_link(&text, &self.workspace.root, &format!("../../{SOURCES}"))?;
            }
            self.write(&part_file(name, &part.name, "Cargo.toml"), &text)?;
            // cargo ignores a dependency without a library.
            self.write(&part_file(name, &part.name, "src/lib.rs"), "")?;
            others += &format!("{0} = {{ path = \"{PARTS}/{0}\" }}\n", part.name);
        }
        self.write(&format!("{name}/src/lib.rs"), "")?;
        self.manifest(name, tables, self.workspace.packs.iter(), &others)
    }

    /// Writes the root manifest with these packs and other dependencies, and pins the versions from the author's
    /// Cargo.lock.
    pub(crate) fn manifest<'p>(
        &self,
        name: &str,
        tables: &str,
        packs: impl Iterator<Item = &'p Pack>,
        others: &str,
    ) -> Result<()> {
        let mut text = format!("{}name = {name:?}\n{tables}\n[dependencies]\n", head(self.workspace));
        text += &self.dependencies(packs);
        text += others;
        let patches = &self.workspace.patches;
        if !patches.is_empty() {
            text += &format!("\n{patches}");
        }
        if self.workspace.is_self_contained {
            self.link_sources(name)?;
            text = below_link(&text, &self.workspace.root, SOURCES)?;
        }
        self.write(&format!("{name}/Cargo.toml"), &text)?;
        self.write(&format!("{name}/{}", link::SCRIPT_FILE), link::SCRIPT)?;
        pin::pin(&self.folder.join(name), self.workspace)
    }

    /// Returns the dependencies of a package that links packs.
    fn dependencies<'p>(&self, packs: impl Iterator<Item = &'p Pack>) -> String {
        let hookkit = &self.workspace.hookkit;
        let mut features = vec!["launcher"];
        features.extend(self.recording.iter().flat_map(Recording::features));
        features.extend(self.agent.map(|_| "agent"));
        let mut text = format!("hookkit = {{ {hookkit}, features = {features:?} }}\n");
        text.extend(packs.map(Pack::dependency));
        text
    }

    /// Links a generated workspace to the author's workspace.
    fn link_sources(&self, name: &str) -> Result<()> {
        let (link, root) = (self.folder.join(name).join(SOURCES), &self.workspace.root);
        if !fs::read_link(&link).is_ok_and(|present| present == *root) {
            files::create(&self.folder.join(name))?;
            files::remove(&link)?;
            symlink(root, &link).with_context(|| format!("creating {}", link.display()))?;
        }
        Ok(())
    }

    /// Writes a generated file, unless it is unchanged, so that cargo does not rebuild it.
    pub(crate) fn write(&self, file: &str, text: &str) -> Result<()> {
        let path = self.folder.join(file);
        if fs::read(&path).is_ok_and(|present| present == text.as_bytes()) {
            return Ok(());
        }
        files::create(path.parent().unwrap_or(Path::new("/")))?;
        files::write(&path, text)
    }

    /// Builds `binaries` in one of the workspaces, or its root if there are none. Returns the binaries' paths by name.
    ///
    /// The hooks of the `launched` packages are linked into their own binaries. All other packages are compiled as for
    /// the lister.
    pub(crate) fn cargo(
        &self,
        package: &str,
        link: Link,
        binaries: &[Binary],
        launched: &BTreeSet<&str>,
    ) -> Result<HashMap<String, PathBuf>> {
        let remaps = self.remaps()?;
        // The lister runs on this machine, but the author's flags are for the hooks' platform.
        let is_host_only = package == LISTER && self.toolchain.is_for_elsewhere();
        let author = self.author_flags.iter().map(String::as_str).filter(|_| !is_host_only);
        let links = self.has_linker || self.author_flags.iter().any(|flag| flag.contains("link"));
        let ours = self.toolchain.flags(link, links);
        let flags = joined(author.chain(ours.iter().chain(&remaps).map(String::as_str)), "\x1f");
        let run = self.run_cargo(package, link, &flags, binaries, launched)?;
        if package == LISTER {
            // Other builds would repeat the same warnings.
            compiler_messages(&run.messages)
                .filter(|compiled| compiled.message.level == "warning")
                .for_each(|compiled| terminal::inform_all(of_sources(&compiled.message.rendered)));
        }
        if !run.is_done {
            return Err(self.failure(link, &run.messages));
        }
        Ok(run
            .messages
            .lines()
            .filter_map(|line| serde_json::from_str::<Artifact>(line).ok())
            .map(|artifact| (artifact.target.name, artifact.executable))
            .collect())
    }

    /// Returns the flags that remap paths in a binary. Without the author's folders, the binary is the same on all
    /// machines.
    ///
    /// Paths outside of the workspace become relative to it, as in its Cargo.toml. The flags do not depend on the
    /// packs: with a different flag, cargo would rebuild everything.
    fn remaps(&self) -> Result<Vec<String>> {
        let Workspace { cwd, built, .. } = self.workspace;
        let mut remaps = Vec::new();
        // The last match wins.
        let ancestors: Vec<&Path> = cwd.ancestors().filter(|folder| folder.parent().is_some()).collect();
        for (above, folder) in ancestors.iter().enumerate().rev() {
            remaps.push((folder.to_path_buf(), "../".repeat(above)));
        }
        let of_user = || Some(std::env::home_dir()?.join(".cargo"));
        if let Some(home) = files::of_variable("CARGO_HOME").or_else(of_user) {
            let home = cwd.join(home);
            remaps.push((home.join("registry/src"), String::new()));
            remaps.push((home.join("git/checkouts"), String::new()));
        }
        remaps.push((built.clone(), "target/".to_owned()));
        remaps.push((PathBuf::from(SOURCES), String::new()));
        let flag =
            |(folder, name): (PathBuf, String)| Ok(format!("--remap-path-prefix={}/={name}", files::utf8(&folder)?));
        remaps.into_iter().map(flag).collect()
    }

    /// Returns the error of a failed build. rustc's messages about a launcher are hidden, because it is generated code.
    fn failure(&self, link: Link, messages: &str) -> anyhow::Error {
        let (mut unreachable, mut refused) = (String::new(), BTreeSet::new());
        let mut broken = BTreeSet::new();
        let mut links = true;
        for compiled in compiler_messages(messages).filter(|compiled| compiled.message.level == "error") {
            let message = &compiled.message;
            if let Some(refusal) = launcher::refusal(&message.message, &message.spans) {
                refused.insert(refusal);
                continue;
            }
            match (compiled.target.name.strip_prefix(BINARY_PREFIX), &message.code) {
                (Some(hook), Some(_)) => {
                    unreachable += &format!("\n  {hook}: {}", message.message);
                    continue;
                }
                _ if message.message.starts_with("linking with ") => links = false,
                // rustc's error count is also inserted here.
                _ => drop(broken.insert(compiled.package().to_owned())),
            }
            terminal::inform_all(of_sources(&message.rendered));
        }
        if !refused.is_empty() {
            return anyhow!("{}", Vec::from_iter(refused).join("\n"));
        }
        if !unreachable.is_empty() {
            return anyhow!(
                "these hooks are not visible outside of their crate, but their binaries are built \
                 there:{unreachable}\nMake each module of their paths `pub mod`, or move the hooks into a public one."
            );
        }
        if !broken.is_empty() {
            let verb = if broken.len() == 1 { "does" } else { "do" };
            let foreign = self
                .workspace
                .packs
                .iter()
                .find(|pack| self.is_in_use && pack.is_foreign && broken.contains(&pack.package))
                .map(|pack| {
                    let package = &pack.package;
                    format!("\nTo continue without it, remove `{package}` from `packs` in [workspace.metadata.hookkit]")
                });
            return anyhow!(
                "{} {verb} not build; see above. Installed hooks are unchanged{}",
                listed(&broken),
                foreign.unwrap_or_default()
            );
        }
        if links || link == Link::Dynamic {
            return anyhow!("the hooks do not build; see above");
        }
        anyhow!(
            "the hooks cannot be linked ({link}); see above\n\
             If a dependency cannot be linked this way, name the hook in the workspace's Cargo.toml:\n\
             [workspace.metadata.hookkit] dynamic = [\"…\"]"
        )
    }

    /// Returns the platform for which a package is built.
    fn triple(&self, package: &str, link: Link) -> String {
        match package {
            LISTER if self.toolchain.is_for_elsewhere() => self.toolchain.host.clone(),
            _ => self.toolchain.target(link),
        }
    }

    /// Returns `packs`, and their dependencies that may have hooks.
    pub(crate) fn with_hooks<'a>(&'a self, packs: BTreeSet<&'a str>) -> BTreeSet<&'a str> {
        let Some(lock) = &self.workspace.lock else {
            return packs;
        };
        let mut packages = packs.clone();
        for hookkit in lock.named(HOOKKIT) {
            let own = lock.closure(hookkit);
            let needed: BTreeSet<&Package> =
                packs.iter().flat_map(|pack| lock.named(pack)).flat_map(|pack| lock.closure(pack)).collect();
            let others = lock.dependents(hookkit).filter(|package| needed.contains(package) && !own.contains(package));
            packages.extend(others.map(|package| package.name.as_str()));
        }
        packages
    }

    /// Builds or checks a package.
    ///
    /// cargo runs in the author's root, so that the author's configuration is used.
    fn run_cargo(
        &self,
        package: &str,
        link: Link,
        flags: &str,
        binaries: &[Binary],
        launched: &BTreeSet<&str>,
    ) -> Result<Run> {
        let what = match package {
            FLAGS => "check",
            PROGRAM if self.toolchain.needs_zig()? => "zigbuild",
            _ => "build",
        };
        let is_terminal = std::io::stderr().is_terminal();
        let format = if stream::has_colours() { "json-diagnostic-rendered-ansi" } else { "json" };
        let mut command = cargo();
        command
            .current_dir(&self.workspace.cwd)
            .args([what, "--locked", "--message-format", format])
            .arg("--manifest-path")
            .arg(self.folder.join(package).join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&self.workspace.built)
            .args(PROFILE.iter().flat_map(|key| ["--config".to_owned(), format!("profile.dev.{key}")]))
            .args(["--target", &self.triple(package, link)])
            .stderr(Stdio::inherit());
        if package != FLAGS {
            command.env("CARGO_ENCODED_RUSTFLAGS", flags);
            let packs = self.workspace.packs.iter().map(|pack| pack.package.as_str());
            for name in self.with_hooks(packs.collect()) {
                // cargo warns about a package that is not in Cargo.lock.
                if package == PROGRAM && !launched.contains(name) {
                    continue;
                }
                // With debug assertions, a pack collects its hooks: the lister needs this, but a launcher would contain
                // them all.
                let profile: &[&str] = if launched.contains(name) {
                    &["debug-assertions=false"]
                } else {
                    &["debug-assertions=true", "opt-level=0"]
                };
                let keys = profile.iter().map(|key| format!("profile.dev.package.{name}.{key}"));
                command.args(keys.flat_map(|key| ["--config".to_owned(), key]));
            }
        }
        let parts: BTreeSet<&str> = binaries.iter().map(|binary| binary.part.as_str()).collect();
        command.args(parts.iter().flat_map(|part| ["--package", part]));
        command.args(binaries.iter().flat_map(|binary| ["--bin", &binary.name]));
        if package == PROGRAM {
            // Linkers for Windows write the build time into a program, or the value of this variable.
            command.env("SOURCE_DATE_EPOCH", "0");
            // The first macOS for ARM; zig defaults to a recent version.
            command.env("MACOSX_DEPLOYMENT_TARGET", "11.0");
        }
        // cargo shows its progress on a terminal, and is quiet in a pipe.
        if package == FLAGS || !is_terminal {
            command.arg("--quiet");
        }
        if package == LAUNCHERS {
            // All hooks that are not public are reported at once.
            command.arg("--keep-going");
            if !is_terminal {
                command.stderr(Stdio::piped());
            }
        }
        // On a terminal cargo shows its own progress.
        let _progress = (!is_terminal).then(|| Progress::new("Building", self.work(package, binaries)));
        let output = command.output().context("cargo could not be run")?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        for line in stderr.lines().filter(|line| !line.contains(LAUNCHERS)) {
            terminal::inform_all(format_args!("{line}\n"));
        }
        Ok(Run { is_done: output.status.success(), messages: String::from_utf8(output.stdout)? })
    }

    /// Describes a build, on one line.
    fn work(&self, package: &str, binaries: &[Binary]) -> String {
        let all = part_of_all(LISTER);
        let parts: BTreeSet<&String> = binaries.iter().map(|binary| &binary.part).collect();
        let packs = if parts.is_empty() || parts.contains(&all) { self.workspace.packs.len() } else { parts.len() };
        let packs = counted(packs, "pack");
        let what = match package {
            LAUNCHERS => format!("{} of {packs}", counted(binaries.len(), "hook")),
            PROGRAM => format!("the program for {}", self.toolchain.target(self.link)),
            _ => format!("the hooks of {packs}"),
        };
        if self.is_first { format!("{what} (first build: about a minute)") } else { what }
    }
}

/// Returns rustc's message with the author's own paths.
fn of_sources(message: &str) -> String {
    message.replace(&format!("{SOURCES}/"), "")
}

/// Returns `true` if the target folder has no built hooks yet. xtask itself is always built there first, because it
/// belongs to the author.
fn is_first(target: &Path) -> bool {
    !target.join("hookkit").join(LISTER).exists()
}

/// The result of running cargo.
struct Run {
    is_done: bool,
    /// Output of cargo, one JSON object per line.
    messages: String,
}

pub(crate) const LISTER: &str = "hookkit-lister";
pub(crate) const LAUNCHERS: &str = "hookkit-launchers";
pub(crate) const PROGRAM: &str = "hookkit-program";
const FLAGS: &str = "hookkit-flags";

/// The prefix of binary names: without it, cargo refuses names such as `build` and `test`.
const BINARY_PREFIX: &str = "hook-";

/// Returns the name of a hook's binary for cargo.
pub(crate) fn binary_name(hook: &Definition) -> String {
    format!("{BINARY_PREFIX}{}", hook.target_name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_build_is_that_of_hooks_and_not_of_xtask() {
        let target = test_support::folder();
        fs::create_dir_all(target.path().join("debug")).unwrap();
        assert!(is_first(target.path()));
        fs::create_dir_all(target.path().join("hookkit").join(LISTER)).unwrap();
        assert!(!is_first(target.path()));
    }
}
