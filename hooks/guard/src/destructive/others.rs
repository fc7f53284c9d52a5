//! Processes and containers.

use hookkit::shell::{Command, ExpansionKind, Part, Script, Via, Word};

use super::{Danger, rules};

/// Returns the danger of a command for services, databases, processes and, by another language, for anything.
pub(super) fn destroy(command: &Command) -> Option<Danger> {
    let program = command.program()?;
    processes(command, program)
        .or_else(|| rules::destroy(command))
        .or_else(|| container(command, program))
}

/// Returns the danger of a function that starts itself twice, and does not wait: `f() { f & f & }`.
pub(super) fn multiplies(line: &str, script: &Script) -> Option<Danger> {
    let starts_itself = |command: &&Command| {
        let name = command.name();
        let is_itself = |via: &Via| matches!(via, Via::Function(function) if Some(function.as_str()) == name);
        let is_prefix = |via: &Via| matches!(via, Via::Prefix(_));
        command.via.iter().any(is_itself) && !command.via.iter().any(is_prefix)
    };
    let again: Vec<&Command> = script.commands().iter().filter(starts_itself).take(2).collect();
    let [first, second] = again[..] else { return None };
    let is_same = first.program() == second.program() && crate::variables::has_background(line);
    is_same.then(|| Danger::deny(format!("`{first}` starts itself without end")))
}

fn processes(command: &Command, program: &str) -> Option<Danger> {
    let is_itself = |via: &Via| matches!(via, Via::Function(name) if name == program);
    if command.via.contains(&Via::Pipeline) && command.via.iter().any(is_itself) {
        return Some(Danger::deny(format!("`{program}` starts itself without end")));
    }
    let is_remote = |word: &Word| {
        let text = word.known_start().to_ascii_uppercase();
        ["EXEC:", "SYSTEM:"].iter().any(|address| text.starts_with(address))
    };
    if program == "socat" && command.arguments().iter().any(is_remote) {
        return Some(Danger::ask_of(command, "connects a program with another machine"));
    }
    // Behind a signal; before it, it is the signal itself.
    let mut behind = command.arguments().iter().skip(1);
    let kills_all = program == "kill" && behind.any(|word| word.literal() == Some("-1"));
    kills_all.then(|| Danger::deny_of(command, "ends all of the user's processes"))
}

/// Returns the danger of a container that is given the machine's disk, or its rights.
fn container(command: &Command, program: &str) -> Option<Danger> {
    if !matches!(program, "docker" | "finch" | "nerdctl" | "podman") {
        return None;
    }
    let words = command.arguments();
    let is_output = |word: &Word| {
        let is_it =
            |part: &Part| matches!(part, Part::Expansion(expansion) if expansion.kind == ExpansionKind::Command);
        word.parts.iter().any(is_it)
    };
    if command.has_argument("rm") && words.iter().any(is_output) {
        return Some(Danger::ask_of(
            command,
            "deletes all containers that another command names",
        ));
    }
    let is_disk = |text: &str| {
        let source = text
            .split(',')
            .find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")));
        text.starts_with("/:") || source == Some("/")
    };
    let has_disk = words.iter().enumerate().any(|(index, word)| {
        let Some(text) = word.literal() else { return false };
        let value = text.split_once('=').map(|(_, value)| value);
        match text {
            "-v" | "--volume" | "--mount" => {
                let value = words.get(index + 1).and_then(Word::literal);
                value.is_some_and(is_disk)
            }
            _ => {
                text.starts_with("--volume=") && value.is_some_and(is_disk)
                    || text.starts_with("--mount=") && value.is_some_and(is_disk)
                    || text.starts_with("-v/:")
            }
        }
    });
    has_disk.then(|| Danger::ask_of(command, "gives a container the whole disk"))
}
