//! Commands that delete the data of services.

use std::{mem, ptr};

use hookkit_shell::programs::base;
use hookkit_shell::programs::table::{Table, begins, lists};
use hookkit_shell::programs::text::letters;
use hookkit_shell::{Command, Word};

/// Programs of services, with the words that delete in addition to the [common verbs](VERBS).
static DELETES: Table<256> = Table::new(include_str!("deletes.txt"));

/// Verbs that delete in every service: alone, before a dash, an underscore or a colon, or after a colon.
const VERBS: &str = "delete deregister destroy disable drop purge prune remove revoke terminate";

/// Maximum number of words to search: the verb comes after the options that select a service.
const MOST_WORDS: usize = 12;

/// Options for a dry run or for help.
const DRY: &str = "--dry-run --dry_run --dryrun --help -h";

/// Options whose value is a text or a name.
const TEXTS: &str = "--body --description --jq --label --message --name --query --search --stack-name --title";

/// Programs in which `-n` means a dry run. In other programs, a name or a namespace follows `-n`.
const SHORT_DRY: &str = "borg rclone restic s3cmd";

/// HashiCorp's programs, whose help option has one dash.
const SHORT_HELP: &str = "consul nomad vault";

/// Returns `true` if a command deletes from a service.
///
/// One of its [verbs](verbs()) decides. A dry run (`--dry-run`) deletes nothing.
pub fn deletes(command: &Command) -> bool {
    let Some((name, words)) = program(command) else {
        return false;
    };
    let own: Vec<&str> = DELETES.rows(name).flat_map(|row| row.text.split_ascii_whitespace()).collect();
    if own.is_empty() {
        return false;
    }
    // Some programs delete by an option alone.
    let is_by_option = own.first().is_some_and(|own| own.starts_with('-'));
    let is_dry = |word: &str| {
        let (option, value) = word.split_once('=').unwrap_or((word, "true"));
        lists(DRY, option) && !lists("0 false none", value)
            || letters(word).ends_with('n') && lists(SHORT_DRY, name)
            || word == "-help" && lists(SHORT_HELP, name)
    };
    let does = |word: &str| own.contains(&word) || !is_by_option && (is_verb(word) || is_operation(name, word));
    let is_verb = |word: &&Word| does(word.known_start());
    let verb = if is_by_option { words.iter().find(is_verb) } else { verbs(name, words).find(is_verb) };
    let Some(verb) = verb else { return false };
    let is_help = name == "aws"
        && words.iter().skip_while(|word| !ptr::eq(*word, verb)).nth(1).is_some_and(|word| word.is("help"));
    !is_help && !words.iter().filter_map(Word::literal).any(is_dry)
}

/// Returns the first twelve words of a service's command that may be its verb, or a group before the verb.
///
/// The last of them may be a verb that certainly only reads or makes something, because names follow such a verb (`gh
/// release create delete`). Options are left out, and so are values of options that certainly take a text. Any other
/// word after an option may be its value, or a verb.
pub fn verbs<'w>(program: &str, words: &'w [Word]) -> impl Iterator<Item = &'w Word> {
    let mut may_be_value = false;
    let mut is_text = false;
    let mut groups = 0;
    let mut is_over = false;
    let operands = words.iter().take_while(|word| !word.is("--")).filter_map(move |word| {
        let text = word.literal();
        let is_value =
            mem::replace(&mut may_be_value, text.is_none_or(|text| text.starts_with('-') && !text.contains('=')));
        let is_of_text = mem::replace(&mut is_text, text.is_some_and(|text| lists(TEXTS, text)));
        (!is_of_text && !word.is_option()).then_some((word, !is_value))
    });
    operands.take(MOST_WORDS).map_while(move |(word, is_certain)| {
        if is_over {
            return None;
        }
        if let Some(text) = word.literal().filter(|_| is_certain) {
            groups += 1;
            is_over = match program {
                // A service, and its operation.
                "aws" => groups == 2,
                _ => reads_or_makes(program, text),
            };
        }
        Some(word)
    })
}

/// Returns `true` for a verb that deletes nothing, and is not a group's name.
fn reads_or_makes(program: &str, word: &str) -> bool {
    const BY_PROGRAM: [(&str, &str); 2] = [
        ("history import logs output plan search template", "fly flyctl gh helm k kubectl oc pulumi terraform tofu"),
        ("build cp exec run", "docker finch k kubectl nerdctl oc podman"),
    ];
    lists(
        "add can-i create describe diff edit explain get help inspect list ls new put read select set show status update \
        validate view write",
        word,
    ) || (BY_PROGRAM.iter()).any(|(words, programs)| lists(words, word) && lists(programs, program))
}

/// Returns the name of a service's program, without folder and extension, and its arguments. For `java -jar`, the file
/// is the program.
fn program(command: &Command) -> Option<(&str, &[Word])> {
    let (program, words) = (command.program()?, command.arguments());
    if program != "java" {
        return Some((program.strip_suffix(".sh").unwrap_or(program), words));
    }
    let at = words.iter().position(|word| word.is("-jar"))?;
    Some((base(words.get(at + 1)?.literal()?), words.get(at + 2..).unwrap_or_default()))
}

fn is_verb(word: &str) -> bool {
    let parts = |word: &str, verb: &str| {
        let rest = word.strip_prefix(verb);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_', ':']))
    };
    let behind = word.rsplit_once(':').map(|(_, behind)| behind);
    VERBS.split(' ').any(|verb| parts(word, verb) || behind == Some(verb))
}

/// Returns `true` for an operation whose verb follows another word, or is joined with another word:
/// `batch-delete-image`.
fn is_operation(program: &str, word: &str) -> bool {
    let is_verb = |part: &str| lists(VERBS, part);
    match program {
        "aws" | "gcloud" => begins("admin- batch- bulk-", word) && word.split('-').any(is_verb),
        "govc" | "ibmcloud" => word.rsplit(['-', '.']).next().is_some_and(|part| is_verb(part) || part == "rm"),
        "aliyun" => begins("Delete Release Remove", word),
        _ => false,
    }
}
