//! Rules about a single handler in a settings file, and its group.
//!
//! The rules describe Claude Code 2.1.330. It does not read a handler with a value of the wrong type, so
//! `settings::check` checks the types.

use hookkit_protocol::event::{Background, Denial, Event, MatcherTarget, PRE_SKILL_SHELL_COMMAND, event};
use hookkit_protocol::lint::{self, Effect, Fault, Origin};
use hookkit_protocol::matcher::Matcher;
use hookkit_protocol::settings::{HANDLER_TYPES, handler_type};
use hookkit_shell::programs::table::lists;
use serde_json::Value;

use super::command::{Command, check, started};
use super::shell;
use crate::diagnose::fields::Handler;
use crate::diagnose::surroundings::Surroundings;
use crate::settings::code::hooks;
use crate::settings::finding::{Edit, Finding};
use crate::settings::reading::{GROUP_KEYS, ReadHandler};

/// Checks a hook's group: its matcher, and the keys next to `hooks`.
pub(crate) fn of_group(hook: &ReadHandler) -> Vec<Finding> {
    let Some(event) = event(&hook.event) else {
        return Vec::new();
    };
    let text = hook.matcher.as_deref();
    let mut findings = group(event, text, &hook.unread);
    if let Some(text) = text {
        findings.extend(matcher(event, text));
        findings.extend(offered_on_demand(event, text));
    }
    findings
}

/// Checks a group's matcher on one event.
fn matcher(event: &'static Event, text: &str) -> Vec<Finding> {
    if Matcher::new(text, event) == Matcher::All {
        return Vec::new();
    }
    if event.matcher_target == MatcherTarget::Ignored {
        // `.*` is correct: the hook always runs.
        if !text.contains(char::is_alphanumeric) {
            return Vec::new();
        }
        let finding = hooks::matcher_without_effect(text, event.name);
        return vec![finding.fixed_by(Edit::RemoveMatcher)];
    }
    let faults = lint::matcher(event, text, Origin::Settings);
    let is_without = |fault: &&Fault| matches!(fault.effect, Effect::Unknown | Effect::Never);
    // A project may have an agent of such a name.
    let is_of_tools = event.matcher_target == MatcherTarget::ToolName;
    let has_no_tool = is_of_tools && faults.iter().filter(is_without).count() == text.split(['|', ',']).count();
    let findings = faults.into_iter().filter_map(|fault| match fault.effect {
        Effect::Unknown => has_no_tool.then(|| hooks::unknown_tool(fault.what, fault.fix)),
        Effect::Never => Some(hooks::matcher_matches_nothing(fault.what, fault.fix)),
        Effect::More => Some(hooks::matcher_matches_more(fault.what, fault.fix)),
        Effect::Harmless => None,
    });
    findings.collect()
}

/// Checks the keys next to `hooks` that the client does not read.
fn group(event: &'static Event, matcher: Option<&str>, unread: &[String]) -> Vec<Finding> {
    let runs_always = matcher.is_none() && event.matcher_target != MatcherTarget::Ignored;
    let does = if runs_always {
        "Claude Code ignores it, and runs the hooks each time, since there is no `matcher`"
    } else {
        "Claude Code ignores it"
    };
    let is_of_hook = |key: &str| HANDLER_TYPES.iter().flat_map(|known| known.fields()).any(|field| field.name == key);
    let findings = unread.iter().filter_map(|key| {
        let fix = match misspelt(key, GROUP_KEYS.into_iter()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if is_of_hook(key) => format!("move `{key}` into the hook"),
            None if runs_always && !is_note(key) => "write `\"matcher\": …`, or remove the key".to_owned(),
            None => return None,
        };
        Some(hooks::unknown_key_of_group(key, does, fix))
    });
    findings.collect()
}

/// Returns `true` if a key looks like a user's comment.
fn is_note(key: &str) -> bool {
    const NOTES: &str = "comment comments description enabled id label name note notes tag title version";
    let bare = key.trim_start_matches(|char: char| !char.is_alphanumeric());
    bare.len() < key.len() || lists(NOTES, bare)
}

/// Returns a note about a correct matcher if the client offers its tools only on request.
fn offered_on_demand(event: &'static Event, text: &str) -> Option<Finding> {
    let matcher = Matcher::new(text, event);
    let names: Vec<&str> = matcher.names().collect();
    let is_on_demand = |name: &&str| ["Glob", "Grep"].contains(name);
    if event.matcher_target != MatcherTarget::ToolName || names.is_empty() || !names.iter().all(is_on_demand) {
        return None;
    }
    Some(hooks::tool_on_request(lint::or_list(&names, "and")))
}

