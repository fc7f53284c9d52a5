//! Rules for the programs that a hook's line starts: scripts, and inline code in options such as `-c`.
//!
//! Programs are read line by line. A line is reported only if its meaning is clear.

use std::path::{Path, PathBuf};

use hookkit_protocol::event::{EVENTS, Event, MatcherTarget};
use hookkit_shell::{Via, analyze};

use super::check::{self, shell_variables};
use super::dash::not_in_dash;
use super::language::{LANGUAGES, Language, exit, has, is_failure, shared};
use super::outcome::{self, blocks_by, printed, unread};
use super::{Call, Command, Form, Role, TEXT_LIMIT, called, literal, text_of, values};
use crate::diagnose::rules::shell::{self, End, Folder};
use crate::diagnose::surroundings::Surroundings;
use crate::settings::code::commands;
use crate::settings::finding::Finding;
use crate::terminal::joined;

/// A program started by a line.
struct Started {
    language: &'static Language,
    /// The program that runs the file, if it is dash.
    dash: Option<PathBuf>,
    text: String,
    /// Name of the file, or of the program that receives the code from the line.
    name: String,
    /// Folder of the file. `None` if the code is in the line.
    folder: Option<PathBuf>,
    /// Effect of the program's exit code. It decides for the line only if the program certainly runs.
    end: End,
}

/// Checks the programs that a command starts.
pub(crate) fn check(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let all = started(command);
    let has_modules = all.iter().any(Started::has_modules);
    findings.extend(outcome::blocks(command, has_modules));
    if !has_modules {
        let code = |started: &Started| joined(started.lines().map(|(_, line)| line), "\n");
        let texts: Vec<String> = [command.inline()].into_iter().chain(all.iter().map(code)).collect();
        findings.extend(input_fields(command.handler.event, &texts));
    }
    for started in all {
        if started.folder.is_none() && started.is_shell() {
            started.line(command, findings);
        } else {
            findings.extend(started.exit_code(command));
        }
        findings.extend(started.of_bash());
        findings.extend(started.variable(command));
        findings.extend(started.terminal());
        findings.extend(started.answer(command));
    }
}

/// Returns the programs in a command whose text can be read.
fn started(command: &Command<'_>) -> Vec<Started> {
    let mut all = Vec::new();
    for call in command.calls().into_iter().filter(|call| call.is_certain) {
        let Some(path) = command.path(&call) else { continue };
        let Some(text) = text_of(&path).filter(|text| text.len() <= TEXT_LIMIT) else {
            continue;
        };
        let first = text.lines().next().filter(|line| line.starts_with("#!"));
        let program = match call.role {
            Role::Script => &call.program,
            // `#!/usr/bin/env python3`
            Role::Program => first.and_then(|line| line.rsplit([' ', '/']).next()).unwrap_or_default(),
        };
        let dash = command.surroundings.dash().filter(|_| ["sh", "dash"].contains(&program));
        let language = Language::read_by(program);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_named = |language: &&Language| language.of("extensions").iter().any(|end| name.ends_with(end));
        if let Some(language) = language.or_else(|| LANGUAGES.iter().find(is_named)) {
            all.push(Started {
                language,
                dash: dash.map(Path::to_owned),
                text,
                name,
                folder: path.parent().map(Path::to_owned),
                end: call.end,
            });
        }
    }
    let inline = |values: &[Option<String>], text: &dyn Fn(usize) -> String, end| {
        let Call { at, program: name, .. } = called(values).into_iter().next()?;
        let language = Language::read_by(&name)?;
        let at = text_after(language, values, at + 1)?;
        // A login shell has a different environment.
        let is_login = values[at - 1].as_deref()?.contains(['l', 'i']);
        Some(Started {
            language,
            dash: None,
            text: values[at].clone().unwrap_or_else(|| text(at)),
            name,
            folder: None,
            end: if is_login { End::Rest } else { end },
        })
    };
    if let Form::Exec(words) = &command.form {
        let values = command.exec_values(words);
        all.extend(inline(&values, &|at| words[at].to_owned(), End::Decides));
    }
    all.extend(command.commands().iter().filter_map(|simple| {
        let is_plain = simple.is_certain && simple.folder != Folder::Other;
        let end = if is_plain { simple.end } else { End::Rest };
        let values = values(simple, command.surroundings);
        inline(&values, &|at| simple.words[at].text(), end)
    }));
    all
}

