//! A client's reading of the settings of a project and of its user, on copies that start nothing.
//!
//! In the copies, each handler is replaced by one that leaves its number, so no hook is run. Everything else is unchanged, so the
//! client lists, fires and drops the same handlers as in the original files.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::mpsc;

use anyhow::{Result, bail, ensure};
use serde_json::{Value, json};

use crate::api::{Api, Asked, Reply, RequestKind};
use crate::isolation::API_KEY;
use crate::{Project, Session, Turn};

/// Returns the mark of the handler of this number: in its command, URL or prompt, and in their results.
fn mark(number: usize) -> String {
    format!("hookkit-heard/{number:04}")
}

/// Asks a client about the settings of a project, and of the user with this configuration folder, in a session with a call each of
/// Bash, Write, Edit and Read. Returns a line for each file, each hook, and each part that the client skips; and `true` if it
/// accepts everything.
///
/// # Errors
///
/// If the session ends without a result.
pub fn ask(client: &Path, project: &Path, user: &Path) -> Result<(String, bool)> {
    let (room, config) = (Project::new()?, test_support::folder());
    let (called, calls) = mpsc::channel();
    // An empty answer of an `http` hook has no effect.
    let server = Api::start(move |asked| {
        let _ = called.send(asked.path.clone());
        Reply::Empty
    })?;
    room.write(".claude/settings.json", "{}")?;
    let (mut files, mut count) = (Vec::new(), 0);
    for (source, folder, name, to) in [
        ("userSettings", user, "settings.json", config.path()),
        ("projectSettings", project, ".claude/settings.json", room.path()),
        ("localSettings", project, ".claude/settings.local.json", room.path()),
    ] {
        let (path, copy) = (folder.join(name), to.join(name));
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let settings = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}'));
        // The client does not list a file without keys.
        if settings.as_ref().is_ok_and(|settings| *settings == json!({})) {
            continue;
        }
        let made = settings.map(|mut settings| (replace(&mut settings, count, &server.url()), settings));
        if let Ok((handlers, settings)) = &made {
            fs::write(&copy, settings.to_string())?;
            count += handlers.len();
        }
        files.push((path, copy, source, made.map(|(places, _)| places)));
    }
    ensure!(!files.is_empty(), "there are no settings");
    let heard = config.path().join("heard");
    let outcome = session(client, room.path(), count).config_dir(config.path()).env("HEARD", &heard).run("go")?;
    let [settings, listing] = &outcome.answers()[..] else {
        bail!("the session ended without a result: {}", outcome.stderr());
    };
    let heard = fs::read_to_string(heard).unwrap_or_default();
    let mut fired: Vec<String> = heard.lines().map(str::to_owned).chain(calls.try_iter()).collect();
    fired.extend(outcome.all_requests().iter().filter_map(question));
    let (sources, listed) = (settings["sources"].to_string(), listing["hooks"].to_string());
    let log = outcome.debug();
    let (mut text, mut is_clean, mut number) = (String::new(), true, 0);
    for (path, copy, source, handlers) in files {
        let is_read = handlers.is_ok() && sources.contains(source);
        let read = if is_read { "read" } else { "not read" };
        writeln!(text, "{}: {read}", path.display())?;
        // A message about the whole file has no place in it.
        let ours = format!("{}: ", copy.display());
        let skipped = |line: &&str| line.contains("Invalid setting skipped");
        for (_, words) in log.lines().filter(skipped).filter_map(|line| line.split_once(&ours)) {
            writeln!(text, "  the client: {}", words.trim_start_matches(": "))?;
            is_clean = false;
        }
        is_clean &= is_read;
        let handlers = handlers.or_else(|why| writeln!(text, "  it is not JSON: {why}").map(|()| Vec::new()))?;
        for place in handlers {
            let mark = mark(number);
            let state = match fired.iter().filter(|fired| fired.contains(&mark)).count() {
                0 if listed.contains(&mark) => "registered, not fired".to_owned(),
                0 => "not registered".to_owned(),
                times => format!("fired, {times}"),
            };
            is_clean &= state != "not registered";
            writeln!(text, "  {place}: {state}")?;
            number += 1;
        }
    }
    if listing["policy"]["allDisabled"] == true {
        text += "all hooks: turned off by `disableAllHooks`\n";
    }
    Ok((text, is_clean))
}

/// Returns the text of a request that may be the question of a hook.
fn question(request: &Asked) -> Option<String> {
    let messages = request.body["messages"].as_array()?;
    // On Stop, a `prompt` hook's question follows the whole conversation; an `agent` hook begins its own one.
    let is_begun = messages.iter().any(|message| message["role"] == "assistant");
    match request.kind {
        RequestKind::Side => messages.last().map(Value::to_string),
        _ if is_begun => None,
        _ => Some(request.body["messages"].to_string()),
    }
}

