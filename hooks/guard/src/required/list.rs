//! The hooks of a project, listed in a file that `install` writes and the team commits.
//!
//! The file comes with a checkout: it is read within limits, nothing in it is run, and only names of hooks are shown from it.

use hookkit::project::is_home;
use serde::de::IgnoredAny;
use serde_json::error::Category;

use super::client::Version;
use crate::prelude::*;
use crate::settings_files::root;

/// Maximum size of the file, in bytes.
const LONGEST: u64 = 1 << 20;

/// Maximum length of a hook's name.
const LONGEST_NAME: usize = 100;

/// Members of a handler that `install` writes.
const MEMBERS: &str = "args async asyncRewake command if onFailure statusMessage timeout type";

/// The hooks of a project.
pub(super) struct List {
    /// Folder of the project.
    pub folder: PathBuf,
    /// The hooks, or the reason why they cannot be read.
    pub hooks: Result<Vec<Listed>, String>,
    /// Oldest client that the hooks support.
    pub min_client: Option<Version>,
}

/// A hook of a source.
pub(super) struct Listed {
    pub source: String,
    pub name: String,
    pub entries: Vec<Placed>,
}

/// An entry in the settings.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Placed {
    pub event: String,
    pub group: Group,
}

/// Handlers with one matcher.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Group {
    pub matcher: Option<String>,
    pub hooks: Vec<Map<String, Value>>,
}

/// The hooks of a source, and the code that they were built from.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    #[serde(rename = "rev")]
    _rev: Option<IgnoredAny>,
    #[serde(rename = "code")]
    _code: Option<IgnoredAny>,
    #[serde(rename = "from")]
    _from: Option<IgnoredAny>,
    #[serde(rename = "min-client")]
    min_client: Option<String>,
    hooks: BTreeMap<String, Vec<Placed>>,
}

/// Returns the lists of a folder and its parents, up to the root of the repository. The user's home is not a project.
pub(super) fn around(folder: &Path, environment: Environment) -> Vec<List> {
    let root = root(folder).unwrap_or(folder);
    let folders =
        folder.ancestors().take_while(|folder| folder.starts_with(root)).filter(|folder| !is_home(folder, environment));
    let list = |folder: &Path| {
        let file = folder.join(".claude/hookkit.lock");
        // A broken link counts as existing.
        fs::symlink_metadata(&file).ok()?;
        let (hooks, min_client) = match read(&file, root) {
            Ok((hooks, min_client)) => (Ok(hooks), min_client),
            Err(why) => (Err(why), None),
        };
        Some(List { folder: folder.to_owned(), hooks, min_client })
    };
    folders.filter_map(list).collect()
}

/// The hooks in a list, and the oldest client that they support.
type Content = (Vec<Listed>, Option<Version>);

fn read(file: &Path, root: &Path) -> Result<Content, String> {
    let is_inside = fs::canonicalize(file).is_ok_and(|target| target.starts_with(root));
    if !is_inside {
        return Err("it is a link out of the project".to_owned());
    }
    parse(&bounded::text(file, LONGEST).map_err(|err| err.to_string())?)
}

fn parse(text: &str) -> Result<Content, String> {
    let sources: BTreeMap<String, Source> = serde_json::from_str(text).map_err(|err| {
        let line = err.line();
        match err.classify() {
            // The error's own words would quote the file.
            Category::Data => format!("this version of hookkit cannot read line {line}"),
            Category::Io | Category::Syntax | Category::Eof => format!("line {line} is not JSON"),
        }
    })?;
    let (mut listed, mut min_client) = (Vec::new(), None);
    for (source, of_source) in sources {
        if let Some(least) = of_source.min_client {
            let least = Version::parse(&least, '.').ok_or("its `min-client` is not a version")?;
            min_client = min_client.max(Some(least));
        }
        for (name, entries) in of_source.hooks {
            if name.len() > LONGEST_NAME || !has_only(&name, "-_") {
                return Err("it has a name that no hook can have".to_owned());
            }
            let mut handlers = entries.iter().flat_map(|entry| &entry.group.hooks);
            let is_known = |member: &String| lists(MEMBERS, member.as_str());
            if !handlers.all(|handler| handler.keys().all(is_known)) {
                return Err(format!("this version of hookkit cannot read the entry of `{name}`"));
            }
            listed.push(Listed { source: source.clone(), name, entries });
        }
    }
    Ok((listed, min_client))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_an_error_without_words_of_the_file() {
        test_support::lines!("lines/hookkit-lock.txt").check(|_, text| match parse(text) {
            Ok((listed, min_client)) if listed.is_empty() && min_client.is_none() => "read".to_owned(),
            Ok(_) => "it has hooks or a client".to_owned(),
            Err(error) => error,
        });
        let name = "x".repeat(LONGEST_NAME + 1);
        assert!(parse(&format!(r#"{{"a": {{"hooks": {{"{name}": []}}}}}}"#)).is_err());
    }
}
