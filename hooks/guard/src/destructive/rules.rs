//! Rules on the words of commands for services, databases and the machine itself.

mod tasks;

use crate::prelude::*;

use super::behind::quoted;
use super::services::is_local;

/// Words with which programs destroy something, and the effect. The guard asks about a command if all words are among
/// its arguments, each in one of its spellings. After `dry` come options with which the program does nothing.
static RULES: Table<512> = Table::new(include_str!("rules/rules.txt"));

type Rule = (&'static str, &'static str);

fn rules(rows: impl Iterator<Item = Row>) -> impl Iterator<Item = Rule> {
    rows.flat_map(|row| row.text.lines()).filter_map(|line| line.trim_start().split_once(": "))
}

/// Returns the loss caused by a git command with this name, these options and this first operand.
pub(super) fn of_git<'w>(name: &str, has: impl Fn(&str) -> bool, first: impl Fn() -> &'w str) -> Option<&'static str> {
    let fits = |(wanted, _): &Rule| {
        let fits_one = |one: &str| if one.starts_with('-') { has(one) } else { one == first() };
        wanted.split(' ').all(|wanted| wanted.split('|').any(fits_one))
    };
    rules(RULES.rows_of_command("git", name)).find(fits).map(|(_, what)| what)
}

/// Options with which programs do nothing.
const DRY: &str = "--dry-run --help";

/// Returns `true` for an option, or a word, with which a program does nothing: one of [`DRY`] or of these rules.
fn is_dry(own: &[Rule], word: &str) -> bool {
    let (option, value) = word.split_once('=').unwrap_or((word, "true"));
    let is_own = own.iter().any(|(_, options)| lists(options, option));
    (lists(DRY, option) || is_own) && lists("1 client server true", value)
}

/// Programs whose first verb decides; names follow the verb.
const GO_BY_VERB: &str =
    "aws cdk docker finch gcloud gh helm k kubectl nerdctl oc podman pulumi systemctl terraform tofu";

/// Returns the danger found in a command's words.
pub(super) fn destroy(command: &Command) -> Option<Found> {
    started(command).into_iter().find_map(|(program, words)| by_words(command, program, words))
}

fn by_words(command: &Command, program: &str, words: &[Word]) -> Option<Found> {
    let (dry, rules): (Vec<Rule>, Vec<Rule>) = rules(RULES.rows(program)).partition(|(wanted, _)| *wanted == "dry");
    if rules.is_empty() && !tasks::runs(program) && !lists(PACKAGERS, program)
        || tasks::are_of_tests(command, program, words)
        || is_local(command)
        || lists("dropdb mysqladmin", program) && is_test_database(words)
    {
        return None;
    }
    let ask = |what: &str| Asked(format!("`{}` {what}", readable(command)));
    let literals = || words.iter().filter_map(Word::literal);
    if lists("redis-cli valkey-cli", program) {
        let quoted = literals().flat_map(quoted);
        let lines = command.input().and_then(Word::literal).into_iter().flat_map(str::lines);
        let texts = quoted.chain(lines).map(|text| shell::analyze(&format!("redis {text}")));
        let of_texts = || texts.into_iter().find_map(|text| of_redis(&rules, text.commands().first()?.arguments()));
        return of_redis(&rules, words).or_else(of_texts).map(ask);
    }
    let alone = match words {
        [word] => word.literal(),
        _ => None,
    };
    let calls_off = program == "shutdown" && matches!(alone, Some("-a" | "-c" | "/a" | "//a"));
    let is_help = program == "aws" && matches!(words, [_, _, last] if last.is("help"));
    if calls_off || is_help || literals().any(|word| is_dry(&dry, word)) {
        return None;
    }
    let mut verbs: Vec<&str> = if lists(GO_BY_VERB, program) {
        effects::verbs(program, words).filter_map(Word::literal).collect()
    } else {
        literals().collect()
    };
    // The words may be in a JSON text, or follow another assignment.
    if lists("ansible aws", program) {
        verbs.extend(literals().flat_map(|text| quoted(text).chain(text.split(' ').skip(1))));
    }
    let fits_one = |alternatives: &str, text: &str| alternatives.split('|').any(|wanted| fits(wanted, text));
    // Options may be anywhere, all other words are in order.
    let has_all = |(wanted, _): &&Rule| {
        let mut verbs = verbs.iter();
        wanted.split_whitespace().all(|wanted| {
            if wanted.starts_with('-') {
                literals().any(|word| fits_one(wanted, word))
            } else {
                verbs.any(|word| fits_one(wanted, word))
            }
        })
    };
    rules
        .iter()
        .find(has_all)
        .map(|(_, what)| *what)
        .or_else(|| tasks::empties(program, words).then_some("empties or deletes a database"))
        .or_else(|| purges_server(program, words).then_some("deletes a database with its program"))
        .map(ask)
}

