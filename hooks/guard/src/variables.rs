//! Variables of a line, with their values where these are certain.

mod assigned;
mod run;
mod session;

use std::slice;

use crate::prelude::*;

pub(crate) use self::assigned::{Value, assigned};
pub(crate) use self::run::{code_of, may_run, run_by, valued};

use self::assigned::{begins_with, goes_through, is_here, known, set_otherwise, sets_variables, value_of};
use self::session::{folder_of, of_session, with_folder};

/// Maximum number of values to follow.
const MOST: usize = 16;

/// Maximum number of unanalyzed parts: each has to be searched for among the commands.
pub(crate) const MOST_UNANALYZED: usize = 32;

/// Maximum number of words that `shift` may remove.
const MOST_SHIFTED: usize = 3;

/// Maximum length of a value to split, in bytes.
const LONGEST: usize = 1000;

/// The variable of the folder for temporary files, with its default.
const TEMPORARY: &str = "TMPDIR:-/tmp";

/// Placeholder for a folder that `mktemp`, or code, makes below the folder for temporary files.
pub(crate) const MADE: &str = "/tmp/made";

/// Variables of a line with their values, and the words that its calls give to functions and scripts.
pub(crate) struct Variables<'l> {
    line: Line<'l>,
    found: Vec<Variable<'l>>,
    /// `true` if a variable may have a value that the line does not show.
    are_unclear: bool,
}

struct Variable<'l> {
    name: &'l str,
    /// The possible values; `None` if there may be others.
    values: Option<Vec<Vec<Part>>>,
    /// `true` if the variable is certainly set. Otherwise it may be empty, and `"$x"/*` may mean another folder.
    is_set: bool,
}

/// Variables with their values: the text in braces, the values, and `true` if the variable is certainly set.
type Choice<'w> = Vec<(&'w str, Vec<Vec<Part>>, bool)>;

impl<'l> Variables<'l> {
    pub(crate) fn of(line: Line<'l>) -> Self {
        let mut variables = Self {
            line,
            found: Vec::new(),
            // With `IFS`, a value may be split differently.
            are_unclear: line.text.contains("IFS") || are_unclear(line),
        };
        if !line.text.contains('$') || variables.are_unclear {
            return variables;
        }
        for command in line.script.commands() {
            for (name, value) in assigned(command) {
                variables.assign(command, name, &value);
            }
            for (name, text) in set_otherwise(command) {
                variables.add(name, text.and_then(known).map(|parts| vec![parts]), false);
            }
        }
        variables.forget_set();
        variables
    }

    fn assign(&mut self, command: &'l Command, name: &'l str, value: &Value) {
        // Elsewhere it may not be set, and a name in capitals may be one of the session's: `false && PWD=x`.
        let is_leading = begins_with(self.line, command);
        let is_own = || name.bytes().any(|byte| byte.is_ascii_lowercase());
        if !is_here(command) || !is_leading && !is_own() {
            // The assignment is only for this command.
            let is_its_own = !command.words.is_empty() && assigned(command).count() == command.assignments.len();
            return if !is_its_own {
                self.add(name, None, false)
            };
        }
        match value {
            Value::One(word) => {
                let adds = self.line.text.contains(&format!("{name}+="));
                let found = (!adds).then(|| self.value(command, word)).flatten();
                let is_certain = found.as_ref().is_some_and(|(_, is_certain)| *is_certain);
                self.add(name, found.map(|(values, _)| values), is_certain && is_leading);
            }
            Value::Several(words) => {
                let (choices, is_whole) = self.choices(command, &mut words.iter());
                let values = choices
                    .iter()
                    .flat_map(|choice| words.iter().flat_map(|word| self::words(word, choice)))
                    .map(|word| known(&word))
                    .collect::<Option<_>>();
                self.add(name, values.filter(|_| is_whole), goes_through(self.line.text, name));
            }
        }
    }

    fn add(&mut self, name: &'l str, values: Option<Vec<Vec<Part>>>, is_set: bool) {
        let Some(before) = self.found.iter_mut().find(|variable| variable.name == name) else {
            return self.found.push(Variable { name, values, is_set });
        };
        before.is_set &= is_set;
        before.values = before.values.take().zip(values).map(|(mut before, values)| {
            before.extend(values);
            before
        });
    }

