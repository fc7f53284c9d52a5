//! Which shell commands change nothing.

mod git;
mod programs;

use hookkit::prelude::*;
use hookkit::shell::{self, Command, ExpansionKind, Part, Redirection, RedirectionOperator, Word};

/// Lets shell commands run without a question that provably change nothing, and look only at the project.
///
/// Most of what a model runs is `ls`, `git log` and `grep`, and who is asked about each of them stops to read the
/// questions.
/// A line is let through if each command that it could run ([`hookkit::shell`]) is on the list, with options that make
/// it neither write nor start anything: what looks at files and texts (`cat`, `head`, `ls`, `wc`, `grep`, `rg`, `jq`,
/// `diff`, `sort` …), `find` with tests alone, `sed -n '1,20p'`, and git's commands that look (`status`, `log`, `diff`,
/// `show`, `blame`, `branch --list` …).
///
/// It has no opinion on all else, and the user is asked as without it:
///
/// - what cannot be analysed, and programs that are not on the list, also with a path before their names;
/// - redirections into files, but for `/dev/null`;
/// - files outside the project, and hidden ones, as `.env` and `.git/config` are, by whatever link;
/// - what only the shell knows: variables, and what a substitution gives but to `echo`; and assignments of variables
///   whose names have capitals;
/// - git in another folder, and with settings of its own.
///
/// The settings stay above it: what a rule denies is denied, and what a rule asks about is asked (client 2.1.330).
/// A hook that refuses wins over it, too.
///
/// # What it cannot see
///
/// - What a name means in the user's shell: an alias or a function `ls`, another `grep` in `PATH`.
/// - What the repository's own settings have git run: a file system monitor, a filter, a program that shows differences.
/// - What a pattern or a recursion finds (`cat src/*`, `grep -r`): hidden files, and links that lead elsewhere.
/// - How much a command reads, and whether it ends: `tail -f`, `cat /dev/zero` is outside the project.
///
/// # Errors
///
/// Where it cannot be told where a path leads: there it has no opinion.
#[hook(PreToolUse, timeout = 5, on_failure = continue)]
pub fn approve_read_only(call: PreToolUse<tool::Bash>, context: Context) -> Result<PreToolUseAnswer, Error> {
    let script = shell::analyse(&call.input.command);
    let Ok(commands) = script.all_commands() else {
        return Ok(PreToolUseAnswer::pass());
    };
    let mut is_certain = !commands.is_empty() && git::stays(commands);
    for command in commands {
        is_certain = is_certain && looks_only(command, &context)?;
    }
    Ok(if is_certain {
        PreToolUseAnswer::allow()
    } else {
        PreToolUseAnswer::pass()
    })
}

fn looks_only(command: &Command, context: &Context) -> Result<bool, Error> {
    for redirection in &command.redirections {
        if !is_harmless(redirection, context)? {
            return Ok(false);
        }
    }
    // A variable that a program goes by is written in capitals.
    let is_local = |name: &str| {
        name.bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    if !command.assignments.iter().all(|assignment| is_local(&assignment.name)) {
        return Ok(false);
    }
    if command.words.is_empty() {
        return Ok(true);
    }
    if !command.assignments.is_empty() || !programs::looks_only(command) {
        return Ok(false);
    }
    if programs::only_prints(command) {
        return Ok(command.arguments().iter().all(is_printable));
    }
    let pattern = programs::pattern(command);
    for (index, word) in command.arguments().iter().enumerate() {
        if !is_known(word) || Some(index) != pattern && !is_in_project(word, context)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_harmless(redirection: &Redirection, context: &Context) -> Result<bool, Error> {
    use RedirectionOperator as Operator;
    let target = redirection.target.literal();
    Ok(match redirection.operator {
        Operator::HereDocument | Operator::HereString => true,
        Operator::DuplicateInput | Operator::DuplicateOutput => {
            target.is_some_and(|target| target == "-" || target.bytes().all(|byte| byte.is_ascii_digit()))
        }
        Operator::Input => target.is_some() && is_in_project(&redirection.target, context)?,
        _ => target == Some("/dev/null"),
    })
}

/// Whether nothing in it is expanded but patterns of file names, which give no options.
fn is_known(word: &Word) -> bool {
    let is_pattern = |part: &Part| match part {
        Part::Literal(_) => true,
        Part::Expansion(expansion) => expansion.kind == ExpansionKind::Glob,
    };
    // `*` may find a file whose name is an option.
    word.parts.iter().all(is_pattern) && (word.literal().is_some() || !word.known_start().is_empty())
}

/// What a substitution prints has been looked at as a command of its own.
fn is_printable(word: &Word) -> bool {
    word.parts.iter().all(|part| match part {
        Part::Literal(_) => true,
        Part::Expansion(expansion) => matches!(
            expansion.kind,
            ExpansionKind::Command | ExpansionKind::Arithmetic | ExpansionKind::Brace
        ),
    })
}

/// Whether no part of a word names a file outside the project, or a hidden one.
fn is_in_project(word: &Word, context: &Context) -> Result<bool, Error> {
    let text = word.to_string();
    // `-f.env` is an option with a file behind its letter.
    let text = match text.strip_prefix('-') {
        Some(option) => option.get(1..).unwrap_or_default(),
        None => &text,
    };
    for part in text.split(['=', ':', ',']).filter(|part| !part.is_empty()) {
        if part.starts_with('~') {
            return Ok(false);
        }
        let path = context.path(part)?;
        let is_hidden = |name: String| name.split('/').any(|name| name.len() > 1 && name.starts_with('.'));
        if path.relative.is_none() || path.relative_names().any(is_hidden) {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod list;
