//! Links of a checkout by which a file is another one than its name says.

use std::path::Path;

use hookkit::Context;

use super::{Places, Target};

impl Places {
    /// Returns the target that a path is where a folder on its way is a link; for what is in a folder, that one, too. A link
    /// itself is deleted as it is.
    pub(super) fn behind_links(&self, context: &Context, path: &Path) -> Target {
        // Behind a link `..` is not the folder before.
        let path = match path.starts_with("~") {
            true => context.absolute(path),
            false => context.cwd.join(path),
        };
        let is_content = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let folder = match path.file_name() {
            Some(_) if !is_content => path.parent().unwrap_or(&path),
            _ => &path,
        };
        // What a pattern finds is not known: the first folder that is there is.
        let folders: Vec<&Path> = folder.ancestors().collect();
        let missing = folders.partition_point(|folder| !folder.exists());
        let Some((folder, Ok(real))) = folders.get(missing).map(|folder| (folder, folder.canonicalize())) else {
            return Target::Temporary;
        };
        // There is no link on the way.
        if real == *folder {
            return Target::Temporary;
        }
        let rest = path.strip_prefix(folder).unwrap_or(Path::new(""));
        // The project, the home folder and those for temporary files may be behind links themselves.
        let known = &self.known;
        let folders = [&known.project, &known.home].into_iter().chain(&known.temporary);
        let by_name = folders.filter_map(|folder| {
            let rest = real.strip_prefix(folder.canonicalize().ok()?).ok()?.to_owned();
            Some((folder, rest))
        });
        // Its name is by the nearest of them: by the project's in a project below the home folder.
        let nearest = by_name.min_by_key(|(_, rest)| rest.components().count());
        let real = nearest.map_or(real, |(folder, rest)| folder.join(rest));
        known.kind(&match rest.as_os_str().is_empty() {
            true => real,
            false => real.join(rest),
        })
    }
}
