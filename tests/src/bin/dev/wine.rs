//! `cargo dev wine`: unit tests and tests of the packs on Windows, emulated by Wine.

use std::fs;

use anyhow::{Context, Result};
use hookkit_tests::xtask::repository;

use crate::gate::PACKS;
use crate::step::{Step, run_all};

/// Commands that are required: the linker, Wine, the standard library.
const NEEDED: [&str; 3] = ["cargo-zigbuild --version", "wine --version", "rustup target add x86_64-pc-windows-gnu"];

/// Wine's own folder, relative to the repository.
const PREFIX: &str = "target/wine";

/// Runs the tests, or reports the missing tool.
pub(crate) fn run() -> Result<()> {
    for needed in NEEDED {
        if !Step::new(needed).succeeds().unwrap_or(false) {
            eprintln!("skipped: `{needed}` failed");
            return Ok(());
        }
    }
    let prefix = repository().join(PREFIX);
    fs::create_dir_all(&prefix).with_context(|| format!("cannot create {}", prefix.display()))?;
    let prefix = prefix.display().to_string();
    let in_wine = |command: &str| {
        Step::new(command)
            .with("WINEPREFIX", &prefix)
            .with("WINEDEBUG", "-all")
            .with("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", "wine")
    };
    let mut steps = vec![in_wine("wineboot --init")];
    let library = format!("{PREFIX}/drive_c/windows/system32/bcryptprimitives.dll");
    let source = "tests/fixtures/wine/bcryptprimitives.c";
    let compile =
        format!("cargo-zigbuild zig cc -- -target x86_64-windows-gnu -shared -o {library} {source} -ladvapi32");
    let test = "cargo-zigbuild test --target x86_64-pc-windows-gnu --no-fail-fast --lib";
    let libraries = "--package hookkit-effects --package hookkit-json --package hookkit-protocol --package hookkit-secrets --package hookkit-shell --package hookkit-verdict";
    let features = "--package hookkit --features hookkit/git,hookkit/glob,hookkit/shell,hookkit/state,hookkit/testing";
    steps.push(Step::new(&compile));
    steps.push(in_wine(&format!("{test} {libraries} {features},hookkit/launcher")));
    steps.push(in_wine(&format!("{test} --tests {PACKS}")));
    run_all(&steps)
}
