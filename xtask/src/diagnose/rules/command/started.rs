//! Rules for the programs that a hook's line starts: scripts, and texts of options such as `-c`.
//!
//! They are read line by line, and reported where the meaning of a line is clear.

use std::io::Read;
use std::path::Path;

use hookkit_protocol::event::Denial;
use hookkit_shell::{RedirectionOperator, Via, analyze};

use super::literal;
use super::outcome::{blocks_by, printed, unread};
use super::{Command, End, Form, Role, SHELLS, TEXT_LIMIT, called, check, values};
use crate::diagnose::finding::{Finding, Surroundings};
use crate::diagnose::rules::command::check::{never_set, sets, shell_variables};
use crate::diagnose::rules::shell;
use crate::disk::bounded;
use crate::settings::code::Code;

/// The words of a language that the rules look for.
struct Language {
    /// Programs that read it, without their version.
    programs: &'static [&'static str],
    /// Ends of the names of its files.
    extensions: &'static [&'static str],
    /// Options that a program's text follows: a letter, and a word.
    options: (char, &'static str),
    /// Parts of a line that writes to stderr.
    stderr: &'static [&'static str],
    /// Parts of a line that ends with 1 and prints a text.
    messages: &'static [&'static str],
    /// Texts before the name of a variable of the environment.
    variable: &'static [&'static str],
    /// Parts of a program that gets its input elsewhere.
    input: &'static [&'static str],
    /// Parts of a line that reads from a terminal.
    terminal: &'static [&'static str],
    /// Texts before an answer that is printed.
    prints: &'static [&'static str],
}

static LANGUAGES: [Language; 4] = [
    Language {
        programs: SHELLS,
        extensions: &[".sh", ".bash", ".zsh"],
        options: ('c', "--command"),
        stderr: &[">&2", "> &2", "/dev/stderr"],
        messages: &[],
        variable: &[],
        input: &[
            "cat", "jq", "read ", "stdin", "/dev/fd/0", "$1", "$@", "$*", "python", "node",
        ],
        terminal: &["</dev/tty", "< /dev/tty", "read -p", "read -rp", "read -r -p"],
        prints: &[],
    },
    Language {
        programs: &["python", "uv"],
        extensions: &[".py"],
        options: ('c', "--command"),
        stderr: &["sys.stderr", "file=stderr"],
        messages: &[
            "exit(\"", "exit('", "exit(f\"", "exit(f'", "Exit(\"", "Exit('", "Exit(f\"", "Exit(f'",
        ],
        variable: &["environ[", "environ.get(", "getenv("],
        input: &["stdin", "argv", "input(", "argparse"],
        terminal: &[
            "open(\"/dev/tty\")", "open('/dev/tty')", "input(\"", "input('", "input(f\"", "getpass(",
        ],
        prints: &["print(json.dumps(", "stdout.write(json.dumps(", "json.dump("],
    },
    Language {
        programs: &["node", "nodejs", "bun", "deno", "tsx", "ts-node"],
        extensions: &[".js", ".mjs", ".cjs", ".ts", ".mts"],
        options: ('e', "--eval"),
        stderr: &["console.error(", "console.warn(", "stderr.write("],
        messages: &[],
        variable: &["env.", "env["],
        input: &["stdin", "argv", "readFileSync(0", "/dev/fd/0"],
        terminal: &["readFileSync(\"/dev/tty\"", "readFileSync('/dev/tty'"],
        prints: &["console.log(JSON.stringify(", "stdout.write(JSON.stringify("],
    },
    Language {
        programs: &["ruby"],
        extensions: &[".rb"],
        options: ('e', "--eval"),
        stderr: &["warn ", "warn(", "$stderr", "STDERR"],
        messages: &["abort ", "abort("],
        variable: &["ENV[", "ENV.fetch("],
        input: &["STDIN", "$stdin", "ARGV", "ARGF", "gets", "$<"],
        terminal: &["open(\"/dev/tty\")", "open('/dev/tty')"],
        prints: &["puts JSON.generate(", "puts(JSON.generate("],
    },
];

/// A program that a line starts.
struct Started {
    language: &'static Language,
    /// Interpreter, or the script itself.
    program: String,
    text: String,
    /// Name of its file; `None` if the text is in the line.
    file: Option<String>,
    end: End,
    /// `true` if it runs in any case, in the folder of the line.
    is_plain: bool,
}

