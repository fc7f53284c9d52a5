//! The picture of a session in README.md: the real client on a terminal, with a guard.

use std::thread;
use std::time::{Duration, Instant};

use hookkit_tests::mock::{Mock, Script};
use hookkit_tests::prelude::*;
use hookkit_tests::{SYSTEM_PATH, console, isolation};

use crate::hooks::install;

/// A terminal of tmux, which ends with the value.
struct Terminal {
    socket: PathBuf,
}

impl Terminal {
    fn tmux(&self, arguments: &[&str]) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(&self.socket).args(["-f", "/dev/null"]).args(arguments);
        tmux
    }

    /// Returns the lines of the screen, with their styles.
    fn screen(&self) -> Result<String> {
        self.tmux(&["capture-pane", "-e", "-p"]).out(0)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // A client that has ended took its terminal along.
        let _ = self.tmux(&["kill-server"]).output();
    }
}

const PROMPT: &str = "The disk is full. Make room.";

/// The end of the model's turn. A terminal may break the line before it.
const LAST_WORD: &str = "there?";

fn bash(command: &str, description: &str) -> Turn {
    Turn::call("Bash", json!({"command": command, "description": description}))
}

#[test]
fn a_session_on_a_terminal_is_as_the_readme_shows_it() -> Result<()> {
    let name = "a_session_on_a_terminal_is_as_the_readme_shows_it";
    let client = client!(name);
    if Command::new("tmux").arg("-V").output().is_err() {
        skip(name, "tmux is missing");
        return Ok(());
    }
    let project = Project::named("app")?;
    install(&project, &["deny-destruction"])?;
    let mock = Mock::start(Script::from(vec![
        bash("rm -rf ~/*", "Delete all files of the home folder"),
        bash("cd ~ && du -sh --apparent-size *", "List what takes the room"),
        Turn::text(format!("Most of it is in `Downloads`: 41 GB. May I delete what is older than a year {LAST_WORD}")),
    ]))?;
    let root = test_support::folder();
    let [home, config, temporary] = ["home", "config", "tmp"].map(|name| root.path().join(name));
    for folder in [&home.join("Downloads"), &home.join("notes"), &config, &temporary] {
        fs::create_dir_all(folder)?;
    }
    // It takes no room.
    fs::File::create(home.join("Downloads/backup.iso"))?.set_len(41 << 30)?;
    fs::write(home.join("notes/todo.md"), "- write the report\n")?;
    isolation::trust(&config, project.path())?;
    // In the terminal's own colors.
    fs::write(config.join("settings.json"), r#"{"theme": "dark-ansi"}"#)?;
    let terminal = Terminal { socket: root.path().join("socket") };
    let mut tmux = terminal.tmux(&["new-session", "-d", "-x", "80", "-y", "60"]);
    isolation::isolate(&mut tmux, &home, &config, &temporary, &mock.url());
    tmux.env("TERM", "xterm-256color").env("PATH", SYSTEM_PATH);
    tmux.arg(&client).args(["--permission-mode", "default", "--allowedTools", "Bash", "--", PROMPT]);
    tmux.current_dir(project.path()).out(0)?;
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let screen = terminal.screen()?;
        // Above it is the client's title, with the folder; below it a word at random, the time, and the line to type on.
        if let Some((_, session)) = screen.split_once("❯ ")
            && let Some((session, _)) = session.split_once(LAST_WORD)
        {
            let session = format!("❯ {session}{LAST_WORD}");
            let holds = console::is_drawn("session", &in_two_colors(&session))?;
            assert!(holds, "the picture is of another session: SNAPSHOTS=overwrite draws it\n{session}");
            return Ok(());
        }
        assert!(Instant::now() < deadline, "{screen}");
        thread::sleep(Duration::from_millis(100));
    }
}

/// Takes the colors of texts and backgrounds out, which are right for dark terminals alone; dimmed texts stay so.
fn in_two_colors(screen: &str) -> String {
    let taken = ["\u{1b}[37m", "\u{1b}[97m", "\u{1b}[49m", "\u{1b}[100m"];
    taken.iter().fold(screen.to_owned(), |screen, code| screen.replace(code, ""))
}
