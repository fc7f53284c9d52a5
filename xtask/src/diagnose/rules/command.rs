//! Rules about a hook's command.
//!
//! The rules read files, and run nothing. They report a path only if it is certain which file it leads to, and a
//! program's text only if its meaning is clear.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use hookkit_protocol::event::MatcherTarget;
use hookkit_shell::Operator;
use hookkit_shell::programs::table::lists;
use hookkit_verdict::{Action, Ran, Verdict};
use serde_json::Value;

use self::language::{has, shared};
use super::shell::{self, End, Folder, Simple, Word};
use crate::diagnose::fields::Handler;
use crate::diagnose::surroundings::Surroundings;
use crate::disk::bounded;
use crate::settings::finding::Edit;
use crate::terminal::joined;

pub(crate) mod check;
mod dash;
mod files;
mod language;
mod literal;
pub(crate) mod outcome;
pub(crate) mod started;

/// A handler's command, parsed where possible.
pub(crate) struct Command<'f> {
    handler: Handler<'f>,
    surroundings: &'f Surroundings,
    form: Form<'f>,
}

enum Form<'f> {
    /// A shell script. The programs are `None` if they cannot be determined.
    Shell(&'f str, Option<Vec<Simple<'f>>>),
    /// A program and its arguments, run without a shell.
    Exec(Vec<&'f str>),
}

/// A file that the command calls.
struct Call<'c> {
    /// Position of `value` among the words.
    at: usize,
    /// The word as received by the program that opens the file.
    value: String,
    role: Role,
    /// The program of the simple command that contains the word.
    program: String,
    word: Option<&'c Word<'c>>,
    /// Copy of the simple command's `is_certain`, like the next two fields.
    is_certain: bool,
    folder: Folder,
    end: End,
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// The file is executed.
    Program,
    /// The file is read by a program that the command calls.
    Script,
}

/// Built-in commands in every shell.
const BUILT_IN: &str = ". : [ [[ alias bg break cd command continue declare echo eval exec exit export false fg getopts hash jobs kill let local popd printf pushd pwd read readonly return set shift shopt source test time times trap true type typeset ulimit umask unalias unset wait";

const SHELLS: &str = "bash dash ksh sh zsh";

/// Endings of variable names that suggest a hook's input.
const OF_INPUT: &str = "AGENT ARGS ARGUMENTS BRANCH CODE COMMAND COMMANDS CONTENT CONTENTS CWD DATA DIFF DIR DIRECTORY EDIT EDITS ERROR EVENT FILE FILENAME FILEPATH FILES FOLDER ID INPUT JSON MESSAGE MODEL NAME NOTIFICATION OUTPUT PARAMS PATH PATHS PAYLOAD PROJECT PROMPT QUERY REASON RESPONSE RESULT ROOT SESSION SOURCE STATUS TASK TEXT TOOL TRANSCRIPT TYPE WORKSPACE";

/// Folder variables that Claude Code replaces even in commands without a shell.
const FOLDERS: [&str; 2] = ["CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT"];

/// Placeholders in a plugin's hook that only have values in a session.
const OPEN: [&str; 2] = ["CLAUDE_PLUGIN_DATA", "${user_config."];

/// Commands that create no folders. Any other command may create a folder that a later command needs.
const MAKE_NO_FOLDER: &str = "cat cd cut date echo exit export grep head jq printf pwd read sed set sleep tail tr true";

/// Maximum number of bytes to read from a script.
const TEXT_LIMIT: usize = 64 * 1024;

impl<'f> Command<'f> {
    pub(super) fn of(handler: Handler<'f>, surroundings: &'f Surroundings) -> Option<Self> {
        let command = handler.text("command")?;
        let form = match handler.fields.get("args") {
            Some(args) => {
                let args = args.as_array()?.iter().map(Value::as_str);
                Form::Exec(std::iter::once(Some(command)).chain(args).collect::<Option<_>>()?)
            }
            None => {
                let is_posix = handler.text("shell") != Some("powershell");
                Form::Shell(command, is_posix.then(|| shell::read(command)).flatten())
            }
        };
        Some(Self { handler, surroundings, form })
    }

