//! `cargo xtask run`: one hook on one event, and what Claude Code makes of it.

#![expect(clippy::disallowed_methods, reason = "the user names the file")]

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use hookkit_protocol::lint::near;
use hookkit_protocol::tool::{BUILT_IN, GONE, RENAMED, is_built_in};
use hookkit_verdict::{Dropped, End, Ran, Verdict};
use serde_json::{Map, Value, json};

use crate::build::definition::Definition;
use crate::build::generated::Build;
use crate::build::link::Toolchain;
use crate::build::sample;
use crate::build::sample::Sample;
use crate::build::trial::{Trial, Tried, ended, failure, trial_row};
use crate::cargo::workspace::Workspace;
use crate::terminal::progress::Progress;
use crate::terminal::rows::{Format, extend};
use crate::terminal::style::{BOLD, ERROR, PLAIN, WARNING};
use crate::terminal::text::Text;
use crate::terminal::{Done, listed, one_line};

pub(crate) const EXAMPLES: &str = "\
Exit code 1: the hook failed, or Claude Code ignores a part of its answer.

Examples: cargo xtask run protect-secrets
          cargo xtask run protect-secrets --tool Read --set tool_input.file_path=.env
          cargo xtask run protect-secrets payload.json --trace";

#[derive(Args)]
pub(crate) struct Options {
    /// The hook
    hook: String,
    /// Payload: a file, or `-` for stdin [default: a recorded event that the hook is called on]
    payload: Option<PathBuf>,
    /// Take a recorded event of this name
    #[arg(long, conflicts_with = "payload")]
    event: Option<String>,
    /// Take a recorded call of this tool
    #[arg(long, conflicts_with = "payload")]
    tool: Option<String>,
    /// Set a field of the event to a value, JSON or text: `tool_input.file_path=.env`; may be repeated
    #[arg(long = "set", value_name = "FIELD=VALUE", value_parser = set)]
    changes: Vec<(String, Value)>,
    /// Run the hook in this project [default: in an empty folder, which is deleted afterwards]
    #[arg(long, value_name = "FOLDER")]
    project: Option<PathBuf>,
    /// Show each step: the program, its folder, its input and its output
    #[arg(long, conflicts_with = "json")]
    trace: bool,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(options: &Options) -> Result<Done> {
    let workspace = Workspace::find()?;
    let toolchain = Toolchain::find(&workspace.root)?;
    let build = Build::new(&workspace, toolchain.best(), &toolchain)?;
    let hooks = build.definitions()?;
    let hook = hooks.iter().find(|hook| hook.declared.name == options.hook);
    let hook = hook.with_context(|| {
        let names = listed(hooks.iter().map(|hook| &hook.declared.name));
        format!("there is no hook `{}`; there are {names}", options.hook)
    })?;

    let folder = tempfile::tempdir().context("there is no temporary folder")?;
    let trial = match &options.project {
        Some(project) => Trial::within(project)?,
        None => Trial::new(folder.path())?,
    };
    let Occasion { sample, origin, added } = occasion(options, hook, &trial.project)?;
    let chosen = [hook.clone()];
    let binary = &build.launchers(&chosen)?[&hook.declared.name];

    let mut text = Text::new();
    if options.trace {
        text.verbatim(PLAIN, before(binary, &trial, &sample)?);
    }
    let progress = Progress::new("Running", format!("`{}`", hook.declared.name));
    let (mut ran, took) = trial.run(&Tried::of(hook), binary, &sample)?;
    drop(progress);
    let mut entries = hook.entries.iter();
    ran = ran.blocks_in_settings(entries.any(|entry| entry.event == sample.event.name && entry.blocks_in_settings));
    if options.trace {
        text.verbatim(PLAIN, after(&ran));
    }
    let mut verdict = Verdict::of(sample.event, &ran);
    let is_note = |dropped: &Dropped| dropped.what == "stderr" && ran.end == End::Exited(0);
    let has_note = verdict.dropped.iter().any(is_note);
    verdict.dropped.retain(|dropped| !is_note(dropped));
    let failed = failure(&ran).map(|(_, why)| why);
    let mut row = trial_row(&hook.declared.name, &sample, &ran, took, &verdict)?;
    // A hook that fails has the same reason on stderr.
    verdict
        .dropped
        .retain(|dropped| failed.is_none() || dropped.what != "stderr");
    let (is_called, called, judged) = match called(hook, &sample) {
        Called::Yes(why) => (true, why, verdict.to_string()),
        Called::No(why) => (
            false,
            why,
            format!("Claude Code does not call it; if it did: {verdict}"),
        ),
    };
    extend(
        &mut row,
        json!({
            "payload": origin,
            "set": added,
            "called": is_called,
            "why": called.split_once(": ").map(|(_, why)| why),
        }),
    );
    let has_answered = failed.is_none() && matches!(ran.end, End::Exited(0 | 2));
    let is_good = has_answered && verdict.dropped.is_empty();
    text.bold(&hook.declared.name);
    text.plain(format_args!(" on {}, {origin}\n\n", one_line(&sample.name())));
    for (what, message) in [
        ("set", added.join("\n")),
        ("called", called),
        ("result", result(&ran, failed.as_deref())),
        ("note", note(has_note && failed.is_none()).to_owned()),
        ("time", format!("{} ms", took.as_millis())),
        ("verdict", judged),
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
        text.plain("  ")
            .dimmed(what)
            .plain(" ".repeat(9 - what.len()))
            .hang()
            .words(style, first)
            .line_end();
        for line in rest.lines() {
            text.plain("           ").hang().plain(line).line_end();
        }
    }
    let hook = &hook.declared.name;
    match is_good {
        true => text
            .plain("\nInstall it: ")
            .command(format_args!("cargo xtask install --hook {hook}")),
        false => text
            .plain("\nSee each step: ")
            .command(format_args!("cargo xtask run {hook} --trace")),
    };
    options.format.print(text, &[row])?;
    Ok(match is_good {
        true => Done::Clean,
        false => Done::WithFindings,
    })
}

/// Returns the note about a stderr that the client does not use.
fn note(has_note: bool) -> &'static str {
    match has_note {
        true => "it printed on stderr, which is not read where the exit code is 0; `--trace` shows it",
        false => "",
    }
}

