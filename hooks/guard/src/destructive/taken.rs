//! Names that `xargs` takes from the command before it, or that a substitution prints.

use std::slice;

use crate::folders::has_definition;
use crate::prelude::*;
use hookkit::shell::programs::find::takes_whole_names;

/// Returns `find -exec` commands equivalent to an `rm` that gets its names from `find`, through `xargs` or a
/// substitution. `None` if `rm` gets other names that are not literal.
pub(crate) fn names(line: Line, command: &Command) -> Option<Vec<Command>> {
    /// Maximum number of commands in a line to look through for each `rm`.
    const MOST: usize = 200;
    let is_put = |word: &Word| word.parts.iter().any(is_given) || is_printed(word);
    let is_taker = command.is("rm")
        && command.words.iter().any(is_put)
        && line.script.commands().len() <= MOST
        && !has_definition(line.script);
    if !is_taker {
        return None;
    }
    let (before, is_whole) = match command.words.iter().find(|word| is_printed(word)) {
        Some(word) => (printing(word, line.script)?, false),
        None => piped(line, command)?,
    };
    if !before.redirections.iter().all(|redirection| redirection.descriptor == Some(2)) {
        return None;
    }
    let (taken, own): (Vec<&Word>, Vec<&Word>) = (command.words.iter()).partition(|word| is_put(word));
    // With a path it may be another program.
    match before.name()? {
        "find" if taken.iter().all(|word| word.parts.len() == 1) => {
            let mut without = command.clone();
            without.words = own.iter().map(|word| (*word).clone()).collect();
            let mut commands = vec![found(before, &without)?, without];
            // A folder of a checkout may be called `x `, so that a file in it looks like one of the root: `x /etc`. Only names
            // that are searched for count.
            let has_name = || before.has_argument("-name -iname");
            if !is_whole
                && (!has_name()
                    || before
                        .words
                        .iter()
                        .any(|word| word.literal().is_none_or(|text| text.contains(char::is_whitespace))))
            {
                commands.push(command.clone());
            }
            Some(commands)
        }
        // The content of a folder is printed without the folder's name.
        "ls" if !taken.is_empty() && before.arguments().iter().all(|word| word.parts.iter().any(is_glob)) => {
            let mut with = command.clone();
            with.words = own.into_iter().chain(before.arguments()).cloned().collect();
            (!before.arguments().is_empty()).then(|| vec![with])
        }
        _ => None,
    }
}

/// Returns `true` for a word that another command prints: it becomes one name for each printed word.
pub(super) fn is_printed(word: &Word) -> bool {
    let is_output =
        |part: &Part| matches!(part, Part::Expansion(it) if it.kind == ExpansionKind::Command && !it.is_quoted);
    !word.parts.is_empty() && word.parts.iter().all(is_output)
}

/// Returns the command that prints a word, if there is only one.
fn printing<'s>(word: &Word, script: &'s Script) -> Option<&'s Command> {
    let mut within = script.commands().iter().filter(|command| command.is_within(&word.span));
    within.next().filter(|_| within.next().is_none())
}

/// Returns the command before the `xargs` that runs a command, and `true` if its output separates names by NUL.
fn piped<'s>(line: Line<'s>, command: &Command) -> Option<(&'s Command, bool)> {
    let mut commands = line.script.commands().iter();
    let mut takers = commands.clone().filter(|outer| outer.is("parallel xargs") && command.is_within(&outer.span));
    let (xargs, None) = (takers.next()?, takers.next()) else {
        return None;
    };
    let is_before =
        |before: &&Command| before.via == xargs.via && line.between(before.span.end, xargs.span.start).trim() == "|";
    xargs.is_in_pipeline().then_some((commands.find(is_before)?, takes_whole(xargs)?))
}

/// Returns `true` if `-0` separates names by NUL; `None` if `xargs` does not read names from its input.
fn takes_whole(xargs: &Command) -> Option<bool> {
    let is_input = |redirection: &Redirection| {
        use RedirectionOperator as Op;
        !matches!(redirection.operator, Op::Output | Op::Append | Op::DuplicateOutput)
    };
    let is_list = |word: &str| word.starts_with(":::") || word.starts_with("-a") || word.starts_with("--arg");
    if xargs.redirections.iter().any(is_input) || xargs.starts().any(is_list) {
        return None;
    }
    Some(xargs.is("xargs") && takes_whole_names(xargs))
}

/// Returns the `find` with the command as its `-exec`; `None` if it prints anything but names.
fn found(find: &Command, command: &Command) -> Option<Command> {
    const PRINTED: &str = "-print -print0";
    const OTHERS: &str = "-delete -exec -fls -fprint -ls -ok -printf";
    let prints_others = |word: &Word| {
        let option = word.known_start();
        !lists(PRINTED, option) && begins(OTHERS, option)
    };
    if find.words.iter().any(prints_others) {
        return None;
    }
    let last = find.words.last()?;
    let [exec, name, end] = ["-exec", "{}", ";"].map(|text| last.with_text(text));
    let run = [slice::from_ref(&exec), &command.words, &[name, end]].concat();
    let mut found = find.clone();
    found.words.clear();
    // `find` prints at a print action, or without one at the end.
    for word in &find.words {
        if word.is(PRINTED) { found.words.extend_from_slice(&run) } else { found.words.push(word.clone()) }
    }
    if !find.words.iter().any(|word| word.is(PRINTED)) {
        found.words.extend(run);
    }
    Some(found)
}
