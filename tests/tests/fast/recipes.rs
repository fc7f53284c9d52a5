//! The recipes of the book have the code of `examples/recipes`, which is built and run there.
//!
//! A block of a recipe has a comment above it that names the file and the part.

use std::env;

use hookkit_tests::prelude::*;

/// The beginning of the comment above a block.
const MARK: &str = "<!-- examples/recipes/src/";

/// Returns a part of a source file: the lines between `// ANCHOR: part` and `// ANCHOR_END: part`.
fn part<'s>(source: &'s str, part: &str) -> Option<&'s str> {
    let (_, rest) = source.split_once(&format!("// ANCHOR: {part}\n"))?;
    Some(rest.split_once(&format!("// ANCHOR_END: {part}\n"))?.0)
}

/// Returns a page with the code of each marked block taken from its source, and the number of these blocks.
fn renewed(page: &str, read: impl Fn(&str) -> Result<String>) -> Result<(String, usize)> {
    let mut parts = page.split(MARK);
    let mut renewed = parts.next().unwrap_or_default().to_owned();
    let mut blocks = 0;
    for rest in parts {
        let (name, rest) = rest.split_once(" -->\n").context("a comment that ends")?;
        let (file, anchor) = name.split_once(": ").context("a file and a part")?;
        let source = read(file)?;
        let code = part(&source, anchor).with_context(|| format!("{file} has no part `{anchor}`"))?;
        let rest = rest.strip_prefix("\n```rust\n").context("a block of code")?;
        let (_, rest) = rest.split_once("```\n").context("a block that ends")?;
        ensure!(!code.contains("```"), "{file} has three backticks");
        renewed += &format!("{MARK}{name} -->\n\n```rust\n{code}```\n{rest}");
        blocks += 1;
    }
    Ok((renewed, blocks))
}

#[test]
fn the_page_of_each_recipe_has_the_code_of_the_example() -> Result<()> {
    let sources = repository().join("examples/recipes/src");
    let read = |file: &str| fs::read_to_string(sources.join(file)).with_context(|| format!("reading {file}"));
    let is_recorded = env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite");
    let mut shown = String::new();
    for entry in fs::read_dir(repository().join("docs/book/src/recipes"))? {
        let path = entry?.path();
        let page = fs::read_to_string(&path)?;
        let (renewed, blocks) = renewed(&page, read).with_context(|| format!("reading {}", path.display()))?;
        ensure!(blocks > 1, "{} has no hook, or no test", path.display());
        if is_recorded {
            fs::write(&path, &renewed)?;
        } else {
            assert!(page == renewed, "{} has other code than its example: SNAPSHOTS=overwrite", path.display());
        }
        shown += &renewed;
    }
    for file in files::names(&sources) {
        for line in read(&file)?.lines() {
            if let Some(part) = line.strip_prefix("// ANCHOR: ") {
                let mark = format!("{MARK}{file}: {part} -->");
                assert!(shown.contains(&mark), "no recipe shows `{part}` of {file}");
            }
        }
    }
    Ok(())
}

#[test]
fn old_code_on_a_page_is_replaced() -> Result<()> {
    let page = format!("# A\n\n{MARK}a.rs: hook -->\n\n```rust\nold\n```\n\nEnd.\n");
    let source = "// ANCHOR: hook\nnew\n// ANCHOR_END: hook\n";
    let (renewed, blocks) = renewed(&page, |_| Ok(source.to_owned()))?;
    assert_eq!((renewed, blocks), (page.replace("old", "new"), 1));
    Ok(())
}
