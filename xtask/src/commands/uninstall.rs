//! `cargo xtask uninstall`: removes hooks from settings.

use crate::cargo::workspace::Naming;
use crate::commands::hold_mods::Part;
use crate::commands::prelude::*;
use crate::settings::scope::{self, Target};
use crate::settings::shown::explained;
use crate::settings::{apply, everywhere, installed};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    target: Target,
    /// Not available here: `install --without` removes a single hook
    #[arg(long = "hook", value_name = "NAME", hide = true)]
    hooks: Vec<String>,
    /// Remove the entries of a service
    #[arg(long)]
    http: bool,
    /// Remove them even without a terminal, for example in your own script
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(mut options: Options) -> Result<Done> {
    if options.http {
        return uninstall_service(&options);
    }
    for agent in options.target.agents()? {
        options.target.set_agent(agent);
        uninstall(&options)?;
    }
    Ok(Done::Clean)
}

/// Removes a service's entries from the managed settings.
fn uninstall_service(options: &Options) -> Result<Done> {
    let place = options.target.place_of_service()?;
    let part = Part {
        place: &place,
        text: None,
        by: "install --http",
        about: "Afterwards, Claude Code no longer calls the service.",
        again: &format!("uninstall --http{}", scope::options(&place)),
        yes: options.yes,
    };
    let (is_changed, text) = part.put()?;
    let summary = json!({"settings": place.to_string(), "changed": is_changed});
    options.format.print(text, &[row("summary", summary)])
}

/// Removes the hooks from one settings location.
fn uninstall(options: &Options) -> Result<Done> {
    let naming = Naming::find()?;
    let place = options.target.place(&naming)?;
    ensure!(
        options.hooks.is_empty(),
        "this removes all hooks of the workspace; to remove one: cargo xtask install{} --without {}",
        scope::options(&place),
        options.hooks.join(",")
    );
    installed::ensure_own(&place)?;
    let workspace = naming.root.display();
    // If the root's settings are rejected, the folders are left alone, too.
    let mut is_changed = match installed::settings(&place) {
        Ok(_) => everywhere::uninstall_all(&place, &naming.root)?,
        Err(_) => false,
    };
    let removed = apply::uninstall(&place, &naming.root).map_err(|err| explained(&place, err))?;
    is_changed |= removed.is_some();
    let text = if is_changed {
        format!("Removed the hooks of {workspace} from {place}.")
    } else {
        format!("Nothing of {workspace} is installed in {place}.")
    };
    let summary = json!({
        "settings": place.to_string(),
        "workspace": workspace.to_string(),
        "changed": is_changed,
        "removed": removed.unwrap_or_default(),
    });
    options.format.print(text, &[row("summary", summary)])
}
