//! `cargo xtask uninstall`

use anyhow::Result;
use clap::Args;
use serde_json::json;

use crate::cargo::workspace::Naming;
use crate::settings::apply;
use crate::settings::scope::Target;
use crate::settings::shown::explained;
use crate::terminal::rows::{Format, row};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let naming = Naming::find()?;
    let place = options.target.place(&naming)?;
    let (shown, settings) = (naming.root.display(), place.settings().display());
    let removed = apply::uninstall(&place, &naming.root).map_err(|err| explained(&place, err))?;
    let text = match removed.is_some() {
        true => format!("Removed the hooks of {shown} from {settings}."),
        false => format!("Nothing of {shown} is installed in {settings}."),
    };
    let summary = json!({
        "settings": settings.to_string(),
        "workspace": shown.to_string(),
        "changed": removed.is_some(),
        "removed": removed.unwrap_or_default(),
    });
    options.format.print(text, &[row("summary", summary)?])
}
