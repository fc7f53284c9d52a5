//! `cargo dev pictures`: runs commands of xtask for real, and draws what they print.
//!
//! A picture has nothing of this machine in it: no time, no temporary folder, no user. It follows the reader's choice of
//! light or dark.

use std::env;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use anstyle_svg::Term;
use anyhow::{Context, Result, ensure};
use clap::Args;
use hookkit_tests::client;
use hookkit_tests::xtask::{command, repository};
use tempfile::TempDir;

use crate::step::{Step, run_all};

#[derive(Args)]
pub(crate) struct Options {
    /// Draw nothing, and fail where a picture is older than the output
    #[arg(long)]
    check: bool,
}

/// A command that is drawn.
struct Screen {
    name: &'static str,
    /// The command as a user types it, which docs/book/src/screens.md shows.
    typed: &'static str,
    arguments: &'static [&'static str],
    /// The folder in which it runs.
    place: Folder,
    /// The exit code of what is shown.
    exit_code: i32,
}

#[derive(Clone, Copy)]
enum Folder {
    /// The folder above all.
    Home,
    /// A project with mistakes in its settings.
    App,
    /// This repository, which is a workspace of hooks.
    Workspace,
}

/// In the order in which they run: `list` shows what `install` has installed.
const SCREENS: [Screen; 6] = [
    Screen {
        name: "doctor",
        typed: "cargo hookkit doctor",
        arguments: &["doctor", "--managed", "MANAGED"],
        place: Folder::App,
        exit_code: 1,
    },
    Screen {
        name: "install",
        typed: "cargo xtask install --project ~/app --hook protect-secrets --hook lint-on-edit",
        arguments: &[
            "install", "--project", "APP", "--hook", "protect-secrets", "--hook", "lint-on-edit",
        ],
        place: Folder::Workspace,
        exit_code: 0,
    },
    Screen {
        name: "list",
        typed: "cargo hookkit list",
        arguments: &["list", "--managed", "MANAGED"],
        place: Folder::App,
        exit_code: 0,
    },
    Screen {
        name: "run",
        typed: "cargo xtask run protect-secrets --tool Read --set tool_input.file_path=.env",
        arguments: &[
            "run", "protect-secrets", "--tool", "Read", "--set", "tool_input.file_path=.env",
        ],
        place: Folder::Workspace,
        exit_code: 0,
    },
    Screen {
        name: "try",
        typed: "cargo xtask try hookkit-guard --path hooks/guard --hook protect-secrets --payload ~/read-env.json",
        arguments: &[
            "try", "hookkit-guard", "--path", "hooks/guard", "--hook", "protect-secrets", "--payload", "PAYLOAD",
        ],
        place: Folder::Workspace,
        exit_code: 0,
    },
    Screen {
        name: "new",
        typed: "cargo hookkit new workspace acme-hooks",
        arguments: &["new", "workspace", "acme-hooks"],
        place: Folder::Home,
        exit_code: 0,
    },
];

/// The width of the terminal, in columns. A wider picture would be made smaller on a page.
const WIDTH: usize = 80;

/// The most bytes of a picture.
const LARGEST: usize = 40_000;

/// Draws all pictures, or compares them with the output.
pub(crate) fn run(options: &Options) -> Result<()> {
    run_all(&[Step::new(
        "cargo build --quiet --package hookkit-tests --bin tested-xtask",
    )])?;
    let mut old = Vec::new();
    let world = World::new()?;
    for screen in &SCREENS {
        let drawn = drawn(&world.output(screen)?, WIDTH);
        ensure!(
            drawn.len() <= LARGEST,
            "the picture of `{}` has {} bytes, and {LARGEST} are the most",
            screen.typed,
            drawn.len()
        );
        let path = folder().join(format!("{}.svg", screen.name));
        if fs::read_to_string(&path).is_ok_and(|present| present == drawn) {
            continue;
        }
        old.push(path.display().to_string());
        if !options.check {
            fs::create_dir_all(folder())?;
            fs::write(&path, drawn).with_context(|| format!("writing {}", path.display()))?;
        }
    }
    ensure!(
        !options.check || old.is_empty(),
        "these pictures are older than the output:\n{}\nDraw them anew: cargo dev pictures",
        old.join("\n")
    );
    Ok(())
}

fn folder() -> PathBuf {
    repository().join("docs/book/src/pictures")
}

