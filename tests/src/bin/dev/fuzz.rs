//! `cargo dev fuzz`: one fuzz target, with its inputs and its dictionary.

use std::fs;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use hookkit_tests::xtask::repository;

use crate::step::{Step, run_all};

#[derive(Args)]
pub(crate) struct Options {
    /// Fuzz target
    target: Target,
    /// Duration in seconds
    #[arg(long, default_value_t = 600)]
    seconds: u32,
}

/// A target of `tests/fuzz`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Target {
    /// A hook reads of a payload what serde_json reads of it
    Payload,
    /// A matcher matches what is reported about it
    Matcher,
    /// An `if` is parsed by the documented rules, in linear time
    Rule,
    /// Entries that are added to a settings file can be removed again, and nothing else changes
    Settings,
    /// A transcript reads the same from both ends, as serde_json reads it
    Transcript,
}

impl Target {
    fn name(self) -> &'static str {
        match self {
            Self::Payload => "payload",
            Self::Matcher => "matcher",
            Self::Rule => "rule",
            Self::Settings => "settings",
            Self::Transcript => "transcript",
        }
    }

    /// Returns the folder of recorded inputs that it starts with, where its inputs are texts.
    fn seeds(self) -> Option<&'static str> {
        match self {
            Self::Payload => Some("tests/fixtures/payloads"),
            Self::Settings => Some("tests/fixtures/doctor"),
            Self::Transcript => Some("tests/fixtures/transcripts"),
            Self::Matcher | Self::Rule => None,
        }
    }

    /// Returns the folder that libFuzzer writes new inputs to.
    fn corpus(self) -> String {
        format!("tests/fuzz/corpus/{}", self.name())
    }

    fn step(self, seconds: u32) -> Step {
        let mut words = vec!["cargo +nightly fuzz run --fuzz-dir tests/fuzz", self.name()];
        let corpus = self.corpus();
        words.push(&corpus);
        words.extend(self.seeds());
        words.push("--");
        if self.seeds().is_some() {
            words.push("-dict=tests/fuzz/json.dict");
        }
        if matches!(self, Self::Transcript) {
            // Ten times as fast as with longer inputs.
            words.push("-max_len=4000");
        }
        let time = format!("-max_total_time={seconds}");
        words.push(&time);
        Step::new(&words.join(" "))
    }
}

/// Fuzzes the target, after a check for the tools that it needs.
pub(crate) fn run(options: &Options) -> Result<()> {
    for (probe, missing, install) in [
        ("cargo +nightly --version", "nightly Rust", "rustup toolchain install nightly"),
        ("cargo +nightly fuzz --version", "cargo-fuzz", "cargo install cargo-fuzz"),
    ] {
        let is_installed = Step::new(probe).succeeds().unwrap_or(false);
        ensure!(is_installed, "{missing} is not installed (`{probe}` failed): {install}");
    }
    let corpus = repository().join(options.target.corpus());
    fs::create_dir_all(&corpus).with_context(|| format!("cannot create {}", corpus.display()))?;
    run_all(&[options.target.step(options.seconds)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_of_the_manifest_has_a_name_here() {
        let manifest = fs::read_to_string(repository().join("tests/fuzz/Cargo.toml")).unwrap();
        let binaries = manifest.split("[[bin]]\nname = \"").skip(1);
        let mut binaries: Vec<_> = binaries.filter_map(|rest| rest.split('"').next()).collect();
        let mut targets: Vec<_> = Target::value_variants().iter().map(|target| target.name()).collect();
        binaries.sort_unstable();
        targets.sort_unstable();
        assert_eq!(targets, binaries);
    }

    #[test]
    fn inputs_and_dictionary_exist() {
        assert!(repository().join("tests/fuzz/json.dict").is_file());
        for seeds in Target::value_variants().iter().filter_map(|target| target.seeds()) {
            assert!(repository().join(seeds).is_dir(), "{seeds} is not a folder");
        }
    }

    #[test]
    fn new_inputs_go_into_the_first_folder() {
        assert_eq!(
            Target::Transcript.step(5).to_string(),
            "cargo +nightly fuzz run --fuzz-dir tests/fuzz transcript tests/fuzz/corpus/transcript \
             tests/fixtures/transcripts -- -dict=tests/fuzz/json.dict -max_len=4000 -max_total_time=5"
        );
        assert_eq!(
            Target::Rule.step(5).to_string(),
            "cargo +nightly fuzz run --fuzz-dir tests/fuzz rule tests/fuzz/corpus/rule -- -max_total_time=5"
        );
    }
}
