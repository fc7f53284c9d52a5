//! `cargo xtask bench`

#![expect(
    clippy::disallowed_methods,
    reason = "its folders are temporary ones, and what cargo has built"
)]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;

use crate::binaries::definition::named;
use crate::binaries::generated::Build;
use crate::binaries::link::Toolchain;
use crate::binaries::sample;
use crate::cargo::program::{installed, says};
use crate::cargo::workspace::Workspace;
use crate::terminal::progress::Progress;
use crate::terminal::rows::{Format, row};
use crate::terminal::style::WARNING;
use crate::terminal::text::Text;
use crate::terminal::width::width;
use crate::terminal::{counted, inform};

#[derive(Args)]
pub(crate) struct Options {
    /// The hooks to measure [default: all of the workspace]
    hooks: Vec<String>,
    /// A file with the event [default: for each hook a recorded event that it runs on]
    #[arg(long, value_name = "FILE")]
    payload: Option<PathBuf>,
    /// Number of runs of each
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(10..=10_000))]
    rounds: u32,
    #[command(flatten)]
    format: Format,
}

/// A hook's time as multiples of the yardstick's in the same run: bare times drift from run to run, and from machine to
/// machine.
#[derive(Serialize)]
struct Ratio<'p> {
    name: &'p str,
    /// Of the tenth percentiles, which other load on the machine touches least.
    p10: f64,
    median: f64,
    exit_code: Option<i32>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let workspace = Workspace::find()?;
    let toolchain = Toolchain::find(&workspace.root)?;
    let build = Build::new(&workspace, toolchain.best(), &toolchain)?;
    let mut hooks = build.definitions()?;
    hooks.retain(|hook| !hook.changes.off);
    for name in &options.hooks {
        named(&hooks, name)?;
    }
    let mut chosen = hooks.clone();
    chosen.retain(|hook| options.hooks.is_empty() || options.hooks.contains(&hook.declared.name));
    let launchers = build.launchers(&chosen)?;
    let payload = match &options.payload {
        Some(file) => Some(fs::read(file).with_context(|| format!("reading {}", file.display()))?),
        None => None,
    };

    // What hooks do to a project they do here.
    let folder = tempfile::tempdir()?;
    let folder = folder.path().canonicalize()?;
    let mut programs = vec![Program::new(YARDSTICK, &empty_main(&folder)?, Vec::new())];
    for hook in &chosen {
        let stdin = match &payload {
            Some(given) => Some(given.clone()),
            None => sample::recorded(hook, &folder)?.pop().map(|event| event.payload),
        };
        let Some(stdin) = stdin else {
            inform(format_args!(
                "note: {} is left out: no recorded event is for it; name a file that has one: --payload FILE",
                hook.declared.name
            ));
            continue;
        };
        programs.push(Program::new(
            &hook.declared.name, &launchers[&hook.declared.name], stdin,
        ));
    }
    let mut order: Vec<usize> = (0..programs.len()).collect();
    let _progress = Progress::new(
        "Running",
        format!("{}, {} times each", counted(chosen.len(), "hook"), options.rounds),
    );
    let mut random = fastrand::Rng::with_seed(0);
    for _ in 0..options.rounds {
        // None always runs behind the same one: what that leaves in the caches would count for it.
        random.shuffle(&mut order);
        for index in &order {
            programs[*index].run(&folder)?;
        }
    }
    for program in &mut programs {
        program.times.sort_unstable();
    }
    let (yardstick, measured) = (&programs[0], &programs[1..]);
    let ratios = measured.iter().map(|program| Ratio {
        name: &program.name,
        p10: program.seconds(10) / yardstick.seconds(10),
        median: program.seconds(50) / yardstick.seconds(50),
        exit_code: program.exit_code,
    });
    let ratios: Vec<Ratio<'_>> = ratios.collect();
    let mut text = Text::new();
    text.bold("Time of a whole run")
        .plain(", in units of an empty Rust program:\n\n");
    let column = ratios.iter().map(|ratio| width(ratio.name)).max().unwrap_or_default();
    text.plain("  ")
        .dimmed("hook")
        .pad("hook", column)
        .dimmed("   p10  median  end")
        .line_end();
    let mut rows = Vec::new();
    for ratio in &ratios {
        text.plain("  ").bold(ratio.name).pad(ratio.name, column);
        text.plain(format_args!("{:6.2}  {:6.2}  ", ratio.p10, ratio.median));
        match ratio.exit_code {
            Some(0) => text.dimmed("exit code 0"),
            Some(code) => text.words(WARNING, format_args!("exit code {code}")),
            None => text.words(WARNING, "a signal"),
        };
        text.line_end();
        rows.push(row("hook", ratio)?);
    }
    options.format.print(text, &rows)
}

const YARDSTICK: &str = "an empty program";

struct Program {
    name: String,
    path: PathBuf,
    stdin: Vec<u8>,
    times: Vec<Duration>,
    exit_code: Option<i32>,
}

impl Program {
    fn new(name: &str, path: &Path, stdin: Vec<u8>) -> Self {
        Self {
            name: name.to_owned(),
            path: path.to_owned(),
            stdin,
            times: Vec::new(),
            exit_code: None,
        }
    }

    /// Runs it once, from the start of the process to its end.
    fn run(&mut self, folder: &Path) -> Result<()> {
        let started = Instant::now();
        let mut child = Command::new(&self.path)
            .current_dir(folder)
            .env("CLAUDE_PROJECT_DIR", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{} could not be started", self.path.display()))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A hook need not read all of it.
            let _ = stdin.write_all(&self.stdin);
        }
        self.exit_code = child.wait()?.code();
        self.times.push(started.elapsed());
        Ok(())
    }

    /// The time that this share of its runs, in percent, stayed below. They are sorted.
    fn seconds(&self, percent: usize) -> f64 {
        self.times[self.times.len() * percent / 100].as_secs_f64()
    }
}

/// Builds the yardstick: what everybody's Rust program costs, before it does anything.
fn empty_main(folder: &Path) -> Result<PathBuf> {
    let (source, program) = (folder.join("empty.rs"), folder.join("empty"));
    fs::write(&source, "fn main() {}\n")?;
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut rustc = installed(rustc, folder);
    rustc
        .args(["-Copt-level=3", "-Cstrip=symbols", "-o"])
        .args([&program, &source]);
    says(&mut rustc, "an empty program does not build").map(|_| program)
}