/// The event that a hook is run on.
struct Occasion {
    sample: Sample,
    /// Source of the payload.
    origin: String,
    /// Fields that `--set` added: they may be slips.
    added: Vec<String>,
}

fn occasion(options: &Options, hook: &Definition, project: &Path) -> Result<Occasion> {
    let (sample, mut origin) = match &options.payload {
        Some(path) if path.as_os_str() == "-" => {
            let mut payload = Vec::new();
            io::stdin().read_to_end(&mut payload).context("reading stdin")?;
            (
                Sample::parse(&payload).context("reading stdin")?,
                "from stdin".to_owned(),
            )
        }
        Some(path) => {
            let payload = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
            let sample = Sample::parse(&payload).with_context(|| format!("reading {}", path.display()))?;
            (sample, format!("from {}", path.display()))
        }
        None => recorded(options, hook, project)?,
    };
    let mut added = Vec::new();
    if options.changes.is_empty() {
        return Ok(Occasion { sample, origin, added });
    }
    let mut payload: Value = serde_json::from_slice(&sample.payload)?;
    for (field, value) in &options.changes {
        added.extend(change(&mut payload, field, value.clone())?);
    }
    origin += ", changed";
    let sample = Sample::parse(&serde_json::to_vec(&payload)?)?;
    Ok(Occasion { sample, origin, added })
}

