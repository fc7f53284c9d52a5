//! The console blocks of pages whose commands build nothing; and blocks that are left out have a reason.

use hookkit_tests::console::{Console, pages};
use hookkit_tests::parallel::each;
use hookkit_tests::prelude::*;

/// Pages of the book.
const BOOK: [&str; 5] = ["doctor", "list", "mods", "stats", "verify"];

/// Pages of the book that `builds/console.rs` plays.
const OF_BUILDS: [&str; 6] = ["explain", "install", "off", "run", "screens", "start"];

#[test]
fn commands_print_what_their_pages_show() -> Result<()> {
    each(2, pages("fast", &BOOK)?, |page| Console::new()?.play(&page))
}

#[test]
fn each_page_with_commands_is_played_or_says_why_not() -> Result<()> {
    let builds = fs::read_to_string(repository().join("tests/tests/builds/console.rs"))?;
    for page in OF_BUILDS {
        ensure!(builds.contains(&format!("\"{page}\"")), "no tier plays {page}.md");
    }
    let pages = fs::read_dir(repository().join("docs/book/src"))?.map(|page| Ok(page?.path()));
    let pages = pages.chain([Ok(repository().join("README.md"))]).collect::<Result<Vec<_>>>()?;
    for page in pages.iter().filter(|page| page.extension().is_some_and(|extension| extension == "md")) {
        let name = page.file_stem().and_then(|name| name.to_str()).context("a UTF-8 name")?;
        // `hooks.md` is written from the docs of hooks.
        if [&BOOK[..], &OF_BUILDS, &["hooks"]].concat().contains(&name) {
            continue;
        }
        let text = fs::read_to_string(page)?;
        let blocks = text.matches("```console\n").count();
        let left = text.split("```console\n").filter(|before| {
            let last = before.trim_end().lines().last().unwrap_or_default();
            last.starts_with("<!-- not run: ")
        });
        assert_eq!(left.count(), blocks, "{}: a block is not played", page.display());
    }
    Ok(())
}
