//! Reader of code in other languages, with one set of rules for all of them.
//!
//! Code is a list of names, string literals and punctuation. A table ([`words`]) lists the functions that delete, write
//! or start programs; the strings among a call's arguments are file names or commands.

mod calls;
mod tokens;
mod words;

use crate::prelude::*;
use crate::variables::MADE;

pub(crate) use calls::Calls;
use tokens::tokens;
pub(crate) use tokens::{Kind, Token};
use words::{CALLS, DEFINE, MAKE_FOLDERS, NAME_PATHS, READ};
pub(crate) use words::{COMPARE, OPEN, PRINT, TEST};

/// Maximum number of calls to read. Code with more is uncertain.
pub(crate) const MOST: usize = 64;

/// Maximum number of steps to resolve the value of an expression.
const DEPTH: usize = 6;

/// Maximum number of tokens; in longer code, variables are not resolved.
const LONGEST: usize = 2_000;

/// A call of a function in the table, or its bare name.
struct Call {
    /// The action, as in [`CALLS`].
    does: &'static str,
    /// The tokens of its arguments; `None` for a bare name.
    arguments: Option<Range<usize>>,
    /// The value whose method is called, if it is certain.
    receiver: Option<String>,
}

pub(crate) struct Code<'c> {
    program: &'c str,
    pub tokens: Vec<Token<'c>>,
}

impl<'c> Code<'c> {
    /// Reads the code that a program runs.
    pub(crate) fn of(program: &'c str, text: &'c str) -> Self {
        let mut code = Self { program, tokens: tokens(text) };
        code.rename_imported();
        code
    }

    /// Replaces imported aliases with the functions' own names: `from os import system as s`.
    fn rename_imported(&mut self) {
        let is_given = |at: &usize| {
            let is_it = self.token(*at).is("as") && self.before(*at).kind == Kind::Name;
            is_it && self.has_name(self.statement(*at), "from")
        };
        let given = (0..self.tokens.len()).filter(is_given).take(MOST);
        let given: Vec<_> = given.map(|at| (self.token(at + 1).text, self.before(at).text)).collect();
        for token in self.tokens.iter_mut().filter(|token| !token.is_text()) {
            let own = given.iter().find(|(name, _)| *name == token.text);
            token.text = own.map_or(token.text, |(_, own)| own);
        }
    }

