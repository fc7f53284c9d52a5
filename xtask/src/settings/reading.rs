//! The hooks in a text and their positions, including hooks that the client does not read.

use std::ops::Range;
use std::sync::Arc;

use crate::disk::bounded;
use crate::settings::document::Document;
use crate::settings::finding::{Finding, Ignored};
use crate::settings::part::Part;
use crate::settings::position::{Places, Position};
use crate::settings::value::{Member, Value};

/// The hooks and the other keys in a text.
pub(crate) struct Reading {
    /// Hooks in text order, at most [`bounded::HOOKS`].
    pub(crate) handlers: Vec<ReadHandler>,
    /// Number of hooks that are left out.
    pub(crate) left_out: usize,
    pub(crate) findings: Vec<Finding>,
    /// All top-level keys except `hooks`, in text order. A repeated key occurs twice.
    pub(crate) keys: Vec<Key>,
}

/// A top-level key of a text.
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) value: serde_json::Value,
    pub(crate) place: Position,
}

/// A hook in a text.
pub(crate) struct ReadHandler {
    pub(crate) place: Position,
    pub(crate) event: String,
    pub(crate) matcher: Option<String>,
    /// Values of the hook. `null` if it is not an object.
    pub(crate) values: serde_json::Value,
    /// Byte range of the hook.
    pub(crate) range: Range<usize>,
    /// Byte range of the matcher with its hooks.
    pub(crate) group: Range<usize>,
    /// Keys next to `hooks` that the client does not read.
    pub(crate) unread: Arc<[String]>,
    /// The reason why the client does not read the hook: a mistake in it or around it.
    pub(crate) lost: Option<Finding>,
}

/// Keys of an object with a matcher and its hooks.
pub(crate) const GROUP_KEYS: [&str; 2] = ["matcher", "hooks"];

/// Reads a text like the client.
pub(crate) fn read(document: &Document, part: &Part<'_>) -> Reading {
    let text = document.text();
    let findings = document.findings_of(part);
    let maps = part.maps(document).into_iter().filter_map(Value::as_object);
    let is_whole = |finding: &&Finding| finding.is_of_file() || finding.ignored == Ignored::Hooks;
    let mut reader = Reader {
        whole: findings.iter().find(is_whole),
        findings: &findings,
        places: Places::new(text),
        handlers: Vec::new(),
        left_out: 0,
    };
    for member in maps.flat_map(|map| &map.members) {
        reader.of_event(member);
    }
    let (handlers, left_out) = (reader.handlers, reader.left_out);
    let mut places = Places::new(text);
    let keys = document.root.members.iter().filter(|member| member.name != "hooks").map(|member| Key {
        name: member.name.clone(),
        value: member.value.plain(),
        place: places.of(member.name_range.start),
    });
    Reading { handlers, left_out, keys: keys.collect(), findings }
}

struct Reader<'f> {
    /// The first finding that makes the client ignore all hooks.
    whole: Option<&'f Finding>,
    /// Findings in text order.
    findings: &'f [Finding],
    places: Places<'f>,
    handlers: Vec<ReadHandler>,
    left_out: usize,
}

impl<'f> Reader<'f> {
    fn of_event(&mut self, member: &Member) {
        // The client skips a hook because of a mistake in it or around it.
        let whole = self.whole;
        let of_event = self.first(&member.range(), Ignored::Event);
        for group in member.value.elements() {
            let Some(object) = group.as_object() else { continue };
            let Some(list) = object.get("hooks").and_then(Value::as_list) else {
                continue;
            };
            let left = bounded::HOOKS.saturating_sub(self.handlers.len());
            self.left_out += list.elements.len().saturating_sub(left);
            if left == 0 {
                continue;
            }
            let matcher = object.text("matcher");
            let unread: Arc<[String]> = object
                .members
                .iter()
                .map(|member| &member.name)
                .filter(|name| !GROUP_KEYS.contains(&name.as_str()))
                .cloned()
                .collect();
            let bytes = group.range();
            let of_group = self.first(&bytes, Ignored::Group);
            for handler in list.elements.iter().take(left) {
                let range = handler.range();
                let of_itself = self.first(&range, Ignored::Handler);
                let lost = [whole, of_event, of_group, of_itself]
                    .into_iter()
                    .flatten()
                    .min_by_key(|finding| finding.range.start)
                    .cloned();
                self.handlers.push(ReadHandler {
                    place: self.places.of(range.start),
                    event: member.name.clone(),
                    matcher: matcher.map(str::to_owned),
                    values: match handler {
                        Value::Object(object) => object.plain(),
                        _ => serde_json::Value::Null,
                    },
                    lost,
                    range,
                    group: bytes.clone(),
                    unread: Arc::clone(&unread),
                });
            }
        }
    }

    /// Returns the first finding within these bytes that makes the client ignore this part.
    fn first(&self, within: &Range<usize>, ignored: Ignored) -> Option<&'f Finding> {
        let from = self.findings.partition_point(|finding| finding.range.start < within.start);
        self.findings[from..]
            .iter()
            .take_while(|finding| finding.range.start < within.end)
            .find(|finding| finding.ignored == ignored && finding.range.end <= within.end)
    }
}
