//! Commands by which services, password managers and keychains print what they keep.

use hookkit_secrets::files::names_secret;
use hookkit_shell::programs::table::{Table, lists};
use hookkit_shell::{Command, Word};

/// The commands by which programs print a secret: the words that they have, in this order.
static PRINTS: Table<256> = Table::new(include_str!("prints.txt"));

/// Commands of `pass` and `gopass`: another word is the name of an entry.
const OF_PASS: &str = "age agent alias audit cat clone completion config copy cp create delete edit env find fscopy \
    fsmove fsck generate git git-credential gpg grep help history init insert link list ln ls mounts move mv new otp \
    process rcs recipients remove rename reorg rm search set setup show sum sync templates totp unclip update version";

/// Kinds of objects of Kubernetes that have variables, or are made for them.
const KINDS: &str = "all cj cm configmap configmaps cronjob cronjobs daemonset daemonsets deploy deployment deployments ds \
    job jobs po pod pods replicaset replicasets rs statefulset statefulsets sts";

/// Returns `true` for a command that prints a secret: by its purpose, as `op read`, or by its nature, as one that prints the
/// variables of a service.
///
/// It knows the programs that are in its table. Other programs of the line may keep the secret from being shown.
///
/// ```
/// use hookkit::effects::prints_secret;
/// use hookkit::shell::analyze;
///
/// let prints = |line: &str| prints_secret(&analyze(line).commands()[0]);
/// assert!(prints("gh auth token") && prints("kubectl get pods -o yaml"));
/// assert!(!prints("gh auth status") && !prints("kubectl get pods -o wide"));
/// ```
pub fn prints_secret(command: &Command) -> bool {
    let Some(program) = command.program() else { return false };
    let words = command.arguments();
    // They write, or show the user alone.
    let is_other = |word: &Word| {
        let is_short = word.is("-c") && lists("gopass lpass pass", program);
        let is_file = lists("-o --output", word.known_start()) && lists("age gpg gpg2 rage", program);
        is_short || is_file || word.is("--clip --help --set")
    };
    // With the name of an entry alone they show it.
    if lists("gopass pass", program) && !words.iter().any(is_other) {
        let first = words.iter().find(|word| !word.is_option());
        let command = first.and_then(|word| word.literal());
        if first.is_some() && command.is_none_or(|command| !lists(OF_PASS, command)) {
            return true;
        }
    }
    let mut rules = PRINTS.rows(program).flat_map(|row| row.text.lines()).peekable();
    if rules.peek().is_none() || words.iter().any(is_other) {
        return false;
    }
    let parts: Vec<&str> =
        words.iter().flat_map(|word| parts(word.known_start())).filter(|part| !part.is_empty()).collect();
    let has = |rule: &str| {
        let mut parts = &parts[..];
        let mut wanted = rule.split_ascii_whitespace().peekable();
        let is_whole = wanted.next_if_eq(&"~").is_some();
        let is_first = wanted.next_if_eq(&"^").is_some();
        let has_all = wanted.all(|wanted| {
            if wanted == "$" {
                return parts.iter().all(|part| part.starts_with('-'));
            }
            let at = parts.iter().position(|part| is_part(part, wanted));
            parts = &parts[at.map_or(parts.len(), |at| at + 1)..];
            at.is_some_and(|at| at == 0 || !is_first)
        });
        has_all && !(is_whole && chooses(words))
    };
    // Without what they hold: `-o name`.
    let is_list = |pair: &[&str]| {
        let format = pair[1];
        pair[0] == "-o"
            && (lists("name wide", format)
                || format.contains("metadata.")
                    && !["data", "env"].iter().any(|part| format.replace("metadata", "").contains(part)))
    };
    !parts.iter().take(3).any(|part| lists("delete import set upload", part))
        && !parts.windows(2).any(is_list)
        && rules.any(has)
}

/// Returns the parts of a word: an option and its value, or what is between the signs of a name: `secret/app`, `pods,svc`.
fn parts(word: &str) -> Vec<&str> {
    let format = word.strip_prefix("--output").or_else(|| word.strip_prefix("-o"));
    match (format, word.split_once('=')) {
        (Some(format), _) => vec!["-o", format.trim_start_matches('=')],
        (_, Some((option, value))) if word.starts_with('-') => vec![option, value],
        _ if word.starts_with('-') || word.contains("metadata") => vec![word],
        _ => word.split(['/', ',', ' ']).collect(),
    }
}

/// Returns `true` for a part that is one of some words, or contains the text after a `*`. `?` is the name of a secret, and `%` a
/// kind of object.
fn is_part(part: &str, wanted: &str) -> bool {
    wanted.split('|').any(|wanted| match wanted.strip_prefix('*') {
        Some(text) => part.contains(text),
        None if wanted == "%" => lists(KINDS, part),
        None => part == wanted || wanted == "?" && names_secret(part),
    })
}

/// Returns `true` if an option chooses what is shown, and no variables: `--query Runtime`.
fn chooses(words: &[Word]) -> bool {
    const OPTIONS: &str = "--filter --format --jq --output --property --query --template -f -o";
    const OTHERS: &str = "--hash --images --networks --profiles --quiet --services --volumes -q";
    const WHOLE: &str = "config containerdefinitions containers csv data default environment items json jsonc service \
        spec table taskdefinition template text tsv variables yaml yml";
    words.iter().enumerate().any(|(at, word)| {
        let word = word.known_start();
        let (option, value) = match (word.strip_prefix("-o"), word.split_once('=')) {
            (Some(format), _) if !format.is_empty() => ("-o", format),
            (_, Some(parts)) => parts,
            _ => (word, words.get(at + 1).map_or("", Word::known_start)),
        };
        let value = value.to_lowercase();
        let last = value
            .trim_end_matches(|char: char| !char.is_ascii_alphanumeric())
            .rsplit(|char: char| !char.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        let is_chosen = !last.is_empty() && !lists(WHOLE, last) && !value.contains("env");
        let is_option = lists(OPTIONS, option) || option == "-p" && words[0].is("show");
        lists(OTHERS, word) || is_option && is_chosen
    })
}
