//! Commands that a shell line runs.
//!
//! The input of the Bash tool is a string. A guard that searches it for words is deceived by `r\m`, by `$(…)`, by
//! `sudo`, and by a commit message that mentions `rm`. [`analyze`] reads the text as bash does and lists every simple
//! command that could run: in pipelines and lists, in branches that may not be taken, in functions, substitutions and
//! here-documents, in a string for `sh -c` or `eval`, and after `sudo`, `env`, `xargs`, `find -exec`, `parallel`,
//! `uv run`, `docker exec`, `tmux` and the like. It reports each part that it cannot analyze as [`Unanalyzed`], with its
//! text and the reason.
//!
//! ```
//! use hookkit::prelude::*;
//! use hookkit::shell;
//!
//! /// Denies `git push --force`, and asks about commands that cannot be analyzed.
//! #[hook(PreToolUse)]
//! pub fn keep_history(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
//!     let script = shell::analyze(&call.input.command);
//!     for command in script.commands() {
//!         if command.is("git") && command.has_argument("push") && command.has_argument("--force") {
//!             return PreToolUseAnswer::deny("history that others have is not rewritten: push without `--force`");
//!         }
//!     }
//!     match script.all_commands() {
//!         Ok(_) => PreToolUseAnswer::pass(),
//!         Err(unanalyzed) => PreToolUseAnswer::ask(unanalyzed[0].to_string()),
//!     }
//! }
//! # fn main() {
//! # let deny = |text: &str| keep_history(PreToolUse::new("Bash", tool::Bash::new(text)));
//! # assert_ne!(deny("cd x && sudo sh -c 'git push --force'"), PreToolUseAnswer::pass());
//! # assert_ne!(deny("$cmd push"), PreToolUseAnswer::pass());
//! # assert_eq!(deny("git commit -m 'no git push --force'"), PreToolUseAnswer::pass());
//! # }
//! ```
//!
//! # What it promises
//!
//! If [`Script::all_commands`] returns `Ok`, the shell runs no other commands than those listed. It is conservative: arithmetic
//! with variables counts as unanalyzed, since the shell evaluates their values, too, and these can contain a `$(…)`. Text that
//! bash, zsh and POSIX shells read differently is refused rather than guessed, and so is text that is nested deeper than 40
//! levels or longer than 1 MiB.
//!
//! # What it cannot see
//!
//! - State of the session's shell: aliases, functions, options, and variables such as `PATH`.
//! - The effects of a program's arguments, unless the program is one of those above: `python -c`, `awk`, `make`, a git
//!   alias, a script's own file. Such programs are listed as commands, with their words.
//! - The file that a name leads to, and the text that a glob or a variable becomes: such a [`Word`] is only partly literal.
//! - Conditions that decide if a command runs. It lists `rm` in `false && rm`, too.

use std::collections::HashSet;
use std::fmt;
use std::mem;
use std::ops::Range;

use printed::literal;
use programs::table::lists;
use programs::text::up_to;

mod layout;
mod options;
mod parser;
mod printed;
pub mod programs;
mod reach;

#[cfg(feature = "layout")]
#[doc(hidden)]
pub use layout::{Layout, Operator, Stage, StageKind};

/// Maximum length of a text to analyze, in bytes.
const LONGEST: usize = 1 << 20;

/// The commands that a shell line runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    commands: Vec<Command>,
    unanalyzed: Vec<Unanalyzed>,
    comments: Vec<Range<usize>>,
}

impl Script {
    /// Returns the commands that could be analyzed, for a hook that denies some of them.
    ///
    /// A prefix and the command after it are both listed: `sudo rm` is listed as `sudo rm` and as `rm`.
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// Returns the parts that could not be analyzed.
    pub fn unanalyzed(&self) -> &[Unanalyzed] {
        &self.unanalyzed
    }

    /// Returns the ranges of the comments in bytes, in order, without comments of scripts within the text.
    pub fn comments(&self) -> &[Range<usize>] {
        &self.comments
    }

