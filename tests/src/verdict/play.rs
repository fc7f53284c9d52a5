//! Plays the rows: makes each event happen in the real client, and observes the effects of a hook on it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail};
use hookkit::protocol::event::{self, EVENTS, Event};
use hookkit::testing::{Action, End, Verdict};
use serde_json::{Map, Value, json};

use super::{Observation, Row, Text};
use crate::api::RequestKind;
use crate::{DebugLog, Outcome, Project, Session, Turn};

const HOOK: &str = include_str!("../../fixtures/verdict/hook.sh");
const SERVER: &str = include_str!("../../fixtures/verdict/server.sh");

/// Sessions at a time. They mostly wait; six are not faster on two cores.
pub const WORKERS: usize = 4;

/// Returns the sessions to play: the rows of an event share one, unless they would disturb each other.
pub fn groups(rows: &[Row]) -> Vec<(&'static Event, Vec<&Row>)> {
    // A session of many rows takes long, so it is split.
    const MOST: usize = 20;
    let mut groups = Vec::new();
    for event in EVENTS {
        let of_event = rows.iter().filter(|row| row.unseen.is_none() && row.event == *event);
        let (alone, mut together): (Vec<_>, Vec<_>) = of_event.partition(|row| is_alone(row));
        // The turn of a woken model can replace that of the next prompt.
        together.sort_by_key(|row| row.wakes());
        groups.extend(alone.into_iter().map(|row| (*event, vec![row])));
        groups.extend(together.chunks(MOST).map(|rows| (*event, rows.to_vec())));
    }
    // The longest are played first.
    groups.sort_by_key(|(_, rows)| Reverse(rows.len()));
    groups
}

/// Returns `true` if a row needs a separate session.
fn is_alone(row: &Row) -> bool {
    let alone = [&event::SETUP, &event::WORKTREE_CREATE, &event::INSTRUCTIONS_LOADED];
    let is_second_wake = row.wakes() && !row.ran.stdout.is_empty();
    row.ran.end == End::NotStarted || alone.contains(&row.event) || defers(row) || is_at_start(row) || is_second_wake
}

/// Returns `true` if the row is about the start of the session.
fn is_at_start(row: &Row) -> bool {
    let at_start = [&event::SETUP, &event::INSTRUCTIONS_LOADED];
    let prints = |word: &str| String::from_utf8_lossy(&row.ran.stdout).contains(word);
    at_start.contains(&row.event) || prints("initialUserMessage") && !row.is_in_background()
}

/// Returns `true` if the row defers a call, which ends the session.
fn defers(row: &Row) -> bool {
    Verdict::of(row.event, &row.ran).action == Action::Deferred
}

fn settings(event: &Event, rows: &[&Row]) -> Value {
    let mut entries: Vec<Value> = Vec::new();
    for row in rows {
        let (_, mut fields) = row.entry();
        fields["type"] = "command".into();
        fields["command"] = row.command().into();
        if row.ran.end == End::NotStarted {
            fields["args"] = json!([]);
        }
        if !entries.contains(&fields) {
            entries.push(fields);
        }
    }
    let mut group = json!({"hooks": entries});
    if event == &event::FILE_CHANGED {
        group["matcher"] = WATCHED.into();
    }
    json!({"hooks": {(event.name): [group]}})
}

/// The file whose changes raise FileChanged.
const WATCHED: &str = "notes.txt";

/// The prompts of a row, and the answers of the model.
struct Scene {
    /// Prompts, which are strings, and control requests.
    inputs: Vec<Value>,
    turns: Vec<Turn>,
}

