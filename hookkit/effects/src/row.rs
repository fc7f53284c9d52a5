//! Rows of the table of effects.

use hookkit_shell::programs::table::{Table, ends, lists};
use hookkit_shell::programs::text::{self, up_to};
use hookkit_shell::{Command, ExpansionKind, Part, Word};

/// Effects of commands. A command has an effect only if its first words, all of its options and the form of its other words
/// are in the row. Unless the row says otherwise, the other words may be files, which a hook that approves the command has to
/// check.
///
/// Each row is for programs of one kind; a program may have several rows. Blanks separate the words in the parts of a
/// row:
///
/// - `[reads]` are commands that change nothing, `[builds]` commands that run code of the project (its tests, its
///   build, its linters), `[edits]` commands that edit files of the project. `|` separates commands. A command is given
///   by its first words: `a/b` matches either word, `x*` a word that begins with `x`, `*` any word, and `**` the names
///   of groups. After `$`, only options of `[before]` follow. Without words, all commands have the effect.
/// - `[before]`: options before the command and between its words; an option with a value ends in `:`.
/// - `[options]`: further options. `-it` are options with one letter each; with `-*`, each word is one option. `+` are the
///   options of [`COMMON`] or [`COMMON_OF_TOOLS`], and `*` is any option.
/// - `[needs]`: options; one of them must come before the first operand.
/// - `[groups]`: names of groups; without them, all words before the last one are groups.
/// - `[unless]`: words that exclude the effect. `x` is a word or a part of one between `/,=.:`, `~x` a part between any
///   punctuation, `x*` a beginning, `*x` any part, `//` two slashes, `@:` a colon after an `@`, `./` a machine's name
///   before a slash, `-x` a letter of an option, `--x` an option, which may be shortened.
/// - `[words]`: the meaning of all other words; by default they are files, or patterns of file names, and in rows with `+`
///   the `names` of `[reads]` and the `arguments` of the others. `file`: at most one file,
///   since a second one may be written. `revisions`: files, and revisions of a repository. `arguments`: files, for a tool that
///   may read further arguments from one (`@file`), or contact a server. `names`: names in the service. `plain`: names that
///   look like neither a path nor an address. `none`: only values of options, and words listed here. `printed`: texts.
/// - `[settings]`: see [`Known::settings`].
/// - `[asked]`: with only `--version` or `--help`, the program prints its version or help; `[helpful]`: with `--help`
///   after a command, it prints the command's help; with `*`, also after several words.
pub(crate) static TABLE: Table<2048> = Table::new(include_str!("table.txt"));

/// A command whose effect is certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Known {
    /// Meaning of its operands, and of the values of its options.
    pub operands: Operands,
    /// Number of words that name the command, before its operands: 2 for `git stash list`.
    pub words: usize,
    pub(crate) settings: &'static str,
}

impl Known {
    /// Returns files of a project whose settings can make the program run other programs, or send a password to another
    /// server. With one of them in the folder or above it, the effect is uncertain. `.git` means a repository's own
    /// settings.
    pub fn settings(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.settings.split_ascii_whitespace()
    }
}

/// Meaning of the words after a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operands {
    /// Names and plain text. They may look like paths: `/aws/lambda/x`.
    Names,
    /// Words that may be files.
    Files,
    /// Text that is printed. The shell may expand parts of it.
    Printed,
}

/// Options that only choose a reading command's output and its form: they write and start nothing.
const COMMON: &str = "-ahlqv --all --all-namespaces --color --columns --count --depth --filter --filters --format \
    --help --id --json --kind --label --labels --limit --long --name --names --namespace --no-color --no-headers \
    --no-pager --no-trunc --page --page-size --per-page --project --query --quiet --region --selector --short \
    --show-labels --since --size --sort --sort-by --state --status --tail --timestamps --type --until --verbose --wide \
    --zone";

/// Options of build tools that only choose the output: they write and start nothing else.
const COMMON_OF_TOOLS: &str = "-hqv --color --help --no-color --quiet --verbose";

/// Parts of words that show that a command prints a secret.
const SECRETS: &str = "credential credentials decryption password passwords token tokens";

/// Options with several values.
const MULTIPLE: &str = "--attribute-names --filters --ids --instance-ids --names --volume-ids";

/// Returns the parts of a row, each with its words.
pub(crate) fn parts(row: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    row.split('[').filter_map(|part| part.split_once(']')).map(|(name, words)| (name, words.trim()))
}

