//! Whether a project uses a formatter, read from its configuration.
//!
//! The folders are those of the file, from its own outwards to the project's root.

use std::fs;
use std::path::Path;

/// Whether ruff formats here: where it is configured, unless black is configured beside it.
///
/// A `[tool.ruff]` next to a `[tool.black]` means that ruff lints and black formats; where ruff's formatter is
/// configured by name, that counts more.
pub(super) fn ruff(folders: &[&Path]) -> bool {
    folders
        .iter()
        .find_map(|folder| {
            if folder.join("ruff.toml").exists() || folder.join(".ruff.toml").exists() {
                return Some(true);
            }
            let project = toml_file(&folder.join("pyproject.toml"))?;
            let tool = project.get("tool")?;
            let ruff = tool.get("ruff")?;
            Some(ruff.get("format").is_some() || tool.get("black").is_none())
        })
        .unwrap_or(false)
}

/// The folder to run prettier in, if the project uses it.
///
/// That is the nearest one with a `.prettierignore`, which prettier looks for in its current directory alone, else the
/// one that configures prettier or depends on it.
pub(super) fn prettier<'f>(folders: &[&'f Path]) -> Option<&'f Path> {
    let configured = folders.iter().find(|folder| configures_prettier(folder))?;
    let ignoring = folders.iter().find(|folder| folder.join(".prettierignore").exists());
    Some(ignoring.unwrap_or(configured))
}

fn configures_prettier(folder: &Path) -> bool {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let by_file = names.map(|entry| entry.file_name()).any(|name| {
        let name = name.to_string_lossy();
        // `.prettierrc.json`, `prettier.config.mjs` …: the endings grow in number with each version.
        name == ".prettierrc" || name.starts_with(".prettierrc.") || name.starts_with("prettier.config.")
    });
    by_file || package_names_prettier(&folder.join("package.json"))
}

fn package_names_prettier(package: &Path) -> bool {
    let Ok(text) = fs::read(package) else {
        return false;
    };
    let Ok(package) = serde_json::from_slice::<serde_json::Value>(&text) else {
        return false;
    };
    let places = [
        Some(&package),
        package.get("dependencies"),
        package.get("devDependencies"),
    ];
    places
        .into_iter()
        .flatten()
        .any(|place| place.get("prettier").is_some())
}

/// A TOML file, if it is there and can be read: one that is just being edited tells nothing.
pub(super) fn toml_file(path: &Path) -> Option<toml::Table> {
    fs::read_to_string(path).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a folder with this one file makes the predicate true.
    fn with(file: &str, content: &str, predicate: impl Fn(&Path) -> bool) -> bool {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(file), content).unwrap();
        predicate(folder.path())
    }

    #[test]
    fn ruff_is_known_by_its_configuration() {
        let by = |file, content| with(file, content, |folder| ruff(&[folder]));
        assert!(by("ruff.toml", ""));
        assert!(by(".ruff.toml", ""));
        assert!(by("pyproject.toml", "[tool.ruff]\n"));
        assert!(by("pyproject.toml", "[tool.ruff.lint]\nselect = []\n"));
        assert!(by("pyproject.toml", "tool.ruff.line-length = 100\n"));
        assert!(!by("pyproject.toml", "[project]\ndependencies = ['ruff']\n"));
        assert!(!by("pyproject.toml", "[tool.ruff"));
        assert!(!by("setup.cfg", "[ruff]"));
    }

    #[test]
    fn ruff_leaves_the_formatting_to_black() {
        let by = |content| with("pyproject.toml", content, |folder| ruff(&[folder]));
        assert!(!by("[tool.ruff]\n[tool.black]\n"));
        assert!(by("[tool.ruff.format]\n[tool.black]\n"));
    }

    #[test]
    fn the_nearest_configuration_of_ruff_counts() {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("inner");
        fs::create_dir(&inner).unwrap();
        fs::write(outer.path().join("ruff.toml"), "").unwrap();
        fs::write(inner.join("pyproject.toml"), "[project]\n").unwrap();
        assert!(ruff(&[&inner, outer.path()]));
        fs::write(inner.join("pyproject.toml"), "[tool.ruff]\n[tool.black]\n").unwrap();
        assert!(!ruff(&[&inner, outer.path()]));
    }

    #[test]
    fn prettier_is_known_by_its_configuration_or_as_a_dependency() {
        let by = |file, content| with(file, content, configures_prettier);
        assert!(by(".prettierrc", ""));
        assert!(by(".prettierrc.json5", ""));
        assert!(by("prettier.config.mjs", ""));
        assert!(by("package.json", r#"{"prettier":"@team/prettier-config"}"#));
        assert!(by("package.json", r#"{"dependencies":{"prettier":"^3"}}"#));
        assert!(by("package.json", r#"{"devDependencies":{"prettier":"^3"}}"#));
        assert!(!by(
            "package.json",
            r#"{"devDependencies":{"eslint-config-prettier":"1"}}"#
        ));
        assert!(!by("package.json", r#"{"scripts":{"format":"prettier"}}"#));
        assert!(!by("package.json", r#"{"devDependencies":"#));
        assert!(!by("prettierrc", ""));
    }
}
