//! Hooks in an organization's managed settings.

use std::path::Path;

use hookkit_protocol::settings::MANAGED_FOLDER;

/// Describes the remaining steps for the user, and settings that can keep the hooks from running.
pub(super) fn described(root: &Path) -> String {
    let mut text =
        "Users cannot turn them off; in the organization's own settings, `disableAllHooks` does.\n".to_owned();
    if root == Path::new("/") {
        text += "To see that they are active: cargo xtask list, in a project.\n";
    } else {
        text += &copied(root);
    }
    text
}

/// Describes the remaining step for the files in a package.
pub(crate) fn copied(root: &Path) -> String {
    format!(
        "Copy {}{MANAGED_FOLDER} to {MANAGED_FOLDER} of each machine, owned by root, with its modes.\n",
        root.display()
    )
}
