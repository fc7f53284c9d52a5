//! Branches of the remote that a `git push` changes.

use std::io;

use hookkit::git::WorkTree;

use crate::git::target;

/// Placeholder for all branches, instead of a branch name.
pub(crate) const ALL: &str = "*";

/// The settings of a repository that decide which branches a push changes.
pub(crate) struct Pushes<'l> {
    settings: Vec<(String, String)>,
    /// The current branch.
    current: String,
    /// The branch that the current branch tracks because of the line.
    start: Option<&'l str>,
}

impl<'l> Pushes<'l> {
    /// Asks git for the settings; settings on the command line (`name=value`) take precedence. `None` without a current
    /// branch.
    ///
    /// # Errors
    ///
    /// Fails if git fails.
    pub(crate) fn of(
        tree: &WorkTree,
        own: &[String],
        current: Option<&str>,
        start: Option<&'l str>,
    ) -> io::Result<Option<Self>> {
        const NAMES: &str =
            r"^(push\.default|remote\.pushdefault|remote\..*\.(push|mirror)|branch\..*\.(remote|pushremote|merge))$";
        let Some(current) = current.map_or_else(|| tree.branch(), |branch| Ok(Some(branch.to_owned())))? else {
            return Ok(None);
        };
        let mut settings = tree.settings(NAMES)?;
        settings.extend(
            own.iter()
                .filter_map(|setting| setting.split_once('='))
                .map(|(name, value)| (name.to_owned(), value.to_owned())),
        );
        Ok(Some(Self { settings, current, start }))
    }

    /// Returns the branches that a push changes, with or without a name; [`ALL`] means all.
    pub(crate) fn changed<'n>(&'n self, name: Option<&'n str>, remote: Option<&str>) -> Vec<&'n str> {
        let branch = match name.map(target) {
            Some("HEAD" | "@") => return vec![&self.current],
            branch => branch.unwrap_or(&self.current),
        };
        let of_branch = |key| self.last(&format!("branch.{branch}.{key}"));
        let by_setting = || of_branch("pushremote").or_else(|| self.last("remote.pushdefault"));
        let remote = (remote.or_else(by_setting).or_else(|| of_branch("remote"))).unwrap_or("origin");
        let references: Vec<&str> = self.all(format!("remote.{remote}.push")).collect();
        let mapped = references.iter().filter_map(|reference| match (name, target(reference)) {
            (None, "HEAD" | "@") => Some(branch),
            (None, to) if to.is_empty() || to.contains('*') || to.ends_with('/') => Some(ALL),
            (None, to) => Some(to),
            (Some(_), to) => (reference.split(':').next()?.ends_with(&format!("refs/heads/{branch}"))).then_some(to),
        });
        let mapped: Vec<&str> = mapped.collect();
        let is_mirror = || name.is_none() && self.last(&format!("remote.{remote}.mirror")).is_some();
        let upstream = || of_branch("merge").map(target).or(self.start).unwrap_or(branch);
        match self.last("push.default") {
            _ if !mapped.is_empty() => mapped,
            _ if is_mirror() => vec![ALL],
            Some("matching") if name.is_none() => vec![ALL],
            Some("nothing") if name.is_none() => Vec::new(),
            Some("upstream" | "tracking") => vec![upstream()],
            _ => vec![branch],
        }
    }

    fn last(&self, name: &str) -> Option<&str> {
        self.all(name.to_owned()).last()
    }

    fn all(&self, name: String) -> impl Iterator<Item = &str> {
        self.settings
            .iter()
            .filter(move |(found, _)| found.eq_ignore_ascii_case(&name))
            .map(|(_, value)| value.as_str())
    }
}
