//! The source of a pack: a registry, a git repository or a folder, and its versions.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use tempfile::TempDir;

use crate::cargo::location::{self, git_of_clone};
use crate::cargo::metadata::{Dependency, Metadata, Package};
use crate::terminal::listed;

/// The source of a pack, in the words of `cargo add`.
#[derive(Args, Clone, Default)]
pub(crate) struct PackSource {
    /// The pack's package, or `PACKAGE@VERSION`; may be omitted for a repository or a folder with one pack
    #[arg(value_name = "PACKAGE", required_unless_present_any = ["git", "path"])]
    pub(crate) package: Option<String>,
    /// A git repository: its URL, or its folder
    #[arg(long, value_name = "URL", conflicts_with = "path")]
    git: Option<String>,
    /// The tag of the repository
    #[arg(long, requires = "git", conflicts_with_all = ["branch", "rev"])]
    tag: Option<String>,
    /// The branch of the repository, in its current state
    #[arg(long, requires = "git", conflicts_with = "rev")]
    branch: Option<String>,
    /// The commit of the repository
    #[arg(long, requires = "git")]
    rev: Option<String>,
    /// The folder of the package, or of a workspace with it
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
    /// A registry of cargo's configuration instead of crates.io
    #[arg(long, value_name = "NAME", conflicts_with_all = ["git", "path"])]
    registry: Option<String>,
}

impl PackSource {
    /// A tag of a git repository.
    pub(crate) fn tag(package: &str, url: &str, tag: &str) -> Self {
        Self {
            package: Some(package.to_owned()),
            git: Some(url.to_owned()),
            tag: Some(tag.to_owned()),
            ..Self::default()
        }
    }

    /// A version of a registry, or the newest one.
    pub(crate) fn registry(package: &str, version: Option<&str>, registry: Option<String>) -> Self {
        Self {
            package: Some(version.map_or_else(|| package.to_owned(), |version| format!("{package}@={version}"))),
            registry,
            ..Self::default()
        }
    }

    /// A branch of a git repository, or the one that it is on.
    pub(crate) fn branch(package: &str, url: &str, branch: Option<&str>) -> Self {
        Self {
            package: Some(package.to_owned()),
            git: Some(url.to_owned()),
            branch: branch.map(str::to_owned),
            ..Self::default()
        }
    }

    pub(crate) fn named_tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// Returns the same with the name of its package, and with that package's own folder: a workspace has several packages.
    ///
    /// # Errors
    ///
    /// Fails if there is no such pack, or there are several and none is named.
    pub(crate) fn with_package(&self, cwd: &Path) -> Result<Self> {
        let clone;
        let folder = match (&self.path, &self.git, &self.package) {
            (Some(path), ..) => path,
            (None, Some(git), None) => {
                clone = self.cloned(git, cwd)?;
                &clone.path().join("clone")
            }
            _ => return Ok(self.clone()),
        };
        let folder = folder
            .canonicalize()
            .with_context(|| format!("the folder {}", folder.display()))?;
        if self.git.is_some() && !folder.join("Cargo.toml").is_file() {
            // cargo searches the folders of a repository.
            return Ok(self.clone());
        }
        let metadata = Metadata::of_package(&folder, cwd)?;
        let named = self.package.as_deref().and_then(|name| name.split('@').next());
        let packs: Vec<&Package> = metadata.packages.iter().filter(|package| package.is_pack()).collect();
        let found = match named {
            Some(name) => metadata.packages.iter().find(|package| package.name == name),
            None => {
                let of_folder = metadata.packages.iter().find(|package| package.folder() == folder);
                of_folder.or_else(|| packs.first().copied().filter(|_| packs.len() == 1))
            }
        };
        let names = || match packs.len() {
            0 => "there is no pack: a pack is a library that depends on hookkit".to_owned(),
            _ => format!("there are {}", listed(packs.iter().map(|pack| &pack.name))),
        };
        let found = found.with_context(|| match named {
            Some(name) => format!("there is no package `{name}` in {}; {}", folder.display(), names()),
            None => format!("name the pack: {}", names()),
        })?;
        Ok(Self {
            package: self.package.clone().or_else(|| Some(found.name.clone())),
            path: self.path.as_ref().map(|_| found.folder().to_owned()),
            ..self.clone()
        })
    }

    /// Clones its repository into a temporary folder, as git alone would: no code of it runs.
    fn cloned(&self, git: &str, cwd: &Path) -> Result<TempDir> {
        let folder = tempfile::tempdir().context("there is no temporary folder")?;
        let clone = folder.path().join("clone");
        let path = clone
            .to_str()
            .with_context(|| format!("{} is not UTF-8", clone.display()))?;
        let mut arguments = vec!["clone", "--quiet"];
        if let Some(name) = self.tag.as_ref().or(self.branch.as_ref()) {
            arguments.extend(["--branch", name]);
        }
        if self.rev.is_none() {
            arguments.extend(["--depth", "1"]);
        }
        let url = url(git);
        arguments.extend(["--", &url, path]);
        git_of_clone(cwd, &arguments).map_err(|err| self.explained(cwd, err))?;
        if let Some(rev) = &self.rev {
            git_of_clone(&clone, &["checkout", "--quiet", "--detach", rev])?;
        }
        Ok(folder)
    }

