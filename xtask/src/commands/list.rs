//! `cargo xtask list`: lists the workspace's hooks, and all other hooks of a session.

mod agents;
mod foreign;
mod own;
mod report;
mod subject;

use std::env;
use std::sync::Arc;

use crate::binaries::generated::Build;
use crate::cargo::accepted::is_known;
use crate::cargo::workspace::{Naming, Workspace};
use crate::commands::list::report::{Report, Seen};
use crate::commands::prelude::*;
use crate::diagnose::active::outcome::Subject;
use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::HookFile;
use crate::diagnose::copies::Copies;
use crate::diagnose::present::version;
use crate::settings::folders::Folders;
use crate::settings::place::Place;
use crate::settings::scope::{self, Target};
use crate::settings::{installed, start};

#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask list --project ../app
  cargo xtask list --for 'PreToolUse:Bash'
  cargo xtask list --for Stop
  cargo xtask list --json | jq -r 'select(.kind == \"foreign\") | .file'")]
pub(crate) struct Options {
    #[command(flatten)]
    target: Target,
    /// Only the hooks that run on this event, and why the event's other hooks do not: `Stop`, `PreToolUse:Bash`,
    /// `SessionStart:clear`
    #[arg(long = "for", value_name = "EVENT[:SUBJECT]")]
    subject: Option<String>,
    #[command(flatten)]
    format: Format,
    /// Another folder of managed settings, for tests
    #[arg(long, value_name = "DIR", hide = true)]
    managed: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<Done> {
    // An impossible subject is reported before anything is built.
    let subject = options.subject.as_deref().map(Subject::parse).transpose()?;
    let mut folders = options.target.folders()?;
    if let Some(managed) = &options.managed {
        folders.managed.clone_from(managed);
    }
    let session = Session::of(&folders);

    let event = subject.as_ref().map(|subject| subject.event.name);
    let seen = Arc::new(Seen {
        copies: Copies::in_session(&session, folders.project.as_deref()),
        // The effect of a plugin's module depends on the version.
        client: match session.mods[..] {
            [] => None,
            _ => version::find(None, folders.project.as_deref())?.as_deref().and_then(version::of),
        },
        session,
        project: folders.project.clone().unwrap_or_default(),
        only: options.target.scope.clone(),
    });
    let mut report = Report::default();
    let done = match subject {
        Some(subject) => {
            let places = places(options)?;
            let tell = move |seen: &Seen, report: &mut Report| subject::describe_all(&subject, seen, &places, report);
            report.extend_in_time(&seen, tell)
        }
        None => whole(options, &seen, &mut report),
    };
    let is_of_interest =
        |source: &HookFile| source.handlers.iter().any(|handler| event.is_none_or(|event| handler.event == event));
    report.paragraphs.extend(elsewhere(&options.target, &folders, &seen.session, is_of_interest));
    let printed = options.format.print(Text::joined(report.paragraphs, "\n\n"), &report.rows);
    done.and(printed)
}

/// Lists all hooks, even if part of the list fails.
///
/// # Errors
///
/// Fails if the workspace's own hooks cannot be listed. All other hooks are still listed.
fn whole(options: &Options, seen: &Arc<Seen>, report: &mut Report) -> Result<()> {
    let foreign = |places: Vec<Place>, report: &mut Report| {
        report.extend_in_time(seen, move |seen, report| foreign::describe_all(seen, &places, report))
    };
    let here = env::current_dir()?;
    if !is_known(&here) {
        let has_code = here.ancestors().any(|folder| folder.join("Cargo.toml").is_file());
        let none = if has_code {
            "The code of this workspace was not accepted, so all hooks are listed as other hooks; `cargo-hookkit \
             install --check` asks whether to accept it."
        } else {
            "There is no cargo workspace here, so all hooks are listed as other hooks."
        };
        report.paragraphs.push(none.into());
        return foreign(Vec::new(), report);
    }
    match of_workspace(options, seen, report) {
        Ok((places, advice)) => {
            let done = foreign(places, report);
            report.paragraphs.extend(advice.as_deref().map(Text::from));
            done
        }
        Err(err) => foreign(places(options).unwrap_or_default(), report).and(Err(err)),
    }
}

/// Lists the workspace's own hooks. Returns the settings locations where hooks can be installed, and the command that
/// makes hooks faster.
fn of_workspace(options: &Options, seen: &Seen, report: &mut Report) -> Result<(Vec<Place>, Option<String>)> {
    let workspace = Workspace::find()?;
    let mut ours = Vec::new();
    let naming = workspace.naming();
    for place in options.target.places(&naming)? {
        match installed::ours(&place, &workspace.root) {
            Ok(record) => ours.push((place, record.unwrap_or_default())),
            // The hooks there belong to another workspace.
            Err(err) => inform!("note: {place}: {err}"),
        }
    }
    let build = Build::new(&workspace)?;
    let hooks = build.definitions()?;
    let mut head = Text::new();
    head.bold("Hooks of this workspace").plain(", ").path(workspace.root.display()).plain("; `");
    head.command("cargo xtask install --check").plain("` compares their binaries with the sources");
    report.paragraphs.push(head);
    own::describe_all(&hooks, &ours, seen, report);
    if seen.only.is_none() {
        let workspace = naming.within(Some(&seen.project))?;
        let files = scope::of_agents(&seen.project, &workspace).chain(scope::of_agents_of_user(&naming));
        agents::describe_all(&hooks, files, report);
    }
    let places = ours.into_iter().map(|(place, _)| place);
    Ok((places.collect(), build.toolchain.missing_target().map(|missing| missing.advice())))
}

/// Returns the settings locations where this workspace's hooks can be installed. There are none without a workspace
/// whose code is accepted.
fn places(options: &Options) -> Result<Vec<Place>> {
    if !is_known(&env::current_dir()?) {
        return Ok(Vec::new());
    }
    options.target.places(&Naming::find()?)
}

/// Describes the session in the current folder, if that folder is below a project that was not given as an option, and
/// otherwise the session in the repository's root, if the project is a folder of a repository: the files with relevant
/// hooks that are read in only one of the two sessions.
fn elsewhere(
    target: &Target,
    folders: &Folders,
    session: &Session,
    is_of_interest: impl Fn(&HookFile) -> bool,
) -> Option<Text> {
    let project = folders.project.as_deref()?;
    let (folder, place, typed) = match (target.folder_within(project), start::root(project)) {
        _ if target.scope.is_some() || folders.named.is_some() => return None,
        (Some(here), _) => {
            let within = here.strip_prefix(project).unwrap_or(&here);
            let place = one_line(format_args!("here, in {}/", within.display()));
            (here, place, ".".to_owned())
        }
        (None, Some(root)) if root != project => {
            let place = format!("in the root of the repository, {}", one_line(root.display()));
            (root.to_owned(), place, quoted(root.display()))
        }
        (None, _) => return None,
    };
    let other = Session::of(&Folders { project: Some(folder), ..folders.clone() });
    let files = |session: &Session| -> BTreeSet<PathBuf> {
        session.sources.iter().filter(|source| is_of_interest(source)).map(|source| source.path.clone()).collect()
    };
    let (files, there) = (files(session), files(&other));
    let mut text = Text::new();
    text.bold(format_args!("A session that is started {place}"));
    for (verb, files) in [("does not read", &files - &there), ("reads in addition", &there - &files)] {
        if !files.is_empty() {
            text.plain(format_args!("\n  {verb}"));
        }
        for file in files {
            text.plain("\n    ").path(shown(&file));
        }
    }
    text.plain("\nIts hooks: ").command(format_args!("cargo xtask list --project {typed}"));
    (files != there).then_some(text)
}
