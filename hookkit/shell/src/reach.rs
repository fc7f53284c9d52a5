//! Commands that other commands run: after a prefix, or in the text for a shell.

use std::collections::HashSet;
use std::mem;
use std::ops::Range;

use super::parser::Found;
use super::printed::{append, length, output};
use super::{Assignment, Command, Expansion, ExpansionKind, Part, Redirection, RedirectionOperator, Via, Why, Word};
use crate::programs::{
    Argument, HARMLESS_OPTIONS, HARMLESS_SHOPT, Program, Role, Takes, begins, consists_of, is_evaluated, lists,
    runs_value, steers_shell,
};

mod builtin;
mod find;
mod git;
mod holes;
mod parallel;
mod prefix;
mod script;
mod terminal;
mod xargs;

/// Maximum number of nested prefixes.
const LONGEST_CHAIN: usize = 8;

/// Maximum number of words to copy for the commands after prefixes. A text counts as one word for each 64 bytes.
const MOST_COPIES: usize = 200_000;
const BYTES_OF_WORD: usize = 64;

/// Maximum number of bytes of scripts within the text, at all depths.
const MOST_SCRIPT_BYTES: usize = 4 << 20;

/// Maximum number of runs of scripts that the line writes.
const MOST_RUNS: usize = 16;

/// Adds the commands that the commands run.
pub(super) fn follow(found: Found) -> Found {
    let mut reach = Reach::default();
    reach.adopt(found, 0, 0, false);
    reach.note_aliases();
    reach.found
}

#[derive(Default)]
struct Reach {
    found: Found,
    /// Number of copied words, and of bytes of scripts within the text.
    copies: usize,
    script_bytes: usize,
    /// Number of runs of scripts that the line writes.
    runs: usize,
    /// Stdin of an `ssh` whose commands are followed.
    input: Option<Redirection>,
    /// Files that the line writes: the last component of the name, and the content.
    written: Vec<(String, Vec<Part>)>,
}

impl Reach {
    /// Reports commands named like an alias of the script: the alias may replace them, in zsh from the next line on.
    fn note_aliases(&mut self) {
        let commands = &self.found.commands;
        let mut aliases = commands
            .iter()
            .filter(|command| command.is("alias"))
            .flat_map(|command| command.arguments().iter().map(move |word| (command, word)))
            .peekable();
        if aliases.peek().is_none() {
            return;
        }
        let names: HashSet<&str> = commands.iter().filter_map(Command::name).collect();
        let is_used = |word: &Word| word.known_start().split_once('=').is_some_and(|(name, _)| names.contains(name));
        let used = aliases.find(|(_, word)| is_used(word)).map(|(command, _)| (Why::Runner, command.span.clone()));
        self.found.unanalyzed.extend(used);
    }

    fn adopt(&mut self, found: Found, depth: usize, chain: usize, is_posix: bool) {
        for command in found.commands {
            self.command(command, depth, chain, is_posix);
        }
        self.found.unanalyzed.extend(found.unanalyzed);
    }

    fn command(&mut self, command: Command, depth: usize, chain: usize, is_posix: bool) {
        let at = self.found.commands.len();
        At { reach: self, command: &command, depth, chain, is_posix }.look();
        self.keep_written(&command);
        // It comes before the commands that it runs.
        self.found.commands.insert(at, command);
    }

