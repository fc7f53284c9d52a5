//! Rules about several hooks: duplicates, and two hooks that change the same input.
//!
//! The hooks belong to one session, in the order in which the client reads them: from the user, the project, the local
//! settings, `--settings`, and plugins.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use hookkit_protocol::event::{Event, MatcherTarget};
use hookkit_protocol::matcher::Matcher;
use hookkit_protocol::tool;
use serde_json::json;

use super::command::Command;
use crate::diagnose::fields::Handler;
use crate::diagnose::surroundings::Surroundings;
use crate::settings::code::together;
use crate::settings::finding::{Edit, Finding};

/// A finding about two handlers, identified by their positions in the list.
pub(crate) struct Pair {
    /// Handler reported by the finding, and changed by its [`Edit`].
    pub(crate) of: usize,
    /// Handler that is the cause.
    pub(crate) other: usize,
    pub(crate) finding: Finding,
}

/// Maximum number of earlier handlers to compare with a handler; the nearest are used.
const NEAREST: usize = 50;

/// A hook, with facts that are not in its handler.
pub(crate) struct Hook<'f> {
    pub(crate) handler: Handler<'f>,
    /// `true` for a hook in settings, where the client runs only one of several equal hooks.
    pub(crate) is_joined: bool,
    /// `true` if the hook can replace a tool's input or output. `None` if only its texts can show that.
    pub(crate) rewrites: Option<bool>,
    pub(crate) surroundings: &'f Surroundings,
}

/// Checks all hooks together.
pub(crate) fn findings(hooks: &[Hook<'_>]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut overlaps = Overlaps::default();
    // Earlier handlers: equal ones for the client, those with the same script, and those that change the call.
    let mut same: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut of_script: BTreeMap<(String, PathBuf, Vec<String>), Vec<usize>> = BTreeMap::new();
    let mut rewriting = Vec::new();
    for (later, hook) in hooks.iter().enumerate() {
        let handler = hook.handler;
        let mut nearest = |before: &[usize]| {
            let mut before = before.iter().rev().take(NEAREST).copied();
            before.find(|earlier| {
                let one = hooks[*earlier].handler;
                one.event == handler.event && overlaps.meet(handler.event, [one.matcher, handler.matcher])
            })
        };
        let mut nearest_of = |before: &mut Vec<usize>| {
            let earlier = nearest(before);
            before.push(later);
            earlier
        };
        let of_settings = Some(handler).filter(|_| hook.is_joined);
        let key = of_settings.and_then(Handler::identity);
        let copied = key.and_then(|key| nearest_of(same.entry(key).or_default()));
        let key = of_settings.and_then(|handler| script(handler, hook.surroundings));
        let called = key.and_then(|key| nearest_of(of_script.entry(key).or_default()));
        let is_rewriting = hook.rewrites.unwrap_or_else(|| rewrites_by_text(handler, hook.surroundings));
        let changed = is_rewriting.then(|| {
            // Different rules are not intersected.
            let may = |earlier: &&usize| hooks[**earlier].handler.text("if") == handler.text("if");
            let nearest_ones = rewriting.iter().rev().take(NEAREST).filter(may);
            let before: Vec<usize> = nearest_ones.rev().copied().collect();
            rewriting.push(later);
            nearest(&before)
        });
        let pair = |other, finding| Pair { of: later, other, finding };
        // The nearest one before it, so that each of three copies is reported once.
        pairs.extend(match (copied, called, changed.flatten()) {
            (Some(earlier), called, _) if copied >= called => {
                let (is_of_earlier, finding) = copy(hooks[earlier].handler, handler);
                Some(if is_of_earlier { Pair { of: earlier, other: later, finding } } else { pair(earlier, finding) })
            }
            (_, Some(other), _) => Some(pair(other, together::program_twice())),
            // Both receive the original, and one of the changes is lost.
            (_, None, Some(other)) => {
                let (part, winner) = replaced(handler.event);
                Some(pair(other, together::competing_changes(part, winner)))
            }
            (..) => None,
        });
    }
    pairs
}

/// Returns the finding about a duplicate handler, and `true` if the earlier handler has the finding.
///
/// Among equal handlers, the client keeps the last one that it reads.
fn copy(earlier: Handler<'_>, later: Handler<'_>) -> (bool, Finding) {
    let is_disarmed = earlier.blocks_on_failure() && !later.blocks_on_failure();
    if is_disarmed {
        let difference = if later.is_async() { "as `async`" } else { "without `\"onFailure\": \"block\"`" };
        return (true, together::disarmed_copy(difference));
    }
    let same = ["timeout", "async", "asyncRewake", "onFailure", "statusMessage"];
    let differing = same.into_iter().find(|key| {
        let plain = |handler: Handler<'_>| match handler.fields.get(*key) {
            Some(value) if *value == json!(false) || *value == json!("continue") => None,
            value => value.cloned(),
        };
        plain(earlier) != plain(later)
    });
    match differing {
        Some(key) => (true, together::differing_copies(key)),
        None => {
            // The later one's matcher may match more.
            let is_redundant = earlier.matcher.unwrap_or_default() == later.matcher.unwrap_or_default();
            (false, together::duplicate_hook().fixed_by(is_redundant.then_some(Edit::RemoveHook)))
        }
    }
}

