//! Text in a line that its commands print and other commands read.

use crate::{Command, Expansion, ExpansionKind, Part, Redirection, RedirectionOperator, Via, Word};

/// Maximum length of a joined text, in bytes.
const LONGEST: usize = 50_000;

impl Command {
    /// Returns the text on the command's stdin, if it is in the line: a here-document, a here-string, or output of an earlier
    /// `echo`, `printf` or `cat` in the pipeline.
    pub fn input(&self) -> Option<&Word> {
        let mut own = self.redirections.iter().filter(|to| to.is_input());
        match (own.next(), own.next()) {
            (None, _) => self.piped.as_deref(),
            (Some(input), None) if input.operator.has_text() => Some(&input.target),
            _ => None,
        }
    }

    /// Returns the text that the command prints, or writes by its redirection, if it is in the line.
    pub fn output(&self) -> Option<Word> {
        Some(Word { parts: output(self)?, span: self.span.clone(), is_quoted: true })
    }
}

impl Redirection {
    /// Returns `true` if the command reads its stdin from this redirection.
    pub fn is_input(&self) -> bool {
        use RedirectionOperator::{DuplicateInput, Input, ReadWrite};
        match self.descriptor {
            Some(descriptor) => descriptor == 0,
            None => self.operator.has_text() || matches!(self.operator, DuplicateInput | Input | ReadWrite),
        }
    }
}

/// Returns the text that consecutive commands print `within` the same constructs.
///
/// Shells disagree about a backslash in a word of `echo`: it is read as with `echo -e`, and an
/// [escape](ExpansionKind::Escape) follows the text.
pub(crate) fn printed(commands: &[Command], within: &[Via]) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    for command in commands {
        let ways = command.via.strip_prefix(within)?;
        if ways.iter().any(|via| matches!(via, Via::CommandSubstitution | Via::ProcessSubstitution)) {
            continue;
        }
        if ways.iter().any(|via| *via != Via::Subshell)
            || !command.redirections.iter().all(|to| to.is_input() || to.descriptor == Some(2))
        {
            return None;
        }
        append(&mut parts, output(command)?);
    }
    (!parts.is_empty()).then_some(parts)
}

/// Returns the text that a command prints, or writes by its redirection.
pub(crate) fn output(command: &Command) -> Option<Vec<Part>> {
    let words = command.arguments();
    // With a path it may be another program.
    match (command.name()?, words) {
        ("cat", []) | ("dd" | "sponge" | "tee", _) => command.input().map(|input| input.parts.clone()),
        ("echo", _) => {
            let flags = words.iter().take_while(|word| word.is("-E -e -en -n -ne")).count();
            let mut parts = Vec::new();
            for (index, word) in words[flags..].iter().enumerate() {
                if index > 0 {
                    append(&mut parts, literal(" "));
                }
                append(&mut parts, word.parts.clone());
            }
            let has = |letter: char| words[..flags].iter().any(|flag| flag.known_start().contains(letter));
            let mut is_clear = true;
            for part in &mut parts {
                if let Part::Literal(text) = part
                    && text.contains('\\')
                {
                    is_clear = has('e');
                    *text = text.replace("\\n", "\n").replace("\\t", "\t");
                }
            }
            if !has('n') {
                append(&mut parts, literal("\n"));
            }
            if !is_clear {
                parts.push(Part::Expansion(Expansion::new(ExpansionKind::Escape, true)));
            }
            Some(parts)
        }
        ("printf", [format, values @ ..]) => formatted(format.literal()?, values),
        _ => None,
    }
}

/// Returns the text that `printf` prints: the format, repeated until all values are used.
fn formatted(format: &str, values: &[Word]) -> Option<Vec<Part>> {
    let format = format.replace("%b", "%s").replace("\\n", "\n").replace("\\t", "\t").replace("\\0", "\0");
    let texts: Vec<&str> = format.split("%s").collect();
    let of_one = texts.len() - 1;
    let count = if of_one == 0 { 1 } else { values.len().div_ceil(of_one).max(1) };
    if texts.iter().any(|text| text.contains(['%', '\\'])) || count * format.len() > LONGEST {
        return None;
    }
    let mut parts = Vec::new();
    let mut values = values.iter();
    for _ in 0..count {
        for (index, text) in texts.iter().enumerate() {
            let value = if index == 0 { None } else { values.next() };
            append(&mut parts, value.into_iter().flat_map(|value| value.parts.clone()));
            append(&mut parts, literal(text));
        }
    }
    Some(parts)
}

/// Returns the length of parts in bytes, where each expansion counts as one.
pub(crate) fn length(parts: &[Part]) -> usize {
    parts.iter().map(|part| part.literal().map_or(1, str::len)).sum()
}

/// Returns the parts of a literal word.
pub(crate) fn literal(text: &str) -> [Part; 1] {
    [Part::Literal(text.to_owned())]
}

/// Adds printed parts: adjacent texts are joined, and a `~` is the home folder.
pub(crate) fn append(parts: &mut Vec<Part>, more: impl IntoIterator<Item = Part>) {
    for mut part in more {
        if let Part::Expansion(expansion) = &mut part
            && expansion.kind == ExpansionKind::Tilde
        {
            expansion.kind = ExpansionKind::Home;
        }
        match (parts.last_mut(), part) {
            (Some(Part::Literal(before)), Part::Literal(text)) => before.push_str(&text),
            (_, part) => parts.push(part),
        }
    }
}
