//! The modules of a session's plugins, and their files ([`hookkit_protocol::mods`]).

use std::fs;
use std::path::{Path, PathBuf};

use hookkit_protocol::mods;

use super::module::Module;
use super::source::{HookFile, State};
use crate::disk::bounded::{self, Deadline, plain};
use crate::settings::code::reading::NESTED_TOO_DEEP;
use crate::settings::folders::Scope;
use crate::settings::position::Position;
use crate::settings::reading::Key;

/// A plugin's module.
pub(crate) struct Mod {
    /// The plugin of the module.
    pub(crate) scope: Scope,
    /// Folder of the plugin.
    pub(crate) root: PathBuf,
    /// Hooks file that declares the module.
    pub(crate) named_in: PathBuf,
    pub(crate) place: Position,
    /// The module's file, and the plugin's files that it may import.
    files: Vec<PathBuf>,
    /// Events in these files that decide about hooks or tool calls.
    pub(crate) events: Vec<Named>,
    pub(crate) reading: Reading,
}

/// An event, or an event pattern, in a module's file.
pub(crate) struct Named {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    pub(crate) pattern: String,
}

/// The result of reading a module.
pub(crate) enum Reading {
    /// The client does not load the module, for this reason.
    Refused(String),
    /// The module only passes its events on.
    PassesOn,
    /// The module can do anything around the events that it names.
    Acts,
    /// The module may name more events, for this reason.
    Unread(String),
}

impl Mod {
    /// Returns `true` if the module can skip the hooks of an event, change their answers, or overrule them.
    pub(crate) fn reaches(&self, event: &str) -> bool {
        let is_call = ["PreToolUse", "PermissionRequest"].contains(&event);
        let selects = |pattern: &str| [mods::CHECK, mods::CALL].iter().any(|event| mods::selects(pattern, event));
        match self.reading {
            Reading::Refused(_) | Reading::PassesOn => false,
            Reading::Acts => {
                let reaches = |pattern: &str| mods::skips(pattern, event) || is_call && selects(pattern);
                self.events.iter().any(|named| reaches(&named.pattern))
            }
            Reading::Unread(_) => mods::skips("*", event),
        }
    }
}

/// Adds the modules declared in a plugin's hooks files.
///
/// If a plugin declares two modules, the client ignores both.
pub(super) fn find(root: &Path, sources: &[HookFile], deadline: Deadline, found: &mut Vec<Mod>) {
    let naming = |source| Some((source, HookFile::module(source)?));
    let all: Vec<(&HookFile, &Key)> = sources.iter().filter_map(naming).collect();
    for (source, key) in &all {
        let mut module = Mod::new(root, source, key.place);
        let folder = source.path.parent().unwrap_or(root);
        // An absolute path is also relative to this folder.
        let path = key.value[0].as_str().unwrap_or_default().trim_start_matches('/');
        module.reading = match all.len() {
            1 => module.read(plain(&folder.join(path)), deadline),
            _ => Reading::Refused("two files of the plugin declare a module".to_owned()),
        };
        found.push(module);
    }
}

/// Adds a module for each plugin file that hookkit could not read: the client may read it, and the file may declare a
/// module.
pub(super) fn unread(sources: &[HookFile], found: &mut Vec<Mod>) {
    for source in sources {
        let why = match (&source.state, &source.refusal) {
            // A relative path is only the name of a plugin whose files were not located.
            (State::Unreadable(why), _) if source.path.is_relative() || source.path.exists() => why.clone(),
            (_, Some(refusal)) if refusal.code == NESTED_TOO_DEEP => refusal.to_string(),
            _ => continue,
        };
        let why = format!("{} is not read: {why}", source.path.display());
        let root = source.path.parent().unwrap_or(&source.path);
        let mut module = Mod::new(root, source, Position::START);
        module.reading = Reading::Unread(why);
        found.push(module);
    }
}

impl Mod {
    fn new(root: &Path, source: &HookFile, place: Position) -> Self {
        Self {
            scope: source.scope.clone(),
            root: root.to_owned(),
            named_in: source.path.clone(),
            place,
            files: Vec::new(),
            events: Vec::new(),
            reading: Reading::Acts,
        }
    }

