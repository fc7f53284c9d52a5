//! Finds the parts of a settings file that Claude Code would not read, by applying the rules of
//! `hookkit_protocol::settings` to its text.

mod guards;
pub(crate) mod kinds;

use std::collections::BTreeMap;
use std::ops::Range;

use anyhow::bail;
use hookkit_protocol::settings::{
    Field, KeyKind, MANIFEST_KEYS, MATCHER, SEARCH_DEPTH, STRICT_KEYS, UNSEARCHED_KEYS, handler_type, is_guard,
};
use hookkit_protocol::{event, mods, near, near_event};
use serde_json::json;

use crate::settings::check::guards::{Search, is_group, is_nothing};
use crate::settings::check::kinds::{fits, wanted};
use crate::settings::code::{plugins, reading, sessions};
use crate::settings::document::Document;
use crate::settings::finding::{Finding, Ignored};
use crate::settings::part::Part;
use crate::settings::position::Places;
use crate::settings::value::{Member, Object, Value};

impl Document {
    /// Returns the parts of the settings that Claude Code would not read, in text order.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        self.findings_of(&Part::Settings)
    }

    /// Returns the findings about a text whose hooks are in this part.
    pub(crate) fn findings_of(&self, part: &Part<'_>) -> Vec<Finding> {
        let mut checker = Checker {
            document: self,
            whole: if *part == Part::Settings { Ignored::File } else { Ignored::Plugin },
            findings: Vec::new(),
            lost: Vec::new(),
            omitted: 0,
        };
        match part {
            Part::Settings => checker.settings(),
            Part::PluginHooks => checker.plugin_hooks(),
            Part::Manifest => checker.manifest(),
            // Whether the marketplace can be read is checked when the plugin is looked up in it.
            Part::Offer(_) => part.maps(self).into_iter().for_each(|map| checker.hooks(map)),
        }
        let mut findings = checker.findings;
        if let Some(last) = findings.last().filter(|_| checker.omitted > 0) {
            let more = reading::too_many_mistakes(checker.omitted).ignoring(last.ignored);
            let range = last.range.clone();
            findings.push(Finding { range, ..more });
        }
        findings.sort_by_key(|finding| finding.range.start);
        let mut places = Places::new(self.text());
        for finding in &mut findings {
            finding.place = Some(places.of(finding.range.start));
        }
        findings
    }
}

/// Maximum number of findings per kind to list individually.
const LISTED: usize = 10;

/// Describes findings in words. If there are many of one kind, describes only the first ones.
pub(crate) fn listed(findings: &[Finding]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut message = Vec::new();
    for finding in findings {
        let count = counts.entry(&finding.what).or_default();
        *count += 1;
        if *count <= LISTED {
            message.push(finding.to_string());
        }
    }
    let more = counts.into_iter().filter(|(_, count)| *count > LISTED);
    message.extend(more.map(|(what, count)| format!("{} more like those: {what}", count - LISTED)));
    message
}

struct Checker<'d> {
    document: &'d Document,
    /// The part that is ignored if a guard in it cannot be read.
    whole: Ignored,
    findings: Vec<Finding>,
    /// Each scope that has findings.
    lost: Vec<Ignored>,
    /// The number of dropped findings.
    omitted: usize,
}

/// Maximum number of findings per file, because a hostile file can have millions. The first finding in each scope is
/// always kept.
const KEPT: usize = 10_000;

impl<'d> Checker<'d> {
    fn find(&mut self, range: Range<usize>, ignored: Ignored, finding: Finding) {
        if self.findings.len() >= KEPT && self.lost.contains(&ignored) {
            self.omitted += 1;
            return;
        }
        if !self.lost.contains(&ignored) {
            self.lost.push(ignored);
        }
        let finding = finding.ignoring(ignored);
        self.findings.push(Finding { range, ..finding });
    }

