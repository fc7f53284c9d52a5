//! Git's configuration of filters and new files.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;

use super::{WorkTree, failed, path};
use crate::env_file::quoted;

/// The settings that count for `git status`, in the order in which git reads them.
pub(super) struct Settings {
    list: Vec<Setting>,
}

struct Setting {
    /// `true` if the user wrote it, and not the repository.
    is_users: bool,
    /// `filter.NAME.clean`, in lower case but for the name.
    key: Vec<u8>,
    value: Vec<u8>,
}

impl Settings {
    pub(super) fn of(tree: &WorkTree) -> io::Result<Self> {
        let keys = r"^(filter\..*|status\.showuntrackedfiles)$";
        let output = tree.run("config", ["--null", "--show-scope", "--get-regexp", keys])?;
        // 1 is that there are none.
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
                // A key alone is true.
                value: parts.next().unwrap_or(b"true").to_owned(),
            });
        }
        Ok(Self { list })
    }

    /// Returns `status.showUntrackedFiles`; an empty text where it is not set.
    pub(super) fn untracked(&self) -> Cow<'_, str> {
        let mut untracked = self.list.iter().filter(|setting| setting.key.starts_with(b"status."));
        String::from_utf8_lossy(untracked.next_back().map_or(b"", |setting| &setting.value))
    }

    /// Returns settings that take back what the repository's own configuration says about filters: what the user's says
    /// counts, or no program.
    ///
    /// # Errors
    ///
    /// If a filter's name contains `=`, since git ends the name there.
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
                    // git runs no `clean` where there is a `process`, be it empty.
                    idle.extend((variable == b".process").then_some(filter));
                }
            }
        }
        // It may stay away. Of a variable that is set twice the last value counts.
        settings.extend(idle.into_iter().map(|filter| [filter, b".required=false"].concat()));
        Ok(settings
            .into_iter()
            .map(|setting| path(&setting).into_os_string())
            .collect())
    }
}

/// The error about a filter whose name has `=`. Its author may want the user to run something else.
#[cold]
fn cannot_be_turned_off(filter: &[u8]) -> io::Error {
    let name = String::from_utf8_lossy(filter);
    let is_printable = filter.iter().all(|byte| matches!(byte, b' '..=b'~'));
    let fix = if is_printable {
        format!("remove it with `git config --remove-section {}`", quoted(&name))
    } else {
        "remove it from the file that `git config --show-origin --get-regexp ^filter` names".to_owned()
    };
    io::Error::other(format!(
        "the repository's configuration has a filter whose name contains `=`, {name:?}, which cannot be turned off: {fix}"
    ))
}