/// Checks the programs that a command starts.
pub(super) fn check(command: &Command<'_>, findings: &mut Vec<Finding>) {
    let is_shell = |started: &Started| std::ptr::eq(started.language, &LANGUAGES[0]);
    for started in started(command) {
        if started.file.is_none() && is_shell(&started) {
            started.line(command, findings);
        } else {
            findings.extend(started.exit_code(command));
        }
        findings.extend(started.variable(command));
        findings.extend(started.terminal());
        findings.extend(started.answer(command));
    }
}

/// Returns the programs of a command whose texts are known.
fn started(command: &Command<'_>) -> Vec<Started> {
    let mut all = Vec::new();
    for call in command.calls().into_iter().filter(|call| call.is_certain) {
        let Some(path) = command.path(&call) else { continue };
        let Some(text) = text_of(&path) else { continue };
        let language = match call.role {
            Role::Script => of_program(&call.program),
            // `#!/usr/bin/env python3`
            Role::Program => text
                .lines()
                .next()
                .and_then(|line| of_program(line.rsplit([' ', '/']).next()?)),
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_named = |language: &&Language| language.extensions.iter().any(|extension| name.ends_with(extension));
        let Some(language) = language.or_else(|| LANGUAGES.iter().find(is_named)) else {
            continue;
        };
        let (program, end) = (call.program, call.end);
        all.push(Started {
            language,
            program,
            text,
            file: Some(name),
            end,
            is_plain: true,
        });
    }
    let mut inline = |values: &[Option<String>], text: &dyn Fn(usize) -> String, end, is_plain| {
        let (at, _, program) = called(values).into_iter().next()?;
        let language = of_program(&program)?;
        let at = text_after(language, values, at + 1)?;
        // A login shell has other surroundings.
        let is_plain = is_plain
            && !values[at - 1]
                .as_deref()
                .is_some_and(|option| option.contains(['l', 'i']));
        let text = values[at].clone().unwrap_or_else(|| text(at));
        all.push(Started {
            language,
            program,
            text,
            file: None,
            end,
            is_plain,
        });
        Some(())
    };
    if let Form::Exec(words) = &command.form {
        inline(
            &command.exec_values(words),
            &|at| words[at].to_owned(),
            End::Decides,
            true,
        );
    }
    let ends = super::ends(command.commands());
    for (number, simple) in command.commands().iter().enumerate() {
        let values = values(simple, command.surroundings);
        let is_plain = simple.is_certain && simple.is_in_place;
        inline(&values, &|at| simple.words[at].text(), ends[number], is_plain);
    }
    all
}

fn of_program(name: &str) -> Option<&'static Language> {
    let plain = name.trim_end_matches(|char: char| char.is_ascii_digit() || char == '.');
    LANGUAGES.iter().find(|language| language.programs.contains(&plain))
}

/// Returns the position of the text that a program is given by an option.
fn text_after(language: &Language, values: &[Option<String>], from: usize) -> Option<usize> {
    let (letter, word) = language.options;
    for at in from..values.len() {
        let option = values[at].as_deref()?.strip_prefix('-')?;
        if option == &word[1..] || !option.starts_with('-') && option.ends_with(letter) {
            return (at + 1 < values.len()).then_some(at + 1);
        }
    }
    None
}

/// Returns the text of a file, if it is one and not too long.
fn text_of(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    bounded::open(path)
        .ok()?
        .take(TEXT_LIMIT + 1)
        .read_to_end(&mut bytes)
        .ok()?;
    let text = String::from_utf8(bytes).ok()?;
    (u64::try_from(text.len()).ok()? <= TEXT_LIMIT).then_some(text)
}

/// Conditions about the surroundings, and texts about a hook that cannot work: an exit code that is not for blocking.
const FAILURES: &[&str] = &[
    "[ -", "[ ! -", "test -", "$#", "$?", "argv", "cannot", "can't", "command -v", "empty", "error", "exists",
    "install", "invalid", "is none", "is_file", "isfile", "missing", "no such", "not data", "not found", "null",
    "parse", "required", "unable", "undefined", "unknown", "usage", "which ",
];

/// Words of a text that says that something is blocked.
const BLOCKS: &[&str] = &[
    "block", "denied", "deny", "disallow", "forbid", "must not", "not allowed", "prohibit", "refus", "reject",
];

/// Parts of a condition about the input.
const TESTS: &[&str] = &[
    "*)", " = ", " =~ ", "==", " in ", "case ", "grep", "include?", "includes(", "match", "search(", "startswith(",
    "startswith?", "start_with?", "test(",
];

