//! Reads a hook's command line as `/bin/sh` does, as far as it can be told without running it.
//!
//! The question is which programs a line calls, with which words, and which of them stand in quotes.
//! A parser of the whole language would tell more. Of those that are well kept, brush-parser brings dozens of crates, and
//! everybody compiles xtask before anything happens; yash-syntax has the GPL.
//! So a scan finds where words and operators are, and `shlex`, which has no dependencies and which the crate `cc` relies
//! on, takes the quotes off a word. It alone would not do: it knows no operators, and forgets what stood in quotes.
//! What the scan does not know makes a line unclear as a whole: documents within it, functions, `case`.
//! What only a run can tell makes one word unclear: substitutions, patterns, variables that are not the client's.

use std::ops::Range;
use std::path::Path;

use hookkit_protocol::settings::{NEVER_SET, SET_FOR_PLUGINS};

use crate::diagnose::finding::Surroundings;

/// The simple commands of a line, in their order.
#[derive(Debug)]
pub(crate) struct Line<'t> {
    pub(crate) commands: Vec<Simple<'t>>,
}

/// A program with its words.
#[derive(Debug, Default)]
pub(crate) struct Simple<'t> {
    /// `NAME=value`, in front of the program.
    pub(crate) assignments: Vec<Word<'t>>,
    /// The program, and its arguments.
    pub(crate) words: Vec<Word<'t>>,
    /// The files that its output goes into.
    pub(crate) targets: Vec<Word<'t>>,
    /// The operator behind it; empty at the end of the line.
    pub(crate) operator: &'t str,
    /// Whether its output goes somewhere else: into a file, or to the next command.
    pub(crate) is_redirected: bool,
    /// Whether the line calls it whatever the commands before it find out.
    pub(crate) is_certain: bool,
    /// Whether `||` says what happens where it fails.
    pub(crate) is_tolerated: bool,
    /// Whether its current folder is that of the line.
    pub(crate) is_in_place: bool,
}

/// A word, with its quotes.
#[derive(Debug)]
pub(crate) struct Word<'t> {
    pub(crate) raw: &'t str,
    /// Where it begins in the line.
    pub(crate) start: usize,
    /// What the shell puts something else in place of.
    pub(crate) expansions: Vec<Expansion>,
    /// Whether it has a pattern outside of quotes.
    has_pattern: bool,
}

#[derive(Debug)]
pub(crate) struct Expansion {
    /// Where it is in the line.
    pub(crate) range: Range<usize>,
    /// The variable; `None` for anything else.
    pub(crate) name: Option<String>,
    /// The text that stands in for the variable where it is empty: `y` of `${X:-y}`.
    default: Option<String>,
    pub(crate) is_quoted: bool,
}

impl Word<'_> {
    /// The word as the program gets it; `None` where only a run can tell.
    pub(crate) fn value(&self, surroundings: &Surroundings) -> Option<String> {
        if self.has_pattern {
            return None;
        }
        // Characters that no text has: the values go in once the quotes are off, since they are not quotes' business.
        const HOME: char = '\u{f8f0}';
        const PROJECT: char = '\u{f8f1}';
        let mut masked = String::new();
        let mut at = 0;
        if self.raw == "~" || self.raw.starts_with("~/") {
            masked.push(HOME);
            at = 1;
        } else if self.raw.starts_with('~') {
            return None;
        }
        for expansion in &self.expansions {
            let range = expansion.range.start - self.start..expansion.range.end - self.start;
            masked += &self.raw[at..range.start];
            match (expansion.name.as_deref()?, &expansion.default) {
                ("HOME", _) => masked.push(HOME),
                ("CLAUDE_PROJECT_DIR", _) => masked.push(PROJECT),
                (name, Some(default)) if is_never_set(name) && !surroundings.variables.contains(name) => {
                    masked += default
                }
                _ => return None,
            }
            at = range.end;
        }
        masked += &self.raw[at..];
        let [value] = &shlex::split(&masked)?[..] else {
            return None;
        };
        let mut value = value.clone();
        for (mark, folder) in [(HOME, &surroundings.home), (PROJECT, &surroundings.project)] {
            if value.contains(mark) {
                value = value.replace(mark, folder.as_deref().and_then(Path::to_str)?);
            }
        }
        Some(value)
    }
}

/// Returns whether a line gives a variable a value, whatever the client sets.
pub(crate) fn sets(line: &str, name: &str) -> bool {
    let ways = [
        format!("{name}="),
        format!("read {name}"),
        format!("read -r {name}"),
        format!("for {name} in"),
    ];
    ways.iter().any(|way| line.contains(way))
}

