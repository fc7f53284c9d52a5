//! Folders in which the commands of a line may run, and the user's home folders.

mod steps;

use std::mem;

use hookkit::project::in_homes;

use self::steps::Steps;
use crate::effects::programs::role;
use crate::prelude::*;
use crate::variables::MADE;
use crate::words::{is_brace, past_folder, without_braces};

/// Maximum number of folders to follow a line through.
const MOST: usize = 16;

/// Maximum number of words from all braces of a line, and from the braces of one word.
const MOST_WORDS: usize = 10_000;
const MOST_WORDS_OF_ONE: usize = 200;

/// The folders that a relative name may start from: the current folder, and folders that a `cd` or an option leads to.
#[derive(Clone)]
pub(crate) struct Folders {
    /// A context per folder, in which it is current.
    pub contexts: Vec<Rc<Context>>,
    /// `true` if there may be other folders.
    pub is_lost: bool,
}

/// The folders of a whole line, and of each command.
#[derive(Clone)]
pub(crate) struct Along {
    pub whole: Rc<Folders>,
    /// The folders of each command, with its position; empty if all commands have the same folders.
    steps: Rc<[(usize, Rc<Folders>)]>,
}

impl Along {
    /// Returns the folders of a line and of each of its commands: after `cd x &&` the folder is certain.
    ///
    /// If a function, a loop or another shell changes the folder, each command has all the folders.
    pub(crate) fn of(line: Line) -> Self {
        Self::of_commands(&going(line, false), line)
    }

    /// Returns the folders if each `mktemp` succeeds: if it fails, a changed file does no harm.
    pub(crate) fn of_made(line: Line) -> Self {
        Self::of_commands(&going(line, true), line)
    }

    /// Returns the same folders for every command.
    pub(crate) fn everywhere(whole: Rc<Folders>) -> Self {
        Self { whole, steps: Rc::from([]) }
    }

    fn of_commands(commands: &[Command], line: Line) -> Self {
        let here = Folders::at(line.context);
        let mut ways = Ways::of(line.script);
        // `${CDPATH:=/}` sets it, too.
        ways.sets_path |= line.text.contains("{CDPATH") || line.text.contains("{cdpath");
        let may_search = || line.text.contains("CDPATH") || line.text.contains("cdpath");
        let whole = Rc::new(Folders::of_all(commands, &ways, here.clone()));
        let is_later = |via: &Via| match via {
            Via::Function(_) => true,
            Via::Script(name) => lists("alias trap", name),
            _ => false,
        };
        // A function may be called `cd`.
        let defines = || {
            let mut assigned = commands.iter().flat_map(|command| &command.assignments);
            has_definition(line.script)
                || assigned.any(|set| set.name.starts_with("functions") || set.name.starts_with("aliases"))
        };
        let is_followed = |command: &Command| {
            let has_goal = is_cd(command) || !ways.goals(command).is_empty();
            !names_past_folder(command)
                && !command.via.iter().any(is_later)
                && (!has_goal
                    || is_cd(command) && command.via.iter().all(|via| matches!(via, Via::Subshell | Via::Pipeline)))
        };
        if whole.only().is_some() || may_search() || !commands.iter().all(is_followed) || defines() {
            return Self::everywhere(whole);
        }
        let mut steps = Steps::at(here);
        for command in commands {
            steps.go(line, command, &ways, &whole);
        }
        Self { whole, steps: steps.taken.into() }
    }

    /// Returns the folders of a command; `None` if all commands have the same folders.
    pub(crate) fn step(&self, command: &Command) -> Option<&Rc<Folders>> {
        let behind = self.steps.partition_point(|(start, _)| *start <= command.span.start);
        let (_, folders) = self.steps.get(behind.checked_sub(1)?)?;
        Some(folders)
    }

    /// Returns the folders of a command.
    pub(crate) fn at(&self, command: &Command) -> &Folders {
        self.step(command).unwrap_or(&self.whole)
    }
}

impl Folders {
    /// Returns the folders of all commands of a script together.
    pub(crate) fn of(script: &Script, context: &Context) -> Self {
        Self::of_all(&commands(script), &Ways::of(script), Self::at(context))
    }

    fn of_all(commands: &[Command], ways: &Ways, mut folders: Self) -> Self {
        folders.is_lost = commands.iter().any(names_past_folder);
        for command in commands {
            folders.is_lost |= ways.sets_path && goes(command);
            // Each run of a loop or a function may lead further.
            let may_repeat = (command.via.iter()).any(|via| matches!(via, Via::Loop | Via::Function(_)));
            for goal in ways.goals(command) {
                folders.is_lost |= may_repeat && !is_absolute(&goal);
                folders.join(&folders.after(&goal));
            }
        }
        folders
    }

