//! `cargo xtask list`

use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::build::Build;
use crate::definition::{Definition, Mode, OnFailure};
use crate::installed::{self, Record, entries};
use crate::link::{Link, Toolchain};
use crate::scope::Target;
use crate::workspace::Workspace;
use crate::{print, settings};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    target: Target,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

/// A hook, and whether Claude Code runs it.
#[derive(Serialize)]
struct Row<'h> {
    #[serde(flatten)]
    hook: &'h Definition,
    /// As it is declared, and ready to run.
    installed: bool,
    /// How the installed binary is linked.
    link: Option<Link>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let workspace = Workspace::find()?;
    let place = options.target.place(&workspace.naming())?;
    let text = installed::settings(&place)?.unwrap_or_default();
    let toolchain = Toolchain::find(&workspace.root)?;
    let build = Build::new(&workspace, toolchain.best(), &toolchain)?;
    let hooks = build.definitions()?;
    let record = Record::read(&place, &workspace.root)?.unwrap_or_default();
    let rows = hooks.iter().map(|hook| Row {
        hook,
        link: record.links.get(&hook.name).copied(),
        installed: place.has_binary(&hook.name)
            && entries(hook, &place).iter().all(|entry| settings::has(&text, entry)),
    });
    let mut lines = String::new();
    for row in rows {
        // Writing to a string cannot fail.
        let _ = if options.json {
            writeln!(lines, "{}", serde_json::to_string(&row)?)
        } else {
            writeln!(lines, "{}", describe(&row))
        };
    }
    if let Some(advice) = toolchain.advice().filter(|_| !options.json) {
        lines = lines + "\n" + &advice;
    }
    print(lines.trim_end())
}

fn describe(row: &Row<'_>) -> String {
    let Row { hook, installed, link } = row;
    let condition = hook
        .condition
        .as_ref()
        .map_or_else(String::new, |rule| format!(", if {rule}"));
    let timeout = hook
        .timeout
        .map_or_else(String::new, |seconds| format!(", at most {seconds} s"));
    let mode = match hook.mode {
        None => "",
        Some(Mode::Async) => ", async",
        Some(Mode::AsyncRewake) => ", asyncRewake",
    };
    let on_failure = match hook.on_failure {
        OnFailure::Block => "block",
        OnFailure::Continue => "continue",
    };
    let off = if hook.changes.off { "off, " } else { "" };
    let changed = match &hook.changes.overridden[..] {
        [] => String::new(),
        options => format!("\n  changed in Cargo.toml: {}", options.join(", ")),
    };
    let installed = match (installed, link) {
        (true, Some(link)) => format!("installed, {link}"),
        (true, None) => "installed".to_owned(),
        (false, _) => "not installed".to_owned(),
    };
    let summary = match hook.summary() {
        "" => String::new(),
        summary => format!("  {summary}\n"),
    };
    format!(
        "{} ({off}{installed})\n{summary}  {}{condition}{timeout}{mode}; a failure means {on_failure}\n  {}{changed}",
        hook.name,
        hook.subject(),
        hook.path
    )
}