    /// Returns an error about it with the tags that there are, if it names one that is not there.
    pub(crate) fn explained(&self, cwd: &Path, err: anyhow::Error) -> anyhow::Error {
        let (Some(git), Some(tag)) = (&self.git, &self.tag) else {
            return err;
        };
        match location::tags(cwd, &url(git)) {
            Ok(tags) if tags.contains(tag) => err,
            Ok(tags) if tags.is_empty() => anyhow!("{git} has no tag `{tag}`, and no others"),
            Ok(mut tags) => {
                tags.sort_by_cached_key(|tag| Reverse(version_of(tag).map(|(_, version)| version)));
                let more = match tags.len().saturating_sub(20) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                anyhow!(
                    "{git} has no tag `{tag}`; there are {}{more}",
                    listed(tags.iter().take(20))
                )
            }
            Err(_) => err,
        }
    }

    /// Returns `true` if it is what a git repository has at the moment.
    pub(crate) fn is_branch(&self) -> bool {
        self.git.is_some() && self.tag.is_none() && self.rev.is_none()
    }

    /// Returns `true` if it says no more than a name.
    pub(crate) fn is_bare(&self) -> bool {
        let Self {
            git, path, registry, ..
        } = self;
        git.is_none()
            && path.is_none()
            && registry.is_none()
            && self.package.as_ref().is_some_and(|name| !name.contains('@'))
    }

    /// The arguments of `cargo add`.
    pub(crate) fn arguments(&self) -> Result<Vec<String>> {
        let path = self.path.as_ref().map(|path| {
            let path = path
                .canonicalize()
                .with_context(|| format!("the folder {}", path.display()))?;
            path.into_os_string()
                .into_string()
                .map_err(|path| anyhow::anyhow!("{} is not UTF-8", Path::new(&path).display()))
        });
        let mut arguments: Vec<String> = self.package.iter().cloned().collect();
        for (option, value) in [
            ("--git", self.git.as_deref().map(url)),
            ("--tag", self.tag.clone()),
            ("--branch", self.branch.clone()),
            ("--rev", self.rev.clone()),
            ("--path", path.transpose()?),
            ("--registry", self.registry.clone()),
        ] {
            arguments.extend(value.into_iter().flat_map(|value| [option.to_owned(), value]));
        }
        Ok(arguments)
    }
}

/// Returns what cargo takes for a repository: a folder has a URL, too, and so has `git@host:path`.
fn url(git: &str) -> String {
    match Path::new(git).canonicalize() {
        Ok(folder) => format!("file://{}", folder.display()),
        Err(_) => location::with_scheme(git),
    }
}

/// A tag's prefix and its version: `v1.2.0`, `guards-v1.2.0`.
fn version_of(tag: &str) -> Option<(&str, semver::Version)> {
    let at = tag.find(|char: char| char.is_ascii_digit())?;
    let (prefix, version) = tag.split_at(at);
    Some((prefix, semver::Version::parse(version).ok()?))
}

/// The source of a package, as its dependent declares it.
pub(crate) enum Origin {
    Path,
    Registry,
    /// The newest commit of a branch, or of the repository.
    Branch {
        url: String,
        branch: Option<String>,
    },
    Commit,
    Tag {
        url: String,
        tag: String,
    },
}

impl Origin {
    pub(crate) fn of(dependency: &Dependency) -> Self {
        if dependency.path.is_some() {
            return Self::Path;
        }
        let source = dependency.source.as_deref().unwrap_or_default();
        let Some(git) = source.strip_prefix("git+") else {
            return Self::Registry;
        };
        let (url, query) = git.split_once('?').unwrap_or((git, ""));
        let (key, value) = query.split_once('=').unzip();
        let (url, named) = (url.to_owned(), value.map(str::to_owned));
        match (key, named) {
            (Some("tag"), Some(tag)) => Self::Tag { url, tag },
            (Some("rev"), _) => Self::Commit,
            (_, branch) => Self::Branch { url, branch },
        }
    }
}

/// The newest of a repository's tags that name a version in the way that this one does.
pub(crate) fn newest_tag(cwd: &Path, url: &str, tag: &str) -> Result<String> {
    let (prefix, current) = version_of(tag).with_context(|| {
        format!(
            "the tag `{tag}` names no version, so it is not known which is newer; name one: cargo xtask update --to TAG"
        )
    })?;
    let tags = location::tags(cwd, url)?;
    let versions = tags.iter().filter_map(|tag| Some((version_of(tag)?, tag)));
    let newest = versions
        .filter(|((other, version), _)| *other == prefix && version.pre.is_empty() && *version > current)
        .max_by(|((_, one), _), ((_, other), _)| one.cmp(other));
    Ok(newest.map_or(tag, |(_, tag)| tag).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_name_versions_in_several_ways() {
        for (tag, expected) in [
            ("v1.2.0", Some(("v", "1.2.0"))),
            ("1.2.0", Some(("", "1.2.0"))),
            ("guards-v0.3.0-rc.1", Some(("guards-v", "0.3.0-rc.1"))),
            ("latest", None),
            ("v2", None),
        ] {
            let found = version_of(tag).map(|(prefix, version)| (prefix, version.to_string()));
            let expected = expected.map(|(prefix, version)| (prefix, version.to_owned()));
            assert_eq!(found, expected, "{tag}");
        }
    }
}
