//! The outcome of each hook on an event: whether it runs, and why not.

use std::collections::BTreeMap;

use anyhow::{Result, bail, ensure};
use hookkit_protocol::event::{Event, MatcherTarget, Values, event};
use hookkit_protocol::matcher::{Matcher, pattern};
use hookkit_protocol::settings::handler_type;
use hookkit_protocol::{near, near_event, tool};

use super::session::Session;
use super::source::{Handler, HookFile, State, at};
use crate::diagnose::fields;
use crate::settings::folders::Scope;
use crate::terminal::listed;

/// An event, and the value that matchers are compared with.
pub(crate) struct Subject {
    pub(crate) event: &'static Event,
    /// `None` if the event ignores matchers.
    pub(crate) target: Option<String>,
}

/// A hook and its outcome.
pub(crate) struct HookOutcome<'s> {
    pub(crate) source: &'s HookFile,
    pub(crate) handler: &'s Handler,
    pub(crate) outcome: Outcome,
}

/// The outcome of a hook.
#[derive(PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The hook runs, under this condition.
    Runs(Option<String>),
    /// The hook does not run, for this reason.
    DoesNotRun(String),
}

impl Session {
    /// Returns the reason why a hook never runs, on any event; `None` if it may run.
    pub(crate) fn never(&self, source: &HookFile, handler: &Handler) -> Option<String> {
        let file = source.path.display();
        match (&source.state, &handler.lost) {
            (State::Read, Some(lost)) => return Some(lost.to_string()),
            (State::Dropped(reasons), _) => {
                let reason = reasons.first().map_or("", String::as_str);
                return Some(format!("Claude Code does not read {file}: {reason}"));
            }
            (State::Unreadable(why), _) => return Some(format!("{file}: {why}")),
            _ => {}
        }
        if let Some(switch) = self.switches.iter().find(|switch| switch.holds_for(source, handler)) {
            return Some(format!("it is turned off by {switch}"));
        }
        let event = event(&handler.event)?;
        let kind = handler.kind();
        // A hook of an unknown type is dropped earlier.
        if handler_type(kind).is_some() && !event.has_handler_type(kind) {
            return Some(format!("hooks of type `{kind}` are not run on {}", event.name));
        }
        if handler.condition().is_some() && !event.evaluates_if() {
            return Some(format!("it has an `if`, which never holds on {}", event.name));
        }
        matches_nothing(handler, event)
    }

    /// Returns the hooks that may run, with their files.
    pub(crate) fn active(&self) -> impl Iterator<Item = (&HookFile, &Handler)> {
        self.handlers().filter(|(source, hook)| self.never(source, hook).is_none())
    }

