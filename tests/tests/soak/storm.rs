//! Ten thousand runs of hooks, many at a time, of which a part is killed at any instant: what they leave is whole.
//!
//! Who kills does it as the client does: a hook leads a process group, and SIGKILL goes to all of that. SIGTERM goes to the
//! hook alone, which then ends its group itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio, id};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use hookkit_tests::Project;
use hookkit_tests::workspace::install;
use hookkit_tests::xtask::{installed, payload};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

const RUNS: usize = 10_000;

/// How many runs stand in one file of variables, which holds 96 KiB.
const RUNS_IN_A_FILE: usize = 500;

/// Who kills waits for less than two to this power, in microseconds: longer than most runs take. Every power is as likely,
/// since the first instants are many.
const LONGEST: f64 = 13.0;

/// What becomes of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    LeftAlone,
    /// Its stdin ends too early.
    CutOff,
    /// SIGTERM, while its child runs for long.
    Told,
    /// SIGKILL, likewise.
    Killed,
}

/// A run that is over.
struct Run {
    number: usize,
    process: u32,
    fate: Fate,
    is_guard: bool,
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: String,
}

/// The place where hooks run.
struct Storm {
    project: Project,
    /// Marks the processes of this test.
    mark: String,
}

impl Storm {
    /// The runs of one file of variables, two to eight at a time.
    fn batch(&self, first: usize, random: &mut fastrand::Rng) -> Result<Vec<Run>> {
        let at_a_time = random.usize(2..=8);
        let each = (0..at_a_time).map(|worker| {
            let mut random = random.fork();
            move || {
                let numbers = (first..first + RUNS_IN_A_FILE).skip(worker).step_by(at_a_time);
                numbers
                    .map(|number| self.run(number, &mut random))
                    .collect::<Result<Vec<_>>>()
            }
        });
        let each: Vec<_> = each.collect();
        let runs = thread::scope(|scope| {
            let workers: Vec<_> = each.into_iter().map(|work| scope.spawn(work)).collect();
            let runs = workers
                .into_iter()
                .map(|worker| worker.join().expect("it does not panic"));
            runs.collect::<Result<Vec<_>>>()
        })?;
        Ok(runs.into_iter().flatten().collect())
    }

    fn run(&self, number: usize, random: &mut fastrand::Rng) -> Result<Run> {
        let fate = match random.u8(..8) {
            0..4 => Fate::LeftAlone,
            4 => Fate::CutOff,
            5 | 6 => Fate::Told,
            _ => Fate::Killed,
        };
        let is_guard = random.bool();
        let (hook, recorded) = match is_guard {
            true => ("at-call", "PreToolUse-Bash"),
            false => ("at-start", "SessionStart-startup"),
        };
        let folder = self.project.path().to_str().context("a UTF-8 path")?;
        let text = payload(recorded)?
            .replace("/home/user/project", folder)
            .replace("00000000-0000-4000-8000-000000000001", &number.to_string());
        let is_killed = matches!(fate, Fate::Told | Fate::Killed);
        let mut child = Command::new(installed(self.project.path(), hook)?)
            .current_dir(self.project.path())
            .env("STORM", &self.mark)
            .env("STORM_CHILD", if is_killed { "600" } else { "0" })
            .env("TMPDIR", self.project.path().join("tmp"))
            .env("CLAUDE_ENV_FILE", self.variables(number))
            .env("CLAUDE_PROJECT_DIR", self.project.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let process = child.id();
        let leader = Pid::from_child(&child);
        let mut stdin = child.stdin.take().context("a pipe")?;
        let text = match fate {
            Fate::CutOff => &text[..random.usize(..text.trim_end().len())],
            _ => &text,
        };
        let instant = Duration::from_secs_f64((LONGEST * random.f64()).exp2() / 1e6);
        // One that is killed may be gone before it has read all.
        let _ = stdin.write_all(text.as_bytes());
        drop(stdin);
        match fate {
            Fate::Told => {
                thread::sleep(instant);
                kill_process(leader, Signal::TERM)?;
            }
            Fate::Killed => {
                thread::sleep(instant);
                kill_process_group(leader, Signal::KILL)?;
            }
            Fate::LeftAlone | Fate::CutOff => {}
        }
        let output = child.wait_with_output()?;
        Ok(Run {
            number,
            process,
            fate,
            is_guard,
            status: output.status,
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr)?,
        })
    }

