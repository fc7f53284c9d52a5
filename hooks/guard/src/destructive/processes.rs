//! Programs that are ended by a name that others may have, and containers that are ended all at once.

use std::path::Path;

use hookkit::effects;
use hookkit::shell::programs::Role;
use hookkit::shell::programs::table::lists;
use hookkit::shell::{Command, ExpansionKind, Part, Word};

use super::{Danger, others};
use crate::effects::mentions::is_interpreter_name;
use crate::effects::programs::{Read, role};
use crate::words::Piece;

/// What the commands of a line name for each other.
pub(super) struct Line {
    ends: bool,
    lists: bool,
    containers: Named,
}

/// The containers that a line lists.
#[derive(PartialEq)]
enum Named {
    None,
    Some,
    All,
}

impl Line {
    pub(super) fn of(commands: &[Command]) -> Self {
        let has = |name: &str| commands.iter().any(|command| command.program() == Some(name));
        let mut listings = commands.iter().filter(|command| lists_containers(command));
        let containers = match listings.next() {
            None => Named::None,
            Some(first) if is_narrow(first) || has("grep") || has("rg") => Named::Some,
            Some(_) => Named::All,
        };
        Self {
            ends: has("kill"),
            lists: has("ps"),
            containers,
        }
    }
}

/// Returns the danger of a command that ends processes by name, or containers that another command names.
pub(super) fn end(command: &Command, line: &Line, project: &Path) -> Option<Danger> {
    containers(command, line).or_else(|| processes(command, line, project))
}

/// Those of which only the number, the parent or the file is named are not others'.
fn processes(command: &Command, line: &Line, project: &Path) -> Option<Danger> {
    let is_certain = match role(command)? {
        Role::Ended => true,
        Role::Listed => line.ends,
        _ => line.ends && line.lists && matches!(command.program(), Some("awk" | "grep" | "rg")),
    };
    if !is_certain {
        return None;
    }
    let mut command = command.clone();
    // Its letters are those of other options.
    let is_signal = |word: &Word| {
        let name = word.known_start().strip_prefix('-').unwrap_or_default();
        name.len() > 2
            && name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    if command.has_argument("-0") {
        return None;
    }
    command.words.retain(|word| !is_signal(word));
    let read = Read::of(&command)?;
    if read.has(&[
        "P", "g", "s", "F", "t", "parent", "pgroup", "session", "pidfile", "terminal",
    ]) {
        return None;
    }
    let is_name = |role: Role| matches!(role, Role::Ended | Role::Listed | Role::Pattern);
    let operands = read.operands().into_iter().filter(|(_, role)| is_name(*role));
    let mut names: Vec<&str> = operands.filter_map(|(word, _)| word.literal()).collect();
    let patterns = read.values(Role::Pattern);
    names.extend(patterns.iter().filter_map(|value| match &value[..] {
        [Piece::Text(text)] => Some(text.as_str()),
        _ => None,
    }));
    // `taskkill /F /PID 1`
    names.retain(|name| !name.starts_with('/') && name.parse::<u32>().is_err());
    let is_whole = read.has(&["f", "full"]) || role(&command) == Some(Role::Pattern);
    let all = names.is_empty() && read.has(&["u", "U", "user", "euid", "uid"]);
    let others = names.into_iter().find(|name| is_others(name, is_whole, project));
    let what = match others {
        Some(name) => format!(
            "ends all programs by the name `{name}`, which others of yours may have: name the process by its number, its port or its whole command line"
        ),
        None if all => "ends all programs of a user".to_owned(),
        None => return None,
    };
    Some(Danger::ask_of(&command, &what))
}

/// Returns `true` for the bare name of a program, unless it is one of the project. As a part of a command line, it is that of
/// programs that run others: Claude Code, its servers, editors.
fn is_others(name: &str, is_part: bool, project: &Path) -> bool {
    const HOSTS: &str = "bun claude code codium cursor deno docker dotnet electron emacs helix idea java mcp node npx nvim \
        python sshd tmux uvx vim zed";
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let name = name.trim_matches(['^', '$', '.', '*', '[', ']']).to_ascii_lowercase();
    let name = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    let is_of_name = |char: char| char.is_alphanumeric() || "+-_[] ".contains(char);
    if name.is_empty() || !name.chars().all(is_of_name) {
        return false;
    }
    let name = name.replace(['[', ']'], "");
    if is_part {
        return is_interpreter_name(&name) || HOSTS.split(' ').any(|host| host.contains(&name));
    }
    const FOLDERS: &[&str] = &[
        "", "bin", "build", "dist", "node_modules/.bin", "target/debug", "target/release",
    ];
    let is_own = project.file_name().is_some_and(|own| own.eq_ignore_ascii_case(&name))
        || FOLDERS.iter().any(|folder| project.join(folder).join(&name).exists());
    !is_own || lists(HOSTS, &name)
}

fn lists_containers(command: &Command) -> bool {
    let mut verbs = verbs(command);
    match verbs.next() {
        Some("ps") => true,
        Some("container") => verbs.next().is_some_and(|verb| lists("list ls ps", verb)),
        _ => false,
    }
}

/// Returns `true` for a list that a name, or what a container is made of, makes shorter.
fn is_narrow(command: &Command) -> bool {
    let by = ["ancestor=", "id=", "label=", "name=", "network=", "publish=", "volume="];
    let mut words = command.arguments().iter().map(Word::known_start);
    words.any(|word| {
        by.iter()
            .any(|by| word.rsplit("filter=").next().unwrap_or(word).starts_with(by))
    })
}

fn verbs(command: &Command) -> impl Iterator<Item = &str> {
    let program = command
        .program()
        .filter(|program| others::is_engine(program))
        .unwrap_or_default();
    let words = if program.is_empty() { &[] } else { command.arguments() };
    effects::verbs(program, words).filter_map(Word::literal)
}

fn containers(command: &Command, line: &Line) -> Option<Danger> {
    let mut verbs = verbs(command);
    let verb = verbs
        .next()
        .filter(|verb| *verb != "container")
        .or_else(|| verbs.next())?;
    let of = |kinds: &[ExpansionKind]| {
        let is_it = |part: &Part| matches!(part, Part::Expansion(it) if kinds.contains(&it.kind));
        command.arguments().iter().any(|word| word.parts.iter().any(is_it))
    };
    let is_named = of(&[ExpansionKind::Command, ExpansionKind::Arguments]);
    let is_all = match line.containers {
        Named::All => is_named || of(&[ExpansionKind::Parameter]),
        Named::Some => false,
        Named::None => is_named && verb == "rm",
    };
    (is_all && lists("kill pause restart rm stop", verb))
        .then(|| Danger::ask_of(command, "ends or deletes all containers that another command names"))
}