/// Returns the parts of a group's matcher that match nothing on an event, each with the fix.
pub(crate) fn matches_nothing(event: &'static Event, text: &str) -> Vec<String> {
    let findings = matcher(event, text).into_iter();
    let never = findings.filter(|finding| finding.code == hooks::MATCHER_MATCHES_NOTHING);
    never.map(|finding| format!("{}; {}", finding.what, finding.fix)).collect()
}

/// Checks a handler without its group's matcher.
pub(crate) fn findings(handler: Handler<'_>, surroundings: &Surroundings) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(name) = handler.text("type") else {
        return findings;
    };
    findings.extend(runs_here(handler, name));
    findings.extend(condition(handler));
    findings.extend(timeout(handler));
    keys(handler, name, &mut findings);
    on_failure(handler, name, &mut findings);
    findings.extend(header(handler));
    if handler.is_command()
        && let Some(command) = Command::of(handler, surroundings)
    {
        check::check(&command, &mut findings);
        started::check(&command, &mut findings);
    }
    findings
}

/// Returns the finding about a header's variable that the client does not expand.
fn header(handler: Handler<'_>) -> Option<Finding> {
    let allowed = handler.fields.get("allowedEnvVars").and_then(Value::as_array);
    let is_allowed = |name: &str| allowed.is_some_and(|allowed| allowed.iter().any(|other| other == name));
    let headers = handler.fields.get("headers").filter(|_| handler.text("type") == Some("http"))?.as_object()?;
    headers.iter().find_map(|(header, value)| {
        let variables = value.as_str()?.split('$').skip(1).map(|rest| shell::name(rest.trim_start_matches('{')));
        // Other names are not replaced.
        let mut variables = variables.filter(|name| shell::is_name(name) && *name == name.to_uppercase());
        variables.find(|name| !is_allowed(name)).map(|name| hooks::header_variable(name, header))
    })
}

fn runs_here(handler: Handler<'_>, name: &str) -> Option<Finding> {
    let (event, types) = (handler.event.name, handler.event.handler_types);
    let does = if event == PRE_SKILL_SHELL_COMMAND.name {
        "Claude Code then runs none of a skill's commands"
    } else {
        "Claude Code reports an error instead, and goes on"
    };
    let is_elsewhere = handler_type(name).is_some() && !types.contains(&name);
    is_elsewhere.then(|| hooks::type_not_on_event(name, event, lint::or_list(types, "or"), does))
}

fn condition(handler: Handler<'_>) -> Option<Finding> {
    let Handler { event, matcher, .. } = handler;
    let condition = handler.text("if").filter(|condition| !condition.is_empty())?;
    if !event.evaluates_if() {
        return Some(hooks::if_without_tool_call(event.name));
    }
    // A matcher with mistakes is not compared.
    let is_unknown = |fault: &Fault| fault.effect == Effect::Unknown;
    let matcher = matcher.filter(|matcher| lint::matcher(event, matcher, Origin::Settings).iter().all(is_unknown));
    let fault = lint::condition(event, condition, matcher, Origin::Settings).err()?;
    (fault.effect == Effect::Never).then(|| hooks::if_never_holds(fault.what, fault.fix))
}

/// Maximum time that the client gives to hooks at the end of a session, in seconds (client 2.1.330).
const LONGEST_SESSION_END: f64 = 60.0;

fn timeout(handler: Handler<'_>) -> Option<Finding> {
    let timeout = handler.fields.get("timeout")?;
    let seconds = timeout.as_f64().filter(|seconds| *seconds > 0.0)?;
    let is_plain_async = handler.is_async() && !handler.is_true("asyncRewake");
    if is_plain_async && handler.event.may_be_async() {
        return Some(hooks::timeout_with_async().removing("timeout"));
    }
    if let Some(Ok(whole)) = timeout.as_u64().map(u32::try_from)
        && let Err(fault) = lint::timeout(whole, Origin::Settings)
    {
        let minutes = whole / 60;
        return Some(if lint::looks_like_milliseconds(whole) {
            hooks::timeout_in_milliseconds(minutes, fault.what, fault.fix).setting("timeout", whole.div_ceil(1000))
        } else {
            hooks::long_timeout(minutes, fault.what, fault.fix)
        });
    }
    let is_cut = handler.event.name == "SessionEnd" && seconds > LONGEST_SESSION_END;
    is_cut.then(|| hooks::session_end_timeout(LONGEST_SESSION_END))
}

