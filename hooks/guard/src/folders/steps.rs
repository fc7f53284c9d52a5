//! The folders that a line changes to, command by command.

use std::mem;

use super::{Folders, Ways, goal, is_cd};
use crate::prelude::*;

/// The folders along a line.
pub(super) struct Steps {
    /// The folders of each command so far, with its position.
    pub taken: Vec<(usize, Rc<Folders>)>,
    /// End of the last command.
    end: usize,
    /// The folders in which the last command ran.
    last: Rc<Folders>,
    /// Folders after the commands so far: if the last command succeeded, and if it failed.
    succeeded: Rc<Folders>,
    failed: Rc<Folders>,
    /// All folders that the line was in.
    ever: Folders,
    has_gone: bool,
    /// Folders of the last command if it is an exit after `||`: `cd x || exit`.
    left: Option<Rc<Folders>>,
    /// `true` while the line is a plain list: after a branch or a subshell, other folders are possible.
    is_list: bool,
}

impl Steps {
    pub(super) fn at(here: Folders) -> Self {
        let start = Rc::new(here.clone());
        Self {
            taken: Vec::new(),
            end: 0,
            last: start.clone(),
            succeeded: start.clone(),
            failed: start,
            ever: here,
            has_gone: false,
            left: None,
            is_list: true,
        }
    }

    pub(super) fn go(&mut self, line: Line, command: &Command, ways: &Ways, whole: &Folders) {
        // A command that another one runs is within it.
        if command.span.start < self.end {
            return;
        }
        let before = line.between(self.end, command.span.start).trim();
        self.end = command.span.end;
        self.is_list &= matches!(before, "" | ";" | "&&" | "||" | "|");
        // In the background, or in a pipeline, only a subshell was left.
        if let Some(left) = self.left.take().filter(|_| !matches!(before, "" | ";" | "&&")) {
            self.failed = left;
        }
        let here = match before {
            "&&" => self.succeeded.clone(),
            "||" => self.failed.clone(),
            "|" => self.last.clone(),
            _ => joined(&self.succeeded, &self.failed),
        };
        self.taken.push((command.span.start, here.clone()));
        let after = self.after(command, &here, ways, whole);
        self.ever.join(&after);
        let is_exit = before == "||" && leaves(command) && self.is_list;
        (self.succeeded, self.failed) = match before {
            // The line only continues if it did not run.
            "||" if is_exit => (self.succeeded.clone(), self.succeeded.clone()),
            "&&" => (after, joined(&self.failed, &here)),
            "||" => (joined(&self.succeeded, &after), here.clone()),
            "|" => (joined(&self.succeeded, &after), joined(&self.failed, &after)),
            _ => (after, here.clone()),
        };
        if before.ends_with('!') {
            self.succeeded = joined(&self.succeeded, &self.failed);
            self.failed = self.succeeded.clone();
        }
        self.left = is_exit.then(|| here.clone());
        self.last = here;
    }

    /// Returns the folders after a command that succeeds.
    fn after(&mut self, command: &Command, here: &Rc<Folders>, ways: &Ways, whole: &Folders) -> Rc<Folders> {
        // A script may go anywhere; for now it is assumed to go where the line goes.
        if command.is_named(". source") {
            return joined(here, &Rc::new(whole.clone()));
        }
        if !is_cd(command) {
            return here.clone();
        }
        let had_gone = mem::replace(&mut self.has_gone, true);
        let after = match Way::of(command, ways) {
            Way::Back if had_gone => Rc::new(self.ever.clone()),
            Way::To(goal) => Rc::new(here.after(&goal)),
            Way::Back | Way::Unknown => Rc::new(Folders::clone(here).lost()),
        };
        // In a pipeline it may run in a subshell.
        if command.via.last() == Some(&Via::Pipeline) { joined(here, &after) } else { after }
    }
}

fn joined(some: &Rc<Folders>, others: &Rc<Folders>) -> Rc<Folders> {
    if Rc::ptr_eq(some, others) {
        return some.clone();
    }
    let mut joined = Folders::clone(some);
    joined.join(others);
    Rc::new(joined)
}

/// Returns `true` for an `exit` of the shell itself, in a form that every shell accepts.
fn leaves(command: &Command) -> bool {
    let is_status = |word: &Word| match &word.parts[..] {
        [Part::Literal(text)] => text.len() <= 3 && consists_of("0123456789", text),
        [status] => status.is(ExpansionKind::Number),
        _ => false,
    };
    let arguments = command.arguments();
    command.is_named("exit") && command.via.is_empty() && arguments.len() <= 1 && arguments.iter().all(is_status)
}

/// The move of a builtin that changes folders.
enum Way {
    To(Name),
    /// Back to an earlier folder.
    Back,
    Unknown,
}

impl Way {
    fn of(command: &Command, ways: &Ways) -> Self {
        let is_stack = command.is_named("popd pushd");
        let is_number = |word: &Word| {
            let digits = word.known_start().strip_prefix(['+', '-']);
            digits.is_some_and(|digits| !digits.is_empty() && consists_of("0123456789", digits))
        };
        let is_option = |word: &Word| word.is_option() && word.known_start().len() > 1;
        match command.arguments() {
            [] if is_stack => Self::Back,
            [word] if is_number(word) || word.is("-") => Self::Back,
            _ if command.is_named("popd") => Self::Unknown,
            [_] | [] => Self::goal(command, ways),
            // `pushd -n` does not move, and with two names zsh replaces a part of the folder's name.
            [option, word] if !is_stack && is_option(option) && !is_option(word) && !is_number(word) => {
                Self::goal(command, ways)
            }
            _ => Self::Unknown,
        }
    }

    fn goal(command: &Command, ways: &Ways) -> Self {
        if command.arguments().last().is_some_and(|word| word.known_start().starts_with('+')) {
            Self::Unknown
        } else {
            Self::To(goal(command, ways.sets_home))
        }
    }
}
