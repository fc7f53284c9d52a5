//! The workspaces that tests build.
//!
//! Each target folder costs a build of syn, serde and hookkit, so there are few:
//!
//! | workspace | for |
//! |---|---|
//! | [`fixture`] | all packs of `tests/fixtures/packs`; no test changes it |
//! | [`unoptimized`] | the same packs and this repository's, for `install --record`, `--audit` and `--agent`: hookkit has the features of all three in each hook, so that it is compiled once, and without optimization, where the stack of a signal is the shortest |
//! | [`Stage`] | a test that needs a workspace of its own (broken, with foreign packs); one test at a time |
//! | [`Stage::with_xtask`] | the same, for workspaces with an xtask of their own (new ones, examples), which cargo builds too |
//!
//! They are below the repository's target folder, and their builds stay, so that the next run builds only changes. The
//! path of a workspace is in the flags of its hooks: from another path, cargo would rebuild everything.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::{Context, Result, ensure};

use crate::Project;
use crate::xtask::{Ends, UNDEBUGGED, cargo_program, repository, text, xtask_ok, yes};

/// Returns the folder that the tests build in.
fn folder() -> PathBuf {
    repository().join("target/tests")
}

/// Takes an exclusive lock on a file, between threads and between processes. Dropped, it is released.
fn lock(name: &str) -> Result<File> {
    fs::create_dir_all(folder())?;
    let file = File::create(folder().join(name))?;
    file.lock().with_context(|| format!("locking {name}"))?;
    Ok(file)
}

/// Writes a file if its content differs: cargo rebuilds rewritten files.
fn write(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).ok().as_deref() == Some(text) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().context("it is in a folder")?)?;
    fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}

/// Returns the Cargo.lock of this repository: every workspace here has the same pins.
fn pins() -> Result<String> {
    Ok(fs::read_to_string(repository().join("Cargo.lock"))?)
}

/// Returns the table with the name under which a workspace's hooks are installed.
pub fn named(workspace: &str) -> String {
    format!("[workspace.metadata.hookkit]\nname = {workspace:?}\n\n")
}

/// Returns the `[package]` and `[dependencies]` of a pack.
fn manifest(package: &str) -> String {
    let hookkit = repository().join("hookkit");
    format!("[package]\nname = {package:?}\nedition = \"2024\"\n\n[dependencies]\nhookkit.path = {hookkit:?}\n")
}

/// Returns the examples of `docs/book/src/events.md` as a pack: each is the hook `page-EVENT`, in its own module.
fn page() -> Result<String> {
    let page = fs::read_to_string(repository().join("docs/book/src/events.md"))?;
    let mut code = String::from("//! The examples of the page of events.\n");
    for section in page.split("\n## ").skip(1) {
        let event = section.lines().next().context("a section has a title")?;
        let example = section.split("```rust\n").nth(1).and_then(|code| code.split("```").next());
        let example = example.with_context(|| format!("{event} has no example"))?;
        let attribute = format!("#[hook({event}");
        ensure!(example.contains(&attribute), "the example of {event} has no {attribute}");
        let name = event.to_lowercase();
        let named = example.replace(&attribute, &format!("{attribute}, name = \"page-{name}\""));
        write!(code, "\n/// {event}.\npub mod {name} {{\n{named}}}\n")?;
    }
    Ok(code)
}

/// Returns the workspace with all packs of `tests/fixtures/packs`: `hooks.rs` is its root package `fixture-hooks`, every
/// other `NAME.rs` a member `NAME-hooks`. `page-hooks` has the examples of `docs/book/src/events.md`.
///
/// Hook names are unique across the packs.
///
/// # Errors
///
/// If it cannot be written.
pub fn fixture() -> Result<&'static Path> {
    static FIXTURE: OnceLock<PathBuf> = OnceLock::new();
    once(&FIXTURE, || with_fixtures("fixture", ["", "", ""]))
}

