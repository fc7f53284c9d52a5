//! The files with secrets that a command line reads, changes or sends.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use hookkit::Context;
use hookkit::shell::{self, Command, Part, RedirectionOperator, Script, Unanalyzed, Via, Why, Word};

use super::names::{FOLDER, kind, kind_of_folder};
use crate::effects::changes::FINDS;
use crate::effects::mentions::{Does, Mention, is_patch, is_remote, is_shell, mentions, runs_stdin};
use crate::folders::{Folders, commands};
use crate::words::{Piece, fits, joined, parted, pieces};

/// The answer to a command line.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// It does this with a file that holds secrets.
    Certain(String),
    /// It may.
    Possible(String),
}

/// Names that are looked at.
const MOST_LOOKS: u32 = 20_000;

/// Scripts within each other that are looked at.
const DEEPEST: usize = 3;

/// The first file with secrets that a command line does something with.
pub(super) fn look(line: &str, context: &Context) -> Option<Found> {
    of_script(&shell::analyze(line), context, DEEPEST)
}

fn of_script(script: &Script, context: &Context, depth: usize) -> Option<Found> {
    let commands = commands(script);
    let look = Look {
        folders: Folders::of(script, context),
        values: values(&commands),
        left: Cell::new(MOST_LOOKS),
        depth,
    };
    let named = commands.iter().flat_map(|command| {
        let mentions = mentions(command).into_iter();
        mentions
            .filter_map(|mention| look.mention(command, &mention))
            .collect::<Vec<_>>()
    });
    // Whatever goes into a shell or an interpreter that has no script.
    let readers = [true, false].map(|shell| {
        let mut readers = commands.iter().filter(|command| is_shell(command) == shell);
        readers.find(|command| runs_stdin(command) || is_patch(command))
    });
    let read = readers.into_iter().flatten().flat_map(|reader| {
        let texts = commands.iter().flat_map(texts);
        let found = |text: String| match is_shell(reader) {
            true => look.script(&text),
            false => look.code(reader, &text).or_else(|| look.patch(reader, &text)),
        };
        texts.filter_map(found).collect::<Vec<_>>()
    });
    let is_remote = |unanalyzed: &&Unanalyzed| {
        let mut remote = commands.iter().filter(|command| is_remote(command));
        remote.any(|command| command.span == unanalyzed.span)
    };
    let unanalyzed = script.unanalyzed().iter().filter(|unanalyzed| may_run(unanalyzed));
    let unanalyzed = unanalyzed.filter(|unanalyzed| !is_remote(unanalyzed));
    let unanalyzed = unanalyzed.filter_map(|unanalyzed| self::named(&unanalyzed.text, context).map(Found::Possible));
    let mut doubt = None;
    for found in named.chain(read).chain(unanalyzed) {
        match found {
            Found::Certain(_) => return Some(found),
            Found::Possible(_) => doubt = doubt.or(Some(found)),
        }
    }
    let is_over = look.left.get() == 0;
    doubt.or_else(|| is_over.then(|| Found::Possible("the command names more files than can be looked at".to_owned())))
}

/// Returns `true` for what may run a command that is not listed.
fn may_run(unanalyzed: &Unanalyzed) -> bool {
    matches!(
        unanalyzed.why,
        Why::TooDeep | Why::TooLong | Why::Character | Why::ScriptText | Why::Prefix | Why::Runner
    )
}

/// Returns the description of a file with secrets that a text names which is not analyzed.
pub(super) fn named(text: &str, context: &Context) -> Option<String> {
    let ends_name = |c: char| !c.is_alphanumeric() && !"._-+~/\\".contains(c);
    let mut names = text.split(ends_name).filter(|name| name.len() > 2);
    names.find_map(|name| {
        let name = name.replace('\\', "/");
        let path = context.path(&name).ok()?;
        path.names()
            .find_map(|path| kind(path, context))
            .map(|kind| format!("the command names `{name}`, {kind}"))
    })
}

struct Look {
    folders: Folders,
    /// Texts of the line that a word may become of which nothing is known.
    values: Vec<String>,
    /// Names that may still be looked at.
    left: Cell<u32>,
    depth: usize,
}