    /// Keeps the text that a command writes into files, which another command may run.
    fn keep_written(&mut self, command: &Command) {
        use RedirectionOperator::{Append, AppendOutputAndError};
        /// Maximum number of files to keep.
        const MOST: usize = 64;
        let words = command.arguments();
        let takes_words = command.is("sponge tee");
        let is_dd = command.is("dd") && !words.iter().any(|word| word.known_start().starts_with("if="));
        let is_copy = command.is("cp gcp ginstall install ln mv");
        if command.redirections.is_empty() && !takes_words && !is_dd && !is_copy {
            return;
        }
        if self.written.len() > MOST {
            return self.found.unanalyzed.push((Why::TooLong, command.span.clone()));
        }
        if let [.., from, to] = words
            && is_copy
            && let Some(name) = to.last_component()
        {
            let stdin = command.input().filter(|_| from.is("/dev/stdin"));
            if let Some(text) = stdin.map(|text| text.parts.clone()).or_else(|| self.written_as(from)) {
                self.written.retain(|(file, _)| *file != name);
                self.written.push((name.to_owned(), text));
            }
        }
        let outputs = command
            .redirections
            .iter()
            .filter(|to| to.operator.writes() && matches!(to.descriptor, None | Some(1)))
            .map(|to| (&to.target, matches!(to.operator, Append | AppendOutputAndError)));
        let appends = command.has_argument("-a");
        let named =
            words.iter().filter(|word| takes_words || is_dd && word.known_start().starts_with("of=")).take(MOST);
        for (file, appends) in outputs.chain(named.map(|word| (word, appends))) {
            // The line may change to its folder in between.
            let Some(name) =
                file.last_component().map(|name| name.strip_prefix("of=").filter(|_| is_dd).unwrap_or(name))
            else {
                continue;
            };
            let text = output(command).or_else(|| match words {
                [file] if command.is("cat") => self.written_as(file),
                _ => None,
            });
            let before = self.written.iter().rposition(|(file, _)| *file == name);
            match (before, text) {
                (Some(at), Some(text)) if appends => append(&mut self.written[at].1, text),
                (before, text) => {
                    drop(before.map(|at| self.written.remove(at)));
                    self.written.extend(text.map(|text| (name.to_owned(), text)));
                }
            }
        }
    }

    /// Returns the text that the line has written into the file of this name.
    fn written_as(&self, file: &Word) -> Option<Vec<Part>> {
        let name = file.last_component()?;
        self.written.iter().find(|(written, _)| *written == name).map(|(_, text)| text.clone())
    }
}

/// A command that is being followed.
struct At<'a> {
    reach: &'a mut Reach,
    command: &'a Command,
    depth: usize,
    chain: usize,
    /// `true` if the shell for its scripts may not support bash's syntax.
    is_posix: bool,
}

