//! Every type of the client's JSON is read alike by hookkit's deserializer and by serde_json's two, and is written again.
//!
//! The types are those of the API's snapshot: none is listed here.

use std::cell::Cell;
use std::fmt;

use hookkit::Json;
use hookkit_tests::prelude::*;
use serde::Serialize;
use serde::de::value::Error as Unread;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde_json::Map;

/// A type, and what the tests do with it.
struct WireType {
    name: &'static str,
    members: &'static [&'static str],
    /// Decodes a text in all three ways, and writes the value again.
    rewrite: fn(&str) -> Result<String, String>,
}

macro_rules! each_wire_type {
    ($($wire:ty),*) => {
        const TYPES: &[fn() -> WireType] = &[$(|| WireType {
            name: stringify!($wire),
            members: members::<$wire>(),
            rewrite: rewrite::<$wire>,
        }),*];
    };
}

include!(concat!(env!("OUT_DIR"), "/wire_types.rs"));

/// The members that a type names; none of a type that takes any. A type that also reads the names of another client has them
/// after its own.
fn members<T: DeserializeOwned>() -> &'static [&'static str] {
    let named = Cell::new(&[][..]);
    let _ = T::deserialize(Probe(&named));
    let (own, others) = named.get().split_at(named.get().len() / 2);
    let is_other = |(own, other): (&&str, &&str)| {
        let foreign = ["path", "file_text", "old_str", "new_str"];
        own == other || foreign.contains(other)
    };
    match own.len() == others.len() && own.iter().zip(others).all(is_other) {
        true => own,
        false => named.get(),
    }
}

