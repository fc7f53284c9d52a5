//! `cargo xtask install`: builds hooks, and installs them into settings.

mod choice;
pub(crate) mod http;
pub(crate) mod notes;
mod older;

use std::io::{self, IsTerminal};

use crate::agents::limits;
use crate::agents::trust::Server;
use crate::binaries::asked::Asked;
use crate::binaries::definition::{Definition, find, names, warn_undescribed};
use crate::binaries::generated::Build;
use crate::binaries::link::{Link, Toolchain};
use crate::binaries::recording::{Audit, Recording};
use crate::cargo::workspace::Workspace;
use crate::commands::install::choice::Choice;
use crate::commands::install::notes::{competing, notes, twice};
use crate::commands::install::older::{Older, installed_client};
use crate::commands::prelude::*;
use crate::settings::drift::Difference;
use crate::settings::installed;
use crate::settings::place::{Place, PlaceKind};
use crate::settings::plan::Hooks;
use crate::settings::scope::{self, Target};
use crate::settings::site::{Look, Site};
use crate::terminal::{DIMMED, hooks_by_entries, person, width};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    asked: Asked,
    /// Remove this hook from the installed ones; may be repeated
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "http")]
    without: Vec<String>,
    /// Link all hooks dynamically, for dependencies that cannot be linked statically
    #[arg(long)]
    dynamic: bool,
    /// Build for this target, if the hooks run on another machine
    #[arg(long = "target", value_name = "TRIPLE")]
    triple: Option<String>,
    /// Record the hooks' input and answers, in a file of yours; the next install without this option ends it
    #[arg(long, conflicts_with = "triple")]
    record: bool,
    /// Append each of the hooks' decisions to the audit, a folder of yours; the next install without this option ends
    /// it
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    audit: Option<Audit>,
    /// Let a service at this address answer in place of programs: writes managed settings that send each event to
    /// URL/hooks/NAME with the key in HOOKKIT_KEY
    #[arg(long, value_name = "URL", conflicts_with_all = ["dynamic", "triple", "record", "audit", "everywhere", "check"])]
    http: Option<String>,
    /// Install the hooks for sessions in all folders of the project: in its packages, and in repositories within it
    #[arg(long)]
    everywhere: bool,
    /// Add a missing Rust target without a question: with it hooks start up to four times as fast
    #[arg(long)]
    yes: bool,
    /// Change nothing, and fail if an install would change anything
    #[arg(long)]
    check: bool,
    /// List all hooks, and not only those that have changed
    #[arg(long, short)]
    verbose: bool,
    /// Add all hooks, even if Claude Code ignores the whole settings file, or does not know their events
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: Format,
}

pub(crate) fn run(mut options: Options) -> Result<Done> {
    if let Some(url) = &options.http {
        let Options { target, asked, yes, format, .. } = &options;
        return http::install(url, target, asked, *yes, format);
    }
    let mut all = Done::Clean;
    let agents = options.target.agents()?;
    if agents.len() > 1 {
        // All files are checked before any is written.
        let naming = Workspace::find()?.naming();
        for agent in &agents {
            options.target.set_agent(*agent);
            let place = options.target.place(&naming)?;
            if let Some(settings) = installed::settings(&place)? {
                installed::ensure_read(&place, &settings, options.force)?;
            }
        }
    }
    for agent in agents {
        options.target.set_agent(agent);
        if let Done::WithFindings = install(&options)? {
            all = Done::WithFindings;
        }
    }
    Ok(all)
}