    fn variables(&self, number: usize) -> std::path::PathBuf {
        let file = format!("variables-{}.sh", number / RUNS_IN_A_FILE);
        self.project.path().join(file)
    }

    /// What is left of the runs' processes: those that have our mark, or are in a group of theirs, or are our zombies.
    fn left(&self, leaders: &BTreeSet<u32>) -> Vec<String> {
        let mark = format!("STORM={}", self.mark);
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let processes = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let left = processes.filter_map(|process| {
            let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
            let (_, rest) = stat.rsplit_once(") ")?;
            let mut fields = rest.split(' ');
            let (state, parent) = (fields.next()?, fields.next()?.parse::<u32>().ok()?);
            // Who has ended leaves no environment. The parent of an orphan is the machine's init, whose duty it is.
            let is_ours = match state {
                "Z" => parent == id() && leaders.contains(&process),
                _ => {
                    let environment = fs::read(format!("/proc/{process}/environ")).ok()?;
                    environment
                        .split(|byte| *byte == 0)
                        .any(|variable| variable == mark.as_bytes())
                }
            };
            is_ours.then(|| stat.clone())
        });
        left.collect()
    }
}

/// Whether a run ended as its hook's policy wants it, whatever happened to it.
fn check(run: &Run) -> Result<()> {
    let hook = if run.is_guard { "at-call" } else { "at-start" };
    let refused = if run.is_guard { 2 } else { 1 };
    let answered = match run.is_guard {
        true => run.stdout.starts_with(b"{\"hookSpecificOutput\":{") && run.stdout.ends_with(b"}}"),
        false => run.stdout.is_empty(),
    };
    let failed = |why: &str| run.stderr.starts_with(&format!("hookkit: hook `{hook}` failed: {why}")) && answered;
    let is_right = match (run.fate, run.status.code()) {
        (Fate::LeftAlone, code) => code == Some(0) && run.stderr.is_empty() && answered,
        (Fate::CutOff, code) => code == Some(refused) && failed("stdin is "),
        // It has a child that runs for ten minutes, and is told before it can answer.
        (Fate::Told, Some(code)) => code == refused && failed("it was told to end (SIGTERM)"),
        // It was told before its `main` had begun.
        (Fate::Told, None) => run.status.signal() == Some(Signal::TERM.as_raw()),
        (Fate::Killed, code) => code.is_none() && run.status.signal() == Some(Signal::KILL.as_raw()),
    };
    ensure!(
        is_right,
        "run {} ({hook}, {:?}) ended with {}: {}{}",
        run.number,
        run.fate,
        run.status,
        run.stderr,
        String::from_utf8_lossy(&run.stdout)
    );
    Ok(())
}

/// The numbers of the runs in the log, each line of which has to be whole.
fn logged(log: &Path) -> Result<BTreeSet<usize>> {
    let text = fs::read_to_string(log)?;
    ensure!(text.ends_with('\n'), "the last line has no end");
    let lines = text.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["run", number, "was", "here"] if line.len() == 63 => Ok(number.parse()?),
            _ => anyhow::bail!("a torn line: {line:?}"),
        }
    });
    let numbers: Vec<usize> = lines.collect::<Result<_>>()?;
    let each: BTreeSet<usize> = numbers.iter().copied().collect();
    ensure!(each.len() == numbers.len(), "a run stands twice in the log");
    Ok(each)
}

