//! Checks that the agents named by a hook can honor it.

use hookkit_protocol::agents::{AGENTS, Agent};
use hookkit_protocol::event::Event;
use hookkit_protocol::hook::{self, Mode};
use hookkit_protocol::lint::{Unfit, or_list, unfit_entry, unfit_hook, unfit_policy};
use hookkit_protocol::near;
use proc_macro2::Span;
use syn::Ident;

use crate::attr::{Attr, Text};
use crate::faults::Faults;
use crate::options::{Requirement, What};

/// The id of Claude Code, for which every hook is written.
const CLAUDE: &str = "claude";

/// Checks the option `agents`, and everything that these agents must honor.
pub(crate) fn check(attr: &Attr, events: &[(&Ident, &'static Event)], faults: &mut Faults) {
    let Some(Text(literal)) = &attr.agents else { return };
    let (text, span) = (literal.value(), literal.span());
    for id in text.split('|').filter(|id| *id != CLAUDE) {
        let Some(agent) = Agent::of_id(id) else {
            let ids: Vec<&str> = [CLAUDE].into_iter().chain(AGENTS.iter().map(|agent| agent.id)).collect();
            if id.contains([',', ' ']) {
                let list: Vec<&str> = text.split(['|', ',', ' ']).filter(|id| !id.is_empty()).collect();
                return faults
                    .add(span, format_args!("agents are joined by `|` alone: write `\"{}\"`", list.join("|")));
            }
            // As in `claude-code`, `gemini-cli`.
            let product = ids.iter().find(|known| id.split('-').next() == Some(known)).copied();
            let hint = match product.or_else(|| near(id, ids.iter().copied())) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("there are {}", or_list(&ids, "and")),
            };
            return faults.add(span, format_args!("there is no agent `{id}`; {hint}"));
        };
        let mut add = |at: Option<Span>, why: &str| {
            let fix = format!("remove this, or `{id}` from `agents`");
            faults.add(at.unwrap_or(span), format_args!("{why}; {fix}"));
        };
        let mode = if attr.async_rewake.is_some() { Mode::AsyncRewake } else { Mode::Awaited };
        if let Some((unfit, why)) = unfit_hook(agent, attr.condition.is_some(), mode) {
            let condition = attr.condition.as_ref().map(|condition| condition.literal.span());
            add(if unfit == Unfit::Mode { attr.async_rewake } else { condition }, &why);
        }
        if let Some(policy) = &attr.on_failure
            && let Some(why) = unfit_policy(agent, policy.value)
        {
            add(Some(policy.span), &why);
        }
        for (ident, event) in events {
            if let Some((unfit, why)) = unfit_entry(agent, &entry(attr, event, false)) {
                let matcher = attr.matcher.as_ref().map(|matcher| matcher.literal.span());
                add(if unfit == Unfit::Event { Some(ident.span()) } else { matcher }, &why);
            }
        }
    }
    if !text.split('|').any(|id| id == CLAUDE) {
        faults.add(span, format_args!("each hook runs in Claude Code; write `\"{CLAUDE}|{text}\"`"));
    }
}

/// Requires an answer without replacements if one of the named agents does not support them.
pub(crate) fn requirements(attr: &Attr, event: &'static Event) -> Vec<Requirement> {
    let Some(Text(literal)) = &attr.agents else {
        return Vec::new();
    };
    let (text, span) = (literal.value(), literal.span());
    let of_agent = |id: &str| {
        let (unfit, why) = unfit_entry(Agent::of_id(id)?, &entry(attr, event, true))?;
        (unfit == Unfit::Answer).then(|| Requirement {
            what: What::ReplaceNothing,
            span,
            message: format!("{why}; use an answer type without a tool, or remove `{id}`"),
        })
    };
    text.split('|').filter_map(of_agent).collect()
}

/// Returns the declaration of the hook on one of its events.
fn entry(attr: &Attr, event: &Event, rewrites: bool) -> hook::OnEvent<String> {
    hook::OnEvent {
        event: event.name.to_owned(),
        matcher: attr.matcher.as_ref().map(|matcher| matcher.literal.value()),
        blocks_in_settings: false,
        rewrites,
    }
}
