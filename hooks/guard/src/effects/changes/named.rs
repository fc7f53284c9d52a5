//! The files that programs may change which are not in the table of changes.

use hookkit::shell::{Command, Word};

use super::{Target, Use, plain, targets};
use crate::effects::mentions::{Mention, is_shell, names};
use crate::effects::programs::{Does, MEASURES, ONLY_NAMES, PREFIXES, SHOWS, family_name};
use crate::git::Git;
use crate::words::operands;

/// Programs that only read the files that they are given, in addition to those of the other lists.
const LOOKS: &[&str] = &[
    "ack", "ag", "bat", "batcat", "column", "curl", "dd", "delta", "difft", "egrep", "expand", "fgrep", "fold", "gojq",
    "grep", "gron", "gsed", "hd", "hexdump", "jaq", "jq", "ldd", "less", "lsattr", "more", "most", "nm", "objdump",
    "od", "perl", "pygmentize", "readelf", "rev", "rg", "rgrep", "ruby", "sed", "shellcheck", "size", "sort",
    "strings", "tac", "tomlq", "ugrep", "xq", "xxd", "yamllint", "yq", "zcat", "zgrep", "zless",
];

/// Programs that use the names of files alone, and yet change some.
const MAKES: &[&str] = &["apksigner", "jarsigner", "keytool", "mkcert", "mkdir", "ssh-keygen"];

/// Commands of git that change no file of the working tree.
const OF_GIT: &[&str] = &[
    "add", "blame", "cat-file", "check-attr", "check-ignore", "commit", "diff", "diff-index", "grep", "hash-object",
    "log", "ls-files", "ls-tree", "rev-list", "rev-parse", "shortlog", "show", "status",
];

/// Returns the files that a command names and may change: all of them, unless it is in the table of changes or only reads.
pub(crate) fn named(command: &Command) -> Vec<Target> {
    let is_in_table = !targets(command).is_empty() && !unpacks(command);
    if is_in_table || only_reads(command) {
        return Vec::new();
    }
    let mut mentions: Vec<Mention> = Vec::new();
    for word in command.arguments() {
        names(&mut mentions, word, Does::Change);
    }
    let target = |mention: Mention| Target {
        pieces: mention.pieces,
        use_of: Use::Named,
    };
    mentions.into_iter().map(target).collect()
}

fn only_reads(command: &Command) -> bool {
    let Some(program) = command.program().filter(|_| command.has_single_name()) else {
        return command.words.is_empty();
    };
    let program = plain(family_name(program));
    let has = |option: &str| {
        command
            .arguments()
            .iter()
            .any(|word| word.known_start().starts_with(option))
    };
    match program {
        _ if has("--output") => false,
        "less" | "tree" => !has("-o") && !has("-O"),
        "uniq" | "xxd" => operands(command).len() < 2,
        "yq" => !has("-i") && !has("--in"),
        "tar" | "bsdtar" => !unpacks(command),
        "rsync" => true,
        "python" => command.has_argument("json.tool") && operands(command).len() < 3,
        _ if is_shell(command) => command.has_argument("-n"),
        _ if PREFIXES.contains(&program) || super::FINDS.contains(&program) || program == "xargs" => true,
        program => match Git::of(command) {
            Some(git) => (git.words.first().and_then(Word::literal)).is_none_or(|name| OF_GIT.contains(&name)),
            None => {
                let lists = [LOOKS, MEASURES, ONLY_NAMES, SHOWS];
                lists.iter().any(|list| list.contains(&program)) && !MAKES.contains(&program)
            }
        },
    }
}

/// Returns `true` for a program that writes the members of an archive, which its words may name.
fn unpacks(command: &Command) -> bool {
    let words = command.arguments();
    let first = words.first().map_or("", Word::known_start);
    match plain(command.program().unwrap_or_default()) {
        "tar" | "bsdtar" => {
            let has_letter = |word: &Word| {
                let text = word.known_start();
                text.starts_with('-') && !text.starts_with("--") && text.contains('x')
            };
            let is_long = |word: &Word| ["--extract", "--get"].contains(&word.known_start());
            !first.starts_with('-') && first.contains('x') || words.iter().any(|word| has_letter(word) || is_long(word))
        }
        "unzip" => true,
        "7z" | "7za" | "7zr" | "7zz" | "rar" => first.starts_with(['e', 'x']),
        _ => false,
    }
}
