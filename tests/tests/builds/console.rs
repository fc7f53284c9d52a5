//! The console blocks of pages whose commands build hooks.

use anyhow::Result;
use hookkit_tests::console::{Console, pages};
use hookkit_tests::workspace::fixture;

#[test]
fn commands_on_the_packs_of_the_tests_print_what_their_pages_show() -> Result<()> {
    for page in pages("builds", &[])? {
        let mut console = Console::new()?;
        console.link("fixture", fixture()?)?;
        console.play(&page)?;
    }
    Ok(())
}
