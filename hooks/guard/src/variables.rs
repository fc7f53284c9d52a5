//! Variables of a line whose values are known.

mod arguments;
mod session;

use hookkit::process::shell_word;
use hookkit::shell::programs::table::lists;
use std::borrow::Cow;
use std::slice;

use hookkit::shell::{Command, ExpansionKind, Part, Script, Unanalyzed, Via, Why, Word, analyze};
use hookkit::{Context, Environment};

use crate::code::{Calls, Code};
use crate::effects::mentions::is_interpreter;
use crate::effects::programs::is_shell;

pub(crate) use self::arguments::filled;
use self::session::{folder_of, of_session, with_folder};

/// More values are not followed.
const MOST: usize = 16;

/// Of a line with more parts that are not known by themselves, none is looked at: each is looked for among the commands.
pub(crate) const MOST_UNANALYZED: usize = 32;

/// A longer value is not taken apart, in bytes.
const LONGEST: usize = 1000;

/// The variable of the folder for temporary files, with its default.
const TEMPORARY: &str = "${TMPDIR:-/tmp}";

/// A name below the folder for temporary files, which `mktemp` chooses.
pub(crate) const MADE: &str = "/tmp/made";

/// The values of all variables that a line uses. Which of them a word has is not known: it may have any.
pub(crate) struct Variables {
    values: Vec<Vec<Part>>,
    /// `true` if they are certainly set. One that is not is empty, and `"$x"/*` is then another folder.
    are_set: bool,
    /// `true` if a word has all values, as that of an array does: `"${x[@]}"`.
    are_together: bool,
}

impl Variables {
    /// Returns `None` if the line uses a variable whose value is only known when it runs.
    pub(crate) fn of(line: &str, script: &Script, context: &Context, environment: Environment) -> Option<Self> {
        // Between the signs of `IFS` a value is several words.
        let names = names(line).filter(|names| names.len() <= MOST && !line.contains("IFS"))?;
        let is_of_array = line.contains("[@]}") || line.contains("[*]}");
        if is_of_array && names.len() > 1 {
            return None;
        }
        let mut found = Self {
            values: Vec::new(),
            are_set: true,
            are_together: is_of_array,
        };
        for name in &names {
            if is_set_otherwise(line, script, name) {
                return None;
            }
            let mut is_assigned = false;
            for command in script.commands() {
                for (_, value) in assigned(command).filter(|(assigned, _)| *assigned == *name) {
                    if found.values.len() > MOST {
                        return None;
                    }
                    is_assigned = true;
                    let is_leading = begins_with(line, script, command);
                    // Elsewhere it may not be set, and a name in capitals may be one of the session's: `false && PWD=x`.
                    let is_own = name.bytes().any(|byte| byte.is_ascii_lowercase());
                    if !is_here(command) || !is_leading && !is_own {
                        return None;
                    }
                    match value {
                        Value::One(word) => {
                            let folder = || folder_of(script, context);
                            let text = line.get(word.span.clone()).and_then(|text| text.split_once('='));
                            let (value, is_certain) = match text.map(|(_, value)| value) {
                                Some("$PWD" | "${PWD}" | "$(pwd)") => (vec![Part::Literal(folder()?)], true),
                                _ => value_of(&*with_folder(&word, folder)?, script)?,
                            };
                            if !found.values.contains(&value) {
                                found.values.push(value);
                            }
                            found.are_set &= is_certain && is_leading;
                        }
                        Value::Several(words) => {
                            let words = words.iter().map(known);
                            found.values.extend(words.collect::<Option<Vec<_>>>()?);
                            found.are_set &= goes_through(line, name);
                        }
                    }
                }
            }
            if !is_assigned {
                let value = vec![Part::Literal(of_session(name, line, script, context, environment)?)];
                if !found.values.contains(&value) {
                    found.values.push(value);
                }
            }
        }
        (!found.values.is_empty() && found.values.len() <= MOST).then_some(found)
    }