    /// Forgets the values of variables that `eval`, or a builtin in a variable, may set: `x=d=/; eval "$x"`, `$c d=/`.
    fn forget_set(&mut self) {
        let is_valued = |command: &&Command| {
            command.is_named("eval") || command.words.first().is_some_and(|word| word.has(ExpansionKind::Parameter))
        };
        let texts: Vec<String> = self
            .line
            .script
            .commands()
            .iter()
            .filter(is_valued)
            .flat_map(|command| self.commands(command).into_owned())
            .filter(|command| command.name().is_some_and(sets_variables))
            .map(|command| command.to_string())
            .collect();
        let names = texts.iter().flat_map(|text| parts(text, "_"));
        for variable in &mut self.found {
            if names.clone().any(|name| name == variable.name) {
                variable.values = None;
            }
        }
    }

    /// Returns the possible values of an assignment, and `true` if they cannot be empty.
    fn value(&self, command: &Command, word: &Word) -> Option<(Vec<Vec<Part>>, bool)> {
        let text = self.line.text.get(word.span.clone()).and_then(|text| text.split_once('='));
        let folder = || folder_of(self.line);
        if let Some((_, "$(pwd)")) = text {
            return Some((vec![vec![Part::Literal(folder()?)]], true));
        }
        let (choices, is_whole) = self.choices(command, &mut slice::from_ref(word).iter());
        let values = choices.iter().map(|choice| {
            let words = words(word, choice);
            let [word] = &words[..] else { return None };
            value_of(&*with_folder(word, folder)?, self.line)
        });
        let values: Vec<_> = values.collect::<Option<_>>()?;
        let is_certain = values.iter().all(|(_, is_certain)| *is_certain);
        is_whole.then(|| (values.into_iter().map(|(parts, _)| parts).collect(), is_certain))
    }

    /// Returns the values of a variable (given as its text in braces), `true` if it is certainly set, and `true` if it
    /// has no other values; for `$1`, the words of a call.
    fn values(&self, text: &str, given: &[Word]) -> Option<(Vec<Vec<Part>>, bool, bool)> {
        let name = parts(text, "_").next().unwrap_or_default();
        let operation = &text[name.len()..];
        if is_of_call(text) {
            let words = match name.parse::<usize>() {
                Ok(number) if operation.is_empty() => given.get(number..=number)?,
                _ => given.get(1..).filter(|words| name.is_empty() && !words.is_empty())?,
            };
            return Some((words.iter().map(|word| word.parts.clone()).collect(), true, true));
        }
        let default = [":-", ":=", "-", "="].iter().find_map(|sign| operation.strip_prefix(sign));
        let is_known = operation.is_empty() || is_list(text) || operation.starts_with(":?") || default.is_some();
        if let Some(variable) = self.found.iter().find(|variable| variable.name == name && !self.are_unclear) {
            return Some((variable.values.clone().filter(|_| is_known)?, variable.is_set, true));
        }
        let of_session = (!self.are_unclear && (operation.is_empty() || text == TEMPORARY))
            .then(|| of_session(name, self.line))
            .flatten();
        let is_whole = of_session.is_some();
        let value = of_session.or(default.filter(|text| has_only(text, "/._-")).map(str::to_owned))?;
        Some((vec![vec![Part::Literal(value)]], true, is_whole))
    }

