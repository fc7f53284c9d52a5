//! Write Claude Code hooks as annotated Rust functions.
//!
//! A hook is a command that Claude Code runs on an event. It reads one JSON object from stdin and answers with its exit
//! code, stderr and JSON on stdout.
//! Handwritten hooks fail silently: an answer of the wrong shape is ignored, and a crash lets the tool run.
//! With hookkit, a hook is a function:
//!
//! ```
//! use hookkit::prelude::*;
//!
//! /// Keeps secrets out of Claude's hands.
//! #[hook(PreToolUse, matcher = "Read|Edit|Write", timeout = 5)]
//! pub fn protect_env(call: PreToolUse<tool::FileAccess>) -> PreToolUseAnswer {
//!     if call.input.file_path.ends_with(".env") {
//!         PreToolUseAnswer::deny("`.env` holds secrets: ask the user to edit it")
//!     } else {
//!         PreToolUseAnswer::pass()
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! # Write
//!
//! The attribute begins with the [event]. `matcher` selects events in the client's matcher language, `if` is a
//! permission rule that a call must match as well, and `timeout` is the number of seconds that the client waits.
//! Without `matcher`, the types of the arguments select the events. A declaration that would fail silently does not
//! compile; see [`hook`]. The function takes its event, typed by the [tool], and [`Context`] if it needs the session's
//! folders. It returns an [answer] to its event, `()`, or an `Option` or a `Result` of these. A hook on several events,
//! `#[hook(SessionStart | UserPromptSubmit)]`, takes and returns types that all of them share. The hook is still an
//! ordinary function, so a unit test can call it:
//!
//! ```
//! # use hookkit::prelude::*;
//! # #[hook(PreToolUse, matcher = "Read|Edit|Write")]
//! # pub fn protect_env(call: PreToolUse<tool::FileAccess>) -> PreToolUseAnswer {
//! #     if call.input.file_path.ends_with(".env") { PreToolUseAnswer::deny("") } else { PreToolUseAnswer::pass() }
//! # }
//! # fn main() {
//! let call = PreToolUse::new("Read", tool::FileAccess::new("/project/README.md"));
//! assert_eq!(protect_env(call), PreToolUseAnswer::pass());
//! # }
//! ```
//!
//! # Files and their text
//!
//! A file can have many names, and a guard that compares strings checks only one of them. [`Context::path`] resolves a
//! path of a tool's input: it returns the file, all names on the way to it, and its name within the project.
//! `call.paths(&context)` does this for all paths of a call. [`tool::TextChange`] has the text that a tool adds to a
//! file, and the text of the file afterwards.
//!
//! # Optional features
//!
//! A hook links only the features that it enables:
//!
//! | feature | |
//! |---|---|
//! | `shell` | `shell::analyze`: the commands that a shell command line runs, and the parts that cannot be analyzed |
//! | `state` | `state::States`, an argument: a value that is kept between runs, for the session or for the project |
//! | `git` | `git::WorkTree`: git's view of a folder, and commits of a range |
//! | `log` | `log::Log`: JSON lines that several hooks append to |
//! | `config-file` | `config_file::ConfigFile`: a file of the project or the user, read without links and replaced as a whole |
//! | `glob` | `glob::Patterns`: lists of path patterns, as in ignore files, to match [`ProjectPath::relative_names`] |
//! | `effects` | `effects::reads` and similar functions: the effects of a command, from a table of programs |
//! | `service` | `service::answer`: a hook's answer without a process of its own, for [`hookkit-service`](https://docs.rs/hookkit-service) |
//! | `secrets` | `secrets::secrets`: tokens and private keys in a text |
//! | `testing` | `testing::Session`: runs hooks on events, and reports what the client does then; for tests |
//!
//! # Install
//!
//! `cargo xtask install` builds a binary for each hook of the workspace and adds it to the project's
//! `.claude/settings.json`.
//!
//! # When a hook fails
//!
//! A payload that cannot be decoded, an error and a panic all print one line on stderr and apply the failure policy
//! ([`OnFailure`]). By default, a hook on PreToolUse denies the call, a hook on WorktreeCreate denies the worktree, and
//! any other hook lets the action go ahead. `on_failure` overrides this: with `ask`, the user is asked about the call.
//! Everything that a handler prints goes to stderr: stdout is reserved for the protocol. Run programs with
//! [`process::Command`]: each ends within the hook's time limit, and at the latest with the hook.
//! [`detach`](process::Command::detach) starts a program that outlives the hook.
//!
//! Only the members that the handler's types declare are kept; they take twice their size in memory. A payload cannot
//! be decoded if these members are larger than 128 MiB, if one object has more than a million members, or if the
//! payload is nested deeper than 127 levels.