    /// Returns the string literals, with their positions.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (usize, &'c str)> {
        self.tokens.iter().enumerate().filter(|(_, token)| token.is_text()).map(|(at, token)| (at, token.text))
    }

    /// Returns the token at a position; outside the code, the end of a statement.
    pub(crate) fn token(&self, at: usize) -> Token<'c> {
        const END: Token<'static> = Token { kind: Kind::Mark, text: ";", start: 0 };
        self.tokens.get(at).copied().unwrap_or(END)
    }

    pub(crate) fn before(&self, at: usize) -> Token<'c> {
        self.token(at.wrapping_sub(1))
    }

    /// Returns `true` if a name in a range has one of these components.
    pub(crate) fn has_name(&self, range: Range<usize>, names: &str) -> bool {
        self.tokens[range].iter().flat_map(Token::components).any(|component| lists(names, component))
    }

    /// Returns the position of the bracket that closes the bracket at `open`.
    pub(crate) fn close(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        let closes = |token: &Token| {
            depth += usize::from(token.is("( [ {"));
            depth -= usize::from(depth > 0 && token.is(") ] }"));
            depth == 0
        };
        let length = self.tokens[open..].iter().position(closes);
        length.map_or(self.tokens.len(), |length| open + length)
    }

    /// Returns the position of the innermost bracket that is open at a token.
    pub(crate) fn open(&self, at: usize) -> Option<usize> {
        let mut depth = 0_usize;
        self.tokens[..at].iter().rposition(|token| {
            let opens = token.is("( [ {");
            if opens && depth == 0 {
                return true;
            }
            depth += usize::from(token.is(") ] }"));
            depth -= usize::from(opens);
            false
        })
    }

    fn statement(&self, at: usize) -> Range<usize> {
        let start = self.tokens[..at].iter().rposition(Token::is_end).map_or(0, |end| end + 1);
        let end = self.tokens[at..].iter().position(Token::is_end);
        start..end.map_or(self.tokens.len(), |length| at + length)
    }

    /// Returns the calls of functions in the table.
    fn calls(&self) -> Vec<Call> {
        let mut left = MOST;
        let mut calls: Vec<Call> = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            let function = match token.kind {
                Kind::Name => token.function(),
                Kind::Text(_) if self.is_function(at) => token.text,
                Kind::Text(b'`') if self.runs_words() || self.program == "php" => "`",
                _ => continue,
            };
            let function = function.to_ascii_lowercase();
            let rows = CALLS.rows(&function).filter_map(|row| row.text.trim_start().split_once(' '));
            for (does, modules) in rows.filter(|_| !lists(DEFINE, self.before(at).text)) {
                if calls.len() > MOST {
                    return calls;
                }
                calls.extend(self.call(at, modules, does, &mut left));
            }
        }
        calls
    }

    /// Returns the values passed to functions that may write: functions outside the table, except those that only read
    /// a file.
    pub(crate) fn given(&self) -> Vec<String> {
        let mut given = Vec::new();
        for (at, token) in self.tokens.iter().enumerate().take(LONGEST) {
            let function = token.function().to_ascii_lowercase();
            let is_known = begins(READ, &function) || CALLS.rows(&function).next().is_some();
            let Some(arguments) = self.arguments(at) else { continue };
            if token.kind != Kind::Name || is_known || names_path(token) {
                continue;
            }
            // The first file is only copied.
            let parts = self.split(arguments, ", = :").into_iter().skip(usize::from(begins("copy cp", &function)));
            given.extend(parts.filter_map(|part| self.value(part)).chain(self.receiver(at).1));
        }
        given
    }

    /// Returns `true` if the code writes more than an empty string into the files that it opens.
    fn writes(&self) -> bool {
        let writes = |at: usize| {
            lists("dump write writelines", self.token(at).function())
                && self.token(at + 1).is("(")
                && !self.token(at + 2).is_empty_text()
        };
        (0..self.tokens.len()).any(writes)
    }

    /// Returns the call of the function at a position, if it belongs to one of these modules.
    fn call(&self, at: usize, modules: &str, does: &'static str, left: &mut usize) -> Option<Call> {
        let token = self.token(at);
        let next = self.token(at + 1);
        let (receiver, value) = self.receiver(at);
        let is_any = modules == "*";
        let is_theirs = is_any
            || modules.split(' ').any(|module| match receiver {
                "" => module == "-" || self.mentions(module, left),
                name => module == name || self.renames(module, name, left),
            });
        let arguments = match () {
            () if token.kind == Kind::Text(b'`') => Some(at..at + 1),
            () if token.is_text() => None,
            () => self.arguments(at),
        };
        let is_used = || {
            let statement = self.statement(at);
            let is_imported = self.has_name(statement, "import require use from") && !next.is(":") && !next.is("as");
            token.is_text()
                || !is_imported && token.text != "$" && (is_any || !receiver.is_empty() || self.runs_words())
        };
        (is_theirs && (arguments.is_some() || is_used())).then_some(Call { does, arguments, receiver: value })
    }

    /// Returns the arguments of the function at a position; `None` for a bare name.
    fn arguments(&self, at: usize) -> Option<Range<usize>> {
        let next = self.token(at + 1);
        match () {
            () if next.is("(") => Some(at + 2..self.close(at + 1)),
            () if next.is_text() || next.kind == Kind::Name && self.token(at + 2).is(",") => {
                Some(at + 1..self.statement(at).end)
            }
            () => None,
        }
    }

    /// Returns the name before the function at a position (its object or module), and that object's value.
    fn receiver(&self, at: usize) -> (&'c str, Option<String>) {
        let token = self.token(at);
        match token {
            _ if token.is_method() && self.before(at).is(")") => {
                let open = self.open(at - 1).unwrap_or_default();
                let maker = self.before(open);
                (maker.function(), self.value(open - usize::from(maker.kind == Kind::Name)..at))
            }
            _ if token.is_method() && self.before(at).is_text() => ("", self.value(at - 1..at)),
            _ if token.is_method() && token.receiver().is_empty() => ("?", None),
            _ => (token.receiver(), self.variable(token.receiver(), DEPTH)),
        }
    }

    /// Returns `true` for a language in which a bare name is a call, and a string in backquotes is a command.
    fn runs_words(&self) -> bool {
        lists("perl rails ruby", self.program)
    }

    /// Returns `true` for a string that names a function: `fs['rm'](x)`, `array_map('unlink', $x)`.
    fn is_function(&self, at: usize) -> bool {
        let (next, before) = (self.token(at + 1), self.before(at));
        next.is("] )") && self.token(at + 2).is("(")
            || self.program == "php" && (before.is("(") && next.is(",") || before.is("="))
    }

    /// Returns `true` if code mentions a module.
    fn mentions(&self, module: &str, left: &mut usize) -> bool {
        self.program == module
            || take(left)
            || (self.tokens.iter()).any(|token| names(token, module) || token.components().any(|name| name == module))
    }

    /// Returns `true` if code gives another name to a module: `import os as o`, `f = require('fs')`.
    fn renames(&self, module: &str, name: &str, left: &mut usize) -> bool {
        take(left)
            || self.tokens.iter().enumerate().any(|(at, token)| {
                let gives = names(token, module)
                    || token.is(module) && (self.token(at + 1).is("as") || self.before(at).is("="));
                gives && self.tokens[self.statement(at)].iter().any(|token| token.components().next() == Some(name))
            })
    }

    /// Returns `true` if a name only occurs as the name of a function that the code does not define itself.
    pub(crate) fn is_only_called(&self, name: &str) -> bool {
        self.tokens.iter().enumerate().all(|(at, token)| {
            let next = self.token(at + 1);
            let is_defined = || {
                let end = self.token(self.close(at + 1) + 1);
                lists(DEFINE, self.before(at).text) || next.is("(") && end.is("{ =")
            };
            match token.kind {
                Kind::Name if token.function() == name => {
                    (next.is("(") || next.is_text() || self.before(at).is("import") && !next.is("as")) && !is_defined()
                }
                Kind::Text(_) => token.text != name,
                _ => true,
            }
        })
    }

    /// Splits arguments, or concatenated strings.
    pub(crate) fn split(&self, range: Range<usize>, marks: &str) -> Vec<Range<usize>> {
        let mut parts = Vec::from([range.clone()]);
        let mut at = range.start;
        while at < range.end {
            if lists(marks, self.token(at).text) && !self.token(at).is_text() {
                parts.last_mut().expect("there is one").end = at;
                parts.push(at + 1..range.end);
            }
            at = self.close(at).max(at) + 1;
        }
        parts.retain(|part| self.tokens[part.clone()].iter().any(|token| !token.is("\n")));
        parts
    }

    /// Returns the first argument, if it is a string.
    fn first(&self, arguments: Range<usize>) -> Option<String> {
        self.value(self.split(arguments, ",").first()?.clone())
    }

    /// Returns the string value of an expression; `None` if it is uncertain.
    pub(crate) fn value(&self, range: Range<usize>) -> Option<String> {
        self.value_within(range, DEPTH)
    }

    fn value_within(&self, mut range: Range<usize>, depth: usize) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        while range.len() > 1 && self.token(range.start).is("\n new") {
            range.start += 1;
        }
        while range.len() > 1 && self.token(range.end - 1).is("\n") {
            range.end -= 1;
        }
        let parts = self.split(range.clone(), "+ /");
        if parts.len() > 1 {
            let has_slash = self.tokens[range].iter().any(|token| token.is("/"));
            let sign = if has_slash { "/" } else { "" };
            let texts: Option<Vec<_>> = parts.into_iter().map(|part| self.value_within(part, depth)).collect();
            return texts.map(|texts| texts.join(sign));
        }
        let token = self.token(range.start);
        match token.kind {
            Kind::Mark if token.is("(") && self.close(range.start) + 1 == range.end => {
                self.value_within(range.start + 1..range.end - 1, depth)
            }
            Kind::Text(_) if range.len() == 1 => self.known(range.start),
            Kind::Name if range.len() == 1 => self.variable(token.text, depth),
            Kind::Name if self.token(range.start + 1).is("(") && self.close(range.start + 1) + 1 == range.end => {
                let arguments = range.start + 2..range.end - 1;
                match token.function() {
                    name if lists(MAKE_FOLDERS, name) && self.is_only_called(name) => Some(MADE.to_owned()),
                    _ if names_path(&token) => {
                        let parts = self.split(arguments, ",").into_iter().map(|part| self.value_within(part, depth));
                        Some(parts.collect::<Option<PathBuf>>()?.to_str()?.to_owned())
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the value of a variable that is assigned once.
    fn variable(&self, name: &str, depth: usize) -> Option<String> {
        let is_other = |token: &Token| token.is("=> :=") || lists("def lambda for function case sub", token.text);
        if self.tokens.len() > LONGEST || self.tokens.iter().any(|token| !token.is_text() && is_other(token)) {
            return None;
        }
        let is_given = |at: &usize| {
            let sign = self.token(*at);
            // Cheap test first: finding a statement is slow.
            if !sign.is("= as") {
                return false;
            }
            let start = self.statement(*at).start;
            let is_inner = |open: usize| open >= start && !self.token(open).is("{");
            let named = if sign.is("as") { *at..self.tokens.len().min(*at + 2) } else { start..*at };
            self.tokens[named].iter().any(|token| token.is(name))
                && (sign.is("as") || !self.open(*at).is_some_and(is_inner))
        };
        let mut places = (0..self.tokens.len()).filter(is_given);
        let (at, None) = (places.next()?, places.next()) else {
            return None;
        };
        let statement = self.statement(at);
        if self.token(at).is("as") {
            let with = statement.start..at;
            let start = with.start + 1 + self.tokens[with.clone()].iter().position(|token| token.is("with"))?;
            return self.value_within(start..at, depth);
        }
        let is_plain = match &self.tokens[statement.start..at] {
            [own] => own.is(name),
            [word, own] => own.is(name) && lists("const let var my", word.text),
            // Assignments of the command line come before it.
            _ => self.before(at).is(name) && self.before(at - 1).is("{"),
        };
        // The next line may continue the expression.
        let next = self.token(statement.end + 1);
        let goes_on = self.token(statement.end).is("\n") && next.kind == Kind::Mark && !next.is_end() && !next.is("}");
        (is_plain && !goes_on).then(|| self.value_within(at + 1..statement.end, depth)).flatten()
    }

    /// Returns the value of a string literal, unescaped; `None` if the language or a shell inserts something.
    fn known(&self, at: usize) -> Option<String> {
        let token = self.token(at);
        let before = self.before(at);
        let is_format = before.kind == Kind::Name
            && before.start + before.text.len() + 1 == token.start
            && before.text.contains(['f', 'F']);
        let is_joined = before.is_text() || self.token(at + 1).is_text();
        let has_values = token.text.contains(['…', '$'])
            || token.kind != Kind::Text(b'\'') && (token.text.contains("#{") || token.text.contains(" @"))
            || is_format && token.text.contains('{');
        if has_values || is_joined {
            return None;
        }
        let mut text = String::new();
        let mut chars = token.text.chars();
        while let Some(char) = chars.next() {
            text.push(match (char, char == '\\') {
                (_, false) => char,
                _ => match chars.next()? {
                    'n' => '\n',
                    't' => '\t',
                    sign if sign.is_ascii_punctuation() => sign,
                    _ => return None,
                },
            });
        }
        Some(text)
    }
}

/// Returns `true` for a function that returns the path made of its arguments.
fn names_path(function: &Token) -> bool {
    lists(NAME_PATHS, function.function()) || lists("File path", function.receiver()) && function.function() == "join"
}

/// Takes one unit from a budget. Returns `true` if the budget is used up.
fn take(left: &mut usize) -> bool {
    *left = left.saturating_sub(1);
    *left == 0
}

/// Returns `true` for a string that names a module: `'node:fs/promises'`.
fn names(token: &Token, module: &str) -> bool {
    let name = token.text.strip_prefix("node:").unwrap_or(token.text);
    token.is_text() && up_to(name, '/') == module
}