/// Returns the position of the code that an option passes to a program.
fn text_after(language: &Language, values: &[Option<String>], from: usize) -> Option<usize> {
    for at in from..values.len() {
        let option = values[at].as_deref().filter(|option| option.starts_with('-'))?;
        let is_it = |known: &&str| option == *known || !option.starts_with("--") && option.ends_with(&known[1..]);
        if language.of("options").iter().any(is_it) {
            return (at + 1 < values.len()).then_some(at + 1);
        }
    }
    None
}

impl Started {
    /// Describes the position of a line in the program.
    fn place(&self, line: usize) -> String {
        match self.folder {
            Some(_) => format!(" in line {} of `{}`", line + 1, self.name),
            None => format!(" in the text for `{}`", self.name),
        }
    }

    /// Returns the program's lines, without comments.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_comment = |line: &str| line.starts_with('#') || line.starts_with("//");
        let lines = self.text.lines().enumerate();
        lines.filter(move |(_, line)| !line.trim().is_empty() && !is_comment(line.trim_start()))
    }

    fn has(&self, words: &[&str]) -> bool {
        self.lines().any(|(_, line)| has(line, words))
    }

    /// Returns `true` if a line of Python imports a module from the program's folder, which may read the input.
    fn has_module(&self, line: &str) -> bool {
        let mut words = line.split([' ', '.', ',']);
        let is_import = words.next().is_some_and(|word| ["from", "import"].contains(&word));
        let module = words.next().filter(|_| is_import).zip(self.folder.as_ref());
        module.is_some_and(|(name, folder)| folder.join(name).is_dir() || folder.join(format!("{name}.py")).is_file())
    }

    /// Returns `true` if the program imports a module from its folder.
    fn has_modules(&self) -> bool {
        self.lines().any(|(_, line)| self.has_module(line))
    }

    fn is_shell(&self) -> bool {
        self.language.of("options").contains(&"-c") && self.language.of("prints").is_empty()
    }

    /// Checks a nested script in the line.
    fn line(&self, command: &Command<'_>, findings: &mut Vec<Finding>) {
        let surroundings = Surroundings {
            shell: command.surroundings.shell.clone().filter(|_| self.name == "sh"),
            ..command.surroundings.clone()
        };
        let inner = Command {
            handler: command.handler,
            surroundings: &surroundings,
            form: Form::Shell(&self.text, shell::read(&self.text).filter(|_| self.end == End::Decides)),
        };
        let mut found = Vec::new();
        check::variables(&inner, &mut found);
        check::line(&inner, &mut found);
        // The edit would apply to the nested line.
        findings.extend(found.into_iter().map(|finding| Finding { edit: None, ..finding }));
    }

    /// Returns the finding about a program that is meant to block but exits with 1.
    fn exit_code(&self, command: &Command<'_>) -> Option<Finding> {
        let handler = command.handler;
        let may_block = blocks_by(&self.text) || self.has(&["permissionDecision", "return 2", "= 2", "=2", "(2)"]);
        if may_block || !handler.is_lost_by_failure() || self.end != End::Decides {
            return None;
        }
        let lines: Vec<(usize, &str)> = self.lines().collect();
        let found =
            (0..lines.len()).find_map(|at| Some((lines[at].0, self.refuses(&lines[..=at], at + 1 == lines.len())?)));
        let (line, statement) = found?;
        Some(commands::statement_does_not_block(statement, self.place(line), handler.event.name))
    }

    /// Returns the statement in the last of these lines that exits the program, after a line that prints the reason for
    /// blocking.
    fn refuses<'t>(&self, lines: &[(usize, &'t str)], is_last: bool) -> Option<&'t str> {
        let (&(_, own), mut before) = lines.split_last()?;
        let message = self.language.of("messages").iter().find_map(|word| own.find(word));
        let is_part = |char: char| char.is_alphanumeric() || char == '.';
        let message = message.map(|at| &own[own[..at].trim_end_matches(is_part).len()..]);
        let returned = Some("return 1").filter(|code| own.trim() == *code && self.text.contains("exit(main("));
        let statement = exit(own).or(message).or(returned)?;
        let depth = |line: &str| line.len() - line.trim_start().len();
        let mut says = own.to_owned();
        // The text of a here-document counts as part of its first line.
        if let Some((_, end)) = before.last()
            && end.chars().all(|char| char.is_ascii_uppercase() || char == '_')
            && let Some(start) = before.iter().rposition(|(_, line)| line.contains("<<") && line.contains(end))
        {
            let text: Vec<&str> = before[start..].iter().map(|(_, line)| *line).collect();
            says = format!("{}\n{says}", text.join("\n"));
            before = &before[..start];
        }
        let mut before = before.iter().rev().map(|(_, line)| *line).peekable();
        for _ in 0..4 {
            let Some(line) = before.next_if(|line| depth(line) >= depth(own)) else {
                break;
            };
            says = format!("{line}\n{says}");
        }
        let around = before.find(|line| depth(line) < depth(own)).unwrap_or_default();
        let all = format!("{around}\n{says}");
        if message.is_none() && !has(&all, self.language.of("stderr")) {
            return None;
        }
        // `console.error` is not about an error.
        let stderr = self.language.of("stderr").iter();
        let all = stderr.fold(all, |all, word| all.replace(word, "")).to_lowercase();
        let condition = format!("{around}\n{own}").to_lowercase();
        if has(around, &["except", "catch", "rescue"]) {
            return None;
        }
        let is_meant = has(&all, shared("blocks"))
            || !is_failure(&all)
                && (has(&condition, shared("tests"))
                    || is_last && around.is_empty() && !has(own, &["&&", "||", "if "]));
        is_meant.then_some(statement)
    }

    /// Returns the finding about a program that reads its input from a variable that is not set.
    fn variable(&self, command: &Command<'_>) -> Option<Finding> {
        if self.has(self.language.of("input")) || self.has_modules() {
            return None;
        }
        let of_shell = self.is_shell();
        // In a nested line, all variables are looked for.
        if of_shell && self.folder.is_none() {
            return None;
        }
        let (line, name) = self.lines().find_map(|(number, line)| {
            let starts = self.language.of("variable").iter();
            let mut names = if of_shell {
                shell_variables(line)
            } else {
                starts.flat_map(|start| line.split(start).skip(1)).filter(|rest| !has_default(rest)).map(name).collect()
            };
            names.retain(|name| command.is_unset(name, &self.text));
            Some((number, *names.first()?))
        })?;
        let does =
            if blocks_by(&self.text) { "the program decides on an empty value" } else { "the program checks nothing" };
        Some(commands::variable_never_set(name, self.place(line), does))
    }

    /// Returns the finding about bash syntax in a script that dash runs.
    fn of_bash(&self) -> Option<Finding> {
        let (at, part, does) = not_in_dash(&self.text, self.dash.as_deref()?)?;
        let line = self.text[..at].matches('\n').count();
        Some(commands::bash_in_sh(part, self.place(line), does))
    }

    /// Returns the finding about a program that asks the user.
    fn terminal(&self) -> Option<Finding> {
        if self.has(&["[ -t", "isatty", "isTTY", "tty?"]) {
            return None;
        }
        let asks = self.language.of("terminal");
        let (line, word) = self.lines().find_map(|(number, line)| {
            let word = asks.iter().find(|word| line.contains(**word))?;
            Some((number, word))
        })?;
        Some(commands::no_terminal(word, self.place(line)))
    }

    /// Returns the finding about an answer without effect that the program prints.
    fn answer(&self, command: &Command<'_>) -> Option<Finding> {
        // A program that mentions several events prints several answers.
        let is_other = |event: &&Event| event.name != command.handler.event.name && self.text.contains(event.name);
        if self.has(&["hook_event_name"]) || EVENTS.iter().any(is_other) {
            return None;
        }
        let answers = match self.language.of("prints") {
            [] => {
                let analysis = analyze(&self.text);
                let commands = analysis.commands();
                let fails = |at: usize| {
                    let next = commands.get(at + 1).filter(|next| next.is("exit"));
                    next.is_some_and(|exit| exit.arguments().first().is_some_and(|code| !code.is("0")))
                };
                // If a program fails, its answer is not read.
                let read = commands.iter().enumerate().filter(|(at, _)| !fails(*at));
                read.filter_map(|(_, command)| of_shell(command)).collect()
            }
            prints => literal::printed(&self.text, prints),
        };
        answers.iter().find_map(|answer| unread(command, answer, &answer.to_string()))
    }
}

