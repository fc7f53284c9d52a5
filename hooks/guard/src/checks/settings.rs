//! Check settings in files that also contain other settings.

use crate::prelude::*;

use hookkit::tool::TextChange;

/// The format of the check settings in a file.
#[derive(Clone, Copy)]
enum Form {
    /// TOML or INI: the tables with these names, and their subtables.
    Tables(&'static str),
    /// JSON: these members.
    Members(&'static str),
    /// JSON with comments: the lines of TypeScript's options.
    Options,
}

/// The tables of Python's tools: below `tool` in TOML, at the top level in INI.
const PYTHON: &str = "bandit basedpyright black coverage flake8 isort mypy pycodestyle pydocstyle pylint pyrefly \
    pyright pytest ruff ty";

const PACKAGE: &str = "ava c8 commitlint eslintConfig eslintIgnore husky jest lint-staged nyc prettier \
    simple-git-hooks standard stylelint xo";

/// Prefixes of TypeScript's options that make the compiler find more.
const FINDS_MORE: &str = "alwaysStrict checkJs exactOptional noFallthrough noImplicit noProperty noUnchecked \
    noUnused strict useUnknownInCatch";

/// Prefixes of TypeScript's options that make the compiler find less.
const FINDS_LESS: &str = "allowUmd allowUn noCheck noImplicitUseStrict noStrict skip suppress";

impl Form {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "Cargo.toml" => Self::Tables("lints workspace.lints"),
            "pyproject.toml" | "setup.cfg" | "tox.ini" => Self::Tables(PYTHON),
            "package.json" => Self::Members(PACKAGE),
            "jsconfig.json" => Self::Options,
            _ if name.starts_with("tsconfig") && name.ends_with(".json") => Self::Options,
            _ => return None,
        })
    }

    /// Returns the settings in a text, by name.
    fn settings(self, text: &str) -> BTreeMap<String, String> {
        let mut settings: BTreeMap<String, String> = BTreeMap::new();
        match self {
            Self::Tables(names) => {
                let mut table = None;
                for line in text.lines().map(str::trim) {
                    if line.is_empty() || line.starts_with(['#', ';']) {
                        continue;
                    }
                    if let Some(name) = header(line) {
                        table = Some(name).filter(|name| names.split(' ').any(|table| is_in(name, table)));
                    } else if let Some(name) = &table {
                        let setting = settings.entry(name.clone()).or_default();
                        setting.push_str(line);
                        setting.push('\n');
                    }
                }
            }
            Self::Members(names) => {
                let package: Value = serde_json::from_str(text).unwrap_or_default();
                settings.extend(
                    names.split(' ').filter_map(|name| Some((name.to_owned(), package.get(name)?.to_string()))),
                );
            }
            Self::Options => {
                for line in text.lines().map(str::trim) {
                    let member = line.strip_prefix('"').and_then(|line| line.split_once('"'));
                    let Some((name, value)) = member else { continue };
                    let value = parts(value.trim_start_matches([' ', ':']), "").next();
                    settings.insert(name.to_owned(), value.unwrap_or_default().to_owned());
                }
            }
        }
        settings
    }

    /// Returns the name of the first setting that differs in two texts; TypeScript's options count only if they find less.
    fn changed(self, before: &str, after: &str) -> Option<String> {
        let (before, after) = (self.settings(before), self.settings(after));
        let is_changed = |name: &&String| {
            let (before, after) = (before.get(*name), after.get(*name));
            let (most, least) = match self {
                Self::Options if begins(FINDS_LESS, name) => ("false", "true"),
                Self::Options if begins(FINDS_MORE, name) => ("true", "false"),
                Self::Options => return false,
                Self::Tables(_) | Self::Members(_) => return before != after,
            };
            let finds_more = match after {
                Some(after) => after == most,
                None => before.is_some_and(|before| before == least),
            };
            before != after && !finds_more
        };
        before.keys().chain(after.keys()).find(is_changed).cloned()
    }
}

/// Returns the name of the table that begins on a line, without blanks and quotes.
fn header(line: &str) -> Option<String> {
    let (name, rest) = line.strip_prefix('[')?.trim_start_matches('[').split_once(']')?;
    // In TOML, a comma follows an element of a list.
    let is_header = rest.trim_start_matches(']').trim_start().starts_with('#') || rest.trim_matches(']').is_empty();
    let name: String = name.chars().filter(|char| !matches!(char, '"' | '\'' | ' ')).collect();
    is_header.then(|| name.strip_prefix("tool.").map(str::to_owned).unwrap_or(name))
}

/// Returns `true` for a table and its subtables, which INI files write as `mypy-tests.*` and `tool:pytest`.
fn is_in(name: &str, table: &str) -> bool {
    let rest = name.strip_prefix("tool:").unwrap_or(name).strip_prefix(table);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', ':']))
}

/// Describes the first check setting that an edit changes.
pub(super) fn changed(change: &TextChange, context: &Context) -> Option<String> {
    let name = Form::of(change.path().file_name()?.to_str()?)?
        .changed(&change.text_before(context).ok()??, &change.text_after(context).ok()?)?;
    let path = change.path().display();
    Some(format!("`{name}` in `{path}` decides what the project's checks find"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_checks_are_distinguished_from_others() {
        let text_of = |name: &str| match name {
            "Cargo.toml" => {
                "[package]\nname = \"a\"\n\n[lints.clippy]\nunwrap_used = \"deny\"\n\n[dependencies]\nserde = \"1\"\n"
            }
            "pyproject.toml" => {
                "[project]\nname = \"a\"\n[tool.ruff.lint]\nselect = [\n  \"E\",\n]\nlists = [\n  [\"a\"],\n]\nfix = true\n[tool.uv]\ndev = true\n"
            }
            "setup.cfg" => "[metadata]\nname = a\n[tool:pytest]\naddopts = --strict\n[mypy-tests.*]\nstrict = true\n",
            "package.json" => "{\"name\": \"a\", \"jest\": {\"bail\": 1}, \"scripts\": {\"lint\": \"eslint .\"}}",
            _ => {
                "{\n  // all of it\n  \"compilerOptions\": {\n    \"strict\": true,\n    \"allowUnusedLabels\": false,\n    \"strictNullChecks\": false,\n    \"outDir\": \"dist\"\n  }\n}"
            }
        };
        test_support::lines!("lines/protect-checks-settings.txt").check_inputs(|_, inputs| {
            let &[name, from, to] = inputs else { panic!("{inputs:?}: a row has a file and two texts") };
            let text = text_of(name);
            let after = text.replacen(from, to, 1);
            assert_ne!(after, text, "{name}: {from}");
            let differs = Form::of(name).expect("it holds settings of checks").changed(text, &after).is_some();
            if differs { "check" } else { "other" }.to_owned()
        });
    }
}
