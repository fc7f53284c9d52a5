//! The plot in README.md: the time that one call of the same hook takes, by language.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::cargo;
use crate::payload;
use crate::process::race;
use crate::programs::{Programs, says_answer};
use crate::report::{Available, Missing};

/// A script with the same hook.
struct Script {
    file: &'static str,
    source: &'static str,
    /// Each program that it needs, with the command that prints its version.
    programs: &'static [(&'static str, [&'static str; 2])],
}

const SCRIPTS: [Script; 3] = [
    Script {
        file: "hook.sh",
        source: include_str!("sources/peers/hook.sh"),
        programs: &[("bash", ["bash", "--version"]), ("jq", ["jq", "--version"])],
    },
    Script {
        file: "hook.py",
        source: include_str!("sources/peers/hook.py"),
        programs: &[("Python", ["python3", "--version"])],
    },
    Script {
        file: "hook.mjs",
        source: include_str!("sources/peers/hook.mjs"),
        programs: &[("Node", ["node", "--version"])],
    },
];

/// Measures the programs in one run, and writes the plot to `file`. Missing languages are left out.
///
/// # Errors
///
/// If a program's answer differs from the others'.
pub(crate) fn draw(programs: &Programs, folder: &Path, rounds: usize, file: &Path) -> Result<()> {
    let edit = payload::edit(2_000);
    let go = go(folder)?;
    let [shell, python, node] = SCRIPTS.each_ref().map(|script| script.write(folder));
    let [shell, python, node] = [shell?, python?, node?];
    let times = race(
        rounds,
        [
            (&programs.path_only, &edit),
            (&programs.plain, &edit),
            (&go, &edit),
            (&shell, &edit),
            (&python, &edit),
            (&node, &edit),
        ],
    )?;
    let mut labels = vec![
        format!("hookkit {}", env!("CARGO_PKG_VERSION")),
        format!("Rust {}, serde_json", version(["rustc", "--version"])),
        format!("Go {}", version(["go", "version"])),
    ];
    labels.extend(SCRIPTS.iter().map(Script::label));
    let bars: Vec<(String, f64)> =
        labels.into_iter().zip(times).filter_map(|(label, time)| Some((label, time.ok()? * 1_000.0))).collect();
    Ok(fs::write(file, svg(&bars))?)
}

impl Script {
    fn label(&self) -> String {
        let versions = self.programs.iter().map(|(name, command)| format!("{name} {}", version(*command)));
        versions.collect::<Vec<_>>().join(", ")
    }

    fn write(&self, folder: &Path) -> Result<Available<PathBuf>> {
        for (name, command) in self.programs {
            if first_line(*command).is_none() {
                return Ok(Err(Missing(format!("{name} is not installed"))));
            }
        }
        let path = folder.join(self.file);
        hookkit_tests::files::program(&path, self.source.replace("/usr/bin/env python3", &python()))?;
        says_answer(&path)?;
        Ok(Ok(path))
    }
}

/// Returns the path of the interpreter itself: `python3` may be a script that searches for it first.
pub(crate) fn python() -> String {
    let mut ask = Command::new("python3");
    let path = ask.args(["-c", "import sys; print(sys.executable)"]).output();
    path.map_or_else(
        |_| "/usr/bin/python3".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim_end().to_owned(),
    )
}

/// Compiles the hook in Go.
fn go(folder: &Path) -> Result<Available<PathBuf>> {
    let (source, program) = (folder.join("hook.go"), folder.join("hook-go"));
    fs::write(&source, include_str!("sources/peers/hook.go"))?;
    if first_line(["go", "version"]).is_none() {
        return Ok(Err(Missing("go is not installed".to_owned())));
    }
    let mut build = Command::new("go");
    build.args(["build", "-ldflags=-s -w", "-o"]).arg(&program).arg(&source);
    let output = build.current_dir(folder).output()?;
    ensure!(output.status.success(), "go does not build it: {}", cargo::error(&output));
    says_answer(&program)?;
    Ok(Ok(program))
}

/// Returns the first line of a command's output, or `None` if it cannot be run.
fn first_line([program, option]: [&str; 2]) -> Option<String> {
    let output = Command::new(program).arg(option).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    Some(text.lines().next()?.to_owned()).filter(|_| output.status.success())
}

/// Returns the number in the version that a command prints.
fn version(command: [&str; 2]) -> String {
    let line = first_line(command).unwrap_or_default();
    let mut numbers =
        line.split([' ', '-', '(']).map(|word| word.trim_start_matches(|char: char| !char.is_ascii_digit()));
    numbers.find(|word| word.contains('.')).unwrap_or_default().to_owned()
}

/// Draws bars of milliseconds, as long as they are in relation to the longest.
fn svg(bars: &[(String, f64)]) -> String {
    const LABELS: f64 = 230.0;
    const WIDTH: f64 = 720.0;
    const ROW: usize = 30;
    let longest = bars.iter().map(|(_, time)| *time).fold(0.0, f64::max);
    let own = bars.first().map_or(1.0, |(_, time)| *time);
    let height = 48 + bars.len() * ROW;
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Milliseconds of one call, by language">
  <style>
    text {{ font: 14px system-ui, sans-serif; fill: #1f2328 }}
    .page {{ fill: #ffffff }}
    .bar {{ fill: #8c959f }}
    .own {{ fill: #bc4c00 }}
    @media (prefers-color-scheme: dark) {{
      text {{ fill: #e6edf3 }}
      .page {{ fill: #0d1117 }}
      .bar {{ fill: #6e7681 }}
      .own {{ fill: #f0883e }}
    }}
  </style>
  <rect class="page" width="100%" height="100%" rx="4"/>
  <text x="12" y="26" font-weight="bold">One call of the same hook, in milliseconds (payload of 2 KB)</text>
"#
    );
    for (row, (label, time)) in bars.iter().enumerate() {
        let (top, class) = (40 + row * ROW, if row == 0 { "own" } else { "bar" });
        let (length, base) = (time / longest * (WIDTH - LABELS - 150.0), top + 16);
        let figure = match row {
            0 => format!("{time:.1}"),
            _ => format!("{time:.1}  (× {:.0})", time / own),
        };
        let end = LABELS + length.max(2.0) + 8.0;
        writeln!(
            svg,
            r#"  <text x="12" y="{base}">{label}</text>
  <rect class="{class}" x="{LABELS}" y="{top}" width="{:.1}" height="20" rx="2"/>
  <text x="{end:.1}" y="{base}">{figure}</text>"#,
            length.max(2.0)
        )
        .expect("a string takes all text");
    }
    svg + "</svg>\n"
}
