//! Rules about one handler of a settings file, and the group around it.
//!
//! The described behavior of Claude Code is that of client 2.1.330.
//! Values of the wrong type are checked in `settings::check`: Claude Code does not read such a handler.

use hookkit_protocol::event::{Background, Denial, Event, MatcherTarget, PRE_SKILL_SHELL_COMMAND};
use hookkit_protocol::lint::{self, Effect, Origin};
use hookkit_protocol::matcher::Matcher;
use hookkit_protocol::settings::{HANDLER_TYPES, handler_type};
use hookkit_shell::programs::table::lists;
use serde_json::Value;

use super::command::Command;
use crate::diagnose::fields::{Handler, is_true, text};
use crate::diagnose::finding::{Finding, Fix, Surroundings};
use crate::diagnose::rules::command::{check, started};
use crate::settings::code::Code;
use crate::settings::reading::GROUP_KEYS;

/// Checks the matcher of a group, on one event.
pub(crate) fn matcher(event: &'static Event, text: &str) -> Vec<Finding> {
    if Matcher::new(text, event) == Matcher::All {
        return Vec::new();
    }
    if event.matcher_target == MatcherTarget::Ignored {
        // `.*` is correct: the hook runs each time.
        if !text.contains(char::is_alphanumeric) {
            return Vec::new();
        }
        let finding = Finding::new(
            Code::MatcherWithoutEffect,
            format!("the matcher `{text}` has no effect on {}", event.name),
            "Claude Code ignores it, and runs the hook each time",
            "remove it",
        );
        return vec![finding.fixed_by(Fix::RemoveMatcher)];
    }
    let faults = lint::matcher(event, text, Origin::Settings).into_iter();
    let findings = faults.filter_map(|fault| {
        let (code, does) = match fault.effect {
            Effect::Never => (Code::MatcherMatchesNothing, "Claude Code never runs the hook for it"),
            Effect::More => (
                Code::MatcherMatchesMore,
                "Claude Code runs the hook more often than intended",
            ),
            Effect::Harmless => return None,
        };
        Some(Finding::new(code, fault.what, does, fault.fix))
    });
    findings.collect()
}

/// Checks the keys next to `hooks` that the client does not read.
pub(crate) fn group(event: &'static Event, matcher: Option<&str>, unread: &[String]) -> Vec<Finding> {
    let runs_always = matcher.is_none() && event.matcher_target != MatcherTarget::Ignored;
    let does = match runs_always {
        true => "Claude Code ignores it, and without a `matcher` runs the hooks each time",
        false => "Claude Code ignores it",
    };
    let is_of_hook = |key: &str| {
        HANDLER_TYPES
            .iter()
            .flat_map(|known| known.fields())
            .any(|field| field.name == key)
    };
    let findings = unread.iter().filter_map(|key| {
        let fix = match misspelt(key, GROUP_KEYS.into_iter()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if is_of_hook(key) => format!("move `{key}` into the hook"),
            None if runs_always && !is_note(key) => "write `\"matcher\": …`, or remove the key".to_owned(),
            None => return None,
        };
        Some(Finding::new(
            Code::UnknownKey,
            format!("`{key}` is not a key next to `hooks`"),
            does,
            fix,
        ))
    });
    findings.collect()
}

/// Returns `true` if a key is one that people write for themselves.
fn is_note(key: &str) -> bool {
    const NOTES: &str = "comment comments description enabled id label name note notes tag title version";
    let bare = key.trim_start_matches(|char: char| !char.is_alphanumeric());
    bare.len() < key.len() || lists(NOTES, bare)
}

/// Returns a note about a correct matcher for tools that the client offers only on request.
pub(crate) fn offered_on_demand(event: &'static Event, text: &str) -> Option<Finding> {
    let matcher = Matcher::new(text, event);
    let names: Vec<&str> = matcher.names().collect();
    let is_on_demand = |name: &&str| ["Glob", "Grep"].contains(name);
    if event.matcher_target != MatcherTarget::ToolName || names.is_empty() || !names.iter().all(is_on_demand) {
        return None;
    }
    let what = format!(
        "the model has {} only in sessions with `--tools`",
        lint::or_list(&names, "and")
    );
    let does = "Claude Code runs the hook only there; elsewhere the model searches with Bash";
    Some(Finding::new(
        Code::ToolOnRequest,
        what,
        does,
        "for searches with Bash, check the command in a hook with the matcher `Bash`",
    ))
}

