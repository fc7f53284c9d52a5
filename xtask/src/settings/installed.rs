//! A settings file and the workspace's hooks in it.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use hookkit_protocol::hook::OnEvent;

use crate::agents::file;
use crate::binaries::definition::Definition;
use crate::cargo::checkout::Checkout;
use crate::cargo::location::Location;
use crate::disk::write;
use crate::settings::document::{self, Document};
use crate::settings::entries::{self, Entry, Handler};
use crate::settings::finding::{Ignored, Refusal};
use crate::settings::place::{Place, PlaceKind};
use crate::settings::record::Record;
use crate::settings::sources::{self, Identity, Source, Sources};
use crate::settings::{check, edit, shown, undo};
use crate::terminal::{inform, listed, one_line, quoted};

/// Checks that no other workspace has this name here, and returns the workspace's identity in the project's files.
///
/// # Errors
///
/// Fails if the name belongs to another workspace, or if this cannot be determined. Only entries that provably belong
/// to the workspace are changed.
pub(crate) fn identity(
    place: &Place,
    record: Option<&Record>,
    sources: &Sources,
    checkout: &Checkout,
) -> Result<Identity> {
    let name = &place.workspace;
    if let Some(location) = &checkout.location {
        let record = record.filter(|record| record.workspace == checkout.root);
        let noted = record.and_then(|record| record.repository.as_deref());
        return sources.identify(name, (location, &checkout.root), place, noted.map(str::trim_end));
    }
    if let Some(record) = record {
        let (root, other) = (&checkout.root, &record.workspace);
        let moved = match other.symlink_metadata() {
            Ok(_) => String::new(),
            Err(_) => {
                let [root, other] = [root, other].map(|path| quoted(path.display()));
                format!("\nIf this workspace was moved from there, create a link: ln -s {root} {other}")
            }
        };
        ensure!(
            record.is_of(checkout),
            "`{name}` is the name of another workspace's hooks here, {}\nGive this workspace another name in {}: \
             [workspace.metadata.hookkit] name = \"…\"{moved}",
            other.display(),
            root.join("Cargo.toml").display(),
        );
    }
    Ok(Identity::New)
}

/// Checks the workspace's name in these settings, and returns the record of its installed hooks.
///
/// # Errors
///
/// Fails like [`identity`].
pub(crate) fn ours(place: &Place, root: &Path) -> Result<Option<Record>> {
    let record = Record::read(place)?;
    let sources = if place.is_shared() { Sources::read(place)? } else { Sources::default() };
    identity(place, record.as_ref(), &sources, &Checkout::of(root, place.sharing_project())?)?;
    Ok(record)
}

/// Returns the message that entries have the workspace's name but do not provably belong to it.
pub(crate) fn unproven(place: &Place, settings: &Document, location: Option<&Location>) -> String {
    let proof = match location {
        Some(location) => {
            format!("say so in {}:\n\n{}", sources::file(place), Source::of(location).table(&place.workspace))
        }
        None => "remove them from the file: `cargo xtask install` writes them again".to_owned(),
    };
    format!(
        "{place} has hooks of a workspace `{}`, which may not be this one: {}\nIf it is, {proof}\nIf not, give this \
         workspace another name in its Cargo.toml: [workspace.metadata.hookkit] name = \"…\"",
        place.workspace,
        listed(named(Some(settings), place).iter().map(one_line)),
    )
}

/// Reads the settings file if it exists, and checks that it is editable.
pub(crate) fn settings(place: &Place) -> Result<Option<Document>> {
    write::read_as(&place.file(), |bytes| bytes.map(|bytes| parsed(bytes, place)).transpose())
}

/// Parses the settings file, and checks that it is editable.
fn parsed(bytes: &[u8], place: &Place) -> Result<Document> {
    let parsed = document::decoded(bytes)
        .and_then(|text| Document::of(place.form(), text))
        .and_then(|document| document.ensure_editable().map(|()| document));
    if let (Err(_), Some(agent), Ok(text)) = (&parsed, place.agent(), str::from_utf8(bytes)) {
        // A finding's reason is about Claude Code.
        file::ensure_read(agent, place.settings(), text)?;
    }
    let of_place = |refusal: Refusal| if place.agent().is_some() { refusal.of_another_agent() } else { refusal };
    parsed.map_err(of_place).with_context(|| refused(place))
}

/// Returns this workspace's hooks that are in the settings.
pub(crate) fn named(settings: Option<&Document>, place: &Place) -> BTreeSet<String> {
    settings
        .into_iter()
        .flat_map(Document::commands)
        .filter_map(|command| place.hook(command))
        .map(str::to_owned)
        .collect()
}

