//! Plugin files with hooks, in the locations where the client (2.1.330) looks for them.
//!
//! ```text
//! <configuration>/plugins/known_marketplaces.json    where marketplaces are
//! <configuration>/plugins/installed_plugins.json     where copies of plugins are
//! <plugin>/hooks/hooks.json                          hooks
//! <plugin>/.claude-plugin/plugin.json                `hooks`: more of them, and paths of more such files
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::mods::{self, Mod};
use super::source::{HookFile, State, json, read_json};
use crate::disk::bounded::{self, Deadline, SECONDS, plain};
use crate::disk::files::entries;
use crate::settings::finding::Ignored;
use crate::settings::folders::{Folders, Scope};
use crate::settings::part::Part;
use crate::settings::plugin::condition::Package;

/// Marketplace of the plugins in a skills folder, which need not be enabled.
pub(crate) const IN_SKILLS: &str = "skills-dir";

/// A folder written by `package` that a session loads as a plugin, or would load if it had a `plugin.json`.
pub(crate) struct Packaged {
    pub(crate) scope: Scope,
    pub(crate) root: PathBuf,
    pub(crate) home: Home,
    /// `false` if the client does not load the plugin because `plugin.json` is missing.
    pub(crate) is_loaded: bool,
    pub(crate) package: Package,
}

/// The location from which a plugin is loaded.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Home {
    /// `.claude/skills` of the project.
    Project,
    /// `skills` in the user's configuration.
    User,
    /// A marketplace folder on this machine, from which plugins are read directly.
    Marketplace,
    /// The client's copy of a plugin.
    Copy,
}

/// The plugins of a session.
#[derive(Default)]
pub(super) struct Plugins {
    /// Files with hooks.
    pub(super) sources: Vec<HookFile>,
    /// Plugins written by `package`.
    pub(super) packaged: Vec<Packaged>,
    pub(super) mods: Vec<Mod>,
}

/// Returns all plugins that these settings enable. The settings are sorted from weakest to strongest.
///
/// If the time limit is exceeded, the last file has the error, and later files are missing.
pub(super) fn find(folders: &Folders, settings: &[HookFile]) -> Plugins {
    let deadline = Deadline::new();
    let enabled = enabled(settings);
    let (mut plugins, mut lost) = (Plugins::default(), Vec::new());
    for (id, entry) in &enabled {
        if !entry.is_on || id.ends_with(&format!("@{IN_SKILLS}")) {
            continue;
        }
        let (id, is_forced) = (id.clone(), entry.is_forced);
        let path = PathBuf::from(&id);
        let scope = Scope::Plugin { id, is_forced };
        if deadline.is_over() {
            plugins.sources.push(HookFile::unreadable(scope, path, too_slow()));
            break;
        }
        match Plugin::locate(scope.plugin(), folders, settings) {
            Ok(plugin) => {
                plugins.packaged.extend(plugin.packaged(&scope, None));
                plugins.add_hooks(&plugin, &scope, deadline);
            }
            Err((path, why)) => lost.push(HookFile::unreadable(scope, path, why)),
        }
    }
    in_skills(folders, &enabled, deadline, &mut plugins);
    mods::unread(&plugins.sources, &mut plugins.mods);
    plugins.sources.extend(lost);
    plugins
}

impl Plugins {
    fn add_hooks(&mut self, plugin: &Plugin, scope: &Scope, deadline: Deadline) {
        let sources = plugin.sources(scope, deadline);
        mods::find(&plugin.root, &sources, deadline, &mut self.mods);
        self.sources.extend(sources);
    }
}

/// Returns the error for files that were not read within the time limit.
fn too_slow() -> String {
    format!("reading the plugins takes longer than {SECONDS} s, so this one and those after it are not read")
}

/// A merged value of `enabledPlugins`.
struct Entry {
    is_on: bool,
    /// `true` if managed settings enable the plugin.
    is_forced: bool,
}