/// Returns the text that an expansion in braces has beside its variable, by what follows the name: `y` of `:-y`, and of `:+y`.
/// Its author knows that the variable may not be set. A text that is empty is none.
pub(crate) fn default(behind: &str) -> Option<&str> {
    let operators = [":-", ":=", ":+", "-", "=", "+"];
    let default = operators.iter().find_map(|operator| behind.strip_prefix(operator))?;
    (!default.is_empty()).then_some(default)
}

/// Words after which another command begins.
const OPENING: &[&str] = &["!", "{", "do", "elif", "else", "if", "then", "until", "while"];
/// Words that end what others have begun.
const CLOSING: &[&str] = &["}", "done", "fi"];
/// Words behind which stands no command that is known here.
const UNREAD: &[&str] = &["case", "coproc", "esac", "function", "select"];

/// Substitutions within each other that are looked into: each takes a part of the stack.
const DEEPEST: usize = 100;

/// Commands that others depend on: what they test, or change for those behind them.
const DECIDING: &[&str] = &[
    ".", "[", "[[", "alias", "command", "eval", "export", "false", "grep", "hash", "jq", "set", "source", "test",
    "trap", "type", "which",
];

/// Reads a line; `None` where it has something in it that is not known here.
pub(crate) fn read(text: &str) -> Option<Line<'_>> {
    let mut scanner = Scanner { text, at: 0 };
    let mut commands: Vec<Simple<'_>> = Vec::new();
    let mut command = Simple::default();
    // The commands that `&&` and `||` join with the current one, and whether there is a `||`.
    let (mut joined, mut is_tolerated) = (0, false);
    let (mut is_certain, mut is_in_place) = (true, true);
    // Whether the current command runs only where one before it fails.
    let mut is_instead = false;
    let mut is_skipped = false;
    loop {
        let token = scanner.token()?;
        match token {
            Token::Word(word) => {
                let is_first = command.words.is_empty();
                if is_skipped {
                } else if is_first && UNREAD.contains(&word.raw) {
                    return None;
                } else if is_first && word.raw == "for" {
                    (is_certain, is_skipped) = (false, true);
                } else if is_first && OPENING.contains(&word.raw) {
                    is_certain = false;
                } else if is_first && CLOSING.contains(&word.raw) {
                    is_skipped = true;
                } else if is_first && is_assignment(word.raw) {
                    is_certain &= !word.raw.starts_with("PATH=");
                    command.assignments.push(word);
                } else {
                    command.words.push(word);
                }
            }
            Token::Redirection { is_output, target } => {
                command.is_redirected |= is_output;
                command.targets.extend(target);
            }
            Token::Operator(operator) => {
                command.is_redirected |= operator.starts_with('|') && operator != "||";
                command.is_certain = is_certain && !is_instead;
                command.is_in_place = is_in_place;
                command.operator = operator;
                if operator == "(" && !command.words.is_empty() {
                    // A function.
                    return None;
                }
                let name = command.words.first().map_or("", |word| word.raw);
                is_in_place &= !["cd", "pushd", "popd"].contains(&name);
                is_certain &= !DECIDING.contains(&name) && operator != "(";
                if !command.words.is_empty() || !command.assignments.is_empty() {
                    commands.push(std::mem::take(&mut command));
                    joined += 1;
                }
                command = Simple::default();
                is_skipped = false;
                is_tolerated |= operator == "||";
                is_instead |= operator == "||";
                if !matches!(operator, "&&" | "||" | "|" | "|&" | "(" | ")") {
                    let first = commands.len() - joined;
                    for command in &mut commands[first..] {
                        command.is_tolerated = is_tolerated;
                    }
                    (joined, is_tolerated, is_instead) = (0, false, false);
                }
                if operator.is_empty() {
                    return Some(Line { commands });
                }
            }
        }
    }
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    is_name(name)
}

pub(crate) fn is_name(text: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
    text.starts_with(|char: char| is_part(char) && !char.is_ascii_digit()) && text.chars().all(is_part)
}

/// The name of a variable and its default, where an expansion has them.
type Expanded = (Option<String>, Option<String>);

