//! Links of a checkout by which a file is another one than its name says.

use std::path::Path;

use super::{Places, Target};

impl Places {
    /// Returns the target that a path is where a folder on its way is a link; for what is in a folder, that one, too. A link
    /// itself is deleted as it is.
    pub(super) fn behind_links(&self, path: &Path, is_content: bool) -> Target {
        let (folder, name) = match (is_content, path.parent(), path.file_name()) {
            (false, Some(folder), Some(name)) => (folder, Path::new(name)),
            _ => (path, Path::new("")),
        };
        // Of what is not there nothing is deleted.
        let Ok(real) = folder.canonicalize() else {
            return Target::Temporary;
        };
        // The project, the home folder and those for temporary files may be behind links themselves.
        let known = &self.known;
        let folders = [&known.project, &known.home].into_iter().chain(&known.temporary);
        let by_name =
            folders.filter_map(|folder| Some(folder.join(real.strip_prefix(folder.canonicalize().ok()?).ok()?)));
        let real = by_name.max_by_key(|path| path.components().count()).unwrap_or(real);
        known.kind(&match name.as_os_str().is_empty() {
            true => real,
            false => real.join(name),
        })
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use hookkit::{Context, Environment};

    use crate::destructive::{Allowed, Severity, judge};

    #[test]
    fn links_of_a_checkout_are_followed_before_what_they_lead_to_is_deleted() {
        // Not below a folder for temporary files.
        let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["project/build/x", "other/x", "project/.git/refs"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        let project = root.join("project");
        for (name, to) in [("out", "../other"), ("root", "/"), ("in", "build"), ("history", ".git")] {
            symlink(to, project.join(name)).unwrap();
        }
        symlink(&project, root.join("link")).unwrap();
        for project in [project, root.join("link")] {
            let mut context = Context::default();
            context.cwd.clone_from(&project);
            context.project_dir = project;
            for (line, expected) in [
                ("rm -rf out/*", Some(Severity::Ask)),
                ("rm -rf out/", Some(Severity::Ask)),
                ("rm -rf out/x", Some(Severity::Ask)),
                ("cd out && rm -rf *", Some(Severity::Ask)),
                ("cd out && rm -rf x", Some(Severity::Ask)),
                ("rm -rf root/*", Some(Severity::Deny)),
                ("rm -rf root/usr", Some(Severity::Deny)),
                ("cd root && rm -rf usr", Some(Severity::Deny)),
                ("rm -rf history/*", Some(Severity::Deny)),
                ("find out/ -delete", Some(Severity::Ask)),
                ("rm -rf in/*", None),
                ("rm -rf in/x build/x", None),
                ("rm out root in", None),
                ("rm -rf out/none/x", None),
            ] {
                let danger = judge(line, &context, Environment::default(), &Allowed::default());
                assert_eq!(danger.map(|danger| danger.severity), expected, "{line}");
            }
        }
    }
}
