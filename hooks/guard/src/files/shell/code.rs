//! Code in other languages, whose strings may be file names or commands.

use super::texts::{decodes, encoded};
use super::{Budget, Look, said};
use crate::code::{COMPARE, Code, OPEN, PRINT, TEST, Token};
use crate::prelude::*;

/// Maximum length of code to read; in longer code, all strings count as names.
const LONGEST: usize = 1 << 14;

/// Maximum number of strings to judge.
const MOST: usize = 2_000;

/// The use of a string in code.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    /// Possibly the name of a file that is opened.
    Opened,
    /// Compared with another string.
    Compared,
    /// Printed, or used to test whether the file exists.
    Text,
}

impl Look<'_> {
    /// Returns the finding about code in another language.
    pub(super) fn code(&self, command: &Command, text: &str) -> Option<Found> {
        Budget::take(&self.budget.bytes, text.len())?;
        let code = Code::of(command.program().unwrap_or_default(), text);
        let read = |what: &str| Certain(said(command, Does::Read, what));
        let of_line = |text: &str| {
            let is_line = text.contains(char::is_whitespace) && self.name_in(text).is_some();
            is_line.then(|| self.script(text)).flatten()
        };
        let of_text = |text: &str| self.path(text).map(|what| read(&what)).or_else(|| of_line(text));
        let mut doubt = None;
        for (at, name) in code.texts().take(MOST) {
            let found = match self.path(name) {
                None => of_line(name),
                Some(what) if text.len() > LONGEST => Some(read(&what)),
                Some(_) if self.is_copied(command, &code, at) => None,
                Some(what) => match use_of(&code, at) {
                    Use::Opened => Some(read(&what)),
                    Use::Text => None,
                    // It may decide which name is opened.
                    Use::Compared => opens_variable(&code).then(|| Possible(said(command, Does::Read, &what))),
                },
            };
            match found {
                Some(Certain(_)) => return found,
                found => doubt = doubt.or(found),
            }
        }
        // Strings within others, and strings after an apostrophe that is not a quote.
        let is_other = |part: &&str| {
            let start = part.as_ptr().addr() - text.as_ptr().addr();
            let texts = &code.tokens;
            !texts
                .get(texts.partition_point(|token| token.start < start))
                .is_some_and(|token| token.is_text() && token.start == start && token.text.len() == part.len())
        };
        let mut others = text.split(['\'', '"', '`']).skip(1).take(MOST).filter(is_other);
        let decoded = || {
            if decodes(text) {
                code.texts().take(MOST).flat_map(|(_, text)| encoded(text)).collect()
            } else {
                Vec::new()
            }
        };
        others
            .find_map(|part| of_text(part.trim_end_matches('\\')))
            .or_else(|| decoded().iter().find_map(|text| of_text(text)))
            .or(doubt)
    }

    /// Returns `true` for the new name in a copy of a file that is meant to be shared, if no file has this name yet or
    /// the code checks this: `file_exists('.env') || copy('.env.example', '.env')`.
    fn is_copied(&self, command: &Command, code: &Code, at: usize) -> bool {
        let Some(open) = at.checked_sub(3) else { return false };
        let (public, name, function) = (code.token(open + 1), code.token(at), code.before(open));
        if !lists("copy copyFileSync copyfile cp", function.function())
            || !code.token(open).is("(")
            || !code.before(at).is(",")
            || !code.token(at + 1).is(")")
            || !public.is_text()
            || !code.is_only_called(function.function())
            || !is_public(public.text)
            || self.path(public.text).is_some()
        {
            return false;
        }
        let is_sign = |token: &Token| token.is(") { : \n");
        let before = code.tokens.get(..open.saturating_sub(1)).unwrap_or_default();
        let (before, joint) = match before.split_last() {
            Some((last, before)) if last.is("|| or") => (before, true),
            _ => (before, false),
        };
        let signs = before.iter().rev().take_while(|token| is_sign(token)).count();
        let end = before.len() - signs;
        let is_tested = end > 2 && {
            let test = code.token(end - 3);
            let first = code.tokens[..end - 3].iter().rev().find(|token| !token.is("("));
            let is_begun = first.is_none_or(|token| token.is("; \n { }"));
            let is_not = first.is_some_and(|token| token.is("! not"));
            code.token(end - 1).is_text()
                && code.token(end - 1).text == name.text
                && code.token(end - 2).is("(")
                && lists(TEST, test.function())
                && code.is_only_called(test.function())
                && if joint { is_begun && signs == 1 } else { is_not }
        };
        is_tested || !self.may_be_there(command, name.text)
    }
}

