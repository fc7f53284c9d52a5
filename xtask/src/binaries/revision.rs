//! Builds the hooks from another revision of the workspace.

#![expect(clippy::disallowed_methods, reason = "the files are in the target folder")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, ensure};

use crate::cargo::location::git_of_clone;
use crate::cargo::workspace::Workspace;
use crate::disk::files;
use crate::terminal::progress::Progress;

/// Builds the hooks of a git revision. Checks the revision out below the target folder, and installs its hooks into a
/// folder there.
pub(crate) fn binaries(revision: &str, workspace: &Workspace, hooks: &[String]) -> Result<BTreeMap<String, PathBuf>> {
    ensure!(!revision.starts_with('-'), "`{revision}` is not a revision");
    let commit =
        git_of_clone(&workspace.root, &["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")])
            .ok()
            .with_context(|| format!("`{revision}` is not a revision of {}", workspace.root.display()))?;
    let top = git_of_clone(&workspace.root, &["rev-parse", "--show-toplevel"])?;
    let (commit, top) = (commit.trim_end(), top.trim_end());
    let within = workspace.root.strip_prefix(top).unwrap_or(Path::new(""));
    let base = workspace.generated.join("backtest");
    let (checkout, project, state) = (base.join("checkout"), base.join("project"), base.join("state"));
    // An earlier revision can have other hooks, and another name for its workspace.
    for folder in [&project, &state] {
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("removing {}", folder.display()))?;
        }
    }
    files::create(&project)?;
    // One clone serves all revisions, so that cargo finds its earlier builds. It has no git hooks.
    if !checkout.join(".git").exists() {
        git_of_clone(&base, &["clone", "--quiet", "--no-checkout", top, files::utf8(&checkout)?])?;
    }
    git_of_clone(&checkout, &["fetch", "--quiet", "--force", top, commit])?;
    git_of_clone(&checkout, &["checkout", "--quiet", "--force", "--detach", commit])?;
    let _progress = Progress::new("Building", format!("the hooks of {revision}"));
    let mut install = Command::new(env::current_exe()?);
    install
        .current_dir(checkout.join(within))
        .args(["install", "--settings"])
        .arg(project.join("settings.json"))
        .args(hooks.iter().flat_map(|hook| ["--hook", hook]))
        .env("CARGO_TARGET_DIR", base.join("target"))
        // Its workspace was already accepted.
        .env("CARGO_MANIFEST_DIR", &checkout)
        .env("XDG_STATE_HOME", state)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let status = install.status()?;
    ensure!(status.success(), "the hooks of {revision} could not be built; see above");
    let mut found = BTreeMap::new();
    for hook in hooks {
        let binary = files::entries(&project.join("hookkit")).find_map(|workspace| {
            let binary = workspace.path().join("bin").join(hook);
            binary.is_file().then_some(binary)
        });
        found.insert(hook.clone(), binary.with_context(|| format!("{revision} has no hook `{hook}`"))?);
    }
    Ok(found)
}
