//! The names that `xargs` takes from its input, where that is in the line.

use std::slice;

use super::holes::filled;
use crate::programs::{Argument, Program, Takes};
use crate::{ExpansionKind, Part, Word};

/// More names, and more commands, are not known.
const MOST_NAMES: usize = 1_000;
const MOST_COMMANDS: usize = 16;

/// Returns the names of each command that `xargs` runs, by its options; `None` if they are not in the line.
pub(super) fn taken(program: &Program, options: &[Word], input: Option<&Word>) -> Option<Vec<Vec<String>>> {
    let is_known = |part: &Part| match part {
        Part::Literal(_) => true,
        Part::Expansion(expansion) => expansion.kind == ExpansionKind::Home,
    };
    let input = input.filter(|input| input.parts.iter().all(is_known))?;
    let text = filled(slice::from_ref(input))?;
    let (mut end, mut most) = (None, MOST_NAMES);
    for argument in program.read(options) {
        let Argument::Known { name, takes, value, .. } = argument else {
            return None;
        };
        let value = match takes {
            Takes::Value(_) => value.and_then(|(word, at)| word.literal()?.get(at..)),
            _ => None,
        };
        match name {
            "0" | "null" => end = Some('\0'),
            "I" | "L" => (end, most) = (end.or(Some('\n')), 1),
            "n" | "max-args" => most = value?.parse().ok().filter(|most| *most > 0)?,
            "d" | "delimiter" if value? == "\\n" => end = Some('\n'),
            "d" | "delimiter" => end = Some(value?.chars().next()?),
            "a" | "arg-file" | "E" | "e" => return None,
            _ => {}
        }
    }
    let names: Vec<String> = match end {
        Some(end) => text
            .split(end)
            .map(|name| name.trim_end_matches('\n').to_owned())
            .collect(),
        // It has quotes of its own.
        None if text.contains(['\'', '"', '\\']) => return None,
        None => text.split_ascii_whitespace().map(str::to_owned).collect(),
    };
    let names: Vec<String> = names.into_iter().filter(|name| !name.is_empty()).collect();
    let is_few = names.len() <= MOST_NAMES && names.len().div_ceil(most) <= MOST_COMMANDS;
    is_few.then(|| names.chunks(most).map(<[String]>::to_vec).collect())
}