/// Returns the parts of a group's matcher that match nothing on one event, each with its fix.
pub(crate) fn matches_nothing(event: &'static Event, text: &str) -> Vec<String> {
    let findings = matcher(event, text).into_iter();
    let never = findings.filter(|finding| finding.code == Code::MatcherMatchesNothing);
    never
        .map(|finding| format!("{}; {}", finding.what, finding.fix))
        .collect()
}

/// Checks a handler, without its group's matcher.
pub(crate) fn findings(handler: Handler<'_>, surroundings: &Surroundings) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(name) = text(handler.fields, "type") else {
        return findings;
    };
    runs_here(handler, name, &mut findings);
    condition(handler, &mut findings);
    timeout(handler, &mut findings);
    keys(handler, name, &mut findings);
    on_failure(handler, name, &mut findings);
    if handler.is_command()
        && let Some(command) = Command::of(handler, surroundings)
    {
        check::check(&command, &mut findings);
        started::check(&command, &mut findings);
    }
    findings
}

fn runs_here(handler: Handler<'_>, name: &str, findings: &mut Vec<Finding>) {
    let types = handler.event.handler_types;
    if handler_type(name).is_some() && !types.contains(&name) {
        let event = handler.event.name;
        findings.push(Finding::new(
            Code::TypeNotOnEvent,
            format!("a hook of type `{name}` cannot run on {event}"),
            if handler.event.name == PRE_SKILL_SHELL_COMMAND.name {
                "Claude Code runs no command of a skill then"
            } else {
                "Claude Code reports an error instead, and goes on"
            },
            format!("use {}", lint::or_list(types, "or")),
        ));
    }
}

fn condition(handler: Handler<'_>, findings: &mut Vec<Finding>) {
    let Handler { event, matcher, fields } = handler;
    let Some(condition) = text(fields, "if").filter(|condition| !condition.is_empty()) else {
        return;
    };
    if !event.evaluates_if() {
        findings.push(Finding::new(
            Code::IfWithoutToolCall,
            format!("{} has no tool call that an `if` could match", event.name),
            "Claude Code never runs the hook",
            "remove the `if`, and check the input in the hook's program",
        ));
        return;
    }
    // A matcher with mistakes is not compared.
    let matcher = matcher.filter(|matcher| lint::matcher(event, matcher, Origin::Settings).is_empty());
    if let Err(fault) = lint::condition(event, condition, matcher, Origin::Settings)
        && fault.effect == Effect::Never
    {
        findings.push(Finding::new(
            Code::IfNeverHolds,
            fault.what,
            "Claude Code never runs the hook",
            fault.fix,
        ));
    }
}

/// Maximum time that the client gives to hooks at a session's end, in seconds (client 2.1.330).
const LONGEST_SESSION_END: f64 = 60.0;

fn timeout(handler: Handler<'_>, findings: &mut Vec<Finding>) {
    let Some(timeout) = handler.fields.get("timeout") else {
        return;
    };
    let Some(seconds) = timeout.as_f64().filter(|seconds| *seconds > 0.0) else {
        return;
    };
    let key = || "timeout".to_owned();
    let is_plain_async = handler.is_async() && !is_true(handler.fields, "asyncRewake");
    if is_plain_async && handler.event.may_be_async() {
        let what = "`timeout` has no effect with `async`";
        let does = "Claude Code does not limit the process";
        findings
            .push(Finding::new(Code::TimeoutWithAsync, what, does, "remove it").fixed_by(Fix::Remove { key: key() }));
        return;
    }
    let whole = timeout.as_u64().and_then(|seconds| u32::try_from(seconds).ok());
    if let Some(whole) = whole
        && let Err(fault) = lint::timeout(whole, Origin::Settings)
    {
        let does = format!("Claude Code waits {} minutes for a hook that hangs", whole / 60);
        let is_in_milliseconds = lint::looks_like_milliseconds(whole);
        let code = match is_in_milliseconds {
            true => Code::TimeoutInMilliseconds,
            false => Code::LongTimeout,
        };
        let finding = Finding::new(code, fault.what, does, fault.fix);
        findings.push(match is_in_milliseconds {
            true => finding.fixed_by(Fix::Set {
                key: key(),
                value: whole.div_ceil(1000).into(),
            }),
            false => finding,
        });
    } else if handler.event.name == "SessionEnd" && seconds > LONGEST_SESSION_END {
        findings.push(Finding::new(
            Code::SessionEndTimeout,
            format!("a hook on SessionEnd has {LONGEST_SESSION_END} seconds at most"),
            "Claude Code ends it then, regardless of its `timeout`",
            format!("write at most `\"timeout\": {LONGEST_SESSION_END}`, or do the work in a separate process"),
        ));
    }
}

