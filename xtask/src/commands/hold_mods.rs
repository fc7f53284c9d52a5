//! `cargo xtask hold-mods`: writes managed settings that keep mods away from hooks.

use std::env;

use anyhow::anyhow;
use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::commands::install::notes::copied;
use crate::commands::prelude::*;
use crate::diagnose::mods::of_server;
use crate::settings::hold::{self, Hold};
use crate::settings::place::{MODS_PART, Place, PlaceKind};
use crate::settings::scope;
use crate::terminal::{inform_all, option, person};

#[derive(Args)]
#[command(after_help = "A mod is JavaScript in a plugin, even one in a checkout's .claude/skills. It can skip hooks \
                        outside managed settings.\nAfter a confirmation, this writes \
                        managed-settings.d/hookkit-mods.json in /etc/claude-code, for all users of the \
                        machine.\n\nExample: cargo xtask hold-mods no-mods")]
pub(crate) struct Options {
    /// The limit on mods
    #[arg(required_unless_present = "undo")]
    hold: Option<Hold>,
    /// Remove the file
    #[arg(long, conflicts_with = "hold")]
    undo: bool,
    /// The folder that replaces `/`, for a package or a device manager
    #[arg(long, value_name = "DIR")]
    staging: Option<PathBuf>,
    /// Do it without a question, for example in your own script
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(options: &Options) -> Result<Done> {
    let place = scope::of_part(options.staging.as_deref(), MODS_PART, "hookkit")?;
    let kind = options.hold.and_then(|hold| hold.to_possible_value());
    let kind = kind.as_ref().map(PossibleValue::get_name);
    let text = options.hold.map(Hold::text);
    let part = Part {
        place: &place,
        text: text.as_deref(),
        by: "hold-mods",
        about: &match options.hold {
            Some(hold) => format!("{}.", help(hold)),
            None => "Mods can then skip hooks outside managed settings.".to_owned(),
        },
        again: &typed(kind.unwrap_or("--undo"), options),
        yes: options.yes,
    };
    let (is_changed, mut text) = part.put()?;
    if let Some(hold) = options.hold {
        if !place.is_staged() {
            text += "It applies to sessions that start from now on. To see what mods can do in a project: cargo xtask \
                     doctor\n";
        }
        text += &format!("{}.\nTo undo it: cargo xtask {}", help(hold), typed("--undo", options));
    }
    let summary = json!({"file": place.to_string(), "hold": kind, "changed": is_changed});
    options.format.print(text, &[row("summary", summary)])
}

/// A settings file of hookkit in the managed settings, for a machine or for a package.
pub(super) struct Part<'p> {
    pub(super) place: &'p Place,
    /// Text of the file; `None` to remove it.
    pub(super) text: Option<&'p str>,
    /// The command that writes the file.
    pub(super) by: &'p str,
    /// The effect of the file, for the question.
    pub(super) about: &'p str,
    /// The arguments that run the same command again.
    pub(super) again: &'p str,
    pub(super) yes: bool,
}

impl Part<'_> {
    /// Writes or removes the file, with the user's consent. Returns `true` if anything changed, and a description of
    /// the change.
    ///
    /// # Errors
    ///
    /// Fails if the folder belongs to root, if the user does not agree, or if another file has this name.
    pub(super) fn put(&self) -> Result<(bool, String)> {
        let Self { place, text, .. } = *self;
        // root's cargo may use other folders.
        let program = env::current_exe()?;
        if text.is_some() || place.file().stat()?.is_some() {
            place.check_file().map_err(|err| {
                if place.is_staged() {
                    err
                } else {
                    anyhow!(
                        "{err:#}\nOn a machine, only root changes managed settings: sudo -H {} {}",
                        quoted(program.display()),
                        self.again
                    )
                }
            })?;
        }
        let will = match text {
            Some(text) => format!("This writes {place}:\n\n{text}\n{}", self.about),
            None => format!("This removes {place}. {}", self.about),
        };
        if !self.yes {
            inform_all(format_args!("{will}\n"));
            ensure!(person::agrees("Go on?", true)?, "nothing was changed");
        }
        let is_changed = hold::put(place, text, self.by)?;
        let mut done = match (text, is_changed) {
            (Some(_), true) => format!("Wrote {place}.\n"),
            (Some(_), false) => format!("{place} is there already.\n"),
            (None, true) => format!("Removed {place}.\n"),
            (None, false) => format!("There is no {place}.\n"),
        };
        if let (Some(_), PlaceKind::Managed(root)) = (text, &place.kind) {
            if place.is_staged() {
                done += &copied(root);
            }
            if let Some(copy) = of_server(scope::of_user().as_deref().and_then(|file| file.parent())) {
                inform!(
                    "warning: {} has settings of a server, which may be used in place of this file; /status in a \
                     session shows the settings in use",
                    copy.display()
                );
            }
        }
        Ok((is_changed, done))
    }
}

/// Returns the description of a kind of limit, from `--help`.
fn help(hold: Hold) -> String {
    hold.to_possible_value().and_then(|value| Some(value.get_help()?.to_string())).unwrap_or_default()
}

/// Returns the arguments for this action: a kind of limit, or `--undo`.
fn typed(what: &str, options: &Options) -> String {
    format!("hold-mods {what}{}", option("staging", options.staging.as_deref()))
}
