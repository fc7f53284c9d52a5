//! Services, password managers and keychains that print what they keep.

use hookkit::shell::programs::table::Table;
use hookkit::shell::programs::table::lists;
use hookkit::shell::{Command, Word};

use super::output::{Output, file};
use super::terraform;

/// The commands by which programs print a secret: the words that they have, in this order.
static PRINTS: Table<128> = Table::new(include_str!("services.txt"));

/// Commands of `pass` and `gopass`: another word is the name of an entry.
const OF_PASS: &str = "age agent alias audit cat clone completion config copy cp create delete edit env find fscopy \
    fsmove fsck generate git git-credential gpg grep help history init insert link list ln ls mounts move mv new otp \
    process rcs recipients remove rename reorg rm search set setup show sum sync templates totp unclip update version";

/// Addresses at which a cloud's machine gets its own credentials.
const METADATA: &[&str] = &[
    "100.100.100.200", "169.254.169.254", "169.254.170.2", "metadata.google.internal",
];

/// Describes the first command that prints a secret of a service, where the model would read it: one that another program
/// takes, or that goes into a file or a variable, is not printed.
pub(super) fn printed(commands: &[Command], line: &str) -> Option<String> {
    let prints_secret = |command: &&Command| (file(command).is_none() || exports_key(command)) && prints_one(command);
    /// More are not looked at.
    const MOST: usize = 64;
    let secrets: Vec<&Command> = commands.iter().filter(prints_secret).take(MOST + 1).collect();
    if secrets.len() > MOST {
        return Some(format!("`{}` and many more commands may print a secret", secrets[0]));
    }
    let found = secrets.into_iter().find(|command| {
        let output = Output {
            command,
            commands,
            line,
            with_files: exports_key(command),
        };
        output.is_shown() && !output.is_harmless()
    })?;
    Some(match exports_key(found) {
        true => format!("`{found}` takes a private key out of its key ring"),
        false => format!(
            "`{found}` prints a secret, which the model then reads. A command that needs it can take it by itself: \
             `x --token \"$(…)\"`"
        ),
    })
}

/// Returns `true` for a command by which a private key leaves its key ring, also into a file.
fn exports_key(command: &Command) -> bool {
    matches!(command.program(), Some("gpg" | "gpg2"))
        && (command.arguments().iter()).any(|word| word.known_start().starts_with("--export-secret-"))
}

fn prints_one(command: &Command) -> bool {
    let Some(program) = command.program() else { return false };
    let words = command.arguments();
    if terraform::is(program) {
        return terraform::prints_secret(words);
    }
    if matches!(program, "curl" | "http" | "wget" | "xh") {
        const SECRETS: &[&str] = &[
            "169.254.170.2", "credentials", "identity", "kube-env", "recursive", "token", "user-data",
        ];
        let is_secret = |url: &str| SECRETS.iter().any(|part| url.contains(part));
        let is_asked = |word: &Word| {
            let url = word.known_start();
            METADATA.iter().any(|address| url.contains(address)) && (is_secret(url) || word.literal().is_none())
        };
        return words.iter().any(is_asked);
    }
    // They write, or show the user alone.
    let is_other = |word: &Word| {
        let is_short = word.literal() == Some("-c") && matches!(program, "gopass" | "lpass" | "pass");
        is_short || matches!(word.literal(), Some("--clip" | "--help" | "--set"))
    };
    let writes = |word: &Word| matches!(word.literal(), Some("delete" | "import" | "set" | "upload"));
    // Without what they hold: `-o name`.
    let is_list = |pair: &[Word]| {
        let format = pair[1].known_start();
        matches!(pair[0].literal(), Some("-o" | "--output"))
            && (matches!(format, "name" | "wide")
                || format.contains("metadata.") && !format.replace("metadata", "").contains("data"))
    };
    let has_in_order = |wanted: &str| {
        let mut words = words.iter().map(Word::known_start);
        wanted
            .split_ascii_whitespace()
            .all(|wanted| words.any(|word| is_word(word, wanted)))
    };
    // Of all settings only these are secrets.
    let is_secret = |word: &Word| {
        ["_auth", "extraheader", "token"]
            .iter()
            .any(|part| word.known_start().contains(part))
    };
    if matches!(program, "git" | "npm") && command.has_argument("config") && !words.iter().any(is_secret) {
        return false;
    }
    // With the name of an entry alone they show it.
    if matches!(program, "gopass" | "pass") && !words.iter().any(is_other) {
        let first = words.iter().find(|word| !word.known_start().starts_with('-'));
        let command = first.and_then(|word| word.literal());
        if first.is_some() && command.is_none_or(|command| !lists(OF_PASS, command)) {
            return true;
        }
    }
    let mut rules = PRINTS.rows(program).flat_map(|row| row.text.lines()).peekable();
    rules.peek().is_some()
        && !words.iter().any(is_other)
        && !words.iter().take(3).any(writes)
        && !words.windows(2).any(is_list)
        && rules.any(has_in_order)
}

/// Returns `true` for a word, also with a value or a part: `-oyaml`, `--output=json`, `secret/app`, but not for names alone:
/// `-o name`.
fn is_word(word: &str, wanted: &str) -> bool {
    match word.strip_prefix(wanted) {
        Some("") => true,
        Some(rest) if wanted == "-o" => !rest.starts_with("name") && !rest.starts_with("wide"),
        Some(rest) => rest.starts_with(['=', '/']),
        None => false,
    }
}
