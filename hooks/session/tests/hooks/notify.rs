//! Tests of `notify`, with stubs for the programs that show notifications.

use hookkit::Hook;
use hookkit::testing::{Recorded, Session, Verdict};
use hookkit_session::notify::notify;

/// Returns a session that has only these programs, each with the script's last command.
fn session(programs: &[(&str, &str)]) -> Session {
    let mut session = Session::new();
    session.set("PATH", session.bin());
    for (program, end) in programs {
        session.program(program, end);
    }
    session
}

fn notification(kind: &str) -> Recorded {
    Recorded::of(&format!("Notification {kind}"))
}

fn run(session: &Session, kind: &str) -> Verdict {
    session.run(notify::DEF, &notification(kind))
}

/// Asserts that the terminal gets a sequence, and the model nothing.
#[track_caller]
fn assert_sequence(verdict: &Verdict, sequence: &str) {
    verdict.assert_effect("terminalSequence", &sequence);
    assert!(verdict.model_reads.is_empty() && verdict.dropped.is_empty(), "{verdict}");
}

const OSC_9: &str = "\x1b]9;Claude Code in project: Claude needs your permission\x07\x07";

#[test]
fn a_desktop_shows_it_and_the_terminal_does_not() {
    let desktop = session(&[("notify-send", "exit 0"), ("osascript", "exit 0")]);
    run(&desktop, "permission_prompt").assert_passed();
    let asked =
        ["notify-send", "--app-name=Claude Code", "--", "Claude Code in project", "Claude needs your permission"];
    assert_eq!(desktop.started(), [asked]);

    let desktop = session(&[("osascript", "exit 0")]);
    run(&desktop, "idle_prompt").assert_passed();
    let asked = desktop.started()[0].join("\n");
    assert!(asked.ends_with(
        "display notification message with title heading\n-e\nend run\nClaude Code in project\nClaude is waiting for your \
         input"
    ));
}

#[test]
fn a_text_is_neither_an_option_nor_markup() {
    let desktop = session(&[("notify-send", "exit 0")]);
    let event = notification("permission_prompt").with("message", "--help <b>&").with("title", "A heading");
    desktop.run(notify::DEF, &event).assert_passed();
    let expected = ["--", "Claude Code in project: A heading", "--help &lt;b&gt;&amp;"];
    assert_eq!(desktop.started()[0][2..], expected);
}

#[test]
fn a_text_does_not_change_the_order_in_which_it_is_read() {
    let text = "run \u{202e}hs.x\u{202c}\u{2066}\u{61c} \u{1b}[2J\u{9b}caf\u{e9} \u{1f980}";
    let event = notification("permission_prompt")
        .with("message", text)
        .with("title", "\u{200f}A\u{2069} heading\u{200e}\u{2029}");
    let desktop = session(&[("notify-send", "exit 0")]);
    desktop.run(notify::DEF, &event).assert_passed();
    let expected = ["Claude Code in project: A heading", "run hs.x [2Jcaf\u{e9} \u{1f980}"];
    assert_eq!(desktop.started()[0][3..], expected);
    assert_sequence(
        &session(&[]).run(notify::DEF, &event),
        "\x1b]9;Claude Code in project: A heading: run hs.x [2Jcaf\u{e9} \u{1f980}\x07\x07",
    );
}

#[test]
fn without_a_desktop_the_terminal_shows_it_as_it_can() {
    for (variables, wanted) in [
        (&[][..], OSC_9),
        (&[("TERM", "xterm-256color")], OSC_9),
        (
            &[("TERM", "xterm-kitty")],
            "\x1b]99;i=hookkit:d=0;Claude Code in project\x07\x1b]99;i=hookkit:p=body;Claude needs your permission\x07",
        ),
        (
            &[("TERM", "xterm-256color"), ("TERM_PROGRAM", "ghostty")],
            "\x1b]777;notify;Claude Code in project;Claude needs your permission\x07",
        ),
    ] {
        let mut session = session(&[]);
        for (name, value) in variables {
            session.set(name, value);
        }
        assert_sequence(&run(&session, "permission_prompt"), wanted);
    }
    // A program that fails is not a desktop, and another machine's is not the user's.
    assert_sequence(&run(&session(&[("notify-send", "exit 1")]), "permission_prompt"), OSC_9);
    let mut remote = session(&[("notify-send", "exit 0")]);
    remote.set("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.2 22");
    assert_sequence(&run(&remote, "permission_prompt"), OSC_9);
    assert!(remote.started().is_empty());
}

#[test]
fn a_kind_is_shown_once_in_a_while_in_each_session() {
    let session = session(&[]);
    let permission = notification("permission_prompt");
    let other = permission.clone().with("session_id", "../another");
    let [idle, elicitation] = ["idle_prompt", "elicitation_response"].map(notification);
    for (event, is_shown) in [
        (&permission, true),
        (&permission, false),
        (&idle, true),
        (&elicitation, true),
        (&other, true),
        (&other, false),
        (&idle, false),
    ] {
        let verdict = session.run(notify::DEF, event);
        assert_eq!(!verdict.effects.is_empty(), is_shown, "{event:?}: {verdict}");
    }
}

#[test]
fn a_rate_that_cannot_be_kept_keeps_no_notification_back() {
    let mut session = session(&[]);
    session.set("XDG_STATE_HOME", session.write("state", "a file"));
    for _ in 0..2 {
        assert_sequence(&run(&session, "permission_prompt"), OSC_9);
    }
}
