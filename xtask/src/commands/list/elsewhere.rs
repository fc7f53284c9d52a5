//! A session of the same project that starts in another folder, and so reads other files.

use crate::commands::prelude::*;
use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::HookFile;
use crate::settings::folders::Folders;
use crate::settings::scope::Target;
use crate::settings::start;

/// The session in another folder.
pub(super) struct Elsewhere {
    /// The folder's name for the report.
    place: String,
    /// Folder, as the user types it for `--project`.
    typed: String,
    session: Session,
}

impl Elsewhere {
    /// Returns the session in the current folder, if that folder is below a project that was not given as an option.
    /// Otherwise returns the session in the repository's root, if the project is a folder of a repository.
    pub(super) fn find(target: &Target, folders: &Folders) -> Option<Self> {
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
        let session = Session::of(&Folders { project: Some(folder), ..folders.clone() });
        Some(Self { place, typed, session })
    }

    /// Describes the files with relevant hooks that are read in only one of the two sessions.
    pub(super) fn describe(&self, session: &Session, is_of_interest: impl Fn(&HookFile) -> bool) -> Option<Text> {
        let files = |session: &Session| -> BTreeSet<PathBuf> {
            session.sources.iter().filter(|source| is_of_interest(source)).map(|source| source.path.clone()).collect()
        };
        let (files, there) = (files(session), files(&self.session));
        let (missing, added): (Vec<_>, Vec<_>) =
            (files.difference(&there).collect(), there.difference(&files).collect());
        if missing.is_empty() && added.is_empty() {
            return None;
        }
        let mut text = Text::new();
        text.bold(format_args!("A session that is started {}", self.place));
        for (verb, files) in [("does not read", missing), ("reads in addition", added)] {
            if files.is_empty() {
                continue;
            }
            text.plain(format_args!("\n  {verb}"));
            for file in files {
                text.plain("\n    ").path(shown(file));
            }
        }
        text.plain("\nIts hooks: ").command(format_args!("cargo xtask list --project {}", self.typed));
        Some(text)
    }
}
