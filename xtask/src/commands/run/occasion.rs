//! Events to run a hook on: from files, from the recorded events, or from the hook's own record.

#![expect(clippy::disallowed_methods, reason = "the user names the file")]

use std::fs;
use std::io::{self, Read};

use hookkit_protocol::event::MatcherTarget;
use hookkit_protocol::near;
use hookkit_protocol::tool::{BUILT_IN, GONE, RENAMED, is_built_in};
use hookkit_verdict::Verdict;
use hookkit_verdict::recorded::nested;
use serde_json::Map;

use crate::binaries::definition::Definition;
use crate::binaries::sample::{self, Sample};
use crate::commands::prelude::*;
use crate::disk::state;
use crate::history::recorded::{self, Ended, Recorded};

/// Options that choose the events.
#[derive(Args)]
pub(super) struct Asked {
    /// Files with payloads, each with one event or several, or `-` for stdin [default: a recorded event that the hook is
    /// called on, by its matcher]
    #[arg(value_name = "PAYLOAD")]
    payloads: Vec<PathBuf>,
    /// Take a recorded event of this name, optionally with a matcher's value: 'SessionStart resume'; repeat the option
    /// to run the hook on several events
    #[arg(long = "event", value_name = "EVENT", conflicts_with = "payloads")]
    events: Vec<String>,
    /// Take a recorded call of this tool
    #[arg(long, conflicts_with = "payloads")]
    tool: Option<String>,
    /// Take the event of a run that the hook has recorded, in this file [default: your record, of `install --record`]
    #[arg(long, value_name = "FILE", num_args = 0..=1, conflicts_with_all = ["payloads", "events", "tool"])]
    from: Option<Option<PathBuf>>,
    /// Take the recorded run with this number, counted from the newest
    #[arg(long, value_name = "N", requires = "from", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    nth: u32,
    /// Write a test of this event and today's answer into the hook's pack
    #[arg(long, requires = "from")]
    pub(super) as_test: bool,
    /// Set a field of the event to a value, JSON or text: `tool_input.file_path=.env`; may be repeated
    #[arg(long = "set", value_name = "FIELD=VALUE", value_parser = set)]
    changes: Vec<(String, Value)>,
}

/// An event to run a hook on.
pub(super) struct Occasion {
    pub(super) sample: Sample,
    /// Source of the payload.
    pub(super) origin: String,
    /// Fields added by `--set`, which may be misspelled.
    pub(super) added: Vec<String>,
    /// The recorded run that the payload comes from.
    pub(super) then: Option<Then>,
}

/// A recorded run.
pub(super) struct Then {
    /// Start time of the run, in ISO 8601 and UTC.
    pub(super) time: String,
    /// The end of the run. `None` if it was killed, or has not ended yet.
    pub(super) ended: Option<Ended>,
}

impl Then {
    /// Returns the client's reaction to that run.
    pub(super) fn verdict(&self, hook: &Definition, sample: &Sample) -> Option<Verdict> {
        let ran = self.ended.as_ref()?.ran().command(&*hook.declared.name);
        let mut ran = ran.mode(hook.declared.mode);
        ran.target.clone_from(&sample.target);
        Some(Verdict::of(sample.event, &ran))
    }
}

impl Asked {
    /// Returns the requested events, in their order.
    pub(super) fn occasions(&self, hook: &Definition, project: &Path) -> Result<Vec<Occasion>> {
        let mut occasions = match &self.from {
            Some(file) => vec![self.past(hook, file.as_deref(), project)?],
            None if !self.payloads.is_empty() => written(&self.payloads)?,
            None if self.events.is_empty() => vec![self.recorded(None, hook, project)?],
            None => self.events.iter().map(|name| self.recorded(Some(name), hook, project)).collect::<Result<_>>()?,
        };
        for occasion in &mut occasions {
            occasion.change(&self.changes)?;
        }
        Ok(occasions)
    }