    /// Returns `true` if a text uses, but does not set, a variable that is always empty. A variable that the text
    /// tests, such as `CLAUDE_GUARD`, may be the author's own switch, unless its name suggests an input.
    fn is_unset(&self, name: &str, text: &str) -> bool {
        let event = Some(self.handler.event.name);
        let is_set = matches!(self.form, Form::Shell(line, _) if sets(line, name)) || sets(text, name);
        let is_tested = |part: &str| part.contains(name) && has(part, shared("conditions"));
        let is_of_input = || lists(OF_INPUT, name.rsplit('_').next().unwrap_or_default());
        let is_switch = || !is_of_input() && text.split([';', '\n', '|', '&']).any(is_tested);
        self.surroundings.is_unset(name, event) && !is_set && !is_switch()
    }

    fn commands(&self) -> &[Simple<'f>] {
        match &self.form {
            Form::Shell(_, Some(commands)) => commands,
            _ => &[],
        }
    }

    /// Returns the words of a call without a shell, as the program receives them.
    fn exec_values(&self, words: &[&str]) -> Vec<Option<String>> {
        let value = |word: &&str| {
            let mut value = (*word).to_owned();
            for name in FOLDERS {
                let placeholder = format!("${{{name}}}");
                if value.contains(&placeholder) {
                    value = value.replace(&placeholder, self.surroundings.folder(name)?.to_str()?);
                }
            }
            (!OPEN.iter().any(|open| value.contains(open))).then_some(value)
        };
        words.iter().map(value).collect()
    }

    fn calls(&self) -> Vec<Call<'_>> {
        let mut calls = Vec::new();
        if let Form::Exec(words) = &self.form {
            let values = self.exec_values(words);
            calls.extend(called(&values));
        }
        let commands = self.commands();
        for (number, command) in commands.iter().enumerate() {
            let values = values(command, self.surroundings);
            // `bash -n FILE && bash FILE` tests the file.
            let pairs = commands[number.saturating_sub(1)..].windows(2).take(1 + usize::from(number > 0));
            let pairs = pairs.filter(|pair| pair[0].operator == Some(Operator::And));
            let others = pairs.flatten().filter(|other| !std::ptr::eq(*other, command));
            let tested: Vec<_> = others.flat_map(|other| self::values(other, self.surroundings)).collect();
            calls.extend(called(&values).into_iter().map(|call| Call {
                word: Some(&command.words[call.at]),
                is_certain: command.is_certain && !tested.contains(&values[call.at]),
                folder: command.folder,
                end: command.end,
                ..call
            }));
        }
        calls
    }

    /// Returns the consequence if a file cannot be opened.
    fn without(&self, call: &Call<'_>) -> String {
        let handler = self.handler;
        match call.end {
            End::Tolerated => return "the hook does nothing".to_owned(),
            End::Background => return format!("`{}` fails in the background, and the hook succeeds", call.program),
            _ => {}
        }
        if call.role != Role::Script || handler.is_async() || !exits_with_two(&call.program, self.surroundings) {
            return match call.end {
                End::Rest | End::Instead => {
                    format!("`{}` fails each time, and the rest of the line decides the outcome", call.program)
                }
                _ => handler.never_runs().to_owned(),
            };
        }
        let message = format!("can't open `{}`: No such file or directory", call.value);
        self.with_two(&call.program, call.end == End::Decides, message)
    }

    /// Returns the consequence of exit code 2 with this message on stderr.
    fn with_two(&self, program: &str, is_last: bool, message: String) -> String {
        let handler = self.handler;
        if !is_last {
            return format!("`{program}` exits with 2 each time, and the rest of the line decides the outcome");
        }
        let run = Ran::exit(2).stderr(message);
        let run = if self.surroundings.plugin.is_some() { run.of_plugin() } else { run };
        let verdict = Verdict::of(handler.event, &run);
        let what = match (verdict.action, handler.event.matcher_target) {
            (Action::Denied, _) if handler.event.name == "UserPromptSubmit" => "drops every prompt",
            (Action::Denied, MatcherTarget::ToolName) => "denies every call",
            (Action::Denied, _) => "blocks each time",
            (Action::KeepsGoing, _) => "makes Claude continue each time",
            _ if verdict.ends_turn => "ends the turn each time",
            _ => return handler.never_runs().to_owned(),
        };
        format!("`{program}` exits with 2 each time, so Claude Code {what}")
    }

    /// Returns the path of the called file, if it is certain.
    fn path(&self, call: &Call<'_>) -> Option<PathBuf> {
        let path = Path::new(&call.value);
        if path.is_absolute() {
            return Some(path.to_owned());
        }
        let project = self.surroundings.project.as_ref().filter(|_| call.folder != Folder::Other)?;
        (call.role == Role::Script || call.value.contains('/')).then(|| project.join(path))
    }

    /// Returns the command itself.
    fn inline(&self) -> String {
        match &self.form {
            Form::Shell(text, _) => (*text).to_owned(),
            Form::Exec(words) => words.join(" "),
        }
    }

    /// Returns the readable texts of the hook: the command itself, and the files that it calls.
    ///
    /// `None` if a file exceeds the size limit.
    pub(super) fn texts(&self) -> Option<Vec<String>> {
        let mut texts = vec![self.inline()];
        for path in self.calls().iter().filter_map(|call| self.path(call)) {
            match text_of(&path) {
                Some(text) if text.len() > TEXT_LIMIT => return None,
                text => texts.extend(text.as_deref().map(without_comments)),
            }
        }
        Some(texts)
    }

    /// Returns the file that the command calls, if there is exactly one, and the other arguments. All spellings of a
    /// command give the same result.
    pub(super) fn script(&self) -> Option<(PathBuf, Vec<String>)> {
        let values = match (&self.form, self.commands()) {
            (Form::Exec(words), _) => self.exec_values(words),
            (_, [command]) if !command.has_assignments && !command.is_redirected => values(command, self.surroundings),
            _ => return None,
        };
        let values: Vec<String> = values.into_iter().collect::<Option<_>>()?;
        let calls = self.calls();
        let call = calls.last()?;
        let path = fs::canonicalize(self.path(call)?).ok()?;
        Some((path, values[call.at + 1..].to_vec()))
    }
}

