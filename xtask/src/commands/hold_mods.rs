//! `cargo xtask hold-mods`: managed settings that keep mods from hooks.

use std::env;
use std::path::PathBuf;

use anyhow::{Result, anyhow, ensure};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::commands::install::managed;
use crate::diagnose::managed::of_server;
use crate::settings::hold::{self, Hold};
use crate::settings::place::PlaceKind;
use crate::settings::scope;
use crate::terminal::{Format, inform, inform_all, person, quoted, row};

pub(crate) const EXAMPLES: &str = "\
A mod is JavaScript of a plugin, also of a checkout's .claude/skills. It can skip hooks that are not in managed settings.
This writes managed-settings.d/hookkit-mods.json in /etc/claude-code, for all users of the machine, after it has asked.

Example: cargo xtask hold-mods no-mods";

#[derive(Args)]
pub(crate) struct Options {
    /// The limit on mods
    #[arg(required_unless_present = "undo")]
    hold: Option<Hold>,
    /// Remove the file
    #[arg(long, conflicts_with = "hold")]
    undo: bool,
    /// The folder that has the place of `/`, for a package or a device manager
    #[arg(long, value_name = "DIR")]
    staging: Option<PathBuf>,
    /// Do it without a question, as in a script of your own
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let place = scope::of_mods(options.staging.as_deref())?;
    let file = place.settings().display().to_string();
    let kind = options.hold.and_then(|hold| hold.to_possible_value());
    let kind = kind.as_ref().map(PossibleValue::get_name);
    // The folders of root's cargo need not be these.
    let program = env::current_exe()?.display().to_string();
    let again = format!("{} {}", quoted(&program), typed(kind.unwrap_or("--undo"), options));
    if options.hold.is_some() || place.file().stat()?.is_some() {
        place.check_file().map_err(|err| match place.is_staged() {
            true => err,
            false => anyhow!("{err:#}\nOn a machine it is root's: sudo -H {again}"),
        })?;
    }
    let will = match options.hold {
        Some(hold) => format!("This writes {file}:\n\n{}\n{}.", hold.text(), help(hold)),
        None => format!("This removes {file}: mods can skip hooks that are not in managed settings then."),
    };
    if !options.yes {
        inform_all(format_args!("{will}\n"));
        ensure!(person::agrees("Go on?", true)?, "nothing was changed");
    }
    let is_changed = hold::put(&place, options.hold)?;
    let mut text = match (options.hold, is_changed) {
        (Some(_), true) => format!("Wrote {file}.\n"),
        (Some(_), false) => format!("{file} is there already.\n"),
        (None, true) => format!("Removed {file}.\n"),
        (None, false) => format!("There is no {file}.\n"),
    };
    if let (Some(hold), PlaceKind::Managed(root)) = (options.hold, place.kind()) {
        text += &if place.is_staged() {
            managed::copied(root)
        } else {
            "It holds in sessions that start from now on. To see what mods can do in a project: cargo xtask doctor\n"
                .to_owned()
        };
        text += &format!("{}.\nTo undo it: cargo xtask {}", help(hold), typed("--undo", options));
        if let Some(copy) = of_server(scope::of_user().as_deref().and_then(|file| file.parent())) {
            inform(format_args!(
                "warning: {} has settings of a server, which may be used in place of this file; /status in a session names \
                 those that are",
                copy.display()
            ));
        }
    }
    options.format.print(
        text,
        &[row(
            "summary",
            json!({"file": file, "hold": kind, "changed": is_changed}),
        )],
    )
}

/// Returns the description of a kind from `--help`.
fn help(hold: Hold) -> String {
    hold.to_possible_value()
        .and_then(|value| Some(value.get_help()?.to_string()))
        .unwrap_or_default()
}

/// Returns the arguments that do this: a kind, or `--undo`.
fn typed(what: &str, options: &Options) -> String {
    let staging = options.staging.as_deref();
    let staging = staging.map(|folder| format!(" --staging {}", quoted(&folder.display().to_string())));
    format!("hold-mods {what}{}", staging.unwrap_or_default())
}
