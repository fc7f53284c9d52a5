//! Registries of packages, and the packages that a project already has.

use std::time::Duration;

use hookkit::{Timestamp, process};

use crate::prelude::*;

/// Registries, with the programs that fetch from them. In each row, `files` are the project's files that name its packages,
/// `scripts` is the option without which a package's scripts run when it is installed, and `known` are common names.
static REGISTRIES: Table<64> = Table::new(include_str!("registries.txt"));

/// Maximum size of a lock file, in bytes.
const LONGEST: u64 = 32 << 20;

/// Age at which a version counts as tried by others.
const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The registry of a program that fetches packages.
pub(super) struct Registry(Row);

impl Registry {
    pub(super) fn of(program: &Program) -> Option<Self> {
        REGISTRIES.rows(program.name).next().map(Self)
    }

    pub(super) fn is_npm(&self) -> bool {
        self.0.text.contains("package.json")
    }

    /// Returns the words after a key in the row.
    fn words(&self, what: &str) -> impl Iterator<Item = &'static str> {
        let mut is_it = false;
        self.0.text.lines().flat_map(move |line| {
            let continues = line.starts_with("        ");
            let mut words = line.split_ascii_whitespace();
            is_it = if continues { is_it } else { words.next() == Some(what) };
            words.filter(move |_| is_it)
        })
    }

    /// Returns the option that disables install scripts, if the package manager runs scripts during an install.
    pub(super) fn scripts(&self) -> Option<&'static str> {
        self.words("scripts").next()
    }

    /// Returns the contents of the lock files and manifests in these folders, and above them in the project.
    ///
    /// # Errors
    ///
    /// Fails if an existing file cannot be read.
    pub(super) fn present(&self, folders: &[Rc<Context>], project: &Context) -> Result<Vec<String>, Error> {
        let root = project.absolute(&project.project_dir);
        let folders = folders.iter().flat_map(|context| context.cwd.ancestors());
        let folders: BTreeSet<_> = folders.filter(|folder| folder.starts_with(&root)).collect();
        let files = folders.into_iter().flat_map(|folder| self.words("files").map(|file| folder.join(file)));
        let mut texts = Vec::new();
        for file in files {
            let path = project.path(&file)?;
            if path.relative.is_none() {
                continue;
            }
            match bounded::text(&path.resolved, LONGEST) {
                Ok(text) => texts.push(plain(&text)),
                Err(err) if err.kind() == ErrorKind::NotFound => {}
                Err(err) => return Err(Error::msg(format_args!("`{}` cannot be read: {err}", file.display()))),
            }
        }
        Ok(texts)
    }

    /// Returns a common name that differs from a name by a letter, or by the order of two letters.
    pub(super) fn similar(&self, name: &str) -> Option<&'static str> {
        /// Minimum length: shorter names have too many neighbors.
        const SHORTEST: usize = 4;
        self.words("known")
            .find(|known| known.len() >= SHORTEST && is_near(known, name))
            .filter(|_| !self.words("known").any(|known| known == name))
    }
}

/// Returns `true` if names differ in one letter, or in the order of two letters.
fn is_near(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let same = |(one, other): &(&u8, &u8)| one == other;
    let start = one.iter().zip(other).take_while(same).count();
    let (one, other) = (&one[start..], &other[start..]);
    let end = one.iter().rev().zip(other.iter().rev()).take_while(same).count();
    match (&one[..one.len() - end], &other[..other.len() - end]) {
        ([first, second], [third, fourth]) => first == fourth && second == third,
        (one, other) => one.len().max(other.len()) == 1,
    }
}

/// The source of a package.
pub(super) enum Source<'w> {
    /// A name in the registry.
    Name(&'w str),
    /// Another address on the network.
    Address,
    /// A file, or nothing to fetch.
    Local,
}

