//! Does the command of a hook do what it seems to?
//!
//! Files are looked at, and nothing is run.
//! A path is told about where it is plain which file it is, and a program's text where it plainly says something.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use hookkit::testing::{Action, Ran, Verdict};
use hookkit_protocol::event::{MatcherTarget, Refusal};
use hookkit_protocol::settings::{NEVER_SET, SET_FOR_PLUGINS};
use serde_json::Value;

use super::handler::Handler;
use super::shell::{self, Line, Simple, Word};
use super::{Finding, Fix, Surroundings, text};
use crate::{bounded, quoted};

/// A handler's command, as far as it can be read.
pub(super) struct Command<'f> {
    handler: Handler<'f>,
    surroundings: &'f Surroundings,
    form: Form<'f>,
}

enum Form<'f> {
    /// Text for a shell. `None` where it cannot be told what it calls.
    Shell(&'f str, Option<Line<'f>>),
    /// A program with its arguments, which no shell sees.
    Exec(Vec<&'f str>),
}

/// A file that the command calls.
struct Call<'c> {
    /// The word, as the program that opens it gets it.
    value: String,
    role: Role,
    /// The program of the command that it is in.
    program: String,
    word: Option<&'c Word<'c>>,
    /// What is said of the command that it is in.
    is_certain: bool,
    is_tolerated: bool,
    is_in_place: bool,
    /// Whether the exit code of its command is the line's.
    is_last: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It is executed.
    Program,
    /// A program that was called reads it.
    Script,
}

/// What every shell has in itself.
const BUILT_IN: &[&str] = &[
    ".", ":", "[", "[[", "alias", "bg", "break", "cd", "command", "continue", "declare", "echo", "eval", "exec",
    "exit", "export", "false", "fg", "getopts", "hash", "jobs", "kill", "let", "local", "popd", "printf", "pushd",
    "pwd", "read", "readonly", "return", "set", "shift", "shopt", "source", "test", "time", "times", "trap", "true",
    "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait",
];

const SHELLS: &[&str] = &["bash", "dash", "ksh", "sh", "zsh"];

/// What the client replaces in a plugin's hooks alone (client 2.1.330).
const OF_PLUGINS: &[&str] = &["${CLAUDE_PLUGIN_ROOT}", "${CLAUDE_PLUGIN_DATA}"];

const PROJECT: &str = "${CLAUDE_PROJECT_DIR}";

/// Returns whether the client never sets this variable for hooks in settings.
pub(super) fn is_never_set(name: &str) -> bool {
    NEVER_SET.contains(&name) || SET_FOR_PLUGINS.contains(&name)
}

/// Commands that bash has in itself and dash has not.
const NOT_IN_DASH: &[&str] = &["[[", "declare", "let", "popd", "pushd", "shopt", "source", "typeset"];

/// Commands that make no folder. Any other may make the one that a later command needs.
const MAKE_NO_FOLDER: &[&str] = &[
    "cat", "cd", "cut", "date", "echo", "exit", "export", "grep", "head", "jq", "printf", "pwd", "read", "sed", "set",
    "sleep", "tail", "tr", "true",
];

/// How much of a script is read.
const TEXT_LIMIT: u64 = 64 * 1024;

impl<'f> Command<'f> {
    pub(super) fn of(handler: Handler<'f>, surroundings: &'f Surroundings) -> Option<Self> {
        let command = text(handler.fields, "command")?;
        let form = match handler.fields.get("args") {
            Some(args) => {
                let args = args.as_array()?.iter().map(Value::as_str);
                Form::Exec(std::iter::once(Some(command)).chain(args).collect::<Option<_>>()?)
            }
            None => {
                let is_posix = text(handler.fields, "shell") != Some("powershell") && cfg!(unix);
                Form::Shell(command, is_posix.then(|| shell::read(command)).flatten())
            }
        };
        Some(Self {
            handler,
            surroundings,
            form,
        })
    }

    fn commands(&self) -> &[Simple<'f>] {
        match &self.form {
            Form::Shell(_, Some(line)) => &line.commands,
            _ => &[],
        }
    }

    /// The words of a call without a shell, as the program gets them.
    fn exec_values(&self, words: &[&str]) -> Vec<Option<String>> {
        let project = self.surroundings.project.as_deref().and_then(Path::to_str);
        let value = |word: &&str| match (word.contains(PROJECT), project) {
            (false, _) => Some((*word).to_owned()),
            (true, project) => Some(word.replace(PROJECT, project?)),
        };
        words.iter().map(value).collect()
    }

