//! Guards that keep sessions in their worktree.

use hookkit::shell::analyze;

use crate::change::named;
use crate::folders::commands;
use crate::git::folder;
use crate::prelude::*;
use crate::protected::shell::by_command;
use crate::protected::{Change, Does};

/// Denies changes to the main checkout and to other worktrees in a session that has a worktree of its own.
///
/// Worktrees keep several sessions out of each other's way. A model that has read a path of the main checkout, in a prompt, a
/// log or the settings of a tool, edits the file there: another session's work, or the user's own.
///
/// The session is held to a linked worktree of git if it was started in one, as with `claude --worktree`; if it entered
/// one with the tool EnterWorktree, which [`note_worktree`] remembers; or if a subagent has a worktree of its own. A
/// `cd` does not change this. After EnterWorktree the client itself denies edits elsewhere (2.1.332), but not commands.
///
/// These are denied, with a hint where to work instead:
///
/// - changes of a file in another working tree of the same repository, by Edit, Write and NotebookEdit, by a tool of an MCP
///   server that does more than read, and by a shell command, as in `protect-files`;
/// - git commands that work in another working tree (`git -C ../app commit`, `cd ../app && git pull`, `--work-tree`,
///   `GIT_DIR`), unless they only read, and `git worktree remove` and `move` of another worktree.
///
/// Files elsewhere, other repositories and submodules of the worktree pass, and so does every call in a session without a
/// worktree.
///
#[doc = include_str!("../limits/keep-to-worktree.md")]
///
/// # Errors
///
/// Fails if the target of a file's name cannot be resolved, if a command has too many long words, or if the state of
/// `note-worktree` cannot be read. Then the call is denied.
#[hook(
    PreToolUse | PreSkillShellCommand,
    matcher = "^(?:Bash|Edit|NotebookEdit|Write|mcp__.*)$",
    timeout = 5
)]
pub fn keep_to_worktree(
    call: PreToolUse<Change>,
    context: Context,
    environment: Environment,
    states: States,
) -> Result<Option<PreToolUseAnswer>, Error> {
    let Some(tree) = Tree::of(&context, &states)? else {
        return Ok(None);
    };
    let found = match &call.input {
        Change::File(file) => tree.reason(&context.path(&file.path)?),
        Change::Bash(bash) => tree.reason_of_line(&bash.command, &context, environment)?,
        Change::PowerShell(_) => None,
        Change::Other(input) => {
            let changes =
                call.tool_name.split("__").last().unwrap_or_default().split(['_', '-']).any(|word| lists(OF_GIT, word))
                    || Does::of(&call.tool_name) != Does::Read;
            let mut found = None;
            for named in named(&call.tool_name, input) {
                found = found.or(match named {
                    Named::Line(line) => tree.reason_of_line(&line, &context, environment)?,
                    Named::Path(path) | Named::Folder(path) if changes => {
                        context.path(&path).ok().and_then(|path| tree.reason(&path))
                    }
                    _ => None,
                });
            }
            found
        }
    };
    Ok(found.map(PreToolUseAnswer::deny))
}

/// Remembers the worktree that a session entered, for [`keep_to_worktree`].
///
/// # Errors
///
/// Fails if the state cannot be written. Then the client writes the error to its debug log, and the session is not held
/// to that worktree.
#[hook(PostToolUse, matcher = "EnterWorktree|ExitWorktree", timeout = 5)]
pub fn note_worktree(call: PostToolUse<Json, Place>, states: States) -> Result<(), Error> {
    let entered = fs::canonicalize(call.response.worktree).ok();
    let entered = entered.filter(|_| call.tool_name == "EnterWorktree");
    states.of_session(STATE)?.update(|state| *state = entered)
}

/// The result of a call that enters or leaves a worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Place {
    #[serde(rename = "worktreePath")]
    worktree: PathBuf,
}

/// Words in the names of git tools that change a working tree without naming a file.
const OF_GIT: &str = "add commit merge pull rebase revert stash switch";

const STATE: &str = "hookkit-guard worktree";

/// The worktree that a session is held to.
struct Tree {
    root: PathBuf,
    main: PathBuf,
}

