//! A hook reads the same from a payload as serde_json, and the same from a stream as from bytes.

#![no_main]

use std::fmt::Debug;

use hookkit::event::*;
use hookkit::fuzzing;
use hookkit::prelude::{PreToolUseAnswer, StopAnswer, hook};
use hookkit::{Context, Event, FromInput, Hook, Json, Payload, respond, tool};
use hookkit_fuzz::{Choices, Pieces, depth, for_serde_json};
use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A hook that does not read all payloads to the end.
#[hook(PreToolUse, matcher = "Edit|Write", on_failure = block)]
pub fn on_edit(call: PreToolUse<tool::FileChange>) -> PreToolUseAnswer {
    PreToolUseAnswer::deny(format!("{call:?}"))
}

/// A hook that reads the whole payload.
#[hook(Stop)]
pub fn on_stop(stop: Stop, payload: Json) -> StopAnswer {
    StopAnswer::block(format!("{stop:?} {payload:?}"))
}

fuzz_target!(|document: &[u8]| {
    let (plain, repeats_a_key) = for_serde_json(document);
    let theirs = serde_json::from_slice::<Value>(&plain);
    match (fuzzing::value::<Value>(document), &theirs) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours, *theirs),
        (Ok(ours), Err(err)) => assert!(repeats_a_key, "{err}: {ours}"),
        // The limit is two levels lower than a payload's, which has two levels of its own.
        (Err(err), Ok(theirs)) => assert!(depth(theirs) > 125, "{err}"),
        (Err(_), Err(_)) => {}
    }
    let theirs = theirs.ok();
    match (Payload::parse(document), &theirs) {
        (Ok(payload), _) => {
            for hook in [on_edit::DEF, on_stop::DEF] {
                let early = fuzzing::respond_to_bytes(hook, document);
                let early = early.unwrap_or_else(|err| panic!("{err}"));
                assert!(repeats_a_key || respond(hook, &payload) == early);
            }
        }
        (Err(err), Some(theirs @ Value::Object(_))) => assert!(depth(theirs) > 127, "{err}"),
        (Err(_), _) => return event::<Stop>(document, None),
    }
    let _ = argument::<Stop, Context>(document);
    let _ = argument::<Stop, AnyEvent>(document);

    let name = theirs.as_ref().and_then(|value| value["hook_event_name"].as_str());
    macro_rules! events {
        ($($event:ident)*) => {
            match name {
                $(Some(stringify!($event)) => event::<$event>(document, theirs.as_ref()),)*
                _ => event::<Stop>(document, theirs.as_ref()),
            }
        };
    }
    events! {
        ConfigChange CwdChanged DirectoryAdded Elicitation ElicitationResult FileChanged InstructionsLoaded
        MessageDisplay Notification PermissionDenied PermissionRequest PostCompact PostModelSwitch PostToolBatch
        PostToolUse PostToolUseFailure PreCompact PreModelSwitch PreSkillShellCommand PreToolUse SessionEnd SessionStart
        Setup StopFailure SubagentStart SubagentStop TaskCompleted TaskCreated TeammateIdle UserPromptExpansion UserPromptSubmit
        WorktreeCreate WorktreeRemove
    }
    let tool = theirs.as_ref().and_then(|value| value["tool_name"].as_str());
    macro_rules! tools {
        ($($tool:ident)*) => {
            match tool {
                $(Some(stringify!($tool)) => {
                    let _ = argument::<PreToolUse, PreToolUse<tool::$tool>>(document);
                    let _ = argument::<PostToolUse, PostToolUse<tool::$tool>>(document);
                    input::<tool::$tool>(theirs.as_ref());
                })*
                _ => {}
            }
        };
    }
    tools! {
        Agent AskUserQuestion Bash Edit ExitPlanMode Glob Grep NotebookEdit Read Skill TaskCreate TaskUpdate TodoWrite
        WebFetch WebSearch Write
    }
    let _ = argument::<PreToolUse, PreToolUse<tool::FileAccess>>(document);
    let _ = argument::<PreToolUse, PreToolUse<tool::TextChange>>(document);
});

