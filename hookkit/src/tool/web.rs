//! The tools that read the web.

use serde::{Deserialize, Serialize};

use super::{ArtifactRead, or_default, tool};
use crate::Json;
use crate::open::count;

tool! { WebFetch = "WebFetch" => WebFetchResponse }
tool! { WebSearch = "WebSearch" => WebSearchResponse }

/// Fetches a page and has a model look at it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WebFetch {
    /// The page's address.
    pub url: String,
    /// What that model is asked of the page.
    pub prompt: String,
    /// Where in the page's text it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}

impl WebFetch {
    /// A page and what is asked of it, for a test.
    pub fn new(url: &str, prompt: &str) -> Self {
        Self {
            url: url.to_owned(),
            prompt: prompt.to_owned(),
            ..Self::default()
        }
    }
}

/// What [`WebFetch`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct WebFetchResponse {
    /// How many bytes the page has.
    pub bytes: u64,
    /// The HTTP status.
    pub code: u64,
    /// The same in words.
    pub code_text: String,
    /// What the model answered.
    pub result: String,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// The page's address.
    pub url: String,
    /// Where the page is an artifact, which one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact_read: Option<ArtifactRead>,
}

/// Searches the web.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WebSearch {
    /// What is searched for.
    pub query: String,
    /// Hits are of these domains alone.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub allowed_domains: Vec<String>,
    /// Hits are of none of these domains.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub blocked_domains: Vec<String>,
}

impl WebSearch {
    /// What is searched for, for a test.
    pub fn new(query: &str) -> Self {
        Self {
            query: query.to_owned(),
            ..Self::default()
        }
    }
}

/// What [`WebSearch`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct WebSearchResponse {
    /// What was searched for.
    pub query: String,
    /// Hits, and what the model said between them.
    pub results: Vec<WebSearchResult>,
    /// How long it took, in seconds, with a fraction.
    pub duration_seconds: f64,
    /// How many searches it took.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub search_count: Option<u64>,
}

/// A part of what [`WebSearch`] gives back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum WebSearchResult {
    /// The hits of one search.
    Hits(WebSearchHits),
    /// What the model said.
    Text(String),
    /// A form that this version of hookkit does not know, as the client wrote it.
    Other(Json),
}

/// `null`, of no form.
impl Default for WebSearchResult {
    fn default() -> Self {
        Self::Other(Json::default())
    }
}

impl<'de> Deserialize<'de> for WebSearchResult {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        match json.text().trim_start().as_bytes().first() {
            Some(b'{') => json.decode().map(Self::Hits),
            Some(b'"') => json.decode().map(Self::Text),
            _ => Ok(Self::Other(json)),
        }
        .map_err(serde::de::Error::custom)
    }
}

/// The hits of one search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct WebSearchHits {
    /// The search.
    pub tool_use_id: String,
    /// The hits, the best one first.
    pub content: Vec<WebSearchHit>,
}

/// A page that a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct WebSearchHit {
    /// The page's title.
    pub title: String,
    /// The page's address.
    pub url: String,
    /// A piece of its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}
