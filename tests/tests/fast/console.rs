//! The console blocks of pages whose commands build nothing.

use anyhow::Result;
use hookkit_tests::console::{Console, pages};
use hookkit_tests::parallel::each;

/// Pages of the book. A page whose commands build something is in the tier `builds`.
const BOOK: [&str; 2] = ["doctor", "list"];

#[test]
fn commands_print_what_their_pages_show() -> Result<()> {
    each(2, pages("fast", &BOOK)?, |page| Console::new()?.play(&page))
}
