//! Code in another language: its texts may be names of files, and commands.

use std::cell::LazyCell;
use std::ops::Range;

use hookkit::shell::Command;

use super::texts::{decodes, encoded};
use super::{Budget, Found, Look, said};
use crate::effects::programs::Does;
use hookkit::secrets::files::is_public;

impl Look<'_> {
    /// Returns the answer for code in another language.
    pub(super) fn code(&self, command: &Command, code: &str) -> Option<Found> {
        Budget::take(&self.budget.bytes, code.len())?;
        let (outer, inner) = quoted(code);
        let decoded: Vec<String> = match decodes(code) {
            true => (outer.iter().chain(&inner))
                .flat_map(|text| encoded(&code[text.clone()]))
                .collect(),
            false => Vec::new(),
        };
        let read = |what: &str| Found::Certain(said(command, Does::Read, what));
        let of_line = |text: &str| {
            let is_line = text.contains(char::is_whitespace) && self.name_in(text).is_some();
            is_line.then(|| self.script(text)).flatten()
        };
        let of_text = |text: &str| self.path(text).map(|what| read(&what)).or_else(|| of_line(text));
        let opens_variable = LazyCell::new(|| opens_variable(code));
        let mut doubt = None;
        for (at, text) in outer.iter().enumerate() {
            let found = match self.path(&code[text.clone()]) {
                None => of_line(&code[text.clone()]),
                Some(_) if self.is_copied(command, code, &outer[..=at]) => None,
                Some(what) => match use_of(code, text, &outer) {
                    Use::Opened => Some(read(&what)),
                    Use::Text => None,
                    // It may choose the name that is opened.
                    Use::Compared => opens_variable.then(|| Found::Possible(said(command, Does::Read, &what))),
                },
            };
            match found {
                Some(Found::Certain(_)) => return found,
                found => doubt = doubt.or(found),
            }
        }
        let mut others = inner.iter().map(|text| &code[text.clone()]);
        let found = others.find_map(of_text);
        found
            .or_else(|| decoded.iter().find_map(|text| of_text(text)))
            .or(doubt)
    }
}

impl Look<'_> {
    /// Returns `true` if the last of some texts is the name of a copy of a file that is made to be shared, and there is none of
    /// that name yet or the code makes sure of it: `file_exists('.env') || copy('.env.example', '.env')`.
    fn is_copied(&self, command: &Command, code: &str, texts: &[Range<usize>]) -> bool {
        let [tests @ .., from, to] = texts else { return false };
        let between = |from: usize, to: usize| code[from..to].replace(char::is_whitespace, "");
        let (public, name) = (&code[from.clone()], &code[to.clone()]);
        let call = code[..from.start - 1].trim_end();
        let Some(call) = call.strip_suffix('(') else {
            return false;
        };
        let function = last_name(call);
        if code.len() > LONGEST
            || !matches!(function, "copy" | "copyFileSync" | "copyfile" | "cp")
            || between(from.end + 1, to.start - 1) != ","
            || !code
                .get(to.end + 1..)
                .is_some_and(|behind| behind.trim_start().starts_with(')'))
            || is_defined(code, function)
            || !is_public(public)
            || self.path(public).is_some()
        {
            return false;
        }
        let is_tested = || {
            let test = tests.last().filter(|test| &code[(*test).clone()] == name)?;
            let start = call.trim_end_matches(is_of_receiver).len();
            let before = code[..test.start - 1].strip_suffix('(')?;
            let function = last_name(before);
            let tests = matches!(
                function,
                "exist?" | "exists" | "existsSync" | "file_exists" | "is_file" | "isfile"
            );
            let before = before.trim_end_matches(is_of_receiver).trim_end_matches(' ');
            let is_first = before.is_empty() || before.ends_with([';', '\n', '{', '}']);
            let is_none = match &*between(test.end + 1, start) {
                ")||" | ")or" => is_first,
                "))" | ")){" => ["!", "(", "if"]
                    .iter()
                    .try_fold(before, |rest, end| rest.trim_end().strip_suffix(end))
                    .is_some(),
                "):" => before.ends_with("if not"),
                _ => false,
            };
            (tests && is_none && !is_defined(code, function)).then_some(())
        };
        !self.may_be_there(command, name) || is_tested().is_some()
    }
}

/// Of longer code all texts count as names.
const LONGEST: usize = 1 << 14;

