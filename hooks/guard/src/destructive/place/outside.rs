//! Files outside the project that a line makes or overwrites.

use super::{Places, Target, is_in, paths};
use crate::effects::programs::program_name;
use crate::prelude::*;
use crate::words::operands;

/// Maximum number of files, or links, to look for.
const MOST: usize = 32;

/// Returns the new files that redirections of a line make: the line may delete them, unless it moves something there.
pub(super) fn made(script: &Script, along: &Along) -> Vec<PathBuf> {
    let has = |programs: &str| script.commands().iter().any(|command| command.is(programs));
    if !has("rm") || has("ln mount mv rename rsync") {
        return Vec::new();
    }
    let files = script.commands().iter().flat_map(|command| {
        let contexts = &along.at(command).contexts;
        (command.redirections.iter().filter(replaces))
            .filter_map(|to| to.target.literal())
            .flat_map(|name| contexts.iter().map(move |context| context.absolute(name)))
    });
    files
        .take(MOST)
        .filter(|file| file.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound))
        .collect()
}

/// Returns the links that a line makes; their targets are not looked up.
pub(super) fn links(script: &Script, along: &Along) -> Vec<PathBuf> {
    let links = script
        .commands()
        .iter()
        .filter(|command| program_name(command) == "ln" && Read::any(command).writes("s symbolic"))
        .flat_map(|command| {
            let contexts = &along.at(command).contexts;
            let operands = operands(command);
            // A single operand is the target, whose name the link gets.
            let link = |word: &Word| match operands.len() {
                1 => parted(&pieces(word)).1.pop().unwrap_or_default(),
                _ => pieces(word),
            };
            // A name that is not literal may be any path.
            let names = operands.last().and_then(|word| paths(&link(word)));
            names
                .unwrap_or_else(|| vec!["/".into()])
                .into_iter()
                .flat_map(|name| contexts.iter().map(move |context| context.absolute(&name)))
        });
    let links: Vec<PathBuf> = links.take(MOST).collect();
    match links.len() {
        // Any path may lead through one of them.
        MOST => vec![PathBuf::from("/")],
        _ => links,
    }
}

/// Returns `true` for a redirection that replaces a file. Errors on stderr are not the user's work.
fn replaces(to: &&Redirection) -> bool {
    use RedirectionOperator::{Clobber, Output, OutputAndError};
    matches!(to.operator, Clobber | Output | OutputAndError) && to.descriptor != Some(2)
}

impl Places {
    /// Returns `true` if a command overwrites a file with content outside the project.
    pub(crate) fn overwrites(&self, command: &Command, changes: &[Changed]) -> bool {
        let has = |names| Read::any(command).writes(names);
        let is_other = |name: &[Piece]| self.files(name).iter().any(|path| self.is_others(path));
        let mut redirected = command.redirections.iter().filter(replaces);
        let by_program = || match program_name(command) {
            "tee" | "sponge" => !has("a append") && operands(command).into_iter().any(|word| is_other(&pieces(word))),
            "cp" | "install" | "mv" => {
                !has("n no-clobber")
                    && changes
                        .iter()
                        .filter(|change| !matches!(change.use_of, Use::Mode | Use::Whole))
                        .any(|change| is_other(&change.pieces))
            }
            _ => false,
        };
        redirected.any(|to| is_other(&pieces(&to.target))) || by_program()
    }

    /// Returns `true` for a file of the user or the system that has content and is not meant to be replaced.
    fn is_others(&self, path: &Path) -> bool {
        let is_of_kernel = is_in(path, "/dev:/proc:/sys");
        let is_report = path.extension().is_some_and(|end| lists("err log out pid", &end.to_string_lossy()));
        !is_of_kernel
            && !is_report
            && matches!(self.known.kind(path), Target::Outside | Target::System)
            && path.metadata().is_ok_and(|file| file.is_file() && file.len() > 0)
    }
}