    /// Reports text that is not JSON. `ignored` is the effect.
    fn leniencies(&mut self, ignored: Ignored) {
        for range in &self.document.leniencies {
            let is_comma = self.document.text[range.clone()] == *",";
            let finding = if is_comma { reading::trailing_comma() } else { reading::comment_in_json() };
            self.find(range.clone(), ignored, finding);
        }
    }

    /// Checks a plugin's `hooks/hooks.json`, or a file that its manifest declares in its place.
    ///
    /// After a syntax error, the client ignores only this file. A byte order mark is not an error (client 2.1.330).
    fn plugin_hooks(&mut self) {
        self.leniencies(Ignored::File);
        if self.document.text().starts_with('\u{feff}') {
            self.find(0..0, Ignored::File, plugins::byte_order_mark());
        }
        let root = &self.document.root;
        let modules = root.get(mods::KEY);
        let list = modules.and_then(Value::as_list).map(|list| &list.elements[..]);
        if let Some(modules) = modules
            && !matches!(list, Some([] | [Value::Text(..)]))
        {
            let fix = "write a list with one path, and have that file import the others";
            let finding = reading::invalid_value(mods::KEY, "a list with one path", fix);
            self.find(modules.range(), Ignored::File, finding);
        }
        match root.get("hooks") {
            Some(hooks) => self.hooks(hooks),
            None if list.is_none_or(|list| !list.is_empty()) && modules.is_some() => {}
            None => {
                // An event map without the key around it matters if it contains guards.
                let is_guard = |member: &Member| is_guard(&member.name) && !is_nothing(&member.value);
                let ignored = if root.members.iter().any(is_guard) { self.whole } else { Ignored::File };
                self.find(root.range.clone(), ignored, reading::hooks_without_key());
            }
        }
    }

    /// Checks a plugin's `plugin.json`.
    fn manifest(&mut self) {
        self.leniencies(Ignored::Plugin);
        let root = &self.document.root;
        for field in MANIFEST_KEYS {
            self.field(root, field, "", Ignored::Plugin);
        }
        let is_blank = |name: &&Value| name.as_text().is_some_and(|name| name.contains(char::is_whitespace));
        if let Some(name) = root.get("name").filter(is_blank) {
            self.find(name.range(), Ignored::Plugin, plugins::invalid_plugin_name());
        }
        for part in root.all("hooks") {
            match part {
                Value::Text(path, _) if is_plugin_path(path) => {}
                Value::Object(_) => self.hooks(part),
                _ => self.find(part.range(), Ignored::Plugin, plugins::invalid_plugin_hooks()),
            }
        }
    }

    fn settings(&mut self) {
        self.leniencies(Ignored::File);
        let root = &self.document.root;
        for field in STRICT_KEYS {
            self.field(root, field, "", Ignored::File);
        }
        for member in &root.members {
            self.search_key(member);
        }
        if let Some(off @ Value::Flag(true, _)) = root.get("disableAllHooks") {
            self.find(off.range(), Ignored::EveryHook, sessions::all_hooks_disabled());
        }
        if let Some(hooks) = root.get("hooks") {
            for member in root.members.iter().rev().filter(|member| member.name == "hooks").skip(1) {
                self.find(member.range(), Ignored::Event, reading::defined_again("hooks"));
            }
            self.hooks(hooks);
        }
    }

    /// Checks a key other than `hooks`, which may contain guards that the client does not use there.
    fn search_key(&mut self, member: &Member) {
        let name = member.name.as_str();
        if name == "hooks" {
            return;
        }
        let search = Search { counts_groups: event::event(name).is_none(), skips: UNSEARCHED_KEYS };
        let is_guard = is_guard(name) && !is_nothing(&member.value);
        let is_searched = !UNSEARCHED_KEYS.contains(&name);
        if is_guard || is_searched && search.has_guards(&member.value, SEARCH_DEPTH, false) {
            self.find(member.range(), Ignored::File, reading::hooks_elsewhere(name));
        } else if holds_hooks(member) {
            self.find(member.range(), Ignored::Event, reading::hooks_elsewhere(name));
        }
    }

