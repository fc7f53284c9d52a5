//! Hooks that guard files, settings and services against the model's calls.
//!
//! Most hooks judge a call before it runs, and deny it or ask the user, with a reason that says what to do instead. If
//! such a hook fails, the call is denied or asked about, as its page says.
//!
//! - [`deny_destruction`](destructive::deny_destruction): no shell command destroys data for good.
//! - [`check_commit_message`](commit::check_commit_message): a commit's message has the form that its readers expect.
//! - [`check_packages`](packages::check_packages): the user is asked before a new package is installed.
//! - [`keep_git_hooks`](git_hooks::keep_git_hooks): git's hooks run for each commit and push.
//! - [`protect_checks`](checks::protect_checks): only the user changes the settings of linters and other checks.
//! - [`protect_branches`](branches::protect_branches): branches that others build on only change through a review.
//! - [`mark_instructions`](instructions::mark_instructions): text in the output of tools that reads as instructions is
//!   marked.
//! - [`protect_secrets`](files::protect_secrets): files with secrets are neither read nor changed.
//! - [`protect_files`](protected::protect_files): lock files, git's own files and the files of the project's list are
//!   not changed.
//! - [`keep_to_worktree`](worktree::keep_to_worktree): a session in a worktree changes nothing in the others;
//!   [`note_worktree`](worktree::note_worktree) remembers the worktree.
//! - [`hold_settings`](settings::hold_settings): no change of Claude Code's settings weakens a session's guards;
//!   [`watch_settings`](settings::watch_settings) remembers the settings at the start.
//! - [`report_missing_hooks`](required::report_missing_hooks): a session that lacks hooks of its project reports it, and
//!   [`require_hooks`](required::require_hooks) blocks its prompts, if a workspace requires them.
//! - [`report_modules`](required::report_modules): an unreviewed plugin of the checkout that runs inside Claude Code is
//!   reported, even if it keeps other hooks from starting.
//! - [`deny_secrets`](secrets::deny_secrets): no edit and no command contains a token or a private key;
//!   [`block_secrets_in_prompts`](secrets::block_secrets_in_prompts): no prompt does.
//! - [`redact_output`](redact::redact_output): a tool's result reaches the model without its secrets;
//!   [`report_secrets`](redact::report_secrets) warns the model of secrets in the error of a failed call.

pub mod branches;
pub mod change;
pub mod checks;
mod code;
pub mod commit;
pub mod destructive;
mod effects;
pub mod files;
mod folders;
mod found;
mod git;
pub mod git_hooks;
pub mod instructions;
mod later;
mod line;
mod modules;
pub mod packages;
mod prelude;
pub mod protected;
pub mod redact;
mod repository;
pub mod required;
pub mod secrets;
pub mod settings;
mod settings_files;
#[cfg(test)]
#[path = "../../../hookkit/src/soak.rs"]
mod soak;
#[cfg(test)]
mod testing;
mod variables;
mod words;
pub mod worktree;