/// Returns the answer that a shell command prints, if it is literal.
fn of_shell(command: &hookkit_shell::Command) -> Option<serde_json::Value> {
    let is_elsewhere = |via: &Via| !matches!(via, Via::Subshell | Via::Loop | Via::Function(_));
    let has_text = command.redirections.iter().all(|redirection| redirection.operator.has_text());
    if command.via.iter().any(is_elsewhere) || !has_text {
        return None;
    }
    let words: Vec<String> = command.arguments().iter().map(ToString::to_string).collect();
    match command.program()? {
        "cat" => serde_json::from_str(&command.targets().next()?.to_string()).ok(),
        "jq" if words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('n')) => {
            literal::read(words.last()?.trim())
        }
        name => serde_json::from_str(printed(name, &words)?).ok(),
    }
}

/// Returns `true` if a missing variable has a default: its author expects it to be unset.
fn has_default(rest: &str) -> bool {
    let after = rest.trim_start_matches(['"', '\'']);
    let after = after[name(rest).len()..].trim_start_matches(['"', '\'', ']', ' ']);
    let default = [",", "??", "||"].iter().find_map(|before| after.strip_prefix(before)).map(str::trim_start);
    default.is_some_and(|default| {
        !["\"\"", "''", "None", "null", "undefined"].iter().any(|none| default.starts_with(none))
    })
}

