//! Generated packages, and how cargo builds them.
//!
//! They are below `target/hookkit`: the *lister*, linked with every pack and its list of hooks,
//! prints the definitions; the *launchers* have one binary a hook, of one line each; a third one, without code, finds out
//! which flags the author gives to rustc.
//! They are workspaces of their own: the lister's packs are built in another profile, with which each launcher would carry
//! every hook of its pack.

#![expect(clippy::disallowed_methods, reason = "the files are those of the target folder")]

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use serde::Deserialize;

use crate::build::definition::Definition;
use crate::build::link::{self, Link, Toolchain};
use crate::build::overrides::launcher::{self, Spot};
use crate::cargo::command::cargo;
use crate::cargo::lockfile::Package;
use crate::cargo::metadata::HOOKKIT;
use crate::cargo::packs::Pack;
use crate::cargo::pin;
use crate::cargo::workspace::Workspace;
use crate::disk::lock::Lock;
use crate::terminal::progress::Progress;
use crate::terminal::{self, counted, listed, stream};

/// Where the generated packages are, and how they are built.
pub(crate) struct Build<'w> {
    pub(crate) workspace: &'w Workspace,
    folder: PathBuf,
    pub(crate) link: Link,
    pub(crate) toolchain: &'w Toolchain,
    author: Author,
    /// Set if what packs and hookkit depend on is still to be compiled.
    is_first: bool,
    /// The packages are the same for all runs, and so are the names of what they become.
    _lock: Lock,
}

/// What the author's environment and configuration say of rustc.
#[derive(Debug, Default)]
struct Author {
    flags: Vec<String>,
    has_linker: bool,
}

impl Author {
    /// Whether they say anything of the linker.
    fn links(&self) -> bool {
        self.has_linker || self.flags.iter().any(|flag| flag.contains("link"))
    }
}

/// How long another build is waited for.
const LIMIT: Duration = Duration::from_secs(600);

/// The profile of hooks. It is in each manifest and, since the author's configuration comes before that, on the command
/// line.
///
/// It is `dev` in the author's target folder, so that proc macros and what they need are built once for xtask, for the
/// hooks and for the author's tests.
/// A hook is small and starts often; optimizing across crates costs seconds of each build and buys next to nothing.
const PROFILE: [&str; 9] = [
    "opt-level = 's'",
    "codegen-units = 1",
    "debug = false",
    "debug-assertions = false",
    "incremental = false",
    "lto = false",
    "overflow-checks = false",
    "panic = 'abort'",
    "strip = true",
];

/// The profile of proc macros and build scripts: what they have in a `dev` without debug information.
const HOST_PROFILE: &str = "debug-assertions = true\noverflow-checks = true\nstrip = 'debuginfo'";

/// The beginning of a generated manifest, up to the package's name.
fn head() -> String {
    format!(
        "# Written by `cargo xtask`; changes are lost.\n\
         [workspace]\n\n\
         [profile.dev]\n{}\n\n\
         [profile.dev.build-override]\n{HOST_PROFILE}\n\n\
         [package]\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n",
        PROFILE.join("\n")
    )
}

/// How far a package is optimized, for a manifest.
pub(crate) fn optimized(package: &str, level: u8) -> String {
    format!("\n[profile.dev.package.{package:?}]\nopt-level = {level}\n")
}

/// The crates on the way that every call of every hook goes, optimized as far as rustc can, for a manifest. The lister
/// has no use for their speed, and takes the launchers' build of them.
pub(crate) fn fast() -> String {
    optimized(HOOKKIT, 3) + &optimized("hookkit-json", 3)
}

impl<'w> Build<'w> {
    pub(crate) fn new(workspace: &'w Workspace, link: Link, toolchain: &'w Toolchain) -> Result<Self> {
        workspace.tell_unnamed();
        ensure!(
            !workspace.packs.is_empty(),
            "no crate of the workspace {} has hooks: a pack is a library crate that depends on hookkit\n\
             To take one from elsewhere: cargo xtask add PACKAGE",
            workspace.root.display()
        );
        let folder = workspace.generated.clone();
        let mut build = Self {
            workspace,
            link,
            toolchain,
            author: Author::default(),
            is_first: is_first(&workspace.built),
            _lock: Lock::take(&folder, LIMIT)?,
            folder,
        };
        build.author = build.ask_the_author()?;
        Ok(build)
    }

    /// How a hook is linked.
    pub(crate) fn link(&self, hook: &Definition) -> Link {
        if self.workspace.settings.dynamic.contains(&hook.declared.name) {
            return Link::Dynamic;
        }
        self.link
    }

