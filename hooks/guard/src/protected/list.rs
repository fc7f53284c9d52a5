//! The list of protected files, with reasons.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use hookkit::glob::{Found, Patterns};
use hookkit::{Context, Environment, Error, ProjectPath};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::folders::{config_folders, in_homes};
use crate::text_file;
use crate::words::{Piece, components, fits};

/// The project's own list.
pub(super) const FILE: &str = ".claude/protected";

/// Its longest, in bytes.
const LONGEST: u64 = 1 << 20;

/// Reads the patterns of a workspace, so that it is `install` that denies one that can never match.
pub(crate) fn patterns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let patterns = Vec::deserialize(deserializer)?;
    of_workspace(&patterns).map_err(D::Error::custom)?;
    Ok(patterns)
}

fn of_workspace(patterns: &[String]) -> Result<Patterns, Error> {
    Patterns::parse("patterns", &patterns.join("\n"))
}

/// Patterns that hold everywhere, their common name, and the reason why such files are not edited.
struct BuiltIn {
    name: &'static str,
    patterns: &'static str,
    why: &'static str,
}

const GIT: BuiltIn = BuiltIn {
    name: "git",
    patterns: ".git\n",
    why: "git writes what is in there: use its commands",
};

const LOCK_FILES: BuiltIn = BuiltIn {
    name: "lock files",
    patterns: "\
*.lockfile
.terraform.lock.hcl
Cargo.lock
Chart.lock
Gemfile.lock
MODULE.bazel.lock
Package.resolved
Pipfile.lock
Podfile.lock
bun.lock
bun.lockb
cabal.project.freeze
composer.lock
conan.lock
deno.lock
flake.lock
go.sum
mix.lock
npm-shrinkwrap.json
package-lock.json
packages.lock.json
pdm.lock
pixi.lock
pnpm-lock.yaml
poetry.lock
pubspec.lock
pylock.toml
rebar.lock
stack.yaml.lock
uv.lock
yarn.lock
",
    why: "its package manager writes it: have that do it, by a command such as `cargo update` or `npm install`",
};

/// Settings of checks of the code. Files that hold other settings, too, are read by `crate::checks`.
const CHECKS: BuiltIn = BuiltIn {
    name: "checks",
    patterns: "\
.bandit
.c8rc*
.clang-format
.clang-tidy
.clippy.toml
.commitlintrc*
.coveragerc
.credo.exs
.editorconfig
.eslintignore
.eslintrc*
.flake8
.git-blame-ignore-revs
.gitleaks.toml
.gitleaksignore
.golangci.*
.hadolint.yaml
.hadolint.yml
.isort.cfg
.jshintrc
.lintstagedrc*
.markdownlint*
.mypy.ini
.nycrc*
.overcommit.yml
.oxlintrc.json
.pre-commit-config.yaml
.prettierignore
.prettierrc*
.pylintrc
.rubocop.yml
.rubocop_todo.yml
.ruff.toml
.rustfmt.toml
.scalafix.conf
.scalafmt.conf
.secrets.baseline
.semgrepignore
.shellcheckrc
.sqlfluff
.standard.yml
.stylelintignore
.stylelintrc*
.swiftformat
.swiftlint.yml
.yamllint*
analysis_options.yaml
biome.json
biome.jsonc
checkstyle.xml
clippy.toml
codecov.yml
commitlint.config.*
deny.toml
detekt.yml
eslint.config.*
lefthook.*
.lefthook.*
lint-staged.config.*
mypy.ini
phpcs.xml*
phpstan*.neon*
pmd.xml
prettier.config.*
psalm.xml*
pylintrc
pyrightconfig.json
pytest.ini
revive.toml
ruff.toml
rustfmt.toml
sonar-project.properties
staticcheck.conf
stylelint.config.*
tflint.hcl
.tflint.hcl
tslint.json
/.claude/hookkit.reviewed
/.claude/hookkit.toml
/.claude/hookkit/
/.claude/hooks/
.githooks/
.husky/
",
    why: "it decides what the project's checks find",
};

/// No list takes these out again.
const OWN: BuiltIn = BuiltIn {
    name: "hookkit",
    patterns: "/.claude/protected\n/.claude/hookkit/\n/.local/state/hookkit/\n",
    why: "it decides what you may do: ask the user to make the change",
};

/// The user's settings, where only the end of a path is known. In the project the client itself asks about such a file.
const SETTINGS: &str = "/.claude/settings.json\n";

impl BuiltIn {
    fn patterns(&self) -> Result<Patterns, Error> {
        Patterns::parse(self.name, self.patterns)
    }
}

/// The files that are protected in a project.
pub(crate) struct Protected {
    built_in: Patterns,
    all: Patterns,
    hookkit: Patterns,
    /// hookkit's own files in the project, where they are protected.
    own: Option<Own>,
    /// `true` if a file that is not there may be made.
    may_create: bool,
    /// hookkit's own files outside of the project.
    users: Vec<ProjectPath>,
}

