//! Events for test runs of hooks, recorded in real sessions (client 2.1.330): one for each event and tool.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use hookkit_protocol::event::{self, Event, MatcherTarget};
use hookkit_protocol::matcher::Matcher;
use hookkit_protocol::near_event;
use hookkit_verdict::recorded;
use serde_json::{Value, json};

use crate::binaries::definition::Definition;
use crate::disk::bounded::Deadline;
use crate::terminal::meant;

/// An event of a session.
pub(crate) struct Sample {
    pub(crate) event: &'static Event,
    /// The value that matchers are compared with, such as the tool's name.
    pub(crate) target: Option<String>,
    /// Bytes for the hook's stdin.
    pub(crate) payload: Vec<u8>,
}

pub(crate) use hookkit_verdict::recorded::{HOME, PROJECT};

/// Returns the event with this name.
///
/// # Errors
///
/// Fails if there is no such event.
pub(crate) fn event_named(name: &str) -> Result<&'static Event> {
    event::event(name).with_context(|| {
        let names = event::EVENTS.iter().map(|event| event.name);
        let end = near_event(name).map_or_else(|| meant(name, names), |near| format!("did you mean `{near}`?"));
        format!("there is no event `{name}`; {end}")
    })
}

impl Sample {
    /// Parses an event from any session.
    pub(crate) fn parse(payload: &[u8]) -> Result<Self> {
        let value: Value = serde_json::from_slice(payload).context("this is not JSON")?;
        let name = value["hook_event_name"].as_str().context("`hook_event_name` is missing")?;
        let event = event_named(name)?;
        let target = event.matcher_target.field().and_then(|field| value[field].as_str());
        Ok(Self { event, target: target.map(str::to_owned), payload: payload.to_owned() })
    }

    /// Returns this event with another value for matchers. A call of another tool has the input of a recorded call, or
    /// an empty input, for example for an MCP server's tool.
    pub(crate) fn about(&self, field: &str, target: &str) -> Result<Self> {
        let mut payload: Value = serde_json::from_slice(&self.payload)?;
        let folder = PathBuf::from(payload["cwd"].as_str().unwrap_or_default());
        payload[field] = match self.event.matcher_target {
            MatcherTarget::FileName => folder.join(target).to_string_lossy().into(),
            _ => target.into(),
        };
        if self.event.matcher_target == MatcherTarget::ToolName {
            let call = all(&folder)?.into_iter().find(|sample| sample.target.as_deref() == Some(target));
            let call: Option<Value> = call.map(|call| serde_json::from_slice(&call.payload)).transpose()?;
            payload["tool_input"] = call.map_or_else(|| json!({}), |mut call| call["tool_input"].take());
        }
        Self::parse(&serde_json::to_vec(&payload)?)
    }

    /// Returns this event with changed members.
    pub(crate) fn with(&self, change: impl FnOnce(&mut Value)) -> Result<Self> {
        let mut payload = serde_json::from_slice(&self.payload)?;
        change(&mut payload);
        Self::parse(&serde_json::to_vec(&payload)?)
    }

    /// Parses events from any session: a single one, a list, or a sequence as in a JSON Lines file.
    pub(crate) fn parse_all(payloads: &[u8]) -> Result<Vec<Self>> {
        let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_slice(payloads).into_iter().collect();
        let values = match &values.context("this is not JSON")?[..] {
            // The original bytes.
            [Value::Object(_)] => return Ok(vec![Self::parse(payloads)?]),
            [Value::Array(values)] => values.clone(),
            values => values.to_vec(),
        };
        ensure!(!values.is_empty(), "there is no event in it");
        values
            .iter()
            .zip(1..)
            .map(|(value, number): (_, usize)| {
                Self::parse(&serde_json::to_vec(value)?).with_context(|| format!("event {number}"))
            })
            .collect()
    }