/// Checks that an event is decoded as by serde_json.
fn event<E>(document: &[u8], theirs: Option<&Value>)
where
    E: Event + FromInput<E> + Debug + Serialize + DeserializeOwned,
{
    let ours = argument::<E, E>(document);
    if let Some(theirs) = theirs {
        compare(ours, theirs);
    }
}

/// Checks that a tool's input is decoded as by serde_json.
fn input<T: Debug + Serialize + DeserializeOwned>(theirs: Option<&Value>) {
    let Some(theirs) = theirs.and_then(|value| value.get("tool_input")) else {
        return;
    };
    let json = Json::encode(theirs).unwrap_or_else(|err| panic!("{err}"));
    compare(json.decode::<T>().map_err(Into::into), theirs);
}

fn compare<T: Debug + Serialize + DeserializeOwned>(ours: Result<T, hookkit::Error>, theirs: &Value) {
    match (ours, serde_json::from_value::<T>(theirs.clone())) {
        // hookkit decides by the digits; a `Value` holds the nearest floating-point number.
        (Ok(_), Ok(_)) if has_fraction(theirs) => {}
        (Ok(ours), Ok(theirs)) => assert_eq!(written(&ours), written(&theirs)),
        // For a type that accepts `null`, an absent input is `null`.
        (Ok(ours), Err(err)) => assert!(
            err.to_string().starts_with("missing field `tool_"),
            "{err}, but {ours:?}"
        ),
        // serde_json also decodes a struct from a list.
        (Err(err), Ok(theirs)) => assert!(err.to_string().contains("an array"), "{err}, but {theirs:?}"),
        (Err(_), Err(_)) => {}
    }
}

/// Returns the serialized value, with U+FFFD in place of lone surrogates, which a `Value` cannot hold.
fn written(value: &impl Serialize) -> Value {
    let text = serde_json::to_vec(value).unwrap_or_else(|err| panic!("{err}"));
    serde_json::from_slice(&for_serde_json(&text).0).unwrap_or_else(|err| panic!("{err}"))
}

fn has_fraction(value: &Value) -> bool {
    match value {
        Value::Array(elements) => elements.iter().any(has_fraction),
        Value::Object(members) => members.values().any(has_fraction),
        value => value.is_f64(),
    }
}

/// Checks that an argument is the same from a stream, from bytes and from a parsed payload, and returns it.
fn argument<E: Event, T: FromInput<E> + Debug>(document: &[u8]) -> Result<T, hookkit::Error> {
    let mut choices = Choices::of(document);
    let (start, rest) = document.split_at(choices.below(document.len() + 1).min(choices.below(64)));
    let streamed = fuzzing::streamed::<E, T>(start, Pieces { text: rest, choices });
    let whole = fuzzing::whole::<E, T>(document);
    match (&whole, &streamed) {
        (Ok(whole), Ok(streamed)) => assert_eq!(format!("{whole:?}"), format!("{streamed:?}")),
        (Ok(whole), Err(err)) => panic!("{err}, but {whole:?}"),
        // A stream is only read to the closing brace.
        (Err(err), Ok(streamed)) => {
            let end = fuzzing::end_of_value(document).unwrap_or_else(|err| panic!("{err}, but {streamed:?}"));
            assert!(end < document.len(), "{err}, but {streamed:?}");
            let whole =
                fuzzing::whole::<E, T>(&document[..end]).unwrap_or_else(|err| panic!("{err}, but {streamed:?}"));
            assert_eq!(format!("{whole:?}"), format!("{streamed:?}"));
        }
        (Err(_), Err(_)) => {}
    }
    // The parser of a whole payload also rejects errors in members that other readers skip.
    let strict = Payload::parse(document).and_then(|payload| T::from_input(&payload));
    if let Ok(strict) = strict {
        let whole = whole.as_ref().unwrap_or_else(|err| panic!("{err}, but {strict:?}"));
        assert_eq!(format!("{whole:?}"), format!("{strict:?}"));
    }
    whole
}
