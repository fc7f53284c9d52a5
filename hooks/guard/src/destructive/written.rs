//! Scripts and programs that a line writes, or has from another machine, and then runs.

use std::collections::BTreeMap;

use hookkit::shell::{Command, ExpansionKind, Part, Redirection, RedirectionOperator, Script, Via, Word};

use super::Danger;
use super::code::{self, Language};
use super::place::Places;
use crate::effects::changes::{fetched, is_fetcher};
use crate::effects::mentions::runs_stdin;
use crate::effects::printed;
use crate::effects::programs::{Read, is_shell};
use crate::folders::is_home;
use crate::git::without_values;
use crate::words::Piece;

/// Programs whose output is in the line, or is the content of files that they name.
const PRINTERS: &[&str] = &["cat", "echo", "printf", "tee"];

/// More files are not followed, and longer scripts, in bytes, are asked about.
const MOST: usize = 16;
const LONGEST: usize = 20_000;

/// A program that runs a script.
#[derive(Clone, Copy, PartialEq)]
enum Interpreter {
    Shell,
    /// One of another language.
    Language,
}

impl Interpreter {
    fn of(command: &Command) -> Option<Self> {
        let program = command.program()?;
        if is_shell(program) {
            return Some(Self::Shell);
        }
        Language::of(command)?.is_general().then_some(Self::Language)
    }
}

/// The content of a file that the line writes.
enum Content {
    Fetched,
    Text(String),
}

/// Returns the dangers of what a line runs that it has written itself; `judge` is for the text of a shell's script.
pub(super) fn run(script: &Script, judge: impl Fn(&str) -> Option<Danger>) -> Vec<Danger> {
    let commands = script.commands();
    let mut dangers = Vec::new();
    // Each file once, however often it is run.
    let mut runs = BTreeMap::new();
    for command in commands {
        let interpreter = Interpreter::of(command);
        if interpreter == Some(Interpreter::Language) {
            dangers.extend(of_output(command));
        }
        if let Some(file) = file_of(command, interpreter.is_some()) {
            runs.entry(base(&file).to_owned()).or_insert((command, interpreter));
        }
    }
    if runs.is_empty() {
        return dangers;
    }
    let written = commands
        .iter()
        .enumerate()
        .flat_map(|(at, command)| written(command, commands[..at].last()));
    let written = written.filter_map(|(file, content)| Some((runs.get(base(&file))?, file, content)));
    for (index, ((command, interpreter), file, content)) in written.take(MOST + 1).enumerate() {
        if index == MOST {
            dangers.push(Danger::ask(
                "the line writes more scripts that it runs than can be looked at",
            ));
            break;
        }
        dangers.extend(match content {
            Content::Fetched => Some(Danger::ask(format!(
                "`{command}` runs what another machine has sent to `{file}`"
            ))),
            Content::Text(text) if text.len() > LONGEST => Some(Danger::ask_of(
                command,
                "runs a script of the line that is too long to be looked at",
            )),
            Content::Text(text) if *interpreter == Some(Interpreter::Language) => {
                code::from_elsewhere(command, &text, None)
            }
            Content::Text(text) => judge(&text),
        });
    }
    dangers
}

/// The last component of a name: the line may go to the file's folder in between.
fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or_default()
}

/// Returns the text that a command prints, where it is in the line: what a shell inserts is a variable that is not known.
fn text_of(command: &Command) -> Option<String> {
    let text = |word: &Word| {
        let parts = word.parts.iter().map(|part| match part {
            Part::Literal(text) => text.as_str(),
            Part::Expansion(expansion) if is_home(expansion.kind) => "$HOME",
            Part::Expansion(_) => "$unknown",
        });
        parts.collect::<String>().replace("\\n", "\n")
    };
    let words: Vec<String> = printed(command).map(text).collect();
    let is_flag = |word: &String| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.bytes().all(|letter| b"-Een".contains(&letter))
    };
    let words = &words[words.iter().take_while(|word| is_flag(word)).count()..];
    let text = match (command.program(), words) {
        (_, []) => return None,
        (Some("printf"), [format, values @ ..]) => formatted(format, values),
        _ => words.join(" "),
    };
    // The folder of a script is one that it may be in.
    let is_own_folder = |line: &&str| line.trim_start().starts_with("cd \"$(dirname \"$");
    let lines: Vec<&str> = text.lines().filter(|line| !is_own_folder(line)).collect();
    Some(lines.join("\n"))
}

/// Returns what `printf` prints: the format for as many of the values as go into it, and again for the others.
fn formatted(format: &str, values: &[String]) -> String {
    let texts: Vec<&str> = format.split("%s").collect();
    let of_one = texts.len() - 1;
    // Other formats, and a text whose length would be that of the line squared.
    if of_one == 0 || values.len() / of_one * format.len() > LONGEST {
        return format!("{format}\n{}", values.join("\n"));
    }
    let mut values = values.iter();
    let mut text = String::new();
    loop {
        text += texts[0];
        for part in &texts[1..] {
            text += values.next().map_or("", String::as_str);
            text += part;
        }
        if values.len() == 0 {
            return text;
        }
    }
}

