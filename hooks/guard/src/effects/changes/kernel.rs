//! Files by the names that the kernel has for what a process has open.

use hookkit::shell::{Redirection, RedirectionOperator};

use super::Target;
use crate::words::{Kernel, Piece, of_kernel, pieces, within};

/// The longest path that the kernel opens (`PATH_MAX`), in bytes.
pub(crate) const LONGEST: usize = 4096;

/// Returns how many bytes of a path are known.
pub(super) fn length(path: &[Piece]) -> usize {
    let lengths = path.iter().map(|piece| match piece {
        Piece::Text(text) => text.len(),
        _ => 1,
    });
    lengths.sum()
}

/// Returns the files that a target is by a name of the kernel's. An open file is one that a redirection of the line reads.
pub(crate) fn through(target: Target, redirections: &[&Redirection]) -> Vec<Target> {
    let kernel = of_kernel(&target.pieces).filter(|_| length(&target.pieces) <= LONGEST);
    let Some((kernel, rest)) = kernel else {
        return vec![target];
    };
    let folders = match kernel {
        Kernel::Folder => vec![vec![Piece::from(".")]],
        Kernel::Root => vec![Vec::new()],
        Kernel::Descriptor(number) => read_by(number, redirections),
    };
    let targets = folders.iter().map(|folder| Target {
        pieces: within(folder, "", rest.clone()),
        ..target
    });
    // A file that is read can have such a name, too.
    targets.flat_map(|target| through(target, &[])).collect()
}

/// Returns the files that a descriptor may read; one that is not known, any.
fn read_by(number: Option<u32>, redirections: &[&Redirection]) -> Vec<Vec<Piece>> {
    /// More are not looked at.
    const MOST: usize = 50;
    use RedirectionOperator::{DuplicateInput, DuplicateOutput, Input};
    let is_copy = redirections.iter().any(|redirection| {
        let is_other = !matches!(redirection.target.literal(), Some("1" | "2" | "-"));
        let default = match redirection.operator {
            DuplicateInput => 0,
            DuplicateOutput => 1,
            _ => return false,
        };
        is_other && Some(redirection.descriptor.unwrap_or(default)) == number
    });
    let is_any = is_copy || number.is_none();
    let read = redirections
        .iter()
        .rev()
        .filter(|redirection| redirection.operator == Input);
    let read = read.filter(|read| is_any || Some(read.descriptor.unwrap_or(0)) == number);
    read.take(MOST).map(|read| pieces(&read.target)).collect()
}