    /// Returns what a command may be by the values of its variables: itself, if it has none.
    pub(crate) fn commands<'c>(&self, command: &'c Command) -> Cow<'c, [Command]> {
        if !words_of(command).any(has_variable) {
            return slice::from_ref(command).into();
        }
        let mut commands = self.with_each(command);
        // In another shell they are not set, but they may have been put into its script.
        if runs_elsewhere(command) {
            commands.push(command.clone());
        }
        commands.into()
    }

    /// Returns a command with each of the values.
    fn with_each(&self, command: &Command) -> Vec<Command> {
        if self.are_together {
            return vec![self.with_values(command, |_| &self.values)];
        }
        // Each word can have any value of them, as far as these are few.
        let words = words_of(command).filter(|word| has_variable(word)).count();
        let count = self.values.len();
        let choices = u32::try_from(words).ok().and_then(|words| count.checked_pow(words));
        match choices.filter(|choices| *choices <= MOST) {
            Some(choices) => {
                let value = |choice: usize, word: usize| {
                    let words = u32::try_from(word).unwrap_or_default();
                    choice / count.pow(words) % count
                };
                let with =
                    |choice| self.with_values(command, |word| slice::from_ref(&self.values[value(choice, word)]));
                (0..choices).map(with).collect()
            }
            None => (self.values.chunks(1))
                .map(|value| self.with_values(command, |_| value))
                .collect(),
        }
    }

    /// Returns the command with the values of each of its words that have variables, by its number.
    fn with_values<'v>(&self, command: &Command, values: impl Fn(usize) -> &'v [Vec<Part>]) -> Command {
        let mut number = 0;
        let mut next = |word: &Word| {
            let words = self.words(word, values(number));
            number += usize::from(has_variable(word));
            words
        };
        let mut with = command.clone();
        with.words = command.words.iter().flat_map(&mut next).collect();
        for redirection in &mut with.redirections {
            if let [target] = &next(&redirection.target)[..] {
                redirection.target = target.clone();
            }
        }
        if let Some(piped) = &mut with.piped
            && let [text] = &next(piped)[..]
        {
            **piped = text.clone();
        }
        with
    }

    /// Returns the words that a word becomes with these values; the word itself if that is not certain.
    fn words(&self, word: &Word, values: &[Vec<Part>]) -> Vec<Word> {
        let unknown = || vec![word.clone()];
        let Some(at) = word.parts.iter().position(is_variable) else {
            return unknown();
        };
        let is_alone = word.parts.len() == 1;
        if word.parts[at + 1..].iter().any(is_variable) || !(is_alone || self.are_set && values.len() == 1) {
            return unknown();
        }
        let is_quoted = matches!(&word.parts[at], Part::Expansion(expansion) if expansion.is_quoted);
        let mut found = Vec::new();
        for value in values {
            match &value[..] {
                // Outside of quotes these are several words.
                [Part::Literal(text)] if !is_quoted && text.contains(' ') => {
                    if !is_alone || text.len() > LONGEST {
                        return unknown();
                    }
                    found.extend(
                        text.split_whitespace()
                            .map(|text| with_parts(word, vec![Part::Literal(text.to_owned())])),
                    );
                }
                value => {
                    let around = [&word.parts[..at], value, &word.parts[at + 1..]].concat();
                    found.push(with_parts(word, around));
                }
            }
        }
        found
    }
}

/// Returns the commands of a line, with the values of its variables where these are known, and those of git that it may run
/// where it was not analyzed.
pub(crate) fn commands(line: &str, script: &Script, context: &Context, environment: Environment) -> Vec<Command> {
    let known = valued(script.commands(), line, script, context, environment);
    let run: Vec<String> = known.iter().flat_map(|command| run_by(command, line, script)).collect();
    let unanalyzed = script.unanalyzed().iter().filter(|unanalyzed| may_run(unanalyzed));
    let by_words = unanalyzed.flat_map(|it| by_words(&it.text));
    let run = run.iter().flat_map(|text| analyze(text).commands().to_vec());
    known.iter().cloned().chain(run).chain(by_words).collect()
}