fn values(command: &Simple<'_>, surroundings: &Surroundings) -> Vec<Option<String>> {
    command.words.iter().map(|word| word.value(surroundings)).collect()
}

/// Returns `true` if a line sets a variable, directly or in a nested script.
fn sets(line: &str, name: &str) -> bool {
    let ways = [format!("{name}="), format!("read {name}"), format!("read -r {name}"), format!("for {name} in")];
    ways.iter().any(|way| line.contains(way))
}

/// Returns `true` if an interpreter, or `.`, exits with 2 when it cannot open its script. bash exits with 127, node
/// with 1.
fn exits_with_two(program: &str, surroundings: &Surroundings) -> bool {
    match without_version(program) {
        // `.`
        "" => surroundings.dash().is_some(),
        "python" | "perl" | "dash" | "uv" => true,
        "sh" => {
            let folders = surroundings.path.iter().flat_map(std::env::split_paths);
            let mut files = folders.filter_map(|folder| fs::canonicalize(folder.join("sh")).ok());
            files.next().is_some_and(|file| file.ends_with("dash"))
        }
        _ => false,
    }
}

/// Returns a program's name without its version: `python` for `python3.12`.
fn without_version(program: &str) -> &str {
    program.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.')
}

/// Returns the file that a command executes and the script that this program reads.
fn called<'c>(values: &[Option<String>]) -> Vec<Call<'c>> {
    let value = |at: usize| values.get(at).and_then(Option::as_deref);
    let is_option = |at: usize| value(at).is_none_or(|value| value.starts_with('-'));
    let mut at = 0;
    loop {
        match value(at) {
            Some("exec" | "nohup") => at += 1,
            Some("env") => {
                at += 1;
                while value(at).is_some_and(|value| !value.starts_with('-') && value.contains('=')) {
                    at += 1;
                }
            }
            Some("timeout") if !is_option(at + 1) => at += 2,
            Some(name) if !name.is_empty() => break,
            _ => return Vec::new(),
        }
        if is_option(at) {
            return Vec::new();
        }
    }
    let name = value(at).and_then(|name| name.rsplit('/').next()).unwrap_or_default();
    let call = |at: usize, role| Call {
        at,
        value: values[at].clone().unwrap_or_default(),
        role,
        program: name.to_owned(),
        word: None,
        is_certain: true,
        folder: Folder::Session,
        end: End::Decides,
    };
    let script = script(name, values, at + 1).map(|at| call(at, Role::Script));
    [call(at, Role::Program)].into_iter().chain(script).collect()
}

