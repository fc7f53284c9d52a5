//! Sends notifications to a user who is elsewhere.

use serde_json::json;

use crate::notify::{is_due, plain};
use crate::prelude::*;

/// Sends the client's notifications to a phone or a chat, through ntfy or a Slack webhook, when the user is away from
/// the keyboard.
///
/// The client decides when the user is away: it notifies when a permission question has waited for about six seconds,
/// and after a minute without a prompt (client 2.1.330). Questions of MCP servers and of agents are sent, too. To send
/// other kinds, set `matcher` in the workspace's Cargo.toml.
///
/// The addresses are in `~/.config/hookkit/notify`, one on each line. Without that file, nothing is sent. Keep
/// addresses out of repositories: they are as good as passwords.
///
/// ```text
/// # To a phone.
/// ntfy https://ntfy.sh/a-topic-that-cannot-be-guessed
/// slack https://hooks.slack.com/services/T000/B000/XXXX
/// ```
///
/// A Slack webhook accepts a JSON object with `text`. So do the webhooks of Mattermost and, with `/slack` after the
/// address, Discord.
///
/// The message is the name of the project's folder and the client's text, such as "Claude needs your permission to use
/// Bash". No part of the conversation is sent.
///
/// The hook starts `curl`, which reads the address and the text from stdin, so that they are not in the process list.
/// Each kind is sent at most once in 30 seconds, even if sending fails. Only the first three addresses are used.
///
/// # What it cannot see
///
/// - Delivery of the message to the user.
///
/// # Errors
///
/// If a line of the file has neither form, if an address is not `https` (`http` is accepted for the user's own
/// machine), or if `curl` is missing or fails, the client writes the error to its debug log, and the session goes on.
#[hook(Notification, matcher = "permission_prompt|idle_prompt|agent_needs_input|elicitation_dialog", timeout = 30)]
pub fn notify_away(
    notification: Notification,
    context: Context,
    environment: Environment,
    states: States,
) -> Result<(), Error> {
    let Some(home) = environment.home() else {
        return Ok(());
    };
    let places = places(&home.join(FILE))?;
    if places.is_empty() || !is_due(&states, "hookkit-session notify-away", notification.notification_type.as_str()) {
        return Ok(());
    }
    let project = context.project_dir.file_name().unwrap_or_default().to_string_lossy();
    let text = plain(&format!("Claude Code in {project}: {}", notification.message));
    send(&places, &text, &environment.variable("PATH").unwrap_or_default())
}

/// Sends a text to each address, even after one fails.
fn send(places: &[Place], text: &str, search_path: &OsStr) -> Result<(), Error> {
    let mut failed = Vec::new();
    for place in places.iter().take(MOST_PLACES) {
        let output = installed("curl", search_path, LIMIT).args(["--config", "-"]).stdin(place.request(text)).output();
        match output {
            Ok(output) if output.status.success() => {}
            Ok(output) => failed.push(format!("{} ({})", output.stderr_text().trim(), output.status)),
            Err(err) => failed.push(err.to_string()),
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Error::msg(format_args!("cannot notify: {}", failed.join("; ")))) }
}

/// Path of the file with the addresses, in the home folder.
const FILE: &str = ".config/hookkit/notify";

/// Maximum number of addresses to use, so that all requests end within the hook's time limit.
const MOST_PLACES: usize = 3;

/// Time limit of one request.
const LIMIT: Duration = Duration::from_secs(8);

/// An address that notifications are sent to.
#[derive(Debug, PartialEq)]
struct Place {
    form: Form,
    address: String,
}

#[derive(Debug, PartialEq)]
enum Form {
    /// The body is the text.
    Ntfy,
    /// The body is JSON that contains the text.
    Slack,
}

impl Place {
    fn parse(line: &str) -> Option<Self> {
        let (form, address) = line.split_once(char::is_whitespace)?;
        let form = match form {
            "ntfy" => Form::Ntfy,
            "slack" => Form::Slack,
            _ => return None,
        };
        let address = address.trim();
        let is_own = ["http://127.0.0.1:", "http://[::1]:", "http://localhost:"];
        let is_allowed = address.starts_with("https://") || is_own.iter().any(|start| address.starts_with(start));
        let is_whole = !address.contains(|char: char| char.is_whitespace() || char.is_control());
        (is_allowed && is_whole).then(|| Self { form, address: address.to_owned() })
    }

