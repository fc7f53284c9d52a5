//! Translates another coding agent's payloads into Claude Code's, and a hook's answers into the agent's.
//!
//! Only hooks that `cargo xtask install --agent NAME` builds contain this code. The agent's words are rows of
//! `hookkit_protocol::agents`.
//!
//! A patch becomes one call for each file that it changes, and the first denial denies the whole patch. The agent's own
//! payload is the member `agent_payload` of the translated payload.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::{env, fs, path};

use hookkit_protocol::agents::{Agent, Effect, Input, OnEvent, Part, Said, Tool, pairs};
use hookkit_protocol::event;
use serde_json::Value;

use crate::__private::decode;
use crate::answer::merged::{Merged, Printed};
use crate::project::trees;
use crate::state::{self, States};
use crate::{Context, Error, HookDef, Json, OnFailure, Payload, Response, sys};

mod patch;

/// The agent that the process answers, set by the launcher.
static AGENT: OnceLock<&'static Agent> = OnceLock::new();

/// The agent's rows for the event and the tool of this call.
#[derive(Debug, Clone, Copy)]
struct Called {
    agent: &'static Agent,
    event: &'static OnEvent,
    tool: Option<&'static Tool>,
    /// `true` if the call is a patch.
    is_patch: bool,
}

static CALLED: OnceLock<Called> = OnceLock::new();

/// Makes the process answer another agent. A launcher calls it before the hook.
pub fn answer_agent(agent: &'static Agent) {
    let _ = AGENT.set(agent);
    // A program that the hook leaves running would hold its output open, and the agent would wait for it.
    sys::lead_own_group();
}

/// Returns `true` if an agent other than Claude Code started the process.
pub(crate) fn is_on() -> bool {
    AGENT.get().is_some()
}

/// Returns a variable that Claude Code would have set. The project is the folder whose hooks file names this program
/// or, if the hooks are the user's, the repository around the session's folder. If the agent reads the hooks of the
/// main working tree in a linked worktree, the project is the linked worktree around that folder.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    let agent = AGENT.get().filter(|_| name == "CLAUDE_PROJECT_DIR")?;
    let (start, mark) = match agent.file.of_user {
        Some(_) => (env::current_dir(), ".git"),
        None => (env::current_exe(), agent.file.path),
    };
    let start = start.ok()?;
    let project = start.ancestors().find(|folder| folder.join(mark).exists())?;
    let here = env::current_dir().and_then(fs::canonicalize).ok().filter(|_| agent.file.of_main);
    let linked = here.as_deref().and_then(trees).filter(|(_, main)| main == project);
    Some(linked.map_or(project, |(root, _)| root).into())
}

/// Runs the hook on an agent's payload, and returns the response in Claude Code's format. It is translated into the
/// agent's format later.
pub(crate) fn respond(
    payload: &[u8],
    respond: impl Fn(&[u8]) -> Response,
    failed: impl Fn(&Error) -> Response,
) -> Response {
    let Some(agent) = AGENT.get() else {
        return respond(payload);
    };
    // The hook itself handles a payload that cannot be read, or that is of an event without a row.
    let Ok(Some(called)) = called(agent, payload) else {
        return respond(payload);
    };
    let _ = CALLED.set(called);
    if called.is_left_out(payload) {
        return Response::default();
    }
    let response = called.respond(payload, respond).unwrap_or_else(|err| failed(&err));
    let may_loop = agent.loops && called.event.name == "Stop" && denies(&response);
    // A failure to count does not make this block void.
    if may_loop && blocks(payload, state::root(|name| env::var_os(name))).unwrap_or(0) > MOST_BLOCKS {
        return Response {
            stderr: format!("the turn ends: it was blocked {MOST_BLOCKS} times in a row\n"),
            ..Response::default()
        };
    }
    response
}

/// Maximum number of consecutive blocks at the end of a turn; the turn ends after that. Agents with a limit have seven
/// or eight.
const MOST_BLOCKS: u32 = 8;

