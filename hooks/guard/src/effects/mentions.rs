//! The files that the words of a command name, and what the command does with each.
//!
//! It is a closed world: a program that is not in the table reads what its words name.

mod git;
mod quiet;

use hookkit::shell::{Command, ExpansionKind, Part, RedirectionOperator, Word};

use self::git::of_git;
pub(crate) use self::quiet::fits_names;
use crate::effects::changes::{FINDS, targets, writes};
use crate::effects::programs::{
    Does, EVALUATED, EVALUATES, Family, First, LAUNCHERS, MEASURES, OF_CERTIFICATES, OF_KEYS, ONLY_NAMES, PREFIXES,
    READS, SHELLS, SHOWS, SKIPPED, family, family_name, family_or_other,
};
use crate::git::Git;
use crate::words::{Piece, long, pieces, pieces_from};

/// A name in a command.
#[derive(Debug, PartialEq)]
pub(crate) struct Mention {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) does: Does,
}

/// Returns `true` if a command runs what comes in on its stdin, as a shell or an interpreter without a script does.
pub(crate) fn runs_stdin(command: &Command) -> bool {
    let name = command.program().map(family_name).unwrap_or_default();
    let is_shell = SHELLS.contains(&name);
    let Some(family) = family(name).filter(|family| is_shell || !family.code.is_empty()) else {
        return false;
    };
    if family.first != First::File {
        return false;
    }
    let mut roles = Roles::of(command.arguments(), family);
    let has_script = roles.any(|role| match role {
        Role::Operand(word) => word.literal() != Some("-"),
        Role::Code(_) => true,
        Role::Option(_) | Role::Value(..) => false,
    });
    // Their values are not among the roles: the text of a shell, and a module of Python.
    let names_script = |word| is_shell && has_letter(word, 'c') || name == "python" && is_option(word, "-m");
    !has_script && !command.arguments().iter().any(names_script)
}

/// Returns `true` for a shell, and for an interpreter of another language.
pub(crate) fn is_interpreter(command: &Command) -> bool {
    let name = command.program().map(family_name).unwrap_or_default();
    SHELLS.contains(&name) || family(name).is_some_and(|family| !family.code.is_empty())
}

/// Returns `true` if a command runs on another machine.
pub(crate) fn is_remote(command: &Command) -> bool {
    matches!(command.program().map(family_name), Some("ssh" | "mosh"))
}

/// Returns `true` if a shell reads its script from stdin or from a text, and not code of another language.
pub(crate) fn is_shell(command: &Command) -> bool {
    command
        .program()
        .is_some_and(|name| SHELLS.contains(&family_name(name)))
}

/// Returns `true` for a `git apply` or a `patch`, whose input names the files that change.
pub(crate) fn is_patch(command: &Command) -> bool {
    command.program().map(family_name) == Some("patch") || Git::of(command).is_some() && command.has_argument("apply")
}