/// A row, for one effect.
#[derive(Default)]
pub(crate) struct Row {
    commands: &'static str,
    before: &'static str,
    options: &'static str,
    /// Options allowed in all rows with the effect.
    common: &'static str,
    needs: &'static str,
    groups: &'static str,
    unless: &'static str,
    settings: &'static str,
    form: &'static str,
    /// Words allowed in the form `none`.
    listed: &'static str,
    may_expand: bool,
}

impl Row {
    /// Returns a row if one of its commands has the effect and may begin with a word.
    pub(crate) fn of(text: &'static str, effect: &str, first: Option<&str>) -> Option<Self> {
        let mut row = Self::default();
        let mut commands = None;
        for (name, words) in parts(text) {
            match name {
                _ if name == effect => commands = Some(words).filter(|words| may_begin(words, first)),
                "reads" | "builds" | "edits" => {}
                // Effects come first.
                _ if commands.is_none() => return None,
                "before" => row.before = words,
                "options" => row.options = words,
                "needs" => row.needs = words,
                "groups" => row.groups = words,
                "unless" => row.unless = words,
                "settings" => row.settings = words,
                "words" => {
                    (row.form, row.listed) = words.split_once(' ').unwrap_or((words, ""));
                }
                _ => {}
            }
        }
        row.commands = commands?;
        let is_read = effect == "reads";
        row.may_expand = is_read && row.unless.is_empty();
        let (common, form) = match row.options.starts_with('+') {
            true if is_read => (COMMON, "names"),
            true => (COMMON_OF_TOOLS, "arguments"),
            false => ("", ""),
        };
        row.common = common;
        if row.form.is_empty() {
            row.form = form;
        }
        Some(row)
    }

    pub(crate) fn known(&self, command: &Command) -> Option<Known> {
        let words: Vec<&str> = command.arguments().iter().map(|word| self.text(word)).collect::<Option<_>>()?;
        let command = self.commands.split('|').find_map(|command| self.matches(command, &words))?;
        Some(Known {
            words: command,
            operands: match self.form {
                "names" | "plain" | "none" => Operands::Names,
                "printed" => Operands::Printed,
                _ => Operands::Files,
            },
            settings: self.settings,
        })
    }

