//! Finds hooks that change the same calls without seeing each other's changes.

use hookkit_protocol::hook::OnEvent;
use serde::Serialize;

use crate::binaries::definition::{Definition, names};
use crate::commands::prelude::*;
use crate::diagnose::rules::interplay::{Overlaps, replaced};

/// Hooks on one event that can change the same calls. Claude Code uses only one hook's change.
#[derive(Serialize)]
pub(super) struct Competing<'h> {
    event: &'h str,
    hooks: Vec<&'h str>,
    /// The suggested order of these hooks, as a line of Cargo.toml.
    #[serde(skip)]
    order: String,
}

impl<'h> Competing<'h> {
    /// Finds the competing hooks among the installed ones.
    pub(super) fn among(hooks: &'h [Definition]) -> Vec<Self> {
        let mut of_events: BTreeMap<&str, Vec<(&Definition, &OnEvent<String>)>> = BTreeMap::new();
        for hook in hooks {
            for entry in hook.entries.iter().filter(|entry| entry.rewrites) {
                of_events.entry(&entry.event).or_default().push((hook, entry));
            }
        }
        let found = of_events.into_iter().map(|(event, rewriting)| {
            let mut overlaps = Overlaps::default();
            let mut competing = BTreeSet::new();
            for (number, (hook, entry)) in rewriting.iter().enumerate() {
                for (other, (other_hook, of_other)) in rewriting.iter().enumerate().skip(number + 1) {
                    // Different conditions are not intersected.
                    let may_meet = hook.declared.condition == other_hook.declared.condition;
                    let matchers = [entry.matcher.as_deref(), of_other.matcher.as_deref()];
                    let meet = entry.facts().is_some_and(|facts| overlaps.meet(facts, matchers));
                    if may_meet && meet {
                        competing.extend([number, other]);
                    }
                }
            }
            let hooks: Vec<&Definition> = competing.into_iter().map(|number| rewriting[number].0).collect();
            Self::new(event, &hooks)
        });
        found.filter(|competing| !competing.hooks.is_empty()).collect()
    }

    fn new(event: &'h str, hooks: &[&'h Definition]) -> Self {
        let order = hooks.iter().find(|hook| !hook.members.is_empty());
        let name = order.map_or("NAME", |order| &order.declared.name);
        let members = hooks.iter().flat_map(|hook| match &hook.members[..] {
            [] => std::slice::from_ref(*hook),
            members => members,
        });
        let members: Vec<&str> = names(members).collect();
        Self { event, hooks: names(hooks.iter().copied()).collect(), order: format!("{name} = {members:?}") }
    }

    /// Returns the note about these hooks.
    pub(super) fn text(&self) -> String {
        let event = hookkit_protocol::event::event(self.event);
        let (part, winner) = event.map_or(("input", "ends last"), replaced);
        format!(
            "These can change the {part} of the same calls on {}, and Claude Code uses the change of the one that {winner}: {}.\n\
             To run them one after the other, in the order that you write: \
             [workspace.metadata.hookkit.orders] {}\n",
            self.event,
            listed(&self.hooks),
            self.order
        )
    }
}
