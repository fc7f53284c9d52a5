//! Logs every tool call.

use std::io::Write;

use hookkit::Json;

use crate::folder;
use crate::prelude::*;

/// Logs every tool call before it runs.
///
/// Each call is a line of JSON at the end of `.claude/audit/tool-calls.jsonl` in the project:
///
/// ```json
/// {"time":"2026-01-31T12:00:00.123Z","session_id":"…","cwd":"/project","tool_name":"Bash","tool_use_id":"toolu_…","tool_input":{"command":"ls"}}
/// ```
///
/// If a subagent made the call, `agent_id` is next to `session_id`. The input is complete, as the client sent it.
///
/// The folder is created on the first call, with a `.gitignore` that keeps it out of the repository. Inputs may contain
/// secrets, so only the user can read the file; if others can read it, their access is removed. The file grows without
/// limit: rotate it as you like. Lines of simultaneous calls do not mix. If a hook is killed while it writes a long
/// line, half of it may remain, on a line of its own.
///
/// The hook prints nothing, and has no opinion on the call.
///
/// If the hook is installed with `--audit`, it writes nothing to the project: each call is a line of the audit, with
/// the decisions of hooks and with masked secrets.
///
/// # What it cannot see
///
/// - The decision on the call, and its result.
/// - Calls that the client denies before any hook runs (client 2.1.330).
/// - On Windows: who may read the file, which has the permissions of the project's folder; a second name (a hard link)
///   or another owner of the log; and a link that another program creates at the same moment.
///
/// # Errors
///
/// If the line cannot be written, for example on a full disk, the user reads the reason, and the call goes on. The same
/// happens if the log or its folder is a link, which can come with a checkout, and if the log is a hard link, not a
/// regular file, or owned by another user.
#[hook(PreToolUse, timeout = 5)]
pub fn audit_tool_calls(call: PreToolUse, context: Context) -> Result<(), Error> {
    if hookkit::is_audited() {
        return Ok(());
    }
    let project = &context.project_dir;
    let line = line(&call, &context, SystemTime::now())?;
    append(project, &line)
        .map_err(|err| Error::msg(format_args!("cannot write `{}`: {err}", project.join(FOLDER).join(LOG).display())))
}

const FOLDER: &str = ".claude/audit";
const LOG: &str = "tool-calls.jsonl";

#[derive(Serialize)]
struct Record<'c> {
    time: Timestamp,
    session_id: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<&'c str>,
    cwd: &'c Path,
    tool_name: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_use_id: Option<&'c str>,
    tool_input: &'c Json,
}