/// Returns the names that a command may do something with.
pub(crate) fn mentions(command: &Command) -> Vec<Mention> {
    let mut mentions = Vec::new();
    // With these they print what they read.
    let prints = |word: &Word| word.known_start().starts_with("-p") || word.known_start().starts_with("--files0-from");
    let is_measure = |name: &str| MEASURES.contains(&name) && !command.arguments().iter().any(prints);
    let measures = command.program().is_some_and(is_measure);
    for redirection in &command.redirections {
        use RedirectionOperator::{Input, ReadWrite};
        let does = match redirection.operator {
            Input if measures => continue,
            Input | ReadWrite => Does::Read,
            _ if writes(redirection) => Does::Change,
            _ => continue,
        };
        add(&mut mentions, &redirection.target, 0, does);
    }
    let mut arguments = command.arguments();
    // A name that is not one word may be another program, with this one as an argument.
    let program = command.program().filter(|_| command.has_single_name());
    let mut name = program.map(family_name).unwrap_or_default();
    if LAUNCHERS.contains(&name)
        && let Some((program, others)) = launched(name, arguments)
    {
        (name, arguments) = (family_name(program), others);
    }
    if FINDS.contains(&name) {
        let written = targets(command).into_iter().map(|target| target.pieces);
        mentions.extend(written.map(|pieces| Mention {
            pieces,
            does: Does::Change,
        }));
        return mentions;
    }
    // Of macOS: of a keychain it shows passwords, which are asked about as a service's, and all of it by these.
    if name == "security"
        && let Some(first) = arguments.first().and_then(Word::literal)
        && !matches!(first, "dump-keychain" | "export" | "import")
    {
        return mentions;
    }
    // It runs a program with the variables of a file.
    if name == "direnv" {
        if let [first, others @ ..] = arguments
            && first.literal() == Some("exec")
        {
            of_words(others, &READS, &mut mentions);
        }
        return mentions;
    }
    if ONLY_NAMES.contains(&name) || is_measure(name) || PREFIXES.contains(&name) || command.words.is_empty() {
        return mentions;
    }
    if let Some(git) = Git::of(command) {
        of_git(git.words, &mut mentions);
        return mentions;
    }
    if name == "yq"
        && let [first, others @ ..] = arguments
        && matches!(first.literal(), Some("e" | "ea" | "eval" | "eval-all"))
    {
        arguments = others;
    }
    if let [first, others @ ..] = arguments
        && first.literal().is_some_and(|first| EVALUATES.contains(&(name, first)))
    {
        of_words(others, &EVALUATED, &mut mentions);
        return mentions;
    }
    let is_listing = name == "rg" && command.has_argument("--files");
    let is_public = name == "openssl" && shows_public(arguments);
    if is_listing || is_public || quiet::is(name, arguments) {
        return mentions;
    }
    // Behind it are the names that it leaves out.
    if name == "zip"
        && let Some(at) = arguments.iter().position(|word| word.literal() == Some("-x"))
        && at > 0
        && !is_option_or_list(&arguments[at - 1])
        && !arguments[at + 1..].iter().any(is_option_or_list)
    {
        arguments = &arguments[..at];
    }
    // What comes out of other commands is content there, and these are looked at by themselves.
    let kept: Vec<Word>;
    if SHOWS.contains(&name) && arguments.iter().any(is_output) {
        kept = arguments.iter().filter(|word| !is_output(word)).cloned().collect();
        arguments = &kept;
    }
    of_words(arguments, family_or_other(name), &mut mentions);
    if name == "cp"
        && let Some(destination) = mentions.last_mut()
    {
        destination.does = Does::Change;
    }
    if matches!(name, "sed" | "gsed") {
        let texts = arguments.iter().map(Word::known_start);
        let files = texts.flat_map(files_of_sed).map(|file| vec![Piece::from(file)]);
        mentions.extend(files.map(|pieces| Mention {
            pieces,
            does: Does::Read,
        }));
    }
    mentions
}

/// Returns `true` for a word that is not the name of a file for `zip`.
fn is_option_or_list(word: &Word) -> bool {
    word.known_start().starts_with(['-', '@'])
}

/// Returns `true` for the output of other commands: `<(…)`.
fn is_output(word: &Word) -> bool {
    matches!(&word.parts[..], [Part::Expansion(expansion)] if expansion.kind == ExpansionKind::Process)
}

/// Returns the program of a package that a launcher runs, and the words of that: `npx -y x`, `pnpm exec x`, `yarn x`.
fn launched<'w>(launcher: &str, words: &'w [Word]) -> Option<(&'w str, &'w [Word])> {
    let is_plain = |word: &Word| matches!(word.literal(), Some("--" | "--no-install" | "--yes" | "-q" | "-y"));
    let is_mark = |word: &Word| matches!(word.literal(), Some("dlx" | "exec" | "x"));
    let needs_mark = matches!(launcher, "bun" | "npm");
    let has_mark = !launcher.ends_with('x') && words.first().is_some_and(is_mark);
    let words = &words[usize::from(has_mark)..];
    let at = words.iter().position(|word| !is_plain(word))?;
    let program = words[at].literal().filter(|word| !word.starts_with('-'))?;
    // One that runs others is looked at as a whole.
    if [FINDS, ONLY_NAMES, PREFIXES]
        .iter()
        .any(|names| names.contains(&program))
    {
        return None;
    }
    (has_mark || !needs_mark).then_some((program, &words[at + 1..]))
}

/// Returns `true` for a command of `openssl` that shows nothing secret.
fn shows_public(words: &[Word]) -> bool {
    // It takes one dash or two.
    let has = |name: &str| {
        let mut options = words.iter().map(|word| word.known_start().trim_start_matches('-'));
        options.any(|option| option == name)
    };
    match words.first().and_then(Word::literal) {
        Some(command) if OF_CERTIFICATES.contains(&command) => true,
        Some(command) if OF_KEYS.contains(&command) => (has("pubout") || has("noout")) && !has("text"),
        _ => false,
    }
}

