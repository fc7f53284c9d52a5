//! Commands whose effect is known.

use hookkit_shell::programs::table::lists;
use hookkit_shell::{Command, Word};

use crate::table::{ASKED, BUILDS, EDITS, HELPFUL, READS, rows_of};

/// A command whose effect is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Known {
    /// Meaning of its operands, and of the values of its options.
    pub operands: Operands,
    /// Files of a project by whose settings the program runs others, or asks another server, and sends it a password: with one
    /// of them in the folder or above it the effect is another one. `.git` is a repository's own settings.
    pub settings: &'static [&'static str],
}

/// Meaning of the words behind a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operands {
    /// There are none; the values of options are names.
    None,
    /// Names of the service's own, which may look like paths: `/aws/lambda/x`.
    Names,
    /// Names that look like no path and no address.
    Words,
    /// Some of them may be files.
    Files,
}

/// Parts of words by which a command shows a secret.
const SECRETS: &[&str] = &[
    "credential", "credentials", "decryption", "password", "passwords", "token", "tokens",
];

/// Options that take several values.
const MULTIPLE: &[&str] = &[
    "--attribute-names", "--filters", "--ids", "--instance-ids", "--names", "--volume-ids",
];

/// Returns what is known of a command that for certain changes nothing.
///
/// All of its words are literal, its name has no path, and it is in the table with its first words and with all of its
/// options. It asks no server but the one that the user's own settings name, and what it shows is not a secret by its kind:
/// `aws secretsmanager get-secret-value` and `kubectl get secrets` are not reads here.
/// It may show what a service keeps elsewhere, as the variables of a container.
pub fn reads(command: &Command) -> Option<Known> {
    let words = literals(command)?;
    let name = command.name()?;
    let is_listed = || lists(ASKED, name) || rows_of(name).any(|row| lists(READS[row].names, name));
    if asks_itself(&words) && is_listed() || lists(HELPFUL, name) && asks_for_command(&words) {
        return Some(Known {
            operands: Operands::Names,
            settings: &[],
        });
    }
    known(command, &READS)
}

/// Returns what is known of a command that runs code of the project as its author meant it: a build, a test, a linter.
///
/// It writes what these write, and no more is known of it: a test can do anything.
pub fn builds(command: &Command) -> Option<Known> {
    known(command, &BUILDS)
}

/// Returns what is known of a command that edits the project's files by a formatter, or by a linter that fixes what it finds.
pub fn edits(command: &Command) -> Option<Known> {
    known(command, &EDITS)
}

fn known(command: &Command, rows: &[Row]) -> Option<Known> {
    let words = literals(command)?;
    let name = command.name()?;
    let row = rows_of(name)
        .map(|row| &rows[row])
        .find(|row| lists(row.names, name) && row.has(&words))?;
    Some(Known {
        operands: row.operands,
        settings: row.settings,
    })
}

fn literals(command: &Command) -> Option<Vec<&str>> {
    command.arguments().iter().map(Word::literal).collect()
}

/// Returns `true` if a program is asked what one of its commands can.
fn asks_for_command(words: &[&str]) -> bool {
    let is_command =
        |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') && !word.starts_with('-');
    match words {
        ["help"] => true,
        ["help", command] | [command, "--help"] => is_command(command),
        _ => false,
    }
}

/// Returns `true` if a program is asked what it is.
fn asks_itself(words: &[&str]) -> bool {
    matches!(words, ["-h" | "--help" | "-V" | "--version"])
}

/// A row of the table, for one effect.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) names: &'static str,
    pub(crate) before: &'static str,
    pub(crate) commands: &'static str,
    pub(crate) groups: &'static str,
    pub(crate) options: &'static str,
    /// Options that all rows of the effect have.
    pub(crate) common: &'static str,
    pub(crate) unless: &'static str,
    pub(crate) operands: Operands,
    pub(crate) settings: &'static [&'static str],
}

impl Row {
    pub(crate) const NONE: Self = Self {
        names: "",
        before: "",
        commands: "",
        groups: "",
        options: "",
        common: "",
        unless: "",
        operands: Operands::Names,
        settings: &[],
    };

    fn has(&self, words: &[&str]) -> bool {
        let is_refused = words.iter().any(|word| self.is_refused(word));
        !is_refused && self.commands.split('|').any(|command| self.matches(command, words))
    }

    /// Returns `true` if no command with such a word has the effect.
    fn is_refused(&self, word: &str) -> bool {
        let lower = word.to_ascii_lowercase();
        // What follows on `--` is for another program, a URL is another server, and `file:` is read and sent.
        let leads_away = word == "--" && !lists(self.options, word)
            || word.contains("://") && !["s3://", "gs://"].iter().any(|own| word.starts_with(own))
            || lower.contains("file:")
            || lower.contains("fileb:");
        let is_other = match self.operands {
            Operands::None | Operands::Names => false,
            Operands::Words => !word.starts_with('-') && !is_plain(word),
            // It holds further arguments.
            Operands::Files => word.starts_with('@'),
        };
        let mut unless = self.unless.split_whitespace();
        leads_away
            || is_other
            || SECRETS.iter().any(|secret| has_part(&lower, secret))
            || unless.any(|unless| self.is_ruled_out(unless, word, &lower))
    }