/// Counts a block at the end of a turn in the state folder and returns the number of consecutive blocks.
fn blocks(payload: &[u8], folder: Option<PathBuf>) -> Result<u32, Error> {
    let payload = Payload::parse(payload)?;
    let goes_on: bool = payload.decode_member("stop_hook_active", decode)?;
    let program = env::current_exe().unwrap_or_default();
    let session = Context { session_id: payload.string("session_id")?.into_owned(), ..Context::default() };
    let folder = folder.ok_or_else(|| Error::msg("there is no folder for states"))?;
    let blocks = States::new(folder, &session).of_session::<u32>(&format!("blocks of {}", program.display()))?;
    blocks.update(|blocks| {
        *blocks = if goes_on { *blocks + 1 } else { 1 };
        *blocks
    })
}

/// Returns the agent's rows for a payload; `None` if its event has no row.
fn called(agent: &'static Agent, payload: &[u8]) -> Result<Option<Called>, Error> {
    let payload = Payload::parse(payload)?;
    let tool = payload.optional_string("tool_name")?;
    let event = agent.own_event(&payload.event_name()?);
    let tool = tool.and_then(|name| agent.own_tool(&name));
    let is_text = payload.optional_string("tool_input").is_ok_and(|text| text.is_some());
    Ok(event.map(|event| Called {
        agent,
        event,
        tool,
        is_patch: is_text || matches!(tool, Some(tool) if matches!(tool.input, Input::Patch(_))),
    }))
}

/// Returns `true` if a response denies the call: nothing can be added to it then.
fn denies(response: &Response) -> bool {
    let printed = Printed::read(&response.stdout).ok().flatten();
    response.exit_code == OnFailure::Block.exit_code()
        || printed.is_some_and(|printed| parts(printed).iter().any(|(part, _)| *part == Part::Deny))
}

impl Called {
    /// Returns `true` if the payload is an exception in the event's row, so that the hook does not run.
    fn is_left_out(self, payload: &[u8]) -> bool {
        let mut except = pairs(self.event.except);
        except.any(|(member, value)| {
            let found = Payload::parse(payload)
                .and_then(|payload| Ok(payload.optional_string(member)?.as_deref() == Some(value)));
            found.unwrap_or(false)
        })
    }

    /// Runs the hook on all calls of a payload and returns one response. The first denial applies to all calls.
    fn respond(self, payload: &[u8], respond: impl Fn(&[u8]) -> Response) -> Result<Response, Error> {
        let calls = self.calls(payload)?;
        if let [call] = &calls[..] {
            return Ok(respond(call));
        }
        let (mut merged, mut all) = (Merged::default(), Response::default());
        for call in &calls {
            let response = respond(call);
            if denies(&response) {
                return Ok(response);
            }
            merged.add(&response.stdout)?;
            all.stderr += &response.stderr;
            all.exit_code = all.exit_code.max(response.exit_code);
        }
        if !merged.is_empty() {
            all.exit_code = 0;
            all.stdout = merged.response_on(self.event.name, &Payload::parse(payload)?)?.stdout;
        }
        Ok(all)
    }

