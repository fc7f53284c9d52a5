//! Words after a program that may run them.

use super::code::{Language, drops};
use super::{Places, Target, as_found, ask, by_program, with_name};
use crate::effects::mentions::runs_stdin;
use crate::prelude::*;

/// Maximum length of a text to judge.
const LONGEST: usize = 1000;

/// Returns the danger of words after a program that may run them.
///
/// There are countless such programs (`hyperfine 'rm -rf ~'`, `ansible all -a 'rm -rf /'`), so the guard only asks if
/// the words would be denied by themselves, or if git would lose work (`retry git reset --hard`). For a program without
/// a row in the table, it also judges texts in quotes within a word, and stdin.
pub(super) fn judge(command: &Command, places: &Places) -> Option<Found> {
    /// Maximum number of words to judge.
    const MOST: usize = 16;
    const LONGEST_COMMAND: usize = 200;
    command.words.first()?;
    let program = command.program();
    let words = command.arguments();
    // Cheap test first: most commands hold no such word.
    let destroys = |text: &str| lists(DESTROYERS, text.rsplit(['/', '#']).next().unwrap_or_default());
    let may_run = |word: &Word| {
        word.literal()
            .is_none_or(|text| text.contains([' ', '\'', '"', '`']) || text.starts_with(['/', '~']) || destroys(text))
    };
    if program.is_some() && command.input().is_none() && !words.iter().any(may_run) {
        return None;
    }
    let (row, from) = Program::of(program.unwrap_or_default(), words).unwrap_or_else(|| (Program::other(), 0));
    // Some programs run a command after a `+`: `less '+!x'`.
    let has_command = words.iter().any(|word| word.known_start().starts_with('+'));
    if takes_texts(&row) && !has_command || words.len() > LONGEST_COMMAND {
        return None;
    }
    let read = Read::by(row, words.get(from..).unwrap_or_default());
    // A program with a row is judged as a command of its own.
    let program_of = read.operands().into_iter().find(|(_, role)| *role == Role::Program).map(|(word, _)| word);
    let has_row = |inner: &Word| {
        let after = words.iter().skip_while(|word| !std::ptr::eq(*word, inner)).skip(1);
        inner.literal().is_some_and(|name| Program::of(name, &after.cloned().collect::<Vec<_>>()).is_some())
    };
    if program_of.is_some_and(has_row) {
        return None;
    }
    let texts = data(&read);
    // A program may be the first operand: `env-cmd rm x`.
    let is_name = |word: &Word| row.last() == Role::Program && lists(DESTROYERS, word.known_start());
    let is_data = |word: &Word| !is_name(word) && texts.iter().any(|data| std::ptr::eq(*data, word));
    let is_denied = |command: &Command| by_program(&as_found(command), places).is_some_and(|found| found.is_certain());
    // No program has a subcommand `git`. A command after a prefix is one of the line itself.
    let is_stopped = |command: &Command| {
        if command.is("git") && row.last() != Role::Command {
            by_program(command, places).is_some()
        } else {
            is_denied(command)
        }
    };
    let is_denied_script = |script: Script| script.commands().iter().any(is_denied);
    let runs_denied = |(index, word): (usize, &Word)| {
        let Some(text) = word.literal() else { return false };
        let before = index.checked_sub(1).map_or("", |before| words[before].known_start());
        if let Some((first, _)) = text.split_once(' ') {
            // The value may follow an option or one of these words: `--rsh=rm -rf /`, `EXEC:rm -rf ~`.
            let value = first.rfind(['=', ':', '!']).map(|at| &text[at + 1..]);
            let mut texts = [text].into_iter().chain(value).filter(|text| may_destroy(text));
            // Elsewhere, a git command may be prose: `npm version -m "git reset --hard"`.
            let is_script = lists(OF_SCRIPT, before) || command.is(RUNNERS);
            return texts.any(|text| {
                if is_script {
                    shell::analyze(text).commands().iter().any(is_stopped)
                } else {
                    is_denied_script(shell::analyze(text))
                }
            });
        }
        // After an option, the word may be a package or a folder.
        let is_value = lists("xtask hookkit-xtask", text) && before.starts_with('-') && before != "--";
        destroys(text) && !is_value && {
            let mut inner = command.clone();
            inner.words.drain(..=index);
            inner.redirections.clear();
            is_stopped(&inner)
        }
    };
    // A variable may hold the name of any of these programs.
    let is_one = || program.is_none() && is_denied(&with_name(command, "rm"));
    let mut words_of_it = words.iter().take(MOST).enumerate().filter(|(_, word)| !is_data(word));
    let is_unknown = (row.name == "?" || row.has(Role::Code)) && Language::of(command).is_none();
    let is_run = words_of_it.any(runs_denied)
        || is_one()
        || is_unknown && {
            let texts: Vec<String> =
                words.iter().filter(|word| !is_data(word)).chain(command.input()).map(text_of).collect();
            texts
                .iter()
                .flat_map(|text| quoted(text))
                .chain(command.input().and_then(Word::literal))
                .any(|text| may_destroy(text) && is_denied_script(shell::analyze(text)))
                || deletes(&texts, places)
        };
    if is_run {
        return ask(
            command,
            &["may run a command that would be stopped, through `", program.unwrap_or("…"), "`"].concat(),
        );
    }
    let takes_queries = is_unknown || Language::of(command) == Some(Language::General) && !runs_stdin(command);
    if takes_queries && drops_by_text(command) { ask(command, "may delete from a database") } else { None }
}

