//! JSON in the order in which it stands, as the client quotes it.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use hookkit_json::Json;

/// A JSON value whose members keep their order.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Null,
    Flag(bool),
    Number(serde_json::Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    /// A value from its text.
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

    /// The string, unless it is empty, which the client takes for none.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// What JavaScript calls its type in a message.
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

    /// The value's text in one line.
    pub(super) fn to_json(&self) -> Json {
        // What was parsed is JSON.
        Json::parse(self.written(None, 0)).unwrap_or_default()
    }

    /// The value's text, indented by two blanks.
    pub(super) fn pretty(&self) -> String {
        self.written(Some(2), 0)
    }

    fn written(&self, indent: Option<usize>, depth: usize) -> String {
        let line = |depth: usize| indent.map_or_else(String::new, |width| format!("\n{:1$}", "", width * depth));
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let within = |open: char, items: Vec<String>, close: char| {
            if items.is_empty() {
                return format!("{open}{close}");
            }
            let (inner, outer) = (line(depth + 1), line(depth));
            format!("{open}{inner}{}{outer}{close}", items.join(&format!(",{inner}")))
        };
        match self {
            Self::Null => "null".to_owned(),
            Self::Flag(flag) => flag.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => quoted(text),
            Self::List(items) => {
                let items = items.iter().map(|item| item.written(indent, depth + 1));
                within('[', items.collect(), ']')
            }
            Self::Map(members) => {
                let space = if indent.is_some() { " " } else { "" };
                let members = members
                    .iter()
                    .map(|(key, value)| format!("{}:{space}{}", quoted(key), value.written(indent, depth + 1)));
                within('{', members.collect(), '}')
            }
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

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