    /// Returns all commands that could run, for a hook that approves them.
    ///
    /// # Errors
    ///
    /// Fails with the parts that could not be analyzed and may run anything: at least one.
    pub fn all_commands(&self) -> Result<&[Command], &[Unanalyzed]> {
        if self.unanalyzed.is_empty() { Ok(&self.commands) } else { Err(&self.unanalyzed) }
    }
}

/// A simple command: a program or a builtin with its words.
///
/// A command without words only assigns, as in `for` and `select`, or only redirects, like the `> file` after a loop. Its
/// [`Display`](fmt::Display) shows the words without quotes, and `…` for each expansion.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Command {
    /// Variables set before the command, or only for it.
    pub assignments: Vec<Assignment>,
    /// Name and arguments.
    pub words: Vec<Word>,
    /// Redirections, in order. After a prefix, these are the redirections of the whole command.
    pub redirections: Vec<Redirection>,
    /// Constructs around the command, from the outside in.
    pub via: Vec<Via>,
    /// Text that earlier commands in a pipeline print, if the line contains that text.
    pub piped: Option<Box<Word>>,
    /// Range in bytes; if quotes or escapes were removed, the range of the word or substitution around it.
    pub span: Range<usize>,
}

impl Command {
    /// Returns the command's name as written, if it is literal.
    pub fn name(&self) -> Option<&str> {
        self.words.first()?.literal()
    }

    /// Returns the last component of the command's name: `rm` of `/bin/rm`, and of `~/bin/rm`, `"$folder/rm"` and
    /// `$folder/rm`. A hook that allows commands must use [`name`](Self::name) instead, because this may be a program
    /// in any folder. Outside of quotes, it may also be an argument of another program, which is [not
    /// analyzed](Why::Name).
    pub fn program(&self) -> Option<&str> {
        self.words.first()?.last_component()
    }

    /// Returns `true` if the name is certainly one word: `$folder/rm` may also be another program with arguments.
    pub fn has_single_name(&self) -> bool {
        self.words.first().is_some_and(|name| {
            let folder = name.parts.split_last().map_or(&[][..], |(_, folder)| folder);
            name.is_single() || folder.iter().all(|part| part.is(ExpansionKind::Home))
        })
    }

    /// Returns the words after the command's name.
    pub fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Returns `true` if one of the arguments is in a space-separated list: `command.has_argument("-f --force")`. An
    /// argument with a blank in it, or an empty one, is never found. A partly literal one may become it, too.
    pub fn has_argument(&self, texts: &str) -> bool {
        self.literals().any(|literal| lists(texts, literal))
    }

    /// Returns the texts of the literal arguments.
    pub fn literals(&self) -> impl Iterator<Item = &str> + Clone {
        self.arguments().iter().filter_map(Word::literal)
    }

    /// Returns the [literal prefixes](Word::known_start) of the arguments.
    pub fn starts(&self) -> impl Iterator<Item = &str> + Clone {
        self.arguments().iter().map(Word::known_start)
    }

    /// Returns the files, descriptors and texts in the redirections.
    pub fn targets(&self) -> impl Iterator<Item = &Word> + Clone {
        self.redirections.iter().map(|redirection| &redirection.target)
    }

    /// Returns the words, and the [targets](Self::targets) of the redirections.
    pub fn texts(&self) -> impl Iterator<Item = &Word> + Clone {
        self.words.iter().chain(self.targets())
    }

    /// Returns `true` if the [program](Self::program) is in a space-separated list of names.
    pub fn is(&self, programs: &str) -> bool {
        self.program().is_some_and(|program| lists(programs, program))
    }

    /// Returns `true` if the [name](Self::name) is in a space-separated list of names.
    pub fn is_named(&self, names: &str) -> bool {
        self.name().is_some_and(|name| lists(names, name))
    }

    /// Returns `true` if the command is a part of a pipeline.
    pub fn is_in_pipeline(&self) -> bool {
        self.via.contains(&Via::Pipeline)
    }

    /// Returns `true` if a prefix in a space-separated list of programs runs the command.
    pub fn is_run_by(&self, programs: &str) -> bool {
        self.via.iter().any(|via| via.is_prefix(programs))
    }

