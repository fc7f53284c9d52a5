//! Every event has a type, which holds every field that the client sends.
//!
//! The events are those of the facts table: none is listed here.

mod mutated;

use std::env;
use std::fmt::Debug;

use anyhow::Context as _;
use hookkit::event::{AnyEvent, Event, TypedEvent};
use hookkit::{Context, FromInput, Json, Payload};
use hookkit_protocol::event::{EVENTS, MatcherTarget, Values};
use hookkit_tests::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Map;
use test_support::lines::Row;

/// A decoded payload.
struct Decoded {
    /// The fields of the event and of the context, written again.
    fields: Map<String, Value>,
    /// The event for debugging, in which words that are not known are as `Other`.
    debug: String,
}

/// Decodes a payload into an event and its context, in each way that there is.
fn decode<E>(text: &str) -> Result<Decoded>
where
    E: Event + TypedEvent<Event = E> + FromInput<E> + Serialize + DeserializeOwned + PartialEq + Debug,
{
    let payload = Payload::parse(text.as_bytes())?;
    let event = E::from_input(&payload)?;
    let context = <Context as FromInput<E>>::from_input(&payload)?;
    let whole = <Json as FromInput<E>>::from_input(&payload)?;
    let any = <AnyEvent as FromInput<E>>::from_input(&payload)?;
    ensure!(whole.text() == text.trim(), "the payload is not kept as it was");
    ensure!(whole.decode::<E>()? == event, "a derived decoder disagrees");
    ensure!(any.get::<E>()?.as_ref() == Some(&event), "`AnyEvent` disagrees");
    let mut fields = Map::new();
    for value in [serde_json::to_value(&context)?, serde_json::to_value(&event)?] {
        let Value::Object(members) = value else { bail!("no object: {value}") };
        fields.extend(members);
    }
    fields.insert("hook_event_name".to_owned(), E::FACTS.name.into());
    Ok(Decoded { fields, debug: format!("{event:?}") })
}

macro_rules! each_event {
    ($($event:ident)*) => {
        /// Decodes a payload into the type of this event.
        fn typed(event: &str, text: &str) -> Result<Decoded> {
            match event {
                $(stringify!($event) => decode::<hookkit::event::$event>(text),)*
                other => bail!("there is no event `{other}`"),
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/events.rs"));

/// Returns `true` if a value says nothing: it may as well be absent.
fn is_nothing(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Bool(false)) || value.as_array().is_some_and(Vec::is_empty)
}

/// Adds the members that are in `raw` and not in `decoded`, by their paths.
fn lost(raw: &Value, decoded: &Value, path: &str, all: &mut BTreeSet<String>) {
    match (raw, decoded) {
        (Value::Object(raw), Value::Object(decoded)) => {
            for (key, value) in raw {
                lost(value, decoded.get(key).unwrap_or(&Value::Null), &format!("{path}.{key}"), all);
            }
        }
        (Value::Array(raw), Value::Array(decoded)) if raw.len() == decoded.len() => {
            for (value, decoded) in raw.iter().zip(decoded) {
                lost(value, decoded, &format!("{path}[]"), all);
            }
        }
        (Value::Number(raw), Value::Number(decoded)) if raw.as_f64() == decoded.as_f64() => {}
        _ if raw == decoded || (is_nothing(raw) && is_nothing(decoded)) => {}
        _ => {
            all.insert(path.trim_start_matches('.').to_owned());
        }
    }
}

/// Returns the members that are in the one and not in the other, both ways.
fn differences(raw: &Value, decoded: &Decoded) -> BTreeSet<String> {
    let decoded = Value::Object(decoded.fields.clone());
    let mut all = BTreeSet::new();
    lost(raw, &decoded, "", &mut all);
    lost(&decoded, raw, "", &mut all);
    all
}

/// The payloads in a folder, each with its name.
fn payloads(folder: &Path) -> Result<Vec<(String, Value)>> {
    let mut payloads = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        // Not by serde_json, which refuses half of an emoji.
        let value = Json::parse(fs::read_to_string(&path)?)?.decode()?;
        payloads.push((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), value));
    }
    payloads.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(payloads)
}

fn recorded() -> Result<Vec<(String, Value)>> {
    payloads(&repository().join("tests/fixtures/payloads"))
}

fn event_of(payload: &Value) -> &str {
    payload["hook_event_name"].as_str().unwrap_or_default()
}

#[test]
fn nothing_of_a_recorded_payload_is_lost() -> Result<()> {
    let mut seen = BTreeSet::new();
    for (name, payload) in recorded()? {
        let event = event_of(&payload);
        seen.insert(event.to_owned());
        let decoded = typed(event, &payload.to_string()).with_context(|| name.clone())?;
        assert_eq!(differences(&payload, &decoded), BTreeSet::new(), "{name}");
        assert!(!decoded.debug.contains("Other("), "{name}: {}", decoded.debug);
    }
    let all: BTreeSet<String> = EVENTS.iter().map(|event| event.name.to_owned()).collect();
    assert_eq!(seen, all, "an event was never recorded");
    Ok(())
}

/// Fields that no recorded payload has, by the client's schema (client 2.1.330).
#[test]
fn nothing_of_a_field_that_was_not_recorded_is_lost() -> Result<()> {
    let table: Lines = lines!("lines/events.txt");
    for row in &table.section("fields that were not recorded").rows {
        let [event] = row.fields();
        let fields: Value = serde_json::from_str(&row.line)?;
        let recorded = recorded()?;
        let found = recorded.into_iter().find(|(_, payload)| event_of(payload) == event);
        let (_, mut payload) = found.with_context(|| format!("no payload of {event}"))?;
        for (key, value) in fields.as_object().into_iter().flatten() {
            payload[key] = value.clone();
        }
        let decoded = typed(event, &payload.to_string())?;
        assert_eq!(differences(&payload, &decoded), BTreeSet::new(), "{event}");
    }
    Ok(())
}

/// The required members of each event are in `fixtures/required.json`, for readers.
/// `SNAPSHOTS=overwrite cargo test -p hookkit-tests --test fast events` writes it anew.
#[test]
fn what_is_optional_may_be_null_and_may_be_absent() -> Result<()> {
    let mut required: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, payload) in recorded()? {
        let event = event_of(&payload);
        let of_event = required.entry(event.to_owned()).or_default();
        for key in payload.as_object().into_iter().flatten().map(|(key, _)| key) {
            if key == "hook_event_name" {
                continue;
            }
            let mut without = payload.clone();
            without.as_object_mut().and_then(|members| members.remove(key));
            let mut with_null = payload.clone();
            with_null[key] = Value::Null;
            let absent = typed(event, &without.to_string());
            let null = typed(event, &with_null.to_string());
            // What a tool is given may be anything, `null` too.
            let is_any = matches!(key.as_str(), "tool_input" | "tool_response");
            assert!(is_any || absent.is_ok() == null.is_ok(), "{name}: {key}");
            if null.is_err() {
                of_event.insert(key.clone());
            }
        }
    }
    // What all have is said once.
    let of_all = required.values().cloned().reduce(|all, other| &all & &other).unwrap_or_default();
    for of_event in required.values_mut() {
        *of_event = &*of_event - &of_all;
    }
    required.insert("every event".to_owned(), of_all);
    let text = serde_json::to_string_pretty(&required)? + "\n";
    hookkit_tests::snapshot("tests/fixtures/required.json", &text)
}