    fn calls(&self) -> Vec<Call<'_>> {
        let mut calls = Vec::new();
        if let Form::Exec(words) = &self.form {
            let values = self.exec_values(words);
            for (at, role, program) in called(&values) {
                calls.push(Call {
                    value: values[at].clone().unwrap_or_default(),
                    role,
                    program,
                    word: None,
                    is_certain: true,
                    is_tolerated: false,
                    is_in_place: true,
                    is_last: true,
                });
            }
        }
        let last = self.commands().len().saturating_sub(1);
        for (number, command) in self.commands().iter().enumerate() {
            let values = values(command, self.surroundings);
            for (at, role, program) in called(&values) {
                calls.push(Call {
                    value: values[at].clone().unwrap_or_default(),
                    role,
                    program,
                    word: Some(&command.words[at]),
                    is_certain: command.is_certain,
                    is_tolerated: command.is_tolerated,
                    is_in_place: command.is_in_place,
                    is_last: number == last,
                });
            }
        }
        calls
    }

    /// What comes of a file that cannot be opened.
    fn without(&self, call: &Call<'_>) -> String {
        let handler = self.handler;
        if call.is_tolerated {
            return "the hook does nothing".to_owned();
        }
        if call.role != Role::Script || handler.is_async() || !exits_with_two(&call.program, self.surroundings) {
            return handler.never_runs();
        }
        let message = format!("can't open `{}`: No such file or directory", call.value);
        self.with_two(&call.program, call.is_last, message)
    }

    /// Describes the effect of exit code 2 with these words on stderr.
    fn with_two(&self, program: &str, is_last: bool, message: String) -> String {
        let handler = self.handler;
        if !is_last {
            return format!("`{program}` exits with 2 each time, and the rest of the line decides what comes of it");
        }
        let run = Ran::exit(2).stderr(message);
        if Verdict::of(handler.event, &run).action != Action::Refused {
            return handler.never_runs();
        }
        let what = match (handler.event.name, handler.event.matcher_target) {
            ("UserPromptSubmit", _) => "drops every prompt",
            (_, MatcherTarget::ToolName) => "refuses every call",
            _ => "refuses each time",
        };
        format!("`{program}` exits with 2 each time, by which Claude Code {what}")
    }

    /// Where the file of a call is, if it is one that has a path.
    fn path(&self, call: &Call<'_>) -> Option<PathBuf> {
        let path = Path::new(&call.value);
        if path.is_absolute() {
            return Some(path.to_owned());
        }
        let project = self.surroundings.project.as_ref().filter(|_| call.is_in_place)?;
        (call.role == Role::Script || call.value.contains('/')).then(|| project.join(path))
    }

    /// What its author wrote of it that can be read: the command itself, and the files that it calls.
    ///
    /// `None` where a file is too long to be read whole.
    pub(super) fn texts(&self) -> Option<Vec<String>> {
        let inline = match &self.form {
            Form::Shell(text, _) => (*text).to_owned(),
            Form::Exec(words) => words.join(" "),
        };
        let mut texts = vec![inline];
        for path in self.calls().iter().filter_map(|call| self.path(call)) {
            let Ok(file) = bounded::open(&path) else { continue };
            let mut bytes = Vec::new();
            if file.take(TEXT_LIMIT + 1).read_to_end(&mut bytes).is_err() {
                continue;
            }
            let is_whole = u64::try_from(bytes.len()).is_ok_and(|length| length <= TEXT_LIMIT);
            match (String::from_utf8(bytes), is_whole) {
                (Ok(text), true) => texts.push(without_comments(&text)),
                (Ok(_), false) => return None,
                (Err(_), _) => {}
            }
        }
        Some(texts)
    }

    /// The one file that the command calls, and its other arguments: the same for each spelling of it.
    pub(super) fn script(&self) -> Option<(PathBuf, Vec<String>)> {
        let values = match (&self.form, self.commands()) {
            (Form::Exec(words), _) => self.exec_values(words),
            (_, [command]) if command.assignments.is_empty() && !command.is_redirected => {
                values(command, self.surroundings)
            }
            _ => return None,
        };
        let values: Vec<String> = values.into_iter().collect::<Option<_>>()?;
        let calls = self.calls();
        let call = calls.last()?;
        let path = self.path(call)?;
        let at = values.iter().position(|value| *value == call.value)?;
        let path = fs::canonicalize(path).ok()?;
        Some((path, values[at + 1..].to_vec()))
    }
}

fn values(command: &Simple<'_>, surroundings: &Surroundings) -> Vec<Option<String>> {
    command.words.iter().map(|word| word.value(surroundings)).collect()
}