/// Returns the lines that a command runs by code of another language, as a program of git's, or with the words of its
/// function: `f() { "$@"; }`.
fn run_by(command: &Command, line: &str, script: &Script) -> Vec<String> {
    let program = command.program().unwrap_or_default();
    if program.starts_with("git-") {
        return vec![command.to_string().replacen("git-", "git ", 1)];
    }
    if is_interpreter(command) && !is_shell(program) {
        let targets = command.redirections.iter().map(|to| &to.target);
        let texts: Vec<String> = command.arguments().iter().chain(targets).map(Word::to_string).collect();
        return Calls::of(&Code::of(program, &texts.join("\n"))).lines;
    }
    // What is known of its name is followed as it is.
    let name = command.words.first().filter(|word| has_variable(word));
    let filled = name.map(|_| filled(command, line, script)).unwrap_or_default();
    let quoted = |word: &Word| {
        word.literal()
            .map_or_else(|| word.to_string(), |text| shell_word(text).into_owned())
    };
    let lines = filled
        .iter()
        .map(|command| command.words.iter().map(quoted).collect::<Vec<_>>());
    lines.map(|words| words.join(" ")).collect()
}

/// Returns commands of a line with the values of its variables, where these are known, and with the words that a call gives.
pub(crate) fn valued(
    commands: &[Command],
    line: &str,
    script: &Script,
    context: &Context,
    environment: Environment,
) -> Vec<Command> {
    let mut known = match Variables::of(line, script, context, environment) {
        Some(variables) => (commands.iter())
            .flat_map(|command| variables.commands(command).into_owned())
            .collect(),
        None => commands.to_vec(),
    };
    known.extend(commands.iter().flat_map(|command| filled(command, line, script)));
    known
}

/// Returns `true` for what may run a command that is not listed.
pub(crate) fn may_run(unanalyzed: &Unanalyzed) -> bool {
    matches!(
        unanalyzed.why,
        Why::Syntax
            | Why::TooDeep
            | Why::TooLong
            | Why::Character
            | Why::ScriptText
            | Why::ScriptPart
            | Why::Prefix
            | Why::Runner
    )
}

/// Returns the commands of git, and of programs that manage its hooks, by the words of a text alone.
fn by_words(text: &str) -> Vec<Command> {
    /// More words of a command are not looked at.
    const MOST_WORDS: usize = 50;
    const PROGRAMS: [&str; 6] = ["export", "git", "husky", "lefthook", "overcommit", "pre-commit"];
    let mut commands = Vec::new();
    for line in text.split(['\n', ';', '&', '|']) {
        let words = line.split(|c: char| c.is_whitespace() || "'\"`\\(){}<>$#".contains(c));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        for (at, word) in words.iter().enumerate() {
            if PROGRAMS.contains(&word.rsplit('/').next().unwrap_or_default()) {
                let set = words[..at].iter().filter(|word| word.contains('='));
                let command: Vec<&str> = set.chain(&words[at..]).take(MOST_WORDS).copied().collect();
                commands.extend_from_slice(analyze(&command.join(" ")).commands());
            }
        }
    }
    commands
}

/// The value that a variable is set to.
pub(crate) enum Value<'c> {
    One(Cow<'c, Word>),
    /// The elements of an array, or what a loop goes through.
    Several(&'c [Word]),
}

impl Value<'_> {
    pub(crate) fn literal(&self) -> Option<&str> {
        match self {
            Self::One(word) => word.literal(),
            Self::Several(_) => None,
        }
    }
}

/// Returns the variables that a command sets, by themselves or by `export`, with their values.
pub(crate) fn assigned(command: &Command) -> impl Iterator<Item = (&str, Value<'_>)> {
    let is_builtin = matches!(command.name(), Some("declare" | "export" | "readonly" | "typeset"));
    let arguments = command.arguments().iter().filter(move |_| is_builtin);
    let by_argument = arguments.filter_map(|word| {
        let (name, value) = word.known_start().split_once('=')?;
        let parts = [Part::Literal(value.to_owned())].into_iter();
        let parts = parts.chain(word.parts[1..].iter().cloned()).collect();
        Some((name, Value::One(Cow::Owned(with_parts(word, parts)))))
    });
    let assignments = command.assignments.iter().map(|assignment| {
        let value = match &assignment.elements {
            Some(elements) => Value::Several(elements),
            None => Value::One(Cow::Borrowed(&assignment.value)),
        };
        (assignment.name.as_str(), value)
    });
    assignments.chain(by_argument)
}