/// Returns the call as one line, with a line feed at its end.
fn line(call: &PreToolUse, context: &Context, time: SystemTime) -> Result<Vec<u8>, Error> {
    let mut line = serde_json::to_vec(&Record {
        time: time.into(),
        session_id: &context.session_id,
        agent_id: context.agent_id.as_deref(),
        cwd: &context.cwd,
        tool_name: &call.tool_name,
        tool_use_id: call.tool_use_id.as_deref(),
        tool_input: &call.input,
    })?;
    // The input keeps the line ends of its text. In valid JSON they are only between tokens, where a blank does as
    // well.
    for byte in &mut line {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    line.push(b'\n');
    Ok(line)
}

/// Appends a whole line to the project's log, or nothing if that fails.
fn append(project: &Path, line: &[u8]) -> io::Result<()> {
    let mut file = folder::append(&folder::open(project, Path::new(FOLDER))?, LOG)?;
    // A write can be a short one, and the rest could land after another process's line. Closing the file releases the
    // lock.
    file.lock()?;
    let length = file.metadata()?.len();
    // A process killed during a long line leaves half of it, which must not spoil the next one.
    let is_whole = length == 0 || folder::last_byte(&file, length)? == b'\n';
    let start: &[u8] = if is_whole { b"" } else { b"\n" };
    file.write_all(&[start, line].concat()).inspect_err(|_| {
        // Half a line, on a disk that is full, would spoil the next one, too. The error is reported in any case.
        let _ = file.set_len(length);
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    #[cfg(unix)]
    use std::os::unix::fs::{PermissionsExt, chown, symlink};
    use std::path::PathBuf;
    #[cfg(unix)]
    use std::process::Command;
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;

    fn log(project: &Path) -> PathBuf {
        project.join(FOLDER).join(LOG)
    }

    #[cfg(unix)]
    fn mode(file: &Path) -> u32 {
        fs::metadata(file).unwrap().permissions().mode() & 0o777
    }

    fn read(project: &Path) -> String {
        fs::read_to_string(log(project)).unwrap()
    }

    #[test]
    fn a_record_has_what_the_event_has() {
        let call = PreToolUse::new("Bash", Json::parse(r#"{"command":"ls","timeout":1e3}"#).unwrap());
        let mut context = Context::default();
        context.session_id = "s".to_owned();
        context.cwd = "/project".into();
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(951_782_400_001);
        let text = String::from_utf8(line(&call, &context, time).unwrap()).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"{"time":"2000-02-29T00:00:00.001Z","session_id":"s","cwd":"/project","tool_name":"Bash","#,
                r#""tool_input":{"command":"ls","timeout":1e3}}"#,
                "\n"
            )
        );
        context.agent_id = Some("a".to_owned());
        let record: Value = serde_json::from_slice(&line(&call, &context, time).unwrap()).unwrap();
        assert_eq!(record["agent_id"], "a");
    }

    #[test]
    fn line_ends_between_the_inputs_tokens_do_not_break_the_line() {
        let input = Json::parse("{\r\n  \"command\":\t\"one\\ntwo\"\n}").unwrap();
        let line = line(&PreToolUse::new("Bash", input), &Context::default(), SystemTime::now()).unwrap();
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        let record: Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(record["tool_input"], json!({"command": "one\ntwo"}));
    }

    #[test]
    fn the_log_is_for_the_user_alone_and_not_for_the_repository() {
        let project = test_support::folder();
        append(project.path(), b"{}\n").unwrap();
        #[cfg(unix)]
        assert_eq!(mode(&log(project.path())), 0o600);
        let ignored = fs::read_to_string(project.path().join(FOLDER).join(".gitignore")).unwrap();
        assert_eq!(ignored, "*\n");
    }

    #[test]
    fn what_is_there_stays() {
        let project = test_support::folder();
        append(project.path(), b"{\"n\":1}\n").unwrap();
        let ignore = project.path().join(FOLDER).join(".gitignore");
        fs::write(&ignore, "").unwrap();
        append(project.path(), b"{\"n\":2}\n").unwrap();
        assert_eq!(read(project.path()), "{\"n\":1}\n{\"n\":2}\n");
        assert_eq!(fs::read_to_string(&ignore).unwrap(), "");
    }

    #[cfg(unix)]
    #[test]
    fn a_log_that_others_can_read_is_taken_from_them() {
        let project = test_support::folder();
        fs::create_dir_all(project.path().join(FOLDER)).unwrap();
        fs::write(log(project.path()), "").unwrap();
        for other in [0o644, 0o660, 0o602] {
            fs::set_permissions(log(project.path()), fs::Permissions::from_mode(other)).unwrap();
            append(project.path(), b"{}\n").unwrap();
            assert_eq!(mode(&log(project.path())), 0o600, "{other:o}");
        }
    }

    #[test]
    fn half_a_line_spoils_no_other_one() {
        let project = test_support::folder();
        append(project.path(), b"{\"n\":1}\n{\"n\":").unwrap();
        append(project.path(), b"{\"n\":3}\n").unwrap();
        assert_eq!(read(project.path()), "{\"n\":1}\n{\"n\":\n{\"n\":3}\n");
    }

    #[test]
    fn a_log_that_was_moved_away_is_begun_again() {
        let project = test_support::folder();
        append(project.path(), b"{\"n\":1}\n").unwrap();
        fs::rename(log(project.path()), project.path().join("old.jsonl")).unwrap();
        append(project.path(), b"{\"n\":2}\n").unwrap();
        assert_eq!(read(project.path()), "{\"n\":2}\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_written_through() {
        for linked in [".claude", FOLDER, ".claude/audit/tool-calls.jsonl"] {
            for is_there in [true, false] {
                let folder = test_support::folder();
                let [project, elsewhere] = ["project", "elsewhere"].map(|name| folder.path().join(name));
                let link = project.join(linked);
                fs::create_dir_all(link.parent().unwrap()).unwrap();
                if is_there && link == log(&project) {
                    fs::write(&elsewhere, "").unwrap();
                } else if is_there {
                    fs::create_dir(&elsewhere).unwrap();
                }
                symlink(&elsewhere, &link).unwrap();
                let error = append(&project, b"{}\n").unwrap_err().to_string();
                let expected = "it is a link, which might lead anywhere; remove it";
                assert!(error.ends_with(expected), "{linked}: {error}");
                let found = fs::read_dir(&elsewhere).map(Iterator::count);
                assert_eq!(found.unwrap_or_default(), 0, "{linked}");
                assert_eq!(fs::read(&elsewhere).unwrap_or_default(), b"", "{linked}");
                assert_eq!(elsewhere.exists(), is_there, "{linked}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_not_the_user_s_own_file_is_not_written_to() {
        let project = test_support::folder();
        let log = log(project.path());
        fs::create_dir_all(project.path().join(FOLDER)).unwrap();
        let error = || append(project.path(), b"{}\n").unwrap_err().to_string();
        let other = project.path().join("other");
        fs::write(&other, "").unwrap();
        fs::hard_link(&other, &log).unwrap();
        let expected = "it is a hard link, which has another name elsewhere; remove it";
        assert_eq!(error(), expected);
        assert_eq!(fs::read_to_string(&other).unwrap(), "");
        fs::remove_file(&log).unwrap();
        assert!(Command::new("mkfifo").arg(&log).status().unwrap().success());
        assert_eq!(error(), "it is not a regular file; remove it");
        fs::remove_file(&log).unwrap();
        // Only root can give a file away.
        if chown(&other, Some(12345), None).is_ok() {
            fs::rename(&other, &log).unwrap();
            assert_eq!(error(), "it belongs to another user; remove it");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error() {
        let project = test_support::folder();
        fs::write(project.path().join(".claude"), "a file").unwrap();
        assert!(append(project.path(), b"{}\n").is_err());
    }
}
