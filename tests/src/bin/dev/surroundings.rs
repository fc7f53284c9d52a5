//! Surroundings where README's two commands must work: places of a clone, users, and states of a machine.
//!
//! Each is a clean clone of the last commit. `cargo test --workspace` runs in it, and then hooks are installed into a
//! project and removed again.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use hookkit_tests::workspace::{built_here, seed_from};
use hookkit_tests::xtask::repository;
use tempfile::TempDir;

use crate::step::{Step, readable};

/// A clone and a state of the machine. All that is not named here is as on the machine that plays it.
struct Surrounding {
    name: &'static str,
    place: Place,
    /// The clone's folder in the place.
    folder: &'static str,
    sources: Sources,
    /// `true` to play it as an ordinary user, if root plays it and the machine has such a user.
    is_ordinary: bool,
    umask: &'static str,
    traits: &'static [Trait],
}

/// The place of a clone.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Below the user's home folder.
    Home,
    /// Below `/tmp`.
    Temporary,
    /// Below a link to the clone's real folder, which is the folder for temporary files.
    Link,
}

/// The origin of the sources.
#[derive(Clone, Copy, PartialEq)]
enum Sources {
    Clone,
    Shallow,
    /// Files without a repository.
    Tarball,
}

#[derive(Clone, Copy, PartialEq)]
enum Trait {
    /// `CARGO_TARGET_DIR` is elsewhere.
    OtherTarget,
    /// `TMPDIR` is elsewhere.
    OtherTemporary,
    /// The toolchain is the oldest that is promised; it has no musl target.
    OldestRust,
    /// After `cargo fetch`, cargo has no network.
    Offline,
}

/// Each point of CONTRIBUTING.md's list is in one of these.
const SURROUNDINGS: &[Surrounding] = &[
    Surrounding {
        name: "home",
        place: Place::Home,
        folder: "code/hookkit",
        sources: Sources::Clone,
        is_ordinary: false,
        umask: "022",
        traits: &[],
    },
    Surrounding {
        name: "blank",
        place: Place::Temporary,
        folder: "it's \"my\" côde/hookkit",
        sources: Sources::Clone,
        is_ordinary: true,
        umask: "077",
        traits: &[],
    },
    Surrounding {
        name: "link",
        place: Place::Link,
        folder: "hookkit",
        sources: Sources::Shallow,
        is_ordinary: false,
        umask: "022",
        traits: &[Trait::OtherTarget, Trait::OtherTemporary],
    },
    Surrounding {
        name: "oldest",
        place: Place::Home,
        folder: "src/hookkit",
        sources: Sources::Tarball,
        is_ordinary: true,
        umask: "022",
        traits: &[Trait::OldestRust, Trait::Offline],
    },
];

/// The surroundings that the gate plays each time, in addition to a checkout [`below_home`].
pub(crate) const OF_GATE: &str = "blank";

/// Makes a step run as if this checkout were below the home folder, and no program had a configuration there; cargo,
/// rustup and the client stay where they are.
pub(crate) fn below_home(step: Step) -> Step {
    let (Some(home), Some(above)) = (std::env::home_dir(), repository().parent()) else {
        return step;
    };
    let kept = [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup"), ("XDG_CACHE_HOME", ".cache")];
    let step = step.with("HOME", above.to_string_lossy());
    kept.into_iter().fold(step, |step, (variable, folder)| {
        let kept = std::env::var_os(variable).unwrap_or_else(|| home.join(folder).into());
        step.with(variable, kept.to_string_lossy())
    })
}

/// Returns the names of the surroundings that are chosen: `all`, or a list with commas.
fn chosen(names: &str) -> Result<Vec<&'static Surrounding>> {
    let named = |name: &str| {
        let found = SURROUNDINGS.iter().find(|surrounding| surrounding.name == name);
        let known: Vec<_> = SURROUNDINGS.iter().map(|surrounding| surrounding.name).collect();
        found.with_context(|| format!("there is no surrounding `{name}`; there are all, {}", known.join(", ")))
    };
    match names {
        "all" => Ok(SURROUNDINGS.iter().collect()),
        names => names.split(',').map(named).collect(),
    }
}

/// Plays surroundings one after the other, even if one fails. With `reuse`, their clones get this checkout's builds.
pub(crate) fn play(names: &str, reuse: bool) -> Result<()> {
    let mut failed = Vec::new();
    for surrounding in chosen(names)? {
        let start = Instant::now();
        eprintln!("[{}] started", surrounding.name);
        let played = surrounding.play(reuse);
        let outcome = if played.is_ok() { "ok" } else { "failed" };
        eprintln!("[{}] {outcome} after {}", surrounding.name, readable(start.elapsed()));
        if let Err(error) = played {
            eprintln!("[{}] {error:#}", surrounding.name);
            failed.push(surrounding.name);
        }
    }
    ensure!(failed.is_empty(), "README's commands fail in {}", failed.join(", "));
    Ok(())
}