    /// Returns the combinations of values for the variables in a command's words, for each call that gives it words,
    /// and `true` if the list is complete.
    fn choices<'w>(&self, command: &Command, words: &mut dyn Iterator<Item = &'w Word>) -> (Vec<Choice<'w>>, bool) {
        let mut texts: Vec<&str> = words.flat_map(|word| &word.parts).filter_map(variable).collect();
        texts.sort_unstable();
        texts.dedup();
        let mut given = if texts.iter().any(|text| is_of_call(text)) { self.given(command) } else { Vec::new() };
        given.extend(given.is_empty().then(Vec::new));
        let mut all = Vec::new();
        let mut are_all = true;
        for given in given {
            let mut choices = vec![Choice::new()];
            for text in texts.iter().copied() {
                let Some((values, is_set, is_whole)) = self.values(text, &given) else {
                    are_all = false;
                    continue;
                };
                let values: Vec<Vec<Vec<Part>>> =
                    if is_list(text) { vec![values] } else { values.into_iter().map(|value| vec![value]).collect() };
                are_all &= is_whole && choices.len() * values.len() <= MOST;
                let with = |choice: &Choice<'w>| {
                    let with = |value: &Vec<_>| [&choice[..], &[(text, value.clone(), is_set)]].concat();
                    values.iter().map(with).collect::<Vec<_>>()
                };
                choices = choices.iter().flat_map(with).take(MOST).collect();
            }
            all.extend(choices);
        }
        (all, are_all)
    }

    /// Returns a command with each combination of values, from variables and from calls. The command itself is among them if it
    /// has no variables, or if some values are uncertain.
    pub(crate) fn commands<'c>(&self, command: &'c Command) -> Cow<'c, [Command]> {
        if !words_of(command).any(|word| word.has(ExpansionKind::Parameter) || word.has(ExpansionKind::Command)) {
            return slice::from_ref(command).into();
        }
        let (choices, is_whole) = self.choices(command, &mut words_of(command));
        let mut commands: Vec<Command> = choices.iter().map(|choice| self.with(command, choice)).collect();
        // Another shell does not have the values, but its script may contain them.
        if (!is_whole || runs_elsewhere(command)) && !commands.contains(command) {
            commands.push(command.clone());
        }
        commands.into()
    }

    /// Returns a command with the values of its variables, and with a folder in place of each `$(mktemp -d)`.
    fn with(&self, command: &Command, choice: &Choice) -> Command {
        let made = |word: Word| match value_of(&word, self.line) {
            Some((parts, _)) if word.has(ExpansionKind::Command) => with_parts(&word, parts),
            _ => word,
        };
        let mut with = command.clone();
        with.words = (command.words.iter()).flat_map(|word| words(word, choice)).map(made).collect();
        for word in
            with.redirections.iter_mut().map(|redirection| &mut redirection.target).chain(with.piped.as_deref_mut())
        {
            if let [text] = &words(word, choice)[..] {
                *word = text.clone();
            }
        }
        with
    }

    /// Returns the words that each call gives to a command, after the name of its function or script.
    fn given(&self, command: &Command) -> Vec<Vec<Word>> {
        let giver = command.via.iter().rev().find(|via| matches!(via, Via::Function(_) | Via::Script(_)));
        let start = |call: &Command| -> Option<usize> {
            match giver {
                Some(Via::Function(function)) => (call.name() == Some(function)).then_some(0),
                // The first word after the script is its name.
                Some(Via::Script(shell)) if call.is(shell) && command.is_within(&call.span) => {
                    Some(call.words.iter().position(|word| command.is_within(&word.span))? + 1)
                }
                None if call.is_named("set") => call.words.iter().position(|word| word.is("--")),
                _ => None,
            }
        };
        let commands = self.line.script.commands().iter();
        let within = || commands.clone().filter(|other| giver.is_some_and(|giver| other.via.contains(giver)));
        let shifts = within()
            .filter(|other| other.is("shift"))
            .map(shifted)
            .sum::<Option<usize>>()
            .filter(|count| *count <= MOST_SHIFTED);
        let Some(shifts) = shifts.filter(|_| !within().any(sets_arguments)) else {
            return Vec::new();
        };
        // Words that `find` and `xargs` insert are not in the line.
        let is_of_line = |word: &Word| !word.parts.iter().any(is_given);
        commands
            .filter_map(|call| call.words.get(start(call)?..))
            // For a script, the first word is `$0`.
            .filter(|words| words.len() > usize::from(!matches!(giver, Some(Via::Script(_)))))
            .filter(|words| words.iter().all(is_of_line))
            .flat_map(|words| (0..=shifts).map(move |shift| words.get(shift..)))
            .flatten()
            .take(MOST)
            .map(<[Word]>::to_vec)
            .collect()
    }
}

/// Returns the number of words that a `shift` removes.
fn shifted(shift: &Command) -> Option<usize> {
    match shift.arguments() {
        _ if shift.via.contains(&Via::Loop) => None,
        [] => Some(1),
        [count] => count.literal()?.parse().ok().filter(|count| *count <= MOST_SHIFTED),
        _ => None,
    }
}

/// Returns `true` for a command that replaces a function's arguments.
fn sets_arguments(command: &Command) -> bool {
    // In zsh they are an array, too.
    let is_array = |name: &str| name.starts_with("argv");
    command.is("set")
        || command.assignments.iter().any(|assignment| is_array(&assignment.name))
        || command.arguments().iter().any(|word| is_array(word.known_start()))
}