    fn hooks(&mut self, hooks: &'d Value) {
        if let Some(hooks) = hooks.as_object().filter(|_| !is_group(hooks)) {
            let numbered = hooks.members.iter().zip(0..);
            let last: BTreeMap<&str, usize> = numbered.map(|(member, number)| (&*member.name, number)).collect();
            for (number, member) in hooks.members.iter().enumerate() {
                let name = member.name.as_str();
                if last[name] != number {
                    self.find(member.range(), Ignored::Event, reading::defined_again(name));
                    continue;
                }
                self.event(name, member);
            }
            return;
        }
        let is_plugin = self.whole == Ignored::Plugin;
        let ignored = if is_plugin || is_group(hooks) || hooks.elements().iter().any(is_group) {
            self.whole
        } else {
            Ignored::Hooks
        };
        self.find(hooks.range(), ignored, reading::hooks_not_an_object());
    }

    fn event(&mut self, name: &str, member: &'d Member) {
        let value = &member.value;
        let known = event::event(name);
        let is_list = value.as_list().is_some();
        let search = Search { counts_groups: known.is_none() && !is_list, skips: &[] };
        let is_lost_guard = is_guard(name) && !is_list && !value.is_null();
        let ignored = if is_lost_guard || (known.is_none() || !is_list) && search.has_guards(value, SEARCH_DEPTH, false)
        {
            self.whole
        } else {
            Ignored::Event
        };
        if known.is_none() {
            // The others are only counted.
            let near = if self.findings.len() < KEPT { near_event(name) } else { None };
            let fix = match near.filter(|_| name.starts_with(char::is_alphabetic)) {
                Some(near) if near.eq_ignore_ascii_case(name) => format!("write `{near}`"),
                Some(near) => format!("did you mean `{near}`?"),
                None => "remove it, or write the intended event".to_owned(),
            };
            return self.find(member.name_range.clone(), ignored, reading::unknown_event(name, fix));
        }
        let Some(groups) = value.as_list() else {
            return self.find(value.range(), ignored, reading::event_not_a_list(name, as_list(value)));
        };
        for group in &groups.elements {
            self.group(name, group);
        }
    }

    fn group(&mut self, event: &str, group: &'d Value) {
        let whole = self.whole;
        let lost = |ignored: Ignored| if is_guard(event) { whole } else { ignored };
        let search = Search { counts_groups: false, skips: &[] };
        if search.has_guards(group, SEARCH_DEPTH, false) {
            return self.find(group.range(), whole, reading::hooks_as_matcher());
        }
        let Some(object) = group.as_object() else {
            let finding = reading::malformed_matcher(GROUP, "a matcher with its hooks should be an object");
            return self.find(group.range(), lost(Ignored::Group), finding);
        };
        let Some(handlers) = object.get("hooks").and_then(Value::as_list) else {
            let is_flat = object.get("type").is_some() || object.get("command").is_some();
            let what = match object.get("hooks") {
                Some(_) => "`hooks` is not a list here",
                None if is_flat => "expected a list of hooks, found a hook",
                None => "`hooks` is missing here",
            };
            let meant = as_groups(object).unwrap_or_else(|| GROUP.to_owned());
            return self.find(group.range(), lost(Ignored::Group), reading::malformed_matcher(meant, what));
        };
        self.field(object, &MATCHER, "", lost(Ignored::Group));
        for handler in &handlers.elements {
            self.handler(handler, lost(Ignored::Handler));
        }
    }

    fn handler(&mut self, handler: &'d Value, ignored: Ignored) {
        let Some(object) = handler.as_object() else {
            return self.find(handler.range(), ignored, reading::malformed_hook());
        };
        let Some(r#type) = object.get("type") else {
            return self.find(handler.range(), ignored, reading::hook_without_type());
        };
        let Some(known) = r#type.as_text().and_then(handler_type) else {
            return self.find(r#type.range(), ignored, reading::unknown_hook_type());
        };
        for field in known.fields() {
            self.field(object, field, "", ignored);
        }
    }

