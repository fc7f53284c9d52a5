//! The destination of a command's output: the model, a file, another program, or a filter that leaves only names and
//! numbers.

use crate::prelude::*;
use hookkit::shell::programs::sed::{Step, steps};

/// Programs that pass text on to their output, where it ends up printed.
const FILTERS: &str = "awk base64 cat column cut echo fold grep head jq less more nl od paste perl printf python python3 \
    rev rg sed sort strings tac tail tee tr uniq wc xargs xxd yq";

/// Fields in the output of services that contain no secret.
const HARMLESS: &str =
    "address events image images ipaddress mounts phase podip ports readyreplicas replicas restartcount state status";

/// The output of one command in a line.
pub(super) struct Output<'c> {
    pub command: &'c Command,
    pub commands: &'c [Command],
    pub line: &'c str,
    /// `true` if output in a file counts as printed.
    pub with_files: bool,
}

impl<'c> Output<'c> {
    /// Returns `true` if the model reads the output: no other program, file or variable takes it.
    pub(super) fn is_shown(&self) -> bool {
        let mut others = self.commands.iter().filter(|other| !std::ptr::eq(*other, self.command));
        let ways = &self.command.via;
        let is_substituted = ways.contains(&Via::CommandSubstitution) || ways.contains(&Via::ProcessSubstitution);
        // The command around this one, and those next to it.
        match (is_substituted, self.command.is_in_pipeline()) {
            (true, _) => others.any(|other| {
                let output = Output { command: other, ..*self };
                self.command.is_within(&other.span) && other.is(FILTERS) && file(other).is_none() && output.is_printed()
            }),
            (false, true) => self.is_printed(),
            (false, false) => true,
        }
    }

    /// Returns `true` if nothing remains of the output, or only names and numbers.
    pub(super) fn is_harmless(&self) -> bool {
        let is_plain = |command: &Command| command.redirections.iter().all(|to| to.descriptor == Some(2));
        let passes_on = |next: &&&Command| {
            is_plain(next)
                && !next.starts().any(|text| begins("/dev/ --o -o", text))
                && next.is("grep head sort tail uniq")
        };
        let leaves_names = || {
            let next = self.next();
            next.iter()
                .find(|next| !passes_on(next) || leaves_names(next, self.command))
                .is_some_and(|next| leaves_names(next, self.command))
        };
        file(self.command) == Some("/dev/null") || is_plain(self.command) && leaves_names()
    }

    /// Returns `true` if all later programs of the pipeline pass the output on until it is printed.
    fn is_printed(&self) -> bool {
        let next = self.next();
        next.iter().all(|next| next.is(FILTERS))
            && (self.with_files || next.last().is_none_or(|last| file(last).is_none()))
    }

    /// Returns the later commands of the pipeline.
    pub(super) fn next(&self) -> Vec<&'c Command> {
        let at = (self.commands.iter()).position(|other| std::ptr::eq(other, self.command));
        let behind = at.map_or(&[][..], |at| &self.commands[at + 1..]);
        let mut end = self.command.span.end;
        // Commands within this one are skipped.
        let next = behind.iter().filter(|next| next.span.start >= self.command.span.end);
        let piped = next.take_while(|next| {
            let between = self.line.get(end..next.span.start).unwrap_or_default();
            end = next.span.end;
            between.trim_end_matches('&').trim() == "|"
        });
        piped.collect()
    }
}

/// Returns the literal prefix of the name of the file that a command prints into; the last redirection decides.
pub(super) fn file(command: &Command) -> Option<&str> {
    use RedirectionOperator::DuplicateOutput;
    let is_output = |to: &&Redirection| {
        matches!(to.descriptor, None | Some(1)) && (to.operator.writes() || to.operator == DuplicateOutput)
    };
    let name =
        command.redirections.iter().rfind(is_output).filter(|to| to.operator != DuplicateOutput)?.target.known_start();
    (!lists("/dev/stderr /dev/stdout /dev/tty", name)).then_some(name)
}