    /// Returns the literal prefix of a word that the row allows.
    fn text<'w>(&self, word: &'w Word) -> Option<&'w str> {
        let is_of_pattern =
            |kind| matches!(kind, ExpansionKind::Arguments | ExpansionKind::Bracket | ExpansionKind::Glob);
        let start = word.known_start();
        let is_known = word.literal().is_some()
            || match self.form {
                "printed" => true,
                // A pattern may find a file whose name is an option.
                "" if self.may_expand && word.parts.iter().filter_map(Part::kind).all(is_of_pattern) => {
                    let is_inserted = word.parts.first().is_some_and(|part| part.is(ExpansionKind::Arguments));
                    self.options == "*" || is_inserted || !start.is_empty() && !start.starts_with('-')
                }
                _ => false,
            };
        is_known.then_some(start)
    }

    /// Returns `true` if a word excludes the effect, for all commands of the row.
    fn is_refused(&self, word: &str) -> bool {
        let lower = word.to_ascii_lowercase();
        let is_other = match self.form {
            "" | "file" | "revisions" | "printed" => false,
            // Words after `--` are for another program, a URL is another server, and a `file:` is read and sent.
            form => {
                word == "--" && !self.is_listed(word)
                    || word.contains("://") && !is_own(word)
                    || lower.contains("file:")
                    || lower.contains("fileb:")
                    || SECRETS.split(' ').any(|secret| has_part(&lower, secret))
                    || form == "arguments" && word.starts_with('@')
                    || form == "plain" && !word.starts_with('-') && !is_plain(word)
            }
        };
        let mut unless = self.unless.split_ascii_whitespace();
        is_other || !is_own(word) && unless.any(|unless| self.is_ruled_out(unless, word, &lower))
    }

    /// Returns `true` if a word matches an entry of `[unless]`.
    fn is_ruled_out(&self, unless: &str, word: &str, lower: &str) -> bool {
        let name = up_to(word, '=');
        match unless {
            "//" => word.matches('/').count() > 1,
            "@:" => word.split_once('@').is_some_and(|(_, host)| host.contains(':')),
            "./" => is_address(word),
            option if option.starts_with("--") => {
                name == option || name.len() > 2 && option.starts_with(name) && !self.is_listed(name)
            }
            letter if letter.len() == 2 && letter.starts_with('-') => text::letters(word).contains(&letter[1..]),
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

    /// Returns the number of words that name the command, if it begins with the words of a pattern and all its other
    /// words are allowed.
    fn matches(&self, pattern: &str, words: &[&str]) -> Option<usize> {
        let (mut rest, mut names) = (words, 0);
        for wanted in pattern.split_ascii_whitespace() {
            let is_before = |word: &&str| is_option(word) && !wanted.starts_with('-') && !is_one_of(word, wanted);
            if rest.first().is_some_and(is_before) && !self.skip_options(&mut rest) {
                return None;
            }
            match (wanted, rest) {
                ("$", []) => break,
                ("$", _) => return None,
                ("**", _) => self.skip_groups(&mut rest),
                (_, [word, behind @ ..]) if is_one_of(word, wanted) => {
                    rest = behind;
                    names += usize::from(!wanted.contains('*') && names + 1 + rest.len() == words.len());
                }
                _ => return None,
            }
        }
        // After the first operand, some programs treat options as names.
        let operand = self.operands(rest).next().map(str::as_ptr);
        let mut leading = rest
            .iter()
            .take_while(|word| Some(word.as_ptr()) != operand && **word != "--")
            .filter(|word| is_option(word));
        let fits = !words[names..].iter().any(|word| self.is_refused(word))
            && rest.iter().all(|word| !is_option(word) || self.knows(word))
            && (self.needs.is_empty() || leading.any(|word| self.is_needed(word)))
            && match self.form {
                "none" => self
                    .operands(rest)
                    .all(|word| self.listed.split_ascii_whitespace().any(|listed| is_word(word, listed))),
                "file" => self.operands(rest).count() <= 1,
                _ => true,
            };
        fits.then_some(names)
    }

    /// Skips the options before a command; returns `false` if one of them is not in the row.
    fn skip_options(&self, rest: &mut &[&str]) -> bool {
        while let Some((option, behind)) = rest.split_first().filter(|(word, _)| word.starts_with('-')) {
            let name = up_to(option, '=');
            // `-j8` includes its value.
            let letter = name.trim_end_matches(|char: char| char.is_ascii_digit());
            let name = if letter.len() == 2 { letter } else { name };
            let mut before = self.before.split_ascii_whitespace();
            let Some(known) = before.find(|known| known.trim_end_matches(':') == name) else {
                return false;
            };
            let is_apart = known.ends_with(':') && name.len() == option.len();
            *rest = behind.get(usize::from(is_apart)..).unwrap_or_default();
        }
        true
    }

    /// Skips group names; without a list, skips all but the last word before the first option.
    fn skip_groups(&self, rest: &mut &[&str]) {
        if self.groups.is_empty() {
            *rest = &rest[rest.iter().take_while(|word| !word.starts_with('-')).count().saturating_sub(1)..];
        }

        let is_group = |word: &str| self.groups.split_ascii_whitespace().any(|group| group == word);
        while self.skip_options(rest)
            && let Some((_, behind)) = rest.split_first().filter(|(word, _)| is_group(word))
        {
            *rest = behind;
        }
    }

    fn knows(&self, option: &str) -> bool {
        let name = up_to(option, '=');
        let are_letters = || {
            // Text after another `-` may turn the letters off.
            let letters = name.strip_prefix('-').filter(|letters| !letters.contains('-'))?;
            let mut letters = letters.chars().filter(|char| char.is_alphabetic());
            Some(letters.all(|letter| self.letters(letter).is_some()))
        };
        self.options == "*"
            || option == "--"
            || self.is_listed(name)
            || !self.has_one_dash() && are_letters() == Some(true)
    }

    fn is_needed(&self, option: &str) -> bool {
        let is_letter = |needed: &str| needed.len() == 2 && !option.starts_with("--") && option.contains(&needed[1..]);
        self.needs.split_ascii_whitespace().any(|needed| up_to(option, '=') == needed || is_letter(needed))
    }

    /// Returns `true` if options of several letters have one dash.
    fn has_one_dash(&self) -> bool {
        self.options.split_ascii_whitespace().any(|option| option == "-*")
    }

    fn is_listed(&self, option: &str) -> bool {
        self.listed_option(option).is_some()
    }

    /// Returns an option as the row lists it: with a colon if it takes a value.
    fn listed_option(&self, option: &str) -> Option<&'static str> {
        let mut options = [self.options, self.common, self.before].into_iter().flat_map(str::split_ascii_whitespace);
        options.find(|listed| listed.trim_end_matches(':') == option)
    }

    /// Returns the row's group of letters that contains `letter`.
    fn letters(&self, letter: char) -> Option<&'static str> {
        [self.options, self.common]
            .into_iter()
            .flat_map(str::split_ascii_whitespace)
            .find(|list| !list.starts_with("--") && list.starts_with('-') && list.contains(letter))
    }

    /// Returns the words that are neither options nor values of options.
    fn operands<'a>(&self, words: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
        let mut values = 0_usize;
        words.iter().copied().filter(move |word| {
            if is_option(word) && matches!(values, 0 | usize::MAX) {
                values = self.values(word);
                return false;
            }
            let is_operand = values == 0;
            if values < usize::MAX {
                values = values.saturating_sub(1);
            }
            is_operand
        })
    }

    /// Returns the number of words after an option that are its values.
    fn values(&self, option: &str) -> usize {
        if option.contains('=') || option.starts_with("--no-") {
            return 0;
        }
        if lists(MULTIPLE, option) {
            return usize::MAX;
        }
        if let Some(listed) = self.listed_option(option) {
            return usize::from(listed.ends_with(':'));
        }
        if option.starts_with("--") {
            return usize::from(self.options == "*");
        }
        // In a word, the text after a letter with a value is the value.
        let has_value = |letter| self.letters(letter).is_some_and(|list| list.ends_with(':'));
        usize::from(option.find(has_value).map_or(self.options == "*", |at| at + 1 == option.len()))
    }
}

