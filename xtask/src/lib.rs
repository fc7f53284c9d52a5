//! Builds the hooks of a workspace and installs them into Claude Code's settings.
//!
//! A team's own xtask is this crate and three lines:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     hookkit_xtask::main()
//! }
//! ```
//!
//! Each command is one file.
//! They share `workspace`, `build`, `overrides` and `link`, which make binaries; `scope` and `place`, which know where they go;
//! `settings`, `installed` and `apply`, which know what is to be changed there; and `lock` and `write`, which change it.
//! `in_force` knows the hooks of a session, whoever wrote them; `bounded` limits what is read for that, and for how long.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make what others could"))]

mod add;
mod apply;
mod bench;
mod beneath;
mod bounded;
mod build;
mod candidate;
mod changes;
mod client;
mod definition;
mod doctor;
#[cfg(test)]
mod faults;
mod in_force;
mod install;
mod installed;
mod journal;
mod link;
mod list;
mod location;
mod lock;
mod lockfile;
mod manifest;
mod new;
mod outdated;
mod overrides;
mod packs;
mod pinned;
mod place;
mod release;
mod run;
mod sample;
mod scope;
mod settings;
#[cfg(test)]
#[path = "../../hookkit/src/soak.rs"]
mod soak;
mod sources;
mod startup;
mod state;
mod sync;
mod try_out;
mod uninstall;
mod unnamed;
mod workspace;
mod write;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Mutex;

use clap::{Parser, Subcommand};
use hookkit_protocol::legible::{LineEnds, legible};

#[cfg(fuzzing)]
#[doc(hidden)]
pub use settings::fuzzing;

/// Builds the hooks of this workspace and installs them into Claude Code's settings.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build each hook into a binary of its own and add them to a settings file: the project's, unless told otherwise
    #[command(after_help = "Example: cargo xtask install --project ../app --hook protect-secrets")]
    Install(install::Options),
    /// Install the hooks that a project's .claude/hookkit.toml names, from wherever it says
    #[command(after_help = sync::EXAMPLES)]
    Sync(sync::Options),
    /// Take the hooks out of a settings file, the project's unless told otherwise, and remove their binaries
    #[command(after_help = "Example: cargo xtask uninstall --project ../app")]
    Uninstall(scope::Target),
    /// Show the hooks that Claude Code has in a project: those of this workspace, and everybody else's
    #[command(after_help = list::EXAMPLES)]
    List(list::Options),
    /// Take the hooks of a pack from elsewhere, too: a package of a registry, a git repository or a folder
    #[command(after_help = "Example: cargo xtask add acme-guards --git https://git.example.com/guards --tag v1.2.0")]
    Add(add::Options),
    /// Take the hooks of a pack from elsewhere no more
    #[command(after_help = "Example: cargo xtask remove acme-guards")]
    Remove(add::Removed),
    /// Show what newer versions of packs from elsewhere would change
    #[command(after_help = "Exit code 1: there is a newer version.\n\nExample: cargo xtask outdated")]
    Outdated(outdated::Outdated),
    /// Take another version of a pack from elsewhere, once its changes are accepted
    #[command(
        after_help = "Exit code 1: there is something to accept, by --yes.\n\nExample: cargo xtask update acme-guards --to v1.3.0 --yes"
    )]
    Update(outdated::Update),
    /// Run the hooks of a pack from elsewhere on recorded events, in a throw-away folder
    #[command(after_help = "Example: cargo xtask try acme-guards --git https://git.example.com/guards --tag v1.2.0")]
    Try(try_out::Options),
    /// Run a hook of this workspace on an event, and tell what Claude Code makes of it
    #[command(after_help = run::EXAMPLES)]
    Run(run::Options),
    /// Make a workspace for hooks, or a hook in one, with a test that passes
    #[command(after_help = new::EXAMPLES)]
    New(new::Options),
    /// Time the hooks of this workspace against an empty program, in a throw-away folder
    #[command(after_help = "Example: cargo xtask bench protect-secrets --rounds 500")]
    Bench(bench::Options),
    /// Tell why a hook does not fire: what is wrong in the settings of a project's sessions, and with installed hooks
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(doctor::Options),
}

