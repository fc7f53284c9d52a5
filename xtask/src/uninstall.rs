//! `cargo xtask uninstall`

use anyhow::Result;

use crate::scope::Target;
use crate::workspace::Workspace;
use crate::{apply, print, write};

pub(crate) fn run(target: &Target) -> Result<()> {
    let workspace = Workspace::find()?;
    let place = target.place(&workspace.name()?)?;
    if place.settings().exists() {
        write::check(place.settings())?;
    }
    let (root, settings) = (workspace.root.display(), place.settings().display());
    if apply::uninstall(&place, &workspace.root)? {
        print(format_args!("Took the hooks of {root} out of {settings}."))
    } else {
        print(format_args!("Nothing of {root} is installed in {settings}."))
    }
}