impl Look {
    fn mention(&self, command: &Command, mention: &Mention) -> Option<Found> {
        let values = self.values.iter().map(|value| with_value(&mention.pieces, value));
        let is_unknown = mention.pieces.contains(&Piece::Unknown);
        let known = std::iter::once(mention.pieces.clone()).chain(values.filter(|_| is_unknown));
        for pieces in known {
            let found = match (&pieces[..], mention.does) {
                (_, Does::Run) => self.code(command, &text_of(&pieces)),
                ([Piece::Text(path)], does) => self.path(path).map(|what| Found::Certain(said(command, does, &what))),
                (_, does) => self
                    .partial(&pieces, does)
                    .map(|what| Found::Possible(said(command, does, &what))),
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Returns the description of a file with secrets, from whichever folder its name is taken.
    fn path(&self, path: &str) -> Option<String> {
        // No file has a longer name, and a text with blanks is seldom one.
        let is_name = |path: &str| {
            path.len() < 4096 && !path.contains(char::is_whitespace) && path.split('/').all(|name| name.len() < 256)
        };
        if path.is_empty() || !is_name(path) {
            return None;
        }
        self.folders.contexts.iter().find_map(|context| {
            self.left.set(self.left.get().checked_sub(1)?);
            let described = |kind| format!("`{path}`, {kind}");
            let of_name = |name: &Path| kind(name, context).or_else(|| kind_of_folder(name).then_some(FOLDER));
            let absolute = context.absolute(path);
            if let Some(kind) = of_name(&absolute) {
                return Some(described(kind));
            }
            // Most words name nothing. What is there may have other names, by links.
            absolute.symlink_metadata().ok()?;
            let resolved = context.path(path).ok()?;
            resolved.names().find_map(of_name).map(described)
        })
    }

    /// Returns the description of a file with secrets that a name may become of which a part is known.
    fn partial(&self, pieces: &[Piece], does: Does) -> Option<String> {
        let (folder, components) = parted(pieces);
        let last = components.last()?;
        if let [Piece::Text(name)] = &last[..] {
            // In a folder that is not known.
            return self.path(name);
        }
        // What a glob removes is not shown.
        let has_glob = last.iter().any(|piece| matches!(piece, Piece::Glob | Piece::Braces)) && does != Does::Change;
        if components.len() > 1 || !last.iter().any(Piece::says_something) {
            return None;
        }
        let folder = if folder.is_empty() { "." } else { &folder };
        self.folders.contexts.iter().find_map(|context| {
            let absolute = context.absolute(folder);
            /// More are not looked at.
            const MOST: usize = 10_000;
            let files = fs::read_dir(&absolute).into_iter().flatten().flatten().take(MOST);
            let mut names = files
                .filter(|_| has_glob)
                .filter_map(|file| file.file_name().into_string().ok());
            let found = names.find_map(|name| {
                let kind = kind(&absolute.join(&name), context).filter(|_| fits(&name, last))?;
                Some(format!("`{name}`, {kind}"))
            });
            // Every name with this beginning is one, whatever follows.
            let known = || match last.first() {
                Some(Piece::Text(start)) if start.ends_with('.') && !has_glob => {
                    kind(&absolute.join(format!("{start}x")), context).map(|kind| format!("`{start}…`, {kind}"))
                }
                _ => None,
            };
            found.or_else(known)
        })
    }

    /// Returns the answer for code in another language: its texts may be names of files, and commands.
    fn code(&self, command: &Command, code: &str) -> Option<Found> {
        let decoded = match decodes(code) {
            true => quoted(code).into_iter().flat_map(encoded).collect(),
            false => Vec::new(),
        };
        let texts = quoted(code).into_iter();
        for text in texts.chain(decoded.iter().map(String::as_str)) {
            if let Some(what) = self.path(text) {
                return Some(Found::Certain(said(command, Does::Read, &what)));
            }
            if text.contains(char::is_whitespace)
                && let Some(found) = self.script(text)
            {
                return Some(found);
            }
        }
        None
    }

    fn script(&self, text: &str) -> Option<Found> {
        match self.depth {
            0 => None,
            depth => of_script(&shell::analyze(text), &self.folders.contexts[0], depth - 1),
        }
    }

    /// Returns the answer for a patch, of which the header of each file names it.
    fn patch(&self, command: &Command, text: &str) -> Option<Found> {
        let mut headers = text
            .lines()
            .filter(|line| line.starts_with("--- ") || line.starts_with("+++ "));
        let found = headers.find_map(|line| {
            let name = line[4..].split('\t').next()?.trim();
            self.path(name)
        });
        let found = found.filter(|_| is_patch(command));
        found.map(|what| Found::Certain(said(command, Does::Change, &what)))
    }
}

fn said(command: &Command, does: Does, what: &str) -> String {
    let verb = match does {
        Does::Read | Does::Run => "reads",
        Does::Change => "changes",
        Does::Send => "sends",
    };
    match command.program() {
        Some(program) => format!("`{program}` {verb} {what}"),
        None => format!("{verb} {what}"),
    }
}

/// Returns the pieces with a value in the place of what is not known.
fn with_value(known: &[Piece], value: &str) -> Vec<Piece> {
    joined(known.iter().map(|piece| match piece {
        Piece::Unknown => Piece::from(value),
        piece => piece.clone(),
    }))
}

fn text_of(pieces: &[Piece]) -> String {
    let texts = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text.as_str(),
        _ => "",
    });
    texts.collect()
}

/// Returns the texts that an expansion of the line may become: values of variables, what `echo` prints for another
/// command, and the names that `find` looks for.
fn values(commands: &[Command]) -> Vec<String> {
    /// More are not looked at.
    const MOST: usize = 64;
    let assigned = commands
        .iter()
        .flat_map(|command| &command.assignments)
        .flat_map(|assignment| {
            let elements = assignment.elements.iter().flatten();
            elements.chain(std::iter::once(&assignment.value))
        });
    let is_printed = |command: &&Command| {
        let goes_on = |via: &Via| matches!(via, Via::CommandSubstitution | Via::ProcessSubstitution | Via::Pipeline);
        matches!(command.program(), Some("echo" | "printf")) && command.via.iter().any(goes_on)
    };
    let printed = commands.iter().filter(is_printed).flat_map(Command::arguments);
    let found = commands
        .iter()
        .filter(|command| command.program().is_some_and(|name| FINDS.contains(&name)));
    let found = found.flat_map(Command::arguments);
    let words = assigned.chain(printed).chain(found).filter_map(known_text);
    let mut values: Vec<String> = words
        .flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .filter(|value| !value.starts_with('-'))
        .take(MOST)
        .collect();
    let mut words = commands.iter().flat_map(|command| &command.words);
    if words.any(|word| word.literal().is_some_and(decodes)) {
        let texts = commands
            .iter()
            .flat_map(|command| command.words.iter().chain(targets(command)));
        let encoded = texts
            .filter_map(known_text)
            .flat_map(|text| encoded(&text).collect::<Vec<_>>());
        values.extend(encoded.take(MOST));
    }
    values.sort();
    values.dedup();
    values
}

fn targets(command: &Command) -> impl Iterator<Item = &Word> {
    command.redirections.iter().map(|redirection| &redirection.target)
}

/// Returns the text of a word without expansions; its `~` stays.
fn known_text(word: &Word) -> Option<String> {
    match &pieces(word)[..] {
        [Piece::Text(text)] => Some(text.clone()),
        _ => None,
    }
}

/// Returns `true` for code, or the name of a program, that decodes base64.
fn decodes(code: &str) -> bool {
    ["base64", "Base64", "atob", "b64decode"]
        .iter()
        .any(|word| code.contains(word))
}

/// Returns the names that a text has in base64.
fn encoded(text: &str) -> impl Iterator<Item = String> {
    let is_digit = |c: char| c.is_ascii_alphanumeric() || "+/-_=".contains(c);
    let runs = text
        .split(move |c| !is_digit(c))
        .filter(|run| (6..400).contains(&run.len()));
    runs.filter_map(|run| {
        let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
        for digit in run.trim_end_matches('=').bytes() {
            let value = match digit {
                b'A'..=b'Z' => digit - b'A',
                b'a'..=b'z' => digit - b'a' + 26,
                b'0'..=b'9' => digit - b'0' + 52,
                b'+' | b'-' => 62,
                b'/' | b'_' => 63,
                _ => return None,
            };
            (bits, count) = (bits << 6 | u32::from(value), count + 6);
            if count >= 8 {
                count -= 8;
                bytes.push((bits >> count & 0xff) as u8);
            }
        }
        let text = String::from_utf8(bytes).ok()?;
        text.chars().all(|c| !c.is_control()).then_some(text)
    })
}

/// Returns what is printed by `echo` and `printf`, and what here-documents hold.
fn texts(command: &Command) -> impl Iterator<Item = String> {
    use RedirectionOperator::{HereDocument, HereString};
    let is_printed = matches!(command.program(), Some("echo" | "printf"));
    let printed = command.arguments().iter().filter(move |_| is_printed);
    let is_text = |operator| matches!(operator, HereDocument | HereString);
    let documents = command
        .redirections
        .iter()
        .filter(move |redirection| is_text(redirection.operator));
    printed
        .chain(documents.map(|redirection| &redirection.target))
        .map(|word| {
            let parts = word.parts.iter().map(|part| match part {
                Part::Literal(text) => text.as_str(),
                Part::Expansion(_) => "",
            });
            parts.collect()
        })
}

/// Returns the texts in quotes in code, also those within others.
fn quoted(code: &str) -> Vec<&str> {
    /// More are not looked at.
    const MOST: usize = 2_000;
    let mut found = Vec::new();
    let mut open = vec![code];
    while let Some(text) = open.pop() {
        let mut rest = text;
        while let Some(start) = rest.find(['\'', '"', '`']).filter(|_| found.len() < MOST) {
            let quote = &rest[start..=start];
            let inner = &rest[start + 1..];
            let end = inner.find(quote).unwrap_or(inner.len());
            found.push(&inner[..end]);
            if inner[..end].contains(['\'', '"', '`']) {
                open.push(&inner[..end]);
            }
            rest = inner.get(end + 1..).unwrap_or_default();
        }
    }
    found
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