// docs.rs writes at each item which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(not(any(unix, windows)))]
compile_error!("hookkit does not support this platform yet: it needs a file in `src/sys`");

#[doc(hidden)]
pub mod __private;
#[cfg_attr(not(all(unix, any(feature = "agent", test))), path = "agent/off.rs")]
mod agent;
pub mod answer;
#[cfg(any(feature = "launcher", test))]
mod arena;
pub mod bounded;
mod config;
#[cfg(any(feature = "config-file", test))]
pub mod config_file;
mod context;
mod def;
#[cfg(any(feature = "config-file", feature = "log", feature = "state", test))]
mod disk;
mod dotenv;
mod env_file;
mod environment;
mod error;
pub mod event;
mod failure;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
#[cfg(any(feature = "git", test))]
pub mod git;
#[cfg(any(feature = "glob", test))]
pub mod glob;
#[cfg(any(feature = "log", test))]
pub mod log;
mod matching;
mod open;
#[cfg(unix)]
mod order;
mod panicking;
mod path;
mod payload;
pub mod permission;
#[cfg(any(feature = "config-file", feature = "log", test))]
mod place;
pub mod process;
pub mod project;
mod quote;
#[cfg_attr(not(any(feature = "record", test)), path = "record/off.rs")]
mod record;
mod registry;
mod respond;
mod run;
#[cfg(any(feature = "service", test))]
pub mod service;
#[cfg(test)]
mod soak;
#[cfg(any(feature = "state", test))]
pub mod state;
mod sys;
mod termination;
#[cfg(any(feature = "testing", test))]
pub mod testing;
mod timestamp;
pub mod tool;
pub mod transcript;
mod wire;

pub use config::Config;
pub use context::{Context, Effort, EffortLevel, PermissionMode};
pub use def::{Entry, Hook, HookDef};
pub use dotenv::dotenv;
pub use env_file::EnvFile;
pub use environment::Environment;
pub use error::Error;
pub use event::Event;
#[cfg(feature = "effects")]
#[doc(inline)]
pub use hookkit_effects as effects;
use hookkit_json as json;
pub use hookkit_json::{Error as JsonError, Json, Number};
pub use hookkit_macros::{ToolInput, hook};
#[doc(inline)]
pub use hookkit_protocol as protocol;
pub use hookkit_protocol::hook::{Mode, OnFailure};
#[cfg(feature = "secrets")]
#[doc(inline)]
pub use hookkit_secrets as secrets;
#[cfg(feature = "shell")]
#[doc(inline)]
pub use hookkit_shell as shell;
pub use path::ProjectPath;
pub use payload::{FromInput, Payload};
pub use record::is_audited;
pub use respond::{Response, respond};
pub use timestamp::Timestamp;
pub use tool::ToolInput;

/// The names that a source file with hooks needs: events, their answers, and arguments for any event.
///
/// The types of events' fields are in [`event`], and inputs of tools are in [`tool`].
pub mod prelude {
    #[doc(inline)]
    pub use crate::answer::table::*;
    #[doc(inline)]
    pub use crate::answer::{
        AsyncAnswer, ByExitCode, Finding, Findings, PermissionRequestAnswer, PostToolUseAnswer,
        PreSkillShellCommandAnswer, PreToolUseAnswer, RewakeAnswer, TerminalAnswer, TerminalSequence, Text,
        WorktreeCreateAnswer,
    };
    #[doc(inline)]
    pub use crate::event::AnyEvent;
    #[doc(inline)]
    pub use crate::event::all::*;
    #[doc(inline)]
    pub use crate::{Config, Context, EnvFile, Environment, Error, Json, ToolInput, hook};
    pub use crate::{answer, event, tool};
}

/// The `main` of a hook's own binary.
///
/// `cargo xtask install` generates it; it is public for binaries that are built without xtask.
///
/// ```
/// mod hooks {
///     use hookkit::prelude::*;
///
///     /// Does nothing.
///     #[hook(Stop)]
///     pub fn look_on() {}
/// }
///
/// hookkit::main!(hooks::look_on);
/// ```
#[macro_export]
macro_rules! main {
    ($hook:path) => {
        // A program with several hooks has a module for each.
        pub(crate) fn main() {
            $crate::__private::run(<$hook as $crate::__private::Hook>::DEF)
        }
    };
}
