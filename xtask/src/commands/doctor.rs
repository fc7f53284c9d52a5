//! `cargo xtask doctor`: finds out why hooks do not run.
//!
//! The rules and their inputs are in `diagnose`.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::{env, fs};

use crate::commands::prelude::*;
use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::State;
use crate::diagnose::own::{self, checks};
use crate::diagnose::report::Report;
use crate::diagnose::reviewed::collect as reviewed;
use crate::diagnose::surroundings::Surroundings;
use crate::diagnose::{agents, fix, look, mods, packages, paused, present, starts};
use crate::disk::bounded::{Deadline, SECONDS};
use crate::history::failed;
use crate::settings::code;
use crate::settings::finding::Finding;
use crate::settings::folders::Scope;
use crate::settings::scope::Target;
use crate::terminal::progress::Progress;
use crate::terminal::{GOOD, print};

#[derive(Args)]
#[command(after_help = "Examples:
  cargo xtask doctor --project ../app
  cargo xtask doctor --check
  cargo xtask doctor --fix --yes
  cargo xtask doctor --explain unquoted-path
  cargo xtask doctor --json | jq -r 'select(.kind == \"finding\") | .file'

It reads every settings file and plugin that a session in the project reads, including hooks of other authors. It runs
hooks that `install` has installed, in a temporary folder, and never those of others.
Exit codes: 0 nothing to fix, 1 findings, 2 refused or failed; with --fix, 1 means that edits were shown and not made.")]
pub(crate) struct Options {
    #[command(flatten)]
    target: Target,
    /// The installed client, whose version matters [default: `claude` in PATH]
    #[arg(long, value_name = "FILE")]
    client_binary: Option<PathBuf>,
    /// Also build the hooks of this workspace, and compare them with the installed ones
    #[arg(long, conflicts_with = "fix")]
    check: bool,
    /// Show unambiguous edits as a diff, instead of the findings
    #[arg(long)]
    fix: bool,
    /// With --fix: make the edits
    #[arg(long, requires = "fix")]
    yes: bool,
    /// Print the cause and the fix of a code, the word in brackets before a finding
    #[arg(long, value_name = "CODE", conflicts_with_all = ["check", "fix"])]
    explain: Option<String>,
    #[command(flatten)]
    format: Format,
    /// Another folder of managed settings, for tests
    #[arg(long, value_name = "DIR", hide = true)]
    managed: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<Done> {
    if let Some(code) = &options.explain {
        return explain(code, &options.format);
    }
    let binary = options.client_binary.as_deref();
    let mut folders = options.target.folders()?;
    if let Some(managed) = &options.managed {
        folders.managed.clone_from(managed);
    }
    if let Some(file) = &folders.named {
        ensure!(file.is_file(), "there is no settings file {}", file.display());
    }
    let project = folders.project.clone().unwrap_or_default();
    let surroundings = Surroundings {
        project: folders.project.clone(),
        plugin: None,
        home: env::var_os("HOME").map(PathBuf::from),
        path: env::var_os("PATH"),
        shell: fs::canonicalize("/bin/sh").ok(),
        variables: env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect(),
    };
    let only = options.target.scope.clone();
    if options.fix {
        let fixes = Deadline::new().within(move || {
            let is_only = |scope: &Scope| only.as_ref().is_none_or(|only| only == scope);
            let shows = |finding: &Finding| finding.scope.as_ref().is_none_or(is_only);
            fix::Fixes::of(Session::of(&folders), &surroundings, &shows)
        });
        let late = || {
            format!(
                "looking for edits takes longer than {SECONDS} s, so none is made; to find the slow file: `cargo xtask \
                 doctor`"
            )
        };
        return fix(&fixes.with_context(late)?, options);
    }
    // It is quiet in a pipe, where only the result counts.
    let is_terminal = io::stderr().is_terminal();
    let progress = is_terminal.then(|| Progress::new("Checking", one_line(project.display())));
    let session = Arc::new(Session::of(&folders));
    let shows = |scope: &_| only.as_ref().is_none_or(|only| only == scope);
    let own = own::find(&session, surroundings.project.as_deref());
    let mut findings = look::look_in_time(&session, &surroundings);
    findings.extend(packages::look_in_time(&session));
    if folders.named.is_none() {
        let here = options.target.folder_within(&project);
        let mut found = starts::look_in_time(&session, &folders, &surroundings, here);
        // The other findings concern hooks of all scopes.
        found.retain(|finding| finding.scope.is_some() || only.is_none());
        findings.extend(found);
    }
    findings.extend(mods::look_at_server(&session, &folders));
    findings.extend(reviewed::look_in_time(&project));
    findings.extend(present::look(&session, &own, &surroundings, binary)?);
    findings.extend(failed::look_in_time(&session, &folders));
    let of_agents = own::of_agents(&session);
    findings.extend(agents::look(&session, &own, &of_agents));
    findings.extend(paused::notes(&of_agents)?);
    findings.extend(own::unnamed(&session));
    findings.extend(own::shared(&session));
    findings.extend(paused::notes(&own)?);
    let mut report = Report {
        findings,
        project,
        is_project_named: options.target.names_project() || only == Some(Scope::User) || folders.named.is_some(),
        ..Report::default()
    };
    checks::look(&own, &mut report)?;
    if options.check {
        report.findings.extend(checks::compare(&own, &options.target)?);
    }
    drop(progress);
    report.findings.retain(|finding| finding.scope.as_ref().is_none_or(shows));
    let shown = || session.sources.iter().filter(|source| shows(&source.scope));
    report.hooks = shown().map(|source| source.handlers.len()).sum();
    let distinct = shown().flat_map(|source| source.handlers.iter().map(|hook| (&source.path, hook.what())));
    report.distinct_hooks = distinct.collect::<BTreeSet<_>>().len();
    report.files = shown().filter(|source| source.state != State::Missing).count();
    report.sort(&session);
    report.print(&session, &options.format)
}

fn explain(code: &str, format: &Format) -> Result<Done> {
    let found = code::named(code)?;
    let page = format!("{}#{}", code::PAGE, found.name);
    let mut text = Text::new();
    text.bold(found.name).plain(format_args!(" ({})\n\n", found.subject));
    text.plain(found.cause()).words(GOOD, "\n\nfix").plain(": ").hang();
    text.plain(found.fix).plain("\n\nAll codes, with examples: ").path(&page);
    let members = json!({
        "code": found.name,
        "subject": found.subject,
        "cause": found.cause(),
        "fix": found.fix,
        "page": page,
    });
    format.print(text, &[row("code", members)])
}

fn fix(fixes: &fix::Fixes, options: &Options) -> Result<Done> {
    let format = &options.format;
    let is_written = options.yes && fixes.count > 0;
    if is_written && format.is_json() {
        // Rows report only completed edits.
        fixes.write()?;
    }
    let mut rows = fixes.rows();
    rows.push(row("summary", json!({"edits": fixes.count, "complete": fixes.is_complete, "written": is_written})));
    if fixes.count == 0 {
        return format.print("Nothing to change: `--fix` makes only edits that are certain", &rows);
    }
    let mut text = fixes.diff();
    if !fixes.is_complete {
        text.plain(format_args!(
            "\n\nThese are the first {} edits; for the rest run this again afterwards",
            fixes.count
        ));
    }
    if !is_written {
        text.plain("\n\nNothing was written; with `").command("--fix --yes").plain("` it is");
    }
    let done = format.report(text, &rows, is_written)?;
    if is_written && !format.is_json() {
        fixes.write()?;
        print("\nWritten")?;
    }
    Ok(done)
}
