//! The public API agrees with `tests/api`, which has a file for each crate.
//!
//! A line that changes or is removed is a breaking change, and a new line is a promise: review both in the diff.
//! `SNAPSHOTS=overwrite cargo test -p hookkit-tests --test builds api` writes the files.
//!
//! Their content comes from rustdoc, so hidden items are not in them. Blanket and auto traits, and the functions of a
//! trait's implementations, are also left out. The files do not contain defaults of type parameters and of the
//! attribute: the examples and the tests in `ui` fail if one of those changes.

use std::collections::HashSet;
use std::env;
use std::fmt::Write;

use hookkit_tests::prelude::*;
use public_api::{Builder, PublicApi};

/// The crates that users name, each with all features that add to its API.
const CRATES: &str = include_str!("../../fixtures/api-crates.txt");

/// Modules that need a feature. They have separate files, so that the others show the API without features.
const BEHIND_FEATURES: [(&str, &str); 7] = [
    ("hookkit::config_file", "hookkit-config-file"),
    ("hookkit::git", "hookkit-git"),
    ("hookkit::glob", "hookkit-glob"),
    ("hookkit::log", "hookkit-log"),
    ("hookkit::state", "hookkit-state"),
    ("hookkit::testing", "hookkit-testing"),
    ("hookkit_protocol::lint", "hookkit-protocol-lint"),
];

/// Short names for common types.
const SHORT: &str = include_str!("../../fixtures/api-short-names.txt");

/// Returns the name of a crate, and its features.
fn named(line: &'static str) -> (&'static str, impl Iterator<Item = &'static str>) {
    let mut words = line.split(' ');
    (words.next().unwrap_or_default(), words)
}

/// Runs rustdoc to write the JSON of all crates, and returns its folder.
fn document() -> Result<PathBuf> {
    // Build scripts read RUSTC_BOOTSTRAP: set for cargo, it would run them again, and rebuild all that depends on them.
    let rustdoc = repository().join("target/tests/rustdoc");
    let real = env::var("RUSTDOC").unwrap_or_else(|_| "rustdoc".to_owned());
    fs::create_dir_all(rustdoc.parent().context("a parent folder")?)?;
    files::program(&rustdoc, format!("#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec '{real}' \"$@\"\n"))?;
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["doc", "--quiet", "--locked", "--no-deps", "--lib", "--target-dir", "target"])
        .current_dir(repository())
        .env("RUSTDOC", &rustdoc)
        .env_remove("CARGO_ENCODED_RUSTDOCFLAGS")
        .env("RUSTDOCFLAGS", "-Z unstable-options --output-format json");
    for (krate, features) in CRATES.lines().map(named) {
        cargo.args(["--package", krate]);
        for feature in features {
            cargo.args(["--features", &format!("{krate}/{feature}")]);
        }
    }
    cargo.out(0)?;
    Ok(repository().join("target/doc"))
}

/// Returns the last segment of a path with its generic arguments: `Clone` for `core::clone::Clone`.
fn last_segment(path: &str) -> &str {
    let name = path.split('<').next().unwrap_or(path);
    name.rfind("::").map_or(path, |at| &path[at + 2..])
}

/// Returns the path that a line is about, which lines are sorted by, so that related lines are next to each other.
fn subject(line: &str) -> &str {
    if let Some((_, target)) = line.strip_prefix("impl").and_then(|rest| rest.split_once(" for ")) {
        return target;
    }
    line.split([' ', '(']).find(|word| word.starts_with("hookkit")).unwrap_or(line).trim_end_matches([':', ';'])
}

/// The sort key of a line, and its text: the path, then items before their implementations.
type Line = (String, bool, String);

fn line(text: String) -> Line {
    (subject(&text).to_owned(), text.starts_with("impl"), text)
}

