//! Which client is here, and whether it knows what the hooks want of it.

use std::collections::BTreeSet;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use hookkit_protocol::event::event;
use hookkit_protocol::settings::since;
use rustix::process::{Pid, Signal, kill_process_group};
use semver::Version;

use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, State};
use crate::diagnose::client;
use crate::diagnose::report::Told;

/// How long the client may take to say its version.
const LIMIT: Duration = Duration::from_secs(10);

pub(crate) fn look(session: &Session, binary: Option<&Path>) -> Result<Vec<Told>> {
    let Some(client) = client::find(binary)? else {
        let what = "there is no `claude` in PATH, so that its version is not known";
        return Ok(vec![Told::new(what, "", "name it: --client-binary FILE").note()]);
    };
    let Some(version) = version(&client) else {
        let what = format!("{} does not tell its version", client.display());
        return Ok(vec![Told::new(what, "", "").note()]);
    };
    Ok(unknown(session, &version))
}

/// What the hooks want and this client does not know.
fn unknown(session: &Session, version: &Version) -> Vec<Told> {
    let mut told = Vec::new();
    for source in session.sources.iter().filter(|source| source.state == State::Read) {
        let mut seen = BTreeSet::new();
        for hook in &source.handlers {
            for (what, does, first) in wanted(hook) {
                let is_known = Version::parse(first).is_ok_and(|first| first <= *version);
                if is_known || !seen.insert(what.clone()) {
                    continue;
                }
                let what = format!("Claude Code {version}, which is here, does not know {what}");
                let fix = format!("update it: {first} knows that");
                told.push(Told::new(what, does, fix).at(source, hook.place));
            }
        }
    }
    told
}

/// What a hook needs that not every client has: the thing, what an older one does, and the first that knows it.
fn wanted(hook: &Handler) -> Vec<(String, &'static str, &'static str)> {
    let mut wanted = Vec::new();
    if let Some(event) = event(&hook.event) {
        let does = "it never runs the hook, and may say that there is no such event";
        wanted.push((format!("the event {}", event.name), does, event.since));
    }
    let keys = hook.values.as_object().into_iter().flatten().map(|(key, _)| key);
    for key in keys {
        let Some(first) = since(hook.kind(), key) else { continue };
        let does = match &**key {
            "args" => "it gives `command` to a shell, without what stands in `args`",
            "if" => "it runs the hook on every call that the matcher lets through",
            _ => "it goes on where the hook cannot be started, or fails",
        };
        wanted.push((format!("`{key}`"), does, first));
    }
    wanted
}

/// The version that a client says to be, in the time that it has for that.
fn version(client: &Path) -> Option<Version> {
    // Whatever it writes, it writes where it is thrown away; its home it may need to start at all.
    let folder = tempfile::tempdir().ok()?;
    let mut child = Command::new(client)
        .arg("--version")
        .current_dir(folder.path())
        .env("CLAUDE_CONFIG_DIR", folder.path())
        .env("DISABLE_AUTOUPDATER", "1")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdout = child.stdout.take()?;
    let said = thread::spawn(move || {
        let mut said = String::new();
        let read = stdout.read_to_string(&mut said);
        read.is_ok().then_some(said)
    });
    let deadline = Instant::now() + LIMIT;
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break status,
            None if Instant::now() > deadline => {
                let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
                let _ = child.wait();
                return None;
            }
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    let said = status.success().then(|| said.join().ok()).flatten()??;
    Version::parse(said.split_whitespace().next()?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::diagnose::active::source::Source;
    use crate::settings::folders::Scope;
    use crate::settings::part::Part;

    #[test]
    fn what_an_older_client_does_not_know_is_told_once_a_file() {
        let hook = json!({"type": "command", "command": "x", "args": [], "if": "Bash", "onFailure": "block"});
        let text = json!({"hooks": {"PreToolUse": [{"hooks": [hook, hook]}], "DirectoryAdded": []}}).to_string();
        let source = Source::of_text(Scope::Project, "x".into(), text, &Part::Settings);
        let session = Session {
            sources: vec![source],
            switches: Vec::new(),
        };
        let unknown = |version: &str| -> Vec<String> {
            let version = Version::parse(version).expect("a version");
            let told = unknown(&session, &version).into_iter();
            told.map(|told| told.what.rsplit(' ').next().unwrap_or_default().to_owned())
                .collect()
        };
        assert_eq!(unknown("2.1.330"), Vec::<String>::new());
        assert_eq!(unknown("2.1.200"), ["`onFailure`"]);
        assert_eq!(unknown("2.1.100"), ["`args`", "`onFailure`"]);
        assert_eq!(unknown("2.1.0"), ["`args`", "`if`", "`onFailure`"]);
    }
}
