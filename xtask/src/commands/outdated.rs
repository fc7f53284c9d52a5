//! `cargo xtask outdated` and `update`: what newer versions of packs would change, before it is accepted.
//!
//! `outdated` runs no code of a pack, unless it is asked to build: versions and dependencies cargo and git know.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::binaries::candidate::{Author, Candidate};
use crate::binaries::changes::{self, Change, Version, source};
use crate::binaries::definition::Definition;
use crate::binaries::generated::Build;
use crate::binaries::link::Toolchain;
use crate::binaries::overrides::Overrides;
use crate::cargo::command::cargo_says;
use crate::cargo::dependency;
use crate::cargo::lockfile::{self, Lockfile};
use crate::cargo::metadata::{Dependency, HOOKKIT, Metadata, Package};
use crate::cargo::source::{Origin, PackSource, newest_tag};
use crate::cargo::undo::Undo;
use crate::cargo::workspace::Workspace;
use crate::commands::release;
use crate::terminal::rows::{Format, extend, row};
use crate::terminal::style::DONE;
use crate::terminal::text::Text;
use crate::terminal::width::width;
use crate::terminal::{Done, meant};

#[derive(Args)]
pub(crate) struct Outdated {
    /// The packs [default: all third-party packs]
    #[arg(value_name = "PACKAGE")]
    packages: Vec<String>,
    /// Build both versions and compare their hooks, too; this runs code of the newer version as you
    #[arg(long)]
    build: bool,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn outdated(options: &Outdated) -> Result<Done> {
    let survey = Survey::new(&options.packages, options.build)?;
    if survey.packages.is_empty() {
        let none = "There is no third-party pack here; to add one: cargo xtask add PACKAGE";
        options.format.print(none, &[summary_row(0, 0)?])?;
        return Ok(Done::Clean);
    }
    let column = survey
        .packages
        .iter()
        .map(|package| width(package))
        .max()
        .unwrap_or_default();
    let mut outdated = 0;
    let mut text = Text::new();
    let mut rows = Vec::new();
    for package in &survey.packages {
        let found = survey.look(package, None)?;
        outdated += usize::from(found.newer.is_some());
        text.append(coloured(&found.text(), package, column));
        rows.extend(found.rows()?);
    }
    let is_outdated = outdated > 0;
    rows.push(summary_row(survey.packages.len(), outdated)?);
    if is_outdated {
        text.line_end();
        if !options.build {
            text.plain("To see what changes in their hooks, which runs their code as you: ");
            text.command("cargo xtask outdated --build").line_end();
        }
        text.plain("To accept one: ")
            .command("cargo xtask update PACKAGE --yes");
    }
    options.format.print(text, &rows)?;
    Ok(if is_outdated { Done::WithFindings } else { Done::Clean })
}

fn summary_row(packs: usize, outdated: usize) -> Result<Value> {
    row("summary", json!({"packs": packs, "outdated": outdated}))
}

#[derive(Args)]
pub(crate) struct Update {
    /// The pack, or `hookkit` for hookkit itself and its xtask
    #[arg(value_name = "PACKAGE")]
    package: String,
    /// The version or the tag [default: the newest]
    #[arg(long, value_name = "VERSION")]
    to: Option<String>,
    /// Accept the changes
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn update(options: &Update) -> Result<Done> {
    if options.package == HOOKKIT {
        return release::update(options.to.as_deref(), options.yes, &options.format);
    }
    let survey = Survey::new(std::slice::from_ref(&options.package), true)?;
    let package = &survey.packages[0];
    let found = survey.look(package, options.to.as_deref());
    let found = found.with_context(|| format!("nothing was updated: `{package}` stays in the version in use"))?;
    let (mut text, mut rows) = (coloured(&found.text(), package, 0), found.rows()?);
    let updated = |is_updated: bool| row("summary", json!({"package": package, "updated": is_updated}));
    let Some(newer) = &found.newer else {
        rows.push(updated(false)?);
        options.format.print(text, &rows)?;
        return Ok(Done::Clean);
    };
    text.line_end();
    if !options.yes {
        rows.push(updated(false)?);
        text.plain("Nothing was changed yet; to accept that, add ")
            .command("--yes");
        options.format.print(text, &rows)?;
        return Ok(Done::WithFindings);
    }
    let changed = survey
        .accept(package, newer)
        .context("nothing was updated, and all files are as they were")?;
    rows.extend(changed);
    rows.push(updated(true)?);
    text.words(DONE, "Updated")
        .plain(". Install it: ")
        .command("cargo xtask install");
    options.format.print(text, &rows)?;
    Ok(Done::Clean)
}

/// Returns what is said of a pack, with the colours of what comes and goes, and its name in a column of that width.
fn coloured(message: &str, package: &str, column: usize) -> Text {
    let mut text = Text::new();
    let changes = match message.strip_prefix(package) {
        Some(rest) => {
            let (first, changes) = rest.split_once('\n').unwrap_or((rest, ""));
            let blanks = " ".repeat(column.saturating_sub(width(package)));
            text.bold(package).plain(blanks).plain(first).line_end();
            changes
        }
        None => message,
    };
    text.diff(changes);
    text
}

/// Third-party packs in their current version.
struct Survey {
    metadata: Metadata,
    workspace: Workspace,
    /// Its hooks; `None` where nothing is built to know them.
    hooks: Option<Vec<Definition>>,
    /// Those that were asked for.
    packages: Vec<String>,
}

/// A newer version of a pack.
struct Newer {
    source: PackSource,
    package: lockfile::Package,
    changes: Vec<Change>,
    /// Why `update` would refuse it.
    refused: Option<String>,
}

/// A pack, and a newer version of it, if there is one.
struct Found {
    package: lockfile::Package,
    /// Why there is no newer version.
    why: Option<&'static str>,
    newer: Option<Newer>,
}

impl Found {
    fn text(&self) -> String {
        let (name, present) = (&self.package.name, source(&self.package));
        let Some(newer) = &self.newer else {
            return format!("{name} {present}: {}\n", self.why.unwrap_or_default());
        };
        let tag = newer.source.named_tag().map(|tag| format!(", tag {tag}"));
        let mut text = format!(
            "{name} {present} → {}{}\n{}",
            source(&newer.package),
            tag.unwrap_or_default(),
            changes::text(&newer.changes)
        );
        if let Some(refused) = &newer.refused {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "  ! `update` would refuse it: {}",
                refused.replace('\n', "\n    ")
            );
        }
        text
    }