/// The folder that the commands see as the user's own.
struct World {
    home: PathBuf,
    _folder: TempDir,
}

/// Settings that a session reads, with mistakes in them.
const SETTINGS: &str = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "bash",
        "hooks": [
          {
            "type": "command",
            "command": "$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh",
            "timeout": 30000
          }
        ]
      },
      {
        "matcher": "Edit|Write",
        "hooks": [{ "type": "command", "command": ".claude/hooks/format.sh" }]
      }
    ]
  }
}
"#;

/// An event that a guard denies.
const PAYLOAD: &str = r#"{
  "session_id": "00000000-0000-4000-8000-000000000001",
  "transcript_path": "/home/me/.claude/projects/app/session.jsonl",
  "cwd": "/home/me/app",
  "permission_mode": "default",
  "hook_event_name": "PreToolUse",
  "tool_name": "Read",
  "tool_input": { "file_path": "/home/me/app/.env" },
  "tool_use_id": "toolu_01"
}
"#;

/// Settings that the client drops.
const LOCAL: &str = "{\n  \"env\": { \"LOG\": \"1\", }\n}\n";

impl World {
    fn new() -> Result<Self> {
        // Lines are wrapped by this path, and drawn with one of the same length in its place.
        let folder = tempfile::Builder::new().prefix("").rand_bytes(3).tempdir_in("/tmp")?;
        let world = Self {
            home: folder.path().canonicalize()?,
            _folder: folder,
        };
        ensure!(world.home.as_os_str().len() == HOME.len(), "`/tmp` is a link");
        world.write("app/.claude/settings.json", SETTINGS, 0o644)?;
        world.write("app/.claude/settings.local.json", LOCAL, 0o644)?;
        world.write("app/.claude/hooks/guard.sh", "#!/bin/sh\nexit 0\n", 0o755)?;
        world.write("app/.claude/hooks/format.sh", "#!/bin/sh\nexit 0\n", 0o755)?;
        world.write("app/.git/HEAD", "ref: refs/heads/main\n", 0o644)?;
        // doctor asks the client for its version.
        let program = format!("#!/bin/sh\necho '{} (Claude Code)'\n", client::VERSION);
        world.write("bin/claude", &program, 0o755)?;
        world.write("read-env.json", PAYLOAD, 0o644)?;
        for folder in ["app/.git/objects", "app/.git/refs/heads", "managed"] {
            fs::create_dir_all(world.home.join(folder))?;
        }
        Ok(world)
    }

    fn write(&self, path: &str, text: &str, mode: u32) -> Result<()> {
        let path = self.home.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
        Ok(fs::set_permissions(&path, Permissions::from_mode(mode))?)
    }

    /// Runs a command on a terminal of this width; its stdout, without what is of this machine.
    fn output(&self, screen: &Screen) -> Result<String> {
        let folder = match screen.place {
            Folder::Home => self.home.clone(),
            Folder::App => self.home.join("app"),
            Folder::Workspace => repository().to_owned(),
        };
        let mut command = command(&folder, &[])?;
        for argument in screen.arguments {
            match *argument {
                "APP" => command.arg(self.home.join("app")),
                "MANAGED" => command.arg(self.home.join("managed")),
                "PAYLOAD" => command.arg(self.home.join("read-env.json")),
                argument => command.arg(argument),
            };
        }
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([self.home.join("bin")].into_iter().chain(env::split_paths(&path)))?;
        command
            .env("CLICOLOR_FORCE", "1")
            .env("COLUMNS", WIDTH.to_string())
            .env("CLAUDE_CONFIG_DIR", self.home.join(".claude"))
            .env("XDG_STATE_HOME", self.home.join("state"))
            .env("TMPDIR", &self.home)
            .env("PATH", path)
            .env_remove("NO_COLOR");
        let output = command.output()?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.code() == Some(screen.exit_code),
            "`{}`: {stderr}",
            screen.typed
        );
        Ok(self.neutral(str::from_utf8(&output.stdout)?))
    }

    /// Returns the text as it is on every machine.
    fn neutral(&self, text: &str) -> String {
        let text = text
            .replace(&self.home.display().to_string(), HOME)
            .replace(&repository().display().to_string(), "~/hookkit");
        let text = without_names(&text);
        without_times(&text)
    }
}

/// The user's home folder in pictures.
const HOME: &str = "/home/me";