/// Returns `true` for a filter that leaves only names and numbers of a command's output.
fn leaves_names(filter: &Command, of: &Command) -> bool {
    let (Some(words), Some(program)) = (Word::literals(filter.arguments()), filter.program()) else { return false };
    match program {
        "wc" => words.iter().all(|word| lists("-c -l -m -w --lines", word)),
        "egrep" | "fgrep" | "grep" | "rg" => words.first().is_some_and(|word| counts(word)) || finds_harmless(&words),
        "jq" | "yq" => match words.iter().filter(|word| !is_style(word)).collect::<Vec<_>>()[..] {
            [filter] => {
                let last = after_last(filter, '.');
                leaves_keys(&filter.replace(char::is_whitespace, ""))
                    || takes_harmless(filter, of)
                    || has_only(filter, "_.[]") && lists(HARMLESS, &last.to_lowercase())
            }
            _ => false,
        },
        // It prints lines of `NAME=value`, each complete in itself.
        _ => {
            let prints_pairs = of.is("heroku") && of.has_argument("-s --shell");
            prints_pairs && takes_names(program, &words)
        }
    }
}

/// Returns `true` for a program that leaves only the part before the `=` of each line.
pub(super) fn takes_names(program: &str, words: &[&str]) -> bool {
    let text = words.concat().replace(char::is_whitespace, "");
    match program {
        "cut" => lists("-d=-f1 -f1-d=", &text),
        "awk" => text == "-F={print$1}",
        "sed" => match words {
            ["-E" | "-r", script] | [script] => masks(script),
            _ => false,
        },
        _ => false,
    }
}

/// Returns `true` for a `sed` script that replaces the part after the first `=` of each line with a constant.
fn masks(script: &str) -> bool {
    match &steps(script)[..] {
        [Step { name: 's', texts: ["=.*" | "=.*$", with], flags: "", rest: None, .. }] => !with.contains(['&', '\\']),
        _ => false,
    }
}

/// Returns `true` for an option with which `grep` prints no line.
fn counts(option: &str) -> bool {
    lists("--count --quiet --silent", option)
        || option
            .strip_prefix('-')
            .is_some_and(|letters| consists_of("EFciqvwx", letters) && letters.contains(['c', 'q']))
}

/// Returns `true` for `grep` words that leave lines of a harmless field. Lines after a match belong to another field,
/// except for events.
fn finds_harmless(words: &[&str]) -> bool {
    let Some((field, options)) = words.split_last() else {
        return false;
    };
    let field = field.trim_end_matches(':').to_lowercase();
    let is_option = |option: &&str| {
        option
            .trim_start_matches('-')
            .bytes()
            .filter(|letter| field != "events" || !letter.is_ascii_digit() && *letter != b'A')
            .all(|letter| b"Einow".contains(&letter))
    };
    lists(HARMLESS, &field) && options.iter().all(is_option)
}

/// Returns `true` for a `jq` option that only changes the format of the output.
fn is_style(word: &str) -> bool {
    lists("--compact-output --raw-output", word)
        || (word.strip_prefix('-')).is_some_and(|letters| consists_of("CMScer", letters))
}

/// Returns `true` for a `jq` filter that leaves the names in an object, or the names of Kubernetes objects.
fn leaves_keys(filter: &str) -> bool {
    const KEYS: &str = "keys keys[] keys_unsorted keys_unsorted[] to_entries[].key";
    // With a string, an error shows its beginning: `.TOKEN | keys`.
    let mut parts = filter.split('|').skip_while(|part| lists(". .data .data.data .services", part));
    lists(".items[].metadata.name .metadata.name", filter)
        || parts.next().is_some_and(|part| lists(KEYS, part)) && parts.all(|part| lists(".[] length", part))
}

/// Returns `true` for a `jq` filter that takes one output of `terraform output -json` whose name is not a secret's:
/// `.vpc_id.value`.
fn takes_harmless(filter: &str, of: &Command) -> bool {
    of.is("terraform terragrunt tofu")
        && of.arguments().iter().filter(|word| !word.is_option()).count() == 1
        && of.has_argument("output")
        && has_only(filter, "_.[]")
        && filter.strip_prefix('.').is_some_and(|path| path.starts_with(|c: char| c.is_ascii_alphabetic()))
        && !names_secret(filter.strip_suffix(".value").unwrap_or(filter))
}
