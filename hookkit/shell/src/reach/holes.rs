//! Scripts with holes, which another shell, `xargs` or `find` fills before a shell reads them.

use std::mem;

use crate::parser::{Found, is_name};
use crate::{Expansion, ExpansionKind, Part, Word};

/// Hole of an argument that a program inserts.
pub(super) const INSERTED: char = '\u{10fff0}';

/// Holes in a text, each a character for private use. A script that itself contains such a character has an unknown
/// part there, too.
const HOLES: [(char, ExpansionKind); 5] = [
    (INSERTED, ExpansionKind::Arguments),
    ('\u{10fff1}', ExpansionKind::Parameter),
    ('\u{10fff2}', ExpansionKind::Number),
    ('\u{10fff3}', ExpansionKind::Home),
    ('\u{10fff4}', ExpansionKind::Folder),
];

/// End of a variable's name, after its hole.
const END: char = '\u{10fff5}';

/// Returns the kind of a hole.
fn hole(char: char) -> Option<ExpansionKind> {
    HOLES.iter().find(|(hole, _)| *hole == char).map(|(_, kind)| *kind)
}

/// Returns the words as one text with holes; `None` if no part of the text is literal, or if a hole would be another command's
/// output.
pub(super) fn with_holes(words: &[Word]) -> Option<String> {
    let text = filled(words)?;
    let is_known = words
        .iter()
        .flat_map(|word| &word.parts)
        .any(|part| matches!(part, Part::Literal(text) if !text.trim().is_empty()));
    (is_known && !has_open_document(&text)).then_some(text)
}

/// Returns the words as one text with holes; `None` if a hole would be another command's output.
pub(super) fn filled(words: &[Word]) -> Option<String> {
    let mut text = String::new();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        for part in &word.parts {
            match part {
                Part::Literal(known) if known.chars().any(|char| hole(char).is_some()) => return None,
                Part::Literal(known) => text.push_str(known),
                Part::Expansion(expansion) => {
                    let (hole, _) = HOLES.iter().find(|(_, kind)| *kind == expansion.kind)?;
                    text.push(*hole);
                    if expansion.kind == ExpansionKind::Parameter {
                        // The script has other arguments.
                        let name = expansion.variable.as_deref().filter(|name| is_name(name));
                        text.push_str(name.unwrap_or_default());
                        text.push(END);
                    }
                }
            }
        }
    }
    Some(text)
}

/// Returns `true` for a here-document whose end may be in a hole.
fn has_open_document(text: &str) -> bool {
    text.match_indices("<<")
        .map(|(at, _)| &text[at + 2..])
        .find(|rest| !rest.starts_with('<'))
        .is_some_and(|rest| rest.contains(|char| hole(char).is_some()))
}

/// Turns the holes in the words of a text's commands into expansions.
pub(super) fn open(found: &mut Found, text: &str) {
    if !text.contains(|char| hole(char).is_some()) {
        return;
    }
    for command in &mut found.commands {
        let assigned = command
            .assignments
            .iter_mut()
            .flat_map(|assignment| assignment.elements.iter_mut().flatten().chain([&mut assignment.value]));
        let targets = command.redirections.iter_mut().map(|redirection| &mut redirection.target);
        command.words.iter_mut().chain(targets).chain(assigned).for_each(open_word);
    }
}

pub(super) fn open_word(word: &mut Word) {
    // The extent of the quotes is not kept.
    let is_quoted = word.is_quoted;
    let parts = mem::take(&mut word.parts);
    for part in parts {
        let Part::Literal(text) = part else {
            word.parts.push(part);
            continue;
        };
        let mut rest = text.as_str();
        while let Some((at, char, kind)) = rest.char_indices().find_map(|(at, char)| Some((at, char, hole(char)?))) {
            word.parts.extend((at > 0).then(|| Part::Literal(rest[..at].to_owned())));
            rest = &rest[at + char.len_utf8()..];
            let mut expansion = Expansion::new(kind, is_quoted);
            if kind == ExpansionKind::Parameter
                && let Some((name, behind)) = rest.split_once(END)
            {
                expansion.variable = (!name.is_empty()).then(|| name.into());
                rest = behind;
            }
            word.parts.push(Part::Expansion(expansion));
        }
        if !rest.is_empty() || text.is_empty() {
            word.parts.push(Part::Literal(rest.to_owned()));
        }
    }
}
