//! What commands run beyond themselves: the command behind a prefix, the text that a shell is given.

use std::mem;
use std::ops::Range;

use super::parser::{self, DEEPEST, Found, Place};
use super::programs::{HARMLESS_OPTIONS, NAME_TAKERS, PREFIXES, Prefix, RUNNERS, SHELLS, base, steers_shell};
use super::{Assignment, Command, Expansion, ExpansionKind, Part, RedirectionOperator, Via, Why, Word};

/// How many prefixes may stand before each other.
const LONGEST_CHAIN: usize = 8;

/// How many words are copied for the commands behind prefixes.
const MOST_COPIES: usize = 200_000;

/// How many bytes of scripts within the text are read, and those within them once more.
const MOST_SCRIPT_BYTES: usize = 4 << 20;

/// Adds what the commands run.
pub(super) fn follow(found: Found) -> Found {
    let mut reach = Reach::default();
    reach.adopt(found, 0, 0, false);
    reach.found
}

#[derive(Default)]
struct Reach {
    found: Found,
    /// Words that were copied, and bytes of scripts within the text.
    copies: usize,
    script_bytes: usize,
}

impl Reach {
    fn adopt(&mut self, found: Found, depth: usize, chain: usize, is_posix: bool) {
        for command in found.commands {
            self.command(command, depth, chain, is_posix);
        }
        self.found.unanalysed.extend(found.unanalysed);
    }

    fn command(&mut self, command: Command, depth: usize, chain: usize, is_posix: bool) {
        self.found.commands.push(command.clone());
        let mut at = At {
            reach: self,
            command: &command,
            depth,
            chain,
            is_posix,
        };
        at.look();
    }
}

/// A command that is looked at.
struct At<'a> {
    reach: &'a mut Reach,
    command: &'a Command,
    depth: usize,
    chain: usize,
    is_posix: bool,
}

/// Where the options of a program end.
enum Operands<'a> {
    From(usize),
    /// An option that the table does not have.
    Unknown(&'a Word),
}

