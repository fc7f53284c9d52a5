//! `cargo xtask uninstall`

use anyhow::Result;

use crate::cargo::workspace::Naming;
use crate::settings::apply;
use crate::settings::scope::Target;
use crate::terminal::print;

pub(crate) fn run(target: &Target) -> Result<()> {
    let naming = Naming::find()?;
    let place = target.place(&naming)?;
    let (shown, settings) = (naming.root.display(), place.settings().display());
    if apply::uninstall(&place, &naming.root)? {
        print(format_args!("Took the hooks of {shown} out of {settings}."))
    } else {
        print(format_args!("Nothing of {shown} is installed in {settings}."))
    }
}
