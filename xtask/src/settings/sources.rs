//! A project's hooks: `.claude/hookkit.toml`, which its team commits.
//!
//! ```toml
//! [sources.guards]
//! git = "https://git.example.com/acme/hooks"
//! folder = "guards"
//! rev = "5d1c…"
//! hooks = ["no-force-push"]
//! ```
//!
//! | key | value |
//! |---|---|
//! | `sources.NAME` | the name of a workspace, which is in the commands of its hooks |
//! | `path` | the workspace's location, relative to the project's root |
//! | `git`, `folder` | or its repository, and its folder there |
//! | `rev` | the commit that was last installed |
//! | `hooks` | the chosen hooks; all, if it is missing |
//! | `folders` | the folders in the project whose sessions also have them |
//!
//! This file identifies a workspace; its folder's name does not. Entries that do not provably belong to the workspace
//! are not changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use toml_edit::{Array, DocumentMut, Item, Key, Table, value};

use crate::cargo::location::{self, Location, address};
use crate::disk::beneath::Beneath;
use crate::disk::write;
use crate::settings::place::{Place, is_folder, is_name};
use crate::terminal::one_line;

/// The name of the file in the client's folder.
pub(crate) const FILE: &str = "hookkit.toml";

/// The start of a file that `install` creates.
const HEAD: &str =
    "# Which hooks this project has, and where they are from. `cargo xtask install` writes it; commit it.\n";

/// The content of the file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sources {
    #[serde(default, rename = "sources")]
    pub(crate) all: BTreeMap<String, Source>,
}

/// A workspace whose hooks the project uses.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Source {
    pub(crate) path: Option<String>,
    pub(crate) git: Option<String>,
    #[serde(default, skip_serializing)]
    pub(crate) folder: String,
    pub(crate) rev: Option<String>,
    pub(crate) hooks: Option<BTreeSet<String>>,
    #[serde(default, skip_serializing)]
    pub(crate) folders: BTreeSet<String>,
}

/// A workspace's identity in the file.
#[derive(PartialEq)]
pub(crate) enum Identity {
    /// The workspace is not in the file.
    New,
    /// The workspace is this source.
    Is(Source),
    /// The workspace is this source under another name.
    Was(String, Source),
}

impl Identity {
    /// Returns the workspace's source.
    pub(crate) fn source(&self) -> Option<&Source> {
        match self {
            Self::New => None,
            Self::Is(source) | Self::Was(_, source) => Some(source),
        }
    }

    /// Returns the workspace's other name in the file.
    pub(crate) fn former_name(&self) -> Option<&String> {
        match self {
            Self::Was(name, _) => Some(name),
            Self::New | Self::Is(_) => None,
        }
    }
}

/// Returns the file for a project's settings.
pub(crate) fn file(place: &Place) -> Beneath {
    place.claude.join(FILE)
}

impl Sources {
    /// Reads a project's file. Without a file, the result is empty.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read, or has an unknown key.
    pub(crate) fn read(place: &Place) -> Result<Self> {
        let file = file(place);
        write::read_as(&file, |bytes| Self::parse(bytes, &file))
    }

    fn parse(bytes: Option<&[u8]>, file: &Beneath) -> Result<Self> {
        str::from_utf8(bytes.unwrap_or_default())
            .map_err(anyhow::Error::from)
            .and_then(Self::from_text)
            .with_context(|| format!("{file} was left untouched: it cannot be read"))
    }

    fn from_text(text: &str) -> Result<Self> {
        let sources: Self = toml_edit::de::from_str(text)?;
        for (name, source) in &sources.all {
            ensure!(is_name(name), "{name:?} cannot be the name of a workspace's hooks");
            ensure!(source.path.is_some() != source.git.is_some(), "[sources.{name}] needs either `path` or `git`");
            ensure!(
                source.git.is_some() || source.folder.is_empty() && source.rev.is_none(),
                "[sources.{name}]: `folder` and `rev` need `git`"
            );
            if let Some(folder) = source.folders.iter().find(|folder| !is_folder(folder)) {
                bail!("[sources.{name}]: {folder:?} in `folders` is not the path of a folder within the project");
            }
        }
        Ok(sources)
    }

