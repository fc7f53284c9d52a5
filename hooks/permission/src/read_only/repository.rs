//! Checks that git uses a repository that cannot come with a checkout, and that its configuration starts nothing.
//!
//! A checkout can contain a folder with `HEAD`, `objects`, `refs` and `config`. When git runs below it, git treats it
//! as a bare repository, and the `config` names programs to run. A checkout cannot contain anything named `.git`.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use crate::prelude::*;

/// Returns `true` if git in the session's folder uses the project's own repository, and no setting there makes a
/// read-only command start a program or fetch.
pub(super) fn is_harmless(context: &Context) -> bool {
    let around = |folder: &Path| Repository::around(&folder.canonicalize().ok()?);
    let (Some(own), Some(used)) = (around(&context.project_dir), around(&context.cwd)) else {
        return false;
    };
    own.common == used.common && used.has_no_links() && used.starts_nothing()
}

/// A work tree and its git directories.
struct Repository {
    root: PathBuf,
    /// Git directory of this work tree.
    git: PathBuf,
    /// Git directory that all work trees of the repository share.
    common: PathBuf,
}

impl Repository {
    /// Returns the repository that git finds from a folder whose path has no links; `None` if that is not certain.
    fn around(folder: &Path) -> Option<Self> {
        for root in folder.ancestors() {
            let git = root.join(".git");
            if is_missing(&git) {
                // It looks like a bare repository, or shares the most telling name with one.
                if !is_missing(&root.join("HEAD")) {
                    return None;
                }
                continue;
            }
            let (git, common) =
                if git.symlink_metadata().ok()?.file_type().is_dir() { (git.clone(), git) } else { linked(&git)? };
            let has = |folder: &str| common.join(folder).is_dir();
            let is_whole = has("objects") && has("refs") && common.join("HEAD").is_file();
            return (is_whole && is_missing(&common.join("commondir"))).then(|| Self {
                root: root.to_owned(),
                git,
                common,
            });
        }
        None
    }

    /// Returns `true` if no part of the repository is a link, through which git would read and write elsewhere.
    fn has_no_links(&self) -> bool {
        let (info, worktrees) = (self.common.join("info"), self.common.join("worktrees"));
        // git also reads files of the other work trees.
        entries(&self.common).is_some()
            && (is_missing(&info) || entries(&info).is_some())
            && (is_missing(&worktrees)
                || entries(&worktrees).is_some_and(|trees| trees.iter().all(|tree| entries(tree).is_some())))
    }

    fn starts_nothing(&self) -> bool {
        let of_work_tree = self.git.join("config.worktree");
        let is_plain = |config: &Path| read(config).is_some_and(|config| starts_nothing(&config, &self.root));
        is_plain(&self.common.join("config")) && (is_missing(&of_work_tree) || is_plain(&of_work_tree))
    }
}

/// Returns the git directories of a linked work tree, from its `.git` file. They must be in a folder named `.git`, too.
fn linked(file: &Path) -> Option<(PathBuf, PathBuf)> {
    let text = read(file)?;
    let path = text.strip_prefix("gitdir: ")?.trim_end_matches(['\n', '\r']);
    let git = file.parent()?.join(path).canonicalize().ok()?;
    let common = git.parent().filter(|parent| parent.ends_with(".git/worktrees"))?.parent()?.to_owned();
    // A blank is a part of the path.
    ["../..", "../..\n"].contains(&&*read(&git.join("commondir"))?).then_some((git, common))
}

fn is_missing(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|err| err.kind() == ErrorKind::NotFound)
}

/// Returns the paths in a folder; `None` if any of them except `hooks` is a link, or if there are more than 1000.
fn entries(folder: &Path) -> Option<Vec<PathBuf>> {
    const MOST: usize = 1000;
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).ok()? {
        let entry = entry.ok()?;
        let is_link = entry.file_type().ok()?.is_symlink();
        if is_link && entry.file_name() != "hooks" || paths.len() == MOST {
            return None;
        }
        paths.push(entry.path());
    }
    Some(paths)
}

/// Returns the text of a file that is not a link and has at most 1 MiB.
fn read(path: &Path) -> Option<String> {
    fs::symlink_metadata(path).ok().filter(|found| !found.is_symlink())?;
    bounded::text(path, 1 << 20).ok()
}

/// Characters that git treats as blanks at the ends of a line.
const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// Returns `true` if a configuration has only settings in [`GOOD`], and can be parsed completely.
fn starts_nothing(config: &str, root: &Path) -> bool {
    let mut section = String::new();
    config.lines().all(|line| {
        let mut line = line.trim_matches(BLANKS);
        // The next line continues this one.
        if line.ends_with('\\') {
            return false;
        }
        if line.starts_with('[') {
            let Some((name, rest)) = header(line) else {
                return false;
            };
            section = name;
            line = rest;
        }
        line.is_empty() || line.starts_with(['#', ';']) || is_harmless_setting(&section, line, root)
    })
}

