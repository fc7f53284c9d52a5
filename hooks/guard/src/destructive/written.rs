//! Scripts and programs that a line writes, or gets from another machine, and then runs.

use super::ask;
use super::code::{self, Language};
use crate::effects::changes::{fetched, is_fetcher};
use crate::effects::mentions::runs_stdin;
use crate::folders::is_home;
use crate::prelude::*;

/// Maximum number of files to follow.
const MOST: usize = 64;

/// The content of a file that the line writes.
#[derive(Clone)]
enum Content {
    /// Sent by another machine, or decoded.
    Fetched,
    Text(String),
}

/// Returns the dangers of files that a line writes and then runs. The commands of shell scripts are already among its
/// commands.
pub(super) fn run(line: Line) -> Vec<Found> {
    let script = line.script;
    // Most lines write no file.
    const WRITERS: &str =
        "aria2c curl fetch gpg gpg2 http https openssl rsync scp sftp tee uudecode wget wget2 xh xhs xxd";
    let writes = (script.commands().iter()).any(|command| !command.redirections.is_empty() || command.is(WRITERS));
    let mut dangers = Vec::new();
    let mut files: BTreeMap<String, Content> = BTreeMap::new();
    let mut before: Option<(&Command, bool)> = None;
    // A variable may be the file's name.
    let commands = if writes && line.text.contains('$') {
        valued(script.commands(), line).into()
    } else {
        Cow::Borrowed(script.commands())
    };
    for command in &*commands {
        let is_language = Language::of(command) == Some(Language::General);
        if is_language {
            dangers.extend(of_output(command));
        }
        if !writes {
            continue;
        }
        let file = Some(command).filter(|_| !files.is_empty()).and_then(file_of);
        dangers.extend(file.and_then(|file| match files.get(base(&file))? {
            Content::Fetched => {
                Some(Asked(format!("`{command}` runs `{file}`, which was decoded or comes from another machine")))
            }
            Content::Text(text) if is_language => code::from_elsewhere(command, text),
            Content::Text(_) => None,
        }));
        let gets_fetched =
            before.is_some_and(|(before, fetches)| fetches && before.is_in_pipeline() && command.is_in_pipeline());
        let fetches = gets_fetched || command.program().is_some_and(is_fetcher) || decodes(command);
        if files.len() < MOST {
            for (file, content) in written(command, fetches) {
                files.insert(base(&file).to_owned(), content);
            }
            for (from, to) in copied(command) {
                if let Some(content) = from.map_or(Some(Content::Fetched), |from| files.get(base(&from)).cloned()) {
                    files.insert(base(&to).to_owned(), content);
                }
            }
        }
        before = Some((command, fetches));
    }
    dangers
}

/// Returns `true` for a program that decodes its input.
fn decodes(command: &Command) -> bool {
    let has = |letter: char, long: &str| {
        command.literals().any(|word| match word.strip_prefix("--") {
            Some(name) => !name.is_empty() && long.starts_with(name),
            None => word.starts_with('-') && word.to_ascii_lowercase().contains(letter),
        })
    };
    match command.program().unwrap_or_default() {
        "base32" | "base64" | "basenc" | "gbase64" | "openssl" => has('d', "decode"),
        "gpg" | "gpg2" => has('d', "decrypt"),
        "xxd" => has('r', "revert"),
        "uudecode" => true,
        _ => false,
    }
}

/// Returns the files that a command copies, moves, links or shows, each with its old and its new name; a file from another machine has
/// no old name.
fn copied(command: &Command) -> Vec<(Option<String>, String)> {
    // A program that shows a file copies it into its output.
    let shows = || Read::of(command).filter(|read| read.program.last() == Role::Shown);
    if let Some(to) = command.redirections.iter().find(|to| to.operator.writes()).and_then(|to| name(&to.target))
        && let Some(read) = shows()
    {
        let files = read.words().into_iter().filter_map(name);
        return files.map(|from| (Some(from), to.clone())).collect();
    }
    // Most commands have no such operand.
    let program = command.program().and_then(Program::named).filter(|program| program.has(Role::Into));
    let Some(read) = program.and_then(|_| Read::of(command)) else {
        return Vec::new();
    };
    let mut words = read.words();
    let Some(to) = words.pop() else {
        return Vec::new();
    };
    let may_be_remote = read.program.has(Role::Sent);
    let names = words.into_iter().filter_map(|word| {
        let own = word.literal()?;
        let from = (!may_be_remote || !own.contains(':')).then(|| own.to_owned());
        // In a folder the file keeps its name.
        let kept = after_last(own, ':');
        Some([(from.clone(), name(to)?), (from, kept.to_owned())])
    });
    names.flatten().collect()
}

