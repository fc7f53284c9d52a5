//! `cargo xtask run`: runs a hook, or all hooks of a pack, on events, and shows Claude Code's reaction to the answers.

mod as_test;
mod occasion;

use std::fmt::Write as _;

use hookkit_protocol::matcher;
use hookkit_verdict::{Dropped, End, Ran, Verdict};

use crate::binaries::candidate;
use crate::binaries::definition::{Definition, named, warn_undescribed};
use crate::binaries::generated::Build;
use crate::binaries::sample::{self, Sample};
use crate::binaries::trial::{Trial, Tried, ended, trial_row, verdict_members, written};
use crate::cargo::source::Source;
use crate::cargo::workspace::Workspace;
use crate::commands::prelude::*;
use crate::commands::run::occasion::{Asked, Occasion, Then};
use crate::terminal::progress::Progress;
use crate::terminal::{BOLD, extend, joined, option};

#[derive(Args)]
#[command(after_help = "\
Exit code 1: the hook failed, or Claude Code ignores a part of its answer.

Examples: cargo xtask run protect-secrets
          cargo xtask run protect-secrets --tool Read --set tool_input.file_path=.env
          cargo xtask run protect-secrets payload.json --trace
          cargo xtask run protect-secrets --from --as-test
          cargo xtask run --pack acme-guards --git https://git.example.com/guards --tag v1.2.0")]
pub(crate) struct Options {
    /// The hook [default: with --pack, all of the pack]
    #[arg(required_unless_present = "pack")]
    hook: Option<String>,
    #[command(flatten)]
    asked: Asked,
    /// Run hooks of this package, even if the workspace does not have it: `PACKAGE`, or `PACKAGE@VERSION`
    #[arg(long, value_name = "PACKAGE")]
    pack: Option<String>,
    #[command(flatten)]
    source: Source,
    /// Run the hook in this project [default: in an empty folder, which is deleted afterwards]
    #[arg(long, value_name = "FOLDER")]
    project: Option<PathBuf>,
    /// Run the hook in your home folder [default: in an empty one, which is deleted afterwards]
    #[arg(long)]
    home: bool,
    /// Show each step: the program, its folder, its input and its output
    #[arg(long, conflicts_with = "json")]
    trace: bool,
    #[command(flatten)]
    format: Format,
}

/// Builds the hook, or all hooks of a pack, and runs each of them on its events.
pub(crate) fn run(options: &Options) -> Result<Done> {
    let folder = tempfile::tempdir().context("there is no temporary folder")?;
    let workspace = match &options.pack {
        Some(pack) => candidate::workspace(pack, &options.source, folder.path())?,
        None => Workspace::find()?,
    };
    let mut build = Build::new(&workspace)?;
    build.is_in_use = options.pack.is_none();
    let hooks = build.definitions()?;
    let hooks = match &options.hook {
        Some(name) => vec![named(&hooks, name)?.clone()],
        None => hooks,
    };
    if options.pack.is_some() {
        warn_undescribed(&hooks);
    }
    let binaries = build.launchers(&hooks)?;
    let (mut text, mut rows, mut is_good) = (Text::new(), Vec::new(), true);
    for hook in &hooks {
        // The events are from different sessions, so hooks share no state.
        let own = tempfile::tempdir()?;
        let mut trial = Trial::new(own.path())?;
        if let Some(project) = &options.project {
            trial.project = Trial::within(project)?.project;
        }
        if options.home {
            trial.home = None;
        }
        // In a test, the only project is the event's.
        trial.named = options.asked.as_test.then(|| sample::PROJECT.into());
        let project = trial.named.as_ref().unwrap_or(&trial.project);
        let occasions = options.asked.occasions(hook, project)?;
        let binary = &binaries[&hook.declared.name];
        for occasion in &occasions {
            if !rows.is_empty() {
                text.line_end();
            }
            let (verdict, row, has_passed) = run_on(occasion, hook, binary, &trial, options.trace, &mut text)?;
            rows.push(row);
            is_good &= has_passed;
            if options.asked.as_test {
                rows.extend(as_test::write(hook, &occasion.sample, &verdict, &mut text)?);
            }
        }
    }
    let hook = options.hook.as_deref().unwrap_or_default();
    let project = option("project", options.project.as_deref());
    match (&options.pack, is_good) {
        (Some(pack), _) => {
            let words = ["add", pack].into_iter().chain(options.source.arguments());
            text.plain("\nAdd it: ").command(format_args!("cargo xtask {}", joined(words.map(quoted), " ")))
        }
        (None, true) => {
            text.plain("\nInstall it: ").command(format_args!("cargo xtask install --hook {hook}{project}"))
        }
        (None, false) => {
            text.plain("\nSee each step: ").command(format_args!("cargo xtask run {hook}{project} --trace"))
        }
    };
    options.format.report(text, &rows, is_good)
}

