//! Shows notifications to the user.

use hookkit::answer::TerminalSequence;

use crate::prelude::*;

/// Shows the client's notifications on the desktop, or in the terminal if there is no desktop.
///
/// A user who looks at another window sees that Claude waits for a permission, has a question, or is done.
/// The title names the project.
/// Control characters and characters that reverse the order of a text are removed.
///
/// The hook uses the first of these ways that is available:
///
/// - `notify-send` on Linux desktops, and `osascript` on macOS (not tested yet). They are not used over SSH, because
///   the desktop is on another machine then.
/// - An escape sequence that the client writes to its terminal: `OSC 99` for kitty, `OSC 777` for foot, Ghostty and
///   urxvt, and `OSC 9` with a bell for all others.
///
/// A kind of notification is shown at most once in 30 seconds in a session: five questions in a row are shown once.
///
/// All kinds are shown. To choose kinds, set `matcher` in the workspace's Cargo.toml (`permission_prompt|idle_prompt`).
///
/// # What it cannot see
///
/// - The user's presence.
/// - Notifications that another program has already shown: the client has its own.
///
/// # Errors
///
/// If a program fails, the error goes to stderr, which the client writes to its debug log, and the next way is used.
/// The same happens if the times of notifications cannot be saved.
#[hook(Notification, timeout = 10)]
pub fn notify(
    notification: Notification,
    context: Context,
    environment: Environment,
    states: States,
) -> Result<Option<TerminalAnswer>, Error> {
    if !is_due(&states, "hookkit-session notify", notification.notification_type.as_str()) {
        return Ok(None);
    }
    let project = context.project_dir.file_name().unwrap_or_default().to_string_lossy();
    let title = match &notification.title {
        Some(title) => format!("Claude Code in {project}: {title}"),
        None => format!("Claude Code in {project}"),
    };
    let (title, message) = (plain(&title), plain(&notification.message));
    if is_shown_on_desktop(&environment, &title, &message) {
        return Ok(None);
    }
    let sequence = sequence(&environment, &title, &message)?;
    Ok(Some(TerminalAnswer::pass().with_terminal_sequence(sequence)))
}

/// Returns a text without control characters except line ends, and without characters that change its order.
///
/// The model writes a part of the text, and a folder in a checkout can have any name.
pub(crate) fn plain(text: &str) -> String {
    text.chars().filter(|char| *char == '\n' || is_plain(*char)).collect()
}

/// Time during which a kind of notification is not shown again.
const PAUSE: Duration = Duration::from_secs(30);

/// The time at which each kind was shown last, in seconds since 1970.
type Shown = BTreeMap<String, u64>;

/// Returns `true` if a kind may be shown now, or if the times cannot be saved: one notification too many is better than
/// none.
pub(crate) fn is_due(states: &States, name: &str, kind: &str) -> bool {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let shown = states.of_session::<Shown>(name);
    let due = shown.and_then(|shown| shown.update(|shown| note(shown, kind, now.as_secs())));
    due.unwrap_or_else(|err| {
        eprintln!("the time of the notification cannot be saved: {err}");
        true
    })
}

/// Returns `true` if a kind may be shown now, and notes the time.
fn note(shown: &mut Shown, kind: &str, now: u64) -> bool {
    // A time in the future was noted by a wrong clock.
    shown.retain(|_, time| now.checked_sub(*time).is_some_and(|age| age < PAUSE.as_secs()));
    let is_due = !shown.contains_key(kind);
    if is_due {
        shown.insert(kind.to_owned(), now);
    }
    is_due
}

/// Tries each program that shows notifications.
fn is_shown_on_desktop(environment: &Environment, title: &str, message: &str) -> bool {
    let is_remote = ["SSH_CONNECTION", "SSH_TTY"].iter().any(|name| environment.variable(name).is_some());
    let search_path = environment.variable("PATH").filter(|_| !is_remote);
    let Some(search_path) = search_path else {
        return false;
    };
    // Desktops read the message as a kind of HTML.
    let escaped = message.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    run("notify-send", &["--app-name=Claude Code", "--", title, &escaped], &search_path)
        || run("osascript", &[&SCRIPT[..], &[title, message]].concat(), &search_path)
}

/// Script for `osascript`. The texts are arguments, not parts of the script, so that they are never run.
const SCRIPT: [&str; 6] =
    ["-e", "on run {heading, message}", "-e", "display notification message with title heading", "-e", "end run"];

/// Runs a program. Returns `true` if it exists and succeeded.
fn run(program: &str, arguments: &[&str], search_path: &OsStr) -> bool {
    let output = installed(program, search_path, Duration::from_secs(3)).args(arguments).output();
    match output {
        Ok(output) if output.status.success() => return true,
        Ok(output) => eprintln!("`{program}` failed ({}): {}", output.status, output.stderr_text()),
        Err(err) if err.kind() == ErrorKind::NotFound => {}
        Err(err) => eprintln!("{err}"),
    }
    false
}

/// Returns the notification for the user's terminal.
fn sequence(environment: &Environment, title: &str, message: &str) -> Result<TerminalSequence, Error> {
    let variable = |name| environment.variable(name).unwrap_or_default().to_string_lossy().into_owned();
    let terminal = format!("{} {}", variable("TERM"), variable("TERM_PROGRAM")).to_lowercase();
    let is_one_of = |names: &[&str]| names.iter().any(|name| terminal.contains(name));
    if is_one_of(&["kitty"]) {
        Ok(TerminalSequence::notification_99(title, message))
    } else if is_one_of(&["foot", "ghostty", "rxvt"]) {
        Ok(TerminalSequence::notification_777(title, message))
    } else {
        TerminalSequence::notification(&format!("{title}: {message}")).and(TerminalSequence::bell())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_shown_again_after_a_pause() {
        let mut shown = Shown::new();
        for (kind, now, is_due) in [
            ("idle", 1000, true),
            ("idle", 1029, false),
            ("permission", 1029, true),
            // A notification that was not shown does not make the pause longer.
            ("idle", 1030, true),
            ("permission", 1058, false),
            // The clock was set back.
            ("idle", 500, true),
            ("idle", 501, false),
        ] {
            assert_eq!(note(&mut shown, kind, now), is_due, "{kind} at {now}");
        }
        assert_eq!(shown, Shown::from([("idle".to_owned(), 500)]), "and no more is kept");
    }
}
