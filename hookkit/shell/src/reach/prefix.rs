//! Programs that run the command after their options: `sudo`, `env`, `xargs`.

use std::slice;

use super::{At, behind_dashes, is_number, is_shell};
use crate::programs::{Argument, Program, Role, Takes, base, consists_of, has_only, lists};
use crate::{Assignment, ExpansionKind, Part, Via, Why, Word};

impl At<'_> {
    pub(super) fn prefix(&mut self, program: &Program) {
        let name = program.name;
        let words = self.command.arguments();
        if asks_only(name, words) {
            return;
        }
        if name == "env"
            && let Some(script) = split_string(words)
        {
            return self.script(name, &script, self.command.span.clone());
        }
        let (from, assignments) = match operands(program, words) {
            Ok(found) => found,
            Err(word) => return self.behind_option(name, words, word),
        };
        let (options, inner) = words.split_at_checked(from).unwrap_or((words, &[]));
        if inner.is_empty() {
            return self.without_command(name, &assignments);
        }
        if let ("flock", [option, script, ..]) = (name, inner)
            && option.is("-c --command")
        {
            return self.script_of_words(name, slice::from_ref(script));
        }
        let is_unclear = match name {
            // Its output may go to a command.
            "strace" => options.iter().any(|word| {
                let text = word.to_string();
                text.contains('|') || text.starts_with('!') || text.contains("o!")
            }),
            // A property can be a command, or a file for the output.
            "systemd-run" => {
                options.iter().any(|word| word.to_string().contains('/') || word.to_string().contains("Exec"))
            }
            // With some policies the number can be omitted.
            "chrt" => !options.last().and_then(Word::literal).is_some_and(is_number),
            _ => false,
        };
        if is_unclear {
            return self.note_all(Why::Prefix);
        }
        if name == "xargs" {
            return self.xargs(program, options, inner, &assignments);
        }
        self.inner(name, inner.to_vec(), &assignments);
    }

    /// Follows a runner: its command comes after some words, its options, and perhaps a `--`.
    pub(super) fn runner(&mut self, runner: &Program, words: usize) {
        let is_lenient = runner.last() == Role::Contained;
        let words = &self.command.arguments()[words..];
        self.options(runner, words);
        let dashes = words.iter().position(|word| word.is("--"));
        let from = match (operands(runner, words), dashes) {
            // Options may follow the name of a pod, and tools may come before the command.
            (_, Some(dashes)) if lists("kubectl mise", runner.name) => dashes,
            (Ok((from, _)), _) => from,
            (Err(_), _) if is_lenient => return,
            (Err(_), Some(dashes)) => dashes,
            (Err(word), None) => return self.behind_option(runner.name, words, word),
        };
        let inner = words.get(from..).unwrap_or_default();
        let inner = behind_dashes(inner);
        // An interactive shell gets no commands.
        let is_fed = self.command.is_in_pipeline() || !self.command.redirections.is_empty();
        let is_alone = inner.len() == 1 && inner[0].literal().is_some_and(|name| is_shell(base(name)));
        if !inner.is_empty() && (is_fed || !is_alone) {
            let reported = self.reach.found.unanalyzed.len();
            let mut words = inner.to_vec();
            // Its stdin is Python code.
            if runner.name == "uv" && inner[0].is("-") {
                words[0] = inner[0].with_text("python");
                words.extend_from_slice(inner);
            }
            // A new container is another environment than an existing one.
            let via = if is_lenient { "docker run" } else { runner.name };
            self.inner(via, words, &[]);
            if is_lenient {
                self.reach.found.unanalyzed.truncate(reported);
            }
        }
    }

    /// Reports an unsupported option, after which the beginning of the command is uncertain. If no part of the option is
    /// literal, the command may begin with any later word.
    fn behind_option(&mut self, name: &str, words: &[Word], option: &Word) {
        let from = words.iter().position(|word| std::ptr::eq(word, option)).unwrap_or_default();
        let rest = &words[from + 1..];
        if rest.is_empty() || option.parts.iter().any(|part| part.literal().is_some()) {
            let end = self.command.span.end.max(option.span.end);
            return self.note(Why::Prefix, &(option.span.start..end));
        }
        self.note(Why::Prefix, &option.span);
        // It may be the command's name, too.
        self.inner(name, words[from..].to_vec(), &[]);
        self.behind_unknown(name, rest);
    }

    /// Lists the commands that may begin after a word without any literal part: there may be options before them, each with a
    /// value.
    pub(super) fn behind_unknown(&mut self, name: &str, words: &[Word]) {
        /// Maximum number of words to try.
        const MOST: usize = 16;
        let is_option = |word: &Word| word.is_option() || is_assignment(word);
        let starts = (0..words.len().min(MOST)).filter(|&at| !is_option(&words[at]));
        for at in starts {
            self.inner(name, words[at..].to_vec(), &[]);
        }
        if words.len() > MOST && words[MOST - 2..MOST].iter().any(is_option) {
            self.note_all(Why::Prefix);
        }
    }

    /// Returns a program's options and operands, and the words of the command after them. Reports an uncertain
    /// boundary.
    pub(super) fn parts<'w>(&mut self, program: &Program, words: &'w [Word]) -> Option<(&'w [Word], &'w [Word])> {
        let Ok((from, _)) = operands(program, words) else {
            self.note_all(Why::Runner);
            return None;
        };
        Some(words.split_at_checked(from).unwrap_or((words, &[])))
    }

    /// Follows a prefix without a command: most require one, list variables, or echo their input.
    fn without_command(&mut self, name: &str, assignments: &[Assignment]) {
        let is_script = self.command.via.iter().any(|via| matches!(via, Via::Script(_)));
        if name == "exec" && is_script && !self.command.redirections.is_empty() {
            // Its input becomes the script of the shell, which reads it from stdin.
            self.note_all(Why::ScriptInput);
        }
        if lists("doas sudo", name) {
            self.note_all(Why::Prefix);
        }
        self.assignments(assignments);
    }
}

