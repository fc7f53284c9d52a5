//! `cargo dev figures`: starts the binary `figures` in release, since it measures.

use anyhow::Result;
use clap::Args;

use crate::step::{Step, run_all};

#[derive(Args)]
pub(crate) struct Options {
    /// Number of runs of each program on a small payload, at least 80; by default 200
    #[arg(long)]
    rounds: Option<u16>,
    /// Measure only what README.md shows, and draw its plot
    #[arg(long)]
    plot: bool,
    /// Measure only one call of other guards and SDKs, which are installed into a temporary folder
    #[arg(long, conflicts_with = "plot")]
    peers: bool,
}

/// Measures every figure.
pub(crate) fn run(options: &Options) -> Result<()> {
    run_all(&[build(), step(options)])
}

/// Builds with this xtask, which installs the measured hooks.
fn build() -> Step {
    Step::new("cargo build --release --package hookkit-tests --bin figures --bin tested-xtask")
}

fn step(options: &Options) -> Step {
    let mut command = "cargo run --release --package hookkit-tests --bin figures --".to_owned();
    if let Some(rounds) = options.rounds {
        command += &format!(" --rounds {rounds}");
    }
    if options.plot {
        command += " --plot docs/book/src/pictures/cost.svg";
    }
    if options.peers {
        command += " --peers";
    }
    Step::new(&command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_passed_on() {
        let shown = |rounds, plot, peers| step(&Options { rounds, plot, peers }).to_string();
        assert!(shown(None, false, false).ends_with("--bin figures --"));
        assert!(shown(Some(90), false, true).ends_with("--bin figures -- --rounds 90 --peers"));
        assert!(shown(None, true, false).ends_with("--bin figures -- --plot docs/book/src/pictures/cost.svg"));
    }
}
