//! The commands in a hook's line that can be determined without running it.
//!
//! [`hookkit_shell`] parses the line. It rejects syntax that it does not support, and syntax that shells parse
//! differently. The rules also need the values of words that depend on the session's folders, and the commands that
//! certainly run.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use hookkit_shell::programs::table::lists;
use hookkit_shell::{
    Command, Expansion, ExpansionKind, Layout, Operator, Part, Redirection, RedirectionOperator, Stage, StageKind,
};

use crate::diagnose::surroundings::Surroundings;

/// Effect of a command's exit code.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum End {
    /// The command's exit code is the line's.
    Decides,
    /// The line continues, and another command decides.
    Rest,
    /// No effect, because of a `||` before it, or a `||` with a no-op command after it.
    Tolerated,
    /// If it fails, the command after `||` decides.
    Instead,
    /// No effect, because the shell does not wait for the command.
    Background,
}

/// The folder in which a command runs.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Folder {
    /// The session's current folder.
    Session,
    /// The project's folder, after a `cd` to it.
    Project,
    Other,
}

/// A program and its words.
pub(crate) struct Simple<'t> {
    /// `true` if variables are set before the program, or without a program.
    pub(crate) has_assignments: bool,
    /// Program and arguments.
    pub(crate) words: Vec<Word<'t>>,
    /// Files to which the output is written.
    pub(crate) targets: Vec<Word<'t>>,
    /// Operator after the command. `None` at the end of the line.
    pub(crate) operator: Option<Operator>,
    pub(crate) end: End,
    /// `true` if the output goes to a file or to the next command.
    pub(crate) is_redirected: bool,
    /// `true` if the line runs the command regardless of earlier results.
    pub(crate) is_certain: bool,
    /// `true` if `||` is after the command, or before it in the same list.
    pub(crate) is_tolerated: bool,
    pub(crate) folder: Folder,
}

impl<'t> Simple<'t> {
    /// Returns the first word as written.
    pub(crate) fn name(&self) -> &'t str {
        self.words.first().map_or("", |word| word.raw)
    }

    /// Returns `true` if the command does nothing but succeed.
    fn does_nothing(&self) -> bool {
        let code = self.words.get(1).map_or("0", |word| word.raw);
        matches!(self.name(), "true" | ":") || self.name() == "exit" && code == "0"
    }
}

/// A word, with its quotes.
pub(crate) struct Word<'t> {
    source: Rc<CommandText<'t>>,
    pub(crate) raw: &'t str,
    pub(crate) span: Range<usize>,
    /// Parts without quotes. `None` for a word of `[[ … ]]`.
    parts: Option<Vec<Part>>,
}

/// A whole line.
struct CommandText<'t> {
    text: &'t str,
    /// Variables that the line sets.
    set: BTreeSet<String>,
}

impl<'t> Word<'t> {
    fn new(source: &Rc<CommandText<'t>>, word: &hookkit_shell::Word) -> Self {
        Self {
            source: Rc::clone(source),
            raw: &source.text[word.span.clone()],
            span: word.span.clone(),
            parts: Some(word.parts.clone()),
        }
    }

    /// Returns the expansions in the word.
    fn expansions(&self) -> impl Iterator<Item = &Expansion> {
        self.parts.iter().flatten().filter_map(|part| match part {
            Part::Literal(_) => None,
            Part::Expansion(expansion) => Some(expansion),
        })
    }

    /// Returns the word without its quotes, with its expansions as written.
    pub(crate) fn text(&self) -> String {
        let written = self.parts.iter().flatten().filter_map(|part| match part {
            Part::Literal(text) => Some(&**text),
            Part::Expansion(expansion) => Some(&self.source.text[expansion.span()?]),
        });
        written.collect()
    }

    pub(crate) fn has_expansions(&self) -> bool {
        self.expansions().next().is_some()
    }

    /// Returns the positions where this variable is expanded without quotes.
    pub(crate) fn bare(&self, name: &str) -> impl Iterator<Item = Range<usize>> {
        let bare = self.expansions().filter(|expansion| !expansion.is_quoted);
        bare.filter(move |expansion| self.variable(expansion).is_some_and(|(variable, _)| variable == name))
            .filter_map(Expansion::span)
    }

