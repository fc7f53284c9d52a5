//! Write Claude Code hooks as annotated Rust functions.
//!
//! A hook is a command that Claude Code runs at a fixed moment, with one JSON object on stdin, and that answers by exit
//! code, stderr and JSON on stdout.
//! Handwritten hooks fail in silence: an answer of the wrong shape is ignored, and a crash lets the tool run.
//! Here it is a function:
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
//! The first word of the attribute is the [event]; `matcher` says which of them, in the client's matcher language, `if`
//! is a permission rule that a call must fit, too, and `timeout` how many seconds the client waits.
//! Without a matcher a hook is called on what the type of its event means.
//! A declaration that would fail in silence does not compile; see [`hook`].
//! The function takes its event, typed by the [tool], and [`Context`] if it wants to know where it is.
//! It returns an [answer] of its event, `()`, or an `Option` or a `Result` of these.
//! On several events, `#[hook(SessionStart | UserPromptSubmit)]`, it takes and returns what all of them do.
//! It stays an ordinary function, so a unit test calls it:
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
//! A file has many names, and a guard that compares texts knows one of them.
//! [`Context::path`] finds the file that a path of a tool's input leads to, all names that it has on the way, and the name that
//! it is called within the project; `call.paths(&context)` does it for whatever a call is about.
//! [`tool::TextChange`] has the text that comes into a file, by whichever tool, and what the file will hold.
//!
//! # Behind features
//!
//! A hook links what it asks for, and nothing else:
//!
//! | feature | |
//! |---|---|
//! | `shell` | `shell::analyse`: the commands that a shell command line runs, and the parts that cannot be analysed |
//! | `state` | `state::States`, an argument: a value that is kept for the session, or for the project, from one run to the next |
//! | `git` | `git::WorkTree`: what git knows of a folder |
//! | `glob` | `glob::Patterns`: lists of path patterns, as ignore files write them, to be asked about [`ProjectPath::relative_names`] |
//! | `testing` | `testing::run`: a hook on an event, and what the client does then |
//!
//! # Install
//!
//! `cargo xtask install` builds each hook of the workspace into a binary of its own and adds it to the project's
//! `.claude/settings.json`.
//!
//! # When a hook fails
//!
//! A payload that cannot be decoded, an error, a panic: each ends in one line on stderr, and in what [`OnFailure`] says.
//! A hook on PreToolUse refuses the call, and one on WorktreeCreate the worktree; any other lets the action go on, unless the
//! author wrote `on_failure`: `ask` has the user asked about a call.
//! What a handler prints goes to stderr: stdout belongs to the protocol.
//! Programs that it runs are best run by [`process::Command`]: they end in time, and with the hook.
//!
//! Of a payload only what the handler's types name is kept, and it takes twice its size in memory, whatever else there is.
//! A payload of which that is more than 128 MiB, or that has more than a million members in one object, is one that cannot
//! be decoded, and so is one that nests deeper than 127 levels.

#[cfg(not(any(unix, windows)))]
compile_error!("hookkit does not support this platform yet: `sys.rs` has a file for each that it does");

#[doc(hidden)]
pub mod __private;
pub mod answer;
#[cfg(any(feature = "launcher", test))]
mod arena;
mod config;
mod context;
mod def;
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
mod matching;
mod open;
mod path;
mod payload;
pub mod permission;
pub mod process;
mod registry;
mod respond;
mod run;
#[cfg(test)]
mod soak;
#[cfg(any(feature = "state", test))]
pub mod state;
mod sys;
mod termination;
#[cfg(any(feature = "testing", test))]
pub mod testing;
pub mod tool;
pub mod transcript;
mod wire;

pub use config::Config;
pub use context::{Context, Effort, EffortLevel, PermissionMode};
pub use def::{Entry, Hook, HookDef};
pub use env_file::EnvFile;
pub use environment::Environment;
pub use error::Error;
pub use event::Event;
use hookkit_json as json;
pub use hookkit_json::{Error as JsonError, Json, Number};
pub use hookkit_macros::{ToolInput, hook};
pub use hookkit_protocol as protocol;
pub use hookkit_protocol::hook::{Mode, OnFailure};
#[cfg(feature = "shell")]
pub use hookkit_shell as shell;
pub use path::ProjectPath;
pub use payload::{FromInput, Payload};
pub use respond::{Response, respond};
pub use tool::ToolInput;

/// The names that a file of hooks needs.
///
/// An event, and the answer of the same name; arguments of any event, and answers that fit several.
/// The types of events' fields are in [`event`], and inputs of tools are in [`tool`].
pub mod prelude {
    #[doc(inline)]
    pub use crate::answer::table::*;
    #[doc(inline)]
    pub use crate::answer::{
        AsyncAnswer, ByExitCode, Finding, Findings, PermissionRequestAnswer, PostToolUseAnswer, PreToolUseAnswer,
        RewakeAnswer, TerminalAnswer, TerminalSequence, Text, WorktreeCreateAnswer,
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
/// `cargo xtask install` writes it; it is public for those who want a binary without xtask.
///
/// ```
/// mod hooks {
///     use hookkit::prelude::*;
///
///     /// Looks on.
///     #[hook(Stop)]
///     pub fn look_on() {}
/// }
///
/// hookkit::main!(hooks::look_on);
/// ```
#[macro_export]
macro_rules! main {
    ($hook:path) => {
        fn main() {
            $crate::__private::run(<$hook as $crate::__private::Hook>::DEF)
        }
    };
}