/// Whether an interpreter exits with 2 where it cannot open its script, as bash (127) and node (1) do not.
fn exits_with_two(program: &str, surroundings: &Surroundings) -> bool {
    match program.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.') {
        "python" | "perl" | "dash" => true,
        "sh" => {
            let path = surroundings.path.as_ref().filter(|_| cfg!(unix));
            let files = path
                .into_iter()
                .flat_map(std::env::split_paths)
                .map(|folder| folder.join("sh"));
            let found = files.filter_map(|file| fs::canonicalize(file).ok()).next();
            found.is_some_and(|file| file.ends_with("dash"))
        }
        _ => false,
    }
}

/// The file that a command executes, and the one that this reads as its program, by their places among the words; each
/// with the program's name.
fn called(values: &[Option<String>]) -> Vec<(usize, Role, String)> {
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
    let mut called = vec![(at, Role::Program, name.to_owned())];
    called.extend(script(name, values, at + 1).map(|at| (at, Role::Script, name.to_owned())));
    called
}

/// Which of an interpreter's arguments is the file that it reads.
fn script(name: &str, values: &[Option<String>], from: usize) -> Option<usize> {
    let plain = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    let is_shell = SHELLS.contains(&name);
    let mut at = from;
    match name {
        // The script is behind an option of its own, and others may be before it.
        "powershell" | "powershell.exe" | "pwsh" | "pwsh.exe" => {
            let is_file = |value: &Option<String>| {
                value
                    .as_deref()
                    .is_some_and(|value| value.eq_ignore_ascii_case("-File"))
            };
            let at = from + values.get(from..)?.iter().position(is_file)? + 1;
            return values.get(at)?.is_some().then_some(at);
        }
        // The folder that they work in.
        "npm" | "pnpm" if ["-C", "--prefix"].contains(&values.get(from)?.as_deref()?) => {
            return values.get(from + 1)?.is_some().then_some(from + 1);
        }
        _ => {}
    }
    match plain {
        "python" | "node" | "nodejs" | "ruby" | "perl" | "php" | "tsx" | "ts-node" => {}
        "uv" | "deno" if values.get(at)?.as_deref() == Some("run") => at += 1,
        "bun" => at += usize::from(values.get(at)?.as_deref() == Some("run")),
        _ if is_shell => {}
        _ => return None,
    }
    loop {
        let value = values.get(at)?.as_deref()?;
        let Some(option) = value.strip_prefix('-') else {
            let extensions = [
                ".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".sh", ".bash", ".zsh", ".rb", ".pl", ".php",
            ];
            let is_path = value.contains('/') || extensions.iter().any(|extension| value.ends_with(extension));
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

/// The lines of a script that are none of the usual comments.
fn without_comments(text: &str) -> String {
    let is_comment = |line: &&str| {
        let line = line.trim_start();
        (line.starts_with('#') && !line.starts_with("#!")) || line.starts_with("//")
    };
    let lines: Vec<&str> = text.lines().filter(|line| !is_comment(line)).collect();
    lines.join("\n")
}

/// Tells what is wrong with a command.
pub(super) fn check(command: &Command<'_>, findings: &mut Vec<Finding>) {
    placeholders(command, findings);
    variables(command, findings);
    of_bash(command, findings);
    quotes(command, findings);
    let calls = command.calls();
    for call in &calls {
        file(command, call, findings);
    }
    folders(command, findings);
    exit_codes(command, findings);
    answers(command, findings);
    blocks(command, findings);
}

/// What stands in a place where nobody expands it.
fn placeholders(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let words: &[&str] = match &command.form {
        Form::Shell(text, _) => &[*text],
        Form::Exec(words) => words,
    };
    if let Some(foreign) = OF_PLUGINS
        .iter()
        .find(|name| words.iter().any(|word| word.contains(**name)))
    {
        findings.push(Finding::new(
            format!("`{foreign}` is known in the hooks of plugins alone"),
            "Claude Code reports an error in place of the hook, and goes on",
            "write the path, or move the hook into the plugin",
        ));
    }
    let Form::Exec(words) = &command.form else { return };
    for (at, word) in words.iter().enumerate() {
        let does = match at {
            0 => command.handler.never_runs(),
            _ => "the program gets it as it stands there".to_owned(),
        };
        // Only with its braces the client replaces it, and nothing else.
        if word.starts_with("$CLAUDE_PROJECT_DIR") {
            let mended = word.replacen("$CLAUDE_PROJECT_DIR", PROJECT, 1);
            let what =
                format!("nobody expands `$CLAUDE_PROJECT_DIR` in `{word}`: there is no shell where `args` stands");
            let finding = Finding::new(what, does, format!("write `{mended}`"));
            findings.push(finding.fixed_by(command.set(at, mended)));
        } else if let Some(name) = ["~/", "$HOME/", "${HOME}/"]
            .iter()
            .find(|name| word.starts_with(**name))
        {
            let name = name.trim_end_matches('/');
            let what = format!("nobody expands `{name}` in `{word}`: there is no shell where `args` stands");
            let mend = "write the whole path, or the words of `args` in `command`";
            findings.push(Finding::new(what, does, mend));
        }
    }
}

impl Command<'_> {
    /// Puts another word in the place of one of a call without a shell.
    fn set(&self, at: usize, word: String) -> Fix {
        if at == 0 {
            let key = "command".to_owned();
            return Fix::Set {
                key,
                value: word.into(),
            };
        }
        let mut args = self.handler.fields.get("args").cloned().unwrap_or_default();
        if let Some(arg) = args.get_mut(at - 1) {
            *arg = word.into();
        }
        let key = "args".to_owned();
        Fix::Set { key, value: args }
    }
}

/// A variable that is always empty.
///
/// Wherever it stands: of what a substitution calls, or a shell within this one, the line says nothing.
fn variables(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let Form::Shell(text, _) = command.form else { return };
    let named = |at: usize| {
        let rest = &text[at + 1..];
        let start = rest.trim_start_matches('{');
        let behind = start.trim_start_matches(|char: char| char.is_ascii_alphanumeric() || char == '_');
        // With a default it is not empty.
        let inner = behind.split('}').next().filter(|_| rest.starts_with('{'));
        let name = &start[..start.len() - behind.len()];
        inner.and_then(shell::default).is_none().then_some(name)
    };
    let names: Vec<&str> = text.match_indices('$').filter_map(|(at, _)| named(at)).collect();
    let is_set = |name: &str| shell::sets(text, name) || command.surroundings.variables.contains(name);
    let unset = |known: &[&str]| names.iter().copied().find(|name| known.contains(name) && !is_set(name));
    // With braces the client replaces it before a shell sees it, or reports that it cannot.
    if let Some(name) = unset(SET_FOR_PLUGINS).filter(|name| !text.contains(&format!("${{{name}}}"))) {
        findings.push(Finding::new(
            format!("`{name}` is set in the hooks of plugins alone"),
            "it is empty here, and what is behind it is looked for in the root of the file system",
            "write the path, or move the hook into the plugin",
        ));
    }
    if let Some(name) = unset(NEVER_SET) {
        findings.push(Finding::new(
            format!("`{name}` is no variable that Claude Code sets"),
            "it is empty, and the hook looks at nothing",
            "read the input from stdin, as JSON: `jq -r .tool_input.file_path`, say",
        ));
    }
}

/// A command of bash where the shell is another one.
fn of_bash(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let names = command.commands().iter().filter_map(|command| command.words.first());
    let found = names.map(|name| name.raw).find(|name| NOT_IN_DASH.contains(name));
    let Some(name) = found.filter(|_| command.surroundings.is_dash()) else {
        return;
    };
    let does = match name {
        "[[" => "Claude Code gives the line to `/bin/sh`, where the test fails each time",
        _ => "Claude Code gives the line to `/bin/sh`, where it fails each time",
    };
    let mend = match name {
        "[[" => "write `[ … ]`, with `=` for `==`, or put the line into a script for bash",
        "source" => "write `.` in its place",
        _ => "put the line into a script for bash",
    };
    findings.push(Finding::new(
        format!("`{name}` is a command of bash, and `/bin/sh` is dash here"),
        does,
        mend,
    ));
}

/// The project's folder where a shell takes it apart at its blanks.
fn quotes(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let Form::Shell(text, _) = command.form else { return };
    let words = command.commands().iter().flat_map(|command| &command.words);
    let expansions = words.flat_map(|word| &word.expansions);
    let bare: Vec<_> = expansions
        .filter(|expansion| !expansion.is_quoted && expansion.name.as_deref() == Some("CLAUDE_PROJECT_DIR"))
        .collect();
    let [first, ..] = &bare[..] else { return };
    let mut mended = text.to_owned();
    for expansion in bare.iter().rev() {
        let quoted = format!("\"{}\"", &text[expansion.range.clone()]);
        mended.replace_range(expansion.range.clone(), &quoted);
    }
    let has_blank = |path: &PathBuf| path.to_string_lossy().contains(char::is_whitespace);
    let does = match &command.surroundings.project {
        Some(project) if has_blank(project) => command.handler.never_runs(),
        _ => "the shell takes it apart in a clone whose path has a blank, and the hook fails there".to_owned(),
    };
    let name = &text[first.range.clone()];
    let what = format!("`{name}` stands without quotes");
    let key = "command".to_owned();
    let finding = Finding::new(
        what,
        does,
        format!("write `\\\"{name}\\\"`, with backslashes, since it stands in a JSON string"),
    );
    findings.push(finding.fixed_by(Fix::Set {
        key,
        value: mended.into(),
    }));
}

/// A file that is called.
fn file(command: &Command<'_>, call: &Call<'_>, findings: &mut Vec<Finding>) {
    // Somebody else's decision whether it is called at all.
    if !call.is_certain {
        return;
    }
    let name = &call.value;
    let never_runs = || command.without(call);
    let is_exec = matches!(command.form, Form::Exec(_));
    if call.role == Role::Program && !name.contains('/') {
        let is_built_in = !is_exec && BUILT_IN.contains(&&**name);
        if is_built_in || call.is_tolerated || on_path(name, command.surroundings) != Some(false) {
            return;
        }
        let finding = match is_exec && name.contains(' ') {
            true => one_name(name, never_runs()),
            false => Finding::new(
                format!("there is no program `{name}` on the PATH"),
                never_runs(),
                "install it, or write its whole path",
            ),
        };
        findings.push(finding);
        return;
    }
    if let Some(word) = call.word
        && word.raw.starts_with(['"', '\''])
        && name.starts_with("~/")
    {
        let what = format!("a shell expands no `~` in quotes, as in {}", word.raw);
        findings.push(Finding::new(what, never_runs(), "write `\"$HOME\"` in its place"));
        return;
    }
    if let Some(word) = call.word
        && let Some(variable) = variable(name).filter(|_| word.raw.starts_with('\''))
    {
        let what = format!("a shell expands no `{variable}` in single quotes, as in {}", word.raw);
        let mend = format!("write `\\\"{name}\\\"`, with backslashes, since it stands in a JSON string");
        let finding = Finding::new(what, never_runs(), mend);
        let is_plain = word.raw == format!("'{name}'") && !name[1..].contains(['"', '\\', '`', '$']);
        findings.push(match &command.form {
            Form::Shell(text, _) if is_plain => {
                let mut mended = (*text).to_owned();
                mended.replace_range(word.start..word.start + word.raw.len(), &format!("\"{name}\""));
                let key = "command".to_owned();
                finding.fixed_by(Fix::Set {
                    key,
                    value: mended.into(),
                })
            }
            _ => finding,
        });
        return;
    }
    // There is another finding for it.
    if name.starts_with(['~', '$']) {
        return;
    }
    let is_relative = Path::new(name).is_relative();
    if is_relative && !call.is_in_place {
        return;
    }
    let path = command.path(call);
    match &path {
        Some(path) if is_missing(path) => {
            let finding = match is_exec && call.role == Role::Program && name.contains(' ') {
                true => one_name(name, never_runs()),
                false => Finding::new(
                    match is_relative {
                        true => format!("there is no file `{name}` in the project"),
                        false => format!("there is no file `{name}`"),
                    },
                    never_runs(),
                    "mend the path, put the file there, or take the hook out",
                ),
            };
            findings.push(finding);
            return;
        }
        _ if is_relative => findings.push(relative(command, call)),
        _ => {}
    }
    if let Some(path) = path {
        permissions(&path, call.role, never_runs, findings);
    }
}

/// The variable that a path begins with, as it is written.
fn variable(path: &str) -> Option<&str> {
    let folder = path.split('/').next()?;
    let name = folder.strip_prefix('$')?;
    let name = name
        .strip_prefix('{')
        .map_or(Some(name), |name| name.strip_suffix('}'))?;
    (shell::is_name(name) && folder.len() < path.len()).then_some(folder)
}

/// A line where only a program's name can be.
fn one_name(name: &str, does: String) -> Finding {
    Finding::new(
        format!("where `args` stands, `{name}` is the name of one program"),
        does,
        "move what stands behind the program into `args`",
    )
}

fn relative(command: &Command<'_>, call: &Call<'_>) -> Finding {
    let name = &call.value;
    // Seen: the hook runs in the session's current folder, which a `cd` of Bash moves.
    let what = format!("`{name}` is looked for in the session's current folder");
    let does = format!("after a `cd` of the session {}", command.without(call));
    let is_of_project = command.surroundings.project.is_some();
    if !is_of_project {
        return Finding::new(what, does, "write its whole path");
    }
    let bare = name.trim_start_matches("./");
    let (mended, fix) = match (&command.form, call.word) {
        // Its author meant another folder, or this one.
        (Form::Shell(..), Some(word)) if !word.expansions.is_empty() => {
            (format!("\"$CLAUDE_PROJECT_DIR\"/{}", quoted(bare)), None)
        }
        (Form::Shell(text, _), Some(word)) => {
            let raw = word.raw.trim_start_matches("./");
            let mended = format!("\"$CLAUDE_PROJECT_DIR\"/{raw}");
            let mut text = (*text).to_owned();
            text.replace_range(word.start..word.start + word.raw.len(), &mended);
            let key = "command".to_owned();
            let fix = Fix::Set {
                key,
                value: text.into(),
            };
            (mended, Some(fix))
        }
        (Form::Exec(words), _) => {
            let mended = format!("{PROJECT}/{bare}");
            let at = words.iter().position(|word| word == name);
            let fix = at.map(|at| command.set(at, mended.clone()));
            (mended, fix)
        }
        _ => (bare.to_owned(), None),
    };
    Finding {
        fix,
        ..Finding::new(what, does, format!("write `{mended}`"))
    }
}

/// A folder that is not there, where the shell has to go into it or to make a file in it.
fn folders(hook: &Command<'_>, findings: &mut Vec<Finding>) {
    let commands = hook.commands();
    let name = |command: &Simple<'_>| command.words.first().map_or("", |word| word.raw).to_owned();
    let makes_one = |command: &Simple<'_>| !name(command).is_empty() && !MAKE_NO_FOLDER.contains(&&*name(command));
    let is_made = matches!(hook.form, Form::Shell(text, _) if text.contains("mkdir"));
    if is_made {
        return;
    }
    let path = |word: &Word<'_>, is_in_place: bool| {
        let path = PathBuf::from(word.value(hook.surroundings)?);
        let project = hook.surroundings.project.as_ref().filter(|_| is_in_place);
        if path.is_absolute() {
            Some(path)
        } else {
            Some(project?.join(path))
        }
    };
    for (number, command) in commands.iter().enumerate() {
        let is_last = commands[number..]
            .iter()
            .all(|command| ["&&", ""].contains(&command.operator));
        if commands[..number].iter().any(makes_one) {
            return;
        }
        if !command.is_certain || command.is_tolerated {
            continue;
        }
        let mut missing = None;
        for target in &command.targets {
            let parent = path(target, command.is_in_place).and_then(|path| Some(path.parent()?.to_owned()));
            if let Some(parent) = parent.filter(|parent| is_missing(parent)) {
                let message = format!("cannot create {}: Directory nonexistent", target.raw);
                missing = missing.or(Some((parent, message)));
            }
        }
        if let [cd, folder] = &command.words[..]
            && cd.raw == "cd"
            && command.operator == "&&"
            && let Some(folder) = path(folder, command.is_in_place).filter(|folder| is_missing(folder))
        {
            let message = format!("cd: can't cd to {}", folder.display());
            missing = missing.or(Some((folder, message)));
        }
        let Some((folder, message)) = missing else { continue };
        // bash exits with 1 there.
        let does = match hook.surroundings.is_dash() && !hook.handler.is_async() {
            true => hook.with_two("/bin/sh", is_last, message),
            false => hook.handler.never_runs(),
        };
        let what = format!("there is no folder `{}`", folder.display());
        findings.push(Finding::new(
            what,
            does,
            "make it, or write `mkdir -p` with its path in front of the command",
        ));
        return;
    }
}

/// Whether a file is plainly not there.
fn is_missing(path: &Path) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    fs::metadata(path).is_err_and(|err| matches!(err.kind(), NotFound | NotADirectory))
}

