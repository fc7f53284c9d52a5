//! Effects of commands, by a table of programs.
//!
//! Many programs have commands of their own: `kubectl get` reads, `kubectl delete` deletes, and `kubectl apply` changes.
//! One table classifies them, for hooks that approve commands and for hooks that deny them:
//!
//! - [`reads`]: for certain it changes nothing, but for its redirections ([`only_reads`]);
//! - [`builds`]: it runs the project's own code, as `cargo test` does;
//! - [`edits`]: it edits the project's files, as `cargo fmt` does;
//! - [`deletes`]: by one of its [`verbs`] it takes away what a service keeps: a cloud, a cluster, a package registry.
//!
//! [`prints_secret`] knows the commands that print a token, a password or the variables of a service.
//! [`for_person`] knows hookkit's own commands that take a guard away or accept code.
//!
//! The first three know what they name, and nothing else: a command that is not in the table has no known effect.
//!
//! ```
//! use hookkit::prelude::*;
//! use hookkit::{effects, shell};
//!
//! /// Asks about what deletes from a service.
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
pub use person::{FOR_PERSON, ForPerson, for_person};
pub use prints::prints_secret;
pub use row::{Known, Operands};