    /// Returns the identity of the workspace in `root`, installed under this name. `noted` is its former location.
    ///
    /// # Errors
    ///
    /// Fails if the name belongs to another workspace.
    pub(crate) fn identify(
        &self,
        name: &str,
        (location, root): (&Location, &Path),
        place: &Place,
        noted: Option<&str>,
    ) -> Result<Identity> {
        let project = place.root();
        let leads = |path: &String| project.join(path).canonicalize().is_ok_and(|path| path == root);
        // Adding, removing or changing a remote does not make it a different workspace.
        let is_it = |source: &Source| {
            source.is(location) || source.path.as_ref().is_some_and(leads) || noted == Some(&source.whence())
        };
        if let Some(source) = self.all.get(name) {
            ensure!(
                is_it(source),
                "In {file}, `{name}` is the name of another workspace's hooks: {source}\nIf this workspace, \
                 {location}, is the same, replace the table in {file} with:\n\n{}\nIf not, give this workspace \
                 another name in {}: [workspace.metadata.hookkit] name = \"…\"",
                Source::of(location).table(name),
                root.join("Cargo.toml").display(),
                file = file(place)
            );
            return Ok(Identity::Is(source.clone()));
        }
        Ok(self
            .all
            .iter()
            .find(|(_, source)| is_it(source))
            .map_or(Identity::New, |(name, source)| Identity::Was(name.clone(), source.clone())))
    }

    /// Returns the folders in the project in which a source has hooks.
    pub(crate) fn folders(&self) -> BTreeSet<&String> {
        self.all.values().flat_map(|source| &source.folders).collect()
    }
}

impl Source {
    /// Returns a source for a workspace at this location, with no chosen hooks.
    pub(crate) fn of(location: &Location) -> Self {
        match location {
            Location::Path(path) => Self { path: Some(path.clone()), ..Self::default() },
            Location::Git { urls, folder } => {
                Self { git: urls.first().cloned(), folder: folder.clone(), ..Self::default() }
            }
        }
    }

    /// Returns the location of the source, which is the same for all URLs of a repository.
    pub(crate) fn whence(&self) -> String {
        match (&self.git, &self.path) {
            (Some(git), _) => format!("{} {}", address(git), self.folder).trim_end().to_owned(),
            (None, path) => path.clone().unwrap_or_default(),
        }
    }

    pub(crate) fn is(&self, location: &Location) -> bool {
        match location {
            Location::Path(path) => self.git.is_none() && self.path.as_ref() == Some(path),
            Location::Git { urls, folder } => self
                .git
                .as_ref()
                .is_some_and(|git| self.folder == *folder && urls.iter().any(|url| address(url) == address(git))),
        }
    }

    /// Returns the folder of the source, if it is in the project.
    pub(crate) fn in_project(&self, place: &Place) -> Option<Beneath> {
        let path = Path::new(self.path.as_deref().filter(|_| self.git.is_none())?);
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        let project = place.project().filter(|_| path.components().all(is_plain))?;
        let names: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
        Some(Beneath::project(project).join(names))
    }

    /// Checks that a workspace contains the last installed version, so that an old clone removes nothing.
    ///
    /// # Errors
    ///
    /// Fails if the workspace is older.
    pub(crate) fn ensure_not_older(&self, workspace: &Path, place: &Place) -> Result<()> {
        match &self.rev {
            Some(rev) if !location::has(workspace, rev) => bail!(
                "{} does not have the commit that the project's hooks were installed from, {}\nGet it: git -C {0} \
                 pull\nTo install an older commit on purpose, remove `rev` from {}",
                workspace.display(),
                one_line(rev),
                file(place)
            ),
            _ => Ok(()),
        }
    }

    /// Returns the source as a table of the file.
    pub(crate) fn table(&self, name: &str) -> String {
        let mut document = DocumentMut::new();
        put(&mut document, name, self);
        document.to_string()
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.git, &self.path) {
            (Some(git), _) => location::place_in(f, &one_line(git), &one_line(&self.folder)),
            (None, path) => write!(f, "the folder {}", one_line(path.as_deref().unwrap_or_default())),
        }
    }
}