/// A surrounding that is set up.
struct Ground {
    clone: PathBuf,
    user: Option<User>,
    variables: Vec<(&'static str, OsString)>,
    umask: &'static str,
    _folder: TempDir,
}

impl Surrounding {
    fn has(&self, point: Trait) -> bool {
        self.traits.contains(&point)
    }

    fn play(&self, reuse: bool) -> Result<()> {
        let ground = self.set_up(reuse)?;
        if self.has(Trait::Offline) {
            ground.run("cargo fetch --locked --quiet", "")?;
        }
        let offline = if self.has(Trait::Offline) { "export CARGO_NET_OFFLINE=true; " } else { "" };
        let tested = ground.run("cargo test --workspace --no-fail-fast", offline);
        ground.run("cargo xtask install --project ../app --pack hookkit-guard", offline)?;
        let project = ground.clone.parent().context("a clone is in a folder")?.join("app");
        ensure!(
            project.join(".claude/hookkit/hookkit/bin/deny-destruction").is_file(),
            "no hook is installed in {}",
            project.display()
        );
        ground.run("cargo xtask uninstall --yes --project ../app", offline)?;
        ensure!(!project.join(".claude").exists(), "{} is not as it was", project.display());
        tested
    }

    fn set_up(&self, reuse: bool) -> Result<Ground> {
        let user = match self.is_ordinary && rustix::process::geteuid().is_root() {
            true => User::find()?,
            false => None,
        };
        let home = match &user {
            Some(user) => user.home.clone(),
            None => std::env::home_dir().context("this user has no home folder")?,
        };
        let parent = match self.place {
            Place::Home => home.clone(),
            Place::Temporary | Place::Link => PathBuf::from("/tmp"),
        };
        let folder = tempfile::Builder::new().prefix("surroundings-").tempdir_in(parent)?;
        let root = folder.path();
        let mut place = root.join("place");
        fs::create_dir(&place)?;
        if self.place == Place::Link {
            place = root.join("link");
            symlink("place", &place)?;
        }
        let clone = place.join(self.folder);
        fs::create_dir_all(clone.parent().context("a clone is in a folder")?.join("app"))?;
        self.sources.put(&clone)?;
        if reuse {
            reuse_builds(&clone)?;
        }
        // No configuration of git's, and no identity: cargo and rustup are found by their own variables.
        let mut variables: Vec<(&str, OsString)> =
            vec![("GIT_CONFIG_GLOBAL", "/dev/null".into()), ("GIT_CONFIG_SYSTEM", "/dev/null".into())];
        if self.has(Trait::OtherTarget) {
            variables.push(("CARGO_TARGET_DIR", root.join("built elsewhere").into()));
        }
        if self.place == Place::Link {
            variables.push(("TMPDIR", place.clone().into()));
        } else if self.has(Trait::OtherTemporary) {
            fs::create_dir(root.join("temporary"))?;
            variables.push(("TMPDIR", root.join("temporary").into()));
        }
        let toolchain = match self.has(Trait::OldestRust) {
            true => concat!("+", env!("CARGO_PKG_RUST_VERSION"), ".0"),
            false => "",
        };
        let sysroot = sysroot(toolchain)?;
        let mut bin = sysroot.join("bin");
        if let Some(user) = &user {
            // Root's toolchain is out of an ordinary user's reach.
            let copy = root.join("toolchain");
            fs::create_dir(&copy)?;
            // Its documentation is more than half of it.
            run(Command::new("cp")
                .args(["--archive", "--reflink=auto"])
                .args(["bin", "lib"].map(|part| sysroot.join(part)))
                .arg(&copy))?;
            bin = copy.join("bin");
            variables.push(("HOME", home.clone().into()));
            variables.push(("USER", user.name.clone().into()));
            // `.ci/run` has root's cargo keep its files in this user's home folder.
            let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
            let cargo = cargo.filter(|folder| folder.starts_with(&home));
            let chown = ["--recursive", &user.name];
            run(Command::new("chown").args(chown).arg(root).args(cargo))?;
        } else if toolchain.is_empty() {
            bin.clear();
        }
        if !bin.as_os_str().is_empty() {
            let mut path = OsString::from(&bin);
            path.push(":");
            path.push(user.as_ref().map_or_else(|| std::env::var_os("PATH").unwrap_or_default(), |_| SYSTEM.into()));
            variables.push(("PATH", path));
        }
        Ok(Ground { clone, user, variables, umask: self.umask, _folder: folder })
    }
}

/// Gives a clone this checkout's builds, so that cargo only compiles differences there. cargo recognizes changes by the
/// times of files: the clone's files get the times of the same files here.
///
/// Our own crates are left out if a file differs from the commit: crates have texts of each other's folders compiled
/// in.
fn reuse_builds(clone: &Path) -> Result<()> {
    let git = |arguments: &[&str]| -> Result<String> {
        let output = Command::new("git").args(arguments).current_dir(repository()).output()?;
        ensure!(output.status.success(), "git {} failed", arguments.join(" "));
        Ok(String::from_utf8(output.stdout)?)
    };
    let is_committed = git(&["status", "--porcelain"])?.is_empty();
    if is_committed {
        for file in git(&["ls-files", "-z"])?.split_terminator('\0') {
            let time = fs::metadata(repository().join(file))?.modified()?;
            File::open(clone.join(file))?.set_modified(time)?;
        }
    }
    seed_from(&built_here()?, &clone.join("target/debug"), |unit| is_committed || !unit.starts_with("hookkit"))
}

/// The search path of an ordinary user.
const SYSTEM: &str = "/usr/local/bin:/usr/bin:/bin";

impl Sources {
    fn put(self, clone: &Path) -> Result<()> {
        let mut url = OsString::from("file://");
        url.push(repository());
        let mut git = Command::new("git");
        match self {
            Self::Clone => run(git.args(["clone", "--quiet"]).arg(url).arg(clone)),
            Self::Shallow => run(git.args(["clone", "--quiet", "--depth=1"]).arg(url).arg(clone)),
            Self::Tarball => {
                fs::create_dir(clone)?;
                let archive = clone.with_extension("tar");
                run(git.arg("archive").arg("--output").arg(&archive).arg("HEAD").current_dir(repository()))?;
                run(Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(clone))
            }
        }
    }
}

impl Ground {
    /// Runs a line of a shell in the clone.
    fn run(&self, line: &str, before: &str) -> Result<()> {
        let mut command = match &self.user {
            None => Command::new("sh"),
            Some(user) => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid", &user.id, "--regid", &user.group, "--clear-groups", "sh"]);
                command
            }
        };
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            // Drops root's variables, and those of the cargo that runs this program. The names of crates depend on
            // CARGO_INCREMENTAL, so it stays.
            let is_foreign = self.user.is_some() && !["CARGO_INCREMENTAL", "LANG", "TERM"].contains(&&*text);
            if is_foreign || text == "CARGO" || text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&name);
            }
        }
        command
            .arg("-c")
            // `cd` keeps the name of a link in `PWD`.
            .arg(format!("umask {}; {before}cd \"$1\" && {line}", self.umask))
            .args([OsStr::new("sh"), self.clone.as_os_str()])
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        let user = self.user.as_ref().map_or("", |user| &user.name);
        eprintln!("{user}$ {line}");
        run(&mut command)
    }
}