    /// Returns an expansion's variable and default: `X` and `y` for `${X:-y}`. `None` for everything else, such as
    /// `${X%y}`.
    fn variable(&self, expansion: &Expansion) -> Option<(&'t str, Option<&'t str>)> {
        let is_variable = matches!(expansion.kind, ExpansionKind::Parameter | ExpansionKind::Home);
        let text = self.source.text[expansion.span().filter(|_| is_variable)?].strip_prefix('$')?;
        let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        let inner = inner.unwrap_or(text);
        let name = name(inner);
        let behind = &inner[name.len()..];
        if !is_name(name) || behind.is_empty() {
            return is_name(name).then_some((name, None));
        }
        let is_default = behind.starts_with(":-") || behind.starts_with('-');
        // The default may contain quotes, patterns and braces.
        let is_plain = !behind.contains(['"', '\'', '`', '$', '{', '\\', '*', '?', '[']);
        (is_default && is_plain && !self.source.set.contains(name)).then(|| (name, default(behind)))
    }

    /// Returns the word as the program receives it. `None` if only a run can determine it.
    pub(crate) fn value(&self, surroundings: &Surroundings) -> Option<String> {
        let parts = self.parts.as_ref()?;
        let mut value = String::new();
        for (position, part) in parts.iter().enumerate() {
            let expansion = match part {
                Part::Literal(text) => {
                    value += text;
                    continue;
                }
                Part::Expansion(expansion) => expansion,
            };
            if expansion.kind == ExpansionKind::Tilde {
                let is_home = position == 0 && matches!(self.raw.as_bytes(), [b'~'] | [b'~', b'/', ..]);
                value += surroundings.folder("HOME").filter(|_| is_home)?.to_str()?;
                continue;
            }
            let (name, default) = self.variable(expansion)?;
            value += match surroundings.folder(name) {
                Some(folder) => folder.to_str()?,
                None if surroundings.is_unset(name, None) => default?,
                None => return None,
            };
        }
        Some(value)
    }
}

/// Returns the text after the variable in braces: `y` for `:-y` and `:+y`. `None` if it is empty.
///
/// Such a text shows that the author expects the variable to be unset at times.
pub(crate) fn default(behind: &str) -> Option<&str> {
    let operators = [":-", ":=", ":+", "-", "=", "+"];
    let default = operators.iter().find_map(|operator| behind.strip_prefix(operator))?;
    (!default.is_empty()).then_some(default)
}

/// Commands that test or change something on which later commands depend.
const DECIDING: &str = ". [ alias command eval export false grep hash jq ls set source stat test trap type which";

/// Maximum length of an argument on Linux. The client cannot start a shell with a longer line.
const LONGEST: usize = 128 * 1024;

/// Returns a line's simple commands, in order. `None` if part of the line is uncertain, or if it defines a function.
pub(crate) fn read(text: &str) -> Option<Vec<Simple<'_>>> {
    if text.len() > LONGEST {
        return None;
    }
    let layout = Layout::parse(text).ok()?;
    let stages = layout.stages();
    if stages.iter().any(|stage| stage.kind == StageKind::Function) {
        return None;
    }
    let mut own = Vec::new();
    let mut inner = vec![Vec::new(); stages.len()];
    for (index, stage) in stages.iter().enumerate() {
        stage.within.map_or(&mut own, |outer| &mut inner[outer]).push(index);
    }
    let mut reader = Reader {
        source: Rc::new(CommandText { text, set: layout.commands().iter().flat_map(set_by).collect() }),
        layout: &layout,
        inner,
        is_certain: true,
        folder: Folder::Session,
        commands: Vec::new(),
    };
    let outer = Outer { is_last: true, is_certain: true, is_tolerated: false, is_redirected: false };
    reader.list(&own, outer);
    let mut commands = reader.commands;
    // The end of the list that contains a command, starting with the last one.
    let mut end = End::Decides;
    let (mut is_next_idle, mut has_alternative) = (true, false);
    for command in commands.iter_mut().rev() {
        has_alternative = match command.operator {
            Some(Operator::Or) => !is_next_idle,
            Some(Operator::And | Operator::Pipe) => has_alternative,
            _ => false,
        };
        is_next_idle = command.does_nothing();
        end = match command.operator {
            None => End::Decides,
            Some(Operator::And) => end,
            Some(Operator::Background) => End::Background,
            Some(_) => End::Rest,
        };
        command.end = if command.is_tolerated {
            if has_alternative { End::Instead } else { End::Tolerated }
        } else if command.name() == "exec" {
            // It replaces the shell.
            End::Decides
        } else {
            end
        };
    }
    Some(commands)
}

