//! Tests of the whole.

mod budgets;
mod client;
mod hooks;
mod install;
mod process;
mod ui;
