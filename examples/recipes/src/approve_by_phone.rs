//! Permission requests, answered on a phone.

// ANCHOR: hook
use std::thread;
use std::time::{Duration, Instant};

use hookkit::config_file::ConfigFile;
use hookkit::prelude::*;
use hookkit::process::Command;

/// Sends a permission request to a phone through ntfy and waits for the answer.
#[hook(PermissionRequest, timeout = 120)]
pub fn approve_by_phone(
    request: PermissionRequest,
    context: Context,
    environment: Environment,
) -> Result<PermissionRequestAnswer, Error> {
    let file = environment
        .home()
        .map(|home| ConfigFile::at(home.join(".config/hookkit/phone")));
    let Some(topic) = file.map(|file| file.text()).transpose()?.flatten() else {
        return Ok(PermissionRequestAnswer::pass());
    };
    let (topic, question) = (topic.trim(), format!("{}-{}", context.session_id, std::process::id()));
    let answers = format!("{topic}-answers");
    let button = |text: &str| format!("http, {text}, {answers}, body={text} {question}");
    let text = format!("{}: {}", request.tool_name, request.input.text());
    let actions = format!("Actions: {}; {}", button("Allow"), button("Deny"));
    let text: String = text.chars().take(500).collect();
    curl(&[("header", &actions), ("data-raw", &text), ("url", topic)])?;
    let time = context.time_left().unwrap_or(Duration::from_secs(5)) * 9 / 10;
    let started = Instant::now();
    while started.elapsed() < time {
        let said = curl(&[("url", &format!("{answers}/raw?poll=1&since=2m"))])?;
        for line in said.lines().rev() {
            match line.strip_suffix(&question).map(str::trim) {
                Some("Allow") => return Ok(PermissionRequestAnswer::allow()),
                Some("Deny") => return Ok(PermissionRequestAnswer::deny("the user denied it by phone")),
                _ => {}
            }
        }
        thread::sleep(Duration::from_secs(1));
    }
    // The dialog is still there.
    Ok(PermissionRequestAnswer::pass())
}

/// Sends a request and returns the server's answer.
fn curl(options: &[(&str, &str)]) -> Result<String, Error> {
    let quoted = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"");
    let lines = options
        .iter()
        .map(|(name, value)| format!("{name} = \"{}\"\n", quoted(value)));
    let mut curl = Command::new("curl");
    curl.args([
        "--config", "-", "--silent", "--show-error", "--fail", "--max-time", "10",
    ]);
    // Keeps the address out of process lists.
    curl.stdin(lines.collect::<String>());
    let output = curl.output()?;
    match output.status.success() {
        true => Ok(output.stdout_text().into_owned()),
        false => Err(Error::msg(format_args!(
            "no answer from the phone: {}",
            output.stderr_text()
        ))),
    }
}
// ANCHOR_END: hook

// ANCHOR: test
#[cfg(test)]
mod tests {
    use hookkit::Hook;
    use hookkit::testing::{Action, Recorded, Session, Verdict};

    use super::*;

    /// A phone that answers each question at once.
    fn run(answer: &str) -> Verdict {
        let session = Session::new();
        session.write("~/.config/hookkit/phone", "https://ntfy.example/topic\n");
        let script = format!(
            r#"asked=$(cat)
            case "$asked" in
            *poll=1*) cat "$HOME/asked" ;;
            *) echo "$asked" | sed -n 's/.*body={answer} \([^;"]*\).*/{answer} \1/p' > "$HOME/asked" ;;
            esac"#
        );
        session.program("curl", &script);
        session.run(approve_by_phone::DEF, &Recorded::of("PermissionRequest"))
    }

    #[test]
    fn the_answer_of_the_phone_counts() {
        run("Allow").assert_allowed();
        run("Deny").assert_denied("the user denied it by phone");
    }

    #[test]
    fn without_an_address_the_user_is_asked_in_the_dialog() {
        let verdict = Session::new().run(approve_by_phone::DEF, &Recorded::of("PermissionRequest"));
        assert_eq!(verdict.action, Action::LeftToUser);
    }
}
// ANCHOR_END: test
