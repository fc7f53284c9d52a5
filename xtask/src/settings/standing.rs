//! The hooks that stand in a text, each with its place, whether the client reads it or not.

use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::check::{Finding, Loss, findings_in};
use super::document::{Document, Masked, Position, Refusal};
use super::{last_member, plain};

/// Which part of a text holds hooks, and by which rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part<'p> {
    /// `hooks` of a settings file.
    Settings,
    /// `hooks` of a plugin's `hooks/hooks.json`, or of a file in its place.
    PluginHooks,
    /// What stands as events in `hooks` of a plugin's `plugin.json`.
    Manifest,
    /// The same in the entry of a `marketplace.json` for this plugin.
    Offer(&'p str),
}

/// What a text says, as far as hooks are concerned.
#[derive(Debug)]
pub(crate) struct Reading {
    /// In the order of the text.
    pub(crate) handlers: Vec<Standing>,
    pub(crate) findings: Vec<Finding>,
    /// All keys at the top but `hooks`, in the order of the text; of one that stands twice both.
    pub(crate) keys: Vec<Key>,
}

/// A key at the top of a text.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) value: serde_json::Value,
    pub(crate) place: Position,
}

/// A hook that stands in a text.
#[derive(Debug, Clone)]
pub(crate) struct Standing {
    pub(crate) place: Position,
    pub(crate) event: String,
    pub(crate) matcher: Option<String>,
    /// What the hook is to be; `null` where it is no object.
    pub(crate) values: serde_json::Value,
    /// Its bytes.
    pub(crate) range: Range<usize>,
    /// The bytes of the matcher with its hooks.
    pub(crate) group: Range<usize>,
    /// Why the client does not read it, be it for its own sake or for that of what it stands in.
    pub(crate) lost: Option<Finding>,
}

/// Reads a text as the client does.
///
/// # Errors
///
/// Where the text is nothing that we could look into. Claude Code drops such a file, too.
pub(crate) fn read(text: &str, part: &Part<'_>) -> Result<Reading, Refusal> {
    let masked = Masked::new(text);
    let document = masked.parse()?;
    let findings = findings_in(&document, part);
    let maps = part.maps(&document).into_iter().filter_map(Value::as_object);
    let mut handlers = Vec::new();
    for member in maps.flat_map(|map| &map.properties) {
        of_event(&document, member, &findings, &mut handlers);
    }
    let keys = document.root.properties.iter();
    let keys = keys.filter(|member| member.name.as_str() != "hooks").map(|member| Key {
        name: member.name.as_str().to_owned(),
        value: plain(&member.value),
        place: Position::of(text, member.start()),
    });
    Ok(Reading {
        handlers,
        keys: keys.collect(),
        findings,
    })
}

impl Part<'_> {
    /// The values that should hold events with their hooks.
    pub(super) fn maps<'d, 'a>(&self, document: &'d Document<'a>) -> Vec<&'d Value<'a>> {
        let root = &document.root;
        match self {
            Self::Settings | Self::PluginHooks => last_member(root, "hooks").into_iter().collect(),
            Self::Manifest => inline(root),
            Self::Offer(plugin) => offer(root, plugin).map_or_else(Vec::new, inline),
        }
    }
}

/// What stands as events in `hooks`, where paths of files can stand, too.
fn inline<'d, 'a>(object: &'d Object<'a>) -> Vec<&'d Value<'a>> {
    let maps = match last_member(object, "hooks") {
        Some(Value::Array(list)) => list.elements.iter().collect(),
        Some(hooks) => vec![hooks],
        None => Vec::new(),
    };
    maps.into_iter().filter(|map| map.as_object().is_some()).collect()
}

/// A marketplace's entry for a plugin.
fn offer<'d, 'a>(root: &'d Object<'a>, plugin: &str) -> Option<&'d Object<'a>> {
    let offers = last_member(root, "plugins")?.as_array()?;
    let mut offers = offers.elements.iter().filter_map(Value::as_object);
    offers.find(|offer| {
        let name = last_member(offer, "name").and_then(Value::as_string_lit);
        name.is_some_and(|name| name.value == plugin)
    })
}

fn of_event(document: &Document<'_>, member: &ObjectProp<'_>, findings: &[Finding], handlers: &mut Vec<Standing>) {
    let groups = member.value.as_array().into_iter().flat_map(|list| &list.elements);
    for group in groups {
        let Some(object) = group.as_object() else { continue };
        let Some(list) = last_member(object, "hooks").and_then(Value::as_array) else {
            continue;
        };
        let matcher = last_member(object, "matcher").and_then(Value::as_string_lit);
        for handler in &list.elements {
            let regions = Regions {
                event: member.start()..member.end(),
                group: group.start()..group.end(),
                handler: handler.start()..handler.end(),
            };
            handlers.push(Standing {
                place: Position::of(document.text, handler.start()),
                event: member.name.as_str().to_owned(),
                matcher: matcher.map(|matcher| matcher.value.clone().into_owned()),
                values: match handler {
                    Value::Object(_) => plain(handler),
                    _ => serde_json::Value::Null,
                },
                lost: findings.iter().find(|finding| regions.are_lost_by(finding)).cloned(),
                range: regions.handler,
                group: regions.group,
            });
        }
    }
}

/// The bytes of a hook and of what it stands in.
struct Regions {
    event: Range<usize>,
    group: Range<usize>,
    handler: Range<usize>,
}

impl Regions {
    /// Whether the client reads past the hook because of a mistake.
    fn are_lost_by(&self, finding: &Finding) -> bool {
        let holds = |region: &Range<usize>| region.start <= finding.range.start && finding.range.end <= region.end;
        match finding.loss {
            Loss::File | Loss::Plugin | Loss::Hooks => true,
            Loss::Event => holds(&self.event),
            Loss::Group => holds(&self.group),
            Loss::Handler => holds(&self.handler),
            // Whether that counts is for all files together to say.
            Loss::EveryHook => false,
        }
    }
}
