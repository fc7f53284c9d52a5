//! Links and paths in Markdown files lead somewhere, and the book has every chapter in its summary.

use std::path::Component;

use hookkit_tests::prelude::*;

/// Folders of build output, recordings, and files that `new` fills in.
const FOREIGN: [&str; 5] = ["fixtures", "node_modules", "observed", "target", "templates"];

/// The chapters of the book.
const CHAPTERS: &str = "docs/book/src";

/// Lists all files by their paths in the repository, except hidden folders and those of [`FOREIGN`].
fn files() -> Result<Vec<PathBuf>> {
    let is_left_out = |folder: &Path| {
        let name = files::name(folder);
        name.starts_with('.') || FOREIGN.contains(&name)
    };
    let files = files::below(repository(), &is_left_out)?.into_iter();
    files.map(|path| Ok(path.strip_prefix(repository())?.to_owned())).collect()
}

/// The Markdown files, each with its lines that are not code, with their numbers.
type Pages = BTreeMap<PathBuf, Vec<(usize, String)>>;

fn pages(files: &[PathBuf]) -> Result<Pages> {
    let is_page = |file: &&PathBuf| file.extension().is_some_and(|extension| extension == "md");
    let read = |file: &PathBuf| {
        let mut is_code = false;
        let text = fs::read_to_string(repository().join(file))?;
        let lines = text.lines().zip(1..).filter_map(|(line, number)| {
            let is_fence = line.trim_start().starts_with("```");
            is_code ^= is_fence;
            (!is_code && !is_fence).then(|| (number, line.to_owned()))
        });
        Ok((file.clone(), lines.collect()))
    };
    files.iter().filter(is_page).map(read).collect()
}

/// Returns the parts of a line that are in backticks, or those that are not.
fn parts(line: &str, in_backticks: bool) -> impl Iterator<Item = &str> {
    line.split('`').skip(usize::from(in_backticks)).step_by(2)
}

/// Returns the targets of the links and pictures of a line.
fn targets(line: &str) -> Vec<String> {
    // The text of a link may be code, but not its target.
    let line: String = parts(line, false).collect();
    let mut targets = Vec::new();
    for (start, end) in [("](", ')'), ("src=\"", '"'), ("srcset=\"", '"')] {
        let found = line.split(start).skip(1).filter_map(|rest| rest.split(end).next());
        targets.extend(found.map(str::to_owned));
    }
    targets
}

/// Returns the anchors of a page's headings, as GitHub and mdbook make them.
fn anchors(lines: &[(usize, String)]) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for (_, line) in lines {
        let title = line.trim_start_matches('#');
        if title == line || !title.starts_with(' ') {
            continue;
        }
        let kept = |char: &char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_');
        let anchor: String = title.trim().chars().filter(kept).collect();
        let anchor = anchor.to_lowercase().replace(' ', "-");
        let earlier = anchors.iter().filter(|known| **known == anchor).count();
        anchors.push(anchor.clone());
        if earlier > 0 {
            anchors.push(format!("{anchor}-{earlier}"));
        }
    }
    anchors
}

/// Returns a path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

/// Returns what is wrong with a link of this page.
fn fault(pages: &Pages, page: &Path, target: &str) -> Option<&'static str> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let file = match file {
        "" => page.to_owned(),
        file => normal(&page.parent().unwrap_or(page).join(file)),
    };
    if !repository().join(&file).exists() {
        return Some("there is no such file");
    }
    if page.starts_with(CHAPTERS) && !file.starts_with(CHAPTERS) {
        return Some("the book does not contain that file");
    }
    let anchor = anchor?;
    let known = pages.get(&file).map(|lines| anchors(lines)).unwrap_or_default();
    (!known.iter().any(|known| known == anchor)).then_some("there is no such heading")
}