/// The start of a temporary folder's name, and a name of the same length.
const TEMPORARY: [&str; 2] = ["/.tmp", "/trial-0001"];

/// Gives each temporary folder the same name.
fn without_names(text: &str) -> String {
    let [start, name] = TEMPORARY;
    let mut parts = text.split(start);
    let mut neutral = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        neutral += name;
        neutral += part.trim_start_matches(|char: char| char.is_ascii_alphanumeric());
    }
    neutral
}

/// Writes each time as one millisecond.
fn without_times(text: &str) -> String {
    let mut parts = text.split(" ms").peekable();
    let mut neutral = String::new();
    while let Some(part) = parts.next() {
        let digits = part.bytes().rev().take_while(u8::is_ascii_digit).count();
        if parts.peek().is_none() || digits == 0 {
            neutral += part;
        } else {
            neutral += &part[..part.len() - digits];
            neutral += "1";
        }
        if parts.peek().is_some() {
            neutral += " ms";
        }
    }
    neutral
}

/// The colors of a terminal by their names, for light and for dark.
const COLORS: [(&str, &str, &str); 18] = [
    ("fg", "#1f2328", "#e6edf3"),
    ("bg", "#ffffff", "#0d1117"),
    ("fg-black", "#24292f", "#484f58"),
    ("fg-red", "#cf222e", "#ff7b72"),
    ("fg-green", "#116329", "#3fb950"),
    ("fg-yellow", "#7d4e00", "#d29922"),
    ("fg-blue", "#0969da", "#58a6ff"),
    ("fg-magenta", "#8250df", "#bc8cff"),
    ("fg-cyan", "#1b7c83", "#39c5cf"),
    ("fg-white", "#6e7781", "#b1bac4"),
    ("fg-bright-black", "#57606a", "#8b949e"),
    ("fg-bright-red", "#a40e26", "#ffa198"),
    ("fg-bright-green", "#1a7f37", "#56d364"),
    ("fg-bright-yellow", "#633c01", "#e3b341"),
    ("fg-bright-blue", "#218bff", "#79c0ff"),
    ("fg-bright-magenta", "#a475f9", "#d2a8ff"),
    ("fg-bright-cyan", "#3192aa", "#56d4dd"),
    ("fg-bright-white", "#8c959f", "#ffffff"),
];

/// The opacity of dimmed text: the contrast is at least 4.5, which WCAG asks for.
const DIMMED: f64 = 0.7;

/// Draws the output of a command on a terminal of this width.
fn drawn(output: &str, width: usize) -> String {
    // A column of the font is 8.4 pixels wide.
    let drawing = Term::new()
        .min_width_px(width * 42 / 5)
        .render_svg(&wrapped(output.trim_end(), width));
    let (mut light, mut dark) = (String::new(), String::new());
    let mut lines: Vec<&str> = Vec::new();
    for line in drawing.lines() {
        let class = line
            .trim_start()
            .strip_prefix('.')
            .and_then(|line| line.split_once(" {"));
        match class.and_then(|(class, _)| COLORS.iter().find(|(name, ..)| *name == class)) {
            Some((name, of_light, of_dark)) => {
                light += &format!("    .{name} {{ fill: {of_light} }}\n");
                dark += &format!("      .{name} {{ fill: {of_dark} }}\n");
            }
            None => lines.push(line),
        }
    }
    let drawing = lines.join("\n").replace("opacity: 0.4", &format!("opacity: {DIMMED}"));
    let style = format!("  <style>\n{light}    @media (prefers-color-scheme: dark) {{\n{dark}    }}");
    drawing.replacen("  <style>", &style, 1) + "\n"
}

/// Breaks lines where a terminal of this width does. Escape sequences take no room.
fn wrapped(text: &str, width: usize) -> String {
    let mut wrapped = String::new();
    let mut column = 0;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char == '\u{1b}' {
            wrapped.push(char);
            let is_link = chars.peek() == Some(&']');
            // A link ends with BEL, or with ESC and a backslash; a style with its letter.
            for char in chars.by_ref() {
                wrapped.push(char);
                let is_end = match is_link {
                    true => matches!(char, '\u{7}' | '\\'),
                    false => char.is_ascii_alphabetic(),
                };
                if is_end {
                    break;
                }
            }
            continue;
        }
        if char == '\n' {
            column = 0;
        } else {
            if column == width {
                wrapped.push('\n');
                column = 0;
            }
            column += 1;
        }
        wrapped.push(char);
    }
    wrapped
}

