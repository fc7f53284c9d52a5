//! Effects of commands, from a table of programs.
//!
//! Many programs have commands of their own: `kubectl get` reads, `kubectl delete` deletes, and `kubectl apply` changes.
//! One table classifies them, for hooks that approve commands and for hooks that deny them:
//!
//! - [`reads`]: the command certainly changes nothing, except by its redirections ([`only_reads`]);
//! - [`builds`]: the command runs the project's own code, like `cargo test`;
//! - [`edits`]: the command edits the project's files, like `cargo fmt`;
//! - [`deletes`]: one of the command's [`verbs`] deletes data of a service: a cloud, a cluster, a package registry.
//!
//! [`prints_secret`] finds commands that print a token, a password or the variables of a service.
//! [`for_person`] finds hookkit's own commands that remove a guard or accept code.
//!
//! The first three only cover programs in the table: they return nothing for any other command.
//!
//! ```
//! use hookkit::prelude::*;
//! use hookkit::{effects, shell};
//!
//! /// Asks before a command deletes from a service.
//! #[hook(PreToolUse)]
//! pub fn keep_services(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
//!     let script = shell::analyze(&call.input.command);
//!     match script.commands().iter().find(|command| effects::deletes(command)) {
//!         Some(command) => PreToolUseAnswer::ask(format!("`{command}` deletes from a service")),
//!         None => PreToolUseAnswer::pass(),
//!     }
//! }
//! # fn main() {
//! # let answer = |text: &str| keep_services(PreToolUse::new("Bash", tool::Bash::new(text)));
//! # assert_ne!(answer("cd x && aws ec2 terminate-instances --instance-ids i-1"), PreToolUseAnswer::pass());
//! # assert_eq!(answer("aws ec2 describe-instances"), PreToolUseAnswer::pass());
//! # }
//! ```

mod delete;
mod known;
mod person;
mod prints;
mod row;

pub use delete::{deletes, verbs};
pub use known::{builds, edits, only_reads, reads};
pub use person::{ForPerson, all_for_person, for_person};
pub use prints::prints_secret;
pub use row::{Known, Operands};
