//! `cargo xtask try`: the hooks of a pack on recorded events, before anybody depends on it.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use hookkit::testing::{End, Ran, Verdict};

use crate::candidate::{Author, Candidate, Source};
use crate::changes::{described, source};
use crate::definition::{Definition, Mode};
use crate::link::Toolchain;
use crate::sample::{self, Sample};
use crate::workspace::Metadata;
use crate::{listed, print};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    source: Source,
    /// Only this hook; may be repeated [default: all of the package's]
    #[arg(long = "hook", value_name = "NAME")]
    hooks: Vec<String>,
    /// A file with what Claude Code writes to a hook, in place of the recorded events; may be repeated
    #[arg(long = "payload", value_name = "FILE")]
    payloads: Vec<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let folder = tempfile::tempdir().context("there is no temporary folder")?;
    let author = match Metadata::of(&std::env::current_dir()?) {
        Ok(metadata) => Author::of(&metadata)?,
        Err(_) => Author::nobody(folder.path())?,
    };
    let given = options.payloads.iter().map(|path| {
        let payload = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        Sample::parse(&payload).with_context(|| format!("reading {}", path.display()))
    });
    let given: Vec<Sample> = given.collect::<Result<_>>()?;

    let candidate = Candidate::find(&options.source, &author)?;
    let hooks = candidate.hooks()?;
    let chosen = chosen(&hooks, &options.hooks)?;
    let toolchain = Toolchain::find(&author.cwd)?;
    let launchers = candidate.build(&toolchain)?.launchers(&hooks, &chosen)?;

    // What a hook does to a project, or to its user's files, it does here.
    let place = Trial::new(folder.path())?;
    let mut text = format!("{} {}\n", candidate.package.name, source(&candidate.package));
    for hook in &chosen {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\n{}  {}\n  {}", hook.name, hook.summary(), described(hook));
        if hook.condition.is_some() {
            text += "    (Claude Code would ask the `if` first; here nobody does)\n";
        }
        let recorded = match given.is_empty() {
            true => sample::recorded(hook, &place.project)?,
            false => Vec::new(),
        };
        let samples = recorded.iter().chain(given.iter().filter(|sample| sample.is_for(hook)));
        let mut is_tried = false;
        for sample in samples {
            let (ran, took) = place.run(&Tried::of(hook), &launchers[&hook.name], sample)?;
            let verdict = Verdict::of(sample.event, &ran).to_string().replace('\n', "\n      ");
            let _ = writeln!(text, "    {} ({} ms): {verdict}", sample.name(), took.as_millis());
            is_tried = true;
        }
        if !is_tried {
            text += "    none of the events is for it; name a file that has one: --payload FILE\n";
        }
    }
    print(text.trim_end())
}

fn chosen(hooks: &[Definition], names: &[String]) -> Result<Vec<Definition>> {
    for name in names {
        ensure!(
            hooks.iter().any(|hook| hook.name == *name),
            "there is no hook `{name}`; there are {}",
            listed(hooks.iter().map(|hook| &hook.name))
        );
    }
    let is_chosen = |hook: &&Definition| names.is_empty() || names.contains(&hook.name);
    Ok(hooks.iter().filter(is_chosen).cloned().collect())
}

/// A place where hooks run on made-up occasions.
pub(crate) struct Trial {
    home: PathBuf,
    pub(crate) project: PathBuf,
}

/// What is to be known of a hook to run it.
pub(crate) struct Tried<'h> {
    pub(crate) name: &'h str,
    /// In seconds.
    pub(crate) timeout: Option<f64>,
    pub(crate) mode: Option<Mode>,
}

impl<'h> Tried<'h> {
    fn of(hook: &'h Definition) -> Self {
        Self {
            name: &hook.name,
            timeout: hook.timeout.map(f64::from),
            mode: hook.mode,
        }
    }
}

/// How long a hook is waited for that does not say so itself.
const LIMIT: Duration = Duration::from_secs(60);

impl Trial {
    pub(crate) fn new(folder: &Path) -> Result<Self> {
        let folder = folder.canonicalize()?;
        let place = Self {
            home: folder.join("home"),
            project: folder.join("project"),
        };
        for folder in [&place.home, &place.project] {
            fs::create_dir(folder).with_context(|| format!("creating {}", folder.display()))?;
        }
        Ok(place)
    }

    /// Runs a hook as the client does; what came of it, and how long it took.
    pub(crate) fn run(&self, hook: &Tried<'_>, binary: &Path, sample: &Sample) -> Result<(Ran, Duration)> {
        let started = Instant::now();
        let mut child = Command::new(binary)
            .current_dir(&self.project)
            .env("HOME", &self.home)
            .env("CLAUDE_PROJECT_DIR", &self.project)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("{} could not be started", hook.name))?;
        let (mut stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let payload = sample.payload.clone();
        thread::spawn(move || {
            // A hook need not read all of it.
            let _ = stdin.as_mut().map(|stdin| stdin.write_all(&payload));
        });
        let (stdout, stderr) = (thread::spawn(|| read(stdout)), thread::spawn(|| read(stderr)));
        let limit = hook
            .timeout
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .unwrap_or(LIMIT);
        let end = loop {
            if let Some(status) = child.try_wait()? {
                break status.code().map_or(End::Killed, End::Exited);
            }
            if started.elapsed() > limit {
                child.kill()?;
                child.wait()?;
                break End::TimedOut;
            }
            thread::sleep(Duration::from_millis(1));
        };
        let took = started.elapsed();
        let (Ok(stdout), Ok(stderr)) = (stdout.join(), stderr.join()) else {
            bail!("what {} said could not be read", hook.name);
        };
        let mut ran = Ran::ended(end)
            .stdout(stdout)
            .stderr(stderr)
            .command(hook.name)
            .mode(match hook.mode {
                None => hookkit::Mode::Awaited,
                Some(Mode::Async) => hookkit::Mode::Async,
                Some(Mode::AsyncRewake) => hookkit::Mode::AsyncRewake,
            });
        if let Some(target) = &sample.target {
            ran = ran.target(target);
        }
        Ok((ran, took))
    }
}

fn read(stream: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What was said before counts.
    let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
    bytes
}