/// Returns a session that answers each hook without an effect.
fn session(client: &Path, project: &Path, hooks: usize) -> Session {
    let file = project.join("hookkit.txt");
    let calls = [
        Turn::bash("true"),
        Turn::call("Write", json!({"file_path": file, "content": "one\n"})),
        Turn::call("Edit", json!({"file_path": file, "old_string": "one", "new_string": "two"})),
        Turn::call("Read", json!({"file_path": file})),
        Turn::text("Done."),
    ];
    let session = Session::new(client, project)
        .allow(&["Bash", "Write", "Edit", "Read"])
        .arguments(&["--permission-mode", "default"])
        .env("NO_PROXY", "127.0.0.1")
        .reply("go", calls)
        .control(json!({"subtype": "get_settings"}))
        .control(json!({"subtype": "get_hooks_listing"}));
    // No server listens there: whatever a setting would make the client call elsewhere fails.
    let proxies = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
    let session = proxies.iter().fold(session, |session, name| session.env(name, "http://127.0.0.1:9"));
    // An `agent` hook answers by a tool.
    let ok = || [Turn::call("StructuredOutput", json!({"ok": true})), Turn::text("Done.")];
    (0..hooks).fold(session, |session, number| session.reply(&mark(number), ok()))
}

/// The keys whose objects name programs, servers, folders or variables, and that the client does not search for hooks.
const EMPTIED: [&str; 9] = [
    "env", "enabledPlugins", "extraKnownMarketplaces", "lspServers", "managedMcpServers", "mcpServers", "policyHelper",
    "policyHelpers", "sandbox",
];

/// Replaces whatever the client would start by a value of the same kind, so a mistake stays the mistake it is. Returns the places
/// of the handlers, which have numbers from `first` on, as the client writes them: `hooks.PreToolUse.0.hooks.1`.
fn replace(settings: &mut Value, first: usize, url: &str) -> Vec<String> {
    silence(settings);
    for (name, value) in settings.as_object_mut().into_iter().flatten() {
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        match value {
            Value::Object(members) if EMPTIED.contains(&name.as_str()) => members.clear(),
            Value::String(text) if name == "apiKeyHelper" => *text = format!("echo {API_KEY}"),
            Value::String(text) if ends(&["Helper", "Refresh", "Export"]) => *text = "true".to_owned(),
            // A folder of the user's.
            Value::String(text) if ends(&["Directory"]) => *text = "folder".to_owned(),
            _ => {}
        }
    }
    let mut places = Vec::new();
    let events = settings.get_mut("hooks").and_then(Value::as_object_mut);
    for (event, groups) in events.into_iter().flatten() {
        for (at, group) in groups.as_array_mut().into_iter().flatten().enumerate() {
            let list = group.get_mut("hooks").and_then(Value::as_array_mut);
            for (position, handler) in list.into_iter().flatten().enumerate() {
                let mark = mark(first + places.len());
                places.push(format!("hooks.{event}.{at}.hooks.{position}"));
                let (mut line, is_mcp) = (format!("echo {mark} >> \"$HEARD\""), handler["type"] == "mcp_tool");
                if let Some(Value::Array(args)) = handler.get_mut("args") {
                    *args = vec!["-c".into(), std::mem::replace(&mut line, "/bin/sh".to_owned()).into()];
                }
                for (name, value) in handler.as_object_mut().into_iter().flatten() {
                    let Value::String(text) = value else { continue };
                    match name.as_str() {
                        "command" => text.clone_from(&line),
                        // One without a host is a mistake.
                        "url" if text.split_once("://").is_some_and(|(_, host)| !host.is_empty()) => {
                            *text = format!("{url}/{mark}")
                        }
                        "prompt" | "server" => text.clone_from(&mark),
                        // The server is missing, which must not stop anything.
                        "onFailure" if is_mcp => *text = "continue".to_owned(),
                        _ => {}
                    }
                }
            }
        }
    }
    places
}

/// Replaces the commands in a value, wherever they are: the client may see a hook there.
fn silence(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(silence),
        Value::Object(members) => members.iter_mut().for_each(|(name, value)| match value {
            Value::String(text) if name == "command" => *text = "true".to_owned(),
            Value::Array(list) if name == "additionalDirectories" => list.clear(),
            value => silence(value),
        }),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_would_be_started_is_replaced() {
        test_support::lines!("lines/copied.txt").check(|_, text| {
            let mut settings = serde_json::from_str(text).expect("JSON");
            replace(&mut settings, 3, "http://127.0.0.1:1");
            settings.to_string()
        });
    }
}
