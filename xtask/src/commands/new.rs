//! `cargo xtask new`: creates a workspace of hooks, or adds a hook to one.
//!
//! The templates are files in `new/templates`. In a template, a name between two `@` is replaced by its value.

mod code;
mod hook;
mod names;
mod origin;
pub(crate) mod pack;
mod service;
pub(crate) mod template;
mod workspace;

use clap::Subcommand;

use crate::commands::prelude::*;

#[derive(Args)]
#[command(after_help = "\
Examples: cargo xtask new workspace ../my-hooks
          cargo xtask new hook my-hooks/protect-keys --event PreToolUse --matcher 'Edit|Write'")]
pub(crate) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Create a workspace: a pack with one hook and its tests, an xtask, and a workflow for CI
    #[command(
        after_help = "Nothing is overwritten: the folder must be new, or empty except for `.git`.\n\nExample: cargo xtask new workspace ../my-hooks"
    )]
    Workspace(workspace::Options),
    /// Create a hook in a pack of this workspace, with a test; a missing pack is created, too
    Hook(hook::Options),
    /// Create a program in this workspace that answers HTTP hooks with the workspace's hooks, based on axum
    #[command(
        after_help = "It contains the hooks that need nothing from the user's machine.\n\nExample: cargo xtask new \
                      service acme-service"
    )]
    Service(service::Options),
}

pub(crate) fn run(options: &Options) -> Result<Done> {
    match &options.what {
        What::Workspace(options) => workspace::run(options),
        What::Hook(options) => hook::run(options),
        What::Service(options) => service::run(options),
    }
}
