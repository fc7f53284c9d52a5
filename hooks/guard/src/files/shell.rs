//! Files with secrets that a command line reads, changes or sends.

mod code;
mod copies;
mod flat;
mod printed;
mod sent;
mod taken;
mod texts;

use std::cell::{Cell, OnceCell, RefCell};

use hookkit::shell::programs::find::names;

use self::texts::{finds_public, literals, run_by_setting, values};
use super::kind;
use crate::effects::changes::finds_dots;
use crate::effects::mentions::{Mention, is_patch, is_remote, mentions, runs_stdin};
use crate::effects::printed;
use crate::files::search::secret_in;
use crate::folders::commands;
use crate::prelude::*;
use crate::variables::may_run;
use crate::words::{append, find_dots, of_pattern, push, start};

/// Maximum number of names, and of bytes of scripts and code, to read.
const MOST_NAMES: usize = 20_000;
const MOST_BYTES: usize = 1 << 20;

/// Maximum nesting depth of scripts.
const DEEPEST: usize = 3;

/// Returns the finding about the first file with secrets that a command line uses.
pub(super) fn look(line: &str, context: &Context) -> Option<Found> {
    let budget = Budget { names: Cell::new(MOST_NAMES), bytes: Cell::new(MOST_BYTES) };
    let found = of_line(line, context, &budget, DEEPEST);
    let is_over = budget.names.get() == 0 || budget.bytes.get() == 0;
    found.or_else(|| is_over.then(|| Possible("it names too many files to check".to_owned())))
}

/// The amounts that may still be read, shared by a line and all scripts in it.
struct Budget {
    names: Cell<usize>,
    /// Number of bytes of scripts and code within the line.
    bytes: Cell<usize>,
}

impl Budget {
    /// Takes an amount; returns `None` if there is not enough.
    fn take(left: &Cell<usize>, amount: usize) -> Option<()> {
        let rest = left.get().checked_sub(amount);
        left.set(rest.unwrap_or_default());
        rest.map(drop)
    }
}

fn of_line(text: &str, context: &Context, budget: &Budget, depth: usize) -> Option<Found> {
    let script = &shell::analyze(text);
    let environment = Environment::default();
    let commands = commands(script);
    let look = Look {
        folders: Folders::of(script, context),
        values: values(&commands),
        line: Line { text, script, context, environment },
        commands: &commands,
        along: OnceCell::new(),
        words: OnceCell::new(),
        named: OnceCell::new(),
        finds_dots: commands.iter().any(finds_dots),
        prints_variables: commands.iter().any(prints_variables),
        paths: RefCell::default(),
        budget,
        depth,
    };
    let mentioned = commands.iter().enumerate().flat_map(|(at, command)| {
        let made: Vec<&str> =
            look.made_from_public(at, command).into_iter().chain(look.linked(command).into_iter().flatten()).collect();
        let is_made = |mention: &Mention| literal(&mention.pieces).is_some_and(|name| made.contains(&name));
        mentions(command)
            .into_iter()
            .filter(|mention| !is_made(mention))
            .filter_map(|mention| look.mention(command, &mention))
            .collect::<Vec<_>>()
    });
    let run = commands.iter().flat_map(run_by_setting).filter_map(|text| look.script(&text));
    // The line may feed texts to a shell, to an interpreter without a script, or to one whose script it writes.
    let written: Vec<&str> = (commands.iter().flat_map(Command::targets)).filter_map(Word::literal).collect();
    let runs_texts = |command: &&Command| {
        runs_stdin(command)
            || is_patch(command)
            || is_interpreter(command) && command.literals().any(|name| written.contains(&name))
    };
    let has_texts = commands.iter().flat_map(printed).next().is_some();
    let is_shell = |command: &Command| command.program().is_some_and(is_shell);
    let read = [true, false]
        .map(|shell| commands.iter().filter(|command| has_texts && is_shell(command) == shell).find(runs_texts))
        .into_iter()
        .flatten()
        .flat_map(|reader| {
            // Expansions are left out.
            let known = |word: &Word| word.parts.iter().filter_map(Part::literal).collect();
            let found = |text: String| {
                if is_shell(reader) {
                    look.script(&text)
                } else {
                    look.code(reader, &text).or_else(|| look.patch(reader, &text))
                }
            };
            commands.iter().flat_map(printed).map(known).filter_map(found).collect::<Vec<_>>()
        });
    let is_remote =
        |unanalyzed: &Unanalyzed| commands.iter().any(|command| command.span == unanalyzed.span && is_remote(command));
    let unanalyzed = script.unanalyzed().iter().filter(|unanalyzed| may_run(unanalyzed) && !is_remote(unanalyzed));
    let unanalyzed = unanalyzed.filter_map(|unanalyzed| {
        Budget::take(&budget.bytes, unanalyzed.text.len())?;
        named(&unanalyzed.text, context).map(Possible)
    });
    let taken = commands
        .iter()
        .enumerate()
        .filter_map(|(at, command)| look.taken(command).or_else(|| look.taken_apart(at, command)));
    match Found::worst(mentioned.chain(look.given()).chain(run).chain(read).chain(unanalyzed).chain(taken)) {
        certain @ Some(Certain(_)) => certain,
        doubt => look.variables_sent().or_else(|| look.printed()).or(doubt),
    }
}