impl At<'_> {
    fn note(&mut self, why: Why, span: &Range<usize>) {
        self.reach.found.unanalyzed.push((why, span.clone()));
    }

    fn note_all(&mut self, why: Why) {
        self.note(why, &self.command.span.clone());
    }

    fn look(&mut self) {
        self.assignments(&self.command.assignments);
        self.values();
        if self.command.assignments.iter().any(evaluates) {
            self.note_all(Why::Arithmetic);
        }
        let Some(first) = self.command.words.first() else {
            return;
        };
        let program = self.command.program();
        if program.is_none() || !self.command.has_single_name() {
            self.note(Why::Name, &first.span);
        }
        let Some(name) = program else {
            return self.behind_name(first);
        };
        let arguments = self.command.arguments();
        if first.parts.len() > 1 || first.known_start().contains('/') {
            self.written(name, first, &self.command.span);
        }
        let row = Program::of(name, arguments);
        let role = row.map(|(program, _)| program.last());
        // Shells of other families.
        if lists("csh fish nu tcsh", name)
            && let Some(file) = arguments.first().filter(|word| !word.is_option())
        {
            return self.file(name, Some(file), file.span.clone());
        }
        if may_run(name, arguments) || role == Some(Role::Runs) {
            return self.note_all(Why::Runner);
        }
        match (row, role) {
            (Some((program, _)), Some(Role::Command)) => return self.prefix(&program),
            (Some((program, words)), Some(Role::Program | Role::Contained)) => return self.runner(&program, words),
            (Some((program, from)), Some(Role::Script))
                if matches!(program.name, "cargo" | "cargo-hookkit" | "sops") =>
            {
                return self.watch(&program, arguments.get(from..).unwrap_or_default());
            }
            (_, Some(Role::BashScript | Role::ShellScript)) => {
                self.is_posix = role == Some(Role::ShellScript);
                return self.shell(name);
            }
            (_, Some(Role::Defines)) => return self.note_all(Why::Definition),
            (_, Some(Role::Variable)) => return self.names(name, arguments),
            _ => {}
        }
        match name {
            "eval" => self.script_of_words(name, behind_dashes(arguments)),
            "trap" => self.trap(arguments),
            "alias" => self.alias(arguments),
            "shopt" if !all_are(arguments, |text| lists(HARMLESS_SHOPT, text)) => self.note_all(Why::Definition),
            "su" => self.su(name, arguments),
            "source" | "." => {
                self.file(name, behind_dashes(arguments).first(), self.command.span.clone());
            }
            "find" | "gfind" | "bfs" => self.find(name),
            "fd" | "fdfind" => self.fd(name, arguments),
            "test" | "[" => self.test(arguments),
            "set" => self.set(arguments),
            // zsh evaluates arithmetic here.
            "exit" | "return" | "shift" | "break" | "continue" if !all_are(arguments, is_number) => {
                self.note_all(Why::Arithmetic);
            }
            "mapfile" | "readarray" => self.names(name, arguments),
            _ => {
                if let Some((program, _)) = row {
                    self.by_own_way(&program, arguments);
                }
            }
        }
    }

    /// Follows a program that runs commands in its own way.
    fn by_own_way(&mut self, program: &Program, arguments: &[Word]) {
        match program.name {
            "ssh" => self.ssh(program, arguments),
            "watch" => self.watch(program, arguments),
            "parallel" => self.parallel(program, arguments),
            "entr" => self.entr(program, arguments),
            "screen" => self.screen(program, arguments),
            "tmux" => self.tmux(program, arguments),
            "git" => self.git(program, arguments),
            _ => self.options(program, arguments),
        }
    }

    /// Follows values of options that a program runs as scripts.
    fn options(&mut self, program: &Program, words: &[Word]) {
        if !program.has(Role::Script) {
            return;
        }
        for argument in program.read(words) {
            if let Argument::Known { takes: Takes::Value(Role::Script), value: Some((word, at)), .. } = argument {
                self.script_of_words(program.name, &[word.after(at)]);
            }
        }
    }

    /// Follows values of variables that a program runs as scripts: `GIT_PAGER='less; x' git log`.
    fn values(&mut self) {
        let is_declaration = self.command.is_named("declare export readonly typeset");
        let assigned = (self.command.assignments.iter()).map(|set| (set.name.as_str(), set.value.clone()));
        let declared = self.command.arguments().iter().filter(|_| is_declaration).filter_map(|word| {
            let (name, _) = word.known_start().split_once('=')?;
            Some((name, word.after(name.len() + 1)))
        });
        let run: Vec<_> = assigned.chain(declared).filter(|(name, _)| runs_value(name)).collect();
        // A shell reads such a file first.
        let is_read =
            |set: &&Assignment| lists("BASH_ENV ENV", &set.name) && self.command.program().is_some_and(is_shell);
        for set in self.command.assignments.iter().filter(is_read) {
            self.file("BASH_ENV", Some(&set.value), set.value.span.clone());
        }
        for (name, value) in run {
            if let Some(text) = value.literal() {
                self.script(name, text.trim_start_matches(['|', '-']), value.span.clone());
            }
        }
    }

    /// Follows the words after a name without any literal part. Such a name may be empty, or be a program that runs the
    /// words.
    fn behind_name(&mut self, name: &Word) {
        let rest = self.command.arguments();
        if !rest.is_empty() && name.parts.iter().all(|part| part.literal().is_none()) {
            self.behind_unknown(&name.to_string(), rest);
        }
    }

    fn assignments(&mut self, assignments: &[Assignment]) {
        if assignments.iter().any(|assignment| steers_shell(&assignment.name)) {
            self.note_all(Why::ShellVariable);
        }
    }

    fn inner(&mut self, name: &str, words: Vec<Word>, assignments: &[Assignment]) {
        let bytes: usize =
            self.command.targets().chain(self.command.piped.as_deref()).map(|text| length(&text.parts)).sum();
        self.reach.copies += words.len() + self.command.assignments.len() + bytes / BYTES_OF_WORD;
        if self.chain >= LONGEST_CHAIN {
            return self.note_all(Why::TooDeep);
        }
        if self.reach.copies > MOST_COPIES {
            return self.note_all(Why::TooLong);
        }
        let assignments = [&self.command.assignments, assignments].concat();
        let mut via = self.command.via.clone();
        via.push(Via::Prefix(name.to_owned()));
        let start = words.first().map_or(self.command.span.start, |word| word.span.start);
        let command = Command {
            assignments,
            words,
            redirections: self.command.redirections.clone(),
            via,
            // These consume it themselves.
            piped: self.command.piped.clone().filter(|_| !lists("find xargs", name)),
            span: start..self.command.span.end.max(start),
        };
        self.reach.command(command, self.depth, self.chain + 1, self.is_posix);
    }
}

