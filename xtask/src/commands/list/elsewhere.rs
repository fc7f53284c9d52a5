//! A session of the same project that starts in another folder, and so reads other files.

use crate::commands::prelude::*;
use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::HookFile;
use crate::settings::folders::Folders;
use crate::settings::scope::Target;
use crate::settings::start;

/// Describes the session in the current folder, if that folder is below a project that was not given as an option, and
/// otherwise the session in the repository's root, if the project is a folder of a repository: the files with relevant
/// hooks that are read in only one of the two sessions.
pub(super) fn describe(
    target: &Target,
    folders: &Folders,
    session: &Session,
    is_of_interest: impl Fn(&HookFile) -> bool,
) -> Option<Text> {
    let project = folders.project.as_deref()?;
    let (folder, place, typed) = match (target.folder_within(project), start::root(project)) {
        _ if target.only().is_some() || folders.named.is_some() => return None,
        (Some(here), _) => {
            let within = here.strip_prefix(project).unwrap_or(&here);
            let place = one_line(format_args!("here, in {}/", within.display()));
            (here, place, ".".to_owned())
        }
        (None, Some(root)) if root != project => {
            let place = format!("in the root of the repository, {}", one_line(root.display()));
            (root.to_owned(), place, quoted(root.display()))
        }
        (None, _) => return None,
    };
    let other = Session::of(&Folders { project: Some(folder), ..folders.clone() });
    let files = |session: &Session| -> BTreeSet<PathBuf> {
        session.sources.iter().filter(|source| is_of_interest(source)).map(|source| source.path.clone()).collect()
    };
    let (files, there) = (files(session), files(&other));
    let mut text = Text::new();
    text.bold(format_args!("A session that is started {place}"));
    for (verb, files) in [("does not read", &files - &there), ("reads in addition", &there - &files)] {
        if !files.is_empty() {
            text.plain(format_args!("\n  {verb}"));
        }
        for file in files {
            text.plain("\n    ").path(shown(&file));
        }
    }
    text.plain("\nIts hooks: ").command(format_args!("cargo xtask list --project {typed}"));
    (files != there).then_some(text)
}
