//! `cargo xtask uninstall`

use std::fs;

use anyhow::{Context, Result};

use crate::installed::{self, NEW_SETTINGS, Record, refused, without_ours};
use crate::place::{self, Place};
use crate::workspace::Workspace;
use crate::{Project, print};

pub(crate) fn run(options: &Project) -> Result<()> {
    let workspace = Workspace::find()?;
    let place = Place::find(options.project.as_deref(), workspace.name()?)?;
    let record = Record::read(&place, &workspace)?.unwrap_or_default();
    let mut ours = installed::former(&place, &workspace)?;
    ours.insert(0, (place, record));
    let (place, _) = &ours[0];
    let created_settings = ours.iter().any(|(_, record)| record.created_settings);
    let created_folder = ours.iter().any(|(_, record)| record.created_folder);
    let mut found = ours.iter().any(|(place, _)| place.folder().exists());
    // Settings before binaries: no entry may name what is not there.
    if let Some(text) = installed::settings(place)? {
        let mut rest = text.clone();
        for (place, record) in &ours {
            rest = without_ours(&rest, record, place).with_context(|| refused(place))?;
        }
        found |= rest != text;
        if created_settings && rest == NEW_SETTINGS {
            place::remove_foreign(&place.settings())?;
        } else {
            place::write_foreign(&place.settings(), rest.as_bytes())?;
        }
    }
    if !found {
        return print(format_args!(
            "Nothing of {} is installed in {}.",
            workspace.root.display(),
            place.settings().display()
        ));
    }
    for (place, _) in &ours {
        place::remove(&place.folder())?;
    }
    // Another workspace's hooks may be beside ours.
    let is_ours = |name: &std::ffi::OsStr| name == ".gitignore";
    let rest = fs::read_dir(place.hookkit()).and_then(|files| files.map(|file| Ok(file?.file_name())).collect());
    if rest.is_ok_and(|rest: Vec<_>| rest.iter().all(|name| is_ours(name))) {
        place::remove(&place.hookkit())?;
    }
    if created_folder {
        // Fails where something else is in it, which then stays.
        let _ = fs::remove_dir(place.claude());
    }
    print(format_args!(
        "Took the hooks of {} out of {}.",
        workspace.root.display(),
        place.settings().display()
    ))
}