    /// What the author's environment and configuration give to rustc.
    ///
    /// cargo takes flags from one place only, and ours in the environment would hide all others. A build script is told
    /// which ones hold, wherever they come from. It looks at a file that never is, so that cargo runs it each time: of a
    /// linker that was configured meanwhile it would not know otherwise.
    fn ask_the_author(&self) -> Result<Author> {
        const SCRIPT: &str = r#"fn main() {
    println!("cargo::rerun-if-changed=never");
    for name in ["CARGO_ENCODED_RUSTFLAGS", "RUSTC_LINKER"] {
        println!("cargo::rustc-env={name}={}", std::env::var(name).unwrap_or_default());
    }
}
"#;
        self.write("hookkit-flags/src/lib.rs", "")?;
        self.write("hookkit-flags/build.rs", SCRIPT)?;
        self.write(
            "hookkit-flags/Cargo.toml",
            &format!("{}name = \"hookkit-flags\"\n", head()),
        )?;
        const LOCK: &str = "version = 4\n\n[[package]]\nname = \"hookkit-flags\"\nversion = \"0.0.0\"\n";
        self.write("hookkit-flags/Cargo.lock", LOCK)?;
        let run = self.run_cargo("check", FLAGS, self.link, None, &[])?;
        ensure!(run.is_done, "cargo does not build here; see above");
        let mut executed = run
            .messages
            .lines()
            .filter_map(|line| serde_json::from_str::<BuildScript>(line).ok());
        let executed = executed.next().context("cargo does not say what it gives to rustc")?;
        let told: HashMap<String, String> = executed.env.into_iter().collect();
        let told = |name: &str| told.get(name).map(String::as_str).unwrap_or_default();
        let flags = told("CARGO_ENCODED_RUSTFLAGS").split('\x1f');
        Ok(Author {
            flags: flags.filter(|flag| !flag.is_empty()).map(str::to_owned).collect(),
            has_linker: !told("RUSTC_LINKER").is_empty(),
        })
    }

    /// Writes a package's manifest, and lets it use the versions that the author's Cargo.lock names.
    pub(crate) fn manifest(&self, name: &str, tables: &str) -> Result<()> {
        let Workspace {
            hookkit,
            patches,
            packs,
            ..
        } = self.workspace;
        let mut text = format!("{}name = {name:?}\n{tables}\n[dependencies]\n", head());
        text += &format!("hookkit = {{ {hookkit}, features = [\"launcher\"] }}\n");
        text.extend(packs.iter().map(Pack::dependency));
        if !patches.is_empty() {
            text += &format!("\n{patches}");
        }
        self.write(&format!("{name}/Cargo.toml"), &text)?;
        self.write(&format!("{name}/{}", link::SCRIPT_FILE), link::SCRIPT)?;
        pin::pin(&self.folder.join(name), self.workspace)
    }

    /// Writes a generated file. What has not changed is not written, so that cargo does not build it again.
    pub(crate) fn write(&self, file: &str, text: &str) -> Result<()> {
        let path = self.folder.join(file);
        if fs::read(&path).is_ok_and(|present| present == text.as_bytes()) {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
    }

    /// Builds `targets`, or everything, of one of the packages; the binaries that cargo names, by target.
    pub(crate) fn cargo(&self, package: &str, link: Link, targets: &[String]) -> Result<HashMap<String, PathBuf>> {
        let remaps = self.remaps()?;
        // The lister runs here, and the author's flags are for where the hooks do.
        let is_host_only = package == LISTER && self.toolchain.is_for_elsewhere();
        let author = self.author.flags.iter().map(String::as_str).filter(|_| !is_host_only);
        let mut flags: Vec<&str> = author.collect();
        flags.extend(self.toolchain.flags(link, self.author.links()));
        flags.extend(remaps.iter().map(String::as_str));
        let run = self.run_cargo("build", package, link, Some(&flags.join("\x1f")), targets)?;
        if package != LAUNCHERS {
            // Of the launchers' build it would be the same once more.
            let warnings = compiler_messages(&run.messages).filter(|said| said.message.level == "warning");
            warnings.for_each(|said| terminal::tell_all(said.message.rendered));
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

    /// How rustc names files in a binary: without the author's folders, so that it is the same wherever it is built.
    ///
    /// What is outside of the workspace is named from there, as its Cargo.toml does. None of it depends on the packs: with
    /// another flag, cargo builds everything anew.
    fn remaps(&self) -> Result<Vec<String>> {
        let Workspace { cwd, built, .. } = self.workspace;
        let mut remaps = Vec::new();
        // The last one that fits holds.
        let ancestors: Vec<&Path> = cwd.ancestors().filter(|folder| folder.parent().is_some()).collect();
        for (above, folder) in ancestors.iter().enumerate().rev() {
            remaps.push((folder.to_path_buf(), "../".repeat(above)));
        }
        if let Some(home) = cargo_home() {
            let home = cwd.join(home);
            remaps.push((home.join("registry/src"), String::new()));
            remaps.push((home.join("git/checkouts"), String::new()));
        }
        remaps.push((built.clone(), "target/".to_owned()));
        let flag = |(folder, name): (PathBuf, String)| {
            let folder = folder
                .to_str()
                .with_context(|| format!("{} is not UTF-8", folder.display()))?;
            Ok(format!("--remap-path-prefix={folder}/={name}"))
        };
        remaps.into_iter().map(flag).collect()
    }

    /// Why a build failed. What rustc said of a launcher is not the author's to read: its code is ours.
    fn failure(&self, link: Link, messages: &str) -> anyhow::Error {
        let (mut unreachable, mut refused) = (String::new(), BTreeSet::new());
        let mut broken = BTreeSet::new();
        let mut links = true;
        for said in compiler_messages(messages).filter(|said| said.message.level == "error") {
            let message = &said.message;
            if let Some(refusal) = launcher::refusal(&message.message, &message.spans) {
                refused.insert(refusal);
                continue;
            }
            match (said.target.name.strip_prefix(BINARY_PREFIX), &message.code) {
                (Some(hook), Some(_)) => {
                    unreachable += &format!("\n  {hook}: {}", message.message);
                    continue;
                }
                _ if message.message.starts_with("linking with ") => links = false,
                // rustc counts its errors in another one.
                _ => drop(broken.insert(said.package().to_owned())),
            }
            terminal::tell_all(&message.rendered);
        }
        if !refused.is_empty() {
            return anyhow!("{}", Vec::from_iter(refused).join("\n"));
        }
        if !unreachable.is_empty() {
            return anyhow!(
                "these hooks cannot be named from outside of their crate, where their binaries are built:{unreachable}\n\
                 Make each module on the way to them `pub mod`, or move them into one that is."
            );
        }
        if !broken.is_empty() {
            let verb = if broken.len() == 1 { "does" } else { "do" };
            let is_foreign = |pack: &&Pack| pack.is_foreign && broken.contains(&pack.package);
            let foreign = self.workspace.packs.iter().find(is_foreign).map(|pack| {
                let package = &pack.package;
                format!("\nTo go on without it: cargo xtask remove {package}")
            });
            return anyhow!(
                "{} {verb} not build; see above. What is installed stays as it is{}",
                listed(&broken),
                foreign.unwrap_or_default()
            );
        }
        if links || link == Link::Dynamic {
            return anyhow!("the hooks do not build; see above");
        }
        anyhow!(
            "the hooks cannot be linked {link}; see above\n\
             Where a dependency cannot be linked so, name the hook in the workspace's Cargo.toml:\n\
             [workspace.metadata.hookkit] dynamic = [\"…\"]"
        )
    }

    /// The platform that a package is built for.
    fn triple(&self, package: &str, link: Link) -> String {
        match package {
            LISTER if self.toolchain.is_for_elsewhere() => self.toolchain.host().to_owned(),
            _ => self.toolchain.target(link),
        }
    }

    /// The packs, and the packages that they need and that may have hooks, too. `__register` collects those that are built
    /// with debug assertions.
    pub(crate) fn with_hooks(&self) -> BTreeSet<&str> {
        let packs = || self.workspace.packs.iter().map(|pack| pack.package.as_str());
        let mut packages: BTreeSet<&str> = packs().collect();
        let Some(lock) = &self.workspace.lock else {
            return packages;
        };
        for hookkit in lock.named(HOOKKIT) {
            let own = lock.closure(hookkit);
            let needed: BTreeSet<&Package> = packs()
                .flat_map(|pack| lock.named(pack))
                .flat_map(|pack| lock.closure(pack))
                .collect();
            let others = lock
                .dependents(hookkit)
                .filter(|package| needed.contains(package) && !own.contains(package));
            packages.extend(others.map(|package| package.name.as_str()));
        }
        packages
    }

    /// Builds or checks a package.
    ///
    /// cargo runs in the author's root, so that the author's configuration holds.
    fn run_cargo(&self, what: &str, package: &str, link: Link, flags: Option<&str>, targets: &[String]) -> Result<Run> {
        let is_terminal = std::io::stderr().is_terminal();
        let format = if stream::has_colours() {
            "json-diagnostic-rendered-ansi"
        } else {
            "json"
        };
        let mut command = cargo();
        command
            .current_dir(&self.workspace.cwd)
            .args([what, "--locked", "--message-format", format])
            .arg("--manifest-path")
            .arg(self.folder.join(package).join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&self.workspace.built)
            .args(
                PROFILE
                    .iter()
                    .flat_map(|key| ["--config".to_owned(), format!("profile.dev.{key}")]),
            )
            .args(["--target", &self.triple(package, link)])
            .stderr(Stdio::inherit());
        if package != FLAGS {
            // Without them the lister lists nothing, and with them a launcher carries all hooks.
            for name in self.with_hooks() {
                let key = format!("profile.dev.package.{name}.debug-assertions={}", package == LISTER);
                command.args(["--config", &key]);
            }
        }
        for target in targets {
            command.args(["--bin", target]);
        }
        if let Some(flags) = flags {
            command.env("CARGO_ENCODED_RUSTFLAGS", flags);
        }
        // On a terminal cargo shows its progress, and in a pipe it would fill it.
        if flags.is_none() || !is_terminal {
            command.arg("--quiet");
        }
        if package == LAUNCHERS {
            // All that cannot be named is told at once.
            command.arg("--keep-going");
            if !is_terminal {
                command.stderr(Stdio::piped());
            }
        }
        // On a terminal cargo shows its own.
        let _progress = (!is_terminal).then(|| Progress::new("Building", self.work(package, targets.len())));
        let output = command.output().context("cargo could not be run")?;
        let said = String::from_utf8_lossy(&output.stderr);
        for line in said.lines().filter(|line| !line.contains(LAUNCHERS)) {
            terminal::tell_all(format_args!("{line}\n"));
        }
        Ok(Run {
            is_done: output.status.success(),
            messages: String::from_utf8(output.stdout)?,
        })
    }
}

impl Build<'_> {
    /// Says what a build is of, in one line for all of a run.
    fn work(&self, package: &str, hooks: usize) -> String {
        let packs = counted(self.workspace.packs.len(), "pack");
        let what = match package {
            LAUNCHERS => format!("{} of {packs}", counted(hooks, "hook")),
            _ => format!("the hooks of {packs}"),
        };
        match self.is_first {
            true => format!("{what} (first build: about a minute)"),
            false => what,
        }
    }
}

/// Returns whether no hooks were built in a target folder. It is the author's own: xtask itself is built there before.
fn is_first(target: &Path) -> bool {
    !target.join("hookkit").join(LISTER).exists()
}

/// Where cargo keeps the sources of packages from elsewhere.
fn cargo_home() -> Option<PathBuf> {
    let named = std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty());
    named
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

/// What came of a run of cargo.
struct Run {
    is_done: bool,
    /// What cargo said, a JSON object a line.
    messages: String,
}

pub(crate) const LISTER: &str = "hookkit-lister";
pub(crate) const LAUNCHERS: &str = "hookkit-launchers";
const FLAGS: &str = "hookkit-flags";

/// Keeps a hook called `build` or `test` from being refused by cargo.
const BINARY_PREFIX: &str = "hook-";

/// The binary's name for cargo.
pub(crate) fn binary_name(hook: &Definition) -> String {
    format!("{BINARY_PREFIX}{}", hook.target_name())
}

/// What rustc says of a target, through cargo.
#[derive(Deserialize)]
struct CompilerMessage {
    package_id: String,
    target: Target,
    message: Diagnostic,
}

impl CompilerMessage {
    /// The package's name. Its id is `SOURCE#NAME@VERSION`, or `SOURCE#VERSION` where the source ends in the name.
    fn package(&self) -> &str {
        let (source, package) = self.package_id.rsplit_once('#').unwrap_or(("", &self.package_id));
        let url = source.split('?').next().unwrap_or(source);
        let of_source = || url.rsplit('/').next().unwrap_or(url);
        package.split_once('@').map_or_else(of_source, |(name, _)| name)
    }
}

fn compiler_messages(messages: &str) -> impl Iterator<Item = CompilerMessage> {
    messages.lines().filter_map(|line| serde_json::from_str(line).ok())
}

#[derive(Deserialize)]
struct Diagnostic {
    message: String,
    level: String,
    /// None where it is not about the code: the linker failed, say.
    code: Option<serde::de::IgnoredAny>,
    spans: Vec<Spot>,
    /// As rustc would print it.
    rendered: String,
}

/// What cargo says of a build script that it ran, now or before.
#[derive(Deserialize)]
struct BuildScript {
    env: Vec<(String, String)>,
}

/// What cargo says of a binary that it built. Its other messages do not have these fields.
#[derive(Deserialize)]
struct Artifact {
    target: Target,
    executable: PathBuf,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_build_is_that_of_hooks_and_not_of_xtask() {
        let target = tempfile::tempdir().unwrap();
        fs::create_dir_all(target.path().join("debug")).unwrap();
        assert!(is_first(target.path()));
        fs::create_dir_all(target.path().join("hookkit").join(LISTER)).unwrap();
        assert!(!is_first(target.path()));
    }
}
