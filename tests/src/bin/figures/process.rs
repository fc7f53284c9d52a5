//! The cost of a process: wall time, instructions, memory, CPU time.

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use wait4::Wait4;

use crate::report::{Available, Missing};

/// Runs all programs on their payloads, one after the other, `rounds` times. Returns the seconds that each takes as a
/// whole process.
///
/// These are tenth percentiles, which other load affects least. They are only meaningful as ratios to each other.
pub(crate) fn race<const N: usize>(
    rounds: usize,
    programs: [(&Available<PathBuf>, &[u8]); N],
) -> Result<[Available<f64>; N]> {
    let here = programs.iter().filter_map(|(program, stdin)| {
        let program = program.as_ref().ok()?;
        Some((move || Command::new(program), *stdin))
    });
    let mut times = race_commands(rounds, &here.collect::<Vec<_>>())?.into_iter();
    Ok(programs.map(|(program, _)| {
        let program = program.clone();
        program.map(|_| times.next().expect("one time for each program"))
    }))
}

/// Runs commands as [`race`] runs programs.
pub(crate) fn race_commands(rounds: usize, calls: &[(impl Fn() -> Command, &[u8])]) -> Result<Vec<f64>> {
    let mut times = vec![Vec::new(); calls.len()];
    let mut order: Vec<usize> = (0..calls.len()).collect();
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..rounds {
        // Shuffled: an earlier program may have filled the caches, or emptied them.
        random.shuffle(&mut order);
        for &index in &order {
            let (command, stdin) = &calls[index];
            times[index].push(wall(command(), stdin)?);
        }
    }
    let tenth = |mut times: Vec<Duration>| {
        times.sort_unstable();
        times[rounds / 10].as_secs_f64()
    };
    Ok(times.into_iter().map(tenth).collect())
}

/// Measures a process from its start to its end, with backtraces enabled.
fn wall(mut command: Command, stdin: &[u8]) -> Result<Duration> {
    command.env("RUST_BACKTRACE", "1").stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    start(command, stdin)?.wait()?;
    Ok(started.elapsed())
}

/// Starts a process and gives it `stdin` as the client does, through a socket.
fn start(mut command: Command, stdin: &[u8]) -> Result<Child> {
    let (mut ours, theirs) = UnixStream::pair()?;
    let child = command
        .stdin(OwnedFd::from(theirs))
        .spawn()
        .with_context(|| format!("{} could not be started", command.get_program().display()))?;
    // It has our copy of their end: a process that ends early would otherwise leave us writing forever.
    drop(command);
    // A hook need not read all of it.
    let _ = ours.write_all(stdin);
    Ok(child)
}

/// Returns the number of instructions that a program executes, counted by callgrind.
pub(crate) fn instructions(program: &Available<PathBuf>, stdin: &Path) -> Result<Available<f64>> {
    let program = match program {
        Ok(program) => program,
        Err(missing) => return Ok(Err(missing.clone())),
    };
    let missing = || Missing("valgrind is not installed".to_owned());
    Ok(hookkit_tests::xtask::instructions(program, stdin)?.map(|count| count as f64).ok_or_else(missing))
}

/// Returns the peak memory of a program, in bytes.
///
/// The system counts the parent's memory at the start of a process as the process's own. So `peak`, a program with next
/// to no memory, starts the program and measures it.
pub(crate) fn peak_memory(peak: &Path, program: &Available<PathBuf>, stdin: &[u8]) -> Result<Available<f64>> {
    let program = match program {
        Ok(program) => program,
        Err(missing) => return Ok(Err(missing.clone())),
    };
    let mut command = Command::new(peak);
    command.arg(program).stdout(Stdio::piped());
    let output = start(command, stdin)?.wait_with_output()?;
    ensure!(output.status.success(), "{} failed: {}", peak.display(), output.status);
    Ok(Ok(String::from_utf8(output.stdout)?.trim_end().parse()?))
}

/// Runs a command that must succeed; how many seconds of CPU it and its children spend on their own code.
pub(crate) fn cpu(mut command: Command) -> Result<f64> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut said = String::new();
    child.stdout.take().context("it has a stdout")?.read_to_string(&mut said)?;
    let used = child.wait4()?;
    ensure!(used.status.success(), "{command:?} failed: {said}");
    Ok(used.rusage.utime.as_secs_f64())
}