/// An ordinary user of this machine.
struct User {
    name: String,
    id: String,
    group: String,
    home: PathBuf,
}

impl User {
    /// Returns the first one, if there is one.
    fn find() -> Result<Option<Self>> {
        let users = fs::read_to_string("/etc/passwd")?;
        for line in users.lines() {
            let fields: Vec<&str> = line.split(':').collect();
            if let [name, _, id, group, _, home, ..] = fields[..]
                && (1000..60_000).contains(&id.parse().unwrap_or(0))
                && Path::new(home).is_dir()
            {
                let [name, id, group] = [name, id, group].map(str::to_owned);
                return Ok(Some(Self { name, id, group, home: home.into() }));
            }
        }
        Ok(None)
    }
}

fn sysroot(toolchain: &str) -> Result<PathBuf> {
    let mut rustc = Command::new("rustc");
    rustc.args(Some(toolchain).filter(|toolchain| !toolchain.is_empty()));
    let output = rustc.args(["--print", "sysroot"]).output().context("rustc could not be run")?;
    ensure!(output.status.success(), "rustc {toolchain} is missing: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim_end().into())
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.stdin(Stdio::null()).status();
    let status = status.with_context(|| format!("cannot start {}", command.get_program().display()))?;
    ensure!(status.success(), "{} failed ({status})", command.get_program().display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_plays_known_surroundings_and_an_unknown_one_is_refused() {
        assert_eq!(chosen(OF_GATE).unwrap().len(), 1);
        assert_eq!(chosen("all").unwrap().len(), SURROUNDINGS.len());
        assert!(chosen("nowhere").is_err());
    }
}