    /// Translates the agent's payload into one or more payloads in Claude Code's words.
    fn calls(self, payload: &[u8]) -> Result<Vec<Cow<'_, [u8]>>, Error> {
        let (event, read) = (self.event, Payload::parse(payload)?);
        let mut document = Cow::Borrowed(payload);
        let set = |document: &mut Cow<'_, [u8]>, name: &str, value: &str| {
            *document = with(document, name, value)?.into();
            Ok::<_, Error>(())
        };
        if event.own != event.name {
            set(&mut document, "hook_event_name", &quoted(event.name))?;
        }
        if let Some(parts) = read.member(event.in_parts)
            && let Value::Array(parts) = decode(parts).map_err(Error::msg)?
        {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            set(&mut document, event.in_parts, &quoted(&texts.join("\n")))?;
        }
        for (name, value) in pairs(event.lacks) {
            if read.member(name).is_none() {
                set(&mut document, name, value)?;
            }
        }
        let field = event::event(event.name).and_then(|facts| facts.matcher_target.field());
        if let Some(field) = field
            && let Some(word) = read.optional_string(field)?
            && let Some((_, other)) = pairs(event.words).find(|(own, _)| *own == word)
        {
            set(&mut document, field, &quoted(other))?;
        }
        let Some(name) = read.optional_string("tool_name")? else {
            return Ok(vec![document]);
        };
        let all: Value = serde_json::from_slice(payload).map_err(Error::msg)?;
        let output = at(&all, self.agent.output);
        let of_text = all["tool_input"].as_str().filter(|_| self.tool.is_some());
        let mut input = BTreeMap::<String, Json>::new();
        if self.tool.is_some() && of_text.is_none() {
            input = read.decode_member("tool_input", decode)?;
        }
        let key = match self.tool.map(|tool| tool.input) {
            Some(Input::Patch(key)) => key,
            _ if of_text.is_some() => "",
            of_keys => {
                let of_server = self.agent.mcp.as_ref().and_then(|of| {
                    let rest = name.strip_prefix(of.before)?;
                    match at(&all, of.server).as_str().filter(|_| !of.server.is_empty()) {
                        Some(server) => Some((server, rest.strip_prefix(server)?.strip_prefix(of.between)?)),
                        None => rest.split_once(of.between),
                    }
                });
                let called = match (self.tool, of_server) {
                    (Some(tool), _) => (*tool.names.first().unwrap_or(&tool.own)).to_owned(),
                    (None, Some((server, tool))) => format!("mcp__{server}__{tool}"),
                    (None, None) => name.to_string(),
                };
                if called != *name {
                    set(&mut document, "tool_name", &quoted(&called))?;
                }
                if let Some(Input::Keys(keys)) = of_keys.filter(|keys| *keys != Input::Keys("")) {
                    input = renamed(input, keys, |(own, key)| (own, key));
                    let input = Json::encode(&input).map_err(Error::msg)?;
                    set(&mut document, "tool_input", input.text())?;
                }
                let response = self.tool.map_or("", |tool| tool.response);
                if !output.is_null() && (!response.is_empty() || read.member("tool_response").is_none()) {
                    let response = if response.is_empty() { "$" } else { response };
                    set(&mut document, "tool_response", &filled(response, output, &input))?;
                }
                return Ok(vec![document]);
            }
        };
        let of_key = || {
            let patch = input.get(key);
            let patch = patch.ok_or_else(|| Error::msg(format_args!("`{name}` has no `{key}`")))?;
            patch.decode::<String>().map_err(Error::msg)
        };
        let patch = of_text.map_or_else(of_key, |patch| Ok(patch.to_owned()))?;
        let edits = patch::edits(&patch, path::Path::new(&*read.string("cwd")?));
        if edits.is_empty() {
            return Err(Error::msg("the patch names no file"));
        }
        let call = |edit: &patch::Edit| {
            let mut call = document.clone();
            set(&mut call, "tool_name", &quoted(edit.tool()))?;
            set(&mut call, "tool_input", &edit.input().to_string())?;
            if !output.is_null() {
                set(&mut call, "tool_response", &edit.response().to_string())?;
            }
            set(&mut call, "agent_payload", &String::from_utf8_lossy(payload))?;
            Ok(Cow::Owned(call.into_owned()))
        };
        edits.iter().map(call).collect()
    }
}

/// Returns the value at a dotted path such as `tool_response.output`.
fn at<'v>(value: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(value, |value, key| &value[key])
}

/// Renames the members of an object by pairs such as `path=file_path`.
fn renamed<V>(
    object: BTreeMap<String, V>,
    pairs: &'static str,
    order: fn((&'static str, &'static str)) -> (&'static str, &'static str),
) -> BTreeMap<String, V> {
    let other = |key: String| {
        let other = self::pairs(pairs).map(order).find(|(from, _)| *from == key);
        other.map_or(key, |(_, to)| to.to_owned())
    };
    object.into_iter().map(|(key, value)| (other(key), value)).collect()
}

