//! Values in a settings file's text, each with its byte range.

use std::ops::Range;
use std::slice;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;

/// A value and its byte range.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Null(Range<usize>),
    Flag(bool, Range<usize>),
    /// A number as written.
    Number(String, Range<usize>),
    Text(String, Range<usize>),
    List(List),
    Object(Object),
}

#[derive(Debug, Clone)]
pub(crate) struct List {
    pub(crate) range: Range<usize>,
    pub(crate) elements: Vec<Value>,
}

#[derive(Debug, Clone)]
pub(crate) struct Object {
    pub(crate) range: Range<usize>,
    /// Members in text order. A name may occur twice.
    pub(crate) members: Vec<Member>,
}

#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// Byte range of the name with its quotes.
    pub(crate) name_range: Range<usize>,
    pub(crate) value: Value,
}

impl Value {
    pub(crate) fn range(&self) -> Range<usize> {
        match self {
            Self::Null(range) | Self::Flag(_, range) | Self::Number(_, range) | Self::Text(_, range) => range.clone(),
            Self::List(list) => list.range.clone(),
            Self::Object(object) => object.range.clone(),
        }
    }

    pub(crate) fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&List> {
        match self {
            Self::List(list) => Some(list),
            _ => None,
        }
    }

    /// Returns the elements of a list; empty for any other value.
    pub(crate) fn elements(&self) -> &[Self] {
        self.as_list().map_or(&[], |list| &list.elements)
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text, _) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null(_))
    }

    /// Returns the value without positions.
    pub(crate) fn plain(&self) -> serde_json::Value {
        match self {
            Self::Null(_) => serde_json::Value::Null,
            Self::Flag(flag, _) => (*flag).into(),
            Self::Number(number, _) => serde_json::from_str(number).unwrap_or_default(),
            Self::Text(text, _) => text.as_str().into(),
            Self::List(list) => list.elements.iter().map(Self::plain).collect(),
            Self::Object(object) => object.plain(),
        }
    }
}

impl Object {
    pub(super) fn of(object: ast::Object<'_>) -> Self {
        let member = |member: ast::ObjectProp<'_>| Member {
            name_range: member.name.start()..member.name.end(),
            name: member.name.into_string(),
            value: member.value.into(),
        };
        Self {
            range: object.range.start..object.range.end,
            members: object.properties.into_iter().map(member).collect(),
        }
    }

    /// Returns the member with this name. If there are several, returns the last, like the client.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.members.iter().rev().find(|member| member.name == name).map(|member| &member.value)
    }

    /// Returns the values of the member with this name. A single value need not be in a list.
    pub(crate) fn all(&self, name: &str) -> &[Value] {
        match self.get(name) {
            Some(Value::List(list)) => &list.elements,
            Some(value) => slice::from_ref(value),
            None => &[],
        }
    }

    /// Returns the string of the member with this name.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_text()
    }

    /// Returns the object without positions.
    pub(crate) fn plain(&self) -> serde_json::Value {
        let members = self.members.iter().map(|member| (member.name.clone(), member.value.plain()));
        serde_json::Value::Object(members.collect())
    }
}

impl Member {
    pub(crate) fn range(&self) -> Range<usize> {
        self.name_range.start..self.value.range().end
    }
}

impl From<ast::Value<'_>> for Value {
    fn from(value: ast::Value<'_>) -> Self {
        let range = value.start()..value.end();
        match value {
            ast::Value::NullKeyword(_) => Self::Null(range),
            ast::Value::BooleanLit(flag) => Self::Flag(flag.value, range),
            ast::Value::NumberLit(number) => Self::Number(number.value.to_owned(), range),
            ast::Value::StringLit(text) => Self::Text(text.value.into_owned(), range),
            ast::Value::Array(list) => {
                Self::List(List { range, elements: list.elements.into_iter().map(Self::from).collect() })
            }
            ast::Value::Object(object) => Self::Object(Object::of(object)),
        }
    }
}
