//! Strings run as scripts: by a shell, by `eval`, by `trap`.

use std::ops::Range;
use std::slice;

use super::holes::{self, with_holes};
use super::prefix::{is_below_variable, is_operand};
use super::{At, MOST_RUNS, MOST_SCRIPT_BYTES, behind_dashes, is_harmless_option};
use crate::parser::{self, DEEPEST, Position};
use crate::programs::lists;

use crate::{ExpansionKind, Part, Redirection, Via, Why, Word};

impl At<'_> {
    pub(super) fn script(&mut self, name: &str, text: &str, span: Range<usize>) {
        let mut via = self.command.via.clone();
        via.push(Via::Script(name.to_owned()));
        let depth = self.depth.max(via.len()) + 1;
        if depth > DEEPEST {
            return self.note(Why::TooDeep, &span);
        }
        self.reach.script_bytes += text.len();
        if self.reach.script_bytes > MOST_SCRIPT_BYTES {
            return self.note(Why::TooLong, &span);
        }
        let mut found = parser::parse(text, Position::Within(span), via, depth, self.is_posix);
        holes::open(&mut found, text);
        self.reach.adopt(found, depth, self.chain, self.is_posix);
    }

    pub(super) fn script_of_words(&mut self, name: &str, words: &[Word]) {
        let (Some(first), Some(end)) = (words.first(), words.last()) else {
            return;
        };
        let span = first.span.start..end.span.end;
        match Word::literals(words) {
            Some(texts) => self.script(name, &texts.join(" "), span),
            None => self.script_in_part(name, words, span, Why::ScriptText),
        }
    }

    /// Follows a script whose text is only partly literal.
    fn script_in_part(&mut self, name: &str, words: &[Word], span: Range<usize>, otherwise: Why) {
        match with_holes(words) {
            Some(text) => {
                self.note(Why::ScriptPart, &span);
                self.script(name, &text, span);
            }
            None => self.note(otherwise, &span),
        }
    }

    pub(super) fn trap(&mut self, arguments: &[Word]) {
        match behind_dashes(arguments) {
            [] => {}
            [action, ..] if action.literal() == Some("") || action.is("- -p -l") => {}
            [action, ..] => self.script_of_words("trap", slice::from_ref(action)),
        }
    }

    /// Follows an alias, which may replace another command's name.
    pub(super) fn alias(&mut self, arguments: &[Word]) {
        if arguments.iter().any(|word| word.known_start().contains('=')) {
            self.note_all(Why::Definition);
        }
        for word in arguments {
            match word.literal() {
                None => self.note(Why::ScriptText, &word.span),
                // In zsh it may be a part of a command.
                Some(text) if text.starts_with('-') && text != "-p" => self.note_all(Why::Runner),
                Some(text) => {
                    if let Some((_, meaning)) = text.split_once('=') {
                        self.script("alias", meaning, word.span.clone());
                    }
                }
            }
        }
    }

    pub(super) fn shell(&mut self, name: &str) {
        let words = self.command.arguments();
        if let [word] = words
            && word.is("--version --help")
        {
            return;
        }
        let mut index = 0;
        let mut is_script = false;
        let mut is_input = false;
        let mut is_only_read = false;
        while let Some(word) = words.get(index) {
            if is_script && word.is_single() && is_operand(word.known_start()) || is_below_variable(word) {
                break;
            }
            let Some(text) = word.literal() else {
                if !is_only_read {
                    self.note(Why::ScriptText, &word.span);
                }
                return;
            };
            if lists("-- -", text) {
                index += 1;
                break;
            }
            if let Some(long) = text.strip_prefix("--") {
                // A file for interactive shells, which is read first.
                if lists("init-file rcfile", long)
                    && let Some(file) = words.get(index + 1)
                {
                    self.file(name, Some(file), file.span.clone());
                    index += 2;
                    continue;
                }
                if !lists("norc noprofile posix restricted verbose", long) {
                    return self.note(Why::Prefix, &word.span);
                }
                index += 1;
                continue;
            }
            let Some(options) = text.strip_prefix(['-', '+']) else {
                break;
            };
            index += 1;
            for option in options.chars() {
                match option {
                    'c' => is_script = true,
                    's' => is_input = true,
                    'o' => {
                        if !is_harmless_option(words.get(index)) {
                            return self.note(Why::Prefix, &word.span);
                        }
                        index += 1;
                    }
                    'n' => is_only_read = text.starts_with('-'),
                    _ if "euxvfCamhp".contains(option) => {}
                    // Files for login and interactive shells are read first.
                    'l' | 'i' => self.note_all(Why::ScriptFile),
                    _ => return self.note(Why::Prefix, &word.span),
                }
            }
        }
        if is_only_read {
            return;
        }
        match words.get(index) {
            Some(word) if is_script => self.script_of_words(name, slice::from_ref(word)),
            // There is nothing to run.
            None if is_script => {}
            Some(word) if !is_input => self.file(name, Some(word), word.span.clone()),
            _ => self.input(name),
        }
    }

    /// Follows a script in a file, or in a stream that looks like one.
    pub(super) fn file(&mut self, name: &str, word: Option<&Word>, span: Range<usize>) {
        let parts = word.map_or(&[][..], |word| &word.parts);
        let names: Vec<&str> = word
            .and_then(Word::literal)
            .unwrap_or_default()
            .split('/')
            .filter(|name| !matches!(*name, "" | "."))
            .collect();
        match &names[..] {
            _ if parts.iter().any(|part| part.is(ExpansionKind::Process)) => self.note(Why::ScriptInput, &span),
            ["dev", "stdin"] | ["dev", "fd", "0"] | ["proc", "self", "fd", "0"] => self.input(name),
            ["dev", "fd", ..] | ["proc", _, "fd", ..] | ["proc", _, "task", ..] => self.note(Why::ScriptInput, &span),
            _ => {
                self.note(Why::ScriptFile, &span);
                if let Some(word) = word {
                    self.written(name, word, &span);
                }
            }
        }
    }

    /// Follows a script that the line itself has written.
    pub(super) fn written(&mut self, name: &str, file: &Word, span: &Range<usize>) {
        let Some(parts) = self.reach.written_as(file) else { return };
        self.reach.runs += 1;
        if self.reach.runs > MOST_RUNS || self.reach.script_bytes > MOST_SCRIPT_BYTES {
            return self.note(Why::TooLong, span);
        }
        let mut word = Word { parts, ..file.clone() };
        word.parts.retain_mut(|part| match part {
            Part::Literal(_) => true,
            Part::Expansion(expansion) if expansion.kind == ExpansionKind::Escape => false,
            Part::Expansion(expansion) => {
                if expansion.kind != ExpansionKind::Home {
                    expansion.kind = ExpansionKind::Parameter;
                }
                true
            }
        });
        let Some(text) = with_holes(&[word]) else { return };
        let first = text.lines().next().unwrap_or_default();
        if first.starts_with("#!") && !first.contains("sh") {
            return;
        }
        // The script may be in the current folder.
        let is_own_folder = |line: &&str| line.trim_start().starts_with("cd \"$(dirname \"$");
        let lines: Vec<&str> = text.lines().filter(|line| !is_own_folder(line)).collect();
        self.script(name, &lines.join("\n"), span.clone());
    }

    /// Follows a script from stdin, if its text is in the line, or on the stdin of the `ssh` around it.
    pub(super) fn input(&mut self, name: &str) {
        let around = self.command.via.iter().rfind(|via| !matches!(via, Via::Prefix(_)));
        let has_own = self.command.piped.is_some() || self.command.redirections.iter().any(Redirection::is_input);
        let of_ssh = match around {
            // Input that one shell has read is gone for the next.
            Some(Via::Script(_)) if !has_own => self.reach.input.take(),
            _ => None,
        };
        let is_text = |to: &&Redirection| to.operator.has_text();
        let text = match &of_ssh {
            Some(input) => Some(input).filter(is_text).map(|input| (input.target.clone(), input.span.clone())),
            None => self.command.input().map(|text| {
                let own = self.command.redirections.iter().find(is_text);
                (text.clone(), own.map_or(&text.span, |own| &own.span).clone())
            }),
        };
        // These programs give their commands another stdin.
        let Some((text, span)) = text.filter(|_| !self.command.is_run_by("xargs find")) else {
            return self.note_all(Why::ScriptInput);
        };
        match text.literal() {
            Some(text) => self.script(name, text, span),
            None => self.script_in_part(name, slice::from_ref(&text), span, Why::ScriptInput),
        }
    }
}
