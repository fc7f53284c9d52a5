//! The tool that publishes pages.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::union::open_union;
use super::{is_false, or_default, tool};
use crate::open::{count, open_enum};
use crate::{Json, Number};

tool! { Artifact = "Artifact" => ArtifactResponse }

/// Publishes a file as a page, and looks after such pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Artifact {
    /// What is done; a file is published if this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<ArtifactAction>,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_path: Option<PathBuf>,
    /// The page's favicon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub favicon: Option<String>,
    /// The page's icon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// How many pages are told at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Number>,
    /// Where a long list goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_token: Option<String>,
    /// Whose pages are told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<ArtifactScope>,
    /// The page's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the page is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The version's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// A page that is there, by its address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What a model is asked of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Whether it is done all the same.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub force: bool,
    /// Whether the page is pinned, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<bool>,
    /// The folder to which an asset goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_dir: Option<PathBuf>,
    /// The files that become assets.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub file_paths: Vec<PathBuf>,
    /// The asset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asset_id: Option<String>,
    /// The asset behind which a list begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// What the page may do: an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Json>,
    /// The version of the rules that the page keeps: `latest`, or one by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
}

open_enum! {
    /// What is done with pages.
    pub enum ArtifactAction {
        /// A file is published.
        Publish = "publish",
        /// Pages are told.
        List = "list",
        /// One is read.
        Read = "read",
        /// The types of pages are told.
        ListTypes = "list_types",
        /// One is watched.
        Watch = "watch",
        /// One is watched no more.
        Unwatch = "unwatch",
        /// What is watched is told.
        Status = "status",
        /// Files become assets of one.
        UploadAsset = "upload_asset",
        /// The assets of one are told.
        ListAssets = "list_assets",
        /// An asset is read.
        ReadAsset = "read_asset",
        /// An asset is deleted.
        DeleteAsset = "delete_asset",
        /// One is pinned.
        Pin = "pin",
        /// One is pinned no more.
        Unpin = "unpin",
    }
}

open_enum! {
    /// Whose pages are told.
    pub enum ArtifactScope {
        /// The user's.
        Mine = "mine",
        /// Those that others share with the user.
        Shared = "shared",
        /// Both.
        All = "all",
    }
}

open_union! {
    /// What [`Artifact`] gives back, by the member that it has.
    pub enum ArtifactResponse by member {
        /// Pages.
        List(ArtifactList) = "artifacts",
        /// A page that was read.
        Read(ArtifactReading) = "read",
        /// A page that is watched.
        Watch(ArtifactWatch) = "watch",
        /// A page that is watched no more.
        Unwatch(ArtifactUnwatch) = "unwatch",
        /// What is watched.
        Status(ArtifactWatches) = "watches",
        /// A file that became an asset.
        AssetUpload(ArtifactAssetUpload) = "asset_upload",
        /// Files that became assets.
        AssetUploads(ArtifactAssetUploads) = "asset_uploads",
        /// The assets of a page.
        AssetList(ArtifactAssetList) = "asset_list",
        /// An asset that was read.
        AssetRead(ArtifactAssetRead) = "asset_read",
        /// An asset that was deleted.
        AssetDelete(ArtifactAssetDelete) = "asset_delete",
        /// A page that was pinned, or is so no more.
        Pin(ArtifactPin) = "pin",
        /// A page that was published.
        Published(ArtifactPublished) = "url",
    }
}