/// Returns the names that a script of `sed` may have behind its commands `r` and `w`.
fn files_of_sed(script: &str) -> impl Iterator<Item = &str> {
    /// More are not looked at.
    const MOST: usize = 100;
    let lines = script.split(['\n', ';', '}']);
    let commands = lines.flat_map(|line| {
        let marks = line.match_indices(['r', 'R', 'w', 'W']);
        let marks = marks.filter(|(at, _)| !line[..*at].ends_with(char::is_alphabetic));
        marks.map(|(at, _)| line[at + 1..].trim())
    });
    commands.take(MOST)
}

/// Adds what the words of a program name.
pub(in crate::effects) fn of_words(words: &[Word], family: &Family, mentions: &mut Vec<Mention>) {
    let is_given = words.iter().any(|word| {
        family
            .given
            .iter()
            .any(|option| is_option(word, option) || is_cut(word, option))
    });
    let mut is_first = family.first != First::File && !is_given;
    for role in Roles::of(words, family) {
        match role {
            // A pattern that leaves files out.
            Role::Value(word, at) if word.known_start()[at..].starts_with('!') => {}
            Role::Operand(word) if leaves_out(word) => {}
            Role::Value(word, at) => add(mentions, word, at, family.does),
            Role::Code(pieces) => mentions.push(Mention {
                pieces,
                does: Does::Run,
            }),
            Role::Option(word) => of_option(mentions, word, family.does),
            Role::Operand(word) if is_first => {
                is_first = false;
                if family.first == First::Code {
                    mentions.push(Mention {
                        pieces: pieces(word),
                        does: Does::Run,
                    });
                }
            }
            Role::Operand(word) => add(mentions, word, 0, family.does),
        }
    }
}

/// Returns `true` for a path of git's that leaves files out.
fn leaves_out(word: &Word) -> bool {
    [":!", ":^", ":(exclude)"]
        .iter()
        .any(|mark| word.known_start().starts_with(mark))
}

/// The part that a word has in a command.
enum Role<'w> {
    Operand(&'w Word),
    /// The value of an option, and where it begins in this word.
    Value(&'w Word, usize),
    Option(&'w Word),
    Code(Vec<Piece>),
}

/// The words of a command by their parts, without the values of options that name no file.
struct Roles<'w, 'f> {
    words: std::slice::Iter<'w, Word>,
    family: &'f Family,
    are_options_over: bool,
}

impl<'w, 'f> Roles<'w, 'f> {
    fn of(words: &'w [Word], family: &'f Family) -> Self {
        Self {
            words: words.iter(),
            family,
            are_options_over: false,
        }
    }
}

impl Roles<'_, '_> {
    /// Returns `true` if an option whose value is not looked at is before this one in its word.
    fn skips_before(&self, word: &str, option: &str) -> bool {
        let before = word.find(&option[1..]).map_or("", |at| &word[..at]);
        let letters = self.family.skipped.iter().filter(|option| option.len() == 2);
        letters.into_iter().any(|letter| before.contains(&letter[1..]))
    }
}

impl<'w> Iterator for Roles<'w, '_> {
    type Item = Role<'w>;

    fn next(&mut self) -> Option<Role<'w>> {
        loop {
            let word = self.words.next()?;
            let start = word.known_start();
            // Others have a pattern, or files, there.
            if self.family.programs.is_empty() && option_of_windows(word).is_some() {
                return Some(Role::Option(word));
            }
            if self.are_options_over || !start.starts_with('-') || start == "-" {
                return Some(Role::Operand(word));
            }
            if word.literal() == Some("--") {
                self.are_options_over = true;
                continue;
            }
            let is_skipped = |option: &&str| is_option(word, option);
            if let Some(option) = self.family.code.iter().copied().find(is_skipped) {
                return Some(Role::Code(match behind(word, option) {
                    Some(at) => pieces_from(word, at),
                    None => self.words.next().map(pieces).unwrap_or_default(),
                }));
            }
            if let Some(option) = self.family.valued.iter().copied().find(is_skipped) {
                match behind(word, option) {
                    None => {
                        if let Some(value) = self.words.next() {
                            return Some(Role::Value(value, 0));
                        }
                    }
                    // The letters behind it are its value.
                    Some(at) if option.starts_with("--") || !self.skips_before(start, option) => {
                        return Some(Role::Value(word, at.min(start.len())));
                    }
                    Some(_) => {}
                }
            }
            let skipped = self.family.skipped.iter().chain(SKIPPED);
            if let Some(option) = skipped.copied().find(is_skipped) {
                if behind(word, option).is_none() {
                    self.words.next();
                }
                continue;
            }
            return Some(Role::Option(word));
        }
    }
}

