//! `cargo-hookkit verify`: compares a checkout with its team's reviewed list, or a package with its sources.

mod checkout;
mod package;

use crate::commands::prelude::*;

#[derive(Args)]
#[command(after_help = "\
Examples:
  cargo-hookkit verify
  cargo-hookkit verify --accept
  cargo-hookkit verify --project ../app --against origin/main
  cargo xtask verify dist

Without DIR it compares everything that Claude Code runs because of the checkout with .claude/hookkit.reviewed: hooks,
commands in settings, MCP servers, plugins, and the files that these name. It runs nothing of the checkout, and needs no
workspace.
The program is started by its own name: cargo would first read the .cargo/config.toml and the rust-toolchain.toml of the
checkout, which can start another program in its place.
With DIR, run it in the hooks' workspace, at the commit from which the package was built: it builds the programs again,
and compares all files byte for byte.
Exit codes: 0 nothing differs, 1 differences, 2 refused or failed; with --accept, 1 means that something cannot be read.")]
pub(crate) struct Options {
    /// Folder of a package, or of a marketplace with packages [default: verify the checkout of the project]
    #[arg(value_name = "DIR", conflicts_with_all = ["project", "accept", "against"])]
    folder: Option<PathBuf>,
    #[command(flatten)]
    checkout: checkout::CheckoutOptions,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(options: &Options) -> Result<Done> {
    match &options.folder {
        Some(folder) => package::run(folder, &options.format),
        None => checkout::run(&options.checkout, &options.format),
    }
}