    /// Returns `true` if the command is in a range of the text, such as a word with a substitution.
    pub fn is_within(&self, span: &Range<usize>) -> bool {
        span.start <= self.span.start && self.span.end <= span.end
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let words: Vec<String> = self.words.iter().map(Word::to_string).collect();
        f.write_str(&words.join(" "))
    }
}

/// An assignment to a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Assignment {
    /// Name, with the subscript if there is one.
    pub name: String,
    /// Value; empty for an array.
    pub value: Word,
    /// Elements of an array, or values of `for` and `select`, in order.
    pub elements: Option<Vec<Word>>,
}

/// A word, without its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Word {
    /// Parts, in order.
    pub parts: Vec<Part>,
    /// Range in bytes, like [`Command::span`].
    pub span: Range<usize>,
    is_quoted: bool,
}

impl Word {
    /// Returns the text, if nothing in it is expanded.
    pub fn literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// Returns `true` if the word is literal and in a space-separated list.
    pub fn is(&self, texts: &str) -> bool {
        self.literal().is_some_and(|text| lists(texts, text))
    }

    /// Returns `true` if the word begins with a `-`.
    pub fn is_option(&self) -> bool {
        self.known_start().starts_with('-')
    }

    /// Returns `true` if a part of the word is an expansion of this kind.
    pub fn has(&self, kind: ExpansionKind) -> bool {
        self.parts.iter().any(|part| part.is(kind))
    }

    /// Returns `true` if a part of the word is in quotes.
    pub fn is_quoted(&self) -> bool {
        self.is_quoted
    }

    /// Returns `true` if the shell certainly makes exactly one word of this. An expansion outside of quotes can become
    /// no word, or several.
    pub fn is_single(&self) -> bool {
        self.parts.iter().all(|part| match part {
            Part::Literal(_) => true,
            Part::Expansion(expansion) => {
                expansion.is_quoted || matches!(expansion.kind, ExpansionKind::Tilde | ExpansionKind::Process)
            }
        })
    }

    /// Returns a word with this text, at the position of this one.
    pub fn with_text(&self, text: &str) -> Self {
        Self { parts: literal(text).into(), ..self.clone() }
    }

    /// Returns the texts of words; `None` if one is not literal.
    pub fn literals(words: &[Self]) -> Option<Vec<&str>> {
        words.iter().map(Self::literal).collect()
    }

    /// Returns the rest of the word from a position in its [literal prefix](Self::known_start).
    pub fn after(&self, at: usize) -> Self {
        let mut word = self.clone();
        word.cut(at);
        word
    }

    /// Removes the text before a position in the literal prefix.
    fn cut(&mut self, at: usize) {
        if let Some(Part::Literal(text)) = self.parts.first_mut().filter(|_| at > 0) {
            text.drain(..at.min(text.len()));
            if text.is_empty() && self.parts.len() > 1 {
                self.parts.remove(0);
            }
        }
    }

    /// Returns the last component of a path, if it is literal.
    fn last_component(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Literal(path)] => Some(programs::base(path)),
            [_, .., Part::Literal(end)] => {
                let (_, name) = end.rsplit_once('/')?;
                (!name.is_empty()).then_some(name)
            }
            _ => None,
        }
    }

    /// Returns the literal prefix: the whole word, or the text before the first expansion.
    pub fn known_start(&self) -> &str {
        self.parts.first().and_then(Part::literal).unwrap_or_default()
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.parts.iter().try_for_each(|part| match part {
            Part::Literal(text) => f.write_str(text),
            Part::Expansion(_) => f.write_str("…"),
        })
    }
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Literal text.
    Literal(String),
    /// A part that the shell expands.
    Expansion(Expansion),
}

impl Part {
    /// Returns `true` for an expansion of this kind.
    pub fn is(&self, kind: ExpansionKind) -> bool {
        self.kind() == Some(kind)
    }

    /// Returns the kind of an expansion; `None` for literal text.
    pub fn kind(&self) -> Option<ExpansionKind> {
        match self {
            Self::Literal(_) => None,
            Self::Expansion(expansion) => Some(expansion.kind),
        }
    }

