//! Programs killed by a name that others may share, and containers stopped all at once.

use super::ask;
use super::others::ENGINES;
use crate::effects::mentions::is_interpreter_name;
use crate::prelude::*;

/// Facts about a line that show whether its commands kill more than they name.
pub(super) struct Line {
    ends: bool,
    lists: bool,
    /// Containers that the line lists: `true` for all, `false` for some.
    containers: Option<bool>,
}

impl Line {
    pub(super) fn of(commands: &[Command]) -> Self {
        let has = |name: &str| commands.iter().any(|command| command.program() == Some(name));
        let mut listings = commands.iter().filter(|command| match verbs(command)[..] {
            ["ps", ..] => true,
            ["container", verb, ..] => lists("list ls ps", verb),
            _ => false,
        });
        Self {
            ends: has("kill"),
            lists: has("ps"),
            containers: (listings.next()).map(|listing| !is_narrow(listing) && !has("grep") && !has("rg")),
        }
    }
}

/// Returns the danger of a command that kills processes by name, or stops containers that another command names.
pub(super) fn end(command: &Command, line: &Line, project: &Path) -> Option<Found> {
    containers(command, line).or_else(|| processes(command, line, project))
}

fn processes(command: &Command, line: &Line, project: &Path) -> Option<Found> {
    // Options that select processes other than by name: by parent, or by PID file.
    const CHOICES: &str = "F P g s t parent pgroup pidfile session terminal";
    let is_signal = |word: &&Word| {
        let name = word.known_start().strip_prefix('-').unwrap_or_default();
        name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    const NAMERS: &str = "killall pgrep pidof pidwait pkill skill taskkill";
    const FILTERS: &str = "awk gawk grep mawk rg";
    let program = command.program()?;
    let is_filter = line.ends && line.lists && lists(FILTERS, program);
    if !is_filter && !lists(NAMERS, program) {
        return None;
    }
    let words: Vec<Word> = command.arguments().iter().filter(|word| !is_signal(word)).cloned().collect();
    let read = Read::by(Read::of(command)?.program, &words);
    let ends = read.program.last() == Role::Ended;
    let only_finds = lists("pgrep pidof", read.program.name) && !line.ends;
    if only_finds || read.has(CHOICES) || command.has_argument("-0") {
        return None;
    }
    let mut names = read.operands().into_iter().filter_map(|(word, role)| {
        let name = match (word.literal()?, role) {
            (name, Role::Ended | Role::Pattern) => name,
            // `/node/ {print $2}`
            (code, Role::Code) => code.split('/').nth(1)?,
            _ => return None,
        };
        // `taskkill /F /PID 1`
        (!name.starts_with('/') && name.parse::<u32>().is_err()).then_some(name)
    });
    let is_part = !ends || read.has("f full");
    let what = match names.find(|name| is_others(name, is_part, project)) {
        Some(name) => format!(
            "kills every process with `{name}` in its name, in other projects too: give the PID, the port or the full \
             command line"
        ),
        None if read.words().is_empty() && read.has("U u euid uid user") => "kills all processes of a user".to_owned(),
        None => return None,
    };
    ask(command, &what)
}

/// Returns `true` for the bare name of a program outside the project. For a part of a command line, only names of
/// programs that run others count: Claude Code, its servers, editors.
fn is_others(name: &str, is_part: bool, project: &Path) -> bool {
    const HOSTS: &str = "bun claude code codium cursor deno docker dotnet electron emacs helix idea java mcp node npx nvim \
        hookkit python sshd tmux uvx vim zed";
    const FOLDERS: &[&str] = &["", "bin", "build", "dist", "node_modules/.bin", "target/debug", "target/release"];
    // Claude Code starts hooks by their paths.
    let of_hooks = fs::read_dir(project.join(".claude/hookkit")).into_iter().flatten().flatten();
    if is_part && of_hooks.map(|pack| pack.path().join("bin").join(base(name))).any(|hook| hook.exists()) {
        return true;
    }
    let name = name.strip_suffix(".exe").unwrap_or(name).replace(['[', ']'], "").to_ascii_lowercase();
    let name = name.trim_matches(['^', '$', '.', '*']);
    // A pattern that matches any name.
    if name.is_empty() {
        return true;
    }
    let name = family(name);
    if name.is_empty() || !name.chars().all(|char| char.is_alphanumeric() || "+-_ ".contains(char)) {
        return false;
    }
    if is_part || lists(HOSTS, name) {
        return is_interpreter_name(name) || HOSTS.split(' ').any(|host| host.contains(name));
    }
    !project.ends_with(name) && !FOLDERS.iter().any(|folder| project.join(folder).join(name).exists())
}

/// Returns `true` for a list filtered by a name, or by properties of containers.
fn is_narrow(listing: &Command) -> bool {
    const BY: &str = "ancestor= id= label= name= network= publish= volume=";
    listing.starts().any(|word| begins(BY, word.trim_start_matches("--filter=")))
}

/// Returns the words of a program for containers, without its options.
fn verbs(command: &Command) -> Vec<&str> {
    let program = command.program().filter(|program| lists(ENGINES, program)).into_iter();
    program.flat_map(|program| effects::verbs(program, command.arguments())).filter_map(Word::literal).collect()
}

fn containers(command: &Command, line: &Line) -> Option<Found> {
    let (["container", verb, ..] | [verb, ..]) = verbs(command)[..] else {
        return None;
    };
    let ends = lists("kill pause restart rm stop", verb);
    if ends && command.is("podman") && Read::any(command).writes("a all") {
        return ask(command, "stops or deletes all containers");
    }
    use ExpansionKind::{Arguments as Given, Command as Output, Parameter};
    let kinds: &[_] = match line.containers {
        Some(true) => &[Given, Output, Parameter],
        None if verb == "rm" => &[Given, Output],
        _ => return None,
    };
    let is_all = ends && command.arguments().iter().any(|word| kinds.iter().any(|kind| word.has(*kind)));
    if is_all { ask(command, "stops or deletes all containers that another command names") } else { None }
}