/// Returns the command that `env` splits out of one word, with the words after it: `-S 'a b' c`. It must not contain
/// shell syntax.
fn split_string(words: &[Word]) -> Option<String> {
    let (first, rest) = words.split_first()?;
    let first = first.literal()?;
    let (text, rest) = match first.strip_prefix("--split-string") {
        Some("") => (rest.first()?.literal()?, &rest[1..]),
        Some(value) => (value.strip_prefix('=')?, rest),
        None => {
            let at = first.strip_prefix('-')?.find('S').filter(|at| consists_of("iv0", &first[1..=*at]))?;
            match &first[at + 2..] {
                "" => (rest.first()?.literal()?, &rest[1..]),
                text => (text, rest),
            }
        }
    };
    if text.starts_with('-') {
        return None;
    }
    let is_plain = |text: &str| has_only(text, "_-./:=,@%+");
    let words = [&[text], &Word::literals(rest)?[..]].concat();
    // Only the first text is split, at its blanks.
    let are_plain = text.split(' ').all(is_plain) && words[1..].iter().all(|text| is_plain(text));
    are_plain.then(|| words.join(" "))
}

/// Returns `true` if a prefix only prints information, and runs nothing.
fn asks_only(name: &str, words: &[Word]) -> bool {
    let first = words.first().and_then(Word::literal).unwrap_or_default();
    let questions = match name {
        "command" => return lists("-v -V", first),
        "sudo" => "-l -v -k -K -V --version --help --list",
        _ => "--version --help",
    };
    words.len() == 1 && lists(questions, first)
}

/// Returns `true` for a path below a folder that is not literal: `$folder/x`.
pub(super) fn is_below_variable(word: &Word) -> bool {
    matches!(&word.parts[..], [Part::Expansion(folder), Part::Literal(path)]
        if folder.kind == ExpansionKind::Parameter && path.starts_with('/') && !path.contains(' '))
}

/// Returns `true` for the beginning of a word that cannot be an option.
pub(super) fn is_operand(start: &str) -> bool {
    !start.is_empty() && !start.starts_with(['-', '+'])
}

/// Returns `true` for `NAME=` with a value that is not literal.
fn is_assignment(word: &Word) -> bool {
    let name = word.known_start().split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && has_only(name, "_")
}

/// Returns the index of the command after a program's options and operands, and the assignments before it.
///
/// # Errors
///
/// The word that makes the command's beginning uncertain.
fn operands<'a>(program: &Program, words: &'a [Word]) -> Result<(usize, Vec<Assignment>), &'a Word> {
    let is_lenient = program.last() == Role::Contained;
    let mut before = program.operands().count().saturating_sub(1);
    let mut arguments = program.read(words);
    let mut index = loop {
        let argument = arguments.next();
        let index = arguments.index();
        match argument {
            None => break index,
            Some(Argument::Operand(word)) if program.name == "env" && word.is("-") => {}
            Some(Argument::Operand(word)) => {
                let is_known = is_lenient
                    || word.literal().is_some()
                    || program.takes_assignments() && is_assignment(word)
                    || word.is_single() && is_operand(word.known_start())
                    || is_below_variable(word);
                break if is_known { index - 1 } else { return Err(word) };
            }
            // A long option may include its value.
            Some(Argument::Unknown(word)) => {
                if !is_lenient || !word.known_start().starts_with("--") || !word.known_start().contains('=') {
                    return Err(word);
                }
            }
            Some(Argument::Known { word, is_whole, takes, .. }) => {
                if !is_whole || word.literal().is_none() && !is_lenient {
                    return Err(word);
                }
                before -= usize::from(takes == Takes::Value(Role::Given)).min(before);
            }
        }
    };
    // The value of an option may become several words, or none.
    let is_clear = |word: &Word| word.is_single() || is_lenient;
    if let Some(word) = words.iter().take(index).find(|word| !is_clear(word)) {
        return Err(word);
    }
    let mut assignments = Vec::new();
    while program.takes_assignments()
        && let Some(word) = words.get(index)
    {
        let Some((name, _)) = word.known_start().split_once('=') else {
            break;
        };
        if !word.is_single() {
            return Err(word);
        }
        assignments.push(Assignment { name: name.to_owned(), value: word.after(name.len() + 1), elements: None });
        index += 1;
    }
    for word in words.iter().skip(index).take(before) {
        if !is_lenient && (!word.is_single() || word.known_start().is_empty()) {
            return Err(word);
        }
        index += 1;
    }
    Ok((index, assignments))
}