/// Returns `true` if the arguments name a test or scratch database: `shop_test`, `scratch_$$`.
pub(super) fn is_test_database(words: &[Word]) -> bool {
    const VALUED: &str = "--host --port --user --username -P -U -c -e -h -p -u";
    const NAMED: &str = "--database --dbname -D -d";
    // A defaults file may name another database.
    if words.iter().any(|word| word.known_start().starts_with("--def")) {
        return false;
    }
    let (mut names, mut before) = (Vec::new(), "");
    // `drop` is a verb of mysqladmin.
    for word in words.iter().filter(|word| !word.is("drop")) {
        let text = word.known_start();
        let mut starts = ["--database=", "--dbname=", "-D", "-d"].into_iter();
        let attached = starts.find_map(|start| text.strip_prefix(start)).filter(|name| !name.is_empty());
        if attached.is_some() || lists(NAMED, before) || !word.is_option() && !lists(VALUED, before) {
            names.push(attached.unwrap_or(text));
        }
        // A value is not an option.
        before = if lists(VALUED, before) { "" } else { text };
    }
    let [name] = names[..] else { return false };
    // An address holds the name of a machine, too.
    let name = match name.split_once("://") {
        Some((_, address)) => up_to(address, '?').split('/').nth(1).unwrap_or_default(),
        None => name,
    };
    let mut parts = name.split(['_', '-', '.']).filter(|_| !name.contains(['/', ':', '=']));
    parts.any(|part| lists("scratch test testing tests tmp", part))
}

/// Package managers without a separate verb to delete a program's data.
const PACKAGERS: &str = "apk dnf microdnf pacman yum zypper";

/// Returns `true` if a package manager would delete a database's server with its data.
fn purges_server(program: &str, words: &[Word]) -> bool {
    const SERVERS: &str = "clickhouse couchdb default-mysql elasticsearch influxdb mariadb mongodb mysql percona postgresql \
    redis slapd";
    const OTHERS: &str = "-client -dev -doc -tools";
    let is_removal = |word: &Word| {
        word.literal().is_some_and(|word| {
            lists("autoremove del erase purge remove uninstall", word) || program == "pacman" && word.starts_with("-R")
        })
    };
    let is_server = |word: &Word| {
        let name = word.known_start();
        begins(SERVERS, name) && !holds(OTHERS, name)
    };
    let takes_away = match program {
        // Without this word they keep the data.
        "apt" | "apt-get" | "aptitude" | "dpkg" | "nala" => words.iter().any(|word| word.is("purge --purge -P")),
        _ => lists(PACKAGERS, program) && words.iter().any(is_removal),
    };
    takes_away && words.iter().any(is_server)
}

/// Returns `true` if a word of a command matches a word of a rule.
fn fits(wanted: &str, text: &str) -> bool {
    if wanted.starts_with('-') {
        let is_long = wanted.starts_with("--") && text.starts_with("--");
        let text = match text.split_once('=') {
            Some((option, _)) if is_long => option,
            _ => text.strip_suffix("=true").unwrap_or(text),
        };
        // One dash or two.
        return text == wanted || wanted.len() > 2 && text.starts_with("--") && &text[1..] == wanted;
    }
    // Git Bash turns a single slash into a path.
    let text = if text.starts_with("//") { &text[1..] } else { text };
    let begins = text.get(..wanted.len()).is_some_and(|start| start.eq_ignore_ascii_case(wanted));
    // A task may have a further part: `db:schema:load:primary`.
    begins && (text.len() == wanted.len() || wanted.contains(':') && text.as_bytes()[wanted.len()] == b':')
}

/// Returns the effect of a Redis command: the first word that is certainly neither an option nor its value.
fn of_redis(rules: &[Rule], words: &[Word]) -> Option<&'static str> {
    const FLAGS: &str = "-2 -3 -4 -6 -c -e -x --csv --insecure --json --no-auth-warning --no-raw --raw --tls";
    let mut may_be_value = false;
    for (at, word) in words.iter().enumerate() {
        let is_value = std::mem::take(&mut may_be_value);
        let text = word.known_start();
        if text.starts_with('-') || word.literal().is_none() {
            may_be_value = !lists(FLAGS, text);
            continue;
        }
        let begins = |(wanted, _): &&Rule| {
            wanted.split(' ').zip(at..).all(|(wanted, at)| {
                let text = words.get(at).and_then(Word::literal);
                text.is_some_and(|text| text.eq_ignore_ascii_case(wanted))
            })
        };
        let rule = rules.iter().find(begins);
        if rule.is_some() || !is_value {
            return rule.map(|(_, what)| *what);
        }
    }
    None
}

/// Returns the programs with rules that a command may start, with their arguments: the command's own, a module of Python, and a
/// package or a script that a runner starts.
fn started(command: &Command) -> Vec<(&str, &[Word])> {
    /// Maximum number of a runner's words to try.
    const MOST: usize = 8;
    let words = command.arguments();
    let Some(program) = command.program() else {
        return Vec::new();
    };
    let program = program.strip_suffix(".exe").unwrap_or(program);
    let is_python = program.starts_with("python");
    let (most, is_package) = match program {
        "bun" | "dotenv" | "dotenvx" | "env-cmd" | "npx" | "pnpm" | "spring" | "yarn" => (MOST, true),
        "heroku" | "php" | "sail" | "symfony" => (MOST, false),
        // A toolchain may come first.
        "cargo" => (2, false),
        _ if is_python => (MOST, false),
        _ => (0, false),
    };
    let inner = words.iter().take(most).enumerate().filter_map(|(at, word)| {
        let name = up_to(base(word.literal()?), '@');
        let is_module = || is_python && at > 0 && words[at - 1].is("-m");
        (is_package || tasks::runs(name) || is_module()).then_some((name, &words[at + 1..]))
    });
    std::iter::once((up_to(program, '@'), words)).chain(inner).collect()
}