fn enabled(settings: &[HookFile]) -> BTreeMap<String, Entry> {
    let mut enabled = BTreeMap::new();
    for source in settings {
        let plugins = source.key("enabledPlugins").and_then(|key| key.value.as_object());
        for (id, value) in plugins.into_iter().flatten() {
            // A list has the requested versions. For any other value the client ignores the whole file.
            let is_on = value.as_bool().or_else(|| value.is_array().then_some(true));
            let Some(is_on) = is_on else { continue };
            let is_forced = is_on && source.scope == Scope::Managed;
            enabled.insert(id.clone(), Entry { is_on, is_forced });
        }
    }
    enabled
}

/// A folder loaded as a plugin.
struct Plugin {
    root: PathBuf,
    home: Home,
    /// The plugin's entry in its marketplace.
    offer: Option<Offer>,
}

struct Offer {
    /// Name of the plugin in the marketplace.
    name: String,
    marketplace: PathBuf,
    entry: Value,
}

impl Plugin {
    /// Returns the folder from which the client loads a plugin. If an entry is missing, returns the file that needs it,
    /// and the error.
    fn locate(id: &str, folders: &Folders, settings: &[HookFile]) -> Result<Self, (PathBuf, String)> {
        let user = folders.user.clone().unwrap_or_default();
        let installed = user.join("plugins/installed_plugins.json");
        let Some((name, market)) = id.rsplit_once('@') else {
            return Err((installed, format!("`{id}` has no marketplace; write `NAME@MARKETPLACE`")));
        };
        let marketplace = located(market, folders, settings);
        let offer = marketplace.map(|(path, is_here)| Offer::of(&path, is_here, name));
        let (offer, folder) = offer.transpose()?.unzip();
        // A plugin of a marketplace folder on this machine is read in place; the copy of `plugin install` is not used.
        if let Some(root) = folder.flatten() {
            return Ok(Self { root, home: Home::Marketplace, offer });
        }
        match copy(&installed, id, folders.project.as_deref()) {
            Some(root) => Ok(Self { root, home: Home::Copy, offer }),
            None => Err((installed, "it is enabled, but not installed".to_owned())),
        }
    }

    /// Returns the plugin if `package` has written it. In a project, its folder is opened from the project's root.
    fn packaged(&self, scope: &Scope, project: Option<&Path>) -> Option<Packaged> {
        let package = Package::read(&self.root, project)?;
        Some(Packaged {
            scope: scope.clone(),
            root: self.root.clone(),
            home: self.home,
            is_loaded: self.offer.is_some() || self.home == Home::Copy || self.has_manifest(),
            package,
        })
    }

    fn manifest(&self) -> PathBuf {
        self.root.join(".claude-plugin/plugin.json")
    }

    /// Returns the name from `plugin.json`, with which settings turn the plugin off.
    fn name(&self) -> Option<String> {
        read_json(&self.manifest()).ok()?["name"].as_str().map(str::to_owned)
    }

    fn has_manifest(&self) -> bool {
        self.manifest().is_file()
    }

    fn sources(&self, scope: &Scope, deadline: Deadline) -> Vec<HookFile> {
        if !self.root.is_dir() {
            let why = "its folder does not exist".to_owned();
            return vec![HookFile::unreadable(scope.clone(), self.root.clone(), why)];
        }
        // The entry's hooks can replace those in the plugin's folder.
        let replaces = |Offer { entry, .. }: &Offer| entry.get("hooks").is_some() && entry["strict"] == false;
        let is_own = !self.offer.as_ref().is_some_and(replaces);
        let mut files = Vec::from_iter(is_own.then(|| self.root.join("hooks/hooks.json")));
        let mut sources = Vec::new();
        let manifest = HookFile::read(scope.clone(), self.manifest(), &Part::Manifest);
        // Invalid JSON is reported when the file itself is checked.
        let value = json(manifest.text.as_bytes()).unwrap_or_default();
        files.extend(paths(value.get("hooks"), &self.root));
        if manifest.state != State::Missing {
            sources.push(manifest);
        }
        if let Some(offer) = &self.offer {
            files.extend(paths(offer.entry.get("hooks"), &self.root));
            let part = Part::Offer(&offer.name);
            sources.push(HookFile::read(scope.clone(), offer.marketplace.clone(), &part));
        }
        let mut read: Vec<PathBuf> = Vec::new();
        for (number, file) in files.into_iter().enumerate() {
            if deadline.is_over() || number == bounded::FILES {
                let why = match number {
                    bounded::FILES => format!(
                        "it names more than {number} files with hooks, so this one and those after it are not read"
                    ),
                    _ => too_slow(),
                };
                sources.push(HookFile::unreadable(scope.clone(), file, why));
                break;
            }
            let source = HookFile::read(scope.clone(), file.clone(), &Part::PluginHooks);
            let real = fs::canonicalize(&file).unwrap_or(file);
            // A missing `hooks/hooks.json` is not reported.
            if read.contains(&real) || number == 0 && source.state == State::Missing {
                continue;
            }
            read.push(real);
            sources.push(source);
        }
        sources.retain(|source| {
            let is_bare = source.handlers.is_empty() && source.findings.is_empty() && source.module().is_none();
            source.state != State::Read || !is_bare
        });
        drop_together(&mut sources);
        sources
    }
}