    /// Returns the only folder, if it is certain.
    pub(crate) fn only(&self) -> Option<&Context> {
        match &self.contexts[..] {
            [context] if !self.is_lost => Some(context),
            _ => None,
        }
    }

    /// Returns the current folder as the only one.
    pub(crate) fn at(context: &Context) -> Self {
        Self { contexts: vec![Rc::new(context.clone())], is_lost: false }
    }

    /// Returns the folders, marked as incomplete.
    pub(crate) fn lost(mut self) -> Self {
        self.is_lost = true;
        self
    }

    /// Returns the folders after a successful `cd`.
    fn after(&self, goal: &[Piece]) -> Self {
        // `-` is the previous folder, and names of the kernel may be any folder.
        let is_any = |name: &str| name == "-" || name.starts_with("/proc/") || name.starts_with("/dev/fd/");
        let Some(name) = literal(goal).filter(|name| !is_any(name)) else {
            return self.clone().lost();
        };
        let is_absolute = is_absolute(goal);
        // The maximum is reached.
        if self.is_lost && !is_absolute && self.contexts.len() == MOST {
            return self.clone();
        }
        let mut after = Self { contexts: Vec::new(), is_lost: self.is_lost && !is_absolute };
        // An absolute name is the same from each folder.
        let most = if is_absolute { 1 } else { MOST };
        for context in self.contexts.iter().take(most) {
            let cwd = context.absolute(name);
            let mut context = Context::clone(context);
            context.cwd = cwd;
            after.add(Rc::new(context));
        }
        after
    }

    /// Returns the folders, and below each of them the folders that a command names for itself.
    pub(crate) fn within(mut self, names: &[Name]) -> Self {
        for name in names {
            self.join(&self.after(name));
        }
        self
    }

    fn join(&mut self, others: &Self) {
        self.is_lost |= others.is_lost;
        others.contexts.iter().for_each(|context| self.add(context.clone()));
    }

    fn add(&mut self, context: Rc<Context>) {
        // Contexts differ in nothing else.
        if self.contexts.iter().any(|known| known.cwd == context.cwd) {
            return;
        }
        match self.contexts.len() {
            MOST => self.is_lost = true,
            _ => self.contexts.push(context),
        }
    }
}

/// Returns `true` for a builtin that changes the shell's folder.
fn is_cd(command: &Command) -> bool {
    command.is_named("cd chdir popd pushd")
}

/// Returns `true` if a script changes the meaning of a name, as by a function or an alias.
pub(crate) fn has_definition(script: &Script) -> bool {
    let mut unanalyzed = script.unanalyzed().iter();
    unanalyzed.any(|unanalyzed| unanalyzed.why == Why::Definition)
}

fn is_absolute(goal: &[Piece]) -> bool {
    literal(goal).is_some_and(|goal| goal.starts_with(['/', '~']))
}

/// Returns `true` for a command that changes the shell's folder.
pub(crate) fn goes(command: &Command) -> bool {
    command.is("cd chdir popd pushd")
}

/// Facts about a script that decide how its commands change folders.
struct Ways {
    sets_home: bool,
    sets_path: bool,
    /// `true` if git runs a script.
    runs_by_git: bool,
}

impl Ways {
    fn of(script: &Script) -> Self {
        let goes = script.commands().iter().any(goes);
        Self {
            sets_home: goes && sets(script, "HOME"),
            sets_path: goes && ["CDPATH", "cdpath"].iter().any(|name| sets(script, name)),
            runs_by_git: (script.commands().iter()).any(|command| command.via.contains(&Via::Script("git".to_owned()))),
        }
    }

    /// Returns the folders that a command changes to, except returns to earlier folders.
    fn goals(&self, command: &Command) -> Vec<Name> {
        match command.program() {
            Some("cd" | "chdir") => vec![goal(command, self.sets_home)],
            Some("pushd") => {
                let goal = (!command.arguments().iter().all(|word| word.known_start().starts_with(['+', '-'])))
                    .then(|| goal(command, self.sets_home));
                Vec::from_iter(goal)
            }
            Some("git") if self.runs_by_git => {
                command.arguments().windows(2).filter(|pair| pair[0].is("-C")).map(|pair| pieces(&pair[1])).collect()
            }
            // Without these options it runs in a folder of the machine or the user.
            Some("systemd-run") if !command.has_argument("--scope --same-dir") => {
                vec![vec![Piece::Unknown]]
            }
            // An existing window may be in any folder.
            Some("tmux")
                if command
                    .arguments()
                    .iter()
                    .any(|word| word.is("send send-keys") || word.is_option() && word.to_string().contains('c')) =>
            {
                vec![vec![Piece::Unknown]]
            }
            program => {
                let read = match role(command) {
                    Some(Role::Command) => Read::of(command).map(Read::leading),
                    _ if program == Some("patch") => Read::of(command),
                    _ => None,
                };
                read.map(|read| read.values(Role::Folder)).unwrap_or_default()
            }
        }
    }
}