/// Returns the name at the start of a text, with or without quotes.
fn name(text: &str) -> &str {
    shell::name(text.trim_start_matches(['"', '\'']))
}

/// Fields of tool inputs that no event has at the top level.
const OF_TOOLS: [&str; 7] = ["file_path", "notebook_path", "command", "content", "new_string", "old_string", "url"];

/// Substrings that show that a program parses its input as JSON.
const READERS: &[&str] = &["jq ", "json.load", "JSON.parse", "JSON.load", "decode_json"];

/// Finds a field of the tool input that one of the hook's texts reads from the top level of this event's JSON.
fn input_fields(event: &Event, texts: &[String]) -> Option<Finding> {
    if event.matcher_target != MatcherTarget::ToolName {
        return None;
    }
    // A program that mentions these may read a field in two steps.
    let knows = ["tool_input", "tool_response", "toolInput"];
    if texts.iter().any(|text| has(text, &knows)) {
        return None;
    }
    let readers = texts.iter().filter(|text| has(text, READERS));
    let name = readers.flat_map(|text| OF_TOOLS.into_iter().filter(|name| is_read(text, name))).next()?;
    Some(commands::field_elsewhere(name))
}

/// Returns `true` if a program reads this field of an object, as `jq '.name'`, `["name"]` or `get("name")`.
fn is_read(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, name)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let is_whole = !after.starts_with(|char: char| char.is_alphanumeric() || char == '_');
        let of_jq = before.strip_suffix('.').filter(|_| text.contains("jq "));
        let quoted = before.strip_suffix(['\'', '"']).unwrap_or_default();
        let is_index = after.starts_with(['\'', '"']) && after[1..].starts_with(']');
        is_whole
            && (of_jq.is_some_and(|rest| rest.ends_with(['\'', '"', ' ', '(']))
                || quoted.ends_with("get(")
                || quoted.ends_with('[') && is_index)
    })
}
