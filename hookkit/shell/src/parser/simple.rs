//! Simple commands, their redirections and here-documents.

use std::mem;

use super::builder::Builder;
use super::{Found, Parsed, Parser, Pending, RESERVED, Refusal, name_length};
use crate::layout::StageKind;
use crate::programs::lists;
use crate::{Assignment, Command, ExpansionKind, Part, Redirection, RedirectionOperator, Why, Word};

/// Builtins whose arguments may be arrays.
const DECLARATIONS: &str = "declare export local readonly typeset";

impl Parser<'_> {
    pub(super) fn begin_command(&mut self) -> usize {
        let index = self.found.commands.len();
        self.found.commands.push(Command {
            assignments: Vec::new(),
            words: Vec::new(),
            redirections: Vec::new(),
            via: self.via.clone(),
            piped: None,
            span: 0..0,
        });
        index
    }

    pub(super) fn end_command(&mut self, index: usize, start: usize) {
        self.found.commands[index].span = self.span(start);
    }

    pub(super) fn simple_command(&mut self) -> Parsed {
        let start = self.at;
        let index = self.begin_command();
        // After an error, the part up to the end remains.
        self.found.commands[index].span = self.place.span(start..self.text.len());
        let mut end = start;
        loop {
            self.skip_blanks()?;
            if self.is_at_redirection() {
                self.redirection(index)?;
                end = self.at;
                continue;
            }
            match self.byte(0) {
                None | Some(b'\n' | b';' | b'&' | b'|' | b')') => break,
                Some(b'(') => {
                    let command = &self.found.commands[index];
                    if command.words.len() != 1 || !command.assignments.is_empty() || !command.redirections.is_empty() {
                        return self.syntax_error();
                    }
                    self.at += 1;
                    self.skip_blanks()?;
                    self.expect(")")?;
                    let Some(defined) = self.found.commands.pop() else {
                        return self.syntax_error();
                    };
                    return self.function(&defined.words[0], start);
                }
                Some(_) => self.argument(index)?,
            }
            end = self.at;
        }
        if end == start {
            return self.syntax_error();
        }
        let at = mem::replace(&mut self.at, end);
        self.end_command(index, start);
        self.at = at;
        self.stages.close(StageKind::Simple, end, Some(index));
        Ok(())
    }

    pub(super) fn argument(&mut self, index: usize) -> Parsed {
        let start = self.at;
        let mut builder = self.build_word()?;
        let words = &self.found.commands[index].words;
        let is_prefix = words.is_empty();
        let takes_arrays =
            is_prefix || words[0].literal().is_some_and(|name| lists(DECLARATIONS, name) && !words[0].is_quoted);
        let mut array = None;
        if takes_arrays && builder.is_assignment && builder.ends_with_equals() && self.has("(") {
            self.bash_only()?;
            self.at += 1;
            array = Some(self.nested(Self::array)?);
            // Adjacent text belongs to the same word.
            if self.byte(0).is_some_and(|byte| !b" \t\n;&|<>)".contains(&byte)) {
                return self.syntax_error();
            }
        }
        if builder.is_assignment && is_prefix {
            let (name, value) = builder.assignment(self.span(start));
            self.found.commands[index].assignments.push(Assignment { name, value, elements: array });
            return Ok(());
        }
        if array.is_some() {
            builder.expansion(ExpansionKind::Array, false);
        }
        let words = builder.words(self.span(start));
        // In zsh, a group begins where a command begins with a brace, whatever follows.
        let is_reserved = |name: &str| RESERVED.contains(&name) || name.starts_with('{') && name.len() > 1;
        if is_prefix && (words.iter()).any(|word| !word.is_quoted && word.literal().is_some_and(is_reserved)) {
            return self.syntax_error();
        }
        self.found.commands[index].words.extend(words);
        Ok(())
    }

    fn array(&mut self) -> Parsed<Vec<Word>> {
        let mut elements = Vec::new();
        loop {
            self.skip_lines()?;
            if self.take(")") {
                return Ok(elements);
            }
            if self.has("[") {
                self.note(Why::Arithmetic, self.at);
            }
            elements.extend(self.words()?);
        }
    }

    // Redirections.

    pub(super) fn is_at_redirection(&self) -> bool {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        match self.byte(digits) {
            Some(b'<' | b'>') => digits > 0 || self.byte(1) != Some(b'('),
            Some(b'&') => digits == 0 && self.byte(1) == Some(b'>'),
            Some(b'{') if digits == 0 => {
                let name = name_length(&self.rest()[1..]);
                self.byte(name + 1) == Some(b'}') && matches!(self.byte(name + 2), Some(b'<' | b'>'))
            }
            _ => false,
        }
    }

    pub(super) fn redirection(&mut self, index: usize) -> Parsed {
        use RedirectionOperator as Op;
        let start = self.at;
        if self.has("{") {
            // Another shell reads the name as a word.
            return self.syntax_error();
        }
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let descriptor = self.text[self.at..self.at + digits].parse().ok();
        if digits > 0 && descriptor.is_none() {
            return self.syntax_error();
        }
        self.at += digits;
        const OPERATORS: [(&str, RedirectionOperator); 12] = [
            ("<<<", Op::HereString),
            ("<<-", Op::HereDocument),
            ("<<", Op::HereDocument),
            ("<&", Op::DuplicateInput),
            ("<>", Op::ReadWrite),
            ("<", Op::Input),
            (">>", Op::Append),
            (">&", Op::DuplicateOutput),
            (">|", Op::Clobber),
            (">", Op::Output),
            ("&>>", Op::AppendOutputAndError),
            ("&>", Op::OutputAndError),
        ];
        let Some((sign, operator)) = OPERATORS.into_iter().find(|(sign, _)| self.has(sign)) else {
            return self.syntax_error();
        };
        if matches!(operator, Op::HereString | Op::OutputAndError | Op::AppendOutputAndError) {
            self.bash_only()?;
        }
        self.at += sign.len();
        self.skip_blanks()?;
        // The end of a here-document is not expanded.
        let keeps = self.keeps_expansions;
        self.keeps_expansions |= operator == Op::HereDocument;
        let word = self.word();
        self.keeps_expansions = keeps;
        let mut target = word?;
        if operator == Op::HereDocument {
            let Some(delimiter) = target.literal().filter(|word| !word.contains('\n')) else {
                return self.syntax_error();
            };
            self.pending.push(Pending {
                command: index,
                redirection: self.found.commands[index].redirections.len(),
                delimiter: delimiter.to_owned(),
                is_quoted: target.is_quoted,
                is_indented: sign == "<<-",
            });
            target.parts.clear();
        }
        let span = self.span(start);
        self.found.commands[index].redirections.push(Redirection { descriptor, operator, target, span });
        Ok(())
    }

    /// Reads the text of a here-document, from the beginning of its first line to the end of its last one.
    pub(super) fn here_document(&mut self, pending: Pending) -> Parsed {
        let start = self.at;
        let mut is_continued = false;
        let end = loop {
            if self.at >= self.text.len() {
                self.at = start;
                return self.syntax_error();
            }
            let from = self.at;
            let rest = &self.text[from..];
            let length = rest.find('\n').unwrap_or(rest.len());
            let whole = &rest[..length];
            let line = if pending.is_indented { whole.trim_start_matches('\t') } else { whole };
            let is_end = line == pending.delimiter;
            // Shells disagree whether it ends there.
            let is_nearly_end = line.strip_prefix(&pending.delimiter).is_some_and(|rest| rest.contains([')', '`']))
                || is_end && is_continued;
            if is_nearly_end || is_continued && pending.delimiter.ends_with(line) {
                return self.syntax_error();
            }
            self.at = (from + length + 1).min(self.text.len());
            if is_end {
                break from;
            }
            let backslashes = line.bytes().rev().take_while(|byte| *byte == b'\\').count();
            is_continued = !pending.is_quoted && backslashes % 2 == 1;
        };
        let text = &self.text[start..end];
        let parts = if pending.is_quoted {
            vec![Part::Literal(without_tabs(text, pending.is_indented))]
        } else {
            let mut inner = Parser::new(text, self.place.behind(start), self.via.clone(), self.depth, self.is_posix);
            inner.keeps_expansions = self.keeps_expansions;
            let mut builder = Builder::default();
            let parsed = inner.double_quoted(&mut builder, false);
            inner.join_pipes();
            self.adopt(inner.found);
            parsed.map_err(|Refusal { why, at }| Refusal { why, at: start + at })?;
            let mut parts = builder.word(0..0).parts;
            for part in &mut parts {
                if let Part::Literal(literal) = part {
                    *literal = without_tabs(literal, pending.is_indented);
                }
            }
            parts
        };
        self.found.commands[pending.command].redirections[pending.redirection].target.parts = parts;
        Ok(())
    }

    /// Adds the commands and findings of another text.
    pub(super) fn adopt(&mut self, found: Found) {
        self.defines |= found.unanalyzed.iter().any(|(why, _)| *why == Why::Definition);
        self.found.commands.extend(found.commands);
        self.found.unanalyzed.extend(found.unanalyzed);
    }
}

fn without_tabs(text: &str, is_indented: bool) -> String {
    if is_indented {
        text.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect()
    } else {
        text.to_owned()
    }
}