/// Returns a workspace of the same name with the same packs and those of this repository, whose hooks are not optimized.
///
/// # Errors
///
/// If it cannot be written.
pub fn unoptimized() -> Result<&'static Path> {
    static UNOPTIMIZED: OnceLock<PathBuf> = OnceLock::new();
    once(&UNOPTIMIZED, || {
        let packs = ["guard", "permission", "quality", "session"];
        let own = packs.map(|pack| format!("hookkit-{pack}"));
        let paths = packs.map(|pack| format!("hookkit-{pack}.path = {:?}\n", repository().join("hooks").join(pack)));
        let settings = format!("packs = {own:?}\n{CHANGES}");
        let dependencies = format!("hookkit.features = [\"agent\", \"audit\"]\n{}", paths.concat());
        with_fixtures("unoptimized", [&settings, &dependencies, &profiles()])
    })
}

/// Changes of hooks in [`unoptimized`]: another pack has a hook of the first one's name, and each subagent is one too many.
const CHANGES: &str = r#"
[workspace.metadata.hookkit.hooks."attend-hooks/format-on-edit"]
off = true

[workspace.metadata.hookkit.hooks.hold-subagents.config]
at_once = 0
"#;

fn once(made: &'static OnceLock<PathBuf>, make: impl FnOnce() -> Result<PathBuf>) -> Result<&'static Path> {
    match made.get() {
        Some(folder) => Ok(folder),
        None => make().map(|folder| &**made.get_or_init(|| folder)),
    }
}

/// Writes a workspace with the packs of the tests, and with these settings, dependencies and configuration of cargo.
fn with_fixtures(name: &str, [settings, dependencies, configuration]: [&str; 3]) -> Result<PathBuf> {
    let _lock = lock(&format!("{name}.lock"))?;
    let fixture = folder().join(name);
    write(&fixture.join(".cargo/config.toml"), configuration)?;
    let mut members = BTreeSet::new();
    for pack in fs::read_dir(repository().join("tests/fixtures/packs"))? {
        let pack = pack?.path();
        let name = pack.file_stem().and_then(|name| name.to_str()).context("a UTF-8 name")?;
        let code = fs::read_to_string(&pack)?;
        if name == "hooks" {
            write(&fixture.join("src/lib.rs"), &code)?;
            continue;
        }
        write(&fixture.join(name).join("Cargo.toml"), &manifest(&format!("{name}-hooks")))?;
        write(&fixture.join(name).join("src/lib.rs"), &code)?;
        members.insert(name.to_owned());
    }
    write(&fixture.join("page/Cargo.toml"), &manifest("page-hooks"))?;
    write(&fixture.join("page/src/lib.rs"), &page()?)?;
    members.insert("page".to_owned());
    let members = Vec::from_iter(members);
    let config = "[workspace.metadata.hookkit.hooks.denied-programs.config]\necho = \"nothing is said here\"\n\n";
    let root = format!(
        "[workspace]\nmembers = {members:?}\n\n{SEEDED}\n{}\n{settings}\n{config}{}{dependencies}",
        named("fixture").trim_end(),
        manifest("fixture-hooks")
    );
    write(&fixture.join("Cargo.toml"), &root)?;
    write(&fixture.join("Cargo.lock"), &pins()?)?;
    write(&fixture.join("LICENSES.txt"), "The licences of the crates in these hooks.\n")?;
    seed(&fixture.join("target/debug"))?;
    Ok(fixture)
}

/// Installs the hooks of one of the fixture's packs into a project, and returns the output of `install`.
///
/// # Errors
///
/// If they do not build, or `install` fails.
pub fn install(package: &str, project: &Project) -> Result<String> {
    xtask_ok(fixture()?, &["install", "--project", text(project.path())?, "--pack", package])
}

/// Runs a command of xtask on a project, in the fixture; its stdout.
///
/// # Errors
///
/// If it fails.
pub fn on_project(project: &Project, command: &str) -> Result<String> {
    xtask_ok(fixture()?, &[command, "--project", text(project.path())?])
}

/// Returns a project with the installed hooks of one of the fixture's packs, for tests that only run them.
///
/// All tests of a process share it.
///
/// # Errors
///
/// If they do not build, or `install` fails.
pub fn installed(package: &'static str) -> Result<&'static Project> {
    static PROJECTS: Mutex<BTreeMap<&str, &Project>> = Mutex::new(BTreeMap::new());
    let mut projects = PROJECTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(project) = projects.get(package) {
        return Ok(project);
    }
    let project = Project::kept(package)?;
    install(package, &project)?;
    let project: &Project = Box::leak(Box::new(project));
    projects.insert(package, project);
    Ok(project)
}

/// A folder for one test at a time, with a workspace in `app` and anything next to it.
///
/// The workspace is in the same place in every test, and its build is next to the stage: so the build of the shared
/// dependencies stays.
pub struct Stage {
    folder: PathBuf,
    target: PathBuf,
    _lock: File,
}

impl Stage {
    /// Waits for the stage, and leaves these files in it and no others. The paths are relative to the stage.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn take(files: &[(&str, &str)]) -> Result<Self> {
        Self::named("stage", folder().join("built"), files)
    }

    /// Waits for the stage of workspaces that have an xtask of their own, and empties it. Its target folder is the one
    /// of [`cargo`]: all of them use the same xtask.
    ///
    /// # Errors
    ///
    /// If it cannot be emptied.
    pub fn with_xtask() -> Result<Self> {
        Self::named("stage-with-xtask", built(), &[])
    }

    fn named(name: &str, target: PathBuf, files: &[(&str, &str)]) -> Result<Self> {
        let lock = lock(&format!("{name}.lock"))?;
        let stage = Self { folder: folder().join(name), target, _lock: lock };
        fs::create_dir_all(&stage.folder)?;
        seed(&stage.target.join("debug"))?;
        // For `backtest --against REVISION`, which checks the revision out below the target folder.
        write(&stage.target.join(".cargo/config.toml"), &profiles())?;
        let config = format!("[build]\ntarget-dir = {:?}\n{}", stage.target, profiles());
        let config = [(".cargo/config.toml", &*config)];
        let files = || files.iter().chain(&config);
        let kept: BTreeSet<PathBuf> = files().map(|(path, _)| stage.folder.join(path)).collect();
        clear(&stage.folder, &kept)?;
        for (path, text) in files() {
            stage.write(path, text)?;
        }
        Ok(stage)
    }

    /// Runs `new workspace` for the workspace with this pack, and adds this repository's pins.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be made.
    pub fn with_new(pack: &str) -> Result<Self> {
        let stage = Self::with_xtask()?;
        stage.make("app", pack)?;
        fs::write(stage.app().join("Cargo.lock"), pins()?)?;
        Ok(stage)
    }

    /// Runs `new workspace` for one in a folder of the stage, as if there were no repository of hookkit around it.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be made.
    pub fn make(&self, folder: &str, pack: &str) -> Result<()> {
        let outer = Project::new()?;
        let path = self.folder.join(folder);
        xtask_ok(outer.path(), &["new", "workspace", text(&path)?, "--pack", pack]).map(drop)
    }

    /// Returns a workspace whose only pack has these hooks: the package `NAME-hooks`, with `tables` at the end of its
    /// Cargo.toml.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn with_hooks(name: &str, hooks: &str, tables: &str) -> Result<Self> {
        let package = manifest(&format!("{name}-hooks"));
        let manifest = format!("[workspace]\n\n{}{package}{tables}\n", named("app"));
        Self::take(&[("app/Cargo.toml", &manifest), ("app/Cargo.lock", &pins()?), ("app/src/lib.rs", hooks)])
    }

    /// Returns the folder of the stage.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Returns the workspace.
    pub fn app(&self) -> PathBuf {
        self.folder.join("app")
    }

    /// Returns the workspace's target folder.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Writes a file, at a path relative to the stage.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write(&self, path: &str, text: &str) -> Result<()> {
        write(&self.folder.join(path), text)
    }

    /// Adds the repository's pins to the workspace's Cargo.lock, for the packages that it needs.
    ///
    /// # Errors
    ///
    /// If cargo fails.
    pub fn pin(&self) -> Result<()> {
        fs::write(self.app().join("Cargo.lock"), pins()?)?;
        let mut update = Command::new(cargo_program());
        update.args(["update", "--workspace", "--offline", "--quiet"]);
        update.current_dir(self.app()).out(0).map(drop)
    }
}

