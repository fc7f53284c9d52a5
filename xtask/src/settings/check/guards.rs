//! Searches for misplaced guards, by the client's own rules.

use hookkit_protocol::event;
use hookkit_protocol::settings::GUARDS;

use crate::settings::value::Value;

/// A search by the client's own rules.
#[derive(Clone, Copy)]
pub(super) struct Search {
    /// `true` below a key that is not an event: there, a matcher with its hooks also counts.
    pub(super) counts_groups: bool,
    pub(super) skips: &'static [&'static str],
}

impl Search {
    pub(super) fn has_guards(self, value: &Value, depth: usize, is_in_hooks: bool) -> bool {
        if holds_guard(value) || self.counts_groups && is_group(value) {
            return true;
        }
        if depth == 0 {
            return false;
        }
        match value {
            Value::List(list) => list.elements.iter().any(|value| self.has_guards(value, depth - 1, is_in_hooks)),
            Value::Object(object) => {
                if is_in_hooks && object.text("type").is_some() {
                    return false;
                }
                object.members.iter().any(|member| {
                    let name = member.name.as_str();
                    let below = Self { counts_groups: self.counts_groups && event::event(name).is_none(), ..self };
                    let is_in_hooks = name == "hooks" && member.value.as_list().is_some();
                    !self.skips.contains(&name) && below.has_guards(&member.value, depth - 1, is_in_hooks)
                })
            }
            _ => false,
        }
    }
}

fn holds_guard(value: &Value) -> bool {
    let object = value.as_object();
    object.is_some_and(|object| {
        let held = GUARDS.iter().filter_map(|guard| object.get(guard));
        held.into_iter().any(|held| !is_nothing(held))
    })
}

pub(super) fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_list().is_some_and(|list| list.elements.is_empty())
}

/// Returns `true` if the client would read a value as a matcher with its hooks.
pub(super) fn is_group(value: &Value) -> bool {
    let Some(object) = value.as_object() else {
        return false;
    };
    let has_matcher = object.get("matcher").is_some();
    let has_event = object.members.iter().any(|member| event::event(&member.name).is_some());
    if !has_matcher && has_event {
        return false;
    }
    match object.get("hooks") {
        Some(Value::List(list)) => !list.elements.is_empty(),
        Some(Value::Object(handler)) => has_matcher || handler.text("type").is_some(),
        _ => false,
    }
}
