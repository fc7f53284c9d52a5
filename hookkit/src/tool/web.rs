//! The tools that read the web.

use serde::{Deserialize, Serialize};

use super::{ArtifactRead, tool};
use crate::Json;
use crate::wire::{Value, wire};

tool! { WebFetch = "WebFetch" => WebFetchResponse }
tool! { WebSearch = "WebSearch" => WebSearchResponse }

wire! {
    /// Fetches a page and has a model look at it.
    pub struct WebFetch {
        /// The page's address.
        url: String,
        /// What that model is asked of the page.
        prompt: String,
        /// Where in the page's text it begins.
        offset: Option<u64> as exact,
    }

    /// A page and what is asked of it, for a test.
    pub new WebFetch(url: &str, prompt: &str);

    /// What [`WebFetch`] gives back.
    pub struct WebFetchResponse with defaults {
        /// How many bytes the page has.
        bytes: u64,
        /// The HTTP status.
        code: u64,
        /// The same in words.
        code_text: String = "codeText",
        /// What the model answered.
        result: String,
        /// How long it took, in milliseconds.
        duration_ms: u64 = "durationMs",
        /// The page's address.
        url: String,
        /// Where the page is an artifact, which one.
        artifact_read: Option<ArtifactRead> = "artifactRead",
    }

    /// Searches the web.
    pub struct WebSearch {
        /// What is searched for.
        query: String,
        /// Hits are of these domains alone.
        allowed_domains?: Vec<String>,
        /// Hits are of none of these domains.
        blocked_domains?: Vec<String>,
    }

    /// What is searched for, for a test.
    pub new WebSearch(query: &str);

    /// What [`WebSearch`] gives back.
    pub struct WebSearchResponse with defaults without Eq {
        /// What was searched for.
        query: String,
        /// Hits, and what the model said between them.
        results: Vec<WebSearchResult>,
        /// How long it took, in seconds, with a fraction.
        duration_seconds: f64 = "durationSeconds",
        /// How many searches it took.
        search_count: Option<u64> = "searchCount",
    }

    /// The hits of one search.
    pub struct WebSearchHits with defaults {
        /// The search.
        tool_use_id: String,
        /// The hits, the best one first.
        content: Vec<WebSearchHit>,
    }

    /// A page that a search found.
    pub struct WebSearchHit with defaults {
        /// The page's title.
        title: String,
        /// The page's address.
        url: String,
        /// A piece of its text.
        snippet: Option<String>,
    }
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