enum Token<'t> {
    Word(Word<'t>),
    /// With the file that is written, where it is one.
    Redirection {
        is_output: bool,
        target: Option<Word<'t>>,
    },
    /// Empty at the end.
    Operator(&'t str),
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip(&mut self, text: &str) -> bool {
        let is_there = self.rest().starts_with(text);
        if is_there {
            self.at += text.len();
        }
        is_there
    }

    fn next(&mut self) -> Option<char> {
        let char = self.rest().chars().next()?;
        self.at += char.len_utf8();
        Some(char)
    }

    fn token(&mut self) -> Option<Token<'t>> {
        loop {
            if !(self.skip(" ") || self.skip("\t") || self.skip("\\\n")) {
                break;
            }
        }
        if self.rest().starts_with('#') {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
        let behind_number = self.rest().trim_start_matches(|char: char| char.is_ascii_digit());
        if behind_number.starts_with(['<', '>']) {
            let number = &self.rest()[..self.rest().len() - behind_number.len()];
            let is_input = behind_number.starts_with('<');
            self.at += number.len();
            return self.redirection(!is_input && matches!(number, "" | "1"));
        }
        if self.rest().starts_with("&>") {
            self.at += 1;
            return self.redirection(true);
        }
        let operators = ["&&", "||", "|&", ";;", "|", "&", ";", "\n", "(", ")"];
        for operator in operators {
            if self.skip(operator) {
                return (operator != ";;").then_some(Token::Operator(operator));
            }
        }
        if self.rest().is_empty() {
            return Some(Token::Operator(""));
        }
        self.word().map(Token::Word)
    }

    fn redirection(&mut self, is_output: bool) -> Option<Token<'t>> {
        let known = [">>", ">&", ">|", "<&", "<>", ">", "<"];
        // A document within the line, or a process in place of a file.
        if self.rest().starts_with("<<") || self.rest().starts_with("<(") || self.rest().starts_with(">(") {
            return None;
        }
        let operator = known.iter().find(|operator| self.skip(operator))?;
        while self.skip(" ") || self.skip("\t") {}
        let target = self.word()?;
        // The hook's output is still the line's where it goes to the other stream's copy of it.
        let is_output = is_output && !(*operator == ">&" && target.raw == "1");
        let is_written = operator.starts_with('>') && *operator != ">&";
        Some(Token::Redirection {
            is_output,
            target: is_written.then_some(target),
        })
    }

    fn word(&mut self) -> Option<Word<'t>> {
        let start = self.at;
        let mut expansions = Vec::new();
        let mut has_pattern = false;
        let mut is_quoted = false;
        loop {
            let Some(char) = self.rest().chars().next() else {
                if is_quoted {
                    return None;
                }
                break;
            };
            let at = self.at;
            match char {
                ' ' | '\t' | '\n' | '|' | '&' | ';' | '(' | ')' | '<' | '>' if !is_quoted => break,
                '\'' if !is_quoted => {
                    let length = self.rest()[1..].find('\'')?;
                    self.at += length + 2;
                }
                '"' => {
                    is_quoted = !is_quoted;
                    self.at += 1;
                }
                '\\' => {
                    self.at += 1;
                    self.next()?;
                }
                '$' | '`' => {
                    if let Some((name, default)) = self.expansion()? {
                        expansions.push(Expansion {
                            range: at..self.at,
                            name,
                            default,
                            is_quoted,
                        });
                    }
                }
                _ => {
                    has_pattern |= !is_quoted && matches!(char, '*' | '?' | '[' | '{');
                    self.at += char.len_utf8();
                }
            }
        }
        (self.at > start).then(|| Word {
            raw: &self.text[start..self.at],
            start,
            expansions,
            has_pattern,
        })
    }

    /// Reads what a `$` or a backtick begins: nothing, a variable with its name and its default, or something without a name.
    fn expansion(&mut self) -> Option<Option<Expanded>> {
        const OTHER: Option<Option<Expanded>> = Some(Some((None, None)));
        if self.skip("`") {
            loop {
                match self.next()? {
                    '`' => return OTHER,
                    '\\' => _ = self.next()?,
                    _ => {}
                }
            }
        }
        self.at += 1;
        if self.skip("(") {
            self.substitution(0)?;
            return OTHER;
        }
        if self.skip("{") {
            let length = self.rest().find('}')?;
            let inner = &self.rest()[..length];
            self.at += length + 1;
            // It may have quotes and braces of its own.
            if inner.contains(['"', '\'', '`', '$', '{', '\\']) {
                return None;
            }
            let behind = inner.trim_start_matches(|char: char| char.is_ascii_alphanumeric() || char == '_');
            let name = &inner[..inner.len() - behind.len()];
            let is_default = behind.starts_with(":-") || behind.starts_with('-');
            return Some(Some(match behind {
                "" if is_name(name) => (Some(name.to_owned()), None),
                _ if is_name(name) && is_default && !sets(self.text, name) && !behind.contains(['*', '?', '[']) => {
                    (Some(name.to_owned()), default(behind).map(str::to_owned))
                }
                _ => (None, None),
            }));
        }
        let rest = self.rest();
        let behind = rest.trim_start_matches(|char: char| char.is_ascii_alphanumeric() || char == '_');
        let name = &rest[..rest.len() - behind.len()];
        if is_name(name) {
            self.at += name.len();
            return Some(Some((Some(name.to_owned()), None)));
        }
        if rest.starts_with(|char: char| char.is_ascii_digit() || "?#@*!$-".contains(char)) {
            self.at += 1;
            return OTHER;
        }
        // `$'…'` is another one in each shell, and a dollar alone is one.
        (!rest.starts_with(['\'', '"'])).then_some(None)
    }

    /// Reads from `$(` to its end, within so many others.
    fn substitution(&mut self, nesting: usize) -> Option<()> {
        if nesting == DEEPEST {
            return None;
        }
        let mut depth = 1;
        loop {
            match self.next()? {
                '(' => depth += 1,
                ')' => depth -= 1,
                '\\' => _ = self.next()?,
                '\'' => self.at += self.rest().find('\'')? + 1,
                '"' => loop {
                    match self.next()? {
                        '"' => break,
                        '\\' => _ = self.next()?,
                        '$' if self.skip("(") => self.substitution(nesting + 1)?,
                        _ => {}
                    }
                },
                _ => {}
            }
            if depth == 0 {
                return Some(());
            }
        }
    }
}