impl Tree {
    fn of(context: &Context, states: &States) -> Result<Option<Self>, Error> {
        let linked = |folder: &Path| {
            let folder = fs::canonicalize(folder).ok()?;
            let (root, main) = trees(&folder)?;
            (root != main).then(|| Self { root: root.to_owned(), main })
        };
        let start = linked(&context.project_dir);
        let is_other = |tree: &Self| start.as_ref().is_none_or(|start| start.root != tree.root);
        if let Some(here) = linked(&context.cwd).filter(is_other) {
            let is_entered =
                || Ok::<_, Error>(states.of_session::<Option<PathBuf>>(STATE)?.read()?.as_ref() == Some(&here.root));
            if context.agent_id.is_some() || is_entered()? {
                return Ok(Some(here));
            }
        }
        Ok(start)
    }

    /// Returns the root of another working tree of this repository that contains a path whose links are resolved.
    fn other(&self, mut path: &Path) -> Option<PathBuf> {
        loop {
            let (root, main) = trees(path)?;
            if main == self.main {
                return (root != self.root).then(|| root.to_owned());
            }
            // A submodule is a part of the tree around it.
            path = root.parent().filter(|_| root.join(".git").is_file())?;
        }
    }

    fn reason(&self, path: &ProjectPath) -> Option<String> {
        let others = path.names().filter_map(|name| fs::canonicalize(name).ok());
        let (other, file) =
            [path.resolved.clone()].into_iter().chain(others).find_map(|file| Some((self.other(&file)?, file)))?;
        let own = self.root.join(file.strip_prefix(&other).unwrap_or(&file));
        Some(format!(
            "`{path}` is in `{}`, another working tree of this repository. The session works in a worktree: use `{}` \
             instead. If the other working tree is meant, ask the user",
            other.display(),
            own.display()
        ))
    }

    /// Returns the reason not to run a shell line.
    fn reason_of_line(&self, text: &str, context: &Context, environment: Environment) -> Result<Option<String>, Error> {
        let script = &analyze(text);
        let line = Line { text, script, context, environment };
        let commands = valued(&commands(script), line);
        let along = Along::of_made(line);
        for (command, targets) in commands.iter().zip(by_command(&commands, |_| Vec::new())?) {
            let folders = along.at(command);
            let paths = targets.into_iter().map(|target| match literal(&target.pieces) {
                Some(path) => (path.to_owned(), target.use_of),
                None => (parted(&target.pieces).0, Use::File),
            });
            let paths: Vec<(String, Use)> = paths.filter(|(path, _)| !path.is_empty()).collect();
            for context in &folders.contexts {
                let is_own_link = |path: &str| {
                    let path = context.absolute(path);
                    let folder = path.parent().and_then(|folder| fs::canonicalize(folder).ok());
                    path.is_symlink() && folder.is_some_and(|folder| self.other(&folder).is_none())
                };
                for (path, use_of) in &paths {
                    if *use_of == Use::Whole && !path.ends_with('/') && is_own_link(path) {
                        continue;
                    }
                    if let Some(why) = self.reason(&context.path(path)?) {
                        return Ok(Some(why));
                    }
                }
                if let Some(other) = self.changed_by_git(command, context) {
                    return Ok(Some(format!(
                        "`{command}` works in `{}`, another working tree of this repository. The session works in a \
                         worktree: run git in `{}`. If the other working tree is meant, ask the user",
                        other.display(),
                        self.root.display()
                    )));
                }
            }
        }
        Ok(None)
    }

    /// Returns the other working tree that a git command changes, directly or by a variable for later commands.
    fn changed_by_git(&self, command: &Command, context: &Context) -> Option<PathBuf> {
        let other = |place: PathBuf| self.other(&fs::canonicalize(place).ok()?);
        let variables = assigned(command).filter(|(name, _)| name.starts_with("GIT_"));
        let mut variables = variables.filter_map(|(_, value)| Some(context.absolute(value.literal()?)));
        let Some(git) = Git::of(command) else {
            return variables.find_map(other);
        };
        let named = git.options.iter().filter_map(|word| word.literal()?.rsplit('=').next());
        let words: Vec<&str> = git.words.iter().filter_map(Word::literal).collect();
        let trees = match words[..] {
            ["worktree", "move" | "remove", ref names @ ..] => names,
            _ => &[],
        };
        let named = named.chain(trees.iter().copied()).map(|name| context.absolute(name));
        let mut places = variables.chain([folder(command, context)]).chain(named);
        let mut plain = command.clone();
        plain.words.drain(1..=git.options.len());
        places.find_map(other).filter(|_| effects::reads(&plain).is_none())
    }
}