/// Installs hooks in one settings location.
fn install(options: &Options) -> Result<Done> {
    let workspace = Workspace::find()?;
    let look = Look { is_check: options.check, is_forced: options.force, everywhere: options.everywhere };
    let mut site = Site::look(&options.target, &workspace, look)?;
    let place = site.state.place.clone();

    let toolchain = toolchain(options, &workspace)?;
    let link = if options.dynamic { Link::Dynamic } else { toolchain.best() };
    let advice = toolchain.missing_target().map(|missing| missing.advice());
    let mut build = Build::with(&workspace, link, toolchain)?;
    let of_all_users = matches!(place.kind, PlaceKind::Managed(_));
    ensure!(
        !(options.record && of_all_users),
        "--record is for your own runs, so leave it out with --scope managed; for the runs of all users, use --audit"
    );
    ensure!(
        options.audit.is_none() || of_all_users || options.triple.is_none(),
        "--audit writes to a folder of this machine: leave out --target, or add --scope managed for the folders of all users"
    );
    let of_command = place.clone();
    let command = Box::new(move |hook: &str| of_command.command(hook));
    build.recording = Recording::new(&workspace, options.record, options.audit, of_all_users, command)?;
    if !options.check {
        for note in build.recording.iter().flat_map(Recording::notes) {
            inform!("note: {note}");
        }
    }
    build.agent = place.agent();
    let client = installed_client(&place, options.triple.as_deref());
    let min_client = workspace.settings.min_client.as_ref();
    loop {
        let (all, other_packs) = known(&build, &options.asked, &site)?;
        let asked = options.asked.names(&all, &workspace)?;
        let choice = Choice::new(asked.as_ref(), &options.without, &all, &site)?;
        let mut definitions = choice.of(&all);
        let mut fitted = Vec::new();
        if let Some(agent) = place.agent() {
            fitted = limits::fit(agent, &mut definitions, &options.asked.hooks)?;
        }
        let older = Older::of(client.as_ref(), min_client, &mut definitions, &place, options.force)?;
        let links = definitions.iter().map(|hook| (hook.declared.name.clone(), build.link(hook)));
        let folders = site.folders.clone();
        let hooks = Hooks {
            all: &all,
            definitions: &definitions,
            binaries: &build.binaries(&definitions)?,
            links: &links.collect(),
            chosen: choice.chosen.as_ref(),
            folders: &folders,
            owner: None,
            is_forced: options.force,
            min_client,
            left_out: &older.events,
            record_runs: options.record,
            audit: options.audit,
        };
        if options.check {
            return report_drift(&place, &site.drift(&hooks)?, &older, options);
        }
        warn_undescribed(&definitions);
        let names = definitions
            .iter()
            .flat_map(|hook| hook.members.iter().chain([hook]))
            .flat_map(|hook| [Some(&hook.declared.name), hook.changes.former_name.as_ref()]);
        person::ensure_kept(&site.state.hooks(), &names.flatten().cloned().collect())?;
        // Another run may have chosen hooks meanwhile that were not built here.
        if let Some(changed) = site.install(&hooks)? {
            let remarks =
                Remarks { fitted, twice: twice(&place, &options.target)?, older: &older, advice: advice.as_deref() };
            report(&hooks, &other_packs, &site, &changed, &remarks, options)?;
            offer_trust(&place)?;
            return Ok(Done::Clean);
        }
    }
}

/// Returns the toolchain. If the target for the fastest hooks is missing, first adds it with the user's consent.
fn toolchain(options: &Options, workspace: &Workspace) -> Result<Toolchain> {
    let find = || Toolchain::find(&workspace.root)?.building_for(options.triple.as_deref());
    let toolchain = find()?;
    let is_offered = !options.dynamic && !options.check && options.triple.is_none();
    let Some(missing) = toolchain.missing_target().filter(|_| is_offered) else {
        return Ok(toolchain);
    };
    let question = format!("{}. Run that now?", missing.advice());
    if !options.yes && !person::agrees(&question, true)? {
        return Ok(toolchain);
    }
    match missing.add(&workspace.root) {
        Ok(()) => find(),
        Err(err) => {
            inform!("warning: {err:#}; the hooks are built without it");
            Ok(toolchain)
        }
    }
}

/// Makes another agent trust the installed hooks, if its server answers and the user agrees. The agent's notes describe
/// other ways.
fn offer_trust(place: &Place) -> Result<()> {
    let Some(agent) = place.agent().filter(|_| io::stdin().is_terminal()) else {
        return Ok(());
    };
    let Ok(Some(mut server)) = Server::start(agent, place.settings()) else {
        return Ok(());
    };
    let mut hooks = server.untrusted().unwrap_or_default();
    hooks.retain(|hook| place.hook(&hook.command).is_some());
    let question = format!("Make {} trust these hooks now, as its own screen does?", agent.name);
    if hooks.is_empty() || !person::agrees(&question, false)? {
        return Ok(());
    }
    server.trust(&hooks)
}

