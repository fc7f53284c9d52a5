//! Commands that `xargs` runs, with the names from its input if they are in the line.

use std::slice;

use super::holes::{filled, open_word};
use super::{At, MOST_COPIES, MOST_SCRIPT_BYTES, arguments, fill};
use crate::printed::length;
use crate::programs::{Argument, Program};
use crate::{Assignment, ExpansionKind, Part, Why, Word};

/// Maximum numbers of names and commands to list: with more, the arguments are unknown.
const MOST_NAMES: usize = 1_000;
const MOST_COMMANDS: usize = 16;

/// The way in which `xargs` reads names.
struct Taking<'w> {
    /// Placeholder that a name replaces.
    mark: Option<&'w str>,
    /// End of a name, unless any blank ends it.
    end: Option<char>,
    /// Maximum number of names for a command.
    most: usize,
    /// `false` if the names come from elsewhere, or end in another way.
    is_known: bool,
}

impl<'w> Taking<'w> {
    fn of(program: &Program, options: &'w [Word]) -> Self {
        let mut taking = Self { mark: None, end: None, most: MOST_NAMES, is_known: true };
        for argument in program.read(options) {
            let Argument::Known { name, value, .. } = argument else {
                continue;
            };
            let value = match value {
                Some((word, at)) => word.literal().and_then(|text| text.get(at..)).unwrap_or_default(),
                None if name == "replace" => "{}",
                None => "",
            };
            match name {
                "0" | "null" => taking.end = Some('\0'),
                "I" | "replace" => (taking.mark, taking.end, taking.most) = (Some(value), taking.end.or(Some('\n')), 1),
                // All names take the place of this word (BSD).
                "J" => (taking.mark, taking.is_known) = (Some(value), false),
                "L" => (taking.end, taking.most) = (taking.end.or(Some('\n')), 1),
                "n" | "max-args" => taking.most = value.parse().unwrap_or_default(),
                "d" | "delimiter" if value == "\\n" => taking.end = Some('\n'),
                "d" | "delimiter" => taking.end = value.chars().next(),
                "E" | "a" | "arg-file" => taking.is_known = false,
                _ => {}
            }
        }
        taking
    }

    /// Returns the names for each command; `None` if they are not in the line, or make the words too long.
    fn names(&self, input: Option<&Word>, words: &[Word]) -> Option<Vec<Vec<String>>> {
        let input = input.filter(|input| {
            self.is_known
                && self.most > 0
                && input.parts.iter().all(|part| part.literal().is_some() || part.is(ExpansionKind::Home))
        })?;
        let text = filled(slice::from_ref(input))?;
        // `xargs` has its own quotes.
        if self.end.is_none() && text.contains(['\'', '"', '\\']) {
            return None;
        }
        let names: Vec<String> = text
            .split(|char: char| self.end.map_or(char.is_ascii_whitespace(), |end| char == end))
            .map(|name| name.trim_end_matches('\n'))
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .take(MOST_NAMES + 1)
            .collect();
        let bytes: usize = words.iter().map(|word| length(&word.parts)).sum();
        let is_few = names.len() <= MOST_NAMES && names.len().div_ceil(self.most) <= MOST_COMMANDS;
        let is_short = self.mark.is_none() || text.len() * bytes <= MOST_SCRIPT_BYTES;
        (is_few && is_short).then(|| names.chunks(self.most).map(<[String]>::to_vec).collect())
    }
}

impl At<'_> {
    pub(super) fn xargs(&mut self, program: &Program, options: &[Word], words: &[Word], assignments: &[Assignment]) {
        let taking = Taking::of(program, options);
        if taking.mark == Some("") {
            return self.note_all(Why::Prefix);
        }
        let command = self.command;
        let word = |part: Part| Word { parts: vec![part], span: command.span.clone(), is_quoted: false };
        let Some(taken) = taking.names(command.input(), words) else {
            let mut words = words.to_vec();
            match taking.mark {
                Some(mark) => words.iter_mut().for_each(|word| fill(word, mark)),
                None => words.push(word(arguments(false))),
            }
            return self.inner(program.name, words, assignments);
        };
        for names in taken {
            if self.reach.copies > MOST_COPIES {
                return self.note_all(Why::TooLong);
            }
            let mut words = words.to_vec();
            match taking.mark {
                Some(mark) => words.iter_mut().flat_map(|word| &mut word.parts).for_each(|part| {
                    if let Part::Literal(text) = part {
                        *text = text.replace(mark, &names[0]);
                    }
                }),
                None => words.extend(names.into_iter().map(Part::Literal).map(word)),
            }
            words.iter_mut().for_each(open_word);
            self.inner(program.name, words, assignments);
        }
    }
}