pub(crate) fn is_number(text: &str) -> bool {
    consists_of("0123456789", text)
}

/// Returns `true` if all of the words are literal, and match.
fn all_are(words: &[Word], is: impl Fn(&str) -> bool) -> bool {
    words.iter().all(|word| word.literal().is_some_and(&is))
}

/// Returns `true` if one of the words matches, or is not literal.
fn may_have(words: &[Word], is: impl Fn(&str) -> bool) -> bool {
    !all_are(words, |text| !is(text))
}

/// Returns `true` if the name after `-o` is an option that does not change how a script is read.
fn is_harmless_option(name: Option<&Word>) -> bool {
    let name = name.and_then(Word::literal);
    name.is_some_and(|name| lists(HARMLESS_OPTIONS, name))
}

/// Returns `true` for a Bourne-family shell.
fn is_shell(name: &str) -> bool {
    Program::named(name).is_some_and(|program| matches!(program.last(), Role::BashScript | Role::ShellScript))
}

/// Returns the words after a leading `--`, or all words if there is none.
fn behind_dashes(words: &[Word]) -> &[Word] {
    match words {
        [first, others @ ..] if first.is("--") => others,
        _ => words,
    }
}

/// Returns `true` if a builtin runs other commands with these arguments, in an unsupported way.
fn may_run(name: &str, arguments: &[Word]) -> bool {
    match name {
        // Without arguments it prints the processor's name; on macOS it starts the next words.
        "arch" => !arguments.is_empty(),
        // `-C` runs a command for each line.
        "mapfile" | "readarray" => may_have(arguments, |text| text.starts_with('-') && text.contains('C')),
        "nu" => may_have(arguments, |text| begins("-c -e --commands --execute", text)),
        "fc" => !arguments.first().is_some_and(|word| word.is("--help") || word.known_start().starts_with("-l")),
        "hash" => may_have(arguments, |text| text.starts_with('-') && !lists("-r -t", text)),
        "history" => !all_are(arguments, is_number),
        "crontab" => !all_are(arguments, |text| text == "-l"),
        // These options print the text elsewhere than on stdout.
        "print" => may_have(arguments, |text| text.starts_with('-') && text.contains(['z', 's', 'S', 'v', 'f', 'P'])),
        // `-x` runs the next words.
        "jobs" => may_have(arguments, |text| text.contains('x')),
        _ => false,
    }
}

/// Returns `true` if the shell evaluates the assigned value, which is not a number.
fn evaluates(assignment: &Assignment) -> bool {
    is_evaluated(&assignment.name)
        && !all_are(assignment.elements.as_deref().unwrap_or(std::slice::from_ref(&assignment.value)), is_number)
}

fn holds_array(word: &Word) -> bool {
    word.parts.last().is_some_and(|part| part.is(ExpansionKind::Array))
}

fn arguments(is_quoted: bool) -> Part {
    Part::Expansion(Expansion::new(ExpansionKind::Arguments, is_quoted))
}

fn is_quoted_or_literal(part: &Part) -> bool {
    match part {
        Part::Literal(_) => true,
        Part::Expansion(expansion) => expansion.is_quoted,
    }
}

/// Replaces a program's placeholder with an insertion.
fn fill(word: &mut Word, mark: &str) {
    let mut parts = Vec::new();
    for part in mem::take(&mut word.parts) {
        match part {
            Part::Literal(text) if text.contains(mark) => {
                for (index, piece) in text.split(mark).enumerate() {
                    if index > 0 {
                        parts.push(arguments(true));
                    }
                    if !piece.is_empty() {
                        parts.push(Part::Literal(piece.to_owned()));
                    }
                }
            }
            other => parts.push(other),
        }
    }
    word.parts = parts;
}
