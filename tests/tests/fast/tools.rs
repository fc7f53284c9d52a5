//! Every built-in tool has a type, and what such a type decodes can be written again.

use hookkit::event::PostToolUse;
use hookkit::protocol::tool::{BUILT_IN, current_name};
use hookkit::tool::{Tool, ToolInput};
use hookkit::{FromInput, Json, Payload, tool};
use hookkit_tests::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use test_support::lines::Row;

/// Tools of which the client publishes neither input nor response (client 2.1.330).
const UNPUBLISHED: &[&str] =
    &["EndConversation", "ListAgents", "SendUserFile", "SendUserMessage", "ShareOnboardingGuide", "WaitForMcpServers"];

/// A tool's name, and what is left of its input and of its response, when they are decoded and written again.
struct Typed {
    name: &'static str,
    input: Rewrite,
    response: Rewrite,
}

type Rewrite = fn(&str) -> Result<Value>;

impl Typed {
    fn new<T: Tool<Response: Serialize> + DeserializeOwned + Serialize>() -> Self {
        Self {
            name: <T as ToolInput>::MATCHER.unwrap_or_default(),
            input: rewrite::<T>,
            response: rewrite::<T::Response>,
        }
    }
}

fn rewrite<T: DeserializeOwned + Serialize>(text: &str) -> Result<Value> {
    let value: T = Json::parse(text)?.decode()?;
    Ok(serde_json::from_str(&serde_json::to_string(&value)?)?)
}

macro_rules! typed {
    ($($tool:ident)*) => { vec![$(Typed::new::<tool::$tool>()),*] };
}

fn typed() -> Vec<Typed> {
    typed![
        Agent Artifact AskUserQuestion Bash ClaudeDesign CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree
        ExitPlanMode ExitWorktree Glob Grep ListMcpResourcesTool Lsp Monitor NotebookEdit OfferChromeSetup PowerShell
        Projects ProposeSkills PushNotification Read ReadMcpResourceDirTool ReadMcpResourceTool ReadNotifications
        RefreshMcpTools RemoteTrigger ReportFindings ScheduleWakeup SendFeedback SendMessage SetGoal
        ShowOnboardingRolePicker Skill SubagentHandback TaskCreate TaskGet TaskList TaskStop TaskUpdate TodoWrite
        ToolSearch WebFetch WebSearch Workflow Write
    ]
}

#[test]
fn every_tool_whose_shape_is_published_has_a_type() {
    let mut known: Vec<&str> = typed().iter().map(|tool| tool.name).collect();
    known.extend(UNPUBLISHED);
    known.sort_unstable();
    let mut built_in = BUILT_IN.to_vec();
    built_in.sort_unstable();
    assert_eq!(known, built_in);
}

/// Sets every flag, so that one that no type names is seen to be lost.
fn set_flags(value: &mut Value) {
    match value {
        Value::Bool(flag) => *flag = true,
        Value::Array(elements) => elements.iter_mut().for_each(set_flags),
        Value::Object(members) => members.values_mut().for_each(set_flags),
        _ => {}
    }
}

/// Takes out the members that say what their absence says: `null`, flags that are not set, empty lists.
/// Numbers become fractions, so that 1 is 1.0.
fn simplify(value: &mut Value) {
    match value {
        Value::Number(number) => *value = Value::from(number.as_f64()),
        Value::Array(elements) => elements.iter_mut().for_each(simplify),
        Value::Object(members) => {
            let is_absent = |value: &Value| matches!(value, Value::Null | Value::Bool(false)) || *value == json!([]);
            members.retain(|_, value| !is_absent(value));
            members.values_mut().for_each(simplify);
        }
        _ => {}
    }
}

/// Returns the places where two values differ.
fn differences(one: &Value, other: &Value, path: &str) -> Vec<String> {
    match (one, other) {
        (Value::Object(ones), Value::Object(others)) => {
            let keys: BTreeSet<&String> = ones.keys().chain(others.keys()).collect();
            let of_member = |key: &String| differences(&one[key], &other[key], &format!("{path}.{key}"));
            keys.into_iter().flat_map(of_member).collect()
        }
        (Value::Array(ones), Value::Array(others)) if ones.len() == others.len() => {
            let path = format!("{path}[]");
            let pairs = ones.iter().zip(others);
            pairs.flat_map(|(one, other)| differences(one, other, &path)).collect()
        }
        _ if one == other => Vec::new(),
        _ => vec![path.to_owned()],
    }
}

/// Returns the members that are lost, or made up, when a value is decoded and written again; or why it cannot be decoded.
fn faults(rewrite: Rewrite, mut raw: Value, path: &str) -> Vec<String> {
    if let Err(err) = rewrite(&raw.to_string()) {
        return vec![format!("{path}: {err}")];
    }
    set_flags(&mut raw);
    match rewrite(&raw.to_string()) {
        Ok(mut written) => {
            simplify(&mut raw);
            simplify(&mut written);
            differences(&raw, &written, path)
        }
        Err(err) => vec![format!("{path}: {err}")],
    }
}

