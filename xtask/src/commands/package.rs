//! `cargo xtask package`: creates a plugin of hooks, with a program for each platform.

use std::path::absolute;

use clap::ArgGroup;

use crate::binaries::asked::Asked;
use crate::binaries::link::Toolchain;
use crate::binaries::platform::Platform;
use crate::cargo::workspace::{Naming, Workspace};
use crate::commands::prelude::*;
use crate::disk::beneath::Beneath;
use crate::disk::tree::Tree;
use crate::disk::{files, write};
use crate::settings::plugin::parts::{self, Plugin, SUMS};
use crate::settings::plugin::{made, marketplace, package};
use crate::terminal::{joined, person, program};

#[derive(Args)]
#[command(group(ArgGroup::new("place").args(["out", "into"]).required(true).multiple(true)))]
#[command(after_help = "\
Examples:
  cargo xtask package --pack hookkit-guard --out dist           for this machine's platform
  cargo xtask package --target all --out dist                   for Linux, macOS and Windows
  cargo xtask package --merge linux --merge mac --out dist      the parts that several machines have built
  cargo xtask package --into ../app                             for all clones of a project, without an installation
  cargo xtask package --into ../app --remove")]
pub(crate) struct Options {
    #[command(flatten)]
    asked: Asked,
    /// Platform to build a program for: a target of rustc, or `all`; may be repeated [default: this machine's]
    #[arg(long = "target", value_name = "TRIPLE")]
    targets: Vec<String>,
    /// Name of the plugin [default: the workspace's]
    #[arg(long)]
    name: Option<String>,
    /// Folder for the plugin and the marketplace around it
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Project to put the plugin into, below .claude/skills, without a marketplace; may be repeated
    #[arg(long, value_name = "PROJECT")]
    into: Vec<PathBuf>,
    /// Join the packages in this folder instead of a build; may be repeated
    #[arg(long, value_name = "DIR", conflicts_with_all = ["hooks", "packs", "targets", "name"])]
    merge: Vec<PathBuf>,
    /// Remove the plugin from the projects of --into
    #[arg(long, conflicts_with_all = ["hooks", "packs", "targets", "out", "merge"], requires = "into")]
    remove: bool,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(options: &Options) -> Result<Done> {
    if options.remove {
        return remove(options);
    }
    let (market, plugins) = if options.merge.is_empty() {
        build(options)?
    } else {
        inform!(
            "note: these packages were compared only with their own {SUMS}; to rebuild their programs and compare \
             them, run: {} verify DIR",
            program()
        );
        merge(&options.merge)?
    };
    let (mut text, mut rows) = (Text::new(), Vec::new());
    for plugin in &plugins {
        let files = plugin.files()?;
        let mut folders = Vec::new();
        if let Some(out) = &options.out {
            folders.push(created(out)?.join(&plugin.origin.name));
        }
        for project in &options.into {
            folders.push(package::in_project(&existing(project)?, &plugin.origin.name));
        }
        for folder in folders {
            if let Ok(before) = package::read(&folder) {
                person::ensure_kept(&before.parts(), &plugin.parts())?;
            }
            let is_changed = package::write(&files, &folder)?;
            let count = counted(plugin.origin.hooks.len(), "hook");
            text.put("Packaged", &count, shown(&folder.path()), is_changed);
            rows.extend(rows_of(plugin, &files, &folder, is_changed));
        }
        describe_programs(&mut text, plugin);
    }
    if let Some(out) = &options.out {
        let folder = created(out)?;
        let market = marketplace::write(&folder, &market, &plugins)?;
        text.plain("\nInstall it, within Claude Code, from this folder or from the repository that you push it to:\n");
        text.plain("  ").command(format_args!("/plugin marketplace add {}", folder.path().display())).line_end();
        for plugin in &plugins {
            text.plain("  ").command(format_args!("/plugin install {}@{market}", plugin.origin.name)).line_end();
        }
    }
    if !options.into.is_empty() {
        text.plain(
            "\nCommit the folder. Sessions that start at the root of the project then have the hooks, in each clone \
             and worktree that the user trusts.\n",
        );
    }
    options.format.print(text, &rows)
}

/// Builds a plugin from this workspace. Returns the name of its marketplace, and the plugin.
fn build(options: &Options) -> Result<(String, Vec<Plugin>)> {
    let workspace = Workspace::find()?;
    let market = plugin_name(&workspace.root, workspace.settings.name.as_deref());
    let name = options.name.clone().unwrap_or_else(|| market.clone());
    parts::check_name(&name)?;
    // A folder can have any name.
    let market = match parts::check_name(&market) {
        Ok(()) => market,
        Err(_) => name.clone(),
    };
    let platforms = platforms(&options.targets, &workspace)?;
    let all = made::definitions(&workspace, options.asked.only_packs(&workspace).as_ref())?;
    let names = options.asked.names(&all, &workspace)?;
    let plugin = made::plugin(&workspace, &name, &all, names.as_ref(), &platforms)?;
    Ok((market, vec![plugin]))
}

/// Returns the name of a workspace's plugin: the given name, or the folder's name.
pub(crate) fn plugin_name(root: &Path, given: Option<&str>) -> String {
    let of_folder = || root.file_name().unwrap_or_default().to_string_lossy().into_owned();
    given.map_or_else(of_folder, str::to_owned).to_lowercase().replace(['_', ' ', '.'], "-")
}

/// Returns the platforms from the options; by default, this machine's.
fn platforms(targets: &[String], workspace: &Workspace) -> Result<BTreeSet<Platform>> {
    let mut platforms = BTreeSet::new();
    if targets.is_empty() {
        platforms.insert(Platform::parse(&Toolchain::find(&workspace.root)?.host)?);
    }
    for target in targets {
        match target.as_str() {
            "all" => platforms.extend(Platform::ALL),
            target => drop(platforms.insert(Platform::parse(target)?)),
        }
    }
    Ok(platforms)
}

/// Joins the packages in several folders. Packages of the same plugin become one package with all their programs.
///
/// Returns the name of the first marketplace, and the joined packages.
fn merge(folders: &[PathBuf]) -> Result<(String, Vec<Plugin>)> {
    let mut market = None;
    let mut plugins: BTreeMap<String, Plugin> = BTreeMap::new();
    for folder in folders {
        let packages = packages_in(folder)?;
        if market.is_none() {
            market = marketplace::name(&Beneath::named(&existing(folder)?))?;
        }
        for folder in packages {
            let plugin = package::read(&folder)?;
            let name = plugin.origin.name.clone();
            let joined = match plugins.remove(&name) {
                Some(known) => package::join(known, plugin)?,
                None => plugin,
            };
            plugins.insert(name, joined);
        }
    }
    Ok((market.unwrap_or_else(|| plugins.keys().next().cloned().unwrap_or_default()), plugins.into_values().collect()))
}

/// Returns the packages in a folder: the folder itself, or its subfolders.
pub(crate) fn packages_in(folder: &Path) -> Result<Vec<Beneath>> {
    let around = Beneath::named(&existing(folder)?);
    if package::is_one(&around) {
        return Ok(vec![around]);
    }
    let mut names = around.open().with_context(|| format!("reading {around}"))?.names()?;
    names.sort();
    let packages: Vec<Beneath> = names.into_iter().map(|name| around.join(name)).filter(package::is_one).collect();
    ensure!(!packages.is_empty(), "{} has no package", folder.display());
    Ok(packages)
}

/// Returns an existing folder's path, without links.
pub(crate) fn existing(folder: &Path) -> Result<PathBuf> {
    folder.canonicalize().with_context(|| format!("there is no folder {}", folder.display()))
}

/// Returns one of the user's own folders; creates it if it does not exist.
fn created(folder: &Path) -> Result<Beneath> {
    let folder = absolute(folder)?;
    files::create(&folder)?;
    Ok(Beneath::named(&existing(&folder)?))
}

fn describe_programs(text: &mut Text, plugin: &Plugin) {
    text.line_end();
    for hook in &plugin.origin.hooks {
        text.plain("  ").bold(&hook.declared.name).line_end();
    }
    text.plain("\nPrograms:\n");
    for (platform, program) in &plugin.programs {
        let size = program.len().div_ceil(1000);
        text.plain(format_args!("  {platform}, {size} KB\n"));
    }
    let missing = Platform::ALL.iter().filter(|platform| !plugin.programs.contains_key(platform));
    let missing = joined(missing.map(|platform| platform.name()), ", ");
    if !missing.is_empty() {
        text.plain(format_args!(
            "\nThere is no program for {missing}: there, hooks that block on failure deny the call, and all others do nothing.\n"
        ));
    }
}

fn rows_of(plugin: &Plugin, files: &Tree, folder: &Beneath, is_changed: bool) -> Vec<Value> {
    let hooks = plugin.origin.hooks.iter().map(|hook| row("hook", hook));
    let programs = plugin.programs.iter().map(|(platform, program)| {
        let (platform, target) = (platform.name(), platform.target());
        row("program", json!({"platform": platform, "target": target, "bytes": program.len()}))
    });
    let summary = json!({
        "plugin": plugin.origin.name,
        "version": plugin.version_of(files),
        "folder": folder.path().display().to_string(),
        "changed": is_changed,
    });
    hooks.chain(programs).chain([row("summary", summary)]).collect()
}

/// Removes the plugin from projects.
fn remove(options: &Options) -> Result<Done> {
    let name = match &options.name {
        Some(name) => name.clone(),
        None => {
            let naming = Naming::find()?;
            plugin_name(&naming.root, naming.given.as_deref())
        }
    };
    parts::check_name(&name)?;
    let (mut text, mut rows) = (Text::new(), Vec::new());
    for project in &options.into {
        let folder = package::in_project(&existing(project)?, &name);
        let files = package::read_files(&folder).with_context(|| format!("{folder} was left as it is"))?;
        if let Some(files) = &files {
            files.take_away(&folder)?;
            for folder in [folder.parent(), folder.parent().parent()] {
                write::remove_if_empty(&folder);
            }
        }
        let is_there = files.is_some();
        if is_there {
            text.words(DONE, "Removed").plain(" ").path(shown(&folder.path()))
        } else {
            text.plain("There is no ").path(shown(&folder.path()))
        };
        text.line_end();
        rows.push(row(
            "summary",
            json!({"plugin": name, "folder": folder.path().display().to_string(), "changed": is_there}),
        ));
    }
    options.format.print(text, &rows)
}
