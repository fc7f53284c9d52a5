//! Processes and containers.

use super::{Places, ask, deny, rules};
use crate::prelude::*;
use crate::words::start;

/// Returns the danger of a command for services, databases, processes, and code of other languages.
pub(super) fn destroy(command: &Command) -> Option<Found> {
    processes(command, command.program()?).or_else(|| rules::destroy(command))
}

/// Returns the danger of a function that starts itself twice without waiting: `f() { f & f & }`.
pub(super) fn multiplies(line: Line) -> Option<Found> {
    let starts_itself = |command: &&Command| {
        let is_itself = |via: &Via| matches!(via, Via::Function(name) if command.name() == Some(name));
        command.via.iter().any(is_itself) && !command.via.iter().any(|via| matches!(via, Via::Prefix(_)))
    };
    let again: Vec<&Command> = line.script.commands().iter().filter(starts_itself).take(2).collect();
    let [first, second] = again[..] else { return None };
    let is_same = first.program() == second.program() && has_background(line.text);
    is_same.then(|| Certain(format!("`{first}` starts itself without end")))
}

fn processes(command: &Command, program: &str) -> Option<Found> {
    if command.is_in_pipeline() && command.via.contains(&Via::Function(program.to_owned())) {
        return Some(Certain(format!("`{program}` starts itself without end")));
    }
    let is_remote = |word: &str| {
        let text = word.to_ascii_uppercase();
        text.starts_with("EXEC:") || text.starts_with("SYSTEM:")
    };
    if program == "socat" && command.starts().any(is_remote) {
        return ask(command, "connects a program to another machine");
    }
    // After a signal; the first word is the signal itself.
    let mut behind = command.arguments().iter().skip(1);
    let kills_all = program == "killall5" || program == "kill" && behind.any(|word| word.is("-1"));
    if kills_all { deny(command, "kills all of the user's processes") } else { None }
}

/// Programs that run containers.
pub(super) const ENGINES: &str = "docker finch nerdctl podman";

/// Returns the danger of a container that gets the machine's disk, its folders or its rights.
pub(super) fn container(command: &Command, places: &Places) -> Option<Found> {
    /// Prefixes of the names of disks below `/dev`.
    const DISKS: &str = "disk dm- hd kmem mapper md mem mmcblk nvme sd vd xvd";
    if !command.is(ENGINES) {
        return None;
    }
    let read = Read::of(command)?;
    let sources = |options: &str| {
        let sources = read.values_of(options).into_iter();
        sources.map(|value| start(&value).trim_start_matches('=').to_owned()).collect::<Vec<_>>()
    };
    let is_disk = |device: &String| {
        let name = device.strip_prefix("/dev/").unwrap_or_default();
        name.is_empty() && device.starts_with("/dev") || begins(DISKS, name)
    };
    let is_right = |right: &String| matches!(right.trim_start_matches("CAP_"), "ALL" | "SYS_ADMIN");
    let mounts = sources("mount");
    let mounted = mounts.iter().filter_map(|mount| {
        mount.split(',').find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")))
    });
    let volumes = sources("v volume");
    // A read-only folder loses nothing.
    let volumes = volumes.iter().filter_map(|volume| {
        let (source, rest) = volume.split_once(':')?;
        let is_kept = rest.split(':').nth(1).unwrap_or_default().split(',').any(|mode| mode == "ro");
        (!is_kept || source == "/" || source.ends_with(".sock")).then_some(source)
    });
    let gives = match () {
        () if read.has("privileged") || sources("cap-add").iter().any(is_right) => "the rights of the machine",
        () if sources("pid").contains(&"host".to_owned()) => "all programs of the machine",
        () if sources("device").iter().any(is_disk) => "a disk of the machine",
        () if volumes.chain(mounted).any(|source| places.is_machine(source)) => {
            "the whole disk, or files that control the machine"
        }
        () => return None,
    };
    ask(command, &format!("gives a container {gives}"))
}