    /// Returns the outcome of each hook on the subject's event, in the order of the files.
    pub(crate) fn outcomes(&self, subject: &Subject) -> Vec<HookOutcome<'_>> {
        let is_on = |(_, handler): &(&HookFile, &Handler)| handler.event.eq_ignore_ascii_case(subject.event.name);
        let with_outcome = |(source, handler)| {
            let never = self.never(source, handler);
            let outcome = never.map_or_else(|| subject.outcome(handler), Outcome::DoesNotRun);
            HookOutcome { source, handler, outcome }
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

/// Returns the hooks that do not run because the client (2.1.330) treats another hook as equal, each paired with that
/// hook.
///
/// To the client, all settings files are one source, and each plugin is another. Among equal hooks in a source, one in
/// managed settings has priority, then one in the settings of `--settings`, then the last one.
fn duplicates(hooks: &[HookOutcome<'_>]) -> Vec<(usize, usize)> {
    let rank = |index: usize| match hooks[index].source.scope {
        Scope::Managed => (2, index),
        Scope::Named => (1, index),
        _ => (0, index),
    };
    let mut copies: BTreeMap<(&str, String), Vec<usize>> = BTreeMap::new();
    for (index, one) in hooks.iter().enumerate() {
        let identity = fields::Handler::of(one.handler).and_then(fields::Handler::identity);
        if let (Outcome::Runs(_), Some(identity)) = (&one.outcome, identity) {
            copies.entry((one.source.scope.plugin(), identity)).or_default().push(index);
        }
    }
    let mut others = Vec::new();
    for mut same in copies.into_values() {
        same.sort_by_key(|index| rank(*index));
        let running = same.pop();
        others.extend(same.into_iter().zip(running.into_iter().cycle()));
    }
    others
}

/// Returns the reason why a matcher never matches any subject. `None` if it can match.
fn matches_nothing(handler: &Handler, event: &Event) -> Option<String> {
    let text = handler.matcher.as_deref()?;
    if event.matcher_target == MatcherTarget::Ignored {
        return None;
    }
    let why = match Matcher::new(text, event) {
        Matcher::Regex(expression) => format!("not a regular expression: {}", pattern(expression).err()?),
        matcher @ Matcher::Names(_) if matcher.names().next().is_none() => "an empty list".to_owned(),
        Matcher::Names(_) | Matcher::All => return None,
    };
    Some(format!("the matcher `{text}` is {why}"))
}

impl Subject {
    /// Parses `EVENT` or `EVENT:SUBJECT`.
    ///
    /// # Errors
    ///
    /// Fails if the client has no such event, tool or value, if the subject is missing, or if a subject is given for an
    /// event without matchers.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let (name, target) = text.split_once(':').unwrap_or((text, ""));
        let Some(event) = event(name) else {
            if tool::is_built_in(name) {
                bail!("`{name}` is a tool, not an event; write `--for PreToolUse:{name}`");
            }
            let meant = near_event(name).map(|meant| format!("; did you mean `{meant}`?"));
            bail!("`{name}` is not an event{}", meant.unwrap_or_default());
        };
        let target = match event.matcher_target {
            MatcherTarget::Ignored if text == name => return Ok(Self { event, target: None }),
            MatcherTarget::Ignored => bail!("{name} has no matcher; write `--for {name}`"),
            of if target.is_empty() => {
                let (what, example) = matched_on(of);
                bail!("{name} is matched on {what}; write `--for {name}:{example}`")
            }
            MatcherTarget::ToolName => current_tool(target)?,
            MatcherTarget::Field { values, name: field } => value(target, field, values)?,
            MatcherTarget::FileName => target.rsplit('/').next().unwrap_or_default().to_owned(),
            MatcherTarget::Model => target.to_owned(),
        };
        Ok(Self { event, target: Some(target) })
    }

    /// Returns the outcome of a hook that the client reads and that can run.
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
            conditions.push("the call has a command, and the hook gets it as a Bash call".to_owned());
        }
        match handler.condition().map(|rule| condition(rule, target)) {
            None | Some(Holds::Always) => {}
            Some(Holds::Never(why)) => return Outcome::DoesNotRun(why),
            Some(Holds::Where(rule)) => conditions.push(format!("the call matches `if` {rule}")),
        }
        Outcome::Runs((!conditions.is_empty()).then(|| conditions.join(", and ")))
    }
}

