//! The branches that a line switches to, command by command.

use std::{io, iter};

use super::ProtectedBranches;
use crate::git;
use crate::prelude::*;

/// A branch that a line switches to.
#[derive(Clone, Copy)]
pub(super) struct Head<'c> {
    /// The name, or its literal prefix.
    pub name: &'c str,
    /// The protected branch that this branch starts from.
    pub start: Option<&'c str>,
    /// `true` if the name may be a file that `git checkout` restores.
    may_be_file: bool,
}

/// A set of a [`Way`]'s branches, one bit each.
type Heads = u32;

/// The branches that a line visits in one work tree.
struct Way<'c> {
    root: PathBuf,
    /// `true` if the line may have switched branches in another folder.
    is_lost: bool,
    /// The branches so far; `None` is the branch that git reports as current.
    heads: Vec<Option<Head<'c>>>,
    /// Branches on which the last command may have run, and the branches before the last switch.
    here: Heads,
    previous: Heads,
    /// Branches after the last command or pipeline: if it succeeds, and if it fails.
    ran: (Heads, Heads),
    /// Branches if the last command is skipped: after a success, and after a failure.
    skipped: (Heads, Heads),
}

/// The effect of a command on the current branch.
#[derive(Clone, Copy)]
enum Step<'c> {
    Stays,
    To(Head<'c>),
    Back,
    /// Switches to the branch where the line begins.
    Start,
    /// May switch to this branch, or to any earlier branch of the line.
    Unknown(Option<Head<'c>>),
}

impl<'c> Way<'c> {
    fn at(root: PathBuf, head: Option<Head<'c>>) -> Self {
        Self { root, is_lost: false, heads: vec![head], here: 1, previous: 0, ran: (1, 1), skipped: (0, 0) }
    }

    fn all(&self) -> Heads {
        Heads::MAX >> (Heads::BITS as usize - self.heads.len())
    }

    /// Applies the step of a command that follows the operator `before`.
    fn go(&mut self, before: &str, step: Step<'c>) {
        let (succeeded, failed) = (self.ran.0 | self.skipped.0, self.ran.1 | self.skipped.1);
        (self.here, self.skipped) = match before {
            "&&" => (succeeded, (0, failed)),
            "||" => (failed, (succeeded, 0)),
            "|" => (self.here, self.skipped),
            "" | ";" => (succeeded | failed, (0, 0)),
            _ => (self.all(), (0, 0)),
        };
        let after = match step {
            Step::Stays => self.here,
            Step::Back if self.previous != 0 => self.previous,
            Step::Start => 1,
            Step::To(head) => self.add(head),
            Step::Unknown(Some(head)) => self.all() | self.add(head),
            Step::Back | Step::Unknown(None) => self.all(),
        };
        if !matches!(step, Step::Stays) {
            self.previous = self.here;
        }
        let any = after | self.here;
        self.ran = match before {
            "|" => (self.ran.0 | self.ran.1 | any, self.ran.0 | self.ran.1 | any),
            _ if before.ends_with('!') => (any, any),
            _ => (after, self.here),
        };
    }

    /// Applies the step of a command that another command runs.
    fn go_within(&mut self, step: Step<'c>) {
        if let Step::To(head) | Step::Unknown(Some(head)) = step {
            self.add(head);
        }
        if !matches!(step, Step::Stays) {
            self.ran = (self.all(), self.all());
        }
    }

    fn add(&mut self, head: Head<'c>) -> Heads {
        if self.heads.len() == Heads::BITS as usize {
            return self.all();
        }
        self.heads.push(Some(head));
        1 << (self.heads.len() - 1)
    }
}

/// The branches that a line visits in each of its work trees.
#[derive(Default)]
pub(super) struct Ways<'c> {
    ways: Vec<Way<'c>>,
    /// The end of the last command in the line.
    end: usize,
    /// `true` if the order of this command among the others is uncertain.
    is_somewhere: bool,
    /// `true` if a variable may name a branch other than the line's first.
    is_other: bool,
}