/// Facts about a list that hold for all its commands.
struct Outer {
    /// `true` if the list is the whole line.
    is_last: bool,
    is_certain: bool,
    is_tolerated: bool,
    is_redirected: bool,
}

struct Reader<'t, 'l> {
    source: Rc<CommandText<'t>>,
    layout: &'l Layout,
    /// For each stage, its direct child stages.
    inner: Vec<Vec<usize>>,
    /// `true` if no command so far affects later commands.
    is_certain: bool,
    folder: Folder,
    commands: Vec<Simple<'t>>,
}

impl<'t> Reader<'t, '_> {
    fn list(&mut self, list: &[usize], outer: Outer) {
        let layout = self.layout;
        let stage = |index: &usize| &layout.stages()[*index];
        let joins =
            |index: &usize| matches!(stage(index).operator, Some(Operator::And | Operator::Or | Operator::Pipe));
        for joined in list.chunk_by(|first, _| joins(first)) {
            let is_or = |index: &usize| stage(index).operator == Some(Operator::Or);
            let is_tolerated = outer.is_tolerated || joined.iter().any(is_or);
            // `true` if it runs only after a command before it fails.
            let mut is_instead = false;
            for index in joined {
                let is_end = outer.is_last && Some(index) == list.last();
                let here = Outer {
                    is_last: is_end && stage(index).operator.is_none_or(|operator| operator == Operator::Next),
                    is_certain: outer.is_certain && !is_instead,
                    is_tolerated,
                    is_redirected: outer.is_redirected || stage(index).operator == Some(Operator::Pipe),
                };
                self.stage(*index, stage(index), here);
                is_instead |= is_or(index);
            }
        }
    }

    fn stage(&mut self, index: usize, stage: &Stage, here: Outer) {
        let command = self.layout.command(stage);
        let redirections = command.map_or(&[][..], |command| &command.redirections);
        let is_redirected = here.is_redirected || redirections.iter().any(is_output);
        self.is_certain &= !stage.is_negated;
        let (has_assignments, words) = match (stage.kind, command) {
            (StageKind::Simple, Some(command)) => {
                self.is_certain &= !command.assignments.iter().any(|variable| variable.name == "PATH");
                let words = command.words.iter().map(|word| Word::new(&self.source, word));
                (!command.assignments.is_empty(), words.collect())
            }
            (StageKind::Condition, _) => (false, self.condition(stage)),
            (StageKind::Simple | StageKind::Substitution, _) => return,
            _ => {
                self.is_certain = false;
                let list = std::mem::take(&mut self.inner[index]);
                let outer = Outer { is_last: false, is_redirected, ..here };
                return self.list(&list, outer);
            }
        };
        let name = words.first().map_or("", |word: &Word<'_>| word.raw);
        let is_decided = stage.kind == StageKind::Condition || lists(DECIDING, name);
        let folder = words.get(1).map_or("", |word| word.raw.trim_matches('"'));
        let folder = match name {
            "cd" if ["$CLAUDE_PROJECT_DIR", "${CLAUDE_PROJECT_DIR}"].contains(&folder) => Folder::Project,
            "cd" | "pushd" | "popd" => Folder::Other,
            _ => self.folder,
        };
        if !words.is_empty() || has_assignments {
            let targets = redirections.iter().filter(|redirection| redirection.operator.writes());
            self.commands.push(Simple {
                has_assignments,
                targets: targets.map(|redirection| Word::new(&self.source, &redirection.target)).collect(),
                operator: if here.is_last { None } else { stage.operator.or(Some(Operator::Next)) },
                end: End::Decides,
                is_redirected,
                is_certain: here.is_certain && self.is_certain,
                is_tolerated: here.is_tolerated,
                folder: self.folder,
                words,
            });
        }
        self.is_certain &= !is_decided;
        self.folder = folder;
    }

    /// Returns the words in `[[ … ]]`, as text only.
    fn condition(&self, stage: &Stage) -> Vec<Word<'t>> {
        let text = &self.source.text[stage.span.clone()];
        let words = text.split_whitespace().map(|raw| {
            let start = stage.span.start + (raw.as_ptr().addr() - text.as_ptr().addr());
            Word { source: Rc::clone(&self.source), raw, span: start..start + raw.len(), parts: None }
        });
        words.collect()
    }
}

