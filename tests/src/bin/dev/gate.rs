//! `cargo dev gate`: everything that must hold before a change is merged.

use anyhow::Result;
use clap::Args;
use hookkit_tests::record;

use crate::step::{Step, run_all, run_side_by_side};
use crate::surroundings;
use crate::test::{REQUIRE_CLIENT, SOAK_SECONDS, Tier, with_generated_units};

/// Targets that no test of the gate runs on, with more packages: the code for them is only compiled. xtask is for Unix;
/// `cargo dev wine` runs tests on Windows.
const FOREIGN_TARGETS: [(&str, &str); 2] =
    [("aarch64-apple-darwin", " --package hookkit-xtask"), ("x86_64-pc-windows-gnu", "")];

/// The packs of this repository.
pub(crate) const PACKS: &str =
    "--package hookkit-guard --package hookkit-permission --package hookkit-quality --package hookkit-session";

#[derive(Args)]
pub(crate) struct Options {
    /// Duration of each generated test
    #[arg(long, value_name = "SECONDS", default_value_t = SOAK_SECONDS)]
    soak: u32,
    /// Only play these surroundings of a clone, with a comma between two, or all
    #[arg(long, value_name = "NAMES")]
    surroundings: Option<String>,
    /// Give the clones of the surroundings what this checkout has built, instead of building from nothing
    #[arg(long, requires = "surroundings")]
    reuse: bool,
}

/// Runs every check and every test.
pub(crate) fn run(options: &Options) -> Result<()> {
    if let Some(names) = &options.surroundings {
        return surroundings::play(names, options.reuse);
    }
    run_all(&checks())?;
    let tested = run_side_by_side(&tests(options.soak));
    let outdated = record::outdated()?;
    if !outdated.is_empty() {
        let (tables, command) = (outdated.join(", "), record::command(""));
        eprintln!("the client was asked again for {tables}: their code has changed. Record them: {command}");
    }
    tested
}

/// Lists the checks of all code for this system, cheap ones first, and the builds of all tests.
///
/// They run one after the other: two cargos in one target folder wait for each other, and each uses all cores.
fn checks() -> Vec<Step> {
    vec![
        Step::new("cargo fmt --all --check"),
        Step::new("zizmor --offline --quiet .github examples/acme-guards/.github").if_succeeds("zizmor --version"),
        Step::new("actionlint").if_succeeds("actionlint --version"),
        Step::new("cargo deny --all-features check bans licenses sources").if_succeeds("cargo deny --version"),
        // The packages are compiled at a release alone: that takes as long as all checks.
        Step::new("cargo publish --workspace --dry-run --no-verify --allow-dirty --quiet"),
        // A machine where the client cannot be installed shows it here, not after the builds.
        Step::new("cargo dev client"),
        Step::new("cargo dev client --agent codex").if_succeeds("test -e /lib64/ld-linux-x86-64.so.2"),
        Step::new("cargo dev client --agent copilot").if_succeeds("test -e /lib64/ld-linux-x86-64.so.2"),
        Step::new("cargo clippy --workspace --all-targets --quiet -- --deny warnings"),
        // `--all-targets` leaves out the targets with `test = false`, and ignores names next to it.
        Step::new(
            "cargo clippy --workspace --test builds --test client --test soak --test ui --quiet -- --deny warnings",
        ),
        // The workspaces of tests have this feature together with others.
        Step::new("cargo clippy -p hookkit --features agent --quiet -- --deny warnings"),
        Step::new("cargo doc --workspace --no-deps --quiet").with("RUSTDOCFLAGS", "--deny warnings"),
        Step::new("mdbook build docs/book").if_succeeds("mdbook --version"),
        Step::new("cargo test --workspace --no-run"),
        Step::new("cargo test -p hookkit -p hookkit-tests --test builds --test client --test soak --test ui --no-run"),
    ]
}

/// Lists the checks of the code for other targets, in a target folder of their own: next to them, tests build in the usual one.
///
/// With the oldest promised toolchain, if it is installed: the crates that users compile, without dev-dependencies.
fn foreign() -> [Step; 2] {
    let oldest = concat!("+", env!("CARGO_PKG_RUST_VERSION"), ".0");
    let has_oldest = Step::new(&format!("cargo {oldest} --version")).succeeds().unwrap_or(false);
    let (toolchain, of_toolchain) = match has_oldest {
        true => (format!("{oldest} "), format!(" --toolchain {}", &oldest[1..])),
        false => (String::new(), String::new()),
    };
    FOREIGN_TARGETS.map(|(target, xtask)| {
        let check = format!("cargo {toolchain}check --package hookkit --features hookkit/git,hookkit/state");
        Step::new(&format!("{check} {PACKS}{xtask} --quiet --target {target} --target-dir target/foreign"))
            .if_succeeds(&format!("rustup target add{of_toolchain} {target}"))
    })
}

