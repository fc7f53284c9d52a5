//! The console blocks of pages whose commands build hooks.

use hookkit_tests::console::{Console, pages};
use hookkit_tests::keyboard;
use hookkit_tests::parallel::each;
use hookkit_tests::prelude::*;

/// Pages of the book about hooks of this repository.
const BOOK: [&str; 4] = ["install", "explain", "off", "screens"];

/// Returns `true` if hooks can be linked statically, as those of the pages are; if not, says on stderr that a test is skipped.
fn is_static(test: &str) -> bool {
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let rustc = Command::new("rustc").args(["--print", "target-libdir", "--target", &target]).output();
    let folder = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let is_static = folder.is_ok_and(|folder| Path::new(&folder).is_dir());
    if !is_static {
        skip(test, &format!("rustc has no {target}"));
    }
    is_static
}

#[test]
fn commands_that_build_print_what_their_pages_show() -> Result<()> {
    if !is_static("commands_that_build_print_what_their_pages_show") {
        return Ok(());
    }
    let has_keyboard = keyboard::is_there("commands_that_build_print_what_their_pages_show");
    let pages = pages("builds", &BOOK)?.into_iter();
    each(2, pages.filter(|page| has_keyboard || !page.ends_with("off.md")), |page| {
        let mut console = Console::new()?;
        console.link("fixture", fixture()?)?;
        console.link("unoptimized", unoptimized()?)?;
        console.play(&page)
    })
}

#[test]
fn a_new_workspace_is_as_the_book_says() -> Result<()> {
    if !is_static("a_new_workspace_is_as_the_book_says") {
        return Ok(());
    }
    let stage = Stage::with_xtask()?;
    let mut console = Console::new()?;
    console.link("stage", stage.path())?;
    console.show(&stage.app(), "acme-hooks")?;
    let pages = ["start", "run"];
    each(1, pages, |page| console.play(&format!("docs/book/src/{page}.md")))
}