/// Whether a program is on the PATH; `None` where that is not known.
fn on_path(name: &str, surroundings: &Surroundings) -> Option<bool> {
    let path = surroundings.path.as_ref().filter(|_| cfg!(unix))?;
    Some(std::env::split_paths(path).any(|folder| {
        let metadata = fs::metadata(folder.join(name));
        metadata.is_ok_and(|metadata| metadata.is_file() && mode(&metadata) & 0o111 != 0)
    }))
}

#[cfg(unix)]
fn mode(metadata: &fs::Metadata) -> u32 {
    use std::os::unix::fs::MetadataExt;
    metadata.mode()
}

#[cfg(not(unix))]
fn mode(_metadata: &fs::Metadata) -> u32 {
    0o555
}

fn permissions(path: &Path, role: Role, never_runs: impl Fn() -> String, findings: &mut Vec<Finding>) {
    let Ok(metadata) = fs::metadata(path) else { return };
    let shown = path.display();
    if metadata.is_dir() {
        if role == Role::Program {
            let what = format!("`{shown}` is a folder");
            findings.push(Finding::new(what, never_runs(), "write the program's path"));
        }
        return;
    }
    if !metadata.is_file() {
        return;
    }
    if role == Role::Program && mode(&metadata) & 0o111 == 0 {
        let what = format!("`{shown}` is not executable");
        let mend = format!("run `chmod +x {}`", quoted(&shown.to_string()));
        findings.push(Finding::new(what, never_runs(), mend).fixed_by(Fix::MakeExecutable(path.to_owned())));
    } else if role == Role::Program && has_carriage_return(path) {
        let what = format!("the `#!` line of `{shown}` ends in a carriage return, which is part of the program's name");
        findings.push(Finding::new(what, never_runs(), "save it with the line ends of Unix"));
    }
    const FOR_ALL: u32 = 0o002;
    // In such a folder only a file's owner can put another in its place.
    const STICKY: u32 = 0o1000;
    let does = "whoever is on this machine can change what runs in your sessions";
    if mode(&metadata) & FOR_ALL != 0 {
        let what = format!("everybody may write to `{shown}`");
        let finding = Finding::new(what, does, format!("run `chmod o-w {}`", quoted(&shown.to_string())));
        findings.push(finding.fixed_by(Fix::Protect(path.to_owned())));
    }
    if let Some(folder) = path.parent()
        && let Ok(metadata) = fs::metadata(folder)
        && mode(&metadata) & FOR_ALL != 0
        && mode(&metadata) & STICKY == 0
    {
        let shown = folder.display();
        let what = format!("everybody may write to the folder `{shown}`");
        let finding = Finding::new(what, does, format!("run `chmod o-w {}`", quoted(&shown.to_string())));
        findings.push(finding.fixed_by(Fix::Protect(folder.to_owned())));
    }
}