    fn rows(&self) -> Result<Vec<Value>> {
        let newer = self.newer.as_ref();
        let mut pack = row("pack", self.package.row())?;
        let members = json!({
            "outdated": newer.is_some(),
            "why": self.why,
            "newer": newer.map(|newer| {
                let mut members = newer.package.row();
                extend(&mut members, json!({"tag": newer.source.named_tag(), "refused": newer.refused}));
                members
            }),
        });
        extend(&mut pack, members);
        let mut rows = vec![pack];
        for change in newer.into_iter().flat_map(|newer| &newer.changes) {
            let mut row = row("change", change)?;
            extend(&mut row, json!({"package": self.package.name}));
            rows.push(row);
        }
        Ok(rows)
    }
}

impl Survey {
    fn new(asked: &[String], builds: bool) -> Result<Self> {
        let workspace = Workspace::find()?;
        let packs = workspace.packs.iter().filter(|pack| pack.is_foreign);
        let foreign: Vec<String> = packs.map(|pack| pack.package.clone()).collect();
        for package in asked {
            if let Some(unnamed) = workspace.unnamed.iter().find(|unnamed| unnamed.package == *package) {
                bail!("{unnamed}");
            }
            ensure!(
                foreign.contains(package),
                "`{package}` is not a third-party pack; {}",
                meant(package, foreign.iter().map(String::as_str))
            );
        }
        let hooks = match builds && !foreign.is_empty() {
            false => {
                workspace.warn_unnamed();
                None
            }
            true => {
                let toolchain = Toolchain::find(&workspace.root)?;
                // What the workspace changes of them is not news of a version.
                Some(Build::new(&workspace, toolchain.best(), &toolchain)?.declared()?)
            }
        };
        Ok(Self {
            metadata: Metadata::here()?,
            packages: if asked.is_empty() { foreign } else { asked.to_vec() },
            hooks,
            workspace,
        })
    }