impl<'c> Ways<'c> {
    /// Applies a command in each folder where it may run.
    pub(super) fn follow(&mut self, line: Line, command: &'c Command, folders: &Folders, config: &ProtectedBranches) {
        let is_within = command.span.start < self.end
            || !command.via.iter().all(|via| matches!(via, Via::Pipeline | Via::Subshell));
        self.is_somewhere = is_within && command.span.start >= self.end;
        let git = Git::of(command);
        let mut step = Step::of(command, git.as_ref(), config);
        self.is_other |= !self.ways.is_empty() && command.via.contains(&Via::CommandSubstitution);
        let mut roots = Vec::new();
        if git.is_some() && !matches!(step, Step::Stays) {
            roots.extend(
                folders.contexts.iter().map(|context| git::folder(command, context)).map(|folder| root(&folder)),
            );
        }
        let is_one = roots.windows(2).all(|roots| roots[0] == roots[1]);
        step = match step {
            Step::To(head) if !is_one => Step::Unknown(Some(head)),
            Step::Start if !is_one || self.is_other => Step::Unknown(None),
            step => step,
        };
        for root in &roots {
            if self.ways.iter().all(|way| way.root != *root) {
                self.ways.push(Way::at(root.clone(), None));
            }
        }
        for way in self.ways.iter_mut().filter(|way| roots.contains(&way.root)) {
            way.is_lost = folders.is_lost;
        }
        // A backslash continues the line.
        let before = line.between(self.end, command.span.start).trim_matches(|c: char| c.is_whitespace() || c == '\\');
        for way in &mut self.ways {
            let step = if roots.is_empty() || roots.contains(&way.root) { step } else { Step::Stays };
            if is_within { way.go_within(step) } else { way.go(before, step) }
        }
        if !is_within {
            self.end = command.span.end;
        }
        self.ways.extend(
            git.and_then(|git| made(&git, command, folders))
                .filter(|(root, _)| !root.exists())
                .map(|(root, head)| Way::at(root, Some(head))),
        );
    }

    /// Returns the work tree of a command in a folder, and the branches that may be current there; `None` is the branch
    /// that git reports.
    ///
    /// A folder that does not exist yet is created by an earlier command, and may belong to the repository of `here`.
    ///
    /// # Errors
    ///
    /// Fails if git fails.
    pub(super) fn heads(
        &self,
        folder: &Path,
        is_lost: bool,
        here: &Path,
    ) -> io::Result<(Option<WorkTree>, Vec<Option<Head<'c>>>)> {
        let found = WorkTree::find(folder);
        let made = self.ways.iter().find(|way| !way.root.exists() && folder.starts_with(&way.root));
        let is_there = found.is_some() || made.is_some();
        let tree = found.or_else(|| WorkTree::find(here));
        let root = tree.as_ref().map_or(folder, WorkTree::root);
        let Some(way) = made.or_else(|| self.ways.iter().find(|way| way.root == root)) else {
            return Ok((tree, vec![None]));
        };
        let mut some = if is_there && !self.is_somewhere && (way.is_lost || !is_lost) { way.here } else { way.all() };
        let among = |some: Heads| (way.heads.iter().enumerate()).filter(move |(number, _)| some & 1 << number != 0);
        for head in among(some).filter_map(|(_, head)| head.filter(|head| head.may_be_file)) {
            if !tree.as_ref().map_or(Ok(false), |tree| is_branch(tree, head.name))? {
                some = way.all();
            }
        }
        Ok((tree, among(some).map(|(_, head)| *head).collect()))
    }
}

/// Returns the root of a folder's work tree, or the folder itself outside a work tree.
fn root(folder: &Path) -> PathBuf {
    WorkTree::find(folder).map_or_else(|| folder.to_owned(), |tree| tree.root().to_owned())
}

/// Asks git whether this repository or a remote has a branch of this name.
fn is_branch(tree: &WorkTree, name: &str) -> io::Result<bool> {
    let names = [format!("refs/heads/{name}"), format!("refs/remotes/*/{name}")];
    Ok(!tree.read("for-each-ref", iter::once("--count=1".to_owned()).chain(names))?.stdout_text().trim().is_empty())
}

