//! The settings file of a place, and what of this workspace is installed there.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use hookkit_protocol::hook::{Mode, OnEvent};

use crate::build::definition::Definition;
use crate::cargo::location::Location;
use crate::disk::{files, write};
use crate::settings::document::Document;
use crate::settings::entries::{Entry, Handler};
use crate::settings::place::Place;
use crate::settings::record::Record;
use crate::settings::sources::{self, Identity, Source, Sources};
use crate::settings::{check, document, edit, undo};
use crate::terminal::{listed, one_line, tell};

/// Looks whether a workspace's name is another one's here, and returns what the project says of it.
///
/// # Errors
///
/// Fails if it is, or if that is not known: only entries that are shown to be the workspace's own are changed.
pub(crate) fn ensure_ours(place: &Place, root: &Path) -> Result<Identity> {
    let name = &place.workspace;
    let Some(project) = place.project().filter(|_| place.is_shared()) else {
        if let Some(record) = Record::read(place)? {
            ensure!(
                record.is_of(root),
                "`{name}` is the name of another workspace's hooks here, {}\n\
                 Give this one a name of its own in its Cargo.toml: [workspace.metadata.hookkit] name = \"…\"",
                record.workspace.display(),
            );
        }
        return Ok(Identity::New);
    };
    let location = Location::of(root, project)?;
    Sources::read(place)?.identify(name, &location, place)
}

/// Looks whether entries of this workspace's name are its own, where the project says nothing of it: a run was killed
/// before it could write that down, or they are the ones that would be written.
///
/// # Errors
///
/// Fails if that is not known: only entries that are shown to be the workspace's own are removed.
pub(crate) fn ensure_proven(place: &Place, root: &Path, settings: &Document, entries: &[Entry]) -> Result<()> {
    let ours = settings.commands().filter(|command| place.is_ours(command)).count();
    let proven = entries.iter().filter(|entry| settings.has(entry)).count();
    if ours == proven || Record::read(place)?.is_some_and(|record| record.is_of(root)) {
        return Ok(());
    }
    let location = Location::of(root, place.project().unwrap_or(root))?;
    bail!(
        "{} has hooks of a workspace `{1}`, and nothing says whether it is this one: {2}\n\
         If it is, say so in {3}:\n\n{4}\n\
         If not, give this one a name of its own in its Cargo.toml: [workspace.metadata.hookkit] name = \"…\"",
        place.settings().display(),
        place.workspace,
        listed(named(Some(settings), place).iter().map(|hook| one_line(hook))),
        sources::file(place),
        Source::of(&location).table(&place.workspace)
    )
}

/// What the workspace has installed under other names that it had before.
pub(crate) fn former(place: &Place, root: &Path, identity: &Identity) -> Result<Vec<(Place, Record)>> {
    let of_others: BTreeSet<String> = match place.is_shared() {
        true => Sources::read(place)?.names().map(str::to_owned).collect(),
        false => BTreeSet::new(),
    };
    let mut former = Vec::new();
    if let Identity::Was(name, _) = identity {
        let other = place.named_as(name);
        let record = Record::read(&other)?.unwrap_or_default();
        former.push((other, record));
    }
    for other in place.others() {
        if let Some(record) = Record::read(&other)?
            && record.workspace == root
            && !of_others.contains(&other.workspace)
        {
            former.push((other, record));
        }
    }
    Ok(former)
}

/// What a settings file holds that `install` creates, before anything is inserted.
pub(crate) const NEW_SETTINGS: &str = "{\n}\n";

/// Reads the settings file, if there is one, and checks that it can be edited.
pub(crate) fn settings(place: &Place) -> Result<Option<Document>> {
    let (_, settings) = write::read_as(&place.file(), |bytes| {
        bytes.map(|bytes| parsed(bytes, place)).transpose()
    })?;
    Ok(settings)
}

/// Parses the bytes of the settings file, and checks that they can be edited.
pub(crate) fn parsed(bytes: &[u8], place: &Place) -> Result<Document> {
    let parsed = document::decoded(bytes).and_then(Document::parse);
    let editable = parsed.and_then(|document| document.ensure_editable().map(|()| document));
    editable.with_context(|| refused(place))
}

/// The hooks of this workspace that the settings name.
pub(crate) fn named(settings: Option<&Document>, place: &Place) -> BTreeSet<String> {
    let commands = settings.into_iter().flat_map(Document::commands);
    let hooks = commands.filter_map(|command| place.hook(command));
    hooks.map(str::to_owned).collect()
}