fn has_carriage_return(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = bounded::open(path).and_then(|file| file.take(256).read_to_end(&mut start));
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    read.is_ok() && line.starts_with(b"#!") && line.ends_with(b"\r")
}

/// What exits with 1 to block, where 2 does.
fn exit_codes(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let Form::Shell(text, Some(line)) = &command.form else {
        return;
    };
    let handler = command.handler;
    let is_guard = matches!(handler.event.refusal, Refusal::Block | Refusal::Deny);
    let answers = ["deny", "block", "permissionDecision"]
        .iter()
        .any(|word| text.contains(word));
    if !is_guard || answers || handler.blocks_on_failure() || handler.is_async() {
        return;
    }
    let name = |command: &Simple<'_>| command.words.first().map_or("", |word| word.raw).to_owned();
    let code = |command: &Simple<'_>| match &command.words[..] {
        [exit, code] if exit.raw == "exit" => code.raw.parse::<u8>().ok(),
        _ => None,
    };
    if line.commands.iter().any(|command| code(command) == Some(2)) {
        return;
    }
    // What only ends where the line cannot go on is no guard.
    let steps = [
        ".", "cd", "command", "mkdir", "pushd", "read", "set", "source", "type", "which",
    ];
    let found = line.commands.windows(2).find_map(|pair| {
        let code = code(&pair[1]).filter(|code| *code != 0)?;
        let tests = ["-d", "-e", "-f", "-n", "-r", "-s", "-x", "-z"];
        let is_step = steps.contains(&&*name(&pair[0]))
            || pair[0].words.iter().any(|word| tests.contains(&word.raw))
                && ["[", "[[", "test"].contains(&&*name(&pair[0]));
        (!is_step).then_some(code)
    });
    if let Some(code) = found {
        findings.push(Finding::new(
            format!("`exit {code}` blocks nothing on {}", handler.event.name),
            "Claude Code takes it for a failure, and goes on",
            "if it is to block, write `exit 2`, and the reason to stderr",
        ));
    }
}

