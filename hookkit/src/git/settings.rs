//! Git's configuration of filters and untracked files.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;

use super::{LONGEST, WorkTree, failed, path};
use crate::bounded;
use crate::quote::quoted;

/// The settings that affect `git status`, in the order that git reads them.
pub(super) struct Settings {
    list: Vec<Setting>,
}

struct Setting {
    /// `true` if it is from the user's or the system's configuration, not the repository's.
    is_users: bool,
    /// Key, such as `filter.NAME.clean`, in lower case except for the name.
    key: Vec<u8>,
    value: Vec<u8>,
}

impl Settings {
    pub(super) fn of(tree: &WorkTree) -> io::Result<Self> {
        Self::matching(tree, r"^(filter\..*|status\.showuntrackedfiles)$")
    }

    fn matching(tree: &WorkTree, keys: &str) -> io::Result<Self> {
        let output = tree.run("config", ["--null", "--show-scope", "--get-regexp", keys])?;
        // 1 means that there are none.
        if !matches!(output.status.code(), Some(0 | 1)) || output.is_cut_off {
            return Err(failed("config", &output));
        }
        let mut fields = output.stdout.split(|byte| *byte == 0);
        let mut list = Vec::new();
        while let (Some(scope), Some(setting)) = (fields.next(), fields.next()) {
            let mut parts = setting.splitn(2, |byte| *byte == b'\n');
            list.push(Setting {
                is_users: [&b"system"[..], b"global"].contains(&scope),
                key: parts.next().unwrap_or_default().to_owned(),
                // A key without a value is true.
                value: parts.next().unwrap_or(b"true").to_owned(),
            });
        }
        Ok(Self { list })
    }

    /// Returns `status.showUntrackedFiles`; empty if it is not set.
    pub(super) fn untracked(&self) -> Cow<'_, str> {
        let mut untracked = self.list.iter().filter(|setting| setting.key.starts_with(b"status."));
        String::from_utf8_lossy(untracked.next_back().map_or(b"", |setting| &setting.value))
    }

    /// Returns settings that replace the filters of the repository's own configuration with the user's, or turn them
    /// off.
    ///
    /// # Errors
    ///
    /// Fails if a filter's name contains `=`, which ends the key on git's command line.
    pub(super) fn without_own_filters(&self) -> io::Result<Vec<OsString>> {
        let mut settings = Vec::new();
        let mut idle = Vec::new();
        for own in self.list.iter().filter(|setting| !setting.is_users) {
            let Some(end) = own.key.iter().rposition(|byte| *byte == b'.') else {
                continue;
            };
            let (filter, variable) = own.key.split_at(end);
            if ![&b".clean"[..], b".process", b".required"].contains(&variable) {
                continue;
            }
            if filter.contains(&b'=') {
                return Err(cannot_be_turned_off(filter));
            }
            let mut users = (self.list.iter()).filter(|setting| setting.is_users && setting.key == own.key);
            match users.next_back() {
                Some(users) => settings.push([&own.key, &b"="[..], &users.value].concat()),
                None if variable == b".required" => idle.push(filter),
                None => {
                    settings.push([&own.key, &b"="[..]].concat());
                    // git does not run `clean` if there is a `process`, even an empty one.
                    idle.extend((variable == b".process").then_some(filter));
                }
            }
        }
        // The filter is then optional. If a variable is set twice, the last value counts.
        settings.extend(idle.into_iter().map(|filter| [filter, b".required=false"].concat()));
        Ok(settings.into_iter().map(|setting| path(&setting).into_os_string()).collect())
    }
}

impl WorkTree {
    /// Returns the settings whose names match a regular expression, in the order in which git reads them.
    ///
    /// If a setting can have only one value, the last one counts. The expression is in git's syntax. Names are in lower
    /// case, except for the part between the first and the last dot.
    ///
    /// ```
    /// # use std::io;
    /// # fn example(tree: &hookkit::git::WorkTree) -> io::Result<()> {
    /// let remotes = tree.settings(r"^remote\..*\.url$")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// See [`around`](Self::around).
    pub fn settings(&self, names: &str) -> io::Result<Vec<(String, String)>> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let settings = Settings::matching(self, names)?.list.into_iter();
        Ok(settings.map(|setting| (text(&setting.key), text(&setting.value))).collect())
    }

    /// Returns `true` if the repository's own configuration may have filters: one of its files contains the word
    /// `filter` or `include`, or cannot be read.
    pub(super) fn may_have_own_filters(&self) -> bool {
        let Some(git) = self.own_folder() else { return true };
        let common = bounded::text(&git.join("commondir"), LONGEST).unwrap_or_default();
        let common = git.join(common.trim());
        let may_have = |text: &str| {
            let text = text.to_ascii_lowercase();
            text.contains("filter") || text.contains("include")
        };
        let files = [common.join("config"), common.join("config.worktree"), git.join("config.worktree")];
        files.iter().any(|file| match bounded::text(file, LONGEST) {
            Ok(text) => may_have(&text),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        })
    }
}

/// Returns the error for a filter whose name contains `=`. The name is untrusted, and a message with it could smuggle a
/// command to the reader.
#[cold]
fn cannot_be_turned_off(filter: &[u8]) -> io::Error {
    let name = String::from_utf8_lossy(filter);
    let is_printable = filter.iter().all(|byte| matches!(byte, b' '..=b'~'));
    let fix = if is_printable {
        format!("remove it with `git config --remove-section {}`", quoted(&name))
    } else {
        "remove it from the file that `git config --show-origin --get-regexp ^filter` prints".to_owned()
    };
    io::Error::other(format!(
        "the repository's configuration has a filter that cannot be turned off, because its name {name:?} contains `=`: {fix}"
    ))
}