impl At<'_> {
    fn note(&mut self, why: Why, span: &Range<usize>) {
        self.reach.found.unanalysed.push((why, span.clone()));
    }

    fn note_all(&mut self, why: Why) {
        let span = self.command.span.clone();
        self.note(why, &span);
    }

    fn look(&mut self) {
        if self
            .command
            .assignments
            .iter()
            .any(|assignment| steers_shell(&assignment.name))
        {
            self.note_all(Why::ShellVariable);
        }
        let Some(first) = self.command.words.first() else {
            return;
        };
        let Some(name) = first.literal() else {
            return self.note(Why::Name, &first.span);
        };
        let name = base(name);
        let arguments = self.command.arguments();
        if let Some(prefix) = PREFIXES.iter().find(|prefix| prefix.name == name) {
            return self.prefix(prefix);
        }
        if let Some((_, knows_bash)) = SHELLS.iter().find(|(shell, _)| *shell == name) {
            return self.shell(name, !knows_bash);
        }
        match name {
            "eval" => {
                let from = usize::from(arguments.first().and_then(Word::literal) == Some("--"));
                self.script_of_words(name, &arguments[from..], self.is_posix);
            }
            "trap" => self.trap(arguments),
            "source" | "." => self.note_all(Why::ScriptFile),
            "find" | "gfind" | "bfs" => self.find(name),
            "fd" | "fdfind"
                if arguments
                    .iter()
                    .any(|word| word.literal().is_none_or(|text| text.starts_with('-'))) =>
            {
                self.note_all(Why::Runner);
            }
            "test" | "[" => self.test(arguments),
            "set" => self.set(arguments),
            // zsh takes arithmetic.
            "exit" | "return" | "shift" | "break" | "continue" => {
                let is_number = |word: &Word| {
                    word.literal()
                        .is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
                };
                if !arguments.iter().all(is_number) {
                    self.note_all(Why::Arithmetic);
                }
            }
            _ if RUNNERS.contains(&name) => self.note_all(Why::Runner),
            _ if NAME_TAKERS.contains(&name) => self.names(name, arguments),
            _ => {}
        }
    }

    /// Where an option's value or the end of the options is not known for certain, neither is the command.
    fn operands<'a>(prefix: &Prefix, words: &'a [Word], assignments: &mut Vec<Assignment>) -> Operands<'a> {
        let mut index = 0;
        while let Some(word) = words.get(index) {
            let Some(text) = word.literal() else {
                return Operands::Unknown(word);
            };
            index += 1;
            if text == "--" {
                break;
            } else if let Some(long) = text.strip_prefix("--") {
                let (long, has_value) = long.split_once('=').map_or((long, false), |(long, _)| (long, true));
                if prefix.long_valued.contains(&long) {
                    index += usize::from(!has_value);
                } else if !prefix.long_flags.contains(&long) {
                    return Operands::Unknown(word);
                }
            } else if text == "-" && prefix.name == "env" {
                continue;
            } else if let Some(short) = text.strip_prefix('-').filter(|short| !short.is_empty()) {
                let mut chars = short.chars();
                while let Some(char) = chars.next() {
                    if prefix.valued.contains(char) {
                        index += usize::from(chars.as_str().is_empty());
                        break;
                    } else if !prefix.flags.contains(char) {
                        return Operands::Unknown(word);
                    }
                }
            } else {
                index -= 1;
                break;
            }
        }
        // The value of an option may be several words, or none.
        if let Some(word) = words.iter().take(index).find(|word| !word.is_single()) {
            return Operands::Unknown(word);
        }
        while prefix.takes_assignments
            && let Some(word) = words.get(index)
        {
            let Some((name, _)) = word.known_start().split_once('=') else {
                break;
            };
            if !word.is_single() {
                return Operands::Unknown(word);
            }
            let mut value = word.clone();
            if let Some(Part::Literal(text)) = value.parts.first_mut() {
                text.drain(..=name.len());
            }
            assignments.push(Assignment {
                name: name.to_owned(),
                value,
                elements: None,
            });
            index += 1;
        }
        for word in words.iter().skip(index).take(prefix.operands) {
            if !word.is_single() || word.known_start().is_empty() {
                return Operands::Unknown(word);
            }
            index += 1;
        }
        Operands::From(index)
    }

    fn prefix(&mut self, prefix: &Prefix) {
        let name = prefix.name;
        let words = self.command.arguments();
        let first = words.first().and_then(Word::literal).unwrap_or_default();
        let asks_only = match name {
            "command" => matches!(first, "-v" | "-V"),
            "sudo" => {
                words.len() == 1
                    && matches!(
                        first,
                        "-l" | "-v" | "-k" | "-K" | "-V" | "--version" | "--help" | "--list"
                    )
            }
            _ => words.len() == 1 && matches!(first, "--version" | "--help"),
        };
        if asks_only {
            return;
        }
        let mut assignments = Vec::new();
        let from = match Self::operands(prefix, words, &mut assignments) {
            Operands::From(index) => index,
            Operands::Unknown(word) => return self.note(Why::Prefix, &word.span),
        };
        let mut inner = words.get(from..).unwrap_or_default().to_vec();
        if inner.is_empty() {
            let is_script = self.command.via.iter().any(|via| matches!(via, Via::Script(_)));
            if name == "exec" && is_script && !self.command.redirections.is_empty() {
                // A shell that reads its script from stdin goes on with another one.
                self.note_all(Why::ScriptInput);
            }
            // The others want a command, or list variables, or echo what they read.
            if name == "doas" || name == "sudo" {
                self.note_all(Why::Prefix);
            }
            if assignments.iter().any(|assignment| steers_shell(&assignment.name)) {
                self.note_all(Why::ShellVariable);
            }
            return;
        }
        if name == "xargs" {
            let options = words[..from].iter().filter_map(Word::literal);
            let mut mark = None;
            let mut is_next = false;
            for option in options {
                if mem::take(&mut is_next) {
                    mark = Some(option);
                } else if option == "-I" {
                    is_next = true;
                } else if let Some(text) = option.strip_prefix("-I") {
                    mark = Some(text);
                } else if option.starts_with('-') && !option.starts_with("--") && option.contains('I') {
                    return self.note_all(Why::Prefix);
                }
            }
            match mark {
                Some("") => return self.note_all(Why::Prefix),
                Some(mark) => inner.iter_mut().for_each(|word| fill(word, mark)),
                None => {
                    let span = self.command.span.clone();
                    inner.push(Word {
                        parts: vec![arguments(false)],
                        span,
                        is_quoted: false,
                    });
                }
            }
        }
        self.inner(name, inner, assignments);
    }

    fn inner(&mut self, name: &str, words: Vec<Word>, assignments: Vec<Assignment>) {
        self.reach.copies += words.len();
        if self.chain >= LONGEST_CHAIN {
            return self.note_all(Why::TooDeep);
        }
        if self.reach.copies > MOST_COPIES {
            return self.note_all(Why::TooLong);
        }
        let mut via = self.command.via.clone();
        via.push(Via::Prefix(name.to_owned()));
        let start = words.first().map_or(self.command.span.start, |word| word.span.start);
        let command = Command {
            assignments,
            words,
            redirections: self.command.redirections.clone(),
            via,
            span: start..self.command.span.end.max(start),
        };
        self.reach.command(command, self.depth, self.chain + 1, self.is_posix);
    }

    fn script(&mut self, name: &str, text: &str, span: Range<usize>, is_posix: bool) {
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
        let found = parser::parse(text, Place::Within(span), via, depth, is_posix);
        self.reach.adopt(found, depth, self.chain, is_posix);
    }

    fn script_of_words(&mut self, name: &str, words: &[Word], is_posix: bool) {
        let (Some(first), Some(last)) = (words.first(), words.last()) else {
            return;
        };
        let span = first.span.start..last.span.end;
        let texts: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
        match texts {
            Some(texts) => self.script(name, &texts.join(" "), span, is_posix),
            None => self.note(Why::ScriptText, &span),
        }
    }

    fn trap(&mut self, arguments: &[Word]) {
        let from = usize::from(arguments.first().and_then(Word::literal) == Some("--"));
        match arguments.get(from).map(|word| (word, word.literal())) {
            None | Some((_, Some("-" | "" | "-p" | "-l"))) => {}
            Some((word, Some(_))) => self.script_of_words("trap", std::slice::from_ref(word), self.is_posix),
            Some((word, None)) => self.note(Why::ScriptText, &word.span),
        }
    }

    fn shell(&mut self, name: &str, is_posix: bool) {
        let words = self.command.arguments();
        if let [word] = words
            && matches!(word.literal(), Some("--version" | "--help"))
        {
            return;
        }
        let mut index = 0;
        let mut is_script = false;
        let mut is_input = false;
        while let Some(word) = words.get(index) {
            let Some(text) = word.literal() else {
                return self.note(Why::ScriptText, &word.span);
            };
            if text == "--" || text == "-" {
                index += 1;
                break;
            }
            if let Some(long) = text.strip_prefix("--") {
                if !matches!(long, "norc" | "noprofile" | "posix" | "restricted" | "verbose") {
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
                        if !words
                            .get(index)
                            .and_then(Word::literal)
                            .is_some_and(|name| HARMLESS_OPTIONS.contains(&name))
                        {
                            return self.note(Why::Prefix, &word.span);
                        }
                        index += 1;
                    }
                    'e' | 'u' | 'x' | 'v' | 'n' | 'f' | 'C' | 'a' | 'm' | 'h' | 'p' => {}
                    // Files for logins and for people are read before.
                    'l' | 'i' => self.note_all(Why::ScriptFile),
                    _ => return self.note(Why::Prefix, &word.span),
                }
            }
        }
        match words.get(index) {
            Some(word) if is_script => match word.literal() {
                Some(text) => self.script(name, text, word.span.clone(), is_posix),
                None => self.note(Why::ScriptText, &word.span),
            },
            None if is_script => self.note_all(Why::ScriptText),
            Some(word) if !is_input => self.note(Why::ScriptFile, &word.span),
            _ => self.input(name, is_posix),
        }
    }

    /// A script that is read from stdin: it is known where it is a here-document.
    fn input(&mut self, name: &str, is_posix: bool) {
        let inputs: Vec<_> = (self.command.redirections.iter())
            .filter(|redirection| {
                use RedirectionOperator as Op;
                redirection.descriptor == Some(0)
                    || redirection.descriptor.is_none()
                        && matches!(
                            redirection.operator,
                            Op::Input | Op::ReadWrite | Op::DuplicateInput | Op::HereDocument | Op::HereString
                        )
            })
            .collect();
        if let [input] = inputs.as_slice()
            && matches!(input.operator, RedirectionOperator::HereDocument | RedirectionOperator::HereString)
            && let Some(text) = input.target.literal()
            // Behind these stdin is another one.
            && !self.command.via.iter().any(|via| matches!(via, Via::Prefix(name) if name == "xargs" || name == "find"))
        {
            return self.script(name, text, input.span.clone(), is_posix);
        }
        self.note_all(Why::ScriptInput);
    }

    fn find(&mut self, name: &str) {
        let words = self.command.arguments();
        let mut index = 0;
        let mut unknown_starts = 0;
        let mut loose_ends = 0;
        while let Some(word) = words.get(index) {
            index += 1;
            match word.literal() {
                Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                    let mut inner = Vec::new();
                    let mut has_end = false;
                    while let Some(word) = words.get(index) {
                        index += 1;
                        let is_plus = word.literal() == Some("+") && inner.last().is_some_and(is_placeholder);
                        if word.literal() == Some(";") || is_plus {
                            has_end = true;
                            break;
                        }
                        inner.push(word.clone());
                    }
                    // What is not known can be the end, and the beginning of another command.
                    let unknown = inner.iter().filter(|word| word.literal().is_none()).count();
                    let is_action = |word: &Word| word.known_start().starts_with(['-']);
                    if !has_end
                        || unknown > 1
                        || !inner.iter().all(Word::is_single)
                        || unknown == 1 && inner.iter().any(is_action)
                    {
                        self.note_all(Why::Prefix);
                    }
                    inner.iter_mut().for_each(|word| fill(word, "{}"));
                    self.inner(name, inner, Vec::new());
                }
                Some(";" | "+") => loose_ends += 1,
                Some(_) => {}
                None => {
                    let could_be_action = match word.known_start() {
                        "" => !word
                            .parts
                            .iter()
                            .any(|part| matches!(part, Part::Literal(text) if text.contains(['.', '/', '_']))),
                        start => {
                            "-exec".starts_with(start)
                                || "-ok".starts_with(start)
                                || start.starts_with("-exec")
                                || start.starts_with("-ok")
                        }
                    };
                    let is_split = word.parts.iter().any(|part| {
                        matches!(part, Part::Expansion(expansion) if !expansion.is_quoted && expansion.kind != ExpansionKind::Glob
                            && expansion.kind != ExpansionKind::Tilde)
                    });
                    if is_split || could_be_action && word.parts.iter().any(|part| !is_quoted_or_literal(part)) {
                        return self.note(Why::Prefix, &word.span);
                    }
                    unknown_starts += usize::from(could_be_action);
                }
            }
        }
        if unknown_starts > 1 || unknown_starts == 1 && loose_ends > 0 {
            self.note_all(Why::Prefix);
        }
    }

    /// Some options change how the rest is read.
    fn set(&mut self, arguments: &[Word]) {
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let is_known = match word.literal() {
                Some("--" | "-") => return,
                Some(text) if !text.starts_with(['-', '+']) => return,
                Some(text) => {
                    let has_name = text.ends_with('o');
                    text[1..]
                        .trim_end_matches('o')
                        .bytes()
                        .all(|byte| b"euxvfnCam".contains(&byte))
                        && (!has_name
                            || words
                                .next()
                                .and_then(Word::literal)
                                .is_some_and(|name| HARMLESS_OPTIONS.contains(&name)))
                }
                None => false,
            };
            if !is_known {
                return self.note(Why::Definition, &word.span);
            }
        }
    }

    /// `-v` and `-R` take a name, and evaluate its subscript.
    fn test(&mut self, arguments: &[Word]) {
        let is_split = arguments
            .iter()
            .any(|word| word.literal().is_none() && !word.parts.iter().all(is_quoted_or_literal));
        let has_names = arguments.iter().any(|word| matches!(word.literal(), Some("-v" | "-R")));
        let operator = match arguments.iter().filter(|word| word.literal() != Some("]")).count() {
            0 | 1 => None,
            2 => arguments.first(),
            3 => arguments.get(1),
            _ => arguments.iter().find(|word| word.literal().is_none()),
        };
        // zsh takes arithmetic with `-eq`.
        let is_arithmetic = arguments
            .iter()
            .any(|word| matches!(word.literal(), Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge")))
            && arguments.iter().any(|word| {
                let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
                let is_sign = |text: &str| text.starts_with('-') || matches!(text, "]" | "!" | "(" | ")");
                word.literal().is_none_or(|text| !is_number(text) && !is_sign(text))
            });
        if is_split || has_names || is_arithmetic || operator.is_some_and(|word| word.literal().is_none()) {
            self.note_all(Why::Arithmetic);
        }
    }

    fn names(&mut self, name: &str, arguments: &[Word]) {
        let first = arguments.first();
        let takes_none = match name {
            "let" | "integer" => false,
            "printf" => first.is_none_or(|first| {
                let format = first.known_start();
                let mut rest = format.to_owned();
                for text in ["%s", "%b", "%q", "%%"] {
                    rest = rest.replace(text, "");
                }
                // zsh takes arithmetic for a number.
                let has_numbers = rest.contains('%') || first.literal().is_none();
                let is_plain = |word: &Word| word.literal().is_some_and(|text| !text.contains('['));
                !format.starts_with('-') && !format.is_empty() && (!has_numbers || arguments[1..].iter().all(is_plain))
            }),
            "wait" => !arguments
                .iter()
                .any(|word| word.literal().is_none_or(|text| text.starts_with("-"))),
            _ => arguments.iter().all(|word| {
                let start = word.known_start();
                let name = start.split('=').next().unwrap_or_default();
                let is_safe_option = start.starts_with('-')
                    && !start.contains(['i', 'n', 'T', 'c', 'E', 'F', 'f'])
                    && word.literal().is_some();
                let is_known = (word.literal().is_some() || start.contains('=')) && !name.contains('[');
                if name == "read" {
                    is_known
                } else {
                    is_safe_option || is_known && !start.starts_with('-')
                }
            }),
        };
        if !takes_none {
            self.note_all(Why::Arithmetic);
        }
        if arguments
            .iter()
            .any(|word| steers_shell(word.known_start().split(['=', '+']).next().unwrap_or_default()))
        {
            self.note_all(Why::ShellVariable);
        }
    }
}

fn arguments(is_quoted: bool) -> Part {
    Part::Expansion(Expansion {
        kind: ExpansionKind::Arguments,
        is_quoted,
    })
}

fn is_quoted_or_literal(part: &Part) -> bool {
    match part {
        Part::Literal(_) => true,
        Part::Expansion(expansion) => expansion.is_quoted,
    }
}

fn is_placeholder(word: &Word) -> bool {
    word.literal() == Some("{}")
}

/// Puts what a program finds or reads in the place of its mark.
fn fill(word: &mut Word, mark: &str) {
    let mut parts = Vec::new();
    for part in mem::take(&mut word.parts) {
        let Part::Literal(text) = part else {
            parts.push(part);
            continue;
        };
        if !text.contains(mark) {
            parts.push(Part::Literal(text));
            continue;
        }
        for (index, piece) in text.split(mark).enumerate() {
            if index > 0 {
                parts.push(arguments(true));
            }
            if !piece.is_empty() {
                parts.push(Part::Literal(piece.to_owned()));
            }
        }
    }
    word.parts = parts;
}