/// What prints an answer that is none, or one that nobody reads.
fn answers(hook: &Command<'_>, findings: &mut Vec<Finding>) {
    for command in hook.commands() {
        let Some((name, printed)) = command.words.split_first() else {
            continue;
        };
        if command.is_redirected || !["echo", "printf"].contains(&name.raw) {
            continue;
        }
        let Some(first) = printed.first() else { continue };
        let is_bare = first.raw.starts_with("{\"");
        let what = if is_bare {
            format!(
                "the shell takes the quotes off what `{}` prints, and it is no JSON then",
                name.raw
            )
        } else {
            let [text] = printed else { continue };
            let Some(text) = text.value(&Surroundings::default()) else {
                continue;
            };
            // Which escapes are for whom is another matter in each shell.
            let has_escapes = text.contains('\\') || name.raw == "printf" && text.contains('%');
            if !text.starts_with('{') || has_escapes {
                continue;
            }
            if let Ok(answer) = serde_json::from_str(&text) {
                findings.extend(unread(hook, &answer, &text));
                continue;
            }
            format!("what `{}` prints looks like JSON, and is none", name.raw)
        };
        let does = "Claude Code takes it for plain text, and decides nothing by it";
        findings.push(Finding::new(what, does, "write it in single quotes, as JSON"));
    }
}

