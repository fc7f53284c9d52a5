//! The tool that publishes pages.

use std::path::PathBuf;

use super::tool;
use crate::wire::wire;
use crate::{Json, Number};

tool! { Artifact = "Artifact" => ArtifactResponse }

wire! {
    /// Input of `Artifact`, which publishes a file as a page and manages such pages.
    pub struct Artifact {
        /// Action; `publish` if absent.
        action: Option<ArtifactAction>,
        /// Path of the file.
        file_path: Option<PathBuf>,
        /// Favicon of the page.
        favicon: Option<String>,
        /// Icon of the page.
        icon: Option<String>,
        /// Maximum number of pages listed.
        limit: Option<Number>,
        /// Token that continues a long list.
        page_token: Option<String>,
        /// Owners of the pages listed.
        scope: Option<ArtifactScope>,
        /// Title of the page.
        title: Option<String>,
        /// Description of the page.
        description: Option<String>,
        /// Name of the version.
        label: Option<String>,
        /// Address of an existing page.
        url: Option<String>,
        /// Prompt to a model about the page.
        prompt: Option<String>,
        /// `true` to force the action.
        force?: bool,
        /// `true` to pin the page, too.
        pin: Option<bool>,
        /// Folder for a saved asset.
        out_dir: Option<PathBuf>,
        /// Files to upload as assets.
        file_paths?: Vec<PathBuf>,
        /// Id of the asset.
        asset_id: Option<String>,
        /// Asset after which a list starts.
        after: Option<String>,
        /// Capabilities of the page: an object.
        capabilities: Option<Json>,
        /// Version of the rules that the page follows: `latest`, or the name of a version.
        contract: Option<String>,
    }

    /// An action of [`Artifact`].
    pub enum ArtifactAction {
        /// Publishes a file.
        Publish = "publish",
        /// Lists pages.
        List = "list",
        /// Reads a page.
        Read = "read",
        /// Lists the types of pages.
        ListTypes = "list_types",
        /// Starts to watch a page.
        Watch = "watch",
        /// Stops watching a page.
        Unwatch = "unwatch",
        /// Lists the watched pages.
        Status = "status",
        /// Uploads files as assets of a page.
        UploadAsset = "upload_asset",
        /// Lists the assets of a page.
        ListAssets = "list_assets",
        /// Reads an asset.
        ReadAsset = "read_asset",
        /// Deletes an asset.
        DeleteAsset = "delete_asset",
        /// Pins a page.
        Pin = "pin",
        /// Unpins a page.
        Unpin = "unpin",
    }

    /// Owners of the pages in a list.
    pub enum ArtifactScope {
        /// The user.
        Mine = "mine",
        /// Others, who share the pages with the user.
        Shared = "shared",
        /// Both.
        All = "all",
    }

    /// Response of [`Artifact`]; the member that is present selects the variant.
    pub enum ArtifactResponse by member {
        /// A list of pages.
        List(ArtifactList) = "artifacts",
        /// A page that was read.
        Read(ArtifactReading) = "read",
        /// A page that is now watched.
        Watch(ArtifactWatch) = "watch",
        /// A page that is no longer watched.
        Unwatch(ArtifactUnwatch) = "unwatch",
        /// The watched pages.
        Status(ArtifactWatches) = "watches",
        /// A file uploaded as an asset.
        AssetUpload(ArtifactAssetUpload) = "asset_upload",
        /// Files uploaded as assets.
        AssetUploads(ArtifactAssetUploads) = "asset_uploads",
        /// The assets of a page.
        AssetList(ArtifactAssetList) = "asset_list",
        /// An asset that was read.
        AssetRead(ArtifactAssetRead) = "asset_read",
        /// A deleted asset.
        AssetDelete(ArtifactAssetDelete) = "asset_delete",
        /// A pinned or unpinned page.
        Pin(ArtifactPin) = "pin",
        /// A published page.
        Published(ArtifactPublished) = "url",
    }

    /// A published page.
    pub struct ArtifactPublished with defaults without Eq {
        /// Address of the page.
        url: String,
        /// Path of the file.
        path: PathBuf,
        /// Id of the page.
        artifact_id: Option<String>,
        /// Title of the page.
        title: Option<String>,
        /// Version of the page.
        version: Option<String>,
        /// Capabilities of the page; the client does not publish their shape.
        capabilities: Option<Json>,
        /// Data that the service has stored for the page: an object with `contract` and more.
        stored: Option<Json>,
        /// Warnings to the model.
        warnings?: Vec<String>,
        /// Number of times that the user can still publish (`publishesRemaining`).
        publishes_remaining: Option<u64> = "publishesRemaining",
        /// Time when that number is reset (`publishesResetAt`), as the service gives it.
        publishes_reset_at: Option<f64> = "publishesResetAt",
        /// Version of the rules that the page follows.
        contract: Option<String>,
        /// `true` if the page existed before.
        updated: Option<bool>,
        /// `true` if the user owns the page.
        owned: Option<bool>,
        /// Icon of the page.
        icon: Option<String>,
        /// `true` if a favicon was sent (`faviconSent`).
        favicon_sent?: bool = "faviconSent",
        /// `true` if the icon was not accepted (`iconDropped`).
        icon_dropped?: bool = "iconDropped",
        /// Users who can see the page.
        audience: Option<String>,
        /// Users who can see the page's folder: `others` or `unknown`.
        folder_audience: Option<String>,
        /// Sequence number of the version.
        seq: Option<u64>,
        /// `true` if the content has not changed.
        unchanged?: bool,
        /// Way in which the session is notified of changes (`liveSubscription`).
        live_subscription: Option<String> = "liveSubscription",
        /// `true` if the page is pinned.
        pinned: Option<bool>,
    }

    /// A list of pages.
    pub struct ArtifactList with defaults {
        /// The pages, each with `title`, `url` and more.
        artifacts: Vec<Json>,
        /// `true` if there are more pages.
        truncated?: bool,
        /// Number of pages.
        total: Option<u64>,
        /// `true` if there may be more pages than `total`.
        total_at_least?: bool,
        /// Token that continues the list.
        next_page_token: Option<String>,
        /// `true` if pages can be pinned.
        pins_enabled: Option<bool>,
        /// Owners of the pages.
        scope: Option<ArtifactScope>,
        /// `true` if the list includes external pages.
        external_listed?: bool,
    }

    /// A page that was read.
    pub struct ArtifactReading with defaults {
        /// Result: an object with `url`, `code`, `result` and more.
        read: Json,
        /// `true` if the user owns the page.
        owned: Option<bool>,
        /// Version that was read (`artifactRead`).
        artifact_read: Option<ArtifactRead> = "artifactRead",
    }

    /// A version of an artifact that was read.
    pub struct ArtifactRead with defaults {
        /// Slug of the artifact.
        slug: String,
        /// The version.
        ver: Option<String>,
        /// `false` if edits do not start from the text that was read.
        seeded: Option<bool>,
    }

    /// A page that is now watched.
    pub struct ArtifactWatch with defaults {
        /// Result: an object with `url`, `watching`, `outcome` and more.
        watch: Json,
    }

    /// A page that is no longer watched.
    pub struct ArtifactUnwatch with defaults {
        /// Result: an object with `url` and `was_watching`.
        unwatch: Json,
    }

    /// The watched pages.
    pub struct ArtifactWatches with defaults {
        /// The pages, each with `url` and more.
        watches: Vec<Json>,
        /// Address of the requested page.
        filter_url: Option<String>,
        /// State of the client's watch on each page: objects with `url`, `state` and more.
        arms?: Vec<Json>,
    }

    /// A file uploaded as an asset.
    pub struct ArtifactAssetUpload with defaults {
        /// The page, if it was written: an object with `url`.
        written: Option<Json>,
        /// `true` if the user owns the page.
        owned: Option<bool>,
        /// The asset: an object with `id`, `url`, `file_name` and more.
        asset_upload: Json,
    }

    /// Files uploaded as assets.
    pub struct ArtifactAssetUploads with defaults {
        /// The page, if it was written: an object with `url`.
        written: Option<Json>,
        /// `true` if the user owns the page.
        owned: Option<bool>,
        /// Result: an object with `url` and `results`.
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

    /// A deleted asset.
    pub struct ArtifactAssetDelete with defaults {
        /// The page, if it was written: an object with `url`.
        written: Option<Json>,
        /// `true` if the user owns the page.
        owned: Option<bool>,
        /// An object with `id` and `deleted`.
        asset_delete: Json,
    }

    /// A pinned or unpinned page.
    pub struct ArtifactPin with defaults {
        /// Result of the action.
        pin: ArtifactPinned,
    }

    /// Result of pinning or unpinning a page.
    pub struct ArtifactPinned with defaults {
        /// The action: `pin` or `unpin`.
        action: ArtifactAction,
        /// Address of the page.
        url: String,
        /// `true` if the page is pinned now.
        pinned: bool,
        /// Title of the page.
        title: Option<String>,
    }
}