/// Returns `true` for a command that does nothing but set variables, for all that follows.
fn is_here(command: &Command) -> bool {
    let sets_all = || {
        let mut arguments = command.arguments().iter();
        arguments.all(|word| word.known_start().contains('=') && !word.known_start().starts_with('-'))
    };
    // Before a command it is that command's own, but for some builtins.
    let is_alone = command.words.is_empty() || matches!(command.name(), Some("export" | "readonly")) && sets_all();
    is_alone && command.via.iter().all(|via| *via == Via::Loop)
}

fn is_variable(part: &Part) -> bool {
    matches!(part, Part::Expansion(expansion) if expansion.kind == ExpansionKind::Parameter)
}

/// The words of a command, the targets of its redirections, and what comes in.
fn words_of(command: &Command) -> impl Iterator<Item = &Word> {
    let targets = command.redirections.iter().map(|redirection| &redirection.target);
    command.words.iter().chain(targets).chain(command.piped.as_deref())
}

fn has_variable(word: &Word) -> bool {
    word.parts.iter().any(is_variable)
}

/// Returns `true` for a command of another shell, of another machine, or of a container.
fn runs_elsewhere(command: &Command) -> bool {
    let is_other = |via: &Via| match via {
        Via::Script(name) => !matches!(name.as_str(), "eval" | "trap"),
        via => is_container(via),
    };
    command.via.iter().any(is_other)
}

/// A container that is made for the command.
pub(crate) const NEW_CONTAINER: &str = "docker run";

/// Returns `true` for what runs in a container, or on another machine.
pub(crate) fn is_container(via: &Via) -> bool {
    matches!(via, Via::Prefix(name) if matches!(name.as_str(), "docker" | "docker-compose" | "kubectl" | NEW_CONTAINER))
        || matches!(via, Via::Script(name) if name == "ssh")
}

/// Returns a word of other parts, where neighbouring texts are one.
fn with_parts(word: &Word, parts: Vec<Part>) -> Word {
    let mut word = word.clone();
    word.parts.clear();
    for part in parts {
        match (word.parts.last_mut(), part) {
            (Some(Part::Literal(before)), Part::Literal(text)) => before.push_str(&text),
            (_, part) => word.parts.push(part),
        }
    }
    word
}

/// Returns `true` if a variable may be set by a builtin (`read x`, `export x=…`), by what is not analyzed, or in addition to
/// what it is.
fn is_set_otherwise(line: &str, script: &Script, name: &str) -> bool {
    let names = |word: &Word| {
        let rest = word.known_start().trim_start_matches("-v").strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', '+', '[']))
    };
    let is_export = |command: &Command| {
        matches!(command.name(), Some("export"))
            && !command
                .arguments()
                .iter()
                .any(|word| word.known_start().starts_with('-'))
    };
    let others = script
        .commands()
        .iter()
        .filter(|command| !is_here(command) && !is_export(command));
    let mut words = others.flat_map(Command::arguments);
    let adds = |word: &Word| {
        let rest = word.known_start().strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with(['+', '[']))
    };
    let mut all = script.commands().iter().flat_map(Command::arguments);
    // By another name, or by one of its elements.
    let declares = |command: &Command| {
        let has_element = command
            .assignments
            .iter()
            .any(|assignment| assignment.name.contains('['));
        has_element || matches!(command.name(), Some("declare" | "typeset" | "local" | "nameref"))
    };
    let is_mktemp = |via: &Via| matches!(via, Via::Function(name) if name == "mktemp");
    let defines_others = || {
        let mut ways = script.commands().iter().flat_map(|command| &command.via);
        !line.contains("alias") && !ways.any(is_mktemp)
    };
    // A name that is not known is asked about, whatever the values are, and a function sets variables by its commands.
    let is_clear = |unanalyzed: &Unanalyzed| match unanalyzed.why {
        Why::Name => true,
        // A script of another shell sets none.
        Why::ScriptPart | Why::ScriptText => !line.contains("eval"),
        Why::Prefix => started(unanalyzed, script).is_some(),
        Why::Definition => defines_others(),
        _ => false,
    };
    script.unanalyzed().len() > MOST_UNANALYZED
        || !script.unanalyzed().iter().all(is_clear)
        || line.contains(&format!("{name}+="))
        || script.commands().iter().any(declares)
        || words.any(names)
        || all.any(adds)
}

