//! `cargo xtask new service`: creates a program that answers HTTP hooks with the hooks of this workspace.

use crate::binaries::definition::Definition;
use crate::binaries::generated::Build;
use crate::cargo::manifest;
use crate::cargo::metadata::{HOOKKIT, Metadata, toml_string};
use crate::cargo::undo::Undo;
use crate::cargo::workspace::Workspace;
use crate::commands::install::http::obstacle;
use crate::commands::new::names;
use crate::commands::new::template::{described, filled};
use crate::commands::prelude::*;

#[derive(Args)]
pub(super) struct Options {
    /// The package's name
    #[arg(value_name = "NAME")]
    service: String,
    #[command(flatten)]
    format: Format,
}

pub(super) fn run(options: &Options) -> Result<Done> {
    let name = &options.service;
    names::ensure_package(name)?;
    let workspace = Workspace::find()?;
    let root = &workspace.root;
    let metadata = Metadata::of(root)?;
    let folder = root.join(name);
    ensure!(!folder.exists(), "{} is there already", folder.display());
    let all = Build::new(&workspace)?.definitions()?;
    let hooks = all.iter().filter(|hook| hook.members.is_empty() && hook.changes.order.is_none());
    let (hooks, local): (Vec<&Definition>, Vec<&Definition>) = hooks.partition(|hook| obstacle(hook).is_none());
    if hooks.is_empty() {
        bail!(
            "no hook of this workspace can answer over HTTP: a hook in a service takes its event, `Json` or `Caller`, and no `Context`"
        );
    }
    let packages: BTreeSet<&str> = hooks.iter().map(|hook| &*hook.declared.package).collect();
    let packs: Vec<String> = packages.iter().map(|package| pack(&metadata, root, package)).collect::<Result<_>>()?;
    let mut paths: Vec<String> = hooks.iter().map(|hook| hook.path_from_outside()).collect();
    paths.sort_unstable();
    let words = [
        ("service", &**name),
        ("folder", name),
        ("hookkit-service", &origin(&metadata)?),
        ("packs", &packs.join("\n")),
        ("hooks", &(paths.join(",\n        ") + ",")),
    ];
    let mut undo = Undo::default();
    undo.note(&root.join("Cargo.toml"))?;
    let files = [
        ("Cargo.toml", include_str!("templates/service.toml"), "its dependencies"),
        ("src/main.rs", include_str!("templates/service.rs"), "the program, with its hooks"),
        ("Dockerfile", include_str!("templates/Dockerfile"), "an image with nothing else in it"),
        ("kubernetes.yaml", include_str!("templates/kubernetes.yaml"), "two replicas, with their keys"),
    ];
    let files = files.map(|(file, template, about)| (folder.join(file), template, about));
    for (file, template, _) in &files {
        undo.create(file, &filled(template, &words))?;
    }
    manifest::add_member(root, name)?;
    let mut rows = undo.keep()?;
    let names = |hooks: &[&Definition]| hooks.iter().map(|hook| hook.declared.name.clone()).collect::<Vec<_>>();
    rows.push(row("summary", json!({"package": name, "hooks": names(&hooks), "left_out": names(&local)})));
    let mut text = Text::new();
    text.words(DONE, "Created")
        .plain(" the service `")
        .bold(name)
        .plain(format_args!("`, of {} hooks:\n\n", hooks.len()));
    described(&mut text, root, files.iter().map(|(file, _, about)| (file, (*about).to_owned())));
    for hook in local {
        if let Some(why) = obstacle(hook) {
            text.plain(format_args!("\n`{}` is left out: {why}.", hook.declared.name));
        }
    }
    text.plain("\nStart it: ")
        .command(format_args!("cargo run --package {name}"))
        .plain("\nConnect Claude Code: ")
        .command("cargo xtask install --http http://127.0.0.1:8787");
    options.format.print(text, &rows)
}

/// Returns the dependency line for a pack.
fn pack(metadata: &Metadata, root: &Path, package: &str) -> Result<String> {
    if let Some(member) = metadata.package(package) {
        let folder = member.folder().strip_prefix(root)?;
        return Ok(format!("{package} = {{ path = {} }}", toml_string(&Path::new("..").join(folder))?));
    }
    let dependency = metadata.dependency(package);
    let dependency = dependency.with_context(|| format!("no package of this workspace depends on `{package}`"))?;
    let origin = dependency.to_toml(dependency.uses_default_features)?;
    Ok(match &dependency.features[..] {
        [] => format!("{package} = {{ {origin} }}"),
        features => format!("{package} = {{ {origin}, features = {features:?} }}"),
    })
}

/// Returns the origin of hookkit-service, which is next to the packs' hookkit.
fn origin(metadata: &Metadata) -> Result<String> {
    let hookkit = metadata.dependency(HOOKKIT).context("no package of this workspace depends on hookkit")?;
    match &hookkit.path {
        Some(path) => Ok(format!("path = {}", toml_string(&path.join("service"))?)),
        None => hookkit.to_toml(true),
    }
}
