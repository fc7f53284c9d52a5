//! Keeps the project's files as they were before each call.

use hookkit::{effects, shell};
use hookkit_snapshot::Bounds;

use crate::prelude::*;

/// Keeps the project's files before each call that may change them, so that destroyed files can be restored.
///
/// Tracked, untracked and ignored files and links are kept with their bytes and modes, in the state folder and outside
/// of the repository: no push sends them, and `git gc` and `git stash` do not touch them. Nothing is written if no file
/// has changed since the last snapshot. The snapshot contains the work tree around the project, or if there is none,
/// the project's folder.
///
/// `cargo xtask snapshots` lists snapshots by call, shows differences, and restores files; `cargo xtask bisect` finds
/// the call that broke a check.
///
/// The hook runs before edits, calls of MCP servers, and shell commands, except for commands that certainly only read
/// ([`effects::only_reads`]). It never decides about a call.
///
/// # What it leaves out
///
/// - The `.git` folders of the repository, its submodules and nested repositories. Their other files are kept.
/// - Files that exceed a limit of [`Bounds`], caches (marked by a `CACHEDIR.TAG`), folders of package managers such as
///   `node_modules`, other file systems, and files that the user cannot read. The snapshot lists their names, and the
///   user reads about new ones.
/// - Folders without files, modes of folders, owners, times, extended attributes, and the fact that two names are hard
///   links to one file.
///
/// # What it cannot see
///
/// - Files outside of the work tree, changes that a background process makes during the snapshot, and commands in the
///   text of a skill.
/// - Files of a session in the home folder or above it: nothing is kept, and the user reads that once.
///
/// # Errors
///
/// If a snapshot cannot be taken in time, git is not installed, the disk is full, or the state folder cannot be
/// written, the user reads the reason, and the call goes ahead without a snapshot. On Windows, this happens on each
/// call.
#[hook(
    PreToolUse,
    matcher = "^(?:Bash|Edit|NotebookEdit|PowerShell|Write|mcp__.*)$",
    timeout = 30,
    on_failure = continue
)]
pub fn keep_snapshots(
    call: PreToolUse,
    context: Context,
    states: States,
    environment: Environment,
    bounds: Config<Bounds>,
) -> Result<Option<PreToolUseAnswer>, Error> {
    if call.tool_name == "Bash" && call.input.word("command").is_some_and(|line| only_reads(&line)) {
        return Ok(None);
    }
    let left_out = keep(&call, &context, &states, environment, &bounds)?;
    Ok(left_out.map(|message| PreToolUseAnswer::pass().with_system_message(message)))
}

/// Removes old snapshots of the project when a session starts, in the background.
///
/// The limits are those of [`keep_snapshots`]. Snapshots that are older than [`Bounds::days`] or exceed the number
/// [`Bounds::snapshots`] are removed. If all snapshots take more than [`Bounds::store`], half of them are removed. The
/// last snapshot is kept until the project has had no call for twice the days, and a session starts in another project.
///
/// # Errors
///
/// If git fails, or a file cannot be written, the remaining snapshots are complete.
#[hook(SessionStart, matcher = "startup", async)]
pub fn expire_snapshots(context: Context, states: States, environment: Environment) -> Result<(), Error> {
    expire(&context, &states, environment)
}

/// Returns `true` if a line can be analyzed, and all of its commands only read.
fn only_reads(line: &str) -> bool {
    let script = shell::analyze(line);
    script.all_commands().is_ok_and(|commands| commands.iter().all(effects::only_reads))
}

#[cfg(unix)]
mod on_unix {
    use std::io;
    use std::mem;
    use std::process::Command;
    use std::time::Duration;

    use hookkit::process;
    use hookkit_snapshot::{Call, Store};

    use super::*;

    /// Name of the folder with the snapshots of all projects, which xtask reads.
    const FOLDER: &str = "snapshots";

    /// Takes a snapshot. Returns a message for the user, if there is one.
    pub(super) fn keep(
        call: &PreToolUse,
        context: &Context,
        states: &States,
        environment: Environment,
        bounds: &Bounds,
    ) -> Result<Option<String>, Error> {
        let Some(store) = store(context, states, environment)? else {
            let state = states.of_session::<bool>("hookkit-session keep-snapshots")?;
            let is_first = state.update(|is_reported| !mem::replace(is_reported, true))?;
            return Ok(is_first.then(|| {
                let project = context.project_dir.display();
                format!(
                    "No snapshots are taken in {project}: it contains your home folder. Start the session in a project."
                )
            }));
        };
        let input = &call.input;
        let about = ["command", "file_path", "notebook_path"].iter().find_map(|name| input.word(name));
        let kept = store.keep(
            &Call {
                session: context.session_id.clone(),
                tool: call.tool_name.clone(),
                id: call.tool_use_id.clone().unwrap_or_default(),
                about: about.unwrap_or_default(),
                transcript: context.transcript_path.display().to_string(),
                ..Call::default()
            },
            bounds,
        );
        let left_out = match kept {
            Ok(kept) => kept.left_out,
            Err(err) => {
                let folder = states.folder(FOLDER)?;
                return Err(Error::msg(format_args!(
                    "no snapshot was taken before this call: {err}; snapshots are in {}",
                    folder.display()
                )));
            }
        };
        let (first, rest) = left_out.split_at(left_out.len().min(3));
        let mut message: Vec<String> =
            first.iter().map(|(name, why)| format!("`{}` ({why})", name.escape_debug())).collect();
        if !rest.is_empty() {
            message.push(format!("and {} more, which `cargo xtask snapshots` lists", rest.len()));
        }
        Ok((!message.is_empty()).then(|| format!("Snapshots leave out {}.", message.join(", "))))
    }

    pub(super) fn expire(context: &Context, states: &States, environment: Environment) -> Result<(), Error> {
        let Some(store) = store(context, states, environment)? else {
            return Ok(());
        };
        store.remove_unused()?;
        if store.exists() {
            store.expire()?;
        }
        Ok(())
    }

    fn store(context: &Context, states: &States, environment: Environment) -> Result<Option<Store>, Error> {
        let root = hookkit_snapshot::root(&context.project_dir, environment.home().as_deref())?;
        let folder = states.folder(FOLDER)?;
        Ok(root.map(|root| Store::new(&folder, &root, run)))
    }

    /// Runs git with a time limit. Git is killed when the time is over or the hook ends.
    fn run(git: Command, input: Vec<u8>, limit: Duration) -> io::Result<Vec<u8>> {
        let output = process::Command::from(git).stdin(input).time_limit(limit).output()?;
        if output.status.success() && !output.is_cut_off {
            Ok(output.stdout)
        } else {
            Err(io::Error::other(output.stderr_text()))
        }
    }
}
#[cfg(unix)]
use on_unix::{expire, keep};

#[cfg(not(unix))]
fn keep(_: &PreToolUse, _: &Context, _: &States, _: Environment, _: &Bounds) -> Result<Option<String>, Error> {
    Err(Error::msg("no snapshot was taken before this call: this system is not supported"))
}

#[cfg(not(unix))]
fn expire(_: &Context, _: &States, _: Environment) -> Result<(), Error> {
    Ok(())
}
