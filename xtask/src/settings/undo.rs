//! Removes hookkit's entries from a settings file.

use std::ops::Range;

use anyhow::Result;
use hookkit_protocol::agents::Form;
use serde_json::Value as Json;

use crate::settings::document::{Document, Masked};
use crate::settings::edit::{Inserted, Made, Piece, Within};
use crate::settings::entries::{HANDLER_KEYS, command, commands, handlers};
use crate::settings::finding::Refusal;
use crate::settings::position::Position;
use crate::settings::reading::GROUP_KEYS;
use crate::settings::style::{self, Container, list, object};
use crate::settings::toml;
use crate::settings::value::{List, Member, Object, Value};

/// A text without hookkit's entries.
pub(crate) struct Removed {
    pub(crate) document: Document,
    /// Sentences about user additions that are removed together with hookkit's entries.
    pub(crate) lost: Vec<String>,
}

/// Removes hookkit's entries: the recorded insertions, and all other entries with one of hookkit's commands.
///
/// `made` are the containers to remove if they are empty.
///
/// # Errors
///
/// Fails with a [refusal](Refusal) if the text cannot be parsed, because entries could then be left in it.
pub(crate) fn remove(
    document: &Document,
    inserted: &Inserted,
    made: &Made,
    is_ours: impl Fn(&str) -> bool,
) -> Result<Removed, Refusal> {
    let mut undone = document.clone();
    // A hook on several events has the same text in each.
    let mut rest: Vec<&Piece> = inserted.0.iter().collect();
    rest.retain(|piece| {
        let within = undone.container(&piece.within);
        match within.and_then(|within| without_piece(&undone, piece, within, 1)) {
            Some(without) => {
                undone = without;
                false
            }
            None => true,
        }
    });
    // If the position is lost, for example because the user renamed `hooks`, the texts are still ours if their number
    // is unchanged. A list's text may be inside that of a whole event.
    rest.sort_by_key(|piece| std::cmp::Reverse(piece.text.len()));
    for (index, piece) in rest.iter().enumerate() {
        let count = rest[index..].iter().filter(|other| other.text == piece.text).count();
        if let Some(without) = without_piece(&undone, piece, 0..undone.text().len(), count) {
            undone = without;
        }
    }
    let written = inserted.groups();
    let removal = |document: &Document| {
        let removal =
            Removal { document, made, written: &written, is_ours: &is_ours, cuts: Vec::new(), lost: Vec::new() };
        let (cuts, lost) = removal.run();
        match document.form {
            Form::Toml => of_tables(document, inserted, &is_ours, lost),
            _ => (cuts, lost),
        }
    };
    let (cuts, _) = removal(&undone);
    // Positions of the user's additions refer to the original text.
    let (_, lost) = removal(document);
    if !cuts.is_empty() {
        let mut text = undone.text().to_owned();
        for range in cuts.into_iter().rev() {
            text.replace_range(range, "");
        }
        undone = Document::of(document.form, &text)?;
    }
    Ok(Removed { document: undone, lost })
}

/// Returns the cuts that remove our tables from TOML, in order, and the user additions that they remove, including
/// comments and subtables.
fn of_tables(
    document: &Document,
    inserted: &Inserted,
    is_ours: &dyn Fn(&str) -> bool,
    mut lost: Vec<String>,
) -> (Vec<Range<usize>>, Vec<String>) {
    let text = document.text();
    let ours = document.all_groups().filter(|(_, group)| commands(group).any(is_ours));
    let mut cuts = Vec::new();
    for tables in ours.filter_map(|(_, group)| toml::tables(text, group.range().start)) {
        let foreign = tables.others.into_iter().filter(|other| !inserted.has(&text[other.clone()]));
        let inner = tables.bodies.iter().skip(1).cloned();
        lost.extend(foreign.chain(inner).map(|range| went(text, range.start, text[range].trim())));
        cuts.extend(tables.bodies.into_iter().map(|Range { start, end }| {
            // The blank line before it.
            let blank = ["\n\n", "\r\n\r\n"].into_iter().find(|blank| text[..start].ends_with(blank));
            start - blank.map_or(0, |blank| blank.len() / 2)..end
        }));
    }
    cuts.sort_by_key(|range| range.start);
    (cuts, lost)
}