/// Returns the folder that `git worktree add` makes, with its branch.
fn made<'c>(git: &Git<'c>, command: &Command, folders: &Folders) -> Option<(PathBuf, Head<'c>)> {
    let [name, verb, ..] = git.words else { return None };
    (name.is("worktree") && verb.is("add")).then_some(())?;
    let read = Read::of_git(git.words);
    let mut operands = read.words().into_iter().map(Word::known_start);
    let path = operands.next()?;
    let context = folders.only()?;
    let name =
        read.value("B b").or_else(|| operands.next()).or_else(|| path.trim_end_matches('/').rsplit('/').next())?;
    Some((Context::absolute(context, git::folder(command, context).join(path)), Head::of(name)))
}

impl<'c> Head<'c> {
    fn of(name: &'c str) -> Self {
        Self { name, start: None, may_be_file: false }
    }
}

impl<'c> Step<'c> {
    fn of(command: &'c Command, git: Option<&Git<'c>>, config: &ProtectedBranches) -> Self {
        /// Git commands that stay on the branch.
        const STAY: &str = "add apply blame branch cherry-pick clean clone commit config describe diff fetch grep log ls-files \
            ls-remote merge merge-base mv pull push remote reset restore rev-parse revert rm show status tag worktree";
        /// Builtins that may run commands that are not in the line.
        const RUN: &str = ". eval exec source";
        let Some(git) = git else {
            let is_unknown = (command.program().is_none() && !command.words.is_empty() || command.is(RUN))
                || assigned(command).any(|(name, _)| name.starts_with("GIT_"))
                || command.is("gh") && command.has_argument("checkout");
            return if is_unknown { Self::Unknown(None) } else { Self::Stays };
        };
        let Some((name, rest)) = git.words.split_first() else {
            return Self::Stays;
        };
        let has = |options| rest.iter().any(|word| lists(options, word.known_start()));
        let operands = || rest.iter().filter(|word| !word.is_option());
        match name.literal() {
            Some("checkout" | "switch") => Self::of_switch(name.is("switch"), rest, config),
            Some("branch") if has("-m -M --move") => Self::Unknown(None),
            Some("stash") if !has("branch") => Self::Stays,
            Some("rebase") if operands().count() < 2 => Self::Stays,
            Some(name) if lists(STAY, name) => Self::Stays,
            _ => Self::Unknown(None),
        }
    }

    /// Returns the effect of a `checkout` or a `switch`.
    fn of_switch(is_switch: bool, words: &'c [Word], config: &ProtectedBranches) -> Self {
        const NEW: &str = "-b -B -c -C --create --force-create --orphan";
        const PLAIN: &str = "-f -q -t -- --force --no-track --quiet --track";
        let has = |options| words.iter().any(|word| lists(options, word.known_start()));
        let (is_new, tracks) = (has(NEW), has("-t --track"));
        let (options, operands): (Vec<&Word>, Vec<&Word>) =
            words.iter().partition(|word| word.is_option() && !word.is("-"));
        // Words after `--`, or after the name of another commit, are files.
        let is_of_files = words.iter().rev().skip(1).any(|word| word.is("--"));
        let is_plain = options.iter().all(|option| option.is(PLAIN) || is_new && option.is(NEW));
        let past_remote = |word: &&'c Word| Some(word.known_start().split_once('/')?.1);
        let protected = |name: &&'c str| config.has(name);
        match &operands[..] {
            _ if is_of_files => Self::Stays,
            [word] if word.is("-") => Self::Back,
            // Variables hold the name of the branch where the line begins.
            [word] if word.is("HEAD") && options.is_empty() => Self::Start,
            // Every name with this beginning is new, too.
            [word, from @ ..] if is_new && is_plain && from.len() < 2 => {
                let start = from.first().and_then(past_remote).filter(protected);
                let name = word.known_start();
                Self::To(Head { start, ..Head::of(name) })
            }
            [word] if is_plain && word.literal().is_some_and(|name| !name.starts_with('@')) => {
                let name = past_remote(word).filter(|_| tracks).unwrap_or(word.known_start());
                let start = Some(name).filter(|name| tracks && config.has(name));
                let may_be_file = !is_switch && !tracks && options.is_empty();
                Self::To(Head { name, start, may_be_file })
            }
            [_, _, ..] if is_plain && !is_switch => Self::Stays,
            _ => Self::Unknown(operands.iter().map(|word| word.known_start()).find(protected).map(Head::of)),
        }
    }
}
