//! The outcome for each hook on an event: it runs or it does not, with the reason.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use hookkit_protocol::event::{EVENTS, Event, MatcherTarget, Values, event};
use hookkit_protocol::lint::near;
use hookkit_protocol::matcher::{Matcher, pattern};
use hookkit_protocol::settings::handler_type;
use hookkit_protocol::tool;
use serde_json::{Value, json};

use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, HookFile, State, at};
use crate::settings::folders::Scope;

/// An event, and the value that its matchers are compared with.
pub(crate) struct Subject {
    pub(crate) event: &'static Event,
    /// `None` if the event ignores matchers.
    pub(crate) target: Option<String>,
}

/// A hook, with its outcome.
pub(crate) struct HookOutcome<'s> {
    pub(crate) source: &'s HookFile,
    pub(crate) handler: &'s Handler,
    pub(crate) outcome: Outcome,
}

/// The outcome for a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It runs, if this condition holds.
    Runs(Option<String>),
    /// It does not run, for this reason.
    DoesNotRun(String),
}

impl Session {
    /// Returns the reason why a hook never runs, on any event; `None` if it may run.
    pub(crate) fn never(&self, source: &HookFile, handler: &Handler) -> Option<String> {
        let file = source.path.display();
        if let Some(lost) = &handler.lost
            && source.state == State::Read
        {
            return Some(lost.with_effect());
        }
        match &source.state {
            State::Dropped(reasons) => {
                let reason = reasons.first().map_or("", String::as_str);
                return Some(format!("Claude Code does not read {file}: {reason}"));
            }
            State::Unreadable(why) => return Some(format!("{file}: {why}")),
            State::Read | State::Missing => {}
        }
        if let Some(switch) = self.switches.iter().find(|switch| switch.holds_for(source, handler)) {
            return Some(format!("it is turned off by {switch}"));
        }
        let event = event(&handler.event)?;
        if !is_run_on(handler, event) {
            return Some(format!(
                "hooks of type `{}` are not run on {}",
                handler.kind(),
                event.name
            ));
        }
        if handler.condition().is_some() && !event.evaluates_if() {
            return Some(format!("it has an `if`, which never holds on {}", event.name));
        }
        matches_nothing(handler, event)
    }

    /// Returns the hooks that may run, each with its file.
    pub(crate) fn active(&self) -> impl Iterator<Item = (&HookFile, &Handler)> {
        self.handlers()
            .filter(|(source, hook)| self.never(source, hook).is_none())
    }

    /// Returns the outcome for each hook of the subject's event, in the order of the files.
    pub(crate) fn outcomes(&self, subject: &Subject) -> Vec<HookOutcome<'_>> {
        let is_on = |(_, handler): &(&HookFile, &Handler)| handler.event.eq_ignore_ascii_case(subject.event.name);
        let with_outcome = |(source, handler)| HookOutcome {
            source,
            handler,
            outcome: match self.never(source, handler) {
                Some(why) => Outcome::DoesNotRun(why),
                None => subject.outcome(handler),
            },
        };
        let mut hooks: Vec<HookOutcome<'_>> = self.handlers().filter(is_on).map(with_outcome).collect();
        for (index, copy) in duplicates(&hooks) {
            let place = at(&hooks[copy].source.path, hooks[copy].handler.place);
            hooks[index].outcome =
                Outcome::DoesNotRun(format!("{place} is the same hook, and Claude Code runs that one"));
        }
        hooks
    }
}