/// Removes all files and empty folders below `folder`, except those in `kept`.
fn clear(folder: &Path, kept: &BTreeSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            clear(&path, kept)?;
            match fs::remove_dir(&path) {
                Err(err) if err.kind() != ErrorKind::DirectoryNotEmpty => return Err(err.into()),
                _ => {}
            }
        } else if !kept.contains(&path) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Runs `new workspace NAME` in a folder outside of any workspace, and adds this repository's pins. For tests that do
/// not install its hooks; others use [`Stage::with_new`].
///
/// # Errors
///
/// Fails if it cannot be made.
pub fn new(name: &str) -> Result<(Project, PathBuf)> {
    let outer = Project::new()?;
    xtask_ok(outer.path(), &["new", "workspace", name])?;
    let folder = outer.path().join(name);
    fs::write(folder.join("Cargo.lock"), pins()?)?;
    Ok((outer, folder))
}

/// Copies one of the repository's examples into `folder`. The copy depends on this hookkit wherever it is; its Cargo.lock
/// is this repository's, until cargo runs there.
///
/// # Errors
///
/// If it cannot be copied.
pub fn example(name: &str, folder: &Path) -> Result<()> {
    copy(&repository().join("examples").join(name), folder)?;
    let manifest = folder.join("Cargo.toml");
    let text = fs::read_to_string(&manifest)?;
    let here = repository().to_str().context("the repository's path is not UTF-8")?;
    fs::write(&manifest, text.replace("\"../../", &format!("\"{here}/")))?;
    fs::write(folder.join("Cargo.lock"), pins()?)?;
    Ok(())
}