/// hookkit's own files in a project.
struct Own {
    /// The project's list.
    list: ProjectPath,
    /// The folder of the hooks that are installed.
    hooks: ProjectPath,
}

/// The settings and hooks that the user has for all projects, and what hooks keep: where the client and hookkit look for
/// them.
fn users(context: &Context, environment: Environment) -> Result<Vec<ProjectPath>, Error> {
    let absolute = |name| Some(PathBuf::from(environment.variable(name)?)).filter(|folder| folder.is_absolute());
    let state = absolute("XDG_STATE_HOME").map_or_else(|| in_homes(environment, ".local/state"), |folder| vec![folder]);
    let config = config_folders(environment);
    let in_config = (config.iter()).flat_map(|folder| ["hookkit", "settings.json"].map(|name| folder.join(name)));
    let in_state = state
        .into_iter()
        .chain(absolute("LOCALAPPDATA"))
        .map(|folder| folder.join("hookkit"));
    in_config.chain(in_state).map(|path| context.path(path)).collect()
}

impl Protected {
    /// Reads the lists.
    ///
    /// # Errors
    ///
    /// When the project's list cannot be read, or a line of a list can never match.
    pub(super) fn of(context: &Context, environment: Environment, patterns: &[String]) -> Result<Self, Error> {
        let built_in = GIT.patterns()?.and(LOCK_FILES.patterns()?).ignoring_case();
        let mut all = built_in.clone();
        if !patterns.is_empty() {
            all = all.and(of_workspace(patterns)?);
        }
        match text_file::read(&context.project_dir.join(FILE), LONGEST) {
            Ok(text) => all = all.and(Patterns::parse(FILE, &text)?),
            Err(err) if err.kind() == ErrorKind::NotFound => {}
            Err(err) => return Err(Error::msg(format_args!("`{FILE}` cannot be read: {err}"))),
        }
        let hookkit = OWN.patterns()?.ignoring_case();
        Ok(Self {
            built_in,
            all: all.and(hookkit.clone()),
            hookkit: hookkit.and(Patterns::parse(OWN.name, SETTINGS)?).ignoring_case(),
            users: users(context, environment)?,
            own: Some(Own {
                list: context.path(context.project_dir.join(FILE))?,
                hooks: context.path(context.project_dir.join(".claude/hookkit"))?,
            }),
            may_create: false,
        })
    }

    /// Returns the files that a project is checked by, in place of the lists.
    ///
    /// # Errors
    ///
    /// When a pattern of the workspace can never match.
    pub(crate) fn checks(patterns: &[String]) -> Result<Self, Error> {
        let nothing = Patterns::parse(CHECKS.name, "")?;
        Ok(Self {
            built_in: nothing.clone(),
            all: CHECKS.patterns()?.ignoring_case().and(of_workspace(patterns)?),
            hookkit: nothing,
            users: Vec::new(),
            own: None,
            // A check that a project did not have makes nothing pass.
            may_create: true,
        })
    }

    /// Why a file is not to be changed, if it is protected by any of its names.
    pub(crate) fn reason(&self, path: &ProjectPath) -> Option<String> {
        if self.is_users(path) {
            return Some(of_own(path));
        }
        let (name, found) = self.find(path)?;
        let subject = if path.absolute.ends_with(&name) {
            format!("`{path}` is protected")
        } else {
            format!("`{path}` leads to `{name}`, which is protected")
        };
        Some(subject + &why(found))
    }

    /// Returns the paths of hookkit's own files in the project.
    fn own(&self) -> impl Iterator<Item = &ProjectPath> {
        self.own.iter().flat_map(|own| [&own.list, &own.hooks])
    }

    /// Returns `true` if it is what hookkit has outside of the project, or in it.
    pub(super) fn is_users(&self, path: &ProjectPath) -> bool {
        let mut users = self.users.iter().flat_map(ProjectPath::names).map(folded);
        users.any(|users| path.names().any(|name| folded(name).starts_with(&users)))
    }

    /// Why a folder is not to be taken away: it holds the list, or what hookkit has outside of the project.
    pub(super) fn reason_to_keep(&self, path: &ProjectPath) -> Option<String> {
        let holds_list = |own: &Own| own.list.resolved.starts_with(&path.resolved);
        if self.own.as_ref().is_some_and(holds_list) {
            return Some(format!("`{FILE}` in `{path}` is protected, since {}", OWN.why));
        }
        self.reason_of_users(path)
    }

    /// Returns why what a folder holds is not to be changed: hookkit's own outside of the project is there.
    pub(super) fn reason_of_users(&self, path: &ProjectPath) -> Option<String> {
        held(&self.users, path)
    }

    /// Returns why what a folder holds is not to be changed: hookkit's own is there, in the project or outside.
    pub(super) fn reason_of_tree(&self, path: &ProjectPath) -> Option<String> {
        self.reason_of_users(path).or_else(|| held(self.own(), path))
    }