    /// Returns the text, unless the shell expands it.
    pub fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Expansion(_) => None,
        }
    }
}

/// Text that the shell inserts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expansion {
    /// Kind of expansion.
    pub kind: ExpansionKind,
    /// `true` if the expansion is in quotes, and is not split into words; `"$@"` is split.
    pub is_quoted: bool,
    /// Text of a [`Parameter`](ExpansionKind::Parameter) without `$` and braces: `name`, `1`, `name:-default`. `None` if the
    /// text around it is in another word.
    pub variable: Option<Box<str>>,
    #[cfg(feature = "layout")]
    place: Option<(usize, usize)>,
}

impl Expansion {
    fn new(kind: ExpansionKind, is_quoted: bool) -> Self {
        Self {
            kind,
            is_quoted,
            variable: None,
            #[cfg(feature = "layout")]
            place: None,
        }
    }

    /// Returns the range of an expansion that begins with `$`, a backquote or `<(`, in bytes, like [`Command::span`].
    #[cfg(feature = "layout")]
    #[doc(hidden)]
    pub fn span(&self) -> Option<Range<usize>> {
        self.place.map(|(start, end)| start..end)
    }
}

/// A kind of expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExpansionKind {
    /// `$name`, `${name…}`.
    Parameter,
    /// `$?`, `$#`, `$$`: a number.
    Number,
    /// `$HOME`, `${HOME}`: the home folder, unless the script sets the variable.
    Home,
    /// `$(…)` or backquotes.
    Command,
    /// `"$(pwd)"` in quotes: the folder that the command runs in, unless the script defines `pwd`.
    Folder,
    /// `<(…)`, `>(…)`.
    Process,
    /// `$((…))`.
    Arithmetic,
    /// `*` or `?`.
    Glob,
    /// The `[` of `[…]`, which is one character.
    Bracket,
    /// The comma of `{a,b}`.
    Brace,
    /// The first dot of `{1..3}`.
    Sequence,
    /// `~`.
    Tilde,
    /// `=name`, which is a program's path in zsh.
    Equals,
    /// `$"…"`.
    Translation,
    /// An escape in `$'…'` that is not text in every shell.
    Escape,
    /// `name=(…)` after `declare`.
    Array,
    /// An argument that `xargs` or `find` inserts.
    Arguments,
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redirection {
    /// File descriptor, if one is written: the 2 of `2>`.
    pub descriptor: Option<u32>,
    /// Operator of the redirection.
    pub operator: RedirectionOperator,
    /// The file, the descriptor, or the text of a here-document or here-string.
    pub target: Word,
    /// Range in bytes, like [`Command::span`].
    pub span: Range<usize>,
}

/// The operator of a redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RedirectionOperator {
    /// `<`
    Input,
    /// `>`
    Output,
    /// `>>`
    Append,
    /// `>|`
    Clobber,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateInput,
    /// `>&`, which writes a file if the next word is not a descriptor.
    DuplicateOutput,
    /// `&>`
    OutputAndError,
    /// `&>>`
    AppendOutputAndError,
    /// `<<`, `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

impl RedirectionOperator {
    /// Returns `true` if the operator opens the next file only for writing: `>`, `>>`, `>|`, `&>`, `&>>`.
    pub fn writes(self) -> bool {
        matches!(self, Self::Output | Self::Append | Self::Clobber | Self::OutputAndError | Self::AppendOutputAndError)
    }

    /// Returns `true` for a here-document and a here-string, whose target is text.
    pub fn has_text(self) -> bool {
        matches!(self, Self::HereDocument | Self::HereString)
    }
}

/// A construct around a command.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Via {
    /// `… | …`
    Pipeline,
    /// `( … )`
    Subshell,
    /// `$( … )` or backquotes.
    CommandSubstitution,
    /// `<( … )`, `>( … )`
    ProcessSubstitution,
    /// A loop, which may run the command more than once.
    Loop,
    /// The body of a function.
    Function(String),
    /// A string that a shell, `eval` or `trap` runs as a script.
    Script(String),
    /// A program with the command as an argument, which it runs: `sudo`, `xargs`, `find`.
    Prefix(String),
}

