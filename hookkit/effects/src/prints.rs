//! Commands that print the secrets of services, password managers and keychains.

use hookkit_secrets::files::names_secret;
use hookkit_shell::programs::table::{Table, lists};
use hookkit_shell::programs::text::{self, after_last};
use hookkit_shell::{Command, Word};

/// Commands that print a secret. A row has the words of a command, in order: `a|b` is one of two words, and `*x` a word that
/// contains this text. After `^` come the first words, `?` is the name of a secret, and after `$` only options follow. With
/// `~` the command prints the variables of a service, unless a format or a query selects other parts; `%` is for Kubernetes
/// objects that may have some.
static PRINTS: Table<256> = Table::new(include_str!("prints.txt"));

/// Subcommands of `pass` and `gopass`: any other word is the name of an entry.
const OF_PASS: &str = "age agent alias audit cat clone completion config copy cp create delete edit env find fscopy \
    fsmove fsck generate git git-credential gpg grep help history init insert link list ln ls mounts move mv new otp \
    process rcs recipients remove rename reorg rm search set setup show sum sync templates totp unclip update version";

/// Kinds of Kubernetes objects without variables and their values. All other kinds may have them, such as an operator's
/// own kinds.
const KINDS: &str = "clusterrole clusterrolebinding crd customresourcedefinition endpoint ep ev event hpa ing ingress \
    ingresses ingressclasses lease managedcertificate namespace netpol networkpolicies no node ns pdb persistentvolume \
    persistentvolumeclaim pv pvc quota role rolebinding sa sc service serviceaccount storageclasses svc";

/// Endings of the names of fields without secrets, in lowercase.
const FIELDS: &str = "address arn cmd command condition count cpu date description digest edat error event exitcode handler \
    health host id image ip kind label memory message mode modified mount name network number path phase policy port ready \
    reason region replica revision role running size state status tag time timeout timestamp type uri url user version zone node";

/// Other words of formats and templates.
const WORDS: &str = "csv custom-columns end go-template json jsonpath n no-heading println range t table";

/// Returns `true` for a command that prints a secret: as its purpose, like `op read`, or among other output, like a command
/// that prints the variables of a service.
///
/// Only the programs in the table are covered. The rest of the line is ignored, even if it hides the secret.
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
    // These write a file, or show it to the user alone.
    let is_other = |word: &Word| {
        let is_short = word.is("-c") && lists("gopass lpass pass", program);
        let is_file = lists("-o --output", word.known_start()) && lists("age gpg gpg2 rage", program);
        is_short || is_file || word.is("--clip --help --set")
    };
    // With only the name of an entry, these show it.
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
            match wanted {
                // In a script, another program gets the output.
                "$" => return parts.iter().take_while(|part| **part != "|").all(|part| part.starts_with('-')),
                "%" => return has_other_kinds(words),
                _ => {}
            }
            let at = parts.iter().position(|part| is_part(part, wanted));
            parts = &parts[at.map_or(parts.len(), |at| at + 1)..];
            at.is_some_and(|at| at == 0 || !is_first)
        });
        has_all && !(is_whole && chooses(words))
    };
    !parts.iter().take(3).any(|part| lists("delete import set upload", part)) && rules.any(has)
}

/// Splits a word: an option into its name and value, a name into its parts (`secret/app`, `pods,svc`).
fn parts(word: &str) -> Vec<&str> {
    match (of_output(word), word.split_once('=')) {
        (Some(format), _) => vec!["-o", format],
        (_, Some((option, value))) if word.starts_with('-') => vec![option, value],
        _ if word.starts_with('-') => vec![word],
        _ => word.split(['/', ',', ' ']).collect(),
    }
}

/// Returns the value of an output option in a word, also after flags: `-ojson`, `-Ao`, `--output=json`.
fn of_output(word: &str) -> Option<&str> {
    let letters = || word.strip_prefix('-')?.trim_start_matches(['A', 'R', 'w']).strip_prefix('o');
    let value = word.strip_prefix("--output").or_else(letters)?;
    Some(value.strip_prefix('=').unwrap_or(value))
}

/// Returns `true` if a part is one of the wanted words, or contains the text after a `*`. `?` means any name of a
/// secret.
fn is_part(part: &str, wanted: &str) -> bool {
    wanted.split('|').any(|wanted| match wanted.strip_prefix('*') {
        Some(text) => part.contains(text),
        None => part == wanted || wanted == "?" && names_secret(part),
    })
}

