//! Builds a plugin from a workspace.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};

use crate::binaries::definition::{Definition, names, warn_undescribed};
use crate::binaries::generated::Build;
use crate::binaries::link::{self, Toolchain};
use crate::binaries::overrides;
use crate::binaries::platform::Platform;
use crate::cargo::checkout;
use crate::cargo::workspace::Workspace;
use crate::disk::beneath::Beneath;
use crate::settings::plugin::parts::{LICENCES, Origin, PackagedHook, Plugin};
use crate::terminal::{inform, listed};

/// Returns the definitions of a workspace's hooks, or only those of some packs if that avoids compiling the others.
pub(crate) fn definitions(workspace: &Workspace, packs: Option<&BTreeSet<String>>) -> Result<Vec<Definition>> {
    let build = Build::new(workspace)?;
    if let Some(packs) = packs
        && let Some(hooks) = build.definitions_of(packs)?
    {
        return Ok(hooks);
    }
    build.definitions()
}

/// Builds a plugin with the hooks of these names, or with all hooks.
///
/// # Errors
///
/// Fails if a program cannot be built on this machine.
pub(crate) fn plugin(
    workspace: &Workspace,
    name: &str,
    all: &[Definition],
    names: Option<&BTreeSet<String>>,
    platforms: &BTreeSet<Platform>,
) -> Result<Plugin> {
    let is_wanted = |hook: &&Definition| match names {
        Some(names) => overrides::is_among(names, hook, all),
        None => hook.is_installable(),
    };
    let hooks: Vec<Definition> = all.iter().filter(is_wanted).cloned().collect();
    ensure!(!hooks.is_empty(), "a plugin needs at least one hook; all are off in this workspace");
    ensure_no_order(&hooks)?;
    ensure_static(workspace, &hooks)?;
    warn_undescribed(&hooks);
    // A platform that cannot be linked is reported before any other is built.
    let mut toolchains = Vec::new();
    for platform in platforms {
        let toolchain = Toolchain::find(&workspace.root)?.building_for(Some(platform.target()))?;
        let needs_zig = toolchain.needs_zig()?;
        toolchains.push((*platform, toolchain, needs_zig));
    }
    let rustc = link::compiler(&workspace.root)?;
    let (mut programs, mut compilers) = (BTreeMap::new(), BTreeMap::new());
    let count = toolchains.len();
    for (number, (platform, toolchain, needs_zig)) in (1..).zip(toolchains) {
        if count > 1 {
            inform!("Building the program for {platform} ({number} of {count})");
        }
        let build = Build::with(workspace, toolchain.best(), toolchain)?;
        programs.insert(platform, build.program(&hooks)?);
        let by = if needs_zig { ", linked by zig" } else { "" };
        compilers.insert(platform.name().to_owned(), format!("{rustc}{by}"));
    }
    // A link could lead to any file, but a plugin is published.
    let licences = Beneath::project(&workspace.root).join(LICENCES).read()?;
    if licences.is_none() {
        inform!(
            "note: the plugin has no {LICENCES}, since the workspace has none; the licences of many crates require \
             one: `cargo about` generates it"
        );
    }
    Ok(Plugin {
        origin: Origin {
            hookkit: env!("CARGO_PKG_VERSION").to_owned(),
            name: name.to_owned(),
            code: checkout::code(&workspace.root)?,
            hooks: hooks.iter().map(PackagedHook::of).collect(),
            compilers,
        },
        programs,
        licences,
    })
}

/// Checks that no hook is an order: a plugin is also for Windows, which cannot fork a process.
fn ensure_no_order(hooks: &[Definition]) -> Result<()> {
    let orders = listed(names(hooks.iter().filter(|hook| !hook.members.is_empty())));
    ensure!(
        orders.is_empty(),
        "a plugin cannot have the orders of [workspace.metadata.hookkit.orders]: {orders}; choose other hooks with \
         --hook, or remove the orders to include their hooks individually"
    );
    Ok(())
}

/// Checks that all hooks can be linked statically, like a plugin's programs.
fn ensure_static(workspace: &Workspace, hooks: &[Definition]) -> Result<()> {
    let dynamic = &workspace.settings.dynamic;
    let dynamic = listed(names(hooks).filter(|name| dynamic.iter().any(|known| known == name)));
    ensure!(
        dynamic.is_empty(),
        "a plugin's programs are linked statically, but `dynamic` in [workspace.metadata.hookkit] lists {dynamic}; \
         choose other hooks with --hook or --pack"
    );
    Ok(())
}