/// A page that was published.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ArtifactPublished {
    /// Its address.
    pub url: String,
    /// The file.
    pub path: PathBuf,
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact_id: Option<String>,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What it may do; the client does not publish the shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Json>,
    /// What the service has stored of it: an object with `contract` and more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored: Option<Json>,
    /// What the model should mind.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// How often the user can publish yet (`publishesRemaining`).
    #[serde(
        deserialize_with = "count",
        rename = "publishesRemaining",
        skip_serializing_if = "Option::is_none"
    )]
    pub publishes_remaining: Option<u64>,
    /// When that is counted anew (`publishesResetAt`), a time of the service's.
    #[serde(rename = "publishesResetAt", skip_serializing_if = "Option::is_none")]
    pub publishes_reset_at: Option<f64>,
    /// The version of the rules that it keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// Whether it was there before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<bool>,
    /// Whether it is the user's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owned: Option<bool>,
    /// Its icon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
    /// Whether a favicon was sent (`faviconSent`).
    #[serde(
        rename = "faviconSent",
        deserialize_with = "or_default",
        skip_serializing_if = "is_false"
    )]
    pub favicon_sent: bool,
    /// Whether its icon was not taken (`iconDropped`).
    #[serde(
        rename = "iconDropped",
        deserialize_with = "or_default",
        skip_serializing_if = "is_false"
    )]
    pub icon_dropped: bool,
    /// Who can see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// Who can see the folder that it is in: `others` or `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder_audience: Option<String>,
    /// The number of its version.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// Whether it holds what it held before.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub unchanged: bool,
    /// How the session is told of changes (`liveSubscription`).
    #[serde(rename = "liveSubscription", skip_serializing_if = "Option::is_none")]
    pub live_subscription: Option<String>,
    /// Whether it is pinned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
}

/// Pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ArtifactList {
    /// The pages, each with `title`, `url` and more.
    pub artifacts: Vec<Json>,
    /// Whether there are more.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// How many there are.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether there may be more than `total`.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub total_at_least: bool,
    /// Where the list goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<String>,
    /// Whether pages can be pinned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pins_enabled: Option<bool>,
    /// Whose pages they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ArtifactScope>,
    /// Whether pages from outside are among them.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub external_listed: bool,
}

/// A page that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ArtifactReading {
    /// What came of it: an object with `url`, `code`, `result` and more.
    pub read: Json,
    /// Whether it is the user's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owned: Option<bool>,
    /// Which version was read (`artifactRead`).
    #[serde(rename = "artifactRead", skip_serializing_if = "Option::is_none")]
    pub artifact_read: Option<ArtifactRead>,
}

/// A version of an artifact that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ArtifactRead {
    /// The artifact.
    pub slug: String,
    /// The version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ver: Option<String>,
    /// `false` where what was read is not what edits begin with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeded: Option<bool>,
}

/// A page that is watched.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ArtifactWatch {
    /// What came of it: an object with `url`, `watching`, `outcome` and more.
    pub watch: Json,
}

/// A page that is watched no more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ArtifactUnwatch {
    /// What came of it: an object with `url` and `was_watching`.
    pub unwatch: Json,
}

/// What is watched.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ArtifactWatches {
    /// The pages that are watched, each with `url` and more.
    pub watches: Vec<Json>,
    /// The page that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter_url: Option<String>,
    /// How far the client is with watching them, each with `url`, `state` and more.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub arms: Vec<Json>,
}

/// A file that became an asset.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ArtifactAssetUpload {
    /// The page, where it was written: an object with `url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<Json>,
    /// Whether it is the user's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owned: Option<bool>,
    /// The asset: an object with `id`, `url`, `file_name` and more.
    pub asset_upload: Json,
}

/// Files that became assets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ArtifactAssetUploads {
    /// The page, where it was written: an object with `url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<Json>,
    /// Whether it is the user's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owned: Option<bool>,
    /// What came of it: an object with `url` and `results`.
    pub asset_uploads: Json,
}

/// The assets of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ArtifactAssetList {
    /// An object with `url`, `assets`, `usage` and more.
    pub asset_list: Json,
}

/// An asset that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ArtifactAssetRead {
    /// An object with `id`, `path` and more.
    pub asset_read: Json,
}

/// An asset that was deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ArtifactAssetDelete {
    /// The page, where it was written: an object with `url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<Json>,
    /// Whether it is the user's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owned: Option<bool>,
    /// An object with `id` and `deleted`.
    pub asset_delete: Json,
}

/// A page that was pinned, or is so no more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ArtifactPin {
    /// What came of it.
    pub pin: ArtifactPinned,
}

/// Whether a page is pinned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ArtifactPinned {
    /// What was done: `pin` or `unpin`.
    pub action: ArtifactAction,
    /// The page.
    pub url: String,
    /// Whether it is pinned now.
    pub pinned: bool,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}