    /// Checks a key of an object, whose value may have the wrong type.
    fn field(&mut self, object: &'d Object, field: &Field, path: &str, ignored: Ignored) {
        let name = field.name;
        match object.get(name) {
            None if field.is_required => {
                let finding = reading::missing_key(format!("{path}{name}"), wanted(field.kind));
                self.find(object.range.clone(), ignored, finding);
            }
            None => {}
            Some(value) => {
                if let (KeyKind::Object(fields), Some(object)) = (field.kind, value.as_object()) {
                    for field in fields {
                        self.field(object, field, &format!("{path}{name}."), ignored);
                    }
                } else if !fits(value, field.kind) {
                    let fix = if field.is_required || !value.is_null() {
                        "write one"
                    } else {
                        "write one, or remove the key"
                    };
                    let finding = reading::invalid_value(format!("{path}{name}"), wanted(field.kind), fix);
                    self.find(value.range(), ignored, finding);
                }
            }
        }
    }
}

/// Returns `true` for hooks that are not below `hooks`: an event, or a misspelled `hooks`. Below other keys, such as
/// `_hooks`, people keep disabled hooks.
fn holds_hooks(member: &Member) -> bool {
    let is_event =
        |member: &Member| event::event(&member.name).is_some() && member.value.elements().iter().any(is_group);
    let is_misspelt = || member.name.starts_with(char::is_alphabetic) && near(&member.name, ["hooks"]).is_some();
    let has_events = || member.value.as_object().is_some_and(|events| events.members.iter().any(is_event));
    is_event(member) || is_misspelt() && has_events()
}

/// Returns `true` if the client reads a string as the path of a plugin's file (2.1.330).
fn is_plugin_path(text: &str) -> bool {
    text.starts_with("./") && text.to_ascii_lowercase().ends_with(".json")
}

/// A matcher with its hooks, in the form that the client reads.
const GROUP: &str = r#"{ "matcher": …, "hooks": [ { "type": "command", … } ] }"#;

/// Returns the edit that turns an event's value into a list.
fn as_list(value: &Value) -> String {
    let object = value.as_object();
    if object.is_some_and(|object| object.get("hooks").is_some_and(|hooks| hooks.as_list().is_some())) {
        return "wrap it in a list, `[ … ]`".to_owned();
    }
    let groups = object.and_then(as_groups).unwrap_or_else(|| GROUP.to_owned());
    format!("write `[ {groups} ]`")
}

/// Converts an object with matchers as keys and commands as values into the intended groups.
fn as_groups(object: &Object) -> Option<String> {
    let is_key = |name: &str| ["command", "hooks", "matcher", "type"].contains(&name);
    let groups = object.members.iter().map(|member| {
        let (matcher, command) = (json!(member.name), json!(member.value.as_text()?));
        Some(format!(r#"{{ "matcher": {matcher}, "hooks": [ {{ "type": "command", "command": {command} }} ] }}"#))
    });
    let is_meant = !object.members.is_empty() && !object.members.iter().any(|member| is_key(&member.name));
    is_meant.then(|| groups.collect::<Option<Vec<_>>>())?.map(|groups| groups.join(", "))
}

/// Checks that a bug in an edit has not damaged the file: the result must have no new findings.
pub(crate) fn ensure_no_new_findings(before: &Document, after: &Document) -> anyhow::Result<()> {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for found in before.findings() {
        *known.entry(found.what).or_default() += 1;
    }
    for found in after.findings() {
        match known.get_mut(&found.what) {
            Some(count) if *count > 0 => *count -= 1,
            _ => bail!("hookkit made an entry that Claude Code would not read ({}); nothing was written", found),
        }
    }
    Ok(())
}