/// Keys that change how a hook runs: adding one may break a working guard.
const HOW_IT_RUNS: &str = "args async asyncRewake if shell";

/// Keys that the client reads besides those in `HANDLER_TYPES`.
const OTHERS: &[&str] = &["type", "cloud"];

fn keys(handler: Handler<'_>, name: &str, findings: &mut Vec<Finding>) {
    let Handler { event, fields, .. } = handler;
    let Some(known) = handler_type(name) else { return };
    let is_known = |key: &str| {
        let is_field = known.fields().any(|field| field.name == key);
        is_field || OTHERS.contains(&key) || key == "onFailure" && name == "mcp_tool"
    };
    for (key, value) in fields {
        let of_others = HANDLER_TYPES.iter().filter(|other| other.fields().any(|field| field.name == key));
        let of_others: Vec<&str> = of_others.map(|other| other.name).collect();
        findings.extend(match &**key {
            key if is_known(key) => None,
            "enabled" | "disabled" if *value == Value::Bool(key == "disabled") => Some(hooks::not_disabled(key)),
            "matcher" => Some(hooks::matcher_in_hook()),
            "env" => Some(hooks::env_in_hook()),
            "cwd" => Some(hooks::cwd_in_hook()),
            _ if !of_others.is_empty() => {
                Some(hooks::key_of_another_type(key, lint::or_list(&of_others, "or")).removing(key))
            }
            _ => {
                let names = || known.fields().map(|field| field.name);
                // `timeoutMs` has a different unit.
                let longer = || names().find(|name| name.len() > 5 && key.starts_with(name));
                let meant = misspelt(key, names()).map(|meant| (meant, !lists(HOW_IT_RUNS, meant)));
                let meant = meant.or_else(|| longer().map(|meant| (meant, false)));
                meant.filter(|(meant, _)| !fields.contains_key(*meant)).map(|(meant, is_sure)| {
                    let (from, to) = (key.clone(), meant.to_owned());
                    hooks::unknown_key(key, meant).fixed_by(is_sure.then_some(Edit::Rename { from, to }))
                })
            }
        });
    }
    // Observed: it always runs. Only in a skill's settings does the client remove it.
    if handler.is_true("once") {
        findings.push(hooks::once_in_settings().removing("once"));
    }
    if handler.is_command() && fields.contains_key("shell") && fields.contains_key("args") {
        findings.push(hooks::shell_with_args().removing("shell"));
    }
    let does = match event.background {
        Background::Possible => None,
        Background::Ignored => Some("Claude Code still waits for it"),
        Background::Fails => Some("Claude Code does not wait for its answer, and fails without an answer"),
    };
    if let Some(does) = does.filter(|_| handler.is_async()) {
        let key = ["async", "asyncRewake"].into_iter().find(|key| handler.is_true(key));
        let key = key.unwrap_or_default();
        findings.push(hooks::async_not_on_event(event.name, key, does).removing(key));
    }
}

/// Returns the key that was probably intended. A short key must have the same letters or be a plural, because it could
/// be another tool's key.
fn misspelt<'k>(written: &str, keys: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let plain = |key: &str| key.replace(['_', '-'], "").to_lowercase();
    let letters = |key: &str| {
        let mut letters: Vec<char> = plain(key).chars().collect();
        letters.sort_unstable();
        letters
    };
    let meant = hookkit_protocol::near(written, keys)?;
    let plural = |one: &str, other: &str| plain(one) + "s" == plain(other);
    let is_same = letters(meant) == letters(written) || plural(meant, written) || plural(written, meant);
    (written.len() >= 6 || is_same).then_some(meant)
}

