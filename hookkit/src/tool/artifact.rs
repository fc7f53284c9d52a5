//! The tool that publishes pages.

use std::path::PathBuf;

use super::tool;
use crate::wire::wire;
use crate::{Json, Number};

tool! { Artifact = "Artifact" => ArtifactResponse }

wire! {
    /// Publishes a file as a page, and looks after such pages.
    pub struct Artifact {
        /// What is done; a file is published if this is absent.
        action: Option<ArtifactAction>,
        /// The file.
        file_path: Option<PathBuf>,
        /// The page's favicon.
        favicon: Option<String>,
        /// The page's icon.
        icon: Option<String>,
        /// How many pages are told at most.
        limit: Option<Number>,
        /// Where a long list goes on.
        page_token: Option<String>,
        /// Whose pages are told.
        scope: Option<ArtifactScope>,
        /// The page's title.
        title: Option<String>,
        /// What the page is.
        description: Option<String>,
        /// The version's name.
        label: Option<String>,
        /// A page that is there, by its address.
        url: Option<String>,
        /// What a model is asked of the page.
        prompt: Option<String>,
        /// Whether it is done all the same.
        force?: bool,
        /// Whether the page is pinned, too.
        pin: Option<bool>,
        /// The folder to which an asset goes.
        out_dir: Option<PathBuf>,
        /// The files that become assets.
        file_paths?: Vec<PathBuf>,
        /// The asset.
        asset_id: Option<String>,
        /// The asset behind which a list begins.
        after: Option<String>,
        /// What the page may do: an object.
        capabilities: Option<Json>,
        /// The version of the rules that the page keeps: `latest`, or one by its name.
        contract: Option<String>,
    }

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

    /// Whose pages are told.
    pub enum ArtifactScope {
        /// The user's.
        Mine = "mine",
        /// Those that others share with the user.
        Shared = "shared",
        /// Both.
        All = "all",
    }

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

    /// A page that was published.
    pub struct ArtifactPublished with defaults without Eq {
        /// Its address.
        url: String,
        /// The file.
        path: PathBuf,
        /// Its id.
        artifact_id: Option<String>,
        /// Its title.
        title: Option<String>,
        /// Its version.
        version: Option<String>,
        /// What it may do; the client does not publish the shape.
        capabilities: Option<Json>,
        /// What the service has stored of it: an object with `contract` and more.
        stored: Option<Json>,
        /// What the model should mind.
        warnings?: Vec<String>,
        /// How often the user can publish yet (`publishesRemaining`).
        publishes_remaining: Option<u64> = "publishesRemaining",
        /// When that is counted anew (`publishesResetAt`), a time of the service's.
        publishes_reset_at: Option<f64> = "publishesResetAt",
        /// The version of the rules that it keeps.
        contract: Option<String>,
        /// Whether it was there before.
        updated: Option<bool>,
        /// Whether it is the user's.
        owned: Option<bool>,
        /// Its icon.
        icon: Option<String>,
        /// Whether a favicon was sent (`faviconSent`).
        favicon_sent?: bool = "faviconSent",
        /// Whether its icon was not taken (`iconDropped`).
        icon_dropped?: bool = "iconDropped",
        /// Who can see it.
        audience: Option<String>,
        /// Who can see the folder that it is in: `others` or `unknown`.
        folder_audience: Option<String>,
        /// The number of its version.
        seq: Option<u64>,
        /// Whether it holds what it held before.
        unchanged?: bool,
        /// How the session is told of changes (`liveSubscription`).
        live_subscription: Option<String> = "liveSubscription",
        /// Whether it is pinned.
        pinned: Option<bool>,
    }

    /// Pages.
    pub struct ArtifactList with defaults {
        /// The pages, each with `title`, `url` and more.
        artifacts: Vec<Json>,
        /// Whether there are more.
        truncated?: bool,
        /// How many there are.
        total: Option<u64>,
        /// Whether there may be more than `total`.
        total_at_least?: bool,
        /// Where the list goes on.
        next_page_token: Option<String>,
        /// Whether pages can be pinned.
        pins_enabled: Option<bool>,
        /// Whose pages they are.
        scope: Option<ArtifactScope>,
        /// Whether pages from outside are among them.
        external_listed?: bool,
    }

    /// A page that was read.
    pub struct ArtifactReading with defaults {
        /// What came of it: an object with `url`, `code`, `result` and more.
        read: Json,
        /// Whether it is the user's.
        owned: Option<bool>,
        /// Which version was read (`artifactRead`).
        artifact_read: Option<ArtifactRead> = "artifactRead",
    }

    /// A version of an artifact that was read.
    pub struct ArtifactRead with defaults {
        /// The artifact.
        slug: String,
        /// The version.
        ver: Option<String>,
        /// `false` where what was read is not what edits begin with.
        seeded: Option<bool>,
    }

    /// A page that is watched.
    pub struct ArtifactWatch with defaults {
        /// What came of it: an object with `url`, `watching`, `outcome` and more.
        watch: Json,
    }

    /// A page that is watched no more.
    pub struct ArtifactUnwatch with defaults {
        /// What came of it: an object with `url` and `was_watching`.
        unwatch: Json,
    }

    /// What is watched.
    pub struct ArtifactWatches with defaults {
        /// The pages that are watched, each with `url` and more.
        watches: Vec<Json>,
        /// The page that was asked for.
        filter_url: Option<String>,
        /// How far the client is with watching them, each with `url`, `state` and more.
        arms?: Vec<Json>,
    }

    /// A file that became an asset.
    pub struct ArtifactAssetUpload with defaults {
        /// The page, where it was written: an object with `url`.
        written: Option<Json>,
        /// Whether it is the user's.
        owned: Option<bool>,
        /// The asset: an object with `id`, `url`, `file_name` and more.
        asset_upload: Json,
    }

    /// Files that became assets.
    pub struct ArtifactAssetUploads with defaults {
        /// The page, where it was written: an object with `url`.
        written: Option<Json>,
        /// Whether it is the user's.
        owned: Option<bool>,
        /// What came of it: an object with `url` and `results`.
        asset_uploads: Json,
    }

    /// The assets of a page.
    pub struct ArtifactAssetList with defaults {
        /// An object with `url`, `assets`, `usage` and more.
        asset_list: Json,
    }

    /// An asset that was read.
    pub struct ArtifactAssetRead with defaults {
        /// An object with `id`, `path` and more.
        asset_read: Json,
    }

    /// An asset that was deleted.
    pub struct ArtifactAssetDelete with defaults {
        /// The page, where it was written: an object with `url`.
        written: Option<Json>,
        /// Whether it is the user's.
        owned: Option<bool>,
        /// An object with `id` and `deleted`.
        asset_delete: Json,
    }

    /// A page that was pinned, or is so no more.
    pub struct ArtifactPin with defaults {
        /// What came of it.
        pin: ArtifactPinned,
    }

    /// Whether a page is pinned.
    pub struct ArtifactPinned with defaults {
        /// What was done: `pin` or `unpin`.
        action: ArtifactAction,
        /// The page.
        url: String,
        /// Whether it is pinned now.
        pinned: bool,
        /// Its title.
        title: Option<String>,
    }
}