/// Crates that are compiled for nearly every test of the stages, with other features or profiles: to optimize them
/// takes a third of each build. The hooks of the fixture and of this repository are optimized like users' hooks, and
/// measured.
const UNOPTIMIZED: [&str; 11] = [
    "hookkit", "hookkit-effects", "hookkit-guard", "hookkit-json", "hookkit-protocol", "hookkit-secrets",
    "hookkit-shell", "memchr", "regress", "serde_core", "serde_json",
];

/// Returns the profiles of the stages, as tables of cargo's configuration.
///
/// The crates that all workspaces depend on have the same profile in all of them, whatever tables these have of their own, so
/// each is compiled once.
fn profiles() -> String {
    let common =
        format!("\n{SEEDED}incremental = false\n\n[profile.dev.package.clap_builder]\ndebug-assertions = true\n");
    let unoptimized = UNOPTIMIZED.map(|package| format!("\n[profile.dev.package.{package}]\nopt-level = 0\n"));
    common + &unoptimized.concat()
}

/// Returns the target folder of workspaces with an xtask of their own, and of packages whose own tests are run.
pub fn built() -> PathBuf {
    folder().join("built-with-xtask")
}

/// The profile that other people's crates have in this repository.
const SEEDED: &str = "[profile.dev.package.\"*\"]\ndebug-assertions = false\n";

/// Copies the third-party crates that cargo has built for this program into a folder of a target folder, if that is
/// new.
///
/// # Errors
///
/// If they cannot be copied.
pub fn seed(to: &Path) -> Result<()> {
    seed_from(&built_here()?, to, |unit| !unit.starts_with("hookkit"))
}

/// Returns the folder where cargo has built this program.
///
/// # Errors
///
/// If the program was moved.
pub fn built_here() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let mut around = own.ancestors().skip(1);
    let found = around.find(|folder| folder.join(".fingerprint").exists());
    Ok(found.context("cargo has built this program elsewhere")?.to_owned())
}