    /// Reads the module at this path and the files that it may import.
    fn read(&mut self, module: PathBuf, deadline: Deadline) -> Reading {
        let Ok(root) = fs::canonicalize(&self.root) else {
            return Reading::Unread("its folder cannot be read".to_owned());
        };
        let shown = module.display().to_string();
        let refused = |why: &str| Reading::Refused(format!("{shown} {why}"));
        match fs::canonicalize(&module) {
            Ok(real) if !real.starts_with(&root) => return refused("is outside of the plugin"),
            Ok(real) if !is_code(&real) => return refused("does not have the ending of a module"),
            Ok(_) => {}
            Err(_) => return refused("does not exist"),
        }
        if fs::metadata(&module).is_ok_and(|file| file.len() > mods::LONGEST_FILE) {
            return refused("is longer than 1 MiB");
        }
        self.files.push(module);
        let (mut unread, mut at) = (None, 0);
        while let Some(file) = self.files.get(at).cloned() {
            if deadline.is_over() || at == bounded::FILES {
                unread = Some("not all of its files are read".to_owned());
                break;
            }
            let bytes = match bounded::read(&file) {
                Ok(bytes) => bytes,
                Err(err) => {
                    unread = Some(err.to_string());
                    break;
                }
            };
            let ending = file.extension().unwrap_or_default().to_string_lossy();
            let read = Module::of(&String::from_utf8_lossy(&bytes), ending.contains("ts"));
            match read.refused {
                Some(why) if at == 0 => return refused(&format!("is not loaded: {why}")),
                _ if at == 0 && read.only_passes_on => return Reading::PassesOn,
                _ => {}
            }
            self.events.extend(read.events.into_iter().map(|(line, pattern)| Named {
                file: file.clone(),
                line,
                pattern,
            }));
            unread = unread.or_else(|| Some(format!("{}: {}", file.display(), read.unread?)));
            for path in &read.paths {
                let found = imported(&file, path, &root);
                if found.is_empty() {
                    unread = unread.or_else(|| Some(format!("{} names `{path}`, which was not found", file.display())));
                }
                for file in found {
                    if !self.files.contains(&file) {
                        self.files.push(file);
                    }
                }
            }
            at += 1;
        }
        if self.events.is_empty() {
            unread = unread.or_else(|| Some("it names no event that hookkit knows".to_owned()));
        }
        unread.map_or(Reading::Acts, Reading::Unread)
    }
}

fn is_code(file: &Path) -> bool {
    file.extension().is_some_and(|ending| mods::ENDINGS.iter().any(|known| ending == *known))
}

/// Returns the plugin's files that a path in a file may import. The client completes or replaces a path's extension.
fn imported(file: &Path, path: &str, root: &Path) -> Vec<PathBuf> {
    let path = plain(&file.parent().unwrap_or(root).join(path));
    let completed = mods::ENDINGS.iter().flat_map(|ending| {
        let appended = format!("{}.{ending}", path.display()).into();
        [appended, path.with_extension(ending), path.join(format!("index.{ending}"))]
    });
    let is_inside = |file: &PathBuf| file.is_file() && fs::canonicalize(file).is_ok_and(|real| real.starts_with(root));
    [path.clone()].into_iter().chain(completed).filter(is_inside).collect()
}

#[cfg(test)]
mod tests {
    use test_support::lines;

    use super::*;
    use crate::diagnose::active::session::Session;
    use crate::settings::folders::Folders;

    /// Returns the result of reading a plugin from the project in this folder.
    fn read(project: &Path) -> String {
        let session = Session::of(&Folders { project: Some(project.to_owned()), ..Folders::default() });
        let Some(module) = session.mods.first() else {
            return "none".to_owned();
        };
        let events = module.events.iter();
        let events: Vec<String> = events.map(|named| format!("{}:{}", named.pattern, named.line)).collect();
        let found = match &module.reading {
            Reading::PassesOn => "passes on".to_owned(),
            Reading::Acts => format!("acts {}", events.join(" ")),
            Reading::Refused(why) => format!("refused: {why}"),
            Reading::Unread(why) if events.is_empty() => format!("unread: {why}"),
            Reading::Unread(why) => format!("unread: {why}; {}", events.join(" ")),
        };
        found.replace(&module.root.display().to_string(), "…")
    }

    #[test]
    fn modules_are_read_as_the_client_loads_them() {
        lines!("lines/mods.txt").check(|section, text| {
            let folder = test_support::folder();
            let root = folder.path().join(".claude/skills/evil");
            let module = section.words("module").first().map_or("register.js", |module| *module);
            let write = |path: &str, text: &str| {
                let path = root.join(path);
                fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
                fs::write(path, text).expect("it can be written");
            };
            write(".claude-plugin/plugin.json", r#"{"name": "evil", "version": "1.0.0"}"#);
            let dot = if module.starts_with(['/', '.']) { "" } else { "./" };
            write("hooks/hooks.json", &format!(r#"{{"modules": ["{dot}{module}"]}}"#));
            section.write(&root, "");
            if text != "." {
                write(&format!("hooks/{}", module.trim_start_matches('/')), text);
            }
            read(folder.path())
        });
    }
}