/// Returns the text of the file with this source under this name. The source's former name is removed.
///
/// A new table is added at the end. In an existing table, only changed keys are written.
pub(crate) fn with(text: Option<&str>, name: &str, source: &Source, former: Option<&str>) -> Result<String> {
    let mut text = text.unwrap_or(HEAD).to_owned();
    if let Some(former) = former {
        text = without(&text, former)?.unwrap_or_else(|| HEAD.to_owned());
    }
    let parsed: Sources = toml_edit::de::from_str(&text)?;
    match parsed.all.get(name) {
        Some(known) if known == source => {}
        // Only an inline table with all sources cannot be followed by a table.
        None if parsed.all.is_empty()
            || !text.parse::<DocumentMut>()?.get("sources").is_some_and(Item::is_inline_table) =>
        {
            if !text.is_empty() {
                text += if text.ends_with('\n') { "\n" } else { "\n\n" };
            }
            text += &source.table(name);
        }
        _ => {
            let mut document: DocumentMut = text.parse()?;
            put(&mut document, name, source);
            text = document.to_string();
        }
    }
    Ok(text)
}

/// Returns the text of the file without this source. `None` if no text from a person is left.
pub(crate) fn without(text: &str, name: &str) -> Result<Option<String>> {
    let before: Sources = toml_edit::de::from_str(text)?;
    if !before.all.contains_key(name) {
        return Ok(Some(text.to_owned()));
    }
    let rest = match section(text, name) {
        Some(section) => format!("{}{}", &text[..section.start], &text[section.end..]),
        None => {
            let mut document: DocumentMut = text.parse()?;
            let sources = document.get_mut("sources").and_then(Item::as_table_like_mut);
            sources.map(|sources| sources.remove(name));
            document.to_string()
        }
    };
    let left: Sources = toml_edit::de::from_str(&rest)?;
    let others = before.all.iter().filter(|(known, _)| *known != name);
    ensure!(
        left.all.iter().eq(others),
        "[sources.{name}] cannot be removed from {FILE} in the form that it has there; remove it manually"
    );
    Ok((rest.trim() != HEAD.trim()).then_some(rest))
}

/// Returns the range of a source's table. It includes the blank line before it, but not the comments after it.
fn section(text: &str, name: &str) -> Option<Range<usize>> {
    let is_header = |line: &str| {
        let key = line.trim_start().strip_prefix('[').and_then(|line| line.split(']').next());
        key.and_then(|key| Key::parse(key).ok()).unwrap_or_default().iter().map(Key::get).eq(["sources", name])
    };
    let (mut at, mut start, mut end) = (0, None, 0);
    for line in text.split_inclusive('\n') {
        match start {
            None if is_header(line) => start = Some(at),
            Some(_) if line.trim_start().starts_with('[') => break,
            _ => {}
        }
        at += line.len();
        let says_nothing = line.trim().is_empty() || line.trim_start().starts_with('#');
        if start.is_some() && !says_nothing {
            end = at;
        }
    }
    let start = start?;
    let blank = usize::from(text[..start].ends_with("\n\n"));
    Some(start - blank..end)
}

fn put(document: &mut DocumentMut, name: &str, source: &Source) {
    let mut implicit = Table::new();
    implicit.set_implicit(true);
    let sources = document.entry("sources").or_insert(Item::Table(implicit));
    let Some(sources) = sources.as_table_like_mut() else {
        return;
    };
    if !sources.contains_key(name) {
        sources.insert(name, Item::Table(Table::new()));
    }
    let Some(table) = sources.get_mut(name).and_then(Item::as_table_like_mut) else {
        return;
    };
    let folder = Some(&source.folder).filter(|folder| !folder.is_empty());
    let texts = [
        ("path", source.path.as_ref()),
        ("git", source.git.as_ref()),
        ("folder", folder),
        ("rev", source.rev.as_ref()),
    ];
    for (key, text) in texts {
        match text {
            Some(text) if table.get(key).and_then(Item::as_str) == Some(text) => {}
            Some(text) => drop(table.insert(key, value(text))),
            None => drop(table.remove(key)),
        }
    }
    let folders = Some(&source.folders).filter(|folders| !folders.is_empty());
    for (key, list) in [("hooks", source.hooks.as_ref()), ("folders", folders)] {
        // A person's empty list of folders stays.
        let present = texts_of(table.get(key)).filter(|list| key == "hooks" || !list.is_empty());
        match list {
            list if list == present.as_ref() => {}
            Some(list) => drop(table.insert(key, value(one_each_line(list)))),
            None => drop(table.remove(key)),
        }
    }
}

fn texts_of(list: Option<&Item>) -> Option<BTreeSet<String>> {
    Some(list.and_then(Item::as_array)?.iter().filter_map(|text| Some(text.as_str()?.to_owned())).collect())
}

