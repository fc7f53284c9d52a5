//! Tests make folders and run git in one way, so that they mean the same on every machine.

use hookkit_tests::prelude::*;

/// Code that depends on where the checkout, the folder for temporary files or the home folder is, or on git's configuration;
/// each with its replacement. What is compiled in, by `env!`, stays where the target folder of a checkout is copied to that of
/// another one.
const OTHER_WAYS: &str = include_str!("../../fixtures/other-ways.txt");

/// Files of tests that have a reason for another way.
const ALLOWED: [&str; 4] = [
    // Places are what it plays.
    "tests/src/bin/dev/surroundings.rs",
    // The text of its pictures is as wide as the folder's name.
    "tests/src/console.rs",
    // A client is unpacked next to the others, so that it can be renamed.
    "tests/src/client.rs", "tests/tests/fast/ground.rs",
];

/// Calls `visit` with the code of tests in each Rust file below a folder, and with the file's name.
fn each_test(folder: &Path, visit: &mut impl FnMut(&str, &str)) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.strip_prefix(repository())?.to_string_lossy().into_owned();
        if path.is_dir() {
            if !["target", "snapshots", "fixtures", "fuzz"].iter().any(|folder| path.ends_with(folder)) {
                each_test(&path, visit)?;
            }
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path)?;
            let is_test = name.starts_with("tests/") || name.contains("/tests/") || name.ends_with("/tests.rs");
            let tests = match is_test {
                true => Some(text.as_str()),
                false => text.split_once("mod tests {").map(|(_, tests)| tests),
            };
            tests.into_iter().for_each(|tests| visit(&name, tests));
        }
    }
    Ok(())
}

#[test]
fn tests_make_their_places_with_one_helper() -> Result<()> {
    let (mut found, mut count) = (Vec::new(), 0);
    for folder in ["hookkit", "hookkit-macros", "hooks", "tests", "xtask"] {
        each_test(&repository().join(folder), &mut |name, text| {
            count += 1;
            // The helper itself.
            if name.starts_with("tests/support/") || ALLOWED.contains(&name) {
                return;
            }
            let ways = OTHER_WAYS.lines().filter_map(|line| line.split_once('\t'));
            let ways = ways.filter(|(way, _)| text.contains(way));
            found.extend(ways.map(|(way, helper)| format!("{name}: `{way}`; use {helper}")));
        })?;
    }
    assert!(count > 200 && found.is_empty(), "{count} files\n{}", found.join("\n"));
    Ok(())
}
