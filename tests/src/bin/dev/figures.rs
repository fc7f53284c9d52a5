//! `cargo dev figures`: starts the binary `figures` in release, since it measures.

use anyhow::Result;
use clap::Args;

use crate::step::{Step, run_all};

#[derive(Args)]
pub(crate) struct Options {
    /// How often each program runs on a small payload, at least 80; by default 200
    #[arg(long)]
    rounds: Option<u16>,
}

/// Measures every figure.
pub(crate) fn run(options: &Options) -> Result<()> {
    run_all(&[build(), step(options)])
}

/// The figures are those of hooks that this xtask installs.
fn build() -> Step {
    Step::new("cargo build --release --package hookkit-tests --bin figures --bin tested-xtask")
}

fn step(options: &Options) -> Step {
    let rounds = options.rounds.map(|rounds| format!(" -- --rounds {rounds}"));
    let rounds = rounds.unwrap_or_default();
    Step::new(&format!(
        "cargo run --release --package hookkit-tests --bin figures{rounds}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_handed_on() {
        let shown = |rounds| step(&Options { rounds }).to_string();
        assert!(shown(None).ends_with("--bin figures"));
        assert!(shown(Some(90)).ends_with("--bin figures -- --rounds 90"));
    }
}