/// Keys that the client reads in addition to those of `HANDLER_TYPES`.
const OTHERS: &[&str] = &["type", "cloud"];

fn keys(handler: Handler<'_>, name: &str, findings: &mut Vec<Finding>) {
    let Handler { event, fields, .. } = handler;
    let Some(known) = handler_type(name) else { return };
    let is_known = |key: &str| {
        let is_field = known.fields().any(|field| field.name == key);
        is_field || OTHERS.contains(&key) || key == "onFailure" && name == "mcp_tool"
    };
    let ignored = "Claude Code ignores it";
    for (key, value) in fields {
        let remove = || Fix::Remove { key: key.clone() };
        if is_known(key) {
            continue;
        }
        let is_off =
            key == "enabled" && value == &Value::Bool(false) || key == "disabled" && value == &Value::Bool(true);
        let of_others = HANDLER_TYPES
            .iter()
            .filter(|other| other.fields().any(|field| field.name == key));
        let of_others: Vec<&str> = of_others.map(|other| other.name).collect();
        if is_off {
            let does = "Claude Code ignores it, and runs the hook";
            let fix = "remove the hook, or have its program do nothing";
            findings.push(Finding::new(
                Code::NotDisabled,
                format!("`{key}` is not a key of a hook"),
                does,
                fix,
            ));
        } else if key == "matcher" {
            let what = "`matcher` is inside a hook";
            let does = "Claude Code ignores it there, and uses the one next to the list `hooks`";
            findings.push(Finding::new(Code::MatcherInHook, what, does, "move it next to `hooks`"));
        } else if key == "env" || key == "cwd" {
            let fix = match &**key {
                "env" => "set the variables in the command, or in `env` of the settings",
                _ => "write absolute paths, or `cd` in the command",
            };
            findings.push(Finding::new(
                Code::EnvOrCwdInHook,
                format!("`{key}` is not a key of a hook"),
                ignored,
                fix,
            ));
        } else if !of_others.is_empty() {
            let what = format!("`{key}` is for hooks of type {}", lint::or_list(&of_others, "or"));
            findings.push(Finding::new(Code::KeyOfAnotherType, what, ignored, "remove it").fixed_by(remove()));
        } else if let Some(meant) = misspelt(key, known.fields().map(|field| field.name))
            && !fields.contains_key(meant)
        {
            let what = format!("`{key}` is not a key of a hook");
            let fix = Fix::Rename {
                from: key.clone(),
                to: meant.to_owned(),
            };
            findings
                .push(Finding::new(Code::UnknownKey, what, ignored, format!("did you mean `{meant}`?")).fixed_by(fix));
        }
    }
    // Observed: it runs each time. Only in a skill's settings does the client remove it.
    if is_true(fields, "once") {
        let does = "Claude Code honors it only in skills, and runs the hook each time";
        let key = "once".to_owned();
        findings.push(
            Finding::new(
                Code::OnceInSettings,
                "`once` has no effect in settings",
                does,
                "remove it",
            )
            .fixed_by(Fix::Remove { key }),
        );
    }
    if handler.is_command() && fields.contains_key("shell") && fields.contains_key("args") {
        let does = "Claude Code starts the program without a shell, and ignores `shell`";
        let key = "shell".to_owned();
        let finding = Finding::new(
            Code::ShellWithArgs,
            "`shell` has no effect with `args`",
            does,
            "remove one of them",
        );
        findings.push(finding.fixed_by(Fix::Remove { key }));
    }
    let does = match event.background {
        Background::Possible => None,
        Background::Ignored => Some("Claude Code still waits for it"),
        Background::Fails => Some("Claude Code does not wait for its answer, and fails without it"),
    };
    if let Some(does) = does.filter(|_| handler.is_async()) {
        let key = ["async", "asyncRewake"].into_iter().find(|key| is_true(fields, key));
        let key = key.unwrap_or_default().to_owned();
        let what = format!("a hook on {} cannot be `{key}`", event.name);
        let finding = Finding::new(Code::AsyncNotOnEvent, what, does, "remove it");
        findings.push(finding.fixed_by(Fix::Remove { key }));
    }
}