/// Writes one hook per line, so that two people who each choose a hook change different lines.
fn one_each_line(hooks: &BTreeSet<String>) -> Array {
    let mut array = Array::from_iter(hooks);
    for hook in array.iter_mut() {
        hook.decor_mut().set_prefix("\n    ");
    }
    array.set_trailing("\n");
    array.set_trailing_comma(true);
    array
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(url: &str) -> Location {
        Location::Git { urls: vec![url.to_owned()], folder: "guards".to_owned() }
    }

    fn sources(text: &str) -> Sources {
        toml_edit::de::from_str(text).unwrap()
    }

    #[test]
    fn a_remote_that_comes_goes_or_changes_makes_no_other_workspace() -> Result<()> {
        let folder = test_support::folder();
        let [app, ws] = ["app", "ws"].map(|name| folder.path().join(name));
        std::fs::create_dir_all(&ws)?;
        std::fs::create_dir_all(&app)?;
        std::fs::write(ws.join("Cargo.toml"), "")?;
        let (app, ws) = (app.canonicalize()?, ws.canonicalize()?);
        let kind = crate::settings::place::PlaceKind::Project(app.clone());
        let place = Place::new(kind, &app.join(".claude/settings.json"), "ws")?;
        let remote = git("https://git.example.com/acme/hooks");
        let by_git = "git = \"https://git.example.com/old/hooks\"\nfolder = \"guards\"";
        for (source, location, noted, is_it) in [
            ("path = \"../ws\"", &remote, None, true),
            (by_git, &remote, Some("git.example.com/old/hooks guards"), true),
            (by_git, &Location::Path("../ws".to_owned()), Some("git.example.com/old/hooks guards"), true),
            (by_git, &remote, None, false),
            (by_git, &remote, Some("git.example.com/acme/hooks guards"), false),
        ] {
            let sources = sources(&format!("[sources.ws]\n{source}\n"));
            let identity = sources.identify("ws", (location, &ws), &place, noted);
            assert_eq!(identity.is_ok(), is_it, "{source} {noted:?}");
            let err = identity.err().map(|err| err.to_string()).unwrap_or_default();
            assert_eq!(err.find("replace the table in").is_some(), !is_it, "{err}");
        }
        Ok(())
    }

    #[test]
    fn a_source_goes_in_and_out_again() -> Result<()> {
        let source = Source {
            rev: Some("5d1c".to_owned()),
            hooks: Some(["b", "a"].map(str::to_owned).into()),
            ..Source::of(&git("https://git.example.com/acme/hooks"))
        };
        let written = with(None, "guards", &source, None)?;
        let table = "\n[sources.guards]\ngit = \"https://git.example.com/acme/hooks\"\nfolder = \"guards\"\n\
                     rev = \"5d1c\"\nhooks = [\n    \"a\",\n    \"b\",\n]\n";
        assert_eq!(written, format!("{HEAD}{table}"));
        assert_eq!(sources(&written).all["guards"], source);
        assert_eq!(with(Some(&written), "guards", &source, None)?, written);
        assert_eq!(without(&written, "guards")?, None);
        for text in test_support::lines!("lines/sources.txt").section("a source goes in and out again").lines() {
            let both = with(Some(text), "guards", &source, None)?;
            assert_eq!(sources(&both).all["guards"], source, "{both}");
            assert_eq!(without(&both, "guards")?.as_deref(), Some(text), "{both}");
        }
        Ok(())
    }

    #[test]
    fn a_new_name_takes_the_old_ones_place() -> Result<()> {
        let source = Source::of(&Location::Path("hooks".to_owned()));
        let written = with(None, "old", &source, None)?;
        let renamed = with(Some(&written), "new", &source, Some("old"))?;
        assert_eq!(renamed, written.replace("old", "new"));
        Ok(())
    }

    #[test]
    fn what_a_person_wrote_around_it_stays() -> Result<()> {
        let text = "[sources.guards] # ours\n# Chosen by the team.\nhooks = [\"a\"]\npath = \"hooks\"\n";
        let mut source = sources(text).all["guards"].clone();
        assert_eq!(with(Some(text), "guards", &source, None)?, text);
        source.hooks = None;
        assert_eq!(with(Some(text), "guards", &source, None)?, "[sources.guards] # ours\npath = \"hooks\"\n");
        Ok(())
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let parsed = |text: &str| Sources::from_text(text).map_or("refused".to_owned(), |_| String::new());
        test_support::lines!("lines/sources.txt").check_section("refused", parsed);
    }
}
