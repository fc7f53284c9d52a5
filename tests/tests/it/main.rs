//! Tests of the whole.

mod client;
mod hooks;
mod install;
mod process;
mod ui;