    /// Returns the configuration of `curl` for a message.
    fn request(&self, text: &str) -> String {
        let (content_type, body) = match self.form {
            Form::Ntfy => ("text/plain; charset=utf-8", text.to_owned()),
            Form::Slack => {
                let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                ("application/json", json!({"text": escaped}).to_string())
            }
        };
        format!(
            "url = {}\nheader = {}\ndata-raw = {}\nmax-time = 5\nfail\nsilent\nshow-error\noutput = \"/dev/null\"\n",
            quoted(&self.address),
            quoted(&format!("Content-Type: {content_type}")),
            quoted(&body)
        )
    }
}

/// Quotes a value for the configuration of `curl`.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

/// Reads the addresses. If there is no file, there are none.
fn places(file: &Path) -> Result<Vec<Place>, Error> {
    const LONGEST: u64 = 64 * 1024;
    let text = match bounded::text(file, LONGEST) {
        Ok(text) => text,
        Err(err) if err.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(err) => return Err(Error::msg(format_args!("`{}` cannot be read: {err}", file.display()))),
    };
    let lines = text.lines().map(str::trim).enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let place = |(index, line)| {
        Place::parse(line).ok_or_else(|| {
            // The line may have a secret.
            Error::msg(format_args!(
                "line {} of `{}` is neither `ntfy https://…` nor `slack https://…`",
                index + 1,
                file.display()
            ))
        })
    };
    lines.map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_form_and_an_address() {
        let place = |line| Place::parse(line).map(|place| (place.form, place.address));
        let ntfy = (Form::Ntfy, "https://ntfy.sh/x".to_owned());
        assert_eq!(place("ntfy  https://ntfy.sh/x"), Some(ntfy));
        for line in [
            "https://ntfy.sh/x", "mail https://x.org", "ntfy http://x.org/y", "slack file:///etc/passwd",
            "slack https://x.org/y z", "slack http://127.0.0.1.x.org/",
        ] {
            assert_eq!(place(line), None, "{line}");
        }
    }

    #[test]
    fn a_text_adds_no_option_of_curl() {
        let place = Place::parse("ntfy https://ntfy.sh/x").unwrap();
        let request = place.request("a \"b\"\nurl = \"https://y.org\" \\");
        let found = request.lines().filter(|line| line.starts_with("url")).count();
        assert_eq!(found, 1, "{request}");
        let body = r#"data-raw = "a \"b\"\nurl = \"https://y.org\" \\""#;
        assert!(request.lines().any(|line| line == body), "{request}");
    }
    #[cfg(unix)]
    #[test]
    fn failures_are_reported_without_the_address() {
        use std::fs;
        use std::process::Command;

        const STUB: &str = "#!/bin/sh\ncat > \"$0.asked\"; echo \"$@\" > \"$0.arguments\"; echo refused >&2; exit 7\n";
        let folder = test_support::folder();
        let path = folder.path().join("curl");
        // A child writes it: a script that is open for writing, in a process that another test starts, cannot be run.
        let mut shell = Command::new("/bin/sh");
        let written =
            shell.args(["-c", r#"printf %s "$2" > "$1" && chmod +x "$1""#, "sh"]).arg(&path).arg(STUB).status();
        assert!(written.unwrap().success());
        let places = [Place::parse("ntfy https://ntfy.sh/secret").unwrap()];
        let search_path = std::env::join_paths([folder.path(), Path::new("/bin"), Path::new("/usr/bin")]).unwrap();
        let error = send(&places, "text", &search_path).unwrap_err().to_string();
        assert!(error.starts_with("cannot notify: refused (") && !error.contains("secret"), "{error}");
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(read("curl.asked").contains("url = \"https://ntfy.sh/secret\""));
        assert_eq!(read("curl.arguments"), "--config -\n");

        let error = super::places(&path).unwrap_err().to_string();
        assert!(error.starts_with("line 2 of `") && !error.contains("asked"), "{error}");
    }
}