/// Returns a key that is equal for all commands that call the same file with the same arguments, in any spelling.
fn script(handler: Handler<'_>, surroundings: &Surroundings) -> Option<(String, PathBuf, Vec<String>)> {
    let command = Command::of(handler, surroundings).filter(|_| handler.is_command())?;
    let (path, arguments) = command.script()?;
    let condition = handler.fields.get("if");
    Some((json!([handler.event.name, condition]).to_string(), path, arguments))
}

/// Returns the part of a call that hooks on an event can replace, and which hook's change the client uses if there are
/// several (2.1.330).
pub(crate) fn replaced(event: &Event) -> (&'static str, &'static str) {
    match event.name {
        "PostToolUse" => ("output", "ends last"),
        "PermissionRequest" => ("input", "ends first"),
        _ => ("input", "ends last"),
    }
}

fn rewrites_by_text(handler: Handler<'_>, surroundings: &Surroundings) -> bool {
    let members: &[&str] = match handler.event.name {
        "PreToolUse" | "PermissionRequest" => &["updatedInput"],
        "PostToolUse" => &["updatedToolOutput", "updatedMCPToolOutput"],
        _ => return false,
    };
    if !handler.is_command() || handler.is_true("async") {
        return false;
    }
    let texts = Command::of(handler, surroundings).and_then(|command| command.texts());
    let has_member = |text: &String| members.iter().any(|member| text.contains(member));
    texts.is_some_and(|texts| texts.iter().any(has_member))
}

/// Caches the tools matched by each matcher, so that each is compiled once.
#[derive(Default)]
pub(crate) struct Overlaps<'f>(BTreeMap<&'f str, Rc<Vec<bool>>>);

impl<'f> Overlaps<'f> {
    /// Returns `true` if two matchers of an event certainly share a subject.
    pub(crate) fn meet(&mut self, event: &'static Event, matchers: [Option<&'f str>; 2]) -> bool {
        let [one, other] = matchers.map(Option::unwrap_or_default);
        let (first, second) = (Matcher::new(one, event), Matcher::new(other, event));
        match event.matcher_target {
            MatcherTarget::Ignored => true,
            _ if one == other || first == Matcher::All || second == Matcher::All => {
                // A matcher that never matches shares no subject.
                [first, second].iter().all(|matcher| *matcher != Matcher::Names("|"))
            }
            MatcherTarget::ToolName => {
                let (of_one, of_other) = (self.tools(event, one), self.tools(event, other));
                of_one.iter().zip(&*of_other).any(|(one, other)| *one && *other)
                    || first.names().any(|name| second.matches(event, name))
                    || second.names().any(|name| first.matches(event, name))
                    || share_a_beginning(one, other)
            }
            _ => first.shares_a_name(second),
        }
    }

    /// Returns for each built-in tool whether a matcher matches it.
    fn tools(&mut self, event: &'static Event, text: &'f str) -> Rc<Vec<bool>> {
        let tools = self.0.entry(text).or_insert_with(|| {
            let matcher = Matcher::new(text, event);
            let tools = tool::BUILT_IN.iter().map(|name| matcher.matches(event, name));
            Rc::new(tools.collect())
        });
        Rc::clone(tools)
    }
}

