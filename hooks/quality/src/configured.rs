//! Determines from a project's configuration which formatters and linters it uses.
//!
//! Folders are searched from the file's own folder up to the root of the project, or of the repository around it,
//! because a session can start in a package.

use hookkit::bounded;

use crate::prelude::*;

/// Returns the folders that may contain the tools of a file and their configuration. A file outside the project has
/// none.
pub(crate) fn folders(file: &ProjectPath) -> Vec<&Path> {
    let of_project = file.folders().count();
    let of_repository = |root| file.resolved.ancestors().skip(1).take_while(|folder| folder.starts_with(root)).count();
    let depth = trees(&file.resolved).map_or(0, |(root, _)| of_repository(root));
    let depth = if of_project > 0 { depth.max(of_project) } else { 0 };
    file.resolved.ancestors().skip(1).take(depth).collect()
}

/// Returns `true` if ruff formats in these folders: it is configured, and black is not configured next to it.
///
/// A `[tool.ruff]` next to a `[tool.black]` means that ruff lints and black formats, unless ruff's formatter is
/// configured explicitly.
pub(crate) fn ruff_formats(folders: &[&Path]) -> bool {
    folders.iter().find_map(|folder| ruff(folder)) == Some(true)
}

/// Returns the nearest folder that configures ruff: ruff itself reads only that one.
pub(crate) fn ruff_lints<'f>(folders: &[&'f Path]) -> Option<&'f Path> {
    folders.iter().copied().find(|folder| ruff(folder).is_some())
}

/// Returns `true` if ruff formats; `None` if this folder does not configure it.
fn ruff(folder: &Path) -> Option<bool> {
    if folder.join("ruff.toml").exists() || folder.join(".ruff.toml").exists() {
        return Some(true);
    }
    in_toml(&folder.join("pyproject.toml"), |project| {
        let tool = project.get("tool")?.get_ref();
        let ruff = tool.get("ruff")?.get_ref();
        Some(ruff.get("format").is_some() || tool.get("black").is_none())
    })?
}

/// Returns the nearest folder that configures ESLint, to run it there.
///
/// ESLint 9 searches for `eslint.config.js` from its current directory upwards, and resolves the paths in the file from
/// there.
pub(crate) fn eslint<'f>(folders: &[&'f Path]) -> Option<&'f Path> {
    folders.iter().copied().find(|folder| {
        has_file(folder, |name| {
            name.starts_with("eslint.config.") || name == ".eslintrc" || name.starts_with(".eslintrc.")
        }) || package(folder).is_some_and(|package| package.get("eslintConfig").is_some())
    })
}

/// Returns the folder to run prettier in, if the project uses it.
///
/// This is the nearest folder with a `.prettierignore`, which prettier reads only in its current directory. If there is
/// none, it is the folder that configures prettier or depends on it.
pub(crate) fn prettier<'f>(folders: &[&'f Path]) -> Option<&'f Path> {
    let configured = folders.iter().find(|folder| configures_prettier(folder))?;
    let ignoring = folders.iter().find(|folder| folder.join(".prettierignore").exists());
    Some(ignoring.unwrap_or(configured))
}

fn configures_prettier(folder: &Path) -> bool {
    // `.prettierrc.json`, `prettier.config.mjs` …: each version adds endings.
    has_file(folder, |name| {
        name == ".prettierrc" || name.starts_with(".prettierrc.") || name.starts_with("prettier.config.")
    }) || package(folder).is_some_and(|package| names_prettier(&package))
}

fn has_file(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> bool {
    let mut names = fs::read_dir(folder).into_iter().flatten().flatten();
    names.any(|entry| is_wanted(&entry.file_name().to_string_lossy()))
}

fn package(folder: &Path) -> Option<Value> {
    serde_json::from_slice(&read(&folder.join("package.json"))?).ok()
}

fn names_prettier(package: &Value) -> bool {
    let places = [Some(package), package.get("dependencies"), package.get("devDependencies")];
    places.into_iter().flatten().any(|place| place.get("prettier").is_some())
}

/// Calls a function with a TOML file, if it exists and can be read. A file with an error counts as missing, because it
/// may be in the middle of an edit.
pub(crate) fn in_toml<T>(path: &Path, call: impl FnOnce(&DeTable<'_>) -> T) -> Option<T> {
    let text = String::from_utf8(read(path)?).ok()?;
    Some(call(DeTable::parse(&text).ok()?.get_ref()))
}

/// Returns a file, if it exists and can be read. A file of more than 1 MiB is not a configuration.
fn read(path: &Path) -> Option<Vec<u8>> {
    bounded::read(path, 1 << 20).ok()
}

// The tests run shell scripts as programs.
#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_tool_is_known_by_its_configuration() {
        test_support::lines!("lines/configured.txt").check_inputs(|section, inputs| {
            let folder = test_support::folder();
            let folder = folder.path();
            fs::write(folder.join(inputs[0]), inputs[1]).unwrap();
            let is_configured = match section.name {
                "ruff formats" => ruff_formats(&[folder]),
                "ruff lints" => ruff_lints(&[folder]).is_some(),
                "eslint" => eslint(&[folder]).is_some(),
                _ => configures_prettier(folder),
            };
            if is_configured { "yes" } else { "no" }.into()
        });
    }

    #[test]
    fn a_pipe_and_a_file_without_end_configure_nothing() {
        let folder = test_support::folder();
        for (name, content) in [("pyproject.toml", "[tool.ruff]\n#"), ("package.json", r#"{"prettier":""}"#)] {
            let path = folder.path().join(name);
            let is_used = || ruff(folder.path()).is_some() || configures_prettier(folder.path());
            fs::write(&path, content).unwrap();
            assert!(is_used());
            fs::write(&path, content.to_owned() + &" ".repeat(2 << 20)).unwrap();
            assert!(!is_used());
            fs::remove_file(&path).unwrap();
            assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
            assert!(!is_used());
        }
    }

    #[test]
    fn the_nearest_configuration_of_ruff_counts() {
        let outer = test_support::folder();
        let inner = outer.path().join("inner");
        fs::create_dir(&inner).unwrap();
        fs::write(outer.path().join("ruff.toml"), "").unwrap();
        fs::write(inner.join("pyproject.toml"), "[project]\n").unwrap();
        assert!(ruff_formats(&[&inner, outer.path()]));
        fs::write(inner.join("pyproject.toml"), "[tool.ruff]\n[tool.black]\n").unwrap();
        assert!(!ruff_formats(&[&inner, outer.path()]));
    }
}
