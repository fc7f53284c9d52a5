//! Variables of a line whose values are known.

use hookkit::Environment;
use hookkit::shell::{Command, ExpansionKind, Part, Script, Via, Word};

/// More values are not followed.
const MOST: usize = 16;

/// A name below the folder for temporary files, which `mktemp` chooses.
const MADE: &str = "/tmp/made";

/// The values of all variables that a line uses. Which of them a word has is not known: it may have any.
pub(super) struct Variables {
    values: Vec<String>,
    /// `true` if they are certainly set. One that is not is empty, and `"$x"/*` is then another folder.
    are_set: bool,
}

impl Variables {
    /// Returns `None` if the line uses a variable whose value is only known when it runs.
    pub(super) fn of(line: &str, script: &Script, environment: Environment) -> Option<Self> {
        // Between the signs of `IFS` a value is several words.
        let names = names(line).filter(|_| !line.contains("IFS"))?;
        let mut found = Self {
            values: Vec::new(),
            are_set: true,
        };
        for name in &names {
            if is_set_otherwise(line, script, name) {
                return None;
            }
            let before = found.values.len();
            for command in script.commands() {
                let assigned = command.assignments.iter().filter(|assignment| assignment.name == *name);
                for assignment in assigned {
                    let is_leading = begins_with(line, script, command);
                    // Elsewhere it may not be set, and a name in capitals may be one of the session's: `false && PWD=x`.
                    let is_own = name.bytes().any(|byte| byte.is_ascii_lowercase());
                    // Before a command it is that command's own, but for some builtins.
                    let is_here = command.words.is_empty() && command.via.iter().all(|via| *via == Via::Loop);
                    if !is_here || !is_leading && !is_own {
                        return None;
                    }
                    match &assignment.elements {
                        Some(elements) => {
                            let elements = elements.iter().map(known);
                            found.values.extend(elements.collect::<Option<Vec<_>>>()?);
                            found.are_set &= goes_through(line, name);
                        }
                        None => {
                            let (value, is_certain) = value(&assignment.value, script)?;
                            found.values.push(value);
                            found.are_set &= is_certain && is_leading;
                        }
                    }
                }
            }
            if found.values.len() == before {
                // Others of the session's variables may have changed since.
                let folder = environment.variable("TMPDIR").filter(|_| *name == "TMPDIR")?;
                found.values.push(folder.to_str()?.to_owned());
            }
        }
        (!found.values.is_empty() && found.values.len() <= MOST).then_some(found)
    }

    /// Returns the words that a word with a variable may become; `None` if that is not certain.
    pub(super) fn words(&self, word: &Word) -> Option<Vec<Word>> {
        let is_variable =
            |part: &Part| matches!(part, Part::Expansion(expansion) if expansion.kind == ExpansionKind::Parameter);
        let at = word.parts.iter().position(is_variable)?;
        let is_alone = word.parts.len() == 1;
        if word.parts[at + 1..].iter().any(is_variable) || !is_alone && !self.are_set {
            return None;
        }
        let with_value = |value: &String| {
            let mut word = word.clone();
            word.parts[at] = Part::Literal(value.clone());
            // Neighbouring texts are one.
            let mut parts: Vec<Part> = Vec::new();
            for part in word.parts {
                match (parts.last_mut(), part) {
                    (Some(Part::Literal(before)), Part::Literal(text)) => before.push_str(&text),
                    (_, part) => parts.push(part),
                }
            }
            word.parts = parts;
            word
        };
        Some(self.values.iter().map(with_value).collect())
    }
}

/// Returns `true` if a variable may be set by a builtin (`read x`, `export x=…`), by what is not analyzed, or in addition to
/// what it is.
fn is_set_otherwise(line: &str, script: &Script, name: &str) -> bool {
    let names = |word: &Word| {
        let rest = word.known_start().trim_start_matches("-v").strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', '+', '[']))
    };
    let mut words = script.commands().iter().flat_map(Command::arguments);
    // By another name, or by one of its elements.
    let declares = |command: &Command| {
        let has_element = command
            .assignments
            .iter()
            .any(|assignment| assignment.name.contains('['));
        has_element || matches!(command.name(), Some("declare" | "typeset" | "local" | "nameref"))
    };
    !script.unanalyzed().is_empty()
        || line.contains(&format!("{name}+="))
        || script.commands().iter().any(declares)
        || words.any(names)
}

/// The names of the variables that a line may use; `None` if one is used in another way than by its name.
fn names(line: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    for (at, _) in line.match_indices('$') {
        let rest = &line[at + 1..];
        let (name, is_braced) = match rest.strip_prefix('{') {
            Some(name) => (name, true),
            None => (rest, false),
        };
        let end = name
            .find(|char: char| !char.is_ascii_alphanumeric() && char != '_')
            .unwrap_or(name.len());
        let (name, behind) = name.split_at(end);
        match name.bytes().next() {
            None if !is_braced && rest.starts_with(['(', '\'', '"', ' ', '/', '\\']) || rest.is_empty() => {}
            Some(first) if !first.is_ascii_digit() && (!is_braced || behind.starts_with('}')) => {
                if name != "HOME" && !names.contains(&name) {
                    names.push(name);
                }
            }
            _ => return None,
        }
    }
    Some(names)
}

/// The text of a word that is one word for certain.
fn known(word: &Word) -> Option<String> {
    let text = word.literal()?;
    (!text.is_empty() && !text.contains([' ', '\t', '\n', '*', '?', '['])).then(|| text.to_owned())
}

/// The value of an assignment, and whether it cannot be empty.
fn value(word: &Word, script: &Script) -> Option<(String, bool)> {
    if let Some(text) = known(word) {
        return Some((text, true));
    }
    let [Part::Expansion(expansion)] = word.parts.as_slice() else {
        return None;
    };
    let is_within = |command: &&Command| word.span.start <= command.span.start && command.span.end <= word.span.end;
    let mut within = script
        .commands()
        .iter()
        .filter(is_within)
        .filter(|command| !command.words.is_empty());
    let (command, None) = (within.next()?, within.next()) else {
        return None;
    };
    // A template may be of another folder.
    let is_made = command.program() == Some("mktemp")
        && command
            .arguments()
            .iter()
            .all(|word| word.literal().is_some_and(|text| !text.contains('/')))
        && !command
            .arguments()
            .iter()
            .any(|word| word.known_start().starts_with("-p"));
    (expansion.kind == ExpansionKind::Command && is_made).then(|| (MADE.to_owned(), false))
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

/// Returns `true` if a command is one of the assignments that a line begins with.
fn begins_with(line: &str, script: &Script, command: &Command) -> bool {
    let commands = script.commands();
    let leading = commands
        .iter()
        .take_while(|command| command.words.is_empty() && command.via.is_empty());
    let is_leading = leading.into_iter().any(|leading| std::ptr::eq(leading, command));
    let first = commands.first().and_then(|first| first.assignments.first());
    is_leading && first.is_some_and(|first| line.trim_start().starts_with(&format!("{}=", first.name)))
}
