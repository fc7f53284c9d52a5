//! Ten thousand runs of hooks, many in parallel, some of which are killed at random times, leave only complete data.
//!
//! They are killed as by the client: a hook leads a process group, and SIGKILL goes to the whole group. SIGTERM goes
//! only to the hook, which then kills its group.

use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ExitStatus, id};
use std::time::Instant;

use hookkit_tests::files::below;
use hookkit_tests::prelude::*;
use hookkit_tests::workspace::install;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

const RUNS: usize = 10_000;

/// The number of runs that share a file of variables, which is limited to 96 KiB.
const RUNS_IN_A_FILE: usize = 500;

/// The binary logarithm of the longest delay before a kill, in microseconds: longer than most runs take. The logarithms
/// of the delays are uniformly distributed, since short delays test more states.
const LONGEST: f64 = 13.0;

/// The intended end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Undisturbed,
    /// Its stdin is truncated.
    Truncated,
    /// SIGTERM, while its child still runs.
    Terminated,
    /// SIGKILL, while its child still runs.
    Killed,
}

/// A completed run.
struct Run {
    number: usize,
    process: u32,
    end: End,
    is_guard: bool,
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: String,
}

/// The project in which the hooks run.
struct Storm {
    project: Project,
    /// Value of a variable that identifies the processes of this test.
    mark: String,
}

impl Storm {
    /// Executes the runs of one file of variables, two to eight in parallel.
    fn batch(&self, first: usize, random: &mut fastrand::Rng) -> Result<Vec<Run>> {
        let at_a_time = random.usize(2..=8);
        let each = (0..at_a_time).map(|worker| {
            let mut random = random.fork();
            move || {
                let numbers = (first..first + RUNS_IN_A_FILE).skip(worker).step_by(at_a_time);
                numbers.map(|number| self.run(number, &mut random)).collect::<Result<Vec<_>>>()
            }
        });
        let each: Vec<_> = each.collect();
        let runs = thread::scope(|scope| {
            let workers: Vec<_> = each.into_iter().map(|work| scope.spawn(work)).collect();
            let runs = workers.into_iter().map(|worker| worker.join().expect("no panic"));
            runs.collect::<Result<Vec<_>>>()
        })?;
        Ok(runs.into_iter().flatten().collect())
    }

    fn run(&self, number: usize, random: &mut fastrand::Rng) -> Result<Run> {
        let end = match random.u8(..8) {
            0..4 => End::Undisturbed,
            4 => End::Truncated,
            5 | 6 => End::Terminated,
            _ => End::Killed,
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
        let is_killed = matches!(end, End::Terminated | End::Killed);
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
        let text = match end {
            End::Truncated => &text[..random.usize(..text.trim_end().len())],
            _ => &text,
        };
        let instant = Duration::from_secs_f64((LONGEST * random.f64()).exp2() / 1e6);
        // A killed hook may not have read all of it.
        let _ = stdin.write_all(text.as_bytes());
        drop(stdin);
        match end {
            End::Terminated => {
                thread::sleep(instant);
                kill_process(leader, Signal::TERM)?;
            }
            End::Killed => {
                thread::sleep(instant);
                kill_process_group(leader, Signal::KILL)?;
            }
            End::Undisturbed | End::Truncated => {}
        }
        let output = child.wait_with_output()?;
        Ok(Run {
            number,
            process,
            end,
            is_guard,
            status: output.status,
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr)?,
        })
    }

    fn variables(&self, number: usize) -> PathBuf {
        let file = format!("variables-{}.sh", number / RUNS_IN_A_FILE);
        self.project.path().join(file)
    }

    /// Returns the `stat` lines of the runs' remaining processes: those that have our mark, and our zombies.
    fn left(&self, leaders: &BTreeSet<u32>) -> Vec<String> {
        let mark = format!("STORM={}", self.mark);
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let processes = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let left = processes.filter_map(|process| {
            let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
            let (_, rest) = stat.rsplit_once(") ")?;
            let mut fields = rest.split(' ');
            let (state, parent) = (fields.next()?, fields.next()?.parse::<u32>().ok()?);
            // A zombie has no environment. Zombies of orphans are left out, since init reaps them.
            let is_ours = match state {
                "Z" => parent == id() && leaders.contains(&process),
                _ => {
                    let environment = fs::read(format!("/proc/{process}/environ")).ok()?;
                    environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
                }
            };
            is_ours.then(|| stat.clone())
        });
        left.collect()
    }
}

/// Checks that a run ended according to its hook's `on_failure`.
fn check(run: &Run) -> Result<()> {
    let hook = if run.is_guard { "at-call" } else { "at-start" };
    let failure = if run.is_guard { 2 } else { 1 };
    let answered = match run.is_guard {
        true => run.stdout.starts_with(b"{\"hookSpecificOutput\":{") && run.stdout.ends_with(b"}}"),
        false => run.stdout.is_empty(),
    };
    let failed = |why: &str| run.stderr.starts_with(&format!("hookkit: hook `{hook}` failed: {why}")) && answered;
    let is_right = match (run.end, run.status.code()) {
        (End::Undisturbed, code) => code == Some(0) && run.stderr.is_empty() && answered,
        (End::Truncated, code) => code == Some(failure) && failed("stdin is "),
        // Its child runs for ten minutes, and SIGTERM comes before its answer.
        (End::Terminated, Some(code)) => code == failure && failed("it was terminated (SIGTERM)"),
        // SIGTERM came before the start of `main`.
        (End::Terminated, None) => run.status.signal() == Some(Signal::TERM.as_raw()),
        (End::Killed, code) => code.is_none() && run.status.signal() == Some(Signal::KILL.as_raw()),
    };
    ensure!(
        is_right,
        "run {} ({hook}, {:?}) ended with {}: {}{}",
        run.number,
        run.end,
        run.status,
        run.stderr,
        String::from_utf8_lossy(&run.stdout)
    );
    Ok(())
}