/// Returns `true` for the address of a service's own data.
fn is_own(word: &str) -> bool {
    let own = ["s3://", "gs://", "/subscriptions/", "https://dev.azure.com/"];
    own.iter().any(|own| word.starts_with(own))
}

fn is_option(word: &str) -> bool {
    word.starts_with('-') && word.len() > 1
}

/// Returns `true` if `wanted` is a part of a lowercase word, between any punctuation.
fn has_part(word: &str, wanted: &str) -> bool {
    text::parts(word, "").any(|part| part == wanted)
}

/// Returns `true` if a command of a row may begin with a word. This excludes most rows.
fn may_begin(commands: &str, first: Option<&str>) -> bool {
    let wanted = commands.split('|').map(|pattern| pattern.split_ascii_whitespace().next());
    let Some(first) = first.filter(|first| !is_option(first)) else {
        return true;
    };
    wanted.into_iter().any(|wanted| match wanted {
        None | Some("**") => true,
        Some(wanted) => is_one_of(first, wanted),
    })
}

/// Returns `true` if a word is one of the words in `wanted`, which `/` separates.
fn is_one_of(word: &str, wanted: &str) -> bool {
    let mut rest = wanted;
    loop {
        // Most words are skipped, so a search of the standard library would take longer.
        let end = rest.bytes().position(|byte| byte == b'/').unwrap_or(rest.len());
        if is_word(word, &rest[..end]) {
            return true;
        }
        match rest.get(end + 1..) {
            Some(next) => rest = next,
            None => return false,
        }
    }
}

/// Returns `true` if a word equals a pattern's word, or begins with it.
fn is_word(word: &str, wanted: &str) -> bool {
    match wanted.as_bytes() {
        b"*" => !word.starts_with('-'),
        [.., b'*'] => word.starts_with(&wanted[..wanted.len() - 1]),
        _ => word == wanted,
    }
}

/// Returns `true` for a path whose first component is a machine's name, except where images are kept.
fn is_address(word: &str) -> bool {
    let host = word.split_once('=').map_or(word, |(_, value)| value).split_once('/').map_or("", |(host, _)| host);
    host.contains('.') && !ends("gcr.io .pkg.dev .googleapis.com", host)
}

/// Returns `true` for a name that is not a path or an address. A package's name may begin with its owner: `@types/node`.
fn is_plain(word: &str) -> bool {
    let name = match word.strip_prefix('@') {
        Some(owned) => owned.split_once('/').map_or("/", |(_, name)| name),
        None => word,
    };
    !name.contains(['/', ':', '\\', '~']) && !name.starts_with(['.', '@'])
}

#[cfg(test)]
mod tests;