/// An answer of which nothing has an effect on its event.
fn unread(hook: &Command<'_>, answer: &Value, text: &str) -> Option<Finding> {
    // Of a hook in the background there is another finding.
    if hook.handler.is_async() {
        return None;
    }
    let event = hook.handler.event;
    let verdict = Verdict::of(event, &Ran::exit(0).stdout(text));
    // What would not change anything if it were read is nothing to be told of.
    let is_idle = |what: &str| match what {
        "`decision`" => answer["decision"] == "approve",
        what => ["`suppressOutput`", "`permissionDecisionReason`"].contains(&what),
    };
    let dropped = verdict.dropped.iter().find(|dropped| !is_idle(&dropped.what))?;
    let is_whole = dropped.what == "stdout";
    let has_effect = verdict.action != Action::GoesOn
        || verdict.ends_turn
        || !verdict.model_reads.is_empty()
        || !verdict.effects.is_empty()
        || !verdict.user_sees.is_empty() && !is_whole;
    if has_effect {
        return None;
    }
    let part = if is_whole { "the answer" } else { &dropped.what };
    Some(Finding::new(
        format!(
            "nothing reads {part} that this prints on {}: {}",
            event.name, dropped.why
        ),
        "Claude Code goes on as if the hook had printed nothing",
        "take it out, or print an answer of this event",
    ))
}