    /// Returns why nothing is to be changed by a link to a file: it is hookkit's own, or a folder that holds that.
    pub(super) fn reason_of_link(&self, path: &ProjectPath) -> Option<String> {
        let is_in_project = || self.own().any(|own| path.resolved.starts_with(&own.resolved));
        let own = || (is_in_project() || self.is_users(path)).then(|| of_own(path));
        self.reason_of_tree(path).or_else(own)
    }

    /// Returns why a relative path is not to be changed in a folder that is not known: it may be hookkit's own, or in that.
    ///
    /// Each name has to be known, or to begin with what is known: `*.json` is for other files.
    pub(super) fn reason_in_lost_folder(&self, pieces: &[Piece]) -> Option<String> {
        let mut names: Vec<Vec<Piece>> = Vec::new();
        for mut name in components(pieces) {
            match &mut name[..] {
                [] => continue,
                [Piece::Text(text)] if text == "." => continue,
                [Piece::Text(text)] if text == ".." => {
                    names.pop();
                    continue;
                }
                [Piece::Text(text), ..] => *text = text.to_lowercase(),
                _ => {}
            }
            names.push(name);
        }
        let own = self.own().chain(&self.users).flat_map(ProjectPath::names);
        let mut own = own.map(Path::to_string_lossy);
        let own = own.find(|own| {
            let own = own.to_lowercase();
            let own: Vec<&str> = own.split('/').filter(|name| !name.is_empty()).collect();
            (1..=own.len().min(names.len())).any(|count| {
                let mut both = own[own.len() - count..].iter().zip(&names);
                both.all(|(own, name)| matches!(name[0], Piece::Text(_)) && fits(own, name))
            })
        })?;
        Some(format!("`{own}` may be protected, since {}", OWN.why))
    }

    /// Why a file is not to be changed whose path is known from some folder on.
    pub(super) fn reason_of_end(&self, end: &str) -> Option<String> {
        let rests = end.match_indices('/').map(|(at, _)| &end[at + 1..]);
        let mut ends = [end]
            .into_iter()
            .chain(rests)
            .filter(|end| !end.is_empty() && !end.starts_with('/'));
        // A pattern that ends with a slash is for folders alone, and this may be one.
        let found = ends.find_map(|end| self.hookkit.find(&format!("{}/", end.trim_end_matches('/'))))?;
        Some(format!("`{end}` may be protected{}", why(found)))
    }

    /// Why a file of this name is not to be changed, wherever it may be.
    pub(super) fn reason_of_name(&self, name: &str) -> Option<String> {
        let found = self.all.find(name.strip_prefix("./").unwrap_or(name))?;
        Some(format!("`{name}` may be protected{}", why(found)))
    }

    /// The name of a file by which it is protected, and the line that says so.
    fn find(&self, path: &ProjectPath) -> Option<(String, Found<'_>)> {
        // A pattern that ends with a slash is for folders alone.
        let end = if path.resolved.is_dir() { "/" } else { "" };
        let mut of_project = path.relative_names();
        if let Some(found) = of_project.find_map(|name| Some((name.clone(), self.all.find(&(name + end))?))) {
            let is_new = self.may_create && path.resolved.symlink_metadata().is_err();
            return (!is_new).then_some(found);
        }
        // What lies elsewhere is no business of the project's lists.
        let mut names = path.names().filter(|_| path.relative.is_none());
        names.find_map(|name| {
            let name = name.to_string_lossy();
            let found = self.built_in.find(&(name.trim_start_matches('/').to_owned() + end))?;
            // A copy that is put aside is not a harm.
            let is_new = found.source() == LOCK_FILES.name && path.resolved.symlink_metadata().is_err();
            (!is_new).then(|| (name.into_owned(), found))
        })
    }
}

/// Returns why a folder is not to be changed with what is in it: one of these is there.
fn held<'p>(own: impl IntoIterator<Item = &'p ProjectPath>, folder: &ProjectPath) -> Option<String> {
    let is_in = |own: &&ProjectPath| own.resolved.starts_with(&folder.resolved);
    let mut own = own.into_iter().filter(is_in);
    let own = own.find(|own| own.resolved.symlink_metadata().is_ok())?;
    Some(of_own(own))
}

/// Returns the reason of a path that is hookkit's own.
fn of_own(path: &ProjectPath) -> String {
    format!("`{path}` is protected, since {}", OWN.why)
}

/// A path as it is compared.
fn folded(path: &Path) -> PathBuf {
    path.to_string_lossy().to_lowercase().into()
}

/// Returns the text behind "is protected".
fn why(found: Found<'_>) -> String {
    let Some(built_in) = [&GIT, &LOCK_FILES, &OWN, &CHECKS]
        .into_iter()
        .find(|list| list.name == found.source())
    else {
        return format!(" by {found}. Do not try to reach it in another way: ask the user to make the change");
    };
    if [OWN.name, CHECKS.name].contains(&built_in.name) {
        return format!(", since {}", built_in.why);
    }
    format!(
        ", since {}; or ask the user, who can allow it by the line `!{}` in `{FILE}`",
        built_in.why,
        found.pattern()
    )
}