/// Returns the use of a string; if it may be opened, [`Use::Opened`].
fn use_of(code: &Code, at: usize) -> Use {
    let (before, after) = (code.before(at), code.token(at + 1));
    let is_equals = |token: Token| !token.is_text() && lists("== != === !==", token.text);
    let goes_on = after.is_method() || after.is("[ + %");
    if (is_equals(before) || is_equals(after) || after.is("in")) && !goes_on {
        return Use::Compared;
    }
    // Some calls have no parentheses: `puts ".env"`.
    let is_end = after.is("; \n }");
    if is_end && lists("echo print puts", before.function()) && code.is_only_called(before.function()) {
        return Use::Text;
    }
    let Some(open) = code.open(at).filter(|open| code.token(*open).is("(")) else {
        return Use::Opened;
    };
    let is_plain = |token: &Token| token.is_text() || token.components().next().is_some() || token.is(", . - :");
    let (call, function) = (code.before(open), code.before(open).function());
    if !code.tokens[open + 1..at].iter().all(is_plain) || function.is_empty() {
        return Use::Opened;
    }
    let next = code.token(at + 2);
    if after.is(")") && next.is_method() && lists("File Path Pathname PurePath", function) {
        let is_test = lists(TEST, next.function()) && code.is_only_called(next.function());
        return if is_test { Use::Text } else { Use::Opened };
    }
    // Awk prints into a file or another program.
    let is_whole = after.is(",") || after.is(")") && (next.is("||") || !next.text.starts_with(['>', '|']));
    if !is_whole || !code.is_only_called(function) {
        return Use::Opened;
    }
    // As a method of a path, and as a function of the module `os`, it renames a file.
    let is_renamed = function.starts_with("replace")
        && (call.components().next() == Some("os")
            || code.has_name(0..code.tokens.len(), "as __import__ import_module")
            || call.is_method()
            || call.text == function
            || !(after.is(",") || code.tokens[open..at].iter().any(|token| token.is(",")))
            || gives(code, open));
    match () {
        () if is_renamed => Use::Opened,
        () if lists(TEST, function) || lists(PRINT, function) => Use::Text,
        () if lists(COMPARE, function) => Use::Compared,
        () => Use::Opened,
    }
}

/// Returns `true` if a call is nested in another call that does more than print or write its result.
fn gives(code: &Code, mut at: usize) -> bool {
    while let Some(open) = code.open(at) {
        let is_content = match code.before(open).function() {
            "print" | "write" | "write_text" | "log" | "puts" => true,
            // The first argument is a name.
            "writeFile" | "writeFileSync" => code.tokens[open..at].iter().any(|token| token.is(",")),
            _ => false,
        };
        if code.token(open).is("(") && !is_content {
            return true;
        }
        at = open;
    }
    false
}

/// Returns `true` if code opens or runs something whose name is not in the code.
fn opens_variable(code: &Code) -> bool {
    code.tokens.iter().enumerate().any(|(at, token)| {
        let name = token.function();
        let is_opener = begins(OPEN.0, name) || ends(OPEN.1, name);
        let next = code.token(at + 1);
        let argument = if next.is("(") { code.token(at + 2) } else { next };
        is_opener && !argument.is_text() && !argument.is(")")
    })
}