/// Returns the key that was probably meant. A short key has the same letters, or is its plural: other tools' keys are short, too.
fn misspelt<'k>(written: &str, keys: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let plain = |key: &str| key.replace(['_', '-'], "").to_lowercase();
    let letters = |key: &str| {
        let mut letters: Vec<char> = plain(key).chars().collect();
        letters.sort_unstable();
        letters
    };
    let meant = lint::near(written, keys)?;
    let plural = |one: &str, other: &str| plain(one) + "s" == plain(other);
    let is_same = letters(meant) == letters(written) || plural(meant, written) || plural(written, meant);
    (written.len() >= 6 || is_same).then_some(meant)
}

fn on_failure(handler: Handler<'_>, name: &str, findings: &mut Vec<Finding>) {
    let Handler { event, fields, .. } = handler;
    let Some(value) = fields.get("onFailure") else { return };
    let is_of_tool = name == "mcp_tool";
    let fix = Fix::Remove {
        key: "onFailure".to_owned(),
    };
    // For all other types it is checked when the file is read.
    if is_of_tool && !matches!(value.as_str(), Some("continue" | "block")) {
        let what = format!("`onFailure` must be `continue` or `block`, not {value}");
        findings.push(Finding::new(
            Code::InvalidOnFailure,
            what,
            "Claude Code treats it as `block`",
            "write one of them",
        ));
    }
    if value == "continue" || !(is_of_tool || name == "command" || name == "http") {
        return;
    }
    let is_ignored = event.denial != Denial::Impossible && !event.honors_on_failure()
        || is_of_tool && ["Setup", "SessionStart"].contains(&event.name);
    if is_ignored {
        findings.push(
            Finding::new(
                Code::OnFailureWithoutEffect,
                format!("`onFailure` has no effect on {}", event.name),
                "Claude Code goes ahead when the hook fails",
                "remove it, and have the program exit with 2 when it fails",
            )
            .fixed_by(fix),
        );
    } else if handler.is_async() {
        findings.push(
            Finding::new(
                Code::OnFailureWithoutEffect,
                "`onFailure` has no effect with `async`",
                "Claude Code does not wait for the hook, and blocks nothing when it fails",
                "remove one of them",
            )
            .fixed_by(fix),
        );
    }
}

#[cfg(test)]
mod tests {
    use hookkit_protocol::event;
    use serde_json::json;

    use super::*;

    fn of(subject: &str, fields: &Value) -> Vec<Finding> {
        let (event, matcher) = subject
            .split_once(':')
            .map_or((subject, None), |(event, matcher)| (event, Some(matcher)));
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
                let does = matcher(&event::PRE_TOOL_USE, line)
                    .into_iter()
                    .map(|finding| finding.does);
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
        assert_eq!(finding.edit, Some(Fix::RemoveMatcher));
        assert_eq!(matcher(&event::STOP, "*"), []);
        assert_eq!(matcher(&event::STOP, ".*"), []);
    }

    #[test]
    fn no_message_mentions_the_attribute() {
        for text in ["Bash(git *)", "mcp__srv__x|Agent(x)", "Wirte", "(", "startup(x)"] {
            for finding in matcher(&event::PRE_TOOL_USE, text) {
                let all = format!("{} {}", finding.what, finding.fix);
                assert!(
                    !all.contains("unchecked") && !all.contains("matcher =") && !all.contains('\n'),
                    "{all}"
                );
            }
        }
    }

    #[test]
    fn a_fix_is_an_edit_where_it_is_unambiguous() {
        let finding = only("SessionStart", json!({ "type": "http", "url": "https://x.example" }));
        assert_eq!(finding.fix, "use `command` or `mcp_tool`");
        let with = |timeout: u32| json!({ "type": "prompt", "prompt": "x", "timeout": timeout });
        let (key, value) = ("timeout".to_owned(), Value::from(30));
        assert_eq!(only("Stop", with(30_000)).edit, Some(Fix::Set { key, value }));
        assert_eq!(only("Stop", with(9001)).edit, None);
        let (from, to) = ("timeOut".to_owned(), "timeout".to_owned());
        let misspelt = json!({ "type": "command", "command": "true", "timeOut": 5 });
        assert_eq!(only("Stop", misspelt).edit, Some(Fix::Rename { from, to }));
    }

    #[test]
    fn async_where_claude_code_needs_the_answer() {
        let does = |event| only(event, json!({ "type": "command", "command": "true", "async": true })).does;
        let fails = "Claude Code does not wait for its answer, and fails without it";
        assert_eq!(does("WorktreeCreate"), fails);
        assert_eq!(does("MessageDisplay"), "Claude Code still waits for it");
    }
}