/// Returns the section that a line begins, without its subsection, and the rest of the line.
fn header(line: &str) -> Option<(String, &str)> {
    let line = line.strip_prefix('[')?;
    let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.')?;
    let (name, mut rest) = line.split_at(end);
    if let Some(subsection) = rest.trim_start_matches(BLANKS).strip_prefix('"') {
        let mut is_escaped = false;
        let end = subsection.find(|c| {
            let is_end = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_end
        })?;
        rest = &subsection[end + 1..];
    }
    Some((up_to(name, '.').to_ascii_lowercase(), rest.strip_prefix(']')?.trim_start_matches(BLANKS)))
}

/// Settings that are safe with any value: commands that read start nothing, and show no file from elsewhere.
///
/// Each line has a section and its keys, without subsections and in lower case. A section without keys means all of its
/// keys. Each version of git adds settings, so a list of unsafe settings would never be complete. Few keys of `lfs` are
/// listed, because `lfs.extension` names programs that a filter of the user starts.
const GOOD: &str = "\
advice
author
branch autosetupmerge autosetuprebase description gh-merge-base github-pr-owner-number merge pushremote rebase remote
branch vscode-merge-base
color
commit gpgsign
committer
core abbrev autocrlf bigfilethreshold checkstat commentchar commitgraph compression eol filemode fscache hidedotfiles
core ignorecase logallrefupdates longpaths loosecompression multipackindex precomposeunicode preloadindex protecthfs
core protectntfs quotepath repositoryformatversion safecrlf sharedrepository sparsecheckout sparsecheckoutcone
core symlinks trustctime untrackedcache whitespace
diff algorithm colormoved context mnemonicprefix noprefix renamelimit renames
extensions objectformat preciousobjects relativeworktrees worktreeconfig
feature
fetch parallel prune prunetags writecommitgraph
gc
gpg format
gui
index skiphash sparse threads version
init
lfs access locksverify repositoryformatversion url
log abbrevcommit date decorate
maintenance
merge conflictstyle ff
pack
pull
push
rebase
remote fetch gh-resolved mirror prune prunetags push pushdefault pushurl tagopt url
rerere
status branch short showuntrackedfiles
submodule active url
tag gpgsign
user";

fn is_harmless_setting(section: &str, line: &str, root: &Path) -> bool {
    let (key, value) = line.split_once('=').unwrap_or((line, ""));
    let (key, value) = (key.trim_matches(BLANKS).to_ascii_lowercase(), value.trim_matches(BLANKS));
    if key.is_empty() || !has_only(&key, "-") {
        return false;
    }
    match (section, key.as_str()) {
        ("core", "bare") => value == "false",
        ("core", "fsmonitor") => ["true", "false"].contains(&value),
        // Reading may run only this hook, after git refreshes its index.
        ("core", "hookspath") => {
            !value.is_empty()
                && value.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
                && !value.contains(['"', '\\', '~', '%', '#', ';'])
                && is_missing(&root.join(value).join("post-index-change"))
        }
        (section, key) => GOOD.lines().any(|line| match line.split_once(' ') {
            Some((good, keys)) => good == section && lists(keys, key),
            None => line == section,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_that_starts_a_program_or_cannot_be_read_plainly_is_not_harmless() {
        let root = test_support::folder();
        fs::create_dir(root.path().join("hooks")).unwrap();
        fs::write(root.path().join("hooks/post-index-change"), "").unwrap();
        test_support::lines!("lines/git-configuration.txt").check(|_, config| {
            let is_harmless = starts_nothing(config, root.path());
            if is_harmless { "harmless" } else { "not harmless" }.into()
        });
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_with_a_link_or_very_many_entries_is_not_read() {
        let folder = test_support::folder();
        for number in 0..999 {
            fs::write(folder.path().join(number.to_string()), "").unwrap();
        }
        let link = |name| std::os::unix::fs::symlink("x", folder.path().join(name)).unwrap();
        link("hooks");
        assert_eq!(entries(folder.path()).map(|entries| entries.len()), Some(1000));
        fs::write(folder.path().join("one more"), "").unwrap();
        assert_eq!(entries(folder.path()), None);
        fs::remove_file(folder.path().join("one more")).unwrap();
        fs::remove_file(folder.path().join("hooks")).unwrap();
        link("index");
        assert_eq!(entries(folder.path()), None);
        assert_eq!(entries(&folder.path().join("0")), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_long_a_link_or_not_text_is_not_read() {
        let folder = test_support::folder();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("config"), "x").unwrap();
        std::os::unix::fs::symlink("config", at("link")).unwrap();
        fs::write(at("long"), " ".repeat((1 << 20) + 1)).unwrap();
        fs::write(at("bytes"), b"\xff").unwrap();
        assert_eq!(read(&at("config")).as_deref(), Some("x"));
        for name in ["link", "long", "bytes", "missing", ""] {
            assert_eq!(read(&at(name)), None, "{name}");
        }
    }
}
