//! `cargo dev look-at-book`: pictures of the book's pages, as readers see them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;
use hookkit_tests::browser::ARGUMENTS;
use hookkit_tests::xtask::repository;

use crate::step::{Step, run_all};

#[derive(Args)]
pub(crate) struct Options {
    /// The folder for the pictures
    folder: PathBuf,
    /// Only these pages, such as `start` [default: all]
    pages: Vec<String>,
    /// The browser
    #[arg(long, default_value = "chromium")]
    browser: PathBuf,
}

/// A phone and a desktop, in pixels.
const WINDOWS: [&str; 2] = ["390,844", "1280,900"];

/// The color schemes, each with chromium's number for it.
const SCHEMES: [(&str, u8); 2] = [("dark", 0), ("light", 1)];

/// Pages of mdbook's own.
const FOREIGN: [&str; 3] = ["404", "print", "toc"];

/// Builds the book and takes the pictures.
pub(crate) fn run(options: &Options) -> Result<()> {
    run_all(&[Step::new("mdbook build docs/book")])?;
    let book = repository().join("target/book");
    fs::create_dir_all(&options.folder)?;
    let mut logged = Vec::new();
    for page in pages(&book, &options.pages)? {
        for (window, (scheme, number)) in WINDOWS.iter().flat_map(|window| SCHEMES.map(|scheme| (window, scheme))) {
            let width = window.split(',').next().unwrap_or(window);
            let picture = format!("{}-{width}-{scheme}.png", page.replace('/', "-"));
            let profile = test_support::folder();
            let output = Command::new(&options.browser)
                .args(ARGUMENTS)
                .args(["--enable-logging=stderr", "--v=0"])
                .arg(format!("--user-data-dir={}", profile.path().display()))
                .arg(format!("--blink-settings=preferredColorScheme={number}"))
                .arg(format!("--window-size={window}"))
                .arg(format!("--screenshot={}", options.folder.join(&picture).display()))
                .arg(format!("file://{}/{page}.html", book.display()))
                .output()
                .with_context(|| format!("cannot start {}", options.browser.display()))?;
            let stderr = String::from_utf8_lossy(&output.stderr);
            ensure!(output.status.success(), "{page}: {stderr}");
            let lines = stderr.lines().filter(|line| line.contains(":CONSOLE"));
            logged.extend(lines.map(|line| format!("{page}: {line}")));
        }
    }
    ensure!(logged.is_empty(), "the pages log:\n{}", logged.join("\n"));
    Ok(())
}

/// Returns the names of the book's pages, or of the chosen ones.
fn pages(book: &Path, chosen: &[String]) -> Result<Vec<String>> {
    let mut pages = Vec::new();
    for folder in ["", "recipes/"] {
        for entry in fs::read_dir(book.join(folder))? {
            let name = entry?.file_name().into_string().ok().context("a name in UTF-8")?;
            if let Some(name) = name.strip_suffix(".html").filter(|name| !FOREIGN.contains(name)) {
                pages.push(format!("{folder}{name}"));
            }
        }
    }
    for page in chosen {
        ensure!(pages.contains(page), "the book has no page `{page}`");
    }
    pages.retain(|page| chosen.is_empty() || chosen.contains(page));
    pages.sort();
    Ok(pages)
}