impl Via {
    /// Returns `true` for a prefix in a space-separated list of programs.
    pub fn is_prefix(&self, programs: &str) -> bool {
        matches!(self, Self::Prefix(name) if lists(programs, name))
    }

    /// Returns `true` if the command runs in a container, or on another machine.
    pub fn is_elsewhere(&self) -> bool {
        self.is_prefix("docker docker-compose kubectl")
            || matches!(self, Self::Prefix(name) if name == "docker run")
            || matches!(self, Self::Script(name) if name == "ssh")
    }
}

/// A part of a text that could not be analyzed, and may run anything.
///
/// Its [`Display`](fmt::Display) is for a person: the text and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unanalyzed {
    /// Reason.
    pub why: Why,
    /// Range in bytes, like [`Command::span`].
    pub span: Range<usize>,
    /// The text itself.
    pub text: String,
}

/// Maximum number of characters of a text to show.
const SHOWN: usize = 120;

impl fmt::Display for Unanalyzed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.text.char_indices().nth(SHOWN) {
            Some((end, _)) => write!(f, "`{}…`: {}", &self.text[..end], self.why),
            None => write!(f, "`{}`: {}", self.text, self.why),
        }
    }
}

/// Reason why a part of a text cannot be analyzed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Why {
    /// A mistake, or syntax that shells read differently; everything after it is unanalyzed, too.
    Syntax,
    /// Constructs or scripts are nested too deeply.
    TooDeep,
    /// The text is longer than 1 MiB, or the scripts in it are too long together.
    TooLong,
    /// A character that shells treat differently: NUL, controls, blanks other than space and tab.
    Character,
    /// The command's name is not literal.
    Name,
    /// The text of a script is not literal: `eval "$x"`, `sh -c "$x"`.
    ScriptText,
    /// A part of a script's text is not literal, and counts as words: `sh -c "cd $x && make"`, `xargs -I{} sh -c 'ls {}'`.
    ScriptPart,
    /// A script comes from a file: `source file`, `sh file`.
    ScriptFile,
    /// A script comes from stdin or from another program: `… | sh`, `source <(…)`.
    ScriptInput,
    /// The command after a prefix cannot be determined, because of an unsupported option or an argument.
    Prefix,
    /// The program runs other programs in an unsupported way.
    Runner,
    /// A name is redefined: a function, an alias.
    Definition,
    /// A variable decides what the shell runs: `PATH`, `BASH_ENV`.
    ShellVariable,
    /// Arithmetic uses names, whose values can run commands.
    Arithmetic,
    /// The value of a parameter is used as a name or as a prompt: `${!x}`, `${x@P}`.
    Indirection,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Syntax => "a syntax error, or syntax that shells read differently",
            Self::TooDeep => "it is nested too deeply",
            Self::TooLong => "it is too long",
            Self::Character => "a character that shells read differently",
            Self::Name => "the name of a command is computed at run time",
            Self::ScriptText => "the text of a script is computed at run time",
            Self::ScriptPart => "a part of a script's text is computed at run time",
            Self::ScriptFile => "a script comes from a file",
            Self::ScriptInput => "a script comes from stdin or from another program",
            Self::Prefix => "the command that runs there cannot be determined",
            Self::Runner => "a program that runs other programs in an unsupported way",
            Self::Definition => "a command's name is redefined",
            Self::ShellVariable => "a variable is set that decides what a shell runs",
            Self::Arithmetic => "arithmetic with names, whose values can run commands",
            Self::Indirection => "the value of a variable is evaluated again",
        })
    }
}

/// Lists the commands that bash, zsh or a POSIX shell could run for a text.
///
/// It never fails: for a text that is not a script, the result has a part that [could not be
/// analyzed](Script::unanalyzed).
pub fn analyze(text: &str) -> Script {
    let found = if text.len() > LONGEST {
        parser::Found { commands: Vec::new(), unanalyzed: vec![(Why::TooLong, 0..text.len())], comments: Vec::new() }
    } else {
        let mut found = parser::parse(text, parser::Position::From(0), Vec::new(), 0, false);
        let comments = mem::take(&mut found.comments);
        parser::Found { comments, ..reach::follow(found) }
    };
    // A command may be reported once for each command that it runs.
    let mut noted = HashSet::new();
    let unanalyzed = found.unanalyzed.into_iter().filter(|part| noted.insert(part.clone()));
    let unanalyzed =
        unanalyzed.map(|(why, span)| Unanalyzed { why, text: text.get(span.clone()).unwrap_or(text).to_owned(), span });
    Script { commands: found.commands, unanalyzed: unanalyzed.collect(), comments: found.comments }
}

