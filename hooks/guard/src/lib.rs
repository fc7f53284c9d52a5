//! Hooks that keep things out of the model's hands.
//!
//! Most look at a call before it runs, and deny it or ask the user, with a reason that says what to do instead.
//! If one of these fails, the call is denied or asked about, as its page says.
//!
//! - [`deny_destruction`](destructive::deny_destruction): shell commands that destroy what cannot be brought back.
//! - [`check_commit_message`](commit::check_commit_message): what a commit says is in the form that its readers expect.
//! - [`check_packages`](packages::check_packages): a package that is new to the project is asked about.
//! - [`keep_git_hooks`](git_hooks::keep_git_hooks): the checks of a commit and a push are not skipped.
//! - [`protect_checks`](checks::protect_checks): what decides which faults are found is changed by the user alone.
//! - [`protect_branches`](branches::protect_branches): branches that others build on are changed by a review alone.
//! - [`mark_instructions`](instructions::mark_instructions): what reads as instructions in what tools return is pointed out.
//! - [`protect_secrets`](files::protect_secrets): files that hold secrets are neither read nor changed.
//! - [`protect_files`](protected::protect_files): lock files, git's own and what the project lists are not changed.
//! - [`keep_to_worktree`](worktree::keep_to_worktree): a session of a worktree changes nothing in the other ones, by what
//!   [`note_worktree`](worktree::note_worktree) remembers.
//! - [`hold_settings`](settings::hold_settings): no change of Claude Code's settings weakens the guards of a session, by
//!   what [`watch_settings`](settings::watch_settings) remembers.
//! - [`report_missing_hooks`](required::report_missing_hooks): a session that lacks hooks of its project says so, and
//!   [`require_hooks`](required::require_hooks) blocks its prompts, where that is wanted.
//! - [`report_modules`](required::report_modules): a plugin of the checkout that runs inside Claude Code, and that was not
//!   reviewed, is reported, also where it keeps other hooks from starting.
//! - [`deny_secrets`](secrets::deny_secrets): no edit and no command holds a token or a private key;
//!   [`block_secrets_in_prompts`](secrets::block_secrets_in_prompts): nor does a prompt.
//! - [`redact_output`](redact::redact_output): the result of a tool reaches the model without its secrets;
//!   [`report_secrets`](redact::report_secrets) warns the model of those in the error of a failed call.

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