    /// Returns `true` if a word is one of those that an entry of `unless` means.
    fn is_ruled_out(&self, unless: &str, word: &str, lower: &str) -> bool {
        let name = word.split('=').next().unwrap_or(word);
        match unless {
            "//" => word.matches('/').count() > 1,
            "@:" => word.split_once('@').is_some_and(|(_, host)| host.contains(':')),
            "./" => is_address(word),
            option if option.starts_with("--") => {
                name == option || name.len() > 2 && option.starts_with(name) && !self.is_listed(name)
            }
            text => {
                if let Some(text) = text.strip_prefix('*') {
                    lower.contains(text)
                } else if let Some(text) = text.strip_prefix('~') {
                    has_part(lower, text)
                } else if let Some(start) = text.strip_suffix('*') {
                    lower.starts_with(start)
                } else {
                    name == text || lower.split(['/', ',', '=', '.', ':']).any(|part| part == text)
                }
            }
        }
    }

    /// Returns `true` if a command begins with the words of a pattern, and has no option that is not known.
    fn matches(&self, pattern: &str, words: &[&str]) -> bool {
        let mut rest = words;
        for wanted in pattern.split_whitespace() {
            let is = |word: &str| wanted.split('/').any(|wanted| is_word(word, wanted));
            let is_here = rest.first().is_some_and(|word| is(word));
            if !is_here && !wanted.starts_with('-') && !self.skip_options(&mut rest) {
                return false;
            }
            if wanted == "$" {
                return rest.is_empty();
            }
            if wanted == "**" {
                self.skip_groups(&mut rest);
                continue;
            }
            let Some((word, behind)) = rest.split_first() else {
                return false;
            };
            if !is(word) {
                return false;
            }
            rest = behind;
        }
        let are_known = (rest.iter()).all(|word| !word.starts_with('-') || *word == "-" || self.knows(word));
        are_known && (self.operands != Operands::None || are_values(rest))
    }

    /// Leaves out the options before a command; `false` where one of them is not known.
    fn skip_options(&self, rest: &mut &[&str]) -> bool {
        while let Some((option, behind)) = rest.split_first().filter(|(word, _)| word.starts_with('-')) {
            let name = option.split('=').next().unwrap_or(option);
            // `-j8` has its value with it.
            let letter = name.trim_end_matches(|char: char| char.is_ascii_digit());
            let name = if letter.len() == 2 { letter } else { name };
            let mut before = self.before.split(' ');
            let Some(known) = before.find(|known| known.trim_end_matches(':') == name) else {
                return false;
            };
            let is_apart = known.ends_with(':') && name.len() == option.len();
            *rest = behind.get(usize::from(is_apart)..).unwrap_or_default();
        }
        true
    }

    /// Leaves out the names of groups; without a list of them all words but the last before the first option.
    fn skip_groups(&self, rest: &mut &[&str]) {
        if self.groups.is_empty() {
            let words = rest.iter().take_while(|word| !word.starts_with('-')).count();
            *rest = &rest[words.saturating_sub(1)..];
        }
        while self.skip_options(rest)
            && let Some((_, behind)) = rest.split_first().filter(|(word, _)| lists(self.groups, word))
        {
            *rest = behind;
        }
    }

    fn knows(&self, option: &str) -> bool {
        let name = option.split('=').next().unwrap_or(option);
        if self.options == "*" || self.is_listed(name) {
            return true;
        }
        // `-n5` is an option with its value, and `-la` are two.
        let letters = option.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        letters.is_some_and(|letters| {
            let (_, value) = letters.split_at(letters.chars().next().map_or(0, char::len_utf8));
            letters.chars().all(|letter| self.is_listed(&format!("-{letter}")))
                || value.bytes().all(|byte| byte.is_ascii_digit())
                    && self.is_listed(&option[..option.len() - value.len()])
        })
    }

    fn is_listed(&self, option: &str) -> bool {
        let mut before = self.before.split(' ').map(|option| option.trim_end_matches(':'));
        lists(self.options, option) || lists(self.common, option) || before.any(|known| known == option)
    }
}

/// Returns `true` if a text is a part of a word in lowercase, between any signs.
fn has_part(word: &str, text: &str) -> bool {
    word.split(|char: char| !char.is_ascii_alphanumeric())
        .any(|part| part == text)
}

/// Returns `true` if a word is the one of a pattern, or begins with it.
fn is_word(word: &str, wanted: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some("") => !word.starts_with('-'),
        Some(start) => word.starts_with(start),
        None => word == wanted,
    }
}

/// Returns `true` for a path whose first name is of a machine, but for those where images are kept.
fn is_address(word: &str) -> bool {
    let value = word.split_once('=').map_or(word, |(_, value)| value);
    let host = value.split_once('/').map_or("", |(host, _)| host);
    host.contains('.')
        && !["gcr.io", ".pkg.dev", ".googleapis.com"]
            .iter()
            .any(|own| host.ends_with(own))
}

/// Returns `true` for a name that is not a path or an address. That of a package may begin with its owner: `@types/node`.
fn is_plain(word: &str) -> bool {
    let name = match word.strip_prefix('@') {
        Some(owned) => owned.split_once('/').map_or("/", |(_, name)| name),
        None => word,
    };
    !name.contains(['/', ':', '\\', '~']) && !name.starts_with(['.', '@'])
}

/// Returns `true` if each word is an option or the value of one: another one may be a file that is written.
fn are_values(words: &[&str]) -> bool {
    let mut may_follow = 0;
    words.iter().all(|word| {
        if word.starts_with("--") || word.starts_with('-') && word.len() > 1 {
            may_follow = match *word {
                _ if word.starts_with("--no-") || word.contains('=') => 0,
                _ if MULTIPLE.contains(word) => usize::MAX,
                _ => 1,
            };
            return true;
        }
        let is_value = may_follow > 0;
        may_follow = may_follow.saturating_sub(1);
        is_value
    })
}

#[cfg(test)]
mod tests;