/// Returns a tool's response: the template of its row, filled with the output and members of the input.
fn filled(response: &str, output: &Value, input: &BTreeMap<String, Json>) -> String {
    let mut pieces = response.split('$');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find([',', '}']).unwrap_or(piece.len());
        let value = input.get(&piece[..end]).map(Json::text);
        text += value.unwrap_or(&if end == 0 { output.to_string() } else { quoted("") });
        text += &piece[end..];
    }
    text
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Replaces or adds a member of a JSON object.
fn with(document: &[u8], name: &str, value: &str) -> Result<Vec<u8>, Error> {
    if let Some(replaced) = Payload::parse(document)?.members().replaced(name, value.as_bytes()) {
        return Ok(replaced);
    }
    let inside = document.trim_ascii_start().strip_prefix(b"{").unwrap_or_default();
    let comma = if inside.trim_ascii() == b"}" { "" } else { "," };
    Ok([format!("{{{}:{value}{comma}", quoted(name)).as_bytes(), inside].concat())
}

/// Returns the parts of an answer, each with its text or JSON value.
fn parts(printed: Printed) -> Vec<(Part, Value)> {
    let of_event = printed.hook_specific_output;
    let (behavior, message, changed) = match of_event.decision {
        Some(request) => (Some(request.behavior), request.message, request.updated_input),
        None => (None, None, None),
    };
    let words = [
        (printed.decision, printed.reason),
        (of_event.permission_decision, of_event.permission_decision_reason),
        (behavior, message),
    ];
    let mut parts = Vec::new();
    for (word, reason) in words {
        let part = match word.as_deref() {
            Some("deny" | "block") => Part::Deny,
            Some("ask" | "defer") => Part::Ask,
            Some("allow" | "approve") => Part::Allow,
            _ => continue,
        };
        parts.push((part, reason.unwrap_or_default().into()));
    }
    if printed.r#continue == Some(false) {
        parts.push((Part::Stop, printed.stop_reason.unwrap_or_default().into()));
    }
    let value = |json: Json| serde_json::from_str(json.text()).unwrap_or_default();
    parts.extend(of_event.updated_input.or(changed).map(|input| (Part::Rewrite, value(input))));
    parts.extend(of_event.updated_tool_output.map(|output| (Part::Output, value(output))));
    parts.extend(of_event.additional_context.map(|text| (Part::Context, text.into())));
    parts.extend(printed.system_message.map(|text| (Part::Message, text.into())));
    parts
}

/// Translates a response into the form of another agent, if one started the process.
pub(crate) fn translated(hook: &HookDef, response: Response) -> Response {
    match AGENT.get() {
        Some(agent) => form(agent, CALLED.get().copied(), hook.declared.name, response),
        None => response,
    }
}

