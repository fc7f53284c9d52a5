//! Tools that read the web.

use serde::{Deserialize, Serialize};

use super::{ArtifactRead, tool};
use crate::Json;
use crate::wire::{Value, wire};

tool! { WebFetch = "WebFetch" => WebFetchResponse }
tool! { WebSearch = "WebSearch" => WebSearchResponse }

wire! {
    /// Input of `WebFetch`, which fetches a page and prompts a model about it.
    pub struct WebFetch {
        /// Address of the page.
        url: String,
        /// Prompt for the model that reads the page.
        prompt: String,
        /// Offset in the page's text to start at.
        offset: Option<u64> as exact,
    }

    /// Creates the input from the page's address and the prompt.
    pub new WebFetch(url: &str, prompt: &str);

    /// Response of [`WebFetch`].
    pub struct WebFetchResponse with defaults {
        /// Size of the page, in bytes.
        bytes: u64,
        /// The HTTP status.
        code: u64,
        /// Text of the HTTP status.
        code_text: String = "codeText",
        /// Answer of the model.
        result: String,
        /// Duration, in milliseconds.
        duration_ms: u64 = "durationMs",
        /// Address of the page.
        url: String,
        /// Version of the artifact, if the page is an artifact.
        artifact_read: Option<ArtifactRead> = "artifactRead",
    }

    /// Input of `WebSearch`, which searches the web.
    pub struct WebSearch {
        /// Search query.
        query: String,
        /// Domains that the hits are limited to.
        allowed_domains?: Vec<String>,
        /// Domains excluded from the hits.
        blocked_domains?: Vec<String>,
    }

    /// Creates the input from a search query.
    pub new WebSearch(query: &str);

    /// Response of [`WebSearch`].
    pub struct WebSearchResponse with defaults without Eq {
        /// Search query.
        query: String,
        /// Hits, and the model's text between them.
        results: Vec<WebSearchResult>,
        /// Duration in seconds, including a fraction.
        duration_seconds: f64 = "durationSeconds",
        /// Number of searches.
        search_count: Option<u64> = "searchCount",
    }

    /// The hits of one search.
    pub struct WebSearchHits with defaults {
        /// Id of the search.
        tool_use_id: String,
        /// The hits, best first.
        content: Vec<WebSearchHit>,
    }

    /// A page found by a search.
    pub struct WebSearchHit with defaults {
        /// Title of the page.
        title: String,
        /// Address of the page.
        url: String,
        /// Excerpt of the page's text.
        snippet: Option<String>,
    }
}

/// A part of the response of [`WebSearch`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum WebSearchResult {
    /// The hits of one search.
    Hits(WebSearchHits),
    /// Text of the model.
    Text(String),
    /// Any other form, unchanged: this version of hookkit does not support it.
    Other(Json),
}

/// Creates [`Other`](Self::Other) with `null`.
impl Default for WebSearchResult {
    fn default() -> Self {
        Self::Other(Json::default())
    }
}

impl Value for WebSearchResult {}

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