/// The faults of all payloads in a folder, each behind the tool's name, and how many values were looked at.
fn faults_in(folder: &Path) -> Result<(BTreeSet<String>, usize)> {
    let tools = typed();
    let (mut all, mut looked_at) = (BTreeSet::new(), 0);
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        // What was found somewhere need not be JSON.
        let Ok(payload) = serde_json::from_str::<Value>(&text) else {
            continue;
        };
        let name = payload["tool_name"].as_str().map(current_name);
        let Some(tool) = tools.iter().find(|tool| Some(tool.name) == name) else {
            continue;
        };
        for (member, rewrite) in [("tool_input", tool.input), ("tool_response", tool.response)] {
            let is_decoded = member == "tool_input" || payload["hook_event_name"] == "PostToolUse";
            let Some(raw) = payload.get(member).filter(|_| is_decoded) else {
                continue;
            };
            looked_at += 1;
            let path = format!("{} {member}", tool.name);
            all.extend(faults(rewrite, raw.clone(), &path));
        }
    }
    Ok((all, looked_at))
}

#[test]
fn recorded_calls_are_written_as_they_were_read() -> Result<()> {
    let (mut faults, looked_at) = faults_in(&repository().join("tests/fixtures/payloads"))?;
    // For hooks, the client repeats `to` and `message` under other names, which the tool does not have.
    for repeated in ["content", "recipient", "recipient_kind", "type"] {
        let holds = faults.remove(&format!("SendMessage tool_input.{repeated}"));
        assert!(holds, "{repeated}");
    }
    assert_eq!(faults, BTreeSet::new());
    assert!(looked_at > 50, "only {looked_at} values were looked at");
    Ok(())
}

#[test]
fn published_calls_are_written_as_they_were_read() -> Result<()> {
    let folder = repository().join("../shared/corpus/payloads");
    if !folder.is_dir() {
        let why = "the collection of published payloads is not there";
        skip("published_calls_are_written_as_they_were_read", why);
        return Ok(());
    }
    let (faults, _) = faults_in(&folder)?;
    let table: Lines = lines!("lines/tools.txt");
    let known = &table.section("published calls").rows;
    let is_of = |fault: &str, row: &Row| fault.starts_with(&*row.expected[1]) && fault.ends_with(&*row.line);
    for fault in &faults {
        let is_known = known.iter().any(|known| is_of(fault, known));
        assert!(is_known, "{fault}");
    }
    for known in known {
        let is_there = faults.iter().any(|fault| is_of(fault, known));
        assert!(is_there, "no fault any more: {known:?}");
    }
    Ok(())
}

/// The client checks no more of these than that they are numbers (client 2.1.330), so any hook may meet such ones.
#[test]
fn a_number_of_any_kind_is_kept_as_the_model_wrote_it() -> Result<()> {
    fn kept<T: Tool + DeserializeOwned + Serialize>(member: &str, rest: &str) -> Result<()> {
        for number in ["0", "1500", "1500.5", "-5", "1e+21", "1e+300", "-0.5"] {
            let text = format!("{{{rest}\"{member}\":{number}}}");
            let input: T = Json::parse(&*text)?.decode().with_context(|| text.clone())?;
            let written = serde_json::to_string(&input)?;
            assert!(written.contains(&format!("\"{member}\":{number}")), "{text}: {written}");
        }
        Ok(())
    }
    kept::<tool::Bash>("timeout", r#""command":"ls","#)?;
    kept::<tool::PowerShell>("timeout", r#""command":"ls","#)?;
    kept::<tool::Monitor>("timeout_ms", r#""description":"d","#)?;
    kept::<tool::ToolSearch>("max_results", r#""query":"q","#)?;
    kept::<tool::Projects>("n", r#""method":"project_search","#)?;
    kept::<tool::Artifact>("limit", "")?;
    for member in ["-A", "-B", "-C", "context"] {
        kept::<tool::Grep>(member, r#""pattern":"p","#)?;
    }
    let watched: tool::MonitorResponse = Json::parse(r#"{"taskId":"t","timeoutMs":1500.5}"#)?.decode()?;
    assert_eq!(watched.timeout_ms.to_string(), "1500.5");
    Ok(())
}

#[test]
fn no_hook_is_skipped_for_a_count_that_is_none() -> Result<()> {
    for (number, count) in [("12", Some(12)), ("12.5", Some(12)), ("-1", None), ("1e+21", None), ("null", None)] {
        let text = format!(r#"{{"stdout":"","stderr":"","interrupted":false,"timedOutAfterMs":{number}}}"#);
        let response: tool::BashResponse = Json::parse(text)?.decode()?;
        assert_eq!(response.timed_out_after_ms, count, "{number}");
        let text = format!(
            r#"{{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{"command":"ls"}},"duration_ms":{number}}}"#
        );
        let payload = Payload::parse(text.as_bytes())?;
        let call = PostToolUse::<tool::Bash, tool::NotDecoded>::from_input(&payload)?;
        assert_eq!(call.duration_ms, count, "{number}");
    }
    Ok(())
}