/// Returns `true` for a `git add` or a `git commit` that shows nothing.
fn is_added(command: &Command) -> bool {
    const SHOWS: &str = "-F -e -i -p -v --edit --file --interactive --patch --verbose";
    let words = Git::of(command).map_or(&[][..], |git| git.words);
    words.first().is_some_and(|name| name.is("add commit"))
        && !words.iter().any(|word| lists(SHOWS, word.known_start()))
}

/// Returns `true` if a command prints variables.
fn prints_variables(command: &Command) -> bool {
    match command.program() {
        Some("echo" | "printf") => command.arguments().iter().any(|word| pieces(word).contains(&Piece::Unknown)),
        Some("printenv") => true,
        Some(name @ ("declare" | "env" | "export" | "set" | "typeset")) => {
            command.arguments().iter().all(|option| option.is("-p -0") || option.is("-x") && name != "set")
        }
        _ => false,
    }
}

/// Returns `true` if a `find` gives only public files to at most one other command.
fn gives_public_alone(commands: &[Command]) -> bool {
    let is_given = |command: &Command| command.via.last().is_some_and(|via| via.is_prefix("find xargs"));
    let mut given = 0;
    commands.iter().all(|command| {
        given += usize::from(is_given(command));
        given <= 1 && (finds_public(command) || command.is("xargs") || is_given(command))
    })
}

/// Describes the file with secrets that an unanalyzed text names.
pub(super) fn named(text: &str, context: &Context) -> Option<String> {
    let mut names = names_in(text, "._-+~/\\").filter(|name| name.len() > 2);
    names.find_map(|name| {
        let name = name.replace('\\', "/");
        let path = context.path(&name).ok()?;
        let kind = path.names().find_map(|path| kind(path, context))?;
        Some(format!("the command names `{name}`, {kind}"))
    })
}

struct Look<'b> {
    folders: Folders,
    /// The folders of each command, computed when needed.
    along: OnceCell<Along>,
    /// Strings that the line gives to variables and to other commands: a word may become one of them.
    values: Vec<String>,
    line: Line<'b>,
    commands: &'b [Command],
    /// The literal words of the line, and a file with secrets that it names in any way, computed when needed.
    words: OnceCell<Vec<String>>,
    named: OnceCell<Option<String>>,
    /// `true` if globs also match names that start with a dot.
    finds_dots: bool,
    /// `true` if a command prints variables.
    prints_variables: bool,
    /// Names that were judged, with their descriptions.
    paths: RefCell<BTreeMap<String, Option<String>>>,
    budget: &'b Budget,
    depth: usize,
}

