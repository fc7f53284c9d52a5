//! The console blocks of pages whose commands build hooks.

use anyhow::Result;
use hookkit_tests::console::{Console, pages};
use hookkit_tests::keyboard;
use hookkit_tests::parallel::each;
use hookkit_tests::workspace::{Stage, fixture};

/// Pages of the book about hooks of this repository.
const BOOK: [&str; 3] = ["install", "explain", "off"];

#[test]
fn commands_that_build_print_what_their_pages_show() -> Result<()> {
    let has_keyboard = keyboard::is_there("commands_that_build_print_what_their_pages_show");
    let pages = pages("builds", &BOOK)?.into_iter();
    each(2, pages.filter(|page| has_keyboard || !page.ends_with("/off.md")), |page| {
        let mut console = Console::new()?;
        console.link("fixture", fixture()?)?;
        console.play(&page)
    })
}

#[test]
fn a_new_workspace_is_as_the_book_says() -> Result<()> {
    let stage = Stage::with_xtask()?;
    let mut console = Console::new()?;
    console.link("stage", stage.path())?;
    console.show(&stage.app(), "acme-hooks")?;
    let pages = ["docs/book/src/start.md".to_owned(), "docs/book/src/run.md".to_owned()];
    each(1, pages, |page| console.play(&page))
}