/// Runs the hook on an event. Returns the verdict, the row, and `true` if the hook did not fail and the client uses
/// every part of its answer.
fn run_on(
    occasion: &Occasion,
    hook: &Definition,
    binary: &Path,
    trial: &Trial,
    is_traced: bool,
    text: &mut Text,
) -> Result<(Verdict, Value, bool)> {
    let sample = &occasion.sample;
    if is_traced {
        text.verbatim(PLAIN, before(binary, trial, sample)?);
    }
    let progress = Progress::new("Running", format!("`{}`", hook.declared.name));
    let begun = tempfile::tempfile()?.metadata()?.modified()?;
    let (mut ran, took) = trial.run(&Tried::of(hook), binary, sample)?;
    drop(progress);
    let wrote: Vec<String> = written(trial.home.iter().chain([&trial.project]), begun)
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    ran = ran.blocks_in_settings(hook.blocks_on(sample.event.name));
    if is_traced {
        text.verbatim(PLAIN, after(&ran));
    }
    let mut verdict = Verdict::of(sample.event, &ran);
    let is_note = |dropped: &Dropped| dropped.what == "stderr" && ran.end == End::Exited(0);
    let failed = ran.failure().map(|(_, why)| why);
    let note = if failed.is_none() && verdict.dropped.iter().any(is_note) {
        "it printed on stderr, which is not read if the exit code is 0; `--trace` shows it"
    } else {
        ""
    };
    verdict.dropped.retain(|dropped| !is_note(dropped));
    let mut row = trial_row(&hook.declared.name, sample, &ran, took, &verdict)?;
    // The reason for a failure is also on stderr.
    verdict.dropped.retain(|dropped| failed.is_none() || dropped.what != "stderr");
    let (is_called, called) = called(hook, sample);
    let judged =
        if is_called { verdict.to_string() } else { format!("Claude Code does not call it; if it did: {verdict}") };
    extend(
        &mut row,
        json!({
            "payload": occasion.origin,
            "set": occasion.added,
            "called": is_called,
            "wrote": wrote,
            "env_file": trial.exported(),
            "why": called.split_once(": ").map(|(_, why)| why),
        }),
    );
    let has_answered = failed.is_none() && matches!(ran.end, End::Exited(0 | 2));
    let is_good = has_answered && verdict.dropped.is_empty();
    let then = occasion.then.as_ref().map(|then| past_verdict(then, hook, sample, &verdict, &mut row)).transpose()?;
    text.bold(&hook.declared.name);
    text.plain(format_args!(" on {}, {}\n\n", one_line(sample.name()), occasion.origin));
    for (what, message) in [
        ("set", occasion.added.join("\n")),
        ("called", called),
        ("result", result(&ran, failed.as_deref())),
        ("note", note.to_owned()),
        ("wrote", wrote.join("\n")),
        ("env file", trial.exported()),
        ("time", format!("{} ms", took.as_millis())),
        ("verdict", judged),
        ("then", then.unwrap_or_default()),
    ] {
        if message.is_empty() {
            continue;
        }
        let (first, rest) = message.split_once('\n').unwrap_or((&message, ""));
        let style = match what {
            "result" if !has_answered => ERROR,
            "called" if first.starts_with("no") => WARNING,
            "verdict" => BOLD,
            _ => PLAIN,
        };
        text.plain("  ").dimmed(what).plain(" ".repeat(9 - what.len())).hang().words(style, first).line_end();
        for line in rest.lines() {
            text.plain("           ").hang().plain(line).line_end();
        }
    }
    Ok((verdict, row, is_good))
}