/// Drops all files of a plugin if the client drops one: it loads either the whole plugin or nothing.
fn drop_together(sources: &mut [HookFile]) {
    let is_whole = |source: &HookFile| {
        let is_manifest = source.path.ends_with(".claude-plugin/plugin.json");
        let mut findings = source.findings.iter();
        findings.any(|finding| finding.ignored == Ignored::Plugin) || is_manifest && source.findings.is_empty()
    };
    let dropped = sources.iter().find_map(|source| match &source.state {
        State::Dropped(reasons) if is_whole(source) => Some((source.path.clone(), reasons.first()?.clone())),
        _ => None,
    });
    let Some((path, reason)) = dropped else { return };
    for source in sources.iter_mut().filter(|source| source.state == State::Read) {
        let why = format!("the whole plugin is ignored because of {}, {reason}", path.display());
        source.state = State::Dropped(vec![why]);
    }
}

/// Returns the path of the marketplace with this name, first from the client's list, then from settings. `true` if it is
/// a folder or a file on this machine, not a copy.
fn located(name: &str, folders: &Folders, settings: &[HookFile]) -> Option<(PathBuf, bool)> {
    let known = folders.user.as_ref()?.join("plugins/known_marketplaces.json");
    if let Some(known) = read_json(&known).unwrap_or_default().get(name) {
        return Some((known["installLocation"].as_str()?.into(), is_of_this_machine(&known["source"])));
    }
    let path = settings.iter().rev().find_map(|source| {
        let named = &source.key("extraKnownMarketplaces")?.value[name]["source"];
        named["path"].as_str().filter(|_| is_of_this_machine(named))
    })?;
    // The path is relative to the project's folder.
    let project = folders.project.clone().unwrap_or_default();
    Some((plain(&project.join(path)), true))
}

/// Returns a marketplace's file at a path, and the base folder of the paths in it.
pub(crate) fn marketplace(path: &Path) -> (PathBuf, PathBuf) {
    let inner = Path::new(".claude-plugin/marketplace.json");
    if path.extension().is_none_or(|extension| extension != "json") {
        return (path.join(inner), path.to_owned());
    }
    let levels = if path.ends_with(inner) { 2 } else { 1 };
    (path.to_owned(), path.ancestors().nth(levels).unwrap_or(path).to_owned())
}

impl Offer {
    /// Returns a marketplace's entry for a plugin, and the plugin's folder if the client reads the plugin from there.
    fn of(path: &Path, is_here: bool, name: &str) -> Result<(Self, Option<PathBuf>), (PathBuf, String)> {
        let (file, root) = marketplace(path);
        let fault = |why: String| (file.clone(), why);
        let market = read_json(&file).map_err(fault)?;
        let mut offers = market["plugins"].as_array().into_iter().flatten();
        let entry = offers.find(|offer| offer["name"] == name);
        let entry = entry.ok_or_else(|| fault(format!("it offers no plugin `{name}`")))?;
        let folder = entry["source"].as_str().filter(|_| is_here);
        let prefix = market["metadata"]["pluginRoot"].as_str();
        let folder = folder.map(|folder| match folder.strip_prefix("./") {
            Some(folder) => root.join(folder),
            None => plain(&root.join(prefix.unwrap_or_default()).join(folder)),
        });
        Ok((Self { name: name.to_owned(), marketplace: file.clone(), entry: entry.clone() }, folder))
    }
}