/// Lists the tests, in two lists that run side by side: tests of one mostly build workspaces, one after the other, and
/// tests of the other mostly wait for processes. A third list slows all down by more than it saves. The first is the shorter
/// one, so the checks for other targets are in it, before its tests: what they find is found early.
///
/// The tiers `soak` and `fast` share their unit tests, so these run once, and as long as in `soak`.
///
/// The tier `fast` runs in two surroundings: here, as in a clone below the home folder, and in [`surroundings::OF_GATE`].
fn tests(soak: u32) -> [Vec<Step>; 2] {
    let fast = Tier::Fast.steps(soak).into_iter();
    let fast = fast.map(|step| surroundings::below_home(with_generated_units(step, soak)));
    let mut building = Tier::Builds.steps(soak);
    building.extend(Tier::Soak.steps(soak).into_iter().take(1));
    let waiting: Vec<Step> = fast.chain(Tier::Client.steps(soak)).collect();
    // A test that skips the real client would prove nothing.
    let [mut building, mut waiting] = [building, waiting].map(|steps| {
        let steps = steps.into_iter();
        steps.map(|step| step.with(REQUIRE_CLIENT, "1")).collect::<Vec<_>>()
    });
    building.splice(..0, foreign());
    waiting.push(Step::new(&format!("cargo dev gate --surroundings {} --reuse", surroundings::OF_GATE)));
    [building, waiting]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::process::Command;

    use clap::ValueEnum;
    use hookkit_tests::xtask::{cargo_program, repository};

    use super::*;

    /// Returns the crates that cargo builds, each with its features.
    fn crates(selection: &[&str], edges: &str) -> BTreeSet<String> {
        let output = Command::new(cargo_program())
            .args(["tree", "--offline", "--prefix=none", "--format={p} {f}", "--edges", edges])
            .args(selection)
            .current_dir(repository())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8(output.stdout).unwrap();
        lines.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
    }

    /// With one more feature, cargo compiles a crate and all its dependents a second time: so tests/Cargo.toml has the
    /// features of the other packages.
    #[test]
    fn cargo_dev_and_all_tiers_build_each_crate_once() {
        let whole = crates(&["--workspace"], "normal,build,dev");
        for edges in ["normal,build", "normal,build,dev"] {
            let tests = crates(&["--package", "hookkit-tests"], edges);
            let differing: Vec<&String> = tests.difference(&whole).collect();
            assert!(tests.len() > 50 && differing.is_empty(), "{edges}: {differing:?}");
        }
    }

    fn read(path: &str) -> String {
        fs::read_to_string(repository().join(path)).unwrap()
    }

    fn shown() -> Vec<String> {
        let steps = checks().into_iter().chain(tests(7).into_iter().flatten());
        steps.map(|step| step.to_string()).collect()
    }

    #[test]
    fn the_gate_runs_the_test_command_of_the_readme() {
        let readme = read("README.md");
        let (_, section) = readme.split_once("\n## Work on hookkit\n").unwrap();
        let command = section.lines().find_map(|line| line.strip_prefix("$ ")).unwrap();
        assert_eq!(Tier::Fast.steps(7), [Step::new(command)]);
        let is_it = |step: &String| step.ends_with(&format!("{REQUIRE_CLIENT}=1 {command}"));
        assert!(shown().iter().any(is_it), "no step `{command}`");
    }

    #[test]
    fn ci_leaves_every_check_to_the_gate() {
        let script = read(".ci/run");
        let commands = script.lines().filter(|line| line.starts_with("cargo "));
        assert_eq!(commands.collect::<Vec<_>>(), ["cargo dev gate"]);
    }

    #[test]
    fn every_pack_is_compiled_for_other_systems() {
        let ci = read(".github/workflows/ci.yml");
        for pack in fs::read_dir(repository().join("hooks")).unwrap() {
            let package = format!("--package hookkit-{}", pack.unwrap().file_name().display());
            assert!(PACKS.contains(&package), "{package}");
            assert!(ci.matches(&package).count() >= 2, "{package}");
        }
    }

    #[test]
    fn every_test_target_is_linted_and_run() {
        let manifests = read("tests/Cargo.toml") + &read("hookkit/Cargo.toml");
        let steps = shown();
        for target in manifests.split("\n[[test]]\n").skip(1) {
            let target = target.split("\n[").next().unwrap_or(target);
            // The others are among the targets of `--all-targets` and `cargo test --workspace`.
            if !target.contains("test = false") {
                continue;
            }
            let name = target.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
            let option = format!("--test {}", name.unwrap());
            for command in ["cargo clippy", "cargo test"] {
                let holds = steps.iter().any(|step| step.contains(command) && step.contains(&option));
                assert!(holds, "no step `{command} … {option}`");
            }
        }
    }

    #[test]
    fn all_tiers_come_after_the_checks_and_the_client() {
        let checks: Vec<String> = checks().iter().map(Step::to_string).collect();
        assert!(checks.iter().any(|step| step == "cargo dev client"));
        let tests: Vec<String> = tests(7).iter().flatten().map(Step::to_string).collect();
        for tier in Tier::value_variants() {
            for step in tier.steps(7) {
                let step = step.to_string();
                let (_, command) = step.split_at(step.find("cargo test").unwrap());
                // The workspace's tests include the libraries', and run them as long.
                let command = command.trim_end_matches(" --lib");
                assert!(tests.iter().any(|test| test.ends_with(command)), "no step `{command}`");
            }
        }
        let has_client = |step: &&String| step.contains("cargo test") && step.contains(REQUIRE_CLIENT);
        let run = tests.iter().filter(|step| step.contains("cargo test")).count();
        assert_eq!(tests.iter().filter(has_client).count(), run);
        assert_eq!(tests.iter().filter(|step| step.contains("--target ")).count(), 2);
        assert!(tests.iter().any(|step| step.contains("HOME=") && step.ends_with("cargo test --workspace")));
        assert_eq!(tests.iter().filter(|step| step.contains("HOOKKIT_SOAK=7")).count(), 2);
    }
}
