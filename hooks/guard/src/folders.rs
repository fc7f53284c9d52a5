//! Folders in which the commands of a line may run, and those of the user.

use std::borrow::Cow;
use std::mem;
use std::path::PathBuf;

use hookkit::shell::{Command, ExpansionKind, Part, Script, Via, Word};
use hookkit::{Context, Environment};

use crate::words::{Arguments, Piece, Valued, is_brace, of_kernel, past_folder, pieces, without_braces};

/// A line that changes the folder more often is not followed.
const MOST: usize = 16;

/// Words that the braces of a line may become, and those of one word.
const MOST_WORDS: usize = 10_000;
const MOST_WORDS_OF_ONE: usize = 200;

/// Options of `env`, `sudo` and `patch` that take a value; by one of each it goes to a folder.
const OF_ENV: &Valued = &[('C', "chdir"), ('u', "unset"), ('S', "split-string")];
const OF_SUDO: &Valued = &[
    ('D', "chdir"),
    ('C', "close-from"),
    ('R', "chroot"),
    ('T', "command-timeout"),
    ('U', "other-user"),
    ('g', "group"),
    ('h', "host"),
    ('p', "prompt"),
    ('r', "role"),
    ('t', "type"),
    ('u', "user"),
];
/// By `o` and `r` it writes a file.
pub(crate) const OF_PATCH: &Valued = &[
    ('d', "directory"),
    ('o', "output"),
    ('r', "reject-file"),
    ('B', "prefix"),
    ('D', "ifdef"),
    ('F', "fuzz"),
    ('V', "version-control"),
    ('Y', "basename-prefix"),
    ('g', "get"),
    ('i', "input"),
    ('p', "strip"),
    ('x', "debug"),
    ('z', "suffix"),
];

/// The folders that a relative name may be taken from: the current one, and wherever a `cd` of the line leads, or an option.
pub(crate) struct Folders {
    /// Each as that of a context.
    pub(crate) contexts: Vec<Context>,
    /// `true` if there may be others.
    pub(crate) is_lost: bool,
}

impl Folders {
    pub(crate) fn of(script: &Script, context: &Context) -> Self {
        let mut folders = Self {
            contexts: vec![context.clone()],
            is_lost: false,
        };
        let commands = commands(script);
        let sets_home = || sets(script, "HOME");
        let sets_path = || ["CDPATH", "cdpath"].iter().any(|name| sets(script, name));
        let mut words = commands.iter().flat_map(words);
        folders.is_lost = words.any(|word| past_folder(word.parts.get(1)).is_some_and(|_| is_tilde(&word.parts[0])));
        for command in &*commands {
            let of_option = |letters, valued| Arguments::of(command, valued).leading_values_of(letters);
            let goals: Vec<_> = match command.program() {
                Some("cd" | "chdir" | "pushd") => {
                    folders.is_lost = folders.is_lost || sets_path();
                    vec![goal(command, sets_home())]
                }
                Some("env" | "genv") => of_option(&['C'], OF_ENV),
                Some("sudo") => of_option(&['D'], OF_SUDO),
                Some("patch") => Arguments::of(command, OF_PATCH).values_of(&['d']),
                _ => continue,
            };
            // Each time a loop or a function runs, it leads further.
            let may_repeat = (command.via.iter()).any(|via| matches!(via, Via::Loop | Via::Function(_)));
            for goal in goals {
                let is_kernel = of_kernel(&goal).is_some();
                match &goal[..] {
                    // `-` is where one was before; a name of the kernel's is that of any folder.
                    [Piece::Text(goal)] if goal != "-" && !is_kernel => {
                        folders.is_lost |= may_repeat && !goal.starts_with(['/', '~']);
                        folders.go(goal);
                    }
                    _ => folders.is_lost = true,
                }
            }
        }
        folders
    }

    /// From each folder that it may start in.
    fn go(&mut self, goal: &str) {
        for index in 0..self.contexts.len() {
            let mut context = self.contexts[index].clone();
            context.cwd = context.absolute(goal);
            if self.contexts.contains(&context) {
                continue;
            }
            if self.contexts.len() == MOST {
                self.is_lost = true;
                return;
            }
            self.contexts.push(context);
        }
    }
}