/// Returns the reason why a matcher does not match, according to the client's reading.
fn mismatch(text: &str, matcher: Matcher<'_>, event: &Event, target: &str) -> String {
    let all = |is_so: &dyn Fn(&str) -> bool| matcher.names().all(is_so);
    let of_server = |name: &&str| target.strip_prefix(name).is_some_and(|rest| rest.starts_with("__"));
    let server = matcher.names().find(of_server);
    let is_gone = |name: &str| tool::GONE.iter().any(|(gone, _)| *gone == name);
    let why = match event.matcher_target {
        _ if !matches!(matcher, Matcher::Names(_)) => {
            let is_like_a_rule = event.evaluates_if() && text.contains('(') && text.ends_with(')');
            let fix = if is_like_a_rule { "; put a permission rule into `if`" } else { "" };
            format!("is a regular expression that does not match `{target}`{fix}")
        }
        _ if server.is_some() => {
            format!("names only the server; its tools are `{}__.*`", server.unwrap_or_default())
        }
        _ if matcher.names().any(|name| name.eq_ignore_ascii_case(target)) => {
            format!("is case-sensitive, and does not include `{target}`")
        }
        MatcherTarget::Field { name: field, values: Values::Only(values) } if all(&|name| !values.contains(&name)) => {
            let values = listed(values);
            format!("matches no {field} of {}; the values are {values}", event.name)
        }
        MatcherTarget::Field { name: field, .. } if all(&tool::is_built_in) => {
            format!("names tools, but {} is matched on {field}", event.name)
        }
        MatcherTarget::ToolName if all(&is_gone) => "names a tool that no longer exists".to_owned(),
        _ => format!("does not include `{target}`"),
    };
    format!("the matcher `{text}` {why}")
}

/// Calls of a tool that an `if` matches.
enum Holds {
    Always,
    Where(String),
    Never(String),
}

/// Returns the calls of a tool that an `if` matches (client 2.1.330).
fn condition(rule: &str, target: &str) -> Holds {
    let never = |why: &str| Holds::Never(format!("its `if` `{rule}` {why}"));
    let (name, content) = match rule.split_once('(') {
        Some((name, rest)) => match rest.strip_suffix(')') {
            Some(content) => (name, content),
            None => return never("is not a permission rule, and never holds"),
        },
        None => (rule, ""),
    };
    match content {
        _ if name.contains(['|', ',']) => never("is a list, not one rule, and never holds"),
        _ if tool::current_name(name) != target && !(target == "Monitor" && name == "Bash") => {
            Holds::Never(format!("its `if` is for {name}"))
        }
        "" | "*" => Holds::Always,
        _ if tool::COMPARED.contains(&target) => Holds::Where(rule.to_owned()),
        _ => never(&format!("never holds: {target} rules cannot have a condition")),
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
        let is_whole = of_server.split_once("__").is_some_and(|(server, tool)| !server.is_empty() && !tool.is_empty());
        ensure!(is_whole, "`{name}` is not a tool of an MCP server; write `mcp__SERVER__TOOL`");
        return Ok(name.to_owned());
    }
    if let Some((_, successor)) = tool::GONE.iter().find(|(gone, _)| *gone == name) {
        let successor = successor.map_or_else(String::new, |tool| format!("; {tool} replaces it"));
        bail!("the tool `{name}` no longer exists{successor}");
    }
    let names = tool::BUILT_IN.iter().copied().chain(tool::RENAMED.iter().map(|(old, _)| *old));
    bail!("`{name}` is not a known tool{}", meant(name, names));
}

/// Checks and returns a value of the field that matchers are compared with.
fn value(text: &str, field: &str, values: Values) -> Result<String> {
    if let Values::Known(known) | Values::Only(known) = values
        && !known.contains(&text)
    {
        let meant = meant(text, known.iter().copied());
        ensure!(meant.is_empty(), "`{text}` is not a known {field}{meant}");
        let is_open = matches!(values, Values::Known(_));
        ensure!(is_open, "`{text}` is not a known {field}; the values are {}", listed(known));
    }
    Ok(text.to_owned())
}

fn meant<'w>(written: &str, words: impl Iterator<Item = &'w str>) -> String {
    near(written, words).map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"))
}

fn matched_on(target: MatcherTarget) -> (&'static str, &'static str) {
    match target {
        MatcherTarget::ToolName => ("the tool", "Bash"),
        MatcherTarget::Field { name, values: Values::Known([first, ..]) | Values::Only([first, ..]) } => (name, first),
        MatcherTarget::Field { name, .. } => (name, "NAME"),
        MatcherTarget::FileName => ("the file's name", "NAME"),
        MatcherTarget::Model | MatcherTarget::Ignored => ("the model", "NAME"),
    }
}
