//! Payloads of clients that do not exist yet: a recorded payload with one change.
//!
//! Whatever a client adds is never an error, words that are not known are kept, and of what it takes away or changes nothing else is
//! lost.

use anyhow::Context as _;
use fastrand::Rng;
use hookkit::prelude::*;
use hookkit::testing::{Action, run_recorded};
use hookkit::{FromInput, Hook, Payload};
use hookkit_tests::prelude::*;

use super::{differences, event_of, recorded, typed};
use crate::soak;

/// The name of what is added, and the word that is not known.
const UNKNOWN: &str = "ofTheFuture";

/// A change of one value.
#[derive(Debug, Clone, Copy)]
enum Change {
    /// The object that it is gets a member more.
    Add,
    /// The member has another name.
    Rename,
    /// The value has another type.
    Retype,
    Null,
    Remove,
    /// The text is another one.
    Word,
}

const CHANGES: [Change; 6] = [Change::Add, Change::Rename, Change::Retype, Change::Null, Change::Remove, Change::Word];

/// Returns the pointers of all values in a value, and its own.
fn pointers(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                pointers(value, &format!("{at}/{key}"), all);
            }
        }
        Value::Array(elements) => {
            for (index, value) in elements.iter().enumerate() {
                pointers(value, &format!("{at}/{index}"), all);
            }
        }
        _ => {}
    }
}

/// Makes the change at a pointer. Returns `false` where the value there cannot have it.
fn change(payload: &mut Value, at: &str, change: Change, random: &mut Rng) -> bool {
    let Some((parent, key)) = at.rsplit_once('/') else {
        return matches!(change, Change::Add) && add(payload);
    };
    let key = key.replace("~1", "/").replace("~0", "~");
    let Some(value) = payload.pointer_mut(at) else {
        return false;
    };
    match change {
        Change::Add => return add(value),
        Change::Null => *value = Value::Null,
        Change::Word if value.is_string() => *value = UNKNOWN.into(),
        Change::Word => return false,
        Change::Retype => {
            let others = [json!(17), json!("17"), json!([17]), json!({"17": 17}), json!(true), json!(1.5)];
            let other = others[random.usize(..others.len())].clone();
            if std::mem::discriminant(&other) == std::mem::discriminant(value) {
                return false;
            }
            *value = other;
        }
        Change::Remove | Change::Rename => match payload.pointer_mut(parent) {
            Some(Value::Object(members)) => {
                let value = members.remove(&key);
                if let (Change::Rename, Some(value)) = (change, value) {
                    members.insert(format!("{key}{UNKNOWN}"), value);
                }
            }
            Some(Value::Array(elements)) if matches!(change, Change::Remove) => {
                let index = key.parse().ok().filter(|index| *index < elements.len());
                return index.map(|index: usize| elements.remove(index)).is_some();
            }
            _ => return false,
        },
    }
    true
}

fn add(value: &mut Value) -> bool {
    let values = [json!(1), json!("text"), json!({"a": [null]}), Value::Null];
    value.as_object_mut().is_some_and(|members| {
        let value = values[members.len() % values.len()].clone();
        members.insert(UNKNOWN.to_owned(), value).is_none()
    })
}

/// Removes what was added.
fn without_added(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove(UNKNOWN);
            members.values_mut().for_each(without_added);
        }
        Value::Array(elements) => elements.iter_mut().for_each(without_added),
        _ => {}
    }
}

/// Returns the name of the payload's member that a pointer leads to, or into.
fn first_member(pointer: &str) -> String {
    let name = pointer.split('/').nth(1).unwrap_or_default();
    name.replace("~1", "/").replace("~0", "~")
}

/// A guard of all that is called.
#[expect(unreachable_pub, reason = "a hook is public")]
#[hook(PreToolUse, on_failure = block)]
pub fn strict(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

/// A guard that decodes the input of one tool.
#[expect(unreachable_pub, reason = "a hook is public")]
#[hook(PreToolUse, on_failure = ask)]
pub fn cautious(_call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

#[test]
fn no_change_of_a_payload_is_lost_or_breaks_a_hook() -> Result<()> {
    let (recorded, mut random) = (recorded()?, Rng::with_seed(1));
    let mut outcomes = [[0_usize; 2]; CHANGES.len()];
    let mut events = BTreeSet::new();
    for _ in soak::rounds(3_000, 100_000) {
        let (name, payload, at, number, changed) = loop {
            let (name, payload) = &recorded[random.usize(..recorded.len())];
            let mut all = Vec::new();
            pointers(payload, "", &mut all);
            let (at, number) = (all.swap_remove(random.usize(..all.len())), random.usize(..CHANGES.len()));
            let mut changed = payload.clone();
            if !at.starts_with("/hook_event_name") && change(&mut changed, &at, CHANGES[number], &mut random) {
                break (name, payload, at, number, changed);
            }
        };
        let kind = CHANGES[number];
        let (event, text) = (event_of(payload), changed.to_string());
        let decoded = typed(event, &text);
        outcomes[number][usize::from(decoded.is_err())] += 1;
        events.insert(event.to_owned());
        let check = || -> Result<()> {
            match (kind, decoded) {
                (Change::Add, decoded) => {
                    let mut fields = Value::Object(decoded.context("what is added is an error")?.fields);
                    without_added(&mut fields);
                    let before = Value::Object(typed(event, &payload.to_string())?.fields);
                    ensure!(fields == before, "it changes what is decoded");
                }
                (Change::Word, decoded) => {
                    let decoded = decoded.context("a word that is not known is an error")?;
                    let lost = differences(&changed, &decoded);
                    ensure!(lost.is_empty(), "lost: {lost:?}");
                }
                (_, Ok(decoded)) => {
                    let lost = differences(&changed, &decoded);
                    let member = first_member(&at);
                    ensure!(lost.iter().all(|lost| lost.starts_with(&member)), "lost: {lost:?}");
                }
                (_, Err(err)) => {
                    let member = first_member(&at);
                    let said = format!("{err:#}");
                    ensure!(said.contains(&member), "the error does not name the member: {said}");
                }
            }
            if event == "PreToolUse" {
                let is_typed =
                    <PreToolUse as FromInput<PreToolUse>>::from_input(&Payload::parse(text.as_bytes())?).is_ok();
                let verdict = run_recorded(strict::DEF, text.as_bytes());
                let holds = (verdict.action == Action::GoesOn) == is_typed;
                ensure!(holds, "the policy does not hold: {verdict:?}");
                let verdict = run_recorded(cautious::DEF, text.as_bytes());
                let is_passed_or_asked = matches!(verdict.action, Action::GoesOn | Action::Asked);
                ensure!(is_passed_or_asked, "the policy does not hold: {verdict:?}");
            }
            Ok(())
        };
        check().with_context(|| format!("{name}: {kind:?} at {at}: {text}"))?;
    }
    eprintln!("decoded and refused, of {CHANGES:?}: {outcomes:?}");
    assert_eq!(events.len(), hookkit_protocol::event::EVENTS.len(), "an event was never changed");
    Ok(())
}