/// Returns `true` if a command names Kubernetes objects of kinds outside [`KINDS`]: `pods`, `svc,deploy`, `pod/web`.
fn has_other_kinds(words: &[Word]) -> bool {
    const ALONE: &str = "-A -R -w --all-namespaces --no-headers --show-labels --watch";
    let verb = words.iter().position(|word| word.is("describe get")).unwrap_or_default();
    let words = &words[verb..];
    let is_operand = |pair: &&[Word]| {
        let before = &pair[0];
        !pair[1].is_option() && (!before.is_option() || before.is(ALONE) || before.known_start().contains('='))
    };
    let is_other = |pair: &[Word]| {
        pair[1].known_start().split(',').any(|kind| {
            let kind = singular(kind.split(['/', '.']).next().unwrap_or_default());
            // For a secret, `describe` only shows sizes.
            !KINDS.split(' ').any(|known| singular(known) == kind) && (kind != "secret" || !words[0].is("describe"))
        })
    };
    let mut operands = words.windows(2).filter(is_operand);
    // Names follow the first operand, or kinds with names.
    operands.next().is_none_or(is_other) || operands.any(|pair| pair[1].known_start().contains('/') && is_other(pair))
}

fn singular(word: &str) -> &str {
    word.trim_end_matches('s')
}

/// Returns `true` if a command only shows harmless parts. Most programs use the last value of a repeated option, so each value
/// has to be harmless.
fn chooses(words: &[Word]) -> bool {
    const OTHERS: &str = "--hash --images --networks --profiles --quiet --services --volumes -q";
    let is_chosen = |option: &&str| {
        let mut values = (0..words.len()).filter_map(|at| value_of(option, words, at)).peekable();
        values.peek().is_some() && values.all(|value| is_harmless(option, value))
    };
    words.iter().any(|word| lists(OTHERS, word.known_start()))
        || ["--format", "--jq", "--output", "--property", "--query", "--template"].iter().any(is_chosen)
}

/// Returns the value of an option in a word: the option in full, shortened, or as its letter.
fn value_of<'w>(option: &str, words: &'w [Word], at: usize) -> Option<&'w str> {
    let word = words[at].known_start();
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    let letter = match option {
        "--format" => word.strip_prefix("-f"),
        "--property" if words[0].is("show") => word.strip_prefix("-p"),
        "--output" if !word.starts_with("--") => of_output(word),
        _ => None,
    };
    let is_named = name.len() > 2 && option.starts_with(name);
    let value = if is_named { value } else { letter?.trim_start_matches('=') };
    let is_apart = value.is_empty() && !word.ends_with('=');
    Some(if is_apart { words.get(at + 1).map_or("", Word::known_start) } else { value })
}

/// Returns `true` for a value of an output option that makes a command print only [`FIELDS`].
fn is_harmless(option: &str, value: &str) -> bool {
    let value = value.to_lowercase();
    let is_format = lists("--format --output --template", option);
    let is_data = |part: &str| lists("binarydata data stringdata", part);
    match option {
        "--output" if lists("name wide", &value) => return true,
        _ if value.contains("env") || text::parts(&value, "").any(is_data) => {
            return false;
        }
        // Its values say nothing; names of variables say what they are.
        "--property" => return !value.is_empty(),
        // `json` and the like show everything.
        _ if is_format && !value.contains(['(', '{', ':']) => return false,
        _ => {}
    }
    // A selection of a list's elements: `[*]`, `[0]`, `[?name=='x']`.
    let is_choice = |text: &str| text.starts_with(|char: char| "*?]-:".contains(char) || char.is_ascii_digit());
    let without_choice = |part| match str::split_once(part, '[') {
        Some((before, inner)) if is_choice(inner) => before,
        _ => part,
    };
    let value: String =
        value.replace("range .items", "").replace("value(", "").split_inclusive(']').map(without_choice).collect();
    let fields = value.split(|char: char| !char.is_alphanumeric() && !"_-.$@*".contains(char));
    // After a dot at the end come several fields.
    let is_field = |field: &&str| {
        let is_word = is_format && lists(WORDS, field);
        !is_word && !field.is_empty() && (*field == "." || !field.ends_with('.'))
    };
    let mut fields = fields.filter(is_field).map(|field| singular(after_last(field, '.'))).peekable();
    fields.peek().is_some() && fields.all(|field| FIELDS.split(' ').any(|end| field.ends_with(singular(end))))
}