/// Runs the command that the process was called with.
///
/// Exit codes: 0 done, 1 done with findings, 2 refused or failed.
pub fn main() -> ExitCode {
    // cargo gives a command of its own its name as the first argument: `cargo-hookkit hookkit sync`.
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|first| first == "hookkit") {
        arguments.remove(1);
    }
    let cli = Cli::parse_from(arguments);
    let done = match cli.command {
        Command::Install(options) => install::run(&options),
        Command::Sync(options) => sync::run(&options),
        Command::Uninstall(target) => uninstall::run(&target).map(Done::from),
        Command::List(options) => list::run(&options).map(Done::from),
        Command::Add(options) => add::add(&options).map(Done::from),
        Command::Remove(options) => add::remove(&options).map(Done::from),
        Command::Outdated(options) => outdated::outdated(&options),
        Command::Update(options) => outdated::update(&options),
        Command::Try(options) => try_out::run(&options).map(Done::from),
        Command::Run(options) => run::run(&options),
        Command::New(options) => new::run(&options).map(Done::from),
        Command::Bench(options) => bench::run(&options).map(Done::from),
        Command::Doctor(options) => doctor::run(&options),
    };
    match done {
        Ok(Done::Clean) => ExitCode::SUCCESS,
        Ok(Done::WithFindings) => ExitCode::FAILURE,
        Err(err) => {
            let err = format!("{err:#}");
            tell_all(format_args!("error: {}\n", legible(&err, LineEnds::Kept)));
            ExitCode::from(2)
        }
    }
}

/// How a command ended that did what it was asked.
enum Done {
    Clean,
    /// There is something to do for whoever asked.
    WithFindings,
}

impl From<()> for Done {
    fn from((): ()) -> Self {
        Self::Clean
    }
}

/// Prints for people and pipes. Much of it comes from files and hooks of others: a terminal does nothing because of it.
/// A reader that went away is no error: `cargo xtask list | head -1` is a fair question.
fn print(text: impl fmt::Display) -> anyhow::Result<()> {
    let text = text.to_string();
    match writeln!(std::io::stdout(), "{}", legible(&text, LineEnds::Kept)) {
        Err(err) if err.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// Tells a person something beside the result, once: a run may build the same packs several times.
fn tell(what: impl fmt::Display) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let what = what.to_string();
    let is_new = TOLD.lock().is_ok_and(|mut told| told.insert(what.clone()));
    if is_new {
        tell_all(format_args!("{}\n", legible(&what, LineEnds::Kept)));
    }
}

/// Passes on what cargo has to tell, with its line end, and its colours.
fn tell_all(what: impl fmt::Display) {
    // With stderr closed there is nobody left to tell.
    let _ = write!(std::io::stderr(), "{what}");
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// Hooks, and the entries that they have in settings where those are more: a hook has one for each of its events.
fn hooks_by_entries(hooks: usize, entries: usize) -> String {
    match entries == hooks {
        true => counted(hooks, "hook"),
        false => format!("{} by {entries} entries", counted(hooks, "hook")),
    }
}

/// A word of somebody's file as a part of a line: what is in it makes no line that looks like one of ours, and none that
/// is longer than a path and its message.
fn one_line(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 8192;
    match text.char_indices().nth(LONGEST) {
        None => legible(text, LineEnds::Blank),
        Some((end, _)) => format!("{}…", legible(&text[..end], LineEnds::Blank)).into(),
    }
}

/// Names in a sentence.
fn listed<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    let names = names.into_iter().map(|name| format!("`{}`", name.as_ref()));
    names.collect::<Vec<_>>().join(", ")
}

/// Bytes in hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let plain = |char: char| char.is_alphanumeric() || "/._-~+".contains(char);
    // A shell replaces `~` by a home where a word begins with it.
    if !word.is_empty() && !word.starts_with('~') && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        super::Cli::command().debug_assert();
    }
}
