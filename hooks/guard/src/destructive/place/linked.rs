//! Links by which a file is another one than its name says.

use super::Places;
use crate::prelude::*;

impl Places {
    /// Returns the path that a path leads to, if a folder on its way is a link; for what is in a folder, that one, too. A link
    /// itself is deleted as it is.
    ///
    /// The project, the home folder and those for temporary files keep the names that they are known by.
    pub(super) fn behind_links(&self, context: &Context, path: &Path) -> Option<PathBuf> {
        // Behind a link `..` is not the folder before.
        let path = if path.starts_with("~") { context.absolute(path) } else { context.cwd.join(path) };
        let is_content = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let folder = match path.file_name() {
            Some(_) if !is_content => path.parent().unwrap_or(&path),
            _ => &path,
        };
        // What a pattern finds is not known: the first folder that is there is.
        let folders: Vec<&Path> = folder.ancestors().collect();
        let folder = folders.get(folders.partition_point(|folder| !folder.exists()))?;
        let real = folder.canonicalize().ok()?;
        // There is no link on the way.
        if real == *folder {
            return None;
        }
        let rest = path.strip_prefix(folder).unwrap_or(Path::new(""));
        let known = &self.known;
        let by_name = [&known.project, &known.home]
            .into_iter()
            .chain(&known.temporary)
            .filter_map(|folder| Some((folder, real.strip_prefix(folder.canonicalize().ok()?).ok()?.to_owned())));
        // Its name is by the nearest of them: by the project's in a project below the home folder.
        let nearest = by_name.min_by_key(|(_, rest)| rest.components().count());
        // A path that ends with a slash is a folder for certain.
        let joined = |folder: &Path, rest: &Path| {
            if rest.as_os_str().is_empty() { folder.to_owned() } else { folder.join(rest) }
        };
        Some(joined(&nearest.map_or(real, |(folder, rest)| joined(folder, &rest)), rest))
    }

    /// Returns a path from the project, where it leads into that.
    pub(super) fn in_project(&self, context: &Context, path: &Path) -> Option<PathBuf> {
        let absolute = context.absolute(path);
        let real = || self.behind_links(context, path);
        absolute
            .strip_prefix(&self.known.project)
            .map(Path::to_owned)
            .ok()
            .or_else(|| Some(real()?.strip_prefix(&self.known.project).ok()?.to_owned()))
    }
}