/// Returns the words that a word becomes with these values; the word itself if that is uncertain.
fn words(word: &Word, choice: &Choice) -> Vec<Word> {
    let unknown = || vec![word.clone()];
    let value = |part| {
        let text = variable(part)?;
        choice.iter().find(|(of, ..)| *of == text)
    };
    let is_split = |value: &[Part]| matches!(value, [Part::Literal(text)] if text.contains(' '));
    if let [part] = &word.parts[..]
        && is_variable(part)
    {
        let Some((_, values, _)) = value(part) else {
            return unknown();
        };
        let mut found = Vec::new();
        for value in values {
            match &value[..] {
                // Without quotes, the value is split into words.
                [Part::Literal(text)] if !word.is_quoted() && is_split(value) && text.len() <= LONGEST => {
                    found.extend(text.split_whitespace().map(|text| word.with_text(text)));
                }
                value => found.push(with_parts(word, value.to_vec())),
            }
        }
        return found;
    }
    let mut parts = Vec::new();
    for part in &word.parts {
        match (part, value(part)) {
            (Part::Expansion(of), Some((_, values, true)))
                if values.len() == 1 && (of.is_quoted || !is_split(&values[0])) =>
            {
                parts.extend_from_slice(&values[0]);
            }
            _ if is_variable(part) => return unknown(),
            _ => parts.push(part.clone()),
        }
    }
    vec![with_parts(word, parts)]
}

/// Returns `true` for the text of a variable whose values all become words: `a[@]`.
fn is_list(text: &str) -> bool {
    lists("@ *", text) || text.ends_with("[@]") || text.ends_with("[*]")
}

/// Returns `true` for the text of a variable that a call sets: `1`, `@`.
pub(crate) fn is_of_call(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_digit() || matches!(char, '@' | '*'))
}

/// Returns the text of a variable within its braces.
pub(crate) fn variable(part: &Part) -> Option<&str> {
    match part {
        Part::Expansion(expansion) => expansion.variable.as_deref(),
        Part::Literal(_) => None,
    }
}

fn is_variable(part: &Part) -> bool {
    part.is(ExpansionKind::Parameter)
}

/// Returns the words of a command, the targets of its redirections, and its piped input.
fn words_of(command: &Command) -> impl Iterator<Item = &Word> {
    command.texts().chain(command.piped.as_deref())
}

/// Returns `true` for a command in another shell, on another machine, or in a container.
fn runs_elsewhere(command: &Command) -> bool {
    let is_other = |via: &Via| match via {
        Via::Script(name) => !lists("eval trap", name),
        via => via.is_elsewhere(),
    };
    command.via.iter().any(is_other)
}

/// Name of the prefix for a container made for one command.
pub(crate) const NEW_CONTAINER: &str = "docker run";

/// Returns a word with other parts; adjacent texts become one.
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

/// Returns `true` if variables may be set by unanalyzed parts, or through other names.
fn are_unclear(line: Line) -> bool {
    let (commands, unanalyzed) = (line.script.commands(), line.script.unanalyzed());
    let defines_others = || {
        !line.text.contains("alias")
            && !commands.iter().any(|command| command.via.contains(&Via::Function("mktemp".to_owned())))
    };
    // A variable may be a reference, or a number.
    let declares = |command: &Command| {
        command.is_named("declare typeset local nameref") && command.arguments().iter().any(Word::is_option)
    };
    // Names and scripts that are not literal are asked about anyway, and a function sets variables by its commands.
    let is_clear = |unanalyzed: &Unanalyzed| match unanalyzed.why {
        Why::Name | Why::ScriptPart | Why::ScriptText => true,
        Why::Prefix => started(unanalyzed, line.script).is_some(),
        Why::Definition => defines_others(),
        _ => false,
    };
    unanalyzed.len() > MOST_UNANALYZED || !unanalyzed.iter().all(is_clear) || commands.iter().any(declares)
}

/// Returns the command whose program starts others as separate processes. These cannot set the shell's variables.
pub(crate) fn started<'s>(unanalyzed: &Unanalyzed, script: &'s Script) -> Option<&'s Command> {
    const STARTERS: &str = "env find nice nohup sudo timeout";
    let is_it = |command: &&Command| {
        let (outer, inner) = (&command.span, &unanalyzed.span);
        let is_starter = command.is(STARTERS);
        is_starter && outer.start <= inner.start && inner.end <= outer.end
    };
    script.commands().iter().filter(is_it).min_by_key(|command| command.span.len())
}