/// Returns the danger of an interpreter, or a database's client, that runs what the command before it prints.
pub(super) fn of_stdin(commands: &[Command], at: usize, places: &Places) -> Option<Danger> {
    let is_input = |redirection: &Redirection| {
        use RedirectionOperator::{DuplicateInput, HereDocument, HereString, Input, ReadWrite};
        let operator = redirection.operator;
        matches!(redirection.descriptor, None | Some(0))
            && matches!(operator, DuplicateInput | HereDocument | HereString | Input | ReadWrite)
    };
    let command = &commands[at];
    if !command.via.contains(&Via::Pipeline) || command.redirections.iter().any(is_input) {
        return None;
    }
    let language = Language::of(command)?;
    if language == Language::Awk || language.is_general() && !runs_stdin(command) {
        return None;
    }
    // Before it are the prefixes by which it is reached: `sudo python3 -`.
    let via = command.via.iter().rev();
    let prefixes = via.take_while(|via| matches!(via, Via::Prefix(_))).count();
    let first = at.checked_sub(prefixes);
    let first = first.filter(|first| commands[*first].via.len() + prefixes == command.via.len());
    let before = commands[..first.unwrap_or(at)].last()?;
    if !before.via.contains(&Via::Pipeline) {
        return None;
    }
    if before.program().is_some_and(|program| PRINTERS.contains(&program)) {
        let here = places.at(command);
        return code::from_elsewhere(command, &text_of(before)?, Some(here.as_ref().unwrap_or(places)));
    }
    // The files and the output that a database is filled with are not in the line.
    (language.is_general()).then(|| Danger::ask(format!("`{command}` runs what `{before}` prints")))
}

/// Returns the danger of an interpreter whose program is another command's output: `python3 <(curl …)`, `-c "$(curl …)"`.
fn of_output(command: &Command) -> Option<Danger> {
    let is = |word: &&Word, kind: ExpansionKind| matches!(&word.parts[..], [Part::Expansion(expansion)] if expansion.kind == kind);
    let words = command.arguments();
    let is_code = |option: &Word| matches!(option.literal(), Some("-c" | "-e" | "-E" | "-r" | "--eval" | "-p"));
    let code = words.windows(2).find(|pair| is_code(&pair[0])).map(|pair| &pair[1]);
    // As an operand it is the name of a file.
    let file = words.iter().find(|word| !word.known_start().starts_with('-'));
    let is_output = code.is_some_and(|word| is(&word, ExpansionKind::Command))
        || file.is_some_and(|word| is(&word, ExpansionKind::Process));
    is_output.then(|| Danger::ask_of(command, "runs what another command prints"))
}

/// Returns the file that a command runs: a script for a shell or an interpreter, or itself.
fn file_of(command: &Command, is_interpreter: bool) -> Option<String> {
    if !is_interpreter && !matches!(command.name(), Some("." | "source")) {
        let is_path = command.words.first()?.known_start().starts_with("./");
        return name(command.words.first()?).filter(|own| is_path || own.contains('/'));
    }
    let valued: &[&str] = match command.program()? {
        "bash" | "ksh" | "zsh" => &["+O", "+o", "-O", "-o"],
        "perl" | "ruby" => &["-I", "-r"],
        "node" | "nodejs" => &["-r"],
        program if program.starts_with("python") => &["-W", "-X"],
        _ => &[],
    };
    let words = command.arguments();
    let is_shell = command.program().is_some_and(is_shell);
    // Nothing of a file is run: the code is another text, or a shell only reads it.
    let runs_none = |word: &Word| match word.literal() {
        Some("-n") => is_shell,
        text => matches!(text, Some("-c" | "-e" | "-m")),
    };
    if words.iter().any(runs_none) {
        return None;
    }
    let has_value = |word: &Word| word.literal().is_some_and(|text| valued.contains(&text));
    let mut operands = without_values(words, has_value).filter(|word| !word.known_start().starts_with(['-', '+']));
    operands.next().and_then(name)
}

/// Returns the files that a command writes, with what comes into them if that is known.
fn written(command: &Command, before: Option<&Command>) -> Vec<(String, Content)> {
    use RedirectionOperator::{Append, Clobber, Output, OutputAndError};
    let program = command.program().unwrap_or_default();
    let fetches = |command: &Command| command.program().is_some_and(is_fetcher);
    // What the command before it in a pipeline prints.
    let is_piped = |command: &&Command| command.via.contains(&Via::Pipeline);
    let before = before.filter(is_piped).filter(|_| is_piped(&command));
    let content = || {
        let sources = [Some(command), before.filter(|_| matches!(program, "cat" | "tee"))];
        sources.into_iter().flatten().find_map(|source| match fetches(source) {
            true => Some(Content::Fetched),
            false => text_of(source)
                .filter(|_| source.program().is_some_and(|program| PRINTERS.contains(&program)))
                .map(Content::Text),
        })
    };
    let is_output =
        |redirection: &&Redirection| matches!(redirection.operator, Append | Clobber | Output | OutputAndError);
    let targets = command
        .redirections
        .iter()
        .filter(is_output)
        .map(|redirection| &redirection.target);
    let arguments = command.arguments().iter().filter(|_| program == "tee");
    let mut files: Vec<(String, Content)> = targets
        .chain(arguments)
        .filter_map(|word| Some((name(word)?, content()?)))
        .collect();
    if fetches(command) {
        let fetched = Read::of(command)
            .filter(|_| command.program().is_some_and(is_fetcher))
            .map(|read| fetched(&read));
        let fetched = fetched.into_iter().flatten().filter_map(|file| match &file[..] {
            [Piece::Text(path)] => Some(path.trim_start_matches("./").to_owned()),
            _ => None,
        });
        files.extend(fetched.map(|file| (file, Content::Fetched)));
    }
    files
}

/// Returns a file's name as it is compared: without `./`, and with `~` for the home folder.
fn name(word: &Word) -> Option<String> {
    match &word.parts[..] {
        [Part::Literal(text)] => Some(text.trim_start_matches("./").to_owned()),
        [Part::Expansion(home), Part::Literal(text)] if is_home(home.kind) => Some(format!("~{text}")),
        _ => None,
    }
}
