//! Eleven hooks from public repositories, rewritten from their purpose. README.md compares them.

pub mod cleanup_clones;
pub mod comment_strip;
pub mod config_watch;
pub mod persist_session_id;
pub mod post_edit_format;
pub mod pre_compact;
pub mod protect_tests;
pub mod ralph_loop;
pub mod secret_scanner;
pub mod setup;
pub mod track_edits;