    /// Returns the first requested event's recording, or one for the hook's first event.
    fn recorded(&self, event: Option<&String>, hook: &Definition, project: &Path) -> Result<Occasion> {
        let mut samples = sample::all(project)?;
        let (event, target) = match event.map(|name| name.split_once(' ').unwrap_or((name, ""))) {
            Some((event, target)) => (Some(sample::event_named(event)?), target),
            None => (None, ""),
        };
        ensure!(target.is_empty() || self.tool.is_none(), "`--event` already has a value; leave out `--tool`");
        let position = |sample: &Sample| hook.entries.iter().position(|entry| entry.event == sample.event.name);
        samples.retain(|sample| match event {
            Some(event) => sample.event.name == event.name,
            None => position(sample).is_some(),
        });
        samples.sort_by_key(position);
        let origin = "recorded".to_owned();
        let made_from = |other: &Sample| format!("made from the recorded {}", other.name());
        let Some(tool) = self.tool.as_deref().or(Some(target).filter(|target| !target.is_empty())) else {
            let other = samples.first().context("there is no recorded event for this; give a file that has one")?;
            let (event, made) = (other.event, made_from(other));
            let matcher = hook.entries.iter().find(|entry| entry.event == event.name);
            let matcher = matcher.and_then(|entry| entry.matcher.as_deref());
            let (sample, is_recorded) = sample::of(samples, event, matcher)?;
            let origin = if is_recorded { origin } else { made };
            return Ok(Occasion::new(sample, origin));
        };
        let is_of_tools = |sample: &Sample| sample.event.matcher_target == MatcherTarget::ToolName;
        if self.tool.is_some() {
            samples.retain(is_of_tools);
        }
        if let Some(at) = samples.iter().position(|sample| sample.target.as_deref() == Some(tool)) {
            return Ok(Occasion::new(samples.swap_remove(at), origin));
        }
        let other = samples.first().context("none of these events is about a tool; leave out `--tool`")?;
        if is_of_tools(other) {
            ensure_meant(tool)?;
        }
        // A value without a recording, such as a tool of an MCP server. `--set` provides its input.
        let field = other.event.matcher_target.field();
        let field = field.with_context(|| format!("{} has no value for matchers", other.event.name))?;
        Ok(Occasion::new(other.about(field, tool)?, made_from(other)))
    }

    /// Returns the event of a recorded run.
    fn past(&self, hook: &Definition, record: Option<&Path>, project: &Path) -> Result<Occasion> {
        let (payload, then) = past(hook, record, self.nth as usize)?;
        let time = &then.time;
        let payload = match (self.as_test, project.to_str()) {
            (true, _) => moved(&payload, sample::PROJECT, Some(sample::HOME))?,
            (false, Some(project)) if serde_json::from_slice::<Value>(&payload).is_ok() => {
                moved(&payload, project, None)?
            }
            _ => payload,
        };
        let sample = Sample::parse(&payload).with_context(|| format!("the run of {time} got no event"))?;
        let mut occasion = Occasion::new(sample, format!("as in the run of {time}"));
        occasion.then = Some(then);
        Ok(occasion)
    }
}

impl Occasion {
    fn new(sample: Sample, origin: String) -> Self {
        Self { sample, origin, added: Vec::new(), then: None }
    }

    /// Sets fields of the event.
    fn change(&mut self, changes: &[(String, Value)]) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let mut payload: Value = serde_json::from_slice(&self.sample.payload)?;
        for (field, value) in changes {
            self.added.extend(change(&mut payload, field, value.clone())?);
        }
        self.origin += ", changed";
        self.sample = Sample::parse(&serde_json::to_vec(&payload)?)?;
        Ok(())
    }
}

/// Returns the events in files.
fn written(files: &[PathBuf]) -> Result<Vec<Occasion>> {
    let mut occasions = Vec::new();
    for path in files {
        let (payloads, place) = if path.as_os_str() == "-" {
            let mut payloads = Vec::new();
            io::stdin().read_to_end(&mut payloads).context("reading stdin")?;
            (payloads, "stdin".to_owned())
        } else {
            let place = path.display().to_string();
            (fs::read(path).with_context(|| format!("reading {place}"))?, place)
        };
        let samples = Sample::parse_all(&payloads).with_context(|| format!("reading {place}"))?;
        let count = samples.len();
        let numbered = samples.into_iter().zip(1..);
        occasions.extend(numbered.map(|(sample, number)| match count {
            1 => Occasion::new(sample, format!("from {place}")),
            _ => Occasion::new(sample, format!("from {place}, event {number} of {count}")),
        }));
    }
    Ok(occasions)
}