/// Returns the position of the argument with an interpreter's script.
fn script(name: &str, values: &[Option<String>], from: usize) -> Option<usize> {
    let plain = without_version(name);
    let value = |at: usize| values.get(at)?.as_deref();
    let mut at = from;
    match name {
        "powershell" | "powershell.exe" | "pwsh" | "pwsh.exe" => {
            // The script follows the option `-File`; other options may precede it.
            let is_file = |at: &usize| value(*at).is_some_and(|value| value.eq_ignore_ascii_case("-File"));
            let at = (from..values.len()).find(is_file)? + 1;
            return value(at).map(|_| at);
        }
        // A name without a folder is searched for in PATH.
        "." => return value(at)?.contains('/').then_some(at),
        // The working folder.
        "npm" | "pnpm" if ["-C", "--prefix"].contains(&value(at)?) => return value(at + 1).map(|_| at + 1),
        _ => {}
    }
    let runs = value(at) == Some("run");
    match plain {
        "uv" | "deno" if runs => at += 1,
        "bun" => at += usize::from(runs),
        _ if lists("python node nodejs ruby perl php tsx ts-node", plain) || lists(SHELLS, name) => {}
        _ => return None,
    }
    loop {
        let value = value(at)?;
        let Some(option) = value.strip_prefix('-') else {
            let extension = value.rsplit_once('.').map_or("", |(_, extension)| extension);
            let is_path = value.contains('/') || lists("py js mjs cjs ts mts sh bash zsh rb pl php", extension);
            return (is_path && !value.contains("://")).then_some(at);
        };
        // The program itself, its module's name, or stdin.
        let is_text = match option.strip_prefix('-') {
            Some(long) => ["eval", "print", "command", ""].contains(&long.split('=').next().unwrap_or_default()),
            None => option.is_empty() || option.contains(['c', 'e', 'm', 'n', 'p', 'r', 's', 'E']),
        };
        if is_text {
            return None;
        }
        at += 1;
    }
}

/// Returns a file's content if it is text. For a longer file, returns [`TEXT_LIMIT`] bytes plus one.
fn text_of(path: &Path) -> Option<String> {
    let mut text = String::new();
    bounded::open(path).ok()?.take(TEXT_LIMIT as u64 + 1).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Returns a script without comment lines.
fn without_comments(text: &str) -> String {
    let is_comment = |line: &&str| {
        let line = line.trim_start();
        (line.starts_with('#') && !line.starts_with("#!")) || line.starts_with("//")
    };
    joined(text.lines().filter(|line| !is_comment(line)), "\n")
}

impl Command<'_> {
    /// Replaces a word in a call without a shell.
    fn set(&self, at: usize, word: String) -> Edit {
        let (mut key, mut value) = ("command", word.into());
        if let Some(at) = at.checked_sub(1) {
            let mut args = self.handler.fields.get("args").cloned().unwrap_or_default();
            if let Some(arg) = args.get_mut(at) {
                *arg = value;
            }
            (key, value) = ("args", args);
        }
        Edit::Set { key, value }
    }

    /// Replaces a word in a shell line.
    fn with(&self, word: &Word<'_>, replacement: &str) -> Option<Edit> {
        let Form::Shell(text, _) = self.form else { return None };
        let mut text = text.to_owned();
        text.replace_range(word.span.clone(), replacement);
        Some(self.set(0, text))
    }
}

#[cfg(all(test, unix))]
mod tests;