/// Returns a sentence saying that a user's text was removed with one of our entries.
fn went(text: &str, at: usize, what: &str) -> String {
    let place = Position::of(text, at);
    format!("{place}: `{what}` was in an entry of hookkit and was removed with it")
}

/// Returns the text without one insertion: the first of exactly `count` equal texts in a range.
fn without_piece(document: &Document, piece: &Piece, within: Range<usize>, count: usize) -> Option<Document> {
    let text = document.text();
    let found: Vec<_> = text[within.clone()].match_indices(&piece.text).collect();
    let &(first, _) = found.first().filter(|_| found.len() == count)?;
    let at = within.start + first;
    let mut without = format!("{}{}", &text[..at], &text[at + piece.text.len()..]);
    // Values and tables that the user added after the last table would become part of the table before it.
    if document.form == Form::Toml && !toml::is_without(&without, text, &piece.text) {
        return None;
    }
    if piece.comma {
        let comma = Masked::new(&without).last_before(at).filter(|&comma| without[comma..].starts_with(','))?;
        without.remove(comma);
    }
    // An element added next to ours may have a comma that is wrong without ours, and a comment after ours could swallow
    // the text after it.
    let without = Document::of(document.form, &without).ok()?;
    document.beyond_json().eq(without.beyond_json()).then_some(without)
}

/// Finds the parts to remove, so that no handler with one of hookkit's commands is left.
struct Removal<'d> {
    document: &'d Document,
    made: &'d Made,
    /// The inserted groups, with their events.
    written: &'d [(String, Json)],
    is_ours: &'d dyn Fn(&str) -> bool,
    cuts: Vec<Range<usize>>,
    lost: Vec<String>,
}

impl<'d> Removal<'d> {
    /// Returns the cuts in order, and the user additions that they remove.
    fn run(mut self) -> (Vec<Range<usize>>, Vec<String>) {
        let root = &self.document.root;
        let goes: Vec<bool> = root
            .members
            .iter()
            .map(|member| match member.value.as_object() {
                Some(hooks) if member.name == "hooks" => self.hooks(member, hooks),
                _ => false,
            })
            .collect();
        self.cut(&object(root), &goes, Some(&Within::Settings));
        self.cuts.sort_by_key(|range| range.start);
        (self.cuts, self.lost)
    }

    /// Returns `true` if `hooks` is removed completely.
    fn hooks(&mut self, member: &Member, hooks: &'d Object) -> bool {
        let goes: Vec<bool> = hooks
            .members
            .iter()
            .map(|event| {
                let list = event.value.as_list();
                list.is_some_and(|list| self.event(event, list))
            })
            .collect();
        let may_go = self.made.hooks && self.is_bare(member);
        self.container(&object(hooks), &goes, may_go, &Within::Hooks)
    }

    fn event(&mut self, event: &'d Member, list: &'d List) -> bool {
        let name = event.name.as_str();
        let goes: Vec<bool> = list.elements.iter().map(|group| self.group(name, group)).collect();
        let may_go = self.made.events.contains(name) && self.is_bare(event);
        self.container(&style::list(list), &goes, may_go, &Within::Event(name.to_owned()))
    }

    /// Returns `true` if there is no comment between a name and its value.
    fn is_bare(&self, member: &Member) -> bool {
        let between = member.name_range.start..member.value.range().start;
        self.document.comments(between).next().is_none()
    }

    fn group(&mut self, event: &str, group: &'d Value) -> bool {
        let Some(handlers) = handlers(group) else { return false };
        let goes: Vec<bool> =
            handlers.elements.iter().map(|handler| command(handler).is_some_and(self.is_ours)).collect();
        let mut written = None;
        for (handler, _) in handlers.elements.iter().zip(&goes).filter(|(_, goes)| **goes) {
            written = self.written(event, handler);
            let comments = self.document.comments(handler.range()).cloned().collect();
            self.lose(handler, &HANDLER_KEYS, written.map(|group| &group["hooks"][0]), comments);
        }
        if goes.is_empty() || goes.contains(&false) {
            self.cut(&list(handlers), &goes, None);
            return false;
        }
        let comments = self.comments_next_to(&list(handlers), &goes, group.range());
        self.lose(group, &GROUP_KEYS, written, comments);
        true
    }

