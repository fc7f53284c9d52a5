//! `cargo xtask uninstall`

use anyhow::Result;

use crate::scope::Target;
use crate::workspace::root_and_name;
use crate::{apply, print, write};

pub(crate) fn run(target: &Target) -> Result<()> {
    let (root, name) = root_and_name()?;
    let place = target.place(&name)?;
    if place.settings().exists() {
        write::check(place.settings())?;
    }
    let (shown, settings) = (root.display(), place.settings().display());
    if apply::uninstall(&place, &root)? {
        print(format_args!("Took the hooks of {shown} out of {settings}."))
    } else {
        print(format_args!("Nothing of {shown} is installed in {settings}."))
    }
}