/// Returns the scene that makes the event happen once.
fn scene(event: &Event, id: &str, at: usize) -> Scene {
    let prompt = format!("row {id}");
    let done = || Turn::text("Done.");
    let call = |turn: Turn| vec![turn, done(), done()];
    let is = |other: &Event| event == other;
    let task = || Turn::call("TaskCreate", json!({"subject": "S", "description": "D", "activeForm": "A"}));
    let mut inputs = vec![json!(prompt)];
    let turns = if is(&event::POST_TOOL_USE_FAILURE) {
        call(Turn::bash("exit 3"))
    } else if is(&event::SUBAGENT_START) || is(&event::SUBAGENT_STOP) {
        call(Turn::call(
            "Agent",
            json!({"description": "List", "prompt": format!("task {id}"), "subagent_type": "general-purpose",
                   "run_in_background": false}),
        ))
    } else if is(&event::TASK_CREATED) {
        call(task())
    } else if is(&event::TASK_COMPLETED) {
        let update = json!({"taskId": (at + 1).to_string(), "status": "completed"});
        vec![task(), Turn::call("TaskUpdate", update), done()]
    } else if asks(event) {
        call(Turn::call("mcp__srv__ask", json!({})))
    } else if is(&event::FILE_CHANGED) {
        call(Turn::bash(&format!("echo {id} >>{WATCHED}")))
    } else if is(&event::PERMISSION_DENIED) {
        call(Turn::bash(&format!("curl http://127.0.0.1:9/{id} | sh")))
    } else if is(&event::STOP_FAILURE) {
        vec![Turn::failure()]
    } else if is(&event::CWD_CHANGED) {
        call(Turn::bash(if at.is_multiple_of(2) { "cd sub" } else { "cd .." }))
    } else if is(&event::WORKTREE_CREATE) {
        call(Turn::call("EnterWorktree", json!({"name": "tree"})))
    } else if is(&event::CONFIG_CHANGE) {
        call(Turn::call("Read", json!({"file_path": format!("{id}.txt")})))
    } else if is(&event::PRE_TOOL_USE)
        || is(&event::POST_TOOL_USE)
        || is(&event::POST_TOOL_BATCH)
        || is(&event::PERMISSION_REQUEST)
    {
        call(Turn::bash(&format!("echo {id} >>ran.txt")))
    } else {
        vec![done(), done(), done()]
    };
    if is(&event::USER_PROMPT_EXPANSION) {
        inputs = vec![json!(format!("/greet {prompt}"))];
    } else if is(&event::PRE_SKILL_SHELL_COMMAND) {
        inputs = vec![json!(format!("/run-{id}"))];
    } else if is(&event::SESSION_START) || is(&event::SESSION_END) {
        inputs = vec![json!("/clear")];
    } else if is(&event::PRE_COMPACT) || is(&event::POST_COMPACT) {
        inputs.push(json!("/compact keep names"));
    } else if is(&event::DIRECTORY_ADDED) {
        inputs.push(json!({"subtype": "register_repo_root", "directory": format!("sub/{id}")}));
    }
    Scene { inputs, turns }
}

/// Returns `true` if a question of an MCP server raises the event.
fn asks(event: &Event) -> bool {
    [&event::ELICITATION, &event::ELICITATION_RESULT, &event::NOTIFICATION].contains(&event)
}

/// Models to switch to.
const MODELS: [&str; 3] = ["opus", "sonnet", "haiku"];

/// The members of payloads, each with the types of its values.
pub type Payload = BTreeMap<String, BTreeSet<String>>;

/// Adds the members of a payload.
fn add_payload(members: &mut Payload, payload: Map<String, Value>) {
    for (name, value) in payload {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        members.entry(name).or_default().insert(kind.to_owned());
    }
}

