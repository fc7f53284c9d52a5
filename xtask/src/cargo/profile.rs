//! The profile of a workspace's own builds.

use toml_edit::DocumentMut;

/// Returns a workspace's settings for third-party proc macros, build scripts and their dependencies in the profile
/// `dev`, as lines of a manifest. A build with the same settings in the same folder shares their artifacts.
pub(crate) fn host(manifest: &DocumentMut) -> String {
    let dev = manifest.get("profile").and_then(|profiles| profiles.get("dev"));
    let table = |path: &[&str]| path.iter().try_fold(dev?, |table, key| table.get(key));
    // In cargo, the first table that has a key wins.
    let tables = [table(&["package", "*"]), table(&["build-override"]), dev];
    let setting = |key: &str| {
        let set = tables.iter().flatten().find_map(|table| table.get(key)?.as_bool());
        format!("{key} = {}\n", set.unwrap_or(true))
    };
    setting("debug-assertions") + &setting("overflow-checks")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrowest_table_with_a_setting_decides() {
        test_support::lines!("lines/profiles.txt").check(|_, manifest| {
            let host = host(&manifest.parse().unwrap());
            let settings = host.strip_prefix("debug-assertions = ").unwrap();
            settings.replace("\noverflow-checks = ", "\t").trim_end().to_owned()
        });
    }
}
