//! The files that programs may change which are not in the table of changes.

use hookkit::shell::{Command, Word};

use super::{FINDS, Target, Use, is_fetcher, plain, targets};
use crate::effects::mentions::of_words;
use crate::effects::programs::{MEASURES, ONLY_NAMES, PREFIXES, READS, SHOWS, family_name};
use crate::git::Git;
use crate::words::operands;

/// Programs that only read the files that they are given, in addition to those of the other lists.
const LOOKS: &str = "ack ag bat batcat column dd delta difft egrep expand fgrep fold gojq grep gron gsed hd hexdump \
    jaq jq ldd less lsattr more nm objdump od pygmentize readelf rev rg rgrep rsync sed shellcheck size sort \
    strings tac tomlq ugrep xargs xq xxd yamllint yq zcat zgrep zless";

/// Programs that use the names of files alone, and yet change some.
const MAKES: &str = "apksigner jarsigner keytool mkcert mkdir ssh-keygen";

/// Options by which programs that else read write a file or run a program; each may be shortened.
const WRITES: &[&str] = &[
    "--backup-dir", "--exec-batch", "--in-place", "--index-file", "--inplace", "--log-file", "--only-write-batch",
    "--open-files-in-pager", "--outfile", "--output", "--output-file", "--pager", "--partial-dir", "--pre",
    "--save-config", "--write-batch",
];

/// Commands of git that change no file of the working tree.
const OF_GIT: &str = "add blame cat-file check-attr check-ignore commit diff diff-index grep hash-object log ls-files \
    ls-tree rev-list rev-parse shortlog show status";

/// Returns the files that a command names and may change: all of them, unless it is in the table of changes or only reads.
pub(crate) fn named(command: &Command) -> Vec<Target> {
    let mut mentions = Vec::new();
    if !is_known(command) {
        of_words(command.arguments(), &READS, &mut mentions);
    }
    let target = |pieces| Target {
        pieces,
        use_of: Use::Named,
    };
    mentions.into_iter().map(|mention| target(mention.pieces)).collect()
}

fn is_known(command: &Command) -> bool {
    let is = |list: &str, name: &str| list.split(' ').any(|listed| listed == name);
    let words: Vec<&str> = command.arguments().iter().map(Word::known_start).collect();
    let has = |letters: &str| {
        let mut options = words.iter().filter_map(|word| word.strip_prefix('-'));
        options.any(|option| !option.starts_with('-') && option.contains(|letter| letters.contains(letter)))
    };
    let writes = |word: &&str| {
        let name = word.split('=').next().unwrap_or_default();
        name.len() > 4 && WRITES.iter().any(|option| option.starts_with(name))
    };
    if words.iter().any(writes) {
        return false;
    }
    if let Some(git) = Git::of(command) {
        return is(OF_GIT, git.words.first().map_or("", Word::known_start)) && !has("O");
    }
    let program = command.program().filter(|_| command.has_single_name());
    match plain(family_name(program.unwrap_or_default())) {
        "less" | "pygmentize" | "sdiff" | "time" | "tree" => !has("oO"),
        "fd" | "fdfind" => !has("xX"),
        "uniq" | "xxd" => operands(command).len() < 2,
        "jaq" | "tomlq" | "xq" | "yq" => !has("i"),
        "python" => command.has_argument("json.tool") && operands(command).len() < 3,
        // The members of an archive are files that it may write.
        "bsdtar" | "tar" => {
            let first = words
                .first()
                .filter(|word| !word.starts_with('-'))
                .copied()
                .unwrap_or_default();
            let has = |letters| has(letters) || first.contains(|letter| str::contains(letters, letter));
            let is_long = |word: &&str| matches!(*word, "--append" | "--create" | "--list" | "--update");
            (has("crtu") || words.iter().any(is_long))
                && !has("gx")
                && !words.iter().any(|word| word.starts_with("--listed"))
        }
        program => {
            let lists = [FINDS, MEASURES, ONLY_NAMES, PREFIXES, SHOWS];
            let is_listed = lists.iter().any(|list| list.contains(&program)) && !is(MAKES, program);
            is_listed || is(LOOKS, program) || !is_fetcher(program) && !targets(command).is_empty()
        }
    }
}
