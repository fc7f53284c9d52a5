//! The installed client's version, and the features that hooks need and this version lacks.

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
use crate::diagnose::report::Diagnostic;
use crate::settings::code::Code;

/// Time limit for the client to print its version.
const LIMIT: Duration = Duration::from_secs(10);

pub(crate) fn look(session: &Session, binary: Option<&Path>) -> Result<Vec<Diagnostic>> {
    let Some(client) = client::find(binary)? else {
        let what = "there is no `claude` in PATH, so its version is unknown";
        return Ok(vec![
            Diagnostic::new(Code::UnknownClient, what, "", "pass `--client-binary FILE`").note(),
        ]);
    };
    let Some(version) = version(&client) else {
        let what = format!("{} does not print its version", client.display());
        return Ok(vec![Diagnostic::new(Code::UnknownClient, what, "", "").note()]);
    };
    Ok(unknown(session, &version))
}

/// Finds features that the hooks need and this client lacks.
fn unknown(session: &Session, version: &Version) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for source in session.sources.iter().filter(|source| source.state == State::Read) {
        let mut seen = BTreeSet::new();
        for hook in &source.handlers {
            for (what, does, first) in requirements(hook) {
                let is_supported = Version::parse(first).is_ok_and(|first| first <= *version);
                if is_supported || !seen.insert(what.clone()) {
                    continue;
                }
                let what = format!("the installed Claude Code {version} does not support {what}");
                let fix = format!("update it to {first} or later");
                diagnostics.push(Diagnostic::new(Code::ClientTooOld, what, does, fix).at(source, hook.place));
            }
        }
    }
    diagnostics
}

/// Returns the features that a hook needs: each with the behavior of older clients, and the first version that has it.
fn requirements(hook: &Handler) -> Vec<(String, &'static str, &'static str)> {
    let mut requirements = Vec::new();
    if let Some(event) = event(&hook.event) {
        let does = "it never runs the hook, and may report an unknown event";
        requirements.push((format!("the event {}", event.name), does, event.since));
    }
    let keys = hook.values.as_object().into_iter().flatten().map(|(key, _)| key);
    for key in keys {
        let Some(first) = since(hook.kind(), key) else { continue };
        let does = match &**key {
            "args" => "it runs `command` in a shell, without `args`",
            "if" => "it runs the hook on every call that the matcher matches",
            _ => "it goes ahead when the hook cannot be started or fails",
        };
        requirements.push((format!("`{key}`"), does, first));
    }
    requirements
}

/// Returns the version that a client prints within the time limit.
fn version(client: &Path) -> Option<Version> {
    // It writes to a temporary configuration folder. `HOME` is unchanged: some clients need it to start.
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
    let output = thread::spawn(move || {
        let mut text = String::new();
        let read = stdout.read_to_string(&mut text);
        read.is_ok().then_some(text)
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
    let output = status.success().then(|| output.join().ok()).flatten()??;
    Version::parse(output.split_whitespace().next()?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::diagnose::active::source::HookFile;
    use crate::settings::folders::Scope;
    use crate::settings::part::Part;

    #[test]
    fn a_feature_that_the_client_lacks_is_reported_once_per_file() {
        let hook = json!({"type": "command", "command": "x", "args": [], "if": "Bash", "onFailure": "block"});
        let text = json!({"hooks": {"PreToolUse": [{"hooks": [hook, hook]}], "DirectoryAdded": []}}).to_string();
        let source = HookFile::of_text(Scope::Project, "x".into(), text, &Part::Settings);
        let session = Session {
            sources: vec![source],
            switches: Vec::new(),
            packaged: Vec::new(),
        };
        let unknown = |version: &str| -> Vec<String> {
            let version = Version::parse(version).expect("a version");
            let diagnostics = unknown(&session, &version).into_iter();
            diagnostics
                .map(|diagnostic| diagnostic.what.rsplit(' ').next().unwrap_or_default().to_owned())
                .collect()
        };
        assert_eq!(unknown("2.1.330"), Vec::<String>::new());
        assert_eq!(unknown("2.1.200"), ["`onFailure`"]);
        assert_eq!(unknown("2.1.100"), ["`args`", "`onFailure`"]);
        assert_eq!(unknown("2.1.0"), ["`args`", "`if`", "`onFailure`"]);
    }
}
