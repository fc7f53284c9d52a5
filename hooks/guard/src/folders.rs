//! Where the commands of a line may run.

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
        let moves = script
            .commands()
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
        [Part::Expansion(home)] if home.kind == ExpansionKind::Tilde => Some("~".to_owned()),
        [Part::Expansion(home), Part::Literal(rest)] if home.kind == ExpansionKind::Tilde && rest.starts_with('/') => {
            Some(format!("~{rest}"))
        }
        _ => None,
    }
}