/// Returns the command of a program that starts others, as processes: they set no variables of the shell.
pub(crate) fn started<'s>(unanalyzed: &Unanalyzed, script: &'s Script) -> Option<&'s Command> {
    const STARTERS: &str = "env find nice nohup sudo timeout";
    let is_it = |command: &&Command| {
        let (outer, inner) = (&command.span, &unanalyzed.span);
        let is_starter = command.program().is_some_and(|program| lists(STARTERS, program));
        is_starter && outer.start <= inner.start && inner.end <= outer.end
    };
    let commands = script.commands().iter().filter(is_it);
    commands.min_by_key(|command| command.span.len())
}

/// The names of the variables that a line may use; `None` if one is used in another way than by its name.
fn names(line: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    for (at, _) in line.match_indices('$') {
        let rest = &line[at + 1..];
        // The second one of `$$`.
        if line[..at].ends_with('$') {
            continue;
        }
        let (name, is_braced) = match rest.strip_prefix('{') {
            Some(name) => (name, true),
            None => (rest, false),
        };
        let end = name
            .find(|char: char| !char.is_ascii_alphanumeric() && char != '_')
            .unwrap_or(name.len());
        let (name, behind) = name.split_at(end);
        match name.bytes().next() {
            None if !is_braced && rest.starts_with(['(', '\'', '"', ' ', '/', '\\', '?', '#', '$', '!'])
                || rest.is_empty() => {}
            Some(first)
                if !first.is_ascii_digit()
                    && (!is_braced
                        || ["}", "[@]}", "[*]}", ":?"].iter().any(|end| behind.starts_with(end))
                        || line[at..].starts_with(TEMPORARY)) =>
            {
                if name != "HOME" && !names.contains(&name) {
                    names.push(name);
                }
                if names.len() > MOST {
                    return None;
                }
            }
            _ => return None,
        }
    }
    Some(names)
}

/// The parts of a word whose text is known, or is below a folder that is.
fn known(word: &Word) -> Option<Vec<Part>> {
    let is_known = |part: &Part| match part {
        Part::Literal(text) => !text.contains(['*', '?', '[', '\t', '\n']),
        Part::Expansion(expansion) => matches!(
            expansion.kind,
            ExpansionKind::Tilde
                | ExpansionKind::Home
                | ExpansionKind::Glob
                | ExpansionKind::Bracket
                | ExpansionKind::Number
        ),
    };
    let is_empty = word.parts.is_empty() || word.literal().is_some_and(|text| text.trim().is_empty());
    let is_split = word.literal().is_none()
        && word
            .parts
            .iter()
            .any(|part| matches!(part, Part::Literal(text) if text.contains(' ')));
    (!is_empty && !is_split && word.parts.iter().all(is_known)).then(|| word.parts.clone())
}

