//! Programs that join their words into a string for a shell: `watch`, `ssh`, and `parallel` for each of its arguments.

use std::slice;

use super::holes::INSERTED;

use super::{At, MOST_SCRIPT_BYTES};

use crate::programs::{Program, has_only, lists};
use crate::{ExpansionKind, RedirectionOperator, Why, Word};

/// Separators before the arguments of `parallel`: words of the line, or a file of arguments.
const ARGUMENTS: &str = "::: :::+ :::: ::::+";

impl At<'_> {
    pub(super) fn watch(&mut self, program: &Program, words: &[Word]) {
        if let Some((_, script)) = self.parts(program, words) {
            self.script_of_words(program.name, script);
        }
    }

    /// Follows `ssh`: the words after a machine's name are a script. Without them, stdin is the script, or only an interactive
    /// shell runs.
    pub(super) fn ssh(&mut self, program: &Program, words: &[Word]) {
        let name = program.name;
        // A setting can name a program that runs on this machine.
        let runs_here = |word: &Word| {
            let text = word.to_string().to_ascii_lowercase();
            let is_home = word.parts.first().is_some_and(|part| part.is(ExpansionKind::Tilde));
            word.literal().is_none() && !is_home || text.contains("command") || text.contains("include")
        };
        let Some((options, [machine, rest @ ..])) = self.parts(program, words) else {
            return;
        };
        // Options may follow the machine, too.
        let Some((more, command)) = self.parts(program, rest) else {
            return;
        };
        if machine.literal().is_none() || options.iter().chain(more).any(runs_here) {
            return self.note_all(Why::Runner);
        }
        let inputs: Vec<_> = (self.command.redirections.iter()).filter(|to| to.is_input()).cloned().collect();
        match &inputs[..] {
            [] if command.is_empty() && self.command.piped.is_some() => self.input(name),
            [] => self.script_of_words(name, command),
            [input] if command.is_empty() && input.operator == RedirectionOperator::Input => {
                self.file(name, Some(&input.target), input.span.clone());
            }
            _ if command.is_empty() => self.input(name),
            [input, ..] => {
                let outer = self.reach.input.replace(input.clone());
                self.script_of_words(name, command);
                self.reach.input = outer;
            }
        }
    }

    /// Follows `su`: the text after `-c` is a script.
    pub(super) fn su(&mut self, name: &str, words: &[Word]) {
        let is_command = |word: &Word| word.is("-c --command");
        let is_known = |word: &Word| {
            let text = word.known_start();
            is_command(word) || !text.starts_with('-') || lists("- -l --login", text)
        };
        let mut scripts = words.iter().enumerate().filter(|(_, word)| is_command(word));
        match (scripts.next(), scripts.next()) {
            // A script that begins with a dash is not followed.
            (Some((at, _)), None) if words.iter().all(is_known) && at + 1 < words.len() => {
                self.script_of_words(name, slice::from_ref(&words[at + 1]));
            }
            _ => self.note_all(Why::Runner),
        }
    }

    pub(super) fn parallel(&mut self, program: &Program, words: &[Word]) {
        let name = program.name;
        let leading = words.iter().map(Word::known_start).take_while(|text| text.starts_with('-'));
        if leading.into_iter().any(|text| lists("--dry-run --dryrun --help --version", text)) {
            return;
        }
        let Some((options, words)) = self.parts(program, words) else {
            return;
        };
        let is_mark = |word: &Word| word.is(ARGUMENTS);
        let end = words.iter().position(is_mark).unwrap_or(words.len());
        let (command, arguments) = words.split_at(end);
        if command.is_empty() {
            // Each argument is a command.
            for word in arguments.iter().filter(|word| !is_mark(word)) {
                self.script_of_words(name, slice::from_ref(word));
            }
            if !arguments.iter().any(|word| word.is(":::")) || arguments.iter().any(|word| word.is("::::")) {
                self.note_all(Why::ScriptInput);
            }
            return;
        }
        let span = command[0].span.start..command[end - 1].span.end;
        let Some(text) = Word::literals(command).map(|texts| texts.join(" ")) else {
            return self.note_all(Why::ScriptText);
        };
        // With some options a command gets several arguments; other marks, and quoted ones, have another meaning.
        let groups = |word: &Word| {
            let option = word.known_start();
            option.starts_with("--max")
                || option == "--xargs"
                || option.starts_with(['-']) && option.contains(['n', 'N', 'L', 'l', 'X', 'm'])
        };
        let is_plain = !options.iter().any(groups) && !text.replace("{}", "").contains(['{', '\'']);
        if let Some(arguments) = given(arguments).filter(|arguments| {
            is_plain && arguments.iter().all(|argument| argument.len() * text.len() <= MOST_SCRIPT_BYTES)
        }) {
            for argument in arguments {
                let filled =
                    if text.contains("{}") { text.replace("{}", argument) } else { format!("{text} {argument}") };
                self.script(name, &filled, span.clone());
            }
            return;
        }
        match with_unknown(&text) {
            Some(text) => self.script(name, &text, span),
            None => self.note_all(Why::Runner),
        }
    }
}

/// Returns the arguments of a single list on the line, if no shell changes them: `::: a b`.
fn given(words: &[Word]) -> Option<Vec<&str>> {
    /// Maximum number of arguments; with more, they are unknown.
    const MOST: usize = 16;
    let [mark, words @ ..] = words else { return None };
    let is_plain = |text: &&str| !text.is_empty() && has_only(text, "/._-~");
    let texts: Option<Vec<&str>> = words.iter().map(|word| word.literal().filter(is_plain)).collect();
    texts.filter(|texts| mark.is(":::") && (1..=MOST).contains(&texts.len()))
}

/// Replaces placeholders (`{}`, `{.}`, `{1}`) with an unknown part, or appends an unknown part; `None` if a text with
/// placeholders has single quotes, or if a placeholder is code (`{= … =}`).
fn with_unknown(text: &str) -> Option<String> {
    let mut parts = text.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    let mut marks = 0;
    for part in parts {
        let behind =
            part.trim_start_matches(|char: char| char.is_ascii_digit() || "./#%+-".contains(char)).strip_prefix('}');
        match behind {
            Some(behind) => {
                marks += 1;
                filled.push(INSERTED);
                filled.push_str(behind);
            }
            None if part.starts_with('=') => return None,
            None => {
                filled.push('{');
                filled.push_str(part);
            }
        }
    }
    if marks == 0 {
        filled.push(' ');
        filled.push(INSERTED);
    }
    (marks == 0 || !text.contains('\'')).then_some(filled)
}