/// Plays rows of one event, one after the other, in one session. Returns an observation of each, and the members of the
/// payloads that the hooks got.
///
/// # Errors
///
/// If the session cannot be run to its end.
pub fn play(client: &Path, event: &'static Event, rows: &[&Row]) -> Result<(Vec<Observation>, Payload)> {
    let project = Project::new()?;
    project.write(".claude/settings.json", settings(event, rows).to_string())?;
    project.write(".claude/settings.local.json", "{}")?;
    project.write(".claude/hook.sh", HOOK)?;
    project.write(".claude/commands/greet.md", "Say hello to $ARGUMENTS.\n")?;
    project.write("sub/empty.txt", "")?;
    project.write("server.sh", SERVER)?;
    project.write(WATCHED, "")?;
    if event == &event::INSTRUCTIONS_LOADED {
        project.write("CLAUDE.md", "Be brief.\n")?;
    }
    for row in rows {
        let write = |name: &str, content: &[u8]| project.write(&format!(".claude/rows/{}/{name}", row.id), content);
        let end = match row.ran.end {
            End::Exited(code) => code.to_string(),
            End::Killed => "killed".to_owned(),
            _ => "slow".to_owned(),
        };
        project.write(&format!("{}.txt", row.id), "file-content\n")?;
        if event == &event::PRE_SKILL_SHELL_COMMAND {
            let skill = format!("Say hello to row {id}.\n\n!`echo {id} >>ran.txt`\n", id = row.id);
            project.write(&format!(".claude/commands/run-{}.md", row.id), skill)?;
        }
        write("for", format!("{} {}", event.name, row.entry().0).as_bytes())?;
        project.write(&format!("sub/{}/empty.txt", row.id), "")?;
        write("out", &row.ran.stdout)?;
        write("err", &row.ran.stderr)?;
        write("end", end.as_bytes())?;
    }

    let server = json!({"mcpServers": {"srv": {"command": "sh", "args": [project.path().join("server.sh")]}}});
    let mut session = Session::new(client, project.path())
        .env("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1")
        .env("ENABLE_TOOL_SEARCH", "0")
        .time_limit(Duration::from_secs(240))
        // The client expects summaries in these tags.
        .reply("CRITICAL: Respond with TEXT ONLY", [Turn::text("<summary>They said hello.</summary>")]);
    if event == &event::PERMISSION_DENIED {
        session = session.arguments(&["--permission-mode", "auto"]);
    } else if event != &event::PERMISSION_REQUEST {
        session = session.allow(&["Bash", "Read", "Agent", "mcp__srv", "EnterWorktree"]);
    }
    if asks(event) {
        session = session.arguments(&["--mcp-config", &server.to_string()]);
    }
    if event == &event::SETUP {
        session = session.arguments(&["--init"]);
    }

    // Each row has a few prompts, and one more after them. The start of the client belongs to no row, unless the row is
    // about it.
    let mut inputs: Vec<(String, Value)> = Vec::new();
    if !rows.iter().any(|row| is_at_start(row)) {
        inputs.push((String::new(), json!("hello")));
        session = session.reply("hello", [Turn::text("Hello.")]);
    }
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut ends: HashMap<usize, PathBuf> = HashMap::new();
    let mut model = MODELS[0];
    for (at, row) in rows.iter().enumerate() {
        let start = inputs.len();
        let id = &row.id;
        let mut scene = scene(event, id, at);
        if event == &event::PRE_MODEL_SWITCH || event == &event::POST_MODEL_SWITCH {
            let other = MODELS[(MODELS.iter().position(|known| *known == model).unwrap_or(0) + 1) % MODELS.len()];
            scene.inputs.push(json!({"subtype": "set_model", "model": other}));
            let action = Verdict::of(event, &row.ran).action;
            // There is no user to ask, so `ask` denies.
            if !matches!(action, Action::Denied | Action::Asked) {
                model = other;
            }
        }
        let prompts = [format!("row {id}"), format!("/greet row {id}"), format!("Say hello to row {id}")];
        for prompt in prompts {
            session = session.reply(&prompt, scene.turns.clone());
        }
        session = session
            .reply(&format!("task {id}"), [Turn::text("Sub one."), Turn::text("Sub two.")])
            .reply(&format!("next {id}"), [Turn::text("Next."), Turn::text("Next.")]);
        inputs.extend(scene.inputs.into_iter().map(|input| (id.clone(), input)));
        inputs.push((id.clone(), json!(format!("next {id}"))));
        // The client raises these in parallel to the turn.
        let parallel = [&event::POST_MODEL_SWITCH, &event::FILE_CHANGED];
        if row.is_in_background() || parallel.contains(&event) {
            ends.insert(inputs.len() - 1, project.path().join(format!(".claude/rows/{id}/ended")));
        }
        spans.push(start..inputs.len());
    }
    let ids: Vec<String> = inputs.iter().map(|(id, _)| id.clone()).collect();
    let now = project.path().join(".claude/rows/now");
    fs::write(&now, &ids[0])?;
    let session = inputs[1..].iter().fold(session, |session, (_, input)| match input {
        Value::String(prompt) => session.then(prompt),
        request => session.control(request.clone()),
    });
    let log = DebugLog::new()?;
    let session = session.debug_log(&log);
    let folder = project.path().to_owned();
    let session = session.before_each(move |step| {
        if let Some(end) = ends.get(&step) {
            await_end(end);
        }
        // A hook of the previous step may still read the file: it changes atomically, and only with the row.
        if step > 0 && ids[step] != ids[step - 1] {
            let next = now.with_extension("next");
            // If the file cannot be written, the row's hook does not run, which the comparison finds.
            let _ = fs::write(&next, &ids[step]).and_then(|()| fs::rename(&next, &now));
            if event == &event::CONFIG_CHANGE {
                // The row shows whether the client applied it.
                let deny = json!({"permissions": {"deny": [format!("Read({}.txt)", ids[step])]}});
                let _ = log.change_local_settings(&folder, &deny.to_string());
            }
        }
    });
    let Some(first) = inputs[0].1.as_str() else { bail!("the first input of a session must be a prompt") };
    let outcome = session.run(first)?;
    if outcome.exit_code().is_none() {
        bail!("the client was killed: {}", outcome.stderr());
    }
    let ran = project.read("ran.txt").unwrap_or_default();
    let texts = new_texts(&outcome, inputs.len());
    let (mut observations, mut members) = (Vec::new(), Payload::new());
    for (row, span) in rows.iter().zip(spans) {
        let id = &row.id;
        let of_row = |step: &usize| span.contains(step);
        let last = span.end - 1;
        let mut texts_of_row = Vec::new();
        for (step, text) in texts.iter().filter(|(step, _)| of_row(step)) {
            let is_late = *step == last;
            texts_of_row.push(Text { is_late, ..text.clone() });
        }
        let events: Vec<Value> = span.clone().flat_map(|step| outcome.events_of(step)).collect();
        let observation = Observation {
            run: row.run.clone(),
            has_run: row.ran.end == End::NotStarted || project.exists(&format!(".claude/rows/{id}/taken")),
            target: target(event, &events),
            texts: texts_of_row,
            stderr: outcome.stderr().lines().map(str::to_owned).collect(),
            requests: (span.start..last).map(|step| conversation(&outcome, step)).sum(),
            has_tool_run: ran.lines().any(|line| line == id),
            events,
        };
        observations.push(observation.normalized(row));
        if let Ok(payload) = project.read(&format!(".claude/rows/{id}/payload")) {
            // A hook that was killed may not have got the whole of it.
            add_payload(&mut members, serde_json::from_str(&payload).unwrap_or_default());
        }
    }
    Ok((observations, members))
}

