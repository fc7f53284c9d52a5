//! Obstacles to an organization's hooks outside its settings files.

use std::path::{Path, PathBuf};

use crate::diagnose::active::session::Session;
use crate::settings::code::sessions;
use crate::settings::finding::Finding;
use crate::settings::folders::{Folders, Scope};
use crate::settings::place::MODS_PART;

/// The client's copy of server settings, in the user's folder.
const OF_SERVER: &str = "remote-settings.json";

/// Returns the copy of the server settings, if there is one.
pub(crate) fn of_server(user: Option<&Path>) -> Option<PathBuf> {
    let copy = user?.join(OF_SERVER);
    let has_settings = copy.metadata().is_ok_and(|copy| copy.is_file() && copy.len() > 2);
    has_settings.then_some(copy)
}

/// Reports server settings next to files that have hooks or turn modules off.
pub(crate) fn look(session: &Session, folders: &Folders) -> Option<Finding> {
    let mut managed = session.sources.iter().filter(|source| source.scope == Scope::Managed);
    let source = managed.find(|source| !source.handlers.is_empty() || source.path.ends_with(MODS_PART))?;
    let copy = of_server(folders.user.as_deref())?;
    Some(sessions::settings_of_server(copy.display()).at(source, None))
}

#[cfg(test)]
mod tests {
    use std::{fs, io};

    use super::*;

    #[test]
    fn settings_of_a_server_are_noted_next_to_hooks_of_the_machine() -> io::Result<()> {
        let folder = test_support::folder();
        let (managed, user) = (folder.path().join("managed"), folder.path().join("user"));
        for folder in [&managed, &user] {
            fs::create_dir(folder)?;
        }
        let folders = Folders { user: Some(user.clone()), managed: managed.clone(), ..Folders::default() };
        let found = || look(&Session::of(&folders), &folders).map(|found| found.code.name);
        let hooks = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
        fs::write(user.join(OF_SERVER), hooks)?;
        assert_eq!(found(), None);
        fs::write(managed.join("managed-settings.json"), hooks)?;
        assert_eq!(found(), Some("settings-of-server"));
        fs::write(user.join(OF_SERVER), "{}")?;
        assert_eq!(found(), None);
        fs::write(user.join(OF_SERVER), hooks)?;
        fs::remove_file(managed.join("managed-settings.json"))?;
        fs::create_dir(managed.join("managed-settings.d"))?;
        for (name, expected) in [("other.json", None), (MODS_PART, Some("settings-of-server"))] {
            fs::write(managed.join("managed-settings.d").join(name), r#"{"model": "opus"}"#)?;
            assert_eq!(found(), expected, "{name}");
        }
        Ok(())
    }
}