/// Returns the payload of a hook's recorded run, and the run. The newest run is number 1.
fn past(hook: &Definition, record: Option<&Path>, nth: usize) -> Result<(Vec<u8>, Then)> {
    let name = &hook.declared.name;
    let own = state::runs()?;
    let files = match record {
        Some(record) => vec![record.to_owned()],
        None => recorded::files(&own).into(),
    };
    let shown = record.unwrap_or(&own).display();
    ensure!(
        record.is_none_or(Path::exists),
        "there is no record {shown}; without a file, `--from` takes {}",
        own.display()
    );
    let mut runs = recorded::read(&files, |begun| {
        begun.is_of(&hook.declared.package, name).then(|| (begun.payload().map(<[u8]>::to_vec), begun.time()))
    })
    .with_context(|| format!("reading {shown}"))?;
    let known = runs.len();
    ensure!(known > 0, "{shown} has no run of `{name}`; hooks record their runs after `cargo xtask install --record`");
    ensure!(nth <= known, "{shown} has {} of `{name}`", counted(known, "run"));
    let Recorded { begun, ended } = runs.swap_remove(known - nth);
    let (payload, time) = (begun.0, begun.1.unwrap_or_default());
    let payload = payload.with_context(|| format!("the event of the run of {time} was too long to be recorded"))?;
    Ok((payload, Then { time, ended }))
}

/// Returns a payload with paths of another project, and of another home folder if one is given.
fn moved(payload: &[u8], project: &str, home: Option<&str>) -> Result<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(payload)?;
    let own = |path: &str| path.trim_end_matches('/').to_owned();
    let cwd = own(value["cwd"].as_str().unwrap_or_default());
    let users = std::env::home_dir().map(|home| own(&home.display().to_string()));
    let mut moves = vec![(cwd, project.to_owned())];
    moves.extend(users.zip(home.map(str::to_owned)));
    moves.retain(|(own, _)| !own.is_empty());
    // If two match at the same position, the longer one wins.
    moves.sort_by_key(|(own, _)| std::cmp::Reverse(own.len()));
    if home.is_some() && value["transcript_path"].is_string() {
        // Its folder's name contains the user's folders.
        value["transcript_path"] = format!("{project}/transcript.jsonl").into();
    }
    move_in(&mut value, &moves);
    Ok(serde_json::to_vec(&value)?)
}

fn move_in(value: &mut Value, moves: &[(String, String)]) {
    match value {
        Value::String(text) => *text = with_moved(text, moves),
        Value::Array(elements) => elements.iter_mut().for_each(|element| move_in(element, moves)),
        Value::Object(members) => members.values_mut().for_each(|member| move_in(member, moves)),
        _ => {}
    }
}

