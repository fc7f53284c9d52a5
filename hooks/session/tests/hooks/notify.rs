//! `notify`, with stubs for the programs that show notifications.

use std::ffi::OsString;
use std::fs;

use hookkit::Hook;
use hookkit::testing::{Verdict, run_recorded, with_variables};
use hookkit_session::notify::notify;
use tempfile::{TempDir, tempdir};

use crate::{changed, install};

const PERMISSION: &str = include_str!("../fixtures/notification/permission_prompt.json");
const IDLE: &str = include_str!("../fixtures/notification/idle_prompt.json");
const ELICITATION: &str = include_str!("../fixtures/notification/elicitation_response.json");

/// A home with programs that log their arguments, each in a line, and end as the test says.
struct Home(TempDir);

impl Home {
    fn new(programs: &[(&str, &str)]) -> Self {
        let home = Self(tempdir().unwrap());
        for (program, end) in programs {
            let script = format!(r#"printf '%s\n' "$@" >> "$0.asked"; {end}"#);
            install(&home.0.path().join("bin").join(program), &script);
        }
        home
    }

    fn run(&self, event: &str, variables: &[(&str, &str)]) -> Verdict {
        let own = [
            ("PATH", self.0.path().join("bin").into_os_string()),
            ("XDG_STATE_HOME", self.0.path().join("state").into_os_string()),
        ];
        let message = variables.iter().map(|(name, value)| (*name, OsString::from(value)));
        with_variables(own.into_iter().chain(message), || {
            run_recorded(notify::DEF, event.as_bytes())
        })
    }

    /// Returns the arguments of a program, of one call or of more.
    fn asked(&self, program: &str) -> String {
        fs::read_to_string(self.0.path().join("bin").join(format!("{program}.asked"))).unwrap_or_default()
    }
}

/// The sequence that the terminal gets, if any.
fn sequence(verdict: &Verdict) -> Option<String> {
    let effect = verdict
        .effects
        .iter()
        .find(|effect| effect.member == "terminalSequence");
    assert!(
        verdict.model_reads.is_empty() && verdict.dropped.is_empty(),
        "{verdict}"
    );
    effect.map(|effect| {
        serde_json::to_value(&effect.value)
            .unwrap()
            .as_str()
            .unwrap()
            .to_owned()
    })
}

const OSC_9: &str = "\x1b]9;Claude Code in project: Claude needs your permission\x07\x07";

#[test]
fn a_desktop_shows_it_and_the_terminal_does_not() {
    let home = Home::new(&[("notify-send", "exit 0"), ("osascript", "exit 0")]);
    home.run(PERMISSION, &[]).assert_passed();
    let heading = "--app-name=Claude Code\n--\nClaude Code in project\n";
    assert_eq!(
        home.asked("notify-send"),
        format!("{heading}Claude needs your permission\n")
    );
    assert_eq!(home.asked("osascript"), "");

    let home = Home::new(&[("osascript", "exit 0")]);
    home.run(IDLE, &[]).assert_passed();
    assert!(home.asked("osascript").ends_with(
        "display notification message with title heading\n-e\nend run\nClaude Code in project\nClaude is waiting for your \
         input\n"
    ));
}

#[test]
fn a_text_is_neither_an_option_nor_markup() {
    let home = Home::new(&[("notify-send", "exit 0")]);
    let event = changed(PERMISSION, |event| {
        event["message"] = "--help <b>&".into();
        event["title"] = "A heading".into();
    });
    home.run(&event, &[]).assert_passed();
    assert!(
        home.asked("notify-send")
            .ends_with("--\nClaude Code in project: A heading\n--help &lt;b&gt;&amp;\n")
    );
}

#[test]
fn a_text_does_not_change_the_order_in_which_it_is_read() {
    let event = changed(PERMISSION, |event| {
        event["message"] = "run \u{202e}hs.x\u{202c}\u{2066}\u{61c} \u{1b}[2J\u{9b}caf\u{e9} \u{1f980}".into();
        event["title"] = "\u{200f}A\u{2069} heading\u{200e}\u{2029}".into();
    });
    let home = Home::new(&[("notify-send", "exit 0")]);
    home.run(&event, &[]).assert_passed();
    let asked = home.asked("notify-send");
    assert!(
        asked.ends_with("--\nClaude Code in project: A heading\nrun hs.x [2Jcaf\u{e9} \u{1f980}\n"),
        "{asked}"
    );
    let shown = sequence(&Home::new(&[]).run(&event, &[]));
    assert_eq!(
        shown.as_deref(),
        Some("\x1b]9;Claude Code in project: A heading: run hs.x [2Jcaf\u{e9} \u{1f980}\x07\x07")
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
        let home = Home::new(&[]);
        assert_eq!(
            sequence(&home.run(PERMISSION, variables)).as_deref(),
            Some(wanted),
            "{variables:?}"
        );
    }
    // What fails is not a desktop, and that of another machine is not the user's.
    let home = Home::new(&[("notify-send", "exit 1")]);
    assert_eq!(sequence(&home.run(PERMISSION, &[])).as_deref(), Some(OSC_9));
    let home = Home::new(&[("notify-send", "exit 0")]);
    let ssh = [("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.2 22")];
    assert_eq!(sequence(&home.run(PERMISSION, &ssh)).as_deref(), Some(OSC_9));
    assert_eq!(home.asked("notify-send"), "");
}

#[test]
fn a_kind_is_shown_once_in_a_while_in_each_session() {
    let home = Home::new(&[]);
    let other = changed(PERMISSION, |event| event["session_id"] = "../another".into());
    for (event, is_shown) in [
        (PERMISSION, true),
        (PERMISSION, false),
        (IDLE, true),
        (ELICITATION, true),
        (&other, true),
        (&other, false),
        (IDLE, false),
    ] {
        let shown = sequence(&home.run(event, &[]));
        assert_eq!(shown.is_some(), is_shown, "{event}: {shown:?}");
    }
}

#[test]
fn a_rate_that_cannot_be_kept_keeps_no_notification_back() {
    let home = Home::new(&[]);
    fs::write(home.0.path().join("state"), "a file").unwrap();
    for _ in 0..2 {
        assert_eq!(sequence(&home.run(PERMISSION, &[])).as_deref(), Some(OSC_9));
    }
}