/// Returns the danger of an interpreter that runs the output of the command before it, unless the text is in the line.
pub(super) fn of_stdin(commands: &[Command], at: usize) -> Option<Found> {
    let command = &commands[at];
    let is_fed = command.is_in_pipeline() && !command.redirections.iter().any(Redirection::is_input);
    if !is_fed || command.input().is_some() || Language::of(command) != Some(Language::General) || !runs_stdin(command)
    {
        return None;
    }
    // Prefixes come before the interpreter: `sudo python3 -`.
    let prefixes = command.via.iter().rev().take_while(|via| matches!(via, Via::Prefix(_))).count();
    let first = at.checked_sub(prefixes);
    let first = first.filter(|first| commands[*first].via.len() + prefixes == command.via.len());
    let before = commands[..first.unwrap_or(at)].last()?;
    // The content of a file.
    let is_runner = before.is_in_pipeline() && !before.is("cat");
    is_runner.then(|| Asked(format!("`{command}` runs the output of `{before}`")))
}

/// Returns the danger of an interpreter whose program is another command's output: `python3 <(curl …)`, `-c "$(curl …)"`.
fn of_output(command: &Command) -> Option<Found> {
    let is = |word: &Word, kind: ExpansionKind| matches!(&word.parts[..], [part] if part.is(kind));
    let words = command.arguments();
    let code = words.windows(2).find(|pair| pair[0].is("-c -e -E -r --eval -p"));
    // An operand would be the name of a file.
    let file = words.iter().find(|word| !word.is_option());
    let is_output = code.is_some_and(|pair| is(&pair[1], ExpansionKind::Command))
        || file.is_some_and(|word| is(word, ExpansionKind::Process));
    if is_output { ask(command, "runs the output of another command") } else { None }
}

/// Returns the file that a command runs: a script for a shell or an interpreter, or the program itself.
fn file_of(command: &Command) -> Option<String> {
    let is_source = command.is_named(". source");
    if !is_source && !is_interpreter(command) {
        let own = command.words.first()?;
        return name(own).filter(|name| own.known_start().starts_with("./") || name.contains('/'));
    }
    let Some(read) = Read::of(command) else {
        return command.arguments().first().and_then(name);
    };
    let is_shell = command.program().is_some_and(is_shell);
    // The file is not run: the code is another text, or a shell only checks it.
    let is_other = [Role::Code, Role::Script, Role::Given].iter().any(|role| !read.values(*role).is_empty())
        || is_shell && command.has_argument("-n");
    read.words().into_iter().find(|word| !is_other && !word.known_start().starts_with('+')).and_then(name)
}

/// Returns the files that a command writes, with their content if that is certain.
fn written(command: &Command, fetches: bool) -> Vec<(String, Content)> {
    let targets = command.redirections.iter().filter(|to| to.operator.writes()).map(|to| &to.target);
    let arguments = command.arguments().iter().filter(|_| command.is("tee"));
    let content = || {
        if fetches { Some(Content::Fetched) } else { command.output().map(|text| Content::Text(text.to_string())) }
    };
    let mut files: Vec<(String, Content)> =
        targets.chain(arguments).filter_map(|word| Some((name(word)?, content()?))).collect();
    let read = Some(command).filter(|_| fetches).and_then(Read::of);
    // `-o x` of a fetcher, `-out x` of a decoder.
    let of_options = read.iter().flat_map(|read| {
        if read.program.has(Role::Address) {
            fetched(read)
        } else {
            [read.values(Role::Written), read.values_of("out")].concat()
        }
    });
    files.extend(of_options.filter_map(|file| Some((literal(&file)?.to_owned(), Content::Fetched))));
    files
}

/// Returns a file's name in a comparable form: without `./`, and with `~` for the home folder.
fn name(word: &Word) -> Option<String> {
    match &word.parts[..] {
        [Part::Literal(text)] => Some(text.trim_start_matches("./").to_owned()),
        [Part::Expansion(home), Part::Literal(text)] if is_home(home.kind) => Some(format!("~{text}")),
        _ => None,
    }
}