/// Waits for the end of an async hook, at most five seconds.
fn await_end(ended: &Path) {
    for _ in 0..100 {
        if ended.exists() {
            break;
        }
        thread::sleep(Duration::from_millis(50));
    }
    // The script creates the file just before it ends, and the client does not report when it has processed the end.
    thread::sleep(Duration::from_millis(200));
}

fn conversation(outcome: &Outcome, step: usize) -> usize {
    let requests = outcome.requests_of(step).iter();
    requests.filter(|request| request.kind == RequestKind::Conversation).count()
}

/// Returns the value that the matcher was compared with, from the name of the hook in the client's events.
fn target(event: &Event, events: &[Value]) -> Option<String> {
    let responses = events.iter().filter(|line| line["subtype"] == "hook_response");
    let mut names = responses.filter_map(|line| line["hook_name"].as_str());
    let prefix = format!("{}:", event.name);
    names.find_map(|name| name.strip_prefix(&prefix)).map(str::to_owned)
}

/// Returns the texts that were new to the model in each step; a text counts as often as a request contains it.
fn new_texts(outcome: &Outcome, steps: usize) -> Vec<(usize, Text)> {
    let mut known: HashMap<(String, String), usize> = HashMap::new();
    let mut new = Vec::new();
    for step in 0..steps {
        for request in outcome.requests_of(step) {
            let mut counts: HashMap<(String, String), usize> = HashMap::new();
            for text in texts_of(&request.body) {
                let key = (text.kind.clone(), text.text.clone());
                let count = counts.entry(key.clone()).or_default();
                *count += 1;
                let so_far = known.entry(key).or_default();
                if *count > *so_far {
                    *so_far = *count;
                    new.push((step, text));
                }
            }
        }
    }
    new
}

fn texts_of(body: &Value) -> Vec<Text> {
    let mut texts = Vec::new();
    for message in body["messages"].as_array().into_iter().flatten() {
        let role = message["role"].as_str().unwrap_or_default();
        let mut add = |kind: &str, text: &str| {
            texts.push(Text { role: role.to_owned(), kind: kind.to_owned(), text: text.to_owned(), is_late: false });
        };
        if role == "assistant" {
            continue;
        }
        if let Some(text) = message["content"].as_str() {
            add("text", text);
        }
        for block in message["content"].as_array().into_iter().flatten() {
            let content = &block["content"];
            let inner = content.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
            let inner: Vec<&str> = content.as_str().into_iter().chain(inner).collect();
            match block["type"].as_str() {
                Some("text") => add("text", block["text"].as_str().unwrap_or_default()),
                Some("tool_result") if block["is_error"] == true => add("tool_error", &inner.join("\n")),
                Some("tool_result") => add("tool_result", &inner.join("\n")),
                _ => {}
            }
        }
    }
    texts
}
