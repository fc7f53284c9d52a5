//! `cargo xtask try`: the hooks of a pack on recorded events, before anybody depends on it.

#![expect(
    clippy::disallowed_methods,
    reason = "the user names the file, or the folder is a temporary one"
)]

use std::fs::{self};

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use hookkit_verdict::Verdict;
use serde_json::json;

use crate::binaries::candidate::{Author, Candidate};
use crate::binaries::changes::{described, source};
use crate::binaries::definition::{Definition, named, warn_undescribed};
use crate::binaries::generated::Build;
use crate::binaries::link::Toolchain;
use crate::binaries::sample::{self, Sample};
use crate::binaries::trial::{Trial, Tried, trial_row};
use crate::cargo::metadata::Metadata;
use crate::cargo::source::PackSource;
use crate::cargo::workspace::Workspace;
use crate::terminal::progress::Progress;
use crate::terminal::rows::{Format, extend, row};
use crate::terminal::text::Text;
use crate::terminal::width::width;
use crate::terminal::{inform, quoted};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    source: PackSource,
    /// Only this hook; may be repeated [default: all of the pack's]
    #[arg(long = "hook", value_name = "NAME")]
    hooks: Vec<String>,
    /// A file with an event as Claude Code sends it, instead of the recorded events; may be repeated
    #[arg(long = "payload", value_name = "FILE")]
    payloads: Vec<PathBuf>,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let folder = tempfile::tempdir().context("there is no temporary folder")?;
    let workspace = Metadata::here().ok();
    let author = match &workspace {
        Some(metadata) => Author::of(metadata)?,
        None => Author::without_workspace(folder.path())?,
    };
    let given = options.payloads.iter().map(|path| {
        let payload = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        Sample::parse(&payload).with_context(|| format!("reading {}", path.display()))
    });
    let given: Vec<Sample> = given.collect::<Result<_>>()?;

    let candidate = Candidate::find(&options.source, &author)?;
    let hooks = candidate.hooks()?;
    let chosen = chosen(&hooks, &options.hooks)?;
    let toolchain = Toolchain::find(&author.cwd)?;
    let launchers = candidate.build(&toolchain)?.launchers(&chosen)?;

    let mut text = Text::new();
    text.bold(&candidate.package.name)
        .plain(format_args!(" {}\n", source(&candidate.package)));
    let mut rows = Vec::new();
    for hook in &chosen {
        rows.push(row("hook", hook)?);
        let name = &hook.declared.name;
        text.line_end().bold(name).pad(name, 0).hang().plain(hook.summary());
        text.plain("\n  ").dimmed(described(hook)).line_end();
        if hook.declared.condition.is_some() {
            text.plain("    (Claude Code would ask the `if` first; it is not asked here)\n");
        }
        // What a hook does to a project, or to its user's files, it does here. The events are not of one session, so that what
        // a hook keeps is nothing to the others.
        let own = tempfile::tempdir_in(folder.path())?;
        let place = Trial::new(own.path())?;
        let recorded = match given.is_empty() {
            true => sample::recorded(hook, &place.project)?,
            false => Vec::new(),
        };
        let samples = recorded.iter().chain(given.iter().filter(|sample| sample.is_for(hook)));
        let samples: Vec<&Sample> = samples.collect();
        let column = samples
            .iter()
            .map(|sample| width(&sample.name()))
            .max()
            .unwrap_or_default();
        let mut is_tried = false;
        let _progress = Progress::new("Running", format!("`{name}`"));
        for sample in samples {
            let (ran, took) = place.run(&Tried::of(hook), &launchers[&hook.declared.name], sample)?;
            let verdict = Verdict::of(sample.event, &ran);
            rows.push(trial_row(&hook.declared.name, sample, &ran, took, &verdict)?);
            let event = sample.name();
            text.plain("    ").plain(&event).pad(&event, column);
            text.dimmed(format_args!("{:>4} ms", took.as_millis()))
                .plain("  ")
                .hang();
            for (index, line) in verdict.to_string().lines().enumerate() {
                match index {
                    0 => text.bold(line).line_end(),
                    _ => text.plain("      ").hang().plain(line).line_end(),
                };
            }
            is_tried = true;
        }
        if !is_tried {
            text.plain("    none of the events is for it; name a file that has one: ");
            text.command("--payload FILE").line_end();
        }
    }
    warn_undescribed(&chosen);
    let refused = ensure_fits(&candidate, &hooks).err().map(|err| format!("{err:#}"));
    if refused.is_none() && workspace.is_some() {
        let arguments: Vec<String> = options
            .source
            .arguments()?
            .iter()
            .map(|argument| quoted(argument))
            .collect();
        text.plain("\nAdd it: ")
            .command(format_args!("cargo xtask add {}", arguments.join(" ")));
    }
    let mut summary = row("summary", candidate.package.row())?;
    extend(&mut summary, json!({"hooks": hooks.len(), "refused": refused}));
    rows.push(summary);
    options.format.print(text, &rows)?;
    if let Some(refused) = refused {
        inform(format_args!("warning: `add` would refuse it: {refused}"));
    }
    Ok(())
}

/// Looks whether the hooks go together with those of the workspace around, if there is one.
fn ensure_fits(candidate: &Candidate, hooks: &[Definition]) -> Result<()> {
    let Ok(workspace) = Workspace::find() else {
        return Ok(());
    };
    if workspace.packs.is_empty() {
        return Ok(());
    }
    let toolchain = Toolchain::find(&workspace.root)?;
    let all = Build::new(&workspace, toolchain.best(), &toolchain)?.declared()?;
    candidate.ensure_fits(&workspace, &all, hooks)
}

fn chosen(hooks: &[Definition], names: &[String]) -> Result<Vec<Definition>> {
    for name in names {
        named(hooks, name)?;
    }
    let is_chosen = |hook: &&Definition| names.is_empty() || names.contains(&hook.declared.name);
    Ok(hooks.iter().filter(is_chosen).cloned().collect())
}