impl Look<'_> {
    fn mention(&self, command: &Command, mention: &Mention) -> Option<Found> {
        let values = self.values.iter().map(|value| with_value(&mention.pieces, value));
        let is_unknown = mention.pieces.contains(&Piece::Unknown);
        let possible = |what: String| Possible(said(command, mention.does, &what));
        let known = std::iter::once(mention.pieces.clone()).chain(values.filter(|_| is_unknown));
        for pieces in known {
            let found = match (literal(&pieces), mention.does) {
                (_, Does::Run) => self.code(command, &text_of(&pieces, "")),
                (Some(path), Does::Read) if self.shows_names(command, path) => None,
                (Some(path), does) => match self.path(path) {
                    Some(what) => self.certain(command, does, &what),
                    None => self.folder_sent(command, path, does),
                },
                (_, does) => self.partial(&pieces, does).map(possible),
            };
            if found.is_some() {
                return found;
            }
        }
        (is_unknown && mention.does != Does::Change).then(|| self.guessed(mention)).flatten().map(possible)
    }

    /// Returns the finding about a command that certainly has this effect on a file.
    fn certain(&self, command: &Command, does: Does, what: &str) -> Option<Found> {
        let asked = match command.name() {
            Some("." | "source") if !self.prints_variables => {
                "gives its variables to all later commands, which can print them"
            }
            // It may be a certificate, or a key for tests.
            Some("git") if is_added(command) && what.ends_with("a key store") => return None,
            Some("git") if is_added(command) => "puts it into the history, which is shared",
            _ => return Some(Certain(said(command, does, what))),
        };
        Some(Asked(format!("`{command}` uses {what}, and {asked}")))
    }

    /// Describes the file with secrets that a name may become, judging by the line's other words.
    fn guessed(&self, mention: &Mention) -> Option<String> {
        if mention.pieces == [Piece::Unknown] && gives_public_alone(self.commands) {
            return None;
        }
        let says_something = mention.pieces.iter().any(Piece::says_something);
        if !says_something || mention.does == Does::Run {
            return self.named.get_or_init(|| self.secret_of_line()).clone();
        }
        self.words
            .get_or_init(|| literals(self.commands))
            .iter()
            .find_map(|word| self.path(literal(&with_value(&mention.pieces, word))?))
    }

    /// Returns the finding about a command that shows files whose names another command gives it.
    fn given(&self) -> Option<Found> {
        let is_given = |command: &&Command| {
            let is_shown = |mention: &Mention| mention.does != Does::Change && mention.pieces == [Piece::Unknown];
            command.is_run_by("fd fdfind find xargs") && mentions(command).iter().any(is_shown)
        };
        let command = self.commands.iter().find(is_given).filter(|_| !gives_public_alone(self.commands))?;
        let (file, kind) = self
            .commands
            .iter()
            .flat_map(names)
            .find_map(|(folder, name)| self.in_folder(&folder, &of_pattern(&name)))?;
        Some(Possible(said(command, Does::Read, &format!("`{}`, {kind}", file.display()))))
    }

    /// Describes the file with secrets that the line names, by a glob or in any other way.
    fn secret_of_line(&self) -> Option<String> {
        let mut elements = self
            .commands
            .iter()
            .flat_map(|command| &command.assignments)
            .flat_map(|assignment| assignment.elements.iter().flatten());
        self.name_in(&self.without_comments())
            .or_else(|| elements.find_map(|element| self.partial(&pieces(element), Does::Read)))
    }

    fn without_comments(&self) -> String {
        let mut rest = 0;
        let mut text = String::new();
        for comment in self.line.script.comments() {
            text.push_str(&self.line.text[rest..comment.start]);
            rest = comment.end;
        }
        text + &self.line.text[rest..]
    }

    /// Describes the file with secrets that a text names.
    fn name_in(&self, text: &str) -> Option<String> {
        /// Maximum number of names to judge.
        const MOST: usize = 1_000;
        // `.key` is a member of an object rather than a key without a name.
        let is_name = |name: &&str| name.len() > 2 && !name.eq_ignore_ascii_case(".key");
        let mut names = names_in(text, "._-+~/").filter(is_name).take(MOST);
        // An operator may come before the name: `${file:-id_rsa}`.
        names.find_map(|name| self.path(name.trim_start_matches(['-', '+'])))
    }

    /// Describes the file with secrets that a name means, from any folder of the line.
    fn path(&self, path: &str) -> Option<String> {
        // Many words of a line occur more than once.
        let known = self.paths.borrow().get(path).cloned();
        known.unwrap_or_else(|| {
            let found = self.described(path);
            self.paths.borrow_mut().insert(path.to_owned(), found.clone());
            found
        })
    }

    fn described(&self, path: &str) -> Option<String> {
        // No file has a longer name, and a text with blanks is seldom a name.
        let is_name = |path: &str| {
            path.len() < 4096 && !path.contains(char::is_whitespace) && path.split('/').all(|name| name.len() < 256)
        };
        if path.is_empty() || !is_name(path) {
            return None;
        }
        self.folders.contexts.iter().find_map(|context| {
            Budget::take(&self.budget.names, 1)?;
            let described = |kind| format!("`{path}`, {kind}");
            let of_name = |name: &Path| kind(name, context).or_else(|| kind_of_folder(name).then_some(FOLDER));
            let absolute = context.absolute(path);
            // A program may take it for a pattern, in which a `*` also matches nothing.
            let plain = || of_name(&context.absolute(path.replace('*', "")));
            if let Some(kind) = of_name(&absolute).or_else(|| path.contains('*').then(plain)?) {
                return Some(described(kind));
            }
            // Most words name nothing. Links give an existing file further names.
            absolute.symlink_metadata().ok()?;
            context.path(path).ok()?.names().find_map(of_name).map(described)
        })
    }

    /// Describes the file with secrets that a partly literal name may expand to.
    fn partial(&self, pieces: &[Piece], does: Does) -> Option<String> {
        let (folder, components) = parted(pieces);
        let mut last = components.last()?.clone();
        if let Some(name) = literal(&last) {
            // The folder may be unknown, as in `/proc/$pid/environ`.
            return self.path(name).or_else(|| self.path(&text_of(pieces, "x")));
        }
        // Files that a glob removes are not shown.
        let is_glob = |piece: &Piece| matches!(piece, Piece::Glob | Piece::Character | Piece::Braces);
        let has_glob = last.iter().any(is_glob) && does != Does::Change;
        let is_deep = components.len() > 1 && has_glob && !pieces.contains(&Piece::Unknown);
        if components.len() > 1 && !is_deep || !last.iter().any(Piece::says_something) {
            return None;
        }
        if self.finds_dots {
            find_dots(&mut last);
        }
        let folder = if folder.is_empty() { "." } else { &folder };
        if is_deep {
            let (file, kind) = self.in_folder(folder, &last)?;
            return Some(format!("`{}`, {kind}", file.display()));
        }
        self.folders.contexts.iter().find_map(|context| {
            // Reading a folder costs more.
            Budget::take(&self.budget.names, if has_glob { 100 } else { 1 })?;
            let absolute = context.absolute(folder);
            if has_glob {
                let described =
                    |file: PathBuf| Some(format!("`{}`, {}", file.file_name()?.display(), kind(&file, context)?));
                return fitting(&[absolute], &last).into_iter().find_map(described);
            }
            // Any name with this beginning is one, whatever follows.
            let start = Some(start(&last)).filter(|start| start.ends_with('.'))?;
            kind(&absolute.join(format!("{start}x")), context).map(|kind| format!("`{start}…`, {kind}"))
        })
    }

    /// Returns the first file with secrets below a folder whose name these pieces may become.
    fn in_folder(&self, folder: &str, name: &[Piece]) -> Option<(PathBuf, &'static str)> {
        self.folders.contexts.iter().find_map(|context| {
            Budget::take(&self.budget.names, 100)?;
            secret_in(&context.absolute(folder), context, |found, is_folder| is_folder || fits(found, name))
        })
    }

    fn script(&self, text: &str) -> Option<Found> {
        Budget::take(&self.budget.bytes, text.len())?;
        of_line(text, &self.folders.contexts[0], self.budget, self.depth.checked_sub(1)?)
    }

    /// Returns the finding about a patch, whose headers name its files.
    fn patch(&self, command: &Command, text: &str) -> Option<Found> {
        let what = text
            .lines()
            .filter_map(|line| line.strip_prefix("--- ").or(line.strip_prefix("+++ ")))
            .find_map(|name| self.path(name.split('\t').next()?.trim()))?;
        is_patch(command).then(|| Certain(said(command, Does::Change, &what)))
    }
}

fn said(command: &Command, does: Does, what: &str) -> String {
    let verb = match does {
        Does::Read | Does::Run => "reads",
        Does::Change => "changes",
        Does::Send => "sends",
    };
    let program = command.program().map(|program| format!("`{program}` ")).unwrap_or_default();
    format!("{program}{verb} {what}")
}

/// Returns the pieces with a value in place of each unknown piece. A value may be a pattern of `find`.
fn with_value(known: &[Piece], value: &str) -> Name {
    let mut name = Vec::new();
    for piece in known {
        match piece {
            Piece::Unknown => append(&mut name, of_pattern(value)),
            piece => push(&mut name, piece.clone()),
        }
    }
    name
}

/// Returns the text of pieces, with `other` in place of each piece that is not literal.
fn text_of<'p>(pieces: &'p [Piece], other: &'p str) -> String {
    pieces.iter().map(|piece| literal(std::slice::from_ref(piece)).unwrap_or(other)).collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