/// A recorded event: the first one that is asked for, or else that the hook is called on.
fn recorded(options: &Options, hook: &Definition, project: &Path) -> Result<(Sample, String)> {
    let mut samples = sample::all(project)?;
    if let Some(name) = &options.event {
        ensure!(
            hookkit_protocol::event::event(name).is_some(),
            "there is no event `{name}`; this hook is on {}",
            listed(hook.entries.iter().map(|entry| &entry.event))
        );
    }
    let is_asked_for = |sample: &Sample| match &options.event {
        Some(event) => sample.event.name == *event,
        None => hook.entries.iter().any(|entry| entry.event == sample.event.name),
    };
    samples.retain(is_asked_for);
    let origin = "recorded".to_owned();
    let Some(tool) = &options.tool else {
        if let Some(at) = samples.iter().position(|sample| sample.is_for(hook)) {
            return Ok((samples.swap_remove(at), origin));
        }
        let event = samples.first().map(|sample| sample.event);
        let event = event.context("there is no recorded event for it; name a file that has one")?;
        let matcher = hook.entries.iter().find(|entry| entry.event == event.name);
        let matcher = matcher.and_then(|entry| entry.matcher.as_deref());
        let other = samples[0].name();
        let (sample, is_recorded) = sample::of(samples, event, matcher)?;
        let origin = if is_recorded {
            origin
        } else {
            format!("made from the recorded {other}")
        };
        return Ok((sample, origin));
    };
    samples.retain(|sample| sample.event.matcher_target.field() == Some("tool_name"));
    if let Some(at) = samples.iter().position(|sample| sample.target.as_ref() == Some(tool)) {
        return Ok((samples.swap_remove(at), origin));
    }
    ensure_meant(tool)?;
    let Some(other) = samples.first() else {
        bail!("none of the events that this is about is one of a tool; leave out `--tool`");
    };
    // A tool without a recording: one of a server, say. Its input is for `--set`.
    let mut payload: Value = serde_json::from_slice(&other.payload)?;
    payload["tool_name"] = tool.clone().into();
    payload["tool_input"] = Map::new().into();
    let sample = Sample::parse(&serde_json::to_vec(&payload)?)?;
    Ok((sample, format!("made from the recorded {}", other.name())))
}

/// Refuses a tool's name that is plainly a slip. An unknown one can be another program's.
fn ensure_meant(tool: &str) -> Result<()> {
    let is_known = is_built_in(tool) || GONE.iter().any(|(gone, _)| *gone == tool);
    let renamed = RENAMED.iter().find(|(old, _)| *old == tool).map(|(_, new)| *new);
    let meant = renamed.or_else(|| near(tool, BUILT_IN.iter().copied()));
    match meant {
        Some(meant) if !is_known => bail!("there is no tool `{tool}`; did you mean `{meant}`?"),
        _ => Ok(()),
    }
}

/// A field and its value.
fn set(text: &str) -> Result<(String, Value), String> {
    let (field, value) = text.split_once('=').ok_or("write FIELD=VALUE")?;
    if field.split('.').any(str::is_empty) {
        return Err("write FIELD=VALUE, with the names of fields and points between them".to_owned());
    }
    let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    Ok((field.to_owned(), value))
}

/// Puts a value where a path leads; objects on the way are made.
///
/// Changes a member, and returns its path if it was not there. In an empty object, as of a tool without a recording, all is new.
fn change(payload: &mut Value, path: &str, value: Value) -> Result<Option<String>> {
    let mut added = None;
    let mut place = payload;
    let names: Vec<&str> = path.split('.').collect();
    for (depth, &name) in names.iter().enumerate() {
        if place.is_null() {
            *place = Map::new().into();
        }
        place = match place {
            Value::Object(members) => {
                if !members.is_empty() && !members.contains_key(name) {
                    let meant = near(name, members.keys().map(String::as_str)).filter(|_| depth == 0 && name.len() > 2);
                    if let Some(meant) = meant {
                        bail!("the event has no field `{name}`; did you mean `{meant}`?");
                    }
                    added = Some(missing(&names[..=depth], members));
                }
                members.entry(name).or_insert(Value::Null)
            }
            Value::Array(elements) => {
                let length = elements.len();
                let at = name.parse().ok().and_then(|at: usize| elements.get_mut(at));
                at.with_context(|| format!("`{path}`: `{name}` is none of the {length} elements there"))?
            }
            other => bail!("`{path}`: there is no `{name}` in {other}"),
        };
    }
    *place = value;
    Ok(added)
}

fn missing(path: &[&str], members: &Map<String, Value>) -> String {
    let there = listed(members.keys());
    let around = match path {
        [around @ .., _] if !around.is_empty() => format!("`{}`", around.join(".")),
        _ => "it".to_owned(),
    };
    format!(
        "the event had no `{}`: it is added ({around} has {there})",
        path.join(".")
    )
}