fn is_of_this_machine(source: &Value) -> bool {
    matches!(source["source"].as_str(), Some("directory" | "file"))
}

/// Returns the folder of the client's copy of a plugin: the project's copy before the user's.
fn copy(installed: &Path, id: &str, project: Option<&Path>) -> Option<PathBuf> {
    let installed = read_json(installed).ok()?;
    let copies = installed["plugins"][id].as_array()?;
    let is_here = |copy: &&Value| copy["projectPath"].as_str().is_none_or(|path| project == Some(Path::new(path)));
    let copies = copies.iter().filter(is_here);
    let copy = copies.max_by_key(|copy| copy.get("projectPath").is_some())?;
    copy["installPath"].as_str().map(PathBuf::from)
}

/// Adds the plugins in the user's and the project's `skills` folders.
fn in_skills(folders: &Folders, enabled: &BTreeMap<String, Entry>, deadline: Deadline, plugins: &mut Plugins) {
    let of_user = folders.user.iter().map(|user| (user.join("skills"), Home::User));
    let of_project = folders.project.iter();
    let of_project = of_project.map(|project| (project.join(".claude/skills"), Home::Project));
    let mut found: Vec<Plugin> = Vec::new();
    for (folder, home) in of_user.chain(of_project) {
        let mut entries = entries(&folder);
        let skills = entries.by_ref().take(bounded::SKILLS).map(|skill| skill.path());
        found.extend(skills.filter(|skill| skill.is_dir()).map(|root| Plugin { root, home, offer: None }));
        if entries.next().is_some() {
            let why = format!("it has more than {} entries, and the rest is not checked", bounded::SKILLS);
            let (id, is_forced) = (IN_SKILLS.to_owned(), false);
            let scope = Scope::Plugin { id, is_forced };
            plugins.sources.push(HookFile::unreadable(scope, folder, why));
        }
    }
    found.sort_by(|one, other| one.root.cmp(&other.root));
    found.dedup_by(|one, other| one.root == other.root);
    let of_user = found.iter().filter(|plugin| {
        let manifest = || HookFile::read(Scope::User, plugin.manifest(), &Part::Manifest);
        plugin.home == Home::User && manifest().state == State::Read
    });
    let of_user: BTreeSet<String> = of_user.filter_map(Plugin::name).collect();
    for plugin in found {
        let name = plugin.name();
        // A loaded plugin of the user replaces a project's plugin with the same name.
        if plugin.home == Home::Project && name.as_ref().is_some_and(|name| of_user.contains(name)) {
            continue;
        }
        let folder = plugin.root.file_name().unwrap_or_default().to_string_lossy();
        let id = format!("{}@{IN_SKILLS}", name.as_deref().unwrap_or(&folder));
        // Without a readable name, no entry can turn it off.
        let entry = name.and_then(|_| enabled.get(&id));
        if entry.is_some_and(|entry| !entry.is_on) {
            continue;
        }
        let is_forced = entry.is_some_and(|entry| entry.is_forced);
        let scope = Scope::Plugin { id, is_forced };
        if deadline.is_over() {
            plugins.sources.push(HookFile::unreadable(scope, plugin.root, too_slow()));
            break;
        }
        if plugin.has_manifest() {
            plugins.add_hooks(&plugin, &scope, deadline);
        }
        let project = folders.project.as_deref().filter(|_| plugin.home == Home::Project);
        plugins.packaged.extend(plugin.packaged(&scope, project));
    }
}

/// Returns the paths in a `hooks` value. The value can also contain events.
fn paths(hooks: Option<&Value>, root: &Path) -> Vec<PathBuf> {
    let parts = match hooks {
        Some(Value::Array(parts)) => &parts[..],
        part => part.map_or(&[][..], std::slice::from_ref),
    };
    let paths = parts.iter().filter_map(|part| part.as_str()?.strip_prefix("./"));
    paths.map(|path| plain(&root.join(path))).collect()
}