/// Returns the hooks for an install, and the packs without requested or installed hooks, which are not compiled.
fn known(build: &Build<'_>, asked: &Asked, site: &Site) -> Result<(Vec<Definition>, Vec<String>)> {
    let packs = &build.workspace.packs;
    if let (Some(mut needed), Some(kept)) = (asked.only_packs(build.workspace), site.kept()) {
        // The names are from the last builds. If any is missing, all hooks are needed.
        let names = build.names();
        needed.extend(kept.iter().filter_map(|hook| names.get(hook)).cloned());
        let other_packs: Vec<String> =
            packs.iter().filter(|pack| !needed.contains(&pack.package)).map(|pack| pack.package.clone()).collect();
        if !other_packs.is_empty()
            && let Some(hooks) = build.definitions_of(&needed)?
            && kept.iter().all(|kept| find(&hooks, kept).is_some())
        {
            return Ok((hooks, other_packs));
        }
    }
    Ok((build.definitions()?, Vec::new()))
}

/// Remarks printed below the list of hooks.
struct Remarks<'h> {
    /// Differences of the hooks in another agent.
    fitted: Vec<String>,
    twice: (String, Vec<Value>),
    older: &'h Older<'h>,
    /// Advice on a better link type.
    advice: Option<&'h str>,
}

/// Prints the installed hooks and their effect.
fn report(
    hooks: &Hooks<'_>,
    other_packs: &[String],
    site: &Site,
    changed: &[Difference],
    remarks: &Remarks<'_>,
    options: &Options,
) -> Result<Done> {
    let (place, before, installed) = (&site.state.place, site.state.hooks(), hooks.definitions);
    let was_current = changed.is_empty() && before.len() == installed.len();
    let (competing, of_competing) = competing(installed);
    let entries = installed.iter().map(|hook| hook.entries.len()).sum();
    let is_installed = |name: &str| find(installed, name).is_some();
    let is_left =
        |hook: &&Definition| hooks.chosen.is_some() && hook.is_installable() && !is_installed(&hook.declared.name);
    let left: Vec<&str> = names(hooks.all.iter().filter(is_left)).collect();
    let rows = installed.iter().map(|hook| {
        let name = &hook.declared.name;
        let mut row = row("hook", hook);
        row["link"] = json!(hooks.links.get(name));
        row["binary"] = place.binary(name).to_string().into();
        row
    });
    let summary = json!({
        "settings": place.to_string(),
        "changed": !was_current,
        "folders": hooks.folders.within.names().collect::<Vec<_>>(),
        "hooks": installed.len(),
        "entries": entries,
        "removed": before.iter().filter(|name| !is_installed(name)).collect::<Vec<_>>(),
        "not_chosen": left,
        "other_packs": other_packs,
        "twice": remarks.twice.1,
        "competing": competing,
        "records_runs": hooks.record_runs,
        "audit": hooks.audit,
        "client": remarks.older.value(),
        "agent": place.agent().map(|agent| agent.id),
        "differences": remarks.fitted,
    });
    let rows: Vec<Value> = rows.chain([row("summary", summary)]).collect();

    let mut text = Text::new();
    let count = hooks_by_entries(installed.len(), entries);
    text.put("Installed", &count, place, !was_current);
    if before.is_empty() || options.verbose {
        list(installed, hooks.links, &mut text);
    }
    if !before.is_empty() && !was_current {
        text.line_end().diff(&lines(changed, installed));
    }
    if !left.is_empty() {
        // A large workspace can have a hundred.
        let left = match left.len() {
            0..=8 => listed(left),
            more => format!("{more} other hooks"),
        };
        text.plain(format_args!("\nNot chosen for this project: {left}; to add one: "));
        text.command("--hook NAME").line_end();
    }
    if !other_packs.is_empty() {
        text.plain(format_args!("\nPacks that are not chosen: {}; to add one: ", listed(other_packs)));
        text.command("--pack NAME").line_end();
    }
    if installed.is_empty() {
        return options.format.print(text, &rows);
    }
    if !hooks.folders.within.is_empty() {
        let folders = listed(hooks.folders.within.names().map(one_line));
        text.plain(format_args!("\nSessions in these folders have them, too: {folders}.\n"));
    }
    text.plain(notes(installed, site));
    for note in &remarks.fitted {
        text.plain(note).line_end();
    }
    text.plain(&remarks.twice.0);
    text.plain(of_competing);
    for warning in remarks.older.warnings() {
        text.append(warning).line_end();
    }
    if let Some(advice) = remarks.advice {
        text.plain(advice).line_end();
    }
    let target = scope::options(place);
    if !place.is_staged() && place.agent().is_none() {
        text.plain("Check the project: ").command(format_args!("cargo xtask doctor{target}")).line_end();
    }
    text.plain("Remove them: ").command(format_args!("cargo xtask uninstall{target}"));
    options.format.print(text, &rows)
}