fn on_failure(handler: Handler<'_>, name: &str, findings: &mut Vec<Finding>) {
    let Handler { event, fields, .. } = handler;
    let Some(value) = fields.get("onFailure") else { return };
    let is_of_tool = name == "mcp_tool";
    // For all other types, it is checked when the file is read.
    if is_of_tool && !matches!(value.as_str(), Some("continue" | "block")) {
        findings.push(hooks::invalid_on_failure(value));
    }
    if value == "continue" || !(is_of_tool || name == "command" || name == "http") {
        return;
    }
    let is_ignored = event.denial != Denial::Impossible && !event.honors_on_failure()
        || is_of_tool && ["Setup", "SessionStart"].contains(&event.name);
    if is_ignored {
        findings.push(hooks::on_failure_without_effect(event.name).removing("onFailure"));
    } else if handler.is_async() {
        findings.push(hooks::on_failure_with_async().removing("onFailure"));
    }
}

#[cfg(test)]
mod tests {
    use hookkit_protocol::event;
    use serde_json::json;

    use super::*;

    fn of(subject: &str, fields: &Value) -> Vec<Finding> {
        let (event, matcher) =
            subject.split_once(':').map_or((subject, None), |(event, matcher)| (event, Some(matcher)));
        let handler = Handler {
            event: event::event(event).expect(event),
            matcher,
            fields: fields.as_object().expect("an object"),
        };
        findings(handler, &Surroundings::default())
    }

    fn only(event: &str, fields: Value) -> Finding {
        let [finding] = <[Finding; 1]>::try_from(of(event, &fields)).expect("one finding");
        finding
    }

    #[test]
    fn each_hook_has_its_finding() {
        test_support::lines!("lines/doctor-handlers.txt").check(|section, line| {
            if section.name.starts_with("a matcher") {
                let does = matcher(&event::PRE_TOOL_USE, line).into_iter().map(|finding| finding.does);
                return does.collect::<Vec<_>>().join("; ");
            }
            let (subject, fields) = line.split_once(' ').expect(line);
            if section.name.starts_with("a key next to") {
                let (event, matcher) = subject.split_once(':').unzip();
                let event = event::event(event.unwrap_or(subject)).expect(subject);
                let keys: Vec<String> = fields.split(", ").map(str::to_owned).collect();
                let fixes = group(event, matcher, &keys).into_iter().map(|finding| finding.fix);
                return fixes.collect::<Vec<_>>().join("; ");
            }
            let findings = of(subject, &serde_json::from_str(fields).expect(line)).into_iter();
            findings.map(|finding| finding.what).collect::<Vec<_>>().join("; ")
        });
    }

    #[test]
    fn a_matcher_where_none_is_read_is_removed() {
        let [finding] = &matcher(&event::STOP, "Bash")[..] else {
            panic!("not one finding");
        };
        assert_eq!(finding.edit, Some(Edit::RemoveMatcher));
        assert_eq!(matcher(&event::STOP, "*"), []);
        assert_eq!(matcher(&event::STOP, ".*"), []);
    }

    #[test]
    fn no_message_mentions_the_attribute() {
        for text in ["Bash(git *)", "mcp__srv__x|Agent(x)", "Wirte", "(", "startup(x)"] {
            for finding in matcher(&event::PRE_TOOL_USE, text) {
                let all = format!("{} {}", finding.what, finding.fix);
                assert!(!all.contains("unchecked") && !all.contains("matcher =") && !all.contains('\n'), "{all}");
            }
        }
    }

    #[test]
    fn a_fix_is_an_edit_where_it_is_unambiguous() {
        let finding = only("SessionStart", json!({ "type": "http", "url": "https://x.example" }));
        assert_eq!(finding.fix, "use `command` or `mcp_tool`");
        let with = |timeout: u32| json!({ "type": "prompt", "prompt": "x", "timeout": timeout });
        let (key, value) = ("timeout", Value::from(30));
        assert_eq!(only("Stop", with(30_000)).edit, Some(Edit::Set { key, value }));
        assert_eq!(only("Stop", with(9001)).edit, None);
        let (from, to) = ("timeOut".to_owned(), "timeout".to_owned());
        let misspelt = json!({ "type": "command", "command": "true", "timeOut": 5 });
        assert_eq!(only("Stop", misspelt).edit, Some(Edit::Rename { from, to }));
    }

    #[test]
    fn async_where_claude_code_needs_the_answer() {
        let does = |event| only(event, json!({ "type": "command", "command": "true", "async": true })).does;
        let fails = "Claude Code does not wait for its answer, and fails without an answer";
        assert_eq!(does("WorktreeCreate"), fails);
        assert_eq!(does("MessageDisplay"), "Claude Code still waits for it");
    }
}
