//! `cargo dev test`: the tests, by tier.

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};

use crate::step::{Step, run_all};

/// The environment variable that makes a test fail if the client is missing; without it the test is skipped.
pub(crate) const REQUIRE_CLIENT: &str = "HOOKKIT_REQUIRE_CLIENT";

/// Duration of each generated test, unless `--soak` is given; each has a least number of rounds, too. Seeds are fixed:
/// in unchanged code, more seconds only find races.
pub(crate) const SOAK_SECONDS: u32 = 1;

/// The environment variable with the duration of each generated test.
const SOAK: &str = "HOOKKIT_SOAK";

#[derive(Args)]
pub(crate) struct Options {
    /// Tiers to run, in this order
    #[arg(value_name = "TIER", default_value = "fast")]
    tiers: Vec<Tier>,
    /// Record the observations of the real client anew, instead of comparing with them; needs the tier `client`
    #[arg(long)]
    record: bool,
    /// Duration of each generated test of the tier `soak`
    #[arg(long, value_name = "SECONDS", default_value_t = SOAK_SECONDS)]
    soak: u32,
}

/// A part of the tests. A contributor runs one tier; the gate runs all of them.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(crate) enum Tier {
    /// Unit, pack and doc tests, and what one process can show: `cargo test --workspace`
    Fast,
    /// Workspaces that cargo has to build, compile errors, the public API
    Builds,
    /// hookkit with the real client; observations whose play has changed since they were recorded
    Client,
    /// Storms, generated and differential tests, and payloads of 100 MB
    Soak,
}

impl Tier {
    /// Lists the commands of the tier.
    pub(crate) fn steps(self, soak: u32) -> Vec<Step> {
        match self {
            Self::Fast => vec![Step::new("cargo test --workspace")],
            Self::Builds => vec![
                // Most of its tests wait for a stage, or for a cargo that uses one core.
                Step::new("cargo test -p hookkit-tests --test builds").with("RUST_TEST_THREADS", "8"),
                // With the other tests' features, which hookkit is already compiled with.
                Step::new("cargo test -p hookkit -p hookkit-tests --test ui"),
            ],
            Self::Client => vec![Step::new("cargo test -p hookkit-tests --test client")],
            Self::Soak => {
                let step = |command| Step::new(command).with(SOAK, soak.to_string());
                vec![
                    step("cargo test -p hookkit-tests --test soak"),
                    with_generated_units(Step::new("cargo test --workspace --lib"), soak),
                ]
            }
        }
    }
}

/// Makes a step run the generated unit tests for some seconds each; without it they are short.
pub(crate) fn with_generated_units(step: Step, seconds: u32) -> Step {
    step.with(SOAK, seconds.to_string())
}

/// Runs the tests of the tiers.
pub(crate) fn run(options: &Options) -> Result<()> {
    run_all(&steps(options)?)
}

fn steps(options: &Options) -> Result<Vec<Step>> {
    ensure!(
        !options.record || options.tiers.contains(&Tier::Client),
        "`--record` needs the tier `client`: cargo dev test client --record"
    );
    let steps = options.tiers.iter().flat_map(|tier| {
        let steps = tier.steps(options.soak);
        steps.into_iter().map(move |step| match tier {
            Tier::Client if options.record => step.with(REQUIRE_CLIENT, "1").with("HOOKKIT_RECORD", "1"),
            // A skipped test of this tier would prove nothing.
            Tier::Client => step.with(REQUIRE_CLIENT, "1"),
            Tier::Fast | Tier::Builds | Tier::Soak => step,
        })
    });
    Ok(steps.collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser;
    use hookkit_tests::xtask::repository;

    use super::*;

    #[derive(Parser)]
    struct CommandLine {
        #[command(flatten)]
        options: Options,
    }

    fn typed(line: &str) -> Result<Vec<String>> {
        let line = CommandLine::try_parse_from(format!("test {line}").split_whitespace())?;
        let steps = steps(&line.options)?;
        let shown = steps.iter().map(Step::to_string);
        Ok(shown.collect())
    }

    #[test]
    fn without_a_tier_the_fast_one_runs() {
        assert_eq!(typed("").unwrap(), ["cargo test --workspace"]);
    }

    #[test]
    fn tiers_run_in_the_order_given() {
        assert_eq!(
            typed("soak builds --soak 5").unwrap(),
            [
                "HOOKKIT_SOAK=5 cargo test -p hookkit-tests --test soak",
                "HOOKKIT_SOAK=5 cargo test --workspace --lib",
                "RUST_TEST_THREADS=8 cargo test -p hookkit-tests --test builds",
                "cargo test -p hookkit -p hookkit-tests --test ui",
            ]
        );
    }

    #[test]
    fn only_the_client_is_recorded() {
        let [fast, client] = &typed("fast client --record").unwrap()[..] else { panic!("two steps are expected") };
        assert_eq!(fast, "cargo test --workspace");
        assert_eq!(client, "HOOKKIT_REQUIRE_CLIENT=1 HOOKKIT_RECORD=1 cargo test -p hookkit-tests --test client");
        assert!(typed("--record").is_err());
    }

    #[test]
    fn contributing_has_a_row_for_every_tier() {
        let contributing = fs::read_to_string(repository().join("CONTRIBUTING.md")).unwrap();
        for tier in Tier::value_variants() {
            let name = tier.to_possible_value().unwrap();
            let row = format!("| {} |", name.get_name());
            assert!(contributing.contains(&row), "CONTRIBUTING.md has no row `{row}`");
        }
    }
}