/// Returns the items of a crate, a line each.
fn lines(api: &PublicApi) -> BTreeSet<Line> {
    let mut lines = BTreeSet::new();
    // The traits that each type implements without conditions, which fit into one line.
    let mut traits: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut implementations = HashSet::new();
    let items: Vec<(_, _, String)> = api
        .items()
        .map(|item| {
            let text = item.to_string();
            let names = SHORT.lines().filter_map(|line| line.split_once(' '));
            let text = names.fold(text, |text, (long, short)| text.replace(long, short));
            (item.id(), item.parent_id(), text)
        })
        .collect();
    for (id, _, text) in &items {
        if text.starts_with("impl") && text.contains(" for ") {
            implementations.insert(*id);
        }
    }
    for (_, parent, text) in items {
        let is_implemented = parent.is_some_and(|parent| implementations.contains(&parent));
        // The functions of an implementation are those of the trait; its types are its own.
        if is_implemented && !text.starts_with("pub type ") || text.contains("core::marker::StructuralPartialEq") {
            continue;
        }
        if let Some((_, rest)) = text.split_once("hookkit::prelude::") {
            let name = rest.split(|char: char| !char.is_alphanumeric()).next().unwrap_or(rest);
            lines.insert(line(format!("pub use hookkit::prelude::{name}")));
            continue;
        }
        let simple = text.strip_prefix("impl ").or_else(|| text.strip_prefix("impl<'de> "));
        let simple = simple.and_then(|simple| simple.split_once(" for "));
        // A condition that serde writes, without a type parameter.
        let plain = |target| {
            let (name, condition) = str::split_once(target, " where ")?;
            (condition == format!("{name}: core::default::Default")).then_some(name)
        };
        match simple.map(|(what, target)| (what, plain(target).unwrap_or(target))) {
            Some((what, target)) if !target.contains(" where ") => {
                let name = last_segment(what).replace("<'de>", "");
                traits.entry(target.to_owned()).or_default().insert(name);
            }
            // The functions of an inherent `impl` have their own lines.
            None if text.starts_with("impl ") => {}
            _ => {
                lines.insert(line(text));
            }
        }
    }
    for (target, names) in traits {
        let names: Vec<String> = names.into_iter().collect();
        let text = format!("impl {target}: {}", names.join(" + "));
        lines.insert((target, true, text));
    }
    lines
}

/// Returns the expected files by name, or `None` if public-api does not read the JSON of this rustdoc.
fn snapshots(documented: &Path) -> Result<Option<BTreeMap<&'static str, String>>> {
    let mut files: BTreeMap<&str, String> = BTreeMap::new();
    for (krate, _) in CRATES.lines().map(named) {
        let json = documented.join(krate.replace('-', "_")).with_extension("json");
        ensure!(json.is_file(), "rustdoc wrote no {}", json.display());
        let api = Builder::from_rustdoc_json(json).omit_blanket_impls(true).omit_auto_trait_impls(true).build();
        let Ok(api) = api else { return Ok(None) };
        for (subject, _, line) in lines(&api) {
            let is_in = |module: &str| {
                let rest = subject.strip_prefix(module);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
            };
            let feature = BEHIND_FEATURES.iter().find(|(module, _)| is_in(module));
            let file = files.entry(feature.map_or(krate, |(_, file)| file)).or_default();
            writeln!(file, "{line}")?;
        }
    }
    Ok(Some(files))
}

/// Returns the removed and the added lines, in the order of the files.
fn difference(old: &str, new: &str) -> String {
    let (before, after): (HashSet<&str>, HashSet<&str>) = (old.lines().collect(), new.lines().collect());
    let removed = old.lines().filter(|line| !after.contains(line));
    let added = new.lines().filter(|line| !before.contains(line));
    let removed = removed.map(|line| format!("-{line}\n"));
    removed.chain(added.map(|line| format!("+{line}\n"))).collect()
}

#[test]
fn the_public_api_agrees_with_its_files() -> Result<()> {
    const NAME: &str = "the_public_api_agrees_with_its_files";
    // The JSON format and the standard library's paths change with Rust's releases.
    if !hookkit_tests::is_recorded_toolchain(NAME)? {
        return Ok(());
    }
    let Some(snapshots) = snapshots(&document()?)? else {
        skip(NAME, "public-api does not read the JSON of this rustdoc");
        return Ok(());
    };
    let folder = repository().join("tests/api");
    let overwrite = env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite");
    let mut differences = String::new();
    for (name, new) in &snapshots {
        let path = folder.join(name).with_extension("txt");
        if overwrite {
            fs::create_dir_all(&folder)?;
            fs::write(&path, new)?;
        }
        let old = fs::read_to_string(&path).unwrap_or_default();
        if old != *new {
            write!(differences, "tests/api/{name}.txt\n{}", difference(&old, new))?;
        }
    }
    assert!(
        differences.is_empty(),
        "the public API has changed:\n{differences}\
         CONTRIBUTING.md describes the consequences for the next version. If the change is intended:\n\
         SNAPSHOTS=overwrite cargo test -p hookkit-tests --test builds api"
    );
    Ok(())
}
