//! Files that the words of a command name, each with the command's effect on it.
//!
//! A program without a row in the table counts as a reader of every file that its words name.

mod git;
mod quiet;

use self::git::of_git;
pub(crate) use self::quiet::fits_names;
use crate::effects::changes::{of_sed, targets, writes};
use crate::effects::programs::{LAUNCHERS, program_name, takes_script};
use crate::prelude::*;
use crate::words::long;

/// A file's name in a command.
pub(crate) struct Mention {
    pub pieces: Name,
    pub does: Does,
}

/// Returns `true` if a command runs its stdin, like a shell or an interpreter without a script.
pub(crate) fn runs_stdin(command: &Command) -> bool {
    if !is_interpreter(command) {
        return false;
    }
    let Some(read) = Read::of(command).filter(|read| interprets(&read.program)) else {
        return false;
    };
    let is_script = |argument: &Argument| match argument {
        Argument::Operand(word) => !word.is("-"),
        Argument::Known { takes: Takes::Value(role), .. } => matches!(role, Role::Code | Role::Script | Role::Given),
        _ => false,
    };
    read.program.operands().next() != Some(Role::Code) && !read.arguments.iter().any(is_script)
}

/// Returns `true` for a shell, and for an interpreter of another language.
pub(crate) fn is_interpreter(command: &Command) -> bool {
    is_interpreter_name(command.program().unwrap_or_default())
}

/// Returns `true` for the name of a shell or an interpreter.
pub(crate) fn is_interpreter_name(program: &str) -> bool {
    Program::named(program).is_some_and(|program| interprets(&program))
}

fn interprets(program: &Program) -> bool {
    takes_script(program) || program.has(Role::Code)
}

/// Returns `true` if a command runs on another machine.
pub(crate) fn is_remote(command: &Command) -> bool {
    matches!(program_name(command), "ssh" | "mosh")
}

/// Returns `true` for a `git apply` or a `patch`, whose input names the files that change.
pub(crate) fn is_patch(command: &Command) -> bool {
    program_name(command) == "patch" || Git::of(command).is_some() && command.has_argument("apply")
}

/// Returns the names that a command may read, change or send.
pub(crate) fn mentions(command: &Command) -> Vec<Mention> {
    let mut mentions = Vec::new();
    let mut arguments = command.arguments();
    // A name of several words may be another program's, with this one as an argument.
    let program = command.program().filter(|_| command.has_single_name());
    let mut row = Program::of(program.unwrap_or_default(), arguments);
    let keeps = |(row, from): (Program, usize)| {
        matches!(Read::by(row, &command.arguments()[from..]).made().unwrap_or(row.last()), Role::Measured | Role::Given)
    };
    for redirection in &command.redirections {
        use RedirectionOperator::{Input, ReadWrite};
        let does = match redirection.operator {
            Input if row.is_some_and(keeps) => continue,
            Input | ReadWrite => Does::Read,
            _ if writes(redirection) => Does::Change,
            _ => continue,
        };
        add(&mut mentions, &redirection.target, 0, does);
    }
    if let Some(git) = Git::of(command) {
        of_git(git.words, &mut mentions);
        return mentions;
    }
    if program.is_some_and(|name| lists(LAUNCHERS, name))
        && let Some((program, others)) = launched(program.unwrap_or_default(), arguments)
    {
        (row, arguments) = (Program::of(program, others), others);
    }
    let Some((row, from)) = row else {
        if !command.words.is_empty() {
            of_words(&Read::by(Program::other(), arguments), &mut mentions);
        }
        return mentions;
    };
    arguments = &arguments[from..];
    match row.name {
        "find" => {
            let does = Does::Change;
            mentions.extend(targets(command).into_iter().map(|target| Mention { pieces: target.pieces, does }));
            return mentions;
        }
        "grep" | "rg" if quiet::finds_names(arguments) => return mentions,
        // Names after `-x` are left out.
        "zip" => {
            if let Some(at) = arguments.iter().position(|word| word.is("-x"))
                && at > 0
                && !is_option_or_list(&arguments[at - 1])
                && !arguments[at + 1..].iter().any(is_option_or_list)
            {
                arguments = &arguments[..at];
            }
        }
        "sed" => {
            let does = Does::Read;
            mentions.extend(of_sed(command, false).into_iter().map(|pieces| Mention { pieces, does }));
        }
        _ => {}
    }
    of_words(&Read::by(row, arguments), &mut mentions);
    mentions
}

/// Returns `true` for a word of `zip` that is not the name of a file.
fn is_option_or_list(word: &Word) -> bool {
    word.known_start().starts_with(['-', '@'])
}

/// Returns `true` for the output of other commands: `<(…)`.
fn is_output(word: &Word) -> bool {
    matches!(&word.parts[..], [part] if part.is(ExpansionKind::Process))
}

