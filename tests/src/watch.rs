//! Another version of the client, compared with the facts of hookkit: by the declarations in the client's code, and by
//! playing sessions.

mod declared;
mod difference;
mod fact;
mod ladder;
mod page;
mod played;
mod script;
mod seen;
mod types;

pub use declared::{DECLARED, Declared};
pub use difference::{Change, Difference};
pub use fact::{Area, Fact};
pub use ladder::{First, Firsts, Ladder};
pub use played::{PAYLOADS, TABLES, Table, Verdicts, payloads};
pub use seen::seen;
pub use types::Types;
