//! The content blocks of a message.

use serde::de::Error as _;
use serde::{Deserialize, Serialize};

use super::object::{Lenient, Object};
use crate::Json;
use crate::json::Scanner;

/// A content block of a message.
///
/// Serializes to the API's format, without the members that are not named here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Block {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// The model's thinking.
    Thinking {
        /// The text. Empty if the API does not return it.
        thinking: String,
    },
    /// A tool call.
    ToolUse {
        /// Id of the call.
        id: String,
        /// Name of the tool.
        name: String,
        /// Input of the tool.
        input: Json,
    },
    /// The result of a tool call.
    ToolResult {
        /// Id of the call.
        tool_use_id: String,
        /// Content that the model reads.
        content: Vec<Block>,
        /// `true` if the call failed or was denied.
        is_error: bool,
    },
    /// An image.
    Image {
        /// Source of the image, usually the data itself.
        source: Json,
    },
    /// Any other block, as JSON.
    #[serde(untagged)]
    Other(Json),
}

impl Block {
    fn of(object: &Object<'_>) -> Self {
        match object.get("type") {
            Some(br#""text""#) => Self::Text {
                text: object.read(&["text"]),
            },
            Some(br#""thinking""#) => Self::Thinking {
                thinking: object.read(&["thinking"]),
            },
            Some(br#""tool_use""#) => Self::ToolUse {
                id: object.read(&["id"]),
                name: object.read(&["name"]),
                input: object.read(&["input"]),
            },
            Some(br#""tool_result""#) => Self::ToolResult {
                tool_use_id: object.read(&["tool_use_id"]),
                content: object.read(&["content"]),
                is_error: object.read(&["is_error"]),
            },
            Some(br#""image""#) => Self::Image {
                source: object.read(&["source"]),
            },
            _ => Self::Other(object.json()),
        }
    }
}

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        let object = Object::scan(json.text().as_bytes()).map_err(D::Error::custom)?;
        Ok(Self::of(&object))
    }
}

/// A list of blocks. A string is read as one text block.
impl Lenient for Vec<Block> {
    fn read(text: &[u8]) -> Option<Self> {
        if text.first() == Some(&b'"') {
            let text = String::read(text)?;
            return Some(vec![Block::Text { text }]);
        }
        let mut blocks = Vec::new();
        let mut scanner = Scanner::new(text);
        scanner.array_start().ok()?;
        while let Some(element) = scanner.element(blocks.is_empty()).ok()? {
            let text = scanner.slice(element.text);
            blocks.push(match Object::scan(text) {
                Ok(object) => Block::of(&object),
                Err(_) => Block::Other(Json::read(text)?),
            });
        }
        Some(blocks)
    }
}

/// Joins the text blocks, each on lines of its own.
pub(super) fn text_of(blocks: &[Block]) -> String {
    let texts = blocks.iter().filter_map(|block| match block {
        Block::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}
