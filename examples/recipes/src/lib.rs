//! The hooks of the book's recipes, one module each.

pub mod approve_by_phone;
pub mod before_a_push;
pub mod config_file;
pub mod cost_of_a_session;
pub mod git_hooks_at_stop;
pub mod keep_state;
pub mod language_of_the_repository;
pub mod log_calls;
pub mod mcp_tool;
pub mod outlive_the_hook;
pub mod read_the_transcript;
pub mod regular_expressions;
pub mod several_events;
pub mod web_service;
pub mod write_verbs;
