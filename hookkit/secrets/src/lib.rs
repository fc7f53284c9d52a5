//! Secrets in a text: private keys, and the tokens of nearly fifty providers.
//!
//! Each form has a beginning of its own, a length and an alphabet.
//! [`secrets`] finds them, and [`masked`] returns the text without them; [`markers`] also finds values by their names, for what the
//! model reads:
//!
//! ```
//! use hookkit::prelude::*;
//! use hookkit::secrets;
//!
//! /// Keeps tokens out of what Claude reads from the web.
//! #[hook(PreToolUse)]
//! pub fn no_tokens_in_searches(call: PreToolUse<tool::WebSearch>) -> PreToolUseAnswer {
//!     match secrets::secrets(&call.input.query).first() {
//!         Some(secret) => PreToolUseAnswer::deny(format!("the query has {secret}")),
//!         None => PreToolUseAnswer::pass(),
//!     }
//! }
//! # fn main() {
//! let token = format!("ghp_{}", "q7Zk3XvW9bRm2TfYd8LhPc5NsGj4Bw6Kq7Zk");
//! let call = PreToolUse::new("WebSearch", tool::WebSearch::new(&format!("what is {token}?")));
//! assert_eq!(no_tokens_in_searches(call), PreToolUseAnswer::deny("the query has line 1: a GitHub token (`ghp_…`)"));
//! assert_eq!(secrets::masked(&token), format!("ghp_{}", "x".repeat(36)));
//! # }
//! ```
//!
//! # What it cannot see
//!
//! - Passwords and keys without a form of their own: `password = "…"`, keys of plain hexadecimal digits, JSON web tokens.
//! - A secret that is put together from pieces or encoded, and a private key after headers of more than a kilobyte.
//! - Texts in a secret's place are none: words such as `EXAMPLE` and `xxxxx`, rows such as `12345678`, and what has too
//!   few different characters.
//! - A line with the comment `gitleaks:allow` or `pragma: allowlist secret` has none, as scanners of repositories read it.

pub mod addresses;
pub mod files;
mod find;
mod mask;
mod named;
mod rules;
#[cfg(test)]
#[path = "../../src/soak.rs"]
mod soak;

pub use find::{Secret, secrets};
pub use mask::{markers, masked, masks};