/// The numbers of the runs whose variables a shell gets, each of which has to be whole.
fn set(variables: &Path) -> Result<BTreeSet<usize>> {
    let output = Command::new("sh")
        .args(["-euc", ". \"$1\"; env -0", "sh"])
        .arg(variables)
        .output()?;
    ensure!(
        output.status.success() && output.stderr.is_empty(),
        "{} cannot be read: {}",
        variables.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout)?;
    let runs = text
        .split('\0')
        .filter_map(|variable| variable.strip_prefix("RUN_")?.split_once('='));
    let whole = runs.map(|(number, value)| {
        ensure!(
            value == format!("it's {number}\nand \"${number}\""),
            "run {number} has set {value:?}"
        );
        Ok(number.parse()?)
    });
    whole.collect()
}

#[test]
fn what_ten_thousand_runs_leave_is_whole_whoever_kills_them() -> Result<()> {
    let project = Project::new()?;
    install("storm-hooks", &project)?;
    project.write("tmp/.keep", "")?;
    let before = names(project.path())?;
    let seed = fastrand::u64(..);
    // Who wants to see the same storm begins with it; what the scheduler does to it nobody can repeat.
    eprintln!("seed {seed}");
    let storm = Storm {
        project,
        mark: seed.to_string(),
    };

    let started = Instant::now();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut runs = Vec::with_capacity(RUNS);
    while runs.len() < RUNS {
        runs.extend(storm.batch(runs.len(), &mut random)?);
    }
    let took = started.elapsed();

    let failed: Vec<String> = runs
        .iter()
        .filter_map(|run| check(run).err())
        .map(|err| err.to_string())
        .collect();
    assert!(failed.is_empty(), "{} runs: {}", failed.len(), failed.join("\n"));

    // The kernel takes a moment, and so does whoever ends a group behind its leader.
    let leaders = runs.iter().map(|run| run.process).collect();
    let mut left = storm.left(&leaders);
    for _ in 0..500 {
        if left.is_empty() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
        left = storm.left(&leaders);
    }
    assert!(left.is_empty(), "{} processes are left:\n{}", left.len(), left.join(""));

    let logged = logged(&storm.project.path().join("log"))?;
    let mut are_set = BTreeSet::new();
    let mut expected: BTreeSet<String> = before;
    expected.insert("log".to_owned());
    for number in (0..RUNS).step_by(RUNS_IN_A_FILE) {
        let file = storm.variables(number);
        are_set.extend(set(&file)?);
        expected.extend(file.file_name().and_then(|name| name.to_str()).map(str::to_owned));
    }
    let mut fates = BTreeMap::new();
    for run in &runs {
        let number = run.number;
        let is_done = run.fate == Fate::LeftAlone;
        if is_done || run.fate == Fate::CutOff {
            assert_eq!(logged.contains(&number), is_done, "run {number} in the log");
        }
        if is_done || run.is_guard || run.fate == Fate::CutOff {
            assert_eq!(
                are_set.contains(&number),
                is_done && !run.is_guard,
                "the variable of run {number}"
            );
        }
        let (all, in_log, by_policy) = fates.entry(run.fate).or_insert((0, 0, 0));
        *all += 1;
        *in_log += usize::from(logged.contains(&number));
        *by_policy += usize::from(run.status.code().is_some());
    }
    assert_eq!(names(storm.project.path())?, expected);
    eprintln!("{RUNS} runs in {} ms", took.as_millis());
    for (fate, (all, in_log, by_policy)) in fates {
        eprintln!("{fate:?}: {all}, of which {in_log} came to work and {by_policy} ended by themselves");
    }
    Ok(())
}

/// What is in a folder and below it, but for what git and hookkit have there.
fn names(folder: &Path) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().into_string().unwrap_or_default();
        let below = folder.join(&name);
        if below.is_dir() && !below.is_symlink() {
            names.extend(self::names(&below)?.into_iter().map(|inner| format!("{name}/{inner}")));
        } else {
            names.insert(name);
        }
    }
    Ok(names)
}
