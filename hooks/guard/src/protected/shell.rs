//! Which protected files a command line changes.

use std::fs;
use std::path::PathBuf;

use hookkit::shell::{Script, Unanalysed};
use hookkit::{Context, Error, ProjectPath};

use super::list::Protected;
use super::target::{Target, Use, linked, targets};
use crate::folders::{Folders, commands};
use crate::words::{Piece, fits, parted};

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
    let commands = commands(script);
    let by_command: Vec<Vec<Target>> = commands.iter().map(targets).collect();
    let changing = by_command.iter().filter(|targets| !targets.is_empty()).count();
    let mut targets: Vec<Target> = by_command.into_iter().flatten().collect();
    if targets.is_empty() && script.unanalysed().is_empty() {
        return Ok(None);
    }
    // The disk does not have a link yet through which another command of the line may change something.
    if changing > 1 || !script.unanalysed().is_empty() {
        targets.extend(commands.iter().flat_map(linked));
    }
    let look = Look {
        protected: protected()?,
        folders: Folders::of(script, context),
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
    folders: Folders,
}

impl Look {
    fn target(&self, target: &Target) -> Result<Option<Finding>, Error> {
        if let [Piece::Text(path)] = &target.pieces[..] {
            return self.known(path, target.use_of);
        }
        let (folder, components) = parted(&target.pieces);
        if let Some(found) = self.known(&folder, Use::File)? {
            return Ok(Some(found));
        }
        if let Some([Piece::Text(name)]) = components.last().map(Vec::as_slice)
            && let Some(found) = self.in_some_folder(name)
        {
            return Ok(Some(found));
        }
        let known = |component: &&Vec<Piece>| matches!(component[..], [Piece::Text(_)]);
        let names = components.iter().rev().take_while(known).flatten();
        let end = names.fold(String::new(), |end, name| match name {
            Piece::Text(name) if end.is_empty() => name.clone(),
            Piece::Text(name) => format!("{name}/{end}"),
            Piece::Any { .. } => end,
        });
        if let Some(why) = self.protected.reason_of_end(&end) {
            return Ok(Some(Finding::MayChange(why)));
        }
        self.among_files(&folder, &components, target.use_of)
    }

    /// What is to be said of a path that is known, from whichever folder it is taken.
    fn known(&self, path: &str, use_of: Use) -> Result<Option<Finding>, Error> {
        if path.is_empty() || path.starts_with("/dev/") && !path.contains("..") {
            return Ok(None);
        }
        let mut doubt = None;
        for context in &self.folders.contexts {
            let path = context.path(path)?;
            if matches!(use_of, Use::Overwritten | Use::Merged) && path.resolved.symlink_metadata().is_err() {
                continue;
            }
            match self.finding(&path, use_of) {
                Some(Finding::Changes(why)) => return Ok(Some(Finding::Changes(why))),
                found => doubt = doubt.or(found),
            }
        }
        let is_elsewhere = self.folders.is_lost && use_of != Use::Linked && !path.starts_with(['/', '~']);
        let elsewhere = || self.protected.reason_in_lost_folder(path).filter(|_| is_elsewhere);
        Ok(doubt.or_else(|| elsewhere().map(Finding::MayChange)))
    }

    fn finding(&self, path: &ProjectPath, use_of: Use) -> Option<Finding> {
        let protected = &self.protected;
        let in_it = || match use_of {
            Use::File | Use::Overwritten | Use::Linked => None,
            Use::Whole => protected.reason_to_keep(path).map(Finding::Changes),
            Use::Tree => protected.reason_of_tree(path).map(Finding::Changes),
            Use::Merged => protected.reason_of_users(path).map(Finding::MayChange),
        };
        match use_of {
            Use::Linked => protected.reason_of_link(path).map(Finding::MayChange),
            _ => protected.reason(path).map(Finding::Changes).or_else(in_it),
        }
    }

    fn in_some_folder(&self, name: &str) -> Option<Finding> {
        let why = self.protected.reason_of_name(name)?;
        Some(Finding::MayChange(why))
    }

    /// What is to be said of the files that are there and whose names a path below a folder may become.
    fn among_files(&self, folder: &str, components: &[Vec<Piece>], use_of: Use) -> Result<Option<Finding>, Error> {
        // Of which nothing is known can be any.
        if components
            .iter()
            .any(|component| !component.iter().any(Piece::says_something))
        {
            return Ok(None);
        }
        for context in &self.folders.contexts {
            let mut paths = vec![context.absolute(folder)];
            for component in components {
                paths = match &component[..] {
                    [Piece::Text(name)] => {
                        let folders = paths.iter().filter(|path| path.is_dir());
                        folders.map(|folder| folder.join(name)).collect()
                    }
                    name => fitting(&paths, name),
                };
            }
            for path in paths {
                if let Some(Finding::Changes(why) | Finding::MayChange(why)) =
                    self.finding(&context.path(path)?, use_of)
                {
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
        names.find_map(|name| {
            let why = || {
                let path = self.folders.contexts.first()?.path(name).ok()?;
                let is_whole = name.starts_with(['/', '~']);
                is_whole.then(|| self.protected.reason(&path)).flatten()
            };
            let why = || self.protected.reason_of_end(name).or_else(why);
            self.in_some_folder(name.trim_start_matches('/'))
                .or_else(|| why().map(Finding::MayChange))
        })
    }
}

/// The files in some folders whose names these pieces may become.
fn fitting(folders: &[PathBuf], name: &[Piece]) -> Vec<PathBuf> {
    /// More are not looked at.
    const MOST: usize = 10_000;
    let files = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok())
        .flatten()
        .flatten();
    let files = files.filter(|file| fits(&file.file_name().to_string_lossy(), name));
    files.take(MOST).map(|file| file.path()).collect()
}

#[cfg(test)]
mod tests;