#[test]
fn every_value_of_the_facts_table_has_a_word() -> Result<()> {
    let recorded = recorded()?;
    for event in EVENTS {
        let MatcherTarget::Field { name, values: Values::Known(values) | Values::Only(values) } = event.matcher_target
        else {
            continue;
        };
        let found = recorded.iter().find(|(_, payload)| event_of(payload) == event.name);
        let (_, payload) = found.with_context(|| format!("no payload of {}", event.name))?;
        for value in values {
            let mut payload = payload.clone();
            payload[name] = (*value).into();
            let debug = typed(event.name, &payload.to_string())?.debug;
            assert!(!debug.contains("Other("), "{} {value}: {debug}", event.name);
        }
        let mut payload = payload.clone();
        payload[name] = "a_word_of_next_year".into();
        let debug = typed(event.name, &payload.to_string())?.debug;
        assert!(debug.contains("Other(\"a_word_of_next_year\")"), "{debug}");
    }
    Ok(())
}

/// Payloads that others have published, if that collection is at hand.
#[test]
fn nothing_of_a_published_payload_is_lost() -> Result<()> {
    let folder = repository().join("../shared/corpus/payloads");
    if !folder.is_dir() {
        skip("nothing_of_a_published_payload_is_lost", "the collection is not here");
        return Ok(());
    }
    let table: Lines = lines!("lines/events.txt");
    let foreign = table.section("members that the client does not send");
    let lacked = table.section("fields that some payloads lack");
    let mut faults = Vec::new();
    for (name, mut payload) in payloads(&folder)? {
        let event = event_of(&payload).to_owned();
        // Handwritten payloads for tests leave these out.
        for common in ["session_id", "transcript_path", "cwd"] {
            if payload.get(common).is_none() {
                payload[common] = "".into();
            }
        }
        let is_named = |member: &str, found: &str| member == found || member == format!("{event}.{found}");
        match typed(&event, &payload.to_string()) {
            Ok(decoded) => {
                for difference in differences(&payload, &decoded) {
                    if !foreign.lines().any(|member| is_named(member, &difference)) {
                        faults.push(format!("{name}: {difference}"));
                    }
                }
            }
            Err(err) => {
                let err = err.to_string();
                let is_known = |row: &Row| row.fields() == [&event] && err.contains(&format!("`{}`", row.line));
                if !lacked.rows.iter().any(is_known) {
                    faults.push(format!("{name}: {err}"));
                }
            }
        }
    }
    assert_eq!(faults, Vec::<String>::new());
    Ok(())
}