impl Started {
    /// Returns the place of a line in it.
    fn place(&self, line: usize) -> String {
        match &self.file {
            Some(file) => format!(" in line {} of `{file}`", line + 1),
            None => format!(" in the text for `{}`", self.program),
        }
    }

    /// Returns its lines without comments.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_comment = |line: &str| line.starts_with('#') || line.starts_with("//");
        let lines = self.text.lines().enumerate();
        lines.filter(move |(_, line)| !line.trim().is_empty() && !is_comment(line.trim_start()))
    }

    fn has(&self, words: &[&str]) -> bool {
        self.lines()
            .any(|(_, line)| words.iter().any(|word| line.contains(word)))
    }

    /// Checks the line of a shell within the line.
    fn line(&self, command: &Command<'_>, findings: &mut Vec<Finding>) {
        let surroundings = Surroundings {
            shell: command.surroundings.shell.clone().filter(|_| self.program == "sh"),
            ..command.surroundings.clone()
        };
        let inner = Command {
            handler: command.handler,
            surroundings: &surroundings,
            form: Form::Shell(
                &self.text,
                shell::read(&self.text).filter(|_| self.is_plain && self.end == End::Decides),
            ),
        };
        let mut found = Vec::new();
        check::line(&inner, &mut found);
        // An edit would be one of the inner line.
        findings.extend(found.into_iter().map(|finding| Finding { edit: None, ..finding }));
    }

    /// Returns the finding for a program that ends with 1 where it says that it blocks.
    fn exit_code(&self, command: &Command<'_>) -> Option<Finding> {
        let handler = command.handler;
        let is_guard = matches!(handler.event.denial, Denial::Block | Denial::Deny);
        let may_block = blocks_by(&self.text) || self.has(&["permissionDecision", "return 2", "= 2", "=2", "(2)"]);
        if !is_guard || may_block || handler.blocks_on_failure() || handler.is_async() || self.end != End::Decides {
            return None;
        }
        let lines: Vec<(usize, &str)> = self.lines().collect();
        let found =
            (0..lines.len()).find_map(|at| Some((lines[at].0, self.refuses(&lines[..=at], at + 1 == lines.len())?)));
        let (line, statement) = found?;
        Some(Finding::new(
            Code::ExitCodeDoesNotBlock,
            format!(
                "`{statement}`{} does not block on {}",
                self.place(line),
                handler.event.name
            ),
            "Claude Code treats it as a failure, and goes ahead",
            "to block, end with 2, and write the reason to stderr",
        ))
    }

    /// Returns the statement with which the last of these lines ends the program after it has printed why it blocks.
    fn refuses<'t>(&self, lines: &[(usize, &'t str)], is_last: bool) -> Option<&'t str> {
        let (&(_, own), before) = lines.split_last()?;
        let has = |text: &str, words: &[&str]| words.iter().any(|word| text.contains(word));
        let message = self.language.messages.iter().find_map(|word| own.find(word));
        let message = message.map(|at| {
            &own[own[..at]
                .trim_end_matches(|char: char| char.is_alphanumeric() || char == '.')
                .len()..]
        });
        let statement = exit(own).or(message)?;
        let depth = |line: &str| line.len() - line.trim_start().len();
        let mut before = before.iter().rev().map(|(_, line)| *line).peekable();
        let mut says = own.to_owned();
        for _ in 0..4 {
            let Some(line) = before.next_if(|line| depth(line) >= depth(own)) else {
                break;
            };
            says = format!("{line}\n{says}");
        }
        let around = before.find(|line| depth(line) < depth(own)).unwrap_or_default();
        let all = format!("{around}\n{says}");
        if message.is_none() && !has(&all, self.language.stderr) {
            return None;
        }
        // `console.error` is not about an error.
        let all = self.language.stderr.iter().fold(all, |all, word| all.replace(word, "")).to_lowercase();
        let condition = format!("{around}\n{own}").to_lowercase();
        if has(around, &["except", "catch", "rescue"]) {
            return None;
        }
        let is_meant = has(&all, BLOCKS)
            || !has(&all, FAILURES)
                && (has(&condition, TESTS) || is_last && around.is_empty() && !has(own, &["&&", "||", "if "]));
        is_meant.then_some(statement)
    }

    /// Returns the finding for a program that takes its input from a variable that is not set.
    fn variable(&self, command: &Command<'_>) -> Option<Finding> {
        if self.has(self.language.input) {
            return None;
        }
        let event = Some(command.handler.event.name);
        let is_unset = |name: &str| command.surroundings.is_unset(name, event) && !sets(&self.text, name);
        let of_shell = self.language.variable.is_empty();
        // The variables of an inner line were looked for with the whole line.
        if of_shell && self.file.is_none() && matches!(command.form, Form::Shell(..)) {
            return None;
        }
        let (line, name) = self.lines().find_map(|(number, line)| {
            let names = match of_shell {
                true => shell_variables(line),
                false => self
                    .language
                    .variable
                    .iter()
                    .flat_map(|start| line.split(start).skip(1))
                    .map(name)
                    .collect(),
            };
            Some((number, names.into_iter().find(|name| is_unset(name))?))
        })?;
        let does = "it is empty, so the program checks nothing".to_owned();
        Some(never_set(name, &self.place(line), does))
    }

    /// Returns the finding for a program that asks the user.
    fn terminal(&self) -> Option<Finding> {
        if self.has(&["[ -t", "isatty", "isTTY", "tty?"]) {
            return None;
        }
        let asks = |line: &str| {
            self.language
                .terminal
                .iter()
                .find(|word| line.contains(**word))
                .copied()
        };
        let (line, word) = self.lines().find_map(|(number, line)| Some((number, asks(line)?)))?;
        Some(Finding::new(
            Code::NoTerminal,
            format!(
                "`{word}`{} asks where nobody can answer: a hook has no terminal",
                self.place(line)
            ),
            "it fails, or reads the hook's JSON as the answer",
            "remove the question; on PreToolUse, print `\"permissionDecision\": \"ask\"` instead",
        ))
    }

    /// Returns the finding for an answer that the program prints, and that has no effect.
    fn answer(&self, command: &Command<'_>) -> Option<Finding> {
        // One that knows its event prints several answers.
        let is_of_one = |event: &&str| *event == command.handler.event.name || !self.text.contains(*event);
        if self.has(&["hook_event_name"])
            || !hookkit_protocol::event::EVENTS
                .iter()
                .map(|event| event.name)
                .all(|event| is_of_one(&event))
        {
            return None;
        }
        let answers = match self.language.prints {
            [] => {
                let script = analyze(&self.text);
                script.commands().iter().filter_map(of_shell).collect()
            }
            prints => literal::printed(&self.text, prints),
        };
        answers
            .iter()
            .find_map(|answer| unread(command, answer, &answer.to_string()))
    }
}

