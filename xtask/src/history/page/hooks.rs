//! The hooks of a page: their numbers, and their names.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hookkit_protocol::event;
use serde_json::{Value, json};

use crate::history::name;
use crate::terminal::width::without_middle;

/// The hooks of a page, in the order in which they were first named.
pub(crate) struct Hooks<'p> {
    is_redacted: bool,
    numbers: BTreeMap<Key<'p>, usize>,
    shown: Vec<Hook>,
    /// Numbers in place of commands.
    commands: BTreeMap<Cow<'p, str>, usize>,
}

type Key<'p> = (Cow<'p, str>, Option<Cow<'p, str>>);

/// A hook on an event.
pub(crate) struct Hook {
    pub(crate) event: String,
    pub(crate) name: String,
}

/// Columns of an event, and of a name.
const EVENT: usize = 30;
const NAME: usize = 90;

/// The place of a name that is left out.
const LEFT_OUT: &str = "(left out)";

/// Returns the name of an event for a page. In transcripts and settings it can be any text.
pub(crate) fn event(name: &str, is_redacted: bool) -> &str {
    match is_redacted && event::event(name).is_none() {
        true => LEFT_OUT,
        false => name,
    }
}

/// Returns the subject of an event for a page, such as the name of a tool.
pub(crate) fn subject(name: &str, is_redacted: bool) -> &str {
    match is_redacted && !name.split('|').all(is_plain) {
        true => LEFT_OUT,
        false => name,
    }
}

fn is_plain(name: &str) -> bool {
    name.chars()
        .all(|char| char.is_ascii_alphanumeric() || "-_".contains(char))
}

impl<'p> Hooks<'p> {
    pub(crate) fn new(is_redacted: bool) -> Self {
        Self {
            is_redacted,
            numbers: BTreeMap::new(),
            shown: Vec::new(),
            commands: BTreeMap::new(),
        }
    }

    /// Returns the number of a hook, and whether it is new.
    pub(crate) fn number(&mut self, event: &'p str, command: Option<Cow<'p, str>>) -> (usize, bool) {
        let key = (Cow::Borrowed(event), command);
        if let Some(known) = self.numbers.get(&key) {
            return (*known, false);
        }
        let hook = Hook {
            event: without_middle(self::event(event, self.is_redacted), EVENT),
            name: without_middle(&self.name(key.1.as_ref()), NAME),
        };
        self.shown.push(hook);
        self.numbers.insert(key, self.shown.len() - 1);
        (self.shown.len() - 1, true)
    }

    fn name(&mut self, command: Option<&Cow<'p, str>>) -> String {
        let Some(command) = command.filter(|_| self.is_redacted) else {
            return name::shown(command.map(|command| &**command));
        };
        if let Some(name) = name::of_hookkit(command).filter(|name| is_plain(name)) {
            return name.to_owned();
        }
        let next = self.commands.len() + 1;
        format!("hook {}", self.commands.entry(command.clone()).or_insert(next))
    }

    pub(crate) fn get(&self, number: usize) -> &Hook {
        &self.shown[number]
    }

    /// Returns the names, each once, of the first hooks.
    pub(crate) fn names(&self, most: usize) -> impl Iterator<Item = &str> {
        let names = self.shown.iter().take(most).map(|hook| &*hook.name);
        names.collect::<std::collections::BTreeSet<_>>().into_iter()
    }

    pub(crate) fn events(&self) -> impl Iterator<Item = &str> {
        let events = self.shown.iter().map(|hook| &*hook.event);
        events.collect::<std::collections::BTreeSet<_>>().into_iter()
    }

    /// Returns the data of the script.
    pub(crate) fn data(&self) -> Value {
        self.shown.iter().map(|hook| json!([hook.event, hook.name])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redacted_names_have_nothing_of_the_commands_but_hookkits_own_names() {
        let mut hooks = Hooks::new(true);
        for (event, command, name) in [
            ("Stop", Some("curl -H token example"), "hook 1"),
            ("PreToolUse", Some("curl -H token example"), "hook 1"),
            ("Stop", Some("/home/me/.claude/hookkit/acme/bin/notify"), "notify"),
            ("Stop", Some("/x/hookkit/acme/bin/notify --key token"), "hook 2"),
            ("Stop", Some("token /bin/hookkit token$"), "hook 3"),
            ("Stop", None, "(not recorded)"),
        ] {
            let (number, is_new) = hooks.number(event, command.map(Cow::Borrowed));
            assert!(is_new && hooks.get(number).name == name, "{command:?}");
        }
        assert_eq!(hooks.number("Stop", None), (5, false));
        let (number, _) = hooks.number("curl -H token", None);
        assert_eq!(hooks.get(number).event, LEFT_OUT);
        for (name, shown) in [
            ("mcp__a-b__c", true),
            ("Edit|Write", true),
            ("", true),
            ("/home/me", false),
            ("a b", false),
        ] {
            assert_eq!(subject(name, true) == name, shown, "{name}");
            assert_eq!(subject(name, false), name);
        }
    }
}
