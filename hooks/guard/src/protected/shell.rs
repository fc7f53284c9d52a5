//! Which protected files a command line changes.

use std::fs;

use hookkit::shell::{Script, Unanalysed};
use hookkit::{Context, Error, ProjectPath};

use super::list::Protected;
use super::target::{Parted, Piece, Target, Use, fits, parted, targets};
use crate::folders::Folders;

/// What is to be said of a command line.
#[derive(Debug, PartialEq)]
pub(super) enum Finding {
    /// It changes what is protected.
    Changes(String),
    /// It may, by a word of which only a part is known.
    MayChange(String),
}

/// The first protected file that a command line changes, else the first that it may change.
///
/// # Errors
///
/// When the lists cannot be had, and when it cannot be told where a file's name leads.
pub(super) fn look(
    script: &Script,
    context: &Context,
    protected: impl FnOnce() -> Result<Protected, Error>,
) -> Result<Option<Finding>, Error> {
    let targets: Vec<Target> = script.commands().iter().flat_map(targets).collect();
    if targets.is_empty() && script.unanalysed().is_empty() {
        return Ok(None);
    }
    let look = Look {
        protected: protected()?,
        folders: Folders::of(script, context).contexts,
    };
    let mut doubt = None;
    for target in &targets {
        match look.target(target)? {
            Some(Finding::Changes(why)) => return Ok(Some(Finding::Changes(why))),
            found => doubt = doubt.or(found),
        }
    }
    Ok(doubt.or_else(|| script.unanalysed().iter().find_map(|text| look.named(text))))
}

struct Look {
    protected: Protected,
    folders: Vec<Context>,
}

impl Look {
    fn target(&self, target: &Target) -> Result<Option<Finding>, Error> {
        if let [Piece::Text(path)] = &target.pieces[..] {
            return self.known(path, target.use_of);
        }
        let Parted {
            folder,
            name,
            is_in_folder,
        } = parted(&target.pieces);
        if let Some(found) = self.known(&folder, Use::File)? {
            return Ok(Some(found));
        }
        if let [Piece::Text(name)] = &name[..] {
            return Ok(self.in_some_folder(name));
        }
        if !is_in_folder || !name.iter().any(Piece::says_something) {
            return Ok(None);
        }
        self.among_files(&folder, &name, target.use_of)
    }

    /// What is to be said of a path that is known, from whichever folder it is taken.
    fn known(&self, path: &str, use_of: Use) -> Result<Option<Finding>, Error> {
        if path.is_empty() || path.starts_with("/dev/") && !path.contains("..") {
            return Ok(None);
        }
        for context in &self.folders {
            let path = context.path(path)?;
            if use_of == Use::Overwritten && path.resolved.symlink_metadata().is_err() {
                continue;
            }
            if let Some(why) = self.why(&path, use_of) {
                return Ok(Some(Finding::Changes(why)));
            }
        }
        Ok(None)
    }

    fn why(&self, path: &ProjectPath, use_of: Use) -> Option<String> {
        let whole = || self.protected.reason_to_keep(path).filter(|_| use_of == Use::Whole);
        self.protected.reason(path).or_else(whole)
    }

    fn in_some_folder(&self, name: &str) -> Option<Finding> {
        let why = self.protected.reason_of_name(name)?;
        Some(Finding::MayChange(why))
    }

    /// What is to be said of the files in a folder whose names a word may become.
    fn among_files(&self, folder: &str, name: &[Piece], use_of: Use) -> Result<Option<Finding>, Error> {
        for context in &self.folders {
            let Ok(entries) = fs::read_dir(context.absolute(folder)) else {
                continue;
            };
            for entry in entries.take(MOST_FILES).flatten() {
                if !fits(&entry.file_name().to_string_lossy(), name) {
                    continue;
                }
                if let Some(why) = self.why(&context.path(entry.path())?, use_of) {
                    return Ok(Some(Finding::MayChange(why)));
                }
            }
        }
        Ok(None)
    }

    /// What is to be said of text that is no command for certain: whether it names a file.
    fn named(&self, unanalysed: &Unanalysed) -> Option<Finding> {
        let ends_name = |c: char| !c.is_alphanumeric() && !"._-+@%~/".contains(c);
        let mut names = unanalysed.text.split(ends_name).filter(|name| !name.is_empty());
        names.find_map(|name| self.in_some_folder(name.trim_start_matches('/')))
    }
}

/// A folder of more files is not looked through.
const MOST_FILES: usize = 10_000;

#[cfg(test)]
mod tests;