    /// Returns `true` if the event's name and the matcher make the client call this hook.
    pub(crate) fn is_for(&self, hook: &Definition) -> bool {
        hook.entries.iter().any(|entry| self.fits(&entry.event, entry.matcher.as_deref()))
    }

    /// Returns `true` if this is the named event and the matcher matches, or takes too long, like `(a+)+$` on a long
    /// name.
    pub(crate) fn fits(&self, event: &str, matcher: Option<&str>) -> bool {
        let of_event = self.event;
        let target = self.target.clone().unwrap_or_default();
        let matches = |matcher: &str| {
            let list = Matcher::new(matcher, of_event);
            if !matches!(list, Matcher::Regex(_)) {
                return list.matches(of_event, &target);
            }
            let (matcher, target) = (matcher.to_owned(), target.clone());
            Deadline::new().within(move || Matcher::new(&matcher, of_event).matches(of_event, &target)).unwrap_or(true)
        };
        event == of_event.name && matcher.is_none_or(matches)
    }

    /// Returns the event's name for messages, such as `PreToolUse Edit`.
    pub(crate) fn name(&self) -> String {
        match &self.target {
            Some(target) => format!("{} {target}", self.event.name),
            None => self.event.name.to_owned(),
        }
    }
}

/// Returns all recorded events, as if recorded in a session in the folder `project`.
pub(crate) fn all(project: &Path) -> Result<Vec<Sample>> {
    let project = serde_json::to_string(project.to_str().context("the project's path is not UTF-8")?)?;
    recorded::EVENTS
        .lines()
        .map(|line| Sample::parse(line.replace(PROJECT, project.trim_matches('"')).as_bytes()))
        .collect()
}

/// Returns a call of the Bash tool with this command line, as from a session in the folder `project`.
pub(crate) fn of_line(line: &str, project: &Path) -> Result<Sample> {
    let (recorded, _) = of(all(project)?, &event::PRE_TOOL_USE, Some("Bash"))?;
    recorded.with(|payload| payload["tool_input"] = json!({"command": line}))
}

/// Returns a recorded event that the matcher matches, and `true`; or an event made from another recording, and `false`.
///
/// # Errors
///
/// Fails if there is no recorded event with this name.
pub(crate) fn of(mut samples: Vec<Sample>, event: &Event, matcher: Option<&str>) -> Result<(Sample, bool)> {
    samples.retain(|sample| sample.event == event);
    let at = samples.iter().position(|sample| sample.fits(event.name, matcher));
    ensure!(!samples.is_empty(), "there is no recorded {} event; give a file that has one", event.name);
    let sample = samples.swap_remove(at.unwrap_or(0));
    let (Some(matcher), Some(field), None) = (matcher, event.matcher_target.field(), at) else {
        return Ok((sample, at.is_some()));
    };
    // There is no recording, as for a tool of an MCP server.
    let target = match event.matcher_target {
        MatcherTarget::FileName => matcher.split('|').next().unwrap_or_default().trim().replace(['^', '$', '\\'], ""),
        _ => target_of(matcher),
    };
    Ok((sample.about(field, &target)?, false))
}