/// Returns the location as a folder of a project, if a command in its settings leads to a project above, and that
/// project lists the folder.
pub(crate) fn as_folder(place: Place) -> Place {
    let folder = settings(&place).ok().flatten().iter().flat_map(Document::commands).find_map(|command| {
        let (root, folder) = place.above(command).filter(|(_, folder)| folder.hook(command).is_some())?;
        let within = folder.project()?.strip_prefix(root.project()?).ok()?.to_str()?;
        let sources = Sources::read(&root).ok()?;
        sources.all.get(&place.workspace).is_some_and(|source| source.folders.contains(within)).then_some(folder)
    });
    folder.unwrap_or(place)
}

/// Checks that settings do not belong to a folder of a project, because such settings change together with the
/// project's.
///
/// # Errors
///
/// Fails if they do.
pub(crate) fn ensure_own(place: &Place) -> Result<()> {
    if let PlaceKind::Folder { project, .. } = as_folder(place.clone()).kind {
        bail!(
            "{place} has the hooks of {0}, and changes only together with its settings: use --project {0}\nFor other \
             hooks in this folder, remove the folder from `folders` in {0}/.claude/hookkit.toml, and install there \
             again",
            project.display(),
        );
    }
    Ok(())
}

/// Reports the parts of the settings that Claude Code would not read, including other people's.
///
/// # Errors
///
/// Fails like [`ensure_read`].
pub(crate) fn report_findings(place: &Place, settings: &Document, is_forced: bool) -> Result<()> {
    if place.agent().is_some() {
        return ensure_read(place, settings, is_forced);
    }
    let findings = settings.findings();
    shown::report_findings(place, settings.text(), &findings, is_forced);
    ensure!(is_forced || !findings.iter().any(|finding| finding.ignored == Ignored::File), "{}", unread(place));
    Ok(())
}

/// Returns the message that Claude Code ignores the settings.
fn unread(place: &Place) -> String {
    format!("{}: Claude Code would run none of the hooks in it; fix it first, or use --force", refused(place))
}

/// Checks that Claude Code reads these settings at all.
///
/// # Errors
///
/// Fails if it does not, because hooks would not run. The user can force the install.
pub(crate) fn ensure_read(place: &Place, settings: &Document, is_forced: bool) -> Result<()> {
    if let Some(agent) = place.agent() {
        return file::ensure_read(agent, place.settings(), settings.text());
    }
    let mut findings = settings.findings();
    findings.retain(|finding| finding.ignored == Ignored::File);
    let reasons = check::listed(&findings).into_iter();
    let reasons: String = reasons.map(|finding| format!("\n{place}: {finding}")).collect();
    ensure!(is_forced || reasons.is_empty(), "{}{reasons}", unread(place));
    Ok(())
}

/// Returns the text without this workspace's hooks. User additions that are removed with them are added to `lost`.
pub(crate) fn without_ours(
    settings: &Document,
    record: &Record,
    made: &edit::Made,
    place: &Place,
    lost: &mut Vec<String>,
) -> Result<Document> {
    let inserted = record.inserted_into(Some(settings));
    let removed = undo::remove(settings, inserted, made, |command| place.is_ours(command) || record.wrote(command))
        .with_context(|| refused(place))?;
    lost.extend(removed.lost);
    let (document, folder) = (removed.document, place.program(""));
    let changed = document.commands().filter(|command| command.contains(&folder));
    let stays =
        |command| format!("`{command}` was edited, so its entry stays, but its program may be gone: remove the entry");
    lost.extend(changed.map(stays));
    Ok(document)
}

/// Maximum number of characters to report of another person's text.
const LONGEST: usize = 2_000;

/// Reports the removed user additions.
pub(crate) fn report_lost(place: &Place, lost: &[String]) {
    for lost in lost {
        let lost: String = one_line(lost).chars().take(LONGEST).collect();
        inform!("note: {place}: {lost}");
    }
}

/// Returns the start of a message about a settings file that is not editable. The reason and the fix follow.
pub(crate) fn refused(place: &Place) -> String {
    format!("{place} was left untouched")
}

/// Returns a hook's entries in the settings, one per event.
pub(crate) fn entries(hook: &Definition, place: &Place) -> Vec<Entry> {
    if let Some(agent) = place.agent() {
        return entries::of_agent(agent, hook, &place.command(&hook.declared.name));
    }
    let handler = |entry: &OnEvent<String>| {
        let handler = Handler::with_arguments(place.command(&hook.declared.name), Vec::new());
        handler.of_hook(&hook.declared, blocks_unstarted(hook, entry, place))
    };
    hook.entries.iter().map(|entry| Entry::new(entry, handler(entry))).collect()
}

/// Returns `true` if the client should deny on this event when the hook cannot be started at all.
///
/// In a file shared with a team, this requires the author's request, because a fresh clone of the project has no
/// binaries.
pub(crate) fn blocks_unstarted(hook: &Definition, entry: &OnEvent<String>, place: &Place) -> bool {
    if place.is_committed() {
        return entry.blocks_in_settings;
    }
    entries::blocks_unstarted(&hook.declared, entry)
}
