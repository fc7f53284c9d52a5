//! The hooks as a session runs them. Wine has no git.

mod calls;
mod checks;
#[cfg(unix)]
mod commit;
#[cfg(unix)]
mod destructive;
mod files;
mod instructions;
mod outcome;
#[cfg(unix)]
mod packages;
mod protected;
mod redact;
#[cfg(unix)]
mod required;
mod settings;
mod unanalyzed;
#[cfg(unix)]
mod worktree;
