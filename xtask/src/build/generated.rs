//! From functions to binaries.
//!
//! Below `target/hookkit` stand generated packages: the *lister*, linked with every pack and with hookkit's registry,
//! prints the definitions; the *launchers* have one binary a hook, of one line each; a third one, without code, finds out
//! which flags the author gives to rustc.
//! They are workspaces of their own: in one, cargo would give the launchers the lister's registry, and with it each would
//! carry every hook of its pack.

#![expect(clippy::disallowed_methods, reason = "the files are those of the target folder")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
use serde::Deserialize;

use crate::build::definition::{Definition, Listing};
use crate::build::link::{Link, Toolchain};
use crate::build::overrides::launcher::{self, Spot};
use crate::build::overrides::{Overrides, config};
use crate::cargo::command::cargo;
use crate::cargo::packs::Pack;
use crate::cargo::pin;
use crate::cargo::workspace::Workspace;
use crate::disk::lock::Lock;
use crate::terminal::{listed, tell};

/// Where the generated packages are, and how they are built.
pub(crate) struct Build<'w> {
    workspace: &'w Workspace,
    folder: PathBuf,
    link: Link,
    toolchain: &'w Toolchain,
    author: Author,
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

/// What each package begins with. The same profile lets them share the build of their dependencies.
///
/// A hook is small and starts often; optimizing across crates costs seconds of each build and buys next to nothing.
const MANIFEST: &str = r#"# Written by `cargo xtask`; changes are lost.
[workspace]

[profile.release]
opt-level = "s"
lto = "off"
codegen-units = 1
panic = "abort"
strip = true

[package]
version = "0.0.0"
edition = "2024"
publish = false
"#;

/// Has the types of hooks understand values of their configurations.
fn understood(lister: &Path, asked: &config::Asked) -> Result<config::Understood> {
    let mut lister = Command::new(lister)
        .arg("config")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("the lister could not be run")?;
    let asked = serde_json::to_vec(asked)?;
    let written = lister.stdin.take().map(|mut stdin| stdin.write_all(&asked));
    let output = lister.wait_with_output()?;
    ensure!(output.status.success(), "the lister failed: {}", output.status);
    written.transpose().context("the lister does not read")?;
    serde_json::from_slice(&output.stdout).context("reading what the lister said of configurations")
}

/// The package that scans payloads. The lister has no use for its speed, and takes the launchers' build of it.
const JSON: &str = "hookkit-json";

