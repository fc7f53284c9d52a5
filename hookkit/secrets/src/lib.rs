//! Secrets in a text: private keys, and the tokens of nearly fifty providers.
//!
//! Each form has its own beginning, length and alphabet.
//! [`secrets`] finds them, and [`masked`] returns the text without them. [`markers`] also finds values by their names, for text
//! that the model reads:
//!
//! ```
//! use hookkit::prelude::*;
//! use hookkit::secrets;
//!
//! /// Keeps tokens out of web searches.
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
//! - A secret joined from pieces or encoded, and a private key after headers of more than a kilobyte.
//! - Placeholders, which do not count: words such as `EXAMPLE` and `xxxxx`, rows such as `12345678`, and texts with too few
//!   different characters.
//! - Lines with the comment `gitleaks:allow` or `pragma: allowlist secret`, which scanners of repositories skip, too.

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