    /// Looks for a newer version of a pack.
    fn look(&self, name: &str, to: Option<&str>) -> Result<Found> {
        let lock = self.workspace.lock.as_ref().context("there is no Cargo.lock")?;
        let present = lock.named(name).next().context("the pack is not in Cargo.lock")?;
        let is_pinned = |why| {
            Ok(Found {
                package: present.clone(),
                why: Some(why),
                newer: None,
            })
        };
        let wanted = match (self.origin(name)?, to) {
            (Origin::Path, _) => return is_pinned("a folder, which is always as it is"),
            (Origin::Commit, None) => {
                return is_pinned("pinned to a commit; for another one, `remove` it and `add` it by that");
            }
            (Origin::Commit | Origin::Branch { .. }, Some(_)) => {
                return is_pinned("no version can be chosen of it; to pin a tag, `remove` it and `add` it by that");
            }
            (Origin::Branch { url, branch }, None) => PackSource::branch(name, &url, branch.as_deref()),
            (Origin::Registry, to) => {
                PackSource::registry(name, to, dependency::registry(self.dependent(name)?.0, name)?)
            }
            (Origin::Tag { url, tag }, to) => {
                let newest = match to {
                    Some(to) => to.to_owned(),
                    None => newest_tag(&self.workspace.cwd, &url, &tag)?,
                };
                if newest == tag {
                    return is_pinned("up to date");
                }
                PackSource::tag(name, &url, &newest)
            }
        };
        let candidate = Candidate::find(&wanted, &Author::of(&self.metadata)?)?;
        // The newest of a registry can be older than one that is not recommended to anybody yet.
        let is_older = to.is_none() && candidate.package.version < present.version;
        if candidate.package == *present || is_older {
            return is_pinned("up to date");
        }
        let (present_hooks, newer_hooks) = match &self.hooks {
            Some(hooks) => {
                let of_pack = hooks
                    .iter()
                    .filter(|hook| hook.declared.package == name)
                    .cloned()
                    .collect();
                (of_pack, candidate.hooks()?)
            }
            None => (Vec::new(), Vec::new()),
        };
        let members: Vec<&str> = self.metadata.packages.iter().map(|package| &*package.name).collect();
        let overrides = Overrides::read(&self.workspace.settings.hooks)?;
        let changes = changes::between(
            &Version {
                hooks: &present_hooks,
                packages: &lock.closure_of(name),
            },
            &Version {
                hooks: &newer_hooks,
                packages: &candidate.closure,
            },
            &lock.needed_in_addition(name, &members),
            &overrides,
        );
        let fits = match &self.hooks {
            Some(hooks) => candidate.ensure_fits(&self.workspace, hooks, &newer_hooks),
            None => candidate.ensure_same_hookkit(&self.workspace),
        };
        Ok(Found {
            package: present.clone(),
            why: None,
            newer: Some(Newer {
                source: wanted,
                package: candidate.package,
                changes,
                refused: fits.err().map(|err| format!("{err:#}")),
            }),
        })
    }

    /// Returns the package that depends on a pack, and its dependency.
    fn dependent(&self, name: &str) -> Result<(&Package, &Dependency)> {
        let packages = self.metadata.packages.iter();
        let mut dependents = packages.filter_map(|package| Some((package, package.dependency(name)?)));
        dependents.next().context("no package of the workspace depends on it")
    }

    fn origin(&self, name: &str) -> Result<Origin> {
        Ok(Origin::of(self.dependent(name)?.1))
    }

    /// Takes another version, unless it does not go with the rest: the author's files are put back then. Returns the rows of
    /// the files that have changed.
    fn accept(&self, name: &str, newer: &Newer) -> Result<Vec<Value>> {
        let undo = Undo::of(&self.metadata)?;
        self.take(name, newer)?;
        // It has to agree with the others, and no two hooks may have one name.
        let after = Lockfile::read(&self.metadata.workspace_root.join("Cargo.lock"))?.unwrap_or_default();
        let before = self.workspace.lock.as_ref();
        if before.is_none_or(|before| release::ensure_one_release(before).is_ok()) {
            release::ensure_one_release(&after).context("first: cargo xtask update hookkit")?;
        }
        let workspace = Workspace::find()?;
        let toolchain = Toolchain::find(&workspace.root)?;
        let mut build = Build::new(&workspace, toolchain.best(), &toolchain)?;
        build.is_in_use = false;
        build.definitions()?;
        let changed = undo.changed()?;
        undo.keep();
        Ok(changed)
    }

    /// Has the author's workspace depend on another version.
    fn take(&self, name: &str, newer: &Newer) -> Result<()> {
        let root = &self.metadata.workspace_root;
        let (holder, _) = self.dependent(name)?;
        if !newer.source.is_branch() {
            dependency::depend_again(&self.metadata, holder, name, &newer.source)?;
        }
        dependency::relock(&self.metadata)?;
        let mut update = vec!["update".to_owned(), "--quiet".to_owned(), name.to_owned()];
        if newer
            .package
            .source
            .as_ref()
            .is_some_and(|source| !source.starts_with("git+"))
        {
            update.extend(["--precise".to_owned(), newer.package.version.to_string()]);
        }
        cargo_says(root, &update)
    }
}