/// Returns the folders that the user's configuration of the client is in.
pub(crate) fn config_folders(environment: Environment) -> Vec<PathBuf> {
    match environment.variable("CLAUDE_CONFIG_DIR") {
        Some(folder) => vec![folder.into()],
        None => in_homes(environment, ".claude"),
    }
}

/// Returns a path in each of the user's home folders: Windows can have two.
pub(crate) fn in_homes(environment: Environment, path: &str) -> Vec<PathBuf> {
    let folder = |name| environment.variable(name).map(PathBuf::from);
    let homes = [
        folder("HOME"),
        folder("USERPROFILE").filter(|folder| folder.is_absolute()),
    ];
    homes.into_iter().flatten().map(|home| home.join(path)).collect()
}

/// Returns the commands of a script, with the words that braces become. If one of them may set `HOME`, each `$HOME` and `~`
/// is like any other variable.
pub(crate) fn commands(script: &Script) -> Cow<'_, [Command]> {
    let sets_home = sets(script, "HOME");
    let mut words = script.commands().iter().flat_map(words);
    if !sets_home && !words.any(|word| word.parts.iter().any(is_brace)) {
        return script.commands().into();
    }
    let mut commands = script.commands().to_vec();
    let mut left = MOST_WORDS;
    for command in &mut commands {
        let mut expanded = |word: Word| {
            let words = without_braces(word, left.min(MOST_WORDS_OF_ONE));
            left = left.saturating_sub(words.len().saturating_sub(1));
            words
        };
        command.words = mem::take(&mut command.words)
            .into_iter()
            .flat_map(&mut expanded)
            .collect();
        for redirection in mem::take(&mut command.redirections) {
            for target in expanded(redirection.target.clone()) {
                let mut redirection = redirection.clone();
                redirection.target = target;
                command.redirections.push(redirection);
            }
        }
        let targets = (command.redirections.iter_mut()).map(|redirection| &mut redirection.target);
        for word in command.words.iter_mut().chain(targets).filter(|_| sets_home) {
            let is_past = past_folder(word.parts.get(1)).is_some();
            for part in &mut word.parts {
                if let Part::Expansion(expansion) = part
                    && is_home(expansion.kind)
                    && !is_past
                {
                    expansion.kind = ExpansionKind::Parameter;
                }
            }
        }
    }
    commands.into()
}

fn words(command: &Command) -> impl Iterator<Item = &Word> {
    let targets = command.redirections.iter().map(|redirection| &redirection.target);
    command.words.iter().chain(targets)
}

/// Returns whether a command of a script may set a variable.
fn sets(script: &Script, name: &str) -> bool {
    let first = name.as_bytes().first();
    let names = |word: &Word| {
        let start = word.known_start();
        // Nearly all words end here: a search for a text costs more than one for a byte.
        if first.is_some_and(|first| !start.as_bytes().contains(first)) {
            return false;
        }
        // Behind `-v`, or another option, it can be in the same word.
        let is_end = |at: usize| {
            let end = &start[at + name.len()..];
            let is_whole = start.starts_with('-') || !start[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            is_whole && (end.is_empty() || end.starts_with('=') || end.starts_with("+="))
        };
        start.match_indices(name).any(|(at, _)| is_end(at))
    };
    script.commands().iter().any(|command| {
        let mut assigned = command.assignments.iter().map(|assignment| assignment.name.as_str());
        assigned.any(|assigned| assigned == name) || command.arguments().iter().any(names)
    })
}

/// Returns where a `cd` leads.
fn goal(command: &Command, sets_home: bool) -> Vec<Piece> {
    let is_goal = |word: &&Word| !word.known_start().starts_with('-') || word.literal() == Some("-");
    match command.arguments().iter().find(is_goal) {
        Some(word) => pieces(word),
        None if sets_home => vec![Piece::Unknown],
        None => vec![Piece::from("~")],
    }
}

fn is_tilde(part: &Part) -> bool {
    matches!(part, Part::Expansion(expansion) if expansion.kind == ExpansionKind::Tilde)
}

/// Returns whether an expansion at the start of a word is the user's home folder.
pub(crate) fn is_home(kind: ExpansionKind) -> bool {
    matches!(kind, ExpansionKind::Tilde | ExpansionKind::Home)
}