/// Reports the differences between the settings and the result of an install.
fn report_drift(place: &Place, found: &[Difference], older: &Older<'_>, asked: &Options) -> Result<Done> {
    let is_clean = found.is_empty();
    let mut rows: Vec<Value> = found.iter().map(|found| row("difference", found)).collect();
    let mut text = Text::new();
    if is_clean {
        text.plain(format_args!("Up to date: {place}"));
    } else {
        let options = scope::options(place);
        let without = asked.without.iter().map(|name| format!(" --without {}", quoted(name)));
        let chosen = asked.asked.options() + &without.collect::<String>();
        let everywhere = if asked.everywhere { " --everywhere" } else { "" };
        let record = if asked.record { " --record" } else { "" };
        let audit = match asked.audit {
            Some(Audit::On) => " --audit",
            Some(Audit::Required) => " --audit=required",
            None => "",
        };
        text.plain(format_args!("Not up to date: {place}\n\n"))
            .diff(&lines(found, &[]))
            .plain("\nTo fix this: ")
            .command(format_args!("cargo xtask install{options}{chosen}{everywhere}{record}{audit}"));
    }
    for warning in older.warnings() {
        text.line_end().append(warning);
    }
    rows.push(row("summary", json!({"settings": place.to_string(), "up_to_date": is_clean, "client": older.value()})));
    asked.format.report(text, &rows, is_clean)
}

/// Lists hooks with their descriptions and events.
fn list(hooks: &[Definition], links: &BTreeMap<String, Link>, text: &mut Text) {
    let column = hooks.iter().map(|hook| width(&hook.declared.name)).max();
    text.line_end();
    for hook in hooks {
        let name = hook.declared.name.as_str();
        let link = links.get(name).copied().unwrap_or(Link::Dynamic);
        let (subject, failure) = (hook.subject(), hook.failure());
        let events = format!("on {subject}; {link}; on failure: {failure}");
        let summary = hook.summary();
        let mut head = |name, style, words| {
            text.plain("  ").bold(name).pad(name, column.unwrap_or_default()).hang().words(style, words).line_end();
        };
        if summary.is_empty() {
            head(name, DIMMED, events)
        } else {
            head(name, PLAIN, summary);
            head("", DIMMED, events);
        }
    }
}

/// Returns the differences, one line per kind, such as `~ type-errors: timeout 60 → 61 s`. A new hook has its
/// description.
fn lines(changed: &[Difference], hooks: &[Definition]) -> String {
    let mut kinds: BTreeMap<(char, String), Vec<&str>> = BTreeMap::new();
    for Difference { sign, name, what } in changed {
        let what = hooks
            .iter()
            .find(|hook| *sign == '+' && hook.declared.name == *name)
            .map_or_else(|| what.clone(), Definition::summary);
        kinds.entry((*sign, what)).or_default().push(name);
    }
    kinds.iter().map(|((sign, what), names)| format!("  {sign} {}: {what}\n", names.join(", "))).collect()
}
