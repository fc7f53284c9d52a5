//! Notes about the installed hooks: where they run, and what the user can do next.

use hookkit_protocol::hook::OnEvent;
use hookkit_protocol::settings::MANAGED_FOLDER;

use crate::agents::limits;
use crate::binaries::definition::{Definition, names};
use crate::commands::prelude::*;
use crate::diagnose::active::session::Session;
use crate::diagnose::copies::Copies;
use crate::diagnose::rules::interplay::{Overlaps, replaced};
use crate::settings::place::{Place, PlaceKind};
use crate::settings::scope::Target;
use crate::settings::site::Site;
use crate::settings::{installed, scope, start};

/// Returns notes about the installed hooks.
pub(super) fn notes(hooks: &[Definition], site: &Site) -> String {
    let place = &site.state.place;
    if let Some(agent) = place.agent() {
        return limits::notes(agent);
    }
    let mut text = "\n".to_owned();
    if !place.is_staged() {
        text += "Claude Code runs them from now on, in sessions that are already open, too.\n";
    }
    let those =
        |is: &dyn Fn(&Definition) -> bool| -> Vec<&str> { names(hooks.iter().filter(|hook| is(hook))).collect() };
    match &place.kind {
        PlaceKind::Project(_) => {
            let of_folders = if site.folders.within.packages.is_empty() { "" } else { " and those of the folders" };
            text += &format!(
                "To share them, commit settings.json{of_folders}, hookkit.toml, hookkit.lock and hookkit.sh; in each clone of the project, `sync` installs them.\n"
            );
            let blocking =
                those(&|hook| hook.entries.iter().any(|entry| installed::blocks_unstarted(hook, entry, place)));
            if !blocking.is_empty() {
                text += &format!(
                    "Until then, Claude Code blocks the calls there that these hooks check: {}.\n",
                    listed(blocking)
                );
            }
        }
        PlaceKind::Local(root) => {
            text += "These settings are only for you: make sure that git ignores settings.local.json.\n";
            text += &reached(root, site.outer.is_some());
        }
        PlaceKind::User => {
            text += "They are for this home folder: if these settings are used with another one (a container, dotfiles),\n\
                     the programs are missing, and guards block each call. Run `install` there, too.\n";
        }
        PlaceKind::Folder { .. } | PlaceKind::Agent { .. } => {}
        PlaceKind::Managed(root) => {
            text += "Users cannot turn them off, but `disableAllHooks` in the organization's own settings can.\n";
            text += &match root == Path::new("/") {
                true => "To see that they are active: cargo xtask list, in a project.\n".to_owned(),
                false => copied(root),
            };
        }
        PlaceKind::Other => text += "Sessions run them if they are started with this file: claude --settings FILE.\n",
    }
    if let (Some(root), Some(repository)) = (place.project(), &site.outer) {
        text += &format!(
            "{} is within the repository {}: only sessions started in this project run them.\n",
            root.display(),
            repository.display()
        );
    }
    for (other, named) in &site.others {
        let twice = those(&|hook| named.contains(&hook.declared.name));
        if !twice.is_empty() {
            text += &format!(
                "These run twice, since {other} has them, too: {}.\nTo remove them there: cargo xtask uninstall{}\n",
                listed(twice),
                scope::options(other)
            );
        }
    }
    text
}

/// Describes the sessions that run the hooks. Empty if these are just the sessions in the root. A folder within a
/// repository has its own note.
fn reached(root: &Path, is_within: bool) -> String {
    let home = scope::home();
    if start::reaches_others(root, home.as_deref()) {
        return "Sessions in all folders and linked worktrees of the repository run them.\n".to_owned();
    }
    let main = start::outer(root, home.as_deref()).filter(|_| !is_within);
    main.map_or_else(String::new, |main| {
        let (root, typed) = (root.display(), quoted(main.display()));
        format!(
            "{root} is a linked worktree: only sessions started in it run them.\n\
             For sessions in all folders and worktrees of the repository: --project {typed}\n"
        )
    })
}

/// Describes the remaining step for the files in a package.
pub(crate) fn copied(root: &Path) -> String {
    format!(
        "Copy {}{MANAGED_FOLDER} to {MANAGED_FOLDER} of each machine, owned by root, with its modes.\n",
        root.display()
    )
}

/// Returns the installed hooks that a plugin of the same session also has: lines of text, each with the command that
/// removes one of the two, and values for JSON.
pub(super) fn twice(place: &Place, target: &Target) -> Result<(String, Vec<Value>)> {
    let (mut values, mut said) = (Vec::new(), BTreeMap::<String, BTreeSet<&str>>::new());
    if place.agent().is_some() {
        return Ok(Default::default());
    }
    let folders = target.folders()?;
    let session = Session::of(&folders);
    let copies = Copies::in_session(&session, folders.project.as_deref());
    for (name, other) in copies.with(&session, place.settings()) {
        said.entry(other.plugin(&session)).or_default().insert(name);
        let mut value = other.value();
        value["name"] = json!(name);
        values.push(value);
    }
    let lines = said.into_iter().map(|(other, names)| format!("Runs twice: {}; {other}\n", listed(names)));
    Ok((lines.collect(), values))
}

/// Finds hooks that change the same calls without seeing each other's changes: Claude Code uses only one hook's change.
/// Returns values for JSON, and text with the line of Cargo.toml that orders them.
pub(super) fn competing(hooks: &[Definition]) -> (Vec<Value>, String) {
    let mut of_events: BTreeMap<&str, Vec<(&Definition, &OnEvent<String>)>> = BTreeMap::new();
    for hook in hooks {
        for entry in hook.entries.iter().filter(|entry| entry.rewrites) {
            of_events.entry(&entry.event).or_default().push((hook, entry));
        }
    }
    let (mut values, mut text) = (Vec::new(), String::new());
    for (event, rewriting) in of_events {
        let Some(facts) = hookkit_protocol::event::event(event) else { continue };
        let (mut overlaps, mut competing) = (Overlaps::default(), BTreeSet::new());
        for (number, (hook, entry)) in rewriting.iter().enumerate() {
            for (other, (other_hook, of_other)) in rewriting.iter().enumerate().skip(number + 1) {
                // Different conditions are not intersected.
                let may_meet = hook.declared.condition == other_hook.declared.condition;
                if may_meet && overlaps.meet(facts, [entry.matcher.as_deref(), of_other.matcher.as_deref()]) {
                    competing.extend([number, other]);
                }
            }
        }
        if competing.is_empty() {
            continue;
        }
        let competing = || competing.iter().map(|number| rewriting[*number].0);
        let order = competing().find(|hook| !hook.members.is_empty());
        let order = order.map_or("NAME", |order| &order.declared.name);
        let members = competing().flat_map(|hook| match &hook.members[..] {
            [] => std::slice::from_ref(hook),
            members => members,
        });
        let (hooks, members) = (names(competing()).collect::<Vec<_>>(), names(members).collect::<Vec<_>>());
        let (part, winner) = replaced(facts);
        text += &format!(
            "These can change the {part} of the same calls on {event}, and Claude Code uses the change of the one that {winner}: {}.\n\
             To run them one after the other, in the order that you write: \
             [workspace.metadata.hookkit.orders] {order} = {members:?}\n",
            listed(&hooks)
        );
        values.push(json!({"event": event, "hooks": hooks}));
    }
    (values, text)
}