/// Copies cargo's build from one folder to another one, if that is new: the selected crates, by their names with a
/// hash.
///
/// Third-party crates have the same names in each target folder, so cargo does not rebuild those with the same features
/// and profile there. The same holds for crates of a path, if the workspace or the path is the same.
///
/// # Errors
///
/// If they cannot be copied.
pub fn seed_from(from: &Path, to: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<()> {
    let Ok(units) = fs::read_dir(from.join(".fingerprint")) else {
        return Ok(());
    };
    if to.exists() {
        return Ok(());
    }
    let units: Vec<String> =
        units.filter_map(|unit| unit.ok()?.file_name().into_string().ok()).filter(|unit| is_wanted(unit)).collect();
    let hash = |name: &str| name.rsplit('-').next().map(|end| end.split('.').next().unwrap_or(end).to_owned());
    let hashes: BTreeSet<Option<String>> = units.iter().map(|unit| hash(unit)).collect();
    // What says that a crate is built comes before it: cargo may be building there.
    for folder in [".fingerprint", "build", "deps"] {
        let files = fs::read_dir(from.join(folder))?.filter_map(|file| file.ok()?.file_name().into_string().ok());
        let files = files.filter(|name| hashes.contains(&hash(name)));
        fs::create_dir_all(to.join(folder))?;
        // With the times, which tell cargo what has changed.
        let copied =
            Command::new("cp").arg("-pR").args(files).arg(to.join(folder)).current_dir(from.join(folder)).status()?;
        ensure!(copied.success(), "{} cannot be copied to {}", from.display(), to.display());
    }
    Ok(())
}

/// Runs cargo, with one target folder for all packages.
///
/// # Errors
///
/// Fails if cargo cannot be started. A failure of cargo is in the output.
pub fn cargo(folder: &Path, arguments: &[&str]) -> Result<Output> {
    Command::new(cargo_program())
        .args(arguments)
        .args(arguments.strip_prefix(&["xtask"]).and_then(yes))
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", built())
        // As for xtask.
        .env_remove("CARGO_NET_OFFLINE")
        .envs([UNDEBUGGED])
        .output()
        .context("cargo could not be run")
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for file in fs::read_dir(from)? {
        let file = file?.path();
        let target = to.join(file.file_name().context("it has a name")?);
        // Left by a person who built or tried the example in place.
        if ["target", "Cargo.lock"].iter().any(|other| file.ends_with(other)) {
            continue;
        }
        match file.is_dir() {
            true => copy(&file, &target)?,
            false => drop(fs::copy(&file, &target)?),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_target_folder_is_given_what_is_built_of_other_peoples_crates() -> Result<()> {
        let folder = test_support::folder();
        let [from, to] = ["from", "to"].map(|name| folder.path().join(name));
        let seed = |to: &Path| seed_from(&from, to, |unit| unit.starts_with("syn"));
        seed(&to)?;
        assert!(!to.exists());
        for file in [
            ".fingerprint/syn-1a/lib-syn", ".fingerprint/hookkit-2b/lib-hookkit", "build/syn-1a/output",
            "deps/libsyn-1a.rlib", "deps/syn-1a.d", "deps/libhookkit-2b.rlib", "deps/libold-3c.rlib",
        ] {
            write(&from.join(file), file)?;
        }
        seed(&to)?;
        let library = |target: &Path| fs::metadata(target.join("deps/libsyn-1a.rlib"))?.modified();
        assert_eq!(library(&to)?, library(&from)?);
        for (file, is_there) in [
            (".fingerprint/syn-1a/lib-syn", true),
            ("build/syn-1a/output", true),
            ("deps/syn-1a.d", true),
            ("deps/libhookkit-2b.rlib", false),
            ("deps/libold-3c.rlib", false),
        ] {
            assert_eq!(to.join(file).exists(), is_there, "{file}");
        }
        fs::remove_file(to.join("deps/syn-1a.d"))?;
        seed(&to)?;
        assert!(!to.join("deps/syn-1a.d").exists());
        Ok(())
    }
}