/// Returns `true` if a word starts at a previous folder of the shell: `~-/x`.
fn names_past_folder(command: &Command) -> bool {
    command.texts().any(|word| past_folder(word.parts.get(1)).is_some() && word.parts[0].is(ExpansionKind::Tilde))
}

/// Returns hookkit's own paths outside of projects, from a row of [`hookkit::protocol::guards::ELSEWHERE`].
pub(crate) fn elsewhere(&(variable, path): &(&str, &str), environment: Environment) -> Vec<PathBuf> {
    if variable == "HOME" {
        return in_homes(environment, path);
    }
    let folder = environment.variable(variable).map(PathBuf::from);
    let folder = folder.filter(|folder| folder.is_absolute());
    folder.map(|folder| folder.join(path)).into_iter().collect()
}

/// Returns the commands of a script, with their braces expanded. If a command may set `HOME`, each `$HOME` and `~`
/// becomes an ordinary variable; if a command may define `pwd`, `"$(pwd)"` becomes ordinary output.
pub(crate) fn commands(script: &Script) -> Cow<'_, [Command]> {
    let sets_home = sets(script, "HOME");
    // A function may be called `pwd`.
    let defines = has_definition(script);
    let mut parts = (script.commands().iter()).flat_map(Command::texts).flat_map(|word| &word.parts);
    if !sets_home && !parts.any(|part| is_brace(part) || defines && part.is(ExpansionKind::Folder)) {
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
        command.words = mem::take(&mut command.words).into_iter().flat_map(&mut expanded).collect();
        for redirection in mem::take(&mut command.redirections) {
            for target in expanded(redirection.target.clone()) {
                let mut redirection = redirection.clone();
                redirection.target = target;
                command.redirections.push(redirection);
            }
        }
        let targets = (command.redirections.iter_mut()).map(|redirection| &mut redirection.target);
        for word in command.words.iter_mut().chain(targets) {
            let is_past = past_folder(word.parts.get(1)).is_some();
            for part in &mut word.parts {
                match part {
                    Part::Expansion(expansion) if sets_home && is_home(expansion.kind) && !is_past => {
                        expansion.kind = ExpansionKind::Parameter;
                    }
                    Part::Expansion(expansion) if defines && expansion.kind == ExpansionKind::Folder => {
                        expansion.kind = ExpansionKind::Command;
                    }
                    _ => {}
                }
            }
        }
    }
    commands.into()
}

/// Returns the commands of a line, with values of variables in the goals of `cd`; the folder of a `mktemp` is used if
/// `makes` is `true`.
fn going(line: Line<'_>, makes: bool) -> Cow<'_, [Command]> {
    let commands = commands(line.script);
    if !line.text.contains(['$', '`']) || !commands.iter().any(goes) {
        return commands;
    }
    let variables = Variables::of(Line { environment: Environment::default(), ..line });
    let going = |command: &Command| {
        let own = vec![command.clone()];
        if !goes(command) {
            return own;
        }
        let valued = variables.commands(command).into_owned();
        let is_made = valued.iter().any(|command| command.has_argument(MADE));
        if is_made && !(makes && valued.len() == 1) { own } else { valued }
    };
    commands.iter().flat_map(going).collect::<Vec<_>>().into()
}

/// Returns `true` if a command of a script may set a variable.
fn sets(script: &Script, name: &str) -> bool {
    let first = name.as_bytes().first();
    let names = |word: &Word| {
        let start = word.known_start();
        // Nearly all words end here: searching for a string costs more than for a byte.
        if first.is_some_and(|first| !start.as_bytes().contains(first)) {
            return false;
        }
        // After `-v`, or another option, it can be in the same word.
        let is_end = |at: usize| {
            let end = &start[at + name.len()..];
            let is_whole = start.starts_with('-') || !start[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            is_whole && (end.is_empty() || end.starts_with('=') || end.starts_with("+="))
        };
        start.match_indices(name).any(|(at, _)| is_end(at))
    };
    script
        .commands()
        .iter()
        .any(|command| command.assignments.iter().any(|set| set.name == name) || command.arguments().iter().any(names))
}

/// Returns the goal of a `cd`.
fn goal(command: &Command, sets_home: bool) -> Name {
    match command.arguments().iter().find(|word| !word.is_option() || word.is("-")) {
        Some(word) => pieces(word),
        None if sets_home => vec![Piece::Unknown],
        None => exact("~"),
    }
}

/// Returns `true` if an expansion at the start of a word is the user's home folder.
pub(crate) fn is_home(kind: ExpansionKind) -> bool {
    matches!(kind, ExpansionKind::Tilde | ExpansionKind::Home)
}