/// Returns `true` if a word is this option, also with its value (`--file=x`), or as a letter behind others (`-nf`).
fn is_option(word: &Word, option: &str) -> bool {
    let start = word.known_start();
    if start.starts_with("--") {
        return option.starts_with("--") && long(start).0 == &option[2..];
    }
    match option.strip_prefix('-') {
        // One dash and a word, as `openssl` has them.
        Some(name) if name.len() > 1 => !name.starts_with('-') && start[1..].split('=').next() == Some(name),
        Some(letter) => start.len() > 1 && letter.chars().all(|letter| has_letter(word, letter)),
        None => false,
    }
}

/// Returns `true` if a word is a long option that is cut short: `--reg=x`.
fn is_cut(word: &Word, option: &str) -> bool {
    let word = word.known_start();
    let name = word.starts_with("--").then(|| long(word).0);
    let is_start = |name: &str| option.strip_prefix("--").is_some_and(|option| option.starts_with(name));
    name.is_some_and(|name| name.len() > 1 && is_start(name))
}

/// Returns `true` if a letter is among the options of a word with one dash.
fn has_letter(word: &Word, letter: char) -> bool {
    let start = word.known_start();
    let letters = start.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    letters.is_some_and(|letters| {
        let letters = letters
            .split(|c: char| !c.is_ascii_alphabetic())
            .next()
            .unwrap_or_default();
        letters.contains(letter)
    })
}

/// Returns the position of an option's value in the option's own word.
fn behind(word: &Word, option: &str) -> Option<usize> {
    let start = word.known_start();
    if start.starts_with("--") {
        return long(start).1;
    }
    let at = match option.len() {
        2 => start.find(&option[1..])? + 1,
        length => length,
    };
    let is_more = at < start.len() || word.parts.len() > 1;
    is_more.then_some(at + usize::from(start[at..].starts_with('=')))
}

/// Returns the position of the value of an option as .NET's tools have it: `/k:x`, and `/d:name=x`, whose name is not a path.
fn option_of_windows(word: &Word) -> Option<usize> {
    let start = word.known_start();
    let (letter, value) = start.strip_prefix('/')?.split_once(':')?;
    let is_option = letter.len() == 1 && letter.bytes().all(|byte| byte.is_ascii_alphabetic());
    let name = value.find('=').map_or(0, |at| at + 1);
    is_option.then_some("/k:".len() + name)
}

/// Adds what an option names: a value behind `=`, or one that begins like a path.
fn of_option(mentions: &mut Vec<Mention>, word: &Word, does: Does) {
    let start = word.known_start();
    let at = match start.starts_with("--") {
        true => long(start).1,
        false if start.starts_with('/') => option_of_windows(word),
        // The name of a definition is not a path: `-Dsonar.pullrequest.key=3`.
        false if start.starts_with("-D") && start.contains('=') => start.find('='),
        false => start
            .find(['.', '/', '~', '='])
            .or((word.parts.len() > 1).then_some(start.len())),
    };
    if let Some(at) = at {
        add(mentions, word, at + usize::from(start[at..].starts_with('=')), does);
    }
}

/// Adds what a word names from a position on: all of it, and what is behind a sign that parts names (`file=@.env`,
/// `HEAD:.env`).
fn add(mentions: &mut Vec<Mention>, word: &Word, from: usize, does: Does) {
    const PARTS: [char; 5] = ['=', '@', ':', ',', ';'];
    /// More are not looked at.
    const MOST: usize = 16;
    let mut start = from;
    let text = &word.known_start()[from.min(word.known_start().len())..];
    if let Some(path) = text.strip_prefix("file://") {
        start += text.len() - path.len();
    } else if text.contains("://") {
        return;
    }
    let mut push = |pieces: Vec<Piece>| mentions.push(Mention { pieces, does });
    let text = &word.known_start()[start..];
    if word.parts.len() == 1 {
        for part in text.split(PARTS).take(MOST).filter(|part| part.len() < text.len()) {
            push(vec![Piece::from(part)]);
        }
    }
    for (at, _) in text.match_indices(PARTS).take(MOST) {
        push(pieces_from(word, start + at + 1));
    }
    push(pieces_from(word, start));
}
