//! Disks and devices.

use hookkit::shell::{Command, RedirectionOperator, Word};

use super::Danger;

/// Devices that lose nothing by being written to.
const HARMLESS: &[&str] = &[
    "null", "zero", "full", "stdin", "stdout", "stderr", "tty", "random", "urandom", "console",
];

fn is_device(path: &str) -> bool {
    let Some(name) = path.strip_prefix("/dev/") else {
        return false;
    };
    let is_folder_of_others = ["fd/", "pts/", "shm/", "tcp/", "udp/"]
        .iter()
        .any(|folder| name.starts_with(folder));
    !name.is_empty() && !is_folder_of_others && !HARMLESS.contains(&name)
}

/// A redirection, or a program that copies, into a device.
pub(super) fn writes_to_device(command: &Command) -> Option<Danger> {
    use RedirectionOperator as Operator;
    let redirected = command.redirections.iter().filter(|redirection| {
        !matches!(
            redirection.operator,
            Operator::Input | Operator::DuplicateInput | Operator::HereDocument | Operator::HereString
        )
    });
    let redirected = redirected.map(|redirection| &redirection.target);
    let written: Vec<&Word> = match command.program() {
        Some("tee" | "shred" | "truncate") => redirected.chain(command.arguments()).collect(),
        Some("cp" | "mv" | "ln" | "install") => redirected.chain(command.arguments().last()).collect(),
        _ => redirected.collect(),
    };
    let device = written.into_iter().find(|word| is_device(word.known_start()))?;
    Some(Danger::deny(format!("`{command}` overwrites the device `{device}`")))
}

/// Programs that make, change or erase file systems.
const ERASERS: &[&str] = &[
    "wipefs",
    "blkdiscard",
    "mke2fs",
    "mkswap",
    "newfs",
    "pvremove",
    "vgremove",
    "lvremove",
    "badblocks",
    "hdparm",
    "nvme",
    "sgdisk",
    "gdisk",
    "cgdisk",
    "fdisk",
    "sfdisk",
    "cfdisk",
    "parted",
];

/// Options with which a disk is only looked at.
const LOOKS: &[&str] = &[
    "-l",
    "--list",
    "-h",
    "--help",
    "-V",
    "--version",
    "print",
    "-p",
    "--print",
    "list",
    "-I",
    "-i",
];

pub(super) fn change(command: &Command) -> Option<Danger> {
    let program = command.program()?;
    let arguments = command.arguments();
    let has = |text: &str| command.has_argument(text);
    let erases = match program {
        "dd" => arguments.iter().any(|word| {
            let target = word.known_start().strip_prefix("of=");
            target.is_some_and(is_device)
        }),
        "cryptsetup" => has("luksFormat") || has("erase") || has("luksErase"),
        "zpool" | "zfs" => has("destroy"),
        "diskutil" => arguments.iter().any(|word| {
            word.known_start().to_ascii_lowercase().starts_with("erase") || word.known_start().contains("partition")
        }),
        _ if ERASERS.contains(&program) => !arguments.is_empty() && !LOOKS.iter().any(|look| has(look)),
        // A file of one's own can be made a disk, too.
        _ => {
            let disk = arguments.iter().rev().find(|word| !word.known_start().starts_with('-'));
            let is_image = disk.and_then(Word::literal).is_some_and(|name| !name.contains("dev/"));
            program.starts_with("mkfs") && !is_image
        }
    };
    erases.then(|| Danger::deny(format!("`{command}` writes a disk or a file system anew")))
}
