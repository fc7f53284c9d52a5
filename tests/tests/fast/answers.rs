//! The methods of all answers have names by one rule, as `tests/api/hookkit.txt` has them.

use hookkit::protocol::event::{Denial, EVENTS, Event};
use hookkit::protocol::output::{self, MEMBERS, MemberKind, Stop};
use hookkit_tests::prelude::*;

/// The members of the object that decides a permission request, without those that are the decision.
const OF_A_REQUEST: [&str; 3] = ["interrupt", "updatedInput", "updatedPermissions"];

/// A member that is not a decision, as methods name it.
fn named(member: &str) -> String {
    if member == "additionalContext" {
        return "context".to_owned();
    }
    let mut name = String::new();
    for char in member.chars() {
        if char.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(char.to_ascii_lowercase());
    }
    name
}

/// The names of the members that an event's answer can have.
fn members(event: &Event) -> BTreeSet<String> {
    if !event.takes_json() {
        return BTreeSet::from(["plain_text".to_owned()]);
    }
    let own = event.members.unwrap_or_default();
    let mut names: BTreeSet<String> = MEMBERS.iter().chain(own).map(|member| named(member.name)).collect();
    if own.iter().any(|member| member.kind == MemberKind::Decision) {
        names.extend(OF_A_REQUEST.map(named));
    }
    names
}

/// The client's words for what an event's answer can decide.
fn decisions(event: &Event) -> BTreeSet<&'static str> {
    let own = event.members.unwrap_or_default();
    let mut words = BTreeSet::from(["pass"]);
    for member in own {
        match member.kind {
            MemberKind::Word(of_member) => words.extend(of_member),
            MemberKind::Decision => words.extend(["allow", "deny"]),
            _ if member.name == "retry" => words.extend(["retry"]),
            _ => {}
        }
    }
    // At the end of a team member's turn it counts; the table has the calls of TaskUpdate.
    let may_stop = event.stop != Stop::Ignored || event.name == "TaskCompleted";
    for (word, is_decided) in [
        ("block", event.block != output::Block::Ignored),
        ("stop", may_stop),
        ("context", event.context == output::Context::KeepsGoing),
    ] {
        if is_decided {
            words.insert(word);
        }
    }
    match event.denial {
        // It has to answer, and with nothing else.
        Denial::Fail => BTreeSet::from(["path"]),
        _ => words,
    }
}

/// Returns whether a constructor is a decision, and what only that decision takes.
fn is_constructor(name: &str, event: &Event) -> bool {
    let words = decisions(event);
    words.iter().any(|word| {
        let Some(rest) = name.strip_prefix(word) else {
            return false;
        };
        let more = rest.strip_prefix("_and_");
        ["", "_once", "_url", "_with_reason"].contains(&rest)
            || more.is_some_and(|more| words.contains(more) || members(event).contains(more))
    })
}

/// A method: its name, and whether it takes the answer.
type Method<'a> = (&'a str, bool);

/// The methods of all answers, by the answer's name.
fn answers(api: &str) -> BTreeMap<&str, Vec<Method<'_>>> {
    let mut answers: BTreeMap<&str, Vec<Method<'_>>> = BTreeMap::new();
    for line in api.lines() {
        let path = line.strip_prefix("pub fn hookkit::answer::");
        let Some((path, arguments)) = path.and_then(|path| path.split_once('(')) else {
            continue;
        };
        let Some((answer, method)) = path.split_once("::") else {
            continue;
        };
        let answer = answer.split('<').next().unwrap_or_default();
        if answer.ends_with("Answer") && answer != "Answer" {
            let methods = answers.entry(answer).or_default();
            methods.push((method, arguments.starts_with("self")));
        }
    }
    answers
}

/// An answer that is also for another event, as far as that goes: its docs say what is left out.
const LENT: [(&str, &str); 1] = [("PreToolUseAnswer", "PreSkillShellCommand")];

/// The events that an answer is for; none if it is for all that implement a trait.
fn events(answer: &str, api: &str) -> Vec<&'static Event> {
    let path = format!("hookkit::answer::{answer}");
    let is_about = |line: &&str| {
        let rest = line.split_once(&path).map(|(_, rest)| rest);
        line.starts_with("impl") && rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let lines: Vec<&str> = api.lines().filter(is_about).collect();
    let is_for = |event: &&Event| {
        let implemented = format!("Answer<hookkit::event::{}>", event.name);
        lines.iter().any(|line| line.contains(&implemented))
    };
    EVENTS.iter().copied().filter(is_for).collect()
}

#[test]
fn an_answer_begins_with_a_decision_and_all_else_is_a_member() -> Result<()> {
    let path = repository().join("tests/api/hookkit.txt");
    let api = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let (mut faults, mut checked) = (Vec::new(), 0);
    for (answer, methods) in answers(&api) {
        let mut events = events(answer, &api);
        events.retain(|event| !LENT.contains(&(answer, event.name)));
        for (method, takes_answer) in methods {
            checked += 1;
            let is_member = |event: &&Event| {
                let member = method.strip_prefix("with_");
                member.is_some_and(|member| members(event).contains(member))
            };
            let is_named = match takes_answer {
                true if events.is_empty() => EVENTS.iter().any(is_member),
                true => events.iter().all(is_member),
                false if events.is_empty() => method == "pass" || (answer, method) == ("RewakeAnswer", "wake"),
                false => events.iter().all(|event| is_constructor(method, event)),
            };
            if !is_named {
                faults.push(format!("{answer}::{method}"));
            }
        }
    }
    assert_eq!(faults, Vec::<String>::new());
    assert!(checked > 140, "{checked} methods");
    Ok(())
}

#[test]
fn other_names_are_faults() {
    let event = |name| *EVENTS.iter().find(|event| event.name == name).expect("an event");
    for (method, on) in [
        ("context", "PreToolUse"),
        ("system_message", "DirectoryAdded"),
        ("instructions", "PreCompact"),
        ("block_and_suppress_prompt", "UserPromptSubmit"),
        ("block", "SessionStart"),
        ("stop", "ConfigChange"),
        ("deny_and_context", "PermissionRequest"),
    ] {
        assert!(!is_constructor(method, event(on)), "{method} on {on}");
    }
    assert!(is_constructor("context_once", event("Stop")));
    for (member, on) in [
        ("updated_output", "PostToolUse"),
        ("suppressed_output", "Stop"),
        ("context", "ConfigChange"),
        ("plain_text", "Stop"),
    ] {
        assert!(!members(event(on)).contains(member), "{member} on {on}");
    }
    assert!(members(event("PermissionRequest")).contains("updated_permissions"));
}