/// Returns the hooks that do not run because the client (2.1.330) treats another one as equal, each with that one.
///
/// To the client, all settings files are one source, and each plugin is another. A managed copy has priority over one
/// from `--settings`, that one over all others, and among equals the last one.
fn duplicates(hooks: &[HookOutcome<'_>]) -> Vec<(usize, usize)> {
    let rank = |index: usize| match hooks[index].source.scope {
        Scope::Managed => (2, index),
        Scope::Named => (1, index),
        _ => (0, index),
    };
    let mut copies: BTreeMap<(Option<&str>, String), Vec<usize>> = BTreeMap::new();
    for (index, one) in hooks.iter().enumerate() {
        let plugin = match &one.source.scope {
            Scope::Plugin { id, .. } => Some(&**id),
            _ => None,
        };
        if matches!(one.outcome, Outcome::Runs(_)) {
            let same = (plugin, key(one.handler).to_string());
            copies.entry(same).or_default().push(index);
        }
    }
    let mut others = Vec::new();
    for same in copies.into_values() {
        let running = same.iter().copied().max_by_key(|index| rank(*index));
        let rest = same.iter().filter(|index| Some(**index) != running);
        others.extend(rest.filter_map(|index| Some((*index, running?))));
    }
    others
}

/// Returns a key that is equal for hooks that the client treats as equal.
fn key(handler: &Handler) -> Value {
    let value = |key: &str| handler.values.get(key).cloned();
    let what = match handler.kind() {
        "http" => json!([value("url")]),
        "mcp_tool" => json!([value("server"), value("tool"), value("input")]),
        "prompt" | "agent" => json!([value("prompt")]),
        _ => {
            let shell = value("shell").unwrap_or_else(|| "bash".into());
            json!([shell, value("command"), value("args")])
        }
    };
    json!([handler.kind(), what, value("if")])
}

/// Returns `true` if the client runs hooks of the handler's type on this event (2.1.330).
fn is_run_on(handler: &Handler, event: &Event) -> bool {
    // A hook of an unknown type is dropped earlier.
    handler_type(handler.kind()).is_none() || event.handler_types.contains(&handler.kind())
}

/// Returns the reason why a matcher matches nothing on any subject, if so.
fn matches_nothing(handler: &Handler, event: &Event) -> Option<String> {
    let text = handler.matcher.as_deref()?;
    if event.matcher_target == MatcherTarget::Ignored {
        return None;
    }
    match Matcher::new(text, event) {
        Matcher::Regex(expression) => {
            let err = pattern(expression).err()?;
            Some(format!("the matcher `{text}` is not a regular expression: {err}"))
        }
        matcher @ Matcher::Names(_) if matcher.names().next().is_none() => {
            Some(format!("the matcher `{text}` is an empty list"))
        }
        Matcher::Names(_) | Matcher::All => None,
    }
}

impl Subject {
    /// Parses `EVENT` or `EVENT:SUBJECT`.
    ///
    /// # Errors
    ///
    /// The client has no such event, tool or value; or the subject is missing, or given for an event without matchers.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let (name, target) = match text.split_once(':') {
            Some((name, target)) => (name, Some(target)),
            None => (text, None),
        };
        let Some(event) = event(name) else {
            if tool::is_built_in(name) {
                bail!("`{name}` is a tool, not an event; write `--for PreToolUse:{name}`");
            }
            bail!(
                "`{name}` is not an event{}",
                meant(name, EVENTS.iter().map(|event| event.name))
            );
        };
        let target = match (event.matcher_target, target) {
            (MatcherTarget::Ignored, None) => return Ok(Self { event, target: None }),
            (MatcherTarget::Ignored, Some(_)) => bail!("{name} has no matcher; write `--for {name}`"),
            (of, None | Some("")) => bail!(
                "{name} is matched on {}; write `--for {name}:{}`",
                matched_on(of),
                example(of)
            ),
            (_, Some(target)) => target,
        };
        let target = match event.matcher_target {
            MatcherTarget::ToolName => current_tool(target)?,
            MatcherTarget::Field { values, name: field } => value(target, field, values)?,
            MatcherTarget::FileName => target.rsplit('/').next().unwrap_or_default().to_owned(),
            MatcherTarget::Model | MatcherTarget::Ignored => target.to_owned(),
        };
        Ok(Self {
            event,
            target: Some(target),
        })
    }

    /// Returns the outcome for a hook that the client reads, and that can run.
    fn outcome(&self, handler: &Handler) -> Outcome {
        let mut conditions = Vec::new();
        let (event, target) = (self.event, self.target.as_deref().unwrap_or_default());
        let text = handler.matcher.as_deref().unwrap_or_default();
        let matcher = Matcher::new(text, event);
        // The client passes a Monitor call with a command to hooks for Bash, as a call of Bash.
        let as_bash = target == "Monitor" && matches!(event.name, "PreToolUse" | "PermissionRequest");
        if !matcher.matches(event, target) {
            if !as_bash || !matcher.matches(event, "Bash") {
                return Outcome::DoesNotRun(mismatch(text, matcher, event, target));
            }
            conditions.push("the call has a command, and the hook gets it as a call of Bash".to_owned());
        }
        match handler.condition().map(|rule| condition(rule, target)) {
            None | Some(Holds::Always) => {}
            Some(Holds::Never(why)) => return Outcome::DoesNotRun(why),
            Some(Holds::Where(rule)) => conditions.push(format!("the call matches `if` {rule}")),
        }
        Outcome::Runs((!conditions.is_empty()).then(|| conditions.join(", and ")))
    }
}