/// Returns the variables that a command sets, before its name or as arguments of `read`, `export` and the like.
fn set_by(command: &Command) -> impl Iterator<Item = String> {
    let is_read = command.is("mapfile read readarray");
    let named = command.starts().filter_map(move |text| match text.split_once('=') {
        Some((name, _)) => Some(name),
        None => is_read.then_some(text),
    });
    let assigned = command.assignments.iter().map(|assignment| assignment.name.as_str());
    assigned.chain(named).map(str::to_owned)
}

/// Returns `true` if a redirection removes the command's output from the line's output.
fn is_output(redirection: &Redirection) -> bool {
    use RedirectionOperator as Op;
    let is_of_stdout = matches!(redirection.descriptor, None | Some(1));
    match redirection.operator {
        Op::OutputAndError | Op::AppendOutputAndError => true,
        Op::DuplicateOutput => is_of_stdout && !redirection.target.is("1"),
        operator => is_of_stdout && operator.writes(),
    }
}

/// Returns the name at the start of a text; empty if there is none.
pub(crate) fn name(text: &str) -> &str {
    let behind = text.trim_start_matches(|char: char| char.is_ascii_alphanumeric() || char == '_');
    &text[..text.len() - behind.len()]
}

/// Returns `true` if a text is a valid variable name.
pub(crate) fn is_name(text: &str) -> bool {
    name(text) == text && text.starts_with(|char: char| !char.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surroundings() -> Surroundings {
        Surroundings {
            project: Some("/the project".into()),
            plugin: None,
            home: Some("/home/me".into()),
            path: None,
            shell: None,
            variables: BTreeSet::new(),
        }
    }

    /// Returns the words of all commands.
    fn words(commands: Vec<Simple<'_>>) -> String {
        let word = |word: &Word<'_>| word.value(&surroundings()).unwrap_or_else(|| "?".to_owned());
        let words = |command: Simple<'_>| command.words.iter().map(word).collect::<Vec<_>>().join("\t");
        commands.into_iter().map(words).collect::<Vec<_>>().join(" ; ")
    }

    fn ends(commands: Vec<Simple<'_>>) -> String {
        let shown = |command: Simple<'_>| {
            let operator = command.operator.map(|operator| format!("{operator:?}"));
            operator.unwrap_or_else(|| "-".to_owned())
        };
        commands.into_iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    fn flags(commands: Vec<Simple<'_>>) -> String {
        let flags = |command: Simple<'_>| {
            let flags = [
                ('c', command.is_certain),
                ('t', command.is_tolerated),
                ('p', command.folder == Folder::Session),
                ('r', command.is_redirected),
            ];
            let flags: String = flags.iter().filter(|(_, is)| *is).map(|(flag, _)| flag).collect();
            let name = command.words.first().map_or("", |word| word.raw);
            format!("{name}:{flags}")
        };
        commands.into_iter().map(flags).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_line_is_read_as_a_shell_reads_it() {
        test_support::lines!("lines/doctor-shell.txt").check(|section, line| {
            let Some(read) = read(line) else {
                return "unread".to_owned();
            };
            match section.name {
                "words" => words(read),
                "flags" => flags(read),
                _ => ends(read),
            }
        });
    }
}
