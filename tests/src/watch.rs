//! Another version of the client, compared with the facts of hookkit: those that the client declares in its own code, and
//! those that show when it is played.

mod declared;
mod fact;
mod finding;
mod ladder;
mod page;
mod played;
mod script;
mod seen;
mod types;

pub use declared::{DECLARED, Declared, Members};
pub use fact::{Fact, Part};
pub use finding::{Finding, Kind};
pub use ladder::{First, Firsts, Ladder, VERSIONS};
pub use played::{PAYLOADS, Rows, TABLES, Table, Verdicts, payloads};
pub use seen::seen;
pub use types::Types;