/// Returns a target that probably matches: the first name of a list, or the beginning of a regular expression.
fn target_of(matcher: &str) -> String {
    let literal = matcher.split(['|', ',']).next().unwrap_or_default().trim().trim_start_matches('^');
    let end = literal.find(|c: char| ".*+?()[]{}$\\".contains(c));
    let name = &literal[..end.unwrap_or(literal.len())];
    let rest = if name.ends_with("__") { "tool" } else { "" };
    format!("{name}{rest}")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Environment variable for the process with the slow match.
    const SLOW: &str = "HOOKKIT_SLOW_MATCHER";

    /// Runs in its own process, because the matching thread uses a CPU core until the process ends.
    #[test]
    fn a_matcher_that_takes_too_long_counts_as_a_match() -> Result<()> {
        if std::env::var_os(SLOW).is_none() {
            let name = "binaries::sample::tests::a_matcher_that_takes_too_long_counts_as_a_match";
            let mut process = Command::new(std::env::current_exe()?);
            let output = process.args([name, "--exact"]).env(SLOW, "1").output()?;
            let stdout = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && stdout.contains("1 passed"), "{stdout}");
            return Ok(());
        }
        let payload = serde_json::json!({"hook_event_name": "PreToolUse", "tool_name": "a".repeat(1 << 20)});
        let sample = Sample::parse(payload.to_string().as_bytes())?;
        assert!(sample.fits("PreToolUse", Some("(a+)+$x")));
        assert!(sample.fits("PreToolUse", Some("^a")) && !sample.fits("PreToolUse", Some("^b")));
        Ok(())
    }

    #[test]
    fn an_event_without_a_recording_is_made_from_the_matcher() -> Result<()> {
        for (matcher, target, is_recorded) in [
            ("mcp__acme__deploy", "mcp__acme__deploy", false),
            ("mcp__acme__.*", "mcp__acme__tool", false),
            ("^mcp__acme__(deploy|test)$", "mcp__acme__tool", false),
            ("Unknown|Other", "Unknown", false),
            ("mcp__srv__.*", "mcp__srv__ask", true),
        ] {
            let (sample, recorded) = of(all(Path::new(PROJECT))?, &event::PRE_TOOL_USE, Some(matcher))?;
            assert_eq!((sample.target.as_deref(), recorded), (Some(target), is_recorded), "{matcher}");
        }
        Ok(())
    }

    #[test]
    fn an_event_has_another_value_for_matchers() -> Result<()> {
        let samples = all(Path::new("/app"))?;
        for (event, field, value, part) in [
            ("PermissionRequest", "tool_name", "WebFetch", r#""url":"#),
            ("PermissionRequest", "tool_name", "Edit", r#""file_path":"/app/"#),
            ("FileChanged", "file_path", ".env", r#""file_path":"/app/.env""#),
            ("PreCompact", "trigger", "auto", r#""trigger":"auto""#),
        ] {
            let sample = samples.iter().find(|sample| sample.event.name == event).context("it is recorded")?;
            let payload = String::from_utf8(sample.about(field, value)?.payload)?;
            assert!(payload.contains(part), "{payload}");
        }
        Ok(())
    }

    #[test]
    fn a_file_has_one_event_or_several() -> Result<()> {
        let stop = r#"{"hook_event_name": "Stop"}"#;
        let names = |text: &str| -> Result<Vec<String>> {
            let samples = Sample::parse_all(text.as_bytes())?;
            Ok(samples.iter().map(Sample::name).collect())
        };
        let bash = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash"}"#;
        assert_eq!(names(stop)?, ["Stop"]);
        for text in [format!("{stop}\n{bash}\n"), format!("[{stop},\n {bash}]"), format!("{stop}{bash}")] {
            assert_eq!(names(&text)?, ["Stop", "PreToolUse Bash"], "{text}");
        }
        assert_eq!(Sample::parse_all(stop.as_bytes())?[0].payload, stop.as_bytes());
        for (text, fault) in [
            ("", "there is no event in it"),
            ("[]", "there is no event in it"),
            ("{", "this is not JSON"),
            ("[{\"hook_event_name\":\"Stop\"}, 1]", "event 2"),
        ] {
            let refused = Sample::parse_all(text.as_bytes()).map(drop).unwrap_err();
            assert_eq!(refused.to_string(), fault, "{text}");
        }
        Ok(())
    }

    #[test]
    fn each_event_has_a_sample() -> Result<()> {
        let samples: Vec<Sample> =
            recorded::EVENTS.lines().map(|line| Sample::parse(line.as_bytes())).collect::<Result<_>>()?;
        for event in event::EVENTS {
            assert!(samples.iter().any(|sample| sample.event.name == event.name), "{}", event.name);
        }
        Ok(())
    }
}