/// Returns a text with some paths replaced, where they occur as whole names.
fn with_moved(text: &str, moves: &[(String, String)]) -> String {
    let is_name = |c: char| c.is_alphanumeric() || "._-".contains(c);
    let mut moved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let is_start = !moved.ends_with(is_name);
        let found = moves.iter().find(|(own, _)| {
            let behind = rest.strip_prefix(own.as_str());
            is_start && behind.is_some_and(|behind| !behind.starts_with(is_name))
        });
        match found {
            Some((own, other)) => {
                moved += other;
                rest = &rest[own.len()..];
            }
            None => {
                moved.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    moved
}

/// Checks that a tool's name is not obviously misspelled. An unknown name is accepted, because it can be another
/// program's tool.
fn ensure_meant(tool: &str) -> Result<()> {
    let is_known = is_built_in(tool) || GONE.iter().any(|(gone, _)| *gone == tool);
    let renamed = RENAMED.iter().find(|(old, _)| *old == tool).map(|(_, new)| *new);
    let meant = renamed.or_else(|| near(tool, BUILT_IN.iter().copied()));
    match meant {
        Some(meant) if !is_known => bail!("there is no tool `{tool}`; did you mean `{meant}`?"),
        _ => Ok(()),
    }
}

/// Parses a field and its value.
fn set(text: &str) -> Result<(String, Value), String> {
    let (field, value) = text.split_once('=').ok_or("write FIELD=VALUE")?;
    if field.split('.').any(str::is_empty) {
        return Err("write FIELD=VALUE, with dots between the names of nested fields".to_owned());
    }
    let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    Ok((field.to_owned(), value))
}

/// Sets the value at a path. Missing objects on the path are created.
///
/// Returns the path if the member is new. In an empty object, such as the input of a tool without a recording, new
/// members are expected.
fn change(payload: &mut Value, path: &str, value: Value) -> Result<Option<String>> {
    let mut added = None;
    let elsewhere = nested(payload, path);
    let mut place = payload;
    let names: Vec<&str> = path.split('.').collect();
    for (depth, &name) in names.iter().enumerate() {
        if place.is_null() {
            *place = Map::new().into();
        }
        place = match place {
            Value::Object(members) => {
                if !members.is_empty() && !members.contains_key(name) {
                    let near = near(name, members.keys().map(String::as_str)).filter(|_| depth == 0 && name.len() > 2);
                    if let Some(meant) = elsewhere.as_deref().or(near) {
                        bail!("the event has no field `{name}`; did you mean `{meant}`?");
                    }
                    added = Some(missing(&names[..=depth], members));
                }
                members.entry(name).or_insert(Value::Null)
            }
            Value::Array(elements) => {
                let length = elements.len();
                name.parse().ok().and_then(|at: usize| elements.get_mut(at)).with_context(|| {
                    format!("`{path}`: `{name}` is not an index of the list, whose length is {length}")
                })?
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
    format!("the event had no `{}`: it is added ({around} has {there})", path.join("."))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_paths_and_tools_of_an_event() -> Result<()> {
        let moves = [
            ("/home/al/code".to_owned(), "/home/user/project".to_owned()),
            ("/home/al".to_owned(), "/home/user".to_owned()),
        ];
        test_support::lines!("lines/run.txt").check(|section, text| match section.name {
            "fields" => set(text).map_or("refused".to_owned(), |(field, value)| format!("{field}\t{value}")),
            "moved paths" => with_moved(text, &moves).replace("/home/user/code2", "/home/al/code2"),
            _ => ensure_meant(text).err().map(|err| err.to_string()).unwrap_or_default(),
        });
        let payload = br#"{"cwd":"/p q/\"x","a":["/p q/\"x/y"]}"#;
        let value: Value = serde_json::from_slice(&moved(payload, "/new", None)?)?;
        assert_eq!(value, json!({"cwd": "/new", "a": ["/new/y"]}));
        Ok(())
    }

    #[test]
    fn a_change_makes_what_is_missing_on_its_way_and_no_more() -> Result<()> {
        let mut payload = json!({"a": {"b": 1, "e": {}}, "list": [{"x": 1}]});
        let added = "the event had no `a.c`: it is added (`a` has `b`, `e`)";
        assert_eq!(change(&mut payload, "a.c.d", json!(2))?.as_deref(), Some(added));
        // A misspelling of a missing member cannot be detected.
        assert_eq!(change(&mut payload, "a.e.f", json!(3))?, None);
        assert_eq!(change(&mut payload, "list.0.x", json!(null))?, None);
        assert_eq!(payload, json!({"a": {"b": 1, "c": {"d": 2}, "e": {"f": 3}}, "list": [{"x": null}]}));
        for (path, message) in [
            ("a.b.c", "`a.b.c`: there is no `c` in 1"),
            ("list.1", "`list.1`: `1` is not an index of the list, whose length is 1"),
            ("list.x", "`list.x`: `x` is not an index of the list, whose length is 1"),
        ] {
            assert_eq!(change(&mut payload, path, json!(0)).unwrap_err().to_string(), message);
        }
        let mut payload = json!({"a": 1});
        let added = "the event had no `b`: it is added (it has `a`)";
        assert_eq!(change(&mut payload, "b", json!(0))?.as_deref(), Some(added));
        Ok(())
    }
}