/// A deserializer that only finds out which members are named.
struct Probe<'p>(&'p Cell<&'static [&'static str]>);

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Unread;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Unread> {
        Err(Unread::custom("a probe holds no value"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        members: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Unread> {
        self.0.set(members);
        Err(Unread::custom("a probe holds no value"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Decodes a text by hookkit and by serde_json, which have to agree, and writes what came of it.
///
/// Of an error this is hookkit's text, which has the path of the value.
fn rewrite<T: DeserializeOwned + Serialize + PartialEq + fmt::Debug>(text: &str) -> Result<String, String> {
    let ours: Result<T, String> = Json::parse(text).expect("a text of JSON").decode().map_err(|err| err.to_string());
    let from_text: Result<T, _> = serde_json::from_str(text);
    let from_value: Result<T, _> = serde_json::from_str(text).and_then(|value: Value| T::deserialize(value));
    let found = ours.as_ref().ok();
    assert_eq!(found, from_text.as_ref().ok(), "{text}: {ours:?} {from_text:?}");
    let found = ours.as_ref().ok();
    assert_eq!(found, from_value.as_ref().ok(), "{text}: {ours:?} {from_value:?}");
    let value = ours?;
    let written = serde_json::to_string(&value).expect("what was read is written");
    assert_eq!(
        serde_json::to_value(&value).expect("what was read is written"),
        serde_json::from_str::<Value>(&written).expect("it was written as JSON")
    );
    Ok(written)
}

/// A value that no member takes but a list of lists, and one that takes any.
fn wrong() -> Value {
    json!([[]])
}

/// A value of what serde says that it expected.
fn expected(what: &str) -> Result<Value> {
    Ok(match what {
        "a string" | "path string" => json!("text"),
        "a boolean" => json!(true),
        "u64" | "a number" => json!(7),
        "f64" => json!(1.5),
        "a sequence" => json!([wrong()]),
        "a map" => json!({"key": wrong()}),
        _ if what.starts_with("struct ") => json!({}),
        _ => bail!("`{what}` is new to the test"),
    })
}

/// The value at a path of members and elements.
fn at<'v>(mut value: &'v mut Value, path: &str) -> &'v mut Value {
    for step in path.split('.').filter(|step| !step.is_empty()) {
        value = match step.parse::<usize>() {
            Ok(index) => &mut value[index],
            Err(_) => &mut value[step],
        };
    }
    value
}

/// Puts right what an error is about.
fn correct(value: &mut Value, error: &str) -> Result<()> {
    let (path, message) = match error.strip_prefix('`').and_then(|error| error.split_once("`: ")) {
        Some((path, message)) if !message.is_empty() => (path, message),
        _ => ("", error),
    };
    let value = at(value, path);
    if let Some(name) = message.strip_prefix("missing field `") {
        value[name.trim_end_matches('`')] = Value::Null;
        return Ok(());
    }
    let (_, what) = message.split_once("expected ").with_context(|| message.to_owned())?;
    *value = expected(what)?;
    Ok(())
}

impl WireType {
    /// A text that has all members, each of its own kind.
    fn sample(&self) -> Result<Map<String, Value>> {
        let mut sample: Value = self.members.iter().map(|name| ((*name).to_owned(), wrong())).collect();
        for _ in 0..1000 {
            match (self.rewrite)(&sample.to_string()) {
                Ok(_) => return Ok(sample.as_object().cloned().unwrap_or_default()),
                Err(error) => correct(&mut sample, &error).with_context(|| format!("{}: {sample}", self.name))?,
            }
        }
        bail!("no sample of {}", self.name)
    }
}

fn types() -> impl Iterator<Item = WireType> {
    TYPES.iter().map(|new| new())
}

/// The sample with another value of one member; with none, without it.
fn with(sample: &Map<String, Value>, member: &str, value: Option<Value>) -> String {
    let mut sample = sample.clone();
    match value {
        Some(value) => drop(sample.insert(member.to_owned(), value)),
        None => drop(sample.remove(member)),
    }
    Value::Object(sample).to_string()
}

#[test]
fn all_members_of_all_types_are_written_as_they_were_read() -> Result<()> {
    let mut named = 0;
    for wire in types() {
        let sample = wire.sample()?;
        named += usize::from(!wire.members.is_empty());
        let written = (wire.rewrite)(&Value::Object(sample.clone()).to_string()).unwrap();
        let members: Map<String, Value> = serde_json::from_str(&written)?;
        let holds = wire.members.is_empty() || members.keys().eq(sample.keys());
        ensure!(holds, "{}: {written}", wire.name);
        assert_eq!((wire.rewrite)(&written), Ok(written), "{}", wire.name);
    }
    ensure!(named > 180, "only {named} types name their members");
    Ok(())
}

#[test]
fn hookkit_and_serde_json_read_any_value_of_a_member_alike() -> Result<()> {
    let values = || {
        let scalars =
            [json!(null), json!(false), json!(true), json!(0), json!(7), json!(1.5), json!(-1), json!(""), json!("x")];
        scalars.into_iter().chain([json!([]), wrong(), json!({})]).map(Some).chain([None])
    };
    for wire in types() {
        let sample = wire.sample()?;
        for member in wire.members {
            for value in values() {
                // It compares all ways of decoding.
                let text = with(&sample, member, value.clone());
                let read = (wire.rewrite)(&text);
                if let Err(error) = read {
                    let is_of_member = error.contains(&format!("`{member}"));
                    ensure!(is_of_member, "{}: {text}: {error}", wire.name);
                }
            }
        }
    }
    Ok(())
}

#[test]
fn members_that_no_type_names_are_skipped() -> Result<()> {
    for wire in types().filter(|wire| !wire.members.is_empty()) {
        let sample = wire.sample()?;
        let known = (wire.rewrite)(&Value::Object(sample.clone()).to_string());
        assert_eq!((wire.rewrite)(&with(&sample, "not a member", Some(wrong()))), known);
    }
    Ok(())
}

#[test]
fn of_two_members_of_one_name_hookkit_takes_the_last_and_serde_json_none() -> Result<()> {
    let text = r#"{"command":"first","command":"last"}"#;
    let bash: hookkit::tool::Bash = Json::parse(text)?.decode()?;
    assert_eq!(bash.command, "last");
    let error = serde_json::from_str::<hookkit::tool::Bash>(text).unwrap_err();
    assert_eq!(error.to_string(), "duplicate field `command` at line 1 column 28");
    Ok(())
}

#[test]
fn what_is_not_an_object_is_reported_with_the_type_s_name() -> Result<()> {
    let error = Json::parse("7")?.decode::<hookkit::tool::Bash>().unwrap_err();
    assert_eq!(error.to_string(), "invalid type: a number, expected struct Bash");
    let error = serde_json::from_str::<hookkit::tool::Bash>("7").unwrap_err();
    assert_eq!(error.to_string(), "invalid type: integer `7`, expected struct Bash at line 1 column 1");
    Ok(())
}

/// A user's own type may have one of hookkit's as a part.
#[test]
fn a_type_can_be_flattened_and_untagged() -> Result<()> {
    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    struct Flattened {
        #[serde(flatten)]
        bash: hookkit::tool::Bash,
        more: u64,
    }

    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    #[serde(untagged)]
    enum Either {
        Bash(hookkit::tool::Bash),
        Read(hookkit::tool::Read),
    }

    let text = r#"{"command":"ls","more":1}"#;
    let flattened: Flattened = Json::parse(text)?.decode()?;
    assert_eq!((flattened.bash.command.as_str(), flattened.more), ("ls", 1));
    assert_eq!(serde_json::from_str::<Flattened>(text)?, flattened);
    assert_eq!(serde_json::to_string(&flattened)?, text);
    let text = r#"{"file_path":"/a"}"#;
    let either: Either = Json::parse(text)?.decode()?;
    assert_eq!(either, Either::Read(hookkit::tool::Read::new("/a")));
    assert_eq!(serde_json::from_str::<Either>(text)?, either);
    assert_eq!(serde_json::to_string(&either)?, text);
    Ok(())
}