/// Returns a text with one word from [`analyze`] replaced, such as a program's name.
///
/// Returns `None` unless the new text runs the same commands, except for this word. That is not possible if the word is
/// in a quoted script, if it decides how other words are read (`sudo`, `env`, `xargs`), or if the new word is not
/// plain.
///
/// The client applies its permission rules only to the new command, so a rule about the old command would be bypassed.
/// Therefore nothing is replaced that one of `rules` may be about. They are the contents of the Bash rules that deny or
/// ask, such as `npm publish *`; `hookkit::permission::bash_rules` returns the rules in the session's settings.
///
/// ```
/// use hookkit::shell::{analyze, replaced};
///
/// let pnpm = |text: &str| {
///     let script = analyze(text);
///     let name = &script.commands().iter().find(|command| command.is_named("npm"))?.words[0];
///     replaced(text, name, "pnpm", &["npm publish *"])
/// };
/// assert_eq!(pnpm("cd app && npm i 'a b'").as_deref(), Some("cd app && pnpm i 'a b'"));
/// assert_eq!(pnpm("sh -c 'npm i'"), None);
/// assert_eq!(pnpm("npm publish --tag next"), None);
/// ```
pub fn replaced(text: &str, word: &Word, with: &str, rules: &[impl AsRef<str>]) -> Option<String> {
    replaced_by_words(text, word, &[with], rules)
}

/// Returns a text with several words in place of one; [`replaced`] inserts one.
pub fn replaced_by_words(text: &str, word: &Word, with: &[&str], rules: &[impl AsRef<str>]) -> Option<String> {
    let script = analyze(text);
    let is_ruled = |command: &str| {
        let command = up_to(command, '…');
        rules.iter().any(|rule| {
            let mut rule = rule.as_ref().split(['*', ':']).next().unwrap_or_default().trim();
            // `CI=1 npm install`
            while let Some((_, rest)) = rule.split_once(' ').filter(|(set, _)| set.contains('=')) {
                rule = rest.trim_start();
            }
            rule.starts_with(command) || command.starts_with(rule)
        })
    };
    let mut commands = script.commands.iter().map(Command::to_string);
    if is_ruled(text.trim()) || commands.any(|command| is_ruled(&command)) {
        return None;
    }
    let mut new = text.to_owned();
    text.get(word.span.clone())?;
    new.replace_range(word.span.clone(), &with.join(" "));
    (shape(&analyze(&new), None) == shape(&script, Some((word, with)))).then_some(new)
}

/// Describes the commands of a script, without their positions, as if a word were replaced by others.
fn shape(script: &Script, new: Option<(&Word, &[&str])>) -> Vec<String> {
    let texts = |word: &Word| match new {
        Some((old, with)) if old.span == word.span => with.iter().map(|&word| word.to_owned()).collect(),
        _ => vec![word.to_string()],
    };
    let commands = script.commands.iter().map(|command| {
        let words: Vec<String> = command.words.iter().flat_map(texts).collect();
        let sets = command.assignments.iter().map(|set| (&set.name, texts(&set.value)));
        let files = (command.redirections.iter()).map(|file| (file.operator, texts(&file.target)));
        format!("{words:?} {:?} {:?} {:?}", sets.collect::<Vec<_>>(), files.collect::<Vec<_>>(), command.via)
    });
    commands.chain(script.unanalyzed.iter().map(|unanalyzed| format!("{:?}", unanalyzed.why))).collect()
}

#[cfg(test)]
#[path = "../../src/soak.rs"]
mod soak;
#[cfg(test)]
mod tests;