/// Returns whether the client never sets this variable for hooks in settings.
fn is_never_set(name: &str) -> bool {
    NEVER_SET.contains(&name) || SET_FOR_PLUGINS.contains(&name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn surroundings() -> Surroundings {
        Surroundings {
            project: Some("/the project".into()),
            home: Some("/home/me".into()),
            path: None,
            shell: None,
            variables: BTreeSet::new(),
        }
    }

    fn values(text: &str) -> Vec<Vec<Option<String>>> {
        let commands = read(text).expect(text).commands.into_iter();
        let values = |command: Simple<'_>| command.words.iter().map(|word| word.value(&surroundings())).collect();
        commands.map(values).collect()
    }

    #[test]
    fn words_are_those_of_the_shell() {
        for (text, expected) in [
            ("a 'b c' \"d\"e f\\ g", &["a", "b c", "de", "f g"][..]),
            ("\"$CLAUDE_PROJECT_DIR\"/x", &["/the project/x"]),
            (
                "${CLAUDE_PROJECT_DIR}/x ~/y $HOME/z",
                &["/the project/x", "/home/me/y", "/home/me/z"],
            ),
            ("'$HOME' \"~/x\" \\$HOME", &["$HOME", "~/x", "$HOME"]),
            ("a \\\n  b # c", &["a", "b"]),
            ("a 2>/dev/null b >&2 c", &["a", "b", "c"]),
            ("a 'it'\\''s'", &["a", "it's"]),
            ("a ''", &["a", ""]),
            ("\"${CLAUDE_PROJECT_DIR:-.}\"/x", &["/the project/x"]),
            ("\"${CLAUDE_PLUGIN_ROOT:-./y}/x\"", &["./y/x"]),
        ] {
            let expected: Vec<_> = expected.iter().map(|word| Some((*word).to_owned())).collect();
            assert_eq!(values(text), [expected], "{text}");
        }
    }

    #[test]
    fn what_only_a_run_can_tell_is_left_to_it() {
        for text in [
            "$X",
            "\"$(a 'b)' \"c)\")\"",
            "`a`",
            "*.sh",
            "~you/x",
            "${X:-y}",
            "${CLAUDE_PLUGIN_ROOT:-}",
            "${CLAUDE_PLUGIN_ROOT:+y}",
            "$1",
            "{a,b}",
        ] {
            assert_eq!(values(text), [[None]], "{text}");
        }
        for text in [
            "a <<E\nb\nE",
            "f() { a; }",
            "case a in b) c;; esac",
            "a 'b",
            "cat <(a)",
            "echo $'a'",
        ] {
            assert!(read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn commands_know_what_they_depend_on() {
        let flags = |text| {
            let commands = read(text).expect(text).commands.into_iter();
            let flags = |command: Simple<'_>| {
                let flags = [
                    ('c', command.is_certain),
                    ('t', command.is_tolerated),
                    ('p', command.is_in_place),
                    ('r', command.is_redirected),
                ];
                let flags: String = flags.iter().filter(|(_, is)| *is).map(|(flag, _)| flag).collect();
                let name = command.words.first().map_or("", |word| word.raw);
                format!("{name}:{flags}")
            };
            commands.map(flags).collect::<Vec<_>>().join(" ")
        };
        for (text, expected) in [
            ("a && b; c", "a:cp b:cp c:cp"),
            ("a | b || true; c", "a:ctpr b:ctp true:tp c:cp"),
            ("[ -x b ] && b", "[:cp b:p"),
            ("cd x && a > y", "cd:cp a:cr"),
            ("if a; then b; fi; c", "a:p b:p c:p"),
            ("for f in a b; do c; done", "c:p"),
            ("(a; b)", "a:p b:p"),
            ("PATH=x a 2>&1", ":cp a:p"),
        ] {
            if text.starts_with("PATH") {
                assert!(!read(text).expect(text).commands[0].is_certain);
                continue;
            }
            assert_eq!(flags(text), expected, "{text}");
        }
    }
}