/// Translates a hook's response into an agent's form.
fn form(agent: &Agent, called: Option<Called>, hook: &str, response: Response) -> Response {
    let is_failure = response.exit_code == OnFailure::Block.exit_code();
    if is_failure && (called.is_none() || agent.failures.exit_2 == Effect::Denied) {
        // The reason is on stderr; the agent must read nothing else.
        return Response { stdout: Vec::new(), ..response };
    }
    let Some(Called { event, tool, is_patch, .. }) = called else {
        return response;
    };
    // Plain text, which Claude Code reads on some events, has no form.
    let printed = Printed::read(&response.stdout).ok().flatten();
    let mut parts = printed.map(parts).unwrap_or_default();
    // The reason of exit code 2 would not be read.
    let is_answered = is_failure && event.said(Part::Deny).is_some();
    if is_answered && !parts.iter().any(|(part, _)| *part == Part::Deny) {
        parts.push((Part::Deny, response.stderr.trim_end().into()));
    }
    let mut response =
        Response { stdout: Vec::new(), exit_code: if is_answered { 0 } else { response.exit_code }, ..response };
    let input = tool.map(|tool| tool.input);
    for (part, value) in &mut parts {
        let (what, other) = match part {
            Part::Rewrite => ("call", (!is_patch).then(|| value.clone())),
            Part::Output => ("output", text_of(tool, value)),
            _ => continue,
        };
        let is_honored = event.said(*part).is_some();
        if let Some(other) = other.filter(|_| is_honored) {
            *value = other;
            continue;
        }
        let agent = agent.name;
        *value = format!("the hook `{hook}` would change this {what}, which is not possible in {agent}").into();
        // The answer allows or shows the changed value. Only an output can be replaced by the reason.
        if *part != Part::Output || !is_honored {
            *part = Part::Deny;
        }
    }
    let reasons: Vec<String> = parts.iter().filter_map(|part| denial(agent, event, hook, part)).collect();
    if !reasons.is_empty() {
        parts.retain(|(part, _)| [Part::Context, Part::Message].contains(part));
        parts.push((Part::Deny, reasons.join("\n").into()));
    }
    let mut answer = Value::Null;
    for (part, mut value) in parts {
        match (event.said(part), value.as_str()) {
            (Some(Said::ExitCode2), Some(reason)) => {
                let exit_code = OnFailure::Block.exit_code();
                return Response { stdout: Vec::new(), stderr: format!("{reason}\n"), exit_code };
            }
            (Some(Said::Text), Some(text)) => response.stdout = text.as_bytes().to_vec(),
            _ => {}
        }
        if let (Part::Rewrite, Some(Input::Keys(keys)), Some(input)) = (part, input, value.as_object_mut()) {
            let input = std::mem::take(input).into_iter().collect();
            value = renamed(input, keys, |(own, key)| (key, own)).into_iter().collect();
        }
        if let Some(Said::As(members)) = event.said(part) {
            put(&mut answer, members, &value);
        }
    }
    if let Some(of_event) = answer.get_mut("hookSpecificOutput") {
        of_event["hookEventName"] = event.own.into();
    }
    if !answer.is_null() {
        response.stdout = answer.to_string().into_bytes();
    }
    response
}

/// Returns the reason of a part that denies, or that the agent turns into a denial. The reason is never empty, because
/// the agent would ignore the answer.
fn denial(agent: &Agent, event: &OnEvent, hook: &str, (part, text): &(Part, Value)) -> Option<String> {
    if *part != Part::Deny && event.said(*part) != Some(Said::Denied) {
        return None;
    }
    let text = text.as_str().filter(|text| !text.is_empty());
    let text = text.map_or_else(|| format!("the hook `{hook}` gives no reason"), str::to_owned);
    Some(match part {
        Part::Ask => {
            format!("The user has to decide this, and {} cannot ask: ask the user to do it. {text}", agent.name)
        }
        _ => text,
    })
}

/// Converts a tool's output from the agent's form into Claude Code's text.
fn text_of(tool: Option<&Tool>, output: &Value) -> Option<Value> {
    let key = tool.and_then(|tool| tool.response.split_once(":$,")?.0.split('"').nth(1));
    let text = key.map_or(output, |key| &output[key]);
    text.is_string().then(|| text.clone())
}

/// Adds members to an answer, using a template such as `.permissionDecision=deny reason=$`.
fn put(answer: &mut Value, members: &str, value: &Value) {
    for member in members.split(' ') {
        let Some((path, word)) = member.split_once('=') else {
            continue;
        };
        let mut place = &mut *answer;
        for key in path.split('.') {
            place = &mut place[if key.is_empty() { "hookSpecificOutput" } else { key }];
        }
        *place = match word {
            "$" => match (place.as_str(), value.as_str()) {
                (Some(before), Some(value)) => format!("{before}\n{value}").into(),
                _ => value.clone(),
            },
            "false" => false.into(),
            word => word.into(),
        };
    }
}

#[cfg(test)]
mod tests;
