//! `cargo xtask try`: the hooks of a pack on recorded events, before anybody depends on it.

#![expect(
    clippy::disallowed_methods,
    reason = "the user names the file, or the folder is a temporary one"
)]

use std::fmt::Write as _;
use std::fs::{self};

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use hookkit_verdict::Verdict;
use serde_json::json;

use crate::build::candidate::{Author, Candidate};
use crate::build::changes::{described, source};
use crate::build::definition::{Definition, tell_unwritten};
use crate::build::generated::Build;
use crate::build::link::Toolchain;
use crate::build::sample::{self, Sample};
use crate::build::trial::{Trial, Tried, trial_row};
use crate::cargo::metadata::Metadata;
use crate::cargo::source::Source;
use crate::cargo::workspace::Workspace;
use crate::rows::{Format, extend, row};
use crate::terminal::{listed, tell};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    source: Source,
    /// Only this hook; may be repeated [default: all of the pack's]
    #[arg(long = "hook", value_name = "NAME")]
    hooks: Vec<String>,
    /// A file with what Claude Code writes to a hook, in place of the recorded events; may be repeated
    #[arg(long = "payload", value_name = "FILE")]
    payloads: Vec<PathBuf>,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let folder = tempfile::tempdir().context("there is no temporary folder")?;
    let author = match Metadata::of(&std::env::current_dir()?) {
        Ok(metadata) => Author::of(&metadata)?,
        Err(_) => Author::without_workspace(folder.path())?,
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
    let launchers = candidate.build(&toolchain)?.launchers(&hooks, &chosen)?;

    // What a hook does to a project, or to its user's files, it does here.
    let place = Trial::new(folder.path())?;
    let mut text = format!("{} {}\n", candidate.package.name, source(&candidate.package));
    let mut rows = Vec::new();
    for hook in &chosen {
        rows.push(row("hook", hook)?);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "\n{}  {}\n  {}",
            hook.declared.name,
            hook.summary(),
            described(hook)
        );
        if hook.declared.condition.is_some() {
            text += "    (Claude Code would ask the `if` first; it is not asked here)\n";
        }
        let recorded = match given.is_empty() {
            true => sample::recorded(hook, &place.project)?,
            false => Vec::new(),
        };
        let samples = recorded.iter().chain(given.iter().filter(|sample| sample.is_for(hook)));
        let mut is_tried = false;
        for sample in samples {
            let (ran, took) = place.run(&Tried::of(hook), &launchers[&hook.declared.name], sample)?;
            let verdict = Verdict::of(sample.event, &ran);
            rows.push(trial_row(&hook.declared.name, sample, &ran, took, &verdict)?);
            let verdict = verdict.to_string().replace('\n', "\n      ");
            let _ = writeln!(text, "    {} ({} ms): {verdict}", sample.name(), took.as_millis());
            is_tried = true;
        }
        if !is_tried {
            text += "    none of the events is for it; name a file that has one: --payload FILE\n";
        }
    }
    tell_unwritten(&chosen);
    if !options.format.is_json() {
        options.format.print(text.trim_end(), &[])?;
    }
    let refused = ensure_fits(&candidate, &hooks).err().map(|err| format!("{err:#}"));
    if options.format.is_json() {
        let mut summary = row("summary", candidate.package.row())?;
        extend(&mut summary, json!({"hooks": hooks.len(), "refused": refused}));
        rows.push(summary);
        options.format.print("", &rows)?;
    }
    if let Some(refused) = refused {
        tell(format_args!("warning: `add` would refuse it: {refused}"));
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
        ensure!(
            hooks.iter().any(|hook| hook.declared.name == *name),
            "there is no hook `{name}`; there are {}",
            listed(hooks.iter().map(|hook| &hook.declared.name))
        );
    }
    let is_chosen = |hook: &&Definition| names.is_empty() || names.contains(&hook.declared.name);
    Ok(hooks.iter().filter(is_chosen).cloned().collect())
}
