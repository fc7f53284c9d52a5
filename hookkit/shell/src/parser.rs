//! The grammar: the constructs and words of a text, regardless of the meaning of commands.
//!
//! Text that cannot be parsed with certainty is refused, with everything after it: the end of a construct decides what a
//! command is.

mod builder;
mod compound;
mod parameter;
mod simple;
mod stages;
mod word;

use crate::programs::lists;
use std::mem;
use std::ops::Range;

use self::stages::Stages;
use super::layout::{Operator, StageKind};
use super::printed::{length, printed};
use super::{Command, Via, Why, Word};
#[cfg(feature = "layout")]
use super::{LONGEST, layout::Layout};

/// Maximum depth of constructs, and of scripts within scripts. A level takes some kilobytes of the stack.
pub(super) const DEEPEST: usize = 40;

/// Maximum number of printed bytes to join for the pipelines of a text.
const MOST_PIPED_BYTES: usize = 4 << 20;

/// Words that begin or end a construct in command position.
const RESERVED: [&str; 22] = [
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while", "{", "}",
];

/// The reason why parsing stopped, and the position.
pub(super) struct Refusal {
    why: Why,
    at: usize,
}

type Parsed<T = ()> = Result<T, Refusal>;

/// Position of a text in the text given to `analyze`.
#[derive(Clone)]
pub(super) enum Position {
    From(usize),
    /// In a range, because escapes were removed.
    Within(Range<usize>),
}

impl Position {
    fn span(&self, range: Range<usize>) -> Range<usize> {
        match self {
            Self::From(start) => start + range.start..start + range.end,
            Self::Within(range) => range.clone(),
        }
    }

    /// Returns the position of the text from `offset` on.
    fn behind(&self, offset: usize) -> Self {
        match self {
            Self::From(start) => Self::From(start + offset),
            within @ Self::Within(_) => within.clone(),
        }
    }
}

/// The result of parsing.
#[derive(Default)]
pub(super) struct Found {
    pub commands: Vec<Command>,
    pub unanalyzed: Vec<(Why, Range<usize>)>,
    /// Comments of the text itself, without those of scripts in it.
    pub comments: Vec<Range<usize>>,
}

/// A here-document whose text begins on the next line.
struct Pending {
    command: usize,
    redirection: usize,
    delimiter: String,
    is_quoted: bool,
    is_indented: bool,
}

pub(super) struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// `true` if the shell may not support bash's syntax.
    is_posix: bool,
    place: Position,
    via: Vec<Via>,
    pending: Vec<Pending>,
    found: Found,
    stages: Stages,
    /// Commands of each stage of a pipeline, and the command that reads their output.
    pipes: Vec<(Range<usize>, usize)>,
    /// `true` to keep expansions as such, even if their text is in the line.
    keeps_expansions: bool,
    /// `true` if any name may be redefined, even `echo`.
    defines: bool,
    /// `true` if the text may set `IFS`, which splits texts into other words.
    sets_separators: bool,
}

/// Parses the commands of a text, and its parts that cannot be analyzed.
pub(super) fn parse(text: &str, place: Position, via: Vec<Via>, depth: usize, is_posix: bool) -> Found {
    let mut parser = Parser::new(text, place, via, depth, is_posix);
    if let Err(Refusal { why, at }) = parser.script() {
        parser.at = text.len();
        parser.note(why, at);
    }
    parser.join_pipes();
    parser.found
}

/// Parses the stages and the commands of a text. Fails if a part cannot be parsed with certainty.
#[cfg(feature = "layout")]
pub(super) fn lay_out(text: &str) -> Result<Layout, (Why, Range<usize>)> {
    let refused = |why, at| (why, at..text.len());
    if text.len() > LONGEST {
        return Err(refused(Why::TooLong, 0));
    }
    let mut parser = Parser::new(text, Position::From(0), Vec::new(), 0, false);
    parser.keeps_expansions = true;
    parser.script().map_err(|Refusal { why, at }| refused(why, at))?;
    Ok(Layout { stages: parser.stages.all, commands: parser.found.commands })
}

pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(|char: char| char.is_ascii_digit()) && name_length(text) == text.len()
}

/// Returns the length of the prefix of a text that may be a name.
fn name_length(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, place: Position, via: Vec<Via>, depth: usize, is_posix: bool) -> Self {
        Self {
            text,
            at: 0,
            depth,
            is_posix,
            place,
            via,
            pending: Vec::new(),
            found: Found::default(),
            stages: Stages::default(),
            pipes: Vec::new(),
            keeps_expansions: false,
            defines: false,
            sets_separators: text.contains("IFS"),
        }
    }

    fn script(&mut self) -> Parsed {
        if self.depth > DEEPEST {
            return self.refuse(Why::TooDeep);
        }
        if let Some(at) = self.text.find('\0') {
            return Err(Refusal { why: Why::Character, at });
        }
        self.list()?;
        if self.at < self.text.len() || !self.pending.is_empty() {
            return self.syntax_error();
        }
        Ok(())
    }

    // Queries about the text here.

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn char(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn has(&self, expected: &str) -> bool {
        self.text.as_bytes()[self.at..].starts_with(expected.as_bytes())
    }

    /// Returns `true` if the byte at this distance ends a word.
    fn is_at_word_end(&self, ahead: usize) -> bool {
        self.byte(ahead).is_none_or(|byte| b" \t\n;&|)".contains(&byte))
    }

    /// Consumes this word if it comes next, as a whole word.
    fn take_word(&mut self, word: &str) -> bool {
        self.is_at_word_end(word.len()) && self.take(word)
    }

    fn take(&mut self, expected: &str) -> bool {
        let is_there = self.has(expected);
        if is_there {
            self.at += expected.len();
        }
        is_there
    }

    fn expect(&mut self, expected: &str) -> Parsed {
        let is_there = self.take(expected);
        self.require(is_there)
    }

    fn span(&self, from: usize) -> Range<usize> {
        self.place.span(from..self.at)
    }

    // Refusals.

    fn refuse<T>(&self, why: Why) -> Parsed<T> {
        Err(Refusal { why, at: self.at })
    }

    fn syntax_error<T>(&self) -> Parsed<T> {
        self.refuse(Why::Syntax)
    }

    /// Refuses the syntax here unless a condition holds.
    fn require(&self, holds: bool) -> Parsed {
        if holds { Ok(()) } else { self.syntax_error() }
    }

    /// Rejects syntax that other shells than bash may read differently.
    fn bash_only(&self) -> Parsed {
        self.require(!self.is_posix)
    }

    fn note(&mut self, why: Why, from: usize) {
        self.found.unanalyzed.push((why, self.span(from)));
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            return self.refuse(Why::TooDeep);
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn within<T>(&mut self, via: Via, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.via.push(via);
        let parsed = self.nested(parse);
        self.via.pop();
        parsed
    }

    // Blanks and comments.

    fn skip_blanks(&mut self) -> Parsed {
        let mut is_continued = false;
        loop {
            match self.byte(0) {
                Some(b' ' | b'\t') => {
                    self.at += 1;
                    is_continued = false;
                }
                Some(b'\\') if self.byte(1) == Some(b'\n') => {
                    self.at += 2;
                    is_continued = true;
                }
                // It is a comment only in some shells.
                Some(b'#') if is_continued => return self.syntax_error(),
                Some(b'#') if self.at == 0 || b" \t\n|&;()".contains(&self.text.as_bytes()[self.at - 1]) => {
                    let start = self.at;
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                    self.found.comments.push(start..self.at);
                }
                _ => return Ok(()),
            }
        }
    }

    fn skip_lines(&mut self) -> Parsed {
        loop {
            self.skip_blanks()?;
            if self.byte(0) != Some(b'\n') {
                return Ok(());
            }
            self.at += 1;
            for pending in mem::take(&mut self.pending) {
                self.here_document(pending)?;
            }
        }
    }

    // Lists and pipelines.

    /// Returns the next word if it would begin or end a construct.
    fn reserved(&self) -> Option<&'static str> {
        let rest = &self.text.as_bytes()[self.at..];
        // Most words begin with another letter.
        if !matches!(rest.first(), Some(b'!' | b'[' | b']' | b'{' | b'}' | b'c'..=b'f' | b'i' | b's'..=b'w')) {
            return None;
        }
        let is_end =
            |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' | b'\\');
        let length = rest.iter().take(9).position(is_end).unwrap_or(rest.len());
        RESERVED.into_iter().find(|word| word.as_bytes() == &rest[..length])
    }

    fn keyword(&mut self, word: &str) -> bool {
        self.reserved() == Some(word) && self.take(word)
    }

    fn expect_keyword(&mut self, word: &str) -> Parsed {
        let is_there = self.keyword(word);
        self.require(is_there)
    }

    fn is_at_end_of_list(&self) -> bool {
        self.byte(0).is_none_or(|byte| byte == b')')
            || self.has(";;")
            || self.has(";&")
            || (self.reserved()).is_some_and(|word| lists("do done elif else esac fi then }", word))
    }

    fn list(&mut self) -> Parsed {
        loop {
            self.skip_lines()?;
            if self.is_at_end_of_list() {
                return Ok(());
            }
            self.and_or()?;
            self.skip_blanks()?;
            match self.byte(0) {
                Some(b'\n') => self.stages.follow(Operator::Next),
                Some(b';') if !self.has(";;") && !self.has(";&") => {
                    self.at += 1;
                    self.stages.follow(Operator::Next);
                }
                Some(b'&') if self.byte(1) != Some(b'&') => {
                    self.at += 1;
                    self.stages.follow(Operator::Background);
                }
                _ if self.is_at_end_of_list() => return Ok(()),
                _ => return self.syntax_error(),
            }
        }
    }

    /// Parses a list with at least one command, as every construct requires.
    fn full_list(&mut self) -> Parsed {
        self.skip_lines()?;
        if self.is_at_end_of_list() {
            return self.syntax_error();
        }
        self.list()
    }

    fn and_or(&mut self) -> Parsed {
        loop {
            self.pipeline()?;
            self.skip_blanks()?;
            if self.take("&&") {
                self.stages.follow(Operator::And);
            } else if self.take("||") {
                self.stages.follow(Operator::Or);
            } else {
                return Ok(());
            }
            self.skip_lines()?;
        }
    }

    fn pipeline(&mut self) -> Parsed {
        let mut prefixes = 0;
        let outer = self.via.len();
        loop {
            self.skip_blanks()?;
            if self.keyword("!") {
                self.stages.negate();
                prefixes += 1;
            } else if self.keyword("time") {
                self.skip_blanks()?;
                if self.has("-") {
                    // In other shells it is a program, with options of its own.
                    self.bash_only()?;
                }
                self.take_word("-p");
                self.skip_blanks()?;
                self.take_word("--");
                self.via.push(Via::Prefix("time".into()));
                prefixes += 1;
            } else {
                break;
            }
            if prefixes > DEEPEST {
                return self.refuse(Why::TooDeep);
            }
        }
        self.skip_blanks()?;
        let parsed = if prefixes > 0 && (matches!(self.byte(0), Some(b'\n' | b';' | b'&')) || self.is_at_end_of_list())
        {
            Ok(())
        } else {
            self.stages()
        };
        self.via.truncate(outer);
        parsed
    }

    fn stages(&mut self) -> Parsed {
        let first = self.found.commands.len();
        let outer = self.via.len();
        self.command()?;
        self.skip_blanks()?;
        let mut is_first = true;
        let mut before = first;
        while self.byte(0) == Some(b'|') && self.byte(1) != Some(b'|') {
            self.at += 1;
            self.stages.follow(Operator::Pipe);
            if self.has("&") {
                self.bash_only()?;
                self.at += 1;
            }
            if mem::take(&mut is_first) {
                for command in &mut self.found.commands[first..] {
                    command.via.insert(outer, Via::Pipeline);
                }
                self.via.push(Via::Pipeline);
            }
            self.skip_lines()?;
            let reader = self.found.commands.len();
            if self.reserved().is_none() && !self.has("(") {
                self.pipes.push((before..reader, reader));
            }
            before = reader;
            self.command()?;
            self.skip_blanks()?;
        }
        self.via.truncate(outer);
        Ok(())
    }

    /// Passes on to commands the text that earlier commands in a pipeline print, after all here-documents are read.
    fn join_pipes(&mut self) {
        if self.defines {
            return;
        }
        let mut left = MOST_PIPED_BYTES;
        for (before, reader) in mem::take(&mut self.pipes) {
            let commands = &mut self.found.commands;
            let Some((command, parts)) = commands.get(reader).and_then(|command| {
                let parts = printed(&commands[before], &command.via)?;
                left = left.checked_sub(length(&parts))?;
                Some((command, parts))
            }) else {
                continue;
            };
            let text = Word { parts, span: command.span.clone(), is_quoted: true };
            commands[reader].piped = Some(Box::new(text));
        }
    }

    // Commands.

    fn command(&mut self) -> Parsed {
        let start = self.at;
        self.stages.open(start);
        let kind = match self.reserved() {
            Some("if") => {
                self.nested(Self::if_clause)?;
                StageKind::If
            }
            Some("while" | "until") => {
                self.at += 5;
                self.within(Via::Loop, |parser| {
                    parser.full_list()?;
                    parser.do_group()
                })?;
                StageKind::Loop
            }
            Some(keyword @ ("for" | "select")) => {
                self.require(keyword == "for" || !self.is_posix)?;
                self.within(Via::Loop, |parser| parser.for_clause(keyword))?;
                StageKind::Loop
            }
            Some("case") => {
                self.nested(Self::case_clause)?;
                StageKind::Case
            }
            Some("{") => {
                self.at += 1;
                self.nested(Self::full_list)?;
                self.expect_keyword("}")?;
                StageKind::Group
            }
            Some("[[") => {
                self.bash_only()?;
                self.nested(Self::condition)?;
                StageKind::Condition
            }
            Some("function") => {
                self.bash_only()?;
                self.at += "function".len();
                self.skip_blanks()?;
                let name = self.word()?;
                self.skip_blanks()?;
                if self.take("(") {
                    self.skip_blanks()?;
                    self.expect(")")?;
                }
                return self.function(&name, start);
            }
            Some(_) => return self.syntax_error(),
            None if self.has("((") => {
                self.bash_only()?;
                self.at += 2;
                self.nested(|parser| parser.arithmetic(b""))?;
                StageKind::Arithmetic
            }
            None if self.take("(") => {
                self.opened()?;
                self.within(Via::Subshell, Self::full_list)?;
                self.expect(")")?;
                StageKind::Subshell
            }
            None => return self.simple_command(),
        };
        self.redirections_of_compound(kind)
    }

    /// Checks the text after a parenthesis: if another parenthesis is on the next line, some shells read arithmetic.
    fn opened(&self) -> Parsed {
        self.require(!self.has("\\\n"))
    }

    fn redirections_of_compound(&mut self, kind: StageKind) -> Parsed {
        let mut end = self.at;
        self.skip_blanks()?;
        if !self.is_at_redirection() {
            self.stages.close(kind, end, None);
            return Ok(());
        }
        let start = self.at;
        let index = self.begin_command();
        while self.is_at_redirection() {
            self.redirection(index)?;
            end = self.at;
            self.skip_blanks()?;
        }
        self.end_command(index, start);
        self.stages.close(kind, end, Some(index));
        Ok(())
    }
}