/// Returns the reason why a matcher does not match, from the way in which the client reads it.
fn mismatch(text: &str, matcher: Matcher<'_>, event: &Event, target: &str) -> String {
    if !matches!(matcher, Matcher::Names(_)) {
        let is_like_a_rule = event.evaluates_if() && text.contains('(') && text.ends_with(')');
        let fix = if is_like_a_rule {
            "; put a permission rule into `if`"
        } else {
            ""
        };
        return format!("the matcher `{text}` is a regular expression that does not match `{target}`{fix}");
    }
    let of_server = |name: &&str| target.strip_prefix(name).is_some_and(|rest| rest.starts_with("__"));
    if let Some(server) = matcher.names().find(of_server) {
        return format!("the matcher `{text}` names only the server; its tools are `{server}__.*`");
    }
    if matcher.names().any(|name| name.eq_ignore_ascii_case(target)) {
        return format!("the matcher `{text}` is case-sensitive, and does not include `{target}`");
    }
    match event.matcher_target {
        MatcherTarget::Field {
            name: field,
            values: Values::Only(values),
        } if matcher.names().all(|name| !values.contains(&name)) => {
            let values = crate::terminal::listed(values);
            format!(
                "the matcher `{text}` names no {field}, which {} is matched on: {values}",
                event.name
            )
        }
        MatcherTarget::Field { name: field, .. } if matcher.names().all(tool::is_built_in) => {
            format!(
                "the matcher `{text}` names tools, but {} is matched on {field}",
                event.name
            )
        }
        MatcherTarget::ToolName
            if matcher
                .names()
                .all(|name| tool::GONE.iter().any(|(gone, _)| *gone == name)) =>
        {
            format!("the matcher `{text}` names a tool that no longer exists")
        }
        _ => format!("the matcher `{text}` does not include `{target}`"),
    }
}

/// The calls of a tool for which an `if` holds.
enum Holds {
    Always,
    Where(String),
    Never(String),
}

/// Returns the calls of a tool for which an `if` holds (client 2.1.330).
fn condition(rule: &str, target: &str) -> Holds {
    let (name, content) = match rule.split_once('(') {
        Some((name, rest)) => match rest.strip_suffix(')') {
            Some(content) => (name, Some(content)),
            None => return Holds::Never(format!("its `if` `{rule}` is not a permission rule, and never holds")),
        },
        None => (rule, None),
    };
    if name.contains(['|', ',']) {
        return Holds::Never(format!("its `if` `{rule}` is a list, not one rule, and never holds"));
    }
    let is_as_bash = target == "Monitor" && name == "Bash";
    if tool::current_name(name) != target && !is_as_bash {
        return Holds::Never(format!("its `if` is for {name}"));
    }
    match content {
        None | Some("" | "*") => Holds::Always,
        Some(_) if tool::COMPARED.contains(&target) => Holds::Where(rule.to_owned()),
        Some(_) => Holds::Never(format!(
            "its `if` `{rule}` never holds: calls of {target} have nothing to compare"
        )),
    }
}

/// Returns a tool's current name.
fn current_tool(name: &str) -> Result<String> {
    let current = tool::current_name(name);
    let is_member = tool::FAMILIES.iter().any(|(member, _)| *member == current);
    if tool::is_built_in(current) || is_member {
        return Ok(current.to_owned());
    }
    if let Some(of_server) = name.strip_prefix("mcp__") {
        let is_whole = of_server
            .split_once("__")
            .is_some_and(|(server, tool)| !server.is_empty() && !tool.is_empty());
        if !is_whole {
            bail!("`{name}` is not a tool of an MCP server; write `mcp__SERVER__TOOL`");
        }
        return Ok(name.to_owned());
    }
    if let Some((_, successor)) = tool::GONE.iter().find(|(gone, _)| *gone == name) {
        let successor = successor.map_or_else(String::new, |tool| format!("; {tool} replaces it"));
        bail!("the tool `{name}` no longer exists{successor}");
    }
    let names = tool::BUILT_IN
        .iter()
        .copied()
        .chain(tool::RENAMED.iter().map(|(old, _)| *old));
    bail!("`{name}` is not a known tool{}", meant(name, names));
}

/// Checks a value of a field that matchers are compared with, and returns it.
fn value(text: &str, field: &str, values: Values) -> Result<String> {
    let known = match values {
        Values::Any => return Ok(text.to_owned()),
        Values::Known(known) | Values::Only(known) => known,
    };
    let is_near = near(text, known.iter().copied()).is_some();
    let may_be_new = matches!(values, Values::Known(_)) && !is_near;
    if !known.contains(&text) && !may_be_new {
        let fix = if is_near {
            meant(text, known.iter().copied())
        } else {
            format!("; the values are {}", crate::terminal::listed(known))
        };
        bail!("`{text}` is not a known {field}{fix}");
    }
    Ok(text.to_owned())
}

fn meant<'w>(written: &str, words: impl Iterator<Item = &'w str>) -> String {
    near(written, words).map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"))
}

fn matched_on(target: MatcherTarget) -> &'static str {
    match target {
        MatcherTarget::ToolName => "the tool",
        MatcherTarget::FileName => "the file's name",
        MatcherTarget::Model => "the model",
        MatcherTarget::Field { name, .. } => name,
        MatcherTarget::Ignored => "nothing",
    }
}

fn example(target: MatcherTarget) -> &'static str {
    match target {
        MatcherTarget::ToolName => "Bash",
        MatcherTarget::Field {
            values: Values::Known(known) | Values::Only(known),
            ..
        } => known.first().copied().unwrap_or("NAME"),
        _ => "NAME",
    }
}