/// `true` if the client would have called the hook, with the reason.
enum Called {
    Yes(String),
    No(String),
}

fn called(hook: &Definition, sample: &Sample) -> Called {
    let event = sample.event.name;
    let target = one_line(sample.target.as_deref().unwrap_or_default());
    let Some(entry) = hook.entries.iter().find(|entry| entry.event == event) else {
        let events = listed(hook.entries.iter().map(|entry| &entry.event));
        return Called::No(format!(
            "no: it is a hook on {events}, so it never runs on {event}; it was run anyway"
        ));
    };
    let message = match &entry.matcher {
        None => "yes".to_owned(),
        Some(matcher) if sample.fits(event, Some(matcher)) => format!("yes: `{matcher}` matches `{target}`"),
        Some(matcher) => {
            return Called::No(format!("no: `{matcher}` does not match `{target}`; it was run anyway"));
        }
    };
    Called::Yes(match &hook.declared.condition {
        Some(condition) => format!("{message}; Claude Code would check `{condition}`, too, which is not checked here"),
        None => message,
    })
}

/// Returns the outcome of the hook, in a line.
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
    for (name, value) in trial.variables() {
        let _ = writeln!(text, "variable   {name}={}", value.display());
    }
    let _ = writeln!(text, "stdin      {} bytes\n{payload:#}", sample.payload.len());
    Ok(text)
}

/// Describes its output.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_is_named_by_its_path_and_its_value_is_json_or_text() -> Result<(), String> {
        for (text, field, value) in [
            ("tool_input.file_path=.env", "tool_input.file_path", json!(".env")),
            ("a=1", "a", json!(1)),
            ("a=\"1\"", "a", json!("1")),
            ("a=b=c", "a", json!("b=c")),
            ("a=", "a", json!("")),
            ("a={\"b\":[]}", "a", json!({"b": []})),
        ] {
            assert_eq!(set(text)?, (field.to_owned(), value));
        }
        for text in ["a", "=1", "a..b=1", ".a=1"] {
            assert!(set(text).is_err(), "{text}");
        }
        Ok(())
    }

    #[test]
    fn a_tool_that_is_plainly_another_one_is_refused() {
        for (tool, meant) in [("write", "Write"), ("Raed", "Read"), ("Task", "Agent")] {
            let refused = ensure_meant(tool).map_err(|err| err.to_string());
            assert_eq!(
                refused,
                Err(format!("there is no tool `{tool}`; did you mean `{meant}`?"))
            );
        }
        // That of a server, those that were or are, and an unknown one.
        for tool in ["mcp__a__b", "LS", "LSP", "Deploy"] {
            assert!(ensure_meant(tool).is_ok(), "{tool}");
        }
    }

    #[test]
    fn a_change_makes_what_is_missing_on_its_way_and_no_more() -> Result<()> {
        let mut payload = json!({"a": {"b": 1, "e": {}}, "list": [{"x": 1}]});
        let added = "the event had no `a.c`: it is added (`a` has `b`, `e`)";
        assert_eq!(change(&mut payload, "a.c.d", json!(2))?.as_deref(), Some(added));
        // Where nothing is, nothing is a slip.
        assert_eq!(change(&mut payload, "a.e.f", json!(3))?, None);
        assert_eq!(change(&mut payload, "list.0.x", json!(null))?, None);
        assert_eq!(
            payload,
            json!({"a": {"b": 1, "c": {"d": 2}, "e": {"f": 3}}, "list": [{"x": null}]})
        );
        for (path, message) in [
            ("a.b.c", "`a.b.c`: there is no `c` in 1"),
            ("list.1", "`list.1`: `1` is none of the 1 elements there"),
            ("list.x", "`list.x`: `x` is none of the 1 elements there"),
        ] {
            assert_eq!(change(&mut payload, path, json!(0)).unwrap_err().to_string(), message);
        }
        let mut payload = json!({"a": 1});
        let added = "the event had no `b`: it is added (it has `a`)";
        assert_eq!(change(&mut payload, "b", json!(0))?.as_deref(), Some(added));
        Ok(())
    }
}
