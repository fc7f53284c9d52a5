//! Constructs with a list in them (`if`, loops, `case`, functions), and conditions.

use super::builder::Builder;
use super::{Parsed, Parser, is_name};
use crate::layout::StageKind;
use crate::programs::lists;
use crate::{Assignment, Via, Why, Word};

impl Parser<'_> {
    pub(super) fn if_clause(&mut self) -> Parsed {
        self.at += 2;
        loop {
            self.full_list()?;
            self.expect_keyword("then")?;
            self.full_list()?;
            if self.keyword("elif") {
                continue;
            }
            if self.keyword("else") {
                self.full_list()?;
            }
            return self.expect_keyword("fi");
        }
    }

    pub(super) fn do_group(&mut self) -> Parsed {
        self.expect_keyword("do")?;
        self.full_list()?;
        self.expect_keyword("done")
    }

    pub(super) fn for_clause(&mut self, keyword: &str) -> Parsed {
        self.at += keyword.len();
        self.skip_blanks()?;
        if self.has("((") {
            self.bash_only()?;
            self.at += 2;
            self.arithmetic(b";")?;
            self.skip_blanks()?;
            self.take(";");
            self.skip_lines()?;
            return self.do_group();
        }
        let start = self.at;
        let name = self.word()?;
        let Some(name) = name.literal().filter(|name| is_name(name)) else {
            return self.syntax_error();
        };
        let name = name.to_owned();
        let index = self.begin_command();
        let mut elements = None;
        let mut value = Builder::default();
        self.skip_lines()?;
        if self.keyword("in") {
            let mut words = Vec::new();
            loop {
                self.skip_blanks()?;
                if matches!(self.byte(0), Some(b'\n' | b';')) {
                    break;
                }
                words.extend(self.words()?);
            }
            elements = Some(words);
        } else {
            // `"$@"`
            value.variable("@", false);
        }
        let value = value.word(self.span(start));
        self.found.commands[index].assignments.push(Assignment { name, value, elements });
        self.end_command(index, start);
        self.skip_blanks()?;
        self.take(";");
        self.skip_lines()?;
        self.do_group()
    }

    pub(super) fn case_clause(&mut self) -> Parsed {
        self.at += "case".len();
        self.skip_blanks()?;
        self.word()?;
        self.skip_lines()?;
        self.expect_keyword("in")?;
        loop {
            self.skip_lines()?;
            if self.keyword("esac") {
                return Ok(());
            }
            self.take("(");
            loop {
                self.skip_blanks()?;
                self.word()?;
                self.skip_blanks()?;
                if !self.take("|") {
                    break;
                }
            }
            self.expect(")")?;
            self.list()?;
            if self.has(";&") || self.has(";;&") {
                self.bash_only()?;
            }
            if !(self.take(";;&") || self.take(";;") || self.take(";&")) {
                self.skip_lines()?;
                return self.expect_keyword("esac");
            }
        }
    }

    /// Parses the inside of `[[ … ]]`, which only runs its expansions.
    pub(super) fn condition(&mut self) -> Parsed {
        let start = self.at;
        self.at += 2;
        let mut is_arithmetic = false;
        loop {
            self.skip_lines()?;
            if self.keyword("]]") {
                break;
            }
            if self.has("<(") || self.has(">(") {
                return self.syntax_error();
            }
            if "&& || ( ) < >".split(' ').any(|sign| self.take(sign)) {
                continue;
            }
            if self.take("=~") {
                self.skip_blanks()?;
                self.pattern()?;
                continue;
            }
            let word = self.word()?;
            is_arithmetic |= word.is("-eq -ne -lt -le -gt -ge -v -R");
        }
        if is_arithmetic {
            self.note(Why::Arithmetic, start);
        }
        Ok(())
    }

    /// Parses a regular expression, in which parentheses and bars have their own meaning.
    pub(super) fn pattern(&mut self) -> Parsed {
        let mut depth = 0_usize;
        let mut word = Builder::default();
        loop {
            match self.byte(0) {
                None | Some(b';' | b'&' | b'<' | b'>') => return self.syntax_error(),
                Some(b' ' | b'\t' | b'\n') if depth > 0 => return self.syntax_error(),
                Some(b' ' | b'\t' | b'\n') => return Ok(()),
                Some(b'(') => {
                    depth += 1;
                    self.at += 1;
                }
                Some(b')') if depth == 0 => return self.syntax_error(),
                Some(b')') => {
                    depth -= 1;
                    self.at += 1;
                }
                Some(b'|') => self.at += 1,
                Some(_) => self.piece(&mut word)?,
            }
        }
    }

    pub(super) fn function(&mut self, name: &Word, start: usize) -> Parsed {
        let name = name.literal().unwrap_or_default().to_owned();
        self.defines = true;
        self.note(Why::Definition, start);
        self.skip_lines()?;
        let is_compound =
            self.has("(") || (self.reserved()).is_some_and(|word| lists("{ if for while until case select [[", word));
        if !is_compound {
            return self.syntax_error();
        }
        self.within(Via::Function(name), Self::command)?;
        self.stages.close(StageKind::Function, self.at, None);
        Ok(())
    }
}
