//! Measures every figure of the project in one run, and reports those that miss their limit.
//!
//! Times are of whole processes, as ratios to other programs' times in the same run: absolute times drift from run to
//! run, and from machine to machine. Only builds are in seconds, of CPU. The other programs are built here, too.

#![expect(clippy::print_stdout, reason = "here stdout belongs to people")]

mod cargo;
mod payload;
mod peers;
mod plot;
mod process;
mod programs;
mod report;
mod workspace;

// Included so that they build whenever the tests do: the program itself has them as a text.
#[cfg(test)]
#[path = "sources/hooks.rs"]
#[allow(dead_code, unreachable_pub, reason = "they are hooks of a pack")]
mod hooks;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use crate::process::{instructions, peak_memory, race};
use crate::programs::Programs;
use crate::report::Must::{Anything, AtMost};
use crate::report::{Available, Report, ratio};
use crate::workspace::Workspace;

/// Measures every figure of the project, and fails if one misses its limit.
#[derive(Parser)]
struct Options {
    /// The number of runs of each program on a small payload; there are fewer on large ones
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u16).range(80..))]
    rounds: u16,
    /// Measure only what README.md shows, and draw the plot into this file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Install other guards and SDKs into a temporary folder, and measure only one call of each
    #[arg(long, conflicts_with = "plot")]
    peers: bool,
}

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    let rounds = usize::from(options.rounds);
    let folder = test_support::folder();
    let folder = folder.path().canonicalize()?;
    if options.peers {
        peers::print(&folder, rounds)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut report = Report::default();
    let programs = Programs::build(&folder)?;
    if let Some(file) = options.plot {
        plot::draw(&programs, &folder, rounds, &file)?;
        return Ok(ExitCode::SUCCESS);
    }
    small(&mut report, &programs, rounds)?;
    counted(&mut report, &programs, &folder)?;
    large(&mut report, &programs, rounds / 4)?;
    builds(&mut report, &programs, &folder)?;
    growth(&mut report, &programs, rounds / 8)?;
    println!("{report}");
    Ok(if report.missed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Measures times on a payload of 2 KB, where the start of the process dominates.
fn small(report: &mut Report, programs: &Programs, rounds: usize) -> Result<()> {
    let edit = payload::edit(2_000);
    let [empty, musl, glibc, dynamic, plugin, plain, panics] = race(
        rounds,
        [
            &programs.empty, &programs.path_only, &programs.path_only_glibc, &programs.path_only_dynamic,
            &programs.path_only_plugin, &programs.plain, &programs.panics,
        ]
        .map(|program| (program, &edit[..])),
    )?;
    report.check("musl", ratio(&musl, &empty));
    report.check("glibc", ratio(&glibc, &empty));
    report.check("dynamic", ratio(&dynamic, &empty));
    report.check("plugin", ratio(&plugin, &empty).and_then(|plugin| Ok(plugin - ratio(&musl, &empty)?)));
    report.check("handwritten", ratio(&plain, &musl));
    report.check("panics", ratio(&panics, &musl));
    Ok(())
}

/// Measures instructions, which are the same in every run.
fn counted(report: &mut Report, programs: &Programs, folder: &Path) -> Result<()> {
    for (program, stdin, limit, what) in [
        (&programs.path_only, payload::edit(2_000), 11_500.0, "2 KB, answers"),
        (&programs.miss, payload::write(20_000), 3_300.0, "20 KB, the matcher does not fit"),
    ] {
        let file = folder.join("stdin");
        fs::write(&file, stdin)?;
        let (whole, empty) = (instructions(program, &file)?, instructions(&programs.empty_musl, &file)?);
        let now = whole.and_then(|whole| Ok(whole - empty?));
        report.add(now, AtMost(limit), format!("{what}: instructions over those of an empty main"));
    }
    Ok(())
}

/// Measures time and memory on a payload of 10 MB, where reading dominates.
///
/// A socket holds 200 KB, so the hook and this process take turns fifty times. The scheduler decides on the length of a
/// turn: more rounds than elsewhere are needed to measure the hook and not other load.
fn large(report: &mut Report, programs: &Programs, rounds: usize) -> Result<()> {
    let write = payload::write(10_000_000);
    let [value, path_only, content_only] = race(
        rounds,
        [&programs.value, &programs.path_only, &programs.content_only].map(|program| (program, &write[..])),
    )?;
    let held = |program| peak_memory(&programs.peak, program, &write);
    let (value_held, path_only_held) = (held(&programs.value)?, held(&programs.path_only)?);
    report.check("time of the path", ratio(&value, &path_only));
    report.check("memory of the path", ratio(&path_only_held, &value_held));
    report.check("time of the content", ratio(&value, &content_only));
    Ok(())
}

/// Measures sizes of binaries, and the cost of their builds.
fn builds(report: &mut Report, programs: &Programs, folder: &Path) -> Result<()> {
    let one = Workspace::new(folder.join("one"), &reminders(1, "tests"), "")?;
    let first = one.install()?;
    let twenty = Workspace::new(folder.join("twenty"), &reminders(20, "tests"), "")?;
    let all_twenty = twenty.install()?;
    let mut touched = f64::INFINITY;
    for what in ["lints", "docs", "examples"] {
        twenty.write_hooks(&reminders(20, what))?;
        touched = touched.min(twenty.install()?);
    }
    let all_hundred = Workspace::new(folder.join("hundred"), &reminders(100, "tests"), "")?.install()?;

    let size = match &programs.path_only {
        Ok(binary) => Ok(bytes(binary)?),
        Err(missing) => Err(missing.clone()),
    };
    report.check("size", size);
    let next_to_regex = size_next_to_regex(folder)?;
    let alone = Ok(bytes(&one.installed("remind-0")?)?);
    report.check("size next to regex", ratio(&next_to_regex, &alone));
    // Elsewhere than with musl the linker is the author's, which takes its own time.
    let touched = programs.path_only.clone().map(|_| touched);
    report.check("touched", touched);
    report.check("one hook more", Ok((all_twenty - first) / 19.0 / first));
    for (count, seconds) in [(1, first), (20, all_twenty), (100, all_hundred)] {
        report.add(Ok(seconds), Anything, format!("clean install, hooks: {count}: seconds of CPU"));
    }
    Ok(())
}

/// Measures the size of a hook in a pack with a larger hook.
fn size_next_to_regex(folder: &Path) -> Result<Available<f64>> {
    const MATE: &str = include_str!("sources/careful.txt");
    let workspace = Workspace::new(folder.join("next-to-regex"), &(reminders(1, "tests") + MATE), "regex = \"1\"")?;
    if let Err(missing) = workspace.fetch()? {
        return Ok(Err(missing));
    }
    workspace.install()?;
    Ok(Ok(bytes(&workspace.installed("remind-0")?)?))
}

fn bytes(binary: &Path) -> Result<f64> {
    Ok(fs::metadata(binary)?.len() as f64)
}

/// Returns the code of a pack of so many hooks. The first one's reminder is `what`.
fn reminders(count: usize, what: &str) -> String {
    let mut code = "//! Reminders.\n\nuse hookkit::prelude::*;\n".to_owned();
    for number in 0..count {
        let what = if number == 0 { what.to_owned() } else { format!("suite {number}") };
        code += &format!(
            r#"
/// Reminds of one thing.
#[hook(PostToolUse, matcher = "Edit|Write")]
pub fn remind_{number}(call: PostToolUse<tool::FileChange>) -> Option<PostToolUseAnswer> {{
    let is_rust = call.input.file_path.extension().is_some_and(|extension| extension == "rs");
    is_rust.then(|| PostToolUseAnswer::pass().with_context("remember to look at the {what}"))
}}
"#
        );
    }
    code
}

/// Measures the cost of more of a payload for a hook that does not read it.
fn growth(report: &mut Report, programs: &Programs, rounds: usize) -> Result<()> {
    let sizes = [
        ("2 KB", 2_000),
        ("20 KB", 20_000),
        ("200 KB", 200_000),
        ("2 MB", 2_000_000),
        ("20 MB", 20_000_000),
        ("100 MB", 100_000_000),
    ];
    let payloads = sizes.map(|(name, size)| (name, payload::write(size)));
    let times = race(rounds, payloads.each_ref().map(|(_, payload)| (&programs.path_only, payload.as_slice())))?;
    for ((name, payload), time) in payloads.iter().zip(&times) {
        let held = peak_memory(&programs.peak, &programs.path_only, payload)?;
        report.add(held.map(|bytes| bytes / 1_000.0), Anything, format!("takes the path of {name}: peak memory in KB"));
        report.add(ratio(time, &times[0]), Anything, format!("takes the path of {name}: time / that of 2 KB"));
    }
    Ok(())
}