    /// Returns this hook's inserted group.
    fn written(&self, event: &str, handler: &Value) -> Option<&'d Json> {
        let is_it =
            |(of, group): &&(String, Json)| of == event && group["hooks"][0]["command"].as_str() == command(handler);
        self.written.iter().find(is_it).map(|(_, group)| group)
    }

    /// Returns `true` if a container is removed because all its content is removed. If it stays, its elements are cut.
    fn container(&mut self, container: &Container, goes: &[bool], may_go: bool, within: &Within) -> bool {
        let is_empty = !goes.is_empty() && !goes.contains(&false);
        if is_empty && may_go && self.comments_next_to(container, goes, container.range.clone()).is_empty() {
            return true;
        }
        self.cut(container, goes, Some(within));
        false
    }

    /// Records the parts of an entry that hookkit did not write. Their keys and, with a record, their values identify
    /// them.
    fn lose(&mut self, entry: &Value, ours: &[&str], written: Option<&Json>, comments: Vec<Range<usize>>) {
        let members = entry.as_object().into_iter().flat_map(|entry| &entry.members);
        let foreign = members.filter(|member| {
            let name = member.name.as_str();
            // Each of the hooks reports its own losses.
            let is_changed = |written: &Json| name != "hooks" && written.get(name) != Some(&member.value.plain());
            !ours.contains(&name) || written.is_some_and(is_changed)
        });
        let text = self.document.text();
        for range in foreign.map(Member::range).chain(comments) {
            self.lost.push(went(text, range.start, &text[range]));
        }
    }

    /// Adds the cuts that remove the elements marked `true` in `goes`. If no element is left, the whitespace that was
    /// in the empty container before the install is kept: it follows the inserted entries.
    fn cut(&mut self, container: &Container, goes: &[bool], within: Option<&Within>) {
        let elements = &container.elements;
        let Some(first) = goes.iter().position(|goes| *goes) else {
            return;
        };
        if !goes.contains(&false) {
            let interior = container.range.start + 1..container.range.end - 1;
            let blank = within.map_or("", |within| self.made.blank(within));
            let last = elements.last().map_or(interior.start, |last| last.end);
            let after = self.document.text().get(last..interior.end).unwrap_or_default();
            let kept = if after.ends_with(blank) { blank.len() } else { 0 };
            return self.cut_around_comments(container, goes, interior.start..interior.end - kept);
        }
        for index in first..elements.len() {
            if !goes[index] {
                continue;
            }
            // An element is cut with the comma after it; the last one with the comma before it, together with adjacent
            // cut elements.
            let is_at_the_end = goes[index..].iter().all(|goes| *goes);
            let range = if is_at_the_end {
                elements[index - 1].end..elements[index].end
            } else {
                elements[index].start..elements[index + 1].start
            };
            self.cut_around_comments(container, goes, range);
        }
    }

    /// Adds a cut for the range that keeps the comments next to removed elements.
    fn cut_around_comments(&mut self, container: &Container, goes: &[bool], range: Range<usize>) {
        let text = self.document.text();
        let mut start = range.start;
        for comment in self.comments_next_to(container, goes, range.clone()) {
            let before = text[start..comment.start].trim_end_matches([' ', '\t']).len();
            self.cuts.push(start..start + before);
            // The text after it must not become part of a line comment.
            let is_of_line = text[comment.start..].starts_with("//");
            let end = ["\r\n", "\n", "\r"]
                .iter()
                .filter(|_| is_of_line)
                .copied()
                .find(|end| text[comment.end..range.end].starts_with(end));
            start = comment.end + end.map_or(0, str::len);
        }
        self.cuts.push(start..range.end);
    }

    /// Returns the comments in the range outside the removed elements.
    fn comments_next_to(&self, container: &Container, goes: &[bool], range: Range<usize>) -> Vec<Range<usize>> {
        let gone: Vec<_> = container.elements.iter().zip(goes).filter(|(_, goes)| **goes).collect();
        let is_kept = |comment: &&Range<usize>| {
            !gone.iter().any(|(element, _)| element.start <= comment.start && comment.end <= element.end)
        };
        self.document.comments(range).filter(is_kept).cloned().collect()
    }
}