/// Says what Claude Code would not read of the settings, whoever wrote it.
///
/// # Errors
///
/// Those of [`ensure_read`].
pub(crate) fn tell_findings(place: &Place, settings: &Document, is_forced: bool) -> Result<()> {
    ensure_read(place, settings, is_forced)?;
    for finding in check::listed(&settings.findings()) {
        tell(format_args!("warning: {}: {finding}", place.settings().display()));
    }
    Ok(())
}

/// Looks whether Claude Code reads anything of the settings.
///
/// # Errors
///
/// Where it does not, so that hooks would not run, unless that is wanted.
pub(crate) fn ensure_read(place: &Place, settings: &Document, is_forced: bool) -> Result<()> {
    let path = place.settings().display();
    let mut findings = settings.findings();
    findings.retain(|finding| finding.loss == check::Loss::File);
    let reasons = check::listed(&findings).into_iter();
    let reasons: String = reasons.map(|finding| format!("\n{path}: {finding}")).collect();
    ensure!(
        is_forced || reasons.is_empty(),
        "{path} was left untouched: Claude Code would run none of the hooks in it; fix it first, or go on with \
         --force{reasons}"
    );
    Ok(())
}

/// The text as it would be without this workspace's hooks. What goes with them is added to `lost`.
pub(crate) fn without_ours(
    settings: &Document,
    record: &Record,
    made: &edit::Made,
    place: &Place,
    lost: &mut Vec<String>,
) -> Result<Document> {
    let inserted = record.inserted_into(Some(settings));
    let removed = undo::remove(settings, inserted, made, |command| place.is_ours(command));
    let removed = removed.with_context(|| refused(place))?;
    lost.extend(removed.lost);
    Ok(removed.document)
}

/// The most characters that are reported of another person's text.
const LONGEST: usize = 2_000;

/// Says what of somebody else's has gone.
pub(crate) fn tell_lost(place: &Place, lost: &[String]) {
    for lost in lost {
        let lost: String = one_line(lost).chars().take(LONGEST).collect();
        tell(format_args!("note: {}: {lost}", place.settings().display()));
    }
}

/// The words before the reason why a settings file cannot be edited, and the fix.
pub(crate) fn refused(place: &Place) -> String {
    format!("{} was left untouched", place.settings().display())
}

/// The hook as it shall stand in the settings, once for each of its events.
pub(crate) fn entries(hook: &Definition, place: &Place) -> Vec<Entry> {
    let entry = |entry: &OnEvent<String>| Entry {
        event: entry.event.clone(),
        matcher: entry.matcher.clone(),
        handler: Handler {
            condition: hook.declared.condition.clone(),
            timeout: hook.declared.timeout,
            status_message: hook.declared.status_message.clone(),
            on_failure: blocks_unstarted(hook, entry, place).then_some("block"),
            r#async: (hook.declared.mode == Mode::Async).then_some(true),
            async_rewake: (hook.declared.mode == Mode::AsyncRewake).then_some(true),
            ..Handler::new(place.command(&hook.declared.name))
        },
    };
    hook.entries.iter().map(entry).collect()
}

/// What is not as an install would leave it, of one hook that is built.
pub(crate) fn drift(
    hook: &Definition,
    built: &Path,
    settings: Option<&Document>,
    place: &Place,
) -> Result<Option<&'static str>> {
    let binary = write::read(&place.binary(&hook.declared.name))?;
    let is_named = named(settings, place).contains(&hook.declared.name);
    Ok(match binary {
        None if !is_named => Some("it is not installed"),
        None => Some("its binary is missing"),
        Some(_) if !is_named => Some("the settings do not name it"),
        Some(_)
            if !entries(hook, place)
                .iter()
                .all(|entry| settings.is_some_and(|settings| settings.has(entry))) =>
        {
            Some("its entry in the settings is not what its attribute says")
        }
        Some(_) if !place.has_binary(&hook.declared.name) => Some("its binary cannot be run"),
        Some(bytes) if files::built(built)? != bytes => Some("its binary is not the one that its source becomes"),
        Some(_) => None,
    })
}

/// Whether the client shall refuse on this event where the hook cannot even be started.
///
/// In a file that a team shares only where the author wrote so: whoever clones the project has no binaries at first.
pub(crate) fn blocks_unstarted(hook: &Definition, entry: &OnEvent<String>, place: &Place) -> bool {
    if place.is_shared() {
        return entry.blocks_in_settings;
    }
    let policy = hook.declared.on_failure;
    let blocks = entry.facts().is_some_and(|event| policy.blocks_in_settings(event));
    blocks && hook.declared.mode == Mode::Awaited
}