impl<'w> Source<'w> {
    pub(super) fn of(text: &'w str, registry: &Registry) -> Self {
        const LOCAL: &str = ". / ~ file: link: portal: workspace:";
        const FILES: &str = ".gem .gz .tgz .toml .txt .whl .zip";
        const ADDRESSES: &str = ":// bitbucket: gist: git+ git@ github: gitlab: jsr:";
        if begins(LOCAL, text) {
            return Self::Local;
        }
        if holds(ADDRESSES, text) {
            return Self::Address;
        }
        // An alias comes before the package's own name.
        let text = text.rsplit_once("npm:").map_or(text, |(_, name)| name);
        let (name, rest) = text.split_at(
            text.match_indices(|char| "@=<>!~^[;,: ".contains(char))
                .find(|(end, _)| *end > 0)
                .map_or(text.len(), |(end, _)| end),
        );
        let has_folders = registry.words("known").any(|known| known.contains('/'));
        match (name.contains('/') && !name.starts_with('@'), has_folders) {
            _ if text.is_empty() || rest.is_empty() && ends(FILES, name) => Self::Local,
            (true, false) => Self::Address,
            _ if rest.contains('/') => Self::Address,
            // A version, or a package of the language itself.
            (false, true) => Self::Local,
            _ => Self::Name(name),
        }
    }
}

/// Returns a text as registries normalize it to compare names.
fn plain(text: &str) -> String {
    text.to_ascii_lowercase().replace(['_', '.'], "-")
}

/// Returns `true` if the [plain](plain) text of a lock file or a manifest has a name, or the module that a path leads into.
pub(super) fn names(text: &str, name: &str) -> bool {
    let goes_on = |char: char| char.is_ascii_alphanumeric() || "-/".contains(char);
    let is_in = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let before = &text[..at];
            !before.strip_suffix("node-modules/").unwrap_or(before).ends_with(goes_on)
                && !text[at + name.len()..].starts_with(goes_on)
        })
    };
    let name = plain(name);
    name.match_indices('/').skip(2).map(|(end, _)| end).chain([name.len()]).map(|end| &name[..end]).any(is_in)
}

/// Returns npm's objection to a package: that it does not exist, or that its version is young.
///
/// # Errors
///
/// Fails if npm fails for another reason.
pub(super) fn look_up(package: &str) -> Result<Option<String>, Error> {
    /// Maximum length of npm's output: for a range, it prints all versions for each match.
    const MOST: usize = 32 << 20;
    // The project's settings could name another registry, and send the user's token there.
    let mut npm = process::Command::new("npm");
    npm.args(["view", "--json", "--", package, "version", "time"]).current_dir("/").output_limit(MOST);
    let output = npm.output()?;
    if !output.status.success() {
        let text = output.stdout_text() + output.stderr_text();
        return if text.contains("E404") {
            Ok(Some(", which the registry does not have".to_owned()))
        } else {
            Err(Error::msg(format_args!("npm cannot look up `{package}`: {}", text.trim())))
        };
    }
    let found: Value = serde_json::from_slice(&output.stdout)?;
    let found = found.as_array().and_then(|versions| versions.last()).unwrap_or(&found);
    let version = found["version"].as_str().unwrap_or_default();
    let published = found["time"][version].as_str().and_then(|time| time.parse::<Timestamp>().ok());
    let is_young = published.is_some_and(|published| Timestamp::now().since(published) < WEEK);
    Ok(is_young.then(|| format!(", whose version {version} is younger than a week")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_near_that_differ_in_a_letter_or_in_the_order_of_two() {
        for near in ["lodahs", "lodas", "loadash", "lodosh", "lodashh", "odash"] {
            assert!(is_near("lodash", near), "{near}");
        }
        for other in ["lodash", "lodash-es", "ladosh", "hsadol", ""] {
            assert!(!is_near("lodash", other), "{other}");
        }
    }

    #[test]
    fn a_name_is_a_whole_name_of_a_lock_file() {
        for (text, name) in [
            (r#""lodash": "^4""#, "lodash"),
            (r#""node_modules/lodash": {"#, "lodash"),
            ("\"@types/node@^20\":", "@types/node"),
            ("Flask-SQLAlchemy==3.1", "flask_sqlalchemy"),
            ("name = \"serde\"", "serde"),
            ("\tgithub.com/a/b v1.2.0", "github.com/a/b/cmd/c"),
            ("    rails (7.1)", "rails"),
        ] {
            assert!(names(&plain(text), name), "{name}");
        }
        for (text, name) in [
            (r#""@types/lodash": "4""#, "lodash"),
            (r#""lodash-es": "4""#, "lodash"),
            ("\tgithub.com/a/b v1.2.0", "github.com/a/c"),
        ] {
            assert!(!names(&plain(text), name), "{name}");
        }
    }
}