/// The value of an assignment, and whether it cannot be empty.
fn value_of(word: &Word, script: &Script) -> Option<(Vec<Part>, bool)> {
    if let Some(parts) = known(word) {
        return Some((parts, true));
    }
    let is_within = |command: &&Command| word.span.start <= command.span.start && command.span.end <= word.span.end;
    let mut within = script
        .commands()
        .iter()
        .filter(is_within)
        .filter(|command| !command.words.is_empty());
    let command = match (within.next(), within.next()) {
        (command, None) => command,
        _ => return None,
    };
    let [Part::Expansion(expansion)] = word.parts.as_slice() else {
        let is_output = |part: &&Part| matches!(part, Part::Expansion(it) if it.kind == ExpansionKind::Command);
        if word.parts.iter().filter(is_output).count() > 1 {
            return None;
        }
        let parts = word.parts.iter().map(|part| match part {
            Part::Literal(text) => Some(text.as_str()),
            Part::Expansion(expansion) => match expansion.kind {
                ExpansionKind::Number => Some("0"),
                ExpansionKind::Command if command.is_some_and(prints_time) => Some("now"),
                _ => None,
            },
        });
        return Some((vec![Part::Literal(parts.collect::<Option<String>>()?)], true));
    };
    let command = command?;
    // A template may be of another folder.
    let is_made = command.program() == Some("mktemp")
        && command.arguments().iter().all(|word| {
            let is_temporary = |text: &str| text.starts_with("/tmp/") && !text.contains("..");
            word.literal()
                .is_some_and(|text| !text.contains('/') || is_temporary(text))
        })
        && !command
            .arguments()
            .iter()
            .any(|word| word.known_start().starts_with("-p"));
    (expansion.kind == ExpansionKind::Command && is_made).then(|| (vec![Part::Literal(MADE.to_owned())], false))
}

/// Returns a command with a folder in the place of each `$(mktemp -d)`.
pub(crate) fn with_made<'c>(command: &'c Command, script: &Script) -> Cow<'c, Command> {
    let is_output = |word: &Word| matches!(&word.parts[..], [Part::Expansion(it)] if it.kind == ExpansionKind::Command);
    if !command.words.iter().any(is_output) {
        return Cow::Borrowed(command);
    }
    let mut with = command.clone();
    for word in with.words.iter_mut().filter(|word| is_output(word)) {
        if let Some((parts, _)) = value_of(word, script) {
            word.parts = parts;
        }
    }
    Cow::Owned(with)
}

/// Returns `true` for a `date` that prints no slash.
fn prints_time(command: &Command) -> bool {
    let is_plain = |word: &Word| {
        let text = word.literal();
        text.is_some_and(|text| match text.strip_prefix('+') {
            Some(format) => format.bytes().all(|byte| b"%YmdHMSsjFTNuwyZ-_.:".contains(&byte)),
            None => matches!(text, "-u" | "--utc"),
        })
    };
    command.name() == Some("date") && !command.arguments().is_empty() && command.arguments().iter().all(is_plain)
}

/// Returns `true` if a variable is only used where a loop has set it.
fn goes_through(line: &str, name: &str) -> bool {
    let set = line.find(&format!("for {name} in "));
    let used = [format!("${name}"), format!("${{{name}}}")];
    let used = used.iter().filter_map(|used| line.find(used)).min();
    matches!((set, used, line.rfind("done")), (Some(set), Some(used), Some(end)) if set < used && used < end)
        && line.matches("done").count() == 1
        && !line[line.rfind("done").unwrap_or_default()..].contains('$')
}

/// Returns `true` if a line may have a command in the background.
pub(crate) fn has_background(line: &str) -> bool {
    line.replace("&&", "").replace(">&", "").replace("&>", "").contains('&')
}

/// Returns `true` if a command is one of the assignments that a line begins with: with nothing but `;`, the end of a line, or `&&`
/// between them, and no command in the background.
fn begins_with(line: &str, script: &Script, command: &Command) -> bool {
    let is_plain = |command: &&Command| {
        let is_alone = is_here(command) && command.redirections.is_empty();
        is_alone && command.via.is_empty() && assigned(command).next().is_some()
    };
    let mut end = 0;
    // What is in a substitution sets nothing.
    let is_of_line = |command: &&Command| !command.via.contains(&Via::CommandSubstitution);
    for leading in script.commands().iter().filter(is_of_line).take_while(is_plain) {
        let between = line.get(end..leading.span.start).map(str::trim);
        if !matches!(between, Some("" | ";" | "&&")) {
            return false;
        }
        end = leading.span.end;
        if std::ptr::eq(leading, command) {
            let behind = line.get(end..).unwrap_or_default().trim_start();
            return !behind.starts_with('|') && !has_background(line);
        }
    }
    false
}