/// Describes a recorded run's outcome, compares it with the current one, and adds it to the row.
fn past_verdict(then: &Then, hook: &Definition, sample: &Sample, today: &Verdict, row: &mut Value) -> Result<String> {
    let mut members = json!({"time": then.time, "ended": then.ended.is_some()});
    let text = match (then.verdict(hook, sample), &then.ended) {
        (Some(verdict), Some(ended)) => {
            let is_same = verdict.to_string() == today.to_string();
            extend(
                &mut members,
                json!({
                    "exit_code": ended.exit_code,
                    "milliseconds": ended.microseconds.div_ceil(1_000),
                    "stdout": ended.stdout,
                    "stderr": ended.stderr,
                    "verdict": verdict_members(&verdict)?,
                    "same": is_same,
                }),
            );
            if is_same {
                "the same".to_owned()
            } else {
                format!("{verdict}\nThe record has `x` in place of secrets, and the project may differ.")
            }
        }
        _ => "it was killed, or still runs".to_owned(),
    };
    extend(row, json!({"then": members}));
    Ok(text)
}

/// Returns `true` if the client would have called the hook, and the reason.
fn called(hook: &Definition, sample: &Sample) -> (bool, String) {
    let event = sample.event.name;
    let target = one_line(sample.target.as_deref().unwrap_or_default());
    let Some(entry) = hook.entries.iter().find(|entry| entry.event == event) else {
        let events = listed(hook.entries.iter().map(|entry| &entry.event));
        let no = format!("no: it is a hook on {events}, so it never runs on {event}; it was run anyway");
        return (false, no);
    };
    let mut message = match &entry.matcher {
        None => "yes".to_owned(),
        Some(matcher) if sample.fits(event, Some(matcher)) => format!("yes: `{matcher}` matches `{target}`"),
        Some(matcher) => {
            let no = format!("no: {}; it was run anyway", matcher::mismatch(matcher, &target));
            return (false, no);
        }
    };
    if let Some(condition) = &hook.declared.condition {
        message += &format!("; Claude Code would check `{condition}`, too, which is not checked here");
    }
    (true, message)
}

/// Returns the result of a run on one line.
fn result(ran: &Ran, failed: Option<&str>) -> String {
    match (failed, ran.end) {
        (Some(failed), _) => format!("it failed: {failed}"),
        (None, End::Exited(0)) if ran.stdout.is_empty() => "it printed no answer".to_owned(),
        (None, End::Exited(0)) => format!("it answers {}", String::from_utf8_lossy(&ran.stdout)),
        (None, end) => ended(end),
    }
}

/// Describes the hook's input.
fn before(binary: &Path, trial: &Trial, sample: &Sample) -> Result<String> {
    let payload: Value = serde_json::from_slice(&sample.payload)?;
    let mut text = format!("program    {}\n", binary.display());
    let _ = writeln!(text, "directory  {}", trial.project.display());
    for (name, value) in trial.variables(sample.event.name) {
        let _ = writeln!(text, "variable   {name}={}", value.display());
    }
    let _ = writeln!(text, "stdin      {} bytes\n{payload:#}", sample.payload.len());
    Ok(text)
}

/// Describes the hook's output.
fn after(ran: &Ran) -> String {
    let mut text = format!("end        {}\n", ended(ran.end));
    for (name, bytes) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        let _ = writeln!(text, "{name:<10} {} bytes", bytes.len());
        text += &String::from_utf8_lossy(bytes);
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            text.push('\n');
        }
    }
    text.push('\n');
    text
}