/// Returns the numbers of the runs in the log. Fails if a line is incomplete.
fn logged(log: &Path) -> Result<BTreeSet<usize>> {
    let text = fs::read_to_string(log)?;
    ensure!(text.ends_with('\n'), "the last line has no line break");
    let lines = text.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["run", number, "was", "here"] if line.len() == 63 => Ok(number.parse()?),
            _ => anyhow::bail!("an incomplete line: {line:?}"),
        }
    });
    let numbers: Vec<usize> = lines.collect::<Result<_>>()?;
    let each: BTreeSet<usize> = numbers.iter().copied().collect();
    ensure!(each.len() == numbers.len(), "a run is in the log twice");
    Ok(each)
}

/// Returns the numbers of the runs whose variables a shell reads. Fails if a value is incomplete.
fn set(variables: &Path) -> Result<BTreeSet<usize>> {
    let output = Command::new("sh").args(["-euc", ". \"$1\"; env -0", "sh"]).arg(variables).output()?;
    ensure!(
        output.status.success() && output.stderr.is_empty(),
        "{} cannot be read: {}",
        variables.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout)?;
    let runs = text.split('\0').filter_map(|variable| variable.strip_prefix("RUN_")?.split_once('='));
    let whole = runs.map(|(number, value)| {
        let holds = value == format!("it's {number}\nand \"${number}\"");
        ensure!(holds, "run {number} has set {value:?}");
        Ok(number.parse()?)
    });
    whole.collect()
}

#[test]
fn killed_hooks_leave_only_complete_data() -> Result<()> {
    let project = Project::new()?;
    install("storm-hooks", &project)?;
    project.write("tmp/.keep", "")?;
    let before = names(project.path())?;
    let seed = fastrand::u64(..);
    // The seed reproduces the same runs, but not their scheduling.
    eprintln!("seed {seed}");
    let storm = Storm { project, mark: seed.to_string() };

    let started = Instant::now();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut runs = Vec::with_capacity(RUNS);
    while runs.len() < RUNS {
        runs.extend(storm.batch(runs.len(), &mut random)?);
    }
    let took = started.elapsed();

    let failed: Vec<String> = runs.iter().filter_map(|run| check(run).err()).map(|err| err.to_string()).collect();
    assert!(failed.is_empty(), "{} runs: {}", failed.len(), failed.join("\n"));

    // The kernel, and a hook that kills its group, need some time.
    let leaders = runs.iter().map(|run| run.process).collect();
    let mut left = storm.left(&leaders);
    for _ in 0..500 {
        if left.is_empty() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
        left = storm.left(&leaders);
    }
    assert!(left.is_empty(), "{} processes remain:\n{}", left.len(), left.join(""));

    let logged = logged(&storm.project.path().join("log"))?;
    let mut are_set = BTreeSet::new();
    let mut expected: BTreeSet<String> = before;
    expected.insert("log".to_owned());
    for number in (0..RUNS).step_by(RUNS_IN_A_FILE) {
        let file = storm.variables(number);
        are_set.extend(set(&file)?);
        expected.extend(file.file_name().and_then(|name| name.to_str()).map(str::to_owned));
    }
    let mut ends = BTreeMap::new();
    for run in &runs {
        let number = run.number;
        let is_done = run.end == End::Undisturbed;
        if is_done || run.end == End::Truncated {
            assert_eq!(logged.contains(&number), is_done, "run {number} in the log");
        }
        if is_done || run.is_guard || run.end == End::Truncated {
            let found = are_set.contains(&number);
            assert_eq!(found, is_done && !run.is_guard, "the variable of run {number}");
        }
        let (all, in_log, by_policy) = ends.entry(run.end).or_insert((0, 0, 0));
        *all += 1;
        *in_log += usize::from(logged.contains(&number));
        *by_policy += usize::from(run.status.code().is_some());
    }
    assert_eq!(names(storm.project.path())?, expected);
    eprintln!("{RUNS} runs in {} ms", took.as_millis());
    for (end, (all, in_log, by_policy)) in ends {
        eprintln!("{end:?}: {all}; {in_log} in the log, {by_policy} with an exit code");
    }
    Ok(())
}

/// Returns the paths of all files in a folder and below it.
fn names(folder: &Path) -> Result<BTreeSet<String>> {
    let files = below(folder, &|path| path.is_symlink())?.into_iter();
    files.map(|path| Ok(path.strip_prefix(folder)?.to_string_lossy().into_owned())).collect()
}
