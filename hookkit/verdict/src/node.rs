//! JSON with its original order of members, as the client quotes it.

use std::fmt;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use hookkit_json::Json;

/// A JSON value whose members keep their order.
#[derive(Clone, PartialEq)]
pub(super) enum Node {
    Null,
    Flag(bool),
    Number(serde_json::Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    /// Parses a value.
    pub(super) fn parse(text: &str) -> Option<Self> {
        Json::parse(text).ok()?.decode().ok()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(members) => members.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        let members = match self {
            Self::Map(members) => members.as_slice(),
            _ => &[],
        };
        members.iter().map(|(key, _)| key.as_str())
    }

    /// Returns the string, unless it is empty, which the client treats as absent.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// Returns JavaScript's name of the value's type, for a message.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Flag(_) => "boolean",
            Self::Number(_) => "number",
            Self::Text(_) => "string",
            Self::List(_) => "array",
            Self::Map(_) => "object",
        }
    }

    pub(super) fn to_json(&self) -> Json {
        // A parsed value is always JSON.
        Json::encode(self).unwrap_or_default()
    }

    /// Returns the value's text, indented by two blanks.
    pub(super) fn pretty(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Flag(flag) => flag.serialize(serializer),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => text.serialize(serializer),
            Self::List(items) => items.serialize(serializer),
            Self::Map(members) => serializer.collect_map(members.iter().map(|(key, value)| (key, value))),
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Node, E> {
        Ok(Node::Flag(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
        Ok(serde_json::Number::from_f64(number).map_or(Node::Null, Node::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut members: Vec<(String, Node)> = Vec::new();
        while let Some((key, value)) = entries.next_entry::<String, Node>()? {
            // As in `JSON.parse`: the last value, in the place of the first.
            match members.iter_mut().find(|(known, _)| *known == key) {
                Some(member) => member.1 = value,
                None => members.push((key, value)),
            }
        }
        Ok(Node::Map(members))
    }
}