/// Returns `true` if both matchers are prefixes of MCP tool names (`mcp__github__.*`), and one is a prefix of the
/// other.
fn share_a_beginning(one: &str, other: &str) -> bool {
    let is_of_name = |char: char| char.is_ascii_alphanumeric() || "_-".contains(char);
    let beginning = |matcher| str::strip_suffix(matcher, ".*").filter(|text| text.chars().all(is_of_name));
    match (beginning(one), beginning(other)) {
        (Some(one), Some(other)) => one.starts_with(other) || other.starts_with(one),
        _ => false,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use hookkit_protocol::event;
    use serde_json::Value;

    use super::*;

    fn hook<'f>(
        event: &'static Event,
        matcher: Option<&'f str>,
        fields: &'f Value,
        surroundings: &'f Surroundings,
    ) -> Hook<'f> {
        let fields = fields.as_object().expect("an object");
        Hook { handler: Handler { event, matcher, fields }, is_joined: true, rewrites: None, surroundings }
    }

    fn command(command: &str) -> Value {
        json!({ "type": "command", "command": command })
    }

    #[test]
    fn each_pair_has_its_finding() {
        let folder = test_support::folder();
        let surroundings = Surroundings { project: Some(folder.path().to_owned()), ..Surroundings::default() };
        for name in ["x.sh", "y.sh"] {
            fs::write(folder.path().join(name), "").expect("a file");
        }
        test_support::lines!("lines/doctor-pairs.txt").check(|_, line| {
            let parsed = |line: &'_ str| -> (String, Option<String>, Value) {
                let (subject, fields) = line.split_once(' ').expect(line);
                let (event, matcher) = subject.split_once(':').unzip();
                let event = event.unwrap_or(subject).to_owned();
                (event, matcher.map(str::to_owned), serde_json::from_str(fields).expect(line))
            };
            let hooks: Vec<_> = line.lines().map(parsed).collect();
            let hooks = hooks.iter().map(|(event, matcher, fields)| {
                let event = event::event(event).expect(event);
                hook(event, matcher.as_deref(), fields, &surroundings)
            });
            let pairs = findings(&hooks.collect::<Vec<_>>());
            let shown = |pair: Pair| format!("{} {} {}", pair.of, pair.other, pair.finding.what);
            pairs.into_iter().map(shown).collect::<Vec<_>>().join("; ")
        });
    }

    #[test]
    fn only_a_copy_with_the_same_matcher_is_removed() {
        let fields = command("a");
        let surroundings = Surroundings::default();
        let handler = |matcher| hook(&event::PRE_TOOL_USE, matcher, &fields, &surroundings);
        let fix = |one, other| {
            let [pair] = &findings(&[handler(one), handler(other)])[..] else {
                panic!("not one pair");
            };
            pair.finding.edit.clone()
        };
        assert_eq!(fix(Some("Edit"), Some("Edit")), Some(Edit::RemoveHook));
        assert_eq!(fix(None, Some("")), Some(Edit::RemoveHook));
        assert_eq!(fix(Some("Edit"), None), None);
    }

    #[test]
    fn what_is_known_of_a_handler_counts_more_than_its_texts() {
        let surroundings = Surroundings::default();
        let fields = [command("a"), command("b '{\"updatedToolOutput\": 1}'"), command("c")];
        let found = |event: &'static Event, known: [Option<bool>; 3]| {
            let hooks = [0, 1, 2].map(|number| Hook {
                rewrites: known[number],
                ..hook(event, Some("Bash"), &fields[number], &surroundings)
            });
            let pairs = findings(&hooks);
            let pairs = pairs.into_iter();
            pairs.map(|pair| (pair.of, pair.other, pair.finding.does)).collect::<Vec<_>>()
        };
        let does = |part, winner| {
            format!("Claude Code gives both the same {part}, and uses the change of the hook that {winner}")
        };
        let known = [Some(true), Some(false), Some(true)];
        assert_eq!(found(&event::PRE_TOOL_USE, known), [(2, 0, does("input", "ends last"))]);
        assert_eq!(found(&event::PERMISSION_REQUEST, known), [(2, 0, does("input", "ends first"))]);
        assert_eq!(found(&event::POST_TOOL_USE, [Some(true), None, None]), [(1, 0, does("output", "ends last"))]);
        assert_eq!(found(&event::PRE_TOOL_USE, [None; 3]), []);
    }

    #[test]
    fn matchers_meet_on_tools_of_servers_too() {
        let meet = |one, other| Overlaps::default().meet(&event::PRE_TOOL_USE, [Some(one), Some(other)]);
        assert!(meet("mcp__git__push|Bash", "mcp__git__.*"));
        assert!(meet("mcp__git__.*", "mcp__git__push"));
        assert!(meet("mcp__.*", "mcp__git__.*"));
        assert!(!meet("mcp__git__.*", "mcp__hub__.*"));
        assert!(!meet("mcp__git__push", "mcp__git__pull"));
        assert!(!meet("mcp__git__.*", "Bash"));
    }
}