/// What blocks without end, or when nobody listens any more.
fn blocks(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let handler = command.handler;
    let event = handler.event.name;
    let is_stop = event == "Stop" || event == "SubagentStop";
    let is_plain_async = super::is_true(handler.fields, "async") && !super::is_true(handler.fields, "asyncRewake");
    let is_deaf = is_plain_async && handler.event.may_be_async() && handler.event.refusal != Refusal::Impossible;
    if !is_stop && !is_deaf {
        return;
    }
    let Some(texts) = command.texts() else { return };
    if is_deaf {
        if texts.iter().any(|text| blocks_by(text) || denies(text)) {
            findings.push(Finding::new(
                "the hook decides something, and is `async`",
                "Claude Code goes on before it has decided",
                "take `async` out",
            ));
        }
        return;
    }
    let asks = ["stop_hook_active", "stopHookActive"];
    if texts.iter().any(|text| asks.iter().any(|asks| text.contains(asks))) || !texts.iter().any(|text| blocks_by(text))
    {
        return;
    }
    // Seen: eight blocks in a row are heeded, and the ninth is not.
    findings.push(Finding::new(
        format!("the hook blocks on {event}, and never looks at `stop_hook_active`"),
        "Claude goes on each time it wants to end, for as long as the hook has a reason, until Claude Code ends the turn at the ninth time",
        "have it read the JSON on stdin, and say nothing where `stop_hook_active` is true there",
    ));
}

fn denies(text: &str) -> bool {
    text.contains("permissionDecision") && is_quoted(text, "deny")
}

/// Whether a program's text blocks, as far as words tell: by its answer or by its exit code.
fn blocks_by(text: &str) -> bool {
    if text.contains("decision") && is_quoted(text, "block") {
        return true;
    }
    ["exit 2", "exit(2", "exitCode = 2", "process::exit(2"]
        .iter()
        .any(|exit| {
            text.match_indices(exit).any(|(at, exit)| {
                let (before, behind) = (&text[..at], &text[at + exit.len()..]);
                !behind.starts_with(|char: char| char.is_ascii_digit())
                    && !before.ends_with(|char: char| char.is_alphanumeric())
            })
        })
}

/// Whether a word stands in quotes of any kind.
fn is_quoted(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, word)| {
        text[..at].ends_with(['"', '\'', '`']) && text[at + word.len()..].starts_with(['"', '\'', '`', '\\'])
    })
}

#[cfg(all(test, unix))]
mod tests;