#[test]
fn every_link_leads_somewhere() -> Result<()> {
    let pages = pages(&files()?)?;
    let mut faults = Vec::new();
    let mut links = 0;
    for (page, lines) in &pages {
        for (number, line) in lines {
            for target in targets(line) {
                links += 1;
                if let Some(fault) = fault(&pages, page, &target) {
                    faults.push(format!("{}:{number}: {target}: {fault}", page.display()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(links > 150, "only {links} links were found");
    Ok(())
}

#[test]
fn a_broken_link_is_found() {
    let page = |path: &str, lines: &[&str]| {
        let lines = lines.iter().zip(1..).map(|(line, number)| (number, (*line).to_owned()));
        (PathBuf::from(path), lines.collect())
    };
    let readme = page("README.md", &["# One `two`, three", "## Twice", "## Twice"]);
    let pages = Pages::from([readme, page("docs/book/src/start.md", &[])]);
    let check = |page: &str, target: &str| fault(&pages, Path::new(page), target);
    for target in ["#one-two-three", "#twice-1", "docs/decisions", "https://example.com/#x"] {
        assert_eq!(check("README.md", target), None, "{target}");
    }
    for target in ["#one", "no-such-file.md", "docs/decisions#x"] {
        assert!(check("README.md", target).is_some(), "{target}");
    }
    assert!(check("docs/book/src/start.md", "../../../README.md").is_some());
    assert_eq!(targets("[`a`](b) `[c](d)` ![e](f) <img src=\"g\">"), ["b", "f", "g"]);
}

#[test]
fn every_chapter_is_in_the_summary() -> Result<()> {
    let pages = pages(&files()?)?;
    let summary = &pages[&Path::new(CHAPTERS).join("SUMMARY.md")];
    let mut listed: Vec<String> = summary.iter().flat_map(|(_, line)| targets(line)).collect();
    listed.push("SUMMARY.md".to_owned());
    let chapters = pages.keys().filter_map(|page| page.strip_prefix(CHAPTERS).ok());
    let chapters = chapters.map(|chapter| chapter.display().to_string());
    let missing: Vec<String> = chapters.filter(|chapter| !listed.contains(chapter)).collect();
    assert!(missing.is_empty(), "SUMMARY.md does not have {missing:?}");
    Ok(())
}

/// The gate builds the book only where mdbook is installed.
#[test]
fn the_settings_of_the_book_are_read_and_their_files_are_there() -> Result<()> {
    let book = repository().join("docs/book");
    let settings: toml_edit::DocumentMut = fs::read_to_string(book.join("book.toml"))?.parse()?;
    assert_eq!(settings["book"]["src"].as_str(), Some("src"));
    let css = settings["output"]["html"]["additional-css"].as_array().context("a list")?;
    for file in css {
        let file = file.as_str().context("a name")?;
        assert!(book.join(file).is_file(), "{file}");
    }
    Ok(())
}

/// `tests/src/workspace.rs` compiles the code of events.md.
#[test]
fn the_code_of_every_chapter_is_compiled() -> Result<()> {
    let declared = include_str!("../../src/book.rs");
    for entry in fs::read_dir(repository().join(CHAPTERS))? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).context("a name in UTF-8")?;
        if path.is_file() && name != "events" && fs::read_to_string(&path)?.contains("```rust") {
            let is_declared = declared.split_whitespace().any(|word| word == name);
            assert!(is_declared, "tests/src/book.rs does not have `{name}`");
        }
    }
    Ok(())
}

/// A name in backticks that ends with `.rs`, or that begins with a folder of the root, is the end of a path here.
#[test]
fn every_path_in_the_architecture_and_the_decisions_exists() -> Result<()> {
    let files = files()?;
    let is_root = |name: &str| repository().join(name.split('/').next().unwrap_or(name)).is_dir();
    let exists = |name: &str| repository().join(name).exists() || files.iter().any(|file| file.ends_with(name));
    let mut missing = Vec::new();
    let mut names = 0;
    for (page, lines) in pages(&files)? {
        if page != Path::new("ARCHITECTURE.md") && !page.starts_with("docs/decisions") {
            continue;
        }
        for (number, line) in &lines {
            for name in parts(line, true) {
                let is_path = name.ends_with(".rs") || name.contains('/') && is_root(name);
                // These are patterns, or relative to another folder.
                if !is_path || name.contains(['*', ' ', ':']) || name.contains("NAME") || name.contains("..") {
                    continue;
                }
                names += 1;
                if !exists(name) {
                    missing.push(format!("{}:{number}: {name}", page.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(names > 50, "only {names} paths were found");
    Ok(())
}
