//! Entries of hookkit's hooks in the settings files that a session reads.

use hookkit::project::{Owner, of_organization, of_session};

use super::list::{Listed, Placed};
use crate::git_hooks::is_executable;
use crate::prelude::*;
use crate::settings_files::json_of;

/// Members of a handler that change whether and how it runs.
const MEANT: &str = "args async asyncRewake if";

/// The state of a hook in a session.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    Active,
    /// The settings have the hook's entries, but its program is missing.
    WithoutProgram,
    WithoutEntry,
}

/// The entries of a session, by event and hook.
#[derive(Default)]
pub(super) struct Active {
    entries: BTreeMap<(String, String), Vec<Entry>>,
    /// The setting that turns hooks off, and its file.
    pub switch: Option<(&'static str, PathBuf)>,
}

struct Entry {
    owner: Owner,
    /// Folder of the program: the name of the source and, for a local settings file, the file's name.
    folder: String,
    matcher: Option<String>,
    handler: Map<String, Value>,
    program: PathBuf,
}

/// The relevant settings of a file.
struct Settings {
    owner: Owner,
    path: PathBuf,
    members: Value,
}

impl Active {
    /// Reads the settings files of a session that starts in a folder.
    pub(super) fn of(folder: &Path, environment: Environment) -> Self {
        Self::of_files(of_session(folder, environment).into_iter().chain(of_organization()), folder)
    }

    fn of_files(files: impl Iterator<Item = (Owner, PathBuf)>, folder: &Path) -> Self {
        let settings = files.filter_map(|(owner, path)| {
            // The client reads a file that is not UTF-8 (2.1.330); this hook does not.
            Some(Settings { owner, members: json_of(&path)?, path })
        });
        let settings: Vec<Settings> = settings.collect();
        let mut active = Self { switch: switch(&settings), ..Self::default() };
        for settings in settings {
            if active.switch.is_none() || settings.owner == Owner::Organization {
                active.add(&settings, folder);
            }
        }
        active
    }

    fn add(&mut self, settings: &Settings, project: &Path) {
        for (event, groups) in settings.members["hooks"].as_object().into_iter().flatten() {
            for group in groups.as_array().into_iter().flatten() {
                for handler in group["hooks"].as_array().into_iter().flatten().filter_map(Value::as_object) {
                    let Some((folder, hook, program)) = named(handler, project) else {
                        continue;
                    };
                    let entry = Entry {
                        owner: settings.owner,
                        folder,
                        matcher: group["matcher"].as_str().map(str::to_owned),
                        handler: handler.clone(),
                        program,
                    };
                    self.entries.entry((event.clone(), hook)).or_default().push(entry);
                }
            }
        }
    }

    /// Returns the worst state among a hook's entries.
    pub(super) fn state(&self, hook: &Listed) -> State {
        let states = hook.entries.iter().map(|placed| {
            self.entries
                .get(&(placed.event.clone(), hook.name.clone()))
                .into_iter()
                .flatten()
                .filter(|entry| entry.is_of(&hook.source) && entry.is_as(placed))
                .map(Entry::state)
                .min()
                .unwrap_or(State::WithoutEntry)
        });
        states.max().unwrap_or(State::Active)
    }
}

/// Returns the programs of hookkit's hooks in a session's settings.
pub(crate) fn programs(folder: &Path, environment: Environment) -> impl Iterator<Item = PathBuf> {
    Active::of(folder, environment).entries.into_values().flatten().map(|entry| entry.program)
}

impl Entry {
    /// Returns `true` if the hook is of this source. The user's own hooks come from workspaces with other names.
    fn is_of(&self, source: &str) -> bool {
        self.owner != Owner::Project || up_to(&self.folder, '@') == source
    }

    fn is_as(&self, placed: &Placed) -> bool {
        let matcher = |text: &Option<String>| text.clone().filter(|text| !matches!(&**text, "" | "*"));
        let is_same =
            |handler: &Map<String, Value>| MEANT.split(' ').all(|name| set(handler, name) == set(&self.handler, name));
        matcher(&self.matcher) == matcher(&placed.group.matcher) && placed.group.hooks.iter().all(is_same)
    }

    fn state(&self) -> State {
        let is_program = |found: fs::Metadata| found.is_file() && is_executable(&found);
        if fs::metadata(&self.program).is_ok_and(is_program) { State::Active } else { State::WithoutProgram }
    }
}

/// Returns the value of a member; `false` counts as missing.
fn set<'h>(handler: &'h Map<String, Value>, name: &str) -> Option<&'h Value> {
    handler.get(name).filter(|value| **value != false)
}

/// Returns the folder, the name and the program of hookkit's hook that a handler starts.
fn named(handler: &Map<String, Value>, project: &Path) -> Option<(String, String, PathBuf)> {
    let text = |name: &str| handler.get(name).and_then(Value::as_str);
    let command = text("command").filter(|_| text("type") == Some("command"))?;
    let program = match command.strip_prefix("${CLAUDE_PROJECT_DIR}/") {
        Some(within) => project.join(within),
        None => PathBuf::from(command),
    };
    let mut names = program.iter().rev().map(|name| name.to_str());
    let mut next = || names.next().flatten();
    let (hook, bin, folder, hookkit) = (next()?, next()?, next()?, next()?);
    let is_ours = program.is_absolute() && bin == "bin" && hookkit == "hookkit";
    is_ours.then(|| (folder.to_owned(), hook.to_owned(), program.clone()))
}

/// Returns the setting that turns off all hooks but the organization's. Files come in order of precedence, the lowest first.
fn switch(settings: &[Settings]) -> Option<(&'static str, PathBuf)> {
    let strongest = |key: &str| settings.iter().rev().find_map(|file| Some((file, file.members.get(key)?)));
    let names_hooks = |value: &Value| {
        let mut areas = value.as_array().into_iter().flatten();
        *value == true || areas.any(|area| area == "hooks")
    };
    let all =
        strongest("disableAllHooks").filter(|(_, value)| **value == true).map(|(file, _)| ("disableAllHooks", file));
    // These two have no effect in any other file.
    let of_organization = |key: &'static str| {
        strongest(key)
            .filter(|(file, value)| file.owner == Owner::Organization && names_hooks(value))
            .map(|(file, _)| (key, file))
    };
    all.or_else(|| of_organization("allowManagedHooksOnly"))
        .or_else(|| of_organization("strictPluginOnlyCustomization"))
        .map(|(key, file)| (key, file.path.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_organization_turns_off_the_hooks_of_others() {
        let folder = test_support::folder();
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).unwrap();
            folder.path().join(name)
        };
        let entries = |source: &str| {
            format!(
                r#""hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": "{}/hookkit/{source}/bin/look"}}]}}]}}"#,
                folder.path().display()
            )
        };
        let user = write("user", &format!("{{{}}}", entries("user")));
        let active = |project: &str, organization: &str| {
            let files = [
                (Owner::User, user.clone()),
                (Owner::Project, write("project", project)),
                (Owner::Organization, write("organization", organization)),
            ];
            Active::of_files(files.into_iter(), folder.path())
        };
        let key = |active: Active| active.switch.map(|(key, _)| key);
        test_support::lines!("lines/switched-off.txt")
            .check_inputs(|_, settings| key(active(settings[0], settings[1])).unwrap_or("-").to_owned());
        let organization = format!(r#"{{"allowManagedHooksOnly": true, {}}}"#, entries("organization"));
        let active = active("{}", &organization);
        let entries = active.entries.values().flatten();
        let folders: Vec<&str> = entries.map(|entry| &*entry.folder).collect();
        assert_eq!(folders, ["organization"]);
    }
}
