//! Paths through links, which lead to files with other names.

use super::Places;
use crate::prelude::*;

impl Places {
    /// Returns the target of a path if a folder in the path is a link, or if the path means the content of a linked
    /// folder. Deleting a link does not follow it.
    ///
    /// The project, the home folder and folders for temporary files keep their usual names.
    pub(super) fn behind_links(&self, context: &Context, path: &Path) -> Option<PathBuf> {
        // After a link, `..` is not the folder before it.
        let path = if path.starts_with("~") { context.absolute(path) } else { context.cwd.join(path) };
        let is_content = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let folder = match path.file_name() {
            Some(_) if !is_content => path.parent().unwrap_or(&path),
            _ => &path,
        };
        // A pattern may find anything: start from its first existing folder.
        let folders: Vec<&Path> = folder.ancestors().collect();
        let folder = folders.get(folders.partition_point(|folder| !folder.exists()))?;
        let real = folder.canonicalize().ok()?;
        // No folder in the path is a link.
        if real == *folder {
            return None;
        }
        let rest = path.strip_prefix(folder).unwrap_or(Path::new(""));
        let known = &self.known;
        let by_name = [&known.project, &known.home]
            .into_iter()
            .chain(&known.temporary)
            .filter_map(|folder| Some((folder, real.strip_prefix(folder.canonicalize().ok()?).ok()?.to_owned())));
        // The nearest folder gives the name: the project's, for a project below the home folder.
        let nearest = by_name.min_by_key(|(_, rest)| rest.components().count());
        // A path that ends with a slash is certainly a folder.
        let joined = |folder: &Path, rest: &Path| {
            if rest.as_os_str().is_empty() { folder.to_owned() } else { folder.join(rest) }
        };
        Some(joined(&nearest.map_or(real, |(folder, rest)| joined(folder, &rest)), rest))
    }

    /// Returns a path relative to the project, if it leads into the project.
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
