//! Disks and devices.

use super::deny;
use crate::prelude::*;
use crate::words::start;

/// Devices that are harmless to write to.
const HARMLESS: &str = "null zero full stdin stdout stderr random urandom console kmsg log shm";

/// Prefixes of other harmless names: terminals, printers, sound, tapes, and folders.
const HARMLESS_STARTS: &str = "fd/ input/ lp net/ nst pts/ shm/ snd/ st0 tcp/ tty udp/ usb/lp video";

fn is_device(path: &str) -> bool {
    let name = path
        .strip_prefix('/')
        .map(|path| path.trim_start_matches('/'))
        .and_then(|path| path.strip_prefix("dev/"))
        .unwrap_or_default()
        .trim_start_matches('/');
    let is_harmless = lists(HARMLESS, name) || begins(HARMLESS_STARTS, name);
    path == "/proc/sysrq-trigger" || !name.is_empty() && (!is_harmless || name.contains(".."))
}

/// Returns the danger of a command that writes to a device.
pub(super) fn write(command: &Command, changes: &[Changed]) -> Option<Found> {
    let written = (changes.iter()).filter(|change| matches!(change.use_of, Use::File | Use::Lost));
    let device = written.map(|change| start(&change.pieces)).find(|start| is_device(start))?;
    Some(Certain(format!("`{command}` overwrites the device `{device}`")))
}

/// Programs that create, change or erase file systems. `disk`: on any disk, unless they only read it. `by`: with a word
/// of this key among the arguments, or always if the key has no words. `dry`: with these option letters they change
/// nothing.
static DISKS: Table<128> = Table::new(include_str!("disk.txt"));

/// Returns the words after a key in the rows of a program.
fn words(program: &str, key: &str) -> Option<&'static str> {
    let lines = DISKS.rows(program).flat_map(|row| row.text.lines());
    lines.into_iter().find_map(|line| line.trim_start().strip_prefix(key)).map(str::trim_start)
}

/// Returns `true` if a program only shows what it would do, or its help.
///
/// The word after an option may be its value, and is not counted.
fn is_dry(program: &str, arguments: &[Word]) -> bool {
    const FLAGS: &str = "--all --clear --force --quiet --verbose --yes --zap --zap-all -a -f -q -r -v -y -F -K -R -Z";
    let dry = words(program, "dry").unwrap_or_default();
    let mut may_be_value = false;
    arguments.iter().take_while(|word| !word.is("--")).any(|word| {
        let text = word.known_start();
        let is_value = may_be_value;
        // A variable may hold an option, too.
        may_be_value = match word.literal() {
            Some(_) => word.is_option() && !text.contains('=') && !lists(FLAGS, text),
            None => text.is_empty() || word.is_option(),
        };
        let is_long = lists("--help --no-act --no-action --pretend --test --version", text);
        // After other letters it may belong to a value: `-Ln`.
        let is_flag = |letter: char| lists(FLAGS, &format!("-{letter}"));
        let bundle = text.strip_prefix('-').unwrap_or_default().trim_start_matches(is_flag);
        !is_value && (is_long || bundle.starts_with(|letter| dry.contains(letter)))
    })
}

/// Options that only read a disk.
const LOOKS: &str = "-l --list -h --help -V --version print -p --print list -I -i";

/// Options of `sfdisk` that only read a disk.
const SFDISK_LOOKS: &str = "--dump --show-geometry --show-size -d -g -s";

/// Words that change nothing next to an option that only reads a disk.
const NEXT_TO_LOOKS: &str = "-m -s --script all free unit % GB GiB KiB MB MiB TB s";

pub(super) fn change(command: &Command) -> Option<Found> {
    let mut program = command.program()?;
    let mut arguments = command.arguments();
    if program == "lvm"
        && let [first, rest @ ..] = arguments
    {
        (program, arguments) = (first.literal()?, rest);
    }
    let has = |texts: &str| texts.is_empty() || command.has_argument(texts);
    let texts = || arguments.iter().map(Word::known_start);
    let starts = |starts: &str| texts().any(|word| begins(starts, word));
    let looks = || {
        let only_looks = |word: &Word| {
            // A disk whose name is not literal.
            let Some(text) = word.literal() else { return true };
            let is_quiet = text.len() > 1 && consists_of("lms", &text[1..]);
            text.starts_with('/')
                || text.starts_with('-') && is_quiet
                || lists(LOOKS, text)
                || lists(NEXT_TO_LOOKS, text)
        };
        has(LOOKS) && arguments.iter().all(only_looks)
    };
    // A file of the user may hold a disk image, too.
    let operands = || arguments.iter().filter(|word| !word.is_option());
    let is_image = || {
        operands().next().is_some() && operands().all(|word| word.literal().is_some_and(|name| !name.contains("dev/")))
    };
    let erases = match program {
        "ddrescue" => operands().nth(1).is_some_and(|word| is_device(word.known_start())),
        "diskutil" => texts().any(|word| {
            let word = word.to_ascii_lowercase();
            begins("erase zerodisk randomdisk secureerase deletevolume deletecontainer", &word)
                || word.contains("partition")
        }),
        "hdparm" => starts("--dco --fallocate --make-bad --repair --sanitize --security --trim --write --yes-i-know"),
        "nvme" => starts("delete-ns dsm format sanitize write") || texts().any(|word| word.ends_with("-passthru")),
        // Without these options it lists signatures.
        "wipefs" => arguments.iter().any(|word| {
            let option = word.known_start();
            letters(option).contains(['a', 'o'])
                || option.starts_with("--a")
                || option.starts_with("--of")
                || word.literal().is_none() && option.is_empty()
        }),
        // Without these options it only reads. A word that is not literal may be one.
        "badblocks" => arguments.iter().any(|word| {
            let text = word.known_start();
            text.starts_with('-') && text.contains(['n', 'w']) || word.literal().is_none() && text.is_empty()
        }),
        _ => match words(program, "by") {
            Some(words) => {
                // A verb alone names no disk.
                let is_verb = |word: &Word| !words.is_empty() && !word.is_option();
                let is_alone = matches!(arguments, [word] if is_verb(word));
                has(words) && !is_alone
            }
            None if words(program, "disk").is_some() => !arguments.is_empty() && !looks() && !is_image(),
            None => {
                let makes = program.starts_with("mkfs") || program.starts_with("newfs");
                makes && !is_image() && !matches!(arguments, [word] if word.is("-V"))
            }
        },
    };
    // The last action counts, so only the disk may follow the first.
    let only_looks = || program == "sfdisk" && arguments.len() == 2 && has(SFDISK_LOOKS);
    if erases && !only_looks() && !is_dry(program, arguments) {
        deny(command, "overwrites a disk or a file system")
    } else {
        None
    }
}