fn is_of_receiver(c: char) -> bool {
    is_of_name(c) || c == '.'
}

/// The use of a text in code.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    /// It may be the name of a file that is opened.
    Opened,
    /// Another text is compared with it.
    Compared,
    /// It is printed, or asked for whether there is such a file.
    Text,
}

/// Returns the use of what a function is called with.
fn use_by(function: &str) -> Use {
    match function {
        "access" | "accessSync" | "chmod" | "chmodSync" | "exist?" | "exists" | "exists?" | "existsSync" | "file?"
        | "file_exists" | "getsize" | "is_file" | "isfile" | "lexists" | "stat" | "statSync" => Use::Text,
        "debug" | "echo" | "error" | "info" | "log" | "print" | "printf" | "println" | "puts" | "warn" => Use::Text,
        "replace" | "replaceAll" => Use::Text,
        "contains" | "end_with?" | "endsWith" | "endswith" | "eql?" | "equals" | "hasPrefix" | "hasSuffix"
        | "include?" | "includes" | "indexOf" | "start_with?" | "startsWith" | "startswith" => Use::Compared,
        _ => Use::Opened,
    }
}

/// Returns the use of a text in quotes; that of one that is not known to open nothing is [`Use::Opened`].
fn use_of(code: &str, text: &Range<usize>, texts: &[Range<usize>]) -> Use {
    if code.len() > LONGEST {
        return Use::Opened;
    }
    let before = code[..text.start - 1].trim_end_matches(' ');
    let after = code.get(text.end + 1..).unwrap_or_default().trim_start_matches(' ');
    let is_equals = |text: &str| ["==", "!="].iter().any(|operator| text.starts_with(operator));
    let is_compared = before.ends_with("==") || before.ends_with("!=") || is_equals(after) || after.starts_with("in ");
    if is_compared && !after.starts_with(['.', '[', '+', '%']) {
        return Use::Compared;
    }
    // Without parentheses: `puts ".env"`.
    let name = last_name(before);
    if matches!(name, "echo" | "print" | "puts") && (after.is_empty() || after.starts_with([';', '\n', '}'])) {
        return if is_defined(code, name) { Use::Opened } else { Use::Text };
    }
    let Some(at) = before.rfind('(') else {
        return Use::Opened;
    };
    let is_plain = |c: char| c.is_alphanumeric() || "_.,-: '\"".contains(c);
    if is_in(texts, at) || !before[at + 1..].chars().all(is_plain) {
        return Use::Opened;
    }
    let name = last_name(&before[..at]);
    // `Path('.env').exists()`.
    if let Some(method) = after.strip_prefix(").")
        && matches!(name, "File" | "Path" | "Pathname" | "PurePath")
    {
        let length = method.find(|c: char| !is_of_name(c)).unwrap_or(method.len());
        let method = &method[..length];
        let is_test = matches!(method, "exist?" | "exists" | "file?" | "isFile" | "is_file");
        return if is_test && !is_defined(code, method) {
            Use::Text
        } else {
            Use::Opened
        };
    }
    let behind = after.strip_prefix(')').map(|behind| behind.trim_start_matches(' '));
    let is_whole = match behind {
        None => after.starts_with(','),
        // Awk prints into a file or another program.
        Some(behind) => !behind.starts_with(['>', '|']) || behind.starts_with("||"),
    };
    if !is_whole || is_defined(code, name) {
        return Use::Opened;
    }
    if name.starts_with("replace") {
        let receiver = before[..at].strip_suffix(name).unwrap_or_default();
        // A method of a path, and a function of the module `os`, rename a file.
        let may_rename = last_name(receiver.trim_end_matches('.')) == "os"
            || ["os as ", "__import__", "import_module"]
                .iter()
                .any(|text| code.contains(text))
            || !before[at..].contains(',') && !after.starts_with(',');
        if may_rename || ends_with_text(receiver) || gives(receiver, texts) {
            return Use::Opened;
        }
    }
    use_by(name)
}

/// Returns `true` for the receiver of a method that is a text.
fn ends_with_text(receiver: &str) -> bool {
    receiver.trim_end_matches('.').ends_with(['\'', '"', '`'])
}

