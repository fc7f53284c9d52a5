//! The content blocks of a message.

use serde::de::Error as _;
use serde::{Deserialize, Serialize};

use super::record::{Lenient, json_of, read};
use crate::Json;
use crate::json::{Scanned, Scanner};

/// A content block of a message.
///
/// Serializes to the API's format, with only the members that are listed here.
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
    fn of(object: &Scanned<'_>) -> Self {
        match object.get("type") {
            Some(br#""text""#) => Self::Text { text: read(object, &["text"]) },
            Some(br#""thinking""#) => Self::Thinking { thinking: read(object, &["thinking"]) },
            Some(br#""tool_use""#) => Self::ToolUse {
                id: read(object, &["id"]),
                name: read(object, &["name"]),
                input: read(object, &["input"]),
            },
            Some(br#""tool_result""#) => Self::ToolResult {
                tool_use_id: read(object, &["tool_use_id"]),
                content: read(object, &["content"]),
                is_error: read(object, &["is_error"]),
            },
            Some(br#""image""#) => Self::Image { source: read(object, &["source"]) },
            _ => Self::Other(json_of(object)),
        }
    }
}

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        let object = Scanned::scan(json.text().as_bytes()).map_err(D::Error::custom)?;
        Ok(Self::of(&object))
    }
}

/// Decodes a list of blocks. A string becomes one text block.
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
            blocks.push(match Scanned::scan(text) {
                Ok(object) => Block::of(&object),
                Err(_) => Block::Other(Json::read(text)?),
            });
        }
        Some(blocks)
    }
}

/// Joins the text blocks with line feeds.
pub(super) fn text_of(blocks: &[Block]) -> String {
    let texts = blocks.iter().filter_map(|block| match block {
        Block::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}