/// Programs that destroy most often, and programs that run hookkit's commands.
const DESTROYERS: &str = "cargo cargo-hookkit chmod chown dd find git hookkit-xtask mkfs mv rm shred wipefs xtask";

pub(super) fn may_destroy(text: &str) -> bool {
    text.len() <= LONGEST && text.contains(' ') && holds(DESTROYERS, text)
}

/// Options whose value is a script in most programs.
const OF_SCRIPT: &str = "-c -e -x --cmd --command --exec --run";

/// Programs that run their words as scripts.
const RUNNERS: &str = "concurrently entr hyperfine mprocs nix-shell script watchexec wsl";

/// Returns `true` for a program that takes its words as plain text, or whose commands are judged elsewhere.
fn takes_texts(program: &Program) -> bool {
    use Role as Is;
    matches!(
        program.last(),
        Is::Shown | Is::Measured | Is::Name | Is::Text | Is::Script | Is::BashScript | Is::ShellScript | Is::Variable
    ) || lists("awk curl gh git", program.name)
}

/// Returns the words that are plain text according to the program's row.
fn data<'w>(read: &Read<'w>) -> Vec<&'w Word> {
    let is_text = |role: &Role| matches!(role, Role::Text | Role::Pattern);
    let values = read.arguments.iter().filter_map(|argument| match argument {
        Argument::Known { takes: Takes::Value(role), value: Some((word, _)), .. } if is_text(role) => Some(*word),
        _ => None,
    });
    values.chain(read.operands().into_iter().filter(|(_, role)| is_text(role)).map(|(word, _)| word)).collect()
}

/// Returns a word with `~` for the home folder.
fn text_of(word: &Word) -> String {
    match &pieces(word)[..] {
        [Piece::Text(text), ..] if word.literal().is_none() => text.clone(),
        _ => word.to_string(),
    }
}

/// Returns the quoted strings in a text.
pub(super) fn quoted(text: &str) -> impl Iterator<Item = &str> {
    ['\'', '"', '`'].into_iter().flat_map(move |quote| text.split(quote).skip(1).step_by(2))
}

/// Returns `true` if one of the texts deletes, and another text is a path that must be kept.
fn deletes(texts: &[String], places: &Places) -> bool {
    const VERBS: &str = "delete erase remove rm_ rmdir rmtree unlink wipe";
    let is_verb = |name: &str| name == "rm" || begins(VERBS, name);
    let has_verb = |text: &String| parts(text, "_").any(|name| is_verb(&name.to_ascii_lowercase()));
    let is_kept = |text: &String| {
        words_between(text, "'\"`()[]{},;=")
            .any(|name| name.starts_with(['/', '~']) && places.target_of(&[Piece::from(name)]) >= Target::System)
    };
    let mut texts = texts.iter().filter(|text| text.len() <= LONGEST);
    texts.clone().any(has_verb) && texts.any(is_kept)
}

/// Returns `true` if a query deletes: the value of a query option, or stdin.
fn drops_by_text(command: &Command) -> bool {
    const OPTIONS: &str = "-c -e -q --command --execute --query";
    let words = command.arguments();
    let is_unknown = Language::of(command).is_none();
    let values = words.iter().enumerate().filter_map(|(at, word)| {
        let text = word.literal().filter(|_| is_unknown)?;
        match text.split_once('=') {
            Some((option, value)) if lists(OPTIONS, option) => Some(value),
            _ => words.get(at.checked_sub(1)?)?.is(OPTIONS).then_some(text),
        }
    });
    values.chain(command.input().and_then(Word::literal)).any(|text| text.contains(char::is_whitespace) && drops(text))
}