/// Returns `true` if what follows is given to a call that does more than to print or to write it.
fn gives(before: &str, texts: &[Range<usize>]) -> bool {
    let mut depth = 0_usize;
    let parentheses = before.match_indices(['(', ')']).rev();
    let parentheses = parentheses.filter(|(at, _)| !is_in(texts, *at));
    let open = parentheses.filter(|(_, c)| match *c {
        ")" => {
            depth += 1;
            false
        }
        _ if depth > 0 => {
            depth -= 1;
            false
        }
        _ => true,
    });
    let mut calls = open.map(|(at, _)| (last_name(&before[..at]), &before[at..]));
    calls.any(|(name, arguments)| match name {
        "print" | "write" | "write_text" | "log" | "puts" => false,
        // The first one is a name.
        "writeFile" | "writeFileSync" => !arguments.contains(','),
        _ => true,
    })
}

/// Returns `true` if a place is in one of some texts, which are in order.
fn is_in(texts: &[Range<usize>], at: usize) -> bool {
    let next = texts.partition_point(|text| text.end <= at);
    texts.get(next).is_some_and(|text| text.contains(&at))
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '?'
}

/// Returns the name that a text ends with.
fn last_name(text: &str) -> &str {
    let start = text.char_indices().rev().find(|(_, c)| !is_of_name(*c));
    &text[start.map_or(0, |(at, c)| at + c.len_utf8())..]
}

/// Returns `true` if a name may have a meaning of the code's own: somewhere it is not called, or what it does follows.
fn is_defined(code: &str, name: &str) -> bool {
    if name.is_empty() {
        return true;
    }
    code.match_indices(name).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + name.len()..]);
        if before.ends_with(is_of_name) || after.starts_with(is_of_name) {
            return false;
        }
        let is_definition = matches!(
            last_name(before.trim_end()),
            "as" | "class" | "def" | "fn" | "fun" | "func" | "function" | "sub"
        );
        let is_call = match after.strip_prefix('(') {
            // `exists(path) { … }`, without others in between.
            Some(arguments) => !arguments
                .split_once(')')
                .is_some_and(|(_, behind)| behind.trim_start().starts_with(['{', '='])),
            None => after.starts_with(' ') && after.trim_start().starts_with(['\'', '"']),
        };
        is_definition || !is_call
    })
}

/// Returns `true` if code opens or runs something whose name is not written there.
fn opens_variable(code: &str) -> bool {
    const BEGINNINGS: [&str; 6] = ["cat", "copy", "exec", "file_get", "getline", "read"];
    const ENDS: [&str; 6] = ["Path", "call", "open", "run", "spawn", "system"];
    let mut names = code.match_indices(|c: char| !is_of_name(c)).map(|(at, _)| at);
    names.any(|at| {
        let name = last_name(&code[..at]);
        let argument = code[at..].trim_start_matches([' ', '(']);
        let is_opener = BEGINNINGS.iter().any(|start| name.starts_with(start))
            || ENDS.iter().any(|end| name.ends_with(end))
            || name.starts_with("spawn");
        is_opener && !argument.starts_with(['\'', '"', '`', ')'])
    })
}

/// Returns the texts in quotes in code, and all others that may be one: those within others, and where an apostrophe of a
/// comment has changed what is in quotes.
fn quoted(code: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    /// More are not looked at.
    const MOST: usize = 2_000;
    const QUOTES: [char; 3] = ['\'', '"', '`'];
    let mut outer = Vec::new();
    let mut inner = Vec::new();
    let whole = 0..code.len();
    let mut open = Vec::from([whole.clone()]);
    while let Some(text) = open.pop() {
        let is_outer = text == whole;
        let mut at = text.start;
        while let Some(start) = code[at..text.end]
            .find(QUOTES)
            .filter(|_| outer.len() + inner.len() < MOST)
        {
            let start = at + start + 1;
            let quote = &code[start - 1..start];
            let end = code[start..text.end]
                .find(quote)
                .map_or(text.end, |length| start + length);
            let found = if is_outer { &mut outer } else { &mut inner };
            found.push(start..end);
            if code[start..end].contains(QUOTES) {
                open.push(start..end);
            }
            at = text.end.min(end + 1);
        }
    }
    let mut start = 0;
    for (end, _) in code.match_indices(QUOTES).take(MOST) {
        let text = start..end;
        let is_outer = outer
            .binary_search_by_key(&start, |text| text.start)
            .is_ok_and(|at| outer[at] == text);
        if start > 0 && !is_outer && !text.is_empty() {
            inner.push(text);
        }
        start = end + 1;
    }
    (outer, inner)
}