/// How far a package is optimized, for a manifest.
fn optimized(package: &str, level: u8) -> String {
    format!("\n[profile.release.package.{package:?}]\nopt-level = {level}\n")
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
            _lock: Lock::take(&folder, LIMIT)?,
            folder,
        };
        build.author = build.ask_the_author()?;
        Ok(build)
    }

    /// The hooks of the packs, as the workspace changes them.
    pub(crate) fn definitions(&self) -> Result<Vec<Definition>> {
        let overrides = Overrides::read(&self.workspace.settings.hooks)?;
        let lister = self.lister()?;
        let mut definitions = self.listed(&lister)?;
        overrides.apply(&mut definitions)?;
        config::check(&definitions, |asked| understood(&lister, asked))?;
        for name in &self.workspace.settings.dynamic {
            ensure!(
                definitions.iter().any(|hook| hook.declared.name == *name),
                "`dynamic` in [workspace.metadata.hookkit] names `{name}`, which is none of the hooks {}",
                listed(definitions.iter().map(|hook| &hook.declared.name))
            );
        }
        Ok(definitions)
    }

    /// The hooks of the packs, as their attributes declare them and in the packs' order: builds the lister and asks it.
    pub(crate) fn declared(&self) -> Result<Vec<Definition>> {
        self.listed(&self.lister()?)
    }

    /// Builds the lister.
    fn lister(&self) -> Result<PathBuf> {
        // A crate that is only depended on is not linked.
        let externs = self
            .workspace
            .packs
            .iter()
            .map(|pack| format!("extern crate {} as _;\n", pack.krate()));
        let main = "fn main() {\n    hookkit::__private::lister()\n}\n";
        self.write(
            &format!("{LISTER}/src/main.rs"),
            &format!("{}\n{main}", externs.collect::<String>()),
        )?;
        // It runs for no time at all. What packs and hookkit depend on is built once for it and for the launchers.
        let packs = self.workspace.packs.iter().map(|pack| pack.package.as_str());
        let profile: String = packs.chain(["hookkit"]).map(|package| optimized(package, 0)).collect();
        self.manifest(LISTER, "registry", &(profile + &optimized(JSON, 3)))?;
        // It is linked with every pack, among them those that cannot be linked statically.
        let link = if self.workspace.settings.dynamic.is_empty() && !self.toolchain.is_for_elsewhere() {
            self.link
        } else {
            Link::Dynamic
        };
        let mut built = self.cargo(LISTER, link, &[])?;
        built.remove(LISTER).context("cargo built no lister")
    }

    fn listed(&self, lister: &Path) -> Result<Vec<Definition>> {
        let output = Command::new(lister)
            .stderr(Stdio::inherit())
            .output()
            .context("the lister could not be run")?;
        ensure!(output.status.success(), "the lister failed: {}", output.status);
        let listing = Listing::parse(&output.stdout)?;
        let pack = |hook: &Definition| {
            self.workspace
                .packs
                .iter()
                .position(|pack| pack.package == hook.declared.package)
        };
        let (mut definitions, others): (Vec<_>, Vec<_>) =
            listing.hooks.into_iter().partition(|hook| pack(hook).is_some());
        definitions.sort_by_key(pack);
        tell_others(&others);
        Ok(definitions)
    }

    /// How a hook is linked.
    pub(crate) fn link(&self, hook: &Definition) -> Link {
        if self.workspace.settings.dynamic.contains(&hook.declared.name) {
            return Link::Dynamic;
        }
        self.link
    }

    /// Builds each of `hooks` into a binary of its own; where each is, by the hook's name.
    ///
    /// They are some of `all`: the package is the same whichever are built, so that cargo has nothing to do anew.
    pub(crate) fn launchers(&self, all: &[Definition], hooks: &[Definition]) -> Result<BTreeMap<String, PathBuf>> {
        let mut binaries = String::new();
        if hooks.is_empty() {
            return Ok(BTreeMap::new());
        }
        for hook in all.iter().filter(|hook| !hook.changes.off) {
            let name = binary_name(hook);
            binaries += &format!("\n[[bin]]\nname = {name:?}\npath = \"src/{name}.rs\"\n");
            self.write(&format!("{LAUNCHERS}/src/{name}.rs"), &hook.launcher())?;
        }
        // The path that every call of every hook goes.
        binaries += &(optimized("hookkit", 3) + &optimized(JSON, 3));
        self.manifest(LAUNCHERS, "launcher", &binaries)?;
        let mut launchers = BTreeMap::new();
        for link in [Link::StaticMusl, Link::StaticGlibc, Link::Dynamic] {
            let hooks: Vec<&Definition> = hooks.iter().filter(|hook| self.link(hook) == link).collect();
            if hooks.is_empty() {
                continue;
            }
            let targets: Vec<String> = hooks.iter().map(|hook| binary_name(hook)).collect();
            let mut built = self.cargo(LAUNCHERS, link, &targets)?;
            for (hook, target) in hooks.iter().zip(&targets) {
                let binary = built
                    .remove(target)
                    .with_context(|| format!("cargo built no binary for `{}`", hook.declared.name))?;
                launchers.insert(hook.declared.name.clone(), binary);
            }
        }
        Ok(launchers)
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
            &format!("{MANIFEST}name = \"hookkit-flags\"\n"),
        )?;
        const LOCK: &str = "version = 4\n\n[[package]]\nname = \"hookkit-flags\"\nversion = \"0.0.0\"\n";
        self.write("hookkit-flags/Cargo.lock", LOCK)?;
        let run = self.run_cargo("check", "hookkit-flags", self.link, None, &[])?;
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
    fn manifest(&self, name: &str, hookkit_feature: &str, tables: &str) -> Result<()> {
        let Workspace {
            hookkit,
            patches,
            packs,
            ..
        } = self.workspace;
        let mut text = format!("{MANIFEST}name = {name:?}\n{tables}\n[dependencies]\n");
        text += &format!("hookkit = {{ {hookkit}, features = [{hookkit_feature:?}] }}\n");
        text.extend(packs.iter().map(Pack::dependency));
        if !patches.is_empty() {
            text += &format!("\n{patches}");
        }
        self.write(&format!("{name}/Cargo.toml"), &text)?;
        pin::pin(&self.folder.join(name), self.workspace)
    }

    /// Writes a generated file. What has not changed is not written, so that cargo does not build it again.
    fn write(&self, file: &str, text: &str) -> Result<()> {
        let path = self.folder.join(file);
        if fs::read(&path).is_ok_and(|present| present == text.as_bytes()) {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
    }

    /// Builds `targets`, or everything, of one of the packages; the binaries that cargo names, by target.
    fn cargo(&self, package: &str, link: Link, targets: &[String]) -> Result<HashMap<String, PathBuf>> {
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
            warnings.for_each(|said| crate::terminal::tell_all(said.message.rendered));
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
        remaps.push((built.clone(), "target/hookkit/build/".to_owned()));
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
            crate::terminal::tell_all(&message.rendered);
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

    /// Builds or checks a package.
    ///
    /// cargo runs in the author's root, so that the author's configuration holds.
    fn run_cargo(&self, what: &str, package: &str, link: Link, flags: Option<&str>, targets: &[String]) -> Result<Run> {
        let is_terminal = std::io::stderr().is_terminal();
        let format = if is_terminal {
            "json-diagnostic-rendered-ansi"
        } else {
            "json"
        };
        let mut command = cargo();
        command
            .current_dir(&self.workspace.cwd)
            .args([what, "--release", "--locked", "--message-format", format])
            .arg("--manifest-path")
            .arg(self.folder.join(package).join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&self.workspace.built)
            // The author's own configuration comes before what a manifest says.
            .args(["--config", "profile.release.panic='abort'"])
            .args(["--target", &self.triple(package, link)])
            .stderr(Stdio::inherit());
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
        let output = command.output().context("cargo could not be run")?;
        let said = String::from_utf8_lossy(&output.stderr);
        for line in said.lines().filter(|line| !line.contains(LAUNCHERS)) {
            crate::terminal::tell_all(format_args!("{line}\n"));
        }
        Ok(Run {
            is_done: output.status.success(),
            messages: String::from_utf8(output.stdout)?,
        })
    }
}

/// Where cargo keeps the sources of packages from elsewhere.
fn cargo_home() -> Option<PathBuf> {
    let named = std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty());
    named
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

/// Says which hooks came along unasked, in crates that packs depend on.
fn tell_others(hooks: &[Definition]) {
    let mut by_package: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for hook in hooks {
        let package = (hook.declared.package.as_str(), hook.declared.package_version.as_str());
        by_package.entry(package).or_default().push(&hook.declared.name);
    }
    for ((package, version), hooks) in by_package {
        tell(format_args!(
            "note: {package} {version} comes along with hooks that nobody asked for, so they are not installed: {}\n\
             To have them: cargo xtask add {package}",
            listed(hooks)
        ));
    }
}

/// What came of a run of cargo.
struct Run {
    is_done: bool,
    /// What cargo said, a JSON object a line.
    messages: String,
}

const LISTER: &str = "hookkit-lister";
const LAUNCHERS: &str = "hookkit-launchers";

/// Keeps a hook called `build` or `test` from being refused by cargo.
const BINARY_PREFIX: &str = "hook-";

/// The binary's name for cargo.
fn binary_name(hook: &Definition) -> String {
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