/// Returns the program of a package that a launcher runs, with its words: `npx -y x`, `pnpm exec x`, `yarn x`.
fn launched<'w>(launcher: &str, words: &'w [Word]) -> Option<(&'w str, &'w [Word])> {
    let is_plain = |word: &Word| word.is("-- -q -y --yes --no-install");
    let needs_mark = lists("bun npm", launcher);
    let has_mark = !launcher.ends_with('x') && words.first().is_some_and(|word| word.is("dlx exec x"));
    let words = &words[usize::from(has_mark)..];
    let at = words.iter().position(|word| !is_plain(word))?;
    let program = words[at].literal().filter(|word| !word.starts_with('-'))?;
    // A program that runs others is judged as a whole.
    let role = Program::named(program).map(|program| program.last());
    if matches!(role, Some(Role::Name | Role::Command)) {
        return None;
    }
    (has_mark || !needs_mark).then_some((program, &words[at + 1..]))
}

/// Adds the names in a program's words.
pub(crate) fn of_words(read: &Read, mentions: &mut Vec<Mention>) {
    let program = &read.program;
    if read.made() == Some(Role::Name) {
        return;
    }
    let others = Does::of(read.made().unwrap_or(program.last()), program);
    let mut operands = read.operands().into_iter();
    for argument in &read.arguments {
        match *argument {
            Argument::Operand(word) => {
                let role = operands.next().map_or(Role::File, |(_, role)| role);
                match Does::of(role, program) {
                    // A pattern that leaves files out.
                    _ if leaves_out(word) => {}
                    // The output of other commands is content, and those commands are judged by themselves.
                    _ if role == Role::Shown && is_output(word) => {}
                    // Other programs have a pattern, or files, there.
                    Some(does) if program.name == "?" && does != Does::Run && option_of_windows(word).is_some() => {
                        of_option(mentions, word, does);
                    }
                    Some(does) => add(mentions, word, 0, does),
                    None => {}
                }
            }
            // The script's commands are judged by themselves.
            Argument::Known { takes: Takes::Value(Role::Script), .. } => {}
            Argument::Known { takes: Takes::Value(role), value, .. } => {
                if let Some(does) = Does::of(role, program)
                    && let Some((word, at)) = value
                    // A pattern that leaves files out.
                    && !word.known_start().get(at..).is_some_and(|text| text.starts_with('!'))
                {
                    add(mentions, word, at.min(word.known_start().len()), does);
                }
            }
            Argument::Known { word, .. } | Argument::Unknown(word) => {
                if let Some(does) = others {
                    of_option(mentions, word, does);
                }
            }
        }
    }
}

/// Returns `true` for a git pathspec that leaves files out.
fn leaves_out(word: &Word) -> bool {
    let path = word.known_start().strip_prefix(':').unwrap_or_default();
    path.starts_with(['!', '^']) || path.starts_with("(exclude)")
}

/// Returns the position of an option's value as .NET's tools write it: `/k:x`, and `/d:name=x`, where the name is not a path.
fn option_of_windows(word: &Word) -> Option<usize> {
    let (letter, value) = word.known_start().strip_prefix('/')?.split_once(':')?;
    let is_option = letter.len() == 1 && letter.bytes().all(|byte| byte.is_ascii_alphabetic());
    let name = value.find('=').map_or(0, |at| at + 1);
    is_option.then_some("/k:".len() + name)
}

/// Adds the name in an option: a value after `=`, or a value that begins like a path.
fn of_option(mentions: &mut Vec<Mention>, word: &Word, does: Does) {
    let start = word.known_start();
    let at = match start.starts_with("--") {
        true => long(start).1,
        false if start.starts_with('/') => option_of_windows(word),
        // The name of a definition is not a path: `-Dsonar.pullrequest.key=3`.
        false if start.starts_with("-D") && start.contains('=') => start.find('='),
        false => start.find(['.', '/', '~', '=']).or((word.parts.len() > 1).then_some(start.len())),
    };
    if let Some(at) = at {
        add(mentions, word, at + usize::from(start[at..].starts_with('=')), does);
    }
}

/// Adds the names in a word from a position on: the whole rest, and each part after a separator (`file=@.env`, `HEAD:.env`).
fn add(mentions: &mut Vec<Mention>, word: &Word, from: usize, does: Does) {
    const PARTS: [char; 5] = ['=', '@', ':', ',', ';'];
    /// Maximum number of parts to add.
    const MOST: usize = 16;
    let mut push = |pieces: Name| mentions.push(Mention { pieces, does });
    if does == Does::Run {
        return push(pieces_from(word, from));
    }
    let mut start = from;
    let text = &word.known_start()[from.min(word.known_start().len())..];
    if let Some(path) = text.strip_prefix("file://").or(text.strip_prefix("fileb://")) {
        start += text.len() - path.len();
    } else if text.contains("://") {
        return;
    }
    let text = &word.known_start()[start..];
    if word.parts.len() == 1 {
        for part in text.split(PARTS).take(MOST).filter(|part| part.len() < text.len()) {
            push(exact(part));
        }
    }
    // Another part may follow an expansion: `src=$PWD/.env,dst=/e`.
    let first_part = |mut pieces: Name| {
        if word.parts.len() > 1
            && let Some(Piece::Text(end)) = pieces.last_mut()
            && let Some((before, _)) = end.split_once(PARTS)
        {
            *end = before.to_owned();
        }
        pieces
    };
    for (at, _) in text.match_indices(PARTS).take(MOST) {
        push(first_part(pieces_from(word, start + at + 1)));
    }
    let whole = pieces_from(word, start);
    let first = first_part(whole.clone());
    if first != whole {
        push(first);
    }
    push(whole);
}
