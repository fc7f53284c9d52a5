//! The compared programs. Those in `sources` are written as their authors would write them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use hookkit_tests::xtask::{repository, run_hook};

use crate::cargo::{self, Targets};
use crate::payload;
use crate::report::{Available, Missing};
use crate::workspace::Workspace;

/// The programs. Hooks are as `install` builds them with musl, unless a field says otherwise.
pub(crate) struct Programs {
    /// The yardstick of time: everybody's Rust program, before it does anything.
    pub(crate) empty: Available<PathBuf>,
    /// The yardstick of instructions: the empty program, built as hooks are.
    pub(crate) empty_musl: Available<PathBuf>,
    /// Decodes all of stdin into a `serde_json::Value`.
    pub(crate) value: Available<PathBuf>,
    /// `path_only`, handwritten.
    pub(crate) plain: Available<PathBuf>,
    /// Reports how much memory another program takes.
    pub(crate) peak: PathBuf,
    pub(crate) path_only: Available<PathBuf>,
    pub(crate) path_only_glibc: Available<PathBuf>,
    pub(crate) path_only_dynamic: Available<PathBuf>,
    /// The binary of `path_only`, started by the script of a plugin.
    pub(crate) path_only_plugin: Available<PathBuf>,
    pub(crate) content_only: Available<PathBuf>,
    pub(crate) miss: Available<PathBuf>,
    pub(crate) panics: Available<PathBuf>,
}

/// Flags with which xtask links hooks statically.
const STATIC: [&str; 2] = ["-Ctarget-feature=+crt-static", "-Crelocation-model=static"];

impl Programs {
    /// Builds the programs below `folder`, and checks their answers to the measured payload.
    pub(crate) fn build(folder: &Path) -> Result<Self> {
        let targets = Targets::find()?;
        let hooks = hooks(folder)?;
        hooks.install()?;
        let installed = |hook: &str, stdout: &str, stderr: &str| -> Result<_> {
            let binary = hooks.installed(hook)?;
            says(&binary, stdout, stderr)?;
            Ok(targets.musl.clone().map(|_| binary))
        };
        let glibc = if targets.host.ends_with("linux-gnu") {
            let built = hooks.launcher("path-only", "static", &targets.host, &STATIC);
            built.map_err(|err| Missing(err.to_string()))
        } else {
            Err(Missing(format!("there is no glibc on {}", targets.host)))
        };
        let plugin = match (&targets.musl, cfg!(target_os = "linux")) {
            (Ok(_), true) => {
                let script = hooks.plugin("path-only")?;
                says(&script, ANSWER, "")?;
                Ok(script)
            }
            _ => Err(Missing("it is measured on Linux with musl".to_owned())),
        };
        let yardsticks = folder.join("yardsticks");
        write_yardsticks(&yardsticks)?;
        let value = yardstick(&yardsticks, "value", &targets.host, &[])?;
        let plain = yardstick(&yardsticks, "plain", &targets.host, &[])?;
        says(&plain, ANSWER, "")?;
        let peak = match &targets.musl {
            Ok(musl) => yardstick(&yardsticks, "peak", musl, &STATIC)?,
            Err(_) => yardstick(&yardsticks, "peak", &targets.host, &[])?,
        };
        Ok(Self {
            empty: Ok(cargo::empty_main(folder, "empty", &["-O", "-Cstrip=symbols"])?),
            empty_musl: empty_musl(folder, &targets)?,
            value: Ok(value),
            plain: Ok(plain),
            peak,
            path_only: installed("path-only", ANSWER, "")?,
            path_only_glibc: glibc,
            path_only_dynamic: Ok(hooks.launcher("path-only", "dynamic", &targets.host, &[])?),
            path_only_plugin: plugin,
            content_only: installed("content-only", "", "")?,
            miss: installed("miss", "", "")?,
            panics: installed("panics", "", "aargh")?,
        })
    }
}

/// Returns the workspace of the measured hooks.
pub(crate) fn hooks(folder: &Path) -> Result<Workspace> {
    Workspace::new(
        folder.join("hooks"),
        include_str!("sources/hooks.rs"),
        "serde = { version = \"1\", features = [\"derive\"] }",
    )
}

const ANSWER: &str = "remember to run the tests";

/// Fails unless a program gives the answer of `path_only`.
pub(crate) fn says_answer(program: &Path) -> Result<()> {
    says(program, ANSWER, "")
}

/// Fails unless a program gives the expected answer to a change of a file: a figure of another answer would be
/// worthless.
fn says(program: &Path, stdout: &str, stderr: &str) -> Result<()> {
    let answer = run_hook(program, &payload::write(2_000))?;
    for (said, expected) in [(&answer.stdout, stdout), (&answer.stderr, stderr)] {
        let holds = said.is_empty() == expected.is_empty() && said.contains(expected);
        ensure!(holds, "{} does not do what is measured: {answer:?}", program.display());
    }
    Ok(())
}

fn empty_musl(folder: &Path, targets: &Targets) -> Result<Available<PathBuf>> {
    let musl = match &targets.musl {
        Ok(musl) => musl,
        Err(missing) => return Ok(Err(missing.clone())),
    };
    let profile = ["-Copt-level=s", "-Ccodegen-units=1", "-Cpanic=abort", "-Cstrip=symbols"];
    let flags = [&profile[..], &STATIC, &["--target", musl]].concat();
    Ok(Ok(cargo::empty_main(folder, "empty-musl", &flags)?))
}

/// Writes the package of the programs in `sources` next to the hooks.
fn write_yardsticks(folder: &Path) -> Result<()> {
    const MANIFEST: &str = include_str!("sources/yardsticks.toml");
    fs::create_dir_all(folder.join("src/bin"))?;
    fs::write(folder.join("Cargo.toml"), MANIFEST)?;
    fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    for (program, source) in [
        ("value", include_str!("sources/value.rs")),
        ("plain", include_str!("sources/plain.rs")),
        ("peak", include_str!("sources/peak.rs")),
    ] {
        fs::write(folder.join(format!("src/bin/{program}.rs")), source)?;
    }
    Ok(())
}

fn yardstick(folder: &Path, program: &str, target: &str, flags: &[&str]) -> Result<PathBuf> {
    let mut build = cargo::command();
    build
        .args(["build", "--release", "--bin", program, "--target", target])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    cargo::build(build)?.remove(program).context("cargo built no yardstick")
}
