//! Where the commands of a line may run.

use std::borrow::Cow;

use hookkit::Context;
use hookkit::shell::{Command, ExpansionKind, Part, Script, Via, Word};

/// Who changes the folder more often is not followed.
const MOST: usize = 16;

/// The folders that a relative name may be taken from: the current one, and wherever a `cd` of the line leads.
pub(crate) struct Folders {
    /// Each as that of a context.
    pub(crate) contexts: Vec<Context>,
    /// Whether there may be others.
    pub(crate) is_lost: bool,
}

impl Folders {
    pub(crate) fn of(script: &Script, context: &Context) -> Self {
        let mut folders = Self {
            contexts: vec![context.clone()],
            is_lost: false,
        };
        let commands = commands(script);
        let moves = commands
            .iter()
            .filter(|command| matches!(command.program(), Some("cd" | "pushd")));
        for command in moves {
            // Each time a loop or a function runs, it leads further.
            let may_repeat = (command.via.iter()).any(|via| matches!(via, Via::Loop | Via::Function(_)));
            match goal(command) {
                Some(goal) => {
                    folders.is_lost |= may_repeat && !goal.starts_with(['/', '~']);
                    folders.go(&goal);
                }
                None => folders.is_lost = true,
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

/// Returns the commands of a script. If one of them may set `HOME`, each `$HOME` is like any other variable.
pub(crate) fn commands(script: &Script) -> Cow<'_, [Command]> {
    let names_home = |word: &Word| {
        let start = word.known_start();
        start.contains("HOME=") || start.contains("HOME+=") || start.ends_with("HOME")
    };
    let sets_home = |command: &Command| {
        let mut names = command.assignments.iter().map(|assignment| assignment.name.as_str());
        names.any(|name| name == "HOME") || command.arguments().iter().any(names_home)
    };
    if !script.commands().iter().any(sets_home) {
        return script.commands().into();
    }
    let mut commands = script.commands().to_vec();
    for command in &mut commands {
        let targets = command
            .redirections
            .iter_mut()
            .map(|redirection| &mut redirection.target);
        for part in command.words.iter_mut().chain(targets).flat_map(|word| &mut word.parts) {
            if let Part::Expansion(expansion) = part
                && expansion.kind == ExpansionKind::Home
            {
                expansion.kind = ExpansionKind::Parameter;
            }
        }
    }
    commands.into()
}

/// Where a `cd` leads, with `~` for the home folder.
fn goal(command: &Command) -> Option<String> {
    let is_goal = |word: &&Word| !word.known_start().starts_with('-') || word.literal() == Some("-");
    let Some(word) = command.arguments().iter().find(is_goal) else {
        return Some("~".to_owned());
    };
    match word.parts.as_slice() {
        // In quotes a `~` is a name, and `-` is where one was before.
        [Part::Literal(text)] if text != "-" => {
            Some(format!("{}{text}", if text.starts_with('~') { "./" } else { "" }))
        }
        [Part::Expansion(home)] if is_home(home.kind) => Some("~".to_owned()),
        [Part::Expansion(home), Part::Literal(rest)] if is_home(home.kind) && rest.starts_with('/') => {
            Some(format!("~{rest}"))
        }
        _ => None,
    }
}

/// Returns whether an expansion at the start of a word is the user's home folder.
pub(crate) fn is_home(kind: ExpansionKind) -> bool {
    matches!(kind, ExpansionKind::Tilde | ExpansionKind::Home)
}