/// Returns the answer that a command of a shell prints, if it is written there.
fn of_shell(command: &hookkit_shell::Command) -> Option<serde_json::Value> {
    use RedirectionOperator as Op;
    let is_elsewhere = |via: &Via| !matches!(via, Via::Subshell | Via::Loop | Via::Function(_));
    let is_input = |operator| matches!(operator, Op::HereDocument | Op::HereString);
    if command.via.iter().any(is_elsewhere)
        || command
            .redirections
            .iter()
            .any(|redirection| !is_input(redirection.operator))
    {
        return None;
    }
    let words: Vec<String> = command.arguments().iter().map(ToString::to_string).collect();
    match command.program()? {
        "cat" => serde_json::from_str(&command.redirections.first()?.target.to_string()).ok(),
        "jq" if words
            .iter()
            .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('n')) =>
        {
            literal::read(words.last()?.trim())
        }
        name => serde_json::from_str(printed(name, &words)?).ok(),
    }
}

/// Returns the statement of a line that ends the program with a code other than 0 and 2.
fn exit(line: &str) -> Option<&str> {
    line.match_indices("xit").find_map(|(at, _)| {
        let is_part = |char: char| char.is_alphanumeric() || "._:".contains(char);
        let start = line[..at].trim_end_matches(is_part).len();
        let after = line[at + 3..].strip_prefix("Code =").unwrap_or(&line[at + 3..]);
        let after = after.strip_prefix('!').unwrap_or(after);
        let code = after.strip_prefix([' ', '('])?;
        let digits = code.len() - code.trim_start_matches(|char: char| char.is_ascii_digit()).len();
        let is_wrong = digits > 0 && !["0", "2"].contains(&&code[..digits]);
        let end = line.len() - code.len() + digits;
        is_wrong.then(|| &line[start..end + usize::from(line[end..].starts_with(')'))])
    })
}

/// Returns the name in quotes, or without, that a text begins with.
fn name(text: &str) -> &str {
    let text = text.trim_start_matches(['"', '\'']);
    let rest = text.trim_start_matches(|char: char| char.is_ascii_alphanumeric() || char == '_');
    &text[..text.len() - rest.len()]
}