/// Returns what a picture has of the machine that drew it.
#[cfg(test)]
fn of_machine(picture: &str) -> Vec<&'static str> {
    let paths = ["hookkit-pictures", "/tmp", "/root", "/home/", "/Users/", ".tmp"];
    let picture = picture.replace(HOME, "~");
    paths.into_iter().filter(|path| picture.contains(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_each_picture_with_its_command() {
        let page = fs::read_to_string(repository().join("docs/book/src/screens.md")).unwrap();
        for screen in &SCREENS {
            assert!(page.contains(&format!("$ {}\n", screen.typed)), "no `{}`", screen.typed);
            let name = format!("(pictures/{}.svg)", screen.name);
            assert!(page.contains(&name), "no {name}");
        }
    }

    #[test]
    fn the_pictures_are_small_and_name_nothing_of_a_machine() {
        let mut count = 0;
        for entry in fs::read_dir(folder()).unwrap() {
            let path = entry.unwrap().path();
            let picture = fs::read_to_string(&path).unwrap();
            assert!(picture.len() <= LARGEST, "{}: {} bytes", path.display(), picture.len());
            assert_eq!(of_machine(&picture), [""; 0], "{}", path.display());
            assert!(!picture.contains(repository().to_str().unwrap()), "{}", path.display());
            assert!(picture.contains("prefers-color-scheme: dark"), "{}", path.display());
            count += 1;
        }
        // The last one is the plot that `cargo dev figures --plot` draws.
        assert_eq!(count, SCREENS.len() + 1);
    }

    #[test]
    fn what_differs_from_run_to_run_is_taken_out() {
        assert_eq!(without_times("a (12 ms): b ms, 3 ms\n"), "a (1 ms): b ms, 1 ms\n");
        assert_eq!(without_times("time 12 ms"), "time 1 ms");
        let path = "/home/me/.tmpAb3xYz/project/.env";
        assert_eq!(without_names(path), "/home/me/trial-0001/project/.env");
        assert_eq!(without_names(path).len(), path.len());
    }

    #[test]
    fn lines_break_where_a_terminal_breaks_them() {
        assert_eq!(wrapped("abcd\nefghi\n", 4), "abcd\nefgh\ni\n");
        assert_eq!(wrapped("\u{1b}[1mabcd\u{1b}[0me", 4), "\u{1b}[1mabcd\u{1b}[0m\ne");
        assert_eq!(
            wrapped("\u{1b}]8;;file:///a\u{1b}\\abcd\u{1b}]8;;\u{1b}\\", 4),
            "\u{1b}]8;;file:///a\u{1b}\\abcd\u{1b}]8;;\u{1b}\\"
        );
    }

    /// Luminance of a color by WCAG 2.
    fn luminance(color: [f64; 3]) -> f64 {
        let linear = color.map(|part| {
            let part = part / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn every_color_that_is_used_can_be_read() {
        let parsed = |color: &str| [1, 3, 5].map(|at| f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()));
        let color = |name: &str| COLORS.iter().find(|(known, ..)| *known == name).unwrap();
        let ((_, light, dark), (_, light_back, dark_back)) = (color("fg"), color("bg"));
        for (text, back) in [(light, light_back), (dark, dark_back)] {
            let (text, back) = (parsed(text), parsed(back));
            let dimmed = [0, 1, 2].map(|part| DIMMED * text[part] + (1.0 - DIMMED) * back[part]);
            assert!(contrast(dimmed, back) >= 4.5, "{}", contrast(dimmed, back));
        }
        for name in ["fg", "fg-red", "fg-green", "fg-yellow", "fg-blue", "fg-cyan"] {
            let (_, light, dark) = color(name);
            for (text, back) in [(light, light_back), (dark, dark_back)] {
                let found = contrast(parsed(text), parsed(back));
                assert!(found >= 4.5, "{name}: {found}");
            }
        }
    }

    #[test]
    fn a_picture_has_the_colors_of_both_schemes() {
        let picture = drawn("\u{1b}[31merror\u{1b}[0m: no\n", 80);
        for color in ["#cf222e", "#ff7b72", "#ffffff", "#0d1117"] {
            assert_eq!(picture.matches(color).count(), 1, "{color}: {picture}");
        }
        assert!(picture.contains("error") && !picture.contains('\u{1b}'), "{picture}");
    }
}
